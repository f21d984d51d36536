"""The contest's dictionaries of answers, checked: what is wrong, where, in both languages (tracks.md §4, §5 "Forms").

Everything here takes a JSON value and a :class:`Faults`, adds what is wrong with it and returns what is right.
Codes: ``not_an_object``, ``not_a_string``, ``not_a_list``, ``not_a_box``, ``not_a_number``, ``negative_size``,
``missing_field``, ``unknown_lang``, ``too_long``, ``too_many_boxes``, ``too_large``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from markup_core.reading.wire import short, short_ru
from tracks.fields import is_number
from tracks.fusion.metrics.vqa import LANGUAGES, TrueAnswer
from tracks.fusion.metrics.zsod import Box, Boxes
from tracks.protocol import Json, Reason, Text

MOST_BOXES: Final = 1000
"""Of one class of one image: detectors are judged by their first hundred, and each is held against every true box."""
LARGEST: Final = 100_000
"""Pixels of a coordinate or side: no image has more, and decimals beyond cost exact fractions."""
LONGEST_TEXT: Final = 100_000
"""Characters of a program, a line of handwriting or an answer; the longest programs of the contest have some 10 000."""
MOST_FAULTS: Final = 100
"""Faults told of one dictionary; a file with more of them is wrong throughout."""


@dataclass(slots=True)
class Faults:
    """Faults of one dictionary as they are found."""

    reasons: list[Reason] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether reading on is of no use."""
        return len(self.reasons) >= MOST_FAULTS

    def add(self, code: str, where: str, en: str, ru: str) -> None:
        """A fault; the sentences go on after the place."""
        if not self.full:
            self.reasons.append(Reason(code, Text(en=f"{where} {en}", ru=f"{where} {ru}"), {"field": where}))


def at(where: str, name: str | int) -> str:
    """How a fault names what is under a key or an index."""
    return f"{where}[{name}]" if isinstance(name, int) else f"{where}[{short(name)}]"


def read_texts(raw: Json, where: str, faults: Faults) -> dict[str, str]:
    """``{id: string}`` of C2C, HTR and predictions of VQA.

    Clause: F C2C requests
    """
    found = {}
    for name, value in _object(raw, where, faults).items():
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            faults.add(
                "too_long",
                at(where, name),
                f"has {len(value)} characters, the most are {LONGEST_TEXT}",
                f"— {len(value)} знаков, а можно не более {LONGEST_TEXT}",
            )
        elif isinstance(value, str):
            found[name] = value
        else:
            faults.add(
                "not_a_string", at(where, name), f"must be a string, not {short(value)}", _russian("строка", value)
            )
    return found


def read_answers(raw: Json, where: str, faults: Faults) -> dict[str, TrueAnswer]:
    """``{id: {"answer": string, "lang": "ru" or "en"}}``, the truth of VQA."""
    found = {}
    for name, value in _object(raw, where, faults).items():
        place = at(where, name)
        fields = _object(value, place, faults)
        if not isinstance(value, Mapping):
            continue
        texts = [_text(fields, place, key, faults) for key in ("answer", "lang")]
        if texts[1] is not None and texts[1] not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            problem = f"must be one of {known}, not {short(texts[1])}"
            faults.add(
                "unknown_lang", f"{place}.lang", problem, f"должно быть одно из {known}, а не {short_ru(texts[1])}"
            )
        elif texts[0] is not None and texts[1] is not None:
            found[name] = TrueAnswer(texts[0], texts[1])
    return found


def read_boxes(raw: Json, where: str, faults: Faults) -> dict[str, dict[str, Boxes]]:
    """``{image: {class: [[x, y, w, h], …]}}`` of zsOD; ``[[]]`` is ``[]``.

    Clause: F zsOD requests
    """
    found: dict[str, dict[str, Boxes]] = {}
    for image, classes in _object(raw, where, faults).items():
        place = at(where, image)
        found[image] = {
            name: _boxes(value, at(place, name), faults) for name, value in _object(classes, place, faults).items()
        }
    return found


def _boxes(raw: Json, where: str, faults: Faults) -> Boxes:
    if not isinstance(raw, list):
        faults.add("not_a_list", where, f"must be a list of boxes, not {short(raw)}", _russian("список рамок", raw))
        return ()
    if raw == [[]]:
        return ()
    if len(raw) > MOST_BOXES:
        faults.add(
            "too_many_boxes",
            where,
            f"has {len(raw)} boxes, the most are {MOST_BOXES}",
            f"— рамок {len(raw)}, а можно не более {MOST_BOXES}",
        )
        return ()
    boxes = (_box(box, at(where, number), faults) for number, box in enumerate(raw))
    return tuple(box for box in boxes if box is not None)


def _box(raw: Json, where: str, faults: Faults) -> Box | None:
    if not isinstance(raw, list) or len(raw) != 4:
        faults.add(
            "not_a_box", where, f"must be a box [x, y, w, h], not {short(raw)}", _russian("рамка [x, y, w, h]", raw)
        )
        return None
    for name, value in zip("xywh", raw, strict=True):
        if not is_number(value):
            en, ru = f"must have a finite number for {name}", f"должна иметь конечное число в {name}"
            faults.add("not_a_number", where, f"{en}, not {short(value)}", f"{ru}, а не {short_ru(value)}")
            return None
        if abs(value) > LARGEST:
            en, ru = (
                f"{name} = {short(value)} is beyond {LARGEST}",
                f"{name} = {short_ru(value)}: по модулю больше {LARGEST}",
            )
            faults.add("too_large", where, en, ru)
            return None
        if name in "wh" and value < 0:
            en, ru = (
                f"has a negative size: {name} = {short(value)}",
                f"имеет отрицательный размер: {name} = {short_ru(value)}",
            )
            faults.add("negative_size", where, en, ru)
            return None
    return Box(*map(float, raw))


def _object(raw: Json, where: str, faults: Faults) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    faults.add("not_an_object", where, f"must be an object, not {short(raw)}", _russian("объект", raw))
    return {}


def _text(fields: Mapping[str, Any], where: str, key: str, faults: Faults) -> str | None:
    value = fields.get(key)
    if isinstance(value, str):
        return value
    if key in fields:
        faults.add("not_a_string", f"{where}.{key}", f"must be a string, not {short(value)}", _russian("строка", value))
    else:
        faults.add("missing_field", f"{where}.{key}", "is missing", "нет в словаре")
    return None


def _russian(wanted: str, value: Json) -> str:
    return f"— ожидается {wanted}, а не {short_ru(value)}"
