"""Parameters with effective times: previewed, announced, compared, withdrawn (R 2.17, 5.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from contest.contracts import cycle_file
from contest.domain.cycle import announcements, drafts
from contest.domain.cycle.announcements import Announcement
from contest.domain.cycle.changes import FieldChange, changes
from contest.domain.cycle.cycle import Cycle, Mode, Parameters, Version
from contest.domain.moments import MINUTE, Millis, iso
from contest.domain.people.teams import Change
from contest.domain.results import leaderboard
from contest.errors import from_reasons
from contest.errors.cycle import (
    EffectiveTooSoonError,
    InvalidParametersError,
    NothingChangesError,
    ParametersPendingError,
    UnknownVersionError,
    VersionInForceError,
)
from contest.services import reading, terms
from contest.services.cycle import versions
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from tracks.protocol import Reason

KNOWN_BY_ALL: Final[Millis] = MINUTE
"""For so long a process goes by its copy of the cycle; a change takes effect no sooner."""


class VersionState(StrEnum):
    """How a version stands at a moment."""

    FORMER = "former"
    IN_FORCE = "in_force"
    PENDING = "pending"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Wish:
    """A change of parameters that somebody wants: all of them as the cycle's file says them, from when on, and why.

    Without ``stores`` it is told what would be, and nothing is stored.
    """

    parameters: Mapping[str, Any]
    effective_at: Millis
    reason: str
    stores: bool = True


@dataclass(frozen=True, slots=True)
class Planned:
    """A change of parameters: what it would do, or does."""

    parameters: Parameters
    effective_at: Millis
    changed: tuple[FieldChange, ...]
    warnings: tuple[Reason, ...]
    announcement: Announcement


@dataclass(frozen=True, slots=True)
class Known:
    """A version, when it takes or took effect (None: with the cycle's first loading), how it stands."""

    parameters: Parameters
    effective_at: Millis | None
    state: VersionState

    @property
    def version(self) -> int:
        """Number of the version."""
        return self.parameters.version

    @property
    def announced_at(self) -> Millis:
        """When it was announced."""
        return self.parameters.announced_at


def change(platform: Platform, who: str, wish: Wish) -> Planned:
    """Store the next version with its effective time and announce it, in one write, unless it is a preview.

    Open sessions and planned runs keep the version that they have. Raises the members of
    :mod:`contest.errors.cycle`: parameters that cannot be, a moment that has come, one in the middle of a final.

    Clause: R 2.17, R 5.8, platform §2 parameters, platform §2 effective time
    """

    def write(before: Cycle) -> Planned:
        made = _planned(platform, before, wish)
        if not wish.stores:
            return made
        row = Version(made.parameters.version, wish.effective_at)
        what: dict[str, Any] = {"version": row.version, "effective_at": iso(row.effective_at), "reason": wish.reason}
        what["changed"] = [each.field for each in made.changed]
        entry = Change(platform.clock.now(), who, "parameters changed", before.name, None, what)
        after = replace(before, versions=(*before.versions, row))
        platform.catalogue.publish(after, made.parameters, entry, [(None, made.announcement)])
        return made

    return decide_until_written(reading.written_cycle(platform), write, lambda: reading.written_cycle(platform))


def withdraw(platform: Platform, who: str, version: int, reason: str) -> Known:
    """Take back a version that is still to take effect, and what was announced of it.

    Clause: R 5.8, platform §2 effective time
    """

    def write(before: Cycle) -> Known:
        now = platform.clock.now()
        if not 1 <= version <= before.last_version:
            raise UnknownVersionError
        if version not in {each.version for each in before.pending(now)}:
            raise VersionInForceError
        kept = [replace(each, withdrawn_at=now) if each.version == version else each for each in before.versions]
        known = platform.announcements.get(f"parameters-{version}")
        ended = [(known, announcements.withdrawn(known, now, reason))] if known is not None else []
        entry = Change(now, who, "parameters withdrawn", before.name, {"version": version}, {"reason": reason})
        platform.catalogue.publish(replace(before, versions=tuple(kept)), None, entry, ended)
        row = next(each for each in kept if each.version == version)
        return Known(reading.parameters(platform, version), row.effective_at, VersionState.WITHDRAWN)

    return decide_until_written(reading.written_cycle(platform), write, lambda: reading.written_cycle(platform))


def listed(platform: Platform) -> tuple[Known, ...]:
    """Every version that there has been, the latest first."""
    cycle = reading.recent_written_cycle(platform)
    return tuple(_known(platform, cycle, version) for version in range(cycle.last_version, 0, -1))


def one(platform: Platform, version: int) -> Known:
    """A version; :class:`UnknownVersionError`."""
    cycle = reading.recent_written_cycle(platform)
    if not 1 <= version <= cycle.last_version:
        raise UnknownVersionError
    return _known(platform, cycle, version)


def compared(platform: Platform, version: int, since: int | None) -> tuple[int, tuple[FieldChange, ...]]:
    """What differs in a version from an earlier one (by default the one before): its number, and the fields."""
    earlier = max(1, version - 1) if since is None else since
    before, after = one(platform, earlier).parameters, one(platform, version).parameters
    return earlier, changes(versions.content(before), versions.content(after))


def _known(platform: Platform, cycle: Cycle, version: int) -> Known:
    now = platform.clock.now()
    row = next((each for each in cycle.versions if each.version == version), None)
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
    made = replace(_read(platform, cycle, wish.parameters), version=cycle.last_version + 1, announced_at=now)
    for each in cycle.pending(now):
        if each.effective_at >= effective_at:
            raise ParametersPendingError.at(each.version, each.effective_at)
    terms.refuse_in_a_final(platform, effective_at)
    current = reading.parameters(platform, cycle.version_at(effective_at))
    changed = changes(versions.content(current), versions.content(made))
    if not changed:
        raise NothingChangesError
    warnings = (
        *terms.of_parameters(platform, cycle, now, effective_at),
        *terms.of_results(platform, cycle.at(effective_at), leaderboard.lists_of_tests(cycle), made),
    )
    announcement = drafts.of_parameters(made.version, changed, effective_at, wish.reason, now)
    return Planned(made, effective_at, changed, warnings, announcement)


def _read(platform: Platform, cycle: Cycle, raw: Mapping[str, Any]) -> Parameters:
    """The parameters that a file names, under the cycle's classifier and languages; all faults at once."""
    track = platform.tracks(cycle.track)
    rules = track.policies(Mode.ALGORITHMIC)
    languages = {name: list(groups) for name, groups in cycle.languages.items()}
    own = {**cycle_file.tracks_own(raw), "classifier": cycle.classifier, "languages": languages}
    completed, reasons = track.read_parameters(own)
    part, faults = cycle_file.read_parameters(raw, rules, cycle.languages)
    if reasons or faults or part is None:
        found = [Reason(each.code, each.message, each.where) for each in faults]
        raise InvalidParametersError(from_reasons([*reasons, *found]))
    return part.made(rules, completed, version=0, announced_at=0)
