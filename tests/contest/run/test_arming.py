"""Functions are kept running around finals, by what AWS has scheduled and without a deployment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from contest.cycle.rules.cycle import Capacity, Mode
from contest.platform import Platform
from contest.routes import kept_for
from contest.run import under_way
from contest.run.rules.run import KEPT_LEAD, KEPT_TAIL, Action, Amendment, KeptWindow, Kind, kept_at, kept_teams_at
from contest.run.rules.schedule import Schedule
from contest.values import DAY, HOUR, MINUTE, Millis
from tests import samples
from tests.fakes import FakePlatform

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
