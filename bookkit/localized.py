"""Build the site in one language: `python -m bookkit.localized zh_CN`, which `make book` calls.

Jupyter Book takes no language, so this gives Sphinx the configuration that Jupyter Book makes of
`_config.yml`, and what differs. The pages are executed already, for all languages at once: run
`python -m bookkit` before, or Sphinx executes here what it does not find.
"""

import shutil
import sys
from gettext import NullTranslations
from pathlib import Path
from typing import Any

from . import languages, pages
from .languages import say


class BookFirst(NullTranslations):
    """What Sphinx and the theme say: in the book's own words, else in those of their catalogues."""

    def gettext(self, message: str) -> str:
        """Return a message in the language that is spoken."""
        said = say(message)
        return said if said != message else super().gettext(message)


def folder(code: str) -> Path:
    """Return the folder of an edition in the built site."""
    return pages.BUILD / "html" / languages.known()[code].address


def configuration() -> dict[str, Any]:
    """Return Sphinx's configuration for the language that is spoken."""
    from jupyter_book.config import get_final_config

    made, _ = get_final_config(
        user_yaml=pages.CONFIG,
        cli_config={"external_toc_path": str(pages.TOC), "latex_individualpages": False},
        sourcedir=pages.ROOT,
    )
    language = languages.spoken()
    made |= {
        "gettext_compact": False,
        "gettext_location": False,
    }
    if language.code != languages.ENGLISH:
        base = made["html_baseurl"]
        made |= {
            "language": language.code,
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


def build(code: str, out: str = "", trees: str = "", builder: str = "html") -> int:
    """Build the edition of a language; return 0 where there was neither an error nor a warning."""
    from sphinx import locale
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    languages.use(code)
    kept = Path(trees or pages.BUILD / f".doctrees-{code}")
    made = Path(out or kept / "html")  # the pages' notebooks come beside it
    for catalogue in ("sphinx", "booktheme"):  # each adds its own words as a fallback
        locale.translators["general", catalogue] = BookFirst()
    with patch_docutils(None), docutils_namespace():
        app = Sphinx(
            pages.ROOT, None, made, kept, builder, configuration(),
            status=None, warning=sys.stderr, warningiserror=True, keep_going=True,
        )  # fmt: skip
        app.build()
    if not out:
        shutil.copytree(made, folder(code), dirs_exist_ok=True)
    return app.statuscode


if __name__ == "__main__":
    sys.exit(build(*sys.argv[1:]))
