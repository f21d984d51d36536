"""Whatever a program does and whatever dies: nothing accepted is lost, nothing late counts, facts rebuild the same.

A process dies before or after any of its writes, or another request comes between two of them. Of an answer that died
before its first write nobody can know; of any other the arrival is noted, and it counts when the answer comes again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contest.cycle.loading import load_cycle
from contest.errors import InvalidAnswerError, KeyReusedError, SessionClosedError
from contest.exchange.files import hand_out_file, next_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.refusals import ContestError
from contest.results import reporting
from contest.results.scoring import score_answer
from contest.run.rules import fate
from contest.session import access, following
from contest.session.access import Request
from contest.session.following import files_of, known_of
from contest.session.opening import open_wished
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import IN_FLIGHT, OpeningWish, State
from contest.values import from_iso
from tests.examples import examples
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

pytestmark = pytest.mark.property

ME = Identity(Role.PROGRAM, "red", "k")
NUMBERS = st.integers(0, 4)


@contextmanager
def may_be_refused(*codes: str) -> Iterator[None]:
    """Let the code inside be refused with these codes; any other refusal is a fault."""
    try:
        yield
    except ContestError as error:
        if error.code not in codes:
            raise


class Exchange(RuleBasedStateMachine):
    """One team's program, a timer and a scoring queue that does what it likes when it likes."""

    @initialize()
    def start(self) -> None:
        self.platform = FakePlatform()
        self.platform.clock.moment = 1_790_000_000_000
        load_cycle(self.platform, "me", "toy-1", FolderInMemory(toy_cycle(train=3)), lambda _: None)
        self.session_id = ""
        self.accepted: dict[tuple[str, int, int], Any] = {}
        self.reports: dict[str, bytes] = {}

    def request(self, number: int | None = None, key: str | None = None) -> Request:
        return Request(ME, self.now, self.session_id, number, key)

    @property
    def now(self) -> int:
        return self.platform.clock.now()

    @rule()
    def open(self) -> None:
        wish = OpeningWish("algorithmic", set_name="train", files=3, time_limit_s=10)
        with may_be_refused("session_already_open"):
            self.session_id = open_wished(self.platform, Request(ME, self.now), wish).session_id

    @precondition(lambda self: self.session_id)
    @rule(number=NUMBERS)
    def hand_out(self, number: int) -> None:
        with may_be_refused("unknown_file", "session_closed"):
            found = hand_out_file(self.platform, self.request(number))
            assert found.delivery.answer_by == found.delivery.handed_out_at + 10_000

    @precondition(lambda self: self.session_id)
    @rule(number=NUMBERS, letters=st.sampled_from("abc"), key=st.sampled_from([None, None, "k1", "k2"]))
    def answer(self, number: int, letters: str, key: str | None) -> None:
        body = json.dumps({"letters": letters}).encode()
        with may_be_refused("unknown_file", "file_not_handed_out", "idempotency_key_reused"):
            text = submit_answer(self.platform, self.request(number, key), body).receipt
            again = submit_answer(self.platform, self.request(number, key), body).receipt
            receipt = json.loads(text)["receipt"]
            assert again == text
            if receipt["status"] == "accepted":
                self.accepted[self.session_id, number, receipt["send"]] = receipt

    @precondition(lambda self: self.session_id)
    @rule(number=NUMBERS)
    def answer_nonsense(self, number: int) -> None:
        sends = self.sends(number)
        with may_be_refused("unknown_file", "file_not_handed_out", "invalid_answer"):
            submit_answer(self.platform, self.request(number), b"[]")
        assert self.sends(number) == sends

    def sends(self, number: int) -> int:
        delivery = self.platform.deliveries.get(self.session_id, number)
        return delivery.sends if delivery else 0

    @precondition(lambda self: self.session_id)
    @rule()
    def ask_next(self) -> None:
        with may_be_refused("session_closed"):
            next_file(self.platform, self.request())

    @precondition(lambda self: self.session_id)
    @rule()
    def abort(self) -> None:
        with may_be_refused("session_closed"):
            access.abort(self.platform, self.request())

    @rule(seconds=st.sampled_from([0.001, 1, 9, 10, 31, 60, 899, 900]))
    def wait(self, seconds: float) -> None:
        self.platform.clock.advance(seconds)

    @rule()
    def tick(self) -> None:
        assert sweep(self.platform).failures == ()

    @rule(data=st.data())
    def work(self, data: st.DataObject) -> None:
        jobs = sorted(self.platform.store.outbox, key=lambda job: (job.session_id, job.number, job.content_sha256))
        for job in data.draw(st.lists(st.sampled_from(jobs), max_size=4)) if jobs else []:
            score_answer(self.platform, job)

    @invariant()
    def at_most_one_session_is_open(self) -> None:
        assert len(self.platform.sessions.open_ids()) <= 1

    @invariant()
    def every_accepted_answer_is_stored_and_was_in_time(self) -> None:
        for (session_id, number, send), receipt in self.accepted.items():
            stored = self.platform.deliveries.receipt(session_id, number, send)
            delivery = self.platform.deliveries.get(session_id, number)
            assert stored is not None
            assert delivery is not None
            assert json.loads(stored.body)["receipt"] == receipt
            assert from_iso(receipt["received_at"]) <= delivery.answer_by
            assert f"answers/{session_id}/{number}/{receipt['content_sha256']}.json" in self.platform.blobs.objects
            assert delivery.answer is not None
            assert delivery.answer.send >= send

    @invariant()
    def counts_add_up(self) -> None:
        for session in self.platform.store.sessions.values():
            deliveries = self.platform.deliveries.of_session(session.session_id)
            counts = fate.count_states(files_of(self.platform, session, known_of(self.platform, session), self.now))
            assert counts.waiting + counts.open + counts.answered + counts.voided == session.files
            assert counts.late <= counts.voided
            assert session.counts is None or session.counts == counts
            assert all(each.sends <= 10 for each in deliveries)

    @invariant()
    def a_report_once_made_is_made_the_same_for_ever(self) -> None:
        for session in self.platform.store.sessions.values():
            facts = reporting.gather_facts(self.platform, session) if not session.is_open else None
            if facts is None or isinstance(facts, reporting.Pending):
                assert session.session_id not in self.reports
                continue
            report = reporting.rebuild_report(self.platform, facts, None)
            assert self.reports.setdefault(session.session_id, report) == report
            assert session.state is not State.OPEN


TestExchange = pytest.mark.slow(Exchange.TestCase)
TestExchange.settings = settings(max_examples=examples(20), stateful_step_count=40, deadline=None)


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
