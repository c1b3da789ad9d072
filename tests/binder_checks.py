"""What Binder, a hub and a codespace give a learner works. Run by `make check PART=binder`.

A scratch copy of the checkout goes through `binder/postBuild` with an environment that holds
`binder/requirements.txt` and nothing else, as repo2docker does it. A codespace is made in the
checkout itself: its script runs `make`, as everybody does.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from bookkit import pages, taught
from tools import environments

HERE = pages.BUILD / "binder"
COPY, ENV, HOME, VOLUME = (HERE / name for name in ("copy", "env", "home", "copy/work"))
PAGE = "book/failures/lazy-pytree-drift"
IMAGE_HOME = "/home/jovyan"  # where repo2docker puts the repository
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # no tools of a user's own
# The first cells of a notebook, up to the third that runs on both stacks.
RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
cells = notebook.cells
places = [at for at, cell in enumerate(cells) if cell.source.startswith("%%both")]
notebook.cells = cells[: places[2] + 1]
NotebookClient(notebook, timeout=120, resources={"metadata": {"path": "."}}).execute()
print(nbformat.writes(notebook))
"""


def pins(lock):
    """Return the releases of JAX and NumPyro in a lock."""
    return set(re.findall(r"^(?:jax|numpyro)==(\S+)", (COPY / lock).read_text(), re.M))


def environment():
    """Return the variables of a shell in the image; how packages are found is the machine's."""
    made = ("IPYTHONDIR", "JUPYTER_", "MPLCONFIGDIR", "PYTHON", "VIRTUAL_ENV", "MAKE")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(made)}
    return {**kept, "HOME": str(HOME), "PATH": f"{ENV / 'bin'}:{SYSTEM}"}


def run(*command):
    """Run a command in the image."""
    return subprocess.run(command, cwd=COPY, env=environment(), capture_output=True, text=True)


@pytest.fixture(scope="module")
def image():
    """What `binder/postBuild` said, and what it left in the home."""
    shutil.rmtree(HERE, ignore_errors=True)
    HOME.mkdir(parents=True)
    environments.copy_sources(COPY)
    environments.run(sys.executable, "-m", "venv", ENV)
    environments.install(ENV, "--require-hashes", "-r", COPY / "binder" / "requirements.txt")
    built = run("bash", "binder/postBuild")
    yield built, [str(file.relative_to(HOME)) for file in HOME.rglob("*")]
    shutil.rmtree(HERE)


def test_binder_builds_from_its_own_lock_and_writes_nothing_outside(image):
    built, left = image
    assert built.returncode == 0, built.stdout[-1000:] + built.stderr[-2000:]
    assert not left, f"postBuild wrote into the home: {left}"
    missing = [page for page in taught.with_cells() if not (COPY / lab_file(page)).is_file()]
    assert not missing, "these have no notebook, to which a page's launch button leads"
    listed = json.loads(run("jupyter", "kernelspec", "list", "--json").stdout)
    assert {"python3", "then"} <= set(listed["kernelspecs"])


def lab_file(page):
    """Return where the notebook of a page is, from the folder that JupyterLab shows."""
    return taught.in_lab(page).removeprefix("lab/tree/")


def test_a_learners_notebook_runs_on_both_kernels_from_the_volume_of_a_hub(image):
    values = pages.parse((pages.ROOT / "binder" / "hub-values.yaml").read_text())["singleuser"]
    hook = values["lifecycleHooks"]["postStart"]["exec"]["command"]
    starts = [word.replace(IMAGE_HOME, str(COPY)) for word in hook]
    VOLUME.mkdir()
    assert values["storage"]["homeMountPath"] == f"{IMAGE_HOME}/work"
    assert run(*starts).returncode == 0
    assert (COPY / values["defaultUrl"].removeprefix("/lab/tree/")).is_file()
    notebook = VOLUME / taught.place(PAGE)
    executed = run("python", "-c", RUN, str(notebook))
    assert executed.returncode == 0, executed.stderr[-2000:]
    outputs = [
        out for cell in json.loads(executed.stdout)["cells"] for out in cell.get("outputs", ())
    ]
    html = "".join("".join(out.get("data", {}).get("text/html", "")) for out in outputs)
    shown = set(re.findall(r"[\d.]+", html))
    assert pins("evidence/stacks/then.txt") | pins("binder/requirements.txt") <= shown
    notebook.write_text("a learner's")
    assert run(*starts).returncode == 0 and notebook.read_text() == "a learner's"


def test_a_codespace_is_made_ready():
    made = subprocess.run(
        ["bash", ".devcontainer/create.sh"], cwd=pages.ROOT, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout[-1000:] + made.stderr[-1000:]
    assert (pages.ROOT / "notebooks" / "index.md").is_file()
