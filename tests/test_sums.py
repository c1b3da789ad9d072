"""Both stacks compute sums over many rows as NumPy does: a compiler changes its mind with the size.

jaxlib 0.10.2 fails here. See `book/reference/releases-to-avoid.md`.
"""

import subprocess

import pytest

from tools import environments

STACKS = {"now": environments.NOW, "then": environments.THEN}
# XLA splits work at 16,384 rows of float64 and 32,768 of float32.
PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
for width, size in {"float64": 20_000, "float32": 40_000}.items():
    jax.config.update("jax_enable_x64", width == "float64")
    draw = np.random.default_rng(0)
    matrix, rows = (draw.normal(size=(n, 3)).astype(width) for n in (3, size))
    products = rows.astype("float64") @ matrix.astype("float64").T
    forms = {
        "sum of squares": (lambda v: jnp.sum(v**2), (products**2).sum(axis=1)),
        "norm": (jnp.linalg.norm, np.sqrt((products**2).sum(axis=1))),
        "maximum": (jnp.max, products.max(axis=1)),
        "sum of tanh": (lambda v: jnp.sum(jnp.tanh(v)), np.tanh(products).sum(axis=1)),
        "log-sum-exp": (jax.nn.logsumexp, np.log(np.exp(products).sum(axis=1))),
    }
    for name, (form, expected) in forms.items():
        of_rows = jax.vmap(lambda row: form(jnp.asarray(matrix) @ row))
        got = np.asarray(jax.jit(of_rows)(rows), "float64")
        wrong = int((~np.isclose(got, expected, rtol=1e-3, atol=1e-3)).sum())
        total = np.isclose(jax.jit(lambda r: of_rows(r).mean())(rows), expected.mean(), atol=1e-3)
        if wrong or not total:
            print(f"{name}, {width}: {wrong} of {size} rows are wrong; the mean: {bool(total)}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_sums_over_many_rows_are_those_of_numpy(stack):
    python = STACKS[stack] / "bin" / "python"
    done = subprocess.run([python, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert not done.stdout, f"a release of this stack computes wrong numbers: {done.stdout}"
