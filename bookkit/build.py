"""Build the site: `python -m bookkit.build`, which `make book` calls after the pages are executed.

What was built is believed only as far as it can be checked. A record beside the site holds what it
was made from and the size and time of each of its files. It is taken away before Sphinx starts and
written when the site is whole. So after an interruption, a damaged file, or a change in what all
pages depend on, the site is built from nothing; where only pages changed, Sphinx builds those; and
where nothing changed, nothing is done.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from . import execute, languages, localized, pages

SITE = pages.BUILD / "html"
DOCTREES = pages.BUILD / ".doctrees"
RECORD = pages.BUILD / "site.json"
LOG = pages.BUILD / "log.txt"
# What every page depends on, besides what outputs do.
SHARED = ("_config.yml", "_toc.yml", "book/catalogue.toml", "book/references.bib")
SHARED_FOLDERS = ("book/_static", "book/_templates", "bookkit")
SHARED_DATA = ("stacks/*.json", "stacks/*.toml", "stacks/*.in")
SHOWN = 40
ENGLISH = languages.ENGLISH


def digest(files: Iterable[Path]) -> str:
    """Return one hash of files' names and contents."""
    found = hashlib.sha256()
    for file in files:
        found.update(f"{file.relative_to(pages.ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()


def files_below(folder: Path) -> list[Path]:
    """Return the files of a folder, without what Python compiled, in a fixed order."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    )


def shared_files() -> list[Path]:
    """Return the files on which all pages depend."""
    found = [pages.ROOT / name for name in SHARED]
    for folder in SHARED_FOLDERS:
        found += files_below(pages.ROOT / folder)
    for pattern in SHARED_DATA:
        found += sorted(pages.ROOT.glob(pattern))
    return [path for path in found if path.exists()]


def sources() -> dict[str, str]:
    """Return a hash of what all pages depend on, and one of the pages themselves."""
    shared = digest([*shared_files(), *execute.inputs(), *execute.package()])
    own = digest(path for path in files_below(pages.BOOK) if path.suffix in (".md", ".json"))
    found = {"shared": shared, "pages": own}
    built = [one.code for one in languages.wanted() if one.code != ENGLISH]
    for code in built:
        files = [path for path in files_below(languages.FOLDER / code) if path.suffix != ".mo"]
        said = {languages.catalogue(code, name) for name in languages.SHARED}
        # Sphinx knows which page has which catalogue, but not who says what is in these two.
        found[f"{code} said"] = digest(path for path in files if path in said)
        found[f"{code} pages"] = digest(path for path in files if path not in said)
    found["languages"] = " ".join(built)
    return found


def state() -> dict[str, list[int]]:
    """Return the size and the time of each file of the site."""
    found = {}
    for path in files_below(SITE):
        status = path.stat()
        found[str(path.relative_to(SITE))] = [status.st_size, status.st_mtime_ns]
    return found


def read_record() -> dict:
    """Return the record of the last whole build; empty where there is none, or a damaged one."""
    try:
        return json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}


def say_what_went_wrong(text: str) -> None:
    """Print the lines of Sphinx's log that tell what is wrong."""
    rows = text.splitlines()
    marked = [i for i, row in enumerate(rows) if re.search(r"WARNING:|ERROR:|Error\b", row)]
    shown = sorted({j for i in marked for j in range(i, min(i + 4, len(rows)))})
    for number in shown[:SHOWN] or range(max(0, len(rows) - 10), len(rows)):
        print(rows[number], file=sys.stderr)


def run(command: list[str], log: Path, site: str) -> bool:
    """Build the site in one language, with a log; tell whether it is whole."""
    print(f"building {site} …", flush=True)
    with log.open("w") as opened:
        done = subprocess.run(command, stdout=opened, stderr=opened)
    if done.returncode:
        say_what_went_wrong(log.read_text())
        cure = f"mend what the lines above name; {log.relative_to(pages.ROOT)} has the rest."
        print(f"error: {site} was not built: {cure}", file=sys.stderr)
    return done.returncode == 0


def build_english() -> bool:
    """Build the site in English, with Jupyter Book; tell whether it is whole."""
    jupyter_book = str(Path(sys.executable).with_name("jupyter-book"))
    command = [jupyter_book, "build", str(pages.ROOT), "-W", "-n", "--keep-going", "-q"]
    return run(command, LOG, "the site")


def build_edition(code: str, before: str | None, now: str) -> bool:
    """Build the site in another language; tell whether it is whole.

    Args:
        code: the language.
        before: a hash of what its catalogues said to all pages, at the last whole build.
        now: the same, of this one.
    """
    if before != now:
        shutil.rmtree(localized.doctrees(code), ignore_errors=True)
    command = [sys.executable, "-m", "bookkit.localized", code]
    return run(command, LOG.with_name(f"log-{code}.txt"), f"the site in {code}")


def main() -> int:
    """Bring the site up to date; return 0 where it is whole."""
    record, wanted = read_record(), sources()
    whole = bool(record) and record["files"] == state()
    where = SITE.relative_to(pages.ROOT)
    if whole and record["sources"] == wanted:
        print(f"The book is in {where}, and up to date: open {where}/index.html, or make serve.")
        return 0
    RECORD.unlink(missing_ok=True)
    kept = ("shared", "languages")
    if not whole or any(record["sources"].get(key) != wanted[key] for key in kept):
        shutil.rmtree(SITE, ignore_errors=True)
        for folder in (DOCTREES, *DOCTREES.parent.glob(f"{DOCTREES.name}-*")):
            shutil.rmtree(folder, ignore_errors=True)
    pages.BUILD.mkdir(exist_ok=True)
    of_english = (*kept, "pages")
    fresh = whole and all(record["sources"].get(key) == wanted[key] for key in of_english)
    if not fresh and not build_english():
        return 1
    before = record.get("sources", {})
    for code in wanted["languages"].split():
        if not build_edition(code, before.get(f"{code} said"), wanted[f"{code} said"]):
            return 1
    part = RECORD.with_suffix(".part")
    part.write_text(json.dumps({"sources": wanted, "files": state()}))
    part.replace(RECORD)
    print(f"The book is in {where}: open {where}/index.html, or run make serve.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except languages.LanguageError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("\nInterrupted: the next run builds the site from nothing.", file=sys.stderr)
        sys.exit(130)
