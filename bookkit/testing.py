"""Collect each chapter as a pytest file, and each of its code cells as one item.

Chapters are executed before the first item runs, two at a time, through the cache that the book
build uses too. An item then compares its cell's outputs with what the cell's ``expect`` says.
"""

import re
from pathlib import Path

import pytest
from myst_nb.core.render import strip_ansi

from bookkit import execute, kept_outputs, pages, predictions
from bookkit.expectations import Problem, check, stream

executions = pytest.StashKey[dict]()


def pytest_addoption(parser):
    group = parser.getgroup("chapters")
    help = "keep what the pages show now as what they must show (tests/outputs)"
    group.addoption("--update", action="store_true", help=help)
    help = "the folder that keeps executed pages, for another kernel than the book's"
    group.addoption("--executed", type=Path, default=execute.CACHE, help=help)


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".md" and pages.has_kernel(file_path):
        return Chapter.from_parent(parent, path=file_path)
    return None


class Chapter(pytest.File):
    """A MyST chapter; collecting it reads its cells, and executes nothing."""

    def collect(self):
        try:
            cells = pages.code_cells(self.path)
        except pages.PageError as error:
            raise self.CollectError(str(error)) from None
        for cell in cells:
            yield Cell.from_parent(self, name=f"line-{cell.line}", cell=cell)
        for prediction in predictions.find(self.path.read_text()):
            yield Prediction.from_parent(
                self, name=f"predict-{prediction.label}", prediction=prediction
            )
        if self.path.is_relative_to(pages.BOOK):
            yield Outputs.from_parent(self, name="outputs")


class CellFailure(Exception):
    """Says what a cell promised and what happened."""


class Item(pytest.Item):
    """Something of a page that is red with a report of its own."""

    @property
    def execution(self):
        """What came of executing the page."""
        return self.config.stash[executions][self.path]

    def executed_page(self):
        """Return the executed page; where a cell stopped it, the item is skipped."""
        if self.execution.stopped_at is not None:
            pytest.skip(f"not compared: a cell of {self.path.stem} stopped the page")
        return self.execution.notebook

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, CellFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"{self.path.stem}: {self.name}"


class Cell(Item):
    """One code cell: it ran, and what happened is what it says must happen."""

    def __init__(self, *, cell, **kwargs):
        super().__init__(**kwargs)
        self.section, self.line, self.index, _ = cell

    def runtest(self):
        cell = self.execution.notebook.cells[self.index]
        stopped = self.execution.stopped_at
        if stopped is not None and self.index > stopped:
            pytest.skip(f"not run: an earlier cell of {self.path.stem} stopped the chapter")
        problems = check(cell)
        if stopped == self.index:
            cure = "Mend the cell; if it is meant to fail, declare it with `expect` and the tag."
            happened = self.execution.reason + where(cell)
            problems.append(Problem("the cell runs as declared", happened, cure))
        if problems:
            raise CellFailure(self.describe(cell.source, problems))

    def describe(self, source, problems):
        """Return the report of a failing cell, for someone who has never seen this suite."""
        lines = [f"{self.path.name}, line {self.line}, in “{self.section or 'the top'}”:"]
        lines += [f"    {line}" for line in source.splitlines()]
        for problem in problems:
            lines += [f"expected: {problem.expected}", f"happened: {problem.happened}"]
            lines += [f"cure:     {problem.cure}"]
        return "\n".join(lines)


class Prediction(Item):
    """The answer that a prediction marks right is the one that its cell bears out."""

    def __init__(self, *, prediction, **kwargs):
        super().__init__(**kwargs)
        self.prediction = prediction

    def runtest(self):
        problem = self.prediction.problem(self.executed_page())
        if problem:
            raise CellFailure(
                f"{self.path.name}, prediction {self.prediction.label}:\nexpected: "
                f"{self.prediction.options['right']} is right\nhappened: {problem}\n"
                "cure:     Mend the cell, or the question with its `keys`, `right` and replies."
            )


class Outputs(Item):
    """All outputs of a page are those that were kept in `tests/outputs`."""

    def runtest(self):
        now = kept_outputs.of_page(self.executed_page())
        if self.config.option.update:
            kept_outputs.write(self.path, now)
        difference = kept_outputs.difference(self.path, now)
        if difference:
            kept_file = kept_outputs.file_of(self.path).relative_to(pages.ROOT)
            cell = re.match("=== (.*)", difference[1])
            lines = self.path.read_text().splitlines()
            line = lines.index(cell[1]) + 1 if cell and cell[1] in lines else 1
            raise CellFailure(
                f"{self.path.name}:{line} shows something else than {kept_file}:\n"
                f"expected: {difference[0]}\nhappened: {difference[1]}\n"
                f"cure:     If the new output is right, run make page P={self.path.stem} "
                "ARGS=--update, and look at the difference that git shows; else mend the page."
            )


def where(cell):
    """Name the line that an undeclared error stopped, and what the cell had printed by then.

    An `assert` without words has no message of its own.
    """
    tracebacks = ["\n".join(out.traceback) for out in cell.outputs if out.output_type == "error"]
    text = strip_ansi("".join(tracebacks))
    # The kernel of the page marks the line by an arrow; `%%then` shows it below its number.
    line = re.search(r"^(?:-+> \d+| +Cell In\[\d+\], line \d+\n) +(.+)$", text, re.MULTILINE)
    printed = stream(cell, "stdout").rstrip()
    lines = [f"\nstopped:  {line[1]}"] if line else []
    lines += [f"\nprinted:  {line}" for line in printed.splitlines()[-5:]]
    return "".join(lines)


def pytest_runtestloop(session):
    """Execute what the collected cells need, with a line of progress for each chapter."""
    config = session.config
    config.stash[executions] = {}
    kinds = Cell | Outputs | Prediction
    paths = list(dict.fromkeys(item.path for item in session.items if isinstance(item, kinds)))
    if config.option.collectonly or not paths:
        return
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    capture = config.pluginmanager.get_plugin("capturemanager")

    def report(line):
        with capture.global_and_fixture_disabled():
            terminal.write_line(line)

    cache = execute.open_cache(config.option.executed)
    done = execute.execute_chapters(paths, cache, report)
    config.stash[executions].update(done)
