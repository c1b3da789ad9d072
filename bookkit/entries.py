"""What the book knows of each failure: its entry, in the front matter of the page that shows it.

A page of `book/failures` or `book/cases` has one `entry`, named as its file is. A page of
`book/errors`, and the page of the families, has several `entries`, by name. `Entry` says what each
key means, and `KEYS` which ones an entry of each form has. Cards, tables, both searches, the error
index, the reader's package and the version matrix are made from here.

The cells of a case are its proof: those of *What you see* make the program that goes wrong, those
of *Cure* the one that does not.
"""

import ast
import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import fastjsonschema

from bookkit import forms, pages, versions
from bookkit.languages import cached, in_language, say
from trace_evidence.narrowing import SEE, WHERE
from trace_evidence.triage import CLAIM
from trace_evidence.words import translatable

CHAPTER, CASE, ERROR, FAMILY = "chapter", "case", "everyday", "family"
FAMILIES = pages.BOOK / "reference" / "families.md"
ERRORS = pages.BOOK / "errors"
KEYS = {  # the keys that an entry must have, and those that it may have
    CHAPTER: (
        "see where symptom message cause cure question wordings upstream decided_by moved_by",
        "evidence undecided_with once phrases",
    ),
    CASE: (
        "see where whose library family symptom phrases costs cause cure upstream",
        "wordings evidence question severity decided_by tolerance examine",
    ),
    ERROR: (
        "title symptom cure link wordings",
        "topic program only evidence question look phrases",
    ),
    FAMILY: ("title see where symptom cure phrases", "link"),
}
KINDS = translatable({"silent": "Silent", "loud": "Loud"})
OWNERS = translatable(
    {
        "library": "a defect of the library",
        "documented": "a limit that the library documents",
        "yours": "a mistake in the program",
    }
)
LIBRARIES = {
    **{"numpyro": "NumPyro", "jax": "JAX", "equinox": "Equinox", "optax": "Optax"},
    **{"flax": "Flax", "diffrax": "Diffrax", "python": "Python"},
}
SEVERITIES = translatable(
    {  # silently wrong at ordinary sizes; silently wrong in a corner; loud, or waste only
        1: "wrong results",
        2: "wrong in a corner",
        3: "time or memory",
    }
)
STACKS = translatable({"now": "Now", "then": "In August 2024"})
CHOICES: dict[str, Collection] = {
    **{"whose": OWNERS, "library": LIBRARIES, "severity": SEVERITIES, "only": STACKS},
}
TEXTS = ("title", "symptom", "cause", "cure", "costs", "question")
# What a program says where the stack lacks what it imports, and the errors that are about that.
LACKING = ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError")
MISSING = ("missing-package", "removed-api")
WASTE = ("slow", "memory", "hang")  # what one sees where answers are right
SILENT = re.compile(r"^ *:?tags: .*\b(silent-failure|fixed)\b", re.M)
SECTIONS = ["What you see", "Why", "Cure", "Is my code hit?"]


def phrase_pattern(text: str) -> str:
    """Return a regular expression for a wording, the same in Python and in JavaScript.

    A space matches any run of spaces and line ends, since terminals wrap; `…` matches at most 160
    characters of one line, and nothing at the beginning, where it would be tried at every place.
    """
    literal = re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", text.lstrip("… "))
    return literal.replace("…", r"[^\n]{0,160}?").replace(" ", r"[ \n]+")


@dataclass(frozen=True)
class Wording:
    """One wording of a failure's message.

    It is backed by a real message: one that a cell of the book or the entry's program prints, or
    one that a program of `evidence/wordings.toml` provoked. Where none can be had, `source` says
    what does: `report`, in `tests/reports/tuning.toml`, or `documentation`, of a library.
    """

    type: str  # the exception's or the warning's class name
    text: str = ""  # as the error index shows it; `…` stands for what varies within a line
    pattern: str = ""  # a regular expression for it, where `text` does not make the right one
    points: int = CLAIM  # how much it says; less than `CLAIM` needs evidence to name the failure
    section: str = ""  # the part of the page that has the cure, where it is not the usual one
    source: str = ""  # what backs it, where neither a cell nor a program does
    note: str = ""  # what the message is, where it says nothing by itself

    @property
    def regex(self) -> str:
        """The regular expression that the triage looks for."""
        if not self.pattern:
            return phrase_pattern(self.text)
        bare = self.pattern.removeprefix("^").removesuffix("$")
        return bare.replace(" ", r"[ \n]+")


@dataclass(frozen=True)
class Evidence:
    """Something else in the text that speaks for a failure, or against it."""

    pattern: str  # a regular expression
    points: int = 1  # what it adds; less than nothing speaks against
    means: str = ""  # what it shows, in a few words


@dataclass(frozen=True)
class Entry:
    """What the book knows of one failure."""

    name: str  # its name everywhere: that of the file, or its key
    form: str  # a key of `KEYS`
    page: str  # the page that shows it, from the root of the repository, without its suffix
    title: str  # what it is called; a chapter's and a case's is the heading of its page
    symptom: str  # what a reader sees, or what went wrong, in a sentence
    cure: str  # what to change, or to try first, in a sentence
    see: tuple[str, ...] = ()  # what one sees, the most telling first: keys of `SEE`
    where: tuple[str, ...] = ()  # where it shows, the most telling first: keys of `WHERE`
    cause: str = ""  # why it happens, in a sentence
    question: str = ""  # what tells look-alikes apart
    wordings: tuple[Wording, ...] = ()  # those that its message has had
    evidence: tuple[Evidence, ...] = ()  # what else to look for; a case's that has any needs some
    phrases: tuple[str, ...] = ()  # how people put it who do not know the cause, a few words each
    # What the trackers say: mappings with `text` and `url`, or one with `not_reported`, the words
    # that were searched for.
    upstream: tuple[dict, ...] = ()
    decided_by: tuple[str, ...] = ()  # whose releases decide; the first repaired it, or would
    # --- of a chapter
    # What moved each boundary that was measured: mappings of `library`, `release`, `pull`, `says`.
    moved_by: tuple[dict, ...] = ()
    message: str = ""  # the line to look for, as a reader's screen shows it
    undecided_with: tuple[str, ...] = ()  # chapters with the same messages; each has the other's
    once: tuple[str, ...] = ()  # sections that are cases now; old links lead to the table of cases
    # --- of a case
    kind: str = ""  # a key of `KINDS`: silent, where a cell is tagged so
    whose: str = ""  # a key of `OWNERS`
    library: str = ""  # a key of `LIBRARIES`: the one whose behavior it is
    family: str = ""  # the chapter or the family that it belongs to
    # A key of `SEVERITIES`, judged from `costs`; the index sorts by it. It is written where a wrong
    # answer is not 1, and all else not 3.
    severity: int = 0
    costs: str = ""  # how wrong it is, how likely, and when it may be ignored, in two sentences
    tolerance: float = 1e-3  # how far `got`, `expected`, `cured` may differ and agree, relative
    examine: str = ""  # the check of `examine` that finds it in a model, if one does
    # --- of an everyday error; its library is that of the page, `jax-loops` say
    topic: str = ""  # what it is about, where the page does not say it
    link: str = ""  # the best page about it: an address, or a page of this book; a family's, too
    program: str = ""  # a short one that raises it, or nothing where no machine here can
    only: str = ""  # the one stack, a key of `STACKS`, on which the program raises it
    look: tuple[str, ...] = ()  # chapters and cases that it looks like

    @property
    def place(self) -> str:
        """Where the book has it: the page, and the section on it; a family may have a page."""
        if self.form == FAMILY and self.link:
            return self.link
        anchors = {ERROR: f"#{self.name}", FAMILY: f"#family-{self.name}"}
        return self.page + anchors.get(self.form, "")

    @property
    def wasteful(self) -> bool:
        """Whether the answers are right, and time or memory is lost without an error."""
        return self.see[0] in WASTE

    @cached_property
    def cells(self) -> list[pages.Cell]:
        """The code cells of the page."""
        return pages.code_cells(pages.path_of(self.page))


# --- reading ---------------------------------------------------------------------------------


def form_of(page: Path) -> str:
    """Return the form of a page's entries; empty where it has none."""
    folders = {pages.FAILURES: CHAPTER, pages.CASES: CASE, ERRORS: ERROR}
    if page == FAMILIES:
        return FAMILY
    return folders.get(page.parent, "") if page.stem != "index" else ""


@cached
def checks() -> dict[str, Callable]:
    """Return what checks an entry, by its form."""
    text, pattern = forms.TYPES[str], {"type": "string", "format": "regex"}
    pattern["description"] = "escape what is meant literally, or quote it in single quotes."
    listed = ", with `text` and `url`, or with `not_reported` alone."
    links = dict.fromkeys(("text", "url", "says", "not_reported"), text)
    either = [{"required": ["not_reported"], "maxProperties": 1}, {"required": ["text", "url"]}]
    from examine_model.report import NAMES  # which a book without cases does not need

    one_of = {name: {"enum": [*choices]} for name, choices in CHOICES.items()}
    one_of["examine"] = {"enum": [*NAMES]}
    moved = dict.fromkeys(("library", "release", "pull", "says"), text)
    moved_by = forms.mapping(
        moved, [*moved], description="a mapping of library, release, pull, says."
    )
    upstream = forms.mapping(links, [], anyOf=either, description=f"a mapping{listed}")
    families = [*(page.stem for page in sorted(pages.FAILURES.glob("*.md"))), *names_of_families()]
    parts = {
        "wordings": forms.form(Wording, pattern=pattern, text={"minLength": 0}),
        "evidence": forms.form(Evidence, pattern=pattern | {"minLength": 0}),
        "upstream": upstream,
        "see": {"enum": [*SEE]},
        "where": {"enum": [*WHERE]},
        "decided_by": {"enum": [*versions.TITLES]},
        "moved_by": moved_by,
    }
    items = {key: {"type": "array", "items": part} for key, part in parts.items()}
    rules: dict[str, Any] = {**one_of, **items, "family": {"enum": families}}
    rules["tolerance"] = {"exclusiveMinimum": 0, "description": "write a number above 0."}
    compiled = {}
    for form, (must, may) in KEYS.items():
        schema = forms.form(Entry, f"{must} {may}".split(), must.split(), **rules)
        compiled[form] = fastjsonschema.compile(schema)
    return compiled


def names_of_families() -> list[str]:
    """Return the names of the families beyond the chapters, in the order of their page."""
    return [*pages.front_matter(FAMILIES).get("entries", {})]


def read(page: Path) -> Iterator[Entry]:
    """Yield the entries of one page.

    Raises:
        PageError: one is not whole, has a key that is not known, or a value that is not.
    """
    form, front, text = form_of(page), pages.front_matter(page), pages.read(page)
    alone = form in (CHAPTER, CASE)
    records = {page.stem: front.get("entry")} if alone else front.get("entries", {})
    for name, record in records.items():
        if wrong := forms.problem(record, checks()[form]):
            key, reason, cure = wrong
            begin = 0 if alone else text.index(f"\n  {name}:")
            place = re.search(rf"^ *{re.escape(key or 'entry')}:", text[begin:], re.M)
            line = text[: begin + (place.start() if place else 0)].count("\n") + 1
            where = "" if alone else f"{name}: "
            raise pages.PageError(f"{page.name}:{line}: {where}{reason}; {cure}")
        yield made(name, form, pages.page_name(page), record)


def made(name: str, form: str, page: str, keys: Any) -> Entry:
    """Return an entry as its page has it, in the language that is spoken."""
    keys = {key: tuple(part) if isinstance(part, list) else part for key, part in keys.items()}
    keys["wordings"] = tuple(
        Wording(**in_language(item, "note")) for item in keys.get("wordings", ())
    )
    keys["evidence"] = tuple(
        Evidence(**in_language(item, "means")) for item in keys.get("evidence", ())
    )
    keys["upstream"] = tuple(in_language(item, "text", "says") for item in keys.get("upstream", ()))
    keys["moved_by"] = tuple(in_language(item, "says") for item in keys.get("moved_by", ()))
    keys["phrases"] = tuple(map(say, keys.get("phrases", ())))
    keys["program"] = keys.get("program", "").strip("\n")
    if form in (CHAPTER, CASE):
        keys["title"] = pages.title(page)
    if form == CASE:
        silent = SILENT.search(pages.read(pages.path_of(page)))
        keys["kind"] = "silent" if silent else "loud"
        keys.setdefault("severity", 3 if not silent or keys["see"][0] in WASTE else 1)
        keys.setdefault("decided_by", (keys["library"] if keys["library"] != "python" else "jax",))
    if form == ERROR:
        keys["library"], _, topic = page.rpartition("/")[2].partition("-")
        keys.setdefault("topic", topic)
    return Entry(name=name, form=form, page=page, **in_language(keys, *TEXTS))


@cached
def by_name() -> dict[str, Entry]:
    """Return all entries by name: chapters and families in the order of the book, cases, errors.

    Cases stand by family, in each what costs most first, and silent before loud.
    """
    by_form: dict[str, list[Entry]] = {form: [] for form in (CHAPTER, FAMILY, CASE, ERROR)}
    for path in (pages.path_of(entry.page) for entry in pages.contents()):
        if form := form_of(path):
            by_form[form] += read(path)
    by_form[CASE].sort(
        key=lambda case: (case.family, case.severity, case.kind == "loud", case.name)
    )
    return {entry.name: entry for some in by_form.values() for entry in some}


def of(form: str) -> dict[str, Entry]:
    """Return the entries of a form by name."""
    return {name: entry for name, entry in by_name().items() if entry.form == form}


def chapters() -> dict[str, Entry]:
    """Return the failures of the chapters by name, in the order of the book."""
    return of(CHAPTER)


def cases() -> dict[str, Entry]:
    """Return the cases by name."""
    return of(CASE)


def errors() -> dict[str, Entry]:
    """Return the everyday errors by name."""
    return of(ERROR)


def families() -> dict[str, Entry]:
    """Return the families beyond the chapters by name."""
    return of(FAMILY)


def recorded() -> list[dict[str, str]]:
    """Return what the errors' own programs said: rows of `about`, `stack`, `type` and `text`."""
    return [row for row in wordings() if row["program"] == f"everyday.{row['about']}"]


@cached
def wordings() -> list[dict[str, str]]:
    """Return what was recorded of each program's error: once, where several stacks say it alike.

    A stack that lacks what a program imports says nothing about its error. Of the errors' own
    programs both stacks are here.
    """
    distinct, seen = [], set()
    for row in pages.data("evidence/rows/wording.jsonl"):
        row = {**row, "about": row["about"].removeprefix("everyday.")}
        own = row["program"].startswith("everyday.")
        lacks = row["type"] in LACKING and row["about"] not in MISSING
        key = row["program"], row["stack"] if own else message(row)
        if row["type"] and key not in seen and (own or not lacks):
            seen.add(key)
            distinct.append(row)
    return distinct


def message(row: dict[str, str]) -> str:
    """Return what tells one recorded wording from another: type and message, without numbers."""
    error = re.split(r"^(?! |Traceback)", row.get("text", ""), maxsplit=1, flags=re.M)[-1]
    return f"{row.get('type', '')}: {re.sub(r'[0-9]+', '#', error)[:200]}"


# --- the programs of a case ------------------------------------------------------------------


def as_json(value: object) -> str:
    """Return a value as JSON, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def is_whole(lines: list[str]) -> bool:
    """Tell whether lines of code end where a statement does, and in no string."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError:
        return False
    return True


def without_asserts(code: str) -> str:
    """Return a cell's code without magics and assertions, and without the lines of these alone."""
    lines: list[str] = []
    for line in code.splitlines():
        if not line.startswith("%") or not is_whole(lines):
            lines.append(line)
    for node in reversed(ast.parse("\n".join(lines)).body):
        if isinstance(node, ast.Assert):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            left = lines[first].encode()[: node.col_offset] + b"pass"
            left += lines[last - 1].encode()[node.end_col_offset :]
            alone = re.fullmatch(r"(pass;?\s*)+(#.*)?", left.decode())
            lines[first:last] = [] if alone else [left.decode()]
    return "\n".join(lines).strip("\n")


def program(case: Entry) -> dict:
    """Return what the stacks run: the cells of *What you see* and those of *Cure*, as data.

    Cells that run on another kernel, and those tagged `aside`, are left out.
    """
    parts: dict[str, list] = {"program": [], "cure": []}
    for cell in case.cells:
        tags = cell.node.metadata.get("tags", [])
        if "aside" in tags or re.match(r"\s*%%", cell.node.source):
            continue
        code = without_asserts(cell.node.source)
        if not code or cell.section in SECTIONS[1::2]:
            continue
        expect = cell.node.metadata.get("expect", {})
        expect = expect.get("was", expect)  # where the library has fixed it on the page's stack
        outcome = {key: expect[key] for key in ("raises", "warns", "match") if key in expect}
        parts["cure" if cell.section == "Cure" else "program"].append({"code": code, **outcome})
    wordings = [[wording.type, wording.pattern or wording.text] for wording in case.wordings]
    compared = {"kind": case.kind, "tolerance": case.tolerance, "wordings": wordings}
    return {**parts, **compared}
