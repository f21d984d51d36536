"""The registry of tracks. A new one is a module, a name and a case here; tests register their own for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tracks.protocol import Track

# Clause: tracks protocol
_NAMES: Final = ("custom", "diagnosis", "essay", "exam", "fusion", "gec")
DEFAULT: Final = "essay"
"""The track of a cycle that names none."""
_TRACKS: Final[dict[str, Track]] = {}
"""Tracks by name that were loaded, and those of tests."""


def get(name: str) -> Track:
    """Return the track of this name. Raises LookupError for an unregistered one."""
    if name not in _TRACKS:
        _TRACKS[name] = _new_track(name)
    return _TRACKS[name]


def _new_track(name: str) -> Track:
    """Make a track when it is first asked for: a function that scores nothing does not load the scorer."""
    match name:
        case "custom":
            from tracks.custom.track import CustomTrack

            return CustomTrack()
        case "diagnosis":
            from tracks.diagnosis.track import DiagnosisTrack

            return DiagnosisTrack()
        case "essay":
            from tracks.essay.track import EssayTrack

            return EssayTrack()
        case "exam":
            from tracks.exam.track import ExamTrack

            return ExamTrack()
        case "fusion":
            from tracks.fusion.track import FusionTrack

            return FusionTrack()
        case "gec":
            from tracks.gec.track import GecTrack

            return GecTrack()
    raise LookupError(f"there is no track {name!r}; known are {', '.join(names())}")


def names() -> tuple[str, ...]:
    """Return the registered names, sorted."""
    return tuple(sorted({*_NAMES, *_TRACKS}))


@contextmanager
def registered(track: Track) -> Iterator[None]:
    """Register one more track inside a ``with`` block. Raises ValueError if its name is taken."""
    if track.name in names():
        raise ValueError(f"the name {track.name!r} is taken")
    _TRACKS[track.name] = track
    try:
        yield
    finally:
        del _TRACKS[track.name]
