"""The parent's side of moto: starts the process, and speaks to it as boto3 clients and by its own calls.

Its own calls, and the functions' requests, go over the line: without HTTP messages, on the emulator's port. A request
is ``MARK``, the key that signs, the operation, the length of its parameters in JSON, a line feed, and these. The answer
is the length of the result in JSON, a line feed and the result, or ``NOT_HERE``: only the service's own way can answer.
No request by HTTP begins with ``MARK``. An object's content is base64; that it is there already, or is not, is a
result, too (``REFUSED``).
"""

from __future__ import annotations

import base64
import json
import socket
from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped]  # ships no types
import orjson
from botocore.config import Config  # type: ignore[import-untyped]  # ships no types

from local import processes
from local.environment import HOST, REGION, base_environment
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from local.aws.identity import Right
    from local.clock import ClockState
    from local.processes import Process

ITEM_OPERATIONS: Final = frozenset(
    {
        *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"),
        *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
    }
)
OBJECT_HEADERS: Final = {
    "ContentType": "content-type",
    "ContentEncoding": "content-encoding",
    "CacheControl": "cache-control",
    "ContentDisposition": "content-disposition",
}
"""Names of headers, by the SDK's names of the metadata stored with an object."""
OBJECT_PARAMETERS: Final = {
    "GetObject": frozenset({"Bucket", "Key"}),
    "PutObject": frozenset({"Bucket", "Key", "Body", "IfNoneMatch", *OBJECT_HEADERS}),
    "ListObjectsV2": frozenset({"Bucket", "Prefix"}),
}
"""Parameters of operations on objects that the line takes; a request with any other goes the service's own way."""
OPERATIONS: Final = {
    "dynamodb": ITEM_OPERATIONS,
    "sqs": frozenset({"SendMessage", "SendMessageBatch"}),
    "s3": frozenset(OBJECT_PARAMETERS),
}
"""Operations that are answered on the line, by the SDK's names of services."""
REFUSED: Final = "Error"
"""Member of a result that is a refusal: its code and message, beside the status."""
MARK: Final = b"\0"
NOT_HERE: Final = b"-\n"


class Line:
    """A connection to the emulator, for one request at a time."""

    def __init__(self, port: int, timeout_s: float) -> None:
        """Connect. OSError when nobody listens."""
        with socket.create_connection((HOST, port), timeout_s) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._file = connection.makefile("rwb")

    def ask(self, key: str, operation: str, parameters: bytes) -> bytes | None:
        """Return the result; None where only the service's own way can answer. OSError when the connection ends."""
        self._file.write(b"%b%b %b %d\n%b" % (MARK, key.encode(), operation.encode(), len(parameters), parameters))
        self._file.flush()
        length = self._file.readline()
        if length == NOT_HERE:
            return None
        if not length.strip().isdigit():
            raise ConnectionResetError("the emulator has hung up")
        return self._file.read(int(length))

    def close(self) -> None:
        """Close the connection."""
        self._file.close()


def with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    """Return an attribute's value with its bytes decoded, anything else as it is."""
    if len(value) == 1:
        match value:
            case {"B": str(content)}:
                return {"B": base64.b64decode(content)}
            case {"BS": [str(), *_] as members}:
                return {"BS": [base64.b64decode(member) for member in members]}
    return value


def to_base64(content: object) -> str:
    """Return bytes as JSON carries them. TypeError for anything else."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise TypeError(f"{type(content).__name__} is no value of JSON")
    return base64.b64encode(content).decode()


def write_json(value: object) -> bytes:
    """Return a value in JSON, bytes in base64; TypeError for a set or an object. Dates and UUIDs are texts, as orjson
    writes them, and NaN is null: items and objects have none of these."""
    try:
        return orjson.dumps(value, default=to_base64)
    except orjson.JSONEncodeError:  # half a surrogate pair, a whole number of more than 64 bits
        return json.dumps(value, default=to_base64).encode()


def read_json(content: bytes) -> Any:
    """Return a value from JSON; its numbers have at most 64 bits, for those of items are strings."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:  # half a surrogate pair
        return json.loads(content)


def read_items(content: bytes) -> Any:
    """Return a value from JSON, with the bytes of attributes decoded."""
    return json.loads(content, object_hook=with_bytes) if b'{"B' in content else read_json(content)


LIBRARIES = ("local.aws.moto_loaded",)
_BUSY_S = 600
"""A process that has ended refuses at once; one with a whole final in its tables may be silent for over a minute,
and an answer that nobody waits for any more would take its messages with it."""


class EmulatorGoneError(Exception):
    """The moto process does not answer: it was stopped or it crashed."""


def listening_socket(port: int, host: str = HOST) -> socket.socket:
    """Return a socket that already accepts connections on a `port` (0: any free one), on the loopback address.

    Who holds it knows the address before the server runs; early clients wait in the backlog. OSError when
    the port is taken.
    """
    # asyncio turns Nagle's algorithm off only for sockets that name TCP; without that each answer takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        message = (
            f"port {port} on {host} is taken: choose another (--port, of the AWS services --aws-port), or 0 for any"
        )
        raise OSError(error.errno, message) from error
    listener.listen(1024)
    return listener


@cache
def _session() -> Any:
    """Return the session that makes clients; it reads the descriptions of services once in a process."""
    return boto3.session.Session(
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - moto asks for some, any will do
        region_name=REGION,
    )


@dataclass(frozen=True)
class JobQueue:
    """A queue of AWS Batch with one definition, whose jobs run a module of Python with its arguments (`words`).

    `tell` is the beginning of the logical id of the queue of SQS that hears of their ends.
    """

    queue: str
    definition: str
    words: tuple[str, ...]
    tell: str


class Emulator:
    """The corrected moto: `url` for AWS clients, `client(service)`, and our own calls.

    Without a `process` it only speaks to a server that was started elsewhere.
    """

    def __init__(self, url: str, process: Process | None = None) -> None:
        self.url = url
        self._process = process
        self._clients: dict[str, Any] = {}
        self._idle: deque[Line] = deque()

    @classmethod
    def start(cls, port: int, scratch: Path) -> Emulator:
        """Start moto on `port`; its process also removes the folder `scratch` when this process is killed."""
        with listening_socket(port) as listener:
            number = listener.fileno()
            order = processes.Order(
                ("local.aws.moto_server", str(number)),
                base_environment(),
                scratch,
                libraries=LIBRARIES,
                descriptors=(number,),
                remove=scratch,
            )
            process = processes.start(order)
            url = f"http://{HOST}:{listener.getsockname()[1]}"
        return cls(url, process)

    def client(self, service: str) -> Any:
        """Return the boto3 client of a service; clients may be used by several threads."""
        if service not in self._clients:
            self._clients[service] = _session().client(
                service,
                endpoint_url=self.url,
                config=Config(
                    proxies={},
                    retries={"total_max_attempts": 1},
                    max_pool_connections=64,
                    read_timeout=60,
                    s3={"addressing_style": "path"},
                ),
            )
        return self._clients[service]

    def call(self, name: str, **argument: Any) -> Any:
        """Make one of our own calls (see moto_server). EmulatorGoneError when moto does not answer."""
        try:
            line = self._idle.pop() if self._idle else Line(urlsplit(self.url).port or 0, _BUSY_S)
            body = line.ask("local", name, write_json(argument))
        except OSError as error:
            raise EmulatorGoneError(
                tr("no local cloud answers at {url}: {error}", url=self.url, error=error)
            ) from error
        if self._process is None:  # who has started it stops it
            line.close()
        else:
            self._idle.append(line)
        if body is None:
            raise EmulatorGoneError(
                tr("{url} is not a local cloud's AWS endpoint, or its call {name} failed", url=self.url, name=name)
            )
        return read_json(body)

    def set_clock(self, state: ClockState) -> None:
        """Set the clock of the queues."""
        self.call("clock", held_ms=state.held_ms, offset_ms=state.offset_ms)

    def set_rights(self, rights: Mapping[str, Sequence[Right]]) -> None:
        """Set functions' rights by their names: other requests are refused (see local.aws.identity)."""
        self.call("rights", **rights)

    def open_jobs(self, opened: JobQueue, tell: str) -> None:
        """Open a queue of AWS Batch; the queue of SQS with the URL `tell` hears of the end of each of its jobs."""
        call = {"queue": opened.queue, "definition": opened.definition, "words": list(opened.words), "tell": tell}
        self.call("jobs", **call, variables={"AWS_ENDPOINT_URL": self.url})

    def check(self) -> None:
        """Raise EmulatorGoneError when the process that this object started has ended by itself."""
        if self._process is not None and self._process.has_ended():
            raise EmulatorGoneError(tr("the process of the AWS services has ended; what it said last is above"))

    def stop(self) -> None:
        """End the process, if this object started one; its port is free afterwards."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for client in (*self._clients.values(), *self._idle):
            client.close()
