"""Faults found while reading what an organizer supplies: all of them, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tracks.protocol import Reason, Text

NOWHERE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: a stable code, the file and what is wrong with it, in both languages."""

    code: str
    file: str
    message: Text
    where: Mapping[str, Any] = field(default_factory=lambda: NOWHERE)


def from_reason(reason: Reason, file: str) -> Fault:
    """A track's reason as a fault of a file."""
    return Fault(reason.code, file, reason.message, reason.where)
