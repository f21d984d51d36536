"""Conversion of scores and comparisons to answers."""

from __future__ import annotations

from contest.edge import web
from contest.results.one_file import ANSWER, Compared, Comparison
from contest.results.presenting import reports
from contest.results.reporting import Pending
from contest.results.wire import results as wire


def compared(named: str | None) -> Compared | None:
    """Return the annotation that a query names."""
    if named is None:
        return None
    return ANSWER if named == ANSWER else int(named)


def outcome(document: bytes | Comparison | Pending) -> web.Reply:
    """Return a stored document, a comparison, or 202 while scores are being made."""
    if isinstance(document, Pending):
        return reports.scoring(document)
    if isinstance(document, Comparison):
        return web.answer(wire.ComparisonBody.from_value(document))
    return web.answer(document)
