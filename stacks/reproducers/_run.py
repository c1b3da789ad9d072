"""Run `reproduce()` or `fix()` of one reproducer and say what happened.

`python _run.py lazy-pytree-drift reproduce` prints the verdict as JSON on its last line.
A reproducer that is run as a script calls `show`, which prints both verdicts to be read.
"""

import importlib.util
import json
import re
import sys
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType


def _first_line(text: object) -> str:
    return (str(text).strip().splitlines() or [""])[0].strip()


def _matches(patterns: Mapping[str, str], kind: str, text: object) -> bool:
    return kind in patterns and re.search(patterns[kind], str(text)) is not None


def load(path: Path) -> ModuleType:
    """Import a reproducer, whose hyphenated name cannot stand in an `import`."""
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # A class defined in the file looks its module up by name.
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def verdict(path: Path, part: str) -> dict[str, str]:
    """What calling `part` ("reproduce" or "fix") of the reproducer at `path` did.

    `FAILS` and `WARNS` of the reproducer map a type's name to a pattern in its message. An
    exception that matches is the failure itself; any other says that the program cannot run here.
    """
    fails: dict[str, str] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            module = load(path)
            fails = module.FAILS
            wrong = getattr(module, part)()
        except Exception as error:
            kind = type(error).__name__
            known = "fails" if _matches(fails, kind, error) else "cannot run"
            traceback.print_exc()
            return {"verdict": known, "type": kind, "message": _first_line(error)}
    if wrong is not None:
        return {"verdict": "wrong", "message": _first_line(wrong)}
    for warning in caught:
        kind = warning.category.__name__
        if _matches(module.WARNS, kind, warning.message):
            return {"verdict": "warns", "type": kind, "message": _first_line(warning.message)}
    return {"verdict": "ok"}


def show(script: str) -> None:
    """Print both verdicts, for a reader."""
    for part in ("reproduce", "fix"):
        said = verdict(Path(script), part)
        detail = ": ".join(said[key] for key in ("type", "message") if key in said)
        print(f"{part:>9}  {said['verdict']}  {detail}".rstrip())


if __name__ == "__main__":
    result = verdict(Path(__file__).with_name(f"{sys.argv[1]}.py"), sys.argv[2])
    print(json.dumps(result))
