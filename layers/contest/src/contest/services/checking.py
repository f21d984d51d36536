"""A deployed cycle looked over before a final (platform §7): what is missing is seen while it can be mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contest.domain.cycle.cycle import OPEN_TO_ALL, Cycle, Mode
from contest.domain.cycle.stages import (
    Outside,
    StageName,
    outside_stage,
    rule_of_stage,
    stage_at,
)
from contest.domain.moments import Millis, iso
from contest.domain.people.teams import TeamStatus
from contest.domain.results import hidden_sets
from contest.domain.run import checks
from contest.domain.run.checks import Check, CheckGrade
from contest.domain.run.run import Run
from contest.domain.session import limits
from contest.errors import UnknownRunError
from contest.services import reading, terms
from contest.services.platform import Platform
from contest.services.results import waiting
from contest.services.run import planning
from contest.services.sweep import TIMER
from tracks.capabilities import MarkedByExperts
from tracks.protocol import Text
from tracks.rules import Details


@dataclass(frozen=True, slots=True)
class Checked:
    """Everything that was looked at; ``run``: the final that it was about, if one is planned."""

    run: Run | None
    now: Millis
    found: tuple[Check, ...]


def check(platform: Platform, arrived_at: Millis, run_id: str | None) -> Checked:
    """Look a deployed cycle over for a final, by default the next one that counts; it changes nothing.

    :class:`contest.errors.UnknownRunError` for a run that there is not, :class:`contest.errors.NoCycleError`.

    Clause: platform §7 check
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    run = _final(platform, run_id, now)
    found = [checks.timer(platform.upkeep.ticks().get(TIMER), now), checks.clock(arrived_at, now)]
    found += [*_of_stages(cycle, now), *_of_sets(platform, cycle)]
    found += [_of_scoring(platform, now), checks.letters(platform.dead_letters.counts())]
    found += _without_final() if run is None else _of_final(platform, cycle, run)
    return Checked(run, now, tuple(found))


def _final(platform: Platform, run_id: str | None, now: Millis) -> Run | None:
    if run_id is not None:
        found = platform.runs.get(run_id)
        if found is None:
            raise UnknownRunError
        return found
    coming = [each for each in terms.counting_runs(platform, Mode.FINAL) if each.ends_at > now]
    return min(coming, key=lambda each: each.run.starts_at).run if coming else None


def _of_sets(platform: Platform, cycle: Cycle) -> Iterator[Check]:
    """By the sets' sizes and first steps, which a cycle names: whoever checks may not read items."""
    steps = {each.name: each.first_step for each in cycle.sets}
    track = platform.tracks(cycle.track)
    yield from checks.sets(cycle.sets, track.least_sets(), steps)
    rules = reading.parameters(platform, cycle.parameters_version)
    for kind in sorted({each.kind for each in cycle.sets} & OPEN_TO_ALL):
        sessions = limits.quota_of(Mode.ALGORITHMIC, kind, rules).most
        if track.details(kind.value) is Details.MEASURES:
            yield checks.hidden_files(kind.value, sessions)
        if hidden_sets.tells_totals(track, kind):
            yield checks.hidden_totals(kind.value, sessions, rules.submissions_per_day, rules.least_hidden_items)


def _of_stages(cycle: Cycle, now: Millis) -> Iterator[Check]:
    """Tell each stage's days and rule, and warn outside of them where things are taken all the same.

    Clause: R 6.3
    """
    for stage in cycle.stages:
        is_within = outside_stage(cycle.stages, stage.name, cycle.calendar, now) is None
        grade = CheckGrade.OK if is_within or stage.outside == Outside.REFUSE else CheckGrade.WARNING
        yield Check("stage", grade, rule_of_stage(stage), {"stage": stage.name.value, "outside": stage.outside})


def _of_scoring(platform: Platform, now: Millis) -> Check:
    found = list(waiting.waiting(platform))
    return checks.waiting(sum(each.answers for each in found), min((each.oldest for each in found), default=None), now)


def _without_final() -> Iterator[Check]:
    en, ru = "no final is planned: teams, experts and terms are not looked at", "финальные испытания не запланированы"
    yield Check("final", CheckGrade.WARNING, Text(en, ru))


def _of_final(platform: Platform, cycle: Cycle, run: Run) -> Iterator[Check]:
    yield _of_stage(cycle, run)
    taking_part = _teams(platform, run)
    yield checks.teams(taking_part)
    rules = reading.parameters(platform, run.parameters_version)
    yield from checks.capacity(platform.capacity, len(taking_part), rules.requests_per_second)
    if isinstance(platform.tracks(cycle.track), MarkedByExperts):
        items = reading.manifest(platform, cycle.name, run.manifest).items
        unmarked = [(each.language, each.group) for each in items if not each.references]
        if unmarked:
            yield from checks.experts(platform.experts.all(), unmarked)
    yield from checks.terms(planning.terms_of(platform, run, cycle))


def _of_stage(cycle: Cycle, run: Run) -> Check:
    """Whether the final lies in its stage, where the cycle has one."""
    said = Text(
        f"the final {run.run_id} starts at {iso(run.starts_at)}", f"финал {run.run_id}: старт {iso(run.starts_at)}"
    )
    where = {"run": run.run_id, "starts_at": iso(run.starts_at)}
    stage = stage_at(cycle.stages, cycle.calendar, run.starts_at)
    if cycle.stages and (stage is None or stage.name is not StageName.FINAL):
        en, ru = f"{said.en}, outside the stage of finals", f"{said.ru}, вне этапа финальных испытаний"
        return Check("final", CheckGrade.WARNING, Text(en, ru), where)
    return Check("final", CheckGrade.OK, said, where)


def _teams(platform: Platform, run: Run) -> list[tuple[str, bool, bool]]:
    """Teams that may take part: those that were admitted, or all that are approved."""
    now, known = platform.clock.now(), platform.people.all_teams()
    approved = {each.team_id for each in known if each.status is TeamStatus.APPROVED}
    admitted = reading.admitted(platform, run)
    wanted = sorted(approved) if admitted is None else admitted
    return [
        (each, each in approved, any(token.is_live(now) for token in platform.people.tokens_of(each)))
        for each in wanted
    ]
