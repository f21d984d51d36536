"""The record of a run: made once when all is over, telling what happened, holding to the commitment."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from contest import charts, reading
from contest.errors import RunNotOverError, UnknownRunError
from contest.operations.minute_timer import sweep
from contest.run import planning, recording, under_way, watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.session import IN_FLIGHT
from contest.values import SECOND, canonical, iso, sha256_hex
from tests.contest.run.played_runs import ABSENT, SLOW, Played, planned


def published(played: Played) -> Any:
    return json.loads(recording.published(played.platform, played.run_id, played.platform.clock.now()))


def played_to_the_end() -> Played:
    played = planned(files=5)
    played.open(1)
    played.open(2, red=ABSENT, blue=SLOW)
    wish = Wish(Kind.REPLACE, "a mass failure", (2,))
    watching.decide(played.platform, "anna", played.run_id, wish)
    for number in range(3, 7):
        played.open(number)
    played.finish()
    return played


def test_nothing_secret_is_told_before_the_record_is_made() -> None:
    played = planned().play()
    with pytest.raises(RunNotOverError):
        recording.published(played.platform, played.run_id, played.platform.clock.now())
    with pytest.raises(UnknownRunError):
        recording.published(played.platform, "nowhere", played.platform.clock.now())
    assert not recording.close_if_over(played.platform, played.run_id)
    played.at(under_way.over_at(played.schedule))
    # the time is over but a session is still open
    assert not recording.close_if_over(played.platform, played.run_id)
    assert played.run.closed_at is None


def test_the_record_says_what_happened_to_every_file_of_every_team() -> None:
    played = played_to_the_end()
    record = published(played)["record"]
    assert [each["team_id"] for each in record["sessions"]] == ["blue", "grey", "red"]
    red = record["sessions"][2]
    assert (red["state"], len(red["files"])) == ("finished", 6)
    start = played.run.starts_at
    assert red["files"][0] == {
        "number": 1,
        "asked_at": iso(start),
        "handed_out_at": iso(start),
        "answer_by": iso(start + 50 * SECOND),
        "answered_at": iso(start + 10 * SECOND),
        "headers_at": iso(start + 10 * SECOND),
        "body_at": iso(start + 10 * SECOND),
        "decided_at": iso(start + 10 * SECOND),
        "state": "answered",
        "cause": None,
        "evidence": {},
    }
    assert {each["files"][1]["cause"] for each in record["sessions"]} == {"organizer_decision"}
    assert [each["opens_at"] for each in record["releases"]] == [
        iso(played.schedule.opens_at(number)) for number in range(1, 7)
    ]


def test_the_record_is_made_once_also_of_a_run_that_nobody_joined() -> None:
    played = played_to_the_end()
    first = recording.published(played.platform, played.run_id, played.platform.clock.now())
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.VOID, "unreadable", (1,)))
    assert recording.close_if_over(played.platform, played.run_id)
    played.platform.memory = type(played.platform.memory)()
    assert recording.published(played.platform, played.run_id, played.platform.clock.now()) == first
    assert played.run_id not in played.platform.runs.active_ids()
    played = planned(files=1)
    played.platform.store.sessions.clear()
    played.sessions.clear()
    played.at(under_way.over_at(played.schedule))
    assert recording.close_if_over(played.platform, played.run_id)
    assert published(played)["record"]["sessions"] == []


def test_the_record_of_a_stopped_run_reveals_all_rows_and_tells_what_opened() -> None:
    played = planned(files=5)
    played.open(1)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "called off"))
    played.finish()
    record = published(played)["record"]
    assert [len(plan["rows"]) for plan in record["plans"]] == [5]
    assert [each["number"] for each in record["releases"]] == [1]
    assert {each["state"] for each in record["sessions"]} == {"stopped"}
    causes = [each["cause"] for each in record["sessions"][0]["files"]]
    assert causes == [None, *["organizer_decision"] * 4]


def test_chart_and_table_are_made_of_the_record() -> None:
    played = played_to_the_end()
    record = published(played)["record"]
    place = recording.place(played.platform, played.run_id, recording.TIMELINE, played.platform.clock.now())
    chart = played.platform.blobs.get(place.removeprefix("/"))
    assert chart == charts.chart_of_record(record)
    assert chart.count(b'class="work"') >= 3 * 5
    lines = list(csv.DictReader(io.StringIO(recording.table(record))))
    assert len(lines) == 3 * 6
    plan = reading.run_plan(played.platform, played.schedule)
    assert (lines[0]["team_id"], lines[0]["file_id"]) == ("blue", plan[0].file_id)
    assert lines[1]["cause"] == "organizer_decision"


@pytest.mark.clause("platform §3 commitment")
def test_the_roster_is_sealed_once_joining_is_over_and_never_changes() -> None:
    played = planned(files=4)
    platform, due = played.platform, under_way.roster_due(played.schedule)
    assert due == played.run.starts_at + played.run.limits.join + IN_FLIGHT
    played.open(1)
    played.open(2)
    assert played.platform.clock.now() < due
    assert under_way.make_roster(platform, played.schedule, platform.clock.now()) == 0
    assert under_way.roster_of(platform, played.schedule) is None
    played.open(3)
    assert sweep(platform).failures == ()
    sealed = under_way.roster_of(platform, played.schedule)
    assert sealed is not None
    pairs = [[team_id, played.sessions[team_id]] for team_id in ("blue", "grey", "red")]
    said = sealed["statement"]
    assert (said["sessions"], said["sessions_sha256"]) == (3, sha256_hex(canonical(pairs)))
    assert said["previous"] == commitment.digest(planning.commitment_of(platform, played.run_id)["statement"])
    played.open(4)
    played.finish()
    assert published(played)["record"]["roster"] == sealed


def test_a_run_that_is_stopped_while_teams_may_join_has_a_roster_all_the_same() -> None:
    played = planned(files=4)
    played.open(1)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "called off"))
    assert under_way.roster_due(played.schedule) == under_way.over_at(played.schedule)
    played.finish()
    assert published(played)["record"]["roster"]["statement"]["sessions"] == 3
