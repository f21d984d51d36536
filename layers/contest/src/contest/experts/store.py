"""Experts, annotation projects, assignments and drafts in the experts' table; replays and reviews in the exchange's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters.aws import ExchangeItem, ExpertsItem, Versioned, conditional_write
from contest.experts.rules.assignment import Assignment, AssignmentState, Draft, EssayWork, Marking, Replay, Review
from contest.experts.rules.sharing_out import Expert
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.room_ports import Written

_EXPERTS: Final = "EXPERTS"
_MARKINGS: Final = "MARKINGS"
_OPEN: Final = "ASSIGNMENTS#OPEN"
_DUE: Final = "ESSAYS#DUE"
_ESSAY: Final = "ESSAY#"


class BodyItem(Versioned, ExpertsItem):
    """An expert, an annotation project, an essay, an assignment or a draft."""


class NameItem(ExpertsItem):
    """Pointer to an object, by the two parts of its name."""

    first = UnicodeAttribute()
    second = UnicodeAttribute()


class DynamoExperts:
    """:class:`contest.room_ports.Experts`."""

    def all(self) -> Sequence[Expert]:
        return BodyItem.values(Expert, _EXPERTS)

    def get(self, expert_id: str) -> Expert | None:
        return BodyItem.find(_EXPERTS, expert_id, Expert)

    def put(self, expert: Expert, change: Change) -> None:
        item = _item(_EXPERTS, expert.expert_id, _expert_json(expert), expert.version)
        save_logged(change, item, BodyItem.follows(expert.version))

    def markings(self) -> Sequence[Marking]:
        return BodyItem.values(Marking, _MARKINGS)

    def marking(self, marking_id: str) -> Marking | None:
        return BodyItem.find(_MARKINGS, marking_id, Marking)

    def add_marking(self, marking: Marking, change: Change) -> None:
        item = _item(_MARKINGS, marking.marking_id, asdict(marking), 1)
        save_logged(change, item, BodyItem.pk.does_not_exist())

    def essays(self, marking_id: str) -> Sequence[EssayWork]:
        return BodyItem.values(EssayWork, _marking_key(marking_id), BodyItem.sk.startswith(_ESSAY))

    def essay(self, marking_id: str, item_id: str) -> EssayWork | None:
        return BodyItem.find(_marking_key(marking_id), f"{_ESSAY}{item_id}", EssayWork)

    def due_essays(self) -> Sequence[tuple[str, str]]:
        return _names(_DUE)

    def given_to(self, expert_id: str) -> Sequence[Assignment]:
        return BodyItem.values(Assignment, _expert_key(expert_id))

    def assignment(self, expert_id: str, assignment_id: str) -> Assignment | None:
        return BodyItem.find(_expert_key(expert_id), assignment_id, Assignment)

    def assignments(self, names: Iterable[tuple[str, str]]) -> Sequence[Assignment]:
        keys = [(_expert_key(expert_id), assignment_id) for expert_id, assignment_id in names]
        items = BodyItem.batch_get(set(keys), consistent_read=True)
        assignments = {item.sk: item.value(Assignment) for item in items}
        return [assignments[assignment_id] for _, assignment_id in keys if assignment_id in assignments]

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        return _names(_OPEN)

    def drafts(self, assignment_id: str) -> Sequence[Draft]:
        return BodyItem.values(Draft, _drafts_key(assignment_id))

    def draft(self, assignment_id: str, revision: int) -> Draft | None:
        return BodyItem.find(_drafts_key(assignment_id), _revision(revision), Draft)

    def write(self, records: Written, change: Change | None) -> None:
        with logged_writes(change) as transaction:
            for assignment in records.assignments:
                transaction.save(
                    BodyItem.of(*_key(assignment), assignment), condition=BodyItem.follows(assignment.version)
                )
                # A draft changes no pointer, and before the opening there is none.
                is_same = records.draft is not None or assignment.state is AssignmentState.ASSIGNED
                runs = None if is_same else assignment.state is AssignmentState.OPENED
                _point(transaction, _OPEN, (assignment.expert_id, assignment.assignment_id), runs)
            for essay in records.essays:
                transaction.save(BodyItem.of(*_key(essay), essay), condition=BodyItem.follows(essay.version))
                is_new = essay.version == 1 and not essay.due
                _point(transaction, _DUE, (essay.marking_id, essay.item_id), None if is_new else essay.due)
            for record in records.checked:
                transaction.condition_check(BodyItem, *_key(record), condition=BodyItem.unchanged(record))
            if records.draft is not None:
                (assignment,) = records.assignments
                new = _item(
                    _drafts_key(assignment.assignment_id), _revision(records.draft.revision), asdict(records.draft), 1
                )
                transaction.save(new, condition=BodyItem.pk.does_not_exist())


def _point(transaction: TransactWrite, key: str, name: tuple[str, str], is_there: bool | None) -> None:
    if is_there is None:
        return
    item = NameItem(key, "#".join(name), first=name[0], second=name[1])
    if is_there:
        transaction.save(item)
    else:
        transaction.delete(item)


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


class ReplayItem(Versioned, ExchangeItem):
    """A replay or a review."""


class DynamoReplays:
    """:class:`contest.room_ports.Replays`."""

    def all(self, cycle: str) -> Sequence[Replay]:
        return ReplayItem.values(Replay, _cycle_key(cycle))

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        return ReplayItem.find(_cycle_key(cycle), run_id, Replay)

    def put(self, replay: Replay, change: Change) -> None:
        item, before = (
            ReplayItem.of(_cycle_key(replay.cycle), replay.run_id, replay),
            ReplayItem.follows(replay.version),
        )
        save_logged(change, item, before)

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        return ReplayItem.find(_run_key(run_id), _review_key(number, person_id), Review)

    def reviews(self, run_id: str) -> Sequence[Review]:
        return ReplayItem.values(Review, _run_key(run_id))

    def save(self, review: Review) -> None:
        item = ReplayItem.of(_run_key(review.run_id), _review_key(review.round, review.person_id), review)
        with conditional_write():
            item.save(condition=ReplayItem.follows(review.version))


def _cycle_key(cycle: str) -> str:
    return f"REPLAYS#{cycle}"


def _run_key(run_id: str) -> str:
    return f"REPLAY#{run_id}"


def _review_key(number: int, person_id: str) -> str:
    return f"{number:02d}#{person_id}"
