"""What `examine` found: findings, hints, what could not be run, in words.

Nothing here needs more than the standard library.
"""

from __future__ import annotations

import difflib
import html
import linecache
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from . import known

IDS = {
    "state": ("tracer-kept", "data-kept"),
    "keys": ("same-key", "one-key-for-lanes", "fixed-draw"),
    "round_trip": ("value-not-taken", "do-not-taken", "density-not-repeated", "density-of-a-draw",
                   "needs-intermediates", "nan-gradient", "zero-gradient"),
    "shapes": ("claimed-shape",),
    "likelihood": ("nothing-observed", "broadcast", "missing-plate", "factor-repeated",
                   "mean-of-rows", "other-rows", "subsample-ignored"),
    "support": ("impossible-observation", "nan-density", "support-too-wide"),
    "index": ("index-outside", "index-negative"),
    "scan": ("stacked-density", "stacked-raises"),
    "jit": ("stale-program", "jit-differs", "overflow"),
    "compiled": ("miscompiled",),
    "precision": ("float32", "int32"),
    "slope": ("wrong-gradient", "jumps"),
    "pytree": ("copy-forgets-bounds", "copy-raises", "leaf-order", "leaf-gradient", "copy-differs"),
    "guide": ("guide-forgets", "guide-support", "guide-unconstrained", "guide-keeps-tracer",
              "guide-keeps-start", "guide-keeps-arguments", "guide-one-key", "guide-under-vmap",
              "lane-without-start"),
    "mcmc": ("other-energy",),
    "static": ("equal-but-different",),
}  # fmt: skip
"""What each check may find, by the ids that the book explains; `static` is of functions only."""
NAMES = tuple(name for name in IDS if name != "static")
"""The checks of a model, in the order in which they run."""
WIDTH = 88
LISTED = 3
"""A finding that fits more cases than this lists them by name only."""
COMMENT = re.compile(r"#.*\bexamine:\s*ignore\[([^\]]+)\]")


@dataclass(frozen=True)
class Finding:
    """One disagreement.

    Attributes:
        check: the name of the check that saw it.
        id: what is wrong, in a word or two that stay the same from release to release.
        says: what disagrees, with the numbers of both ways.
        site: the site where it disagrees, or "" where it is no single one.
        cases: names of the pages that explain it, the likeliest first, as `trace-evidence
            explain` knows them.
        file: where the site is, or the model if it is no single one.
        line: the line there, from 1 on.
    """

    check: str
    id: str
    says: str
    site: str = ""
    cases: tuple[str, ...] = ()
    file: str = ""
    line: int = 0

    def __post_init__(self) -> None:
        if self.id not in IDS[self.check]:
            raise ValueError(f"{self.id!r} is no finding of the check {self.check!r}")

    def pages(self) -> list[tuple[str, str, str]]:
        """Return (title, address, cure) of each case that the book knows."""
        return [page for page in map(known.page, self.cases) if page]

    def address(self) -> str:
        """Return where the book explains findings of this kind."""
        return f"{known.FINDINGS}#{self.id}"

    def place(self) -> str:
        """Return the file, from this folder on, and the line; a notebook's cell is no file."""
        path = Path(self.file)
        if not self.line:
            return ""
        if not path.is_file():
            return f"line {self.line} of its cell"
        here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        return f"{here}:{self.line}"

    def ignored(self, wanted: Iterable[str]) -> bool:
        """Tell whether its id, or ID:SITE, is among some, or in a comment on its line."""
        lines = (linecache.getline(self.file, self.line - up) for up in (0, 1) if self.line)
        names = [name for line in lines for ids in COMMENT.findall(line) for name in
                ids.replace(" ", "").split(",")]  # fmt: skip
        return bool({self.id, f"{self.id}:{self.site}"} & {*wanted, *names})

    def lines(self) -> list[tuple[str, str]]:
        """Return (heading, text) of what is told below: its place, page, cases and cures."""
        lines = [("at", self.place())]
        if not 0 < len(self.pages()) <= LISTED:
            lines.append(("why", known.text(self.id)))
        lines.append(("about", self.address()))
        if len(self.cases) > LISTED:
            return [*lines, ("cases", ", ".join(self.cases))]
        for title, address, cure in self.pages():
            lines += [("case", f"{title}\n{address}"), ("cure", cure)]
        return [line for line in lines if line[1]]

    def headline(self) -> str:
        """Return in a sentence what disagrees, and its id."""
        place = f"site {self.site!r}: " if self.site else ""
        return f"{place}{self.says} [{self.check}: {self.id}]"


@dataclass(frozen=True)
class NotRun:
    """A check without an answer, and why."""

    check: str
    why: str


@dataclass
class Report:
    """The answer of `examine`; print it, or show it as the last value of a notebook's cell.

    Attributes:
        model: what the model is called.
        ran: the checks that answered.
        findings: what disagrees.
        hints: what is odd but may be meant.
        ignored: findings and hints that the caller or a comment in the model takes as meant.
        releases: of what is installed, the releases that are known to compute wrong numbers.
        nothing: the checks that have nothing to compare in this model, and why.
        not_run: the checks that could not answer, and why.
        raised: what the model raised where a check could not answer, with its lines.
        seconds: the processor's time that each check took, by its name.
    """

    model: str
    ran: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)
    ignored: list[Finding] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    nothing: list[NotRun] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    raised: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if half of the checks answered, and none found anything. A hint is no finding."""
        silent = {skipped.check for skipped in self.not_run} - {*self.ran}
        return bool(self.ran) and len(self.ran) >= len(silent) and not self.findings

    @property
    def strict(self) -> bool:
        """True if it is `ok`, and each check that has something to compare answered."""
        return self.ok and not self.not_run

    def status(self, strict: bool = False, fail_on: str = "findings") -> int:
        """Return the status of a command: 0, 1 where something was found, 3 where too little ran.

        Args:
            strict: ask that each check that has something to compare answered.
            fail_on: "hints" if a hint is something found, too.
        """
        if self.findings or (fail_on == "hints" and self.hints):
            return 1
        return 0 if (self.strict if strict else self.ok) else 3

    def __bool__(self) -> bool:
        return self.ok

    def ignore(self, wanted: Iterable[str]) -> None:
        """Set aside the findings and hints that are meant.

        Raises:
            ValueError: an id is not known.
        """
        wanted = {wanted} if isinstance(wanted, str) else set(wanted)
        known_ids = {name for names in IDS.values() for name in names}
        for name in sorted(wanted):
            if name.partition(":")[0] not in known_ids:
                near = did_you_mean(name.partition(":")[0], known_ids)
                raise ValueError(f"unknown id {name!r}{near}: {known.FINDINGS} has them.")
        for kind in (self.findings, self.hints):
            meant = [finding for finding in kind if finding.ignored(wanted)]
            kind[:] = [finding for finding in kind if finding not in meant]
            self.ignored += meant

    def silent(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return (heading, (checks, why) rows) of what did not answer, one reason a row."""
        groups = []
        ignored = [
            NotRun(each.id, f"site {each.site!r}" if each.site else "") for each in self.ignored
        ]
        kinds = (("Ignored", ignored), ("Could not", self.not_run))
        for heading, not_run in kinds:
            reasons: dict[str, list[str]] = {}
            for check in not_run:
                reasons.setdefault(check.why, []).append(check.check)
            if reasons:
                groups.append(
                    (heading, [(", ".join(checks), why) for why, checks in reasons.items()])
                )
        return groups

    def headline(self) -> str:
        """Return the outcome in one line."""
        if self.findings:
            count = len(self.findings)
            return f"{self.model}: {count} finding{'s' if count > 1 else ''}"
        if not self.ran:
            return f"{self.model}: no check could answer"
        return f"{self.model}: nothing found by {', '.join(self.ran)}"

    def __str__(self) -> str:
        blocks = [*(_wrap(f"Known: {says}", "") for says in self.releases), self.headline()]
        for number, finding in enumerate(self.findings, start=1):
            blocks.append(_block(f"{number}. ", finding))
        blocks += [_block("Hint: ", hint) for hint in self.hints]
        for heading, reasons in self.silent():
            lines = [_wrap(f"{checks}: {why}".removesuffix(": "), "  ") for checks, why in reasons]
            blocks.append("\n".join([heading, *lines]))
        if self.raised:
            blocks.append(f"The model raises\n{self.raised.rstrip()}")
        if self.nothing and self.ran:
            names = ", ".join(quiet.check for quiet in self.nothing)
            blocks.append(_wrap(f"Nothing to compare: {names}", ""))
        elif self.nothing:
            whys = ". ".join(dict.fromkeys(quiet.why for quiet in self.nothing))
            blocks.append(_wrap(f"Nothing to compare: {whys}", ""))
        return "\n\n".join(blocks)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        link = r'<a href="\g<0>">\g<0></a>'
        text = re.sub(r"https://\S*[\w/]", link, html.escape(str(self)))
        return f'<pre class="examine-report">{text}</pre>'


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question with the name that comes nearest to one that is not known, or ""."""
    near = difflib.get_close_matches(name, names, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _wrap(text: str, indent: str, hang: int = 2) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + " " * hang,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _block(mark: str, finding: Finding) -> str:
    indent = " " * len(mark)
    lines = [_wrap(f"{mark}{finding.headline()}", "", len(mark))]
    for heading, text in finding.lines():
        for line in text.splitlines():
            shown, heading = f"{heading:6} {line}", ""
            address = line.startswith("https:")  # stays in one piece
            lines.append(indent + shown if address else _wrap(shown, indent, 7))
    return "\n".join(lines)
