"""The leaves of `Normal(3.0, 0.5)` come in an order that depends on the process's hash seed.

The same line runs in four processes that differ in `PYTHONHASHSEED` alone. `ok`: the leaves are
loc, then scale, in all of them.
"""

import json
import math
import os
import subprocess
import sys

DECIDED_BY = ("numpyro",)
FAILS: dict[str, str] = {}
WARNS: dict[str, str] = {}

SEEDS = range(4)
SAVE_BY_POSITION = "[float(x) for x in jax.tree_util.tree_leaves(d)]"
SAVE_BY_NAME = "{f: float(getattr(d, f)) for f in ('loc', 'scale')}"


def saved(what: str, seed: int) -> object:
    """What a process of its own, with this hash seed, saves of the distribution."""
    code = (
        "import json, jax, numpyro.distributions as dist\n"
        f"d = dist.Normal(3.0, 0.5)\nprint(json.dumps({what}))"
    )
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    run = subprocess.run(
        [sys.executable, "-c", code], env=env, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(run.stdout.splitlines()[-1])


def reproduce() -> str | None:
    leaves = {seed: saved(SAVE_BY_POSITION, seed) for seed in SEEDS}
    swapped = [seed for seed in SEEDS if leaves[seed] != [3.0, 0.5]]
    if not swapped:
        return None
    return f"leaves are {leaves[swapped[0]]} under {len(swapped)} of {len(SEEDS)} hash seeds"


def fix() -> None:
    """Save the parameters by name; rebuild the distribution from them."""
    import numpyro.distributions as dist

    for seed in SEEDS[:2]:
        restored = dist.Normal(**saved(SAVE_BY_NAME, seed))
        want = -(((1.0 - 3.0) / 0.5) ** 2) / 2 - math.log(0.5 * math.sqrt(2 * math.pi))
        assert math.isclose(restored.log_prob(1.0), want, rel_tol=1e-5), seed


if __name__ == "__main__":
    from _run import show

    show(__file__)
