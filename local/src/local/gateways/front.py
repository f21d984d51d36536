"""The gateway in front of the functions: an ASGI application that behaves as an HTTP API, and its event loop.

The template describes the APIs: the HTTP API by its OpenAPI document, and WebSocket APIs behind paths. Requests become
events (`gateway`), the authorizer is asked or its remembered answer is used, the function runs, and its result becomes
the response. The gateway's own answers: 400 for a path that no handler could read, 401, 403, 404, 413 over 10 MB (over
Lambda's 6 MB as an event, over 64 MiB for a body put into a bucket), 431 over 10 kB of headers, 500 when a function
fails, 503 after 30 s and beyond a function's reserved concurrency, 429 beyond a limit of the template's stage, routes
or web ACL.

Requests that the template's distribution sends to a WebSocket API go to `sockets`, those to a bucket or to the site to
`objects`. Where the template's pools let people sign in, `sign_in` answers.

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
from local.aws.template import API_TYPE, SIGN_IN_PATH, TemplateError
from local.gateways import gateway
from local.gateways.gateway import (
    Api,
    Authorizer,
    Cors,
    Firewall,
    FirewallRequest,
    HttpRequest,
    HttpResponse,
    Limit,
    Match,
    Route,
    Throttle,
    message,
)
from local.gateways.objects import BODY_LIMIT as OBJECT_LIMIT
from local.gateways.sockets import (
    CONNECT,
    DEFAULT,
    DISCONNECT,
    FRAME_LIMIT,
    MANAGEMENT_PATH,
    MESSAGE_LIMIT,
    Channel,
    integrate,
)
from local.lambdas.runtime import PAYLOAD_LIMIT, STOPPED, THROTTLED, InvocationResult, Runtime, to_json
from local.texts import tr

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

    from local.aws.template import Deployment, Resource
    from local.clock import Clock
    from local.gateways.objects import Objects, Site
    from local.gateways.sign_in import SignIn
    from local.gateways.sockets import Sockets
    from local.lambdas.runtime import Logs, Metered

_ROUTE_TYPE = "AWS::ApiGatewayV2::Route"
_STAGE_TYPE = "AWS::ApiGatewayV2::Stage"
_WEBSOCKET = "WEBSOCKET"
_PROXY = "AWS_PROXY"
_EXTENSION = "x-amazon-apigateway-"
ROUTE_KEYS = (CONNECT, DEFAULT, DISCONNECT)
# What API Gateway takes when the template does not say.
_DEFAULT_TTL_S = 300


def routes_of(deployment: Deployment) -> tuple[Route, ...]:
    """Return the HTTP API's routes. TemplateError for what the local cloud cannot serve."""
    document = _document_of(deployment)
    return tuple(
        _route(
            DEFAULT
            if operation.get("isDefaultRoute")
            else f"{'ANY' if method.startswith(_EXTENSION) else method.upper()} {path}",
            operation,
            document,
            deployment,
        )
        for path, operations in document.get("paths", {}).items()
        for method, operation in operations.items()
        if method != "parameters"
    )


def channels_of(deployment: Deployment) -> tuple[Channel, ...]:
    """Return the WebSocket APIs, each with the paths that the template's distribution sends to it."""
    return tuple(_channel(api, deployment) for api in _apis(deployment, _WEBSOCKET))


def api_of(deployment: Deployment) -> Api:
    """Return the HTTP API. TemplateError for what the local cloud cannot serve."""
    routes, cors = routes_of(deployment), cors_of(deployment)
    added_headers = tuple(pair for api in _apis(deployment, "HTTP") for pair in _said_to(api, deployment))
    names = {deployment.ref(api.logical_id) for api in _apis(deployment, "HTTP")}
    stages = [stage for stage in deployment.template.of_type(_STAGE_TYPE) if _api_of(stage, deployment) in names]
    limits: dict[str, Limit] = {}
    for stage in stages:
        settings = deployment.resolver.properties(stage, "RouteSettings").get("RouteSettings", {})
        limits |= {key: limit for key, setting in settings.items() if (limit := Limit.of(setting)) is not None}
    return Api(routes, cors, added_headers, _stage_limit(stages, deployment), limits, next(iter(names), ""))


def _stage_limit(stages: list[Resource], deployment: Deployment) -> Limit | None:
    settings_of_stages = (deployment.resolver.properties(stage, "DefaultRouteSettings") for stage in stages)
    return next((Limit.of(settings["DefaultRouteSettings"]) for settings in settings_of_stages if settings), None)


def cors_of(deployment: Deployment) -> Cors | None:
    """Return the API's CORS configuration, None without one. TemplateError when there are several APIs."""
    cors = _document_of(deployment).get(f"{_EXTENSION}cors")
    if cors is None:
        return None
    return Cors(
        origins=tuple(cors.get("allowOrigins", ())),
        methods=tuple(cors.get("allowMethods", ())),
        headers=tuple(cors.get("allowHeaders", ())),
        expose=tuple(cors.get("exposeHeaders", ())),
        max_age_s=cors.get("maxAge"),
        credentials=bool(cors.get("allowCredentials", False)),
    )


def _document_of(deployment: Deployment) -> Mapping[str, Any]:
    """Return the document of the HTTP API, empty without an API. TemplateError when there are several."""
    apis = _apis(deployment, "HTTP")
    if len(apis) > 1:
        raise TemplateError(tr("the local cloud serves one HTTP API; the template has several"))
    document: Mapping[str, Any] = {}
    for api in apis:
        document = deployment.resolver.properties(api, "Body").get("Body", {})
    return document


def _apis(deployment: Deployment, protocol: str) -> list[Resource]:
    return [
        api for api in deployment.template.of_type(API_TYPE) if api.properties.get("ProtocolType", "HTTP") == protocol
    ]


def _api_of(resource: Resource, deployment: Deployment) -> str:
    return str(deployment.resolver.properties(resource, "ApiId").get("ApiId", ""))


def _channel(api: Resource, deployment: Deployment) -> Channel:
    name = deployment.ref(api.logical_id)
    stages = [stage for stage in deployment.template.of_type(_STAGE_TYPE) if _api_of(stage, deployment) == name]
    if len(stages) != 1:
        raise TemplateError(
            tr(
                "{logical_id}: a WebSocket API has one stage here, not {stages}",
                logical_id=api.logical_id,
                stages=len(stages),
            )
        )
    functions = {}
    for route in deployment.template.of_type(_ROUTE_TYPE):
        if _api_of(route, deployment) != name:
            continue
        properties = deployment.resolver.properties(route, "RouteKey", "Target", "AuthorizationType")
        if properties["RouteKey"] not in ROUTE_KEYS or properties.get("AuthorizationType", "NONE") != "NONE":
            raise TemplateError(
                tr(
                    "{logical_id}: of WebSocket routes only {route_keys} are known here",
                    logical_id=route.logical_id,
                    route_keys=", ".join(ROUTE_KEYS),
                )
            )
        functions[properties["RouteKey"]] = _function_behind(properties["Target"], deployment)
    host = deployment.api_host(api.logical_id)
    paths = tuple(
        rule["PathPattern"]
        for config, origins in deployment.distributions()
        for rule in config.get("CacheBehaviors", ())
        if origins[rule["TargetOriginId"]] == host
    )
    stage = str(deployment.resolver.properties(stages[0], "StageName")["StageName"])
    limit = _stage_limit(stages, deployment)
    return Channel(name, host, stage, functions, paths, _said_to(api, deployment), limit)


def _said_to(api: Resource, deployment: Deployment) -> tuple[tuple[str, str], ...]:
    """Return the headers, names in lower case, that the distribution adds to requests to an API."""
    host = deployment.api_host(api.logical_id)
    return tuple(
        (
            str(header["HeaderName"]).lower(),
            deployment.revealed(str(deployment.resolver.value(header["HeaderValue"], api.logical_id))),
        )
        for config, hosts in deployment.distributions()
        for origin in config["Origins"]
        if hosts[origin["Id"]] == host
        for header in origin.get("OriginCustomHeaders", ())
    )


def _function_behind(target: str, deployment: Deployment) -> str:
    integration = deployment.template.resources[target.removeprefix("integrations/")]
    properties = deployment.resolver.properties(integration, "IntegrationUri", "IntegrationType")
    if properties.get("IntegrationType") != _PROXY:
        raise TemplateError(
            tr("{logical_id}: only Lambda proxy integrations are known here", logical_id=integration.logical_id)
        )
    return deployment.function_of(properties["IntegrationUri"], f"{integration.logical_id}.IntegrationUri")


def _route(key: str, operation: Mapping[str, Any], document: Mapping[str, Any], deployment: Deployment) -> Route:
    components = document.get("components", {})
    behind = operation[f"{_EXTENSION}integration"]
    if "$ref" in behind:
        behind = components[f"{_EXTENSION}integrations"][behind["$ref"].rpartition("/")[2]]
    if str(behind["type"]).upper() != _PROXY:
        raise TemplateError(tr("{logical_id}: only Lambda proxy integrations are known here", logical_id=key))
    if behind.get("payloadFormatVersion") != "2.0":
        raise TemplateError(tr("{where}: only integrations with payload format 2.0 are known here", where=key))
    names = [name for requirement in operation.get("security", ()) for name in requirement]
    authorizer = next((_authorizer(name, components["securitySchemes"][name], deployment) for name in names), None)
    return Route(key, deployment.function_of(behind["uri"], key), authorizer)


def _authorizer(name: str, scheme: Mapping[str, Any], deployment: Deployment) -> Authorizer:
    definition = scheme.get(f"{_EXTENSION}authorizer", {})
    simple = definition.get("enableSimpleResponses") and definition.get("authorizerPayloadFormatVersion") == "2.0"
    if definition.get("type") != "request" or not simple:
        raise TemplateError(
            tr("{where}: only REQUEST authorizers with simple responses (2.0) are known here", where=name)
        )
    return Authorizer(
        name=name,
        function=deployment.function_of(definition["authorizerUri"], f"{name}.authorizerUri"),
        identity_sources=tuple(
            source.strip() for source in definition.get("identitySource", "").split(",") if source.strip()
        ),
        ttl_s=int(definition.get("authorizerResultTtlInSeconds", _DEFAULT_TTL_S)),
    )


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
        blocked = self.firewall.refusal(FirewallRequest(request.source_ip, path, request.query, request.headers))
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
        """Return the meters of each function so far."""
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
