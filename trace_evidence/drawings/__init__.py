"""The figures of the chapters, drawn from the objects that a page gives them."""
