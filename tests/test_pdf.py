"""The book on paper: in which language it is printed, and what a machine without a font is told."""

import pytest

from bookkit import browser, languages
from bookkit.formats import pdf


def test_a_machine_without_a_font_for_chinese_is_told_in_one_line_what_to_install(
    monkeypatch, tmp_path
):
    for name in ("fc-list", "fc-match"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(languages.VARIABLE, "zh-cn")
    (asked,) = pdf.asked()
    assert pdf.file_of(asked).name == "trace-evidence.zh-cn.pdf"
    with pytest.raises(browser.NotReady, match=r"^[^\n]*apt-get install fonts-noto-cjk[^\n]*$"):
        pdf.fonts(asked)
    monkeypatch.setenv(languages.VARIABLE, "")
    (asked,) = pdf.asked()
    assert (pdf.file_of(asked).name, pdf.fonts(asked)) == ("trace-evidence.pdf", pdf.LATIN)
