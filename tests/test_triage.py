"""The triage: from the text of an error to the chapter that explains it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bookkit import catalogue, execute, expectations, pages, publish
from tests.cells import printed_by
from trace_evidence import triage

ROOT = pages.ROOT
SITE = publish.site()
FAILURES = catalogue.load()
OTHERS = catalogue.load_others()
RECORDINGS = json.loads((ROOT / "stacks" / "recordings.json").read_text())
REPORTS = Path(__file__).parent / "reports"
PATTERNS = sorted(
    {row.pattern for entry in (*FAILURES.values(), *OTHERS.values()) for row in entry.signatures}
    | {row.pattern for entry in FAILURES.values() for row in entry.evidence}
    | {pattern for pattern, _ in triage.CLEANING}
    | {row for rule in publish.rules()["cases"] for row in (*rule["wordings"], *rule["evidence"])}
)
LEAK = """\
  File "/home/user/train.py", line 7, in <module>
    total = kept[0] + 1
jax.errors.UnexpectedTracerError: Encountered an unexpected tracer. A function transformed by JAX \
had a side effect, allowing for a reference to an intermediate value with type float32[] wrapped \
in a DynamicJaxprTracer to escape the scope of the transformation.
"""
DRIFT = """\
TypeError: scan body function carry input and carry output must have the same pytree structure, \
but they differ:
"""


def named(text):
    """Return the failures that a text points to, best first."""
    return [finding.id for finding in triage.triage(text).findings]


def other(text):
    """Return the id of the well-known other error that a text shows, or None."""
    found = triage.triage(text).other
    return found and found["id"]


def read(part):
    """Return the collected reports of one part: `tuning` or `held-out`."""
    return tomllib.loads((REPORTS / f"{part}.toml").read_text())["report"]


# --- the catalogue's wordings are real -------------------------------------------------------


@pytest.fixture(scope="module")
def printed():
    """What the cells of the book raise and warn, by page."""
    cache, found = execute.open_cache(), {}
    for path in pages.find_notebooks():
        execution = execute.from_cache(cache, pages.read_notebook(path))
        if execution is None:
            pytest.skip(f"{path.stem} is not executed: run `make book`, or the whole suite")
        cells = [cell for cell in execution.notebook.cells if cell.cell_type == "code"]
        halves = [
            half
            for cell in cells
            for half in (
                expectations.outcomes(cell).values() if expectations.is_both(cell) else [cell]
            )
        ]
        found[path.stem] = [
            out.evalue if out.output_type == "error" else out.get("text", "")
            for cell in halves
            for out in cell.outputs
            if out.output_type == "error" or out.get("name") == "stderr"
        ]
    return found


def test_each_wording_is_printed_by_a_cell_or_recorded_on_a_named_stack(printed):
    cells = [f"{text}" for texts in printed.values() for text in texts]
    reports = "\n".join(report["lines"] for report in read("tuning"))
    for entry in (*FAILURES.values(), *OTHERS.values()):
        subject = entry.id if entry.id in FAILURES else f"others.{entry.id}"
        near = {subject, *getattr(entry, "undecided_with", ())}
        near |= {name for name, row in FAILURES.items() if entry.id in row.undecided_with}
        texts = cells + [row["text"] for row in RECORDINGS if row["about"] in near]
        # A weak wording is another error's too, so that error's recordings show that it is real.
        texts += [row["text"] for row in RECORDINGS if row["about"].startswith("others.")]
        for row in entry.signatures:
            if row.source == "documentation":
                continue
            backed = re.search(row.pattern, reports if row.source == "report" else "\n".join(texts))
            assert backed, (
                f"{entry.id}: nothing real prints {row.text!r}. Add a program to "
                "stacks/recordings.py and run `make recordings`, or take the wording out."
            )


def test_the_recordings_are_those_of_the_programs_and_stacks_that_are_there():
    source = (ROOT / "stacks" / "recordings.py").read_text()
    programs = dict(
        reversed(pair) for pair in re.findall(r'^@about\("([\w.-]+)"\)\ndef (\w+)', source, re.M)
    )
    recorded = {row["program"]: row["about"] for row in RECORDINGS}
    assert recorded == programs, "run `make recordings`"
    rows = {path.stem for path in (ROOT / "stacks" / "matrix").glob("*.txt")}
    assert {row["stack"] for row in RECORDINGS} <= rows | {"frameworks"}


def test_only_wordings_that_no_stack_here_can_print_rest_on_reports():
    rest = [row for entry in FAILURES.values() for row in entry.signatures if row.source]
    assert {row.source for row in rest} <= {"report"}
    assert len(rest) <= 5


@pytest.mark.parametrize("row", RECORDINGS, ids=lambda row: f"{row['stack']}-{row['program']}")
def test_no_wording_of_one_failure_claims_what_was_recorded_of_another(row):
    subject = row["about"]
    allowed = {subject, *getattr(FAILURES.get(subject), "undecided_with", ())}
    allowed |= {name for name, entry in FAILURES.items() if subject in entry.undecided_with}
    if subject not in FAILURES:
        allowed |= {*OTHERS[subject.removeprefix("others.")].undecided_with}
    claimed = set(named(row["text"])) - allowed
    assert not claimed, (
        f"{claimed} is claimed of an error that is {subject}: narrow the wording that matched, "
        "give it fewer points, or say `undecided_with` in the catalogue, with a question"
    )


@pytest.mark.parametrize("failure", FAILURES)
def test_what_a_chapter_reproduces_leads_back_to_it(printed, failure):
    assert failure in named(printed[failure][0])[:2]


def test_most_recordings_of_a_failure_are_recognised():
    about = [row for row in RECORDINGS if row["about"] in FAILURES]
    missed = [row for row in about if row["about"] not in named(row["text"])[:2]]
    names = {(row["program"], row["stack"]) for row in missed}
    assert len(missed) <= len(about) / 10, names


# --- the rules mean the same in Python and in JavaScript -------------------------------------


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_one_that_python_and_javascript_read_alike(pattern):
    re.compile(pattern, re.ASCII | re.MULTILINE)
    foreign = re.search(
        r"\(\?(?![:!=])|\\[AZzsSdDhRKGpPXQE](?<!\\d)|[*+?}]\+|\$|(?<!\\)\[\[|\{,", pattern
    )
    assert not foreign, f"{pattern}: {foreign.group()} is not in both languages; write it plainly"


def test_a_wording_with_wildcards_matches_across_wrapped_lines():
    pattern = catalogue.phrase_pattern("got … (e.g. [1])")
    assert re.search(pattern, "got 3\n   (e.g.\n[1])")
    assert not re.search(pattern, "got 3 (e_g. [1])")


# --- it finds its way ------------------------------------------------------------------------


def score(reports):
    """Return (recall, how many, silence, how many) on a list of reports."""
    real = [report for report in reports if report["failure"]]
    alike = [report for report in reports if not report["failure"]]
    hits = sum(
        bool({report["failure"], report.get("also")} & {*named(report["lines"])[:2]})
        for report in real
    )
    silent = sum(not named(report["lines"]) for report in alike)
    return hits / len(real), len(real), silent / len(alike), len(alike)


@pytest.mark.parametrize("part", ["tuning", "held-out"])
def test_nine_of_ten_reports_find_their_chapter_and_look_alikes_none(part, record_property):
    recall, real, silence, alike = score(read(part))
    said = f"{part}: {recall:.0%} of {real} reports, nothing claimed in {silence:.0%} of {alike}"
    record_property("triage", said)
    print(said)
    cure = "look at the tuning part only, and write what its reports have in common as a rule"
    assert recall >= 0.9, f"{said}; {cure}"
    assert silence >= 0.8, f"{said}; {cure}"


def test_a_bare_message_is_enough():
    assert named(DRIFT) == ["lazy-pytree-drift"]
    assert named("unhashable type: 'DynamicJaxprTracer'") == ["tracer-hashing"]


def test_what_leaked_decides_which_of_two_chapters_comes_first():
    key = LEAK.replace("float32[]", "uint32[2]")
    assert named(key) == ["autoguide-under-vmap", "parallel-truncated-normal"]
    assert named(LEAK) == ["parallel-truncated-normal", "autoguide-under-vmap"]


def test_types_that_differ_are_told_from_structures_that_differ():
    text = "scan body function carry input and carry output must have equal types, but they differ:"
    assert named(text) == []
    assert other(text) == "carry-types"


@pytest.mark.parametrize(
    "text", ["", "KeyError: 'jax'", "ValueError: math domain error", "unhashable type: 'list'"]
)
def test_nothing_is_claimed_of_an_error_that_is_not_known(text):
    assert triage.triage(text) == triage.Answer([], None)


# --- whatever was pasted ---------------------------------------------------------------------


def coloured(text):
    return "".join(f"\x1b[0;31m{word}\x1b[0m " for word in text.split(" "))


def as_html(text):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<html><pre class="x">{text.replace("Error", "<b>Error</b>")}</pre></html>'


DISGUISES = {
    "colours": coloured,
    "colours without their escape": lambda text: coloured(text).replace("\x1b", ""),
    "HTML": as_html,
    "a quotation": lambda text: re.sub("^", "> ", text, flags=re.M),
    "pytest's margin": lambda text: re.sub("^", "E       ", text, flags=re.M),
    "a log": lambda text: re.sub("^", "2026-01-01 12:00:00 ERROR train: ", text, flags=re.M),
    "Windows": lambda text: text.replace("/home/user/", "C:\\Users\\user\\").replace("\n", "\r\n"),
    "a narrow terminal": lambda text: re.sub(r"(.{60}\S*) ", r"\1\n", text),
    "odd spaces": lambda text: text.replace(" ", "\xa0"),
    "a megabyte before it": lambda text: "step 1 loss 0.1\n" * 70_000 + text,
    "a megabyte after it": lambda text: text + "step 1 loss 0.1\n" * 70_000,
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_traceback_is_known_in_any_disguise(disguise):
    assert named(DISGUISES[disguise](LEAK)) == named(LEAK)
    assert named(DISGUISES[disguise](DRIFT)) == named(DRIFT)


def test_an_error_is_known_wherever_it_stands_in_a_chain():
    filtered = (
        "jax._src.traceback_util.UnfilteredStackTrace: " + LEAK + "\nThe stack trace below "
        "excludes JAX-internal frames.\nThe preceding is the original exception that occurred, "
        "unmodified.\n\n--------------------\n\nThe above exception was the direct cause of the "
        "following exception:\n\nTraceback (most recent call last):\n  File 'x.py', line 1\n"
        "RuntimeError: the model failed\n"
    )
    assert named(filtered) == named(LEAK)


def test_the_line_that_matched_is_named():
    (found,) = triage.triage("one\ntwo\n  " + DRIFT).findings
    assert found.number == 3
    assert found.line.startswith("TypeError: scan body function carry input")


# --- the answer leads somewhere --------------------------------------------------------------


def test_each_answer_leads_to_a_section_that_exists():
    for failure in FAILURES.values():
        text = (ROOT / publish.chapter(failure.id)).read_text()
        headings = re.findall(r"^#+ (.+)$", text, re.M)
        slugs = {re.sub(r"[^\w -]", "", row.lower()).replace(" ", "-") for row in headings}
        gone = {row.section for row in failure.signatures} - slugs
        assert not gone, f"{failure.id}.md has no section {gone}: mend `section` in the catalogue"
        assert failure.question.endswith(("?", ".")) and "?" in failure.question


def test_each_well_known_other_error_is_explained_somewhere():
    for entry in OTHERS.values():
        page, _, section = entry.link.partition("#")
        if not entry.link.startswith("https://"):
            text = (ROOT / page.lstrip("/")).read_text()
            assert not section or section.replace("-", " ") in re.sub(r"[^\w ]", "", text.lower())


def test_an_answer_in_words_names_line_chapter_fix_versions_and_question():
    text = triage.describe(triage.triage(DRIFT))
    for words in ("line 1", f"{SITE}book/failures/lazy-pytree-drift.html#fix-it", "0.17.0", "?"):
        assert words in text
    assert "None of the five" in triage.describe(triage.triage("No module named 'jax'"))
    assert "None of the five" in triage.describe(triage.triage("nothing"))


# --- the command and the magic ---------------------------------------------------------------


def run_command(*arguments, stdin=""):
    command = [sys.executable, "-m", "trace_evidence", "triage", *arguments]
    return subprocess.run(command, input=stdin.encode(), capture_output=True, cwd=ROOT)


def test_the_command_reads_a_file_or_standard_input(tmp_path):
    file = tmp_path / "error.txt"
    file.write_text(DRIFT)
    done = run_command(str(file))
    assert done.returncode == 0
    assert done.stdout == run_command(stdin=DRIFT).stdout
    assert b"Lazy pytree drift" in done.stdout


def test_the_command_prints_a_ranked_list_as_json_and_an_empty_one_for_nothing():
    (found,) = json.loads(run_command("--json", stdin=DRIFT).stdout)
    assert found["id"] == "lazy-pytree-drift"
    assert found["fix"] == f"{SITE}book/failures/lazy-pytree-drift.html#fix-it"
    done = run_command("--json", stdin="ModuleNotFoundError: No module named 'jax'")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


def test_the_command_says_in_one_line_what_it_cannot_read(tmp_path):
    done = run_command(str(tmp_path / "missing.txt"))
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert b"cannot read" in done.stderr


def run_notebook(folder):
    """Return what %triage prints: before an error, after one, after one on `then`."""
    sources = [
        "%load_ext trace_evidence",
        "%triage",
        "import jax\nkept = []\njax.jit(lambda x: kept.append(x))(1.0)\nkept[0] + 1",
        "%triage",
        "%%then\nfrom jax import lax\nlax.scan(lambda c, x: ((c, c), None), 0.0, None, 3)",
        "%triage",
        "%triage now",
    ]
    return printed_by(folder, *sources)


BEFOREHAND = [run_notebook]


@pytest.fixture
def notebook(beforehand):
    """What the notebook printed."""
    return beforehand(run_notebook)


def test_the_magic_names_the_chapter_of_the_last_exception(notebook):
    assert "No exception yet" in notebook[1]
    assert notebook[3].startswith("1. ")
    assert "parallel-truncated-normal" in notebook[3]
    assert "takes no arguments" in notebook[6]


def test_the_magic_knows_an_exception_of_the_old_stack(notebook):
    assert "lazy-pytree-drift" in notebook[5]
