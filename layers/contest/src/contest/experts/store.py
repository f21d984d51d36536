"""Experts, annotation projects, assignments and drafts in the experts' table; replays and reviews in the exchange's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.condition import Condition
from pynamodb.transactions import TransactWrite

from contest.adapters.storage import ExchangeItem, ExpertsItem, condition
from contest.experts.ports import Written
from contest.experts.rules.assignment import (
    Assignment,
    AssignmentState,
    Decision,
    Draft,
    EssayWork,
    Marking,
    Replay,
    Review,
    Suggested,
)
from contest.experts.rules.sharing_out import Expert
from contest.people.rules import Change
from contest.people.store import write_change

_EXPERTS: Final = "EXPERTS"
_MARKINGS: Final = "MARKINGS"
_OPEN: Final = "ASSIGNMENTS#OPEN"
_DUE: Final = "ESSAYS#DUE"
_ESSAY: Final = "ESSAY#"


class BodyItem(ExpertsItem):
    """A value as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class NameItem(ExpertsItem):
    """Pointer to an object, by the two parts of its name."""

    first = UnicodeAttribute()
    second = UnicodeAttribute()


class DynamoExperts:
    """:class:`contest.experts.ports.Experts`."""

    def all(self) -> Sequence[Expert]:
        return [_expert(item) for item in BodyItem.query(_EXPERTS, consistent_read=True)]

    def get(self, expert_id: str) -> Expert | None:
        item = _get(_EXPERTS, expert_id)
        return None if item is None else _expert(item)

    def put(self, expert: Expert, change: Change) -> None:
        item = _item(_EXPERTS, expert.expert_id, _expert_json(expert), expert.version)
        write_change(change, lambda transaction: transaction.save(item, condition=_as_before(expert.version)))

    def markings(self) -> Sequence[Marking]:
        return [_marking(item) for item in BodyItem.query(_MARKINGS, consistent_read=True)]

    def marking(self, marking_id: str) -> Marking | None:
        item = _get(_MARKINGS, marking_id)
        return None if item is None else _marking(item)

    def add_marking(self, marking: Marking, change: Change) -> None:
        item = _item(_MARKINGS, marking.marking_id, asdict(marking), 1)
        write_change(change, lambda transaction: transaction.save(item, condition=BodyItem.pk.does_not_exist()))

    def essays(self, marking_id: str) -> Sequence[EssayWork]:
        items = BodyItem.query(_marking_key(marking_id), BodyItem.sk.startswith(_ESSAY), consistent_read=True)
        return [_essay(item) for item in items]

    def essay(self, marking_id: str, item_id: str) -> EssayWork | None:
        item = _get(_marking_key(marking_id), f"{_ESSAY}{item_id}")
        return None if item is None else _essay(item)

    def due_essays(self) -> Sequence[tuple[str, str]]:
        return _names(_DUE)

    def given_to(self, expert_id: str) -> Sequence[Assignment]:
        return [_assignment(item) for item in BodyItem.query(_expert_key(expert_id), consistent_read=True)]

    def assignment(self, expert_id: str, assignment_id: str) -> Assignment | None:
        item = _get(_expert_key(expert_id), assignment_id)
        return None if item is None else _assignment(item)

    def assignments(self, names: Iterable[tuple[str, str]]) -> Sequence[Assignment]:
        keys = [(_expert_key(expert_id), assignment_id) for expert_id, assignment_id in names]
        assignments = {item.sk: _assignment(item) for item in BodyItem.batch_get(set(keys), consistent_read=True)}
        return [assignments[assignment_id] for _, assignment_id in keys if assignment_id in assignments]

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        return _names(_OPEN)

    def drafts(self, assignment_id: str) -> Sequence[Draft]:
        return [_draft(item) for item in BodyItem.query(_drafts_key(assignment_id), consistent_read=True)]

    def draft(self, assignment_id: str, revision: int) -> Draft | None:
        item = _get(_drafts_key(assignment_id), _revision(revision))
        return None if item is None else _draft(item)

    def write(self, records: Written, change: Change | None) -> None:
        def build(transaction: TransactWrite) -> None:
            for assignment in records.assignments:
                transaction.save(
                    _item(*_key(assignment), asdict(assignment), assignment.version),
                    condition=_as_before(assignment.version),
                )
                # A draft changes no pointer, and before the opening there is none.
                is_same = records.draft is not None or assignment.state is AssignmentState.ASSIGNED
                runs = None if is_same else assignment.state is AssignmentState.OPENED
                _point(transaction, _OPEN, (assignment.expert_id, assignment.assignment_id), runs)
            for essay in records.essays:
                transaction.save(_item(*_key(essay), asdict(essay), essay.version), condition=_as_before(essay.version))
                is_new = essay.version == 1 and not essay.due
                _point(transaction, _DUE, (essay.marking_id, essay.item_id), None if is_new else essay.due)
            for record in records.checked:
                transaction.condition_check(BodyItem, *_key(record), condition=BodyItem.version == record.version)
            if records.draft is not None:
                (assignment,) = records.assignments
                new = _item(
                    _drafts_key(assignment.assignment_id),
                    _revision(records.draft.revision),
                    asdict(records.draft),
                    1,
                )
                transaction.save(new, condition=BodyItem.pk.does_not_exist())

        write_change(change, build)


def _point(transaction: TransactWrite, key: str, name: tuple[str, str], is_there: bool | None) -> None:
    if is_there is None:
        return
    item = NameItem(key, "#".join(name), first=name[0], second=name[1])
    if is_there:
        transaction.save(item)
    else:
        transaction.delete(item)


def _as_before(version: int) -> Condition:
    return BodyItem.version == version - 1 if version > 1 else BodyItem.pk.does_not_exist()


def _get(pk: str, sk: str) -> BodyItem | None:
    try:
        return BodyItem.get(pk, sk, consistent_read=True)
    except DoesNotExist:
        return None


def _names(key: str) -> list[tuple[str, str]]:
    return [(item.first, item.second) for item in NameItem.query(key, consistent_read=True)]


def _expert_key(expert_id: str) -> str:
    return f"EXPERT#{expert_id}"


def _marking_key(marking_id: str) -> str:
    return f"MARKING#{marking_id}"


def _drafts_key(assignment_id: str) -> str:
    return f"DRAFTS#{assignment_id}"


def _revision(revision: int) -> str:
    return f"{revision:06d}"


def _key(record: Assignment | EssayWork) -> tuple[str, str]:
    if isinstance(record, Assignment):
        return _expert_key(record.expert_id), record.assignment_id
    return _marking_key(record.marking_id), f"{_ESSAY}{record.item_id}"


def _item(pk: str, sk: str, body: Any, version: int) -> BodyItem:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return BodyItem(pk, sk, body=text, version=version)


def _expert_json(expert: Expert) -> dict[str, Any]:
    sets = {name: sorted(getattr(expert, name)) for name in ("subjects", "languages", "groups")}
    return {
        "expert_id": expert.expert_id,
        "pseudonym": expert.pseudonym,
        **sets,
        "active": expert.active,
        "version": expert.version,
    }


def _expert(item: BodyItem) -> Expert:
    raw: dict[str, Any] = json.loads(item.body)
    sets = {name: frozenset(raw[name]) for name in ("subjects", "languages", "groups")}
    return Expert(**{**raw, **sets})


def _marking(item: BodyItem) -> Marking:
    return Marking(**json.loads(item.body))


def _draft(item: BodyItem) -> Draft:
    return Draft(**json.loads(item.body))


def _assignment(item: BodyItem) -> Assignment:
    raw: dict[str, Any] = json.loads(item.body)
    drafts = {name: Draft(**raw[name]) if raw[name] else None for name in ("latest", "latest_valid")}
    suggested = Suggested(**raw["suggested"]) if raw.get("suggested") else None
    return Assignment(**{**raw, **drafts, "state": AssignmentState(raw["state"]), "suggested": suggested})


def _essay(item: BodyItem) -> EssayWork:
    raw: dict[str, Any] = json.loads(item.body)
    assignment_names = tuple((expert_id, assignment_id) for expert_id, assignment_id in raw["given"])
    third = raw["third"]
    tuples = {name: tuple(third[name]) for name in ("reasons", "markups", "experts")} if third else {}
    decision = Decision(**{**third, **tuples}) if third else None
    answer = tuple(raw["answer"]) if raw["answer"] else None
    return EssayWork(**{**raw, "given": assignment_names, "third": decision, "answer": answer})


class ReplayItem(ExchangeItem):
    """A replay or a review as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoReplays:
    """:class:`contest.experts.ports.Replays`."""

    def all(self, cycle: str) -> Sequence[Replay]:
        return [_replay(json.loads(item.body)) for item in ReplayItem.query(_cycle_key(cycle), consistent_read=True)]

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        return ReplayItem.one(_cycle_key(cycle), run_id, lambda item: _replay(json.loads(item.body)))

    def put(self, replay: Replay, change: Change) -> None:
        item = _replay_item(_cycle_key(replay.cycle), replay.run_id, replay)
        unchanged = _unchanged(replay.version)
        write_change(change, lambda transaction: transaction.save(item, condition=unchanged))

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        return ReplayItem.one(
            _run_key(run_id), _review_key(number, person_id), lambda item: Review(**json.loads(item.body))
        )

    def reviews(self, run_id: str) -> Sequence[Review]:
        return [Review(**json.loads(item.body)) for item in ReplayItem.query(_run_key(run_id), consistent_read=True)]

    def save(self, review: Review) -> None:
        item = _replay_item(_run_key(review.run_id), _review_key(review.round, review.person_id), review)
        with condition():
            item.save(condition=_unchanged(review.version))


def _replay_item(pk: str, sk: str, value: Replay | Review) -> ReplayItem:
    body = json.dumps(asdict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return ReplayItem(pk, sk, body=body, version=value.version)


def _unchanged(version: int) -> Any:
    return ReplayItem.pk.does_not_exist() if version == 1 else ReplayItem.version == version - 1


def _cycle_key(cycle: str) -> str:
    return f"REPLAYS#{cycle}"


def _run_key(run_id: str) -> str:
    return f"REPLAY#{run_id}"


def _review_key(number: int, person_id: str) -> str:
    return f"{number:02d}#{person_id}"


def _replay(body: dict[str, Any]) -> Replay:
    pairs = {name: tuple((first, second) for first, second in body[name]) for name in ("systems", "people")}
    return Replay(**{**body, **pairs, "numbers": tuple(body["numbers"]), "opened": tuple(body["opened"])})
