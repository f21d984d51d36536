"""Planning a run: calendar, draw, commitment, protocols, short terms; functions kept running around finals."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from contest import reading
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Capacity, Mode, RunRules, TechnicalTimes
from contest.platform import Platform
from contest.refusals import RefusedError
from contest.routes import kept_for
from contest.run import planning, under_way, watching
from contest.run.planning import RunOrder
from contest.run.rules import commitment, run
from contest.run.rules.conducting import Wish
from contest.run.rules.run import (
    KEPT_LEAD,
    KEPT_TAIL,
    MOST,
    Action,
    Amendment,
    KeptWindow,
    Kind,
    Matter,
    Protocol,
    ProtocolStanding,
    Run,
    SaidLimits,
    kept_at,
    kept_teams_at,
    latest_protocol,
    missing_sides,
    protocol_finding,
)
from contest.run.rules.schedule import Schedule
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis, canonical, from_iso, iso
from tests import samples
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle
from tracks.rules import Signatory


@pytest.fixture
def platform() -> FakePlatform:
    fake = FakePlatform()
    load_cycle(fake, "tests", "toy-1", FolderInMemory(toy_cycle(final=6, reserve=4)), lambda _: None)
    return fake


def order(platform: FakePlatform, **changes: Any) -> RunOrder:
    start = platform.clock.now() + 10 * MINUTE
    return replace(RunOrder(Mode.FINAL, "final", start, 60 * SECOND), **changes)


def codes(platform: FakePlatform, run: Run) -> list[str]:
    return [notice.code for notice in planning.notices(platform, run)]


def refusal(platform: FakePlatform, **changes: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        planning.plan_run(platform, "tests", order(platform, **changes))
    assert refused.value.message.en
    assert refused.value.message.ru
    return refused.value.code


@pytest.mark.clause("platform §7 runs")
def test_a_planned_run_has_every_file_of_its_set_once_under_new_names(platform: FakePlatform) -> None:
    run = planning.plan_run(platform, "tests", order(platform))
    files = reading.run_files(platform, run.run_id)
    assert run.files == len(files) == 6
    assert {file.item_id for file in files} == {f"final-{n:03d}" for n in range(6)}
    assert len({file.file_id for file in files}) == len({file.salt for file in files}) == 6


@pytest.mark.clause("platform §3 commitment", "platform §7 runs")
def test_the_commitment_is_signed_and_its_root_is_that_of_the_plan(platform: FakePlatform) -> None:
    run = planning.plan_run(platform, "tests", order(platform, trial=True))
    document = planning.commitment_of(platform, run.run_id)
    key = platform.signer.public_key.content
    signature = base64.b64decode(document["signature"])
    Ed25519PublicKey.from_public_bytes(key).verify(signature, canonical(document["statement"]))
    files = reading.run_files(platform, run.run_id)
    rows = [commitment.row(n, Schedule.of(run).planned_at(n), file) for n, file in enumerate(files, 1)]
    assert document["statement"]["root"] == commitment.root_of(rows)
    assert document["statement"]["starts_at"] == iso(run.starts_at)
    assert document["statement"]["trial"] is True


def test_the_commitment_tells_nothing_of_the_files_whose_hashes_are_those_of_what_is_handed_out(
    platform: FakePlatform,
) -> None:
    run = planning.plan_run(platform, "tests", order(platform))
    text = json.dumps(planning.commitment_of(platform, run.run_id))
    for file in reading.run_files(platform, run.run_id):
        for secret in (file.file_id, file.item_id, file.content_sha256, file.salt):
            assert secret not in text
        question = f"question {int(file.item_id[-3:])} of final?"  # what the toy track shows of an item
        assert file.content_sha256 == commitment.statement_digest({"id": file.file_id, "question": question})


def test_two_runs_of_a_set_draw_differently_though_their_names_are_public(platform: FakePlatform) -> None:
    named = order(platform, run_id="a" * 20)
    one = [file.item_id for file in reading.run_files(platform, planning.plan_run(platform, "x", named).run_id)]
    other = FakePlatform()
    other.randomness.salt()
    load_cycle(other, "tests", "toy-1", FolderInMemory(toy_cycle(final=6, reserve=4)), lambda _: None)
    assert [file.item_id for file in reading.run_files(other, planning.plan_run(other, "x", named).run_id)] != one


def test_planning_the_same_name_twice_plans_one_run(platform: FakePlatform) -> None:
    first = planning.plan_run(platform, "tests", order(platform, run_id="a" * 20))
    again = planning.plan_run(platform, "tests", order(platform, run_id="a" * 20, interval=SECOND))
    assert again == first
    assert [change.what for change in platform.audit_log.changes].count("run planned") == 1


@pytest.mark.parametrize("lost", ["plan", "commitment"])
def test_planning_that_crashed_half_way_is_completed_as_it_was_begun(platform: FakePlatform, lost: str) -> None:
    first = planning.plan_run(platform, "tests", order(platform, run_id="a" * 20))
    if lost == "plan":
        platform.blobs.delete(planning.commitment_name("a" * 20))
    platform.store.runs.clear()
    platform.announcements.clear()  # a final and its announcement are one write
    platform.memory = type(platform.memory)()
    platform.clock.advance(30)
    again = planning.plan_run(platform, "tests", order(platform, run_id="a" * 20, interval=SECOND))
    files = reading.run_files(platform, again.run_id)
    rows = [commitment.row(n, Schedule.of(again).planned_at(n), file) for n, file in enumerate(files, 1)]
    assert planning.commitment_of(platform, again.run_id)["statement"]["root"] == commitment.root_of(rows)
    assert again == first if lost == "commitment" else again.interval == SECOND


def test_a_trial_may_draw_from_any_set_and_what_the_rules_do_not_allow_is_refused(platform: FakePlatform) -> None:
    assert refusal(platform, set_name="final", mode=Mode.TECHNICAL) == "wrong_set"
    assert refusal(platform, mode=Mode.ALGORITHMIC) == "wrong_set"
    assert refusal(platform, interval=0) == "not_positive"
    assert refusal(platform, limits=SaidLimits(answer=0)) == "not_positive"
    assert refusal(platform, files=0) == "not_enough_files"
    assert not platform.store.runs
    run = planning.plan_run(platform, "tests", order(platform, set_name="train", trial=True, files=2))
    assert (run.trial, run.files) == (True, 2)
    planning.plan_run(platform, "tests", order(platform, set_name="reserve", trial=True, files=3))
    assert planning.count_available(platform, reading.cycle_now(platform), "reserve") == 1, "a trial uses them up"
    small = order(platform, mode=Mode.TECHNICAL, set_name="train")
    run = planning.plan_run(platform, "tests", small)
    assert [codes(platform, replace(run, files=files)) for files in (29, 30)] == [["few_files"], []]


@pytest.mark.clause("R 4.7", "R 7.5", "R 9.2", "D 14.1", "platform §2 notices")
def test_short_notice_of_a_final_is_warned_about_and_not_refused(platform: FakePlatform) -> None:
    assert codes(platform, planning.plan_run(platform, "tests", order(platform))) == [
        "short_notice",
        "sets_too_new",
        "admission",
    ]
    start = platform.clock.now() + 10 * DAY
    late = planning.plan_run(platform, "tests", order(platform, starts_at=start, set_name="reserve", files=2))
    assert codes(platform, late) == ["admission"]
    short = next(iter(planning.notices(platform, replace(late, starts_at=start - DAY // 2))))
    assert (short.code, short.where["days"]) == ("short_notice", 9.5)
    assert codes(platform, replace(late, starts_at=start - 1, trial=True)) == []


def test_files_that_another_run_drew_and_finals_at_the_same_time_are_warned_about(platform: FakePlatform) -> None:
    start = platform.clock.now() + 11 * DAY
    first = planning.plan_run(platform, "tests", order(platform, starts_at=start, files=4))
    assert codes(platform, first) == ["admission"]
    second = planning.plan_run(platform, "tests", order(platform, starts_at=start + MINUTE))
    assert codes(platform, second) == ["admission", "files_seen", "overlap"]
    (_, notice, _) = planning.notices(platform, second)
    assert notice.where == {"files": 4}
    third = planning.plan_run(platform, "tests", order(platform, starts_at=start, set_name="reserve"))
    assert codes(platform, third) == ["admission", "overlap", "overlap"]
    watching.decide(platform, "tests", second.run_id, Wish(Kind.STOP, "called off"))
    assert codes(platform, third) == ["admission", "overlap"]
    assert codes(platform, replace(third, starts_at=start - DAY)) == ["admission"]


TIMES = TechnicalTimes()
SLOT = from_iso("2026-11-21T08:00:00.000Z")
RULES = RunRules(files=(30, 60), interval_s=(20, 60))


def test_a_slot_of_four_hours_has_one_run_with_a_name_of_its_own_ten_minutes_after_its_beginning() -> None:
    for moment, slot in ((SLOT - 1, SLOT - 4 * HOUR), (SLOT, SLOT), (SLOT + 4 * HOUR - 1, SLOT)):
        assert run.slot_of(TIMES, moment) == slot
    start = SLOT + 600 * SECOND
    assert run.next_start(TIMES, start - 1) == start
    assert run.next_start(TIMES, start) == start + 4 * HOUR
    names = [run.run_name(cycle, SLOT + n * 4 * HOUR) for cycle in ("demo", "real") for n in range(20)]
    assert len(set(names)) == 40
    assert all(re.fullmatch(r"[a-z2-7]{20}", each) for each in names)
    assert run.run_name("demo", SLOT) == names[0]


@given(st.text(max_size=40), st.integers(1, 100))
def test_size_and_interval_are_within_the_bounds_and_the_set(salt: str, available: int) -> None:
    drawn = run.draw_size("demo", SLOT, RULES, available, salt)
    assert drawn.files == available if available < 30 else 30 <= drawn.files <= min(60, available)
    assert 20 * SECOND <= drawn.interval <= 60 * SECOND
    assert drawn.interval % SECOND == 0


def test_bounds_are_drawn_too_and_equal_bounds_leave_no_choice() -> None:
    drawn = [run.draw_size("demo", SLOT, RULES, 100, str(n)) for n in range(2000)]
    # each of 31 sizes is missing from 2000 draws with a chance of 31 · (30/31)^2000 < 10^-26
    assert {each.files for each in drawn} == set(range(30, 61))
    assert {each.interval // SECOND for each in drawn} == set(range(20, 61))
    only = RunRules(files=(31, 31), interval_s=(7, 7))
    assert run.draw_size("demo", SLOT, only, 100, "x")[1:] == (31, 7 * SECOND)


JUDGES, COMMISSION = Signatory


def protocol(number: int, by: Signatory, edition: str = "0", matter: Matter = Matter.RESULTS, **said: bool) -> Protocol:
    return Protocol(number, matter, by, said.get("positive", True), "looked at", "person:olga", number, edition)


def test_the_last_word_of_a_side_counts_and_only_about_these_results() -> None:
    actual = [protocol(1, JUDGES), protocol(2, JUDGES, positive=False), protocol(3, COMMISSION, "1")]
    assert latest_protocol(actual, Matter.RESULTS, JUDGES) == actual[1]
    assert latest_protocol(actual, Matter.MASS_FAILURE, JUDGES) is None
    assert protocol_finding([], Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NONE
    assert protocol_finding(actual, Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NEGATIVE
    assert protocol_finding(actual, Matter.RESULTS, JUDGES, "1") is ProtocolStanding.OUTDATED
    assert protocol_finding(actual, Matter.RESULTS, COMMISSION, "1") is ProtocolStanding.POSITIVE
    actual = [protocol(1, JUDGES, "", Matter.MASS_FAILURE)]
    assert protocol_finding(actual, Matter.MASS_FAILURE, JUDGES) is ProtocolStanding.POSITIVE
    assert protocol_finding(actual, Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NONE


@pytest.mark.parametrize(
    ("wanted", "lacking"), [((), ()), ((COMMISSION,), ()), ((JUDGES,), (JUDGES,)), ((JUDGES, COMMISSION), (JUDGES,))]
)
def test_a_side_without_a_positive_protocol_is_missing(
    wanted: tuple[Signatory, ...], lacking: tuple[Signatory, ...]
) -> None:
    actual = [protocol(1, COMMISSION), protocol(2, JUDGES, positive=False)]
    assert missing_sides(actual, wanted, "0") == lacking


def test_protocols_of_the_greatest_length_stay_within_what_a_stored_item_may_have() -> None:
    assert MOST * 4000 * 2 < 200_000, "bytes, two a Cyrillic letter: half of what DynamoDB stores as one item"


START = 1_800_000_000_000 // MINUTE * MINUTE
FINAL = replace(samples.RUN, mode=Mode.FINAL, trial=False, starts_at=START + 2 * HOUR, admitted=("blue", "red"))


class Cloud:
    """Apply actions due as Application Auto Scaling does."""

    def __init__(self) -> None:
        self.actions: dict[tuple[str, str], Action] = {}
        self.now: dict[str, int] = {}
        self.asked = 0

    def kept(self) -> Mapping[str, int]:
        self.asked += 1
        return self.now

    def planned(self) -> Sequence[Action]:
        return list(self.actions.values())

    def put(self, action: Action) -> None:
        self.actions[action.function, action.name] = action

    def remove(self, action: Action) -> None:
        self.actions.pop((action.function, action.name), None)

    def runs_until(self, moment: Millis) -> None:
        for action in sorted(self.actions.values()):
            if action.at <= moment:
                self.now[action.function] = action.executions

    def dispatch(self) -> list[tuple[Millis, int]]:
        return [
            (action.at, action.executions) for action in sorted(self.actions.values()) if action.function == "Dispatch"
        ]


class Timer:
    """Step of the minute timer; each visit is in a new process or in the same one."""

    def __init__(self) -> None:
        self.platform = FakePlatform()
        self.cloud = self.platform.arming = Cloud()
        self.platform.capacity = Capacity(1_000)

    def visit(self, now: Millis, *runs: object, fresh: bool = True) -> int:
        if fresh:
            self.platform.memory = type(self.platform.memory)()
        self.platform.clock.moment = now
        self.cloud.runs_until(now)
        platform: Platform = self.platform  # type: ignore[assignment]
        return under_way.keep_executions(platform, [Schedule.of(run) for run in runs], now)  # type: ignore[arg-type]


@pytest.fixture
def timer() -> Timer:
    return Timer()


def test_dispatch_has_an_execution_for_each_team() -> None:
    actual = {"Authorize": 10, "Dispatch": 50, "Submit": 25, "Socket": 25, "Push": 10, "LegacyClients": 25}
    assert kept_for(50) == actual
    assert kept_for(200)["Dispatch"] == 200
    assert (min(kept_for(1).values()), max(kept_for(0).values())) == (1, 0)


def test_a_final_is_armed_once_and_what_is_taken_away_put_again_until_it_is_called_off(timer: Timer) -> None:
    schedule = Schedule.of(FINAL)
    assert timer.visit(START, FINAL) == 12
    until = -(-(schedule.ends_at + KEPT_TAIL) // MINUTE) * MINUTE
    assert timer.cloud.dispatch() == [(FINAL.starts_at - KEPT_LEAD, 2), (until, 0)]
    assert timer.visit(START + MINUTE, FINAL) == 0
    timer.cloud.actions.clear()
    assert timer.visit(START + MINUTE, FINAL) == 12
    assert timer.visit(START + MINUTE) == 12
    assert timer.cloud.actions == {}
    questions = timer.cloud.asked
    timer.visit(START + 2 * MINUTE)
    timer.visit(START + 3 * MINUTE)
    assert timer.cloud.asked <= questions + 1  # nothing is asked of AWS any more


def test_a_final_that_is_paused_is_followed_and_its_executions_stay(timer: Timer) -> None:
    timer.visit(START, FINAL)
    during = FINAL.starts_at + MINUTE
    assert timer.visit(FINAL.starts_at, FINAL) == 6  # what has happened is taken away
    pause = Amendment(1, Kind.PAUSE, during, during, "me", "a reason", {})
    paused = replace(
        FINAL,
        amendments=(pause, replace(pause, number=2, kind=Kind.RESUME, at=during + HOUR, effective_at=during + HOUR)),
        version=2,
    )
    timer.visit(during, paused)
    assert timer.cloud.now["Dispatch"] == 2
    ((at, executions),) = timer.cloud.dispatch()
    assert executions == 0
    assert at >= Schedule.of(paused).ends_at + KEPT_TAIL


def test_a_final_that_has_begun_and_is_over_early_leaves_nothing_running(timer: Timer) -> None:
    timer.visit(START, FINAL)
    timer.visit(FINAL.starts_at, FINAL)
    assert timer.cloud.now["Dispatch"] == 2
    now = FINAL.starts_at + MINUTE
    timer.visit(now)
    assert timer.cloud.dispatch() == [(now + 2 * MINUTE, 0)]
    timer.visit(now + MINUTE)
    timer.visit(now + 2 * MINUTE)
    assert timer.cloud.now["Dispatch"] == 0


def test_a_final_that_is_announced_minutes_before_its_start_is_armed_at_once(timer: Timer) -> None:
    now = FINAL.starts_at - MINUTE
    timer.visit(now, FINAL)
    assert timer.cloud.dispatch()[0] == (now + 2 * MINUTE, 2)
    assert timer.visit(now + MINUTE, FINAL) == 0
    timer.visit(now + 2 * MINUTE, FINAL)
    assert timer.cloud.now["Dispatch"] == 2


def test_other_runs_and_deployments_without_capacity_keep_nothing_running(timer: Timer) -> None:
    others = [
        replace(FINAL, trial=True),
        replace(FINAL, mode=Mode.TECHNICAL),
        replace(FINAL, starts_at=START + 15 * DAY),
        replace(FINAL, closed_at=START),
    ]
    assert timer.visit(START, *others) == 0
    timer.platform.capacity = None
    assert timer.visit(START, FINAL) == 0
    assert timer.cloud.asked == 0


def test_the_files_window_and_a_finals_overlap_without_a_gap(timer: Timer) -> None:
    since, until = FINAL.starts_at - HOUR, FINAL.starts_at + MINUTE
    timer.platform.capacity = Capacity(1_000, [(since, until, 10)])
    timer.visit(START, FINAL)
    steps = dict(timer.cloud.dispatch())
    assert steps[since] == steps[FINAL.starts_at - KEPT_LEAD] == 10
    assert steps[until] == 2
    assert steps[max(steps)] == 0


def test_one_process_asks_again_when_a_run_has_changed_or_after_ten_minutes(timer: Timer) -> None:
    timer.visit(START, FINAL)
    questions = timer.cloud.asked
    timer.visit(START + MINUTE, FINAL, fresh=False)
    assert timer.cloud.asked == questions
    timer.visit(START + 2 * MINUTE, replace(FINAL, version=9), fresh=False)
    assert timer.cloud.asked == questions + 1
    timer.visit(START + 12 * MINUTE, replace(FINAL, version=9), fresh=False)
    assert timer.cloud.asked == questions + 2


def test_what_is_kept_at_a_moment_is_what_the_last_action_or_window_before_it_says() -> None:
    planned = [Action(5 * MINUTE, "Dispatch", 2), Action(9 * MINUTE, "Dispatch", 0), Action(MINUTE, "Push", 7)]
    executions = [kept_at("Dispatch", {"Dispatch": 1}, planned, at * MINUTE) for at in (4, 5, 9)]
    assert executions == [1, 2, 0]
    window = KeptWindow(10, 20, 3)
    assert [kept_teams_at([window], at) for at in (9, 10, 19, 20)] == [0, 3, 3, 0]
