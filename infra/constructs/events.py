"""The event channel: a WebSocket API for clients that speak the earlier contests' protocol, and its pushes."""

from __future__ import annotations

from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_apigatewayv2_integrations import WebSocketLambdaIntegration
from constructs import Construct

from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.access_log import AccessLog

STAGE: Final = "live"
ROUTES: Final = ("$connect", "$default", "$disconnect")

_LOGGED: Final = {
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
            access_log_settings=AccessLog(self, "events", config, _LOGGED),
        )

    @property
    def host(self) -> str:
        """The API's own host name."""
        return f"{self.api.api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}"

    @property
    def endpoint(self) -> str:
        """The base address of the ``@connections`` calls."""
        return f"https://{self.host}/{STAGE}"

    @property
    def connections_arn(self) -> str:
        """All connections of the stage, for ``execute-api:ManageConnections``."""
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
