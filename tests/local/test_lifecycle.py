"""The command `hurdle` and the lives of processes: whatever ends a local cloud, nothing of it stays behind."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types

from contest import settings
from local.aws.emulator import Emulator
from local.aws.template import TABLE_TYPE, Template, TemplateError
from local.clock import Clock, monotonic_s
from local.cloud import DEFAULT_TEMPLATE, FunctionError, LocalCloud
from local.environment import base_environment
from local.lambdas.runtime import Logs
from tests.local.local_toys import HANDLERS, TEMPLATE, put, seen, send, toy_cloud
from tests.processes import PATIENCE_S, eventually, is_alive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.integration

STARTS = "The local cloud starts …\n"
ACCOUNTS = "Sample accounts are made …\n"


def without_waits(errors: str) -> str:
    """Remove the durations, which are the machine's, from the messages on the way."""
    return re.sub(r"^.* … \d+:\d\d\n", "", errors, flags=re.MULTILINE)


class Command:
    """A running `hurdle up` of the toy template."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "local.cli", "up", "--port", "0", "--aws-port", "0"]
        sources = ["--template", str(TEMPLATE), "--functions", str(HANDLERS)]
        self.process = subprocess.Popen(
            [*command, *sources, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**base_environment(), "TMPDIR": str(folder)},
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        lines = "".join(self.process.stdout.readline() for _ in range(3))
        self.url, self.endpoint = re.findall(r"http://\S+", lines)[-2:]  # before them the site, where it is built
        assert httpx.get(self.url + "/open/pid").status_code == 200

    def descendants(self) -> list[int]:
        """Return the process's children, among them the fork servers, and their children."""
        parents = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(stat.parent.name)] = int(fields[1])
        children = {pid for pid, parent in parents.items() if parent == self.process.pid}
        return [pid for pid, parent in parents.items() if pid in children or parent in children]

    def aws_services(self) -> int:
        """Return the process that listens on the port of the AWS services."""
        port = f":{int(self.endpoint.rpartition(':')[2]):04X}"
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        [inode] = [fields[9] for fields in map(str.split, lines) if fields[1].endswith(port) and fields[3] == "0A"]
        return max(pid for pid in self.descendants() if f"socket:[{inode}]" in _descriptors(pid))

    def ports(self) -> list[int]:
        return [int(address.rpartition(":")[2]) for address in (self.url, self.endpoint)]


def _descriptors(pid: int) -> list[str]:
    """Return the names of a process's open files; processes end and files are closed while they are listed."""
    names = []
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                names.append(str(link.readlink()))
    return names


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    started: list[Command] = []

    def start(*options: str) -> Command:
        started.append(Command(tmp_path, *options))
        started[-1].wait_until_ready()
        return started[-1]

    yield start
    for command in started:
        command.process.kill()
        command.process.communicate()


def is_free(port: int) -> bool:
    with socket.socket() as tester:
        tester.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tester.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")


@linux_only
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(one, marks=pytest.mark.long) for one in (signal.SIGINT, signal.SIGHUP, signal.SIGKILL)),
    ],
)
def test_whatever_ends_it_no_process_port_or_folder_stays_and_its_state_goes_on(
    number: signal.Signals, tmp_path: Path, up: Callable[..., Command]
) -> None:
    """Begin with the state of a cloud that has ended, and read the state that the command has kept."""
    state = tmp_path.parent / f"{tmp_path.name}-state"
    with toy_cloud(state=state) as cloud:
        table = cloud.resource("StorageItems")
        put(cloud, "0")
    command = up("--state", str(state))
    with toy_client(command.endpoint) as tables:
        assert tables.scan(TableName=table)["Count"] == 1
        tables.put_item(TableName=table, Item={"pk": {"S": "item"}, "sk": {"S": "1"}})
    assert eventually(lambda: len(command.descendants()) >= 6)  # moto, workers, and what they are forked from
    descendants, ports = command.descendants(), command.ports()
    assert list(tmp_path.iterdir()) != []
    command.process.send_signal(number)
    output, errors = command.process.communicate(timeout=PATIENCE_S)
    if number is signal.SIGKILL:
        assert command.process.returncode == -number
    else:
        assert (command.process.returncode, without_waits(errors)) == (0, STARTS + ACCOUNTS)
        assert output.endswith("Stopped.\n")
    assert eventually(lambda: not any(is_alive(pid) for pid in descendants))
    assert all(is_free(port) for port in ports)
    assert eventually(lambda: list(tmp_path.iterdir()) == [])
    with toy_cloud(state=state) as cloud:
        assert cloud.client("dynamodb").scan(TableName=table)["Count"] == 2


@linux_only
def test_a_stop_while_starting_leaves_nothing(tmp_path: Path) -> None:
    code = f"""
import os, signal
from local import cli
from local.aws import template
template.Deployment.create_all = lambda self: os.kill(os.getpid(), signal.SIGTERM)
cli.main(["up", "--port", "0", "--aws-port", "0", "--template", {str(TEMPLATE)!r}, "--functions", {str(HANDLERS)!r}])
"""
    environment = {**base_environment(), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, without_waits(done.stderr)) == (0, "Stopped.\n", STARTS)
    assert list(tmp_path.iterdir()) == []


class toy_client:  # noqa: N801 - used as a function
    def __init__(self, endpoint: str) -> None:
        from local.aws.emulator import Emulator

        self._emulator = Emulator(endpoint)

    def __enter__(self) -> Any:
        return self._emulator.client("dynamodb")

    def __exit__(self, *_: object) -> None:
        self._emulator.stop()


@linux_only
@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.long)])
def test_a_cloud_that_is_killed_at_random_moments_has_all_that_it_acknowledged_and_nothing_twice(
    tmp_path: Path, up: Callable[..., Command], kills: int
) -> None:
    """Kill, after a number of answers that a seed draws, the command or its process of the AWS services alone."""
    draw, state, load = random.Random(34), tmp_path.parent / f"{tmp_path.name}-state", Load()
    for start in range(kills):
        command = up("--state", str(state))
        doomed = draw.choice([command.process.pid, command.aws_services()])
        load.put_until(command.endpoint, draw.randrange(20, 150), doomed, start)
        _, errors = command.process.communicate(timeout=PATIENCE_S)
        if doomed != command.process.pid:
            assert command.process.returncode == 1
            assert "the process of the AWS services has ended" in errors
    with toy_cloud(state=state, clock=Clock()) as cloud:
        cloud.drain()
        tables, bucket = cloud.client("dynamodb"), cloud.resource("StorageBlobs")
        pages = tables.get_paginator("scan").paginate(TableName=load.table)
        items = {item["sk"]["S"]: item for page in pages for item in page["Items"]}
        assert load.acknowledged["item"] <= items.keys()
        total = int(items["total"]["n"]["N"])
        assert load.added <= total <= load.tried
        kept = cloud.client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket)
        assert load.acknowledged["object"] <= {entry["Key"] for page in kept for entry in page.get("Contents", ())}
        assert load.acknowledged["message"] <= seen(cloud, "message").keys()
        for name in sorted(load.acknowledged["item"])[:20]:
            with pytest.raises(ClientError, match="ConditionalCheckFailed"):
                load.put(tables, name)


class Load:
    """Writers of a killed cloud: their acknowledged and their attempted writes."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, set[str]] = {"item": set(), "object": set(), "message": set()}
        self.added = self.tried = 0
        with toy_cloud() as cloud:
            self.table, self.bucket = cloud.resource("StorageItems"), cloud.resource("StorageBlobs")
            self.queue = cloud.resource("WorkQueue").rpartition("/")[2]

    def put(self, tables: Any, name: str) -> None:
        """Put an item that is not there yet."""
        item = {"pk": {"S": "item"}, "sk": {"S": name}, "kind": {"S": "other"}}
        tables.put_item(TableName=self.table, Item=item, ConditionExpression="attribute_not_exists(pk)")

    def put_until(self, endpoint: str, answers: int, doomed: int, start: int) -> None:
        """Write items, a sum, objects and messages on three threads; kill after so many answers."""
        remaining, lock = [answers], threading.Lock()

        def answered() -> None:
            with lock:
                remaining[0] -= 1
                if remaining[0] == 0:
                    os.kill(doomed, signal.SIGKILL)

        def work(worker: int) -> None:
            emulator = Emulator(endpoint)
            tables, store, queues = (emulator.client(name) for name in ("dynamodb", "s3", "sqs"))
            key = {"pk": {"S": "item"}, "sk": {"S": "total"}}
            add = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
            with suppress(BotoCoreError):
                url = queues.get_queue_url(QueueName=self.queue)["QueueUrl"]
                for number in itertools.count():
                    name = f"{start}-{worker}-{number}"
                    self.put(tables, name)
                    self.acknowledged["item"].add(name)
                    answered()
                    with lock:
                        self.tried += 1
                    tables.update_item(TableName=self.table, Key=key, **add)
                    with lock:
                        self.added += 1
                    answered()
                    store.put_object(Bucket=self.bucket, Key=name, Body=name.encode())
                    self.acknowledged["object"].add(name)
                    queues.send_message(QueueUrl=url, MessageBody=json.dumps({"key": name}))
                    self.acknowledged["message"].add(name)
                    answered()
            emulator.stop()

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_the_shipped_template_starts() -> None:
    with LocalCloud(DEFAULT_TEMPLATE, HANDLERS) as cloud:
        tables = cloud.client("dynamodb").list_tables()["TableNames"]
        assert len(tables) == len(list(Template.read(DEFAULT_TEMPLATE).of_type(TABLE_TYPE))) > 0
        assert cloud.drain() == 0
        connections = cloud.environment("FunctionsPush")[settings.SOCKET_ENDPOINT]
        assert connections.startswith(f"{cloud.url}/_local/")
        assert httpx.get(f"{connections}/@connections/AAAAAAAAAAAAAAA=").status_code == 410
        assert httpx.get(f"{cloud.url}/socket.io/?EIO=4&transport=polling").status_code == 426


def test_a_taken_port_is_said_so() -> None:
    with toy_cloud() as cloud:
        port = int(cloud.url.rpartition(":")[2])
        with pytest.raises(OSError, match=f"port {port} on 127.0.0.1 is taken"):
            toy_cloud(port=port).start()


def test_a_template_that_is_not_understood_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    template = tmp_path / "template.json"
    template.write_text(TEMPLATE.read_text().replace("rate(1 minute)", "rate(1 blink)"))
    before = set(threading.enumerate())
    with pytest.raises(TemplateError, match=r"Minutely0A1B2C3D: 'rate\(1 blink\)' is no rate"):
        LocalCloud(template, HANDLERS).start()
    assert list(tmp_path.iterdir()) == [template]
    assert set(threading.enumerate()) == before


def test_a_crash_is_shown_with_what_the_function_said_last(tmp_path: Path) -> None:
    screen = StringIO()
    with toy_cloud(logs=Logs(tmp_path / "logs", screen=screen)) as cloud:
        httpx.get(cloud.url + "/open/log")
        assert screen.getvalue() == ""
        httpx.get(cloud.url + "/open/crash")
        assert re.search("ToyApi0A1B2C3D: Runtime.ExitError: .*Runtime exited with status 3", screen.getvalue())
        assert "    a line from the function" in screen.getvalue()
        with pytest.raises(FunctionError, match=r"(?s)ToyBroken0A1B2C3D: Runtime.ExitError.*No module named"):
            cloud.invoke("ToyBroken", {})
    assert "a line from the function\n" in (tmp_path / "logs" / "ToyApi0A1B2C3D.log").read_text()


def test_verbose_shows_every_line_with_its_function() -> None:
    screen = StringIO()
    with toy_cloud(logs=Logs(verbose=True, screen=screen)) as cloud:
        httpx.get(cloud.url + "/open/log")
        assert "ToyApi0A1B2C3D: a line from the function\n" in screen.getvalue()
    assert "template: Topic0A1B2C3D (AWS::SNS::Topic) has no part in the local cloud\n" in screen.getvalue()
    assert "template: Api0A1B2C3D" not in screen.getvalue()


def test_a_function_is_invoked_directly() -> None:
    with toy_cloud() as cloud:
        assert cloud.invoke("ToyApi", {"rawPath": "/plain"}) == {"hello": "world"}
        with pytest.raises(FunctionError, match=r"(?s)ToyApi0A1B2C3D: ZeroDivisionError: division by zero.*toy/api.py"):
            cloud.invoke("ToyApi", {"rawPath": "/raise"})


def test_stopping_ends_what_is_under_way_at_once() -> None:
    with toy_cloud() as cloud:
        send(cloud, key="endless", sleep=600)
        while not cloud._running_emulator().call("depths")["queues"]["local-WorkQueue0A1B2C3D"]["in_hand"]:
            pass
        started = monotonic_s()
    assert monotonic_s() - started < PATIENCE_S
    cloud.stop()
