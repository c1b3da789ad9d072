"""What `examine` is judged by: models of its own, hit or whole, and models of other people.

`rows.jsonl` has a row for each model, and `about.toml` what stands beside them. Those that were
written for a count are files of `models`, all of them, so that each count can be made again. Other
cases have a pair, hit and cured, in `pairs.py`.
"""
