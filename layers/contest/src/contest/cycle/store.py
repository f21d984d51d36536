"""The cycle, its parameters, imports and announcements in the catalogue table; announcements as events on the bus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.storage import CatalogueItem
from contest.cycle.rules.cycle import (
    EXPERTS,
    Bundle,
    Cycle,
    Document,
    EssaySet,
    ExpertRules,
    Kit,
    KitList,
    LateJoin,
    Nomination,
    Package,
    Parameters,
    RunRules,
    SetKind,
    TechnicalTimes,
    Version,
)
from contest.cycle.rules.notices import Announced, Announcement, AnnouncementKind, AnnouncementState, both
from contest.cycle.rules.pages import read_page
from contest.cycle.rules.sets import WORKED_ON, Decided, Import, ImportKind, ImportOrder, ImportState, NewCycle
from contest.cycle.rules.stages import WorkingDays, read_stage
from contest.people.rules import Change
from contest.people.store import write_change
from contest.run.rules.run import Signatory
from contest.values import Upload, iso_or_none


class ImportItem(CatalogueItem):
    """An import as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoImports:
    """:class:`contest.cycle.ports.Imports` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = f"IMPORTS#{cycle}"

    def get(self, import_id: str) -> Import | None:
        return ImportItem.one(self._key, import_id, lambda item: _import(json.loads(item.body)))

    def listed(self) -> Sequence[Import]:
        return [_import(json.loads(item.body)) for item in ImportItem.query(self._key, consistent_read=True)]

    def unfinished(self) -> Sequence[Import]:
        return [the_import for the_import in self.listed() if the_import.state in WORKED_ON]

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        item = ImportItem(self._key, after.import_id, body=json.dumps(asdict(after)), version=after.version)
        absent = ImportItem.pk.does_not_exist()
        condition = absent if before is None else ImportItem.version == before.version

        def build(transaction: TransactWrite) -> None:
            transaction.save(item, condition=condition)

        write_change(change, build)


def _import(raw: dict[str, Any]) -> Import:
    raw_order = raw["order"]
    order = ImportOrder(
        **{
            **raw_order,
            "kind": ImportKind(raw_order["kind"]),
            "upload": Upload(**{**raw_order["upload"], "parts": tuple(raw_order["upload"]["parts"])}),
            "set_kind": SetKind(raw_order["set_kind"]) if raw_order["set_kind"] else None,
            "new_cycle": NewCycle(**new_cycle) if (new_cycle := raw_order.get("new_cycle")) else None,
        }
    )
    decided = Decided(**raw.get("decided", {}))
    return Import(**{**raw, "order": order, "state": ImportState(raw["state"]), "decided": decided})


class AnnouncementItem(CatalogueItem):
    """An announcement as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoAnnouncements:
    """:class:`contest.cycle.ports.Announcements` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = announcements_key(cycle)

    def get(self, announcement_id: str) -> Announcement | None:
        return AnnouncementItem.one(self._key, announcement_id, _announcement)

    def all(self) -> Sequence[Announcement]:
        return [_announcement(item) for item in AnnouncementItem.query(self._key, consistent_read=True)]

    def add(self, announcement: Announcement, change: Change | None) -> None:
        write_change(change, lambda transaction: put_announcement(transaction, self._key, None, announcement))

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            put_announcement(transaction, self._key, before, after)
            if new is not None:
                put_announcement(transaction, self._key, None, new)

        write_change(change, build)

    def told(self, announcement: Announcement) -> None:
        write_change(None, lambda transaction: put_announcement(transaction, self._key, announcement, announcement))


def announcements_key(cycle: str) -> str:
    """Return the partition key of a cycle's announcements."""
    return f"ANNOUNCEMENTS#{cycle}"


def put_announcement(transaction: TransactWrite, key: str, before: Announcement | None, after: Announcement) -> None:
    """Put an announcement in a transaction if the one there is still ``before``."""
    texts = {name: {"en": text.en, "ru": text.ru} for name, text in (("title", after.title), ("text", after.text))}
    body = json.dumps({**asdict(after), **texts}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    item = AnnouncementItem(key, after.announcement_id, body=body, version=after.version)
    absent, same = AnnouncementItem.pk.does_not_exist(), AnnouncementItem.version == (before.version if before else 0)
    transaction.save(item, condition=absent if before is None else same)


def _announcement(item: AnnouncementItem) -> Announcement:
    raw: dict[str, Any] = json.loads(item.body)
    texts = {name: both(raw[name]) for name in ("title", "text")}
    told_state = None if raw["told"] is None else AnnouncementState(raw["told"])
    states = {"kind": AnnouncementKind(raw["kind"]), "state": AnnouncementState(raw["state"]), "told": told_state}
    return Announcement(**{**raw, **texts, **states})


class CycleItem(CatalogueItem):
    """The cycle as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class ParametersItem(CatalogueItem):
    """One version of the parameters as JSON."""

    body = UnicodeAttribute()


class DynamoCatalogue:
    """:class:`contest.ports.Catalogue` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key, self._current = current_key(cycle)
        self._announcements = announcements_key(cycle)

    def cycle(self) -> Cycle | None:
        try:
            item = CycleItem.get(self._key, self._current, consistent_read=True)
        except DoesNotExist:
            return None
        return cycle_of(item)

    def parameters(self, version: int) -> Parameters:
        item = ParametersItem.get(self._key, _parameters_sk(version), consistent_read=True)
        return _parameters(json.loads(item.body))

    def publish(
        self, cycle: Cycle, parameters: Parameters | None, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        after = replace(cycle, version=cycle.version + 1)
        item = CycleItem(self._key, self._current, body=_json(asdict(after)), version=after.version)
        untouched = CycleItem.version == cycle.version if cycle.version else CycleItem.pk.does_not_exist()

        def build(transaction: TransactWrite) -> None:
            transaction.save(item, condition=untouched)
            if parameters is not None:
                new = ParametersItem(self._key, _parameters_sk(parameters.version), body=_json(asdict(parameters)))
                transaction.save(new, condition=ParametersItem.pk.does_not_exist())
            for before, now in announced:
                put_announcement(transaction, self._announcements, before, now)

        write_change(change, build)


def _parameters_sk(version: int) -> str:
    return f"PARAMETERS#{version:06d}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def current_key(cycle: str) -> tuple[str, str]:
    """Return the partition and sort key of a cycle as last written."""
    return f"CYCLE#{cycle}", "CURRENT"


def cycle_of(item: CycleItem) -> Cycle:
    """Read the domain's value from an item."""
    raw: dict[str, Any] = json.loads(item.body)
    languages = {name: tuple(groups) for name, groups in raw["languages"].items()}
    sets = tuple(EssaySet(**{**row, "kind": SetKind(row["kind"])}) for row in raw["sets"])
    known_clients = tuple(raw["known_clients"])
    read = {
        "languages": languages,
        "sets": sets,
        "known_clients": known_clients,
        **_dated(raw),
        "version": int(item.version),
    }
    return Cycle(**{**raw, **read})


def _dated(raw: dict[str, Any]) -> dict[str, Any]:
    """Return fields of a cycle, also of one stored before cycles had days."""
    days = {name: tuple(value) for name, value in raw.get("working_days", {}).items()}
    return {
        "stages": tuple(map(read_stage, raw.get("stages", ()))),
        "working_days": WorkingDays(**days),
        "protocols": None if raw.get("protocols") is None else tuple(map(Signatory, raw["protocols"])),
        "versions": tuple(Version(**row) for row in raw.get("versions", ())),
        "knowledge_base": tuple(Document(**stored) for stored in raw.get("knowledge_base", ())),
        "kits": tuple(_kit(row) for row in raw.get("kits", ())),
        "pages": tuple(map(read_page, raw.get("pages", ()))),
    }


def _kit(raw: dict[str, Any]) -> Kit:
    listed = raw["listed"]
    packages = tuple(Package(**row) for row in listed["packages"])
    bundles = tuple(Bundle(**{**row, "pythons": tuple(row["pythons"])}) for row in listed["bundles"])
    return Kit(**{**raw, "listed": KitList(**{**listed, "packages": packages, "bundles": bundles})})


def _parameters(raw: dict[str, Any]) -> Parameters:
    return Parameters(
        **{
            **raw,
            "time_limit_s": tuple(raw["time_limit_s"]),
            "technical": _rules(raw["technical"]),
            "technical_times": TechnicalTimes(**raw["technical_times"]),
            "final": _rules(raw["final"]),
            "experts": ExpertRules(**raw["experts"]) if "experts" in raw else EXPERTS,
            "nominations": tuple(
                Nomination(**{**row, "languages": tuple(row["languages"]), "groups": tuple(row["groups"])})
                for row in raw.get("nominations", ())
            ),
        }
    )


def _rules(raw: dict[str, Any]) -> RunRules:
    late = LateJoin(raw.get("late_join", LateJoin.REFUSED))
    return RunRules(**{**raw, "files": tuple(raw["files"]), "interval_s": tuple(raw["interval_s"]), "late_join": late})


DETAIL_TYPE: Final = "Announcement"


class AnnouncerError(RuntimeError):
    """The bus did not take an event; it is sent again in a minute."""


class EventBusAnnouncer:
    """:class:`contest.cycle.ports.Announcer`; an event's source names the cycle: ``hurdle.demo``."""

    def __init__(self, cycle: str) -> None:
        self._source = f"hurdle.{cycle}"

    def tell(self, announcement: Announcement) -> None:
        entry = {
            "Source": self._source,
            "DetailType": DETAIL_TYPE,
            "Detail": json.dumps(_detail(announcement), ensure_ascii=False),
        }
        answer: Any = aws.client("events").put_events(Entries=[entry])
        if answer.get("FailedEntryCount"):
            raise AnnouncerError(f"not taken: {answer['Entries'][0].get('ErrorCode')}")


def _detail(announcement: Announcement) -> dict[str, Any]:
    """Return the event for subscribers: at most some 60 KB of two texts, of the 256 KB that an event may have."""
    return {
        "announcement_id": announcement.announcement_id,
        "kind": announcement.kind.value,
        "state": announcement.state.value,
        "title": {"en": announcement.title.en, "ru": announcement.title.ru},
        "text": {"en": announcement.text.en, "ru": announcement.text.ru},
        "about": dict(announcement.about),
        "effective_at": iso_or_none(announcement.effective_at),
        "published_at": iso_or_none(announcement.published_at),
        "corrected_by": announcement.corrected_by,
        "reason": announcement.reason,
    }
