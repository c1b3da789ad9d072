"""Print what the book costs: time as ratios, memory, and the size of what is installed.

Each figure is the median of several runs, taken one after another in this one call, and is printed
as soon as it is known. All pages with three runs take three quarters of an hour, and begin
without `_build`; with `--pages`, only these are measured, and nothing is deleted.

Usage: make bench, or python -m tools.bench --runs 1 --pages lazy-pytree-drift
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from bookkit import pages, versions
from trace_evidence import triage

PYTHONS = {"now": pages.ROOT / ".venv", "then": pages.ROOT / ".venv-then"}
# Runs cells as plain code; a cell that fails is meant to, and the next one goes on.
BARE = """
import sys, matplotlib; matplotlib.use("agg")
sys.path.insert(0, sys.argv[1])
space = {"__name__": "__main__"}
for cell in open(sys.argv[2]).read().split("#%%"):
    try: exec(cell, space)
    except Exception: pass
"""


def run(*command: object, cwd: Path = pages.ROOT) -> tuple[float, float]:
    """Run a command to its end; return its wall and CPU seconds, with its children's.

    Args:
        command: its words.
        cwd: where it runs.
    """
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {' '.join(words)} failed; mend that first.\n{done.stdout[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.monotonic() - begin, cpu


def without_checks(cells: list[str]) -> Iterator[str]:
    """Yield the cells, with the asserts of a check wherever it is called."""
    asserts: dict[str, str] = {}
    for source in cells:
        if source.startswith(("%%check ", "%check ")):
            line, _, body = source.partition("\n")
            label = line.split()[1]
            yield asserts.setdefault(label, body)
        else:
            yield source


def bare_scripts(path: Path, folder: str) -> float:
    """Return the CPU seconds of a chapter's cells as two plain scripts, one for each stack."""
    cells = [cell.source for cell in pages.read_notebook(path).cells if cell.cell_type == "code"]
    cells = list(without_checks(cells))
    old = [source.removeprefix("%%then\n") for source in cells if source.startswith("%%then")]
    new = [source for source in cells if not source.startswith("%%then")]
    new = [source.replace("%load_ext trace_evidence", "") for source in new]
    total = 0.0
    for stack, sources in (("now", new), ("then", old)):
        if sources:
            script = Path(folder, f"{path.stem}-{stack}.txt")
            script.write_text("#%%".join(sources))
            python = PYTHONS[stack] / "bin" / "python"
            bare = (python, "-c", BARE, pages.ROOT, script)
            total += run(*bare, cwd=path.parent)[1]
    return total


def suite(paths: list[Path], cache: str) -> float:
    """Return the CPU seconds of chapters under one pytest; what the cache holds is not executed."""
    return run(sys.executable, "-m", "pytest", "-q", *paths, f"--chapter-cache={cache}")[1]


def executing(path: Path, folder: str) -> tuple[float, float]:
    """Return the CPU seconds of executing a page, and the peak MB of its kernels.

    Pytest's start and its comparing are taken off, by a second run that executes nothing.
    """
    cache = tempfile.mkdtemp(dir=folder)
    first, memory = with_memory(lambda: suite([path], cache))
    return first - suite([path], cache), memory


def with_memory(command: Callable[[], float]) -> tuple[float, float]:
    """Call a function; return its result, and the peak MB of all kernels that ran meanwhile."""
    peak, stop = 0.0, threading.Event()

    def kernels() -> Iterator[float]:
        for process in psutil.Process().children(recursive=True):
            try:
                if "forkserver" in " ".join(process.cmdline()):  # itself, and what it forked
                    yield process.memory_full_info().pss / 1e6
            except psutil.Error:
                continue

    def watch() -> None:
        nonlocal peak
        while not stop.wait(0.3):
            peak = max(peak, sum(kernels()))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        return command(), peak
    finally:
        stop.set()
        thread.join()


def size_of(folder: Path) -> float:
    """Return the size of a folder in MB, as it lies on the disk."""
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            stat = os.lstat(Path(root, name))
            files[stat.st_ino] = stat.st_blocks * 512
    return sum(files.values()) / 1e6


def book_after_test() -> float:
    """Return the wall time of `make book` after `make test`, as a part of that of `make test`."""
    shutil.rmtree(pages.ROOT / "_build", ignore_errors=True)
    test = run("make", "test")[0]
    return run("make", "book")[0] / test


def triage_in_python(text: str) -> float:
    """Return the milliseconds that triage takes in Python, from rules to answer, in a new process.

    Args:
        text: the traceback.
    """
    code = (
        "import sys, time; from trace_evidence import triage; begin = time.perf_counter(); "
        "triage.triage(sys.stdin.read()); print(1000 * (time.perf_counter() - begin))"
    )
    command = [str(PYTHONS["now"] / "bin" / "python"), "-c", code]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return float(done.stdout)


def triage_in_browser(text: str) -> float | None:
    """Return the milliseconds that triage takes on a new page, or None without a browser."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if chromium is None:
        return None
    script = pages.BOOK / "_static" / "triage.js"
    code = """([text, rules]) => {
      const begin = performance.now();
      traceEvidence.triage(text, rules);
      return performance.now() - begin;
    }"""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page()
        page.add_script_tag(path=script)
        took = page.evaluate(code, [text, triage.rules()])
        browser.close()
    return took


def main() -> None:
    """Measure, with a line of progress for each step, and print the table."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--runs", type=int, default=3, help="runs for each figure")
    parser.add_argument("--pages", nargs="*", help="names of pages; all of them, if none is given")
    options = parser.parse_args()
    found = {path.stem: path for path in pages.find_notebooks()}
    if unknown := set(options.pages or []) - set(found):
        parser.error(f"no such page: {', '.join(sorted(unknown))}")
    paths = [found[name] for name in options.pages or found]
    rows = []
    print("| page | CPU s, executing | CPU s, bare scripts | peak MB of its kernels |")
    print("|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            print(f"measuring {path.stem} …", file=sys.stderr, flush=True)
            runs = [executing(path, folder) for _ in range(options.runs)]
            cpu, memory = (statistics.median(figures) for figures in zip(*runs, strict=True))
            bare = statistics.median(bare_scripts(path, folder) for _ in range(options.runs))
            rows.append((cpu, bare, memory))
            print(f"| {path.stem} | {cpu:.1f} | {bare:.1f} | {memory:.0f} |", flush=True)
        print(f"\nexecuting a page: {max(row[0] for row in rows):.1f} CPU s (aim: under 30)")
        print(f"peak memory of a page: {max(row[2] for row in rows):.0f} MB (aim: under 1000)")
        print("measuring these pages in one run of the suite …", file=sys.stderr, flush=True)
        caches = [tempfile.mkdtemp(dir=folder) for _ in range(options.runs)]
        whole = statistics.median(suite(paths, cache) for cache in caches)
    ratio_of_suite = whole / sum(row[1] for row in rows)
    print(f"suite over bare scripts, CPU: {ratio_of_suite:.2f} (aim: at most 1.3)", flush=True)
    if options.pages:
        return
    print("measuring make test and make book …", file=sys.stderr, flush=True)
    ratio = statistics.median(book_after_test() for _ in range(options.runs))
    print(f"make book after make test, wall: {ratio:.2f} of make test (aim: at most 0.25)")
    for name, environment in PYTHONS.items():
        print(f"installed size of {name}: {size_of(environment):.0f} MB")
    print_triage(options.runs)
    print_matrix()


def print_triage(runs: int) -> None:
    """Print how long triage takes on a traceback of 200 lines."""
    frame = (
        '  File "/x/site-packages/jax/_src/api.py", line 179, in reraise_with_filtered_traceback\n'
    )
    text = (frame + "    return fun(*args, **kwargs)\n") * 99
    text += "TypeError: unhashable type: 'DynamicJaxprTracer'\n"
    for name, measure in (("Python", triage_in_python), ("the browser", triage_in_browser)):
        took = [taken for _ in range(runs) if (taken := measure(text)) is not None]
        if not took:
            print(f"triage in {name}: not measured, no Chromium on this machine")
        else:
            print(f"triage in {name}: {statistics.median(took):.0f} ms (aim: under 50)")


def print_matrix() -> None:
    """Print what the version matrix took when it was measured, from its record."""
    rows = versions.load()["rows"]
    minutes = sum(row["seconds"] for row in rows) / 60
    fetched = sum(row.get("downloaded_mib", 0) for row in rows)
    print(
        f"make matrix: {len(rows)} stacks, {minutes / 2:.0f} min two at a time, "
        f"at most {fetched / 1024:.1f} GiB to download (what stacks share is fetched once)"
    )


if __name__ == "__main__":
    main()
