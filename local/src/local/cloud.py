"""A whole local cloud: moto, the functions, the gateway, the pump and the timers, from a synthesized template.

    with LocalCloud(template, functions_dir, clock=Clock(held_ms)) as cloud:
        httpx.get(cloud.url + "/v1/…")
        cloud.drain()
        cloud.clock.advance(60)

It knows nothing of what the functions do. Everything listens on the loopback address only.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import defaultdict
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from local import processes
from local.aws.alarms import QUEUES, TABLES, Figures, alarms_of
from local.aws.emulator import Emulator, JobQueue, listening_socket
from local.aws.identity import rights_of
from local.aws.state import keep, objects
from local.aws.template import BUCKET_TYPE, FUNCTION_TYPE, PARAMETER_TYPE, Deployment, FunctionSpec, Template
from local.clock import CLOCK_FILE_VARIABLE, Clock
from local.environment import HOST, base_environment
from local.gateways.front import Front, Serving, api_of, channels_of, routes_of
from local.gateways.gateway import firewall_of
from local.gateways.objects import Objects, behaviours_of, site_of
from local.gateways.sign_in import SignIn, pools_of
from local.gateways.sockets import MANAGEMENT_PATH, Sockets
from local.lambdas.pump import Faults, Pump, Surroundings, event_sources
from local.lambdas.runtime import Logs, Runtime, libraries_of, to_json
from local.lambdas.schedules import Asynchronous, Delays, Timers, schedules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

DEFAULT_TEMPLATE = Path(__file__).with_name("template.json")
_DRAIN_S = 30.0


class FunctionError(Exception):
    """A function that was invoked directly failed; the message is its error."""


MAIL_FOLDER_VARIABLE = "HURDLE_MAIL_FOLDER"
MEASURES_HERE = {"HURDLE_MEASURES": "here"}
"""Variables by which programs of declared measures run in child processes of the scorer; no function runs them."""
_USUAL_FOLDER, _MEMORY = "/tmp", "/dev/shm"  # noqa: S108 - a new folder in it is nobody else's
"""Temporary folders, the second on no disk: the clock's file is replaced at each of a rehearsal's thousand steps."""
SITE_VARIABLE = "HURDLE_SITE"
MAIL_SENDER = {"HURDLE_MAIL_FROM": "contest@hurdle.example"}
"""Sender of mails; they are not delivered to anybody."""


@dataclass(eq=False)
class LocalCloud:
    """One local cloud, started by `start` or `with`.

    `port` and `aws_port` are the API's and moto's ports (0: any free ones), `host` the address that the API listens on;
    moto has the loopback address. `workers` is the number of processes per function, `workers_of` overrides it by the
    beginning of a logical id. `retry_s` makes failed messages of queues come back sooner than their visibility
    time-out. `state` is the folder in which everything is kept, also when this process is killed; without one nothing
    is. `logs` takes the functions' output. `warm` starts a worker of every function at once instead of at its first
    event. `site` returns the folder of the built site, None while there is none. `variables` are told to every function
    instead of the template's. `jobs` is a queue of AWS Batch to be opened. Mails are written into the folder
    `mails`, and webhooks beside them; without one no mails are made.

    The functions' libraries and the platform are loaded once for all processes: a change of them does not reach these.
    """

    template: Path
    functions_dir: Path
    _: KW_ONLY
    clock: Clock = field(default_factory=Clock)
    faults: Faults = field(default_factory=Faults)
    port: int = 0
    aws_port: int = 0
    host: str = HOST
    workers: int = 1
    workers_of: Mapping[str, int] = field(default_factory=dict)
    retry_s: int | None = None
    state: Path | None = None
    logs: Logs = field(default_factory=Logs)
    warm: bool = False
    site: Callable[[], Path | None] = lambda: None
    variables: Mapping[str, str] = field(default_factory=dict)
    jobs: JobQueue | None = None
    mails: Path | None = None
    url: str = field(init=False, default="")
    endpoint_url: str = field(init=False, default="")
    _scratch: Path | None = field(init=False, default=None)
    _emulator: Emulator | None = field(init=False, default=None)
    _serving: Serving | None = field(init=False, default=None)
    _pump: Pump | None = field(init=False, default=None)
    _sockets: Sockets | None = field(init=False, default=None)
    _timers: Timers | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._template = Template.read(self.template)
        named = self.workers_of.items()
        self._workers_of = {self._template.find(prefix, FUNCTION_TYPE).logical_id: count for prefix, count in named}
        self.libraries = libraries_of(self.functions_dir)
        self.figures = Figures(self.clock.now_ms)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start everything; when this returns the API answers. Nothing is left behind when it raises.

        TemplateError, StateError, and OSError for a port that is taken.
        """
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process and thread and remove the temporary folder; may be called again."""
        if self._pump is not None:
            self._pump.prepare_stop()
        if self._serving is not None:
            self._serving.stop()
        if self._timers is not None:
            self._timers.stop()
        if self._emulator is not None:
            self._emulator.stop()
        if self._pump is not None:
            self._pump.join()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
        self.logs.close()

    def check(self) -> None:
        """Raise EmulatorGoneError when the process of the AWS services has ended by itself."""
        self._running_emulator().check()

    def resource(self, prefix: str) -> str:
        """Return the value of `Ref` for the resource whose logical id begins with `prefix`.

        A table's, bucket's or function's name, a queue's URL, a secret's ARN. CDK's hash at the end of a
        logical id need not be given. TemplateError when none or several fit.
        """
        return self._deployment.ref(self._template.find(prefix).logical_id)

    def lacks_accounts(self) -> bool:
        """Return whether there are pools to sign in to and nobody who could, not even from an imported state."""
        return bool(pools_of(self._deployment, self.url)) and not any(
            self._running_emulator().call("accounts").values()
        )

    def has_account(self, email: str) -> bool:
        """Return whether a pool has an account of this address."""
        pools = self._running_emulator().call("accounts").values()
        return any(account["email"] == email for pool in pools for account in pool)

    def client(self, service: str) -> Any:
        """Return a boto3 client of one of moto's services (`dynamodb`, `s3`, `sqs`, `secretsmanager`)."""
        return self._running_emulator().client(service)

    def environment(self, prefix: str) -> dict[str, str]:
        """Return the environment variables that a function's code sees, or those that a parameter has as JSON."""
        resource = self._template.find(prefix, FUNCTION_TYPE, PARAMETER_TYPE)
        if resource.type == PARAMETER_TYPE:
            return {**base_environment(), **json.loads(self._deployment.parameter(resource)), **self._common}
        return {**base_environment(), **self._functions[resource.logical_id].environment}

    def invoke(self, prefix: str, event: Any) -> Any:
        """Run a function on an event and return its result; FunctionError when it fails."""
        name = self._template.find(prefix, FUNCTION_TYPE).logical_id
        if self._serving is None:
            raise RuntimeError("the local cloud is not started")
        result = self._serving.invoke(name, to_json(event))
        if result.error is not None:
            raise FunctionError("\n".join([f"{name}: {result.explanation()}", *result.trace()]))
        return json.loads(result.payload)

    def drain(self, timeout_s: float = _DRAIN_S) -> int:
        """Wait until queues, streams and connections have come to their functions with all that they have (see
        `Pump.drain`)."""
        if self._pump is None or self._sockets is None:
            raise RuntimeError("the local cloud is not started")
        self._sockets.settle(timeout_s)
        return self._pump.drain(timeout_s)

    def metered(self) -> dict[str, float]:
        """Return the functions' requests so far, as they would be billed, by kind (see local.aws.request_limits).

        `function_gb_s`: gigabyte-seconds of this machine's time; `logged_gb`: what functions wrote; `http_requests`:
        calls of functions behind the gateway that people and programs made; `channel_messages`: frames in and out.
        """
        if self._serving is None or self._sockets is None:
            raise RuntimeError("the local cloud is not started")
        ran = self._serving.metered()
        behind_gateway = {route.function for route in routes_of(self._deployment)}
        of_channel = {name for channel in channels_of(self._deployment) for name in channel.functions.values()}
        return {
            **self._running_emulator().call("metered"),
            "function_calls": sum(usage.calls for usage in ran.values()),
            "function_gb_s": sum(usage.seconds * self._functions[name].memory_mb / 1024 for name, usage in ran.items()),
            "logged_gb": sum(usage.logged_bytes for usage in ran.values()) / 1e9,
            "http_requests": sum(usage.calls for name, usage in ran.items() if name in behind_gateway),
            "channel_messages": self._sockets.posted + sum(ran[name].calls for name in of_channel if name in ran),
        }

    def alarms(self) -> dict[str, bool]:
        """Return the template's alarms by name, and whether each rings at this moment."""
        emulator, now_ms = self._running_emulator(), self.clock.now_ms()
        for queue, sent_ms in emulator.call("oldest").items():
            self.figures.note(QUEUES, "ApproximateAgeOfOldestMessage", (now_ms - sent_ms) / 1000, QueueName=queue)
        for table, metric, count in emulator.call("throttled"):
            self.figures.note(TABLES, metric, count, TableName=table)
        return {alarm.name: alarm.rings(self.figures, now_ms) for alarm in self._alarms}

    def throttle(self, prefix: str, requests: int) -> None:
        """Refuse the next requests of a table, as DynamoDB does beyond its capacity."""
        self._running_emulator().call("throttle", table=self.resource(prefix), requests=requests)

    def tables(self) -> Mapping[str, Any]:
        """Return every table's items as they go over the wire, read at one instant."""
        read: Mapping[str, Any] = self._running_emulator().call("dump")
        return read

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yield every object of the template's buckets, by bucket and key, its content in base 64."""
        buckets = [self._deployment.ref(bucket.logical_id) for bucket in self._template.of_type(BUCKET_TYPE)]
        return objects(self._running_emulator(), buckets)

    def _start(self) -> None:
        front_socket, runtime_socket = listening_socket(self.port, self.host), listening_socket(0)
        try:
            self.url = f"http://{HOST}:{front_socket.getsockname()[1]}"
            in_memory = tempfile.gettempdir() == _USUAL_FOLDER and os.access(_MEMORY, os.W_OK)
            self._scratch = Path(tempfile.mkdtemp(prefix="hurdle-", dir=_MEMORY if in_memory else None))
            processes.prepare(self.libraries)  # while moto starts
            self._emulator = Emulator.start(self.aws_port, self._scratch)
            self.endpoint_url = self._emulator.url
            self._deploy(self._emulator)
            address = f"{HOST}:{runtime_socket.getsockname()[1]}"
            runtime = Runtime(
                self._functions, self.functions_dir.resolve(), address, self.logs, self.libraries, self.figures
            )
            firewall = firewall_of(self._deployment)
            sockets = Sockets(channels_of(self._deployment), firewall, runtime, self.clock, self.logs)
            self.clock.add_timer(sockets)
            self._sockets = sockets
            api = api_of(self._deployment)
            objects = Objects(behaviours_of(self._deployment), self._emulator, self.clock)
            sign_in = SignIn(pools_of(self._deployment, self.url), self._emulator, self.clock, self.url)
            site = site_of(self._deployment, self.site)
            front = Front(api, firewall, sockets, objects, sign_in, site, runtime, self.clock, self.logs, self.alarms)
            self._run(Serving(front, front_socket, runtime, runtime_socket), self._emulator)
        except BaseException:
            front_socket.close()
            runtime_socket.close()
            raise

    def _deploy(self, emulator: Emulator) -> None:
        """Create the resources, fill them, and let everything that goes by the clock hear of it."""
        assert self._scratch is not None  # noqa: S101 - made by the caller, for the type checker
        self._deployment = Deployment(self._template, emulator, self.url, self.url + MANAGEMENT_PATH)
        self._deployment.create_all()
        for resource in self._deployment.ignored():
            self.logs.line("template", f"{resource.logical_id} ({resource.type}) has no part in the local cloud")
        # A template without the queue for ended jobs runs no jobs.
        if self.jobs is not None and any(name.startswith(self.jobs.tell) for name in self._template.resources):
            emulator.open_jobs(self.jobs, self.resource(self.jobs.tell))
        self._sources = event_sources(self._deployment)
        if self.state is not None:
            self._take(emulator, self.state)
        clock_file = self._scratch / "clock.json"
        self.clock.listen(lambda state: state.write(clock_file))
        self.clock.listen(emulator.set_clock)
        self._common = {"AWS_ENDPOINT_URL": emulator.url, CLOCK_FILE_VARIABLE: str(clock_file), **MEASURES_HERE}
        self._common |= self.variables
        if self.mails is not None:
            self._common |= {MAIL_FOLDER_VARIABLE: str(self.mails.resolve()), **MAIL_SENDER, SITE_VARIABLE: self.url}
        self._functions: dict[str, FunctionSpec] = self._deployment.functions(self._common, self._workers_for)
        emulator.set_rights(rights_of(self._deployment))
        self._alarms = alarms_of(self._deployment)

    def _take(self, emulator: Emulator, state: Path) -> None:
        """Take the state of a folder, and keep it there."""
        readers: defaultdict[str, list[str]] = defaultdict(list)
        for source in self._sources:
            if source.kind != "sqs":
                readers[source.source].append(source.name)
        keep(emulator, state, self.variables, readers)

    def _run(self, serving: Serving, emulator: Emulator) -> None:
        schedules = schedules_of(self._deployment, self.clock.now_ms())
        around = Surroundings(emulator, serving.invoke, self.clock, self.logs, self.faults, self.retry_s, self.figures)
        serving.start()
        self._serving = serving
        self._pump = Pump(self._sources, around, self._workers_for)
        self._pump.start()
        self.clock.add_timer(Delays(emulator, self._pump))
        asynchronous = Asynchronous(self._deployment, emulator, self.clock, serving.invoke)
        self._timers = Timers(schedules, self.clock, lambda due, event: asynchronous.run(due.function, event))
        self._timers.start()
        if self.warm:
            asked_by_people: list[str] = []
            for route in routes_of(self._deployment):
                asked_by_people += [*([route.authorizer.function] if route.authorizer else []), route.function]
            for channel in channels_of(self._deployment):
                asked_by_people += channel.functions.values()
            serving.warm(tuple(dict.fromkeys([*asked_by_people, *self._functions])))

    def _workers_for(self, function: str) -> int:
        return self._workers_of.get(function, self.workers)

    def _running_emulator(self) -> Emulator:
        if self._emulator is None:
            raise RuntimeError("the local cloud is not started")
        return self._emulator
