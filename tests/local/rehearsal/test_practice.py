"""Sessions beside the final: what the four teams that practise do, and what the checker holds the platform to.

A body that takes its time has begun when the other side has its headers, whenever the rest comes.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from local.rehearsal.history import History
from local.rehearsal.moments import MINUTE, SECOND, to_text
from local.rehearsal.play import practice
from local.rehearsal.play.cycles import Cycle
from local.rehearsal.play.driver import Timing
from local.rehearsal.play.material import Material
from local.rehearsal.play.practice import BEGINS, ENDS, SlowTeam
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Ask, Reply
from local.rehearsal.proof.checker import check
from tests.local.rehearsal.story import START, Pen

Json = Any
SESSION, OTHER = "3" * 15, "4" * 15
LIMIT = 20 * SECOND


class Platform:
    """Answers as the interface does, as far as the plays ask it; files are all the same essay."""

    def __init__(self, essay: Json) -> None:
        self._essay = essay
        self.asked: list[tuple[int, Ask]] = []

    def answer(self, ask: Ask, at: int) -> Reply:
        self.asked.append((at, ask))
        if ask.what == "practice_open":
            return Reply(at, 201, {"session_id": SESSION})
        if ask.what == "practice_file":
            said = {"handed_out_at": to_text(at), "answer_by": to_text(at + LIMIT), "content": self._essay}
            return Reply(at, 200, said)
        return Reply(at, 200, {})


@pytest.fixture(scope="module")
def played() -> dict[str, list[tuple[int, Ask]]]:
    """Play the practice; return each team's requests and their times."""
    material = Material(Cycle.demonstrated("essay"), 2)
    essay = material.essays()[0].essay
    timing = Timing("r", "final", START, MINUTE, 10_000, 50_000, 60_000, 120_000, 4)
    teams = [Team(-1, name, "token", None) for name in practice.NAMES]  # type: ignore[arg-type]  # nobody asks by it
    found = {}
    for team, play in practice.Practice(timing, material).plays(teams):
        platform = Platform(essay)
        step = next(play)
        try:
            while True:
                step = play.send([platform.answer(ask, step.at) for ask in step.asks])
        except StopIteration:
            found[team.name] = platform.asked
    return found


def test_who_chooses_tries_what_nobody_may_choose_before_what_one_may(played: dict[str, list[tuple[int, Ask]]]) -> None:
    asked = [ask for _, ask in played["practice-chosen"]]
    wrong = [ask.means for ask in asked if ask.what == "practice_wrong"]
    assert {(each["set"], each["files"], each["time_limit_s"], each["language"]) for each in wrong} == {
        ("train", 0, 20, "all"),
        ("train", 1001, 20, "all"),
        ("train", 3, 9, "all"),
        ("train", 3, 61, "all"),
        ("final", 3, 20, "all"),
        ("reserve", 3, 20, "all"),
        ("train", 3, 20, "klingon"),
    }
    kinds = [ask.what for ask in asked]
    assert kinds.index("practice_second") == kinds.index("practice_open") + 1
    assert [ask.number for ask in asked if ask.what == "practice_next"] == [1, 2, 3]


def test_answers_come_in_time_a_millisecond_late_and_in_the_last_one(played: dict[str, list[tuple[int, Ask]]]) -> None:
    answers = [
        (at - (ask.due or 0), ask.means["status"])
        for at, ask in played["practice-chosen"]
        if ask.what == "practice_answer"
    ]
    assert answers == [(-SECOND, "accepted"), (1, "late"), (0, "accepted")]


def test_who_asks_too_fast_answers_in_the_same_second_and_sends_too_much(
    played: dict[str, list[tuple[int, Ask]]],
) -> None:
    asked = played["practice-fast"]
    fast = [at for at, ask in asked if ask.what == "practice_fast"]
    (answered,) = [at for at, ask in asked if ask.what == "practice_answer"]
    spared = [at for at, ask in asked if ask.what == "practice_spared"]
    assert len(fast) > 20
    assert len(spared) == 5
    assert set(fast) == {answered, *spared}
    shared = [(at, ask.method, ask.number) for at, ask in asked if ask.what == "practice_fast_shared"]
    seconds = {at // SECOND: [each[1:] for each in shared if each[0] // SECOND == at // SECOND] for at, *_ in shared}
    look = ("GET", None)
    assert list(seconds.values()) == [
        [("PUT", 2)] * 4 + [look] * 14,
        [("PUT", 2)],
        [("PUT", 2)],
        [look] * 14 + [("PUT", 2)] * 3,
        [look] * 14 + [("PUT", 3)] * 3,
        [look] * 14 + [("PUT", 1)] * 3,
        *[[look] * 14 + [("PUT", 3)] * 3] * 12,
    ]
    (due,) = {ask.due for at, ask in asked if ask.what == "practice_answer"}
    assert due is not None
    assert all(at > due for at, _, number in shared if number == 1)
    sizes = [len(ask.body or b"") for _, ask in played["practice-fast"] if ask.what == "practice_large"]
    assert sizes == [2 * 1024 * 1024 + 1, 10 * 1024 * 1024 + 1]


def test_slow_bodies_begin_before_their_deadlines_and_end_after_them(played: dict[str, list[tuple[int, Ask]]]) -> None:
    halves = [(ask.what, at - (ask.due or 0)) for at, ask in played["practice-slow"] if "body" in ask.what]
    assert halves == [
        ("practice_body_begins", -500),
        ("practice_body_ends", 400),
        ("practice_body_begins", -500),
        ("practice_body_ends", 19_500),
    ]


def test_the_last_thing_of_who_leaves_is_a_file_that_it_never_answers(played: dict[str, list[tuple[int, Ask]]]) -> None:
    assert [ask.what for _, ask in played["practice-left"]][-2:] == ["practice_open", "practice_file"]


# What the checker finds


def called(what: str, said: Json, means: Json | None = None, status: int = 200, **more: Any) -> Callable[[Pen], None]:
    def add(pen: Pen) -> None:
        path = more.pop("path", f"/v1/sessions/{SESSION}")
        pen.call(
            "eve", f"practice_{what}", more.pop("number", None), more.pop("at", 0), status, said=said, path=path, **more
        )
        pen.all("request")[-1]["means"] = means or {}

    return add


ORDER = {"mode": "algorithmic", "set": "train", "files": 3, "language": "all", "time_limit_s": 20}
OPENED = called("open", {**ORDER, "session_id": SESSION}, ORDER, 201, path="/v1/sessions")
FILE = {"file_id": "5" * 15, "handed_out_at": to_text(START), "answer_by": to_text(START + LIMIT), "content": {}}


def receipt(status: str, at: int = 0) -> Json:
    return {"receipt": {"status": status, "received_at": to_text(START + at)}}


def red(pen: Pen) -> dict[str, list[str]]:
    return {each.name: each.faults for each in check(pen.story()) if not each.passed}


@pytest.mark.parametrize(
    "call",
    [
        OPENED,
        called("wrong", {}, ORDER, 422),
        called("second", {}, ORDER, 409),
        called("next", {"status": "available", "number": 2}, number=2),
        called("answer", receipt("late"), {"status": "late"}, number=1),
        called("status", {"state": "finished"}, {"state": "finished"}),
        called("status", {"state": "timed_out", "closed_at": to_text(START + 16 * MINUTE)}, {"state": "timed_out"}),
        called("abort", {"state": "aborted"}),
        called("closed", {}, status=409),
        called("closed", receipt("late")),
        called("unconfirmed", {}, status=409),
        called("large", {}, status=413),
        called("status", {"state": "open", "deliveries": [{"sends": 1}]}, {"state": "open", "sends": 1}),
        called("list", {"sessions": [{"session_id": OTHER}, {"session_id": SESSION}]}, {"sessions": [OTHER, SESSION]}),
    ],
)
def test_what_is_right_beside_the_final_is_no_fault(written: Pen, call: Callable[[Pen], None]) -> None:
    pen = written.copy()
    pen.call("eve", "practice_file", 1, 0, 500, path=f"/v1/sessions/{SESSION}/files/1")
    call(pen)
    assert red(pen) == {}


@pytest.mark.parametrize(
    ("call", "name", "said"),
    [
        (called("wrong", {}, ORDER, 201), "sessions_chosen", '"time_limit_s":20} is answered 201'),
        (called("second", {}, ORDER, 201), "sessions_chosen", "is answered 201"),
        (called("open", {}, ORDER, 409), "sessions_chosen", "is answered 409"),
        (
            called("open", {**ORDER, "files": 2, "session_id": SESSION}, ORDER, 201),
            "sessions_chosen",
            "chosen was files 3, the session has 2",
        ),
        (
            called("next", {"status": "available", "number": 3}, number=2),
            "sessions_chosen",
            "next is ('available', 3), the earliest file is 2",
        ),
        (
            called("answer", receipt("accepted"), {"status": "late"}, number=1),
            "sessions_chosen",
            "the answer is accepted, not late",
        ),
        (
            called("answer", receipt("accepted", 5), {"status": "accepted"}, number=1),
            "sessions_chosen",
            f"the answer came at {START}, its receipt says {START + 5}",
        ),
        (
            called("status", {"state": "open"}, {"state": "finished"}),
            "sessions_ended",
            "the session is open, not finished",
        ),
        (
            called("status", {"state": "timed_out", "closed_at": to_text(START + MINUTE)}, {"state": "timed_out"}),
            "sessions_ended",
            "the silent session was closed after 60000 ms",
        ),
        (
            called(
                "status", {"state": "timed_out", "closed_at": to_text(START + 16 * MINUTE + 1)}, {"state": "timed_out"}
            ),
            "sessions_ended",
            "the silent session was closed after 960001 ms",
        ),
        (called("status", {"state": "timed_out"}, {"state": "timed_out"}), "sessions_ended", "closed after None ms"),
        (called("abort", {"state": "open"}), "sessions_ended", "is answered 200"),
        (called("closed", receipt("accepted")), "sessions_ended", "after its end it is answered 200"),
        (called("unconfirmed", {}), "sessions_ended", "an abort that nobody confirmed is answered 200"),
        (called("large", {}, status=422), "requests_limited", "too large a body is answered 422"),
        (
            called("status", {"state": "open", "deliveries": [{"sends": 2}]}, {"state": "open", "sends": 1}),
            "requests_limited",
            "[2] sends are counted, it made 1",
        ),
        (called("fast", {}, status=429), "requests_limited", "is refused for the rate and not told when to come again"),
        (called("fast", {}, status=200), "requests_limited", "no answer came within the second of its requests"),
        (called("log", {}, {"sha256": "0" * 64}), "own_kept", "the log is not kept with its session"),
        (
            called("list", {"sessions": []}, {"sessions": [SESSION]}),
            "own_kept",
            f"the list has [], the team has ['{SESSION}']",
        ),
    ],
)
def test_what_is_wrong_beside_the_final_is_found(
    written: Pen, call: Callable[[Pen], None], name: str, said: str
) -> None:
    pen = written.copy()
    pen.call("eve", "practice_file", 1, 0, 500, path=f"/v1/sessions/{SESSION}/files/1")
    call(pen)
    faults = red(pen)
    assert set(faults) == {name}
    assert any(said in each for each in faults[name]), faults


def test_eleven_requests_of_one_second_are_one_too_many(written: Pen) -> None:
    pen = written.copy()
    for _ in range(11):
        called("fast", {})(pen)
    called("answer", receipt("accepted"), {"status": "accepted"}, number=1)(pen)
    assert red(pen) == {"requests_limited": ["eve: 11 requests of one second were answered"]}


def test_ten_requests_of_one_second_are_none_too_many(written: Pen) -> None:
    pen = written.copy()
    for status in (*[200] * 9, 429):
        called("fast", {"retry_after": "1"} if status == 429 else {}, status=status)(pen)
    called("answer", receipt("accepted"), {"status": "accepted"}, number=1)(pen)
    assert red(pen) == {"requests_limited": ["eve: 9 requests of one second were answered"]}


def test_answers_to_what_was_not_handed_out_count_like_all_requests(written: Pen) -> None:
    pen = written.copy()
    for status in (*[409] * 9, 429):
        said = {"retry_after": "1"} if status == 429 else {}
        called("fast_shared", said, {"is_told": 409}, status=status)(pen)
    assert red(pen) == {"requests_limited": ["eve: 9 requests of one second were answered"]}


def test_what_the_platform_failed_may_have_counted(written: Pen) -> None:
    pen = written.copy()
    for status in (*[200] * 9, 503, 429):
        called("fast", {"retry_after": "1"} if status == 429 else {}, status=status)(pen)
    called("answer", receipt("accepted"), {"status": "accepted"}, number=1)(pen)
    assert red(pen) == {}


def test_an_answer_to_an_open_file_is_not_refused_for_the_rate(written: Pen) -> None:
    pen = written.copy()
    called("fast", {})(pen)
    called("answer", {"retry_after": "1"}, {"status": "accepted"}, 429, number=1)(pen)
    assert any("was refused for the rate" in each for each in red(pen)["requests_limited"])


@pytest.mark.parametrize(
    ("opened_at", "told_at", "is_right"), [(0, 0, True), (61_000, 61_000, False), (0, 61_000, False), (-1, -1, False)]
)
def test_a_session_was_opened_when_its_team_asked_for_it(
    written: Pen, opened_at: int, told_at: int, is_right: bool
) -> None:
    pen = written.copy()
    said = {**ORDER, "session_id": SESSION, "opened_at": to_text(START + opened_at)}
    called("open", said, ORDER, 201, path="/v1/sessions", at=0)(pen)
    called("status", {"state": "finished", "opened_at": to_text(START + told_at)}, {"state": "finished"}, at=MINUTE)(
        pen
    )
    faults = red(pen).get("sessions_ended", [])
    assert (faults == []) is is_right
    assert all("the session was opened at" in each for each in faults)


@pytest.mark.parametrize("name", ["file_id", "handed_out_at", "answer_by", "content"])
def test_a_file_of_ones_own_is_the_same_at_every_repetition(written: Pen, name: str) -> None:
    pen = written.copy()
    OPENED(pen)
    path = f"/v1/sessions/{SESSION}/files/1"
    called("file", FILE, number=1, path=path)(pen)
    assert red(pen) == {}
    other = {"file_id": "6" * 15, "content": {"text": "another"}}.get(name, to_text(START + 1))
    called("file", {**FILE, name: other}, number=1, path=path)(pen)
    assert any("file 1 is another one than at first" in each for each in red(pen)["sessions_chosen"])


def test_a_file_is_due_when_its_session_says(written: Pen) -> None:
    pen = written.copy()
    OPENED(pen)
    due = to_text(START + 60_000)
    called("file", {**FILE, "answer_by": due}, number=1, path=f"/v1/sessions/{SESSION}/files/1")(pen)
    assert any("is due after 60000 ms, chosen were 20 s" in each for each in red(pen)["sessions_chosen"])


@pytest.mark.parametrize("at", [30_000, 241_000])
def test_a_score_is_there_within_minutes_and_the_librarys(written: Pen, at: int) -> None:
    pen = written.copy()
    answer = pen.markup("ann", 1)
    pen.add("object", name=f"answers/{SESSION}/1/abc.json", sha256="abc", text=json.dumps(answer))
    path = f"/v1/sessions/{SESSION}/files/1"
    said = receipt("accepted")
    called("answer", said, {"status": "accepted"}, number=1, path=f"{path}/answer", content_sha256="abc")(pen)
    record = json.loads(json.dumps(pen.record(1, answer)))
    called("score", record, number=1, at=at, path=f"{path}/score")(pen)
    assert bool(red(pen)) == (at > 240_000)
    called("score", {**record, "another": 1}, number=1, at=at, path=f"{path}/score")(pen)
    assert any("the library scores the answer differently" in each for each in red(pen)["sessions_chosen"])


@pytest.mark.parametrize(("what", "name"), [("session", "0" * 15), ("file", "x" * 15)])
def test_ids_are_fifteen_digits_of_which_the_first_is_no_zero(written: Pen, what: str, name: str) -> None:
    pen = written.copy()
    if what == "session":
        pen.find("response", n=pen.call("eve", "practice_open", None, 0, 201, said={"session_id": name}))
    else:
        pen.call("eve", "practice_file", 1, 0, 500, file_ids=[name], path=f"/v1/sessions/{SESSION}/files/1")
    assert any(f"is called {name}" in each for each in red(pen)["own_kept"])


def test_two_teams_have_no_session_together(written: Pen) -> None:
    pen = written.copy()
    for team in ("eve", "mallory"):
        called("open", {**ORDER, "session_id": SESSION}, ORDER, 201, path="/v1/sessions")(pen)
        pen.all("request")[-1]["team"] = team
    assert red(pen) == {"own_kept": [f"eve and mallory have one session, {SESSION}"]}


def test_a_short_run_is_waited_out_until_a_silent_session_has_been_closed() -> None:
    timing = Timing("r", "final", START, MINUTE, 10_000, 50_000, 60_000, 120_000, 1)
    left = START - 95 * SECOND
    assert practice.silence_ends(timing) >= left + 15 * MINUTE + 2 * MINUTE


BODY = b'{"a": 1}'


class Slow:
    """A server that says when it has the headers, and only once it is let."""

    def __init__(self) -> None:
        self.let, self.has_headers = threading.Event(), threading.Event()
        self.heads, self.bodies = list[bytes](), list[bytes]()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self._listening:
            connection, _ = self._listening.accept()
        with connection:
            self.heads.append(connection.recv(65_536))
            self.has_headers.set()
            self.let.wait(30)
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            received = b""
            while len(received) < len(BODY):
                received += connection.recv(65_536)
            self.bodies.append(received)
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"said": 7}')


def test_a_request_has_begun_when_its_headers_have_come_and_not_before() -> None:
    server, history = Slow(), History()
    wire: Any = SimpleNamespace(url=server.url, now=lambda: 1_000)
    team = SlowTeam(-1, "ann", "token", wire, history)
    ask = Ask(BEGINS, "PUT", "/v1/x", 1, BODY)
    begun = threading.Thread(target=team.ask, args=(ask,))
    begun.start()
    assert server.has_headers.wait(30)
    assert begun.is_alive(), "the clock must not move on while nobody has the headers"
    server.let.set()
    begun.join(30)
    assert b"Expect: 100-continue\r\n" in server.heads[0]
    assert server.heads[0].endswith(b"\r\n\r\n"), "nothing of the body goes before"
    reply = team.ask(Ask(ENDS, "PUT", "/v1/x", 1, BODY))
    assert (reply.status, reply.body, server.bodies) == (200, {"said": 7}, [BODY])
    (call,) = history.story().calls
    assert (call.what, call.status, call.said) == (ENDS, 200, {"said": 7})
