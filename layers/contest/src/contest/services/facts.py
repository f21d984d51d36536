"""What is known of a session: everything its files' states, causes and its end follow from."""

from __future__ import annotations

from contest.domain import overview
from contest.domain.course import Course
from contest.domain.moments import Millis
from contest.domain.overview import FileView
from contest.domain.run import Run
from contest.domain.session import Session
from contest.services import knowledge
from contest.services.platform import Platform


def course_of(platform: Platform, session: Session, run: Run | None = None) -> Course:
    """The facts of a session beside its deliveries. ``run`` where the caller has read it anew."""
    name = session.session_id
    arrived = platform.deliveries.arrived(name)
    if session.run_id is None:
        return Course(arrived)
    return Course(
        arrived=arrived,
        run=run or knowledge.run(platform, session.run_id),
        team_id=session.team_id,
        joined_at=session.opened_at,
        asked=platform.deliveries.asked(name),
        attachment=platform.connections.attachment(name),
    )


def files_of(platform: Platform, session: Session, now: Millis, run: Run | None = None) -> tuple[FileView, ...]:
    """Every file of a session at a moment; of a closed one at its end."""
    return overview.files_at(
        knowledge.plan(platform, session),
        platform.deliveries.of_session(session.session_id),
        now if session.closed_at is None else session.closed_at,
        session_open=session.is_open,
        course=course_of(platform, session, run),
    )
