"""A report for other programs: as JSON, and as SARIF, which code hosts show beside the lines."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import known
from .report import Finding, Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_json(report: Report) -> str:
    """Return the report with `ok` and `strict`; each finding has its `address`, too."""
    data = asdict(report) | {"ok": report.ok, "strict": report.strict}
    for kind in ("findings", "hints", "ignored"):
        data[kind] = [
            asdict(finding) | {"address": finding.address()} for finding in getattr(report, kind)
        ]
    return json.dumps(data, indent=1)


def as_sarif(report: Report) -> str:
    """Return the findings as errors, the hints as notes, in SARIF 2.1.0."""
    from . import __version__

    leveled = [("error", finding) for finding in report.findings]
    leveled += [("note", hint) for hint in report.hints]
    rules = {
        finding.id: {"id": finding.id, "helpUri": finding.address(),
                   "shortDescription": {"text": f"{finding.check}: {finding.id}"}}
        for _, finding in leveled
    }  # fmt: skip
    driver = {
        "name": "examine-model",
        "version": __version__,
        "informationUri": known.FINDINGS,
        "rules": list(rules.values()),
    }
    results = [_result(level, finding) for level, finding in leveled]
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(level: str, finding: Finding) -> dict[str, Any]:
    result = {"ruleId": finding.id, "level": level, "message": {"text": finding.headline()}}
    path = Path(finding.file)
    if not path.is_file():
        return result
    inside = path.is_relative_to(Path.cwd())
    uri = path.relative_to(Path.cwd()).as_posix() if inside else path.as_uri()
    where = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(finding.line, 1)}}
    return result | {"locations": [{"physicalLocation": where}]}
