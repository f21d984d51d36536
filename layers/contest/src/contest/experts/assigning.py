"""Give essays to experts, and change single assignments (R 7.10, platform §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from contest import reading
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Item, Mode
from contest.experts import judged_essays
from contest.experts.judged_essays import Bench
from contest.experts.rules import assignment as assignment_rules
from contest.experts.rules.assignment import (
    Assignment,
    AssignmentState,
    EssayWork,
    Marking,
    assignment_at,
    missing_experts,
)
from contest.experts.rules.sharing_out import (
    INDEPENDENT,
    EssaysNotCoveredError,
    Expert,
    Shared,
    UnknownExpertError,
    changed_meanwhile,
    share_out,
)
from contest.experts.work import describe_assignment
from contest.people.rules import Change
from contest.platform import Platform, decide_until_written
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.room_ports import Written
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import SECOND, Millis
from markup_core.lazy import dataclass

_ITEMS: Final = 99
"""Items of one transaction beside the log's: of an essay its assignments, itself, and its pointer unless it is new."""


@dataclass(frozen=True, slots=True)
class MarkingOrder:
    """Select the essays to annotate: those of a run, of a set, or the answers whose explanations are rated.

    The answers are those of one session of a final that is over. ``seed`` None: the cycle's.
    """

    run_id: str | None = None
    set_name: str | None = None
    session_id: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Assignment of essays to experts. ``loads``: essays of each expert before and after."""

    marking: Marking
    essays: int
    shared: Shared
    loads: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Material:
    """Sources of a plan, and the means to write it."""

    bench: Bench
    is_new: bool
    essays: tuple[EssayWork, ...]
    assignments: Mapping[str, tuple[Assignment, ...]]


# Clause: platform §5 assignment
def plan(platform: Platform, order: MarkingOrder) -> Plan:
    """Plan the experts of each essay, and list the essays that cannot be covered. Write nothing."""
    return _plan(platform, order)[0]


# Clause: R 7.10, platform §5 assignment
def assign(platform: Platform, who: str, order: MarkingOrder) -> Plan:
    """Assign to every essay the experts that it lacks; a repetition assigns only to essays that lack some.

    All or nothing is decided before anything is written. A crash in between leaves whole essays, and the next call
    gives out the rest.
    """
    new_plan, material = _plan(platform, order)
    if new_plan.shared.uncovered:
        raise EssaysNotCoveredError.naming(new_plan.shared.uncovered)
    now = platform.clock.now()
    if material.is_new:
        after = {"set": new_plan.marking.set_name, "run": new_plan.marking.run_id, "essays": new_plan.marking.essays}
        try:
            platform.experts.add_marking(
                new_plan.marking, Change(now, who, "marking begun", new_plan.marking.marking_id, None, after)
            )
        except LostRaceError:
            raise changed_meanwhile() from None
    to_write = [essay for essay in material.essays if essay.item_id in new_plan.shared.experts]
    for together in _portions(to_write, new_plan.shared):
        _give(platform, who, material, new_plan.shared, together, now)
    return new_plan


def _portions(essays: Sequence[EssayWork], shared: Shared) -> Iterator[list[EssayWork]]:
    """Split essays in their order into portions that one transaction takes; at least one."""
    together, items = list[EssayWork](), 0
    for essay in essays:
        wanted_items = len(shared.experts[essay.item_id]) + (1 if essay.version == 0 else 2)
        if together and items + wanted_items > _ITEMS:
            yield together
            together, items = [], 0
        together.append(essay)
        items += wanted_items
    if together:
        yield together


def _plan(platform: Platform, order: MarkingOrder) -> tuple[Plan, _Material]:
    material = _material(platform, order)
    marking, parameters = material.bench.marking, material.bench.parameters
    wants = [
        want
        for essay in material.essays
        if (want := missing_experts(essay, material.assignments[essay.item_id])) is not None
    ]
    experts = platform.experts.all()
    before = judged_essays.loads(platform, experts, marking.marking_id)
    seed = parameters.bootstrap_seed if order.seed is None else order.seed
    shared = share_out(wants, experts, before, seed)
    added = [name for names in shared.experts.values() for name in names]
    loads = {name: (load, load + added.count(name)) for name, load in sorted(before.items())}
    return Plan(marking, len(wants), shared, loads), material


def _material(platform: Platform, order: MarkingOrder) -> _Material:
    cycle = reading.cycle_now(platform)
    marking, fresh = _ordered(platform, cycle, order)
    stored_marking = platform.experts.marking(marking.marking_id)
    bench = judged_essays.bench_of(platform, stored_marking or marking)
    stored = {essay.item_id: essay for essay in platform.experts.essays(marking.marking_id)}
    essays = tuple(stored.get(essay.item_id) or essay for essay in fresh)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
    return _Material(bench, stored_marking is None, essays, assignments)


def _ordered(platform: Platform, cycle: Cycle, order: MarkingOrder) -> tuple[Marking, Sequence[EssayWork]]:
    if sum(source is not None for source in (order.run_id, order.set_name, order.session_id)) != 1:
        raise RefusedError("run_or_set", tr("name one of run, set and session"))
    if order.session_id is not None:
        return _of_session(platform, order.session_id)
    if order.run_id is not None:
        return _of_run(platform, order.run_id)
    return _of_set(platform, cycle, order.set_name or "")


# Clause: R 7.10, platform §5 embargo
def _of_run(platform: Platform, run_id: str) -> tuple[Marking, Sequence[EssayWork]]:
    """Return a final's files once all its sessions are closed: no essay is visible before its release."""
    run = _finished(platform, run_id)
    files = reading.run_plan(platform, Schedule.of(run))
    manifests = {file.manifest for file in files}
    items_by_manifest = {name: reading.manifest(platform, run.cycle, name).by_id() for name in manifests}
    items: dict[str, Item] = {}
    for file in files:
        item = items_by_manifest[file.manifest][file.item_id]
        if items.setdefault(file.item_id, item) != item:
            raise RefusedError(
                "two_items_of_one_name",
                tr("the final and the reserve set have different files called {item_id}", item_id=file.item_id),
                item_id=file.item_id,
            )
    now = platform.clock.now()
    place = (run.cycle, run.track, run.set_name, run_id, run.parameters_version)
    return _begun(Marking(run_id, *place, created_at=now, essays=len(items)), items)


def _of_set(platform: Platform, cycle: Cycle, set_name: str) -> tuple[Marking, Sequence[EssayWork]]:
    chosen = cycle.set_named(set_name)
    if chosen is None:
        raise RefusedError("unknown_set", tr("the cycle has no set {set_name}", set_name=set_name))
    if chosen.kind not in OPEN_TO_ALL:
        raise RefusedError("set_of_a_final", tr("files of a final are marked up by its run, when it is over"))
    items = reading.manifest(platform, cycle.name, chosen.manifest).by_id()
    name = f"{set_name}-{chosen.manifest[:12]}"
    place = (cycle.name, cycle.track, set_name, None, cycle.parameters_version)
    return _begun(Marking(name, *place, created_at=platform.clock.now(), essays=len(items)), items)


# Clause: platform §5 ratings, R-App1 M7
def _of_session(platform: Platform, session_id: str) -> tuple[Marking, Sequence[EssayWork]]:
    """Return a team's counting answers whose explanations are to be rated.

    Of a final they come when it is over, of a qualification when the session is.
    """
    session = reading.session(platform, session_id)
    if session is None:
        raise RefusedError("no_session_of_a_final", tr("there is no such session"))
    if session.order.mode == Mode.FINAL:
        _finished(platform, session.run_id or "")
    elif session.is_open:
        raise RefusedError("session_not_over", tr("the session still goes on"))
    experts = judged_essays.judging_track(reading.track_of(platform, session))
    marking_id, essays = judged_essays.ratings_of(session_id), []
    for delivery in platform.deliveries.of_session(session_id):
        if delivery.answer is None:
            continue
        named = (session_id, delivery.number, delivery.answer.content_sha256)
        item = reading.item_of(platform, session, reading.planned_file(platform, session, delivery.number))
        content = reading.item_content(platform, session.cycle, item.content)
        if experts.cards(content, judged_essays.team_answer(platform, named), "") is not None:
            place = (f"{session_id}-{delivery.number:04d}", item.language, item.group, item.content)
            essays.append(EssayWork(marking_id, *place, answer=named))
    source = (session.cycle, session.track, session.order.set_name, session.run_id, session.parameters_version)
    return Marking(marking_id, *source, created_at=platform.clock.now(), essays=len(essays)), essays


# Clause: R 7.10, platform §5 embargo
def _finished(platform: Platform, run_id: str) -> Run:
    """Return a final whose sessions are all closed."""
    run = reading.run_now(platform, run_id)
    if run.mode is not Mode.FINAL:
        raise RefusedError("not_a_final", tr("experts mark up the files of finals"))
    if run.closed_at is None:
        raise RefusedError(
            "run_not_over", tr("the run's sessions are not closed yet; its files are marked up afterwards")
        )
    return run


def _begun(marking: Marking, items: Mapping[str, Item]) -> tuple[Marking, Sequence[EssayWork]]:
    return marking, [
        EssayWork(marking.marking_id, item.item_id, item.language, item.group, item.content)
        for _, item in sorted(items.items())
    ]


def _give(
    platform: Platform, who: str, material: _Material, shared: Shared, essays: Sequence[EssayWork], now: Millis
) -> None:
    """Write the assignments of some essays in one transaction, each essay whole."""
    added: list[Assignment] = []
    changed: list[EssayWork] = []
    words = judged_essays.counted_words(platform, material.bench, essays)
    for essay in essays:
        new = tuple(_given(platform, material, essay, shared.experts[essay.item_id], now, words[essay.item_id]))
        added += new
        changed.append(essay.changed(new, third=essay.third, due=essay.due))
    after: dict[str, Any] = {essay.item_id: list(shared.experts[essay.item_id]) for essay in essays}
    marking_id = material.bench.marking.marking_id
    change = Change(now, who, "essays assigned", marking_id, None, after)
    try:
        platform.experts.write(Written(tuple(added), tuple(changed)), change)
    except LostRaceError:
        raise changed_meanwhile() from None


def _given(
    platform: Platform, material: _Material, essay: EssayWork, experts: Sequence[str], now: Millis, words: int
) -> Iterator[Assignment]:
    is_third = is_third_lacking(material.assignments[essay.item_id])
    for expert_id in experts:
        name = platform.randomness.assignment_id()
        yield judged_essays.assignments_now(material.bench, essay, expert_id, name, now, is_third=is_third, words=words)


def is_third_lacking(assignments: Sequence[Assignment]) -> bool:
    """Return whether the next assignment of an essay is the third expert's: both independent ones are there."""
    return sum(assignment.counts and not assignment.is_third for assignment in assignments) >= INDEPENDENT


@dataclass(frozen=True, slots=True)
class _Context:
    """Present assignment with its essay and every earlier assignment of it."""

    assignment: Assignment
    essay: EssayWork
    assignments: tuple[Assignment, ...]
    now: Millis


# Clause: platform §5 time
def extend(platform: Platform, who: str, expert_id: str, assignment_id: str, seconds: int, reason: str) -> Assignment:
    """Give an expert more time, also when it has run out; then it runs again from now.

    An expired assignment with an annotation on which a third expert was called stays as it is.
    """

    def extended(context: _Context) -> tuple[Assignment, ...]:
        _refuse_third_called(context)
        return (assignment_rules.extend(context.assignment, seconds * SECOND, reason, context.now),)

    return _decided(platform, who, "assignment extended", (expert_id, assignment_id), extended)[0]


def release(platform: Platform, who: str, expert_id: str, assignment_id: str, reason: str) -> Assignment:
    """Take an essay from an expert and assign it to nobody yet; keep the saved drafts."""

    def released(context: _Context) -> tuple[Assignment, ...]:
        _refuse_third_called(context)
        return (assignment_rules.take_away(context.assignment, AssignmentState.RELEASED, reason, context.now),)

    return _decided(platform, who, "assignment released", (expert_id, assignment_id), released)[0]


# Clause: platform §5 assignment
def reassign(
    platform: Platform, who: str, expert_id: str, assignment_id: str, to: str | None, reason: str
) -> Assignment:
    """Reassign an essay to a named expert or to the least loaded one; keep the first expert's drafts.

    Not eligible: experts who have had the essay, share a conflict group with its annotators, or are not competent.
    """

    def reassigned(context: _Context) -> tuple[Assignment, ...]:
        _refuse_third_called(context)
        before = assignment_rules.take_away(context.assignment, AssignmentState.REASSIGNED, reason, context.now)
        assignments = tuple(
            before if assignment.assignment_id == assignment_id else assignment for assignment in context.assignments
        )
        return (before, _successor(platform, context.essay, assignments, to, context.now))

    return _decided(platform, who, "assignment reassigned", (expert_id, assignment_id), reassigned)[1]


def _successor(
    platform: Platform, essay: EssayWork, assignments: Sequence[Assignment], to: str | None, now: Millis
) -> Assignment:
    want = missing_experts(essay, assignments)
    if want is None:
        raise RefusedError("nobody_lacking", tr("the essay has all its experts; somebody else was given it already"))
    experts = _candidates(platform, to)
    shared = share_out([replace(want, experts=1)], experts, judged_essays.loads(platform, experts, essay.marking_id), 0)
    if shared.uncovered:
        raise EssaysNotCoveredError.naming(shared.uncovered)
    ((expert_id,),) = shared.experts.values()
    name, at = platform.randomness.assignment_id(), judged_essays.judging_facts(platform, essay.marking_id)
    words = judged_essays.counted_words(platform, at, [essay])[essay.item_id]
    return judged_essays.assignments_now(
        at, essay, expert_id, name, now, is_third=is_third_lacking(assignments), words=words
    )


def _candidates(platform: Platform, to: str | None) -> Sequence[Expert]:
    """Return all experts; if one is named, only that one gets anything."""
    experts = platform.experts.all()
    if to is None:
        return experts
    if to not in {expert.expert_id for expert in experts}:
        raise UnknownExpertError
    return [expert if expert.expert_id == to else replace(expert, active=False) for expert in experts]


def _refuse_third_called(context: _Context) -> None:
    """Refuse to change an annotation on which a third expert was called: the third expert sees it."""
    third_called = context.essay.third is not None and context.essay.third.is_needed
    if third_called and not context.assignment.is_third and context.assignment.markup is not None:
        raise RefusedError("third_called", tr("a third expert was called on this markup; it stays as it is"))


def _decided(
    platform: Platform, who: str, what: str, name: tuple[str, str], decide: Callable[[_Context], tuple[Assignment, ...]]
) -> tuple[Assignment, ...]:
    """Decide about an assignment until it is written; the first result is the assignment, a second one is new."""

    def read() -> _Context:
        assignment, now = judged_essays.stored_assignment(platform, *name), platform.clock.now()
        essay = judged_essays.essay_of(platform, assignment)
        return _Context(assignment_at(assignment, now), essay, judged_essays.assignments_at(platform, essay, now), now)

    def written(context: _Context) -> tuple[Assignment, ...]:
        results = decide(context)
        changed = tuple(assignment for assignment in results if assignment is not context.assignment)
        if not changed:
            return results
        states_told = (
            describe_assignment(context.assignment),
            {**describe_assignment(results[-1]), "ended": describe_assignment(results[0])},
        )
        change = Change(context.now, who, what, name[1], states_told[0], states_told[1])
        platform.experts.write(Written(changed, _essays(context, results)), change)
        return results

    return decide_until_written(read(), written, read)


def _essays(context: _Context, results: Sequence[Assignment]) -> tuple[EssayWork, ...]:
    """Return the essay if it has another expert now or an annotation less: the rule may be due again."""
    added = results[1:]
    has_lost = context.assignment.markup is not None and results[0].markup is None
    lost_markup = has_lost and context.essay.has_rule and not context.assignment.is_third
    if not added and not lost_markup:
        return ()
    decision = None if lost_markup else context.essay.third
    return (context.essay.changed(added, third=decision, due=context.essay.due or lost_markup),)
