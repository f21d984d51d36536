"""Dead letters (platform §4) over HTTP: taken from their queues, listed, done again, dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.adapters import aws
from contest.operations import doctor, letters
from contest.operations.rules import REMEMBERED, Arrived, about, arrive, letter_id
from contest.people.rules import Role
from contest.stored_names import Figure, LetterQueue
from tests.fakes import FakePlatform
from tests.stage import Answered, Program, Stage

JOB = json.dumps({"session_id": "294017735586120", "number": 3, "content_sha256": "a" * 64})
SCORING = letter_id(LetterQueue.SCORING, JOB)
LETTERS = "/v1/dead-letters"


def note(function: str, at: str = "2026-11-22T10:00:00Z") -> str:
    """Return Lambda's note on a failed run of a timer."""
    return json.dumps(
        {
            "timestamp": at,
            "requestContext": {
                "functionArn": f"arn:aws:lambda:eu-central-1:1:function:hurdle-toy-1-{function}:$LATEST",
                "condition": "RetriesExhausted",
            },
            "responseContext": {"functionError": "Unhandled"},
            "responsePayload": {"errorType": "SweepError", "errorMessage": "2 failures; see the log"},
        }
    )


def ask(stage: Stage, method: str, path: str, body: Any = None, role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request(method, path, body, stage.person(role))


def listed(stage: Stage, query: str = "") -> list[dict[str, Any]]:
    answered = ask(stage, "GET", LETTERS + query, role=Role.COMMISSION)
    assert answered.status == 200, answered.text
    letters: list[dict[str, Any]] = answered.json["letters"]
    return letters


def metrics_written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the metrics written for the alarms since the last call, one object an invocation."""
    lines = capsys.readouterr().err.splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"_aws"')]


def queued(stage: Stage, url: str) -> list[str]:
    received = aws.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0)
    return [message["Body"] for message in received.get("Messages", [])]


@pytest.mark.clause("platform §4 failed")
def test_what_fails_for_good_is_listed_with_what_it_is_about_and_without_what_it_says(stage: Stage) -> None:
    assert stage.die(LetterQueue.SCORING, JOB) == {"batchItemFailures": []}
    stage.die(LetterQueue.TIMERS, note("minute-timer"), "m2")
    scoring, timer = listed(stage)
    assert (scoring["letter_id"], scoring["queue"], scoring["times"], scoring["tries"]) == (SCORING, "scoring", 1, 6)
    assert scoring["about"] == {"session_id": "294017735586120", "number": "3"}
    assert (timer["about"], timer["error"]) == ({"function": "hurdle-toy-1-minute-timer"}, "SweepError")
    assert "body" not in scoring
    assert "see the log" not in json.dumps(timer)
    letter = ask(stage, "GET", f"{LETTERS}/{SCORING}", role=Role.COMMISSION).json
    assert (letter["body"], letter["messages"], letter["state"]) == (JOB, ["m1"], "open")
    assert [letter["queue"] for letter in listed(stage, "?queue=timers")] == ["timers"]
    failure = {"TARGET_ARN": "arn:aws:lambda:eu-central-1:1:function:hurdle-toy-1-audit", "ERROR_CODE": "AccessDenied"}
    attributes = {name: {"stringValue": value, "dataType": "String"} for name, value in failure.items()}
    stage.die(LetterQueue.TIMERS, "{}", "m3", messageAttributes=attributes)
    *_, letter = listed(stage)
    assert (letter["about"], letter["error"]) == ({"function": "hurdle-toy-1-audit"}, "AccessDenied")
    outcome = stage.die(LetterQueue.SCORING, JOB, eventSourceARN="arn:aws:sqs:elsewhere")
    assert outcome == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert len(listed(stage)) == 3


def test_a_job_that_dies_again_is_the_same_letter_and_a_message_that_comes_twice_is_counted_once(stage: Stage) -> None:
    for message in ("m1", "m1", "m2"):
        stage.die(LetterQueue.SCORING, JOB, message)
        stage.advance(60)
    (letter,) = listed(stage)
    assert letter["times"] == 2
    assert letter["first_at"] < letter["last_at"]
    stage.die(LetterQueue.TIMERS, note("channel-timer"), "m3")
    stage.die(LetterQueue.TIMERS, note("channel-timer", "2026-11-22T10:01:00Z"), "m4")
    assert [letter["times"] for letter in listed(stage, "?queue=timers")] == [2]


@pytest.mark.clause("platform §4 failed")
def test_a_letter_is_redriven_once_and_logged(stage: Stage) -> None:
    stage.die(LetterQueue.SCORING, JOB)
    for expected in ([SCORING], []):
        done = ask(stage, "POST", f"{LETTERS}/redrive", {"letter_ids": [SCORING]})
        assert (done.status, done.json) == (200, {"redriven": expected, "passed_over": [], "left": 0})
        assert queued(stage, stage.platform.settings.scoring_queue_url) == [JOB], "the job itself, and once"
    assert listed(stage) == []
    assert ask(stage, "GET", f"{LETTERS}/{SCORING}").json["state"] == "redriven"
    (entry,) = [candidate for candidate in stage.platform.audit_log.on("2026-09-21") if candidate.subject == SCORING]
    assert (entry.who, entry.what) == ("person:person-organizer", "dead letter redriven")
    stage.die(LetterQueue.SCORING, JOB, "m9")
    (again,) = listed(stage)
    assert (again["state"], again["times"]) == ("open", 2)


@pytest.mark.clause("platform §4 failed")
def test_answers_and_batches_that_failed_for_good_are_scored_by_the_redrive(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    entry = stage.outbox()[0]
    job = {"session_id": red.session_id, "number": 1, "content_sha256": entry["content_sha256"]["S"]}
    stage.die(LetterQueue.SCORING, json.dumps(job))
    assert red.get("report").status == 202
    assert ask(stage, "POST", f"{LETTERS}/redrive", {"queue": "scoring"}).json["redriven"]
    assert stage.work() == []
    assert red.get("report").json["counts"]["answered"] == 1
    red.open(files=2)
    red.play()
    given_up = {"requestContext": {"condition": "RetryAttemptsExhausted"}, "DDBStreamBatchInfo": {"batchSize": 2}}
    stage.die(LetterQueue.RELAY, json.dumps(given_up))
    assert listed(stage)[0]["error"] == "RetryAttemptsExhausted"
    assert len(ask(stage, "POST", f"{LETTERS}/redrive", {}).json["redriven"]) == 1
    assert len(queued(stage, stage.platform.settings.scoring_queue_url)) == 2
    assert stage.work() == []
    assert stage.outbox() == []


def test_letters_go_back_to_their_own_queues(stage: Stage) -> None:
    deployed = stage.platform.settings
    urls = {
        LetterQueue.SCORING: deployed.scoring_queue_url,
        LetterQueue.SETTLEMENT: deployed.settlement_queue_url,
        LetterQueue.AUDITS: deployed.audit_queue_url,
        LetterQueue.PUSHES: deployed.push_queue_url,
    }
    for queue in urls:
        stage.die(queue, json.dumps({"session_id": queue.value}))
    assert len(ask(stage, "POST", f"{LETTERS}/redrive", {}).json["redriven"]) == 4
    assert {queue: queued(stage, url) for queue, url in urls.items()} == {
        queue: [json.dumps({"session_id": queue.value})] for queue in urls
    }
    for function in ("minute-timer", "channel-timer", "audit"):
        stage.die(LetterQueue.TIMERS, note(function))
    done = ask(stage, "POST", f"{LETTERS}/redrive", {}).json
    assert [len(done[name]) for name in ("redriven", "passed_over")] == [1, 2]
    assert done["left"] == 2
    assert '{"session_id": "", "errand_id": ""}' in queued(stage, deployed.audit_queue_url)


@pytest.mark.clause("platform §4 failed")
def test_a_letter_is_dropped_with_a_reason_and_mistakes_refused(stage: Stage) -> None:
    stage.die(LetterQueue.SCORING, JOB)
    unknown = "scoring-" + "0" * 16
    for body, code in (
        ({"letter_ids": [SCORING, unknown]}, "unknown_letter"),
        ({"letter_ids": [SCORING], "queue": "scoring"}, "invalid_request"),
        ({"letter_ids": []}, "invalid_request"),
        ({"letter_ids": ["../x"]}, "invalid_request"),
        ({"queue": "elsewhere"}, "invalid_request"),
    ):
        assert ask(stage, "POST", f"{LETTERS}/redrive", body).code == code
    assert ask(stage, "GET", f"{LETTERS}/{unknown}").code == "unknown_letter"
    assert queued(stage, stage.platform.settings.scoring_queue_url) == []
    assert len(listed(stage)) == 1
    assert ask(stage, "POST", f"{LETTERS}/{SCORING}/drop", {"reason": " "}).code == "invalid_request"
    dropped = ask(stage, "POST", f"{LETTERS}/{SCORING}/drop", {"reason": "the session was annulled"})
    assert (dropped.json["state"], dropped.json["reason"]) == ("dropped", "the session was annulled")
    twice = ask(stage, "POST", f"{LETTERS}/{SCORING}/drop", {"reason": "again"})
    assert (twice.status, twice.code, twice.json["error"]["details"][0]["state"]) == (409, "letter_decided", "dropped")
    assert ask(stage, "POST", f"{LETTERS}/redrive", {"letter_ids": [SCORING]}).json["redriven"] == []
    assert queued(stage, stage.platform.settings.scoring_queue_url) == []


def test_pages_of_letters_follow_on_one_another(stage: Stage) -> None:
    for number in range(5):
        stage.die(LetterQueue.PUSHES, json.dumps({"session_id": "1", "number": number}), f"m{number}")
    stage.die(LetterQueue.AUDITS, "{}")
    numbers, after = list[str](), ""
    while True:
        page = ask(stage, "GET", f"{LETTERS}?queue=pushes&limit=2{after}").json
        numbers += [letter["about"]["number"] for letter in page["letters"]]
        assert len(numbers) <= 5, "what was seen comes no second time"
        if page["after"] is None:
            break
        after = f"&after={page['after']}"
    assert sorted(numbers) == ["0", "1", "2", "3", "4"]


@pytest.mark.clause("platform §4 failed")
def test_the_minute_timer_counts_the_letters_that_are_open(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    for session_id in ("1", "2"):
        stage.die(LetterQueue.SCORING, json.dumps({"session_id": session_id}))
    stage.die(LetterQueue.TIMERS, note("minute-timer"))
    waiting = {"scoring": 2, "timers": 1}
    assert stage.tick()["letters"] == {queue.value: waiting.get(queue.value, 0) for queue in LetterQueue}
    ask(stage, "POST", f"{LETTERS}/redrive", {"queue": "scoring"})
    assert stage.tick()["letters"]["scoring"] == 0
    assert [line[Figure.DEAD_LETTERS_OPEN] for line in metrics_written(capsys)] == [[3.0], [1.0]]


def test_nobody_loses_a_job_whose_letter_somebody_else_decides_about_meanwhile() -> None:
    """The work is asked for before the letter is written, so a lost race asks twice and never not at all."""
    platform = FakePlatform()
    arrived = Arrived(LetterQueue.SCORING, "m1", JOB, 1, 2, 5)
    assert letters.collect(platform, arrived)
    assert not letters.collect(platform, arrived)
    before = platform.dead_letters.get(SCORING)
    assert before is not None
    identity = doctor.Identity(Role.ORGANIZER, person_id="olga")
    counts: list[int] = []
    send = platform.work_queues.send_again

    def send_and_race(queue: LetterQueue, bodies: Any) -> None:
        send(queue, bodies)
        counts.append(len(bodies))
        if len(counts) == 1:
            assert doctor.redrive(platform, identity, None, None).redriven == (SCORING,)

    platform.work_queues.send_again = send_and_race  # type: ignore[method-assign]
    assert doctor.redrive(platform, identity, [SCORING], None).redriven == ()
    assert platform.work_queues.sent == [(LetterQueue.SCORING, JOB)] * 2


def test_letters_are_named_by_what_they_are_about_and_remember_the_latest_messages() -> None:
    turned = json.dumps(dict(reversed(json.loads(JOB).items())))
    assert letter_id(LetterQueue.SCORING, turned) == SCORING
    assert letter_id(LetterQueue.SETTLEMENT, JOB) != SCORING
    assert letter_id(LetterQueue.TIMERS, note("minute-timer")) != letter_id(LetterQueue.TIMERS, note("channel-timer"))
    for body in ("", "[]", "{", "[" * 100_000, "\ud800", '{"requestContext": 3}'):
        for queue in LetterQueue:
            assert letter_id(queue, body).startswith(f"{queue.value}-")
            assert about(queue, body) == {}
    letter = None
    for number in range(REMEMBERED + 5):
        letter = arrive(letter, Arrived(LetterQueue.SCORING, f"m{number}", JOB, 1, number, 5))
        assert letter is not None
    assert letter is not None
    assert (letter.times, len(letter.messages), letter.messages[-1]) == (REMEMBERED + 5, REMEMBERED, "m24")
