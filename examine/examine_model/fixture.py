"""A fixture of pytest, which pytest finds by itself where the package is installed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import examine
from .report import Report


@pytest.fixture
def examined() -> Callable[..., Report]:
    """Return a function that examines a model, and fails the test with the whole report.

    It is called as `examine_model.examine`, and returns the report where nothing was found and each
    check that has something to compare answered; `strict=False` asks that most of them did.
    A bare `assert examine(model, data).ok` fails too, and pytest then shortens the report.
    """

    def check(*args, strict: bool = True, **kwargs) -> Report:
        report = examine(*args, **kwargs)
        if report.status(strict):
            pytest.fail(str(report), pytrace=False)
        return report

    return check
