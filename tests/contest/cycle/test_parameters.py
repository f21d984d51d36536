"""Parameters with effective times, over the interface: announced, in force from then on, withdrawn, compared."""

from __future__ import annotations

from typing import Any

import pytest

from contest.errors import ParametersPendingError, RunUnderWayError
from contest.people.rules import Role
from contest.run.rules.run import Kind
from contest.values import DAY, SECOND, iso, utc_day
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

WEEK_S = 7 * DAY // SECOND


@pytest.fixture
def olga(stage: Stage) -> str:
    stage.load(toy_cycle(final=3, sessions_per_day=20))
    return stage.person(Role.ORGANIZER, "olga")


def change(stage: Stage, olga: str, in_s: float = WEEK_S, preview: bool = False, **parameters: Any) -> Answered:
    stage.advance(1)
    asked = {
        "parameters": parameters,
        "effective_at": iso(stage.now + round(in_s * SECOND)),
        "reason": "the judges agreed",
        "preview": preview,
    }
    return stage.request("POST", "/v1/parameter-changes", asked, olga)


def in_force(stage: Stage) -> tuple[int, int]:
    said = stage.request("GET", "/v1/cycle").json["parameters"]
    return said["version"], said["sends_per_file"]


@pytest.mark.clause("R 2.17", "R 5.8", "platform §2 parameters", "platform §2 effective time")
@pytest.mark.clause("platform §2 notices", "TS T17")
def test_a_change_is_previewed_announced_at_once_and_in_force_from_its_moment_on(stage: Stage, olga: str) -> None:
    (warning,) = change(stage, olga, in_s=WEEK_S - 1, preview=True, sends_per_file=5).json["warnings"]
    assert (warning["code"], warning["where"]["clause"]) == ("short_notice", "R 5.8")
    assert warning["where"]["earliest"] == iso(stage.now + WEEK_S * SECOND)
    answer = change(stage, olga, preview=True, sends_per_file=5).json
    assert "parameters-2" not in stage.everything_stored()
    made = change(stage, olga, sends_per_file=5)
    assert made.status == 200
    assert (answer["stored"], answer["version"], answer["changes"]) == (
        False,
        made.json["version"],
        made.json["changes"],
    )
    assert (made.json["version"], made.json["stored"], made.json["warnings"]) == (2, True, [])
    assert made.json["changes"] == [{"field": "sends_per_file", "before": 10, "after": 5}]
    effective_at = stage.now + WEEK_S * SECOND
    (told,) = stage.request("GET", "/v1/announcements").json["announcements"]
    assert (told["announcement_id"], told["state"], told["effective_at"]) == (
        "parameters-2",
        "published",
        iso(effective_at),
    )
    assert "sends_per_file: 10 → 5" in told["text"]["ru"]
    assert "the judges agreed" in told["text"]["en"]
    stage.set_clock(effective_at - 1)
    assert in_force(stage) == (1, 10)
    stage.set_clock(effective_at)
    assert in_force(stage) == (2, 5)


@pytest.mark.clause("R 5.8", "platform §2 effective time")
def test_open_sessions_keep_their_version_and_new_ones_have_the_one_in_force(stage: Stage, olga: str) -> None:
    program = Program(stage, stage.team("red"))
    change(stage, olga, in_s=120, sends_per_file=1)
    before = program.open(files=2).json
    stage.advance(121)
    assert program.get("files/1").status == 200
    statuses = [program.answer(1, {"letters": letters}).json["receipt"]["status"] for letters in ("a", "ab", "abc")]
    assert statuses == ["accepted"] * 3
    other = Program(stage, stage.team("blue"))
    after = other.open(files=2).json
    other.get("files/1")
    assert [other.answer(1, {"letters": letters}).json["receipt"]["status"] for letters in ("a", "ab")] == [
        "accepted",
        "ignored",
    ]
    assert (before["parameters_version"], after["parameters_version"]) == (1, 2)


@pytest.mark.clause("platform §2 effective time")
def test_everything_that_is_wrong_with_parameters_is_named_at_once(stage: Stage, olga: str) -> None:
    refused = change(stage, olga, sends_per_file=0, hardness=2, final={"interval_s": 0})
    assert refused.refusal == (422, "invalid_parameters")
    found = [(each["code"], each["field"]) for each in refused.json["error"]["details"]]
    assert sorted(found) == [
        ("out_of_range", "parameters.final.interval_s"),
        ("out_of_range", "parameters.sends_per_file"),
        ("unknown_parameter", "hardness"),
    ]
    limits = {"limits_s": {"words": 60}}
    for wrong, code in (({"experts": limits}, "unknown_group"), ({"hardness": 2}, "unknown_parameter")):
        assert [each["code"] for each in change(stage, olga, **wrong).json["error"]["details"]] == [code]


def test_what_was_changed_too_near_or_is_in_force_already_is_refused(stage: Stage, olga: str) -> None:
    assert change(stage, olga, in_s=-60, sends_per_file=5).code == "effective_too_soon"
    assert change(stage, olga, in_s=59.999, sends_per_file=5).code == "effective_too_soon"
    assert change(stage, olga, sends_per_file=10).code == "nothing_changes"
    assert change(stage, olga, in_s=60, sends_per_file=5).status == 200
    stage.advance(61)
    actual = {"reason": "why"}
    codes = [stage.request("POST", f"/v1/parameter-changes/{n}/withdrawal", actual, olga).code for n in (1, 2, 3)]
    assert codes == ["version_in_force", "version_in_force", "unknown_version"]


@pytest.mark.clause("R 5.8", "platform §2 effective time")
def test_no_change_takes_effect_in_the_middle_of_a_final_which_is_named(stage: Stage, olga: str) -> None:
    run = stage.plan(in_s=600, interval_s=60)
    stopped = stage.plan(in_s=7200)
    trial = stage.plan(in_s=14_400, trial=True)
    last = 600 + 2 * 60 + 60
    starts = [600 - 2, 600 - 1, last - 1, last]
    found = [change(stage, olga, in_s=at - n, preview=True, sends_per_file=5) for n, at in enumerate(starts)]
    assert [each.status for each in found] == [200, 409, 409, 200]
    assert found[1].code == "run_under_way"
    assert found[1].json["error"]["details"][0]["run"] == run.run_id
    stage.decide(stopped, Kind.STOP)
    assert change(stage, olga, in_s=7260, sends_per_file=5).status == 200
    assert trial.run_id


@pytest.mark.clause("R 5.8")
def test_a_final_has_and_keeps_the_version_in_force_at_its_start(stage: Stage, olga: str) -> None:
    change(stage, olga, in_s=WEEK_S, sends_per_file=5)
    run = stage.plan(in_s=2 * WEEK_S)
    early = stage.plan(in_s=WEEK_S - 60)
    assert (run.parameters_version, early.parameters_version) == (2, 1)
    warnings = change(stage, olga, in_s=WEEK_S + 3600, sends_per_file=7).json["warnings"]
    assert [(each["code"], each["where"]["run"]) for each in warnings] == [("run_keeps_version", run.run_id)]


@pytest.mark.clause("platform §1 audit")
def test_a_change_that_a_later_one_would_undo_is_refused_until_that_is_withdrawn(stage: Stage, olga: str) -> None:
    change(stage, olga, in_s=2 * WEEK_S, sends_per_file=5)
    refused = change(stage, olga, in_s=WEEK_S, sends_per_file=7)
    assert (refused.code, refused.json["error"]["details"][0]["version"]) == ("parameters_pending", 2)
    withdrawn = stage.request("POST", "/v1/parameter-changes/2/withdrawal", {"reason": "a slip"}, olga)
    assert (withdrawn.status, withdrawn.json["state"]) == (200, "withdrawn")
    actual = [entry for entry in stage.platform.audit_log.on(utc_day(stage.now)) if entry.what.startswith("parameters")]
    assert [(entry.who, entry.what) for entry in actual] == [
        ("person:olga", "parameters changed"),
        ("person:olga", "parameters withdrawn"),
    ]
    assert actual[0].after["reason"] == "the judges agreed"
    assert change(stage, olga, in_s=WEEK_S, sends_per_file=7).json["version"] == 3
    told = stage.request("GET", "/v1/announcements/parameters-2").json
    assert (told["state"], told["reason"]) == ("withdrawn", "a slip")
    stage.advance(3 * WEEK_S)
    assert in_force(stage) == (3, 7)
    versions = stage.request("GET", "/v1/parameters").json["versions"]
    assert [(each["version"], each["state"]) for each in versions] == [(3, "in_force"), (2, "withdrawn"), (1, "former")]


@pytest.mark.clause("R 2.17", "platform §2 parameters")
def test_versions_are_read_and_compared_by_everybody(stage: Stage, olga: str) -> None:
    change(stage, olga, in_s=60, sends_per_file=5)
    stage.advance(61)
    change(stage, olga, in_s=60, sends_per_file=5, final={"interval_s": 30}, bonus=1)
    stage.advance(61)
    one = stage.request("GET", "/v1/parameters/3").json
    assert (one["state"], one["parameters"]["final"]["interval_s"]) == ("in_force", [30, 30])
    asked = "/v1/parameters/3/changes"
    assert [each["field"] for each in stage.request("GET", asked).json["changes"]] == [
        "final.interval_s",
        "track.bonus",
    ]
    since = stage.request("GET", f"{asked}?since=1").json
    assert [(each["field"], each["after"]) for each in since["changes"]] == [
        ("final.interval_s", [30, 30]),
        ("sends_per_file", 5),
        ("track.bonus", 1),
    ]
    assert stage.request("GET", "/v1/parameters/4").code == "unknown_version"
    assert stage.request("GET", f"{asked}?since=4").code == "unknown_version"


@pytest.mark.clause("R 5.8", "platform §2 parameters")
def test_loading_a_folder_neither_undoes_a_pending_change_nor_passes_over_it(stage: Stage, olga: str) -> None:
    change(stage, olga, sends_per_file=5, sessions_per_day=20)
    for same in (toy_cycle(final=3, sessions_per_day=20), toy_cycle(final=3, sessions_per_day=20, sends_per_file=5)):
        stage.advance(1)
        assert stage.load(same).parameters.version == 1
    with pytest.raises(ParametersPendingError):
        stage.load(toy_cycle(final=3, sends_per_file=6))
    stage.advance(WEEK_S)
    assert in_force(stage) == (2, 5)
    assert stage.load(toy_cycle(final=3, sends_per_file=6)).parameters.version == 3
    stage.advance(60)
    assert in_force(stage) == (3, 6)


@pytest.mark.clause("R 5.8")
def test_loading_other_parameters_in_the_middle_of_a_final_is_refused(stage: Stage, olga: str) -> None:
    stage.plan(in_s=600)
    stage.advance(660)
    with pytest.raises(RunUnderWayError):
        stage.load(toy_cycle(final=3, sends_per_file=6))
    stage.load(toy_cycle(final=4, sessions_per_day=20))
    assert olga
