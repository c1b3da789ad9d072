"""What spares the build work leaves no trace behind."""

from types import SimpleNamespace

from docutils import nodes
from sphinx.addnodes import toctree

from bookkit.sphinx import spare


def test_the_sidebar_is_made_of_the_case_that_is_read_and_of_one_elsewhere():
    every = [(None, "book/cases/a"), (None, "book/cases/b")]
    tree = toctree(entries=every)
    app = SimpleNamespace(env=SimpleNamespace(tocs={spare.INDEX: nodes.bullet_list("", tree)}))
    for page, left in {"book/cases/b": every[1:], "book/index": every[:1]}.items():
        spare.list_one_case(app, page, "", {}, None)
        assert tree["entries"] == left


def test_pages_that_were_just_read_are_not_loaded_again_while_figures_are_numbered():
    class Env:
        _write_doc_doctree_cache = {"one": "read"}  # noqa: RUF012

        def get_doctree(self, page):
            return f"{page} loaded"

    env = Env()
    spare.lend_pages(None, env)
    assert [env.get_doctree(page) for page in ("one", "two")] == ["read", "two loaded"]
    spare.take_back(None, env)
    assert env.get_doctree("one") == "one loaded"
