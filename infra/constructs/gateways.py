"""The HTTP interface and the event channel: their gateways, access logs and pushes.

:class:`ExchangeApi` is the exchange's HTTP interface: every route of the one table, authorized before a function runs.
:class:`EventChannel` is a WebSocket API for clients that speak the earlier contests' protocol;
:class:`PushPipeline` carries its pushes. :class:`AccessLog` gets one line for each request, connection or frame.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

import jsii
from aws_cdk import Aws, Duration, Fn
from aws_cdk import aws_apigateway as access_log_format
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_apigatewayv2_authorizers import HttpLambdaAuthorizer, HttpLambdaResponseType
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration, WebSocketLambdaIntegration
from constructs import Construct

from contest import settings
from contest.route import Function, Route
from contest.routes import GATEWAY_BELIEVES, UNKNOWN_LIMIT
from contest.routes import ROUTES as HTTP_ROUTES
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.functions import Functions, retention
from infra.constructs.storage import removal

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
        log_group = logs.LogGroup(
            scope,
            "AccessLogs",
            log_group_name=f"/aws/vendedlogs/hurdle-{config.cycle}/{name}-{_LIFE}",
            retention=retention(config.access_log_retention_days),
            removal_policy=removal(config),
        )
        self._destination = apigateway.LogGroupLogDestination(log_group)

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
    "ip": "$context.identity.sourceIp",
    "bytes": "$context.responseLength",
    "latency_ms": "$context.responseLatency",
    "function_ms": "$context.integrationLatency",
    "authorizer_ms": "$context.authorizer.latency",
    "error": "$context.error.message",
    "function_error": "$context.integrationErrorMessage",
}
"""Who lost the time, the platform or the program, must be provable for every request (R 7.6)."""


class ExchangeApi(Construct):
    """The HTTP API of one cycle with its stage, authorizer, routes and access log.

    ``$default`` takes what no route matches to Public, so that an unknown path gets the same JSON error as any
    other mistake instead of the gateway's.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        functions: Functions,
    ) -> None:
        super().__init__(scope, id)
        self.api = self._api(config)
        stage = self._stage(config)
        self._integrations = {
            name: HttpLambdaIntegration(name.value, functions.entry(name), scope_permission_to_route=False)
            for name in sorted({route.function for route in HTTP_ROUTES})
        }
        authorizer = HttpLambdaAuthorizer(
            "ProgramToken",
            functions.entry("Authorize"),
            # Without the second header nobody is asked; with it, an answer is believed of the distribution alone.
            identity_source=["$request.header.Authorization", f"$request.header.{settings.ORIGIN_HEADER}"],
            response_types=[HttpLambdaResponseType.SIMPLE],
            results_cache_ttl=Duration.millis(GATEWAY_BELIEVES),
        )
        for route in HTTP_ROUTES:
            self._add(route, authorizer)
        self._add_fallback()
        # The stage names routes in its settings, which the service looks for when it makes the stage.
        stage.node.add_dependency(
            *(construct for construct in self.node.find_all() if isinstance(construct, apigateway.CfnRoute))
        )

    def _api(self, config: CycleConfig) -> apigateway.HttpApi:
        return apigateway.HttpApi(
            self,
            "Api",
            api_name=f"hurdle-{config.cycle}",
            create_default_stage=False,
            cors_preflight=apigateway.CorsPreflightOptions(
                allow_origins=list(config.allowed_origins),
                allow_methods=[
                    apigateway.CorsHttpMethod[method] for method in sorted({route.method for route in HTTP_ROUTES})
                ],
                allow_headers=["authorization", "content-type", "idempotency-key", "if-match", "if-none-match"],
                expose_headers=["etag", "location", "retry-after"],
                max_age=Duration.hours(_PREFLIGHT_HOURS),
            ),
        )

    def _stage(self, config: CycleConfig) -> apigateway.HttpStage:
        stage = apigateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            detailed_metrics_enabled=True,
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
                "DetailedMetricsEnabled": True,
            }
            for key, limit in limits.items()
        }
        return stage

    def _add(self, route: Route, authorizer: HttpLambdaAuthorizer) -> None:
        added = self.api.add_routes(
            path=route.path,
            methods=[apigateway.HttpMethod[route.method]],
            integration=self._integrations[route.function],
            authorizer=authorizer if route.authorized else None,
        )
        if route.public:
            _explain_public(added[0], "What this route shows is meant for everybody (platform §1, public).")
        elif route.names_token:
            _explain_public(added[0], "Earlier clients say their token in body or query; the function checks it.")

    def _add_fallback(self) -> None:
        route = apigateway.HttpRoute(
            self,
            "UnknownRoute",
            http_api=self.api,
            route_key=apigateway.HttpRouteKey.DEFAULT,
            integration=self._integrations[Function.PUBLIC],
        )
        _explain_public(route, "Answers unknown paths with an error and reads nothing.")


def _explain_public(route: apigateway.HttpRoute, reason: str) -> None:
    accept(route, "AwsSolutions-APIG4", reason)


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
    "ip": "$context.identity.sourceIp",
    "function_ms": "$context.integrationLatency",
    "error": "$context.error.message",
    "function_error": "$context.integrationErrorMessage",
}
"""Without the query string: it carries the program's token."""


class EventChannel(Construct):
    """The WebSocket API with its stage; ``serve`` gives it the function behind its three routes.

    It exists before the functions, whose environment names it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self.api = apigateway.WebSocketApi(
            self,
            "Api",
            api_name=f"hurdle-{config.cycle}-events",
            disable_schema_validation=True,
        )
        apigateway.WebSocketStage(
            self,
            "Stage",
            web_socket_api=self.api,
            stage_name=STAGE,
            auto_deploy=True,
            detailed_metrics_enabled=True,
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


class PushPipeline(Construct):
    """Connects the queue of pushes with the function that posts them."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        pushes: sqs.Queue,
        push: lambda_.IFunction,
    ) -> None:
        super().__init__(scope, id)
        push.add_event_source(
            event_sources.SqsEventSource(
                pushes,
                batch_size=config.push_batch_size,
                report_batch_item_failures=True,
                max_concurrency=config.push_max_concurrency,
            )
        )
