"""What the prose of a page names is there: numbers, code, files and lines of the libraries.

A span of code stands in the page's own cells, in what they show, in its record, or in the sources
of the libraries; what none of these holds is listed in `prose.toml`, with the reason.
Each number, in digits or in words, is listed in `counts.txt` with the text of the page that shows
it: whoever changes the one without the other is told. Those that no text can show are `listed`,
with the reason in `prose.toml`.
"""

import itertools
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from bookkit import pages, shown
from tests import counted
from tests.counted import prose
from tests.sources import everything, identifiers, sources, squeeze

LISTED = tomllib.loads((Path(__file__).parent / "prose.toml").read_text())
LINK = re.compile(r"\]\(([^)]*)\)|<(https?:[^>]*)>")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NOTEBOOKS = pages.find_notebooks()
each_page = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def held(path):
    """Return what the page itself holds: its record, its cells and what they show."""
    text = path.read_text()
    if path not in NOTEBOOKS:
        return text
    fences = "\n".join(found[0] for found in pages.FENCE.finditer(text))
    return "\n".join([text.split("\n---", 1)[0], fences, shown.file_of(path).read_text()])


def in_sources(span):
    """Tell whether the libraries hold a span: a file, a line, or each name of an expression."""
    if span.endswith(".py"):
        return any(file == span or file.endswith(f"/{span}") for file in sources())
    if squeeze(span) in everything():
        return True
    names = re.findall(r"[A-Za-z_]\w+", span)
    if re.search(r"(?<!\w)\d", span):
        return False  # an expression with a number is the page's own
    return bool(names) and all(name in identifiers() for name in names)


@pytest.mark.kept("book/**/*.md", "tests/prose.toml", "tests/outputs")
@each_page
def test_code_in_the_prose_is_code_of_the_page_or_of_a_library(path):
    here = held(path)
    missing = [
        span
        for span in dict.fromkeys(SPAN.findall(LINK.sub("]", prose(path))))
        if not counted.NUMERIC.fullmatch(f"`{span}`")  # listed as a number
        and span not in here
        and not in_sources(span)
        and span not in LISTED["code"]
    ]
    assert not missing, (
        f"{path.name} names code that neither its cells, nor what they show, nor the libraries "
        f"hold: {missing}. Mend the text, or list it in tests/prose.toml with the reason."
    )


@cache
def written():
    """Return the texts of the repository by file, but for what is translated or printed."""
    found = {}
    for part in ("", "book", "bookkit", "hub", "stacks", "tools", "trace_evidence", "upstream"):
        files = (pages.ROOT / part).rglob("*") if part else pages.ROOT.glob("*")
        ends = (".py", ".md", ".toml", ".yml", ".yaml", ".json", ".in")
        found |= {
            file: file.read_text()
            for file in files
            if file.is_file() and (file.suffix in ends or file.name == "Makefile")
        }
    return found


@cache
def plain():
    """Return the same texts, and what the pages show, in small letters and on one line each."""
    shows = {shown.file_of(path): shown.file_of(path).read_text() for path in NOTEBOOKS}
    return {file: squeeze(text).lower() for file, text in (written() | shows).items()}


def stands_elsewhere(words, path, texts):
    """Tell whether one of the texts other than a page's own has some words."""
    return any(words in text for file, text in texts.items() if file != path)


without_cells = pytest.mark.parametrize(
    "path",
    [path for path in sorted(pages.BOOK.rglob("*.md")) if path not in NOTEBOOKS],
    ids=lambda path: path.stem,
)


@without_cells
def test_code_on_a_page_without_cells_stands_elsewhere_too(path):
    missing = [
        span
        for span in dict.fromkeys(SPAN.findall(LINK.sub("]", prose(path))))
        if not stands_elsewhere(span, path, written())
        and not in_sources(span)
        and span not in LISTED["code"]
    ]
    assert not missing, f"{path.name} names code that is nowhere else: {missing}. Mend the text."


ITALIC = re.compile(r"(?<![*\\])\*([a-z][^*`]* [^*`]*)\*(?!\*)")


@each_page
def test_words_in_italics_are_those_of_a_message_or_are_listed(path):
    here = squeeze(held(path)).lower()
    missing = [
        words
        for words in dict.fromkeys(ITALIC.findall(squeeze(prose(path))))
        if words not in here and words not in everything() and words not in LISTED["italics"]
    ]
    assert not missing, (
        f"{path.name} quotes {missing}, which no message says: mend the text, or list what is only "
        "emphasized in tests/prose.toml."
    )


@without_cells
def test_words_in_italics_on_a_page_without_cells_stand_elsewhere_too(path):
    missing = [
        words
        for words in dict.fromkeys(ITALIC.findall(squeeze(prose(path))))
        if not stands_elsewhere(words, path, plain())
        and words not in everything()
        and words not in LISTED["italics"]
    ]
    assert not missing, f"{path.name} quotes {missing}, which stands nowhere else: mend the text."


@pytest.mark.parametrize("path", counted.pages_with_numbers(), ids=lambda path: path.stem)
def test_every_number_of_the_prose_is_held_by_what_the_page_shows(path):
    rows = counted.listed().get(path.stem, [])
    now, kept = counted.phrases(path), [phrase for phrase, _ in rows]
    cure = "tests/counts.txt has the numbers of each page in order, with what holds each."
    assert now == kept, f"{path.name}: {changed(now, kept)}: look it up, then mend one. {cure}"
    here = held(path)
    wrong = [counted.unheld(*row, here, path.read_text()) for row in rows]
    assert not any(wrong), f"{path.name}: {[reason for reason in wrong if reason]}. {cure}"


def changed(now, kept):
    """Return the first number of a page that is not the listed one."""
    pairs = itertools.zip_longest(now, kept)
    one, other = next(pair for pair in pairs if pair[0] != pair[1])
    return f"the prose has {one!r} where {other!r} is listed"


def test_as_many_wrong_answers_are_refused_as_the_prose_says():
    for path in pages.FAILURES.glob("*.md"):
        text = path.read_text()
        for found in counted.REFUSED.finditer(text):
            solution = text[: found.start()].rfind("{solution-start}")
            end = text.find("{solution-end}", found.end())
            shown = len(re.findall(r"^(?:tags:|:tags:).*\bwrong\b", text[solution:end], re.M))
            said = counted.VALUES[found[1].lower()] + ("was given, and" in squeeze(found[0]))
            assert shown == said, f"{path.name}: {said} more answers, and {shown} tagged `wrong`"


@pytest.mark.parametrize(
    ("phrase", "witness", "held_by_it"),
    [
        ("five days", "days = 5", True),
        ("five days", "days = 6", False),
        ("four hundred days", "range(400)", True),
        ("three levels", "[0.0, 1.0, 2.5]", True),
        ("two levels", "[0.0, 1.0, 2.5]", False),
        ("five days", "days = 5 of another page", False),
        ("five days", "listed", True),
        ("four uses", "count: days", True),
        ("three uses", "count: days", False),
        ("two uses", "count: ^days = \\d$", True),
        ("three words", "prose: count: \\bone|two|six\\b", True),
        ("four words", "prose: count: \\bone|two|six\\b", False),
        (
            "two stacks",
            'file trace_evidence/both.py: SIDES = {"then": "then · August 2024", "now"',
            True,
        ),
        (
            "two chapters",
            "file book/catalogue.toml: count: ^message = .UnexpectedTracerError",
            True,
        ),
        (
            "three chapters",
            "file book/catalogue.toml: count: ^message = .UnexpectedTracerError",
            False,
        ),
        ("five chapters", "files: book/failures/*.md", True),
        ("six chapters", "files: book/failures/*.md", False),
        ("-2", "at = -2.0", True),
        ("-2", "range(400)", False),
    ],
)
def test_a_number_is_held_by_a_witness_that_shows_it(phrase, witness, held_by_it):
    page = "days = 5\ndays = 6\nrange(400)\n[0.0, 1.0, 2.5]\nat = -2.0  # days, days"
    assert bool(counted.unheld(phrase, witness, page, "one, two, and six")) != held_by_it


def test_every_exception_is_needed():
    assert list(counted.listed()) == [path.stem for path in counted.pages_with_numbers()]
    texts = [prose(path) for path in pages.BOOK.rglob("*.md")]
    for words in LISTED["italics"]:
        assert any(f"*{words}*" in squeeze(text) for text in texts), f"not needed: {words}"
    for span, why in LISTED["code"].items():
        assert any(f"`{span}`" in text for text in texts), f"prose.toml: not needed: {span}"
        assert why.strip()
    rows = [(page, *row) for page, rows in counted.listed().items() for row in rows]
    excepted = {(page, phrase) for page, phrase, witness in rows if witness == "listed"}
    reasons = {
        (page, phrase): why for page, of in LISTED["counts"].items() for phrase, why in of.items()
    }
    assert excepted == set(reasons), "prose.toml: the reasons are not those of the `listed` numbers"
    assert all(why.strip() for why in reasons.values())
    assert len(reasons) < 60, "find a text that shows the number, or say it in another way"


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
    known = {row for row in THREADS.read_text().split() if THREAD.match(row)}
    assert named == known, (
        "tests/threads.txt lists the threads that somebody has read: look up what is new "
        f"({sorted(named - known)}), then add it; take out what is gone ({sorted(known - named)})."
    )
