"""Run the book on a JupyterHub, on this machine's loopback: `make hub`.

What it needs goes into `.cache/hub`: an environment with JupyterHub and what a learner's server
needs, the proxy from npm, and the learners' homes.
"""

import hashlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tools import environments

ROOT = environments.ROOT
HUB = ROOT / ".cache" / "hub"
LOCK = ROOT / "hub" / "requirements.txt"
START_SECONDS = 90


def install() -> None:
    """Bring the hub's environment, its proxy and the learners' notebooks up to date."""
    if not shutil.which("npm"):
        raise environments.SetupError(
            "JupyterHub's proxy comes from npm, and there is none: on Debian `apt install npm`, "
            "on macOS `brew install node`; then run make hub again."
        )
    HUB.mkdir(parents=True, exist_ok=True)
    env = HUB / "env"

    def make_env() -> None:
        print("Installing JupyterHub into .cache/hub/env …", flush=True)
        environments.install_lock(env, LOCK, environments.NOW / "bin" / "python")
        environments.install_package(env)

    environments.ensure(env, environments.stamp(LOCK.read_text()), make_env)
    environments.register(env)
    proxy = HUB / "proxy"
    lock = (ROOT / "hub" / "package-lock.json").read_bytes()
    wanted = hashlib.sha256(lock).hexdigest()
    mark = proxy / "complete"
    if not (mark.is_file() and mark.read_text() == wanted):
        print("Installing configurable-http-proxy with npm …", flush=True)
        shutil.rmtree(proxy, ignore_errors=True)
        proxy.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(ROOT / "hub" / name, proxy / name)
        npm = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        npm += ["--prefix", str(proxy), "--cache", str(HUB / "npm")]
        environments.run(*npm, cure="npm could not install the proxy: check the network.")
        shutil.rmtree(HUB / "npm", ignore_errors=True)
        mark.write_text(wanted)
    command = [sys.executable, "-m", "bookkit.formats.notebooks", "_build/workshop/student"]
    environments.run(*command, cure="The student notebooks could not be made: see make workshop.")


def free_ports(first: int) -> int:
    """Return the first of three free ports in a row, at or after a number."""
    for port in range(first, first + 200):
        try:
            for number in range(port, port + 3):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", number))
        except OSError:
            continue
        return port
    raise environments.SetupError(f"no three free ports after {first}: close other servers.")


def start(port: int, password: str, state: Path) -> subprocess.Popen:
    """Start the hub, and wait until it answers.

    Args:
        port: of three free ones in a row, the first.
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
            where = log.relative_to(ROOT)
            raise environments.SetupError(f"the hub does not start; {where} says why.")
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
    port = free_ports(int(os.environ.get("PORT", "8010")))
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
