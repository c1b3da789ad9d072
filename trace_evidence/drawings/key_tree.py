"""Random keys as a tree: how `seed` splits its key, and which key a site gets in each run."""

from collections.abc import Callable
from typing import Any

from jax import random
from numpyro.handlers import seed, trace

from ..steps import ACCENT, BLUE, MARGIN, Panel, Steps

GIVEN, NAME, APART = 150, 218, 56
"""Where a key that is given away stands, and its site's name, and how far apart splits are."""


def short(key: Any) -> str:
    """Return four digits by which to tell keys apart."""
    return f"{int(random.key_data(key)[-1]) & 0xFFFF:04x}"


def keys_of(run: Callable) -> dict[str, str]:
    """Return the key that each random site of a model gets, by the site's name."""
    sites = trace(run).get_trace().values()
    return {site["name"]: short(site["kwargs"]["rng_key"]) for site in sites if "fn" in site}


def splits(model: Callable, key: Any) -> tuple[Panel, str]:
    """Draw the splits of a key, from top to bottom: one key goes to a site, one is kept."""
    panel, kept, pairs = Panel("seed splits its key"), key, []
    panel.chip(MARGIN, 34, short(kept), color=BLUE)
    for place, (name, got) in enumerate(keys_of(seed(model, key)).items()):
        kept, given = random.split(kept)
        assert short(given) == got, "seed gives its second key to the site"
        y = 34 + APART * place
        panel.line([(30, y + 20), (30, y + APART)], arrow=True)
        panel.line([(30, y + 34), (GIVEN - 2, y + 34)], arrow=True)
        panel.chip(GIVEN, y + 24, got)
        panel.text(NAME, y + 39, f"for {name}")
        panel.chip(MARGIN, y + APART, short(kept), color=BLUE)
        pairs.append(f"{name} gets {got}")
    panel.height = y + APART + 26
    panel.say("blue: what the handler keeps", color=BLUE)
    return panel, f"{short(key)} is split: {', '.join(pairs)}"


def runs(model: Callable, keys: Any, site: str) -> tuple[Panel, str]:
    """Draw which key a site gets in each of several runs, beside the key of the run."""
    panel = Panel(f"the key of each run, and of {site}")
    got = [keys_of(seed(model, key))[site] for key in keys]
    for place, (key, given) in enumerate(zip(keys, got, strict=True)):
        y = 34 + 30 * place
        look = {"color": ACCENT, "tinted": True} if got.count(given) > 1 else {}
        right = panel.chip(MARGIN, y, short(key))
        panel.line([(right + 4, y + 10), (GIVEN - 4, y + 10)], arrow=True)
        panel.chip(GIVEN, y, given, **look)
        panel.text(NAME, y + 15, f"for {site}")
    panel.height = 34 + 30 * len(keys)
    return panel, f"in {len(keys)} runs {site} gets {', '.join(got)}"


def draw(model: Callable, seeded: Callable, keys: Any, inner: Any) -> Steps:
    """Draw the keys of a model without and with a `seed` of its own, in several runs.

    Args:
        model: a model without a handler; its first random site is looked at.
        seeded: the same model, which brings a `seed`.
        keys: a key for each run.
        inner: the key of the `seed` that the model brings.
    """
    caption = "How a key is split in the first run, and which key the first site gets in each run. "
    figure = Steps(f"{caption}The digits name a key.", {"the model brings": ["no seed", "a seed"]})
    for at, fn, first in ("no seed", model, keys[0]), ("a seed", seeded, inner):
        tree, split = splits(model, first)
        site = next(iter(keys_of(seed(model, first))))
        table, drawn = runs(fn, keys, site)
        says = "The outer `seed` splits the key of the run, so each run draws another number."
        if at == "a seed":
            says = "The inner `seed` splits its own key, the same one in each run. The keys of the "
            says += "runs come too late."
        figure.add(says, f"With {at}: {split}; {drawn}.", tree, table, at=[at])
    return figure
