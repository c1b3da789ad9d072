"""Compare the last state of an `MCMC` with the model as it is now."""

from __future__ import annotations

from typing import Any

import jax
from numpyro import handlers
from numpyro.infer.util import initialize_model, potential_energy

from .. import comparing, running
from ..context import CannotRun, Context, NothingToCompare, refused

ROUNDED = 1e-5
"""By how much of itself rounding may change an energy, which is a sum over all data."""


def summed(context: Context, model: Any) -> Any:
    """Return the potential energy of a model whose discrete latents are summed over."""
    given: dict[str, Any] = {"model_args": context.args, "model_kwargs": context.kwargs}
    return initialize_model(context.key(2), model, **given).potential_fn


def check(context: Context) -> None:
    """Compute the potential energy of the last state from the model and its arguments.

    A run that used an older program has another one.

    Raises:
        CannotRun: no `MCMC` was given, it has not run, or its kernel keeps no potential energy.
    """
    if context.mcmc is None:
        raise NothingToCompare("no `MCMC` was given in place of the model")
    state = context.mcmc.last_state
    if state is None or not hasattr(state, "potential_energy") or not hasattr(state, "z"):
        raise CannotRun("the `MCMC` has not run, or its kernel keeps no potential energy")
    energy, z = state.potential_energy, state.z
    if jax.numpy.ndim(energy):
        energy, z = energy[0], jax.tree.map(lambda leaf: leaf[0], z)

    def model(*args: Any, **kwargs: Any) -> Any:
        with running.of_the_model():
            return handlers.seed(context.model, context.key(1))(*args, **kwargs)

    latents = {site.name for site in context.draw.sites if site.latent}
    with refused("at the last state"), context.held.restoring():
        if latents <= z.keys():
            now = potential_energy(model, context.args, context.kwargs, z)
        else:  # it sums over the others
            now = summed(context, model)(z)
    if comparing.apart(energy, now, noise=ROUNDED):
        says = (
            f"the last state has the potential energy {comparing.show(energy)}, and the model "
            f"with these arguments gives {comparing.show(now)}: the run used other data or another "
            "prior"
        )
        context.find("other-energy", says, "", ["second-mcmc-run"])
