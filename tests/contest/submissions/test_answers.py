"""Whole sets answered by one file, over HTTP (tracks-sessions T13, U-4, U-5)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.cycle.rules.cycle import Manifest
from contest.people.rules import Decision, Role, TeamStatus
from contest.people.teams import decide_on_team
from contest.stored_names import LetterQueue
from contest.submissions import uploading
from contest.values import canonical, from_iso
from tests.contest.contests.played import Contest
from tests.contest.contests.test_exam import ITEMS, RIGHT, TRACK, exam_cycle, exam_loaded
from tests.contest.submissions.submitting import Submitter, sha
from tests.documented import conforms
from tests.stage import Stage, staged
from tests.stage_kept import Setting
from tests.tracks.exam.exam_items import variant
from tracks.protocol import Outcome

TEST_IDS = [str(each["meta"]["id"]) for number in (3, 4) for each in variant(number)]

STAGE = Setting("exam-1", exam_loaded)


@pytest.fixture
def red(stage: Stage) -> Submitter:
    return Submitter(stage, stage.team("red"))


def answers(*left_out: str, wrong: frozenset[str] = frozenset()) -> bytes:
    """Return right answers to the test set, with exceptions."""
    said = {each: "zz, 9" if each in wrong else RIGHT[each] for each in TEST_IDS if each not in left_out}
    return json.dumps(said).encode()


@pytest.mark.clause("TS T13", "TS U-4")
def test_u4_unknown_ids_refuse_a_file_and_missing_ones_are_listed(red: Submitter) -> None:
    left_out = TEST_IDS[5]
    found = red.submit(answers(left_out))
    assert (found["state"], found["missing_parts"], found["cause"]) == ("scored", [], None)
    told = red.report_of(found["submission_id"])
    conforms(told, "get", "/v1/submissions/{submission_id}/report")
    report = told.json
    assert report["missing"] == [left_out]
    assert report["counts"] == {"items": 60, "answered": 59, "missing": 1}
    assert report["result"]["grade_norm"] == found["value"]
    assert 0.9 < found["value"] < 1.0
    red.stage.advance(20)
    found = red.submit(json.dumps({**json.loads(answers()), "77": "1", "78": "2"}).encode())
    assert found["state"] == "refused"
    (reason,) = found["reasons"]
    assert (reason["code"], reason["where"]) == ("unknown_id", {"ids": ["77", "78"]})
    assert reason["message_ru"] != reason["message"]
    assert red.report_of(found["submission_id"]).code == "submission_not_scored"


@pytest.mark.clause("TS U-5", "D 6.10")
def test_u5_the_best_stands_on_the_board_and_an_annulled_one_leaves_it_to_the_next(red: Submitter) -> None:
    better = red.submit(answers(*TEST_IDS[:10]))
    red.stage.advance(20)
    worse = red.submit(answers(*TEST_IDS[:20]))
    assert worse["value"] < better["value"]
    (row,) = _rows(red)
    assert (row["session_id"], row["value"]) == (better["submission_id"], better["value"])
    red.stage.advance(20)
    best = red.submit(answers())
    assert best["value"] == 1.0
    (row,) = _rows(red)
    assert (row["session_id"], row["place"]) == (best["submission_id"], 1)
    organizer = red.stage.person(Role.ORGANIZER)
    actual = {"of": "session", "subject": best["submission_id"], "reason": "sent by mistake", "annulled": True}
    assert red.stage.request("POST", "/v1/conduct/annulments", actual, organizer).status == 200
    (row,) = _rows(red)
    assert row["session_id"] == better["submission_id"]
    actual = {"of": "set", "subject": "test", "reason": "a leak", "annulled": True}
    uploaded = red.announce(answers()).json["submission_id"]
    red.put(uploaded, 1, answers())
    assert red.stage.request("POST", "/v1/conduct/annulments", actual, organizer).status == 200
    assert _rows(red) == []
    assert red.announce(answers()).code == red.complete(uploaded).code == "set_annulled"


@pytest.mark.clause("TS T10")
def test_t10_a_submission_that_differs_in_one_answer_is_refused_and_tells_nothing(red: Submitter) -> None:
    first = red.submit(answers())
    red.stage.advance(20)
    similar = red.submit(answers(TEST_IDS[0]))
    assert (first["state"], similar["state"], similar["value"]) == ("scored", "refused", None)
    (reason,) = similar["reasons"]
    assert reason["code"] == "too_similar"
    assert reason["where"] == {"name": first["submission_id"], "differing": 1, "least": 10}
    assert red.report_of(similar["submission_id"]).status != 200
    (row,) = _rows(red)
    assert row["session_id"] == first["submission_id"]
    red.stage.advance(20)
    again = red.submit(answers())
    assert (again["state"], again["value"]) == ("scored", first["value"])


@pytest.mark.clause("R 6.3")
@pytest.mark.parametrize(("outside", "teams"), [("refuse", None), ("off_board", []), ("take", ["Team red"])])
def test_a_submission_is_of_its_stage(red: Submitter, outside: str, teams: list[str] | None) -> None:
    files = exam_cycle()
    files["cycle.json"]["stages"] = {"qualification": {"first": "2026-09-22", "last": "2026-09-23", "outside": outside}}
    red.stage.load(files)
    red.stage.set_clock(from_iso("2026-09-23T20:59:50.000Z"))
    begun = red.announce(answers()).body(201)
    name = begun["submission_id"]
    red.put(name, 1, answers())
    red.stage.set_clock(from_iso("2026-09-23T21:00:00.000Z"))
    done = red.complete(name)
    if teams is None:
        assert done.refusal == (409, "outside_stage")
        assert red.announce(answers(TEST_IDS[0])).code == "outside_stage"
        assert red.announce(answers(), set="train").status == 201
        return
    assert done.status == 200, done.text
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "scored"
    report = red.report_of(name).json
    assert ("off_board" in report) is (outside == "off_board")
    assert [row["team"] for row in _rows(red)] == teams


def _rows(program: Submitter) -> list[dict[str, Any]]:
    program.stage.advance(20)
    rows: list[dict[str, Any]] = program.stage.request("GET", "/v1/leaderboards/qualification").body()["rows"]
    return rows


@pytest.mark.clause("TS F-5", "TS T6", "F quota")
def test_f5_three_scored_submissions_a_day_of_the_cycles_zone(red: Submitter) -> None:
    for _ in range(3):
        assert red.submit(answers())["state"] == "scored"
    name = red.announce(answers()).json["submission_id"]
    red.put(name, 1, answers())
    refused = red.complete(name)
    assert refused.refusal == (429, "submissions_exhausted")
    (detail,) = refused.json["error"]["details"]
    assert (detail["code"], detail["resets_at"]) == ("scored", "2026-09-21T21:00:00.000Z")  # midnight of Moscow
    assert int(refused.headers["retry-after"]) > 0
    assert red.ask("GET", "/v1/submissions").json["left_today"]["scored"] == 0
    red.stage.set_clock(1_790_024_400_000)  # 21:00:00.000Z
    assert red.complete(name).status == 200
    assert red.look(name)["day"] == "2026-09-22"


@pytest.mark.clause("TS F-5")
def test_f5_ten_submissions_a_day_that_are_refused_and_they_cost_no_scored_one(red: Submitter) -> None:
    for _ in range(10):
        assert red.submit(b"[")["state"] == "refused"
    left = red.ask("GET", "/v1/submissions").json["left_today"]
    assert (left["scored"], left["unscored"]) == (3, 0)
    name = red.announce(answers()).json["submission_id"]
    red.put(name, 1, answers())
    refused = red.complete(name)
    assert (refused.code, refused.json["error"]["details"][0]["code"]) == ("submissions_exhausted", "unscored")


@pytest.mark.clause("TS F-5")
def test_f5_one_submission_at_a_time(red: Submitter) -> None:
    first = red.hand_in(answers())
    second = red.announce(answers()).json["submission_id"]
    red.put(second, 1, answers())
    refused = red.complete(second)
    assert refused.refusal == (409, "submission_under_way")
    assert refused.json["error"]["details"][0]["submission_id"] == first
    assert red.stage.judge() == []
    assert red.complete(second).status == 200


@pytest.mark.clause("TS T13")
def test_a_repeated_request_counts_once(red: Submitter) -> None:
    begun = [red.announce(answers(), key="once").json["submission_id"] for _ in range(2)]
    assert begun[0] == begun[1]
    assert red.announce(answers(TEST_IDS[0]), key="once").code == "idempotency_key_reused"
    assert red.announce(answers(), key="once", groups=["other"]).code == "idempotency_key_reused"
    red.put(begun[0], 1, answers())
    first, second = red.complete(begun[0]), red.complete(begun[0])
    assert first.json["receipt"] == second.json["receipt"]
    assert first.json["signature"] == second.json["signature"]
    assert red.stage.judge(deliveries=2) == []
    after = red.complete(begun[0])
    assert (after.json["submission"]["state"], after.json["receipt"]) == ("scored", first.json["receipt"])
    assert red.ask("GET", "/v1/submissions").json["left_today"]["scored"] == 2
    keys = {each["key_id"]: each["public_key"] for each in red.stage.request("GET", "/v1/keys").json["keys"]}
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(keys[first.json["receipt"]["key_id"]]))
    key.verify(base64.b64decode(first.json["signature"]), canonical(first.json["receipt"]))
    assert first.json["receipt"]["content_sha256"] == sha(answers())
    assert (first.json["receipt"]["submission_id"], first.json["receipt"]["set"]) == (begun[0], "test")


@pytest.mark.clause("TS T13")
def test_other_bytes_than_announced_are_refused(red: Submitter) -> None:
    name = red.announce(answers()).json["submission_id"]
    assert red.complete(name).code == "parts_missing"
    red.put(name, 1, answers().replace(b"1", b"2", 1))
    assert red.complete(name).status == 200
    assert red.stage.judge() == []
    found = red.look(name)
    assert (found["state"], found["reasons"][0]["code"]) == ("refused", "another_sha256")
    name = red.hand_in(answers())
    assert red.stage.judge() == []
    place = next(each for each in red.stage.platform.blobs.names("uploads/") if name in each)
    red.stage.platform.blobs.put(place, b"{}")
    again = red.stage.platform.submissions.get(name)
    assert again is not None
    assert uploading.whole_content(red.stage.platform, again) == answers()


@pytest.mark.clause("TS T13", "TS T1")
@pytest.mark.parametrize(
    ("order", "status", "code"),
    [
        ({"kind": "program"}, 409, "submissions_not_taken"),
        ({"set": "final"}, 422, "invalid_request"),
        ({"set": "nothing"}, 422, "invalid_request"),
        ({"parts": ["0" * 64]}, 422, "wrong_parts"),
        ({"parts": ["0" * 64, "0" * 64]}, 422, "wrong_parts"),
        ({"groups": ["99"]}, 422, "invalid_request"),
        ({"bytes": 64 * 1024**2 + 1}, 413, "submission_too_large"),
    ],
)
def test_wrong_announcements_are_refused(red: Submitter, order: dict[str, Any], status: int, code: str) -> None:
    said = {"kind": "answers", "bytes": 10, "sha256": "1" * 64, **order}
    assert red.ask("POST", "/v1/submissions", said).refusal == (status, code)


def test_a_set_with_an_item_without_right_answers_takes_none(red: Submitter, monkeypatch: pytest.MonkeyPatch) -> None:
    read = uploading.reading.manifest

    def lacking(*names: Any) -> Any:
        first, *others = read(*names).items
        return Manifest((replace(first, references=()), *others))

    monkeypatch.setattr(uploading.reading, "manifest", lacking)
    assert red.announce(answers()).refusal == (409, "set_without_references")


@pytest.mark.clause("TS T13", "platform §1 participant", "platform §1 rights")
def test_t13_a_member_brings_by_hand_what_the_program_could(red: Submitter) -> None:
    stage = red.stage
    member = Submitter(stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    found = member.submit(answers())
    assert (found["state"], found["team_id"], found["value"]) == ("scored", "red", 1.0)
    assert red.look(found["submission_id"])["sha256"] == sha(answers())
    stranger = Submitter(stage, stage.person(Role.PARTICIPANT, "boris", "blue"))
    for method, what in (("GET", ""), ("GET", "/report"), ("GET", "/parts/1"), ("POST", "/complete"), ("GET", "/logs")):
        assert stranger.ask(method, f"/v1/submissions/{found['submission_id']}{what}").code == "unknown_submission"
    for role in (Role.JUDGE, Role.COMMISSION, Role.ORGANIZER):
        looker = Submitter(stage, stage.person(role, f"{role.value}-of-nobody"))
        assert looker.look(found["submission_id"])["state"] == "scored"


@pytest.mark.clause("TS T13", "R 2.26")
def test_t13_nobody_brings_by_hand_for_a_team_that_takes_no_part(red: Submitter) -> None:
    stage = red.stage
    newcomer = Submitter(stage, stage.person(Role.PARTICIPANT, "clara"))
    assert newcomer.announce(answers()).code == "no_team"
    member = Submitter(stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    opened = member.announce(answers()).json["submission_id"]
    member.put(opened, 1, answers())
    scored = red.submit(answers())["submission_id"]
    decide_on_team(stage.platform, "tests", "red", Decision("a protest", TeamStatus.SUSPENDED))
    declared = {"total_parameters": 2, "shared_parameters": 1}
    for path, body in (
        ("", {"kind": "answers", "bytes": len(answers()), "sha256": sha(answers())}),
        (f"/{opened}/complete", None),
        ("/named", {"submissions": [scored]}),
        (f"/{scored}/declaration", declared),
    ):
        assert member.ask("POST", f"/v1/submissions{path}", body).code == "team_inactive", path
        stage.advance(1)
    assert member.ask("GET", f"/v1/submissions/{opened}/parts/1").code == "team_inactive"
    assert member.look(scored)["state"] == "scored"


@pytest.mark.clause("TS T10", "TS T13", "TS T5")
def test_t13_the_platforms_numbers_are_the_librarys_and_a_hidden_sets_report_names_no_item(red: Submitter) -> None:
    left_out, wrongs = frozenset(TEST_IDS[::7]), frozenset(TEST_IDS[::5])
    result = red.submit(answers(*left_out, wrong=wrongs))
    outcomes = []
    for test_id in TEST_IDS:
        item, answer = ITEMS[test_id], None if test_id in left_out else "zz, 9" if test_id in wrongs else RIGHT[test_id]
        record = TRACK.score(item, answer, [{"outputs": item["outputs"]}], {})
        facts, _ = TRACK.read_item(item, {})
        assert facts is not None
        outcomes.append(Outcome(facts, answer is not None, record))
    outcome = TRACK.totals(TRACK.aggregate(outcomes, {}, 0), outcomes)
    assert red.report_of(result["submission_id"]).json["result"] == outcome
    red.stage.advance(20)
    wrong = TEST_IDS[7]
    result = red.submit(answers(wrong=frozenset({wrong})))
    report = red.report_of(result["submission_id"]).text
    assert wrong not in report


@pytest.mark.clause("TS U-4", "TS T13")
def test_u4_a_training_set_may_be_submitted_too_makes_no_board_and_sessions_have_no_mode_for_it(red: Submitter) -> None:
    ids = [str(each["meta"]["id"]) for number in (1, 2) for each in variant(number)]
    found = red.submit(json.dumps({each: RIGHT[each] for each in ids}).encode(), set="train")
    assert (found["state"], found["value"]) == ("scored", 1.0)
    assert _rows(red) == []
    refused = red.ask("POST", "/v1/sessions", {"mode": "submission", "set": "test"})
    assert refused.json["error"]["details"][0]["code"] == "unknown_mode"
    cycle = red.stage.request("GET", "/v1/cycle").json
    assert cycle["submissions"] == ["answers"]
    assert "submission" not in {each["mode"] for each in cycle["modes"]}


@pytest.mark.clause("TS T13")
def test_t13_the_minute_timer_sends_a_lost_message_again_and_refuses_abandoned_uploads(red: Submitter) -> None:
    given_up = red.announce(answers()).json["submission_id"]
    name = red.hand_in(answers())
    completed_at = from_iso(red.look(name)["completed_at"])
    red.stage.lose(red.stage.platform.settings.submission_queue_url)
    red.stage.tick(after=60)
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "checking"  # a worker was sent for it a minute ago
    red.stage.tick(after=120 - (red.stage.now - completed_at) / 1000)
    assert red.stage.judge() == []
    assert (red.look(name)["state"], red.look(name)["upload_until"]) == ("scored", None)
    until, begun = (datetime.fromisoformat(red.look(given_up)[each]) for each in ("upload_until", "created_at"))
    assert until - begun == timedelta(days=1)
    red.stage.advance(until.timestamp() - red.stage.now / 1000)
    red.stage.tick()
    assert red.look(given_up)["state"] == "uploading"
    red.stage.tick(after=60)
    found = red.look(given_up)
    assert (found["state"], found["reasons"][0]["code"]) == ("refused", "upload_abandoned")
    assert red.ask("GET", "/v1/submissions").json["left_today"]["unscored"] == 10
    assert red.complete(given_up).code == "submission_closed"


@pytest.mark.clause("TS T13")
def test_t13_a_cancelled_upload_is_refused_at_once_and_makes_room_for_another(red: Submitter) -> None:
    names = [red.announce(answers()).json["submission_id"] for _ in range(10)]
    red.stage.advance(1)  # its requests have a rate
    assert red.announce(answers()).code == "too_many_uploads"
    assert [red.ask("GET", f"/v1/submissions?limit={most}").json["next"] is None for most in (9, 10)] == [False, True]
    for _ in range(2):  # asked again, the same
        ended = red.give_up(names[0])
        assert (ended.status, ended.json["state"], ended.json["missing_parts"]) == (200, "refused", [])
        assert [each["code"] for each in ended.json["reasons"]] == ["upload_given_up"]
    assert red.announce(answers()).status == 201
    assert red.complete(names[0]).code == "submission_closed"
    assert red.ask("GET", f"/v1/submissions/{names[0]}/parts/1").code == "submission_closed"
    assert red.ask("GET", "/v1/submissions").json["left_today"]["unscored"] == 10, "it counts nowhere"
    red.stage.set_clock(from_iso(red.look(names[1])["upload_until"]))
    assert red.give_up(names[1]).status == 200, "in the last millisecond"
    red.stage.tick(after=3600)
    told = [red.look(each)["reasons"][0]["code"] for each in names[:3]]
    assert told == ["upload_given_up", "upload_given_up", "upload_abandoned"], (
        "whose doing it was does not change with time"
    )


@pytest.mark.clause("TS T13", "platform §1 program")
def test_t13_a_complete_submission_is_not_cancelled_and_another_teams_is_hidden(red: Submitter, stage: Stage) -> None:
    name = red.hand_in(answers())
    assert red.give_up(name).code == "submission_closed"
    blue = Submitter(stage, stage.team("blue"))
    other = blue.announce(answers()).json["submission_id"]
    assert red.give_up(other).code == "unknown_submission"
    assert blue.look(other)["state"] == "uploading"
    assert red.stage.judge() == []
    red.stage.advance(1)
    for method, what in (("GET", ""), ("GET", "/report"), ("GET", "/parts/1"), ("POST", "/complete"), ("GET", "/logs")):
        assert blue.ask(method, f"/v1/submissions/{name}{what}").code == "unknown_submission"
    listed = blue.ask("GET", "/v1/submissions").json["submissions"]
    assert [each["submission_id"] for each in listed] == [other]
    member = red.stage.person(Role.PARTICIPANT, "member-of-red", team_id="red")
    assert red.stage.request("GET", f"/v1/submissions/{name}/report", token=member).status == 200


@pytest.mark.clause("TS T13", "platform §7 doctor")
def test_t13_a_worker_that_fails_for_good_is_named_and_mended(red: Submitter) -> None:
    name = red.hand_in(answers())
    red.stage.lose(red.stage.platform.settings.submission_queue_url)
    red.stage.die(LetterQueue.SUBMISSIONS, json.dumps({"run": name}))
    red.stage.tick(after=180)
    assert (red.stage.judge(), red.look(name)["state"]) == ([], "checking"), "it waits for the organizers"
    assert red.look(name)["failed_at"] is not None
    organizer = red.stage.person(Role.ORGANIZER)
    found = red.stage.request("GET", "/v1/doctor", token=organizer).json["findings"]
    assert ("submission_stuck", name) in {(each["ailment"], each["subject"]) for each in found}
    assert red.stage.request("POST", "/v1/doctor/mend", {}, organizer).status == 200
    assert red.stage.judge() == []
    assert red.look(name)["state"] == "scored"


CONTEST = Contest.named("gec")


@pytest.fixture
def corrector(tmp_path: Path) -> Iterator[Submitter]:
    with staged(tmp_path, "contest-1") as result:
        files = CONTEST.folder("test")
        files["cycle.json"]["parameters"]["least_hidden_items"] = 1
        result.load(files)
        yield Submitter(result, result.team("corrector"))


TEXTS = [" ".join(CONTEST.entries[name].item["sentences"]) for name in sorted(CONTEST.entries)]
"""Texts of the set, in the order of its manifest."""


def m2(texts: list[str]) -> bytes:
    """Return a file of units without edits."""
    return "\n".join(f"S {text}\n" for text in texts).encode()


@pytest.mark.clause("TS G-2", "TS T13")
def test_one_m2_file_in_the_manifests_order_is_scored(corrector: Submitter) -> None:
    result = corrector.submit(m2(TEXTS))
    assert result["state"] == "scored", result
    report = corrector.report_of(result["submission_id"]).json
    assert report["missing"] == []
    assert report["counts"]["answered"] == len(CONTEST.entries)
    assert result["value"] == 0.0
    board = corrector.stage.request("GET", "/v1/leaderboards/qualification").json
    assert [row["session_id"] for row in board["rows"]] == [result["submission_id"]]
    plain = corrector.submit("\n".join(TEXTS).encode())
    assert (plain["state"], plain["reasons"][0]["code"]) == ("refused", "corrected_text")
    fewer = corrector.submit(m2(TEXTS[1:]))
    assert (fewer["state"], "wrong_count" in {each["code"] for each in fewer["reasons"]}) == ("refused", True)
