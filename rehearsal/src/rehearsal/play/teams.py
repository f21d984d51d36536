"""Teams: simulated ones, and one with a program of its own.

A simulated team opens a session, asks for every file when it opens, and answers, with its tricks. Over HTTP it answers
at once, or talks over a file in turns (D 9.10.1), or joins and is no competitor (R 4.5).

A participant's own program is the kit's runner with the participant's solver, on virtual time: its sleeps are virtual;
the real seconds that its solver works are charged as virtual ones. So a final takes as long as the solving, and a step
that is late in the rehearsal would have been late in the contest.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

import httpx

from local.clock import monotonic_s
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex
from pku.answers import Order
from pku.errors import PkuError
from pku.exchange import Exchange
from pku.journal import Journals
from pku.runner import Outcome, run
from pku.sessions import start
from pku.solvers import Solver, Task
from rehearsal.history import LEAVE, MINUTE, SECOND, Call, History, Millis, from_text
from rehearsal.play.driver import ASK_AGAIN, DrivenClock, Play, Step, Timing, coming
from rehearsal.play.wire import Ask, Caller, Fault, Reply, Script, Scripts, Trick, Wire, answered, begun

Json = Any
RETRY: Final[Millis] = SECOND
_PATIENCE: Final = 40
_BETWEEN_SENDS: Final[Millis] = SECOND // 2
_KEYLESS: Final = frozenset({Trick.LOST_RECEIPT, Trick.SAME_TWICE, Trick.TWO_ANSWERS, Trick.TWELVE_SENDS})
FIRST_SENT: Final = frozenset({Trick.OTHER_ESSAY, Trick.OTHER_ESSAY_ONLY, Trick.BROKEN_JSON, Trick.BROKEN_JSON_ONLY})
ONLY: Final = frozenset({Trick.OTHER_ESSAY_ONLY, Trick.BROKEN_JSON_ONLY})

Steps = Generator[Step, Sequence[Reply], Reply]
_LOST_FOR_GOOD: Final = frozenset({Trick.ABANDONED_ANSWER})
_PLACE: Final = 1  # the turn with which something goes wrong in the middle of a dialogue: the first study
_PAUSE: Final[Millis] = SECOND  # time between two turns


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer in a dialogue: the step at which it is sent, its kind, and other ones of the same kind by number."""

    step: str
    kind: str
    answer: Json
    varied: Callable[[int], Json]


class Answering(Protocol):
    """The simulated programs' knowledge of hand-outs."""

    def answer(self, content: Json, skill: float, variant: int = 0) -> Json:
        """Return a valid answer; equal arguments, equal answers; other variants, other answers."""

    def another(self, content: Json) -> Json:
        """Return a text that is no answer to it."""

    def digest(self, content: Json, answer: Json) -> str:
        """Return the SHA-256 of a valid answer's canonical bytes, by which its receipt names it."""
        return self.digest_at(content, answer, "")

    def digest_at(self, content: Json, answer: Json, step: str) -> str:
        """Return the :meth:`digest` of an answer at a step of a dialogue."""

    def turns(self, content: Json, skill: float) -> Sequence[Turn]:
        """Return a whole dialogue over a hand-out; raises TypeError if the contest has none."""
        raise TypeError(content, skill)


class Team(Caller):
    """One simulated team: number ``index`` of the rehearsal."""

    def __init__(self, index: int, name: str, token: str, wire: Wire) -> None:
        super().__init__(name, wire, lambda: token)
        self.index, self.token = index, token
        self.session_id = ""

    @property
    def skill(self) -> float:
        """Return the share of the expert's fragments that the team finds, another for each team."""
        return 0.35 + 0.6 * random.Random(f"skill {self.index}").random()  # noqa: S311 - a reproducible team

    def path(self, rest: str = "") -> str:
        """Return the path of the team's session, or of something in it."""
        return f"/v1/sessions/{self.session_id}{rest}"

    def opening(self, timing: Timing, due: Millis | None = None) -> Ask:
        """Return the request that opens the team's session in a run."""
        order = as_json({"mode": timing.mode, "run": timing.run_id})
        return Ask("open", "POST", "/v1/sessions", body=order, key=f"open-{timing.run_id}", due=due)

    def asks(self, number: int, what: str = "file", due: Millis | None = None) -> Ask:
        return Ask(what, "GET", self.path(f"/files/{number}"), number, due=due)


class Teams:
    """The plays of all simulated teams; ``spawn`` begins one beside the others."""

    def __init__(self, timing: Timing, scripts: Scripts, material: Answering, injected: Callable[..., None]) -> None:
        self._timing, self._scripts, self.material, self._injected = timing, scripts, material, injected

    def participation(self, team: Team, at: Millis, spawn: Callable[[Team, Play], None]) -> Play:
        """Open the session at a moment, then play every file; ask what comes next now and then, as programs do."""
        last = self._timing.starts_at + self._timing.join
        due = last if last - at < max(self._timing.join, MINUTE) else None
        reply = yield from insist(at, team.opening(self._timing, due))
        if reply.status != 201:
            return
        team.session_id = str(reply.body["session_id"])
        for number in range(1, self._timing.files + 1):
            if self._timing.opens_at(number) + self._timing.request > reply.at:
                spawn(team, self.file(team, number, reply.at))
        yield from insist(reply.at, Ask("next", "GET", team.path("/next")))
        last = self._timing.files
        yield from coming(self._timing, last, 0)
        for number in range(last + 1, self._timing.all_files + 1):
            spawn(team, self.file(team, number, reply.at))

    def file(self, team: Team, number: int, not_before: Millis) -> Play:
        """Ask for a file and answer it as its script says."""
        script = self._scripts.of(team.index, number)
        if script.trick is not Trick.NONE:
            self._injected(script.trick.value, team=team.name, number=number)
        if script.trick is Trick.NO_REQUEST:
            return
        file = yield from self._received(team, number, script, not_before)
        if file.status != 200:
            return
        yield from self._answered(team, number, script, file)

    def _received(self, team: Team, number: int, script: Script, not_before: Millis) -> Steps:
        opening = yield from coming(self._timing, number)
        due = opening + self._timing.request
        alone = opening + 7 * team.index + 3  # a moment of its own, so that nobody else's process dies for it
        at = opening + min(script.ask_after, self._timing.request // 2)
        at = {
            Trick.EARLY_REQUEST: opening - 45 * SECOND,
            Trick.LAST_MOMENT_REQUEST: due + 1 - self._timing.late,
            Trick.LATE_REQUEST: due + self._timing.late,
            # With a deadline of its own, in whose last millisecond the answer is under way.
            Trick.ABANDONED_ANSWER: alone,
        }.get(script.trick, at)
        ask = team.asks(number, due=due if at <= due else None)
        if script.trick is Trick.ABANDONED_REQUEST:
            # The arrival is noted in the file's item first; the hand-out is written together with the session's state.
            return (yield from once(max(alone, not_before), replace(ask, dies_at=("dispatch.api", "write:STATE"))))
        ask = replace(
            ask, reached=script.trick is not Trick.LOST_REQUEST, answer_seen=script.trick is not Trick.LOST_FILE
        )
        asks = (ask, ask) if script.trick is Trick.TWO_REQUESTS else (ask,)
        return (yield from insist(max(at, not_before), *asks))

    def _answered(self, team: Team, number: int, script: Script, file: Reply) -> Steps:
        """Answer a file at once, or by a dialogue, in whose middle its script's trick is played."""
        content, due, late = file.body["content"], from_text(file.body["answer_by"]), self._timing.late
        ends = {Trick.LAST_MOMENT_ANSWER: due + 1 - late, Trick.LATE_ANSWER: due + late}
        if file.body.get("dialogue") is None:
            handed = from_text(file.body["handed_out_at"])
            moments = {**ends, Trick.ABANDONED_ANSWER: due, Trick.TWELVE_SENDS: handed + SECOND}
            answers = Answers(team, number, self.material, content, due)
            at = max(moments.get(script.trick, min(handed + script.work, due)), file.at)
            reply = yield from self._tricked(answers, script, at)
        else:
            turns, reply = self.material.turns(content, team.skill), file
            spare = max(0, min(script.work, due - file.at) - _PAUSE * len(turns)) // len(turns)
            for place, turn in enumerate(turns):
                at = min(reply.at + _PAUSE + spare, due)
                answers = Answers(team, number, self.material, content, due, (place, turn))
                if place == _PLACE:
                    reply = yield from self._tricked(answers, script, at)
                    if script.trick in ONLY | _LOST_FOR_GOOD:
                        return reply
                    reply = yield from insist(reply.at, team.asks(number))
                else:
                    at = ends.get(script.trick, at) if place == len(turns) - 1 else at
                    reply = yield from insist(at, answers.right(0))
        if script.trick is Trick.LATE_IMPROVEMENT:
            reply = yield from insist(due + late, answers.right(1))
        return reply

    def _tricked(self, answers: Answers, script: Script, at: Millis) -> Steps:
        if script.trick in FIRST_SENT:
            reply = yield from insist(at, answers.wrong(script.trick))
            if script.trick in ONLY:
                return reply
            at = reply.at
        return (yield from self._sent(answers, script, at))

    def _sent(self, answers: Answers, script: Script, at: Millis) -> Steps:
        keyed = script.trick not in _KEYLESS
        right = answers.right(0, keyed=keyed)
        if script.trick is Trick.ABANDONED_ANSWER:
            return (yield from once(at, replace(right, dies_at=("submit.api", "write:RECEIPT"))))
        if script.trick is Trick.TWELVE_SENDS:
            # Two more than count (R 11.5); the third is the first one's again, which is no repetition, for another one
            # came between.
            reply = yield from insist(at, right)
            for variant in (1, 0, *range(3, 12)):
                reply = yield from insist(reply.at + _BETWEEN_SENDS, answers.right(variant, keyed=False))
            return reply
        asks: tuple[Ask, ...] = (right,)
        match script.trick:
            case Trick.UNSENT_ANSWER:
                asks = (replace(right, reached=False),)
            case Trick.LOST_RECEIPT | Trick.LOST_RECEIPT_WITH_KEY:
                asks = (replace(right, answer_seen=False),)
            case Trick.SAME_TWICE | Trick.SAME_TWICE_WITH_KEY:
                asks = (right, right)
            case Trick.TWO_ANSWERS:
                asks = (right, answers.right(1, keyed=False))
            case Trick.TWO_ANSWERS_ONE_KEY:
                asks = (right, replace(answers.right(1), key=right.key))
        return (yield from insist(at, *asks))


class Answers:
    """Answers of a team to a file, ready to be sent; of a dialogue those of one ``turn``, with its place."""

    def __init__(
        self,
        team: Team,
        number: int,
        material: Answering,
        content: Json,
        due: Millis,
        turn: tuple[int, Turn] | None = None,
    ) -> None:
        self.team, self._number, self.material, self.content = team, number, material, content
        self._due, self._turn = due, turn

    def right(self, variant: int, *, keyed: bool = True) -> Ask:
        """Return a valid answer; another one, of a turn another of its kind, for each variant."""
        if self._turn is None:
            answer = self.material.answer(self.content, self.team.skill, variant)
            digest = self.material.digest(self.content, answer)
            return self.asked(answer, f"{variant}" if keyed else None, digest)
        place, turn = self._turn
        answer = turn.varied(variant) if variant else turn.answer
        digest = self.material.digest_at(self.content, answer, turn.step)
        sent = self.asked(answer, f"{place}-{variant}" if keyed else None, digest)
        return replace(sent, means={"turn": turn.kind})

    def wrong(self, trick: Trick) -> Ask:
        """Return an answer that is refused: one to another essay, or half an answer."""
        if trick in {Trick.OTHER_ESSAY, Trick.OTHER_ESSAY_ONLY}:
            return self.asked(self.material.another(self.content), "other", None)
        sent = self.asked(self.material.answer(self.content, self.team.skill), "broken", None)
        return replace(sent, body=(sent.body or b"")[: len(sent.body or b"") // 2])

    def asked(self, answer: Json, key: str | None, digest: str | None) -> Ask:
        """Return the request that sends an answer; ``key`` tells it from the others of its file."""
        name = None if key is None else f"{self.team.session_id}-{self._number}-{key}"
        path = self.team.path(f"/files/{self._number}/answer")
        return Ask("answer", "PUT", path, self._number, as_json(answer), name, digest, self._due)


def once(at: Millis, ask: Ask) -> Steps:
    """Make a request at a moment and give up, whatever its answer."""
    (reply,) = yield Step(at, (ask,))
    return reply


def insist(at: Millis, *asks: Ask, tries: int = _PATIENCE) -> Steps:
    """Make requests at once at a moment and those that were not answered again, until they are; the first one's answer.

    A file that is not open yet is asked for again at the moment that the platform names; while the run is paused, after
    ten seconds at the latest.
    """
    last_replies: dict[int, Reply] = {}
    waiting = dict(enumerate(asks))
    for _ in range(tries):
        replies = yield Step(at, tuple(waiting.values()))
        again: dict[int, Ask] = {}
        for (place, ask), reply in zip(waiting.items(), replies, strict=True):
            last_replies[place] = reply
            if reply.passing or reply.status == 425:
                again[place] = ask.again()
        if not again:
            break
        waiting = again
        at = max(_next_try(last_replies[place]) for place in again)
    return last_replies[0]


def _next_try(reply: Reply) -> Millis:
    opens_at = reply.details.get("opens_at") if reply.status == 425 else None
    if not isinstance(opens_at, str):
        return reply.at + RETRY
    named = max(from_text(opens_at), reply.at)
    return min(named, reply.at + ASK_AGAIN) if reply.details.get("run_state") == "paused" else named


def as_json(value: Json) -> bytes:
    """Return a body as it is sent."""
    return json.dumps(value, ensure_ascii=False).encode()


SILENT, LEAVER = "silent", "leaver"
LEAVING: Final = (SILENT, LEAVER)
_JOINS_BEFORE: Final[Millis] = MINUTE
_APART: Final[Millis] = 2_345  # after an opening the one who leaves asks at a moment of its own
_WORK: Final[Millis] = 5 * SECOND


def leaving(timing: Timing, material: Answering, team: Team) -> Play:
    """Play one of both teams in a run, by its name: open a session; then, as the one who leaves, answer every file,
    appended ones as well, and end the session, confirmed."""
    reply = yield from insist(timing.starts_at - _JOINS_BEFORE, team.opening(timing))
    if reply.status != 201:
        return
    team.session_id = str(reply.body["session_id"])
    number = 0
    while team.name == LEAVER and number < timing.all_files:
        number += 1
        opening = yield from coming(timing, number)
        reply = yield from insist(opening + _APART, team.asks(number))
        if reply.status == 200:
            answers = Answers(team, number, material, reply.body["content"], reply.at + _WORK)
            reply = yield from insist(reply.at + _WORK, answers.right(0))
    if team.name == LEAVER:
        yield from insist(reply.at + SECOND, Ask(LEAVE, "POST", team.path("/abort"), body=b'{"confirm":true}'))


_WHAT: Final = (
    (re.compile(r".*/files/(\d+)/answer"), "PUT", "answer"),
    (re.compile(r".*/files/(\d+)"), "GET", "file"),
    (re.compile(r".*/v1/sessions"), "POST", "open"),
)
_LOST: Final = 0.06  # share of a program's requests, and as much of its answers, that disconnects lose


class ChargedSolver:
    """A solver whose real working time passes in virtual time too."""

    def __init__(self, solver: Solver, clock: DrivenClock) -> None:
        self._solver, self._clock = solver, clock

    def solve(self, task: Task) -> Json:
        began = monotonic_s()
        try:
            return self._solver.solve(task)
        finally:
            self._clock.sleep(monotonic_s() - began)

    def stop(self) -> None:
        self._solver.stop()


class RecordedTransport(httpx.BaseTransport):
    """Records a program's calls as those of a team, and loses some of them where disconnects are injected."""

    def __init__(
        self, team: str, history: History, now: Callable[[], Millis], seed: int, faults: frozenset[Fault]
    ) -> None:
        self._team, self._history, self._now = team, history, now
        self._chance = random.Random(f"{seed}/program")  # noqa: S311 - reproducible, nothing secret
        self._loses = _LOST if Fault.DISCONNECTS in faults else 0.0
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Make the call, unless it is lost before; lose the answer, unless it is seen."""
        luck = self._chance.random()
        call = self._call(request, reached=luck >= self._loses)
        answer_seen = luck >= 2 * self._loses
        if not (call.reached and answer_seen):
            what = "lost_answer" if call.reached else "lost_request"
            self._history.add("injected", what=what, team=self._team, number=call.number, now=call.sent_at)
        response = self._inner.handle_request(request) if call.reached else None
        if response is not None:
            response.read()
        self._history.called(answered(call, self._now(), response, answer_seen=answer_seen))
        if response is None or not answer_seen:
            raise (httpx.ReadError if call.reached else httpx.ConnectError)("the rehearsal lost this", request=request)
        return response

    def close(self) -> None:
        self._inner.close()

    def _call(self, request: httpx.Request, *, reached: bool) -> Call:
        what, number = "other", None
        for pattern, method, kind in _WHAT:
            if method == request.method and (match := pattern.fullmatch(request.url.path)):
                what, number = kind, int(match[1]) if match.groups() else None
                break
        body = request.content or None
        digest = _digest(body) if what == "answer" and body else None
        key = request.headers.get("Idempotency-Key")
        # Without its path: the history does not follow a participant's own program.
        ask = Ask(what, request.method, "", number, body, key, digest, reached=reached)
        return begun(self._history, self._team, ask, self._now())


@dataclass(frozen=True, slots=True)
class Entry:
    """The settings of the program's participation."""

    team: str
    token: str
    url: str
    order: Order
    joins_at: Millis
    journals: Path


class Program(DrivenClock):
    """The program's thread; ``outcome`` or ``error`` is its result."""

    def __init__(
        self, entry: Entry, solver: Solver, now: Callable[[], Millis], transport: httpx.BaseTransport, language: str
    ) -> None:
        super().__init__(now)
        self.session_id = ""
        self.outcome: Outcome | None = None
        self.error: str | None = None
        self._entry, self._solver, self._transport, self._language = entry, solver, transport, language
        threading.Thread(target=self._run, name="program", daemon=True).start()

    def _run(self) -> None:
        entry, language = self._entry, self._language
        try:
            self.sleep(entry.joins_at / SECOND - self.now())
            with Exchange(entry.url, entry.token, transport=self._transport, clock=self, language=language) as exchange:
                session, journal = start(exchange, Journals(entry.journals), entry.order)
                self.session_id = session.session_id
                self.outcome = run(exchange, journal, ChargedSolver(self._solver, self))
        except PkuError as error:
            self.error = error.text(language)
        finally:
            self.end()


def _digest(body: bytes) -> str | None:
    """Return the hash of the canonical answer; None for a markup with faults, which the kit never sends."""
    try:
        return sha256_hex(canonical_bytes(dump(load(json.loads(body)))))
    except ValueError:
        return None
