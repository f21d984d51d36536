"""Recompute a final's results from its stored facts, by a second, independent reading of the rules.

It imports nothing of the platform but the scoring (:mod:`markup_core`, :mod:`tracks`): an error of the platform's own
rules is not repeated here. The names of tables, keys and objects are those of docs/decisions/0001.
"""
