"""Fragments that are plainly right, recognised by columns: a look for all of them, not one for each.

What is not plainly right is examined field by field in :mod:`markup_core.reading.fragment_reader`, which knows every
fault. Here is no fault at all, and nothing to warn of but what fragments have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import lt
from typing import Any

from markup_core.model import fold
from markup_core.reading.classifier import Classifier, Code


# Clause: MS §1 faults
def are_plain(columns: Sequence[tuple[Any, ...]], classifier: Classifier, subject: str, length: int) -> bool:
    """Return whether fragments are right in every field: codes of the subject, spans in a text of that length.

    ``columns``: their fields in the order of :class:`markup_core.model.Fragment`, of one fragment or more, and each
    of the right type by now. Linear.
    """
    starts, ends, codes, subtypes, _, _, corrections, _, groups, _ = columns
    used = zip(codes, subtypes, groups, map(bool, corrections), strict=True)
    if not classifier.usual(subject).issuperset(used):
        table = classifier.table(subject)
        if not all(map(partial(_is_listed, table), codes, subtypes, groups, corrections)):
            return False
    if min(starts) < 0 or max(ends) > length:
        return False
    return all(map(lt, starts, ends)) or all(
        start < end or (start == end == 0 and _entry(classifier.table(subject), code).full_text)
        for start, end, code in zip(starts, ends, codes, strict=True)
    )


def _is_listed(table: Mapping[str, Code], code: str, subtype: str, group: str, correction: str) -> bool:
    """Return whether the classifier lists the code, in any letter case, with all that stands beside it."""
    entry = _entry(table, code)
    return (
        entry is not None
        and group == entry.group
        and (entry.correction or not correction)
        and (not subtype or subtype in entry.subtypes or fold(subtype) in entry.folded_subtypes)
    )


def _entry(table: Mapping[str, Code], code: str) -> Any:
    return table.get(code) or table.get(code.casefold())
