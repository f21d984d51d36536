"""The doctor and the dead letters (platform §7, §4) over HTTP: each is planted, listed, mended once, and gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.adapters import aws
from contest.experts import judged_essays, work
from contest.operations import doctor, letters
from contest.operations.rules import REMEMBERED, WORDS, Ailment, Arrived, letter_after_arrival, letter_id, visible_parts
from contest.people.rules import Role
from contest.results import publishing
from contest.run import under_way
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.stored_names import Figure, LetterQueue
from tests.experts_stage import DIFFERENT, Desk, shipped
from tests.fakes import FakePlatform
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Answered, Program, Stage

MINUTE = 60


def ask(stage: Stage, method: str, path: str, body: Any = None, role: Role = Role.ORGANIZER) -> Answered:
    stage.advance(1)
    return stage.request(method, path, body, stage.person(role))


def found(stage: Stage, ailment: str) -> list[dict[str, Any]]:
    return [
        finding
        for finding in ask(stage, "GET", "/v1/doctor", role=Role.COMMISSION).body()["findings"]
        if finding["ailment"] == ailment
    ]


def mend(stage: Stage, *ailments: str) -> list[dict[str, Any]]:
    mended: list[dict[str, Any]] = ask(
        stage, "POST", "/v1/doctor/mend", {"ailments": list(ailments)} if ailments else {}
    ).body()["mended"]
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
    assert found(stage, "report_missing") == [], "the timer makes it"
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
    final.decide(Wish(Kind.VOID, "unreadable", (1,)))
    assert found(stage, "results_missing") == [], "a decision calls for others"
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
        dying.setattr(work, "apply_third_expert_rule", lambda *_: 1 / 0)
        assert other.hand_in(second, 1).status == 500
    stage.advance(4 * MINUTE)
    marking = desk.olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
    gone_after_mending(stage, "rule_not_asked", f"{marking}/{DIFFERENT}")
    assert found(stage, "third_expert_lacking") == []
    stage.advance(4 * MINUTE)
    (lacking,) = found(stage, "third_expert_lacking")
    assert lacking["subject"] == f"{marking}/{DIFFERENT}"
    (failed,) = mend(stage, "third_expert_lacking")
    assert (failed["mended"], failed["error"].split(":")[0]) == (False, "nobody_able")
    assert desk.olga.add("clara").status == 200
    gone_after_mending(stage, "third_expert_lacking", f"{marking}/{DIFFERENT}")
    assert [each["expert_id"] for each in desk.olga.essay(DIFFERENT)["assignments"] if each["third"]] == ["clara"]
    assert not judged_essays.assign_third_expert(stage.platform, marking, DIFFERENT)


@pytest.mark.clause("platform §7 doctor")
def test_one_fault_holds_up_no_other(monkeypatch: pytest.MonkeyPatch, stage: Stage, red: Program) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(doctor.reporting, "sessions_waiting", lambda _: 1 / 0)
        (one,) = found(stage, "unreadable")
    assert (one["subject"], one["evidence"]) == ("waiting", {"error": "ZeroDivisionError"})
    assert len(found(stage, "timer_silent")) == 2
    red.open(files=2)
    stage.advance(30 * MINUTE)
    stage.die(LetterQueue.SETTLEMENT, "{}")
    monkeypatch.setattr(doctor.minute_timer, "close_session", lambda *_: 1 / 0)
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


def listed(stage: Stage, query: str = "") -> list[dict[str, Any]]:
    letters: list[dict[str, Any]] = ask(stage, "GET", LETTERS + query, role=Role.COMMISSION).body()["letters"]
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
            assert visible_parts(queue, body) == {}
    letter = None
    for number in range(REMEMBERED + 5):
        letter = letter_after_arrival(letter, Arrived(LetterQueue.SCORING, f"m{number}", JOB, 1, number, 5))
        assert letter is not None
    assert letter is not None
    assert (letter.times, len(letter.messages), letter.messages[-1]) == (REMEMBERED + 5, REMEMBERED, "m24")
