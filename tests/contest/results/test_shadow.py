"""Independent recomputation of a final on a stage: its findings, and that nothing is published against them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from contest import reading, stored_names
from contest.adapters import aws
from contest.channel.rules import Absence, Attachment
from contest.people.rules import Role
from contest.refusals import RefusedError
from contest.results import boards, publishing, reporting, scoring, settling
from contest.results.rules import leaderboard, reports
from contest.run import watching
from contest.run.rules import fate, schedule
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from tests.contest.run.played_runs import Played, planned
from tests.run_stage import ABSENT, SILENT, SLOW, WRONG, RunOnStage
from tests.stage import Answered, Stage
from tests.stage_kept import played_once
from tests.stage_services import BUCKET
from tests.toys import ToyTrack
from tracks.protocol import Policies

FILES = 7
TEAMS = ("blue", "grey", "red")
Found = list[tuple[str, int, str]]


@pytest.fixture(autouse=True)
def half_may_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let teams miss half of the files, so that a team with one missed file of a few is on the board."""
    monkeypatch.setattr(ToyTrack, "policies", lambda self, mode: Policies(max_voided_share=0.5))


@pytest.fixture
def played(stage: Stage) -> RunOnStage:
    return played_once(stage, with_every_miss)


def with_every_miss(stage: Stage) -> RunOnStage:
    """Play and score a final without making its board: files missed for every cause, one ruled upon."""
    run = RunOnStage(stage, FILES, *TEAMS)
    deeds = {1: {"blue": SLOW}, 2: {"grey": SILENT}, 3: {"red": WRONG}, 4: {"blue": "abxx"}, 5: {"grey": "axxx"}}
    for number in range(1, FILES + 1):
        if number == 6:
            run.decide(Wish(Kind.VOID, "a torn page", numbers=(6,)))
            stage.advance(6)
        if number != 6:
            run.open(number, **deeds.get(number, {}))
    run.decide(Wish(Kind.RULE, "the router died", team_id="grey", numbers=(2,), cause=Cause.PLATFORM))
    run.at(schedule.Schedule.of(run.run).ends_at + 120_000)
    stage.tick(settles=False)
    stage.score_all()
    return run


def made(played: RunOnStage) -> Any:
    """Let everything be made and recomputed; what organizers are told then."""
    stage = played.stage
    for _ in range(3):
        stage.tick(after=60)
        stage.score_all()
    return told(played, "GET").json


def told(played: RunOnStage, method: str, role: Role = Role.COMMISSION) -> Answered:
    stage = played.stage
    return stage.request(method, f"/v1/conduct/runs/{played.run_id}/shadow", None, stage.person(role))


def again(played: RunOnStage) -> Found:
    """Recompute once more; return the differences."""
    played.stage.advance(1)
    assert told(played, "POST").json["state"] in {"clean", "different"}
    assert played.stage.recompute() == []
    return where(told(played, "GET").json)


def where(found: Any) -> Found:
    assert found["total"] == len(found["differences"])
    return [(each["team_id"], each["number"], each["quantity"]) for each in found["differences"]]


def refused(played: RunOnStage) -> RefusedError:
    with pytest.raises(RefusedError) as error:
        publishing.publish(played.stage.platform, "olga", played.run_id)
    return error.value


def put(name: str, content: bytes) -> None:
    aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=content)


@pytest.mark.slow
def test_the_progress_of_a_recomputation_is_read_by_one_listing(
    played: RunOnStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(played)
    blobs = played.stage.platform.blobs
    prefixes, names = list[str](), blobs.names
    monkeypatch.setattr(blobs, "names", lambda prefix: prefixes.append(prefix) or names(prefix))
    assert settling.recomputation_of(played.stage.platform, played.run_id).is_clean
    folder = stored_names.shadow_part_name(played.run_id, "", "").partition(played.run_id)[0]
    assert len([prefix for prefix in prefixes if prefix.startswith(folder)]) == 1


@pytest.mark.clause("platform §4 shadow")
def test_a_client_of_the_event_channel_that_was_away_is_judged_alike_from_what_is_stored(stage: Stage) -> None:
    run = RunOnStage(stage, FILES, *TEAMS)
    grey = run.programs["grey"].session_id
    opening = run.schedule.opens_at(2)
    away = Absence(opening - 5_000, opening + 30_000)
    attachment = Attachment(grey, "a-connection", (away,), version=1, since=opening - 10_000)
    stage.platform.connections.attach(None, attachment)
    for number in range(1, FILES + 1):
        run.open(number, **({"grey": ABSENT} if number == 2 else {}))
    run.at(schedule.Schedule.of(run.run).ends_at + 120_000)
    stage.tick(settles=False)
    stage.score_all()
    found = made(run)
    assert (found["state"], found["differences"]) == ("clean", [])
    assert run.report("grey")["files"][1]["cause"] == "network"


@pytest.mark.clause("platform §4 shadow", "R 8.3.4")
def test_nothing_is_published_before_it_is_recomputed(played: RunOnStage) -> None:
    stage = played.stage
    for _ in range(2):
        stage.advance(60)
        stage.tick(settles=False)
        assert stage._deliver("settle", stage.platform.settings.settlement_queue_url, 1) == []
    assert settling.settling_view(stage.platform, played.run_id)["state"] == "verifying"
    error = refused(played)
    assert (error.code, error.details[0]["made"], error.details[0]["teams"]) == ("results_not_verified", 0, 3)
    assert told(played, "GET").json["state"] == "recomputing"
    stage.lose(stage.platform.settings.shadow_queue_url)
    stage.tick(after=60)
    assert told(played, "GET").json["state"] == "clean"
    publishing.publish(stage.platform, "olga", played.run_id)


@pytest.mark.clause("platform §4 shadow")
def test_a_clean_final_is_recomputed_when_its_board_is_made_and_published(played: RunOnStage) -> None:
    for method in ("GET", "POST"):
        assert (told(played, method).status, told(played, method).code) == (409, "no_board")
    assert told(played, "GET", Role.JUDGE).status == 403
    result = made(played)
    assert (result["state"], result["differences"]) == ("clean", [])
    assert result["checked"] == {"sessions": 3, "files": 3 * FILES, "scores": 15, "receipts": 16}
    assert settling.settling_view(played.stage.platform, played.run_id)["state"] == "ready"
    publishing.publish(played.stage.platform, "olga", played.run_id)
    assert [(row["place"], row["team_id"]) for row in played.board().json["rows"]] == [
        (1, "red"),
        (2, "blue"),
        (3, "grey"),
    ]


@pytest.mark.clause("platform §4 shadow", "R 8.3.4")
def test_an_altered_score_is_found_and_blocks_the_publication(played: RunOnStage) -> None:
    made(played)
    session_id = played.programs["red"].session_id
    (key, record) = sorted(
        played.stage.platform.scores.of_session(session_id).items(), key=lambda each: each[0].number
    )[0]
    altered = zlib.compress(record.replace(b"100.0", b"99.0"))
    name = {"pk": {"S": f"SESSION#{session_id}"}, "sk": {"S": f"SCORE#0001#{key.answer_sha256}#{key.conditions}"}}
    aws.client("dynamodb").put_item(TableName="scores", Item={**name, "record": {"B": altered}})
    assert again(played) == [("red", 1, "score.points")]
    cell = told(played, "GET", Role.ORGANIZER).json["differences"][0]
    assert (cell["platform"], cell["shadow"], cell["session_id"]) == (99.0, 100.0, session_id)
    assert cell["message"] == (
        "red, file 1: the score of the answer (score.points): the platform has 99.0, the recomputation 100.0"
    )
    assert cell["message_ru"] == ("red, файл 1: оценка ответа (score.points): у платформы 99.0, при пересчёте 100.0")
    error = refused(played)
    assert (error.code, error.details[0]["differences"]) == ("results_differ", 1)
    assert settling.settling_view(played.stage.platform, played.run_id)["state"] == "differences_found"
    aws.client("dynamodb").put_item(TableName="scores", Item={**name, "record": {"B": zlib.compress(record)}})
    assert again(played) == []
    publishing.publish(played.stage.platform, "olga", played.run_id)


@pytest.mark.clause("platform §4 shadow")
def test_an_altered_void_is_found_and_blocks_the_publication(played: RunOnStage) -> None:
    made(played)
    run, session_id = played.run, played.programs["blue"].session_id
    name = boards.entry_name(run, session_id)
    stored = json.loads(played.stage.platform.blobs.get(name))
    stored["fates"]["files"][0] |= {"cause": "platform"}
    put(name, json.dumps(stored).encode())
    assert again(played) == [("blue", 1, "cause")]
    assert refused(played).code == "results_differ"


@pytest.mark.clause("platform §4 shadow")
def test_an_altered_markup_is_found_and_blocks_the_publication(played: RunOnStage) -> None:
    made(played)
    reference = _reference(played, 7)
    put(stored_names.blob_names("toy-1", "references", reference), b'{"letters":"abcx"}')
    found = again(played)
    numbers = [number for number in range(1, FILES + 1) if _reference(played, number) == reference]
    assert {(team, number) for team, number, what in found if what == "reference"} >= {
        ("red", number) for number in numbers if number not in {3, 6}
    }
    assert ("red", 7, "score.points") in found
    error, told_all = refused(played), told(played, "GET", Role.ORGANIZER).json["differences"]
    first_three = "; ".join(difference["message"] for difference in told_all[:3])
    assert error.code == "results_differ"
    assert error.message.endswith(f"contest run shadow {played.run_id} shows all; the first: {first_three}")


def _reference(played: RunOnStage, number: int) -> str:
    platform = played.stage.platform
    session = reading.session(platform, played.programs["red"].session_id)
    assert session is not None
    return reading.item_of(platform, session, reading.planned_file(platform, session, number)).references[0]


def receipt_of(played: RunOnStage, team: str, number: int) -> tuple[dict[str, Any], Any]:
    key = {"pk": {"S": f"SESSION#{played.programs[team].session_id}"}, "sk": {"S": f"RECEIPT#{number:04d}#01"}}
    item = aws.client("dynamodb").get_item(TableName="exchange", Key=key)["Item"]
    return item, json.loads(item["body"]["S"])


@pytest.mark.clause("platform §4 shadow")
def test_answers_and_receipts_that_are_altered_forged_or_lost_are_found(played: RunOnStage) -> None:
    made(played)
    blobs = played.stage.platform.blobs
    session_id = played.programs["grey"].session_id
    delivery = played.stage.platform.deliveries.get(session_id, 5)
    assert delivery is not None
    name = stored_names.answer_name(session_id, 5, delivery.latest_sha256 or "")
    before = blobs.get(name)
    blobs.put(name, b'{"letters":"abcd"}')
    assert {("grey", 5, "score.points"), ("grey", 5, "answer_bytes"), ("grey", 0, "place")} <= set(again(played))
    blobs.put(name, before)
    item, body = receipt_of(played, "red", 1)
    earlier = {**body, "receipt": {**body["receipt"], "received_at": "2026-09-21T14:00:00.000Z"}}
    aws.client("dynamodb").put_item(TableName="exchange", Item={**item, "body": {"S": json.dumps(earlier)}})
    assert again(played) == [("red", 1, "signature")]
    aws.client("dynamodb").delete_item(TableName="exchange", Key={name: item[name] for name in ("pk", "sk")})
    assert {("red", 1, "answer"), ("red", 1, "state"), ("red", 1, "cause")} <= set(again(played))
    aws.client("dynamodb").put_item(TableName="exchange", Item=item)
    keys = stored_names.run_keys_name(played.run_id)
    before = blobs.get(keys)
    put(keys, b'{"format":1,"keys":{}}')
    assert {what for _, _, what in again(played)} == {"signature"}
    put(keys, before)
    assert again(played) == []


@pytest.mark.clause("platform §4 shadow")
def test_a_team_that_is_missing_from_the_board_is_found(played: RunOnStage) -> None:
    """The board is another one then, so that what was found before no longer counts."""
    made(played)
    name = boards.entries_name(played.run)
    board = json.loads(played.stage.platform.blobs.get(name))
    board["entries"] = [each for each in board["entries"] if each["team_id"] != "blue"]
    put(name, json.dumps(board).encode())
    assert refused(played).code == "results_not_verified"
    played.stage.tick()
    found = where(told(played, "GET").json)
    assert ("blue", 0, "entry") in found
    assert refused(played).code == "results_differ"


@pytest.mark.clause("platform §4 shadow")
def test_a_decision_after_the_board_calls_for_another_recomputation(played: RunOnStage) -> None:
    made(played)
    played.decide(Wish(Kind.RULE, "seen on the video", team_id="blue", numbers=(1,), cause=Cause.NETWORK))
    assert refused(played).code == "results_not_made_yet"
    assert made(played)["state"] == "clean"
    publishing.publish(played.stage.platform, "olga", played.run_id)


@pytest.mark.long
def test_ratings_markups_and_other_marks_name_another_result(played: RunOnStage) -> None:
    made(played)
    before = set(played.stage.platform.blobs.names(stored_names.SHADOWS))
    publishing.mark(played.stage.platform, "olga", played.run_id)
    played.stage.score_all()
    assert made(played)["state"] == "clean"
    after = set(played.stage.platform.blobs.names(stored_names.SHADOWS))
    assert before < after


def late_as_platforms(really: Any) -> Any:
    def kind(*args: Any, **named: Any) -> fate.Fate:
        result = really(*args, **named)
        return result._replace(cause=Cause.PLATFORM) if result.cause is Cause.TEAM_LATE else result

    return kind


def late_as_answered(really: Any) -> Any:
    def state(delivery: Any, now: int, *, session_open: bool) -> FileState:
        is_late = delivery and delivery.late_at
        return FileState.ANSWERED if is_late else really(delivery, now, session_open=session_open)

    return state


def against_itself(really: Any) -> Any:
    def record(platform: Any, session: Any, job: Any) -> bytes:
        answer = scoring.stored_answer(platform, session.session_id, job.number, job.content_sha256)
        with patch.object(reading, "references", lambda *_: [answer]):
            return really(platform, session, job)

    return record


def without_the_fourth(really: Any) -> Any:
    def gather(*args: Any, **named: Any) -> Any:
        result = really(*args, **named)
        if isinstance(result, reporting.Pending):
            return result
        return replace(result, scores={number: score for number, score in result.scores.items() if number != 4})

    return gather


def upside_down(really: Any) -> Any:
    def board(*args: Any) -> Any:
        rows = really(*args)
        return tuple(replace(row, place=len(rows) + 1 - row.place) for row in rows)

    return board


def with_the_firsts_result(really: Any) -> Any:
    return lambda entries, rows: really([replace(score, result=entries[0].result) for score in entries], rows)


Wrong = tuple[Any, str, Callable[[Any], Any]]
PLANTED: dict[str, tuple[str, tuple[Wrong, ...]]] = {
    "a team's late answer is the platform's fault": ("cause", ((fate, "fate", late_as_platforms),)),
    "rulings are ignored": ("cause", ((schedule.Schedule, "rulings", lambda _: lambda self, team_id: {}),)),
    "a file annulled for everybody counts": ("cause", ((schedule, "_voided", lambda _: lambda *_: {}),)),
    "a late file is answered": ("state", ((fate, "state_of", late_as_answered),)),
    "annulled files count against the team": ("voided_share", ((fate, "NOBODYS", lambda _: frozenset()),)),
    "places are reversed": ("place", ((leaderboard, "board", upside_down),)),
    "missed files are left out": (
        "completeness.whole",
        (
            (
                reports,
                "run_outcomes",
                lambda really: lambda facts: tuple(fact for fact in really(facts) if fact.answered),
            ),
        ),
    ),
    "the first team is left out": (
        "entry",
        ((boards, "entries_json", lambda really: lambda entries, rows: really(entries[1:], rows)),),
    ),
    "every entry has the first one's result": (
        "result.relative_accuracy",
        ((boards, "entries_json", with_the_firsts_result),),
    ),
    "an answer is its own reference": ("score.points", ((scoring, "record_of", against_itself),)),
    "a score is not waited for": (
        "entry.answered",
        ((reporting, "gather_facts", without_the_fourth), (reporting, "all_scored", lambda _: lambda facts: True)),
    ),
}
"""Bugs of the platform's rules: the quantity that differs, and the replacement of an attribute."""


@pytest.mark.clause("platform §4 shadow")
@pytest.mark.parametrize("bug", PLANTED)
def test_an_error_of_the_platforms_own_rules_blocks_the_publication(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    played = final()
    quantity, wrongs = PLANTED[bug]
    for place, name, wrong in wrongs:
        monkeypatch.setattr(place, name, wrong(getattr(place, name)))
    played.finish()
    result = settling.recomputation_state(played.platform, played.run).result
    assert result is not None
    assert quantity in {difference["quantity"] for difference in result["differences"]}
    with pytest.raises(RefusedError) as refused:
        publishing.publish(played.platform, "olga", played.run_id)
    assert refused.value.code == "results_differ"
    assert refused.value.details[0]["differences"] == result["total"] > 0
    assert played.run.published_at is None


def test_the_same_final_without_an_error_is_published() -> None:
    played = final()
    played.finish()
    publishing.publish(played.platform, "olga", played.run_id)
    board = json.loads(played.platform.blobs.get(boards.entries_name(played.run)))
    assert board["places"]["all"] == {"blue": 3, "grey": 1, "red": 1}


def final() -> Played:
    """Play a final of six files: late and silent teams, a file annulled for everybody, two rulings."""
    played = planned(6)

    def decided(kind: Kind, *numbers: int, **wish: Any) -> None:
        watching.decide(played.platform, "olga", played.run_id, Wish(kind, "a reason", numbers=numbers, **wish))

    for number in range(1, 5):
        played.open(number, **{1: {"blue": SLOW}, 2: {"red": SLOW}, 4: {"blue": "abxx"}}.get(number, {}))
    decided(Kind.VOID, 6)
    played.open(5, red=SILENT)
    decided(Kind.RULE, 5, team_id="red", cause=Cause.PLATFORM)
    decided(Kind.RULE, 1, team_id="blue", cause=Cause.NETWORK)
    return played
