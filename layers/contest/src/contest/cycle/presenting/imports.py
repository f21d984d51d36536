"""Conversion of imports and checked files to bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.cycle import EssaySet
from contest.cycle.wire import imports as wire
from contest.values import PART, Millis, iso, iso_or_none

if TYPE_CHECKING:
    from contest.cycle.rules.sets import Import
    from contest.refusals import Fault
    from contest.uploads import Place


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
    return wire.ImportBody(
        import_id=the_import.import_id,
        kind=the_import.order.kind,
        set=the_import.order.set_name or None,
        state=the_import.state,
        created_at=iso(the_import.created_at),
        failed_at=iso_or_none(failed_at),
        part_size=PART,
        missing_parts=list(missing),
        files=the_import.files,
        read=the_import.read,
        stored=the_import.stored,
        fault_count=the_import.faults,
        warning_count=the_import.warnings,
        faults=faults,
        warnings=warnings,
        next=end if more else None,
        choices=[wire.ImportChoice(**choice) for choice in findings.get("choices", ())],
        loaded=wire.LoadedBody(**findings["loaded"]) if "loaded" in findings else None,
    )


def imports(listed: Sequence[Import]) -> wire.ImportsBody:
    """Return a list of imports."""
    return wire.ImportsBody(
        imports=[
            wire.ImportLine(
                import_id=the_import.import_id,
                kind=the_import.order.kind,
                set=the_import.order.set_name or None,
                state=the_import.state,
                created_at=iso(the_import.created_at),
                created_by=the_import.who,
                files=the_import.files,
                fault_count=the_import.faults,
                warning_count=the_import.warnings,
            )
            for the_import in listed
        ]
    )


def place(upload_place: Place) -> wire.UploadPlaceBody:
    """Return the body of a part's address."""
    return wire.UploadPlaceBody(
        method="PUT",
        address=upload_place.address,
        expires_at=iso(upload_place.until),
        size=upload_place.size,
        sha256=upload_place.sha256,
    )


def publication(essay_set: EssaySet) -> wire.SetPublicationBody:
    """Return the body of a set and the moment of its publication."""
    return wire.SetPublicationBody(
        name=essay_set.name, kind=essay_set.kind, published_at=iso_or_none(essay_set.published_at)
    )
