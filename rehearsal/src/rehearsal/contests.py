"""Stages of the other contests (tracks-sessions): runs at their own rhythm, of their own items, with their boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Final

from rehearsal.ending import Settings
from rehearsal.final import Stage
from rehearsal.play import items
from rehearsal.play.injections import Fault
from rehearsal.play.items import Contest, Items
from rehearsal.programs import ProgramContest
from rehearsal.proof.oracle import CUSTOM, DIALOGUES, ESSAY, EXAM, GEC, PROGRAMS, SEMIFINAL
from rehearsal.proof.oracle import KINDS as PROVED


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Times of a kind of stage in seconds, as its contest has them, and how large it usually is."""

    interval: float
    request: float
    answer: float
    total: float
    join: float
    teams: int
    files: int


class ItemStage(Stage):
    """A run of a contest whose items are answered by themselves, and wrong where they are missed."""

    contest: ClassVar[Contest]
    unplayed = frozenset({Fault.PRACTICE, Fault.QUALIFYING, Fault.LEAVING, Fault.PEOPLE})

    @property
    def listening(self) -> int:
        """Return 0: no team is on the event channel."""
        return 0

    def made(self) -> Items:
        """See :class:`Stage`."""
        return Items(self.contest, self.cycle, self.settings.files)

    def write_own(self) -> None:
        """See :class:`Stage`."""
        for number, (item, references, which) in enumerate(self.material.own(), start=1):
            self.history.add("own", number=number, item=item, experts=references, **which)


class ExamFinal(ItemStage):
    """The final of the exam: a task every half minute."""

    kind = EXAM
    contest = items.EXAM
    boards = PROVED[EXAM].boards


class GecFinal(ItemStage):
    """The final of corrections: a text every half minute; two boards."""

    kind = GEC
    contest = items.GEC
    boards = PROVED[GEC].boards


class CustomFinal(ItemStage):
    """The final of a contest with a declared measure."""

    kind = CUSTOM
    boards = PROVED[CUSTOM].boards

    def made(self) -> Items:
        """See :class:`Stage`."""
        return Items(items.declared(self.cycle), self.cycle, self.settings.files)


class Semifinal(ItemStage):
    """The semifinal of diagnoses: an epicrisis in two versions, each for half a minute, whether or not the one before
    was answered. What organizers decide of epicrises, they decide of all their files."""

    kind = SEMIFINAL
    unplayed = ItemStage.unplayed | {Fault.DECISIONS}
    contest = items.SEMIFINAL
    publications = 2
    sends = 99
    boards = PROVED[SEMIFINAL].boards


class Dialogues(ItemStage):
    """Stage 1 of the final of diagnoses: an epicrisis a minute, talked over in turns that bring its studies."""

    kind = DIALOGUES
    unplayed = ItemStage.unplayed | {Fault.DECISIONS}
    contest = items.DIALOGUES
    sends = 99
    boards = PROVED[DIALOGUES].boards


USUAL: Final = Rhythm(60, 10, 50, 60, 120, 10, 20)
# Clause: TS T18
KINDS: Final[Mapping[str, tuple[type[Stage], Rhythm]]] = MappingProxyType(
    {
        ESSAY: (Stage, USUAL),
        EXAM: (ExamFinal, Rhythm(30, 10, 50, 60, 120, 10, 30)),
        GEC: (GecFinal, Rhythm(30, 10, 50, 60, 120, 10, 20)),
        SEMIFINAL: (Semifinal, Rhythm(30, 30, 30, 30, 0, 10, 20)),
        DIALOGUES: (Dialogues, Rhythm(60, 60, 60, 60, 0, 10, 12)),
        CUSTOM: (CustomFinal, Rhythm(30, 10, 50, 60, 120, 10, 20)),
        PROGRAMS: (ProgramContest, Rhythm(0, 0, 0, 0, 0, 6, 9)),
    }
)
"""Kinds of stage by their names, with the rhythm of each (tracks-sessions, table of modes)."""

TRACKS: Final = tuple(dict.fromkeys(kind.partition("-")[0] for kind in KINDS))
STAGES: Final = tuple(kind.partition("-")[2] for kind in KINDS if "-" in kind)
"""Contests, and stages of those that have several."""


def settings_of(kind: str, settings: Settings) -> Settings:
    """Return settings with a stage's rhythm, or its cycle's, without the faults that do not happen in it; a chosen
    interval stays. Around an organizer's own final nothing is played: that takes parameters and sets of its own.

    Organizers rule on a file of a team that has come last, so a run that is half over before everybody is there has
    no decisions. KeyError for an unknown kind.
    """
    stage, rhythm = KINDS[kind]
    times = {name: getattr(rhythm, name) for name in ("request", "answer", "total", "join")}
    unplayed = stage.unplayed
    if settings.cycle is not None:
        times = {name: settings.cycle.time(name, usual) for name, usual in times.items()}
        unplayed |= {Fault.PRACTICE, Fault.QUALIFYING, Fault.READING, Fault.PEOPLE}
    if kind != ESSAY and settings.files // 2 * settings.interval < times["join"]:
        unplayed |= {Fault.DECISIONS}
    return replace(settings, faults=settings.faults - unplayed, **times)


def kind_named(track: str, stage: str | None) -> str | None:
    """Return the kind of a contest's stage; without a stage its only one, or its first. None where there is none."""
    name = track if stage is None else f"{track}-{stage}"
    return next((kind for kind in KINDS if kind == name or (stage is None and kind.startswith(f"{track}-"))), None)
