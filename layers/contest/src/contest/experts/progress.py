"""Profiles, calibration, agreement and progress of experts (platform §5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import permutations
from math import fsum
from typing import Any, Final, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import Cycle, Item, SetKind
from contest.errors import InvalidRequestError, UnknownRouteError, from_reasons
from contest.experts import judged_essays
from contest.experts.judged_essays import Bench
from contest.experts.rules.assignment import (
    UNDER_WAY,
    Assignment,
    EssayWork,
    Marking,
    Speed,
    assignment_at,
    by_suggestions,
    speeds,
)
from contest.experts.rules.progress import Forecast, Progress, forecast, progress
from contest.experts.rules.sharing_out import (
    CalibrationNotDoneError,
    Expert,
    NothingToCalibrateError,
    UnknownExpertError,
    UnknownMarkingError,
)
from contest.experts.work import describe_assignment
from contest.people.errors import NoExpertsAccountError
from contest.people.rules import Change, Role, by_person
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.room_ports import Written
from contest.texts import tr
from contest.values import MINUTE, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import Agreed, MeasuresRatings
from tracks.protocol import ItemFacts, Section


@dataclass(frozen=True, slots=True)
class Compared:
    """Annotation of another expert, without a name, and its agreement with the calling expert's own."""

    markup: Any
    comparison: Any
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """An expert's own markup of a training essay beside all others; accuracies are means in per cent."""

    assignment: Assignment
    accuracy: float | None
    experts_accuracy: float | None
    """Mean agreement of the other experts among themselves; None where it is undefined."""
    experts: tuple[Compared, ...]


# Clause: platform §5 calibration
def begin_calibration(platform: Platform, expert_id: str) -> Assignment:
    """Give an expert a training essay of its competence that it has not had; the one under way if there is one.

    The next essay is drawn by the expert's id, so that experts begin with different essays.
    """
    expert = platform.experts.get(expert_id)
    if expert is None:
        raise UnknownExpertError

    def written(had: Sequence[Assignment]) -> Assignment:
        now = platform.clock.now()
        under_way = [assignment for assignment in had if assignment_at(assignment, now).state in UNDER_WAY]
        return under_way[0] if under_way else _begun(platform, expert, had)

    return read_and_decide(
        lambda: [assignment for assignment in platform.experts.given_to(expert_id) if assignment.is_calibration],
        written,
    )


# Clause: platform §5 calibration
def calibration_result(platform: Platform, expert_id: str, assignment_id: str) -> Calibrated:
    """Return an expert's agreement with the experts of a training essay; refused before the own annotation exists."""
    assignment = assignment_at(
        judged_essays.stored_assignment(platform, expert_id, assignment_id), platform.clock.now()
    )
    if not assignment.is_calibration or assignment.markup is None:
        raise CalibrationNotDoneError
    at, essay = (
        judged_essays.judging_facts(platform, assignment.marking_id),
        judged_essays.essay_of(platform, assignment),
    )
    item, rules = judged_essays.annotated_item(platform, at, essay), at.parameters.track
    own = judged_essays.assignment_markup(platform, at, essay, assignment)
    source = reading.manifest(platform, at.marking.cycle, at.marking.manifest).by_id()[essay.item_id]
    names = (stored_names.blob_names(at.marking.cycle, "references", reference) for reference in source.references)
    references = [json.loads(platform.blobs.get(name)) for name in names]
    others = [at.experts.judge(item, canonical(reference), rules).markup for reference in references]
    compared = []
    for markup in others:
        comparison = at.experts.accuracy_against(item, own, markup, rules)
        anonymous_markup = at.experts.earlier(item, markup, assignment_id)
        compared.append(Compared(anonymous_markup, comparison, comparison["pair_accuracy"]))
    among = [at.experts.accuracy_against(item, x, y, rules)["pair_accuracy"] for x, y in permutations(others, 2)]
    return Calibrated(assignment, mean([other.accuracy for other in compared]), mean(among), tuple(compared))


def _begun(platform: Platform, expert: Expert, had: Sequence[Assignment]) -> Assignment:
    cycle = reading.cycle_now(platform)
    essays_had = {(assignment.marking_id, assignment.item_id) for assignment in had}
    free = [
        (marking, item)
        for marking, item in _training(platform, cycle)
        if expert.may_mark(item.language, item.group) and (marking.marking_id, item.item_id) not in essays_had
    ]
    if not free:
        raise NothingToCalibrateError
    marking, item = min(free, key=lambda pair: sha256_hex(f"{expert.expert_id}\0{pair[1].item_id}".encode()))
    now, name = platform.clock.now(), platform.randomness.assignment_id()
    with suppress(LostRaceError):  # another expert's calibration began it
        after = {"set": marking.set_name, "essays": marking.essays}
        change = Change(now, by_person(expert.expert_id), "calibration begun", marking.marking_id, None, after)
        platform.experts.add_marking(marking, change)
    essay = platform.experts.essay(marking.marking_id, item.item_id) or EssayWork(
        marking.marking_id, item.item_id, item.language, item.group, item.content, is_calibration=True
    )
    at = judged_essays.judging_facts(platform, marking.marking_id)
    assignment = judged_essays.assignments_now(
        at,
        essay,
        expert.expert_id,
        name,
        now,
        is_third=False,
        words=judged_essays.counted_words(platform, at, [essay])[essay.item_id],
    )
    log_change = Change(
        now, by_person(expert.expert_id), "calibration assigned", name, None, describe_assignment(assignment)
    )
    platform.experts.write(Written((assignment,), (essay.changed((assignment,), third=None, due=False),)), log_change)
    return assignment


def _training(platform: Platform, cycle: Cycle) -> Iterator[tuple[Marking, Item]]:
    """Return all essays of training sets that experts have annotated, each with its body of work."""
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


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the defined values; None where there are none."""
    defined = [value for value in values if value is not None]
    return fsum(defined) / len(defined) if defined else None


# Clause: TS G-5
def of_ratings(platform: Platform, body: bytes) -> tuple[Section, ...]:
    """Return the contest's tables of agreement.

    :class:`InvalidRequestError` with every reason against the ratings, :class:`UnknownRouteError` where the contest
    measures none.
    """
    track = reading.track_of(platform, reading.recent_cycle(platform))
    if not isinstance(track, MeasuresRatings):
        raise UnknownRouteError
    sections, reasons = track.ratings_sections(body)
    if reasons:
        raise InvalidRequestError(from_reasons(reasons))
    return sections


CALIBRATIONS_SHOWN: Final = 5
"""Number of an expert's latest calibrations that are averaged: work of the first hour says little of today."""


def list_markings(platform: Platform) -> Sequence[Marking]:
    """List all annotation projects, the latest first; at the same moment by id."""
    return sorted(platform.experts.markings(), key=lambda marking: (-marking.created_at, marking.marking_id))


@dataclass(frozen=True, slots=True)
class Overview:
    """Annotation project for its coordinator: progress, forecast of its end, and its experts' calibration."""

    marking: Marking
    progress: Progress
    forecast: Forecast
    calibrations: tuple[Calibrations, ...]


@dataclass(frozen=True, slots=True)
class Calibrations:
    """Calibrations of an expert: the number of completed ones, and the mean agreement of the latest, in per cent.

    ``experts_accuracy``: the mean agreement of the other experts of the same essays among themselves.
    """

    expert_id: str
    done: int
    accuracy: float | None
    experts_accuracy: float | None


# Clause: platform §5 progress, platform §5 calibration, R 8.3.2
def marking_overview(platform: Platform, marking_id: str) -> Overview:
    """Return one annotation project with its present progress; :class:`UnknownMarkingError` for an unknown one."""
    marking = platform.experts.marking(marking_id)
    if marking is None:
        raise UnknownMarkingError
    essays, now = platform.experts.essays(marking_id), platform.clock.now()
    marking_progress = progress(essays, judged_essays.given_in(platform, essays, now))
    calibrated = tuple(_calibrations(platform, expert.expert_id) for expert in marking_progress.experts)
    # By the minute, so that requests every second do not each get a new answer.
    return Overview(marking, marking_progress, forecast(marking_progress, -(-now // MINUTE) * MINUTE), calibrated)


def _calibrations(platform: Platform, expert_id: str) -> Calibrations:
    """Return an expert's calibrations; each comparison is computed once per process, since it never changes."""
    done = [
        assignment
        for assignment in platform.experts.given_to(expert_id)
        if assignment.is_calibration and assignment.markup is not None
    ]
    latest = sorted(done, key=lambda assignment: assignment.assigned_at)[-CALIBRATIONS_SHOWN:]
    accuracies = [_calibrated(platform, expert_id, assignment) for assignment in latest]
    means = [mean([pair[place] for pair in accuracies]) for place in range(2)]
    return Calibrations(expert_id, len(done), *means)


def _calibrated(platform: Platform, expert_id: str, assignment: Assignment) -> tuple[float | None, float | None]:
    digest = assignment.markup.content_sha256 if assignment.markup else ""
    key = ("calibrated", assignment.assignment_id, digest)

    def made() -> tuple[float | None, float | None]:
        calibration = calibration_result(platform, expert_id, assignment.assignment_id)
        return calibration.accuracy, calibration.experts_accuracy

    return cast(tuple[float | None, float | None], platform.memory.keep(key, made))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of the experts of an annotation project, and their speed."""

    marking: Marking
    agreement: Any
    """Agreement in the track's own form."""
    speeds: tuple[Speed, ...]
    by_suggestions: tuple[Mapping[str, Any], ...] = ()
    """Agreement by the number of the two annotations made with suggestions; empty where none was made with any."""


# Clause: platform §5 progress, R 8.3.2
def marking_agreement(platform: Platform, marking_id: str) -> Agreement:
    """Return the agreement over essays with two independent annotations, and the experts' speed, with intervals.

    Two annotations were compared when the rule for a third expert was applied; the comparisons are folded here.
    """
    at = judged_essays.judging_facts(platform, marking_id)
    essays = platform.experts.essays(marking_id)
    return _agreement(at, essays, judged_essays.given_in(platform, essays, platform.clock.now()))


@dataclass(frozen=True, slots=True)
class MarkingReport:
    """Coordinator's report of an annotation project at one moment."""

    progress: Progress
    agreement: Agreement
    pseudonyms: Mapping[str, str]
    """Pseudonyms by the experts' ids."""

    @property
    def marking(self) -> Marking:
        """Return its annotation project."""
        return self.agreement.marking


# Clause: R 7.10, R 8.3.2, platform §5 progress
def marking_report(platform: Platform, marking_id: str) -> MarkingReport:
    """Return progress, speed, agreement, drift and third experts together; :class:`UnknownMarkingError`."""
    at = judged_essays.judging_facts(platform, marking_id)
    essays = platform.experts.essays(marking_id)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
    names = {expert.expert_id: expert.pseudonym for expert in platform.experts.all()}
    return MarkingReport(progress(essays, assignments), _agreement(at, essays, assignments), names)


def _agreement(at: Bench, essays: Sequence[EssayWork], assignments: Mapping[str, Sequence[Assignment]]) -> Agreement:
    seed = at.parameters.bootstrap_seed

    def measured(some: Sequence[EssayWork]) -> Any:
        agreed = [
            Agreed(
                ItemFacts(essay.item_id, essay.language, essay.subject),
                (third.experts[0], third.experts[1]),
                third.pair,
            )
            for essay in some
            if (third := essay.third) is not None and third.pair
        ]
        return at.experts.agreement(agreed, seed)

    groups = by_suggestions(essays, assignments)
    return Agreement(
        at.marking,
        measured(essays),
        speeds([assignment for part in assignments.values() for assignment in part], seed),
        tuple({"experts": count, "agreement": measured(part)} for count, part in groups.items()),
    )


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile of an expert, given by an organizer."""

    subjects: frozenset[str]
    languages: frozenset[str]
    groups: frozenset[str] = frozenset()
    active: bool = True


def list_experts(platform: Platform) -> Sequence[Expert]:
    """Return all experts, inactive ones too, by id."""
    return platform.experts.all()


# Clause: platform §5 assignment
def put_expert(platform: Platform, who: str, expert_id: str, profile: Profile) -> Expert:
    """Add an expert or change the profile; an equal profile changes nothing.

    Essays that were assigned before stay with the expert, whatever the new profile says.
    """
    _check(platform, profile)
    if profile.active:  # essays need somebody to open them
        person = platform.persons.person(expert_id)
        if person is None or not person.is_active or person.role is not Role.EXPERT:
            raise NoExpertsAccountError

    def written(before: Expert | None) -> Expert:
        after = _after(platform, before, expert_id, profile)
        if after == before:
            return after
        after = replace(after, version=after.version + 1)
        what = "expert changed" if before else "expert added"
        states = (None if before is None else _described(before), _described(after))
        platform.experts.put(after, Change(platform.clock.now(), who, what, expert_id, *states))
        return after

    return read_and_decide(lambda: platform.experts.get(expert_id), written)


def _after(platform: Platform, before: Expert | None, expert_id: str, profile: Profile) -> Expert:
    profile_fields = {name: getattr(profile, name) for name in ("subjects", "languages", "groups", "active")}
    if before is not None:
        return replace(before, **profile_fields)
    pseudonyms = {expert.pseudonym for expert in platform.experts.all()}
    pseudonym = platform.randomness.pseudonym()
    while pseudonym in pseudonyms:
        pseudonym = platform.randomness.pseudonym()
    return Expert(expert_id, pseudonym, **profile_fields)


def _check(platform: Platform, profile: Profile) -> None:
    subjects_by_language = reading.cycle_now(platform).languages
    subjects = {subject for language_subjects in subjects_by_language.values() for subject in language_subjects}
    strange = sorted((profile.languages - set(subjects_by_language)) | (profile.subjects - subjects))
    if strange:
        names = ", ".join(strange)
        raise RefusedError(
            "unknown_competence", tr("the cycle has no language or subject {names}", names=names), unknown=strange
        )


def _described(expert: Expert) -> dict[str, Any]:
    sets = {name: sorted(getattr(expert, name)) for name in ("subjects", "languages", "groups")}
    return {**sets, "active": expert.active, "pseudonym": expert.pseudonym}
