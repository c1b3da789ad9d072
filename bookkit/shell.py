"""The variables that whatever makes the book runs under, whatever the reader's shell says.

Importing `bookkit` settles them, for its own process and for all that this one starts. What the
libraries read is taken away, so that a page shows the same in every shell. Jupyter, IPython and
matplotlib find their settings in the checkout, and no file of the reader's.

`PROCESSORS` are those that this machine can play: with `TRACE_EVIDENCE_PROCESSOR=sse4`, say, pages
are executed as on that one, into a cache of their own.
"""

import os
import tempfile
from pathlib import Path


def root() -> Path:
    """Return the folder of the book: the nearest one with a `_config.yml`, or this checkout's."""
    here, checkout = Path.cwd(), Path(__file__).resolve().parent.parent
    folders = (here, *here.parents, checkout)
    return next((folder for folder in folders if (folder / "_config.yml").is_file()), here)


ROOT = root()
RUNTIME = ROOT / ".cache"
READ_BY_LIBRARIES = (
    *("JAX", "XLA_", "TF_", "NUMPYRO_", "EQX_", "NPY_", "MPL", "MATPLOTLIB", "TQDM"),
    *("OMP_", "MKL_", "OPENBLAS_NUM", "PYTHONWARNINGS", "PYTHONBREAKPOINT"),
)
SETTINGS = {
    "JAX_PLATFORMS": "cpu",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "MPLCONFIGDIR": str(RUNTIME / "matplotlib"),
    "IPYTHONDIR": str(RUNTIME / "ipython"),
    "JUPYTER_CONFIG_DIR": str(RUNTIME / "jupyter" / "config"),
    "JUPYTER_DATA_DIR": str(RUNTIME / "jupyter" / "data"),
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PYTHONNOUSERSITE": "1",
}
# OpenBLAS guesses its kernel wrongly on some processors, whose owners set it: these stay.
OF_THE_MACHINE = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
PROCESSOR = "TRACE_EVIDENCE_PROCESSOR"
_NO_AVX512 = "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
# XLA stops at a flag that it does not know, and that of the old stack knows none of these.
PROCESSORS = {
    "sse4": {
        "XLA_FLAGS": "--xla_cpu_max_isa=SSE4_2",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": f"{_NO_AVX512} X86_V3 AVX2 FMA3",
    },
    "avx2": {
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": _NO_AVX512,
    },
    "zen": {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "OPENBLAS_CORETYPE": "Zen"},
}
SHORT = 60  # characters of a folder in which a socket's path still fits


def settle() -> None:
    """Give this process, and what it starts, the variables of the book."""
    for name in [name for name in os.environ if name.startswith(READ_BY_LIBRARIES)]:
        del os.environ[name]
    os.environ.update(SETTINGS | PROCESSORS.get(os.environ.get(PROCESSOR, ""), {}))
    if len(tempfile.gettempdir()) > SHORT:
        os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"


def key() -> str:
    """Return what of the variables outputs may depend on, which is empty on most machines."""
    names = (*OF_THE_MACHINE, PROCESSOR)
    return " ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
