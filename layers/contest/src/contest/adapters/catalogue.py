"""The cycle and its parameters in the catalogue table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.announcements import announcements_key, put_announcement
from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import CatalogueItem
from contest.domain.cycle.announcements import Announced
from contest.domain.cycle.cycle import (
    EXPERTS,
    Cycle,
    Document,
    EssaySet,
    ExpertRules,
    LateJoin,
    Nomination,
    Parameters,
    RunRules,
    SetKind,
    TechnicalTimes,
    Version,
)
from contest.domain.cycle.kit import Bundle, Kit, KitList, Package
from contest.domain.cycle.stages import Stage, StageName
from contest.domain.cycle.working_days import WorkingDays
from contest.domain.people.teams import Change
from contest.domain.run.protocols import Signatory


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
    """Partition and sort key of a cycle as last written."""
    return f"CYCLE#{cycle}", "CURRENT"


def cycle_of(item: CycleItem) -> Cycle:
    """The domain's value."""
    raw: dict[str, Any] = json.loads(item.body)
    languages = {name: tuple(groups) for name, groups in raw["languages"].items()}
    sets = tuple(EssaySet(**{**each, "kind": SetKind(each["kind"])}) for each in raw["sets"])
    known = tuple(raw["known_clients"])
    read = {"languages": languages, "sets": sets, "known_clients": known, **_dated(raw), "version": int(item.version)}
    return Cycle(**{**raw, **read})


def _dated(raw: dict[str, Any]) -> dict[str, Any]:
    """What a cycle that was stored before there were days in it says nothing of."""
    days = {name: tuple(value) for name, value in raw.get("working_days", {}).items()}
    return {
        "stages": tuple(Stage(**{**each, "name": StageName(each["name"])}) for each in raw.get("stages", ())),
        "working_days": WorkingDays(**days),
        "protocols": None if raw.get("protocols") is None else tuple(map(Signatory, raw["protocols"])),
        "versions": tuple(Version(**each) for each in raw.get("versions", ())),
        "knowledge_base": tuple(Document(**stored) for stored in raw.get("knowledge_base", ())),
        "kits": tuple(_kit(each) for each in raw.get("kits", ())),
    }


def _kit(raw: dict[str, Any]) -> Kit:
    listed = raw["listed"]
    packages = tuple(Package(**each) for each in listed["packages"])
    bundles = tuple(Bundle(**{**each, "pythons": tuple(each["pythons"])}) for each in listed["bundles"])
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
            "nominations": tuple(_nomination(each) for each in raw.get("nominations", ())),
        }
    )


def _nomination(raw: dict[str, Any]) -> Nomination:
    return Nomination(**{**raw, "languages": tuple(raw["languages"]), "groups": tuple(raw["groups"])})


def _rules(raw: dict[str, Any]) -> RunRules:
    late = LateJoin(raw.get("late_join", LateJoin.REFUSED))
    return RunRules(**{**raw, "files": tuple(raw["files"]), "interval_s": tuple(raw["interval_s"]), "late_join": late})
