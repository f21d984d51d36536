"""Sessions, counts of refused answers, and teams' requests in the exchange table.

Bodies that came as answers and made no send are counted in one item a session. Every count is a single write that
conflicts with no other. The counts are no part of a delivery, so no number of refusals delays an answer; they are in no
transaction, so they cancel none. The transaction that closes the session closes the item too: nothing is counted
afterwards. Of a team's requests one item is stored for each team.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple
from functools import reduce
from operator import and_
from typing import Any, Final

from pynamodb.attributes import (
    BinaryAttribute,
    BooleanAttribute,
    JSONAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.exceptions import PynamoDBException
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters.aws import ExchangeItem, atomic_writes, conditional_write, expiry
from contest.cycle.rules.cycle import Mode, SetKind
from contest.ports import LostRaceError
from contest.run.store import run_key, run_session_sk
from contest.session.rules.delivery import Bodies
from contest.session.rules.session import (
    Client,
    Counts,
    DayQuota,
    Key,
    Latest,
    Opened,
    Order,
    Plan,
    PlannedFile,
    Session,
    State,
    TeamRequests,
    Used,
    count_request,
    newest_names,
)
from contest.values import Millis, utc_day

BODIES: Final = "BODIES"
"""Sort key, under the session's partition; among the notes on files, see the query of their facts."""
REFUSED: Final = "refused_"
CODE: Final = "code_"
REPEATED: Final = "repeated_"


class BodiesItem(ExchangeItem):
    """The counts as the session's end writes them; the attributes are named by the files' numbers."""

    closed = BooleanAttribute(null=True)


def bodies_of(raw: Mapping[str, Any] | None) -> dict[int, Bodies]:
    """Read the counts of the domain from an item, by file."""
    attributes = raw or {}
    numbers = {int(name.rpartition("_")[2]) for name in attributes if name.startswith((REFUSED, REPEATED))}
    return {
        number: Bodies(
            refused=int(attributes.get(f"{REFUSED}{number}", {}).get("N", 0)),
            refused_code=attributes.get(f"{CODE}{number}", {}).get("S"),
            repeated=int(attributes.get(f"{REPEATED}{number}", {}).get("N", 0)),
        )
        for number in sorted(numbers)
    }


_DAY_S: Final = 86_400
_OPEN: Final = "SESSIONS#OPEN"
_UNREPORTED: Final = "SESSIONS#UNREPORTED"
STATE: Final = "STATE"
"""Sort key of a session, or of a run, under its own partition."""
OPENED: Final = "OPENED"
"""Sort key of the names of a team's sessions, under the team's partition."""


def session_key(session_id: str) -> str:
    """Return the partition key of a session."""
    return f"SESSION#{session_id}"


def team_key(team_id: str) -> str:
    """Return the partition key of a team."""
    return f"TEAM#{team_id}"


class SessionItem(ExchangeItem):
    """The session itself."""

    session_id = UnicodeAttribute()
    team_id = UnicodeAttribute()
    cycle = UnicodeAttribute()
    track = UnicodeAttribute()
    mode = UnicodeAttribute()
    set_name = UnicodeAttribute()
    set_kind = UnicodeAttribute()
    manifest = UnicodeAttribute()
    language = UnicodeAttribute()
    requested_files = NumberAttribute()
    files = NumberAttribute()
    available = NumberAttribute()
    time_limit_s = NumberAttribute()
    client: Any = JSONAttribute(null=True)
    parameters_version = NumberAttribute()
    opened_at = NumberAttribute()
    quota_day = UnicodeAttribute()
    run_id = UnicodeAttribute(null=True)
    state = UnicodeAttribute()
    closed_at = NumberAttribute(null=True)
    rescored = UnicodeAttribute(null=True)
    counts: Any = JSONAttribute(null=True)
    choices: Any = JSONAttribute(null=True)
    interval_s = NumberAttribute(null=True)
    version = NumberAttribute()


class PlanItem(ExchangeItem):
    """The session's files: JSON rows of file name, item, language, group, packed by zlib: 5 000 of them are 150 kB
    then, and an item of the table has room for 400."""

    files = BinaryAttribute(legacy_encoding=False)


class OpenedItem(ExchangeItem):
    """The names of a team's sessions, each behind the moment of its opening."""

    names = UnicodeSetAttribute()


class PointerItem(ExchangeItem):
    """A name of a session under another key."""

    session_id = UnicodeAttribute()


def _named(item: PointerItem) -> str:
    return str(item.session_id)


class UnreportedItem(ExchangeItem):
    """A closed session whose report is due, or whose answers were put to work so often since."""

    session_id = UnicodeAttribute()
    again = NumberAttribute(null=True)


class KeyItem(ExchangeItem):
    """The use of a team's idempotency key; ``receipt`` is the sort key of an answer's receipt."""

    asked_sha256 = UnicodeAttribute()
    session_id = UnicodeAttribute()
    receipt = UnicodeAttribute(null=True)
    expires_at = NumberAttribute()


class ExpiringPointerItem(ExchangeItem):
    """A name of a session that may vanish."""

    session_id = UnicodeAttribute()
    expires_at = NumberAttribute()


class QuotaItem(ExchangeItem):
    """Number of sessions that a team has opened on a day."""

    used = NumberAttribute()
    expires_at = NumberAttribute()


class DynamoSessions:
    """:class:`contest.ports.Sessions`."""

    def get(self, session_id: str) -> Session | None:
        return SessionItem.one(session_key(session_id), STATE, session_of)

    def plan(self, session_id: str) -> Plan:
        item = PlanItem.get(session_key(session_id), "PLAN", consistent_read=True)
        return tuple(PlannedFile(*row) for row in json.loads(zlib.decompress(item.files)))

    def used(self, team_id: str, key_sha256: str) -> Used | None:
        return KeyItem.one(team_key(team_id), retry_sk(key_sha256), used_of)

    def open_of(self, team_id: str, mode: str) -> str | None:
        return PointerItem.one(team_key(team_id), open_sk(mode), _named)

    def opened_on(self, team_id: str, quota_name: str, day: str) -> int:
        return QuotaItem.one(team_key(team_id), f"QUOTA#{quota_name}#{day}", lambda item: int(item.used)) or 0

    def open(self, session: Session, plan: Plan, key: Key | None, quota: DayQuota) -> None:
        team, name = team_key(session.team_id), session.session_id
        counted = QuotaItem(team, f"QUOTA#{quota.name}#{session.quota_day}")
        room = QuotaItem.used.does_not_exist() | (QuotaItem.used < quota.most)
        count = [QuotaItem.used.add(1), QuotaItem.expires_at.set(expiry(session.opened_at, 3 * _DAY_S))]
        # A session's own file that begins with its item's first step is stored without a step.
        rows = [astuple(planned) if planned.step else astuple(planned)[:4] for planned in plan]
        files = zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode())
        with atomic_writes() as transaction:
            _save_new(transaction, session, key)
            transaction.save(PlanItem(session_key(name), "PLAN", files=files), condition=PlanItem.pk.does_not_exist())
            transaction.update(counted, actions=list(count), condition=room)

    def join(self, session: Session, key: Key | None) -> None:
        team, name, run_id = session.team_id, session.session_id, str(session.run_id)
        with atomic_writes() as transaction:
            _save_new(transaction, session, key)
            transaction.save(PointerItem(run_key(run_id), run_session_sk(team, name), session_id=name))
            if session.order.mode == Mode.FINAL:
                once = PointerItem(team_key(team), participation_sk(run_id), session_id=name)
                transaction.save(once, condition=PointerItem.pk.does_not_exist())

    def participation(self, team_id: str, run_id: str) -> str | None:
        return PointerItem.one(team_key(team_id), participation_sk(run_id), _named)

    def close(self, before: Session, after: Session) -> None:
        name, closed_at = before.session_id, after.closed_at or 0
        lock = PointerItem(team_key(before.team_id), open_sk(before.order.mode))
        day = ExpiringPointerItem(
            f"CLOSED#{utc_day(closed_at)}",
            f"{closed_at:013d}#{name}",
            session_id=name,
            expires_at=expiry(closed_at, 400 * _DAY_S),
        )
        with atomic_writes() as transaction:
            transaction.save(_item(after), condition=SessionItem.version == before.version)
            ours = PointerItem.pk.does_not_exist() | (PointerItem.session_id == name)
            transaction.delete(lock, condition=ours)
            transaction.delete(PointerItem(_OPEN, name))
            transaction.save(UnreportedItem(_UNREPORTED, name, session_id=name))
            transaction.save(day)
            transaction.update(BodiesItem(session_key(name), BODIES), actions=[BodiesItem.closed.set(True)])

    def rescore(self, before: Session, after: Session) -> None:
        with conditional_write():
            _item(after).save(condition=SessionItem.version == before.version)

    def note_counts(self, closed: Session) -> None:
        counts = asdict(closed.counts) if closed.counts else None
        SessionItem(session_key(closed.session_id), STATE).update(actions=[SessionItem.counts.set(counts)])

    def of_team(self, team_id: str, limit: int, before: Millis | None) -> Sequence[str]:
        return newest_names(OpenedItem.one(team_key(team_id), OPENED, opened_of) or (), limit, before)

    def open_ids(self) -> Sequence[str]:
        return [pointer.session_id for pointer in PointerItem.query(_OPEN, consistent_read=True)]

    def unreported_ids(self) -> Sequence[str]:
        return [item.session_id for item in UnreportedItem.query(_UNREPORTED, consistent_read=True)]

    def unreported_since(self, session_id: str) -> int:
        return UnreportedItem.one(_UNREPORTED, session_id, lambda item: int(item.again or 0)) or 0

    def mark_reported(self, session_id: str, since: int) -> None:
        unchanged = UnreportedItem.again == since if since else UnreportedItem.again.does_not_exist()
        try:
            with conditional_write():
                UnreportedItem(_UNREPORTED, session_id).delete(condition=unchanged)
        except LostRaceError:
            return

    def closed_on(self, day: str) -> Sequence[str]:
        return [pointer.session_id for pointer in ExpiringPointerItem.query(f"CLOSED#{day}", consistent_read=True)]


def unreported_again(session_id: str) -> tuple[UnreportedItem, list[Action]]:
    """Return the item that names a session among the unreported ones, and the update that puts it there once more."""
    actions: list[Action] = [UnreportedItem.session_id.set(session_id), UnreportedItem.again.add(1)]
    return UnreportedItem(_UNREPORTED, session_id), actions


def _save_new(transaction: TransactWrite, session: Session, key: Key | None) -> None:
    """Add the writes of every opening."""
    team, name = team_key(session.team_id), session.session_id
    transaction.save(_item(session), condition=SessionItem.pk.does_not_exist())
    lock = PointerItem(team, open_sk(session.order.mode), session_id=name)
    transaction.save(lock, condition=PointerItem.pk.does_not_exist())
    opened = OpenedItem.names.add({f"{session.opened_at:013d}#{name}"})
    transaction.update(OpenedItem(team, OPENED), actions=[opened])
    transaction.save(PointerItem(_OPEN, name, session_id=name))
    if key is not None:
        save_key(transaction, session, key, None, expiry(session.opened_at, 2 * _DAY_S))


def save_key(transaction: TransactWrite, session: Session, key: Key, receipt: str | None, until: int) -> None:
    """Add the write of a key's use, which must be new."""
    item = KeyItem(
        team_key(session.team_id),
        retry_sk(key.key_sha256),
        asked_sha256=key.asked_sha256,
        session_id=session.session_id,
        receipt=receipt,
        expires_at=until,
    )
    transaction.save(item, condition=KeyItem.pk.does_not_exist())


def retry_sk(key_sha256: str) -> str:
    """Return the sort key of an idempotency key, under its team's partition."""
    return f"RETRY#{key_sha256}"


def open_sk(mode: str) -> str:
    """Return the sort key of a team's open session of a mode, under the team's partition."""
    return f"OPEN#{mode}"


def participation_sk(run_id: str) -> str:
    """Return the sort key of a team's session in a final, under the team's partition."""
    return f"RUN#{run_id}"


def opened_of(item: OpenedItem) -> tuple[Opened, ...]:
    """Read a team's sessions from an item, newest first."""
    moments = (name.split("#") for name in sorted(item.names, reverse=True))
    return tuple(Opened(int(moment), session_id) for moment, session_id in moments)


def used_of(item: KeyItem) -> Used:
    """Read the domain's value from an item."""
    return Used(item.asked_sha256, item.session_id, item.receipt)


def _item(session: Session) -> SessionItem:
    order = session.order
    return SessionItem(
        session_key(session.session_id),
        STATE,
        session_id=session.session_id,
        team_id=session.team_id,
        cycle=session.cycle,
        track=session.track,
        mode=order.mode,
        set_name=order.set_name,
        set_kind=session.set_kind.value,
        manifest=session.manifest,
        language=order.language,
        requested_files=order.files,
        files=session.files,
        available=session.available,
        time_limit_s=order.time_limit_s,
        client=asdict(order.client) if order.client else None,
        parameters_version=session.parameters_version,
        opened_at=session.opened_at,
        quota_day=session.quota_day,
        run_id=session.run_id,
        state=session.state.value,
        closed_at=session.closed_at,
        rescored=session.rescored or None,
        counts=asdict(session.counts) if session.counts else None,
        choices=dict(order.choices) or None,
        interval_s=order.interval_s,
        version=session.version,
    )


def session_of(item: SessionItem) -> Session:
    """Read the domain's value from an item."""
    order = Order(
        mode=item.mode,
        set_name=item.set_name,
        files=int(item.requested_files),
        language=item.language,
        time_limit_s=int(item.time_limit_s),
        client=Client(**item.client) if item.client else None,
        choices={name: int(value) for name, value in (item.choices or {}).items()},
        interval_s=int(item.interval_s) if item.interval_s is not None else None,
    )
    return Session(
        session_id=item.session_id,
        team_id=item.team_id,
        cycle=item.cycle,
        track=item.track,
        order=order,
        set_kind=SetKind(item.set_kind),
        manifest=item.manifest,
        files=int(item.files),
        available=int(item.available),
        parameters_version=int(item.parameters_version),
        opened_at=int(item.opened_at),
        quota_day=item.quota_day,
        run_id=item.run_id,
        state=State(item.state),
        closed_at=int(item.closed_at) if item.closed_at is not None else None,
        rescored=item.rescored or "",
        counts=Counts(**item.counts) if item.counts else None,
        version=int(item.version),
    )


SEEN = "SEEN"
"""Sort key, under the team's partition."""
_USED = "USED#"
"""Prefix of a token's id in the sort key, under its team's partition."""
_RATE_KEPT_S = 60
_SHARED: Final = tuple(mode.value for mode in Mode)


class SeenItem(ExchangeItem):
    """Requests of a team in the latest second and the one before; the latest request about its session of each mode."""

    second = NumberAttribute()
    requests = NumberAttribute(attr_name="made")
    requests_before = NumberAttribute(attr_name="made_before")
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
    """Number of requests that a person has made in a second."""

    requests = NumberAttribute(null=True, attr_name="made")
    expires_at = NumberAttribute(null=True)


class UseItem(ExchangeItem):
    """Time of the latest use of a team's token."""

    used_at = NumberAttribute()


class DynamoRequests:
    """:class:`contest.ports.Requests`."""

    def of_team(self, team_id: str) -> TeamRequests | None:
        return SeenItem.one(team_key(team_id), SEEN, requests_of)

    def note(
        self,
        team_id: str,
        before: TeamRequests | None,
        at: Millis,
        *,
        second: int | None = None,
        session: Session | None = None,
        until: Millis = 0,
    ) -> int:
        earlier, heard = before or TeamRequests(), list[Action]()
        actions, conditions = _counting(earlier, second) if second is not None else ([], [])
        if session is not None and earlier.is_later(session, at):
            heard, later = _hearing(earlier, session, at, until)
            actions, conditions = [*actions, *heard], [*conditions, later]
        if not actions:
            return 1
        if before is None:
            first = [getattr(SeenItem, name) for name in ("second", "requests", "requests_before")]
            counts = count_request(None, second) if second is not None else TeamRequests()
            values = (counts.second, counts.count, counts.count_before)
            actions = [*(attribute.set(value) for attribute, value in zip(first, values, strict=True)), *heard]
            conditions = [SeenItem.pk.does_not_exist()]
        item = SeenItem(team_key(team_id), SEEN)
        with conditional_write():
            item.update(actions=actions, condition=reduce(and_, conditions))
        return int({item.second: item.requests, item.second - 1: item.requests_before}.get(second or 0, 1))

    def of_person(self, person_id: str, second: int) -> int:
        """Count the request in an item that is of use for a second and vanishes."""
        item = RateItem(f"PERSON#{person_id}", f"RATE#{second}")
        item.update(actions=[RateItem.requests.add(1), RateItem.expires_at.set(second + _RATE_KEPT_S)])
        return int(item.requests)

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        with suppress(PynamoDBException):
            UseItem(team_key(team_id), f"{_USED}{token_id}", used_at=at).save()

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        items = UseItem.query(team_key(team_id), UseItem.sk.startswith(_USED), consistent_read=True)
        return {item.sk.removeprefix(_USED): int(item.used_at) for item in items}


def _counting(earlier: TeamRequests, second: int) -> tuple[list[Action], list[Condition]]:
    """Return the update that counts another request of a second, and its condition: no request is counted twice."""
    same: list[Condition] = [SeenItem.second == earlier.second]
    if second > earlier.second:
        carried = SeenItem.requests if second == earlier.second + 1 else 0
        return [SeenItem.second.set(second), SeenItem.requests.set(1), SeenItem.requests_before.set(carried)], same
    if second == earlier.second:
        return [SeenItem.requests.add(1)], same
    if second == earlier.second - 1:
        return [SeenItem.requests_before.add(1)], same
    return [], []


def _hearing(earlier: TeamRequests, session: Session, at: Millis, until: Millis) -> tuple[list[Action], Condition]:
    """Return the update that notes a request about a session, and its condition: no later one is noted.

    Modes that all contests share have attributes of their own, so that no two requests wait for one another; the others
    stand together, and the second writer decides anew.
    """
    mode = session.order.mode
    if mode not in _SHARED:
        before = {name: list(astuple(latest)) for name, latest in earlier.latest.items() if name not in _SHARED}
        after = {**before, mode: [session.session_id, at, until]}
        unchanged = SeenItem.others == _json(before) if before else SeenItem.others.does_not_exist()
        return [SeenItem.others.set(_json(after))], unchanged
    name: Any = getattr(SeenItem, f"{mode}_session")
    moment: Any = getattr(SeenItem, f"{mode}_at")
    worked_until: Any = getattr(SeenItem, f"{mode}_until")
    later = moment.does_not_exist() | (name != session.session_id) | (moment < at)
    return [name.set(session.session_id), moment.set(at), worked_until.set(until)], later


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True)


def requests_of(item: SeenItem) -> TeamRequests:
    """Read the domain's value from an item."""
    latest = {}
    for mode in _SHARED:
        name, at, until = (getattr(item, f"{mode}_{field}") for field in ("session", "at", "until"))
        if name is not None:
            latest[mode] = Latest(name, int(at), int(until))
    latest |= {mode: Latest(*fields) for mode, fields in json.loads(item.others or "{}").items()}
    return TeamRequests(int(item.second), int(item.requests), int(item.requests_before), latest)
