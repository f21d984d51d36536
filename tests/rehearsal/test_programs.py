"""The contest of programs is rehearsed: green with all faults, and red where an answer or a result is another."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rehearsal.contests import KINDS, kind_named
from rehearsal.final import Outcome
from rehearsal.harm.planting import Rehearsal
from rehearsal.history import Call, Story
from rehearsal.play.cycles import Cycle
from rehearsal.play.injections import Fault
from rehearsal.play.programs import UNSCORED, WHOLE, Programs, Way
from rehearsal.proof.case import Check
from rehearsal.proof.checker import PROOFS, check
from rehearsal.proof.oracle import PROGRAMS
from tests.rehearsal.playing import play, red


@pytest.fixture(scope="module")
def played() -> Outcome:
    return play(Rehearsal("", "all", 2, 5, PROGRAMS))


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.clause("TS T18", "TS F-5", "TS F-7", "TS F-9")
def test_a_small_contest_with_all_faults_is_green(played: Outcome) -> None:
    assert red(played) == {}
    assert [each.name for each in played.checks] == list(PROOFS[PROGRAMS].checks)
    injected = {each["what"] for each in played.story.injected}
    assert {"machine_lost", "run_for_real"} <= injected


def spoiled(story: Story, what: str, change: dict[str, object]) -> dict[str, Check]:
    """Return the checks of a history in which some calls have other answers."""

    def other(call: Call) -> Call:
        return (
            replace(call, **change) if call.what == f"submit_{what}" and call.status in {200, 403, 404, 409} else call
        )  # type: ignore[arg-type]

    return {each.name: each for each in check(replace(story, calls=tuple(map(other, story.calls))))}


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.parametrize(
    ("what", "change", "name"),
    [
        ("private", {"status": 409}, "private_kept"),
        ("pry", {"status": 200}, "private_kept"),
        ("name_late", {"status": 200}, "private_kept"),
        ("archive", {"status": 200}, "archive_kept"),
        ("logs", {"said": {"stdout": "program-mark-7-7.1-1\n", "stderr": ""}}, "prints_of_its_own"),
        ("complete", {"status": 429, "code": "submissions_exhausted"}, "counted_by_day"),
    ],
)
def test_another_answer_than_the_rules_give_turns_it_red(
    played: Outcome, what: str, change: dict[str, object], name: str
) -> None:
    assert not spoiled(played.story, what, change)[name].passed


@pytest.mark.long
@pytest.mark.integration
def test_another_number_board_or_prize_turns_it_red(played: Outcome) -> None:
    story = played.story
    answers = json.loads(json.dumps(story.facts.answers))
    answers["board/s"]["rows"][0]["value"] += 0.001
    answers["private"]["places"][0]["place"] = 7
    answers["private"]["awards"].append({"team_id": "team-002", "board": "c2c", "place": 1, "roubles": 1.0})
    objects = dict(story.facts.objects)
    reports = sorted(each for each in objects if each.startswith("submissions/reports/") and "-" not in each)
    name = next(each for each in reports if json.loads(objects[each][1] or "{}")["result"])
    sha256, text = objects[name]
    report = json.loads(text or "")
    report["result"]["subtasks"]["vqa"]["score"] = 0.123
    objects[name] = (sha256, json.dumps(report))
    facts = replace(story.facts, answers=answers, objects=objects)
    found = {each.name: each for each in check(replace(story, facts=facts))}
    assert len(found["boards_by_replay"].faults) >= 2
    assert not found["prizes_by_the_rules"].passed


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("board.json", lambda files: files["rows"][0].update(value=9.0)),
        ("prizes.json", lambda files: files["prizes"].append({})),
        ("parameters.json", lambda files: files.update(track={})),
        ("runs/", lambda files: files.update(image="ann/model:1")),
        ("runs/", lambda files: files.update(archive_sha256="0" * 64)),
    ],
)
def test_another_archive_of_the_private_test_turns_it_red(
    played: Outcome, name: str, change: Callable[[Any], Any]
) -> None:
    answers = json.loads(json.dumps(played.story.facts.answers))
    files = answers["private_archive"]
    path = next(each for each in sorted(files) if each.startswith(name))
    content = json.loads(files[path]["text"])
    change(content)
    files[path]["text"] = json.dumps(content)
    facts = replace(played.story.facts, answers=answers)
    found = {each.name: each for each in check(replace(played.story, facts=facts))}
    assert len(found["archive_kept"].faults) == 1


@pytest.mark.long
@pytest.mark.integration
def test_no_archive_or_more_in_it_turns_it_red(played: Outcome) -> None:
    answers = json.loads(json.dumps(played.story.facts.answers))
    files = answers["private_archive"]
    files["logs/1.json"] = files["prizes.json"]

    def faults() -> list[str]:
        facts = replace(played.story.facts, answers=answers)
        return next(each.faults for each in check(replace(played.story, facts=facts)) if each.name == "archive_kept")

    assert "the archive has logs/1.json, which nobody gives over" in faults()
    del answers["private_archive"]
    assert "there is no archive of the published results" in faults()


@pytest.mark.long
def test_whoever_plays_nothing_has_proved_nothing(played: Outcome) -> None:
    found = check(replace(played.story, calls=()))
    assert not next(each for each in found if each.name == "handed_in_kept").passed


def test_fusion_is_a_contest_to_rehearse() -> None:
    assert kind_named("fusion", None) == PROGRAMS
    unplayed = KINDS[PROGRAMS][0].unplayed
    assert Fault.DECISIONS in unplayed
    assert Fault.KILLS not in unplayed


@pytest.mark.parametrize("count", [4, 5, WHOLE, WHOLE + 2])
def test_archives_are_the_same_bytes_each_time_and_fill_both_days(count: int) -> None:
    programs = Programs(Cycle.demonstrated("fusion"), 1, count)
    days = programs.of_team(0)
    assert days[0][0].way is Way.LOST
    assert any(each.near for each in days[1]) == (count >= 5), "from five programs on one tries to read another out"
    failing = [each for each in days[0] if each.way in UNSCORED]
    assert len(failing) == (programs.unscored_a_day - 1 or 1)
    body = programs.archive(days[0][1])
    assert programs.archive(days[0][1]) == body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert ("metadata.json" in archive.namelist()) == (days[0][1].way is not Way.REFUSED)
