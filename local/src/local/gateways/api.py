"""The APIs that a template describes: the HTTP API by its OpenAPI document, and WebSocket APIs behind paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from local.aws.resources import API_TYPE
from local.aws.template import TemplateError
from local.gateways.gateway import Api, Authorizer, Cors, Limit, Route
from local.gateways.sockets import CONNECT, DEFAULT, DISCONNECT, Channel
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.aws.resources import Deployment
    from local.aws.template import Resource

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
