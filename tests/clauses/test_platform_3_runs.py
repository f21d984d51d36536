"""Runs by platform §3: timers decide nothing, first arrivals count, nothing of a file is revealed before it opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import Mock, patch

import pytest

from contest import reading, stored_names
from contest.adapters import aws
from contest.people.rules import Role
from contest.run.rules.run import Kind, Run
from contest.run.rules.schedule import Schedule
from contest.values import from_iso, iso
from tests.run_stage import at
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

RIGHT = {"letters": "abcd"}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(final=3, reserve=2, technical={"enabled": False}, requests_per_second=1000))
    stage.restart()
    return stage


def releases(stage: Stage, run: Run) -> list[tuple[int, str, str]]:
    return [(each.number, each.armed_by.value, iso(each.opens_at)) for each in stage.platform.runs.releases(run.run_id)]


@pytest.mark.clause("platform §3 arming", "platform §3 release")
def test_the_timer_arms_three_minutes_and_opens_nothing(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, -180.001)
    assert stage.tick()["armed"] == 0
    stage.advance(0.001)
    assert stage.tick()["armed"] == 1
    assert stage.tick()["armed"] == 0
    assert releases(stage, run) == [(1, "timer", iso(run.starts_at))]
    at(stage, run, 1, -60)
    stage.tick()
    at(stage, run, 1, -0.001)
    assert joined.get("files/1").code == "not_open_yet"


@pytest.mark.clause("platform §3 arming")
def test_a_missed_tick_is_made_up_by_the_first_request(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    assert joined.get("files/1").status == 200
    assert releases(stage, run) == [(1, "request", iso(run.starts_at))]
    stage.tick()
    assert [each[:2] for each in releases(stage, run)] == [(1, "request"), (2, "timer"), (3, "timer")]


@pytest.mark.clause("platform §3 arming")
def test_platform_3_a_pause_moves_what_was_armed(stage: Stage, run: Run) -> None:
    at(stage, run, 1, -60)
    assert stage.tick()["armed"] == 3
    stage.decide(run, Kind.PAUSE)
    stage.advance(20)
    stage.decide(run, Kind.RESUME)  # paused for 45 s
    assert stage.tick()["armed"] == 2  # the third opens in 205 s now
    stage.advance(60)
    assert stage.tick()["armed"] == 1
    assert releases(stage, run)[0] == (1, "timer", iso(run.starts_at + 45_000))


@pytest.mark.clause("platform §3 arming", "platform §3 release")
def test_platform_3_ticks_missed_doubled_and_late_change_no_outcome(stage: Stage, run: Run) -> None:
    """The same story with a tick a minute and with none at all ends the same for the teams."""
    outcomes = []
    for name, ticks in (("red", 0), ("blue", 2)):
        program = Program(stage, stage.team(name))
        again = stage.plan()
        program.join(run=again.run_id)
        for number in (1, 3):
            at(stage, again, number, 1)
            [stage.tick() for _ in range(ticks)]
            program.get(f"files/{number}")
            program.answer(number, RIGHT)
        stage.advance(600)
        [stage.tick() for _ in range(ticks)]
        status = program.get().json
        outcomes.append([(each["state"], each["cause"], each["evidence"]) for each in status["deliveries"]])
    assert outcomes[0] == outcomes[1]


@pytest.mark.clause("platform §3 end")
def test_timer_and_reading_end_a_session_alike(stage: Stage, run: Run, joined: Program) -> None:
    other = Program(stage, stage.team("blue"))
    other.join()
    at(stage, run, 3, 60 + 30)
    assert joined.get().json["state"] == "open"
    stage.advance(0.001)
    assert joined.get().json["state"] == "finished"
    assert stage.tick()["closed"] == 1
    assert [each.get().json["closed_at"] for each in (joined, other)] == [iso(stage.now)] * 2


@pytest.mark.clause("platform §3 platform faults")
def test_a_lost_request_counts_when_made_again(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, 9)
    with failing(stage.platform.deliveries, "hand_out"):
        assert joined.get("files/1").status == 500
    stage.advance(30)
    handed_out = joined.get("files/1").json
    # asked for at 9 s, handed out at 39 s: the platform's thirty seconds are added to both limits
    assert handed_out["answer_by"] == iso(run.starts_at + 39_000 + 50_000)
    stage.advance(50)
    assert joined.answer(1, RIGHT).json["receipt"]["status"] == "accepted"


@pytest.mark.clause("platform §3 platform faults")
def test_a_lost_answer_counts_when_it_comes_again(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    joined.get("files/1")
    stage.advance(50)
    with failing(stage.platform.blobs, "put_if_absent"):
        assert joined.answer(1, RIGHT).status == 500
    stage.advance(20)
    before = joined.get().json["deliveries"][0]
    assert (before["cause"], before["evidence"]) == ("platform", {"arrived_at": iso(run.starts_at + 50_000)})
    assert joined.answer(1, {"letters": "other"}).json["receipt"]["status"] == "late"
    receipt = joined.answer(1, RIGHT).json["receipt"]
    assert (receipt["status"], receipt["received_at"]) == ("accepted", iso(run.starts_at + 50_000))
    assert receipt["decided_at"] == iso(run.starts_at + 70_000)
    assert joined.get().json["deliveries"][0]["state"] == "answered"


@pytest.mark.clause("platform §3 platform faults", "platform §3 late")
@pytest.mark.parametrize("keyed", [False, True])
def test_a_repeated_answer_leaves_no_trace(stage: Stage, run: Run, joined: Program, keyed: bool) -> None:
    """Sent, sent again, replaced; and four minutes after the deadline sent once more."""
    at(stage, run, 1)
    joined.get("files/1")
    key = {"key": "k"} if keyed else {}
    joined.answer(1, RIGHT, **key)
    joined.answer(1, RIGHT, **key)
    joined.answer(1, {"letters": "other"})
    assert "arrived_" not in stage.everything_stored()
    stage.advance(240)
    late = joined.answer(1, RIGHT).json["receipt"]
    assert (late["status"], late["received_at"], late["decided_at"]) == ("late", iso(stage.now), iso(stage.now))
    assert "arrived_" not in stage.everything_stored()


@pytest.mark.clause("platform §3 platform faults")
def test_garbage_leaves_no_note_and_is_the_teams_fault(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    joined.get("files/1")
    joined.answer(1, "[]")
    with failing(stage.platform.deliveries, "send", "count_refused"):
        assert joined.answer(1, "[]").status == 500
    assert "arrived_" not in stage.everything_stored()
    stage.advance(51)
    assert joined.get().json["deliveries"][0]["cause"] == "team_invalid"


@pytest.mark.clause("platform §3 platform faults", "platform §3 abort")
@pytest.mark.parametrize("mode", ["algorithmic", "final"])
def test_platform_3_aborting_with_an_answer_in_flight_is_no_fault_of_the_platforms(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    if mode == "final":
        at(stage, run, 1)
    else:
        joined.open(files=1)
    joined.get("files/1")
    put = stage.platform.blobs.put_if_absent

    def put_after_the_end(*words: Any) -> None:
        aborted = joined.ask("POST", f"/v1/sessions/{joined.session_id}/abort", {"confirm": True})
        assert aborted.json["state"] == "aborted"
        put(*words)

    with monkeypatch.context() as aborting:
        aborting.setattr(stage.platform.blobs, "put_if_absent", put_after_the_end)
        receipt = joined.answer(1, RIGHT).json["receipt"]
    assert (receipt["status"], receipt["reason"]) == ("late", "session_closed")
    assert joined.get().json["deliveries"][0]["cause"] == "team_late"
    assert "arrived_" not in stage.everything_stored()


@pytest.mark.clause("platform §3 platform faults", "platform §3 abort")
def test_an_abort_passes_a_request(stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    at(stage, run, 1)
    hand_out = stage.platform.deliveries.hand_out

    def hand_out_after_the_end(*words: Any) -> None:
        joined.ask("POST", f"/v1/sessions/{joined.session_id}/abort", {"confirm": True})
        hand_out(*words)

    monkeypatch.setattr(stage.platform.deliveries, "hand_out", hand_out_after_the_end)
    assert joined.get("files/1").code == "session_closed"
    assert joined.get().json["deliveries"][0]["cause"] == "team_late"


@pytest.mark.clause("platform §3 platform faults")
def test_a_lost_answer_is_the_platforms_fault_for_ever(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 3)
    joined.get("files/3")
    with failing(stage.platform.deliveries, "send"):
        assert joined.answer(3, RIGHT).status == 500
    stage.advance(91)
    stage.tick()
    void = joined.get().json["deliveries"][2]
    assert (void["cause"], void["evidence"]) == ("platform", {"arrived_at": iso(run.starts_at + 120_000)})
    assert joined.answer(3, RIGHT).json["receipt"]["status"] == "late"
    assert joined.get().json["deliveries"][2] == {**void, "sends": 1}


@pytest.mark.clause("platform §3 platform faults")
def test_platform_3_what_the_platform_owes_is_counted_by_the_timer(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1)
    with failing(stage.platform.deliveries, "hand_out"):
        joined.get("files/1")
    at(stage, run, 2)
    assert stage.tick()["overdue"] == 0
    stage.advance(0.001)
    assert stage.tick()["overdue"] == 1
    assert joined.get().json["deliveries"][0]["cause"] == "platform"


@pytest.mark.clause("platform §1 one session")
def test_platform_3_the_same_key_finds_the_session_it_joined_with(joined: Program, stage: Stage) -> None:
    other = Program(stage, stage.team("blue"))
    first = other.join(key="k").json["session_id"]
    assert other.join(key="k").json["session_id"] == first


@pytest.mark.clause("platform §3 sets", "platform §1 secrets", "R 2.8", "platform §3 trial", "D 6.9")
def test_platform_3_a_trial_may_use_any_set_and_finals_are_not_named(stage: Stage, program: Program) -> None:
    assert set(stage.request("GET", "/v1/cycle").json["sets"]) == {"test", "train"}
    for name in ("final", "reserve"):
        refused = program.open(set=name)
        assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "unknown_set")
    stage.plan(set_name="test", trial=True, in_s=5)
    assert program.join().status == 201
    assert stage.request("GET", "/v1/runs").json["runs"][0]["trial"] is True
    stage.advance(5)
    program.get("files/1")
    program.answer(1, RIGHT)
    stage.advance(2000)
    program.get()
    stage.score_all()
    stage.tick()
    assert stage.request("GET", "/v1/leaderboards/qualification").json["rows"] == []


def failing(port: object, *methods: str) -> AbstractContextManager[Any]:
    """Let methods of a port of the platform raise while it lasts."""
    return patch.multiple(port, **{method: Mock(side_effect=OSError("the platform fails here")) for method in methods})


def secrets(stage: Stage, run: Run) -> Iterator[tuple[int, set[str]]]:
    """Yield for each file the number and every string that would reveal it: names, hashes, its text."""
    manifest = reading.manifest(stage.platform, "toy-1", run.manifest).by_id()
    for number, file in enumerate(reading.run_plan(stage.platform, Schedule.of(run)), start=1):
        item = manifest[file.item_id]
        question = json.loads(stage.platform.blobs.get(stored_names.blob_names("toy-1", "items", item.content)))[
            "question"
        ]
        yield number, {file.file_id, file.item_id, file.content_sha256, file.salt, item.content, question}


def everything_told(stage: Stage, run: Run, program: Program, number: int) -> str:
    """Return everything that any route, method and false time tells a team about a file."""
    session = f"/v1/sessions/{program.session_id}"
    lies = {"Date": "Sat, 21 Nov 2099 00:00:00 GMT", "If-Modified-Since": "Sat, 21 Nov 2099 00:00:00 GMT"}
    paths = [
        *(session + each for each in ("", "/next", "/receipts", "/report", "/timeline")),
        *(f"{session}/files/{number}{each}" for each in ("", "/score", "/comparison")),
        *("/v1/sessions", "/v1/cycle", "/v1/runs", "/v1/keys", f"/v1/runs/{run.run_id}"),
        *(f"/v1/runs/{run.run_id}/{each}" for each in ("record", "timeline")),
        *("/v1/leaderboards/qualification", "/v1/leaderboards/final", f"/v1/leaderboards/final?run={run.run_id}"),
    ]
    found = [program.stage.request("GET", path, None, program.token, lies) for path in paths]
    found.append(program.answer(number, {**RIGHT, "server_time": "2099-01-01T00:00:00.000Z"}))
    found.append(program.open(set="final"))
    return "\n".join(f"{each.status} {dict(each.headers)} {each.text}" for each in found)


@pytest.mark.clause("platform §3 secrecy")
def test_nothing_tells_a_file_before_its_opening(stage: Stage, run: Run, joined: Program) -> None:
    hidden = dict(secrets(stage, run))
    for number, seconds in ((1, -500), (1, -1.5), (1, -0.001), (2, -0.001), (3, -0.001)):
        at(stage, run, number, seconds)
        stage.tick()
        told = everything_told(stage, run, joined, number)
        assert "rate_limited" not in told
        leaked = [each for later in range(number, 4) for each in hidden[later] if each in told]
        assert leaked == []
    stage.advance(0.001)
    assert joined.get("files/3").json["file_id"] in hidden[3]


@pytest.mark.clause("platform §3 secrecy")
def test_an_ended_session_is_told_no_later_file(stage: Stage, run: Run, joined: Program) -> None:
    hidden = dict(secrets(stage, run))
    at(stage, run, 1)
    joined.get("files/1")
    joined.ask("POST", f"/v1/sessions/{joined.session_id}/abort", {"confirm": True})
    stage.advance(31)
    stage.tick()
    told = everything_told(stage, run, joined, 2)
    assert [each for later in (2, 3) for each in hidden[later] if each in told] == []
    assert joined.get("report").code == "run_not_over"
    at(stage, run, 3)
    assert joined.get("report").status == 200


@pytest.mark.clause("platform §3 secrecy")
def test_files_not_open_yet_are_refused_alike(stage: Stage, run: Run, joined: Program) -> None:
    """Files that are not open yet are refused alike, whatever they are."""
    texts = set()
    for number in (2, 3):
        refused = joined.get(f"files/{number}").json["error"]
        for each in refused["details"]:
            for name in ("number", "opens_at", "message", "message_ru"):
                each.pop(name)
        texts.add(json.dumps(refused))
    assert len(texts) == 1


class Slow:
    """Slow platform: the clock goes on with every call of the cloud."""

    def __init__(self, stage: Stage, seconds: float) -> None:
        self._stage, self._seconds = stage, seconds

    def __call__(self, **_: Any) -> None:
        self._stage.advance(self._seconds)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        events = [
            (aws.client("dynamodb").meta.events, "provide-client-params"),  # a stage's tables have no other
            (aws.client("s3").meta.events, "before-call"),
        ]
        for emitter, event in events:
            emitter.register(event, self, unique_id="slow")
        try:
            yield
        finally:
            for emitter, event in events:
                emitter.unregister(event, self, unique_id="slow")


@pytest.mark.clause("platform §3 own latency", "platform §3 times")
@pytest.mark.parametrize(("seconds", "asks_next"), [(1, False), (2, False), (1, True)])
def test_no_platform_makes_a_team_late(stage: Stage, program: Program, seconds: float, asks_next: bool) -> None:
    """Files follow one another, each more than half a minute's work: with this platform it takes more than a minute."""
    stage.load(toy_cycle(final=5, technical={"enabled": False}, requests_per_second=1000))
    run = stage.plan(in_s=60)
    program.join()
    at(stage, run, 1)
    coming: Any = {"number": 1}
    given: list[int] = []
    with Slow(stage, seconds).at_work():
        while coming and coming.get("number"):
            number = coming["number"]
            taken = program.get(f"files/{number}")
            while taken.status == 425:
                stage.set_clock(max(stage.now, from_iso(taken.json["error"]["details"][0]["opens_at"])))
                taken = program.get(f"files/{number}")
            assert taken.status == 200, (given, taken.text)
            stage.advance(38)
            answered = program.answer(number, RIGHT)
            assert answered.json["receipt"]["status"] == "accepted", (given, answered.text)
            given.append(number)
            coming = program.get("next").json if asks_next else answered.json["next"]
    assert given == list(range(1, 6))
    assert {each["cause"] for each in program.get().json["deliveries"]} == {None}


def warm(program: Program) -> None:
    """Warm up the functions that take answers, and the authorizer: their start cannot be told apart from
    a body that comes slowly, so a process's first request has the benefit of the doubt."""
    assert program.ask("PUT", f"/v1/sessions/{program.session_id}/log", {}).status == 200


@pytest.mark.clause("platform §3 own latency")
@pytest.mark.parametrize("too_late", [0, 1])
def test_the_platforms_time_is_given_once(stage: Stage, run: Run, joined: Program, too_late: int) -> None:
    at(stage, run, 1)
    with Slow(stage, 2).at_work():
        joined.get("files/1")
    took = stage.now - run.starts_at
    at(stage, run, 1, 49)
    warm(joined)
    stage.advance(1)
    with Slow(stage, 3).at_work():
        assert joined.answer(1, RIGHT).json["receipt"]["status"] == "accepted"
    took += stage.now - run.starts_at - 50_000
    assert took >= 25_000
    at(stage, run, 2, 10 + (took + too_late) / 1000)
    stage.restart()  # a cold process owes as much
    second = joined.get("files/2")
    assert (second.status, stage.now - run.starts_at) == (410 if too_late else 200, 70_000 + took + too_late)
    at(stage, run, 3, 10 if too_late else 10 + took / 1000 + 0.001)
    assert joined.get("files/3").status == (200 if too_late else 410)


def sent_slowly(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    send: Callable[[], Answered],
) -> Answered:
    """Send a request whose headers come now and whose last byte comes so much later."""
    event, began = stage.event, stage.now

    def slow(*words: Any) -> dict[str, Any]:
        made = event(*words)
        made["requestContext"]["timeEpoch"] = began
        return made

    stage.advance(seconds)
    with monkeypatch.context() as slowly:
        slowly.setattr(stage, "event", slow)
        return send()


@pytest.mark.clause("platform §3 body", "platform §3 own latency")
@pytest.mark.parametrize("path", ["files/1/answer", "log"])
def test_platform_3_a_body_that_comes_slowly_is_no_time_of_the_platforms(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Otherwise a team that sends slowly could ask for every following file as much later."""
    at(stage, run, 1)
    joined.get("files/1")
    warm(joined)
    stage.advance(42)
    whole = f"/v1/sessions/{joined.session_id}/{path}"
    slowly = sent_slowly(stage, monkeypatch, 29, lambda: joined.ask("PUT", whole, RIGHT))
    assert (slowly.status, stage.now - run.starts_at) == (200, 71_000)
    assert joined.get("files/2").status == 410


@pytest.mark.clause("platform §3 body", "platform §3 late", "platform §3 platform faults")
@pytest.mark.parametrize(
    ("start_s", "seconds", "status"),
    [(0, 1.001, "accepted"), (0, 1.002, "late"), (0, 29, "late"), (10, 11.001, "accepted"), (10, 11.002, "late")],
)
def test_platform_3_a_body_that_is_held_back_counts_from_when_it_was_there(
    stage: Stage,
    run: Run,
    joined: Program,
    monkeypatch: pytest.MonkeyPatch,
    start_s: int,
    seconds: float,
    status: str,
) -> None:
    """The gateway's time of a request is that of its headers; nineteen bytes have a second and a millisecond, and ten
    seconds more where a process may have started for them."""
    at(stage, run, 1)
    joined.get("files/1")
    if not start_s:
        warm(joined)
    stage.advance(50)
    receipt = sent_slowly(stage, monkeypatch, seconds, lambda: joined.answer(1, RIGHT)).json["receipt"]
    assert receipt["status"] == status
    took = round(seconds * 1000)
    assert receipt["received_at"] == iso(run.starts_at + 50_000 + took - 1_001 - start_s * 1_000)
    assert (receipt["headers_at"], receipt["body_at"]) == (iso(run.starts_at + 50_000), iso(stage.now))


@pytest.mark.clause("platform §3 by number")
def test_an_answer_before_its_file_came_with_it(stage: Stage, run: Run, joined: Program) -> None:
    """Two clocks give the times of hand-out and answer; the first is ahead by the time that a write may take."""
    at(stage, run, 1, 1)
    handed_out_at = joined.get("files/1").json["handed_out_at"]
    at(stage, run, 1, 0.983)
    receipt = joined.answer(1, RIGHT).json["receipt"]
    assert (receipt["status"], receipt["received_at"]) == ("accepted", handed_out_at)
    assert receipt["decided_at"] == handed_out_at
    assert joined.answer(1, {"letters": "abxx"}).json["receipt"]["status"] == "accepted"


@pytest.mark.clause("platform §3 body", "platform §3 commitment", "R 8.3.1")
def test_a_slow_body_is_shown(stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for what in ("record", "timeline"):
        early = stage.request("GET", f"/v1/runs/{run.run_id}/{what}")
        assert early.refusal == (409, "run_not_over")
        assert int(early.headers["retry-after"]) > 0
    at(stage, run, 1)
    joined.get("files/1")
    warm(joined)
    stage.advance(10)
    sent_slowly(stage, monkeypatch, 3.5, lambda: joined.answer(1, RIGHT))
    stage.advance(300)
    stage.tick()
    stage.score_all()
    stage.tick()
    record = stage.request("GET", f"/v1/runs/{run.run_id}/record").json["record"]
    assert [each["opens_at"] for each in record["releases"]] == [iso(run.starts_at + n * 60_000) for n in range(3)]
    assert stage.request("GET", f"/v1/runs/{run.run_id}/timeline").headers["content-type"] == "image/svg+xml"
    row = record["sessions"][0]["files"][0]
    assert row["handed_out_at"] == iso(run.starts_at)
    assert (row["headers_at"], row["body_at"]) == (iso(run.starts_at + 10_000), iso(run.starts_at + 13_500))
    (warning,) = joined.get("report").json["files"][0]["warnings"]
    assert (warning["code"], warning["body_ms"]) == ("slow_body", 3_500)
    carl = stage.person(Role.COMMISSION, "carl")
    (session,) = stage.request("GET", f"/v1/commission/{run.run_id}/report", None, carl).json["sessions"]
    assert [(each["number"], each["body_ms"]) for each in session["slow_bodies"]] == [(1, 3_500)]
