"""When timers came last, in the exchange table."""

from __future__ import annotations

from pynamodb.attributes import NumberAttribute
from pynamodb.exceptions import DoesNotExist

from contest.adapters.dynamo import ExchangeItem
from contest.domain.moments import Millis

_KEY = "TIMERS"


class TimerItem(ExchangeItem):
    """When a timer came last."""

    at = NumberAttribute()


class DynamoTimers:
    """:class:`contest.ports.timers.Timers`."""

    def came(self, name: str, at: Millis) -> None:
        """See the port."""
        TimerItem(_KEY, name, at=at).save()

    def last(self, name: str) -> Millis | None:
        """See the port."""
        try:
            return int(TimerItem.get(_KEY, name, consistent_read=True).at)
        except DoesNotExist:
            return None
