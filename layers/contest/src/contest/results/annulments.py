"""Reasons why a session or result does not count: annulment by the organizers (D 6.10), days of a stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from contest import reading, stored_names
from contest.cycle.rules.cycle import Cycle, SetKind
from contest.cycle.rules.stages import Outside, Stage, StageName, kept_off_by, outside_stage
from contest.errors import OutsideStageError, SetAnnulledError
from contest.results.rules.leaderboard import QUALIFICATION, Entry
from contest.results.rules.qualification import Annulled, Annulment, ground, holds_of_set
from contest.run.rules.run import Run
from contest.session.rules.session import Session
from contest.values import Millis, canonical, read_as

if TYPE_CHECKING:
    from contest.platform import Platform
    from contest.submissions.rules import Submission


# Clause: D 6.10
def refuse_annulled(platform: Platform, cycle: str, set_name: str) -> None:
    """Refuse a data set that is annulled, for new sessions and runs."""
    if holds_of_set(platform.annulments.all(cycle), set_name):
        raise SetAnnulledError


def of_session(platform: Platform, session: Session, annulments: Sequence[Annulment] | None = None) -> Annulment | None:
    """Return why a session, or a team's result of it on its board, does not count; None where it does.

    ``annulments`` are those to go by; None: the present ones.
    """
    board = session.run_id or (QUALIFICATION if session.set_kind is SetKind.TEST else "")
    considered = platform.annulments.all(session.cycle) if annulments is None else annulments
    return ground(
        considered, session_id=session.session_id, set_name=session.order.set_name, team_id=session.team_id, board=board
    )


# Clause: D 6.10
def counting(
    platform: Platform,
    cycle: str,
    run: Run | None,
    entries: Iterable[Entry],
    annulments: Sequence[Annulment] | None = None,
) -> list[Entry]:
    """Return the entries of a board that are not annulled: of a final, or of the qualification without a run.

    ``annulments`` are those to go by; None: the present ones.
    """
    considered = platform.annulments.all(cycle) if annulments is None else annulments
    holding = [annulment for annulment in considered if annulment.holds]
    if not holding:
        return list(entries)
    board, set_name = (run.run_id, run.set_name) if run else (QUALIFICATION, "")
    asks_for_sets = run is None and any(annulment.of is Annulled.SET for annulment in holding)
    kept_entries = []
    for entry in entries:
        of_set = _set_of(platform, entry.session_id) if asks_for_sets else set_name
        if not ground(holding, session_id=entry.session_id, set_name=of_set, team_id=entry.team_id, board=board):
            kept_entries.append(entry)
    return kept_entries


def _set_of(platform: Platform, name: str) -> str:
    """Return the set of a session or of a submission: boards call both by one name."""
    session = platform.sessions.get(name)
    if session is not None:
        return session.order.set_name
    submission = platform.submissions.get(name)
    return submission.order.set_name if submission is not None else ""


# Clause: R 3.1, R 4.4, R 6.2, R 6.3, R 7.3, D 7.12
def refuse_outside_stage(cycle: Cycle, name: StageName, moment: Millis) -> None:
    """Refuse a request outside the days of its stage, unless the cycle accepts it."""
    stage = outside_stage(cycle.stages, name, cycle.calendar, moment)
    if stage is not None and stage.outside == Outside.REFUSE:
        raise OutsideStageError.of(stage, cycle.calendar)


# Clause: R 4.4, R 6.2, R 6.3, D 7.12
def refuse_outside_qualification(cycle: Cycle, kind: SetKind, moment: Millis) -> None:
    """Refuse to begin work on a test set outside the qualification's days; training belongs to no stage."""
    if kind is SetKind.TEST:
        refuse_outside_stage(cycle, StageName.QUALIFICATION, moment)


# Clause: R 6.3
def note_stage(platform: Platform, claimant: Session | Submission) -> Stage | None:
    """Store the stage whose rule keeps a session or submission off the board, before its result is shown; return it.

    The days are those of the cycle that is loaded now; what belongs to another cycle is judged by no days of this one.
    What is noted stays: the report says the same whenever it is made, whatever days are loaded later.
    """
    cycle = reading.cycle_now(platform)
    moment = claimant.opened_at if isinstance(claimant, Session) else claimant.completed_at or 0
    stage = kept_off_by(cycle.stages, cycle.calendar, moment)
    if stage is not None and cycle.name == claimant.cycle and _has_stage(claimant):
        platform.blobs.put_if_absent(_note_of(claimant), canonical(asdict(stage)))
    return noted_stage(platform, claimant)


# Clause: R 6.3
def noted_stage(platform: Platform, claimant: Session | Submission) -> Stage | None:
    """Return the stored stage whose rule keeps a session or submission off the board."""
    if not _has_stage(claimant):
        return None
    note = reading.stored_json(platform, _note_of(claimant))
    return None if note is None else read_as(Stage, note)


def _has_stage(claimant: Session | Submission) -> bool:
    """Return whether it belongs to the qualification: runs and the private test have moments of their own."""
    of_a_run = claimant.run_id is not None if isinstance(claimant, Session) else bool(claimant.of)
    set_kind = claimant.set_kind if isinstance(claimant, Session) else claimant.order.set_kind
    return set_kind is SetKind.TEST and not of_a_run


def _note_of(claimant: Session | Submission) -> str:
    name = claimant.session_id if isinstance(claimant, Session) else claimant.submission_id
    return stored_names.off_board_name(name, claimant.rescored)
