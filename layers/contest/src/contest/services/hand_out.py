"""What handing a file out has in common in all modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contest.domain.delivery import Delivery
from contest.domain.moments import Millis
from contest.domain.run import Run
from contest.domain.session import PlannedFile, Session
from contest.errors import BusyError, SessionClosedError
from contest.ports import LostRaceError
from contest.services import knowledge
from contest.services.platform import ATTEMPTS, Platform


@dataclass(frozen=True, slots=True)
class NextFile:
    """The earliest file not handed out yet; None when there is none left."""

    number: int | None
    session: Session
    closes_at: Millis | None
    """When a session with nothing left will have ended by itself; None once it has, or while files are left."""
    opens_at: Millis | None = None
    """Of a file of a run."""
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A file with its times; the same at every repetition."""

    planned: PlannedFile
    delivery: Delivery
    content: Any
    run: Run | None = None


def shown(platform: Platform, session: Session, planned: PlannedFile) -> Any:
    """What the participant sees of an item: the track decides, nothing else leaks."""
    track = knowledge.track_of(platform, session)
    item = knowledge.content(platform, session, knowledge.item_of(platform, session, planned))
    rules = knowledge.parameters(platform, session.parameters_version)
    return track.hand_out(item, planned.file_id, track.steps(rules.track)[0].name)


def write(platform: Platform, session: Session, number: int, fresh: Callable[[], Delivery]) -> Delivery:
    """Write a delivery made in this instant, or find the one that another request has written meanwhile."""
    for _ in range(ATTEMPTS):
        if not session.is_open:
            raise SessionClosedError.in_state(session.state.value)
        made = fresh()
        try:
            platform.deliveries.hand_out(session.session_id, made)
        except LostRaceError:
            session = knowledge.session(platform, session.session_id) or session
            known = platform.deliveries.get(session.session_id, number)
            if known is not None and session.is_open:
                return known
            continue
        return made
    raise BusyError
