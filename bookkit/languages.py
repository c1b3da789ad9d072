"""The book's languages: which there are, and what the book's own words are in one of them.

A language is a folder of `locale`: `language.toml` names it and its place on the site, and
`LC_MESSAGES` has its catalogues, one a page, which Sphinx reads. `interface` has the words of
directives, templates and scripts; the folder `records` has those of front matter, figures and
tables, of each page its own, and of several in `shared`. A process speaks English until `use`.
"""

import os
import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from . import shell

ROOT = shell.ROOT
FOLDER = ROOT / "locale"
ENGLISH = "en"
VARIABLE = "LANGUAGES"
"""The variable of the environment that names the editions to build; all, where it is not set."""

T = TypeVar("T")
P = ParamSpec("P")
_cached: list[Any] = []
_spoken = ENGLISH
_words: dict[str, str] = {}


class LanguageError(Exception):
    """A language that is asked for is not there, or its file is wrong; it names the cure."""


class Language(NamedTuple):
    """A language: its code as Sphinx has it, its own name, its folder on the site."""

    code: str
    name: str
    address: str

    @property
    def tag(self) -> str:
        """The language as HTML has it, such as `zh-CN`."""
        return self.code.replace("_", "-")


@cache
def available() -> dict[str, Language]:
    """Return all languages by code, English first, which has no folder of the site to itself."""
    languages = {ENGLISH: Language(ENGLISH, "English", "")}
    for file in sorted(FOLDER.glob("*/language.toml")):
        table = tomllib.loads(file.read_text())
        code = file.parent.name
        if not {"name", "address"} <= set(table):
            raise LanguageError(f"{file}: it has no `name` or no `address`; add it.")
        languages[code] = Language(code, table["name"], table["address"])
    return languages


# A wide bracket needs no blank before a Chinese character.
BLANK = re.compile(r"(?<=）) (?=[\u3400-\u9fff])")  # noqa: RUF001


def named() -> list[Language]:
    """Return the languages that `LANGUAGES` names, by code or by address: `zh_CN`, or `zh-cn`.

    Raises:
        LanguageError: it names one that is not there.
    """
    languages = []
    for name in os.environ.get(VARIABLE, "").replace(",", " ").split():
        match = [
            language
            for language in available().values()
            if name in (language.code, language.address)
        ]
        if not match:
            names = ", ".join(available())
            raise LanguageError(f"{VARIABLE}={name}: no such language; there are {names}.")
        languages += match
    return languages


def wanted() -> list[Language]:
    """Return the languages of the site to build: English, and those that `LANGUAGES` names.

    Raises:
        LanguageError: it names one that is not there.
    """
    asked = named()
    return [
        language
        for language in available().values()
        if not asked or language.code == ENGLISH or language in asked
    ]


def catalogue(code: str, name: str) -> Path:
    """Return the file of a catalogue, that of a page by the page's name."""
    return FOLDER / code / "LC_MESSAGES" / f"{name}.po"


def records(code: str) -> list[Path]:
    """Return the files of the catalogues that have the texts of records."""
    return sorted((FOLDER / code / "LC_MESSAGES" / "records").rglob("*.po"))


def read(file: Path) -> Catalog:
    """Return a catalogue; an empty one where there is no such file."""
    if not file.exists():
        return Catalog()
    with file.open("rb") as opened:
        return read_po(opened)


def use(code: str) -> None:
    """Speak a language from here on; what it does not have stays English."""
    global _spoken
    _spoken = code
    _words.clear()
    for function in _cached:
        function.cache_clear()
    for file in [catalogue(code, "interface"), *records(code)] if code != ENGLISH else ():
        for message in read(file):
            if message.id and message.string and not message.fuzzy:
                _words[" ".join(str(message.id).split())] = str(message.string)


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that computes its answer once, and anew in another language."""
    _cached.append(cache(function))
    return _cached[-1]


def of_page(page: str) -> Callable[[str], str]:
    """Return what puts a line of a page, such as a heading, into the language that is spoken."""
    messages = read(catalogue(_spoken, page)) if _spoken != ENGLISH else Catalog()

    def translated(text: str) -> str:
        message = messages.get(text)
        return str(message.string) if message and message.string and not message.fuzzy else text

    return translated


def spoken() -> Language:
    """Return the language that this process speaks."""
    return available()[_spoken]


def say(text: str, **values: object) -> str:
    """Return the book's own words in the language that is spoken, with the values put in."""
    translation = _words.get(" ".join(text.split()), text) if _words else text
    return BLANK.sub("", translation.format(**values)) if values else translation


def in_language(value: Any, *keys: str) -> Any:
    """Return a record with the texts under some keys in the language that is spoken."""
    return value | {key: say(value[key]) for key in keys if value.get(key)} if _words else value
