"""What the checker finds in what strangers, teams on the event channel and teams that look around are told."""

from __future__ import annotations

from typing import Any

import pytest

from local.rehearsal.moments import to_text
from markup_core.receipt import sha256_hex
from tests.local.rehearsal.spoiling import faults_of, file_of, pen_file, red, request_of
from tests.local.rehearsal.story import INTERVAL, START, STRANGE, STRANGE_CONNECTION, TEAMS, Pen


def on_the_channel(pen: Pen, cause: str | None) -> Pen:
    """Bob is on the event channel; his second file is annulled for a cause, or answered."""
    pen.call("bob", "channel_open", None, -30_000, 201, said={"session_id": TEAMS["bob"]})
    state = "answered" if cause is None else "voided"
    pen.answer("status/bob")["deliveries"][1] |= {"state": state, "cause": cause}
    return pen


def away(pen: Pen, since: int, until: int) -> None:
    """Bob's connection is cut, in milliseconds from the second file's opening."""
    moments = {name: to_text(START + INTERVAL + at) for name, at in (("since", since), ("until", until))}
    pen.add("injected", what="channel_away", team="bob", number=2, **moments)


@pytest.mark.parametrize("cause", ["network", "team_late", "organizer_decision"])
def test_who_is_on_the_channel_is_charged_with_neither_the_network_nor_a_delay(pen: Pen, cause: str) -> None:
    assert "channel_kept" in red(on_the_channel(pen, cause))


@pytest.mark.parametrize(("lost", "told"), [(False, ["no push was lost for good"]), (True, [])])
def test_pushes_that_were_to_be_lost_are_lost(pen: Pen, lost: bool, told: list[str]) -> None:
    pen.find("header").update(driven=True, listening=1, files=3, faults=["losses", "disconnects"])
    if lost:
        pen.add("injected", what="push_lost", session=TEAMS["bob"], number=3)
    assert [each for each in faults_of(pen, "channel_kept") if "push" in each] == told


def test_who_is_on_the_channel_is_answered(pen: Pen) -> None:
    assert "channel_kept" not in red(on_the_channel(pen, None))


@pytest.mark.parametrize(
    ("spoilt", "wrong"),
    [
        (None, True),
        ({"what": "push_lost", "session": TEAMS["bob"], "number": 2}, False),
        ({"what": "push_lost", "session": TEAMS["bob"], "number": 1}, True),
        ({"what": "push_lost", "session": TEAMS["ann"], "number": 2}, True),
        ({"what": "killed", "handler": "dispatch.push", "now": START + INTERVAL - 5_000}, False),
        ({"what": "throttled", "handler": "dispatch.push", "now": START + INTERVAL + 70_000}, False),
        ({"what": "killed", "handler": "dispatch.push", "now": START + INTERVAL - 5_001}, True),
        ({"what": "throttled", "handler": "dispatch.push", "now": START + INTERVAL + 70_001}, True),
        ({"what": "killed", "handler": "score.worker", "now": START + INTERVAL}, True),
    ],
)
def test_the_platforms_fault_on_the_channel_needs_something_that_was_spoilt(
    pen: Pen, spoilt: dict[str, Any] | None, wrong: bool
) -> None:
    if spoilt:
        pen.add("injected", **spoilt)
    assert ("channel_kept" in red(on_the_channel(pen, "platform"))) is wrong


@pytest.mark.parametrize(("pushed", "wrong"), [(1, False), (2, True)])
def test_a_file_is_pushed_once_over_one_connection(pen: Pen, pushed: int, wrong: bool) -> None:
    said = pen.receipt("ann", 1, 20_001)
    pen.call("ann", "channel_answer", None, INTERVAL, 200, said={**said, "pushed": pushed})
    assert any("pushed 2 times" in each for each in faults_of(pen, "channel_kept")) is wrong


@pytest.mark.parametrize(
    ("since", "until", "cause", "wrong"),
    [
        (-1_000, 10_001, "network", False),
        (-1_000, 10_001, "team_late", True),
        (-1_000, 5_000, "network", True),
        (-1_000, 8_000, "network", False),
        (6_000, 20_000, "network", True),
    ],
    ids=["all the time", "all the time, another cause", "back in time", "back too late for a push", "there first"],
)
def test_the_network_is_the_cause_where_the_client_was_away(
    pen: Pen, since: int, until: int, cause: str, wrong: bool
) -> None:
    away(pen, since, until)
    assert ("channel_kept" in red(on_the_channel(pen, cause))) is wrong


def test_a_receipt_over_the_channel_is_signed_and_stored(pen: Pen) -> None:
    said = pen.receipt("ann", 2, 20_001)
    pen.call("ann", "channel_answer", None, INTERVAL, 200, said=said)
    assert red(pen) == {"channel_kept"}


@pytest.mark.parametrize("status", [200, 204, 302])
def test_a_stranger_is_refused(pen: Pen, status: int) -> None:
    pen.call("strangers", "unknown", None, 1, status, said={"token": STRANGE})
    assert red(pen) == {"strangers_kept_out"}


@pytest.mark.parametrize("status", [None, 400, 401, 403, 404, 429, 500, 503])
def test_who_is_refused_or_not_answered_was_not_let_in(pen: Pen, status: int | None) -> None:
    pen.call("strangers", "nowhere", None, 1, status, said={"token": None})
    assert red(pen) == set()


def test_a_stranger_is_told_of_no_file_even_when_it_is_open(pen: Pen) -> None:
    pen.call("strangers", "unknown", None, 1, 403, said={"token": STRANGE}, file_ids=[pen_file(1)])
    assert red(pen) == {"strangers_kept_out"}


def test_the_channel_tells_a_stranger_nothing_but_farewell(pen: Pen) -> None:
    said = {**pen.farewell(STRANGE, STRANGE_CONNECTION), "told": ["connection-auth-error", "session-file-available"]}
    pen.call("strangers", "connect_unknown", None, 1, 101, said=said)
    assert red(pen) == {"strangers_kept_out"}


def test_who_is_turned_away_is_parted_from_every_namespace_that_spoke(pen: Pen) -> None:
    said = {**pen.farewell(STRANGE, STRANGE_CONNECTION), "spoken_in": ["/pku", "/baseline"]}
    pen.call("strangers", "connect_unknown", None, 1, 101, said={**said, "parted": ["/baseline", "/pku"]})
    assert red(pen) == set()
    pen.call("strangers", "connect_unknown", None, 2, 101, said={**said, "parted": ["/pku", "/pku"]})
    assert red(pen) == {"strangers_kept_out"}


@pytest.mark.parametrize(
    ("pk", "sk", "item"),
    [
        ("CONNECTIONS", STRANGE_CONNECTION, {"token_sha256": "0" * 64}),
        ("CONNECTIONS", "another", {"token_sha256": sha256_hex(STRANGE.encode())}),
        ("CONNECTIONS", "another", {"token_sha256": ""}),
        (f"TEAM#{STRANGE}", "SEEN", {}),
        ("SESSION#x", "SEEN", {"by": {"connections": [f"of {STRANGE_CONNECTION}"]}}),
    ],
    ids=["its connection", "its token", "no token", "in a key", "deep inside"],
)
def test_nothing_stored_speaks_of_a_stranger(pen: Pen, pk: str, sk: str, item: dict) -> None:
    pen.add("item", table="exchange", pk=pk, sk=sk, item=item)
    assert red(pen) == {"strangers_kept_out"}


def test_no_connection_of_a_stranger_was_ever_stored(pen: Pen) -> None:
    pen.add("written", what="CONNECTIONS", pk="CONNECTIONS", sk="a team's", at=START, sha256="")
    assert red(pen) == set()
    pen.add("written", what="CONNECTIONS", pk="CONNECTIONS", sk=STRANGE_CONNECTION, at=START, sha256="")
    assert red(pen) == {"strangers_kept_out"}


def test_a_connection_that_a_team_left_behind_is_no_strangers(pen: Pen) -> None:
    pen.add("item", table="exchange", pk="CONNECTIONS", sk="a team's", item={"token_sha256": "a" * 64})
    assert red(pen) == set()


def test_who_looks_into_a_file_before_its_opening_is_told_when_it_is(pen: Pen) -> None:
    looked = pen.find("response", n=pen.find("request", what="pry_early")["n"])
    looked["said"]["error"]["details"][0]["opens_at"] = to_text(START)
    assert red(pen) == {"not_yet_told"}
    looked["status"] = 200
    assert red(pen) == {"not_yet_told"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("server_time", None), ("server_time", to_text(START)), ("retry_after", None), ("retry_after", "60")],
)
def test_who_asks_too_early_is_told_the_time_and_when_to_come_again(pen: Pen, name: str, value: str | None) -> None:
    said = pen.find("response", n=pen.find("request", what="pry_early")["n"])["said"]
    (said if name == "retry_after" else said["error"]["details"][0])[name] = value
    assert red(pen) == {"not_yet_told"}


@pytest.mark.parametrize(("what", "status"), [("pry_others", 200), ("pry_others", 204), ("pry_staff", 404)])
def test_nobody_gets_at_what_is_others(pen: Pen, what: str, status: int) -> None:
    pen.find("response", n=pen.find("request", what=what)["n"])["status"] = status
    assert red(pen) == {"others_kept"}


@pytest.mark.parametrize(
    ("what", "code", "spoilt", "wrong"),
    [
        ("pry_staff", "internal", "killed", {"others_kept"}),
        ("pry_staff", None, "killed", set()),
        ("pry_others", "internal", "throttled", set()),
        ("pry_staff", None, None, {"others_kept"}),
        ("pry_others", None, None, {"others_kept"}),
    ],
)
def test_who_tries_a_door_breaks_nothing(
    pen: Pen, what: str, code: str | None, spoilt: str | None, wrong: set[str]
) -> None:
    """A process that was killed answers nothing by itself."""
    pen.call("ann", what, None, 31_500, 500, code=code)
    if spoilt is not None:
        pen.add("injected", what=spoilt, handler="submit.api", now=START + 31_500)
    assert red(pen) == wrong


@pytest.mark.parametrize("what", ["join_again", "join_late"])
def test_nobody_joins_twice_or_late(pen: Pen, what: str) -> None:
    pen.call("ann", what, None, 130_000, 201)
    assert red(pen) == {"joined_once"}


def test_who_comes_in_time_takes_part(pen: Pen) -> None:
    pen.call("ann", "open", None, 120_000, 409, code="run_not_joinable")
    assert red(pen) == {"joined_once"}


def test_a_text_in_anything_received_before_its_opening_is_seen(pen: Pen) -> None:
    pen.call("ann", "status", None, INTERVAL - 1, 200, texts=[2])
    assert red(pen) == {"texts_in_time"}


def test_everybody_gets_the_same_text_under_a_number(pen: Pen) -> None:
    file_of(pen, "bob", 2)["texts"] = [1]
    assert red(pen) == {"texts_in_time"}


def test_a_file_without_a_text_of_the_rehearsals_own_is_none(pen: Pen) -> None:
    file_of(pen, "bob", 2)["texts"] = []
    assert red(pen) == {"texts_in_time"}
    request_of(pen, file_of(pen, "bob", 2)["n"])["path"] = None
    assert red(pen) == set(), "a program of somebody's own is not read along with"
