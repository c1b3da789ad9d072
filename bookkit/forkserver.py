"""Start kernels in a twentieth of the time: import the libraries once, then fork for each kernel.

Run by `bookkit.kernels` with the Python of a kernel. Each line on standard input asks for a kernel,
as JSON with `argv`, `cwd` and `env`; the answer is its process id. Importing JAX, NumPyro and
Equinox starts no thread and no backend, so a fork made afterwards is as good as a new process: CI
executes the pages in new ones, and holds them to the outputs that forks have shown. The server ends
when its standard input does, and the kernels end with it.
"""

import builtins
import contextlib
import importlib
import json
import os
import signal
import sys
import tempfile

PRELOADED = [
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "IPython.core.completer", "comm"),
    *("numpy", "scipy.stats", "jax", "jax.numpy", "jax.scipy.stats", "numpyro", "numpyro.infer"),
    *("numpyro.infer.autoguide", "numpyro.contrib.control_flow", "equinox", "matplotlib.figure"),
]


class ZMQInteractiveShell:
    """Stands for a notebook's shell while the libraries are imported: they ask for its name.

    JAX colors a printed jaxpr, and tqdm draws a widget, where they are imported in a notebook.
    """

    config: dict = {"IPKernelApp": {}}  # noqa: RUF012


def pretend():
    """Let the libraries find themselves in a notebook, as they do in a kernel of a reader's."""
    import IPython

    shell = ZMQInteractiveShell()
    vars(builtins)["get_ipython"] = IPython.get_ipython = lambda: shell


def stop_pretending():
    """Take the stand-in away; the kernel's own shell takes its place."""
    import IPython
    from IPython.core.getipython import get_ipython

    del vars(builtins)["get_ipython"]
    IPython.get_ipython = get_ipython


def become_kernel(request, added):
    """Turn this forked process into the kernel that was asked for; does not return.

    Args:
        request: its `argv`, `cwd` and `env`.
        added: the variables that the libraries set when they were imported.
    """
    os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update({**added, **request["env"]})
    tempfile.tempdir = None  # `TMPDIR` may be another one than the server's
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A kernel ends by itself when its parent, which is this server, is gone.
    sys.argv = [*request["argv"], f"--IPKernelApp.parent_handle={os.getppid()}"]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def bury(*_):
    """Wait for what has ended, so that its CPU seconds count as this process's children's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main():
    """Answer requests until standard input ends."""
    del sys.path[0]  # this file's folder, whose modules are not the kernels'
    before = dict(os.environ)
    pretend()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks decides what is interrupted
    signal.signal(signal.SIGCHLD, bury)
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    stop_pretending()
    added = dict(os.environ.items() - before.items())
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become_kernel(json.loads(line), added)
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
