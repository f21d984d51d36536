"""API Gateway's WebSocket API: events as data, connections as the service treats them, and calls that write to them.

Events do no input or output. Facts kept from the service: a connection is known by an id that is no path segment as it
stands; frames carry a message id and the time of their arrival; a connect event brings headers and the query, later
events bring neither; the query's values are decoded and the last of several counts.

A connection's frames reach the function one after the other, in the order and with the time of their arrival. (The
service may run several at once; their order is the same.) Nothing can be posted to a connection before its `$connect`
has returned. A connection ends after ten minutes without a frame in either direction, and after two hours in any
case, both by the local cloud's clock. Messages have at most 128 KB and frames at most 32 KB (`front`).
:func:`integrate` limits the time for which a gateway waits for a function.

The `@connections` calls are answered under `MANAGEMENT_PATH`, where no participant's route can be.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from local.aws.alarms import GATEWAY
from local.clock import utc
from local.gateways.gateway import FirewallRequest, HttpResponse, Throttle, by_the_front, forwarded_for, message
from local.lambdas.runtime import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.clock import Clock, ClockState
    from local.gateways.gateway import Firewall, HttpRequest, Limit
    from local.lambdas.runtime import InvocationResult, Logs, Runtime

CONNECT, DEFAULT, DISCONNECT = "$connect", "$default", "$disconnect"
_KINDS = {CONNECT: "CONNECT", DEFAULT: "MESSAGE", DISCONNECT: "DISCONNECT"}
# What the service says when a connection ended without a word.
_REASONS = {1005: "Client-side close frame status not set", 1006: "Connection closed abnormally"}
_ID_BYTES = 11


@dataclass(frozen=True)
class Channel:
    """A WebSocket API: its id, host and stage, the function of each route, the front's path patterns for it, the
    headers that the front says to it, and how many connections and frames a second it takes."""

    name: str
    host: str
    stage: str
    functions: Mapping[str, str]
    paths: tuple[str, ...]
    added_headers: tuple[tuple[str, str], ...] = ()
    limit: Limit | None = None

    def takes(self, path: str) -> bool:
        """Return whether the front sends a path here; `*` stands for any characters, `?` for one, as in CloudFront."""
        return goes_to(self.paths, path)


def goes_to(patterns: Sequence[str], path: str) -> bool:
    """Return whether one of CloudFront's path patterns takes a path."""
    return bool(patterns) and _expression(tuple(patterns)).fullmatch(path) is not None


@cache
def _expression(patterns: tuple[str, ...]) -> re.Pattern[str]:
    wild = {"*": ".*", "?": "."}
    return re.compile("|".join("".join(wild.get(letter) or re.escape(letter) for letter in text) for text in patterns))


class Opening(NamedTuple):
    """The request that opens a connection; headers in order with names in lower case."""

    connection_id: str
    connected_ms: int
    query: str
    headers: tuple[tuple[str, str], ...]
    source_ip: str


def fresh_id() -> str:
    """Return an id of a connection or message; it ends with `=` as the service's ids do."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_ID_BYTES)).decode()


def connect_event(channel: Channel, opening: Opening) -> dict[str, Any]:
    """Return the event of a connection that asks to be opened."""
    # The service writes names of headers so; handlers must not depend on it.
    sent = [
        ("-".join(part.capitalize() for part in name.split("-")).replace("-Websocket-", "-WebSocket-"), value)
        for name, value in opening.headers
        if name != "host"
    ]
    from_client = next((value for name, value in sent if name == "X-Forwarded-For"), None)
    forwarded = forwarded_for(from_client, opening.source_ip)
    added = [("Host", channel.host), ("X-Forwarded-For", forwarded), ("X-Forwarded-Proto", "https")]
    headers = _several([*(pair for pair in sent if pair[0] != "X-Forwarded-For"), *added])
    event = {
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        **_event(channel, CONNECT, opening, opening.connected_ms),
    }
    query = _several(parse_qsl(opening.query, keep_blank_values=True))
    if query:
        event["queryStringParameters"] = {name: values[-1] for name, values in query.items()}
        event["multiValueQueryStringParameters"] = query
    return event


def message_event(channel: Channel, opening: Opening, received_ms: int, content: str | bytes) -> dict[str, Any]:
    """Return the event of a frame; bytes travel as base64."""
    event = _event(channel, DEFAULT, opening, received_ms)
    event["requestContext"]["messageId"] = fresh_id()
    if isinstance(content, str):
        return event | {"body": content}
    return event | {"body": base64.b64encode(content).decode(), "isBase64Encoded": True}


def disconnect_event(channel: Channel, opening: Opening, ended_ms: int, code: int, reason: str) -> dict[str, Any]:
    """Return the event of a connection's end; `code` and `reason` are the close frame's."""
    event = _event(channel, DISCONNECT, opening, ended_ms)
    event["requestContext"] |= {"disconnectStatusCode": code, "disconnectReason": reason or _REASONS.get(code, "")}
    names = {"Host": channel.host, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": ""}
    return {"headers": names, "multiValueHeaders": {name: [value] for name, value in names.items()}, **event}


def _event(channel: Channel, route: str, opening: Opening, moment_ms: int) -> dict[str, Any]:
    agent = next((value for name, value in opening.headers if name == "user-agent"), None)
    request_id = fresh_id()
    return {
        "requestContext": {
            "routeKey": route,
            "eventType": _KINDS[route],
            "messageDirection": "IN",
            "apiId": channel.name,
            "domainName": channel.host,
            "stage": channel.stage,
            "connectionId": opening.connection_id,
            "connectedAt": opening.connected_ms,
            "requestId": request_id,
            "extendedRequestId": request_id,
            "requestTime": utc(moment_ms).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "requestTimeEpoch": moment_ms,
            "identity": {"sourceIp": opening.source_ip, **({"userAgent": agent} if agent else {})},
        },
        "isBase64Encoded": False,
    }


def _several(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


INTEGRATION_LIMIT_S = 30


async def integrate(runtime: Runtime, function: str, event: bytes) -> InvocationResult | None:
    """Run a function; None when it takes longer than an integration may (it runs on, as in the cloud)."""
    work = asyncio.ensure_future(runtime.invoke(function, event))
    done, _ = await asyncio.wait([work], timeout=INTEGRATION_LIMIT_S)
    return work.result() if done else None


MANAGEMENT_PATH = "/_local/"
FRAME_LIMIT = 32 * 1024
MESSAGE_LIMIT = 128 * 1024
IDLE_LIMIT_MS = 10 * 60 * 1000
LIFE_LIMIT_MS = 2 * 60 * 60 * 1000
_GOING_AWAY = 1001
_NORMAL = 1000
# What uvicorn raises when the client, or this side, has closed the connection meanwhile.
_CLIENT_GONE = (OSError, RuntimeError)
_GONE = HttpResponse(
    410, (("content-type", "application/json"), ("x-amzn-errortype", "GoneException")), b'{"message":"Gone"}'
)
_TOO_LARGE = HttpResponse(
    413,
    (("content-type", "application/json"), ("x-amzn-errortype", "PayloadTooLargeException")),
    b'{"message":"The data has exceeded the maximum size allowed."}',
)


class _Connection:
    """One open connection."""

    def __init__(self, channel: Channel, opening: Opening, send: Any) -> None:
        self.channel = channel
        self.opening = opening
        self.active_ms = opening.connected_ms
        self.events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self.ended = asyncio.Event()
        self._send = send

    @property
    def due_ms(self) -> int:
        """Return when the connection is closed if no frame comes or goes before."""
        return min(self.active_ms + IDLE_LIMIT_MS, self.opening.connected_ms + LIFE_LIMIT_MS)

    async def post(self, data: bytes, now_ms: int) -> None:
        """Write a frame: text if it can be."""
        self.active_ms = max(self.active_ms, now_ms)
        try:
            frame: dict[str, Any] = {"text": data.decode("utf-8")}
        except UnicodeDecodeError:
            frame = {"bytes": data}
        await self._send({"type": "websocket.send", **frame})

    async def close(self, code: int, reason: str) -> None:
        """Write the close frame; the reader then hears of the end as if the client had closed."""
        with suppress(*_CLIENT_GONE):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


class Sockets:
    """The connections of the template's WebSocket APIs; a `clock.Timer` for their time-outs."""

    def __init__(
        self, channels: Sequence[Channel], firewall: Firewall, runtime: Runtime, clock: Clock, logs: Logs
    ) -> None:
        self._channels = channels
        self._firewall = firewall
        self._throttles = {channel.name: Throttle(channel.limit, {}) for channel in channels}
        self._runtime = runtime
        self._clock = clock
        self._logs = logs
        self._open: dict[str, _Connection] = {}
        self._unheard = 0
        """Number of events of connections, their ends included, that no function has processed yet."""
        self.posted = 0
        """Frames that functions sent to clients."""
        self._heard = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: asyncio.Event | None = None
        self._watcher: asyncio.Task[None] | None = None

    def settle(self, timeout_s: float) -> None:
        """Wait until the functions have processed all events, the ends of connections included. TimeoutError
        after `timeout_s`."""
        with self._heard:
            if not self._heard.wait_for(lambda: self._unheard == 0, timeout_s):
                raise TimeoutError(f"{self._unheard} event(s) of connections not dealt with after {timeout_s:g} s")

    def channel_of(self, path: str) -> Channel | None:
        """Return the channel that the front sends a path to, None when it belongs to the HTTP API."""
        return next((channel for channel in self._channels if channel.takes(path)), None)

    async def serve(self, scope: Any, receive: Any, send: Any) -> None:
        """Carry one connection from its opening to its end."""
        await receive()
        channel = self.channel_of(scope["path"])
        if channel is None:
            await _refuse(send, 404, "Not Found")
            return
        opening = _opening(scope, channel, self._clock.now_ms())
        blocked = self._firewall.refusal(
            FirewallRequest(opening.source_ip, scope["path"], opening.query, opening.headers)
        )
        if blocked is not None:
            await _refuse(send, blocked.status, "Forbidden")
            return
        if not self._throttles[channel.name].passes(CONNECT):
            await _refuse(send, 429, "Too Many Requests")
            return
        status, protocol = await self._connect(channel, opening)
        if not 200 <= status < 300:
            await _refuse(send, status, "Forbidden" if status == 403 else "Internal server error")
            return
        with suppress(*_CLIENT_GONE):  # then the reader hears of the end at once, and so does the function
            await send({"type": "websocket.accept", "subprotocol": protocol})
        connection = _Connection(channel, opening, send)
        self._add(connection)
        worker = asyncio.ensure_future(self._work(connection))
        try:
            await self._read(connection, receive)
        finally:
            self._open.pop(opening.connection_id, None)
        try:
            await worker
        finally:
            self._dealt_with(connection.events.qsize())  # nothing, but where its work was broken off

    async def manage(self, request: HttpRequest) -> HttpResponse:
        """Answer an `@connections` call: POST writes, DELETE closes."""
        place, _, connection_id = unquote(request.encoded_path).rpartition("/@connections/")
        connection = self._open.get(connection_id)
        if connection is None or place != management_path(connection.channel):
            return _GONE
        match request.method:
            case "POST":
                return await self._post(connection, request.body)
            case "DELETE":
                del self._open[connection_id]
                await connection.close(_NORMAL, "")
                return HttpResponse(204, (), b"")
        return message(405, "Method Not Allowed")

    async def _post(self, connection: _Connection, data: bytes) -> HttpResponse:
        if len(data) > MESSAGE_LIMIT:
            return _TOO_LARGE
        try:
            await connection.post(data, self._clock.now_ms())
        except _CLIENT_GONE:
            return _GONE
        self.posted += 1
        return HttpResponse(200, (), b"")

    def next_due_ms(self) -> int | None:
        """Return when the next connection is closed for its silence or age."""
        return min((connection.due_ms for connection in list(self._open.values())), default=None)

    def fire(self, now_ms: int) -> None:
        """Close the connections that are due, and wait until the function has heard of it."""
        if self._loop is not None and self._open:
            asyncio.run_coroutine_threadsafe(self._expire(now_ms), self._loop).result()

    def skip(self, now_ms: int) -> None:
        """Close the connections that are due: the gateway is no timer of the template's that could fail to run."""
        self.fire(now_ms)

    def _add(self, connection: _Connection) -> None:
        if self._loop is None:
            self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
            self._clock.listen(self._hear)
            self._watcher = self._loop.create_task(self._watch())
        self._open[connection.opening.connection_id] = connection
        if self._news is not None:
            self._news.set()

    def _hear(self, _: ClockState) -> None:
        if self._loop is not None and self._news is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def _watch(self) -> None:
        """Close idle and old connections while the clock runs; a held clock calls `fire`."""
        assert self._news is not None  # noqa: S101 - made with this task, for the type checker
        while True:
            self._news.clear()
            due, is_held = self.next_due_ms(), self._clock.state.held_ms is not None
            wait = None if is_held or due is None else max(0, due - self._clock.now_ms()) / 1000
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), wait)
            if self._clock.state.held_ms is None:
                await self._expire(self._clock.now_ms())

    async def _expire(self, now_ms: int) -> None:
        due = [connection for connection in self._open.values() if connection.due_ms <= now_ms]
        for connection in due:
            self._open.pop(connection.opening.connection_id, None)
            await connection.close(_GOING_AWAY, "Going away")
        for connection in due:
            await connection.ended.wait()

    async def _connect(self, channel: Channel, opening: Opening) -> tuple[int, str | None]:
        """Ask the function; return its status and the subprotocol that it chose."""
        if CONNECT not in channel.functions:
            return 200, None
        result = await self._run(channel, CONNECT, connect_event(channel, opening))
        if result is None:
            return 502, None
        try:
            answer = json.loads(result)
            headers = {str(name).lower(): str(value) for name, value in (answer.get("headers") or {}).items()}
            return int(answer["statusCode"]), headers.get("sec-websocket-protocol")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self._logs.problem(channel.functions[CONNECT], f"gave no answer to {CONNECT}: {error!r}")
            return 502, None

    async def _read(self, connection: _Connection, receive: Any) -> None:
        """Note every frame with its time until the connection ends."""
        channel, opening = connection.channel, connection.opening
        while True:
            frame = await receive()
            now = self._clock.now_ms()
            if frame["type"] == "websocket.disconnect":
                code, reason = frame.get("code", 1006), frame.get("reason") or ""
                self._enqueue(connection, DISCONNECT, disconnect_event(channel, opening, now, code, reason))
                return
            connection.active_ms = max(connection.active_ms, now)
            if not self._throttles[channel.name].passes(DEFAULT):
                notice = {"message": "Too Many Requests", "connectionId": connection.opening.connection_id}
                with suppress(*_CLIENT_GONE):
                    await connection.post(to_json(notice), self._clock.now_ms())
                continue
            content = frame["bytes"] if frame.get("text") is None else frame["text"]
            self._enqueue(connection, DEFAULT, message_event(channel, opening, now, content))

    def _enqueue(self, connection: _Connection, route: str, event: dict[str, Any]) -> None:
        self._unheard += 1
        connection.events.put_nowait((route, event))

    def _dealt_with(self, count: int) -> None:
        with self._heard:
            self._unheard -= count
            self._heard.notify_all()

    async def _work(self, connection: _Connection) -> None:
        """Give the function one event after the other."""
        route = ""
        while route != DISCONNECT:
            route, event = await connection.events.get()
            try:
                await self._deal_with(connection, route, event)
            finally:
                self._dealt_with(1)
        connection.ended.set()

    async def _deal_with(self, connection: _Connection, route: str, event: dict[str, Any]) -> None:
        has_function = route in connection.channel.functions
        result = await self._run(connection.channel, route, event) if has_function else None
        if route == DEFAULT and result is None and connection.opening.connection_id in self._open:
            notice = {
                "message": "Internal server error" if has_function else "Forbidden",
                "connectionId": connection.opening.connection_id,
                "requestId": event["requestContext"]["requestId"],
            }
            with suppress(*_CLIENT_GONE):
                await connection.post(to_json(notice), self._clock.now_ms())

    async def _run(self, channel: Channel, route: str, event: dict[str, Any]) -> bytes | None:
        result = await integrate(self._runtime, channel.functions[route], to_json(event))
        payload = None if result is None or result.error is not None else result.payload
        answer = {"statusCode": 500} if payload is None else json.loads(payload)
        if isinstance(answer, dict) and str(answer.get("statusCode", "")).startswith("5"):
            self._runtime.figures.note(GATEWAY, "IntegrationError", ApiId=channel.name)
        return payload


def management_path(channel: Channel) -> str:
    """Return the path under which the `@connections` calls of a channel are answered."""
    return f"{MANAGEMENT_PATH}{channel.name}/{channel.stage}"


def _opening(scope: Any, channel: Channel, now_ms: int) -> Opening:
    headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
    return Opening(
        connection_id=fresh_id(),
        connected_ms=now_ms,
        query=scope["query_string"].decode("latin-1"),
        headers=by_the_front(headers, channel.added_headers),
        source_ip=scope["client"][0] if scope.get("client") else "127.0.0.1",
    )


async def _refuse(send: Any, status: int, text: str) -> None:
    answer = message(status, text)
    headers = [(name.encode(), value.encode()) for name, value in answer.headers]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": answer.body})
