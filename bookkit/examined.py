"""What the book says of `examine`: the cases it finds, what it said of other people's models."""

from . import casebook, entries, pages
from .languages import say

# The `cases`, those `not_applicable`, and `others`, with the `alarms`.
RECORD = "examine/trials/record.json"


def cases_table() -> str:
    """Return the silent cases, each with the check that finds it, as Markdown.

    Those that no model can show stand in a fold, with their reasons.
    """
    record, known = pages.data(RECORD), entries.cases()
    found, order = [], [slug for slug in known if slug in record["cases"]]
    for slug in order:
        row = record["cases"][slug]
        by = [f"`{name}`" for name in row["found"]]
        by += [say("hint of {check}", check=f"`{name}`") for name in row["hinted"]]
        found.append((slug, ", ".join(by) or say("not found")))
    elsewhere = [(slug, say(why)) for slug, why in record["not_applicable"].items()]
    for slug, case in known.items():
        if case.kind == "silent" and slug not in {*record["cases"], *record["not_applicable"]}:
            elsewhere.append((slug, say("not made into a model yet")))
    hits = sum(bool(row["found"] or row["hinted"]) for row in record["cases"].values())
    said = say("{hits} of {count} found.", hits=hits, count=len(order))
    opening = say("{count} cases that no model shows here, and why", count=len(elsewhere))

    def table(head: str, rows: list[tuple[str, str]]) -> str:
        return casebook.as_table(head, ((f"[](/{known[slug].page}.md)", by) for slug, by in rows))

    fold = f'<details class="behind"><summary>{opening}</summary>\n\n{{}}\n\n</details>'
    folded = fold.format(table(say("| Case | Why not |"), elsewhere))
    return f"{table(say('| Case | Found by |'), found)}\n\n{said}\n\n{folded}"


def corpus_table() -> str:
    """Return what was said of other people's models, by project, and each alarm in a sentence."""
    head = say("| Project | Models | Defects | Deliberate | False | CPU s, median |")
    rows, record = [], pages.data(RECORD)
    for name, row in sorted(record["others"].items(), key=lambda row: row[0] == "all"):
        keys = ("models", "defect", "deliberate", "false", "median_seconds")
        link = say("**all**") if name == "all" else f"[{name}]({row['repository']})"
        rows.append((link, *(str(row[key]) for key in keys)))
    alarms = [f"- {row['project']}, `{row['file']}`: {say(row['why'])}" for row in record["alarms"]]
    table = casebook.as_table(head, rows)
    ran = sorted(record["others"]["all"]["ran"].items(), key=lambda row: -row[1])
    many = ", ".join(f"`{check}` {count}" for check, count in ran)
    by_check = say("Models that each check answered on: {many}.", many=many)
    return "\n".join([table, "", by_check, "", say("Every alarm, explained:"), "", *alarms])


TOOLS = {
    "bayeux": "[bayeux](https://github.com/jax-ml/bayeux)",
    "pymc": "[PyMC](https://www.pymc.io/)",
    "sbc": "[simulation-based calibration](https://arxiv.org/abs/1804.06788)",
    "stanc": "[Stan](https://mc-stan.org/)",
}
"""The tools of the record, as the book names them."""


def tools_table() -> str:
    """Return what other tools said of the same models, as Markdown."""
    head = say("| Tool | Models | Could not | Hit and told | Whole and warned | `examine` |")
    rows = []
    for tool, row in pages.data(RECORD)["tools"].items():
        hit = f"{len(row['hit'])} / {row['of']}"
        whole = ", ".join(f"`{name}`" for name in row["whole"]) or "0"
        ours = f"{row['by examine']} / {row['of']}"
        rows.append((TOOLS[tool], str(row["models"]), str(len(row["could not"])), hit, whole, ours))
    return casebook.as_table(head, rows)
