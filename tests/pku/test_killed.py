"""The command in a process of its own: killed, interrupted, continued."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from pku.config import Clock
from tests.pku.platform import Commands, Platform, essay_cycle, numbered, platform_of, serving

pytestmark = pytest.mark.integration

FILES = 5
MARKER = """
import pathlib, sys, time
def mark(essay):
    with open("solved.txt", "a") as file:
        file.write(essay["meta"]["id"] + "\\n")
    return essay
"""

AS_IN_A_TERMINAL = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("pku", run_name="__main__", alter_sys=True)
"""
"""``python -m pku``; what runs in a shell's background inherits an interrupt that is ignored, and so would it."""

QUICK_WITH_A_SAMPLE = """
import os, shutil, sys, time
if "sample" in sys.argv[1]:
    sys.exit(not shutil.copy(sys.argv[1], sys.argv[2]))
"""


class Team(Commands):
    """A team's folder, its settings, and the command."""

    def pku(self, *words: str) -> subprocess.Popen[str]:
        return self.start("-c", AS_IN_A_TERMINAL, *words)

    def solved(self) -> list[str]:
        path = self.folder / "solved.txt"
        return path.read_text().split() if path.exists() else []


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with platform_of(tmp_path, Clock(), essay_cycle(numbered(FILES))) as made:
        yield made


@pytest.fixture
def team(platform: Platform, tmp_path: Path) -> Iterator[Team]:
    with serving(platform) as address:
        (tmp_path / "team_marker.py").write_text(MARKER)
        yield Team(tmp_path, address, platform.token)


def test_killed_again_and_again_a_run_answers_every_file_exactly_once(platform: Platform, team: Team) -> None:
    # requests in which the process dies, each with what it was about and whether the platform carried it out
    # (of any request of a run in one process: `test_runner`)
    deaths = [("POST", "/v1/sessions", True), ("PUT", "/files/2/answer", True), ("PUT", "/files/3/answer", False),
              ("PUT", f"/files/{FILES}/answer", True)]  # fmt: skip
    for method, path, handled in deaths:
        process = team.pku("run", "--set", "train", "--entry-point", "team_marker:mark")
        death = dying(process, method, path, handled=handled)
        platform.faults.extend([death] * 100)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, (method, path)
        platform.faults.clear()
    process = team.pku("run", "--set", "train", "--entry-point", "team_marker:mark")
    out, err = process.communicate()
    # the last kill came after the session had ended, so nothing was left to continue and a second one was opened
    assert process.returncode == 0, err
    assert f"{FILES} of {FILES}" in out
    first, second = map(platform.status, platform.session_ids())
    assert [each["sends"] for each in first["deliveries"]] == [1] * FILES
    assert (first["state"], second["state"]) == ("finished", "finished")
    files = sorted(each["file_id"] for each in first["deliveries"])
    assert sorted(each for each in team.solved() if each in files) == files, "a file was solved twice"


def dying(
    process: subprocess.Popen[str], method: str, path: str, *, handled: bool
) -> Callable[[httpx.Request, Callable[[], httpx.Response]], httpx.Response]:
    def fault(request: httpx.Request, handle: Callable[[], httpx.Response]) -> httpx.Response:
        if (request.method, request.url.path[-len(path) :]) != (method, path):
            return handle()
        if handled:
            handle()
        process.kill()
        process.wait()
        raise httpx.ReadError("the client is dead", request=request)

    return fault


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_ctrl_c_stops_the_solver_and_says_how_to_continue(platform: Platform, team: Team, workers: str) -> None:
    (team.folder / "slow.py").write_text(
        f"{QUICK_WITH_A_SAMPLE}\nopen('pid%d' % os.getpid(), 'w').close()\ntime.sleep(600)\n"
    )
    command = f"'{sys.executable}' slow.py {{input}} {{output}}"
    process = team.pku("run", "--set", "train", "--workers", workers, "--solver", command)
    while len(started := list(team.folder.glob("pid*"))) < int(workers):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=90)
    assert process.returncode == 130, out + err
    assert "Stopped. Nothing is lost" in err
    assert "Traceback" not in err
    for each in started:
        with pytest.raises(ProcessLookupError):
            os.kill(int(each.name.removeprefix("pid")), 0)
    process = team.pku("run", "--entry-point", "team_marker:mark")
    process.communicate()
    assert platform.answers_counted() == [1] * FILES


def test_a_second_runner_of_the_same_session_is_refused(platform: Platform, team: Team) -> None:
    (team.folder / "slow.py").write_text(f"{QUICK_WITH_A_SAMPLE}\nopen('started', 'w').close()\ntime.sleep(600)\n")
    first = team.pku("run", "--set", "train", "--solver", f"'{sys.executable}' slow.py {{input}} {{output}}")
    while not (team.folder / "started").exists():
        assert first.poll() is None
        time.sleep(0.01)
    second = team.pku("run", "--entry-point", "team_marker:mark")
    _, err = second.communicate()
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=90)
    assert second.returncode == 1
    assert f"process {first.pid}" in err
    assert team.solved() == []
