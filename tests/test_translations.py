"""The catalogues: what is translated agrees with the English text in all that is not language.

What is missing falls back to English, and is counted by `make translations`; what is wrong fails.
"""

# ruff: noqa: RUF001

import re
import tomllib
from calendar import month_name
from collections import Counter

import pytest
from babel.messages.catalog import Catalog
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from bookkit import entries, languages, pages, publish, translations

PARSER = MarkdownIt("commonmark").use(dollarmath_plugin)
MONTHS = [*month_name]
MONTH = re.compile(rf"\b({'|'.join(MONTHS[1:])})(?= \d)")
PLACEHOLDER = re.compile(r"\{[a-z_]+(?::[^{}]*)?\}")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
UNLINKED = re.compile(r"\](?=（)")  # it makes no link
KEPT = {"code_inline": "code", "math_inline": "formula", "html_inline": "tag"}
"""The tokens whose content stays as it is, and what they are called."""
FILES = sorted(languages.FOLDER.glob("*/LC_MESSAGES/**/*.po"))
CODES = sorted({*languages.available()} - {languages.ENGLISH})
each_language = pytest.mark.parametrize("code", CODES)


def parts(text: str) -> Counter[tuple[str, str]]:
    """Return what a text has that is the same in each language, each with its kind."""
    found: Counter[tuple[str, str]] = Counter()
    words = ""
    for token in PARSER.parseInline(text)[0].children or []:
        if token.type in KEPT:
            found[KEPT[token.type], token.content] += 1
        elif token.type == "link_open":
            found["link", str(token.attrs["href"])] += 1
        elif token.type in ("em_open", "strong_open"):
            found["emphasis", token.markup] += 1
        elif token.type == "text":
            words += f"{token.content} "
    found.update(("placeholder", one) for one in PLACEHOLDER.findall(words))
    words = MONTH.sub(lambda month: str(MONTHS.index(month[0])), PLACEHOLDER.sub(" ", words))
    found.update(("number", one) for one in NUMBER.findall(words))
    found.update(("stray mark", one) for one in re.findall(r"\*+|`+", words))
    return found


def disagreements(english: str, translated: str) -> list[str]:
    """Return what a translation has too little or too much, in words; nothing where it agrees."""
    ours, theirs = parts(english), parts(translated)
    found = [f"{kind} {text!r} is missing" for kind, text in (ours - theirs).elements()]
    more = (theirs - ours).elements()
    found += [f"{kind} {text!r} is not in the English text" for kind, text in more]
    if UNLINKED.search(translated):
        found.append("a full-width parenthesis follows a link's text: it makes no link")
    return found


def messages(file):
    """Return the messages of a catalogue that are shown."""
    return [row for row in languages.read(file) if row.id and row.string and not row.fuzzy]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(languages.FOLDER)))
def test_translations_agree_with_the_english_text(file):
    wrong = {row.id: disagreements(row.id, row.string) for row in messages(file)}
    assert not {text: found for text, found in wrong.items() if found}


def plain(text):
    """Return a text without code, links' addresses, tags, and what stands in emphasis."""
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|\*[^*]*\*", " ", text)


@each_language
def test_terms_are_used_in_one_way(code):
    terms = tomllib.loads((languages.FOLDER / code / "language.toml").read_text()).get("terms", {})
    wrong = []
    for file in (languages.FOLDER / code).rglob("*.po"):
        for row in messages(file):
            for term, word in terms.items():
                there = re.search(rf"\b{term}s?\b", plain(row.id), re.I)
                if there and word.lower() not in row.string.lower():
                    place = file.relative_to(languages.FOLDER)
                    wrong.append(f"{place}: {term!r} is {word!r}; found {row.string!r}")
    assert not wrong, "\n".join(wrong)


@each_language
def test_one_english_text_has_one_translation(code):
    found: dict[str, set[str]] = {}
    for file in (languages.FOLDER / code).rglob("*.po"):
        for row in messages(file):
            found.setdefault(" ".join(row.id.split()), set()).add(row.string)
    assert not {text: both for text, both in found.items() if len(both) > 1}


@each_language
def test_words_that_mean_something_else_are_not_used(code):
    forbidden = tomllib.loads((languages.FOLDER / code / "language.toml").read_text())["forbidden"]
    wrong = [
        f"{file.relative_to(languages.FOLDER)}: {word!r} is {forbidden[word]!r}: {row.string!r}"
        for file in (languages.FOLDER / code).rglob("*.po")
        for row in messages(file)
        for word in forbidden
        if word in row.string
    ]
    assert not wrong, "\n".join(wrong)


def test_a_changed_text_is_fuzzy_and_stays_english(tmp_path, monkeypatch):
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    old, new = Catalog(), Catalog()
    old.add("A loop keeps the old attribute of the object", "循环一直使用旧属性")
    new.add("A loop keeps the old attribute of its object")
    new.add("Cure")
    made = translations.updated(old, new, {"Cure": "对策"}, "zh_CN")
    cure, message = sorted((row for row in made if row.id), key=lambda row: row.fuzzy)
    assert message.fuzzy
    assert cure.string == "对策", "what stands in another catalogue is taken from there"
    file = languages.catalogue("zh_CN", "interface")
    file.parent.mkdir(parents=True)
    file.write_text(translations.written(made))
    try:
        languages.use("zh_CN")
        assert languages.say(message.id) == message.id
    finally:
        languages.use(languages.ENGLISH)


def test_what_was_computed_in_one_language_is_computed_anew_in_another():
    answers = (entries.cases, entries.chapters, publish.everything)
    english = [str(answer()) for answer in answers]
    try:
        languages.use("zh_CN")
        assert not [one for one in map(str, (answer() for answer in answers)) if one in english]
    finally:
        languages.use(languages.ENGLISH)
    assert [str(answer()) for answer in answers] == english


@pytest.mark.parametrize(
    "path", sorted((pages.ROOT / "bookkit").rglob("*.py")), ids=lambda p: p.stem
)
def test_nothing_is_cached_beyond_its_language(path):
    text = path.read_text()
    speaks = re.search(r"^from .*languages import .*\b(say|said)\b", text, re.M)
    assert not (speaks and "@cache\n" in text), "write @cached, of languages.py"


def test_a_text_of_one_page_is_in_its_catalogue_and_one_of_several_in_the_shared_one():
    rows = [("a.md", "both\n  pages"), ("a.md", "first"), ("a.md", "first"), ("b.md", "both pages")]
    found = translations.by_page([*rows, ("_toc.yml", "no page")])
    texts = {name: [row.id for row in one if row.id] for name, one in found.items()}
    assert texts == {"records/shared": ["both pages", "no page"], "records/a": ["first"]}


@each_language
def test_the_catalogues_have_each_text_of_the_interface_and_each_of_records_once(code):
    texts = [row.id for file in languages.records(code) for row in messages(file)]
    assert len(texts) == len(set(texts)) > 100
    wanted = {" ".join(text.split()) for _, text in translations.interface_texts()}
    there = {row.id for row in languages.read(languages.catalogue(code, "interface"))}
    assert len(wanted) > 100 and not wanted - there, "run make translations"
    gone = there - wanted - {""}
    assert not gone, f"nothing says {sorted(gone)[:3]}: mark it, or run make translations"


def test_a_language_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setenv(languages.VARIABLE, "xx")
    with pytest.raises(languages.LanguageError, match="there are en"):
        languages.wanted()
