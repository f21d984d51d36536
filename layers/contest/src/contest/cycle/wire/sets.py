"""Bodies of data sets, imports, a cycle's checked file, the participants' kit (R 4.2, 4.3) and the notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.rules.cycle import Bundle, KitList, Package, SetKind
from contest.cycle.rules.sets import MOST, Decided, ImportKind, ImportOrder, ImportState, NewCycle
from contest.cycle.wire.cycle import Name as SetName
from contest.cycle.wire.cycle import WarningBody
from contest.errors import from_reasons
from contest.results.rules.set_access import View
from contest.results.wire import Section
from contest.values import PART, Upload
from contest.wire import (
    EMPTY_IS_NULL,
    NAME,
    DecisionReason,
    Detail,
    Format,
    Json,
    KeyId,
    Moment,
    ReplyBody,
    RequestBody,
    Sha256,
    Signature,
    attribute,
    of_track,
)
from markup_core.extras import LABEL_SET
from tracks.protocol import Reason, Verdict, Written

UNDETERMINED: Final = "und"
"""Language code of a corpus whose language is not named (ISO 639)."""
MOST_DECIDED: Final = 300
"""Most labels of one decision, which is stored in the import's item; a file of hints in the zip takes more."""

ImportId = TypeAliasType(
    "ImportId", Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])]
)


class NewCycleRequest(RequestBody):
    """Properties of a cycle made from another tool's export."""

    track: str = Field(max_length=40)
    name: dict[Literal["en", "ru"], Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        min_length=2, description="Title in both languages"
    )
    language: str = Field(default=UNDETERMINED, pattern=r"^[a-z]{2,8}$", description="Language of the texts")
    subject: str = Field(default=LABEL_SET, min_length=1, max_length=40, description="Name of the label set")
    split: str = Field(default="60/20/20", max_length=40, description="Per cent of train/test/final")
    seed: int | None = Field(default=None, ge=0, le=2**31, description="Null: the first seed that leaves no set empty")


class ImportRequest(RequestBody):
    """A zip to upload in parts."""

    kind: Annotated[
        ImportKind, Field(strict=False, description="`cycle.json` with folders, one set's files, or an export")
    ]
    set: SetName | None = Field(default=None, description="Name of an imported set")
    set_kind: Annotated[SetKind, Field(strict=False)] | None = Field(default=None, description="Kind of a new set")
    new_cycle: NewCycleRequest | None = Field(default=None, description="For a corpus, which becomes a cycle")
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
    labels: dict[str, int] = Field(description="Number of occurrences of each in the export")
    codes: list[str] = Field(description="Codes that a label may stand for")


class SetPublicationRequest(RequestBody):
    """Open a set to everybody, or close it."""

    published: bool
    reason: DecisionReason


class FoundFault(ReplyBody):
    """A fault of a file, or a warning about it."""

    code: str
    file: str = Field(description="Empty: the whole")
    message: str
    message_ru: str
    where: dict[str, Any] = Field(description="The place in the file")


class CycleFileRequest(RequestBody):
    """A cycle's own file to check, not to load."""

    name: Literal["cycle.json", "cycle.yaml", "cycle.yml"]
    text: str = Field(max_length=1024 * 1024)


class CycleFileBody(ReplyBody):
    """The file's value, null if it is unreadable, and its faults."""

    value: Json
    deployed: str = Field(description="The cycle of this deployment")
    faults: list[FoundFault]


class LoadedBody(ReplyBody):
    """Loaded sets and parameters."""

    sets: dict[str, int] = Field(description="Number of files of every set of the cycle")
    parameters: int = Field(description="Version of the parameters")


class _Import(ReplyBody):
    import_id: ImportId
    kind: ImportKind = attribute("order.kind")
    set: Annotated[str | None, EMPTY_IS_NULL] = attribute("order.set_name")
    state: ImportState
    created_at: Moment


class ImportBody(_Import):
    """Progress of an import."""

    failed_at: Moment | None = Field(
        description="When its worker failed for good; `contest doctor --mend` sends another one"
    )
    part_size: int = Field(description="Bytes of every part but the last one")
    missing_parts: list[int] = Field(description="Numbers of the missing parts, from 1")
    files: int = Field(description="Files of the zip; 0 before it was opened")
    read: int = Field(description="Number of files read and checked")
    stored: int = Field(description="Number of stored objects")
    fault_count: int
    warning_count: int
    faults: list[FoundFault] = Field(description="A page of faults, from `after` on")
    warnings: list[FoundFault]
    next: int | None = Field(description="`after` of the next page of faults and warnings; null at their end")
    choices: list[ImportChoice] = Field(
        description="Labels of another tool's export to decide about, by possible subject"
    )
    loaded: LoadedBody | None = Field(description="Result of a finished import")


class ImportLine(_Import):
    """An import in the list; its own address has its faults."""

    created_by: str = attribute("who", description="Author of the import, as in the audit log")
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
        description="Path and query under this host; a secret; send no token there",
        examples=["/uploads/imports/3h6x0w8t2r5e9q1m4k7s/52-0a1b…?Policy=…&Signature=…&Key-Pair-Id=K2JCJMDEHXQW5F"],
    ),
]


class UploadPlaceBody(ReplyBody):
    """Upload address of a part."""

    method: Literal["PUT"]
    address: Address
    expires_at: Moment = attribute("until", description="An upload begun before continues")
    size: int = Field(description="Exact number of bytes to send")
    sha256: Sha256 = Field(description="Required SHA-256 of the bytes; checked when they are read")


class SetPublicationBody(ReplyBody):
    """A set with the moment of its publication."""

    name: str
    kind: SetKind
    published_at: Moment | None


class OfferBody(ReplyBody):
    """A set that the caller may read."""

    name: str = Field(description="A set of the cycle, or `final-` and the final's id")
    kind: SetKind
    view: View = Field(description="`whole`: items and references; `questions`: items as they are handed out")
    items: dict[str, int] = attribute("sizes", description="Number of items per language")
    references: int = Field(description="References: experts' markups, or others that answers are compared with")
    files: int = attribute("count")
    sha256: Sha256 = attribute("fingerprint", description="Fingerprint of the data: changes with any file")
    published_at: Moment | None = Field(description="When the set, or the final's results, were published")
    run_id: str | None = Field(description="The final whose published results opened it")
    described: bool = Field(description="Whether the contest has tables of its contents for signed-in callers")


class OffersBody(ReplyBody):
    """Sets that the caller may read."""

    sets: list[OfferBody]


class PartBody(ReplyBody):
    """A part of a set."""

    number: int = Field(description="From 1")
    files: int
    size: int = Field(description="Bytes, at most 4.5 MB")
    sha256: Sha256


class PackBody(ReplyBody):
    """A set as one file."""

    size: int = Field(description="Bytes of the zip")
    sha256: Sha256


class SetBody(OfferBody):
    """A set with its parts."""

    size: int = Field(description="Bytes of all parts")
    parts: list[PartBody]
    pack: PackBody | None = Field(
        description="All files as one zip; null for one part, for more than 512 MB, and without signing in"
    )


class PackPlaceBody(PackBody):
    """Download address of a set as one file."""

    method: Literal["GET"]
    address: Address
    expires_at: Moment = Field(description="A download begun before continues")


class PackingBody(ReplyBody):
    """Progress of making a set's parts, begun by their first request."""

    packed: int = Field(description="Number of files in finished parts")
    files: int


class SetFileBody(ReplyBody):
    """A file of a set."""

    name: str
    sha256: Sha256 = Field(description="SHA-256 of the text in UTF-8")
    text: str = Field(description="JSON, as the file has it")


class SetPartBody(ReplyBody):
    """Files of a set."""

    files: list[SetFileBody]


class TablesBody(ReplyBody):
    """The contest's own tables: contents of a data set, or agreement of people."""

    sections: list[Section]


class ParsedBody(ReplyBody):
    """The answer that a text in the notation stands for, null if the text is unreadable, with all faults."""

    track: str = of_track(NAME)
    answer: Json = of_track("canonical", nullable=True)
    errors: list[Detail]
    warnings: list[Detail]


class RenderedBody(ReplyBody):
    """An answer as a text in the notation; null if the answer is invalid."""

    text: str | None
    errors: list[Detail]
    warnings: list[Detail]


def parsed_body(track: str, verdict: Verdict) -> ParsedBody:
    """Return the body of a parsed text."""
    return ParsedBody(
        track=track, answer=verdict.canonical, errors=_details(verdict.reasons), warnings=_details(verdict.warnings)
    )


def rendered_body(rendered: Written) -> RenderedBody:
    """Return the body of a rendered answer."""
    return RenderedBody(text=rendered.text, errors=_details(rendered.reasons), warnings=_details(rendered.warnings))


def _details(reasons: Sequence[Reason]) -> list[Detail]:
    return [Detail.model_validate(detail) for detail in from_reasons(reasons)]


KitVersion = TypeAliasType(
    "KitVersion", Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.+!-]{0,39}$", examples=["0.1.0"])]
)


PackageName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$", examples=["hurdle-pku"])]


Wheel = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.whl$", description="Under `/kit/`")]


Archive = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.zip$", description="Under `/kit/`")]


Size = Annotated[int, Field(ge=1, le=2**31, description="Bytes")]


Python = Annotated[str, Field(pattern=r"^3\.[0-9]{1,2}$", examples=["3.13"])]


Modules = Annotated[Sha256, Field(description="The SHA-256 that the kit sends when it opens a session")]


class PackagePart(RequestBody):
    """A wheel of the kit."""

    name: PackageName
    version: KitVersion
    file: Wheel
    bytes: Size
    sha256: Sha256


class BundlePart(RequestBody):
    """An archive of all wheels for machines of one platform, to install without a network."""

    platform: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$", examples=["linux-x86_64"])]
    pythons: list[Python] = Field(min_length=1, max_length=20)
    file: Archive
    bytes: Size
    sha256: Sha256


class KitRequest(RequestBody):
    """A built kit: the build's `kit.json`, unchanged."""

    format: Literal[1]
    version: KitVersion
    modules_sha256: Modules
    packages: list[PackagePart] = Field(min_length=1, max_length=20)
    bundles: list[BundlePart] = Field(default=[], max_length=20)

    def listed(self) -> KitList:
        """Convert the request into a kit list."""
        return KitList(
            self.version,
            self.modules_sha256,
            tuple(
                Package(package.file, package.bytes, package.sha256, package.name, package.version)
                for package in self.packages
            ),
            tuple(
                Bundle(bundle.file, bundle.bytes, bundle.sha256, bundle.platform, tuple(bundle.pythons))
                for bundle in self.bundles
            ),
        )


class PackageBody(ReplyBody):
    """A wheel of the kit, at `/kit/` and its file's name."""

    name: PackageName
    version: KitVersion
    file: Wheel
    bytes: Size
    sha256: Sha256


class BundleBody(ReplyBody):
    """An archive of the kit for machines without a network, at `/kit/` and its file's name."""

    platform: str
    pythons: list[Python]
    file: Archive
    bytes: Size
    sha256: Sha256


class KitStatement(ReplyBody):
    """Signed statement of a kit's files, and since when they are the common modules (R 4.3)."""

    format: Format
    kind: Literal["kit"]
    cycle: str
    version: KitVersion
    modules_sha256: Modules
    packages: list[PackageBody] = Field(description="All wheels to install together, the command first")
    bundles: list[BundleBody]
    published_at: Moment
    key_id: KeyId


class SignedKitBody(ReplyBody):
    """A published kit; `signature` is 64 bytes, base64, over the canonical JSON of `statement`."""

    statement: KitStatement
    signature: Signature


class KitBody(ReplyBody):
    """The kit that was published last; null where the organizers have published none."""

    kit: SignedKitBody | None


class PublishedKitBody(ReplyBody):
    """The published kit. `changed` is false if the same kit was published before."""

    kit: SignedKitBody
    changed: bool
    warnings: list[WarningBody]
