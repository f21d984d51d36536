"""Findings of ``pku verify-run`` and messages about submissions. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

from markup_core.texts import Text
from pku.texts import tr

PROOFS: Final = {
    "proof.commitment_differs": tr("The record is of another commitment than the one the platform shows."),
    "proof.commitment_was_other": tr("The commitment was another one when this machine joined the run."),
    "proof.amendments_differ": tr("The decisions in the record are not those the platform shows."),
    "proof.amendments_were_other": tr("The decisions were others when this machine last looked at the run."),
    "proof.roster_differs": tr("The sealed list of teams is that of another run."),
    "proof.roster_was_other": tr(
        "The sealed list of teams is not the one that the platform showed when joining was over."
    ),
    "proof.let_in_otherwise": tr(
        "The teams in the record ({said}) are not those that were let in ({due}): one is left out, added or another."
    ),
    "proof.record_was_other": tr("The record was another one when this machine last looked at the run."),
    "proof.out_of_order": tr("The {statement} is out of order: its number or its moment is not after the one before."),
    "proof.seal_differs": tr("Ruling {number} is opened with another content than was sealed."),
    "proof.seal_unopened": tr("The sealed ruling {number} is opened nowhere."),
    "proof.ruling_unsealed": tr("Ruling {number} is opened without a seal in the chain, or twice."),
    "proof.seal_hides": tr("The seal {number} hides a decision that everybody was to be told of."),
    "proof.ruling_of_nobody": tr(
        "Ruling {number} is about file {file} of the team {team}, which the record does not have."
    ),
    "proof.ruled_later": tr("Ruled after the record was made, which does not show it ({number}): {what}. {reason}"),
    "proof.slow_body": tr("Team {team}, file {number}: the answer was there as a whole {seconds} s after its headers."),
    "proof.unknown_key": tr("The {statement} is signed with the unknown key {key_id}."),
    "proof.bad_signature": tr("The signature of the {statement} is wrong."),
    "proof.broken_chain": tr("The {statement} does not follow the statement before it."),
    "proof.record_changed": tr("The record is not the one that was signed."),
    "proof.files_swapped": tr("The files are not those committed to (statement {statement})."),
    "proof.opening_moved": tr("File {number} opened at {said}; by commitment and decisions it was due at {due}."),
    "proof.opened_early": tr("Team {team} got file {number} before it opened."),
    "proof.late_counted": tr("Team {team}: an answer to file {number} counts that came after its deadline."),
    "proof.decided_early": tr("Team {team}: the answer to file {number} was decided on before it came."),
    "proof.head_differs": tr("The record says {field} {said}; by commitment and decisions it is {due}."),
    "proof.record_lacks": tr("The record is not complete, or names something twice: {what}."),
    "proof.plan_moved": tr("The record says that file {number} was to open at {said}; by the commitment it was {due}."),
    "proof.joined_late": tr("Team {team} joined after the last moment, {due}."),
    "proof.ended_otherwise": tr("Team {team}: its session cannot have ended at {closed} as the record says ({said})."),
    "proof.never_closed": tr(
        "Team {team}: the record does not say when its session ended, or it ended before it began."
    ),
    "proof.row_differs": tr("Team {team}, file {number}: the record says {field} {said}; by the rules it is {due}."),
    "proof.deadlines_differ": tr(
        "File {number}: teams had shorter times for an answer than promised, and not the same."
    ),
    "proof.receipt_differs": tr("Team {team}, file {number}: the record has another {field} than the signed receipt."),
    "proof.receipt_unknown_key": tr("Team {team}, file {number}: a receipt is signed with an unknown key."),
    "proof.receipt_bad_signature": tr("Team {team}, file {number}: the signature of a receipt is wrong."),
    "proof.receipt_bad_times": tr(
        "Team {team}, file {number}: by its receipt an answer was decided on before it came."
    ),
    "proof.own_session_missing": tr("The record does not know the session {session_id} of this machine."),
    "proof.own_file_differs": tr("File {number} as it came here is not the one committed to."),
    "proof.own_time_differs": tr("The record has another hand-out time of file {number} than was told here."),
    "proof.own_answer_differs": tr("The record has another time of the answer to file {number} than its receipt."),
    "proof.looked_at": tr(
        "Looked at signatures: {signatures}, files: {files}, sessions: {sessions}, rulings: "
        "{rulings}, files that came here: {own_files}."
    ),
    "proof.no_commitment_kept": tr(
        "This machine kept no commitment from before the run, so only the platform's own word stands for it."
    ),
    "proof.waiting": tr("The run is not over; waiting for its end, expected {ends_at}."),
    "proof.fair": tr("The run was as promised."),
    "proof.unfair": tr("The run was NOT as promised. Keep these files and tell the technical commission."),
}


SUBMISSIONS: Final[dict[str, Text]] = {
    "submit.measuring": tr("reading the file"),
    "submit.bringing": tr("uploading"),
    "submit.announced": tr("Submission {submission_id}: handed in, {size} bytes. Receipt: {path}"),
    "submit.bad_receipt": tr(
        "The receipt is not signed by a key that pku login has saved ({fault}): keep it, and tell the organizers."
    ),
    "submit.state": tr("{at} UTC, state: {became}"),
    "submit.refused": tr("It was refused:"),
    "submit.failed": tr("It has failed: {failure}."),
    "submit.failed_platform": tr("This costs no attempt; the organizers can have it run again."),
    "submit.logs": tr("What it has written: pku submissions {submission_id} --logs"),
    "submit.interrupted": tr(
        "Stopped. Nothing is lost: the same command goes on, and what was handed in is scored without it."
    ),
    "submit.left": tr("Left today: {scored} scored, {unscored} not scored; again at {at}."),
    "submit.later": tr("It is scored without this machine: pku submissions {submission_id}"),
    "submissions.title": tr("Submissions"),
    "submissions.none": tr("There are no submissions. pku submit FILE"),
    "submissions.missing": tr("Without an answer: {items}"),
    "submissions.run": tr("Run on {machine}: {seconds} s, exit code {code}."),
    "submissions.not_enforced": tr("Not enforced there: {text}"),
    "submissions.stream": tr("── {stream}, {size} bytes kept ──"),
    "column.submission": tr("submission"),
    "column.kind": tr("kind"),
    "column.created": tr("begun, UTC"),
    "column.value": tr("value"),
    "kind.answers": tr("answers"),
    "kind.program": tr("program"),
    "became.uploading": tr("being uploaded"),
    "became.checking": tr("being checked"),
    "became.refused": tr("refused"),
    "became.queued": tr("waiting for a machine"),
    "became.running": tr("running"),
    "became.scoring": tr("being scored"),
    "became.scored": tr("scored"),
    "became.failed": tr("failed"),
    "failure.image": tr("its image cannot be had, or is too large"),
    "failure.exit_code": tr("the program ended with an error"),
    "failure.timeout": tr("the program took too long"),
    "failure.out_of_memory": tr("the program took too much memory"),
    "failure.no_output": tr("the program wrote nothing into output/"),
    "failure.bad_output": tr("output/ holds a link, a folder, or a file that is too large"),
    "failure.platform": tr("a fault of the platform"),
    "error.submission_unreadable": tr("{path} cannot be read: {why}."),
    "error.submission_empty": tr("{path} is empty."),
    "error.submission_too_large_here": tr("{path} takes {size} bytes, at most {most} are taken."),
    "error.submission_changed": tr(
        "{path} was changed while it was uploaded. Run the command again: it becomes another submission."
    ),
    "error.submission_parts_lost": tr(
        "The platform still misses parts of submission {submission_id}. Run the command again."
    ),
    "error.no_submissions": tr("This contest takes no whole submissions: pku run works through a session."),
    "error.doctor_no_programs": tr(
        "No programs are submitted to this contest: pku doctor --solver tries one that answers file by file."
    ),
    "error.doctor_programs_alone": tr(
        "This contest takes whole programs, not answers file by file: pku doctor --archive FILE."
    ),
    "error.submission_kind": tr("This contest takes {taken}, not {wanted}: say --kind."),
    "error.submissions_only": tr("Programs of the contest {name} are submitted whole: pku submit FILE."),
    "error.archive_refused": tr(
        "{path} would be refused, so nothing was sent; everything that is wrong with it stands above."
    ),
    "error.give_up_alone": tr(
        "--give-up takes the ID of the upload, and no other option: pku submissions ID --give-up"
    ),
    "error.no_submission": tr("Your team has no submissions."),
    "hint.submission_under_way": tr("The upload is kept: the same command goes on when the other one has ended."),
    "hint.submissions_exhausted": tr("The upload is kept for a day: the same command goes on then."),
}
