"""The check of the event channel: who is there gets every file and is never charged with the network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.proof.case import Case, Check, receipt_text

Json = Any
_TIME_TO_PUSH: Final[Millis] = 4 * SECOND
"""Who is there for so long while a file may be asked for is pushed it: the second push comes three seconds after."""


def kept(case: Case) -> Check:
    """Every receipt that came over the channel is signed and stored. A file's fate is its answer or the platform's
    fault where its client was there, and the network's where it was not; nobody who was there is late."""
    check = Check("channel_kept")
    away = _absences(case)
    for call in case.story.calls:
        if call.what == "channel_answer" and call.status == 200:
            check.look(*_receipt_faults(case, call.team, call.said))
        if call.what == "channel_open" and call.status == 201:
            for number in case.schedule.numbers:
                check.look(_wrong_fate(case, call.team, number, call.done_at, away[call.team]))
    return check


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
