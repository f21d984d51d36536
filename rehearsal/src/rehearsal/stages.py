"""Stages: a running cloud with a loaded cycle and admitted teams, which plays its run or contest to the published end.

:class:`Stage` is a final of essays. The others (tracks-sessions) are its subclasses: runs at their own rhythm, of their
own items, with their boards, and a contest of programs.
"""

from __future__ import annotations

import base64
import io
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from local import organizing
from local.clock import Clock, monotonic_s
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.pump import Faults
from local.lambdas.runtime import Logs
from local.organizing import CYCLE_VARIABLE
from rehearsal.ending import Bill, Ending, Settings
from rehearsal.harm.crashes import WRITES, Crashes, Losses, Sabotage, Writes
from rehearsal.history import FORMAT, MINUTE, ORGANIZERS, SECOND, History, Millis, Story, to_text
from rehearsal.play import around, items, prying, qualifying, staff
from rehearsal.play.around import SlowTeam
from rehearsal.play.channel import CUT_SHARE, UNPUSHED, ChannelTeam, ChannelTeams, Lifelines, looked_at
from rehearsal.play.driver import DrivenClock, DrivenPace, Driver, RunningPace, Timing, is_settled
from rehearsal.play.items import Contest, Items
from rehearsal.play.material import FINAL, Material
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
from rehearsal.play.prying import Crowd, Reader
from rehearsal.play.staff import admit
from rehearsal.play.teams import LEAVING, Team, Teams, as_json, leaving
from rehearsal.play.wire import Caller, Fault, Scripts
from rehearsal.proof import readable
from rehearsal.proof.case import Check
from rehearsal.proof.checker import check
from rehearsal.proof.oracle import CUSTOM, DIALOGUES, ESSAY, EXAM, GEC, PROGRAMS, SEMIFINAL
from rehearsal.proof.oracle import KINDS as PROVED
from rehearsal.proof.readable import Phase

Json = Any
SOURCES: Final = Path(__file__).parents[3] / "functions"
STARTED_MS: Final = 1_795_262_430_000
"""Start of a driven clock, 2026-11-21 12:00:30 UTC: fixed, so that the same seed has the same moments."""
_AFTER_LAST: Final[Millis] = 12 * MINUTE
"""Longest time from the last opening to the results: sessions end at the latest after five minutes; then visits of the
timer make record and board, in four stages of which each may be lost once."""
_WATCHED: Final = ("SCORE", "CONNECTIONS", "runs", "reports")
_PARAMETERS: Final = {"technical": {"enabled": False}}
_EVENTS: Final[Mapping[str, Any]] = {"duplicate": 0.05, "delay": 0.1, "drop": 0.05}
_TWICE: Final[Mapping[str, Any]] = {"duplicate": 0.5}
_KILL, _THROTTLE = 0.04, 0.06  # chances at each moment with requests

_LATE: Final = 1  # number of the team that joins in the last moment, so that it misses files
ELSEWHERE: Final = -1  # number of a team whose program the rehearsal does not simulate

Told = Callable[[Millis], None]
_BESIDE: Final = {
    Fault.PRACTICE: around.PRACTISING,
    Fault.QUALIFYING: qualifying.NAMES,
    Fault.LEAVING: LEAVING,
    Fault.PRYING: ("latecomer", prying.ATTACKER),
    Fault.PEOPLE: (around.ACTED_ON,),
}
"""Names of the teams that are entered beside the simulated ones, by the fault that they play."""
_STAFF: Final[Sequence[tuple[Fault, Mapping[str, str]]]] = (
    (Fault.DECISIONS, {organizing.ORGANIZER: "organizer"}),
    (Fault.QUALIFYING, {**qualifying.STAFF, **staff.STAFF}),
    (Fault.READING, prying.STAFF),
    (Fault.PEOPLE, {**around.DISMISSED_STAFF, organizing.ORGANIZER: "organizer"}),
)
"""Roles of people of the staff, by their addresses."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a rehearsal: the history, the results of the checks, and the duration in real seconds."""

    story: Story
    checks: tuple[Check, ...]
    seconds: float
    bill: Bill

    @property
    def green(self) -> bool:
        return all(one_check.passed for one_check in self.checks)

    @property
    def kind(self) -> str:
        return str(self.story.header.get("stage", ESSAY))

    @property
    def is_outside(self) -> bool:
        """Return whether the platform ran elsewhere: neither its board nor its bill is known."""
        return bool(self.story.header.get("outside"))


class Stage(Ending):
    """A running cloud with a loaded cycle and admitted teams, ready for its run: a final of essays.

    Other kinds of stage are its subclasses: each names its proof (``kind``, a name of
    :data:`rehearsal.proof.checker.PROOFS`) and the writes that faults may hit, and plays its own parts.
    """

    kind: ClassVar[str] = ESSAY
    writes: ClassVar[Writes] = WRITES
    unplayed: ClassVar[frozenset[Fault]] = frozenset()  # faults that do not happen in it
    sends: ClassVar[int] = 10  # number of answers to a file that may count
    more: ClassVar[Mapping[str, str]] = MappingProxyType({})  # code with which modules of the copy end

    def made(self) -> Any:
        pried = prying.OF_THE_SET * self.is_played(Fault.PRYING)
        tested = max(qualifying.FILES * self.is_played(Fault.QUALIFYING), pried)
        return Material(self.cycle, self.settings.files, tested)

    def load(self) -> None:
        """Load the cycle, with the parameters that the plays beside the run need."""
        plays: Mapping[Fault, Mapping[str, Json]] = {
            Fault.DECISIONS: staff.DECIDING,
            Fault.PEOPLE: around.QUOTAS,
            Fault.QUALIFYING: {**qualifying.PARAMETERS, **staff.MARKING},
            Fault.READING: {} if self.cycle.is_own or self.kind != ESSAY else prying.PARAMETERS,
        }
        played = (parameters for fault, parameters in plays.items() if fault in self.settings.faults)
        parameters = {name: value for some in (_PARAMETERS, *played) for name, value in some.items()}
        with tempfile.TemporaryDirectory(prefix="hurdle-cycle-") as name:
            self.material.write(Path(name, "cycle"), self.organizer.cycle, parameters)
            self.organizer.load(Path(name, "cycle"))

    def plan(self) -> Timing:
        """Plan the run for ``participants``, and publish its commitment, with the organizer's command."""
        lead = round(self.settings.lead * SECOND)
        timing = self.order(FINAL, self.settings.files, self.participants, lead=lead)
        self._begin_history(timing)
        self.answer("run_before", f"/v1/runs/{timing.run_id}")
        self.read(timing, readable.Phase.PLANNED)
        return timing

    def admit(self, *others: str) -> tuple[list[Team], list[Team]]:
        """Admit the simulated teams, and others whose programs are played elsewhere. One in five of the simulated ones
        is on the event channel, unless the clock runs."""
        names = [f"team-{number:03d}" for number in range(1, self.settings.teams + 1)]
        beside = {fault: among for fault, among in _BESIDE.items() if self.is_played(fault)}
        self.staff = {name: role for fault, some in _STAFF if self.is_played(fault) for name, role in some.items()}
        late = beside.get(Fault.PRYING, ())[:1]
        self.participants = [*names, *others, *beside.get(Fault.LEAVING, ()), *late]
        self.admitted_at = self.cloud.clock.now_ms()
        self.entered = [*names, *others, *(name for among in beside.values() for name in among)]
        tokens = admit(self.cloud, self.entered, self.staff)

        def team(name: str, index: int = ELSEWHERE) -> Team:
            return SlowTeam(index, name, tokens[name], self.wire)

        self.beside = {fault: [team(name) for name in among] for fault, among in beside.items()}
        over_http = len(names) - self.listening
        simulated = [
            team(name, index)
            if index < over_http
            else ChannelTeam(index, name, tokens[name], self.wire, self.cloud.drain)
            for index, name in enumerate(names)
        ]
        self.first = simulated[0]
        self.readers = list(self._readers(names, tokens)) if self.is_played(Fault.READING) else []
        return simulated, [team(name) for name in others]

    def _readers(self, teams: Sequence[str], tokens: Mapping[str, str]) -> Iterator[Reader]:
        """Yield a reader of each role: everybody, the programs of two teams, where there are two, and the staff."""
        yield Reader(readable.PUBLIC, prying.EVERYBODY, self.wire, lambda: None)
        for role, name in zip((readable.OWN, readable.OTHER), teams, strict=False):
            yield Reader(role, name, self.wire, partial(tokens.__getitem__, name))
        for person, role in prying.STAFF.items():
            yield Reader(role, person, self.wire, self.person(person).current_token)

    def whole(self, on_moment: Told) -> int:
        """Play all of it; return the number of its simulated teams."""
        teams, _ = self.admit()
        timing = self.plan()
        self.play(timing, teams, on_moment)
        self.conclude(timing, teams)
        return len(teams)

    def play(self, timing: Timing, teams: Sequence[Team], on_moment: Told, guests: Sequence[DrivenClock] = ()) -> None:
        settings = self.settings
        pace: DrivenPace | RunningPace = RunningPace(self.cloud.clock.now_ms)
        if settings.driven:
            faulty, twins = (fault in settings.faults for fault in (Fault.TICKS, Fault.TWINS))
            pace = DrivenPace(self.cloud, settings.seed, self.noted, faulty=faulty, twins=twins)
        saboteur = self.saboteur()
        driver = Driver(pace, saboteur, on_moment, guests)
        plays = self.plays(timing)
        cuts = (CUT_SHARE if settings.share is None else settings.share) * (Fault.DISCONNECTS in settings.faults)
        listening = ChannelTeams(timing, settings.seed, cuts, self.material, self.noted)
        over_http = [team for team in teams if not isinstance(team, ChannelTeam)]
        on_channel = [team for team in teams if isinstance(team, ChannelTeam)]
        for team in over_http:
            driver.spawn(team, plays.participation(team, self._joins(team, timing), driver.spawn))
        for team in on_channel:
            driver.spawn(team, listening.participation(team, self._joins(team, timing)))
        last = self._last(timing)
        self._play_beside_run(driver, timing, over_http)
        with ExitStack() as lines:
            crowd = lines.enter_context(closing(Crowd(self.wire, settings.seed)))
            if Fault.CROWD in settings.faults:
                driver.spawn(crowd, crowd.play(timing, self.noted))
            for team in self.others(Fault.QUALIFYING)[:1]:
                silent = lines.enter_context(closing(Lifelines(team)))
                driver.spawn(silent, silent.play(timing))
            driver.run(last)
        for team in on_channel:
            team.client.leave()
        saboteur.stop()
        self._tidy(pace, timing.run_id, last + _AFTER_LAST)

    def _last(self, timing: Timing) -> Millis:
        """Return the time after all deadlines of the run; even in a short run it leaves time for requests about
        latecomers and about a connection that is silent for minutes."""
        last = timing.opens_at(timing.files) + timing.total
        if not self.settings.driven:
            return last
        last = max(
            last, timing.starts_at + timing.join + timing.interval, looked_at(timing) * self.is_played(Fault.QUALIFYING)
        )
        return last + staff.lasts_longer(timing) * self.is_played(Fault.DECISIONS)

    def _play_beside_run(self, driver: Driver, timing: Timing, teams: Sequence[Team]) -> None:
        """Start the plays beside the run: organizers decide, others practise, teams look around."""
        if self.is_played(Fault.DECISIONS):
            late = next(team.name for team in teams if team.index == _LATE)
            decisions = staff.Decisions(timing, self.history, late)
            driver.spawn(Caller(ORGANIZERS, self.wire, self.person().current_token), decisions.play())
        for team in self.others(Fault.LEAVING):
            driver.spawn(team, leaving(timing, self.material, team))
        if practising := self.others(Fault.PRACTICE):
            for team, play in around.Practice(timing, self.material).plays(practising):
                driver.spawn(team, play)
            driver.spawn(teams[0], around.unconfirmed(teams[0], timing))
        if self.is_played(Fault.PRYING):
            order = as_json({"mode": timing.mode, "run": timing.run_id})
            driver.spawn(self.others(Fault.PRYING)[0], prying.late(timing, order))
            joined = {team: max(self._joins(team, timing), timing.starts_at) for team in teams}
            for team, play in prying.plays(joined, timing):
                driver.spawn(team, play)
        moment = timing.opens_at(min(2, timing.files)) + timing.interval // 2 + prying.APART
        for reader in self.readers:
            driver.spawn(reader, prying.in_run(moment, partial(self.looks, timing, readable.Phase.RUNNING, reader)))

    def plays(self, timing: Timing) -> Teams:
        settings = self.settings
        scripts = Scripts(settings.seed, settings.faults, timing.answer, settings.share)
        return Teams(timing, scripts, self.material, self.noted)

    def _tidy(self, pace: DrivenPace | RunningPace, run_id: str, until: Millis) -> None:
        """Let the timer close and report what is over, until the results are made; a clock that runs is held for it."""
        if isinstance(pace, RunningPace):
            self.cloud.clock.hold()
            pace = self.calmly()
        pace.heal()
        while pace.now() < until:
            # The organizer is told that the run's results are made, where one is played.
            if self.is_played(Fault.DECISIONS):
                response = self.wire.get(f"/v1/conduct/runs/{run_id}", self.person().current_token())
                if response.status_code == 200 and is_settled(response.json()):
                    break
            pace.reach(min(until, pace.now() + MINUTE))
        self.cloud.drain()

    def _begin_history(self, timing: Timing) -> None:
        settings = self.settings
        self.history.add(
            "header",
            format=FORMAT,
            stage=self.kind,
            **{name: getattr(settings, name) for name in ("seed", "teams", "driven", "bug")},
            **{name: getattr(self, name) for name in ("listening", "sends", "entered", "staff")},
            files=timing.files,
            faults=sorted(settings.faults),
            timer_from=started(settings) if settings.driven else None,
            program=base64.b64encode(self.cycle.program).decode(),
            run=timing.run_id,
            open_files=self.material.open_files,
            nominations=self.nominations(),
            starts_at=to_text(timing.starts_at),
            interval_ms=timing.interval,
            limits={f"{name}_ms": getattr(timing, name) for name in ("request", "answer", "total", "join")},
        )
        self.write_own()

    def write_own(self) -> None:
        """Record in the history the material that it refers to."""
        for number, (item, references, *which) in enumerate(self.material.own(), start=1):
            self.history.add("own", number=number, item=item, experts=references, **(which[0] if which else {}))

    def saboteur(self) -> Sabotage:
        """Return the saboteur that kills processes and throttles tables, if these faults are injected."""
        faults = self.settings.faults
        kill, throttle = _KILL * (Fault.KILLS in faults), _THROTTLE * (Fault.THROTTLES in faults)
        return Sabotage(self.crashes, self.settings.seed, self.noted, kill=kill, throttle=throttle, writes=self.writes)

    def _joins(self, team: Team, timing: Timing) -> Millis:
        """Return when a team opens its session: before the start, or, where programs are slow, two of them later."""
        slow = Fault.SLOW in self.settings.faults and team.index in {_LATE, 2}
        if slow or (self.is_played(Fault.DECISIONS) and team.index == _LATE):
            return timing.starts_at + (timing.last_join - timing.starts_at) // team.index
        chance = random.Random(f"{self.settings.seed}/join/{team.index}")  # noqa: S311 - reproducible, no secret
        return timing.starts_at - chance.randint(2, 12) * 5 * SECOND


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


@contextmanager
def staged(
    settings: Settings,
    history: History,
    *,
    stage_type: type[Stage] = Stage,
    port: int = 0,
    log_dir: Path | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Stage]:
    """Yield a stage of a kind on a cloud of its own; everything ends with the context. ``more`` is code for the copy's
    modules.

    What the functions complain of goes to ``log_dir`` alone: processes that are killed on purpose complain much.
    """
    with tempfile.TemporaryDirectory(prefix="hurdle-rehearsal-") as name:
        crashes = Crashes(SOURCES, Path(name), bug=settings.bug, watched=_WATCHED)
        for module, code in {**stage_type.more, **more}.items():
            crashes.add(module, code)
        clock = Clock(started(settings)) if settings.driven else Clock()
        named = {CYCLE_VARIABLE: str(settings.cycle.head["cycle"])} if settings.cycle else {}
        cloud = LocalCloud(
            DEFAULT_TEMPLATE,
            crashes.functions,
            clock=clock,
            faults=_faults(settings, history, clock),
            port=port,
            workers=1 + (Fault.TWINS in settings.faults),
            workers_of={"FunctionsDispatch": settings.workers, "FunctionsSubmit": settings.workers},
            retry_s=1,
            logs=Logs(log_dir, screen=io.StringIO()),
            warm=not settings.driven,
            mails=Path(name, "mails") if Fault.PEOPLE in settings.faults else None,
            variables=named,
        )
        with cloud:
            stage = stage_type(cloud, settings, history, crashes)
            with closing(stage.wire):
                stage.load()
                yield stage


def started(settings: Settings) -> Millis:
    """Return the moment at which a driven clock starts: on the day of the cycle's own final."""
    return settings.cycle.starts_at(STARTED_MS) if settings.cycle else STARTED_MS


def _faults(settings: Settings, history: History, clock: Clock) -> Faults:
    """Return the faults of events. Nothing is lost for good while the clock runs: the timer would be the machine's."""

    def injected(what: str, **where: Json) -> None:
        history.add("injected", what=what, now=clock.now_ms(), **where)

    events = _EVENTS if Fault.EVENTS in settings.faults else {}
    events = _TWICE if Fault.TWINS in settings.faults else events
    faults = Faults(settings.seed, **events)
    if Fault.LOSSES not in settings.faults or not settings.driven:
        return faults
    losses = Losses(settings.seed, settings.share, UNPUSHED if Fault.DISCONNECTS in settings.faults else None, injected)
    return replace(faults, lost=losses.takes)


def rehearse(settings: Settings, history: History, on_moment: Told, stage_type: type[Stage] = Stage) -> Outcome:
    """Play a stage of simulated teams, a final of essays unless another kind is named, and check it."""
    began = monotonic_s()
    with staged(settings, history, stage_type=stage_type) as stage:
        bill = stage.bill(stage.whole(on_moment))
    story = history.story()
    return Outcome(story, check(story), monotonic_s() - began, bill)


def metered(teams: int, files: int) -> dict[str, float]:
    """Return the requests of a final with these numbers of teams and files, from its planning to its board, by kind."""
    settings = Settings(teams=teams, files=files, faults=frozenset())
    with closing(History()) as history, staged(settings, history) as stage:
        stage.whole(lambda _: None)
        return stage.cloud.metered()
