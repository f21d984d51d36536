"""What a track may promise beside :class:`tracks.protocol.Track`: files of its contest's own, steps by the item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from tracks.protocol import Json, Reason, Step, Track


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Files of a set in the platform's form: ``ID.json`` an item, ``ID_expNN.json`` a reference, canonical JSON.

    All or nothing: with reasons there are no files. ``read`` are the names of those given that were in the contest's
    own form; every other one stands in ``files`` as it was.
    """

    files: Mapping[str, bytes]
    reasons: tuple[Reason, ...]
    read: frozenset[str]
    origins: Mapping[str, str] = field(default_factory=dict)
    """The file of the contest's own by the name of the one that was made of it."""


@runtime_checkable
class ReadsOwnFiles(Protocol):
    """A track whose contest has files of its own for a set, beside :class:`tracks.protocol.Track`."""

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Turn the files of a set's folder, by their names in it, into the platform's form.

        Every fault of every file is listed, each with ``file`` in its ``where``. Never raises on bad input. What is in
        the platform's form already is not looked into: the track's ``read_item`` judges it as it judges the result.
        """


@dataclass(frozen=True, slots=True)
class SubmissionRead:
    """A whole set's answers: the body for the track's ``validate`` by the item's id, and the items without an answer.

    All or nothing: with reasons there are neither.
    """

    answers: Mapping[str, bytes]
    missing: tuple[str, ...]
    reasons: tuple[Reason, ...]


@runtime_checkable
class AnsweredInOneFile(Protocol):
    """A track whose sets may be answered by one file each, beside :class:`tracks.protocol.Track`."""

    def read_submission(self, body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
        """Take a file apart into answers to ``items``, which are a set's in the order of its manifest.

        Every answer is a valid one. Every fault is listed; never raises on bad input.
        """


@runtime_checkable
class StepsByItem(Protocol):
    """A track whose items go through other steps from set to set, beside :class:`tracks.protocol.Track`.

    Its ``steps`` has all that an item can have then, those of one kind of set after those of another.
    """

    def steps_of(self, item: Json, parameters: Json) -> tuple[Step, ...]:
        """States of this item's dialogue, the first one being where it starts."""


def steps_of(track: Track, item: Json, parameters: Json) -> tuple[Step, ...]:
    """States of an item's dialogue, whether they follow from the item or from the parameters alone."""
    return track.steps_of(item, parameters) if isinstance(track, StepsByItem) else track.steps(parameters)
