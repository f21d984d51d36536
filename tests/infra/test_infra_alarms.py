"""Alarms: everybody hears of them, each has a row in the runbook, none is paid for twice."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contest.adapters.system import LoggedFigures
from contest.operations.letters import note_copies
from contest.routes import SHARES, kept_for
from contest.stored_names import EXPORTED, NAMESPACE, Figure
from contest.values import HOUR, SECOND
from infra import assembly
from infra.rights import FUNCTIONS
from infra.template import with_alarms
from local.aws.alarms import ALARM_TYPE
from local.cloud import LocalCloud
from tests.infra.conftest import REAL_CYCLE
from tests.infra.templates import metrics_of, of_type
from tests.local.stub_cloud import TEMPLATE, crash, stub_cloud

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RUNBOOKS = {"operations.md": "When an alarm comes", "operations.ru.md": "Когда пришла тревога"}
SILENT = {"MinuteTimerSilent": (60, 5), "ChannelTimerSilent": (60, 5), "AuditSilent": (4 * 3_600, 2)}
"""Period in seconds and number of periods after which nothing heard is an alarm."""
MOST_WATCHED = 60
MOST_OWN = 20
PROMPT = {row.name for row in FUNCTIONS if row.prompt}
REAL_ALONE = {"TablesUncopied", *(f"{name}Failed" for name in PROMPT)}
"""Alarms that the demonstration lacks: it has no copies, and takes new versions at once."""


def alarms_of(synthesis: Any) -> dict[str, dict[str, Any]]:
    alarms = of_type(synthesis.watched, "CloudWatch::Alarm").values()
    return {item["AlarmName"].removeprefix(f"hurdle-{synthesis.cycle}-"): item for item in alarms}


def rows(page: str) -> list[str]:
    """Return the alarms of a runbook, by its rows."""
    text = (ROOT / "docs" / page).read_text("utf-8").partition(f"## {RUNBOOKS[page]}")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| ([A-Z]\w+(?:, \w+)*) \|", text, re.MULTILINE)
    return [name for cell in first_cells for name in cell.split(", ")]


def canaries_of(real: Any) -> dict[str, dict[str, Any]]:
    """Return the alarms that take a new version of a real cycle's functions back, by name, as the local cloud can
    evaluate them."""
    (application,) = (stack for stack in assembly.read(real.folder) if stack.name == f"hurdle-{real.cycle}")
    template = with_alarms(application)
    alarms = {item["Properties"].get("AlarmName", ""): item for item in template["Resources"].values()}
    return {name.removeprefix(f"{application.name}-"): item for name, item in alarms.items() if name.endswith("Failed")}


@pytest.mark.parametrize("page", RUNBOOKS)
def test_every_alarm_has_a_row_in_the_runbook_and_every_row_an_alarm(synthesis: Any, real: Any, page: str) -> None:
    alarms = {*alarms_of(real), *canaries_of(real)}
    assert sorted(rows(page)) == sorted(alarms)
    assert alarms - {*alarms_of(synthesis)} == REAL_ALONE


@pytest.fixture(scope="module")
def cloud(real: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """Start the demonstration with the alarms that real cycles have alone."""
    template = json.loads(TEMPLATE.read_text("utf-8"))
    copies = {"Type": ALARM_TYPE, "Properties": {**alarms_of(real)["TablesUncopied"]}}
    copies["Properties"].pop("AlarmActions")
    copies["Properties"].pop("OKActions")
    template["Resources"].update({**canaries_of(real), "TablesUncopied": copies})
    with stub_cloud(template, tmp_path_factory.mktemp("real"), {}) as ready:
        yield ready


def test_a_failed_call_through_an_alias_rings_the_alarm_of_its_function_and_no_other(cloud: LocalCloud) -> None:
    names = {f"hurdle-{REAL_CYCLE}-{name}Failed" for name in PROMPT}
    for name in PROMPT:
        assert not [alarm for alarm in names if cloud.alarms()[alarm]]
        crash(name, cloud)
        assert [alarm for alarm in names if cloud.alarms()[alarm]] == [f"hurdle-{REAL_CYCLE}-{name}Failed"]
        cloud.clock.jump(61)
    crash("Settle", cloud)
    assert not [alarm for alarm in names if cloud.alarms()[alarm]], "nobody moves an alias of a worker"


def test_a_week_without_a_locked_export_is_an_alarm_and_six_days_are_none(cloud: LocalCloud) -> None:
    alarm = f"hurdle-{REAL_CYCLE}-TablesUncopied"
    names: list[str] = []
    platform = SimpleNamespace(
        copies=SimpleNamespace(names=lambda _: names),
        clock=SimpleNamespace(now=cloud.clock.now_ms),
        figures=LoggedFigures(REAL_CYCLE),
    )

    def export(*tables: str) -> None:
        moment = cloud.clock.now_ms()
        names.extend(f"exports/{table}/AWSDynamoDB/{moment:014}-2d8752fd/manifest-summary.json" for table in tables)

    def days_pass(days: int) -> None:
        for _ in range(6 * days):
            cloud.clock.jump(4 * HOUR / SECOND)
            printed = io.StringIO()
            with redirect_stdout(printed):
                note_copies(platform)
            cloud.figures.take(printed.getvalue().strip())

    export(*EXPORTED)
    days_pass(7)
    assert not cloud.alarms()[alarm]
    export(*EXPORTED - {"scores"})
    days_pass(1)
    assert cloud.alarms()[alarm], "one table's export did not come to its end"
    export(*EXPORTED)
    days_pass(1)
    assert not cloud.alarms()[alarm]


def test_everybody_hears_of_an_alarm_and_of_its_end(synthesis: Any) -> None:
    for name, alarm in alarms_of(synthesis).items():
        assert alarm["AlarmActions"] == alarm["OKActions"] != [], name
        assert alarm["AlarmDescription"], name


def test_silence_is_an_alarm_where_somebody_always_speaks_and_nowhere_else(synthesis: Any) -> None:
    alarms = alarms_of(synthesis)
    silent = {name for name, alarm in alarms.items() if alarm["TreatMissingData"] == "breaching"}
    assert silent == set(SILENT)
    for name, times in SILENT.items():
        alarm = alarms[name]
        assert (alarm["Period"], alarm["EvaluationPeriods"]) == times
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    others = {name: alarm for name, alarm in alarms.items() if name not in silent}
    assert {alarm["ComparisonOperator"] for alarm in others.values()} == {"GreaterThanThreshold"}
    assert {alarm["TreatMissingData"] for alarm in others.values()} == {"notBreaching"}


def test_no_sum_is_missing_because_one_of_its_figures_is(synthesis: Any) -> None:
    for name, alarm in alarms_of(synthesis).items():
        for metric in alarm.get("Metrics", ()):
            if "Expression" in metric:
                assert re.fullmatch(r"FILL\(m\d, 0\)( \+ FILL\(m\d, 0\))*", metric["Expression"]), name


def test_thresholds_are_those_of_the_configuration(synthesis: Any) -> None:
    alarms = alarms_of(synthesis)
    assert alarms["UnscoredAge"]["Threshold"] == 120, "platform §4: two minutes"
    assert alarms["OpeningLateness"]["Threshold"] == 2_000
    assert alarms["ServerErrors"]["Threshold"] == 5


def test_alarms_and_figures_stay_within_what_they_may_cost(synthesis: Any, real: Any) -> None:
    for cycle in (synthesis, real):
        watched = [metric for alarm in alarms_of(cycle).values() for metric in metrics_of(alarm)]
        assert len(watched) <= MOST_WATCHED
        own = {metric["MetricName"] for metric in watched if metric["Namespace"] == NAMESPACE}
        assert own <= set(Figure)
    assert len(Figure) <= MOST_OWN


def test_no_alarm_watches_more_metrics_than_cloudwatch_takes(synthesis: Any) -> None:
    """Ten of one expression ("Using math expressions with CloudWatch metrics")."""
    assert max(sum(1 for _ in metrics_of(alarm)) for alarm in alarms_of(synthesis).values()) <= 10


def test_spill_over_is_watched_at_the_alias_of_each_function_that_is_kept_running(real: Any) -> None:
    spilled = [json.dumps(metric["Dimensions"]) for metric in metrics_of(alarms_of(real)["SpillOver"])]
    assert len(spilled) == len(SHARES)
    assert all(":live" in resource for resource in spilled)
    assert set(SHARES) <= PROMPT


@pytest.mark.parametrize(
    ("page", "words"),
    [("operations.md", r"start anew \(([\w, ]+)\)"), ("operations.ru.md", r"подписывать \(([\w, ]+)\)")],
)
def test_the_runbook_of_a_leaked_key_names_every_function_that_signs(page: str, words: str) -> None:
    """A warm process that is left out goes on signing with the leaked key."""
    (named,) = re.findall(words, (ROOT / "docs" / page).read_text("utf-8"))
    assert named.split(", ") == [row.name for row in FUNCTIONS if row.signs]


@pytest.mark.parametrize(("page", "words"), [("operations.md", r"(\d+) in all"), ("operations.ru.md", r"всего (\d+);")])
def test_the_runbook_says_how_many_executions_an_account_needs(real: Any, page: str, words: str) -> None:
    """Kept running, of workers at most, reserved, and the hundred that Lambda leaves unreserved."""
    resources = [item["Properties"] for item in real.application["Resources"].values() if "Properties" in item]
    workers = [item["ScalingConfig"]["MaximumConcurrency"] for item in resources if "ScalingConfig" in item]
    reserved = [item.get("ReservedConcurrentExecutions", 0) for item in resources]
    needed = sum(kept_for(50).values()) + sum(workers) + sum(reserved) + 100
    assert re.findall(words, (ROOT / "docs" / page).read_text("utf-8")) == [str(needed)]
