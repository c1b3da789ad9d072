"""The cell magic ``%%then``: run a cell on the kernel that holds the stack of August 2024.

The kernel is started by the first ``%%then`` cell of a notebook and ends with the notebook. What
it prints, shows and raises appears as if the cell had run here.
"""

import atexit
import builtins
import contextlib
import os
import queue
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import clear_output, publish_display_data
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.manager import KernelManager

from . import figures, names

KERNEL_NAME = "then"
INLINE = "module://matplotlib_inline.backend_inline"
REQUIRED_VARIABLE = "TRACE_EVIDENCE_REQUIRE_THEN"
MISSING = (
    "The kernel `then` (the stack of August 2024) is not installed, so this cell did not run.\n"
    "Install it with `make environments` in the book's folder, or, where you have the zip of a "
    "workshop, as `index.md` in it says. Then restart this notebook."
)
DEAD = (
    "The kernel `then` died while it ran this cell. Its variables are gone: the next %%then cell "
    "starts a fresh one, so run the page's %%then cells again from the first."
)


class ThenKernelDied(RuntimeError):
    """The process of the kernel ``then`` ended in the middle of a cell."""


class RemoteResult:
    """The value of a cell's last expression, as the other kernel represents it."""

    def __init__(self, data: dict, metadata: dict):
        self.data, self.metadata = data, metadata

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata


def remote_exception(name: str, message: str, traceback: list[str]) -> Exception:
    """Make an exception that shows as the remote one: its class name, message and traceback.

    Args:
        name: the class name of the remote exception.
        message: its text.
        traceback: the formatted lines that the other kernel sent.
    """
    base = KeyboardInterrupt if name == "KeyboardInterrupt" else Exception
    body = {"_render_traceback_": lambda self: traceback, "__module__": KERNEL_NAME}
    return type(name, (base,), body)(message)


class ThenKernel:
    """One running ``then`` kernel and the client that talks to it, over IPC sockets.

    Raises:
        NoSuchKernel: no kernel of that name is installed, or its Python is gone.
        RuntimeError: it does not answer within a minute; its process is ended.
    """

    def __init__(self):
        spec = KernelSpecManager().get_kernel_spec(KERNEL_NAME)
        if not Path(spec.argv[0]).exists():
            raise NoSuchKernel(KERNEL_NAME)
        # Socket paths are limited to about 100 characters, so they live in a short folder.
        self.folder = tempfile.TemporaryDirectory(prefix="then-")
        connection = str(Path(self.folder.name, "kernel.json"))
        self.manager = KernelManager(
            kernel_name=KERNEL_NAME, transport="ipc", connection_file=connection
        )
        # Figures look alike on both kernels, and the drawings of the book are there on both.
        # A link to this package alone: beside it may lie the newest stack.
        package = Path(__file__).parent
        Path(self.folder.name, package.name).symlink_to(package, target_is_directory=True)
        paths = [self.folder.name, os.environ.get("PYTHONPATH", "")]
        paths = os.pathsep.join(filter(None, paths))
        env = {"MATPLOTLIBRC": str(figures.STYLE), "PYTHONPATH": paths, "MPLBACKEND": INLINE}
        options = [
            "--InlineBackend.figure_formats=svg",
            "--IPKernelApp.extra_extensions=trace_evidence.tracebacks",
        ]
        # XLA stops at a flag that it does not know, and this one is older than most.
        outer = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
        self.manager.start_kernel(env={**outer, **env}, extra_arguments=options)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        try:
            self.client.wait_for_ready(timeout=60)
        except BaseException:  # it is too late, or interrupted: nobody would end it
            self.shutdown()
            raise

    def shutdown(self) -> None:
        """End the kernel's process and remove its sockets."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.folder.cleanup()

    def messages(self, code: str) -> Iterator[tuple[str, dict]]:
        """Run a cell; yield the kind and the content of each message about it, as they come.

        Raises:
            ThenKernelDied: the process ended before the cell did.
        """
        with self._interrupts():
            # Else a cell that fails makes the kernel drop, unseen, what comes right after it.
            request = self.client.execute(code, allow_stdin=False, stop_on_error=False)
            while True:
                message = self._next_message()
                if message["parent_header"].get("msg_id") != request:
                    continue
                kind, content = message["msg_type"], message["content"]
                if kind == "status" and content["execution_state"] == "idle":
                    return
                yield kind, content

    def run(self, code: str):
        """Run a cell, and pass on what it prints and shows as it comes.

        Returns:
            The `RemoteResult` of the last expression, or None.

        Raises:
            ThenKernelDied: the process ended before the cell did.
            Exception: the cell raised; see `remote_exception`.
        """
        result = error = None
        for kind, content in self.messages(code):
            if kind == "stream":
                print(content["text"], end="", file=getattr(sys, content["name"]), flush=True)
            elif kind == "display_data":
                publish_display_data(content["data"], content["metadata"])
            elif kind == "clear_output":
                clear_output(content["wait"])
            elif kind == "execute_result":
                result = RemoteResult(content["data"], content["metadata"])
            elif kind == "error":
                error = remote_exception(content["ename"], content["evalue"], content["traceback"])
        if error is not None:
            raise error
        return result

    def advice(self, shell, message: str) -> str:
        """Return what to do about a name that is not defined there, from the error's message."""
        messages = self.messages("print(*dir(), *dir(__builtins__))")
        names_there = "".join(
            content["text"] for kind, content in messages if kind == "stream"
        ).split()
        made = names.made_in_notebook(shell, there=True)
        return names.advice(names.undefined(message), names_there, made)

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Pass an interrupt on to the kernel, wherever this process is when it comes."""
        interrupt = lambda *_: os.kill(self.manager.provisioner.pid, signal.SIGINT)  # noqa: E731
        try:
            before = signal.signal(signal.SIGINT, interrupt)
        except ValueError:  # not the main thread, and only that one is interrupted
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _next_message(self) -> dict:
        """Wait for the next message; raise `ThenKernelDied` if none can come any more."""
        while True:
            try:
                return self.client.get_iopub_msg(timeout=0.5)
            except queue.Empty:
                if not self.manager.is_alive():
                    raise ThenKernelDied(DEAD) from None


def show_missing_name(shell, kind, error, traceback, tb_offset=None) -> None:
    """Show a `NameError`, and say what to do about the name; an IPython handler."""
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
    if error.name and error.name not in dir(builtins):
        advice = names.advice(error.name, shell.user_ns, names.made_in_notebook(shell))
        print(f"`{error.name}` is not defined. {advice}")


@magics_class
class ThenMagics(Magics):
    """Holds the page's ``then`` kernel, started when the first cell needs it."""

    shell: InteractiveShell
    kernel: ThenKernel | None = None

    @cell_magic
    def then(self, line: str, cell: str):
        """Run the cell on the stack of August 2024."""
        if line.strip():
            raise ValueError(f"%%then takes no arguments; it got {line.strip()!r}.")
        kernel = self.started()
        if kernel is None:
            print(MISSING)
            return None
        try:
            return kernel.run(cell)
        except Exception as error:
            if type(error).__name__ == "NameError":
                advice = kernel.advice(self.shell, str(error))
                print(f"{error}: the %%then cells have their own variables. {advice}")
            raise

    def started(self) -> ThenKernel | None:
        """Return the page's kernel, started if need be, or None where none is installed.

        Raises:
            RuntimeError: none is installed, and `REQUIRED_VARIABLE` says that one must be.
        """
        if self.kernel is not None and not self.kernel.manager.is_alive():
            self.end()
        if self.kernel is None:
            try:
                self.kernel = ThenKernel()
            except NoSuchKernel:
                if os.environ.get(REQUIRED_VARIABLE):
                    raise RuntimeError(MISSING) from None
                return None
            atexit.register(self.end)
        return self.kernel

    def end(self) -> None:
        """End the kernel, if one runs."""
        if self.kernel is not None:
            self.kernel.shutdown()
            self.kernel = None
            atexit.unregister(self.end)
