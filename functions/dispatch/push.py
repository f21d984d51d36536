"""Pushes over the event channel, each at its second."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contest.channel.pushing import push_files
from contest.channel.rules import Push, PushKind
from contest.edge.guards import consume, job_from, log
from contest.wiring import platform, preload

preload()
log()  # its library is loaded before the first message comes


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Send the pushes of the queue's messages, the earliest due first; only failed messages are delivered again."""
    by_due_time = sorted(event["Records"], key=lambda record: _push(record["body"]).at)
    return consume(by_due_time, lambda body: push_files(platform(), _push(body)), context)


def _push(body: str) -> Push:
    push = job_from(body, Push)
    return replace(push, kind=PushKind(push.kind))
