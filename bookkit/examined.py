"""What the book says of `examine`: the cases it finds, what it said of other people's models."""

from __future__ import annotations

from tools.examining import corpus, detection

from . import records


def cases_table() -> str:
    """Return the silent cases, each with the check that finds it, as Markdown."""
    record, known = detection.load(), records.load()
    rows = ["| Case | Found by | Cured twin |", "|---|---|---|"]
    order = [slug for slug in known if slug in record["cases"]]
    for slug in order:
        row = record["cases"][slug]
        found = ", ".join(f"`{name}`" for name in row["found"]) or "not found"
        twin = "; ".join(row["alarms"]) or "no finding"
        rows.append(f"| [](/{known[slug].page}.md) | {found} | {twin} |")
    for slug, case in known.items():
        if case.kind == "silent" and slug not in {*record["cases"], *record["not_applicable"]}:
            rows.append(f"| [](/{case.page}.md) | not made into a model yet | |")
    for slug, why in record["not_applicable"].items():
        rows.append(f"| [](/{known[slug].page}.md) | not applicable: {why} | |")
    hits = sum(bool(row["found"]) for row in record["cases"].values())
    said = (
        f"{hits} of {len(order)} found. No model shows the other {len(record['not_applicable'])}."
    )
    return "\n".join([*rows, "", said])


def corpus_table() -> str:
    """Return what was said of other people's models, by project, and each alarm in a sentence."""
    rows = [
        "| Project | Models | Set aside | Defects | Deliberate | False | CPU s, median |",
        "|---|---|---|---|---|---|---|",
    ]
    summary, projects = corpus.summary(corpus.load()), corpus.projects()
    for name, row in summary.items():
        keys = ("models", "aside", "defect", "deliberate", "false", "median_seconds")
        cells = [str(row[key]) for key in keys]
        link = "**all**" if name == "all" else f"[{name}]({projects[name]['repository']})"
        rows.append(f"| {link} | {' | '.join(cells)} |")
    cost = summary["all"]
    rows += [
        "",
        f"One compile of a model's gradient was timed as well, for {cost['costed']} of them: "
        f"`examine` took {cost['ratio']} times as much in the median, and {cost['largest_ratio']} "
        "times at most.",
    ]
    alarms = [f"- {entry['project']}, `{entry['file']}`: {entry['why']}"
              for entry in corpus.explanations()]  # fmt: skip
    said = ["Every alarm, explained:", "", *alarms] if alarms else ["No model was alarmed."]
    return "\n".join([*rows, "", *said])
