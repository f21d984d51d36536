"""Runs, scoring and results over HTTP: decisions of organizers, views and verifications of the commission."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import reading
from contest.adapters import aws
from contest.people.rules import Role
from contest.stored_names import LetterQueue
from contest.values import HOUR, MINUTE, iso
from tests.run_stage import RunOnStage, run_cycle, three_missed
from tests.stage import Answered, Stage
from tests.stage_kept import Setting, played_once

pytestmark = pytest.mark.integration
WHY = {"reason": "a cable is cut"}
RUNS = "/v1/conduct/runs"


class Staff:
    """Staff member who sends requests so slowly that no rate limit is reached."""

    def __init__(self, stage: Stage, role: Role = Role.ORGANIZER, name: str = "") -> None:
        self.stage = stage
        self.name = name or f"the-{role.value}"
        self.token = stage.person(role, self.name)

    def get(self, path: str) -> Answered:
        self.stage.advance(1)
        return self.stage.request("GET", path, None, self.token)

    def post(self, path: str, body: Any = None) -> Answered:
        self.stage.advance(1)
        return self.stage.request("POST", path, body if body is not None else {}, self.token)

    def said(self, path: str, body: Any = None) -> Any:
        """Return the answer to a successful request."""
        answered = self.get(path) if body is None else self.post(path, body)
        assert answered.status in {200, 201, 202}, answered.text
        return answered.json


STAGE = Setting()


@pytest.fixture
def played(stage: Stage) -> RunOnStage:
    return played_once(stage, three_missed)


def logged(stage: Stage) -> list[tuple[str, str]]:
    return [(each.who, each.what) for each in stage.platform.audit_log.on(iso(stage.now)[:10])]


@pytest.mark.clause("platform §7 runs", "platform §1 organizer")
def test_a_run_is_planned_as_its_preview_says_of_the_cycle_with_the_sets_of_finals(stage: Stage) -> None:
    stage.load(run_cycle(4))
    for team in ("red", "blue"):
        stage.team(team)
    olga = Staff(stage)
    order = {
        "starts_at": iso(stage.now + HOUR),
        "files": 3,
        "interval_s": 30.5,
        "limits": {"answer_s": 20.0},
        "trial": True,
        "admitted": ["red"],
    }
    shown = olga.said(f"{RUNS}/preview", order)
    assert (shown["files"], shown["available"], shown["notices"]) == (3, 4, [])
    assert stage.request("GET", "/v1/runs").json["runs"] == []
    assert stage.platform.blobs.names("runs/") == []
    planned = olga.said(RUNS, order)["run"]
    for each in ("mode", "set", "trial", "files", "starts_at", "ends_at", "interval_ms", "limits", "admitted"):
        assert planned[each] == shown[each], each
    assert (planned["interval_ms"], planned["admitted"], planned["limits"]["answer"]) == (30_500, ["red"], 20_000)
    assert planned["commitment"]["statement"]["run_id"] == planned["run_id"]
    assert ("person:the-organizer", "run planned") in logged(stage)
    assert [each["run_id"] for each in olga.said(f"{RUNS}?mode=final")["runs"]] == [planned["run_id"]]
    assert olga.said(f"{RUNS}?mode=technical")["runs"] == []
    cycle = Staff(stage, Role.COMMISSION).said("/v1/conduct/cycle")
    assert cycle["sets"]["final"] == {"kind": "final", "files": {"eng": 2, "rus": 2}, "runs": ["final"]}
    assert cycle["replay"] is None
    assert "final" not in stage.request("GET", "/v1/cycle").json["sets"]


@pytest.mark.parametrize(
    ("order", "status", "code"),
    [
        ({"starts_at": "2020-01-01T00:00:00.000Z"}, 409, "start_is_past"),
        ({"set": "nothing"}, 409, "unknown_set"),
        ({"set": "train"}, 409, "wrong_set"),
        ({"files": 5}, 409, "not_enough_files"),
        ({"admitted": ["grey"]}, 409, "unknown_team"),
        ({"interval_s": 0}, 422, "invalid_request"),
        ({"starts_at": "2026-02-31T00:00:00.000Z"}, 422, "invalid_request"),
        ({"starts_at": "9999-12-31T23:59:59.000Z"}, 422, "invalid_request"),
        ({"mode": "algorithmic"}, 422, "invalid_request"),
        ({"limits": {"answer": 3}}, 422, "invalid_request"),
    ],
)
def test_a_wrong_order_leaves_nothing(stage: Stage, order: dict[str, Any], status: int, code: str) -> None:
    stage.load(run_cycle(4))
    for path in (RUNS, f"{RUNS}/preview"):
        refused = Staff(stage).post(path, {"starts_at": iso(stage.now + HOUR), **order})
        assert refused.refusal == (status, code)
    assert stage.platform.blobs.names("runs/") == []


@pytest.mark.clause("D 6.16", "D 8.12", "R 7.16")
def test_decisions_are_the_persons_own_and_do_what_their_previews_say(played: RunOnStage) -> None:
    olga, at = Staff(played.stage), f"{RUNS}/{played.run_id}"
    for said in (
        {"kind": "pause"},
        {"kind": "resume"},
        {"kind": "replace", "proposal": True},
        {"kind": "void", "numbers": [4]},
        {"kind": "undo", "amendment": 4},
        {"kind": "rule", "team_id": "red", "number": 1, "cause": "network"},
        {"kind": "stop"},
    ):
        version = played.run.version
        shown = olga.said(f"{at}/decisions/preview", {**said, **WHY})
        assert played.run.version == version, "a preview writes nothing"
        done = olga.said(f"{at}/decisions", {**said, **WHY})
        assert (done["kind"], done["amendment"]) == (said["kind"], shown["amendment"])
        assert {**done["details"], "root": None} == {**shown["details"], "root": None}
    kinds = [each.kind.value for each in played.run.amendments]
    assert kinds == ["pause", "resume", "replace", "void", "undo", "rule", "stop"]
    assert {each.who for each in played.run.amendments} == {"person:the-organizer"}
    decided = [each for each in logged(played.stage) if each[1].startswith("run amended")]
    assert decided == [("person:the-organizer", f"run amended: {kind}") for kind in kinds]
    told = olga.said(at)["amendments"]
    assert [(each["who"], each["name"]) for each in told] == [("person:the-organizer", "The-Organizer")] * 7


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"kind": "pause"}, 422, "invalid_request"),
        ({"kind": "pause", "reason": " "}, 422, "invalid_request"),
        ({"kind": "postpone", **WHY}, 422, "invalid_request"),
        ({"kind": "pause", "numbers": [1], **WHY}, 422, "invalid_request"),
        ({"kind": "void", "cause": "network", "numbers": [1], **WHY}, 422, "invalid_request"),
        ({"kind": "void", "numbers": [], **WHY}, 422, "invalid_request"),
        ({"kind": "void", **WHY}, 409, "unknown_file"),
        ({"kind": "void", "numbers": [9], **WHY}, 409, "unknown_file"),
        ({"kind": "rule", "team_id": "red", "number": 1, **WHY}, 409, "no_cause"),
        ({"kind": "rule", "team_id": "red", "number": 4, "cause": "platform", **WHY}, 409, "not_void"),
        ({"kind": "undo", "amendment": 7, **WHY}, 409, "nothing_to_undo"),
        ({"kind": "resume", **WHY}, 409, "not_paused"),
    ],
)
def test_a_wrong_decision_writes_nothing(played: RunOnStage, said: dict[str, Any], status: int, code: str) -> None:
    before = played.run
    for path in ("decisions", "decisions/preview"):
        assert Staff(played.stage).post(f"{RUNS}/{played.run_id}/{path}", said).refusal == (status, code)
    assert played.run == before


@pytest.mark.clause("R 7.16")
def test_a_restart_stops_one_run_and_plans_another(played: RunOnStage) -> None:
    olga, at = Staff(played.stage), f"{RUNS}/{played.run_id}"
    said = {"starts_at": iso(played.stage.now + HOUR), "files": 2, **WHY}
    shown = olga.said(f"{at}/restart/preview", said)
    assert (shown["set"], shown["files"], shown["stop"]["kind"]) == ("reserve", 2, "stop")
    assert played.run.amendments == ()
    done = olga.said(f"{at}/restart", said)
    new = reading.run_now(played.stage.platform, done["run_id"])
    assert (new.restarts, new.files, new.set_name) == (played.run_id, 2, "reserve")
    assert olga.said(f"{at}/restart", said) == done, "repeated, it is the same decision"
    assert sorted(logged(played.stage)[-2:]) == [  # entries of one moment stand in the log in any order
        ("person:the-organizer", "run amended: stop"),
        ("person:the-organizer", "run planned"),
    ]


@pytest.mark.clause("platform §1 commission", "D 1.7")
def test_the_commission_watches_and_a_proposal_is_previewed_and_dismissed_once(played: RunOnStage) -> None:
    vera, at = Staff(played.stage, Role.COMMISSION), f"{RUNS}/{played.run_id}"
    seen = vera.said(f"{at}/watch")
    assert (seen["opened"], seen["mass_failure"], seen["standing"]) == (3, [1, 2, 3], "open")
    red = seen["teams"][1]
    assert (red["team_id"], red["voided"], red["files"], red["solution_voided"]) == ("red", {"team_late": 3}, 4, True)
    assert vera.said(at)["settlement"]["state"] == "running"
    olga = Staff(played.stage)
    result = olga.said(f"{at}/dismissal/preview", {})
    assert (result["numbers"], result["standing"], result["dismissed"]) == ([1, 2, 3], "open", None)
    done = olga.said(f"{at}/dismissal", WHY)["mass_failure"]
    assert (done["standing"], done["dismissed"]["who"]) == ("dismissed", "person:the-organizer")
    assert done["dismissed"]["name"] == "The-Organizer"
    for path in ("dismissal", "dismissal/preview"):
        assert olga.post(f"{at}/{path}", WHY).code == "no_proposal"
    version = olga.said(f"{RUNS}/{played.run_id}")["version"]
    olga.said(f"{at}/decisions", {"kind": "void", "numbers": [4], "version": version, **WHY})
    assert olga.post(f"{at}/decisions", {"kind": "pause", "version": version, **WHY}).refusal == (409, "run_changed")


def test_what_is_waited_for_comes_as_it_is_done(stage: Stage) -> None:
    """A final is marked by a worker, scored again on demand, published and withdrawn with reasons, and verified."""
    played = RunOnStage(stage, 2, "red", "blue", marked=False).play().finish()
    olga, at = Staff(stage), f"{RUNS}/{played.run_id}"
    board = f"/v1/conduct/boards/{played.run_id}/decision"
    refused = olga.said(f"{at}/mark", {})
    assert (refused["state"], refused["kind"], refused["subject"]) == ("under_way", "mark", played.run_id)
    assert stage.settle() == []
    told = olga.said(f"/v1/conduct/errands/{refused['errand_id']}")
    assert (told["state"], told["refused"]["code"]) == ("refused", "not_marked_yet")
    assert played.run.markups == ()
    stage.load(run_cycle(2))
    asked = olga.said(f"{at}/mark", {})
    assert stage.settle(deliveries=2) == []
    assert olga.said(f"/v1/conduct/errands/{asked['errand_id']}")["state"] == "done"
    marked = [each for each in logged(stage) if each[1] == "run marked"]
    assert marked == [("person:the-organizer", "run marked")], "delivered twice, done once"
    stage.lose(stage.platform.settings.scoring_queue_url)
    assert sum(each["answers"] for each in olga.said("/v1/conduct/scoring")["sessions"]) == 4
    assert olga.said("/v1/conduct/scoring/redrive", {"run": played.run_id}) == {"enqueued": 4}
    assert stage.work() == []
    assert olga.said("/v1/conduct/scoring")["sessions"] == []
    stage.tick()
    assert olga.said(at)["settlement"]["state"] == "ready"
    published = olga.said(board, {"state": "published", "reason": "all is well"})
    assert published == {"board": played.run_id, "state": "published"}
    assert played.board().status == 200
    assert olga.post(board, {"state": "published", "reason": "all is well"}).refusal == (409, "board_is_so")
    assert olga.post(f"{at}/mark", {}).code == "results_published"
    assert olga.said(board, {"state": "hidden", "reason": "an error"})["state"] == "hidden"
    assert played.board().status == 403
    changes = stage.platform.audit_log.on(iso(stage.now)[:10])
    reasons = {each.what: (each.after or {}).get("reason") for each in changes}
    assert (reasons["run results published"], reasons["run results hidden"]) == ("all is well", "an error")


@pytest.mark.clause("platform §4 audit", "R 8.3.1")
def test_a_session_is_verified_by_a_worker_and_a_changed_score_is_found(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red").play().finish()
    vera = Staff(stage, Role.COMMISSION)
    session_id = played.programs["red"].session_id

    def verified() -> Any:
        asked = vera.said(f"/v1/conduct/sessions/{session_id}/verification", {})
        where = f"/v1/conduct/errands/{asked['errand_id']}"
        assert vera.said(where)["state"] == "under_way"
        assert stage.verify() == []
        told = vera.said(where)
        assert told["state"] == "done"
        return told["verification"]

    clean = verified()
    assert (clean["scores"], clean["differences"], clean["missing"]) == (2, [], [])
    assert clean["reports"] >= 1
    (key, *_), stored = zip(*sorted(stage.platform.scores.of_session(session_id).items(), key=repr), strict=True)
    stage.delete_scores()
    wrong = json.loads(stored[0])
    stage.platform.scores.put(session_id, key, json.dumps({**wrong, "planted": True}).encode())
    found = verified()
    assert found["differences"] == [f"score {session_id} {key.number}"]
    assert len(found["missing"]) == 1
    assert vera.get(f"/v1/conduct/errands/{'z' * 20}").code == "unknown_errand"
    assert vera.post(f"/v1/conduct/sessions/{'1' * 15}/verification").code == "unknown_session"


def test_no_answer_tells_a_file_that_is_still_to_open(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red")
    olga, at = Staff(stage), f"{RUNS}/{played.run_id}"
    plan = reading.run_plan(stage.platform, played.schedule)
    answers = [olga.get(path).text for path in (RUNS, at, f"{at}/watch")]
    answers.append(olga.post(f"{at}/decisions/preview", {"kind": "replace", "numbers": [2], **WHY}).text)
    answers.append(olga.post(f"{at}/restart/preview", {"starts_at": iso(stage.now + 10 * MINUTE), **WHY}).text)
    for file in plan:
        for secret in (file.file_id, file.item_id, file.content_sha256, file.salt):
            assert not [each for each in answers if secret in each]


@pytest.mark.clause("platform §7 doctor", "platform §4 failed")
def test_an_errand_whose_worker_failed_for_good_says_so_and_the_doctor_sends_for_it_again(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red").play().finish()
    vera, olga = Staff(stage, Role.COMMISSION), Staff(stage)
    session_id = played.programs["red"].session_id
    verify = vera.said(f"/v1/conduct/sessions/{session_id}/verification", {})["errand_id"]
    mark = olga.said(f"{RUNS}/{played.run_id}/mark", {})["errand_id"]
    queues = stage.platform.settings
    for queue, url in (
        (LetterQueue.AUDITS, queues.audit_queue_url),
        (LetterQueue.SETTLEMENT, queues.settlement_queue_url),
    ):
        (body,) = [each["Body"] for each in taken(url)]
        stage.die(queue, body, f"of {queue}")
    states = [vera.said(f"/v1/conduct/errands/{each}")["state"] for each in (verify, mark)]
    assert states == ["failed", "failed"]
    stage.advance(1)
    found = stage.request("GET", "/v1/doctor", None, stage.person(Role.ORGANIZER)).json["findings"]
    assert {each["subject"] for each in found if each["ailment"] == "errand_lost"} == {verify, mark}
    mended = stage.request("POST", "/v1/doctor/mend", {"ailments": ["errand_lost"]}, stage.person(Role.ORGANIZER)).json[
        "mended"
    ]
    assert [each["mended"] for each in mended] == [True, True]
    assert {vera.said(f"/v1/conduct/errands/{each}")["state"] for each in (verify, mark)} == {"under_way"}
    assert stage.verify() == stage.settle() == []
    assert {vera.said(f"/v1/conduct/errands/{each}")["state"] for each in (verify, mark)} == {"done"}


@pytest.mark.clause("platform §7 doctor")
def test_an_errand_whose_message_was_lost_is_not_under_way_for_ever(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red").play().finish()
    olga = Staff(stage)
    mark = olga.said(f"{RUNS}/{played.run_id}/mark", {})["errand_id"]
    stage.lose(stage.platform.settings.settlement_queue_url)
    stage.advance(29 * 60)
    assert olga.said(f"/v1/conduct/errands/{mark}")["state"] == "under_way"
    stage.advance(2 * 60)
    assert olga.said(f"/v1/conduct/errands/{mark}")["state"] == "failed"
    mended = stage.request("POST", "/v1/doctor/mend", {"ailments": ["errand_lost"]}, stage.person(Role.ORGANIZER)).json[
        "mended"
    ]
    assert [(each["subject"], each["mended"]) for each in mended] == [(mark, True)]
    assert stage.settle() == []
    assert olga.said(f"/v1/conduct/errands/{mark}")["state"] == "done"


def taken(url: str) -> list[Any]:
    """Take the messages from a queue and return them."""
    sqs = aws.client("sqs")
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for each in found:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
    return list(found)
