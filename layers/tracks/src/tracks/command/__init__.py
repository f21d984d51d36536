"""The command ``tracks`` and its stream of requests."""

from collections.abc import Mapping
from typing import Final

TRACKS: Final[Mapping[str, str]] = {
    "diagnosis": "tracks.diagnosis.commands",
    "exam": "tracks.exam.commands",
    "fusion": "tracks.fusion.score",
    "gec": "tracks.gec.operations",
}
"""Tracks that have operations and a command, each with the module of its ``OPERATIONS``."""
