"""What a page of the site costs to load for the first time, in gzipped bytes by kind.

Usage: python -m tools.weight, after `make book`; `make bench` ends with it
"""

import gzip
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from urllib.request import urlopen

import yaml
from playwright.sync_api import Browser, Page, Response

from bookkit import browser, execute, pages

KINDS = ("HTML", "CSS", "JS", "fonts", "figures")
OF_TYPE = {"stylesheet": "CSS", "script": "JS", "font": "fonts", "image": "figures"}
WITHOUT_FIGURES_AND_OUTPUTS = """text => {
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const node of page.querySelectorAll(".cell_output, div.figure, svg.figure")) node.remove();
  return page.documentElement.outerHTML;
}"""


@cache
def read(address: str) -> bytes:
    """Return what stands at an address; the browser does not keep what it had already."""
    with urlopen(address) as answer:
        return answer.read()


@cache
def zipped(content: bytes) -> int:
    """Return the size of a file as a server sends it: gzipped, where that is smaller."""
    return min(len(content), len(gzip.compress(content, 6)))


def weigh(page: Page, answers: list[Response]) -> dict[str, int]:
    """Return the gzipped bytes of what a page asked for and got, by kind.

    Figures and outputs that stand in the HTML count as "figures".
    """
    sizes = dict.fromkeys(KINDS, 0)
    for answer in filter(lambda answer: answer.ok, answers):
        kind, body = answer.request.resource_type, read(answer.url)
        if kind == "document":
            sizes["HTML"] = zipped(
                page.evaluate(WITHOUT_FIGURES_AND_OUTPUTS, body.decode()).encode()
            )
            sizes["figures"] += max(0, zipped(body) - sizes["HTML"])
        else:
            sizes[OF_TYPE.get(kind, "figures")] += zipped(body)
    return sizes


def load_and_weigh(chromium: Browser, address: str) -> dict[str, int]:
    """Load a page with an empty cache and return its bytes by kind."""
    answers = []
    page = chromium.new_page()
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address, wait_until="networkidle")
    sizes = weigh(page, answers)
    page.close()
    return sizes


def build_plain(folder: Path) -> Path:
    """Build the same chapters with the default theme as it comes, and return the site's folder.

    The directives of this book stay, since the pages use them; its renderer, its style sheet, its
    templates and its formulas as MathML do not.
    """
    config = yaml.safe_load((pages.ROOT / "_config.yml").read_text())
    config["execute"]["cache"] = str(execute.CACHE)
    sphinx = config["sphinx"]
    sphinx["extra_extensions"] = ["sphinx_exercise", "bookkit.sphinx.cells"]
    sphinx["config"] = {"language": "en", "myst_heading_anchors": 3}
    file = folder / "_config.yml"
    file.write_text(yaml.safe_dump(config))
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-q", "--config", file]
    done = subprocess.run(
        [str(word) for word in [*command, "--path-output", folder]],
        cwd=pages.ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"error: the default theme's site was not built\n{done.stderr[-2000:]}")
    return folder / "_build" / "html"


def main() -> None:
    """Print a table: each page of the book by kind, and what the default theme makes of it."""
    with browser.launch() as chromium, tempfile.TemporaryDirectory() as folder:
        print("building the pages with the default theme …", file=sys.stderr, flush=True)
        plain = build_plain(Path(folder))
        print("weighing the pages …", file=sys.stderr, flush=True)
        with browser.serve() as site, browser.serve(plain) as default:
            print("First load, in kB gzipped; the default theme fetches MathJax besides.\n")
            head = [*KINDS, "without figures", "all", "default theme, all"]
            print("| page |", " | ".join(head), "|")
            print("|---|" + "---:|" * len(head))
            for path in sorted(browser.SITE.glob("book/**/*.html")):
                place = str(path.relative_to(browser.SITE))
                sizes, other = (load_and_weigh(chromium, at + place) for at in (site, default))
                total = sum(sizes.values())
                row = [*sizes.values(), total - sizes["figures"], total, sum(other.values())]
                print(f"| {path.stem} |", " | ".join(f"{size / 1e3:.0f}" for size in row), "|")


if __name__ == "__main__":
    try:
        main()
    except browser.NotReady as error:
        sys.exit(f"error: {error}")
