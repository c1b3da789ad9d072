"""The checks: one module each, with a function `check` that takes a `Context`."""
