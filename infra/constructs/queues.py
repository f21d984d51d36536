"""The cycle's queues: answers that wait for their scores, runs for their results, files for their second."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from contest.stored_names import LetterQueue
from infra.acceptance import accept
from infra.config import CycleConfig

_KEPT_DAYS = 14
"""SQS's longest: time for the organizer to see a failed scoring and redrive it."""


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
"""Whose dead letters a queue holds, as its name in the template says it."""


class Queues(Construct):
    """``work``: the queues of work, by the name of their letters. ``dead_letters``: theirs, the stream's and the
    timers'."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        visible = config.letters_visibility_s
        self.dead_letters: Mapping[LetterQueue, sqs.Queue] = MappingProxyType(
            {letters: self._queue(f"{name}DeadLetters", visible) for letters, name in _LETTERS.items()}
        )
        self.work: Mapping[LetterQueue, sqs.Queue] = MappingProxyType(
            {
                letters: self._queue(
                    letters.value.capitalize(),
                    visibility_s,
                    sqs.DeadLetterQueue(queue=self.dead_letters[letters], max_receive_count=tries),
                )
                for letters, (visibility_s, tries) in _times(config).items()
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
        """One policy for all queues, which each of them evaluates for itself: a template has room for 500 resources,
        and of two policies of a queue one would hold.

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
        sqs.CfnQueuePolicy(self, "TlsOnly", queues=[each.queue_url for each in queues], policy_document=document)

    def _queue(self, name: str, visibility_s: int, dead_letters: sqs.DeadLetterQueue | None = None) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            retention_period=Duration.days(_KEPT_DAYS),
            visibility_timeout=Duration.seconds(visibility_s),
            dead_letter_queue=dead_letters,
        )


def _times(config: CycleConfig) -> Mapping[LetterQueue, tuple[int, int]]:
    """Of each queue of work the seconds until a message comes again, and how often it comes."""
    return {
        LetterQueue.SCORING: (config.scoring_visibility_s, config.scoring_max_receives),
        LetterQueue.SETTLEMENT: (config.settlement_visibility_s, config.settlement_max_receives),
        LetterQueue.RESCORINGS: (config.rescoring_visibility_s, config.rescoring_max_receives),
        LetterQueue.SHADOWS: (config.shadow_visibility_s, config.shadow_max_receives),
        LetterQueue.AUDITS: (config.audit_visibility_s, config.audit_max_receives),
        LetterQueue.IMPORTS: (config.import_visibility_s, config.import_max_receives),
        LetterQueue.PUSHES: (config.push_visibility_s, config.push_max_receives),
        LetterQueue.SUBMISSIONS: (config.submission_visibility_s, config.submission_max_receives),
    }
