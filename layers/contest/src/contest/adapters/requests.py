"""What is kept of teams' requests, one item for each team in the exchange table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist, PynamoDBException
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from contest.adapters.dynamo import ExchangeItem, condition
from contest.adapters.sessions import team_key
from contest.domain.cycle.cycle import Mode
from contest.domain.moments import Millis
from contest.domain.session.requests import Latest, TeamRequests, counted, heard_of
from contest.domain.session.session import Session
from contest.ports.requests import Noted

SEEN = "SEEN"
"""Sort key, under the team's partition."""
_USED = "USED#"
"""Before a token's id in the sort key, under its team's partition."""
_RATE_KEPT_S = 60
_SHARED: Final = tuple(each.value for each in Mode)


class SeenItem(ExchangeItem):
    """Requests of a team in the latest second and the one before; the latest request about its session of each mode."""

    second = NumberAttribute()
    made = NumberAttribute()
    made_before = NumberAttribute()
    algorithmic_session = UnicodeAttribute(null=True)
    algorithmic_at = NumberAttribute(null=True)
    algorithmic_until = NumberAttribute(null=True)
    technical_session = UnicodeAttribute(null=True)
    technical_at = NumberAttribute(null=True)
    technical_until = NumberAttribute(null=True)
    final_session = UnicodeAttribute(null=True)
    final_at = NumberAttribute(null=True)
    final_until = NumberAttribute(null=True)
    others = UnicodeAttribute(null=True)
    """JSON of the same for modes that only some contests have: session, moment and end by the mode's name."""


class RateItem(ExchangeItem):
    """How many requests a person has made in a second."""

    made = NumberAttribute(null=True)
    expires_at = NumberAttribute(null=True)


class UseItem(ExchangeItem):
    """When a team's token was used last."""

    used_at = NumberAttribute()


class DynamoRequests:
    """:class:`contest.ports.requests.Requests`."""

    def of_team(self, team_id: str) -> TeamRequests | None:
        try:
            return requests_of(SeenItem.get(team_key(team_id), SEEN, consistent_read=True))
        except DoesNotExist:
            return None

    def note(self, team_id: str, before: TeamRequests | None, noted: Noted) -> TeamRequests:
        known = before or TeamRequests()
        actions, conditions = _counting(known, noted.second) if noted.second is not None else ([], [])
        if noted.session is not None and heard_of(known, noted.session, noted.at, noted.until) != known:
            heard, later = _hearing(known, noted.session, noted)
            actions, conditions = [*actions, *heard], [*conditions, later]
        if not actions:
            return known
        if before is None:
            first = [getattr(SeenItem, each) for each in ("second", "made", "made_before")]
            counts = counted(None, noted.second) if noted.second is not None else TeamRequests()
            values = (counts.second, counts.made, counts.made_before)
            heard = _hearing(known, noted.session, noted)[0] if noted.session is not None else []
            actions = [*(each.set(value) for each, value in zip(first, values, strict=True)), *heard]
            conditions = [SeenItem.pk.does_not_exist()]
        item = SeenItem(team_key(team_id), SEEN)
        with condition():
            item.update(actions=actions, condition=_all(conditions))
        return requests_of(item)

    def of_person(self, person_id: str, second: int) -> int:
        """See the port. The item is of use for a second and vanishes."""
        item = RateItem(f"PERSON#{person_id}", f"RATE#{second}")
        item.update(actions=[RateItem.made.add(1), RateItem.expires_at.set(second + _RATE_KEPT_S)])
        return int(item.made)

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        with suppress(PynamoDBException):
            UseItem(team_key(team_id), f"{_USED}{token_id}", used_at=at).save()

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        found = UseItem.query(team_key(team_id), UseItem.sk.startswith(_USED), consistent_read=True)
        return {each.sk.removeprefix(_USED): int(each.used_at) for each in found}


def _counting(known: TeamRequests, second: int) -> tuple[list[Action], list[Condition]]:
    """How another request of a second is written, and on which condition: none of them counts anything twice."""
    same: list[Condition] = [SeenItem.second == known.second]
    if second > known.second:
        carried = SeenItem.made if second == known.second + 1 else 0
        return [SeenItem.second.set(second), SeenItem.made.set(1), SeenItem.made_before.set(carried)], same
    if second == known.second:
        return [SeenItem.made.add(1)], same
    if second == known.second - 1:
        return [SeenItem.made_before.add(1)], same
    return [], []


def _hearing(known: TeamRequests, session: Session, noted: Noted) -> tuple[list[Action], Condition]:
    """How it is written that a session was heard of, and on which condition: nothing later was.

    Modes that all contests share have attributes of their own, so that no two requests wait for one another; the others
    stand together, and whoever comes second decides anew.
    """
    mode = session.order.mode
    if mode not in _SHARED:
        before = _others(known)
        told = {**before, mode: [session.session_id, noted.at, noted.until]}
        unchanged = SeenItem.others == _json(before) if before else SeenItem.others.does_not_exist()
        return [SeenItem.others.set(_json(told))], unchanged
    name: Any = getattr(SeenItem, f"{mode}_session")
    moment: Any = getattr(SeenItem, f"{mode}_at")
    until: Any = getattr(SeenItem, f"{mode}_until")
    later = moment.does_not_exist() | (name != session.session_id) | (moment < noted.at)
    return [name.set(session.session_id), moment.set(noted.at), until.set(noted.until)], later


def _others(known: TeamRequests) -> dict[str, list[Any]]:
    return {mode: list(astuple(each)) for mode, each in known.latest.items() if mode not in _SHARED}


def _json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, sort_keys=True)


def _all(conditions: list[Condition]) -> Condition | None:
    found: Condition | None = None
    for each in conditions:
        found = each if found is None else found & each
    return found


def requests_of(item: SeenItem) -> TeamRequests:
    """The domain's value."""
    latest = {}
    for mode in _SHARED:
        name, at, until = (getattr(item, f"{mode}_{each}") for each in ("session", "at", "until"))
        if name is not None:
            latest[mode] = Latest(name, int(at), int(until))
    latest |= {mode: Latest(*told) for mode, told in json.loads(item.others or "{}").items()}
    return TeamRequests(int(item.second), int(item.made), int(item.made_before), latest)
