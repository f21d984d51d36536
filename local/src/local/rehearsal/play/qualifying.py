"""The way to a final: sessions over the test set, a technical run, and the people who conclude and decide on them.

Teams that take no part in the final qualify, or do not (R 6.9, 8.2). One session answers exactly as much as readiness
takes, others a file less, or have a file less; the best of a team's three entries alone is to stand on the board. A
judge, the commission and an organizer take their steps, in and out of their turn. What each request has to be answered
by the rules stands with it in the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from local.rehearsal.moments import MINUTE, SECOND, Millis, to_text
from local.rehearsal.play.barrier import skills_below
from local.rehearsal.play.material import TEST, TRAIN, Material
from local.rehearsal.play.script import REFUSED, Asking, Person, Script
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Reply
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex

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
"""So long after its last deadline a session has ended, is scored and reported of: an answer may be under way for a
minute, the timer comes every minute."""
_WELL, _FAIRLY, _BADLY = 0.9, 0.6, 0.3
_DECIDED: Final = "Rehearsed: as the report says"


def answered(script: Script, material: Material, team: Team, file: Reply, number: int, *, skill: float) -> None:
    """Answer a file that was handed out."""
    markup = material.answer(file.body["content"], skill)
    digest = sha256_hex(canonical_bytes(dump(load(markup))))
    way = f"PUT {team.path(f'/files/{number}/answer')}"
    script.ask(team, "answer", way, body=markup, number=number, digest=digest, says={"receipt.status": "accepted"})


def handed(script: Script, team: Team, number: int) -> Reply:
    """Ask for a file that is open."""
    return script.ask(team, "file", f"GET {team.path(f'/files/{number}')}", number=number)


class Qualification:
    """What the three teams and the people play."""

    def __init__(self, script: Script, material: Material, teams: Sequence[Team], staff: dict[str, Person]) -> None:
        self._script = script
        self._material = material
        self._ready, self._short, self._admitted_too, self._equal = teams
        self._staff = staff
        self._below = skills_below(material)

    def play(self) -> None:
        """Sessions, then the technical run, then the steps of people; the organizers' decisions at the end."""
        turns: list[list[tuple[Team, int, int, float | None, bool]]] = [
            [(self._ready, FILES - 1, FILES - 1, _FAIRLY, False), (self._short, FILES, FILES - 2, _WELL, False)],
            [(team, FILES, FILES, None, True) for team in (self._admitted_too, self._equal)],
            [(self._ready, FILES, FILES - 1, _WELL, True)],
            [(self._ready, FILES - 1, FILES - 1, _BADLY, False)],
        ]
        sessions = []
        for turn in turns:
            opened = [self._session(*each[:4]) for each in turn]
            self._script.wait_until(self._script.now() + _LIMIT_S * SECOND + _OVER)
            for (team, _, _, _, ready), session_id in zip(turn, opened, strict=True):
                self._reported(team, session_id, ready=ready)
            sessions += opened
        self._ruled(self._ready, sessions[4], "algorithmic")
        self._told(self._ready, qualified=False)
        technical = self._technical()
        self._ruled(self._ready, technical[0], "technical")
        self._told(self._ready, qualified=True)
        self._unconcluded(self._short, sessions[1])
        self._admitted()

    def _session(self, team: Team, files: int, count: int, skill: float | None) -> str:
        """A session over the test set of which the first ``count`` files are answered, at once; without a ``skill``
        just under the barrier."""
        order = {"mode": "algorithmic", "set": TEST, "files": files, "time_limit_s": _LIMIT_S}
        says, status = {"files": files}, (201,)
        opened = self._script.ask(team, "session", "POST /v1/sessions", body=order, status=status, says=says)
        team.session_id = str(opened.body.get("session_id", ""))
        for number in range(1, count + 1):
            file = handed(self._script, team, number)
            if file.status == 200:
                of_file = self._below[file.body["content"]["text"]] if skill is None else skill
                answered(self._script, self._material, team, file, number, skill=of_file)
        for number in range(count + 1, files + 1):
            handed(self._script, team, number)
        return team.session_id

    def _reported(self, team: Team, session_id: str, *, ready: bool) -> None:
        says = {"readiness.ready": ready}
        self._script.ask(team, "readiness", f"GET /v1/sessions/{session_id}/report", says=says)

    def _technical(self) -> list[str]:
        """A technical run in which one team misses exactly one file of twenty, another two."""
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
            for team in teams:
                if number not in missed[team] and (file := handed(script, team, number)).status == 200:
                    answered(script, self._material, team, file, number, skill=_WELL)
        script.wait_until(starts_at + FILES * _INTERVAL_S * SECOND + _OVER)
        for team in teams:
            self._reported(team, team.session_id, ready=team is self._ready)
        return [team.session_id for team in teams]

    def _ruled(self, team: Team, session_id: str, kind: str) -> None:
        """The steps on a conclusion: out of their turn or by whoever may not take them they are refused."""
        judge, commission = self._staff[JUDGE], self._staff[COMMISSION]
        self._ruling(team, session_id, "judgement", {"confirmed": True}, None)
        self._ruling(commission, session_id, "verification", {"verified": True}, None)
        self._ruling(commission, session_id, "judgement", {"confirmed": True}, None)
        self._ruling(judge, session_id, "judgement", {"confirmed": True}, "awaits_commission")
        self._ruling(judge, session_id, "verification", {"verified": True}, None)
        self._ruling(commission, session_id, "verification", {"verified": True}, "verified")
        way = f"GET /v1/sessions/{session_id}/conclusion"
        shown = {"standing": "verified", "kind": kind, "team_id": team.name, "ready": True}
        steps = {"rulings.0.step": "judgement", "rulings.1.step": "verification"}
        self._script.ask(team, "steps", way, says={**shown, **steps})

    def _ruling(self, who: Asking, session_id: str, step: str, ruling: Json, standing: str | None) -> None:
        way = f"POST /v1/sessions/{session_id}/conclusion/{step}"
        says, status = ({}, REFUSED) if standing is None else ({"standing": standing}, (200,))
        self._script.ask(who, "steps", way, body={**ruling, "reason": _DECIDED}, status=status, says=says)

    def _unconcluded(self, team: Team, session_id: str) -> None:
        """Where the automatic conclusion is negative there is nothing to confirm."""
        self._ruling(self._staff[JUDGE], session_id, "judgement", {"confirmed": True}, None)
        way = f"GET /v1/sessions/{session_id}/conclusion"
        self._script.ask(team, "steps", way, status=REFUSED)

    def _told(self, team: Team, *, qualified: bool) -> None:
        self._script.ask(
            self._staff[ORGANIZER], "standings", "GET /v1/qualification", team=team.name, qualified=qualified
        )

    def _admitted(self) -> None:
        """The organizers decide: two teams take part in the next final, the third does not; nobody else decides."""
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
