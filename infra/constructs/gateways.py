"""The HTTP interface and the event channel: their gateways and access logs.

:class:`ExchangeApi` is the exchange's HTTP interface: every route of the one table, authorized before a function runs.
:class:`EventChannel` is a WebSocket API for clients that speak the earlier contests' protocol.
:class:`AccessLog` gets one line for each request, connection or frame.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import jsii
from aws_cdk import Aws, Duration, Fn
from aws_cdk import aws_apigateway as access_log_format
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_apigatewayv2_integrations import WebSocketLambdaIntegration
from constructs import Construct

from contest import settings
from contest.routes import GATEWAY_BELIEVES, UNKNOWN_LIMIT, Function
from contest.routes import ROUTES as HTTP_ROUTES
from infra.config import CycleConfig
from infra.constructs import accept
from infra.constructs.functions import Functions
from infra.constructs.storage import log_group, removal

_LIFE: Final = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))))
"""Eight digits that no other stack has, nor a later one of this name: a log group outlives its stack. The rest of the
name keeps the service's one policy for logs short ("Enable logging from AWS services", CloudWatch Logs)."""


@jsii.implements(apigateway.IAccessLogSettings)
class AccessLog:
    """A log group with the form of its lines (CDK knows this as an interface only).

    ``fields`` maps a line's keys to the gateway's ``$context`` variables.
    """

    def __init__(self, scope: Construct, name: str, config: CycleConfig, fields: Mapping[str, str]) -> None:
        self._fields = json.dumps(dict(fields))
        named = f"/aws/vendedlogs/hurdle-{config.cycle}/{name}-{_LIFE}"
        group = log_group(scope, "AccessLogs", config.access_log_retention_days, removal(config), named)
        self._destination = apigateway.LogGroupLogDestination(group)

    @property
    def destination(self) -> apigateway.IAccessLogDestination:
        """Return the log group."""
        return self._destination

    @property
    def format(self) -> access_log_format.AccessLogFormat:
        """Return the form of a line, JSON, so that the log can be queried."""
        return access_log_format.AccessLogFormat.custom(self._fields)


_PREFLIGHT_HOURS = 1

_LOGGED: Final = {
    "request_id": "$context.requestId",
    "received_ms": "$context.requestTimeEpoch",
    "route": "$context.routeKey",
    "path": "$context.path",
    "status": "$context.status",
    "distribution_ip": "$context.identity.sourceIp",
    "bytes": "$context.responseLength",
    "latency_ms": "$context.responseLatency",
    "function_ms": "$context.integrationLatency",
    "authorizer_ms": "$context.authorizer.latency",
    "error": "$context.error.message",
    "function_error": "$context.integrationErrorMessage",
}
"""Fields of the log line that proves for every request who lost the time, the platform or the program (R 7.6). The
caller's own address is in the function's line of the same request: the gateway knows CloudFront's alone, and no field
of an access log is a header ("Customize HTTP API access logs")."""


_CALLER: Final = "Caller"
"""The authorizer's name in the document."""
_AUTHORIZER: Final = "Authorize"


class ExchangeApi(Construct):
    """The HTTP API of one cycle with its stage and access log, made of one OpenAPI document.

    The document has every route of the table, the functions behind them as ``components`` and the authorizer as a
    security scheme. cdk-nag looks at routes that are resources; that exactly the public routes, and those that name
    their token, have no authorizer is held by a test of the document.
    """

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, functions: Functions) -> None:
        super().__init__(scope, id)
        self._functions = functions
        behind = sorted({route.function for route in HTTP_ROUTES})
        api = apigateway.CfnApi(
            self,
            "Api",
            body=self._document(config, behind),
            # By default a document is imported for the greater part: without an authorizer that cannot be made, say,
            # and with its routes open. "AWS::ApiGatewayV2::Api", FailOnWarnings.
            fail_on_warnings=True,
        )
        self.api = apigateway.HttpApi.from_http_api_attributes(self, "Made", http_api_id=api.ref)
        for name in behind:
            self._let_call(name, "*/*")
        self._let_call(_AUTHORIZER, "authorizers/*")
        self._stage(config)

    def _document(self, config: CycleConfig, behind: Sequence[str]) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        for route in HTTP_ROUTES:
            names = re.findall(r"{(\w+)}", route.path)
            parameters = [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
            ]
            operations = paths.setdefault(route.path, {"parameters": parameters} if parameters else {})
            operations[route.method.lower()] = _operation(route.function, authorized=route.authorized)
        # What no route matches gets the same JSON error as any other mistake, instead of the gateway's.
        unknown = {**_operation(Function.PUBLIC, authorized=False), "isDefaultRoute": True}
        paths["/$default"] = {"x-amazon-apigateway-any-method": unknown}
        return {
            "openapi": "3.0.1",
            "info": {"title": f"hurdle-{config.cycle}", "version": "1"},
            "paths": paths,
            "components": {
                "x-amazon-apigateway-integrations": {name: self._integration(name) for name in behind},
                "securitySchemes": {_CALLER: self._caller()},
            },
            "x-amazon-apigateway-cors": {
                "allowOrigins": list(config.allowed_origins),
                "allowMethods": sorted({route.method for route in HTTP_ROUTES}),
                "allowHeaders": ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match"],
                "exposeHeaders": ["etag", "location", "retry-after"],
                "maxAge": Duration.hours(_PREFLIGHT_HOURS).to_seconds(),
            },
        }

    def _integration(self, name: str) -> dict[str, str]:
        return {
            "type": "aws_proxy",
            "httpMethod": "POST",
            "payloadFormatVersion": "2.0",
            "uri": self._invocations(name),
        }

    def _caller(self) -> dict[str, Any]:
        """Return the authorizer; what it looks at stands in the list of its sources."""
        # Without the second header nobody is asked; with it, an answer is believed of the distribution alone.
        sources = ("$request.header.Authorization", f"$request.header.{settings.ORIGIN_HEADER}")
        return {
            "type": "apiKey",
            "name": "Unused",  # What there must be for several sources: "x-amazon-apigateway-authorizer object".
            "in": "header",
            "x-amazon-apigateway-authorizer": {
                "type": "request",
                "identitySource": ", ".join(sources),
                "authorizerUri": self._invocations(_AUTHORIZER),
                "authorizerPayloadFormatVersion": "2.0",
                "authorizerResultTtlInSeconds": GATEWAY_BELIEVES // 1_000,
                "enableSimpleResponses": True,
            },
        }

    def _invocations(self, name: str) -> str:
        function = self._functions.entry(name).function_arn
        return f"arn:{Aws.PARTITION}:apigateway:{Aws.REGION}:lambda:path/2015-03-31/functions/{function}/invocations"

    def _let_call(self, name: str, what: str) -> None:
        """Grant the API the right to call a function, for every route of it: one right for each function."""
        place = f"{Aws.REGION}:{Aws.ACCOUNT_ID}:{self.api.api_id}"
        self._functions.entry(name).add_permission(
            "Gateway",
            principal=iam.ServicePrincipal("apigateway.amazonaws.com"),
            source_arn=f"arn:{Aws.PARTITION}:execute-api:{place}/{what}",
        )

    def _stage(self, config: CycleConfig) -> None:
        stage = apigateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            detailed_metrics_enabled=config.detailed_route_metrics,
            throttle=apigateway.ThrottleSettings(
                rate_limit=config.requests_per_second, burst_limit=config.requests_burst
            ),
            access_log_settings=AccessLog(self, "access", config, _LOGGED),
        )
        limits = {route.key: route.limit for route in HTTP_ROUTES if route.limit} | {"$default": UNKNOWN_LIMIT}
        cast(apigateway.CfnStage, stage.node.default_child).route_settings = {
            key: {
                "ThrottlingRateLimit": limit.per_second,
                "ThrottlingBurstLimit": limit.burst,
                "DetailedMetricsEnabled": config.detailed_route_metrics,
            }
            for key, limit in limits.items()
        }


def _operation(function: str, *, authorized: bool) -> dict[str, Any]:
    """Return a route of the document: the function behind it, and whether the authorizer stands before it."""
    operation: dict[str, Any] = {
        "responses": {"default": {"description": "By the function"}},
        "x-amazon-apigateway-integration": {"$ref": f"#/components/x-amazon-apigateway-integrations/{function}"},
    }
    if authorized:
        operation["security"] = [{_CALLER: []}]
    return operation


STAGE: Final = "live"
ROUTES: Final = ("$connect", "$default", "$disconnect")

_FRAME_FIELDS: Final = {
    "request_id": "$context.requestId",
    "received_ms": "$context.requestTimeEpoch",
    "route": "$context.routeKey",
    "event": "$context.eventType",
    "connection": "$context.connectionId",
    "connected_ms": "$context.connectedAt",
    "status": "$context.status",
    "distribution_ip": "$context.identity.sourceIp",
    "function_ms": "$context.integrationLatency",
    "error": "$context.error.message",
    "function_error": "$context.integrationErrorMessage",
}
"""Fields of a frame's log line, without the query string: it carries the program's token."""


class EventChannel(Construct):
    """The WebSocket API with its stage; ``serve`` gives it the function behind its three routes.

    It exists before the functions, whose environment names it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:
        super().__init__(scope, id)
        self.api = apigateway.WebSocketApi(
            self, "Api", api_name=f"hurdle-{config.cycle}-events", disable_schema_validation=True
        )
        apigateway.WebSocketStage(
            self,
            "Stage",
            web_socket_api=self.api,
            stage_name=STAGE,
            auto_deploy=True,
            detailed_metrics_enabled=config.detailed_route_metrics,
            throttle=apigateway.ThrottleSettings(rate_limit=config.frames_per_second, burst_limit=config.frames_burst),
            access_log_settings=AccessLog(self, "events", config, _FRAME_FIELDS),
        )

    @property
    def host(self) -> str:
        """Return the API's own host name."""
        return f"{self.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}"

    @property
    def endpoint(self) -> str:
        """Return the base address of the ``@connections`` calls."""
        return f"https://{self.host}/{STAGE}"

    @property
    def connections_arn(self) -> str:
        """Return the ARN of all connections of the stage, for ``execute-api:ManageConnections``."""
        place = f"{Aws.REGION}:{Aws.ACCOUNT_ID}:{self.api.api_id}"
        return f"arn:{Aws.PARTITION}:execute-api:{place}/{STAGE}/*/@connections/*"

    def serve(self, function: lambda_.IFunction) -> None:
        """Let the function take every connection and frame."""
        integration = WebSocketLambdaIntegration("Socket", function)
        for key in ROUTES:
            route = self.api.add_route(key, integration=integration)
            accept(
                route,
                "AwsSolutions-APIG4",
                "The function checks the token itself: the protocol tells a refused client why, in an event, "
                "before it is disconnected, which no authorizer can.",
            )
