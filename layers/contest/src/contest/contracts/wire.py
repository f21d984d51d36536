"""The parts all wire models share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError, PydanticKnownError
from typing_extensions import TypeAliasType

from contest.domain.moments import from_iso, iso
from contest.domain.reasons import LONGEST_REASON


def _real(text: str) -> str:
    """Refuse what has a moment's form and is none, or a day's."""
    try:
        from_iso(text if "T" in text else f"{text}T00:00:00.000Z")
    except ValueError:
        raise PydanticCustomError("no_such_moment", "there is no such day or time") from None
    return text


def _text(value: Any) -> Any:
    """Refuse what is no text: in a request, a number is no moment."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


def _iso(value: Any) -> Any:
    """Write a moment of the domain, milliseconds since 1970, as the wire has it."""
    return iso(value) if type(value) is int else value


NOT_BLANK: Final = r"[^\s\x1c-\x1f\x85\ufeff]"
"""A pattern of texts that say something. Python, Rust, and JavaScript (with it JSON Schema) each take other characters
for blanks; those that only some of them do are named, so that whoever reads the schema refuses what we refuse."""
Moment = TypeAliasType(
    "Moment",
    Annotated[
        str,
        Field(
            pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
            description="UTC, ISO 8601 with milliseconds",
            examples=["2026-11-21T03:57:32.123Z"],
        ),
        BeforeValidator(_iso),
    ],
)
DAY_FORM: Final = r"^\d{4}-\d\d-\d\d$"
RealMoment = Annotated[Moment, BeforeValidator(_text), AfterValidator(_real)]
"""The same in a request: a day and a time that there are."""
RealDay = Annotated[str, Field(pattern=DAY_FORM, examples=["2026-11-22"]), AfterValidator(_real)]
"""A day in a request, in UTC."""
Sha256 = TypeAliasType("Sha256", Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, hexadecimal")])
SessionId = TypeAliasType("SessionId", Annotated[str, Field(pattern=r"^[1-9][0-9]{14}$", examples=["294017735586120"])])
RunId = TypeAliasType("RunId", Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])])
FileId = TypeAliasType(
    "FileId",
    Annotated[
        str,
        Field(pattern=r"^[1-9][0-9]{14}$", description="The file's name in this session", examples=["705521943360817"]),
    ],
)

DecisionReason = TypeAliasType(
    "DecisionReason",
    Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_REASON,
            pattern=NOT_BLANK,
            description="Why; it is kept, and told where the decision is",
        ),
    ],
)
"""The reason that somebody gives for a decision: not empty, and something else than blanks."""


class RequestBody(BaseModel):
    """A body the API takes: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


SORTED: Final = BeforeValidator(sorted)
"""Writes a set of the domain in its order."""
EMPTY_IS_NULL: Final = BeforeValidator(lambda value: value or None)
"""Writes an empty text of the domain as null."""


def attribute(path: str, **more: Any) -> Any:
    """Return the field of a reply that holds the domain value's attribute of another name, or of a part: ``a.b``."""
    return Field(validation_alias=AliasPath(*path.split(".")), **more)


class ReplyBody(BaseModel):
    """A body the API gives, made of a domain value: each field holds the value's attribute of its name."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True, validate_by_name=True)

    @classmethod
    def from_value(cls, value: object = None, /, **more: Any) -> Self:
        """Return the body of a domain value; ``more`` are fields that the value has not, or has otherwise.

        Raises TypeError where ``more`` names no field of the body.
        """
        if unknown := more.keys() - cls.model_fields.keys():
            raise TypeError(f"{cls.__name__} has no fields {sorted(unknown)}")
        return cls.model_validate(_Beside(value, more))


class _Beside:
    """A value with some attributes in the place of its own."""

    def __init__(self, value: object, more: Mapping[str, Any]) -> None:
        self._value, self._more = value, more

    def __getattr__(self, name: str) -> Any:
        return self._more[name] if name in self._more else getattr(self._value, name)


class RunLimits(ReplyBody):
    """How long a run gives for the request after an opening, for the answer after the hand-out and the opening."""

    request_s: float
    answer_s: float
    total_s: float


Json = Any
"""A track's own JSON; the platform passes it through."""
MARK: Final = "x-track"
"""Marks in a schema what is a track's own; its value is the field of :class:`tracks.protocol.Schemas`, or NAME."""
NULLABLE: Final = "x-track-null"
NAME: Final = "name"
ANY: Final = "x-tracks"
"""Marks what is some track's own in a body that is the same for all: it has the form of any of them."""


def of_track(place: str, *, nullable: bool = False, **more: Any) -> Any:
    """A field whose form is the track's: ``place`` names it among a track's schemas, NAME is the track's name."""
    return Field(json_schema_extra={MARK: place} | ({NULLABLE: True} if nullable else {}), **more)


def of_any_track(place: str, **more: Any) -> Any:
    """A field that has the form of any of the tracks, by which its body is not told apart."""
    return Field(json_schema_extra={ANY: place}, **more)
