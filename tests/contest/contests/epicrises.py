"""Runs of the diagnosis contest with teams of programs, over HTTP, and what the library makes of the same turns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest import reading
from contest.people.rules import Role
from contest.results import publishing
from contest.run.rules.run import Run
from contest.values import canonical
from tests.contest.contests.played import Contest
from tests.stage import Program, Stage
from tracks.protocol import ItemFacts, Outcome

STUDY = {"study": "A06.09"}
STUDIES = [
    {"service": "A06.09.007", "xml": "<study><text>Рентгенография</text></study>"},
    {"service": "B03.016.003", "xml": "<study><text>Гемоглобин 140</text></study>"},
]


def diagnosis(code: str, decor: str = "diagnosisMain") -> list[dict[str, str]]:
    return [{"decorCode": decor, "code": code}]


def folder(contest: Contest, *sets: str) -> dict[str, Any]:
    """Return sets of the sample, a final and a reserve one without their names; all texts differ, and epicrises of the
    final have studies."""
    files: dict[str, Any] = {}
    for name, value in contest.folder(*(sets or ("final", "reserve"))).items():
        own = name.replace("reserve/", "reserve/R").replace("train/", "train/T").replace("test/", "test/V")
        files[own] = value
        if isinstance(value, dict) and "versions" in value:
            texts = {each: f"<epicrisis><text>{own} {each}</text></epicrisis>" for each in value["versions"]}
            studies = {"studies": STUDIES} if "v3F" in texts else {}
            files[own] = {**value, "id": Path(own).stem, "versions": texts, **studies}
    return files


@dataclass
class Trial:
    """A run of a stage of the contest with some teams."""

    stage: Stage
    contest: Contest
    run: Run
    programs: Mapping[str, Program]

    @classmethod
    def of(
        cls, stage: Stage, name: str, teams: Sequence[str], cycle: Mapping[str, Any] | None = None, **more: Any
    ) -> Trial:
        """Load a contest's sample, or a cycle made of it, plan a run and let the teams' programs join it."""
        contest = Contest.named(name)
        stage.load(cycle or folder(contest))
        run = stage.plan(in_s=600, interval_s=None, **more)
        programs = {team: Program(stage, stage.team(team)) for team in teams}
        stage.advance(590)
        for program in programs.values():
            assert program.join().status == 201
        return cls(stage, contest, run, programs)

    @property
    def files(self) -> Sequence[Any]:
        return reading.run_plan(self.stage.platform, reading.schedule(self.stage.platform, self.run.run_id))

    def at(self, number: int, after_ms: int = 0) -> None:
        """Set the clock to so long after a file's opening."""
        opens_at = reading.schedule_now(self.stage.platform, self.run.run_id).opens_at(number)
        self.stage.set_clock(opens_at + after_ms)

    def end(self) -> None:
        self.stage.pass_minutes(8)

    def right(self, number: int) -> str:
        """Return the code of the patient behind a file."""
        entry = self.contest.entries[self.files[number - 1].item_id.removeprefix("R")]
        body = json.loads(entry.good[-1])
        found: str = body[0]["code"]
        return found

    def aggregate(self, turns: Mapping[str, Any]) -> Any:
        """Aggregate these turns by the library, by the opaque names of epicrises; None: missed."""
        track, rules = self.contest.sample.made(), self.contest.sample.completed()
        outcomes = []
        known = {each.file_id: each for each in self.files}
        for file_id, (told, answered) in turns.items():
            file = known[file_id]
            entry = self.contest.entries[file.item_id.removeprefix("R")]
            set_name = "reserve" if file.item_id.startswith("R") else "final"
            item = folder(self.contest)[f"{set_name}/{file.item_id}.json"]
            score = track.score(item, told or None, entry.references, rules)
            outcomes.append(Outcome(ItemFacts(file_id, file.language, file.group), answered, score))
        made = track.aggregate(outcomes, rules, 1)
        return json.loads(canonical(track.totals(made, outcomes)))

    def published(self) -> Mapping[str, Any]:
        """Return the board's rows by team, after a clean recomputation."""
        token = self.stage.person(Role.COMMISSION)
        found = self.stage.request("GET", f"/v1/conduct/runs/{self.run.run_id}/shadow", token=token)
        assert found.status == 200, found.text
        assert (found.json["state"], found.json["differences"]) == ("clean", [])
        said = {"reason": "revised by the commission"}
        made = self.stage.request("POST", f"/v1/conduct/runs/{self.run.run_id}/protocols/commission", said, token)
        assert (made.status, made.json["confirmed"]) == (200, True), made.text
        publishing.publish(self.stage.platform, "olga", self.run.run_id)
        board = self.stage.request("GET", "/v1/boards/criterion?of=final")
        return {row["team_id"]: row for row in board.json["rows"]}


def in_hand(stage: Stage, name: str, **more: Any) -> tuple[Trial, Program]:
    """Begin a run of one team, whose program has the first file in hand."""
    trial = Trial.of(stage, name, ("red",), **more)
    trial.at(1)
    assert trial.programs["red"].get("files/1").status == 200
    return trial, trial.programs["red"]


def turn(step: str, answer: Any, kind: str = "diagnosis", after_ms: int = 0) -> dict[str, Any]:
    return {"step": step, "kind": kind, "answer": answer, "after_ms": after_ms}
