"""Variations of *A worker process made by fork never ends*: whether a worker comes to its end."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from evidence.variation import vary

PROGRAM = """
import concurrent.futures, multiprocessing, os
import numpy as np
import jax, jax.numpy as jnp

def total(library):
    xp = {{"jax": jnp, "numpy": np}}[library]
    return float(xp.arange(300_000.0).sum())

def compiled(_):
    return float(jax.jit(lambda x: jnp.sort(x)[-1])(np.arange(400_000.0)))

def fresh(_):
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return total("jax")

if __name__ == "__main__":
    if {parent}:
        jnp.ones(300_000).sum().block_until_ready()
    context = multiprocessing.get_context("{method}")
    {body}
"""
PROCESS = """worker = context.Process(target={target}, args=("{library}",))
    worker.start()
    worker.join({seconds})
    print(int(worker.exitcode == 0), flush=True)
    worker.kill()"""
POOL = """pool = context.Pool(1)
    try:
        print(int(pool.apply_async({target}, ("{library}",)).get({seconds}) > 0), flush=True)
    except multiprocessing.TimeoutError:
        print(0, flush=True)
    pool.terminate()"""
EXECUTOR = """pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
    future = pool.submit({target}, "{library}")
    done, _ = concurrent.futures.wait([future], {seconds})
    print(len(done), flush=True)
    for worker in pool._processes.values():
        worker.kill()"""


def ended(method, library="jax", body=PROCESS, target="total", parent=True):
    def run():
        seconds = 5 if method == "fork" else 120
        inner = body.format(target=target, library=library, seconds=seconds)
        text = PROGRAM.format(method=method, parent=parent, body=inner)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "workers.py"
            file.write_text(text)
            done = subprocess.run(
                [sys.executable, str(file)],
                capture_output=True,
                text=True,
                env=os.environ | {"JAX_PLATFORMS": "cpu"},
            )
        return int(done.stdout.split()[0])

    return run


vary("a process", "silent", "holds")(lambda: (ended("fork"), 1, ended("spawn")))
vary("a pool", "silent", "holds")(lambda: (ended("fork", body=POOL), 1, ended("spawn", body=POOL)))
vary("an executor", "silent", "holds")(
    lambda: (ended("fork", body=EXECUTOR), 1, ended("spawn", body=EXECUTOR))
)
vary("a compiled function", "silent", "holds", then=("right", "holds"))(
    lambda: (ended("fork", target="compiled"), 1, ended("spawn", target="compiled"))
)
vary("a forkserver", "silent", "holds")(lambda: (ended("fork"), 1, ended("forkserver")))
vary("NumPy in the worker", "right", "holds")(
    lambda: (ended("fork", "numpy"), 1, ended("fork", "numpy"))
)
vary("a parent that has not used JAX", "right", "holds")(
    lambda: (ended("fork", parent=False), 1, ended("spawn", parent=False))
)
vary("looks right: hiding the GPU in the worker", "silent", "falls")(
    lambda: (ended("fork"), 1, ended("fork", target="fresh"))
)
