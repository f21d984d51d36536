"""The rehearsal's checker on histories written by hand: right ones pass, silent ones prove nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehearsal.history import History, read
from rehearsal.proof.case import Size
from rehearsal.proof.checker import PROOFS, check
from rehearsal.proof.oracle import ESSAY
from tests.rehearsal.spoiling import red
from tests.rehearsal.story import Pen

PRACTISED = ("sessions_chosen", "sessions_ended", "requests_limited")
READ = ("doors_kept", "people_kept", "day_kept", "news_kept", "boards_as_decided")
AROUND = tuple(
    "readiness_concluded admitted_by_steps one_entry_each trial_apart failure_proposed begun_anew beside_as_promised "
    "channel_alive latency_given_back held_in_real_time experts_apart experts_counted".split()
)
"""Checks of the plays beside and around a final."""


def test_a_final_in_which_everything_is_right_passes_every_check(pen: Pen) -> None:
    checks = check(pen.story())
    assert {result.name: result.faults for result in checks} == {name: [] for name in PROOFS[ESSAY].checks}
    beside = {"decisions_kept", *PRACTISED, *READ, *AROUND}
    assert {result.name for result in checks if not result.examined} == beside, (
        "nobody decides, practises or qualifies in it"
    )


def test_a_history_in_which_nobody_joined_proves_nothing(pen: Pen) -> None:
    for line in pen.all("request", what="open"):
        pen.forget(pen.find("response", n=line["n"]))
        pen.forget(line)
    assert {"acknowledged_kept", "causes_by_the_rules", "one_winner", "files_as_committed", "ten_sends"} <= red(pen)


@pytest.mark.parametrize(
    ("header", "silent"),
    [
        ({"faults": ["crowd"], "files": 3}, "strangers_kept_out"),
        ({"teams": 3, "listening": 1}, "channel_kept"),
        ({"files": 3}, "commitment_kept"),
    ],
    ids=["crowds", "the event channel", "files of the record"],
)
def test_fewer_cases_than_the_size_has_prove_nothing(pen: Pen, header: dict, silent: str) -> None:
    pen.find("header").update(header)
    assert silent in red(pen)


def test_every_check_has_a_least_number_and_every_silence_a_reason() -> None:
    played = frozenset({"crowd", "prying", "decisions", "practice", "qualifying", "reading", "people"})
    size = Size(over_http=4, listening=1, files=8, faults=played)
    assert PROOFS[ESSAY].unexercised(size) == {}
    alone = Size(over_http=4, listening=0, files=8, faults=frozenset({"slow"}))
    silent = "channel_kept not_yet_told others_kept strangers_kept_out references_hidden decisions_kept".split()
    reasons = PROOFS[ESSAY].unexercised(alone)
    assert reasons.keys() == {*silent, *PRACTISED, *READ, *AROUND}
    assert all(reasons.values())


def test_a_history_that_says_too_little_proves_nothing(pen: Pen) -> None:
    pen.forget(pen.find("answer", of="board"))
    pen.add("answer", of="not_published", body="results_differ: the first: team-001, file 1")
    failed = [result for result in check(pen.story()) if not result.passed]
    assert {result.name: result.faults[0] for result in failed} == {
        "nothing_stuck": "the run has no board: results_differ: the first: team-001, file 1",
        "told_as_played": "board: was not told in the end",
        "archive_kept": "board.json: the archive has other rows than everybody is shown",
    }
    assert not any("KeyError" in fault for result in failed for fault in result.faults)


def test_a_history_is_read_back_as_it_was_written(pen: Pen, tmp_path: Path) -> None:
    history = History(tmp_path / "history.jsonl")
    for line in pen.lines:
        history.add(**line)
    history.close()
    assert read(tmp_path / "history.jsonl") == pen.story()
