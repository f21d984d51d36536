"""Whether a final's markups and results are late: said while they are awaited, and of results that came late."""

from __future__ import annotations

from collections.abc import Iterator

from contest.domain.cycle import notices
from contest.domain.experts.marking import markups
from contest.domain.experts.progress import progress
from contest.domain.moments import Millis
from contest.domain.run.run import Run
from contest.services import reading, terms
from contest.services.experts import looking
from contest.services.platform import Platform
from contest.services.results import boards
from tracks.protocol import Reason


def of_final(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warnings of a closed final that was given to experts here: when the markups of any other were made is not known.

    O(assignments) of its marking.

    Clause: R 7.3, R 7.11, platform §2 notices
    """
    if run.closed_at is None or not boards.has_results(run) or platform.experts.marking(run.run_id) is None:
        return
    known, mode = terms.of_cycle(platform, reading.cycle_now(platform)), run.mode.value
    now, last = platform.clock.now(), _last_markup(platform, run)
    yield from notices.of_markups(known, run.closed_at, now if last is None else last, mode)
    if last is not None:
        yield from notices.of_results(known, last, now if run.published_at is None else run.published_at, mode)


def _last_markup(platform: Platform, run: Run) -> Millis | None:
    """When the last markup was handed in or its time was over; None while one is wanted."""
    at, essays = looking.bench(platform, run.run_id), platform.experts.essays(run.run_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    if progress(essays, given).done < at.marking.essays:
        return None
    made = [each for essay in essays for each in markups(given[essay.item_id])]
    return max((each.ended_at for each in made if each.ended_at is not None), default=None)
