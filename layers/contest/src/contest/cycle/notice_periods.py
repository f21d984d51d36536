"""Inputs of the check of notice periods: the cycle's periods in its calendar, and the planned runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from contest.cycle.errors import RunUnderWayError
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import ALL_LANGUAGES, OPEN_TO_ALL, Cycle, Mode, Parameters
from contest.cycle.rules.notices import Terms
from contest.platform import Platform
from contest.results.rules import leaderboard
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import Millis
from tracks.protocol import Reason
from tracks.rules import Occasion

_KNOWN: Final = 100
"""The latest runs of a mode that are looked at: those that are planned are among them."""
_SCHEDULED: Final = (Mode.FINAL, Mode.TECHNICAL)


# Clause: TS T17
def of_cycle(platform: Platform, cycle: Cycle) -> Terms:
    """Return the cycle's periods, its own and its track's, in its calendar."""
    return notices.of_cycle(cycle, platform.tracks(cycle.track).notice_periods())


def counting_runs(platform: Platform, mode: Mode) -> tuple[Schedule, ...]:
    """List runs of a mode that count: neither trials nor stopped ones, the latest start first."""
    runs = (platform.runs.get(run_id) for run_id in platform.runs.of_mode(mode, _KNOWN))
    folded = (Schedule.of(run) for run in runs if run is not None and not run.trial)
    return tuple(schedule for schedule in folded if schedule.stop is None)


# Clause: R 5.8, D 2.4, platform §2 effective time
def of_parameters(platform: Platform, cycle: Cycle, told_at: Millis, effective_at: Millis) -> Iterator[Reason]:
    """Warn of a change of parameters, and of runs that keep the version with which they were planned."""
    runs = [schedule for mode in _SCHEDULED for schedule in counting_runs(platform, mode)]
    yield from notices.of_parameters(
        of_cycle(platform, cycle), told_at, effective_at, [schedule.opens_at(1) for schedule in runs]
    )
    for schedule in runs:
        if schedule.ends_at >= effective_at:
            name = schedule.run.run_id
            en = tr(
                "the run {name} is planned with version {parameters_version} and keeps it",
                name=name,
                parameters_version=schedule.run.parameters_version,
            )
            yield Reason("run_keeps_version", en, {"run": name, "version": schedule.run.parameters_version})


# Clause: R 5.8, platform §2 effective time
def refuse_in_a_final(platform: Platform, effective_at: Millis) -> None:
    """Refuse a change that would take effect while a final lasts: rules for teams must not change in its middle."""
    for schedule in counting_runs(platform, Mode.FINAL):
        if schedule.run.starts_at <= effective_at <= schedule.ends_at:
            raise RunUnderWayError.of(schedule.run.run_id, schedule.run.starts_at, schedule.ends_at)


# Clause: R 4.7, R 9.2, D 14.1
def of_sets(platform: Platform, before: Cycle | None, after: Cycle) -> Iterator[Reason]:
    """Warn of training and test sets, and of modules, that a change of the cycle brings."""
    if before is None:
        return
    terms, starts = (
        of_cycle(platform, after),
        [schedule.opens_at(1) for schedule in counting_runs(platform, Mode.FINAL)],
    )
    if after.sets_changed_at and after.sets_changed_at != before.sets_changed_at:
        yield from notices.of_change(terms, Occasion.SETS, after.sets_changed_at, starts)
    if after.modules_changed_at and after.modules_changed_at != before.modules_changed_at:
        yield from notices.of_change(terms, Occasion.MODULES, after.modules_changed_at, starts)


# Clause: platform §2 rescoring
def of_results(
    platform: Platform, before: Cycle | None, tests: Mapping[str, str], rules: Parameters
) -> Iterator[Reason]:
    """Warn of results on boards that a change of sets or parameters makes stale, with the command that mends it.

    ``tests`` are the lists of the test sets by their names, and ``rules`` the parameters, that hold after it. Counted
    are sessions and submissions that stand on a board, each once; those that were stale before are counted along, but
    alone are no reason to warn.
    """
    if before is None:
        return
    lists, earlier_lists = frozenset(tests.values()), leaderboard.present_lists(before)
    earlier = platform.catalogue.parameters(before.parameters_version)
    if lists == earlier_lists and rules.scores_as(earlier):
        return
    others = [f"{leaderboard.BOARD}{board.key}" for board in platform.tracks(before.track).boards()[1:]]
    scopes = [ALL_LANGUAGES, *before.languages, *others]
    entries = [entry for scope in scopes for entry in platform.scores.entries(before.name, scope)]
    versions = {
        version: platform.catalogue.parameters(version) for version in {entry.parameters_version for entry in entries}
    }
    stale = {entry.session_id for entry in entries if leaderboard.is_stale(entry, lists, rules, versions)}
    stale_before = {
        entry.session_id for entry in entries if leaderboard.is_stale(entry, earlier_lists, earlier, versions)
    }
    if not stale - stale_before:
        return
    total = len({entry.session_id for entry in entries})
    commands = "; ".join(f"contest rescore begin --set {set_name} --reason TEXT" for set_name in tests)
    message = tr(
        "the change leaves {stale} of {total} results on the boards by earlier rules or references; score them anew "
        "once it holds: {commands}",
        stale=len(stale),
        total=total,
        commands=commands,
    )
    yield Reason("results_stale", message, {"results": len(stale), "of": total})


def changed_at(before: Cycle | None, after: Cycle, now: Millis) -> tuple[Millis | None, Millis | None]:
    """Return when training and test sets, and when modules last changed, if ``after`` replaces ``before`` now."""
    if before is None:
        return now, now if after.known_modules else None
    sets_changed_at = before.loaded_at if before.sets_changed_at is None else before.sets_changed_at
    same_modules = before.known_modules == after.known_modules
    return sets_changed_at if _open(before) == _open(after) else now, before.modules_changed_at if same_modules else now


def _open(cycle: Cycle) -> frozenset[tuple[str, str, str]]:
    return frozenset(
        (essay_set.name, essay_set.kind.value, essay_set.manifest)
        for essay_set in cycle.sets
        if essay_set.kind in OPEN_TO_ALL
    )
