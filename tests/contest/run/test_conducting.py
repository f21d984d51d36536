"""Checks before a final, and decisions about a run: when they are allowed, and their effect on the openings."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import pytest

from contest.cycle.rules.cycle import FINAL, GREATEST_NUMBER, MOST_REPLACED, Capacity, EssaySet, SetKind
from contest.experts.rules.sharing_out import Expert
from contest.operations.commands import clock_of, commitment_of
from contest.people.rules import Role
from contest.refusals import RefusedError
from contest.run.rules import conducting
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Check, CheckGrade, Kind, Limits, Run
from contest.run.rules.schedule import RunState, Schedule
from contest.session.rules.delivery import Cause
from contest.stored_names import LetterQueue
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis, iso
from local.simulation import SESSIONS, climbed
from tests.contest.commands.stage_desk import run, sit_down
from tests.leftovers import english
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START
from tests.stage import Stage
from tests.toys import toy_cycle
from tracks import registry
from tracks.rules import LateJoin

NOW = 1_800_000_000_000


def grades(checked: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.name, check.grade.value) for check in checked]


def expert(name: str, *groups: str, language: str = "rus", active: bool = True) -> Expert:
    return Expert(name, name, frozenset({"lit"}), frozenset({language}), frozenset(groups), active)


@pytest.mark.clause("platform §7 check")
def test_a_timer_that_has_stopped_and_answers_that_wait_are_told_after_some_minutes() -> None:
    assert conducting.check_timer(NOW - 3 * MINUTE, NOW).grade is CheckGrade.OK
    assert conducting.check_timer(NOW - 3 * MINUTE - 1, NOW).grade is CheckGrade.FAILED
    assert conducting.check_timer(None, NOW).grade is CheckGrade.FAILED
    assert conducting.check_waiting(3, NOW - 2 * MINUTE, NOW).grade is CheckGrade.OK
    assert conducting.check_waiting(3, NOW - 2 * MINUTE - 1, NOW).grade is CheckGrade.WARNING
    assert conducting.check_waiting(0, None, NOW).grade is CheckGrade.OK


@pytest.mark.clause("platform §7 check")
def test_the_platforms_clocks_agree_within_two_seconds_and_this_machines_with_an_answer_between_its_moments() -> None:
    actual = [conducting.check_clock(NOW, NOW + off).grade.value for off in (0, 2000, -2000, 2001, -2001)]
    assert actual == ["ok", "ok", "ok", "failed", "failed"]
    moments = (NOW, NOW + 500, NOW + 1000, NOW - 7, NOW + 1003)
    off = [clock_of(NOW, NOW + SECOND, there).where["difference_ms"] for there in moments]
    assert off == [0, 0, 0, 7, 3]
    assert clock_of(NOW, NOW + SECOND, NOW - 2 * SECOND - 1).grade is CheckGrade.WARNING


@pytest.mark.clause("platform §7 check")
def test_capacity_is_held_against_the_teams_and_a_final_armed_for_as_many_as_aws_says() -> None:
    for teams, per_team, grade in ((500, 2, "ok"), (50, 21, "warning"), (501, 1, "failed")):
        assert grades(conducting.check_capacity(Capacity(1000), teams, per_team)) == [("requests", grade)]
        assert grades(conducting.check_capacity(None, teams, per_team)) == [("requests", "unknown")], (
            "not said and not good"
        )
    for asked_for, teams, grade in ((50, 50, "ok"), (50, 51, "failed"), (0, 5, "warning"), (None, 5, "unknown")):
        assert conducting.check_kept_executions(asked_for, NOW, teams).grade.value == grade


@pytest.mark.clause("R 6.4", "R 6.6", "platform §7 check")
def test_sets_are_held_against_the_contests_least_sizes() -> None:
    essay_sets = [
        EssaySet("a", SetKind.TEST, "0" * 64, {"rus": 200}),
        EssaySet("b", SetKind.TEST, "1" * 64, {"rus": 99}),
    ]
    least = {"test": 300, "training": 30}
    assert grades(conducting.check_sets(essay_sets, least)) == [("set_test", "failed"), ("set_training", "failed")]
    essay_sets.append(EssaySet("c", SetKind.TEST, "2" * 64, {"eng": 1}))
    assert grades(conducting.check_sets(essay_sets, least))[0] == ("set_test", "ok")
    assert list(conducting.check_sets(essay_sets, {})) == []
    for kind in SetKind:  # each has a name in Russian
        [check] = conducting.check_sets([], {kind.value: 30})
        assert english(check.message.ru) == []
        assert "0, нужно от 30" in check.message.ru


@pytest.mark.clause("D 9.3", "D 8.6")
def test_sets_of_the_diagnosis_contest_are_held_against_the_least_sizes_of_their_stages() -> None:
    least = registry.get("diagnosis").least_sets()
    few, enough = (EssaySet(str(size), SetKind.FINAL, "0" * 64, {"rus": size}) for size in (99, 100))
    assert grades(conducting.check_sets([few], least)) == [("set_final", "failed")]
    assert grades(conducting.check_sets([enough], least)) == [("set_final", "ok")]
    few, enough = (EssaySet("semi", SetKind.FINAL, "0" * 64, {"rus": size}) for size in (499, 500))
    last = EssaySet("last", SetKind.FINAL, "1" * 64, {"rus": 99})
    steps = {"semi": "v3", "last": "preliminary"}
    assert grades(conducting.check_sets([few], least, steps)) == [("set_final", "ok"), ("set_final_v3", "failed")]
    assert grades(conducting.check_sets([enough], least, steps)) == [("set_final", "ok"), ("set_final_v3", "ok")]
    assert grades(conducting.check_sets([enough, last], least, steps))[1:] == [
        ("set_final_preliminary", "failed"),
        ("set_final_v3", "ok"),
    ]


@pytest.mark.clause("R 7.10", "platform §5 assignment", "platform §7 check")
@pytest.mark.parametrize(
    ("pool", "grade"),
    [
        ([], "failed"),
        ([expert("a")], "failed"),
        ([expert("a", "x"), expert("b", "x"), expert("c", "x", "y")], "failed"),
        ([expert("a", "x"), expert("b", "x"), expert("c", "y")], "warning"),
        ([expert("a"), expert("b"), expert("c", active=False)], "warning"),
        ([expert("a"), expert("b"), expert("c", language="eng")], "warning"),
        ([expert("a", "x"), expert("b", "y"), expert("c", "x"), expert("d", "z")], "ok"),
    ],
)
def test_every_kind_of_essay_needs_experts_without_a_common_conflict_group(pool: list[Expert], grade: str) -> None:
    assert grades(conducting.check_experts(pool, [("rus", "lit")] * 3)) == [("experts", grade)]
    by_language = conducting.check_experts([expert("a"), expert("b"), expert("c")], [("rus", "lit"), ("eng", "lit")])
    assert grades(by_language) == [("experts", "failed"), ("experts", "ok")], "each is looked at by itself"


def test_teams_that_take_part_are_approved_and_have_a_token() -> None:
    red, blue = ("red", True, True), ("blue", True, False)
    for admitted, grade in (
        ([], "failed"),
        ([("red", False, True), blue], "failed"),
        ([red, blue], "warning"),
        ([red], "ok"),
    ):
        assert conducting.check_teams(admitted).grade.value == grade


@pytest.mark.clause("R 2.7", "R 6.5.2")
def test_how_far_a_days_sessions_climb_is_told_as_it_was_measured_with_what_bounds_it() -> None:
    check = conducting.check_hidden_files("test", 20)
    assert check.where == {"sessions_per_day": 20, "measured_sessions": 20, "from": 28.0, "to": 37.2}
    assert ("37.2" in check.message.en, "37,2" in check.message.ru) == (True, True)
    assert conducting.check_hidden_files("test", 19).where["measured_sessions"] == 10
    assert [conducting.check_hidden_files("test", number).grade.value for number in (1, 40, 41)] == [
        "ok",
        "ok",
        "warning",
    ]
    by_sessions = climbed(5)
    assert {number: by_sessions[number] for number in (1, 5)} == {
        number: conducting.CLIMBED[number] for number in (1, 5)
    }
    assert tuple(conducting.CLIMBED) == SESSIONS


@pytest.mark.long
@pytest.mark.clause("R 2.7", "R 6.5.2")
def test_the_whole_climb_is_the_one_that_was_measured() -> None:
    by_sessions = climbed(max(SESSIONS))
    assert {number: by_sessions[number] for number in SESSIONS} == dict(conducting.CLIMBED)


@pytest.mark.clause("TS T10")
def test_a_contest_of_totals_is_told_how_many_of_them_a_day_has() -> None:
    check = conducting.check_hidden_totals("test", 3, 2, 10)
    assert check.where == {"sessions_per_day": 3, "submissions_per_day": 2, "least_hidden_items": 10}


@pytest.fixture
def olga(stage: Stage) -> str:
    stage.load(toy_cycle(train=30, test=300, final=3))
    stage.tick()
    return stage.person(Role.ORGANIZER, "olga")


def looked(stage: Stage, olga: str, query: str = "") -> dict[str, str]:
    stage.advance(1)
    return {
        check["name"]: check["grade"]
        for check in stage.request("GET", f"/v1/check{query}", None, olga).body()["checks"]
    }


@pytest.mark.clause("platform §7 check")
def test_a_cycle_without_a_final_is_looked_over_as_far_as_it_goes(stage: Stage, olga: str) -> None:
    assert looked(stage, olga) == {
        "timer": "ok",
        "platform_clock": "ok",
        "set_test": "ok",
        "set_training": "ok",
        "scoring": "ok",
        "dead_letters": "ok",
        "final": "warning",
    }
    stage.die(LetterQueue.SCORING, '{"session_id": "1", "number": 1, "content_sha256": "0"}')
    assert looked(stage, olga)["dead_letters"] == "warning"
    stage.advance(4 * 60)
    assert looked(stage, olga)["timer"] == "failed"


@pytest.mark.clause("platform §7 check", "R 7.5")
def test_a_planned_final_is_looked_over_with_its_teams_terms_and_stage(stage: Stage, olga: str) -> None:
    planned = stage.plan(in_s=11 * DAY / SECOND, admitted=None)
    assert looked(stage, olga)["teams"] == "failed"
    stage.team("red")
    stage.advance(DAY / SECOND)
    stage.tick()
    by_check = looked(stage, olga)
    assert (by_check["teams"], by_check["notice"], by_check["final"], by_check["requests"]) == ("ok", "ok", "ok", "ok")
    near = stage.plan(in_s=5 * DAY / SECOND)
    assert stage.request("GET", "/v1/check", None, olga).json["run_id"] == near.run_id
    assert looked(stage, olga)["notice"] == "warning"
    assert looked(stage, olga, f"?run={planned.run_id}")["notice"] == "ok"
    assert stage.request("GET", f"/v1/check?run={'x' * 20}", None, olga).code == "unknown_run"
    files = toy_cycle(train=30, test=300, final=3)
    files["cycle.json"]["stages"] = {"final": {"first": "2026-10-02", "last": "2026-10-03"}}
    stage.load(files)  # it is planned already, and days that are loaded later do not undo it
    assert looked(stage, olga)["final"] == "warning"
    assert looked(stage, olga, f"?run={planned.run_id}")["final"] == "ok"


@pytest.mark.clause("platform §7 check")
def test_the_command_prints_a_table_and_ends_with_1(stage: Stage, olga: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.plan(in_s=11 * DAY / SECOND)
    sit_down(monkeypatch, stage, olga)
    bad = run("check")
    assert (bad.exit_code, "failed" in bad.stdout) == (1, True)
    stage.team("red")
    stage.tick()
    good = run("check")
    assert good.exit_code == 0, good.output
    assert "the minute timer last came" in good.stdout
    assert "the commitment is published" in good.stdout
    russian = run("--lang", "ru", "check")
    assert russian.exit_code == 0, russian.output
    assert "минутный таймер последний раз сработал" in russian.stdout
    assert "обязательство" in russian.stdout
    assert "начало прогона" in russian.stdout
    report = json.loads(run("check", "--json").stdout)
    assert {row["name"]: row["grade"] for row in report["checks"]}["commitment"] == "ok"
    assert report["deadline"]["event"] == "run_starts"
    stage.advance(3600)
    assert "timers are silent" in run("check").stdout


def test_a_commitment_that_somebody_else_signed_or_that_is_another_runs_fails(stage: Stage, olga: str) -> None:
    planned = stage.plan(in_s=DAY / SECOND)
    run_shown = stage.request("GET", f"/v1/runs/{planned.run_id}").json
    keys = stage.request("GET", "/v1/keys").json
    assert commitment_of(run_shown, keys).grade is CheckGrade.OK
    for change in (
        lambda signed: signed["statement"].update(starts_at=iso(planned.starts_at + 1)),
        lambda signed: signed.update(signature=base64.b64encode(b"x" * 64).decode()),
        lambda signed: signed["statement"].update(key_id="0" * 16),
    ):
        changed: dict[str, Any] = json.loads(json.dumps(run_shown))
        change(changed["commitment"])
        assert commitment_of(changed, keys).grade is CheckGrade.FAILED
    assert commitment_of({**run_shown, "run_id": "x" * 20}, keys).grade is CheckGrade.FAILED
    assert olga


NOTICE = 5 * SECOND


def decided(run: Run, now: Millis, *wishes: Wish) -> Run:
    for wish in wishes:
        run = conducting.amended(run, conducting.amendment(run, wish, "tests", now))
    return run


def refusal(run: Run, wish: Wish, now: Millis) -> str:
    with pytest.raises(RefusedError) as refused:
        conducting.amendment(run, wish, "tests", now)
    assert refused.value.message.en
    assert refused.value.message.ru
    return refused.value.code


def openings(run: Run) -> list[Millis]:
    return [Schedule.of(run).opens_at(number) - START for number in range(1, Schedule.of(run).total_files + 1)]


PAUSE = Wish(Kind.PAUSE, "a cable is cut")
RESUME = Wish(Kind.RESUME, "mended")
STOP = Wish(Kind.STOP, "a mass failure")


def void(*numbers: int) -> Wish:
    return Wish(Kind.VOID, "unreadable", numbers)


def replaced(*numbers: int) -> Wish:
    return Wish(Kind.REPLACE, "a mass failure", numbers)


def undo(number: int) -> Wish:
    return Wish(Kind.UNDO, "a mistake", amendment=number)


def test_a_pause_holds_after_its_notice_shifts_what_comes_later_and_may_precede_the_start() -> None:
    paused = decided(RUN, START + 30 * SECOND, PAUSE)
    assert Schedule.of(paused).state_at(START + 34 * SECOND) is RunState.RUNNING
    assert Schedule.of(paused).state_at(START + 35 * SECOND) is RunState.PAUSED
    resumed = decided(paused, START + 10 * MINUTE, RESUME)
    # paused from 0:35 to 10:30, which is 9:55
    assert openings(resumed) == [0, *(minute * MINUTE + 9 * MINUTE + 55 * SECOND for minute in (1, 2, 3))]
    resumed = decided(decided(RUN, START, PAUSE), START + MINUTE, RESUME)
    assert Schedule.of(resumed).pauses[0].until - (START + MINUTE) == 30 * SECOND
    run = decided(decided(RUN, START - HOUR, PAUSE), START - MINUTE, RESUME)
    assert openings(run)[0] == HOUR - MINUTE + 25 * SECOND


def test_a_run_is_not_paused_twice_at_once_nor_longer_than_two_hours_together() -> None:
    paused = decided(RUN, START, PAUSE)
    assert refusal(paused, PAUSE, START + SECOND) == "paused_already"
    resumed = decided(paused, START + MINUTE, RESUME)
    assert refusal(RUN, RESUME, START) == refusal(resumed, RESUME, START + 2 * MINUTE) == "not_paused"
    assert refusal(resumed, RESUME, START + MINUTE + SECOND) == "resumes_already"
    assert refusal(resumed, PAUSE, START + MINUTE + SECOND) == "paused_already"
    again = decided(resumed, START + 2 * MINUTE, PAUSE)
    assert len(Schedule.of(again).pauses) == 2
    slow = dataclasses.replace(RUN, interval=HOUR)
    once = decided(decided(slow, START, PAUSE), START + HOUR - 25 * SECOND, RESUME)
    assert Schedule.of(once).pauses[0].length == HOUR
    twice = decided(once, START + 2 * HOUR, PAUSE)
    assert Schedule.of(twice).pauses[1].length == HOUR
    assert Schedule.of(twice).state_at(START + 3 * HOUR + NOTICE) is RunState.RUNNING
    assert refusal(twice, PAUSE, START + 3 * HOUR + NOTICE) == "pauses_used_up"
    assert refusal(twice, RESUME, START + 3 * HOUR - 20 * SECOND) == "resumes_already"
    paused = decided(RUN, START, PAUSE)
    assert openings(decided(paused, START + 2 * SECOND, undo(1))) == openings(RUN)
    assert refusal(paused, undo(1), START + 3 * SECOND) == "in_effect_already"
    assert refusal(decided(RUN, START, STOP), undo(1), START + HOUR) == "in_effect_already"


def test_what_is_over_may_only_be_stopped_and_published_results_are_hidden_first() -> None:
    end = Schedule.of(RUN).ends_at + 1
    assert refusal(RUN, PAUSE, end) == "run_over"
    assert refusal(RUN, replaced(1), end) == "run_over"
    stopped = decided(RUN, START, STOP)
    after = START + NOTICE
    assert [refusal(stopped, order, after) for order in (PAUSE, replaced(1))] == ["run_over"] * 2
    assert [refusal(stopped, order, after) for order in (STOP, void(1))] == ["stopped_already"] * 2
    end = Schedule.of(RUN).ends_at + HOUR
    assert Schedule.of(decided(RUN, end, STOP)).state_at(end + NOTICE) is RunState.STOPPED
    assert refusal(dataclasses.replace(RUN, published_at=START), STOP, START) == "results_published"


def test_files_are_void_for_everybody_once_unless_that_is_undone() -> None:
    run = decided(RUN, START, void(2, 3))
    assert Schedule.of(run).voided_for_all == {2: 1, 3: 1}
    assert refusal(run, void(3, 4), START) == "void_already"
    assert refusal(run, replaced(3), START) == "void_already"
    assert [refusal(run, order, START) for order in (void(), void(0), void(5))] == ["unknown_file"] * 3
    run = decided(RUN, START, void(2), undo(1))
    assert Schedule.of(run).voided_for_all == {}
    assert [refusal(run, undo(number), START) for number in (1, 2, 9)] == ["nothing_to_undo"] * 3
    assert Schedule.of(decided(run, START, void(2))).voided_for_all == {2: 3}


def test_replacements_open_behind_the_last_file_and_keep_their_numbers_if_taken_back() -> None:
    run = decided(RUN, START + MINUTE, replaced(2, 1))
    assert openings(run) == [minute * MINUTE for minute in range(6)]
    assert Schedule.of(run).voided_for_all == {1: 1, 2: 1}
    assert refusal(run, Wish(Kind.VOID, "", (3,)), START) == "no_reason"
    run = decided(RUN, START + 3 * MINUTE + 50 * SECOND, replaced(4))
    assert openings(run)[4] == 5 * MINUTE
    run = decided(RUN, START, replaced(1), replaced(2), undo(1))
    assert openings(run) == [minute * MINUTE for minute in range(6)]
    # file 1 counts again, its replacement (5) is void by the undoing (3), file 2 stays replaced by file 6
    assert Schedule.of(run).voided_for_all == {5: 3, 2: 2}
    assert refusal(run, replaced(5), START) == "void_already"


@pytest.mark.clause("TS T8", "D 8.12")
def test_at_most_a_hundred_items_are_replaced_or_what_the_run_says() -> None:
    long = dataclasses.replace(RUN, files=200)
    run = decided(long, START, replaced(*range(1, 91)))
    assert refusal(run, replaced(*range(91, 102)), START) == "too_many_replaced"
    assert Schedule.of(decided(run, START, replaced(*range(91, 101)))).total_files == 300
    pairs = dataclasses.replace(RUN, files=8, publications=2, most_replaced=2)
    run = decided(pairs, START, replaced(1))
    assert refusal(run, replaced(3, 5), START) == "too_many_replaced"
    assert Schedule.of(decided(run, START, replaced(3))).total_files == 12
    assert refusal(dataclasses.replace(RUN, most_replaced=0), replaced(1), START) == "too_many_replaced"


@pytest.mark.clause("TS T8")
@pytest.mark.parametrize(("name", "in_a_row"), [("essay", 1), ("exam", 1), ("gec", 1), ("diagnosis", 2)])
def test_every_file_of_the_longest_run_with_all_that_may_replace_others_has_a_number(name: str, in_a_row: int) -> None:
    items = max(mode.most for mode in registry.get(name).modes() if not mode.draws_groups)
    assert (items + MOST_REPLACED) * in_a_row <= GREATEST_NUMBER


def test_a_ruling_names_a_file_and_another_cause() -> None:
    rule = Wish(Kind.RULE, "their line was cut", (2,), "red", Cause.PLATFORM)
    run = decided(RUN, START, rule)
    assert Schedule.of(run).rulings("red") == {2: (Cause.PLATFORM, 1)}
    assert Schedule.of(run).rulings("blue") == {}
    assert refusal(run, rule, START) == "ruled_already"
    assert refusal(run, Wish(Kind.RULE, "x", (2,), "red"), START) == "no_cause"
    assert refusal(run, Wish(Kind.RULE, "x", (2, 3), "red", Cause.NETWORK), START) == "no_cause"
    assert refusal(run, Wish(Kind.RULE, "x", (9,), "red", Cause.NETWORK), START) == "unknown_file"


@pytest.mark.clause("TS D-3", "D 13.2")
def test_an_admission_is_taken_back_before_it_holds_and_of_a_run_that_takes_everybody_in_needless() -> None:
    late = dataclasses.replace(RUN, late_join=LateJoin.BY_DECISION)
    run = decided(late, START + MINUTE, Wish(Kind.ADMIT, "the power failed", team_id="red"))
    join = START + 3 * MINUTE
    assert Schedule.of(run).may_join("red", join)
    assert not Schedule.of(run).may_join("blue", join)
    assert not Schedule.of(run).may_join("red", Schedule.of(run).ends_at + 1)
    taken_back = decided(run, START + MINUTE + SECOND, undo(1))
    assert not Schedule.of(taken_back).may_join("red", join)
    assert refusal(run, undo(1), START + MINUTE + NOTICE) == "in_effect_already"
    assert refusal(late, Wish(Kind.ADMIT, "x", team_id="red"), Schedule.of(late).ends_at + 1) == "run_over"
    rules = dataclasses.replace(FINAL, late_join=LateJoin.UNTIL_END)
    run = dataclasses.replace(RUN, limits=Limits.of(rules), late_join=LateJoin.UNTIL_END)
    assert Schedule.of(run).join_until == Schedule.of(run).ends_at
    assert Limits.of(FINAL).join == 2 * MINUTE
