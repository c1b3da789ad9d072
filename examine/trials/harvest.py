"""Run one program of somebody else's, and examine each model at its first call of inference.

    python -m trials.harvest FILE OUT

FILE is a script, a notebook or a file of pytest tests. The call of inference is not run, but for
one step of an `MCMC`, which the check of that name needs: what it stands in, a test or a statement,
ends there, and the next one begins. OUT gets one line of JSON a model.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import textwrap
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 60
"""Seconds that one model may take."""
OF_INFERENCE = {"extra_fields", "init_params", "collect_warmup", "progress_bar", "stable_update",
                "init_state", "forward_mode_differentiation"}  # fmt: skip


class Met(BaseException):
    """A model was examined, so its inference is not run; no `except Exception` swallows it."""


class Spy:
    """Stands at the inference calls of NumPyro."""

    def __init__(self, file: Path, out: Path) -> None:
        self.file, self.out = file, out
        self.met: set[str] = set()
        self.inside = False

    def install(self) -> None:
        """Replace the calls by ones that examine."""
        from numpyro.infer import MCMC, SVI, Predictive

        self._wrap(MCMC, "run", lambda mcmc, key, *a, **k: (mcmc, a, k, None))
        self._wrap(SVI, "init", lambda svi, key, *a, **k: (svi.model, a, k, svi.guide))
        self._wrap(SVI, "run", lambda svi, key, n, *a, **k: (svi.model, a, k, svi.guide))
        self._wrap(Predictive, "__call__", lambda p, key, *a, **k: (p.model, a, k, None))

    def _wrap(self, owner: Any, name: str, what: Callable) -> None:
        original = getattr(owner, name)

        def spied(*args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if self.inside or caller.partition(".")[0] == "numpyro":
                return original(*args, **kwargs)  # NumPyro calls itself, with its own wrappers
            model, model_args, model_kwargs, guide = what(*args, **kwargs)
            static = getattr(args[0], "static_kwargs", {})
            rest = {k: v for k, v in model_kwargs.items() if k not in OF_INFERENCE}
            self.meet(model, model_args, {**static, **rest}, guide)
            raise Met

        setattr(owner, name, spied)

    def meet(self, met: Any, args: tuple, kwargs: dict, guide: Any) -> None:
        """Examine a model, or that of an `MCMC`, which was not met before."""
        model = met.sampler.model if hasattr(met, "sampler") else met
        place = place_of(model)
        if not callable(model) or place in self.met:
            return
        self.met.add(place)
        self.inside = True
        try:
            thing = model if model is met else one_step(met, args, kwargs)
            row = {"file": str(self.file), "model": place, **examined(thing, args, kwargs, guide)}
            if rest := with_a_prior(model, args, kwargs):
                more = examined(*rest, checks=["pytree"])
                for part in ("findings", "hints", "ran"):
                    row[part] = row.get(part, []) + more.get(part, [])
            with self.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        finally:
            self.inside = False


def one_step(mcmc: Any, args: tuple, kwargs: dict) -> Any:
    """Return an `MCMC` that has taken one step with the sampler of another, or else the model."""
    from jax.random import PRNGKey
    from numpyro.infer import MCMC

    short = MCMC(mcmc.sampler, num_warmup=1, num_samples=1, progress_bar=False)
    try:
        short.run(PRNGKey(0), *args, **kwargs)
    except Exception:
        return mcmc.sampler.model
    return short


def with_a_prior(model: Any, args: tuple, kwargs: dict) -> tuple[Any, tuple, dict, None] | None:
    """Return a model that takes the first of its priors as an argument, and its arguments."""
    from numpyro import handlers
    from numpyro.primitives import Messenger

    try:
        trace = handlers.trace(handlers.seed(model, 0)).get_trace(*args, **kwargs)
    except Exception:
        return None
    latents = [site for site in trace.values() if site["type"] == "sample"
               and not site["is_observed"] and hasattr(site["fn"], "tree_flatten")]  # fmt: skip
    if not latents:
        return None
    name = latents[0]["name"]

    class Handed(Messenger):
        def __init__(self, prior: Any) -> None:
            super().__init__(None)
            self.prior = prior

        def process_message(self, msg: dict) -> None:
            if msg["type"] == "sample" and msg["name"] == name:
                msg["fn"] = self.prior

    def handed(prior: Any, *rest: Any, **words: Any) -> Any:
        with Handed(prior):
            return model(*rest, **words)

    return handed, (latents[0]["fn"], *args), kwargs, None


def place_of(model: Any) -> str:
    """Return where a model is defined: its name, and its line."""
    from examine_model.running import innermost

    inner = innermost(model)
    if inner is None:
        return type(model).__name__
    wrapped = "" if inner is model else f"{type(model).__name__} of "
    return f"{wrapped}{inner.__qualname__}, line {inner.__code__.co_firstlineno}"


def examined(model: Any, args: tuple, kwargs: dict, guide: Any, checks: Any = None) -> dict:
    """Return what `examine` says of a model, as data."""
    from examine_model import driver
    from numpyro.infer.autoguide import AutoGuide

    begun = time.process_time()
    guide = guide if isinstance(guide, AutoGuide) else None
    try:
        report = driver.examine(model, args, kwargs, guide=guide, checks=checks, timeout=SECONDS)
    except Exception:
        return {"broke": traceback.format_exc()}
    rows = {
        kind: [{"check": f.check, "id": f.id, "site": f.site, "says": f.says} for f in found]
        for kind, found in (("findings", report.findings), ("hints", report.hints))
    }  # fmt: skip
    not_run = [{"check": r.check, "why": r.why} for r in report.not_run]
    seconds = round(time.process_time() - begun, 2)
    return {**rows, "not_run": not_run, "ran": report.ran, "seconds": seconds}


def statements(file: Path) -> str:
    """Return the source of a script or of a notebook, without its magics."""
    text = file.read_text()
    if file.suffix == ".ipynb":
        cells = json.loads(text).get("cells", [])
        code = (
            textwrap.dedent("".join(cell["source"])) for cell in cells
            if cell.get("cell_type") == "code"
        )  # fmt: skip
        text = re.sub(r"^( *)[%!].*$", r"\1pass", "\n".join(code), flags=re.M)
    # An example asks for the release of its checkout; it runs on the one that is installed.
    return re.sub(r"^( *)assert numpyro\.__version__.*$", r"\1pass", text, flags=re.M)


def run(source: str, name: str, space: dict) -> None:
    """Run statements one by one; one that fails, for want of a package, stops nothing."""
    for node in ast.parse(source).body:
        code = compile(ast.Module([node], []), name, "exec")
        try:
            exec(code, space)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}"[:150], file=sys.stderr)


def main() -> int:
    """Run the program."""
    file, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.environ["MPLBACKEND"] = "Agg"
    Spy(file, out).install()
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    if file.name.startswith("test_") or file.name.endswith("_test.py"):
        import pytest

        flags = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore"]
        return int(pytest.main([*flags, str(file)]) > 1)  # a test whose model is met fails
    os.chdir(file.parent)
    run(statements(file), str(file), {"__name__": "__main__", "__file__": str(file)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
