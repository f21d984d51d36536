"""What the minute timer does for experts: it writes down what has run out and asks rules that nobody has asked."""

from __future__ import annotations

from contest.domain.experts.assignment import Assignment, finished
from contest.domain.moments import Millis
from contest.domain.session.session import IN_FLIGHT
from contest.services.experts import third
from contest.services.experts.work import ended
from contest.services.platform import Platform
from contest.services.races import decide_until_written


def finish(platform: Platform, expert_id: str, assignment_id: str, now: Millis) -> int:
    """Write down that an assignment's time is over; 1 if it was.

    It waits as long beyond the limit as a request may be under way, so that a draft which arrived in time is saved
    before. Whoever looks meanwhile sees it expired all the same.

    Clause: R 7.10, platform §5 time
    """

    def read() -> Assignment | None:
        return platform.experts.assignment(expert_id, assignment_id)

    def written(found: Assignment | None) -> int:
        after = None if found is None else finished(found, now - IN_FLIGHT)
        if after is None:
            return 0
        ended(platform, after, None)
        return 1

    return decide_until_written(read(), written, read)


def consider(platform: Platform, marking_id: str, item_id: str) -> int:
    """Ask the rule for a third expert where it is due; 1 if it was."""
    return int(third.consider(platform, marking_id, item_id))
