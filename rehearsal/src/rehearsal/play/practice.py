"""Sessions of teams' own beside the final: chosen, ended by the team or by silence, with requests too fast or large.

Four teams that take no part in the run practise while it goes on, as teams may. The due answer to each request stands
with it in the history (``means``), so that the checker can hold the answer against it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlsplit

from markup_core.receipt import sha256_hex
from rehearsal.history import MINUTE, PRACTISED, SECOND, Millis, from_text
from rehearsal.play.driver import Play, Step, Timing, Waiting
from rehearsal.play.material import TRAIN, Material
from rehearsal.play.teams import Answers, Steps, Team, as_json, insist
from rehearsal.play.wire import Ask, Reply, begun

Json = Any
LEFT: Final = "practice-left"
NAMES: Final = ("practice-chosen", LEFT, "practice-fast", "practice-slow")
FILES: Final = 3
LIMIT_S: Final = 20
_LIMIT: Final[Millis] = LIMIT_S * SECOND
_BEGINS: Final[Millis] = 100 * SECOND
"""They begin so long before the start, so that what takes a quarter of an hour is over with the run."""
_SILENT: Final[Millis] = 20 * MINUTE  # a quarter of an hour, with what comes before it and the timer's next visit
_APART: Final[Millis] = 137  # moments of their own, so that nobody else's process dies for them
_USUAL_LIMIT_S: Final = 60  # seconds for an answer where a program chooses none
ORDER: Final = {"mode": "algorithmic", "set": TRAIN, "files": FILES, "language": "all", "time_limit_s": LIMIT_S}
_WRONG: Final[Sequence[Json]] = (
    {"files": 0}, {"files": 1001}, {"time_limit_s": 9}, {"time_limit_s": 61}, {"set": "final"}, {"set": "reserve"},
    {"language": "klingon"},
)  # fmt: skip
_IN_FLIGHT: Final[Millis] = MINUTE
"""So long after its last deadline a session with a missed file has ended: until then an answer may be under way."""
_AT_ONCE: Final = 14  # more requests in a second than a team may make
MAX_ANSWER: Final = 2 * 1024 * 1024
_MAX_BODY: Final = 10 * 1024 * 1024
_SCORED: Final = 25
_BETWEEN: Final[Millis] = 10 * SECOND
_SLOW: Final[Sequence[Millis]] = (9 * SECOND // 10, 20 * SECOND)
"""How long the two slow bodies are under way: less than any body may, and more than one that drips, and a start, do."""
SHARED: Final = "practice_fast_shared"
_REPEATED, _BEYOND = 4, 3  # the same answer once more, while its file is open; answers after a second's ten
_RACES: Final = 12
"""Seconds in which questions and such answers come together: which request is a second's eleventh only those know that
count it, and of two that come at once both may take themselves for the tenth."""
_SPARED: Final = 11  # answers to a file after which one more is refused like a question, though its file is open
_TAKEN: Final = 200
_TOO_EARLY: Final = 409  # what answers are told that are for a file that was not handed out
_HEADERS: Final[Millis] = SECOND // 2  # before its deadline a slow answer begins to come


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
            at = (yield from insist(at + SECOND, _opening({**ORDER, **wrong}, "practice_wrong"))).at
        at = (yield from self._opened(team, at + SECOND, key="chosen")).at
        at = (yield from insist(at, _opening(ORDER, "practice_second"))).at
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
        order = {name: ORDER[name] for name in ("mode", "set")} if rest else ORDER
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
    """Return when the session that was left alone has been closed for sure, however short the run was."""
    return timing.starts_at - _BEGINS + _SILENT


def at_the_end(team: Team) -> Ask:
    """Look in the end at the session that its team left alone."""
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
