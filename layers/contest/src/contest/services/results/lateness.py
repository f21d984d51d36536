"""Whether a final's own reports, markups and results are late: said while they are awaited, and of results that came
late."""

from __future__ import annotations

from collections.abc import Iterator

from contest.domain.cycle import notices
from contest.domain.experts.marking import markups
from contest.domain.experts.progress import progress
from contest.domain.moments import Millis
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.services import reading, terms
from contest.services.experts import looking
from contest.services.platform import Platform
from contest.services.results import boards
from tracks.protocol import Reason


def of_final(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warnings of a final: of own reports that are missing, and, where it was given to experts here, of their markups
    and the results; when the markups of any other were made is not known.

    O(sessions, and assignments of its marking).

    Clause: R 7.3, R 7.11, platform §2 notices
    """
    if not boards.has_results(run):
        return
    known, mode = terms.of_cycle(platform, reading.cycle_now(platform)), run.mode.value
    if _own_reports_missing(platform, run):
        yield from notices.of_own_reports(known, Schedule.of(run).ends_at, platform.clock.now(), mode)
    if run.closed_at is None or platform.experts.marking(run.run_id) is None:
        return
    now, last = platform.clock.now(), _last_markup(platform, run)
    yield from notices.of_markups(known, run.closed_at, now if last is None else last, mode)
    if last is not None:
        yield from notices.of_results(known, last, now if run.published_at is None else run.published_at, mode)


def _own_reports_missing(platform: Platform, run: Run) -> bool:
    """Whether a team that took part in an ended run is still without its report: one that waits for scores, too.

    Reports that are there are not called late: when the first edition of one was made is no stored fact.

    Clause: TS D-6, D 6.11
    """
    if run.closed_at is None:
        return bool(platform.runs.sessions_of(run.run_id))
    unreported = frozenset(platform.sessions.unreported_ids())
    return any(session_id in unreported for _, session_id in platform.runs.sessions_of(run.run_id))


def _last_markup(platform: Platform, run: Run) -> Millis | None:
    """When the last markup was handed in or its time was over; None while one is wanted."""
    at, essays = looking.bench(platform, run.run_id), platform.experts.essays(run.run_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    if progress(essays, given).done < at.marking.essays:
        return None
    made = [each for essay in essays for each in markups(given[essay.item_id])]
    return max((each.ended_at for each in made if each.ended_at is not None), default=None)
