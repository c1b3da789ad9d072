"""The book's two faces, one for text and one for code, out of packages that are installed.

The site is sent the characters that its pages show; slides, handouts and the PDF's front have the
faces whole. Both licenses allow all of that, and go with the files.
"""

import base64
import html
import io
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
LICENSES = {"LICENSE-text.txt": SANS / "LICENSE", "LICENSE-code.txt": MONO / "LICENSE_DEJAVU"}


def write_subset(font: Path, characters: set[int], file: Path | io.BytesIO) -> None:
    """Write a few characters of a font as WOFF, without the name that its license reserves."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    options = subset.Options(
        flavor="woff", hinting=False, layout_features=["kern"], notdef_outline=True
    )
    loaded = subset.load_font(font, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(loaded)
    for record in loaded["name"].names:
        record.string = "Trace Evidence"
    subset.save_font(loaded, file, options)


def embed(sheet: str, texts: Iterable[str]) -> str:
    """Return a style sheet that names the faces, with what pages need of them in it.

    So text has its face when it is first drawn, also in a copy on a disk, and nothing moves.
    """
    characters = {ord(character) for text in texts for character in html.unescape(text)}
    for name, font in FACES.items():
        file = io.BytesIO()
        write_subset(font, characters, file)
        packed = base64.b64encode(file.getvalue()).decode()
        sheet = sheet.replace(f"url({name}.woff)", f"url(data:font/woff;base64,{packed})")
    return sheet


def copy_licenses(folder: Path) -> None:
    """Put the licenses of the faces where the faces are."""
    for name, license in LICENSES.items():
        shutil.copyfile(license, folder / name)
