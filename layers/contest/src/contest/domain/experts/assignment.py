"""An essay in an expert's hands: its states, its time, its drafts, and which draft is the markup (R 7.10).

Facts are stored and conclusions drawn: an opened assignment whose time is over has expired for everybody who looks,
whether or not the timer has written it down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from contest.domain.experts.refusals import (
    AssignmentEndedError,
    AssignmentNotOpenedError,
    MarkupNotValidError,
    RevisionConflictError,
    SavedTooOftenError,
)
from contest.domain.moments import SECOND, Millis
from contest.domain.reasons import LONGEST_REASON
from contest.refusals import RefusedError


class AssignmentState(StrEnum):
    """Where an assignment is; all but the first two are its end, which only an extension undoes."""

    ASSIGNED = "assigned"
    OPENED = "opened"
    """The expert sees the text and the time runs."""
    HANDED_IN = "handed_in"
    EXPIRED = "expired"
    """The time was over first; the last valid draft, if there is one, is the markup."""
    HANDED_BACK = "handed_back"
    """The expert does not want to, or must not, mark it up."""
    REASSIGNED = "reassigned"
    """The coordinator gave the essay to somebody else."""
    RELEASED = "released"
    """The coordinator took it away and gave it to nobody yet."""


UNDER_WAY: Final = frozenset({AssignmentState.ASSIGNED, AssignmentState.OPENED})


@dataclass(frozen=True, slots=True)
class Draft:
    """One saved version; none is ever changed or forgotten. ``content_sha256`` is of the bytes as they were sent."""

    revision: int
    content_sha256: str
    saved_at: Millis
    is_valid: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """One essay given to one expert. ``limit``: the time from the opening, extensions included.

    ``latest`` is the last draft, ``latest_valid`` the last one that is a valid markup. ``is_third``: the expert sees
    the two earlier markups. ``is_calibration``: a training essay by which an expert sees how far it agrees with others.
    ``is_rating``: explanations of an answer are rated, and the markup is the ratings.
    """

    assignment_id: str
    marking_id: str
    item_id: str
    expert_id: str
    language: str
    subject: str
    is_third: bool
    limit: Millis
    assigned_at: Millis
    is_calibration: bool = False
    is_rating: bool = False
    state: AssignmentState = AssignmentState.ASSIGNED
    opened_at: Millis | None = None
    closes_at: Millis | None = None
    ended_at: Millis | None = None
    latest: Draft | None = None
    latest_valid: Draft | None = None
    reason: str = ""
    """Why it was handed back, reassigned or released."""
    version: int = 0

    @property
    def revision(self) -> int:
        """Number of the latest draft; 0 without one."""
        return self.latest.revision if self.latest else 0

    @property
    def saved_at(self) -> Millis | None:
        """When the latest draft was saved; None without one."""
        return self.latest.saved_at if self.latest else None

    @property
    def limit_s(self) -> float:
        """The time from the opening in seconds."""
        return self.limit / SECOND

    @property
    def markup(self) -> Draft | None:
        """The draft that is the expert's markup; None while there is none, or where it ended without one."""
        return self.latest_valid if self.state in {AssignmentState.HANDED_IN, AssignmentState.EXPIRED} else None

    @property
    def counts(self) -> bool:
        """Whether the essay has this expert: a markup is there, or may still come."""
        return self.state in UNDER_WAY or self.markup is not None


def standing(found: Assignment, now: Millis) -> Assignment:
    """An assignment as it is at a moment: past its time it has expired, written down or not. Its version stays.

    Clause: R 7.10, platform §5 time
    """
    if found.state is AssignmentState.OPENED and found.closes_at is not None and now > found.closes_at:
        return replace(found, state=AssignmentState.EXPIRED, ended_at=found.closes_at)
    return found


def finished(found: Assignment, now: Millis) -> Assignment | None:
    """What is to be written of an assignment whose time is over; None while it is not."""
    ended = standing(found, now)
    return None if ended is found else replace(ended, version=found.version + 1)


def open_now(found: Assignment, now: Millis) -> Assignment:
    """Start the clock; opening what is open changes nothing.

    Clause: R 7.10, platform §5 time
    """
    _refuse_ended(found)
    if found.state is AssignmentState.OPENED:
        return found
    return replace(
        found, state=AssignmentState.OPENED, opened_at=now, closes_at=now + found.limit, version=found.version + 1
    )


def save(found: Assignment, based_on: int, content_sha256: str, now: Millis, *, pause: Millis) -> int | None:
    """Which revision a draft becomes; None where it is saved already, as a repetition of the request is.

    ``pause``: the least time between two drafts. Whoever saves what is based on another draft than the latest is told
    of both, so that nobody overwrites what another tab or device has saved.

    Clause: platform §5 time
    """
    _refuse_not_open(found)
    latest = found.latest
    known = latest is not None and latest.content_sha256 == content_sha256
    if known and based_on in {found.revision - 1, found.revision}:
        return None
    if based_on != found.revision:
        raise RevisionConflictError.between(based_on, found.revision, latest.saved_at if latest else None)
    if latest is not None and now - latest.saved_at < pause:
        raise SavedTooOftenError(retry_after_s=max(1, -(-(latest.saved_at + pause - now) // 1000)))
    return found.revision + 1


def saved(found: Assignment, draft: Draft) -> Assignment:
    """The assignment with one draft more; one that is not valid leaves the last valid one what it is.

    Clause: platform §5 time
    """
    valid = draft if draft.is_valid else found.latest_valid
    return replace(found, latest=draft, latest_valid=valid, version=found.version + 1)


def hand_in(found: Assignment, based_on: int, now: Millis) -> Assignment:
    """Make the latest draft the markup; the caller has shown which one it means.

    :class:`MarkupNotValidError` without the track's reasons where the latest draft is not valid.

    Clause: R 7.10
    """
    _refuse_not_open(found)
    if found.latest is None:
        raise MarkupNotValidError.without_draft()
    if based_on != found.revision:
        raise RevisionConflictError.between(based_on, found.revision, found.latest.saved_at)
    if not found.latest.is_valid:
        raise MarkupNotValidError
    return replace(found, state=AssignmentState.HANDED_IN, ended_at=now, version=found.version + 1)


def hand_back(found: Assignment, reason: str, now: Millis) -> Assignment:
    """Give the essay back unmarked, with the reason; drafts are kept."""
    _refuse_ended(found)
    return _ended(found, AssignmentState.HANDED_BACK, _said(reason), now)


def take_away(found: Assignment, state: AssignmentState, reason: str, now: Millis) -> Assignment:
    """Reassign or release: the coordinator ends what has not been handed in.

    What the expert gave back, or what was taken away before, stays as it is: the essay is free already.
    """
    said = _said(reason)
    if found.state is AssignmentState.HANDED_IN:
        refuse_ended(found)
    if found.state in {AssignmentState.HANDED_BACK, AssignmentState.REASSIGNED, AssignmentState.RELEASED}:
        return found
    return _ended(found, state, said, now)


def extend(found: Assignment, by: Millis, reason: str, now: Millis) -> Assignment:
    """Give more time. What runs has so much longer; what has run out runs again from now.

    Clause: platform §5 time
    """
    if found.state not in {*UNDER_WAY, AssignmentState.EXPIRED}:
        refuse_ended(found)
    longer = replace(found, limit=found.limit + by, reason=_said(reason), version=found.version + 1)
    if found.closes_at is None:
        return longer
    return replace(longer, state=AssignmentState.OPENED, ended_at=None, closes_at=max(found.closes_at, now) + by)


def refuse_ended(found: Assignment) -> None:
    """Raise that an assignment has ended, and with which draft."""
    markup = found.markup
    revision, saved_at = (markup.revision, markup.saved_at) if markup else (None, None)
    raise AssignmentEndedError.told(found.state.value, found.ended_at, revision, saved_at)


def _refuse_ended(found: Assignment) -> None:
    if found.state not in UNDER_WAY:
        refuse_ended(found)


def _refuse_not_open(found: Assignment) -> None:
    _refuse_ended(found)
    if found.state is AssignmentState.ASSIGNED:
        raise AssignmentNotOpenedError


def _ended(found: Assignment, state: AssignmentState, reason: str, now: Millis) -> Assignment:
    return replace(found, state=state, reason=reason, ended_at=now, version=found.version + 1)


def _said(reason: str) -> str:
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise RefusedError(
            "no_reason",
            f"a reason of 1–{LONGEST_REASON} characters is needed",
            f"нужна причина, от 1 до {LONGEST_REASON} знаков",
        )
    return reason.strip()
