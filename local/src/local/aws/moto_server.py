"""moto as a process of its own: corrected, with one DynamoDB request at a time, and a few calls of ours.

Run by `emulator.Emulator` as `python -m local.aws.moto_server FD`, FD being a listening socket.

Besides the AWS services it answers on the line (see `emulator`):

- `records`: stream records from a position on, filtered, waiting for the first (no iterators, which moto never frees);
  records behind all readers of a stream are deleted, as AWS does after a day
- `receive`, `settle`: messages of a queue for a consumer of ours, and their outcomes
- `due`, `undone`: which messages of a queue wake next and when, and how many of some are still to be carried
- `metered`: the functions' requests, as they would be billed
- `throttle`, `throttled`: refuses the next requests of a table, and tells which were refused
- `oldest`: when the oldest message of each queue was sent
- `depths`: how long every stream and queue is, how far a stream's waiting readers are, and how many messages are in
  our consumers' hands
- `clock`: sets the clock that queues go by
- `rights`: sets the rights of the template's functions
- `jobs`: opens a queue of AWS Batch, whose jobs are processes of this machine
- `keep`: takes the state of a folder, and from then on keeps it there (see `keeping`)
- `positions`: how far the readers of each stream are
- `dump`: every table's items, read in one step
- `objects`: reads objects of buckets, many at once (see `moto_data`)

moto runs the jobs of Batch in Docker. Here a job is a module of Python with the variables of its submission: it waits
for the jobs it depends on, is RUNNING while its process lives, SUCCEEDED by its exit code 0. A job that is terminated
is told to end, and killed when it does not. When a job is over, a message with its name goes into a queue of SQS, as a
rule of EventBridge would send it.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
from moto.dynamodb.models.utilities import DynamoJsonEncoder, dynamo_json_dump
from moto.events.models import EventPattern
from moto.moto_api._internal import mock_random
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.sqs.exceptions import ReceiptHandleIsInvalid
from moto.sqs.models import sqs_backends
from werkzeug.serving import make_server
from werkzeug.wrappers import Response

from local.aws import identity, moto_data, moto_http, request_limits
from local.aws.emulator import ITEM_OPERATIONS, OPERATIONS, REFUSED, read_items, read_json
from local.aws.identity import Accounts
from local.aws.keeping import Kept, item_of
from local.aws.moto_corrections import correct_moto, key_names, queues, records_of, tables, waking_ms
from local.aws.moto_http import READS, Throttling, as_json, as_xml
from local.aws.state import StateFolderError
from local.clock import ClockState, monotonic_s
from local.environment import ACCOUNT, REGION, base_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from moto.batch.models import Job
    from moto.sqs.models import Message, SQSBackend

_TABLES = "DynamoDB_20120810"
_TARGETS = {"dynamodb": _TABLES, "sqs": "AmazonSQS"}
_JSON = [("Content-Type", "application/x-amz-json-1.0")]
_NO_ROOM: Final = "the disk of the local cloud's state is full; nothing was changed"
_JOB_LOOK_S: Final = 0.1
_JOB_GRACE_S: Final = 15.0
"""A little more than a program's own time between SIGTERM and SIGKILL (F-2)."""
_queue_settings: Final[dict[str, tuple[str, dict[str, str]]]] = {}
"""Name of the SQS queue that is notified of ended jobs, and the jobs' variables, by the name of the job queue."""

_encoder: Final = DynamoJsonEncoder()


def _to_json(value: object) -> bytes:
    """Return a value, with objects of moto's in it, in JSON as moto writes it."""
    with suppress(orjson.JSONEncodeError):  # half a surrogate pair, a whole number of more than 64 bits
        return orjson.dumps(value, default=_encoder.default, option=orjson.OPT_PASSTHROUGH_DATETIME)
    return dynamo_json_dump(value).encode()


class _Dispatcher(DomainDispatcherApplication):
    """moto's choice of a service for a host, made once: it looks through its own folders and hundreds of patterns."""

    def __init__(self, create_app: Callable[..., Any]) -> None:
        super().__init__(create_app)
        self._found: dict[str | None, Any] = {}

    def get_backend_for_host(self, host: str | None) -> Any:
        """Return the service's name."""
        if host not in self._found:
            self._found[host] = super().get_backend_for_host(host)
        return self._found[host]


class Server:
    """The WSGI application: moto behind its locks, and our own calls.

    DynamoDB has one lock and everything else but SQS another; SQS has its own per queue, since its requests
    wait for messages.
    """

    def __init__(self) -> None:
        self._moto = _Dispatcher(create_backend_app)
        self._tables_lock = threading.RLock()
        self._streams: dict[str, threading.Condition] = {}  # each table's, on which its stream's readers wait
        self._lengths: dict[str, int] = {}  # of the streams whose readers wait
        self._others_lock = threading.Lock()
        self._in_hand: defaultdict[str, set[str]] = defaultdict(set)  # receipt handles by queue
        self._read: defaultdict[str, dict[str, int]] = defaultdict(dict)  # readers' positions by table
        self._passed: defaultdict[str, dict[str, int]] = defaultdict(dict)  # the same, with what is not for them
        self._rights: dict[str, list[identity.Right]] = {}
        self._allowed: set[tuple[str, ...]] = set()  # rights by function that have been looked up, objects' left out
        self._accounts = Accounts()
        self._kept: Kept | None = None
        self._meter = request_limits.Meter()
        self._throttling = Throttling()
        self.clock = ClockState()
        self._calls: dict[str, Callable[[dict[str, Any]], Any]] = {
            "records": self._records,
            "receive": self._receive,
            "settle": self._settle,
            "due": self._due,
            "undone": self._undone,
            "depths": self._depths,
            "clock": self._set_clock,
            "rights": self._set_rights,
            "keep": self._keep,
            "positions": lambda _: self._read,
            "dump": self._dump,
            "objects": self._objects,
            "metered": lambda _: self._meter.counts(),
            "throttle": self._throttling.inject,
            "throttled": self._throttling.refused,
            "oldest": _oldest,
            "jobs": _open_jobs,
            "accounts": lambda _: self._accounts.dump(),
        }
        self._carriers = {"dynamodb": self._item_answer, "sqs": self._sent, "s3": self._object_answer}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        """Answer one request, after those that it must not run beside.

        Where a state is kept, no answer goes out before everything that it may tell of is on the disk.
        """
        service, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
        if service == _TABLES and operation in ITEM_OPERATIONS:
            content = self.answer(identity.signer(environ), operation, self._kept_body(environ))
            if content is not None:
                start_response("200 OK", _JSON)
                return [content]
        refused = self._refused(environ)
        answer = self._served(environ, start_response) if refused is None else refused(environ, start_response)
        if self._kept is not None:
            self._kept.wait()
        return answer

    def answer(self, who: str, operation: str, body: bytes) -> bytes | None:
        """Return the answer on the line, in JSON (see `emulator`); None where only moto's own way can answer.

        That is what moto would refuse, or what is beyond rights, limits or room: none of it has stored anything then.
        `who` is the key that signs.
        """
        if operation in self._calls:
            content: bytes | None = _to_json(self._calls[operation](read_json(body)))
        else:
            request = read_items(body)
            service = next(service for service, operations in OPERATIONS.items() if operation in operations)
            if (
                self._lacks_right(who, identity.wanted_of(_TARGETS.get(service, service), operation, request))
                or request_limits.refusal(service, operation, request, key_names) is not None
                or (self._kept is not None and not self._kept.may_change(operation, "POST"))
            ):
                return None
            content = self._carriers[service](who, operation, request)
        if content is not None and self._kept is not None:
            self._kept.wait()
        return content

    def _item_answer(self, who: str, operation: str, request: dict[str, Any]) -> bytes | None:
        """Return moto's answer to an operation on items, None where it or a throttle refuses."""
        if self._throttling.is_due():
            return None
        with self._tables_lock:
            try:
                answer = moto_data.answer_to(operation, request)
            except Exception:  # noqa: BLE001 - a refusal, or a fault of moto's own: the long way says which
                return None
            if self._kept is not None:
                self._kept.note_items(operation, request)
            if operation not in READS:
                self._wake_readers()
            if who in self._rights:
                self._meter.note_items(operation, request, answer, item_of)
            return moto_data.to_wire(answer)

    def _sent(self, who: str, operation: str, request: dict[str, Any]) -> bytes | None:
        """Send messages; return moto's answer, None where it refuses."""
        answer = moto_data.of_queue(operation, request, request["QueueUrl"])
        if answer is None:
            return None
        if self._kept is not None:
            self._kept.note_queue(str(request["QueueUrl"]).rpartition("/")[2])
        if who in self._rights:
            self._meter.add(request_limits.QUEUES, len(request.get("Entries", ["one"])))
        return moto_data.to_wire({name: value for name, value in answer.items() if value is not None})

    def _object_answer(self, who: str, operation: str, request: dict[str, Any]) -> bytes | None:
        """Read, put or list objects; return the answer, None where moto's own way is to give it."""
        with self._others_lock:
            answer = moto_data.of_object(operation, request)
            if answer is None:
                return None
            if self._kept is not None and operation == "PutObject" and REFUSED not in answer:
                self._kept.note_object(request["Bucket"], request["Key"])
        if who in self._rights:
            self._meter.add(request_limits.OBJECT_READS if operation == "GetObject" else request_limits.OBJECT_WRITES)
        return moto_data.to_wire(answer)

    def _lacks_right(self, who: str, required: Iterator[identity.Right]) -> bool:
        rights = self._rights.get(who)
        for right in required if rights is not None else ():
            if (who, *right) not in self._allowed:
                if identity.missing(rights or (), iter([right])) is not None:
                    return True
                if not right[0].startswith("s3:"):  # there is no end of objects
                    self._allowed.add((who, *right))
        return False

    def _wake_readers(self) -> None:
        """Wake those who wait for a stream that has grown."""
        for name, waiting in self._streams.items():
            length = len(records_of(tables()[name])) if name in tables() else 0
            if self._lengths.get(name) != length:
                self._lengths[name] = length
                waiting.notify_all()

    def _served(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        """Have one of the services answer a request."""
        service, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
        if self._kept is not None and not self._kept.may_change(operation, environ["REQUEST_METHOD"]):
            refusal = (
                as_json("InternalServerError", _NO_ROOM, 500) if service else as_xml("InternalError", _NO_ROOM, 500)
            )
            return refusal(environ, start_response)
        if service == identity.COGNITO:
            request = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
            with self._others_lock:
                answer = self._accounts.call(operation, request)
                if self._kept is not None:
                    self._kept.note_accounts(self._accounts)
            response = Response(json.dumps(answer.body), status=answer.status, mimetype="application/x-amz-json-1.1")
            return response(environ, start_response)
        of_tables = service.startswith("DynamoDB")
        throttled = self._throttling.refusal(operation, self._kept_body(environ)) if of_tables else None
        if throttled is not None:
            return throttled(environ, start_response)
        is_queue = service.startswith("AmazonSQS")
        lock = nullcontext() if is_queue else self._others_lock
        with self._tables_lock if of_tables else lock:
            request_body = self._kept_body(environ)
            sent = environ["wsgi.input"]  # moto may put another in its place
            statuses: list[str] = []

            def begin(status: str, headers: Any, failure: Any = None) -> Any:
                statuses.append(status)
                return start_response(status, headers, failure)

            body = b"".join(self._moto(environ, begin))
            if self._kept is not None and statuses[-1] < "4":
                self._kept.note(environ, service, operation, request_body or sent.getvalue())
            if of_tables and operation not in READS:
                self._wake_readers()
        if identity.signer(environ) in self._rights:
            self._meter.note(environ, request_body, body, item_of)
        return [body]

    def _kept_body(self, environ: dict[str, Any]) -> bytes:
        """Return the body of a request with a target, or of a job; it is still there to be read."""
        if "HTTP_X_AMZ_TARGET" not in environ and not moto_http.is_job(environ):
            return b""
        body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        return body

    def _refused(self, environ: dict[str, Any]) -> Response | None:
        """Return AWS's refusal of a request beyond the limits or the rights of the function's role, or None."""
        who = identity.signer(environ)
        rights = self._rights.get(who)
        body = self._kept_body(environ)
        lacking = None if rights is None else identity.missing(rights, identity.wanted(environ, body))
        if lacking is None:
            return moto_http.refused(environ, body)
        text = f"{who} {lacking}"
        return as_json("AccessDeniedException", text) if body else as_xml("AccessDenied", text, 403)

    def _objects(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Return objects, beside no request to a service that has no lock of its own."""
        with self._others_lock:
            return moto_data.objects_page(ask)

    def _keep(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Take the state of a folder and keep it there; `problem` says why it cannot be."""
        gc.disable()  # a state is never garbage: to look for some takes half of the time
        try:
            keeper = Kept(Path(ask["folder"]), ask["variables"], ask["readers"])
        except StateFolderError as error:
            return {"problem": error.args}
        finally:
            gc.freeze()
            gc.enable()
        self._accounts.load(keeper.accounts)
        self._read = keeper.read
        self._kept = keeper
        return {"problem": None}

    def _records(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Return up to `limit` matching records from position `start`, and the position after them.

        `reader` names who asks; what is before `start` it has done, and of `readers` each says so for itself. Records
        that match nothing are passed over meanwhile, which `depths` tells, and wake nobody.
        """
        patterns = [EventPattern(None, pattern) for pattern in ask["patterns"]]
        deadline = monotonic_s() + ask["wait_s"]
        position, passed = ask["start"], self._passed[ask["table"]]
        with self._tables_lock:
            items = records_of(tables()[ask["table"]])
            self._forget(items, ask)
            while True:
                records: list[Any] = []
                while position < len(items) and len(records) < ask["limit"]:
                    record = items[position].record
                    parts = (_to_json(_named(record, pattern.get_pattern())) for pattern in patterns)
                    if not patterns or any(map(EventPattern.matches_event, patterns, map(read_json, parts))):
                        records.append(record)
                    position += 1
                left_s = deadline - monotonic_s()
                if records or left_s <= 0:
                    return {"records": records, "next": position}
                passed[ask["reader"]] = position
                self._lengths[ask["table"]] = len(items)
                self._streams.setdefault(ask["table"], threading.Condition(self._tables_lock)).wait(left_s)

    def _forget(self, items: Sequence[Any], ask: dict[str, Any]) -> None:
        """Empty the records that nobody reads again. They keep their numbers, and their places for those to come."""
        read = self._read[ask["table"]]
        behind = min(read.values(), default=0) if len(read) == ask["readers"] else 0
        if self._kept is not None:
            self._kept.note_reader(ask["table"], ask["reader"], ask["start"])
        read[ask["reader"]] = ask["start"]
        if len(read) == ask["readers"]:
            for item in items[behind : min(read.values())]:
                item.record = {"dynamodb": {"SequenceNumber": item.record["dynamodb"]["SequenceNumber"]}}

    def _receive(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Return up to `limit` messages as a function gets them, hidden for the queue's visibility time-out."""
        backend: SQSBackend = sqs_backends[ACCOUNT][REGION]
        queue = queues()[ask["queue"]]
        with queue._messages_lock:  # let go while waiting, so that nobody sees a message hidden but in no hand
            messages = backend.receive_message(
                ask["queue"], ask["limit"], ask["wait_s"], int(queue.visibility_timeout), ["All"]
            )
            self._in_hand[ask["queue"]].update(str(message.receipt_handle) for message in messages)
            if self._kept is not None:  # one may have gone to the queue of those that fail
                self._kept.note_queue(ask["queue"])
        return {"messages": [_lambda_message(message, queue.queue_arn) for message in messages]}

    def _settle(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Delete the messages of `delete`; make those of `release` visible after `delay_s` (null: leave them)."""
        self._meter.add(request_limits.QUEUES, 2 * len(ask["delete"]))  # received and deleted
        backend, name = sqs_backends[ACCOUNT][REGION], ask["queue"]
        with queues()[name]._messages_lock:
            for handle in ask["delete"]:
                with suppress(ReceiptHandleIsInvalid):  # the other delivery of a message deleted it
                    backend.delete_message(name, handle)
            for handle in ask["release"] if ask["delay_s"] is not None else ():
                with suppress(ReceiptHandleIsInvalid):
                    backend.change_message_visibility(name, handle, ask["delay_s"])
            self._in_hand[name].difference_update(ask["delete"], ask["release"])
            if self._kept is not None:
                self._kept.note_queue(name)
        return {}

    def _due(self, _: dict[str, Any]) -> dict[str, Any]:
        """Return by queue with messages which wake next, and when; of one in a function's hands, the moment before."""
        due = {}
        for name, queue in [(name, queue) for name, queue in list(queues().items()) if queue._messages]:
            with queue._messages_lock:
                in_hand, now = self._in_hand[name], self.clock.now_ms()
                times = {
                    message.id: waking_ms(message) - (message.receipt_handle in in_hand) for message in queue._messages
                }
                at = min((time for time in times.values() if time > now), default=None)
                due[name] = {"at": at, "ids": [message_id for message_id, time in times.items() if time == at]}
        return {"queues": due}

    def _undone(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Return how many of these messages of a queue are ready or in hand, neither deleted nor asleep again."""
        queue, ids = queues()[ask["queue"]], set(ask["ids"])
        with queue._messages_lock:
            in_hand, now = self._in_hand[ask["queue"]], self.clock.now_ms()
            undone = [
                message
                for message in queue._messages
                if message.id in ids and (message.receipt_handle in in_hand or waking_ms(message) <= now)
            ]
        return {"left": len(undone)}

    def _depths(self, _: dict[str, Any]) -> dict[str, Any]:
        with self._tables_lock:
            streams = {
                name: {"length": len(records_of(table)), "passed": dict(self._passed[name])}
                for name, table in tables().items()
            }
        depths = {}
        for name, queue in list(queues().items()):
            with queue._messages_lock:
                ready, all_messages = len(queue.messages), len(queue._messages)
                depths[name] = {"ready": ready, "in_hand": len(self._in_hand[name]), "hidden": all_messages - ready}
        return {"streams": streams, "queues": depths}

    def _set_clock(self, state: dict[str, Any]) -> dict[str, Any]:
        """Set the clock, and wake who waits at a queue that has messages: the clock brings none to an empty one."""
        self.clock = ClockState(state["held_ms"], state["offset_ms"])
        for queue in list(queues().values()):
            with queue._messages_lock:
                if queue._messages:
                    queue._messages_lock.notify_all()
        return {}

    def _set_rights(self, rights: dict[str, list[identity.Right]]) -> dict[str, Any]:
        """Set the rights by which functions' requests are refused."""
        self._rights, self._allowed = rights, set()
        return {}

    def _dump(self, _: dict[str, Any]) -> dict[str, Any]:
        with self._tables_lock:
            return {
                name: [item.to_json()["Attributes"] for item in table.all_items()] for name, table in tables().items()
            }


def _open_jobs(ask: dict[str, Any]) -> dict[str, Any]:
    """Make `queue` and `definition`, whose jobs run the module of `words` with `variables` beside their own.

    `tell` is the URL of the queue that hears of their ends. moto's modules of Batch are slow, and few clouds run jobs.
    """
    from moto.batch.models import ComputeEnvironment, Job, batch_backends

    backend: Any = batch_backends[ACCOUNT][REGION]
    # Asked for by its interface it wants a role, and to know one, moto reads all policies of AWS.
    new_environment: Any = ComputeEnvironment
    machines = new_environment(f"{ask['queue']}-machines", "UNMANAGED", "ENABLED", {}, "none", ACCOUNT, REGION)
    backend._compute_environments[machines.arn] = machines
    order = [{"order": 1, "computeEnvironment": machines.name}]
    backend.create_job_queue(ask["queue"], 1, None, "ENABLED", order)
    container = {"image": "none", "vcpus": 1, "memory": 4, "command": ask["words"]}
    backend.register_job_definition(
        ask["definition"], {}, "container", {}, {}, container, None, None, {}, [], propagate_tags=False
    )
    _queue_settings[ask["queue"]] = (ask["tell"].rpartition("/")[2], ask["variables"])
    Job.run = _run_job  # type: ignore[method-assign, assignment]  # moto's own needs Docker
    return {}


def _run_job(job: Job) -> None:
    """Run a job on its thread, from its submission to its end."""
    tell, variables = _queue_settings[job.job_queue.name]
    job.status = "RUNNABLE"
    if not job.depends_on or job._wait_for_dependencies():
        overrides = {variable["name"]: variable["value"] for variable in job.container_overrides.get("environment", [])}
        job.status = "RUNNING"
        job._mark_stopped(success=_has_succeeded(job, {**base_environment(), **variables, **overrides}))
    sqs_backends[ACCOUNT][REGION].send_message(tell, json.dumps({"run": job.job_name}))


def _has_succeeded(job: Job, environment: dict[str, str]) -> bool:
    """Run a job's process to its end; return whether it succeeded."""
    words: Sequence[str] = job.job_definition.container_properties["command"]  # type: ignore[index]
    scratch = Path(os.getcwd(), "jobs")  # noqa: PTH109 - the emulator's own folder, which goes with it
    scratch.mkdir(exist_ok=True)
    with subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", "local.processes", *words],
        stdin=subprocess.PIPE,
        env={**environment, "TMPDIR": str(scratch)},
        start_new_session=True,
    ) as process:
        while not _is_over(process, _JOB_LOOK_S):
            if job.stop:
                process.send_signal(signal.SIGTERM)
                if not _is_over(process, _JOB_GRACE_S):
                    process.kill()
                process.wait()
                return False
        return process.returncode == 0


def _is_over(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a process has ended within some seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _oldest(_: dict[str, Any]) -> dict[str, int]:
    """Return when the oldest message of each queue was sent, by the queues' clock; none of an empty one."""
    sent_at = {}
    for name, queue in list(queues().items()):
        with queue._messages_lock:
            sent_at[name] = min((int(message.sent_timestamp or 0) for message in queue._messages), default=None)
    return {name: sent for name, sent in sent_at.items() if sent is not None}


def _lambda_message(message: Message, queue_arn: str) -> dict[str, Any]:
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt_handle,
        "body": message.body,
        "attributes": {
            "ApproximateReceiveCount": str(message.approximate_receive_count),
            "ApproximateFirstReceiveTimestamp": str(message.approximate_first_receive_timestamp),
            "SentTimestamp": str(message.sent_timestamp),
            "SenderId": message.sender_id,
        },
        "messageAttributes": {
            name: {
                "stringValue": value.get("StringValue") or value.get("string_value"),
                "dataType": value.get("DataType") or value.get("data_type"),
                "stringListValues": [],
                "binaryListValues": [],
            }
            for name, value in message.message_attributes.items()
        },
        "md5OfBody": message.body_md5,
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": REGION,
    }


def _named(value: Any, pattern: Any) -> Any:
    """Return the parts of a record that a pattern names: of its kilobytes, most patterns name the key."""
    if not isinstance(pattern, dict) or not isinstance(value, dict) or "$or" in pattern:
        return value
    return {name: _named(value[name], part) for name, part in pattern.items() if name in value}


def main() -> None:
    """Serve on the listening socket whose file descriptor is the first argument, until killed."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    mock_random.seed()  # moto seeds it once, when it is loaded, which is before the fork for every local cloud
    server = Server()
    correct_moto(lambda: server.clock)
    make_server(
        "127.0.0.1", 0, server, threaded=True, request_handler=moto_http.RequestHandler, fd=int(sys.argv[1])
    ).serve_forever()


if __name__ == "__main__":
    main()
