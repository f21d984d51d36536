"""Test the plays of simulated teams, organizers and strangers: requests, times, and use of the answers."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from markup_core.reading.validation import load
from rehearsal.history import MINUTE, Call, History, to_text
from rehearsal.play import prying
from rehearsal.play.around import BEGINS, ENDS, SlowTeam
from rehearsal.play.channel import ENTERED, FILE, HEARD, IDLE, LET_GO, ChannelTeam, ChannelTeams, Lifelines
from rehearsal.play.driver import AHEAD, ASK_AGAIN, Play, Timing, coming
from rehearsal.play.material import TEST, Cycle, Material, from_known, skills_below
from rehearsal.play.qualifying import FILES
from rehearsal.play.teams import Answers, Team, Teams, insist
from rehearsal.play.wire import Ask, Reply, Scripts, Wire, answered, heard_in, marks_in
from rehearsal.proof.oracle import Decision, ExpectedTimes, folded
from shadow.final import PAUSES_TOGETHER
from tests.rehearsal.story import START

Json = Any


def timing(files: int = 4) -> Timing:
    return Timing("r", "final", START, MINUTE, 10_000, 50_000, 60_000, 120_000, files)


def joined() -> Team:
    """Return a team with an open session, for which nobody asks."""
    team = Team(0, "team-0", "token", cast(Wire, None))
    team.session_id = "session-0"
    return team


def played(play: Play) -> list[tuple[int, Ask]]:
    """Play to the end, with answers that say nothing; return each request with its moment."""
    requests: list[tuple[int, Ask]] = []
    with suppress(StopIteration):
        step = next(play)
        while True:
            requests += [(step.at, ask) for ask in step.asks]
            step = play.send([Reply(step.at, 200, {}) for _ in step.asks])
    return requests


def test_a_request_has_begun_when_its_headers_have_come_and_not_before() -> None:
    """The clock must not move on before the headers have arrived."""
    let, has_headers, received, body = threading.Event(), threading.Event(), list[bytes](), b'{"a": 1}'
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listening:
            connection, _ = listening.accept()
        with connection:
            received.append(connection.recv(65_536))
            has_headers.set()
            let.wait(30)
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while len(b"".join(received[1:])) < len(body):
                received.append(connection.recv(65_536))
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"said": 7}')

    threading.Thread(target=serve, daemon=True).start()
    history = History()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    wire: Any = SimpleNamespace(url=url, now=lambda: 1_000, history=history)
    team = SlowTeam(-1, "ann", "token", wire)
    begun = threading.Thread(target=team.ask, args=(Ask(BEGINS, "PUT", "/v1/x", 1, body),))
    begun.start()
    assert has_headers.wait(30)
    assert begun.is_alive()
    let.set()
    begun.join(30)
    assert b"Expect: 100-continue\r\n" in received[0]
    assert received[0].endswith(b"\r\n\r\n"), "nothing of the body goes before"
    reply = team.ask(Ask(ENDS, "PUT", "/v1/x", 1, body))
    assert (reply.status, reply.body, b"".join(received[1:])) == (200, {"said": 7}, body)
    assert [(call.what, call.status) for call in history.story().calls] == [(ENDS, 200)]


# Decisions


@pytest.mark.parametrize(
    ("interval", "files", "joins", "until"),
    [(30_000, 2, 30_000, 90_000), (30_000, 3, 120_000, 120_000), (60_000, 1, 0, 60_000), (60_000, 5, 120_000, 120_000)],
)
def test_nobody_joins_a_short_run_after_its_end(interval: int, files: int, joins: int, until: int) -> None:
    timing = Timing("r", "final", START, interval, 10_000, 50_000, 60_000, 120_000, files)
    schedule = ExpectedTimes("r", START, interval, files, 10_000, 50_000, 60_000, 120_000)
    assert (timing.last_join - START, schedule.join_until - START) == (joins, until)


def test_decisions_move_openings_as_the_rules_say() -> None:
    decisions = [Decision(1, "pause", START + 50_000, {}), Decision(2, "resume", START + 80_000, {})]
    schedule = ExpectedTimes("r", START, MINUTE, 3, 10_000, 50_000, 60_000, decided=folded(decisions, START, MINUTE, 3))
    assert schedule.decided.pauses == ((START + 55_000, START + 110_000),)
    assert [schedule.opens_at(number) - START for number in schedule.numbers] == [0, 115_000, 175_000]
    assert schedule.known_at(START + 79_999).opens_at(2) == START + MINUTE + PAUSES_TOGETHER, "nobody knows its end yet"
    assert schedule.known_at(START + 49_999).opens_at(2) == START + MINUTE
    replaced = folded([Decision(1, "replace", START + 100_000, {"numbers": [1]})], START, MINUTE, 2)
    assert (replaced.voided, replaced.slots) == ({1}, (3,)), "the second place would be in less than a minute"
    decisions = [
        Decision(1, "void", START, {"numbers": [2]}),
        Decision(2, "undo", START + 1, {"amendment": 1}),
        Decision(3, "replace", START + 2, {"numbers": [1]}),
        Decision(4, "undo", START + 3, {"amendment": 3}),
        Decision(5, "rule", START + 4, {"team_id": "ann", "number": 2, "cause": "platform"}),
    ]
    undone = folded(decisions, START, MINUTE, 2)
    assert (undone.voided, undone.slots, undone.ruled) == ({3}, (2,), {("ann", 2): "platform"})


def test_a_program_waits_out_a_pause_of_which_it_has_heard() -> None:
    plan = timing()
    play = coming(plan, 3)
    assert next(play).at == plan.opens_at(3) - AHEAD
    plan.news.since = plan.opens_at(3) - 5_000
    assert play.send(()).at == plan.opens_at(3) - AHEAD + ASK_AGAIN, "paused: it looks again"
    plan.news.pauses.append((plan.news.since, plan.news.since + 55_000))
    plan.news.since = None
    assert play.send(()).at == START + 2 * MINUTE + 55_000 - AHEAD
    with pytest.raises(StopIteration) as ended:
        play.send(())
    assert ended.value.value == START + 2 * MINUTE + 55_000
    plan.news.since = plan.opens_at(2)
    open_already = coming(plan, 1, 0)
    assert next(open_already).at == START
    with pytest.raises(StopIteration):
        open_already.send(())


@pytest.mark.parametrize(("state", "again"), [("paused", ASK_AGAIN), ("running", 7_200_000)])
def test_in_a_pause_programs_ask_again_soon_whatever_they_are_told(state: str, again: int) -> None:
    play = insist(START, Ask("file", "GET", "/"))
    next(play)
    details = {"opens_at": to_text(START + 7_200_000), "run_state": state}
    step = play.send([Reply(START, 425, {"error": {"code": "not_open_yet", "details": [details]}})])
    assert step.at == START + again


def test_a_team_that_plays_two_runs_of_a_platform_uses_no_key_again() -> None:
    team, keys = joined(), list[str | None]()
    for run_id in ("one", "other"):
        plays = Teams(replace(timing(), run_id=run_id), Scripts(1, frozenset(), 50_000), cast(Any, None), print)
        keys.append(next(plays.participation(team, START, print)).asks[0].key)
        team.session_id = f"of {run_id}"
        keys.append(Answers(team, 1, cast(Any, None), None, START).asked({}, "0", None).key)
    assert len(set(keys)) == 4


# Who looks where it must not, leaves, or listens


def test_a_look_falls_before_the_opening_as_it_is_known_shortly_before_and_none_of_who_has_not_joined() -> None:
    team, moved = joined(), timing()
    moved.news.pauses.append((moved.opens_at(2), moved.opens_at(2) + 55_000))
    ((at, ask),) = played(prying.look(team, moved, 2, 2_001))
    assert (at, ask.number) == (START + MINUTE + 55_000 - 2_001, 2)
    team.session_id = ""
    assert played(prying.look(team, timing(), 2, 2_001)) == []
    assert played(prying.again(team, 5, b"{}")) == []
    ((at, _),) = played(prying.late(timing(), b"{}"))
    assert at == START + timing().join + 1


def test_a_connection_that_the_platform_failed_is_made_again() -> None:
    statuses: Iterator[int | None] = iter((None, 200, 503, *[200] * 7))
    requests: list[tuple[int, str]] = []
    play = Lifelines.play(cast(Lifelines, None), timing(8))
    step = next(play)
    for status in statuses:
        requests.append((step.at, step.asks[0].what))
        if len(requests) == 10:
            break
        step = play.send([Reply(step.at, status, {})])
    assert [what for _, what in requests] == [ENTERED, ENTERED, IDLE, IDLE, HEARD, HEARD, HEARD, HEARD, LET_GO, HEARD]
    assert requests[-2][0] - requests[3][0] == 5 * MINUTE, "from when the last one was there"


@pytest.mark.parametrize("frame", ["40/pku,{}", "44/pku,{}"])
def test_a_greeting_that_comes_twice_does_not_tell_whether_a_client_is_let_in(
    monkeypatch: pytest.MonkeyPatch, frame: str
) -> None:
    frames = iter(["0{}", "0{}", frame])
    socket = SimpleNamespace(recv=lambda **_: next(frames), send=lambda _: None)
    monkeypatch.setattr("rehearsal.play.channel.connected", lambda *_: nullcontext(socket))
    wire: Any = Wire("http://local", lambda: START, History(), lambda _: ())
    reply = Lifelines(Team(0, "t", "token", wire)).ask(Ask(ENTERED, "", ""))
    assert reply.body == {"entered": frame.startswith("40")}


def test_a_push_is_looked_for_every_four_seconds_and_in_the_last_moment_once_the_platform_is_at_rest() -> None:
    play = ChannelTeams(timing(8), 1, 0.0, cast(Any, None), lambda *_, **__: None)._received(START, 1)
    looks = [next(play).at]
    for _ in range(3):
        looks.append(play.send([Reply(looks[-1], None, {})]).at)
    assert [at - START for at in looks] == [0, 4_000, 8_000, 10_000]
    with pytest.raises(StopIteration):
        play.send([Reply(looks[-1], None, {})])
    rests: list[str] = []
    wire = Wire("http://local", lambda: START, History(), lambda _: ())
    team = ChannelTeam(0, "t", "token", wire, lambda: rests.append("at rest"))

    def until(*_: str, within_s: float) -> None:
        assert rests == ["at rest"], within_s
        team._came({"fileId": "7", "content": {}})

    team.client.until = until  # type: ignore[assignment, method-assign]  # no connection
    assert team.ask(Ask(FILE, "WS", "", 1)).body == {"file_id": "7", "content": {}}
    assert rests == ["at rest"]


# Around the final, and what teams know


def test_headers_are_searched_like_bodies() -> None:
    response = httpx.Response(425, json={}, headers={"ETag": f'"{"a" * 64}"', "X-Longer": "b" * 65})
    call = Call(n=1, team="ann", what="file", number=1, sent_at=1, done_at=1)
    assert answered(call, 2, response).hashes == ("a" * 64,)
    assert heard_in(response).startswith("{}\n")


def test_a_request_is_made_once_followed_where_it_should_be_and_counted_by_its_answer() -> None:
    requested: list[str] = []

    class Platform(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested.append(self.path)
            if self.path != "/lost":
                self.send_response({"/busy": 503, "/moved": 302}.get(self.path, 200))
                self.send_header("Retry-After" if self.path == "/busy" else "Location", "0")
                self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                self.wfile.write(gzip.compress(b"{}"))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Platform) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        with closing(Wire(url, lambda: 1, History(), lambda _: ())) as wire:
            replies = [wire.call("ann", None, Ask("file", "GET", path)) for path in ("/lost", "/busy", "/moved")]
            assert wire.get("/moved").json() == {}
        server.shutdown()
    assert [reply.status for reply in replies] == [None, 503, 302]
    assert requested == ["/lost", "/busy", "/moved", "/moved", "/0"]
    assert wire.asked == {("GET", "/busy", 503): 1, ("GET", "/moved", 302): 1, ("GET", "/moved", 200): 1}


def test_just_below_the_barrier_is_rounded_to_it() -> None:
    material = Material(Cycle.demonstrated("essay"), 2, FILES)
    skills = skills_below(material)
    assert skills.keys() == {item["text"] for item, _ in material.own() if item["meta"]["id"].startswith(TEST)}


def test_every_expert_of_every_essay_has_marks_of_its_own_and_no_answer_or_essay_has_any(tmp_path: Path) -> None:
    material = Material(Cycle.demonstrated("essay"), 2)
    material.write(tmp_path / "cycle", "demo", {})
    written = {path.name: marks_in(path.read_text("utf-8")) for path in (tmp_path / "cycle").glob("*/*_exp??.json")}
    assert written["final-0002_exp01.json"] == ("final-0002-1",)
    assert all(len(marks) == 1 for marks in written.values())
    own = [marks_in(json.dumps(markup)) for _, experts in material.own() for markup in experts]
    assert sorted(own) == sorted(set(written.values())) == sorted(written.values())
    answers = [material.answer(essay.item, 0.9, variant) for essay in material.sets["final"] for variant in (0, 1)]
    assert marks_in(json.dumps([*answers, *(item for item, _ in material.own())])) == ()


def test_an_essay_is_told_from_one_that_begins_as_it_does_whatever_its_set() -> None:
    """Repeat the final's first essays with another last line where the demonstration's test set has too few."""
    material = Material(Cycle.demonstrated("essay"), 40, 40)
    texts = [str(essay["text"]) for essay, _ in material.own()]
    numbers = [material.texts_in(json.dumps({"text": text}, ensure_ascii=False)) for text in texts]
    assert numbers == [(number,) for number in range(1, 49)] + [()] * (len(texts) - 48)
    longer = next(other for other in texts[48:] if other.startswith(texts[0]))
    assert material.texts_in(json.dumps([longer, texts[0]])) == (1,)


def test_a_strange_text_is_answered_and_whichever_files_are_drawn_a_third_expert_may_be_called() -> None:
    """A platform that alters a text must not keep a rehearsal from its end; with few points there is little to differ
    by."""
    material = Material(Cycle.demonstrated("essay"), 120)
    essay = material.sets["final"][0].item
    strange = {**essay, "text": f"{essay['text']} "}
    for answer in (material.answer(strange, 1.0), material.another(strange), material.another(essay)):
        assert answer["selections"]
    assert material.another(essay)["text"] != essay["text"]
    experts = [essay.references[0] for essay in material.sets["final"]]
    assert all(0 < len(from_known(markup)) < len(markup["selections"]) for markup in experts)
    assert from_known({**experts[0], "selections": experts[0]["selections"][:1]}) == ()


def test_blind_answers_are_valid_and_need_no_expert() -> None:
    material = Material(Cycle.demonstrated("essay"), 1, 2)
    essays = [item for item, _ in material.own() if item["meta"]["id"].startswith("test")]
    tiled, moved, less, single = (material.blind(essays[0], variant)["selections"] for variant in range(4))
    assert (len(less), len(single)) == (len(tiled) - 1, 1)
    assert moved[0]["startSelection"] > tiled[0]["startSelection"]
    assert all(one["endSelection"] <= other["startSelection"] for one, other in pairwise(tiled))
    assert [material.place(essay) for essay in essays] == [0, 1]
    load({**essays[0], "selections": tiled})
