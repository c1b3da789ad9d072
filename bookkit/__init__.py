"""What builds and tests the book; no page imports it."""

from . import shell

shell.settle()
