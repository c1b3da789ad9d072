"""The editions in other languages, as a reader meets them: a sample of pages of each kind.

Run by `make check`. What holds of a page whatever its language is checked on the English one.
"""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from bookkit import languages
from bookkit.browser import SITE
from tests.site_checks import NEWER, ONE_WORD_OF_EACH_KIND, OPEN_ALL, objections, too_faint
from tests.test_triage import DRIFT

EDITIONS = [one for one in languages.known().values() if one.code != languages.ENGLISH]
SAMPLE = [
    "book/index.html", "book/failures/lazy-pytree-drift.html", "book/cases/leaf-order.html",
    "book/cases/index.html", "book/reference/error-index.html", "book/reference/glossary.html",
]  # fmt: skip
editions = pytest.mark.parametrize("edition", EDITIONS, ids=lambda one: one.code)
KNOWN: dict[str, set[str]] = {"light": set(), "dark": set()}  # kinds of text that were looked at
CHINESE = re.compile(r"[\u3400-\u9fff]")


def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(), "html.parser")


@editions
def test_an_edition_has_every_page_with_every_anchor_and_marks_what_is_english(edition):
    for path in (SITE / "book").rglob("*.html"):
        name = path.relative_to(SITE)
        there = (SITE / edition.address / name).read_text()
        known = set(re.findall(r'<section id="([^"]+)"', path.read_text()))
        assert known == set(re.findall(r'<section id="([^"]+)"', there)), name
        for tag in re.findall(r"<\w+[^>]*\buntranslated\b[^>]*>", there):
            assert f'lang="{languages.ENGLISH}"' in tag, f"{name}: {tag}"


@editions
@pytest.mark.parametrize("name", SAMPLE)
def test_each_page_names_itself_in_all_languages(edition, name):
    alternates = []
    for one in (languages.known()[languages.ENGLISH], edition):
        page = read(SITE / one.address / name)
        assert page.html["lang"] == one.tag
        assert page.select_one("link[rel=canonical]")["href"].endswith(f"/{one.address}/{name}"[1:])
        links = page.select("link[rel=alternate][hreflang]")
        alternates.append({link["hreflang"]: link["href"] for link in links})
    assert alternates[0] == alternates[1]
    assert set(alternates[0]) == {languages.ENGLISH, edition.tag}


@editions
def test_sitemaps_list_the_pages_of_their_edition(edition):
    for one in (languages.known()[languages.ENGLISH], edition):
        found = re.findall("<loc>(.*?)</loc>", (SITE / one.address / "sitemap.xml").read_text())
        inside = [f"/{edition.address}/" in address for address in found]
        assert found
        assert all(inside) if one is edition else not any(inside)
        assert "xhtml:link" not in (SITE / one.address / "sitemap.xml").read_text()


@editions
@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_is_sound(edition, name, width, scheme, open_page):
    view = open_page(f"{edition.address}/{name}", width, scheme)
    page = view.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    assert not view.failed and not view.errors
    assert all(url.startswith(view.site) for url in view.requests)
    page.evaluate(OPEN_ALL)
    page.evaluate(ONE_WORD_OF_EACH_KIND)
    found = too_faint(page, KNOWN[scheme])
    if scheme == "dark":
        found += objections(page, rules={"color-contrast": {"enabled": False}, **NEWER})
    assert not found, found


@editions
def test_the_switch_leads_to_the_same_page_and_back(edition, open_page):
    view = open_page("book/cases/leaf-order.html")
    view.page.locator("nav.editions").get_by_role("link", name=edition.name).click()
    view.page.wait_for_url(f"**/{edition.address}/book/cases/leaf-order.html")
    catalogue = f"{edition.code}/LC_MESSAGES/book/cases/leaf-order.po"
    assert view.page.locator(f'nav.editions a[href$="/edit/main/locale/{catalogue}"]').count() == 1
    view.page.locator("nav.editions").get_by_role("link", name="English").click()
    view.page.wait_for_url(f"{view.site}book/cases/leaf-order.html")


@pytest.mark.parametrize("words", ["后验分布", "追踪器泄漏"])
def test_the_search_finds_chinese_phrases(words, open_page):
    view = open_page(f"zh-cn/search.html?q={words}")
    expect(view.page.locator("#search-results li a").first).to_be_visible()


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("后验分布不对", None),
        ("换了数据样本却不变", "second-mcmc-run"),
        ("加载之后 loc 与 scale 对调", "leaf-order"),
    ],
)
def test_the_second_door_understands_chinese(words, slug, open_page):
    view = open_page("zh-cn/book/reference/error-index.html")
    view.page.locator("#triage-text").fill(words)
    found = view.page.locator("#triage-findings a")
    expect(found.first).to_be_visible()
    assert CHINESE.search(found.first.inner_text())
    if slug:
        assert any(f"/{slug}.html" in link.get_attribute("href") for link in found.all())


def test_the_first_door_answers_in_chinese(open_page):
    view = open_page("zh-cn/book/reference/error-index.html")
    view.page.locator("#triage-text").fill(DRIFT)
    card = view.page.locator("#triage-findings li").first
    expect(card).to_contain_text("对策")
    expect(view.page.locator("#triage-status")).to_contain_text("这看起来是")
    link = card.get_by_role("link").first.get_attribute("href")
    assert "lazy-pytree-drift" in link or "/cases/" in link
