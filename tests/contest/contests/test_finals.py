"""Finals in which a missed item is wrong: settled, recomputed independently, published (T5, T8, T9, T10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Role
from contest.results import publishing, reporting
from contest.results.rules import leaderboard, reports
from contest.run.rules.run import Run
from contest.values import canonical
from tests.contest.contests.epicrises import Trial, diagnosis
from tests.contest.contests.played import GOOD, MISSED, POOR, Contest, plant
from tests.documented import conforms
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting

pytestmark = pytest.mark.integration
FATES: Mapping[str, Mapping[int, str]] = {
    "red": {},
    "blue": {1: POOR, 2: MISSED, 3: MISSED},
    "grey": dict.fromkeys(range(2, 9), MISSED),
}


class Final:
    """A final of a contest with three teams; its first eight files make the difference."""

    def __init__(self, stage: Stage, name: str) -> None:
        self.stage, self.contest = stage, Contest.named(name)
        stage.load(self.contest.folder("final"))
        self.run: Run = stage.plan(in_s=600, interval_s=30)
        self.programs = {team: Program(stage, stage.team(team)) for team in FATES}

    def play(self) -> None:
        """Play and score the final, from joining to the last deadline."""
        self.hand_in()
        self.score()

    def hand_in(self) -> None:
        """Play the final from joining to the last answer."""
        self.stage.advance(590)
        for program in self.programs.values():
            assert program.join().status == 201
        items = [each.item_id for each in run_files(self.stage, self.run)]
        for number, item in enumerate(items, start=1):
            self.stage.set_clock(self.run.starts_at + (number - 1) * self.run.interval)
            for team, program in self.programs.items():
                handed = program.get(f"files/{number}")
                assert handed.status == 200
                if number == 1:
                    conforms(handed, "get", "/v1/sessions/{session_id}/files/{number}")
                fate = FATES[team].get(number, GOOD)
                if fate != MISSED:
                    (body,) = getattr(self.contest.entries[item], fate)
                    assert program.answer(number, body).status == 200

    def score(self) -> None:
        """Let the time pass from the last answer to the last deadline, with scoring."""
        self.stage.pass_minutes(6)

    def shadow(self) -> Any:
        """Return the findings of the independent recomputation."""
        found = self.ask(f"/v1/conduct/runs/{self.run.run_id}/shadow", Role.COMMISSION)
        assert found.status == 200, found.text
        return found.json

    def ask(self, path: str, role: Role | None = None) -> Answered:
        token = self.stage.person(role) if role else None
        return self.stage.request("GET", path, token=token)

    def result(self, team: str) -> Any:
        """Compute the library's result of the team's answers."""
        program = self.programs[team]
        made = self.contest.of_plan(program, run_files(self.stage, self.run), FATES[team])
        return json.loads(canonical(made))


def run_files(stage: Stage, run: Run) -> Any:
    return reading.run_files(stage.platform, run.run_id)


STAGE = Setting("contest-1")


@pytest.mark.slow
@pytest.mark.clause("TS T5", "TS T9", "TS T10", "TS T11", "TS G-3", "platform §1 policies")
@pytest.mark.parametrize("name", [pytest.param("exam", marks=pytest.mark.long), "gec", "custom"])
def test_a_final_with_missed_files_is_recomputed_and_published(stage: Stage, name: str) -> None:
    final = Final(stage, name)
    final.play()
    found = final.shadow()
    assert (found["state"], found["differences"]) == ("clean", [])
    publishing.publish(stage.platform, "olga", final.run.run_id)
    for board in final.contest.sample.made().boards():
        answered = final.ask(f"/v1/boards/{board.key}?of=final")
        conforms(answered, "get", "/v1/boards/{key}")
        shown = answered.json
        assert shown["board"]["key"] == board.key
        rows = {row["team_id"]: row for row in shown["rows"]}
        assert set(rows) == {"red", "blue", "grey"}
        for team, row in rows.items():
            assert row["result"] == final.result(team)
            assert row["value"] == final.contest.sample.made().value(row["result"], board.key)
        if rows["red"]["value"] is not None:
            assert rows["red"]["value"] > rows["blue"]["value"] > rows["grey"]["value"]
    told = final.programs["grey"].get("report")
    conforms(told, "get", "/v1/sessions/{session_id}/report")
    report = told.json
    assert report["result"] == final.result("grey")
    assert (report["readiness"], report["counts"]["voided"]) == (None, 7)
    assert "files" not in {each["key"] for each in report["sections"]}
    assert final.programs["red"].get("files/1/score").refusal == (403, "totals_only")


def planned_times(stage: Stage) -> tuple[Any, ...]:
    """Return the published times of a final of which an organizer states only the start."""
    run = stage.plan(in_s=600, interval_s=None)
    told = stage.request("GET", f"/v1/runs/{run.run_id}").json
    times = (told["interval_s"], *(told["limits"][each] for each in ("request_s", "answer_s", "total_s")))
    return (*times, run.limits.join / 1000, run.late_join.value, run.most_replaced)


@pytest.mark.clause("TS T8")
@pytest.mark.parametrize(
    ("name", "usual"),
    [
        ("essay", (60, 10, 50, 60, 120, "refused", 100)),
        ("exam", (30, 10, 50, 60, 120, "refused", 100)),
        ("gec", (30, 10, 50, 60, 120, "refused", 100)),
        ("custom", (30, 10, 50, 60, 120, "refused", 100)),
        ("diagnosis-semifinal", (30, 30, 30, 30, 0, "by_decision", 100)),
        ("diagnosis-final", (60, 60, 60, 60, 0, "by_decision", 100)),
    ],
)
def test_t8_a_runs_times_are_the_contests_or_the_cycles(stage: Stage, name: str, usual: tuple[Any, ...]) -> None:
    files = Contest.named(name).folder("final")
    stage.load(files)
    assert planned_times(stage) == usual
    said = {"interval_s": 45, "request_s": 7, "answer_s": 41, "total_s": 53, "join_s": 77, "late_join": "refused"}
    own = {**said, "most_replaced": 9} | ({"late_join": "by_decision"} if usual[5] == "refused" else {})
    files["cycle.json"]["parameters"]["final"] = own
    stage.load(files)
    stage.advance(60)
    limits = usual[:4] if name == "diagnosis-final" else tuple(own.values())[:4]
    assert planned_times(stage) == (*limits, *tuple(own.values())[4:]), "but for a step that has a limit of its own"


@pytest.mark.clause("TS T8")
def test_t8_where_no_time_to_ask_is_told_a_file_may_be_asked_for_as_long_as_it_may_be_answered(stage: Stage) -> None:
    trial = Trial.of(stage, "diagnosis-semifinal", ("red", "blue"))
    trial.at(1, 30_000)
    assert trial.programs["red"].get("files/1").status == 200
    assert trial.programs["red"].answer(1, diagnosis("J44")).json["receipt"]["status"] == "accepted"
    trial.at(1, 30_001)
    assert trial.programs["blue"].get("files/1").status != 200


def full_marks(score: Any, facts: Any, _: Any) -> Any:
    """Give a missed item the best record of an answered one."""
    best = max(facts.scores.values(), key=lambda each: each["score"])
    return score if score.answered else type(score)(score.item, False, best)


def whole(_: Any, parameters: Any, facts: Any, fates: Any, track: Any) -> Any:
    """Return the whole aggregate, variant by variant, for a board."""
    return track.aggregate(fates, parameters.track, parameters.bootstrap_seed)


BUGS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "missed_are_left_out": (reports, "run_outcomes", lambda items, _: tuple(item for item in items if item.answered)),
    "missed_have_no_record": (
        reporting,
        "called_for",
        lambda jobs, *_: tuple(job for job in jobs if job.content_sha256 != "missed"),
    ),
    "missed_are_full_marks": (reports, "outcome", full_marks),
    "files_are_told": (leaderboard, "_result", whole),
}
"""Bugs by their names: the function that has one, and what it makes of the function's result."""


@pytest.mark.slow
@pytest.mark.clause("TS T5")
@pytest.mark.parametrize(
    ("bug", "name"),
    [
        ("missed_are_left_out", "gec"),
        ("missed_have_no_record", "gec"),
        *(pytest.param(bug, "exam", marks=pytest.mark.long) for bug in BUGS),
    ],
)
def test_t5_a_platform_that_breaks_the_rule_of_missed_files_is_found_and_publishes_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, bug: str, name: str
) -> None:
    plant(monkeypatch, *BUGS[bug])
    final = Final(stage, name)
    final.play()
    found = final.shadow()
    assert found["state"] == "different"
    assert {"blue", "grey"} & {each["team_id"] for each in found["differences"]}
