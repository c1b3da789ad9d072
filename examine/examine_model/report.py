"""What `examine` found: findings, hints, what could not be run, in words and as HTML.

Nothing here needs more than the standard library.
"""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass, field

from . import known

NAMES = (
    "state",
    "keys",
    "round_trip",
    "shapes",
    "scan",
    "jit",
    "compiled",
    "pytree",
    "guide",
    "mcmc",
)
"""The checks, in the order in which they run."""
WIDTH = 88
LISTED = 3
"""A finding that fits more cases than this lists them by name only."""


@dataclass(frozen=True)
class Finding:
    """One disagreement.

    Attributes:
        check: the name of the check that saw it.
        says: what disagrees, with the numbers of both ways.
        site: the site where it disagrees, or "" where it is no single one.
        cases: names of the pages that explain it, the likeliest first, as `trace-evidence
            explain` knows them.
    """

    check: str
    says: str
    site: str = ""
    cases: tuple[str, ...] = ()

    def pages(self) -> list[tuple[str, str, str]]:
        """Return (title, address, cure) of each case that the book knows."""
        return [row for row in map(known.page, self.cases) if row]


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
        releases: of what is installed, the releases that are known to compute wrong numbers.
        nothing: the checks that have nothing to compare in this model, and why.
        not_run: the checks that could not answer, and why.
        seconds: the processor's time that each check took, by its name.
    """

    model: str
    ran: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    nothing: list[NotRun] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if at least one check answered and none found anything. A hint is no finding."""
        return bool(self.ran) and not self.findings

    @property
    def strict(self) -> bool:
        """True if it is `ok`, and each check that has something to compare answered."""
        return self.ok and not self.not_run

    def __bool__(self) -> bool:
        return self.ok

    def _silent(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return (heading, (checks, why) rows) of what did not answer, one reason a row."""
        found = []
        for heading, rows in (("Nothing to compare", self.nothing), ("Could not", self.not_run)):
            reasons: dict[str, list[str]] = {}
            for row in rows:
                reasons.setdefault(row.why, []).append(row.check)
            if reasons:
                found.append((heading, [(", ".join(row), why) for why, row in reasons.items()]))
        return found

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
        for number, found in enumerate(self.findings, start=1):
            blocks.append(_block(f"{number}. ", found))
        blocks += [_block("Hint: ", found) for found in self.hints]
        for heading, reasons in self._silent():
            rows = [_wrap(f"{checks}: {why}", "  ") for checks, why in reasons]
            blocks.append("\n".join([heading, *rows]))
        return "\n\n".join(blocks)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<p>Known: {html.escape(says)}</p>" for says in self.releases]
        parts.append(f"<p><strong>{html.escape(self.headline())}</strong></p>")
        if self.findings:
            rows = "".join(f"<li>{_item(found)}</li>" for found in self.findings)
            parts.append(f"<ol>{rows}</ol>")
        if self.hints:
            rows = "".join(f"<li>{_item(found)}</li>" for found in self.hints)
            parts.append(f"<p>Hints</p><ul>{rows}</ul>")
        for heading, reasons in self._silent():
            rows = "".join(
                f"<li><code>{checks}</code>: {html.escape(why)}</li>" for checks, why in reasons
            )
            parts.append(f"<p>{heading}</p><ul>{rows}</ul>")
        return f'<div class="examine-report">{"".join(parts)}</div>'


def _wrap(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _place(found: Finding) -> str:
    return f"site {found.site!r}: " if found.site else ""


def _block(mark: str, found: Finding) -> str:
    indent = " " * len(mark)
    rows = [textwrap.fill(
        f"{mark}{_place(found)}{found.says} [{found.check}]", WIDTH,
        subsequent_indent=indent, break_long_words=False, break_on_hyphens=False,
    )]  # fmt: skip
    pages = found.pages()
    if len(pages) > LISTED:
        rows.append(_wrap(f"it may be one of {', '.join(found.cases)}", indent))
        rows.append(_wrap("`trace-evidence explain NAME` prints each", indent))
    else:
        for title, address, cure in pages:
            rows += [_wrap(f"case  {title}", indent), _wrap(address, indent + "      ")]
            rows.append(_wrap(f"cure  {cure}", indent))
    return "\n".join(rows)


def _item(found: Finding) -> str:
    place = f"site <code>{html.escape(found.site)}</code>: " if found.site else ""
    rows = [f"{place}{html.escape(found.says)} <small>({html.escape(found.check)})</small>"]
    for title, address, cure in found.pages():
        link = f'<a href="{html.escape(address)}">{html.escape(title)}</a>'
        rows.append(f"{link}: {html.escape(cure)}" if len(found.cases) <= LISTED else link)
    return "<br>".join(rows)
