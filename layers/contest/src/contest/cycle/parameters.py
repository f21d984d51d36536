"""The cycle's parameters and their versions, announced with effective times (R 2.17, 5.8), and warnings of a change.

The check of notice periods compares a change with the cycle's periods in its calendar and with the planned runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Any, Final

from contest import reading
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import ALL_LANGUAGES, OPEN_TO_ALL, SETS_OF_RUNS, Cycle, Mode, Parameters, Version
from contest.cycle.rules.notices import Announcement, FieldChange, Terms, changes
from contest.cycle.rules.stages import WEEKDAYS
from contest.errors import (
    EffectiveTooSoonError,
    InvalidParametersError,
    NothingChangesError,
    ParametersPendingError,
    RunUnderWayError,
    UnknownSetError,
    UnknownVersionError,
    VersionInForceError,
    from_reasons,
)
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide
from contest.results.rules import leaderboard
from contest.results.rules.reports import described_parameters
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import MINUTE, Millis, canonical, iso
from markup_core.lazy import dataclass
from tracks.capabilities import Replayed
from tracks.protocol import Reason, mode_named
from tracks.rules import Occasion

_LATEST_RUNS: Final = 100
"""Number of the latest runs of a mode that are read; all planned ones are among them."""
_SCHEDULED: Final = (Mode.FINAL, Mode.TECHNICAL)


# Clause: TS T17
def notice_terms(platform: Platform, cycle: Cycle) -> Terms:
    """Return the notice periods of the cycle and of its track, in the cycle's calendar."""
    return notices.of_cycle(cycle, platform.tracks(cycle.track).notice_periods())


def counting_runs(platform: Platform, mode: Mode) -> tuple[Schedule, ...]:
    """List runs of a mode that count: neither trials nor stopped ones, the latest start first."""
    runs = (platform.runs.get(run_id) for run_id in platform.runs.of_mode(mode, _LATEST_RUNS))
    folded = (Schedule.of(run) for run in runs if run is not None and not run.trial)
    return tuple(schedule for schedule in folded if schedule.stop is None)


# Clause: R 5.8, D 2.4, platform §2 effective time
def parameters_warnings(platform: Platform, cycle: Cycle, told_at: Millis, effective_at: Millis) -> Iterator[Reason]:
    """Warn of a change of parameters, and of runs that keep the version with which they were planned."""
    runs = [schedule for mode in _SCHEDULED for schedule in counting_runs(platform, mode)]
    yield from notices.of_parameters(
        notice_terms(platform, cycle), told_at, effective_at, [schedule.opens_at(1) for schedule in runs]
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
def sets_warnings(platform: Platform, before: Cycle | None, after: Cycle) -> Iterator[Reason]:
    """Warn of training and test sets, and of modules, that differ after a change of the cycle."""
    if before is None:
        return
    terms, starts = (
        notice_terms(platform, after),
        [schedule.opens_at(1) for schedule in counting_runs(platform, Mode.FINAL)],
    )
    if after.sets_changed_at and after.sets_changed_at != before.sets_changed_at:
        yield from notices.of_change(terms, Occasion.SETS, after.sets_changed_at, starts)
    if after.modules_changed_at and after.modules_changed_at != before.modules_changed_at:
        yield from notices.of_change(terms, Occasion.MODULES, after.modules_changed_at, starts)


# Clause: platform §2 rescoring
def results_warnings(
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


def sets_and_modules_changed_at(before: Cycle | None, after: Cycle, now: Millis) -> tuple[Millis | None, Millis | None]:
    """Return when training and test sets, and when modules last changed, if ``after`` replaces ``before`` now."""
    if before is None:
        return now, now if after.known_modules else None
    sets_changed_at = before.loaded_at if before.sets_changed_at is None else before.sets_changed_at
    same_modules = before.known_modules == after.known_modules
    return sets_changed_at if _open_sets(before) == _open_sets(
        after
    ) else now, before.modules_changed_at if same_modules else now


def _open_sets(cycle: Cycle) -> frozenset[tuple[str, str, str]]:
    return frozenset(
        (essay_set.name, essay_set.kind.value, essay_set.manifest)
        for essay_set in cycle.sets
        if essay_set.kind in OPEN_TO_ALL
    )


_UNDESCRIBED: Final = ("submissions_per_day", "unscored_per_day", "refusals_per_file", "body_s", "body_bytes_per_s")
"""Parameters that no description of the cycle contains; a change of them makes a new version all the same."""


# Clause: platform §2 parameters, R 2.17
def version_content(parameters: Parameters) -> dict[str, Any]:
    """Return the content of a version without its number."""
    described_fields = described_parameters(parameters) | {name: getattr(parameters, name) for name in _UNDESCRIBED}
    return {name: value for name, value in described_fields.items() if name not in {"version", "announced_at"}}


def same_content(one: Parameters, other: Parameters) -> bool:
    """Say whether two versions have the same content."""
    return canonical(version_content(one)) == canonical(version_content(other))


# Clause: R 2.17, platform §2 parameters
def of_file(platform: Platform, before: Cycle | None, loaded: Parameters, now: Millis) -> Parameters:
    """Return the version of a loaded file: the one in force or a pending one with the same content, else the next.

    A next one is in force at once. :class:`contest.errors.RunUnderWayError` in the middle of a final,
    :class:`ParametersPendingError` where another change is announced.
    """
    if before is None:
        return replace(loaded, version=1, announced_at=now)
    current = platform.catalogue.parameters(before.version_at(now))
    pending = before.pending(now)
    if same_content(loaded, current) or any(
        same_content(loaded, platform.catalogue.parameters(version.version)) for version in pending
    ):
        return current
    if pending:
        raise ParametersPendingError.at(pending[0].version, pending[0].effective_at)
    refuse_in_a_final(platform, now)
    return replace(loaded, version=before.last_version + 1, announced_at=now)


def with_version(before: Cycle | None, parameters: Parameters, effective_at: Millis) -> tuple[Version, ...]:
    """Return a cycle's versions with one more, unless they contain it."""
    versions = before.versions if before else ()
    if before is not None and parameters.version <= before.last_version:
        return versions
    return (*versions, Version(parameters.version, effective_at))


KNOWN_BY_ALL: Final[Millis] = MINUTE
"""Longest use of a process's copy of the cycle; no change takes effect sooner."""


class VersionState(StrEnum):
    """State of a version at a moment."""

    FORMER = "former"
    IN_FORCE = "in_force"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Wish:
    """Wish to change the parameters: all of them as in the cycle's file, the effective time, and the reason.

    Without ``stores``, the effects are returned and nothing is stored.
    """

    parameters: Mapping[str, Any]
    effective_at: Millis
    reason: str
    stores: bool = True


@dataclass(frozen=True, slots=True)
class Planned:
    """A change of parameters with its effects, planned or made."""

    parameters: Parameters
    effective_at: Millis
    changed: tuple[FieldChange, ...]
    warnings: tuple[Reason, ...]
    announcement: Announcement


@dataclass(frozen=True, slots=True)
class Known:
    """A version with its effective time (None: the cycle's first loading) and its state."""

    parameters: Parameters
    effective_at: Millis | None
    state: VersionState

    @property
    def version(self) -> int:
        """Number of the version."""
        return self.parameters.version

    @property
    def announced_at(self) -> Millis:
        """Moment of its announcement."""
        return self.parameters.announced_at


# Clause: R 2.17, R 5.8, platform §2 parameters, platform §2 effective time
def change(platform: Platform, who: str, wish: Wish) -> Planned:
    """Store the next version with its effective time and announce it, in one write, unless it is a preview.

    Open sessions and planned runs keep the version that they have. Raises the members of
    :mod:`contest.errors`: parameters that cannot be, a moment that has come, one in the middle of a final.
    """

    def write(before: Cycle) -> Planned:
        planned = _planned(platform, before, wish)
        if not wish.stores:
            return planned
        row = Version(planned.parameters.version, wish.effective_at)
        what: dict[str, Any] = {"version": row.version, "effective_at": iso(row.effective_at), "reason": wish.reason}
        what["changed"] = [difference.field for difference in planned.changed]
        entry = Change(platform.clock.now(), who, "parameters changed", before.name, None, what)
        after = replace(before, versions=(*before.versions, row))
        platform.catalogue.publish(after, planned.parameters, entry, [(None, planned.announcement)])
        return planned

    return read_and_decide(lambda: reading.written_cycle(platform), write)


# Clause: R 5.8, platform §2 effective time
def withdraw(platform: Platform, who: str, version: int, reason: str) -> Known:
    """Withdraw a version that has not taken effect yet, and its announcement."""

    def write(before: Cycle) -> Known:
        now = platform.clock.now()
        if not 1 <= version <= before.last_version:
            raise UnknownVersionError
        if version not in {pending.version for pending in before.pending(now)}:
            raise VersionInForceError
        rows = [replace(row, withdrawn_at=now) if row.version == version else row for row in before.versions]
        announcement = platform.announcements.get(f"parameters-{version}")
        ended = [(announcement, notices.withdrawn(announcement, now, reason))] if announcement is not None else []
        entry = Change(now, who, "parameters withdrawn", before.name, {"version": version}, {"reason": reason})
        platform.catalogue.publish(replace(before, versions=tuple(rows)), None, entry, ended)
        row = next(row for row in rows if row.version == version)
        return Known(reading.parameters(platform, version), row.effective_at, VersionState.WITHDRAWN)

    return read_and_decide(lambda: reading.written_cycle(platform), write)


def list_versions(platform: Platform) -> tuple[Known, ...]:
    """List all versions, the latest first."""
    cycle = reading.recent_written_cycle(platform)
    return tuple(_known(platform, cycle, version) for version in range(cycle.last_version, 0, -1))


def read_version(platform: Platform, version: int) -> Known:
    """Return a version; :class:`UnknownVersionError`."""
    cycle = reading.recent_written_cycle(platform)
    if not 1 <= version <= cycle.last_version:
        raise UnknownVersionError
    return _known(platform, cycle, version)


def compare_versions(platform: Platform, version: int, since: int | None) -> tuple[int, tuple[FieldChange, ...]]:
    """Return an earlier version's number (by default that of the one before) and the fields that differ from it."""
    earlier = max(1, version - 1) if since is None else since
    before, after = read_version(platform, earlier).parameters, read_version(platform, version).parameters
    return earlier, changes(version_content(before), version_content(after))


def _known(platform: Platform, cycle: Cycle, version: int) -> Known:
    now = platform.clock.now()
    row = next((row for row in cycle.versions if row.version == version), None)
    if version == cycle.version_at(now):
        state = VersionState.IN_FORCE
    elif row is not None and row.withdrawn_at is not None:
        state = VersionState.WITHDRAWN
    else:
        state = VersionState.PENDING if row is not None and row.effective_at > now else VersionState.FORMER
    return Known(reading.parameters(platform, version), row.effective_at if row else None, state)


def _planned(platform: Platform, cycle: Cycle, wish: Wish) -> Planned:
    now, effective_at = platform.clock.now(), wish.effective_at
    if effective_at < now + KNOWN_BY_ALL:
        raise EffectiveTooSoonError.before(now + KNOWN_BY_ALL)
    parameters = replace(_read(platform, cycle, wish.parameters), version=cycle.last_version + 1, announced_at=now)
    for pending in cycle.pending(now):
        if pending.effective_at >= effective_at:
            raise ParametersPendingError.at(pending.version, pending.effective_at)
    refuse_in_a_final(platform, effective_at)
    current = reading.parameters(platform, cycle.version_at(effective_at))
    changed = changes(version_content(current), version_content(parameters))
    if not changed:
        raise NothingChangesError
    warnings = (
        *parameters_warnings(platform, cycle, now, effective_at),
        *results_warnings(platform, cycle.at(effective_at), leaderboard.lists_of_tests(cycle), parameters),
    )
    announcement = notices.draft_of_parameters(parameters.version, changed, effective_at, wish.reason, now)
    return Planned(parameters, effective_at, changed, warnings, announcement)


def _read(platform: Platform, cycle: Cycle, raw: Mapping[str, Any]) -> Parameters:
    """Read the parameters of a file, under a cycle's classifier and languages; all faults at once."""
    from contest.cycle import file, loading  # the form of a cycle, not needed to compare two versions

    track = reading.track_of(platform, cycle)
    rules = track.policies(Mode.ALGORITHMIC)
    languages = {name: list(groups) for name, groups in cycle.languages.items()}
    own = {**file.tracks_own(raw), "classifier": cycle.classifier, "languages": languages}
    completed, reasons = track.read_parameters(own)
    part, faults = file.read_parameters(raw, rules, cycle.languages)
    reasons = (*reasons, *loading.program_not_stored(platform, cycle.name, track, completed))
    if reasons or faults or part is None:
        form_reasons = [Reason(fault.code, fault.message, fault.where) for fault in faults]
        raise InvalidParametersError(from_reasons([*reasons, *form_reasons]))
    return part.made(rules, completed, version=0, announced_at=0)


def describe_cycle(cycle: Cycle, parameters: Parameters) -> dict[str, Any]:
    """Describe a cycle in the form of its file, with the defaults that the file omits, and its sets' manifests."""
    return {
        "cycle": cycle.name,
        "name": dict(cycle.title),
        "track": cycle.track,
        "time_zone": cycle.time_zone,
        "languages": {name: list(groups) for name, groups in cycle.languages.items()},
        "classifier": cycle.classifier,
        "known_clients": list(cycle.known_clients),
        "knowledge_base": [asdict(document) for document in cycle.knowledge_base],
        "about": cycle.about,
        "prize": cycle.prize,
        "stages": {
            stage.name.value: {"first": stage.first, "last": stage.last, "outside": stage.outside}
            for stage in cycle.stages
        },
        "working_days": {
            "weekend": [WEEKDAYS[day] for day in cycle.working_days.weekend],
            "holidays": list(cycle.working_days.holidays),
            "working_weekends": list(cycle.working_days.working),
        },
        "notices": dict(cycle.notices),
        "protocols": None if cycle.protocols is None else list(cycle.protocols),
        "parameters": version_content(parameters),
        "sets": {
            essay_set.name: {
                "kind": essay_set.kind.value,
                "manifest": essay_set.manifest,
                "files": dict(essay_set.sizes),
            }
            for essay_set in cycle.sets
        },
    }


# Clause: platform §7 compare
def describe_running_cycle(platform: Platform) -> dict[str, Any]:
    """Describe the running cycle in the form of its file; :class:`contest.errors.NoCycleError` before one is loaded."""
    cycle = reading.cycle_now(platform)
    return describe_cycle(cycle, reading.parameters(platform, cycle.parameters_version))


# Clause: platform §7 compare
def items_of(platform: Platform, set_name: str) -> list[list[Any]]:
    """List rows of a set's items: id, language, group, hashes of content and references; :class:`UnknownSetError`."""
    cycle = reading.cycle_now(platform)
    essay_set = cycle.set_named(set_name)
    if essay_set is None:
        raise UnknownSetError
    rows: list[list[Any]] = reading.manifest_json(reading.manifest(platform, cycle.name, essay_set.manifest))["items"]
    return rows


def loaded_cycle(platform: Platform) -> dict[str, Any]:
    """Return the loaded cycle as a JSON value; :class:`contest.errors.NoCycleError` before one is."""
    cycle = reading.cycle_now(platform)
    track = reading.track_of(platform, cycle)
    replay = asdict(track.replay_rules()) if isinstance(track, Replayed) else None
    if replay is not None:  # questions are shown with a replay, to those who lead it and to those who answer
        del replay["questions"]
    return {
        "cycle": cycle.name,
        "name": dict(cycle.title),
        "track": cycle.track,
        "time_zone": cycle.time_zone,
        "loaded_at": iso(cycle.loaded_at),
        "sets": {
            essay_set.name: {
                "kind": essay_set.kind.value,
                "files": dict(essay_set.sizes),
                "runs": [
                    mode.value
                    for mode, kinds in SETS_OF_RUNS.items()
                    if essay_set.kind in kinds and mode_named(track, mode) is not None
                ],
            }
            for essay_set in cycle.sets
        },
        "notices": [
            {"occasion": period.occasion.value, "days": period.days, "working": period.working, "clause": period.clause}
            for period in notice_terms(platform, cycle).periods
        ],
        "replay": replay,
        "parameters": described_parameters(platform.catalogue.parameters(cycle.parameters_version)),
    }
