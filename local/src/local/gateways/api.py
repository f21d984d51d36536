"""The APIs that a template describes: routes, authorizers and CORS of the HTTP API, and WebSocket APIs behind paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from local.aws.resources import API_TYPE, DISTRIBUTION_TYPE
from local.aws.template import TemplateError
from local.gateways.gateway import Api, Authorizer, Cors, Limit, Route
from local.gateways.sockets import CONNECT, DEFAULT, DISCONNECT, Channel
from local.texts import tr

if TYPE_CHECKING:
    from local.aws.resources import Deployment
    from local.aws.template import Resource

ROUTE_TYPE = "AWS::ApiGatewayV2::Route"
_AUTHORIZER_TYPE = "AWS::ApiGatewayV2::Authorizer"
_STAGE_TYPE = "AWS::ApiGatewayV2::Stage"
_WEBSOCKET = "WEBSOCKET"
ROUTE_KEYS = (CONNECT, DEFAULT, DISCONNECT)
# What API Gateway takes when the template does not say.
_DEFAULT_TTL_S = 300


def routes_of(deployment: Deployment) -> tuple[Route, ...]:
    """Return the HTTP API's routes. TemplateError for what the local cloud cannot serve."""
    channels = {deployment.ref(api.logical_id) for api in _apis(deployment, _WEBSOCKET)}
    return tuple(
        _route(resource, deployment)
        for resource in deployment.template.of_type(ROUTE_TYPE)
        if _api_of(resource, deployment) not in channels
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
    return Api(routes, cors, added_headers, _stage_limit(stages, deployment), limits)


def _stage_limit(stages: list[Resource], deployment: Deployment) -> Limit | None:
    settings_of_stages = (deployment.resolver.properties(stage, "DefaultRouteSettings") for stage in stages)
    return next((Limit.of(settings["DefaultRouteSettings"]) for settings in settings_of_stages if settings), None)


def cors_of(deployment: Deployment) -> Cors | None:
    """Return the API's CORS configuration, None without one. TemplateError when there are several APIs."""
    apis = _apis(deployment, "HTTP")
    if len(apis) > 1:
        raise TemplateError(tr("the local cloud serves one HTTP API; the template has several"))
    if not apis or "CorsConfiguration" not in apis[0].properties:
        return None
    cors = deployment.resolver.properties(apis[0], "CorsConfiguration")["CorsConfiguration"]
    return Cors(
        origins=tuple(cors.get("AllowOrigins", ())),
        methods=tuple(cors.get("AllowMethods", ())),
        headers=tuple(cors.get("AllowHeaders", ())),
        expose=tuple(cors.get("ExposeHeaders", ())),
        max_age_s=cors.get("MaxAge"),
        credentials=bool(cors.get("AllowCredentials", False)),
    )


def _apis(deployment: Deployment, protocol: str) -> list[Resource]:
    return [
        api for api in deployment.template.of_type(API_TYPE) if api.properties.get("ProtocolType", "HTTP") == protocol
    ]


def _api_of(resource: Resource, deployment: Deployment) -> str:
    return str(deployment.resolver.properties(resource, "ApiId").get("ApiId", ""))


def _channel(api: Resource, deployment: Deployment) -> Channel:
    name = deployment.ref(api.logical_id)
    stages = [
        str(deployment.resolver.properties(stage, "StageName")["StageName"])
        for stage in deployment.template.of_type(_STAGE_TYPE)
        if _api_of(stage, deployment) == name
    ]
    if len(stages) != 1:
        raise TemplateError(
            tr(
                "{logical_id}: a WebSocket API has one stage here, not {stages}",
                logical_id=api.logical_id,
                stages=len(stages),
            )
        )
    functions = {}
    for route in deployment.template.of_type(ROUTE_TYPE):
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
    own = [stage for stage in deployment.template.of_type(_STAGE_TYPE) if _api_of(stage, deployment) == name]
    limit = _stage_limit(own, deployment)
    return Channel(name, host, stages[0], functions, _paths_to(host, deployment), _said_to(api, deployment), limit)


def _said_to(api: Resource, deployment: Deployment) -> tuple[tuple[str, str], ...]:
    """Return the headers, names in lower case, that the distribution adds to requests to an API."""
    host = deployment.api_host(api.logical_id)
    return tuple(
        (
            str(header["HeaderName"]).lower(),
            deployment.revealed(str(deployment.resolver.value(header["HeaderValue"], where))),
        )
        for resource in deployment.template.of_type(DISTRIBUTION_TYPE)
        for where in [f"{resource.logical_id}.DistributionConfig.Origins"]
        for origin in resource.properties["DistributionConfig"]["Origins"]
        if deployment.resolver.value(origin["DomainName"], where) == host
        for header in origin.get("OriginCustomHeaders", ())
    )


def _paths_to(host: str, deployment: Deployment) -> tuple[str, ...]:
    """Return the path patterns that the template's distribution sends to a host."""
    patterns = []
    for resource in deployment.template.of_type(DISTRIBUTION_TYPE):
        config = resource.properties["DistributionConfig"]
        where = f"{resource.logical_id}.DistributionConfig"
        origins = {
            origin["Id"]
            for origin in config["Origins"]
            if deployment.resolver.value(origin["DomainName"], f"{where}.Origins") == host
        }
        patterns += [
            rule["PathPattern"] for rule in config.get("CacheBehaviors", ()) if rule["TargetOriginId"] in origins
        ]
    return tuple(patterns)


def _function_behind(target: str, deployment: Deployment) -> str:
    integration = deployment.template.resources[target.removeprefix("integrations/")]
    properties = deployment.resolver.properties(integration, "IntegrationUri", "IntegrationType")
    if properties.get("IntegrationType") != "AWS_PROXY":
        raise TemplateError(
            tr("{logical_id}: only Lambda proxy integrations are known here", logical_id=integration.logical_id)
        )
    return deployment.function_of(properties["IntegrationUri"], f"{integration.logical_id}.IntegrationUri")


def _route(resource: Resource, deployment: Deployment) -> Route:
    properties = deployment.resolver.properties(resource, "RouteKey", "Target", "AuthorizationType", "AuthorizerId")
    where = resource.logical_id
    integration = deployment.template.resources[properties["Target"].removeprefix("integrations/")]
    if integration.properties.get("PayloadFormatVersion") != "2.0":
        raise TemplateError(tr("{where}: only integrations with payload format 2.0 are known here", where=where))
    function = _function_behind(properties["Target"], deployment)
    kind = properties.get("AuthorizationType", "NONE")
    if kind not in ("NONE", "CUSTOM"):
        raise TemplateError(
            tr("{where}: authorization of type {kind} is not known here, only CUSTOM", where=where, kind=kind)
        )
    authorizer = None
    if kind == "CUSTOM":
        authorizer = _authorizer(deployment.template.resources[properties["AuthorizerId"]], deployment)
    return Route(properties["RouteKey"], function, authorizer)


def _authorizer(resource: Resource, deployment: Deployment) -> Authorizer:
    where = resource.logical_id
    properties = deployment.resolver.properties(
        resource,
        "AuthorizerType",
        "AuthorizerUri",
        "AuthorizerPayloadFormatVersion",
        "EnableSimpleResponses",
        "IdentitySource",
        "AuthorizerResultTtlInSeconds",
    )
    simple = properties.get("EnableSimpleResponses") and properties.get("AuthorizerPayloadFormatVersion") == "2.0"
    if properties.get("AuthorizerType") != "REQUEST" or not simple:
        raise TemplateError(
            tr("{where}: only REQUEST authorizers with simple responses (2.0) are known here", where=where)
        )
    return Authorizer(
        name=where,
        function=deployment.function_of(properties["AuthorizerUri"], f"{where}.AuthorizerUri"),
        identity_sources=tuple(properties.get("IdentitySource", ())),
        ttl_s=int(properties.get("AuthorizerResultTtlInSeconds", _DEFAULT_TTL_S)),
    )
