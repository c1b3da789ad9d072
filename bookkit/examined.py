"""What the book says of `examine`: the cases it finds, what it said of other people's models."""

import statistics
from typing import Any

from . import casebook, entries, pages
from .languages import say

ROWS, ABOUT = "examine/trials/rows.jsonl", "examine/trials/about.toml"
"""A row for each model; and why some cases have none, what alarms are, where projects are."""


def rows(*of: str) -> list[dict[str, Any]]:
    """Return the rows of some sources, such as "first" and "pairs"."""
    return [row for row in pages.data(ROWS) if row["of"] in of]


def found_by() -> dict[str, dict[str, list[str]]]:
    """Return the checks that name each case of the book, by findings, and by hints."""
    known, checks = entries.cases(), dict[str, dict[str, list[str]]]()
    for row in rows("first", "second", "third", "pairs"):
        if row["case"] not in known:
            continue
        kept = checks.setdefault(row["case"], {"findings": [], "hints": []})
        for kind, names in kept.items():
            says = {told.partition(":")[0] for told, cases in row.get(kind, {}).items()
                    if row["case"] in cases}  # fmt: skip
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

    def table(head: str, rows: list[tuple[str, str]]) -> str:
        return casebook.as_table(head, ((f"[](/{cases[slug].page}.md)", by) for slug, by in rows))

    fold = f'<details class="behind"><summary>{opening}</summary>\n\n{{}}\n\n</details>'
    folded = fold.format(table(say("| Case | Why not |"), elsewhere))
    return f"{table(say('| Case | Found by |'), checks_of)}\n\n{hits_of}\n\n{folded}"


def counts(of: str, word: str = "said") -> dict[str, int]:
    """Return how many models of a source were hit and found, hinted at and named, or alarmed.

    Those that raise an error by themselves are not counted.
    """
    said = [(row["case"], row[word]) for row in rows(of) if row["case"] != "loud"]
    hit = [words for case, words in said if case != "whole"]
    return {
        "hit": len(hit),
        "found": sum(words.startswith("found") for words in hit),
        "hinted": sum(words.startswith("hinted") for words in hit),
        "named": sum(words.endswith("named") for words in hit),
        "whole": len(said) - len(hit),
        "alarmed": sum(words == "alarmed" for _, words in said),
    }


def seconds(of: str) -> float:
    """Return the CPU seconds in which half of the models of a source were examined."""
    answered = (row["seconds"] for row in rows(of) if row["said"] != "no answer")
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
    answered = [row for row in rows(*about["projects"]) if row["said"] != "no answer"]
    table = []
    for name in (*sorted(about["projects"]), "all"):
        mine = [row for row in answered if name in (row["of"], "all")]
        kinds = [sum(row["case"] == kind for row in mine) for kind in ("defect", "deliberate")]
        kinds.append(sum(row["said"] == "alarmed" for row in mine))
        median = round(statistics.median(row["seconds"] for row in mine), 2)
        repository = f"https://github.com/{about['projects'].get(name, [''])[0]}"
        link = say("**all**") if name == "all" else f"[{name}]({repository})"
        table.append((link, *map(str, (len(mine), *kinds, median))))
    checks = [check for row in answered for check in row["ran"]]
    ran = sorted({(check, checks.count(check)) for check in checks}, key=lambda one: -one[1])
    many = ", ".join(f"`{check}` {count}" for check, count in ran)
    return "\n".join(
        [
            casebook.as_table(head, table),
            "",
            say("Models that each check answered on: {many}.", many=many),
            "",
            say("Every alarm, explained:"),
            "",
            *(f"- {row['project']}, `{row['file']}`: {say(row['why'])}" for row in about["alarms"]),
        ]
    )
