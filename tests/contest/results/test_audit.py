"""The audit: results that it recomputes, passes over, and finds missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

from contest.exchange.store import DynamoSessionReads
from contest.ports import SessionFacts
from contest.results import audit, boards, publishing
from contest.results.rules.jobs import AuditJob
from contest.run import under_way
from contest.session.rules.delivery import Delivery
from contest.submissions import worker
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage

NOTHING = {"sessions": 0, "scores": 0, "reports": 0, "remembered": 0, "differences": (), "missing": ()}
NOTHING |= {"off_board": None}


def test_sessions_of_today_and_yesterday_are_audited_when_they_have_ended(stage: Stage, red: Program) -> None:
    assert stage.audit() == NOTHING
    red.open(files=1)
    assert stage.audit() == NOTHING
    red.play()
    stage.score_all()
    red.get("next")
    stage.tick()
    audited = []
    for _ in range(3):
        audited.append(stage.audit()["sessions"])
        stage.advance(86_400)
    assert audited == [1, 1, 0]


def test_files_without_an_answer_are_passed_over(stage: Stage, red: Program) -> None:
    red.open(files=3)
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    red.get("files/2")
    red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    stage.report_all()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}


def ended(stage: Stage, red: Program) -> str:
    """Play a session of one answer and make its report."""
    red.open(files=1)
    red.play()
    stage.report_all()
    return f"reports/{red.session_id}/1.json"


def test_what_was_audited_is_remembered_until_a_stored_byte_changes(stage: Stage, red: Program) -> None:
    report = ended(stage, red)
    once = {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}
    assert stage.audit() == once
    assert stage.audit() == {**NOTHING, "sessions": 1, "remembered": 1}
    good = stage.platform.blobs.get(report)
    stage.platform.blobs.put(report, good + b" ")
    for _ in range(2):
        assert stage.audit()["differences"] == (f"report {red.session_id}",)
    stage.platform.blobs.put(report, good)
    assert stage.audit()["remembered"] == 1
    ((key, record),) = stage.platform.scores.of_session(red.session_id).items()
    stage.delete_scores()
    stage.platform.scores.put(red.session_id, key, record.replace(b"100", b"101"))
    assert stage.audit()["differences"] == (f"score {red.session_id} 1", f"report {red.session_id}")


def test_other_facts_other_code_and_what_differs_are_not_remembered(stage: Stage, red: Program) -> None:
    """A restored table may hold another moment; no score and no hash of an answer shows it."""
    ended(stage, red)
    stage.audit()
    (delivery,) = stage.platform.deliveries.of_session(red.session_id)
    assert delivery.answer is not None
    later = replace(delivery.answer, received_at=delivery.answer.received_at + 1)
    with patch.object(type(stage.platform.session_reads), "facts", restored(replace(delivery, answer=later))):
        assert stage.audit()["differences"] == (f"report {red.session_id}",)
    assert stage.audit()["remembered"] == 1
    with patch.object(stage.platform, "code", "of tomorrow"):
        assert stage.audit()["remembered"] == 0
        assert stage.audit()["remembered"] == 1
    assert stage.audit()["remembered"] == 1
    stage.delete_scores()
    for _ in range(2):
        assert stage.audit()["missing"] == (f"score {red.session_id} 1",)


def restored(delivery: Delivery) -> Callable[..., SessionFacts]:
    """Return a reader of a session's facts with another delivery in the place of the only one."""
    really = DynamoSessionReads.facts
    return lambda reads, session_id: replace(really(reads, session_id), deliveries=(delivery,))


def test_what_is_being_scored_or_reported_is_not_missing(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    red.get("next")
    assert stage.audit() == {**NOTHING, "sessions": 1}
    stage.score_all()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1}
    stage.tick()
    assert stage.audit() == {**NOTHING, "sessions": 1, "scores": 1, "reports": 1}
    stage.platform.blobs.delete(f"reports/{red.session_id}/1.json")
    assert stage.audit()["missing"] == (f"report {red.session_id}",)


@pytest.mark.clause("platform §4 audit")
def test_a_final_that_is_marked_weeks_later_is_audited_before_it_is_published(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue", marked=False).play()
    played.at(under_way.over_at(played.schedule) + 60_000)
    stage.report_all()
    stage.advance(14 * 86_400)
    assert (stage.audit()["scores"], stage.audit()["remembered"]) == (0, 2)
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    stage.settle()
    stage.report_all()
    found = stage.audit()
    assert (found["sessions"], found["scores"], found["differences"], found["missing"]) == (2, 4, (), ())
    assert found["reports"] == 2 * 2 + 1  # a report and an entry each, and the board
    assert stage.audit()["remembered"] == 2
    red = played.programs["red"].session_id
    entry = boards.entry_name(played.run, red)
    stage.platform.blobs.put(entry, stage.platform.blobs.get(entry).replace(b"100.0", b"10.0"))
    assert set(stage.audit()["differences"]) == {f"entry {red}", f"board {played.run_id}"}


def test_every_round_has_one_job_more_than_sessions(stage: Stage, red: Program) -> None:
    assert audit.plan(stage.platform) == 1
    ended(stage, red)
    assert audit.plan(stage.platform) == 2
    assert audit.audit(stage.platform, AuditJob(), worker.rebuilt) == audit.together([])
    assert audit.audit(stage.platform, AuditJob("nobody"), worker.rebuilt).missing == ("session nobody",)
