"""Sessions whose files open by a schedule of their own, for one team: with the code of runs, without a run (TS T7)."""

from __future__ import annotations

from typing import Final

from contest.domain.cycle.cycle import Mode
from contest.domain.moments import SECOND, Millis
from contest.domain.run.run import Limits, Run
from contest.domain.run.schedule import Schedule
from contest.domain.session.session import Session

FIRST_AFTER: Final[Millis] = 10 * SECOND
"""From the opening of the session to that of its first file (tracks-sessions T7, Decision)."""


def own_schedule(session: Session) -> Schedule | None:
    """When the files of a session open that has a rhythm of its own; None of any other. O(files).

    A file may be asked for and answered until the next one opens: nothing is committed to, and nothing pauses it.

    Clause: TS T7
    """
    if session.order.interval_s is None:
        return None
    interval = session.order.interval_s * SECOND
    return Schedule.of(
        Run(
            run_id="",
            mode=Mode.ALGORITHMIC,
            cycle=session.cycle,
            track=session.track,
            set_name=session.order.set_name,
            set_kind=session.set_kind,
            manifest=session.manifest,
            language=session.order.language,
            parameters_version=session.parameters_version,
            created_at=session.opened_at,
            starts_at=session.opened_at + FIRST_AFTER,
            interval=interval,
            files=session.files,
            limits=Limits(request=interval, answer=interval, total=interval, join=0),
        )
    )
