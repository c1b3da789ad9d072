"""The book's two faces, one for text and one for code, out of packages that are installed.

The site is sent the characters that its pages show; slides, handouts and the PDF's front have the
faces whole. Both licenses allow all of that, and go with the files.
"""

import html
import logging
import shutil
from collections.abc import Iterable
from pathlib import Path

import matplotlib
import sphinx_revealjs
from fontTools import subset

REVEAL = Path(sphinx_revealjs.__file__).parent / "_static" / "revealjs"
SANS = REVEAL / "dist" / "theme" / "fonts" / "source-sans-pro"
MONO = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
CODE = MONO / "DejaVuSansMono.ttf"
# Under the names that book.css has for them.
FACES = {
    "text": SANS / "source-sans-pro-regular.ttf",
    "text-bold": SANS / "source-sans-pro-semibold.ttf",
    "text-italic": SANS / "source-sans-pro-italic.ttf",
    "code": CODE,
}
LICENSES = {"LICENSE-text": SANS / "LICENSE", "LICENSE-code": MONO / "LICENSE_DEJAVU"}


def write_subset(font: Path, characters: set[int], file: Path) -> None:
    """Write a few characters of a font as WOFF, without the name that its license reserves."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    options = subset.Options(
        flavor="woff", hinting=False, layout_features=["kern"], notdef_outline=False
    )
    loaded = subset.load_font(font, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(loaded)
    for record in loaded["name"].names:
        record.string = "Trace Evidence"
    subset.save_font(loaded, file, options)


def write(folder: Path, texts: Iterable[str]) -> None:
    """Write into a folder what pages need of the faces, with their licenses."""
    folder.mkdir(exist_ok=True)
    characters = {ord(one) for text in texts for one in html.unescape(text)}
    for name, font in FACES.items():
        write_subset(font, characters, folder / f"{name}.woff")
    for name, license in LICENSES.items():
        shutil.copyfile(license, folder / f"{name}.txt")
