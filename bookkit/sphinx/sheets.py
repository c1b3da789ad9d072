"""The style sheet of the site: one file, with what its pages use. Loaded by Sphinx.

The theme and its extensions send ten sheets with each page, and a page is not painted before the
last of them is there. The theme sends every icon of Font Awesome, too, to show twenty.
"""

import posixpath
import re
from hashlib import sha256
from pathlib import Path

from sphinx.application import Sphinx

from bookkit import faces

# The links of a page to its sheets, in the order in which they hold, but for what stands alone.
LINKS = re.compile(
    r'(?:<link (?=[^>]*rel="stylesheet")[^>]*href="(?:[^"]*/)?_static/(?!no-scripts)[^>]*>\s*)+'
)
LINK = re.compile(r'href="([^"]*?_static/)([^"?]+)')
NAME = "site.css"
IMPORT = re.compile(r'@import "([^"]+)";')
ADDRESS = re.compile(r"(?<=url\()[^)\"':]+(?=\))")
# A rule of the theme's style sheet that gives an icon its character.
ICON = re.compile(r'\.fa-[\w-]+:before\{content:"\\([0-9a-f]+)"\}')
FONT = re.compile(r'url\(([^)]*)\.woff2\) format\("woff2"\),url\([^)]*\.ttf\) format\("truetype"\)')
# The theme's colours follow an attribute of the page, which only a script can set.
LIGHT = re.compile(r"\[data-theme=\"?light\"?\]")
DARK_RULE = re.compile(r"(?<=[}/;])([^{}@;]*\[data-theme=\"?dark\"?\][^{}]*)\{([^{}]*)\}")
# What holds on paper alone, with its rules.
ON_PAPER = re.compile(r"@media print\s*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
# What the theme and Sphinx put into the site and no page asks for.
UNUSED = (
    "**/*.map", "*webpack-macros.html", "scripts/fontawesome.js", "sphinx-thebe.*",
    "design-tabs.js", "sphinx-design.*",
)  # fmt: skip


def used_names(site: Path) -> set[str]:
    """Return the classes of the site's pages, and all words of its scripts, which set classes."""
    scripts = [file for file in site.rglob("*.js") if file.name != "searchindex.js"]
    names = {name for file in scripts for name in re.findall(r"[\w-]+", file.read_text())}
    for page in site.rglob("*.html"):
        for classes in re.findall(r'class="([^"]*)"', page.read_text()):
            names.update(classes.split())
    return names


def used_rules(text: str, names: set[str]) -> str:
    """Return a style sheet without the selectors that need a class which nothing has."""

    def is_used(selector: str) -> bool:
        asked = re.sub(r":(not|is|where|has)\([^()]*\)", "", selector)
        return "(" in asked or "\\" in asked or names.issuperset(CLASS.findall(asked))

    def keep(rule: re.Match) -> str:
        if "@" in rule[1]:
            return rule[0]
        used = ",".join(filter(is_used, re.split(r",(?![^(]*\))", rule[1])))
        return f"{used}{{{rule[2]}}}" if used else ""

    return RULE.sub(keep, COMMENT.sub("", text))


def read(static: Path, name: str) -> str:
    """Return a sheet and those that it imports, with addresses as from the folder of all."""
    folder = posixpath.dirname(name)

    def place(address: str) -> str:
        return posixpath.normpath(posixpath.join(folder, address))

    text = (static / name).read_text().replace('@charset "UTF-8";', "")
    text = ADDRESS.sub(lambda match: place(match[0]), text)
    return IMPORT.sub(lambda match: read(static, place(match[1])), text)


def dark_without_scripts(text: str) -> str:
    """Return what holds in the dark once more, for a page whose theme is `auto`."""
    dark = []
    for selectors, rules in DARK_RULE.findall("}" + ON_PAPER.sub("", text)):
        own = [
            selector
            for selector in re.split(r",(?![^(]*\))", selectors)
            if "data-theme" in selector
        ]
        auto = ",".join(own).replace('"dark"', "dark").replace("=dark]", "=auto]")
        dark.append(f"{auto.strip()}{{{rules.strip()}}}")
    return "\n".join(dark) + "\n"


def write_icons(static: Path, text: str) -> str:
    """Write the fonts with the icons that a sheet names; return the sheet that asks for those."""
    characters = {int(code, 16) for code in ICON.findall(text)}
    for font in static.glob("vendor/fontawesome/webfonts/*.ttf"):
        faces.write_subset(font, characters, font.with_suffix(".woff"))
        font.unlink()
        font.with_suffix(".woff2").unlink()
    return FONT.sub(r'url(\1.woff) format("woff")', text)


def make_one(app: Sphinx, exception: Exception | None) -> None:
    """Put the sheets of the built site into one, and have each page ask for that.

    Colours follow an attribute of the page that says `auto` until a script has run. So light holds
    for all that is not dark, and dark stands once more in a sheet for pages without scripts.
    """
    if exception or app.builder.name != "html":
        return
    site, static = Path(app.outdir), Path(app.outdir, "_static")
    for pattern in UNUSED:
        for file in static.glob(pattern):
            file.unlink()
    texts = {file: file.read_text() for file in site.rglob("*.html")}
    # A page that was not written now has the one sheet already; the search is always written.
    lists = [LINK.findall(match[0]) for text in texts.values() if (match := LINKS.search(text))]
    names = [name for _, name in max(lists, key=len)]
    text = used_rules("\n".join(read(static, name) for name in names), used_names(site))
    text = faces.embed(write_icons(static, text), texts.values())
    faces.copy_licenses(static)
    (static / "no-scripts-dark.css").write_text(dark_without_scripts(text))
    text = LIGHT.sub(":not([data-theme=dark])", text)
    (static / NAME).write_text(text)
    mark = sha256(text.encode()).hexdigest()[:8]
    for file, page in texts.items():
        if match := LINKS.search(page):
            ((up, _), *_) = LINK.findall(match[0])
            link = f'<link rel="stylesheet" href="{up}{NAME}?v={mark}">\n'
            file.write_text(page.replace(match[0], link, 1))
    for sheet in static.rglob("*.css"):
        if sheet.name != NAME and not sheet.name.startswith("no-scripts"):
            sheet.unlink()


def setup(app: Sphinx) -> dict:
    """Register it with Sphinx."""
    app.connect("build-finished", make_one, priority=900)
    return {"parallel_read_safe": True, "version": "1"}
