"""The objects of an answer, judged one by one (D-App2, D-App3; tracks.md §1).

Codes of reasons: ``not_an_answer``, ``too_many_objects``, ``not_an_object``, ``missing_field``, ``unknown_field``,
``wrong_type``, ``not_writable``, ``field_not_empty``, ``unknown_decor_code``, ``code_too_long``,
``no_main_diagnosis``, ``several_main_diagnoses``, ``too_many_complications``, ``too_many_comorbidities``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import short, short_ru, writable
from tracks.protocol import Json, Reason
from tracks.reasons import reason

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


SELECTION: Final = Form("name", (*_EMPTY_KEYS, "name", "decorCode", "code"), (*_EMPTY_KEYS, "code"), (MAIN,))
"""Clause: D-App2"""
DIAGNOSIS: Final = Form("code", ("decorCode", "code"), (*_EMPTY_KEYS, "name"), (MAIN, COMPLICATION, COMORBIDITY))
FINAL: Final = Form("code", DIAGNOSIS.required, DIAGNOSIS.empty, (*DIAGNOSIS.decor, PRELIMINARY))


def faults(value: Json, form: Form) -> Iterator[Reason]:
    """Everything that is wrong with the objects, one by one.

    Clause: D-App3 answer, tracks §1 answer limits
    """
    if not isinstance(value, list):
        yield reason(
            "not_an_answer",
            "",
            f"the answer must be an array of objects, not {short(value)}",
            f"ответ — массив объектов, а не {short_ru(value)}",
        )
    elif len(value) > MOST_OBJECTS:
        yield reason(
            "too_many_objects",
            "",
            f"the answer has {len(value)} objects, at most {MOST_OBJECTS} are read",
            f"в ответе объектов: {len(value)}, допустимо не более {MOST_OBJECTS}",
        )
    elif not value:
        yield _no_main()
    else:
        for place, each in enumerate(value):
            yield from _object_faults(f"[{place}]", each, form)


def readable(value: Json) -> dict[int, dict[str, Json]]:
    """The objects of an answer that is short enough to be looked through, by their places."""
    if not isinstance(value, list) or len(value) > MOST_OBJECTS:
        return {}
    return {place: each for place, each in enumerate(value) if isinstance(each, dict)}


def _object_faults(where: str, each: Json, form: Form) -> Iterator[Reason]:
    if not isinstance(each, dict):
        message = f"{where} must be an object, not {short(each)}"
        yield reason("not_an_object", where, message, f"{where}: нужен объект, а не {short_ru(each)}")
        return
    for name in form.required:
        if name not in each:
            field = f"{where}.{name}"
            yield reason("missing_field", field, f"{field} is missing", f"{field}: нет обязательного ключа")
    for name, value in each.items():
        yield from _field_faults(where, name, value, form)


def _field_faults(where: str, name: str, value: Json, form: Form) -> Iterator[Reason]:
    """Clause: D-App2, D-App3 answer, tracks §1 answer limits"""
    field = f"{where}.{writable(name)}"
    if name not in _ALL_KEYS:
        yield reason("unknown_field", field, f"{field} does not belong there", f"{field}: лишний ключ")
    elif not isinstance(value, str):
        message = f"{field} must be a string, not {short(value)}"
        yield reason("wrong_type", field, message, f"{field}: нужна строка, а не {short_ru(value)}")
    elif SURROGATE.search(value):
        message = f"{field} holds half of a surrogate pair"
        yield reason("not_writable", field, message, f"{field}: половина суррогатной пары")
    elif name in form.empty and value:
        message = f"{field} must be empty, not {short(value)}"
        yield reason("field_not_empty", field, message, f"{field}: нужна пустая строка, а не {short_ru(value)}")
    elif name == "decorCode" and value not in form.decor:
        known = ", ".join(form.decor)
        message = f"{field} must be one of {known}, not {short(value)}"
        yield reason("unknown_decor_code", field, message, f"{field}: допустимы {known}, а не {short_ru(value)}")
    elif name == form.holds and len(value) > MOST_CHARACTERS:
        yield reason(
            "code_too_long",
            field,
            f"{field} has {len(value)} characters, a code has at most {MOST_CHARACTERS}",
            f"{field}: символов {len(value)}, в коде не более {MOST_CHARACTERS}",
        )


def miscounts(decor: Sequence[Json], *, readable: bool) -> Iterator[Reason]:
    """Too many of a kind; a missing main diagnosis only where no object is faulty, since that may be the one.

    Clause: D-App3 answer 1, D-App3 answer 2, D-App3 answer 3
    """
    main = decor.count(MAIN)
    if main == 0 and readable:
        yield _no_main()
    elif main > 1:
        yield reason(
            "several_main_diagnoses",
            "",
            f"the answer has {main} objects {MAIN}, exactly one is needed",
            f"в ответе объектов {MAIN}: {main}, нужен ровно один",
        )
    for kind, code in ((COMPLICATION, "too_many_complications"), (COMORBIDITY, "too_many_comorbidities")):
        if decor.count(kind) > MOST_OF_A_KIND:
            yield reason(
                code,
                "",
                f"the answer has {decor.count(kind)} objects {kind}, at most {MOST_OF_A_KIND} are allowed",
                f"в ответе объектов {kind}: {decor.count(kind)}, допустимо не более {MOST_OF_A_KIND}",
            )


def _no_main() -> Reason:
    return reason(
        "no_main_diagnosis",
        "",
        f"the answer has no object {MAIN}, exactly one is needed",
        f"в ответе нет объекта {MAIN}, нужен ровно один",
    )
