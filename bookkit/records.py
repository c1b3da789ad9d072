"""The records of the casebook: what each page below `book/cases` says of itself.

A case is one file. Its front matter is the record, and its cells are the proof: those of *What you
see* make the program that goes wrong, those of *Cure* the one that does not. Index, cards, triage,
`trace-evidence explain` and the version matrix are made from here.
"""

import ast
import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import fastjsonschema
from examine_model.report import NAMES

from bookkit import forms, pages
from bookkit.languages import cached, said, say
from bookkit.versions import TITLES

KINDS = {"silent": "Silent", "loud": "Loud"}
OWNERS = {
    "library": "a defect of the library",
    "documented": "a limit that the library documents",
    "yours": "a mistake in the program",
}
LIBRARIES = {
    **{"numpyro": "NumPyro", "jax": "JAX", "equinox": "Equinox", "optax": "Optax"},
    **{"flax": "Flax", "python": "Python"},
}
FAMILIES = {  # beyond the chapters: each is a section of the casebook
    "numbers": "Numbers",
    "compiler": "Compiled and not",
    "buffers": "Memory and buffers",
    "devices": "Many devices",
    "optimizers": "State and optimizers",
    "unsaid": "What nobody is told",
}
PAGE_OF_FAMILIES = "book/reference/families"
SYMPTOMS = {
    "posterior": "The posterior or a density is wrong",
    "draws": "Draws, chains or restarts are all alike",
    "stale": "New data or settings, old answer",
    "loading": "Wrong after saving and loading",
    "gradient": "A gradient is zero or wrong",
    "slow": "Slow: it compiles again and again",
    "memory": "Memory grows",
    "error": "An error stops the program",
}
SEVERITIES = {  # silently wrong at ordinary sizes; silently wrong in a corner; loud, or waste only
    1: "wrong results",
    2: "wrong in a corner",
    3: "time or memory",
}
CHOICES: dict[str, Collection] = {
    **{"kind": KINDS, "whose": OWNERS, "library": LIBRARIES, "severity": SEVERITIES},
    "examine": NAMES,
}
TEXTS = ("title", "symptom", "cause", "cure", "costs", "question")
SECTIONS = ["What you see", "Why", "Cure", "Is my code hit?"]


@dataclass(frozen=True)
class Case:
    """One record: what a key of the front matter means is said beside it."""

    slug: str  # the file's name, and the case's name everywhere
    title: str  # the page's heading
    short: str  # the name for the margin of a table, at most 32 characters
    kind: str  # a key of `KINDS`
    whose: str  # a key of `OWNERS`
    library: str  # a key of `LIBRARIES`: the one whose behaviour it is
    family: str  # the slug of the chapter that it belongs to, or a key of `FAMILIES`
    symptom: str  # what a reader sees, in a sentence
    symptoms: tuple[str, ...]  # keys of `SYMPTOMS`
    phrases: tuple[str, ...]  # how people who do not know the cause put it, a few words each
    severity: int  # a key of `SEVERITIES`, judged from `costs`; the index sorts by it
    costs: str  # how wrong it is, how likely, and when it may be ignored, in two sentences
    cause: str  # why it happens, in a sentence
    cure: str  # what to change, in a sentence
    # What the trackers say: mappings with `text` and `url`, or one with `not_reported`, the words
    # that were searched for.
    upstream: tuple[dict, ...]
    wordings: tuple[dict, ...] = ()  # mappings with `type` and `text`, as in `catalogue.toml`
    evidence: tuple[str, ...] = ()  # patterns that tell the case from others with its message
    question: str = ""  # what tells look-alikes apart
    decided_by: tuple[str, ...] = ()  # whose releases decide; the first repaired it, or would
    tolerance: float = 1e-3  # how far `got`, `expected`, `cured` may differ and agree, relative
    examine: str = ""  # the check of `examine` that finds it in a model, if one does

    @property
    def page(self) -> str:
        """The page, from the root of the repository, without its suffix."""
        return f"book/cases/{self.slug}"

    @property
    def wasteful(self) -> bool:
        """Whether the answers are right, and time or memory is lost without an error."""
        return set(self.symptoms) <= {"slow", "memory"}

    @cached_property
    def cells(self) -> list[pages.Cell]:
        """The code cells of the page."""
        return pages.code_cells(pages.path_of(self.page))


@cached
def form() -> Callable:
    """Return what checks the front matter of a case."""
    text, pattern = forms.TYPES[str], {"type": "string", "format": "regex"}
    pattern["description"] = "escape what is meant literally, or quote it in single quotes."
    listed = ", with `text` and `url`, or with `not_reported` alone."
    said = dict.fromkeys(("text", "url", "says", "not_reported"), text)
    either = [{"required": ["not_reported"], "maxProperties": 1}, {"required": ["text", "url"]}]
    one_of = {name: {"enum": [*choices]} for name, choices in CHOICES.items()}
    families = [*(page.stem for page in sorted(pages.FAILURES.glob("*.md"))), *FAMILIES]
    wording = {"type": text, "text": {"type": "string"}, "pattern": pattern}
    schema = forms.form(
        Case, "slug", **one_of, family={"enum": families},
        symptoms={"items": {"enum": [*SYMPTOMS]}}, decided_by={"items": {"enum": [*TITLES]}},
        evidence={"items": pattern}, wordings={"items": forms.mapping(wording, ["type"])},
        upstream={"items": forms.mapping(said, [], anyOf=either, description=f"a mapping{listed}")},
        tolerance={"exclusiveMinimum": 0, "description": "write a number above 0."},
    )  # fmt: skip
    return fastjsonschema.compile(schema)


def read(path: Path) -> Case:
    """Return the record of one page.

    Raises:
        PageError: it is not whole, has a key that is not known, or a value that is not.
    """
    text, front = path.read_text(), pages.front_matter(path)
    if found := forms.problem(front.get("case"), form()):
        key, reason, cure = found
        place = re.search(rf"^ *{re.escape(key or 'case')}:", text, re.M)
        line = text[: place.start()].count("\n") + 1 if place else 1
        raise pages.PageError(f"{path.name}:{line}: {reason}; {cure}")
    record = dict(front["case"])
    for key in ("symptoms", "phrases", "upstream", "wordings", "evidence", "decided_by"):
        record[key] = tuple(record.get(key, ()))
    record["decided_by"] = record["decided_by"] or (
        record["library"] if record["library"] != "python" else "jax",
    )
    record["upstream"] = tuple(said(row, "text", "says") for row in record["upstream"])
    record["phrases"] = tuple(map(say, record["phrases"]))
    return Case(slug=path.stem, **said(record, *TEXTS))


@cached
def load() -> dict[str, Case]:
    """Return the cases by slug: in each family what costs most first, and silent before loud."""
    found = [read(path) for path in sorted(pages.CASES.glob("*.md")) if path.stem != "index"]
    found.sort(key=lambda case: (case.family, case.severity, case.kind == "loud", case.slug))
    return {case.slug: case for case in found}


@dataclass(frozen=True)
class Family:
    """A family beyond the chapters, as the second door knows it."""

    id: str  # a key of `FAMILIES`
    title: str  # what it is called
    symptom: str  # what its cases have in common to the eye, in a sentence
    cure: str  # what to try first, in a sentence
    phrases: tuple[str, ...]  # how people who do not know the cause put it

    @property
    def page(self) -> str:
        """The section about it, from the root of the repository."""
        return f"{PAGE_OF_FAMILIES}#family-{self.id}"


@cached
def families() -> dict[str, Family]:
    """Return the families beyond the chapters, in the order of the page about them."""
    found = {}
    for name, row in pages.meta(PAGE_OF_FAMILIES)["families"].items():
        row = said(row, "symptom", "cure")
        row["phrases"] = tuple(map(say, row["phrases"]))
        found[name] = Family(id=name, title=say(FAMILIES[name]), **row)
    return found


def as_json(value: object) -> str:
    """Return a value as JSON, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def is_whole(rows: list[str]) -> bool:
    """Tell whether lines of code end where a statement does, and in no string."""
    try:
        ast.parse("\n".join(rows))
    except SyntaxError:
        return False
    return True


def without_asserts(code: str) -> str:
    """Return a cell's code without magics and assertions, and without the lines of these alone."""
    rows: list[str] = []
    for row in code.splitlines():
        if not row.startswith("%") or not is_whole(rows):
            rows.append(row)
    for node in reversed(ast.parse("\n".join(rows)).body):
        if isinstance(node, ast.Assert):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            left = rows[first].encode()[: node.col_offset] + b"pass"
            left += rows[last - 1].encode()[node.end_col_offset :]
            alone = re.fullmatch(r"(pass;?\s*)+(#.*)?", left.decode())
            rows[first:last] = [] if alone else [left.decode()]
    return "\n".join(rows).strip("\n")


def program(case: Case) -> dict:
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
        kept = {key: expect[key] for key in ("raises", "warns", "match") if key in expect}
        parts["cure" if cell.section == "Cure" else "program"].append({"code": code, **kept})
    wordings = [[row["type"], row.get("pattern") or row["text"]] for row in case.wordings]
    known = {"kind": case.kind, "tolerance": case.tolerance, "wordings": wordings}
    return {**parts, **known}
