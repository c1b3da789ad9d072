"""Programs that some releases compute wrongly; `python -m evidence.releases` measures them."""
