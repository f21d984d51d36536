"""The minute timer in a run: its calls to the cloud, its order of work, and the work left for its next visit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from contest.exchange import store
from contest.operations import minute_timer
from contest.operations.minute_timer import TIMER, Step, in_turn
from contest.session import following
from contest.values import SECOND
from tests.calls import counted
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Program, Stage, staged
from tests.stage_kept import Setting, without_technical_runs

BATCHES = ("FILE", "SEEN", "STATE")
"""Items read of each open session in batches: this minute's file, its team's latest request, itself."""


def calls_of_visits(folder: Path, teams: int, files: int, *, misses: bool = False) -> list[int]:
    """Play so many files of a run; return how often the timer asks after each. ``misses``: whether each team but the
    first misses a file.
    """
    call_counts = []
    with staged(folder) as stage:
        played = RunOnStage(stage, files + 4, *(f"team{number}" for number in range(teams)))
        for number in range(1, files + 1):
            played.open(number, **({f"team{number}": ABSENT} if misses else {}))
            stage.score_all()
            played.at(played.schedule.opens_at(number) + 59 * SECOND)
            with counted() as calls:
                assert stage.tick()["overdue"] == 0
            call_counts.append(calls.count)
            print(teams, number, calls)
    return call_counts


def test_a_visit_asks_no_more_often_when_more_files_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_AT_ONCE", 5)
    call_counts = calls_of_visits(tmp_path, 5, 4, misses=True)
    assert call_counts[1] == call_counts[3] <= 45


def test_a_visit_asks_once_more_for_every_batch_of_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_AT_ONCE", 2)
    two, four, eight = (calls_of_visits(tmp_path / str(teams), teams, 1)[0] for teams in (2, 4, 8))
    assert (four - two, eight - four) == (len(BATCHES), 2 * len(BATCHES))


def step(name: str, *names: str) -> Step:
    return Step(name, names, len)


@pytest.mark.parametrize(
    ("left_at", "order"),
    [
        ("", "a1 a2 b1 b2 b3"),
        ("a/2", "a2 b1 b2 b3 a1"),
        ("b/2", "b2 b3 a1 a2 b1"),
        ("b/25", "b3 a1 a2 b1 b2"),  # what was left is done by now
        ("b/4", "a1 a2 b1 b2 b3"),
        ("of an earlier version/1", "a1 a2 b1 b2 b3"),
    ],
)
def test_what_was_left_comes_first_and_all_the_rest_after_it(left_at: str, order: str) -> None:
    steps = in_turn([step("a", "2", "1"), step("b", "1", "3", "2")], left_at)
    assert " ".join(f"{one_step.name}{name}" for one_step, name in steps) == order


STAGE = Setting(play=without_technical_runs)


@pytest.fixture
def programs(stage: Stage) -> list[Program]:
    """Return three programs whose sessions' time is over."""
    programs_open = [Program(stage, stage.team(team_id)) for team_id in ("red", "blue", "grey")]
    for program in programs_open:
        program.open(files=1)
    stage.advance(930)
    return programs_open


@pytest.fixture
def slow(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], list[str]]:
    """Let a function take 25 seconds a call; what it was called about is listed."""

    def slowed(module: Any, function: str) -> list[str]:
        really, called = getattr(module, function), list[str]()

        def takes_long(platform: Any, about: Any, *more: Any) -> Any:
            called.append(getattr(about, "session_id", about))
            done = really(platform, about, *more)
            stage.advance(25)
            return done

        monkeypatch.setattr(module, function, takes_long)
        return called

    return slowed


def test_what_is_left_comes_next(stage: Stage, programs: list[Program], slow: Callable[[Any, str], list[str]]) -> None:
    reported = slow(minute_timer, "report")
    names = sorted(program.session_id for program in programs)
    first = stage.tick()
    assert (first["closed"], first["reported"], reported) == (3, 2, names[:2])
    assert first["left"] == 1 + len(("third experts", "mails of the log", "annulments", "boards"))
    assert stage.platform.upkeep.left(TIMER) == f"reports/{names[2]}"
    second = stage.tick()
    assert (second["reported"], second["left"], stage.platform.upkeep.left(TIMER)) == (1, 0, "")
    assert reported == names


def test_hopeless_reports_hold_up_none(stage: Stage, programs: list[Program], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minute_timer.reporting, "finished_report", lambda *_: minute_timer.reporting.Pending(0, 1))
    monkeypatch.setattr(minute_timer, "BUDGET", 0)  # one piece a visit
    tried, followed = [], []
    really = minute_timer.report
    monkeypatch.setattr(minute_timer, "report", lambda platform, name: tried.append(name) or really(platform, name))
    monkeypatch.setattr(minute_timer.commission, "follow", lambda *_: followed.append(1) or 0)
    for program in programs:
        program.get()
    for _ in range(len(programs) * 2 + 3):
        assert stage.tick()["left"] > 0
        stage.advance(1)
    assert sorted(tried) == sorted(program.session_id for program in programs)
    assert followed == [1]


class KilledError(BaseException):
    """End of the process."""


def test_a_killed_visit_holds_up_none(stage: Stage, programs: list[Program], monkeypatch: pytest.MonkeyPatch) -> None:
    names, really = sorted(program.session_id for program in programs), minute_timer.report

    def kills(platform: Any, name: str) -> int:
        if name == names[0]:
            raise KilledError
        return really(platform, name)

    monkeypatch.setattr(minute_timer, "report", kills)
    for _ in range(len(programs) + 2):
        with suppress(KilledError):
            stage.tick()
        stage.advance(60)
    assert stage.platform.sessions.unreported_ids() == names[:1]


def test_ended_sessions_are_first(stage: Stage, programs: list[Program], slow: Callable[[Any, str], list[str]]) -> None:
    ended = slow(following, "by_time")
    first = stage.tick()
    assert (first["closed"], len(ended), first["reported"]) == (2, 2, 0)
    assert first["left"] > 1
    second = stage.tick()
    assert (second["closed"], second["reported"], second["left"]) == (1, 3, 0)
