"""Conversion of use cases' results about cycles, versions, announcements, imports and sets into bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final

from contest.cycle.announcing import Content
from contest.cycle.kits import Published
from contest.cycle.parameters import Known
from contest.cycle.rules.cycle import Cycle, EssaySet, Kit, statement
from contest.cycle.rules.sets import Import
from contest.cycle.wire import cycle as wire
from contest.cycle.wire import sets
from contest.cycle.wire.sets import KitBody, PublishedKitBody, SignedKitBody
from contest.edge import web
from contest.edge.web import Reply
from contest.operations.overview import Checked
from contest.operations.wire import ChecksBody
from contest.results.downloading import Offer, Packed, PackPlace
from contest.results.rules import downloads, reports
from contest.results.rules.reports import described_parameters
from contest.run.rules.checks import CheckGrade
from contest.uploads import Place
from contest.values import PART, Millis, from_iso, iso, iso_or_none
from tracks.protocol import Section, Text


def content(said: wire.AnnouncementRequest) -> Content:
    """Return the domain's value of a request."""
    effective_at = None if said.effective_at is None else from_iso(said.effective_at)
    return Content(said.kind, _text(said.title), _text(said.text), said.about, effective_at)


def words(said: wire.PublishDraftRequest) -> tuple[Text | None, Text | None]:
    """Return title and text, where they are given."""
    title, text = (None if each is None else _text(each) for each in (said.title, said.text))
    return title, text


def whole(found: Known) -> wire.WholeVersionBody:
    """Return the body of a version with all its parameters."""
    return wire.WholeVersionBody.from_value(found, parameters=described_parameters(found.parameters))


def checked(found: Checked) -> ChecksBody:
    """Return the body of a cycle's checks."""
    grades = [each.grade for each in found.found]
    return ChecksBody.from_value(
        run_id=found.run.run_id if found.run else None,
        failed=grades.count(CheckGrade.FAILED),
        warnings=grades.count(CheckGrade.WARNING),
        checks=found.found,
        server_time=found.now,
    )


def _text(said: wire.TitleRequest | wire.TextRequest) -> Text:
    return Text(en=said.en, ru=said.ru)


def kit(cycle: Cycle, found: Kit | None) -> KitBody:
    """Return the kit of a cycle, if it has one."""
    return KitBody(kit=None if found is None else _signed(cycle, found))


def published_kit(found: Published) -> PublishedKitBody:
    """Return the body of the kit and its warnings."""
    return PublishedKitBody.from_value(found, kit=_signed(found.cycle, found.kit))


def _signed(cycle: Cycle, found: Kit) -> SignedKitBody:
    said = statement(cycle.name, found.listed, found.published_at, found.key_id)
    return SignedKitBody.model_validate({"statement": said, "signature": found.signature})


PAGE: Final = 1000
"""Faults, and as many warnings, in one answer."""


def imported(
    found: Import,
    missing: Sequence[int],
    told: Mapping[str, Any] | None = None,
    after: int = 0,
    failed_at: Millis | None = None,
) -> sets.ImportBody:
    """Return an import with a page of its faults and warnings."""
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
    """Return a list of imports."""
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
    """Return the body of a part's address."""
    return sets.UploadPlaceBody(
        method="PUT", address=found.address, expires_at=iso(found.until), size=found.size, sha256=found.sha256
    )


def publication(found: EssaySet) -> sets.SetPublicationBody:
    """Return the body of a set and the moment of its publication."""
    return sets.SetPublicationBody(name=found.name, kind=found.kind, published_at=iso_or_none(found.published_at))


def offers(found: Sequence[Offer]) -> sets.OffersBody:
    """Return the body of sets that a reader may have."""
    return sets.OffersBody(sets=[sets.OfferBody(**_offered(each)) for each in found])


def manifest(found: Offer, packed: Packed) -> Reply:
    """Return a set with its parts, or the progress of their making."""
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
    """Return the address of a set as one file, or the progress of its making."""
    if isinstance(found, Packed):
        return _packing(found)
    told = asdict(found.pack)
    return web.answer(sets.PackPlaceBody(method="GET", address=found.address, expires_at=iso(found.until), **told))


def part(found: bytes | Packed) -> Reply:
    """Return a part of a set, to the byte."""
    return web.answer(found) if isinstance(found, bytes) else _packing(found)


def files(found: Iterable[Sequence[tuple[str, bytes]]]) -> Reply:
    """Return files in the form of a set's part: those that belong together in one answer, as many as one holds."""
    told: list[tuple[str, bytes]] = []
    for together in found:
        if told and sum(len(content) for _, content in (*told, *together)) > downloads.PART:
            break
        told += together
    return web.answer(downloads.packed(told)[1])


def tables(found: Sequence[Section] | Packed) -> Reply:
    """Return a contest's tables, or the progress of the work that they need."""
    if isinstance(found, Packed):
        return _packing(found)
    return web.answer(sets.TablesBody.model_validate({"sections": [reports.section(each) for each in found]}))


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
