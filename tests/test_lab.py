"""JupyterLab, as `make lab` starts it, opens the list of notebooks, and one with both kernels."""

import json
import os
import re
import subprocess
import sys
import time

import pytest
import requests
from requests.adapters import HTTPAdapter, Retry

from bookkit import pages
from bookkit.formats import notebooks

pytestmark = pytest.mark.slow

ASKED = {
    "kernels": "api/kernelspecs",
    "chapter": "api/contents/failures/lazy-pytree-drift.ipynb",
    "documents": "lab/api/settings/@jupyterlab/docmanager-extension:plugin",
}


@pytest.fixture
def lab(tmp_path):
    """What JupyterLab answers on loopback, and what it wrote into the home."""
    runtime, home = tmp_path / "runtime", tmp_path / "home"
    runtime.mkdir()
    home.mkdir()
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime), "HOME": str(home)}
    notebooks.bring_up_to_date(tmp_path / "notebooks")
    recipe = (pages.ROOT / "Makefile").read_text().replace("\\\n", "")
    (arguments,) = re.findall(r"-m (bookkit.run -m jupyter lab [^$]*)", recipe)
    command = [sys.executable, "-m", *arguments.split(), "--port=0", "--no-browser", "--allow-root"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=env, cwd=tmp_path, **quiet) as server:
        try:
            deadline = time.monotonic() + 120
            while not (found := list(runtime.glob("jpserver-*.json"))):
                assert server.poll() is None, "JupyterLab ended at once: run `make lab` to see why"
                assert time.monotonic() < deadline, "JupyterLab did not start"
                time.sleep(0.2)
            info = json.loads(found[0].read_text())
            answers = {name: fetch(info, path).json() for name, path in ASKED.items()}
            first = fetch(info, "").url
        finally:
            server.terminate()
    written = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
    return {**answers, "written": written, "first": first}


def fetch(info, path):
    """Return what the server answers; its file is there before it listens."""
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=Retry(connect=20, backoff_factor=0.1)))
        address = f"http://127.0.0.1:{info['port']}/{path}"
        return session.get(address, params={"token": info["token"]}, timeout=60)


def test_the_list_of_notebooks_opens_and_a_chapter_has_both_kernels(lab):
    assert {"python3", "then"} <= set(lab["kernels"]["kernelspecs"])
    notebook = lab["chapter"]["content"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert code[0]["source"].startswith("%load_ext trace_evidence")
    properties = lab["documents"]["schema"]["properties"]
    assert properties["defaultViewers"]["default"]["markdown"] == "Markdown Preview"
    assert "/lab/tree/index.md" in lab["first"]
    assert not lab["written"], f"starting JupyterLab wrote into the home: {lab['written']}"
