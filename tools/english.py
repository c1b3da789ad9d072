"""Read the prose of the project as a linter does: spelling, usage, and words the house avoids.

codespell and proselint read each text without its code, front matter, quotations and addresses.
The words that CONTRIBUTING's house style excludes are looked for besides. Part of `make lint`.

Usage: python -m tools.english [FILE ...]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import environments

ROOT = environments.ROOT
TEXTS = ("*.md", "book/**/*.md", "paper/*.md", "upstream/**/*.md", ".github/**/*.md")
GUIDE = ROOT / "CONTRIBUTING.md"  # names the words to avoid
BIN = Path(sys.executable).parent
# What stays: fences of directives whose body is prose. All other fenced text is code.
PROSE = r"note|warning|tip|admonition|exercise|solution|figure|glossary|list-table|dropdown|seealso"
FENCE = re.compile(
    r"^(?P<mark>`{3,}|:{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=mark)[ \t]*$", re.M | re.S
)
# Not asked of proselint: typesetting, which is MyST's matter; "very"; hours of the day.
PASSED_OVER = re.compile(r": (?:typography|weasel_words|dates_times)\.")
HOUSE = {
    r"in place of": "instead of",
    r"on paper(?=,)": "in practice, or in theory",
    r"simply|obviously|of course": "nothing: leave it out",
    r"behaviour|colour(?!-blind)|initialis|optimis(?!t)|normalis|summaris": "American spelling",
    r"[Nn]umpyro(?=[ .,;])|\bJax\b|[Pp]yTree|\bNumpy\b": "NumPyro, JAX, pytree, NumPy",
    r"dead tracers?|lost tracers?": "a leaked tracer",
}


def prose_of(text: str) -> str:
    """Return a page's prose, line by line where it was: code and addresses are left out."""

    def empty(match: re.Match) -> str:
        return re.sub(r"[^\n]", "", match[0])

    def fenced(match: re.Match) -> str:
        if re.match(rf"\s*\{{({PROSE})", match["info"]):
            inner = re.sub(r"^:[\w-]+:", "", match["body"], flags=re.M)
            return "\n" + FENCE.sub(fenced, inner)
        return empty(match)

    text = re.sub(r"\A---\n.*?\n---\n", empty, text, flags=re.S)
    text = FENCE.sub(fenced, text)
    text = re.sub(r"<!--.*?-->|\$\$.*?\$\$", empty, text, flags=re.S)
    count = iter(range(1_000_000))  # each span another word, so that no two look repeated
    text = re.sub(r"(?:\{[\w:-]+\})?(`+)[^`]+?\1", lambda _: f"code{next(count)}", text)
    text = re.sub(r"\"[^\"]{0,300}\"", empty, text)
    text = re.sub(r"\$[^$\n]+\$", lambda _: f"formula{next(count)}", text)
    return re.sub(r"\]\([^)\s]*\)|<?https?://[^\s>)]+>?", "]", text)


def house(name: str, prose: str) -> list[str]:
    """Return what the house style says of a text, a line each."""
    if ROOT / name == GUIDE:
        return []
    return [
        f"{name}:{prose.count(chr(10), 0, found.start()) + 1}: {found[0]!r}: write {better}"
        for words, better in HOUSE.items()
        for found in re.finditer(rf"\b(?:{words})", prose)
    ]


def run(program: str, *words: object, cwd: Path) -> list[str]:
    """Return what a linter says, a line each.

    Raises:
        environments.SetupError: it is not installed, or it failed by itself.
    """
    if not (BIN / program).exists():
        raise environments.SetupError(f"{program} is not installed: run make environments.")
    command = [str(BIN / program), *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode and not done.stdout.strip():
        raise environments.SetupError(f"{program} failed: {done.stderr.strip()[-300:]}")
    return [line.replace(f"{cwd}/", "") for line in done.stdout.splitlines() if line.strip()]


def main(files: list[str]) -> int:
    """Print what is said of the texts; the status is 1 where there is something."""
    names = files or sorted({str(f.relative_to(ROOT)) for t in TEXTS for f in ROOT.glob(t)})
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        for name in names:
            prose = prose_of((ROOT / name).read_text())
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(prose)
            said += house(name, prose)
        said += run("codespell", *names, cwd=copy)
        usage = [name for name in names if ROOT / name != GUIDE]
        usage_said = run("proselint", "check", *usage, cwd=copy)
        said += [line for line in usage_said if not PASSED_OVER.search(line)]
    print("\n".join(said) or f"{len(names)} texts read: nothing to say.")
    return int(bool(said))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
