"""Conversion of imports and checked files to bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.wire import imports as wire
from contest.values import PART, Millis

if TYPE_CHECKING:
    from contest.cycle.rules.sets import Import
    from contest.refusals import Fault


def checked_file(value: Any, deployed: str, faults: Sequence[Fault]) -> wire.CycleFileBody:
    """Return the faults of a cycle's own file as an import answers them."""
    problems = [wire.FoundFault(**fault.as_json()) for fault in faults]
    return wire.CycleFileBody(value=value, deployed=deployed, faults=problems)


PAGE: Final = 1000
"""Faults, and as many warnings, in one answer."""


_LISTS: Final = ("faults", "warnings")


def imported(
    the_import: Import,
    missing: Sequence[int],
    outcome: Mapping[str, Any] | None = None,
    after: int = 0,
    failed_at: Millis | None = None,
) -> wire.ImportBody:
    """Return an import with a page of its faults and warnings."""
    findings = outcome or {}
    end = after + PAGE
    faults, warnings = ([wire.FoundFault(**fault) for fault in findings.get(name, ())[after:end]] for name in _LISTS)
    more = any(len(findings.get(name, ())) > end for name in _LISTS)
    return wire.ImportBody.from_value(
        the_import,
        failed_at=failed_at,
        part_size=PART,
        missing_parts=missing,
        fault_count=the_import.faults,
        warning_count=the_import.warnings,
        faults=faults,
        warnings=warnings,
        next=end if more else None,
        choices=[wire.ImportChoice(**choice) for choice in findings.get("choices", ())],
        loaded=wire.LoadedBody(**findings["loaded"]) if "loaded" in findings else None,
    )
