"""The collected reports are complete, name no person, and are divided by their addresses alone."""

import hashlib
import re
from collections import Counter

import pytest

from bookkit import entries
from tools import score

DIVISORS = {"chapters": 3, "everyday": 2, "wide": 2}  # of the addresses' digests, by collection
CHAPTERS = {*entries.chapters(), ""}
ANSWERS = {*CHAPTERS, *entries.cases(), *entries.errors()}


@pytest.mark.parametrize("part", score.PARTS)
def test_a_report_is_complete_names_no_person_and_stands_in_its_file(part):
    for report in score.read(part):
        older = report["from"] == "chapters"
        answer, known = ("failure", CHAPTERS) if older else ("answer", ANSWERS)
        where = f"{part}.toml: {report.get('url')}"
        keys = {"from", "url", "project", "lines", "how", answer}
        assert set(report) - {"kind", "also"} == keys, f"{where}: see tests/reports/README.md"
        assert report["url"].startswith("https://"), f"{where}: give the thread's https address"
        also = report.get("also", ())
        others = {also} if isinstance(also, str) else set(also)
        assert {report[answer]} | others <= known, f"{where}: an answer that is not there"
        homes = re.findall(r"(?:/home|/Users|[\\/]Users)[\\/]+([\w.-]+)", report["lines"])
        assert set(homes) <= {"user"}, f"{where}: replace names of people by `user`"
        if divisor := DIVISORS.get(report["from"]):
            hashed = int(hashlib.sha256(report["url"].encode()).hexdigest(), 16)
            aside = hashed % divisor == 0
            assert aside == (part == "held-out"), f"{where}: it belongs in the other file"


def test_no_report_is_counted_twice():
    parts = {part: [report["url"] for report in score.read(part)] for part in score.PARTS}
    urls = Counter(url for found in parts.values() for url in found)
    assert [url for url, times in urls.items() if times > 1] == []
