"""Opens the built site in a headless Chromium, as a reader meets it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, expect

from bookkit import browser as site_browser
from tools import changes

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
expect.set_options(timeout=30_000)  # as all else in Playwright waits; five seconds may be too few


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which CI runs some of the slow tests."""
    says = "run the slow tests of one file in N, in turn by commit, and of files that changed"
    parser.addoption("--slow-in-turn", type=int, metavar="N", default=1, help=says)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests of files whose turn it is not."""
    one_in = config.getoption("--slow-in-turn")
    slow = [item for item in items if one_in > 1 and item.get_closest_marker("slow")]
    now = changes.in_turn(sorted({item.location[0] for item in slow}), one_in) if slow else []
    left_out = [item for item in slow if item.location[0] not in now]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


LEFT = "net::ERR_ABORTED"  # how Chromium ends what a page asked for that is left


@dataclass
class View:
    """A page as the browser shows it, and what came of its requests since it was visited."""

    page: Page
    width: int
    scheme: str
    path: str = ""
    requests: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # with the reason, or the status of an error
    errors: list[str] = field(default_factory=list)  # what scripts complained about
    site = site_browser.ADDRESS

    def __post_init__(self) -> None:
        """Note what the page requests and complains about."""
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", self.note_failure)
        self.page.on("response", lambda r: r.ok or self.failed.append(f"{r.url}: {r.status}"))
        self.page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def note_failure(self, request) -> None:
        """Note what was not answered; what is under way when a page is left is no failure."""
        if request.failure != LEFT:
            self.failed.append(f"{request.url}: {request.failure}")

    def visit(self, path: str) -> None:
        """Open another page of the site, and begin the notes anew."""
        for notes in (self.requests, self.failed, self.errors):
            notes.clear()
        self.path = path
        self.page.goto(self.site + path, wait_until="load")
        self.loaded = monotonic()

    def settle(self) -> None:
        """Wait until the page had half a second after it loaded, for what scripts ask for late."""
        self.page.wait_for_timeout(max(0, 500 - 1000 * (monotonic() - self.loaded)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a headless Chromium that finds no other machine."""
    try:
        with site_browser.launch() as chromium:
            yield chromium
    except site_browser.NotReady as error:
        pytest.exit(str(error), 2)


@pytest.fixture(scope="session")
def opener(browser: Browser) -> Callable[..., View]:
    """Give a function that opens a page; whoever calls it closes `view.page.context`."""

    def open_page(path: str, width: int = 1280, scheme: str = "light", **options) -> View:
        size = {"width": width, "height": 900}
        options = {"reduced_motion": "reduce"} | options  # no colour is seen on its way to another
        context = site_browser.window(browser, viewport=size, color_scheme=scheme, **options)
        view = View(context.new_page(), width, scheme)
        view.visit(path)
        return view

    return open_page


@pytest.fixture
def open_page(opener: Callable[..., View]) -> Iterator[Callable[..., View]]:
    """Give a function that opens a page of the site, and close the pages when the test ends."""
    views = []

    def open_and_remember(*args, **options) -> View:
        views.append(opener(*args, **options))
        return views[-1]

    yield open_and_remember
    for view in views:
        view.page.context.close()
