"""Runs, their release records and pointers, and the keys of statements, in the exchange table; scheduled scaling.

Application Auto Scaling changes how many executions of a function's alias are kept running, at given moments.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final, cast

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import ExchangeItem, Versioned, atomic_writes, conditional_write
from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.notices import Announcement
from contest.cycle.store import announcements_key, put_announcement
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.ports import LostRaceError
from contest.run.rules.commitment import Algorithm, PublicKey, UsedKey
from contest.run.rules.fate import Watch
from contest.run.rules.run import Action, Run
from contest.run.rules.schedule import Proposal, Release
from contest.values import Millis, from_iso, iso

_ACTIVE: Final = "RUNS#ACTIVE"
_UNSETTLED: Final = "RUNS#UNSETTLED"
_SESSION: Final = "SESSION#"
_WATCH: Final = "WATCH"
_KEYS: Final = "KEYS"


def run_key(run_id: str) -> str:
    """Return the partition key of a run."""
    return f"RUN#{run_id}"


def run_session_sk(team_id: str, session_id: str) -> str:
    """Return the sort key of a session in a run's partition."""
    return f"{_SESSION}{team_id}#{session_id}"


class RunItem(Versioned, ExchangeItem):
    """A run."""


class RunPointerItem(ExchangeItem):
    """A name of a run under another key."""

    run_id = UnicodeAttribute()


class UnsettledItem(ExchangeItem):
    """A name of a closed run whose results are to be made, of the version that calls for them."""

    run_id = UnicodeAttribute()
    version = NumberAttribute()


class ReleaseItem(ExchangeItem):
    """A release record."""

    number = NumberAttribute()
    planned_at = NumberAttribute()
    opens_at = NumberAttribute()
    armed_at = NumberAttribute()
    armed_by = UnicodeAttribute()
    file_id = UnicodeAttribute()
    content_sha256 = UnicodeAttribute()
    version = NumberAttribute()


class ProposalItem(ExchangeItem):
    """A proposal as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class WatchItem(ExchangeItem):
    """The timer's facts about a run's files: JSON with a letter a file by session, packed by zlib.

    Of two hundred sessions of five hundred files it is some 20 kB; an item of the table has room for 400.
    """

    letters = BinaryAttribute(legacy_encoding=False)
    version = NumberAttribute()


class DynamoRuns:
    """:class:`contest.results.ports.Runs`."""

    def get(self, run_id: str, earlier: Run | None = None) -> Run | None:
        def read(item: RunItem) -> Run:
            return earlier if earlier is not None and earlier.version == item.version else item.value(Run)

        return RunItem.one(run_key(run_id), "STATE", read)

    def add(self, run: Run, change: Change | None, announced: Announcement | None = None) -> None:
        by_start = RunPointerItem(f"RUNS#{run.mode.value}", f"{run.starts_at:013d}#{run.run_id}", run_id=run.run_id)
        with logged_writes(change) as transaction:
            transaction.save(_item(run), condition=RunItem.pk.does_not_exist())
            transaction.save(RunPointerItem(_ACTIVE, run.run_id, run_id=run.run_id))
            transaction.save(by_start)
            if announced is not None:
                put_announcement(transaction, announcements_key(run.cycle), None, announced)

    def change(self, before: Run, after: Run, change: Change) -> None:
        with logged_writes(change) as transaction:
            put_run(transaction, before, after)

    def close(self, before: Run, after: Run) -> None:
        with atomic_writes() as transaction:
            transaction.save(_item(after), condition=RunItem.version == before.version)
            transaction.delete(RunPointerItem(_ACTIVE, before.run_id))
            transaction.save(_unsettled(after))

    def settled(self, run: Run) -> None:
        try:
            with conditional_write():
                _unsettled(run).delete(condition=UnsettledItem.version == run.version)
        except LostRaceError:
            return

    def unsettled_ids(self) -> Sequence[str]:
        return [item.run_id for item in UnsettledItem.query(_UNSETTLED, consistent_read=True)]

    def active_ids(self) -> Sequence[str]:
        return [item.run_id for item in RunPointerItem.query(_ACTIVE, consistent_read=True)]

    def of_mode(self, mode: Mode, limit: int, before: Millis | None = None) -> Sequence[str]:
        earlier = RunPointerItem.sk < f"{before:013d}" if before is not None else None
        items = RunPointerItem.query(
            f"RUNS#{mode.value}", earlier, consistent_read=True, scan_index_forward=False, limit=limit
        )
        return [item.run_id for item in items]

    def sessions_of(self, run_id: str) -> Sequence[tuple[str, str]]:
        items = ExchangeItem.query(run_key(run_id), ExchangeItem.sk.startswith(_SESSION), consistent_read=True)
        names = (item.sk.removeprefix(_SESSION).rpartition("#") for item in items)
        return [(team_id, session_id) for team_id, _, session_id in names]

    def release(self, run_id: str, number: int) -> Release | None:
        return ReleaseItem.find(run_key(run_id), release_sk(number), Release)

    def releases(self, run_id: str, first: int = 1) -> Sequence[Release]:
        from_first = ReleaseItem.sk.between(release_sk(first), "RELEASE#~")
        items = ReleaseItem.query(run_key(run_id), from_first, consistent_read=True)
        return [item.value(Release) for item in items]

    def arm(self, run_id: str, release: Release, before: Release | None) -> None:
        item = ReleaseItem(run_key(run_id), release_sk(release.number), **asdict(release))
        unchanged = ReleaseItem.version == before.version if before else ReleaseItem.pk.does_not_exist()
        with conditional_write():
            item.save(condition=unchanged)

    def propose(self, run_id: str, proposal: Proposal, change: Change | None) -> None:
        body = json.dumps(dict(proposal.body), ensure_ascii=False, separators=(",", ":"))
        item = ProposalItem(run_key(run_id), "PROPOSAL#mass_failure", body=body, version=proposal.version)
        first = proposal.version == 1
        unchanged = ProposalItem.pk.does_not_exist() if first else ProposalItem.version == proposal.version - 1
        save_logged(change, item, unchanged)

    def proposal(self, run_id: str) -> Proposal | None:
        def read(item: ProposalItem) -> Proposal:
            return Proposal(json.loads(item.body), int(item.version))

        return ProposalItem.one(run_key(run_id), "PROPOSAL#mass_failure", read)

    def watch(self, run_id: str) -> Watch:
        def read(item: WatchItem) -> Watch:
            return Watch(json.loads(zlib.decompress(item.letters)), int(item.version))

        return WatchItem.one(run_key(run_id), _WATCH, read) or Watch()

    def keep_watch(self, run_id: str, watch: Watch) -> None:
        letters = zlib.compress(json.dumps(dict(watch.letters)).encode())
        item = WatchItem(run_key(run_id), _WATCH, letters=letters, version=watch.version)
        first = WatchItem.pk.does_not_exist()
        with conditional_write():
            item.save(condition=first if watch.version == 1 else WatchItem.version == watch.version - 1)


def put_run(transaction: TransactWrite, before: Run, after: Run) -> None:
    """Write a changed run with others if it is still as ``before``; a closed one is unsettled from then on."""
    transaction.save(_item(after), condition=RunItem.version == before.version)
    if after.closed_at is not None:
        transaction.save(_unsettled(after))


def _unsettled(run: Run) -> UnsettledItem:
    return UnsettledItem(_UNSETTLED, run.run_id, run_id=run.run_id, version=run.version)


def release_sk(number: int) -> str:
    """Return the sort key of a release record."""
    return f"RELEASE#{number:04d}"


def _item(run: Run) -> RunItem:
    return RunItem.of(run_key(run.run_id), "STATE", run)


class SigningKeyItem(ExchangeItem):
    """A public key, in base64, and when it first signed."""

    algorithm = UnicodeAttribute()
    content = UnicodeAttribute()
    at = NumberAttribute()


class DynamoSigningKeys:
    """:class:`contest.ports.SigningKeys`."""

    def note(self, key: PublicKey, at: Millis) -> None:
        try:
            SigningKeyItem.get(_KEYS, key.key_id)
        except DoesNotExist:
            content = base64.b64encode(key.content).decode("ascii")
            item = SigningKeyItem(_KEYS, key.key_id, algorithm=key.algorithm, content=content, at=at)
            with suppress(LostRaceError), conditional_write():
                item.save(condition=SigningKeyItem.pk.does_not_exist())

    def used(self) -> Sequence[UsedKey]:
        return [
            UsedKey(PublicKey(item.sk, cast(Algorithm, item.algorithm), base64.b64decode(item.content)), int(item.at))
            for item in SigningKeyItem.query(_KEYS, consistent_read=True)
        ]


_OF_LAMBDA: Final = {"ServiceNamespace": "lambda", "ScalableDimension": "lambda:function:ProvisionedConcurrency"}
_AT: Final = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_SECONDS: Final = len("2027-01-01T00:00:00")
_OURS: Final = re.compile(r"hurdle-\d+")
"""An operator's own actions have other names and are left alone."""


class ScheduledScaling:
    """:class:`contest.results.ports.Arming`; ``aliases``: by function, its name with its alias, ``name:alias``."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._resources = {name: f"function:{alias}" for name, alias in aliases.items()}
        self._functions = {resource: name for name, resource in self._resources.items()}

    def kept(self) -> Mapping[str, int]:
        targets = _pages("describe_scalable_targets", "ScalableTargets", ResourceIds=list(self._functions))
        return {self._functions[target["ResourceId"]]: int(target["MinCapacity"]) for target in targets}

    def planned(self) -> Sequence[Action]:
        actions = []
        for scheduled in _pages("describe_scheduled_actions", "ScheduledActions"):
            function, at = self._functions.get(scheduled["ResourceId"]), _AT.fullmatch(scheduled["Schedule"])
            if function is not None and at is not None and _OURS.fullmatch(scheduled["ScheduledActionName"]):
                capacity = int(scheduled["ScalableTargetAction"]["MinCapacity"])
                actions.append(Action(from_iso(f"{at[1]}.000Z"), function, capacity))
        return actions

    def put(self, action: Action) -> None:
        _autoscaling().put_scheduled_action(
            **_OF_LAMBDA,
            ResourceId=self._resources[action.function],
            ScheduledActionName=action.name,
            Schedule=f"at({iso(action.at)[:_SECONDS]})",
            ScalableTargetAction={"MinCapacity": action.executions, "MaxCapacity": action.executions},
        )

    def remove(self, action: Action) -> None:
        client = _autoscaling()
        try:
            client.delete_scheduled_action(
                **_OF_LAMBDA, ResourceId=self._resources[action.function], ScheduledActionName=action.name
            )
        except client.exceptions.ObjectNotFoundException:
            return


def _autoscaling() -> Any:
    return aws.client("application-autoscaling")


def _pages(operation: str, part: str, **choices: Any) -> Iterator[Mapping[str, Any]]:
    for page in _autoscaling().get_paginator(operation).paginate(**_OF_LAMBDA, **choices):
        yield from page[part]
