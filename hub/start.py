"""Run the book on a JupyterHub, on this machine's loopback: `make hub`.

What it needs goes into `.cache/hub`: an environment with JupyterHub and what a learner's server
needs, the proxy from npm, and the learners' homes.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tools import environments

ROOT = environments.ROOT
HUB = ROOT / ".cache" / "hub"
LOCK = ROOT / "hub" / "requirements.txt"
NPM = [ROOT / "hub" / name for name in ("package.json", "package-lock.json")]
START_SECONDS = 90


def install() -> None:
    """Bring the hub's environment, its proxy and the learners' notebooks up to date."""
    if not shutil.which("npm"):
        raise environments.SetupError(
            "JupyterHub's proxy comes from npm, and there is none: on Debian `apt install npm`, "
            "on macOS `brew install node`; then run make hub again."
        )
    HUB.mkdir(parents=True, exist_ok=True)
    env, proxy = HUB / "env", HUB / "proxy"

    def make_env() -> None:
        print("Installing JupyterHub into .cache/hub/env …", flush=True)
        python = environments.NOW / "bin" / "python"
        environments.create(env, python, "--require-hashes", "-r", LOCK)
        environments.install_package(env)

    def make_proxy() -> None:
        print("Installing configurable-http-proxy with npm …", flush=True)
        shutil.rmtree(proxy, ignore_errors=True)
        proxy.mkdir()
        for file in NPM:
            shutil.copy(file, proxy)
        npm = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        environments.run(*npm, "--prefix", proxy, "--cache", HUB / "npm")
        shutil.rmtree(HUB / "npm", ignore_errors=True)

    environments.ensure(env, environments.stamp(LOCK.read_text()), make_env)
    environments.register(env)
    wanted = environments.stamp(*(file.read_text() for file in NPM))
    environments.ensure(proxy, wanted, make_proxy, proof="node_modules")
    command = [sys.executable, "-m", "bookkit.formats.notebooks", HUB / "notebooks"]
    environments.run(*command, cure="The notebooks could not be made: make lab says more.")


def start(port: int, password: str, state: Path) -> subprocess.Popen:
    """Start the hub, and wait until it answers.

    Args:
        port: its own; the next two are its proxy's and its own on loopback.
        password: what everybody logs in with.
        state: the folder of the homes, of the log and of what the hub remembers.

    Raises:
        SetupError: it ended, or did not answer; the message names its log.
    """
    env = {**os.environ, "HUB_PORT": str(port), "HUB_PASSWORD": password, "HUB_STATE": str(state)}
    state.mkdir(parents=True, exist_ok=True)
    log = state / "hub.log"
    env["PATH"] = f"{HUB / 'env' / 'bin'}:{env['PATH']}"
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
        env.pop(name, None)  # each learner has a home of his own
    command = [HUB / "env" / "bin" / "jupyterhub", "-f", ROOT / "hub" / "jupyterhub_config.py"]
    with log.open("a") as sink:
        hub = subprocess.Popen(
            [str(word) for word in command],
            cwd=state, env=env, stdout=sink, stderr=sink, start_new_session=True,
        )  # fmt: skip
    deadline = time.monotonic() + START_SECONDS
    while not answers(f"http://127.0.0.1:{port}/hub/api/"):
        if hub.poll() is not None or time.monotonic() > deadline:
            stop(hub)
            said = f"the hub does not start; {log.relative_to(ROOT)} says why."
            cure = (
                f"If {port}, {port + 1} or {port + 2} is taken, choose another: make hub PORT=9010."
            )
            raise environments.SetupError(f"{said} {cure}")
        time.sleep(0.3)
    return hub


def answers(address: str) -> bool:
    """Return whether something answers at an address."""
    try:
        with urllib.request.urlopen(address, timeout=10):
            return True
    except OSError:
        return False


def stop(hub: subprocess.Popen) -> None:
    """End the hub, which ends its proxy and the learners' servers."""
    if hub.poll() is None:
        hub.send_signal(signal.SIGTERM)
        try:
            hub.wait(30)
        except subprocess.TimeoutExpired:
            hub.kill()
            hub.wait()


def main() -> int:
    """Install, start, say where it is, and wait for Ctrl-C."""
    install()
    port = int(os.environ.get("PORT", "8010"))
    password = secrets.token_urlsafe(6)
    state = HUB / "state"
    hub = start(port, password, state)
    print(f"Open http://127.0.0.1:{port}/ with any name and the password {password}")
    print("Homes and the log are in .cache/hub/state. Ctrl-C stops it.")
    try:
        return hub.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        stop(hub)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
