"""Each case is a page and a record, and keeps the contract: `got`, `expected`, `cured`."""

import ast
import re

import pytest

from bookkit import casebook, entries, pages, versions

CASES = entries.cases()
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
LINES, DRAWING_LINES, COLUMNS, WHY = 60, 8, 80, 125
TRACKER = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull|discussions)/\d+")


def text_of(case):
    return pages.path_of(case.page).read_text()


def cells_of(case, section):
    return [cell for cell in case.cells if cell.section == section]


def is_fixed(case):
    """Tell whether the page says that its program does right on the stack now."""
    cells = cells_of(case, "What you see")
    tags = {tag for cell in cells for tag in cell.node.metadata.get("tags", [])}
    return "fixed" in tags or any("was" in cell.node.metadata.get("expect", {}) for cell in cells)


def asserts_of(cell):
    """Return the names used in each of a cell's assertions."""
    code = "\n".join(line for line in cell.node.source.splitlines() if not line.startswith("%"))
    nodes = [node for node in ast.parse(code).body if isinstance(node, ast.Assert)]
    return [{n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in nodes]


# --- the record ------------------------------------------------------------------------------


@each_case
def test_a_record_is_complete(case):
    where = f"{case.name}.md"
    for words in (case.symptom, case.cause, case.cure):
        assert words.strip().endswith("."), f"{where}: a sentence ends with a full stop: {words!r}"
    right = case.kind == "loud" or case.wasteful or case.name == "leak-checker-blind"
    assert (case.severity == 3) == right, (
        f"{where}: an error or a waste is `severity: 3`, and a wrong answer is not"
    )
    assert case.see and case.where, f"{where}: say what one sees, and where"
    assert 3 <= len(case.phrases) <= 8, f"{where}: give 3 to 8 `phrases`"
    if case.kind == "loud":
        assert case.wordings, f"{where}: a loud case needs the `wordings` of its message"
    assert case.upstream, f"{where}: say what the tracker has, or `not_reported` with the search"
    for row in case.upstream:
        told = len(row.get("not_reported", "").split(";")) >= 2  # two searches or more
        assert told or TRACKER.fullmatch(row.get("url", "")), f"{where}: {row}"


def test_each_family_begins_with_what_costs_most():
    table = casebook.index_table()
    assert table.count("](/book/cases/") == len(CASES)
    for family in entries.families():
        cases = [case for case in CASES.values() if case.family == family]
        shown = sorted(cases, key=lambda case: table.index(casebook.link(case)))
        assert shown == sorted(shown, key=lambda case: case.severity), family


# --- the page --------------------------------------------------------------------------------


@each_case
def test_a_case_has_its_sections_and_its_card_and_is_short(case):
    bare = pages.CELL.sub("", text_of(case))
    assert re.findall(r"^## (.+)$", bare, re.M) == entries.SECTIONS
    assert text_of(case).count("```{case-card}") == 1
    lines = 0
    for cell in case.cells:
        rows = [line for line in cell.node.source.splitlines() if line.strip()]
        where = f"{case.name}.md:{cell.line}"
        if "figure" in cell.node.metadata.get("expect", {}):  # it is folded
            assert len(rows) <= DRAWING_LINES, (
                f"{where}: a drawing of {len(rows)} lines; shorten it"
            )
        else:
            lines += len(rows)
        wide = [row for row in rows if len(row) > COLUMNS]
        assert not wide, f"{where}: wider than {COLUMNS} columns: {wide}"
    assert lines <= LINES, f"{case.name}.md: {lines} lines of code; at most {LINES}"
    why = re.search(r"^## Why\n(.*?)^## ", bare, re.M | re.S)[1]
    assert len(why.split()) <= WHY, f"{case.name}.md: *Why* has more than {WHY} words"


@each_case
def test_a_page_asserts_the_wrong_answer_and_the_right_one(case):
    """That the program computes both is what the matrix holds, which runs it without asserts."""
    where = f"{case.name}.md"
    if case.kind == "silent":
        wanted = "fixed" if is_fixed(case) else "silent-failure"
        seen = cells_of(case, "What you see")
        silent = [cell for cell in seen if wanted in cell.node.metadata.get("tags", [])]
        held = [names for cell in silent for names in asserts_of(cell)]
        assert any({"got", "expected"} <= names for names in held), (
            f"{where}: assert that `got` is unlike `expected`, in a cell tagged `{wanted}`"
        )
    held = [names for cell in cells_of(case, "Cure") for names in asserts_of(cell)]
    assert any({"cured", "expected"} <= names for names in held), (
        f"{where}: assert that `cured` is like `expected`"
    )


def origins(cells, name):
    """Return the names that a variable of a program is computed from, on the way that it takes."""
    found, rows = [name], []
    for node in ast.walk(ast.parse("\n".join(cell["code"] for cell in cells))):
        if isinstance(node, ast.Assign):
            rows.append([names_in(part) for part in (ast.Tuple(node.targets), node.value)])
    for one in found:  # which grows
        for targets, used in rows:
            found += [name for name in used if one in targets and name not in found]
    return {*found[1:]}


def names_in(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


@each_case
def test_no_answer_is_made_of_the_one_that_it_is_compared_with(case):
    """Else the matrix finds for ever that the two agree."""
    parts, where = entries.program(case), f"{case.name}.md"
    program, cure = parts["program"], parts["cure"]
    assert "expected" not in origins(program, "got"), f"{where}: `got` is made of `expected`"
    made = origins(cure, "cured")
    assert made and "expected" not in made, f"{where}: `cured` is computed by the cure's own code"
    made = origins([*program, *cure], "expected") & {"got", "cured"}
    assert not made, f"{where}: compute `expected` in another way, and not from {made}"


@each_case
def test_an_assertion_is_as_strict_as_the_matrix(case):
    """Which compares by the record's `tolerance`, relative and absolute."""
    for cell in case.cells:
        where = f"{case.name}.md:{cell.line}"
        code = "\n".join(line for line in cell.node.source.splitlines() if not line.startswith("%"))
        asserts = [node for node in ast.parse(code).body if isinstance(node, ast.Assert)]
        for node in [part for one in asserts for part in ast.walk(one)]:
            names = names_in(node)
            if isinstance(node, ast.Compare) and names & {"got", "expected", "cured"}:
                same = [op for op in node.ops if isinstance(op, ast.Is | ast.IsNot)]
                assert not same, f"{where}: `is` tells objects apart, and not answers"
                alike = all(isinstance(op, ast.Eq) for op in node.ops)
                assert alike or not {"cured", "expected"} <= names, f"{where}: write `==`"
            if isinstance(node, ast.Call) and {"cured", "expected"} <= names:
                assert len(node.args) <= 2, f"{where}: name the tolerance: `rtol=…`"
                for word in node.keywords:
                    assert ast.literal_eval(word.value) <= case.tolerance, (
                        f"{where}: `{word.arg}` is larger than {case.tolerance}, the `tolerance` "
                        "of the record, by which the matrix compares"
                    )


@each_case
def test_a_drawing_of_both_answers_is_folded_and_says_the_difference(case):
    for cell in [cell for cell in case.cells if "comparison import compare" in cell.node.source]:
        tags = set(cell.node.metadata["tags"])
        assert tags == {"aside", "hide-input"}, f"{case.name}.md: a drawing is an aside, folded"
        alt = cell.node.metadata["mystnb"]["image"]["alt"]
        assert re.search(r"\d", alt), f"{case.name}.md: say the difference in numbers: {alt}"


def test_only_the_assertion_is_left_out_of_what_the_stacks_run():
    code = "%time\nx = 1\nassert (\n  x\n)  # why\ny = 2"
    assert entries.without_asserts(code) == "x = 1\ny = 2"
    code = "é = 1; assert é; assert é\nassert é; y = (é,\n2)\nassert é; assert y"
    space: dict = {}
    exec(entries.without_asserts(code), space)
    assert (space["é"], space["y"]) == (1, (1, 2))
    assert "assert" not in entries.without_asserts(code)
    code = "x = '''\n%d items\n'''\n%time\ny = (x\n% 1)"
    assert entries.without_asserts(code) == code.replace("%time\n", "")


# --- the matrix ------------------------------------------------------------------------------


@each_case
def test_a_case_does_on_the_newest_stack_what_its_page_says(case):
    parts = versions.newest()["verdicts"].get(case.name)
    assert parts, f"{case.name} is not measured: run `make page P={case.name}`"
    wanted = {"silent": {"wrong"}, "loud": {"fails", "warns"}}[case.kind]
    if is_fixed(case):
        wanted = {"ok"}
    where = f"{case.name}.md, on the newest stack"
    assert parts["verdict"] in wanted, (
        f"{where}: its program is {parts['verdict']!r}, the page {case.kind}: a cell that shows a "
        f"wrong answer is tagged `silent-failure`, one that raises `raises-exception`: {parts}"
    )
    assert parts["cure"]["verdict"] == "ok", f"{where}: the cure does not hold: {parts['cure']}"


# --- a record that is wrong says where and what ----------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "  whose: library",
            "  whose: mine",
            "`whose` is 'mine'; it is one of library, documented",
        ),
        ("  whose: library", "  whose: [library]", "`whose` is ['library']; write a text"),
        ("  whose:", "  whos:", "unknown key `whos`; known are"),
        ("  library: ", "  library: jax\n  library: ", "the key `library` stands twice"),
        ("  library: numpyro\n", "", "no `library`; add it"),
        ("entry:\n", "entry:\n  severity: true\n", "`severity` is True; write a whole number"),
        ("entry:\n", "entry:\n  tolerance: small\n", "`tolerance` is 'small'; write a"),
        ("entry:\n", "entry:\n  tolerance: 0\n", "`tolerance` is 0; write a number above"),
        ("entry:\n", "entry:\n  wordings: [hello]\n", "`wordings[0]` is 'hello'; write a"),
        ("entry:\n", "entry:\n  wordings: [{text: a}]\n", "no `type` in `wordings[0]`"),
        ("entry:\n", "entry:\n  evidence: [{pattern: '('}]\n", "pattern` is '('; escape"),
        ("entry:\n", "entry:\n  decided_by: [jaxx]\n", "is 'jaxx'; it is one of numpyro"),
        ("  see: [", "  see: [drawz, ", "`see[0]` is 'drawz'; it is one of"),
        ("  see: [loading, elsewhere]", "  see: loading", "`see` is 'loading'; write a list"),
        ("  see: [loading, elsewhere]", "  see: 5", "`see` is 5; write a list"),
        ("  cure: Save", "  cure:\n  # Save", "`cure` is None; write a text"),
        (
            "      url: https://github.com/pyro-ppl/numpyro/pull/1509\n",
            "",
            "`upstream[1]` is {'text'",
        ),
        ("  whose: ", "  whose: [", "invalid front matter"),
        ("entry:\n", "entries:\n", "the record is None; write a mapping"),
    ],
)
def test_a_wrong_record_is_one_line_with_file_line_and_cure(tmp_path, monkeypatch, old, new, words):
    monkeypatch.setattr(pages, "CASES", tmp_path)
    path, text = tmp_path / "bad.md", pages.path_of("book/cases/leaf-order").read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(pages.PageError) as caught:
        list(entries.read(path))
    line = path.read_text()[: text.index(old)].count("\n") + 1
    where = rf"bad\.md:({line}|{line + 1})" if "  " in old and new else r"bad\.md(:\d+)?"
    assert re.match(rf"{where}: .*{re.escape(words)}[^\n]*$", str(caught.value)), caught.value
