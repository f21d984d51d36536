"""Calibration: an expert marks up training essays and sees how far it agrees with their experts (platform §5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import Cycle, Item, SetKind
from contest.domain.experts.assignment import UNDER_WAY, Assignment, standing
from contest.domain.experts.expert import Expert
from contest.domain.experts.marking import EssayWork, Marking
from contest.domain.experts.refusals import CalibrationNotDoneError, NothingToCalibrateError, UnknownExpertError
from contest.domain.people.teams import Change, by_person
from contest.ports import LostRaceError
from contest.ports.experts import Written
from contest.services import reading
from contest.services.experts import looking, third
from contest.services.experts.work import described
from contest.services.platform import Platform
from contest.services.races import decide_until_written


@dataclass(frozen=True, slots=True)
class Compared:
    """One expert's markup, without its name, and how far the own one agrees with it."""

    markup: Any
    comparison: Any
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """An expert's own markup of a training essay beside all others; accuracies are means in per cent."""

    assignment: Assignment
    accuracy: float | None
    experts_accuracy: float | None
    """What the others reach among themselves."""
    experts: tuple[Compared, ...]


def begin(platform: Platform, expert_id: str) -> Assignment:
    """Give an expert a training essay of its competence that it has not had; the one under way if there is one.

    Which comes next is drawn by the expert's id, so that experts begin with different essays.

    Clause: platform §5 calibration
    """
    expert = platform.experts.get(expert_id)
    if expert is None:
        raise UnknownExpertError

    def read() -> Sequence[Assignment]:
        return [each for each in platform.experts.given_to(expert_id) if each.is_calibration]

    def written(had: Sequence[Assignment]) -> Assignment:
        now = platform.clock.now()
        under_way = [each for each in had if standing(each, now).state in UNDER_WAY]
        return under_way[0] if under_way else _begun(platform, expert, had)

    return decide_until_written(read(), written, read)


def calibrated(platform: Platform, expert_id: str, assignment_id: str) -> Calibrated:
    """How far an expert agrees with the experts of a training essay; shown when its own markup is there.

    Clause: platform §5 calibration
    """
    found = standing(looking.stored(platform, expert_id, assignment_id), platform.clock.now())
    if not found.is_calibration or found.markup is None:
        raise CalibrationNotDoneError
    at, essay = looking.bench(platform, found.marking_id), looking.essay_of(platform, found)
    item, rules = looking.item(platform, at, essay), at.parameters.track
    own = looking.markup(platform, at, essay, found)
    others = [at.experts.judge(item, canonical(each), rules).markup for each in _references(platform, at, essay)]
    compared = []
    for each in others:
        comparison = at.experts.accuracy_against(item, own, each, rules)
        shown = at.experts.earlier(item, each, assignment_id)
        compared.append(Compared(shown, comparison, comparison["pair_accuracy"]))
    among = [at.experts.accuracy_against(item, x, y, rules)["pair_accuracy"] for x, y in permutations(others, 2)]
    return Calibrated(found, mean([each.accuracy for each in compared]), mean(among), tuple(compared))


def _begun(platform: Platform, expert: Expert, had: Sequence[Assignment]) -> Assignment:
    cycle = reading.cycle_now(platform)
    known = {(each.marking_id, each.item_id) for each in had}
    free = [
        (marking, item)
        for marking, item in _training(platform, cycle)
        if expert.may_mark(item.language, item.group) and (marking.marking_id, item.item_id) not in known
    ]
    if not free:
        raise NothingToCalibrateError
    marking, item = min(free, key=lambda each: sha256_hex(f"{expert.expert_id}\0{each[1].item_id}".encode()))
    now, name = platform.clock.now(), platform.randomness.assignment_id()
    with suppress(LostRaceError):  # another expert's calibration began it
        after = {"set": marking.set_name, "essays": marking.essays}
        change = Change(now, by_person(expert.expert_id), "calibration begun", marking.marking_id, None, after)
        platform.experts.add_marking(marking, change)
    essay = platform.experts.essay(marking.marking_id, item.item_id) or EssayWork(
        marking.marking_id, item.item_id, item.language, item.group, item.content, is_calibration=True
    )
    at = looking.bench(platform, marking.marking_id)
    given = third.given_now(at, essay, expert.expert_id, name, now, is_third=False)
    told = Change(now, by_person(expert.expert_id), "calibration assigned", name, None, described(given))
    platform.experts.write(Written((given,), (essay.changed((given,), third=None, due=False),)), told)
    return given


def _training(platform: Platform, cycle: Cycle) -> Iterator[tuple[Marking, Item]]:
    """All essays of training sets that experts have marked up, each with the body of work it belongs to."""
    for chosen in cycle.sets:
        if chosen.kind is not SetKind.TRAINING:
            continue
        items = reading.manifest(platform, cycle.name, chosen.manifest).items
        marking = Marking(
            marking_id=f"calibration-{chosen.name}-{chosen.manifest[:12]}",
            cycle=cycle.name,
            track=cycle.track,
            set_name=chosen.name,
            run_id=None,
            parameters_version=cycle.parameters_version,
            created_at=platform.clock.now(),
            essays=len(items),
            manifest=chosen.manifest,
        )
        yield from ((marking, item) for item in items if item.references)


def _references(platform: Platform, at: looking.Bench, essay: EssayWork) -> list[Any]:
    marking = at.marking
    item = reading.manifest(platform, marking.cycle, marking.manifest).by_id()[essay.item_id]
    names = (stored_names.blob_names(marking.cycle, "references", each) for each in item.references)
    return [json.loads(platform.blobs.get(name)) for name in names]


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of what is defined; None where nothing is."""
    defined = [each for each in values if each is not None]
    return fsum(defined) / len(defined) if defined else None
