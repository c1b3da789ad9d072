"""Record what the failures, and well-known other errors, say on named stacks.

Messages change between releases. Each program below provokes one error, and this script runs them
all in the environments of some rows of the version matrix, and in that of
`stacks/recordings/frameworks.txt`. It writes `stacks/recordings.json`: for each program the stack,
the error's type and its traceback, once for each wording. The tests hold the catalogue to it.

Usage: make recordings (a few minutes)
"""

import json
import re
import sys
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).with_suffix(".json")
FRAMEWORKS = "frameworks"
STACKS = ("0.12.1", "0.15.2", "0.17.0", "0.19.0", "0.22.0", FRAMEWORKS)
FRAME_LINES, MESSAGE_LINES = 8, 14  # of a traceback, at most
PROGRAMS: dict = {}


def about(subject):
    """Register a program; its subject is a failure's id, or an everyday error's."""

    def register(program):
        PROGRAMS[program.__name__] = subject, program
        return program

    return register


# --- lazy-pytree-drift -----------------------------------------------------------------------


def box(names):
    """A pytree whose fields are those that happen to be set."""
    import jax

    class Box:
        def __init__(self, **fields):
            self.__dict__.update(fields)

    def flatten(instance):
        return tuple(vars(instance).values()), tuple(vars(instance))

    def unflatten(keys, values):
        return Box(**dict(zip(keys, values, strict=True)))

    jax.tree_util.register_pytree_node(Box, flatten, unflatten)
    return Box(**dict.fromkeys(names, 1.0))


@about("lazy-pytree-drift")
def scan_adds_a_leaf():
    import jax.numpy as jnp
    from jax import lax

    lax.scan(lambda carry, x: ((carry[0], x), None), (1.0, None), jnp.ones(2))


@about("lazy-pytree-drift")
def while_adds_a_leaf():
    from jax import lax

    lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[0]), (0.0, None))


@about("lazy-pytree-drift")
def fori_adds_a_leaf():
    from jax import lax

    lax.fori_loop(0, 3, lambda i, s: (s[0] + 1, s[0]), (0.0, None))


@about("lazy-pytree-drift")
def cond_branches_differ():
    from jax import lax

    lax.cond(True, lambda x: {"a": x}, lambda x: {"a": x, "b": x}, 1.0)


@about("lazy-pytree-drift")
def switch_branches_differ():
    from jax import lax

    lax.switch(1, [lambda x: (x, None), lambda x: (x, x)], 1.0)


@about("lazy-pytree-drift")
def scan_changes_static_data():
    import jax.numpy as jnp
    from jax import lax

    lax.scan(lambda carry, x: (box(["a", "c"]), None), box(["a", "b"]), jnp.ones(2))


@about("lazy-pytree-drift")
def map_over_static_data_that_differ():
    import jax

    first = box(["a", "b"])
    second = type(first)(a=1.0, c=2.0)
    jax.tree_util.tree_map(lambda a, b: a, first, second)


@about("lazy-pytree-drift")
def equinox_loop_adds_a_leaf():
    import jax.numpy as jnp
    from equinox.internal import while_loop

    start, more = (jnp.array(0.0), None), lambda s: s[0] < 2
    grow = lambda s: (s[0] + 1, s[0])  # noqa: E731
    while_loop(more, grow, start, max_steps=4, kind="checkpointed")


@about("lazy-pytree-drift")
def map_over_a_slot_that_was_none():
    import jax

    jax.tree_util.tree_map(lambda a, b: a, {"mean": None}, {"mean": 1.0})


@about("lazy-pytree-drift")
def flax_nnx_loop_changes_structure():
    import jax.numpy as jnp
    from flax import nnx

    class State(nnx.Module):
        def __init__(self):
            self.mean = nnx.Variable(jnp.array(0.0))

    def grow(state):
        state.last = nnx.Variable(jnp.array(1.0))
        return state

    nnx.while_loop(lambda state: state.mean[...] < 1, grow, State())


@about("lazy-pytree-drift")
def haiku_loop_makes_parameters():
    import haiku as hk
    import jax
    import jax.numpy as jnp

    def net(x):
        return hk.while_loop(lambda y: y.sum() < 1, hk.Linear(2), x)

    hk.transform(net).init(jax.random.PRNGKey(0), jnp.ones((2, 2)))


@about("everyday.tree-mismatch")
def map_over_other_lengths():
    import jax

    jax.tree_util.tree_map(lambda a, b: a, (1, 2), (1, 2, 3))


@about("everyday.tree-mismatch")
def map_over_a_list_and_a_tuple():
    import jax

    jax.tree_util.tree_map(lambda a, b: a, [1, 2], (1, 2))


@about("everyday.tree-mismatch")
def map_over_other_keys():
    import jax

    jax.tree_util.tree_map(lambda a, b: a, {"a": 1}, {"b": 1})


@about("everyday.tree-mismatch")
def map_over_other_types():
    import jax

    first = box(["a"])
    jax.tree_util.tree_map(lambda a, b: a, first, [1.0])


@about("everyday.vmap-in-axes")
def axes_that_do_not_fit():
    import jax
    import jax.numpy as jnp

    jax.vmap(lambda a: a["x"], in_axes=({"y": 0},))({"x": jnp.ones(2)})


@about("everyday.tree-mismatch")
def too_many_leaves():
    import jax

    jax.tree_util.tree_unflatten(jax.tree_util.tree_structure((1, 2)), [1, 2, 3])


@about("everyday.carry-types")
def scan_changes_a_type():
    import jax.numpy as jnp
    from jax import lax

    lax.scan(lambda carry, x: (carry + x, None), jnp.int32(0), jnp.ones(2))


@about("everyday.carry-types")
def while_changes_a_type():
    import jax.numpy as jnp
    from jax import lax

    lax.while_loop(lambda s: s < 2, lambda s: s + 0.5, jnp.int32(0))


@about("everyday.cond-types")
def cond_changes_a_type():
    import jax.numpy as jnp
    from jax import lax

    lax.cond(True, lambda x: x, lambda x: jnp.int32(1), 1.0)


# --- autoguide-under-vmap and parallel-truncated-normal --------------------------------------


@about("parallel-truncated-normal")
def value_kept_from_jit():
    import jax

    kept = []
    jax.jit(lambda x: kept.append(x * 2))(1.0)
    kept[0] + 1


@about("parallel-truncated-normal")
def value_kept_in_an_attribute_from_scan():
    import jax.numpy as jnp
    from jax import lax

    class Meter:
        last = 0.0

        def read(self, total, x):
            self.last = total + x
            return self.last, None

    meter = Meter()
    lax.scan(meter.read, 0.0, jnp.ones(3))
    jnp.sin(meter.last)


@about("parallel-truncated-normal")
def value_kept_under_the_leak_checker():
    import jax

    kept = []
    with jax.checking_leaks():
        jax.jit(lambda x: kept.append(x * 2))(1.0)


@about("parallel-truncated-normal")
def value_kept_from_vmap_under_the_leak_checker():
    import jax
    import jax.numpy as jnp

    kept = []

    def keep(x):
        kept.append(x * 2)
        return x

    with jax.checking_leaks():
        jax.vmap(keep)(jnp.ones(2))


@about("parallel-truncated-normal")
def value_kept_and_compiled_in():
    import jax
    import jax.numpy as jnp

    kept = []

    @jax.custom_jvp
    def scaled(x):
        return x * kept[0]

    scaled.defjvp(lambda primals, tangents: (scaled(*primals), kept[0] * tangents[0]))

    def outer(y):
        kept[:] = [y]
        return jax.jit(scaled)(y)

    jax.grad(outer)(1.0)
    jax.jit(lambda x: scaled(x) * jnp.sin(kept[0]))(1.0)


@about("parallel-truncated-normal")
def truncated_normal_with_two_chains():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    prior = dist.TruncatedNormal(jnp.array(0.0), low=jnp.array(-1.0), high=jnp.array(1.0))

    def model():
        numpyro.sample("x", prior)

    chains = {"num_chains": 2, "chain_method": "vectorized", "progress_bar": False}
    mcmc = numpyro.infer.MCMC(numpyro.infer.NUTS(model), num_warmup=2, num_samples=2, **chains)
    mcmc.run(jax.random.PRNGKey(0))


@about("autoguide-under-vmap")
def handler_that_outlives_a_trace():
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.handlers import seed

    def two_draws():
        with seed(rng_seed=jax.random.PRNGKey(0)):
            jax.jit(lambda: numpyro.sample("a", dist.Normal(0, 1)))()
            numpyro.sample("b", dist.Normal(0, 1))

    two_draws()


@about("autoguide-under-vmap")
def guide_started_twice():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.autoguide import AutoNormal

    def model():
        numpyro.sample("x", dist.Normal(0, 1))

    guide = AutoNormal(model)
    svi = numpyro.infer.SVI(model, guide, numpyro.optim.Adam(0.1), numpyro.infer.Trace_ELBO())
    keys = jax.random.split(jax.random.PRNGKey(0), 2)
    jax.vmap(lambda key: svi.get_params(svi.init(key)))(keys)
    jnp.sum(svi.get_params(svi.init(keys[0]))["x_auto_loc"])


@about("autoguide-under-vmap")
def flax_nnx_changes_a_module_under_jit():
    import jax
    from flax import nnx

    counter = nnx.Variable(1.0)

    @jax.jit
    def count(x):
        counter.value = counter.value + x
        return x

    count(1.0)


@about("autoguide-under-vmap")
def haiku_module_called_under_jit():
    import haiku as hk
    import jax
    import jax.numpy as jnp

    hk.config.set(check_jax_usage=True)
    net = hk.transform(lambda x: jax.vmap(lambda row: hk.Linear(2)(row))(x))
    net.init(jax.random.PRNGKey(0), jnp.ones((3, 2)))


@about("everyday.numpy-on-tracer")
def numpy_reads_a_tracer():
    import jax
    import numpy as np

    jax.jit(lambda x: np.asarray(x))(1.0)


# --- mvn-inside-scan -------------------------------------------------------------------------


@about("everyday.shapes-do-not-broadcast")
def values_of_a_plate_under_another_batch_shape():
    import jax.numpy as jnp
    import numpyro.distributions as dist

    normal = dist.MultivariateNormal(jnp.zeros((4, 2)), jnp.eye(2))
    normal.log_prob(jnp.zeros((4, 5, 2)))


@about("everyday.plate-does-not-fit")
def plate_that_does_not_fit():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model():
        with numpyro.plate("series", 5):
            numpyro.sample("x", dist.Normal(jnp.zeros(4), 1))

    with numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0)):
        model()


@about("everyday.plate-subsample")
def plate_that_does_not_fit_a_parameter():
    import jax
    import jax.numpy as jnp
    import numpyro

    with numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0)), numpyro.plate("series", 5):
        numpyro.param("x", jnp.zeros(4), event_dim=0)


@about("everyday.scan-under-plate")
def scan_under_a_plate():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.contrib.control_flow import scan

    def step(carry, x):
        return numpyro.sample("x", dist.Normal(carry, 1.0)), None

    with numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0)), numpyro.plate("series", 5):
        scan(step, jnp.zeros(5), jnp.arange(3))


@about("everyday.event-axis-missing")
def event_without_an_axis():
    import jax.numpy as jnp
    import numpyro.distributions as dist

    dist.Dirichlet(jnp.array(1.0))


@about("everyday.guide-shapes")
def guide_of_another_shape():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model():
        numpyro.sample("x", dist.Normal(jnp.zeros((4, 5)), 1).to_event(2))

    def guide():
        numpyro.sample("x", dist.Normal(jnp.zeros(5), 1).to_event(1))

    numpyro.enable_validation()
    svi = numpyro.infer.SVI(model, guide, numpyro.optim.Adam(0.1), numpyro.infer.Trace_ELBO())
    svi.run(jax.random.PRNGKey(0), 1, progress_bar=False)


def scan_with_substitute(value):
    """Run a scan of three steps over one site, with a value given for it."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.contrib.control_flow import scan

    def step(carry, x):
        return numpyro.sample("x", dist.Normal(carry, 1.0)), None

    seed = numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0))
    with seed, numpyro.handlers.substitute(data={"x": value}):
        scan(step, jnp.array(0.0), jnp.arange(3))


@about("mvn-inside-scan")
def more_values_than_steps():
    import jax.numpy as jnp

    scan_with_substitute(jnp.zeros(5))


@about("mvn-inside-scan")
def values_with_too_many_axes():
    import jax.numpy as jnp

    scan_with_substitute(jnp.zeros((3, 2, 2)))


@about("everyday.posterior-shapes")
def samples_of_different_batches():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model():
        numpyro.sample("a", dist.Normal(0, 1))
        numpyro.sample("b", dist.Normal(0, 1))

    samples = {"a": jnp.zeros(3), "b": jnp.zeros(4)}
    numpyro.infer.Predictive(model, samples)(jax.random.PRNGKey(0))


@about("everyday.broadcast-to")
def expanded_to_a_smaller_shape():
    import jax.numpy as jnp

    jnp.broadcast_to(jnp.ones(3), (4,))


@about("everyday.mixture-components")
def mixture_of_another_batch():
    import jax.numpy as jnp
    import numpyro.distributions as dist

    mixing = dist.Categorical(jnp.ones((3, 4)) / 4)
    dist.MixtureSameFamily(mixing, dist.Normal(jnp.zeros((2, 5)), 1))


@about("everyday.scan-lengths")
def scan_over_different_lengths():
    import jax.numpy as jnp
    from jax import lax

    lax.scan(lambda carry, x: (carry, x[0] + x[1]), 0.0, (jnp.ones(4), jnp.ones(5)))


@about("mvn-inside-scan")
def reparam_of_an_observed_site():
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.reparam import TransformReparam

    def model():
        base = dist.Normal(0.0, 1.0)
        scaled = dist.TransformedDistribution(base, dist.transforms.AffineTransform(0.0, 2.0))
        numpyro.sample("x", scaled, obs=1.0)

    with numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0)):
        numpyro.handlers.reparam(model, {"x": TransformReparam()})()


@about("mvn-inside-scan")
def transformed_distribution_in_scan():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.contrib.control_flow import scan

    def step(carry, x):
        base = dist.Normal(carry, 1.0)
        scaled = dist.TransformedDistribution(base, dist.transforms.AffineTransform(0.0, 2.0))
        return numpyro.sample("x", scaled), None

    with numpyro.handlers.seed(rng_seed=jax.random.PRNGKey(0)):
        scan(step, jnp.array(0.0), jnp.arange(3))


@about("everyday.plate-does-not-fit")
def expand_to_a_shape_that_does_not_fit():
    import jax.numpy as jnp
    import numpyro.distributions as dist

    dist.Normal(jnp.zeros((3, 4)), 1).expand((3,))


@about("everyday.enumeration-dims")
def batch_without_a_plate():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model():
        with numpyro.plate("series", 4):
            numpyro.sample("x", dist.Normal(jnp.zeros((3, 4)), 1))

    mcmc = numpyro.infer.MCMC(
        numpyro.infer.NUTS(model), num_warmup=1, num_samples=1, progress_bar=False
    )
    numpyro.enable_validation()
    mcmc.run(jax.random.PRNGKey(0))


@about("everyday.density-not-scalar")
def enumeration_that_leaves_an_axis():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.contrib.funsor import config_enumerate, log_density

    @config_enumerate
    def model():
        numpyro.sample("z", dist.Categorical(jnp.ones((3, 4)) / 4))

    model = numpyro.handlers.seed(model, jax.random.PRNGKey(0))
    log_density(model, (), {}, {})


@about("everyday.shapes-do-not-broadcast")
def addition_that_does_not_fit():
    import jax.numpy as jnp

    jnp.ones((3, 2)) + jnp.ones((4, 2))


@about("everyday.shapes-do-not-broadcast")
def ranks_that_do_not_fit():
    import jax.numpy as jnp

    jnp.ones((3, 2)) + jnp.ones(4)


@about("everyday.matmul-sizes")
def product_that_does_not_fit():
    import jax.numpy as jnp

    jnp.ones((3, 2)) @ jnp.ones((3, 2))


@about("everyday.vmap-scalar")
def second_run_of_vectorized_chains():
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist

    def model(y):
        numpyro.sample("y", dist.Normal(numpyro.sample("x", dist.Normal()), 1), obs=y)

    kernel = numpyro.infer.HMC(model, num_steps=1)
    mcmc = numpyro.infer.MCMC(
        kernel,
        num_warmup=1,
        num_samples=1,
        num_chains=2,
        chain_method="vectorized",
        progress_bar=False,
    )
    for size in (5, 6):
        mcmc.run(jax.random.PRNGKey(0), jnp.ones(size))


@about("everyday.concatenate-shapes")
def concatenation_that_does_not_fit():
    import jax.numpy as jnp

    jnp.concatenate([jnp.ones((3, 2)), jnp.ones((3, 3))])


@about("everyday.reshape-size")
def reshape_that_does_not_fit():
    import jax.numpy as jnp

    jnp.ones(6).reshape(4, 2)


@about("everyday.broadcast-to")
def broadcast_to_fewer_axes():
    import jax.numpy as jnp

    jnp.broadcast_to(jnp.ones((3, 2)), (2,))


@about("everyday.vmap-sizes")
def axes_of_other_sizes():
    import jax
    import jax.numpy as jnp

    jax.vmap(lambda a, b: a)(jnp.ones(3), jnp.ones(2))


# --- tracer-hashing --------------------------------------------------------------------------


def below(limit):
    """A callable that is hashed by its field."""
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class Below:
        limit: object

        def __call__(self, y):
            return y < self.limit

    return Below(limit)


@about("tracer-hashing")
def loop_over_a_callable_that_holds_a_tracer():
    import jax
    from jax import lax

    jax.jit(lambda limit: lax.while_loop(below(limit), lambda y: y + 1, 0.0))(3.0)


@about("tracer-hashing")
def loop_over_a_callable_that_holds_an_array():
    import jax.numpy as jnp
    from jax import lax

    lax.while_loop(below(jnp.array(3.0)), lambda y: y + 1, 0.0)


@about("tracer-hashing")
def list_as_a_static_argument():
    import jax

    jax.jit(lambda x, sizes: x, static_argnums=1)(1.0, [1, 2])


@about("tracer-hashing")
def array_as_a_static_argument():
    import jax
    import jax.numpy as jnp

    jax.jit(lambda x, sizes: x, static_argnames="sizes")(1.0, sizes=jnp.ones(2))


@about("tracer-hashing")
def named_tuple_as_a_function():
    from typing import NamedTuple

    import jax

    class Add(NamedTuple):
        n: int

        def __call__(self, x):
            return x + self.n

    jax.jit(Add(1))(1.0)


@about("tracer-hashing")
def static_arguments_that_cannot_be_compared():
    import jax
    import numpy as np

    class Sizes:
        def __init__(self):
            self.sizes = np.ones(2)

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return bool(self.sizes == other.sizes)

    compiled = jax.jit(lambda x, sizes: x, static_argnums=1)
    compiled(1.0, Sizes())
    compiled(1.0, Sizes())


@about("tracer-hashing")
def array_as_a_static_field():
    import equinox as eqx
    import jax.numpy as jnp

    class Layer(eqx.Module):
        size: object = eqx.field(static=True)

    Layer(jnp.ones(2))


@about("tracer-hashing")
def array_as_a_parameter_of_a_primitive():
    import jax
    from jax.extend.core import Primitive

    twice = Primitive("twice")
    twice.def_abstract_eval(lambda x, factor: x)
    jax.make_jaxpr(lambda x: twice.bind(x, factor=[2.0]))(1.0)


@about("tracer-hashing")
def tracer_where_nothing_is_differentiated():
    from functools import partial

    import jax

    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def scaled(x, factor):
        return x * factor

    scaled.defvjp(lambda x, factor: (x * factor, None), lambda factor, _, g: (g * factor,))
    jax.jit(jax.grad(lambda x, factor: scaled(x, factor)))(1.0, 2.0)


@about("tracer-hashing")
def flax_module_that_holds_variables():
    import flax.linen as nn
    import jax
    import jax.numpy as jnp

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            self.param("w", lambda key: x)
            hash(self)
            return x

    Model().init(jax.random.PRNGKey(0), jnp.ones(2))


@about("tracer-hashing")
def flax_module_with_a_list():
    import flax.linen as nn

    class Model(nn.Module):
        sizes: dict

        def __call__(self, x):
            return x

    hash(Model({"a": [1]}))


# --- well-known other errors -----------------------------------------------------------------


@about("everyday.python-if")
def branch_on_a_tracer():
    import jax

    jax.jit(lambda x: 1 if x > 0 else 2)(1.0)


@about("everyday.tracer-as-index")
def range_over_a_tracer():
    import jax

    jax.jit(lambda n: list(range(n)))(3)


@about("everyday.concrete-value")
def number_from_a_tracer():
    import jax

    jax.jit(lambda x: float(x))(3.0)


@about("everyday.shape-from-tracer")
def shape_from_a_tracer():
    import jax
    import jax.numpy as jnp

    jax.jit(lambda n: jnp.zeros(n))(3)


@about("everyday.boolean-mask")
def mask_under_jit():
    import jax
    import jax.numpy as jnp

    jax.jit(lambda x: x[x > 0])(jnp.ones(3))


@about("everyday.missing-package")
def package_that_is_missing():
    import numpyro_that_is_missing  # noqa: F401


@about("everyday.removed-api")
def name_that_is_gone():
    from jax import no_such_name  # noqa: F401


@about("everyday.removed-api")
def attribute_that_is_gone():
    import jax

    jax.no_such_name  # noqa: B018


@about("everyday.invalid-start")
def model_without_a_start():
    import jax
    import numpyro
    import numpyro.distributions as dist

    def model():
        x = numpyro.sample("x", dist.Normal(0, 1))
        numpyro.sample("y", dist.Normal(x, 1), obs=float("nan"))

    mcmc = numpyro.infer.MCMC(
        numpyro.infer.NUTS(model), num_warmup=1, num_samples=1, progress_bar=False
    )
    mcmc.run(jax.random.PRNGKey(0))


@about("everyday.invalid-parameter")
def scale_below_zero():
    import numpyro.distributions as dist

    dist.Normal(0.0, -1.0, validate_args=True)


@about("everyday.framework-key")
def haiku_without_a_key():
    import haiku as hk
    import jax.numpy as jnp

    hk.transform(lambda x: hk.Linear(2)(x)).init(None, jnp.ones((2, 2)))


@about("everyday.framework-key")
def flax_without_a_key():
    import flax.linen as nn
    import jax
    import jax.numpy as jnp

    net = nn.Dropout(0.5, deterministic=False)
    net.apply(net.init(jax.random.PRNGKey(0), jnp.ones(2)), jnp.ones(2))


@about("everyday.key-reuse")
def key_used_twice():
    import jax

    with jax.debug_key_reuse(True):
        key = jax.random.key(0)
        jax.random.normal(key)
        jax.random.normal(key)


@about("everyday.nan-found")
def nan_under_the_checker():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_debug_nans", True)
    try:
        jnp.log(-1.0)
    finally:
        jax.config.update("jax_debug_nans", False)


@about("everyday.in-place")
def assignment_to_an_array():
    import jax.numpy as jnp

    x = jnp.ones(2)
    x[0] = 2


@about("everyday.grad-non-scalar")
def gradient_of_a_vector():
    import jax
    import jax.numpy as jnp

    jax.grad(lambda x: x * 2)(jnp.ones(2))


@about("everyday.reverse-while")
def gradient_of_a_while_loop():
    import jax
    from jax import lax

    jax.grad(lambda x: lax.while_loop(lambda y: y < 9, lambda y: y * 2, x))(1.0)


@about("everyday.custom-derivative")
def derivative_of_another_structure():
    import jax

    square = jax.custom_vjp(lambda x: x**2)
    square.defvjp(lambda x: (x**2, x), lambda x, g: (g, g))
    jax.grad(square)(1.0)


@about("everyday.non-array-argument")
def string_as_an_array():
    import jax

    jax.jit(lambda x: x)("text")


@about("everyday.solver-steps")
def solver_without_steps():
    import diffrax

    term = diffrax.ODETerm(lambda t, y, args: -y)
    diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 100.0, 0.1, 1.0, max_steps=4)


# --- running them ----------------------------------------------------------------------------


def record():
    """Run every program here, and return type and text of each that failed or warned."""
    found = {}
    for name, (subject, program) in PROGRAMS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                program()
            except (ImportError, AttributeError) as error:
                # Else this stack cannot run it.
                if subject in ("everyday.missing-package", "everyday.removed-api"):
                    found[name] = shown(error)
                continue
            except Exception as error:
                found[name] = shown(error)
                continue
        for warning in caught:
            kind = warning.category.__name__
            if kind in ("UserWarning", "FutureWarning"):
                found[name] = {"type": kind, "text": tidy([f"{kind}: {warning.message}"])}
    return found


def shown(error):
    """Return an exception as a screen shows it, cut to its innermost frames."""
    frames = "".join(traceback.format_tb(error.__traceback__)).splitlines()[-FRAME_LINES:]
    message = "".join(traceback.format_exception_only(error)).splitlines()[:MESSAGE_LINES]
    return {"type": type(error).__name__, "text": tidy(["Traceback:", *frames, *message])}


def tidy(lines):
    """Return lines as one text, without this machine's paths and addresses."""
    text = "\n".join(line[:400] for line in lines if not re.fullmatch(r"[ ~^]*", line))
    text = re.sub(r"[^\s\"']*/(?:site-packages|lib/python[\d.]+)/", "site-packages/", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x7f", text.replace(str(ROOT), "."))


def wording(recording):
    """Return what tells one wording from another: its type and message, without numbers."""
    frames_and_message = re.split(r"^(?! |Traceback)", recording["text"], maxsplit=1, flags=re.M)
    return recording["type"], re.sub(r"\d+", "#", frames_and_message[-1])[:200]


def run_stack(measure, stack):
    """Install a stack, and return what its programs say."""
    if stack == FRAMEWORKS:
        measure.STACKS = ROOT / "stacks" / "recordings"
    python, _ = measure.install(stack)
    done = measure.run([python, __file__, "--here"], 1800)
    if done.returncode:
        raise SystemExit(f"{stack}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    """Record all stacks, and write the file."""
    from . import measure

    rows, seen = [], set()
    for stack in STACKS:
        print(f"recording on {stack} …", flush=True)
        found = run_stack(measure, stack)
        for name, recording in found.items():
            said = name, *wording(recording)
            if said not in seen:
                seen.add(said)
                rows.append(
                    {"about": PROGRAMS[name][0], "program": name, "stack": stack} | recording
                )
    silent = sorted(set(PROGRAMS) - {row["program"] for row in rows})
    RESULT.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{RESULT.relative_to(ROOT)}: {len(rows)} recordings; silent everywhere: {silent}")


if __name__ == "__main__":
    if "--here" in sys.argv:
        print(json.dumps(record()))
    else:
        main()
