"""The Sphinx side of the book: directives, cells, the site."""
