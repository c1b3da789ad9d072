# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import importlib.util
import os
from pathlib import Path

import jax.numpy as jnp

from numpyro import handlers

# in `test/`, beside `examples/`; elsewhere, the variable names the checkout
ROOT = os.environ.get("NUMPYRO", Path(__file__).resolve().parent.parent)


def test_var2_names_its_observations():
    path = Path(ROOT) / "examples" / "var2.py"
    spec = importlib.util.spec_from_file_location("var2", path)
    var2 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(var2)
    model = handlers.seed(var2.var2_scan, 0)
    trace = handlers.trace(model).get_trace(jnp.zeros((6, 2)))
    assert trace["y"]["is_observed"]
    assert trace["y"]["value"].shape == (4, 2)
