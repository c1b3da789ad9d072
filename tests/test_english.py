"""The linter of the prose reads prose alone, and says what is wrong and where."""

import pytest

from tools import english

pytestmark = pytest.mark.kept

PAGE = """---
title: teh front matter
---
# A page

Text with `code_wrogn` and [a link](https://example.org/wrogn-adress), "a wrogn quotation".

```{code-cell} ipython3
x = "recieve"  # in place of
```

```{note}
A note is prose.
```

LAST
"""
WRONG = {
    "They recieve it.": "recieve",
    "Use it in place of the other.": "instead of",
    "The behaviour is odd.": "American",
    "Every numpyro model.": "NumPyro",
}


@pytest.fixture
def read(tmp_path, monkeypatch, capsys):
    """A function that lints one page and returns the status and what was printed."""
    monkeypatch.setattr(english, "ROOT", tmp_path)

    def lint(text):
        (tmp_path / "page.md").write_text(text)
        return english.main(["page.md"]), capsys.readouterr().out

    return lint


def test_code_front_matter_quotations_and_addresses_are_not_read(read):
    assert read(PAGE) == (0, "1 texts read: nothing to say.\n")


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("place", ["LAST", "A note is prose."])
def test_what_is_wrong_is_said_with_its_line(read, text, place):
    status, said = read(PAGE.replace(place, text))
    assert status == 1
    line = PAGE.splitlines().index(place) + 1
    assert said.startswith(f"page.md:{line}:") and WRONG[text] in said
