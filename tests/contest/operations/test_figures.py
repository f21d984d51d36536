"""Figures that the platform counts, the log of changes over days, and the minute timer's work in a run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from contest.adapters.system import LoggedFigures
from contest.channel import connections, events
from contest.exchange import store
from contest.operations import minute_timer, overview
from contest.operations.minute_timer import TIMER, Step, in_turn
from contest.operations.overview import COLUMNS, LogOrder
from contest.operations.rules import DeadLetter
from contest.people.rules import Change, Role
from contest.people.teams import add_team
from contest.session import following
from contest.stored_names import MILLISECONDS, OF_TROUBLE, SECONDS, Figure, LetterQueue
from contest.values import DAY, MINUTE, SECOND, utc_day
from tests.calls import counted
from tests.fakes import FakePlatform
from tests.fakes_channel import ChannelPlatform
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import START, Answered, Context, Program, Stage, staged
from tests.stage_kept import Setting, without_technical_runs
from tests.toys import toy_cycle


def noted(capsys: pytest.CaptureFixture[str]) -> dict[str, list[float]]:
    """Return the values of figures since the last look, each line checked for its dimensions and units."""
    by_figure: dict[str, list[float]] = {}
    for line in capsys.readouterr().err.splitlines():
        if line.startswith('{"_aws"'):
            record = json.loads(line)
            (metrics,) = record["_aws"]["CloudWatchMetrics"]
            assert (metrics["Namespace"], sorted(metrics["Dimensions"][0])) == ("Hurdle", ["cycle", "service"])
            assert (record["cycle"], record["service"]) == ("toy-1", "hurdle")
            for metric in metrics["Metrics"]:
                assert metric["Unit"] == unit(Figure(metric["Name"]))
                by_figure.setdefault(metric["Name"], []).extend(record[metric["Name"]])
    return by_figure


def unit(figure: Figure) -> str:
    return "Seconds" if figure in SECONDS else "Milliseconds" if figure in MILLISECONDS else "Count"


def test_hours_without_trouble_write_no_figure_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """CloudWatch bills a figure by the hour in which it is written."""
    figures = LoggedFigures("toy-1")
    figures.note(dict.fromkeys(Figure, 0.0))
    (line,) = capsys.readouterr().out.splitlines()
    assert {figure for figure in Figure if figure.value in json.loads(line)} == {*Figure} - OF_TROUBLE
    figures.note({Figure.MASS_FAILURES: 0})
    assert capsys.readouterr().out == ""
    figures.note({Figure.MASS_FAILURES: 2})
    assert json.loads(capsys.readouterr().out)["MassFailures"] == [2]


@pytest.fixture
def joined(stage: Stage, red: Program) -> Program:
    stage.load(toy_cycle(final=3))
    stage.restart()
    run = stage.plan()
    assert red.join().status == 201
    stage.set_clock(run.starts_at)
    return red


@pytest.mark.clause("R-App2 §2 final")
def test_the_lateness_of_an_opening_counts_from_the_opening(
    stage: Stage, joined: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a request that waited, the time between the opening and the hand-out counts as the platform's."""
    opening = stage.now

    def slow(moment: int) -> int:
        stage.set_clock(max(stage.now, moment + (150 if moment >= opening else 0)))
        return stage.now

    stage.set_clock(opening - 1_500)
    monkeypatch.setattr(stage.platform.clock, "wait_until", slow)
    assert joined.get("files/1").status == 200
    assert noted(capsys) == {Figure.OPENING_LATENESS: [150]}


def test_the_lateness_of_a_hand_out_counts_from_the_request(
    stage: Stage, joined: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.advance(3)
    ask = stage.platform.deliveries.ask

    def slow(*arguments: Any) -> int:
        stage.advance(7)
        return ask(*arguments)

    monkeypatch.setattr(stage.platform.deliveries, "ask", slow)
    for _ in range(2):
        assert joined.get("files/1").status == 200
    assert noted(capsys) == {Figure.HAND_OUT_LATENESS: [7_000]}, "what is shown again is not late"


def test_answers_are_counted_by_their_fate(stage: Stage, joined: Program, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        joined.get(f"files/{number}")
        stage.advance(60)
    noted(capsys)
    assert joined.answer(1, {"letters": "abcd"}).json["receipt"]["status"] == "late"
    stage.set_clock(stage.now - 59_000)
    for _ in range(2):
        assert joined.answer(2, {"letters": "abcd"}).json["receipt"]["status"] == "accepted"
    assert joined.answer(2, {"figures": 1}).status == 422
    assert noted(capsys) == {
        Figure.ANSWERS_LATE: [1],
        Figure.ANSWERS_ACCEPTED: [1],
        Figure.ANSWERS_REFUSED: [1],
    }, "a repetition is no other answer"


@pytest.mark.clause("platform §4 scoring")
def test_the_oldest_answers_wait_is_told(stage: Stage, joined: Program, capsys: pytest.CaptureFixture[str]) -> None:
    stage.tick()
    joined.get("files/1")
    joined.answer(1, {"letters": "abcd"})
    for _ in range(3):
        stage.advance(MINUTE / 1000)
        stage.tick()
    assert noted(capsys)[Figure.UNSCORED_AGE] == [0, 60, 120, 180], "queued again, it has still waited"
    assert stage.work() == []
    stage.tick()
    assert noted(capsys)[Figure.UNSCORED_AGE] == [0]


def test_an_event_of_the_channel_that_fails_is_counted_and_its_client_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway hears 200, so that the connection stays: no count of the gateway's shows the fault."""
    platform = ChannelPlatform()
    monkeypatch.setattr(events, "platform", lambda: platform)
    failures = []

    def breaks(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(connections, "carry_out_event", breaks)
    monkeypatch.setattr(connections, "tell_failure", lambda *_: failures.append(True))
    request = {"routeKey": "$default", "connectionId": "c", "requestId": "r", "requestTimeEpoch": 1}
    event = {"requestContext": request, "body": '42/pku,["session-start",{}]'}
    assert events.serve(event, Context()) == {"statusCode": 200}
    assert (failures, platform.figures.noted) == ([True], {Figure.CHANNEL_FAULTS: [1]})


DAYS = [utc_day(START + number * DAY) for number in range(4)]


@pytest.fixture
def written(stage: Stage) -> Stage:
    """Teams entered on three days, by two people; the stage's own entries are the first day's."""
    for number, day in enumerate((0, 0, 1, 2, 2)):
        stage.set_clock(START + day * DAY + number)
        add_team(stage.platform, "command:anna" if number % 2 else "command:boris", f"team-{number}", f"Team {number}")
    return stage


def ask(stage: Stage, form: str, query: str, role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request("GET", f"/v1/audit.{form}?{query}", None, stage.person(role))


def lines(stage: Stage, query: str) -> list[dict[str, Any]]:
    answered = ask(stage, "jsonl", query)
    assert answered.status == 200, answered.text
    assert answered.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answered.text.splitlines()]


def teams(found: list[dict[str, Any]]) -> list[str]:
    return [each["subject"] for each in found if each["subject"].startswith("team-")]


@pytest.mark.clause("platform §1 audit")
def test_platform_1_the_log_is_told_of_days_by_who_what_and_whose_and_of_no_other_days(written: Stage) -> None:
    whole = lines(written, f"from={DAYS[0]}&to={DAYS[2]}")
    assert teams(whole) == ["team-0", "team-1", "team-2", "team-3", "team-4"]
    assert [each["at"] for each in whole] == sorted(each["at"] for each in whole)
    assert teams(lines(written, f"from={DAYS[1]}&to={DAYS[1]}")) == ["team-2"]
    assert teams(lines(written, f"from={DAYS[1]}&to={DAYS[2]}")) == ["team-2", "team-3", "team-4"]
    assert lines(written, f"from={DAYS[3]}&to={DAYS[3]}") == []
    days = f"from={DAYS[0]}&to={DAYS[2]}"
    assert teams(lines(written, f"{days}&who=command:anna")) == ["team-1", "team-3"]
    assert teams(lines(written, f"{days}&subject=team-4")) == ["team-4"]
    assert teams(lines(written, f"{days}&subject=team")) == []
    assert len(teams(lines(written, f"{days}&what=TEAM"))) == 5
    assert lines(written, f"{days}&what=no+such+thing") == []
    assert teams(lines(written, f"{days}&who=command:anna&subject=team-0")) == []
    for query, code in (
        (f"from={DAYS[1]}&to={DAYS[0]}", "log_range"),
        ("from=2024-01-01&to=2026-01-01", "log_range"),
        ("from=2026-02-30&to=2026-03-01", "invalid_request"),
        (f"from={DAYS[0]}", "invalid_request"),
        (f"from={DAYS[0]}&to={DAYS[0]}&after=x", "invalid_request"),
        (f"from={DAYS[0]}&to={DAYS[0]}&limit=1001", "invalid_request"),
    ):
        assert ask(written, "jsonl", query).code == code, query
    assert ask(written, "csv", "from=2024-01-01&to=2025-02-03").status == 200, "four hundred days"


def test_pages_follow_on_one_another_across_days_and_filters_and_cursors_are_of_one_entry_each(written: Stage) -> None:
    days = f"from={DAYS[0]}&to={DAYS[2]}&what=team"
    seen, after = list[str](), ""
    while page := lines(written, f"{days}&limit=2{after}"):
        assert len(page) <= 2
        seen += teams(page)
        assert len(seen) <= 5, "what was seen comes no second time"
        after = f"&after={page[-1]['cursor']}"
    assert seen == ["team-0", "team-1", "team-2", "team-3", "team-4"]
    result = lines(written, f"from={DAYS[0]}&to={DAYS[2]}")
    assert len({entry["cursor"] for entry in result}) == len(result)
    letter = DeadLetter("scoring-a", LetterQueue.SCORING, "{}", "", 1, 2, 3, 1, 5, ())
    same = [Change(written.now, "me", f"change {number}", "x", None, None) for number in range(5)]
    for number, change in enumerate(same):
        before = letter if number else None
        written.platform.dead_letters.put(before, letter, change)
    day = utc_day(written.now)
    whole = [each["what"] for each in lines(written, f"from={day}&to={day}&who=me")]
    assert sorted(whole) == [each.what for each in same], "entries of one moment, each once"


def test_csv_has_the_same_entries_with_what_was_and_is_as_json_and_no_cell_is_a_formula(written: Stage) -> None:
    days = f"from={DAYS[0]}&to={DAYS[2]}&who=command:anna"
    answered = ask(written, "csv", days)
    assert answered.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answered.text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    expected = lines(written, days)
    read = [{**row, "before": json.loads(row["before"]), "after": json.loads(row["after"])} for row in rows]
    assert read == expected
    found = [("c", Change(1, "=cmd()", "＠what", "+1", None, None))]
    (_, row) = csv.reader(io.StringIO(overview.as_csv(found), newline=""))
    assert row[2:5] == ["'=cmd()", "'＠what", "'+1"]


def test_a_day_that_no_page_needs_is_not_read() -> None:
    platform = FakePlatform()
    read: list[str] = []

    def between(first: str, last: str, after: str | None) -> Any:
        for number in range(3):
            read.append(f"{number}")
            yield f"{number:013d}-{number:016x}", Change(number, "me", "team added", "red", None, None)

    platform.audit_log.between = between  # type: ignore[method-assign]
    order = LogOrder("2026-01-01", "2026-01-03")
    assert len(overview.log_entries(platform, order, 1, None)) == 1
    assert read == ["0"]


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
    reported = slow(minute_timer, "make_report")
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
    really = minute_timer.make_report
    monkeypatch.setattr(
        minute_timer, "make_report", lambda platform, name: tried.append(name) or really(platform, name)
    )
    monkeypatch.setattr(minute_timer.commission, "follow_decisions", lambda *_: followed.append(1) or 0)
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
    names, really = sorted(program.session_id for program in programs), minute_timer.make_report

    def kills(platform: Any, name: str) -> int:
        if name == names[0]:
            raise KilledError
        return really(platform, name)

    monkeypatch.setattr(minute_timer, "make_report", kills)
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
