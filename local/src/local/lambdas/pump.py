"""Event source mappings of the template: carry stream records and queue messages to functions, at least once.

A message leaves its queue, and a stream's position moves on, only after the function has succeeded, as in Lambda.
`ReportBatchItemFailures` is honoured on both sides. A queue's failures come back after its visibility
time-out, or after `retry_s`, until the queue's redrive policy moves them away. A stream's batch is retried,
split in two if so configured, until its retries are used up, then reported to its failure queue. Batches
are not held back to fill (`MaximumBatchingWindowInSeconds`).
"""

from __future__ import annotations

import json
import random
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types

from local.aws.alarms import QUEUES
from local.aws.emulator import EmulatorGoneError
from local.aws.template import TemplateError, function_arn
from local.clock import monotonic_s, utc
from local.lambdas.runtime import to_json
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.aws.alarms import Figures
    from local.aws.emulator import Emulator
    from local.aws.template import Deployment, Resource
    from local.clock import Clock
    from local.lambdas.runtime import InvocationResult, Logs

MAPPING_TYPE = "AWS::Lambda::EventSourceMapping"
FOREVER = -1
_DEFAULT_BATCH = {"sqs": 10, "dynamodb": 100}


@dataclass(frozen=True)
class EventSource:
    """One mapping: which function gets the events of which queue or stream, and how.

    `source` is the queue's or table's name, `arn` the queue's or stream's ARN. `max_retries` may be FOREVER.
    `failure_queue` is the URL of the queue that hears of a stream's batches that were given up.
    """

    name: str
    function: str
    kind: str
    source: str
    arn: str
    batch_size: int
    reports_failures: bool
    patterns: tuple[Mapping[str, Any], ...] = ()
    bisect: bool = False
    max_retries: int = FOREVER
    failure_queue: str | None = None


def event_sources(deployment: Deployment) -> tuple[EventSource, ...]:
    """Return the mappings of the template."""
    return tuple(_event_source(resource, deployment) for resource in deployment.template.of_type(MAPPING_TYPE))


def _event_source(resource: Resource, deployment: Deployment) -> EventSource:
    where = resource.logical_id
    properties = deployment.resolver.properties(
        resource,
        "EventSourceArn",
        "FunctionName",
        "BatchSize",
        "FunctionResponseTypes",
        "FilterCriteria",
        "BisectBatchOnFunctionError",
        "MaximumRetryAttempts",
        "DestinationConfig",
    )
    arn = properties["EventSourceArn"]
    kind = arn.split(":")[2]
    if kind not in _DEFAULT_BATCH:
        raise TemplateError(
            tr("{where}: events of {kind} are not known here, only those of sqs and dynamodb", where=where, kind=kind)
        )
    function = properties["FunctionName"]
    if ":" in function:
        function = deployment.function_of(function, f"{where}.FunctionName")
    filters = properties.get("FilterCriteria", {}).get("Filters", [])
    if filters and kind == "sqs":
        raise TemplateError(tr("{where}: filters are known here for streams only", where=where))
    return EventSource(
        name=where,
        function=function,
        kind=kind,
        source=arn.split(":")[5] if kind == "sqs" else arn.split("/")[1],
        arn=arn,
        batch_size=int(properties.get("BatchSize", _DEFAULT_BATCH[kind])),
        reports_failures="ReportBatchItemFailures" in properties.get("FunctionResponseTypes", []),
        patterns=tuple(json.loads(item["Pattern"]) for item in filters),
        bisect=bool(properties.get("BisectBatchOnFunctionError", False)),
        max_retries=int(properties.get("MaximumRetryAttempts", FOREVER)),
        failure_queue=failure_queue_of(properties, deployment, where),
    )


def failure_queue_of(properties: Mapping[str, Any], deployment: Deployment, where: str) -> str | None:
    """Return the URL of the queue that hears of failures. TemplateError for a queue that is not the template's."""
    arn = properties.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    if arn is None:
        return None
    for resource in deployment.template.of_type("AWS::SQS::Queue"):
        if deployment.attributes(resource.logical_id)["Arn"] == arn:
            return deployment.ref(resource.logical_id)
    raise TemplateError(tr("{where}: the failure destination {arn} is no queue of this template", where=where, arn=arn))


_WAIT_S = 10
_FIRST_BACKOFF_S = 0.05
_MAX_BACKOFF_S = 5.0
# How long `drain` sleeps at most before it looks again, should nothing happen meanwhile.
_LOOK_AGAIN_S = 0.1


def _backoff_s(attempts: int) -> float:
    """Return the seconds to wait after a number of failed attempts."""
    return min(_FIRST_BACKOFF_S * 2.0 ** min(attempts, 10), _MAX_BACKOFF_S)


class Surroundings(NamedTuple):
    """The means of every consumer: moto, the functions, the clock, logs, faults, the time until retries, figures."""

    emulator: Emulator
    invoke: Callable[[str, bytes], InvocationResult]
    clock: Clock
    logs: Logs
    faults: Faults
    retry_s: int | None
    figures: Figures


class Progress:
    """Counts steps of any consumer, so that `drain` can tell whether something moved while it looked."""

    def __init__(self) -> None:
        self.steps = 0
        self._moved = threading.Condition()
        self.stopping = threading.Event()

    def step(self) -> None:
        """Count a step: something is about to change or has changed."""
        with self._moved:
            self.steps += 1
            self._moved.notify_all()

    def wait(self, steps: int, seconds: float) -> None:
        """Wait until there are more than `steps` steps, at most `seconds`."""
        with self._moved:
            self._moved.wait_for(lambda: self.steps != steps, seconds)


class _Consumer(ABC):
    """A thread that carries the events of one source until the pump stops."""

    def __init__(self, source: EventSource, number: int, around: Surroundings, progress: Progress) -> None:
        self.source = source
        self._around = around
        self._progress = progress
        self._fates = around.faults.source(f"{source.name}/{number}")
        self.thread = threading.Thread(target=self._run, name=f"pump-{source.name}-{number}", daemon=True)

    def _run(self) -> None:
        try:
            while not self._progress.stopping.is_set():
                self._carry()
        except (EmulatorGoneError, BotoCoreError, ClientError) as error:
            if not self._progress.stopping.is_set():
                self._around.logs.problem(self.source.name, f"carries no more events: {error}")

    @abstractmethod
    def _carry(self) -> None:
        """Take events from the source, give them to the function, and report the outcome to the source."""

    def _ask(self, name: str, **argument: Any) -> Any:
        """Call moto until it answers: a message that is not settled would be in hand for good."""
        failures = 0
        while True:
            try:
                return self._around.emulator.call(name, **argument)
            except EmulatorGoneError as error:
                if self._progress.stopping.is_set():
                    raise
                if not failures:
                    self._around.logs.problem(self.source.name, f"tries again until its source answers: {error}")
                self._progress.stopping.wait(_backoff_s(failures))
                failures += 1

    def _is_lost(self, text: str) -> bool:
        """Return whether an injected fault loses a message or record here."""
        return self._around.faults.lost(self.source.name, text)

    def _invoke(self, records: Sequence[Mapping[str, Any]]) -> Any:
        """Run the function on records. Return its result, or None when it failed."""
        result = self._around.invoke(self.source.function, to_json({"Records": records}))
        return (json.loads(result.payload) or {}) if result.error is None else None

    def _failed_ids(self, result: Any, sent: Sequence[str]) -> set[str] | None:
        """Return which records failed; None when all did, as when the list of failures makes no sense."""
        if result is None:
            return None
        failures = result.get("batchItemFailures") if isinstance(result, dict) else None
        if not self.source.reports_failures or not failures:
            return set()
        identifiers = {str(failure.get("itemIdentifier")) for failure in failures if isinstance(failure, dict)}
        return identifiers if identifiers and identifiers <= set(sent) else None


class QueueConsumer(_Consumer):
    """Consumer that delivers a queue's messages to its function."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._later: list[dict[str, Any]] = []

    def _carry(self) -> None:
        limit, wait_s = self.source.batch_size, 0 if self._later else _WAIT_S
        received = self._ask("receive", queue=self.source.source, limit=limit, wait_s=wait_s)
        if received["messages"]:
            self._around.figures.note(
                QUEUES, "NumberOfMessagesReceived", len(received["messages"]), QueueName=self.source.source
            )
        now, later, lost = [], [], []
        for message in received["messages"]:
            first_time = message["attributes"]["ApproximateReceiveCount"] == "1"
            # What was let through and comes again stays: else a loss would follow a loss, beyond what is promised.
            if first_time and self._is_lost(message["body"]):
                lost.append(message)
                continue
            fate = self._fates.draw(first_time=first_time)
            if fate is Fate.DROP:
                self._settle([], [message], delay_s=0)
            elif fate is Fate.DELAY:
                later.append(message)
            else:
                now.append((message, fate is Fate.DUPLICATE))
        if lost:
            self._settle(lost, [], None)
        self._deliver([message for message, _ in now], [message for message, twice in now if twice])
        self._deliver(self._later, [])
        self._later = later

    def _deliver(self, messages: Sequence[dict[str, Any]], again: Sequence[dict[str, Any]]) -> None:
        if not messages:
            return
        failed = self._failed_ids(self._invoke(messages), [message["messageId"] for message in messages])
        if again:
            self._invoke(again)
        bad = [message for message in messages if failed is None or message["messageId"] in failed]
        self._settle([message for message in messages if message not in bad], bad, self._around.retry_s)

    def _settle(self, done: Sequence[dict[str, Any]], returned: Sequence[dict[str, Any]], delay_s: int | None) -> None:
        self._progress.step()
        self._ask(
            "settle",
            queue=self.source.source,
            delete=[message["receiptHandle"] for message in done],
            release=[message["receiptHandle"] for message in returned],
            delay_s=delay_s,
        )
        self._progress.step()


class StreamConsumer(_Consumer):
    """Carries records of a stream in order; `position` counts the stream's records that are behind it.

    `readers`: so many consumers the stream has.
    """

    def __init__(self, *args: Any, readers: int) -> None:
        super().__init__(*args)
        self._readers = readers
        self.position = 0
        self._first_time = True

    def _carry(self) -> None:
        source = self.source
        batch = self._ask(
            "records",
            table=source.source,
            reader=source.name,
            readers=self._readers,
            start=self.position,
            limit=source.batch_size,
            patterns=source.patterns,
            wait_s=_WAIT_S,
        )
        records = [{**record, "eventSourceARN": source.arn} for record in batch["records"]]
        if records:
            fate = self._fates.draw(first_time=self._first_time)
            self._first_time = fate is not Fate.DROP
            if fate is Fate.DROP:
                return
            records = [record for record in records if not self._is_lost(json.dumps(record["dynamodb"]))]
            self._deliver(records[:1] if fate is Fate.DELAY else records)
            if fate is Fate.DELAY:
                self._deliver(records[1:])
            if fate is Fate.DUPLICATE and records:
                self._invoke(records)
        if not self._progress.stopping.is_set():
            self._progress.step()
            self.position = batch["next"]
            self._progress.step()

    def _deliver(self, records: list[dict[str, Any]]) -> None:
        """Deliver until every record is done or given up."""
        attempts = 0
        while records and not self._progress.stopping.is_set():
            numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
            failed = self._failed_ids(self._invoke(records), numbers)
            done = 0 if failed is None else min((numbers.index(number) for number in failed), default=len(records))
            attempts = 1 if done else attempts + 1
            records = records[done:]
            if not done and self.source.bisect and len(records) > 1:
                half = (len(records) + 1) // 2
                self._deliver(records[:half])
                records, attempts = records[half:], 0
            elif records and self.source.max_retries != FOREVER and attempts > self.source.max_retries:
                self._give_up(records, attempts)
                return
            elif records:
                self._progress.stopping.wait(_backoff_s(attempts))

    def _give_up(self, records: Sequence[dict[str, Any]], attempts: int) -> None:
        source = self.source
        self._around.logs.problem(source.name, f"gives up {len(records)} record(s) after {attempts} attempt(s)")
        if source.failure_queue is None:
            return
        first, last = records[0]["dynamodb"], records[-1]["dynamodb"]
        note = {
            "requestContext": {
                "functionArn": function_arn(source.function),
                "condition": "RetryAttemptsExhausted",
                "approximateInvokeCount": attempts,
            },
            "version": "1.0",
            "timestamp": utc(self._around.clock.now_ms()).isoformat(),
            "DDBStreamBatchInfo": {
                "startSequenceNumber": first["SequenceNumber"],
                "endSequenceNumber": last["SequenceNumber"],
                "batchSize": len(records),
                "streamArn": source.arn,
            },
        }
        queues = self._around.emulator.client("sqs")
        queues.send_message(QueueUrl=source.failure_queue, MessageBody=json.dumps(note))


class Pump:
    """The consumers of all event sources; `consumers` threads for each queue by its function's name."""

    def __init__(self, sources: Sequence[EventSource], around: Surroundings, consumers: Callable[[str], int]) -> None:
        self._around = around
        self._progress = Progress()
        streams = [source for source in sources if source.kind != "sqs"]
        readers = Counter(source.source for source in streams)
        self._streams = [
            StreamConsumer(source, 0, around, self._progress, readers=readers[source.source]) for source in streams
        ]
        self._queues = [
            QueueConsumer(source, number, around, self._progress)
            for source in sources
            if source.kind == "sqs"
            for number in range(consumers(source.function))
        ]

    def start(self) -> None:
        """Begin to carry events, streams from where an earlier local cloud has left off."""
        positions = self._around.emulator.call("positions")
        for stream in self._streams:
            stream.position = positions.get(stream.source.source, {}).get(stream.source.name, 0)
        for consumer in (*self._streams, *self._queues):
            consumer.thread.start()

    def drain(self, timeout_s: float) -> int:
        """Wait until no stream or queue has anything that can be delivered and nothing is being delivered.

        Messages that wait for a held clock are not waited for: their number is returned. TimeoutError says
        what is left after `timeout_s`; RuntimeError when a consumer has ended.
        """
        deadline = monotonic_s() + timeout_s
        while True:
            steps = self._progress.steps
            self._check_alive()
            undone, waiting = self._backlog()
            if not undone and steps == self._progress.steps:
                return waiting
            if monotonic_s() > deadline:
                raise TimeoutError(f"not drained after {timeout_s:g} s: {'; '.join(undone) or 'events keep coming'}")
            self._progress.wait(steps, _LOOK_AGAIN_S)

    def carry(self, messages: Mapping[str, Sequence[str]], timeout_s: float) -> None:
        """Wait until these messages (ids by queue) have been carried: done, or asleep until their next try.

        TimeoutError when that takes longer than `timeout_s`, RuntimeError when a consumer has ended.
        """
        deadline = monotonic_s() + timeout_s
        while True:
            steps = self._progress.steps
            self._check_alive()
            undone = [
                name
                for name, ids in messages.items()
                if self._around.emulator.call("undone", queue=name, ids=list(ids))["left"]
            ]
            if not undone:
                return
            if monotonic_s() > deadline:
                raise TimeoutError(f"not carried after {timeout_s:g} s: messages of {', '.join(undone)}")
            self._progress.wait(steps, _LOOK_AGAIN_S)

    def queues(self) -> frozenset[str]:
        """Return the names of the queues that have functions."""
        return frozenset(consumer.source.source for consumer in self._queues)

    def _check_alive(self) -> None:
        for consumer in (*self._streams, *self._queues):
            if not consumer.thread.is_alive():
                raise RuntimeError(f"{consumer.source.name} carries no more events; see what was reported")

    def _backlog(self) -> tuple[list[str], int]:
        """Return the unfinished deliveries, in words, and the number of messages that wait for a held clock."""
        depths = self._around.emulator.call("depths")
        is_held = self._around.clock.state.held_ms is not None
        undone, waiting = [], 0
        for stream in self._streams:
            depth = depths["streams"][stream.source.source]
            behind = depth["length"] - max(stream.position, depth["passed"].get(stream.source.name, 0))
            if behind:
                undone.append(f"{stream.source.name} is {behind} record(s) behind")
        for name in self.queues():
            queue = depths["queues"][name]
            asleep = queue["hidden"] - queue["in_hand"]
            waiting += asleep if is_held else 0
            if queue["ready"] or queue["in_hand"] or (asleep and not is_held):
                undone.append(f"queue {name} has {queue['ready']} ready and {queue['hidden']} hidden message(s)")
        return undone, waiting

    def prepare_stop(self) -> None:
        """Let consumers begin nothing more and report no failure that the stop causes."""
        self._progress.stopping.set()

    def join(self) -> None:
        """Wait for the consumers' ends; the functions and moto must have been stopped."""
        for consumer in (*self._streams, *self._queues):
            if consumer.thread.is_alive():
                consumer.thread.join(timeout=5)


Lost = Callable[[str, str], bool]
"""Predicate of a message or record, by its source's name and its text: True if it is lost for good before its function.
It is called once for each message, at the message's first arrival."""


def nothing_lost(_source: str, _text: str) -> bool:
    """Return false: no event is lost for good."""
    return False


class Fate(Enum):
    """The fate of a delivery."""

    DELIVER = "deliver"
    DUPLICATE = "duplicate"  # the function gets it twice, the second time after it has answered
    DELAY = "delay"  # what comes later is delivered first (a queue), or in smaller pieces (a stream)
    DROP = "drop"  # taken and lost; comes again


@dataclass(frozen=True)
class Faults:
    """Probabilities from 0 to 1 of each fault, for every delivery to every function; none by default.

    No delivery is dropped or delayed a second time, so that faults alone never bring a message to a
    dead-letter queue. The fates of one source depend on the seed and on its own deliveries only. What is ``lost``
    for good, whoever loses it decides.
    """

    seed: int = 0
    duplicate: float = 0.0
    delay: float = 0.0
    drop: float = 0.0
    lost: Lost = nothing_lost

    def __post_init__(self) -> None:
        chances = (self.duplicate, self.delay, self.drop)
        if min(chances) < 0 or sum(chances) > 1:
            raise ValueError(f"the probabilities of faults must be at least 0 and at most 1 together, not {chances}")

    def source(self, name: str) -> Fates:
        """Return the sequence of fates for one source of events."""
        return Fates(self, name)


class Fates:
    """The fates of the deliveries of one source, drawn one after the other."""

    def __init__(self, faults: Faults, name: str) -> None:
        self._faults = faults
        self._random = random.Random(f"{faults.seed}/{name}")  # noqa: S311 - repeatable faults, nothing secret

    def draw(self, *, first_time: bool) -> Fate:
        """Return the fate of the next delivery; only a first delivery is dropped or delayed."""
        point = self._random.random()
        if point < self._faults.duplicate:
            return Fate.DUPLICATE
        point -= self._faults.duplicate
        if point < self._faults.delay and first_time:
            return Fate.DELAY
        if self._faults.delay <= point < self._faults.delay + self._faults.drop and first_time:
            return Fate.DROP
        return Fate.DELIVER
