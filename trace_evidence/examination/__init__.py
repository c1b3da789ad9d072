"""`examine`: compute what a model says in a second way, and name the case where the two differ.

One module has one check, and each check one idea. `running` runs a model and records it, `state`
notes what it holds and puts it back, `context` shares runs between checks, `driver` runs them all.
"""
