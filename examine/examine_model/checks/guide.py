"""Look at a guide: its starts, alone and mapped, and what it keeps from its first call.

Each part is needed by a model that no other check answers: four functions of `trials/pairs.py`,
`trials/models/seedlings.py`, and the guide with which the chapter on `vmap` begins.
"""

from __future__ import annotations

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import handlers
from numpyro.distributions import biject_to, constraints
from numpyro.infer import SVI, Trace_ELBO, autoguide
from numpyro.optim import Adam

from .. import running
from ..comparing import is_smooth, same, show
from ..context import CannotRun, Context, NothingToCompare
from ..held import Held
from .keys import drawing, same_key
from .state import OTHERS, varied

LANES = 2
KEEPS = ["guide-keeps-arguments"]


def check(context: Context) -> None:
    """Start a guide under two keys, one by one and mapped, and predict at the arguments at hand.

    Raises:
        CannotRun: there is no guide, or it does not start.
    """
    if context.guide is None:
        raise NothingToCompare("no `guide=` was given")
    held = context.held
    with held.restoring():
        places = Held(context.guide).tracers()
        if places:
            says = f"the guide holds a tracer in {next(iter(places)).replace('model', 'guide', 1)}"
            context.find("guide-keeps-tracer", says, "", ["guide-keeps-traced-start"])
            return
        if not isinstance(context.guide, autoguide.AutoGuide):
            fits(context)
            held.restore()
        if getattr(context.guide, "prototype_trace", None) is not None:
            follows_arguments(context)
            held.restore()
            starts_by_key(context)
            held.restore()
        seeded_inside(context)
        mapped_starts(context)


def fits(context: Context) -> None:
    """Find latents that a guide by hand leaves out, and values that it draws outside of a support.

    A parameter without a constraint is moved below zero, as an optimizer may move it.
    """
    guide, given = handlers.seed(context.guide, context.key(5)), (context.args, context.kwargs)
    trace = handlers.trace(guide).get_trace(*given[0], **given[1])
    for name, site in context.draw.samples().items():
        if not site.latent or site.looped or site.fn.support.is_discrete:
            continue
        if name not in trace:
            context.find("guide-forgets", "the guide does not draw it", name)
        elif wider(trace[name]["fn"], site.fn):
            says = (
                f"the guide draws it from {trace[name]['fn'].support}, and the model has it in "
                f"{site.fn.support}: the loss is infinite outside, or wrong"
            )
            context.find("guide-support", says, name)
    params = {name: param for name, param in trace.items() if param["type"] == "param"}
    for name, param in params.items():
        if param["kwargs"].get("constraint", constraints.real) is not constraints.real:
            continue
        below = {name: -1.0 - jnp.abs(param["value"])} if is_smooth(param["value"]) else {}
        try:
            handlers.substitute(guide, data=below)(*given[0], **given[1])
        except ValueError as error:
            says = (
                f"an optimizer may move the parameter {name!r} below zero, where the guide raises"
            )
            context.find("guide-unconstrained", f"{says} {running.brief(error)}")


def wider(guide: Any, model: Any) -> bool:
    """Tell whether a guide draws values outside of the support that the model has."""
    try:
        way = biject_to(guide.support)
        free = jax.eval_shape(way.inv, jnp.zeros(guide.shape()))
        points = way(
            jnp.linspace(-2.0, 2.0, 9).reshape((9,) + (1,) * free.ndim) + jnp.zeros(free.shape)
        )
        return not bool(jnp.all(model.support(points)))
    except Exception:  # a support with no way to it
        return False


def seeded_inside(context: Context) -> None:
    """Hint at a guide whose own model draws with one key under every seed.

    Each try of the search for a start then finds the same point, whether it is allowed or not.
    """
    model = getattr(context.guide, "model", None)
    if model is None or model is context.model:
        return
    runs = [running.run(model, context.args, context.kwargs, context.key(seed)) for seed in (5, 6)]
    here, other = (drawing(run) for run in runs)
    for name in here.keys() & other.keys():
        if same_key(here[name].rng_key, other[name].rng_key):
            says = (
                "the model in the guide draws it with the same key under every seed, as does each "
            )
            says += "try of the search for a start"
            context.hint("guide-one-key", says, name, ["one-key-for-all-tries"])
            return


def unused(guide: Any) -> Any:
    """Return a copy of a guide that was never called, or the guide if it is a plain function."""
    if not isinstance(guide, autoguide.AutoGuide):
        return guide
    new = copy.copy(guide)
    new.prototype_trace, new._prototype_frames = None, {}
    new._prototype_frame_full_sizes = {}
    return new


def start(context: Context, guide: Any, rng_key: Any, finite: bool = False) -> Any:
    """Return the parameters that SVI begins with; `finite`: and whether its loss is finite."""
    svi = SVI(context.model, guide, Adam(0.01), Trace_ELBO())
    state = svi.init(rng_key, *context.args, **context.kwargs)
    params = svi.get_params(state)
    if not finite:
        return params
    loss = svi.evaluate(state, *context.args, **context.kwargs)
    return params, jnp.isfinite(loss)


def starts_by_key(context: Context) -> None:
    """Hint at a guide that begins where its first call began, though another would not.

    A guide that was fitted once does so too, and may be meant to.
    """
    keys = [context.key(5), context.key(6)]
    try:
        fresh = [start(context, unused(context.guide), key) for key in keys]
        context.held.restore()
        again = [start(context, context.guide, key) for key in keys]
    except Exception as error:
        raise CannotRun(f"`svi.init` raises {running.brief(error)}") from error
    if fresh[0].keys() != again[0].keys():
        return  # what was observed in its first call is not given here
    if same(again[0], again[1], 1e-6) and not same(fresh[0], fresh[1], 1e-6):
        name = next(key for key in fresh[0] if not same(fresh[0][key], fresh[1][key]))
        says = (
            f"it was called before, and a restart begins at {show(again[0][name])} under "
            f"two keys; a new guide starts at {show(fresh[0][name])} and "
            f"{show(fresh[1][name])}"
        )
        context.hint("guide-keeps-start", says, name, ["one-guide-one-start"])


def follows_arguments(context: Context) -> None:
    """Find the deterministic sites that a used guide computes for the arguments of its first call.

    The second answer is the model's, run on the same draw. Where these arguments are those of the
    first call, others made of them would be answered as these are, which is a hint.
    """
    if not any(site.kind == "deterministic" for site in context.draw.sites):
        return
    recorder = handlers.trace(handlers.seed(context.guide, context.key(5)))
    trace = recorder.get_trace(*context.args, **context.kwargs)
    params = {name: site["value"] for name, site in trace.items() if site["type"] == "param"}
    given = context.args, context.kwargs
    try:
        apart = predicted(context, params, *given)
    except Exception as error:
        raise CannotRun(f"`sample_posterior` raises {running.brief(error)}") from error
    if apart:
        says = "the guide, used before, gives {} for these arguments, and the model {} for the draw"
        context.find("guide-keeps-arguments", says.format(*apart[1:]), apart[0], KEEPS)
        return
    for move, whole in OTHERS:
        try:
            apart = predicted(context, params, *varied(given, move, whole))
        except Exception:
            continue  # other data do not fit
        if apart:
            says = "for other arguments the guide, used before, gives {}, and the model {}"
            context.hint("guide-keeps-arguments", says.format(*apart[1:]), apart[0], KEEPS)
        return


def predicted(context: Context, params: dict, args: tuple, kwargs: dict) -> tuple | None:
    """Return a deterministic site, and what a guide and the model make of it where they differ."""
    key = context.key(7)
    try:
        drawn = context.guide.sample_posterior(key, params, *args, **kwargs)
    except TypeError:  # a release whose guides take no arguments here
        drawn = context.guide.sample_posterior(key, params)
    latents = {name: value for name, value in drawn.items() if name in context.values}
    with context.held.restoring():
        values = {**context.values, **latents}
        run = running.run(context.model, args, kwargs, context.key(1), values)
    for site in run.sites:
        if site.kind != "deterministic" or site.name not in drawn:
            continue
        wanted, got = site.value, drawn[site.name]
        if np.shape(wanted) != np.shape(got) or not same(got, wanted):
            return site.name, show(got), show(wanted)
    return None


def mapped_starts(context: Context) -> None:
    """Find starts that `vmap` accepts and a single call refuses, and a guide that fails there."""
    keys = jax.random.split(context.key(5), LANES)
    guide = unused(context.guide)
    try:
        _, finite = jax.vmap(lambda key: start(context, guide, key, finite=True))(keys)
    except jax.errors.UnexpectedTracerError as error:
        says = f"`jax.vmap(svi.init)` raises {running.brief(error)}"
        context.find("guide-under-vmap", says, "", ["autoguide-under-vmap"])
        return
    except Exception as error:
        says = f"`svi.init` or `svi.evaluate` raises {running.brief(error)} under `vmap`"
        raise CannotRun(says) from error
    if bool(jnp.all(finite)):
        return
    context.held.restore()
    lane = int(np.flatnonzero(~np.asarray(finite))[0])
    says = f"under `vmap` lane {lane} starts where the loss is not finite, without a word"
    try:
        if not start(context, unused(context.guide), keys[lane], finite=True)[1]:
            return  # the loss is no better alone
    except Exception as error:
        says += f"; alone, `svi.init` raises {running.brief(error)}"
    context.find("lane-without-start", says, "", ["lane-without-start"])
