"""What other tools say of twenty of the sixty models: the first ten hit and the first ten whole.

    PYTHON -m trials.others TOOL [MODEL ...]     run bayeux, pymc, sbc or stanc; keep what it says

Each runs with a Python that has it, or `stanc` where it is on the path. bayeux and simulation-based
calibration (sbc, more than a minute a model) take the models themselves. PyMC and Stan need them
written anew: `elsewhere/` has five.
A row of `others.json` is "" where a tool is content, or what it says, or "could not: " and why.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
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
    """Return what its debug mode says of the log density that NUTS climbs, without bounds."""
    import bayeux
    from jax.random import PRNGKey
    from numpyro import handlers
    from numpyro.infer.util import potential_energy, unconstrain_fn

    model, args, options = made(name)
    options.pop("guide", None)
    seeded = handlers.seed(model, 0)
    sites = handlers.trace(seeded).get_trace(*args, **options).values()
    drawn = {site["name"]: site["value"] for site in sites
             if site["type"] == "sample" and not site["is_observed"]}  # fmt: skip
    if any(np.asarray(value).dtype.kind in "iub" for value in drawn.values()):
        raise TypeError("a latent is discrete")
    free = unconstrain_fn(seeded, args, options, drawn)
    given = bayeux.Model(lambda at: -potential_energy(seeded, args, options, at), free)
    said: list[str] = []
    given.mcmc.numpyro_nuts.debug(
        PRNGKey(0), verbosity=2, printer=lambda *text, **_: said.append(" ".join(map(str, text)))
    )
    text = " ".join(" ".join(said).split())
    return text if "\N{MULTIPLICATION SIGN}" in text else ""


def sbc(name: str) -> str:
    """Return which ranks of prior draws among those of the posterior are not uniform."""
    import jax
    import numpyro
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
    observed = {site["name"] for site in sites if site["type"] == "sample" and site["is_observed"]
                and not isinstance(site["fn"], numpyro.distributions.Unit)}  # fmt: skip
    if not observed:
        raise ValueError("its data come through `factor`, so none can be simulated")
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


TOOLS: dict[str, Callable[[str], str]] = {
    "bayeux": bayeux, "pymc": pymc, "sbc": sbc, "stanc": stanc,
}  # fmt: skip


def names(tool: str) -> list[str]:
    """Return the models that a tool takes."""
    anew = sorted({path.stem for path in ELSEWHERE.iterdir()})
    return chosen() if tool in ("bayeux", "sbc") else anew


def summary(tools: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Return of each tool how many it was asked, and which it speaks of, or cannot look at."""
    known, ours = table(), load("after")
    found: dict[str, dict[str, Any]] = {}
    for tool, rows in tools.items():
        could_not = [name for name, said in rows.items() if said.startswith("could not: ")]
        said = [name for name, text in rows.items() if text and name not in could_not]
        hit = [name for name in rows if known[name] != "whole"]
        found[tool] = {
            "models": len(rows),
            "could not": could_not,
            "hit": sorted(set(said) & set(hit)),
            "whole": sorted(set(said) - set(hit)),
            "by examine": sum(bool(ours[name]["findings"] or ours[name]["hints"]) for name in hit),
            "of": len(hit),
        }
    return found


def for_the_record() -> dict[str, Any]:
    """Return the part of the record that is about other tools."""
    return {"tools": summary(json.loads(FILE.read_text()))}


def main() -> int:
    """Run one tool on its models."""
    tool, *asked = sys.argv[1:]
    tools = json.loads(FILE.read_text()) if FILE.exists() else {}
    rows = tools.setdefault(tool, {})
    for name in asked or names(tool):
        try:
            rows[name] = TOOLS[tool](name)
        except Exception as error:
            rows[name] = f"could not: {type(error).__name__}: {' '.join(str(error).split())[:120]}"
        print(f"{name} ({table()[name]}): {rows[name] or 'content'}", flush=True)
        FILE.write_text(json.dumps(tools, indent=1, sort_keys=True) + "\n")
    write_record(**for_the_record())
    return 0


if __name__ == "__main__":
    sys.exit(main())
