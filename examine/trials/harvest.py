"""Run one program of somebody else's, and examine each model where NumPyro is first given it.

    python -m trials.harvest FILE OUT [ARGUMENT ...]

FILE is a script, a notebook or a file of pytest tests; a script is given the arguments. Inference
takes a few steps only, so that the file goes on to its next model. Where it stands at one place of
the file only, and after `SVI.init`, which a loop of steps follows, nothing is run: the statement or
the test ends there, and the next one begins. OUT gets one line of JSON a model. A model that is
given only to other packages, or to a loop written by hand, is not met.
"""

from __future__ import annotations

import ast
import inspect
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

SECONDS = 240
"""Seconds that one model may take."""
STEPS = 4
"""Steps of inference: with fewer, NumPyro prints no summary."""
OF_INFERENCE = {"extra_fields", "init_params", "collect_warmup", "progress_bar", "stable_update",
                "init_state", "forward_mode_differentiation"}  # fmt: skip


class Met(BaseException):
    """No other model follows, so the statement ends; no `except Exception` swallows it."""


def is_test(file: Path) -> bool:
    """Return whether pytest runs this file; an example may be called as a test is."""
    named = file.name.startswith("test_") or file.name.endswith("_test.py")
    return named and file.parent.name != "examples"


class Spy:
    """Stands at the calls of NumPyro that are given a model."""

    def __init__(self, file: Path, out: Path) -> None:
        self.file, self.out = file, out
        self.met: set[str] = set()
        self.inside = False
        calls = file.read_text().count(".run(") if file.is_file() else 0
        self.only, self.infers = calls == 1, calls > 0

    def install(self) -> None:
        """Replace the calls by ones that examine."""
        import numpyro
        from numpyro.contrib.einstein import SteinVI
        from numpyro.infer import MCMC, SVI, Predictive, util

        self._wrap(MCMC, "run", self.mcmc)
        self._wrap(SVI, "init", self.start)
        self._wrap(SVI, "run", self.svi)
        self._wrap(SteinVI, "run", self.svi)
        self._wrap(Predictive, "__call__", self.predictive)
        self._wrap(util, "initialize_model", self.function)
        self._wrap(numpyro, "render_model", self.function)

    def _wrap(self, owner: Any, name: str, instead: Callable) -> None:
        original = getattr(owner, name)

        def spied(*args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if self.inside or caller.partition(".")[0] == "numpyro":
                return original(*args, **kwargs)  # NumPyro calls itself, with its own wrappers
            return instead(original, *args, **kwargs)

        setattr(owner, name, spied)

    def mcmc(self, run: Callable, mcmc: Any, key: Any, *args: Any, **kwargs: Any) -> None:
        """Take a few steps, and examine the sampler, or its model where it does not run.

        In a file that calls inference at one place no step is taken.
        """
        if self.only:
            self.meet(mcmc.sampler.model, args, kwargs)
            raise Met
        mcmc.num_warmup, mcmc.num_samples, mcmc.thinning = 1, STEPS, 1
        mcmc.num_chains, mcmc.progress_bar = 1, False
        raised = None
        try:
            run(mcmc, key, *args, **kwargs)
        except Exception as error:
            raised = error
        self.meet(mcmc.sampler.model if raised else mcmc, args, kwargs)
        if raised:
            raise raised

    def svi(self, run: Callable, svi: Any, key: Any, steps: int, *args: Any, **kwargs: Any) -> Any:
        """Examine the model and the guide, and take a few steps."""
        self.meet(svi.model, args, {**svi.static_kwargs, **kwargs}, svi.guide)
        kwargs["progress_bar"] = False
        return run(svi, key, min(steps, STEPS), *args, **kwargs)

    def start(self, init: Callable, svi: Any, key: Any, *args: Any, **kwargs: Any) -> None:
        """Examine the model and the guide, and end the statement."""
        self.meet(svi.model, args, {**svi.static_kwargs, **kwargs}, svi.guide)
        raise Met

    def predictive(self, call: Callable, said: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        """Examine the model, and predict; where inference follows, not at draws of the prior."""
        if said.posterior_samples or not self.infers:
            self.meet(said.model, args, kwargs)
        return call(said, key, *args, **kwargs)

    def function(self, call: Callable, *args: Any, **kwargs: Any) -> Any:
        """Examine the model that a function is given beside its arguments, and call it."""
        given = inspect.signature(call).bind(*args, **kwargs).arguments
        model_args, model_kwargs = given.get("model_args"), given.get("model_kwargs")
        self.meet(given["model"], model_args or (), model_kwargs or {})
        return call(*args, **kwargs)

    def meet(self, met: Any, args: tuple, kwargs: dict, guide: Any = None) -> None:
        """Examine a model, or an `MCMC`, whose model was not met before."""
        model = met.sampler.model if hasattr(met, "sampler") else met
        place = place_of(model)
        if not callable(model) or place in self.met or inside_jit((args, kwargs)):
            return
        self.met.add(place)
        kwargs = {name: value for name, value in kwargs.items() if name not in OF_INFERENCE}
        self.inside = True
        try:
            row = {"file": str(self.file), "model": place, **examined(met, args, kwargs, guide)}
            if rest := with_a_prior(model, args, kwargs):
                more = examined(*rest, checks=["pytree"])
                for part in ("findings", "hints", "ran"):
                    known = row.get(part, [])
                    row[part] = [*known, *(new for new in more.get(part, []) if new not in known)]
            with self.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        finally:
            self.inside = False


def inside_jit(given: Any) -> bool:
    """Return whether JAX compiles the program that calls inference: no model can be run there."""
    import jax

    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(given))


def with_a_prior(model: Any, args: tuple, kwargs: dict) -> tuple[Any, tuple, dict, None] | None:
    """Return a model that takes the first of its priors as an argument, and its arguments."""
    from numpyro import handlers

    try:
        trace = handlers.trace(handlers.seed(model, 0)).get_trace(*args, **kwargs)
    except Exception:
        return None
    latents = [site for site in trace.values() if site["type"] == "sample"
               and not site["is_observed"] and hasattr(site["fn"], "tree_flatten")]  # fmt: skip
    if not latents:
        return None
    name = latents[0]["name"]

    def handed(prior: Any, *rest: Any, **words: Any) -> Any:
        with handlers.reparam(config={name: lambda _, fn, value: (prior, value)}):
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

    begun = time.process_time()
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
    """Return the source of a script or of a notebook, without its magics; `%time` times one."""
    text = file.read_text()
    if file.suffix == ".ipynb":
        cells = json.loads(text).get("cells", [])
        code = (
            textwrap.dedent("".join(cell["source"])) for cell in cells
            if cell.get("cell_type") == "code"
        )  # fmt: skip
        text = re.sub(r"^( *)%time +", r"\1", "\n".join(code), flags=re.M)
        text = re.sub(r"^( *)[%!].*$", r"\1pass", text, flags=re.M)
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
    sys.argv = [str(file), *sys.argv[3:]]
    if is_test(file):
        import pytest

        flags = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore"]
        return int(pytest.main([*flags, str(file)]) > 1)  # a test whose model is met fails
    os.chdir(file.parent)
    run(statements(file), str(file), {"__name__": "__main__", "__file__": str(file)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
