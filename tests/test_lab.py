"""JupyterLab, as `make lab` starts it, opens a chapter as a notebook with both kernels."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from bookkit import pages

pytestmark = pytest.mark.kept("Makefile", "book/failures/lazy-pytree-drift.md")

ASKED = {
    "kernels": "api/kernelspecs",
    "chapter": "api/contents/book/failures/lazy-pytree-drift.md?type=notebook",
    "documents": "lab/api/settings/@jupyterlab/docmanager-extension:plugin",
}


def start_lab(folder):
    """Start JupyterLab on loopback; return its answers, and what it wrote into the home."""
    runtime, home = folder / "runtime", folder / "home"
    runtime.mkdir()
    home.mkdir()
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(runtime), "HOME": str(home)}
    command = [sys.executable, "-m", "jupyter", "lab", "--ip=127.0.0.1", "--port=0", "--no-browser"]
    command += ["--allow-root", f"--notebook-dir={pages.ROOT}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, env=env, **quiet)
    try:
        deadline = time.monotonic() + 120
        while not (found := list(runtime.glob("jpserver-*.json"))):
            assert server.poll() is None, "JupyterLab ended at once: run `make lab` to see why"
            assert time.monotonic() < deadline, "JupyterLab did not start"
            time.sleep(0.2)
        info = json.loads(found[0].read_text())

        def fetch(path):
            url = f"http://127.0.0.1:{info['port']}/{path}"
            request = urllib.request.Request(
                url, headers={"Authorization": f"token {info['token']}"}
            )
            while True:  # its file is there before it listens
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        return json.load(answer)
                except urllib.error.URLError as error:
                    refused = isinstance(error.reason, ConnectionRefusedError)
                    if not refused or time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)

        answers = {name: fetch(path) for name, path in ASKED.items()}
        written = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
        return {**answers, "written": written}
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def test_a_chapter_opens_as_a_notebook_with_both_kernels(tmp_path):
    lab = start_lab(tmp_path)
    assert {"python3", "then"} <= set(lab["kernels"]["kernelspecs"])
    notebook = lab["chapter"]["content"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert code[0]["source"].startswith("%load_ext trace_evidence")
    properties = lab["documents"]["schema"]["properties"]
    assert properties["defaultViewers"]["default"]["markdown"] == "Jupytext Notebook"
    assert not lab["written"], f"starting JupyterLab wrote into the home: {lab['written']}"
