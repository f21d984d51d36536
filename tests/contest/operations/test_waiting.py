"""Waiting work at the desk, over HTTP: counts with the oldest age by the caller's rights, few reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest.messages.rules import Question, QuestionState
from contest.operations import doctor
from contest.operations.doctor import TIMERS
from contest.people.rules import Change, Role, Team, TeamStatus
from contest.stored_names import LetterQueue
from contest.values import HOUR, MINUTE, iso
from tests.calls import counted
from tests.experts_stage import AGREED, CYCLE, Desk, shipped
from tests.stage import Program, Stage, staged
from tests.stage_kept import Setting
from tests.toys import toy_cycle

FEW = 4

STAGE = Setting(play=lambda stage: stage.load(toy_cycle(train=25, final=3, readiness_min_files=FEW)))


def asked(stage: Stage, role: Role = Role.ORGANIZER) -> dict[str, Any]:
    body: dict[str, Any] = stage.request("GET", "/v1/waiting", token=stage.person(role)).body()
    return body


def counts(stage: Stage, role: Role = Role.ORGANIZER) -> dict[str, tuple[int, str | None]]:
    """Return the waiting work by subject; nothing where none waits."""
    return {row["subject"]: (row["count"], row["at"]) for row in asked(stage, role)["waiting"] if row["count"]}


def tick(stage: Stage) -> None:
    """Note that the timers have ticked, without their work: it would plan runs."""
    for timer in TIMERS:
        stage.platform.upkeep.tick(timer, stage.now)


def apply(stage: Stage, name: str) -> None:
    team = Team(name, name, TeamStatus.APPLIED, stage.now)
    stage.platform.people.add_team(team, Change(stage.now, "tests", "team applied", name, None, {}))


@pytest.mark.clause("R 2.18", "platform §8 organizers")
def test_each_right_opens_its_kinds_of_waiting_work_by_a_bounded_number_of_reads(stage: Stage) -> None:
    tick(stage)
    subjects = {
        role: [row["subject"] for row in asked(stage, role)["waiting"]] for role in (Role.JUDGE, Role.ORGANIZER)
    }
    assert subjects[Role.JUDGE][:5] == ["judgements", "verifications", "admissions", "applications", "questions"]
    assert "questions" in subjects[Role.JUDGE]
    assert "dead_letters" not in subjects[Role.JUDGE]
    assert subjects[Role.ORGANIZER] == [subject.value for subject in doctor.Subject]
    assert counts(stage) == {}
    for number in range(doctor.RUNS_READ + 2):
        stage.plan(in_s=(number + 2) * 3600)
    stage.team("red")
    organizer = stage.person(Role.ORGANIZER)
    stage.request("GET", "/v1/waiting", token=organizer)
    with counted() as calls:
        assert stage.request("GET", "/v1/waiting", token=organizer).status == 200
    assert doctor.RUNS_READ < calls.count <= doctor.CALLS, str(calls)


def test_applications_letters_timers_and_questions_are_counted_with_the_oldest(stage: Stage) -> None:
    question = Question("red", 1, "person", stage.now, "en", "Why?")
    stage.platform.questions.write(None, question, Change(stage.now, "tests", "asked", "red.1", None, {}))
    assert counts(stage, Role.JUDGE) == {"questions": (1, iso(stage.now))}
    answered = replace(question, state=QuestionState.CLOSED, version=question.version + 1)
    stage.platform.questions.write(question, answered, Change(stage.now, "tests", "closed", "red.1", None, {}))
    assert counts(stage, Role.JUDGE) == {}
    first = stage.now
    apply(stage, "green")
    stage.advance(600)
    apply(stage, "blue")
    stage.die(LetterQueue.SCORING, '{"session_id": "294017735586120"}')
    died = stage.now
    tick(stage)
    assert counts(stage) == {"applications": (2, iso(first)), "dead_letters": (1, iso(died))}
    ticked = stage.now
    stage.advance(3600)
    assert counts(stage)["silent_timers"] == (2, iso(ticked))


def test_a_run_counts_within_the_hour_before_its_start_and_while_it_goes_on(stage: Stage) -> None:
    stage.team("red")
    run = stage.plan(in_s=3 * 3600)
    assert "runs" not in counts(stage)
    assert asked(stage)["deadline"] == {"event": "run_starts", "name": run.run_id, "at": iso(run.starts_at)}
    stage.set_clock(run.starts_at - HOUR - 1)
    assert "runs" not in counts(stage)
    stage.set_clock(run.starts_at - HOUR)
    assert counts(stage)["runs"] == (1, iso(run.starts_at))
    stage.set_clock(run.starts_at + MINUTE)
    assert counts(stage)["runs"] == (1, iso(run.starts_at))
    assert asked(stage)["deadline"] is None
    stage.pass_minutes(40)
    assert "runs" not in counts(stage), "it is closed"


def test_a_conclusion_goes_from_judges_to_commission_to_organizers(stage: Stage) -> None:
    red = Program(stage, stage.team("red", admitted=False))
    assert red.open(files=FEW).status == 201
    red.play()
    stage.score_all()
    assert red.get("report").status == 200
    session = stage.platform.sessions.get(red.session_id)
    assert session is not None
    assert session.closed_at is not None
    closed = iso(session.closed_at)
    waiting = counts(stage)
    assert waiting["judgements"] == (1, closed)
    judged = {"confirmed": True, "reason": "as the report says"}
    path = f"/v1/sessions/{red.session_id}/conclusion/"
    assert stage.request("POST", f"{path}judgement", judged, stage.person(Role.JUDGE)).status == 200
    waiting = counts(stage)
    assert "judgements" not in waiting
    assert waiting["verifications"] == (1, closed)


def test_an_expert_is_late_when_the_time_ran_out_and_nobody_has_the_essay_instead(tmp_path: Path) -> None:
    with staged(tmp_path, cycle=CYCLE) as stage:
        desk = Desk(stage)
        (anna, task), (boris, other) = sorted(desk.given(AGREED), key=lambda pair: pair[0].name)
        anna.open(task)
        boris.draft(other, shipped(AGREED, 1))
        stage.advance(3700)
        stage.tick()
        over = anna.work(task).json["assignment"]["closes_at"]
        assert counts(stage)["late_experts"] == (1, over)
        assert desk.olga.decide("extend", "anna", task, seconds=100).status == 200
        stage.advance(60)
        assert "late_experts" not in counts(stage)
