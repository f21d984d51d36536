"""People during a contest: tokens revoked, a team suspended, somebody dismissed, a quota used up, boards hidden.

Each act is looked at from three sides: by whom it concerns, by the organizer who did it, and by everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from local.rehearsal.history import PEOPLE
from local.rehearsal.moments import MINUTE, SECOND, Millis, to_text
from local.rehearsal.play.script import Asking, Person, Script, wish
from local.rehearsal.play.teams import Team

Json = Any
TEAM: Final = "people-team"
DISMISSED: Final = "dismissed@example.org"
STAFF: Final = {DISMISSED: "judge"}
QUOTA: Final = 5
"""Sessions over the training set that a team may open on a day."""
PARAMETERS: Final = {"sessions_per_day_on": {"training": QUOTA}}
_REFUSED: Final = (401, 403)
_BELIEVED: Final[Millis] = MINUTE + SECOND
"""So long after it is taken back nobody believes a token or a sign-in any more (platform §1)."""
_SHOWN: Final[Millis] = 13 * SECOND
"""So old a board may be that somebody reads."""
_WHY: Final = "Rehearsed: people"
_BOARD: Final = "/v1/leaderboards"
_QUALIFICATION: Final = "qualification"


class Participant(Asking, Protocol):
    """A team of the run, which reads of its own session."""

    def path(self, rest: str = "") -> str:
        """Return the path of the team's session, or of something in it."""


class People:
    """The acts. ``program`` makes the team's program with another token; ``everybody`` reads without one."""

    def __init__(
        self, script: Script, team: Team, program: Callable[[str], Team], staff: Mapping[str, Person], everybody: Asking
    ) -> None:
        self._script = script
        self._team = team
        self._program = program
        self._organizer = staff["organizer"]
        self._dismissed = staff["dismissed"]
        self._everybody = everybody

    def play(self, run_id: str, participant: Participant) -> None:
        """Play all acts; at the end everything is as it was before, but for one token and the used quota."""
        self._suspends()
        self._dismisses()
        self._revokes()
        self._uses_up()
        self._decides(_QUALIFICATION, participant, ("frozen", "hidden", "published"))
        self._decides(run_id, participant, ("frozen", "published", "hidden", "published"))

    def _asks(
        self, who: Asking, way: str, due: Sequence[int] = (200,), body: Json = None, **says: Json
    ) -> Mapping[str, Json]:
        """Make a request, and return its answer; ``says`` is the answer due, at places with ``__`` for a dot."""
        places = {name.replace("__", "."): value for name, value in says.items()}
        return self._script.ask(who, PEOPLE, way, body=body, status=due, says=places).body

    def _tells(self, who: Asking, way: str, says: Mapping[str, Json], due: Sequence[int] = (200,)) -> None:
        """Read something that has to say so at these places."""
        self._script.ask(who, PEOPLE, f"GET {way}", status=due, says=says)

    def _waits(self, time: Millis) -> None:
        self._script.wait_until(self._script.now() + time)

    def _revokes(self) -> None:
        tokens = f"/v1/teams/{self._team.name}/tokens"
        issued = self._asks(self._organizer, f"POST {tokens}", (201,), {"name": "rehearsed"})
        second, token_id = self._program(str(issued.get("token", ""))), str(issued.get("token_id", ""))
        for who in (self._team, second):
            self._asks(who, "GET /v1/sessions")
        self._asks(second, "GET /v1/me", token_id=token_id, team_id=self._team.name)
        self._asks(self._organizer, f"POST {tokens}/{token_id}/revoke", body={"reason": _WHY})
        revoked_at = to_text(self._script.now())
        self._waits(_BELIEVED)
        for way in ("GET /v1/me", "GET /v1/sessions", "POST /v1/sessions"):
            self._asks(second, way, _REFUSED, _ORDER if "POST" in way else None)
        self._asks(self._team, "GET /v1/sessions")
        self._asks(self._organizer, f"GET {tokens}", tokens__1__token_id=token_id, tokens__1__revoked_at=revoked_at)

    def _suspends(self) -> None:
        team, way = self._team, f"/v1/teams/{self._team.name}"
        opened = self._asks(team, "POST /v1/sessions", (201,), _ORDER)
        session = f"/v1/sessions/{opened.get('session_id')}"
        for status in ("suspended", "approved"):
            self._asks(self._organizer, f"POST {way}/decision", body={"status": status, "reason": _WHY})
            self._waits(_BELIEVED)
            is_out = status == "suspended"
            for own in ("GET /v1/me", f"GET {session}", f"GET {session}/files/1"):
                self._asks(team, own, _REFUSED if is_out else (200,))
            self._asks(self._organizer, f"GET {way}", status=status, reason=_WHY)
            listed: dict[str, Json] = {"teams.0.team_id": team.name} if is_out else {"teams": []}
            self._tells(self._organizer, "/v1/teams?status=suspended", listed)
        self._asks(team, f"POST {session}/abort", body={})

    def _dismisses(self) -> None:
        self._asks(self._dismissed, "GET /v1/waiting")
        people = self._asks(self._organizer, "GET /v1/staff").get("staff", ())
        place, person = next((place, one) for place, one in enumerate(people) if one["email"] == DISMISSED)
        for act, status in (("dismiss", _REFUSED), ("reinstate", (200,))):
            self._asks(self._organizer, f"POST /v1/staff/{person['person_id']}/{act}", body={"reason": _WHY})
            at = to_text(self._script.now()) if act == "dismiss" else None
            self._waits(_BELIEVED)
            for way in ("GET /v1/me", "GET /v1/waiting", "GET /v1/teams"):
                self._asks(self._dismissed, way, status)
            self._tells(self._organizer, "/v1/staff", {f"staff.{place}.dismissed_at": at})

    def _uses_up(self) -> None:
        """Open as many sessions as a day has, one was opened before; the next one is refused, and lists name them."""
        for number in range(1, QUOTA + 1):
            is_left = number < QUOTA
            self._waits(SECOND)
            who, ask = wish(self._team, PEOPLE, "POST /v1/sessions", body=_ORDER, status=(201,) if is_left else (429,))
            opened = who.ask(ask)
            if opened.status == 201:
                self._asks(self._team, f"POST /v1/sessions/{opened.body['session_id']}/abort", body={})
        self._tells(self._team, "/v1/sessions?limit=100", {f"sessions.{QUOTA - 1}.state": "aborted"})

    def _decides(self, board: str, participant: Participant, states: Sequence[str]) -> None:
        is_final = board != _QUALIFICATION
        kind, run = ("final", f"?run={board}") if is_final else (_QUALIFICATION, "")
        of = f"?of=final&run={board}" if is_final else ""
        ways = [f"{_BOARD}/{kind}{form}{run}" for form in ("", ".csv", ".xlsx", "/history")]
        ways += [f"/v1/boards/relative_accuracy{of}"]
        for state in states:
            decision = {"state": state, "reason": _WHY}
            self._asks(self._organizer, f"POST /v1/conduct/boards/{board}/decision", body=decision, state=state)
            self._waits(_SHOWN)
            status = (403,) if state == "hidden" else (200,)
            says = {} if state == "hidden" else {"state": state}
            for place, way in enumerate(ways):
                self._tells(self._everybody, way, says if place in {0, len(ways) - 1} else {}, status)
            self._tells(participant, ways[0], says, status)
            self._asks(self._organizer, f"GET /v1/conduct/boards/{board}", state=state)
            if is_final:
                comparison = participant.path("/files/1/comparison")
                self._asks(participant, f"GET {comparison}", (403, 409) if state == "hidden" else (200, 404, 409))
                self._asks(self._organizer, f"GET /v1/conduct/runs/{board}", published=state != "hidden")
                self._asks(self._everybody, f"GET /v1/runs/{board}", results_published=state != "hidden")


_ORDER: Final = {"mode": "algorithmic", "set": "train", "files": 1, "time_limit_s": 60}
