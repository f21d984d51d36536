"""Imports in the catalogue table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import CatalogueItem
from contest.domain.cycle.cycle import SetKind
from contest.domain.cycle.importing import WORKED_ON, Import, ImportKind, ImportOrder, ImportState
from contest.domain.people.teams import Change
from contest.domain.uploads import Upload


class ImportItem(CatalogueItem):
    """An import as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoImports:
    """:class:`contest.ports.imports.Imports` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = f"IMPORTS#{cycle}"

    def get(self, import_id: str) -> Import | None:
        try:
            return _import(json.loads(ImportItem.get(self._key, import_id, consistent_read=True).body))
        except DoesNotExist:
            return None

    def listed(self) -> Sequence[Import]:
        return [_import(json.loads(each.body)) for each in ImportItem.query(self._key, consistent_read=True)]

    def unfinished(self) -> Sequence[Import]:
        return [each for each in self.listed() if each.state in WORKED_ON]

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        item = ImportItem(self._key, after.import_id, body=json.dumps(asdict(after)), version=after.version)
        absent = ImportItem.pk.does_not_exist()
        condition = absent if before is None else ImportItem.version == before.version

        def build(transaction: TransactWrite) -> None:
            transaction.save(item, condition=condition)

        write_change(change, build)


def _import(raw: dict[str, Any]) -> Import:
    said = raw["order"]
    order = ImportOrder(
        **{
            **said,
            "kind": ImportKind(said["kind"]),
            "upload": Upload(**{**said["upload"], "parts": tuple(said["upload"]["parts"])}),
            "set_kind": SetKind(said["set_kind"]) if said["set_kind"] else None,
        }
    )
    return Import(**{**raw, "order": order, "state": ImportState(raw["state"])})
