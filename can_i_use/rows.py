"""The rows: each distribution as an expression in two numbers, made from `arg_constraints`.

`a`, between 0 and 1, moves the first parameter, and `b` all others. Either may be an array. What
cannot be made from constraints alone stands in `instances.toml`.
"""

import inspect

import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

from . import record, ways

# By event dimensions: the first whose values a parameter's constraint allows is taken.
VALUES = {
    0: ("{v} - 0.3", "0.5 + {v}", "0.2 + 0.6 * {v}", "-1.5 - {v}", "5"),
    1: ("vector({v})", "positives({v})", "simplex({v})"),
    2: ("triangle({v})", "covariance({v})", "correlation({v})", "cholesky(correlation({v}))"),
}


def evaluated(text, **names):
    """Return the value of an expression of a row."""
    return eval(text, {**vars(ways), **names})


def fitting(constraint):
    """Return an expression in `{v}` that a constraint allows, or None where none is known."""
    try:
        texts = VALUES.get(constraint.event_dim, ())
    except NotImplementedError:  # it depends on other parameters
        return None
    for text in texts:
        values = [evaluated(text.format(v=v)) for v in (0.1, 0.5, 0.9)]
        if all(np.all(constraint(jnp.asarray(value))) for value in values):
            return text
    return None


def of_class(name, kind):
    """Return the rows of a class: one, or one for each of the parameters that replace another."""
    given, others = {}, {}
    for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        constraint = kind.arg_constraints.get(parameter.name)
        if constraint is not None:
            into = others if parameter.default is None else given
            into[parameter.name] = fitting(constraint)
    rows = {}
    for other in others or (None,):
        parts, free = [], "a"
        for parameter, text in {**given, **({other: others[other]} if other else {})}.items():
            parts.append(f"{parameter}={str(text).format(v=free)}")
            free = "b" if "{v}" in str(text) else free
        rows[f"{name}[{other}]" if other else name] = f"dist.{name}({', '.join(parts)})"
    return rows


def law(name, text):
    """Return the function of `a` and `b` that a row means."""
    made = evaluated(f"lambda a, b=0.5: {text}")
    made.__name__, made.scipy = name, record.instances()["scipy"].get(name, "")
    return made


def problem(name, text):
    """Return why a row cannot be used on this stack, or nothing where it can.

    A row that was made from constraints must also give four distributions from four parameters.
    """
    try:
        made = law(name, text)
        if made(ways.ONE).batch_shape != ():
            return f"its batch shape is {made(ways.ONE).batch_shape}"
        if name not in record.instances()["by_hand"]:
            four = made(ways.many(4))
            shape = np.shape(four.log_prob(four.sample(ways.KEY)))
            return "" if shape == (4,) else f"its batch shape is {shape} for four parameters"
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def load():
    """Return the expression of each row that this stack's NumPyro may have."""
    known = record.instances()
    named = {key.split("(")[0] for key in known["by_hand"]} | {*known["left_out"]}
    made = dict(known["by_hand"])
    for name, kind in vars(dist).items():
        if inspect.isclass(kind) and issubclass(kind, dist.Distribution):
            made = (of_class(name, kind) if name not in named else {}) | made
    return {name: made[name] for name in sorted(made)}
