"""The cycle's Lambda functions, each with a role of its own that grants exactly its row of infra.rights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol, cast

from aws_cdk import (
    ArnFormat,
    Aws,
    CfnCodeDeployLambdaAliasUpdate,
    CfnUpdatePolicy,
    Duration,
    IgnoreMode,
    NestedStack,
    Stack,
    Validations,
)
from aws_cdk import aws_applicationautoscaling as scaling
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from contest import settings
from contest.routes import SHARES
from contest.stored_names import LetterQueue
from infra import layers
from infra.config import CycleConfig
from infra.constructs import accept, allow
from infra.constructs.queues import Queues, work_of
from infra.constructs.sign_in import issuer_of
from infra.constructs.storage import Keys, Stored, log_group, removal
from infra.rights import FUNCTIONS, LANES, QUEUE_URLS, FunctionRow, variables

_MINUTE = Duration.minutes(1)
_LETTERS_AT_ONCE: Final = 2
"""Lambda's least concurrency of an event source, for each queue of dead letters."""


class Releases(NestedStack):
    """One application and one role of CodeDeploy, and a deployment group and an alarm for each alias.

    A stack within the application's, for that has no room for them; it must not refer to the aliases, which wait for
    it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig, aliases: Mapping[str, lambda_.Alias]) -> None:
        super().__init__(scope, id, description="Hurdle: how new versions of the functions are taken")
        self._name = f"hurdle-{config.cycle}"
        self._application = codedeploy.LambdaApplication(self, "Application", application_name=self._name)
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("codedeploy.amazonaws.com"))
        accept(
            self._role,
            "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/"
            "AWSCodeDeployRoleForLambdaLimited]",
            "What CodeDeploy may do to aliases is AWS's own list; it changes with CodeDeploy, not with us.",
        )
        for name, alias in aliases.items():
            self._group(name, alias)

    def _group(self, name: str, alias: lambda_.Alias) -> None:
        failed = cloudwatch.Alarm(
            self,
            f"{name}Failed",
            alarm_name=f"{self._name}-{name}Failed",
            metric=alias.metric_errors(period=_MINUTE, statistic="sum"),
            alarm_description=f"A call of {name} failed: a new version that is being taken is taken back",
            threshold=0,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        codedeploy.LambdaDeploymentGroup(
            self,
            f"{name}Group",
            deployment_group_name=name,
            alias=alias,
            application=self._application,
            role=self._role,
            deployment_config=codedeploy.LambdaDeploymentConfig.CANARY_10_PERCENT_5_MINUTES,
            alarms=[failed],
            auto_rollback=codedeploy.AutoRollbackConfig(failed_deployment=True, deployment_in_alarm=True),
        )
        # CDK carries no reference of an update policy from one stack to another, so it names both as they are called.
        moved = alias.node.default_child
        moved.cfn_options.update_policy = CfnUpdatePolicy(
            code_deploy_lambda_alias_update=CfnCodeDeployLambdaAliasUpdate(
                application_name=self._name, deployment_group_name=name
            )
        )
        moved.add_resource_dependency(self.nested_stack_resource)


RUNTIME: Final = lambda_.Runtime.PYTHON_3_13
"""Python of the functions; the layers' compiled wheels are made for this version (infra.layers)."""


MEASURE: Final = "Measure"
"""Name of the function of infra.constructs.programs; it has no row in infra.rights because it has no rights."""
MEASURE_IMAGE: Final = "MeasureImage"
"""Name of the function made of a measure's container image; :mod:`tracks.custom.running` calls it."""


class Channel(Protocol):
    """The functions' view of the event channel, which is made of them too."""

    @property
    def endpoint(self) -> str:
        """Return the base address of the ``@connections`` calls."""

    @property
    def connections_arn(self) -> str:
        """Return the ARN of all connections, for ``execute-api:ManageConnections``."""


READ_ITEMS: Final = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:ConditionCheckItem")
WRITE_ITEMS: Final = ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem")
APPEND_ITEMS: Final = "dynamodb:PutItem"
ARMING_READS: Final = (
    "application-autoscaling:DescribeScalableTargets",
    "application-autoscaling:DescribeScheduledActions",
)
ARMING_CHANGES: Final = ("application-autoscaling:PutScheduledAction", "application-autoscaling:DeleteScheduledAction")
MANAGE_ACCOUNTS: Final = (
    "cognito-idp:AdminCreateUser",
    "cognito-idp:AdminGetUser",
    "cognito-idp:AdminDisableUser",
    "cognito-idp:AdminEnableUser",
    "cognito-idp:AdminUserGlobalSignOut",
)


class Functions(Construct):
    """Every function of :data:`infra.rights.FUNCTIONS`; a trigger should invoke ``entry(name)``."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: CycleConfig,
        stored: Stored,
        keys: Keys,
        queues: Queues,
        channel: Channel,
    ) -> None:
        super().__init__(scope, id)
        self._config = config
        self._stored = stored
        self._queues = queues
        self._channel = channel
        self._origin_secret = keys.origin_secret
        self._keys = keys.of_addresses
        self.layers = [self._layer(layer) for layer in layers.LAYERS]
        self.code = self._own_code()
        self._measure = settings.function_name(config.cycle, MEASURE)
        self._values = self._variables()
        self._store_command_variables()
        self.functions = MappingProxyType({row.name: self._function(row) for row in FUNCTIONS})
        self._aliases = {
            row.name: lambda_.Alias(
                self, f"{row.name}Live", alias_name=settings.ALIAS, version=self.functions[row.name].current_version
            )
            for row in FUNCTIONS
            if row.prompt
        }
        for name in SHARES:
            self._scalable(name)
        if config.retain_data:
            Releases(self, "Releases", config, self._aliases)

    def entry(self, name: str) -> lambda_.IFunction:
        """Return the alias of a function that must answer promptly, the function itself otherwise."""
        return self._aliases.get(name) or self.functions[name]

    def connect(self, exchange: dynamodb.ITable) -> None:
        """Connect the outbox with the relay, and each queue with the function that takes its messages.

        A message that fails comes back alone.
        """
        relay, outbox = self.functions["Relay"], lambda_.FilterRule.begins_with(settings.OUTBOX_PREFIX)
        keys = {"Keys": {settings.PARTITION_KEY: {"S": outbox}}}
        new_items = {"eventName": lambda_.FilterRule.is_equal("INSERT"), "dynamodb": keys}
        relay.add_event_source(
            event_sources.DynamoEventSource(
                exchange,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                batch_size=self._config.relay_batch_size,
                bisect_batch_on_error=True,
                retry_attempts=self._config.relay_retries,
                on_failure=event_sources.SqsDlq(self._queues.dead_letters[LetterQueue.RELAY]),
                filters=[lambda_.FilterCriteria.filter(new_items)],
            )
        )
        accept(
            cast(iam.Role, relay.role),
            "AwsSolutions-IAM5[Resource::*]",
            "dynamodb:ListStreams, which CDK adds for the trigger, knows no resource; it lists names only.",
        )
        for letters, work in work_of(self._config).items():
            self._consume(work.worker, self._queues.work[letters], work.at_once, work.batch)
        for queue in self._queues.dead_letters.values():
            self._consume("DeadLetters", queue, _LETTERS_AT_ONCE, self._config.letters_batch_size)

    def _consume(self, name: str, queue: sqs.IQueue, at_once: int, batch: int) -> None:
        source = event_sources.SqsEventSource(
            queue, batch_size=batch, report_batch_item_failures=True, max_concurrency=at_once
        )
        self.entry(name).add_event_source(source)

    def _scalable(self, name: str) -> None:
        """Let the number of executions that are kept running be scheduled; none is kept until somebody does.

        Nothing is scheduled here: the platform schedules what the cycle's file and the finals need
        (contest.run.under_way), for of two who schedule each would undo the other's.
        """
        alias = self._aliases[name]
        target = scaling.CfnScalableTarget(
            self,
            f"{name}Kept",
            min_capacity=0,
            max_capacity=0,
            resource_id=f"function:{settings.function_name(self._config.cycle, name)}:{settings.ALIAS}",
            scalable_dimension="lambda:function:ProvisionedConcurrency",
            service_namespace="lambda",
        )
        target.node.add_dependency(alias)

    def _own_code(self) -> lambda_.Code:
        fault = layers.fault(layers.CODE)
        if fault:
            Validations.of(self).add_error("CodeNotBuilt", fault)
            uncompiled = ["**/__pycache__", "**/*.pyc"]
            return lambda_.Code.from_asset(str(layers.FUNCTIONS), exclude=uncompiled, ignore_mode=IgnoreMode.GLOB)
        return lambda_.Code.from_asset(str(layers.CODE.folder))

    def _layer(self, layer: layers.Layer) -> lambda_.LayerVersion:
        fault = layers.fault(layer)
        folder = layers.UNBUILT if fault else layer.folder
        version = lambda_.LayerVersion(
            self,
            layer.construct_id,
            code=lambda_.Code.from_asset(str(folder)),
            description=layer.description,
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[lambda_.Architecture.ARM_64],
        )
        if fault:
            Validations.of(version).add_error("LayerNotBuilt", fault)
        return version

    def _variables(self) -> dict[str, str]:
        """Return every variable with its value; a function is given those of its row (:func:`rights.variables`)."""
        tables, work, image = self._stored.tables, self._queues.work, self._config.measure_image
        return {
            settings.CYCLE: self._config.cycle,
            settings.EXCHANGE_TABLE: tables["Exchange"].table_name,
            settings.SCORES_TABLE: tables["Scores"].table_name,
            settings.CATALOGUE_TABLE: tables["Catalogue"].table_name,
            settings.IDENTITY_TABLE: tables["Identity"].table_name,
            settings.EXPERTS_TABLE: tables["Experts"].table_name,
            settings.BUCKET: self._stored.objects.bucket_name,
            **{name: work[letters].queue_url for letters, name in QUEUE_URLS.items()},
            settings.DEAD_LETTER_QUEUES: ",".join(
                f"{name}={queue.queue_name}" for name, queue in self._queues.dead_letters.items()
            ),
            settings.SOCKET_ENDPOINT: self._channel.endpoint,
            settings.SIGNING_SECRET_ARN: self._stored.signing_arn,
            settings.UPLOADS_KEY: self._keys["uploads"].key_id,
            settings.UPLOADS_SECRET: self._keys["uploads"].secret_name,
            settings.DOWNLOADS_KEY: self._keys["downloads"].key_id,
            settings.DOWNLOADS_SECRET: self._keys["downloads"].secret_name,
            settings.ORIGIN_SECRET: self._origin_secret,
            settings.PARTICIPANTS_ISSUER: issuer_of(self._stored.participants_pool_id),
            settings.PARTICIPANTS_CLIENT: self._stored.participants_client_id,
            settings.STAFF_ISSUER: issuer_of(self._stored.staff_pool_id),
            settings.STAFF_CLIENT: self._stored.staff_client_id,
            settings.STAFF_POOL_ID: self._stored.staff_pool_id,
            settings.CAPACITY: self._capacity(),
            **self._lanes(),
            **({settings.MEASURES: self._measure} if self._config.measures else {}),
            **({settings.MEASURE_IMAGE: image.rpartition(":")[2][: settings.OF_DIGEST]} if image else {}),
            **({} if self._config.domain_name is None else {settings.SITE: f"https://{self._config.domain_name}"}),
            **({} if self._config.mail_from is None else {settings.MAIL_FROM: self._config.mail_from}),
            **({} if self._stored.copies is None else {settings.COPIES_BUCKET: self._stored.copies}),
        }

    def _store_command_variables(self) -> None:
        """Store the variables of the organizer's command where its user's own rights let it read them."""
        names = (*settings.OF_COMMAND, *(LANES if self._config.programs else ()))
        ssm.StringParameter(
            self,
            "Command",
            parameter_name=settings.command_parameter(self._config.cycle),
            description="The variables of contest --cycle NAME",
            string_value=Stack.of(self).to_json_string({name: self._values[name] for name in names}),
        )

    def _lanes(self) -> dict[str, str]:
        """Return the lanes that run programs; none where the cycle runs no programs."""
        if not self._config.programs:
            return {}
        running, copying = self._config.program_lane, self._config.copy_lane
        return {
            settings.BATCH_QUEUE: running,
            settings.BATCH_DEFINITION: running,
            settings.BATCH_COPY_QUEUE: copying,
            settings.BATCH_COPY_DEFINITION: copying,
        }

    def _capacity(self) -> str:
        """Return the gateway's limit and the times of the cycle's file at which functions are kept running, as JSON."""
        limits: dict[str, Any] = {"requests_per_second": self._config.requests_per_second}
        if self._config.armed:
            limits["windows"] = [
                (*(int(moment.timestamp() * 1_000) for moment in (window.since, window.until)), window.teams)
                for window in self._config.armed
            ]
        return json.dumps(limits, separators=(",", ":"))

    def _function(self, row: FunctionRow) -> lambda_.Function:
        size = self._config.sizes[row.name]
        group = log_group(self, f"{row.name}Logs", self._config.log_retention_days, removal(self._config))
        from_snapshot = row.prompt and self._config.starts_from_snapshot(row.name)
        names = variables(row)
        environment = {name: value for name, value in self._values.items() if name in names}
        function = lambda_.Function(
            self,
            row.name,
            function_name=settings.function_name(self._config.cycle, row.name),
            code=self.code,
            handler=row.handler,
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            layers=self.layers,
            environment={**environment, settings.TIMEOUT_S: str(size.timeout_s)},
            memory_size=size.memory_mib,
            timeout=Duration.seconds(size.timeout_s),
            reserved_concurrent_executions=size.reserved_concurrency,
            role=self._role(row, group),
            log_group=group,
            logging_format=lambda_.LoggingFormat.JSON,
            runtime_management_mode=lambda_.RuntimeManagementMode.FUNCTION_UPDATE,
            # Of each call Lambda would write a beginning and a report, two thirds of the log; its metrics say the same.
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if from_snapshot else None,
        )
        accept(
            function,
            "AwsSolutions-L1",
            "The newest runtime is taken after the layers' wheels were built and tried on it; "
            "Python 3.13 is supported and has SnapStart.",
        )
        accept(
            function,
            "@aws-cdk/aws-lambda:snapStartRequirePublish",
            "The alias live points to a published version, and whatever somebody waits for goes through it.",
        )
        return function

    def _role(self, row: FunctionRow, group: logs.LogGroup) -> iam.Role:
        role = iam.Role(self, f"{row.name}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        group.grant_write(role)
        self._grant_tables(role, row)
        self._grant_objects(role, row)
        self._grant_signing(role, row)
        for signs, secret_arn in (
            (row.signs_uploads, self._keys["uploads"].secret_arn),
            (row.signs_downloads, self._keys["downloads"].secret_arn),
        ):
            if signs:
                allow(role, ["secretsmanager:GetSecretValue"], secret_arn)
        for letters in QUEUE_URLS:
            if letters in row.sends:
                allow(role, ["sqs:SendMessage"], self._queues.work[letters].queue_arn)
        if row.announces:
            bus = Stack.of(self).format_arn(service="events", resource="event-bus/default")
            allow(role, ["events:PutEvents"], bus)
        sender = self._config.mail_from
        # Either the address itself or its domain is the identity that AWS verified.
        for name in () if sender is None or not row.mails else (sender, sender.partition("@")[2]):
            identity = Stack.of(self).format_arn(service="ses", resource="identity", resource_name=name)
            allow(role, ("ses:SendEmail", "ses:SendRawEmail"), identity)
        self._grant_arming(role, row)
        if row.manages_accounts:
            pools = Stack.of(self).format_arn(
                service="cognito-idp", resource="userpool", resource_name=self._stored.staff_pool_id
            )
            allow(role, MANAGE_ACCOUNTS, pools)
        if row.watches_copies and self._stored.copies is not None:
            allow(role, ["s3:ListBucket"], f"arn:{Aws.PARTITION}:s3:::{self._stored.copies}")
        if row.posts:
            star = f"The stars stand for the call and the connection: {row.name} needs every connection of this stage."
            allow(role, ["execute-api:ManageConnections"], self._channel.connections_arn, star=star)
        self._grant_running(role, row)
        return role

    def _grant_arming(self, role: iam.Role, row: FunctionRow) -> None:
        """Grant the rights to read what is scheduled, and to schedule it.

        Targets have names that AWS invents, so the rights go by the service: Lambda's alone.
        """
        if not (row.arms or row.reads_arming):
            return
        allow(role, ARMING_READS, "*", star="Application Auto Scaling's reads know no resource.")
        if not row.arms:
            return
        targets = Stack.of(self).format_arn(service="application-autoscaling", resource="scalable-target/*")
        allow(
            role,
            ARMING_CHANGES,
            targets,
            star="AWS invents the names of scalable targets, so a policy cannot name those of this cycle.",
            where={"application-autoscaling:service-namespace": "lambda"},
        )

    def _grant_running(self, role: iam.Role, row: FunctionRow) -> None:
        """Grant the rights to have a measure's program run, and to queue, find and end jobs of submitted programs."""
        stack = Stack.of(self)
        if row.measures and self._config.measures:
            form = ArnFormat.COLON_RESOURCE_NAME
            for function in (MEASURE, *([MEASURE_IMAGE] if self._config.measure_image else [])):
                name = settings.function_name(self._config.cycle, function)
                arn = stack.format_arn(service="lambda", resource="function", resource_name=name, arn_format=form)
                allow(role, ["lambda:InvokeFunction"], arn)
        if not (row.runs_programs and self._config.programs):
            return
        lanes = (self._config.program_lane, self._config.copy_lane)
        definitions = [
            stack.format_arn(service="batch", resource="job-definition", resource_name=lane) for lane in lanes
        ]
        queues = [stack.format_arn(service="batch", resource="job-queue", resource_name=lane) for lane in lanes]
        jobs = stack.format_arn(service="batch", resource="job", resource_name="*")
        revisions = [f"{definition}:*" for definition in definitions]
        star = f"{row.name} submits whatever revision is deployed; jobs have names of their own only when they run."
        allow(role, ("batch:SubmitJob", "batch:TagResource"), *definitions, *revisions, *queues, jobs, star=star)
        allow(role, ["batch:ListJobs"], "*", star="batch:ListJobs knows no resource.")
        allow(role, ["batch:TerminateJob"], jobs, where={"aws:ResourceTag/hurdle:queue": list(lanes)})

    def _grant_signing(self, role: iam.Role, row: FunctionRow) -> None:
        if self._config.signing == "kms":
            actions = ("kms:GetPublicKey", "kms:Sign") if row.signs else ("kms:GetPublicKey",)
        else:
            actions = ("secretsmanager:GetSecretValue",)
        if row.signs or row.shows_key:
            allow(role, actions, self._stored.signing_arn)

    def _grant_tables(self, role: iam.Role, row: FunctionRow) -> None:
        for names, actions in (
            (row.reads, READ_ITEMS),
            (row.writes, (*READ_ITEMS, *WRITE_ITEMS)),
            (row.appends, (*READ_ITEMS, APPEND_ITEMS)),
        ):
            for name in names:
                allow(role, actions, self._stored.tables[name].table_arn)

    def _grant_objects(self, role: iam.Role, row: FunctionRow) -> None:
        bucket = self._stored.objects
        for action, prefixes in (
            ("s3:GetObject", row.reads_objects),
            ("s3:PutObject", row.writes_objects),
            ("s3:DeleteObject", row.deletes_objects),
        ):
            for prefix in prefixes:
                star = f"The star ends the key prefix {prefix}: {row.name} needs the objects below it, no others."
                allow(role, [action], bucket.arn_for_objects(f"{prefix}*"), star=star)
        if row.reads_objects:
            # Without it S3 answers "access denied" for a missing object, which cannot be distinguished from a fault.
            allow(role, ["s3:ListBucket"], bucket.bucket_arn)


_BESIDE: Final = "DefaultPolicy"
"""CDK's name of the policy beside a role, where it writes every right that somebody adds to the role."""


def put_into_roles(scope: Construct) -> None:
    """Move each role's policy into the role: one resource less for each, and no function runs before it has its rights.

    CDK keeps them apart for roles in a circle with what they may use; here there is none, which CloudFormation checks.
    """
    for role in scope.node.find_all():
        policy = role.node.try_find_child(_BESIDE)
        if isinstance(role, iam.Role) and isinstance(policy, iam.Policy):
            inline = iam.CfnRole.PolicyProperty(policy_name="Rights", policy_document=policy.document)
            cast(iam.CfnRole, role.node.default_child).policies = [inline]
            role.node.try_remove_child(_BESIDE)
