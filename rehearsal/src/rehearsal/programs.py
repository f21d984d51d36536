"""The contest of programs (fusion): two days of submissions, a public test, a private one, boards and prizes.

It has no run and no schedule. Machines are a stand-in (:mod:`rehearsal.harm.machines`), but for one run that goes
through the real local runner; everything else is the platform's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final

from local import organizing
from rehearsal.ending import Player, export
from rehearsal.final import Stage, Told
from rehearsal.harm.machines import INSTALLED
from rehearsal.harm.saboteur import Sabotage, Writes
from rehearsal.moments import MINUTE, SECOND, Millis
from rehearsal.play import reading
from rehearsal.play.deciding import admit
from rehearsal.play.driver import DrivenPace, Driver, Guest, Timing
from rehearsal.play.injections import Fault
from rehearsal.play.programs import A_DAY, SUBTASKS, TIME_ZONE, WHOLE, Desk, Machines, Programs, Submitting, Times
from rehearsal.play.script import Person
from rehearsal.play.teams import Team
from rehearsal.proof.oracle import PROGRAMS
from rehearsal.proof.readable import Phase

STAFF: Final = {organizing.ORGANIZER: "organizer", "commission@example.org": "commission"}
_LEAD: Final[Millis] = 30 * SECOND
_HOUR: Final[Millis] = 60 * MINUTE
_SHORT_DAY: Final[Millis] = 20 * MINUTE
"""The first day of a contest of few programs: it begins so long before midnight."""
_SECOND_DAY: Final[Millis] = 25 * MINUTE
_CHOOSING: Final[Millis] = 5 * MINUTE
_PRIVATE: Final[Millis] = 30 * MINUTE


class ProgramContest(Stage):
    """A whole contest of programs; ``files`` of the settings are the programs of each team."""

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

    @property
    def listening(self) -> int:
        """Return 0: no team is on the event channel."""
        return 0

    def made(self) -> Programs:
        """See :class:`Stage`."""
        return Programs(self.cycle, self.settings.seed, self.settings.files)

    def texts_in(self, received: str) -> tuple[int, ...]:
        """Return the true answers of its tests, by number."""
        numbers: tuple[int, ...] = self.material.truths_in(received)
        return numbers

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
        timing = Timing(
            run_id="", mode="submissions", starts_at=self._times.starts_at, interval=0, request=0, answer=0,
            total=length, join=0, files=self.settings.files,
        )  # fmt: skip
        self._begin_history(timing)
        return timing

    def write_own(self) -> None:
        """See :class:`Stage`."""
        limits = {"a_day": A_DAY, "unscored_a_day": self.material.unscored_a_day}
        self.history.add("own", zone=TIME_ZONE, **limits)
        for name, subtask, truth in self.material.truth():
            self.history.add("own", set=name, subtask=subtask, truth=truth)
        for team in range(self.settings.teams):
            for day in self.material.of_team(team):
                for row in self.material.told(day):
                    self.history.add("own", **row)

    def admit(self, *others: str) -> tuple[list[Player], list[Team]]:
        """See :class:`Stage`; nobody's own program takes part."""
        names = [f"team-{number:03d}" for number in range(1, self.settings.teams + 1)]
        self.entered = names
        self.staff = STAFF | (reading.STAFF if self.is_played(Fault.READING) else {})
        tokens = admit(self.cloud, [*names, *others], self.staff)
        teams: list[Player] = [Team(index, name, tokens[name], self.wire) for index, name in enumerate(names)]
        self.readers = list(self._readers(names, tokens)) if self.is_played(Fault.READING) else []
        return teams, []

    def play(self, timing: Timing, teams: Sequence[Player], on_moment: Told, guests: Sequence[Guest] = ()) -> None:
        """Play both days and the private test."""
        settings, now, injected = self.settings, self.cloud.clock.now_ms, self._injected
        saboteur = self._saboteur()
        pace = DrivenPace(self.cloud, settings.seed, injected, faulty=Fault.TICKS in settings.faults, calm=True)
        driver = Driver(pace, saboteur, on_moment, guests)
        submitting = self.submitting = Submitting(self.material, self._times, settings, now, injected)
        for team in teams:
            if isinstance(team, Team):
                driver.spawn(team, submitting.play(team, self.material.of_team(team.index)))

        def signed_in(name: str) -> str:
            return organizing.token(self.cloud.url, name, "staff")

        organizer, commission = (Person(name, self.wire, signed_in) for name in STAFF)
        desk = Desk(organizer, commission, self._times, submitting.submitted, now)
        driver.spawn(desk, desk.play())
        driver.spawn(desk, Machines(self.cloud, injected).play(self._times.ends_at))
        driver.run(timing.starts_at + timing.total)
        if isinstance(saboteur, Sabotage):
            saboteur.stop()
        pace.heal()
        pace.reach(self._times.ends_at + 5 * MINUTE, lambda: 0)
        self.cloud.drain()

    @property
    def languages(self) -> Sequence[str]:
        """Return nothing: the boards of subtasks have no parts."""
        return ()

    def names(self, timing: Timing) -> dict[str, str]:
        """See :class:`~rehearsal.ending.Ending`; with the first submission of the team that is read."""
        submissions = self.submitting.submitted.submissions.get(self.first.name, [""])
        return {**super().names(timing), "submission_id": submissions[0]}

    def conclude(self, timing: Timing, teams: Sequence[Player]) -> None:
        """Record the platform's data and answers in the end."""
        self.on_act("writing_down")
        self.cloud.clock.advance(15)
        someone: Any = teams[0]
        self.first = someone
        self.read(timing, Phase.PUBLISHED)
        self.answer("keys", "/v1/keys", needed=True)
        for key in self.boards:
            self.answer(f"board/{key}", f"/v1/boards/{key}")
        self.answer("private", "/v1/private-test", someone.token)
        self.archive("/v1/private-test/archive", "private_archive")
        for team in teams:
            self.answer(f"submissions/{team.name}", "/v1/submissions?limit=100", team.token)
        desk = organizing.token(self.cloud.url, organizing.ORGANIZER, "staff")
        with suppress(KeyError):
            self.answer("desk", "/v1/conduct/private-test", desk)
        self.write_operations()
        export(self.cloud, self.history, self.crashes.acts())
