"""The site in one language: how it is built, and what that needs of Sphinx.

`python -m bookkit.localized zh_CN`, which `make book` calls, builds it. Jupyter Book takes no
language, so this gives Sphinx the configuration that Jupyter Book makes of `_config.yml`, and what
differs. The pages are executed before, for all languages at once, by `python -m bookkit`; one that
is not is built without outputs. As an extension it adds a switch between languages, marks on what
is not translated, and a search.
"""

import json
import re
import shutil
import sys
from gettext import NullTranslations
from itertools import pairwise
from pathlib import Path
from typing import Any

from docutils import nodes
from jupyter_book.config import get_final_config
from myst_nb.sphinx_ import SphinxEnvType
from sphinx import locale
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.search import SearchLanguage
from sphinx.util.docutils import docutils_namespace, patch_docutils
from sphinx_exercise.directive import ExerciseStartDirective

from . import execute, languages, pages, translations
from .languages import ENGLISH, say

WORDS = "words-data.js"
CHINESE = r"[\u3400-\u9fff]+"
STOPPED = re.compile(r"[\u3000-\u303f\uff00-\uffef]$")
BLANK = re.compile(r" (?=[\u3000-\u9fff\uff00-\uffef])")
NAMED = re.compile(rf'(?<=(?:label|title)=")(?:{"|".join(translations.THEME)})(?=")')


class BookFirst(NullTranslations):
    """What Sphinx and the theme say: in the book's own words, else in those of their catalogues."""

    def gettext(self, message: str) -> str:
        """Return a message in the language that is spoken."""
        translation = say(message)
        return translation if translation != message else super().gettext(message)


def folder(code: str) -> Path:
    """Return the folder of an edition in the built site."""
    return pages.BUILD / "html" / languages.available()[code].address


def configuration() -> dict[str, Any]:
    """Return Sphinx's configuration for the language that is spoken."""
    made, _ = get_final_config(
        user_yaml=pages.CONFIG,
        cli_config={"external_toc_path": str(pages.TOC), "latex_individualpages": False},
        sourcedir=pages.ROOT,
    )
    language = languages.spoken()
    made |= {"gettext_compact": False, "gettext_location": False}
    if language.code != languages.ENGLISH:
        base = made["html_baseurl"]
        made |= {
            "language": language.code,
            "author": say("The developers of Trace Evidence"),
            "locale_dirs": [str(languages.FOLDER)],
            "translation_progress_classes": "untranslated",
            "html_baseurl": f"{base}{language.address}/",
            "sitemap_locales": [None],
            # The pictures that social networks show are drawn without Chinese characters.
            "ogp_social_cards": {"enable": False},
            "ogp_image": f"{base}_static/card.png",
        }
        made["html_theme_options"]["search_bar_text"] = say("Search this book...")
    return made


def leave_out_what_is_not_executed(app: Sphinx, env: SphinxEnvType, names: list[str]) -> None:
    """Have myst-nb execute nothing: pages that are not executed show no outputs."""
    read = [path for path in pages.find_notebooks() if pages.page_name(path) in names]
    missing = [pages.page_name(path) for path in read if execute.executed(path) is None]
    env.mystnb_config.execution_excludepatterns = [f"{page}.md" for page in missing]


def build(code: str, out: str = "", trees: str = "", builder: str = "html") -> int:
    """Build the edition of a language; return 0 where there was neither an error nor a warning."""
    languages.use(code)
    doctrees = Path(trees or pages.BUILD / f".doctrees-{code}")
    made = Path(out or doctrees / "html")  # the pages' notebooks come beside it
    for catalogue in ("sphinx", "booktheme"):  # each adds its own words as a fallback
        locale.translators["general", catalogue] = BookFirst()
    with patch_docutils(None), docutils_namespace():
        app = Sphinx(
            pages.ROOT, None, made, doctrees, builder, configuration(),
            status=None, warning=sys.stderr, warningiserror=True, keep_going=True,
        )  # fmt: skip
        app.connect("env-before-read-docs", leave_out_what_is_not_executed)
        app.build()
    if not out:
        shutil.copytree(made, folder(code), dirs_exist_ok=True)
    return app.statuscode


# --- the extension --------------------------------------------------------------------------------


def name_parts(markup: str) -> str:
    """Translate names of parts of a page that the theme has in English alone; for templates."""
    return NAMED.sub(lambda name: say(name[0]), str(markup))


def pairs(text: str) -> list[str]:
    """Return the Chinese characters of a text, each with the one that follows.

    Chinese has no spaces between words; pairs find a phrase without a dictionary.
    """
    parts = re.findall(r"[\u3400-\u9fff]{2,}", text)
    return [part[i : i + 2] for part in parts for i in range(len(part) - 1)]


class PairSearch(SearchLanguage):
    """A search that takes Chinese characters in pairs, for a phrase has no spaces to part it at."""

    lang = "zh_CN"
    language_name = "Chinese"
    js_splitter_code = Path(__file__).with_name("pairs.js").read_text()

    def split(self, text: str) -> list[str]:
        """Return the words of a text, and the pairs of its Chinese characters."""
        parts = re.findall(rf"{CHINESE}|(?:(?![\u3400-\u9fff])\w)+", text)
        return [word for part in parts for word in pairs(part) or [part]]

    def word_filter(self, word: str) -> bool:
        """Tell whether a word stands in the index."""
        return bool(re.match(CHINESE, word)) or super().word_filter(word)


def translate_the_rest(app: Sphinx, doctree: nodes.document) -> None:
    """Put into the page's language what Sphinx does not: captions of the sidebar, folds in HTML."""
    for tree in doctree.findall(toctree):
        tree["caption"] = say(tree.get("caption") or "")
    for node in doctree.findall(nodes.raw):
        match = translations.SUMMARY.fullmatch(node.astext().strip())
        if match:
            node.children = [nodes.Text(node.astext().replace(match[1], say(match[1])))]


class Exercise(ExerciseStartDirective):
    """An exercise whose title is in the page's language."""

    def run(self) -> list[nodes.Node]:
        """Return what the extension does."""
        self.arguments: list[str] = [say(title) for title in self.arguments]
        return super().run()


def mark_english(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Say of what is not translated that it is English; docutils writes the class as `lang`."""
    for node in doctree.findall(nodes.Element):
        if "untranslated" in node.get("classes", ()):
            node["classes"].append("language-en")


def close_gaps(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Take away the blank that Markdown needs where emphasis ends in Chinese punctuation."""
    for parent in doctree.findall(nodes.TextElement):
        for place, (word, text) in enumerate(pairwise(parent.children), start=1):
            emphasis = isinstance(word, nodes.strong | nodes.emphasis)
            if emphasis and STOPPED.search(word.astext()) and BLANK.match(text.astext()):
                parent[place] = nodes.Text(text.astext()[1:])


def link_editions(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree) -> None:
    """Tell the templates where this page stands in the other languages."""
    here = languages.spoken()
    built = languages.wanted()
    context["editions"] = []
    if len(built) < 2 or page in ("404", "index"):
        return
    source = pages.config()["repository"]["url"]
    own = {page: say("Mend this translation"), f"records/{page}": say("Mend its cards and figures")}
    files = {languages.catalogue(here.code, name): words for name, words in own.items()}
    context["catalogues"] = {
        f"{source}/edit/main/{file.relative_to(pages.ROOT)}": words
        for file, words in files.items()
        if file.exists()
    }
    base = app.config.html_baseurl.removesuffix(f"{here.address}/" if here.address else "")
    up = "../" * (page.count("/") + bool(here.address))
    for edition in built:
        inside = f"{edition.address}/{page}.html" if edition.address else f"{page}.html"
        context["editions"].append(
            {
                "tag": edition.tag, "name": edition.name, "here": edition == here,
                "address": base + inside, "href": up + inside,
            }
        )  # fmt: skip


def write_words(app: Sphinx) -> None:
    """Write the words of the scripts beside them, before pages name the file with its mark."""
    if app.builder.format == "html":
        translated = {text: say(text) for _, text in translations.interface_texts(["book/_static"])}
        words = json.dumps(translated, ensure_ascii=False)
        text = f"globalThis.traceEvidence = {{...globalThis.traceEvidence, words: {words}}};\n"
        file = Path(app.outdir, "_static", WORDS)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the editions with Sphinx."""
    app.add_search_language(PairSearch)
    if languages.spoken().code != ENGLISH:
        app.connect("doctree-read", translate_the_rest)
        app.add_directive("exercise-start", Exercise, override=True)
        app.connect("doctree-resolved", mark_english)
        app.connect("doctree-resolved", close_gaps)
        app.connect("builder-inited", write_words)
        app.add_js_file(WORDS, priority=90)
    app.connect("html-page-context", link_editions)
    app.add_js_file("words.js", priority=100)
    return {"parallel_read_safe": True, "version": "1"}


if __name__ == "__main__":
    sys.exit(build(*sys.argv[1:]))
