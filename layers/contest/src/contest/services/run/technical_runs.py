"""The technical qualification's runs, planned by the platform itself (R 6.6)."""

from __future__ import annotations

from contest.domain.cycle.cycle import Cycle, EssaySet, Mode, SetKind
from contest.domain.moments import HOUR, SECOND, Millis
from contest.domain.results.annulment import holds_of_set
from contest.domain.run import calendar
from contest.domain.run.run import Run
from contest.services import reading
from contest.services.platform import Platform
from contest.services.run import planning
from contest.services.run.planning import RunOrder
from tracks.protocol import mode_named


def ensure_run(platform: Platform) -> Run | None:
    """Plan the run of the present slot unless it is planned; the run, or None where there is to be none now.

    The run's name follows from the slot: doubled, late and early ticks make one run. A slot whose tick was missed has
    its run later, as long as it ends before the next one starts; none is planned that a final would meet.

    Clause: R 6.6
    """
    now, found = platform.clock.now(), platform.catalogue.cycle()
    if found is None:
        return None
    reading.remember_cycle(platform, found, now)
    cycle = found.at(now)
    rules = reading.parameters(platform, cycle.parameters_version)
    has_any = mode_named(platform.tracks(cycle.track), Mode.TECHNICAL) is not None
    if not has_any or not rules.technical_times.enabled:
        return None
    slot = calendar.slot_of(rules.technical_times, now)
    known = platform.runs.get(calendar.run_name(cycle.name, slot))
    if known is not None:
        return known
    chosen = _training_set(platform, cycle)
    return _plan(platform, cycle, chosen, slot, now) if chosen is not None else None


def _training_set(platform: Platform, cycle: Cycle) -> EssaySet | None:
    """The first training set with files that is not annulled.

    Clause: D 6.10
    """
    known = platform.annulments.all(cycle.name)
    usable = (each for each in cycle.sets if each.kind is SetKind.TRAINING and each.size)
    return next((each for each in usable if not holds_of_set(known, each.name)), None)


def _plan(platform: Platform, cycle: Cycle, chosen: EssaySet, slot: Millis, now: Millis) -> Run | None:
    parameters = reading.parameters(platform, cycle.parameters_version)
    rules, times = parameters.technical, parameters.technical_times
    drawn = calendar.drawn(cycle.name, slot, rules, chosen.size, platform.randomness.salt())
    planned = calendar.start_of(times, slot)
    starts_at = planned if planned > now else now + times.lead_s * SECOND + SECOND
    ends_at = starts_at + (drawn.files - 1) * drawn.interval + rules.total_s * SECOND
    too_late = starts_at > planned and ends_at > planned + times.every_hours * HOUR
    if too_late or _meets_final(platform, starts_at, ends_at):
        return None
    order = RunOrder(
        mode=Mode.TECHNICAL,
        set_name=chosen.name,
        starts_at=starts_at,
        interval=drawn.interval,
        files=drawn.files,
        run_id=drawn.run_id,
    )
    return planning.plan_run(platform, None, order)


def _meets_final(platform: Platform, starts_at: Millis, ends_at: Millis) -> bool:
    """Whether a final takes place in this time; one that was stopped is none.

    Clause: R 6.6
    """
    active = (reading.schedule(platform, each) for each in platform.runs.active_ids())
    return any(
        each.run.mode is Mode.FINAL and each.stop is None and each.opens_at(1) <= ends_at and starts_at <= each.ends_at
        for each in active
    )
