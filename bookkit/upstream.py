"""The page *Upstream*: the defects with a patch, what was proven of each, and where they stand."""

from pathlib import Path

from . import casebook, entries, pages, versions
from .languages import cached, in_language, say

FOLDER = pages.ROOT / "evidence" / "upstream"
ROWS, CHECKED_OUT = "evidence/rows/patch.jsonl", "evidence/rows/checkout.jsonl"
STACK = "patches"  # the releases on which patches are proven


@cached
def defects() -> dict[str, dict]:
    """Return the rows of `evidence/upstream/index.toml` by folder."""
    defects = pages.data("evidence/upstream/index.toml")["defect"]
    return {defect["folder"]: in_language(defect, "title", "state") for defect in defects}


def proven() -> dict[str, dict]:
    """Return what was found of each folder, and of all patches `together`, on the releases."""
    return {row["program"]: row for row in pages.data(ROWS)}


def checked_out() -> dict[str, dict]:
    """Return what was found of each folder in a checkout of the library."""
    return {row["program"]: row for row in pages.data(CHECKED_OUT)}


def reproducer(name: str) -> str:
    """Return the program of a folder's report, which exits with 1 while the defect lives."""
    report = (FOLDER / name / "report.md").read_text()
    return report.partition("```python\n")[2].partition("```")[0]


def write_reproducer(name: str) -> Path:
    """Write that program to a file of its own, which a page offers; return the file."""
    file = pages.BUILD / "upstream" / name / "reproducer.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(reproducer(name))
    return file


def proof(name: str) -> str:
    """Return what `python -m evidence patch` found of a folder's test, in a few words."""
    nothing = {"state": say("not proven yet: `make measure`")}
    measured = nothing | (checked_out() | proven()).get(name, {})
    if measured["state"] == "fixed":
        release = versions.pins(STACK)["numpyro"]
        measured = {"state": say("**fixed** in NumPyro {release}", release=release)}
    if measured["state"] != "proven":
        return measured["state"]
    test = measured["test"]
    total = sum(test["with"].values())
    failed = test["without"]["failed"]
    return say("{failed} of {total}, then none", failed=failed, total=total)


def on_main(name: str) -> str:
    """Return what became of a defect on NumPyro's main branch, and at which commit, if known."""
    outcome = checked_out().get(name, {}).get("main")
    if not outcome:
        return say("not measured")
    states = {
        "merged": say("merged"),
        "fixed otherwise": say("fixed otherwise"),
        "still needed": say("still needed"),
        "needs a new patch": say("still needed, and needs a new patch"),
        "older": say("older than the release, so the patch does not apply"),
    }
    return f"{states[outcome['state']]} ({outcome['commit']})"


def table() -> str:
    """Return the defects with a patch as a table, silent ones first."""
    head = say("| Defect | Occurs in | Tests that fail without the patch, and with it | Main |")
    rows = []
    for name, defect in defects().items():
        mark = f"{{inline-mark}}`{defect['kind']}: {say(defect['kind'])}`"
        (test,) = sorted((FOLDER / name).glob("test_*.py"))
        files = {
            say("patch"): f"/evidence/upstream/{name}/fix.patch",
            say("test"): f"/evidence/upstream/{name}/{test.name}",
            say("reproducer"): f"/{write_reproducer(name).relative_to(pages.ROOT)}",
        }
        links = [f"{{download}}`{key} <{file}>`" for key, file in files.items()]
        links += [
            f"[{word}]({pages.source(f'evidence/upstream/{name}/{key}.md')})"
            for key, word in {"report": say("report"), "notes": say("notes")}.items()
        ]
        by_name = entries.cases()
        cases = say("; ").join(casebook.link(by_name[slug]) for slug in defect["cases"])
        title = defect["title"].replace("|", "\\|")
        state = f"[{defect['state']}]({defect['url']})" if defect.get("url") else defect["state"]
        what = f"**{title}** {mark} · {state}"
        what += say("<br>Cases: {cases}", cases=cases) if cases else ""
        what += f"<br>{' · '.join(links)}"
        since = casebook.occurs_in(defect["cases"][0]) if defect["cases"] else say("not measured")
        rows.append((what, since, proof(name), on_main(name)))
    return casebook.as_table(head, rows)


def rest_table() -> str:
    """Return the book's cases that are a library's defect and have no patch here."""
    head, rows = say("| Case | What is known upstream |"), []
    patched = {slug for defect in defects().values() for slug in defect["cases"]}
    for case in entries.cases().values():
        if case.whose == "library" and case.name not in patched:
            mark = f"{{inline-mark}}`{case.kind}: {say(case.kind)}`"
            library = entries.LIBRARIES[case.library]
            rows.append((f"{casebook.link(case)} {mark} · {library}", casebook.upstream(case)))
    return casebook.as_table(head, rows)


def summary() -> str:
    """Return when and on what the patches were proven, and what they come to together."""
    measured, pins = proven(), versions.pins(STACK)
    cases = [case for case in measured["together"]["cases"].values() if case["patched"]]
    good = sum(case["verdict"] == "ok" for case in cases)
    silent = sum(case["verdict"] == "ok" and case["kind"] == "silent" for case in cases)
    days = sorted({row["date"] for row in measured.values()})
    owners = [case.whose for case in entries.cases().values()]
    text = say(
        "Proven on {day} with NumPyro {numpyro} and JAX {jax}, from released packages.",
        day=days[-1], numpyro=pins["numpyro"], jax=pins["jax"],
    )  # fmt: skip
    text += say(
        " With all patches applied together, {good} of the {count} cases that they address "
        "give the results that their pages expect; {silent} of these cases are silent.",
        good=good, count=len(cases), silent=silent,
    )  # fmt: skip
    return text + say(
        " Of the {count} cases of the book, {library} are a defect of a library, {documented} "
        "a limit that it documents, and {yours} a mistake in the program; only the first are on "
        "this page.",
        count=len(owners), library=owners.count("library"),
        documented=owners.count("documented"), yours=owners.count("yours"),
    )  # fmt: skip
