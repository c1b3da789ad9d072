"""Variations of *A restore that finds nothing returns what you passed*: what is missing."""

import tempfile
from pathlib import Path

import flax
import numpy as np
import orbax.checkpoint as ocp
from flax.training import checkpoints

from evidence.variation import vary

START = {"slope": np.array(0.0)}
SAVED = {"slope": np.array(0.5)}
FOLDER = tempfile.mkdtemp()
PATH = checkpoints.save_checkpoint(FOLDER, SAVED, step=9, prefix="line_")


def restored(folder=FOLDER, **options):
    return lambda: checkpoints.restore_checkpoint(folder, START, **options)["slope"]


def found(folder=FOLDER, prefix="line_"):
    """Restore what `latest_checkpoint` finds, as the cure does."""

    def slope():
        path = checkpoints.latest_checkpoint(folder, prefix)
        assert path
        return checkpoints.restore_checkpoint(path, START)["slope"]

    return slope


def three(got, cured=None):
    return got, SAVED["slope"], cured or found()


def silent(title, folder=FOLDER, **options):
    vary(title, "silent", "holds")(lambda: three(restored(folder, **options)))


silent("no prefix")
silent("a mistyped prefix", prefix="lines_")
silent("a folder that is not there", FOLDER + "-typo", prefix="line_")
silent("an empty folder", tempfile.mkdtemp(), prefix="line_")
silent("a path relative to another folder", Path(FOLDER).name, prefix="line_")
vary("the right prefix", "right", "holds")(lambda: three(restored(prefix="line_")))
vary("the path of the checkpoint", "right", "holds")(lambda: three(restored(PATH)))
vary("the cure with a mistyped prefix", "silent", "AssertionError")(
    lambda: three(restored(prefix="lines_"), found(prefix="lines_"))
)
vary("looks right: other names than in the file", "silent", "falls")(
    lambda: three(
        lambda: checkpoints.restore_checkpoint(PATH, {"params": START})["params"]["slope"],
        lambda: checkpoints.restore_checkpoint(
            FOLDER, {"params": START}, step=9, prefix="line_"
        )["params"]["slope"],
    )
)  # fmt: skip
vary("a step that is not there", "ValueError", "ValueError")(
    lambda: three(restored(step=9), restored(FOLDER + "-typo", step=9))
)
vary("the cure names the step", "silent", "holds")(
    lambda: three(restored(), restored(step=9, prefix="line_"))
)
vary("looks right: a target of None", "TypeError", "holds")(
    lambda: three(lambda: checkpoints.restore_checkpoint(FOLDER, None)["slope"])
)
vary("Orbax itself", "FileNotFoundError", "holds")(
    lambda: three(lambda: ocp.PyTreeCheckpointer().restore(FOLDER + "-typo", item=START)["slope"])
)


@vary("bytes of flax.serialization", "FileNotFoundError", "holds")
def _():
    file = Path(FOLDER) / "line.msgpack"
    file.write_bytes(flax.serialization.to_bytes(SAVED))

    def read(path):
        return lambda: flax.serialization.from_bytes(START, path.read_bytes())["slope"]

    return three(read(file.with_name("lines.msgpack")), read(file))


@vary("a class, the default prefix, a Path", "silent", "AssertionError")
def _():
    class Keeper:
        def __init__(self, folder, prefix):
            self.where = {"ckpt_dir": folder, "prefix": prefix}

        def load(self, state):
            return checkpoints.restore_checkpoint(target=state, **self.where)["slope"]

        def found(self, state):
            path = checkpoints.latest_checkpoint(**self.where)
            assert path
            return checkpoints.restore_checkpoint(path, state)["slope"]

    keeper = Keeper(Path(FOLDER), "checkpoint_")
    return lambda: keeper.load(START), 0.5, lambda: keeper.found(START)


@vary("one folder too high", "silent", "AssertionError")
def _():
    return restored(Path(FOLDER).parent), 0.5, found(Path(FOLDER).parent)
