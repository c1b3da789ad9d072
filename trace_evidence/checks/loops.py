"""Is a scanned density that of a loop? See *MultivariateNormal inside scan*."""

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import log_density


def loop(step, init, xs):
    """Do what `scan` does, one step after the other."""
    carry = init
    for t in range(len(jax.tree.leaves(xs)[0])):
        x = jax.tree.map(lambda stacked, t=t: stacked[t], xs)
        with handlers.scope(prefix=str(t)):
            carry, _ = step(carry, x)


def rows(trace):
    """Return the log densities of each sample site, one for each row."""
    sites = [site for site in trace.values() if site["type"] == "sample"]
    return {site["name"]: site["fn"].log_prob(site["value"]) for site in sites}


def check_scan_matches_loop(step, init, xs, rng_key):
    """Return the log density of a scanned step if a loop gives the same, row by row.

    Args:
        step: the function that you give to `scan`.
        init: the carry of the first step.
        xs: the data of all steps, at least one array.
        rng_key: draws the values of the latent sites.

    Raises:
        AssertionError: with a site, and the log densities of a row that differ.
    """

    def densities():
        trace = handlers.trace(handlers.seed(scan, rng_key)).get_trace(step, init, xs)
        sample = [site for site in trace.values() if site["type"] == "sample"]
        at = {site["name"]: site["value"] for site in sample if not site["is_observed"]}
        apart = {f"{t}/{name}": at[name][t] for name in at for t in range(len(at[name]))}
        total, scanned = log_density(scan, (step, init, xs), {}, at)
        looped = rows(log_density(loop, (step, init, xs), {}, apart)[1])
        steps = range(len(jax.tree.leaves(xs)[0]))
        both = rows(scanned).items()
        return total, {k: (v, jnp.stack([looped[f"{t}/{k}"] for t in steps])) for k, v in both}

    total, pairs = jax.jit(densities)()
    for name, (found, wanted) in pairs.items():
        shapes = f"scan {found.shape} log densities, loop {wanted.shape}"
        assert found.shape == wanted.shape, f"{name}: {shapes}"
        apart = ~np.isclose(found, wanted, rtol=1e-3, atol=1e-3, equal_nan=True)
        first = np.unravel_index(np.argmax(apart), apart.shape)
        numbers = f"scan {found[first]:.2f}, loop {wanted[first]:.2f}"
        assert not apart.any(), f"{name}, row {', '.join(map(str, first))}: {numbers}"
    return total
