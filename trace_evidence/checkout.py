"""In a checkout of the book, what the package knows follows the pages.

`data.json` is not kept in git. A wheel and an sdist carry it. In a checkout it is made when
somebody asks for it and the book is another than the one that it was made from.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).with_name("data.json")
ROOT = DATA.parent.parent
MADE_FROM = {
    "requirements.txt evidence/stacks/then.txt": "outputs site",
    "_config.yml _toc.yml": "site data",
    "book/**/*.md evidence/rows/case.jsonl tests/outputs/**/*.txt": "page data",
    "book/**/*.json book/**/*.toml locale/*/LC_MESSAGES/book/**/*.po": "page",
    "book/references.bib book/_static/**/* book/_templates/**/* binder/*": "site",
    "evidence/upstream/**/* examine/trials/rows.jsonl examine/trials/about.toml": "site",
    "evidence/*.toml evidence/rows/* evidence/stacks/* evidence/can_i_use/*": "site data",
    "bookkit/**/* trace_evidence/**/* examine/examine_model/**/*": "site data",
    "locale/*/language.toml locale/*/LC_MESSAGES/records/**/*.po": "site data",
    "locale/*/LC_MESSAGES/interface.po": "site data",
}
"""What depends on which files, besides the outputs of a page on its cells and what they import:
all `outputs`, the whole `site`, a `page` of it (Sphinx sees which), and `data.json`."""


class DataError(Exception):
    """The package's own data cannot be made or read; the message says what to do."""


def is_checkout() -> bool:
    """Tell whether this package stands in a checkout, and is not installed or unpacked."""
    return (ROOT / "bookkit" / "publish.py").exists()


def files(made: str, root: Path | None = None) -> list[Path]:
    """Return what something is made from, without what Python compiled, in a fixed order."""
    names = " ".join(names for names, of in MADE_FROM.items() if made in of.split())
    patterns = names.split()
    paths = {
        path for pattern in patterns for path in (root or ROOT).glob(pattern) if path.is_file()
    }
    return sorted(path for path in paths if path.suffix != ".pyc" and path != DATA)


def digest() -> str:
    """Return a hash of all that `data.json` is made from."""
    result = hashlib.sha256()
    for path in files("data"):
        result.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return result.hexdigest()


def is_current() -> bool:
    """Tell whether the file is there, whole, and made from the book as it is."""
    try:
        return json.loads(DATA.read_text(encoding="utf-8"))["of"] == digest()
    except (OSError, ValueError, KeyError):
        return False


def bring_up_to_date() -> None:
    """Make the file, in a checkout, where it is not that of the book as it is.

    Raises:
        DataError: a page or a record is wrong, or this Python lacks what reads them.
    """
    if not is_checkout() or is_current():
        return
    folders = [str(ROOT), str(ROOT / "examine"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "bookkit.publish"], cwd=ROOT, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
    )  # fmt: skip
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise DataError(
            f"data.json cannot be made ({why}): mend that; it takes the Python of .venv."
        )
