"""A whole final: the cloud, the cycle, the teams, the run, the end, the facts (platform §3)."""

from __future__ import annotations

import base64
import io
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
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
from rehearsal.play import people, practice, prying, qualifying, staff
from rehearsal.play.channel import CUT_SHARE, UNPUSHED, ChannelTeam, ChannelTeams, Lifelines, looked_at
from rehearsal.play.driver import DrivenClock, DrivenPace, Driver, RunningPace, Timing, is_settled
from rehearsal.play.material import FINAL, Material
from rehearsal.play.practice import SlowTeam
from rehearsal.play.prying import Crowd, Reader
from rehearsal.play.staff import admit
from rehearsal.play.teams import LEAVING, Team, Teams, as_json, leaving
from rehearsal.play.wire import Caller, Fault, Scripts
from rehearsal.proof import readable
from rehearsal.proof.case import Check
from rehearsal.proof.checker import check
from rehearsal.proof.oracle import ESSAY

Json = Any
SOURCES: Final = Path(__file__).parents[3] / "functions"
STARTED_MS: Final = 1_795_262_430_000
"""2026-11-21 12:00:30 UTC: when a driven clock starts, so that the same seed has the same moments."""
_AFTER_LAST: Final[Millis] = 12 * MINUTE
"""Sessions end at the latest five minutes after the last opening; then visits of the timer make record and board, in
four stages of which each may be lost once: so long the results may take."""
_WATCHED: Final = ("SCORE", "CONNECTIONS", "runs", "reports")
_PARAMETERS: Final = {"technical": {"enabled": False}}
_EVENTS: Final[Mapping[str, Any]] = {"duplicate": 0.05, "delay": 0.1, "drop": 0.05}
_TWICE: Final[Mapping[str, Any]] = {"duplicate": 0.5}
_KILL, _THROTTLE = 0.04, 0.06  # chances at each moment with requests

_LATE: Final = 1  # number of the team that comes in the last moment, so that it misses files
ELSEWHERE: Final = -1  # number of a team whose program the rehearsal does not simulate

Told = Callable[[Millis], None]
_BESIDE: Final = {
    Fault.PRACTICE: practice.NAMES,
    Fault.QUALIFYING: qualifying.NAMES,
    Fault.LEAVING: LEAVING,
    Fault.PRYING: ("latecomer", prying.ATTACKER),
    Fault.PEOPLE: (people.TEAM,),
}
"""Teams that are entered beside the simulated ones, by what they play."""
_STAFF: Final[Sequence[tuple[Fault, Mapping[str, str]]]] = (
    (Fault.DECISIONS, {organizing.ORGANIZER: "organizer"}),
    (Fault.QUALIFYING, {**qualifying.STAFF, **staff.STAFF}),
    (Fault.READING, prying.STAFF),
    (Fault.PEOPLE, {**people.STAFF, organizing.ORGANIZER: "organizer"}),
)
"""Roles of people of the staff, by their addresses."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome: the history, the verdict, and how long it took in real seconds."""

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

    Other kinds of stage are its subclasses: each says what is proved of it (``kind``, a name of
    :data:`rehearsal.proof.checker.PROOFS`), which writes of it may be hit, and plays what is its own.
    """

    kind: ClassVar[str] = ESSAY
    writes: ClassVar[Writes] = WRITES
    unplayed: ClassVar[frozenset[Fault]] = frozenset()  # faults that do not happen in it
    sends: ClassVar[int] = 10  # answers to a file of which any counts
    more: ClassVar[Mapping[str, str]] = MappingProxyType({})  # code with which modules of the copy end

    def made(self) -> Any:
        pried = prying.OF_THE_SET * self.is_played(Fault.PRYING)
        tested = max(qualifying.FILES * self.is_played(Fault.QUALIFYING), pried)
        return Material(self.cycle, self.settings.files, tested)

    def load(self) -> None:
        """Load the cycle, with the parameters that what is played beside the run needs."""
        plays: Mapping[Fault, Mapping[str, Json]] = {
            Fault.DECISIONS: staff.DECIDING,
            Fault.PEOPLE: people.PARAMETERS,
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
        """Return when nothing of the run is due any more; latecomers are asked after even in a short one, and
        so is a connection that is silent for minutes."""
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
            for team, play in practice.Practice(timing, self.material).plays(practising):
                driver.spawn(team, play)
            driver.spawn(teams[0], practice.unconfirmed(teams[0], timing))
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
        """Write down the material of which the history tells."""
        for number, (item, references, *which) in enumerate(self.material.own(), start=1):
            self.history.add("own", number=number, item=item, experts=references, **(which[0] if which else {}))

    def saboteur(self) -> Sabotage:
        """Return who kills processes and throttles tables, where that is injected."""
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
    """Return the requests of a final of so many teams and files, from its planning to its published board, by kind."""
    settings = Settings(teams=teams, files=files, faults=frozenset())
    with closing(History()) as history, staged(settings, history) as stage:
        stage.whole(lambda _: None)
        return stage.cloud.metered()
