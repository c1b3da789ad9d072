"""Find the models of a program that somebody else wrote, where NumPyro is first given each.

It stays because only models of strangers show whether `examine` alarms without cause. A program is
a script, a notebook or a file of pytest tests. Inference takes a few steps only, so that it goes
on to its next model; after `SVI.init`, which a loop of steps follows, the statement ends.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS, STEPS = 240, 4  # that one model may take; with fewer steps NumPyro prints no summary
OF_INFERENCE = {"extra_fields", "init_params", "collect_warmup", "progress_bar", "stable_update",
                "init_state", "forward_mode_differentiation"}  # fmt: skip


class Met(BaseException):
    """No other model follows, so the statement ends; no `except Exception` swallows it."""


class Spy:
    """Stands at the calls of NumPyro that are given a model, and collects a row of each."""

    def __init__(self, file: Path) -> None:
        self.file, self.rows, self.inside = file, list[dict[str, Any]](), False

    def install(self) -> None:
        """Replace the calls by ones that examine."""
        from numpyro.infer import MCMC, SVI, Predictive

        for owner, name, instead in ((MCMC, "run", self.mcmc), (SVI, "run", self.svi),
                                     (SVI, "init", self.start),
                                     (Predictive, "__call__", self.predictive)):  # fmt: skip
            self._wrap(owner, name, instead)

    def _wrap(self, owner: Any, name: str, instead: Callable) -> None:
        original = getattr(owner, name)

        def spied(*args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if self.inside or caller.partition(".")[0] == "numpyro":
                return original(*args, **kwargs)  # NumPyro calls itself
            return instead(original, *args, **kwargs)

        setattr(owner, name, spied)

    def mcmc(self, run: Callable, mcmc: Any, key: Any, *args: Any, **kwargs: Any) -> None:
        """Take a few steps, and examine the sampler, or its model where it does not run."""
        mcmc.num_warmup, mcmc.num_samples, mcmc.thinning = 1, STEPS, 1
        mcmc.num_chains, mcmc.progress_bar, met = 1, False, mcmc.sampler.model
        try:
            run(mcmc, key, *args, **kwargs)
            met = mcmc
        finally:
            self.meet(met, args, kwargs)

    def svi(self, run: Callable, svi: Any, key: Any, steps: int, *args: Any, **kwargs: Any) -> Any:
        """Examine the model and the guide, and take a few steps."""
        self.meet(svi.model, args, {**svi.static_kwargs, **kwargs}, svi.guide)
        return run(svi, key, min(steps, STEPS), *args, **{**kwargs, "progress_bar": False})

    def start(self, init: Callable, svi: Any, key: Any, *args: Any, **kwargs: Any) -> None:
        """Examine the model and the guide, and end the statement."""
        self.meet(svi.model, args, {**svi.static_kwargs, **kwargs}, svi.guide)
        raise Met

    def predictive(self, call: Callable, said: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        """Predict, and examine the model where inference was done elsewhere, or not at all."""
        if said.posterior_samples or ".run(" not in self.file.read_text():
            self.meet(said.model, args, kwargs)
        return call(said, key, *args, **kwargs)

    def meet(self, met: Any, args: tuple, kwargs: dict, guide: Any = None) -> None:
        """Examine a model, or an `MCMC`, whose model was not met before."""
        import jax

        place = place_of(met.sampler.model if hasattr(met, "sampler") else met)
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, kwargs)))
        if traced or any(row["model"] == place for row in self.rows):
            return
        kwargs = {name: value for name, value in kwargs.items() if name not in OF_INFERENCE}
        self.inside = True
        try:
            self.rows.append({"model": place, **examined(met, args, kwargs, guide)})
        finally:
            self.inside = False


def place_of(model: Any) -> str:
    """Return where a model is defined: its name, and its line."""
    from examine_model.running import innermost

    inner = innermost(model)
    if inner is None:
        return type(model).__name__
    wrapped = "" if inner is model else f"{type(model).__name__} of "
    return f"{wrapped}{inner.__qualname__}, line {inner.__code__.co_firstlineno}"


def examined(model: Any, args: tuple, kwargs: dict, guide: Any) -> dict[str, Any]:
    """Return the answer to a model, as data."""
    from examine_model import driver

    from .count import answer

    begun = time.process_time()
    try:
        report = driver.examine(model, args, kwargs, guide=guide, timeout=SECONDS)
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"}
    return answer(report, time.process_time() - begun)


def statements(file: Path) -> str:
    """Return the source of a script or of a notebook, without its magics; `%time` times one."""
    text = file.read_text()
    if file.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "\n".join(textwrap.dedent("".join(cell["source"])) for cell in cells)
        text = re.sub(r"^( *)%time +", r"\1", text, flags=re.M)
        text = re.sub(r"^( *)[%!].*$", r"\1pass", text, flags=re.M)
    # An example asks for the release of its checkout; it runs on the one that is installed.
    return re.sub(r"^( *)assert numpyro\.__version__.*$", r"\1pass", text, flags=re.M)


def run(source: str, name: str, space: dict) -> None:
    """Run statements one by one; one that fails, for want of a package, stops nothing."""
    for node in ast.parse(source).body:
        try:
            exec(compile(ast.Module([node], []), name, "exec"), space)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}"[:150], file=sys.stderr)


def models_of(file: Path, arguments: list[str]) -> list[dict[str, Any]]:
    """Run a program with a few steps of inference; return a row of each model that it has."""
    os.environ["MPLBACKEND"] = "Agg"
    spy = Spy(file)
    spy.install()
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file), *arguments]
    if file.name.startswith("test_") or file.name.endswith("_test.py"):
        import pytest

        pytest.main(["-q", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore", str(file)])
    else:
        os.chdir(file.parent)
        run(statements(file), str(file), {"__name__": "__main__", "__file__": str(file)})
    return spy.rows
