"""Queues, events of jobs and timers; :meth:`infra.constructs.functions.Functions.connect` gives them their functions.

The queues of work: answers that wait for their scores, runs for their results, files for their second.

A stored answer reaches its score by outbox stream → relay → scoring queue → worker, nothing lost on the way; the end of
a run reaches its record and board by settlement queue → worker, sent for by the minute timer. The end of a job reaches
the worker that looks at it by a rule of EventBridge and a queue with dead letters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from contest.stored_names import LetterQueue
from infra.config import CycleConfig
from infra.constructs import accept, allow

_RETRIES = 2
_SHORTEST_EVENT_AGE_S = 60
"""Shortest event age of EventBridge Scheduler and Lambda: an unstarted minute is dropped when the next one comes."""
_LONGEST_EVENT_AGE_S = 6 * 3_600
"""Longest event age of Lambda."""


class Timers(Construct):
    """EventBridge Scheduler's schedules, exact to the minute, with dead letters.

    The low-level resource is used because CDK's target class would let the role invoke every version of the function.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        config: CycleConfig,
        functions: Mapping[str, lambda_.Function],
        dead_letters: sqs.Queue,
    ) -> None:
        super().__init__(scope, id)
        self._dead_letters = dead_letters
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        minute, channel, audit = (functions[name] for name in ("MinuteTimer", "ChannelTimer", "Audit"))
        allow(self._role, ["lambda:InvokeFunction"], minute.function_arn, channel.function_arn, audit.function_arn)
        allow(self._role, ["sqs:SendMessage"], dead_letters.queue_arn)
        self._schedule("EveryMinute", "rate(1 minute)", minute, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        self._schedule("EveryMinuteChannel", "rate(1 minute)", channel, retries=0, age_s=_SHORTEST_EVENT_AGE_S)
        hours = config.audit_interval_hours
        every_few_hours = f"rate({hours} hour{'s' if hours > 1 else ''})"
        self._schedule("Audits", every_few_hours, audit, retries=_RETRIES, age_s=hours * 3_600)

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


_KEPT_DAYS = 14
"""Longest retention of SQS, in days: time for the organizer to see a failed scoring and redrive it."""


_LETTERS: Final = MappingProxyType(
    {
        LetterQueue.SCORING: "Scoring",
        LetterQueue.SETTLEMENT: "Settlement",
        LetterQueue.RESCORINGS: "Rescoring",
        LetterQueue.SHADOWS: "Shadow",
        LetterQueue.AUDITS: "Audit",
        LetterQueue.IMPORTS: "Import",
        LetterQueue.PUSHES: "Push",
        LetterQueue.SUBMISSIONS: "Submission",
        LetterQueue.RELAY: "Relay",
        LetterQueue.TIMERS: "Timer",
    }
)
"""Source of the dead letters in each queue, as in the queue's name in the template."""


class Queues(Construct):
    """``work``: the queues of work, by the name of their letters. ``dead_letters``: theirs, the stream's and the
    timers'."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:
        super().__init__(scope, id)
        visible = config.visibility_s("DeadLetters")
        self.dead_letters: Mapping[LetterQueue, sqs.Queue] = MappingProxyType(
            {letters: self._queue(f"{name}DeadLetters", visible) for letters, name in _LETTERS.items()}
        )
        self.work: Mapping[LetterQueue, sqs.Queue] = MappingProxyType(
            {
                letters: self._queue(
                    letters.value.capitalize(),
                    config.visibility_s(work.worker),
                    sqs.DeadLetterQueue(queue=self.dead_letters[letters], max_receive_count=work.tries),
                )
                for letters, work in work_of(config).items()
            }
        )
        self._decide_who_sends(config)
        for letters in (LetterQueue.RELAY, LetterQueue.TIMERS):
            accept(
                self.dead_letters[letters],
                "AwsSolutions-SQS3",
                "This is a dead-letter queue, of a stream and of the timers; the rule knows those of queues only.",
            )

    def _decide_who_sends(self, config: CycleConfig) -> None:
        """Add one policy for all queues, which each of them evaluates for itself: a template has room for 500
        resources, and of two policies of a queue one would hold.

        Nobody sends without TLS. Where programs are run, the rule that hears of their ends sends what it is told to.
        """
        queues = [*self.dead_letters.values(), *self.work.values()]
        statement = iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["sqs:*"],
            resources=["*"],
            conditions={"Bool": {"aws:SecureTransport": "false"}},
        )
        statements = [statement]
        if config.programs:
            rule = Stack.of(self).format_arn(service="events", resource="rule", resource_name=config.program_lane)
            statements.append(
                iam.PolicyStatement(
                    principals=[iam.ServicePrincipal("events.amazonaws.com")],
                    actions=["sqs:SendMessage"],
                    resources=["*"],
                    conditions={"ArnEquals": {"aws:SourceArn": rule}},
                )
            )
        document = iam.PolicyDocument(statements=statements)
        sqs.CfnQueuePolicy(self, "TlsOnly", queues=[queue.queue_url for queue in queues], policy_document=document)

    def _queue(self, name: str, visibility_s: int, dead_letters: sqs.DeadLetterQueue | None = None) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            retention_period=Duration.days(_KEPT_DAYS),
            visibility_timeout=Duration.seconds(visibility_s),
            dead_letter_queue=dead_letters,
        )


@dataclass(frozen=True, slots=True)
class Work:
    """Processing of a queue: its function, deliveries of a message, simultaneous executions, messages per execution."""

    worker: str
    tries: int
    at_once: int
    batch: int = 1


def work_of(config: CycleConfig) -> Mapping[LetterQueue, Work]:
    """Return the work on each queue that is no queue of dead letters."""
    scoring = (config.scoring_max_receives, config.scoring_max_concurrency, config.scoring_batch_size)
    pushes = (config.push_max_receives, config.push_max_concurrency, config.push_batch_size)
    submissions = (config.submission_max_receives, config.submission_max_concurrency)
    return {
        LetterQueue.SCORING: Work("Score", *scoring),
        LetterQueue.SETTLEMENT: Work("Settle", config.settlement_max_receives, config.settlement_max_concurrency),
        LetterQueue.RESCORINGS: Work("Rescore", config.rescoring_max_receives, config.rescoring_max_concurrency),
        LetterQueue.SHADOWS: Work("Shadow", config.shadow_max_receives, config.shadow_max_concurrency),
        LetterQueue.AUDITS: Work("Verify", config.audit_max_receives, config.audit_max_concurrency),
        LetterQueue.IMPORTS: Work("Import", config.import_max_receives, config.import_max_concurrency),
        LetterQueue.PUSHES: Work("Push", *pushes),
        LetterQueue.SUBMISSIONS: Work("SubmissionWorker", *submissions),
    }


_LONGEST = Duration.hours(1)
"""Time for which a message that its queue refuses is tried again; the minute timer finds the run anyway."""


class ProgramEvents(Construct):
    """The rule for the ends of jobs. The queue's policy names its senders (:class:`infra.constructs.queues.Queues`)."""

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, queues: Queues) -> None:
        super().__init__(scope, id)
        lane = Stack.of(self).format_arn(service="batch", resource="job-queue", resource_name=config.program_lane)
        self.rule = events.CfnRule(
            self,
            "Ended",
            name=config.program_lane,
            description="Jobs of submitted programs that have begun or ended",
            event_pattern={
                "source": ["aws.batch"],
                "detail-type": ["Batch Job State Change"],
                "detail": {"jobQueue": [lane], "status": ["RUNNING", "SUCCEEDED", "FAILED"]},
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="Submissions",
                    arn=queues.work[LetterQueue.SUBMISSIONS].queue_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map={"run": "$.detail.jobName"}, input_template=json.dumps({"run": "<run>"})
                    ),
                    dead_letter_config=events.CfnRule.DeadLetterConfigProperty(
                        arn=queues.dead_letters[LetterQueue.SUBMISSIONS].queue_arn
                    ),
                    retry_policy=events.CfnRule.RetryPolicyProperty(
                        maximum_event_age_in_seconds=_LONGEST.to_seconds(), maximum_retry_attempts=20
                    ),
                )
            ],
        )
