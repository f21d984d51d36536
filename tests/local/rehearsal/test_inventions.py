"""What the checker learned from platforms that somebody invented who had not read it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from local.rehearsal.history import Call
from local.rehearsal.moments import MINUTE
from local.rehearsal.play.cycles import Cycle
from local.rehearsal.play.driver import Play, Timing
from local.rehearsal.play.material import TEST, Material, skills_below
from local.rehearsal.play.qualifying import FILES
from local.rehearsal.play.teams import LEAVE, LEAVER, SILENT, Leaving, Team
from local.rehearsal.play.wire import Ask, Reply, answered, heard_in
from local.rehearsal.proof.checks_qualifying import _Claim, _unplayed
from markup_core.receipt import canonical_bytes, sha256_hex
from tests.local.rehearsal.spoiling import answer_of, faults_of, red
from tests.local.rehearsal.story import INTERVAL, START, TEAMS, Pen

Json = Any


def variant(pen: Pen, number: int) -> str:
    """Return the hash of another answer of Ann's to her first file, stored and scored like the first one."""
    markup = pen.markup("ann", 1, number)
    pen.keep_answer("ann", 1, markup)
    return sha256_hex(canonical_bytes(markup))


def test_only_the_latest_content_again_is_a_repetition(pen: Pen) -> None:
    first, other = (
        answer_of(pen, "ann", 1)["said"],
        pen.receipt("ann", 1, 25_000, send=2, content_sha256=variant(pen, 1)),
    )
    pen.send("ann", 1, 25_000, other)
    pen.keep("ann", 1, other)
    again = pen.receipt("ann", 1, 30_000, send=3)
    pen.send("ann", 1, 30_000, again)
    pen.keep("ann", 1, again)
    digest = again["receipt"]["content_sha256"]
    pen.item("ann", "FILE#0001").update(sends=3, answer={"send": 3, "content_sha256": digest})
    assert red(pen) == set(), "the first answer again, after another one, is a third send"
    pen.all("response", status=200)[-1]["said"] = first
    assert "one_winner" in red(pen)


def test_a_hash_of_a_file_before_its_opening_is_found_in_any_answer(pen: Pen) -> None:
    digest = sha256_hex(canonical_bytes(pen.content(2)))
    pen.call("ann", "next", None, INTERVAL, 200, hashes=[digest])
    assert red(pen) == set(), "once it is open"
    pen.call("ann", "next", None, INTERVAL - 1, 425, hashes=[digest])
    assert red(pen) == {"texts_in_time"}


def test_headers_are_searched_like_bodies() -> None:
    response = httpx.Response(425, json={}, headers={"ETag": f'"{"a" * 64}"'})
    call = Call(n=1, team="ann", what="file", number=1, sent_at=1, done_at=1)
    assert answered(call, 2, response, {}, answer_seen=True).hashes == ("a" * 64,)
    assert heard_in(response).startswith("{}\n")


@pytest.mark.parametrize("salt", [f"{2:064x}", "abc"])
def test_salts_are_not_alike_nor_short(pen: Pen, salt: str) -> None:
    pen.answer("record")["plans"][0]["rows"][0]["salt"] = salt
    said = " ".join(faults_of(pen, "commitment_kept"))
    assert "the same salt" in said or "can be guessed" in said


def test_who_ends_its_session_stands_on_no_board(pen: Pen) -> None:
    pen.call("bob", LEAVE, None, 2 * INTERVAL, 200, said={"state": "finished"})
    assert red(pen) == {"replay_agrees"}
    pen.show_board([row for row in pen.answer("board")["rows"] if row["team_id"] != "bob"])
    assert red(pen) == set()
    pen.call("bob", LEAVE, None, 2 * INTERVAL, 409)
    assert red(pen) == {"replay_agrees"}, "an end that is refused"


def test_an_end_is_for_good(pen: Pen) -> None:
    pen.show_board([row for row in pen.answer("board")["rows"] if row["team_id"] != "bob"])
    pen.call("bob", LEAVE, None, 2 * INTERVAL, 200, said={"state": "aborted", "closed_at": "2026"})
    found = faults_of(pen, "replay_agrees")
    assert [each.partition("ended with ")[2].split(",")[0] for each in found] == ["state aborted", "closed_at 2026"]


def test_a_file_that_was_handed_out_was_armed_and_no_more_than_minutes_ahead(pen: Pen) -> None:
    release = pen.find("item", sk="RELEASE#0002")
    release["item"]["armed_at"] = START + INTERVAL - 3 * MINUTE - 1
    assert faults_of(pen, "nothing_early") == ["RELEASE#0002: was armed 180001 ms before its opening"]
    release["item"]["armed_at"] = START + 2 * INTERVAL
    (late,) = faults_of(pen, "nothing_early")
    assert late.endswith("ms after its file was handed out")
    pen.forget(release)
    assert faults_of(pen, "nothing_early") == ["RELEASE#0002: was never armed, and its file was handed out"]


def test_a_team_that_asks_for_nothing_may_miss_everything_where_nothing_is_injected(pen: Pen) -> None:
    for number in (1, 2):
        for what in ("file", "answer"):
            for line in pen.all("request", team="bob", what=what, number=number):
                pen.forget(pen.find("response", n=line["n"]))
                pen.forget(line)
        status = pen.answer("status/bob")["deliveries"][number - 1]
        status.update(state="voided", cause="team_late")
    assert "no_faults_no_voids" not in red(pen)


def test_just_below_the_barrier_is_rounded_to_it() -> None:
    material = Material(Cycle.demonstrated("essay"), 2, FILES)
    skills = skills_below(material)
    assert len(skills) == FILES
    assert set(skills) == {item["text"] for item, _ in material.own() if item["meta"]["id"].startswith(TEST)}


def test_a_tie_and_a_result_below_the_barrier_have_to_come_about() -> None:
    def claims(*values: float) -> list[_Claim]:
        return [_Claim(f"team-{place}", FILES, FILES, 0, value) for place, value in enumerate(values)]

    assert list(_unplayed(claims(99.7, 99.7, 80.0))) == []
    assert len(list(_unplayed(claims(99.7, 80.0)))) == 1
    assert len(list(_unplayed(claims(99.4, 100.0)))) == 2


def played(name: str, statuses: dict[str, int]) -> list[tuple[int, Ask]]:
    timing = Timing("r", "final", START, INTERVAL, 10_000, 50_000, 60_000, 2 * MINUTE, 2)
    team = Team(-1, name, "token", None)  # type: ignore[arg-type]  # nobody asks by it

    class Markups:
        def answer(self, content: object, skill: float, variant: int = 0) -> object:
            return [content, skill, variant]

        def another(self, content: object) -> object:
            return content

        def digest(self, content: object, answer: object) -> str:
            return f"{content}{answer}"

    play: Play = Leaving(timing, Markups()).play(team)
    made, step = [], next(play)
    while True:
        made += [(step.at, ask) for ask in step.asks]
        bodies: dict[str, Json] = {"open": {"session_id": "s"}, "file": {"content": {}}}
        replies = [Reply(step.at, statuses.get(ask.what, 200), bodies.get(ask.what, {})) for ask in step.asks]
        try:
            step = play.send(replies)
        except StopIteration:
            return made


def test_one_team_is_silent_and_one_answers_everything_and_leaves() -> None:
    assert [ask.what for _, ask in played(SILENT, {"open": 201})] == ["open"]
    made = played(LEAVER, {"open": 201})
    assert [ask.what for _, ask in made] == ["open", *["file", "answer"] * 2, LEAVE]
    assert [ask.what for _, ask in played(LEAVER, {"open": 409})] == ["open"], "who is not let in asks for nothing"
    assert made[-1][0] > START + INTERVAL


def test_the_two_are_no_teams_of_the_board(pen: Pen) -> None:
    assert not {SILENT, LEAVER} & set(TEAMS)
    pen.find("header").update(faults=["leaving"])
    assert "replay_agrees" in red(pen)
    assert faults_of(pen, "reports_agree")
