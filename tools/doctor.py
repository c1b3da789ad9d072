"""See whether this machine is ready for a workshop: `make doctor`, once the environments are there.

It starts both kernels as a notebook does, and looks at the memory that is left for them.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from jupyter_client.manager import run_kernel

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = {"python3": ".venv", "then": ".venv-then"}
MEMORY_GB = 2.0
SECONDS = 90
VERSIONS = "import jax, numpyro; print('JAX', jax.__version__, 'NumPyro', numpyro.__version__)"


def check_kernel(name: str) -> tuple[bool, str]:
    """Return whether a kernel answers when asked for its versions, and what it says."""
    client: Any  # a blocking one, which its own annotation does not say
    problems = []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        with run_kernel(kernel_name=name, startup_timeout=SECONDS, **quiet) as client:
            client.execute_interactive(
                VERSIONS, timeout=SECONDS,
                output_hook=lambda message: problems.append(message["content"].get("text", "")),
            )  # fmt: skip
    except Exception as error:
        problems.append(str(error))
    answer = "".join(problems).strip() or "no answer"
    if answer.startswith("JAX "):
        return True, answer
    (ROOT / ENVIRONMENTS[name] / "complete").unlink(missing_ok=True)
    return False, f"{answer}; run make environments, which makes {ENVIRONMENTS[name]} anew"


def check_memory() -> tuple[bool, str]:
    """Return whether there is enough memory for both kernels, and how much."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = (
            next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1e6
        )
    except OSError:  # macOS: what is installed, since most of it can be freed
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    memory = f"{free:.1f} GB of memory"
    if free >= MEMORY_GB:
        return True, memory
    return False, f"{memory}; close other programs: both kernels need {MEMORY_GB:.0f} GB"


def main() -> int:
    """Print a line for each finding; return 0 where nothing stands in the way."""
    print("Looking at this machine (the kernels take a moment) …", flush=True)
    checks = {
        "kernel now": lambda: check_kernel("python3"),
        "kernel then": lambda: check_kernel("then"),
        "memory": check_memory,
    }
    ready = True
    for name, check in checks.items():
        good, words = check()
        ready &= good
        print(f"{'ok' if good else 'cure':5} {name:12} {words}", flush=True)
    print("Ready." if ready else "Not ready: mend what the lines above say.")
    return int(not ready)


if __name__ == "__main__":
    sys.exit(main())
