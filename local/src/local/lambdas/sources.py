"""Event source mappings as the template describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from local.aws.template import TemplateError
from markup_core.said import Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.aws.resources import Deployment
    from local.aws.template import Resource

MAPPING_TYPE = "AWS::Lambda::EventSourceMapping"
FOREVER = -1
_DEFAULT_BATCH = {"sqs": 10, "dynamodb": 100}


@dataclass(frozen=True)
class EventSource:
    """One mapping: which function gets the events of which queue or stream, and how.

    `source` is the queue's or table's name, `arn` the queue's or stream's ARN. `max_retries` may be FOREVER.
    `failure_queue` is the URL of the queue that hears of a stream's batches that were given up.
    """

    name: str
    function: str
    kind: str
    source: str
    arn: str
    batch_size: int
    reports_failures: bool
    patterns: tuple[Mapping[str, Any], ...] = ()
    bisect: bool = False
    max_retries: int = FOREVER
    failure_queue: str | None = None


def event_sources(deployment: Deployment) -> tuple[EventSource, ...]:
    """Return the enabled mappings of the template."""
    return tuple(
        _event_source(resource, deployment)
        for resource in deployment.template.of_type(MAPPING_TYPE)
        if deployment.resolver.properties(resource, "Enabled").get("Enabled", True)
    )


def _event_source(resource: Resource, deployment: Deployment) -> EventSource:
    where = resource.logical_id
    told = deployment.resolver.properties(
        resource,
        "EventSourceArn",
        "FunctionName",
        "BatchSize",
        "FunctionResponseTypes",
        "FilterCriteria",
        "BisectBatchOnFunctionError",
        "MaximumRetryAttempts",
        "DestinationConfig",
    )
    arn = told["EventSourceArn"]
    kind = arn.split(":")[2]
    if kind not in _DEFAULT_BATCH:
        raise TemplateError(
            Said(
                f"{where}: events of {kind} are not known here, only those of sqs and dynamodb",
                f"{where}: события {kind} здесь неизвестны, только события sqs и dynamodb",
            )
        )
    function = told["FunctionName"]
    if ":" in function:
        function = deployment.function_of(function, f"{where}.FunctionName")
    filters = told.get("FilterCriteria", {}).get("Filters", [])
    if filters and kind == "sqs":
        raise TemplateError(
            Said(
                f"{where}: filters are known here for streams only",
                f"{where}: фильтры здесь известны только для потоков",
            )
        )
    failure_arn = told.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    return EventSource(
        name=where,
        function=function,
        kind=kind,
        source=arn.split(":")[5] if kind == "sqs" else arn.split("/")[1],
        arn=arn,
        batch_size=int(told.get("BatchSize", _DEFAULT_BATCH[kind])),
        reports_failures="ReportBatchItemFailures" in told.get("FunctionResponseTypes", []),
        patterns=tuple(json.loads(item["Pattern"]) for item in filters),
        bisect=bool(told.get("BisectBatchOnFunctionError", False)),
        max_retries=int(told.get("MaximumRetryAttempts", FOREVER)),
        failure_queue=queue_url(failure_arn, deployment, where) if failure_arn else None,
    )


def queue_url(arn: str, deployment: Deployment, where: str) -> str:
    """Return the URL of the queue that an ARN means. TemplateError for one of no queue of the template."""
    for resource in deployment.template.of_type("AWS::SQS::Queue"):
        if deployment.attributes(resource.logical_id)["Arn"] == arn:
            return deployment.ref(resource.logical_id)
    raise TemplateError(
        Said(
            f"{where}: the failure destination {arn} is no queue of this template",
            f"{where}: получатель ошибок {arn} — не очередь этого шаблона",
        )
    )
