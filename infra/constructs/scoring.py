"""From a stored answer to its score: outbox stream → relay → scoring queue → worker, nothing lost on the way; and from
the end of a run to its record and board: settlement queue → worker, sent for by the minute timer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from constructs import Construct

from contest import settings
from contest.stored_names import LetterQueue
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.queues import Queues


class ScoringPipeline(Construct):
    """Connects the outbox with the relay and the queues with their workers."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        queues: Queues,
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
                on_failure=event_sources.SqsDlq(queues.dead_letters[LetterQueue.RELAY]),
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
                queues.work[LetterQueue.SCORING],
                batch_size=config.scoring_batch_size,
                report_batch_item_failures=True,
                max_concurrency=config.scoring_max_concurrency,
            )
        )


class ResultsPipeline(Construct):
    """Connects the queues of what is to be made of runs, scored anew, recomputed, audited and imported, with their
    workers."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        queues: Queues,
        workers: Mapping[str, lambda_.Function],
    ) -> None:
        super().__init__(scope, id)
        for name, queue, at_once in (
            ("Settle", queues.work[LetterQueue.SETTLEMENT], config.settlement_max_concurrency),
            ("Rescore", queues.work[LetterQueue.RESCORINGS], config.rescoring_max_concurrency),
            ("Shadow", queues.work[LetterQueue.SHADOWS], config.shadow_max_concurrency),
            ("Verify", queues.work[LetterQueue.AUDITS], config.audit_max_concurrency),
            ("Import", queues.work[LetterQueue.IMPORTS], config.import_max_concurrency),
            ("Judge", queues.work[LetterQueue.SUBMISSIONS], config.submission_max_concurrency),
        ):
            workers[name].add_event_source(
                event_sources.SqsEventSource(
                    queue, batch_size=1, report_batch_item_failures=True, max_concurrency=at_once
                )
            )


class LettersPipeline(Construct):
    """Connects every dead-letter queue with the function that keeps what ended there."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        *,
        config: CycleConfig,
        queues: Queues,
        letters: lambda_.Function,
    ) -> None:
        super().__init__(scope, id)
        for queue in queues.dead_letters.values():
            letters.add_event_source(
                event_sources.SqsEventSource(
                    queue, batch_size=config.letters_batch_size, report_batch_item_failures=True, max_concurrency=2
                )
            )


def _new_outbox_item() -> dict[str, object]:
    return {
        "eventName": lambda_.FilterRule.is_equal("INSERT"),
        "dynamodb": {"Keys": {settings.PARTITION_KEY: {"S": lambda_.FilterRule.begins_with(settings.OUTBOX_PREFIX)}}},
    }
