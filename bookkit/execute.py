"""Execute each page once, for tests and book alike.

Pages are read with myst-nb's own reader and kept in the jupyter-cache that the book build
uses, so whoever comes second finds the outputs there. jupyter-cache looks at cell sources and
metadata only; each stack has a cache of its own, and `package_of` is what else outputs depend on.
One process at a time executes pages.
"""

import ast
import contextlib
import fcntl
import hashlib
import itertools
import os
import platform
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.db import OrmBase
from jupyter_cache.cache.main import JupyterCacheBase
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sqlalchemy.exc import DatabaseError
from traitlets.config import Config

from trace_evidence import checkout
from trace_evidence.then import REQUIRED_VARIABLE

from . import kernels, pages, shell

CACHE = pages.BUILD / ".jupyter_cache"
BUILT = pages.BUILD / "site.txt"  # what the site was built from: see `build.py`
REPORTS = "from trace_evidence import examine"  # in a page that prints what is said of cases
EXAMINE = pages.ROOT / "examine" / "examine_model"
# Modules of the reader's package, and folders, that count only for pages that name or import them.
FEW = {
    *("__main__", "avoid", "can_i_use", "checkout", "checks", "comparison", "drawings"),
    *("exercises", "explain", "steps", "narrowing", "triage", "watching"),
}
# How code names a module where it is not by its name. All pages load the package, not all it has.
NAMED = {
    **{"__init__": r"(?!)", "both": "%%both", "exercises": r"%check\b", "watching": r"\bwatch\b"}
}
JOBS = 2
CELL_SECONDS = 300  # the limit of each cell


def digest(files: Iterable[Path]) -> str:
    """Return one hash of files, by name and content, of Python's version and of the machine's."""
    hashed = hashlib.sha256((platform.python_version() + shell.key()).encode())
    for file in files:
        hashed.update(str(file.relative_to(pages.ROOT)).encode() + file.read_bytes())
    return hashed.hexdigest()


def package() -> list[Path]:
    """Return the files of the reader's package."""
    home = pages.ROOT / "trace_evidence"
    return sorted(path for kind in ("*.py", "*.mplstyle", "*.md") for path in home.rglob(kind))


@cache
def imported(path: Path, text: str) -> list[Path]:
    """Return what a module of the reader's package, as its text says, imports from the package."""
    names: list[Path] = []
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a page that imports it says so
        return []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1]
            names += [base / name.name for name in node.names]
            if node.module:
                base = base.joinpath(*node.module.split("."))
                names += [base, *(base / name.name for name in node.names)]
    files = (file for name in names for file in (name.with_suffix(".py"), name / "__init__.py"))
    return [file for file in files if file.exists()]


def package_of(notebook: NotebookNode) -> str:
    """Return one hash of the files of the reader's package that a page's cells may use.

    Each file counts, but for those of `FEW`: they count for the pages whose code names them, or
    names what imports them. An exercise counts for the page that has its label.
    """
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    names = {path: path.parent.name if path.parent.name in FEW else path.stem for path in package()}

    def is_named(path: Path) -> bool:
        name = path.stem if path.suffix == ".md" else names[path]
        return bool(re.search(NAMED.get(name, rf"\b{name}\b"), code))

    used = [*filter(is_named, names)]
    for path in used:  # which grows
        if path.suffix == ".py":
            used += [module for module in imported(path, path.read_text()) if module not in used]
    each = [path for path in names if path.suffix != ".md" and names[path] not in FEW]
    return digest(sorted({*each, *used})) + (digest_of_quoted() if REPORTS in code else "")


def digest_of_quoted() -> str:
    """Return a hash of `examine` and of the entries that it quotes: of cases and of chapters."""
    quoted = sorted([*pages.CASES.glob("*.md"), *pages.FAILURES.glob("*.md")])
    fronts = [path.read_text().partition("\n---")[0] for path in quoted]
    code = digest(sorted(EXAMINE.rglob("*.py")))
    return hashlib.sha256("".join([code, *fronts]).encode()).hexdigest()


def open_cache(path: Path = CACHE) -> JupyterCacheBase:
    """Return the cache of the pages that the locked stacks have executed, in a folder of caches."""
    shell.RUNTIME.mkdir(exist_ok=True)
    folder = path / digest(checkout.files("outputs", pages.ROOT))
    for _ in range(2):
        cache = get_cache(folder)
        try:
            OrmBase.metadata.create_all(cache.db)  # a full disk leaves the index without tables
            cache.list_cache_records()
            break
        except DatabaseError:
            print(f"The cache {path.name} is damaged: its pages are executed again.")
            shutil.rmtree(folder)
    return cache


@contextlib.contextmanager
def alone(
    path: Path, report: Callable[[str], None] = print, does: str = "executes pages"
) -> Iterator[None]:
    """Hold a folder; who wants it meanwhile says who holds it and what that one does, and waits."""
    with path.with_name(f"{path.name}.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            report(f"waiting for {lock.read()}, which {does} …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"process {os.getpid()} ({' '.join(sys.orig_argv[1:3])})")
        lock.flush()
        yield


@dataclass
class Execution:
    """An executed chapter."""

    notebook: NotebookNode  # with its outputs, as far as it ran
    seconds: float | None = None  # wall time, None where it came from the cache
    stopped_at: int | None = None  # the index of the cell that ended the run early, if one did
    reason: str = ""  # why it ended early, in words


def run_chapter(path: Path, notebook: NotebookNode, cell_seconds: int = 0) -> Execution:
    """Execute a chapter on a fresh kernel, over IPC, with the kernel `then` mandatory."""
    started, cell_seconds = [], cell_seconds or CELL_SECONDS
    # Socket paths are limited to about 100 characters, so they live in a short folder.
    # What the kernels leave there, such as the sockets of `then`, goes with it.
    with tempfile.TemporaryDirectory(prefix="book-", ignore_cleanup_errors=True) as folder:
        connection = {"transport": "ipc", "connection_file": f"{folder}/kernel.json"}
        manager = kernels.manager_class()
        client = NotebookClient(
            notebook,
            timeout=cell_seconds,
            record_timing=False,  # it would go into the metadata, and so into the cache key
            resources={"metadata": {"path": str(path.parent)}},
            config=Config({"KernelManager": connection}),
            kernel_manager_class=manager,
            on_cell_execute=lambda cell, cell_index: started.append(cell_index),
        )
        begin = time.monotonic()
        reason = ""
        try:
            client.execute(env={**os.environ, REQUIRED_VARIABLE: "1", "TMPDIR": folder})
        except CellExecutionError as error:
            reason = f"{error.ename} that the cell does not declare: {error.evalue}"
        except CellTimeoutError:
            reason = f"the cell ran past its limit of {cell_seconds} s"
        except DeadKernelError:
            reason = "the kernel died in this cell"
        except NoSuchKernel as error:
            reason = f"no kernel {error.name!r} is installed: use `python3` in the front matter"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = in_order(cell.outputs)
    stopped_at = (started or [first_code(notebook)])[-1] if reason else None
    return Execution(notebook, time.monotonic() - begin, stopped_at, reason)


def first_code(notebook: NotebookNode) -> int:
    """Return the index of the first code cell."""
    return next(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")


def in_order(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return a cell's outputs with the text on stdout before the text on stderr that stands next.

    A kernel sends its two streams in pieces, when their buffers are flushed, at times of their own;
    what is displayed or raised flushes both. The pieces are joined here, since nbclient takes the
    square of a line's length to do it. Of a line that was written over, the last state is left.
    """
    merged: list[NotebookNode] = []
    for streams, group in itertools.groupby(outputs, lambda output: output.output_type == "stream"):
        if not streams:
            merged += group
            continue
        texts = {"stdout": "", "stderr": ""}
        for piece in group:
            texts[piece.name] += piece.text
        for name, text in texts.items():
            lines = [line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n")]
            if text:
                merged.append(new_output("stream", name=name, text="\n".join(lines)))
    return merged


def from_cache(cache: JupyterCacheBase, notebook: NotebookNode) -> Execution | None:
    """Return a chapter's execution from the cache, or None if it is not there whole and current."""
    try:
        record, merged = cache.merge_match_into_notebook(notebook)
    except (KeyError, ValueError):
        return None
    package = cache.get_cache_record(record).data.get("package")
    return Execution(merged) if package == package_of(notebook) else None


def executed(path: Path) -> NotebookNode | None:
    """Return a page with its outputs, where it has been executed as it stands."""
    execution = from_cache(open_cache(), pages.read_notebook(path))
    return execution.notebook if execution else None


def read_again(path: Path) -> None:
    """Have the next build of the site read a page again, whose outputs are new."""
    for trees in pages.BUILD.glob(".doctrees*"):
        (trees / f"{pages.page_name(path)}.doctree").unlink(missing_ok=True)
    if BUILT.exists():  # its other lines are about single pages
        BUILT.write_text("\n".join(BUILT.read_text().splitlines()[:2]))


def execute_chapters(
    paths: Iterable[Path], cache: JupyterCacheBase, report: Callable[[str], None] = print
) -> Iterator[tuple[Path, Execution | pages.PageError]]:
    """Execute the chapters that the cache does not hold, two at a time.

    Args:
        paths: the chapters.
        cache: where finished chapters are looked up and kept. One that stopped early is not kept.
        report: is given a line as each chapter starts and ends.

    Yields:
        Each path with its `Execution`, or with the `pages.PageError` that kept it from being read.
    """
    missing, waiting = {}, {}
    whole_lines = threading.Lock()

    def say(line: str) -> None:
        with whole_lines:
            report(line)

    def work(path: Path, notebook: NotebookNode) -> Execution:
        say(f"executing {path.stem} …")
        try:
            return run_chapter(path, notebook)
        except Exception as error:  # such as a kernel that does not start; the other pages go on
            reason = f"it could not be executed ({type(error).__name__}: {error}); run it again"
            return Execution(notebook, 0.0, first_code(notebook), reason)

    for path in paths:
        try:
            notebook = pages.read_notebook(path)
        except pages.PageError as error:
            yield path, error
            continue
        cached = from_cache(cache, notebook)
        if cached is not None:
            yield path, cached
        else:
            missing[path] = notebook
    if not missing:
        return
    with alone(cache.path, report), contextlib.ExitStack() as end:
        pool = ThreadPoolExecutor(JOBS)
        end.callback(pool.shutdown, wait=False, cancel_futures=True)
        for entry in cache.path.glob("executed/*"):
            if not (entry / "base.ipynb").exists():  # left by a run that was stopped
                shutil.rmtree(entry)
        for path, notebook in missing.items():
            cached = from_cache(cache, notebook)  # whoever held the cache may have executed it
            if cached is not None:
                yield path, cached
            else:
                waiting[pool.submit(work, path, notebook)] = path
        for future in as_completed(waiting):
            path, execution = waiting[future], future.result()
            if execution.stopped_at is None:
                say(f"executed {path.stem} in {execution.seconds:.0f} s")
                data = {"package": package_of(execution.notebook)}
                bundle = CacheBundleIn(execution.notebook, str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
                if path.is_relative_to(pages.ROOT) and not os.environ.get(shell.PROCESSOR):
                    read_again(path)
            else:
                say(f"stopped {path.stem} after {execution.seconds:.0f} s: {execution.reason}")
            yield path, execution
