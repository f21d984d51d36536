"""Whatever dies and whoever is faster: nothing received after its deadline counts, nothing received before it is lost.

A process dies before or after any of its writes, or another request comes between two of them. Of an answer that died
before its first write nobody can know; of any other the arrival is noted, and it counts when the answer comes again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from contest.cycle.loading import load_cycle
from contest.errors import InvalidAnswerError, KeyReusedError, SessionClosedError
from contest.exchange.files import hand_out_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.session import access, following
from contest.session.access import Request
from contest.session.opening import open_wished
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import IN_FLIGHT, OpeningWish, State
from contest.values import from_iso
from tests.examples import examples
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

pytestmark = pytest.mark.property

ME = Identity(Role.PROGRAM, "red", "k")
WRITES = ("arrive", "settle", "count_refused", "count_repeated", "send", "ignore")
LETTERS = st.sampled_from("abc")
KEYS = st.sampled_from([None, None, "k", "l"])


class DeadError(BaseException):
    """End of the process; no code of the platform may catch it."""


@dataclass
class Perils:
    """Event ``before`` or ``after`` one of a request's coming writes: the one at index ``at`` (-1: none)."""

    at: int = -1
    when: str = ""
    what: Callable[[], object] | None = None
    written: list[str] = field(default_factory=list)

    def around(self, name: str, write: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **more: Any) -> Any:
            happens = self.what if self.at == 0 else None
            self.at -= 1
            if happens and self.when == "before":
                happens()
            found = write(*args, **more)
            self.written.append(name)
            if happens and self.when == "after":
                happens()
            return found

        return run


def die() -> None:
    raise DeadError


class Arrivals(RuleBasedStateMachine):
    """One file of a team whose program sends any answer any number of times."""

    @initialize(files=st.integers(1, 2))
    def start(self, files: int) -> None:
        self.platform = FakePlatform()
        load_cycle(self.platform, "me", "toy-1", FolderInMemory(toy_cycle(train=files)), lambda _: None)
        self.perils = Perils()
        for name in WRITES:
            port = self.platform.deliveries
            setattr(port, name, self.perils.around(name, getattr(port, name)))
        self.platform.blobs.put_if_absent = self.perils.around("blob", self.platform.blobs.put_if_absent)  # type: ignore[method-assign]
        wish = OpeningWish("algorithmic", set_name="train", files=files)
        self.session_id = ""
        self.session_id = open_wished(self.platform, self.request(), wish).session_id
        for number in range(1, files + 1):
            hand_out_file(self.platform, self.request(number))
        self.owed: defaultdict[str, list[int]] = defaultdict(list)
        """Arrivals in time of each content that were noted and died undecided."""
        self.unseen: defaultdict[str, set[int]] = defaultdict(set)
        """Arrivals of each content that was stored by a process that died: its receipt comes with the next answer."""
        self.receipts: list[Any] = []
        self.came: defaultdict[str, set[int]] = defaultdict(set)

    def request(self, number: int | None = None, key: str | None = None) -> Request:
        return Request(ME, self.platform.clock.now(), self.session_id, number, key)

    @property
    def session(self) -> Any:
        return self.platform.store.sessions[self.session_id]

    @property
    def delivery(self) -> Any:
        return self.platform.store.deliveries[self.session_id, 1]

    def answer(self, letters: str, key: str | None) -> Any:
        """Send one answer; return its receipt, or None if the process died."""
        arrival, was_open = self.platform.clock.now(), self.session.is_open
        self.came[letters].add(arrival)
        before = len(self.perils.written)
        try:
            body = json.dumps({"letters": letters}).encode()
            receipt = json.loads(submit_answer(self.platform, self.request(1, key), body).receipt)["receipt"]
        except DeadError:
            mine = self.perils.written[before:]
            noted, decided = "arrive" in mine, bool({"send", "ignore"} & set(mine))
            if "send" in mine:
                self.unseen[letters].add(min([*self.owed.pop(letters, []), arrival]))
            if was_open and noted and not decided and arrival <= self.delivery.answer_by:
                self.owed[letters].append(arrival)
            return None
        except KeyReusedError:
            return None
        self.look(letters, arrival, receipt)
        return receipt

    def look(self, letters: str, arrival: int, receipt: Any) -> None:
        """Check an answer's receipt against the sent bytes and the process that died."""
        received = from_iso(receipt["received_at"])
        if receipt in self.receipts:
            return  # the receipt of an earlier one
        self.receipts.append(receipt)
        if receipt.get("reason") == "session_closed":
            return  # what was lost before the end is still owed
        owed = self.owed[letters]
        if receipt["status"] == "accepted":
            del self.owed[letters]  # a refusal after the end changes nothing: what was lost before it is still owed
            assert received <= self.delivery.answer_by
            assert received in self.came[letters]
            assert received == min([*owed, arrival]) or received in self.unseen[letters]
        elif receipt["reason"] == "deadline_passed" and self.session.is_open:
            assert not owed  # nothing changes a session that has ended: an earlier answer counts, or the file is void

    @rule(letters=LETTERS, key=KEYS)
    def send(self, letters: str, key: str | None) -> None:
        self.answer(letters, key)

    @rule(letters=LETTERS, key=KEYS, at=st.integers(0, 3), when=st.sampled_from(["before", "after"]))
    def send_and_die(self, letters: str, key: str | None, at: int, when: str) -> None:
        self.perils.at, self.perils.when, self.perils.what = at, when, die
        self.answer(letters, key)
        self.perils.at = -1

    @rule(letters=LETTERS, other=LETTERS, keys=st.tuples(KEYS, KEYS), at=st.integers(0, 3))
    def send_two_at_once(self, letters: str, other: str, keys: tuple[str | None, str | None], at: int) -> None:
        self.perils.at, self.perils.when = at, "before"
        self.perils.what = lambda: self.answer(other, keys[1])
        self.answer(letters, keys[0])
        self.perils.at = -1

    def abort(self) -> None:
        """End the session, which may have ended with its last answer."""
        with suppress(SessionClosedError):
            access.abort(self.platform, self.request())

    @rule(at=st.integers(0, 3), letters=LETTERS)
    def abort_with_an_answer_under_way(self, at: int, letters: str) -> None:
        self.perils.at, self.perils.when = at, "before"
        self.perils.what = self.abort
        self.answer(letters, None)
        self.perils.at = -1

    @rule()
    def garbage(self) -> None:
        with pytest.raises(InvalidAnswerError):
            submit_answer(self.platform, self.request(1), b"[]")

    @rule(seconds=st.sampled_from([0.001, 1, 20, 31, 59.999, 60, 61, 240]))
    def time_passes(self, seconds: float) -> None:
        self.platform.clock.advance(seconds)

    @rule()
    def minute(self) -> None:
        assert sweep(self.platform).failures == ()

    @invariant()
    def only_what_the_platform_owes_is_its_fault(self) -> None:
        known = following.known_of(self.platform, self.session)
        (file, *_) = following.files_of(self.platform, self.session, known, self.platform.clock.now())
        if file.state is not FileState.VOIDED:
            return
        ended = self.session.closed_at if self.session.state is State.ABORTED else None
        owed = [at for each in self.owed.values() for at in each if ended is None or at + IN_FLIGHT <= ended]
        assert (file.cause is Cause.PLATFORM) == bool(owed)

    @invariant()
    def what_counts_was_received_in_time(self) -> None:
        answer = self.delivery.answer
        assert answer is None or answer.received_at <= min(self.delivery.answer_by, answer.decided_at)


TestArrivals = Arrivals.TestCase
TestArrivals.settings = settings(max_examples=examples(30), stateful_step_count=25, deadline=None)
