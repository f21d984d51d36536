"""The check of the platform's own latency: what it took of a program's time is the program's again (platform §3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from local.rehearsal.history import QUALIFYING, Call
from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_qualifying import answered_as_meant

FILE, ANSWER = "latency_file", "latency_answer"
REAL_FILE, REAL_ANSWER = "real_file", "real_answer"
_DONE: Final = 200
_NOT_YET: Final = 425


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


def held(case: Case) -> Check:
    """While the clock runs, whoever asks less than two seconds before an opening waits for it and has the file, whoever
    asks earlier is told so before it; real seconds that the platform takes move the answer's deadline and excuse the
    next request, and what a program waited for the opening is none of them."""
    check = answered_as_meant(case, "held_in_real_time", "real", REAL_FILE, REAL_ANSWER)
    for call in case.story.calls:
        if call.what == _named(REAL_FILE) and not call.failed:
            check.look(*_at_another_time(call))
        if call.what == _named(REAL_ANSWER) and call.means["stalled"]:
            nominal = call.means["opens_at"] + call.means["limits"]["total_s"] * SECOND
            early = (
                f"{call.team}, call {call.n}: came {nominal - call.sent_at} ms before the last moment without latency"
            )
            check.look(early if call.sent_at <= nominal else None)
    return check


def _at_another_time(call: Call) -> Iterator[str]:
    """What is wrong with the time at which somebody was answered who asked for a file."""
    where, opening, limits = f"{call.team}, call {call.n}", call.means["opens_at"], call.means["limits"]
    if call.status == _NOT_YET and call.done_at >= opening:
        yield f"{where}: is told at the opening to come again"
    if call.status != _DONE:
        return
    handed, told = from_text(call.said["handed_out_at"]), from_text(call.said["answer_by"])
    # It is written down before it is done, by how long reading took.
    done = call.done_at + call.done_at - call.sent_at
    if not max(opening, call.sent_at + call.means["stalled"]) <= handed <= done:
        yield f"{where}: is told as handed out at {handed}"
    took = handed - max(opening, call.sent_at)
    latest = min(handed + limits["answer_s"] * SECOND, opening + limits["total_s"] * SECOND + took)
    least = min(latest, opening + limits["total_s"] * SECOND + call.means["stalled"])
    if call.number == 1 and not least <= told <= latest:
        yield f"{where}: the answer is due at {told}, by the rules between {least} and {latest}"
