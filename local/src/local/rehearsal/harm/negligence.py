"""Bugs of the exchange beside runs to be planted: choices, ends of sessions, limits, and what is kept for a team."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def forget_the_chosen_limit() -> None:
    """Every session has the usual time for an answer, whatever was chosen."""
    from contest.services.session import opening

    original = opening._order

    def order(wish: Any, rules: Any, mode: Any) -> Any:
        return original(replace(wish, time_limit_s=None), rules, mode)

    put_in(opening, "_order", order)


def offer_hidden_sets() -> None:
    """Participants may know of every set, the final's and the reserve as well."""
    from contest.domain.cycle.cycle import Cycle

    put_in(Cycle, "open_sets", property(lambda self: self.sets))


def end_for_a_minutes_silence() -> None:
    """A session whose program is silent for a minute is closed."""
    _believe_silent_after(60)


def keep_silent_sessions() -> None:
    """A silent session is not closed before the next day."""
    _believe_silent_after(86_400)


def close_silent_sessions_late() -> None:
    """A silent session is closed two minutes after its time."""
    _believe_silent_after(17 * 60)


def _believe_silent_after(seconds: int) -> None:
    from contest.services import reading

    original = reading.parameters
    put_in(reading, "parameters", lambda *words: replace(original(*words), idle_timeout_s=seconds))


def abort_a_final_at_once() -> None:
    """A final is aborted without anybody's confirmation."""
    from contest.services.session import status

    original = status.abort

    def abort(platform: Any, request: Any, *, confirmed: bool = False) -> Any:
        del confirmed
        return original(platform, request, confirmed=True)

    put_in(status, "abort", abort)


def let_everybody_ask_fast() -> None:
    """Nobody counts a team's requests."""
    from contest.domain.session import limits

    put_in(limits, "over_rate", lambda *_: False)


def refuse_answers_for_the_rate() -> None:
    """An answer to an open file is refused as any other request of a team that asks too fast."""
    from contest.domain.session import limits

    put_in(limits, "may_exceed_rate", lambda *_, **__: False)


def time_bodies_at_their_end() -> None:
    """An answer has come when its body is there."""
    from contest.domain.session import limits

    put_in(limits, "counted_arrival", lambda arrival, begun, _: max(arrival, begun))


def wait_for_any_body() -> None:
    """An answer has come with its headers, however long its body takes."""
    from contest.domain.session import limits

    put_in(limits, "counted_arrival", lambda arrival, *_: arrival)


def take_large_bodies() -> None:
    """A body is read however large it is."""
    from contest.services.exchange import answering

    put_in(answering, "MAX_ANSWER", 1 << 30)


def forget_logs() -> None:
    """A client's log is acknowledged and not kept."""
    from contest.adapters.blobs import S3Blobs

    original = S3Blobs.put

    def put(self: Any, name: str, content: bytes, *more: Any) -> None:
        if not name.startswith("logs/"):
            original(self, name, content, *more)

    put_in(S3Blobs, "put", put)


def count_sessions_from_zero() -> None:
    """Sessions are called by numbers that may begin with zeros."""
    from contest.adapters import randomness

    kind = next(each for each in vars(randomness).values() if hasattr(each, "session_id"))
    original = kind.session_id
    put_in(kind, "session_id", lambda self: f"00{original(self)[2:]}")


def list_the_oldest_first() -> None:
    """A team's sessions are listed the wrong way round."""
    from contest.services.session import status

    original = status.list_sessions

    def list_sessions(*words: Any, **named: Any) -> Any:
        return original(*words, **named)[::-1]

    put_in(status, "list_sessions", list_sessions)


def name_the_file_after() -> None:
    """A program that asks what comes next is told of the file after it."""
    from contest.services.exchange import coming_file

    original = coming_file.found_next

    def found_next(session: Any, schedule: Any, number: int) -> Any:
        return original(session, schedule, min(number + 1, session.files))

    put_in(coming_file, "found_next", found_next)


def keep_training_scores() -> None:
    """The score of a training file is told when its session has ended, as that of a test file is."""
    from contest.errors import SessionOpenError
    from contest.services.results import one_file

    original = one_file._score

    def score(platform: Any, session: Any, number: int, counting: Any) -> Any:
        if session.is_open:
            raise SessionOpenError
        return original(platform, session, number, counting)

    put_in(one_file, "_score", score)


def name_no_time_to_come_again() -> None:
    """Who asks too early is told of the opening, and neither of the time nor when to come again."""
    from contest.errors import NotOpenYetError

    original = NotOpenYetError.at

    def at(cls: Any, /, opens_at: int, now: int, **where: Any) -> Any:
        del cls, now
        return original(opens_at, opens_at, **where)

    put_in(NotOpenYetError, "at", classmethod(at))


def refuse_without_reasons() -> None:
    """What is no valid answer is refused, and nobody is told why."""
    from contest.errors import InvalidAnswerError
    from contest.refusals import ContestError

    put_in(InvalidAnswerError, "__init__", lambda self, *_, **__: ContestError.__init__(self))


def list_no_latest_receipt() -> None:
    """The list of a session's receipts lacks the last one."""
    from contest.adapters.deliveries import DynamoDeliveries

    original = DynamoDeliveries.receipts

    def receipts(self: Any, *words: Any) -> Any:
        found = original(self, *words)
        return replace(found, items=found.items[:-1])

    put_in(DynamoDeliveries, "receipts", receipts)


def hide_abstention() -> None:
    """The audit of abstention shows the value itself, whatever was missed."""
    from contest.domain.results import leaderboard

    original = leaderboard.abstention

    def abstention(result: Any) -> Any:
        found = original(result)
        return found and {"relative_accuracy": leaderboard.relative(result), "difference": 0.0, "flagged": False}

    put_in(leaderboard, "abstention", abstention)


BUGS: Final = by_name(
    forget_the_chosen_limit,
    offer_hidden_sets,
    end_for_a_minutes_silence,
    keep_silent_sessions,
    close_silent_sessions_late,
    abort_a_final_at_once,
    let_everybody_ask_fast,
    refuse_answers_for_the_rate,
    time_bodies_at_their_end,
    wait_for_any_body,
    take_large_bodies,
    forget_logs,
    count_sessions_from_zero,
    list_the_oldest_first,
    name_the_file_after,
    keep_training_scores,
    name_no_time_to_come_again,
    refuse_without_reasons,
    list_no_latest_receipt,
    hide_abstention,
)
