"""A whole small final whose answers are scored by what its experts hand in over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.domain.cycle.cycle import Mode
from contest.domain.moments import MINUTE, SECOND
from contest.refusals import RefusedError
from contest.services.cycle.loading import load_cycle
from contest.services.results import publishing
from contest.services.run import planning
from contest.services.run.planning import RunOrder
from markup_core.params import ScoringParams
from markup_core.record import score_record
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Expert, essay_cycle, shipped
from tests.run_stage import RunOnStage
from tests.stage import Program, Stage

FINAL = (AGREED, DIFFERENT)
TEXTS = {shipped(item)["text"]: item for item in FINAL}


class EssayFinal(RunOnStage):
    """A final of two essays; a team answers with the first expert's markup, another one with an empty one."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        load_cycle(stage.platform, "tests", CYCLE, essay_cycle(["hist-04"], FINAL), lambda _: None)
        stage.restart()
        order = RunOrder(Mode.FINAL, "final", stage.now + MINUTE, MINUTE)
        self.run_id = planning.plan_run(stage.platform, "tests", order).run_id
        self.programs = {team_id: Program(stage, stage.team(team_id)) for team_id in ("red", "blue")}
        for program in self.programs.values():
            self.join(program)

    def open(self, number: int, **deeds: str) -> None:
        opening = self.schedule.opens_at(number)
        self.at(opening)
        contents = {name: each.get(f"files/{number}").json["content"] for name, each in self.programs.items()}
        self.at(opening + 10 * SECOND)
        for name, content in contents.items():
            selections = shipped(TEXTS[content["text"]], 1)["selections"] if name == "red" else []
            answered = self.programs[name].answer(number, {**content, "selections": selections})
            assert answered.status == 200, answered.text


class Played:
    """The final after its last file, and its experts."""

    def __init__(self, stage: Stage) -> None:
        self.run = EssayFinal(stage)
        self.run.play()
        self.run.finish()
        self.olga = Coordinator(stage)
        for name in ("anna", "boris", "clara"):
            self.olga.add(name)
        assigned = self.olga.assign(run=self.run.run_id)
        assert assigned.status == 200, assigned.text

    def essay(self, item: str) -> Any:
        return self.olga.essay(item, self.run.run_id)

    def expert_of(self, item: str, number: int) -> tuple[Expert, str]:
        given = self.essay(item)["assignments"][number - 1]
        return Expert(self.olga.stage, given["expert_id"]), given["assignment_id"]

    def mark_up(self, item: str, *numbers: int) -> None:
        """Let the experts of an essay hand the shipped markups in; the third one hands the first one's in."""
        for number in numbers:
            expert, assignment_id = self.expert_of(item, number)
            expert.mark_up(assignment_id, shipped(item, number if number < 3 else 1))

    def mark(self) -> None:
        publishing.mark(self.olga.stage.platform, "olga", self.run.run_id)


@pytest.fixture
def played(stage: Stage) -> Played:
    return Played(stage)


def references(played: Played, team: str) -> dict[str, Any]:
    """What a team is shown of the experts once the results are out, by essay."""
    found = {}
    for number in range(1, len(FINAL) + 1):
        played.run.stage.advance(1)
        body = played.run.programs[team].get(f"files/{number}/comparison").json
        found[TEXTS[body["answer"]["text"]]] = body
    return found


def published(played: Played) -> list[Any]:
    stage = played.run.stage
    stage.advance(3)
    for code, make in (("not_scored_yet", stage.score_all), ("results_not_made_yet", stage.settle)):
        with pytest.raises(RefusedError) as refused:
            publishing.publish(stage.platform, "olga", played.run.run_id)
        assert refused.value.code == code
        assert not make()
    publishing.publish(stage.platform, "olga", played.run.run_id)
    rows: list[Any] = played.run.board().json["rows"]
    return rows


@pytest.mark.clause("R 7.10", "R 7.3", "R 2.8")
def test_r_7_10_a_whole_final_is_scored_by_the_markups_that_its_experts_hand_in(played: Played) -> None:
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


@pytest.mark.clause("R 7.10")
def test_r_7_10_references_name_experts_by_pseudonyms_alone_and_the_essay_as_its_set_does(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()
    published(played)
    pseudonyms = {
        each["expert_id"]: each["pseudonym"] for each in played.olga.ask("GET", "/v1/experts").json["experts"]
    }
    for item, body in references(played, "red").items():
        names = [each["expert_id"] for each in played.essay(item)["assignments"]]
        metas = [each["meta"] for each in body["experts"]]
        assert [each["expert"] for each in metas] == [pseudonyms[name] for name in names]
        assert [each["third"] for each in metas] == [False, False, True][: len(metas)]
        assert {each["id"] for each in metas} == {item}
        text = json.dumps(body["experts"], ensure_ascii=False)
        assert not [name for name in names if f'"{name}"' in text]
        assert {each["text"] for each in body["experts"]} == {shipped(item)["text"]}


@pytest.mark.clause("R 7.10")
def test_r_7_10_a_final_is_not_scored_before_its_experts_are_done(played: Played) -> None:
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


def test_a_markup_that_ran_out_is_a_reference_and_one_that_was_taken_away_is_not(played: Played) -> None:
    played.mark_up(DIFFERENT, 1, 2, 3)
    (first, hers), (second, his) = played.expert_of(AGREED, 1), played.expert_of(AGREED, 2)
    first.open(hers)
    first.save(hers, 0, shipped(AGREED, 1))
    second.open(his)
    second.save(his, 0, {**shipped(AGREED, 2), "selections": []})
    played.olga.decide("reassign", second.name, his)
    played.run.stage.advance(3600 + 60)
    played.run.stage.tick()
    played.mark_up(AGREED, 3)
    played.mark()
    published(played)
    shown = references(played, "red")[AGREED]["experts"]
    assert [len(each["selections"]) for each in shown] == [len(shipped(AGREED, 1)["selections"])] * 2


def test_markups_taken_in_again_after_a_change_are_other_references(played: Played) -> None:
    """What the coordinator revives and the expert betters counts from the next marking on, under other hashes."""
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark_up(AGREED, 1)
    second, his = played.expert_of(AGREED, 2)
    second.open(his)
    second.save(his, 0, shipped(AGREED, 1))
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
