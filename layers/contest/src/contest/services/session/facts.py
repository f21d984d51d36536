"""What is known of a session: everything its files' states, causes and its end follow from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from contest.domain.moments import Millis
from contest.domain.results import file_views
from contest.domain.results.file_views import FileView
from contest.domain.run.fate import Circumstances
from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import Delivery
from contest.domain.session.session import Session, State
from contest.services import reading
from contest.services.platform import Platform


class Known(NamedTuple):
    """A session's deliveries, by number, and everything else that was noted of its files."""

    deliveries: Sequence[Delivery]
    circumstances: Circumstances


def aborted_at(session: Session) -> Millis | None:
    """When a session's team ended it by itself; None where it did not."""
    return session.closed_at if session.state is State.ABORTED else None


def known_of(platform: Platform, session: Session, schedule: Schedule | None = None) -> Known:
    """Read what is known of a session, in one query. ``schedule`` where the caller has read its run anew."""
    noted = platform.session_reads.facts(session.session_id)
    schedule = schedule or reading.schedule_of(platform, session)
    if schedule is None:
        return Known(noted.deliveries, Circumstances(noted.arrived, noted.bodies, aborted_at(session)))
    circumstances = Circumstances(
        arrived=noted.arrived,
        bodies=noted.bodies,
        aborted_at=aborted_at(session),
        schedule=schedule,
        team_id=session.team_id,
        joined_at=session.opened_at,
        asked=noted.asked,
        attachment=noted.attachment,
    )
    return Known(noted.deliveries, circumstances)


def files_of(platform: Platform, session: Session, known: Known, now: Millis) -> tuple[FileView, ...]:
    """Every file of a session at a moment; of a closed one at its end."""
    return file_views.files_at(
        reading.plan(platform, session, known.circumstances.schedule),
        known.deliveries,
        now if session.closed_at is None else session.closed_at,
        known.circumstances,
        session_open=session.is_open,
    )
