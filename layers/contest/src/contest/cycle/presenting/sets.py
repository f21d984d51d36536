"""Conversion of data sets to bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING

from contest.cycle.wire import sets as wire
from contest.edge import web
from contest.results.downloading import Offer, Packed, PackPlace
from contest.results.rules import downloads, reports
from contest.values import iso
from tracks.protocol import Section

if TYPE_CHECKING:
    from contest.edge.web import Reply


def manifest(offer: Offer, packed: Packed) -> Reply:
    """Return a set with its parts, or the progress of their making."""
    if not packed.is_ready:
        return _packing(packed)
    parts = [
        wire.PartBody(number=number, files=packed_part.files, size=packed_part.size, sha256=packed_part.sha256)
        for number, packed_part in enumerate(packed.parts, 1)
    ]
    size = sum(packed_part.size for packed_part in packed.parts)
    pack = wire.PackBody(**asdict(packed.pack)) if packed.pack else None
    return web.answer(wire.SetBody.from_value(offer, size=size, parts=parts, pack=pack))


def pack(packed: PackPlace | Packed) -> Reply:
    """Return the address of a set as one file, or the progress of its making."""
    if isinstance(packed, Packed):
        return _packing(packed)
    pack_fields = asdict(packed.pack)
    return web.answer(
        wire.PackPlaceBody(method="GET", address=packed.address, expires_at=iso(packed.until), **pack_fields)
    )


def part(packed: bytes | Packed) -> Reply:
    """Return a part of a set, to the byte."""
    return web.answer(packed) if isinstance(packed, bytes) else _packing(packed)


def files(groups: Iterable[Sequence[tuple[str, bytes]]]) -> Reply:
    """Return files in the form of a set's part: those that belong together in one answer, as many as one holds."""
    chosen: list[tuple[str, bytes]] = []
    for together in groups:
        if chosen and sum(len(content) for _, content in (*chosen, *together)) > downloads.PART:
            break
        chosen += together
    return web.answer(downloads.packed(chosen)[1])


def tables(sections: Sequence[Section] | Packed) -> Reply:
    """Return a contest's tables, or the progress of the work that they need."""
    if isinstance(sections, Packed):
        return _packing(sections)
    return web.answer(wire.TablesBody.model_validate({"sections": [reports.section(section) for section in sections]}))


def _packing(packed: Packed) -> Reply:
    body = wire.PackingBody(packed=packed.done, files=packed.files)
    return web.answer(body, HTTPStatus.ACCEPTED, retry_after_s=1)
