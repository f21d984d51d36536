"""Simulated teams: programs that open a session, ask for every file when it opens, and answer, with their tricks.

Over HTTP they answer at once, or talk over a file in turns (D 9.10.1), or join and are no competitors (R 4.5).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from rehearsal.moments import MINUTE, SECOND, Millis, from_text
from rehearsal.play.driver import ASK_AGAIN, Play, Step, Timing, coming, opened
from rehearsal.play.injections import Script, Scripts, Trick
from rehearsal.play.wire import Ask, Reply, Wire

Json = Any
RETRY: Final[Millis] = SECOND
_PATIENCE: Final = 40
_BETWEEN_SENDS: Final[Millis] = SECOND // 2
_KEYLESS: Final = frozenset({Trick.LOST_RECEIPT, Trick.SAME_TWICE, Trick.TWO_ANSWERS, Trick.TWELVE_SENDS})
FIRST_SENT: Final = frozenset({Trick.OTHER_ESSAY, Trick.OTHER_ESSAY_ONLY, Trick.BROKEN_JSON, Trick.BROKEN_JSON_ONLY})
ONLY: Final = frozenset({Trick.OTHER_ESSAY_ONLY, Trick.BROKEN_JSON_ONLY})

Steps = Generator[Step, Sequence[Reply], Reply]
_AT_THE_END: Final = frozenset({Trick.LAST_MOMENT_ANSWER, Trick.LATE_ANSWER, Trick.LATE_IMPROVEMENT})
_LOST_FOR_GOOD: Final = frozenset({Trick.ABANDONED_ANSWER})
_PLACE: Final = 1
"""The turn with which something goes wrong in the middle of a dialogue: the first study."""
_PAUSE: Final[Millis] = SECOND
"""Between two turns."""


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
        """Return the SHA-256 of a valid answer's canonical bytes."""

    def turns(self, content: Json, skill: float) -> Sequence[Turn]:
        """Return a whole dialogue over a hand-out; raises TypeError if the contest has none."""
        raise TypeError(content, skill)

    def digest_at(self, content: Json, answer: Json, step: str) -> str:
        """Return the :meth:`digest` of an answer at a step of a dialogue; raises as :meth:`turns` does."""
        raise TypeError(content, answer, step)


class Team:
    """One simulated team: number ``index`` of the rehearsal."""

    def __init__(self, index: int, name: str, token: str, wire: Wire) -> None:
        self.index = index
        self.name = name
        self.session_id = ""
        self.token = token
        self._wire = wire

    @property
    def skill(self) -> float:
        """Return the share of the expert's fragments that the team finds, another for each team."""
        return 0.35 + 0.6 * random.Random(f"skill {self.index}").random()  # noqa: S311 - a reproducible team

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""
        return self._wire.call(self.name, self.token, ask)

    def path(self, rest: str = "") -> str:
        """Return the path of the team's session, or of something in it."""
        return f"/v1/sessions/{self.session_id}{rest}"


class Teams:
    """The plays of all simulated teams; ``spawn`` begins one beside the others."""

    def __init__(self, timing: Timing, scripts: Scripts, material: Answering, injected: Callable[..., None]) -> None:
        self._timing = timing
        self._scripts = scripts
        self.material = material
        self._injected = injected

    def participation(self, team: Team, at: Millis, spawn: Callable[[Team, Play], None]) -> Play:
        """Open the session at a moment, then play every file; ask what comes next now and then, as programs do."""
        order = {"mode": self._timing.mode, "run": self._timing.run_id}
        last = self._timing.starts_at + self._timing.join
        due = last if last - at < max(self._timing.join, MINUTE) else None
        opening = Ask(
            "open", "POST", "/v1/sessions", body=_json(order), key=f"open-{self._timing.run_id}-{team.name}", due=due
        )
        reply = yield from insist(at, opening)
        if reply.status != 201:
            return
        team.session_id = str(reply.body["session_id"])
        for number in range(1, self._timing.files + 1):
            if self._timing.opens_at(number) + self._timing.request > reply.at:
                spawn(team, self.file(team, number, reply.at))
        yield from insist(reply.at, Ask("next", "GET", team.path("/next")))
        last = self._timing.files
        yield from opened(self._timing, last)
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

    @staticmethod
    def _alone(team: Team) -> Millis:
        """Return milliseconds that put a team's request at a moment of its own, so that nobody else's process dies for
        it."""
        return 7 * team.index + 3

    def _received(self, team: Team, number: int, script: Script, not_before: Millis) -> Steps:
        opening = yield from coming(self._timing, number)
        due = opening + self._timing.request
        at = opening + min(script.ask_after, self._timing.request // 2)
        at = {
            Trick.EARLY_REQUEST: opening - 45 * SECOND,
            Trick.LAST_MOMENT_REQUEST: due + 1 - self._timing.late,
            Trick.LATE_REQUEST: due + self._timing.late,
            # With a deadline of its own, in whose last millisecond the answer is under way.
            Trick.ABANDONED_ANSWER: opening + self._alone(team),
        }.get(script.trick, at)
        ask = Ask("file", "GET", team.path(f"/files/{number}"), number, due=due if at <= due else None)
        if script.trick is Trick.ABANDONED_REQUEST:
            # The arrival is noted in the file's item first; the hand-out is written together with the session's state.
            dying = replace(ask, dies_at=("dispatch.api", "write:STATE"))
            return (yield from once(max(opening + self._alone(team), not_before), dying))
        if script.trick is Trick.LOST_REQUEST:
            ask = replace(ask, reached=False)
        if script.trick is Trick.LOST_FILE:
            ask = replace(ask, answer_seen=False)
        asks = (ask, ask) if script.trick is Trick.TWO_REQUESTS else (ask,)
        return (yield from insist(max(at, not_before), *asks))

    def _at_the_end(self, due: Millis) -> Mapping[Trick, Millis]:
        """Return when the answers are sent that are in time by a moment, or late by one."""
        return {Trick.LAST_MOMENT_ANSWER: due + 1 - self._timing.late, Trick.LATE_ANSWER: due + self._timing.late}

    def _answered(self, team: Team, number: int, script: Script, file: Reply) -> Steps:
        if file.body.get("dialogue") is not None:
            return (yield from self._talked_over(team, number, script, file))
        content, handed = file.body["content"], from_text(file.body["handed_out_at"])
        due = from_text(file.body["answer_by"])
        at = {
            **self._at_the_end(due),
            Trick.ABANDONED_ANSWER: due,
            Trick.TWELVE_SENDS: handed + SECOND,
        }.get(script.trick, min(handed + script.work, due))
        at = max(at, file.at)
        answers = Answers(team, number, self.material, content, due)
        reply = file
        if script.trick in FIRST_SENT:
            reply = yield from insist(at, answers.wrong(script.trick))
            at = reply.at
        if script.trick not in ONLY:
            reply = yield from self._sent(answers, script, at)
        if script.trick is Trick.LATE_IMPROVEMENT:
            reply = yield from insist(due + self._timing.late, answers.right(1))
        return reply

    def _sent(self, answers: Answers, script: Script, at: Millis) -> Steps:
        keyed = script.trick not in _KEYLESS
        right = answers.right(0, keyed=keyed)
        if script.trick is Trick.ABANDONED_ANSWER:
            dying = replace(right, dies_at=("submit.api", "write:RECEIPT"))
            return (yield from once(at, dying))
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

    def _talked_over(self, team: Team, number: int, script: Script, file: Reply) -> Steps:
        content, due = file.body["content"], from_text(file.body["answer_by"])
        turns: Sequence[Turn] = self.material.turns(content, team.skill)
        sending = (team, number, self.material, content, due)
        spare = max(0, min(script.work, due - file.at) - _PAUSE * len(turns)) // len(turns)
        reply = file
        for place, turn in enumerate(turns):
            at = min(reply.at + _PAUSE + spare, due)
            answers = TurnAnswers(sending, place, turn)
            if place == _PLACE:
                reply = yield from self._in_the_middle(answers, script, at)
                if script.trick in ONLY | _LOST_FOR_GOOD:
                    return reply
                reply = yield from insist(reply.at, Ask("file", "GET", team.path(f"/files/{number}"), number))
            else:
                last = place == len(turns) - 1
                at = self._at_the_end(due).get(script.trick, at) if last else at
                reply = yield from insist(at, answers.right(0))
        if script.trick is Trick.LATE_IMPROVEMENT:
            reply = yield from insist(due + self._timing.late, answers.right(1))
        return reply

    def _in_the_middle(self, answers: TurnAnswers, script: Script, at: Millis) -> Steps:
        if script.trick in FIRST_SENT:
            reply = yield from insist(at, answers.wrong(script.trick))
            at = reply.at
            if script.trick in ONLY:
                return reply
        plain = replace(script, trick=Trick.NONE) if script.trick in _AT_THE_END else script
        return (yield from self._sent(answers, plain, at))


class Answers:
    """Answers of a team to a file, ready to be sent."""

    def __init__(self, team: Team, number: int, material: Answering, content: Json, due: Millis) -> None:
        self.team = team
        self._number = number
        self.material = material
        self.content = content
        self._due = due

    def right(self, variant: int, *, keyed: bool = True) -> Ask:
        """Return a valid answer; another one for each variant."""
        markup = self.material.answer(self.content, self.team.skill, variant)
        return self.asked(markup, f"{variant}" if keyed else None, self.material.digest(self.content, markup))

    def wrong(self, trick: Trick) -> Ask:
        """Return an answer that is refused: one to another essay, or half an answer."""
        if trick in {Trick.OTHER_ESSAY, Trick.OTHER_ESSAY_ONLY}:
            return self.asked(self.material.another(self.content), "other", None)
        whole = _json(self.material.answer(self.content, self.team.skill))
        return self._ask(whole[: len(whole) // 2], "broken", None)

    def asked(self, answer: Json, key: str | None, digest: str | None) -> Ask:
        """Return the request that sends an answer; ``key`` tells it from the others of its file."""
        return self._ask(_json(answer), key, digest)

    def _ask(self, body: bytes, key: str | None, digest: str | None) -> Ask:
        name = None if key is None else f"{self.team.session_id}-{self._number}-{key}"
        path = self.team.path(f"/files/{self._number}/answer")
        return Ask("answer", "PUT", path, self._number, body, name, digest, self._due)


def once(at: Millis, ask: Ask) -> Steps:
    """Make a request at a moment and give up, whatever its answer."""
    (reply,) = yield Step(at, (ask,))
    return reply


def insist(at: Millis, *asks: Ask) -> Steps:
    """Make requests at once at a moment and those that were not answered again, until they are; the first one's answer.

    A file that is not open yet is asked for again at the moment that the platform names; while the run is paused, after
    ten seconds at the latest.
    """
    last_replies: dict[int, Reply] = {}
    waiting = dict(enumerate(asks))
    for _ in range(_PATIENCE):
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


def _json(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class TurnAnswers(Answers):
    """A turn of a team's dialogue over a file, ready to be sent."""

    def __init__(self, sending: tuple[Team, int, Answering, Json, Millis], place: int, turn: Turn) -> None:
        super().__init__(*sending)
        self._place = place
        self._turn = turn

    def right(self, variant: int, *, keyed: bool = True) -> Ask:
        """Return the request with the turn; another turn of its kind for each variant."""
        answer = self._turn.varied(variant) if variant else self._turn.answer
        digest = self.material.digest_at(self.content, answer, self._turn.step)
        name = f"{self._place}-{variant}" if keyed else None
        return replace(self.asked(answer, name, digest), means={"turn": self._turn.kind})


SILENT, LEAVER = "silent", "leaver"
LEAVING: Final = (SILENT, LEAVER)
LEAVE: Final = "leave"
_JOINS_BEFORE: Final[Millis] = MINUTE
_APART: Final[Millis] = 2_345
"""After an opening the one who leaves asks at a moment of its own."""
_WORK: Final[Millis] = 5 * SECOND


class Leaving:
    """The plays of both teams in one run."""

    def __init__(self, timing: Timing, material: Answering) -> None:
        self._timing = timing
        self._material = material

    def play(self, team: Team) -> Play:
        """Return a team's play, by its name."""
        order = json.dumps({"mode": self._timing.mode, "run": self._timing.run_id}).encode()
        opening = Ask("open", "POST", "/v1/sessions", body=order, key=f"open-{self._timing.run_id}-{team.name}")
        reply = yield from insist(self._timing.starts_at - _JOINS_BEFORE, opening)
        if reply.status != 201:
            return
        team.session_id = str(reply.body["session_id"])
        if team.name == LEAVER:
            yield from self._everything(team)

    def _everything(self, team: Team) -> Steps:
        """Answer every file, appended ones as well, then end the session, confirmed."""
        number = 0
        while number < self._timing.all_files:
            number += 1
            opening = yield from coming(self._timing, number)
            file = Ask("file", "GET", team.path(f"/files/{number}"), number)
            reply = yield from insist(opening + _APART, file)
            if reply.status == 200:
                answers = Answers(team, number, self._material, reply.body["content"], reply.at + _WORK)
                reply = yield from insist(reply.at + _WORK, answers.right(0))
        return (yield from insist(reply.at + SECOND, Ask(LEAVE, "POST", team.path("/abort"), body=b'{"confirm":true}')))
