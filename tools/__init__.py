"""Commands around the book; each runs as `python -m tools.NAME`."""
