"""Submissions in the exchange table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ExchangeItem, expiry
from contest.domain.cycle.cycle import SetKind
from contest.domain.people.teams import Change
from contest.domain.session.requests import Key
from contest.domain.submissions.running import FailureCause
from contest.domain.submissions.submission import (
    Declaration,
    Lane,
    Order,
    Program,
    Submission,
    SubmissionKind,
    SubmissionState,
)
from contest.domain.uploads import Upload

_STATE = "STATE"
_LANE = "LANE"
_UNFINISHED = "SUBMISSIONS#UNFINISHED"
_KEY_LIVES_S = 7 * 86_400
PRIVATE = "#private"
"""Whose keys those of private runs are: they are begun by organizers, for no team."""


class SubmissionItem(ExchangeItem):
    """A submission as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class NamedItem(ExchangeItem):
    """A submission's name under another key."""

    submission_id = UnicodeAttribute()


class LaneItem(ExchangeItem):
    """Which of a team's submissions is under way; empty: none."""

    submission_id = UnicodeAttribute()
    version = NumberAttribute()


class UsedKeyItem(ExchangeItem):
    """What a team has used an idempotency key for."""

    asked_sha256 = UnicodeAttribute()
    submission_id = UnicodeAttribute()
    expires_at = NumberAttribute()


class DynamoSubmissions:
    """:class:`contest.ports.submissions.Submissions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._all = f"SUBMISSIONS#{cycle}"

    def get(self, submission_id: str) -> Submission | None:
        try:
            return _submission(SubmissionItem.get(_key(submission_id), _STATE, consistent_read=True).body)
        except DoesNotExist:
            return None

    def of_team(self, team_id: str) -> Sequence[Submission]:
        return self._named(_team(team_id), "NAME#")

    def listed(self) -> Sequence[Submission]:
        return self._named(self._all, "NAME#")

    def unfinished(self) -> Sequence[str]:
        return [each.submission_id for each in NamedItem.query(_UNFINISHED, consistent_read=True)]

    def begun_with(self, team_id: str, key_sha256: str) -> tuple[str, str] | None:
        try:
            found = UsedKeyItem.get(_team(team_id), f"KEY#{key_sha256}", consistent_read=True)
        except DoesNotExist:
            return None
        return found.asked_sha256, found.submission_id

    def lane(self, team_id: str) -> Lane:
        try:
            found = LaneItem.get(_team(team_id), _LANE, consistent_read=True)
        except DoesNotExist:
            return Lane()
        return Lane(found.submission_id, int(found.version))

    def add(self, made: Submission, key: Key | None) -> None:
        name = made.submission_id

        def build(transaction: TransactWrite) -> None:
            transaction.save(_item(made), condition=SubmissionItem.pk.does_not_exist())
            for partition in (_team(made.team_id), self._all):
                transaction.save(NamedItem(partition, f"NAME#{name}", submission_id=name))
            transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if key is not None:
                item = UsedKeyItem(
                    _team(PRIVATE if made.of else made.team_id),
                    f"KEY#{key.key_sha256}",
                    expires_at=expiry(made.created_at, _KEY_LIVES_S),
                    asked_sha256=key.asked_sha256,
                    submission_id=name,
                )
                transaction.save(item, condition=UsedKeyItem.pk.does_not_exist())

        write_change(None, build)

    def change(
        self, before: Submission, after: Submission, lane: Lane | None = None, change: Change | None = None
    ) -> None:
        name = after.submission_id

        def build(transaction: TransactWrite) -> None:
            transaction.save(_item(after), condition=SubmissionItem.version == before.version)
            if after.is_final:
                transaction.delete(NamedItem(_UNFINISHED, name, submission_id=name))
            elif before.is_final:
                transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if lane is not None:
                taken = name if after.is_under_way else ""
                item = LaneItem(_team(after.team_id), _LANE, submission_id=taken, version=lane.version + 1)
                unchanged = LaneItem.version == lane.version if lane.version else LaneItem.pk.does_not_exist()
                transaction.save(item, condition=unchanged)

        write_change(change, build)

    def _named(self, partition: str, prefix: str) -> Sequence[Submission]:
        named = NamedItem.query(partition, NamedItem.sk.startswith(prefix), consistent_read=True)
        names = [each.submission_id for each in named]
        found = SubmissionItem.batch_get([(_key(each), _STATE) for each in names], consistent_read=True)
        return [_submission(each.body) for each in found]


def _key(submission_id: str) -> str:
    return f"SUBMISSION#{submission_id}"


def _team(team_id: str) -> str:
    return f"TEAM#{team_id}#SUBMISSIONS"


def _item(of: Submission) -> SubmissionItem:
    body = json.dumps(asdict(of), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return SubmissionItem(_key(of.submission_id), _STATE, body=body, version=of.version)


def _submission(body: str) -> Submission:
    raw: dict[str, Any] = json.loads(body)
    said = raw["order"]
    order = Order(
        kind=SubmissionKind(said["kind"]),
        upload=Upload(**{**said["upload"], "parts": tuple(said["upload"]["parts"])}),
        set_name=said["set_name"],
        set_kind=SetKind(said["set_kind"]),
        manifest=said["manifest"],
        groups=tuple(said["groups"]),
    )
    return Submission(
        **{
            **raw,
            "order": order,
            "state": SubmissionState(raw["state"]),
            "cause": FailureCause(raw["cause"]) if raw["cause"] else None,
            "program": Program(**raw["program"]) if raw["program"] else None,
            "declaration": Declaration(**raw["declaration"]) if raw["declaration"] else None,
        }
    )
