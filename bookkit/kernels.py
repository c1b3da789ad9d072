"""Kernels that are forked from one process which has imported the libraries already.

A new kernel spends three seconds of CPU on imports; a forked one almost none. `ForkManager` is used
where the system can fork safely, which is Linux; elsewhere Jupyter's own manager starts kernels,
and everywhere with `ORDINARY` set, as readers start theirs: `.ci/run` sets it once a week.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager

SERVER = Path(__file__).with_name("forkserver.py")
ORDINARY = "TRACE_EVIDENCE_ORDINARY_KERNELS"
READ_AT_IMPORT = ("JAX_", "XLA_", "NUMPYRO_", "EQX_", "MPL", "MATPLOTLIB", "PYTHON", "TQDM")
_servers: dict[tuple, subprocess.Popen] = {}
_lock = threading.Lock()


def _server(python: str, env: dict[str, str]) -> subprocess.Popen:
    """Return the running server of a Python, started where there is none.

    What the libraries read when they are imported is the server's, so kernels that differ in that
    have servers of their own.
    """
    read = [row for row in sorted(env.items()) if row[0].startswith(READ_AT_IMPORT)]
    key = (python, *read)
    server = _servers.get(key)
    if server is None or server.poll() is not None:
        inline = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        server = _servers[key] = subprocess.Popen(
            [python, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**env, **inline},
            start_new_session=True,
        )
        atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen) -> None:
    """Let a server end, and wait for it: its kernels' CPU seconds then count as ours."""
    assert server.stdin
    server.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(timeout=5)


def fork(python: str, argv: list[str], cwd: str, env: dict[str, str]) -> int:
    """Fork a kernel; return its process id.

    Raises:
        OSError: the server ended, for instance because a library cannot be imported.
    """
    with _lock:
        server = _server(python, env)
        assert server.stdout
        print(json.dumps({"argv": argv, "cwd": cwd, "env": env}), file=server.stdin, flush=True)
        answer = server.stdout.readline()
    if not answer:
        raise OSError(f"{python} cannot start kernels: a library of the environment is broken")
    return int(answer)


class ForkedProcess:
    """A forked kernel, as far as a provisioner needs `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        """Return None while the process runs, then 0: how it ended is not known."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Return 0; the provisioner has polled until the process was gone."""
        return 0

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


class ForkManager(AsyncKernelManager):
    """Jupyter's manager, whose kernels are forked where they are IPython's."""

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kwargs: Any) -> None:
        if "ipykernel_launcher" not in kernel_cmd:
            await super()._async_launch_kernel(kernel_cmd, **kwargs)
            return
        python, *rest = kernel_cmd
        argv = ["ipykernel_launcher", *rest[rest.index("-f") :]]
        arguments = python, argv, str(kwargs.get("cwd") or os.getcwd()), kwargs["env"]
        pid = await asyncio.get_running_loop().run_in_executor(None, fork, *arguments)
        local: Any = self.provisioner
        local.process, local.pid, local.pgid = ForkedProcess(pid), pid, pid
        self._reconcile_connection_info(local.connection_info)


def manager_class() -> type[AsyncKernelManager]:
    """Return the manager for this system."""
    ordinary = sys.platform != "linux" or os.environ.get(ORDINARY)
    return AsyncKernelManager if ordinary else ForkManager
