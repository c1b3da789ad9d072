"""JupyterLab, as `make lab` starts it, opens a chapter as a notebook with both kernels."""

import json
import os
import subprocess
import sys
import time

import pytest
import requests
from requests.adapters import HTTPAdapter, Retry

from bookkit import pages

pytestmark = pytest.mark.slow

ASKED = {
    "kernels": "api/kernelspecs",
    "chapter": "api/contents/book/failures/lazy-pytree-drift.md?type=notebook",
    "documents": "lab/api/settings/@jupyterlab/docmanager-extension:plugin",
}


@pytest.fixture
def lab(tmp_path):
    """What JupyterLab answers on loopback, and what it wrote into the home."""
    runtime, home = tmp_path / "runtime", tmp_path / "home"
    runtime.mkdir()
    home.mkdir()
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime), "HOME": str(home)}
    command = [sys.executable, "-m", "jupyter", "lab", "--ip=127.0.0.1", "--port=0", "--no-browser"]
    command += ["--allow-root", f"--notebook-dir={pages.ROOT}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=env, **quiet) as server:
        try:
            deadline = time.monotonic() + 120
            while not (found := list(runtime.glob("jpserver-*.json"))):
                assert server.poll() is None, "JupyterLab ended at once: run `make lab` to see why"
                assert time.monotonic() < deadline, "JupyterLab did not start"
                time.sleep(0.2)
            info = json.loads(found[0].read_text())
            answers = {name: fetch(info, path) for name, path in ASKED.items()}
        finally:
            server.terminate()
    written = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
    return {**answers, "written": written}


def fetch(info, path):
    """Return what the server answers; its file is there before it listens."""
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=Retry(connect=20, backoff_factor=0.1)))
        address = f"http://127.0.0.1:{info['port']}/{path}"
        return session.get(address, params={"token": info["token"]}, timeout=60).json()


def test_a_chapter_opens_as_a_notebook_with_both_kernels(lab):
    assert {"python3", "then"} <= set(lab["kernels"]["kernelspecs"])
    notebook = lab["chapter"]["content"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert code[0]["source"].startswith("%load_ext trace_evidence")
    properties = lab["documents"]["schema"]["properties"]
    assert properties["defaultViewers"]["default"]["markdown"] == "Jupytext Notebook"
    assert not lab["written"], f"starting JupyterLab wrote into the home: {lab['written']}"
