"""R 6.7, 7.8: reports of technical and final sessions; R 7.7: the share that annuls a solution."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from contest.cycle.rules.cycle import Mode
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from tests.run_stage import ABSENT, SLOW, WRONG, RunOnStage
from tests.stage import Stage


def test_r_6_7_2_a_technical_report_shows_the_delay_from_opening_to_hand_out(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", mode=Mode.TECHNICAL)
    start = played.run.starts_at
    for number, late in ((1, 1_000), (2, 4_000)):
        played.at(start + (number - 1) * 60_000 + late)
        assert played.programs["red"].get(f"files/{number}").status == 200
    played.finish()
    delays = played.report("red")["timing"]["delay_ms"]
    assert (delays["mean"], delays["max"]) == (2_500.0, 4_000)


def test_r_6_7_3_a_technical_report_shows_shares_by_cause_and_a_chart(
    stage: Stage,
) -> None:
    played = RunOnStage(stage, 5, "red", mode=Mode.TECHNICAL)
    played.play({1: {"red": ABSENT}, 2: {"red": SLOW}, 3: {"red": WRONG}})
    played.finish()
    void = played.report("red")["voided"]
    assert (void["files"], void["share"]) == (3, 0.6)
    assert void["by_cause"]["team_late"] == {"files": 2, "share": 0.4}
    assert void["by_cause"]["team_invalid"] == {"files": 1, "share": 0.2}
    timing = played.report("red")["timing"]
    assert (timing["processing_ms"]["count"], timing["delay_ms"]["count"]) == (2, 4)  # the late one was handed out
    files = played.report("red")["files"]
    assert [(each["state"], each["cause"]) for each in files[:4]] == [
        ("voided", "team_late"),
        ("voided", "team_late"),
        ("voided", "team_invalid"),
        ("answered", None),
    ]
    drawn = played.programs["red"].get("timeline")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
    root = ET.fromstring(drawn.text.encode())  # noqa: S314 -- our own chart
    assert root.attrib["role"] == "img"
    said = root.findtext("{http://www.w3.org/2000/svg}desc")
    assert said is not None
    assert "answered: 2, annulled: 3" in said
    assert "с ответом: 2, аннулировано: 3" in said


@pytest.mark.clause("R 6.7.4", "platform §4 readiness")
def test_r_6_7_4_a_technical_report_concludes_on_readiness_with_reasons_in_both_languages(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue", mode=Mode.TECHNICAL, parameters={"readiness_min_files": 4})
    played.play({1: {"red": ABSENT}})
    played.finish()
    assert played.report("blue")["readiness"] == {"ready": True, "valid_share": 1.0, "reasons": []}
    conclusion = played.report("red")["readiness"]
    assert (conclusion["ready"], conclusion["valid_share"]) == (False, 0.75)
    (reason,) = conclusion["reasons"]
    assert (reason["code"], "25.0%" in reason["message"], "25,0%" in reason["message_ru"]) == (
        "too_many_voided",
        True,
        True,
    )
    played.decide(Wish(Kind.VOID, "unreadable", (2,)))  # a file that is taken away makes no run too short
    assert played.report("blue")["readiness"] == {"ready": True, "valid_share": 1.0, "reasons": []}


@pytest.mark.clause("R 6.7.4", "platform §4 readiness")
@pytest.mark.parametrize("mode", [Mode.TECHNICAL, Mode.FINAL])
def test_r_6_7_4_a_run_needs_as_many_files_as_a_session_to_show_readiness(stage: Stage, mode: Mode) -> None:
    played = RunOnStage(stage, 4, "red", mode=mode, parameters={"readiness_min_files": 5})
    played.play()
    played.finish()
    conclusion = played.report("red")["readiness"]
    assert (conclusion["ready"], conclusion["valid_share"]) == (False, 1.0)
    assert [(each["code"], each["where"]) for each in conclusion["reasons"]] == [
        ("too_few_files", {"files": 4, "least": 5})
    ]


def test_r_6_7_1_a_technical_report_shows_processing_times_and_how_good_the_answers_were(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", mode=Mode.TECHNICAL)
    played.open(1)
    played.open(2, red="abxx")
    played.finish()
    report = played.report("red")
    times = report["timing"]["processing_ms"]
    assert times == {"count": 2, "mean": 10_000.0, "max": 10_000, "p50": 10_000, "p95": 10_000}
    assert report["result"]["relative_accuracy"] == 75.0


@pytest.mark.clause("R 7.7", "platform §3 annulment")
def test_r_7_7_files_lost_to_the_platform_or_by_decision_count_on_neither_side(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red")
    played.play({1: {"red": ABSENT}, 2: {"red": ABSENT}})
    played.finish()
    assert played.report("red")["solution"]["voided_share"] == 0.5
    played.decide(Wish(Kind.RULE, "the logs show our fault", (1,), "red", Cause.PLATFORM))
    assert played.report("red")["solution"]["voided_share"] == 1 / 3
    played.decide(Wish(Kind.VOID, "unreadable", (2,)))
    assert played.report("red")["solution"] == {"voided_share": 0.0, "allowed_share": 0.05, "voided": False}


@pytest.mark.clause("R 7.8", "R 7.11")
def test_r_7_8_a_finals_report_has_the_form_of_a_technical_one_and_tells_no_results_yet(stage: Stage) -> None:
    final = RunOnStage(stage, 2, "red")
    final.play()
    final.finish()
    made = final.report("red")
    technical = RunOnStage(stage, 2, "blue", mode=Mode.TECHNICAL)
    technical.play()
    technical.finish()
    assert made.keys() == technical.report("blue").keys()
    assert made["timing"].keys() == {"processing_ms", "delay_ms"}
    assert (made["result"], made["sections"], made["session"]["mode"]) == (None, [], "final")


@pytest.mark.clause("R 8.3.1")
def test_r_8_3_1_a_ruling_makes_a_new_report_and_the_old_one_stays(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red")
    played.play({1: {"red": ABSENT}})
    played.finish()
    before = played.report("red")
    played.decide(Wish(Kind.RULE, "their line was cut", (1,), "red", Cause.NETWORK))
    after = played.report("red")
    assert (before["files"][0]["cause"], after["files"][0]["cause"]) == ("team_late", "network")
    assert after["files"][0]["evidence"]["automatic"]["cause"] == "team_late"
    kept = stage.platform.blobs.names(f"reports/{played.programs['red'].session_id}/")
    assert len(kept) == 2
    assert stage.audit()["differences"] == ()
