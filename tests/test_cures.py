"""A cure runs code of its own: what JAX traced for the failing program cannot answer in its place.

JAX keeps what it traced under the function itself. A cure that hands a function of the failing
program to `jit` or to a loop once more may be given the old trace, and then shows nothing. So
whatever a cure asserts comes from a function or class that is made in the cure, and so does one of
the functions in each call that keeps a trace. `ANEW` lists the cells where it is not so, with the
code that runs there and why it is new. Nothing is executed.
"""

import ast
from functools import cache

import pytest

from bookkit import pages, records

# The places of the functions among the arguments of what keeps a trace.
KEEPS = {"jit": [0], "filter_jit": [0], "eval_shape": [0], "make_jaxpr": [0], "scan": [0]}
KEEPS |= {"map": [0], "while_loop": [0, 1], "fori_loop": [2], "cond": [1, 2], "switch": [1]}
# What returns a new function at each call.
WRAPS = {"vmap", "grad", "value_and_grad", "partial", "Partial", "seed", "do", "reparam", "scope"}
WRITTEN = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
SECTIONS = {"cases": "Cure", "failures": "Fix it"}
PAGES = [path for path in sorted(records.CASES.glob("*.md")) if path.stem != "index"]
PAGES += sorted(pages.FAILURES.glob("*.md"))

ANEW = {
    "buffer-refilled": {"assert cured == expected": "it copies an array, and calls no function"},
    "cache-writes-nothing": {
        "assert cured == expected": "it makes new functions, and counts files"
    },
    "filter-jit-equal-number": {
        "scale(jnp.float32(2.0), count)": "an array is no static argument, so it has no old trace",
    },
    "guide-keeps-arguments": {
        "Predictive(growth, drawn": "it runs the model, and the program the guide",
    },
    "jit-broken-after-leak": {"density.clear_cache()": "the cure is to throw the old trace away"},
    "jit-model-args-first-data": {"assert np.isclose(cured": "it makes a sampler of its own"},
    "mcmc-keeps-data": {"assert cured == expected": "it makes a sampler of its own, and counts"},
    "predictive-returns-data": {
        "assert np.allclose(cured": "`Predictive` gets other arguments, and traces anew",
        "assert outside.sum()": "it counts in NumPy",
    },
    "leaf-order": {"SAVE = ": "the text of another program, which two other processes run"},
    "leaf-order-compile-cache": {"SCORE = ": "the text of another function, for two processes"},
    "list-field": {"River((1.0, 2.0))": "the program stops at the list before it traces"},
    "one-guide-one-start": {
        "start(make_svi(), key)": "a new guide at each call, and `init` is not jitted",
        "init_params=": "the starts that the cell itself gives come back",
    },
    "own-seed-in-predictive": {
        "cured = predictive_deviation(model)": "`Predictive` runs what it is given, without `jit`",
    },
    "recompiles-every-call": {"jax.jit(drain)": "the cure is this `jit`: its compilations count"},
    "slowest-lane": {
        "lax.map(place": "the `jit` around it is new, and the loop is counted as it runs",
    },
    "static-argument": {
        "polynomial((1.0, 2.0, 3.0), 2.0)": "the program stops at the list before it traces",
        "polynomial.__wrapped__": "the function below the `jit`, which nothing has traced",
    },
    "static-callables-pile-up": {"jax.jit(apply)": "other arguments: no function is static"},
    "straight-walk": {"scan(step, 0.0": "NumPyro's `scan` gives JAX a new function at each call"},
    "vmap-built-distribution": {"station(means)": "the function is called, and nothing traced"},
    "wrong-field-named": {
        "jax.eval_shape(advance, init": "the step stays: the cure compares what it returns",
        "State(0, jnp.zeros(()))": "a start of another structure, so another trace",
    },
}


def cells_of(path):
    """Return the cells (line, code) of a page before its cure, and those of the cure."""
    before, cure = [], []
    for cell in records.cells_of(path):
        rows = ["" if row.startswith("%") else row for row in cell.code.splitlines()]
        if cell.section == SECTIONS[path.parent.name]:
            cure.append((cell.line, "\n".join(rows)))
        elif not cure:
            before.append((cell.line, "\n".join(rows)))
    return before, cure


@cache
def parts(node):
    """Return the nodes of a tree, walked once."""
    return list(ast.walk(node))


@cache
def reads(node):
    """Return the names that a node reads."""
    return {n.id for n in parts(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


@cache
def binds(statement):
    """Return the names that a statement binds, or whose object it changes by a method."""
    found = set()
    for node in parts(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        method = node.func if isinstance(node, ast.Call) else None
        if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name):
            found.add(method.value.id)
    return found


@cache
def writes(node):
    """Tell whether a node has a function, a class or a lambda."""
    return any(isinstance(n, WRITTEN) for n in parts(node))


@cache
def calls(node):
    """Return the last names of what a node calls; of what wraps, where it is given a function."""
    called = [n for n in parts(node) if isinstance(n, ast.Call)]
    return {last_name(n) for n in called if n.args or last_name(n) not in WRAPS}


def reached(wanted, statements):
    """Return the statements that the values of some names come from."""
    wanted, left, found = set(wanted), list(statements), []
    while more := [statement for statement in left if binds(statement) & wanted]:
        found += more
        left = [statement for statement in left if statement not in more]
        wanted |= set().union(*map(reads, more))
    return found


def last_name(call):
    """Return the name of what is called, without what stands before its last dot."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def stale(before, cure):
    """Return [(line, code)] of what the cells of a cure take from the program's functions alone."""
    jitted, makers = set(), set()
    for statement in (statement for _, code in before for statement in ast.parse(code).body):
        made = getattr(statement, "decorator_list", [getattr(statement, "value", None)])
        if any(part and "jit" in ast.unparse(part) for part in made):
            jitted |= binds(statement)
        elif isinstance(statement, ast.FunctionDef) and any(map(writes, statement.body)):
            makers.add(statement.name)  # it makes a new function at each call
    known, found = [], []

    def is_new(node):
        """Tell whether a node has, or comes from, a function or class that is made in the cure."""
        tree = [node, *reached(reads(node), known)]
        return any(writes(part) or calls(part) & (WRAPS | makers) for part in tree)

    for line, code in cure:
        body = ast.parse(code)
        known += body.body
        given = {n.arg for n in parts(body) if isinstance(n, ast.arg)}
        for node in parts(body):
            made_here = [True]
            if isinstance(node, ast.Assert):
                made_here = map(is_new, reached(reads(node.test) - {"expected"}, known))
            elif isinstance(node, ast.Call) and reads(node.func) & jitted - binds(body):
                made_here = map(is_new, node.args)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                places = KEEPS.get(last_name(node), [])
                functions = [node.args[i] for i in places if i < len(node.args)]
                made_here = [reads(each) & given or is_new(each) for each in functions] or [True]
            if not any(made_here):
                found.append((line, ast.unparse(node)))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_cure_runs_functions_of_its_own_or_says_why_its_code_is_new(path):
    before, cure = cells_of(path)
    assert cure, f"{path.name} has no cell in its cure"
    listed, codes = ANEW.get(path.stem, {}), dict(cure)
    found = stale(before, cure)
    assert set(ANEW) <= {one.stem for one in PAGES}
    wrong = [(line, code) for line, code in found if not any(key in codes[line] for key in listed)]
    assert not wrong, (
        f"{path.name}: the cure may be given what JAX traced for the program: {wrong}. Define the "
        "function anew in the cure, or say in ANEW which code is new, and why."
    )
    for key in listed:
        assert any(key in codes[line] for line, _ in found), f"{path.stem}: not needed: {key}"


PROGRAM = [(1, "def drain(x):\n    return leak(x)\nfast = jax.jit(drain)\ngot = fast(1.0)")]


@pytest.mark.parametrize(
    ("cure", "count"),
    [
        ("def drain(x):\n    return x\ncured = jax.jit(drain)(1.0)\nassert cured == expected", 0),
        ("cured = jax.jit(jax.vmap(drain))(xs)\nassert cured == expected", 0),
        ("cured = jax.jit(drain)(1.0)\nassert cured == expected", 2),
        ("cured = fast(1.0)\nassert cured == expected", 2),
        ("cured, _ = lax.scan(drain, 0.0, xs)\nassert cured == expected", 2),
        ("end = lambda x: x\ncured = lax.while_loop(end, drain, 0)\nassert cured == 1", 0),
        ("cured = got\nassert cured == expected", 1),
    ],
)
def test_a_cure_that_may_be_answered_by_an_old_trace_is_seen(cure, count):
    assert len(stale(PROGRAM, [(9, cure)])) == count


def test_a_cure_of_the_book_that_uses_the_failing_function_again_is_seen(tmp_path):
    path = pages.CASES / "lru-cache.md"
    text = path.read_text()
    new = text.replace("jax.jit(cured_density)(1.0)", "jax.jit(log_density)(1.0)")
    assert new != text
    assert not stale(*cells_of(path))
    again = tmp_path / "cases" / "again.md"
    again.parent.mkdir()
    again.write_text(new)
    assert [code for _, code in stale(*cells_of(again))] == ["jax.jit(log_density)"]
