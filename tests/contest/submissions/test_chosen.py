"""Which programs of a team go to the private test (tracks-sessions F-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contest.cycle.rules.cycle import SetKind
from contest.submissions.private import chosen_of
from contest.submissions.rules import Order, Submission, SubmissionKind, SubmissionState
from contest.values import Upload

ORDER = Order(SubmissionKind.PROGRAM, Upload(1, "0" * 64, ("0" * 64,)), "test", SetKind.TEST, "1" * 64)


def submission(name: str, value: float | None, at: int, **more: Any) -> Submission:
    made = Submission(name, "red", "fusion", "fusion", ORDER, "k", 0, SubmissionState.SCORED, value=value)
    return replace(made, completed_at=at, **more)


def chosen(*known: Submission) -> list[str]:
    return [each.submission_id for each in chosen_of(known, 10)]


@pytest.mark.clause("TS F-7")
def test_f7_a_team_that_names_none_has_its_best_scored_program_run_and_at_most_two_that_it_named() -> None:
    worse, best, later = submission("a", 1.2, 1), submission("b", 2.1, 2), submission("c", 2.1, 3)
    assert chosen(later, worse, best) == ["b"]
    assert chosen(worse, submission("d", None, 0)) == ["a"]
    named = [submission(name, 1.0, at, named_at=at) for at, name in enumerate("xyz")]
    assert chosen(submission("best", 4.0, 9), *named) == ["x", "y"]
    assert chosen(submission("best", 4.0, 9), named[0]) == ["x"]


@pytest.mark.clause("TS F-7")
def test_f7_what_is_not_scored_is_no_program_of_another_set_or_ended_too_late_is_not_run() -> None:
    failed = replace(submission("failed", 4.0, 1), state=SubmissionState.FAILED)
    answers = submission("answers", 4.0, 1, order=replace(ORDER, kind=SubmissionKind.ANSWERS))
    private = submission("private", 4.0, 1, order=replace(ORDER, set_kind=SetKind.FINAL))
    assert chosen(failed, answers, private) == []
    assert chosen(failed, answers, private, submission("own", 0.1, 2)) == ["own"]
    late = submission("late", 4.0, 5, changed_at=11)
    assert chosen(submission("early", 1.0, 1), late) == ["early"]
    assert chosen(late) == []
    assert chosen(replace(late, named_at=12)) == ["late"], "what a team has named is named before it is begun"
