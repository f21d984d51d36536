"""The checks of the event channel: who is there gets every file and is never charged with the network; who plays
nothing is kept alive, who enters nothing is let go of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from local.rehearsal.history import Call
from local.rehearsal.moments import MINUTE, SECOND, Millis, from_text
from local.rehearsal.proof.case import Case, Check, receipt_text

Json = Any
_DONE: Final = 200
_OPEN: Final = "channel_open"
_BY_CHANCE: Final = 8
"""One file in so many may be lost because both of its pushes were dropped, or come twice because the first was noted by
nobody: what is dropped comes again too late, and processes die."""
_LOSING: Final = frozenset({"losses", "disconnects"})
_UNPUSHED: Final = 3
_SPOILS: Final = frozenset({"killed", "throttled"})
_OF_THE_CHANNEL: Final = frozenset({"dispatch.push", "dispatch.socket", "submit.whole"})
_BEFORE, _AFTER = 5 * SECOND, MINUTE
"""Around a file's time to be asked for, what is spoilt may be spoilt for its push: it is noted when it was met."""
_LIFE: Final = "life_"
"""How what clients do that play nothing is called."""
_ENTERED_BY: Final[Millis] = MINUTE
_SIGN_DUE, _SIGN_BY = 3 * MINUTE, 4 * MINUTE
_TIME_TO_PUSH: Final[Millis] = 4 * SECOND
"""Who is there for so long while a file may be asked for is pushed it: the second push comes three seconds after."""


def kept(case: Case) -> Check:
    """Every receipt that came over the channel is signed and stored. A file's fate is its answer where its client was
    there, the platform's fault where something was spoilt for it, and the network's where it was not there; nobody who
    was there is late."""
    check = Check("channel_kept")
    away, unexplained = _absences(case), list[str]()
    for call in case.story.calls:
        if call.what == "channel_answer" and call.status == 200:
            check.look(*_receipt_faults(case, call.team, call.said))
        if call.what == "channel_open" and call.status == 201:
            for number in case.schedule.numbers:
                check.look(_wrong_fate(case, call.team, number, call.done_at, away[call.team]))
                if case.statuses[call.team, number]["cause"] == "platform" and not _spoilt(case, call.team, number):
                    unexplained.append(f"{call.team}, file {number}: is the platform's fault, and nothing was spoilt")
    if _loses_pushes(case):
        lost = any(each["what"] == "push_lost" for each in case.story.injected)
        check.look(None if lost else "no push was lost for good")
    few = len(case.schedule.numbers) // _BY_CHANCE
    check.faults += unexplained if len(unexplained) > few else []
    twice = [each for call in case.story.calls for each in _pushed_twice(call)]
    check.faults += twice if len(twice) > few else []
    return check


def _loses_pushes(case: Case) -> bool:
    """Whether every push of the third file is to be lost: an injection that meets nothing proves nothing."""
    header = case.story.header
    is_played = header.get("driven", False) and header.get("listening", 0) > 0
    return is_played and header["files"] >= _UNPUSHED and set(header.get("faults", ())) >= _LOSING


def alive(case: Case) -> Check:
    """A client of Engine.IO 4 that plays nothing is let in and sent a sign of life every three or four minutes; one
    that enters nothing within a minute is let go of by the timer's next visit."""
    check = Check("channel_alive")
    done = [call for call in case.story.calls if call.what.startswith(_LIFE) and call.status == _DONE]
    calls = {call.what: call for call in done}
    for call in done:
        if call.what == f"{_LIFE}entered":
            check.look(None if call.said["entered"] else f"{_where(call)}: is not let in")
        if call.what == f"{_LIFE}let_go" and f"{_LIFE}idle" in calls:
            due = _is_visited(case, calls[f"{_LIFE}idle"].done_at + _ENTERED_BY, call.sent_at)
            left = due and not call.said["let_go"]
            check.look(f"{_where(call)}: is kept though it has entered nothing" if left else None)
        if call.what == f"{_LIFE}heard" and f"{_LIFE}entered" in calls:
            least, most = _signs_due(case, calls[f"{_LIFE}entered"].done_at, call.sent_at)
            heard = call.said["signs"]
            told = f"{_where(call)}: has heard {heard} signs of life, by the rules {least} to {most}"
            check.look(None if least <= heard <= most else told)
    return check


def _signs_due(case: Case, since: Millis, until: Millis) -> tuple[int, int]:
    """The fewest and the most signs of life to whoever entered at a moment: one at the timer's first visit three
    minutes after the one before. In real time, where the visits are not known, that is after three to four minutes."""
    if not case.visits.known:
        return (until - since) // _SIGN_BY, (until - since) // _SIGN_DUE
    signs, last = 0, since
    for visit in case.visits.on_time(since, until):
        if visit >= last + _SIGN_DUE:
            signs, last = signs + 1, visit
    return signs, signs


def _is_visited(case: Case, since: Millis, until: Millis) -> bool:
    """Whether the timer has come for sure between two moments."""
    if not case.visits.known:
        return until - since > MINUTE
    return next(case.visits.on_time(since, until), None) is not None


def _where(call: Call) -> str:
    return f"{call.team}, call {call.n}"


def _absences(case: Case) -> Mapping[str, list[tuple[Millis, Millis]]]:
    found: dict[str, list[tuple[Millis, Millis]]] = defaultdict(list)
    for each in case.story.injected:
        if each["what"] == "channel_away":
            found[each["team"]].append((from_text(each["since"]), from_text(each["until"])))
    return found


def _receipt_faults(case: Case, team: str, said: Mapping[str, Json]) -> Iterator[str]:
    where = f"{team}, file {said['receipt']['number']}"
    if not case.keys.signed(said["receipt"], said["signature"]):
        yield f"{where}: the signature is not good"
    if receipt_text(said) not in case.stored_receipts(team):
        yield f"{where}: the receipt is not stored"


def _pushed_twice(call: Call) -> Iterator[str]:
    if call.what == "channel_answer" and call.said.get("pushed", 0) > 1:
        yield f"{_where(call)}: its file was pushed {call.said['pushed']} times over one connection"


def _spoilt(case: Case, team: str, number: int) -> bool:
    """Whether every push of a file was lost for good, or a process of the channel died or was refused around it."""
    since, until = case.schedule.opens_at(number) - _BEFORE, case.schedule.request_by(number) + _AFTER
    opened = (call for call in case.story.calls if call.team == team and call.what == _OPEN)
    sessions = {call.said.get("session_id") for call in opened}
    return any(
        (each["session"] in sessions and each["number"] == number)
        if each["what"] == "push_lost"
        else each["what"] in _SPOILS and each["handler"] in _OF_THE_CHANNEL and since <= each["now"] <= until
        for each in case.story.injected
    )


def _wrong_fate(case: Case, team: str, number: int, joined_at: Millis, away: list[tuple[Millis, Millis]]) -> str | None:
    opens_at, request_by = case.schedule.opens_at(number), case.schedule.request_by(number)
    if opens_at < joined_at:
        return None
    status = case.statuses[team, number]
    fate = "answered" if status["state"] == "answered" else str(status["cause"])
    there = [(opens_at, request_by)]
    for since, until in away:
        there = [part for start, end in there for part in ((start, min(end, since)), (max(start, until), end))]
    longest = max((end - start for start, end in there), default=0)
    if number not in case.schedule.decided.voided and 0 < longest < _TIME_TO_PUSH:
        return None
    allowed = {"answered", "platform"} if longest > 0 else {"network"}
    allowed = {"organizer_decision"} if number in case.schedule.decided.voided else allowed
    return None if fate in allowed else f"{team}, file {number}: is {fate}, by the rules {' or '.join(sorted(allowed))}"
