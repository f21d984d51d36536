"""Versions of the parameters: which one a cycle's file means, and what a new one changes (R 2.17, 5.8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import Cycle, Parameters, Version
from contest.domain.moments import Millis
from contest.domain.results.session_report import described_parameters
from contest.errors.cycle import ParametersPendingError
from contest.services import terms
from contest.services.platform import Platform

_UNDESCRIBED: Final = ("submissions_per_day", "unscored_per_day", "refusals_per_file", "body_s", "body_bytes_per_s")
"""What no description of the cycle says, and what makes another version all the same."""


def content(parameters: Parameters) -> dict[str, Any]:
    """What a version says, without which version it is.

    Clause: platform §2 parameters, R 2.17
    """
    said = described_parameters(parameters) | {name: getattr(parameters, name) for name in _UNDESCRIBED}
    return {name: value for name, value in said.items() if name not in {"version", "announced_at"}}


def same(one: Parameters, other: Parameters) -> bool:
    """Whether two versions say the same."""
    return canonical(content(one)) == canonical(content(other))


def of_file(platform: Platform, before: Cycle | None, made: Parameters, now: Millis) -> Parameters:
    """The version that a loaded file means: the one in force or a pending one where it says the same, else the next.

    A next one is in force at once. :class:`contest.errors.cycle.RunUnderWayError` in the middle of a final,
    :class:`ParametersPendingError` where another change is announced.

    Clause: R 2.17, platform §2 parameters
    """
    if before is None:
        return replace(made, version=1, announced_at=now)
    current = platform.catalogue.parameters(before.version_at(now))
    pending = before.pending(now)
    if same(made, current) or any(same(made, platform.catalogue.parameters(each.version)) for each in pending):
        return current
    if pending:
        raise ParametersPendingError.at(pending[0].version, pending[0].effective_at)
    terms.refuse_in_a_final(platform, now)
    return replace(made, version=before.last_version + 1, announced_at=now)


def with_version(before: Cycle | None, parameters: Parameters, effective_at: Millis) -> tuple[Version, ...]:
    """A cycle's versions with one more, unless it is known."""
    known = before.versions if before else ()
    if before is not None and parameters.version <= before.last_version:
        return known
    return (*known, Version(parameters.version, effective_at))
