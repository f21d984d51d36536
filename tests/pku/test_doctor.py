"""``pku doctor``: every check can end in each of its verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pku import doctor
from pku.config import Clock, Sample
from pku.doctor import (
    Limits,
    Verdict,
    check_clock,
    check_journals,
    check_latency,
    check_run,
    check_solver,
    measure,
    next_run,
)
from pku.errors import sentence
from pku.pilot import mark
from pku.solvers import FunctionSolver
from tests.pku.platform import DrivenClock, FinalPlatform, Platform, numbered, pku, serving
from tests.stage import Stage


def samples(*round_trips: float, ahead: float = 0.0) -> list[Sample]:
    return [Sample(100.0, 100.0 + each / 2 + ahead, 100.0 + each) for each in round_trips]


@pytest.fixture
def final(stage: Stage) -> FinalPlatform:
    return FinalPlatform(stage, DrivenClock(), numbered(1))


@pytest.mark.parametrize(
    ("ahead", "verdict"),
    [(0.0, Verdict.GOOD), (-1.9, Verdict.GOOD), (2.5, Verdict.WARNING), (-3600.0, Verdict.WARNING)],
)
def test_a_clock_that_is_off_is_a_warning(ahead: float, verdict: Verdict) -> None:
    finding = check_clock(samples(0.1, 0.2, ahead=ahead))
    assert (finding.verdict, finding.values["offset_ms"]) == (verdict, round(ahead * 1000))
    assert finding.values["uncertainty_ms"] == 50


@pytest.mark.parametrize(
    ("ahead", "english", "russian"),
    [
        (0.003, "is 3 ms ahead", "впереди на 3 мс"),
        (-0.003, "is 3 ms behind", "отстаёт на 3 мс"),
        (0.0, "is 0 ms ahead", "впереди на 0 мс"),
    ],
)
def test_a_clock_is_said_to_be_behind_where_it_is(ahead: float, english: str, russian: str) -> None:
    finding = check_clock(samples(0.1, ahead=ahead))
    assert finding.name == "clock"  # a program reads one name, whichever way it is off
    assert english in sentence(f"doctor.{finding.wording}", "en", **finding.values)
    assert russian in sentence(f"doctor.{finding.wording}", "ru", **finding.values)


@pytest.mark.parametrize(
    ("slowest", "verdict"),
    [(1.0, Verdict.GOOD), (1.01, Verdict.WARNING), (4.99, Verdict.WARNING), (5.0, Verdict.FAULT)],
)
def test_latency_is_held_against_the_time_for_a_request(slowest: float, verdict: Verdict) -> None:
    finding = check_latency(samples(*[0.1] * 50, slowest), Limits(request_s=10))
    assert finding.verdict is verdict
    assert (finding.values["p50_ms"], finding.values["p99_ms"]) == (100, round(slowest * 1000))
    assert finding.values["margin_s"] == round(10 - slowest, 1)


@pytest.mark.parametrize(("seconds", "verdict"), [(39, Verdict.GOOD), (41, Verdict.WARNING), (50, Verdict.FAULT)])
def test_the_solvers_time_is_held_against_the_time_for_an_answer(seconds: float, verdict: Verdict) -> None:
    clock = DrivenClock()

    def slow(content: dict[str, Any]) -> dict[str, Any]:
        clock.sleep(seconds)
        return content

    finding = check_solver(FunctionSolver(slow), clock, Limits(answer_s=50), 0.5, {"track": "essay"})
    assert (finding.name, finding.verdict) == ("solver", verdict)
    assert finding.values["longest_s"] == seconds


def test_a_solver_that_fails_is_a_fault() -> None:
    def broken(content: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("no model")

    finding = check_solver(FunctionSolver(broken), DrivenClock(), Limits(), 0.1, {"track": "essay"})
    assert (finding.name, finding.verdict, finding.values["file"]) == ("solver_failed", Verdict.FAULT, "sample-rus")


def test_the_pilot_passes_on_the_samples() -> None:
    assert check_solver(FunctionSolver(mark), Clock(), Limits(), 0.1, {"track": "essay"}).verdict is Verdict.GOOD


def test_the_samples_are_of_the_cycles_own_label_set() -> None:
    own = {"subjects": {"ner": [{"code": "PER", "group": "meaning"}]}}
    cycle = {"track": "essay", "classifier": own, "languages": {"ukr": ["ner"]}}
    assert check_solver(FunctionSolver(mark), Clock(), Limits(), 0.1, cycle).verdict is Verdict.GOOD


def test_journals_need_a_folder_that_can_be_written(tmp_path: Path) -> None:
    assert check_journals(tmp_path / "new").verdict is Verdict.GOOD
    (tmp_path / "file").write_text("")
    finding = check_journals(tmp_path / "file" / "journals")
    assert (finding.name, finding.verdict) == ("journals_unwritable", Verdict.FAULT)
    assert finding.values["why"].ru == "это не папка"


def test_the_platforms_time_is_measured_without_the_first_exchange(stage: Stage) -> None:
    exchange = FinalPlatform(stage, DrivenClock(), numbered(1), ahead=7.0).exchange()
    asked: list[None] = []
    found = measure(exchange, 3, lambda: asked.append(None))
    assert [round(each.offset, 3) for each in found] == [7.0, 7.0, 7.0]
    assert len(asked) == 4


def test_the_platform_is_not_asked_more_often_than_it_allows(platform: Platform) -> None:
    began = platform.clock.now()
    measure(platform.exchange(), 20)
    assert platform.clock.now() - began > 2  # ten requests a second (D 12.8)


def test_a_run_that_can_no_longer_be_joined_is_not_the_next(stage: Stage) -> None:
    final = FinalPlatform(stage, DrivenClock(), numbered(3))
    final.clock.sleep(final.opens_at(1) + 120 - final.server_now())
    assert next_run(final.exchange()) is not None
    final.clock.sleep(1)
    assert next_run(final.exchange()) is None


def test_the_next_run_and_its_limits_are_told(final: FinalPlatform) -> None:
    run = next_run(final.exchange())
    assert check_run(run).values["run_id"] == final.run_id
    assert Limits.of_run(run, CYCLE) == Limits(10, 50)


CYCLE: dict[str, Any] = {
    "parameters": {
        "time_limit_s": {"min": 10, "max": 600, "default": 61},
        "technical": {"request_s": 9, "answer_s": 41},
        "final": {"request_s": 30, "answer_s": 29},
    }
}


@pytest.mark.clause("TS T16")
def test_t16_without_a_run_the_limits_of_the_cycles_finals_hold() -> None:
    assert (check_run(None).name, Limits.of_run(None, CYCLE)) == ("no_run", Limits(30, 29))


@pytest.mark.clause("TS T16")
@pytest.mark.parametrize(
    ("mode", "answer_s"), [("algorithmic", 61), ("training", 61), ("technical", 41), ("final", 29)]
)
def test_t16_the_usual_time_for_an_answer_is_the_cycles_for_each_kind_of_session(mode: str, answer_s: float) -> None:
    assert doctor.answer_s_of(CYCLE, mode) == answer_s


@pytest.fixture
def served(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "REST_S", 0)
    final = FinalPlatform(stage, Clock(), numbered(1))
    monkeypatch.setenv("HURDLE_TOKEN", final.token)
    with serving(final) as address:
        monkeypatch.setenv("HURDLE_URL", address)
        yield


@pytest.mark.usefixtures("served")
def test_the_command_says_everything_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sample, "round_trip", property(lambda _: 0.002))  # it is not the machine that is tested
    words = ["doctor", "--entry-point", "pku.pilot:mark", "--lang"]
    for language, ready in (("en", "Ready."), ("ru", "Готово к прогону.")):
        result = pku(*words, language)
        assert result.output.count("✓") == 6
        assert ready in result.output
    machine = json.loads(pku(*words, "en", "--json").stdout)
    assert [each["check"] for each in machine["findings"]] == [
        "clock",
        "latency",
        "journals",
        "solver",
        "kit_unpublished",
        "run",
    ]
    assert machine["verdict"] == "good"


@pytest.mark.usefixtures("served")
def test_a_fault_ends_with_exit_code_1() -> None:
    assert "Not ready" in pku("doctor", "--solver", "false {input} {output}", "--lang", "en", code=1).output
