"""Which pages a change touches, and a few that are drawn beside them: what CI looks at first."""

import os
import random
import subprocess

from bookkit import pages

DRAWN = 4
MOST = 12  # pages of a large change that are run at once; on Mondays all are


def git(*words: str) -> str:
    """Return what git says, or nothing where it cannot."""
    done = subprocess.run(
        ["git", *words], cwd=pages.ROOT, capture_output=True, encoding="utf-8", errors="replace"
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def base() -> str:
    """Return the commit that a change is against: where it left main, or main of a day ago."""
    fork = git("merge-base", "HEAD", "origin/main")
    if fork and fork != git("rev-parse", "HEAD"):
        return fork
    return git("rev-list", "-1", "--before=1 day ago", "HEAD") or git("rev-parse", "HEAD~1")


def touched() -> list[str]:
    """Return the files that differ from `base`, whether committed or not.

    A page whose front matter alone is another does what it did. A clone that holds one commit has
    nothing to compare with, and says so.
    """
    since = base()
    if not since:
        print("this clone has no earlier commit: no page is known to have changed")

    def differs(name: str) -> bool:
        before = git("show", f"{since or 'HEAD'}:{name}") if name.endswith(".md") else None
        return before is None or body(before) != now(name)

    return list(filter(differs, git("diff", "--name-only", since or "HEAD").splitlines()))


def few(names: list[str]) -> list[str]:
    """Return the names, or some drawn by the commit where there are many, and say so."""
    if len(names) <= MOST:
        return names
    print(f"{len(names)} have changed; {MOST} of them are drawn, and all are run on Mondays")
    return sorted(random.Random(git("rev-parse", "HEAD")).sample(names, MOST))


def body(text: str) -> str:
    """Return a text without front matter."""
    front, mark, rest = text.partition("\n---\n")
    return (rest if mark and front.startswith("---") else text).strip()


def now(name: str) -> str | None:
    """Return the body of a file as it is, or None where it is not there or no text."""
    try:
        return body((pages.ROOT / name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def sample() -> list[str]:
    """Return the pages with cells that are touched, then a few others, drawn by the commit."""
    with_cells = [f"{pages.page_name(path)}.md" for path in pages.find_notebooks()]
    mine = [name for name in touched() if name in with_cells]
    others = [name for name in with_cells if name not in mine]
    return few(mine) + random.Random(git("rev-parse", "HEAD")).sample(others, DRAWN)


def in_turn(names: list[str], one_in: int) -> list[str]:
    """Return of some files those of touched pages, and one in so many others; on Mondays all."""
    if os.environ.get("EVERYTHING"):
        return names
    mine = {os.path.splitext(name)[0] for name in few(touched())}
    turn = int(git("rev-parse", "HEAD")[:8] or "0", 16)
    return [
        name
        for place, name in enumerate(names)
        if os.path.splitext(name)[0] in mine or (place + turn) % one_in == 0
    ]
