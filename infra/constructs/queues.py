"""The cycle's queues: answers that wait for their scores, runs for their results, files for their second."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from contest.stored_names import LetterQueue
from infra.acceptance import accept
from infra.config import CycleConfig

_KEPT_DAYS = 14
"""SQS's longest: time for the organizer to see a failed scoring and redrive it."""


class Queues(Construct):
    """The queues of work with their dead letters, and those of the stream and the timers."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        visible = Duration.seconds(config.letters_visibility_s)
        self.scoring_dead_letters = self._queue("ScoringDeadLetters", visibility=visible)
        self.settlement_dead_letters = self._queue("SettlementDeadLetters", visibility=visible)
        self.rescoring_dead_letters = self._queue("RescoringDeadLetters", visibility=visible)
        self.shadow_dead_letters = self._queue("ShadowDeadLetters", visibility=visible)
        self.audit_dead_letters = self._queue("AuditDeadLetters", visibility=visible)
        self.import_dead_letters = self._queue("ImportDeadLetters", visibility=visible)
        self.push_dead_letters = self._queue("PushDeadLetters", visibility=visible)
        self.relay_dead_letters = self._queue("RelayDeadLetters", visibility=visible)
        self.timer_dead_letters = self._queue("TimerDeadLetters", visibility=visible)
        self.dead_letters: Mapping[LetterQueue, sqs.Queue] = MappingProxyType(
            {
                LetterQueue.SCORING: self.scoring_dead_letters,
                LetterQueue.SETTLEMENT: self.settlement_dead_letters,
                LetterQueue.RESCORINGS: self.rescoring_dead_letters,
                LetterQueue.SHADOWS: self.shadow_dead_letters,
                LetterQueue.AUDITS: self.audit_dead_letters,
                LetterQueue.IMPORTS: self.import_dead_letters,
                LetterQueue.PUSHES: self.push_dead_letters,
                LetterQueue.RELAY: self.relay_dead_letters,
                LetterQueue.TIMERS: self.timer_dead_letters,
            }
        )
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
        self.settlement = self._queue(
            "Settlement",
            visibility=Duration.seconds(config.settlement_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.settlement_dead_letters, max_receive_count=config.settlement_max_receives
            ),
        )
        self.rescorings = self._queue(
            "Rescorings",
            visibility=Duration.seconds(config.rescoring_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.rescoring_dead_letters, max_receive_count=config.rescoring_max_receives
            ),
        )
        self.shadows = self._queue(
            "Shadows",
            visibility=Duration.seconds(config.shadow_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.shadow_dead_letters, max_receive_count=config.shadow_max_receives
            ),
        )
        self.audits = self._queue(
            "Audits",
            visibility=Duration.seconds(config.audit_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.audit_dead_letters, max_receive_count=config.audit_max_receives
            ),
        )
        self.imports = self._queue(
            "Imports",
            visibility=Duration.seconds(config.import_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.import_dead_letters, max_receive_count=config.import_max_receives
            ),
        )
        self.pushes = self._queue(
            "Pushes",
            visibility=Duration.seconds(config.push_visibility_s),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.push_dead_letters, max_receive_count=config.push_max_receives
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
