"""The field of the first page and of the error index: paste an error, or words to search for.

What it answers from goes to the browser as one script, made of what the reader's package knows.
"""

import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

from bookkit import avoid, entries, languages, pages, publish, versions
from bookkit.languages import cached, say

from .directives import Generated, directive

INDEX = "book/reference/error-index"
AVOID = "book/reference/releases-to-avoid"
DATA = "_static/doors-data.js"
COMMENTS = re.compile(r"\s*/\*\*.*?\*/|^\s*//[^\n]*\n|^[ ]+", re.S | re.M)
TOLD = (
    *("kind", "title", "family", "signatures", "evidence", "needs", "ranges", "cure", "question"),
)


def to_site(link: str) -> str:
    """Return a link of the package's data as one from the root of the site."""
    page, mark, section = link.partition("#")
    return link if link.startswith("https:") else f"{page}.html{mark}{section}"


@cached
def titles() -> dict[str, str]:
    """Return the titles of the pages that print a message, in the language that is spoken."""
    return {
        page: publish.bare(languages.of_page(page)(pages.title(page)))
        for page in publish.messages()
    }


def rules() -> dict[str, Any]:
    """Return what `triage.js` needs: the rules, with where each leads."""
    rules = []
    for name, entry in publish.everything().items():
        rule = {key: entry[key] for key in TOLD} | {"id": name, "versions": entry["occurs"]}
        rule["says"] = entry["cause"] or entry["symptom"]
        rule["href"] = to_site(entry["link"])
        if entry["kind"] == "everyday":
            rule |= {"here": to_site(entry["page"]), "from": source(entry["link"])}
        rule["look"] = [[other, title, to_site(page)] for other, title, page in entry["look"]]
        rule["printed"] = [[titles()[page], to_site(page)] for _, page in entry["printed"]]
        rules += [rule] if entry["signatures"] else []
    releases = [{**release, "href": to_site(AVOID)} for release in avoid.rules().values()]
    return {**publish.rules(), "rules": rules, "avoid": releases}


# What a rule says is in its document too, and sent once; what it lacks is not sent. In a pattern,
# each space is `BLANKS`.
BLANKS = r"[ \n]+"
JOINED = """\
{
  const { triage, documents, empty } = traceEvidence.known;
  triage.rules = triage.rules.map((rule) => ({ ...empty, ...rule }));
  for (const signature of triage.rules.flatMap((rule) => rule.signatures))
    signature[0] = signature[0].replaceAll(" ", "[ \\\\n]+");
  for (const one of documents) {
    const rule = triage.rules[one.rule];
    if (rule?.kind === "everyday") rule.here = one.href;
    if (rule) Object.assign(one, {title: rule.title, href: rule.href, ...one});
    if (rule?.says) one.keywords += ` ${rule.says}`;
    else if (rule) rule.says = one.text;
  }
}
"""


def parted(rules: list[dict[str, Any]], documents: list[dict[str, Any]]) -> None:
    """Take out of rules and documents what both have; `JOINED` puts it back in the browser."""
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    for document in documents:
        place = places.get(document.pop("name", ""))
        rule = {} if place is None else rules[place]
        if rule and document["text"] == rule["says"]:
            del rule["says"]
            document["rule"] = place
        elif rule and rule["says"] in document["keywords"]:
            document |= {"keywords": document["keywords"].replace(rule["says"], ""), "rule": place}
        if "rule" in document:
            rule.pop("here", None)
        for key in ("title", "href") if "rule" in document else ():
            if document[key] == rule[key]:
                del document[key]
        words = dict.fromkeys(document["keywords"].split())  # each once
        document["keywords"] = " ".join(words)


@cached
def data() -> str:
    """Return the script that hands triage and search their data, with the library that searches."""
    triage, searched = rules(), documents()
    parted(triage["rules"], searched)
    empty = {key: value for rule in triage["rules"] for key, value in rule.items() if not value}
    triage["rules"] = [{key: rule[key] for key in rule if rule[key]} for rule in triage["rules"]]
    for rule in triage["rules"]:
        signatures = rule["signatures"]
        rule["signatures"] = [[regex.replace(BLANKS, " "), *rest] for regex, *rest in signatures]
    sent = {"triage": triage, "documents": searched, "empty": empty}
    known = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    library = Path(__file__).with_name("minisearch.js").read_text(encoding="utf-8")
    library = COMMENTS.sub("", library)  # half of what it weighs
    known = f"globalThis.traceEvidence = {{...globalThis.traceEvidence, known: {known}}};"
    return f"{library}\n{known}\n{JOINED}"


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
<textarea id="triage-text" rows="5" spellcheck="false"
 placeholder="{example}" aria-describedby="triage-note"></textarea>
<p id="triage-note">{note} <span class="examples">{examples}</span></p>
<p><button type="submit">{submit}</button> <button type="reset">{clear}</button></p>
<p id="triage-status" role="status"></p>
<ol id="triage-findings"></ol>
</form>
<noscript><p>{without}</p></noscript>
"""


EXAMPLES = ("unhashable type: 'ArrayImpl'", "chains are identical", "nan gradient")


def tried(text: str) -> str:
    """Return a link that puts an example into the box."""
    return f'<a href="#/?q={quote(text)}">{html.escape(text, quote=False)}</a>'


@directive("triage")
def triage_box(here: Generated) -> str:
    """Return the box that takes an error or plain words, and links where scripts do not run."""
    root = "../" * here.env.docname.count("/")
    versions.ASKED.update(versions.answers())  # what the data say of them was computed once
    return BOX.format(
        data=f"{root}{data_address()}",
        paste=say("Paste an error, or words to search for"),
        example="UnexpectedTracerError: Encountered an unexpected tracer …",
        note=say("Nothing leaves this page."),
        examples=say("Try {examples}.", examples=say(", ").join(map(tried, EXAMPLES))),
        submit=say("Find it"), clear=say("Clear"),
        without=say(
            "Without scripts, look up the message in the <a href='{index}'>error index</a>, or "
            "what you see in the <a href='{cases}'>casebook</a>.",
            index=f"{root}{INDEX}.html", cases=f"{root}book/cases/index.html",
        ),
    )  # fmt: skip


def source(link: str) -> str:
    """Return whose page a link leads to, in words."""
    names = {"docs.jax.dev": "JAX", "num.pyro.ai": "NumPyro", "flax.": "Flax", "kidger.site": ""}
    for host, name in names.items():
        if host in link:
            name = name or link.split("/")[3].title()
            return say("in the documentation of {library}", library=name)
    return say("in this book")


def documents() -> list[dict[str, Any]]:
    """Return what `search.js` searches: the entries, and the pages with their sections."""
    described = []
    families: dict[str, list[str]] = {}  # of the pages that families lead to, which stand below
    for entry in entries.by_name().values():
        if entry.form == entries.FAMILY and entry.link:
            families[entry.link] = [entry.title, *entry.phrases]
            continue
        words = [
            *entry.phrases,
            entry.cause,
            entry.message,
            *(wording.text for wording in entry.wordings),
        ]
        errors = {wording.type for wording in entry.wordings if wording.text.endswith(wording.type)}
        words += [entries.LIBRARIES.get(entry.library, ""), entry.name.replace("-", " ")]
        texts = (" ".join(words), " ".join(sorted(errors)), entry.name)
        described.append((entry.title, entry.place, entry.symptom, *texts))
    with_entry = {entry.page for entry in entries.by_name().values()}
    for item in pages.contents():
        if item.page not in with_entry:
            text = pages.read(pages.path_of(item.page))
            heads = re.findall(r"^##+ (.+)$", pages.FENCE.sub("", text), re.M)
            meta = pages.meta(item.page)
            about = " ".join(meta.get("description", "").split())
            translated = languages.of_page(item.page)
            other = [*map(translated, heads), item.page.replace("/", " "), item.part]
            other += [*map(say, meta.get("keywords", [])), *families.get(item.page, [])]
            title = translated(pages.title(item.page))
            described.append((title, item.page, say(about), " ".join(other), "", ""))
    keys = ("title", "href", "text", "keywords", "errors", "name")
    documents = [
        dict(zip(keys, (title, to_site(place), " ".join(text.split()), *words), strict=True))
        for title, place, text, *words in described
    ]
    return [
        {key: words for key, words in document.items() if words or key != "errors"}
        for document in documents
    ]


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load the scripts of triage and search where they are."""
    if page in (INDEX, app.config.root_doc):
        for name in ("doors.js", "search.js", "triage.js", "errors.js"):
            app.add_js_file(name)
    if page == "search":
        for name in ("asked.js", "doors.js", "search.js", "triage.js", "results.js"):
            app.add_js_file(name)
        context["doors_data"] = data_address()


def setup(app: Sphinx) -> dict:
    """Connect the field with Sphinx."""
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_data)
    return {"parallel_read_safe": True, "version": "1"}
