"""Output of the organizer's command under ``--lang ru``: no English is left, whatever the subject."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from contest.commands import shell
from contest.commands.main import main
from contest.cycle.parameters import VersionState
from contest.cycle.rules.cycle import Mode, SetKind
from contest.cycle.rules.notices import AnnouncementKind, AnnouncementState
from contest.experts.rules.assignment import AssignmentState
from contest.people.rules import Role, TeamStatus
from contest.results.rules.jobs import Settled
from contest.results.rules.leaderboard import Visibility
from contest.results.rules.qualification import Standing
from contest.run.rules.run import CheckGrade, Kind
from contest.run.rules.schedule import RunState
from contest.session.rules.delivery import Cause
from contest.session.rules.session import State
from contest.values import MINUTE, iso
from markup_core import texts
from tests.contest.commands.stage_desk import sit_down
from tests.leftovers import english
from tests.run_stage import three_missed
from tests.stage import Stage, staged

pytestmark = pytest.mark.integration
STAGED = set("red blue grey train test final reserve rus eng toy olga all minute tend tests admission".split())
"""Names of the stage, of functions in which something is stuck, and a notice's code of one word."""


def run(*said: str) -> Result:
    return CliRunner().invoke(main, ["--lang", "ru", *said])


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        sit_down(monkeypatch, ready, ready.person(Role.ORGANIZER, "olga"), a_request_s=0)
        yield ready


def in_russian(*said: str, exit_codes: tuple[int, ...] = (0,), ids: Collection[str] = ()) -> str:
    """Return a command's output, which has no English; ``ids`` are drawn and may be letters alone."""
    found = run(*said)
    assert found.exit_code in exit_codes, (said, found.output)
    told = found.output if "{" not in found.stdout[:2] else found.stderr
    left = english(told, STAGED | set(said) | set(ids))
    assert not left, (said, left, told)
    return told


def test_a_run_from_its_plan_to_its_board_is_told_in_russian(stage: Stage) -> None:
    played = three_missed(stage)
    name, why = played.run_id, ("--reason", "обрыв кабеля")
    start = iso(stage.now + 60 * MINUTE)
    assert "массовый технический сбой" in in_russian("run", "watch", name, "--once")
    assert "будет отобрано файлов" in in_russian("run", "plan", "--start", start, "--preview")
    assert "вид прогона" in in_russian("run", "list")
    assert "корень обязательства" in in_russian("run", "show", name)
    assert "ничего не записано" in in_russian("run", "pause", name, "--preview", *why)
    assert "замена файлов" in in_russian("run", "replace", name, "--proposal", "--preview", *why)
    assert "решение 1: аннулирование для всех" in in_russian("run", "void", name, "4", *why)
    assert "отмена решения" in in_russian("run", "undo", name, "1", *why)
    assert "останутся как есть" in in_russian("run", "dismiss", name, "--preview", *why)
    assert "не приостановлен" in in_russian("run", "resume", name, *why, exit_codes=(1,))
    assert "Прогона с таким идентификатором нет" in in_russian("run", "show", "z" * 20, exit_codes=(1,))
    played.finish()
    in_russian("run", "publish", name, exit_codes=(0, 1))
    in_russian("results", "show", name)
    in_russian("board", exit_codes=(0, 1))


def test_teams_sets_parameters_and_what_is_stuck_are_told_in_russian(stage: Stage, tmp_path: Path) -> None:
    stage.load()
    stage.team("red")
    assert "команда grey добавлена" in in_russian("team", "add", "grey", "Серые")
    assert "допущена" in in_russian("team", "list")
    assert "приостановлена" in in_russian("team", "decide", "grey", "suspended", "--reason", "проверка")
    assert "показывается один раз" in run("token", "issue", "red").stderr
    drawn = [each["token_id"] for each in json.loads(run("token", "list", "red", "--json").stdout)["tokens"]]
    in_russian("token", "list", "red", ids=drawn)
    in_russian("staff", "list")
    assert "обучающая" in in_russian("set", "list")
    assert "версия" in in_russian("cycle", "versions")
    in_russian("scoring", "status")
    assert "поставлено в очередь ответов: 0" in in_russian("scoring", "redrive")
    in_russian("doctor", exit_codes=(0, 3))
    in_russian("deadletters", "list")
    in_russian("qualification", "list")
    in_russian("expert", "list")
    in_russian("announce", "list")
    in_russian("rescore", "list")
    in_russian("results", "annulled")
    assert (
        "когда" in run("log", iso(stage.now)[:10]).stdout
    )  # its entries are kept in the words in which they were written
    assert "модуль не опубликован" in in_russian("kit", "show")
    assert "команд 20, файлов 500, дней 30" in in_russian("cost", "--teams", "20", "--files", "500")
    in_russian("cycle", "validate", str(tmp_path), exit_codes=(1,))
    in_russian("team", "add", "grey", "Серые", exit_codes=(1,))
    in_russian("set", "split", str(tmp_path), str(tmp_path / "out"), "--part", "a=x", exit_codes=(1,))


KINDS = [
    (RunState, ""),
    (State, "session"),
    (Cause, ""),
    (Kind, ""),
    (Mode, ""),
    (SetKind, ""),
    (AnnouncementKind, ""),
    (AnnouncementState, ""),
    (VersionState, ""),
    (TeamStatus, ""),
    (Standing, ""),
    (CheckGrade, ""),
    (Settled, ""),
    (Visibility, ""),
    (AssignmentState, "assignment"),
]


@pytest.mark.parametrize(("kind", "of"), KINDS, ids=[kind.__name__ for kind, _ in KINDS])
def test_every_code_of_the_platform_has_its_russian(kind: type, of: str) -> None:
    with texts.speaking("ru"):
        assert not [member.value for member in kind if english(shell.code(member.value, of))]
    assert [shell.code(member.value, of) for member in kind] == [member.value for member in kind]
