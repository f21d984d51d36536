"""The registry of tracks. A new one is a module and a line here; tests register their own for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from tracks.protocol import Track


def _essay() -> Track:
    from tracks.essay.track import EssayTrack  # a function that scores nothing does not load the scorer

    return EssayTrack()


def _custom() -> Track:
    from tracks.custom.track import CustomTrack

    return CustomTrack()


def _diagnosis() -> Track:
    from tracks.diagnosis.track import DiagnosisTrack

    return DiagnosisTrack()


def _fusion() -> Track:
    from tracks.fusion.track import FusionTrack

    return FusionTrack()


def _gec() -> Track:
    from tracks.gec.track import GecTrack

    return GecTrack()


def _exam() -> Track:
    from tracks.exam.track import ExamTrack

    return ExamTrack()


_MAKERS: Final[dict[str, Callable[[], Track]]] = {
    "custom": _custom,
    "diagnosis": _diagnosis,
    "essay": _essay,
    "exam": _exam,
    "fusion": _fusion,
    "gec": _gec,
}
"""Clause: tracks protocol"""
_MADE: Final[dict[str, Track]] = {}


def get(name: str) -> Track:
    """Return the track of this name. Raises LookupError for an unregistered one."""
    if name not in _MADE:
        if name not in _MAKERS:
            raise LookupError(f"there is no track {name!r}; known are {', '.join(sorted(_MAKERS))}")
        _MADE[name] = _MAKERS[name]()
    return _MADE[name]


def names() -> tuple[str, ...]:
    """Return the registered names, sorted."""
    return tuple(sorted(_MAKERS))


@contextmanager
def registered(track: Track) -> Iterator[None]:
    """Register one more track inside a ``with`` block. Raises ValueError if its name is taken."""
    if track.name in _MAKERS:
        raise ValueError(f"the name {track.name!r} is taken")
    _MAKERS[track.name] = lambda: track
    try:
        yield
    finally:
        del _MAKERS[track.name]
        _MADE.pop(track.name, None)
