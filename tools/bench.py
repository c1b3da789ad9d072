"""Print what pages cost to execute: CPU seconds, and the peak memory of their kernels.

A chapter is meant to take under 30 CPU seconds, both kernels together, a case under 6, and none
more than 1 GB. Each page is executed into a cache of its own, so nothing that is kept is touched.

Usage: python -m tools.bench [PAGE ...]     python -m tools.bench lazy-pytree-drift
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bookkit import pages


def kernels(process: psutil.Process) -> Iterator[float]:
    """Yield the MB of each kernel below a process; what they share is divided."""
    try:
        for child in process.children(recursive=True):
            if "forkserver" in " ".join(child.cmdline()):  # itself, and what it forked
                yield child.memory_full_info().pss / 1e6
    except psutil.Error:  # one of them has ended
        return


def cost(path: Path, cache: str) -> tuple[float, float]:
    """Return the CPU seconds of testing a page, and the peak MB of its kernels."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", str(path), f"--chapter-cache={cache}"]
    peak = 0.0
    with subprocess.Popen(command, cwd=pages.ROOT, stdout=subprocess.DEVNULL) as running:
        watched = psutil.Process(running.pid)
        while running.poll() is None:
            peak = max(peak, sum(kernels(watched)))
            time.sleep(0.3)
    if running.returncode:
        sys.exit(f"error: {path.stem} fails; mend that first: make page P={path.stem}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, peak


def main() -> None:
    """Measure pages one after the other, a line each."""
    found = {path.stem: path for path in pages.find_notebooks()}
    names = sys.argv[1:] or list(found)
    if unknown := set(names) - set(found):
        sys.exit(f"error: no such page: {', '.join(sorted(unknown))}")
    for name in names:
        with tempfile.TemporaryDirectory() as cache:
            first, peak = cost(found[name], cache)
            again, _ = cost(found[name], cache)  # executes nothing: pytest's own time
        print(f"{name:<40} {first - again:5.1f} CPU s {peak:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
