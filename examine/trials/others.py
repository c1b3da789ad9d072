"""What other tools say of twenty of the sixty models: the first ten hit and the first ten whole.

    PYTHON -m trials.others bayeux|sbc|pymc|stanc     run one tool, keep what it says

Each runs with a Python that has it, or `stanc` where it is on the path. bayeux and simulation-based
calibration take the models themselves. PyMC and Stan need them written anew: `elsewhere/` has five.
A row of `others.json` is "" where a tool is content, or what it says, or "could not: " and why.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from . import write_record
from .count import load, made, table

FILE = Path(__file__).with_name("others.json")
ELSEWHERE = Path(__file__).with_name("elsewhere")
RUNS, DRAWS = 40, 63
"""Simulated data sets of one model, and draws of each posterior that a rank is taken among."""
UNLIKELY = 1e-3
"""The chance, over all numbers of a model, below which its ranks are said not to be uniform."""


def chosen() -> list[str]:
    """Return the names of the twenty."""
    known = table()
    whole = (name for name in known if known[name] == "whole")
    hit = (name for name in known if known[name] != "whole")
    return [*islice(hit, 10), *islice(whole, 10)]


def bayeux(name: str) -> str:
    """Return what its debug mode says before NUTS."""
    import bayeux
    from jax.random import PRNGKey

    model, args, options = made(name)
    options.pop("guide", None)
    said: list[str] = []
    ready = partial(model, *args, **options)
    debug = bayeux.Model.from_numpyro(ready).mcmc.numpyro_nuts.debug
    passed = debug(PRNGKey(0), verbosity=1, printer=lambda *text, **_: said.append(str(text[-1])))
    return "" if passed else " ".join(" ".join(said).split())


def sbc(name: str) -> str:
    """Return which ranks of prior draws among those of the posterior are not uniform."""
    import jax
    from numpyro import handlers
    from numpyro.infer import MCMC, NUTS
    from scipy import stats

    model, args, options = made(name)
    options.pop("guide", None)
    free = handlers.uncondition(model)

    def conditioned(data: dict) -> Any:
        return handlers.condition(free, data=data)(*args, **options)

    with handlers.seed(rng_seed=0):
        sites = handlers.trace(model).get_trace(*args, **options).values()
    observed = {site["name"] for site in sites if site["type"] == "sample" and site["is_observed"]}
    mcmc = MCMC(NUTS(conditioned), num_warmup=300, num_samples=4 * DRAWS, thinning=4,
                jit_model_args=True, progress_bar=False)  # fmt: skip
    ranks: dict[str, list] = {}
    for key in jax.random.split(jax.random.PRNGKey(0), RUNS):
        seeded = handlers.trace(handlers.seed(free, key))
        drawn = {site["name"]: site["value"] for site in seeded.get_trace(*args, **options).values()
                 if site["type"] == "sample"}  # fmt: skip
        mcmc.run(key, {site: drawn[site] for site in observed})
        for site, rows in mcmc.get_samples().items():
            if site in drawn and site not in observed:
                below = (np.asarray(rows) < np.asarray(drawn[site])).sum(0).ravel()
                ranks.setdefault(site, []).append(below[:5])  # five numbers of a long one
    found = {site: _uniform(np.array(rows).T, stats) for site, rows in ranks.items()}
    chances = sum(len(each) for each in found.values())
    odd = [site for site, each in found.items() if min(each) < UNLIKELY / chances]
    return f"ranks of {', '.join(odd)} are not uniform" if odd else ""


def _uniform(rows: np.ndarray, stats: Any) -> list[float]:
    """Return the p-value of each row of ranks."""
    counts = [np.histogram(row, 8, (-0.5, DRAWS + 0.5))[0] for row in rows]
    return [float(stats.chisquare(row).pvalue) for row in counts]


def pymc(name: str) -> str:
    """Return what `debug` says of the model as it is written for PyMC."""
    import contextlib
    import io

    write = runpy.run_path(str(ELSEWHERE / f"{name}.py"))["model"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        write(*made(name)[1]).debug()
    said = " ".join(out.getvalue().split())
    return "" if said.endswith("No problems found") else said


def stanc(name: str) -> str:
    """Return the warnings of Stan's pedantic mode."""
    file = ELSEWHERE / f"{name}.stan"
    command = ["stanc", "--warn-pedantic", "--o=/dev/null", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = " ".join(done.stderr.replace(str(file), file.name).split())
    return re.sub(r"Warning in '[^']*', line (\d+), column \d+(?: to [^:]*)?:", r"line \1:", said)


TOOLS: dict[str, tuple[Callable[[str], str], str]] = {
    "bayeux": (bayeux, "*.py"), "sbc": (sbc, "*.py"), "pymc": (pymc, "*.py"),
    "stanc": (stanc, "*.stan"),
}  # fmt: skip
"""Each tool, and what it needs of a model that is written anew."""


def names(tool: str) -> list[str]:
    """Return the models that a tool is asked of."""
    if tool in ("bayeux", "sbc"):
        return chosen()
    return sorted(path.stem for path in ELSEWHERE.glob(TOOLS[tool][1]))


def summary(tools: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Return of each tool how many it was asked, and which it speaks of, or cannot look at."""
    known, ours = table(), load("after")
    found: dict[str, dict[str, Any]] = {}
    for tool, rows in tools.items():
        could_not = [name for name, said in rows.items() if said.startswith("could not: ")]
        said = [name for name, text in rows.items() if text and name not in could_not]
        found[tool] = {
            "models": len(rows),
            "could not": could_not,
            "hit": [name for name in said if known[name] != "whole"],
            "whole": [name for name in said if known[name] == "whole"],
            "examine": [name for name in rows if ours[name]["findings"] or ours[name]["hints"]],
        }
    return found


def main() -> int:
    """Run one tool on its models."""
    tool = sys.argv[1]
    tools = json.loads(FILE.read_text()) if FILE.exists() else {}
    rows = tools[tool] = {}
    for name in names(tool):
        try:
            rows[name] = TOOLS[tool][0](name)
        except Exception as error:
            rows[name] = f"could not: {type(error).__name__}: {' '.join(str(error).split())[:120]}"
        print(f"{name} ({table()[name]}): {rows[name] or 'content'}", flush=True)
        FILE.write_text(json.dumps(tools, indent=1, sort_keys=True) + "\n")
    write_record(tools=summary(tools))
    return 0


if __name__ == "__main__":
    sys.exit(main())
