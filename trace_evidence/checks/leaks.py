"""Does tracing a model leave a tracer behind? See *Parallel TruncatedNormal*."""

import jax
from numpyro import handlers
from numpyro.infer.util import log_density


def check_keeps_no_tracer(model, *args, **kwargs):
    """Trace a model's log density once, and fail if a tracer stays behind.

    Args:
        model: a NumPyro model whose shared objects are fresh.
        args: the arguments that the model is called with.
        kwargs: those that it is called with by name.

    Raises:
        AssertionError: a tracer outlives its trace; the message names the holder.
    """

    def density(rng_key):
        return log_density(handlers.seed(model, rng_key), args, kwargs, {})[0]

    try:
        with jax.checking_leaks():
            jax.eval_shape(density, jax.random.key(0))
    except Exception as error:
        chains = [c for c in str(error).split("\n\n") if "is referred to by" in c]
        if not chains:
            raise
        # JAX also lists the tracers that the kept one was computed from.
        raise AssertionError(f"a tracer is kept:\n{min(chains, key=len)}") from None
