"""The HTTP API that a template describes: its routes, authorizers and CORS configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from local.gateway import Authorizer, Cors, Route
from local.resources import API_TYPE
from local.template import TemplateError

if TYPE_CHECKING:
    from local.resources import Deployment
    from local.template import Resource

ROUTE_TYPE = "AWS::ApiGatewayV2::Route"
_AUTHORIZER_TYPE = "AWS::ApiGatewayV2::Authorizer"
_INTEGRATION_TYPE = "AWS::ApiGatewayV2::Integration"
# What API Gateway takes when the template does not say.
_DEFAULT_TTL_S = 300


def routes_of(deployment: Deployment) -> tuple[Route, ...]:
    """Return the routes of the template. TemplateError for what the local cloud cannot serve."""
    return tuple(_route(resource, deployment) for resource in deployment.template.of_type(ROUTE_TYPE))


def cors_of(deployment: Deployment) -> Cors | None:
    """Return the API's CORS configuration, None without one. TemplateError when there are several APIs."""
    apis = list(deployment.template.of_type(API_TYPE))
    if len(apis) > 1 or any(api.properties.get("ProtocolType", "HTTP") != "HTTP" for api in apis):
        raise TemplateError("the local cloud serves one HTTP API; the template has other or more APIs")
    if not apis or "CorsConfiguration" not in apis[0].properties:
        return None
    told = deployment.resolver.properties(apis[0], "CorsConfiguration")["CorsConfiguration"]
    return Cors(
        origins=tuple(told.get("AllowOrigins", ())),
        methods=tuple(told.get("AllowMethods", ())),
        headers=tuple(told.get("AllowHeaders", ())),
        expose=tuple(told.get("ExposeHeaders", ())),
        max_age_s=told.get("MaxAge"),
        credentials=bool(told.get("AllowCredentials", False)),
    )


def _route(resource: Resource, deployment: Deployment) -> Route:
    told = deployment.resolver.properties(resource, "RouteKey", "Target", "AuthorizationType", "AuthorizerId")
    where = resource.logical_id
    integration = deployment.template.resources[told["Target"].removeprefix("integrations/")]
    target = deployment.resolver.properties(integration, "IntegrationUri", "PayloadFormatVersion", "IntegrationType")
    if target.get("IntegrationType") != "AWS_PROXY" or target.get("PayloadFormatVersion") != "2.0":
        raise TemplateError(f"{where}: only Lambda proxy integrations with payload format 2.0 are known here")
    function = deployment.function_of(target["IntegrationUri"], f"{integration.logical_id}.IntegrationUri")
    kind = told.get("AuthorizationType", "NONE")
    if kind not in ("NONE", "CUSTOM"):
        raise TemplateError(f"{where}: authorization of type {kind} is not known here, only CUSTOM")
    authorizer = None
    if kind == "CUSTOM":
        authorizer = _authorizer(deployment.template.resources[told["AuthorizerId"]], deployment)
    return Route(told["RouteKey"], function, authorizer)


def _authorizer(resource: Resource, deployment: Deployment) -> Authorizer:
    where = resource.logical_id
    told = deployment.resolver.properties(
        resource,
        "AuthorizerType",
        "AuthorizerUri",
        "AuthorizerPayloadFormatVersion",
        "EnableSimpleResponses",
        "IdentitySource",
        "AuthorizerResultTtlInSeconds",
    )
    simple = told.get("EnableSimpleResponses") and told.get("AuthorizerPayloadFormatVersion") == "2.0"
    if told.get("AuthorizerType") != "REQUEST" or not simple:
        raise TemplateError(f"{where}: only REQUEST authorizers with simple responses (2.0) are known here")
    return Authorizer(
        name=where,
        function=deployment.function_of(told["AuthorizerUri"], f"{where}.AuthorizerUri"),
        identity_sources=tuple(told.get("IdentitySource", ())),
        ttl_s=int(told.get("AuthorizerResultTtlInSeconds", _DEFAULT_TTL_S)),
    )
