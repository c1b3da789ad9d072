"""What assistants read: every entry, with its program and its page."""

import json

from bookkit import entries, pages
from bookkit.sphinx import for_tools


def test_every_entry_is_a_line_with_what_an_answer_needs():
    rows = {row["name"]: row for row in for_tools.records()}
    assert rows.keys() == entries.by_name().keys()
    for name, row in rows.items():
        assert json.loads(json.dumps(row)).keys() >= {"symptom", "cure", "program", "page"}, name
        assert row["page"].startswith(pages.public_address()), name
        assert row["symptom"] and row["cure"], name
    for name in entries.cases():
        compile(rows[name]["program"], name, "exec")
        assert rows[name]["releases"] and rows[name]["see"], name
