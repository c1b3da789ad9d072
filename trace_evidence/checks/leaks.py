"""Does tracing a model leave a tracer behind? See *Parallel TruncatedNormal*."""

import jax
from numpyro import handlers
from numpyro.infer.util import log_density


def check_keeps_no_tracer(model, *args, **kwargs):
    """Trace a model's log density, and fail if a tracer stays behind.

    Args:
        model: a NumPyro model whose shared objects are fresh.
        args: the arguments that the model is called with.
        kwargs: those that it is called with by name.

    Raises:
        AssertionError: a tracer outlives its trace; the message names the holder, except where
            JAX stops at a solver of Diffrax or Optimistix: there it shows the tracer.
    """

    def consts():
        def density(rng_key):
            return log_density(handlers.seed(model, rng_key), args, kwargs, {})[0]

        return jax.make_jaxpr(density)(jax.random.key(0)).consts

    try:
        with jax.checking_leaks():
            consts()
    except Exception as error:
        chains = [c for c in str(error).split("\n\n") if "is referred to by" in c]
        if not chains:
            raise
        # JAX also lists the tracers that the kept one was computed from, and those that
        # Equinox keeps in a `Jaxpr` while a solver of Diffrax or Optimistix is traced.
        held = [chain for chain in chains if "Jaxpr " not in chain]
        if held:
            raise AssertionError(f"a tracer is kept:\n{min(held, key=len)}") from None
        try:  # JAX stopped at the solver: does a second trace meet what the first kept?
            met = [const for const in consts() + consts() if isinstance(const, jax.core.Tracer)]
        except jax.errors.UnexpectedTracerError as error:
            met = error
        assert not met, f"a tracer is kept:\n{met}"
