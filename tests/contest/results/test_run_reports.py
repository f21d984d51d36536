"""Reports of a run's sessions, their editions, the board of a final, and what waits for a score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.refusals import RefusedError
from contest.results import audit, boards, publishing, reporting, settling
from contest.results.reporting import Pending
from contest.results.rules.leaderboard import MOST_POINTS, Point
from contest.results.scoring import score_answer
from contest.run import watching
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Cause
from contest.session.rules.session import State
from tests.contest.run.played_runs import ABSENT, ANSWERED, SLOW, Played, load, planned
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle


def report(played: Played, team_id: str) -> Any:
    made = reporting.finished_report(played.platform, played.session(team_id))
    assert isinstance(made, bytes)
    return json.loads(made)


def finished(deeds: dict[int, dict[str, str]] | None = None, **order: Any) -> Played:
    return planned(**order).play(deeds).finish()


def rule(played: Played, number: int, cause: Cause) -> None:
    wish = Wish(Kind.RULE, "looked at the logs", (number,), "red", cause)
    watching.decide(played.platform, "anna", played.run_id, wish)


@pytest.mark.parametrize(("missed", "ready"), [(1, True), (2, False)])
def test_at_most_five_per_cent_annulled_is_ready(missed: int, ready: bool) -> None:
    deeds = {number: {"red": ABSENT} for number in range(1, missed + 1)}
    made = report(finished(deeds, files=30, mode=Mode.TECHNICAL), "red")
    assert made["readiness"]["ready"] is ready
    assert [each["code"] for each in made["readiness"]["reasons"]] == ([] if ready else ["too_many_voided"])
    assert all(each["message"] and each["message_ru"] for each in made["readiness"]["reasons"])
    assert made["solution"]["voided"] is not ready


def test_without_a_file_that_counts_there_is_no_share_no_annulment_and_no_readiness() -> None:
    played = finished(files=1)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.VOID, "unreadable", (1,)))
    made = report(played, "red")
    assert made["solution"] == {"voided_share": None, "allowed_share": 0.05, "voided": False}
    assert [each["code"] for each in made["readiness"]["reasons"]] == ["too_few_files", "no_files"]


def test_a_run_stopped_afterwards_shows_no_readiness_and_has_no_results() -> None:
    played = finished(files=30)
    assert report(played, "red")["readiness"]["ready"] is True
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "a mass failure, found later"))
    made = report(played, "red")
    assert [each["code"] for each in made["readiness"]["reasons"]] == ["run_stopped"]
    assert (made["session"]["state"], made["files"][0]["state"]) == ("finished", "answered")
    with pytest.raises(RefusedError):
        publishing.publish(played.platform, "anna", played.run_id)


def test_every_decision_that_concerns_a_team_makes_a_new_report_and_the_old_one_stays() -> None:
    played = finished({1: {"red": ABSENT}})
    for team_id in ("red", "blue"):
        report(played, team_id)
    rule(played, 1, Cause.PLATFORM)
    rule(played, 1, Cause.NETWORK)
    assert [each["number"] for each in report(played, "red")["amendments"]] == [1, 2]
    assert report(played, "blue")["amendments"] == []
    red, blue = played.sessions["red"], played.sessions["blue"]
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.UNDO, "a mistake", amendment=2))
    assert report(played, "red")["files"][0]["cause"] == "platform"
    stored = [name for each in (red, blue) for name in played.platform.blobs.names(f"reports/{each}/")]
    assert sorted(stored) == sorted(
        [f"reports/{blue}/1-0.json", f"reports/{red}/1-0.json", f"reports/{red}/1-2.json", f"reports/{red}/1-3.json"]
    )


def test_a_technical_report_tells_results_at_once_and_waits_for_the_scores() -> None:
    played = planned(mode=Mode.TECHNICAL).play()
    played.platform.store.outbox.clear()
    played.finish()
    waits = reporting.finished_report(played.platform, played.session("red"))
    assert isinstance(waits, Pending)
    assert len(waits.missing) == 4
    for job in waits.missing:
        score_answer(played.platform, job)
    assert report(played, "red")["result"]["relative_accuracy"] == 100.0
    assert report(played, "red")["sections"]


def test_annulled_files_leave_every_result_answered_or_not() -> None:
    played = planned(files=4)
    played.open(1, red="xxxx")
    for number in (2, 3, 4):
        played.open(number)
    played.finish()
    publishing.publish(played.platform, "anna", played.run_id)
    # one file of four with nothing right
    assert report(played, "red")["result"]["relative_accuracy"] == 75.0
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.VOID, "unreadable", (1,)))
    assert report(played, "red")["result"]["relative_accuracy"] == 100.0
    assert report(played, "red")["result"]["missed_as_zero"]["relative_accuracy"] == 100.0


def test_the_audit_rebuilds_a_runs_report_and_finds_a_changed_one() -> None:
    played = finished({1: {"red": ABSENT}})
    report(played, "red")
    found = audit.audit_session(played.platform, played.sessions["red"])
    # the report and the entry on the board
    assert (found.reports, found.differences, found.missing) == (2, (), ())
    rule(played, 1, Cause.PLATFORM)
    assert audit.audit_session(played.platform, played.sessions["red"]).missing == ()
    report(played, "red")
    played.platform.blobs.put(f"reports/{played.sessions['red']}/1-1.json", b"{}")
    assert audit.audit_session(played.platform, played.sessions["red"]).differences


# The board of a final


def places(played: Played) -> list[tuple[int, str]]:
    played.platform.clock.advance(10)
    return [(row.place, row.entry.team_id) for row in boards.final_board(played.platform, played.run_id).rows]


def answered(played: Played, **letters: str) -> Played:
    for number in range(1, 5):
        played.open(number, **letters)
    played.finish()
    return played


def test_the_stored_entries_are_those_of_a_replay_of_the_facts() -> None:
    played = answered(planned(), red="abxx", blue="abcx")
    publishing.publish(played.platform, "anna", played.run_id)
    places(played)
    stored = played.platform.blobs.get(boards.entries_name(played.run))
    assert boards.assemble_entries(played.platform, played.run) == stored
    assert [audit.audit_session(played.platform, each).reports for each in played.sessions.values()] == [1, 1, 1]
    assert audit.add_up(audit.audit_boards(played.platform)).differences == ()
    played.platform.blobs.put(boards.entries_name(played.run), stored.replace(b"50.0", b"51.0"))
    assert audit.add_up(audit.audit_boards(played.platform)).differences == (f"board {played.run_id}",)


def test_a_visit_of_the_timer_reads_the_teams_of_all_boards_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played = answered(planned(), red="abxx", blue="abcx")
    publishing.publish(played.platform, "anna", played.run_id)
    public_places = places(played)
    platform, team_ids, points = played.platform, list[list[str]](), dict[tuple[str, str], Point]()
    teams = platform.people.teams

    def add_point(_cycle: str, board: str, scope: str, _before: object, point: Point, _dropped: object) -> None:
        points[board, scope] = point

    monkeypatch.setattr(platform.people, "teams", lambda names: team_ids.append(sorted(names)) or teams(names))
    monkeypatch.setattr(platform.boards, "add_point", add_point, raising=False)
    assert publishing.note_all(platform, platform.clock.now()) == len(points) == 3
    assert team_ids == [["blue", "grey", "red"]]
    assert {board for board, _ in points} == {played.run_id}
    assert [(place.place, place.team_id) for place in points[played.run_id, "all"].places] == public_places
    reads: list[set[tuple[str, str]]] = []

    def latest_points(_cycle: str, parts: Collection[tuple[str, str]]) -> dict[tuple[str, str], Point]:
        reads.append({*parts})
        return points

    monkeypatch.setattr(platform.boards, "latest_points", latest_points)
    monkeypatch.setattr(platform.boards, "points", None)
    assert publishing.note_all(platform, platform.clock.now()) == 0
    assert len(reads) == 1, "where no place has changed the latest points alone are read, all at once"
    assert points.keys() <= reads[0]


def test_a_full_history_gives_up_the_point_nearest_to_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    played = answered(planned(), red="abxx", blue="abcx")
    publishing.publish(played.platform, "anna", played.run_id)
    earlier = {10 * number for number in range(MOST_POINTS + 1)} - {510, 1_010} | {1_001}
    latest_first, given_up = [Point(moment, ()) for moment in sorted(earlier, reverse=True)], []
    monkeypatch.setattr(played.platform.boards, "points", lambda *of: latest_first[: of[-1]])
    monkeypatch.setattr(played.platform.boards, "add_point", lambda *of: given_up.append(of[-1]), raising=False)
    played.platform.clock.advance(10)
    assert publishing.note_all(played.platform, played.platform.clock.now()) == 3
    assert given_up == [1_001] * 3


def test_missing_scores_are_put_to_work_before_anything_is_published() -> None:
    played = planned().play()
    played.platform.store.outbox.clear()
    played.finish()
    with pytest.raises(RefusedError) as refused:
        publishing.publish(played.platform, "anna", played.run_id)
    assert (refused.value.code, refused.value.details[0]["missing"]) == ("not_scored_yet", 12)
    played.score()
    publishing.publish(played.platform, "anna", played.run_id)
    assert len(places(played)) == 3


def refused(decision: Any, played: Played) -> str:
    with pytest.raises(RefusedError) as error:
        decision(played.platform, "anna", played.run_id)
    return error.value.code


def marked_later(played: Played, letters: str = "abcd") -> None:
    """Load the cycle again with the experts' work."""
    load(played.platform, 4, 6, marked=True, letters=letters)
    publishing.mark(played.platform, "anna", played.run_id)
    played.platform.clock.advance(3)
    assert refused(publishing.publish, played) == "not_scored_yet"
    played.score()


def test_nothing_is_published_before_the_experts_work_and_markups_of_another_text_are_not_taken() -> None:
    played = answered(planned(marked=False))
    assert report(played, "red")["result"] is None
    for decision in (publishing.publish, publishing.mark):
        assert refused(decision, played) == "not_marked_yet"
    cycle = toy_cycle(train=4, final=4, reserve=6)
    cycle["final/final-000.json"] = {**cycle["final/final-000.json"], "question": "another?"}
    load_cycle(played.platform, "tests", "toy-1", FolderInMemory(cycle), lambda _: None)
    assert refused(publishing.mark, played) == "another_content"
    assert refused(publishing.mark, planned()) == "run_not_over"


def test_a_final_is_scored_by_the_markups_that_come_after_it() -> None:
    played = planned(marked=False)
    played.open(1)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.REPLACE, "unreadable", (1,)))
    for number in range(2, 6):
        played.open(number, red="abxx")
    played.finish()
    marked_later(played)
    publishing.publish(played.platform, "anna", played.run_id)
    assert places(played) == [(1, "blue"), (1, "grey"), (3, "red")]
    assert report(played, "red")["result"]["relative_accuracy"] == 50.0
    assert report(played, "blue")["result"]["relative_accuracy"] == 100.0
    assert audit.audit_session(played.platform, played.sessions["red"]).differences == ()


def test_other_markups_make_other_results_and_the_earlier_ones_stay() -> None:
    played = answered(planned(marked=False))
    marked_later(played)
    publishing.publish(played.platform, "anna", played.run_id)
    assert report(played, "red")["result"]["relative_accuracy"] == 100.0
    assert refused(publishing.mark, played) == "results_published"
    publishing.hide(played.platform, "anna", played.run_id)
    marked_later(played, "abxx")
    publishing.publish(played.platform, "anna", played.run_id)
    assert report(played, "red")["result"]["relative_accuracy"] == 50.0
    assert places(played)
    kept = [name for name in played.platform.blobs.names(f"reports/{played.sessions['red']}/") if "results" in name]
    assert len(kept) == 2


def test_what_the_commission_watches_and_what_the_report_says_agree() -> None:
    played = finished({1: {"red": ABSENT}, 2: {"red": SLOW}})
    teams = {team.team_id: team for team in watching.watched_run(played.platform, played.run).teams}
    for team_id, view in teams.items():
        said = report(played, team_id)["solution"]
        assert (view.voided_share, view.solution_voided) == (said["voided_share"], said["voided"])


# What waits for a score


def test_sessions_say_how_many_answers_wait_and_since_when_and_are_enqueued_again_at_once() -> None:
    platform = FakePlatform()
    load_cycle(platform, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    assert list(reporting.sessions_waiting(platform)) == []
    assert (reporting.redrive(platform), platform.queue.jobs) == (0, [])
    played = planned(files=2)
    played.open(1)
    first = played.platform.clock.now()
    played.open(2)
    actual = list(reporting.sessions_waiting(played.platform))
    assert [(session.session_id, session.answers) for session in actual] == [
        (each, 2) for each in sorted(played.sessions.values())
    ]
    assert all(session.oldest <= first for session in actual)
    assert reporting.redrive(played.platform) == 6
    assert sorted({each.session_id for each in played.platform.queue.jobs}) == sorted(played.sessions.values())


def test_an_ended_session_waits_until_its_report_is_made() -> None:
    played = planned(files=2)
    played.open(1)
    session, now = played.session("red"), played.platform.clock.now()
    played.platform.sessions.close(session, session_rules.closed_session(session, State.ABORTED, now))
    assert session.session_id in {waiting.session_id for waiting in reporting.sessions_waiting(played.platform)}
    played.platform.sessions.mark_reported(session.session_id, 0)
    assert session.session_id not in {waiting.session_id for waiting in reporting.sessions_waiting(played.platform)}


FILES = 2
TEAMS = (3, 6, 12)


class Counted(dict[str, bytes]):
    """Objects by name that count their reads."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__(objects)
        self.read: Counter[str] = Counter()

    def __getitem__(self, name: str) -> bytes:
        content = super().__getitem__(name)
        self.read.update(objects=1, bytes=len(content))
        return content

    def get(self, name: str, _default: Any = None) -> Any:
        return self[name] if name in self else None  # noqa: SIM401 -- the reading is counted there


def read_by_settlement(teams: int) -> Counter[str]:
    """Count what record, board, recomputation, publication and archive of a final read."""
    played = planned(files=FILES, reserve=0)
    platform = played.platform
    played.join(*(f"team-{number}" for number in range(teams - len(played.sessions))))
    for number in range(1, FILES + 1):
        played.open(number, **dict.fromkeys(played.sessions, ANSWERED))
    platform.blobs.objects = counted = Counted(platform.blobs.objects)
    played.finish()
    publishing.publish(platform, "organizer", played.run_id)
    played.settle()
    assert settling.recomputation_state(platform, played.run).is_clean
    return counted.read


@pytest.mark.clause("platform §4 settlement")
def test_a_settlement_reads_in_proportion_to_the_teams() -> None:
    few, more, most = map(read_by_settlement, TEAMS)
    assert most["objects"] - more["objects"] == 2 * (more["objects"] - few["objects"]) > 0
    assert most["bytes"] - more["bytes"] < 2.05 * (more["bytes"] - few["bytes"])
