"""What a page asks of a reader is counted: visible code, prose, outputs, and nothing folded."""

import nbformat
import pytest

from bookkit import reading_time


def test_minutes_are_words_lines_and_outputs_by_their_speeds():
    markdown = nbformat.v4.new_markdown_cell("one two " * 100)
    printed = nbformat.v4.new_output("stream", text="word " * 400)
    code = nbformat.v4.new_code_cell(
        "%%then\n" + "x = 1\n" * 14 + "# why\nassert x", outputs=[printed]
    )
    hidden = nbformat.v4.new_code_cell("y = 1\n" * 90, metadata={"tags": ["hide-input"]})
    gates = ("```{exercise-start} E\n:label: e\n```\n", "```{exercise-end}\n```")
    inside = [nbformat.v4.new_markdown_cell(f"{gates[0]} words words"), code]
    cells = [markdown, code, hidden, *inside, nbformat.v4.new_markdown_cell(gates[1])]
    found = reading_time.measure(nbformat.from_dict({"cells": cells}))
    assert (found.words, found.lines, found.output_words) == (200, 15, 400)
    assert found.minutes == pytest.approx(3.0)
