"""The numbers of the prose, in digits and in words, and what holds each: `counts.txt`.

The few that nothing holds are `listed` there, and stand in `prose.toml` with the reason.
"""

import re
from math import prod
from pathlib import Path

from bookkit import pages
from tests.sources import everything, squeeze

FILE = Path(__file__).parent / "counts.txt"
LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)|<https?:[^>]*>")
VALUES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
VALUES |= {"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30}
VALUES |= {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
VALUES |= {"twice": 2, "half": 2}
WORD = rf"(?:{'|'.join(VALUES)})\b(?!-)"
RELEASE = r"\d+\.\d+\.\d+"
FORMULA = r"\$(?=[^\s$])[^$]*?[\d/*+][^$]*\$|\$[^$]+\$"
DIGITS = r"\d[\d,]*(?:\.\d+)?(?![\w.]*\w)"
FOUND = re.compile(
    rf"``.+?``|`[^`]+`|(?<![\w.-]){RELEASE}|{FORMULA}|(?<![\w-])(?:{WORD}(?:[ -](?={WORD}))?)+"
    rf"|(?<![\w.#-])-?{DIGITS}",
    re.I,
)
REFUSED = re.compile(r"[Tt]he\s+check\s+refuses\s[^.:]*?(\w+)\s+more\s+answers")
FORM = re.compile(r"(?:(sources|prose|files|file)(?: (\S+))?: )?(count: )?(.*)")
NUMERIC = re.compile(r"`(?=.*\d)(?!.*[A-Za-z_]{2}).*`")  # code without a name, such as a shape


def prose(path):
    """Return a page's text without its front matter, its fenced blocks and the numbers of lists."""
    text = path.read_text()
    text = pages.FENCE.sub("", text.split("\n---", 1)[-1] if text.startswith("---") else text)
    return re.sub(r"^\d+\. ", "", text, flags=re.M)


def pages_with_numbers():
    """Return the pages whose numbers are listed: all but the instructor's guide.

    The guide retells the chapters; tests of its own hold its minutes and what it names.
    """
    found = [path for path in sorted(pages.BOOK.rglob("*.md")) if path.stem != "instructor-guide"]
    return [path for path in found if phrases(path)]


def phrases(path):
    """Return the numbers of a page's prose in order, each with the word that follows it.

    Code, releases, the names of threads and how many answers a check refuses are held by tests of
    their own.
    """
    text = LINK.sub(lambda found: "" if "github.com" in found[0] else found[1] or "", prose(path))
    text = squeeze(REFUSED.sub(" ", text))
    found = []
    for match in FOUND.finditer(text):
        if match[0][0] == "`":
            if NUMERIC.fullmatch(match[0]):
                found.append(match[0])
            continue
        if re.fullmatch(RELEASE, match[0]):
            continue
        if match[0][0] == "$" and not re.search(r"[\d/+\\-]", match[0]):
            continue
        number = match[0].strip().rstrip(",")
        after = re.match(r"[- ]?(\w+)", text[match.start() + len(number) :])
        found.append(f"{number} {after[1]}" if after and number[0] != "$" else number)
    return found


def listed():
    """Return {page: [(phrase, what holds it)]} as the file has them."""
    found = {}
    for block in re.split(r"^\[([\w-]+)\]\n", FILE.read_text(), flags=re.M)[1:]:
        if re.fullmatch(r"[\w-]+", block):
            page = found.setdefault(block, [])
        else:
            page += [tuple(row.split(" | ", 1)) for row in block.splitlines() if " | " in row]
    return found


def value(phrase):
    """Return the number of a phrase: `four hundred days` gives 400."""
    words = re.findall(rf"{WORD}", phrase.lower())
    if words:
        return prod(VALUES[word] for word in words)
    return float(re.match(r"-?\d[\d,]*(?:\.\d+)?", phrase)[0].replace(",", ""))


def shows(witness, number):
    """Tell whether a text shows a number: in digits, in words, or by as many parts."""
    digits = re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", witness.replace("_", ""))
    digits += re.findall(r"-\d+(?:\.\d+)?", witness)
    words = [VALUES[word] for word in re.findall("[a-z]+", witness.lower()) if word in VALUES]
    return number in [*map(float, digits), *words, len(re.split(r",|==| [-+] ", witness))]


def unheld(phrase, witness, shown, page=""):
    """Return why a phrase is not held by its witness, or nothing.

    Args:
        phrase: the number and the word after it.
        witness: `listed` (see `prose.toml`), `itself`, `files: ` and a pattern of names, or a text
            of the page's cells, outputs or record that shows the number. `count: ` before it makes
            it a regular expression that is found so many times; before that stands where it is
            looked for instead: `sources: `, `prose: ` or `file NAME: `.
        shown: the page's cells, outputs and record.
        page: all of the page.
    """
    if witness == "listed":
        return ""
    if witness == "itself":
        return "" if phrase.strip("`") in shown else f"{phrase} is nowhere on the page"
    kind, name, counts, text = FORM.fullmatch(witness).groups()
    if kind == "files":
        number = len(list(pages.ROOT.glob(text)))
        return "" if number == value(phrase) else f"{phrase!r}: {text} are {number} files"
    where = {"sources": everything, "prose": lambda: page, None: lambda: shown}
    looked = (pages.ROOT / name).read_text() if kind == "file" else where[kind]()
    if counts:
        number = len(re.findall(text, looked, re.M))
        return "" if number == value(phrase) else f"{phrase!r}: {text!r} is there {number} times"
    if text not in looked and text not in squeeze(looked):
        return f"{phrase!r} rests on {text!r}, which is not there any more"
    if phrase[0] not in "$`" and not shows(text, value(phrase)):
        return f"{phrase!r} rests on {text!r}, which shows another number"
    return ""
