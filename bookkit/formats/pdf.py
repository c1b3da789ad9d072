"""Print the whole book as one PDF: cover, contents, running heads, an outline, links inside it.

The pages of the built site are put together in the browser, in the order of the book, and printed.
Typst makes what stands around them (`front.typ`), and pypdf puts both together.

Usage: make pdf, or make pdf LANGUAGES=zh-cn for the book in Chinese
"""

import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import typst
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, TextStringObject

from bookkit import browser, faces, illustrations, languages, localized, pages, versions
from bookkit.languages import Language, say

CONTENTS_LINK = "https://page.invalid/"  # in front.typ; a link to a page that comes later
PDF = pages.ROOT / "_build" / "trace-evidence.pdf"
# A chapter begins on a new page; cases follow one another.
STYLE = "@media print { article + article:not(.flows) { break-before: page; } }"
HERE = Path(__file__).resolve().parent
JOIN = (HERE / "pdf.js").read_text()
LATIN = ["Source Sans Pro"]
NO_FONT = (
    "no font on this machine has the characters of {name}: on Debian, "
    "`apt-get install fonts-noto-cjk` for Chinese; elsewhere, install Noto Sans CJK"
)


def asked() -> list[Language]:
    """Return the languages to print: those that `LANGUAGES` names, else English."""
    return languages.named() or [languages.available()[languages.ENGLISH]]


def file_of(language: Language) -> Path:
    """Return where the PDF of a language is written."""
    return PDF.with_suffix(f".{language.address}.pdf") if language.address else PDF


def fonts(language: Language) -> list[str]:
    """Return the fonts of the cover and the running heads.

    Raises:
        NotReady: the machine has no font for the language.
    """
    if language.code == languages.ENGLISH or not shutil.which("fc-list"):
        return LATIN

    def ask(*command: str) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    tag = language.tag.lower()
    if not ask("fc-list", f":lang={tag}", "family"):
        raise browser.NotReady(NO_FONT.format(name=language.name))
    return [*LATIN, ask("fc-match", "--format=%{family[0]}", f"sans-serif:lang={tag}")]


def outline_items(parent: DictionaryObject) -> Iterator[DictionaryObject]:
    """Yield the items of a PDF's outline, each before those below it."""
    item = parent.get("/First")
    while item:
        yield item.get_object()
        yield from outline_items(item.get_object())
        item = item.get_object().get("/Next")


def first_leaves(book: PdfReader) -> list[int]:
    """Return the leaf, counted from 0, on which each page of the book begins, from its outline."""
    titles: Any = [item for item in book.outline if not isinstance(item, list)]
    return [cast(int, book.get_destination_page_number(title)) for title in titles]


def compose(source: str, **data: Any) -> bytes:
    """Return the PDF that a file of Typst makes of some data."""
    inputs = {"data": json.dumps(data)}
    return typst.compile(str(HERE / source), sys_inputs=inputs, font_paths=[str(faces.SANS)])


def typeset(**data: Any) -> PdfReader:
    """Return what `front.typ` makes of some data."""
    language = languages.spoken()
    data |= {"fonts": fonts(language), "lang": language.tag.partition("-")[0]}
    return PdfReader(io.BytesIO(compose("front.typ", **data)))


def running_heads(items: list[pages.Entry], starts: list[int], count: int) -> list[str]:
    """Return what stands at the head of each leaf; nothing where a page of the book begins."""
    heads = [""] * count
    for item, start, end in zip(items, starts, [*starts[1:], count + 1], strict=True):
        for number in range(start + 1, end + 1):
            if number <= count and number not in starts:
                heads[number - 1] = plain_title(item.page)
    return heads


def plain_title(page: str) -> str:
    """Return a page's title in the language that is spoken, without its marks."""
    title, code = pages.title(page), languages.spoken().code
    if code != languages.ENGLISH:
        message = languages.read(languages.catalogue(code, page)).get(title)
        title = str(message.string) if message and message.string and not message.fuzzy else title
    return title.replace("`", "")


def front(items: list[pages.Entry], starts: list[int]) -> PdfReader:
    """Return the cover and the contents."""
    newest = versions.stacks()[-1]["pins"]
    stack = ", ".join(f"{versions.TITLES[name]} {newest[name]}" for name in ("jax", "numpyro"))
    contents, before = [], ""
    for item, start in zip(items, starts, strict=True):
        part = item.part if item.part != before else ""
        before = item.part
        title, depth = plain_title(item.page), int(bool(item.above))
        contents.append({"part": say(part), "title": title, "page": start, "depth": depth})
    address = languages.spoken().address
    return typeset(
        kind="front",
        subtitle=say("Failures of JAX, NumPyro and Equinox,\nreproduced, explained and fixed"),
        drawings=[illustrations.for_paper(f"cause-{way}") for way in (1, 2, 3)],
        author=say("The developers of Trace Evidence"),
        address=pages.public_address() + (f"{address}/" if address else ""),
        stacks=say("Then: the releases of August 2024. Now: {stack}.", stack=stack),
        licenses=say("Text CC BY 4.0, code Apache-2.0."),
        heading=say("Contents"),
        contents=contents,
    )


def link_contents(writer: PdfWriter, leaves: int) -> None:
    """Let the lines of the contents lead to their pages."""
    for page in writer.pages[:leaves]:
        for given in page.get("/Annots", []):
            link = given.get_object()
            url = link.get("/A", {}).get("/URI", "")
            if url.startswith(CONTENTS_LINK):
                target = writer.pages[leaves + int(url.removeprefix(CONTENTS_LINK)) - 1]
                del link["/A"]
                whole = [target.indirect_reference, NameObject("/Fit")]
                link[NameObject("/Dest")] = ArrayObject(whole)


def print_book(language: Language) -> None:
    """Write the PDF; one that was there stays until the new one is whole.

    Raises:
        NotReady: the machine has no Chromium or no font, or the site is not built.
    """
    begin, pdf = time.monotonic(), file_of(language)
    part = pdf.with_suffix(".part")
    items = pages.contents()
    languages.use(language.code)
    fonts(language)
    if not localized.folder(language.code).exists():
        raise browser.NotReady(browser.NOT_BUILT)
    site = browser.ADDRESS + (f"{language.address}/" if language.address else "")
    with browser.launch() as chromium:
        page = browser.window(chromium, color_scheme="light").new_page()
        page.goto(f"{site}book/index.html", wait_until="load")
        addresses = [f"{site}{item.page}.html" for item in items]
        flowing = [f"{site}{item.page}.html" for item in items if item.above]
        headings = page.evaluate(JOIN, [site, addresses, flowing, say("Replies"), say("Solutions")])
        print("printing the book, which takes about a minute …", flush=True)
        page.add_style_tag(content=STYLE)
        page.set_default_timeout(300_000)
        page.pdf(path=part, format="A4", outline=True, tagged=True, print_background=True)
    writer = PdfWriter(clone_from=part)
    outline = cast(DictionaryObject, writer.root_object["/Outlines"])
    # Chromium garbles the headings that a line or page breaks.
    for item, heading in zip(outline_items(outline), headings, strict=True):
        item[NameObject("/Title")] = TextStringObject(heading)
    starts = [leaf + 1 for leaf in first_leaves(PdfReader(part))]
    heads = typeset(kind="heads", heads=running_heads(items, starts, len(writer.pages)))
    for leaf, head in zip(writer.pages, heads.pages, strict=True):
        leaf.merge_page(head)
        leaf.compress_content_streams()
    cover = front(items, starts)
    for number, leaf in enumerate(cover.pages):
        writer.insert_page(leaf, number)
    link_contents(writer, len(cover.pages))
    writer.add_metadata({"/Title": "Trace Evidence", "/Creator": "make pdf"})
    writer.write(part)
    part.replace(pdf)
    size, seconds = pdf.stat().st_size / 1e6, time.monotonic() - begin
    place, count = pdf.relative_to(pages.ROOT), len(writer.pages)
    print(f"{place}: {count} pages, {size:.1f} MB, in {seconds:.0f} s")


if __name__ == "__main__":
    try:
        for language in asked():
            print_book(language)
    except (browser.NotReady, languages.LanguageError) as error:
        sys.exit(f"error: {error}")
