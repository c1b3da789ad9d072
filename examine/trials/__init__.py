"""What `examine` is judged by: models of its own, hit or whole, and models of other people.

`rows.jsonl` has a row for each model that was ever counted, and `about.toml` what stands beside
them. A model stays as a file where `examine` once missed it, named it wrongly, alarmed or hinted in
vain, or where no quick test of `examine/tests` names its case. The other rows stay as they were
counted; their models are in the history, under `examine/trials/models`.
"""
