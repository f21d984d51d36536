"""Rescoring of sessions and of finals: from the request to the decision, and what reports and boards go by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import reading, stored_names
from contest.people import teams
from contest.people.rules import Decision, Role, TeamStatus
from contest.refusals import RefusedError
from contest.results import boards, commission, publishing, settling
from contest.results.rules.qualification import Annulled
from contest.values import utc_day
from tests.contest.results.test_shadow import put
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Answered, Program, Stage
from tests.stage_kept import played_once
from tests.toys import another_scorer, toy_cycle

BETTER = {"red": "abcd", "blue": "abxx"}


class Rescorer:
    """Organizers who order rescorings of ``subject``, named as in a request."""

    stage: Stage
    subject: dict[str, str]

    def ask(self, method: str, path: str = "", body: Any = None, role: Role = Role.ORGANIZER) -> Answered:
        self.stage.advance(1)
        return self.stage.request(method, f"/v1/rescorings{path}", body, self.stage.person(role))

    def begin(self, **said: Any) -> str:
        return str(
            self.ask("POST", body=self.subject | {"reason": "a code was missing", **said}).body(201)["rescoring_id"]
        )

    def show(self, rescoring_id: str) -> Any:
        return self.ask("GET", f"/{rescoring_id}", role=Role.COMMISSION).body()

    def decide(self, rescoring_id: str, what: str) -> Answered:
        return self.ask("POST", f"/{rescoring_id}/{what}", {"reason": "announced a week ahead"})


class Played(Rescorer):
    """Two teams' closed and scored sessions on the test set, whose parameters then change: ten points for everybody."""

    def __init__(self, stage: Stage, **parameters: Any) -> None:
        self.stage, self.subject = stage, {"set": "test"}
        self.programs: dict[str, Program] = {}
        for team, letters in BETTER.items():
            self.programs[team] = Program(stage, stage.team(team))
            self.programs[team].open(set="test")
            self.programs[team].play(letters)
            stage.report_all()
        stage.load(toy_cycle(**({"bonus": 10} | parameters)))
        stage.restart()

    def places(self) -> list[tuple[int, str, float]]:
        self.stage.advance(11)
        rows = self.stage.request("GET", "/v1/leaderboards/qualification").json["rows"]
        return [(each["place"], each["team_id"], each["result"]["relative_accuracy"]) for each in rows]

    def report(self, team: str) -> Any:
        self.stage.advance(1)
        return self.programs[team].get("report").json


@pytest.fixture
def played(stage: Stage) -> Played:
    return played_once(stage, Played)


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_sessions_are_scored_anew_beside_the_old_compared_and_accepted(played: Played) -> None:
    before = {team: played.report(team) for team in BETTER}
    stored = set(played.stage.platform.blobs.names(stored_names.REPORTS))
    rescoring_id = played.begin()
    assert (played.show(rescoring_id)["made"], played.show(rescoring_id)["total"]) == (0, 2)
    assert played.decide(rescoring_id, "accept").code == "rescoring_not_made"
    assert played.stage.rescore(deliveries=2) == []
    found = played.show(rescoring_id)
    assert (found["state"], found["made"], found["applied"]) == ("open", 2, 0)
    figures = {each["team_id"]: each["metrics"]["relative_accuracy"] for each in found["sessions"]}
    assert figures == {
        "red": {"old": 100.0, "new": 110.0, "difference": 10.0},
        "blue": {"old": 50.0, "new": 60.0, "difference": 10.0},
    }
    assert {(each["old"]["parameters_version"], each["new"]["parameters_version"]) for each in found["sessions"]} == {
        (1, 2)
    }
    assert [each["language"] for each in found["boards"]] == ["all", "eng", "rus"]
    assert found["boards"][0]["rows"] == [
        {"team_id": team, "old": {"place": place, "value": old}, "new": {"place": place, **new}}
        for team, place, old, new in (
            ("red", 1, 100.0, {"value": 110.0}),
            ("blue", 2, 50.0, {"value": 60.0}),
        )
    ]
    assert played.places() == [(1, "red", 100.0), (2, "blue", 50.0)]
    assert {team: played.report(team) for team in BETTER} == before
    assert played.decide(rescoring_id, "accept").json["state"] == "accepted"
    assert played.stage.rescore(deliveries=2) == []
    assert played.places() == [(1, "red", 110.0), (2, "blue", 60.0)]
    assert {team: played.report(team)["result"]["relative_accuracy"] for team in BETTER} == {"red": 110.0, "blue": 60.0}
    after = played.show(rescoring_id)
    assert (after["state"], after["applied"], after["boards"]) == ("accepted", 2, found["boards"])
    assert stored < set(played.stage.platform.blobs.names(stored_names.REPORTS))
    played.stage.advance(60)
    assert played.stage.audit()["differences"] == ()


@pytest.mark.clause("platform §2 rescoring", "D 6.10", "R 2.13", "R 11.7")
def test_a_rescoring_compares_the_places_of_the_board(played: Played) -> None:
    """An annulled result and a suspended team have none, and a baseline takes none."""
    platform, rescoring_id = played.stage.platform, played.begin()
    assert played.stage.rescore() == []

    def places() -> dict[str, int | None]:
        rows = played.show(rescoring_id)["boards"][0]["rows"]
        return {row["team_id"]: row["new"]["place"] for row in rows}

    teams.decide_on_team(platform, "tests", "red", Decision("the organizers' own", baseline=True))
    assert places() == {"red": None, "blue": 1}
    annulment = (Annulled.RESULT, "red", "qualification")
    commission.decide_annulment(platform, "tests", annulment, "copied answers", annulled=True)
    assert places() == {"blue": 1}
    teams.decide_on_team(platform, "tests", "blue", Decision("asked for it", TeamStatus.SUSPENDED))
    assert places() == {}


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_a_discarded_rescoring_changes_nothing_and_is_kept(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {team: played.report(team) for team in BETTER}
    rescoring_id = played.begin(parameters_version=2)
    played.stage.rescore()
    assert played.decide(rescoring_id, "discard").json["state"] == "discarded"
    assert played.decide(rescoring_id, "accept").code == "rescoring_decided"
    assert played.ask("POST", f"/{rescoring_id}/resume").json["state"] == "discarded"
    assert played.stage.rescore() == []
    assert played.places() == [(1, "red", 100.0), (2, "blue", 50.0)]
    assert {team: played.report(team) for team in BETTER} == before
    assert played.show(rescoring_id)["made"] == 2
    assert listed_without_parts(played, monkeypatch) == [2]
    day = utc_day(played.stage.now)
    log = [each for each in played.stage.platform.audit_log.on(day) if each.subject == rescoring_id]
    assert [(each.what, each.who) for each in log] == [
        ("rescoring begun", "person:person-organizer"),
        ("rescoring discarded", "person:person-organizer"),
    ]
    assert log[1].after == {"state": "discarded", "reason": "announced a week ahead"}


def listed_without_parts(played: Played, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how much of each rescoring the list says is made; no part is read for it."""
    blobs = played.stage.platform.blobs
    names, get = list[str](), blobs.get
    with monkeypatch.context() as watched:
        watched.setattr(blobs, "get", lambda name: names.append(name) or get(name))
        rescorings = played.ask("GET").json["rescorings"]
    assert not [name for name in names if name.startswith(stored_names.RESCORED)]
    return [rescoring["made"] for rescoring in rescorings]


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_markups_that_came_later_are_taken_in(stage: Stage) -> None:
    """The experts say another thing now; the parameters are as they were."""
    played = Played(stage, bonus=0)
    files = toy_cycle()
    experts = {name: {"letters": "abxx"} for name in files if name.startswith("test/") and name.endswith("_exp01.json")}
    stage.load({**files, **experts})
    stage.restart()
    rescoring_id = played.begin()
    assert stage.rescore() == []
    (board, *_) = played.show(rescoring_id)["boards"]
    assert [(each["team_id"], each["old"]["place"], each["new"]["place"]) for each in board["rows"]] == [
        ("blue", 2, 1),
        ("red", 1, 2),
    ]
    assert played.decide(rescoring_id, "accept").status == 200
    assert stage.rescore() == []
    assert played.places() == [(1, "blue", 100.0), (2, "red", 50.0)]


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_of_a_teams_sessions_the_best_one_under_the_rescoring_stands(stage: Stage) -> None:
    """A better session that was not selected keeps the team's place."""
    played = Played(stage)
    second = played.programs["blue"]
    first = second.session_id
    second.open(set="test")
    second.play("abcx")
    stage.report_all()
    rescoring_id = played.begin(sessions=[first])
    assert stage.rescore() == []
    assert played.show(rescoring_id)["boards"] == []
    assert played.decide(rescoring_id, "accept").status == 200
    assert stage.rescore() == []
    assert ("blue", 85.0) in {(team, value) for _, team, value in played.places()}


def test_what_is_said_selects_sessions_and_what_there_is_not_is_refused(played: Played) -> None:
    """A session is rescored if all conditions of the request apply to it."""
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"team_id": "red"}, ["red"]),
        ({"mode": "algorithmic"}, ["blue", "red"]),
        ({"since": "2026-09-21", "until": "2026-09-21"}, ["blue", "red"]),
        ({"since": "2026-09-22"}, []),
        ({"mode": "technical"}, []),
        ({"set": "train"}, []),
        ({"sessions": ["100000000000000"]}, []),
    ]
    for result, selected in cases:
        begun = played.ask("POST", body={"reason": "why", **result})
        assert begun.status == (201 if selected else 409), begun.text
        if selected:
            played.stage.rescore()
            answer = played.show(begun.json["rescoring_id"])
            assert sorted(session["team_id"] for session in answer["sessions"]) == selected
            listed = played.ask("GET").json["rescorings"]
            assert answer["selection"] in [rescoring["selection"] for rescoring in listed]
        else:
            assert begun.code == "nothing_selected"
    assert played.ask("POST", body={"reason": "why", "parameters_version": 3}).code == "unknown_parameters"
    assert played.ask("GET", "/" + "a" * 20).code == "unknown_rescoring"
    assert played.decide("a" * 20, "accept").code == "unknown_rescoring"


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_nothing_is_scored_anew_in_the_middle_of_a_run(stage: Stage) -> None:
    run = RunOnStage(stage, 1, "red")
    run.at(run.schedule.opens_at(1))
    refused = stage.request("POST", "/v1/rescorings", {"reason": "why"}, stage.person(Role.ORGANIZER))
    assert refused.refusal == (409, "runs_open")


def test_lost_messages_and_dead_workers_go_on(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    rescoring_id = played.begin()
    assert played.stage.lose(played.stage.platform.settings.rescoring_queue_url) == 2
    played.ask("POST", f"/{rescoring_id}/resume")
    assert played.stage.rescore() == []
    played.decide(rescoring_id, "accept")
    really, died = played.stage.platform.blobs.put_if_absent, []

    def dies(name: str, content: bytes) -> None:
        if name.startswith(stored_names.RESCORED) and not died:
            died.append(name)
            raise OSError("the process dies before this write")
        really(name, content)

    monkeypatch.setattr(played.stage.platform.blobs, "put_if_absent", dies)
    assert len(played.stage.rescore()) == 1
    assert played.show(rescoring_id)["applied"] == 1
    played.ask("POST", f"/{rescoring_id}/resume")
    assert played.stage.rescore() == []
    assert played.show(rescoring_id)["applied"] == 2
    assert played.places() == [(1, "red", 110.0), (2, "blue", 60.0)]


@pytest.mark.clause("platform §2 rescoring")
def test_platform_2_old_scores_are_kept_and_a_rescoring_is_outdated_once_another_is_accepted(played: Played) -> None:
    session_id = played.programs["red"].session_id
    before = dict(played.stage.platform.scores.of_session(session_id))
    played.begin()
    played.stage.rescore()
    after = played.stage.platform.scores.of_session(session_id)
    assert before.items() < after.items()
    assert len(after) == 2 * len(before)
    session = reading.session(played.stage.platform, session_id)
    assert session is not None
    assert session.rescored == ""
    assert {json.loads(each)["points"] for each in after.values()} == {100.0, 110.0}
    one, other = played.begin(), played.begin()
    assert played.stage.rescore() == []
    assert played.decide(one, "accept").status == 200
    assert played.stage.rescore() == []
    assert played.decide(other, "accept").code == "rescoring_outdated"
    assert played.decide(other, "discard").status == 200


@pytest.mark.clause("platform §2 rescoring")
def test_old_figures_are_the_stored_reports(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(stage, bonus=0)
    another_scorer(monkeypatch)
    rescoring_id = played.begin()
    assert stage.rescore(deliveries=2) == []
    figures = {each["team_id"]: each["metrics"]["relative_accuracy"] for each in played.show(rescoring_id)["sessions"]}
    assert {team: (each["old"], each["new"]) for team, each in figures.items()} == {
        "red": (100.0, 107.0),
        "blue": (50.0, 57.0),
    }


FILES = 3
BETTER_FILES = {number: {"blue": "abxx"} for number in range(1, FILES + 1)}
BONUS = {"red": 110.0, "blue": 60.0}
PLAIN = {"red": 100.0, "blue": 50.0}


class Final(Rescorer):
    """A final of two teams, played and settled, after which the parameters change: ten points for everybody."""

    def __init__(self, stage: Stage, *, publish: bool = True) -> None:
        self.stage = stage
        self.run = RunOnStage(stage, FILES, *BETTER_FILES[1], "red")
        self.subject = {"run_id": self.run.run_id}
        self.run.play(BETTER_FILES)
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
        return {row["team_id"]: row["result"]["relative_accuracy"] for row in self.run.board().body()["rows"]}

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
    history = platform.boards.points("toy-1", run_id, "all", 9)
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
    assert settling.settling_view(platform, run_id)["state"] == "ready"
    publishing.publish(platform, "olga", run_id)
    assert final.places() == BONUS
    final.settle()
    after = platform.boards.points("toy-1", run_id, "all", 9)
    assert after[len(after) - len(history) :] == history
    assert [each.value for each in after[0].places] == [110.0, 60.0]
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
    assert settling.settling_view(platform, run.run_id)["state"] == "differences_found"
    with pytest.raises(RefusedError, match="results_differ: "):
        publishing.publish(platform, "olga", run.run_id)


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
