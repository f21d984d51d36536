"""Boards' states and histories in the scores table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ScoresItem
from contest.domain.moments import Millis
from contest.domain.people.teams import Change
from contest.domain.results.board_state import BoardState, Placed, Point, Visibility

_HEAD: Final = "HEAD"
"""Beside the points, which moment the latest is of: whoever adds one does it on this condition."""


class StateItem(ScoresItem):
    """A board's state as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class PointItem(ScoresItem):
    """A point of a history, or its head, which has no body."""

    body = UnicodeAttribute(null=True)
    at = NumberAttribute()


class DynamoBoards:
    """:class:`contest.ports.boards.Boards`."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        try:
            body = json.loads(StateItem.get(f"BOARDS#{cycle}", board, consistent_read=True).body)
        except DoesNotExist:
            return None
        return BoardState(**{**body, "visibility": Visibility(body["visibility"])})

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"))
        item = StateItem(f"BOARDS#{cycle}", after.board, body=body, version=after.version)
        untouched = StateItem.pk.does_not_exist() if before is None else StateItem.version == before.version
        write_change(change, lambda transaction: transaction.save(item, condition=untouched))

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        under = PointItem.sk.startswith("AT#")
        found = PointItem.query(_history_key(cycle, board, scope), under, consistent_read=True)
        return [_point(int(each.at), json.loads(each.body)) for each in found]

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: Millis | None
    ) -> None:
        key = _history_key(cycle, board, scope)
        body = json.dumps([[each.team_id, each.place, each.value] for each in after.places], separators=(",", ":"))
        latest = PointItem.pk.does_not_exist() if before is None else PointItem.at == before.at

        def build(transaction: TransactWrite) -> None:
            transaction.save(PointItem(key, _HEAD, at=after.at), condition=latest)
            transaction.save(PointItem(key, _point_sk(after.at), at=after.at, body=body))
            if dropped is not None:
                transaction.delete(PointItem(key, _point_sk(dropped)))

        write_change(None, build)


def _history_key(cycle: str, board: str, scope: str) -> str:
    return f"PLACES#{cycle}#{board}#{scope}"


def _point_sk(at: Millis) -> str:
    return f"AT#{at:015d}"


def _point(at: Millis, body: list[tuple[str, int, float | None]]) -> Point:
    return Point(at, tuple(Placed(*each) for each in body))
