"""Alarms: everybody hears of them, each has a row in the runbook, none is paid for twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.figures import NAMESPACE, Figure
from contest.route import SHARES, kept_for
from infra.rights import FUNCTIONS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RUNBOOKS = {"operations.md": "When an alarm comes", "operations.ru.md": "Когда пришла тревога"}
SILENT = {"MinuteTimerSilent": (60, 5), "ChannelTimerSilent": (60, 5), "AuditSilent": (4 * 3_600, 2)}
"""Period in seconds and number of periods after which nothing heard is an alarm."""
MOST_WATCHED = 60
MOST_OWN = 20
PROMPT = {row.name for row in FUNCTIONS if row.prompt}


def alarms_of(synthesis: Any) -> dict[str, dict[str, Any]]:
    properties = [item["Properties"] for item in synthesis.watched["Resources"].values() if "Alarm" in item["Type"]]
    alarms = [item for item in properties if "AlarmName" in item]
    return {item["AlarmName"].removeprefix(f"hurdle-{synthesis.cycle}-"): item for item in alarms}


def metrics_of(alarm: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "Metrics" not in alarm:
        yield alarm
    yield from (metric["MetricStat"]["Metric"] for metric in alarm.get("Metrics", ()) if "MetricStat" in metric)


def rows(page: str) -> list[str]:
    """Return the alarms of a runbook, by its rows."""
    text = (ROOT / "docs" / page).read_text("utf-8").partition(f"## {RUNBOOKS[page]}")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| ([A-Z]\w+(?:, \w+)*) \|", text, re.MULTILINE)
    return [name for cell in first_cells for name in cell.split(", ")]


@pytest.mark.parametrize("page", RUNBOOKS)
def test_every_alarm_has_a_row_in_the_runbook_and_every_row_an_alarm(synthesis: Any, page: str) -> None:
    assert sorted(rows(page)) == sorted(alarms_of(synthesis))


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
