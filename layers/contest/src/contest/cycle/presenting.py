"""Conversion of use cases' results about cycles to bodies: announcements, imports, sets, kits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.publications import AnnouncementContent
from contest.cycle.rules.cycle import Cycle, Kit, kit_statement
from contest.cycle.wire import cycle as wire
from contest.cycle.wire import sets
from contest.cycle.wire.sets import KitBody, PublishedKitBody, SignedKitBody
from contest.edge import web
from contest.results.downloading import Offer, Packed, PackPlace
from contest.results.rules import reports, set_access
from contest.results.rules.reports import described_parameters
from contest.values import PART, Millis, from_iso, iso
from tracks.protocol import Section, Text

if TYPE_CHECKING:
    from contest.cycle.parameters import Known
    from contest.cycle.publications import PublishedKit
    from contest.cycle.rules.sets import Import
    from contest.edge.web import Reply
    from contest.refusals import Fault


def announcement_content(request: wire.AnnouncementRequest) -> AnnouncementContent:
    """Return a request's content of an announcement."""
    effective_at = None if request.effective_at is None else from_iso(request.effective_at)
    return AnnouncementContent(request.kind, _text(request.title), _text(request.text), request.about, effective_at)


def draft_words(request: wire.PublishDraftRequest) -> tuple[Text | None, Text | None]:
    """Return a request's title and text; None for one that it does not give."""
    title, text = (None if field is None else _text(field) for field in (request.title, request.text))
    return title, text


def whole_version(version: Known) -> wire.WholeVersionBody:
    """Return the body of a version with all its parameters."""
    return wire.WholeVersionBody.from_value(version, parameters=described_parameters(version.parameters))


def _text(request: wire.TitleRequest | wire.TextRequest) -> Text:
    return Text(en=request.en, ru=request.ru)


def checked_file(value: Any, deployed: str, faults: Sequence[Fault]) -> sets.CycleFileBody:
    """Return the faults of a cycle's own file as an import answers them."""
    problems = [sets.FoundFault(**fault.as_json()) for fault in faults]
    return sets.CycleFileBody(value=value, deployed=deployed, faults=problems)


PAGE: Final = 1000
"""Most faults, and most warnings, in one answer."""


_LISTS: Final = ("faults", "warnings")


def import_body(
    the_import: Import,
    missing: Sequence[int],
    outcome: Mapping[str, Any] | None = None,
    after: int = 0,
    failed_at: Millis | None = None,
) -> sets.ImportBody:
    """Return an import with a page of its faults and warnings."""
    findings = outcome or {}
    end = after + PAGE
    faults, warnings = ([sets.FoundFault(**fault) for fault in findings.get(name, ())[after:end]] for name in _LISTS)
    more = any(len(findings.get(name, ())) > end for name in _LISTS)
    return sets.ImportBody.from_value(
        the_import,
        failed_at=failed_at,
        part_size=PART,
        missing_parts=missing,
        fault_count=the_import.faults,
        warning_count=the_import.warnings,
        faults=faults,
        warnings=warnings,
        next=end if more else None,
        choices=[sets.ImportChoice(**choice) for choice in findings.get("choices", ())],
        loaded=sets.LoadedBody(**findings["loaded"]) if "loaded" in findings else None,
    )


def set_manifest(offer: Offer, packed: Packed) -> Reply:
    """Return a set with its parts, or the progress of their making."""
    if not packed.is_ready:
        return _packing(packed)
    parts = [
        sets.PartBody(number=number, files=packed_part.files, size=packed_part.size, sha256=packed_part.sha256)
        for number, packed_part in enumerate(packed.parts, 1)
    ]
    size = sum(packed_part.size for packed_part in packed.parts)
    pack = sets.PackBody(**asdict(packed.pack)) if packed.pack else None
    return web.answer(sets.SetBody.from_value(offer, size=size, parts=parts, pack=pack))


def set_pack(packed: PackPlace | Packed) -> Reply:
    """Return the address of a set as one file, or the progress of its making."""
    if isinstance(packed, Packed):
        return _packing(packed)
    pack_fields = asdict(packed.pack)
    return web.answer(
        sets.PackPlaceBody(method="GET", address=packed.address, expires_at=iso(packed.until), **pack_fields)
    )


def set_part(packed: bytes | Packed) -> Reply:
    """Return a part of a set, to the byte."""
    return web.answer(packed) if isinstance(packed, bytes) else _packing(packed)


def set_files(groups: Iterable[Sequence[tuple[str, bytes]]]) -> Reply:
    """Return files in the form of a set's part: those that belong together in one answer, as many as one holds."""
    chosen: list[tuple[str, bytes]] = []
    for together in groups:
        if chosen and sum(len(content) for _, content in (*chosen, *together)) > set_access.PART:
            break
        chosen += together
    return web.answer(set_access.next_part(chosen)[1])


def set_tables(sections: Sequence[Section] | Packed) -> Reply:
    """Return a contest's tables, or the progress of the work that they need."""
    if isinstance(sections, Packed):
        return _packing(sections)
    return web.answer(sets.TablesBody.model_validate({"sections": [reports.section(section) for section in sections]}))


def _packing(packed: Packed) -> Reply:
    body = sets.PackingBody(packed=packed.done, files=packed.files)
    return web.answer(body, HTTPStatus.ACCEPTED, retry_after_s=1)


def kit(cycle: Cycle, current: Kit | None) -> KitBody:
    """Return the kit of a cycle, if it has one."""
    return KitBody(kit=None if current is None else _signed(cycle, current))


def published_kit(outcome: PublishedKit) -> PublishedKitBody:
    """Return the body of the kit and its warnings."""
    return PublishedKitBody.from_value(outcome, kit=_signed(outcome.cycle, outcome.kit))


def _signed(cycle: Cycle, signed_kit: Kit) -> SignedKitBody:
    signed_statement = kit_statement(cycle.name, signed_kit.listed, signed_kit.published_at, signed_kit.key_id)
    return SignedKitBody.model_validate({"statement": signed_statement, "signature": signed_kit.signature})
