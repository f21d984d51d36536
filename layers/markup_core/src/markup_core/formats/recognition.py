"""Which format a file is in: by its suffix, and where that is .json, by what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from markup_core.formats import cas_json, web_annotation

JSON: Final = "json"
NOTATION: Final = "notation"
BRAT: Final = "brat"
WEB_ANNOTATION: Final = "web-annotation"
CAS_JSON: Final = "cas-json"
LABEL_STUDIO: Final = "label-studio"

SOURCES: Final = (JSON, NOTATION, BRAT, WEB_ANNOTATION, CAS_JSON, LABEL_STUDIO)
TARGETS: Final = (JSON, NOTATION, BRAT, WEB_ANNOTATION)
BY_SUFFIX: Final[Mapping[str, str]] = MappingProxyType({".txt": NOTATION, ".ann": BRAT, ".jsonld": WEB_ANNOTATION})


def of_value(value: Any) -> str:
    """The format of a JSON file's value; what is none of the others' counts as a markup."""
    if isinstance(value, list):
        return LABEL_STUDIO
    if not isinstance(value, dict) or "selections" in value:
        return JSON
    if cas_json.STRUCTURES in value:
        return CAS_JSON
    context = value.get("@context")
    if web_annotation.CONTEXT in (context if isinstance(context, list) else [context]):
        return WEB_ANNOTATION
    return LABEL_STUDIO if "data" in value and {"annotations", "completions"} & value.keys() else JSON
