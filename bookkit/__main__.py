"""Execute the pages into the book's cache: ``python -m bookkit [PAGE …]``."""

import functools
import os
import sys
from pathlib import Path

from . import execute, expectations, pages


def run(paths: list[Path]) -> int:
    """Execute the pages that are not in the cache, and check what their cells declare.

    Returns:
        0 when each page did what it says, else 1.
    """
    wrong = 0
    paths = paths or pages.find_notebooks() + pages.find_notebooks(pages.UNPUBLISHED)
    cache = execute.open_cache()
    report = functools.partial(print, flush=True)
    for path, execution in execute.execute_chapters(paths, cache, report):
        if isinstance(execution, pages.PageError):
            print(f"error: {execution}", file=sys.stderr)
            wrong += 1
            continue
        cells = [cell for cell in execution.notebook.cells if cell.cell_type == "code"]
        bad = sum(bool(expectations.check(cell)) for cell in cells)
        if bad or execution.stopped_at is not None:
            message = f"error: {path.stem}: cells are not as declared; `make test` says which"
            print(message, file=sys.stderr)
            wrong += 1
    print(f"{len(paths) - wrong} of {len(paths)} pages are ready.")
    return int(wrong > 0)


if __name__ == "__main__":
    try:
        status = run([Path(name).resolve() for name in sys.argv[1:]])
    except KeyboardInterrupt:
        print("\nInterrupted: finished pages are kept, the others run again.", file=sys.stderr)
        sys.stderr.flush()
        os._exit(130)  # the kernels end by themselves once this process is gone
    sys.exit(status)
