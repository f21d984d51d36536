"""Answers of the three stages, validated with every fault there is (D-App2, D-App3, D 9.10; tracks.md §1).

A valid answer can still be wrong: an empty main diagnosis, or several objects in the selection stage.

Codes of reasons: ``not_an_answer``, ``too_many_objects``, ``not_an_object``, ``missing_field``, ``unknown_field``,
``wrong_type``, ``not_writable``, ``field_not_empty``, ``unknown_decor_code``, ``empty_code``, ``code_too_long``,
``blank_in_code``, ``no_main_diagnosis``, ``several_main_diagnoses``, ``too_many_complications``,
``too_many_comorbidities``, ``preliminary_not_alone``, ``unknown_study``, ``one_study_per_request``.
Codes of warnings: ``several_objects``, ``empty_main_diagnosis``, ``cyrillic_letter``, ``code_looks_like``.

The objects of an answer are judged one by one (D-App2, D-App3; tracks.md §1), with all of these codes of reasons but
``empty_code``, ``blank_in_code``, ``preliminary_not_alone``, ``unknown_study`` and ``one_study_per_request``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from markup_core.comparable import lookalike, written_otherwise
from markup_core.lazy import dataclass
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, short, writable
from tracks.base import read_body, reason
from tracks.diagnosis.stages import SERVICES, STEPS, base_part, intended, misprinted
from tracks.protocol import Json, Reason, Verdict
from tracks.texts import tr

MAIN: Final = "diagnosisMain"
COMPLICATION: Final = "attendDisease"
COMORBIDITY: Final = "diagnosisSup"
PRELIMINARY: Final = "diagnosisPreliminary"
MOST_OBJECTS: Final = 100
MOST_OF_A_KIND: Final = 10
MOST_CHARACTERS: Final = 10
_EMPTY_KEYS: Final = ("xPath", "start", "end")
_ALL_KEYS: Final = frozenset({*_EMPTY_KEYS, "name", "decorCode", "code"})


@dataclass(frozen=True, slots=True)
class Form:
    """Objects of an answer: which field holds the code, which must be there, which may be there but empty."""

    holds: str
    required: tuple[str, ...]
    empty: tuple[str, ...]
    decor: tuple[str, ...]


# Clause: D-App2
SELECTION: Final = Form("name", (*_EMPTY_KEYS, "name", "decorCode", "code"), (*_EMPTY_KEYS, "code"), (MAIN,))
DIAGNOSIS: Final = Form("code", ("decorCode", "code"), (*_EMPTY_KEYS, "name"), (MAIN, COMPLICATION, COMORBIDITY))
FINAL: Final = Form("code", DIAGNOSIS.required, DIAGNOSIS.empty, (*DIAGNOSIS.decor, PRELIMINARY))


# Clause: D-App3 answer, tracks §1 answer limits
def faults(value: Json, form: Form) -> Iterator[Reason]:
    """Yield all faults of the objects, one by one."""
    if not isinstance(value, list):
        yield reason("not_an_answer", "", tr("the answer must be an array of objects, not {value}", value=short(value)))
    elif len(value) > MOST_OBJECTS:
        yield reason(
            "too_many_objects",
            "",
            tr(
                "the answer has {count} objects, at most {most_objects} are read",
                count=len(value),
                most_objects=MOST_OBJECTS,
            ),
        )
    elif not value:
        yield _no_main()
    else:
        for place, entry in enumerate(value):
            yield from _object_faults(f"[{place}]", entry, form)


def readable(value: Json) -> dict[int, dict[str, Json]]:
    """Return the objects of an answer by their places; none if the answer is no list or too long."""
    if not isinstance(value, list) or len(value) > MOST_OBJECTS:
        return {}
    return {place: entry for place, entry in enumerate(value) if isinstance(entry, dict)}


def _object_faults(where: str, entry: Json, form: Form) -> Iterator[Reason]:
    if not isinstance(entry, dict):
        message = tr("{where} must be an object, not {entry}", where=where, entry=short(entry))
        yield reason("not_an_object", where, message)
        return
    for name in form.required:
        if name not in entry:
            field = f"{where}.{name}"
            yield reason("missing_field", field, tr("{field} is missing", field=field))
    for name, value in entry.items():
        yield from _field_faults(where, name, value, form)


# Clause: D-App2, D-App3 answer, tracks §1 answer limits
def _field_faults(where: str, name: str, value: Json, form: Form) -> Iterator[Reason]:
    field = f"{where}.{writable(name)}"
    if name not in _ALL_KEYS:
        yield reason("unknown_field", field, tr("{field} does not belong there", field=field))
    elif not isinstance(value, str):
        yield reason("wrong_type", field, tr("{field} must be a string, not {value}", field=field, value=short(value)))
    elif SURROGATE.search(value):
        yield reason("not_writable", field, tr("{field} holds half of a surrogate pair", field=field))
    elif name in form.empty and value:
        message = tr("{field} must be empty, not {value}", field=field, value=short(value))
        yield reason("field_not_empty", field, message)
    elif name == "decorCode" and value not in form.decor:
        choices = ", ".join(form.decor)
        message = tr("{field} must be one of {choices}, not {value}", field=field, choices=choices, value=short(value))
        yield reason("unknown_decor_code", field, message)
    elif name == form.holds and len(value) > MOST_CHARACTERS:
        yield reason(
            "code_too_long",
            field,
            tr(
                "{field} has {count} characters, a code has at most {most_characters}",
                field=field,
                count=len(value),
                most_characters=MOST_CHARACTERS,
            ),
        )


# Clause: D-App3 answer 1, D-App3 answer 2, D-App3 answer 3
def miscounts(decor: Sequence[Json], *, readable: bool) -> Iterator[Reason]:
    """Yield reasons for too many of a kind; for no main diagnosis only if no object is faulty, since that may be it."""
    main = decor.count(MAIN)
    if main == 0 and readable:
        yield _no_main()
    elif main > 1:
        yield reason(
            "several_main_diagnoses",
            "",
            tr("the answer has {main} objects {main_2}, exactly one is needed", main=main, main_2=MAIN),
        )
    for kind, code in ((COMPLICATION, "too_many_complications"), (COMORBIDITY, "too_many_comorbidities")):
        if decor.count(kind) > MOST_OF_A_KIND:
            yield reason(
                code,
                "",
                tr(
                    "the answer has {count} objects {kind}, at most {most_of_a_kind} are allowed",
                    count=decor.count(kind),
                    kind=kind,
                    most_of_a_kind=MOST_OF_A_KIND,
                ),
            )


def _no_main() -> Reason:
    return reason("no_main_diagnosis", "", tr("the answer has no object {main}, exactly one is needed", main=MAIN))


SECONDARY: Final = {"complications": COMPLICATION, "comorbidities": COMORBIDITY}
"""Secondary diagnoses: the reference's list and the answer's decor code."""
_LIMITS: Final = Limits(max_bytes=64 * 1024, max_depth=8)
"""Limits of an answer: a hundred objects of short strings take a tenth of the bytes."""


def validate(body: bytes, step: str, stage: str) -> Verdict:
    """Judge an answer as received; a preliminary diagnosis after a study or another one is refused."""
    raw, broken = read_body(body, _LIMITS)
    if broken:
        return Verdict(broken)
    verdict = judge(stage, raw)
    kinds = {state.name: state.answers for state in STEPS[stage]}[step]
    if verdict.valid and verdict.kind not in kinds:
        return Verdict((_TOO_LATE,))
    return verdict


def judge(stage: str, value: Json) -> Verdict:
    """Judge an answer of a stage (``selection``, ``semifinal`` or ``final``) as a JSON value; never raises on it.

    Kinds of valid answers: ``diagnosis``; in the final also ``preliminary``, ``study`` and ``refusal``.
    """
    return _JUDGES[stage](value)


def main_code(answer: Sequence[Mapping[str, str]]) -> str:
    """Return the main diagnosis of a valid semifinal or final answer; empty if it makes none."""
    return next(diagnosis["code"] for diagnosis in answer if diagnosis["decorCode"] == MAIN)


def codes_of(answer: Sequence[Mapping[str, str]], decor: str) -> frozenset[str]:
    """Return base parts of an answer's complications or comorbidities; empty codes name nothing."""
    return frozenset(
        base_part(diagnosis["code"]) for diagnosis in answer if diagnosis["decorCode"] == decor and diagnosis["code"]
    )


# Clause: D 7.8, D 7.10.2, D-App2 one object
def selection_right(answer: Sequence[Mapping[str, str]], code: str) -> bool:
    """Check whether a valid selection answer is the one right code (D 7.10, D-App2); several objects never are."""
    return len(answer) == 1 and base_part(answer[0]["name"]) == base_part(code)


def _judge_selection(value: Json) -> Verdict:
    """Judge an array of one object, or the object alone. More objects are an answer, a wrong one (D-App2)."""
    objects = [value] if isinstance(value, dict) else value
    reasons = [*faults(objects, SELECTION)]
    for place, entry in readable(objects).items():
        if isinstance(entry.get("name"), str):
            reasons += _selection_code(place, entry["name"])
    if reasons:
        return Verdict(tuple(reasons))
    warnings = list(_misprints(objects, "name"))
    if len(objects) > 1:
        warnings.append(
            reason(
                "several_objects", "", tr("the answer has {objects} objects; it counts as wrong", objects=len(objects))
            )
        )
    return Verdict((), tuple(warnings), [dict(entry) for entry in objects], kind="diagnosis")


# Clause: D 7.10.1
def _selection_code(place: int, code: str) -> Iterator[Reason]:
    field = f"[{place}].name"
    if not code:
        yield reason("empty_code", field, tr("{field} must be an ICD-10 code", field=field))
    elif any(char.isspace() or not char.isprintable() for char in code):
        yield reason(
            "blank_in_code",
            field,
            tr("{field} has blanks or control characters: {code}", field=field, code=short(code)),
        )


def _judge_diagnosis(value: Json, form: Form = DIAGNOSIS) -> Verdict:
    """Judge a diagnosis: exactly one main one, at most ten complications and ten comorbidities (D-App3)."""
    reasons = [*faults(value, form)]
    reasons += miscounts([entry.get("decorCode") for entry in readable(value).values()], readable=not reasons)
    return Verdict(tuple(reasons)) if reasons else _diagnosed(value)


def _diagnosed(objects: Sequence[Mapping[str, str]]) -> Verdict:
    canonical = _canonical(objects)
    warnings = list(_misprints(canonical, "code"))
    if not main_code(canonical):
        warnings.append(
            reason("empty_main_diagnosis", "", tr("the main diagnosis is empty; the answer counts as wrong"))
        )
    return Verdict((), tuple(warnings), canonical, kind="diagnosis")


def _judge_final(value: Json) -> Verdict:
    """Judge a final diagnosis, preliminary one, ``{"study": code}`` or ``{"refusal": true}`` (D 9.10.1.2–9.10.1.4)."""
    if isinstance(value, dict):
        if "refusal" not in value:
            return _judge_study(value)
        if len(value) == 1 and value["refusal"] is True:
            return Verdict((), (), {"refusal": True}, kind="refusal")
        return Verdict((reason("not_an_answer", "refusal", tr('a refusal is {"refusal": true} and nothing else')),))
    if all(entry.get("decorCode") != PRELIMINARY for entry in readable(value).values()):
        return _judge_diagnosis(value, FINAL)
    reasons = list(faults(value, FINAL))
    if len(value) > 1:
        reasons.append(reason("preliminary_not_alone", "", tr("a preliminary diagnosis is alone in its answer")))
    elif value[0].get("code") == "":
        message = tr("the preliminary diagnosis must be an ICD-10 code or another")
        reasons.append(reason("empty_code", "[0].code", message))
    if reasons:
        return Verdict(tuple(reasons))
    canonical = _canonical(value)
    return Verdict((), tuple(_misprints(canonical, "code")), canonical, kind="preliminary")


# Clause: D 9.10.3, D 9.10.1.3.2
def _judge_study(value: Mapping[str, Any]) -> Verdict:
    code = value.get("study")
    if set(value) != {"study"}:
        fault = reason(
            "not_an_answer",
            "",
            tr('an object is a request {"study": code} or a refusal {"refusal": true}; a diagnosis is an array'),
        )
    elif isinstance(code, str) and code in SERVICES:
        return Verdict((), (), {"study": code}, kind="study")
    elif isinstance(code, list) or (
        isinstance(code, str) and len(code.replace(",", " ").replace(";", " ").split()) > 1
    ):
        fault = reason("one_study_per_request", "study", tr("one request asks for one study by one code"))
    else:
        message = tr("there is no study {code} in the contest's table", code=short(code))
        if isinstance(code, str) and (alike := lookalike(code, SERVICES)):
            differs = written_otherwise(code, alike, case=True)
            message = tr("{problem}; {alike} is there: {differs}", problem=message, alike=alike, differs=differs)
        fault = reason("unknown_study", "study", message)
    return Verdict((fault,))


_JUDGES: Final[Mapping[str, Callable[[Json], Verdict]]] = MappingProxyType(
    {"selection": _judge_selection, "semifinal": _judge_diagnosis, "final": _judge_final}
)
STAGES: Final = tuple(_JUDGES)


def _misprints(objects: Sequence[Mapping[str, str]], field: str) -> Iterator[Reason]:
    for place, entry in enumerate(objects):
        if misprinted(entry[field]):
            where = f"[{place}].{field}"
            yield reason(
                "cyrillic_letter",
                where,
                tr(
                    "{where} begins with a Cyrillic letter, as the regulation misprints it; it is read as A19",
                    where=where,
                ),
            )
        elif alike := intended(entry[field]):
            where, how = f"[{place}].{field}", written_otherwise(base_part(entry[field]), alike, case=True)
            yield reason(
                "code_looks_like",
                where,
                tr(
                    "{where} is {entry}, which looks like {alike} and is another text: {how}",
                    where=where,
                    entry=short(entry[field]),
                    alike=alike,
                    how=how,
                ),
            )


def _canonical(objects: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{"decorCode": entry["decorCode"], "code": entry["code"]} for entry in objects]


_TOO_LATE: Final = reason(
    "preliminary_too_late", "", tr("the preliminary diagnosis is given once, before the first study is asked for")
)
