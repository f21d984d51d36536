"""Parts of which tracks put the JSON Schemas of their values together (2020-12), for the API's documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Form = dict[str, Any]
STRING: Final[Form] = {"type": "string"}
WHOLE: Final[Form] = {"type": "integer", "minimum": 0}
FRACTION: Final[Form] = {"type": "number", "minimum": 0, "maximum": 1}
AMOUNT: Final[Form] = {"type": "number", "minimum": 0}
FLAG: Final[Form] = {"type": "boolean"}
SHA256: Final[Form] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
NOTHING: Final[Form] = {"type": "null", "description": "The contest has nothing to say here."}
IN_TWO_LANGUAGES: Final[Form] = {
    "type": "object",
    "properties": {"en": STRING, "ru": STRING},
    "required": ["en", "ru"],
    "additionalProperties": False,
}


def null_or(form: Mapping[str, Any]) -> Form:
    """The form, or null."""
    return {"anyOf": [form, {"type": "null"}]}


def ref(name: str) -> Form:
    """One of the track's models by its name (``Schemas.named``)."""
    return {"$ref": f"#/$defs/{name}"}


def either(*names: str) -> Form:
    """One of several of the track's models."""
    return {"anyOf": [ref(name) for name in names]}


def listed(items: Mapping[str, Any], **more: Any) -> Form:
    """A list of these."""
    return {"type": "array", "items": items, **more}


def mapped(values: Mapping[str, Any], description: str = "") -> Form:
    """An object that maps any names to these."""
    said = {"description": description} if description else {}
    return {"type": "object", "additionalProperties": values, **said}


def closed(description: str, properties: Mapping[str, Any], optional: tuple[str, ...] = ()) -> Form:
    """An object with these fields alone; ``optional`` ones may be absent."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def fingerprint() -> Form:
    """Of :func:`tracks.fingerprints.fingerprint`."""
    return closed(
        "By what a score can be recognised and recomputed.",
        {"library": STRING, "libraries": mapped(STRING), "op": STRING, "inputs": mapped(SHA256)},
    )
