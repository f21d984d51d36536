"""Submissions that attack the machine they run on, each bounded by itself; played on the strongest engine of this
machine and on the child process, which every machine has."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from local.submissions.engines import COUNTED, OPEN, BubblewrapEngine, ChildEngine, run, strongest
from local.submissions.job import MIB, Engine, Finished, Job, Limits

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="the engines are Linux's"),
]
LIMITS = Limits(wall_s=20, memory=256 * MIB, cpus=1, processes=40, file=MIB, outputs=4 * MIB, grace_s=1)


@cache
def tried() -> Engine:
    """Return the strongest engine of this machine that runs programs: the attacks are no images."""
    return strongest([BubblewrapEngine(), ChildEngine()])


@pytest.fixture(params=["strongest", "child process"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "child process":
        return ChildEngine()
    found = tried()
    if found.name == "child process":
        pytest.skip("the child process is the strongest engine of this machine")
    return found


def play(engine: Engine, folder: Path, attack: str, limits: Limits = LIMITS) -> Finished:
    places = [folder / name for name in ("work", "input", "output")]
    for place in places:
        place.mkdir()
    (places[0] / "run.py").write_text(attack, "utf-8")
    (places[1] / "requests.json").write_text("{}", "utf-8")
    return run(Job("python /home/jovyan/run.py", *places, limits=limits), engine)


def told_open(engine: Engine) -> bool:
    return OPEN in engine.not_enforced()


def left_over(word: str) -> list[int]:
    """List the processes of this machine that have a word in their command."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in command:
                found.append(int(entry.name))
    return found


@contextmanager
def server() -> Iterator[tuple[int, list[bytes]]]:
    """Start a server that stores all received bytes; return its port with them."""
    heard = list[bytes]()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def listen() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    heard.append(connection.recv(64))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield listening.getsockname()[1], heard
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)


@pytest.mark.clause("TS F-2", "F directory", "F output")
def test_an_honest_program_has_its_inputs_and_its_outputs_are_collected(engine: Engine, tmp_path: Path) -> None:
    program = """
import json, os, sys
print(json.load(open("input/requests.json")))
print("careful", file=sys.stderr)
open("output/prediction_HTR.json", "w").write("{}")
"""
    finished = play(engine, tmp_path, program)
    assert (finished.cause, finished.exit_code) == (None, 0), finished.stderr
    assert [path.name for path in finished.outputs] == ["prediction_HTR.json"]
    assert (finished.stdout, finished.stderr) == (b"{}\n", b"careful\n")
    assert finished.not_enforced == tuple(engine.not_enforced())


@pytest.mark.clause("TS F-3", "F limits network")
def test_the_network_is_closed_or_told_to_be_open(engine: Engine, tmp_path: Path) -> None:
    with server() as (port, heard):
        attack = f"""
import socket
socket.create_connection(("127.0.0.1", {port}), 5).sendall(b"answers")
"""
        finished = play(engine, tmp_path, attack)
    assert heard == ([b"answers"] if told_open(engine) else [])
    assert finished.cause == ("no_output" if told_open(engine) else "exit_code")


@pytest.mark.clause("TS F-3")
def test_files_outside_are_not_there_or_told_to_be_open(engine: Engine, tmp_path: Path) -> None:
    secret = tmp_path / "references.json"
    secret.write_text("the true answers", "utf-8")
    attack = f"""
import os
seen = []
for path in ({str(secret)!r}, "/etc/shadow", "/proc/{os.getpid()}/environ"):
    try:
        seen.append((path, open(path).read()))
    except OSError:
        pass
open("output/seen.json", "w").write(repr(seen))
"""
    finished = play(engine, tmp_path, attack)
    assert finished.cause is None, finished.stderr
    seen = finished.outputs[0].read_text("utf-8")
    assert ("the true answers" in seen) == told_open(engine)
    if not told_open(engine):
        assert seen == "[]"


@pytest.mark.clause("TS F-3")
def test_nothing_but_the_outputs_can_be_written(engine: Engine, tmp_path: Path) -> None:
    if told_open(engine):
        pytest.skip("told to be open")
    attack = """
written = []
for path in ("input/requests.json", "input/new", "run.py", "new", "/new", "/usr/new", "/dev/new", "/etc/new"):
    try:
        open(path, "a").write("x")
        written.append(path)
    except OSError:
        pass
open("output/written.json", "w").write(repr(written))
"""
    finished = play(engine, tmp_path, attack)
    assert finished.outputs[0].read_text("utf-8") == "[]"


@pytest.mark.clause("TS F-3")
def test_more_processes_than_allowed_end_the_run(engine: Engine, tmp_path: Path) -> None:
    attack = """
import os, signal  # hurdle-many
children = []
try:
    for _ in range(200):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except OSError:
    raise SystemExit(3)
signal.alarm(60)
signal.pause()
"""
    finished = play(engine, tmp_path, attack)
    assert finished.cause == "exit_code"
    assert finished.seconds < LIMITS.wall_s
    assert left_over(str(tmp_path)) == []


@pytest.mark.clause("TS F-3", "TS F-4")
def test_too_much_memory_ends_the_run_and_is_named(engine: Engine, tmp_path: Path) -> None:
    attack = """
import signal
taken = []
for _ in range(64):
    taken.append(bytearray(b"x" * (6 << 20)))
signal.alarm(60)
signal.pause()
"""
    finished = play(engine, tmp_path, attack)
    assert finished.cause == "out_of_memory"


@pytest.mark.clause("TS F-4")
def test_pages_that_processes_share_are_counted_once(engine: Engine, tmp_path: Path) -> None:
    shared = f"""
import os, signal
data = bytearray({150 * MIB})
for page in range(0, len(data), 4096):
    data[page] = 1
readers = []
for _ in range(2):
    reader = os.fork()
    if reader == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        signal.signal(signal.SIGALRM, lambda *_: os._exit(data.count(b"y")))
        signal.pause()
    readers.append(reader)
for _ in readers:
    os.wait()
open("output/prediction.json", "w").write("{{}}")
"""
    assert play(engine, tmp_path, shared).cause is None


@pytest.mark.clause("TS F-2", "TS F-4")
def test_a_file_too_big_is_refused_and_never_gets_far(engine: Engine, tmp_path: Path) -> None:
    attack = f"""
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open("output/prediction.json", "wb", buffering=0) as file:
        for _ in range(64):
            file.write(b"x" * {MIB})
except OSError:
    pass
"""
    finished = play(engine, tmp_path, attack)
    assert (finished.cause, finished.outputs) == ("bad_output", ())
    assert (tmp_path / "output/prediction.json").stat().st_size == LIMITS.file + 1


@pytest.mark.clause("TS F-4")
def test_many_files_that_fill_the_disk_end_the_run(engine: Engine, tmp_path: Path) -> None:
    attack = f"""
import os, signal
os.mkdir("output/deep")
for number in range(64):
    open(f"output/deep/{{number}}", "wb").write(b"x" * {MIB})
signal.alarm(60)
signal.pause()
"""
    assert play(engine, tmp_path, attack).cause == "bad_output"


@pytest.mark.clause("TS F-4")
def test_many_empty_files_end_the_run_too(engine: Engine, tmp_path: Path) -> None:
    attack = """
import signal
for number in range(3000):
    open(f"output/{number}", "w").close()
signal.alarm(60)
signal.pause()
"""
    assert play(engine, tmp_path, attack).cause == "bad_output"


@pytest.mark.clause("TS F-2", "TS F-4")
@pytest.mark.parametrize("ignores", [True, False])
def test_the_wall_limit_ends_who_ignores_sigterm_and_lets_others_finish(
    engine: Engine, tmp_path: Path, ignores: bool
) -> None:
    attack = f"""
import signal, time
signal.alarm(60)
if {ignores}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.3), open("output/last", "w").write("bye"), exit(0)))
while True:
    signal.pause()
"""
    finished = play(engine, tmp_path, attack, replace(LIMITS, wall_s=0.6))
    assert finished.cause == "timeout"
    assert (tmp_path / "output/last").exists() is not ignores
    assert left_over(str(tmp_path)) == []


@pytest.mark.clause("TS F-3")
@pytest.mark.parametrize(
    "made",
    [
        'os.symlink("/etc/passwd", "output/prediction_HTR.json")',
        'os.symlink("input", "output/folder")',
        'os.mkfifo("output/prediction_HTR.json")',
        'os.mkdir("output/folder")',
        'open("output/a", "w").close(); os.link("output/a", "output/b")',
        'import socket; socket.socket(socket.AF_UNIX).bind("output/socket")',
    ],
)
def test_what_is_no_plain_file_is_refused(engine: Engine, tmp_path: Path, made: str) -> None:
    finished = play(engine, tmp_path, f"import os\n{made}\n")
    assert (finished.cause, finished.outputs) == ("bad_output", ())


@pytest.mark.clause("TS F-3")
@pytest.mark.parametrize("forgets", [True, False])
def test_a_daemon_does_not_outlive_its_run(engine: Engine, tmp_path: Path, forgets: bool) -> None:
    environment = "{}" if forgets else "os.environ"
    attack = f"""
import os, sys
if len(sys.argv) > 1:
    import signal
    signal.alarm(60)
    signal.pause()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, __file__, {tmp_path.name!r}], {environment})
    os._exit(0)
os.wait()
open("output/prediction.json", "w").write("{{}}")
"""
    finished = play(engine, tmp_path, attack)
    assert finished.cause is None, finished.stderr
    assert left_over(tmp_path.name) == []


@pytest.mark.clause("TS F-3")
def test_who_kills_the_parent_that_keeps_it_is_found_all_the_same(engine: Engine, tmp_path: Path) -> None:
    attack = """
import os, signal
if os.fork() == 0:
    os.setsid()
    signal.alarm(60)
    signal.pause()
os.kill(os.getppid(), signal.SIGKILL)
signal.alarm(60)
signal.pause()
"""
    finished = play(engine, tmp_path, attack, replace(LIMITS, wall_s=3, grace_s=0))
    assert finished.cause in ("exit_code", "timeout")
    assert left_over(str(tmp_path)) == []


@pytest.mark.clause("TS F-4")
def test_of_a_flood_the_end_is_kept(engine: Engine, tmp_path: Path) -> None:
    attack = f"""
import sys
for _ in range(32):
    sys.stdout.write("x" * {MIB})
    sys.stderr.write("y" * {MIB})
sys.stdout.write("the end")
sys.exit(5)
"""
    finished = play(engine, tmp_path, attack)
    assert (finished.cause, finished.exit_code) == ("exit_code", 5)
    assert len(finished.stdout) == len(finished.stderr) == MIB
    assert finished.stdout.endswith(b"the end")


@pytest.mark.clause("TS F-4")
def test_a_program_that_is_not_there_fails_by_its_exit_code(engine: Engine, tmp_path: Path) -> None:
    for name in ("work", "input", "output"):
        (tmp_path / name).mkdir()
    job = Job("no-such-program", tmp_path / "work", tmp_path / "input", tmp_path / "output", limits=LIMITS)
    finished = run(job, engine)
    assert finished.cause == "exit_code"
    assert b"no-such-program" in finished.stderr or b"No such file" in finished.stderr


@pytest.mark.clause("TS F-3")
def test_what_the_archive_put_in_the_platforms_places_is_gone(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/output").mkdir()
    (tmp_path / "work/output/prediction_HTR.json").write_text("ready before", "utf-8")
    (tmp_path / "work/input").write_text("no folder", "utf-8")
    for name in ("input", "output"):
        (tmp_path / name).mkdir()
    job = Job("true", tmp_path / "work", tmp_path / "input", tmp_path / "output", limits=LIMITS)
    assert run(job, engine).cause == "no_output"


def test_what_is_counted_is_told_where_the_kernel_has_no_groups() -> None:
    assert COUNTED in ChildEngine(groups=None).not_enforced()
    assert COUNTED not in ChildEngine(groups=Path("/groups")).not_enforced()
