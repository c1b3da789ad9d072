"""What a cache keeps of the keys that it is given: one entry for keys that are the same to it."""

from collections.abc import Hashable, Mapping, Sequence

from ..steps import ACCENT, GREEN, MARGIN, Panel, Steps

WIDE, APART = 30, 44
"""How wide a key is drawn, and how far apart keys are."""


def entries_of(keys: Sequence[object]) -> list[int]:
    """Return the number of the entry that each key finds or makes; none where a key has no hash."""
    entries: dict[Hashable, int] = {}
    try:
        return [entries.setdefault(key, len(entries)) for key in keys]
    except TypeError:
        return []


def panel_of(name: str, keys: Sequence[object]) -> tuple[Panel, str]:
    """Draw keys in a row, each with a line to its entry below, and say how many entries there are.

    Args:
        name: what the keys are.
        keys: what a cache is asked for, in this order.
    """
    panel, entries = Panel(name), entries_of(keys)
    for place in range(len(keys)):
        look = {} if entries else {"color": ACCENT, "dashed": True}
        panel.box(MARGIN + APART * place, 34, WIDE, 20, **look)
    for entry in sorted(set(entries)):
        panel.box(MARGIN + APART * entry, 84, WIDE, 20, color=GREEN, tinted=True)
    for place, entry in enumerate(entries):
        ends = [MARGIN + APART * each + WIDE / 2 for each in (place, entry)]
        panel.line([(ends[0], 55), (ends[1], 83)], arrow=True)
    panel.height = 110
    count = len(set(entries))
    says = f"{len(keys)} keys, {count} {'entry' if count == 1 else 'entries'}"
    says = says if entries else "no hash: the first one fails"
    panel.say(says, color=GREEN if entries else ACCENT)
    return panel, f"{name}: {says}"


def draw(groups: Mapping[str, Sequence[object]]) -> Steps:
    """Draw what a cache keeps of several rows of keys.

    Args:
        groups: the keys of each row, by what they are.
    """
    panels, alts = zip(*(panel_of(name, keys) for name, keys in groups.items()), strict=True)
    figure = Steps(
        "Keys in the upper row, and below them what a cache keeps. Where a key finds no entry, JAX "
        "traces and makes one. Which keys find one?"
    )
    figure.add("", f"Rows of keys, with a line from each to its entry. {'. '.join(alts)}.", *panels)
    return figure
