"""Markups in the formats of other annotation tools, each with its declared losses.

A reader makes markups of what another tool wrote, a writer the other way round; both return with the result what could
not be carried (:mod:`markup_core.formats.foreign`). Nothing here reads or writes files.
"""
