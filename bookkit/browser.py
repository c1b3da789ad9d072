"""Starts the machine's own Chromium, without a window, and shows it the built site.

The site stands at its public address, with its 404 page. Nothing is downloaded, and no request
leaves the machine.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, BrowserContext, Route, sync_playwright

from bookkit import pages

SITE = pages.ROOT / "_build" / "html"
ADDRESS = pages.public_address()
NAMES = ("chromium", "chromium-browser", "google-chrome")
NOT_BUILT = "the site is not built: run `make book`"
NO_CHROMIUM = (
    "no Chromium on this machine: on Debian, `apt-get install chromium`; "
    "elsewhere, set CHROMIUM to the path of a Chromium or Chrome"
)


class NotReady(Exception):
    """Something is missing; the message is one line that names the cure."""


def file_at(url: str) -> Path:
    """Return the file of the built site that its host would send for an address."""
    path = unquote(urlsplit(url).path.removeprefix(urlsplit(ADDRESS).path))
    return SITE / path / "index.html" if path.endswith("/") or not path else SITE / path


def answer(route: Route) -> None:
    """Answer a request as the public host does: with a file, or with `404.html`."""
    file = file_at(route.request.url)
    if file.is_file():
        route.fulfill(path=file)
    else:
        route.fulfill(path=SITE / "404.html", status=404)


def window(chromium: Browser, **options: Any) -> BrowserContext:
    """Open a window, for which the built site is there; the options are Playwright's."""
    context = chromium.new_context(**options)
    context.route(f"{ADDRESS}**", answer)
    return context


@contextmanager
def launch() -> Iterator[Browser]:
    """Start a headless Chromium that finds no other machine and leaves nothing behind.

    Raises:
        NotReady: the machine has no Chromium, or the site is not built.
    """
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else NAMES
    chromium = next(filter(None, map(shutil.which, names)), None)
    if not chromium:
        raise NotReady(NO_CHROMIUM)
    if not (SITE / "index.html").exists():
        raise NotReady(NOT_BUILT)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--host-resolver-rules=MAP * ~NOTFOUND"],
            env={**os.environ, "HOME": home},
        )
        yield browser
        browser.close()
