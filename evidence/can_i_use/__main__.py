"""Compute cells where this interpreter lives: `python -m evidence.can_i_use WANTED`.

`evidence/cells.py` starts it. It runs on stacks old and new, and so imports the libraries alone.
"""

import json
import sys

import jax

from bookkit import can_i_use_record as record
from evidence.can_i_use import constructs, rows

ROOT = record.FOLDER.parent.parent


def cell(law, construct):
    """Return the letter of a cell, and what it said."""
    jax.config.update("jax_enable_x64", False)  # the one before may have turned it on
    try:
        both_ways = getattr(constructs, construct)(law)
        letter = "r" if constructs.right(*both_ways) else "W"
        return letter, " against ".join(map(constructs.first, both_ways[:2]))
    except constructs.No:
        return "-", ""
    except constructs.Unknown as error:  # the table's own fault, and never a red cell
        print(f"{law.__name__} {construct}: no second way: {error}", file=sys.stderr)
        return "?", ""
    except Exception as error:
        words = (str(error).splitlines() or [""])[0].replace(str(ROOT), ".")
        return "X", f"{type(error).__name__}: {words[:150]}"


def measure(wanted):
    """Print a line of JSON for each row that can be made: its name, and its wanted cells."""
    for name, (text, chosen) in wanted.items():
        law = rows.law(name, text)
        try:
            law(constructs.ONE)
        except Exception as error:
            print(f"{name} cannot be made: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            print(
                json.dumps([name, {construct: cell(law, construct) for construct in chosen}]),
                flush=True,
            )


if __name__ == "__main__":
    measure(json.loads(sys.argv[1]))
