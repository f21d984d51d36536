"""The exchange on the local cloud as its programs see it: the demonstration cycle, teams with tokens, requests.

Clocks are held, so that nothing depends on how fast the machine is; a program moves its cloud's clock on before it
would meet the rate limit.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from io import StringIO
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.exchange.store import OUTBOX_PARTS
from local.aws.state import objects
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.lambdas.runtime import Logs
from local.organizing import Organizer, run
from markup_core.reading.classifier import Classifier
from markup_core.receipt import canonical_bytes

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = ROOT / "functions"
DEMONSTRATION = ROOT / "local" / "demonstration"
# 2026-11-21 12:00:30 UTC (date -u -d "2026-11-21 12:00:30" +%s): half a minute before the timer's next visit
START_MS = 1_795_262_430_000
TEAMS = 120
REQUESTS_PER_SECOND = 10
_ISSUE = """
import sys
from contest.people import teams
from contest.wiring import platform
rows = ["team_id,name", *(f"{name},Team {name}" for name in sys.argv[1:])]
teams.import_teams(platform(), "organizer", "\\n".join(rows).encode())
for name in sys.argv[1:]:
    print(teams.issue_token(platform(), "organizer", name, "", None)[0])
"""
_ARRIVED = "arrived_"
T = TypeVar("T")


def receipt_bytes(answered: Any) -> bytes:
    """Return an answer's receipt with its signature, byte by byte, without the parts beside it."""
    signed: bytes = answered.content.partition(b',"next":')[0]
    return signed


class Exchange:
    """A running local cloud on a held clock, with the cycle loaded and teams waiting to be somebody's."""

    def __init__(self, cloud: LocalCloud, tokens: dict[str, str], screen: StringIO) -> None:
        self.cloud = cloud
        self.clock = cloud.clock
        self.organizer = Organizer(cloud)
        self.tokens = tokens
        self.screen = screen
        self.http = httpx.Client(base_url=cloud.url, timeout=60)
        self._free = list(tokens)
        self._tables = cloud.client("dynamodb")

    def close(self) -> None:
        """Give the connections back."""
        for client in (self.http, self._tables):
            client.close()

    def program(self) -> Program:
        """Return the program of a new team."""
        return Program(self, self._free.pop(0))

    def public(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request without a token."""
        return self.http.request(method, path, **more)

    def items(self, resource: str) -> list[dict[str, Any]]:
        """Return all items of a table, in DynamoDB's own JSON."""
        pages = self._tables.get_paginator("scan").paginate(TableName=self.cloud.resource(resource))
        return [item for page in pages for item in page["Items"]]

    def stored(self, session_id: str) -> dict[str, Any]:
        """Return a session's stored items, by sort key, without its last request and answers under way."""
        waiting = [item for part in range(OUTBOX_PARTS) for item in self.below("StorageExchange", "OUTBOX", f"{part}")]
        items = self.below("StorageExchange", "SESSION", session_id)
        items += [item for item in waiting if item["session_id"]["S"] == session_id]
        return {
            f"{item['pk']['S']} {item['sk']['S']}": {
                name: value for name, value in item.items() if not name.startswith(_ARRIVED)
            }
            for item in items
        }

    def blobs(self, prefix: str) -> dict[str, bytes]:
        """Return objects whose names begin with a prefix; of a session's answers also those stored as table items."""
        small = self.below("StorageExchange", "ANSWERS", prefix.split("/")[1]) if prefix.startswith("answers/") else []
        items = {
            f"{prefix}{int(item['sk']['S'].split('#')[1])}/{item['sk']['S'].split('#')[2]}.json": zlib.decompress(
                item["content"]["B"]
            )
            for item in small
        }
        buckets = [self.cloud.resource("StorageObjects")]
        stored = objects(self.cloud._running_emulator(), buckets, prefix)
        return items | {stored["key"]: b64decode(stored["content"]) for stored in stored}

    def scores(self, session_id: str) -> list[str]:
        """Sort keys of a session's score records."""
        return sorted(item["sk"]["S"] for item in self.below("StorageScores", "SESSION", session_id))

    def below(self, resource: str, kind: str, name: str) -> list[dict[str, Any]]:
        """Return all items of a table under the key of a session or a team, in DynamoDB's own JSON."""
        pages = self._tables.get_paginator("query").paginate(
            TableName=self.cloud.resource(resource),
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"{kind}#{name}"}},
        )
        return [item for page in pages for item in page["Items"]]


class Program:
    """A team's program. It has at most one session, which ``open`` begins."""

    def __init__(self, exchange: Exchange, team_id: str) -> None:
        self.exchange = exchange
        self.team_id = team_id
        self.session_id = ""
        self.token = exchange.tokens[team_id]
        self.given: list[Any] = []
        self._made: Counter[int] = Counter()

    def ask(
        self,
        method: str,
        path: str,
        *,
        key: str | None = None,
        patient: bool = True,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        """Send one request; ``key`` is its idempotency key. A patient program stays below the rate limit."""
        if patient and self._made[self._second()] >= REQUESTS_PER_SECOND - 1:
            self.exchange.clock.advance(1)
        self._made[self._second()] += 1
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        if key is not None:
            sent["Idempotency-Key"] = key
        return self.exchange.http.request(method, path, headers=sent, **more)

    def open(self, *, key: str | None = None, **order: Any) -> httpx.Response:
        """Open a session of the training set unless told else."""
        answered = self.ask("POST", "/v1/sessions", key=key, json={"set": "train", **order})
        if answered.status_code == 201:
            self.session_id = answered.json()["session_id"]
        return answered

    def path(self, what: str = "") -> str:
        return f"/v1/sessions/{self.session_id}" + (f"/{what}" if what else "")

    def get(self, what: str = "", **more: Any) -> httpx.Response:
        """GET a resource of the session: nothing for its status, ``next``, ``report``, ``files/1`` …"""
        return self.ask("GET", self.path(what), **more)

    def take(self, number: int = 1) -> Any:
        """Get a file; its content is an answer without a fragment."""
        answered = self.get(f"files/{number}")
        assert answered.status_code == 200, answered.text
        return answered.json()["content"]

    def answer(self, number: int, markup: Any, *, key: str | None = None, patient: bool = True) -> httpx.Response:
        """Send a markup."""
        content = markup if isinstance(markup, bytes) else json.dumps(markup, ensure_ascii=False).encode()
        kind = {"Content-Type": "application/json"}
        where = self.path(f"files/{number}/answer")
        return self.ask("PUT", where, key=key, patient=patient, content=content, headers=kind)

    def receipt(self, number: int, markup: Any, *, key: str | None = None) -> Any:
        """Send an answer that must be taken and return its receipt."""
        answered = self.answer(number, markup, key=key)
        assert answered.status_code == 200, answered.text
        return answered.json()["receipt"]

    def state(self) -> str:
        """Return the session's state."""
        answered = self.get()
        assert answered.status_code == 200, answered.text
        return str(answered.json()["state"])

    def delivery(self, number: int = 1) -> Any:
        """Return a file's delivery from the session's status."""
        return self.get().json()["deliveries"][number - 1]

    def play(self, marked: Callable[[Any], Any] = lambda content: content) -> list[Any]:
        """Take and answer file after file until there is none; the receipts as they came."""
        receipts = []
        while (following := self.get("next").json())["status"] == "available":
            answered = self.answer(following["number"], marked(self.take(following["number"])))
            assert answered.status_code == 200, answered.text
            receipts.append(answered.json())
        return receipts

    def report(self) -> Any:
        """Return the report of a closed session."""
        self.exchange.cloud.drain()
        answered = self.get("report")
        assert answered.status_code == 200, answered.text
        return answered.json()

    def _second(self) -> int:
        return self.exchange.clock.now_ms() // 1000


def variants(content: Any, count: int) -> list[Any]:
    """Return different valid answers to a file, each with one fragment of another length."""
    listed = Classifier.default().codes(content["meta"]["subject"])
    code = next(entry.code for entry in listed if entry.group == "error" and "." in entry.code)
    return [{**content, "selections": [fragment(0, end, code)]} for end in range(1, count + 1)]


def fragment(start: int, end: int, code: str) -> dict[str, Any]:
    """Return a fragment as a program writes it."""
    texts = dict.fromkeys(("subtype", "comment", "explanation", "correction", "tag"), "")
    return {"id": 1, "startSelection": start, "endSelection": end, "type": code, **texts, "group": "error"}


def as_expert(number: int) -> Callable[[Any], Any]:
    """Return a marker that knows the demonstration's essays: it answers with the markup of expert ``number``."""

    def marked(content: Any) -> Any:
        markup = _markups()[content["text"], f"exp{number:02d}"]
        return {**content, "selections": markup["selections"]}

    return marked


@cache
def _markups() -> dict[tuple[str, str], Any]:
    by_text = {}
    for path in sorted(DEMONSTRATION.glob("*/*_exp*.json")):
        markup = json.loads(path.read_text("utf-8"))
        by_text[markup["text"], path.stem.rpartition("_")[2]] = markup
    return by_text


def messages(exchange: Exchange, queue: str) -> int:
    """Return the number of messages in a queue, visible or not."""
    client = exchange.cloud.client("sqs")
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = client.get_queue_attributes(QueueUrl=exchange.cloud.resource(queue), AttributeNames=names)[
        "Attributes"
    ]
    client.close()
    return sum(int(attributes[name]) for name in names)


def codes(answered: httpx.Response) -> list[str]:
    """List the codes of a refusal's details."""
    return [detail["code"] for detail in answered.json()["error"]["details"]]


def refused(answered: httpx.Response) -> tuple[int, str]:
    """Return status and code of a refusal, after checking its form (the platform's own: two languages, no trace)."""
    body = answered.json()
    error = body["error"]
    assert (body["status"], body["title"], body["title_ru"]) == (
        answered.status_code,
        error["message"],
        error["message_ru"],
    )
    assert set(error) == {"code", "message", "message_ru", "details", "request_id"}, answered.text
    assert error["message"]
    assert any("а" <= letter <= "я" for letter in error["message_ru"])
    assert error["request_id"]
    assert answered.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answered.text
    assert ".py" not in answered.text
    return answered.status_code, str(error["code"])


def verified(exchange: Exchange, signed: Any) -> bool:
    """Check a receipt offline, with the published key; raises InvalidSignature."""
    keys = {key["key_id"]: key["public_key"] for key in exchange.public("GET", "/v1/keys").json()["keys"]}
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(keys[signed["receipt"]["key_id"]]))
    public.verify(base64.b64decode(signed["signature"]), canonical_bytes(signed["receipt"]))
    return True


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Run calls in threads that start together; their results in the calls' order."""
    gate = Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@contextmanager
def exchange_cloud(
    state: Path | None = None, functions: Path = FUNCTIONS, *, keep: Path | None = None, **options: Any
) -> Iterator[Exchange]:
    """Start a cloud of the shipped template on a held clock.

    ``state``: a prepared one, of which a copy is taken, in the folder ``keep`` if one is named; otherwise a state is
    loaded here, and kept there.
    """
    screen = StringIO()
    # In memory where that is a folder: no test of these waits for a disk.
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a name that nobody guesses is below it
    with ExitStack() as stack:
        if state is not None:
            own = stack.enter_context(tempfile.TemporaryDirectory(prefix="hurdle-state-", dir=memory))
            keep = keep or Path(own) / "state"
            shutil.copytree(state, keep)
        cloud = LocalCloud(
            DEFAULT_TEMPLATE, functions, clock=Clock(START_MS), logs=Logs(screen=screen), state=keep, **options
        )
        stack.enter_context(cloud)
        if state is None:
            organizer = Organizer(cloud)
            organizer.load(DEMONSTRATION)
            tokens = issue_tokens(cloud, [f"team-{number:02d}" for number in range(TEAMS)])
        else:
            tokens = json.loads(tokens_of(state).read_text("utf-8"))
        with closing(Exchange(cloud, tokens, screen)) as ready:
            yield ready


def tokens_of(state: Path) -> Path:
    """Return the path of a prepared state's file of tokens: tables hold only their hashes."""
    return state.with_suffix(".tokens.json")


def issue_tokens(cloud: LocalCloud, names: Sequence[str]) -> dict[str, str]:
    """Admit teams by a table and issue their tokens, as the organizers' pages do, in one process."""
    tokens = run(_ISSUE, cloud.environment("FunctionsCommand"), *names)
    return dict(zip(names, tokens.split(), strict=True))
