"""The checks of teams that look where they must not: before openings, into others' sessions, behind staff's doors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from local.rehearsal.history import QUALIFYING, Call
from local.rehearsal.moments import SECOND, from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_decisions import told_opening
from markup_core.receipt import sha256_hex

_DONE, _NOT_YET, _TOO_MANY = 200, 425, 429
_UNKNOWN = frozenset({404})
_FORBIDDEN = frozenset({401, 403})
_REFUSED = 400
_SPOILS: Final = frozenset({"killed", "throttled"})
_EARLY_ON_THE_CHANNEL: Final = "channel_early"
_UNFORESEEN = "internal"
"""What a handler answers where nobody has foreseen what it met."""


def early_refused(case: Case) -> Check:
    """Whoever asks before an opening is told when it is, by the announced schedule, and nothing else."""
    check = Check("not_yet_told")
    for call in case.story.calls:
        if call.what == "pry_early" and call.status != _TOO_MANY:
            check.look(_answered_early(case, call))
    return check


def _answered_early(case: Case, call: Call) -> str | None:
    number = call.number or 0
    opening = case.schedule.opens_at(number)
    where = f"{call.team}, call {call.n}: file {number}, {opening - call.sent_at} ms before its opening,"
    if call.texts or call.file_ids:
        return f"{where} is told of it"
    if call.status is None or call.failed:
        return None
    if call.status != _NOT_YET:
        return f"{where} is answered {call.status} {call.code}"
    details = call.said["error"].get("details") or [{}]
    told = details[0].get("opens_at")
    right = told_opening(case, number, call.sent_at)
    if not told or from_text(told) not in right:
        return f"{where} is told that it opens at {told}"
    now, again = details[0].get("server_time"), call.said.get("retry_after")
    if now is None or not call.sent_at <= from_text(now) <= call.done_at:
        return f"{where} is told that it is {now}"
    due = -(-(from_text(told) - from_text(now)) // SECOND)
    return None if again == str(max(1, due)) else f"{where} is told to come again after {again} s, not {due}"


def others_kept(case: Case) -> Check:
    """Nobody reads, answers or ends what is another team's, and no program comes where only people may; who tries is
    refused, and breaks nothing."""
    check = Check("others_kept")
    spoilt = any(each["what"] in _SPOILS for each in case.story.injected)
    for call in case.story.calls:
        where = f"{call.team}, call {call.n}: {call.path}"
        if call.what not in {"pry_others", "pry_staff"} or call.status in {None, _TOO_MANY}:
            continue
        if call.failed:
            # What is the staff's is refused before anything is written, so that no write that was spoilt explains it.
            broken = not spoilt or (call.what == "pry_staff" and call.code == _UNFORESEEN)
            check.look(f"{where} is answered {call.status} {call.code}" if broken else None)
            continue
        right = _UNKNOWN if call.what == "pry_others" else _FORBIDDEN
        check.look(
            None if call.status in right else f"{where} is answered {call.status}",
            f"{where} tells of files {', '.join(call.file_ids)}" if call.file_ids else None,
            f"{where} tells an essay's text" if call.texts else None,
        )
    return check


def joined_once(case: Case) -> Check:
    """Who asks for a second session gets none, nor who comes after the last moment; everybody else takes part."""
    check = Check("joined_once")
    for call in case.story.calls:
        if call.what in {"join_again", "join_late"} and call.status != _TOO_MANY and not call.failed:
            let_in = call.status is not None and call.status < _REFUSED
            check.look(f"{call.team}, call {call.n} ({call.what}): is answered {call.status}" if let_in else None)
    opened: dict[str, set[str]] = {}
    for call in case.story.calls:
        if call.what == "open" and call.status is not None:
            due = call.sent_at <= case.schedule.starts_at + case.schedule.join
            if call.status == 201:
                opened.setdefault(call.team, set()).add(str(call.said["session_id"]))
                check.look(None if due else f"{call.team}, call {call.n}: joined after the last moment")
            elif due and not call.failed and call.status != _TOO_MANY:
                check.look(f"{call.team}, call {call.n}: came in time and is answered {call.status} {call.code}")
    for team, sessions in opened.items():
        check.look(f"{team}: has {len(sessions)} sessions" if len(sessions) > 1 else None)
    return check


def texts_in_time(case: Case) -> Check:
    """No essay's text, nor the hash of it or of what is handed out, was in any byte that anybody received before its
    opening, headers among them, and everybody got the same one."""
    check = Check("texts_in_time")
    number_of: dict[int, int] = {}
    for call in sorted(case.story.calls, key=lambda each: each.n):
        if call.what == "file" and call.status == 200 and call.number is not None:
            for text in call.texts:
                known = number_of.setdefault(text, call.number)
                other = f"{call.team}, call {call.n}: file {call.number} has the text of file {known}"
                check.look(other if known != call.number else None)
            known_one = len(call.texts) == 1 or call.path is None  # a program of somebody's own is not read along with
            check.look(None if known_one else f"{call.team}, call {call.n}: {len(call.texts)} texts of ours")
    for call in (each for each in case.story.calls if not each.what.startswith(QUALIFYING)):
        if call.what == _EARLY_ON_THE_CHANNEL:
            check.look(None)
        for text in call.texts:
            number = number_of.get(text)
            early = case.schedule.opens_at(number) - call.done_at if number is not None else 1
            check.look(
                f"{call.team}, call {call.n} ({call.what}): text {text} before its opening" if early > 0 else None
            )
    check.look(*_hashes_early(case, number_of))
    return check


def _hashes_early(case: Case, number_of: Mapping[int, int]) -> Iterator[str]:
    """Answers before a file's opening that have its hash: of the content as programs received it, or, where an item is
    a text, of that."""
    items = ((case.story.own[text - 1]["item"], number) for text, number in number_of.items())
    known = {sha256_hex(str(item["text"]).encode()): number for item, number in items if "text" in item}
    for call in case.story.calls:
        if call.what == "file" and call.status == _DONE and call.number is not None:
            known[str(call.said["content_sha256"])] = call.number
    for call in (each for each in case.story.calls if not each.what.startswith(QUALIFYING)):
        for number in {known[each] for each in call.hashes if each in known}:
            early = case.schedule.opens_at(number) - call.done_at
            if early > 0:
                yield f"{call.team}, call {call.n} ({call.what}): the hash of file {number}, {early} ms too early"
