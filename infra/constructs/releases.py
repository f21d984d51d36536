"""Move aliases to a new version by canaries: a tenth of the calls first, all after five minutes, or back.

CodeDeploy moves the alias of each function that somebody waits for. An error of a call through the alias meanwhile
ends the move and takes the alias back to the version before it (AWS CodeDeploy: "Redeploy and roll back a deployment").
Without calls nothing is seen in these minutes, and the version is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnCodeDeployLambdaAliasUpdate, CfnUpdatePolicy, Duration, NestedStack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acceptance import accept
from infra.config import CycleConfig

_MINUTE = Duration.minutes(1)


class Releases(NestedStack):
    """One application and one role of CodeDeploy, and a deployment group and an alarm for each alias.

    A stack within the application's, for that has no room for them; it must not refer to the aliases, which wait for
    it.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        config: CycleConfig,
        aliases: Mapping[str, lambda_.Alias],
    ) -> None:
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
