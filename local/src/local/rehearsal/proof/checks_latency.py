"""The check of the platform's own latency: what it took of a program's time is the program's again (platform §3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from local.rehearsal.history import QUALIFYING, Call
from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_qualifying import answered_as_meant

FILE, ANSWER = "latency_file", "latency_answer"
_DONE: Final = 200


def given_back(case: Case) -> Check:
    """A slow hand-out moves the answer's deadline by what it took; a slow receipt, and the hand-out before it, is taken
    off when the next file is asked for; who is as late by itself gets nothing. What took how long is known from the
    requests."""
    check = answered_as_meant(case, "latency_given_back", "latency", FILE, ANSWER)
    calls = [each for each in case.story.calls if each.what in {_named(FILE), _named(ANSWER)} and not each.failed]
    for call in calls:
        if call.means["stalled"]:
            took = call.done_at - call.sent_at
            few = f"{call.team}, call {call.n}: took {took} ms, {call.means['stalled']} ms were injected"
            check.look(few if took < call.means["stalled"] else None)
        if call.what == _named(FILE) and call.status == _DONE:
            taken = sum(each.done_at - max(each.sent_at, each.means["opens_at"]) for each in _before(calls, call))
            check.look(*_due_otherwise(call, taken))
    return check


def _named(what: str) -> str:
    return f"{QUALIFYING}{what}"


def _before(calls: list[Call], call: Call) -> Iterator[Call]:
    """A team's requests for the file before and for its answer."""
    number = (call.number or 0) - 1
    return (each for each in calls if (each.team, each.number) == (call.team, number))


def _due_otherwise(call: Call, taken: Millis) -> Iterator[str]:
    """What is wrong with the times of a file that was handed out after so much had been taken before it."""
    opening, limits = call.means["opens_at"], call.means["limits"]
    handed, told = from_text(call.said["handed_out_at"]), from_text(call.said["answer_by"])
    counted = max(opening, call.sent_at - taken)
    due = min(handed + limits["answer_s"] * SECOND, opening + limits["total_s"] * SECOND + handed - counted)
    if told != due:
        yield f"{call.team}, call {call.n}: the answer is due at {told}, by the rules at {due}"
    if not call.sent_at + call.means["stalled"] <= handed <= call.done_at:
        yield f"{call.team}, call {call.n}: is told as handed out at {handed}"
