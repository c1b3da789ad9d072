"""What the book says of `examine`: the cases it finds, what it said of other people's models."""

from . import casebook, entries, pages
from .languages import say

# The `cases`, those `not_applicable`, the `sixties`, and `others`, with the `alarms`.
RECORD = "examine/trials/record.json"


def cases_table() -> str:
    """Return the silent cases, each with the check that finds it, as Markdown.

    Those that no model can show stand in a fold, with their reasons.
    """
    record, cases = pages.data(RECORD), entries.cases()
    checks_of, order = [], [slug for slug in cases if slug in record["cases"]]
    for slug in order:
        finds = record["cases"][slug]
        by = [f"`{name}`" for name in finds["found"]]
        by += [say("hint of {check}", check=f"`{name}`") for name in finds["hinted"]]
        checks_of.append((slug, ", ".join(by) or say("not found")))
    elsewhere = [(slug, say(why)) for slug, why in record["not_applicable"].items()]
    for slug, case in cases.items():
        if case.kind == "silent" and slug not in {*record["cases"], *record["not_applicable"]}:
            elsewhere.append((slug, say("not made into a model yet")))
    hits = sum(bool(finds["found"] or finds["hinted"]) for finds in record["cases"].values())
    hits_of = say("{hits} of {count} found.", hits=hits, count=len(order))
    opening = say("{count} cases that no model shows here, and why", count=len(elsewhere))

    def table(head: str, rows: list[tuple[str, str]]) -> str:
        return casebook.as_table(head, ((f"[](/{cases[slug].page}.md)", by) for slug, by in rows))

    fold = f'<details class="behind"><summary>{opening}</summary>\n\n{{}}\n\n</details>'
    folded = fold.format(table(say("| Case | Why not |"), elsewhere))
    return f"{table(say('| Case | Found by |'), checks_of)}\n\n{hits_of}\n\n{folded}"


def sixties_table() -> str:
    """Return what came of the models that were written for this, before and after, as Markdown."""
    names = {"first": say("first"), "second": say("second"), "script": say("second, by the script")}
    whens = {"before": say("before"), "after": say("now")}
    head = say(
        "| Sixty | When | Hit in silence | Found | Hint only | Whole | Alarmed | CPU s, median |"
    )
    keys = ("hit", "found", "hinted", "whole", "alarmed", "seconds")
    rows = [
        (names[sixty], whens[when] if sixty != "script" else "",
         *("" if said[key] is None else str(said[key]) for key in keys))
        for sixty, counts in pages.data(RECORD)["sixties"].items() for when, said in counts.items()
    ]  # fmt: skip
    return casebook.as_table(head, rows)


def corpus_table() -> str:
    """Return what was said of other people's models, by project, and each alarm in a sentence."""
    head = say("| Project | Models | Defects | Deliberate | False | CPU s, median |")
    rows, record = [], pages.data(RECORD)
    for name, project in sorted(record["others"].items(), key=lambda named: named[0] == "all"):
        keys = ("models", "defect", "deliberate", "false", "median_seconds")
        link = say("**all**") if name == "all" else f"[{name}]({project['repository']})"
        rows.append((link, *(str(project[key]) for key in keys)))
    alarms = [
        f"- {project['project']}, `{project['file']}`: {say(project['why'])}"
        for project in record["alarms"]
    ]
    table = casebook.as_table(head, rows)
    ran = sorted(record["others"]["all"]["ran"].items(), key=lambda counted: -counted[1])
    many = ", ".join(f"`{check}` {count}" for check, count in ran)
    by_check = say("Models that each check answered on: {many}.", many=many)
    return "\n".join([table, "", by_check, "", say("Every alarm, explained:"), "", *alarms])
