"""From the end of a job to the worker that looks at it: a rule of EventBridge, a queue, its dead letters."""

from __future__ import annotations

import json

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from constructs import Construct

from contest.stored_names import LetterQueue
from infra.config import CycleConfig
from infra.constructs.queues import Queues

_LONGEST = Duration.hours(1)
"""For which a message that its queue does not take is tried again; the minute timer finds the run anyway."""


class ProgramEvents(Construct):
    """The rule. Who may send into the queue, the queue's policy says (:class:`infra.constructs.queues.Queues`)."""

    def __init__(self, scope: Construct, id: str, *, config: CycleConfig, queues: Queues) -> None:  # noqa: A002
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
