"""Variations of *The compilation cache misses after a restart*: programs in the folder.

Two processes whose hash seeds are 1 and 0 compile the same function.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from evidence.variation import vary

folder = tempfile.TemporaryDirectory()
LOOP = "import sys\nfor line in sys.stdin: exec(eval(line)); print(1)"
CACHE = {
    "JAX_COMPILATION_CACHE_DIR": f"{folder.name}/compiled",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
START = """
import equinox as eqx, jax, jax.numpy as jnp, numpyro.distributions as dist
class Fit(eqx.Module):
    belief: dist.Distribution
def {name}({arguments}): return {body}
"""


def start(hash_seed):
    return subprocess.Popen(
        [sys.executable, "-u", "-c", LOOP],
        env={**os.environ, **CACHE, "PYTHONHASHSEED": str(hash_seed)},
        cwd=folder.name,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


both, names = [start(1), start(0)], iter(range(100))


def programs(arguments, body, call, processes=both):
    """Run a call in two processes, and count the programs of a name never used before."""
    name = f"score{next(names)}q"
    code = START.format(name=name, arguments=arguments, body=body)
    for process in processes:
        process.stdin.write(repr(code + call.format(name)) + "\n")
        process.stdin.flush()
        eval(process.stdout.readline())
    return len(list(pathlib.Path(folder.name).glob(f"*/jit_*{name}-*-cache")))


PLAIN = ("d, x", "d.log_prob(x)", "jax.jit({})(dist.Normal(3.0, 0.5), 1.0)")
NAMED = ("p, x", "dist.Normal(**p).log_prob(x)", "jax.jit({})(dict(loc=3.0, scale=0.5), 1.0)")


def three(program=PLAIN, cured=NAMED, processes=both):
    return (
        lambda: programs(*program, processes),
        1,
        lambda: programs(*cured, processes),
    )


def calling(call, body="d.log_prob(x)"):
    return three(("d, x", body, call))


vary("a Normal", "silent", "holds")(lambda: three())
vary("the same process twice", "right", "holds")(lambda: three(processes=both[:1] * 2))
vary("Gamma", "silent", "holds")(lambda: calling("jax.jit({})(dist.Gamma(3.0, 0.5), 1.0)"))
vary("one parameter", "right", "holds")(lambda: calling("jax.jit({})(dist.Exponential(3.0), 1.0)"))
vary("a field of a module, by eqx.filter_jit", "silent", "holds")(
    lambda: calling(
        "eqx.filter_jit({})(Fit(dist.Normal(jnp.float32(3), jnp.float32(1))), jnp.float32(1))",
        "d.belief.log_prob(x)",
    )
)
vary("compiled ahead of time", "silent", "holds")(
    lambda: calling("jax.jit({}).lower(dist.Normal(3.0, 0.5), 1.0).compile()")
)
vary("the cure is two numbers", "silent", "holds")(
    lambda: three(cured=("m, s, x", "dist.Normal(m, s).log_prob(x)", "jax.jit({})(3.0, 0.5, 1.0)"))
)
vary("the cure is a closure", "silent", "holds")(
    lambda: three(cured=("x", "dist.Normal(3.0, 0.5).log_prob(x)", "jax.jit({})(1.0)"))
)
vary("looks right: a dictionary that holds it", "silent", "falls")(
    lambda: three(
        cured=("d, x", "d['d'].log_prob(x)", "jax.jit({})(dict(d=dist.Normal(3.0, 0.5)), 1.0)")
    )
)
vary("looks right: its leaves", "silent", "falls")(
    lambda: three(
        cured=(
            "leaves, x",
            "sum(leaf * x**n for n, leaf in enumerate(leaves))",
            "jax.jit({})(jax.tree.leaves(dist.Normal(3.0, jnp.ones(2))), 1.0)",
        )
    )
)
vary("by keyword, in a vmap over parameters", "silent", "holds")(
    lambda: three(
        (
            "d, x",
            "jax.vmap(lambda d: d.log_prob(x))(d)",
            "jax.jit({})(d=dist.Cauchy(loc=jnp.zeros(3), scale=jnp.ones(3)), x=1.0)",
        ),
        (
            "p, x",
            "jax.vmap(lambda p: dist.Cauchy(**p).log_prob(x))(p)",
            "jax.jit({})(p=dict(loc=jnp.zeros(3), scale=jnp.ones(3)), x=1.0)",
        ),
    )
)
vary("the slope of a dictionary of two, in a scan", "silent", "holds")(
    lambda: three(
        (
            "d, xs",
            "jax.lax.scan(lambda t, x: (t + d['a'].log_prob(x), None), 0.0, xs)[0]",
            "jax.jit({})(dict(a=dist.Gumbel(1.0, 2.0)), jnp.ones(3))",
        ),
        (
            "p, xs",
            "jax.lax.scan(lambda t, x: (t + dist.Gumbel(**p['a']).log_prob(x), None), 0.0, xs)[0]",
            "jax.jit({})(dict(a=dict(loc=1.0, scale=2.0)), jnp.ones(3))",
        ),
    )
)


@vary("the end: both processes stop", "right", "holds")
def _():
    for process in both:
        process.communicate()
    folder.cleanup()
    return True, True, True
