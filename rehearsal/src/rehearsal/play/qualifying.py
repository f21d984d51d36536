"""Qualification before a final, and runs beside it: a trial, and a final that is begun anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.moments import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.play.cycles import FINAL, TEST, TRAIN
from rehearsal.play.material import Material, skills_below
from rehearsal.play.script import (
    AFTER,
    BEFORE,
    MOVED,
    REFUSED,
    Asking,
    Person,
    Script,
    is_settled,
    is_there,
    wish,
)
from rehearsal.play.teams import Team

Json = Any
NAMES: Final = ("qualify-ready", "qualify-short", "qualify-other", "qualify-equal")
"""Teams: one that is ready; one that misses a file too many; one that is admitted all the same; one with the very
answers of that one, which both come out just under the barrier."""
JUDGE, COMMISSION, ORGANIZER = "judge@example.org", "commission@example.org", "organizer@example.org"
STAFF: Final = {JUDGE: "judge", COMMISSION: "commission", ORGANIZER: "organizer"}
FILES: Final = 20
"""Files of the test set, which is as many as readiness takes here: one of twenty may be missed (R 6.5.4, 6.7.4)."""
PARAMETERS: Final = {"readiness_min_files": FILES}
_LIMIT_S: Final = 10
_INTERVAL_S: Final = 10
_LEAD: Final[Millis] = 30 * SECOND
_OVER: Final[Millis] = 5 * MINUTE
"""So long after its last deadline a session has ended, is scored and reported of at the latest: an answer may be under
way for a minute, the timer comes every minute, messages are lost."""
_WELL, _BADLY = 0.9, 0.3
_BOARD: Final = "/v1/leaderboards/qualification"
_PARTS: Final = ("all", "eng", "rus")
_DECIDED: Final = "Rehearsed: as the report says"


def exchanged(
    script: Script,
    material: Material,
    number: int,
    asking: Sequence[Team],
    skills: Mapping[Team, Callable[[str], float]],
) -> None:
    """Let teams ask for a file that is open at one moment, and answer it at the next, each with one of the
    ``skills``, which the text decides; one without does not answer."""
    files = script.together(
        [wish(team, "file", f"GET {team.path(f'/files/{number}')}", number=number) for team in asking]
    )
    answers = []
    for team, file in zip(asking, files, strict=True):
        if file.status == 200 and team in skills:
            content = file.body["content"]
            markup = material.answer(content, skills[team](content["text"]))
            digest = material.digest(content, markup)
            way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": "accepted"}
            answers.append(wish(team, "answer", way, body=markup, number=number, digest=digest, says=says))
    script.together(answers)


def as_good(skill: float) -> Callable[[str], float]:
    """Return a skill that no text changes."""
    return lambda _: skill


@dataclass(frozen=True, slots=True)
class _Sitting:
    """A session over the test set: of so many files the first ``count`` are answered; without a ``skill`` just under
    the barrier. ``ready`` is what its report has to say."""

    team: Team
    files: int
    count: int
    skill: float | None
    ready: bool


class Qualification:
    """The plays of the three teams and the people."""

    def __init__(
        self,
        script: Script,
        material: Material,
        teams: Sequence[Team],
        staff: dict[str, Person],
        entered_at: Millis,
    ) -> None:
        """``entered_at``: when the organizers entered the teams."""
        self._entered_at = entered_at
        self._script = script
        self._material = material
        self._ready, self._short, self._admitted_too, self._equal = teams
        self._staff = staff
        self._below = skills_below(material)

    def play(self) -> None:
        """Play sessions, then the technical run, then the steps of people; the organizers' decisions at the end."""
        turns = [
            [
                _Sitting(self._ready, FILES, FILES - 1, _WELL, ready=True),
                _Sitting(self._short, FILES, FILES - 2, _WELL, ready=False),
                _Sitting(self._admitted_too, FILES, FILES, None, ready=True),
                _Sitting(self._equal, FILES, FILES, None, ready=True),
            ],
            [_Sitting(self._ready, FILES - 1, FILES - 1, _BADLY, ready=False)],
        ]
        sessions = [session_id for turn in turns for session_id in self._sat(turn)]
        self._ruled(self._ready, sessions[0], "algorithmic")
        self._told(self._ready, qualified=False)
        technical = self._technical()
        self._ruled(self._ready, technical[0], "technical")
        self._told(self._ready, qualified=True)
        # Where the automatic conclusion is negative there is nothing to confirm.
        self._ruling(self._staff[JUDGE], sessions[1], "judgement", {"confirmed": True}, None)
        self._script.ask(self._short, "steps", f"GET /v1/sessions/{sessions[1]}/conclusion", status=REFUSED)
        self._admitted()

    def _sat(self, turn: Sequence[_Sitting]) -> list[str]:
        """Play sessions that are opened one after the other side by side, to their reports."""
        opened = [self._opened(sitting) for sitting in turn]
        # The organizer looks up the team that asked last, and when its token was used.
        last, organizer = turn[-1].team.name, self._staff[ORGANIZER]
        says = {"name": last, "status": "approved", "created_at": to_text(self._entered_at)}
        self._script.ask(organizer, "team", f"GET /v1/teams/{last}", says=says)
        self._script.ask(organizer, "tokens", f"GET /v1/teams/{last}/tokens", whose=last)
        for number in range(1, FILES + 1):
            asking = [sitting.team for sitting in turn if number <= sitting.files]
            answering = {
                sitting.team: self._below.__getitem__ if sitting.skill is None else as_good(sitting.skill)
                for sitting in turn
                if number <= sitting.count
            }
            exchanged(self._script, self._material, number, asking, answering)
        over = self._script.now() + _LIMIT_S * SECOND + _OVER
        self._until_reported(zip([sitting.team for sitting in turn], opened, strict=True), over)
        for sitting, session_id in zip(turn, opened, strict=True):
            self._reported(sitting.team, session_id, sitting.count / sitting.files, ready=sitting.ready)
        return opened

    def _opened(self, sitting: _Sitting) -> str:
        team, says = sitting.team, {"files": sitting.files}
        order = {"mode": "algorithmic", "set": TEST, "files": sitting.files, "time_limit_s": _LIMIT_S}
        opened = self._script.ask(team, "session", "POST /v1/sessions", body=order, status=(201,), says=says)
        team.session_id = str(opened.body.get("session_id", ""))
        return team.session_id

    def _until_reported(self, sessions: Iterable[tuple[Team, str]], over: Millis) -> None:
        """Wait for the reports of sessions, looking once a minute. Before they are asked for, which would make them,
        the board's parts are looked at as the timer has left them, and their histories at the same moment."""
        script, waiting = self._script, list(sessions)
        looks = (("places", _BOARD), ("history", f"{_BOARD}/history"))
        parts = [(what, f"GET {way}?language={part}", part) for part in _PARTS for what, way in looks]
        while waiting and script.now() < over:
            script.wait_until(min(over, script.now() + MINUTE))
            script.together([wish(waiting[0][0], what, way, part=part) for what, way, part in parts])
            wishes = [wish(team, "waiting", f"GET /v1/sessions/{session_id}/report") for team, session_id in waiting]
            replies = script.together(wishes)
            waiting = [session for session, reply in zip(waiting, replies, strict=True) if not is_there(reply)]

    def _reported(self, team: Team, session_id: str, share: float, *, ready: bool) -> None:
        says = {"readiness.ready": ready, "readiness.valid_share": share}
        self._script.ask(team, "readiness", f"GET /v1/sessions/{session_id}/report", says=says)

    def _technical(self) -> list[str]:
        """Play a technical run in which one team misses exactly one file of twenty, another two."""
        script, organizer = self._script, self._staff[ORGANIZER]
        starts_at = (script.now() // SECOND) * SECOND + _LEAD
        order = {
            "mode": "technical",
            "set": TRAIN,
            "starts_at": to_text(starts_at),
            "interval_s": _INTERVAL_S,
            "files": FILES,
            "limits": {"request_s": 5, "answer_s": 8, "total_s": 10, "join_s": 10},
        }
        says = {"run.mode": "technical", "run.files": FILES, "run.trial": False}
        planned = script.ask(organizer, "technical", "POST /v1/conduct/runs", body=order, status=(201,), says=says)
        run_id = planned.body.get("run", {}).get("run_id")
        teams, missed = (self._ready, self._short), {self._ready: {FILES}, self._short: {1, 2}}
        for team in teams:
            joining, status = {"mode": "technical", "run": run_id}, (201,)
            opened = script.ask(team, "technical", "POST /v1/sessions", body=joining, status=status, run="technical")
            team.session_id = str(opened.body.get("session_id", ""))
        for number in range(1, FILES + 1):
            script.wait_until(starts_at + (number - 1) * _INTERVAL_S * SECOND)
            asking = [team for team in teams if number not in missed[team]]
            exchanged(script, self._material, number, asking, {team: as_good(_WELL) for team in asking})
        over = starts_at + FILES * _INTERVAL_S * SECOND + _OVER
        self._until_reported([(team, team.session_id) for team in teams], over)
        for team in teams:
            answered = FILES - len(missed[team])
            self._reported(team, team.session_id, answered / FILES, ready=team is self._ready)
        return [team.session_id for team in teams]

    def _ruled(self, team: Team, session_id: str, kind: str) -> None:
        """Take the steps on a conclusion: out of their turn or by people without the right they are refused."""
        judge, commission = self._staff[JUDGE], self._staff[COMMISSION]
        self._ruling(team, session_id, "judgement", {"confirmed": True}, None)
        self._ruling(commission, session_id, "verification", {"verified": True}, None)
        self._ruling(commission, session_id, "judgement", {"confirmed": True}, None)
        self._ruling(judge, session_id, "judgement", {"confirmed": True}, "awaits_commission")
        self._ruling(judge, session_id, "verification", {"verified": True}, None)
        self._ruling(commission, session_id, "verification", {"verified": True}, "verified")
        way = f"GET /v1/sessions/{session_id}/conclusion"
        standing = {"standing": "verified", "kind": kind, "team_id": team.name, "ready": True}
        steps = {"rulings.0.step": "judgement", "rulings.1.step": "verification"}
        self._script.ask(team, "steps", way, says={**standing, **steps})

    def _ruling(self, who: Asking, session_id: str, step: str, ruling: Json, standing: str | None) -> None:
        way = f"POST /v1/sessions/{session_id}/conclusion/{step}"
        says, status = ({}, REFUSED) if standing is None else ({"standing": standing}, (200,))
        self._script.ask(who, "steps", way, body={**ruling, "reason": _DECIDED}, status=status, says=says)

    def _told(self, team: Team, *, qualified: bool) -> None:
        self._script.ask(
            self._staff[ORGANIZER], "standings", "GET /v1/qualification", team=team.name, qualified=qualified
        )

    def _admitted(self) -> None:
        """Let the organizers admit two teams to the next final and not the third; nobody else may decide."""
        decisions = ((self._ready, True, True), (self._admitted_too, True, False), (self._short, False, False))
        for who in (self._ready, self._staff[JUDGE], self._staff[COMMISSION]):
            self._admission(who, self._short, admitted=True, says=None)
        for team, admitted, qualified in decisions:
            says = {"admission.admitted": admitted, "admission.qualified": qualified, "team_id": team.name}
            self._admission(self._staff[ORGANIZER], team, admitted=admitted, says=says)
        day = to_text(self._script.now())[:10]
        self._script.ask(self._staff[ORGANIZER], "audit", f"GET /v1/audit?day={day}", people=dict(STAFF))

    def _admission(self, who: Asking, team: Team, *, admitted: bool, says: dict[str, Json] | None) -> None:
        way, body = f"POST /v1/teams/{team.name}/admission", {"admitted": admitted, "reason": _DECIDED}
        status = REFUSED if says is None else (200,)
        self._script.ask(who, "steps", way, body=body, status=status, says=says or {})


_INTERVAL: Final[Millis] = 30 * SECOND
_LIMITS: Final = {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10}
_JOIN: Final[Millis] = 10 * SECOND
_NOTICE: Final[Millis] = 6 * SECOND
"""A decision holds after five seconds."""
_SETTLED_WITHIN: Final[Millis] = 12 * MINUTE
"""So long after its last deadline a run is over at the latest, and its results are made, though each of four steps be
lost once."""
_FILES: Final = 9
_LOST: Final = (2, 3, 6)
"""The trial's files that nobody asks for; three together are a mass failure, two are none. Between the second and the
third the timer, which comes every minute, has seen the two."""
_NOTICED: Final = 9
"""At this file's opening it has seen the three."""
FEWEST: Final = 2
"""Files of the run that is begun anew in its second one; a final of fewer has no such run."""
_WHY: Final = "Rehearsed: the platform failed"


class SecondRuns:
    """Both runs. ``teams``: two that are admitted to finals, then one that is not."""

    def __init__(self, script: Script, material: Material, teams: Sequence[Team], organizer: Person) -> None:
        self._script = script
        self._material = material
        self._first, self._second, self._other = teams
        self._organizer = organizer

    def trial(self) -> str:
        """Play a trial, its mass failure, and the absence of results; return the run's id."""
        both = (self._first, self._other)
        admitted, slot = [team.name for team in both], _FILES
        order = {"set": TRAIN, "trial": True, "admitted": admitted, "files": _FILES}
        run_id, starts_at = self._planned("trial", order, {"run.trial": True, "run.files": _FILES})
        for team in both:
            self._joins("trial", team, run_id, "trial")
        self._refused("trial", self._second, run_id)
        self._public("trial", run_id, {"trial": True, "commitment.statement.trial": True})
        self._script.read_run(self._first, BEFORE, run_id, "trial")
        for number in range(1, _FILES + 1):
            opening = starts_at + (number - 1) * _INTERVAL
            self._plays(both if number not in _LOST else (), number, opening)
            if number == _LOST[-1]:
                self._stands(run_id, None)
            if number == _NOTICED:
                slot = self._replaced(run_id)
        later = 0
        for place in range(len(_LOST)):
            self._plays(both, _FILES + 1 + place, starts_at + (slot + place) * _INTERVAL + later)
            if place == 0:
                later = self._paused(run_id)
        self._until_settled(run_id)
        for team in both:
            says = {"state": "finished", "voided_share": 0.0, "solution_voided": False}
            says |= {f"deliveries.{number - 1}.cause": "organizer_decision" for number in _LOST}
            self._script.ask(team, "failure", f"GET {team.path()}", says=says)
        self._published("trial", run_id)
        self._script.read_run(self._first, AFTER, run_id, "trial")
        self._script.ask(self._first, "trial", f"GET {self._first.path('/files/1/score')}", number=1)
        self._script.ask(
            self._first, "trial", f"GET /v1/leaderboards/final?run={run_id}", status=(200, *REFUSED), absent=admitted
        )
        self._script.ask(self._first, "trial", "GET /v1/leaderboards/final", absent=admitted)
        return run_id

    def _replaced(self, run_id: str) -> int:
        """Find the proposal, and agree with it once; return the place in the plan of the first appended file."""
        self._stands(run_id, "open")
        decision = {"kind": "replace", "proposal": True, "reason": _WHY}
        says = {"kind": "replace", "details.numbers": list(_LOST), "details.first": _FILES + 1}
        decided = self._decides("failure", run_id, decision, says)
        self._stands(run_id, "accepted")
        self._decides("failure", run_id, decision, None)
        return int(decided.get("details", {}).get("slot", _FILES))

    def _paused(self, run_id: str) -> Millis:
        """Pause a trial and end the pause at once; return by how much it moves the later openings, all of which the
        timer has armed."""
        holds, way = [], f"POST /v1/conduct/runs/{run_id}/decisions"
        for kind in ("pause", "resume"):
            body = {"kind": kind, "reason": _WHY}
            decided = self._script.ask(
                self._organizer, MOVED, way, body=body, says={"kind": kind}, run="trial", kind=kind
            )
            holds.append(from_text(decided.body["effective_at"]) if decided.status == 200 else 0)
        return holds[1] - holds[0]

    def restarted(self) -> str:
        """Play a final for admitted teams alone, stopped and begun anew; a team that comes too late for it stays
        outside. Return the new run's id."""
        run_id, starts_at = self._planned("restart", {"set": FINAL, "files": FEWEST}, {"run.trial": False})
        self._joins("admitted", self._first, run_id, "old")
        self._refused("admitted", self._other, run_id)
        before = self._first.session_id
        self._plays((self._first,), 1, starts_at)
        begins = (self._script.now() // SECOND) * SECOND + 2 * _LEAD
        body = {"reason": _WHY, "starts_at": to_text(begins), "files": FEWEST}
        way = f"POST /v1/conduct/runs/{run_id}/restart"
        reply = self._script.ask(self._organizer, "restart", way, body=body, says={"restarts": run_id})
        anew = str(reply.body.get("run_id", ""))
        says = {"restarts": run_id, "set": "reserve", "files": FEWEST, "trial": False, "starts_at": to_text(begins)}
        self._script.ask(self._organizer, "restart", f"GET /v1/conduct/runs/{anew}", says=says)
        self._script.read_run(self._first, BEFORE, anew, "anew")
        self._script.wait_until(max(self._script.now() + _NOTICE, starts_at + _INTERVAL))
        self._script.ask(
            self._first, "restart", f"GET /v1/sessions/{before}/files/2", number=2, status=REFUSED, of_none=True
        )
        self._public("restart", run_id, {"state": "stopped"})
        self._joins("restart", self._first, anew, "anew")
        self._refused("admitted", self._other, anew)
        self._plays((self._first,), 1, begins)
        self._script.wait_until(begins + _JOIN + SECOND)
        self._refused("admitted", self._second, anew)
        decision = {"kind": "admit", "team_id": self._second.name, "reason": _WHY}
        self._decides("admitted", anew, decision, None)
        self._plays((self._first,), 2, begins + _INTERVAL)
        self._until_settled(anew)
        self._script.ask(self._first, "restart", f"GET /v1/sessions/{before}", says={"state": "stopped"})
        self._decides_board("restart", run_id, status=REFUSED)
        self._published("restart", anew)
        self._script.read_run(self._first, AFTER, anew, "anew")
        self._script.ask(self._first, "restart", f"GET /v1/leaderboards/final?run={run_id}", status=REFUSED)
        says = {"rows.0.team_id": self._first.name, "rows.0.place": 1}
        way, absent = f"GET /v1/leaderboards/final?run={anew}", [self._second.name, self._other.name]
        self._script.ask(self._first, "restart", way, says=says, absent=absent)
        return anew

    def _planned(self, what: str, order: Mapping[str, Json], says: Mapping[str, Json]) -> tuple[str, Millis]:
        starts_at = (self._script.now() // SECOND) * SECOND + _LEAD
        body = {"mode": "final", "starts_at": to_text(starts_at), "interval_s": _INTERVAL // SECOND, "limits": _LIMITS}
        ways = "POST /v1/conduct/runs"
        reply = self._script.ask(self._organizer, what, ways, body={**body, **order}, status=(201,), says=says)
        return str(reply.body.get("run", {}).get("run_id", "")), starts_at

    def _joins(self, what: str, team: Team, run_id: str, kind: str) -> None:
        body = {"mode": "final", "run": run_id}
        reply = self._script.ask(team, what, "POST /v1/sessions", body=body, status=(201,), run=kind, files=_FILES)
        team.session_id = str(reply.body.get("session_id", ""))

    def _refused(self, what: str, team: Team, run_id: str) -> None:
        self._script.ask(team, what, "POST /v1/sessions", body={"mode": "final", "run": run_id}, status=REFUSED)

    def _public(self, what: str, run_id: str, says: Mapping[str, Json]) -> None:
        self._script.ask(self._first, what, f"GET /v1/runs/{run_id}", says=says)

    def _plays(self, teams: Sequence[Team], number: int, opening: Millis) -> None:
        self._script.wait_until(opening)
        exchanged(self._script, self._material, number, teams, {team: as_good(_WELL) for team in teams})

    def _until_settled(self, run_id: str) -> None:
        """Wait for a run's results."""
        self._script.look_until(self._organizer, "waiting", f"/v1/conduct/runs/{run_id}", is_settled, _SETTLED_WITHIN)

    def _stands(self, run_id: str, standing: str | None) -> None:
        """Let the organizers read the proposal on the files that everybody missed; none where none is due yet."""
        says: dict[str, Json] = {"mass_failure": None}
        if standing is not None:
            says = {"mass_failure.numbers": list(_LOST), "mass_failure.standing": standing}
        self._script.ask(self._organizer, "failure", f"GET /v1/conduct/runs/{run_id}", says=says)

    def _decides(self, what: str, run_id: str, decision: Json, says: Mapping[str, Json] | None) -> Mapping[str, Json]:
        way, status = f"POST /v1/conduct/runs/{run_id}/decisions", REFUSED if says is None else (200,)
        return self._script.ask(self._organizer, what, way, body=decision, status=status, says=says or {}).body

    def _decides_board(self, what: str, run_id: str, status: Sequence[int] = (200,)) -> None:
        way, body = f"POST /v1/conduct/boards/{run_id}/decision", {"state": "published", "reason": _WHY}
        self._script.ask(self._organizer, what, way, body=body, status=status)

    def _published(self, what: str, run_id: str) -> None:
        self._decides_board(what, run_id)
        self._script.wait_until(self._script.now() + _JOIN + 5 * SECOND)
