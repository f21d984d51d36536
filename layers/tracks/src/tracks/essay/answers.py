"""Answers: markups in the contest's published form, judged as they were received (R 11.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.reading import validation
from markup_core.reading.wire import MalformedInput, decode, dump
from tracks.essay.faults import another_subject, of_another_tool, of_markup
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Json, Verdict
from tracks.reasons import of_json

_STRING: Final = {"type": "string"}
_SELECTION: Final[Mapping[str, Json]] = {
    "type": "object",
    "required": ["startSelection", "endSelection", "type"],
    "properties": {
        "id": {"type": ["integer", "string"]},
        "startSelection": {"type": "integer", "minimum": 0, "description": "first code point, from 0"},
        "endSelection": {"type": "integer", "minimum": 0, "description": "code point after the last; 0, 0: whole text"},
        "type": {"type": "string", "description": "code of the classifier"},
        **dict.fromkeys(("subtype", "comment", "explanation", "correction", "tag"), _STRING),
        "group": {"type": "string", "enum": ["meaning", "error"], "description": "follows from the code"},
    },
}
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "title": "MarkupSent",
    "description": "A markup in the contest's published form; the text is the one that was handed out.",
    "required": ["meta", "selections", "text"],
    "properties": {
        "meta": {"type": "object", "required": ["subject"], "properties": {"id": _STRING, "subject": _STRING}},
        "criteria": {"type": "object", "additionalProperties": {"type": "integer"}},
        "selections": {"type": "array", "items": _SELECTION, "maxItems": 2000},
        "text": _STRING,
    },
}


def validate(item: Json, body: bytes, rules: EssayParameters) -> Verdict:
    """Judge a markup as received; another text or subject than the essay's is refused (R 11.6).

    What is no JSON is always called so, also where the tool is named that wrote it: whoever keeps drafts goes by that.

    Clause: R 11.6
    """
    try:
        raw = decode(body, rules.limits)
    except MalformedInput as error:
        foreign = of_another_tool(body)
        return Verdict((of_json(error),) if foreign is None else (foreign, of_json(error)))
    result = validation.validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
    warnings = tuple(of_markup(fault) for fault in result.warnings)
    if result.markup is None:
        return Verdict(tuple(of_markup(fault) for fault in result.errors), warnings)
    if result.markup.subject != item["meta"]["subject"]:
        return Verdict((another_subject(result.markup.subject, item["meta"]["subject"]),), warnings)
    return Verdict((), warnings, dump(result.markup), kind="markup")
