"""Processes of the fork server: what they have from their order, what they share, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from local import processes
from local.aws import emulator
from local.aws.template import FUNCTION_TYPE, Template
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.environment import base_environment
from local.lambdas import runtime
from local.processes import Order, Process, start
from tests.exchange_programs import FUNCTIONS
from tests.local.local_toys import HANDLERS
from tests.processes import eventually, is_alive

pytestmark = pytest.mark.integration

LIBRARIES = ("json", "random", "uuid")
TOLD = """
import json, os, random, secrets, sys, threading, time, uuid
json.dump({
    "words": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(), "path": sys.path[:2],
    "session": os.getsid(0) == os.getpid(), "zone": time.tzname[0], "threads": threading.active_count(),
    "open": sorted(int(name) for name in os.listdir("/proc/self/fd")), "stdin": os.readlink("/proc/self/fd/0"),
    "random": [random.random(), str(uuid.uuid4()), secrets.token_hex()], "pid": os.getpid(), "parent": os.getppid(),
    "signals": [line for line in open("/proc/self/status") if line.startswith(("SigBlk", "SigIgn", "SigCgt"))],
}, sys.stdout)
"""


def asked(folder: Path, program: str, *words: str, environment: dict[str, str] | None = None, **more: Any) -> Order:
    more.setdefault("libraries", LIBRARIES)
    return Order(("-c", program, *words), {**base_environment(), **(environment or {})}, folder, **more)


def told(folder: Path, *words: str, **more: Any) -> Any:
    """Return a process's description of itself."""
    with (folder / "told").open("w+b") as file:
        process = start(asked(folder, TOLD, *words, stdout=file.fileno(), **more))
        assert process.wait() == 0
        file.seek(0)
        return json.load(file)


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")
both_ways = pytest.mark.parametrize("forks", [pytest.param(True, marks=linux_only), False], ids=["forked", "anew"])


@pytest.fixture(autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "forks" in request.fixturenames:
        monkeypatch.setattr(processes, "_FORKS", request.getfixturevalue("forks"))


@linux_only
def test_a_fork_has_what_a_process_that_is_started_anew_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"ONLY": "here", "TZ": ":Asia/Omsk", "PYTHONPATH": f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}"}
    monkeypatch.setenv("NOT_FOR_IT", "1")
    beside = start(asked(tmp_path, "import time; time.sleep(600)"))
    forked = told(tmp_path, "one", "two", environment=environment)
    beside.kill()
    beside.wait()
    monkeypatch.setattr(processes, "_FORKS", False)
    anew = told(tmp_path, "one", "two", environment=environment)
    own = {"random", "pid", "parent", "open"}
    assert {name: value for name, value in forked.items() if name not in own} == {
        name: value for name, value in anew.items() if name not in own
    }
    assert forked["environment"] == {**base_environment(), **environment}
    assert (forked["words"], forked["folder"], forked["zone"]) == (["one", "two"], str(tmp_path), "+06")
    assert forked["path"] == [str(tmp_path), str(tmp_path / "a")]
    # 0–2, the line to the parent, and the folder of descriptors that it looked into.
    assert len(forked["open"]) == len(anew["open"]) == 5


def test_a_cloud_loads_the_platform_once_where_its_functions_use_it() -> None:
    assert LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS).libraries == runtime.platform_libraries()
    assert {"contest.edge.web", "tracks.essay.track", "tracks.gec.track"} <= {*runtime.platform_libraries()}
    assert [name for name in runtime.platform_libraries() if "commands" in name or name == "boto3"] == []
    assert LocalCloud(DEFAULT_TEMPLATE, HANDLERS).libraries == runtime.LIBRARIES


@linux_only
def test_forks_of_one_server_share_no_random_numbers(tmp_path: Path) -> None:
    first, second = told(tmp_path), told(tmp_path)
    assert first["parent"] == second["parent"] != os.getpid()
    assert not set(first["random"]) & set(second["random"])


@linux_only
@pytest.mark.parametrize("libraries", [runtime.platform_libraries(), emulator.LIBRARIES], ids=["functions", "moto"])
def test_a_fork_has_all_libraries_and_no_random_numbers_of_numpys(tmp_path: Path, libraries: tuple[str, ...]) -> None:
    program = f"""
import sys
print([name for name in {libraries!r} if name not in sys.modules], "numpy.random" in sys.modules)
"""
    with (tmp_path / "told").open("w+") as file:
        assert start(asked(tmp_path, program, libraries=libraries, stdout=file.fileno())).wait() == 0
        file.seek(0)
        assert file.read() == "[] False\n"


@linux_only
@pytest.mark.parametrize("libraries", [runtime.platform_libraries(), emulator.LIBRARIES], ids=["functions", "moto"])
def test_the_libraries_start_no_thread_and_read_nothing_that_a_function_is_told(libraries: tuple[str, ...]) -> None:
    functions = Template.read(DEFAULT_TEMPLATE).of_type(FUNCTION_TYPE)
    told = {name for function in functions for name in function.properties["Environment"]["Variables"]}
    assert "HURDLE_CYCLE" in told
    program = f"""
import importlib, os, sys
asked = set()
class Heard(type(os.environ)):
    def __getitem__(self, name):
        asked.add(name)
        return super().__getitem__(name)
os.environ.__class__ = Heard
for name in {libraries!r}:
    importlib.import_module(name)
print(len(os.listdir("/proc/self/task")), *asked)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**base_environment(), **processes._ONE_THREAD},
        capture_output=True,
        text=True,
        check=True,
    )
    threads, *asked = done.stdout.split()
    of_the_runtime = {"AWS_ACCESS_KEY_ID", "TZ", "_HANDLER", "POWERTOOLS_TRACE_DISABLED", "AWS_LAMBDA_RUNTIME_API"}
    of_the_runtime |= {"AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_ENDPOINT_URL"}
    assert threads == "1"
    assert asked, "nothing would be heard"
    assert not set(asked) & (told | of_the_runtime)


def test_what_is_read_of_the_sdk_once_is_to_every_session_what_a_reading_of_its_own_would_be() -> None:
    """All later clients share the data: the values that one client fills in must be those that each would fill in."""
    program = """
import botocore.session
from local.lambdas import sdk
KEYS = {"region_name": "eu-central-1", "aws_access_key_id": "x", "aws_secret_access_key": "x"}
read, plain = [], sdk._read
sdk._read = lambda loader, path: read.append(path) or plain(loader, path)
def known():
    session = botocore.session.Session()
    for service in sdk._SERVICES:
        model = session.create_client(service, **KEYS).meta.service_model
        [model.operation_model(name).input_shape for name in model.operation_names]
    loader = session.get_component("data_loader")
    of_services = [loader.load_service_model(name, kind) for name in sdk._SERVICES for kind in KINDS]
    lists = [loader.list_available_services(kind) for kind in (*KINDS, "waiters-2")]
    return of_services + [loader.load_data(name) for name in sdk._OF_ALL] + lists
KINDS = sdk._OF_A_SERVICE
once, twice = known(), known()
print([path for path in read if any(kind in path for kind in KINDS)])
botocore.loaders.JSONFileLoader.load_file = plain
botocore.loaders.Loader.list_available_services = sdk._list
print(len(twice), once == twice == known(), once[0] is twice[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=base_environment(), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n28 True True\n", "")


@both_ways
@pytest.mark.parametrize(
    ("program", "status"),
    [("", 0), ("raise SystemExit(3)", 3), ("1 / 0", 1), ("import os; os._exit(4)", 4), ("import os; os.abort()", -6)],
    ids=["end", "exit", "error", "leave", "abort"],
)
def test_the_status_is_the_processs_own(tmp_path: Path, program: str, status: int, forks: bool) -> None:
    with (tmp_path / "errors").open("w+") as errors:
        process = start(asked(tmp_path, program, stderr=errors.fileno()))
        assert (process.wait(), process.wait()) == (status, status)
        process.kill()  # nobody's harm
        errors.seek(0)
        assert ("ZeroDivisionError" in errors.read()) == (program == "1 / 0")


@both_ways
def test_a_descriptor_keeps_its_number_and_what_is_open_for_another_process_is_not_for_this_one(
    tmp_path: Path,
    forks: bool,
) -> None:
    reading, writing = os.pipe()
    other = start(asked(tmp_path, "import time; time.sleep(600)"))
    try:
        program = "import os, sys; os.write(int(sys.argv[1]), b'here')"
        process = start(asked(tmp_path, program, str(writing), descriptors=(writing,)))
        assert process.wait() == 0
        os.close(writing)
        os.set_blocking(reading, False)
        assert (os.read(reading, 10), os.read(reading, 10)) == (b"here", b"")
        # Whoever held a copy of the other one's line to us would keep it alive.
        assert_ends_with_its_line(other)
    finally:
        os.close(reading)
        other.kill()
        other.wait()


def assert_ends_with_its_line(process: Process) -> None:
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert eventually(lambda: not is_alive(process.pid))


@both_ways
def test_a_process_can_be_killed_at_any_moment_by_anybody(tmp_path: Path, forks: bool) -> None:
    for _ in range(20):
        process = start(asked(tmp_path, ""))
        killers = [threading.Thread(target=process.kill) for _ in range(3)]
        for each in killers:
            each.start()
        assert process.wait() in {0, -signal.SIGKILL}
        for each in killers:
            each.join()


@linux_only
def test_when_its_server_is_killed_the_next_process_has_a_new_one_and_the_old_one_can_still_be_ended(
    tmp_path: Path,
) -> None:
    libraries = ("json",)
    old = start(asked(tmp_path, "import time; time.sleep(600)", libraries=libraries))
    server = int(Path(f"/proc/{old.pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(server, signal.SIGKILL)
    assert eventually(lambda: not is_alive(server))
    assert is_alive(old.pid)
    fresh = start(asked(tmp_path, "raise SystemExit(5)", libraries=libraries))
    assert fresh.wait() == 5
    assert old.wait() == -signal.SIGKILL
    assert eventually(lambda: not is_alive(old.pid))


@linux_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_with_the_parent_everything_ends_however_it_ends(tmp_path: Path, number: signal.Signals) -> None:
    leftovers = tmp_path / "leftovers"
    leftovers.mkdir()
    parent = f"""
import sys, time
from pathlib import Path
from local.environment import base_environment
from local.processes import Order, start
words, leftovers = ("-c", "import time; time.sleep(600)"), Path({str(leftovers)!r})
order = Order(words, base_environment(), Path("/"), {LIBRARIES!r}, remove=leftovers)
processes = [start(order), start(order)]
server = Path(f"/proc/{{processes[0].pid}}/stat").read_text().rpartition(")")[2].split()[1]
print(server, *(process.pid for process in processes), flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        pids = [int(word) for word in running.stdout.readline().split()]
        assert len(pids) == 3
        assert all(is_alive(pid) for pid in pids)
        running.send_signal(number)
    assert eventually(lambda: not any(is_alive(pid) for pid in pids))
    assert eventually(lambda: not leftovers.exists())
