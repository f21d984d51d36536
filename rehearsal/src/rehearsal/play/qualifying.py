"""Qualification before a final, and runs beside it: trials, also of a slow platform, and a final that is begun anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from local.clock import Clock
from rehearsal.history import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.play.driver import (
    AFTER,
    BEFORE,
    MOVED,
    REFUSED,
    STEP,
    Actor,
    Person,
    RunningPace,
    Script,
    is_over,
    is_settled,
    is_there,
    wish,
)
from rehearsal.play.material import FINAL, TEST, TRAIN, Material, skills_below
from rehearsal.play.teams import Team
from rehearsal.play.wire import Reply

Json = Any
Says = Mapping[str, Json]
Skill = float | Mapping[str, float]
NAMES: Final = ("qualify-ready", "qualify-short", "qualify-other", "qualify-equal")
"""Teams: one that is ready; one that misses a file too many; one that is admitted all the same; one with the very
answers of that one, which both come out just under the barrier."""
JUDGE, COMMISSION, ORGANIZER = "judge@example.org", "commission@example.org", "organizer@example.org"
STAFF: Final = {JUDGE: "judge", COMMISSION: "commission", ORGANIZER: "organizer"}
FILES: Final = 20
"""Files of the test set, which is as many as readiness takes here: one of twenty may be missed (R 6.5.4, 6.7.4)."""
PARAMETERS: Final = {"readiness_min_files": FILES}
LEAD: Final[Millis] = 30 * SECOND
INTERVAL: Final[Millis] = 30 * SECOND
LIMITS: Final = {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10}
SETTLED_WITHIN: Final[Millis] = 12 * MINUTE
"""Longest time from a run's last deadline to its end and its results, even if each of four steps is lost once."""
_LIMIT_S: Final = 10
_INTERVAL_S: Final = 10
_OVER: Final[Millis] = 5 * MINUTE
"""Longest time from a session's last deadline to its end, scores and report: an answer may be under way for a minute,
the timer comes every minute, messages are lost."""
_WELL, _BADLY = 0.9, 0.3
_BOARD: Final = "/v1/leaderboards/qualification"
_PARTS: Final = ("all", "eng", "rus")
_DECIDED: Final = "Rehearsed: as the report says"


class Beside:
    """The play of a run beside the final: ``teams`` take part in it, the ``organizer`` plans it and publishes its
    results."""

    why = "Rehearsed: the platform failed"

    def __init__(self, script: Script, material: Material, teams: Sequence[Team], organizer: Person) -> None:
        self.script, self.ask, self.material = script, script.ask, material
        self.teams, self.organizer = teams, organizer

    def plan(self, what: str, says: Says | None = None, **order: Json) -> tuple[str, Millis]:
        """Plan a run; return its id and its start."""
        starts_at = self.script.now() // SECOND * SECOND + LEAD
        usual = {"mode": "final", "starts_at": to_text(starts_at), "interval_s": INTERVAL // SECOND, "limits": LIMITS}
        way, body = "POST /v1/conduct/runs", {**usual, **order}
        planned = self.ask(self.organizer, what, way, body=body, status=(201,), says=says)
        return str(planned.body.get("run", {}).get("run_id", "")), starts_at

    def join(self, what: str, team: Team, run_id: str, mode: str = "final", **means: Json) -> None:
        """Let a team open its session in a run."""
        self.open(what, team, {"mode": mode, "run": run_id}, **means)

    def open(self, what: str, team: Team, order: Json, **means: Json) -> str:
        """Let a team open a session; return its id."""
        opened = self.ask(team, what, "POST /v1/sessions", body=order, status=(201,), **means)
        team.session_id = str(opened.body.get("session_id", ""))
        return team.session_id

    def exchange(self, number: int, asking: Sequence[Team], skills: Mapping[Team, Skill]) -> None:
        """Let teams ask for a file that is open at one moment, and answer it at the next, each with one of the
        ``skills``, which the text may decide; one without does not answer."""
        wishes = [wish(team, "file", f"GET {team.path(f'/files/{number}')}", number=number) for team in asking]
        answers = []
        for team, file in zip(asking, self.script.together(wishes), strict=True):
            if file.status == 200 and team in skills:
                content, skill = file.body["content"], skills[team]
                markup = self.material.answer(content, skill if isinstance(skill, float) else skill[content["text"]])
                digest = self.material.digest(content, markup)
                way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": "accepted"}
                answers.append(wish(team, "answer", way, body=markup, number=number, digest=digest, says=says))
        self.script.together(answers)

    def read_run(self, when: str, run_id: str, kind: str) -> None:
        """Read a run's description, with its commitment, so that no other one can be published later."""
        self.ask(self.teams[0], when, f"GET /v1/runs/{run_id}", run=kind)

    def settle(self, what: str, run_id: str) -> None:
        path = f"/v1/conduct/runs/{run_id}"
        self.script.look_until(self.organizer, what, path, lambda reply: is_settled(reply.body), SETTLED_WITHIN)

    def publish(self, what: str, run_id: str, status: Sequence[int] = (200,)) -> None:
        way, body = f"POST /v1/conduct/boards/{run_id}/decision", {"state": "published", "reason": self.why}
        self.ask(self.organizer, what, way, body=body, status=status)


@dataclass(frozen=True, slots=True)
class _Sitting:
    """A session over the test set: the first ``count`` of its ``files`` are answered; without a ``skill`` just under
    the barrier. ``ready`` is the readiness that its report must state."""

    team: Team
    files: int
    count: int
    skill: float | None
    ready: bool


class Qualification(Beside):
    """The plays of the four teams and the people. ``entered_at``: when the organizers entered the teams."""

    def __init__(
        self, script: Script, material: Material, teams: Sequence[Team], staff: Mapping[str, Person], entered_at: Millis
    ) -> None:
        super().__init__(script, material, teams, staff[ORGANIZER])
        self._entered_at = entered_at
        self._judge, self._commission = staff[JUDGE], staff[COMMISSION]
        self._below = skills_below(material)

    def play(self) -> None:
        """Play sessions, then the technical run, then the steps of people; the organizers' decisions at the end."""
        ready, short, other, equal = self.teams
        turns = [
            [
                _Sitting(ready, FILES, FILES - 1, _WELL, ready=True),
                _Sitting(short, FILES, FILES - 2, _WELL, ready=False),
                _Sitting(other, FILES, FILES, None, ready=True),
                _Sitting(equal, FILES, FILES, None, ready=True),
            ],
            [_Sitting(ready, FILES - 1, FILES - 1, _BADLY, ready=False)],
        ]
        sessions = [session_id for turn in turns for session_id in self._sat(turn)]
        self._ruled(ready, sessions[0], "algorithmic", qualified=False)
        self._technical(ready, short)
        self._ruled(ready, ready.session_id, "technical", qualified=True)
        # Where the automatic conclusion is negative there is nothing to confirm.
        self._ruling(self._judge, sessions[1], "judgement", None)
        self.ask(short, "steps", f"GET /v1/sessions/{sessions[1]}/conclusion", status=REFUSED)
        for who in (ready, self._judge, self._commission):
            self._admits(who, short, admitted=True, says=None)
        for team, admitted, qualified in ((ready, True, True), (other, True, False), (short, False, False)):
            says = {"admission.admitted": admitted, "admission.qualified": qualified, "team_id": team.name}
            self._admits(self.organizer, team, admitted=admitted, says=says)
        day = to_text(self.script.now())[:10]
        self.ask(self.organizer, "steps", "GET /v1/staff")  # the log names people by their ids
        self.ask(self.organizer, "audit", f"GET /v1/audit?day={day}", people=dict(STAFF))

    def _sat(self, turn: Sequence[_Sitting]) -> list[str]:
        """Play sessions that are opened one after the other side by side, to their reports."""
        opened = []
        for sitting in turn:
            order = {"mode": "algorithmic", "set": TEST, "files": sitting.files, "time_limit_s": _LIMIT_S}
            opened.append(self.open("session", sitting.team, order, says={"files": sitting.files}))
        # The organizer looks up the team that asked last, and when its token was used.
        last = turn[-1].team.name
        says = {"name": last, "status": "approved", "created_at": to_text(self._entered_at)}
        self.ask(self.organizer, "team", f"GET /v1/teams/{last}", says=says)
        self.ask(self.organizer, "tokens", f"GET /v1/teams/{last}/tokens", whose=last)
        for number in range(1, FILES + 1):
            asking = [sitting.team for sitting in turn if number <= sitting.files]
            answering = {
                sitting.team: self._below if sitting.skill is None else sitting.skill
                for sitting in turn
                if number <= sitting.count
            }
            self.exchange(number, asking, answering)
        over = self.script.now() + _LIMIT_S * SECOND + _OVER
        self._reported(
            [(one.team, name, one.count / one.files, one.ready) for one, name in zip(turn, opened, strict=True)], over
        )
        return opened

    def _reported(self, sessions: Sequence[tuple[Team, str, float, bool]], over: Millis) -> None:
        """Wait for the reports of sessions, looking once a minute, and read them: the share of valid answers, and
        whether it is enough. Before they are asked for, which would make them, the board's parts are looked at as the
        timer has left them, and their histories at the same moment."""
        script, waiting = self.script, [(team, f"GET /v1/sessions/{name}/report") for team, name, *_ in sessions]
        looks = (("places", _BOARD), ("history", f"{_BOARD}/history"))
        parts = [(what, f"GET {way}?language={part}", part) for part in _PARTS for what, way in looks]
        while waiting and script.now() < over:
            script.wait_until(min(over, script.now() + MINUTE))
            script.together([wish(waiting[0][0], what, way, part=part) for what, way, part in parts])
            replies = script.together([wish(team, "waiting", way) for team, way in waiting])
            waiting = [session for session, reply in zip(waiting, replies, strict=True) if not is_there(reply)]
        for team, name, share, ready in sessions:
            says = {"readiness.ready": ready, "readiness.valid_share": share}
            self.ask(team, "readiness", f"GET /v1/sessions/{name}/report", says=says)

    def _technical(self, ready: Team, short: Team) -> None:
        """Play a technical run in which one team misses exactly one file of twenty, another two."""
        limits = {"request_s": 5, "answer_s": 8, "total_s": 10, "join_s": 10}
        order: Json = {"mode": "technical", "set": TRAIN, "interval_s": _INTERVAL_S, "files": FILES, "limits": limits}
        says = {"run.mode": "technical", "run.files": FILES, "run.trial": False}
        run_id, starts_at = self.plan("technical", says, **order)
        missed = {ready: {FILES}, short: {1, 2}}
        for team in missed:
            self.join("technical", team, run_id, "technical", run="technical")
        for number in range(1, FILES + 1):
            self.script.wait_until(starts_at + (number - 1) * _INTERVAL_S * SECOND)
            asking = [team for team in missed if number not in missed[team]]
            self.exchange(number, asking, dict.fromkeys(asking, _WELL))
        over = starts_at + FILES * _INTERVAL_S * SECOND + _OVER
        shares = [(team, team.session_id, (FILES - len(missed[team])) / FILES, team is ready) for team in missed]
        self._reported(shares, over)

    def _ruled(self, team: Team, session_id: str, kind: str, *, qualified: bool) -> None:
        """Take the steps on a conclusion: out of their turn or by people without the right they are refused."""
        for who, step, standing in (
            (team, "judgement", None),
            (self._commission, "verification", None),
            (self._commission, "judgement", None),
            (self._judge, "judgement", "awaits_commission"),
            (self._judge, "verification", None),
            (self._commission, "verification", "verified"),
        ):
            self._ruling(who, session_id, step, standing)
        says = {"standing": "verified", "kind": kind, "team_id": team.name, "ready": True}
        says |= {"rulings.0.step": "judgement", "rulings.1.step": "verification"}
        self.ask(team, "steps", f"GET /v1/sessions/{session_id}/conclusion", says=says)
        self.ask(self.organizer, "standings", "GET /v1/qualification", team=team.name, qualified=qualified)

    def _ruling(self, who: Actor, session_id: str, step: str, standing: str | None) -> None:
        way = f"POST /v1/sessions/{session_id}/conclusion/{step}"
        body = {"confirmed" if step == "judgement" else "verified": True, "reason": _DECIDED}
        says, status = ({}, REFUSED) if standing is None else ({"standing": standing}, (200,))
        self.ask(who, "steps", way, body=body, status=status, says=says)

    def _admits(self, who: Actor, team: Team, *, admitted: bool, says: Says | None) -> None:
        way, body = f"POST /v1/teams/{team.name}/admission", {"admitted": admitted, "reason": _DECIDED}
        self.ask(who, "steps", way, body=body, status=REFUSED if says is None else (200,), says=says)


_NOTICE: Final[Millis] = 6 * SECOND  # a decision holds after five seconds
_FILES: Final = 9
_LOST: Final = (2, 3, 6)
"""Numbers of the trial's files that no team requests; three together are a mass failure, two are none. Between the
second and the third the timer, which comes every minute, has seen the two."""
_NOTICED: Final = 9  # at this file's opening it has seen the three
FEWEST: Final = 2
"""Files of the run that is begun anew in its second one, and of a trial of latency; a final of fewer has none."""


class SecondRuns(Beside):
    """Both runs. ``teams``: two that are admitted to finals, then one that is not."""

    def trial(self) -> str:
        """Play a trial, its mass failure, and the absence of results; return the run's id."""
        first, second, other = self.teams
        both = (first, other)
        admitted, slot = [team.name for team in both], _FILES
        order = {"set": TRAIN, "trial": True, "admitted": admitted, "files": _FILES}
        run_id, starts_at = self.plan("trial", {"run.trial": True, "run.files": _FILES}, **order)
        for team in both:
            self.join("trial", team, run_id, run="trial", files=_FILES)
        self._refused("trial", second, run_id)
        self._public("trial", run_id, {"trial": True, "commitment.statement.trial": True})
        self.read_run(BEFORE, run_id, "trial")
        for number in range(1, _FILES + 1):
            self._plays(both if number not in _LOST else (), number, starts_at + (number - 1) * INTERVAL)
            if number == _LOST[-1]:
                self._stands(run_id, None)
            if number == _NOTICED:
                slot = self._replaced(run_id)
        later = 0
        for place in range(len(_LOST)):
            self._plays(both, _FILES + 1 + place, starts_at + (slot + place) * INTERVAL + later)
            if place == 0:
                later = self._paused(run_id)
        self.settle("waiting", run_id)
        for team in both:
            says = {"state": "finished", "voided_share": 0.0, "solution_voided": False}
            says |= {f"deliveries.{number - 1}.cause": "organizer_decision" for number in _LOST}
            self.ask(team, "failure", f"GET {team.path()}", says=says)
        self._published("trial", run_id)
        self.ask(first, "trial", f"GET {first.path('/files/1/score')}", number=1)
        board = "GET /v1/leaderboards/final"
        self.ask(first, "trial", f"{board}?run={run_id}", status=(200, *REFUSED), absent=admitted)
        self.ask(first, "trial", board, absent=admitted)
        return run_id

    def _replaced(self, run_id: str) -> int:
        """Find the proposal, and agree with it once; return the place in the plan of the first appended file."""
        self._stands(run_id, "open")
        decision = {"kind": "replace", "proposal": True}
        says = {"kind": "replace", "details.numbers": list(_LOST), "details.first": _FILES + 1}
        decided = self._decides("failure", run_id, decision, says).body
        self._stands(run_id, "accepted")
        self._decides("failure", run_id, decision, None)
        return int(decided.get("details", {}).get("slot", _FILES))

    def _paused(self, run_id: str) -> Millis:
        """Pause a trial and end the pause at once; return by how much it moves the later openings, all of which the
        timer has armed."""
        holds = []
        for kind in ("pause", "resume"):
            decided = self._decides(MOVED, run_id, {"kind": kind}, {"kind": kind}, run="trial", kind=kind)
            holds.append(from_text(decided.body["effective_at"]) if decided.status == 200 else 0)
        return holds[1] - holds[0]

    def restarted(self) -> str:
        """Play a final for admitted teams alone, stopped and begun anew; a team that comes too late for it stays
        outside. Return the new run's id."""
        first, second, other = self.teams
        run_id, starts_at = self.plan("restart", {"run.trial": False}, set=FINAL, files=FEWEST)
        self.join("admitted", first, run_id, run="old", files=_FILES)
        self._refused("admitted", other, run_id)
        before = f"GET {first.path()}"
        self._plays((first,), 1, starts_at)
        begins = self.script.now() // SECOND * SECOND + 2 * LEAD
        body = {"reason": self.why, "starts_at": to_text(begins), "files": FEWEST}
        way = f"POST /v1/conduct/runs/{run_id}/restart"
        reply = self.ask(self.organizer, "restart", way, body=body, says={"restarts": run_id})
        anew = str(reply.body.get("run_id", ""))
        says = {"restarts": run_id, "set": "reserve", "files": FEWEST, "trial": False, "starts_at": to_text(begins)}
        self.ask(self.organizer, "restart", f"GET /v1/conduct/runs/{anew}", says=says)
        self.read_run(BEFORE, anew, "anew")
        self.script.wait_until(max(self.script.now() + _NOTICE, starts_at + INTERVAL))
        self.ask(first, "restart", f"{before}/files/2", number=2, status=REFUSED, of_none=True)
        self._public("restart", run_id, {"state": "stopped"})
        self.join("restart", first, anew, run="anew", files=_FILES)
        self._refused("admitted", other, anew)
        self._plays((first,), 1, begins)
        self.script.wait_until(begins + LIMITS["join_s"] * SECOND + SECOND)
        self._refused("admitted", second, anew)
        self._decides("admitted", anew, {"kind": "admit", "team_id": second.name}, None)
        self._plays((first,), 2, begins + INTERVAL)
        self.settle("waiting", anew)
        self.ask(first, "restart", before, says={"state": "stopped"})
        self.publish("restart", run_id, status=REFUSED)
        self._published("restart", anew, "anew")
        board = "GET /v1/leaderboards/final?run="
        self.ask(first, "restart", f"{board}{run_id}", status=REFUSED)
        says = {"rows.0.team_id": first.name, "rows.0.place": 1}
        self.ask(first, "restart", f"{board}{anew}", says=says, absent=[second.name, other.name])
        return anew

    def _refused(self, what: str, team: Team, run_id: str) -> None:
        self.ask(team, what, "POST /v1/sessions", body={"mode": "final", "run": run_id}, status=REFUSED)

    def _public(self, what: str, run_id: str, says: Says) -> None:
        self.ask(self.teams[0], what, f"GET /v1/runs/{run_id}", says=says)

    def _plays(self, teams: Sequence[Team], number: int, opening: Millis) -> None:
        self.script.wait_until(opening)
        self.exchange(number, teams, dict.fromkeys(teams, _WELL))

    def _stands(self, run_id: str, standing: str | None) -> None:
        """Let the organizers read the proposal on the files that everybody missed; none is due without ``standing``."""
        says: dict[str, Json] = {"mass_failure": None}
        if standing is not None:
            says = {"mass_failure.numbers": list(_LOST), "mass_failure.standing": standing}
        self.ask(self.organizer, "failure", f"GET /v1/conduct/runs/{run_id}", says=says)

    def _decides(self, what: str, run_id: str, decision: Says, says: Says | None, **means: Json) -> Reply:
        way, body = f"POST /v1/conduct/runs/{run_id}/decisions", {**decision, "reason": self.why}
        status = REFUSED if says is None else (200,)
        return self.ask(self.organizer, what, way, body=body, status=status, says=says, **means)

    def _published(self, what: str, run_id: str, kind: str = "trial") -> None:
        """Publish a run's results, and read the run once they are public."""
        self.publish(what, run_id)
        self.script.wait((LIMITS["join_s"] + 5) * SECOND)
        self.read_run(AFTER, run_id, kind)


Stalling = Callable[[str, str, Millis], AbstractContextManager[None]]
_NOT_YET: Final = (425,)


@dataclass(frozen=True, slots=True)
class _Times:
    """Times of a trial: ``hand_out`` and ``receipt`` are the platform's delays for the slowed team, whose first answer
    comes ``answered_at`` after the opening, when it would be too late without latency. ``over``: the time after the
    last file, or the start, by which both sessions have been closed."""

    interval: Millis
    limits: Mapping[str, int]
    hand_out: Millis
    receipt: Millis
    answered_at: Millis
    over: Millis


_DRIVEN: Final = _Times(INTERVAL, LIMITS, 8 * SECOND, 20 * SECOND, 21 * SECOND, 7 * MINUTE)
"""The answer is due 23 s after the opening, and its receipt comes 11 s after the next one, six seconds too late to
ask."""
_OF_SECONDS: Final = {"request_s": 1, "answer_s": 4, "total_s": 3, "join_s": 10}
_REAL: Final = _Times(4 * SECOND, _OF_SECONDS, 3 * SECOND // 2, 2 * SECOND, 3_400, 2 * MINUTE)
"""The answer, due 3 s after the opening, is due a second and a half later, and what both took together is why the next
file is asked for too late."""
_RUNS_FROM: Final[Millis] = 2_400
_TOO_EARLY, _HELD = 2_200, 1_500
"""Times of two requests before the opening: one earlier than two seconds is told to come again, a later one waits."""
_ASKED_AT: Final[Millis] = SECOND // 4
_SURELY: Final[Millis] = SECOND // 2  # time after the last moment by the rules at which a request is surely late


class Latency(Beside):
    """A trial on a driven clock, in which the platform is slow for one team and not for another (platform §3).

    The slow hand-out moves the deadline of the answer, which comes after the last moment that there would be without
    it; the slow receipt is why the team asks for the next file too late, by the platform's fault. The other team is as
    late by itself. Only a team that is late by itself may lose anything. The names of its requests begin with
    ``what``; ``stalling`` makes the next request with a write take a given time."""

    what, times = "latency", _DRIVEN

    def __init__(
        self, script: Script, material: Material, teams: Sequence[Team], organizer: Person, stalling: Stalling
    ) -> None:
        super().__init__(script, material, teams, organizer)
        self._slowed, self._late = teams
        self._playing = script
        self._stalling = stalling

    def play(self) -> None:
        times, first = self.times, self._planned()
        self.script.wait_until(first)
        self._answer(self._late, 1, first, self._file(self._late, 1, first))
        file = self._file(self._slowed, 1, first, stalled=times.hand_out)
        self.script.wait_until(first + times.answered_at)
        self._answer(self._slowed, 1, first, file, stalled=times.receipt)
        second = first + times.interval
        # One asks as soon as it has its receipt, the other as late as that without a reason.
        self._answer(self._slowed, 2, second, self._file(self._slowed, 2, second))
        self._file(self._late, 2, second, status=REFUSED)
        self.script.wait_until(first + FEWEST * times.interval)
        for team in self.teams:
            self.script.look_until(team, "waiting", team.path(), is_over, times.over)
        self._ends({"0.state": "answered", "1.cause": "team_late"})

    def _planned(self) -> Millis:
        """Plan the trial for these teams alone, and let them join it; return its start."""
        seconds: Json = {"interval_s": self.times.interval // SECOND, "limits": self.times.limits}
        admitted = [team.name for team in self.teams]
        run_id, starts_at = self.plan(self.what, trial=True, set=TRAIN, files=FEWEST, admitted=admitted, **seconds)
        for team in self.teams:
            self.join(self.what, team, run_id)
        return starts_at

    def _ends(self, late: Mapping[str, Json]) -> None:
        """Let the teams look at their sessions, of whose files the rules make this (``0.state``)."""
        for team, files, more in (
            (self._slowed, {"0.state": "answered", "1.state": "answered"}, {"voided_share": 0.0}),
            (self._late, late, {}),
        ):
            says = {**{f"deliveries.{place}": value for place, value in files.items()}, **more}
            self.ask(team, self.what, f"GET {team.path()}", says=says)

    def _file(
        self, team: Team, number: int, opening: Millis, *, stalled: Millis = 0, status: Sequence[int] = (200,)
    ) -> Reply:
        return self._slow(team, number, "file", "GET", opening, "dispatch.api", stalled, status=status)

    def _answer(
        self, team: Team, number: int, opening: Millis, file: Reply, fate: str = "accepted", *, stalled: Millis = 0
    ) -> Millis:
        """Answer a file that was handed out; return how long that took."""
        if file.status != 200:
            return 0
        sent_at = self._playing.now()
        markup, says = self.material.answer(file.body["content"], _WELL), {"receipt.status": fate}
        reply = self._slow(team, number, "answer", "PUT", opening, "submit.api", stalled, body=markup, says=says)
        return reply.at - sent_at

    def _slow(
        self, team: Team, number: int, what: str, method: str, opening: Millis, function: str, stalled: Millis,
        **details: Json,
    ) -> Reply:  # fmt: skip
        """Make a request about a file, and let a function take a given time for it."""
        way = f"{method} {team.path(f'/files/{number}')}{'/answer' * (what == 'answer')}"
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": self.times.limits}
        with self._stalling("write:FILE", function, stalled) if stalled else nullcontext():
            return self._playing.ask(team, f"{self.what}_{what}", way, number=number, **details, **means)


class RealTime(Latency):
    """The trial on a clock that runs for some seconds: on a driven one nobody can be held, for it stands while a
    request is under way. One team asks shortly before the opening, is held, and is late by itself later."""

    what, times = "real", _REAL

    def __init__(self, clock: Clock, *rest: Any) -> None:
        super().__init__(*rest)
        self._playing = Script(RunningPace(clock.now_ms))
        self._clock = clock

    def play(self) -> None:
        starts_at, times = self._planned(), self.times
        self.script.wait_until(starts_at - _RUNS_FROM)
        self._clock.release()
        try:
            took = self._first(starts_at)
            # The second file: one team asks as soon as it has its receipt, the other so late that nothing excuses it.
            second = starts_at + times.interval
            self._answer(self._slowed, 2, second, self._file(self._slowed, 2, second))
            self._wait(second + times.limits["request_s"] * SECOND + took + _SURELY)
            self._file(self._late, 2, second, status=REFUSED)
        finally:
            self._clock.hold()
        self.script.wait_until(starts_at + times.over)
        self._ends({"0.cause": "team_late", "1.cause": "team_late"})

    def _first(self, opening: Millis) -> Millis:
        """Play the first file: held, and not; a slow hand-out, and an answer after the last moment that there is
        without it; as late an answer of the other team. Return how much of its time the platform has taken at most."""
        self._wait(opening - _TOO_EARLY)
        self._file(self._late, 1, opening, status=_NOT_YET)
        self._wait(opening - _HELD)
        file = self._file(self._late, 1, opening)
        took = max(0, file.at - opening)
        self._wait(opening + _ASKED_AT)
        slow = self._file(self._slowed, 1, opening, stalled=self.times.hand_out)
        self._wait(opening + self.times.answered_at)
        self._answer(self._slowed, 1, opening, slow, stalled=self.times.receipt)
        self._wait(opening + self.times.limits["total_s"] * SECOND + took + _SURELY)
        return took + self._answer(self._late, 1, opening, file, "late")

    def _wait(self, moment: Millis) -> None:
        """Wait until the next request goes out at this moment."""
        self._playing.wait_until(moment - STEP)
