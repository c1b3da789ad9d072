"""Narrowing: from what one sees, and where, to at most six failures that it may be.

Nothing is guessed from words, and nothing is claimed. Whoever asks chooses what they see and where
it shows; the entries that share it are ranked, and the library only ranks. `book/_static/narrow.js`
does the same in the browser.
"""

from __future__ import annotations

import sys
import textwrap
from typing import Any

from .triage import Say, address, data, edition, language, words

SEE = {
    "wrong": "A number is wrong: a density, a posterior, a prediction",
    "nan": "NaN or infinity",
    "same": "Values that should differ are equal",
    "stale": "New data, settings or code give the old answer",
    "nothing": "Nothing changes: training, a handler or a setting has no effect",
    "gradient": "A gradient is wrong, zero or too large",
    "slow": "It is slow, or compiles again and again",
    "hang": "It hangs, or never ends",
    "memory": "Memory grows",
    "elsewhere": "Other numbers on another machine, device, release or run",
    "loading": "Wrong after saving and loading",
    "error": "An error stops the program",
}
WHERE = {
    "loop": "a loop: `scan`, `while_loop`, training",
    "vmap": "`vmap`, batches",
    "jit": "`jit`, compilation",
    "grad": "`grad`, custom derivatives",
    "devices": "several devices, sharding",
    "mcmc": "MCMC, NUTS",
    "svi": "SVI, guides",
    "predictive": "`Predictive`, simulation",
    "optimizer": "an optimizer",
    "module": "a module, a class, a pytree",
    "distribution": "distributions, plates, shapes",
    "random": "random keys, seeds",
    "saving": "saving, loading, a cache on disk",
    "arrays": "arrays: indices, dtypes, sums",
}
ERROR = "error"  # what triage is for
MOST = 6
NONE = (
    "None of these? Compute the answer a second way: `trace-evidence examine` does so for a "
    "NumPyro model. Run it without `jit` (`JAX_DISABLE_JIT=1`) and in float64 "
    "(`JAX_ENABLE_X64=1`), and make it smaller until you know the answer by hand. If it is slow, "
    "grows or hangs, read the page Time and memory. Then ask: "
    "https://github.com/jax-ml/jax/discussions, or https://forum.pyro.ai for NumPyro."
)
ASK_SEE, ASK_WHERE = "What do you see?", "Where does it show?"
NUMBER = "number, or Enter: "
HOW = "Say what you see and where it shows, as in %narrow stale mcmc:"
Entry = dict[str, Any]
WRAP = textwrap.TextWrapper(98, break_long_words=False, break_on_hyphens=False)


def silent() -> dict[str, Entry]:
    """Return the entries that somebody without an error may be looking for, cases first."""
    seen = {name: entry for name, entry in data()["explain"].items() if {*entry["see"]} - {ERROR}}
    kinds = ("case", "chapter", "family")
    return {name: entry for kind in kinds for name, entry in seen.items() if entry["kind"] == kind}


def points(entry: Entry, see: str, where: str, library: str) -> float:
    """Return how much an entry shares with what is asked: most where it names it first."""
    worths = {"see": 3.0, "where": 2.0}
    shared = [
        worth * (1.0 if entry[key][0] == asked else 0.7)
        for (key, worth), asked in zip(worths.items(), (see, where))
        if asked in entry[key]
    ]
    return sum(shared) + bool(library and entry["library"] == library)


def rank(entries: dict[str, Entry], see: str = "", where: str = "", library: str = "") -> list[str]:
    """Return the names of the entries that show what is asked, the best first.

    Args:
        entries: the entries by name, in the order that breaks ties.
        see: a key of `SEE`; an entry without it is left out.
        where: a key of `WHERE`, which ranks.
        library: a library's name, which ranks.
    """
    names = [name for name, entry in entries.items() if not see or see in entry["see"]]
    names = [name for name in names if see or where in entries[name]["where"]]
    return sorted(names, key=lambda name: -points(entries[name], see, where, library))


def described(names: list[str], entries: dict[str, Entry], spoken: str = "") -> str:
    """Return entries in words: title, symptom, what decides, and where the book has each."""
    say, lines = words(spoken), []
    for number, name in enumerate(names[:MOST], 1):
        entry = entries[name]
        lines.append(f"{number}. {say(entry['title'])}")
        lines += [f"   {say(entry[key])}" for key in ("symptom", "shows", "question") if entry[key]]
        command = [f"trace-evidence explain {name}"] if entry["kind"] != "chapter" else []
        lines.append("   " + "   ".join([*command, edition(address(entry["page"]), spoken)]))
    return "\n".join([*lines, "", *WRAP.wrap(say(NONE))])


def counted(entries: dict[str, Entry], key: str, see: str = "") -> dict[str, int]:
    """Return how many entries have each of the labels that any has."""
    fits = [entry for entry in entries.values() if not see or see in entry["see"]]
    labels = SEE if key == "see" else WHERE
    counts = {
        label: sum(label in entry[key] for entry in fits) for label in labels if label != ERROR
    }
    return {label: count for label, count in counts.items() if count}


def show(line: str) -> None:
    """List what may be meant: the line magic `%narrow`, with labels of `SEE` and `WHERE`."""
    asked, entries = line.split(), silent()
    see = next((word for word in asked if word in SEE), "")
    where = next((word for word in asked if word in WHERE), "")
    if see or where:
        print(described(rank(entries, see, where), entries, language()))
    else:
        say = words(language())
        print(say(HOW), *labels(say), sep="\n")


def labels(say: Say = str) -> list[str]:
    """Return the labels that may be asked for, a line each, with what they mean."""
    asked = {label: text for label, text in (SEE | WHERE).items() if label != ERROR}
    return [f"  {label:13} {say(text)}" for label, text in asked.items()]


def ask(question: str, counts: dict[str, int], labels: dict[str, str], say: Say = str) -> str:
    """Return the label that somebody at a terminal chooses by its number; empty for none."""
    print(say(question), file=sys.stderr)
    for number, (label, count) in enumerate(counts.items(), 1):
        print(f"{number:3} {say(labels[label])} ({count})", file=sys.stderr)
    print(say(NUMBER), end="", file=sys.stderr, flush=True)
    chosen = sys.stdin.readline().strip()
    if chosen.isdigit() and 0 < int(chosen) <= len(counts):
        return [*counts][int(chosen) - 1]
    return ""
