"""Webhooks: addresses that may be called, retries, and the end of a hook that always fails.

A delivery says what a mail says, and no more: what there is, and where it is read. The platform signs it like a
receipt, so no secret of a hook is stored, and whoever gets it verifies it with the public keys of the platform.

**Decision**: an address has a host's name, port 443 and no credentials. Where the name leads is looked at with each
delivery: every address of the host must be a public one, and the request goes to one of those that were looked at.

**Decision**: a delivery that is not known to have succeeded is sent again under the same id. After
:data:`MOST_ATTEMPTS` it is dropped. A hook whose attempts have all failed, :data:`MOST_FAILURES` of them and for
:data:`FAILS_FOR` at least, is switched off for good: its owner is told, and adds it anew.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from contest.values import DAY, MINUTE, SECOND, Millis, next_attempt
from markup_core.lazy import dataclass
from tracks.protocol import Text

MOST_HOOKS: Final = 5
"""Hooks of an owner."""
MOST_ATTEMPTS: Final = 7
"""Attempts of a delivery: the last one comes about eleven hours after the first."""
MOST_FAILURES: Final = 10
"""Failed attempts in a row after which a hook may be switched off."""
FAILS_FOR: Final[Millis] = DAY
"""Milliseconds for which a hook must have failed before it is switched off."""
MOST_A_VISIT: Final = 40
"""Deliveries that a visit of the channel's timer attempts."""
BUDGET: Final[Millis] = 20 * SECOND
"""Milliseconds after which a visit begins no attempt."""
SETTLED: Final = 7 * 24 * 3600
"""Seconds for which it is known that a delivery was made, so that it is made once."""
GREETED: Final[Millis] = 10 * 60 * SECOND
"""Milliseconds after a hook's creation, or a request for a test, within which its test delivery is made."""
TESTED_EACH: Final[Millis] = MINUTE
"""Milliseconds between two test deliveries of a hook."""
MOST_SHOWN: Final = 10
"""Number of a hook's last attempts that are stored for its owner."""
LONGEST_URL: Final = 500
PORT: Final = 443
ORGANIZERS: Final = "organizers/"
"""Owner of the organizers' hooks; no team's id has a slash."""
_HOST: Final = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_VISIBLE: Final = re.compile(r"[!-~]+")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_UNICAST: Final = ipaddress.ip_network("2000::/3")
"""The IPv6 addresses of the internet: translators to IPv4, which reach any address, stand outside."""
_PROTOCOLS: Final = ipaddress.ip_network("192.0.0.0/24")
"""IPv4 addresses of protocols, which Python takes for public ones before 3.13."""


def may_be_called(url: str, *, to_loopback: bool) -> bool:
    """Return whether an address has the form of a hook's; ``to_loopback``: the local cloud's, which calls no other
    machine."""
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url) or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or parts.fragment or parts.netloc.endswith(":"):
        return False
    host = parts.hostname or ""
    if to_loopback and host in _LOOPBACK:
        return parts.scheme == "http" and port is not None
    return parts.scheme == "https" and port in {None, PORT} and _HOST.fullmatch(host) is not None


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet, and leads nowhere else."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        leads_elsewhere = parsed not in _UNICAST or parsed.sixtofour is not None or parsed.teredo is not None
    else:
        leads_elsewhere = parsed.is_multicast or parsed in _PROTOCOLS
    return parsed.is_global and not leads_elsewhere


class Outcome(StrEnum):
    """Outcome of an attempt; NOT_PUBLIC says nothing else about the host."""

    TAKEN = "taken"
    REFUSED = "refused"
    """The host answered with a status other than 2xx."""
    NO_ANSWER = "no_answer"
    UNREACHABLE = "unreachable"
    """No connection, or a certificate that is not the host's."""
    NOT_PUBLIC = "not_public"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a delivery, shown to the hook's owner."""

    at: Millis
    event: str
    """Event id in the body: the same for all attempts of the delivery."""
    kind: str
    number: int
    """Counts from 1 to :data:`MOST_ATTEMPTS`."""
    outcome: Outcome
    status: int | None = None
    """HTTP status of the answer, where there was one."""
    next_at: Millis | None = None
    """Earliest moment of the next attempt; None if there is none."""


@dataclass(frozen=True, slots=True)
class Hook:
    """An address to be called, at one of its owner's places; ``version`` counts its writes."""

    hook_id: str
    owner: str
    """Team id, or :data:`ORGANIZERS`."""
    place: int
    """Counts from 1 to :data:`MOST_HOOKS`: two hooks added at once do not pass the bound together."""
    url: str
    created_at: Millis
    failures: int = 0
    """Attempts that have failed since the last success."""
    failing_since: Millis | None = None
    off_at: Millis | None = None
    version: int = 1
    tested_at: Millis | None = None
    """Moment of the owner's last request for a test delivery; None before the first one."""
    attempts: tuple[Attempt, ...] = ()
    """The last :data:`MOST_SHOWN`, the latest first."""

    @property
    def host(self) -> str:
        """Return the host of its address: the rest may be a secret of the owner's."""
        return urlsplit(self.url).hostname or ""

    @property
    def greeted_at(self) -> Millis:
        """Return the moment since which a test delivery is due: the last request for one, or the hook's creation."""
        return self.created_at if self.tested_at is None else self.tested_at

    def tested(self, now: Millis) -> Hook:
        """Return the hook with its owner's request for a test delivery."""
        return replace(self, tested_at=now, version=self.version + 1)

    def after(self, attempt: Attempt) -> Hook:
        """Return the hook with an attempt; switched off if its failures have lasted too long."""
        noted = replace(self, attempts=(attempt, *self.attempts)[:MOST_SHOWN], version=self.version + 1)
        if attempt.outcome is Outcome.TAKEN:
            return replace(noted, failures=0, failing_since=None)
        since, failures = self.failing_since or attempt.at, self.failures + 1
        is_over = failures >= MOST_FAILURES and attempt.at - since >= FAILS_FOR
        return replace(noted, failures=failures, failing_since=since, off_at=attempt.at if is_over else None)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request to send to a hook; ``body`` is signed JSON."""

    delivery_id: str
    hook_id: str
    body: str
    created_at: Millis
    attempts: int = 0
    next_at: Millis = 0
    """Earliest moment of the next attempt."""

    def claimed(self, now: Millis) -> Delivery:
        """Return the delivery with one more attempt and the moment of the next one, each time later."""
        return replace(self, attempts=self.attempts + 1, next_at=next_attempt(now, self.attempts))


@dataclass(frozen=True, slots=True)
class Event:
    """An event that hooks are notified of: its title and the page that shows it."""

    event_id: str
    kind: str
    title: Text
    path: str
    at: Millis
