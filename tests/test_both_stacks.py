"""Cells of the other stack: `%%then` shows what happens there as if it had happened here, and
`%%both` runs one program on both.

That streams, results, figures and errors come across is what the pages show; that each outcome is
held to its own expectation, `test_chapter_plugin.py`.
"""

import os
import time
from pathlib import Path

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from myst_nb.core.render import strip_ansi

from bookkit import pages
from tests.cells import ABSENT, LOAD, run_cells
from trace_evidence.both import MIME
from trace_evidence.then import ThenKernel

pytestmark = pytest.mark.slow

PAGE = {
    "load": LOAD,
    "result": "%%then\nx = 41\nx + 1",
    "error": "%%then\nclass OddError(Exception): pass\nraise OddError(f'x is {x}')",
    "not here": "x",
    "arguments": "%%then  --fast\n1",
    "cleared": "%%then\nimport IPython.display as d\nprint('old')\nd.clear_output()\nprint('new')",
    "quiet": "%%then\nfrom tqdm.auto import tqdm\nimport numpyro.infer",
    "dies": "%%then\nimport os\nos._exit(1)",
    "fresh": "%%then\n'x' in globals()",
    "stack": "%%then\nimport os, jax, numpyro\nprint(os.getpid(), jax.__version__, "
    "numpyro.__version__)",
}
INTERRUPT_WHILE_PRINTING = """
import os, signal, trace_evidence.then as then
def interrupt_and_print(*args, **options):
    os.kill(os.getpid(), signal.SIGINT)
    print(*args, **options)
then.print = interrupt_and_print
"""
LONG = "%%then\nimport time\nprint('started')\nfor _ in range(100): time.sleep(0.1)\nx = 'ran on'"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The outputs of one page's cells."""
    outputs = run_cells(tmp_path_factory.mktemp("page"), *PAGE.values())
    return dict(zip(PAGE, outputs, strict=True))


def error_of(outputs):
    """Return the one error among a cell's outputs."""
    (error,) = [out for out in outputs if out.output_type == "error"]
    return error


def sides(outputs):
    """Return both outcomes of a cell, each as a list of outputs."""
    (shown,) = [out.data[MIME] for out in outputs if MIME in out.get("data", {})]
    return {name: side["outputs"] for name, side in shown.items()}


def test_cleared_output_is_cleared_and_imports_print_no_stray_warnings(page):
    assert "".join(out.text for out in page["cleared"]) == "new\n"
    assert page["quiet"] == []


def test_an_exception_keeps_its_traceback_and_the_state_persists_over_there(page):
    error = error_of(page["error"])
    assert (error.ename, error.evalue) == ("OddError", "x is 41")
    shown = strip_ansi("\n".join(error.traceback))
    assert "raise OddError" in shown and "trace_evidence" not in shown
    assert error_of(page["not here"]).ename == "NameError"
    assert "takes no arguments; it got '--fast'" in error_of(page["arguments"]).evalue


def test_a_kernel_that_dies_fails_the_cell_and_the_next_cell_has_a_fresh_one(page):
    error = error_of(page["dies"])
    assert error.ename == "ThenKernelDied"
    assert "the next %%then cell starts a fresh one" in error.evalue
    assert page["fresh"][0].data["text/plain"] == "False"


def test_the_kernel_runs_the_pinned_stack_and_ends_with_the_page(page):
    pid, jax, numpyro = page["stack"][0].text.split()
    pins = (pages.ROOT / "evidence" / "stacks" / "then.in").read_text().splitlines()
    assert {f"jax=={jax}", f"numpyro=={numpyro}"} <= set(pins)
    for _ in range(150):
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return
        time.sleep(0.2)
    raise AssertionError(f"process {pid} goes on")


def test_a_kernel_that_is_not_ready_in_time_is_ended_with_its_folder(monkeypatch):
    def late(client, timeout=None):
        waiting.append(Path(client.parent.connection_file).parent)
        time.sleep(0.5)  # the channels are open by then
        raise RuntimeError(f"Kernel didn't respond in {timeout} seconds")

    waiting = []
    monkeypatch.setattr(BlockingKernelClient, "wait_for_ready", late)
    with pytest.raises(RuntimeError, match="60 seconds"):
        ThenKernel()
    assert not waiting[0].exists()
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if str(waiting[0]).encode() in line]


def test_without_the_kernel_cells_say_how_to_install_it_and_the_page_goes_on(tmp_path):
    both = "%%both\nprint('still here')"
    (note,), (after,), shown = run_cells(tmp_path, LOAD, ABSENT, "%%then\n1 / 0", "2", both)[2:]
    assert "not installed, so this cell did not run" in note.text
    assert "make environments" in note.text
    assert after.data["text/plain"] == "2"
    assert "Install it with `make environments`" in sides(shown)["then"][0]["text"]
    assert sides(shown)["now"][0]["text"] == "still here\n"


def test_an_interrupt_reaches_the_other_kernel_also_while_output_is_printed(tmp_path):
    first, last = "%%then\nx = 'stopped'", "%%then\nprint(x)"
    outputs = run_cells(tmp_path, LOAD, first, INTERRUPT_WHILE_PRINTING, LONG, last)
    interrupted, after = outputs[-2:]
    assert error_of(interrupted).ename == "KeyboardInterrupt"
    printed = [out.text for out in after if out.get("name") == "stdout"]
    assert printed == ["stopped\n"], "the interrupt did not reach the kernel: see `_interrupts`"


def printed(outputs):
    """Return what a cell, or one side of it, printed."""
    return "".join(out["text"] for out in outputs if out["output_type"] == "stream")


def test_a_typo_is_called_one_on_each_stack(tmp_path):
    start, typo = "%%both\nimport jax.numpy as jnp\nzeros = jnp.zeros", "start = zeroes(2)"
    cells = [LOAD, start, typo, f"%%then\n{typo}", f"%%both\n{typo}"]
    here, there, both = run_cells(tmp_path, *cells)[2:]
    for outputs in (here, there, *sides(both).values()):
        assert "Did you mean `zeros`? Or the cell that makes it" in printed(outputs)
