"""Build the site: `python -m bookkit.build`, which `make book` calls after the pages are executed.

A record beside the site holds what it was made from. It is taken away before Sphinx starts and
written when the site is whole. So after an interruption, or a change in what all pages depend on,
the site is built from nothing; where only pages changed, Sphinx builds those; and where nothing
changed, nothing is done.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import execute, languages, pages

SITE = pages.BUILD / "html"
DOCTREES = pages.BUILD / ".doctrees"
RECORD = pages.BUILD / "site.txt"
LOG = pages.BUILD / "log.txt"
# What every page depends on, besides what outputs do.
SHARED = (
    *("_config.yml", "_toc.yml", "book/catalogue.toml", "book/everyday.toml"),
    *("book/references.bib", "pyproject.toml", "hub/values.yaml", "examine/trials/record.json"),
)
SHARED_FOLDERS = (
    *("book/_static", "book/_templates", "bookkit"),
    *("can_i_use", "examine/examine_model", "upstream"),
)
SHARED_DATA = ("stacks/*.json", "stacks/*.toml", "stacks/*.in")
SHOWN = 40


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


def known_files() -> tuple[list[Path], list[Path]]:
    """Return the files on which all pages depend, and those of single pages."""
    shared = [*shared_files(), *execute.inputs(), *execute.package()]
    own = [path for path in files_below(pages.BOOK) if path.suffix in (".md", ".json")]
    for language in languages.wanted():
        catalogues = files_below(languages.FOLDER / language.code)
        # Sphinx knows which page has which catalogue, but not who says what is in these.
        said = {languages.catalogue(language.code, name) for name in languages.SHARED}
        said |= {path for path in catalogues if path.suffix == ".toml"}
        shared += [path for path in catalogues if path in said]
        own += [path for path in catalogues if path not in said and path.suffix == ".po"]
    return shared, own


def sources() -> list[str]:
    """Return the languages, a hash of what all pages depend on, and one of the pages."""
    built = " ".join(language.code for language in languages.wanted())
    return [built, *map(execute.digest, known_files())]


def say_what_went_wrong(text: str) -> None:
    """Print the lines of Sphinx's log that tell what is wrong."""
    rows = text.splitlines()
    marked = [i for i, row in enumerate(rows) if re.search(r"WARNING:|ERROR:|Error\b", row)]
    shown = sorted({j for i in marked for j in range(i, min(i + 4, len(rows)))})
    for number in shown[:SHOWN] or range(max(0, len(rows) - 10), len(rows)):
        print(rows[number], file=sys.stderr)


def build(code: str) -> bool:
    """Build the site in one language, English with Jupyter Book; tell whether it is whole."""
    command = [sys.executable, "-m", "bookkit.localized", code]
    site, log = f"the site in {code}", LOG.with_name(f"log-{code}.txt")
    if code == languages.ENGLISH:
        jupyter_book = str(Path(sys.executable).with_name("jupyter-book"))
        command = [jupyter_book, "build", str(pages.ROOT), "-W", "-n", "--keep-going", "-q"]
        site, log = "the site", LOG
    print(f"building {site} …", flush=True)
    with log.open("w") as opened:
        done = subprocess.run(command, stdout=opened, stderr=opened)
    if done.returncode:
        say_what_went_wrong(log.read_text())
        cure = f"mend what the lines above name; {log.relative_to(pages.ROOT)} has the rest."
        print(f"error: {site} was not built: {cure}", file=sys.stderr)
    return done.returncode == 0


def main() -> int:
    """Bring the site up to date, one process at a time; return 0 where it is whole."""
    pages.BUILD.mkdir(exist_ok=True)
    with execute.alone(SITE, does="builds the site"):
        return bring_up_to_date()


def bring_up_to_date() -> int:
    """Build what is not there or old."""
    wanted, where = sources(), SITE.relative_to(pages.ROOT)
    record = RECORD.read_text().splitlines() if RECORD.exists() and SITE.exists() else []
    if record == wanted:
        print(f"The book is in {where}, and up to date: open {where}/index.html, or make serve.")
        return 0
    RECORD.unlink(missing_ok=True)
    if record[:2] != wanted[:2]:
        for folder in (SITE, *DOCTREES.parent.glob(f"{DOCTREES.name}*")):
            shutil.rmtree(folder, ignore_errors=True)
    with ThreadPoolExecutor() as pool:  # Sphinx uses one core a language
        if not all([*pool.map(build, wanted[0].split())]):
            return 1
    RECORD.write_text("\n".join(wanted))
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
