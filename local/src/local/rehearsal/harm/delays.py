"""Bugs of time and of ends to be planted: latency that is kept, slots that nobody arms, ends that are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def keep_what_the_platform_took() -> None:
    """The next request is timed as if the platform had taken no time of the program's."""
    from contest.domain.run import lag

    put_in(lag, "owed", lambda *_: 0)


def keep_what_a_hand_out_took() -> None:
    """A file is due as if it had been handed out in the moment in which it was asked for."""
    from contest.domain.run.schedule import Schedule

    original = Schedule.answer_by

    def answer_by(self: Any, number: int, arrival: int, handed_out_at: int) -> Any:
        latest = self.opens_at(number) + self.run.limits.total
        return min(original(self, number, arrival, handed_out_at), latest)

    put_in(Schedule, "answer_by", answer_by)


def forgive_every_lateness() -> None:
    """Every request counts as made in the moment of the opening."""
    from contest.domain.run import lag

    put_in(lag, "counted", lambda arrival, opens_at, _: min(arrival, opens_at))


def arm_nothing() -> None:
    """Neither the timer nor a request writes down that a file opens."""
    from contest.services.run import arming

    put_in(arming, "arm", lambda *_: False)


def arm_the_whole_run() -> None:
    """The timer arms every slot of a run as soon as it sees the run."""
    from contest.services.run import arming

    put_in(arming, "ARMED_AHEAD", 86_400_000)


def finish_who_left() -> None:
    """A session that its team has ended is told as finished once it is over."""
    from contest.domain.session.session import State
    from contest.services.session import status

    original = status.abort

    def abort(platform: Any, *words: Any, **named: Any) -> Any:
        found = original(platform, *words, **named)
        before = found.session
        if before.state is State.ABORTED:
            platform.sessions.close(before, replace(before, state=State.FINISHED, version=before.version + 1))
        return found

    put_in(status, "abort", abort)


def narrow_the_intervals() -> None:
    """The board's intervals are a tenth narrower than the ones of 95 %."""
    from contest.services.results import boards

    original = boards._shown

    def shown(*words: Any) -> Any:
        found = original(*words)
        rows = tuple(replace(row, entry=replace(row.entry, result=_narrowed(row.entry.result))) for row in found.rows)
        return replace(found, rows=rows)

    put_in(boards, "_shown", shown)


def _narrowed(result: Any) -> Any:
    ends = result["interval_95"].items()
    told = {name: each and [each[0] + (each[1] - each[0]) / 10, each[1]] for name, each in ends}
    return {**result, "interval_95": told}


def hold_nobody() -> None:
    """Whoever asks in the last two seconds before an opening is told to come again."""
    from contest.services.exchange import hand_out

    put_in(hand_out, "HOLD", 0)


def give_back_the_wait() -> None:
    """What a program waited for an opening counts as time that the platform took."""
    from contest.domain.run.schedule import Schedule

    def answer_by(self: Any, number: int, arrival: int, handed_out_at: int) -> Any:
        opening, limits = self.opens_at(number), self.run.limits
        return min(handed_out_at + limits.answer, opening + limits.total + max(0, handed_out_at - arrival))

    put_in(Schedule, "answer_by", answer_by)


BUGS: Final = by_name(
    keep_what_the_platform_took,
    keep_what_a_hand_out_took,
    forgive_every_lateness,
    arm_nothing,
    arm_the_whole_run,
    finish_who_left,
    narrow_the_intervals,
    hold_nobody,
    give_back_the_wait,
)
