"""The rehearsal's checker on histories written by hand: right ones pass, and each spoilt one fails the right check."""

from __future__ import annotations

from pathlib import Path

import pytest

from local.rehearsal.history import History, read
from local.rehearsal.moments import to_text
from local.rehearsal.proof.checker import CHECKS, check
from local.rehearsal.proof.least import LEAST, NEVER_PLAYED, Size, unexercised
from markup_core.receipt import sha256_hex
from tests.local.rehearsal.story import FILES, INTERVAL, RUN, START, STRANGE, STRANGE_CONNECTION, TEAMS, Pen, signature


@pytest.fixture(scope="module")
def written() -> Pen:
    return Pen()


@pytest.fixture
def pen(written: Pen) -> Pen:
    return written.copy()


def red(pen: Pen) -> set[str]:
    """Names of the checks that fail."""
    return {each.name for each in check(pen.story()) if not each.passed}


def test_a_final_in_which_everything_is_right_passes_every_check(pen: Pen) -> None:
    checks = check(pen.story())
    assert [each.faults for each in checks] == [[] for _ in CHECKS]
    assert [each.name for each in checks] == [name for name, _ in CHECKS]
    beside = ["decisions_kept", "sessions_chosen", "sessions_ended", "requests_limited"]
    assert [each.name for each in checks if not each.examined] == beside, "nobody decides or practises in it"


def test_an_acknowledged_answer_whose_bytes_are_gone_is_lost(pen: Pen) -> None:
    pen.forget(pen.all("object", name=f"answers/{TEAMS['ann']}/1/{digest_of(pen, 'ann', 1)}.json")[0])
    assert red(pen) == {"acknowledged_kept", "scored_once", "replay_agrees"}


def test_a_receipt_that_nobody_stored_is_lost(pen: Pen) -> None:
    pen.forget(pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk="RECEIPT#0001#01"))
    assert "acknowledged_kept" in red(pen)


def test_a_receipt_with_another_signature_is_none(pen: Pen) -> None:
    response = answer_of(pen, "ann", 1)
    response["said"]["signature"] = signature({"key_id": "another"})
    assert red(pen) == {"acknowledged_kept"}


def test_stored_bytes_must_be_those_of_the_receipt(pen: Pen) -> None:
    pen.find("object", name=f"answers/{TEAMS['ann']}/1/{digest_of(pen, 'ann', 1)}.json")["sha256"] = "0" * 64
    assert red(pen) == {"acknowledged_kept", "scored_once", "replay_agrees"}


def test_an_acknowledged_answer_that_does_not_count_is_lost(pen: Pen) -> None:
    pen.item("ann", "FILE#0001")["answer"] = None
    assert red(pen) >= {"acknowledged_kept"}


def test_an_answer_after_its_deadline_must_not_be_accepted(pen: Pen) -> None:
    late = answer_of(pen, "bob", 2)
    move(pen, late["n"], INTERVAL + 50_001)
    assert red(pen) == {"late_not_accepted"}


def test_an_answer_in_the_last_millisecond_may_be_accepted(pen: Pen) -> None:
    move(pen, answer_of(pen, "bob", 2)["n"], INTERVAL + 50_000)
    assert red(pen) == set()


def test_a_repetition_counts_with_its_first_arrival(pen: Pen) -> None:
    response = answer_of(pen, "bob", 2)
    words = {"key": "k", "body_sha256": request_of(pen, response["n"])["body_sha256"]}
    pen.call("bob", "answer", 2, INTERVAL + 10_000, None, content_sha256=digest_of(pen, "bob", 2), **words)
    move(pen, response["n"], INTERVAL + 59_000)
    assert red(pen) == set()


def test_an_answer_decided_on_before_must_not_come_in_time_again(pen: Pen) -> None:
    """Sent in time, replaced, and accepted once more after the deadline: the first receipt is another one."""
    for send, moment in ((2, 30_000), (3, 59_000)):
        said = pen.receipt("ann", 1, 30_000, send=send)
        pen.send("ann", 1, moment, said)
        pen.keep("ann", 1, said)
    pen.item("ann", "FILE#0001").update(sends=3)
    pen.item("ann", "FILE#0001")["answer"]["send"] = 3
    assert "late_not_accepted" in red(pen)


def test_a_file_must_not_be_handed_out_to_a_late_request(pen: Pen) -> None:
    move(pen, file_of(pen, "bob", 2)["n"], INTERVAL + 10_001)
    assert "late_not_accepted" in red(pen)


def test_a_valid_answer_in_time_must_not_be_refused(pen: Pen) -> None:
    digest = digest_of(pen, "ann", 1)
    said = {"error": {"code": "session_closed"}}
    pen.send(
        "ann", 1, 30_000, said, status=409, content_sha256=digest, body_sha256="other bytes", code="session_closed"
    )
    assert red(pen) == {"on_time_not_refused"}


def test_an_answer_in_time_must_not_be_called_late(pen: Pen) -> None:
    said = pen.receipt("ann", 1, 30_000, send=2, status="late", reason="deadline_passed")
    pen.send("ann", 1, 30_000, said)
    pen.keep("ann", 1, said)
    pen.item("ann", "FILE#0001")["sends"] = 2
    assert red(pen) == {"on_time_not_refused"}


def test_a_file_asked_for_in_time_must_not_be_refused(pen: Pen) -> None:
    pen.call("ann", "file", 1, 10_000, 410, said={"error": {"code": "file_missed"}}, code="file_missed")
    assert red(pen) == {"on_time_not_refused"}


def test_a_file_that_is_not_open_may_be_refused(pen: Pen) -> None:
    pen.call("ann", "file", 2, 30_000, 425, said={"error": {"code": "not_open_yet"}}, code="not_open_yet")
    assert red(pen) == set()


def test_deadlines_are_those_of_the_rules(pen: Pen) -> None:
    file_of(pen, "ann", 1)["said"]["answer_by"] = to_text(START + 49_999)
    assert red(pen) == {"deadlines_told"}


@pytest.mark.parametrize(("due", "found"), [(55_250, set()), (55_300, set()), (55_301, {"deadlines_told"})])
def test_what_one_file_took_is_given_back_with_the_next_and_no_more(pen: Pen, due: int, found: set[str]) -> None:
    """The platform estimates when it will be done: it may say so for later than the program had its file."""
    pen.find("header")["limits"]["total_ms"] = 55_000
    slow = file_of(pen, "ann", 1)
    slow["at"] += 100
    slow["said"] |= {"handed_out_at": to_text(START + 150), "answer_by": to_text(START + 50_150)}
    late = file_of(pen, "ann", 2)
    pen.find("request", n=late["n"])["at"] += 8_000
    late["at"] += 8_100
    late["said"] |= {"handed_out_at": to_text(START + 68_100), "answer_by": to_text(START + 60_000 + due)}
    assert red(pen) == {"commitment_kept"} | found, "another limit was promised"


@pytest.mark.parametrize(("due", "found"), [(55_140, set()), (55_141, {"deadlines_told"})])
def test_what_a_request_between_two_files_took_is_given_back(pen: Pen, due: int, found: set[str]) -> None:
    pen.find("header")["limits"]["total_ms"] = 55_000
    looked = pen.call("ann", "status", None, 30_000, 200)
    pen.find("response", n=looked)["at"] += 20
    late = file_of(pen, "ann", 2)
    pen.find("request", n=late["n"])["at"] += 8_000
    late["at"] += 8_100
    late["said"] |= {"handed_out_at": to_text(START + 68_100), "answer_by": to_text(START + 60_000 + due)}
    assert red(pen) == {"commitment_kept"} | found, "another limit was promised"


def test_a_repetition_tells_the_first_times(pen: Pen) -> None:
    pen.hand_out("ann", 1, 5_000)
    assert "deadlines_told" in red(pen)


def test_an_eleventh_send_must_not_be_taken(pen: Pen) -> None:
    for send in range(2, 12):
        pen.keep("ann", 1, pen.receipt("ann", 1, 30_000, send=send))
    pen.item("ann", "FILE#0001")["sends"] = 11
    assert red(pen) == {"ten_sends"}


def test_sends_are_numbered_without_a_gap(pen: Pen) -> None:
    pen.keep("ann", 1, pen.receipt("ann", 1, 30_000, send=3))
    pen.item("ann", "FILE#0001")["sends"] = 2
    assert red(pen) == {"ten_sends"}


def test_two_answers_must_not_win_the_same_send(pen: Pen) -> None:
    twin = pen.receipt("ann", 1, 20_001)
    pen.send("ann", 1, 20_001, twin)
    assert red(pen) == {"one_winner", "acknowledged_kept"}


def test_a_key_gets_one_receipt(pen: Pen) -> None:
    first, second = pen.receipt("ann", 1, 20_000), pen.receipt("ann", 1, 25_000, send=2)
    pen.send("ann", 1, 20_000, first, key="k")
    pen.send("ann", 1, 25_000, second, key="k")
    pen.keep("ann", 1, second)
    pen.item("ann", "FILE#0001").update(sends=2, answer={"send": 2, "content_sha256": digest_of(pen, "ann", 1)})
    assert red(pen) == {"one_winner"}


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
    ({"what": "tick_late", "at": START + 90_000}, 60_000),
    ({"what": "tick_failed", "at": START + 90_000}, 60_000),
    ({"what": "tick_missed", "at": START + 19_999}, 0),
    ({"what": "tick_missed", "at": START + 260_000}, 0),
    ({"what": "tick_doubled", "at": START + 90_000}, 0),
    ({"what": "killed", "handler": "dispatch.minute", "now": START + 90_500}, 60_000),
    ({"what": "throttled", "handler": "dispatch.minute", "now": START + 90_500}, 60_000),
    ({"what": "killed", "handler": "score.worker", "now": START + 90_500}, 2_000),
    ({"what": "killed", "handler": "dispatch.minute", "now": START + 19_999}, 0),
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


STEPS = [
    (TEAMS["ann"], f"runs/{RUN}/record-0/{TEAMS['ann']}.json"),
    (TEAMS["ann"], f"reports/final/{RUN}/0/{TEAMS['ann']}.json"),
    ("", f"runs/{RUN}/record.json"),
    ("", f"reports/final/{RUN}/0.json"),
]


def step_lost(pen: Pen, session: str, name: str, at: int) -> dict:
    """A step is lost a minute after START, and what it makes is written at another moment."""
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
        pen.add("written", what=each.partition("/")[0], pk=each, sk="", at=START + 61_000, sha256="")
    assert red(pen) == {"nothing_stuck"}


def test_a_step_that_was_done_before_its_message_was_lost_waits_for_nothing(pen: Pen) -> None:
    step_lost(pen, "", f"runs/{RUN}/record.json", 59_999)
    assert red(pen) == set()


def test_a_run_without_its_record_is_stuck(pen: Pen) -> None:
    pen.forget(pen.find("answer", of="record"))
    found = {each.name: each.faults for each in check(pen.story()) if not each.passed}
    assert found["nothing_stuck"] == ["the run has no record"]
    assert found.keys() == {"nothing_stuck", "nothing_early", "files_as_committed", "commitment_kept"}


def test_a_counting_answer_without_a_score_is_stuck(pen: Pen) -> None:
    digest = digest_of(pen, "ann", 1)
    pen.forget(pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest}#conditions"))
    assert red(pen) == {"nothing_stuck", "scored_once"}


def fate(pen: Pen, team: str, state: str, cause: str | None) -> None:
    """What became of a team's first file, as its session and the record say it."""
    pen.answer(f"status/{team}")["deliveries"][0].update(state=state, cause=cause)
    (session,) = [each for each in pen.answer("record")["sessions"] if each["team_id"] == team]
    session["files"][0].update(state=state, cause=cause)
    pen.sign_record()


def missed(pen: Pen, cause: str) -> None:
    """The first file of bob, annulled, with everything that follows from it."""
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
    """What the platform shows of bob, whose solution is annulled, or not."""
    over = share is not None and share > 0.05
    pen.answer("status/bob").update(voided_share=share, solution_voided=over)
    board = pen.answer("board")
    rows = [row for row in board["rows"] if row["team_id"] != "bob"]
    if not over:
        rows.append({"place": 0, **pen.row("bob", 2)})
    rows.sort(key=lambda row: -row["result"]["relative_accuracy"])
    board["rows"] = [{**row, "place": place} for place, row in enumerate(rows, start=1)]


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
    (found,) = [each for each in check(pen.story()) if not each.passed]
    assert found.name == "causes_by_the_rules"
    assert found.faults == ["bob, file 1: a fault of the platform is counted as team_late"]


@pytest.mark.clause("platform §6 rehearsal")
def test_only_wrong_answers_are_the_teams(pen: Pen) -> None:
    missed(pen, "team_invalid")
    annulled(pen, 0.5)
    pen.hand_out("bob", 1)
    said = {"error": {"code": "invalid_answer"}}
    pen.call("bob", "answer", 1, 9_000, 422, said=said, body_sha256="wrong", code="invalid_answer")
    pen.file_item("bob", 1, sends=0, answer=None)
    assert red(pen) == set()
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


def test_an_answer_is_scored_once(pen: Pen) -> None:
    twice = pen.all("written", pk=f"SESSION#{TEAMS['ann']}")[0]
    pen.add(**twice)
    assert red(pen) == {"scored_once"}


def test_a_second_score_of_an_answer_is_found(pen: Pen) -> None:
    first = pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    pen.add(**{**first, "sk": first["sk"] + "-other"})
    assert red(pen) == {"scored_once"}


def test_a_score_is_what_the_library_makes_of_the_answer(pen: Pen) -> None:
    item = pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    item["item"]["record"] = item["item"]["record"].replace("markup_core", "markup-core")
    assert red(pen) == {"scored_once"}


def test_rows_must_lead_to_the_root(pen: Pen) -> None:
    pen.answer("record")["plans"][0]["rows"][0]["salt"] = "0" * 64
    assert red(pen) == {"commitment_kept"}


def test_the_record_must_say_what_the_sessions_say(pen: Pen) -> None:
    pen.answer("record")["sessions"][0]["files"][0]["cause"] = "network"
    pen.sign_record()
    assert red(pen) == {"commitment_kept"}


def test_the_record_must_be_the_signed_one(pen: Pen) -> None:
    pen.answer("record")["more"] = 1
    assert red(pen) == {"commitment_kept"}


def test_the_record_must_end_the_runs_chain(pen: Pen) -> None:
    pen.answer("run")["commitment"]["statement"]["more"] = 1
    statement = pen.answer("run")["commitment"]["statement"]
    pen.answer("run")["commitment"]["signature"] = signature(statement)
    assert red(pen) == {"commitment_kept"}


def test_the_commitment_must_be_signed(pen: Pen) -> None:
    pen.answer("run")["commitment"]["signature"] = signature({"key_id": "another"})
    assert red(pen) == {"commitment_kept"}


def test_rows_must_have_the_promised_openings(pen: Pen) -> None:
    row = pen.answer("record")["plans"][0]["rows"][1]
    row["planned_at"] = to_text(START + INTERVAL + 1)
    assert "commitment_kept" in red(pen)


def test_the_board_must_be_that_of_a_replay(pen: Pen) -> None:
    pen.answer("board")["rows"][0]["result"]["relative_accuracy"] += 1e-9
    assert red(pen) == {"replay_agrees"}


def test_a_board_has_every_teams_own_name(pen: Pen) -> None:
    pen.answer("board")["rows"][0]["team"] = pen.answer("board")["rows"][1]["team"]
    assert red(pen) == {"replay_agrees"}


def test_nobody_loses_a_file_by_a_decision_that_nobody_made(pen: Pen) -> None:
    missed(pen, "organizer_decision")
    annulled(pen, 0.0)
    assert red(pen) == {"causes_by_the_rules"}


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
        ({"teams": 3}, "replay_agrees"),
        ({"files": 3}, "commitment_kept"),
    ],
    ids=["crowds", "the event channel", "standings", "files of the record"],
)
def test_fewer_cases_than_the_size_has_prove_nothing(pen: Pen, header: dict, silent: str) -> None:
    pen.find("header").update(header)
    assert silent in red(pen)


def test_every_check_has_a_least_number_and_every_silence_a_reason() -> None:
    assert [name for name, _ in CHECKS] == list(LEAST)
    size = Size(over_http=4, listening=1, files=8, faults=frozenset({"crowd", "prying", "decisions", "practice"}))
    assert list(unexercised(size)) == list(NEVER_PLAYED)
    alone = Size(over_http=4, listening=0, files=8, faults=frozenset({"slow"}))
    silent = (
        "no_faults_no_voids",
        "channel_kept",
        "not_yet_told",
        "others_kept",
        "strangers_kept_out",
        "decisions_kept",
    )
    practised = ("sessions_chosen", "sessions_ended", "requests_limited")
    checks = [f"check.{name}" for name in (*silent, *practised)]
    assert list(unexercised(alone)) == [*checks, *NEVER_PLAYED]


def test_a_history_that_says_too_little_proves_nothing(pen: Pen) -> None:
    pen.forget(pen.find("answer", of="board"))
    failed = [each for each in check(pen.story()) if not each.passed]
    assert [each.name for each in failed] == ["nothing_stuck", "replay_agrees"]
    assert [each.faults[0] for each in failed] == [
        "the run has no board",
        "there is no board to hold against the replay",
    ]
    assert not any("KeyError" in fault for each in failed for fault in each.faults)


def on_the_channel(pen: Pen, cause: str | None) -> Pen:
    """Bob is on the event channel; his second file is annulled for a cause, or answered."""
    pen.call("bob", "channel_open", None, -30_000, 201, said={"session_id": TEAMS["bob"]})
    state = "answered" if cause is None else "voided"
    pen.answer("status/bob")["deliveries"][1] |= {"state": state, "cause": cause}
    return pen


def away(pen: Pen, since: int, until: int) -> None:
    """Bob's connection is cut, in milliseconds from the second file's opening."""
    moments = {name: to_text(START + INTERVAL + at) for name, at in (("since", since), ("until", until))}
    pen.add("injected", what="channel_away", team="bob", number=2, **moments)


@pytest.mark.parametrize("cause", ["network", "team_late", "organizer_decision"])
def test_who_is_on_the_channel_is_charged_with_neither_the_network_nor_a_delay(pen: Pen, cause: str) -> None:
    assert "channel_kept" in red(on_the_channel(pen, cause))


@pytest.mark.parametrize("cause", [None, "platform"])
def test_who_is_on_the_channel_is_answered_or_the_platform_takes_it_upon_itself(pen: Pen, cause: str | None) -> None:
    assert "channel_kept" not in red(on_the_channel(pen, cause))


@pytest.mark.parametrize(
    ("since", "until", "cause", "wrong"),
    [
        (-1_000, 10_001, "network", False),
        (-1_000, 10_001, "team_late", True),
        (-1_000, 5_000, "network", True),
        (-1_000, 8_000, "network", False),
        (6_000, 20_000, "network", True),
    ],
    ids=["all the time", "all the time, another cause", "back in time", "back too late for a push", "there first"],
)
def test_the_network_is_the_cause_where_the_client_was_away(
    pen: Pen, since: int, until: int, cause: str, wrong: bool
) -> None:
    away(pen, since, until)
    assert ("channel_kept" in red(on_the_channel(pen, cause))) is wrong


def test_a_receipt_over_the_channel_is_signed_and_stored(pen: Pen) -> None:
    said = pen.receipt("ann", 2, 20_001)
    pen.call("ann", "channel_answer", None, INTERVAL, 200, said=said)
    assert red(pen) == {"channel_kept"}


@pytest.mark.parametrize("status", [200, 204, 302])
def test_a_stranger_is_refused(pen: Pen, status: int) -> None:
    pen.call("strangers", "unknown", None, 1, status, said={"token": STRANGE})
    assert red(pen) == {"strangers_kept_out"}


@pytest.mark.parametrize("status", [None, 400, 401, 403, 404, 429, 500, 503])
def test_who_is_refused_or_not_answered_was_not_let_in(pen: Pen, status: int | None) -> None:
    pen.call("strangers", "nowhere", None, 1, status, said={"token": None})
    assert red(pen) == set()


def test_a_stranger_is_told_of_no_file_even_when_it_is_open(pen: Pen) -> None:
    pen.call("strangers", "unknown", None, 1, 403, said={"token": STRANGE}, file_ids=[pen_file(1)])
    assert red(pen) == {"strangers_kept_out"}


def test_the_channel_tells_a_stranger_nothing_but_farewell(pen: Pen) -> None:
    said = {**pen.farewell(STRANGE, STRANGE_CONNECTION), "told": ["connection-auth-error", "session-file-available"]}
    pen.call("strangers", "connect_unknown", None, 1, 101, said=said)
    assert red(pen) == {"strangers_kept_out"}


@pytest.mark.parametrize(
    ("pk", "sk", "item"),
    [
        ("CONNECTIONS", STRANGE_CONNECTION, {"token_sha256": "0" * 64}),
        ("CONNECTIONS", "another", {"token_sha256": sha256_hex(STRANGE.encode())}),
        ("CONNECTIONS", "another", {"token_sha256": ""}),
        (f"TEAM#{STRANGE}", "SEEN", {}),
        ("SESSION#x", "SEEN", {"by": {"connections": [f"of {STRANGE_CONNECTION}"]}}),
    ],
    ids=["its connection", "its token", "no token", "in a key", "deep inside"],
)
def test_nothing_stored_speaks_of_a_stranger(pen: Pen, pk: str, sk: str, item: dict) -> None:
    pen.add("item", table="exchange", pk=pk, sk=sk, item=item)
    assert red(pen) == {"strangers_kept_out"}


def test_no_connection_of_a_stranger_was_ever_stored(pen: Pen) -> None:
    pen.add("written", what="CONNECTIONS", pk="CONNECTIONS", sk="a team's", at=START, sha256="")
    assert red(pen) == set()
    pen.add("written", what="CONNECTIONS", pk="CONNECTIONS", sk=STRANGE_CONNECTION, at=START, sha256="")
    assert red(pen) == {"strangers_kept_out"}


def test_a_connection_that_a_team_left_behind_is_no_strangers(pen: Pen) -> None:
    pen.add("item", table="exchange", pk="CONNECTIONS", sk="a team's", item={"token_sha256": "a" * 64})
    assert red(pen) == set()


def test_a_history_is_read_back_as_it_was_written(pen: Pen, tmp_path: Path) -> None:
    history = History(tmp_path / "history.jsonl")
    for line in pen.lines:
        history.add(**line)
    history.close()
    assert read(tmp_path / "history.jsonl") == pen.story()


def request_of(pen: Pen, n: int) -> dict:
    return pen.find("request", n=n)


def response_to(pen: Pen, team: str, what: str, number: int) -> dict:
    (request,) = pen.all("request", team=team, what=what, number=number)
    return pen.find("response", n=request["n"])


def answer_of(pen: Pen, team: str, number: int) -> dict:
    return response_to(pen, team, "answer", number)


def file_of(pen: Pen, team: str, number: int) -> dict:
    return response_to(pen, team, "file", number)


def digest_of(pen: Pen, team: str, number: int) -> str:
    return str(pen.item(team, f"FILE#{number:04d}")["answer"]["content_sha256"])


def pen_file(number: int) -> str:
    return FILES[number]


def move(pen: Pen, n: int, at: int) -> None:
    """Let a call happen at another moment after START."""
    for kind in ("request", "response"):
        pen.find(kind, n=n)["at"] = START + at


def test_who_looks_into_a_file_before_its_opening_is_told_when_it_is(pen: Pen) -> None:
    looked = pen.find("response", n=pen.find("request", what="pry_early")["n"])
    looked["said"]["error"]["details"][0]["opens_at"] = to_text(START)
    assert red(pen) == {"not_yet_told"}
    looked["status"] = 200
    assert red(pen) == {"not_yet_told"}


@pytest.mark.parametrize(("what", "status"), [("pry_others", 200), ("pry_others", 204), ("pry_staff", 404)])
def test_nobody_gets_at_what_is_others(pen: Pen, what: str, status: int) -> None:
    pen.find("response", n=pen.find("request", what=what)["n"])["status"] = status
    assert red(pen) == {"others_kept"}


@pytest.mark.parametrize("what", ["join_again", "join_late"])
def test_nobody_joins_twice_or_late(pen: Pen, what: str) -> None:
    pen.call("ann", what, None, 130_000, 201)
    assert red(pen) == {"joined_once"}


def test_who_comes_in_time_takes_part(pen: Pen) -> None:
    pen.call("ann", "open", None, 120_000, 409, code="run_not_joinable")
    assert red(pen) == {"joined_once"}


def test_a_text_in_anything_received_before_its_opening_is_seen(pen: Pen) -> None:
    pen.call("ann", "status", None, INTERVAL - 1, 200, texts=[2])
    assert red(pen) == {"texts_in_time"}


def test_everybody_gets_the_same_text_under_a_number(pen: Pen) -> None:
    file_of(pen, "bob", 2)["texts"] = [1]
    assert red(pen) == {"texts_in_time"}


def test_a_file_without_a_text_of_the_rehearsals_own_is_none(pen: Pen) -> None:
    file_of(pen, "bob", 2)["texts"] = []
    assert red(pen) == {"texts_in_time"}
    request_of(pen, file_of(pen, "bob", 2)["n"])["path"] = None
    assert red(pen) == set(), "a program of somebody's own is not read along with"


def test_scores_are_held_against_the_markups_that_the_rehearsal_wrote(pen: Pen) -> None:
    first, second = pen.all("own")
    first["experts"] = second["experts"]
    assert red(pen) >= {"scored_once"}


def test_a_board_before_its_publication_shows_nobody(pen: Pen) -> None:
    pen.add("answer", of="board_before", body=pen.answer("board"))
    assert red(pen) == {"replay_agrees"}


@pytest.mark.parametrize("name", ["files", "answered", "value", "barrier", "audit"])
def test_every_number_of_a_row_is_that_of_the_replay(pen: Pen, name: str) -> None:
    row = pen.answer("board")["rows"][0]
    row[name] = {"relative_accuracy": 0.0} if name == "audit" else not row[name] if name == "barrier" else 0
    assert red(pen) == {"replay_agrees"}


@pytest.mark.parametrize(("name", "value"), [("files", 3), ("interval_ms", 30_000), ("starts_at", to_text(START + 1))])
def test_what_is_promised_is_what_was_ordered(pen: Pen, name: str, value: object) -> None:
    pen.answer("run_before")["commitment"]["statement"][name] = value
    assert red(pen) == {"commitment_kept"}


def test_limits_that_are_told_are_those_that_were_ordered(pen: Pen) -> None:
    pen.answer("run")["limits"]["answer_s"] = 45
    assert red(pen) == {"commitment_kept"}


@pytest.mark.parametrize("name", ["opens_at", "request_by"])
def test_a_status_tells_the_windows_of_the_schedule(pen: Pen, name: str) -> None:
    pen.answer("status/ann")["deliveries"][0][name] = to_text(START + 1)
    assert red(pen) == {"deadlines_told"}


def test_a_record_without_a_team_is_none(pen: Pen) -> None:
    del pen.answer("record")["sessions"][1]
    pen.sign_record()
    assert "commitment_kept" in red(pen)
