"""JSON Schemas of the contest of diagnoses, for the API's documentation; tests validate real answers against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    IN_TWO_LANGUAGES,
    NOTHING,
    STRING,
    WHOLE,
    closed,
    either,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.diagnosis.answers import COMORBIDITY, COMPLICATION, MAIN, MOST_CHARACTERS, MOST_OBJECTS, PRELIMINARY
from tracks.diagnosis.board import CRITERIA
from tracks.diagnosis.classifier import NAMES, SERVICES
from tracks.diagnosis.score import Cell, End
from tracks.diagnosis.stages import MOST_Z, STAGES, VERSIONS
from tracks.protocol import Json, Schemas

_EMPTY: Final = {"const": ""}
_CODE: Final = {"type": "string", "maxLength": MOST_CHARACTERS, "description": "ICD-10, another or empty"}


def _objects(title: str, required: list[str], properties: Mapping[str, Json], most: int) -> dict[str, Json]:
    item = {"type": "object", "required": required, "properties": properties, "additionalProperties": False}
    return {"type": "array", "title": title, "minItems": 1, "maxItems": most, "items": item}


_SELECTION_ANSWER: Final = _objects(
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
        _SELECTION_ANSWER,
        _DIAGNOSIS,
        _PRELIMINARY,
        _single("Request for a study", "study", {"enum": list(SERVICES)}),
        _single("Refusal", "refusal", {"const": True}),
    ],
}


_NOSOLOGY: Final = {"type": "string", "enum": list(NAMES)}
_STAGE: Final = {"type": "string", "enum": list(VERSIONS)}
_VERSION: Final = {
    "type": "string",
    "enum": sorted({version for versions in VERSIONS.values() for version in versions}),
}
_QUERY: Final = {"type": "string", "enum": list(SERVICES)}
_AFTER: Final = {**null_or(WHOLE), "description": "milliseconds from the publication"}
_OBJECT: Final = mapped(STRING, "decorCode and code; in the selection stage the other fields, too")
_OBJECTS: Final = listed(_OBJECT)
_SAID: Final = {
    "anyOf": [
        _OBJECTS,
        closed("A request for a study.", {"study": _QUERY}),
        closed("A refusal.", {"refusal": {"const": True}}),
    ]
}
_RESPONSE: Final = closed(
    "What a request for a study brings back (D 9.10.1.3.2).",
    {
        "study": _QUERY,
        "found": FLAG,
        "files": listed(closed("A study's file.", {"number": WHOLE, "service": STRING, "xml": STRING})),
    },
)
_REFERENCE: Final = {
    "anyOf": [
        closed("In the selection stage.", {"code": {**STRING, "description": "ICD-10"}}),
        closed(
            "What is known of a patient.",
            {"ill": FLAG, **dict.fromkeys(("complications", "comorbidities"), listed(STRING))},
            optional=("complications", "comorbidities"),
        ),
    ]
}
_NAMED_OF: Final = {**listed(WHOLE, minItems=2, maxItems=2), "description": "how many were named, of how many"}
_SECONDARY: Final = dict.fromkeys(("complications", "comorbidities"), _NAMED_OF)
_TRAJECTORY: Final = closed(
    "All that a program did with an epicrisis (D 9.10.2).",
    {
        "preliminary": null_or(STRING),
        "requests": listed(
            closed(
                "A study that was asked for.",
                {"study": _QUERY, "found": FLAG, "files": listed(WHOLE), "cost": AMOUNT, "after_ms": _AFTER},
            )
        ),
        "end": {"enum": [end.value for end in End]},
        "diagnosis": null_or(_OBJECTS),
        "explained": FLAG,
        "cost": AMOUNT,
        "time_ms": null_or(WHOLE),
    },
)
_JUDGED: Final = closed(
    "Score record of an epicrisis; a missed one is wrong.",
    {
        "stage": _STAGE,
        "nosology": _NOSOLOGY,
        "cell": {"enum": [cell.value for cell in Cell]},
        "cost": AMOUNT,
        **_SECONDARY,
        "time_s": null_or(AMOUNT),
        "row": {**WHOLE, "description": "of the table in D-App1б; in the semifinal"},
        "trajectory": ref("DiagnosisTrajectory"),
        "fingerprint": ref("DiagnosisFingerprint"),
    },
    optional=("row", "trajectory"),
)
_SELECTED: Final = closed(
    "Score record of an epicrisis of the selection stage.",
    {"stage": _STAGE, "right": FLAG, "fingerprint": ref("DiagnosisFingerprint")},
)
_BOUNDS: Final = ("se", "sp", "se_lower", "sp_lower")
_ACCURACY: Final = closed(
    "A nosology's matrix, shares, their lower bounds, and the barrier; null is undefined.",
    {
        **{cell.value: WHOLE for cell in Cell},
        **dict.fromkeys(_BOUNDS, null_or(FRACTION)),
        "cost": AMOUNT,
        "passed": FLAG,
        "se_barrier": FRACTION,
        "sp_barrier": FRACTION,
    },
)
_VALUES: Final = closed(
    "What a board compares (D-App1в).", dict.fromkeys((name for name, _ in CRITERIA), null_or(AMOUNT))
)
_COUNTED: Final[Mapping[str, Any]] = {
    "stage": null_or(_STAGE),
    "files": WHOLE,
    "answered": WHOLE,
    "voided": {**WHOLE, "description": "epicrises that count for nobody"},
}
_RESULT: Final = closed(
    "Matrices of the nosologies, and what follows from them.",
    {
        **_COUNTED,
        "nosologies": mapped(ref("DiagnosisAccuracy")),
        "sk": {**null_or(FRACTION), "description": "generalised quality; null unless all six occur"},
        "barrier": {**FLAG, "description": "overcome in all six"},
        "passed_qualities": mapped(ref("DiagnosisValues"), "of nosologies over their barrier"),
        "board": ref("DiagnosisValues"),
        "beside": mapped(
            closed("Diseases named, and times in seconds.", {**_SECONDARY, "time_s": AMOUNT, "timed": WHOLE})
        ),
        "below": listed(_NOSOLOGY, description="below the organizers' bounds of admission"),
    },
)
_SELECTION: Final = closed(
    "A session of the selection stage; the organizers approve it (D 7.14).",
    {**_COUNTED, "right": WHOLE, "passed": FLAG},
)
_THRESHOLDS: Final = mapped(closed("Fractions.", {"se": FRACTION, "sp": FRACTION}), "by nosology")
_PARAMETERS: Final = closed(
    "Parameters of a contest of diagnoses.",
    {
        "stage": {"enum": list(STAGES)},
        "z": {"type": "number", "minimum": 0, "maximum": MOST_Z},
        "thresholds": _THRESHOLDS,
        "admission": _THRESHOLDS,
        "costs": mapped(mapped(AMOUNT, "units of doctor and nurse"), "by code"),
        "languages": mapped(listed(_NOSOLOGY)),
        "file_names": mapped(_NOSOLOGY, "what files' names call a nosology"),
    },
)
_CLASSIFIER: Final = closed(
    "Nosologies with their codes of ICD-10, and the studies that may be asked for (D-App4).",
    {
        "nosologies": listed(
            closed("A nosology.", {"name": _NOSOLOGY, "title": IN_TWO_LANGUAGES, "codes": listed(STRING)})
        ),
        "healthy": STRING,
        "studies": listed(closed("A study.", {"query": _QUERY, "title": IN_TWO_LANGUAGES, "services": listed(STRING)})),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "DiagnosisAccuracy": _ACCURACY,
    "DiagnosisAnswer": SCHEMA,
    "DiagnosisClassifier": _CLASSIFIER,
    "DiagnosisFingerprint": fingerprint_form(),
    "DiagnosisJudged": _JUDGED,
    "DiagnosisParameters": _PARAMETERS,
    "DiagnosisResponse": _RESPONSE,
    "DiagnosisResult": _RESULT,
    "DiagnosisSelected": _SELECTED,
    "DiagnosisSelection": _SELECTION,
    "DiagnosisTrajectory": _TRAJECTORY,
    "DiagnosisValues": _VALUES,
    "Epicrisis": closed(
        "One version of an epicrisis; neither its nosology nor another version.",
        {"id": {**STRING, "description": "the file's name in this session"}, "version": _VERSION, "xml": STRING},
    ),
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("Epicrisis"),
    answer=ref("DiagnosisAnswer"),
    canonical={**_SAID, "description": "The turn that counts"},
    reference=_REFERENCE,
    score=either("DiagnosisJudged", "DiagnosisSelected"),
    aggregate=either("DiagnosisResult", "DiagnosisSelection"),
    parameters=ref("DiagnosisParameters"),
    classifier=ref("DiagnosisClassifier"),
    comparison=NOTHING,
    response=null_or(ref("DiagnosisResponse")),
)
