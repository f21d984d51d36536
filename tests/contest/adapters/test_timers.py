"""When timers came last: the promises of their port, kept by adapter and fake."""

from __future__ import annotations

from contest.services.platform import Platform


def test_the_last_time_noted_stays_and_timers_are_apart(platform: Platform) -> None:
    assert platform.timers.last("minute") is None
    platform.timers.came("minute", 5)
    platform.timers.came("other", 9)
    platform.timers.came("minute", 7)
    assert (platform.timers.last("minute"), platform.timers.last("other")) == (7, 9)
