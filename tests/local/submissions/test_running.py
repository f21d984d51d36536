"""Choosing an engine, the container engine's commands, the clock of a run, and archives that are no submissions."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from local.submissions.engines import (
    COUNTED,
    HIDING,
    OPEN,
    BubblewrapEngine,
    ChildEngine,
    ContainerEngine,
    engines,
    not_enforced_line,
    run,
    strongest,
)
from local.submissions.job import MIB, Ending, Job, Limits
from local.submissions.supervision import Patience, group_of, groups_folder
from tracks.fusion.archive import ArchiveLimits, RefusedArchiveError, unpack
from tracks.protocol import Text

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the engines are Linux's")
LIMITS = Limits(wall_s=600, memory=256 * MIB, file=MIB, outputs=4 * MIB, grace_s=10)


@dataclass
class Says:
    """Engine that gives the answers set by the test."""

    name: str
    there: bool = True
    ending: Ending | None = None

    def installed(self) -> bool:
        return True

    def works(self) -> bool:
        return self.there

    def not_enforced(self) -> tuple[Text, ...]:
        return ()

    def run(self, job: Job) -> Ending:
        assert self.ending is not None
        return self.ending


class Hurried(Patience):
    """A clock on which every wait takes five minutes, so that half an hour is over at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def now_s(self) -> float:
        return self.now

    def wait(self, descriptor: int, seconds: float) -> bool:
        ready = super().wait(descriptor, seconds)
        self.now += 0 if ready else 300
        return ready


def job_in(folder: Path, entry_point: str = "true", limits: Limits = LIMITS, image: str = "team/model:1") -> Job:
    places = [folder / name for name in ("work", "input", "output")]
    for place in places:
        place.mkdir()
    return Job(entry_point, *places, image=image, limits=limits)


@pytest.mark.clause("TS F-3")
def test_the_first_engine_that_works_is_taken() -> None:
    weaker = Says("weaker")
    assert strongest([Says("strong", there=False), weaker, Says("weakest")]) is weaker
    with pytest.raises(OSError, match="no program"):
        strongest([Says("strong", there=False)])
    assert [each.name for each in engines()] == ["docker", "podman", "bubblewrap", "child process"]


@pytest.mark.clause("TS F-3")
def test_one_line_in_two_languages_says_what_is_not_enforced() -> None:
    said = not_enforced_line(ChildEngine(groups=None), [])
    for part in (OPEN, HIDING, COUNTED):
        assert part.en in said.en
        assert part.ru in said.ru
    assert "\n" not in said.en + said.ru
    assert not_enforced_line(Says("x"), []) == Text(en="x: everything is enforced", ru="x: все ограничения действуют")


@pytest.mark.integration
@pytest.mark.clause("TS F-3")
def test_bubblewrap_that_may_make_no_name_spaces_is_not_chosen_and_that_is_said(tmp_path: Path) -> None:
    refused = tmp_path / "bwrap"
    refused.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", "utf-8")
    refused.chmod(0o755)
    candidates = [ContainerEngine("no-such-engine"), BubblewrapEngine(str(refused)), ChildEngine()]
    chosen = strongest(candidates)
    assert chosen is candidates[-1]
    said = not_enforced_line(chosen, candidates)
    assert "bubblewrap is installed, but runs no program here" in said.en
    assert "bubblewrap установлен, но не запускает здесь программ" in said.ru
    assert "no-such-engine" not in said.en
    assert OPEN.en in said.en


@pytest.mark.integration
@pytest.mark.clause("TS F-3")
def test_bubblewrap_shows_a_python_that_lies_below_the_machines_tmp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout below /tmp has its environment there, and the program's own /tmp came over it."""
    commands = BubblewrapEngine()
    if not commands.works() or not tmp_path.is_relative_to("/tmp"):  # noqa: S108
        pytest.skip("bubblewrap runs no program here, or this test's folder is not below /tmp")
    prefix = tmp_path / "checkout" / ".venv"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "answer").write_text(
        "#!/bin/sh\necho x > output/prediction_HTR.json && touch /tmp/own\n", "utf-8"
    )
    (prefix / "bin" / "answer").chmod(0o755)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    job = job_in(tmp_path, "answer")
    ending = commands.run(job)
    assert (ending.exit_code, ending.stderr) == (0, b"")
    assert (job.outputs / "prediction_HTR.json").read_text("utf-8") == "x\n"
    assert not Path("/tmp/own").exists()  # noqa: S108


@pytest.mark.clause("TS F-4")
def test_outputs_beside_a_bad_exit_code_are_not_taken(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    (job.outputs / "prediction_HTR.json").write_text("{}", "utf-8")
    assert run(job, Says("x", ending=Ending(1, b"", b"", 1.0))).outputs == ()
    assert run(job, Says("x", ending=Ending(0, b"", b"", 1.0))).outputs == (job.outputs / "prediction_HTR.json",)


@pytest.mark.integration
@pytest.mark.clause("TS F-2", "F limits container")
def test_half_an_hour_is_waited_for_on_the_clock_of_the_run(tmp_path: Path) -> None:
    program = "python -c 'import signal; signal.alarm(60); signal.pause()'"
    limits = replace(LIMITS, wall_s=Limits().wall_s)
    finished = run(job_in(tmp_path, program, limits), ChildEngine(patience=Hurried(), groups=None))
    assert finished.cause == "timeout"
    assert finished.seconds >= 1800


DOCKER = """#!{python}
import json, os, subprocess, sys
place = {place!r}
words = sys.argv[1:]
with open(place + "/asked", "a") as asked:
    asked.write(json.dumps(words) + "\\n")
if words[0] == "image" and "--format" not in words:
    sys.exit(0 if words[2] == "team/model:1" else 1)
if words[0] == "login" and sys.stdin.read() != "secret":
    sys.exit(1)
if words[0] == "pull" and "gone" in words[-1]:
    sys.exit(1)
if words[:2] == ["image", "inspect"] and "--format" in words:
    print(1000)
    sys.exit(0)
if words[0] == "inspect":
    print({killed!r})
if words[0] == "stop":
    os.kill(int(open(place + "/client").read()), 15)
if words[0] == "run":
    open(place + "/client", "w").write(str(os.getpid()))
    print("hello")
    if {code} < 0:
        import signal
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        signal.alarm(60)
        signal.pause()
    sys.exit({code})
"""


def docker(place: Path, code: int = 0, killed: str = "false") -> ContainerEngine:
    """Return an engine whose command records its arguments and ends with a code (negative: when it is stopped)."""
    program = place / "docker"
    program.write_text(DOCKER.format(python=sys.executable, place=str(place), code=code, killed=killed), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return ContainerEngine(str(program))


def asked(place: Path) -> list[list[str]]:
    return [json.loads(line) for line in (place / "asked").read_text("utf-8").splitlines()]


@pytest.mark.integration
@pytest.mark.clause("TS F-2", "TS F-3", "F limits network")
def test_a_container_has_no_network_and_every_limit_and_is_removed(tmp_path: Path) -> None:
    engine, job = docker(tmp_path), job_in(tmp_path, "python /home/jovyan/run.py --fast")
    assert engine.works()
    finished = run(job, engine)
    assert (finished.cause, finished.stdout) == ("no_output", b"hello\n")
    words = [each for each in asked(tmp_path) if each[0] == "run"][-1]
    pairs = dict(pairwise(words))
    expected = {
        "--network": "none",
        "--memory": str(LIMITS.memory),
        "--memory-swap": str(LIMITS.memory),
        "--cpus": "3",
        "--pids-limit": "1024",
        "--pull": "never",
        "--cap-drop": "ALL",
        "--entrypoint": "python",
        "--workdir": "/home/jovyan",
    }
    assert pairs.items() >= expected.items()
    assert "--read-only" in words
    assert [f"{job.folder}:/home/jovyan:ro", f"{job.inputs}:/home/jovyan/input:ro"] == [
        each for each in words if each.endswith(":ro")
    ]
    assert words[-3:] == ["team/model:1", "/home/jovyan/run.py", "--fast"]
    assert ["rm", "--force", pairs["--name"]] in asked(tmp_path)


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
@pytest.mark.parametrize(
    ("code", "killed", "cause"),
    [
        (1, "false", "exit_code"),
        (1, "true", "out_of_memory"),
        (137, "false", "out_of_memory"),
        (125, "false", "platform"),
    ],
)
def test_what_a_container_engine_says_becomes_a_cause(tmp_path: Path, code: int, killed: str, cause: str) -> None:
    assert run(job_in(tmp_path), docker(tmp_path, code, killed)).cause == cause


@pytest.mark.integration
@pytest.mark.clause("TS F-4")
def test_a_container_without_its_image_is_not_begun(tmp_path: Path) -> None:
    assert run(job_in(tmp_path, image="team/other:1"), docker(tmp_path)).cause == "image"
    assert not any(words[0] == "run" for words in asked(tmp_path))


@pytest.mark.integration
@pytest.mark.clause("TS F-1", "TS F-2")
def test_an_image_is_pulled_with_the_registrys_password_and_measured(tmp_path: Path) -> None:
    engine = docker(tmp_path)
    engine.login("registry.example", "secret")
    with pytest.raises(OSError, match=r"registry\.example refuses"):
        engine.login("registry.example", "wrong")
    assert "secret" not in str(asked(tmp_path))
    assert engine.pull("team/model:1", 1000)
    assert not engine.pull("team/model:1", 999)
    with pytest.raises(OSError, match="could not pull"):
        engine.pull("team/gone:1", 1000)


@pytest.mark.integration
@pytest.mark.clause("TS F-2")
def test_a_container_gets_the_gpus_of_the_machine_and_then_everything_is_enforced(tmp_path: Path) -> None:
    engine = replace(docker(tmp_path), gpus=1)
    run(job_in(tmp_path), engine)
    words = next(each for each in asked(tmp_path) if each[0] == "run")
    assert words[words.index("--gpus") + 1] == "1"
    assert words[words.index("--user") + 1] != "0:0"
    assert engine.not_enforced() == ()
    assert docker(tmp_path).not_enforced() != ()


@pytest.mark.integration
@pytest.mark.clause("TS F-2")
def test_a_container_is_stopped_at_the_wall_limit_with_its_grace(tmp_path: Path) -> None:
    engine = docker(tmp_path, code=-1)
    finished = run(job_in(tmp_path, limits=replace(LIMITS, wall_s=0.1)), engine)
    assert finished.cause == "timeout"
    assert next(words for words in asked(tmp_path) if words[0] == "stop")[1:3] == ["--time", "10"]


@pytest.mark.integration
@pytest.mark.clause("TS F-3")
@pytest.mark.parametrize(("code", "works"), [(125, False), (126, False), (127, True)])
def test_an_engine_that_answers_but_makes_no_container_does_not_work(tmp_path: Path, code: int, works: bool) -> None:
    engine = docker(tmp_path, code)
    assert engine.works() == works
    (words,) = [each for each in asked(tmp_path) if each[0] == "run"]
    name = words[-2]
    assert {"--read-only", "--cap-drop"} <= set(words)
    assert asked(tmp_path)[-2:] == [["rm", "--force", name], ["image", "rm", name]], "nothing is left"


def test_an_engine_that_is_not_there_does_not_work() -> None:
    assert not ContainerEngine("no-such-engine").works()


@pytest.mark.clause("F limits archive")
def test_an_archive_of_zeros_stops_at_the_limit_and_leaves_nothing(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadata.json", '{"image": "team/model:1", "entry_point": "true"}')
        archive.writestr("zeros", bytes(32 * MIB))
    assert len(packed.getvalue()) < MIB
    with pytest.raises(RefusedArchiveError) as refused:
        unpack(packed, tmp_path / "work", ArchiveLimits(unpacked=4 * MIB))
    assert [reason.code for reason in refused.value.reasons] == ["unpacked_too_big"]
    assert not (tmp_path / "work").exists()


@pytest.mark.integration
@pytest.mark.clause("TS F-3")
def test_where_the_machine_has_groups_the_kernel_bounds_a_job() -> None:
    parent = groups_folder()
    if parent is None:
        pytest.skip("this machine has no groups that this process may make")
    with group_of(parent, LIMITS) as group:
        assert group is not None
        assert (group.folder / "pids.max").read_text().strip() == str(LIMITS.processes)
        assert (group.folder / "memory.max").read_text().strip() == str(LIMITS.memory)
        assert not group.out_of_memory()
    assert not group.folder.exists()
