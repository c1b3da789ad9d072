"""Who runs a seeded model in `svi.init`, and which key the handler keeps after each run."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import jax
import jax.numpy as jnp
from numpyro.handlers import seed

from ..steps import ACCENT, BLUE, Panel, Steps

RUNS = {
    "_get_model_transforms": "list the sites",
    "body_fn": "draw a start",
    "potential_energy": "test the start",
    "constrain_fn": "replay the model",
}
OWN = "SVI's own run"
Run = tuple[str, bool, str, str]
"""Its name, whether JAX was tracing a loop, and the handler's key before and after."""


def watch(model: Callable, make_svi: Callable, keys: Any, y: Any) -> list[Run]:
    """Map `svi.init` over keys; return each run of the model, up to the one that fails.

    Args:
        model: the model.
        make_svi: makes an `SVI` from a model and its seeded handler.
        keys: a random key for each lane.
        y: the data.
    """
    runs: list[Run] = []

    def key() -> str:
        return "tracer" if isinstance(handler.rng_key, jax.core.Tracer) else "array"

    def watched(y: Any) -> None:
        names = [frame.name for frame in traceback.extract_stack()]
        run = [OWN, *(RUNS[name] for name in names if name in RUNS)][-1]
        before = run, isinstance(jnp.add(0, 0), jax.core.Tracer), key()
        runs.append((*before, "error"))
        model(y)
        runs[-1] = (*before, key())

    handler = seed(watched, rng_seed=0)
    with suppress(jax.errors.UnexpectedTracerError):
        jax.vmap(make_svi(watched, handler).init, in_axes=(0, None))(keys, y)
    return runs


def draw(runs_of: Mapping[str, Sequence[Run]]) -> Steps:
    """Draw the runs of a model with and without a deterministic site, one below the other."""
    caption = "The runs of the model in `svi.init` on the old stack, from top to bottom. Which of "
    figure = Steps(
        f"{caption}them reads what the loop left?", {"deterministic site": list(runs_of)}
    )
    for at, rows in runs_of.items():
        runs, handler = Panel("runs of the model"), Panel("the handler's key, before and after")
        alts = []
        for place, (run, in_loop, before, after) in enumerate(rows):
            y = 32 + 34 * place
            broken = after == "error"
            look = {"color": ACCENT, "tinted": True}
            runs.box(8, y, 180, 24, **look if broken else {})
            runs.text(16, y + 17, f"{place + 1}. {run}")
            dead = before == "tracer" and not in_loop
            handler.text(8, y + 17, f"{place + 1}.")
            right = handler.chip(28, y + 2, before, **look if dead else {})
            handler.line([(right + 4, y + 12), (right + 30, y + 12)], arrow=True)
            handler.chip(right + 36, y + 2, after, **look if dead else {})
            loop = "inside" if in_loop else "outside"
            alts.append(f"{place + 1}, {run}, {loop} the loop: {before}, then {after}")
        inside = [32 + 34 * place for place, row in enumerate(rows) if row[1]]
        top, end = inside[0], inside[-1] + 24
        runs.line([(196, top), (204, top), (204, end), (196, end)], color=BLUE)
        runs.text(212, (top + end) / 2 + 5, "while_loop", color=BLUE)
        runs.height = handler.height = 32 + 34 * len(rows)
        says = (
            "The last run is SVI's own. It does not go through the handler, so nothing reads the "
        )
        says += "tracer that the loop left there."
        if rows[-1][-1] == "error":
            says = "A deterministic site has no distribution, so NumPyro runs the model again. The "
            says += "handler splits a tracer of a loop that is over."
        alt = f"The model {at} a deterministic site. {'; '.join(alts)}."
        figure.add(says, alt, runs, handler, at=[at])
    return figure
