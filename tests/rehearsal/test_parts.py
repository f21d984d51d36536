"""Parts of a rehearsal by themselves: scripts, losses, saboteurs, material, moments, trees, requests in their order."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from local.clock import Clock
from local.organizing import OrganizerError
from markup_core.receipt import sha256_hex
from rehearsal.harm.crashes import _ASKED, STALL, Crashes, Hook, Losses, Sabotage, Stalls
from rehearsal.history import MINUTE, Millis, to_text
from rehearsal.play.driver import STEP, DrivenClock, Driver, Play, Script, Step, is_there, wish
from rehearsal.play.material import Cycle, Material
from rehearsal.play.teams import insist
from rehearsal.play.wire import ALL, Ask, Fault, Reply, Scripts, Trick, UnknownFaultError, faults_named
from rehearsal.proof.oracle import ExpectedTimes, share
from rehearsal.stages import Stage


class Hand:
    """A pace for tests: a clock that is moved, and the moments that were reached."""

    driven = True

    def __init__(self) -> None:
        self.time = 0
        self.reached: list[Millis] = []

    def now(self) -> Millis:
        return self.time

    def reach(self, moment: Millis) -> None:
        self.time = max(self.time, moment)
        self.reached.append(moment)


class Echo:
    """An actor whose platform answers with statuses one after the other, the last one for good."""

    def __init__(self, pace: Hand, *statuses: int | None) -> None:
        self.pace, self.statuses = pace, list(statuses)
        self.asked: list[tuple[Millis, str, str]] = []
        self.lock = threading.Lock()

    def ask(self, ask: Ask) -> Reply:
        with self.lock:
            self.asked.append((self.pace.now(), ask.what, f"{ask.method} {ask.path}"))
            status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        details = [{"opens_at": to_text(90_000)}]
        return Reply(self.pace.now(), status, {"error": {"code": "x", "details": details}} if status == 425 else {})


def driven(pace: Hand) -> Driver:
    return Driver(pace, None, lambda _: None)


def test_faults_are_named_one_by_one_or_by_a_word() -> None:
    assert faults_named("none") == frozenset()
    assert faults_named("all") == ALL
    assert faults_named("slow, kills") == {Fault.SLOW, Fault.KILLS}
    assert faults_named("some") < ALL
    with pytest.raises(UnknownFaultError, match="choose from none, some, all, disconnects"):
        faults_named("slow,typo")


def test_the_same_seed_injects_the_same_and_another_one_something_else() -> None:
    def drawn(seed: int) -> list[Trick]:
        scripts = Scripts(seed, ALL, 50_000)
        return [scripts.of(team, number).trick for team in range(20) for number in range(1, 21)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert set(drawn(1)) == set(Trick), "400 files see every trick"


def test_without_faults_no_team_has_a_trick() -> None:
    scripts = Scripts(7, frozenset(), 50_000)
    drawn = [scripts.of(team, number) for team in range(20) for number in range(1, 21)]
    assert {script.trick for script in drawn} == {Trick.NONE}
    assert max(script.ask_after + script.work for script in drawn) < 50_000


def test_what_is_due_at_one_moment_is_asked_at_once() -> None:
    pace = Hand()
    actor = Echo(pace, 200)

    def play(at: Millis, name: str) -> Play:
        yield Step(at, (Ask(name, "GET", "/"),))

    driver = driven(pace)
    for at, name in ((2_000, "c"), (1_000, "a"), (1_000, "b")):
        driver.spawn(actor, play(at, name))
    driver.run(5_000)
    assert sorted(actor.asked) == [(1_000, "a", "GET /"), (1_000, "b", "GET /"), (2_000, "c", "GET /")]
    assert pace.reached == [1_000, 2_000, 5_000]


@pytest.mark.parametrize(
    ("statuses", "moments"), [((None, 500, 429, 200), [1_000, 2_000, 3_000, 4_000]), ((425, 200), [1_000, 90_000])]
)
def test_a_program_repeats_what_failed_a_second_later_and_comes_back_at_the_opening_that_it_was_told(
    statuses: Sequence[int | None], moments: list[Millis]
) -> None:
    def play() -> Play:
        reply = yield from insist(1_000, Ask("a", "GET", "/"))
        assert reply.status == 200

    pace = Hand()
    actor, driver = Echo(pace, *statuses), driven(pace)
    driver.spawn(actor, play())
    driver.run(200_000)
    assert [at for at, *_ in actor.asked] == moments


def test_a_guest_sleeps_in_virtual_time() -> None:
    pace = Hand()
    clock = DrivenClock(pace.now)
    heard: list[float] = []

    def program() -> None:
        for seconds in (3.0, 0.5, 0.0):
            clock.sleep(seconds)
            heard.append(clock.now())
        clock.end()

    thread = threading.Thread(target=program)
    thread.start()
    driver = Driver(pace, None, lambda _: None, [clock])
    driver.run(10_000)
    thread.join(timeout=10)
    assert heard == [3.0, 3.5, 3.5]
    assert pace.reached == [3_000, 3_500, 10_000]


def test_the_platforms_own_time_extends_the_deadline_from_the_opening() -> None:
    plain = ExpectedTimes("r", 100_000, 60_000, 3, 10_000, 50_000, 60_000)
    assert plain.answer_by(1, 100_000, 100_000) == 150_000
    assert plain.answer_by(1, 110_000, 110_000) == 160_000, "60 s from the opening"
    assert plain.answer_by(1, 110_000, 113_000) == 163_000, "three seconds were the platform's"
    assert plain.answer_by(1, 99_000, 103_000) == 153_000, "an early request counts from the opening"


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ([], None),
        (["platform", "organizer_decision"], None),
        ([None, None], 0.0),
        (["team_late", None, None, "platform"], 1 / 3),
        (["network", "team_invalid"], 1.0),
    ],
)
def test_the_share_counts_platform_and_organizers_on_neither_side(
    causes: Sequence[str | None], expected: float | None
) -> None:
    assert share(causes) == expected


RELAY, SCORE, SETTLE = "FunctionsRelayDynamoDBEventSource", "FunctionsScoreSqsEventSource", "FunctionsSettleSqs"
DIGESTS = [sha256_hex(bytes([number])) for number in range(200)]


def record(digest: str) -> str:
    return json.dumps({"NewImage": {"content_sha256": {"S": digest}, "number": {"N": "1"}}})


def message(digest: str) -> str:
    return json.dumps({"session_id": "1" * 15, "number": 1, "content_sha256": digest})


def lost_by(source: str, losses: Losses) -> set[str]:
    written = {RELAY: record, SCORE: message}[source]
    return {digest for digest in DIGESTS if losses.takes(source, written(digest))}


def test_of_an_answer_its_record_or_its_first_message_is_lost() -> None:
    injected: list[tuple[str, str]] = []
    losses = Losses(4, 0.6, None, lambda what, **where: injected.append((what, where["answer"])))
    records, jobs = lost_by(RELAY, losses), lost_by(SCORE, losses)
    assert len(records) in range(40, 80)
    assert len(jobs) in range(40, 80)
    assert not records & jobs
    assert lost_by(SCORE, losses) == set(), "what the timer sends again comes through"
    assert injected == [("record_lost", digest) for digest in DIGESTS if digest in records] + [
        ("job_lost", digest) for digest in DIGESTS if digest in jobs
    ]
    again = Losses(4, 0.6, None, lambda *_, **__: None)
    assert lost_by(SCORE, again) == jobs, "the seed and the answer decide, whatever came before"
    assert lost_by(RELAY, Losses(5, 0.6, None, lambda *_, **__: None)) != records


def test_no_step_is_lost_twice_in_a_row() -> None:
    injected: list[str] = []
    losses = Losses(1, 1.0, 3, lambda what, **where: injected.append(where["session"] or where["run"]))
    part, whole = (json.dumps({"run_id": "r", "session_id": session}) for session in ("s", ""))
    outcomes = [losses.takes(SETTLE, step) for step in (part, whole, part, whole, part, part)]
    assert outcomes == [True, True, False, False, True, False]
    assert injected == ["s", "r", "s"]
    assert not Losses(1, 0.0, None, lambda *_, **__: None).takes(SETTLE, part)
    assert not losses.takes(SETTLE, json.dumps({"run_id": "r", "session_id": "", "errand_id": "e"}))


def test_of_one_file_every_push_is_lost_and_no_other() -> None:
    injected: list[tuple[str, str, int]] = []
    losses = Losses(1, 0.0, 3, lambda what, **where: injected.append((what, where["session"], where["number"])))
    told = [
        losses.takes("FunctionsPushLiveSqsEventSource", json.dumps({"kind": kind, "session_id": "s", "number": number}))
        for kind, number in (("file", 3), ("file", 3), ("file", 4), ("next", 3), ("opening", 0))
    ]
    assert told == [True, True, False, False, False]
    assert injected == [("push_lost", "s", 3)] * 2


class Points:
    """Stand-in for the sabotaged copy: records the planned points, and reports some of them as met."""

    def __init__(self, met: str) -> None:
        self.met = met
        self.planned: list[str] = []

    def plan(self, point: str, deed: str, *, handler: str) -> str:
        self.planned.append(f"{handler} {point} {deed}")
        return self.planned[-1]

    def forget(self, name: str) -> bool:
        return self.met not in name

    def waits(self, name: str) -> bool:
        return self.forget(name)


def sabotaged(points: Points, injected: list[str], asks: list[Ask], moments: int) -> None:
    def note(what: str, **where: str) -> None:
        injected.append(f"{what} {where['point']}")

    saboteur = Sabotage(points, 1, note, kill=1.0, throttle=0.0)  # type: ignore[arg-type]  # all that it asks of it
    for _ in range(moments):
        saboteur.before(10_000, asks)
        saboteur.after()


def test_every_write_is_tried_before_any_is_tried_again() -> None:
    points = Points(met="nowhere")
    sabotaged(points, [], [Ask("file", "GET", "/")], 200)
    plans = [plan for plan in points.planned if plan.startswith(_ASKED)]
    assert len(set(plans[:18])) == 18, "9 writes, before and after each"


def test_what_was_met_is_told_and_what_was_not_is_taken_back() -> None:
    points, injected = Points(met="submit.api write:RECEIPT"), list[str]()
    sabotaged(points, injected, [Ask("answer", "PUT", "/")], 120)
    assert set(injected) == {"killed write:RECEIPT"}


def test_nothing_dies_under_a_request_that_could_not_be_repeated_in_time() -> None:
    points = Points(met="nowhere")
    sabotaged(points, [], [Ask("file", "GET", "/", due=14_999)], 100)
    assert not [plan for plan in points.planned if plan.startswith(("dispatch.api", "submit.api"))]


def test_a_request_that_is_to_die_dies_whatever_is_drawn() -> None:
    points = Points(met="FILE")
    sabotaged(points, [], [Ask("file", "GET", "/", due=10_000, dies_at=("dispatch.api", "write:FILE"))], 1)
    assert points.planned == ["dispatch.api write:FILE die before"]


MATERIAL = Material(Cycle.demonstrated("essay"), 2, 20)
SUBJECTS = {"eng", "eng-free", "hist", "lit", "rus", "rus-free", "social"}


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
@pytest.mark.parametrize("text", ["{} ", "я"])
def test_a_text_that_nobody_knows_is_answered_validly_whatever_its_subject(subject: str, text: str) -> None:
    essay = next(item for item, _ in MATERIAL.own() if item["meta"]["subject"] == subject)
    strange = {**essay, "text": text.format(essay["text"])}
    first, second = (MATERIAL.answer(strange, 0.9, variant) for variant in range(2))
    assert MATERIAL.digest(strange, first) != MATERIAL.digest(strange, second)


@pytest.fixture
def pace() -> Hand:
    return Hand()


def test_requests_that_are_made_together_have_one_moment_and_their_places(pace: Hand) -> None:
    actors = [Echo(pace, 200), Echo(pace, 404), Echo(pace, 201)]
    replies = Script(pace).together([wish(actor, "x", "GET /y") for actor in actors])
    assert [reply.status for reply in replies] == [200, 404, 201]
    assert [actor.asked for actor in actors] == [[(STEP, "qualify_x", "GET /y")]] * 3
    assert Script(pace).together([]) == []
    assert pace.time == STEP, "nothing takes no time"


def test_what_the_platform_failed_is_asked_again_alone(pace: Hand) -> None:
    well, failed = Echo(pace, 200), Echo(pace, 503, 429, 200)
    replies = Script(pace).together([wish(well, "x", "GET /y"), wish(failed, "x", "PUT /z")])
    assert [reply.status for reply in replies] == [200, 200]
    assert len(well.asked) == 1
    assert [at for at, *_ in failed.asked] == [STEP, 2 * STEP, 3 * STEP]


def test_somebody_looks_once_a_minute_until_it_is_so(pace: Hand) -> None:
    actor = Echo(pace, 404, 404, 200)
    Script(pace).look_until(actor, "x", "/y", is_there, 10 * MINUTE)
    assert [at for at, *_ in actor.asked] == [number * (MINUTE + STEP) for number in (1, 2, 3)]


def test_nobody_looks_for_ever(pace: Hand) -> None:
    actor = Echo(pace, 404)
    Script(pace).look_until(actor, "x", "/y", is_there, 5 * MINUTE // 2)
    assert len(actor.asked) == 3
    assert pace.time == 5 * MINUTE // 2 + STEP


def stage_told(status: int) -> Any:
    stage: Any = Stage.__new__(Stage)
    stage.added = []
    stage.wire = SimpleNamespace(
        get=lambda *_: SimpleNamespace(status_code=status, text="later", json=lambda: {"state": "finished"})
    )
    stage.history = SimpleNamespace(add=lambda kind, **said: stage.added.append((kind, said)))
    return stage


def test_what_is_not_told_is_the_checkers_to_find_unless_nothing_can_be_checked_without_it() -> None:
    stage = stage_told(429)
    stage.answer("board", "/v1/leaderboards/final")
    assert stage.added == [("answer", {"of": "unanswered/board", "body": 429})]
    with pytest.raises(OrganizerError, match="/v1/runs/1: 429 later"):
        stage.answer("run", "/v1/runs/1", needed=True)


NOW = 1_795_262_550_000


@pytest.fixture
def crashes(tmp_path: Path) -> Crashes:
    (tmp_path / "functions").mkdir()
    return Crashes(tmp_path / "functions", tmp_path / "copy")


def test_a_process_waits_at_its_write_until_the_clock_has_been_moved(crashes: Crashes, tmp_path: Path) -> None:
    clock, notices = Clock(NOW), list[tuple[str, Any]]()
    stalls = Stalls(crashes, clock, lambda what, **where: notices.append((what, where)))
    hook = Hook(tmp_path / "copy", "dispatch.api")
    with stalls.at("write:SEEN", "dispatch.api", 8_000):
        assert hook._taken(["write:FILE"]) is None
        assert hook._taken(["write:SEEN"]) == STALL
        hook._wait()
        assert clock.now_ms() == NOW + 8_000
    assert notices == [("stalled", {"point": "write:SEEN", "millis": 8_000})]
    assert not crashes.stalled.exists()


def test_on_a_clock_that_runs_a_process_waits_as_long(crashes: Crashes, tmp_path: Path) -> None:
    clock, notices = Clock(), list[str]()
    hook = Hook(tmp_path / "copy", "dispatch.api")
    with Stalls(crashes, clock, lambda what, **_: notices.append(what)).at("write:SEEN", "dispatch.api", 20):
        before = clock.now_ms()
        assert hook._taken(["write:SEEN"]) == STALL
        hook._wait()
        assert clock.now_ms() >= before + 20
    assert notices == ["stalled"]
