"""What a forked kernel has imported before it is asked for; see `kernels`.

JAX colors a printed jaxpr, and tqdm draws a widget, where they are imported in a notebook. So the
libraries find themselves in one, as in a kernel of a reader's.
"""

import builtins
import contextlib
import importlib
import os
import sys

import IPython
from IPython.core.getipython import get_ipython

MODULES = [
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "IPython.core.completer", "comm"),
    *("numpy", "scipy.stats", "jax", "jax.numpy", "jax.scipy.stats", "numpyro", "numpyro.infer"),
    *("numpyro.infer.autoguide", "numpyro.contrib.control_flow", "equinox", "matplotlib.figure"),
]


class ZMQInteractiveShell:
    """Stands for a notebook's shell: the libraries ask for its name."""

    config: dict = {"IPKernelApp": {}}  # noqa: RUF012


PATH = sys.path[1:]  # without the folder in which this process was started
_before = dict(os.environ)
_shell = ZMQInteractiveShell()
vars(builtins)["get_ipython"] = IPython.get_ipython = lambda: _shell
for _name in MODULES:
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)
del vars(builtins)["get_ipython"]
IPython.get_ipython = get_ipython
ADDED = dict(os.environ.items() - _before.items())
"""The variables that the libraries set when they were imported."""
