"""Loads the plugins that collect chapters and open the site, and pytester, to test the first."""

pytest_plugins = ["tests.chapter_plugin", "tests.site_plugin", "tests.kept", "pytester"]
