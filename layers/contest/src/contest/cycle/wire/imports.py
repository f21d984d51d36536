"""Bodies of imports, of a cycle's checked file, and of a set's publication."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.rules.cycle import SetKind
from contest.cycle.rules.sets import MOST, Decided, ImportKind, ImportOrder, ImportState, NewCycle
from contest.cycle.wire.parts import Name as SetName
from contest.values import PART, Upload
from contest.wire import EMPTY_IS_NULL, DecisionReason, Json, Moment, ReplyBody, RequestBody, Sha256, attribute
from markup_core.extras import LABEL_SET

UNDETERMINED: Final = "und"
"""The language of a corpus for which nobody names one (ISO 639)."""
MOST_DECIDED: Final = 300
"""Labels of one decision, which is stored in the import's item; a file of hints in the zip takes more."""

ImportId = TypeAliasType(
    "ImportId", Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])]
)


class NewCycleRequest(RequestBody):
    """Set what a cycle made of another tool's export needs beside it."""

    track: str = Field(max_length=40)
    name: dict[Literal["en", "ru"], Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        min_length=2, description="Title in both languages"
    )
    language: str = Field(default=UNDETERMINED, pattern=r"^[a-z]{2,8}$", description="Of the texts")
    subject: str = Field(default=LABEL_SET, min_length=1, max_length=40, description="Name of the label set")
    split: str = Field(default="60/20/20", max_length=40, description="Per cent of train/test/final")
    seed: int | None = Field(default=None, ge=0, le=2**31, description="Null: the first that leaves no set empty")


class ImportRequest(RequestBody):
    """A zip that is to come, in parts."""

    kind: Annotated[
        ImportKind, Field(strict=False, description="`cycle.json` with folders, one set's files, or an export")
    ]
    set: SetName | None = Field(default=None, description="Of a set: its name")
    set_kind: Annotated[SetKind, Field(strict=False)] | None = Field(default=None, description="Of a new set: its kind")
    new_cycle: NewCycleRequest | None = Field(default=None, description="Of a corpus, which becomes a cycle")
    size: int = Field(ge=1, description="Bytes of the zip")
    sha256: Sha256
    parts: list[Sha256] = Field(
        min_length=1,
        max_length=10 * MOST // PART,
        description=f"SHA-256 of each part, of {PART} bytes but the last one",
    )

    def order(self) -> ImportOrder:
        """Convert the request into an import order."""
        upload = Upload(self.size, self.sha256, tuple(self.parts))
        new_cycle = None if self.new_cycle is None else NewCycle(**self.new_cycle.model_dump())
        return ImportOrder(self.kind, upload, self.set or "", self.set_kind, new_cycle)


class ImportDecision(RequestBody):
    """Decisions about another tool's export that is `checked`."""

    subject: str = Field(default="", max_length=40, description="One of its choices; needed where there are several")
    codes: dict[Annotated[str, Field(max_length=120)], Annotated[str, Field(max_length=64)] | None] = Field(
        default={}, max_length=MOST_DECIDED, description="A code for each label without one; null leaves the label out"
    )

    def decided(self) -> Decided:
        """Convert the request into decisions."""
        return Decided(self.subject, self.codes)


class ImportChoice(ReplyBody):
    """Labels of another tool's export that are no codes of a subject."""

    subject: str = Field(description="Empty: those that the documents name")
    labels: dict[str, int] = Field(description="How often each stands in the export")
    codes: list[str] = Field(description="Codes that a label may stand for")


class SetPublicationRequest(RequestBody):
    """Open a set to everybody, or close it."""

    published: bool
    reason: DecisionReason


class FoundFault(ReplyBody):
    """Something that is wrong with a file, or that somebody should think about."""

    code: str
    file: str = Field(description="Empty: the whole")
    message: str
    message_ru: str
    where: dict[str, Any] = Field(description="The place in the file")


class CycleFileRequest(RequestBody):
    """A cycle's own file, not loaded."""

    name: Literal["cycle.json", "cycle.yaml", "cycle.yml"]
    text: str = Field(max_length=1024 * 1024)


class CycleFileBody(ReplyBody):
    """The file's value with its faults; null where it has none."""

    value: Json
    deployed: str = Field(description="The cycle of this deployment")
    faults: list[FoundFault]


class LoadedBody(ReplyBody):
    """Tell what was loaded."""

    sets: dict[str, int] = Field(description="Files of every set of the cycle")
    parameters: int = Field(description="Version of the parameters")


class _Import(ReplyBody):
    import_id: ImportId
    kind: ImportKind = attribute("order.kind")
    set: Annotated[str | None, EMPTY_IS_NULL] = attribute("order.set_name")
    state: ImportState
    created_at: Moment


class ImportBody(_Import):
    """Tell how far an import is."""

    failed_at: Moment | None = Field(
        description="When its worker failed for good, so that nobody is at it: contest doctor --mend sends another one"
    )
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
    choices: list[ImportChoice] = Field(
        description="Of another tool's export: labels to decide about, for each subject that it may have"
    )
    loaded: LoadedBody | None = Field(description="Of a finished import")


class ImportLine(_Import):
    """An import in the list; what is wrong with it stands at its own address."""

    created_by: str = attribute("who", description="Who announced it, as in the audit log")
    files: int = Field(description="Files of the zip; 0 before it was opened")
    fault_count: int = attribute("faults")
    warning_count: int = attribute("warnings")


class ImportsBody(ReplyBody):
    """The latest imports, the newest first."""

    imports: list[ImportLine]


Address = Annotated[
    str,
    Field(
        pattern=r"^/[^/]",
        description="Path and query under this host; a secret, and no token goes there",
        examples=["/uploads/imports/3h6x0w8t2r5e9q1m4k7s/52-0a1b…?Policy=…&Signature=…&Key-Pair-Id=K2JCJMDEHXQW5F"],
    ),
]


class UploadPlaceBody(ReplyBody):
    """Address one part of an upload."""

    method: Literal["PUT"]
    address: Address
    expires_at: Moment = attribute("until", description="What has begun before goes on")
    size: int = Field(description="Bytes that it takes, no more and no fewer")
    sha256: Sha256 = Field(description="What they have to be; looked at when they are read")


class SetPublicationBody(ReplyBody):
    """A set, and since when it is for everybody."""

    name: str
    kind: SetKind
    published_at: Moment | None
