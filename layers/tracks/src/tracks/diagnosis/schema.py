"""JSON Schema of the answers (D-App2, D-App3, D-App4), for the API's documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tracks.diagnosis.objects import (
    COMORBIDITY,
    COMPLICATION,
    MAIN,
    MOST_CHARACTERS,
    MOST_OBJECTS,
    PRELIMINARY,
)
from tracks.diagnosis.studies import SERVICES
from tracks.protocol import Json

_EMPTY: Final = {"const": ""}
_CODE: Final = {"type": "string", "maxLength": MOST_CHARACTERS, "description": "ICD-10, another or empty"}


def _objects(title: str, required: list[str], properties: Mapping[str, Json], most: int) -> dict[str, Json]:
    item = {"type": "object", "required": required, "properties": properties, "additionalProperties": False}
    return {"type": "array", "title": title, "minItems": 1, "maxItems": most, "items": item}


_SELECTION: Final = _objects(
    "Selection",
    ["xPath", "start", "end", "name", "decorCode", "code"],
    {
        **dict.fromkeys(("xPath", "start", "end", "code"), _EMPTY),
        "name": {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS},
        "decorCode": {"const": MAIN},
    },
    MOST_OBJECTS,
)
_DIAGNOSIS: Final = _objects(
    "Diagnosis",
    ["decorCode", "code"],
    {
        "decorCode": {"enum": [MAIN, COMPLICATION, COMORBIDITY]},
        "code": _CODE,
        **dict.fromkeys(("xPath", "start", "end", "name"), _EMPTY),
    },
    MOST_OBJECTS,
)
_PRELIMINARY: Final = _objects(
    "Preliminary diagnosis", ["decorCode", "code"], {"decorCode": {"const": PRELIMINARY}, "code": _CODE}, 1
)


def _single(title: str, name: str, value: Json) -> dict[str, Json]:
    properties = {name: value}
    return {
        "type": "object",
        "title": title,
        "required": [name],
        "properties": properties,
        "additionalProperties": False,
    }


SCHEMA: Final[Mapping[str, Json]] = {
    "title": "Diagnosis answer",
    "anyOf": [
        _SELECTION,
        _DIAGNOSIS,
        _PRELIMINARY,
        _single("Request for a study", "study", {"enum": list(SERVICES)}),
        _single("Refusal", "refusal", {"const": True}),
    ],
}
