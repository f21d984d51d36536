"""Essays are given to experts: a set's, or the files of a final that is over (R 7.10, platform §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest.domain.cycle.cycle import OPEN_TO_ALL, Cycle, Item, Mode
from contest.domain.experts.assignment import Assignment
from contest.domain.experts.marking import EssayWork, Marking, wanted
from contest.domain.experts.refusals import EssaysNotCoveredError
from contest.domain.experts.sharing_out import INDEPENDENT, Shared, share_out
from contest.domain.moments import Millis
from contest.domain.people.teams import Change
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.ports import LostRaceError
from contest.ports.experts import Written
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.experts import looking, third
from contest.services.experts.looking import Bench
from contest.services.platform import Platform

_ITEMS: Final = 99
"""Items of one transaction beside the log's: of an essay its assignments, itself, and its pointer unless it is new."""


@dataclass(frozen=True, slots=True)
class MarkingOrder:
    """Which essays are to be marked up: those of a run, or those of a set; or of which session of a final that is over
    the answers' explanations are to be rated. ``seed`` None: the cycle's."""

    run_id: str | None = None
    set_name: str | None = None
    session_id: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Who would get which essay. ``loads``: essays of each expert before and after."""

    marking: Marking
    essays: int
    shared: Shared
    loads: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Material:
    """What a plan is made from and written by."""

    bench: Bench
    is_new: bool
    essays: tuple[EssayWork, ...]
    given: Mapping[str, tuple[Assignment, ...]]


def plan(platform: Platform, order: MarkingOrder) -> Plan:
    """Who would get which essay now, and which cannot be covered; nothing is written.

    Clause: platform §5 assignment
    """
    return _plan(platform, order)[0]


def assign(platform: Platform, who: str, order: MarkingOrder) -> Plan:
    """Give every essay the experts it lacks; asked again, only what lacks some by then gets any.

    All or nothing is decided before anything is written. A crash in between leaves whole essays, and the next call
    gives out the rest.

    Clause: R 7.10, platform §5 assignment
    """
    made, material = _plan(platform, order)
    if made.shared.uncovered:
        raise EssaysNotCoveredError.naming(made.shared.uncovered)
    now = platform.clock.now()
    if material.is_new:
        _begin(platform, who, made.marking, now)
    to_write = [each for each in material.essays if each.item_id in made.shared.experts]
    for together in _portions(to_write, made.shared):
        _give(platform, who, material, made.shared, together, now)
    return made


def _portions(essays: Sequence[EssayWork], shared: Shared) -> Iterator[list[EssayWork]]:
    """Essays in their order, as many at a time as one transaction takes; at least one."""
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
    wants = [want for essay in material.essays if (want := wanted(essay, material.given[essay.item_id])) is not None]
    experts = platform.experts.all()
    before = third.loads(platform, experts, marking.marking_id)
    seed = parameters.bootstrap_seed if order.seed is None else order.seed
    shared = share_out(wants, experts, before, seed)
    added = [name for names in shared.experts.values() for name in names]
    loads = {name: (load, load + added.count(name)) for name, load in sorted(before.items())}
    return Plan(marking, len(wants), shared, loads), material


def _material(platform: Platform, order: MarkingOrder) -> _Material:
    cycle = reading.cycle_now(platform)
    marking, fresh = _ordered(platform, cycle, order)
    known = platform.experts.marking(marking.marking_id)
    marking = known or marking
    track = platform.tracks(marking.track)
    parameters = reading.parameters(platform, marking.parameters_version)
    bench = Bench(marking, track, looking.judging(track), parameters)
    stored = {each.item_id: each for each in platform.experts.essays(marking.marking_id)}
    essays = tuple(stored.get(each.item_id) or each for each in fresh)
    given = looking.given_in(platform, essays, platform.clock.now())
    return _Material(bench, known is None, essays, given)


def _essay(marking: Marking, item: Item) -> EssayWork:
    return EssayWork(marking.marking_id, item.item_id, item.language, item.group, item.content)


def _ordered(platform: Platform, cycle: Cycle, order: MarkingOrder) -> tuple[Marking, Sequence[EssayWork]]:
    if sum(each is not None for each in (order.run_id, order.set_name, order.session_id)) != 1:
        raise RefusedError(
            "run_or_set",
            "name one of run, set and session",
            "укажите что-то одно: прогон, выборку или сессию",
        )
    if order.session_id is not None:
        return _of_session(platform, order.session_id)
    if order.run_id is not None:
        return _of_run(platform, order.run_id)
    return _of_set(platform, cycle, order.set_name or "")


def _of_run(platform: Platform, run_id: str) -> tuple[Marking, Sequence[EssayWork]]:
    """A final's files, once all its sessions are closed: nobody sees an essay before its release.

    Clause: R 7.10, platform §5 embargo
    """
    run = _finished(platform, run_id)
    files = reading.run_plan(platform, Schedule.of(run))
    manifests = {each.manifest for each in files}
    known = {name: reading.manifest(platform, run.cycle, name).by_id() for name in manifests}
    items: dict[str, Item] = {}
    for each in files:
        item = known[each.manifest][each.item_id]
        if items.setdefault(each.item_id, item) != item:
            raise RefusedError(
                "two_items_of_one_name",
                f"the final and the reserve set have different files called {each.item_id}",
                f"в финальной и резервной выборках разные файлы с именем {each.item_id}",
                item_id=each.item_id,
            )
    now = platform.clock.now()
    place = (run.cycle, run.track, run.set_name, run_id, run.parameters_version)
    return _begun(Marking(run_id, *place, created_at=now, essays=len(items)), items)


def _of_set(platform: Platform, cycle: Cycle, set_name: str) -> tuple[Marking, Sequence[EssayWork]]:
    chosen = cycle.set_named(set_name)
    if chosen is None:
        raise RefusedError("unknown_set", f"the cycle has no set {set_name}", f"в цикле нет выборки {set_name}")
    if chosen.kind not in OPEN_TO_ALL:
        raise RefusedError(
            "set_of_a_final",
            "files of a final are marked up by its run, when it is over",
            "файлы финала размечают по его прогону, когда тот завершён",
        )
    items = reading.manifest(platform, cycle.name, chosen.manifest).by_id()
    name = f"{set_name}-{chosen.manifest[:12]}"
    place = (cycle.name, cycle.track, set_name, None, cycle.parameters_version)
    return _begun(Marking(name, *place, created_at=platform.clock.now(), essays=len(items)), items)


def _of_session(platform: Platform, session_id: str) -> tuple[Marking, Sequence[EssayWork]]:
    """A team's counting answers, as far as they explain anything: explanations are rated. Of a final when it is over,
    of a qualification when the session is.

    Clause: platform §5 ratings, R-App1 M7
    """
    session = reading.session(platform, session_id)
    if session is None:
        raise RefusedError("no_session_of_a_final", "there is no such session", "такой сессии нет")
    if session.order.mode == Mode.FINAL:
        _finished(platform, session.run_id or "")
    elif session.is_open:
        raise RefusedError("session_not_over", "the session still goes on", "сессия ещё идёт")
    experts = looking.judging(platform.tracks(session.track))
    marking_id, essays = ratings_of(session_id), []
    for delivery in platform.deliveries.of_session(session_id):
        if delivery.answer is None:
            continue
        named = (session_id, delivery.number, delivery.answer.content_sha256)
        item = reading.item_of(platform, session, reading.planned_file(platform, session, delivery.number))
        content = reading.item_content(platform, session.cycle, item.content)
        if experts.cards(content, looking.answer(platform, named), "") is not None:
            place = (f"{session_id}-{delivery.number:04d}", item.language, item.group, item.content)
            essays.append(EssayWork(marking_id, *place, answer=named))
    source = (session.cycle, session.track, session.order.set_name, session.run_id, session.parameters_version)
    return Marking(marking_id, *source, created_at=platform.clock.now(), essays=len(essays)), essays


def ratings_of(session_id: str) -> str:
    """Under which name a session's explanations are rated."""
    return f"ratings-{session_id}"


def _finished(platform: Platform, run_id: str) -> Run:
    """A final whose sessions are all closed.

    Clause: R 7.10, platform §5 embargo
    """
    run = reading.run_now(platform, run_id)
    if run.mode is not Mode.FINAL:
        raise RefusedError(
            "not_a_final", "experts mark up the files of finals", "эксперты размечают файлы финальных испытаний"
        )
    if run.closed_at is None:
        raise RefusedError(
            "run_not_over",
            "the run's sessions are not closed yet; its files are marked up afterwards",
            "сессии прогона ещё не закрыты; файлы размечают после этого",
        )
    return run


def _begun(marking: Marking, items: Mapping[str, Item]) -> tuple[Marking, Sequence[EssayWork]]:
    return marking, [_essay(marking, item) for _, item in sorted(items.items())]


def _begin(platform: Platform, who: str, marking: Marking, now: Millis) -> None:
    after = {"set": marking.set_name, "run": marking.run_id, "essays": marking.essays}
    try:
        platform.experts.add_marking(marking, Change(now, who, "marking begun", marking.marking_id, None, after))
    except LostRaceError:
        raise changed_meanwhile() from None


def _give(
    platform: Platform, who: str, material: _Material, shared: Shared, essays: Sequence[EssayWork], now: Millis
) -> None:
    """Write the assignments of some essays, whole essays at once."""
    added: list[Assignment] = []
    changed: list[EssayWork] = []
    for essay in essays:
        new = tuple(_given(platform, material, essay, shared.experts[essay.item_id], now))
        added += new
        changed.append(essay.changed(new, third=essay.third, due=essay.due))
    after: dict[str, Any] = {each.item_id: list(shared.experts[each.item_id]) for each in essays}
    marking_id = material.bench.marking.marking_id
    change = Change(now, who, "essays assigned", marking_id, None, after)
    try:
        platform.experts.write(Written(tuple(added), tuple(changed)), change)
    except LostRaceError:
        raise changed_meanwhile() from None


def _given(
    platform: Platform, material: _Material, essay: EssayWork, experts: Sequence[str], now: Millis
) -> Iterator[Assignment]:
    is_third = is_third_lacking(material.given[essay.item_id])
    for expert_id in experts:
        name = platform.randomness.assignment_id()
        yield third.given_now(material.bench, essay, expert_id, name, now, is_third=is_third)


def is_third_lacking(given: Sequence[Assignment]) -> bool:
    """Whether the next assignment of an essay is the third expert's: both independent ones are there."""
    return sum(each.counts and not each.is_third for each in given) >= INDEPENDENT


def changed_meanwhile() -> RefusedError:
    """Somebody else, or the rule, gave out the same essays."""
    return RefusedError(
        "changed_meanwhile",
        "something else changed these essays' assignments meanwhile; look again and repeat",
        "назначения этих эссе тем временем изменились; посмотрите и повторите",
    )
