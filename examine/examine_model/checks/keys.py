"""Compare the keys that sites draw with, under two keys of the whole model."""

from __future__ import annotations

import random
import sys
from typing import Any

import jax
import numpy as np
from numpyro import handlers

from ..comparing import apart
from ..context import CannotRun, Context, NothingToCompare
from ..held import is_library
from ..running import Run, Site, tracer_name

SEEDED = ("own-seed-in-predictive", "seeded-call-repeats")

MAKERS: dict[str, tuple[Any, ...]] = {
    "default_rng": (np.random,), "RandomState": (np.random,), "Random": (random,),
    "seed": (np.random, random),
}  # fmt: skip
"""What sets a seed of NumPy or Python, by name, and where it is."""
OTHER_SEED = 20_261


def check(context: Context) -> None:
    """Find the sites that draw with the same key whatever key the model is run with.

    Keys are compared, not draws, so the answer is exact. A site whose value differs by lane of
    `vmap` while its key does not draws one number for all lanes.

    What the model draws beside its sites, with a key that is the same under each seed, is a hint:
    such numbers may be meant, as the points of a grid that is drawn once.

    Raises:
        NothingToCompare: nothing is drawn.
    """
    # What a `block` hides is drawn in each lane; what is seen may be one latent for all of them.
    lanes = [site for site in context.draw.hidden if site.one_key]
    for site in context.draw.sites:
        if site.kind == "sample" and not site.observed and site.traced == "BatchTracer":
            if site.rng_key is None or tracer_name(site.rng_key):
                continue
            lanes.append(site)
    for site in lanes:
        says = "it is drawn inside `vmap`, with one key for all lanes"
        cases = ["one-key-for-all-lanes"]
        context.find("one-key-for-lanes", says, site.name, cases, site.place)
    for site in context.draw.sites:
        if site.kind == "sample" and not site.observed and not site.traced and site.one_key:
            says = "it stands inside `vmap`, and is one draw that all lanes share"
            context.hint("one-key-for-lanes", says, site.name, ["one-key-for-all-lanes"])
    here, other = drawing(context.draw), drawing(context.back)
    try:
        own = context.own_draws
    except CannotRun:  # `jit` says so
        own = []
    by_hand = seeded_by_hand(context)
    for place in by_hand:
        says = (
            "what NumPy or Python draws with the seed that is set here is the same under every "
            "seed of the model"
        )
        context.hint("fixed-draw", says, place=place)
    if not here and not own and not by_hand:
        raise NothingToCompare("no site draws")
    for place in dict.fromkeys(draw.place for draw in own if not draw.by_key):
        says = "what is drawn here is the same under every seed, since its key is made in the model"
        context.hint("fixed-draw", says, place=place)
    drawn = set[Any]()
    for draw in reversed(own):
        if draw.keys & drawn:
            says = "a key with which the model has drawn is used again: split it before"
            context.hint("same-key", says, place=draw.place)
        drawn |= draw.keys
    fixed = []
    for name, site in here.items():
        if name not in other:
            continue
        if same_key(site.rng_key, other[name].rng_key):
            fixed.append(name)
    if fixed:
        seeded = "" if not isinstance(context.model, handlers.seed) else "; the model has its own"
        says = f"it draws with the same key under every seed{seeded}"
        others = f", and so do {len(fixed) - 1} other sites" if len(fixed) > 1 else ""
        context.find("same-key", says + others, fixed[0], SEEDED)
    for name, first in same_as_another(here).items():
        if name not in fixed:
            says = f"it draws with the key of {first!r}: of one law they are the same numbers"
            context.hint("same-key", says, name, ["seeded-call-repeats"])


def seeded_by_hand(context: Context) -> list[tuple[str, int]]:
    """Return the lines where the model sets a seed of NumPy or Python on which its numbers depend.

    The model is run with other seeds in their place.
    """
    makers = [(where, name, getattr(where, name)) for name in MAKERS for where in MAKERS[name]]
    if not context.held.uses([maker for *_, maker in makers]) or context.noise is None:
        return []
    places = dict[tuple[str, int], None]()

    def other(caller: Any, args: tuple, kwargs: dict) -> tuple:
        if not (args or kwargs) or is_library(caller.f_code.co_filename):
            return args
        places[caller.f_code.co_filename, caller.f_lineno] = None
        return (OTHER_SEED,)

    def instead(maker: Any) -> Any:
        def made(*args: Any, **kwargs: Any) -> Any:
            return maker(*other(sys._getframe(1), args, kwargs))

        def begin(self: Any, *args: Any, **kwargs: Any) -> None:
            maker.__init__(self, *other(sys._getframe(1), args, kwargs))

        is_class = isinstance(maker, type)  # NumPy asks what is an instance of it
        return type(maker.__name__, (maker,), {"__init__": begin}) if is_class else made

    others = {id(maker): instead(maker) for _, _, maker in makers}

    def change(thing: Any) -> Any:
        return others.get(id(thing), thing)

    measured, key = context.measuring(), context.key(1)
    before = measured(key, context.values).numbers()
    try:
        for where, name, maker in makers:
            setattr(where, name, change(maker))
        with context.held.replaced(change):
            after = measured(key, context.values).numbers()
    except Exception:  # another seed is refused
        return []
    finally:
        for where, name, maker in makers:
            setattr(where, name, maker)
    moved = any(apart(rows, after[name]) for name, rows in before.items() if name in after)
    return [*places] if moved else []


def same_as_another(sites: dict[str, Site]) -> dict[str, str]:
    """Return the sites that draw with the key of an earlier one in the same run, by name."""
    first: dict[bytes, str] = {}
    repeated = {}
    for name, site in sites.items():
        if site.rng_key is not None:
            key = np.asarray(jax.random.key_data(site.rng_key)).tobytes()
            if first.setdefault(key, name) != name:
                repeated[name] = first[key]
    return repeated


def drawing(run: Run) -> dict[str, Site]:
    """Return what draws in a run, by name: its sites, and its loops, which hand keys on."""
    return {
        site.name: site
        for site in run.sites
        if site.kind == "loop"
        or (site.kind == "sample" and not (site.observed or site.traced or site.looped))
    }


def same_key(first: Any, second: Any) -> bool:
    """Tell whether two keys are equal, in the old form or the new."""
    if first is None or second is None:
        return False
    return bool(np.array_equal(jax.random.key_data(first), jax.random.key_data(second)))
