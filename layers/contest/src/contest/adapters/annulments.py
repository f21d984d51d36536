"""Annulments in the catalogue table, which everybody reads whom they concern."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import CatalogueItem
from contest.domain.people.teams import Change
from contest.domain.results.annulment import Annulled, Annulment


class AnnulmentItem(CatalogueItem):
    """An annulment as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoAnnulments:
    """:class:`contest.ports.annulments.Annulments`."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        found = AnnulmentItem.query(_key(cycle), consistent_read=True)
        bodies = (json.loads(each.body) for each in found)
        return [Annulment(**{**body, "of": Annulled(body["of"])}) for body in bodies]

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"))
        item = AnnulmentItem(_key(cycle), "#".join(after.key), body=body, version=after.version)
        untouched = AnnulmentItem.pk.does_not_exist() if before is None else AnnulmentItem.version == before.version
        write_change(change, lambda transaction: transaction.save(item, condition=untouched))


def _key(cycle: str) -> str:
    return f"ANNULMENTS#{cycle}"
