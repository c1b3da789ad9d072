"""small network in Equinox"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)

import equinox as eqx

net = eqx.nn.MLP(2, "scalar", 4, 1, activation=jax.nn.tanh, key=jax.random.PRNGKey(0))
leaves, treedef = jax.tree_util.tree_flatten(eqx.filter(net, eqx.is_inexact_array))
static = eqx.filter(net, eqx.is_inexact_array, inverse=True)


def model(X, y):
    new = [
        numpyro.sample(f"w{i}", dist.Normal(0, 1).expand(l.shape).to_event(l.ndim))
        for i, l in enumerate(leaves)
    ]
    f = eqx.combine(jax.tree_util.tree_unflatten(treedef, new), static)
    s = numpyro.sample("s", dist.HalfNormal(1))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(jax.vmap(f)(X), s), obs=y)


X = rng.normal(size=(40, 2)).astype(np.float32)
arguments = (X, np.sin(X[:, 0]))
