"""What makes the built book a light web site that can be found. Loaded by Sphinx.

Titles and descriptions come from the catalogue, or from a page's front matter.
"""

import base64
import html
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx_sitemap import add_html_link

from bookkit import entries, execute, languages, pages, publish, taught, versions
from bookkit.languages import cached, say
from bookkit.localized import name_parts

from .directives import at_handouts, in_english, linked

DATE = re.compile(r"(\d{4}-\d\d-\d\d)")
BODY = [
    # Roles that docutils gives to a bibliography, and that browsers no longer know.
    (r' role="(doc-biblioentry|list)"', ""),
    # A short name stays whole, in a narrow column too, and where it has a hyphen: `-inf`.
    (r'<span class="pre">(?=[^<]{1,12}<)(?=\w+<|[^<]*-)', '<span class="pre short">'),
    # The words of a summary are what is read aloud; myst-nb would have others.
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    # A summary holds no paragraph, and an id stands once in a page.
    (r"<p( class=\"(?:collapsed|expanded) admonition-title\")>(.*?)</p>", r"<span\1>\2</span>"),
    (r'<section id="(exercise|solution)-content">', r'<section class="\1-content">'),
    # The blank of "Solution to Exercise 1" would be underlined in its link.
    (r"(<a [^>]*>) ", r" \1"),
]
INDEX = "book/cases/index"
# What a page may load and run: its own files, also those of a copy on a disk, and the scripts that
# the build has put into it. The theme sets styles in its elements, and draws with pictures in them.
POLICY = (
    "default-src 'self' file:; img-src 'self' file: data:; font-src 'self' file: data:; "
    "style-src 'self' file: 'unsafe-inline'; "
    "script-src 'self' file: 'unsafe-hashes' {}; object-src 'none'; base-uri 'none'; "
    "form-action 'self' file:"
)
SCRIPT = re.compile(r"<script(?![^>]* src=)[^>]*>(.+?)</script>", re.S)
HANDLER = re.compile(r'<[^>]* on[a-z]+="([^"]+)"')
PLURAL = [
    ("translations.js", r'"plural_expr": "([^"]*)"', r'"plural_expr": (n) => +(\1)'),
    ("doctools.js", r"new Function\([^)]*\)`\s*\)", "catalog.plural_expr"),
]
CHARSET = re.compile(r'(<meta charset="utf-8" ?/?>)(?:<meta http-equiv="Content-Sec[^>]*>)?')


def without(markup: str, *names: str) -> str:
    """Return HTML without the lines that hold one of these names; a filter for templates."""
    lines = str(markup).splitlines()
    return "\n".join(line for line in lines if not any(name in line for name in names))


def deferred(markup: str) -> str:
    """Return HTML whose scripts wait until the page is read, and run in their order."""
    return re.sub(r"<script (?=src=)", "<script defer ", str(markup))


def configure(app: Sphinx, config: Config) -> None:
    """Tell the extensions where the site is published."""
    config.ogp_site_url = config.html_baseurl
    config.html_context["address"] = config.html_baseurl
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path


def list_others(app: Sphinx, written: set[str]) -> None:
    """Put pages into the sitemap that were not written now: it would list those that were."""
    if app.builder.name == "html" and written & app.env.found_docs:
        for page in sorted(app.env.found_docs - written):
            add_html_link(app, page, "", {}, None)


def add_filters(app: Sphinx) -> None:
    """Give the templates what they use."""
    if app.builder.format == "html":
        environment = app.builder.templates.environment
        environment.filters |= {"without": without, "deferred": deferred, "name_parts": name_parts}
        environment.globals["say"] = say


def number_exercises(body: str) -> str:
    """Count the exercises of a page from one; sphinx-exercise counts through the book."""
    numbers = dict.fromkeys(re.findall(r'<span class="caption-number">[^<\d]+(\d+)', body))
    places = {number: str(place) for place, number in enumerate(numbers, start=1)}
    named = r'(<span class="caption-number">|<a class="reference internal" href="#[\w-]+">)'
    return re.sub(
        rf"{named}([^<\d]{{1,12}})(\d+)(?=\s)",
        lambda link: link[1] + link[2] + places.get(link[3], link[3]), body,
    )  # fmt: skip


def describe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give a page the title and the description that people search for, and valid roles."""
    if doctree is None:
        return
    for old, new in BODY:
        context["body"] = re.sub(old, new, context["body"])
    context["body"] = number_exercises(context["body"])
    about = {entry.place: entry for entry in entries.by_name().values()}.get(pagename)
    meta = context["meta"] or {}
    text, headline = say(meta.get("description", "")), meta.get("headline")
    context["headline"] = say(headline) if headline else None
    if about and about.message:
        context["headline"] = f"{about.title} · {about.message}"
    if about:
        text = f"{about.symptom} {about.cure}".replace("`", "")
        if about.form == entries.CASE and (shown := publish.shows(about)):
            text = f"{shown}. {text}"  # got and expected, for who shares the page
    if text:
        # The page is written already; its description is made of what stands here.
        doctree.children = [nodes.paragraph(text, text)]


def link_cases(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Lead from a case to the others of its family, and from the last one to the index."""
    if not pagename.startswith("book/cases/") or pagename == INDEX:
        return
    case = entries.cases()[pagename.rpartition("/")[2]]
    family = [other for other in entries.cases().values() if other.family == case.family]
    place = family.index(case)

    def to(page: str) -> dict[str, str]:
        title = app.env.titles[page].astext()
        return {"link": app.builder.get_relative_uri(pagename, page), "title": title}

    about = entries.by_name()[case.family]
    before = about.page if about.form == entries.CHAPTER else INDEX
    context["prev"] = to(family[place - 1].page if place else before)
    context["next"] = to(family[place + 1].page if place + 1 < len(family) else INDEX)
    context["family"] = to(before) | {"title": about.title}
    context["siblings"] = [to(other.page) | {"here": other == case} for other in family]


@cached
def commit() -> str:
    """Return the commit that the site is built from, in short; nothing outside of a checkout."""
    command = ["git", "log", "-1", "--format=%h"]
    done = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def cite(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give a page what one cites it by, as BibTeX."""
    if doctree is None:
        return
    measured = versions.newest()["measured"]
    note = f"measured on {measured}" + (f", commit {commit()}" if commit() else "")
    title = app.env.titles[pagename].astext().replace("{", "").replace("}", "")
    context["citation"] = (
        f"@misc{{trace-evidence-{pagename.rpartition('/')[2]},\n"
        f"  author = {{{{the developers of Trace Evidence}}}},\n"
        f"  title = {{{{{title}}}}},\n"
        f"  howpublished = {{Trace Evidence}},\n"
        f"  year = {{{measured[:4]}}},\n"
        f"  url = {{{pages.published(pagename)}}},\n"
        f"  note = {{{note}}},\n}}"
    )


def offer_notebook(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Offer the notebook of a page in Binder and to download, and not the page's source.

    Colab stands beside Binder on a page that needs no second kernel.
    """
    if pagename not in taught.with_cells():
        return
    groups = {group.get("label"): group for group in context["header_buttons"]}
    saved = groups["download-buttons"]
    saved["buttons"] = [b for b in saved["buttons"] if b["label"] != "download-source-button"]
    group = groups["launch-buttons"]
    (binder,) = group["buttons"]
    binder["url"] = taught.binder_address(pagename)
    if pagename in taught.foundations():
        button = {"type": "link", "text": "Colab", "tooltip": "Launch on Colab"}
        button |= {"icon": "_static/images/logo_colab.png", "url": taught.colab_address(pagename)}
        group["buttons"].append(button)


def offer_handouts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put below the title of a page with cells where it runs, and what is handed out of it."""
    if pagename not in taught.with_cells() or doctree is None:
        return
    up = "../" * pagename.count("/")
    links = {"Binder": taught.binder_address(pagename)}
    links[say("notebook")] = f"{up}_sources/{pagename}.ipynb"
    names = {"learner": say("bare notebook"), "slides": say("slides"), "handout": say("handout")}
    files = taught.handed_out(pagename)
    links |= {names[kind]: at_handouts(pagename, files[kind]) for kind in names if kind in files}
    links[say("cite")] = "#cite"
    line = " · ".join(linked(address, words) for words, address in links.items())
    line = f'<p class="handed-out">{line}{in_english()}</p>'
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{line}", 1)


def forget_handouts(app: Sphinx) -> None:
    """Take away what the build before has put there, which is no page of the site."""
    shutil.rmtree(Path(app.outdir, taught.IN_ROOM), ignore_errors=True)


def write_handouts(app: Sphinx, exception: Exception | None) -> None:
    """Write into the English site what is handed out in a workshop, where it is not what it was.

    It comes last, so that none of it is taken for a page of the site.
    """
    if exception or app.builder.name != "html" or languages.spoken().code != languages.ENGLISH:
        return
    if not any(map(taught.handed_out, taught.taught())):
        return
    from bookkit.formats import workshop

    folders = ("foundations", "failures", "closing", "workshop", "_slides")
    files = [file for name in folders for file in sorted((pages.BOOK / name).glob("*.*"))]
    there = "\n".join(str(taught.handed_out(page)) for page in taught.taught())
    now = f"{execute.digest(files)}\n{there}"
    handouts, made = Path(app.doctreedir, taught.IN_ROOM), Path(app.doctreedir, "handed-out.txt")
    if not made.exists() or made.read_text() != now:
        workshop.make(handouts)
        made.write_text(now)
    # The keys of the tests are in the instructor's zip alone.
    hidden = shutil.ignore_patterns("*-key.pdf")
    shutil.copytree(handouts, Path(app.outdir, taught.IN_ROOM), ignore=hidden)


def guard(app: Sphinx, exception: Exception | None) -> None:
    """Tell browsers, in each page, to run nothing but what the build has put there."""
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    texts = {file: file.read_text() for file in site.rglob("*.html")}
    # The search reads pages: their buttons are its own for a moment.
    handlers = {
        html.unescape(handler) for text in texts.values() for handler in HANDLER.findall(text)
    }
    for file, text in texts.items():
        codes = handlers.union(SCRIPT.findall(text))
        digests = [base64.b64encode(sha256(code.encode()).digest()).decode() for code in codes]
        policy = POLICY.format(" ".join(f"'sha256-{digest}'" for digest in sorted(digests)))
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        file.write_text(CHARSET.sub(rf"\1{meta}", text, count=1))
    # Sphinx compiles what picks a plural out of a string, which the policy forbids.
    for name, old, new in PLURAL:
        script = site / "_static" / name
        if script.exists():
            script.write_text(re.sub(old, new, script.read_text()))


def write_notebooks(app: Sphinx, exception: Exception | None) -> None:
    """Write what a page offers to download over what the theme has put there: the page executed.

    It is English on every site, so a process that speaks English makes it.
    """
    if exception or app.builder.name != "html":
        return
    command = [sys.executable, "-m", "bookkit.formats.notebooks"]
    folder = Path(app.outdir, "_sources", "book")
    subprocess.run([*command, folder, "--download"], check=True, stdout=subprocess.DEVNULL)


def keep_dates_whole(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Mark the dates of a text, so that no line breaks at their hyphens."""
    for text in list(doctree.findall(nodes.Text)):
        is_code = isinstance(text.parent, nodes.FixedTextElement | nodes.literal)
        if DATE.search(text) and not is_code:
            marked = [
                nodes.inline(text=part, classes=["date"]) if place % 2 else nodes.Text(part)
                for place, part in enumerate(DATE.split(text))
            ]
            text.parent.replace(text, marked)


def setup(app: Sphinx) -> dict:
    """Register what the site needs with Sphinx."""
    app.connect("config-inited", configure)
    app.connect("builder-inited", add_filters)
    written: set[str] = set()
    app.connect("html-page-context", lambda app, page, *_: written.add(page))
    app.connect("build-finished", lambda app, _: list_others(app, written), priority=1)
    app.add_js_file("page.js", loading_method="defer")
    app.connect("html-page-context", describe, priority=400)
    app.connect("doctree-resolved", keep_dates_whole)
    app.connect("html-page-context", link_cases, priority=400)
    app.connect("html-page-context", cite, priority=400)
    app.connect("html-page-context", offer_notebook, priority=600)
    app.connect("build-finished", guard, priority=900)
    app.connect("html-page-context", offer_handouts, priority=600)
    app.connect("build-finished", write_notebooks)
    app.connect("build-finished", lambda app, _: forget_handouts(app), priority=1)
    app.connect("build-finished", write_handouts, priority=950)
    return {"parallel_read_safe": True, "version": "1"}
