"""Puts this folder on the path, so that the tests find `trials`."""
