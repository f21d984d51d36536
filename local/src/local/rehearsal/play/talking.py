"""Simulated teams that talk over a file: each answer is a turn that is final and may bring something back (D 9.10.1).

What goes wrong goes wrong in the middle of a dialogue, where a study is asked for, or at its end, where time is short;
now and then a program that has lost its connection asks for the file again, with everything said so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.play.announced import Timing
from local.rehearsal.play.injections import Script, Scripts, Trick
from local.rehearsal.play.items import Turn
from local.rehearsal.play.teams import FIRST_SENT, ONLY, Answering, Answers, Steps, Team, Teams, insist
from local.rehearsal.play.wire import Ask, Reply

Json = Any
_AT_THE_END: Final = frozenset({Trick.LAST_MOMENT_ANSWER, Trick.LATE_ANSWER, Trick.LATE_IMPROVEMENT})
_LOST_FOR_GOOD: Final = frozenset({Trick.ABANDONED_ANSWER})
_PLACE: Final = 1
"""Of the turns the one with which something goes wrong in the middle: the first study."""
_PAUSE: Final[Millis] = SECOND
"""Between two turns."""


class Conversing(Answering, Protocol):
    """What simulated programs know of what they talk over."""

    def turns(self, content: Json, skill: float) -> Sequence[Turn]:
        """A whole dialogue over what was handed out."""

    def digest_at(self, content: Json, answer: Json, step: str) -> str:
        """SHA-256 of the canonical bytes of an answer that is valid at a step."""


class TurnAnswers(Answers):
    """A turn of a team's dialogue over a file, ready to be sent."""

    def __init__(self, of: tuple[Team, int, Conversing, Json, Millis], place: int, turn: Turn) -> None:
        super().__init__(*of)
        self._known = of[2]
        self._place = place
        self._turn = turn

    def right(self, variant: int, *, keyed: bool = True) -> Ask:
        """The turn; another one of its kind for each variant."""
        said = self._turn.varied(variant) if variant else self._turn.said
        digest = self._known.digest_at(self.content, said, self._turn.step)
        name = f"{self._place}-{variant}" if keyed else None
        return replace(self.asked(said, name, digest), means={"turn": self._turn.kind})


class Talking(Teams):
    """The plays of simulated teams of a contest with dialogues."""

    def __init__(self, timing: Timing, scripts: Scripts, material: Conversing, injected: Callable[..., None]) -> None:
        super().__init__(timing, scripts, material, injected)
        self._known = material

    def _answered(self, team: Team, number: int, script: Script, file: Reply) -> Steps:
        content, due = file.body["content"], from_text(file.body["answer_by"])
        turns: Sequence[Turn] = self._known.turns(content, team.skill)
        of = (team, number, self._known, content, due)
        spare = max(0, min(script.work, due - file.at) - _PAUSE * len(turns)) // len(turns)
        reply = file
        for place, turn in enumerate(turns):
            at = min(reply.at + _PAUSE + spare, due)
            answers = TurnAnswers(of, place, turn)
            if place == _PLACE:
                reply = yield from self._in_the_middle(answers, script, at)
                if script.trick in ONLY | _LOST_FOR_GOOD:
                    return reply
                reply = yield from insist(reply.at, Ask("file", "GET", team.path(f"/files/{number}"), number))
            else:
                last = place == len(turns) - 1
                at = {Trick.LAST_MOMENT_ANSWER: due, Trick.LATE_ANSWER: due + 1}.get(script.trick, at) if last else at
                reply = yield from insist(at, answers.right(0))
        if script.trick is Trick.LATE_IMPROVEMENT:
            reply = yield from insist(due + 1, answers.right(1))
        return reply

    def _in_the_middle(self, answers: TurnAnswers, script: Script, at: Millis) -> Steps:
        if script.trick in FIRST_SENT:
            reply = yield from insist(at, answers.wrong(script.trick))
            at = reply.at
            if script.trick in ONLY:
                return reply
        plain = replace(script, trick=Trick.NONE) if script.trick in _AT_THE_END else script
        return (yield from self._sent(answers, plain, at))
