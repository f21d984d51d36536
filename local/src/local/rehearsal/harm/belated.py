"""Bugs to be planted of what comes a visit of the timer late, not again, or twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_LATER: Final = 61_000


def arm_once() -> None:
    """The timer never arms anew what a pause has moved: a request has to."""
    from contest.domain.run.release import ArmedBy
    from contest.services.run import arming

    original = arming.arm

    def arm(platform: Any, schedule: Any, number: int, by: Any, before: Any) -> bool:
        moved = by is ArmedBy.TIMER and before is not None
        return not moved and bool(original(platform, schedule, number, by, before))

    put_in(arming, "arm", arm)


def send_signs_of_life_late() -> None:
    """A sign of life is noted as sent a minute later, and the next one waits for it."""
    from contest.adapters.connections import DynamoConnections

    original = DynamoConnections.note

    def note(self: DynamoConnections, connection: Any, *fields: str) -> None:
        original(self, replace(connection, pinged_at=connection.pinged_at + _LATER), *fields)

    put_in(DynamoConnections, "note", note)


def report_a_visit_late() -> None:
    """The timer makes the reports of the sessions that had ended at its visit before."""
    from contest.adapters.sessions import DynamoSessions

    original, before = DynamoSessions.unreported_ids, list[Any]()

    def unreported_ids(self: DynamoSessions) -> Any:
        now, known = original(self), before[:]
        before[:] = now
        return [each for each in now if each in known]

    put_in(DynamoSessions, "unreported_ids", unreported_ids)


def report_for_ever() -> None:
    """A session whose report is made still waits for it, so that the timer makes it at every visit."""
    from contest.adapters.sessions import DynamoSessions

    put_in(DynamoSessions, "mark_reported", lambda *_: None)


def note_places_a_visit_late() -> None:
    """A board's history has a change of its places one visit of the timer after the board."""
    from contest.domain.results.board_state import point
    from contest.services.results import board_decisions

    original, seen = board_decisions._noted, dict[Any, Any]()

    def noted(platform: Any, board: str, shown: Any) -> int:
        place, places = (board, shown.scope), point(shown.rows, 0).places
        if seen.get(place) != places:
            seen[place] = places
            return 0
        return int(original(platform, board, shown))

    put_in(board_decisions, "_noted", noted)


def push_nothing_to_who_was_away() -> None:
    """Whoever has lost its connection once is pushed nothing any more."""
    from contest.services.channel import pushing

    original = pushing._listener

    def listener(platform: Any, session_id: str) -> Any:
        attachment = platform.connections.attachment(session_id)
        away = attachment is not None and attachment.absences
        return None if away else original(platform, session_id)

    put_in(pushing, "_listener", listener)


def push_everything_twice() -> None:
    """A file that was pushed is pushed once more over the same connection."""
    from contest.services.channel import pushing

    put_in(pushing, "_is_due", lambda *_: True)


def let_strangers_stay() -> None:
    """Who is turned away is not parted from its namespace."""
    from contest.adapters.sockets import GatewaySockets

    put_in(GatewaySockets, "part", lambda *_: None)


def ask_for_more() -> None:
    """Exactly as much of the test set as an entry takes is too little for one (R 6.10)."""
    from contest.domain.results import leaderboard

    original = leaderboard._entry

    def entry(claim: Any, scope: str, rules: Any, *part: Any) -> Any:
        return original(claim, scope, replace(rules, least_share=rules.least_share + 0.001), *part)

    put_in(leaderboard, "_entry", entry)


def take_any_number_of_answers() -> None:
    """However many answers have come for a file, the rate refuses none of it."""
    from contest.domain.session import limits

    original = limits.may_exceed_rate

    def may_exceed_rate(delivery: Any, bodies: Any, arrival: int, **_: int) -> bool:
        return bool(original(delivery, bodies, arrival, sends=1_000, refusals=1_000))

    put_in(limits, "may_exceed_rate", may_exceed_rate)


def break_the_staffs_doors() -> None:
    """Who has not the right for one of the staff's doors finds it broken rather than closed."""
    from contest.domain.people import rights

    original = rights.may

    def may(identity: Any, right: Any) -> bool:
        if not original(identity, right):
            raise RuntimeError(right)
        return True

    put_in(rights, "may", may)


def record_answers_before_files() -> None:
    """The record tells that every answer came a moment before its file was handed out."""
    from contest.domain.moments import iso
    from contest.services.run import records

    original = records._file

    def file(view: Any, asked: Any) -> Any:
        row = original(view, asked)
        early = iso(view.delivery.handed_out_at - 1) if row["answered_at"] else None
        return {**row, "answered_at": early}

    put_in(records, "_file", file)


BUGS: Final = by_name(
    record_answers_before_files,
    arm_once,
    send_signs_of_life_late,
    report_a_visit_late,
    report_for_ever,
    note_places_a_visit_late,
    push_nothing_to_who_was_away,
    push_everything_twice,
    let_strangers_stay,
    ask_for_more,
    take_any_number_of_answers,
    break_the_staffs_doors,
)
