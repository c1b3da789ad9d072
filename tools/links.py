"""Try every link that leads out of the book, and say which do not answer: `make run M=tools.links`.

Sphinx asks; what each answered stays in `.cache/links`. The pages are read without being executed,
in a folder of their own, so the site and the executed pages stay as they are.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from tools import environments

ROOT = environments.ROOT
WORK = environments.CACHE / "links"
OUTPUT = WORK / "_build" / "html" / "output.json"  # Jupyter Book's place for it
BAD = ("broken", "timeout")


def ask() -> str:
    """Have Sphinx try the links; return its log."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    config["execute"] = {"execute_notebooks": "off"}
    file = WORK / "_config.yml"
    file.write_text(yaml.safe_dump(config))
    program = Path(sys.executable).with_name("jupyter-book")
    options = ["--builder", "linkcheck", "--config", file, "--path-output", WORK, "-q"]
    command = [str(word) for word in (program, "build", ".", *options)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout + done.stderr


def bad_links(output: str) -> dict[str, list[str]]:
    """Return each link that does not answer, with the reason and the places where it stands.

    Args:
        output: what Sphinx wrote, a line of JSON for each link and place.
    """
    found: dict[str, list[str]] = {}
    for row in map(json.loads, output.splitlines()):
        if row["status"] in BAD:
            head = f"{row['uri']} ({row['status']}: {' '.join(row['info'].split())[:160]})"
            found.setdefault(head, []).append(f"{row['filename']}:{row['lineno']}")
    return found


def main() -> int:
    """Print the links that do not answer; the status is 2 where they could not be tried."""
    print("asking, which takes minutes …", flush=True)
    log = ask()
    output = OUTPUT.read_text() if OUTPUT.exists() else ""
    if not output:
        print(log[-3000:], file=sys.stderr)
        print("error: the links could not be tried, as the lines above say.", file=sys.stderr)
        return 2
    bad = bad_links(output)
    for head, places in bad.items():
        print("\n  ".join([head, *places]))
    where = OUTPUT.relative_to(ROOT)
    print(f"{len(bad)} links do not answer; {where} has them all." if bad else "All links answer.")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
