"""A person's change and its audit-log entry are written together or not at all (platform §1)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from botocore.client import BaseClient

from contest.adapters import aws
from contest.people.teams import add_team, issue_token, revoke_token
from contest.platform import signature_of
from contest.results import boards, publishing, settling
from contest.run import watching
from contest.run.rules.fate import propose
from contest.run.rules.run import Kind, Run
from contest.values import canonical
from tests.racing import DeathError
from tests.stage import Stage
from tests.stage_kept import Setting
from tests.stage_services import TABLES
from tests.toys import toy_cycle

pytestmark = pytest.mark.integration

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
ANNA = "anna"


@contextmanager
def dying(completed: int, *, after: bool) -> Iterator[None]:
    """Let a process complete so many writes to tables and die at the next one, before or after it is done."""
    call, remaining = BaseClient._make_api_call, [None] * completed  # type: ignore[attr-defined]  # its one door

    def deadly(client: Any, operation: str, arguments: Any) -> Any:
        if operation in WRITES and not remaining:
            if after:
                call(client, operation, arguments)
            raise DeathError
        if operation in WRITES:
            remaining.pop()
        return call(client, operation, arguments)

    with patch.object(BaseClient, "_make_api_call", deadly):
        yield


STAGE = Setting(play=lambda stage: stage.load(toy_cycle(final=3, reserve=2)))


def over(stage: Stage) -> Run:
    """Return a final with its record and board and without any participant."""
    run = stage.plan()
    closed = replace(run, closed_at=stage.now, version=run.version + 1)
    stage.platform.runs.close(run, closed)
    boards.make(stage.platform, closed)
    settling.begin_recomputation(stage.platform, closed)
    assert stage.recompute() == []
    return closed


def load(stage: Stage) -> Callable[[], object]:
    return lambda: stage.load(toy_cycle(train=1, sends_per_file=3))


def admit(stage: Stage) -> Callable[[], object]:
    return lambda: add_team(stage.platform, ANNA, "red", "Red")


def issue(stage: Stage) -> Callable[[], object]:
    stage.team("red")
    return lambda: issue_token(stage.platform, ANNA, "red")


def revoke(stage: Stage) -> Callable[[], object]:
    stage.team("red")
    (token,) = stage.platform.people.tokens_of("red")
    return lambda: revoke_token(stage.platform, ANNA, "red", token.token_id)


def plan(stage: Stage) -> Callable[[], object]:
    return stage.plan


def amend(stage: Stage) -> Callable[[], object]:
    run = stage.plan()
    return lambda: stage.decide(run, Kind.VOID, numbers=(1,))


def dismiss(stage: Stage) -> Callable[[], object]:
    run = stage.plan()
    proposal = propose(None, {1, 2, 3}, 2, stage.now)
    assert proposal is not None
    stage.platform.runs.propose(run.run_id, proposal, None)
    return lambda: watching.dismiss(stage.platform, ANNA, run.run_id, "a hard text")


def publish(stage: Stage) -> Callable[[], object]:
    run = over(stage)
    return lambda: publishing.publish(stage.platform, ANNA, run.run_id)


def hide(stage: Stage) -> Callable[[], object]:
    run = over(stage)
    publishing.publish(stage.platform, ANNA, run.run_id)
    return lambda: publishing.hide(stage.platform, ANNA, run.run_id)


def stored(stage: Stage) -> tuple[dict[str, str], int]:
    """Return all stored items except audit-log entries, and the number of these entries."""
    items: dict[str, str] = {}
    entries = 0
    for table in TABLES.values():
        for row in aws.client("dynamodb").scan(TableName=table, ConsistentRead=True)["Items"]:
            if row["pk"]["S"].startswith("AUDIT#"):
                entries += 1
            else:
                items[f"{table} {row['pk']['S']} {row['sk']['S']}"] = json.dumps(row, sort_keys=True)
    return items, entries


@pytest.mark.parametrize("after", [False, True], ids=["before it", "after it"])
@pytest.mark.parametrize("prepare", [load, admit, issue, revoke, plan, amend, dismiss, publish, hide])
def test_platform_1_whoever_dies_at_a_change_leaves_it_with_its_entry_or_neither(
    stage: Stage, prepare: Callable[[Stage], Callable[[], object]], after: bool
) -> None:
    signature_of(stage.platform, canonical({"said": "the key is stored once, and nobody changes anything by that"}))
    change = prepare(stage)
    items, entries = stored(stage)
    with dying(0, after=after), pytest.raises(DeathError):
        change()
    if not after:
        assert stored(stage) == (items, entries)
        stage.restart()
        with dying(1, after=False):
            change()  # a change of state by a person is one write, with its entry in it
    changed, entries_after = stored(stage)
    assert changed != items
    assert entries_after == entries + 1
