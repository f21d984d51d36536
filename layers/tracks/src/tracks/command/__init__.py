"""The command ``tracks`` and its stream of requests."""

from typing import Final

TRACKS: Final = ("diagnosis", "exam", "fusion", "gec")
"""Tracks that have operations and a command."""
