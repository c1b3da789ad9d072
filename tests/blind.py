"""Rules by which somebody answers predictions who has read no program.

Each gives, for the answers of a question, how much it likes each of them; it chooses among those
that it likes best by chance.
"""

import re
from statistics import mean

from bookkit.predictions import LETTERS, Prediction

REASON = re.compile(r"[:;]|, |\b(because|since|as|so|which|whatever|than)\b")
STACKS = re.compile(r"\bthen\b.*\bnow\b|\bnow\b.*\bthen\b", re.I | re.S)
NONE = re.compile(r"\b(error|fails?|stops?|raises?|refuses?)\b", re.I)
NO = re.compile(r"\b(no|not|nothing|none|never|neither|nobody)\b", re.I)


def at(letter):
    """Return the rule that always takes one letter."""
    return lambda texts: [LETTERS[number] == letter for number in range(len(texts))]


def each(score):
    """Return the rule that takes what scores highest, looking at one answer at a time."""
    return lambda texts: [score(text) for text in texts]


def middle(texts):
    """Like what is neither the longest nor the shortest."""
    lengths = sorted(map(len, texts))
    return [lengths[0] < len(text) < lengths[-1] for text in texts]


def odd(texts):
    """Like the only answer that begins in another way than the others."""
    first = [text.split()[0].lower() for text in texts]
    return [-first.count(word) for word in first]


RULES = {
    "the longest": each(len),
    "the shortest": each(lambda text: -len(text)),
    "the one in the middle": middle,
    **{letter: at(letter) for letter in LETTERS},
    "the last": lambda texts: range(len(texts)),
    "then …; now …": each(lambda text: bool(STACKS.search(text))),
    "then …; now …, else the shortest": each(lambda text: (bool(STACKS.search(text)), -len(text))),
    "the most digits": each(lambda text: len(re.findall(r"\d", text))),
    "the fewest digits": each(lambda text: -len(re.findall(r"\d", text))),
    "the most code": each(lambda text: text.count("`")),
    "a reason": each(lambda text: bool(REASON.search(text))),
    "no reason": each(lambda text: not REASON.search(text)),
    "no reason, else the shortest": each(lambda text: (not REASON.search(text), -len(text))),
    "an error": each(lambda text: bool(NONE.search(text))),
    "no error": each(lambda text: not NONE.search(text)),
    "something is denied": each(lambda text: bool(NO.search(text))),
    "the one that begins differently": odd,
}


def hit(rule, prediction: Prediction) -> float:
    """Return how likely a rule is to choose the right answer of a question."""
    liked = list(rule([text for text, _ in prediction.answers]))
    best = [number for number, score in enumerate(liked) if score == max(liked)]
    right = LETTERS.index(prediction.options["right"])
    return (right in best) / len(best)


def score(rule, asked: list[Prediction]) -> float:
    """Return the share of the questions that a rule answers rightly."""
    return mean(hit(rule, prediction) for prediction in asked)


def chance(asked: list[Prediction]) -> float:
    """Return the share that somebody answers rightly who draws a letter."""
    return mean(1 / len(prediction.answers) for prediction in asked)


def table(asked: list[Prediction]) -> str:
    """Return the rules with what each scores, the best first."""
    rows = sorted(((score(rule, asked), name) for name, rule in RULES.items()), reverse=True)
    return "\n".join(f"{found:.3f} {name}" for found, name in [*rows, (chance(asked), "chance")])
