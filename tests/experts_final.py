"""A small final of two essays, played, and its experts: what tests of references and of ratings begin with."""

from __future__ import annotations

from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.refusals import RefusedError
from contest.results import publishing
from contest.run import planning
from contest.run.planning import RunOrder
from contest.values import MINUTE, SECOND
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Expert, essay_cycle, shipped
from tests.run_stage import RunOnStage
from tests.stage import Program, Stage

FINAL = (AGREED, DIFFERENT)
TEXTS = {shipped(item)["text"]: item for item in FINAL}


class EssayFinal(RunOnStage):
    """A final of two essays; a team answers with the first expert's markup, another one with an empty one."""

    def __init__(self, stage: Stage, **parameters: Any) -> None:
        self.stage = stage
        cycle = essay_cycle(["hist-04"], FINAL, **parameters)
        load_cycle(stage.platform, "tests", CYCLE, cycle, lambda _: None)
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

    def __init__(self, stage: Stage, **parameters: Any) -> None:
        self.run = EssayFinal(stage, **parameters)
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


def references(played: Played, team: str) -> dict[str, Any]:
    """Return the references that a team sees once the results are out, by essay."""
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
