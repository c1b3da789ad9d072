"""The collected reports are complete, spread widely, and divided by their addresses alone."""

import hashlib
import re
import tomllib
from collections import Counter
from operator import itemgetter
from pathlib import Path

import pytest

from bookkit import catalogue, everyday, records
from tools import score

REPORTS = Path(__file__).parent / "reports"
KEYS = {"url", "project", "lines", "failure", "how"}
NEWER = [part for part in score.PARTS if part not in ("tuning", "held-out")]


def read(part):
    """Return the reports of one part: `tuning` or `held-out`."""
    return tomllib.loads((REPORTS / f"{part}.toml").read_text())["report"]


def is_held_out(url):
    """Return whether an address puts its report aside."""
    return int(hashlib.sha256(url.encode()).hexdigest(), 16) % 3 == 0


TUNING, HELD_OUT = read("tuning"), read("held-out")
every_report = pytest.mark.parametrize("report", TUNING + HELD_OUT, ids=itemgetter("url"))


@every_report
def test_a_report_is_complete_names_no_person_and_says_whose_it_is(report):
    assert set(report) - {"kind", "also"} == KEYS, "tests/reports/README.md explains the keys"
    assert all(text.strip() for key, text in report.items() if key != "failure"), "a key is empty"
    assert report["url"].startswith("https://"), "give the thread's https address"
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", report["project"]), "write the project as owner/name"
    chapters = set(catalogue.load())
    assert report["failure"] in chapters | {""}, "the failure is a key of the catalogue, or empty"
    assert ("kind" in report) == (report["failure"] == ""), "`kind` is for reports of no chapter"
    if "also" in report:
        assert report["also"] in chapters - {report["failure"]}, "`also` is another chapter"
    homes = re.findall(r"(?:/home|/Users|[\\/]Users)[\\/]+([\w.-]+)", report["lines"])
    assert set(homes) <= {"user"}, "replace names of people by `user`"


def test_no_report_is_counted_twice():
    urls = Counter(report["url"] for report in TUNING + HELD_OUT)
    assert [url for url, times in urls.items() if times > 1] == [], (
        "keep one entry for each address"
    )


@pytest.mark.parametrize(("part", "held_out"), [("tuning", False), ("held-out", True)])
def test_the_address_decides_what_is_held_out(part, held_out):
    wrong = [report["url"] for report in read(part) if is_held_out(report["url"]) != held_out]
    assert wrong == [], f"these do not belong in {part}.toml"


def test_there_are_enough_reports_of_every_sort():
    failures = Counter(report["failure"] for report in TUNING + HELD_OUT)
    assert failures.total() >= 50 + 15, "at least 50 reports and 15 look-alikes"
    assert failures[""] >= 15
    assert len({report["project"] for report in TUNING + HELD_OUT}) >= 12
    assert all(failures[slug] >= 6 for slug in catalogue.load()), failures


# --- the newer reports, which may have an everyday error for an answer -----------------------

LABELLED = [(part, report) for part in NEWER for report in score.read(part)]
every_newer = pytest.mark.parametrize(
    ("part", "report"), LABELLED, ids=[report["url"] for _, report in LABELLED]
)


@every_newer
def test_a_newer_report_is_complete_and_its_answers_exist(part, report):
    assert set(report) - {"also"} == {"url", "project", "lines", "answer", "how"}
    assert all(text.strip() for key, text in report.items() if key not in ("answer", "also"))
    assert report["url"].startswith("https://")
    known = {*catalogue.load(), *records.load(), *everyday.load(), ""}
    assert {report["answer"], *report.get("also", ())} <= known
    homes = re.findall(r"(?:/home|/Users|[\\/]Users)[\\/]+([\w.-]+)", report["lines"])
    assert set(homes) <= {"user"}, "replace names of people by `user`"
    if part.startswith(("everyday-", "wide-")):
        assert score.is_held_out(report["url"]) == part.endswith("held-out"), "the wrong file"


def test_no_newer_report_is_counted_twice():
    urls = Counter([report["url"] for _, report in LABELLED])
    urls.update(report["url"] for report in TUNING + HELD_OUT)
    assert [url for url, times in urls.items() if times > 1] == []


def test_there_are_enough_newer_reports_and_half_are_held_out():
    parts = Counter(part for part, _ in LABELLED)
    assert parts.total() >= 150
    assert parts["everyday-held-out"] >= 0.4 * (
        parts["everyday-held-out"] + parts["everyday-tuning"]
    )
