"""The doctor (platform §7) over HTTP: every ailment is planted, found with its evidence, mended once, and gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contest.experts import judged_essays, work
from contest.operations import doctor
from contest.operations.rules import WORDS, Ailment
from contest.people.rules import Role
from contest.results import publishing
from contest.run import under_way
from contest.stored_names import LetterQueue
from tests.experts_stage import DIFFERENT, Desk, shipped
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Answered, Program, Stage

MINUTE = 60


def ask(stage: Stage, method: str, path: str, body: Any = None, role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request(method, path, body, stage.person(role))


def found(stage: Stage, ailment: str) -> list[dict[str, Any]]:
    answered = ask(stage, "GET", "/v1/doctor", role=Role.COMMISSION)
    assert answered.status == 200, answered.text
    return [each for each in answered.json["findings"] if each["ailment"] == ailment]


def mend(stage: Stage, *ailments: str) -> list[dict[str, Any]]:
    answered = ask(stage, "POST", "/v1/doctor/mend", {"ailments": list(ailments)} if ailments else {})
    assert answered.status == 200, answered.text
    mended: list[dict[str, Any]] = answered.json["mended"]
    return mended


def gone_after_mending(stage: Stage, ailment: str, subject: str) -> None:
    """Assert that a finding is mended with an entry in the log, is gone then, and is not mended a second time."""
    (one,) = found(stage, ailment)
    assert (one["subject"], one["mendable"]) == (subject, True)
    assert one["cause"] != one["cause_ru"]
    before = len(stage.platform.audit_log.on(stage_day(stage)))
    assert mend(stage, ailment) == [{"ailment": ailment, "subject": subject, "mended": True, "error": ""}]
    assert mend(stage, ailment) == []
    assert found(stage, ailment) == []
    log = stage.platform.audit_log.on(stage_day(stage))[before:]
    (entry,) = [each for each in log if each.what == "stuck work mended"]
    assert (entry.who, entry.after) == (
        "person:person-organizer",
        {"findings": [{"ailment": ailment, "subject": subject, "error": ""}]},
    )


def redone(stage: Stage, ailment: str, work: Callable[[], list[Any]]) -> None:
    """Assert that a finding mended once, with its work done without a failure, is found no more."""
    assert mend(stage, ailment)[0]["mended"]
    assert work() == []
    assert found(stage, ailment) == []


def stage_day(stage: Stage) -> str:
    return "2026-09-21" if stage.now < 1_790_035_200_000 else "2026-09-22"


@pytest.mark.clause("platform §7 doctor")
def test_a_platform_on_which_nothing_is_stuck_has_no_findings(stage: Stage, red: Program) -> None:
    """A session that is played, scored and reported, one that goes on, and a timer that ticks."""
    red.open(files=2)
    red.play()
    stage.score_all()
    assert red.get("report").status == 200
    red.open(files=3)
    stage.tick()
    stage.platform.upkeep.tick("tend", stage.now)
    assert ask(stage, "GET", "/v1/doctor").json["findings"] == []
    assert mend(stage) == []
    assert [each for each in stage.platform.audit_log.on(stage_day(stage)) if "mended" in each.what] == []


@pytest.mark.clause("platform §7 doctor")
def test_a_silent_timer_cannot_be_mended_and_dead_letters_are_redriven_but_those_of_timers(stage: Stage) -> None:
    assert [(each["subject"], each["since"]) for each in found(stage, "timer_silent")] == [
        ("minute", None),
        ("tend", None),
    ]
    stage.tick()
    stage.platform.upkeep.tick("tend", stage.now)
    stage.advance(170)
    assert found(stage, "timer_silent") == []
    stage.advance(20)
    silent = found(stage, "timer_silent")
    assert [each["subject"] for each in silent] == ["minute", "tend"]
    assert silent[0]["since"] == silent[0]["evidence"]["ticked_at"]
    assert mend(stage, "timer_silent") == []
    stage.die(LetterQueue.SETTLEMENT, '{"run_id": "3h6x0w8t2r5e9q1m4k7s", "session_id": ""}')
    stage.die(LetterQueue.TIMERS, '{"requestContext": {"functionArn": "arn:aws:lambda:x:1:function:hurdle-minute"}}')
    (one,) = found(stage, "dead_letters")
    assert (one["subject"], one["evidence"]) == ("settlement", {"letters": 1})
    gone_after_mending(stage, "dead_letters", "settlement")


@pytest.mark.clause("platform §7 doctor")
def test_a_session_whose_time_is_over_is_closed(stage: Stage, red: Program) -> None:
    red.open(files=2)
    assert red.get("files/1").status == 200
    stage.advance(15 * MINUTE)
    assert found(stage, "session_overdue") == [], "the timer has some minutes to do it"
    stage.advance(5 * MINUTE)
    gone_after_mending(stage, "session_overdue", red.session_id)
    session = stage.platform.sessions.get(red.session_id)
    assert session is not None
    assert session.state.value == "timed_out"


@pytest.mark.clause("platform §7 doctor")
def test_waiting_answers_and_lost_scores_are_queued_again(stage: Stage, red: Program) -> None:
    red.open(files=2)
    red.play()
    assert found(stage, "answers_waiting") == []
    stage.advance(4 * MINUTE)
    (one,) = found(stage, "answers_waiting")
    assert (one["subject"], one["evidence"]) == (red.session_id, {"answers": 2})
    redone(stage, "answers_waiting", stage.work)
    stage.delete_scores()
    stage.advance(4 * MINUTE)
    (lost,) = found(stage, "scores_lost")
    assert (lost["subject"], lost["evidence"]["answers"]) == (red.session_id, 2)
    assert mend(stage, "scores_lost")[0]["mended"]
    stage.score_all()
    gone_after_mending(stage, "report_missing", red.session_id)
    assert stage.platform.sessions.unreported_ids() == []


@pytest.fixture
def final(stage: Stage) -> RunOnStage:
    played = RunOnStage(stage, 3, "red", "blue")
    played.play()
    return played


@pytest.mark.clause("platform §7 doctor")
def test_a_run_without_a_record_and_then_without_results_is_sent_for(stage: Stage, final: RunOnStage) -> None:
    final.at(under_way.over_at(final.schedule) + 31_000)
    stage.tick(settles=False)
    stage.lose(stage.platform.settings.settlement_queue_url)
    assert found(stage, "record_missing") == []
    stage.advance(20 * MINUTE)
    (one,) = found(stage, "record_missing")
    assert (one["subject"], one["evidence"]["state"]) == (final.run_id, "making_record")
    redone(stage, "record_missing", stage.settle)
    publishing.mark(stage.platform, "olga", final.run_id)
    stage.advance(20 * MINUTE)
    (one,) = found(stage, "results_missing")
    assert one["subject"] == final.run_id
    for _ in range(2):
        mend(stage, "results_missing")
        stage.score_all()
        assert stage.settle() == []
    assert found(stage, "results_missing") == []
    assert publishing.publish(stage.platform, "olga", final.run_id).published_at is not None


@pytest.mark.clause("platform §7 doctor")
def test_a_proposal_that_waits_is_the_commissions_to_decide(stage: Stage) -> None:
    played = RunOnStage(stage, 3, "red", "blue")
    played.play({number: {"red": ABSENT, "blue": ABSENT} for number in (1, 2, 3)})
    played.finish()
    (one,) = found(stage, "proposal_open")
    assert (one["subject"], one["mendable"]) == (played.run_id, False)


@pytest.fixture
def desk(stage: Stage) -> Desk:
    return Desk(stage, (DIFFERENT,), "anna boris")


@pytest.mark.clause("platform §7 doctor")
def test_an_experts_time_that_is_over_is_written_down(stage: Stage, desk: Desk) -> None:
    (one, assignment_id), _ = desk.given(DIFFERENT)
    one.open(assignment_id)
    stage.advance(3600 + 2 * MINUTE)
    assert found(stage, "assignment_overdue") == []
    stage.advance(2 * MINUTE)
    gone_after_mending(stage, "assignment_overdue", f"{one.name}/{assignment_id}")


@pytest.mark.clause("platform §7 doctor", "platform §5 third")
def test_a_lacking_third_expert_is_assigned(monkeypatch: pytest.MonkeyPatch, stage: Stage, desk: Desk) -> None:
    """First the rule is not asked, for the process dies; then nobody may have the essay; then somebody may."""
    (one, first), (other, second) = desk.given(DIFFERENT)
    one.mark_up(first, shipped(DIFFERENT, 1))
    other.draft(second, shipped(DIFFERENT, 2))
    with monkeypatch.context() as dying:
        dying.setattr(work, "consider", lambda *_: 1 / 0)
        assert other.hand_in(second, 1).status == 500
    stage.advance(4 * MINUTE)
    marking = desk.olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    gone_after_mending(stage, "rule_not_asked", f"{marking}/{DIFFERENT}")
    stage.advance(4 * MINUTE)
    (lacking,) = found(stage, "third_expert_lacking")
    assert lacking["subject"] == f"{marking}/{DIFFERENT}"
    (failed,) = mend(stage, "third_expert_lacking")
    assert (failed["mended"], failed["error"].split(":")[0]) == (False, "nobody_able")
    assert desk.olga.add("clara").status == 200
    gone_after_mending(stage, "third_expert_lacking", f"{marking}/{DIFFERENT}")
    assert [each["expert_id"] for each in desk.olga.essay(DIFFERENT)["assignments"] if each["third"]] == ["clara"]
    assert not judged_essays.call(stage.platform, marking, DIFFERENT)


@pytest.mark.clause("platform §7 doctor")
def test_one_fault_holds_up_no_other(monkeypatch: pytest.MonkeyPatch, stage: Stage, red: Program) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(doctor.reporting, "waiting", lambda _: 1 / 0)
        (one,) = found(stage, "unreadable")
    assert (one["subject"], one["evidence"]) == ("waiting", {"error": "ZeroDivisionError"})
    assert len(found(stage, "timer_silent")) == 2
    red.open(files=2)
    stage.advance(30 * MINUTE)
    stage.die(LetterQueue.SETTLEMENT, "{}")
    monkeypatch.setattr(doctor.minute_timer, "close", lambda *_: 1 / 0)
    assert [(each["ailment"], each["error"]) for each in mend(stage)] == [
        ("session_overdue", "ZeroDivisionError"),
        ("dead_letters", ""),
    ]


def test_unknown_ailments_are_refused_and_known_ones_have_words_in_both_languages(stage: Stage) -> None:
    assert ask(stage, "POST", "/v1/doctor/mend", {"ailments": ["headache"]}).code == "invalid_request"
    assert ask(stage, "POST", "/v1/doctor/mend", {"ailments": []}).code == "invalid_request"
    assert set(WORDS) == set(Ailment)
    for ailment, words in WORDS.items():
        assert words.cause.en != words.cause.ru
        assert words.action.en != words.action.ru
        assert (ailment in doctor._MENDS) is words.mendable


@pytest.mark.clause("platform §7 doctor", "platform §2 rescoring")
def test_a_rescoring_whose_messages_were_lost_is_found_and_goes_on(stage: Stage) -> None:
    run = RunOnStage(stage, 1, "red")
    run.play()
    run.finish()
    for _ in range(2):
        stage.advance(MINUTE)
        stage.tick()
    said = {"run_id": run.run_id, "reason": "why"}
    rescoring_id = ask(stage, "POST", "/v1/rescorings", said).json["rescoring_id"]
    queue = stage.platform.settings.rescoring_queue_url
    assert stage.lose(queue) == 1
    stage.advance(14 * MINUTE)
    assert found(stage, "rescoring_stuck") == []
    stage.advance(2 * MINUTE)
    (stuck,) = found(stage, "rescoring_stuck")
    assert (stuck["subject"], stuck["evidence"]) == (rescoring_id, {"state": "open", "done": 0, "total": 1})
    redone(stage, "rescoring_stuck", stage.rescore)
    assert ask(stage, "POST", f"/v1/rescorings/{rescoring_id}/accept", {"reason": "why"}).status == 200
    assert stage.lose(queue) == 1
    stage.advance(16 * MINUTE)
    assert found(stage, "rescoring_stuck")[0]["evidence"] == {"state": "accepted", "done": 0, "total": 1}
    redone(stage, "rescoring_stuck", stage.rescore)


@pytest.mark.clause("platform §7 doctor", "platform §4 shadow")
def test_a_recomputation_whose_workers_were_lost_is_found_and_sent_for(stage: Stage) -> None:
    run = RunOnStage(stage, 1, "red")
    run.play()
    run.at(under_way.over_at(run.schedule) + MINUTE * 1000)
    stage.tick(settles=False)
    stage.score_all()
    settings = stage.platform.settings
    for _ in range(3):
        stage.advance(MINUTE)
        stage.tick(settles=False)
        assert stage._deliver("settle", settings.settlement_queue_url, 1) == []
    assert stage.lose(settings.shadow_queue_url) >= 1
    stage.advance(16 * MINUTE)
    (late,) = found(stage, "results_missing")
    assert (late["subject"], late["evidence"]["state"]) == (run.run_id, "verifying")
    redone(stage, "results_missing", stage.settle)
