"""What the parts of ``cycle.json`` have in common: how they are read, and how their schema is written."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import GenerateJsonSchema


class FilePart(BaseModel):
    """A part of the file: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def undecided(schema: dict[str, Any]) -> None:
    """Keep from the schema a default that only stands for what is decided elsewhere."""
    del schema["default"]


class WithoutTitles(GenerateJsonSchema):
    """A schema whose fields are called as they are, and not once more by their names in capitals."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 -- of no field
        """None should."""
        return False
