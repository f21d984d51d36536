"""Kinds of sessions as the specification's table has them: numbers, choices, limits, how many a day (T6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tests.contest.contests.epicrises import folder
from tests.contest.contests.played import Contest
from tests.documented import conforms
from tests.stage import Program, Stage
from tests.stage_kept import Setting

SEMIFINAL, SELECTION = "diagnosis-semifinal", "diagnosis-selection"
PER_NOSOLOGY = 70

STAGE = Setting("contest-1")


def loaded(stage: Stage, name: str) -> Program:
    """Load a contest with a training and a test set; return a team's program."""
    contest = Contest.named(name)
    stage.load(folder(contest, "train", "test") if name.startswith("diagnosis") else contest.folder("train", "test"))
    return Program(stage, stage.team("red"))


def faults(program: Program, **order: Any) -> list[tuple[str, str, str]]:
    """List code, field and message of every fault for which a session is refused."""
    refused = program.open(**order)
    assert refused.status == 422, refused.text
    return [(each["code"], each["field"], each["message"]) for each in refused.json["error"]["details"]]


@pytest.mark.clause("TS T6", "D-App3 training count")
@pytest.mark.parametrize(
    ("name", "kinds", "submissions"),
    [
        (
            SEMIFINAL,
            {
                "training": ("files", 2000, 100),
                "algorithmic": ("files", 1, 1),
                "estimated-training": ("nosologies", 6, 6),
                "final": None,
            },
            [],
        ),
        ("exam", {"algorithmic": ("variants", 30, 30), "final": None}, ["answers"]),
        ("gec", {"algorithmic": ("files", 5000, 5000), "final": None}, ["answers"]),
        ("fusion", {}, ["program"]),
    ],
)
def test_t6_the_cycle_says_kinds_and_sizes(
    stage: Stage, name: str, kinds: Mapping[str, Any], submissions: list[str]
) -> None:
    """The value is None for sessions in a run, whose choices are the run's."""
    loaded(stage, name)
    told = stage.request("GET", "/v1/cycle").json
    assert {
        each["mode"]: None if each["in_run"] else (each["counts"], each["most"], each["usual"])
        for each in told["modes"]
    } == kinds
    assert told["submissions"] == submissions


@pytest.mark.clause("TS T6", "TS D-1", "D 7.7")
def test_t6_sizes_are_told_of_each_set_as_they_are_enforced_over_it(stage: Stage) -> None:
    """A cycle with the selection's familiarisation set beside the semifinal's, and one with the selection's alone."""

    def told() -> tuple[dict[str, Any], int]:
        said = stage.request("GET", "/v1/cycle").json
        return {each["mode"]: each for each in said["modes"]}, said["limits"]["files_per_session"]

    selection, semifinal = (folder(Contest.named(each), "train", "test") for each in (SELECTION, SEMIFINAL))
    stage.load(selection)
    modes, most = told()
    assert (modes["training"]["most"], modes["training"]["usual"], most) == (1, 1, 1)
    assert modes["training"]["sets"] == {"train": {"most": 1, "usual": 1}}
    assert modes["algorithmic"]["sets"] == {"test": {"most": 1, "usual": 1}}
    lessons = {
        name.replace("train/T", "lessons/L"): {**each, "id": f"L{each['id'][1:]}"} if "versions" in each else each
        for name, each in selection.items()
        if name.startswith("train/")
    }
    both = {**semifinal, **lessons}
    both["cycle.json"]["sets"]["lessons"] = {"kind": "training"}
    both["cycle.json"]["parameters"]["stage"] = "by_set"
    stage.load(both)
    stage.advance(60)  # of the cycle everybody is told as it was a minute ago at most
    modes, most = told()
    assert (modes["training"]["most"], modes["training"]["usual"], most) == (2000, 100, 2000)
    assert modes["training"]["sets"] == {"train": {"most": 2000, "usual": 100}, "lessons": {"most": 1, "usual": 1}}
    assert modes["final"]["sets"] == {}
    program = Program(stage, stage.team("red"))
    for name, each in modes["training"]["sets"].items():
        beyond = faults(program, mode="training", set=name, files=each["most"] + 1)
        assert beyond == [("out_of_range", "body.files", f"allowed: 1–{each['most']}")]
        opened = program.open(mode="training", set=name).json
        assert opened["requested_files"] == each["usual"]
        assert program.ask("POST", f"/v1/sessions/{program.session_id}/abort").status == 200


@pytest.mark.clause("TS T6", "TS D-1", "D 7.7", "D-App2")
def test_t6_training_in_the_selection_is_one_epicrisis_and_its_result_at_the_end(stage: Stage) -> None:
    program = loaded(stage, SELECTION)
    assert faults(program, mode="training", set="train", files=2) == [("out_of_range", "body.files", "allowed: 1–1")]
    opened = program.open(mode="training", set="train")
    assert (opened.json["files"], opened.json["time_limit_s"], opened.json["interval_s"]) == (1, 60, None)
    assert program.get("files/1").status == 200
    stage.advance(60)
    said = {"xPath": "", "start": "", "end": "", "name": "J44", "decorCode": "diagnosisMain", "code": ""}
    assert program.answer(1, [said]).json["receipt"]["status"] == "accepted"
    stage.pass_minutes(3)
    report = program.get("report")
    assert report.json["result"]["passed"] is True
    conforms(report, "get", "/v1/sessions/{session_id}/report")


@pytest.mark.clause("TS T6", "D-App3 training count", "D-App3 training timeout", "D-App3 estimated")
def test_t6_the_semifinals_two_kinds_of_training_have_their_sizes(stage: Stage) -> None:
    contest = Contest.named(SEMIFINAL)
    files = folder(contest, "train")
    first = next(name for name, each in files.items() if "versions" in each)
    reference = files[first.replace(".json", "_exp01.json")]
    for number in range(100):
        own = {each: f"<epicrisis><text>{number} {each}</text></epicrisis>" for each in files[first]["versions"]}
        files[f"train/M{number}.json"] = {**files[first], "id": f"M{number}", "versions": own}
        files[f"train/M{number}_exp01.json"] = reference
    stage.load(files)
    program = Program(stage, stage.team("red"))
    opened = program.open(mode="training", set="train").json
    assert (opened["requested_files"], opened["available_files"]) == (100, 112)
    assert (opened["files"], opened["time_limit_s"]) == (200, 30), "each in two versions"
    assert program.ask("POST", f"/v1/sessions/{program.session_id}/abort").status == 200
    assert program.open(mode="estimated-training", set="train").status == 201
    plan = stage.platform.sessions.plan(program.session_id)
    drawn = Counter(each.group for each in plan)
    nosology = files[first]["nosology"]
    assert drawn.pop(nosology) == 2 * PER_NOSOLOGY
    assert set(drawn.values()) == {2 * 2}, "of the others all that there are"


@pytest.mark.clause("TS T6", "TS D-1", "D-App3 training count", "D-App3 training timeout", "D 7.12")
@pytest.mark.parametrize(
    ("name", "usual_s", "beyond"),
    [
        (
            SEMIFINAL,
            30,
            [
                ({"files": 2001}, "files", "1–2000"),
                ({"time_limit_s": 9}, "time_limit_s", "10–30 s"),
                ({"time_limit_s": 31}, "time_limit_s", "10–30 s"),
                ({"mode": "estimated-training", "time_limit_s": 31}, "time_limit_s", "10–30 s"),
                ({"mode": "estimated-training", "choices": {"nosologies": 7}}, "choices.nosologies", "1–6"),
            ],
        ),
        (
            SELECTION,
            60,
            [
                ({"mode": "algorithmic", "set": "test", "files": 2}, "files", "1–1"),
                ({"mode": "algorithmic", "set": "test", "time_limit_s": 59}, "time_limit_s", "60–60 s"),
            ],
        ),
        ("exam", 60, [({"time_limit_s": limit}, "time_limit_s", "10–600 s") for limit in (9, 601)]),
        ("gec", 60, [({"time_limit_s": limit}, "time_limit_s", "10–60 s") for limit in (9, 61)]),
    ],
)
def test_t6_bounds_are_told_when_passed_and_who_says_nothing_has_the_kinds_usual_time(
    stage: Stage, name: str, usual_s: int, beyond: list[tuple[dict[str, Any], str, str]]
) -> None:
    program, mode = loaded(stage, name), "training" if name.startswith("diagnosis") else "algorithmic"
    for order, wrong, allowed in beyond:
        [(code, field, result)] = faults(program, **{"mode": mode, "set": "train", **order})
        assert (code, field.removeprefix("body."), result) == ("out_of_range", wrong, f"allowed: {allowed}")
    assert program.open(mode=mode, set="train").json["time_limit_s"] == usual_s


@pytest.mark.clause("TS T6", "TS D-1", "D 7.13")
@pytest.mark.parametrize(
    ("name", "mode", "set_name", "most"),
    [
        (SELECTION, "training", "train", 10),
        (SELECTION, "algorithmic", "test", 10),
        (SEMIFINAL, "training", "train", 10),
        (SEMIFINAL, "estimated-training", "train", 10),
        ("gec", "algorithmic", "train", 20),
    ],
)
def test_t6_a_kind_of_sessions_has_its_daily_quota(
    stage: Stage, name: str, mode: str, set_name: str, most: int
) -> None:
    program = loaded(stage, name)
    for _ in range(most):
        opened = program.open(mode=mode, set=set_name)
        assert opened.status == 201, opened.text
        stage.advance(1)
        assert program.ask("POST", f"/v1/sessions/{program.session_id}/abort").status == 200
    assert program.open(mode=mode, set=set_name).code == "quota_exhausted"
