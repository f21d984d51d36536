"""The contest of programs is rehearsed: green with all faults, and red where an answer or a result is another."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from rehearsal.harm.bugs import Rehearsal
from rehearsal.play.material import Cycle
from rehearsal.play.programs import UNSCORED, WHOLE, Programs, Way
from rehearsal.proof.checker import PROOFS, check
from rehearsal.proof.oracle import PROGRAMS
from rehearsal.stages import Outcome
from tests.rehearsal.playing import play, red


@pytest.fixture(scope="module")
def played() -> Outcome:
    return play(Rehearsal("", "all", 2, 5, PROGRAMS))


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.clause("TS T18", "TS F-5", "TS F-7", "TS F-9")
def test_a_small_contest_with_all_faults_is_green(played: Outcome) -> None:
    assert red(played) == {}
    assert [check.name for check in played.checks] == list(PROOFS[PROGRAMS].checks)
    injected = {injection["what"] for injection in played.story.injected}
    assert {"machine_lost", "run_for_real"} <= injected


@pytest.mark.long
def test_whoever_plays_nothing_has_proved_nothing(played: Outcome) -> None:
    checks = check(replace(played.story, calls=()))
    assert not next(one for one in checks if one.name == "handed_in_kept").passed


@pytest.mark.parametrize("count", [4, 5, WHOLE, WHOLE + 2])
def test_archives_are_the_same_bytes_each_time_and_fill_both_days(count: int) -> None:
    programs = Programs(Cycle.demonstrated("fusion"), 1, count)
    days = programs.of_team(0)
    assert days[0][0].way is Way.LOST
    assert any(program.near for program in days[1]) == (count >= 5), (
        "from five programs on one tries to read another out"
    )
    failing = [program for program in days[0] if program.way in UNSCORED]
    assert len(failing) == (programs.unscored_a_day - 1 or 1)
    body = programs.archive(days[0][1])
    assert programs.archive(days[0][1]) == body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert ("metadata.json" in archive.namelist()) == (days[0][1].way is not Way.REFUSED)
