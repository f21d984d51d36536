"""Replays and reviews in the exchange table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ExchangeItem, condition
from contest.domain.experts.replay import Replay, Review
from contest.domain.people.teams import Change


class ReplayItem(ExchangeItem):
    """A replay or a review as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoReplays:
    """:class:`contest.ports.replays.Replays`."""

    def all(self, cycle: str) -> Sequence[Replay]:
        return [_replay(json.loads(each.body)) for each in ReplayItem.query(_cycle_key(cycle), consistent_read=True)]

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        try:
            return _replay(json.loads(ReplayItem.get(_cycle_key(cycle), run_id, consistent_read=True).body))
        except DoesNotExist:
            return None

    def put(self, replay: Replay, change: Change) -> None:
        item = _item(_cycle_key(replay.cycle), replay.run_id, replay)
        unchanged = _unchanged(replay.version)
        write_change(change, lambda transaction: transaction.save(item, condition=unchanged))

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        try:
            found = ReplayItem.get(_run_key(run_id), _review_key(number, person_id), consistent_read=True)
        except DoesNotExist:
            return None
        return Review(**json.loads(found.body))

    def reviews(self, run_id: str) -> Sequence[Review]:
        return [Review(**json.loads(each.body)) for each in ReplayItem.query(_run_key(run_id), consistent_read=True)]

    def save(self, review: Review) -> None:
        item = _item(_run_key(review.run_id), _review_key(review.round, review.person_id), review)
        with condition():
            item.save(condition=_unchanged(review.version))


def _item(pk: str, sk: str, value: Replay | Review) -> ReplayItem:
    body = json.dumps(asdict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return ReplayItem(pk, sk, body=body, version=value.version)


def _unchanged(version: int) -> Any:
    return ReplayItem.pk.does_not_exist() if version == 1 else ReplayItem.version == version - 1


def _cycle_key(cycle: str) -> str:
    return f"REPLAYS#{cycle}"


def _run_key(run_id: str) -> str:
    return f"REPLAY#{run_id}"


def _review_key(number: int, person_id: str) -> str:
    return f"{number:02d}#{person_id}"


def _replay(body: dict[str, Any]) -> Replay:
    pairs = {name: tuple((first, second) for first, second in body[name]) for name in ("systems", "people")}
    return Replay(**{**body, **pairs, "numbers": tuple(body["numbers"]), "opened": tuple(body["opened"])})
