"""From a stored answer to its score: outbox stream → relay → scoring queue → worker, nothing lost on the way."""

from __future__ import annotations

from typing import cast

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from contest import settings
from infra.acceptance import accept
from infra.config import CycleConfig

_KEPT_DAYS = 14
"""SQS's longest: time for the organizer to see a failed scoring and redrive it."""


class ScoringQueues(Construct):
    """The scoring queue with its dead letters, and the dead letters of the stream and of the timers."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self.scoring_dead_letters = self._queue("ScoringDeadLetters")
        self.relay_dead_letters = self._queue("RelayDeadLetters")
        self.timer_dead_letters = self._queue("TimerDeadLetters")
        for queue in (self.relay_dead_letters, self.timer_dead_letters):
            accept(
                queue,
                "AwsSolutions-SQS3",
                "This is a dead-letter queue, of a stream and of the timers; the rule knows those of queues only.",
            )
        self.scoring = self._queue(
            "Scoring",
            visibility=Duration.seconds(config.scoring_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.scoring_dead_letters, max_receive_count=config.scoring_max_receives
            ),
        )

    def _queue(
        self,
        name: str,
        *,
        visibility: Duration | None = None,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(_KEPT_DAYS),
            visibility_timeout=visibility,
            dead_letter_queue=dead_letter_queue,
        )


class ScoringPipeline(Construct):
    """Connects the outbox with the relay and the queue with the worker."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        queues: ScoringQueues,
        exchange: dynamodb.Table,
        relay: lambda_.Function,
        worker: lambda_.Function,
    ) -> None:
        super().__init__(scope, id)
        relay.add_event_source(
            event_sources.DynamoEventSource(
                exchange,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                batch_size=config.relay_batch_size,
                bisect_batch_on_error=True,
                retry_attempts=config.relay_retries,
                on_failure=event_sources.SqsDlq(queues.relay_dead_letters),
                filters=[lambda_.FilterCriteria.filter(_new_outbox_item())],
            )
        )
        accept(
            cast(iam.Role, relay.role),
            "AwsSolutions-IAM5[Resource::*]",
            "dynamodb:ListStreams, which CDK adds for the trigger, knows no resource; it lists names only.",
        )
        worker.add_event_source(
            event_sources.SqsEventSource(
                queues.scoring,
                batch_size=config.scoring_batch_size,
                report_batch_item_failures=True,
                max_concurrency=config.scoring_max_concurrency,
            )
        )


def _new_outbox_item() -> dict[str, object]:
    return {
        "eventName": lambda_.FilterRule.is_equal("INSERT"),
        "dynamodb": {"Keys": {settings.PARTITION_KEY: {"S": lambda_.FilterRule.begins_with(settings.OUTBOX_PREFIX)}}},
    }
