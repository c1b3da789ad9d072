"""JupyterHub on this machine's loopback, for `make hub`.

Every learner's server runs as you. It is for trying things out, and not for strangers.
"""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HUB = ROOT / ".cache" / "hub"  # what was installed
STATE = Path(os.environ["HUB_STATE"])  # the homes, and what the hub remembers
PORT = int(os.environ["HUB_PORT"])


def give_notebooks(spawner):
    """Copy the notebooks into a home; never over a learner's file."""
    home = STATE / "homes" / spawner.user.name
    for file in sorted((HUB / "notebooks").rglob("*.*")):
        target = home / file.relative_to(HUB)
        if file.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


c = get_config()  # type: ignore[name-defined]  # noqa: F821 - JupyterHub provides it
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORT + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 2}"
c.ConfigurableHTTPProxy.command = [
    str(HUB / "proxy" / "node_modules" / ".bin" / "configurable-http-proxy")
]
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.JupyterHub.db_url = f"sqlite:///{STATE / 'hub.sqlite'}"
c.JupyterHub.upgrade_db = True  # of an older JupyterHub; a copy of it stays beside it
c.JupyterHub.cookie_secret_file = str(STATE / "cookie-secret")
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = os.environ["HUB_PASSWORD"]
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(STATE / "homes" / "{username}")
c.Spawner.cmd = [str(HUB / "env" / "bin" / "jupyterhub-singleuser")]
c.Spawner.args = ["--allow-root"]
c.Spawner.default_url = "/lab/tree/notebooks/index.md"
c.Spawner.pre_spawn_hook = give_notebooks
c.Spawner.poll_interval = 2
c.Spawner.start_timeout = 180
c.Spawner.http_timeout = 120
c.Spawner.env_keep = ["PATH", "LANG", "JAX_PLATFORMS", "PYDEVD_DISABLE_FILE_VALIDATION"]
