"""The book on paper: in which language it is printed, and what a machine without a font is told."""

import pytest

from bookkit import browser, languages
from bookkit.formats import pdf

CHINESE = languages.known()["zh_CN"]


@pytest.mark.parametrize(
    ("names", "files"),
    [
        ("", ["trace-evidence.pdf"]),
        ("zh-cn", ["trace-evidence.zh-cn.pdf"]),
        ("en,zh_CN", ["trace-evidence.pdf", "trace-evidence.zh-cn.pdf"]),
    ],
)
def test_the_languages_that_are_named_are_printed_or_else_english(monkeypatch, names, files):
    monkeypatch.setenv(languages.VARIABLE, names)
    assert [pdf.file_of(one).name for one in pdf.asked()] == files


def test_a_machine_without_a_font_for_chinese_is_told_in_one_line_what_to_install(
    monkeypatch, tmp_path
):
    for name in ("fc-list", "fc-match"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(browser.NotReady, match="apt-get install fonts-noto-cjk") as said:
        pdf.fonts(CHINESE)
    assert "\n" not in str(said.value)
    assert pdf.fonts(languages.known()["en"]) == pdf.LATIN
