"""The sites of the example var2.py. Exits 1 while one of them is named by a tracer.

The example is in no release: name a checkout, `NUMPYRO=../numpyro python reproducer.py`.
"""

import importlib.util
import os
import sys

import jax.numpy as jnp

from numpyro import handlers

path = os.path.join(os.environ.get("NUMPYRO", "."), "examples", "var2.py")
spec = importlib.util.spec_from_file_location("var2", path)
var2 = importlib.util.module_from_spec(spec)
spec.loader.exec_module(var2)
trace = handlers.trace(handlers.seed(var2.var2_scan, 0)).get_trace(jnp.zeros((6, 2)))
observed = [name for name, site in trace.items() if site.get("is_observed")]
print("sites inside of scan:", *observed)
sys.exit(int(observed != ["y"]))
