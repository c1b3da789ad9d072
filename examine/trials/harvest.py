"""Run one program of somebody else's, and examine each model at its first inference call.

    python -m trials.harvest FILE OUT HALF

FILE is a script, a notebook or a file of pytest tests. A script goes on after the call with a few
steps of inference, so that later models are met too. A test ends there, and so does a statement of
a notebook, whose later ones are run. OUT gets one line of JSON a model. HALF is "seen", "aside" or
"all": which models are examined.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

SECONDS = 60
"""CPU seconds that one model may take."""
STEPS = 2
COSTED = 10
"""One model in so many is also timed against one compile of its gradient."""


GUIDED = 4
"""One guide in so many is looked at too; to start one costs as much as ten models."""
PATIENCE = 20
"""Seconds that a test may take until its first call of inference."""


class Limit:
    """A plugin of pytest: a test that calls no inference that is spied on does not hold up all."""

    def pytest_runtest_setup(self, item: Any) -> None:
        """Start the clock."""
        import pytest

        def late(*_: Any) -> None:
            pytest.skip("no inference so far")

        signal.signal(signal.SIGALRM, late)
        signal.alarm(PATIENCE)

    def pytest_runtest_teardown(self, item: Any) -> None:
        """Stop the clock."""
        signal.alarm(0)


class Late(BaseException):
    """A model took too long; no `except Exception` of a check swallows it."""


class Met(Exception):
    """A notebook's model was examined, so its inference is not run."""


class Spy:
    """Stands at the inference calls of NumPyro."""

    def __init__(self, file: Path, out: Path, half: str, in_tests: bool) -> None:
        self.file, self.out, self.half, self.in_tests = file, out, half, in_tests
        self.met: set[str] = set()
        self.inside = False

    def install(self) -> None:
        """Replace the calls by ones that examine first."""
        import numpyro.infer
        from numpyro.infer import MCMC, SVI, Predictive, util

        self._wrap(MCMC, "run", lambda mcmc, key, *a, **k: (model_of(mcmc), a, k, None), shorten)
        self._wrap(MCMC, "warmup", lambda mcmc, key, *a, **k: (model_of(mcmc), a, k, None), shorten)
        self._wrap(SVI, "init", lambda svi, key, *a, **k: of_svi(svi, a, k))
        self._wrap(SVI, "run", lambda svi, key, n, *a, **k: of_svi(svi, a, k), few)
        self._wrap(Predictive, "__call__", lambda p, key, *a, **k: (p.model, a, k, None))
        for name in ("log_density", "potential_energy"):
            self._wrap(util, name, lambda model, a, k, *_, **__: (model, a, k, None))

        def initial(key, model, *_, model_args=(), model_kwargs=None, **__):
            return model, model_args, model_kwargs or {}, None

        self._wrap(util, "initialize_model", initial)
        for name in ("log_density", "initialize_model"):
            if hasattr(numpyro.infer, name):
                setattr(numpyro.infer, name, getattr(util, name))

    def _wrap(self, owner: Any, name: str, what: Any, change: Any = None) -> None:
        original = getattr(owner, name)

        def spied(*args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if self.inside or caller.partition(".")[0] == "numpyro":
                return original(*args, **kwargs)  # NumPyro calls itself, with its own wrappers
            try:
                model, model_args, model_kwargs, guide = what(*args, **kwargs)
            except TypeError:
                return original(*args, **kwargs)
            model_kwargs = {k: v for k, v in model_kwargs.items() if k not in OF_INFERENCE}
            self.meet(model, model_args, model_kwargs, guide)
            if change is not None:
                args = change(*args)
            return original(*args, **kwargs)

        setattr(owner, name, spied)

    def meet(self, model: Any, args: tuple, kwargs: dict, guide: Any) -> None:
        """Examine a model that was not met before."""
        if not callable(model) or not concrete((args, kwargs)):
            return
        place = place_of(model)
        label = f"{self.file.name}: {place}"
        if label in self.met:
            return self.leave()
        self.met.add(label)
        chosen = "aside" if int(hashlib.sha1(label.encode()).hexdigest(), 16) % 2 else "seen"
        if self.half not in ("all", chosen):
            return self.leave()
        self.inside = True
        try:
            row = {"file": str(self.file), "model": place, "half": chosen}
            row |= examined(model, args, kwargs, guide, label)
            with self.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        finally:
            self.inside = False
        self.leave()

    def leave(self) -> None:
        """End a test, or a statement of a notebook; a script goes on."""
        if self.in_tests:
            import pytest

            pytest.skip("its model was met")
        if self.file.suffix == ".ipynb":
            raise Met


OF_INFERENCE = {"extra_fields", "init_params", "collect_warmup", "progress_bar", "stable_update",
                "init_state", "forward_mode_differentiation"}  # fmt: skip


def of_svi(svi: Any, args: tuple, kwargs: dict) -> tuple:
    """Return the model of an `SVI`, its arguments with those given beforehand, and the guide."""
    return svi.model, args, {**getattr(svi, "static_kwargs", {}), **kwargs}, svi.guide


def model_of(mcmc: Any) -> Any:
    """Return the model of an `MCMC`, or None."""
    return getattr(mcmc.sampler, "model", None) or getattr(mcmc.sampler, "_model", None)


def shorten(mcmc: Any, *args: Any) -> tuple:
    """Make a run short."""
    mcmc.num_warmup, mcmc.num_samples, mcmc.progress_bar = STEPS, STEPS, False
    mcmc._set_collection_params()
    return mcmc, *args


def few(svi: Any, key: Any, steps: int, *args: Any) -> tuple:
    """Make an optimisation short."""
    return svi, key, min(steps, STEPS), *args


def concrete(tree: Any) -> bool:
    """Tell whether the arguments are outside any trace."""
    import jax

    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(tree))


def place_of(model: Any) -> str:
    """Return where a model is defined: its name, and its line."""
    inner = model
    while not hasattr(inner, "__code__"):
        below = getattr(inner, "func", None) or getattr(inner, "fn", None)
        below = below or getattr(inner, "__func__", None) or getattr(inner, "__wrapped__", None)
        if below is None:
            below = vars(type(inner)).get("__call__")
            if not hasattr(below, "__code__"):
                return type(inner).__name__
        inner = below
    wrapped = "" if inner is model else f"{type(model).__name__} of "
    return f"{wrapped}{inner.__qualname__}, line {inner.__code__.co_firstlineno}"


def examined(model: Any, args: tuple, kwargs: dict, guide: Any, label: str) -> dict:
    """Return what `examine` says of a model, as data."""
    from examine_model import driver
    from numpyro.infer.autoguide import AutoGuide

    def late(*_: Any) -> None:
        raise Late

    signal.alarm(0)
    number = int(hashlib.sha1(label.encode()).hexdigest(), 16) // 2
    guide = guide if isinstance(guide, AutoGuide) and number % GUIDED == 0 else None
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    begun = time.process_time()
    try:
        report = driver.examine(model, args, kwargs, guide=guide)
        row: dict[str, Any] = {
            "findings": [{"check": f.check, "site": f.site, "says": f.says, "cases": f.cases}
                         for f in report.findings],
            "hints": [{"check": f.check, "site": f.site, "says": f.says} for f in report.hints],
            "not_run": [{"check": r.check, "why": r.why} for r in report.not_run],
            "ran": report.ran,
        }  # fmt: skip
    except Late:
        row = {"late": True}
    except Exception:
        row = {"broke": traceback.format_exc()}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    row["guide"] = guide is not None
    row["seconds"] = round(time.process_time() - begun, 2)
    if guide is None and number % COSTED == 0:
        row["gradient"] = gradient_seconds(model, args, kwargs)
    return row


def gradient_seconds(model: Any, args: tuple, kwargs: dict) -> float | None:
    """Return the CPU seconds of one compile of the model's gradient, as NUTS makes it."""
    import jax
    from numpyro.infer import hmc

    begun = time.process_time()
    try:
        info = hmc.initialize_model(
            jax.random.PRNGKey(0), model, model_args=args, model_kwargs=kwargs
        )
        jax.block_until_ready(jax.jit(jax.value_and_grad(info.potential_fn))(info.param_info.z))
    except Exception:
        return None
    return round(time.process_time() - begun, 2)


def run_notebook(file: Path, space: dict) -> None:
    """Run a notebook's statements; one that fails, for want of a package, stops nothing."""
    cells = json.loads(file.read_text()).get("cells", [])
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        source = "".join(cell["source"])
        source = re.sub(r"^( *)[%!].*$", r"\1pass", source, flags=re.M)
        run_statements(source, str(file), space)


def run_statements(source: str, name: str, space: dict) -> None:
    """Run statements one by one."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return
    for node in body:
        code = compile(ast.Module([node], []), name, "exec")
        try:
            exec(code, space)
        except Late:
            raise
        except BaseException as error:
            print(f"{type(error).__name__}: {error}"[:150], file=sys.stderr)


def main() -> int:
    """Run the program."""
    file, out, half = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
    in_tests = file.name.startswith("test_") or file.name.endswith("_test.py")
    os.environ["MPLBACKEND"] = "Agg"
    spy = Spy(file, out, half, in_tests)
    spy.install()
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    if in_tests:
        import pytest

        flags = ["-q", "-x", "--maxfail=1000", "-p", "no:cacheprovider", "-o", "addopts="]
        return pytest.main([*flags, "-W", "ignore", str(file)], plugins=[Limit()])
    if file.suffix == ".ipynb":
        os.chdir(file.parent)
        run_notebook(file, {"__name__": "__main__"})
    else:
        # An example asks for the release of its checkout; it runs on the one that is installed.
        source = re.sub(
            r"^ *assert numpyro\.__version__.*$", "    pass", file.read_text(), flags=re.M
        )
        space = {"__name__": "__main__", "__file__": str(file)}
        exec(compile(source, str(file), "exec"), space)
    return 0


if __name__ == "__main__":
    sys.exit(main())
