"""Scheduled actions of Application Auto Scaling on the aliases of the functions that may be kept running."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from contest.adapters import aws
from contest.run.rules.arming import Action
from contest.values import from_iso, iso

_OF_LAMBDA: Final = {"ServiceNamespace": "lambda", "ScalableDimension": "lambda:function:ProvisionedConcurrency"}
_AT: Final = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_SECONDS: Final = len("2027-01-01T00:00:00")
_OURS: Final = re.compile(r"hurdle-\d+")
"""An operator's own actions have other names and are left alone."""


class ScheduledScaling:
    """:class:`contest.run.ports.Arming`; ``aliases``: by function, its name with its alias, ``name:alias``."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._resources = {name: f"function:{alias}" for name, alias in aliases.items()}
        self._functions = {resource: name for name, resource in self._resources.items()}

    def kept(self) -> Mapping[str, int]:
        targets = _all("describe_scalable_targets", "ScalableTargets", ResourceIds=list(self._functions))
        return {self._functions[target["ResourceId"]]: int(target["MinCapacity"]) for target in targets}

    def planned(self) -> Sequence[Action]:
        actions = []
        for scheduled in _all("describe_scheduled_actions", "ScheduledActions"):
            function, at = self._functions.get(scheduled["ResourceId"]), _AT.fullmatch(scheduled["Schedule"])
            if function is not None and at is not None and _OURS.fullmatch(scheduled["ScheduledActionName"]):
                capacity = int(scheduled["ScalableTargetAction"]["MinCapacity"])
                actions.append(Action(from_iso(f"{at[1]}.000Z"), function, capacity))
        return actions

    def put(self, action: Action) -> None:
        _client().put_scheduled_action(
            **_OF_LAMBDA,
            ResourceId=self._resources[action.function],
            ScheduledActionName=action.name,
            Schedule=f"at({iso(action.at)[:_SECONDS]})",
            ScalableTargetAction={"MinCapacity": action.executions, "MaxCapacity": action.executions},
        )

    def remove(self, action: Action) -> None:
        client = _client()
        try:
            client.delete_scheduled_action(
                **_OF_LAMBDA, ResourceId=self._resources[action.function], ScheduledActionName=action.name
            )
        except client.exceptions.ObjectNotFoundException:
            return


def _client() -> Any:
    return aws.client("application-autoscaling")


def _all(operation: str, part: str, **choices: Any) -> Iterator[Mapping[str, Any]]:
    for page in _client().get_paginator(operation).paginate(**_OF_LAMBDA, **choices):
        yield from page[part]
