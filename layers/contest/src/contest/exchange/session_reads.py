"""Reads of several items of a session at once: a batch by names, a query over all facts of its files."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from contest.adapters import aws
from contest.adapters.dynamo import CatalogueItem, ExchangeItem
from contest.channel.rules import Attachment
from contest.channel.store import ATTACHMENT, AttachmentItem, attachment_of
from contest.cycle.store import CycleItem, current_key, cycle_of
from contest.exchange.store import SEEN, SeenItem, file_sk, notes_of, requests_of
from contest.ports import FileNotes, Found, Held, SessionFacts, Wanted
from contest.results.store import AdmissionItem, admission_of, admissions_key
from contest.run.store import ReleaseItem, RunItem, release_of, release_sk, run_key, run_of
from contest.session.rules.session import Session, TeamRequests
from contest.session.store import (
    BODIES,
    OPENED,
    STATE,
    KeyItem,
    OpenedItem,
    SessionItem,
    bodies_of,
    open_sk,
    opened_of,
    participation_sk,
    retry_sk,
    session_key,
    session_of,
    team_key,
    used_of,
)

_ATTEMPTS: Final = 6
_AT_ONCE: Final = 100
"""Items of one BatchGetItem at most (Amazon DynamoDB API Reference, BatchGetItem)."""

Raw = dict[str, Any]
Key = tuple[str, str]
Name = TypeVar("Name", bound=Hashable)


class DynamoSessionReads:
    """:class:`contest.ports.SessionReads` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._cycle = current_key(cycle)

    def read(self, needs: Wanted) -> Found:
        team, session = team_key(needs.team_id), session_key(needs.session_id)
        numbers = needs.numbers if needs.session_id else ()
        files: dict[int, Key] = {number: (session, file_sk(number)) for number in numbers}
        exchange: set[Key] = {(team, SEEN), *files.values()}
        if needs.session_id:
            exchange.add((session, STATE))
        if needs.reads_bodies:
            exchange.add((session, BODIES))
        key = run = release = None
        if needs.key_sha256 is not None:
            key = (team, retry_sk(needs.key_sha256))
        if needs.run_id is not None and (needs.reads_run or needs.release):
            partition = run_key(needs.run_id)
            run = (partition, STATE) if needs.reads_run else None
            release = (partition, release_sk(needs.release)) if needs.release else None
        exchange |= {item_key for item_key in (key, run, release) if item_key is not None}
        guessed: dict[str, Key] = {}
        if needs.lists:
            exchange.add((team, OPENED))
            guessed = {name: (session_key(name), STATE) for name in needs.guessed}
            exchange.update(guessed.values())
        catalogue = {self._cycle} if needs.cycle else set()
        raw = _batch({ExchangeItem.Meta.table_name: exchange, CatalogueItem.Meta.table_name: catalogue})
        noted = notes_of({number: raw[file_key] for number, file_key in files.items() if file_key in raw})
        return Found(
            needs=needs,
            requests=_converted(raw.get((team, SEEN)), SeenItem, requests_of),
            session=_converted(raw.get((session, STATE)), SessionItem, session_of),
            deliveries=noted.deliveries,
            first_requests=noted.first_requests,
            bodies=bodies_of(raw.get((session, BODIES))),
            used=_converted(raw.get(key), KeyItem, used_of),
            run=_converted(raw.get(run), RunItem, run_of),
            release=_converted(raw.get(release), ReleaseItem, release_of),
            cycle=_converted(raw.get(self._cycle), CycleItem, cycle_of),
            opened=_converted(raw.get((team, OPENED)), OpenedItem, opened_of) or () if needs.lists else (),
            guessed={
                name: session_of(SessionItem.from_raw_data(raw[key])) for name, key in guessed.items() if key in raw
            },
        )

    def held(self, team_id: str, cycle: str, mode: str, run_id: str | None) -> Held:
        team = team_key(team_id)
        keys = {"open": (team, open_sk(mode)), "admission": (admissions_key(cycle), team_id)}
        if run_id is not None:
            keys["run"] = (team, participation_sk(run_id))
        raw = _many(keys)
        sessions = {name: str(raw[name]["session_id"]["S"]) for name in ("open", "run") if name in raw}
        admission = _converted(raw.get("admission"), AdmissionItem, admission_of)
        return Held(sessions.get("open"), sessions.get("run"), admission)

    def facts(self, session_id: str) -> SessionFacts:
        """Read all notes about files: their sort keys stand together, from ``BODIES`` to ``FILE#``."""
        by_number: dict[int, Raw] = {}
        attachment, counted = None, {}
        for raw in _noted(session_id, BODIES, "FILE#~"):
            kind, _, rest = raw["sk"]["S"].partition("#")
            if kind == "FILE":
                by_number[int(rest)] = raw
            elif kind == BODIES:
                counted = bodies_of(raw)
            elif kind == ATTACHMENT:
                attachment = attachment_of(AttachmentItem.from_raw_data(raw))
        noted = notes_of(by_number)
        return SessionFacts(tuple(noted.deliveries.values()), noted.first_requests, noted.arrived, attachment, counted)

    def sessions(self, session_ids: Iterable[str]) -> Mapping[str, Session]:
        keys = {session_id: (session_key(session_id), STATE) for session_id in session_ids}
        return {name: session_of(SessionItem.from_raw_data(raw)) for name, raw in _many(keys).items()}

    def requests(self, team_ids: Iterable[str]) -> Mapping[str, TeamRequests]:
        keys = {team_id: (team_key(team_id), SEEN) for team_id in team_ids}
        return {name: requests_of(SeenItem.from_raw_data(raw)) for name, raw in _many(keys).items()}

    def files(self, numbers: Mapping[str, Collection[int]]) -> Mapping[str, FileNotes]:
        keys = {(name, number): (session_key(name), file_sk(number)) for name in numbers for number in numbers[name]}
        by_session: dict[str, dict[int, Raw]] = {name: {} for name in numbers}
        for (name, number), raw in _many(keys).items():
            by_session[name][number] = raw
        return {name: notes_of(by_number) for name, by_number in by_session.items()}

    def attachments(self, session_ids: Iterable[str]) -> Mapping[str, Attachment]:
        keys = {session_id: (session_key(session_id), ATTACHMENT) for session_id in session_ids}
        return {name: attachment_of(AttachmentItem.from_raw_data(raw)) for name, raw in _many(keys).items()}


def _many(keys: Mapping[Name, Key]) -> dict[Name, Raw]:
    """Read items of the exchange by their keys, and return those that there are; :data:`_AT_ONCE` in one call."""
    item_keys = list(keys.values())
    parts = (set(item_keys[start : start + _AT_ONCE]) for start in range(0, len(item_keys), _AT_ONCE))
    raw: dict[Key | None, Raw] = {}
    for part in parts:
        raw |= _batch({ExchangeItem.Meta.table_name: part})
    return {name: raw[key] for name, key in keys.items() if key in raw}


def _converted(raw: Any, model: Any, convert: Any) -> Any:
    return convert(model.from_raw_data(raw)) if raw is not None else None


def _batch(keys: Mapping[str, set[Key]]) -> dict[Key | None, Raw]:
    """Read items by their keys, each as last written; keys that a throttled table leaves out are requested again."""
    pending: Any = {
        table: {"Keys": [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in sorted(names)], "ConsistentRead": True}
        for table, names in keys.items()
        if names
    }
    by_key: dict[Key | None, Raw] = {}
    for attempt in range(_ATTEMPTS):
        if attempt:
            aws.pause(attempt)
        answered = aws.client("dynamodb").batch_get_item(RequestItems=pending)
        for items in answered["Responses"].values():
            by_key.update({(item["pk"]["S"], item["sk"]["S"]): item for item in items})
        pending = answered.get("UnprocessedKeys")
        if not pending:
            return by_key
    raise TimeoutError(f"{sum(len(table['Keys']) for table in pending.values())} items were put off {_ATTEMPTS} times")


def _noted(session_id: str, first: str, last: str) -> Iterator[Raw]:
    """Read the items of a session from one sort key to another."""
    pages = (
        aws.client("dynamodb")
        .get_paginator("query")
        .paginate(
            TableName=ExchangeItem.Meta.table_name,
            KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":pk": {"S": session_key(session_id)},
                ":first": {"S": first},
                ":last": {"S": last},
            },
            ConsistentRead=True,
        )
    )
    for page in pages:
        yield from page["Items"]
