"""Loads the plugins that collect chapters and open the site, and pytester, to test the first."""

import functools

import pytest

pytest_plugins = ["tests.chapter_plugin", "tests.site_plugin", "tests.kept", "pytester"]


@pytest.fixture(scope="session")
def beforehand(tmp_path_factory):
    """A function that calls another with a folder, once in a run, and gives what it returned."""
    return functools.cache(lambda function: function(tmp_path_factory.mktemp("once")))
