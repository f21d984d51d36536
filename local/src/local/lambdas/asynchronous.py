"""Lambda's asynchronous invocations: what fails is run again, twice unless the template says how often, then reported.

The service waits a minute and then two before it runs an event again; here it does so at once, and asks nobody how old
the event is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.aws.functions import function_arn
from local.clock import utc
from local.lambdas.runtime import STOPPED
from local.lambdas.sources import queue_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.aws.emulator import Emulator
    from local.aws.resources import Deployment
    from local.clock import Clock
    from local.lambdas.runtime import InvocationResult

CONFIG_TYPE = "AWS::Lambda::EventInvokeConfig"
_DEFAULT_RETRIES = 2


@dataclass(frozen=True)
class _Rules:
    retries: int = _DEFAULT_RETRIES
    failure_queue: str | None = None


class Asynchronous:
    """Runs functions as whoever does not wait for them does, by the template's rules for each."""

    def __init__(
        self,
        deployment: Deployment,
        emulator: Emulator,
        clock: Clock,
        invoke: Callable[[str, bytes], InvocationResult],
    ) -> None:
        self._rules = dict(_rules_of(deployment))
        self._emulator = emulator
        self._clock = clock
        self._invoke = invoke

    def run(self, function: str, event: bytes) -> None:
        """Run a function until it succeeds, at most as often as it may be; report what fails for good."""
        rules = self._rules.get(function, _Rules())
        for _ in range(1 + rules.retries):
            result = self._invoke(function, event)
            if result.error in {None, STOPPED}:
                return
        if rules.failure_queue is None:
            return
        note = {
            "version": "1.0",
            "timestamp": utc(self._clock.now_ms()).isoformat(),
            "requestContext": {
                "functionArn": function_arn(function),
                "condition": "RetriesExhausted",
                "approximateInvokeCount": 1 + rules.retries,
            },
            "requestPayload": json.loads(event),
            "responseContext": {"statusCode": 200, "functionError": result.error},
            "responsePayload": json.loads(result.payload),
        }
        queues = self._emulator.client("sqs")
        queues.send_message(QueueUrl=rules.failure_queue, MessageBody=json.dumps(note))


def _rules_of(deployment: Deployment) -> list[tuple[str, _Rules]]:
    found = []
    for resource in deployment.template.of_type(CONFIG_TYPE):
        told = deployment.resolver.properties(resource, "FunctionName", "MaximumRetryAttempts", "DestinationConfig")
        arn = told.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        where = f"{resource.logical_id}.DestinationConfig"
        queue = queue_url(arn, deployment, where) if arn else None
        retries = int(told.get("MaximumRetryAttempts", _DEFAULT_RETRIES))
        found.append((str(told["FunctionName"]), _Rules(retries, queue)))
    return found
