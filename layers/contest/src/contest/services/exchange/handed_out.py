"""What handing a file out has in common in all modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import Delivery
from contest.domain.session.session import PlannedFile, Session
from contest.errors import SessionClosedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import PATIENT_ATTEMPTS, decide_until_written
from contest.services.session.dialogues import Standing


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A file with its times; the same at every repetition."""

    planned: PlannedFile
    delivery: Delivery
    content: Any
    schedule: Schedule | None = None
    standing: Standing | None = None
    """Of a file over which there is a dialogue, how it stands."""


def write(platform: Platform, session: Session, number: int, fresh: Callable[[], Delivery]) -> Delivery:
    """Write a delivery made in this instant, or find the one that another request has written meanwhile."""

    def decide(known: tuple[Session, Delivery | None]) -> Delivery:
        latest, theirs = known
        if not latest.is_open:
            raise SessionClosedError.in_state(latest.state.value)
        if theirs is not None:
            return theirs
        made = fresh()
        platform.deliveries.hand_out(latest.session_id, made)
        return made

    def read_again() -> tuple[Session, Delivery | None]:
        return reading.session_again(platform, session), platform.deliveries.get(session.session_id, number)

    known: tuple[Session, Delivery | None] = (session, None)
    return decide_until_written(known, decide, read_again, lambda _: PATIENT_ATTEMPTS)
