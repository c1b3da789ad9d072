"""The support of a Levy distribution and of its copy. Exits 1 while the copy has none."""

import sys

import jax

import numpyro
import numpyro.distributions as dist

levy = dist.Levy(1.0, 2.0)
copied = jax.tree.map(lambda leaf: leaf, levy)
print("numpyro", numpyro.__version__)
print("support of the distribution", levy.support)
print("support of its copy        ", copied.support)
sys.exit(int(copied.support is None))
