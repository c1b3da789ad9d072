"""Loads the plugins that collect chapters and open the site."""

pytest_plugins = ["tests.chapter_plugin", "tests.site_plugin"]
