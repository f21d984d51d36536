"""Cost estimate (platform §7), equal to a played final's requests; open runs and uncopied tables at a deployment."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner, Result

from contest.adapters import aws
from contest.adapters.aws import S3Copies
from contest.channel.rules import Attachment
from contest.commands.main import main
from contest.cycle.rules.cycle import Mode
from contest.operations import overview
from contest.operations.letters import note_copies
from contest.operations.overview import days_counts, final_counts, fixed_costs, price_list
from contest.operations.rules import (
    CALLS,
    HTTP,
    KINDS,
    QUEUES,
    SECONDS,
    Choice,
    Deployed,
    Size,
    bill,
    estimate_final,
    estimate_period,
    usual_final,
    with_the_rest,
)
from contest.people.rules import Role
from contest.run import planning, under_way, watching
from contest.run.planning import RunOrder
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.stored_names import EXPORTED, Figure
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis, iso, utc_day
from rehearsal.stages import metered
from tests.contest.run.played_runs import Played, load, planned
from tests.fakes import FakePlatform
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Answered, Stage, staged
from tests.toys import toy_cycle

PRICES = price_list()
COUNTED_GB = fixed_costs([Choice.SNAPSHOTS])
LARGE = os.environ.get("HURDLE_METERED_SIZE", "")
"""``TEAMSxFILES`` of a final to be played instead of the small one."""

COUNTED = (
    "http_requests",
    "function_calls",
    "table_read_units",
    "table_write_units",
    "object_reads",
    "object_writes",
    "queue_requests",
)
"""Counts that are the same on every machine; the durations of functions are not."""


def cost(*words: str) -> Result:
    return CliRunner().invoke(main, ["cost", *words])


def cost_printed(*words: str) -> str:
    done = cost(*words)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.clause("platform §7 cost")
def test_platform_7_the_estimate_is_within_a_fifth_of_what_a_played_final_asks_for() -> None:
    """The final has a size from which the model was not made."""
    teams, count = (int(number) for number in (LARGE or "5x4").split("x"))
    measured, expected = metered(teams, count), final_counts(usual_final(teams, count))
    everything = [kind for kind in KINDS if kind != SECONDS]
    whole = sum(expected[kind] for kind in everything) / sum(measured[kind] for kind in everything)
    assert whole == pytest.approx(1.0, abs=0.2)
    assert {kind: expected[kind] / measured[kind] for kind in COUNTED} == pytest.approx(
        dict.fromkeys(COUNTED, 1.0), abs=0.2
    )


def test_terms_grow_with_files_and_both_kinds_of_teams_and_a_bill_is_the_sum_of_counts_times_prices() -> None:
    coefficients = {kind: [1, 10, 100, 1000, 10_000, 100_000] for kind in KINDS}
    size = Size(teams=3, files=3, listening=1)
    counts = estimate_final(coefficients, size)
    assert counts[CALLS] == 1 + 30 + 200 + 6000 + 10_000 + 300_000
    with pytest.raises(ValueError, match="zip"):
        estimate_final({**coefficients, CALLS: [1, 2]}, size)
    (line,) = bill({HTTP: 3_000_000}, {HTTP: {"price": 1.0, "per": 1_000_000}, CALLS: {"price": 9, "per": 1}})
    assert line.cost == pytest.approx(3.0)
    with pytest.raises(KeyError, match=CALLS):
        bill({CALLS: 1}, {HTTP: {"price": 1.0, "per": 1}})


@pytest.mark.clause("platform §7 cost")
def test_teams_on_the_channel_cost_queue_requests_and_are_one_in_five_where_nobody_says_how_many() -> None:
    assert [usual_final(teams, 3).listening for teams in (1, 4, 5, 9, 10)] == [0, 0, 1, 1, 2]

    def requests(listening: int) -> float:
        estimate = json.loads(cost_printed("--teams", "10", "--files", "20", "--listening", str(listening), "--json"))
        return next(float(line["count"]) for line in estimate["final"] if line["kind"] == QUEUES)

    assert requests(0) < requests(2) < requests(10)
    refused = cost("--teams", "2", "--files", "3", "--listening", "3")
    assert refused.exit_code == 2
    assert "more teams are on the channel" in refused.output


@pytest.mark.clause("platform §7 cost")
def test_idle_days_and_a_million_team_files_cost_what_is_counted_at_dated_prices() -> None:
    counts = estimate_period(Deployed({"secrets": 4}, 10, 100, snapshot_gb=2, kept_gb=3), 2, 0.5, armed_hours=1)
    assert (counts[CALLS], counts[SECONDS], counts[QUEUES]) == (200, 100.0, 10 * 5 * 4320 * 2)
    assert counts["secrets_months"] == pytest.approx(4 * 48 / 730)
    assert counts["snapshot_gb_s"] == 2 * 2 * 86_400
    assert counts["kept_gb_s"] == 3 * 3600
    final = bill(final_counts(usual_final(20, 500)), PRICES["prices"])
    assert 20 < sum(line.cost for line in final) * 1_000_000 / (20 * 500) <= 40
    counted = {**days_counts(1, [*Choice], 1), **final_counts(usual_final(1, 1))}
    assert set(PRICES["prices"]) == set(counted)
    for price in PRICES["prices"].values():
        assert price["price"] > 0
        assert price["per"] >= 1
        assert price["date"][:2] == "20"
        assert price["source"].startswith("https://aws.amazon.com/")


@pytest.mark.clause("platform §7 cost")
def test_an_idle_month_costs_at_most_25_dollars_and_choices_and_armed_hours_cost_more() -> None:
    def days(*words: str) -> float:
        estimate = json.loads(cost_printed("--teams", "1", "--files", "1", "--json", *words))
        return sum(float(line["cost"]) for line in estimate["days"])

    idle = days()
    assert 15 < idle <= 25
    assert days("--with", "snapshots") == pytest.approx(idle + COUNTED_GB.snapshot_gb * 30 * 86_400 * 1.5046e-6, abs=1)
    assert days("--with", "programs") == pytest.approx(idle + 72, abs=1)
    assert days("--armed-hours", "33") == pytest.approx(idle + COUNTED_GB.kept_gb * 33 * 3600 * 3.3334e-6, abs=0.01)


@pytest.mark.clause("platform §7 cost")
def test_the_command_tells_every_part_and_the_sum() -> None:
    estimate = json.loads(cost_printed("--teams", "20", "--files", "500", "--json"))
    lines = [*estimate["final"], *estimate["days"]]
    assert estimate["cost"] == pytest.approx(sum(line["cost"] for line in lines))
    of_a_final = {*with_the_rest(dict.fromkeys(KINDS, 1.0)), "own_metrics_months"}
    assert {line["kind"] for line in estimate["final"]} == of_a_final
    assert f"{estimate['cost']:.2f} USD in us-east-1: 20 teams, 500 files, 30 days" in cost_printed(
        "--teams", "20", "--files", "500"
    )
    more = json.loads(cost_printed("--teams", "40", "--files", "500", "--json"))
    assert more["cost"] > estimate["cost"]


def test_another_price_list_is_read_and_a_wrong_one_refused(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    dear = {kind: {**price, "price": price["price"] * 2} for kind, price in PRICES["prices"].items()}
    own.write_text(json.dumps({**PRICES, "currency": "EUR", "region": "here", "prices": dear}), "utf-8")
    size = ("--teams", "2", "--files", "3", "--json")
    estimate, shipped = json.loads(cost_printed(*size, "--prices", str(own))), json.loads(cost_printed(*size))
    assert (estimate["currency"], estimate["region"]) == ("EUR", "here")
    assert estimate["cost"] == pytest.approx(2 * shipped["cost"])
    own.write_text(json.dumps({**PRICES, "prices": {}}), "utf-8")
    refused = cost(*size, "--prices", str(own))
    assert refused.exit_code == 1
    assert "no price of" in refused.output


SET, DAYS = 7, 30


def asked(stage: Stage, query: str = "", role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request("GET", f"/v1/conduct/cost{query}", token=stage.person(role))


def told(stage: Stage, query: str = "") -> Any:
    return asked(stage, query).body()


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
    actual = {"status": "suspended", "reason": "it asked for a pause"}
    assert stage.request("POST", "/v1/teams/gone/decision", actual, token).status == 200
    return stage


@pytest.mark.clause("platform §7 cost")
def test_before_a_final_is_planned_sets_and_teams_are_estimated_with_priced_lines_that_add_up(unplanned: Stage) -> None:
    result = told(unplanned)
    (final,) = result["finals"]
    assert (final["run_id"], final["set"]) == (None, "final")
    assert (final["teams"], final["files"]) == (figure(6, "planned"), figure(SET, "planned"))
    assert final["listening"] == figure(1, "usual")
    assert final["cost"] == pytest.approx(priced(final_counts(usual_final(6, SET))))
    assert result["days"]["days"] == figure(DAYS, "usual")
    assert result["days"]["cost"] == pytest.approx(priced(days_counts(DAYS)))
    parts = [result["days"], *result["finals"]]
    for part in parts:
        assert part["cost"] == pytest.approx(sum(each["cost"] for each in part["lines"]))
    assert result["cost"] == pytest.approx(sum(entry["cost"] for entry in parts))
    prices = {entry["kind"]: entry for entry in result["prices"]}
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
    result = told(unplanned, "?teams=20&files=500&listening=3&days=2")
    (final,) = result["finals"]
    assert [final[each]["value"] for each in ("teams", "files", "listening")] == [20, 500, 3]
    assert {final[each]["source"] for each in ("teams", "files", "listening")} == {"asked"}
    assert result["days"]["days"] == figure(2, "asked")
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


WHY = "the firewall refuses everybody"


def open_runs_of(platform: FakePlatform, mode: Mode = Mode.FINAL) -> list[tuple[str, str]]:
    return [(row.run_id, row.state.value) for row in overview.open_runs(platform) if row.mode is mode]


def at(played: Played, moment: Millis) -> list[tuple[str, str]]:
    played.platform.clock.moment = moment
    return open_runs_of(played.platform)


@pytest.mark.clause("platform §2 deployment")
def test_a_run_is_open_from_an_hour_before_its_start_until_its_end_also_paused_and_not_when_stopped() -> None:
    platform = FakePlatform()
    load(platform, 4, 6, marked=True)
    start = platform.clock.now() + 3 * HOUR
    run = planning.plan_run(platform, "tests", RunOrder(Mode.FINAL, "final", start, MINUTE))
    played = Played(platform, run.run_id)
    assert at(played, start - HOUR - 1) == []
    assert at(played, start - HOUR) == [(run.run_id, "planned")]
    assert at(played, start) == [(run.run_id, "running")]
    end = played.schedule.ends_at
    assert at(played, end) == [(run.run_id, "running")]
    assert at(played, end + 1) == []
    other = planned()
    platform, run_id = other.platform, other.run_id
    platform.clock.advance(90)
    watching.decide(platform, "tests", run_id, Wish(Kind.PAUSE, "a reason"))
    platform.clock.advance(10)
    assert open_runs_of(platform) == [(run_id, "paused")]
    watching.decide(platform, "tests", run_id, Wish(Kind.STOP, "a reason"))
    platform.clock.advance(10)
    assert open_runs_of(platform) == []


def test_a_technical_run_that_nobody_has_planned_yet_is_open_before_its_slot() -> None:
    platform = FakePlatform()
    load(platform, 4, 6, marked=True)
    coming = under_way.coming_technical(platform)
    assert coming is not None
    platform.clock.moment = coming.starts_at - HOUR - SECOND
    assert open_runs_of(platform, Mode.TECHNICAL) == []
    platform.clock.advance(1)
    assert open_runs_of(platform, Mode.TECHNICAL) == [(coming.run_id, "planned")]
    platform.clock.moment = coming.starts_at - MINUTE
    run = under_way.ensure_run(platform, platform.clock.now())
    assert run is not None
    assert open_runs_of(platform, Mode.TECHNICAL) == [(coming.run_id, "planned")] == [(run.run_id, "planned")]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["cycle", "deploying", *words])


@pytest.mark.integration
@pytest.mark.clause("platform §1 audit")
def test_the_command_refuses_under_a_run_and_writes_why_somebody_went_on(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        stage.load(run_cycle(4))
        free = run("--json")
        assert (free.exit_code, json.loads(free.stdout)) == (0, {"runs": []})
        start = iso(stage.now + 10 * MINUTE)
        command = CliRunner().invoke(main, ["run", "plan", "--start", start])
        run_id = command.stdout.strip()
        refused = run("--json")
        assert refused.exit_code == 3
        (row,) = json.loads(refused.stdout)["runs"]
        assert row == {"run_id": run_id, "mode": "final", "state": "planned", "starts_at": start}
        assert run_id in run().stdout

        def notes_of_deployments() -> list[object]:
            log = stage.platform.audit_log.on(utc_day(stage.now))
            return [change.after for change in log if change.what == overview.DEED]

        assert notes_of_deployments() == []
        assert run("--anyway", WHY).exit_code == 0
        assert notes_of_deployments() == [{"reason": WHY, "runs": [run_id]}]


NOW = 1_800_000_000_000


def figures_of(copies: Any) -> list[Any]:
    """Return the figures that one look at the copies notes."""
    noted: list[Any] = []
    clock, figures = SimpleNamespace(now=lambda: NOW), SimpleNamespace(note=noted.append)
    platform: Any = SimpleNamespace(copies=copies, clock=clock, figures=figures)
    note_copies(platform)
    return noted


def uncopied(names: list[str]) -> Any:
    [figures] = figures_of(SimpleNamespace(names=lambda _: names))
    return figures[Figure.TABLES_UNCOPIED]


def name(table: str, at: int, file: str = "manifest-summary.json") -> str:
    return f"exports/{table}/AWSDynamoDB/{at:014}-2d8752fd/{file}"


def test_a_table_is_copied_by_a_complete_export_of_the_last_day_and_a_cycle_without_copies_counts_nothing() -> None:
    assert uncopied([name(table, NOW - DAY) for table in EXPORTED]) == 0
    assert uncopied([name(table, NOW - DAY - 1) for table in EXPORTED]) == 5
    assert uncopied([name("scores", NOW, "data/1.json.gz"), name("scores", NOW, "manifest-files.json")]) == 5
    assert uncopied([name("scores", NOW - DAY - 1), name("scores", NOW), name("teams", NOW), "exports/"]) == 4
    assert uncopied([]) == 5
    assert figures_of(None) == []


@pytest.mark.parametrize("code", ["AccessDenied", "NoSuchBucket"])
def test_a_bucket_out_of_sight_has_no_copies(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code}}, "ListObjectsV2")

    pages = SimpleNamespace(paginate=refuse)
    monkeypatch.setattr(aws, "client", lambda _: SimpleNamespace(get_paginator=lambda _: pages))
    if code == "AccessDenied":
        assert S3Copies("theirs").names("exports/") == []
    else:
        with pytest.raises(ClientError):
            S3Copies("theirs").names("exports/")
