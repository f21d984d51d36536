"""Where a gateway writes one line for each request, connection or frame."""

from __future__ import annotations

import json
from collections.abc import Mapping

import jsii
from aws_cdk import RemovalPolicy
from aws_cdk import aws_apigateway as access_log_format
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import CycleConfig
from infra.constructs.functions import retention


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
            log_group_name=f"/aws/vendedlogs/hurdle-{config.cycle}/{name}",
            retention=retention(config.access_log_retention_days),
            removal_policy=RemovalPolicy.RETAIN if config.retain_data else RemovalPolicy.DESTROY,
        )
        self._destination = apigateway.LogGroupLogDestination(log_group)

    @property
    def destination(self) -> apigateway.IAccessLogDestination:
        """The log group."""
        return self._destination

    @property
    def format(self) -> access_log_format.AccessLogFormat:
        """JSON, so that the log can be queried."""
        return access_log_format.AccessLogFormat.custom(self._fields)
