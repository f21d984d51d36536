"""When the timers came: every minute from a rehearsal's first moment on, but for the times at which they were kept away
on purpose."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import count, takewhile
from typing import Final

from local.rehearsal.history import Story
from local.rehearsal.moments import MINUTE, Millis, from_text

ARMED_AHEAD: Final[Millis] = 3 * MINUTE
"""The minute timer arms no file earlier."""
_TIMER: Final = "dispatch.minute"
_HITS: Final = frozenset({"killed", "throttled"})


class Visits:
    """The timers' visits of a history; of one in real time, whose clock nobody drove, none is known."""

    def __init__(self, story: Story) -> None:
        self._from: Millis | None = story.header.get("timer_from")
        kept_away = [each for each in story.injected if each["what"] in {"tick_missed", "tick_late"}]
        self._late = {
            from_text(each["at"]): from_text(each["comes"]) for each in kept_away if each["what"] == "tick_late"
        }
        self._away = frozenset(from_text(each["at"]) for each in kept_away)
        self._failed = frozenset(from_text(each["at"]) for each in story.injected if each["what"] == "tick_failed")
        moments = sorted(call.sent_at for call in story.calls)
        self._spoilt = [
            (moments[place - 1] if (place := bisect_left(moments, each["now"])) else 0, each["now"])
            for each in story.injected
            if each["what"] in _HITS and each["handler"] == _TIMER
        ]
        """A process that died is told of at the next moment with requests: it did so since the one before."""

    @property
    def known(self) -> bool:
        """Whether it is known when the timers came."""
        return self._from is not None

    def on_time(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """All timers' visits from one moment to another, both included: a late one is the minute timer's alone."""
        return (due for due in self._due(since, until) if due not in self._away)

    def sure(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """The minute timer's visits from one moment to another, both included, in which surely nothing was spoilt."""
        visits = {due: self._late.get(due, due) for due in self._due(since - MINUTE, until)}
        missed = self._away - self._late.keys()
        for due, came in sorted(visits.items(), key=lambda visit: visit[1]):
            if since <= came <= until and due not in missed | self._failed and not self._is_spoilt(came):
                yield came

    def arming(self, known: Millis, opens_at: Millis) -> Millis | None:
        """The minute timer's first sure visit that has to arm what opens then, which is known since a moment; None
        where there is none. What is decided at the moment of a visit comes after it."""
        return next(self.sure(max(known + 1, opens_at - ARMED_AHEAD), opens_at - 1), None)

    def _is_spoilt(self, came: Millis) -> bool:
        return any(before <= came <= now for before, now in self._spoilt)

    def _due(self, since: Millis, until: Millis) -> Iterator[Millis]:
        """When the timers are to come: a minute after the first moment for the first time."""
        if self._from is None:
            return iter(())
        first = max(1, -(-(since - self._from) // MINUTE))
        return takewhile(lambda due: due <= until, count(self._from + first * MINUTE, MINUTE))
