"""Recognise a file's format: by its suffix, and for .json by its contents."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from markup_core.texts import Text, tr

JSON: Final = "json"
NOTATION: Final = "notation"
BRAT: Final = "brat"
WEB_ANNOTATION: Final = "web-annotation"
CAS_JSON: Final = "cas-json"
LABEL_STUDIO: Final = "label-studio"
CAS_STRUCTURES: Final = "%FEATURE_STRUCTURES"
ANNOTATION_CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"

DOCCANO: Final = "doccano"
LEGACY_JSON: Final = "legacy-json"
WEBANNO_TSV: Final = "webanno-tsv"
XMI: Final = "uima-xmi"
M2: Final = "m2"
_M2_EDIT: Final = re.compile(r"^A -?[0-9]+ -?[0-9]+\|\|\|", re.MULTILINE)
_BRAT_LINE: Final = re.compile(r"T[0-9]+\t\S+ [0-9]+ [0-9]+")
_CONVERT: Final = tr("; turn it into markups: markup-core convert")
_CAS_WANTED: Final = tr("; export as UIMA CAS JSON 0.4.0")
_FOREIGN: Final[Mapping[str, Text]] = MappingProxyType(
    {
        DOCCANO: tr("doccano's export{convert}", convert=_CONVERT),
        LEGACY_JSON: tr("INCEpTION's legacy JSON{cas_wanted}", cas_wanted=_CAS_WANTED),
        WEBANNO_TSV: tr("WebAnno TSV of INCEpTION{convert}", convert=_CONVERT),
        XMI: tr("UIMA CAS XMI of INCEpTION{convert}", convert=_CONVERT),
        M2: tr("M2, corrections of sentences; tracks gec scores it, markup-core convert makes markups of it"),
        LABEL_STUDIO: tr("an export of Label Studio{convert}", convert=_CONVERT),
        CAS_JSON: tr("UIMA CAS JSON of INCEpTION{convert}", convert=_CONVERT),
        WEB_ANNOTATION: tr("Web Annotation{convert}", convert=_CONVERT),
        BRAT: tr("brat's standoff{convert} FILE.ann", convert=_CONVERT),
    }
)
"""What each format is called where a markup is wanted, and what to do with it."""
_LOOKED_AT: Final = 65_536
"""Characters of a file by which it is recognised."""


def described(format_name: str) -> Text:
    """Describe a file of a known format, and how to convert it."""
    return tr("this is {form}", form=_FOREIGN[format_name])


def foreign_value(value: Any) -> str | None:
    """Return the format of a JSON value of another tool; None for a value that may be a markup."""
    if isinstance(value, dict) and "selections" in value:
        return None
    if isinstance(value, dict) and {"_views", "_referenced_fss"} & value.keys():
        return LEGACY_JSON
    listed = value if isinstance(value, list) else [value]
    return DOCCANO if listed and all(map(is_doccano, listed)) else of_value(value)


def foreign_text(text: str) -> str | None:
    """Return the format of a text that cannot be read as what it should be, where it is one that is known."""
    head = text[:_LOOKED_AT].removeprefix("\ufeff").lstrip()
    if head.startswith("#FORMAT=WebAnno TSV"):
        return WEBANNO_TSV
    if is_m2(head):
        return M2
    if "http:///uima/cas.ecore" in head:
        return XMI
    if _BRAT_LINE.match(head):
        return BRAT
    if head.startswith(("{", "[")):  # whole JSON under another ending, or a line of JSON Lines
        for candidate in (text.removeprefix("\ufeff"), head.partition("\n")[0]):
            with suppress(ValueError, RecursionError):
                return foreign_value(json.loads(candidate))
    return None


def is_m2(head: str) -> bool:
    """Return whether a file that begins so is M2."""
    return head.lstrip().startswith("S ") and _M2_EDIT.search(head) is not None


def is_doccano(value: Any) -> bool:
    """Return whether the value is a line of doccano's JSON Lines, of any version."""
    if not isinstance(value, dict) or not isinstance(value.get("text", value.get("data")), str):
        return False
    listed = value.get("label", value.get("labels"))
    if isinstance(listed, list) and not any(isinstance(label, dict) for label in listed):
        return True
    entities = value.get("entities") or value.get("annotations")
    objects = [entry for entry in entities if isinstance(entry, dict)] if isinstance(entities, list) else []
    is_of_objects = any("start_offset" in entry or "relations" in value for entry in objects)
    return is_of_objects or any(isinstance(value.get(name), list) for name in ("Comments", "cats"))


def is_label_studio(value: Any) -> bool:
    """Return whether a value is an export of Label Studio: a task or row of JSON-MIN, or a list of them."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_task, value))
    return _is_task(value)


def _is_task(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    whole = "data" in value and bool({"annotations", "completions", "predictions"} & value.keys())
    return whole or {"annotation_id", "annotator"} <= value.keys()


def is_web_annotation(value: Any) -> bool:
    """Return whether a value names the context of Web Annotation, or is an annotation of its kind without one."""
    if not isinstance(value, dict):
        return False
    context = value.get("@context")
    return ANNOTATION_CONTEXT in (context if isinstance(context, list) else [context]) or (
        value.get("type") == "Annotation" and "target" in value
    )


def of_value(value: Any) -> str | None:
    """Return the format of a JSON file's value; None for a value of no other format, which may be a markup."""
    if is_label_studio(value):
        return LABEL_STUDIO
    if isinstance(value, dict) and CAS_STRUCTURES in value:
        return CAS_JSON
    first = value[0] if isinstance(value, list) and value else value
    return WEB_ANNOTATION if is_web_annotation(first) else None
