"""The cycle, its parameters and the log of people's changes in the catalogue table."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.dynamo import CatalogueItem, condition, write
from contest.domain.cycle import Cycle, EssaySet, Parameters, RunRules, SetKind, TechnicalTimes
from contest.domain.moments import utc_day
from contest.domain.people import Change


class CycleItem(CatalogueItem):
    """The cycle as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class ParametersItem(CatalogueItem):
    """One version of the parameters as JSON."""

    body = UnicodeAttribute()


class ChangeItem(CatalogueItem):
    """One entry of the audit log as JSON."""

    body = UnicodeAttribute()


class DynamoCatalogue:
    """:class:`contest.ports.Catalogue` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = f"CYCLE#{cycle}"

    def cycle(self) -> Cycle | None:
        """See the port."""
        try:
            item = CycleItem.get(self._key, "CURRENT", consistent_read=True)
        except DoesNotExist:
            return None
        return _cycle(json.loads(item.body), int(item.version))

    def parameters(self, version: int) -> Parameters:
        """See the port."""
        item = ParametersItem.get(self._key, _parameters_sk(version), consistent_read=True)
        return _parameters(json.loads(item.body))

    def publish(self, cycle: Cycle, parameters: Parameters | None) -> None:
        """See the port."""
        after = replace(cycle, version=cycle.version + 1)
        item = CycleItem(self._key, "CURRENT", body=_json(asdict(after)), version=after.version)
        untouched = CycleItem.version == cycle.version if cycle.version else CycleItem.pk.does_not_exist()

        def build(transaction: TransactWrite) -> None:
            transaction.save(item, condition=untouched)
            if parameters is not None:
                new = ParametersItem(self._key, _parameters_sk(parameters.version), body=_json(asdict(parameters)))
                transaction.save(new, condition=ParametersItem.pk.does_not_exist())

        write(build)


class DynamoAuditLog:
    """:class:`contest.ports.AuditLog`."""

    def append(self, change: Change) -> None:
        """See the port."""
        name = f"{change.at:013d}#{secrets.token_hex(8)}"
        item = ChangeItem(f"AUDIT#{utc_day(change.at)}", name, body=_json(asdict(change)))
        with condition():
            item.save(condition=ChangeItem.pk.does_not_exist())

    def on(self, day: str) -> Sequence[Change]:
        """See the port."""
        found = ChangeItem.query(f"AUDIT#{day}", consistent_read=True)
        return [Change(**json.loads(each.body)) for each in found]


def _parameters_sk(version: int) -> str:
    return f"PARAMETERS#{version:06d}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _cycle(raw: dict[str, Any], version: int) -> Cycle:
    languages = {name: tuple(groups) for name, groups in raw["languages"].items()}
    sets = tuple(EssaySet(**{**each, "kind": SetKind(each["kind"])}) for each in raw["sets"])
    known = tuple(raw["known_clients"])
    return Cycle(**{**raw, "languages": languages, "sets": sets, "known_clients": known, "version": version})


def _parameters(raw: dict[str, Any]) -> Parameters:
    return Parameters(
        **{
            **raw,
            "time_limit_s": tuple(raw["time_limit_s"]),
            "technical": _rules(raw["technical"]),
            "technical_times": TechnicalTimes(**raw["technical_times"]),
            "final": _rules(raw["final"]),
        }
    )


def _rules(raw: dict[str, Any]) -> RunRules:
    return RunRules(**{**raw, "files": tuple(raw["files"]), "interval_s": tuple(raw["interval_s"])})
