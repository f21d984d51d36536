"""Conclusions and claims in the table of scores; admissions in that of the exchange, whose programs join by them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ExchangeItem, ScoresItem
from contest.domain.people.teams import Change
from contest.domain.results.qualification import Admission, Claim, Conclusion, QualificationKind, Ruling, Standing, Step

_CLAIM, _CONCLUSION = "CLAIM#", "CONCLUSION#"


class QualificationItem(ScoresItem):
    """A conclusion or a claim as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class AdmissionItem(ExchangeItem):
    """The decision about a team as JSON: read when it joins a final, by a function that may read no scores."""

    body = UnicodeAttribute()
    version = NumberAttribute()


Kind = type[QualificationItem] | type[AdmissionItem]


class DynamoQualification:
    """:class:`contest.ports.qualification.Qualification`."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        found = _get(QualificationItem, _team_key(cycle, team_id), f"{_CONCLUSION}{kind.value}#{session_id}")
        return None if found is None else _conclusion(found)

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        of_kind = QualificationItem.sk.startswith(f"{_CONCLUSION}{kind.value}#")
        found = QualificationItem.query(_team_key(cycle, team_id), of_kind, consistent_read=True)
        return [_conclusion(json.loads(each.body)) for each in found]

    def claims(self, cycle: str) -> Sequence[Claim]:
        return [_claim(each) for each in _all(cycle, _CLAIM)]

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return [_claim(each) for each in _all(cycle, f"{_CLAIM}{team_id}#")]

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            key = f"{_CONCLUSION}{after.kind.value}#{after.session_id}"
            _put(transaction, QualificationItem, _team_key(after.cycle, after.team_id), key, before, after)
            claimed = f"{_CLAIM}{after.team_id}#{after.kind.value}"
            _put(transaction, QualificationItem, _cycle_key(after.cycle), claimed, claim_before, claim_after)

        write_change(change, build)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        found = _get(AdmissionItem, _admissions_key(cycle), team_id)
        return None if found is None else Admission(**found)

    def admissions(self, cycle: str) -> Sequence[Admission]:
        found = AdmissionItem.query(_admissions_key(cycle), consistent_read=True)
        return [Admission(**json.loads(each.body)) for each in found]

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        pk, sk = _admissions_key(cycle), after.team_id
        write_change(change, lambda transaction: _put(transaction, AdmissionItem, pk, sk, before, after))


def _put(transaction: TransactWrite, kind: Kind, pk: str, sk: str, before: Any, after: Any) -> None:
    item = kind(pk, sk, body=json.dumps(asdict(after), ensure_ascii=False), version=after.version)
    absent, same = kind.pk.does_not_exist(), kind.version == getattr(before, "version", 0)
    transaction.save(item, condition=absent if before is None else same)


def _get(kind: Kind, pk: str, sk: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(kind.get(pk, sk, consistent_read=True).body)
    except DoesNotExist:
        return None
    return found


def _all(cycle: str, prefix: str) -> list[dict[str, Any]]:
    under = QualificationItem.sk.startswith(prefix)
    return [json.loads(each.body) for each in QualificationItem.query(_cycle_key(cycle), under, consistent_read=True)]


def _admissions_key(cycle: str) -> str:
    return f"ADMISSIONS#{cycle}"


def _cycle_key(cycle: str) -> str:
    return f"QUALIFICATION#{cycle}"


def _team_key(cycle: str, team_id: str) -> str:
    return f"QUALIFICATION#{cycle}#{team_id}"


def _conclusion(body: dict[str, Any]) -> Conclusion:
    rulings = tuple(Ruling(**{**each, "step": Step(each["step"])}) for each in body["rulings"])
    return Conclusion(**{**body, "kind": QualificationKind(body["kind"]), "rulings": rulings})


def _claim(body: dict[str, Any]) -> Claim:
    return Claim(**{**body, "kind": QualificationKind(body["kind"]), "standing": Standing(body["standing"])})
