"""The way to a final: sessions over the test set, a technical run, and the people who conclude and decide on them.

Teams that take no part in the final qualify, or do not (R 6.9, 8.2). One session answers exactly as much as readiness
takes, others a file less, or have a file less; the best of a team's three entries alone is to stand on the board, and
another team's only one is of nineteen files in twenty. A judge, the commission and an organizer take their steps, in
and out of their turn. What each request has to be answered by the rules stands with it in the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from local.rehearsal.moments import MINUTE, SECOND, Millis, to_text
from local.rehearsal.play.barrier import skills_below
from local.rehearsal.play.material import TEST, TRAIN, Material
from local.rehearsal.play.script import REFUSED, Asking, Person, Script, is_there, wish
from local.rehearsal.play.teams import Team
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
"""So long after its last deadline a session has ended, is scored and reported of at the latest: an answer may be under
way for a minute, the timer comes every minute, messages are lost."""
_WELL, _FAIRLY, _BADLY = 0.9, 0.6, 0.3
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
        [wish(each, "file", f"GET {each.path(f'/files/{number}')}", number=number) for each in asking]
    )
    answers = []
    for team, file in zip(asking, files, strict=True):
        if file.status == 200 and team in skills:
            content = file.body["content"]
            markup = material.answer(content, skills[team](content["text"]))
            digest = sha256_hex(canonical_bytes(dump(load(markup))))
            way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": "accepted"}
            answers.append(wish(team, "answer", way, body=markup, number=number, digest=digest, says=says))
    script.together(answers)


def as_good(skill: float) -> Callable[[str], float]:
    """A skill that no text changes."""
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
    """What the three teams and the people play."""

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
        """Sessions, then the technical run, then the steps of people; the organizers' decisions at the end."""
        turns = [
            [
                _Sitting(self._ready, FILES - 1, FILES - 1, _FAIRLY, ready=False),
                _Sitting(self._short, FILES, FILES - 2, _WELL, ready=False),
                _Sitting(self._admitted_too, FILES, FILES, None, ready=True),
                _Sitting(self._equal, FILES, FILES, None, ready=True),
            ],
            [
                _Sitting(self._short, FILES - 1, FILES - 1, _FAIRLY, ready=False),
                _Sitting(self._ready, FILES, FILES - 1, _WELL, ready=True),
            ],
            [_Sitting(self._ready, FILES - 1, FILES - 1, _BADLY, ready=False)],
        ]
        sessions = [session_id for turn in turns for session_id in self._sat(turn)]
        self._ruled(self._ready, sessions[5], "algorithmic")
        self._told(self._ready, qualified=False)
        technical = self._technical()
        self._ruled(self._ready, technical[0], "technical")
        self._told(self._ready, qualified=True)
        self._unconcluded(self._short, sessions[1])
        self._admitted()

    def _sat(self, turn: Sequence[_Sitting]) -> list[str]:
        """Sessions that are opened one after the other and played side by side, to their reports."""
        opened = [self._opened(each) for each in turn]
        self._looked_at(turn[-1].team)
        for number in range(1, FILES + 1):
            asking = [each.team for each in turn if number <= each.files]
            answering = {each.team: self._skill(each) for each in turn if number <= each.count}
            exchanged(self._script, self._material, number, asking, answering)
        over = self._script.now() + _LIMIT_S * SECOND + _OVER
        self._until_reported(zip([each.team for each in turn], opened, strict=True), over)
        for each, session_id in zip(turn, opened, strict=True):
            self._reported(each.team, session_id, each.count / each.files, ready=each.ready)
        return opened

    def _opened(self, sitting: _Sitting) -> str:
        team, says = sitting.team, {"files": sitting.files}
        order = {"mode": "algorithmic", "set": TEST, "files": sitting.files, "time_limit_s": _LIMIT_S}
        opened = self._script.ask(team, "session", "POST /v1/sessions", body=order, status=(201,), says=says)
        team.session_id = str(opened.body.get("session_id", ""))
        return team.session_id

    def _looked_at(self, team: Team) -> None:
        """The organizer looks up the team that asked last, and when its token was used."""
        organizer, way = self._staff[ORGANIZER], f"GET /v1/teams/{team.name}"
        says = {"name": team.name, "status": "approved", "created_at": to_text(self._entered_at)}
        self._script.ask(organizer, "team", way, says=says)
        self._script.ask(organizer, "tokens", f"{way}/tokens", whose=team.name)

    def _skill(self, sitting: _Sitting) -> Callable[[str], float]:
        return self._below.__getitem__ if sitting.skill is None else as_good(sitting.skill)

    def _until_reported(self, sessions: Iterable[tuple[Team, str]], over: Millis) -> None:
        """Wait for the reports of sessions, looking once a minute. Before they are asked for, which would make them,
        the board's parts are looked at as the timer has left them, and their histories at the same moment."""
        script, waiting = self._script, list(sessions)
        looks = (("places", _BOARD), ("history", f"{_BOARD}/history"))
        parts = [(what, f"GET {way}?language={part}", part) for part in _PARTS for what, way in looks]
        while waiting and script.now() < over:
            script.wait_until(min(over, script.now() + MINUTE))
            script.together([wish(waiting[0][0], what, way, part=part) for what, way, part in parts])
            wishes = [wish(team, "waiting", f"GET /v1/sessions/{each}/report") for team, each in waiting]
            replies = script.together(wishes)
            waiting = [each for each, reply in zip(waiting, replies, strict=True) if not is_there(reply)]

    def _reported(self, team: Team, session_id: str, share: float, *, ready: bool) -> None:
        says = {"readiness.ready": ready, "readiness.valid_share": share}
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
            asking = [team for team in teams if number not in missed[team]]
            exchanged(script, self._material, number, asking, {team: as_good(_WELL) for team in asking})
        over = starts_at + FILES * _INTERVAL_S * SECOND + _OVER
        self._until_reported([(team, team.session_id) for team in teams], over)
        for team in teams:
            answered = FILES - len(missed[team])
            self._reported(team, team.session_id, answered / FILES, ready=team is self._ready)
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
