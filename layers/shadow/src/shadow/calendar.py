"""When a run's files open, until when they may be asked for and answered: from the run and its amendments alone.

R 7.5, 7.6; D 6.16, 8.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from shadow.source import Item, Json, Millis

PAUSES_TOGETHER: Final[Millis] = 2 * 60 * 60 * 1000
"""How long a run may be paused altogether (D 6.16)."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """A run's times after everything that was decided; file n is at n - 1."""

    opens: tuple[Millis, ...]
    request: Millis
    answer: Millis
    total: Millis
    stopped_at: Millis | None
    taken_away: frozenset[int]
    """Files that the organizers annulled for everybody."""
    rulings: Mapping[tuple[str, int], str]
    """Causes that the commission gave, by team and file."""

    @classmethod
    def of(cls, run: Item, amendments: Sequence[Item]) -> Calendar:
        """From a stored run and those of its amendments that are to count. O(files · pauses + amendments)."""
        taken_back = {each["details"]["amendment"] for each in amendments if each["kind"] == "undo"}
        standing = [each for each in amendments if each["kind"] != "undo" and each["number"] not in taken_back]
        pauses = list(pauses_of(standing))
        stops = [each["effective_at"] for each in standing if each["kind"] == "stop"]
        limits = run["limits"]
        return cls(
            opens=tuple(delayed(each, pauses) for each in _grid(run, amendments)),
            request=limits["request"],
            answer=limits["answer"],
            total=limits["total"],
            stopped_at=min(stops, default=None),
            taken_away=frozenset(chain(_annulled(standing), _withdrawn(run, amendments, taken_back))),
            rulings={
                (each["details"]["team_id"], int(each["details"]["number"])): str(each["details"]["cause"])
                for each in standing
                if each["kind"] == "rule"
            },
        )

    def request_by(self, number: int) -> Millis:
        """The last moment at which a file may be asked for."""
        return self.opens[number - 1] + self.request

    def answer_by(self, number: int, asked_at: Millis, handed_out_at: Millis) -> Millis:
        """The deadline of a file that was handed out: what the platform took to do so is the team's again."""
        opening = self.opens[number - 1]
        waited = handed_out_at - max(opening, asked_at)
        return min(handed_out_at + self.answer, opening + self.total + max(waited, 0))

    def last_moment(self, number: int) -> Millis:
        """The latest that a file may be answered which was never handed out."""
        return self.opens[number - 1] + self.total


def pauses_of(standing: Sequence[Item]) -> Iterator[tuple[Millis, Millis]]:
    """Begin and end of every pause: one that nobody ends takes what is left of the two hours."""
    left, begun = PAUSES_TOGETHER, None
    decided = sorted((each["effective_at"], each["number"], each["kind"]) for each in standing)
    for moment, _, kind in decided:
        if begun is not None and moment >= begun + left:
            yield begun, begun + left
            left, begun = 0, None
        if kind == "pause" and begun is None and left > 0:
            begun = moment
        elif kind == "resume" and begun is not None:
            yield begun, moment
            left, begun = left - (moment - begun), None
    if begun is not None:
        yield begun, begun + left


def _grid(run: Item, amendments: Sequence[Item]) -> Iterator[Millis]:
    """Planned openings: one every interval; replacements at the places that their decisions name."""
    places: list[int] = list(range(run["files"]))
    for each in amendments:
        if each["kind"] == "replace":
            first = int(each["details"]["slot"])
            places += range(first, first + len(each["details"]["numbers"]))
    return (run["starts_at"] + place * run["interval"] for place in places)


def delayed(planned: Millis, pauses: Sequence[tuple[Millis, Millis]]) -> Millis:
    """Move a planned moment by every pause that begins before it, so moved, is there."""
    moment = planned
    for begin, end in pauses:
        moment += end - begin if begin <= moment else 0
    return moment


def _annulled(standing: Sequence[Item]) -> Iterator[int]:
    for each in standing:
        if each["kind"] in ("void", "replace"):
            yield from (int(number) for number in each["details"]["numbers"])


def _withdrawn(run: Item, amendments: Sequence[Item], taken_back: set[Json]) -> Iterator[int]:
    """Files that a replacement appended which was taken back."""
    first = run["files"] + 1
    for each in amendments:
        if each["kind"] == "replace":
            following = first + len(each["details"]["numbers"])
            if each["number"] in taken_back:
                yield from range(first, following)
            first = following
