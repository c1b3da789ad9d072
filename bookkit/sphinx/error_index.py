"""The directives of the error index: both doors, and every message with what it means."""

from __future__ import annotations

import hashlib
import html
import json
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit import avoid, casebook, catalogue, everyday, pages, publish, records
from bookkit.languages import say
from trace_evidence import steps, symptoms, triage

from .directives import Generated, code

PAGE = "book/reference/error-index"
AVOID = "book/reference/releases-to-avoid"
DATA = "_static/doors-data.js"
TOLD = (
    *("kind", "title", "family", "signatures", "evidence", "needs", "ranges", "cure", "question"),
)


def to_site(link: str) -> str:
    """Return a link of the package's data as one from the root of the site."""
    page, mark, section = link.partition("#")
    return link if link.startswith("https:") else f"{page}.html{mark}{section}"


def rules() -> dict[str, Any]:
    """Return what `triage.js` needs: the rules, with where each leads."""
    rules = []
    for name, row in publish.entries().items():
        rule = {key: row[key] for key in TOLD} | {"id": name, "versions": row["occurs"]}
        rule["says"] = row["cause"] or row["symptom"]
        rule["href"], rule["here"] = to_site(row["link"]), to_site(row["page"])
        rule["from"] = source(row["link"])
        rule["look"] = [[other, title, to_site(page)] for other, title, page in row["look"]]
        rules += [rule] if row["signatures"] else []
    releases = [{**row, "href": to_site(AVOID)} for row in avoid.rules().values()]
    return {**publish.rules(), "rules": rules, "avoid": releases}


@cache
def data() -> str:
    """Return the script that hands both doors their data, as a build begins."""
    known = json.dumps({"triage": rules(), "symptoms": symptom_data()}, ensure_ascii=False)
    return f"globalThis.traceEvidence = {{...globalThis.traceEvidence, known: {known}}};\n"


def mark_of_data() -> str:
    """Return what stands behind the script's address, so that browsers fetch another one anew."""
    return hashlib.sha256(data().encode()).hexdigest()[:8]


def write_data(app: Sphinx, error: Exception | None) -> None:
    """Write that script beside the others."""
    if app.builder.format == "html" and not error:
        (Path(app.outdir) / DATA).write_text(data(), encoding="utf-8")


class Triage(SphinxDirective):
    """The box that takes an error or plain words; a line of links where scripts do not run."""

    BOX = """\
<form id="triage" data-doors="{data}">
<label for="triage-text">{paste}</label>
<textarea id="triage-text" rows="5" spellcheck="false" autocomplete="off"
 placeholder="{example}" aria-describedby="triage-note"></textarea>
<p id="triage-note">{note}</p>
<p><button type="submit">{submit}</button> <button type="reset">{clear}</button></p>
<p id="triage-status" role="status"></p>
<ol id="triage-findings"></ol>
</form>
<noscript><p>{without}</p></noscript>
"""

    def run(self) -> list[nodes.Node]:
        """Return the box, with the address of what both doors know."""
        self.env.note_reread()
        root = "../" * self.env.docname.count("/")
        box = self.BOX.format(
            data=f"{root}{DATA}?v={mark_of_data()}",
            paste=say("Paste an error, or say in plain words what is wrong"),
            example=say("same samples after new data"),
            note=say("Nothing leaves this page."),
            submit=say("Say what it is"), clear=say("Clear"),
            without=say(
                "Without scripts, look up the message in the <a href='{index}'>error index</a>, or "
                "what you see in the <a href='{cases}'>casebook</a>.",
                index=f"{root}{PAGE}.html", cases=f"{root}book/cases/index.html",
            ),
        )  # fmt: skip
        return [nodes.raw("", box, format="html")]


def source(link: str) -> str:
    """Return whose page a link leads to, in words."""
    known = {"docs.jax.dev": "JAX", "num.pyro.ai": "NumPyro", "docs.kidger.site": ""}
    for host, name in known.items():
        if host in link:
            name = name or link.split("/")[3].title()
            return say("in the documentation of {library}", library=name)
    return say("in this book")


def symptom_data() -> dict[str, Any]:
    """Return what `symptoms.js` needs: the points of the words, and the entries."""
    known = triage.data()["symptoms"]  # of all languages, whichever is spoken
    failures = catalogue.load().values()
    shown = [
        (
            case.slug,
            case.title,
            case.page,
            casebook.closed_in_words(case).replace("**", "") + case.symptom,
        )
        for case in records.load().values()
    ]
    shown += [(row.id, row.title, f"book/failures/{row.id}", row.symptom) for row in failures]
    shown += [
        (entry.id, entry.title, f"{everyday.page(entry)}#{entry.id}", entry.says)
        for entry in everyday.load().values()
    ]
    shown += [(one.id, one.title, one.page, one.symptom) for one in records.families().values()]
    return {
        **{key: known[key] for key in ("same", "dull", "points", "order")},
        "endings": symptoms.ENDINGS,
        "most": symptoms.MOST,
        "enough": symptoms.ENOUGH,
        "sure": symptoms.SURE,
        "unsure": say(symptoms.UNSURE),
        "advice": [say(text) for text in symptoms.ADVICE],
        "entries": {
            name: {"title": title, "href": to_site(page), "symptom": text}
            for name, title, page, text in shown
        },
    }


class MessageTable(Generated):
    """Every wording of the chapters and the cases, with the page that explains it."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_reread()
        rows = [say("| Message | Explained in |"), "|---|---|"]
        for failure in catalogue.load().values():
            names = [failure.id, *failure.undecided_with]
            links = say(", or ").join(f"[](/book/failures/{name}.md)" for name in names)
            for row in failure.signatures:
                claims = row.points >= catalogue.CLAIM
                note = f"<br>{row.note}" if row.note else ""
                rows.append(f"| {code(row)}{note} | {'' if claims else say('Perhaps ')}{links} |")
            rows += self.cases(failure.id)
        for family in records.FAMILIES:
            rows += self.cases(family)
        return self.parse("\n".join([":::{table}", ":class: message-index", "", *rows, ":::"]))

    def cases(self, family: str) -> list[str]:
        """Return the rows of a family's cases."""
        return [
            f"| {code(wording_of(wording))} | [](/{case.page}.md) |"
            for case in records.load().values()
            if case.family == family
            for wording in case.wordings
        ]


def wording_of(row: dict[str, str]) -> catalogue.Signature:
    """Return a case's wording as the catalogue has its own."""
    return catalogue.Signature(row["type"], row.get("text") or "…", "")


class EverydayIndex(Generated):
    """All everyday errors as a list with a filter; each leads to its entry."""

    FILTER = """\
<form id="index-filter">
<label for="index-words">{ask}</label>
<input id="index-words" type="search" autocomplete="off" spellcheck="false">
<p id="index-count" role="status"></p>
</form>
"""

    ROW = '<li class="everyday" id="{id}"><a href="{href}">{title}</a> {message}</li>'

    def run(self) -> list[nodes.Node]:
        """Return the list, under the name of each page that has entries."""
        words = self.FILTER.format(ask=say("Show only what has these words"))
        groups: dict[str, list[str]] = {}
        anchors: set[str] = set()  # of sections that this page had before; others may link to them
        for entry in everyday.load().values():
            page = everyday.page(entry)
            older = {
                f"everyday-{entry.library}",
                f"everyday-{entry.library}-{entry.kind}",
            } - anchors
            anchors |= older
            uri = self.env.app.builder.get_relative_uri(self.env.docname, page)
            text = next((row.text for row in entry.wordings if row.text), "")
            row = self.ROW.format(
                id=entry.id, href=f"{uri}#{entry.id}",
                title=steps.marked_up(entry.title), message=f"<code>{html.escape(text)}</code>",
            )  # fmt: skip
            marks = "".join(f'<li class="anchor" id="{name}"></li>' for name in sorted(older))
            groups.setdefault(page, []).append(marks + row)
        made: list[nodes.Node] = [nodes.raw("", words, format="html")]
        for page, rows in groups.items():
            title = say(pages.title(page))
            made += self.parse(f"**[{title}](/{page}.md)**")
            made.append(nodes.raw("", f"<ul>{chr(10).join(rows)}</ul>", format="html"))
        return made


class EverydayPage(Generated):
    """The everyday errors of one page, each with its messages and its first aid."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the entries."""
        page = f"book/errors/{self.arguments[0]}"
        return [self.entry(one) for one in everyday.load().values() if everyday.page(one) == page]

    def entry(self, entry: everyday.Entry) -> nodes.container:
        """Return one entry: messages, what it is, what to try, and a program that raises it."""
        said = "<br>".join(map(code, entry.wordings))
        page = entry.link
        look = " ".join(say("See [](/{page}).", page=to_page(name)) for name in entry.look)
        lines = [
            f"**{entry.title}**", "", said, "", entry.says, "",
            say("*Try first:* {first} [More]({page})", first=entry.first, page=page), "",
        ]  # fmt: skip
        if entry.question:
            lines += [say("*Ask:* {question} {look}", question=entry.question, look=look), ""]
        made = nodes.container(ids=[entry.id], classes=["everyday"])
        made += self.parse("\n".join(lines))
        if entry.program:
            rows = [row for row in everyday.recorded() if row["about"] == entry.id]
            printed = {publish.message(row): row["stack"] for row in rows}
            words = f"<details><summary>{say('A program that raises it')}</summary>"
            made += nodes.raw("", words, format="html")
            made += nodes.literal_block(entry.program, entry.program, language="python")
            for text, stack in printed.items():
                mark = (
                    f"<p class='everyday-stack'>{say(everyday.STACKS[stack])}</p>"
                    if len(printed) > 1
                    else ""
                )
                made += nodes.raw("", mark, format="html")
                made += nodes.literal_block(text, text, language="text", classes=["error-message"])
            made += nodes.raw("", "</details>", format="html")
        return made


def to_page(name: str) -> str:
    """Return the page of a chapter or a case, from the root of the repository."""
    return f"book/{'failures' if name in catalogue.load() else 'cases'}/{name}.md"


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load the scripts of both doors where they are, and what the search knows of the cases."""
    if page in (PAGE, app.config.root_doc):
        for name in ("doors.js", "triage.js", "symptoms.js", "errors.js"):
            app.add_js_file(name)
    if page == "search":
        for name in ("doors.js", "symptoms.js", "results.js"):
            app.add_js_file(name)
        context["doors_data"] = f"{DATA}?v={mark_of_data()}"


def add_words(app: Sphinx, doctree: nodes.document) -> None:
    """Let the site's search find a case by the words of people who do not know its cause."""
    folder, _, name = app.env.docname.rpartition("/")
    if app.builder.name != "gettext" and folder == "book/cases" and name in records.load():
        words = ", ".join(records.load()[name].phrases)
        doctree.insert(0, nodes.meta("", name="keywords", content=html.escape(words)))


DIRECTIVES = {
    "triage": Triage,
    "message-table": MessageTable,
    "everyday-index": EverydayIndex,
    "everyday-page": EverydayPage,
}


def setup(app: Sphinx) -> dict:
    """Register the directives with Sphinx."""
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("html-page-context", add_scripts)
    app.connect("doctree-read", add_words)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "version": "1"}
