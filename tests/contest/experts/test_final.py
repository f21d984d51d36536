"""A whole small final whose answers are scored against the markups that its experts hand in over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.refusals import RefusedError
from contest.results import publishing
from contest.values import DAY, SECOND, from_iso, local_day
from markup_core.accuracy import score_record
from markup_core.params import ScoringParams
from tests.experts_final import FINAL, EssayFinal, Played, published, references
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Expert, essay_cycle, shipped
from tests.stage import Stage
from tests.stage_kept import played_once
from tests.toys import FolderInMemory


@pytest.fixture
def played(stage: Stage) -> Played:
    return played_once(stage, Played)


@pytest.mark.clause("R 7.10", "R 7.3", "R 2.8")
def test_r_7_10_a_final_is_scored_by_its_experts_markups(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()
    rows = published(played)
    assert [row["team_id"] for row in rows] == ["red", "blue"]
    shown = references(played, "red")
    assert {item: len(body["experts"]) for item, body in shown.items()} == {AGREED: 2, DIFFERENT: 3}
    above, below = [], []
    for item, body in shown.items():
        markups = [shipped(item, number if number < 3 else 1) for number in range(1, len(body["experts"]) + 1)]
        expected = score_record(body["answer"], markups, ScoringParams.from_dict({}))
        assert body["score"]["pairs"] == json.loads(json.dumps(expected["pairs"]))
        above.append(expected["algorithm_accuracy"])
        below.append(expected["expert_accuracy"])
    red = rows[0]["result"]
    assert red["relative_accuracy"] == pytest.approx(100 * sum(above) / sum(below), abs=1e-9)
    assert rows[1]["result"]["relative_accuracy"] < red["relative_accuracy"]
    pseudonyms = {
        each["expert_id"]: each["pseudonym"] for each in played.olga.ask("GET", "/v1/experts").json["experts"]
    }
    for item, body in shown.items():
        names = [each["expert_id"] for each in played.essay(item)["assignments"]]
        metas = [each["meta"] for each in body["experts"]]
        assert [each["expert"] for each in metas] == [pseudonyms[name] for name in names]
        assert [each["third"] for each in metas] == [False, False, True][: len(metas)]
        assert {each["id"] for each in metas} == {item}
        text = json.dumps(body["experts"], ensure_ascii=False)
        assert not [name for name in names if f'"{name}"' in text]
        assert {each["text"] for each in body["experts"]} == {shipped(item)["text"]}


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_a_final_waits_for_its_experts_and_then_shows_the_third(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    with pytest.raises(RefusedError) as refused:
        played.mark()
    assert (refused.value.code, refused.value.details[0]["essays"]) == ("experts_not_done", [DIFFERENT])
    played.mark_up(DIFFERENT, 1, 2)
    with pytest.raises(RefusedError) as refused:
        played.mark()
    assert refused.value.details[0]["essays"] == [DIFFERENT], "the third expert is not done"
    played.mark_up(DIFFERENT, 3)
    played.mark()
    assert played.run.run.markups
    (second, name), (third, thirds) = played.expert_of(DIFFERENT, 2), played.expert_of(DIFFERENT, 3)
    assert second.work(name).json["decided"] is None, "scored, and not published"
    published(played)
    decided = second.work(name).json["decided"]
    assert [len(markup["selections"]) for markup in decided["markups"]] == [
        len(shipped(DIFFERENT, number)["selections"]) for number in (1, 2)
    ]
    assert [secret for secret in (third.name, thirds) if secret in json.dumps(decided)] == []


def test_a_markup_that_ran_out_is_a_reference_and_one_that_was_taken_away_is_not(played: Played) -> None:
    played.mark_up(DIFFERENT, 1, 2, 3)
    (first, hers), (second, his) = played.expert_of(AGREED, 1), played.expert_of(AGREED, 2)
    first.draft(hers, shipped(AGREED, 1))
    second.draft(his, {**shipped(AGREED, 2), "selections": []})
    played.olga.decide("reassign", second.name, his)
    played.run.stage.advance(3600 + 60)
    played.run.stage.tick()
    played.mark_up(AGREED, 3)
    played.mark()
    published(played)
    shown = references(played, "red")[AGREED]["experts"]
    assert [len(each["selections"]) for each in shown] == [len(shipped(AGREED, 1)["selections"])] * 2


def test_markups_taken_in_again_after_a_change_are_other_references(played: Played) -> None:
    """A markup that the coordinator reopens and its expert improves counts from the next marking on, by new hashes."""
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark_up(AGREED, 1)
    second, his = played.expert_of(AGREED, 2)
    second.draft(his, shipped(AGREED, 1))
    played.run.stage.advance(3600 + 60)
    played.run.stage.tick()
    played.mark()
    before = played.run.run.markups
    played.olga.decide("extend", second.name, his, seconds=600)
    with pytest.raises(RefusedError):
        played.mark()
    second.save(his, 1, shipped(AGREED, 2))
    second.hand_in(his, 2)
    played.mark()
    assert [drawn for drawn, _ in played.run.run.markups] == [drawn for drawn, _ in before]
    assert played.run.run.markups != before
    assert published(played)[0]["team_id"] == "red"


def test_a_final_whose_files_nobody_was_given_is_marked_by_the_cycles_markups(stage: Stage) -> None:
    run = EssayFinal(stage)
    run.play()
    run.finish()
    with pytest.raises(RefusedError) as refused:
        publishing.mark(stage.platform, "olga", run.run_id)
    assert refused.value.code == "not_marked_yet"


@pytest.mark.clause("R 7.3", "R 4.1")
def test_an_assignment_of_a_final_begins_by_the_results_last_day_and_an_open_one_goes_on(played: Played) -> None:
    stage, cycle = played.run.stage, essay_cycle(["hist-04"], FINAL)
    described = json.loads(cycle.read("cycle.json"))
    day = local_day(stage.now, "Europe/Moscow")

    def loaded(outside: str) -> None:
        described["stages"] = {"results": {"first": day, "last": day, "outside": outside}}
        files = {name: cycle.read(name) for name in cycle.everything()} | {"cycle.json": described}
        load_cycle(stage.platform, "tests", CYCLE, FolderInMemory(files), lambda _: None)

    loaded("refuse")
    (opener, first), (late, other) = (played.expert_of(AGREED, number) for number in (1, 2))
    ends_at = from_iso(f"{day}T21:00:00.000Z")
    stage.set_clock(ends_at - 1)
    opener, late = Expert(stage, opener.name), Expert(stage, late.name)
    until = {f"{day}T21:00:00.000Z"}
    assert {each["open_until"] for each in late.own()} == until == {late.work(other).json["assignment"]["open_until"]}
    assert opener.open(first).json["assignment"]["open_until"] is None
    stage.set_clock(ends_at)
    assert opener.open(first).status == 200
    refused = late.open(other)
    assert refused.refusal == (409, "outside_stage")
    assert refused.json["error"]["details"][0]["stage"] == "results"
    loaded("take")
    assert {each["open_until"] for each in late.own()} == {None}
    assert late.open(other).status == 200


def later(stage: Stage, days: float) -> None:
    stage.advance(days * DAY / SECOND)


PROTOCOLS = [("protocol_none", "R 8.3.3"), ("protocol_none", "R 8.3.4")]
"""Test the answers between the making of the board and the protocols of judges and commission."""


def said(played: Played) -> list[tuple[str, str]]:
    """Return codes and clauses of the warnings that an organizer gets with the run."""
    played.run.stage.advance(1)
    answered = played.run.stage.request("GET", f"/v1/conduct/runs/{played.run.run_id}", token=played.olga.token)
    assert answered.status == 200, answered.text
    notices: list[Any] = answered.json["settlement"]["notices"]
    assert all(each["message"] != each["message_ru"] for each in notices)
    return [(each["code"], each["where"]["clause"]) for each in notices]


def marked(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()


@pytest.mark.clause("R 7.3", "R 7.11", "platform §2 notices")
def test_platform_2_markups_that_are_still_missing_after_their_time_are_told_of(played: Played) -> None:
    later(played.run.stage, 14)
    assert said(played) == [], "fifteen working days are three weeks"
    later(played.run.stage, 10)
    assert said(played) == [("markups_late", "R 7.3")]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_that_are_late_are_told_of_before_and_after_their_publication(played: Played) -> None:
    marked(played)
    later(played.run.stage, 4)
    assert said(played) == []
    later(played.run.stage, 6)
    assert said(played) == [("results_late", "R 7.11")]
    published(played)
    later(played.run.stage, 60)
    assert said(played) == [("results_late", "R 7.11"), *PROTOCOLS]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_in_time_are_never_called_late(played: Played) -> None:
    marked(played)
    published(played)
    later(played.run.stage, 60)
    assert said(played) == PROTOCOLS
