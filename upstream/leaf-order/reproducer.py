"""The leaves of a distribution, in six processes. Exits 1 while their order differs."""

import os
import subprocess
import sys

PROGRAM = """
import jax, numpyro.distributions as dist
print(*jax.tree.leaves(dist.Normal(3.0, 0.5)))
"""

found = {}
for seed in range(6):
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    found[seed] = done.stdout.strip()
    print(f"PYTHONHASHSEED={seed}: {found[seed]}")
sys.exit(int(set(found.values()) != {"3.0 0.5"}))
