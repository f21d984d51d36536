"""Parts that all bodies share: fields, problem details, faults of a request, protocols.

A refusal is a body of problem details (RFC 9457), with the platform's own stable codes beside them. The standard
members are for programs that know the standard alone; ``error`` is the member that the platform's programs have read
from its beginning, and stays as it is.

Faults in a request's form are worded in both languages: the library words each one in English by its type. Faults of
an organizer's file have each a stable code and the field. The protocols are those of judges and technical commission
about a run (R 8.3, D 11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, Self
from urllib.parse import quote

from pydantic import AfterValidator, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError, PydanticKnownError
from typing_extensions import TypeAliasType

from contest import routes
from contest.cycle.rules.cycle import GREATEST_NUMBER
from contest.people import rules as people
from contest.refusals import ContestError, Fault, RefusedError
from contest.run.rules.run import Matter, ProtocolStanding, Run, Signatory
from contest.texts import tr
from contest.values import LONGEST_REASON, SECOND, from_iso, iso
from markup_core.reading.wire import writable
from tracks.protocol import Text


def _real(text: str) -> str:
    """Refuse a text that has a moment's or a day's form and is none, or is so far off that times around it are none."""
    with suppress(ValueError):
        from_iso(text if "T" in text else f"{text}T00:00:00.000Z")
        if "1000" <= text < "9000":
            return text
    raise PydanticCustomError("no_such_moment", "there is no such day or time")


def _text(value: Any) -> Any:
    """Refuse a value that is no text: in a request, a number is no moment."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


_BLANKS: Final = (
    r"[^\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
NOT_BLANK: Final = f"{_BLANKS}\U000e0000-\U000e0fff]"
"""Pattern of texts that are not blank: with at least one visible character. Python, Rust, and JavaScript
(with it JSON Schema) each take other characters for blanks; those that only some of them do are named, so that whoever
reads the schema refuses what we refuse. Controls, joiners, fillers, selectors and tags draw nothing."""
NotBlank: Final = Field(pattern=NOT_BLANK, json_schema_extra={"pattern": f"{_BLANKS}]"})
"""A text that is not blank. The schema leaves the tags out: JavaScript refuses a range beyond U+FFFF in a pattern
without the flag `u`, and many programs compile a document's patterns without it."""
Moment = TypeAliasType(
    "Moment",
    Annotated[
        str,
        Field(
            pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
            description="UTC, ISO 8601 with milliseconds",
            examples=["2026-11-21T03:57:32.123Z"],
        ),
        # A moment of the domain is milliseconds since 1970; the wire has it as a text.
        BeforeValidator(lambda value: iso(value) if type(value) is int else value),
    ],
)
DAY_FORM: Final = r"^\d{4}-\d\d-\d\d$"
RealMoment = Annotated[Moment, BeforeValidator(_text), AfterValidator(_real)]
"""A moment in a request; its day and its time must exist."""
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
            description="The reason; stored, and shown with the decision",
        ),
        NotBlank,
    ],
)
"""Reason of a decision: not empty, and not blanks alone."""


class RequestBody(BaseModel):
    """Base of request bodies: no unknown field, no conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


SORTED: Final = BeforeValidator(sorted)
"""Writes a set of the domain in its order."""
EMPTY_IS_NULL: Final = BeforeValidator(lambda value: value or None)
"""Writes an empty text of the domain as null."""


def attribute(path: str, **more: Any) -> Any:
    """Return the field of a reply that holds the domain value's attribute of another name, or of a part: ``a.b``."""
    return Field(validation_alias=AliasPath(*path.split(".")), **more)


class ReplyBody(BaseModel):
    """Base of reply bodies made of a domain value: each field holds the value's attribute of its name."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, from_attributes=True, validate_by_name=True, defer_build=True
    )

    @classmethod
    def from_value(cls, value: object = None, /, **more: Any) -> Self:
        """Return the body of a domain value; ``more`` are fields that the value lacks, or that replace its own.

        Raises TypeError where ``more`` names no field of the body.
        """
        if unknown := more.keys() - cls.model_fields.keys():
            raise TypeError(f"{cls.__name__} has no fields {sorted(unknown)}")
        return cls.model_validate(_Beside(value, more))


class _Beside:
    """A value with some attributes replaced."""

    def __init__(self, value: object, more: Mapping[str, Any]) -> None:
        self._value, self._more = value, more

    def __getattr__(self, name: str) -> Any:
        return self._more[name] if name in self._more else getattr(self._value, name)


class RunLimits(ReplyBody):
    """Limits of a run: for the request after an opening, for the answer after the hand-out and the opening."""

    request_s: float
    answer_s: float
    total_s: float


def run_limits(run: Run) -> RunLimits:
    """Return a run's limits in seconds."""
    limits = run.limits
    return RunLimits(request_s=limits.request / SECOND, answer_s=limits.answer / SECOND, total_s=limits.total / SECOND)


Json = Any
"""A track's own JSON; the platform passes it through."""
MARK: Final = "x-track"
"""Schema keyword of parts in a track's form; its value is the field of :class:`tracks.protocol.Schemas`, or NAME."""
NULLABLE: Final = "x-track-null"
NAME: Final = "name"
ANY: Final = "x-tracks"
"""Schema keyword of parts in the form of any track, in a body that is the same for all tracks."""


def of_track(place: str, *, nullable: bool = False, **more: Any) -> Any:
    """Make a field whose form is the track's: ``place`` names it among a track's schemas, NAME is the track's name."""
    return Field(json_schema_extra={MARK: place} | ({NULLABLE: True} if nullable else {}), **more)


def of_any_track(place: str, **more: Any) -> Any:
    """Make a field that has the form of any track; the body has one schema for all tracks."""
    return Field(json_schema_extra={ANY: place}, **more)


MEDIA_TYPE: Final = "application/problem+json"
REFUSED: Final = "refused"
"""Anchor, on the page of refusals, of all refusals whose reasons are the organizers' business."""
_MOST_DETAILS: Final = 3
"""Most details whose sentences the sentence of the whole refusal repeats."""
_PARTS_OF_A_REQUEST: Final = frozenset({"body", "query", "path", "header"})


class Detail(BaseModel):
    """One reason of a refusal; further fields say where (`field`, `fragment`, `session_id` …)."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    code: str = Field(examples=["wrong_text"])
    message: str = Field(examples=["the text differs from the essay's at position 17"])
    message_ru: str = Field(examples=["текст отличается от текста эссе начиная со знака 17"])


class ErrorContent(ReplyBody):
    """Code and reasons of a refusal."""

    code: str = Field(description="Stable code; programs decide by it", examples=["invalid_answer"])
    message: str = Field(examples=["This is not a valid answer to this file; it was not counted as a send."])
    message_ru: str = Field(examples=["Это не корректный ответ на данный файл; попытка отправки не засчитана."])
    details: list[Detail]
    request_id: str = Field(description="Id of the request in the platform's log", examples=["f3k2dhHfIAMEMHg="])


class Problem(ReplyBody):
    """The body of every refusal: problem details (RFC 9457), and in `error` the same for programs that use codes."""

    type: str = Field(
        description="Address, on this host, of the documentation of this kind; one per `error.code`",
        examples=[f"{routes.ERRORS_PAGE.path}#session_closed"],
    )
    title: str = Field(description="The kind of refusal; `error.message`", examples=["The session has ended."])
    title_ru: str = Field(description="The same in Russian; `error.message_ru`", examples=["Сессия завершена."])
    status: int = Field(description="HTTP status", examples=[409])
    detail: str = Field(description="The details with their fields, else the title")
    detail_ru: str = Field(description="The same in Russian")
    instance: str = Field(
        description="Names this refusal by `error.request_id`", examples=["urn:hurdle:request:f3k2dhHfIAMEMHg="]
    )
    error: ErrorContent


class GatewayError(ReplyBody):
    """Body of a refusal by the gateway itself."""

    message: str = Field(examples=["Unauthorized"])


def type_of(code: str) -> str:
    """Return the address of a code's place on the page of problems."""
    return f"{routes.ERRORS_PAGE.path}#{code}"


def problem(error: ContestError, request_id: str) -> Problem:
    """Return a refusal of a request as every client reads it."""
    return Problem(
        type=type_of(REFUSED if isinstance(error, RefusedError) else error.code),
        title=error.message.en,
        title_ru=error.message.ru,
        status=int(error.status),
        detail=_joined(error.details, "message", error.message.en, "and {} more"),
        detail_ru=_joined(error.details, "message_ru", error.message.ru, "и ещё {}"),
        instance=f"urn:hurdle:request:{quote(request_id, safe='=')}",
        error=ErrorContent(
            code=error.code,
            message=error.message.en,
            message_ru=error.message.ru,
            details=[Detail.model_validate(detail) for detail in error.details],
            request_id=request_id,
        ),
    )


def _joined(details: Sequence[Mapping[str, Any]], name: str, otherwise: str, more: str) -> str:
    """Join the first details' messages; a field of the request stands before its message, which has no place."""
    listed = []
    for detail in details[:_MOST_DETAILS]:
        field = str(detail.get("field", ""))
        of_request = field.partition(".")[0] in _PARTS_OF_A_REQUEST
        listed.append(f"{writable(field)}: {detail[name]}" if of_request else str(detail[name]))
    if len(details) > _MOST_DETAILS:
        listed.append(more.format(len(details) - _MOST_DETAILS))
    return "; ".join(listed) or otherwise


UNKNOWN: Final = ("not_allowed", "недопустимое значение")
"""For a kind that is not listed below; a test fails for every one that a request can bring about."""
_CODES_OF_FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("missing", "поле обязательно"),
    "extra_forbidden": ("unknown_field", "такого поля нет"),
    "invalid_key": ("bad_name", "имя поля должно быть строкой"),
    "model_type": ("not_an_object", "нужен объект"),
    "model_attributes_type": ("not_an_object", "нужен объект"),
    "dict_type": ("not_an_object", "нужен объект"),
    "list_type": ("not_a_list", "нужен список"),
    "none_required": ("not_null", "нужен null"),
    "bool_type": ("not_true_or_false", "нужно true или false"),
    "bool_parsing": ("not_true_or_false", "нужно true или false"),
    "int_type": ("not_a_whole_number", "нужно целое число"),
    "int_parsing": ("not_a_whole_number", "нужно целое число"),
    "int_parsing_size": ("number_too_long", "число слишком длинное"),
    "int_from_float": ("not_a_whole_number", "нужно целое число, без дробной части"),
    "float_type": ("not_a_number", "нужно число"),
    "float_parsing": ("not_a_number", "нужно число"),
    "finite_number": ("not_finite", "нужно конечное число"),
    "string_type": ("not_a_string", "нужна строка"),
    "string_unicode": ("lone_surrogate", "нужна строка из целых символов Юникода"),
    "string_too_short": ("too_short", "знаков в строке нужно не меньше {min_length}"),
    "string_too_long": ("too_long", "знаков в строке нужно не больше {max_length}"),
    "string_pattern_mismatch": ("wrong_form", "строка не соответствует образцу {pattern}"),
    "enum": ("not_one_of", "нужно одно из: {expected}"),
    "literal_error": ("not_one_of", "нужно одно из: {expected}"),
    "greater_than": ("out_of_range", "нужно больше {gt}"),
    "greater_than_equal": ("out_of_range", "нужно не меньше {ge}"),
    "less_than": ("out_of_range", "нужно меньше {lt}"),
    "less_than_equal": ("out_of_range", "нужно не больше {le}"),
    "multiple_of": ("not_a_multiple", "нужно число, кратное {multiple_of}"),
    "too_short": ("too_few", "элементов нужно не меньше {min_length}, а их {actual_length}"),
    "too_long": ("too_many", "элементов нужно не больше {max_length}, а их {actual_length}"),
    "value_error": ("not_allowed", "недопустимое значение: {error}"),
    "one_source": ("not_allowed", "укажите что-то одно: session, markups или phrases"),
    "letters_or_queue": ("not_allowed", "укажите письма или очередь, а не то и другое"),
    "no_such_moment": ("no_such_moment", "такого дня или времени нет"),
    "union_tag_invalid": ("unknown_kind", "вид {tag} неизвестен; нужно одно из: {expected_tags}"),
    "union_tag_not_found": ("no_kind", "не указан вид"),
}
"""The platform's code and Russian of each kind of fault that the library knows. Several kinds have one code where a
program does the same about them; the library may rename its kinds, the codes are ours."""
_PATTERNS: Final[Mapping[str, tuple[str, str]]] = {
    NOT_BLANK: ("Text should not be empty or blank", "строка пуста или состоит из одних пробелов"),
    f"^{people.NAME.pattern}$": (
        "Text should be one line, neither empty nor blank, without control characters",
        "нужна одна непустая строка без управляющих знаков",
    ),
}
"""Messages for texts that do not match a pattern that people cannot read."""


def details_of(faults: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the library's faults as details of a refusal: a code of our own, the path of the field, both languages."""
    details = []
    for fault in _of_likeliest_variants(faults):
        code, russian = _CODES_OF_FAULTS.get(str(fault["type"]), UNKNOWN)
        english = str(fault.get("msg", fault["type"]))
        english, russian = _PATTERNS.get(str((fault.get("ctx") or {}).get("pattern")), (english, russian))
        field = ".".join(str(part) for part in fault["loc"])
        details.append({"code": code, "message": english, "message_ru": _filled(russian, fault), "field": field})
    return details


def _of_likeliest_variants(faults: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the faults, of a union's variants those of the one that the value resembles most.

    The library names the variant in the path of each of its faults; it is no field, and the result leaves it out.
    """
    models = {model.__name__ for model in RequestBody.__subclasses__()}
    variants = dict[tuple[Any, ...], dict[str, list[Mapping[str, Any]]]]()
    places = []
    for fault in faults:
        path = fault["loc"][:-1] if fault["type"] == "extra_forbidden" else fault["loc"]
        places.append(next((place for place, name in enumerate(path) if name in models), None))
        if (place := places[-1]) is not None:
            alike = variants.setdefault(fault["loc"][:place], {}).setdefault(fault["loc"][place], [])
            alike.append(fault)
    for fault, place in zip(faults, places, strict=True):
        if place is None:
            yield fault
        elif (union := variants.pop(fault["loc"][:place], None)) is not None:
            likeliest = min(union.values(), key=lambda alike: sum(one["type"] in _OF_ANOTHER_FORM for one in alike))
            yield from ({**one, "loc": (*one["loc"][:place], *one["loc"][place + 1 :])} for one in likeliest)


_OF_ANOTHER_FORM: Final = frozenset({"missing", "extra_forbidden", "model_type", "model_attributes_type"})
"""Kinds of faults of a value that was meant as another variant of a union."""


def _filled(russian: str, fault: Mapping[str, Any]) -> str:
    # Choices are joined by commas; the library joins the last of several by a word.
    context = {name: str(value).replace("' or '", "', '") for name, value in (fault.get("ctx") or {}).items()}
    try:
        return russian.format(**context)
    except KeyError:  # the library gave the kind of fault without its usual context
        return UNKNOWN[1]


Demanded = Annotated[
    list[Annotated[Signatory, Field(strict=False)]] | None,
    Field(
        description="Protocols demanded before a final's results are published: `judges`, "
        "`commission`; by default those of the contest's rules"
    ),
]
"""Field of a cycle's file: the protocols that it demands."""


class ProtocolRequest(RequestBody):
    """Statement of judges or commission about a run (R 8.3.3, R 8.3.4, R 7.16.1, D 11)."""

    matter: Matter = Field(Matter.RESULTS, strict=False)
    positive: bool = Field(True, description="The results are right, or there was a mass failure")
    reason: DecisionReason


class ProtocolBody(ReplyBody):
    """One protocol. `current`: it concerns the run's present state."""

    number: int
    matter: Matter
    by: Signatory
    positive: bool
    reason: str
    who: str
    at: Moment
    current: bool


class NamedProtocolBody(ProtocolBody):
    """A protocol with the name of its signatory."""

    name: str | None = Field(description="The person's name; null for a command")


class WantedProtocolBody(ReplyBody):
    """The judges or the commission, whose protocol on the results the contest wants."""

    by: Signatory
    clause: str = Field(description="Clause of the contest's rules; empty: demanded by the cycle")
    demanded: bool = Field(description="No results are published without it")
    standing: ProtocolStanding


class ProtocolsBody(ReplyBody):
    """Statements of judges and commission about a run, the latest first, and the missing ones."""

    run_id: RunId
    confirmed: bool | None = Field(
        description="Whether every demanded protocol finds the results as they are now right; null: none is demanded"
    )
    wanted: list[WantedProtocolBody]
    protocols: list[NamedProtocolBody]


FileNumber = Annotated[int, Field(ge=1, le=GREATEST_NUMBER)]


TeamId = Annotated[str, Field(min_length=1, max_length=40, examples=["red"])]


KeyId = TypeAliasType(
    "KeyId", Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", description="The signing key; `GET /v1/keys` has it")]
)
Format = TypeAliasType(
    "Format", Annotated[int, Field(description="Version of the format; a verifier refuses unknown ones")]
)
Signature = TypeAliasType(
    "Signature", Annotated[str, Field(description="64 bytes, base64, over the canonical JSON of what is signed")]
)


_OBJECTS: Final = frozenset({"dict_type", "model_type"})
_KEY: Final = "[key]"
"""The library's mark of a fault in a field's name instead of its value."""
_LONGEST: Final = 80
"""Most characters of a wrong value that a message repeats."""
_NAME: Final = tr("1–40 of a–z, 0–9 and '-'")
_ASKED: Final[tuple[tuple[str, str, Text], ...]] = (
    (r"cycle|track|sets\.[^.]+", "bad_name", _NAME),
    (r"name(\..*)?", "missing_name", tr("what the cycle is called, in ru and en")),
    ("time_zone", "unknown_time_zone", tr("a time zone like Europe/Moscow")),
    ("languages", "no_languages", tr("at least one language with its subjects")),
    (r"languages\..*", "bad_language", tr("a language (not all) with a list of its subjects")),
    ("sets", "no_sets", tr("at least one set of files")),
    (r"sets\..*\.folder", "bad_folder", tr("the name of a folder beside")),
    ("known_clients", "bad_client", tr("SHA-256 sums of published modules")),
    (r"knowledge_base\.url", "bad_address", tr("an address, https://… without blanks")),
    (
        r"(knowledge_base\.(title|about)|about|prize)(\.(ru|en))?",
        "bad_text",
        tr("texts in ru and en of 1–500 characters"),
    ),
    (
        r"pages\.[^.]+(\.title(\.(ru|en))?)?",
        "bad_page",
        tr("a page has a name of a–z, 0–9 and '-' and a title in ru and en"),
    ),
    ("pages", "bad_list", tr("20 pages at most")),
    (r"earlier_cycles(\..*)?", "bad_cycle", tr("an earlier cycle, as contest cycle earlier writes it; 20 at most")),
    ("knowledge_base", "bad_list", tr("a list of 40 documents at most")),
    (
        r"stages\.[^.]+\.(first|last)|working_days\.(holidays|working_weekends)",
        "no_such_day",
        tr("days as 2027-03-01, each named once"),
    ),
    (r"working_days\.weekend", "bad_weekend", tr("at most six days, saturday and so on, each once")),
    (r"parameters\.technical\.enabled", "not_true_or_false", tr("true or false")),
    (
        r"parameters\.experts\.limits_s\..*",
        "out_of_range",
        tr("a group with a whole number of seconds from 1 to 86400"),
    ),
    (r"parameters\.time_limit_s", "out_of_range", tr("with min ≤ default ≤ max")),
)
"""Patterns of paths, each with the code and the demand on the field; the first matching one applies."""
_FORMS: Final[Mapping[str, Text]] = {
    "string": tr("a text that is not empty"),
    "boolean": tr("true or false"),
    "object": tr("an object"),
}
"""Demand on a field by its JSON type, if no pattern of :data:`_ASKED` matches its path."""
_TEXTS: Final = tr("a list of texts, none empty")
_ASCENDING: Final = tr("[least, greatest]")


def faults_of(
    error: ValidationError, file: str, schema: Mapping[str, Any], under: str | None = None
) -> tuple[Fault, ...]:
    """List all faults that the models found; ``where`` has the path of the field, in a list with the index.

    ``schema`` is the JSON Schema of the models, which has the bounds of numbers. ``under``: name of the part of the
    file that was read; None for the whole file.
    """
    return tuple(_fault(detail, file, schema, under) for detail in error.errors(include_url=False))


def _fault(error: ErrorDetails, file: str, schema: Mapping[str, Any], under: str | None) -> Fault:
    steps = tuple(step for step in ((under,) if under else ()) + error["loc"] if step != _KEY)
    names = tuple(step for step in steps if isinstance(step, str))
    field = ".".join(names) or file
    index = next((step for step in steps if isinstance(step, int)), None)
    where = {"field": field} if index is None else {"field": field, "index": index}
    if error["type"] == "extra_forbidden":
        return Fault("unknown_field", file, tr("unknown field {field}", field=field), where)
    if error["type"] in _OBJECTS:
        whole = tr("the file must hold an object: names with values")
        message = tr("{field} must be an object", field=field) if names else whole
        return Fault("not_an_object", file, message, where if names else {})
    is_key = error["loc"][-1] == _KEY
    code, demand = _asked_of_a_name(field, steps, schema) if is_key else _asked(error["type"], field, steps, schema)
    if error["type"] == "missing":
        return Fault(code, file, tr("{field} is missing: {demand}", field=field, demand=demand), where)
    value = json.dumps(names[-1] if is_key else error["input"], ensure_ascii=False)[:_LONGEST]
    message = tr("{field} must be {demand}, not {value}", field=field, demand=demand, value=value)
    return Fault(code, file, message, where)


def _demanded_of(field: str) -> tuple[str, Text] | None:
    return next(((code, demand) for pattern, code, demand in _ASKED if re.fullmatch(pattern, field)), None)


def _asked(kind: str, field: str, steps: Sequence[str | int], schema: Mapping[str, Any]) -> tuple[str, Text]:
    """Return the code and the text of the demand on a field."""
    if (demanded := _demanded_of(field)) is not None:
        return demanded
    node = _node(schema, steps)
    for candidate in (node, _followed(schema, node.get("items", {}))):
        if "enum" in candidate:
            return _one_of(candidate)
    texts = node.get("type") == "array" and node["items"].get("type") == "string"
    if texts or node.get("type") in _FORMS:
        return "wrong_form", _TEXTS if texts else _FORMS[node["type"]]
    if node.get("type") == "array":
        return ("out_of_range" if kind == "value_error" else "not_two_bounds"), _ASCENDING
    least, greatest = node["minimum"], node["maximum"]
    if node["type"] == "number":
        return "out_of_range", tr("from {least} to {greatest}", least=least, greatest=greatest)
    return "out_of_range", tr("a whole number from {least} to {greatest}", least=least, greatest=greatest)


def _asked_of_a_name(field: str, steps: Sequence[str | int], schema: Mapping[str, Any]) -> tuple[str, Text]:
    """Return code and wording of the demand on a field's name: one of a list, else of the usual form."""
    if (demanded := _demanded_of(field)) is not None:
        return demanded
    names = _followed(schema, _node(schema, steps[:-1]).get("propertyNames", {}))
    return _one_of(names) if "enum" in names else ("bad_name", _NAME)


def _one_of(node: Mapping[str, Any]) -> tuple[str, Text]:
    kinds = ", ".join(node["enum"])
    return "bad_kind", tr("one of: {kinds}", kinds=kinds)


def _node(schema: Mapping[str, Any], steps: Sequence[str | int]) -> Mapping[str, Any]:
    """Return the schema of the value at a path."""
    node = schema
    for step in steps:
        if isinstance(step, int):
            node = node["items"]
        else:
            (of_any_name,) = node.get("patternProperties", {"": node.get("additionalProperties")}).values()
            node = node.get("properties", {}).get(step, of_any_name)
        node = _followed(schema, node)
    return node


def _followed(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the target of a node that is a reference, or a value that may also be null."""
    if "anyOf" in node:
        node = next(option for option in node["anyOf"] if option.get("type") != "null")
    named: str | None = node.get("$ref")
    return node if named is None else schema["$defs"][named.rpartition("/")[2]]
