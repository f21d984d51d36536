"""Figures that the platform counts of itself, by their names in CloudWatch; alarms and the dashboard show them.

Every figure has the cycle as a dimension: cycles in one account would otherwise ring each other's alarms, and one's
work would keep the other's dead-man alarms quiet.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

NAMESPACE: Final = "Hurdle"
SERVICE: Final = "hurdle"
"""Name of the service in every line of the log and as a dimension of every figure."""
SERVICE_DIMENSION: Final = "service"
CYCLE_DIMENSION: Final = "cycle"


class Figure(StrEnum):
    """A figure; a count unless its description names another unit."""

    AUDITS = "Audits"
    """Sessions that the audit's workers have audited, or remember; a round without any says 0."""
    AUDIT_DIFFERENCES = "AuditDifferences"
    """Records or reports that do not rebuild to their stored bytes, by the audit's workers."""
    MASS_FAILURES = "MassFailures"
    """Files that a run's teams missed all at once, for the technical commission; by the minute timer."""
    FILES_OVERDUE = "FilesOverdue"
    """Files requested in time and not handed out, or answered and not receipted; by the minute timer."""
    SUBMISSIONS_STUCK = "SubmissionsStuck"
    """Submissions that have been in one state for longer than anything takes; by the minute timer."""
    DEAD_LETTERS_OPEN = "DeadLettersOpen"
    """Dead letters that wait for somebody, of all queues; by the minute timer."""
    UNSCORED_AGE = "UnscoredAge"
    """Seconds for which the oldest unscored answer has waited, 0 without one; by the minute timer at every visit, so
    that its absence means that the timer is dead."""
    VISIT_UNFINISHED = "VisitUnfinished"
    """Pieces of work that a visit of the minute timer had no time for; they come first at its next one."""
    RUNS_LOST = "RunsLost"
    """Programs whose run the platform has lost, by the submissions' worker; organizers have them run again."""
    OPENING_LATENESS = "OpeningLateness"
    """Milliseconds from a file's opening to its hand-out, where somebody waited for the opening."""
    HAND_OUT_LATENESS = "HandOutLateness"
    """Milliseconds from the arrival of a request to the hand-out, of a file that was open."""
    ANSWERS_ACCEPTED = "AnswersAccepted"
    ANSWERS_LATE = "AnswersLate"
    ANSWERS_REFUSED = "AnswersRefused"
    """Invalid answers, and those beyond the sends that a file has."""
    TABLES_UNCOPIED = "TablesUncopied"
    """Tables without a complete export of the last day in the locked copies, by the audit's timer of a cycle that has
    such copies. They are made on Sundays, so a week in which it is never 0 has brought none."""
    CHANNEL_FAULTS = "ChannelFaults"
    """Events of the event channel that failed, about which the client was told."""


BY_MINUTES: Final = frozenset({Figure.UNSCORED_AGE, Figure.VISIT_UNFINISHED})
BY_AUDITS: Final = frozenset({Figure.AUDITS, Figure.TABLES_UNCOPIED})
"""Figures that are written with nobody about, by the minute timer and by the audit's rounds: CloudWatch bills a figure
by the hour in which it is written."""
OF_TROUBLE: Final = frozenset(
    {
        *(Figure.MASS_FAILURES, Figure.FILES_OVERDUE, Figure.SUBMISSIONS_STUCK, Figure.DEAD_LETTERS_OPEN),
        *(Figure.AUDIT_DIFFERENCES, Figure.RUNS_LOST, Figure.CHANNEL_FAULTS),
    }
)
"""Figures of which 0 is not written: their alarms take a missing value as a good one, and hours without trouble cost
nothing."""
SECONDS: Final = frozenset({Figure.UNSCORED_AGE})
MILLISECONDS: Final = frozenset({Figure.OPENING_LATENESS, Figure.HAND_OUT_LATENESS})
