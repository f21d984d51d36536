"""A final scored anew: side by side, accepted, recomputed independently, published again; or discarded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import reading, stored_names
from contest.people.rules import Role
from contest.refusals import RefusedError
from contest.results import boards, publishing, settling
from tests.contest.results.test_rescoring import Rescorer
from tests.contest.results.test_shadow import put
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Stage
from tests.stage_kept import played_once
from tests.toys import another_scorer

FILES = 3
BETTER = {number: {"blue": "abxx"} for number in range(1, FILES + 1)}
BONUS = {"red": 110.0, "blue": 60.0}
PLAIN = {"red": 100.0, "blue": 50.0}


class Final(Rescorer):
    """A final of two teams, played and settled, after which the parameters change: ten points for everybody."""

    def __init__(self, stage: Stage, *, publish: bool = True) -> None:
        self.stage = stage
        self.run = RunOnStage(stage, FILES, *BETTER[1], "red")
        self.subject = {"run_id": self.run.run_id}
        self.run.play(BETTER)
        self.run.finish()
        self.settle()
        if publish:
            publishing.publish(stage.platform, "olga", self.run.run_id)
        stage.load(with_bonus(10))
        stage.restart()
        self.before = self.run.run.parameters_version
        self.after = self.before + 1

    def settle(self) -> None:
        for _ in range(3):
            self.stage.tick(after=60)
            self.stage.score_all()

    def made(self, **said: Any) -> str:
        rescoring_id = self.begin(**said)
        assert self.stage.rescore(deliveries=2) == []
        return rescoring_id

    def places(self) -> dict[str, float]:
        self.stage.advance(11)
        board = self.run.board()
        assert board.status == 200, board.text
        return {each["team_id"]: each["result"]["relative_accuracy"] for each in board.json["rows"]}

    def accepted(self, **said: Any) -> str:
        rescoring_id = self.made(**said)
        assert self.decide(rescoring_id, "accept").json["state"] == "accepted"
        assert self.stage.rescore(deliveries=2) == []
        self.settle()
        return rescoring_id


def with_bonus(bonus: float) -> dict[str, Any]:
    files = run_cycle(FILES)
    files["cycle.json"]["parameters"]["bonus"] = bonus
    return files


@pytest.fixture
def final(stage: Stage) -> Final:
    return played_once(stage, Final)


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_a_final_is_scored_anew_beside_the_old_accepted_and_published_again(final: Final) -> None:
    platform, run_id = final.stage.platform, final.run.run_id
    stored = set(platform.blobs.names(stored_names.REPORTS))
    history = platform.boards.points("toy-1", run_id, "all")
    assert final.places() == PLAIN
    rescoring_id = final.begin(parameters_version=final.after)
    assert final.decide(rescoring_id, "accept").code == "rescoring_not_made"
    assert final.stage.rescore(deliveries=2) == []
    found = final.show(rescoring_id)
    assert (found["final"], found["refused"], found["made"], found["total"]) == (run_id, None, 2, 2)
    assert (found["applied"], found["parameters_version"]) == (0, final.after)
    figures = {each["team_id"]: each["metrics"]["relative_accuracy"] for each in found["sessions"]}
    assert {team: (each["old"], each["new"]) for team, each in figures.items()} == {
        team: (PLAIN[team], BONUS[team]) for team in PLAIN
    }
    whole, *parts = found["boards"]
    assert (whole["language"], {each["language"] for each in parts}) == ("all", {"eng", "rus"})
    assert [(each["team_id"], each["old"]["place"], each["new"]["place"]) for each in whole["rows"]] == [
        ("red", 1, 1),
        ("blue", 2, 2),
    ]
    assert final.places() == PLAIN
    assert final.decide(rescoring_id, "accept").json["state"] == "accepted"
    final.stage.advance(11)
    assert final.run.board().code == "results_not_published"
    assert final.stage.rescore(deliveries=2) == []
    final.settle()
    assert settling.shown(platform, run_id)["state"] == "ready"
    publishing.publish(platform, "olga", run_id)
    assert final.places() == BONUS
    final.settle()
    after = platform.boards.points("toy-1", run_id, "all")
    assert after[: len(history)] == history
    assert [each.value for each in after[-1].places] == [110.0, 60.0]
    report = final.run.report("red")
    assert report["rescored"] == {
        "rescoring_id": rescoring_id,
        "started_with": final.before,
        "parameters_version": final.after,
    }
    assert report["result"]["relative_accuracy"] == 110.0
    assert stored < set(platform.blobs.names(stored_names.REPORTS))
    assert final.show(rescoring_id)["boards"] == found["boards"]
    log = [each for each in platform.audit_log.on("2026-09-21") if each.what == "rescoring accepted"]
    assert [(each.subject, each.after["parameters_version"]) for each in log if each.after] == [(run_id, final.after)]


@pytest.mark.clause("platform §2 rescoring")
def test_a_final_keeps_its_version_unless_a_rescoring_is_accepted(final: Final) -> None:
    found = final.show(final.made())
    assert found["parameters_version"] == final.before
    assert {each["metrics"]["relative_accuracy"]["difference"] for each in found["sessions"]} == {0.0}
    before = final.run.run
    rescoring_id = final.made(parameters_version=final.after)
    assert final.decide(rescoring_id, "discard").json["state"] == "discarded"
    assert final.run.run == before
    assert final.places() == PLAIN
    assert final.decide(rescoring_id, "accept").code == "rescoring_decided"
    rescoring_id = final.made(parameters_version=final.after)
    other = final.made(parameters_version=final.after)
    assert final.decide(other, "accept").status == 200
    assert final.decide(rescoring_id, "accept").code == "rescoring_outdated"
    assert final.decide(rescoring_id, "discard").status == 200


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_markups_that_came_later_are_taken_in_and_change_places(stage: Stage) -> None:
    final = Final(stage)
    files = with_bonus(0)
    experts = {
        name: {"letters": "abxx"} for name in files if name.startswith("final/") and name.endswith("_exp01.json")
    }
    assert experts
    stage.load({**files, **experts})
    stage.restart()
    rescoring_id = final.made()
    (whole, *_) = final.show(rescoring_id)["boards"]
    assert [(each["team_id"], each["old"]["place"], each["new"]["place"]) for each in whole["rows"]] == [
        ("blue", 2, 1),
        ("red", 1, 2),
    ]
    assert final.decide(rescoring_id, "accept").status == 200
    assert stage.rescore(deliveries=2) == []
    final.settle()
    publishing.publish(stage.platform, "olga", final.run.run_id)
    assert final.places() == {"blue": 100.0, "red": 50.0}


@pytest.mark.clause("platform §2 rescoring", "platform §4 shadow")
def test_platform_2_an_accepted_rescoring_whose_score_was_altered_is_not_published(final: Final) -> None:
    """The recomputation goes by the version of the parameters that was accepted, from the stored bytes alone."""
    rescoring_id = final.made(parameters_version=final.after)
    run = final.run.run
    platform = final.stage.platform
    assert final.decide(rescoring_id, "accept").status == 200
    anew = reading.run_now(platform, run.run_id)
    (_, session_id), *_ = platform.runs.sessions_of(run.run_id)
    name = boards.entry_name(anew, session_id)
    part = json.loads(platform.blobs.get(name))
    for entry in part["entries"]:
        entry["result"]["relative_accuracy"] += 1
    put(name, json.dumps(part).encode())
    assert final.stage.rescore(deliveries=2) == []
    final.settle()
    assert settling.shown(platform, run.run_id)["state"] == "differences_found"
    with pytest.raises(RefusedError) as refused:
        publishing.publish(platform, "olga", run.run_id)
    assert refused.value.code == "results_differ"


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_nothing_is_published_before_every_session_goes_by_the_rescoring(final: Final) -> None:
    rescoring_id = final.made(parameters_version=final.after)
    assert final.decide(rescoring_id, "accept").status == 200
    assert final.stage.lose(final.stage.platform.settings.rescoring_queue_url) == 2
    final.settle()
    with pytest.raises(RefusedError) as refused:
        publishing.publish(final.stage.platform, "olga", final.run.run_id)
    assert (refused.value.code, refused.value.details[0]["applied"]) == ("rescoring_not_applied", 0)
    final.ask("POST", f"/{rescoring_id}/resume")
    assert final.stage.rescore(deliveries=2) == []
    final.settle()
    publishing.publish(final.stage.platform, "olga", final.run.run_id)
    assert final.places() == BONUS


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_the_way_back_is_another_rescoring_by_the_version_before(final: Final) -> None:
    final.accepted(parameters_version=final.after)
    rescoring_id = final.accepted(parameters_version=final.before)
    publishing.publish(final.stage.platform, "olga", final.run.run_id)
    assert final.places() == PLAIN
    assert final.run.report("red")["rescored"] == {
        "rescoring_id": rescoring_id,
        "started_with": final.before,
        "parameters_version": final.before,
    }


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_markups_that_cannot_be_taken_in_are_told_and_nothing_is_scored(final: Final) -> None:
    files = with_bonus(10)
    bare = {name: body for name, body in files.items() if not (name.startswith("final/") and "_exp" in name)}
    final.stage.load(bare)
    final.stage.restart()
    rescoring_id = final.made(parameters_version=final.after)
    found = final.show(rescoring_id)
    assert (found["made"], found["refused"]["code"]) == (0, "not_marked_yet")
    assert found["refused"]["message_ru"]
    assert final.decide(rescoring_id, "accept").code == "not_marked_yet"
    assert final.decide(rescoring_id, "discard").status == 200


def test_a_part_of_a_final_is_refused(final: Final) -> None:
    for more in ({"team_id": "red"}, {"set": "final"}, {"since": "2026-09-21"}):
        begun = final.ask("POST", body={"run_id": final.run.run_id, "reason": "why", **more})
        assert begun.refusal == (409, "final_is_whole")


def test_a_final_without_a_board_is_refused(stage: Stage) -> None:
    run = RunOnStage(stage, FILES, "red").play()
    refused = stage.request(
        "POST", "/v1/rescorings", {"run_id": run.run_id, "reason": "why"}, stage.person(Role.ORGANIZER)
    )
    assert refused.code == "run_not_over"


@pytest.mark.clause("platform §2 rescoring", "platform §4 shadow")
def test_a_final_is_scored_anew_by_another_scorer(final: Final, monkeypatch: pytest.MonkeyPatch) -> None:
    another_scorer(monkeypatch)
    final.accepted()
    publishing.publish(final.stage.platform, "olga", final.run.run_id)
    assert final.places() == {"red": 107.0, "blue": 57.0}
