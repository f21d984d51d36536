"""A final under anything: requests, deaths and decisions in whatever order; numbers stay, pauses stay bounded.

What was asked for or answered in time is never held against the team; nothing opens early and nothing late counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from contest import reading
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.exchange.files import hand_out_file, next_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.platform import Memory
from contest.refusals import ContestError, RefusedError
from contest.run.planning import RunOrder, plan_run
from contest.run.rules import commitment, conducting, fate
from contest.run.rules.conducting import Wish
from contest.run.rules.run import AMENDMENT_NOTICE, BELIEVED, Kind, Run, RunFile
from contest.run.rules.schedule import Schedule
from contest.run.watching import decide
from contest.session import following
from contest.session.access import Request
from contest.session.opening import join_run
from contest.session.rules.delivery import Cause, FileState
from contest.values import HOUR, MINUTE, SECOND, Millis, from_iso
from tests.examples import examples
from tests.fakes import FakePlatform
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START
from tests.samples import admit_to_finals
from tests.toys import FolderInMemory, toy_cycle

pytestmark = pytest.mark.property

ME = Identity(Role.PROGRAM, "red", "k")
TEAMS_OWN = {Cause.TEAM_LATE, Cause.TEAM_INVALID, Cause.NETWORK}
NUMBERS = st.integers(1, 3)
WRITES = (("runs", "arm"), ("deliveries", "hand_out"), ("blobs", "put_if_absent"), ("deliveries", "send"))
DEATHS = st.sampled_from([*[None] * 3, *((*write, after) for write in WRITES for after in (False, True))])


class DeathError(BaseException):
    """The process is gone."""


class Final(RuleBasedStateMachine):
    """One team's program in a final of three files, one a minute; every process forgets when it dies."""

    @initialize()
    def start(self) -> None:
        self.platform = FakePlatform()
        files = toy_cycle(final=3, technical={"enabled": False})
        load_cycle(self.platform, "me", "toy-1", FolderInMemory(files), lambda _: None)
        order = RunOrder(Mode.FINAL, "final", self.platform.clock.now() + MINUTE, MINUTE)
        self.run_id = plan_run(self.platform, "me", order).run_id
        admit_to_finals(self.platform, ME.team_id)
        self.session_id = join_run(self.platform, Request(ME, self.now), Mode.FINAL, None, None).session_id
        self.asked: set[int] = set()
        self.answered: set[int] = set()
        self.accepted: list[Any] = []

    def request(self, number: int | None = None, key: str | None = None) -> Request:
        return Request(ME, self.now, self.session_id, number, key)

    @property
    def now(self) -> Millis:
        return self.platform.clock.now()

    @property
    def is_open(self) -> bool:
        return self.platform.store.sessions[self.session_id].is_open

    @contextmanager
    def process(self, death: tuple[str, str, bool] | None) -> Iterator[None]:
        """Run one process until it ends or dies."""
        undo: Callable[[], None] = lambda: None  # noqa: E731 -- there is nothing to undo without a death
        if death is not None:
            port, name, after = getattr(self.platform, death[0]), death[1], death[2]
            work = getattr(port, name)

            def deadly(*args: Any) -> None:
                if after:
                    work(*args)
                raise DeathError

            setattr(port, name, deadly)
            undo = lambda: delattr(port, name)  # noqa: E731 -- so short it is clearest here
        try:
            with suppress(DeathError, ContestError):
                yield
        finally:
            undo()
        if death is not None:
            self.platform.memory = Memory()

    @rule(number=NUMBERS, death=DEATHS)
    def ask(self, number: int, death: tuple[str, str, bool] | None) -> None:
        window = Schedule.of(self.platform.store.runs[self.run_id]).window(number)
        if self.is_open and window.opens_at <= self.now <= window.request_by:
            self.asked.add(number)
        with self.process(death):
            hand_out_file(self.platform, self.request(number))

    @rule(number=NUMBERS, letters=st.sampled_from("ab"), death=DEATHS)
    def answer(self, number: int, letters: str, death: tuple[str, str, bool] | None) -> None:
        delivery = self.platform.deliveries.get(self.session_id, number)
        body = json.dumps({"letters": letters}).encode()
        if self.is_open and delivery is not None and self.now <= delivery.answer_by:
            self.answered.add(number)
        with self.process(death):
            text = submit_answer(self.platform, self.request(number), body).receipt
            receipt = json.loads(text)["receipt"]
            self.accepted += [receipt] if receipt["status"] == "accepted" else []

    @rule(number=NUMBERS, seconds=st.sampled_from([1, 50, 70]))
    def lose_an_answer_and_send_it_again(self, number: int, seconds: float) -> None:
        self.wait_for_an_opening(number, 0)
        self.ask(number, None)
        self.answer(number, "c", ("deliveries", "send", False))
        self.wait(seconds)
        self.answer(number, "c", None)

    @rule(number=NUMBERS, seconds=st.sampled_from([1, 10, 30]))
    def lose_a_request_and_make_it_again(self, number: int, seconds: float) -> None:
        self.wait_for_an_opening(number, 0)
        self.ask(number, ("deliveries", "hand_out", False))
        self.wait(seconds)
        self.ask(number, None)

    @rule(number=NUMBERS)
    def answer_nonsense(self, number: int) -> None:
        with self.process(None):
            submit_answer(self.platform, self.request(number), b"[]")

    @rule()
    def ask_next(self) -> None:
        with self.process(None):
            next_file(self.platform, self.request())

    @rule()
    def tick(self) -> None:
        assert sweep(self.platform).failures == ()

    @rule(kind=st.sampled_from([Kind.PAUSE, Kind.RESUME]))
    def decide(self, kind: Kind) -> None:
        with suppress(RefusedError):
            decide(self.platform, "me", self.run_id, Wish(kind, "a reason"))

    @rule(number=NUMBERS, after=st.sampled_from([-2001, -2000, -1, 0, 1, 10_000, 10_001, 50_000, 60_000]))
    def ask_about_an_opening(self, number: int, after: Millis) -> None:
        self.wait_for_an_opening(number, after)
        self.ask(number, None)

    def wait_for_an_opening(self, number: int, after: Millis) -> None:
        moment = Schedule.of(self.platform.store.runs[self.run_id]).opens_at(number) + after
        self.platform.clock.moment = max(self.now, moment)

    @rule(seconds=st.sampled_from([0.001, 1, 5, 9.999, 10, 30, 49.999, 60]))
    def wait(self, seconds: float) -> None:
        self.platform.clock.advance(seconds)

    @invariant()
    def nothing_is_handed_out_before_its_opening(self) -> None:
        run = self.platform.store.runs[self.run_id]
        for each in self.platform.deliveries.of_session(self.session_id):
            assert each.handed_out_at >= Schedule.of(run).opens_at(each.number)

    @invariant()
    def what_was_in_time_is_never_held_against_the_team(self) -> None:
        session = reading.session(self.platform, self.session_id)
        assert session is not None
        run = reading.run_now(self.platform, self.run_id)
        views = following.files_of(
            self.platform, session, following.known_of(self.platform, session, Schedule.of(run)), self.now
        )
        for view in views:
            in_time = view.number in self.answered or (view.number in self.asked and view.delivery is None)
            assert not (in_time and view.cause in TEAMS_OWN), view
        counts = fate.count_states(views)
        assert counts.waiting + counts.open + counts.answered + counts.voided == 3

    @invariant()
    def every_accepted_answer_is_stored_was_in_time_and_counts(self) -> None:
        for receipt in self.accepted:
            delivery = self.platform.deliveries.get(self.session_id, receipt["number"])
            assert delivery is not None
            assert delivery.answer is not None
            assert from_iso(receipt["received_at"]) <= delivery.answer_by
            name = f"answers/{self.session_id}/{receipt['number']}/{receipt['content_sha256']}.json"
            assert name in self.platform.blobs.objects
            session = reading.session(self.platform, self.session_id)
            assert session is not None
            views = following.files_of(self.platform, session, following.known_of(self.platform, session), self.now)
            assert views[receipt["number"] - 1].state is FileState.ANSWERED


TestFinal = Final.TestCase
TestFinal.settings = settings(max_examples=examples(20), stateful_step_count=50, deadline=None)


BEGIN = replace(RUN, files=8)
FILE = RunFile("2" * 15, "item", "rus", "g", "c" * 64, "5" * 64, "m" * 64)
FILE_NUMBERS = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True).map(tuple)
WISHES = st.one_of(
    st.just(Wish(Kind.PAUSE, "x")),
    st.just(Wish(Kind.RESUME, "x")),
    st.just(Wish(Kind.STOP, "x")),
    st.builds(lambda numbers: Wish(Kind.VOID, "x", numbers), FILE_NUMBERS),
    st.builds(lambda numbers: Wish(Kind.REPLACE, "x", numbers), FILE_NUMBERS),
    st.builds(
        lambda number, cause: Wish(Kind.RULE, "x", (number,), "red", cause), st.integers(1, 8), st.sampled_from(Cause)
    ),
    st.builds(lambda number: Wish(Kind.UNDO, "x", amendment=number), st.integers(1, 8)),
)
STEPS = st.lists(
    st.tuples(st.one_of(st.integers(0, 10 * SECOND), st.integers(0, 5 * MINUTE), st.integers(0, 2 * HOUR)), WISHES),
    max_size=12,
)


def courses(steps: list[tuple[Millis, Wish]]) -> list[tuple[Run, Run, Millis]]:
    """Draw the run before and after every decision that the rules allow, with its moment."""
    run, now, found = BEGIN, START - 5 * MINUTE, []
    for wait, wish in steps:
        now += wait
        try:
            after = conducting.amended(run, conducting.amendment(run, wish, "w", now))
        except RefusedError:
            continue
        found.append((run, after, now))
        run = after
    return found


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) for number in range(1, Schedule.of(run).total_files + 1)]


@given(STEPS)
def test_no_decision_moves_what_has_opened_or_opens_before_everybody_can_know(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, now in courses(steps):
        for was, becomes in zip(openings(before), openings(after), strict=False):
            known_at = now + BELIEVED
            if was <= known_at or becomes <= known_at:
                assert was == becomes


@given(STEPS)
def test_files_open_in_order_and_at_least_an_interval_apart(steps: list[tuple[Millis, Wish]]) -> None:
    for _, after, _ in courses(steps):
        found = openings(after)
        assert all(later - earlier >= after.interval for earlier, later in pairwise(found))


@given(STEPS)
def test_decisions_only_append_and_never_change_an_earlier_leaf(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, _ in courses(steps):
        assert after.amendments[:-1] == before.amendments
        assert Schedule.of(after).total_files >= Schedule.of(before).total_files
        for number in range(1, Schedule.of(before).total_files + 1):
            rows = [commitment.row(number, Schedule.of(run).planned_at(number), FILE) for run in (before, after)]
            assert commitment.leaf(rows[0]) == commitment.leaf(rows[1])


@given(STEPS)
def test_every_decision_is_told_before_it_holds(steps: list[tuple[Millis, Wish]]) -> None:
    for _, after, now in courses(steps):
        made = after.amendments[-1]
        assert made.effective_at >= now + AMENDMENT_NOTICE


@given(STEPS)
def test_an_undoing_brings_back_what_was_void_before(steps: list[tuple[Millis, Wish]]) -> None:
    for before, after, now in courses(steps):
        made = after.amendments[-1]
        if made.kind not in {Kind.VOID, Kind.RULE}:
            continue
        undone = conducting.amended(
            after, conducting.amendment(after, Wish(Kind.UNDO, "x", amendment=made.number), "w", now)
        )
        assert Schedule.of(undone).voided_for_all == Schedule.of(before).voided_for_all
        assert Schedule.of(undone).rulings("red") == Schedule.of(before).rulings("red")
