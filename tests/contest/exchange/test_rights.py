"""Who may see what through HTTP (platform §1): tokens, other teams' sessions, and what a test set must never show."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from contest.routes import ROUTES
from tests.exchange_programs import Exchange, Program, refused
from tests.stage import unpacked

pytestmark = pytest.mark.integration

GUARDED = sorted((each.method, each.path) for each in ROUTES if each.authorized)
EARLIER = sorted((route.method, route.path) for route in ROUTES if route.names_token and "earlier" in route.path)
"""Of earlier clients, whose token stands where the gateway does not look: the function itself decides."""
PUBLIC = sorted((each.method, each.path) for each in ROUTES if each.public)
JUDGED = re.compile(r"/conclusion|/conduct/")
OF_A_SESSION = [(method, path) for method, path in GUARDED if "{session_id}" in path and not JUDGED.search(path)]
"""What a program may ask of a session; a conclusion is judged by people."""
ESSAY_ID = re.compile(r"\b(rus|lit|social|hist|eng)(-free)?-\d\d\b")


STRANGER = "hrd_" + "A" * 43
"""A token as it looks, that nobody has."""


def filled(path: str, session_id: str = "1" * 15) -> str:
    return path.replace("{session_id}", session_id).replace("{number}", "1")


def test_without_a_token_the_gateway_answers_by_itself(exchange: Exchange) -> None:
    for method, path in GUARDED:
        answered = exchange.public(method, filled(path), content=b"{")
        assert (answered.status_code, answered.json()) == (401, {"message": "Unauthorized"}), f"{method} {path}"


def test_a_token_nobody_issued_is_forbidden_everywhere(exchange: Exchange) -> None:
    for method, path in GUARDED:
        answered = exchange.public(method, filled(path), headers={"Authorization": f"Bearer {STRANGER}"})
        assert (answered.status_code, answered.json()) == (403, {"message": "Forbidden"}), f"{method} {path}"


@pytest.mark.parametrize("header", ["Bearer x", "Basic eDp5", STRANGER, "Bearer", "x" * 2000])
def test_what_is_no_token_is_forbidden_whoever_a_route_is_for(exchange: Exchange, header: str) -> None:
    """The same function looks at all of them, so every tenth route is enough."""
    for method, path in GUARDED[::10]:
        answered = exchange.public(method, filled(path), headers={"Authorization": header})
        assert (answered.status_code, answered.json()) == (403, {"message": "Forbidden"})


@pytest.mark.parametrize("token", [None, "", "x", "hrd_" + "A" * 43])
def test_without_a_good_token_an_earlier_clients_route_answers_by_itself(exchange: Exchange, token: str | None) -> None:
    said = {} if token is None else {"token": token, "baselineToken": token}
    for method, path in EARLIER:
        address = path.replace("{deed}", "abort")
        answered = exchange.public(method, address, params=said, content=json.dumps(said))
        assert refused(answered) == (401, "earlier_unauthorized"), f"{method} {path}"


def test_a_token_with_one_changed_letter_is_not_believed(exchange: Exchange, program: Program) -> None:
    changed = program.token[:-1] + ("A" if program.token[-1] != "A" else "B")
    header = {"Authorization": f"Bearer {changed}"}
    assert exchange.public("GET", "/v1/sessions", headers=header).status_code == 403


def test_a_revoked_token_is_dead_within_a_minute_and_its_neighbour_lives(exchange: Exchange, program: Program) -> None:
    team = program.team_id
    spare = exchange.organizer.contest("token", "issue", team)
    first, second = ({"Authorization": f"Bearer {token}"} for token in (program.token, spare))
    assert exchange.public("GET", "/v1/sessions", headers=first).status_code == 200
    listed = [item["sk"]["S"] for item in exchange.items("StorageIdentity") if item["pk"]["S"] == f"TEAM#{team}"]
    token_ids = {sk.removeprefix("TOKEN#") for sk in listed if sk.startswith("TOKEN#")}
    shown = exchange.organizer.contest("token", "list", team)
    assert len(token_ids) == 2
    assert all(each in shown for each in token_ids)
    assert program.token not in shown
    stored = next(item for item in exchange.items("StorageIdentity") if item.get("token_id", {}).get("S") in token_ids)
    revoked_id = stored["token_id"]["S"]
    exchange.organizer.contest("token", "revoke", team, revoked_id)
    exchange.clock.advance(61)
    statuses = sorted(exchange.public("GET", "/v1/sessions", headers=each).status_code for each in (first, second))
    assert statuses == [200, 403]


def test_tokens_are_stored_as_hashes_alone(exchange: Exchange) -> None:
    tables = ("StorageIdentity", "StorageCatalogue", "StorageExchange")
    stored = json.dumps([exchange.items(name) for name in tables], default=unpacked)
    assert "hrd_" not in stored
    assert not any(token.removeprefix("hrd_") in stored for token in exchange.tokens.values())


NOTHING_THERE = {
    "{run_id}": (404, "unknown_run"),
    "/boards/{key}": (404, "unknown_board"),
    "/leaderboards/final": (403, "results_not_published"),
    "/private-test/archive": (403, "results_not_published"),
    "{announcement_id}": (404, "unknown_announcement"),
    "/published-sets/{name}": (404, "unknown_set"),
    "/pages/{name}": (404, "unknown_page"),
}


def test_public_routes_need_no_token_and_mind_no_wrong_one(exchange: Exchange) -> None:
    for method, path in PUBLIC:
        address = path.replace("{version}", "1").replace("{part}", "1")
        expected, code = next((refusal for part, refusal in NOTHING_THERE.items() if part in path), (200, ""))
        answered = exchange.public(method, address)
        assert answered.status_code == expected, path
        assert expected == 200 or answered.json()["error"]["code"] == code, path
        wrong = {"Authorization": "Bearer nonsense"}
        assert exchange.public(method, address, headers=wrong).status_code == expected, path


def test_another_teams_session_cannot_be_told_from_one_that_is_not_there(exchange: Exchange) -> None:
    owner, stranger = exchange.program(), exchange.program()
    owner.open(files=1)
    content = owner.take(1)
    before = exchange.stored(owner.session_id)
    for method, path in OF_A_SESSION:
        bodies: list[bytes | None] = [json.dumps(content).encode(), b"{"] if method == "PUT" else [None]
        for body in bodies:
            foreign = stranger.ask(method, filled(path, owner.session_id), content=body)
            unknown = stranger.ask(method, filled(path, "1" * 15), content=body)
            assert refused(foreign) == refused(unknown) == (404, "unknown_session"), f"{method} {path}"
            assert _without_ids(foreign, owner.session_id) == _without_ids(unknown, "1" * 15), f"{method} {path}"
        assert exchange.stored(owner.session_id) == before, f"{method} {path}"
    assert stranger.ask("GET", "/v1/sessions").json()["sessions"] == []


def _without_ids(answered: httpx.Response, session_id: str) -> tuple[Any, ...]:
    body = answered.json()
    body["error"].pop("request_id")
    body.pop("instance")
    headers = {name: value for name, value in answered.headers.items() if name != "date"}
    return json.dumps(body).replace(session_id, "…"), headers


def test_a_score_of_a_test_set_waits_for_the_sessions_end(exchange: Exchange, program: Program) -> None:
    program.open(set="test", files=2)
    program.receipt(1, program.take(1))
    exchange.cloud.drain()
    assert refused(program.get("files/1/score")) == (409, "session_open")
    program.ask("POST", program.path("abort"))
    assert program.get("files/1/score").status_code == 200
    assert refused(program.get("files/1/comparison")) == (403, "comparison_not_allowed")


def test_a_training_hand_out_shows_no_name_either(program: Program) -> None:
    program.open(files=32)
    shown = [program.get(f"files/{number}").text for number in range(1, 33)]
    assert ESSAY_ID.search("\n".join(shown)) is None
    assert len({json.loads(each)["file_id"] for each in shown}) == 32
