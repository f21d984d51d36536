"""The functions that run programs of declared measures: no rights, and a network without a route to anything.

Its network has no gateway and no endpoint, and its security group lets nothing out. So a program has neither an address
to send anything to nor anything worth sending: it is given answers and references, and returns numbers. A program in a
container image has a function of its own, made of that image and of what gives it Lambda's requests (infra/measure).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from aws_cdk import Duration
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecr_assets as ecr_assets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from contest import settings
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.functions import MEASURE, MEASURE_IMAGE, RUNTIME, retention
from infra.constructs.storage import removal

HANDLER: Final = "tracks.custom.running.handler"
_IN_IMAGE: Final = Path(__file__).parents[1] / "measure"
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
    """The functions and their network."""

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
        shared: dict[str, Any] = {
            "memory_size": _MEMORY_MIB,
            "timeout": Duration.seconds(_TIMEOUT_S),
            "role": role,
            "log_group": log_group,
            "logging_format": lambda_.LoggingFormat.JSON,
            "system_log_level_v2": lambda_.SystemLogLevel.WARN,
            "vpc": network,
            "vpc_subnets": ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            "security_groups": [ec2.SecurityGroup(self, "Closed", vpc=network, allow_all_outbound=False)],
        }
        function = lambda_.Function(
            self,
            MEASURE,
            function_name=settings.function_name(config.cycle, MEASURE),
            code=code,
            handler=HANDLER,
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            layers=list(layers),
            runtime_management_mode=lambda_.RuntimeManagementMode.FUNCTION_UPDATE,
            **shared,
        )
        reason = "The newest runtime is taken after the layers were built and tried on it, as for all functions."
        accept(function, "AwsSolutions-L1", reason)
        if config.measure_image:
            self._in_image(config.measure_image, shared)

    def _in_image(self, image: str, shared: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = shutil.copytree(_IN_IMAGE, Path(place) / "measure", ignore=shutil.ignore_patterns("__pycache__"))
            code = lambda_.DockerImageCode.from_image_asset(
                str(folder), build_args={"IMAGE": image}, platform=ecr_assets.Platform.LINUX_AMD64
            )
            name = settings.function_name(self._config.cycle, MEASURE_IMAGE)
            lambda_.DockerImageFunction(
                self, MEASURE_IMAGE, function_name=name, code=code, architecture=lambda_.Architecture.X86_64, **shared
            )

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
