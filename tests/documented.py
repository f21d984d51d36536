"""Answers held against the interface's document."""

from __future__ import annotations

import json
from typing import Any, Final

import jsonschema

from contest.edge import documentation

DOCUMENT: Final = json.loads(documentation.text())
"""OpenAPI document of all contests that is in the repository."""


def conforms(answered: Any, method: str, path: str, made: Any = DOCUMENT) -> None:
    """Check an answer against a document, headers too."""
    described = documentation.responses(made, made["paths"][path][method])[str(answered.status)]
    for name in described.get("headers", {}):
        assert name.lower() in answered.headers or name == "Retry-After", (path, name)
    if answered.status == 304:
        assert answered.text == ""
        return
    told = described["content"][answered.headers.get("content-type", "application/json")]
    schema = {**told["schema"], "components": made["components"]}
    jsonschema.Draft202012Validator(schema).validate(answered.json)
