"""Runs beside the final: a trial in which everybody misses the same files, and a final that is begun anew.

In the trial two teams miss three files together, which has to be proposed to the commission, and is replaced by one
decision (D 1.7, 8.12); a pause moves two of the files that it appends. The other run is a final for the teams that the
organizers have admitted; it is stopped in its second file and begun anew on the reserve set (R 7.16), where an admitted
team comes too late, and stays outside whatever the organizers wish (R 7.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from local.rehearsal.moments import MINUTE, SECOND, Millis, from_text, to_text
from local.rehearsal.play import promised
from local.rehearsal.play.material import FINAL, TRAIN, Material
from local.rehearsal.play.qualifying import as_good, exchanged
from local.rehearsal.play.script import REFUSED, Person, Script, is_settled
from local.rehearsal.play.teams import Team

Json = Any
_INTERVAL: Final[Millis] = 30 * SECOND
_LIMITS: Final = {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10}
_LEAD: Final[Millis] = 30 * SECOND
_JOIN: Final[Millis] = 10 * SECOND
_NOTICE: Final[Millis] = 6 * SECOND
"""A decision holds after five seconds."""
_OVER: Final[Millis] = 12 * MINUTE
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
_WELL: Final = 0.9
_WHY: Final = "Rehearsed: the platform failed"


class SecondRuns:
    """Both runs. ``teams``: two that are admitted to finals, then one that is not."""

    def __init__(self, script: Script, material: Material, teams: Sequence[Team], organizer: Person) -> None:
        self._script = script
        self._material = material
        self._first, self._second, self._other = teams
        self._organizer = organizer

    def trial(self) -> str:
        """A trial, its mass failure, and what does not come of it; the run's id."""
        both = (self._first, self._other)
        admitted, slot = [each.name for each in both], _FILES
        order = {"set": TRAIN, "trial": True, "admitted": admitted, "files": _FILES}
        run_id, starts_at = self._planned("trial", order, {"run.trial": True, "run.files": _FILES})
        for team in both:
            self._joins("trial", team, run_id, "trial")
        self._refused("trial", self._second, run_id)
        self._public("trial", run_id, {"trial": True, "commitment.statement.trial": True})
        promised.before(self._script, self._first, run_id, "trial")
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
        promised.after(self._script, self._first, run_id, "trial")
        self._script.ask(self._first, "trial", f"GET {self._first.path('/files/1/score')}", number=1)
        self._script.ask(
            self._first, "trial", f"GET /v1/leaderboards/final?run={run_id}", status=(200, *REFUSED), absent=admitted
        )
        self._script.ask(self._first, "trial", "GET /v1/leaderboards/final", absent=admitted)
        return run_id

    def _replaced(self, run_id: str) -> int:
        """The proposal is found, and agreed with once; the place in the plan of the first appended file."""
        self._stands(run_id, "open")
        decision = {"kind": "replace", "proposal": True, "reason": _WHY}
        says = {"kind": "replace", "details.numbers": list(_LOST), "details.first": _FILES + 1}
        decided = self._decides("failure", run_id, decision, says)
        self._stands(run_id, "accepted")
        self._decides("failure", run_id, decision, None)
        return int(decided.get("details", {}).get("slot", _FILES))

    def _paused(self, run_id: str) -> Millis:
        """A trial's pause, ended as soon as it is wished for: by how much it moves what opens after it, of which the
        timer has armed everything."""
        holds, way = [], f"POST /v1/conduct/runs/{run_id}/decisions"
        for kind in ("pause", "resume"):
            body = {"kind": kind, "reason": _WHY}
            told = self._script.ask(
                self._organizer, promised.MOVED, way, body=body, says={"kind": kind}, run="trial", kind=kind
            )
            holds.append(from_text(told.body["effective_at"]) if told.status == 200 else 0)
        return holds[1] - holds[0]

    def restarted(self) -> str:
        """A final for admitted teams alone, stopped and begun anew; a team that comes too late for it stays outside.
        The new run's id."""
        run_id, starts_at = self._planned("restart", {"set": FINAL, "files": FEWEST}, {"run.trial": False})
        self._joins("admitted", self._first, run_id, "old")
        self._refused("admitted", self._other, run_id)
        before = self._first.session_id
        self._plays((self._first,), 1, starts_at)
        begins = (self._script.now() // SECOND) * SECOND + 2 * _LEAD
        body = {"reason": _WHY, "starts_at": to_text(begins), "files": FEWEST}
        way = f"POST /v1/conduct/runs/{run_id}/restart"
        told = self._script.ask(self._organizer, "restart", way, body=body, says={"restarts": run_id})
        anew = str(told.body.get("run_id", ""))
        says = {"restarts": run_id, "set": "reserve", "files": FEWEST, "trial": False, "starts_at": to_text(begins)}
        self._script.ask(self._organizer, "restart", f"GET /v1/conduct/runs/{anew}", says=says)
        promised.before(self._script, self._first, anew, "anew")
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
        promised.after(self._script, self._first, anew, "anew")
        self._script.ask(self._first, "restart", f"GET /v1/leaderboards/final?run={run_id}", status=REFUSED)
        says = {"rows.0.team_id": self._first.name, "rows.0.place": 1}
        way, absent = f"GET /v1/leaderboards/final?run={anew}", [self._second.name, self._other.name]
        self._script.ask(self._first, "restart", way, says=says, absent=absent)
        return anew

    def _planned(self, what: str, order: Mapping[str, Json], says: Mapping[str, Json]) -> tuple[str, Millis]:
        starts_at = (self._script.now() // SECOND) * SECOND + _LEAD
        body = {"mode": "final", "starts_at": to_text(starts_at), "interval_s": _INTERVAL // SECOND, "limits": _LIMITS}
        ways = "POST /v1/conduct/runs"
        told = self._script.ask(self._organizer, what, ways, body={**body, **order}, status=(201,), says=says)
        return str(told.body.get("run", {}).get("run_id", "")), starts_at

    def _joins(self, what: str, team: Team, run_id: str, kind: str) -> None:
        body = {"mode": "final", "run": run_id}
        told = self._script.ask(team, what, "POST /v1/sessions", body=body, status=(201,), run=kind, files=_FILES)
        team.session_id = str(told.body.get("session_id", ""))

    def _refused(self, what: str, team: Team, run_id: str) -> None:
        self._script.ask(team, what, "POST /v1/sessions", body={"mode": "final", "run": run_id}, status=REFUSED)

    def _public(self, what: str, run_id: str, says: Mapping[str, Json]) -> None:
        self._script.ask(self._first, what, f"GET /v1/runs/{run_id}", says=says)

    def _plays(self, teams: Sequence[Team], number: int, opening: Millis) -> None:
        self._script.wait_until(opening)
        exchanged(self._script, self._material, number, teams, {team: as_good(_WELL) for team in teams})

    def _until_settled(self, run_id: str) -> None:
        """Wait for a run's results."""
        self._script.look_until(self._organizer, "waiting", f"/v1/conduct/runs/{run_id}", is_settled, _OVER)

    def _stands(self, run_id: str, standing: str | None) -> None:
        """What the organizers read of the proposal on the files that everybody missed; none where there is to be none
        yet."""
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
