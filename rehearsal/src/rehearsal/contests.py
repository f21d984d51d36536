"""Stages of the other contests (tracks-sessions): runs at their own rhythm, of their own items, with their boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

from local import organizing
from rehearsal.ending import Settings
from rehearsal.final import Stage, Told
from rehearsal.harm.crashes import Writes
from rehearsal.history import MINUTE, SECOND, Millis
from rehearsal.play import items, prying
from rehearsal.play.driver import DrivenClock, DrivenPace, Driver, Timing
from rehearsal.play.items import Contest, Items
from rehearsal.play.programs import (
    A_DAY,
    INSTALLED,
    SUBTASKS,
    TIME_ZONE,
    WHOLE,
    Desk,
    Machines,
    Programs,
    Submitting,
    Times,
)
from rehearsal.play.staff import admit
from rehearsal.play.teams import Team
from rehearsal.play.wire import Fault
from rehearsal.proof.oracle import CUSTOM, DIALOGUES, ESSAY, EXAM, GEC, PROGRAMS, SEMIFINAL
from rehearsal.proof.oracle import KINDS as PROVED
from rehearsal.proof.readable import Phase


class ItemStage(Stage):
    """A run of a contest whose items are answered by themselves, and wrong where they are missed."""

    contest: ClassVar[Contest | None] = None
    unplayed = frozenset({Fault.PRACTICE, Fault.QUALIFYING, Fault.LEAVING, Fault.PEOPLE})

    listening = 0

    def made(self) -> Items:
        return Items(self.contest or items.declared(self.cycle), self.cycle, self.settings.files)


def _stage(kind: str, contest: Contest | None, **own: Any) -> type[Stage]:
    """Return the stage of a kind of items; of the contest that its cycle declares where none is named."""
    return type(kind, (ItemStage,), {"kind": kind, "contest": contest, "boards": PROVED[kind].boards, **own})


_UNDECIDED: Final = ItemStage.unplayed | {Fault.DECISIONS}
"""Decisions on epicrises are not played: each is about all files of an epicrisis."""


STAFF: Final = {organizing.ORGANIZER: "organizer", "commission@example.org": "commission"}
_LEAD: Final[Millis] = 30 * SECOND
_HOUR: Final[Millis] = 60 * MINUTE
_SHORT_DAY: Final[Millis] = 20 * MINUTE  # the first day of a contest of few programs: it begins so long before midnight
_SECOND_DAY: Final[Millis] = 25 * MINUTE
_CHOOSING: Final[Millis] = 5 * MINUTE
_PRIVATE: Final[Millis] = 30 * MINUTE


class ProgramContest(Stage):
    """A whole contest of programs (fusion): two days of submissions, a public test, a private one, boards and prizes.

    It has no run and no schedule. Machines are a stand-in (:class:`rehearsal.play.programs.MachineOrders`), but for one
    run that goes through the real local runner; everything else is the platform's own. ``files`` of the settings are
    the programs of each team.
    """

    kind = PROGRAMS
    writes: ClassVar[Writes] = {
        "submit.submissions": ("STATE", "NAME", "KEY", "LANE", "queue"),
        "score.submission_worker": ("STATE", "LANE", "submissions", "sets", "queue"),
        "dispatch.minute_timer": ("STATE", "submissions", "queue"),
        "shadow.job": ("reports",),
    }
    boards = ("s", *(subtask.lower() for subtask in SUBTASKS))
    more: ClassVar[dict[str, str]] = {"score/submission_worker.py": INSTALLED}
    unplayed = frozenset(Fault) - {
        Fault.DISCONNECTS, Fault.DUPLICATES, Fault.KILLS, Fault.EVENTS, Fault.TICKS, Fault.THROTTLES, Fault.LOSSES,
        Fault.PRYING, Fault.READING,
    }  # fmt: skip

    listening = 0

    def made(self) -> Programs:
        return Programs(self.cycle, self.settings.seed, self.settings.files)

    def plan(self) -> Timing:
        """Return the times of a contest that begins at once, and whose day ends at midnight of its zone."""
        now = self.cloud.clock.now_ms()
        midnight = now - now % _HOUR + _HOUR
        if self.settings.files < WHOLE:
            self.cloud.clock.jump((midnight - _SHORT_DAY - now) / SECOND)
            now = self.cloud.clock.now_ms()
        choosing = midnight + _SECOND_DAY
        private = choosing + _CHOOSING
        self._times = Times(now + _LEAD, midnight, choosing, private, private + _PRIVATE)
        length = self._times.ends_at - self._times.starts_at
        timing = Timing("", "submissions", self._times.starts_at, 0, 0, 0, length, 0, self.settings.files)
        self._begin_history(timing)
        return timing

    def write_own(self) -> None:
        limits = {"a_day": A_DAY, "unscored_a_day": self.material.unscored_a_day}
        self.history.add("own", zone=TIME_ZONE, **limits)
        for name, subtask, truth in self.material.truth():
            self.history.add("own", set=name, subtask=subtask, truth=truth)
        for team in range(self.settings.teams):
            for day in self.material.of_team(team):
                for row in self.material.told(day):
                    self.history.add("own", **row)

    def admit(self, *others: str) -> tuple[list[Team], list[Team]]:
        """See :class:`Stage`; nobody's own program takes part."""
        names = self.entered = [f"team-{number:03d}" for number in range(1, self.settings.teams + 1)]
        self.staff = STAFF | (prying.STAFF if self.is_played(Fault.READING) else {})
        tokens = admit(self.cloud, [*names, *others], self.staff)
        teams = [Team(index, name, tokens[name], self.wire) for index, name in enumerate(names)]
        self.first = teams[0]
        self.readers = list(self._readers(names, tokens)) if self.is_played(Fault.READING) else []
        return teams, []

    def play(self, timing: Timing, teams: Sequence[Team], on_moment: Told, guests: Sequence[DrivenClock] = ()) -> None:
        settings, now = self.settings, self.cloud.clock.now_ms
        saboteur = self.saboteur()
        pace = DrivenPace(self.cloud, settings.seed, self.noted, faulty=Fault.TICKS in settings.faults, calm=True)
        driver = Driver(pace, saboteur, on_moment, guests)
        submitting = self.submitting = Submitting(self.material, self._times, settings, now, self.noted)
        for team in teams:
            driver.spawn(team, submitting.play(team, self.material.of_team(team.index)))
        organizer, commission = map(self.person, STAFF)
        desk = Desk(organizer, commission, self._times, submitting)
        driver.spawn(desk, desk.play())
        driver.spawn(desk, Machines(self.cloud, self.noted).play(self._times.ends_at))
        driver.run(timing.starts_at + timing.total)
        saboteur.stop()
        pace.heal()
        pace.reach(self._times.ends_at + 5 * MINUTE)
        self.cloud.drain()

    languages = ()

    def names(self, timing: Timing) -> dict[str, str]:
        """See :class:`~rehearsal.ending.Ending`; with the first submission of the team that is read."""
        submissions = self.submitting.submissions.get(self.first.name, [""])
        return {**super().names(timing), "submission_id": submissions[0]}

    def conclude(self, timing: Timing, teams: Sequence[Team]) -> None:
        self.on_act("writing_down")
        self.cloud.clock.advance(15)
        self.read(timing, Phase.PUBLISHED)
        self.answer("keys", "/v1/keys", needed=True)
        for key in self.boards:
            self.answer(f"board/{key}", f"/v1/boards/{key}")
        self.answer("private", "/v1/private-test", self.first.token)
        self.archive("/v1/private-test/archive", "private_archive")
        for team in teams:
            self.answer(f"submissions/{team.name}", "/v1/submissions?limit=100", team.token)
        with suppress(KeyError):
            self.answer("desk", "/v1/conduct/private-test", self.person().current_token())
        self.write_facts()


USUAL: Final = Settings()


def _rhythm(*times: float, teams: int = 10, files: int = 20) -> Settings:
    interval, request, answer, total, join = times
    return Settings(teams, files, interval=interval, request=request, answer=answer, total=total, join=join)


# Clause: TS T18
KINDS: Final[Mapping[str, tuple[type[Stage], Settings]]] = MappingProxyType(
    {
        ESSAY: (Stage, USUAL),
        EXAM: (_stage(EXAM, items.EXAM), _rhythm(30, 10, 50, 60, 120, files=30)),
        GEC: (_stage(GEC, items.GEC), _rhythm(30, 10, 50, 60, 120)),
        # An epicrisis in two versions, each for half a minute, whether or not the one before was answered.
        SEMIFINAL: (
            _stage(SEMIFINAL, items.SEMIFINAL, unplayed=_UNDECIDED, publications=2, sends=99),
            _rhythm(30, 30, 30, 30, 0),
        ),
        # An epicrisis a minute, talked over in turns that bring its studies.
        DIALOGUES: (
            _stage(DIALOGUES, items.DIALOGUES, unplayed=_UNDECIDED, sends=99),
            _rhythm(60, 60, 60, 60, 0, files=12),
        ),
        CUSTOM: (_stage(CUSTOM, None), _rhythm(30, 10, 50, 60, 120)),
        PROGRAMS: (ProgramContest, _rhythm(0, 0, 0, 0, 0, teams=6, files=9)),
    }
)
"""Kinds of stage by their names, with the rhythm and usual size of each (tracks-sessions, table of modes)."""

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
