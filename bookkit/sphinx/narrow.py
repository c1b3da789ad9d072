"""The narrowing: what do you see, where does it show, and at most six failures that it may be."""

import html
import json
from typing import Any

from bookkit import casebook, entries, publish
from bookkit.languages import say
from trace_evidence import narrowing, steps

from .directives import Generated, directive
from .triage_box import to_site

FORM = """\
<form id="narrow" class="narrow" data-root="{root}">
<fieldset><legend>{ask_see}</legend>{see}</fieldset>
<fieldset id="narrow-places" hidden><legend>{ask_where}</legend>{where}</fieldset>
<p id="narrow-status" role="status"></p>
<ol id="narrow-found"></ol>
<p id="narrow-none" hidden>{none}</p>
</form>
<div class="narrow-lists">{lists}</div>
<script type="application/json" id="narrow-data">{data}</script>
"""
BUTTON = (
    '<button type="button" name="{key}" value="{label}" aria-pressed="false">{words} '
    "<small>{count}</small></button>"
)


def marked(text: str) -> str:
    """Return a line of Markdown as HTML."""
    return steps.marked_up(" ".join(text.split()))


def none_of_these(here: Generated) -> str:
    """Return what to do where none of the failures is the reader's."""
    return say(
        "None of these? Let <a href='{examine}'><code>examine</code></a> compute the answer of a "
        "NumPyro model a second way. Run your program without <code>jit</code> "
        "(<code>JAX_DISABLE_JIT=1</code>) and in float64 (<code>JAX_ENABLE_X64=1</code>), and make "
        "it smaller until you know the answer by hand. If it is slow, grows or hangs, read "
        "<a href='{time}'>Time and memory</a>. Then ask: "
        "<a href='https://github.com/jax-ml/jax/discussions'>JAX</a>, "
        "<a href='https://forum.pyro.ai'>NumPyro</a>.",
        examine=here.address("book/examine/examine-your-model"),
        time=here.address("book/foundations/time-and-memory"),
    )


def shown_entries() -> dict[str, dict[str, Any]]:
    """Return what the script and the lists show of each entry, in the language that is spoken."""
    published = publish.everything()
    by_name: dict[str, dict[str, Any]] = {}
    for kind in (entries.CASE, entries.CHAPTER, entries.FAMILY):
        for name, entry in entries.of(kind).items():
            if {*entry.see} - {narrowing.ERROR}:
                closed = casebook.closed_in_words(entry) if kind == entries.CASE else ""
                by_name[name] = {
                    **{"see": entry.see, "where": entry.where, "library": entry.library},
                    **{"title": marked(entry.title), "href": to_site(entry.place)},
                    "symptom": marked(closed.replace("**", "") + entry.symptom),
                    "question": marked(entry.question),
                    "shows": html.escape(published[name]["shows"]),
                    **{key: published[name][key] for key in ("cure", "occurs")},
                }
    return by_name


def listed(by_name: dict[str, dict[str, Any]], see: str, where: str, root: str) -> str:
    """Return links to the entries that show one thing, in one place first of all."""
    return "".join(
        f'<li><a href="{root}{entry["href"]}">{entry["title"]}</a></li>'
        for entry in by_name.values()
        if see in entry["see"] and entry["where"][0] == where
    )


@directive("narrow")
def narrow(here: Generated) -> str:
    """Return the two questions, with counts; lists of links where scripts do not run."""
    by_name, root = shown_entries(), "../" * here.env.docname.count("/")

    def buttons(key: str, words: dict[str, str]) -> str:
        return "".join(
            BUTTON.format(key=key, label=label, words=marked(say(words[label])), count=count)
            for label, count in narrowing.counted(by_name, key).items()
        )

    lists = []
    for label in narrowing.counted(by_name, "see"):
        items = "".join(
            f"<li>{marked(say(place))}<ul>{links}</ul></li>"
            for key, place in narrowing.WHERE.items()
            if (links := listed(by_name, label, key, root))
        )
        words = marked(say(narrowing.SEE[label]))
        lists.append(f"<details><summary>{words}</summary><ul>{items}</ul></details>")
    data = json.dumps(by_name, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return FORM.format(
        root=root, data=data, lists="".join(lists), none=none_of_these(here),
        ask_see=say("No error, but a doubt? What do you see?"),
        ask_where=say("Where does it show?"),
        see=buttons("see", narrowing.SEE), where=buttons("where", narrowing.WHERE),
    )  # fmt: skip
