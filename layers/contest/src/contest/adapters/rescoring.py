"""Rescorings in the scores table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ScoresItem
from contest.adapters.runs import put_run
from contest.domain.people.teams import Change
from contest.domain.results.rescoring import Decided, Rescoring, Selection
from contest.domain.run.run import Run

_ALL: Final = "RESCORINGS"


class RescoringItem(ScoresItem):
    """A rescoring as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoRescorings:
    """:class:`contest.ports.rescoring.Rescorings`."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        item = _item(rescoring)
        write_change(change, lambda transaction: transaction.save(item, condition=RescoringItem.pk.does_not_exist()))

    def get(self, rescoring_id: str) -> Rescoring | None:
        try:
            return _rescoring(json.loads(RescoringItem.get(_ALL, rescoring_id, consistent_read=True).body))
        except DoesNotExist:
            return None

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        def build(transaction: TransactWrite) -> None:
            transaction.save(_item(after), condition=RescoringItem.version == before.version)
            if run is not None:
                put_run(transaction, *run)

        write_change(change, build)

    def all(self) -> Sequence[Rescoring]:
        found = [_rescoring(json.loads(each.body)) for each in RescoringItem.query(_ALL, consistent_read=True)]
        return sorted(found, key=lambda each: (each.begun_at, each.rescoring_id), reverse=True)


def _item(rescoring: Rescoring) -> RescoringItem:
    body = json.dumps(asdict(rescoring), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return RescoringItem(_ALL, rescoring.rescoring_id, body=body, version=rescoring.version)


def _rescoring(raw: dict[str, Any]) -> Rescoring:
    selection = Selection(**{**raw["selection"], "sessions": tuple(raw["selection"]["sessions"])})
    known = {**raw, "selection": selection, "sessions": tuple(raw["sessions"]), "state": Decided(raw["state"])}
    return Rescoring(**{**known, "boards": tuple(raw["boards"])})
