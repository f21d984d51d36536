"""EventBridge Scheduler's schedules: the minute timer, the event channel's timer, the audit.

One timer does all due work once a minute, another proves the stored data every few hours. The event channel has a timer
of its own: its cost depends on the number of connections, which nobody's report or record waits for.

Timers prepare and sweep; the stored schedule and the gateway's time decide (platform §3). So a missed minute is not
repeated, the next one does its work. The scheduler hands a run over to Lambda's own queue, which by itself would run
a failed event twice more, beside its successors: it is told not to, and an event that fails for good goes to the dead
letters. Only handing the audit over is tried again.
"""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import CycleConfig

_RETRIES = 2
_SHORTEST_EVENT_AGE_S = 60
"""EventBridge Scheduler's least, and Lambda's: an unstarted minute is dropped when the next one comes."""
_LONGEST_EVENT_AGE_S = 6 * 3_600
"""Lambda's most."""


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
        tend: lambda_.IFunction,
        audit: lambda_.IFunction,
        dead_letters: sqs.Queue,
    ) -> None:
        super().__init__(scope, id)
        self._dead_letters = dead_letters
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        self._allow("lambda:InvokeFunction", minute.function_arn, tend.function_arn, audit.function_arn)
        self._allow("sqs:SendMessage", dead_letters.queue_arn)
        self._schedule("EveryMinute", "rate(1 minute)", minute, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        self._schedule("EveryMinuteChannel", "rate(1 minute)", tend, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        hours = config.audit_interval_hours
        every_few_hours = f"rate({hours} hour{'s' if hours > 1 else ''})"
        self._schedule("Audits", every_few_hours, audit, retries=_RETRIES, age_s=hours * 3_600)

    def _allow(self, action: str, *resources: str) -> None:
        self._role.add_to_policy(iam.PolicyStatement(actions=[action], resources=list(resources)))

    def _schedule(self, name: str, expression: str, function: lambda_.IFunction, *, retries: int, age_s: int) -> None:
        lambda_.EventInvokeConfig(
            self,
            f"{name}Runs",
            function=function,
            retry_attempts=0,
            max_event_age=Duration.seconds(min(age_s, _LONGEST_EVENT_AGE_S)),
            on_failure=destinations.SqsDestination(self._dead_letters),
        )
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
