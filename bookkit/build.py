"""Build the site: `python -m bookkit.build`, which `make book` calls after the pages are executed.

A record beside the site holds what it was made from. It is taken away before Sphinx starts and
written when the site is whole. So after an interruption, or a change in what all pages depend on,
the site is built from nothing; where only pages changed, Sphinx builds those; and where nothing
changed, nothing is done. `make page` builds English alone. A page that is not executed has no
outputs, until `make book` executes it, and Sphinx reads it again.
"""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from trace_evidence import checkout

from . import execute, languages, pages

SITE = pages.BUILD / "html"
RECORD = execute.BUILT
SHOWN = 40  # lines of Sphinx's log, which has warnings and errors alone


def sources() -> list[str]:
    """Return the languages, and a hash of what all pages depend on."""
    own = {*checkout.files("page")}
    shared = [path for path in checkout.files("site") if path not in own]
    return [" ".join(language.code for language in languages.wanted()), execute.digest(shared)]


def build(code: str) -> bool:
    """Build the site in one language; tell whether it is whole."""
    log = pages.BUILD / f"log-{code}.txt"
    print(f"building the site in {code} …", flush=True)
    with log.open("w") as opened:
        command = [sys.executable, "-m", "bookkit.localized", code]
        done = subprocess.run(command, stdout=opened, stderr=opened)
    if done.returncode:
        print(*log.read_text().splitlines()[-SHOWN:], sep="\n", file=sys.stderr)
        cure = f"mend what the lines above name; {log.relative_to(pages.ROOT)} has the rest."
        print(f"error: the site in {code} was not built: {cure}", file=sys.stderr)
    return done.returncode == 0


def main(page: bool = False) -> int:
    """Bring the site up to date, for a page in English; one process at a time; return 0 if it is.

    The record has `sources`, and for each language a hash of the pages that it was built from.
    """
    pages.BUILD.mkdir(exist_ok=True)
    with execute.alone(SITE, does="builds the site"):
        return bring_up_to_date(page)


def bring_up_to_date(page: bool) -> int:
    """Build what is not there or old."""
    wanted, own, where = (
        sources(),
        execute.digest(checkout.files("page")),
        SITE.relative_to(pages.ROOT),
    )
    codes = [languages.ENGLISH] if page else wanted[0].split()
    record = RECORD.read_text().splitlines() if RECORD.exists() and SITE.exists() else []
    goes_on = record[:2] == wanted
    built = dict(line.split() for line in record[2:]) if goes_on else {}
    old = [code for code in codes if built.get(code) != own]
    if not old:
        print(f"The book is in {where}, and up to date: open {where}/index.html, or make serve.")
        return 0
    RECORD.unlink(missing_ok=True)
    for folder in () if goes_on else (SITE, *pages.BUILD.glob(".doctrees*")):
        shutil.rmtree(folder, ignore_errors=True)
    with ThreadPoolExecutor() as pool:  # Sphinx uses one core a language
        if not all([*pool.map(build, old)]):
            return 1
    built |= dict.fromkeys(old, own)
    RECORD.write_text("\n".join([*wanted, *map(" ".join, built.items())]))
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
