"""Opens the built site in a headless Chromium, as a reader meets it. Loaded by `conftest.py`.

The site is served on loopback under the path that it has in public, with its 404 page. Chromium is
the machine's own; nothing is downloaded, and no request leaves the machine.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import Browser, Page, sync_playwright

from trace_evidence import chapters

SITE = chapters.ROOT / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_CHROMIUM = (
    "no Chromium on this machine: on Debian, `apt-get install chromium`; "
    "elsewhere, set CHROMIUM to the path of a Chromium or Chrome"
)
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")


def public_address() -> str:
    """Return where the site is published, from `_config.yml`; it ends with a slash."""
    config = yaml.safe_load((chapters.ROOT / "_config.yml").read_text())
    return config["html"]["baseurl"]


def find_chromium() -> str | None:
    """Return the path of a Chromium: `CHROMIUM`, or the first one on `PATH`."""
    asked = os.environ.get("CHROMIUM")
    return shutil.which(asked) if asked else next(filter(None, map(shutil.which, NAMES)), None)


class Handler(SimpleHTTPRequestHandler):
    """Serves the site as its public host does: under a path, with `404.html` for the rest."""

    protocol_version = "HTTP/1.1"
    prefix = urlsplit(public_address()).path

    def translate_path(self, path: str) -> str:
        """Return the file behind a path, or one that does not exist."""
        inside = path.startswith(self.prefix)
        return super().translate_path("/" + path[len(self.prefix) :] if inside else "/outside")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not there with the site's own page."""
        page = SITE / "404.html"
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


@dataclass
class View:
    """A page as the browser shows it.

    Attributes:
        page: Playwright's page.
        path: the page's path in the site.
        requests: the address of each request that it made.
        failed: those that failed or were answered with an error, with the reason.
        errors: what its scripts complained about on the console.
    """

    page: Page
    path: str
    requests: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note what the page requests and complains about."""
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", lambda r: self.failed.append(f"{r.url}: {r.failure}"))
        self.page.on("response", self.note_answer)
        self.page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def note_answer(self, response) -> None:
        """Note an answer that is an error."""
        if response.status >= 400:
            self.failed.append(f"{response.url}: {response.status}")


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve the built site on loopback; give its address, which ends with a slash."""
    if not (SITE / "index.html").exists():
        pytest.exit("the site is not built: run `make check-site`, which builds it", 2)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=SITE)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{Handler.prefix}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[Browser]:
    """Start a headless Chromium that finds no other machine."""
    chromium = find_chromium()
    if not chromium:
        pytest.exit(NO_CHROMIUM, 2)
    home = tmp_path_factory.mktemp("home")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
            env={**os.environ, "HOME": str(home)},
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def opener(browser: Browser, site: str) -> Callable[..., View]:
    """Give a function that opens a page; whoever calls it closes `view.page.context`."""

    def open_page(path: str, width: int = 1280, scheme: str = "light", **options) -> View:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, **options)
        view = View(context.new_page(), path)
        view.watch()
        view.page.goto(site + path, wait_until="load")
        return view

    return open_page


@pytest.fixture
def open_page(opener: Callable[..., View]) -> Iterator[Callable[..., View]]:
    """Give a function that opens a page of the site: `open_page(path, width=1280, scheme="light")`.

    The path is the one in the site, as `book/start/how-to-use.html`. The pages are closed at the
    end of the test.
    """
    views = []

    def open_and_remember(*args, **options) -> View:
        views.append(opener(*args, **options))
        return views[-1]

    yield open_and_remember
    for view in views:
        view.page.context.close()
