"""The timers: once a minute what is overdue is swept, every few hours a technical run is planned and what is stored
is proved.

Timers prepare and sweep; the stored schedule and the gateway's time decide (platform §3). So a missed minute is not
repeated, the next one does its work, while what comes every few hours is tried again.
"""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import CycleConfig

_RETRIES = 2
_SHORTEST_EVENT_AGE_S = 60
"""EventBridge Scheduler's least: an unstarted minute is dropped when the next one comes."""


class Timers(Construct):
    """EventBridge Scheduler's schedules, exact to the minute, with dead letters.

    The low-level resource is used because CDK's target class would let the role invoke every version of the function.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        minute: lambda_.IFunction,
        technical: lambda_.IFunction,
        audit: lambda_.IFunction,
        dead_letters: sqs.Queue,
    ) -> None:
        super().__init__(scope, id)
        self._dead_letters = dead_letters
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        self._allow("lambda:InvokeFunction", minute.function_arn, technical.function_arn, audit.function_arn)
        self._allow("sqs:SendMessage", dead_letters.queue_arn)
        self._schedule("EveryMinute", "rate(1 minute)", minute, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        self._every_few_hours("TechnicalRuns", config.technical_interval_hours, technical)
        self._every_few_hours("Audits", config.audit_interval_hours, audit)

    def _allow(self, action: str, *resources: str) -> None:
        self._role.add_to_policy(iam.PolicyStatement(actions=[action], resources=list(resources)))

    def _every_few_hours(self, name: str, hours: int, function: lambda_.IFunction) -> None:
        expression = f"rate({hours} hour{'s' if hours > 1 else ''})"
        self._schedule(name, expression, function, retries=_RETRIES, age_s=hours * 3_600)

    def _schedule(self, name: str, expression: str, function: lambda_.IFunction, *, retries: int, age_s: int) -> None:
        scheduler.CfnSchedule(
            self,
            name,
            schedule_expression=expression,
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=function.function_arn,
                role_arn=self._role.role_arn,
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=self._dead_letters.queue_arn),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=retries, maximum_event_age_in_seconds=age_s
                ),
            ),
        )
