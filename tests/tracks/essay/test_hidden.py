"""What is told of a hidden set of essays: whole per cents of a file, coarse totals of ten essays and more."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tracks.essay.track import EssayTrack
from tracks.protocol import ItemFacts, Outcome
from tracks.rules import Details

TRACK = EssayTrack()
TRAIN = Path(__file__).resolve().parents[3] / "local" / "demonstration" / "train"
PARAMETERS, _ = TRACK.read_parameters({})


def read(name: str) -> Any:
    return json.loads((TRAIN / name).read_text("utf-8"))


@cache
def record(answer: str) -> Any:
    references = [read(f"rus-01_exp0{number}.json") for number in (1, 2)]
    item = read("rus-01.json")
    given = item if answer == "empty" else read("rus-01_exp01.json")
    return TRACK.score(item, given, references, PARAMETERS)


def told(answers: list[str]) -> Any:
    outcomes = [Outcome(ItemFacts(f"{n}", "rus", "rus"), True, record(each)) for n, each in enumerate(answers)]
    return TRACK.totals(TRACK.aggregate(outcomes, PARAMETERS, 1), outcomes)


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3", "TS T10")
def test_measures_are_the_records_own_in_whole_per_cent() -> None:
    whole = TRACK.measures(record("empty"))
    exact = record("empty")
    for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"):
        assert whole[name] == int(whole[name])
        assert abs(whole[name] - exact[name]) <= 0.5
    assert [TRACK.details(kind) for kind in ("training", "test", "final", "reserve")] == [
        Details.FILES,
        *[Details.MEASURES] * 3,
    ]


@pytest.mark.clause("R 2.7", "R 6.5.3", "TS T10")
def test_of_fewer_than_ten_essays_no_accuracy_is_told() -> None:
    found = told(["empty"] * 9)
    assert found["algorithm_accuracy"] is found["relative_accuracy"] is None
    assert set(found["interval_95"].values()) == {None}
    assert found["missed_as_zero"] == {"relative_accuracy": None}
    assert (found["essays"], found["by_subject"], found["by_metric"]) == (9, {}, {})
    assert told(["empty"] * 10)["by_subject"]["rus"]["algorithm_accuracy"] is not None


@pytest.mark.clause("R 2.7", "R 6.5.3", "TS T10")
@pytest.mark.parametrize("essays", [10, 99, 100, 300])
def test_steps_of_a_total_over_all_its_essays_are_one_per_cent_of_an_essay_or_more(essays: int) -> None:
    found = told(["first"] + ["empty"] * (essays - 1))
    step = 10.0 ** -(len(str(essays)) - 1)
    assert step * essays >= 1
    for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"):
        assert found[name] / step == pytest.approx(round(found[name] / step))


def test_tables_take_the_measures_in_place_of_a_record() -> None:
    outcomes = [Outcome(ItemFacts("a", "rus", "rus"), True, TRACK.measures(record("empty")))]
    (table,) = [each for each in TRACK.report_sections(told(["empty"]), outcomes) if each.key == "files"]
    assert table.rows[0][:2] == ("a", "rus")
    assert all(value is None or value == int(value) for value in table.rows[0][2:])


def test_a_total_just_below_the_barrier_reads_below_it() -> None:
    whole = TRACK.aggregate(
        [Outcome(ItemFacts(f"{n}", "rus", "rus"), True, record("empty")) for n in range(10)], PARAMETERS, 1
    )
    values = {99.96: 99.9, 99.94: 99.9, 100.0: 100.0, 100.04: 100.0, 99.85: 99.9}
    assert {
        value: TRACK.totals({**whole, "relative_accuracy": value}, ())["relative_accuracy"] for value in values
    } == values
