"""The function that runs programs of declared measures: no rights, and a network without a route to anything.

Its network has no gateway and no endpoint, and its security group lets nothing out. So a program has neither an address
to send anything to nor anything worth sending: it is given answers and references, and returns numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from contest import settings
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.functions import MEASURE, RUNTIME, retention
from infra.constructs.storage import removal

HANDLER: Final = "tracks.custom.running.handler"
_MEMORY_MIB: Final = 1_769
"""A whole processor, and room for two processes of 512 MiB beside the function's own."""
_TIMEOUT_S: Final = 65
"""A little more than a request takes at most (tracks.custom.running)."""
_INTERFACES: Final = (
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
)
"""Name the actions by which Lambda puts a function into a network, for the function's role."""


class Measures(Construct):
    """The function and its network."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        code: lambda_.Code,
        layers: Sequence[lambda_.LayerVersion],
    ) -> None:
        super().__init__(scope, id)
        self._config = config
        network = self._network()
        log_group = self._log_group("Logs")
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log_group.grant_write(role)
        role.add_to_policy(iam.PolicyStatement(actions=list(_INTERFACES), resources=["*"]))
        accept(role, "AwsSolutions-IAM5[Resource::*]", "Network interfaces have no names before Lambda makes them.")
        function = lambda_.Function(
            self,
            MEASURE,
            function_name=settings.function_name(config.cycle, MEASURE),
            code=code,
            handler=HANDLER,
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            layers=list(layers),
            memory_size=_MEMORY_MIB,
            timeout=Duration.seconds(_TIMEOUT_S),
            role=role,
            log_group=log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            runtime_management_mode=lambda_.RuntimeManagementMode.FUNCTION_UPDATE,
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
            vpc=network,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            security_groups=[ec2.SecurityGroup(self, "Closed", vpc=network, allow_all_outbound=False)],
        )
        reason = "The newest runtime is taken after the layers were built and tried on it, as for all functions."
        accept(function, "AwsSolutions-L1", reason)

    def _network(self) -> ec2.Vpc:
        network = ec2.Vpc(
            self,
            "Network",
            max_azs=2,
            nat_gateways=0,
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="Measures", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
            ],
        )
        network.add_flow_log("Flows", destination=ec2.FlowLogDestination.to_cloud_watch_logs(self._log_group("Flows")))
        return network

    def _log_group(self, name: str) -> logs.LogGroup:
        days = retention(self._config.log_retention_days)
        return logs.LogGroup(self, name, retention=days, removal_policy=removal(self._config))
