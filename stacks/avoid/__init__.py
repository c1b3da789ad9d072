"""Programs that some releases compute wrongly; `python -m stacks.avoid` measures them."""
