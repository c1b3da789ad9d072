"""The directives of the error index: every message, and every everyday error, explained."""

import html

from docutils import nodes

from bookkit import entries, publish
from bookkit.languages import say
from trace_evidence import steps

from .directives import Generated, code, directive, programs
from .render import error_block, fold, raw
from .triage_box import source
from .written import Nodes


@directive("message-table")
def message_table(here: Generated) -> Nodes:
    """Return every wording of the chapters and the cases, with the page that explains it."""
    pages: dict[str, list[str]] = {}  # by message: one that several pages explain is one row
    chapters, cases = entries.chapters(), entries.cases().values()
    for family in [*chapters, *entries.families()]:
        own = [chapters[family]] if family in chapters else []
        for entry in own + [case for case in cases if case.family == family]:
            others = [chapters[name] for name in entry.undecided_with]
            links = say(", or ").join(f"[](/{other.page}.md)" for other in (entry, *others))
            for wording in entry.wordings:
                note = f"<br>{wording.note}" if wording.note else ""
                perhaps = "" if wording.points >= entries.CLAIM else say("Perhaps ")
                pages.setdefault(f"{code(wording)}{note}", []).append(f"{perhaps}{links}")
    rows = [say("| Message | Explained in |"), "|---|---|"]
    rows += [f"| {message} | {'<br>'.join(links)} |" for message, links in pages.items()]
    return here.parse("\n".join([":::{table}", ":class: message-index", "", *rows, ":::"]))


FILTER = """\
<form id="index-filter">
<label for="index-words">{ask}</label>
<input id="index-words" type="search" spellcheck="false">
<p id="index-count" role="status"></p>
</form>
"""


@directive("everyday-index")
def everyday_index(here: Generated) -> Nodes:
    """Return all everyday errors, by page and with a filter; each leads to its entry."""
    groups: dict[str, list[str]] = {}
    anchors: set[str] = set()  # of sections that this page had before; others may link to them
    for entry in entries.errors().values():
        page = entry.page
        group = f"everyday-{entry.library}"
        older = {group, f"{group}-{entry.topic}"} - anchors
        anchors |= older
        rows = groups.setdefault(page, [])
        rows += [f'<li class="anchor" id="{name}"></li>' for name in sorted(older)]
        text = html.escape(next((wording.text for wording in entry.wordings if wording.text), ""))
        href, title = f"{here.address(page)}#{entry.name}", steps.marked_up(entry.title)
        link = f'<a href="{href}">{title}</a> <code>{text}</code>'
        rows.append(f'<li class="everyday" id="{entry.name}">{link}</li>\n')
    made: Nodes = [raw(FILTER.format(ask=say("Show only what has these words")))]
    for page, rows in groups.items():
        made += here.parse(f"**[](/{page}.md)**")  # by its title
        made.append(raw(f"<ul>{''.join(rows).rstrip()}</ul>"))
    return made


@directive("everyday-page", arguments=1)
def everyday_page(here: Generated, name: str) -> Nodes:
    """Return the everyday errors of one page, each with its messages and its first aid."""
    page = f"book/errors/{name}"
    return [
        everyday_entry(here, entry)
        for entry in entries.errors().values()
        if entry.page == page
    ]  # fmt: skip


def everyday_entry(here: Generated, entry: entries.Entry) -> nodes.container:
    """Return one entry: a message, what it is, what to try, other wordings and a program."""
    look = " ".join(
        say("See [](/{page}).", page=f"{programs()[name][1]}.md") for name in entry.look
    )
    more = say("See [](/{page}).", page=entry.link.removeprefix("/"))
    if entry.link.startswith("https:"):
        more = f"[{say('More {where}', where=source(entry.link))}]({entry.link})"
    lines = [
        f"**{entry.title}**", "<br>".join(map(code, entry.wordings[:1])), entry.symptom,
        f"{say('*Try first:* {first}', first=entry.cure)} {more}",
    ]  # fmt: skip
    if entry.question:
        lines.append(say("*Ask:* {question} {look}", question=entry.question, look=look))
    if printed := publish.everything()[entry.name]["printed"]:
        links = say(", ").join(f"[](/{page}.md)" for _, page in printed)
        lines.append(say("*Printed in this book by:* {pages}.", pages=links))
    made = nodes.container(ids=[entry.name], classes=["everyday"])
    made += here.parse("\n\n".join(lines))
    if others := entry.wordings[1:]:
        words = say("Its other wordings: {count}", count=len(others))
        made += fold("", words, *here.parse("<br>".join(map(code, others))))
    if not entry.program:
        return made
    rows = [row for row in entries.recorded() if row["about"] == entry.name]
    printed = {publish.message(row): row["stack"] for row in rows}
    folded = [nodes.literal_block(entry.program, entry.program, language="python")]
    for text, stack in printed.items():
        mark = f"<p class='everyday-stack'>{say(entries.STACKS[stack])}</p>"
        folded += [raw(mark if len(printed) > 1 else ""), error_block(text)]
    made += fold("", say("A program that raises it"), *folded)
    return made
