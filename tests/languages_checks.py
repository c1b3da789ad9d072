"""The editions in other languages: their words, the ways between them, and their search.

Run by `make check`. What a page looks like is checked with the English ones.
"""

import re

import pytest
from playwright.sync_api import expect

from bookkit import languages
from bookkit.browser import SITE
from tests.site_checks import SAMPLE, soup
from tests.test_triage import DRIFT

EDITIONS = [
    edition for edition in languages.available().values() if edition.code != languages.ENGLISH
]
editions = pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.code)
CHINESE = re.compile(r"[\u3400-\u9fff]")


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
def test_no_blank_stands_between_emphasis_that_ends_in_punctuation_and_chinese_text(edition):
    gap = re.compile(r"[\u3000-\u303f\uff00-\uffef]</(?:strong|em)> (?=[\u3400-\u9fff])")
    for path in (SITE / edition.address / "book").rglob("*.html"):
        assert not gap.search(path.read_text()), path


@editions
def test_pages_and_sitemaps_name_themselves_in_all_languages(edition):
    both = (languages.available()[languages.ENGLISH], edition)
    for name in SAMPLE:
        alternates = []
        for one in both:
            page = soup(SITE / one.address / name)
            own = page.select_one("link[rel=canonical]")["href"]
            assert page.html["lang"] == one.tag
            assert own.endswith(f"/{one.address}/{name}"[1:])
            links = page.select("link[rel=alternate][hreflang]")
            alternates.append({link["hreflang"]: link["href"] for link in links})
        assert alternates[0] == alternates[1]
        assert set(alternates[0]) == {languages.ENGLISH, edition.tag}
    for one in both:
        text = (SITE / one.address / "sitemap.xml").read_text()
        matches = re.findall("<loc>(.*?)</loc>", text)
        assert matches and "xhtml:link" not in text
        assert {f"/{edition.address}/" in address for address in matches} == {one is edition}


@editions
def test_what_predictions_figures_checks_and_a_pages_parts_say_is_translated(edition):
    page = soup(SITE / edition.address / SAMPLE[1])
    for words in (".steps-says", ".predict-words", ".predict-answer label", ".predict-reply"):
        said = [part.get_text() for part in page.select(words)]
        assert said and all(map(CHINESE.search, said)), words
    english = set()
    for path in (SITE / edition.address).rglob("*.html"):
        text = path.read_text()
        # What a new drawing shows may wait for its translation.
        words = re.findall(r'(?<!role="img" )\b(?:title|aria-label)="([^"]+)"', text)
        words += re.findall(r"(?:Not yet: |Correct, because ).+", text)
        english.update(one for one in words if not CHINESE.search(one))
    assert english <= {"Pytree", "Trace Evidence"}  # which are names


@editions
def test_the_switch_leads_to_the_same_page_and_back(edition, open_page):
    view = open_page("book/cases/leaf-order.html#cure")
    view.page.locator("nav.editions").get_by_role("link", name=edition.name).click()
    view.page.wait_for_url(f"**/{edition.address}/book/cases/leaf-order.html#cure")
    for folder in ("", "records/"):
        catalogue = f"{edition.code}/LC_MESSAGES/{folder}book/cases/leaf-order.po"
        assert view.page.locator(f'nav.editions a[href$="/main/locale/{catalogue}"]').count() == 1
    view.page.locator("nav.editions").get_by_role("link", name="English").click()
    view.page.wait_for_url(f"{view.site}book/cases/leaf-order.html#cure")


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("批处理形状", "batch-and-event-shapes"),
        ("延迟属性", "lazy-pytree-drift"),
        ("内存增长", "time-and-memory"),
        ("后验分布的批处理形状不对", "batch-and-event-shapes"),  # no page has all pairs
    ],
)
def test_pages_with_most_of_a_phrase_come_first(asked, page, open_page):
    view = open_page(f"zh-cn/search.html?q={asked}").page
    rows = view.locator("#search-results > li, #search-results ul > li")
    expect(rows.first.locator("a").first).to_be_visible()
    first = [row.locator("a").first.get_attribute("href") for row in rows.all()[:3]]
    assert any(f"/{page}.html" in link for link in first), first


def test_the_doors_understand_and_answer_in_chinese(open_page):
    page = open_page("zh-cn/book/reference/error-index.html").page
    links = page.locator("#triage-findings a")
    page.locator("#triage-text").fill("换了数据样本却不变")
    expect(links.first).to_be_visible()
    assert CHINESE.search(links.first.inner_text())
    assert any("/second-mcmc-run.html" in link.get_attribute("href") for link in links.all())
    page.locator("#triage-text").fill(DRIFT)
    expect(page.locator("#triage-status")).to_contain_text("这看起来是")
    expect(page.locator("#triage-findings li").first).to_contain_text("对策")
