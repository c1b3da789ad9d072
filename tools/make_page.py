"""Execute, test and build one page: `make page P=leaf-order`.

What a new page shows is kept at once; of another, `ARGS=--update` keeps what it shows now.
"""

import difflib
import subprocess
import sys
from pathlib import Path

from bookkit import __main__ as command
from bookkit import build, entries, kept_outputs, pages


def find(name: str) -> Path:
    """Return the page with a name: its slug, or its path.

    Raises:
        PageError: there is none; the message names those that are near.
    """
    by_name = {path.stem: path for path in pages.find_notebooks()}
    path = by_name.get(Path(name).stem)
    if path is None:
        without = [page for page in pages.sources() if page.stem == Path(name).stem]
        if without:
            raise pages.PageError(f"{name} has no cells: run make book LANGUAGES=en.")
        near = difflib.get_close_matches(Path(name).stem, by_name, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ": name a page below book/."
        raise pages.PageError(f"there is no page {name!r} with cells{hint}")
    return path


def main() -> int:
    """Do the three steps; return 0 where each went well."""
    try:
        path = find(sys.argv[1] if len(sys.argv) > 1 else "")
        entries.by_name()  # what is wrong in one is said here, in a line
    except pages.PageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    # What `examine` says of a finding without the book is copied from the pages.
    subprocess.run([sys.executable, "examine/texts.py"], cwd=pages.ROOT, check=True)
    failed = command.run([path])
    if path.parent == pages.CASES and not failed:  # only what the newest stacks do not know runs
        words = [sys.executable, "-m", "evidence", "case", "--newest"]
        if subprocess.run(words, cwd=pages.ROOT).returncode:
            print("Not all of the newest stacks were measured: run this again to try once more.")
    # Of a page with a red cell all else that is red would follow from it.
    tests = [f"tests/test_{name}.py" for name in ("structure", "cases", "prose") if not failed]
    options = sys.argv[2:] if kept_outputs.file_of(path).exists() else ["--update"]
    words = [sys.executable, "-m", "pytest", "-q", str(path), *tests, "-k", path.stem, *options]
    failed |= subprocess.run(words, cwd=pages.ROOT).returncode
    if failed:
        print("error: the page is not built before its cells do what they say.", file=sys.stderr)
        return 1
    failed = build.main(page=True)
    words = ["git", "status", "--short", "--untracked-files=all"]
    changed = subprocess.run(words, cwd=pages.ROOT, capture_output=True, text=True).stdout
    print(f"The page is _build/html/{pages.page_name(path)}.html.")
    print(f"To commit, when you have read them:\n{changed}" if changed else "", end="")
    return failed


if __name__ == "__main__":
    sys.exit(main())
