"""Runs by platform §3: timers decide nothing, first arrivals count, nothing of a file is told before it opens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from contest.domain.moments import iso
from contest.domain.run import Kind, Run
from contest.services import knowledge
from tests.fakes import toy_cycle
from tests.stage import Program, Stage

RIGHT = {"letters": "abcd"}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(final=3, reserve=2, technical={"enabled": False}, requests_per_second=1000))
    stage.restart()
    return stage


@pytest.fixture
def run(stage: Stage) -> Run:
    return stage.plan()


@pytest.fixture
def joined(run: Run, program: Program) -> Program:
    assert program.join().status == 201
    return program


def at(stage: Stage, run: Run, number: int, seconds: float = 0) -> None:
    stage.set_clock(run.starts_at + (number - 1) * run.interval + round(seconds * 1000))


def releases(stage: Stage, run: Run) -> list[tuple[int, str, str]]:
    return [(each.number, each.armed_by.value, iso(each.opens_at)) for each in stage.platform.runs.releases(run.run_id)]


def test_platform_3_the_timer_arms_what_opens_within_three_minutes(stage: Stage, run: Run) -> None:
    at(stage, run, 1, -180.001)
    assert stage.tick()["armed"] == 0
    stage.advance(0.001)
    assert stage.tick()["armed"] == 1
    assert stage.tick()["armed"] == 0
    assert releases(stage, run) == [(1, "timer", iso(run.starts_at))]


def test_platform_3_a_file_whose_tick_was_missed_is_armed_by_the_first_request(
    stage: Stage, run: Run, joined: Program
) -> None:
    at(stage, run, 1)
    assert joined.get("files/1").status == 200
    assert releases(stage, run) == [(1, "request", iso(run.starts_at))]
    stage.tick()
    assert [each[:2] for each in releases(stage, run)] == [(1, "request"), (2, "timer"), (3, "timer")]


def test_platform_3_an_armed_file_does_not_open_early(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 1, -60)
    stage.tick()
    at(stage, run, 1, -0.001)
    assert joined.get("files/1").code == "not_open_yet"


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


def test_platform_3_timer_and_reading_end_a_session_alike(stage: Stage, run: Run) -> None:
    ended = []
    for name in ("red", "blue"):
        program = Program(stage, stage.team(name))
        program.join()
        ended.append(program)
    at(stage, run, 3, 60 + 30.001)
    assert stage.tick()["closed"] == 2
    assert [each.get().json["closed_at"] for each in ended] == [iso(stage.now)] * 2


def test_platform_3_by_reading_the_session_ends_in_the_same_millisecond(
    stage: Stage, run: Run, joined: Program
) -> None:
    at(stage, run, 3, 60 + 30)
    assert joined.get().json["state"] == "open"
    stage.advance(0.001)
    assert joined.get().json["state"] == "finished"


def test_platform_3_a_request_that_was_lost_counts_when_it_is_made_again(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(stage, run, 1, 9)
    with monkeypatch.context() as broken:
        broken.setattr(stage.platform.deliveries, "hand_out", _fails)
        assert joined.get("files/1").status == 500
    stage.advance(30)
    handed_out = joined.get("files/1").json
    # asked for at 9 s, handed out at 39 s: the platform's thirty seconds are added to both limits
    assert handed_out["answer_by"] == iso(run.starts_at + 39_000 + 50_000)
    stage.advance(50)
    assert joined.answer(1, RIGHT).json["receipt"]["status"] == "accepted"


def test_platform_3_an_answer_that_was_lost_counts_when_the_same_bytes_come_again(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(stage, run, 1)
    joined.get("files/1")
    stage.advance(50)
    with monkeypatch.context() as broken:
        broken.setattr(stage.platform.blobs, "put_if_absent", _fails)
        assert joined.answer(1, RIGHT).status == 500
    stage.advance(20)
    before = joined.get().json["deliveries"][0]
    assert (before["cause"], before["evidence"]) == ("platform", {"arrived_at": iso(run.starts_at + 50_000)})
    assert joined.answer(1, {"letters": "other"}).json["receipt"]["status"] == "late"
    receipt = joined.answer(1, RIGHT).json["receipt"]
    assert (receipt["status"], receipt["received_at"]) == ("accepted", iso(run.starts_at + 50_000))
    assert joined.get().json["deliveries"][0]["state"] == "answered"


def test_platform_3_an_answer_once_judged_does_not_come_in_time_again(stage: Stage, run: Run, joined: Program) -> None:
    """First answers that were replaced must not be brought back after the deadline."""
    at(stage, run, 1)
    joined.get("files/1")
    joined.answer(1, {"letters": "first"})
    joined.answer(1, {"letters": "second"})
    stage.advance(51)
    assert joined.answer(1, {"letters": "first"}).json["receipt"]["status"] == "late"


def test_platform_3_what_the_platform_owes_is_counted_by_the_timer(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(stage, run, 1)
    with monkeypatch.context() as broken:
        broken.setattr(stage.platform.deliveries, "hand_out", _fails)
        joined.get("files/1")
    at(stage, run, 2)
    assert stage.tick()["overdue"] == 0
    stage.advance(0.001)
    assert stage.tick()["overdue"] == 1
    assert joined.get().json["deliveries"][0]["cause"] == "platform"


def test_platform_3_the_same_key_finds_the_session_it_joined_with(joined: Program, stage: Stage) -> None:
    other = Program(stage, stage.team("blue"))
    first = other.join(key="k").json["session_id"]
    assert other.join(key="k").json["session_id"] == first


def test_platform_3_a_trial_run_may_use_any_set_and_is_marked(stage: Stage, program: Program) -> None:
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


def test_platform_3_sets_of_finals_are_not_named_and_not_opened(stage: Stage, program: Program) -> None:
    assert set(stage.request("GET", "/v1/cycle").json["sets"]) == {"test", "train"}
    for name in ("final", "reserve"):
        refused = program.open(set=name)
        assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "unknown_set")


def test_platform_3_a_record_and_its_chart_are_published_after_the_run(stage: Stage, run: Run, joined: Program) -> None:
    for what in ("record", "timeline"):
        early = stage.request("GET", f"/v1/runs/{run.run_id}/{what}")
        assert (early.status, early.code) == (409, "run_not_over")
        assert int(early.headers["retry-after"]) > 0
    at(stage, run, 1)
    joined.get("files/1")
    at(stage, run, 3, 91)
    stage.tick()
    record = stage.request("GET", f"/v1/runs/{run.run_id}/record").json["record"]
    assert [each["opens_at"] for each in record["releases"]] == [iso(run.starts_at + n * 60_000) for n in range(3)]
    assert record["sessions"][0]["files"][0]["handed_out_at"] == iso(run.starts_at)
    assert stage.request("GET", f"/v1/runs/{run.run_id}/timeline").headers["content-type"] == "image/svg+xml"


def _fails(*_: Any) -> None:
    raise OSError("the platform fails here")


def secrets(stage: Stage, run: Run) -> Iterator[tuple[int, set[str]]]:
    """By file, everything that would tell it: names, hashes, its text."""
    manifest = knowledge.manifest(stage.platform, "toy-1", run.manifest).by_id()
    for number, file in enumerate(knowledge.run_plan(stage.platform, run), start=1):
        item = manifest[file.item_id]
        question = json.loads(stage.platform.blobs.get(knowledge.blob_names("toy-1", "items", item.content)))[
            "question"
        ]
        yield number, {file.file_id, file.item_id, file.content_sha256, file.salt, item.content, question}


def everything_told(stage: Stage, run: Run, program: Program, number: int) -> str:
    """What every route, method and lie about the time brings a team about a file."""
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


def test_platform_3_no_route_header_or_error_tells_a_file_before_its_opening(
    stage: Stage, run: Run, joined: Program
) -> None:
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


def test_platform_3_a_session_that_ended_before_its_run_is_told_nothing_of_later_files(
    stage: Stage, run: Run, joined: Program
) -> None:
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


def test_platform_3_a_file_is_not_told_by_how_long_an_answer_to_another_number_takes_nor_by_its_form(
    stage: Stage, run: Run, joined: Program
) -> None:
    """Files that are not open yet are refused alike, whatever they are."""
    texts = set()
    for number in (2, 3):
        refused = joined.get(f"files/{number}").json["error"]
        for each in refused["details"]:
            for name in ("number", "opens_at", "message", "message_ru"):
                each.pop(name)
        texts.add(json.dumps(refused))
    assert len(texts) == 1
