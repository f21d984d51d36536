"""The exchange's HTTP interface: every route by name, authorized before a function runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk.aws_apigatewayv2_authorizers import HttpLambdaAuthorizer, HttpLambdaResponseType
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from contest import settings
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.access_log import AccessLog
from infra.constructs.functions import Functions

Method = Literal["GET", "POST", "PUT"]


@dataclass(frozen=True, slots=True)
class Route:
    """One route. A public one has no authorizer in front of its function."""

    method: Method
    path: str
    function: str
    public: bool = False


_SESSION = "/v1/sessions/{session_id}"

ROUTES: Final = (
    Route("POST", "/v1/sessions", "Dispatch"),
    Route("GET", "/v1/sessions", "Dispatch"),
    Route("GET", _SESSION, "Dispatch"),
    Route("GET", f"{_SESSION}/next", "Dispatch"),
    Route("GET", f"{_SESSION}/files/{{number}}", "Dispatch"),
    Route("POST", f"{_SESSION}/abort", "Dispatch"),
    Route("PUT", f"{_SESSION}/files/{{number}}/answer", "Submit"),
    Route("GET", f"{_SESSION}/receipts", "Submit"),
    Route("PUT", f"{_SESSION}/log", "Submit"),
    Route("GET", f"{_SESSION}/report", "Results"),
    Route("GET", f"{_SESSION}/timeline", "Results"),
    Route("GET", f"{_SESSION}/files/{{number}}/score", "Results"),
    Route("GET", f"{_SESSION}/files/{{number}}/comparison", "Results"),
    Route("GET", "/v1/leaderboards/qualification", "Results", public=True),
    Route("GET", "/v1/leaderboards/final", "Results", public=True),
    Route("GET", "/v1/runs", "Dispatch", public=True),
    Route("GET", "/v1/runs/{run_id}", "Dispatch", public=True),
    Route("GET", "/v1/runs/{run_id}/record", "Results", public=True),
    Route("GET", "/v1/runs/{run_id}/timeline", "Results", public=True),
    Route("GET", "/v1/cycle", "Dispatch", public=True),
    Route("GET", "/v1/keys", "Dispatch", public=True),
    Route("GET", "/v1/openapi.json", "Dispatch", public=True),
    Route("GET", "/docs", "Dispatch", public=True),
)

_METHODS: Final = {
    "GET": apigateway.HttpMethod.GET,
    "POST": apigateway.HttpMethod.POST,
    "PUT": apigateway.HttpMethod.PUT,
}
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

    ``$default`` takes what no route matches to Dispatch, so that an unknown path gets the same JSON error as any
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
        self._stage(config)
        self._integrations = {
            name: HttpLambdaIntegration(name, functions.entry(name), scope_permission_to_route=False)
            for name in sorted({route.function for route in ROUTES})
        }
        authorizer = HttpLambdaAuthorizer(
            "ProgramToken",
            functions.entry("Authorize"),
            identity_source=["$request.header.Authorization"],
            response_types=[HttpLambdaResponseType.SIMPLE],
            results_cache_ttl=Duration.seconds(settings.TOKEN_CACHE_S),
        )
        for route in ROUTES:
            self._add(route, authorizer)
        self._add_fallback()

    def _api(self, config: CycleConfig) -> apigateway.HttpApi:
        return apigateway.HttpApi(
            self,
            "Api",
            api_name=f"hurdle-{config.cycle}",
            create_default_stage=False,
            cors_preflight=apigateway.CorsPreflightOptions(
                allow_origins=list(config.allowed_origins),
                allow_methods=[
                    apigateway.CorsHttpMethod.GET,
                    apigateway.CorsHttpMethod.POST,
                    apigateway.CorsHttpMethod.PUT,
                ],
                allow_headers=["authorization", "content-type", "idempotency-key"],
                expose_headers=["retry-after"],
                max_age=Duration.hours(_PREFLIGHT_HOURS),
            ),
        )

    def _stage(self, config: CycleConfig) -> None:
        apigateway.HttpStage(
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

    def _add(self, route: Route, authorizer: HttpLambdaAuthorizer) -> None:
        added = self.api.add_routes(
            path=route.path,
            methods=[_METHODS[route.method]],
            integration=self._integrations[route.function],
            authorizer=None if route.public else authorizer,
        )
        if route.public:
            _explain_public(added[0], "What this route shows is meant for everybody (platform §1, public).")

    def _add_fallback(self) -> None:
        route = apigateway.HttpRoute(
            self,
            "UnknownRoute",
            http_api=self.api,
            route_key=apigateway.HttpRouteKey.DEFAULT,
            integration=self._integrations["Dispatch"],
        )
        _explain_public(route, "Answers unknown paths with an error and reads nothing.")


def _explain_public(route: apigateway.HttpRoute, reason: str) -> None:
    accept(route, "AwsSolutions-APIG4", reason)
