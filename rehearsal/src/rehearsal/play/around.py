"""Plays around the final: teams' own sessions, acts on people, and the notifications about these acts.

Four teams that take no part in the run practise while it goes on, as teams may: sessions are chosen, ended by the team
or by silence, with requests too fast or large. The due answer to each request stands with it in the history
(``means``), so that the checker can hold the answer against it.

Acts on people come when the results are out: tokens revoked, people dismissed, questions answered. Each act is looked
at from three sides: by the person concerned, by the organizer who did it, and by everybody. Mails and webhooks tell
teams of acts, too. A member of each of two teams gets mails: one in English, who stops mails of answers by a mail's
link, one in Russian. If a qualification is played, a member of a team that qualifies gets them in both languages.
"""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, time, timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from markup_core.receipt import sha256_hex
from rehearsal.history import BOARDS, DAY, MINUTE, NEWS, PEOPLE, PRACTISED, SECOND, Millis, from_text, to_text
from rehearsal.play.driver import STEP, Actor, Person, Play, Script, Step, Timing, Waiting, wish
from rehearsal.play.material import TRAIN, Material
from rehearsal.play.teams import Answers, Steps, Team, as_json, insist
from rehearsal.play.wire import Ask, Reply, begun

Json = Any
LEFT: Final = "practice-left"
PRACTISING: Final = ("practice-chosen", LEFT, "practice-fast", "practice-slow")
FILES: Final = 3
LIMIT_S: Final = 20
_LIMIT: Final[Millis] = LIMIT_S * SECOND
_BEGINS: Final[Millis] = 100 * SECOND
"""Time before the start at which the plays begin, so that those of a quarter of an hour end with the run."""
_SILENT: Final[Millis] = 20 * MINUTE  # a quarter of an hour, with the requests before it and the timer's next visit
_APART: Final[Millis] = 137  # moments of their own, so that nobody else's process dies for them
_USUAL_LIMIT_S: Final = 60  # seconds for an answer where a program chooses none
_CHOSEN: Final = {"mode": "algorithmic", "set": TRAIN, "files": FILES, "language": "all", "time_limit_s": LIMIT_S}
_WRONG: Final[Sequence[Json]] = (
    {"files": 0}, {"files": 1001}, {"time_limit_s": 9}, {"time_limit_s": 61}, {"set": "final"}, {"set": "reserve"},
    {"language": "klingon"},
)  # fmt: skip
_IN_FLIGHT: Final[Millis] = MINUTE
"""Time after its last deadline by which a session with a missed file ends: until then an answer may be under way."""
_AT_ONCE: Final = 14  # more requests in a second than a team may make
MAX_ANSWER: Final = 2 * 1024 * 1024
_MAX_BODY: Final = 10 * 1024 * 1024
_SCORED: Final = 25
_BETWEEN: Final[Millis] = 10 * SECOND
_SLOW: Final[Sequence[Millis]] = (9 * SECOND // 10, 20 * SECOND)
"""Transfer times of the two slow bodies: less than any body may take; more than a dripping one and a start may take."""
SHARED: Final = "practice_fast_shared"
_REPEATED, _BEYOND = 4, 3  # sends of the same answer while its file is open; answers beyond a second's ten
_RACES: Final = 12
"""Number of seconds in which questions and such answers come together: only the process that counts a request knows it
as a second's eleventh, and two simultaneous ones may both be counted as the tenth."""
_SPARED: Final = 11  # answers to a file after which one more is refused like a question, though its file is open
_TAKEN: Final = 200
_TOO_EARLY: Final = 409  # status of answers to a file that was not handed out
_HEADERS: Final[Millis] = SECOND // 2  # time before its deadline at which a slow answer begins to arrive


class Practice:
    """The plays of the four teams."""

    def __init__(self, timing: Timing, material: Material) -> None:
        self._begins = timing.starts_at - _BEGINS
        self._material = material

    def plays(self, teams: Sequence[Team]) -> Iterator[tuple[Team, Play]]:
        plays = (self._chosen, self._left, self._fast, self._slow)
        for place, (team, play) in enumerate(zip(teams, plays, strict=True)):
            yield team, play(team, self._begins + place * SECOND + _APART)

    def _chosen(self, team: Team, at: Millis) -> Play:
        """Try a forbidden choice, then an allowed one; take files by number, late and in the last moment; be scored."""
        for wrong in _WRONG:
            at = (yield from insist(at + SECOND, _opening({**_CHOSEN, **wrong}, "practice_wrong"))).at
        at = (yield from self._opened(team, at + SECOND, key="chosen")).at
        at = (yield from insist(at, _opening(_CHOSEN, "practice_second"))).at
        handed = []
        for number in range(1, FILES + 1):
            at = (yield from insist(at + SECOND, Ask("practice_next", "GET", team.path("/next"), number))).at
            handed.append((yield from insist(at, team.asks(number, "practice_file"))))
            yield from insist(at + 1, team.asks(number, "practice_file"))
        dues = [from_text(file.body["answer_by"]) for file in handed if file.status == 200]
        if len(dues) < FILES:
            return
        yield from insist(dues[0] - SECOND, self._answer(team, 1, handed[0], "accepted"))
        yield from insist(dues[1] + 1, self._answer(team, 2, handed[1], "late"))
        yield from insist(dues[2], self._answer(team, 3, handed[2], "accepted"))
        at = (yield from insist(dues[2] + _IN_FLIGHT, _status(team, "finished"))).at
        again = replace(self._answer(team, 3, handed[2], "closed", variant=1), what="practice_closed")
        at = yield from self._scored(team, (yield from insist(at, again)).at + _BETWEEN, "practice_score")
        first = team.session_id
        yield from self._opened(team, at + SECOND, key="again")
        means = {"sessions": [team.session_id, first]}
        yield from insist(at + SECOND, Ask("practice_list", "GET", "/v1/sessions", means=means))

    def _left(self, team: Team, at: Millis) -> Play:
        """Abort a session in which nothing is chosen, then one in which all is, and leave another alone for good."""
        usual = {"files": self._material.size(TRAIN), "language": "all", "time_limit_s": _USUAL_LIMIT_S}
        at = (yield from self._opened(team, at, key="usual", rest=usual)).at
        at = (yield from insist(at + SECOND, _abort(team))).at
        at = (yield from self._opened(team, at + SECOND, key="aborted")).at
        at = (yield from insist(at, team.asks(1, "practice_file"))).at
        at = (yield from insist(at + SECOND, _abort(team))).at
        at = (yield from insist(at + SECOND, team.asks(2, "practice_closed"))).at
        at = (yield from insist(at, _status(team, "aborted"))).at
        yield from self._opened(team, at + SECOND, key="silent")
        yield from insist(at + SECOND, team.asks(1, "practice_file"))

    def _fast(self, team: Team, at: Millis) -> Play:
        """Ask too often within a second, and answer in the same; be told the score; send too much; leave a log; then
        share seconds between questions and answers."""
        at = (yield from self._opened(team, at, key="fast")).at
        file = yield from insist(at, team.asks(1, "practice_file"))
        if file.status != 200:
            return
        at = file.at + 2 * SECOND
        yield Step(at, _questions(team, "practice_fast", at))
        at = (yield from insist(at, self._answer(team, 1, file, "accepted"))).at
        at = (yield from self._scored(team, at + SECOND, "practice_trained")) + _BETWEEN
        for size in (MAX_ANSWER + 1, _MAX_BODY + 1):
            path = team.path("/files/1/answer")
            body = b'"' + b" " * (size - 2) + b'"'
            at = (yield from insist(at + SECOND, Ask("practice_large", "PUT", path, 1, body))).at
        log = f"{team.name} was here".encode()
        log_sent = Ask("practice_log", "PUT", team.path("/log"), body=log, means={"sha256": sha256_hex(log)})
        at = (yield from insist(at + SECOND, log_sent)).at
        at = (yield from insist(at, _status(team, "open", sends=1))).at
        yield from self._shared(team, at, replace(self._answer(team, 1, file, "late", 1), what=SHARED))

    @staticmethod
    def _scored(team: Team, at: Millis, what: str) -> Waiting:
        """Ask for the first file's score until there is one; return when it came."""
        for _ in range(_SCORED):
            score = yield from insist(at, Ask(what, "GET", team.path("/files/1/score"), 1))
            if score.status == 200:
                break
            at = score.at + _BETWEEN
        return score.at

    def _shared(self, team: Team, at: Millis, overdue: Ask) -> Play:
        """Answer beyond the rate. Answers to a file that is open count, and are not refused; those to one that was not
        handed out, or whose time is over though it had one send alone, or that has had its ten sends and one more, are
        refused like questions when a second has had its ten, also when they come together with those."""
        file = yield from insist(at + SECOND, team.asks(2, "practice_file"))
        if file.status != 200:
            return
        shared = replace(self._answer(team, 2, file, "accepted"), what=SHARED)
        at = file.at + 2 * SECOND
        accepted = 0
        for answer in (shared,) * _REPEATED:
            (reply,) = yield Step(at, (answer,))
            accepted += reply.status == _TAKEN
        yield Step(at, _questions(team, SHARED, at))
        at += 2 * SECOND
        yield Step(at, _questions(team, "practice_fast", at))
        for answer in (replace(shared, what="practice_spared"),) * (_REPEATED + 1):
            (reply,) = yield Step(at, (answer,))
            accepted += reply.status == _TAKEN
        while accepted < _SPARED and at < (shared.due or at) - _LIMIT // 4:
            at += SECOND
            (reply,) = yield Step(at, (replace(shared, due=at),))
            accepted += reply.status == _TAKEN
        early = Ask(SHARED, "PUT", team.path("/files/3/answer"), 3, b"{}", means={"is_told": _TOO_EARLY})
        late = max(at + 4 * SECOND, (overdue.due or 0) + SECOND)
        for begins, answer in ((at + SECOND, shared), (at + 2 * SECOND, early), (late, overdue)):
            yield Step(begins, _questions(team, SHARED, begins))
            yield Step(begins, (replace(answer, due=begins),) * _BEYOND)
        for begins in range(late + SECOND, late + (1 + _RACES) * SECOND, SECOND):
            refused = (replace(early, due=begins),) * _BEYOND
            yield Step(begins, (*_questions(team, SHARED, begins), *refused))

    def _slow(self, team: Team, at: Millis) -> Play:
        """Send two answers whose bodies take their time: each begins before its deadline and ends after it."""
        at = (yield from self._opened(team, at, key="slow")).at
        for number, (lasts, status) in enumerate(zip(_SLOW, ("accepted", "late"), strict=True), start=1):
            file = yield from insist(at + SECOND, team.asks(number, "practice_file"))
            if file.status != 200:
                return
            due = from_text(file.body["answer_by"])
            answer = self._answer(team, number, file, status)
            begin = replace(answer, what="practice_body_begins")
            yield Step(due - _HEADERS, (begin,))
            (reply,) = yield Step(due - _HEADERS + lasts, (replace(answer, what="practice_body_ends"),))
            at = reply.at

    @staticmethod
    def _opened(team: Team, at: Millis, *, key: str, rest: Mapping[str, Json] | None = None) -> Steps:
        """Open a session, all of it chosen, or nothing but the set, of which the rest is ``rest``."""
        order = {name: _CHOSEN[name] for name in ("mode", "set")} if rest else _CHOSEN
        opening = replace(_opening(order, "practice_open"), means={**order, **(rest or {})})
        reply = yield from insist(at, replace(opening, key=key))
        if reply.status == 201:
            team.session_id = str(reply.body["session_id"])
        return reply

    def _answer(self, team: Team, number: int, file: Reply, status: str, variant: int = 0) -> Ask:
        due = from_text(file.body["answer_by"])
        sent = Answers(team, number, self._material, file.body["content"], due).right(variant, keyed=False)
        return replace(sent, what="practice_answer", means={"status": status})


def silence_ends(timing: Timing) -> Millis:
    """Return the time by which the abandoned session has been closed for sure, however short the run was."""
    return timing.starts_at - _BEGINS + _SILENT


def at_the_end(team: Team) -> Ask:
    """Return the final request for the session that its team abandoned."""
    return _status(team, "timed_out")


def unconfirmed(team: Team, timing: Timing) -> Play:
    """Abort the final without confirming it: the final must go on."""
    at = min(timing.starts_at + timing.join, timing.opens_at(timing.files)) + MINUTE // 2 + _APART
    yield Step(at, ())
    if team.session_id:
        yield Step(at, (_abort(team, "practice_unconfirmed"),))


def _abort(team: Team, what: str = "practice_abort") -> Ask:
    return Ask(what, "POST", team.path("/abort"), body=b"{}")


def _opening(order: Json, what: str) -> Ask:
    return Ask(what, "POST", "/v1/sessions", body=as_json(order), means=order)


def _questions(team: Team, what: str, at: Millis) -> tuple[Ask, ...]:
    """Ask more at once than a second allows."""
    return (replace(_status(team, "open"), what=what, due=at),) * _AT_ONCE


def _status(team: Team, state: str, **more: Json) -> Ask:
    return Ask("practice_status", "GET", team.path(), means={"state": state, **more})


BEGINS, ENDS = f"{PRACTISED}body_begins", f"{PRACTISED}body_ends"
_PATIENCE_S: Final = 60.0
_BUFFER: Final = 65_536


class SlowTeam(Team):
    """A team that sends a body in two parts: by the ask :data:`BEGINS`, then by the same with :data:`ENDS`."""

    _under_way: tuple[HTTPConnection, Millis]

    def ask(self, ask: Ask) -> Reply:
        if ask.what == BEGINS:
            self._under_way = self._begun(ask), self.wire.now()
            return Reply(self.wire.now(), 200, {})
        return self._ended(ask) if ask.what == ENDS else super().ask(ask)

    def _begun(self, ask: Ask) -> HTTPConnection:
        """Send the headers and half the body. The clock moves on when this is done, so it is done when the gateway has
        said that it has the headers, however slow the machine is."""
        place, body = urlsplit(self.wire.url), ask.body or b""
        connection = HTTPConnection(str(place.hostname), place.port, timeout=_PATIENCE_S)
        connection.putrequest(ask.method, ask.path)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Connection": "close"}
        for name, value in {**headers, "Content-Length": str(len(body)), "Expect": "100-continue"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        received = b""
        with suppress(OSError):  # until the other side says that the headers are there
            while b"\r\n\r\n" not in received and (part := connection.sock.recv(_BUFFER)):
                received += part
        connection.send(body[: len(body) // 2])
        return connection

    def _ended(self, ask: Ask) -> Reply:
        (connection, begun_at), body = self._under_way, ask.body or b""
        call = begun(self.wire.history, self.name, ask, begun_at)
        status, answer_body = None, dict[str, Json]()
        with closing(connection), suppress(OSError, HTTPException, ValueError):
            connection.send(body[len(body) // 2 :])
            answer = connection.getresponse()
            status = answer.status
            answer_body = json.loads(answer.read())
        now = self.wire.now()
        self.wire.history.called(replace(call, done_at=now, status=status, said=answer_body))
        return Reply(now, status, answer_body)


ACTED_ON: Final = "people-team"
DISMISSED: Final = "dismissed@example.org"
DISMISSED_STAFF: Final = {DISMISSED: "judge"}
_QUOTA: Final = 5  # sessions over the training set that a team may open on a day
QUOTAS: Final = {"sessions_per_day_on": {"training": _QUOTA}}
_REFUSED: Final = (401, 403)
MEMBERS: Final = {"english@example.org": "en", "russian@example.org": "ru", "qualifying@example.org": "both"}
"""Languages of the members' mails by their addresses; the first one's team asks, the last one's qualifies."""
_HOOK: Final = "https://hooks.example.org/"
"""Address of a team's webhook, before the team's name."""
TOLD: Final[Millis] = 4 * MINUTE
"""Time after an act by which mails and webhooks are sent."""
_BOARD_AGE: Final[Millis] = 13 * SECOND
"""Maximum age of a leaderboard in an answer."""
_BELIEVED: Final[Millis] = MINUTE + SECOND
"""Time after a revocation, or a change of role, by which it holds everywhere (platform §1)."""
_QUESTIONS, _NEWS = "/cabinet/questions", "/announcements"
_ANSWER: Final = {"en": "For this team alone.", "ru": "Только для этой команды."}
_TITLE: Final = {"en": "A protest against the run", "ru": "Протест о запуске"}
_NEWS_TITLE: Final = {"en": "The hall is open", "ru": "Зал открыт"}
_TO_ALL: Final = {"en": "For everybody.", "ru": "Для всех."}
_WHY: Final = "Rehearsed: people and news"
_BOARD: Final = "/v1/leaderboards"
_QUALIFICATION: Final = "qualification"


class _Acts:
    """Acts of three people: an organizer, a judge, and a reader without a token; ``what`` is their requests' name."""

    what: ClassVar[str]

    def __init__(self, script: Script, people: Sequence[Any]) -> None:
        self._script = script
        self._organizer, self._judge, self._everybody = people

    def _asks(
        self, who: Actor, way: str, status: Sequence[int] = (200,), body: Json = None, what: str = "", **means: Json
    ) -> Mapping[str, Json]:
        """Send a request and return its answer, which must have these codes and values (``says``)."""
        return self._script.ask(who, what or self.what, way, status=status, body=body, **means).body


class People(_Acts):
    """Plays the acts on a ``team`` and on a ``participant`` of the run, whose own session is read; ``program`` returns
    its program with another token; the judge is dismissed for a time. The cycle's days end in ``zone``."""

    what = PEOPLE

    def __init__(
        self,
        script: Script,
        team: Team,
        participant: Any,
        program: Callable[[str], Actor],
        people: Sequence[Actor],
        zone: str,
    ) -> None:
        super().__init__(script, people)
        self._zone = ZoneInfo(zone)
        self._team, self._participant, self._program = team, participant, program
        self._tokens = f"/v1/teams/{participant.name}/tokens"
        self._revoked_at = ""

    def play(self, run_id: str) -> None:
        """Play all acts together, then revoke them together: only one token and the used quota stay changed."""
        session = f"/v1/sessions/{self._asks(self._team, 'POST /v1/sessions', (201,), _ORDER).get('session_id')}"
        people = self._asks(self._organizer, "GET /v1/staff").get("staff", ())
        place, person = next((place, one) for place, one in enumerate(people) if one["email"] == DISMISSED)
        self._asks(self._judge, "GET /v1/waiting")  # who is dismissed later cannot sign in any more
        issued = self._asks(self._organizer, f"POST {self._tokens}", (201,), {"name": "rehearsed"})
        second, token_id = self._program(str(issued.get("token", ""))), str(issued.get("token_id", ""))
        self._asks(second, "GET /v1/me", says={"token_id": token_id, "team_id": self._participant.name})
        for who in (self._participant, self._team):
            self._asks(who, "POST /v1/hooks", (200, 201), {"url": f"{_HOOK}{who.name}"})
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
            self._script.wait(_BELIEVED)
            due = _REFUSED if is_out else (200,)
            for way in ("/v1/me", session, f"{session}/files/1"):
                self._asks(self._team, f"GET {way}", due)
            self._asks(self._organizer, f"GET /v1/teams/{self._team.name}", says={"status": status, "reason": _WHY})
            listed: dict[str, Json] = {"teams.0.team_id": self._team.name} if is_out else {"teams": []}
            self._asks(self._organizer, "GET /v1/teams?status=suspended", says=listed)
            for way in ("/v1/me", "/v1/waiting", "/v1/teams"):
                self._asks(self._judge, f"GET {way}", due)
            self._asks(self._organizer, "GET /v1/staff", says={f"staff.{place}.dismissed_at": dismissed_at})
            self._is_revoked(second, token_id)
            self._shown(run_id, board)
        self._asks(self._team, f"POST {session}/abort", body={})
        self._script.wait(TOLD)
        for who, kind in ((self._participant, "hello"), (self._team, "application")):  # the last one that it received
            self._asks(who, "GET /v1/hooks", says={"hooks.0.attempts.0.kind": kind})
        self._decide(run_id, "published")
        self._use_up()
        self._script.wait(_BOARD_AGE)
        self._shown(run_id, "published")

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
        for number in range(1, _QUOTA + 1):
            self._script.wait(SECOND)
            says, status = ({}, (201,)) if number < _QUOTA else ({"error.details.0.resets_at": midnight}, (429,))
            who, ask = wish(self._team, DAY, "POST /v1/sessions", body=_ORDER, status=status, says=says)
            opened = who.ask(ask)
            if opened.status == 201:
                self._asks(self._team, f"POST /v1/sessions/{opened.body['session_id']}/abort", body={}, what=DAY)
        self._asks(self._team, "GET /v1/sessions?limit=100", what=DAY, says={f"sessions.{_QUOTA - 1}.state": "aborted"})

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


class News(_Acts):
    """Plays the acts; ``teams`` are the team that asks, another one, and perhaps one that qualifies later, each with a
    member; ``sent`` returns the mails and the webhooks' requests that were sent."""

    what = NEWS

    def __init__(
        self,
        script: Script,
        teams: Sequence[Any],
        members: Sequence[Person],
        people: Sequence[Any],
        sent: Callable[[], Sequence[Mapping[str, Json]]],
    ) -> None:
        super().__init__(script, people)
        self._teams, self._members, self._sent = teams, members, sent

    def join(self) -> None:
        """Let a member join each team, who chooses a language for mails; the organizers, and a team that qualifies, add
        their webhooks."""
        for team, member in zip(self._teams, self._members, strict=False):
            invited = self._asks(
                self._organizer, f"POST /v1/teams/{team.name}/invitations", (201,), {"note": "", "as_captain": True}
            )
            own = {"code": str(invited.get("code")), "person_name": "Rehearsed", "contact": member.name}
            self._asks(member, "POST /v1/invitations/accept", (200, 201), own, member_of=team.name)
            self._asks(member, "GET /v1/me")
            self._asks(member, "PUT /v1/mails", body={"stopped": [], "language": MEMBERS[member.name]})
        for who in (self._organizer, *self._teams[2:]):
            self._asks(who, "POST /v1/hooks", (200, 201), {"url": f"{_HOOK}{who.name}"})

    def play(self, run_id: str) -> None:
        """Play all acts; the judge becomes one of the commission."""
        asking, other = self._teams[:2]
        self._script.wait(TOLD)  # of the results, which were published just now
        self._asks(self._organizer, "POST /v1/announcing", (201,), {"title": _NEWS_TITLE, "text": _TO_ALL})
        before = self._asks(self._everybody, "GET /v1/announcements", says={"announcements.0.title": _NEWS_TITLE})
        self._answered(
            {"text": "Is it so?", "language": "ru"},
            {"text": _ANSWER},
            {"answer.texts": _ANSWER, "answer.announcement_id": None, "protest": False},
            (_QUESTIONS, [asking.name]),
        )
        self._script.wait(TOLD)
        self._asks(self._everybody, "GET /v1/announcements", says={"announcements": before.get("announcements")})
        own = [mail for mail in self._sent() if mail.get("to") == self._members[0].name]
        for link in [mail["stop"] for mail in own if _QUESTIONS in mail["text"]]:
            path = f"{urlsplit(link).path}?{urlsplit(link).query}"
            self._asks(self._everybody, f"POST {path}", body={}, stops=self._members[0].name)
        self._answered(
            {"text": "It is not so.", "language": "en", "about": {"run_id": run_id}, "protest": True},
            {"text": _TO_ALL, "title": _TITLE, "to_all": True, "upheld": False},
            {"answer.texts": _TO_ALL, "answer.upheld": False, "protest": True, "about.run_id": run_id},
            (_NEWS, None),
        )
        self._annulled(run_id)
        staff = self._asks(self._organizer, "GET /v1/staff").get("staff", ())
        person_id = next(person["person_id"] for person in staff if person["email"] == self._judge.name)
        role = {"role": "commission", "reason": _WHY}
        self._asks(self._organizer, f"POST /v1/staff/{person_id}/role", body=role, says={"role": "commission"})
        self._script.wait(TOLD)
        self._asks(self._judge, "GET /v1/me", says={"role": "commission"})
        self._asks(self._judge, "GET /v1/conduct/runs")
        announcement = {f"announcements.0.{name}": words for name, words in (("title", _TITLE), ("text", _TO_ALL))}
        self._asks(self._everybody, "GET /v1/announcements", says=announcement)
        news = ("answer", "announcement", "results")
        for team, kinds in ((asking, ("answer", *news, "hello")), (other, (*news, "application", "application"))):
            says: dict[str, Json] = {f"hooks.0.attempts.{place}.kind": kind for place, kind in enumerate(kinds)}
            says |= {f"hooks.0.attempts.{place}.number": 1 for place in range(len(kinds))}
            self._asks(team, "GET /v1/hooks", says=says)

    def _answered(self, question: Json, answer: Json, says: Mapping[str, Json], news: tuple[str, Json]) -> None:
        """Ask a question and answer it; the team that asked reads both, the other team has none."""
        asking, other = self._teams[:2]
        call = self._asks(asking, "POST /v1/questions", (201,), question)
        path = f"/v1/answering/{call.get('question_id')}/answer"
        says = {"text": question["text"], "state": "answered", **says}
        to: dict[str, Json] = {"kind": "answer", "link": news[0], "tells": news[1]}
        self._asks(self._organizer, f"POST {path}", body={"version": call.get("version"), **answer}, says=says, **to)
        self._asks(asking, "GET /v1/questions", says={f"questions.0.{place}": value for place, value in says.items()})
        self._asks(other, "GET /v1/questions", says={"questions": []})

    def _annulled(self, run_id: str) -> None:
        """Annul a team's result of the final, and take that back; the board has no row of it meanwhile, in any form.

        Between two visits of the timer: the board's history notes nothing of it."""
        team = self._teams[0].name
        self._script.wait_until((self._script.now() // MINUTE + 1) * MINUTE + SECOND)
        for is_annulled in (True, False):
            decision = {"of": "result", "subject": team, "board": run_id, "annulled": is_annulled, "reason": _WHY}
            self._asks(self._organizer, "POST /v1/conduct/annulments", body=decision, what=BOARDS)
            self._script.wait(_BOARD_AGE)
            for form in ("", ".csv"):
                way = f"GET /v1/leaderboards/final{form}?run={run_id}"
                listed: dict[str, Json] = {"absent" if is_annulled else "present": [team]}
                self._asks(self._everybody, way, what=BOARDS, **listed)


def sent_in(folder: Path) -> Iterator[dict[str, Json]]:
    """Yield the mails and the webhooks' requests that a local cloud has written into a folder, in the order of their
    names."""
    for path in sorted(folder.glob("*.eml")):
        mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        body = mail.get_body()
        yield {
            "to": str(mail["To"]),
            "subject": str(mail["Subject"]),
            "text": "" if body is None else body.get_content(),
            "stop": str(mail["List-Unsubscribe"] or "").strip("<>"),
        }
    for path in sorted(folder.glob("hook-*.json")):
        yield dict(json.loads(path.read_text("utf-8")))
