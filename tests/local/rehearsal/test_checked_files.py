"""What the checker finds in files: opened early, stuck, annulled for another cause than the rules give."""

from __future__ import annotations

import pytest

from local.rehearsal.moments import to_text
from local.rehearsal.proof.checker import check
from tests.local.rehearsal.spoiling import (
    ARCHIVE,
    REPORTS,
    TOLD,
    answer_of,
    digest_of,
    faults_of,
    file_of,
    pen_file,
    red,
    request_of,
)
from tests.local.rehearsal.story import RUN, START, TEAMS, Pen


def test_nothing_of_a_file_is_told_before_its_opening(pen: Pen) -> None:
    pen.call("ann", "next", None, 59_999, 200, file_ids=[pen_file(2)])
    assert red(pen) == {"nothing_early"}


def test_a_file_of_no_run_is_told_to_nobody(pen: Pen) -> None:
    pen.call("ann", "next", None, 59_999, 200, file_ids=["8" * 15])
    assert red(pen) == {"nothing_early"}


def test_a_release_follows_the_schedule(pen: Pen) -> None:
    pen.answer("record")["releases"][1]["opens_at"] = to_text(START + 59_000)
    pen.sign_record()
    assert red(pen) == {"nothing_early"}


def test_a_pause_that_nobody_decided_is_none(pen: Pen) -> None:
    pause = {"from": to_text(START + 60_000), "until": to_text(START + 61_000)}
    pen.answer("run")["pauses"].append(pause)
    assert red(pen) == {"commitment_kept"}


def test_files_are_those_that_were_committed_to(pen: Pen) -> None:
    file_of(pen, "ann", 1)["said"]["content_sha256"] = "0" * 64
    assert red(pen) == {"files_as_committed"}


@pytest.mark.parametrize(("state", "cause"), [("open", None), ("waiting", None), ("voided", None)])
def test_a_file_is_answered_or_annulled_with_a_cause(pen: Pen, state: str, cause: str | None) -> None:
    pen.answer("status/ann")["deliveries"][0].update(state=state, cause=cause)
    assert "nothing_stuck" in red(pen)


def test_an_open_session_is_stuck(pen: Pen) -> None:
    pen.answer("status/bob")["state"] = "open"
    assert red(pen) == {"nothing_stuck"}


def test_what_waits_in_the_outbox_is_stuck(pen: Pen) -> None:
    pen.add("item", table="exchange", pk=f"OUTBOX#{TEAMS['ann']}", sk="0001#x", item={})
    assert red(pen) == {"nothing_stuck"}


@pytest.mark.parametrize(("session", "expected"), [(TEAMS["ann"], {"nothing_stuck"}), ("9" * 15, set())])
def test_a_report_that_the_timer_makes_for_ever_is_stuck(pen: Pen, session: str, expected: set[str]) -> None:
    pen.add("item", table="exchange", pk="SESSIONS#UNREPORTED", sk=session, item={})
    assert red(pen) == expected


def test_what_waits_among_the_dead_letters_is_stuck(pen: Pen) -> None:
    pen.find("left", queue="QueuesScoringDeadLetters")["messages"] = 1
    assert red(pen) == {"nothing_stuck"}


@pytest.mark.parametrize(("name", "expected"), [("scoring", {"nothing_stuck"}), ("pushes", set())])
def test_what_was_taken_from_the_dead_letters_is_stuck_all_the_same(pen: Pen, name: str, expected: set[str]) -> None:
    """A push that failed costs nobody anything: the client asks."""
    pen.add("item", table="exchange", pk="LETTERS#OPEN", sk=f"{name}-0123456789abcdef", item={})
    assert red(pen) == expected


def test_an_answer_is_not_unscored_for_more_than_two_minutes(pen: Pen) -> None:
    (write,) = pen.all("written", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    write["at"] = START + 20_000 + 120_000
    assert red(pen) == set()
    write["at"] += 1
    assert red(pen) == {"nothing_stuck"}


SPOILT = [
    ({"what": "tick_missed", "at": START + 90_000}, 60_000),
    ({"what": "tick_late", "at": START + 90_000, "comes": to_text(START + 100_000)}, 60_000),
    ({"what": "tick_failed", "at": START + 90_000}, 60_000),
    ({"what": "tick_missed", "at": START + 19_999}, 0),
    ({"what": "tick_missed", "at": START + 260_000}, 0),
    ({"what": "tick_doubled", "at": START + 90_000}, 0),
    ({"what": "killed", "handler": "dispatch.minute_timer", "now": START + 90_500}, 60_000),
    ({"what": "throttled", "handler": "dispatch.minute_timer", "now": START + 90_500}, 60_000),
    ({"what": "killed", "handler": "score.worker", "now": START + 90_500}, 2_000),
    ({"what": "killed", "handler": "dispatch.minute_timer", "now": START + 19_999}, 0),
]


def spoil(pen: Pen, injected: dict) -> None:
    at = {"at": to_text(injected["at"])} if "at" in injected else {}
    pen.add("injected", **{**injected, **at})


@pytest.mark.parametrize(("injected", "more"), SPOILT)
def test_what_was_done_to_the_timer_on_purpose_puts_a_score_off(pen: Pen, injected: dict, more: int) -> None:
    spoil(pen, injected)
    (write,) = pen.all("written", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    write["at"] = START + 20_000 + 120_000 + more
    assert red(pen) == set()
    write["at"] += 1
    assert red(pen) == {"nothing_stuck"}


def test_one_visit_of_the_timer_that_failed_twice_gives_one_minute(pen: Pen) -> None:
    for _ in range(2):
        spoil(pen, {"what": "tick_failed", "at": START + 90_000})
    (write,) = pen.all("written", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    write["at"] = START + 20_000 + 180_001
    assert red(pen) == {"nothing_stuck"}


BEFORE = START - 30_000
"""Of hand-written visits of the timer the first is a minute later."""


@pytest.mark.parametrize(
    ("injected", "latest"),
    [
        (None, -30_000),
        ({"what": "tick_missed", "at": START - 30_000}, 30_000),
        ({"what": "tick_late", "at": START - 30_000, "comes": to_text(START - 11_000)}, -11_000),
        ({"what": "tick_failed", "at": START - 30_000}, 30_000),
        ({"what": "tick_doubled", "at": START - 30_000}, -30_000),
        ({"what": "killed", "handler": "dispatch.minute_timer", "now": START - 29_000}, 30_000),
        ({"what": "killed", "handler": "score.worker", "now": START - 29_000}, -30_000),
    ],
)
def test_a_file_is_armed_by_the_first_visit_that_had_to(pen: Pen, injected: dict | None, latest: int) -> None:
    """The second file opens a minute after the start."""
    pen.find("header")["timer_from"] = BEFORE - 60_000
    if injected is not None:
        spoil(pen, injected)
    armed = pen.find("item", sk="RELEASE#0002")["item"]
    armed["armed_at"] = START + latest
    assert faults_of(pen, "nothing_early") == []
    armed["armed_at"] += 1
    assert faults_of(pen, "nothing_early") == [
        "RELEASE#0002: was armed 1 ms after a visit of the timer that had to arm it"
    ]


def reported(pen: Pen, at: int, closed_at: int = 0) -> list[str]:
    """List the findings about a session that ended at one moment and whose report is made at another."""
    name, session = f"reports/{TEAMS['ann']}/1.json", f"SESSION#{TEAMS['ann']}"
    pen.add("written", what="reports", pk=name, sk="", at=START + at, sha256="")
    pen.add("item", table="exchange", pk=session, sk="STATE", item={"closed_at": START + closed_at})
    return faults_of(pen, "nothing_stuck")


@pytest.mark.parametrize(
    ("closed_at", "scored_at", "injected", "visit"),
    [
        (29_999, 0, None, 90_000),
        (30_001, 0, None, 150_000),
        (0, 90_000, None, 150_000),
        (29_999, 0, {"what": "tick_missed", "at": START + 90_000}, 150_000),
        (29_999, 0, {"what": "killed", "handler": "dispatch.minute_timer", "now": START + 90_500}, 150_000),
    ],
)
def test_a_report_is_made_by_the_first_visit_after_the_end_and_the_scores(
    pen: Pen, closed_at: int, scored_at: int, injected: dict | None, visit: int
) -> None:
    """A minute after the end answers may be under way."""
    pen.find("header")["timer_from"] = BEFORE
    pen.call("bob", "next", None, 89_000, 404)
    for line in pen.all("written", pk=f"SESSION#{TEAMS['ann']}"):
        line["at"] = START + scored_at
    if injected is not None:
        spoil(pen, injected)
    late = reported(pen.copy(), visit + 1, closed_at)
    assert [each for each in late if "report" in each] == [
        f"session {TEAMS['ann']}: its report was made 1 ms after a visit of the timer that had to"
    ]
    assert reported(pen, visit, closed_at) == []


def test_the_visit_that_ends_a_session_reports_of_it(pen: Pen) -> None:
    pen.find("header")["timer_from"] = BEFORE
    for line in pen.all("written", pk=f"SESSION#{TEAMS['ann']}"):
        line["at"] = START
    (late,) = [each for each in reported(pen.copy(), 150_000, 90_000) if "report" in each]
    assert late.endswith("its report was made 60000 ms after a visit of the timer that had to")
    assert reported(pen.copy(), 90_000, 90_000) == []
    pen.call("ann", "next", None, 90_000, 404, path=f"/v1/sessions/{TEAMS['ann']}/files/next")
    assert reported(pen, 150_000, 90_000) == [], "its own request may have ended it, just after the visit"


def test_in_real_time_nobody_knows_when_the_timer_came(pen: Pen) -> None:
    assert reported(pen, 600_000) == []


STEPS = [
    (TEAMS["ann"], f"runs/{RUN}/record-0/{TEAMS['ann']}.json"),
    (TEAMS["ann"], f"reports/final/{RUN}/0/{TEAMS['ann']}.json"),
    ("", f"runs/{RUN}/record.json"),
    ("", f"reports/final/{RUN}/0.json"),
]


def step_lost(pen: Pen, session: str, name: str, at: int) -> dict:
    """Lose a step a minute after START and write its effect at another moment."""
    pen.add("injected", what="step_lost", now=START + 60_000, run=RUN, session=session)
    return pen.add("written", what=name.partition("/")[0], pk=name, sk="", at=START + at, sha256="")


@pytest.mark.parametrize(("session", "name"), STEPS)
def test_a_lost_step_is_done_within_two_minutes(pen: Pen, session: str, name: str) -> None:
    write = step_lost(pen, session, name, 180_000)
    assert red(pen) == set()
    write["at"] += 1
    assert red(pen) == {"nothing_stuck"}
    spoil(pen, {"what": "tick_missed", "at": START + 90_000})
    assert red(pen) == set()


@pytest.mark.parametrize(("session", "name"), STEPS)
def test_what_another_step_makes_is_not_the_lost_ones(pen: Pen, session: str, name: str) -> None:
    other = TEAMS["bob"] if session else TEAMS["ann"]
    step_lost(pen, session, name, 180_001)
    for each in (f"runs/{RUN}/record-0/{other}.json", f"reports/final/{RUN}/0/{other}.json", f"runs/{RUN}/plan-0.json"):
        pen.add("written", what=each.partition("/")[0], pk=each, sk="", at=START + 60_000, sha256="")
    assert red(pen) == {"nothing_stuck"}


LATER = [
    (*STEPS[1], {"what": "SCORE", "pk": f"SESSION#{TEAMS['ann']}", "sk": "SCORE#0002#more#conditions"}),
    (*STEPS[2], {"what": "runs", "pk": f"runs/{RUN}/record-0/{TEAMS['ann']}.json", "sk": ""}),
    (*STEPS[3], {"what": "reports", "pk": f"reports/final/{RUN}/0/{TEAMS['ann']}.json", "sk": ""}),
]


@pytest.mark.parametrize(("session", "name", "needed"), LATER)
def test_a_lost_step_waits_for_what_it_is_made_of_and_not_for_what_is_written_again(
    pen: Pen, session: str, name: str, needed: dict
) -> None:
    write = step_lost(pen, session, name, 200_000)
    pen.add("written", **needed, at=START + 80_000, sha256="")
    assert red(pen) == set()
    pen.add("written", **needed, at=START + 90_000, sha256="")
    write["at"] += 1
    assert "nothing_stuck" in red(pen)


def test_a_step_that_was_done_before_its_message_was_lost_waits_for_nothing(pen: Pen) -> None:
    step_lost(pen, "", f"runs/{RUN}/record.json", 59_999)
    assert red(pen) == set()


def test_a_run_without_its_record_is_stuck(pen: Pen) -> None:
    pen.forget(pen.find("answer", of="record"))
    found = {each.name: each.faults for each in check(pen.story()) if not each.passed}
    assert found["nothing_stuck"] == ["the run has no record"]
    assert found.keys() == {"nothing_stuck", "nothing_early", "files_as_committed", "commitment_kept", ARCHIVE}


def test_a_counting_answer_without_a_score_is_stuck(pen: Pen) -> None:
    digest = digest_of(pen, "ann", 1)
    pen.forget(pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest}#conditions"))
    assert red(pen) == {"nothing_stuck", "scored_once"}


def fate(pen: Pen, team: str, state: str, cause: str | None) -> None:
    """Set the fate of a team's first file in its session and in the record."""
    pen.answer(f"status/{team}")["deliveries"][0].update(state=state, cause=cause)
    (session,) = [each for each in pen.answer("record")["sessions"] if each["team_id"] == team]
    session["files"][0].update(state=state, cause=cause)
    pen.sign_record()


def missed(pen: Pen, cause: str) -> None:
    """Annul the first file of bob with all its consequences."""
    pen.find("header")["faults"] = ["slow"]
    fate(pen, "bob", "voided", cause)
    for line in (file_of(pen, "bob", 1), answer_of(pen, "bob", 1)):
        pen.forget(request_of(pen, line["n"]))
        pen.forget(line)
    for line in list(pen.lines):
        stored = line["kind"] in {"item", "object", "written"} and "0001" in line.get("sk", line.get("name", ""))
        if stored and line.get("pk") == f"SESSION#{TEAMS['bob']}":
            pen.forget(line)


def annulled(pen: Pen, share: float | None) -> None:
    """Show bob's solution as annulled, or not."""
    over = share is not None and share > 0.05
    pen.answer("status/bob").update(voided_share=share, solution_voided=over)
    rows = [row for row in pen.answer("board")["rows"] if row["team_id"] != "bob"]
    if not over:
        rows.append({"place": 0, **pen.row("bob", 2)})
    rows.sort(key=lambda row: -row["result"]["relative_accuracy"])
    pen.show_board([{**row, "place": place} for place, row in enumerate(rows, start=1)])


def test_a_file_nobody_asked_for_is_the_teams_and_annuls_the_solution(pen: Pen) -> None:
    missed(pen, "team_late")
    annulled(pen, 0.5)
    assert red(pen) == set()


def test_a_missed_file_must_be_counted_in_the_share(pen: Pen) -> None:
    missed(pen, "team_late")
    annulled(pen, 0.0)
    assert red(pen) == {"replay_agrees"}


@pytest.mark.clause("platform §6 rehearsal")
def test_a_request_in_time_that_was_never_answered_is_the_platforms(pen: Pen) -> None:
    missed(pen, "platform")
    annulled(pen, 0.0)
    pen.call("bob", "file", 1, 4_000, 500)
    pen.add("item", table="exchange", pk=f"SESSION#{TEAMS['bob']}", sk="ASKED#0001", item={"at": START + 4_000})
    assert red(pen) == set()


def test_a_fault_of_the_platform_must_not_be_counted_against_a_team(pen: Pen) -> None:
    missed(pen, "team_late")
    annulled(pen, 0.5)
    pen.call("bob", "file", 1, 4_000, 500)
    pen.add("item", table="exchange", pk=f"SESSION#{TEAMS['bob']}", sk="ASKED#0001", item={"at": START + 4_000})
    (failed,) = [row for row in check(pen.story()) if not row.passed and row.name not in {ARCHIVE, REPORTS, TOLD}]
    assert failed.name == "causes_by_the_rules"
    assert failed.faults == ["bob, file 1: a fault of the platform is counted as team_late"]


@pytest.mark.clause("platform §6 rehearsal")
def test_only_wrong_answers_are_the_teams(pen: Pen) -> None:
    missed(pen, "team_invalid")
    annulled(pen, 0.5)
    pen.hand_out("bob", 1)
    reason = {"code": "no_markup", "message": "it is no markup", "message_ru": "это не разметка"}
    said = {"error": {"code": "invalid_answer", "details": [reason]}}
    pen.call("bob", "answer", 1, 9_000, 422, said=said, body_sha256="wrong", code="invalid_answer")
    pen.file_item("bob", 1, sends=0, answer=None)
    assert red(pen) == set()
    del reason["message_ru"]
    assert red(pen) == {"ten_sends"}, "whoever is refused is told why, in both languages"
    reason["message_ru"] = "это не разметка"
    fate(pen, "bob", "voided", "platform")
    assert "causes_by_the_rules" in red(pen)


def test_without_faults_nothing_may_be_annulled(pen: Pen) -> None:
    missed(pen, "team_late")
    annulled(pen, 0.5)
    for harmless in ([], ["losses"], ["crowd", "losses"]):
        pen.find("header")["faults"] = harmless
        assert red(pen) == {"no_faults_no_voids"}
    pen.find("header")["faults"] = ["crowd", "slow"]
    assert red(pen) == set()


def test_nobody_loses_a_file_by_a_decision_that_nobody_made(pen: Pen) -> None:
    missed(pen, "organizer_decision")
    annulled(pen, 0.0)
    assert red(pen) == {"causes_by_the_rules"}
