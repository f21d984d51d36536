"""Simulated teams: programs that open a session, ask for every file when it opens, and answer, with their tricks.

Over HTTP they answer at once, or talk over a file in turns (D 9.10.1), or join and are no competitors (R 4.5).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from rehearsal.moments import MINUTE, SECOND, Millis, from_text
from rehearsal.play.driver import ASK_AGAIN, Play, Step, Timing, coming
from rehearsal.play.injections import Script, Scripts, Trick
from rehearsal.play.wire import Ask, Caller, Reply, Wire

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
_PAUSE: Final[Millis] = SECOND  # between two turns


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
LEAVE: Final = "leave"
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
