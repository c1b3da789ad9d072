"""The locked versions, and what was measured on them; run as `python -m stacks.NAME`."""
