"""Let a deployment ask the cycle for open runs and note the reason of whoever goes on; count the tables without a
copy of the last day."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner, Result

from contest.adapters import aws
from contest.adapters.aws import S3Copies
from contest.commands.main import main
from contest.cycle.rules.cycle import Mode
from contest.operations import overview
from contest.operations.letters import note_copies
from contest.run import planning, under_way, watching
from contest.run.planning import RunOrder
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.stored_names import EXPORTED, Figure
from contest.values import DAY, HOUR, MINUTE, SECOND, Millis, iso, utc_day
from tests.contest.run.played_runs import Played, load, planned
from tests.fakes import FakePlatform
from tests.run_stage import run_cycle
from tests.stage import staged

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
