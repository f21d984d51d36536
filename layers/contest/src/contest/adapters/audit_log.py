"""The log of people's changes in the catalogue table, each entry written with the change it tells of."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import cycle
from typing import Final

from pynamodb.attributes import UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters.dynamo import CatalogueItem, write
from contest.domain.moments import utc_day, utc_days
from contest.domain.people.teams import Change

_MOMENT: Final = 13
"""Digits of a moment in an entry's name."""
_NUMBERS: Final = cycle(range(16**6))
"""Of two entries of one millisecond, such as a run's stop and the plan of its successor, the earlier is named first."""


class ChangeItem(CatalogueItem):
    """One entry of the audit log as JSON."""

    body = UnicodeAttribute()


class DynamoAuditLog:
    """:class:`contest.ports.AuditLog`."""

    def on(self, day: str) -> Sequence[Change]:
        found = ChangeItem.query(f"AUDIT#{day}", consistent_read=True)
        return [Change(**json.loads(each.body)) for each in found]

    def between(self, first: str, last: str, after: str | None) -> Iterator[tuple[str, Change]]:
        begins = first if after is None else max(first, utc_day(int(after[:_MOMENT])))
        later = None if after is None else ChangeItem.sk > after.replace("-", "#")
        for day in utc_days(begins, last):
            for each in ChangeItem.query(f"AUDIT#{day}", later, consistent_read=True):
                yield each.sk.replace("#", "-"), Change(**json.loads(each.body))


def write_change(change: Change | None, build: Callable[[TransactWrite], None]) -> None:
    """Commit a transaction and the entry about it: both or neither. None: a timer's, which is nobody.

    Clause: platform §1 audit
    """
    entries = [] if change is None else [_entry(change)]

    def build_both(transaction: TransactWrite) -> None:
        build(transaction)
        for entry in entries:
            transaction.save(entry, condition=ChangeItem.pk.does_not_exist())

    write(build_both)


def _entry(change: Change) -> ChangeItem:
    body = json.dumps(asdict(change), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return ChangeItem(
        f"AUDIT#{utc_day(change.at)}", f"{change.at:013d}#{next(_NUMBERS):06x}{secrets.token_hex(5)}", body=body
    )
