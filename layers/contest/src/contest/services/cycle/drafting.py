"""What the platform drafts, or announces, when a cycle is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from contest.domain.cycle import drafts
from contest.domain.cycle.announcements import Announced
from contest.domain.cycle.changes import changes
from contest.domain.cycle.cycle import OPEN_TO_ALL, Cycle, Parameters
from contest.domain.moments import Millis
from contest.services import reading
from contest.services.cycle import versions
from contest.services.platform import Platform

AT_ONCE = "cycle loaded / загружен цикл"
"""The reason of a change of parameters that came with a loaded cycle, in both languages."""


def of_loading(
    platform: Platform, before: Cycle | None, after: Cycle, parameters: Parameters, now: Millis
) -> Iterator[Announced]:
    """Drafts about new sets and modules; a new version of the parameters is announced at once.

    Of a cycle that was not there before nothing is told: its beginning is announced by people.

    Clause: R 4.7, R 5.8, R 9.2
    """
    if before is None:
        return
    if parameters.version > before.last_version:
        current = reading.parameters(platform, before.version_at(now))
        changed = changes(versions.content(current), versions.content(parameters))
        yield None, drafts.of_parameters(parameters.version, changed, now, AT_ONCE, now)
    earlier, later = ({each.name: each for each in cycle.sets} for cycle in (before, after))
    differing = sorted(name for name in {*earlier, *later} if earlier.get(name) != later.get(name))
    open_to_all = [
        name
        for name in differing
        if any(known.kind in OPEN_TO_ALL for known in (earlier.get(name), later.get(name)) if known is not None)
    ]
    if open_to_all:
        yield None, drafts.of_sets(before.version + 1, open_to_all, now)
    yield from of_modules(before, after, now)


def of_modules(before: Cycle, after: Cycle, now: Millis) -> Iterator[Announced]:
    """The draft about other common modules, if they are others.

    Clause: R 4.7, R 9.2
    """
    if after.known_modules != before.known_modules:
        yield None, drafts.of_modules(before.version + 1, after.known_modules, now)
