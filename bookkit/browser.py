"""Serves the built site on loopback, and starts the machine's own Chromium, without a window.

The site is served under the path that it has in public, with its 404 page. Nothing is downloaded,
and no request leaves the machine.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from bookkit import pages

SITE = pages.ROOT / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome")
NOT_BUILT = "the site is not built: run `make book`"
NO_CHROMIUM = (
    "no Chromium on this machine: on Debian, `apt-get install chromium`; "
    "elsewhere, set CHROMIUM to the path of a Chromium or Chrome"
)


def find_chromium() -> str | None:
    """Return the path of a Chromium: `CHROMIUM`, or the first one on `PATH`."""
    asked = os.environ.get("CHROMIUM")
    return shutil.which(asked) if asked else next(filter(None, map(shutil.which, NAMES)), None)


class Handler(SimpleHTTPRequestHandler):
    """Serves the site as its public host does: under a path, with `404.html` for the rest."""

    protocol_version = "HTTP/1.1"
    prefix = urlsplit(pages.public_address()).path

    def translate_path(self, path: str) -> str:
        """Return the file behind a path, or one that does not exist."""
        inside = path.startswith(self.prefix)
        return super().translate_path("/" + path[len(self.prefix) :] if inside else "/outside")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not there with the site's own page."""
        page = Path(self.directory, "404.html")
        if code != 404 or not page.exists():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class NotReady(Exception):
    """Something is missing; the message is one line that names the cure."""


@contextmanager
def serve(folder: Path = SITE) -> Iterator[str]:
    """Serve a built site on loopback; give its address, which ends with a slash.

    Raises:
        NotReady: the site is not built.
    """
    if not (folder / "index.html").exists():
        raise NotReady(NOT_BUILT)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{Handler.prefix}"
        server.shutdown()


@contextmanager
def launch() -> Iterator[Browser]:
    """Start a headless Chromium that finds no other machine and leaves nothing behind.

    Raises:
        NotReady: the machine has no Chromium.
    """
    chromium = find_chromium()
    if not chromium:
        raise NotReady(NO_CHROMIUM)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
            env={**os.environ, "HOME": home},
        )
        yield browser
        browser.close()
