"""What the book says of `examine`: the cases it finds, what it said of other people's models."""

import statistics
from typing import Any

from . import casebook, entries, pages
from .languages import say

ROWS, ABOUT = "examine/trials/rows.jsonl", "examine/trials/about.toml"
"""A row for each model; and why some cases have none, what alarms are, where projects are."""


def models(*of: str) -> list[dict[str, Any]]:
    """Return the rows of some sources, such as "first" and "pairs"."""
    return [model for model in pages.data(ROWS) if model["of"] in of]


def found_by() -> dict[str, dict[str, list[str]]]:
    """Return the checks that name each case of the book, by findings, and by hints."""
    book_cases, checks = entries.cases(), dict[str, dict[str, list[str]]]()
    for model in models("first", "second", "third", "pairs"):
        if model["case"] not in book_cases:
            continue
        by_kind = checks.setdefault(model["case"], {"findings": [], "hints": []})
        for kind, names in by_kind.items():
            says = {finding.partition(":")[0] for finding, cases in model.get(kind, {}).items()
                    if model["case"] in cases}  # fmt: skip
            names += sorted(says - {*names})
    return checks


def cases_table() -> str:
    """Return the silent cases, each with the check that finds it, as Markdown.

    Those that no model can show stand in a fold, with their reasons.
    """
    checks, cases, why = found_by(), entries.cases(), pages.data(ABOUT)["not_applicable"]
    checks_of, order = [], [slug for slug in cases if slug in checks]
    for slug in order:
        by = [f"`{name}`" for name in checks[slug]["findings"]]
        by += [say("hint of {check}", check=f"`{name}`") for name in checks[slug]["hints"]]
        checks_of.append((slug, ", ".join(by) or say("not found")))
    elsewhere = [(slug, say(reason)) for slug, reason in why.items()]
    for slug, case in cases.items():
        if case.kind == "silent" and slug not in {*checks, *why}:
            elsewhere.append((slug, say("not made into a model yet")))
    hits = sum(bool(finds["findings"] or finds["hints"]) for finds in checks.values())
    hits_of = say("{hits} of {count} found.", hits=hits, count=len(order))
    opening = say("{count} cases that no model shows here, and why", count=len(elsewhere))

    def table(head: str, pairs: list[tuple[str, str]]) -> str:
        return casebook.as_table(head, ((f"[](/{cases[slug].page}.md)", by) for slug, by in pairs))

    fold = f'<details class="behind"><summary>{opening}</summary>\n\n{{}}\n\n</details>'
    folded = fold.format(table(say("| Case | Why not |"), elsewhere))
    return f"{table(say('| Case | Found by |'), checks_of)}\n\n{hits_of}\n\n{folded}"


def counts(of: str, word: str = "said") -> dict[str, int]:
    """Return how many models of a source were hit and found, hinted at and named, or alarmed.

    Those that raise an error by themselves are not counted.
    """
    verdicts = [(model["case"], model[word]) for model in models(of) if model["case"] != "loud"]
    hit = [words for case, words in verdicts if case != "whole"]
    return {
        "hit": len(hit),
        "found": sum(words.startswith("found") for words in hit),
        "hinted": sum(words.startswith("hinted") for words in hit),
        "named": sum(words.endswith("named") for words in hit),
        "whole": len(verdicts) - len(hit),
        "alarmed": sum(words == "alarmed" for _, words in verdicts),
    }


def seconds(of: str) -> float:
    """Return the CPU seconds in which half of the models of a source were examined."""
    answered = (model["seconds"] for model in models(of) if model["said"] != "no answer")
    return round(statistics.median(answered), 1)


def sixties_table() -> str:
    """Return what came of the models that were written for this, before and after, as Markdown."""
    names = {"first": say("first"), "second": say("second"), "third": say("third"),
             "pairs": say("cases and their cures"),
             "chapters": say("chapters, on the old stack")}  # fmt: skip
    head = say(
        "| Models | When | Hit in silence | Found | Hint only | Named | Whole | Alarmed "
        "| CPU s, median |"
    )
    table = []
    for of, name in names.items():
        if of in ("first", "second", "third"):
            table.append((name, say("before"), *map(str, counts(of, "before").values()), ""))
        now = map(str, counts(of).values())
        table.append((name, say("now"), *now, str(seconds(of))))
        if of == "second":
            by_script = counts(of, "script") | {"named": ""}  # it names nothing
            table.append((say("second, by the script"), "", *map(str, by_script.values()), ""))
    return casebook.as_table(head, table)


def corpus_table() -> str:
    """Return what was said of other people's models, by project, and each alarm in a sentence."""
    head = say("| Project | Models | Defects | Deliberate | False | CPU s, median |")
    about = pages.data(ABOUT)
    answered = [model for model in models(*about["projects"]) if model["said"] != "no answer"]
    table = []
    for name in (*sorted(about["projects"]), "all"):
        mine = [model for model in answered if name in (model["of"], "all")]
        kinds = [sum(model["case"] == kind for model in mine) for kind in ("defect", "deliberate")]
        kinds.append(sum(model["said"] == "alarmed" for model in mine))
        median = round(statistics.median(model["seconds"] for model in mine), 2)
        repository = f"https://github.com/{about['projects'].get(name, [''])[0]}"
        link = say("**all**") if name == "all" else f"[{name}]({repository})"
        table.append((link, *map(str, (len(mine), *kinds, median))))
    checks = [check for model in answered for check in model["ran"]]
    ran = sorted({(check, checks.count(check)) for check in checks}, key=lambda pair: -pair[1])
    many = ", ".join(f"`{check}` {count}" for check, count in ran)
    return "\n".join(
        [
            casebook.as_table(head, table),
            "",
            say("Models that each check answered on: {many}.", many=many),
            "",
            say("Every alarm, explained:"),
            "",
            *(
                f"- {model['project']}, `{model['file']}`: {say(model['why'])}"
                for model in about["alarms"]
            ),
        ]
    )
