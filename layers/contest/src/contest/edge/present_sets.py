"""Imports and sets as answers on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from contest.contracts import sets
from contest.domain.cycle.importing import PART, Import
from contest.domain.moments import iso

PAGE: Final = 1000
"""Faults, and as many warnings, in one answer."""


def imported(
    found: Import, missing: Sequence[int], told: Mapping[str, Any] | None = None, after: int = 0
) -> sets.ImportBody:
    """An import with a page of its faults and warnings."""
    said = told or {}
    end = after + PAGE
    faults, warnings = ([sets.FoundFault(**each) for each in said.get(name, ())[after:end]] for name in _LISTS)
    more = any(len(said.get(name, ())) > end for name in _LISTS)
    return sets.ImportBody(
        import_id=found.import_id,
        kind=found.order.kind,
        set=found.order.set_name or None,
        state=found.state,
        created_at=iso(found.created_at),
        part_size=PART,
        missing_parts=list(missing),
        files=found.files,
        read=found.read,
        stored=found.stored,
        fault_count=found.faults,
        warning_count=found.warnings,
        faults=faults,
        warnings=warnings,
        next=end if more else None,
        loaded=sets.LoadedBody(**said["loaded"]) if "loaded" in said else None,
    )


_LISTS: Final = ("faults", "warnings")
