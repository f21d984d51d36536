"""Failures of a request, the patience with them, and the platform's time as seen from here.

Inside an open session files are at stake, and a connection that is lost for minutes comes back: there the kit is
patient, and says what it waits for. Everywhere else somebody sits before the screen, and wants to know at once.

The platform's time is an offset measured from answers that carry it. An answer that took ``r`` seconds was written
somewhere within them, so half of ``r`` bounds the error; the one with the least ``r`` of the latest is believed (the
clock filter of NTP, RFC 5905 §10).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

from markup_core.lazy import dataclass

if TYPE_CHECKING:  # loaded where they are used
    from pku.errors import ExchangeError


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long one request is repeated, in seconds.

    ``refused_s`` bounds the waits while the platform answers that it is busy or has failed. ``unreachable_s`` is how
    long after the first try nothing may come back at all; ``connect_s`` is for one connection, ``answer_s`` for each
    silence after it.
    """

    refused_s: float
    unreachable_s: float
    connect_s: float
    answer_s: float = 35.0
    """The gateway gives up after 30 s; a little more shows its own answer instead of a silence."""


WORKING: Final = Patience(refused_s=900.0, unreachable_s=900.0, connect_s=10.0)
"""As long as a session survives without a word from its program (platform §3)."""
BRIEF: Final = Patience(refused_s=60.0, unreachable_s=1.5, connect_s=3.0)
"""For commands that somebody waits for: a platform that cannot be reached is told within five seconds."""
ONCE: Final = Patience(refused_s=0.0, unreachable_s=0.0, connect_s=2.0, answer_s=3.0)
"""For what is good to know and keeps nobody waiting: asked once, given up after five seconds."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A request that has failed and will be asked again. Moments are by this machine's clock."""

    tries: int
    since: float
    until: float
    """The latest moment at which it is given up."""
    error: ExchangeError


Listener = Callable[[Trouble | None], None]
"""Told every failure that is repeated, and None when a request that had failed is answered; from any thread."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How one request is waited for; ``around()`` is entered for each of its tries."""

    patience: Patience = WORKING
    on_trouble: Listener = lambda _: None
    around: Callable[[], AbstractContextManager[None]] = nullcontext


def reason(error: BaseException) -> str | None:
    """Return the name of the reason of a failed connection (``refused``, ``unknown_host`` …); None without a name."""
    import socket
    import ssl

    import httpx

    reasons: tuple[tuple[type[BaseException], str], ...] = (
        (ConnectionRefusedError, "refused"),
        (socket.gaierror, "unknown_host"),
        (ssl.SSLCertVerificationError, "certificate"),
        (ssl.SSLError, "no_https"),
        (TimeoutError, "timeout"),
        (httpx.TimeoutException, "timeout"),
    )
    for cause in _chain(error):
        for kind, name in reasons:
            if isinstance(cause, kind):
                return name
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Return an error and its causes, innermost first: the libraries wrap the system's errors."""
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in chain:
        chain.append(step)
        step = step.__cause__ or step.__context__
    return reversed(chain)


KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """One exchange: sent and received by this machine's clock, ``server_time`` by the platform's, in seconds."""

    sent: float
    server_time: float
    received: float

    @property
    def round_trip(self) -> float:
        """Return how long the answer took."""
        return self.received - self.sent

    @property
    def offset(self) -> float:
        """Return how far the platform's clock is ahead of this machine's; the error is at most half the round trip."""
        return self.server_time - (self.sent + self.received) / 2


class ServerTime:
    """The believed offset; before any sample the clocks are taken for equal."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=KEPT)

    def observe(self, sample: Sample) -> None:
        """Take one more exchange into account."""
        self._samples.append(sample)

    @property
    def best(self) -> Sample | None:
        """Return the sample with the shortest round trip."""
        return min(self._samples, key=lambda sample: sample.round_trip, default=None)

    def here(self, moment: float) -> float:
        """Convert a moment of the platform's clock to this machine's clock."""
        return moment if self.best is None else moment - self.best.offset

    def uncertainty(self) -> float:
        """Return the bound of the error of :meth:`here`, in seconds; 0 before any sample."""
        return 0.0 if self.best is None else self.best.round_trip / 2
