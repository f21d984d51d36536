"""The technical qualification's calendar: a run every few hours, of random size and interval (R 6.6).

Which slot a moment lies in, and what run the slot has, are functions of the cycle's name and the moment: however often
a tick comes, early, late or doubled, it finds the same run.
"""

from __future__ import annotations

import base64
import hashlib
from typing import NamedTuple

from contest.domain.cycle.cycle import RunRules, TechnicalTimes
from contest.domain.moments import HOUR, SECOND, Millis


class Drawn(NamedTuple):
    """What is drawn for the run of a slot."""

    run_id: str
    files: int
    interval: Millis


def slot_of(times: TechnicalTimes, now: Millis) -> Millis:
    """Beginning of the slot in which a moment lies; slots are counted from the epoch.

    Clause: R 6.6
    """
    length = times.every_hours * HOUR
    return now // length * length


def start_of(times: TechnicalTimes, slot: Millis) -> Millis:
    """When the run of a slot starts."""
    return slot + times.lead_s * SECOND


def next_start(times: TechnicalTimes, now: Millis) -> Millis:
    """The first start of a slot's run that is still to come."""
    slot = slot_of(times, now)
    start = start_of(times, slot)
    return start if start > now else start_of(times, slot + times.every_hours * HOUR)


def run_name(cycle: str, slot: Millis) -> str:
    """The run of a slot, the same for everybody who asks: 20 of a–z, 2–7, from SHA-256 of cycle and slot."""
    digest = hashlib.sha256(f"technical\n{cycle}\n{slot}".encode()).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:20]


def drawn(cycle: str, slot: Millis, rules: RunRules, available: int, salt: str) -> Drawn:
    """Draw a run's size and interval within the rules' bounds; of a set that is smaller, all of it.

    The draw depends on ``salt``, so that nobody knows before the run is published; the intervals are whole seconds.

    Clause: R 6.6, R-App2 §2 technical
    """
    least, greatest = rules.files
    shortest, longest = rules.interval_s
    files = _between(f"{salt}\nfiles", least, greatest)
    interval = _between(f"{salt}\ninterval", shortest, longest)
    return Drawn(run_name(cycle, slot), min(files, available), interval * SECOND)


def _between(seed: str, least: int, greatest: int) -> int:
    """A number from ``least`` to ``greatest``; 256 bits, so that the bounds' difference leaves no mark."""
    return least + int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big") % (greatest - least + 1)
