"""The whole exchange in one process: the real handlers and adapters on emulated services, a held clock, no network.

Requests go as the gateway's events through authorizer and handler, timers and queues by hand: a test says when the
minute passes and how often a message is delivered.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, unquote, urlsplit

from contest import settings, stored_names, wiring
from contest.adapters import aws
from contest.adapters.system import FileClock
from contest.cycle.loading import Loaded, load_cycle
from contest.cycle.rules.cycle import Mode
from contest.people.rules import STAFF, Change, Person, Pool, Role
from contest.people.store import logged_writes, put_member
from contest.people.teams import add_team, issue_token
from contest.platform import Memory
from contest.results import audit
from contest.results.audit import add_up
from contest.routes import GATEWAY_BELIEVES, ROUTES, Function, Route
from contest.run.planning import RunOrder, plan_run
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind, Run
from contest.run.watching import decide
from contest.stored_names import LetterQueue
from contest.values import iso
from local.aws.identity import Accounts
from shadow import job
from tests.rights_kept import Rights, rights_checked, without_ungranted
from tests.samples import admit_to_finals
from tests.stage_services import (
    BUCKET,
    CLIENTS,
    FUNCTIONS,
    ORIGIN_SECRET,
    REGION,
    TABLES,
    handler_of,
    issuer,
    letters_arn,
    queue_url,
    services,
    signed,
)
from tests.toys import FolderInMemory, ToyTrack, toy_cycle
from tracks import registry

START = 1_790_000_000_000
"""2026-09-21T14:13:20Z, in the afternoon of Moscow."""


SIGNED_IN_S = 10**8


class Context:
    """Context that Lambda passes to a handler, about the handler itself."""

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
    content: bytes = b""
    """The bytes of an answer that is a file, as a client has them that has unpacked what came compressed."""

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def body(self, status: int = 200) -> Any:
        """Return the JSON of an answer that must have this status; a failure of the test shows the whole answer."""
        assert self.status == status, self.text
        return self.json

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])

    @property
    def refusal(self) -> tuple[int, str]:
        """Return status and code of a refusal."""
        return self.status, self.code

    @property
    def receipted(self) -> str:
        """Bytes of an answer's receipt and signature, without the part on the next file, which differs every time."""
        return self.text.partition(',"next":')[0]


class Stage:
    """One deployment on emulated services."""

    def __init__(self, rights: Rights, accounts: Accounts) -> None:
        self._rights = rights
        self.accounts = accounts
        self.memories: dict[str, Memory] = {}
        self.now = START
        self.believed: dict[str, tuple[int, Any]] = {}

    @property
    def platform(self) -> wiring.Wiring:
        return wiring.platform()

    def set_clock(self, moment: int) -> None:
        self.now = moment

    def advance(self, seconds: float) -> None:
        self.set_clock(self.now + round(seconds * 1000))

    def restart(self) -> None:
        """Forget everything the processes remember, as a cold start does."""
        self.memories.clear()
        wiring.platform.cache_clear()

    def load(self, files: Mapping[str, Any] | None = None) -> Loaded:
        source = FolderInMemory(files if files is not None else toy_cycle())
        return load_cycle(self.platform, "tests", self.platform.settings.cycle, source, lambda _: None)

    def team(self, team_id: str, *, admitted: bool = True) -> str:
        """Return a new team's token; the organizers have admitted it to finals, without an entry of the log."""
        add_team(self.platform, "tests", team_id, f"Team {team_id}")
        if admitted:
            admit_to_finals(self.platform, team_id, cycle=self.platform.settings.cycle)
        return issue_token(self.platform, "tests", team_id)[0]

    def person(self, role: Role, person_id: str = "", team_id: str = "") -> str:
        """Return a token with which a person of a role has signed in."""
        name = person_id or f"person-{role.value}"
        pool = Pool.STAFF if role in STAFF else Pool.PARTICIPANTS
        entered = self.platform.persons.person(name)
        if entered is None:
            address = f"{name}@example.org"
            person = Person(name, pool, role, name.title(), address, self.now, team_id)
            change = Change(self.now, "tests", "person entered", name, None, None)
            if pool is Pool.STAFF:
                self.platform.persons.add_staff(person, "", change)
            elif team_id:
                with logged_writes(change) as transaction:
                    put_member(transaction, None, person)
        return self.sign_in(name, pool)

    def sign_in(self, subject: str, pool: Pool = Pool.PARTICIPANTS, **claims: Any) -> str:
        """Return a pool's token of a signed-in person, whoever the platform takes them for."""
        payload = {
            "iss": issuer(pool),
            "sub": subject,
            "client_id": CLIENTS[pool],
            "token_use": "access",
            "exp": self.now // 1000 + SIGNED_IN_S,
        }
        return signed({**payload, **claims}, pool)

    def plan(self, *, in_s: float = 600, interval_s: float | None = 60, **more: Any) -> Run:
        """Plan a run, a final unless it says otherwise."""
        order = {"mode": Mode.FINAL, "set_name": "final", **more}
        starts_at = self.now + round(in_s * 1000)
        interval = None if interval_s is None else round(interval_s * 1000)
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
        *,
        follow: bool = True,
    ) -> Answered:
        """Send one request through authorizer and handler; ``body`` is bytes, text, or a JSON value.

        A redirect is followed to what the distribution would serve, unless ``follow`` is false.
        """
        event = self.event(method, path, body, token, headers)
        route = route_of(method, event["rawPath"])
        event["routeKey"] = event["requestContext"]["routeKey"] = route.key if route else "$default"
        if route is not None and route.authorized:
            authorization = self._authorized(event)
            if not authorization["isAuthorized"]:
                return Answered(403 if token else 401, {}, '{"message":"Unauthorized"}')
            event["requestContext"]["authorizer"] = {"lambda": authorization["context"]}
        function = route.function if route else Function.PUBLIC
        answered = self.invoke(function.lower(), event)
        place = answered["headers"].get("Location")
        if place is not None and follow:
            return self.published(place)
        response_headers = {name.lower(): value for name, value in answered["headers"].items()}
        if not answered.get("isBase64Encoded"):
            return Answered(answered["statusCode"], response_headers, answered["body"])
        content = base64.b64decode(answered["body"])
        content = gzip.decompress(content) if response_headers.get("content-encoding") == "gzip" else content
        return Answered(answered["statusCode"], response_headers, content.decode("utf-8", "replace"), content)

    def invoke(self, function: str, event: dict[str, Any]) -> Any:
        """Let a function handle an event in a process of its own, with no more rights than it is granted.

        What it prints is its log, metrics among it, and no part of what a command beside it prints.
        """
        handler, platform = handler_of(function), self.platform
        name = FUNCTIONS[function]
        ours, platform.memory = platform.memory, self.memories.setdefault(function, Memory())
        try:
            with without_ungranted(name, platform), self._rights.of(name), redirect_stdout(sys.stderr):
                return handler(event, Context())
        finally:
            platform.memory = ours

    def published(self, path: str) -> Answered:
        """Return an object of the bucket as the distribution serves it to a client."""
        assert path.startswith(f"/{stored_names.PUBLISHED}")
        stored = aws.client("s3").get_object(Bucket=BUCKET, Key=path.removeprefix("/"))
        assert stored["ContentEncoding"] == "gzip"
        content = gzip.decompress(stored["Body"].read())
        return Answered(200, {"content-type": stored["ContentType"]}, content.decode("utf-8", "replace"), content)

    def _authorized(self, event: dict[str, Any]) -> Any:
        """Return the authorizer's answer, which the gateway caches for a while."""
        token = event["headers"].get("authorization", "")
        believed = self.believed.get(token)
        if believed is not None and self.now < believed[0] + GATEWAY_BELIEVES:
            return believed[1]
        answer = self.invoke("authorize", event)
        self.believed[token] = (self.now, answer)
        return answer

    def event(
        self, method: str, path: str, body: Any, token: str | None, headers: Mapping[str, str] | None
    ) -> dict[str, Any]:
        parts = urlsplit(path)
        sent = {"content-type": "application/json", settings.ORIGIN_HEADER: ORIGIN_SECRET}
        sent |= {k.lower(): v for k, v in (headers or {}).items()}
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

    def tick(self, *, settles: bool = True, after: float = 0) -> dict[str, Any]:
        """Run the minute timer ``after`` so many seconds, and the workers after it unless ``settles`` is false."""
        if after:
            self.advance(after)
        swept: dict[str, Any] = self.invoke("minutetimer", {})
        if settles:
            assert self.settle() == []
        return swept

    def audit(self) -> dict[str, Any]:
        """Run a round of the audit, the timer and the workers, and return their findings."""
        findings, really = [], audit.audit_or_verify

        def noted(*arguments: Any) -> Any:
            findings.append(really(*arguments))
            return findings[-1]

        self.invoke("audit", {})
        with patch.object(audit, "audit_or_verify", noted):
            assert self._deliver("verify", queue_url("audits"), 1) == []
        return asdict(add_up(findings))

    def outbox(self) -> list[dict[str, Any]]:
        """Return the images of the current outbox entries."""
        return [row for row in self._items("exchange") if row["pk"]["S"].startswith(settings.OUTBOX_PREFIX)]

    def _items(self, table: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = aws.client("dynamodb").scan(TableName=table, ConsistentRead=True)["Items"]
        return items

    def everything_stored(self) -> str:
        """Return all items of all tables as text."""
        return json.dumps([self._items(table) for table in TABLES.values()], default=unpacked)

    def delete_scores(self) -> None:
        """Lose every score record."""
        for row in self._items("scores"):
            if row["sk"]["S"].startswith("SCORE#"):
                aws.client("dynamodb").delete_item(TableName="scores", Key={"pk": row["pk"], "sk": row["sk"]})

    def relay(self, images: Sequence[Mapping[str, Any]]) -> None:
        """Deliver a batch of the stream."""
        records = [{"eventName": "INSERT", "dynamodb": {"NewImage": image}} for image in images]
        self.invoke("relay", {"Records": records})

    def settle(self, deliveries: int = 1) -> list[str]:
        """Let the workers make what they are sent for, and what follows; names of the messages that failed."""
        failed = self._deliver("settle", queue_url("settlement"), deliveries)
        return failed + self.recompute(deliveries)

    def rescore(self, deliveries: int = 1) -> list[str]:
        """Let the workers score anew what they are sent for; names of the messages that failed."""
        return self._deliver("rescore", queue_url("rescorings"), deliveries)

    def recompute(self, deliveries: int = 1) -> list[str]:
        """Let the independent recomputation do what it is sent for; names of the messages that failed."""
        return self._deliver("shadow", queue_url("shadows"), deliveries)

    def load_imports(self, deliveries: int = 1) -> list[str]:
        """Let the workers load what organizers have brought; names of the messages that failed."""
        return self._deliver("import", queue_url("imports"), deliveries)

    def judge(self, deliveries: int = 1) -> list[str]:
        """Let the workers take submissions on; names of the messages that failed."""
        return self._deliver("submissionworker", queue_url("submissions"), deliveries)

    def verify(self, deliveries: int = 1) -> list[str]:
        """Let the audit's workers do what they are sent for; names of the messages that failed."""
        return self._deliver("verify", queue_url("audits"), deliveries)

    def lose(self, url: str) -> int:
        """Lose every message of a queue for good; how many."""
        queue, lost = aws.client("sqs"), 0
        while messages := queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            lost += len(messages)
            for message in messages:
                queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return lost

    def work(self, deliveries: int = 1) -> list[str]:
        """Deliver everything in the queue to the worker, each message so often; names of those that failed."""
        return self._deliver("worker", queue_url("scoring"), deliveries)

    def _deliver(self, function: str, url: str, deliveries: int) -> list[str]:
        queue = aws.client("sqs")
        failed = []
        while messages := queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            records = [
                {
                    "messageId": message["MessageId"],
                    "receiptHandle": message["ReceiptHandle"],
                    "body": message["Body"],
                    "eventSource": "aws:sqs",
                    "eventSourceARN": f"arn:aws:sqs:{REGION}:123456789012:{url.rpartition('/')[2]}",
                    "attributes": {},
                }
                for message in messages
            ]
            for _ in range(deliveries):
                outcome = self.invoke(function, {"Records": records})
                failed += [failure["itemIdentifier"] for failure in outcome["batchItemFailures"]]
            for message in messages:
                queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return failed

    def die(self, queue: LetterQueue, body: str, message_id: str = "m1", **more: Any) -> dict[str, Any]:
        """Let a message end in a dead-letter queue, and what takes it from there have it."""
        record = {
            "messageId": message_id,
            "body": body,
            "eventSourceARN": letters_arn(queue),
            "attributes": {"SentTimestamp": str(self.now - 60_000), "ApproximateReceiveCount": "6"},
            **more,
        }
        answered: dict[str, Any] = self.invoke("deadletters", {"Records": [record]})
        return answered

    def score_all(self, deliveries: int = 1) -> None:
        """Score all answers: from the outbox through stream and queue to the records."""
        self.relay(self.outbox())
        assert self.work(deliveries) == []

    def report_all(self) -> None:
        """Score what waits, and let the timer make the reports that waited for it."""
        self.score_all()
        self.tick()

    def pass_minutes(self, count: int) -> None:
        """Let minutes pass, each with its timer and the scoring that follows."""
        for _ in range(count):
            self.advance(60)
            self.tick()
            self.score_all()


def unpacked(stored: Any) -> str:
    """Return a binary attribute's content as text: plans and score records are packed by zlib."""
    try:
        return zlib.decompress(bytes(stored)).decode("utf-8")
    except (TypeError, ValueError, zlib.error):
        return repr(stored)


class Program:
    """A participant's program on a stage, for tests that need one to get somewhere."""

    def __init__(self, stage: Stage, token: str) -> None:
        self.stage = stage
        self.token = token
        self.session_id = ""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        """Send one request with this team's token; ``key=`` is its idempotency key."""
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
        """GET a resource of the session: ``""``, ``next``, ``report``, ``files/1`` …"""
        return self.ask("GET", f"/v1/sessions/{self.session_id}" + (f"/{what}" if what else ""))

    def answer(self, number: int, body: Any, **headers: str) -> Answered:
        return self.ask("PUT", f"/v1/sessions/{self.session_id}/files/{number}/answer", body, **headers)

    def play(self, letters: str = "abcd", skip: Sequence[int] = ()) -> None:
        """Take and answer every file but the skipped ones, staying below the rate limit."""
        while (following := self.get("next").json)["status"] == "available":
            number = following["number"]
            assert self.get(f"files/{number}").status == 200
            if number not in skip:
                answered = self.answer(number, {"letters": letters})
                assert answered.status == 200, answered.text
            self.stage.advance(1)


@contextmanager
def staged(folder: Path, cycle: str = "toy-1") -> Iterator[Stage]:
    """Start a stage with empty services, deployed for a cycle, and remove it at the end."""
    with ExitStack() as stack:
        accounts = stack.enter_context(services(folder, cycle))
        stack.enter_context(registry.registered(ToyTrack()))
        _forget()
        stage = Stage(stack.enter_context(rights_checked(TABLES)), accounts)
        # Without the file's reading: the clock is asked a dozen times in a request.
        stack.enter_context(patch.object(FileClock, "_read", lambda _: (stage.now, True)))
        stack.callback(_forget)
        yield stage


def _forget() -> None:
    wiring.platform.cache_clear()
    job.source.cache_clear()


def route_of(method: str, path: str) -> Route | None:
    """Choose a route like the gateway; an unknown one goes to one of the functions, which says so."""
    routes = (route for route in ROUTES if route.method == method)
    return next((route for route in routes if _pattern(route.path).fullmatch(path)), None)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of a route's path; a stage looks at two hundred of them for each request."""
    return re.compile(re.sub(r"{\w+}", "[^/]+", path))


def _body(body: Any) -> tuple[str | None, bool]:
    if body is None:
        return None, False
    if isinstance(body, bytes):
        return base64.b64encode(body).decode("ascii"), True
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)), False
