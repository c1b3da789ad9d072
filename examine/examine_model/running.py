"""Run a model without leaving a trace, and note what its sites did."""

from __future__ import annotations

import contextlib
import inspect
import io
import random
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist
from numpyro import handlers, primitives
from numpyro.infer.initialization import init_to_uniform

from . import held

LATE = 0.001
"""Seconds until a timer of the caller's goes off that should have done so meanwhile."""
QUICK: dict[str, Any] = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}
"""A program that runs once is compiled three times faster so."""
KINDS = ("sample", "param", "mutable", "plate", "deterministic")
"""The messages of NumPyro that are noted as sites."""
INSIDE = {"examine_model", "numpyro", "jax", "equinox", "flax", "contextlib", "functools"}
"""The packages that stand between a model and what is noted of it."""


@dataclass
class Site:
    """What one message of a run said: its distribution, its value, and where they came from.

    Attributes:
        name: the site's name, as handlers outside the model see it.
        kind: "sample", "param", "mutable", "plate", "deterministic", or "loop" for a `scan` or
            `cond`.
        fn: the distribution of a sample site; for a `plate` and others what NumPyro called.
        value: an array, or for a module's parameters a pytree of arrays; of a mutable site, what it
            began with.
        rng_key: the key that the value was drawn with, where it is known.
        observed: whether the value was given.
        scale: the factor of the log density, or None.
        intermediates: what a draw of a transformed distribution kept on its way.
        traced: the name of the tracer's class where the value was one, which outlives no run.
        looped: whether the site stands in `scan` or `cond` of NumPyro.
        intervened: the value that a `do` around that loop wanted, or None.
        subsample: whether it is a plate that chose some of its members.
        plates: the dimensions of the plates around it; in_plates: their names.
        size: the number of members of a plate, or 0.
        place: the file and the line where the model calls NumPyro.
        one_key: whether it stands in `vmap`, and its key is the same in all lanes.
    """

    name: str
    kind: str
    fn: Any
    value: Any
    rng_key: Any = None
    observed: bool = False
    scale: Any = None
    intermediates: Any = None
    traced: str = ""
    looped: bool = False
    intervened: Any = None
    subsample: bool = False
    plates: tuple[int, ...] = ()
    in_plates: tuple[str, ...] = ()
    size: int = 0
    place: tuple[str, int] = ("", 0)
    one_key: bool = False

    @property
    def latent(self) -> bool:
        """Whether the site's value was drawn, and can be handed in."""
        return self.kind == "sample" and not self.observed and not self.traced

    @property
    def has_data(self) -> bool:
        """Whether the site has observations of its own; a `factor` has none."""
        return self.observed and type(self.fn).__name__ != "Unit" and np.size(self.value) > 0


@dataclass
class Run:
    """All that one run of a model did.

    `hidden` are the sample sites that draw behind a `block` of the model, outside of its loops.
    `result` is what it returned. Where it was measured, `rows` are the log densities by site, and
    `also` its other numbers. `scanned` has the sites of each `scan`, stacked, as NumPyro hands them
    out, and the log density of each step: an array of shape (steps,).
    """

    sites: list[Site] = field(default_factory=list)
    hidden: list[Site] = field(default_factory=list)
    scanned: list[tuple[Site, Any]] = field(default_factory=list)
    keys_asked: int = 0
    enumerated: bool = False
    loops: int = 0
    result: Any = None
    rows: dict[str, Any] = field(default_factory=dict)
    also: dict[str, Any] = field(default_factory=dict)

    def numbers(self) -> dict[str, Any]:
        """Return all that was measured, by name."""
        return self.rows | self.also

    def samples(self) -> dict[str, Site]:
        """Return the sample sites by name, the first of each."""
        by_name: dict[str, Site] = {}
        for site in self.sites:
            if site.kind == "sample":
                by_name.setdefault(site.name, site)
        return by_name

    def handed(self) -> dict[str, Any]:
        """Return the values that make another run the same.

        They are those of latents, parameters, mutable sites and subsamples.
        """
        values = {}
        for site in self.sites:
            drawn = site.latent and site.intervened is None
            given = site.kind in ("param", "mutable") or site.subsample
            if drawn or (given and not site.traced and site.value is not None):
                values[site.name] = site.value
        return values

    def times(self) -> Counter[str]:
        """Return how often each sample site was met, by name, behind a `block` too."""
        return Counter(site.name for site in (*self.sites, *self.hidden) if site.kind == "sample")


def tracer_name(value: Any) -> str:
    """Return the name of the class of a pytree's first tracer, or ""."""
    tracers = [leaf for leaf in jax.tree.leaves(value) if isinstance(leaf, jax.core.Tracer)]
    return type(tracers[0]).__name__ if tracers else ""


def is_improper(fn: Any) -> bool:
    """Tell whether a distribution is an improper prior, from which nothing can be drawn."""
    while not isinstance(fn, dist.ImproperUniform):
        fn = getattr(fn, "base_dist", None)
        if fn is None:
            return False
    return True


class Recorder(primitives.Messenger):
    """Record all messages; unlike `handlers.trace` it accepts names that come twice.

    Args:
        read: also compute each density where the site is, as inference does, and forget it.
        spy: also have each step of `scan` return the log density of its sites as numbers. Nothing
            else of the loop changes, and the numbers are taken out again before the model goes on.
    """

    def __init__(self, spy: bool = False, read: bool = False) -> None:
        self.run, self.spy, self.read = Run(), spy, read
        self.loops = 0
        self.inside: dict[str, tuple[str, int]] = {}  # where a site in a loop is, by its name
        super().__init__(None)

    def process_message(self, msg: dict) -> None:
        """Give an improper site a value, and wrap the step of a `scan`."""
        if msg["type"] == "sample" and msg["value"] is None and is_improper(msg["fn"]):
            msg["value"] = init_to_uniform(msg)
        if msg["type"] != "control_flow":
            return
        self.run.loops += 1
        self.loops += 1
        self.run.enumerated |= bool(msg["kwargs"].get("enum"))
        is_scan = getattr(msg["fn"], "__name__", "") == "scan_wrapper"
        if self.spy and is_scan and not msg["kwargs"].get("enum"):
            step, *others = msg["args"]
            msg["args"] = (spied(step), *others)
            msg["spied_by"] = self

    def postprocess_message(self, msg: dict) -> None:
        """Note what a site did."""
        kind = msg["type"]
        if kind == "prng_key":
            self.run.keys_asked += 1
        if kind == "control_flow" and msg.get("spied_by") is self:
            last, (stacked, (ys, numbers)) = msg["value"]
            msg["value"] = last, (stacked, ys)
            for name, steps in numbers.items():
                if name in stacked.trace:
                    seen = stacked.trace[name]
                    site = Site(name, "sample", seen["fn"], seen["value"])
                    self.run.scanned.append((site, steps))
        if kind == "control_flow":
            self.loops -= 1
            name = f"loop {self.run.loops}"
            self.run.sites.append(Site(name, "loop", None, None, msg["kwargs"].get("rng_key")))
        if kind not in KINDS or "name" not in msg:
            return
        value, key = msg["value"], msg.get("kwargs", {}).get("rng_key")
        if kind == "mutable" and isinstance(value, dict):
            value = dict(value)  # the model will write into its own
        site = Site(msg["name"], kind, msg.get("fn"), value)
        site.rng_key = key
        site.observed = bool(msg.get("is_observed"))
        site.scale, site.intermediates = msg.get("scale"), msg.get("intermediates")
        site.looped = bool(msg.get("_control_flow_done"))
        site.traced = tracer_name(value)
        site.subsample = kind == "plate" and _subsamples(msg)
        frames = msg.get("cond_indep_stack") or ()
        site.plates = tuple(frame.dim for frame in frames)
        site.in_plates = tuple(frame.name for frame in frames)
        site.size = int(msg["args"][0]) if kind == "plate" and msg.get("args") else 0
        site.place = self.inside.get(site.name, _caller()) if site.looped else _caller()
        site.one_key = drawn_once(key)
        if site.looped and msg.get("_intervener_id"):
            site.intervened = _wanted(msg)
        self.run.sites.append(site)
        if self.read and kind == "sample":
            site.fn.log_prob(site.value)

    def hide(self, msg: dict) -> None:
        """Note a site that a `block` of the model hides; of those in NumPyro's loops, the place."""
        if msg["type"] == "sample" and self.loops:
            self.inside[msg["name"]] = _caller()
        if msg["type"] != "sample" or msg.get("is_observed") or self.loops:
            return
        key = msg["kwargs"].get("rng_key")
        site = Site(msg["name"], "sample", msg["fn"], None, key, place=_caller())
        site.traced = tracer_name(msg["value"])
        site.one_key = drawn_once(key)
        self.run.hidden.append(site)


@contextlib.contextmanager
def behind_blocks(recorder: Recorder) -> Iterator[None]:
    """Have the blocks inside the model tell a recorder, which stands outside, what they hide."""
    block: Any = handlers.block
    before = vars(block).get("postprocess_message")

    def noted(self: Any, msg: dict) -> None:
        if msg.get("stop"):
            recorder.hide(msg)

    block.postprocess_message = noted
    try:
        yield
    finally:
        del block.postprocess_message
        if before:
            block.postprocess_message = before


def in_vmap() -> bool:
    """Tell whether `vmap` is what runs the model here; False on a release that does not say."""
    context = getattr(jax._src.core, "trace_ctx", None)
    return type(getattr(context, "trace", None)).__name__ == "BatchTrace"


def drawn_once(rng_key: Any) -> bool:
    """Tell whether what is drawn here has one key for all lanes of a `vmap`."""
    return rng_key is not None and in_vmap() and tracer_name(rng_key) != "BatchTracer"


def _caller() -> tuple[str, int]:
    """Return the file and the line from which NumPyro was called."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def innermost(model: Any) -> Any:
    """Return the function in partials, handlers, methods and jitted functions, or None."""
    for _ in range(20):  # a proxy may go on for ever
        if hasattr(model, "__code__"):
            return model
        inside = (getattr(model, name, None) for name in ("func", "fn", "__func__", "__wrapped__"))
        below = next((part for part in inside if part is not None), None)
        model = vars(type(model)).get("__call__") if below is None else below
    return None


def codes_of(run: Callable[[], Any]) -> set[types.CodeType]:
    """Return the code of all functions of Python that are called in a run."""
    codes, before = set(), sys.getprofile()

    def note(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return codes


def code_of(thing: Any) -> Any:
    """Return the code of the function in a callable, or None."""
    return getattr(innermost(inspect.unwrap(thing)), "__code__", None)


def place_of(model: Any) -> tuple[str, int]:
    """Return the file and the line where a model is defined, as far as they are known."""
    inner = innermost(model)
    return (inner.__code__.co_filename, inner.__code__.co_firstlineno) if inner else ("", 0)


def _subsamples(msg: dict) -> bool:
    """Tell whether a plate's message chooses some of its members."""
    sizes = list(msg.get("args") or ())
    return len(sizes) >= 2 and sizes[0] != sizes[1] and msg["value"] is not None


def _wanted(msg: dict) -> Any:
    """Return the value that a `do` outside of a loop has for a site inside."""
    for handler in reversed(primitives._PYRO_STACK):
        if isinstance(handler, handlers.do) and handler._intervener_id == msg["_intervener_id"]:
            return (handler.data or {}).get(msg["name"])
    return None


def spied(step: Callable) -> Callable:
    """Return a step of `scan` that also returns the log density of each of its sample sites.

    A loop in the step is treated in the same way, so that the numbers of its own steps come out.
    """

    def with_numbers(carry: Any, x: Any) -> tuple[Any, Any]:
        recorder = Recorder(spy=True)
        with recorder:
            carry, y = step(carry, x)
        numbers = {site.name: jnp.sum(steps) for site, steps in recorder.run.scanned}
        for name, site in recorder.run.samples().items():
            if site.looped:
                continue
            with contextlib.suppress(Exception):  # no density of its own, then nothing to compare
                numbers[name] = jnp.sum(site.fn.log_prob(site.value))
        return carry, (y, numbers)

    return with_numbers


def run(
    model: Callable, args: tuple, kwargs: dict, rng_key: Any,
    values: dict[str, Any] | None = None, spy: bool = False, read: bool = False,
) -> Run:  # fmt: skip
    """Run a model once.

    Args:
        model: the model.
        args: its arguments.
        kwargs: its keyword arguments.
        rng_key: the key of all that is drawn.
        values: what sites take instead of a draw, by name.
        spy: have the steps of `scan` return their log densities; see `Recorder`.
        read: compute the densities too.
    """
    recorder = Recorder(spy, read)
    # The seed is inside, so that a site has its key although it takes a value.
    given, seed = handlers.substitute(data=values or {}), handlers.seed(rng_seed=rng_key)
    with recorder, given, seed, of_the_model(), behind_blocks(recorder):
        recorder.run.result = model(*args, **kwargs)
    return recorder.run


def quickly(function: Callable, *args: Any) -> Callable:
    """Return the program of a function for such arguments, compiled fast."""
    return jax.jit(function).lower(*args).compile(compiler_options=QUICK)


def quick(function: Callable, *args: Any) -> Any:
    """Return what a function returns under `jit`, compiled fast and run once."""
    return quickly(function, *args)(*args)


@contextlib.contextmanager
def printed(out: Any, err: Any) -> Iterator[None]:
    """Have what is printed in the block go to two streams, that of errors last."""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Keep handlers outside from what runs inside, and warnings and prints from the screen.

    What the generators of Python and NumPy have drawn inside is forgotten.
    """
    python, numpy = random.getstate(), np.random.get_state()
    stack = primitives._PYRO_STACK[:]
    del primitives._PYRO_STACK[:]
    try:
        with warnings.catch_warnings(), printed(io.StringIO(), io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        primitives._PYRO_STACK[:] = stack
        random.setstate(python)
        np.random.set_state(numpy)


@contextlib.contextmanager
def of_the_model() -> Iterator[None]:
    """Mark each error that leaves the block as the model's own; any other is of `examine`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        marked: Any = error
        with contextlib.suppress(AttributeError):
            marked._of_the_model = True
        raise


class TimeUp(BaseException):
    """The time is over; no `except Exception` of a check or a model swallows it."""


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the block after so many seconds, or before it if they are over.

    A block can be stopped in the main thread only.
    """
    if seconds is not None and seconds <= 0:
        raise TimeUp
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: Any) -> None:
        raise TimeUp

    before, begun = signal.signal(signal.SIGALRM, late), time.monotonic()
    left, each = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # a timer of the caller's, such as that of pytest-timeout
            passed = time.monotonic() - begun
            signal.setitimer(signal.ITIMER_REAL, max(left - passed, LATE), each)


def blame(error: BaseException, where: str = "") -> str:
    """Return in words what was raised, and whether the model raised it or `examine`.

    Args:
        error: what was raised.
        where: in which circumstances, such as "under `jit`".
    """
    if getattr(error, "_of_the_model", False):
        frames = frames_of(error)
        at = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
        return f"{where} the model raises {brief(error)}{at}".strip()
    return f"`examine` itself fails with {brief(error)}: please report it"


def frames_of(error: BaseException | None) -> list[traceback.FrameSummary]:
    """Return the lines of the user's through which an error of the model came."""
    if not getattr(error, "_of_the_model", False):
        return []
    mine = Path(__file__).parent
    every = traceback.extract_tb(error.__traceback__ if error else None)
    frames = [frame for frame in every if mine not in Path(frame.filename).parents]
    return [frame for frame in frames if not held.is_library(frame.filename)]


def lines_of(error: BaseException | None) -> str:
    """Return those lines, and the error, as Python prints them; "" of an error not the model's."""
    frames = frames_of(error)
    message = "".join(traceback.format_exception_only(error)) if error else ""
    return "".join(traceback.format_list(frames)) + message if frames else ""


def brief(error: BaseException) -> str:
    """Return an error in one line."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"
