"""Let what takes long run beside the quicker tests, in a process of its own.

A test module names such functions in `BEFOREHAND`; each takes a folder and returns something that
can be pickled. They start when collecting ends, their modules come last, and a test asks for a
result by the fixture `beforehand`. What a test does to its own process does not reach them.
"""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

begun = pytest.StashKey[dict]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the modules that wait for something last."""
    items.sort(key=lambda item: hasattr(getattr(item, "module", None), "BEFOREHAND"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session):
    """Begin what the collected modules name, and leave nothing running."""
    config = session.config
    waiting = [item for item in session.items if "beforehand" in getattr(item, "fixturenames", ())]
    modules = dict.fromkeys(item.module for item in waiting)
    functions = [f for module in modules for f in getattr(module, "BEFOREHAND", [])]
    if config.option.collectonly or not functions:
        return (yield)
    factory = config._tmp_path_factory
    # A fork knows the modules already. Nothing runs beside the main thread yet.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        config.stash[begun] = {f: workers.submit(f, factory.mktemp("begun")) for f in functions}
        try:
            return (yield)
        finally:
            workers.shutdown(wait=False, cancel_futures=True)


@pytest.fixture(scope="session")
def beforehand(pytestconfig):
    """A function that waits for what one of `BEFOREHAND` returns, and raises what it raised."""
    return lambda function: pytestconfig.stash[begun][function].result()
