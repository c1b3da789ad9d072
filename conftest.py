"""Loads the plugin that collects chapters, and pytester, with which the plugin is tested."""

pytest_plugins = ["tests.chapter_plugin", "pytester"]
