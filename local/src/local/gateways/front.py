"""The gateway in front of the functions: an ASGI application that behaves as an HTTP API, and its event loop.

Requests become events (`gateway`), the authorizer is asked or its remembered answer is used, the function runs, and its
result becomes the response. The gateway's own answers: 400 for a path that no handler could read, 401, 403, 404,
413 over 10 MB (over Lambda's 6 MB as an event, over 64 MiB for a body put into a bucket), 431 over 10 kB of
headers, 500 when a function fails, 503 after 30 s and beyond a function's reserved concurrency, 429 beyond a
limit of the template's stage, routes or web ACL.

Requests that the template's distribution sends to a WebSocket API go to `sockets`, those to a bucket to `objects`, all
others to the `site`. Where the template's pools let people sign in, `sign_in` answers.

:class:`Serving` is the event loop of a local cloud on a thread of its own: uvicorn serves the front, and the functions'
runtime serves its workers.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from concurrent.futures import CancelledError
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from local.aws.alarms import GATEWAY
from local.aws.resources import SIGN_IN_PATH
from local.gateways import gateway
from local.gateways.firewall import Asked, Firewall
from local.gateways.gateway import Authorizer, HttpRequest, HttpResponse, Match, Throttle, message
from local.gateways.objects import BODY_LIMIT as OBJECT_LIMIT
from local.gateways.sockets import FRAME_LIMIT, MANAGEMENT_PATH, MESSAGE_LIMIT, integrate
from local.lambdas.runtime import PAYLOAD_LIMIT, STOPPED, THROTTLED, InvocationResult, Runtime, to_json

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

    from local.clock import Clock
    from local.gateways.objects import Objects
    from local.gateways.sign_in import SignIn
    from local.gateways.site import Site
    from local.gateways.sockets import Sockets
    from local.lambdas.runtime import Logs, Metered

BODY_LIMIT = 10 * 1024 * 1024
HEADERS_LIMIT = 10_240
# A client that is still sending gets its 413 only after it has sent; beyond this it is cut off.
_DRAIN_LIMIT = 8 * BODY_LIMIT
_REMEMBERED_LIMIT = 10_000
ALARMS_PATH = f"{MANAGEMENT_PATH}alarms"
"""Path of the list of ringing alarms."""
_OF_THE_CONNECTION = frozenset({"content-length", "transfer-encoding", "connection"})
_SERVER_ERROR = message(500, "Internal Server Error")


class _TooLargeError(Exception):
    """The body is over the gateway's limit."""


@dataclass(eq=False)
class Front:
    """The APIs of one template. `api` may have no routes: then every request is answered 404."""

    api: gateway.Api
    firewall: Firewall
    sockets: Sockets
    objects: Objects
    sign_in: SignIn
    site: Site
    runtime: Runtime
    clock: Clock
    logs: Logs
    alarms: Callable[[], Mapping[str, bool]]

    def __post_init__(self) -> None:
        self._routes = gateway.RouteTable(self.api.routes)
        self._throttle = Throttle(self.api.stage_limit, self.api.limits)
        self._remembered: dict[tuple[str, ...], tuple[int, Mapping[str, Any] | None]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request, or carry one WebSocket connection."""
        if scope["type"] == "websocket":
            await self.sockets.serve(scope, receive, send)
            return
        received_ms = self.clock.now_ms()
        try:
            is_object = self.objects.of(scope["path"]) is not None
            request = await _read(scope, receive, received_ms, OBJECT_LIMIT if is_object else BODY_LIMIT)
            if request is None:
                return
            answer = await self._answer(request)
            origin = request.header("origin")
        except _TooLargeError:
            answer, origin = message(413, "Request Entity Too Large"), None
        cors = self.api.cors.response_headers(origin) if self.api.cors else []
        own_headers = [(name, value) for name, value in answer.headers if name not in {key for key, _ in cors}]
        headers = [] if answer.status in gateway.BODILESS else [(b"content-length", b"%d" % len(answer.body))]
        headers += [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in (*own_headers, *cors)
            if name not in _OF_THE_CONNECTION
        ]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})

    async def _answer(self, request: HttpRequest) -> HttpResponse:  # noqa: PLR0911 - one per way
        try:
            path = request.path()
        except gateway.BadPathError:
            return message(400, "Bad Request")
        if path.startswith((MANAGEMENT_PATH, SIGN_IN_PATH)):
            return await self._managed(request, path)
        blocked = self.firewall.refusal(Asked(request.source_ip, path, request.query, request.headers))
        if blocked is not None:
            return blocked
        if self.sockets.channel_of(path) is not None:
            return message(426, "Upgrade Required")
        behaviour = self.objects.of(path)
        if behaviour is not None:
            return await self.objects.answer(behaviour, request)
        if self.site.takes(path):
            return await self.site.answer(request, path)
        answer = await self._answer_http(request, path)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            self.runtime.figures.note(GATEWAY, f"{answer.status // 100}xx", ApiId=self.api.name)
        return answer

    async def _managed(self, request: HttpRequest, path: str) -> HttpResponse:
        """Answer for hosts of AWS: the account pools, calls to connections, and which alarms ring."""
        if path.startswith(SIGN_IN_PATH):
            return await self.sign_in.answer(request, path)
        if path == ALARMS_PATH:
            rings = await asyncio.to_thread(self.alarms)
            return HttpResponse(200, (("content-type", "application/json"),), to_json(rings))
        return await self.sockets.manage(request)

    async def _answer_http(self, request: HttpRequest, path: str) -> HttpResponse:
        if sum(len(name) + len(value) for name, value in request.headers) + len(path) > HEADERS_LIMIT:
            return message(431, "Request Header Fields Too Large")
        request = request._replace(headers=gateway.by_the_front(request.headers, self.api.added_headers))
        origin = request.header("origin")
        is_preflight = request.method == "OPTIONS" and request.header("access-control-request-method")
        if self.api.cors and origin and is_preflight:
            return HttpResponse(204, tuple(self.api.cors.preflight_headers(origin)), b"")
        match = self._routes.find(request.method, request.encoded_path)
        if match is None:
            return message(404, "Not Found")
        if not self._throttle.passes(match.route.key):
            return message(429, "Too Many Requests")
        identity: Mapping[str, Any] | None = None
        if match.route.authorizer is not None:
            verdict = await self._authorize(request, match, match.route.authorizer)
            if isinstance(verdict, HttpResponse):
                return verdict
            identity = verdict
        return await self._integrate(request, match, identity)

    async def _integrate(self, request: HttpRequest, match: Match, identity: Mapping[str, Any] | None) -> HttpResponse:
        event = to_json(gateway.proxy_event(request, match, identity))
        if len(event) > PAYLOAD_LIMIT:
            return message(413, "Request Entity Too Large")
        result = await integrate(self.runtime, match.route.function, event)
        if result is None or result.error == THROTTLED:
            return message(503, "Service Unavailable")
        if result.error is not None:
            return _SERVER_ERROR
        try:
            return gateway.response_of(result.payload)
        except (ValueError, TypeError, AttributeError) as error:
            self.logs.problem(match.route.function, f"gave no HTTP response to {match.route.key}: {error}")
            return _SERVER_ERROR

    async def _authorize(
        self, request: HttpRequest, match: Match, authorizer: Authorizer
    ) -> HttpResponse | Mapping[str, Any]:
        """Return the authorizer's context, or the answer that refuses the request."""
        sources = gateway.identity_of(request, authorizer)
        if sources is None:
            return message(401, "Unauthorized")
        memory_key = (authorizer.name, *sources)
        expires_ms, context = self._remembered.get(memory_key, (0, None))
        if request.received_ms >= expires_ms:
            event = to_json(gateway.authorizer_event(request, match, sources))
            result = await integrate(self.runtime, authorizer.function, event)
            if result is None or result.error is not None:
                return _refusal(result)
            try:
                verdict = json.loads(result.payload)
                context = dict(verdict.get("context") or {}) if verdict["isAuthorized"] is True else None
            except (ValueError, TypeError, KeyError, AttributeError):
                return _refusal(result)
            if authorizer.ttl_s > 0 and sources:
                if len(self._remembered) >= _REMEMBERED_LIMIT:
                    self._remembered.clear()
                self._remembered[memory_key] = (request.received_ms + authorizer.ttl_s * 1000, context)
        return message(403, "Forbidden") if context is None else context


def _refusal(result: InvocationResult | None) -> HttpResponse:
    """Return the answer to a failed authorizer: one that raises "Unauthorized" means 401, anything else 500."""
    if (
        result is not None
        and result.error == "Unhandled"
        and json.loads(result.payload)["errorMessage"] == "Unauthorized"
    ):
        return message(401, "Unauthorized")
    return _SERVER_ERROR


async def _read(scope: Any, receive: Any, received_ms: int, limit: int) -> HttpRequest | None:
    """Return the request, None where its client ends before it. Raises _TooLargeError beyond `limit`."""
    size, parts, has_more = 0, [], True
    while has_more:
        received = await receive()
        if received["type"] == "http.disconnect":
            return None
        part, has_more = received["body"], received["more_body"]
        size += len(part)
        if size <= limit:
            parts.append(part)
        elif size > _DRAIN_LIMIT:
            break
    if size > limit:
        raise _TooLargeError
    return HttpRequest(
        method=scope["method"],
        encoded_path=scope["raw_path"].decode("latin-1"),
        query=scope["query_string"].decode("latin-1"),
        headers=tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]),
        source_ip=scope["client"][0] if scope.get("client") else "127.0.0.1",
        received_ms=received_ms,
        request_id=str(uuid.uuid4()),
        body=b"".join(parts),
    )


# Requests larger than uvicorn's own limit for headers never reach the front, which answers over its smaller one.
_HEADER_BUFFER = 64 * 1024
# An error's cause goes in a header of a worker's request.
_WORKERS_HEAD_LIMIT = 1024 * 1024
_STOPPED = InvocationResult(to_json({"errorMessage": "the local cloud is stopping"}), STOPPED)


def _server(app: Front) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http="h11",
        loop="asyncio",
        ws=WebSocketsSansIOProtocol,
        # uvicorn passes the limit on to websockets as it is, which takes one for messages and one for frames.
        ws_max_size=(MESSAGE_LIMIT, FRAME_LIMIT),  # type: ignore[arg-type]  # uvicorn knows of the first alone
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=_HEADER_BUFFER,
    )
    return uvicorn.Server(config)


class Serving:
    """Serves until `stop`. uvicorn leaves signals alone on a thread that is not the main one; `cli` has them."""

    def __init__(
        self, front: Front, front_socket: socket.socket, runtime: Runtime, runtime_socket: socket.socket
    ) -> None:
        self._runtime = runtime
        self._server = _server(front)
        self._sockets = front_socket, runtime_socket
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(target=self._run, name="serving", daemon=True)

    def start(self) -> None:
        """Begin to serve; the sockets have accepted connections since they were made."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def invoke(self, function: str, payload: bytes) -> InvocationResult:
        """Run a function from any other thread (see `Runtime.invoke`)."""
        work = self._runtime.invoke(function, payload)
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (RuntimeError, CancelledError):
            work.close()
            return _STOPPED

    def metered(self) -> Mapping[str, Metered]:
        """Return what each function did so far."""
        return dict(self._runtime.metered)

    def warm(self, functions: Sequence[str]) -> None:
        """Start a worker for each function; returns at once."""
        self._loop.call_soon_threadsafe(self._runtime.spawn, self._runtime.warm(functions))

    def stop(self) -> None:
        """End the workers and the servers; both ports are free afterwards."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._runtime.stop(), self._loop).result()
            self._server.should_exit = True
            self._thread.join()

    def _run(self) -> None:
        front_socket, runtime_socket = self._sockets

        async def serve() -> None:
            workers = await asyncio.start_server(self._runtime.serve, sock=runtime_socket, limit=_WORKERS_HEAD_LIMIT)
            await self._server.serve(sockets=[front_socket])
            workers.close()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())
