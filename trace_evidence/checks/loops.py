"""Is a scanned density that of a loop? See *MultivariateNormal inside scan*."""

import jax
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


def check_scan_matches_loop(step, init, xs, rng_key):
    """Return the log density of a scanned step if a loop gives the same.

    Args:
        step: the function that you give to `scan`.
        init: the carry of the first step.
        xs: the data of all steps, at least one array.
        rng_key: draws the values of the latent sites.

    Raises:
        AssertionError: with both log densities.
    """

    def densities():
        trace = handlers.trace(handlers.seed(scan, rng_key)).get_trace(step, init, xs)
        sample = [site for site in trace.values() if site["type"] == "sample"]
        at = {site["name"]: site["value"] for site in sample if not site["is_observed"]}
        apart = {f"{t}/{name}": at[name][t] for name in at for t in range(len(at[name]))}
        arguments = (step, init, xs), {}
        return log_density(scan, *arguments, at)[0], log_density(loop, *arguments, apart)[0]

    by_scan, by_loop = jax.jit(densities)()
    assert np.isclose(by_scan, by_loop, rtol=1e-4), f"scan {by_scan:.2f}, loop {by_loop:.2f}"
    return by_scan
