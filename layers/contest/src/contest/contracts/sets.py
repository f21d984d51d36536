"""Imports and sets on the wire."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from contest.contracts.cycle_file import Name
from contest.contracts.wire import Moment, ReplyBody, RequestBody, Sha256
from contest.domain.cycle.cycle import SetKind
from contest.domain.cycle.importing import MOST_PARTS, PART, ImportKind, ImportOrder, ImportState

ImportId = Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])]


class ImportRequest(RequestBody):
    """A zip that is to come, in parts."""

    kind: Annotated[ImportKind, Field(strict=False, description="`cycle.json` with folders, or one set's files")]
    set: Name | None = Field(default=None, description="Of a set: its name")
    set_kind: Annotated[SetKind, Field(strict=False)] | None = Field(default=None, description="Of a new set: its kind")
    size: int = Field(ge=1, description="Bytes of the zip")
    sha256: Sha256
    parts: list[Sha256] = Field(
        min_length=1, max_length=10 * MOST_PARTS, description=f"SHA-256 of each part, of {PART} bytes but the last one"
    )

    def order(self) -> ImportOrder:
        """The domain's value."""
        return ImportOrder(self.kind, self.size, self.sha256, tuple(self.parts), self.set or "", self.set_kind)


class FoundFault(ReplyBody):
    """Something that is wrong with a file, or that somebody should think about."""

    code: str
    file: str = Field(description="Empty: the whole")
    message: str
    message_ru: str
    where: dict[str, Any] = Field(description="The place in the file")


class LoadedBody(ReplyBody):
    """What was loaded."""

    sets: dict[str, int] = Field(description="Files of every set of the cycle")
    parameters: int = Field(description="Version of the parameters")


class ImportBody(ReplyBody):
    """How far an import is."""

    import_id: ImportId
    kind: ImportKind
    set: str | None
    state: ImportState
    created_at: Moment
    part_size: int = Field(description="Bytes of every part but the last one")
    missing_parts: list[int] = Field(description="Numbers, from 1, of the parts that are still to come")
    files: int = Field(description="Files of the zip; 0 before it was opened")
    read: int = Field(description="Of them read and checked")
    stored: int = Field(description="Objects stored")
    fault_count: int
    warning_count: int
    faults: list[FoundFault] = Field(description="From `after` on, a page of them")
    warnings: list[FoundFault]
    next: int | None = Field(description="`after` of the next page of faults and warnings; null at their end")
    loaded: LoadedBody | None = Field(description="Of a finished import")
