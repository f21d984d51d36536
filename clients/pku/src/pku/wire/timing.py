"""The platform's time as seen from this machine: an offset measured from answers that carry the server's time.

An answer that took ``r`` seconds was written somewhere within them, so half of ``r`` bounds the error. The answer with
the least ``r`` of the latest ones is believed (the clock filter of NTP, RFC 5905 §10).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """One exchange: sent and received by this machine's clock, written by the platform's, all in seconds."""

    sent: float
    written: float
    received: float

    @property
    def round_trip(self) -> float:
        """How long the answer took."""
        return self.received - self.sent

    @property
    def offset(self) -> float:
        """How far the platform's clock is ahead of this machine's; the error is at most half the round trip."""
        return self.written - (self.sent + self.received) / 2


class ServerTime:
    """The believed offset; before any sample the clocks are taken for equal."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=KEPT)

    def observe(self, sample: Sample) -> None:
        """Take one more exchange into account."""
        self._samples.append(sample)

    @property
    def best(self) -> Sample | None:
        """The sample that is believed."""
        return min(self._samples, key=lambda each: each.round_trip, default=None)

    def here(self, moment: float) -> float:
        """A moment of the platform's clock by this machine's clock."""
        return moment if self.best is None else moment - self.best.offset

    def uncertainty(self) -> float:
        """Bound of the error of :meth:`here`, in seconds; 0 before any sample."""
        return 0.0 if self.best is None else self.best.round_trip / 2
