"""Variations of *A random walk in `lax.scan` is straight*: the number of different steps."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.contrib.control_flow import scan
from numpyro.handlers import seed

from evidence.variation import vary


def step(position, _):
    position = position + numpyro.sample("step", dist.Normal(0.0, 1.0))
    return position, position


def three(loop, steps=6, number=0, jit=False, cured=None):
    def different(loop):
        def run():
            with seed(rng_seed=number):
                return loop(steps)

        path = np.asarray((jax.jit(run) if jit else run)())
        return len(set(np.round(np.diff(path, prepend=0.0), 3).tolist()))

    return lambda: different(loop), steps, lambda: different(cured or by_numpyro)


def by_numpyro(steps):
    return scan(step, 0.0, None, length=steps)[1]


def by_jax(steps):
    return lax.scan(step, 0.0, None, length=steps)[1]


def by_map(steps):
    return jnp.cumsum(lax.map(lambda _: step(0.0, None)[0], jnp.arange(steps)))


def by_vmap(steps):
    return jnp.cumsum(jax.vmap(lambda _: step(0.0, None)[0])(jnp.arange(steps)))


def by_plate(steps):
    with numpyro.plate("steps", steps):
        return jnp.cumsum(numpyro.sample("step", dist.Normal(0.0, 1.0)))


def by_unroll(steps):
    return lax.scan(step, 0.0, None, length=steps, unroll=steps)[1]


def by_python(steps):
    position, path = 0.0, []
    for number in range(steps):
        position = position + numpyro.sample(f"step{number}", dist.Normal(0.0, 1.0))
        path.append(position)
    return jnp.stack(path)


vary("lax.scan", "silent", "holds")(lambda: three(by_jax))
vary("another seed, twelve steps", "silent", "holds")(lambda: three(by_jax, 12, 4))
vary("under jit", "silent", "holds")(lambda: three(by_jax, jit=True))
vary("lax.map", "silent", "holds")(lambda: three(by_map))
vary("vmap", "silent", "holds")(lambda: three(by_vmap))
vary("unrolled", "silent", "holds")(lambda: three(by_unroll))
vary("one step", "right", "holds")(lambda: three(by_jax, 1))
vary("a plain loop", "right", "holds")(lambda: three(by_python))
vary("a plate and a sum as the cure", "silent", "holds")(lambda: three(by_jax, cured=by_plate))


@vary("a class, a plate, counts, typed keys", "silent", "holds")
def _():
    class Queue:
        def minute(self, waiting, _):
            with numpyro.plate("desks", 2):
                new = numpyro.sample("new", dist.Poisson(rate=50.0))
            return waiting + new.sum(), new

    queue = Queue()

    def distinct(scan_):
        with seed(rng_seed=jax.random.key(2)):
            return len(np.unique(np.asarray(scan_(queue.minute, 0.0, None, 20)[1]), axis=0))

    return lambda: distinct(lax.scan), 20, lambda: distinct(scan)


@vary("a fori_loop in a model under jit", "silent", "holds")
def _():
    def by_fori():
        step = lambda _, x: x + numpyro.sample("step", dist.Laplace(0.0, 1.0))
        return lax.fori_loop(0, 4, step, 0.0) / numpyro.deterministic("one", 1.0)

    def by_scan():
        step = lambda x, _: (x + numpyro.sample("step", dist.Laplace(0.0, 1.0)), None)
        return scan(step, 0.0, None, length=4)[0]

    def variance(model):
        keys = jax.random.split(jax.random.PRNGKey(0), 4000)
        drawn = jax.jit(jax.vmap(lambda key: seed(model, key)()))(keys)
        return np.round(np.var(drawn) / 8)  # four steps, each of variance 2

    return lambda: variance(by_fori), 1.0, lambda: variance(by_scan)
