"""Whatever a program does, in whatever order: nothing accepted is lost, nothing late counts, facts rebuild the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contest.cycle.loading import load_cycle
from contest.exchange.files import hand_out_file, next_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.refusals import ContestError
from contest.results import reporting
from contest.results.scoring import score_answer
from contest.run.rules import fate
from contest.session import access
from contest.session.access import Request
from contest.session.following import files_of, known_of
from contest.session.opening import open_wished
from contest.session.rules.session import OpeningWish, State
from contest.values import from_iso
from tests.examples import examples
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

pytestmark = [pytest.mark.property, pytest.mark.slow]

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
            counts = fate.count(files_of(self.platform, session, known_of(self.platform, session), self.now))
            assert counts.waiting + counts.open + counts.answered + counts.voided == session.files
            assert counts.late <= counts.voided
            assert session.counts is None or session.counts == counts
            assert all(each.sends <= 10 for each in deliveries)

    @invariant()
    def a_report_once_made_is_made_the_same_for_ever(self) -> None:
        for session in self.platform.store.sessions.values():
            facts = reporting.gather(self.platform, session) if not session.is_open else None
            if facts is None or isinstance(facts, reporting.Pending):
                assert session.session_id not in self.reports
                continue
            made = reporting.rebuilt(self.platform, facts, None)
            assert self.reports.setdefault(session.session_id, made) == made
            assert session.state is not State.OPEN


TestExchange = Exchange.TestCase
TestExchange.settings = settings(max_examples=examples(20), stateful_step_count=40, deadline=None)
