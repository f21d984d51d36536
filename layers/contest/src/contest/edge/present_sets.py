"""Imports and sets as answers on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final

from contest.contracts import sets
from contest.domain.cycle.cycle import EssaySet
from contest.domain.cycle.importing import Import
from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.results import downloads, session_report
from contest.domain.uploads import PART
from contest.edge import web
from contest.edge.web import Reply
from contest.services.results.downloading import Offer, PackPlace
from contest.services.results.packing import Packed
from contest.services.uploads import Place
from tracks.protocol import Section

PAGE: Final = 1000
"""Faults, and as many warnings, in one answer."""


def imported(
    found: Import,
    missing: Sequence[int],
    told: Mapping[str, Any] | None = None,
    after: int = 0,
    failed_at: Millis | None = None,
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
        failed_at=iso_or_none(failed_at),
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


def imports(found: Sequence[Import]) -> sets.ImportsBody:
    """A list of imports."""
    return sets.ImportsBody(
        imports=[
            sets.ImportLine(
                import_id=each.import_id,
                kind=each.order.kind,
                set=each.order.set_name or None,
                state=each.state,
                created_at=iso(each.created_at),
                created_by=each.who,
                files=each.files,
                fault_count=each.faults,
                warning_count=each.warnings,
            )
            for each in found
        ]
    )


_LISTS: Final = ("faults", "warnings")


def place(found: Place) -> sets.UploadPlaceBody:
    """Where a part goes."""
    return sets.UploadPlaceBody(
        method="PUT", address=found.address, expires_at=iso(found.until), size=found.size, sha256=found.sha256
    )


def publication(found: EssaySet) -> sets.SetPublicationBody:
    """A set, and since when it is for everybody."""
    return sets.SetPublicationBody(name=found.name, kind=found.kind, published_at=iso_or_none(found.published_at))


def offers(found: Sequence[Offer]) -> sets.OffersBody:
    """Sets that somebody may have."""
    return sets.OffersBody(sets=[sets.OfferBody(**_offered(each)) for each in found])


def manifest(found: Offer, packed: Packed) -> Reply:
    """A set with its parts, or how far they are made."""
    if not packed.is_ready:
        return _packing(packed)
    told = [
        sets.PartBody(number=number, files=each.files, size=each.size, sha256=each.sha256)
        for number, each in enumerate(packed.parts, 1)
    ]
    size = sum(each.size for each in packed.parts)
    pack = sets.PackBody(**asdict(packed.pack)) if packed.pack else None
    return web.answer(sets.SetBody(**_offered(found), size=size, parts=told, pack=pack))


def pack(found: PackPlace | Packed) -> Reply:
    """Where a set may be read as one file, or how far it is made."""
    if isinstance(found, Packed):
        return _packing(found)
    told = asdict(found.pack)
    return web.answer(sets.PackPlaceBody(method="GET", address=found.address, expires_at=iso(found.until), **told))


def part(found: bytes | Packed) -> Reply:
    """A part of a set, to the byte."""
    return web.answer(found) if isinstance(found, bytes) else _packing(found)


def files(found: Iterable[Sequence[tuple[str, bytes]]]) -> Reply:
    """Files in the form of a set's part, those that belong together in one answer, as many as one holds."""
    told: list[tuple[str, bytes]] = []
    for together in found:
        if told and sum(len(content) for _, content in (*told, *together)) > downloads.PART:
            break
        told += together
    return web.answer(downloads.packed(told)[1])


def tables(found: Sequence[Section] | Packed) -> Reply:
    """A contest's tables, or how far what they are made of is."""
    if isinstance(found, Packed):
        return _packing(found)
    return web.answer(sets.TablesBody.model_validate({"sections": [session_report.section(each) for each in found]}))


def _packing(packed: Packed) -> Reply:
    made = sets.PackingBody(packed=packed.done, files=packed.files)
    return web.answer(made, HTTPStatus.ACCEPTED, retry_after_s=1)


def _offered(found: Offer) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind,
        "view": found.view,
        "items": dict(found.sizes),
        "references": found.references,
        "files": found.count,
        "sha256": found.fingerprint,
        "published_at": iso_or_none(found.published_at),
        "run_id": found.run_id,
        "described": found.described,
    }
