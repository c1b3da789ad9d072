"""The triage: from the text of an error to the page that explains it."""

import io
import json
import re
import sys

import pytest

from bookkit import casebook, entries, kept_outputs, pages, publish, versions
from evidence import engine, kinds
from tests.cells import printed_by
from tools import score
from trace_evidence import __main__ as command_line
from trace_evidence import triage

ROOT = pages.ROOT
SITE = pages.public_address()
FAILURES = entries.chapters()
EVERYDAY = entries.errors()
PROGRAMS = kinds.wordings()
RECORDINGS = [
    {**entry, "about": PROGRAMS[entry["program"]]["about"]}
    for entry in entries.wordings()
    if not entry["program"].startswith("everyday.")
]
RULES = [*publish.everything().values()]
PATTERNS = sorted(
    {row[0] for rule in RULES for row in (*rule["signatures"], *rule["evidence"])}
    | {pattern for pattern, _ in triage.CLEANING}
    | {triage.RELEASE}
)
LEAK = """\
  File "/home/user/train.py", line 7, in <module>
    numpyro.sample("x", truncated)
jax.errors.UnexpectedTracerError: Encountered an unexpected tracer. A function transformed by JAX \
had a side effect, allowing for a reference to an intermediate value with type float32[] wrapped \
in a DynamicJaxprTracer to escape the scope of the transformation.
"""
DRIFT = """\
TypeError: scan body function carry input and carry output must have the same pytree structure, \
but they differ:
"""


def named(text, **here):
    """Return the names of the answers to a text, best first."""
    return [finding.id for finding in triage.triage(text, **here).findings]


def chapters(text, looks=False):
    """Return the chapters among them, or those of the cases among them, best first.

    With `looks`, also those that an everyday error asks to look at.
    """
    names = []
    for finding in triage.triage(text).findings:
        if finding.kind != "everyday":
            names.append(finding.id)
        elif looks:
            names += [name for name, *_ in finding.look]
    family = {slug: case.family for slug, case in entries.cases().items()}
    return list(dict.fromkeys(family.get(name, name) for name in names))


# --- the chapters' wordings are real ---------------------------------------------------------


# What the cells of the book print, by page, as it was kept.
PRINTED = {path.stem: kept_outputs.file_of(path).read_text() for path in pages.find_notebooks()}


def reported():
    """Return the lines of all reports that rules may be written against, as one text."""
    return "\n".join(row["lines"] for row in score.read("tuning"))


def test_each_wording_of_a_chapter_is_printed_by_a_cell_or_recorded_on_a_named_stack():
    cells = [triage.clean(text) for text in PRINTED.values()]
    # A weak wording is another error's too, so that error's recordings show that it is real.
    other = [row["text"] for row in (*RECORDINGS, *entries.recorded())]
    for entry in FAILURES.values():
        near = {entry.name, *entry.undecided_with}
        near |= {name for name, row in FAILURES.items() if entry.name in row.undecided_with}
        texts = cells + [row["text"] for row in RECORDINGS if row["about"] in near]
        for wording in entry.wordings:
            shared = other if wording.points < triage.CLAIM else []
            source = reported() if wording.source == "report" else "\n".join([*texts, *shared])
            assert re.search(wording.regex, source, re.M), (
                f"{entry.name}: nothing real prints {wording.text!r}. Add a program to "
                "evidence/wordings.toml and run `python -m evidence wording`, or take it out."
            )


def test_the_recordings_are_those_of_the_programs_and_stacks_that_are_there():
    rows = engine.read(kinds.WORDING)
    old = [
        key
        for key, (_, *digests) in engine.wanted(kinds.WORDING).items()
        if not engine.is_known(rows.get(key), *digests)
    ]
    assert not old, "run `python -m evidence wording`"
    silent = {
        name for name in PROGRAMS if not any(rows[key]["type"] for key in rows if key[0] == name)
    }
    assert not silent, "they raise on no stack"
    known = set(FAILURES) | {f"everyday.{name}" for name in EVERYDAY}
    assert {row["about"] for row in PROGRAMS.values()} <= known, (
        "name a chapter, or an everyday error"
    )


@pytest.mark.parametrize("row", RECORDINGS, ids=lambda row: f"{row['stack']}-{row['program']}")
def test_no_wording_of_one_failure_claims_what_was_recorded_of_another(row):
    subject = row["about"]
    allowed = {subject, *getattr(FAILURES.get(subject), "undecided_with", ())}
    allowed |= {name for name, entry in FAILURES.items() if subject in entry.undecided_with}
    allowed |= {
        case.family
        for name in getattr(EVERYDAY.get(subject.removeprefix("everyday.")), "look", ())
        for case in [entries.cases().get(name)]
        if case
    }
    claimed = set(chapters(row["text"])) - allowed
    assert not claimed, (
        f"{claimed} is claimed of an error that is {subject}: narrow the wording that matched, "
        "give it fewer points, or say `undecided_with` in the front matter, with a question"
    )


@pytest.mark.parametrize("failure", FAILURES)
def test_what_a_chapter_reproduces_leads_back_to_it(failure):
    # Where no frame of NumPyro is left, an everyday answer comes first, and asks for it.
    first = re.search(r"^--- (?:then )?(?:error|stderr)\n((?:.+\n)+)", PRINTED[failure], re.M)[1]
    assert failure in chapters(first, looks=True)[:2]
    if failure in named(first):
        assert next(f.id for f in triage.triage(first).findings if f.kind != "everyday") == failure


def test_recordings_are_told_as_what_they_are():
    about = [row for row in RECORDINGS if row["about"] in FAILURES]
    missed = [row for row in about if row["about"] not in chapters(row["text"], looks=True)[:2]]
    assert len(missed) <= len(about) / 10, {(row["program"], row["stack"]) for row in missed}
    for row in RECORDINGS:
        kind, _, name = row["about"].partition(".")
        assert kind in FAILURES or name in named(row["text"])[:2], (row["program"], row["stack"])


# --- what the book prints leads back to it ---------------------------------------------------


def pages_of(name):
    """Return the pages that an answer is on, or leads to by one link of its card."""
    row = publish.everything()[name]
    links = [place for *_, place in (*row["look"], *row["printed"])]
    return {place.partition("#")[0] for place in (row["page"], *links)}


MESSAGES = [(page, row) for page, rows in publish.messages().items() for row in rows]


def test_each_message_that_a_page_prints_leads_there_by_at_most_one_link():
    first = [(page, row, named(row)[:1]) for page, row in MESSAGES]
    astray = [row for row in first if not row[2] or row[0] not in pages_of(*row[2])]
    assert not astray, "give the page's entry a wording for it, or see why another answer is first"
    assert len(MESSAGES) > 90


def test_a_leaked_tracer_leads_to_all_pages_that_print_it():
    leaks = "unexpected tracer|Leaked trace"
    print_it = {page for page, row in MESSAGES if re.search(leaks, row)}
    assert print_it <= pages_of("leaked-tracer") and len(print_it) > 11


# --- the rules mean the same in Python and in JavaScript -------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["x", "0", " "])
def test_no_pattern_takes_the_square_of_a_long_text(letter):
    """One that does runs here for minutes."""
    for pattern in PATTERNS:
        triage._compiled(pattern).search(letter * 100_000)
    assert named(letter * 400_000) == []


# --- it finds its way ------------------------------------------------------------------------


COLLECTIONS = {(part, report["from"]): None for part in score.PARTS for report in score.read(part)}


@pytest.mark.parametrize(("part", "collection"), COLLECTIONS)
def test_nine_of_ten_reports_find_their_answer_and_others_are_not_claimed(part, collection):
    rows = [*score.errors(row for row in score.read(part) if row["from"] == collection)]
    cure = "look at a tuning part only, and write what its reports have in common as a rule"
    assert sum(row.claimed for row in rows) <= max(1, 0.02 * len(rows)), cure
    # Some of these say words that no entry has. tests/reports/README.md says more.
    tenths = {"later": 7, "fourth-fresh": 8, "fifth-fresh": 8}.get(collection, 9)
    well = [row.well for row in rows if row.labelled]
    assert 10 * sum(well) >= tenths * len(well), f"{sum(well)} of {len(well)}; {cure}"


SHAPES = "ValueError: Incompatible shapes for broadcasting: shapes=[(100, 1), (50,)]"
IN_SAMPLE = f'File "numpyro/primitives.py", line 9, in sample\n{SHAPES}'
IN_SCAN = f'File "numpyro/contrib/control_flow/scan.py", line 9, in scan\n{IN_SAMPLE}'
OWN_LEAK = LEAK.replace('numpyro.sample("x", truncated)', "total = kept[0] + 1")


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        # What leaked decides which of two chapters comes first; without NumPyro it is a leak.
        (LEAK, ["parallel-truncated-normal", "jit-broken-after-leak", "autoguide-under-vmap"]),
        (LEAK.replace("float32[]", "uint32[2]"),
         ["autoguide-under-vmap", "parallel-truncated-normal", "jit-broken-after-leak"]),
        (OWN_LEAK, ["leaked-tracer"]),
        (f"haiku/_src/base.py\n{OWN_LEAK}", ["leaked-tracer"]),
        (f"flax/nnx/graph.py\n{OWN_LEAK}", ["leaked-tracer"]),
        ("flax.errors.TraceContextError: Cannot mutate Count from different trace level",
         ["leaked-tracer"]),
        # Shapes that do not fit are no chapter without a scan.
        (SHAPES, ["shapes-do-not-broadcast"]),
        (IN_SAMPLE, ["plate-does-not-fit", "shapes-do-not-broadcast"]),
        (IN_SCAN, ["zero-sum-normal-in-scan", "mvn-inside-scan", "plate-does-not-fit"]),
        # An exact wording comes before a general one.
        ("'NoneType' object has no attribute 'is_discrete'",
         ["levy-copy-no-support", "none-value"]),
        ("'ArrayImpl' object has no attribute 'get_raw_value'", ["nnx-variable-lost"]),
        ("jaxtyping.AnnotationError: Cannot process symbolic axis 'dim+1'", ["jaxtyped-missing"]),
        ("orbax: ValueError: cannot reshape array of size 2 into shape (1,64)",
         ["checkpoint-restore", "reshape-size"]),
        ("InvalidRngError: RNGs should be of shape (2,) or PRNGKey", ["framework-key-shape"]),
    ],
)  # fmt: skip
def test_an_error_has_these_answers_in_this_order(text, answers):
    assert named(text) == answers


# --- on which releases -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "releases"),
    [
        ("jax==0.4.31 numpyro==0.15.2", {"jax": "0.4.31", "numpyro": "0.15.2"}),
        ("jax:    0.4.30\njaxlib: 0.4.30", {"jax": "0.4.30", "jaxlib": "0.4.30"}),
        ("jaxlib 0.10.2", {"jaxlib": "0.10.2"}),
        (
            'File "/x/site-packages/equinox-0.11.4-py3.11.egg/equinox/_jit.py"',
            {"equinox": "0.11.4"},
        ),
        ("NumPyro version: 0.13.2", {"numpyro": "0.13.2"}),
        ("jax.tree_map was removed in JAX v0.6.0: use jax.tree.map (jax v0.4.25 or newer)", {}),
        ("jax 0.4.36 or newer is needed", {}),
        ("upgraded jax==0.4.31 to jax==0.5.0", {}),
    ],
)
def test_releases_are_read_from_a_text_where_it_shows_one(text, releases):
    assert triage.releases_in(text) == releases


@pytest.mark.parametrize(
    ("ranges", "releases", "answer"),
    [
        ({"numpyro": [["0.13.0", "0.16.1", False]]}, {"numpyro": "0.15.2"}, True),
        ({"numpyro": [["0.13.0", "0.16.1", False]]}, {"numpyro": "0.17.0"}, False),
        ({"numpyro": [["0.13.0", "0.22.0", True]]}, {"numpyro": "0.30"}, True),
        ({"numpyro": [["0.13.0", "0.22.0", True]]}, {"jax": "0.4.31"}, None),
        ({"jax": [["0.4.9", "0.4.35", False]], "equinox": [["0.11", "0.12", False]]},
         {"jax": "0.4.31", "equinox": "0.13.0"}, False),
    ],
)  # fmt: skip
def test_whether_a_failure_occurs_follows_from_the_measured_ranges(ranges, releases, answer):
    assert triage.occurs(ranges, releases) is answer


def test_nobody_on_a_new_release_is_told_of_an_old_fix():
    for text in (LEAK, DRIFT, f"numpyro==0.22.0\n{LEAK}"):
        said = triage.describe(triage.triage(text, {"numpyro": "0.22.0", "jax": "0.10.2"}))
        assert "fixed in" not in said
        assert "#fix-it" not in said
    old = triage.triage(f"numpyro==0.15.2\n{LEAK}", {"numpyro": "0.22.0"}).findings[0]
    assert old.id == "parallel-truncated-normal"
    assert old.occurs is True
    assert old.page.endswith("#fix-it")


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
    "a chain": lambda text: (
        f"jax._src.traceback_util.UnfilteredStackTrace: {text}\nThe above exception was the direct "
        "cause of the following exception:\n\nRuntimeError: the model failed\n"
    ),
    "a terminal's title": lambda text: re.sub("^", "\x1b]0;train.py\x07", text, flags=re.M),
    "odd spaces": lambda text: text.replace(" ", "\xa0"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_traceback_is_known_in_any_disguise(disguise):
    assert named(DISGUISES[disguise](LEAK)) == named(LEAK)
    assert named(DISGUISES[disguise](DRIFT)) == named(DRIFT)


@pytest.mark.parametrize(
    ("before", "after", "end"),
    [(0, 0, "\n"), (2, 2, "\r\n"), (30_000, 9, "\r\n"), (9, 30_000, "\n")],
)
def test_the_line_that_matched_is_named_however_long_the_text_is(before, after, end):
    text = "step 1 loss 0.1\n" * before + "  " + DRIFT + "step 1 loss 0.1\n" * after
    (finding,) = triage.triage(text.replace("\n", end)).findings
    assert finding.number == before + 1
    assert finding.line.startswith("TypeError: scan body function carry input")


# --- the answer leads somewhere --------------------------------------------------------------


def test_each_answer_leads_to_a_section_that_exists():
    for failure in FAILURES.values():
        text = (ROOT / f"book/failures/{failure.name}.md").read_text()
        headings = re.findall(r"^#+ (.+)$", text, re.M)
        slugs = {re.sub(r"[^\w -]", "", row.lower()).replace(" ", "-") for row in headings}
        slugs |= {*failure.once}  # which stand at the table of cases
        gone = {"cases", *(wording.section or "fix-it" for wording in failure.wordings)} - slugs
        assert not gone, f"{failure.name}.md has no section {gone}: mend `section` at its top"
        assert failure.question.endswith(("?", ".")) and "?" in failure.question


def test_an_answer_in_words_names_line_cure_page_releases_and_question():
    text = triage.describe(triage.triage(f"numpyro==0.16.1\n{DRIFT}"))
    page = f"{SITE}book/failures/lazy-pytree-drift.html#fix-it"
    for words in ("line 2", page, "NumPyro 0.16.1", "Carry the parameters", "?"):
        assert words in text
    assert "everyday error" in triage.describe(triage.triage("No module named 'jax'"))
    assert "Not known here" in triage.describe(triage.triage("nothing"))


# --- the command and the magic ---------------------------------------------------------------


@pytest.fixture
def command(monkeypatch, capsys):
    """A function that gives the command some bytes to read; returns its status and what it says."""

    def run(given, *words):
        monkeypatch.setenv("LC_ALL", "C")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        status = command_line.main(["triage", *words])
        return status, capsys.readouterr().out

    return run


def test_the_command_reads_a_file_or_standard_input(command, tmp_path):
    file = tmp_path / "error.txt"
    file.write_text(DRIFT)
    status, printed = command(b"", str(file))
    assert status == 0 and "Lazy pytree drift" in printed and "\x1b" not in printed
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"):
        assert command(DRIFT.encode(encoding)) == (0, printed), encoding


def test_no_control_character_of_a_log_reaches_the_terminal(command):
    clipboard = "\x1b]52;c;cm0gLXJmIH4=\x07\x1b]8;;http://x\x1b\\\x9b2J\x07\x08"
    printed = command(DRIFT.replace(":", f":{clipboard}").encode())[1]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printed)


def test_the_command_prints_a_versioned_form_and_its_status_says_whether_it_found_something(
    command,
):
    status, printed = command(f"numpyro==0.15.2\n{DRIFT}".encode(), "--json")
    answer = json.loads(printed)
    documented = (ROOT / "book" / "reference" / "json.md").read_text()
    assert (status, answer["format"]) == (0, command_line.FORMAT)
    assert (answer["releases"], answer["releases_from"]) == ({"numpyro": "0.15.2"}, "text")
    (findings,) = answer["findings"]
    assert findings["id"] == "lazy-pytree-drift"
    assert findings["page"] == f"{SITE}book/failures/lazy-pytree-drift.html#fix-it"
    for key in (*answer, *findings):
        assert f"`{key}`" in documented, f"the page for tools does not say what {key} is"
    assert f"| `format` | {command_line.FORMAT}, " in documented
    status, printed = command(b"nothing that is known", "--json")
    assert (status, json.loads(printed)["findings"]) == (1, [])


def test_who_reads_chinese_is_answered_in_chinese_and_tools_in_english(
    monkeypatch, tmp_path, capsys
):
    file = tmp_path / "error.txt"
    file.write_text(f"numpyro==0.15.2\n{DRIFT}")
    for locale, words in {"zh_CN.UTF-8": [], "de_DE.UTF-8": ["在循环里"]}.items():
        monkeypatch.setenv("LC_ALL", locale)
        file.write_text(f"numpyro==0.15.2\n{DRIFT}" + "".join(words))
        assert command_line.main(["triage", str(file)]) == 0
        printed = capsys.readouterr().out
        assert f"{SITE}zh-cn/book/failures/lazy-pytree-drift.html#fix-it" in printed
        assert "对策" in printed and "见文中所示" in printed and "Cure" not in printed
    assert command_line.main(["triage", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["findings"][0]["title"] == "Lazy pytree drift"
    monkeypatch.setenv("LC_ALL", "C")
    file.write_text(DRIFT)
    assert command_line.main(["triage", str(file)]) == 0
    assert "zh-cn" not in capsys.readouterr().out


@pytest.mark.slow
def test_the_magic_names_the_chapter_of_the_last_exception_on_either_stack(tmp_path):
    sources = [
        "%load_ext trace_evidence",
        "%triage",
        "import jax\nkept = []\njax.jit(lambda x: kept.append(x))(1.0)\nkept[0] + 1",
        "%triage",
        "%%then\nfrom jax import lax\nlax.scan(lambda c, x: ((c, c), None), 0.0, None, 3)",
        "%triage",
        "%triage now",
        "%narrow same loop",
    ]
    printed = printed_by(tmp_path, *sources)
    assert "No exception yet" in printed[1]
    assert printed[3].startswith("1. A tracer has leaked")
    assert "lazy-pytree-drift" in printed[5]
    assert "takes no arguments" in printed[6]
    assert "straight-walk" in printed[7]


def test_no_release_older_than_what_was_measured_is_said_to_be_right():
    for slug in entries.cases():
        known, stacks = versions.stacks_of(slug)
        if 0 < known < stacks:
            ranges = casebook.open_ranges(slug)
            assert triage.occurs(ranges, dict.fromkeys(ranges, "0.0.1")), slug
