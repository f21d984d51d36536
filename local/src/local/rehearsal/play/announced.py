"""What everybody has been told of a run's times: the plan, and what its organizers have decided since.

Programs read it as they would read the public page of the run: the plays ask it for every opening anew, shortly before
it, so that a pause moves what they do as it moves the files.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Final

from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.driver import Step
from local.rehearsal.play.wire import Reply

AHEAD: Final[Millis] = MINUTE
"""So long before an opening a program makes up its mind when it will ask."""
ASK_AGAIN: Final[Millis] = 10 * SECOND
"""While a run is paused, nobody knows when it will go on: programs look again after so long."""

Waiting = Generator[Step, Sequence[Reply], Millis]


@dataclass
class News:
    """Decisions that are known. ``since`` is the beginning of a pause of which nobody knows the end."""

    pauses: list[tuple[Millis, Millis]] = field(default_factory=list)
    since: Millis | None = None
    slots: list[int] = field(default_factory=list)
    """Places in the plan of the files that replacements have appended."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The run's schedule as every program knows it from the announcement, and from the news since."""

    run_id: str
    mode: str
    starts_at: Millis
    interval: Millis
    request: Millis
    answer: Millis
    total: Millis
    join: Millis
    files: int
    news: News = field(default_factory=News, compare=False)

    @property
    def all_files(self) -> int:
        """Files of the run with the appended ones, as far as they are known."""
        return self.files + len(self.news.slots)

    @property
    def paused(self) -> bool:
        """Whether nobody knows when the run will go on."""
        return self.news.since is not None

    @property
    def ends_at(self) -> Millis:
        """When nothing of the run moves any more, by what is known."""
        return self.opens_at(self.all_files) + self.total

    def opens_at(self, number: int) -> Millis:
        """When a file opens, by what is known."""
        slot = number - 1 if number <= self.files else self.news.slots[number - self.files - 1]
        moment = self.starts_at + slot * self.interval
        for start, until in self.news.pauses:
            moment += until - start if moment >= start else 0
        return moment


def coming(timing: Timing, number: int) -> Waiting:
    """Wait until shortly before a file's opening, whatever is decided meanwhile; its opening as it is then known."""
    return (yield from _until(timing, number, AHEAD))


def opened(timing: Timing, number: int) -> Waiting:
    """Wait for a file's opening, whatever is decided meanwhile; the opening."""
    return (yield from _until(timing, number, 0))


def _until(timing: Timing, number: int, ahead: Millis) -> Waiting:
    moment = timing.opens_at(number) - ahead
    while True:
        yield Step(moment, ())
        known = timing.opens_at(number)
        if timing.paused and timing.news.since is not None and known >= timing.news.since:
            moment += ASK_AGAIN
        elif known - ahead > moment:
            moment = known - ahead
        else:
            return known
