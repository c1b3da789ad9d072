"""Which pages a change touches, and a few that are drawn beside them: what CI looks at first."""

import random
import subprocess

from bookkit import pages

DRAWN = 4


def git(*words: str) -> str:
    """Return what git says, or nothing where it cannot."""
    done = subprocess.run(["git", *words], cwd=pages.ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def base() -> str:
    """Return the commit that a change is against: where it left main, or main of a day ago."""
    fork = git("merge-base", "HEAD", "origin/main")
    if fork and fork != git("rev-parse", "HEAD"):
        return fork
    return git("rev-list", "-1", "--before=1 day ago", "HEAD") or git("rev-parse", "HEAD~1")


def touched() -> list[str]:
    """Return the files that differ from `base`, whether committed or not.

    A clone that holds one commit has nothing to compare with, and says so.
    """
    since = base()
    if not since:
        print("this clone has no earlier commit: no page is known to have changed")
    return git("diff", "--name-only", since or "HEAD").splitlines()


def sample() -> list[str]:
    """Return the pages with cells that are touched, then a few others, drawn by the commit."""
    known = [f"{pages.page_name(path)}.md" for path in pages.find_notebooks()]
    mine = [name for name in touched() if name in known]
    others = [name for name in known if name not in mine]
    return mine + random.Random(git("rev-parse", "HEAD")).sample(others, DRAWN)
