"""The rows: each distribution as an expression in two numbers, made from `arg_constraints`.

`a`, between 0 and 1, moves the first parameter, and `b` all others. Either may be an array. What
cannot be made from constraints alone stands in `instances.toml`.
"""

import inspect

import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

from bookkit import can_i_use_record as record

from . import constructs

# By event dimensions: the first whose values a parameter's constraint allows is taken.
VALUES = {
    0: ("{v} - 0.3", "0.5 + {v}", "0.2 + 0.6 * {v}", "-1.5 - {v}", "5"),
    1: ("vector({v})", "positives({v})", "simplex({v})"),
    2: ("triangle({v})", "correlation({v})"),
}


def law(name, text):
    """Return the function of `a` and `b` that a row means."""
    made = eval(f"lambda a, b=0.5: {text}", vars(constructs))
    made.__name__, made.scipy = name, record.INSTANCES["scipy"].get(name, "")
    made.far = record.INSTANCES["far"].get(name, "")
    return made


def fitting(constraint):
    """Return an expression in `{v}` that a constraint allows, or None where none is known."""
    dependent = dist.constraints.is_dependent(constraint)
    for text in () if dependent else VALUES.get(constraint.event_dim, ()):
        values = map(law("value", text.format(v="a")), (0.1, 0.5, 0.9))
        if all(np.all(constraint(jnp.asarray(value))) for value in values):
            return text
    return None


def of_class(name, kind):
    """Return the rows of a class: one, or one for each of the parameters that replace another."""
    signature = inspect.signature(kind).parameters.items()
    defaults = {
        key: parameter.default for key, parameter in signature if key in kind.arg_constraints
    }
    others = [key for key, default in defaults.items() if default is None]
    rows = {}
    for other in others or [None]:
        chosen = [key for key in defaults if key not in others or key == other]
        given = ", ".join(f"{key}={fitting(kind.arg_constraints[key])}" for key in chosen)
        given = given.replace("{v}", "a", 1).replace("{v}", "b")
        rows[f"{name}[{other}]" if other else name] = f"dist.{name}({given})"
    return rows


def load():
    """Return the expression of each row that this stack's NumPyro may have."""
    made = record.INSTANCES["by_hand"]
    named = {key.split("(")[0] for key in made} | {*record.INSTANCES["left_out"]}
    for name, kind in vars(dist).items():
        if inspect.isclass(kind) and issubclass(kind, dist.Distribution) and name not in named:
            made = of_class(name, kind) | made
    return {name: made[name] for name in sorted(made)}
