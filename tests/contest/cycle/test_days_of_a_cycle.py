"""Stages and working days of a cycle's file, and the warnings that follow from them where something is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from contest import reading
from contest.cycle import file
from contest.cycle import parameters as terms_of
from contest.cycle.loading import CycleFaultsError
from contest.cycle.rules import stages
from contest.cycle.rules.stages import Calendar, Outside
from contest.people.rules import Pool, Role
from contest.refusals import Fault
from contest.results import boards
from contest.run import planning
from contest.run.rules.run import Run
from contest.submissions import worker
from contest.values import DAY, from_iso, iso
from tests.stage import START, Answered, Program, Stage
from tests.toys import ToyTrack, toy_cycle
from tracks import registry
from tracks.protocol import Policies, Reason
from tracks.rules import NoticePeriod

STAGES = {
    "selection": {"first": "2026-09-01", "last": "2026-09-20"},
    "qualification": {"first": "2026-09-21", "last": "2026-10-20"},
    "final": {"first": "2026-10-21", "last": "2026-10-25"},
}


WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class Clinical(ToyTrack):
    """A contest with the notice periods of the diagnoses'."""

    name = "clinical"

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        return registry.get("diagnosis").notice_periods()


def cycle_with(final: int = 3, train: int = 4, track: str = "toy", **fields: Any) -> dict[str, Any]:
    files = toy_cycle(final=final, train=train, test=300)
    files["cycle.json"] |= {"track": track, **fields}
    return files


def faults_of(**fields: Any) -> list[tuple[str, str]]:
    raw = {**toy_cycle()["cycle.json"], **fields}
    _, faults = file.read(raw, Policies())
    for each in faults:
        assert each.message.en != each.message.ru
    return [(each.code, each.where["field"]) for each in faults]


def codes(found: Iterable[Reason | Fault]) -> list[str]:
    return [each.code for each in found]


def noticed(stage: Stage, run: Run) -> list[Reason]:
    """Return a run's notices but for that of its admissions, which every final has."""
    return [notice for notice in planning.notices(stage.platform, run) if notice.code != "admission"]


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"stages": {"final": {"first": "2027-02-29", "last": "2027-03-01"}}}, "no_such_day", "stages.final.first"),
        ({"stages": {"final": {"first": "1.3.2027", "last": "2027-03-01"}}}, "no_such_day", "stages.final.first"),
        ({"stages": {"final": {"first": "2027-03-01"}}}, "no_such_day", "stages.final.last"),
        ({"stages": {"final": {"first": "2027-03-01", "last": "9999-12-31"}}}, "no_such_day", "stages.final.last"),
        ({"stages": {"semifinal": {}}}, "unknown_field", "stages.semifinal"),
        ({"stages": []}, "not_an_object", "stages"),
        ({"working_days": {"holidays": ["2027-01-01"] * 2}}, "no_such_day", "working_days.holidays"),
        ({"working_days": {"holidays": ["2027-13-01"]}}, "no_such_day", "working_days.holidays"),
        ({"working_days": {"weekend": ["Sunday"]}}, "bad_weekend", "working_days.weekend"),
        ({"working_days": {"weekend": ["sunday", "sunday"]}}, "bad_weekend", "working_days.weekend"),
        ({"working_days": {"weekend": WEEK}}, "bad_weekend", "working_days.weekend"),
    ],
)
def test_days_that_there_are_not_are_named(fields: dict[str, Any], code: str, field: str) -> None:
    assert faults_of(**fields) == [(code, field)]


@pytest.mark.clause("platform §2 stages")
def test_days_that_contradict_each_other_are_refused_with_everything_else_at_once(stage: Stage) -> None:
    files = cycle_with(
        stages=STAGES | {"final": {"first": "2026-10-20", "last": "2026-10-19"}},
        working_days={"holidays": ["2026-11-04"], "working_weekends": ["2026-11-04", "2026-11-05"]},
        parameters={"experts": {"limits_s": {"words": 60}}, "hardness": 1},
    )
    with pytest.raises(CycleFaultsError) as caught:
        stage.load(files)
    assert sorted(codes(caught.value.faults)) == [
        "free_and_working",
        "not_on_a_weekend",
        "stage_ends_before_it_begins",
        "stages_overlap",
        "unknown_group",
        "unknown_parameter",
    ]


@pytest.mark.clause("D 8.19", "D 6.2.1", "R 2.28", "platform §2 stages", "R 4.1")
def test_everybody_reads_the_stages_and_the_knowledge_base_until_others_are_loaded(stage: Stage) -> None:
    first = {"title": {"en": "Guidelines", "ru": "Рекомендации"}, "url": "https://guides.example", "about": None}
    other = first | {"url": "https://other.example", "about": {"en": "On lungs", "ru": "О лёгких"}}
    actual = {"knowledge_base": [first, other], "about": other["about"], "prize": first["title"]}
    stage.load(cycle_with(stages=STAGES, **actual))
    cycle = stage.request("GET", "/v1/cycle").json
    assert [each["name"] for each in cycle["stages"]] == ["selection", "qualification", "final"]
    assert cycle["stages"][2] == {
        "name": "final",
        "first": "2026-10-21",
        "last": "2026-10-25",
        "starts_at": "2026-10-20T21:00:00.000Z",
        "ends_at": "2026-10-25T21:00:00.000Z",
        "outside": "refuse",
        "message": "No final can be planned for another day.",
        "message_ru": "На другой день финал назначить нельзя.",
    }
    assert {name: cycle[name] for name in actual} == actual
    stage.restart()
    stage.load(cycle_with())
    stage.advance(61)
    cycle = stage.request("GET", "/v1/cycle").json
    assert [cycle[name] for name in actual] == [[], None, None]


@pytest.mark.clause("R 4.7", "R 9.2", "platform §2 notices", "TS T17")
def test_a_new_set_or_module_is_warned_of_where_it_is_loaded_and_where_a_final_is_planned(stage: Stage) -> None:
    stage.load(cycle_with())
    run = stage.plan(in_s=11 * DAY / 1000)
    stage.advance(2 * DAY / 1000)
    assert codes(stage.load(cycle_with()).warnings) == ["small_technical_run"]
    loaded = stage.load(cycle_with(train=5, known_clients=["a" * 64]))
    assert codes(loaded.warnings) == ["small_technical_run", "sets_too_new", "modules_too_new"]
    assert loaded.warnings[1].where["event_at"] == iso(run.starts_at)
    assert codes(stage.load(cycle_with(train=5, known_clients=["a" * 64], final=4)).warnings) == ["small_technical_run"]


@pytest.mark.clause("R 4.7", "R 9.2")
def test_planning_warns_of_sets_that_are_newer_and_not_of_loading_the_same_again(stage: Stage) -> None:
    stage.load(cycle_with())
    stage.advance(20 * DAY / 1000)
    stage.load(cycle_with())
    assert codes(noticed(stage, stage.plan(in_s=10 * DAY / 1000))) == []
    stage.load(cycle_with(train=6))
    stage.advance(1)
    found = noticed(stage, stage.plan(in_s=10 * DAY / 1000 - 2))
    assert codes(found) == ["short_notice", "sets_too_new", "files_seen", "overlap"]


@pytest.mark.clause("D 6.9", "D 8.8", "TS T17")
def test_another_contests_runs_have_that_contests_periods_in_the_cycles_calendar(stage: Stage) -> None:
    with registry.registered(Clinical()):
        # START is a Monday: Tuesday to Friday and the next Monday lie between, or Tuesday where Thursday is a holiday.
        stage.load(cycle_with(track="clinical"))
        midnight = 9 * 3600 + 46 * 60 + 40 - 3 * 3600
        in_time = stage.plan(in_s=midnight + 7 * 86_400)
        assert codes(noticed(stage, in_time)) == ["sets_too_new"]
        stage.load(cycle_with(track="clinical", working_days={"holidays": ["2026-09-24"]}))
        found = noticed(stage, in_time)
        assert [(each.code, each.where["clause"]) for each in found] == [
            ("short_notice", "D 8.8"),
            ("sets_too_new", "D 14.1"),
        ]
        trial = stage.plan(in_s=midnight + 6 * 86_400, trial=True)
        assert [each.where["clause"] for each in noticed(stage, trial)] == ["D 6.9"]
    assert iso(START).startswith("2026-09-21T14:13:20")


@pytest.mark.clause("TS T17", "D 8.8")
def test_a_cycles_own_week_and_zone_say_which_days_lie_between(stage: Stage) -> None:
    with registry.registered(Clinical()):
        days = {"weekend": ["sunday"], "holidays": ["2026-09-25"], "working_weekends": ["2026-09-27"]}
        stage.load(cycle_with(track="clinical", working_days=days, time_zone="Asia/Vladivostok"))
        # There it is Tuesday the 22nd already: 23, 24, 26, Sunday the 27th and 28 lie between it and the 29th.
        earliest = from_iso("2026-09-28T14:00:00.000Z")
        for starts_at, expected in ((earliest - 1, ["D 8.8"]), (earliest, [])):
            found = noticed(stage, stage.plan(in_s=(starts_at - stage.now) / 1000))
            assert [each.where["clause"] for each in found if each.code == "short_notice"] == expected


@pytest.mark.clause("TS T17", "D 2.4")
def test_a_change_is_told_of_thirty_days_before_the_run_that_it_affects(stage: Stage) -> None:
    with registry.registered(Clinical()):
        stage.load(cycle_with(track="clinical"))
        run, cycle = stage.plan(in_s=40 * DAY / 1000), reading.cycle_now(stage.platform)
        for told_at, expected in ((run.starts_at - 30 * DAY, []), (run.starts_at - 30 * DAY + 1, ["D 2.4"])):
            result = terms_of.parameters_warnings(stage.platform, cycle, told_at, run.starts_at - 5 * DAY)
            assert [warning.where["clause"] for warning in result if warning.code == "short_notice"] == expected


@pytest.mark.clause("TS T17", "D 14.1")
def test_modules_that_are_newer_than_ten_days_at_a_final_are_told_of_where_it_is_planned(stage: Stage) -> None:
    with registry.registered(Clinical()):
        stage.load(cycle_with(track="clinical"))
        stage.advance(30 * DAY / 1000)
        stage.load(cycle_with(track="clinical", known_clients=["a" * 64]))
        for days, expected in ((9.999, [("modules_too_new", "D 14.1")]), (10, [])):
            found = noticed(stage, stage.plan(in_s=days * DAY / 1000))
            assert [(each.code, each.where["clause"]) for each in found if each.code.endswith("too_new")] == expected


@pytest.mark.clause("TS T17", "D 6.13.1", "D 6.13.2")
@pytest.mark.parametrize(
    ("starts_at", "holidays", "expected"),
    [
        (START + 5 * DAY - 1, (), [("short_notice", "D 6.13.2")]),
        (START + 5 * DAY, (), []),
        (from_iso("2026-09-30T20:59:59.999Z"), (), []),  # the seventh working day after Monday the 21st
        (from_iso("2026-09-30T21:00:00.000Z"), (), [("restart_too_late", "D 6.13.1")]),
        (from_iso("2026-10-01T20:59:59.999Z"), ("2026-09-24",), []),
    ],
)
def test_a_restart_that_is_too_soon_or_too_late_is_told_of_before_it_is_decided_and_when_it_is(
    stage: Stage, starts_at: int, holidays: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    files = toy_cycle(final=3, reserve=3)
    files["cycle.json"] |= {"track": "clinical", "working_days": {"holidays": list(holidays)}}
    with registry.registered(Clinical()):
        stage.load(files)
        path = f"/v1/conduct/runs/{stage.plan(in_s=600).run_id}/restart"
        said, olga = {"starts_at": iso(starts_at), "reason": "a mass failure"}, stage.person(Role.ORGANIZER)
        for each in (f"{path}/preview", path):
            answered = stage.request("POST", each, said, olga)
            assert answered.status in {200, 201}, answered.text
            told = [(one["code"], one["where"]["clause"]) for one in answered.json["notices"]]
            assert [one for one in told if one[0] != "sets_too_new"] == expected


@pytest.mark.clause("TS T8", "TS T17", "D 8.8")
def test_a_cycle_has_notice_periods_of_its_own_and_they_cite_it(stage: Stage) -> None:
    own = {"schedule": 2, "sets": 0, "results": 3, "modules": 10}
    with registry.registered(Clinical()):
        stage.load(cycle_with(track="clinical", notices=own))
        midnight = 9 * 3600 + 46 * 60 + 40 - 3 * 3600
        # Two working days lie between Monday and Thursday, one between Monday and Wednesday.
        assert codes(noticed(stage, stage.plan(in_s=midnight + 2 * 86_400))) == []
        late = noticed(stage, stage.plan(in_s=midnight + 86_400))
        cited = [each for each in late if each.code == "short_notice"]
        assert [(each.where["clause"], each.where["period_days"], each.where["working_days"]) for each in cited] == [
            ("cycle: notices.schedule", 2, True)
        ]
        for told in (cited[0].message.en, cited[0].message.ru):
            assert "(cycle: notices.schedule)" in told
        assert "sets_too_new" not in codes(late)
        held = stage.request("GET", "/v1/conduct/cycle", None, stage.person(Role.ORGANIZER)).json["notices"]
        periods = {each.pop("occasion"): each for each in held}
        assert "sets" not in periods
        assert periods["schedule"] == {"days": 2, "working": True, "clause": "cycle: notices.schedule"}
        assert periods["modules"] == {"days": 10, "working": False, "clause": "D 14.1"}, "as long as the contest's"
        assert periods["parameters"] == {"days": 30, "working": False, "clause": "D 2.4"}
        assert periods["results"] == {"days": 3, "working": False, "clause": "cycle: notices.results"}


QUALIFICATION = stages.StageName.QUALIFICATION
FIRST, LAST = from_iso("2026-09-21T21:00:00.000Z"), from_iso("2026-09-23T20:59:59.999Z")
"""The qualification's first and last moment: two days in Moscow, the 22nd and the 23rd."""


def load_qualification(stage: Stage, outside: str | None = None) -> None:
    """Load a cycle whose qualification is on the two days, with three files in the test set."""
    files = toy_cycle(test=3)
    days = {"first": "2026-09-22", "last": "2026-09-23"} | ({"outside": outside} if outside else {})
    files["cycle.json"]["stages"] = {"qualification": days}
    stage.load(files)


def board_of(stage: Stage) -> dict[str, Any]:
    """Score everything, and return the qualification's board once it is computed anew."""
    stage.score_all()
    stage.tick()
    stage.advance(11)
    found = stage.request("GET", "/v1/leaderboards/qualification")
    assert found.status == 200, found.text
    return dict(found.json)


def grade_of_qualification(stage: Stage) -> list[str]:
    organizer = stage.person(Role.ORGANIZER)
    found = stage.request("GET", "/v1/check", token=organizer).json["checks"]
    return [row["grade"] for row in found if row["where"].get("stage") == "qualification"]


@pytest.mark.clause("R 4.1", "R 7.3")
@pytest.mark.parametrize("name", list(stages.StageName))
def test_every_stage_bounds_what_belongs_to_it_and_the_results_at_the_end_alone(name: stages.StageName) -> None:
    days = (stages.Stage(name, "2026-09-22", "2026-09-23"),)
    outside = [
        stages.outside_stage(days, name, Calendar("Europe/Moscow"), moment) is not None
        for moment in (FIRST - 1, FIRST, LAST, LAST + 1)
    ]
    assert outside == [name is not stages.StageName.RESULTS, False, False, True]


@pytest.mark.clause("R 6.3", "R 4.1")
def test_every_stage_says_what_becomes_of_other_days_and_off_board_needs_a_board() -> None:
    for outside, faults in (
        ("take", []),
        ("keep", [("bad_kind", "stages.qualification.outside")]),
        (None, [("bad_kind", "stages.qualification.outside")]),
    ):
        assert faults_of(stages={"qualification": STAGES["qualification"] | {"outside": outside}}) == faults
    for name in stages.StageName:
        rules = set()
        for outside in Outside:
            stage = stages.Stage(name, "2026-09-22", "2026-09-23", outside)
            refused = list(stages.wrong_stages([stage]))
            if outside is Outside.OFF_BOARD and name is not QUALIFICATION:
                (fault,) = refused
                assert (fault.code, fault.where) == ("no_board_to_keep_off", {"field": f"stages.{name}.outside"})
                assert fault.message.en != fault.message.ru
                continue
            assert refused == []
            rule = stages.rule_of_stage(stage)
            assert stages.rule_outside(stage).en in rule.en
            rules |= {rule.en, rule.ru}
        assert len(rules) == (6 if name is QUALIFICATION else 4)


def assert_refused(answered: Answered, name: str) -> None:
    """Assert that a request was refused by a stage's days, with its moments and rule in both languages."""
    assert answered.refusal == (409, "outside_stage"), answered.text
    (detail,) = answered.json["error"]["details"]
    assert (detail["stage"], detail["starts_at"], detail["ends_at"]) == (name, iso(FIRST), iso(LAST + 1))
    assert detail["message"] != detail["message_ru"]


def load_stage(stage: Stage, name: str, outside: str) -> None:
    """Load a cycle that has one stage, on the two days."""
    stage.load(cycle_with(stages={name: {"first": "2026-09-22", "last": "2026-09-23", "outside": outside}}))


@pytest.mark.clause("R 3.1", "R 4.1")
def test_applications_are_taken_in_the_selection_and_corrected_while_they_wait(stage: Stage) -> None:
    form = {
        "team_name": "Green",
        "person_name": "Anna",
        "contact": "anna@example.org",
        "organization": "Institute",
        "about": "We mark up essays",
        "accepts_rules": True,
    }

    def asked(method: str, path: str, name: str) -> Answered:
        body = form | {"team_id": name, "team_name": name}
        return stage.request(method, path, body, stage.sign_in(name, Pool.PARTICIPANTS))

    load_stage(stage, "selection", "refuse")
    stage.set_clock(FIRST - 1)
    assert_refused(asked("POST", "/v1/applications", "green"), "selection")
    stage.set_clock(LAST)
    assert asked("POST", "/v1/applications", "green").status == 201
    stage.set_clock(LAST + 1)
    assert_refused(asked("POST", "/v1/applications", "blue"), "selection")
    assert asked("PUT", "/v1/team/application", "green").status == 200
    organizer = stage.person(Role.ORGANIZER)
    rejected = {"status": "rejected", "reason": "incomplete"}
    assert stage.request("POST", "/v1/teams/green/decision", rejected, organizer).status == 200
    assert_refused(asked("PUT", "/v1/team/application", "green"), "selection")
    load_stage(stage, "selection", "take")
    assert asked("POST", "/v1/applications", "blue").status == 201
    assert asked("PUT", "/v1/team/application", "green").status == 200


@pytest.mark.clause("R 4.1", "R 7.16.2")
def test_a_final_is_planned_within_its_stage_and_trials_and_restarts_on_any_day(stage: Stage) -> None:
    load_stage(stage, "final", "refuse")
    organizer = stage.person(Role.ORGANIZER)
    for path in ("/v1/conduct/runs", "/v1/conduct/runs/preview"):
        for moment in (FIRST - 1, LAST + 1):
            wish = {"mode": "final", "set": "final", "starts_at": iso(moment)}
            assert_refused(stage.request("POST", path, wish, organizer), "final")
            assert stage.request("POST", path, wish | {"trial": True}, organizer).status in {200, 201}
        wish = {"mode": "final", "set": "final", "starts_at": iso(LAST)}
        assert stage.request("POST", path, wish, organizer).status in {200, 201}
        stage.advance(1)
    load_stage(stage, "final", "take")
    late = stage.plan(in_s=(LAST + 1 - stage.now) / 1000)
    found = stage.request("GET", f"/v1/check?run={late.run_id}", None, organizer).json["checks"]
    assert [row["grade"] for row in found if row["name"] == "final"] == ["warning"]
    boards.make(stage.platform, late)
    stage_of_board = boards.live_part(stage.platform, late, "all").stage
    assert stage_of_board is not None
    assert (stage_of_board.name, stage_of_board.outside) == (stages.StageName.FINAL, "take")


@pytest.mark.clause("R 4.4", "R 6.2", "R 6.3", "D 7.12")
@pytest.mark.parametrize("moment", [FIRST - 1, LAST + 1])
def test_a_test_set_is_refused_outside_the_qualification_and_training_never(stage: Stage, moment: int) -> None:
    load_qualification(stage)
    red = Program(stage, stage.team("red"))
    stage.set_clock(moment)
    refused = red.open(set="test")
    assert refused.refusal == (409, "outside_stage")
    (detail,) = refused.json["error"]["details"]
    assert (detail["starts_at"], detail["ends_at"]) == (iso(FIRST), iso(LAST + 1))
    assert detail["message"] != detail["message_ru"]
    assert red.open(set="train").status == 201
    assert grade_of_qualification(stage) == ["ok"]


@pytest.mark.clause("R 6.3")
@pytest.mark.parametrize("outside", list(Outside))
def test_a_session_opened_in_the_qualifications_last_moment_counts(stage: Stage, outside: str) -> None:
    load_qualification(stage, outside)
    red = Program(stage, stage.team("red"))
    stage.set_clock(LAST)
    assert red.open(set="test").status == 201
    stage.advance(60)
    red.play("abcd")
    board = board_of(stage)
    assert [row["team"] for row in board["rows"]] == ["Team red"]


@pytest.mark.clause("R 6.3")
@pytest.mark.parametrize(("outside", "rows"), [("off_board", []), ("take", ["Team red"])])
@pytest.mark.parametrize("moment", [FIRST - DAY, LAST + 1])
def test_sessions_of_other_days_follow_the_cycles_rule(
    stage: Stage, moment: int, outside: str, rows: list[str]
) -> None:
    load_qualification(stage, outside)
    red = Program(stage, stage.team("red"))
    stage.set_clock(moment)
    assert red.open(set="test").status == 201
    red.play("abcd")
    board = board_of(stage)
    report = red.get("report").json
    assert ("off_board" in report) is (outside == "off_board")
    if outside == "off_board":
        told_off = report["off_board"]
        assert (told_off["first"], told_off["last"]) == ("2026-09-22", "2026-09-23")
        assert told_off["message"].startswith("Off the board: begun outside the qualification")
        assert told_off["message_ru"].startswith("Вне лидерборда: начато вне квалификации")
        for language, message in (("en", "message"), ("ru", "message_ru")):
            assert told_off[message] in red.get(f"report.html?lang={language}").text
        load_qualification(stage, "take")
        result = worker.verify(stage.platform, red.session_id)
        assert (result.differences, result.reports) == ((), 1), "the report is rebuilt by the rule that held"
        assert result.off_board is not None
        assert result.off_board.outside == "off_board"
    assert [row["team"] for row in board["rows"]] == rows
    told = board["stage"]
    assert (told["first"], told["last"], told["outside"]) == ("2026-09-22", "2026-09-23", outside)
    assert told["message"] != told["message_ru"]
    assert grade_of_qualification(stage) == ["warning"]


@pytest.mark.clause("R 6.3")
def test_a_cycle_without_a_qualification_refuses_nothing_and_its_board_tells_no_days(stage: Stage) -> None:
    stage.load(toy_cycle(test=3))
    red = Program(stage, stage.team("red"))
    assert red.open(set="test").status == 201
    red.play("abcd")
    board = board_of(stage)
    assert ([row["team"] for row in board["rows"]], board["stage"]) == (["Team red"], None)
    assert grade_of_qualification(stage) == []
