"""Names of stored objects, of queues of dead letters and of figures in CloudWatch, each in one place.

Standard library only: the infrastructure derives from the prefixes the rights to read, write and delete, and the expiry
of objects. Alarms and the dashboard show the figures that the platform counts of itself. Every figure has the cycle as
a dimension: cycles in one account would otherwise ring each other's alarms, and one's work would keep the other's
dead-man alarms quiet.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

CYCLE_FILE: Final = "cycle.json"
"""Name of the file of a cycle's folder where the folder is loaded."""
CYCLE_FILES: Final = (CYCLE_FILE, "cycle.yaml", "cycle.yml")
"""Possible names of a cycle's own file; a folder has one of them."""
SETS: Final = "sets/"
ANSWERS: Final = "answers/"
LOGS: Final = "logs/"
REPORTS: Final = "reports/"
MARKUPS: Final = "markups/"
"""Annotations that experts save, every draft as it was sent."""
RUNS: Final = "runs/"
"""Plans and records of scheduled runs; a plan reveals coming files, so only functions that need it may read it."""


PUBLISHED: Final = "published/"
"""Public objects, read at the address of the same name: complete, compressed, never changed (records, charts)."""


OPEN_SETS: Final = "shared/"
"""The same for published sets, named by their manifests: the only objects read for callers without a token."""
DOWNLOADS: Final = "downloads/"
"""Sets packed into parts, named by their content; callers without the right to a set get none of its names."""


PACKS: Final = "packs/"
"""The same sets as one file each, read at a signed address of the same name."""


EXPORTS: Final = "exports/"
"""Weekly exports of the tables, which DynamoDB writes; nothing else in here reads or writes below it."""
EXPORTED: Final = frozenset({"exchange", "scores", "catalogue", "identity", "experts"})
"""Folders of the tables' exports."""
IMPORTS: Final = "imports/"
"""Outcomes of organizers' imports; deleted after a week."""
UPLOADS: Final = "uploads/"
"""Uploads in parts, each put at a signed address of the same name; deleted after a week."""
IMPORT_UPLOADS: Final = f"{UPLOADS}imports/"
"""Sets as uploaded."""


SUBMISSION_UPLOADS: Final = f"{UPLOADS}submissions/"
"""Submissions as uploaded."""
SUBMISSIONS: Final = "submissions/"
"""Accepted submissions, with the findings about them and, for programs, every run."""
RUNS_OF_SUBMISSIONS: Final = f"{SUBMISSIONS}runs/"
"""Only prefix under which jobs of submitted programs may write: a folder for each run."""
BROUGHT: Final = f"{SUBMISSIONS}brought/"
"""Uploaded archives and files of submissions, in parts, stored as long as the cycle."""


BOARDS: Final = f"{REPORTS}boards/"
"""Leaderboards as of a moment: the public state of a frozen one."""
ERRANDS: Final = "errands/"
"""Errands for workers, and below them their outcomes: the requester writes the errand, the worker the outcome."""
ERRANDS_ASKED: Final = f"{ERRANDS}asked/"
ERRANDS_DONE: Final = f"{ERRANDS}done/"
SHADOWS: Final = f"{REPORTS}shadow/"
"""Results of the independent recomputation of finals, each named by the facts that it is about."""
SUBMISSION_SHADOWS: Final = f"{SHADOWS}submissions/"
"""Results of the independent recomputation of submissions."""
SUBMISSION_REPORTS: Final = f"{SUBMISSIONS}reports/"


HIDDEN_ANSWERS: Final = f"{REPORTS}hidden/"
"""Digests of answers to hidden sets of which only totals are shown."""
OFF_BOARD: Final = f"{REPORTS}off-board/"
"""Notes on the sessions and submissions that the rule of a stage keeps off the leaderboard."""
RESCORED: Final = f"{REPORTS}rescored/"
"""Results of rescorings, each beside the earlier result."""


AUDITS: Final = "audits/"
"""Notes on audited sessions and the facts of their audits, so that they are not audited again."""


def audited_name(session_id: str, facts_sha256: str) -> str:
    """Return the name of the note that a session's audit under these facts found no difference."""
    return f"{AUDITS}{session_id}/{facts_sha256}.json"


ARCHIVES: Final = f"{PUBLISHED}archives/"
"""Finals' archives: as public as their results, and withdrawn with them."""


def archives_of(run_id: str) -> str:
    """Return the prefix of the names of a run's archives; a run has one unless its results change."""
    return f"{ARCHIVES}{run_id}/"


def private_archive_name(cycle: str) -> str:
    """Return the name of the archive of a cycle's private test of programs."""
    return f"{ARCHIVES}private-test/{cycle}.zip"


def published_name(run_id: str, what: str) -> str:
    """Return the name of a public object of a run: ``record.json``, ``timeline.svg``."""
    return f"{PUBLISHED}runs/{run_id}/{what}"


def blob_names(cycle: str, kind: str, content_sha256: str) -> str:
    """Return the name of an object of a set: ``kind`` is ``manifests``, ``items`` or ``references``."""
    return f"{SETS}{cycle}/{kind}/{content_sha256}.json"


def attachment_name(cycle: str, content_sha256: str) -> str:
    """Return the name of a set's file that is no JSON (an image), beside the contents for programs."""
    return f"{SETS}{cycle}/inputs/{content_sha256}"


MEASURES: Final = f"{SETS}*/measures/"
"""Programs of declared measures, as uploaded."""


def measure_name(cycle: str, content_sha256: str) -> str:
    """Return the name of a measure's program."""
    return f"{SETS}{cycle}/measures/{content_sha256}"


def import_uploads(import_id: str) -> str:
    """Return the prefix of the names of an import's parts."""
    return f"{IMPORT_UPLOADS}{import_id}/"


def upload_part_name(folder: str, size: int, content_sha256: str) -> str:
    """Return the name of a part of an upload; it contains the number of its bytes and their hash."""
    return f"{folder}{size}-{content_sha256}"


def submission_uploads(submission_id: str) -> str:
    """Return the prefix of the names of the parts of a submission under upload."""
    return f"{SUBMISSION_UPLOADS}{submission_id}/"


def submission_part_name(submission_id: str, number: int, content_sha256: str) -> str:
    """Return the name of part ``number``, from 1, of a submission that was taken."""
    return f"{BROUGHT}{submission_id}/{number:03d}-{content_sha256}"


def submission_checked_name(submission_id: str) -> str:
    """Return the name of the object with the findings of a submission's check: reasons, warnings, missing parts."""
    return f"{SUBMISSIONS}checked/{submission_id}.json"


def submission_report_name(submission_id: str, rescored: str = "") -> str:
    """Return the name of a submission's report, by the rescoring by which it goes, if any."""
    return f"{SUBMISSION_REPORTS}{submission_id}{'-' if rescored else ''}{rescored}.json"


def submission_withheld_name(run: str, manifest: str) -> str:
    """Return the name of the note on withheld totals of a submission's run over a list of a hidden set."""
    return f"{SUBMISSION_REPORTS}{run}-{manifest[:16]}-withheld.json"


def submission_run_folder(run: str) -> str:
    """Return the prefix of the names of one run's orders and results: ``order.json``, ``ending.json``, ``stdout``,
    ``stderr``, ``output/NAME``.
    """
    return f"{RUNS_OF_SUBMISSIONS}{run}/"


def import_outcome_name(import_id: str, *, is_checked: bool = False) -> str:
    """Return the name of the object with the faults and warnings of an import, at its end or when it is checked."""
    return f"{IMPORTS}{import_id}/{'checked/' if is_checked else ''}outcome.json"


def download_folder(cycle: str, fingerprint: str, *, published: bool) -> str:
    """Return the prefix of the names of a packed set's parts and of its index."""
    return f"{OPEN_SETS if published else DOWNLOADS}{cycle}/{fingerprint}/"


def pack_name(cycle: str, fingerprint: str, content_sha256: str) -> str:
    """Return the name of a set as one file: by its content, and by the file's bytes."""
    return f"{PACKS}{cycle}/{fingerprint}/{content_sha256}.zip"


def run_plan_name(run_id: str, amendment: int = 0) -> str:
    """Return the name of the object with a run's first files (0), or with those that an amendment appends."""
    return f"{RUNS}{run_id}/plan-{amendment}.json"


def run_ratings_name(run_id: str, content_sha256: str) -> str:
    """Return the name of the object with experts' ratings of explanations, by which a run's answers are scored."""
    return f"{RUNS}{run_id}/ratings-{content_sha256}.json"


def run_keys_name(run_id: str) -> str:
    """Return the name of the object with the public keys of a run's receipts, for verification without the platform."""
    return f"{RUNS}{run_id}/keys.json"


def shadow_name(run_id: str, facts_sha256: str) -> str:
    """Return the name of the object with the result of recomputing a final under these facts."""
    return f"{SHADOWS}{run_id}/{facts_sha256}.json"


def shadow_part_name(run_id: str, facts_sha256: str, session_id: str) -> str:
    """Return the name of the object with one session's part of it."""
    return f"{SHADOWS}{run_id}/{facts_sha256}/{session_id}.json"


def submission_shadow_name(submission_id: str, facts_sha256: str) -> str:
    """Return the name of the object with the recomputation of a submission, or ``whole`` for all, under these facts."""
    return f"{SUBMISSION_SHADOWS}{submission_id}/{facts_sha256}.json"


def answer_name(session_id: str, number: int, content_sha256: str) -> str:
    """Return the name of a stored answer."""
    return f"{ANSWERS}{session_id}/{number}/{content_sha256}.json"


def markup_name(assignment_id: str, content_sha256: str) -> str:
    """Return the name of a draft of an expert's markup."""
    return f"{MARKUPS}{assignment_id}/{content_sha256}.json"


def log_folder(session_id: str) -> str:
    """Return the prefix of the names of a session's client logs."""
    return f"{LOGS}{session_id}/"


def off_board_name(name: str, rescored: str = "") -> str:
    """Return the name of the note on the stage that keeps a session or submission off the board, by the rescoring if
    any.
    """
    return f"{OFF_BOARD}{name}{'-' if rescored else ''}{rescored}.json"


def report_name(session_id: str, parameters_version: int, rescored: str = "") -> str:
    """Return the name of a session's report; under an accepted rescoring it has one of its own."""
    return f"{REPORTS}{session_id}/{parameters_version}{'-' if rescored else ''}{rescored}.json"


def rescored_name(rescoring_id: str, session_id: str) -> str:
    """Return the name of the object with a rescoring's result for a session, beside the result before."""
    return f"{RESCORED}{rescoring_id}/made/{session_id}.json"


def rescoring_conditions_name(rescoring_id: str) -> str:
    """Return the name of the object with the markups under which a rescoring scores a final anew."""
    return f"{RESCORED}{rescoring_id}/conditions.json"


def applied_name(rescoring_id: str, session_id: str) -> str:
    """Return the name of the note that an accepted rescoring applies to a session."""
    return f"{RESCORED}{rescoring_id}/applied/{session_id}.json"


def hidden_answers_folder(cycle: str, set_name: str, team_id: str) -> str:
    """Return the folder of the notes on a team's answers to a hidden set, by its name, whose totals it has seen."""
    return f"{HIDDEN_ANSWERS}{cycle}/{set_name}/{team_id}/"


def hidden_answers_name(folder: str, number: int) -> str:
    """Return the name of the note of a number in its team's folder."""
    return f"{folder}{number:06d}.json"


def number_of_hidden_answers(name: str) -> int:
    """Return the number of the note of a name."""
    return int(name.rpartition("/")[2].removesuffix(".json"))


def session_ratings_name(session_id: str) -> str:
    """Return the name of experts' ratings of all explanations of a session outside finals, stored when the last one was
    there.
    """
    return f"{RUNS}session-ratings/{session_id}.json"


class LetterQueue(StrEnum):
    """Whence a dead letter comes; open ones are stored by these names, and their metrics have them."""

    SCORING = "scoring"
    SETTLEMENT = "settlement"
    RESCORINGS = "rescorings"
    SHADOWS = "shadows"
    AUDITS = "audits"
    IMPORTS = "imports"
    PUSHES = "pushes"
    SUBMISSIONS = "submissions"
    RELAY = "relay"
    """Lambda's note that a batch of the outbox's stream was given up. It names no answer; the outbox does."""
    TIMERS = "timers"
    """Lambda's note, or the scheduler's, that a timer's run failed or never began."""


NAMESPACE: Final = "Hurdle"
SERVICE: Final = "hurdle"
"""Name of the service in every line of the log and as a dimension of every figure."""
SERVICE_DIMENSION: Final = "service"
CYCLE_DIMENSION: Final = "cycle"


class Figure(StrEnum):
    """A figure; a count unless its description names another unit."""

    AUDITS = "Audits"
    """Sessions that the audit's workers have audited now or before; 0 for a round without any."""
    AUDIT_DIFFERENCES = "AuditDifferences"
    """Records or reports that do not rebuild to their stored bytes, by the audit's workers."""
    MASS_FAILURES = "MassFailures"
    """Files that a run's teams missed all at once, for the technical commission; by the minute timer."""
    FILES_OVERDUE = "FilesOverdue"
    """Files requested in time and not handed out, or answered and not receipted; by the minute timer."""
    SUBMISSIONS_STUCK = "SubmissionsStuck"
    """Submissions that have been in one state for longer than anything takes; by the minute timer."""
    DEAD_LETTERS_OPEN = "DeadLettersOpen"
    """Open dead letters of all queues; by the minute timer."""
    UNSCORED_AGE = "UnscoredAge"
    """Seconds for which the oldest unscored answer has waited, 0 without one; by the minute timer at every visit, so
    that its absence means that the timer is dead."""
    VISIT_UNFINISHED = "VisitUnfinished"
    """Pieces of work that a visit of the minute timer had no time for; they come first at its next one."""
    RUNS_LOST = "RunsLost"
    """Programs whose run the platform has lost, by the submissions' worker; organizers have them run again."""
    OPENING_LATENESS = "OpeningLateness"
    """Milliseconds from a file's opening to its hand-out, for requests that waited for the opening."""
    HAND_OUT_LATENESS = "HandOutLateness"
    """Milliseconds from the arrival of a request to the hand-out, of a file that was open."""
    ANSWERS_ACCEPTED = "AnswersAccepted"
    ANSWERS_LATE = "AnswersLate"
    ANSWERS_REFUSED = "AnswersRefused"
    """Invalid answers, and those beyond the sends that a file has."""
    TABLES_UNCOPIED = "TablesUncopied"
    """Tables without a complete export of the last day in the locked copies, by the audit's timer of a cycle that has
    such copies. They are made on Sundays, so a week in which it is never 0 had none."""
    CHANNEL_FAULTS = "ChannelFaults"
    """Events of the event channel that failed, about which the client was told."""


BY_MINUTES: Final = frozenset({Figure.UNSCORED_AGE, Figure.VISIT_UNFINISHED})
BY_AUDITS: Final = frozenset({Figure.AUDITS, Figure.TABLES_UNCOPIED})
"""Figures that are written without any activity, by the minute timer and by the audit's rounds: CloudWatch bills a
figure by the hour in which it is written."""
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
