"""The directives of the error index: every message, and every everyday error, explained."""

import html

from docutils import nodes

from bookkit import catalogue, everyday, publish, records
from bookkit.languages import say
from trace_evidence import steps

from .directives import Generated, Nodes, code, directive, programs
from .render import error_block, fold, raw


@directive("message-table")
def message_table(here: Generated) -> Nodes:
    """Return every wording of the chapters and the cases, with the page that explains it."""
    pages: dict[str, list[str]] = {}  # by message: one that several pages explain is one row
    cases = records.load().values()
    for family in [*catalogue.load(), *records.FAMILIES]:
        if failure := catalogue.load().get(family):
            names = [family, *failure.undecided_with]
            links = say(", or ").join(f"[](/book/failures/{name}.md)" for name in names)
            for row in failure.signatures:
                note = f"<br>{row.note}" if row.note else ""
                perhaps = "" if row.points >= catalogue.CLAIM else say("Perhaps ")
                pages.setdefault(f"{code(row)}{note}", []).append(f"{perhaps}{links}")
        for case in [case for case in cases if case.family == family]:
            for said in case.wordings:
                wording = catalogue.Signature(said["type"], said.get("text") or "", "")
                pages.setdefault(code(wording), []).append(f"[](/{case.page}.md)")
    rows = [say("| Message | Explained in |"), "|---|---|"]
    rows += [f"| {message} | {'<br>'.join(links)} |" for message, links in pages.items()]
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
    look = " ".join(
        say("See [](/{page}).", page=f"{programs()[name][1]}.md") for name in entry.look
    )
    lines = [
        f"**{entry.title}**", "<br>".join(map(code, entry.wordings)), entry.symptom,
        say("*Try first:* {first} [More]({page})", first=entry.cure, page=entry.link),
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
