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

from bookkit import avoid, casebook, catalogue, everyday, publish, records
from bookkit.languages import say
from trace_evidence import steps, symptoms, triage

from .directives import Generated, Nodes, code, directive
from .render import error_block, fold, raw

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


def data_address() -> str:
    """Return that script's address; it ends in a mark, so that browsers fetch another one anew."""
    return f"{DATA}?v={hashlib.sha256(data().encode()).hexdigest()[:8]}"


def write_data(app: Sphinx, error: Exception | None) -> None:
    """Write that script beside the others."""
    if app.builder.format == "html" and not error:
        (Path(app.outdir) / DATA).write_text(data(), encoding="utf-8")


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


@directive("triage")
def triage_box(here: Generated) -> str:
    """Return the box that takes an error or plain words, and links where scripts do not run."""
    root = "../" * here.env.docname.count("/")
    return BOX.format(
        data=f"{root}{data_address()}",
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


def source(link: str) -> str:
    """Return whose page a link leads to, in words."""
    known = {"docs.jax.dev": "JAX", "num.pyro.ai": "NumPyro", "docs.kidger.site": ""}
    for host, name in known.items():
        if host in link:
            name = name or link.split("/")[3].title()
            return say("in the documentation of {library}", library=name)
    return say("in this book")


def symptom_data() -> dict[str, Any]:
    """Return what `symptoms.js` needs: the counts of the words, and the entries."""
    known = triage.data()["symptoms"]  # of all languages, whichever is spoken
    cases, entries = records.load(), {}
    known_of: dict[str, Any] = cases | catalogue.load() | everyday.load() | records.families()
    for name, one in known_of.items():
        text = getattr(one, "symptom", "") or one.says
        if name in cases:
            text = casebook.closed_in_words(cases[name]).replace("**", "") + text
        href = to_site(publish.entries()[name]["page"])
        entries[name] = {"title": one.title, "href": href, "symptom": text}
    return {
        **{key: known[key] for key in ("order", "totals", "counts")},
        "endings": symptoms.ENDINGS,
        "smoothing": symptoms.SMOOTHING,
        "few": symptoms.FEW,
        "enough": symptoms.ENOUGH,
        "sure": symptoms.SURE,
        "least": symptoms.LEAST,
        "most": symptoms.MOST,
        "unsure": say(symptoms.UNSURE),
        "advice": [say(text) for text in symptoms.ADVICE],
        "entries": entries,
    }


@directive("message-table")
def message_table(here: Generated) -> Nodes:
    """Return every wording of the chapters and the cases, with the page that explains it."""
    rows = [say("| Message | Explained in |"), "|---|---|"]
    cases = records.load().values()
    for family in [*catalogue.load(), *records.FAMILIES]:
        if failure := catalogue.load().get(family):
            names = [family, *failure.undecided_with]
            links = say(", or ").join(f"[](/book/failures/{name}.md)" for name in names)
            for row in failure.signatures:
                note = f"<br>{row.note}" if row.note else ""
                perhaps = "" if row.points >= catalogue.CLAIM else say("Perhaps ")
                rows.append(f"| {code(row)}{note} | {perhaps}{links} |")
        for case in [case for case in cases if case.family == family]:
            for said in case.wordings:
                wording = catalogue.Signature(said["type"], said.get("text") or "…", "")
                rows.append(f"| {code(wording)} | [](/{case.page}.md) |")
    return here.parse("\n".join([":::{table}", ":class: message-index", "", *rows, ":::"]))


FILTER = """\
<form id="index-filter">
<label for="index-words">{ask}</label>
<input id="index-words" type="search" autocomplete="off" spellcheck="false">
<p id="index-count" role="status"></p>
</form>
"""


@directive("everyday-index")
def everyday_index(here: Generated) -> Nodes:
    """Return all everyday errors, by page and with a filter; each leads to its entry."""
    groups: dict[str, list[str]] = {}
    anchors: set[str] = set()  # of sections that this page had before; others may link to them
    for entry in everyday.load().values():
        page = everyday.page(entry)
        older = {f"everyday-{entry.library}", f"everyday-{entry.library}-{entry.kind}"} - anchors
        anchors |= older
        rows = groups.setdefault(page, [])
        rows += [f'<li class="anchor" id="{name}"></li>' for name in sorted(older)]
        text = html.escape(next((row.text for row in entry.wordings if row.text), ""))
        href, title = f"{here.address(page)}#{entry.id}", steps.marked_up(entry.title)
        link = f'<a href="{href}">{title}</a> <code>{text}</code>'
        rows.append(f'<li class="everyday" id="{entry.id}">{link}</li>\n')
    made: Nodes = [raw(FILTER.format(ask=say("Show only what has these words")))]
    for page, rows in groups.items():
        made += here.parse(f"**[](/{page}.md)**")  # by its title
        made.append(raw(f"<ul>{''.join(rows).rstrip()}</ul>"))
    return made


@directive("everyday-page")
def everyday_page(here: Generated, name: str) -> Nodes:
    """Return the everyday errors of one page, each with its messages and its first aid."""
    page = f"book/errors/{name}"
    return [
        everyday_entry(here, one)
        for one in everyday.load().values()
        if everyday.page(one) == page
    ]  # fmt: skip


def everyday_entry(here: Generated, entry: everyday.Entry) -> nodes.container:
    """Return one entry: messages, what it is, what to try, and a program that raises it."""
    look = " ".join(say("See [](/{page}).", page=to_page(name)) for name in entry.look)
    lines = [
        f"**{entry.title}**", "<br>".join(map(code, entry.wordings)), entry.says,
        say("*Try first:* {first} [More]({page})", first=entry.first, page=entry.link),
    ]  # fmt: skip
    if entry.question:
        lines.append(say("*Ask:* {question} {look}", question=entry.question, look=look))
    made = nodes.container(ids=[entry.id], classes=["everyday"])
    made += here.parse("\n\n".join(lines))
    if not entry.program:
        return made
    rows = [row for row in everyday.recorded() if row["about"] == entry.id]
    printed = {publish.message(row): row["stack"] for row in rows}
    folded = [nodes.literal_block(entry.program, entry.program, language="python")]
    for text, stack in printed.items():
        mark = f"<p class='everyday-stack'>{say(everyday.STACKS[stack])}</p>"
        folded += [raw(mark if len(printed) > 1 else ""), error_block(text)]
    made += fold("", say("A program that raises it"), *folded)
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
        for name in ("doors.js", "triage.js", "symptoms.js", "results.js"):
            app.add_js_file(name)
        context["doors_data"] = data_address()


def add_words(app: Sphinx, doctree: nodes.document) -> None:
    """Let the site's search find a case by the words of people who do not know its cause."""
    folder, _, name = app.env.docname.rpartition("/")
    if app.builder.name != "gettext" and folder == "book/cases" and name in records.load():
        words = ", ".join(records.load()[name].phrases)
        doctree.insert(0, nodes.meta("", name="keywords", content=html.escape(words)))


def setup(app: Sphinx) -> dict:
    """Connect both doors with Sphinx."""
    app.connect("html-page-context", add_scripts)
    app.connect("doctree-read", add_words)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "version": "1"}
