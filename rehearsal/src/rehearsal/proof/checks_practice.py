"""Checks of teams' own sessions beside the final: their choices and ends, refusals, and stored logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.history import PRACTISED, Call
from rehearsal.moments import MINUTE, SECOND, Millis, from_text
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, otherwise_than_meant, tries
from rehearsal.proof.checks_files import put_off
from rehearsal.proof.checks_results import Results

Json = Any
_NEAR: Final = 1_000  # of ten thousand drawn ids no two are so near
_ID: Final = re.compile(r"[1-9]\d{14}")
_FAST: Final = (f"{PRACTISED}fast", f"{PRACTISED}fast_shared")
_CLOSED: Final = frozenset({409, 410})
_SILENCE: Final[Millis] = 15 * MINUTE
_SCORED: Final[Millis] = 4 * MINUTE
_BODY: Final[Millis] = SECOND
"""Any body may be under way for so long."""
_LONGEST_BODY: Final[Millis] = 15 * SECOND
"""And none for longer, the start of a process with it."""
_PER_SECOND: Final = 10
_NEXT_SECOND: Final = "1"
"""What ``Retry-After`` says to whom the second's requests are over."""


_STATUSES: Final = {
    **dict.fromkeys(("wrong", "second", "unconfirmed"), frozenset({400, 404, 409, 422})),
    "open": frozenset({201}),
    "file": frozenset({200}),
    "large": frozenset({413}),
}


def _look_as_meant(check: Check, case: Case, *names: str) -> None:
    """Look at the statuses and values of the answers to these calls, by what was meant by them."""
    for call in case.of(PRACTISED, *names):
        name, means = call.what.removeprefix(PRACTISED), call.means
        says: Mapping[str, Mapping[str, Json]] = {
            "open": means,
            "next": {"status": "available", "number": call.number},
            "answer": {"receipt.status": means.get("status")},
            "body_ends": {"receipt.status": means.get("status")},
            "status": {"state": means.get("state")}
            | ({"deliveries.0.sends": means["sends"]} if "sends" in means else {}),
            "abort": {"state": "aborted"},
        }
        check.look(*otherwise_than_meant(call, _STATUSES.get(name), says.get(name, {})))


@tries("limits", 32, fault="practice", stages=ESSAYS_ALONE)
def sessions_chosen(check: Check, case: Case) -> None:
    """Check that a session of one's own is as it was chosen; nothing else can be chosen; its files come by number, are
    due when it says, are scored within minutes as the library does; and its end is the end (R 6.4)."""
    _look_as_meant(check, case, "wrong", "second", "open", "next", "file", "answer", "body_ends")
    limits = {str(call.said.get("session_id")): call.means for call in case.of(PRACTISED, "open")}
    first: dict[tuple[str, int], Mapping[str, Json]] = {}
    for call in (one for one in case.of(PRACTISED, "file") if one.status == 200):
        before = first.setdefault((str(call.path), call.number or 0), call.said)
        same = all(call.said[name] == before[name] for name in ("file_id", "handed_out_at", "answer_by", "content"))
        check.that(same, f"{call.where}: file {call.number} is another one than at first")
        due = from_text(call.said["answer_by"]) - from_text(call.said["handed_out_at"])
        limit = limits[_session(call)]["time_limit_s"]
        late = f"{call.where}: file {call.number} is due after {due} ms, chosen were {limit} s"
        check.that(due == limit * SECOND, late)
    for call in case.of(PRACTISED, "answer", "body_ends"):
        check.look(_arrived_otherwise(call))
    for call in case.of(PRACTISED, "score"):
        if call.status == 200:
            check.look(*_scored_otherwise(case, call))
    for call in case.of(PRACTISED, "trained")[-1:]:
        scored = call.status == 200
        check.that(scored, f"{call.where}: a training file is told no score while its session is open")


@tries("limits", 8, fault="practice", stages=ESSAYS_ALONE)
def sessions_ended(check: Check, case: Case) -> None:
    """Check that a session ends when everything is answered, when its team ends it, or after a quarter of an hour of
    silence, and then for good; a final does not end by an abort that nobody has confirmed."""
    _look_as_meant(check, case, "status", "abort", "unconfirmed")
    for call in case.of(PRACTISED, "status"):
        check.look(*_opened_at_another_moment(case, call))
        if call.means["state"] == "timed_out":
            check.look(*_closed_otherwise(case, call))
    for call in case.of(PRACTISED, "closed"):
        over = call.status in _CLOSED or call.said.get("receipt", {}).get("status") == "late"
        check.that(over, f"{call.where}: after its end it is answered {call.status}")


@tries("limits", 280, fault="practice", stages=ESSAYS_ALONE)
def requests_limited(check: Check, case: Case) -> None:
    """Check that of one second's requests ten are answered and the others told to come again in the next, but an answer
    to an open file is never refused, and counts; a body over the limit is refused and is no send."""
    _look_as_meant(check, case, "large", "status")
    seconds: dict[tuple[str, str, int], list[Call]] = {}
    for call in case.story.calls:  # also those that the platform failed: it may have counted them
        if call.what in _FAST:
            seconds.setdefault((call.what, call.team, call.sent_at // SECOND), []).append(call)
    for (what, team, second), calls in seconds.items():
        _look_at_second(check, team, calls)
        answers = case.of(PRACTISED, "answer", "spared") if what == _FAST[0] else ()
        after = [call for call in answers if (call.team, call.sent_at // SECOND) == (team, second)]
        for call in after:
            refused = call.status == 429
            check.that(not refused, f"{call.where}: an answer to an open file was refused for the rate")
        check.that(after or what != _FAST[0], f"{team}: no answer came within the second of its requests")


@tries("kept", lambda size: size.over_http + size.answered + 8 * size.plays("practice"), stages=ESSAYS_ALONE)
def own_kept(check: Check, case: Case) -> None:
    """Check that ids of sessions and files are fifteen digits that begin with no zero, none twice, none near another; a
    client's log is kept with its session; a team's list has its own sessions and no other, the newest first."""
    holders: dict[str, set[str]] = {}
    ids = sorted({int(file_id) for call in case.story.calls for file_id in call.file_ids if _ID.fullmatch(file_id)})
    check.look(*(f"the ids of two files are {one} and {other}" for one, other in pairwise(ids) if other - one < _NEAR))
    for call in case.story.calls:
        for file_id in call.file_ids:
            check.that(_ID.fullmatch(file_id), f"{call.where}: a file is called {file_id}")
        if call.what in {"open", f"{PRACTISED}open"} and call.status == 201:
            name = str(call.said["session_id"])
            holders.setdefault(name, set()).add(call.team)
            check.that(_ID.fullmatch(name), f"{call.where}: a session is called {name}")
    for name, teams in holders.items():
        check.that(len(teams) <= 1, f"{' and '.join(sorted(teams))} have one session, {name}")
    for call in case.of(PRACTISED, "log"):
        folder = f"logs/{_session(call)}/"
        digests = {stored[0] for name, stored in case.facts.objects.items() if name.startswith(folder)}
        check.that(call.means["sha256"] in digests, f"{call.where}: the log is not kept with its session")
    for call in case.of(PRACTISED, "list"):
        listed = [str(session["session_id"]) for session in call.said.get("sessions", ())]
        right = listed == call.means["sessions"]
        check.that(right, f"{call.where}: the list has {listed}, the team has {call.means['sessions']}")


def _session(call: Call) -> str:
    return str(call.path).split("/")[3]


def _arrived_otherwise(call: Call) -> str | None:
    """Return the fault of an answer's arrival: it arrived with its headers, or no earlier than the longest time of a
    body before it was there."""
    if not (receipt := call.said.get("receipt")):
        return None
    received, took = from_text(receipt["received_at"]), call.done_at - call.sent_at
    earliest = call.sent_at if took <= _BODY else max(call.sent_at + 1, call.done_at - _LONGEST_BODY)
    latest = call.sent_at if took <= _BODY else call.done_at
    due = f"{call.where}: the answer came from {earliest} to {latest}, its receipt says {received}"
    return None if earliest <= received <= latest else due


def _scored_otherwise(case: Case, call: Call) -> Iterator[str]:
    scored_path = str(call.path).removesuffix("/score")
    for answer in (one for one in case.of(PRACTISED, "answer") if str(one.path).startswith(scored_path)):
        stored = case.answer(_session(answer), answer.number or 0, answer.content_sha256)
        if stored is None or Results.of(case).made_of(stored) != canonical_json(dict(call.said)):
            yield f"{call.where}: the library scores the answer differently"
        if call.sent_at - answer.done_at > _SCORED:
            yield f"{call.where}: scored after {(call.sent_at - answer.done_at) / SECOND:.0f} s"


def _opened_at_another_moment(case: Case, call: Call) -> Iterator[str]:
    """Yield the fault of a session's opening: it is when its team asked for it, and does not change."""
    opened_at = call.said.get("opened_at")
    for opening in case.of(PRACTISED, "open"):
        if opening.status == 201 and opening.said["session_id"] == _session(call):
            requested = [one.sent_at for one in case.story.calls if (one.team, one.key) == (call.team, opening.key)]
            at_first = opening.said.get("opened_at")
            if opened_at != at_first or not min(requested) <= from_text(str(opened_at)) <= opening.done_at:
                yield f"{call.where}: the session was opened at {opened_at}, its team was told of {at_first}"


def _closed_otherwise(case: Case, call: Call) -> Iterator[str]:
    """Yield the fault of a silent session's end, due by the timer's next visit after its team's last request."""
    requests = [one for one in case.story.calls if (one.path or "").startswith(str(call.path)) and one.n != call.n]
    last = max((request.done_at for request in requests), default=0)
    closed_at = call.said.get("closed_at")
    silent = from_text(closed_at) - last if closed_at else None
    most = _SILENCE + MINUTE + put_off(case, last + _SILENCE, from_text(closed_at)) if closed_at else 0
    if silent is None or not _SILENCE <= silent <= most:
        yield f"{call.where}: the silent session was closed after {silent} ms"


def _look_at_second(check: Check, team: str, calls: Sequence[Call]) -> None:
    """Check that of one second's requests ten are answered, and the others told when to come again."""
    heard = [call for call in calls if not call.failed]
    answered = sum(call.status != 429 for call in heard)
    least = min(_PER_SECOND, len(calls)) - (len(calls) - len(heard))
    right = least <= answered <= _PER_SECOND
    check.that(right, f"{team}: {answered} requests of one second were answered")
    for call in heard:
        untold = call.status == 429 and call.said.get("retry_after") != _NEXT_SECOND
        check.look(
            f"{call.where}: is refused for the rate and not told when to come again" if untold else None,
            None
            if call.status in {call.means.get("is_told", 200), 429}
            else f"{call.where}: is answered {call.status}",
        )
