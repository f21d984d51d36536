"""Machines that run submitted programs, without a way out, and those that first copy their images; measures.

A machine runs one job: our own image, which fetches the archive and the inputs, starts the program beside itself in a
container without a network, with the order's limits and no credentials, and stores its outputs (local.submissions).
The copying of an image never runs anything of it.

The image's folder is put together when the stack is synthesized, and built by the person who deploys, who needs Docker
for that. Its contents alone decide whether the image is a new one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_batch as batch
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_ecr_assets as ecr_assets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

from contest import settings, stored_names
from infra.config import CycleConfig
from infra.constructs import accept, allow
from infra.constructs.functions import MEASURE, MEASURE_IMAGE, RUNTIME
from infra.constructs.storage import log_group, removal
from infra.layers import LOCK, ROOT, locked
from infra.rights import INPUTS

HANDLER: Final = "tracks.custom.running.handler"
_IN_IMAGE: Final = Path(__file__).parents[1] / "measure"
_MEMORY_MIB: Final = 1_769
"""Memory that gives a whole processor, and room for two processes of 512 MiB beside the function's own."""
_TIMEOUT_S: Final = 65
"""Time-out in seconds, a little more than a request takes at most (tracks.custom.running)."""
_INTERFACES: Final = (
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
)
"""Actions by which Lambda puts a function into a network, for the function's role."""


class Measures(Construct):
    """Functions that run measures, and their network."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: CycleConfig,
        code: lambda_.Code,
        layers: Sequence[lambda_.LayerVersion],
    ) -> None:
        super().__init__(scope, id)
        self._config = config
        network = private_network(self, "Network", "Measures", ec2.SubnetType.PRIVATE_ISOLATED)
        flows = ec2.FlowLogDestination.to_cloud_watch_logs(self._log_group("Flows"))
        network.add_flow_log("Flows", destination=flows)
        log_group = self._log_group("Logs")
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log_group.grant_write(role)
        allow(role, _INTERFACES, "*", star="Network interfaces have no names before Lambda makes them.")
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

    def _log_group(self, name: str) -> logs.LogGroup:
        return log_group(self, name, self._config.log_retention_days, removal(self._config))


def private_network(scope: Construct, name: str, subnets: str, kind: ec2.SubnetType) -> ec2.Vpc:
    """Add a network in two zones; isolated subnets have no way out, public ones give no addresses by themselves."""
    public_addresses = False if kind is ec2.SubnetType.PUBLIC else None
    return ec2.Vpc(
        scope,
        name,
        max_azs=2,
        nat_gateways=0,
        restrict_default_security_group=False,
        subnet_configuration=[
            ec2.SubnetConfiguration(name=subnets, subnet_type=kind, map_public_ip_on_launch=public_addresses)
        ],
    )


ORDERS: Final = tuple(
    f"{stored_names.RUNS_OF_SUBMISSIONS}*/{name}" for name in ("order.json", "image.json", "ending.json")
)
"""Objects of a run's folder that jobs read: the order, the image's place, and the ending, if it has ended before."""
_LONGEST_S: Final = 3 * 60 * 60
_COPIED_S: Final = 90 * 60
_ENDPOINTS: Final = {
    "Registry": ec2.InterfaceVpcEndpointAwsService.ECR,
    "RegistryLayers": ec2.InterfaceVpcEndpointAwsService.ECR_DOCKER,
    "Agent": ec2.InterfaceVpcEndpointAwsService.ECS_AGENT,
    "AgentTelemetry": ec2.InterfaceVpcEndpointAwsService.ECS_TELEMETRY,
    "AgentControl": ec2.InterfaceVpcEndpointAwsService.ECS,
}
"""Interface endpoints: the registry's two, and those of Batch's agent on a machine; the bucket has a gateway."""
_SCRATCH: Final = "/var/lib/hurdle"
_SOCKET: Final = "/var/run/docker.sock"


class Network(Construct):
    """Two networks: ``closed`` has no gateway and no reachable address, ``open_`` is for copying."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig, bucket: s3.IBucket) -> None:
        super().__init__(scope, id)
        self.closed = private_network(self, "Closed", "Jobs", ec2.SubnetType.PRIVATE_ISOLATED)
        self.open_ = private_network(self, "Open", "Jobs", ec2.SubnetType.PUBLIC)
        for vpc, name in ((self.closed, "Closed"), (self.open_, "Open")):
            group = log_group(self, f"{name}Flows", config.log_retention_days, RemovalPolicy.DESTROY)
            vpc.add_flow_log("Flows", destination=ec2.FlowLogDestination.to_cloud_watch_logs(group))
        self.machines = ec2.SecurityGroup(self, "Machines", vpc=self.closed, allow_all_outbound=False)
        self.machines.add_egress_rule(
            ec2.Peer.any_ipv4(), ec2.Port.tcp(443), "Endpoints and the bucket: there is no route to anything else"
        )
        self.copying = ec2.SecurityGroup(self, "Copying", vpc=self.open_, allow_all_outbound=False)
        self.copying.add_egress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(443), "Registries of images")
        self._endpoints(bucket)

    def _endpoints(self, bucket: s3.IBucket) -> None:
        stack = Stack.of(self)
        gateway = self.closed.add_gateway_endpoint("Bucket", service=ec2.GatewayVpcEndpointAwsService.S3)
        layers = f"arn:{stack.partition}:s3:::prod-{stack.region}-starport-layer-bucket/*"
        for actions, resources in (
            (["s3:GetObject", "s3:PutObject", "s3:ListBucket"], [bucket.bucket_arn, f"{bucket.bucket_arn}/*"]),
            (["s3:GetObject"], [layers]),
        ):
            gateway.add_to_policy(
                iam.PolicyStatement(principals=[iam.AnyPrincipal()], actions=actions, resources=resources)
            )
        doors = ec2.SecurityGroup(self, "Doors", vpc=self.closed, allow_all_outbound=False)
        doors.add_ingress_rule(self.machines, ec2.Port.tcp(443), "The machines of this network")
        for name, service in _ENDPOINTS.items():
            self.closed.add_interface_endpoint(name, service=service, security_groups=[doors], open=False)


class Programs(Construct):
    """The two lanes of jobs, their machines, their image, and the place of programs' images in the registry."""

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, bucket: s3.IBucket) -> None:
        super().__init__(scope, id)
        self._config, self._bucket = config, bucket
        self._network = Network(self, "Network", config, bucket)
        self._images = ecr.Repository(
            self,
            "Images",
            image_scan_on_push=True,
            image_tag_mutability=ecr.TagMutability.IMMUTABLE,
            removal_policy=removal(config),
            empty_on_delete=not config.retain_data,
        )
        self._image = self._own_image()
        self._run_programs()
        self._copy_images()

    def _own_image(self) -> ecr_assets.DockerImageAsset:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "runner"
            put_together(folder)
            return ecr_assets.DockerImageAsset(
                self, "Runner", directory=str(folder), platform=ecr_assets.Platform.LINUX_AMD64
            )

    def _run_programs(self) -> None:
        config = self._config
        profile = iam.CfnInstanceProfile(self, "MachineProfile", roles=[self._machine_role().role_name])
        machines = batch.CfnComputeEnvironment(
            self,
            "Machines",
            type="MANAGED",
            state="ENABLED",
            compute_resources=batch.CfnComputeEnvironment.ComputeResourcesProperty(
                type="EC2",
                allocation_strategy="BEST_FIT_PROGRESSIVE",
                instance_types=[config.program_machine],
                minv_cpus=0,
                maxv_cpus=config.program_machine_vcpus * config.programs_at_once,
                subnets=[subnet.subnet_id for subnet in self._network.closed.isolated_subnets],
                security_group_ids=[self._network.machines.security_group_id],
                instance_role=profile.attr_arn,
                ec2_configuration=[
                    batch.CfnComputeEnvironment.Ec2ConfigurationObjectProperty(image_type="ECS_AL2023_NVIDIA")
                ],
                launch_template=batch.CfnComputeEnvironment.LaunchTemplateSpecificationProperty(
                    launch_template_id=self._machine().ref, version="$Latest"
                ),
                tags={"hurdle:cycle": config.cycle},
            ),
            replace_compute_environment=False,
        )
        self._queue("Programs", config.program_lane, machines)
        mounts = {"scratch": _SCRATCH, "docker": _SOCKET}
        # The role of our own container; the program's has none. It cannot read the true answers.
        role = self._job_role("Program", (*ORDERS, f"{stored_names.BROUGHT}*", f"{INPUTS}*"))
        self._images.grant_pull(role)
        self._definition(
            "Program",
            config.program_lane,
            seconds=_LONGEST_S,
            container=batch.CfnJobDefinition.ContainerPropertiesProperty(
                image=self._image.image_uri,
                command=["local.submissions.work"],
                job_role_arn=role.role_arn,
                resource_requirements=_needs({"VCPU": "3", "MEMORY": str(100 * 1024), "GPU": "1"}),
                environment=self._environment(
                    {"HURDLE_MACHINE": config.program_machine, "HURDLE_GPUS": "1", "TMPDIR": _SCRATCH}
                ),
                volumes=[
                    batch.CfnJobDefinition.VolumesProperty(
                        name=name, host=batch.CfnJobDefinition.VolumesHostProperty(source_path=path)
                    )
                    for name, path in mounts.items()
                ],
                mount_points=[
                    batch.CfnJobDefinition.MountPointsProperty(source_volume=name, container_path=path, read_only=False)
                    for name, path in mounts.items()
                ],
                # There is no way to CloudWatch from there; what failed stands in the run's ending.
                log_configuration=batch.CfnJobDefinition.LogConfigurationProperty(log_driver="json-file"),
            ),
            platform="EC2",
        )

    def _copy_images(self) -> None:
        config = self._config
        machines = batch.CfnComputeEnvironment(
            self,
            "Copiers",
            type="MANAGED",
            state="ENABLED",
            compute_resources=batch.CfnComputeEnvironment.ComputeResourcesProperty(
                type="FARGATE",
                maxv_cpus=2 * config.programs_at_once,
                subnets=[subnet.subnet_id for subnet in self._network.open_.public_subnets],
                security_group_ids=[self._network.copying.security_group_id],
            ),
            replace_compute_environment=False,
        )
        self._queue("Copies", config.copy_lane, machines)
        lane = f"/hurdle/{config.copy_lane}"
        group = log_group(self, "CopyLogs", config.log_retention_days, RemovalPolicy.DESTROY, lane)
        role = self._job_role("Copy", ORDERS)
        self._images.grant_pull_push(role)
        self._definition(
            "Copy",
            config.copy_lane,
            seconds=_COPIED_S,
            container=batch.CfnJobDefinition.ContainerPropertiesProperty(
                image=self._image.image_uri,
                command=["local.submissions.work", "copy"],
                job_role_arn=role.role_arn,
                execution_role_arn=self._fetching_role(group).role_arn,
                resource_requirements=_needs({"VCPU": "2", "MEMORY": "4096"}),
                environment=self._environment({}),
                network_configuration=batch.CfnJobDefinition.NetworkConfigurationProperty(assign_public_ip="ENABLED"),
                ephemeral_storage=batch.CfnJobDefinition.EphemeralStorageProperty(size_in_gib=60),
                fargate_platform_configuration=batch.CfnJobDefinition.FargatePlatformConfigurationProperty(
                    platform_version="LATEST"
                ),
                log_configuration=batch.CfnJobDefinition.LogConfigurationProperty(
                    log_driver="awslogs",
                    options={"awslogs-group": group.log_group_name, "awslogs-stream-prefix": "copy"},
                ),
            ),
            platform="FARGATE",
        )

    def _machine(self) -> ec2.CfnLaunchTemplate:
        """Describe machines with an encrypted disk, and with own credentials that no container reaches."""
        template = ec2.CfnLaunchTemplate
        return template(
            self,
            "Machine",
            launch_template_data=template.LaunchTemplateDataProperty(
                metadata_options=template.MetadataOptionsProperty(
                    http_tokens="required", http_put_response_hop_limit=1
                ),
                block_device_mappings=[
                    template.BlockDeviceMappingProperty(
                        device_name="/dev/xvda",
                        ebs=template.EbsProperty(
                            encrypted=True,
                            volume_size=self._config.program_disk_gib,
                            volume_type="gp3",
                            delete_on_termination=True,
                        ),
                    )
                ],
            ),
        )

    def _environment(self, more: Mapping[str, str]) -> list[batch.CfnJobDefinition.EnvironmentProperty]:
        variables = {
            **more,
            settings.BUCKET: self._bucket.bucket_name,
            "HURDLE_REPOSITORY": self._images.repository_uri,
            "AWS_DEFAULT_REGION": Stack.of(self).region,
        }
        return [batch.CfnJobDefinition.EnvironmentProperty(name=name, value=value) for name, value in variables.items()]

    def _queue(self, name: str, lane: str, machines: batch.CfnComputeEnvironment) -> None:
        batch.CfnJobQueue(
            self,
            f"{name}Queue",
            job_queue_name=lane,
            priority=1,
            compute_environment_order=[
                batch.CfnJobQueue.ComputeEnvironmentOrderProperty(
                    order=1, compute_environment=machines.attr_compute_environment_arn
                )
            ],
        )

    def _definition(
        self,
        name: str,
        lane: str,
        *,
        seconds: int,
        container: batch.CfnJobDefinition.ContainerPropertiesProperty,
        platform: str,
    ) -> None:
        """Define a job with one try: a failure is reported, and another try is the platform's decision."""
        batch.CfnJobDefinition(
            self,
            f"{name}Definition",
            job_definition_name=lane,
            type="container",
            platform_capabilities=[platform],
            container_properties=container,
            retry_strategy=batch.CfnJobDefinition.RetryStrategyProperty(attempts=1),
            timeout=batch.CfnJobDefinition.TimeoutProperty(attempt_duration_seconds=seconds),
            propagate_tags=True,
        )

    def _machine_role(self) -> iam.Role:
        role = iam.Role(
            self,
            "MachineRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            managed_policies=[
                iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AmazonEC2ContainerServiceforEC2Role")
            ],
        )
        policy = "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonEC2ContainerServiceforEC2Role"
        reason = "What the agent of ECS on a machine needs; AWS keeps it up to date."
        accept(role, f"AwsSolutions-IAM4[Policy::{policy}]", reason)
        return role

    def _job_role(self, name: str, reads: Sequence[str]) -> iam.Role:
        role = iam.Role(self, f"{name}Role", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))
        writes = f"{stored_names.RUNS_OF_SUBMISSIONS}*"
        star = "The stars stand for the run, the set, and what ends a prefix of keys."
        for action, patterns in (("s3:GetObject", reads), ("s3:PutObject", (writes,))):
            allow(role, [action], *map(self._bucket.arn_for_objects, patterns), star=star)
        # Without it S3 answers "access denied" for a missing object, which cannot be distinguished from a fault.
        allow(role, ["s3:ListBucket"], self._bucket.bucket_arn)
        accept(role, "AwsSolutions-IAM5[Resource::*]", "ecr:GetAuthorizationToken knows no resource.")
        return role

    def _fetching_role(self, group: logs.LogGroup) -> iam.Role:
        """Return the role that Fargate needs to begin a job: our own image, and the log."""
        role = iam.Role(self, "FetchingRole", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))
        self._image.repository.grant_pull(role)
        group.grant_write(role)
        accept(role, "AwsSolutions-IAM5[Resource::*]", "ecr:GetAuthorizationToken knows no resource.")
        return role


def _needs(amounts: Mapping[str, str]) -> list[batch.CfnJobDefinition.ResourceRequirementProperty]:
    return [
        batch.CfnJobDefinition.ResourceRequirementProperty(type=name, value=count) for name, count in amounts.items()
    ]


DOCKERFILE: Final = Path(__file__).parents[1] / "runner" / "Dockerfile"
_LOCAL: Final = ROOT / "local" / "src" / "local"
_MODULES: Final = ("__init__.py", "clock.py", "ru.mo", "submissions", "texts.py")
_PACKAGES: Final = (
    ROOT / "layers" / "markup_core" / "src" / "markup_core",
    ROOT / "layers" / "tracks" / "src" / "tracks",
)
SDK: Final = ("boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3")
"""Packages that the jobs need besides the standard library, with their dependencies."""
_NOT_OURS: Final = shutil.ignore_patterns("__pycache__", "*.pyc")


def put_together(folder: Path) -> None:
    """Write the image's folder: Dockerfile, requirements with their hashes, code."""
    code = folder / "code"
    (code / "local").mkdir(parents=True)
    for name in _MODULES:
        place = _LOCAL / name
        if place.is_dir():
            shutil.copytree(place, code / "local" / name, ignore=_NOT_OURS)
        else:
            shutil.copy(place, code / "local" / name)
    for package in _PACKAGES:
        shutil.copytree(package, code / package.name, ignore=_NOT_OURS)
    shutil.copy(DOCKERFILE, folder / "Dockerfile")
    (folder / "requirements.txt").write_text(locked(SDK, LOCK.read_text("utf-8")), "utf-8")
