"""How cells become HTML: tracebacks that show their last line, figures that follow the theme."""

from __future__ import annotations

import html
import re

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer, strip_ansi

from trace_evidence.figures import INK, PAPER

PATHS = [
    # A library's file by its place in site-packages, the standard library by its module.
    (re.compile(r"(?:~|/)[^\s:'\"]*/site-packages/"), ""),
    (re.compile(r"(?:~|/)[^\s:'\"]*/lib/python3\.\d+/"), "python/"),
    (re.compile(r"(?:~|/)[^\s:'\"]*/(?=trace_evidence/|stacks/)"), ""),
    (re.compile(r"(?:/[^\s:'\"]*)?/ipykernel_\d+/\d+\.py(?=[:\"])"), "<this cell>"),
]
JAX_ADVICE = re.compile(r"\n-{20,}\nFor simplicity, JAX has removed.*", re.S)
# JAX puts a whole traceback into some messages, which begins with the kernel that runs the cell.
KERNEL_FRAME = re.compile(
    r'^ *File "(?:<frozen runpy>|ipykernel|traitlets|tornado|python/asyncio|IPython).*\n', re.M
)
FRAME = re.compile(r"^ *(?:File |Cell |<this cell>)", re.M)


def without_paths(text: str) -> str:
    """Return a text without the folders of the machine that produced it."""
    for pattern, short in PATHS:
        text = pattern.sub(short, text)
    return text


def split_traceback(lines: list[str], message: str) -> tuple[str, str]:
    """Split a formatted traceback into its frames and its last line, the message.

    Args:
        lines: the traceback as the kernel sent it, with colours.
        message: the exception's text, which may have several lines.

    Returns:
        The frames, and the message with the exception's name in front of it, without the kernel's
        own frames.
    """
    text = without_paths(strip_ansi("\n".join(lines))).strip()
    last = without_paths(strip_ansi(lines[-1]) if lines else message).strip()
    frames = re.sub(r"\n{2,}", "\n\n", text.removesuffix(last).rstrip())
    return JAX_ADVICE.sub("", frames), KERNEL_FRAME.sub("", last)


def themed_svg(svg: str, alt: str, prefix: str) -> str:
    """Return an SVG to stand in the page: the page's colours, alt text, ids that do not clash.

    Args:
        svg: the file as matplotlib wrote it.
        alt: what the figure shows.
        prefix: goes before each id that the drawing refers to.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.S)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{prefix}", svg)
    svg = re.sub(re.escape(INK), "currentColor", svg, flags=re.I)
    svg = re.sub(re.escape(PAPER), "var(--pst-color-background)", svg, flags=re.I)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.S)
    label = html.escape(" ".join(alt.split()), quote=True)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}" class="figure"', 1)


class Renderer(NbElementRenderer):
    """myst-nb's renderer, with the book's tracebacks, figures and warnings."""

    def render_stdout(self, output, cell_metadata, cell_index, source_line):
        """Render what was printed, without this machine's paths."""
        output = {**output, "text": without_paths(output["text"])}
        return super().render_stdout(output, cell_metadata, cell_index, source_line)

    def render_stderr(self, output, cell_metadata, cell_index, source_line):
        """Render warnings, without this machine's paths."""
        output = {**output, "text": without_paths(output["text"])}
        return super().render_stderr(output, cell_metadata, cell_index, source_line)

    def render_text_plain(self, data: MimeData):
        """Render a result, without this machine's paths."""
        data.content = without_paths(data.string)
        return super().render_text_plain(data)

    def render_error(self, output, cell_metadata, cell_index, source_line):
        """Render the frames in a block that opens on demand, and the last line below it."""
        frames, message = split_traceback(output["traceback"], output["evalue"])
        block = self.renderer.create_highlighted_code_block(
            frames, "ipythontb", source=self.source, line=source_line
        )
        block["classes"] += ["output", "traceback"]
        last = nodes.literal_block(message, message, language="text", classes=["error-message"])
        found = [last]
        count = len(FRAME.findall(frames))
        if count:
            summary = f"<summary>Traceback, {count} frame{'s'[: count > 1]}</summary>"
            opening = nodes.raw("", f'<details class="traceback">{summary}', format="html")
            found = [opening, block, nodes.raw("", "</details>", format="html"), last]
        return found

    def render_image(self, data: MimeData):
        """Render an SVG inside the page, where it can take the page's colours."""
        if data.mime_type != "image/svg+xml":
            return super().render_image(data)
        options = self.renderer.get_cell_level_config(
            "render_image_options", data.cell_metadata, line=data.line
        )
        prefix = f"f{data.cell_index}-{data.output_index}-"
        svg = themed_svg(data.string, options.get("alt", ""), prefix)
        # The theme makes what has this class reachable by keyboard where it scrolls.
        box = "figure pst-scrollable-table-container"
        return [nodes.raw("", f'<div class="{box}">{svg}</div>', format="html")]
