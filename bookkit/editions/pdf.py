"""Print the whole book as one PDF, with page numbers, an outline and links that lead inside it.

The pages of the built site are put together in the browser, in the order of the book, and printed.

Usage: make pdf
"""

import sys
import time
from collections.abc import Iterator
from typing import cast

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, TextStringObject

from bookkit import browser, pages

PDF = pages.ROOT / "_build" / "trace-evidence.pdf"
# Takes the pages in the order of the table of contents. An id stands once in a book of many pages,
# so each is given its page's name; links to pages of the book then lead inside, all others to the
# public address.
JOIN = r"""async ([site, published, addresses]) => {
  const pages = new Map();
  for (const url of addresses) {
    const text = await (await fetch(url)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    pages.set(url, page);
  }
  const name = url => url.slice(site.length).replace(/\W+/g, "-");
  const chapters = [];
  for (const [url, page] of pages) {
    const article = page.querySelector("article.bd-article");
    article.id = "";
    for (const node of article.querySelectorAll("*")) {
      if (node.id) node.id = `${name(url)}-${node.id}`;
      if (node.closest("svg")) for (const given of [...node.attributes]) {
        const inside = given.name.endsWith("href") ? /^#/ : /url\(#/g;
        given.value = given.value.replace(inside, found => `${found}${name(url)}-`);
      } else if (node.hasAttribute("href")) {
        const [target, anchor] = new URL(node.getAttribute("href"), url).href.split("#");
        const here = "#" + name(target) + (anchor ? "-" + decodeURIComponent(anchor) : "");
        const away = target.replace(site, published) + (anchor ? "#" + anchor : "");
        node.setAttribute("href", pages.has(target) ? here : away);
      } else if (node.hasAttribute("src")) {
        node.src = new URL(node.getAttribute("src"), url).href;
      }
    }
    article.id = name(url);
    chapters.push(article);
  }
  document.querySelector("article.bd-article").replaceWith(...chapters);
  return [...document.querySelectorAll("article :is(h1, h2, h3, h4)")].map(heading => {
    heading.querySelector("a.headerlink")?.remove();
    return heading.textContent.replace(/\s+/g, " ").trim();
  });
}"""
STYLE = "@media print { article + article { break-before: page; } }"
FOOTER = """<div style="width: 100%; text-align: center; font: 8pt sans-serif; color: #444;">
<span class="pageNumber"></span></div>"""


def outline_items(parent: DictionaryObject) -> Iterator[DictionaryObject]:
    """Yield the items of a PDF's outline, each before those below it."""
    item = parent.get("/First")
    while item:
        yield item.get_object()
        yield from outline_items(item.get_object())
        item = item.get_object().get("/Next")


def name_headings(writer: PdfWriter, headings: list[str]) -> None:
    """Write the headings into the outline; Chromium garbles those that a line or page breaks."""
    outline = cast(DictionaryObject, writer.root_object["/Outlines"])
    for item, heading in zip(outline_items(outline), headings, strict=True):
        item[NameObject("/Title")] = TextStringObject(heading)


def print_book() -> None:
    """Write the PDF; one that was there stays until the new one is whole."""
    begin, part = time.monotonic(), PDF.with_suffix(".part")
    with browser.serve() as site, browser.launch() as chromium:
        page = chromium.new_page(color_scheme="light")
        page.goto(site + "book/index.html", wait_until="load")
        addresses = [f"{site}{row.page}.html" for row in pages.contents()]
        headings = page.evaluate(JOIN, [site, browser.public_address(), addresses])
        print("printing the book, which takes about a minute …", flush=True)
        page.add_style_tag(content=STYLE)
        page.set_default_timeout(300_000)
        page.pdf(
            path=part,
            format="A4",
            outline=True,
            tagged=True,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
        )
    writer = PdfWriter(clone_from=part)
    name_headings(writer, headings)
    writer.add_metadata({"/Title": "Trace Evidence", "/Creator": "make pdf"})
    writer.write(part)
    part.replace(PDF)
    size, seconds = PDF.stat().st_size / 1e6, time.monotonic() - begin
    place, count = PDF.relative_to(pages.ROOT), len(writer.pages)
    print(f"{place}: {count} pages, {size:.1f} MB, in {seconds:.0f} s")


if __name__ == "__main__":
    try:
        print_book()
    except browser.NotReady as error:
        sys.exit(f"error: {error}")
