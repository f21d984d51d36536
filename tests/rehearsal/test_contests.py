"""Stages of the other contests are rehearsed: green with all faults. The gate plays one of them, ``make bugs`` all."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rehearsal.ending import Bill, Settings
from rehearsal.harm.bugs import Rehearsal
from rehearsal.history import Call, Facts, History, Story, from_text
from rehearsal.play import items
from rehearsal.play.items import Contest, Items
from rehearsal.play.material import Cycle
from rehearsal.play.wire import Fault, faults_named
from rehearsal.proof.case import Case, Check
from rehearsal.proof.checker import PROMISES, PROOFS, check, promised
from rehearsal.proof.oracle import DIALOGUES, ESSAY, EXAM, GEC, PROGRAMS, SEMIFINAL
from rehearsal.proof.oracle import KINDS as KNOWN
from rehearsal.show import TEXTS, counter_examples
from rehearsal.stages import KINDS, STAGES, TRACKS, Outcome, kind_named, settings_of
from tests.rehearsal.playing import EVERY, play, red
from tracks import registry

OTHERS = tuple(kind for kind in KINDS if kind not in {ESSAY, PROGRAMS})
CONTESTS = {EXAM: items.EXAM, GEC: items.GEC, SEMIFINAL: items.SEMIFINAL, DIALOGUES: items.DIALOGUES}

NOON = from_text("2026-11-21T12:00:00Z")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.clause("TS T18")
@pytest.mark.parametrize("kind", OTHERS if EVERY else (SEMIFINAL,))
def test_t18_without_a_bug_a_stage_is_green_whatever_is_injected(kind: str) -> None:
    outcome = play(Rehearsal("", "all", 3, 6, kind))
    assert red(outcome) == {}
    assert outcome.story.header["stage"] == kind
    found = Counter(status["state"] for status in Case(outcome.story).statuses.values())
    assert found["answered"], found
    assert found["voided"], found


def test_a_kind_of_stage_is_told_by_contest_and_stage() -> None:
    assert {kind_named(track, None) for track in TRACKS} <= set(KINDS)
    assert kind_named("diagnosis", "semifinal") == SEMIFINAL
    assert kind_named("exam", "semifinal") is None
    assert {"semifinal", "final"} <= set(STAGES)
    assert kind_named("diagnosis", "final") == DIALOGUES
    assert kind_named("fusion", None) == PROGRAMS


def test_every_kind_is_proved_and_told_of() -> None:
    assert PROOFS.keys() == KINDS.keys() == KNOWN.keys() | {ESSAY, PROGRAMS}
    assert all(stage.kind == kind for kind, (stage, _) in KINDS.items())
    words = [row.words for proof in PROOFS.values() for row in proof.rows]
    assert all(5 < len(text) < 230 and "Check" not in text for text in words)


def test_every_check_tries_one_of_twelve_promises() -> None:
    tried_by = [check for checks in PROMISES.values() for check in checks]
    assert len(PROMISES) == 12
    assert len(tried_by) == len(set(tried_by))
    assert set(tried_by) == {name for proof in PROOFS.values() for name in proof.checks}
    assert {f"promise.{name}" for name in PROMISES} <= TEXTS.keys()


def test_what_failed_first_is_shown_before_its_consequences_with_the_call_that_showed_it() -> None:
    answer = Call(7, "red", "answer", 2, NOON, NOON, status=200, path="/v1/sessions/1/files/2/answer", method="PUT")
    lost = Call(9, "red", "file", 0, NOON + 1, NOON + 1, path="/v1/sessions/1/files/0", method="GET")
    checks = (
        Check("told_as_played", 9, ["red: another place"] * 5),
        Check("files_as_committed", 9, [f"red, file {number}: another essay" for number in range(5)]),
        Check("late_not_accepted", 9, [f"red, file 2, send 1 (accepted), call 7: due at {NOON - 1}"]),
    )
    outcome = Outcome(Story({}, (answer, lost), (), Facts({}, {}, {})), checks, 1.0, Bill({}, {}, {}, "$"))
    assert list(promised(checks)) == ["committed", "deadlines", "results"]
    words = PROOFS[ESSAY].checks["told_as_played"].words
    late = "no answer was accepted, and no file handed out, whose request came after its time"
    assert list(counter_examples(outcome, details=False)) == [
        "What failed first:",
        "✗ Files, order and times are those that were committed to",
        "  every file is, byte by byte, the one that was committed to before the run: red, file 0: another essay",
        "    GET /v1/sessions/1/files/0 → no answer, 2026-11-21T12:00:00.001Z",
        "  every file is, byte by byte, the one that was committed to before the run: red, file 1: another essay",
        "  every file is, byte by byte, the one that was committed to before the run: red, file 2: another essay",
        "    PUT /v1/sessions/1/files/2/answer → 200, 2026-11-21T12:00:00.000Z",
        "  … 2 more",
        "What failed besides, perhaps because of it:",
        "✗ Nothing late is accepted, nothing in time is refused",
        f"  {late}: red, file 2, send 1 (accepted), call 7: due at 2026-11-21T11:59:59.999Z",
        "    PUT /v1/sessions/1/files/2/answer → 200, 2026-11-21T12:00:00.000Z",
        "✗ Boards, reports and archive follow from what was played",
        f"  {words}: red: another place",
        "  … 4 more",
    ]
    assert len(list(counter_examples(outcome, details=True))) == 17


def test_the_boards_that_are_held_against_a_replay_are_the_contests_own() -> None:
    """A board of two runs alone is left out: one run makes none."""
    for kind in KNOWN.values():
        own = [board.key for board in registry.get(kind.track).boards() if not board.joins_runs]
        assert list(kind.boards) == own


def test_the_rhythm_is_the_contests() -> None:
    for kind, known in KNOWN.items():
        usual, rhythm = registry.get(known.track).policies("final").run, KINDS[kind][1]
        told = (rhythm.interval, rhythm.request, rhythm.answer, rhythm.total, rhythm.join)
        if kind == DIALOGUES:  # TS D-8: a minute from the publication, for everything
            assert told == (60, 60, 60, 60, 0)
            continue
        assert told == (usual.interval_s, usual.request_s, usual.answer_s, usual.total_s, usual.join_s)


def test_what_does_not_happen_in_a_stage_is_not_said_to_have_been_injected() -> None:
    settings = Settings(files=8, interval=30.0, faults=faults_named("all"))
    assert Fault.DECISIONS in settings_of(EXAM, settings).faults
    # The last team has not come when a shorter run is half over.
    assert Fault.DECISIONS not in settings_of(EXAM, replace(settings, files=6)).faults
    assert Fault.DECISIONS in settings_of(ESSAY, replace(settings, files=3)).faults
    assert Fault.PRACTICE not in settings_of(EXAM, settings).faults
    assert Fault.DECISIONS not in settings_of(SEMIFINAL, settings).faults


@pytest.mark.parametrize("kind", CONTESTS)
def test_items_are_known_by_what_is_handed_out_of_them_however_many_are_asked_for(kind: str) -> None:
    contest: Contest = CONTESTS[kind]
    material = Items(contest, Cycle.demonstrated(contest.track), 100)
    track = registry.get(contest.track)
    seen: dict[str, int] = {}
    own = list(material.own())
    for number, (item, _, which) in enumerate(own, start=1):
        if "step" not in which:
            continue
        content: Any = track.hand_out(item, "f1", which["step"])
        assert (
            material.texts_in(json.dumps(content))
            == material.texts_in(json.dumps(content, ensure_ascii=False))
            == (number,)
        )
        for variant in range(3):
            body = json.dumps(material.answer(content, 0.0, variant)).encode()
            assert not track.validate(item, "f1", which["step"], body, material.parameters).reasons
        assert len({material.digest(content, material.answer(content, 1.0, variant)) for variant in range(3)}) == 3
        refused = json.dumps(material.another(content)).encode()
        assert track.validate(item, "f1", which["step"], refused, material.parameters).reasons
        seen[json.dumps(content, sort_keys=True)] = number
    assert len(seen) == contest.publications * 105


def test_what_is_written_can_be_read_back_and_is_the_same_at_every_time(tmp_path: Path) -> None:
    for place in ("one", "other"):
        material = Items(items.SEMIFINAL, Cycle.demonstrated("diagnosis"), 3)
        material.write(tmp_path / place, "demo")
    one, other = (
        {path.relative_to(tmp_path / place): path.read_bytes() for path in (tmp_path / place).rglob("*.json")}
        for place in ("one", "other")
    )
    assert one == other
    assert len(one) == 1 + 2 * (3 + 5 + items.SEMIFINAL.tested + 2)


def test_a_history_of_an_unknown_stage_is_refused() -> None:
    story = replace(History().story(), header={"stage": "nothing"})
    with pytest.raises(KeyError):
        check(story)
