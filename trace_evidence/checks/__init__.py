"""The checks of the chapters, one for each failure, to import into your own tests.

Each raises an `AssertionError`, or the library's own error, that says what is wrong.
"""

from .keys import check_key
from .lanes import check_batch, held_tracers
from .leaks import check_keeps_no_tracer
from .loops import check_scan_matches_loop
from .structure import check_reads_keep_structure

__all__ = [
    "check_batch",
    "check_keeps_no_tracer",
    "check_key",
    "check_reads_keep_structure",
    "check_scan_matches_loop",
    "held_tracers",
]
