"""How the reader's package is built: by flit, with what it knows of the book made first.

Named in `pyproject.toml`. An sdist carries `data.json`, and no book to make it from.
"""

import sys
from pathlib import Path

from flit_core import buildapi
from flit_core.buildapi import *  # noqa: F403  # what is not wrapped below

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trace_evidence import checkout


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build a wheel; return its name."""
    checkout.bring_up_to_date()
    return buildapi.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Build an sdist; return its name."""
    checkout.bring_up_to_date()
    return buildapi.build_sdist(sdist_directory, config_settings)
