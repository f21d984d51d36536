"""Shared parts of the in-memory adapters: a held clock, names by counting, and the one store."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from contest.people.rules import Change
from contest.results.rules.jobs import Job, OutboxEntry
from contest.run.rules.fate import Watch
from contest.run.rules.run import Run
from contest.run.rules.schedule import Proposal, Release
from contest.session.rules.delivery import Bodies, Delivery, Receipt
from contest.session.rules.session import Plan, Session, TeamRequests, Used
from contest.values import Millis


class HeldClock:
    """A clock that stands still until it is moved; ``goes``, it moves for whoever waits."""

    def __init__(self, now: Millis = 1_790_000_000_000) -> None:
        self.moment = now
        self.goes = False

    def now(self) -> Millis:
        return self.moment

    def wait_until(self, moment: Millis) -> Millis:
        if self.goes:
            self.moment = max(self.moment, min(moment, self.moment + 2_500))
        return self.moment

    def advance(self, seconds: float) -> Millis:
        self.moment += round(seconds * 1000)
        return self.moment


class CountingNames:
    """Predictable names of the right form."""

    def __init__(self) -> None:
        self._made = Counter[str]()

    def session_id(self) -> str:
        return self._name("1", 15)

    def run_id(self) -> str:
        return self._name("r", 20)

    def file_id(self) -> str:
        return self._name("2", 15)

    def salt(self) -> str:
        return hashlib.sha256(self._name("z", 8).encode()).hexdigest()

    def assignment_id(self) -> str:
        return self._name("a", 20)

    def pseudonym(self) -> str:
        return f"expert-{self._name('p', 6)}"

    def token(self) -> str:
        return "hrd_" + self._name("t", 43)

    def invitation(self) -> str:
        return "inv_" + self._name("i", 43)

    def token_id(self) -> str:
        return self._name("k", 12)

    def _name(self, letter: str, length: int) -> str:
        self._made[letter] += 1
        return letter + str(self._made[letter]).zfill(length - 1)


@dataclass
class Store:
    """Store of all data of the in-memory ports."""

    sessions: dict[str, Session] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    open_by_team: dict[tuple[str, str], str] = field(default_factory=dict)
    participations: dict[tuple[str, str], str] = field(default_factory=dict)
    quota: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    used: dict[tuple[str, str], Used] = field(default_factory=dict)
    requests: dict[str, TeamRequests] = field(default_factory=dict)
    unreported: dict[str, int] = field(default_factory=dict)
    asked: dict[tuple[str, int], Millis] = field(default_factory=dict)
    arrived: dict[tuple[str, int, str], Millis] = field(default_factory=dict)
    bodies: dict[tuple[str, int], Bodies] = field(default_factory=dict)
    deliveries: dict[tuple[str, int], Delivery] = field(default_factory=dict)
    receipts: dict[tuple[str, str], Receipt] = field(default_factory=dict)
    outbox: dict[Job, OutboxEntry] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    active_runs: set[str] = field(default_factory=set)
    unsettled: dict[str, int] = field(default_factory=dict)
    releases: dict[tuple[str, int], Release] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    watches: dict[str, Watch] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    people_rate: Counter[tuple[str, int]] = field(default_factory=Counter)
    uses: dict[tuple[str, str], Millis] = field(default_factory=dict)

    def tell(self, change: Change | None) -> None:
        if change is not None:
            self.changes.append(change)
