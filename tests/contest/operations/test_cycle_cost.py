"""The cycle's cost over HTTP (platform §7): of its own finals and days, every figure with where it comes from."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from contest.channel.rules import Attachment
from contest.commands.main import main
from contest.operations.overview import days_counts, final_counts, price_list
from contest.operations.rules import Choice, Size, bill, usual
from contest.people.rules import Role
from tests.run_stage import RunOnStage
from tests.stage import Answered, Stage
from tests.toys import toy_cycle

SET, DAYS = 7, 30


def asked(stage: Stage, query: str = "", role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request("GET", f"/v1/conduct/cost{query}", token=stage.person(role))


def told(stage: Stage, query: str = "") -> Any:
    answered = asked(stage, query)
    assert answered.status == 200, answered.text
    return answered.json


def cost(*words: str) -> Result:
    return CliRunner().invoke(main, ["cost", *words])


def figure(value: int, source: str) -> dict[str, Any]:
    return {"value": value, "source": source}


def priced(counts: dict[str, float]) -> float:
    return sum(each.cost for each in bill(counts, price_list()["prices"]))


@pytest.fixture
def unplanned(stage: Stage) -> Stage:
    """Return a stage with a final's set, six teams that may take part and one that may not."""
    stage.load(toy_cycle(final=SET, reserve=2, technical={"enabled": False}))
    stage.restart()
    for name in "abcdef":
        stage.team(f"team-{name}")
    stage.team("gone")
    token = stage.person(Role.ORGANIZER)
    said = {"status": "suspended", "reason": "it asked for a pause"}
    assert stage.request("POST", "/v1/teams/gone/decision", said, token).status == 200
    return stage


@pytest.mark.clause("platform §7 cost")
def test_before_a_final_is_planned_sets_and_teams_are_estimated_with_priced_lines_that_add_up(unplanned: Stage) -> None:
    found = told(unplanned)
    (final,) = found["finals"]
    assert (final["run_id"], final["set"]) == (None, "final")
    assert (final["teams"], final["files"]) == (figure(6, "planned"), figure(SET, "planned"))
    assert final["listening"] == figure(1, "usual")
    assert final["cost"] == pytest.approx(priced(final_counts(usual(6, SET))))
    assert found["days"]["days"] == figure(DAYS, "usual")
    assert found["days"]["cost"] == pytest.approx(priced(days_counts(DAYS)))
    parts = [found["days"], *found["finals"]]
    for part in parts:
        assert part["cost"] == pytest.approx(sum(each["cost"] for each in part["lines"]))
    assert found["cost"] == pytest.approx(sum(each["cost"] for each in parts))
    prices = {each["kind"]: each for each in found["prices"]}
    for line in (each for part in parts for each in part["lines"]):
        price = prices[line["kind"]]
        assert line["cost"] == pytest.approx(line["count"] * price["price"] / price["per"])
        assert price["date"][:2] == "20"
        assert price["source"].startswith("https://")
        assert price["what_ru"] != price["what"]
    told_kinds = {each["kind"] for part in parts for each in part["lines"]}
    # Nobody has chosen these; whoever does is told them in the fixed part.
    assert set(prices) - told_kinds == {"dashboards_months", "endpoints_months", "route_metrics_months"}


def test_whoever_asks_may_name_figures_in_the_place_of_the_cycles(unplanned: Stage) -> None:
    found = told(unplanned, "?teams=20&files=500&listening=3&days=2")
    (final,) = found["finals"]
    assert [final[each]["value"] for each in ("teams", "files", "listening")] == [20, 500, 3]
    assert {final[each]["source"] for each in ("teams", "files", "listening")} == {"asked"}
    assert found["days"]["days"] == figure(2, "asked")
    assert final["cost"] == pytest.approx(priced(final_counts(Size(20, 500, 3))))
    assert told(unplanned, "?days=0")["days"]["cost"] == 0
    assert told(unplanned, "?teams=20")["finals"][0]["listening"] == figure(4, "usual")
    refused = asked(unplanned, "?teams=2&listening=3")
    assert (refused.status, refused.json["error"]["details"][0]["field"]) == (422, "listening")
    assert asked(unplanned, "?teams=0").status == 422


@pytest.mark.clause("platform §7 cost")
def test_the_choices_of_the_cycles_file_cost_what_the_command_says(unplanned: Stage) -> None:
    """Every way of asking has the same choices and hours, and the same sum."""
    hours = ("--armed-hours", "2.5")
    for query, words in (
        ("", ()),
        ("&with=programs", ("--with", "programs")),
        ("&with=dashboard,snapshots&armed_hours=2.5", ("--with", "dashboard", "--with", "snapshots", *hours)),
        (f"&with={','.join(Choice)}", [word for choice in Choice for word in ("--with", choice.value)]),
    ):
        printed = cost("--teams", "20", "--files", "500", "--days", "30", *words, "--json")
        answer, command = told(unplanned, f"?teams=20&files=500&days=30{query}"), json.loads(printed.stdout)
        assert answer["cost"] == pytest.approx(command["cost"])
        assert [line["kind"] for line in answer["days"]["lines"]] == [line["kind"] for line in command["days"]]
    assert asked(unplanned, "?with=dashboard,nothing").status == 422
    assert asked(unplanned, "?armed_hours=-1").status == 422
    assert cost("--teams", "2", "--files", "5", "--armed-hours", "100001").exit_code == 2


def test_days_are_those_of_the_stages_and_a_final_to_which_nobody_comes_asks_for_nothing(stage: Stage) -> None:
    cycle = toy_cycle(final=SET)
    cycle["cycle.json"]["stages"] = {
        "qualification": {"first": "2026-09-01", "last": "2026-09-10"},
        "final": {"first": "2026-09-21", "last": "2026-09-30"},
    }
    stage.load(cycle)
    stage.restart()
    assert told(stage)["days"]["days"] == figure(30, "planned")
    (final,) = told(stage)["finals"]
    assert (final["teams"], final["lines"], final["cost"]) == (figure(0, "planned"), [], 0)


@pytest.mark.clause("platform §7 cost")
def test_a_final_that_everybody_has_joined_is_estimated_by_who_came_and_who_listens(stage: Stage) -> None:
    run = RunOnStage(stage, 3, "red", "blue", "grey")
    stage.team("never")
    before = told(stage)["finals"][0]
    assert (before["run_id"], before["teams"]) == (run.run_id, figure(4, "planned"))
    attachment = Attachment(run.programs["grey"].session_id, "a-connection", version=1, since=stage.now)
    stage.platform.connections.attach(None, attachment)
    run.at(run.schedule.join_until + 1)
    after = told(stage)["finals"][0]
    assert (after["teams"], after["files"]) == (figure(3, "counted"), figure(3, "planned"))
    assert after["listening"] == figure(1, "counted")
    assert told(stage, "?teams=10")["finals"][0]["listening"] == figure(2, "usual")


def test_a_final_of_another_cycle_and_a_trial_cost_this_one_nothing(stage: Stage) -> None:
    run = RunOnStage(stage, 3, "red")
    other = replace(run.run, run_id="f" * 20, cycle="toy-0", files=900)
    stage.platform.runs.add(other, None)
    stage.platform.runs.add(replace(run.run, run_id="t" * 20, trial=True), None)
    assert [each["run_id"] for each in told(stage)["finals"]] == [run.run_id]
