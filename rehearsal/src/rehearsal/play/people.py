"""People during a contest: tokens revoked, a team suspended, somebody dismissed, a quota used up, boards hidden.

Each act is looked at from three sides: by whom it concerns, by the organizer who did it, and by everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from rehearsal.history import BOARDS, DAY, PEOPLE
from rehearsal.moments import SECOND, to_text
from rehearsal.play.driver import STEP, Actor, Script, wish
from rehearsal.play.news import BELIEVED, HOOK, SHOWN, TOLD
from rehearsal.play.teams import Team

Json = Any
TEAM: Final = "people-team"
DISMISSED: Final = "dismissed@example.org"
STAFF: Final = {DISMISSED: "judge"}
QUOTA: Final = 5  # sessions over the training set that a team may open on a day
PARAMETERS: Final = {"sessions_per_day_on": {"training": QUOTA}}
_REFUSED: Final = (401, 403)
_WHY: Final = "Rehearsed: people"
_BOARD: Final = "/v1/leaderboards"
_QUALIFICATION: Final = "qualification"


class People:
    """Plays the acts on a ``team`` and on a ``participant`` of the run, whose own session is read; ``program`` returns
    its program with another token. ``people`` are the organizer, somebody who is dismissed, and a reader without a
    token; ``zone`` is that in which the cycle's days end."""

    def __init__(
        self,
        script: Script,
        team: Team,
        participant: Any,
        program: Callable[[str], Actor],
        people: Sequence[Actor],
        zone: str,
    ) -> None:
        self._script, self._zone = script, ZoneInfo(zone)
        self._team, self._participant, self._program = team, participant, program
        self._organizer, self._dismissed, self._everybody = people
        self._tokens = f"/v1/teams/{participant.name}/tokens"
        self._revoked_at = ""

    def play(self, run_id: str) -> None:
        """Play all acts together, then revoke them together: only one token and the used quota stay changed."""
        session = f"/v1/sessions/{self._asks(self._team, 'POST /v1/sessions', (201,), _ORDER).get('session_id')}"
        people = self._asks(self._organizer, "GET /v1/staff").get("staff", ())
        place, person = next((place, one) for place, one in enumerate(people) if one["email"] == DISMISSED)
        self._asks(self._dismissed, "GET /v1/waiting")  # who is dismissed later cannot sign in any more
        issued = self._asks(self._organizer, f"POST {self._tokens}", (201,), {"name": "rehearsed"})
        second, token_id = self._program(str(issued.get("token", ""))), str(issued.get("token_id", ""))
        self._asks(second, "GET /v1/me", says={"token_id": token_id, "team_id": self._participant.name})
        for who in (self._participant, self._team):
            self._asks(who, "POST /v1/hooks", (200, 201), {"url": f"{HOOK}{who.name}"})
        for is_out, board in ((True, "frozen"), (False, "hidden")):
            status = "suspended" if is_out else "approved"
            decided = {"status": status, "reason": _WHY}
            self._asks(self._organizer, f"POST /v1/teams/{self._team.name}/decision", body=decided)
            act = f"POST /v1/staff/{person['person_id']}/{'dismiss' if is_out else 'reinstate'}"
            dismissed_at = to_text(self._script.now() + STEP) if is_out else None
            self._asks(self._organizer, act, body={"reason": _WHY})
            if is_out:
                self._revoked_at = to_text(self._script.now() + STEP)
                self._asks(self._organizer, f"POST {self._tokens}/{token_id}/revoke", body={"reason": _WHY})
            self._decide(run_id, board)
            self._script.wait(BELIEVED)
            due = _REFUSED if is_out else (200,)
            for way in ("/v1/me", session, f"{session}/files/1"):
                self._asks(self._team, f"GET {way}", due)
            self._asks(self._organizer, f"GET /v1/teams/{self._team.name}", says={"status": status, "reason": _WHY})
            listed: dict[str, Json] = {"teams.0.team_id": self._team.name} if is_out else {"teams": []}
            self._asks(self._organizer, "GET /v1/teams?status=suspended", says=listed)
            for way in ("/v1/me", "/v1/waiting", "/v1/teams"):
                self._asks(self._dismissed, f"GET {way}", due)
            self._asks(self._organizer, "GET /v1/staff", says={f"staff.{place}.dismissed_at": dismissed_at})
            self._is_revoked(second, token_id)
            self._shown(run_id, board)
        self._asks(self._team, f"POST {session}/abort", body={})
        self._script.wait(TOLD)
        for who, kind in ((self._participant, "hello"), (self._team, "application")):  # the last that it was told
            self._asks(who, "GET /v1/hooks", says={"hooks.0.attempts.0.kind": kind})
        self._decide(run_id, "published")
        self._use_up()
        self._script.wait(SHOWN)
        self._shown(run_id, "published")

    def _asks(
        self, who: Actor, way: str, status: Sequence[int] = (200,), body: Json = None, what: str = PEOPLE, **means: Json
    ) -> Mapping[str, Json]:
        """Send a request and return its answer; ``says`` are the values that it must have."""
        return self._script.ask(who, what, way, body=body, status=status, **means).body

    def _is_revoked(self, second: Actor, token_id: str) -> None:
        """Send requests with a revoked token, which fail, and with the team's other one, which do not."""
        for way in ("/v1/me", "/v1/sessions", self._participant.path()):
            self._asks(second, f"GET {way}", _REFUSED)
        self._asks(self._participant, "GET /v1/sessions")
        tokens = self._asks(self._organizer, f"GET {self._tokens}").get("tokens", ())
        place = next((place for place, one in enumerate(tokens) if one["token_id"] == token_id), 0)
        says = {f"tokens.{place}.revoked_at": self._revoked_at, f"tokens.{1 - place}.revoked_at": None}
        self._asks(self._organizer, f"GET {self._tokens}", says=says)

    def _use_up(self) -> None:
        """Use up the day's quota of sessions, of which one is open already; the next is refused, and lists name all."""
        tomorrow = datetime.fromtimestamp(self._script.now() / SECOND, self._zone).date() + timedelta(days=1)
        midnight = to_text(round(datetime.combine(tomorrow, time.min, self._zone).timestamp() * SECOND))
        for number in range(1, QUOTA + 1):
            self._script.wait(SECOND)
            says, status = ({}, (201,)) if number < QUOTA else ({"error.details.0.resets_at": midnight}, (429,))
            who, ask = wish(self._team, DAY, "POST /v1/sessions", body=_ORDER, status=status, says=says)
            opened = who.ask(ask)
            if opened.status == 201:
                self._asks(self._team, f"POST /v1/sessions/{opened.body['session_id']}/abort", body={}, what=DAY)
        self._asks(self._team, "GET /v1/sessions?limit=100", what=DAY, says={f"sessions.{QUOTA - 1}.state": "aborted"})

    def _decide(self, run_id: str, state: str) -> None:
        for board in (_QUALIFICATION, run_id):
            way, body = f"POST /v1/conduct/boards/{board}/decision", {"state": state, "reason": _WHY}
            self._asks(self._organizer, way, body=body, what=BOARDS, says={"state": state})

    def _shown(self, run_id: str, state: str) -> None:
        """Read both leaderboards as everybody, as a team and as an organizer, and the team's own pages of the final."""
        is_out = state != "hidden"
        says, status = ({"state": state}, (200,)) if is_out else ({}, (403,))
        for board, kind, run, of in (
            (_QUALIFICATION, _QUALIFICATION, "", ""),
            (run_id, "final", f"?run={run_id}", f"?of=final&run={run_id}"),
        ):
            main = f"{_BOARD}/{kind}{run}"
            for way in (main, f"/v1/boards/relative_accuracy{of}"):
                self._asks(self._everybody, f"GET {way}", status, what=BOARDS, says=says)
            for form in (".csv", ".xlsx", "/history"):
                self._asks(self._everybody, f"GET {_BOARD}/{kind}{form}{run}", status, what=BOARDS)
            self._asks(self._participant, f"GET {main}", status, what=BOARDS, says=says)
            self._asks(self._organizer, f"GET /v1/conduct/boards/{board}", what=BOARDS, says={"state": state})
        allowed = (200, 404, 409) if is_out else (403, 404, 409)
        self._asks(self._participant, f"GET {self._participant.path('/files/1/comparison')}", allowed, what=BOARDS)
        self._asks(self._organizer, f"GET /v1/conduct/runs/{run_id}", what=BOARDS, says={"published": is_out})
        self._asks(self._everybody, f"GET /v1/runs/{run_id}", what=BOARDS, says={"results_published": is_out})


_ORDER: Final = {"mode": "algorithmic", "set": "train", "files": 1, "time_limit_s": 60}
