"""Variations of *A saved distribution comes back with loc and scale swapped*: what is loaded.

Two processes whose hash seeds are 1 and 0 save and load.
"""

import os
import subprocess
import sys
import tempfile

from evidence.variation import vary

folder = tempfile.TemporaryDirectory()
LOOP = "import sys\nfor line in sys.stdin: exec(eval(line))"
START = """
import pickle
import equinox as eqx, jax, jax.numpy as jnp, numpy as np, numpyro.distributions as dist
from jax.flatten_util import ravel_pytree
class Fit(eqx.Module):
    name: str
    belief: dist.Distribution
"""


def start(hash_seed):
    return subprocess.Popen(
        [sys.executable, "-u", "-c", LOOP],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        cwd=folder.name,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


yesterday, today = start(1), start(0)


def run(process, code):
    process.stdin.write(repr(START + code) + "\n")
    process.stdin.flush()
    return eval(process.stdout.readline())


def three(save, load, cured, make="dist.Normal(3.0, 0.5)", like="dist.Normal(0.0, 1.0)", **options):
    """`cured` is a way to save and load; `names` are those of the parameters."""
    names = options.get("names", ("loc", "scale"))
    exact, reader = options.get("exact", [3.0, 0.5]), options.get("reader", today)
    show = "print([" + ", ".join(f"float(fit.{name})" for name in names) + "])"

    def through(save, load):
        run(yesterday, f"fit = {make}\n{save}\nprint(1)")
        return run(reader, f"like = {like}\n{load}\n{show}")

    return lambda: through(save, load), exact, lambda: through(*cured)


WIDE = "[jax.config.update('jax_enable_x64', True), dist.Normal({})][1]"
EQX = ["eqx.tree_serialise_leaves('f', fit)", "fit = eqx.tree_deserialise_leaves('f', like)"]
RAVEL = ["np.save('r.npy', ravel_pytree(fit)[0])"]
RAVEL += ["fit = ravel_pytree(like)[1](jnp.asarray(np.load('r.npy')))"]
LEAVES = ["np.savez('l.npz', *jax.tree.leaves(fit))"]
LEAVES += ["fit = jax.tree.unflatten(jax.tree.structure(like), list(np.load('l.npz').values()))"]
PICKLE = ["pickle.dump(fit, open('p', 'wb'))", "fit = pickle.load(open('p', 'rb'))"]
MODULE = ["eqx.tree_serialise_leaves('m', Fit('a', fit))"]
MODULE += ["fit = eqx.tree_deserialise_leaves('m', Fit('a', like)).belief"]
PATHS = ["paths, _ = jax.tree_util.tree_flatten_with_path(fit)"]
PATHS[0] += "\nnp.savez('k.npz', **{jax.tree_util.keystr(k): v for k, v in paths})"
PATHS += ["paths, tree = jax.tree_util.tree_flatten_with_path(like)\nsaved = np.load('k.npz')"]
PATHS[1] += "\nfit = jax.tree.unflatten(tree, [saved[jax.tree_util.keystr(k)] for k, _ in paths])"


def by_name(names, kind):
    """Return how to save the parameters by name and load them."""
    saved, like = (
        f"{{name: getattr({what}, name) for name in {names}}}" for what in ("fit", "like")
    )
    save = f"eqx.tree_serialise_leaves('n', {saved})"
    return save, f"fit = dist.{kind}(**eqx.tree_deserialise_leaves('n', {like}))"


NORMAL = by_name(("loc", "scale"), "Normal")
BETA = {"make": "dist.Laplace(2.0, 3.0)", "like": "dist.Laplace(1.0, 1.0)", "exact": [2.0, 3.0]}
GAMMA = {"make": "dist.Gamma(2.0, 3.0)", "like": "dist.Gamma(1.0, 1.0)", "exact": [2.0, 3.0]}
GAMMA["names"] = ("concentration", "rate")
ONE = {"make": "dist.Exponential(2.0)", "like": "dist.Exponential(1.0)", "exact": [2.0]}
ONE["names"] = ("rate",)
vary("Equinox, a Normal", "silent", "holds")(lambda: three(*EQX, NORMAL))
vary("Laplace", "silent", "holds")(
    lambda: three(*EQX, by_name(("loc", "scale"), "Laplace"), **BETA)
)
vary("Gamma", "silent", "holds")(lambda: three(*EQX, by_name(GAMMA["names"], "Gamma"), **GAMMA))
vary("one parameter", "right", "holds")(
    lambda: three(*EQX, by_name(("rate",), "Exponential"), **ONE)
)
vary("the same process loads", "right", "holds")(lambda: three(*EQX, NORMAL, reader=yesterday))
vary("one vector, by ravel_pytree", "silent", "holds")(lambda: three(*RAVEL, NORMAL))
vary("a list of leaves, by NumPy", "silent", "holds")(lambda: three(*LEAVES, NORMAL))
vary("a field of a module", "silent", "holds")(lambda: three(*MODULE, NORMAL))
vary("the cure is pickle of the whole", "silent", "holds")(lambda: three(*EQX, PICKLE))
vary("looks right: leaves by their path", "silent", "falls")(lambda: three(*EQX, PATHS))


vary("a Pareto, its leaves in an npz, under jit", "silent", "holds")(
    lambda: three(
        "np.savez('b.npz', *jax.jit(jax.tree_util.tree_leaves)(fit))",
        "z = np.load('b.npz'); fit = jax.tree_util.tree_unflatten("
        "jax.tree_util.tree_structure(like), [z[k] for k in z])",
        (
            "np.savez('c.npz', scale=fit.scale, alpha=fit.alpha)",
            "fit = dist.Pareto(**np.load('c.npz'))",
        ),
        make="dist.Pareto(3.0, 0.5)",
        like="dist.Pareto(1.0, 1.0)",
        names=("scale", "alpha"),
    )
)
vary("a list of Gumbels in bytes, by keyword", "silent", "holds")(
    lambda: three(
        "eqx.tree_serialise_leaves('g', [fit, fit])",
        "fit = eqx.tree_deserialise_leaves('g', [like, like])[1]",
        (
            "eqx.tree_serialise_leaves('h', [dict(loc=fit.loc, scale=fit.scale)] * 2)",
            "fit = dist.Gumbel(**eqx.tree_deserialise_leaves("
            "'h', [dict(loc=like.loc, scale=like.scale)] * 2)[1])",
        ),
        make="dist.Gumbel(loc=jnp.float32(3.0), scale=jnp.float32(0.5))",
        like="dist.Gumbel(loc=jnp.float32(0.0), scale=jnp.float32(1.0))",
    )
)


vary("64 bits", "silent", "holds")(
    lambda: three(*EQX, NORMAL, make=WIDE.format("3.0, 0.5"), like=WIDE.format("0.0, 1.0"))
)


@vary("the end: both processes stop", "right", "holds")
def _():
    for process in (yesterday, today):
        process.communicate()
    folder.cleanup()
    return True, True, True
