"""A second computation of a final's results, from what is stored of it, by a reading of the rules of its own.

It imports nothing of the platform but the scoring (:mod:`markup_core`, :mod:`tracks`): an error of the platform's own
rules is not repeated here. The names of tables, keys and objects are those of docs/decisions/0001.
"""
