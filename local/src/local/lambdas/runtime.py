"""Lambda: functions run unchanged by `awslambdaric` in worker processes that take events from this runtime.

A worker is a process with the function's environment; it asks `GET /FUNCTION/WORKER/2018-06-01/runtime/invocation/next`
for an event and posts the result, one event at a time. Workers are started when there is work for them, at
most `FunctionSpec.workers` at once, and live until they crash, time out or the runtime stops. The runtime
belongs to one event loop; `Runtime.invoke` is to be awaited there. Lambda's memory limits are not kept.

Workers are forked from a process that has loaded the modules of :func:`libraries_of` (see `local.processes`).

Each call of a function is two requests of its worker. awslambdaric alone makes them, with a length and one after the
other, so they are read here as they come: a server for all of HTTP takes five times as long for one.

:class:`Logs` takes the lines that functions print (:func:`lines_of` reads them from a pipe): they go to files on
request and are shown on request; problems are always shown.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import pkgutil
import re
import sys
import uuid
from collections import defaultdict, deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

import orjson

from local import processes
from local.aws.alarms import LAMBDA
from local.aws.template import FunctionSpec, function_arn
from local.clock import monotonic_s, system_ms
from local.environment import base_environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from local.aws.alarms import Figures
    from local.processes import Process


class Logs:
    """Takes lines by source (a function's name, or a part of the local cloud).

    `folder`: one file per source is written there. `verbose`: every line goes to `screen` (standard error)
    with its source before it; otherwise only problems do.
    """

    def __init__(self, folder: Path | None = None, *, verbose: bool = False, screen: TextIO | None = None) -> None:
        self._folder = folder
        self._verbose = verbose
        self._screen = screen
        self._files: dict[str, TextIO] = {}

    def line(self, source: str, text: str) -> None:
        """Take one line."""
        self._write(source, text)
        if self._verbose:
            self._show(f"{source}: {text}")

    def problem(self, source: str, text: str, details: Sequence[str] = ()) -> None:
        """Take a problem that needs attention; `details` are lines that explain it."""
        for line in (text, *details):
            self._write(source, line)
        self._show("\n".join([f"{source}: {text}", *(f"    {line}" for line in details)]))

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _write(self, source: str, text: str) -> None:
        if self._folder is None:
            return
        if source not in self._files:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._files[source] = (self._folder / f"{source}.log").open("a", encoding="utf-8", buffering=1)
        self._files[source].write(text + "\n")

    def _show(self, text: str) -> None:
        print(text, file=self._screen or sys.stderr, flush=True)


_LINE_LIMIT = 256 * 1024


@asynccontextmanager
async def lines_of(descriptor: int) -> AsyncIterator[AsyncIterator[str]]:
    """Yield the lines that come out of a pipe, then close it."""
    stream = asyncio.StreamReader(_LINE_LIMIT)
    pipe = open(descriptor, "rb", buffering=0)  # noqa: SIM115 - the transport closes it
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), pipe
    )
    try:
        yield _lines(stream)
    finally:
        transport.close()


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # longer than the stream's buffer: the rest comes as further lines
            continue
        if not line:
            return
        for part in line.decode("utf-8", "replace").replace("\r", "\n").splitlines():
            yield part


LIBRARIES: Final = (
    "botocore.httpsession",
    "local.lambdas.sdk",
    "numpy",
    "pydantic",
    "pynamodb.models",
    "pynamodb.transactions",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "aws_lambda_powertools.event_handler.openapi.params",
    "aws_lambda_powertools.logging",
)
"""Libraries of most functions; those that are not installed are left out. Not awslambdaric, whose native part reads the
runtime's address while it is loaded."""
_PLATFORM: Final = "contest"
_CONTESTS: Final = "tracks"
_USES_PLATFORM: Final = re.compile(rb"^\s*(?:from|import) contest\b", re.MULTILINE)


def libraries_of(functions: Path) -> tuple[str, ...]:
    """Return the modules to load for a folder of functions: with the platform's own where a function imports them."""
    sources = (module.read_bytes() for module in functions.glob("*/*.py"))
    return platform_libraries() if any(map(_USES_PLATFORM.search, sources)) else LIBRARIES


@cache
def platform_libraries() -> tuple[str, ...]:
    """Return the functions' libraries, the platform's own modules and those of every contest.

    A cloud starts some twenty processes, each of which would spend half a second of work on these. Handlers are not
    among them: a rehearsal has a copy of these.
    """
    platform = [name for name in _modules_of(_PLATFORM) if not {"__main__", "commands"} & {*name.split(".")}]
    # Each loads what its functions need; the rest of the package are commands.
    contests = [name for name in _modules_of(_CONTESTS) if name.endswith(".track")]
    return (*LIBRARIES, *platform, *contests)


def _modules_of(package: str) -> list[str]:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return [module.name for module in pkgutil.walk_packages(folders, f"{package}.")]


_PLATFORM_LOGGER: Final = "hurdle"
_START: Final = f"""
import logging, runpy
logging.getLogger({_PLATFORM_LOGGER!r}).propagate = False
runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
"""
"""Program of a worker. Lambda sets its handler of the log before functions are loaded, so the platform's logger keeps
its lines from it. Here that logger is there first: each line would be printed, and counted in the bill, twice."""
# Lambda's limit for synchronous events and results, in bytes.
PAYLOAD_LIMIT = 6 * 1024 * 1024
# A worker that has not asked for an event by then is broken (Lambda allows 10 s; a laptop may be busy).
INIT_LIMIT_S = 60
# What has not ended by itself by then is cancelled; a killed process ends in milliseconds.
_STOP_LIMIT_S = 5
# More than this many workers starting together only delay each other on a small machine.
_WARMED_AT_ONCE = 2
# Of a worker's lines so many are kept, and shown of them when it dies.
_KEPT_LINES = 60
_SHOWN_LINES = 20
# CloudWatch bills so much beside each line of a log (Amazon CloudWatch Logs API Reference, PutLogEvents).
_EVENT_BYTES = 26
# How a run ends that is one too many for the function's reserved concurrency.
THROTTLED = "TooManyRequestsException"
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = "content-length:"
# How a run ends when the local cloud does.
STOPPED = "Runtime.Stopped"
_API_VERSION = "2018-06-01"


class InvocationResult(NamedTuple):
    """A function's result: JSON bytes, and `error`, Lambda's `X-Amz-Function-Error`, None without an error."""

    payload: bytes
    error: str | None = None

    def explanation(self) -> str:
        """Return the error's type and message."""
        error = json.loads(self.payload)
        return f"{error.get('errorType', self.error)}: {error.get('errorMessage', '')}"

    def trace(self) -> list[str]:
        """Return the lines that the error came with: a stack trace, or the last lines of a dead worker."""
        error = json.loads(self.payload)
        return [line for part in error.get("stackTrace", []) for line in str(part).splitlines()]


@dataclass
class Metered:
    """Runs of a function, their seconds in all, and the bytes of log that they wrote."""

    calls: int = 0
    seconds: float = 0.0
    logged_bytes: int = 0


@dataclass(eq=False)
class _Invocation:
    payload: bytes
    done: asyncio.Future[InvocationResult]
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    began_s: float | None = None
    """Monotonic time at which a worker got the invocation, in seconds; None before."""

    def finish(self, payload: bytes, error: str | None = None) -> None:
        if not self.done.done():
            self.done.set_result(InvocationResult(payload, error))

    def fail(self, kind: str, message: str, lines: Sequence[str] = ()) -> None:
        error = {"errorType": kind, "errorMessage": f"RequestId: {self.request_id} Error: {message}"}
        self.finish(to_json({**error, "stackTrace": list(lines)}), kind)


def to_json(value: Any) -> bytes:
    """Return compact JSON in UTF-8, non-ASCII text as it is, also half a surrogate pair, which orjson refuses."""
    with suppress(orjson.JSONEncodeError):
        return orjson.dumps(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


@dataclass(eq=False)
class _Worker:
    number: int
    process: Process | None = None
    ready: bool = False
    waiting: asyncio.Future[_Invocation] | None = None
    current: _Invocation | None = None
    limit: asyncio.TimerHandle | None = None
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))

    def last_words(self) -> list[str]:
        """Return the last error that the process printed, else its last lines."""
        lines = list(self.lines)
        starts = [number for number, line in enumerate(lines) if line.startswith("[ERROR]")]
        return lines[starts[-1] :][:_SHOWN_LINES] if starts else lines[-_SHOWN_LINES:]

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def kill_unready(self) -> None:
        if not self.ready:
            self.kill()

    def finished(self) -> _Invocation | None:
        """Forget the current invocation and its time limit; return it."""
        if self.limit is not None:
            self.limit.cancel()
        invocation, self.current, self.limit = self.current, None, None
        return invocation


class _Pool:
    """The workers and the waiting events of one function."""

    def __init__(self, spec: FunctionSpec, runtime: Runtime) -> None:
        self.spec = spec
        self.workers: dict[int, _Worker] = {}
        self._runtime = runtime
        self._pending: deque[_Invocation] = deque()
        self._numbers = itertools.count(1)

    def under_way(self) -> int:
        """Return how many events run or wait for a worker."""
        return len(self._pending) + sum(worker.current is not None for worker in self.workers.values())

    def is_full(self) -> bool:
        """Return whether as many events run, or wait for a worker, as may run at once."""
        return self.spec.reserved is not None and self.under_way() >= self.spec.reserved

    def submit(self, invocation: _Invocation) -> None:
        self._pending.append(invocation)
        self.dispatch()

    def dispatch(self) -> None:
        """Hand waiting events to waiting workers, and start workers for the rest where allowed."""
        for worker in self.workers.values():
            while self._pending and worker.waiting is not None:
                invocation = self._pending.popleft()
                if not invocation.done.done():
                    worker.current, invocation.began_s = invocation, monotonic_s()
                    worker.limit = asyncio.get_running_loop().call_later(self.spec.timeout_s, self._time_out, worker)
                    waiting, worker.waiting = worker.waiting, None
                    waiting.set_result(invocation)
        starting = sum(not worker.ready for worker in self.workers.values())
        self.start(min(self.spec.workers - len(self.workers), len(self._pending) - starting))

    def start(self, count: int) -> list[_Worker]:
        started = []
        for _ in range(count):
            # Known before its process exists: awslambdaric dies of a segmentation fault when it is refused an event.
            worker = _Worker(next(self._numbers))
            self.workers[worker.number] = worker
            self._runtime.spawn(self._run_worker(worker))
            started.append(worker)
        return started

    def abandon(self) -> None:
        """Fail every waiting event."""
        while self._pending:
            self._pending.popleft().fail(STOPPED, "the local cloud is stopping")

    def _time_out(self, worker: _Worker) -> None:
        if worker.current is not None:
            worker.current.fail("Sandbox.Timedout", f"Task timed out after {self.spec.timeout_s:.2f} seconds")
        worker.kill()

    async def _run_worker(self, worker: _Worker) -> None:
        """Start a worker, pass on its lines until it ends, then settle the work that it left undone."""
        limit = asyncio.get_running_loop().call_later(INIT_LIMIT_S, worker.kill_unready)
        how = "Runtime did not start"
        try:
            worker.process, printed = await self._runtime.start_process(self.spec, worker.number)
            async with lines_of(printed) as lines:
                async for line in lines:
                    worker.lines.append(line)
                    self._runtime.metered[self.spec.name].logged_bytes += len(line.encode()) + _EVENT_BYTES
                    self._runtime.logs.line(self.spec.name, line)
                    self._runtime.figures.take(line)
            status = await asyncio.to_thread(worker.process.wait)
            how = f"Runtime exited with {'signal' if status < 0 else 'status'} {abs(status)}"
        finally:
            limit.cancel()
            worker.kill()
            worker.settled.set()
            del self.workers[worker.number]
            self._bury(worker, how)

    def _bury(self, worker: _Worker, how: str) -> None:
        invocation = worker.finished()
        if worker.waiting is not None:
            worker.waiting.cancel()
        if invocation is None and not worker.ready and self._pending:
            # It never came up: the event it was started for fails, as every cold start of this code would.
            invocation = self._pending.popleft()
        if invocation is not None:
            invocation.fail("Runtime.ExitError", how, worker.last_words())
        self.dispatch()


@dataclass(eq=False)
class Runtime:
    """Runs functions, and serves their workers; `address` is where (`host:port`)."""

    functions: Mapping[str, FunctionSpec]
    sources: Path
    address: str
    logs: Logs
    libraries: tuple[str, ...]
    figures: Figures

    def __post_init__(self) -> None:
        self._pools = {name: _Pool(spec, self) for name, spec in self.functions.items()}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False
        self.metered: defaultdict[str, Metered] = defaultdict(Metered)

    async def invoke(self, name: str, payload: bytes) -> InvocationResult:
        """Run a function on a JSON event and return what it gave; a crash or time-out is a result with `error`.

        Waits for a free worker without limit; what is beyond the function's reserved concurrency is a result with
        `error` at once. KeyError for an unknown function, ValueError for an event over Lambda's limit.
        """
        if len(payload) > PAYLOAD_LIMIT:
            raise ValueError(f"the event has {len(payload)} bytes, more than Lambda's {PAYLOAD_LIMIT}")
        invocation = _Invocation(payload, asyncio.get_running_loop().create_future())
        if self._stopping:
            invocation.fail(STOPPED, "the local cloud is stopping")
        elif self._pools[name].is_full():
            invocation.fail(THROTTLED, "Rate Exceeded.")
            self.figures.note(LAMBDA, "Throttles", FunctionName=name)
        else:
            pool = self._pools[name]
            if pool.spec.provisioned and pool.under_way() >= pool.spec.provisioned:
                self._count_at_alias(pool.spec, "ProvisionedConcurrencySpilloverInvocations")
            pool.submit(invocation)
        result = await invocation.done
        if result.error != THROTTLED:
            ran = self.metered[name]
            ran.calls += 1
            ran.seconds += 0.0 if invocation.began_s is None else monotonic_s() - invocation.began_s
            self.figures.note(LAMBDA, "Invocations", FunctionName=name)
        if result.error not in {None, THROTTLED} and not self._stopping:
            self.figures.note(LAMBDA, "Errors", FunctionName=name)
            self._count_at_alias(self._pools[name].spec, "Errors")
            self.logs.problem(name, result.explanation(), result.trace())
        return result

    def _count_at_alias(self, spec: FunctionSpec, metric: str) -> None:
        """Count for the alias of a function that has one: gateways, queues and timers of the template call it alone."""
        if spec.alias:
            self.figures.note(LAMBDA, metric, FunctionName=spec.name, Resource=f"{spec.name}:{spec.alias}")

    async def warm(self, names: Sequence[str]) -> None:
        """Start one worker for each named function that has none, in order, so that the first are soon ready."""
        turns = asyncio.Semaphore(_WARMED_AT_ONCE)

        async def start(name: str) -> None:
            async with turns:
                if self._stopping or self._pools[name].workers:
                    return
                [worker] = self._pools[name].start(1)
                await worker.settled.wait()

        await asyncio.gather(*(start(name) for name in names))

    def spawn(self, work: Any) -> None:
        """Run a coroutine as a task that `stop` waits for."""
        if self._stopping:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Kill every worker and wait for their ends; what was running or waiting has failed afterwards."""
        self._stopping = True
        for pool in self._pools.values():
            pool.abandon()
        patience = asyncio.get_running_loop().time() + _STOP_LIMIT_S
        while self._tasks:
            if asyncio.get_running_loop().time() > patience:
                for task in self._tasks:
                    task.cancel()
            for pool in self._pools.values():
                for worker in pool.workers.values():
                    worker.kill()
            await asyncio.wait(self._tasks, timeout=0.1)

    async def start_process(self, spec: FunctionSpec, number: int) -> tuple[Process, int]:
        """Start a worker process, which ends by itself when this one does; return it, and where to read its lines."""
        printed, output = os.pipe()
        environment = {
            **base_environment(),
            "AWS_ACCESS_KEY_ID": spec.name,  # by which moto knows whose rights it is to look at
            "PYTHONPATH": str(self.sources),
            "LAMBDA_TASK_ROOT": str(self.sources),
            "_HANDLER": spec.handler,
            "TZ": ":UTC",
            "AWS_LAMBDA_FUNCTION_NAME": spec.name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory_mb),
            "POWERTOOLS_TRACE_DISABLED": "true",
            **spec.environment,
            "AWS_LAMBDA_RUNTIME_API": f"{self.address}/{spec.name}/{number}",
        }
        order = processes.Order(
            ("-c", _START, spec.handler),
            environment,
            self.sources,
            self.libraries,
            stdout=output,
            stderr=output,
        )
        try:
            return await asyncio.to_thread(processes.start, order), printed
        except BaseException:
            os.close(printed)
            raise
        finally:
            os.close(output)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a worker's requests until it ends."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head, *lines = (await reader.readuntil(_END_OF_HEAD)).decode("latin-1").split("\r\n")
                length = next((line[len(_LENGTH) :] for line in lines if line.lower().startswith(_LENGTH)), "0")
                answer = await self._answered(head.split(" ")[1], await reader.readexactly(int(length)))
                writer.write(answer)
                await writer.drain()
        writer.close()

    async def _answered(self, path: str, body: bytes) -> bytes:
        """Return the answer to a worker's request."""
        try:
            name, number, version, _, *call = path.strip("/").split("/")
            pool = self._pools[name]
            worker = pool.workers[int(number)]
        except (ValueError, KeyError):
            return _answer(404)
        match call:
            case ["invocation", "next"] if version == _API_VERSION:
                return await self._next(pool, worker)
            case ["invocation", request_id, "response" | "error" as kind]:
                invocation = worker.finished() if worker.current and worker.current.request_id == request_id else None
                if invocation is not None:
                    _finish(invocation, kind, body)
                return _answer(202)
        return _answer(404)

    async def _next(self, pool: _Pool, worker: _Worker) -> bytes:
        worker.ready = True
        worker.settled.set()
        worker.waiting = waiting = asyncio.get_running_loop().create_future()
        pool.dispatch()
        try:
            invocation = await waiting
        except asyncio.CancelledError:
            return _answer(410)
        deadline = system_ms() + round(pool.spec.timeout_s * 1000)
        headers = {
            "lambda-runtime-aws-request-id": invocation.request_id,
            "lambda-runtime-deadline-ms": str(deadline),
            "lambda-runtime-invoked-function-arn": function_arn(pool.spec.name),
            "content-type": "application/json",
        }
        return _answer(200, invocation.payload, headers)


def _finish(invocation: _Invocation, kind: str, body: bytes) -> None:
    if kind == "error":
        invocation.finish(body, "Unhandled")
    elif len(body) > PAYLOAD_LIMIT:
        invocation.fail("Function.ResponseSizeTooLarge", f"Response payload size exceeded {PAYLOAD_LIMIT} bytes.")
    else:
        invocation.finish(body)


def _answer(status: int, body: bytes = b"", headers: Mapping[str, str] = MappingProxyType({})) -> bytes:
    lines = [f"{name}: {value}" for name, value in {**headers, "content-length": str(len(body))}.items()]
    head = "\r\n".join([f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *lines])
    return head.encode() + _END_OF_HEAD + body
