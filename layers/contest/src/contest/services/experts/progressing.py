"""How far the experts are, for whoever watches (platform §5)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.domain.experts.marking import Marking
from contest.domain.experts.progress import Progress, progress
from contest.domain.experts.refusals import UnknownMarkingError
from contest.services.experts import looking
from contest.services.platform import Platform


def markings(platform: Platform) -> Sequence[Marking]:
    """Everything that was given to experts."""
    return platform.experts.markings()


def marking_progress(platform: Platform, marking_id: str) -> tuple[Marking, Progress]:
    """One marking with its progress now; :class:`UnknownMarkingError` for one that is not there.

    Clause: platform §5 progress, R 8.3.2
    """
    found = platform.experts.marking(marking_id)
    if found is None:
        raise UnknownMarkingError
    essays = platform.experts.essays(marking_id)
    return found, progress(essays, looking.given_in(platform, essays, platform.clock.now()))
