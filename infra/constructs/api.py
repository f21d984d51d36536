"""The exchange's HTTP interface: every route of the one table, authorized before a function runs."""

from __future__ import annotations

from typing import Final, cast

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk.aws_apigatewayv2_authorizers import HttpLambdaAuthorizer, HttpLambdaResponseType
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from contest import settings
from contest.route import Function, Route
from contest.routes import GATEWAY_BELIEVES, ROUTES, UNKNOWN_LIMIT
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.access_log import AccessLog
from infra.constructs.functions import Functions

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
            for name in sorted({route.function for route in ROUTES})
        }
        authorizer = HttpLambdaAuthorizer(
            "ProgramToken",
            functions.entry("Authorize"),
            # Without the second header nobody is asked; with it, an answer is believed of the distribution alone.
            identity_source=["$request.header.Authorization", f"$request.header.{settings.ORIGIN_HEADER}"],
            response_types=[HttpLambdaResponseType.SIMPLE],
            results_cache_ttl=Duration.millis(GATEWAY_BELIEVES),
        )
        for route in ROUTES:
            self._add(route, authorizer)
        self._add_fallback()
        # The stage names routes in its settings, which the service looks for when it makes the stage.
        stage.node.add_dependency(*(each for each in self.node.find_all() if isinstance(each, apigateway.CfnRoute)))

    def _api(self, config: CycleConfig) -> apigateway.HttpApi:
        return apigateway.HttpApi(
            self,
            "Api",
            api_name=f"hurdle-{config.cycle}",
            create_default_stage=False,
            cors_preflight=apigateway.CorsPreflightOptions(
                allow_origins=list(config.allowed_origins),
                allow_methods=[apigateway.CorsHttpMethod[each] for each in sorted({route.method for route in ROUTES})],
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
        limits = {route.key: route.limit for route in ROUTES if route.limit} | {"$default": UNKNOWN_LIMIT}
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
