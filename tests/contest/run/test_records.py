"""The record of a run, made once; the participants' check agrees with it; its work grows linearly."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any, Final
from unittest.mock import patch

import pytest

from contest import charts, reading
from contest.errors import RunNotOverError, UnknownRunError
from contest.operations.minute_timer import sweep
from contest.platform import signing_keys
from contest.ports import LostRaceError
from contest.results.wire import keys_body
from contest.run import planning, recording, under_way, watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.session.rules.delivery import Cause
from contest.session.rules.session import IN_FLIGHT
from contest.values import MINUTE, SECOND, canonical, iso, sha256_hex
from pku.proof import LocalData, RunVerdict, read_keys, verify
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned
from tests.contest.run.test_schedule import amended
from tests.samples import RUN, RUN_STARTS


def published(played: Played) -> Any:
    return json.loads(recording.published_record(played.platform, played.run_id, played.platform.clock.now()))


def played_to_the_end() -> Played:
    played = planned(files=5)
    played.open(1)
    played.open(2, red=ABSENT, blue=SLOW)
    wish = Wish(Kind.REPLACE, "a mass failure", (2,))
    watching.decide(played.platform, "anna", played.run_id, wish)
    for number in range(3, 7):
        played.open(number)
    played.finish()
    return played


def test_nothing_secret_is_told_before_the_record_is_made() -> None:
    played = planned().play()
    with pytest.raises(RunNotOverError):
        recording.published_record(played.platform, played.run_id, played.platform.clock.now())
    with pytest.raises(UnknownRunError):
        recording.published_record(played.platform, "nowhere", played.platform.clock.now())
    assert not recording.close_if_over(played.platform, played.run_id)
    played.at(under_way.over_at(played.schedule))
    # the time is over but a session is still open
    assert not recording.close_if_over(played.platform, played.run_id)
    assert played.run.closed_at is None


def test_the_record_says_what_happened_to_every_file_of_every_team() -> None:
    played = played_to_the_end()
    record = published(played)["record"]
    assert [each["team_id"] for each in record["sessions"]] == ["blue", "grey", "red"]
    red = record["sessions"][2]
    assert (red["state"], len(red["files"])) == ("finished", 6)
    start = played.run.starts_at
    assert red["files"][0] == {
        "number": 1,
        "asked_at": iso(start),
        "handed_out_at": iso(start),
        "answer_by": iso(start + 50 * SECOND),
        "answered_at": iso(start + 10 * SECOND),
        "headers_at": iso(start + 10 * SECOND),
        "body_at": iso(start + 10 * SECOND),
        "decided_at": iso(start + 10 * SECOND),
        "state": "answered",
        "cause": None,
        "evidence": {},
    }
    assert {each["files"][1]["cause"] for each in record["sessions"]} == {"organizer_decision"}
    assert [each["opens_at"] for each in record["releases"]] == [
        iso(played.schedule.opens_at(number)) for number in range(1, 7)
    ]


def test_the_record_is_made_once_also_of_a_run_that_nobody_joined() -> None:
    played = played_to_the_end()
    first = recording.published_record(played.platform, played.run_id, played.platform.clock.now())
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.VOID, "unreadable", (1,)))
    assert recording.close_if_over(played.platform, played.run_id)
    played.platform.memory = type(played.platform.memory)()
    assert recording.published_record(played.platform, played.run_id, played.platform.clock.now()) == first
    assert played.run_id not in played.platform.runs.active_ids()
    played = planned(files=1)
    played.platform.store.sessions.clear()
    played.sessions.clear()
    played.at(under_way.over_at(played.schedule))
    with patch.object(played.platform.runs, "close", side_effect=LostRaceError):
        assert not recording.close_if_over(played.platform, played.run_id)
    assert recording.close_if_over(played.platform, played.run_id)
    assert published(played)["record"]["sessions"] == []


def test_the_record_of_a_run_stopped_while_teams_may_join_reveals_all_rows_what_opened_and_a_roster() -> None:
    played = planned(files=5)
    played.open(1)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "called off"))
    assert under_way.roster_due(played.schedule) == under_way.over_at(played.schedule)
    played.finish()
    record = published(played)["record"]
    assert record["roster"]["statement"]["sessions"] == 3
    assert [len(plan["rows"]) for plan in record["plans"]] == [5]
    assert [each["number"] for each in record["releases"]] == [1]
    assert {each["state"] for each in record["sessions"]} == {"stopped"}
    causes = [each["cause"] for each in record["sessions"][0]["files"]]
    assert causes == [None, *["organizer_decision"] * 4]


def test_chart_and_table_are_made_of_the_record() -> None:
    played = played_to_the_end()
    record = published(played)["record"]
    place = recording.public_path(played.platform, played.run_id, recording.TIMELINE, played.platform.clock.now())
    chart = played.platform.blobs.get(place.removeprefix("/"))
    assert chart == charts.chart_of_record(record)
    assert chart.count(b'class="work"') >= 3 * 5
    lines = list(csv.DictReader(io.StringIO(recording.record_table(record))))
    assert len(lines) == 3 * 6
    plan = reading.run_plan(played.platform, played.schedule)
    assert (lines[0]["team_id"], lines[0]["file_id"]) == ("blue", plan[0].file_id)
    assert lines[1]["cause"] == "organizer_decision"


@pytest.mark.clause("platform §3 commitment")
def test_the_roster_is_sealed_once_joining_is_over_and_never_changes() -> None:
    played = planned(files=4)
    platform, due = played.platform, under_way.roster_due(played.schedule)
    assert due == played.run.starts_at + played.run.limits.join + IN_FLIGHT
    played.open(1)
    played.open(2)
    assert played.platform.clock.now() < due
    assert under_way.make_roster(platform, played.schedule, platform.clock.now()) == 0
    assert under_way.roster_of(platform, played.schedule) is None
    played.open(3)
    assert sweep(platform).failures == ()
    sealed = under_way.roster_of(platform, played.schedule)
    assert sealed is not None
    pairs = [[team_id, played.sessions[team_id]] for team_id in ("blue", "grey", "red")]
    said = sealed["statement"]
    assert (said["sessions"], said["sessions_sha256"]) == (3, sha256_hex(canonical(pairs)))
    assert said["previous"] == commitment.statement_digest(planning.commitment_of(platform, played.run_id)["statement"])
    played.open(4)
    played.finish()
    assert published(played)["record"]["roster"] == sealed


PAUSE, RESUME = Wish(Kind.PAUSE, "a cable is cut"), Wish(Kind.RESUME, "mended")


def decide(played: Played, *wishes: Wish) -> None:
    for wish in wishes:
        watching.decide(played.platform, "anna", played.run_id, wish)


def nothing(played: Played) -> None:
    played.play()


def paused_twice(played: Played) -> None:
    for number in (1, 2):
        played.open(number)
        decide(played, PAUSE)
        played.platform.clock.advance(200)
        decide(played, RESUME)
        played.platform.clock.advance(35)
    for number in (3, 4):
        played.open(number)


def replaced_and_taken_back(played: Played) -> None:
    played.open(1, red=ABSENT)
    decide(played, Wish(Kind.REPLACE, "unreadable", (1,)), Wish(Kind.REPLACE, "unreadable", (2,)))
    decide(played, Wish(Kind.UNDO, "readable after all", amendment=1))
    for number in range(3, 7):
        played.at(played.schedule.opens_at(number) + 30 * SECOND)


def stopped(played: Played) -> None:
    played.open(1)
    decide(played, Wish(Kind.STOP, "called off"))


def ruled_and_taken_back(played: Played) -> None:
    """Rule on missed files, on one of them twice, on one that is then void for everybody; take one ruling back."""

    def rule(number: int, team_id: str, cause: Cause) -> None:
        decide(played, Wish(Kind.RULE, "the logs show it", (number,), team_id, cause))

    played.open(1, red=ABSENT)
    rule(1, "red", Cause.NETWORK)
    rule(1, "red", Cause.PLATFORM)
    played.open(2, blue=SLOW, red=SILENT)
    rule(2, "blue", Cause.ORGANIZER_DECISION)
    decide(played, Wish(Kind.UNDO, "it was theirs", amendment=1), Wish(Kind.VOID, "unreadable", (2,)))
    rule(2, "red", Cause.NETWORK)
    decide(played, Wish(Kind.UNDO, "it was readable", amendment=5))
    for number in (3, 4):
        played.open(number, grey=WRONG)
    rule(4, "grey", Cause.TEAM_LATE)


@pytest.mark.parametrize("course", [nothing, paused_twice, replaced_and_taken_back, stopped, ruled_and_taken_back])
def test_a_good_run_has_no_fault(course: Callable[[Played], None]) -> None:
    played = planned(files=4)
    course(played)
    played.finish()
    verdict = checked(played)
    assert verdict.faults == ()
    assert verdict.sessions == 3
    assert verdict.signatures == 2 + len(played.run.amendments)


def checked(played: Played) -> RunVerdict:
    """Return the verdict of the participants' program, which kept the commitment from before the run."""
    promised = planning.commitment_of(played.platform, played.run_id)
    public = {"commitment": promised, "amendments": planning.public_amendments(played.run)}
    public["rulings"] = commitment.published_rulings(played.run)
    public["roster"] = under_way.roster_of(played.platform, played.schedule)
    now = played.platform.clock.now()
    answer: Any = json.loads(recording.published_record(played.platform, played.run_id, now))
    keys = keys_body(signing_keys(played.platform)).model_dump(mode="json")
    return verify(public, answer, read_keys(keys), LocalData(commitment=promised))


def test_a_ruling_from_after_the_record_is_no_fault_and_is_told() -> None:
    played = planned(files=4).play({2: {"red": ABSENT}}).finish()
    decide(played, Wish(Kind.RULE, "the logs show it", (2,), "red", Cause.PLATFORM))
    verdict = checked(played)
    assert verdict.faults == ()
    assert [link["details"] for link in verdict.later] == [{"team_id": "red", "number": 2, "cause": "platform"}]


class DiedError(Exception):
    """End of the process."""


RULING = Wish(Kind.RULE, "the logs show it", (1,), "red", Cause.PLATFORM)


@pytest.mark.clause("platform §3 rulings")
@pytest.mark.parametrize("is_written", [False, True])
def test_a_ruling_has_its_seal_wherever_a_process_dies(is_written: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one write; nothing is between the ruling and its seal that would have to heal."""
    played = planned(files=4)
    played.open(1, red=ABSENT)
    change = played.platform.runs.change

    def dies(*args: Any) -> None:
        if is_written:
            change(*args)
        raise DiedError

    monkeypatch.setattr(played.platform.runs, "change", dies)
    with pytest.raises(DiedError):
        decide(played, RULING)
    monkeypatch.undo()
    sealed = [link["amendment"]["amendment"] for link in planning.public_amendments(played.run)]
    assert (sealed, len(played.run.amendments)) == (["sealed"] * is_written, int(is_written))
    if not is_written:
        decide(played, RULING)
    for number in range(2, 5):
        played.open(number)
    played.finish()
    verdict = checked(played)
    assert (verdict.faults, verdict.rulings) == ((), 1)


@pytest.mark.clause("platform §3 rulings")
@pytest.mark.parametrize(("port", "write"), [("blobs", "publish"), ("runs", "close")])
def test_a_ruling_after_the_record_is_opened_beside_it(port: str, write: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process closing the run dies when the record is stored; the ruling comes; another process closes the run."""
    played = planned(files=4).play({1: {"red": ABSENT}})

    def dies(*_: Any) -> None:
        raise DiedError

    monkeypatch.setattr(getattr(played.platform, port), write, dies)
    with pytest.raises(DiedError):
        played.finish()
    monkeypatch.undo()
    assert commitment.published_rulings(played.run) == []
    decide(played, RULING)
    played.finish()
    verdict = checked(played)
    assert (verdict.faults, [link["number"] for link in verdict.later]) == ((), [1])


FEW: Final = 40
TOO_MUCH: Final = 2.5
"""Lines for twice the files, as a multiple: two where work is linear, four where it is quadratic."""


TOGETHER: Final = ((Kind.PAUSE, 0), (Kind.RESUME, 1_000))


def lines_of(deed: Callable[[], object]) -> int:
    """Count the lines of ``contest`` that a deed executes, each turn of a loop separately."""
    counted = 0

    def line(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return line

    def call(frame: FrameType, _event: str, _arg: Any) -> Any:
        return line if "contest" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        deed()
    finally:
        sys.settrace(before)
    return counted


def grows(deed: Callable[[int], Callable[[], object]]) -> float:
    """Return the factor by which the executed lines grow when the files double."""
    return lines_of(deed(2 * FEW)) / lines_of(deed(FEW))


def test_reading_and_arming_every_file_of_a_run_is_linear_in_its_files() -> None:
    def deed(files: int) -> Callable[[], object]:
        run = planned(files)
        session = run.session("red")
        return lambda: [reading.planned_file(run.platform, session, number) for number in range(1, files + 1)]

    assert grows(deed) < TOO_MUCH

    def deed(files: int) -> Callable[[], object]:
        run = planned(files)
        run.at(run.schedule.ends_at)
        return lambda: under_way.arm_coming(run.platform, run.schedule, run.platform.clock.now())

    assert grows(deed) < TOO_MUCH


@pytest.mark.parametrize("decisions", [0, 8])
def test_folding_a_schedule_is_linear_in_the_files(decisions: int) -> None:
    paused = amended(
        *((kind, RUN_STARTS + turn * MINUTE + at, {}) for turn in range(decisions) for kind, at in TOGETHER)
    )

    def deed(files: int) -> Callable[[], object]:
        run = replace(paused, files=files)
        return lambda: Schedule.of(run)

    assert grows(deed) < TOO_MUCH


def test_a_schedule_that_is_folded_reads_no_decision_again() -> None:
    read: list[str] = []

    class Details(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            read.append(name)
            return super().__getitem__(name)

    run = amended(
        (Kind.VOID, RUN_STARTS, Details(numbers=[1])), (Kind.REPLACE, RUN_STARTS, Details(numbers=[2], slot=9))
    )
    schedule = Schedule.of(run)
    assert read
    read.clear()
    for number in range(1, schedule.total_files + 1):
        schedule.window(number)
        schedule.is_open(number, RUN_STARTS)
    assert (schedule.windows[3].opens_at, dict(schedule.voided_for_all)) == (
        RUN_STARTS + 9 * RUN.interval,
        {1: 1, 2: 2},
    )
    assert read == []
