"""What the prose of a page names is there: numbers, code, files and lines of the libraries.

A number or a span of code stands in the page's own cells, in what they show, in its record or its
references, or in the sources of the libraries that are installed. What none of these holds is
listed in `prose.toml`, with the reason.
"""

import re
import tomllib
from pathlib import Path

import pytest

from bookkit import pages, shown, versions
from tests.sources import everything, identifiers, sources, squeeze

LISTED = tomllib.loads((Path(__file__).parent / "prose.toml").read_text())
FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.M | re.S)
LINK = re.compile(r"\]\(([^)]*)\)|<(https?:[^>]*)>")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*\d|(?<![\w.])\d(?!\w)")
NOTEBOOKS = pages.find_notebooks()
each_page = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def prose(path):
    """Return a page's text without its front matter and its fenced blocks."""
    text = FENCE.sub("", path.read_text().split("\n---", 1)[1])
    return re.sub(r"^\d+\. ", "", text, flags=re.M)  # the numbers of a list


def held(path):
    """Return what the page itself holds: its record, its cells and what they show."""
    text = path.read_text()
    fences = "\n".join(found[0] for found in FENCE.finditer(text))
    return "\n".join([text.split("\n---", 1)[0], fences, shown.file_of(path).read_text()])


def in_sources(span):
    """Tell whether the libraries hold a span: a file, a line, or each name of an expression."""
    if span.endswith(".py"):
        return any(file == span or file.endswith(f"/{span}") for file in sources())
    if squeeze(span) in everything():
        return True
    names = re.findall(r"[A-Za-z_]\w+", span)
    return bool(names) and all(name in identifiers() for name in names)


@each_page
def test_code_in_the_prose_is_code_of_the_page_or_of_a_library(path):
    here = held(path)
    missing = [
        span
        for span in dict.fromkeys(SPAN.findall(LINK.sub("]", prose(path))))
        if span not in here and not in_sources(span) and span not in LISTED["code"]
    ]
    assert not missing, (
        f"{path.name} names code that neither its cells, nor what they show, nor the libraries "
        f"hold: {missing}. Mend the text, or list it in tests/prose.toml with the reason."
    )


@each_page
def test_a_number_in_the_prose_comes_from_a_cell_an_output_or_a_reference(path):
    listed = {each["number"] for each in LISTED["number"] if each["page"] == path.stem}
    missing = [number for number in unheld(path) if number not in listed]
    assert not missing, (
        f"{path.name} has numbers that neither its cells, nor what they show, nor its references "
        f"hold: {missing}. Mend the text, or list it in tests/prose.toml with the reason."
    )


def unheld(path):
    """Return the numbers of a page's prose that nothing on the page holds."""
    text = prose(path)
    here = held(path) + " ".join("".join(pair) for pair in LINK.findall(text))
    known = {number.removesuffix(".0") for number in NUMBER.findall(here)}
    known |= {release.removesuffix(".0") for release in measured(path)}
    numbers = dict.fromkeys(NUMBER.findall(SPAN.sub("", LINK.sub("]", text))))
    return [number for number in numbers if number.removesuffix(".0") not in known]


def measured(path):
    """Return the releases at which the verdict on a page's failure changed."""
    return (
        set(re.findall(r"\d+\.\d+\.\d+", versions.sentence(path.stem)))
        if (path.stem in versions.load()["failures"])
        else set()
    )


def test_every_exception_is_needed():
    of_page = {path.stem: unheld(path) for path in NOTEBOOKS}
    for each in LISTED["number"]:
        assert each["number"] in of_page[each["page"]], f"prose.toml: not needed: {each}"
        assert each["why"].strip()
    texts = [prose(path) for path in NOTEBOOKS]
    for span, why in LISTED["code"].items():
        assert any(f"`{span}`" in text for text in texts), f"prose.toml: not needed: {span}"
        assert why.strip()


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("numpyro/distributions/utils.py", "numpyro/distributions/util.py"),
        ("return tuple(all_pytree_data_field)", "return tuple(all_pytree_data_fields)"),
        ("Distribution.gather_data_fields", "Distribution.gather_pytree_data_fields"),
    ],
)
def test_a_wrong_file_line_or_name_is_seen(wrong, right):
    assert in_sources(right)
    assert not in_sources(wrong)


# --- references ------------------------------------------------------------------------------

THREAD = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull|discussions)/(\d+)")
REFERENCE = re.compile(r"\[([^\]]*)\]\((https://github\.com/[^)\s]+)\)")
KINDS = {"issue": "issues", "pull request": "pull", "discussion": "discussions"}
THREADS = Path(__file__).parent / "threads.txt"
TEXTS = [*sorted(pages.BOOK.rglob("*.md")), *sorted(pages.BOOK.rglob("*.toml"))]
TEXTS += [pages.ROOT / "stacks" / "boundaries.toml"]


def misnamed(text):
    """Return the references to threads whose words are not those of their addresses."""
    found = []
    for words, address in REFERENCE.findall(text):
        thread = THREAD.match(address)
        words = squeeze(words).lower()
        numbers = re.findall(r"\d{2,}", words)
        if thread and numbers and thread[2] not in numbers:
            found.append(f"[{words}]({address})")
        elif thread and numbers:
            found += [
                f"[{words}]({address})"
                for name, part in KINDS.items()
                if words.startswith(name) and thread[1] != part
            ]
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_the_words_of_a_reference_are_those_of_its_address(path):
    assert not misnamed(path.read_text())


def test_words_that_are_not_those_of_the_address_are_seen():
    address = "https://github.com/pyro-ppl/numpyro/pull/1929"
    assert not misnamed(f"[pull\nrequest 1929]({address})")
    assert misnamed(f"[pull request 1928]({address})")
    assert misnamed(f"[issue 1929]({address})")


def test_every_thread_that_the_book_names_was_looked_up():
    named = {found[0] for path in TEXTS for found in THREAD.finditer(path.read_text())}
    known = set(THREADS.read_text().split())
    assert named == known, (
        "tests/threads.txt lists the threads that somebody has read: look up what is new "
        f"({sorted(named - known)}), then add it; take out what is gone ({sorted(known - named)})."
    )
