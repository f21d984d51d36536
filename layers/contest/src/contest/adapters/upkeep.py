"""Ticks of the timers and mendings in the exchange's table."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ExchangeItem, condition, expiry
from contest.domain.moments import DAY, SECOND, Millis
from contest.domain.people.teams import Change
from contest.ports import LostRaceError

_TICKS: Final = "TICKS"
_MENDINGS: Final = "MENDINGS"
_KEPT_S: Final = 400 * DAY // SECOND


class TickItem(ExchangeItem):
    """When a timer ticked last."""

    at = NumberAttribute()


class MendingItem(ExchangeItem):
    """What somebody let the platform mend, as JSON."""

    body = UnicodeAttribute()
    expires_at = NumberAttribute()


class DynamoUpkeep:
    """:class:`contest.ports.operations.Upkeep`."""

    def tick(self, timer: str, at: Millis) -> None:
        try:
            with condition():
                TickItem(_TICKS, timer, at=at).save(condition=TickItem.pk.does_not_exist() | (TickItem.at < at))
        except LostRaceError:
            return

    def ticks(self) -> Mapping[str, Millis]:
        return {each.sk: int(each.at) for each in TickItem.query(_TICKS, consistent_read=True)}

    def note_mending(self, change: Change) -> None:
        body = json.dumps(asdict(change), ensure_ascii=False)
        name = f"{change.at:013d}#{secrets.token_hex(8)}"
        item = MendingItem(_MENDINGS, name, body=body, expires_at=expiry(change.at, _KEPT_S))

        def build(transaction: TransactWrite) -> None:
            transaction.save(item, condition=MendingItem.pk.does_not_exist())

        write_change(change, build)
