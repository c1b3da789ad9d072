"""The kernels in which the suite executes pages are like those in which readers run them."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bookkit import kernels

# What the libraries decide when they are imported, and what a kernel gives to a cell.
LOOK = """
import json, os, signal, sys, warnings
import jax, jax.numpy, numpyro, numpyro.infer, equinox, matplotlib.figure
import numpyro.infer.autoguide, numpyro.contrib.control_flow, jax.scipy.stats, scipy.stats

found = {}
for name, module in sorted(sys.modules.items()):
    root = name.partition(".")[0]
    for key, value in list(vars(module).items()):
        if root in ("jax", "jaxlib", "numpyro", "equinox", "jaxtyping", "tqdm", "matplotlib"):
            if isinstance(value, (bool, int, float, str)):
                found[f"{name}.{key}"] = str(value)
            elif root in ("numpyro", "tqdm") and isinstance(value, type):
                found[f"{name}.{key}"] = str(value)
options = {key: str(value) for key, value in jax.config.values.items()}
state = {
    "options": options,
    "warnings": sorted(str(row) for row in warnings.filters),
    "matplotlib": matplotlib.get_backend(),
    "path": sys.path,
    "environment": {key: value for key, value in os.environ.items() if not key.startswith("JPY_")},
    "interrupt": str(signal.getsignal(signal.SIGINT)).partition(" at ")[0],
    "folder": os.getcwd(),
    "jaxpr": repr(str(jax.make_jaxpr(lambda x: x + 1)(1.0))),
    "found": found,
}
print(json.dumps(state))
"""


async def ask(manager, folder: str) -> dict:
    """Start a kernel, run `LOOK` in it, and return what it printed."""
    kernel = manager(transport="ipc", connection_file=f"{folder}/kernel.json")
    await kernel.start_kernel(env=dict(os.environ))
    forked = isinstance(kernel.provisioner.process, kernels.ForkedProcess)
    assert forked == (manager is kernels.ForkManager)
    client = kernel.client()
    client.start_channels()
    said = []
    try:
        await client.wait_for_ready(timeout=60)
        await client.execute_interactive(LOOK, timeout=120, output_hook=said.append)
    finally:
        client.stop_channels()
        await kernel.shutdown_kernel(now=True)
    parts = [one["content"]["text"] for one in said if one["msg_type"] == "stream"]
    return json.loads("".join(parts))


@pytest.mark.slow
def test_a_forked_kernel_is_like_a_readers():
    found = []
    for manager in (kernels.ForkManager, kernels.AsyncKernelManager):
        with tempfile.TemporaryDirectory(prefix="book-") as folder:  # short, as sockets need it
            found.append(asyncio.run(ask(manager, folder)))
    forked, ordinary = found
    ours, theirs = forked.pop("found"), ordinary.pop("found")
    assert forked == ordinary
    assert ours.keys() >= theirs.keys()
    assert {key: ours[key] for key in theirs} == theirs
    assert "x1b" in ordinary["jaxpr"]  # JAX colors it


START = """
import asyncio, sys, time
from bookkit import kernels

kernel = kernels.ForkManager(transport="ipc", connection_file=sys.argv[1] + "/kernel.json")
asyncio.run(kernel.start_kernel())
print(kernel.provisioner.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="no kernel is forked there")
def test_kernels_end_when_who_started_them_was_killed():
    with tempfile.TemporaryDirectory(prefix="book-") as folder:
        client = subprocess.Popen(
            [sys.executable, "-c", START, folder], stdout=subprocess.PIPE, text=True
        )
        kernel = Path("/proc", client.stdout.readline().strip())
        assert kernel.exists()
        client.kill()
        for _ in range(60):
            if not kernel.exists():
                return
            time.sleep(1)
    pytest.fail(f"process {kernel.name} is still there")
