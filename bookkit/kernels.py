"""Kernels that are forked from one process which has imported the libraries already.

A new kernel spends three seconds of CPU on imports; a forked one almost none. Importing JAX,
NumPyro and Equinox starts no thread and no backend, so a fork made afterwards is as good as a new
process: once a week `.ci/run` sets `ORDINARY`, with which all kernels start as a reader's do. So
they do where the system cannot fork safely, for another Python, and with another environment.
"""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from typing import Any

from jupyter_client.manager import AsyncKernelManager

from . import shell

ORDINARY = "TRACE_EVIDENCE_ORDINARY_KERNELS"
multiprocessing.set_forkserver_preload(["bookkit.preloaded"])


def read_at_import(env: Any) -> dict[str, str]:
    """Return the variables that the libraries read when they are imported."""
    # JAX sets one of TensorFlow's when it is imported, here as in a kernel.
    read = (*(name for name in shell.READ_BY_LIBRARIES if name != "TF_"), "PYTHON")
    return {name: value for name, value in env.items() if name.startswith(read)}


AT_START = read_at_import(os.environ)


def become_kernel(argv: list[str], cwd: str, env: dict[str, str]) -> None:
    """Turn a forked process into the kernel that was asked for."""
    from ipykernel import kernelapp

    from . import preloaded

    # By this handle the server sees whether its client is there: with it, a kernel would keep the
    # server when the client was killed, and the server the kernel.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update({**preloaded.ADDED, **env})
    sys.path[:] = preloaded.PATH
    tempfile.tempdir = None  # `TMPDIR` may be another one than the server's
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A kernel ends by itself when its parent, which is the server, is gone.
    sys.argv = [*argv, f"--IPKernelApp.parent_handle={os.getppid()}"]
    kernelapp.launch_new_instance()


class ForkedProcess(ForkServerProcess):
    """A forked kernel, with what a provisioner needs of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Return None while the process runs, then its status."""
        return self.exitcode

    def wait(self) -> int | None:
        """Wait until the process is gone; return its status."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid or 0, number)


class ForkManager(AsyncKernelManager):
    """Jupyter's manager, whose kernels are forked where they are IPython's."""

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kwargs: Any) -> None:
        python, *rest = kernel_cmd
        env = kwargs["env"]
        ours = python == sys.executable and "ipykernel_launcher" in rest
        if not ours or read_at_import(env) != AT_START:
            await super()._async_launch_kernel(kernel_cmd, **kwargs)
            return
        argv = ["ipykernel_launcher", *rest[rest.index("-f") :]]
        wanted = argv, str(kwargs.get("cwd") or os.getcwd()), env
        process = ForkedProcess(target=become_kernel, args=wanted, daemon=True)
        await asyncio.get_running_loop().run_in_executor(None, process.start)
        local: Any = self.provisioner
        local.process, local.pid, local.pgid = process, process.pid, process.pid
        self._reconcile_connection_info(local.connection_info)


def manager_class() -> type[AsyncKernelManager]:
    """Return the manager for this system."""
    ordinary = sys.platform != "linux" or os.environ.get(ORDINARY)
    return AsyncKernelManager if ordinary else ForkManager
