"""`%%then` shows what happens in the other kernel as if it had happened here."""

import time

import psutil
import pytest
from myst_nb.core.render import strip_ansi

from bookkit import pages
from tests.cells import ABSENT, LOAD, run_cells
from trace_evidence.both import MIME

pytestmark = pytest.mark.kept("stacks/then.in")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """One page's outputs, in the order of its cells after the first."""
    sources = [
        LOAD,
        "%%then\nimport sys\nprint('out')\nprint('err', file=sys.stderr)",
        "%%then\nx = 41\nx + 1",
        "%%then\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "%%then\nclass OddError(Exception): pass\nraise OddError(f'x is {x}')",
        "x",
        "%%then\nimport os\nos._exit(1)",
        "%%then\n'x' in globals()",
        "%%then  --fast\n1",
        "%%then\nimport os, jax, numpyro\nprint(os.getpid(), jax.__version__, numpyro.__version__)",
        "%%then\nimport IPython.display as d\nprint('old')\nd.clear_output()\nprint('new')",
        "%%then\nfrom tqdm.auto import tqdm\nimport numpyro.infer",
    ]
    return run_cells(tmp_path_factory.mktemp("page"), *sources)[1:]


INTERRUPT_WHILE_PRINTING = """
import os, signal, trace_evidence.then as then
def interrupt_and_print(*args, **options):
    os.kill(os.getpid(), signal.SIGINT)
    print(*args, **options)
then.print = interrupt_and_print
"""
LONG = "%%then\nimport time\nprint('started')\nfor _ in range(100): time.sleep(0.1)\nx = 'ran on'"


def error_of(outputs):
    """Return the one error among a cell's outputs."""
    (error,) = [out for out in outputs if out.output_type == "error"]
    return error


def test_streams_results_and_figures_come_across_each_as_itself(page):
    assert {(out.name, out.text) for out in page[0]} == {("stdout", "out\n"), ("stderr", "err\n")}
    (result,) = page[1]
    assert (result.output_type, result.data["text/plain"]) == ("execute_result", "42")
    (figure,) = [out for out in page[2] if "image/svg+xml" in out.get("data", {})]
    assert "#1b1f24" in figure.data["image/svg+xml"], "it is not in the book's style"


def test_an_exception_keeps_its_traceback_and_the_state_persists_over_there(page):
    error = error_of(page[3])
    assert (error.ename, error.evalue) == ("OddError", "x is 41")
    shown = strip_ansi("\n".join(error.traceback))
    assert "raise OddError" in shown and "trace_evidence" not in shown
    assert error_of(page[4]).ename == "NameError"


def test_a_kernel_that_dies_fails_the_cell_and_the_next_cell_has_a_fresh_one(page):
    error = error_of(page[5])
    assert error.ename == "ThenKernelDied"
    assert "the next %%then cell starts a fresh one" in error.evalue
    assert page[6][0].data["text/plain"] == "False"


def test_arguments_are_refused_with_what_was_given(page):
    assert "takes no arguments; it got '--fast'" in error_of(page[7]).evalue


def test_the_kernel_runs_the_pinned_stack_and_shows_what_a_notebook_would(page):
    pins = (pages.ROOT / "stacks" / "then.in").read_text().splitlines()
    assert {f"{name}=={release}" for name, release in zip(("jax", "numpyro"),
            page[8][0].text.split()[1:], strict=True)} <= set(pins)  # fmt: skip
    assert "".join(out.text for out in page[9]) == "new\n", "cleared output is cleared"
    assert page[10] == [], "imports print no stray warnings"


def test_the_kernel_ends_with_the_page(page):
    pid = int(page[8][0].text.split()[0])
    deadline = time.monotonic() + 30
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not psutil.pid_exists(pid)


def test_without_the_kernel_cells_say_how_to_install_it_and_the_page_goes_on(tmp_path):
    both = "%%both\nprint('still here')"
    (note,), (after,), (shown,) = run_cells(tmp_path, LOAD, ABSENT, "%%then\n1 / 0", "2", both)[2:]
    assert "not installed, so this cell did not run" in note.text
    assert "make book" in note.text
    assert after.data["text/plain"] == "2"
    sides = shown.data[MIME]
    assert "Install it with `make book`" in sides["then"]["outputs"][0]["text"]
    assert sides["now"]["outputs"][0]["text"] == "still here\n"


def test_an_interrupt_reaches_the_other_kernel_also_while_output_is_printed(tmp_path):
    first, last = "%%then\nx = 'stopped'", "%%then\nprint(x)"
    outputs = run_cells(tmp_path, LOAD, first, INTERRUPT_WHILE_PRINTING, LONG, last)
    interrupted, after = outputs[-2:]
    assert error_of(interrupted).ename == "KeyboardInterrupt"
    printed = [out.text for out in after if out.get("name") == "stdout"]
    assert printed == ["stopped\n"], "the interrupt did not reach the kernel: see `_interrupts`"
