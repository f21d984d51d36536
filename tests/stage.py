"""The whole exchange in one process: the real handlers and adapters on emulated services, a held clock, no network.

Requests go as the gateway's events through authorizer and handler, timers and queues by hand: a test says when the
minute passes and how often a message is delivered.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, unquote, urlsplit

from moto import mock_aws

from contest import bootstrap, settings
from contest.adapters import aws
from contest.bootstrap import web
from contest.domain.amending import Wish
from contest.domain.cycle import Mode
from contest.domain.moments import iso
from contest.domain.rights import ROUTES, Right
from contest.domain.run import Kind, Run
from contest.services.identity import add_team, issue_token
from contest.services.load_cycle import Loaded, load_cycle
from contest.services.run_amendments import decide
from contest.services.runs import RunOrder, plan_run
from tests.fakes import FolderInMemory, ToyTrack, toy_cycle
from tracks import registry

REGION = "eu-central-1"
BUCKET = "hurdle-tests"
TABLES = {
    settings.EXCHANGE_TABLE: "exchange",
    settings.SCORES_TABLE: "scores",
    settings.CATALOGUE_TABLE: "catalogue",
    settings.IDENTITY_TABLE: "identity",
}
START = 1_790_000_000_000
"""2026-09-21T13:33:20Z, in the afternoon of Moscow."""


class Context:
    """What a Lambda's handler is told about itself."""

    function_name = "test"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-central-1:000000000000:function:test"
    aws_request_id = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Answered:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


class Stage:
    """One deployment on emulated services."""

    def __init__(self, folder: Path) -> None:
        self.clock_file = folder / "clock.json"
        self.now = START
        self.set_clock(START)
        self._believed: dict[str, tuple[int, Any]] = {}

    @property
    def platform(self) -> bootstrap.Wiring:
        return bootstrap.platform()

    def set_clock(self, moment: int) -> None:
        self.now = moment
        self.clock_file.write_text(json.dumps({"held_ms": moment, "offset_ms": 0}), "utf-8")

    def advance(self, seconds: float) -> None:
        self.set_clock(self.now + round(seconds * 1000))

    def restart(self) -> None:
        """Forget everything a process remembers, as a cold start does."""
        bootstrap.platform.cache_clear()

    def load(self, files: Mapping[str, Any] | None = None) -> Loaded:
        source = FolderInMemory(files if files is not None else toy_cycle())
        return load_cycle(self.platform, "tests", self.platform.settings.cycle, source, lambda _: None)

    def team(self, team_id: str) -> str:
        """A new team's token."""
        add_team(self.platform, "tests", team_id, f"Team {team_id}")
        return issue_token(self.platform, "tests", team_id)[0]

    def plan(self, *, in_s: float = 600, interval_s: float = 60, **more: Any) -> Run:
        """Plan a run, a final unless it says otherwise."""
        order = {"mode": Mode.FINAL, "set_name": "final", **more}
        starts_at, interval = self.now + round(in_s * 1000), round(interval_s * 1000)
        return plan_run(self.platform, "tests", RunOrder(starts_at=starts_at, interval=interval, **order))

    def decide(self, run: Run, kind: Kind, **wish: Any) -> Run:
        """Let the organizers decide something about a run."""
        return decide(self.platform, "tests", run.run_id, Wish(kind, "a reason", **wish))

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """One request through authorizer and handler; ``body`` is bytes, text, or a JSON value."""
        event = self.event(method, path, body, token, headers)
        key, handler = _handler(method, event["rawPath"])
        event["routeKey"] = event["requestContext"]["routeKey"] = key
        route = tuple(key.split(" ", 1))
        if len(route) == 2 and ROUTES.get((route[0], route[1])) is Right.EXCHANGE:
            said = self._authorized(event["headers"])
            if not said["isAuthorized"]:
                return Answered(403 if token else 401, {}, '{"message":"Unauthorized"}')
            event["requestContext"]["authorizer"] = {"lambda": said["context"]}
        answered = handler(event, Context())
        given = {name.lower(): value for name, value in answered["headers"].items()}
        return Answered(answered["statusCode"], given, answered["body"])

    def _authorized(self, headers: Mapping[str, str]) -> Any:
        """The authorizer's answer, which the gateway believes for a minute."""
        known = self._believed.get(headers.get("authorization", ""))
        if known is not None and self.now < known[0] + settings.TOKEN_CACHE_S * 1000:
            return known[1]
        said = _modules()["authorize"].handler({"headers": headers}, Context())
        self._believed[headers.get("authorization", "")] = (self.now, said)
        return said

    def event(
        self, method: str, path: str, body: Any, token: str | None, headers: Mapping[str, str] | None
    ) -> dict[str, Any]:
        parts = urlsplit(path)
        sent = {"content-type": "application/json", **{k.lower(): v for k, v in (headers or {}).items()}}
        if token:
            sent["authorization"] = f"Bearer {token}"
        content, encoded = _body(body)
        return {
            "version": "2.0",
            "rawPath": parts.path,
            "rawQueryString": parts.query,
            "headers": sent,
            "queryStringParameters": dict(parse_qsl(parts.query, keep_blank_values=True)) or None,
            "requestContext": {
                "http": {
                    "method": method,
                    "path": unquote(parts.path),
                    "protocol": "HTTP/1.1",
                    "sourceIp": "127.0.0.1",
                },
                "requestId": "gateway-request-1",
                "stage": "$default",
                "timeEpoch": self.now,
                "time": iso(self.now),
            },
            "body": content,
            "isBase64Encoded": encoded,
        }

    def tick(self) -> dict[str, Any]:
        """A minute timer's visit at the present time."""
        swept: dict[str, Any] = _modules()["minute"].handler({}, Context())
        return swept

    def technical(self) -> dict[str, Any]:
        """A visit of the technical qualification's timer."""
        planned: dict[str, Any] = _modules()["technical"].handler({}, Context())
        return planned

    def audit(self) -> dict[str, Any]:
        found: dict[str, Any] = _modules()["audit"].handler({}, Context())
        return found

    def outbox(self) -> list[dict[str, Any]]:
        """Images of the outbox entries there are."""
        return [each for each in self._items("exchange") if each["pk"]["S"].startswith(settings.OUTBOX_PREFIX)]

    def _items(self, table: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = aws.client("dynamodb").scan(TableName=table, ConsistentRead=True)["Items"]
        return items

    def everything_stored(self) -> str:
        """All items of all tables as text."""
        return json.dumps([self._items(table) for table in TABLES.values()], default=repr)

    def delete_scores(self) -> None:
        """Lose every score record."""
        for each in self._items("scores"):
            if each["sk"]["S"].startswith("SCORE#"):
                aws.client("dynamodb").delete_item(TableName="scores", Key={"pk": each["pk"], "sk": each["sk"]})

    def relay(self, images: Sequence[Mapping[str, Any]]) -> None:
        """Deliver a batch of the stream."""
        records = [{"eventName": "INSERT", "dynamodb": {"NewImage": image}} for image in images]
        _modules()["relay"].handler({"Records": records}, Context())

    def work(self, deliveries: int = 1) -> list[str]:
        """Deliver everything in the queue to the worker, each message so often; names of those that failed."""
        queue, url = aws.client("sqs"), self.platform.settings.scoring_queue_url
        failed = []
        while messages := queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            records = [
                {"messageId": each["MessageId"], "body": each["Body"], "eventSource": "aws:sqs", "attributes": {}}
                for each in messages
            ]
            for _ in range(deliveries):
                outcome = _modules()["worker"].handler({"Records": records}, Context())
                failed += [each["itemIdentifier"] for each in outcome["batchItemFailures"]]
            for each in messages:
                queue.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
        return failed

    def score_all(self, deliveries: int = 1) -> None:
        """From the outbox through stream and queue to the records."""
        self.relay(self.outbox())
        assert self.work(deliveries) == []


class Program:
    """A participant's program on a stage, for tests that need one to get somewhere."""

    def __init__(self, stage: Stage, token: str) -> None:
        self.stage = stage
        self.token = token
        self.session_id = ""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        """One request with this team's token; ``key=`` is its idempotency key."""
        sent = {"Idempotency-Key": headers["key"]} if "key" in headers else {}
        return self.stage.request(method, path, body, self.token, sent)

    def open(self, **order: Any) -> Answered:
        answered = self.ask("POST", "/v1/sessions", {"set": "train", **order})
        if answered.status == 201:
            self.session_id = answered.json["session_id"]
        return answered

    def join(self, mode: str = "final", key: str | None = None, **wish: Any) -> Answered:
        """Open a session in a run."""
        headers = {"key": key} if key else {}
        answered = self.ask("POST", "/v1/sessions", {"mode": mode, **wish}, **headers)
        if answered.status == 201:
            self.session_id = answered.json["session_id"]
        return answered

    def get(self, what: str = "") -> Answered:
        """GET something of the session: ``""``, ``next``, ``report``, ``files/1`` …"""
        return self.ask("GET", f"/v1/sessions/{self.session_id}" + (f"/{what}" if what else ""))

    def answer(self, number: int, body: Any, **headers: str) -> Answered:
        return self.ask("PUT", f"/v1/sessions/{self.session_id}/files/{number}/answer", body, **headers)

    def play(self, letters: str = "abcd", skip: Sequence[int] = ()) -> None:
        """Take and answer every file but the skipped ones, staying below the rate limit."""
        while (found := self.get("next").json)["status"] == "available":
            number = found["number"]
            assert self.get(f"files/{number}").status == 200
            if number not in skip:
                answered = self.answer(number, {"letters": letters})
                assert answered.status == 200, answered.text
            self.stage.advance(1)


@contextmanager
def staged(folder: Path, cycle: str = "toy-1") -> Iterator[Stage]:
    """A stage with empty services, deployed for a cycle; nothing of it remains."""
    with ExitStack() as stack:
        stack.enter_context(patch.dict("os.environ", _environment(folder, cycle)))
        stack.enter_context(mock_aws())
        stack.enter_context(patch.object(aws, "client", _kept_client))
        stack.enter_context(registry.registered(ToyTrack()))
        _create_resources()
        _forget()
        stage = Stage(folder)
        stack.callback(_forget)
        yield stage


def _environment(folder: Path, cycle: str) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        "POWERTOOLS_METRICS_DISABLED": "true",
        settings.CYCLE: cycle,
        settings.BUCKET: BUCKET,
        settings.SCORING_QUEUE_URL: f"https://sqs.{REGION}.amazonaws.com/123456789012/scoring",
        settings.PUSH_QUEUE_URL: f"https://sqs.{REGION}.amazonaws.com/123456789012/pushes",
        settings.SOCKET_ENDPOINT: f"https://socket.execute-api.{REGION}.amazonaws.com/live",
        settings.SIGNING_SECRET_ARN: "signing",
        settings.CLOCK_FILE: str(folder / "clock.json"),
        **TABLES,
    }


_kept_client = cache(aws.client.__wrapped__)
"""Clients outlive their stage: making one costs more than a test."""


def _forget() -> None:
    bootstrap.platform.cache_clear()


def _create_resources() -> None:
    dynamo = aws.client("dynamodb")
    keys = ((settings.PARTITION_KEY, "HASH"), (settings.SORT_KEY, "RANGE"))
    for name in TABLES.values():
        dynamo.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
            KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
        )
    aws.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    aws.client("sqs").create_queue(QueueName="scoring")
    aws.client("sqs").create_queue(QueueName="pushes")
    aws.client("secretsmanager").create_secret(Name="signing", SecretString="f" * 64)


def _modules() -> dict[str, Any]:
    import authorize.api
    import dispatch.api
    import dispatch.minute
    import dispatch.technical
    import score.api
    import score.audit
    import score.relay
    import score.worker
    import submit.api

    return {
        "authorize": authorize.api,
        "dispatch": dispatch.api,
        "submit": submit.api,
        "results": score.api,
        "minute": dispatch.minute,
        "technical": dispatch.technical,
        "relay": score.relay,
        "worker": score.worker,
        "audit": score.audit,
    }


def _handler(method: str, path: str) -> tuple[str, Any]:
    """The gateway's choice of a route; what is no route goes to one of the functions, which says so."""
    modules = _modules()
    for name in ("dispatch", "submit", "results"):
        app = modules[name].app
        for route in (*app._static_routes, *app._dynamic_routes):
            pattern = re.sub(r"<\w+>", "[^/]+", route.path)
            if route.method == method and re.fullmatch(pattern, path):
                return f"{method} {web.template(route.path)}", modules[name].handler
    return "$default", modules["dispatch"].handler


def _body(body: Any) -> tuple[str | None, bool]:
    if body is None:
        return None, False
    if isinstance(body, bytes):
        return base64.b64encode(body).decode("ascii"), True
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)), False
