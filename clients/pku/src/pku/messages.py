"""Every sentence of the kit in two languages, under one stable name each: English here, Russian in ``ru.po``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.texts import Catalogue, Text

CATALOGUE: Final = Catalogue(__file__)
tr, tr_in = CATALOGUE.tr, CATALOGUE.tr_in


COMMANDS: Final[dict[str, Text]] = {
    "login.url": tr("Address of the platform"),
    "login.token": tr("Token"),
    "login.done": tr("Logged in to {cycle}. Settings: {path}"),
    "new.done": tr("{path}: {files}. Next: its README.md"),
    "ask.done": tr("Asked: {question}. Read the answer with: pku questions"),
    "ask.none": tr("Your team has asked nothing."),
    "ask.one_subject": tr("A question has one subject at most: --item, --run or --rule."),
    "ask.question": tr("{question}, {at} UTC, {standing}: {text}"),
    "ask.answer": tr("  Answer: {text}"),
    "ask.answer_to_all": tr("  Answer to everybody: {text}"),
    "board.baseline": tr("{team} (baseline)"),
    "pages.none": tr("The organizers have published no pages."),
    "hooks.what": tr("Say which: an address to add, or the webhook to test or remove."),
    "hooks.none": tr("Your team has no webhooks."),
    "hooks.added": tr("Added; its first request comes within two minutes."),
    "hooks.tested": tr("A test request comes within two minutes; its outcome: pku hooks list"),
    "hooks.last": tr("  Last request ({kind}) {at} UTC: {outcome}"),
    "hooks.off": tr("  Off since {at} UTC: all its requests failed. Remove it, and add it anew."),
    "hooks.good": tr("The platform signed this."),
    "hooks.bad": tr("This is not what the platform signed: {fault}."),
    "ask.answer_withdrawn": tr("  The organizers have withdrawn this answer: {text}"),
    "ask.upheld": tr("  The protest {question} is upheld."),
    "ask.rejected": tr("  The protest {question} is rejected."),
    "ask.closed": tr("  Closed: {reason}"),
    "sent.taken": tr_in("webhook", "taken"),
    "sent.refused": tr_in("webhook", "the host refused it"),
    "sent.no_answer": tr_in("webhook", "no answer in time"),
    "sent.unreachable": tr_in("webhook", "the host could not be reached"),
    "sent.not_public": tr_in("webhook", "the host has no public address"),
    "asked.open": tr_in("question", "waits for an answer"),
    "asked.answered": tr_in("question", "answered"),
    "asked.closed": tr_in("question", "closed"),
    "asked.withdrawn": tr_in("question", "withdrawn"),
    "start.done": tr("Session {session_id}: {files:#file|files} of the {set} set. Next: pku run"),
    "start.scheduled": tr(
        "Session {session_id} ({mode}): {files:#file|files} from {starts_at}, every {interval_s:g} s. Next: pku run"
    ),
    "start.waiting": tr("No run to join yet; looking again in {seconds} s. Ctrl-C stops waiting."),
    "start.capped": tr("Asked for: {requested:#file|files}; available: {files}."),
    "run.resumed": tr("Continuing session {session_id} ({mode}, {set} set)"),
    "run.trying": tr("trying the solver on a sample"),
    "run.progress": tr("files"),
    "run.printed": tr("What it printed last:"),
    "run.opens": tr("file {number} opens at {at} UTC"),
    "run.paused": tr("the run is paused"),
    "run.pause": tr("The organizers have paused the run: {reason}. No file opens until they resume it."),
    "run.pause_unexplained": tr("The organizers have paused the run. No file opens until they resume it."),
    "run.pause_over": tr("The run goes on."),
    "run.done": tr("{accepted} of {files:#file|files} answered in time, {late} late, {failed} without an answer."),
    "run.failure": tr("file {number}: {text}"),
    "run.interrupted": tr("Stopped. Nothing is lost: the same command continues while the files' time lasts."),
    "run.empty": tr("None of the {count} answers has a fragment: is that meant?"),
    "run.open": tr("Session {session_id} is still open: the same command goes on with it, pku abort ends it."),
    "run.open_until": tr(
        "Session {session_id} is still open: until {until} UTC the same command tries files without an answer again."
    ),
    "try.failure": tr("essay {essay}: {text}"),
    "try.answered": tr("Validly answered: {answered} of {files:#essay|essays} ({share:.0%})."),
    "try.longest": tr("The longest took {seconds} s of {limit} s."),
    "try.accuracies": tr("Accuracy, %"),
    "try.all": tr("all"),
    "try.codes": tr("Fragments by code"),
    "try.more_codes": tr("… {count} more codes: --json"),
    "try.ready": tr(
        "That is enough for a final, which needs {needed:.0%} of at least {least} files of a training or test set."
    ),
    "try.not_ready": tr(
        "That is too few for a final, which needs {needed:.0%} of at least {least} files of a training or test set."
    ),
    "try.no_cycle": tr(
        "Scored with the usual parameters. After pku login the cycle's are taken, and what a final needs is told."
    ),
    "stopped": tr("Stopped."),
    "trouble.on": tr("{why} So it has been since {since} UTC; trying again until {until} UTC."),
    "trouble.over": tr("The platform answers again."),
    "trouble.files": tr("Files in hand: {count}; the first must be answered by {due} UTC."),
    "trouble.no_files": tr("No file is in hand."),
    "trouble.waiting": tr("Waiting for an answer of {host} …"),
    "run.next": tr("The report: pku report {session_id}"),
    "abort.question": tr("End session {session_id}? It will not count."),
    "abort.question_final": tr(
        "End session {session_id} of the FINAL? Your team's participation ends with it and cannot be resumed."
    ),
    "abort.done": tr("Session {session_id} is {state}."),
    "abort.kept": tr("Nothing was ended."),
    "data.none": tr("The organizers give out no data set."),
    "data.name": tr("set"),
    "data.kind": tr("kind"),
    "data.items": tr("items"),
    "data.markups": tr("experts' markups"),
    "data.parts": tr("parts"),
    "data.done": tr("{set}: {files:#file|files} in {folder}; {sums} has the SHA-256 of each."),
    "data.same": tr("{set}: {files:#file|files} in {folder}, all there and unchanged ({sums})."),
    "report.waiting": tr("scoring"),
    "report.title": tr("Session {session_id}: {set} set, {answered} of {files:#file|files} answered"),
    "report.ready": tr("Ready for a final: {share:.0%} of the files validly answered."),
    "report.not_ready": tr("Not ready for a final:"),
    "report.delay_ms": tr("From opening to hand-out: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s"),
    "report.trial": tr("This was a trial run: nothing of it counts."),
    "report.unpublished": tr(
        "No scores yet: the organizers publish the results of a final when the experts' work is done."
    ),
    "report.voided_file": tr("file {number} is void: {cause}"),
    "report.solution_voided": tr(
        "{voided_share:.1%} of the files were missed, more than the {allowed_share:.0%} allowed: the solution is void."
    ),
    "report.solution_stands": tr("{voided_share:.1%} of the files were missed; {allowed_share:.0%} are allowed."),
    "state.open": tr("open"),
    "state.finished": tr("finished"),
    "state.timed_out": tr("timed out"),
    "state.aborted": tr("aborted"),
    "state.stopped": tr("stopped by the organizers"),
    "file.waiting": tr("waiting"),
    "file.open": tr_in("commands", "open"),
    "file.answered": tr("answered"),
    "file.voided": tr("void"),
    "status.accepted": tr("accepted"),
    "status.late": tr("late"),
    "status.ignored": tr("ignored"),
    "status.repeat": tr("repeated"),
    "kind.training": tr("training"),
    "kind.test": tr("test"),
    "kind.final": tr_in("commands", "final"),
    "kind.reserve": tr("reserve"),
    "mode.algorithmic": tr("algorithmic"),
    "mode.technical": tr("technical"),
    "mode.final": tr("final"),
    "cause.team_late": tr("the program was late or did not ask"),
    "cause.team_invalid": tr("only invalid answers came"),
    "cause.network": tr("the connection was lost"),
    "cause.platform": tr("a fault of the platform"),
    "cause.organizer_decision": tr("the organizers' decision"),
    "report.processing_ms": tr("Processing time: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s"),
    "report.chart": tr("Accuracy by metric, %"),
    "report.algorithm": tr("program"),
    "report.experts": tr("experts"),
    "report.more": tr("… {count} more files: --all"),
    "compare.title": tr("File {number}, expert {expert}"),
    "compare.own": tr("own fragment"),
    "compare.expert": tr("expert's fragment"),
    "compare.metric": tr("metric"),
    "compare.value": Text("%", "%"),
    "compare.pair_accuracy": tr("pair accuracy"),
    "receipts.good": tr("signature is good"),
    "receipts.unknown_key": tr("unknown key"),
    "receipts.bad_signature": tr("BAD SIGNATURE"),
    "receipts.bad_times": tr("DECIDED BEFORE RECEIVED"),
    "receipts.summary": tr("{good} of {count} signatures are good"),
    "board.title": tr("Leaderboard of the qualification: {board}"),
    "board.title_final": tr("Leaderboard of the final: {board}"),
    "board.all": tr("all languages"),
    "board.empty": tr(
        "Nobody is on the board yet. It takes answers to 95 % of the test set, and experts' markups to score them by."
    ),
    "board.empty_whole": tr("Nobody is on the board yet. It takes a session over the whole test set."),
    "error.unknown_nomination": tr("This board has no nomination {name}. Those of a final (--final, --run): {names}."),
    "board.not_published": tr("The results have not been published yet."),
    "board.empty_final": tr("Nobody has a place on this board."),
    "board.overcame": tr("overcome"),
    "board.flagged": tr("⚠ with missed files as zero {value}"),
    "doctor.measuring": tr("measuring"),
    "doctor.clock": tr("Clock: the platform is {by_ms} ms ahead (± {uncertainty_ms} ms); the kit reckons with it."),
    "doctor.clock_fast": tr(
        "Clock: the platform is {by_ms} ms behind (± {uncertainty_ms} ms); the kit reckons with it."
    ),
    "doctor.latency": tr(
        "Answers take {p50_ms} ms (p99 {p99_ms}, longest {max_ms}): {margin_s} s of a request's {limit_s} s left."
    ),
    "doctor.solver": tr(
        "The solver needs {longest_s} s at most on the samples; {margin_s} s of {limit_s} s are left for an answer."
    ),
    "doctor.solver_failed": tr("The solver fails on {file}: {error}"),
    "doctor.archive": tr("The archive would be taken: {entry_point} in {image}"),
    "doctor.archive_fault": tr("The archive would be refused: {message}"),
    "doctor.archive_remark": tr("Of the archive: {message}"),
    "doctor.running": tr("seconds of the program"),
    "doctor.program": tr(
        "The program needed {seconds} s of {limit_s} s on the sample, on this machine; its image was not tried."
    ),
    "doctor.program_not_started": tr("The program cannot be started: {entry_point} ({why})"),
    "doctor.program_failed": tr("The program ended with code {code} after {seconds} s: {said}"),
    "doctor.program_timeout": tr("The program was not done within {limit_s} s: {said}"),
    "doctor.output": tr("{item}: an answer of {bytes} bytes"),
    "doctor.output_missing": tr("{item}: there is no {file}; that scores nothing."),
    "doctor.output_invalid": tr("{item}: no valid answer: {message}"),
    "doctor.journals": tr("Journals: {path}, {free_mib} MiB free"),
    "doctor.journals_unwritable": tr("Journals cannot be written to {path} ({why})."),
    "doctor.run": tr(
        "Next run: {mode} {run_id} at {starts_at}, a file every {interval_s:g} s; join until {join_until}"
    ),
    "doctor.kit": tr("The kit is the published one, {here}."),
    "doctor.kit_unpublished": tr("The kit is {here}; the platform publishes none."),
    "doctor.kit_other": tr("The kit here is {here}, the published one {version} since {since}. To install: {command}"),
    "doctor.kit_changed": tr(
        "This kit {here} differs from the published one, and nobody may change it (R 4.3, 11.4). To install: {command}"
    ),
    "doctor.kit_unsigned": tr(
        "The platform's list of the kit is not signed with its key; do not install from it, ask the organizers."
    ),
    "doctor.no_run": tr("No run is announced."),
    "doctor.end_good": tr("Ready."),
    "doctor.end_warning": tr("Ready, but look at what is marked with !"),
    "doctor.end_fault": tr("Not ready: what is marked with ✗ would cost files."),
    "archive.missing_file": tr("The file {name} is missing."),
    "archive.unlisted_file": tr("The file {name} is not in the manifest, or there twice."),
    "archive.another_content": tr("The file {name} is not what the manifest says."),
    "archive.missing_markup": tr("The markup of file {file} by {team} is missing."),
    "archive.missing_answer": tr("The answer to file {file} by {team} is missing."),
    "archive.another_fate": tr("The record says something else of {team}'s file no. {number}."),
    "archive.missing_team": tr("{team} has a result and stands on no place of a board."),
    "archive.unknown_team": tr("The board names {team}, of whom nothing is in the archive."),
    "archive.another_number": tr("The board has another {number} of {team} than comes out: {found}."),
    "archive.annulled_solution": tr("{team} missed {share} of its files and has a place all the same."),
    "archive.looked_at": tr(
        "Looked at {files:#file|files}, scored {markups:#markup|markups}, recomputed {teams:#team|teams}."
    ),
    "archive.looked_at_answers": tr(
        "Looked at {files:#file|files}, found {markups:#answer|answers}, made the places of {teams:#team|teams} anew."
    ),
    "archive.sound_answers": tr(
        "The archive is sound: fates are the record's, results make the places. Scores need the closed right answers."
    ),
    "archive.looked_at_runs": tr(
        "Looked at {files:#file|files}, found {markups:#run|runs}, made the places of {teams:#team|teams} anew."
    ),
    "archive.sound_runs": tr(
        "The archive is sound: the runs' results make the boards. Scores need the closed right answers."
    ),
    "archive.sound": tr("The archive is sound: its markups make its board."),
    "archive.unsound": tr("The archive is NOT sound."),
    "column.subject": tr("subject"),
    "column.essays": tr("essays"),
    "column.algorithm": tr("program"),
    "column.experts": tr("experts"),
    "column.code": tr("code"),
    "column.of_experts": tr("experts'"),
    "column.found": tr("found"),
    "column.named": tr("same code"),
    "column.own": tr("own"),
    "column.stray": tr("no expert has"),
    "column.place": tr("place"),
    "column.team": tr("team"),
    "column.files": tr("files"),
    "column.relative": tr("OTAR, %"),
    "compare.score": tr("file {number}: the score"),
    "column.interval": tr("95 % interval"),
    "column.barrier": tr("barrier"),
    "column.session": tr("session"),
    "column.set": tr("set"),
    "column.language": tr("language"),
    "column.state": tr("state"),
    "column.opened": tr("opened"),
    "column.answered": tr_in("commands", "answered"),
    "column.number": tr("no."),
    "table.empty": tr("no rows; of a hidden set, groups of fewer than ten texts are not shown"),
    "column.file": tr("file"),
    "column.send": tr("send"),
    "column.received": tr("received"),
    "column.signature": tr("signature"),
    "column.answer_by": tr("answer by"),
    "column.cause": tr("cause"),
}


_TIMES: Final = tr(
    "{files} files, one every {interval_s} s; {request_s} s to ask for a file, {answer_s} s to answer it, "
    "{total_s} s in all; joining until {join_s} s after the start"
)
CYCLE: Final[dict[str, Text]] = {
    "cycle.language": tr("language"),
    "cycle.document": tr("knowledge base"),
    "cycle.stage": tr("stage"),
    "cycle.set": tr("set"),
    "cycle.version": tr("version of the parameters"),
    "cycle.nomination": tr("nomination"),
    "cycle.not_held": tr("none in this cycle"),
    "cycle.yes": tr("yes"),
    "cycle.no": tr("no"),
    "stage.selection": tr("selection"),
    "stage.qualification": tr("qualification"),
    "stage.final": tr("final"),
    "stage.results": tr("results"),
    "parameter.answer_bytes": tr("bytes of an answer, at most"),
    "parameter.log_bytes": tr("bytes of a log, at most"),
    "parameter.files_per_session": tr("files of a session, at most"),
    "parameter.sessions_per_day": tr("sessions a day"),
    "parameter.sessions_per_day_on.training": tr("sessions a day on training sets, counted apart"),
    "parameter.sessions_per_day_on.test": tr("sessions a day on test sets, counted apart"),
    "parameter.time_limit_s": tr("time for an answer"),
    "parameter_value.time_limit_s": tr("{min} to {max} s, {default} s where nothing is said"),
    "parameter.idle_timeout_s": tr("silence that ends a session, s"),
    "parameter.sends_per_file": tr("answers looked at per file"),
    "parameter.requests_per_second": tr("requests per second"),
    "parameter.readiness_min_files": tr("files for readiness, at least"),
    "parameter.readiness_min_share": tr("share of them answered rightly, at least"),
    "parameter.least_hidden_items": tr("answers to a hidden set from which totals are shown, at least"),
    "parameter.bootstrap_seed": tr("seed of the intervals"),
    "parameter.modules_demanded": tr("sessions that count for published modules alone"),
    "parameter.technical": tr("technical qualification"),
    "parameter_value.technical": tr(
        "{times}; every {{every_hours}} hours, announced {{lead_s}} s before", times=_TIMES
    ),
    "parameter.final": tr("final"),
    "parameter_value.final": _TIMES,
    "parameter.experts.limit_s": tr("an expert's time for an essay, s"),
    "parameter.experts.third_shown": tr("experts see the third one's decisions"),
    "parameter.experts.autosave_s": tr("between two savings of a draft, s"),
    "parameter.track.weights": tr("weights of M1 … M7"),
    "parameter.track.hardness": tr("hardness H"),
    "parameter.track.separate_groups": tr("errors and semantic blocks are matched apart"),
    "parameter.track.paraphrase": tr("how paraphrases are found"),
    "parameter.track.limits.max_bytes": tr("bytes of a markup, at most"),
    "parameter.track.limits.max_fragments": tr("fragments of a markup, at most"),
    "parameter.track.limits.max_code_points": tr("characters of an essay, at most"),
    "parameter.track.limits.max_depth": tr("nesting of a markup's JSON, at most"),
}


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
    "error.submission_kind": tr("Say with --kind what FILE is; this contest takes: {taken}."),
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


_ADDRESS: Final = tr("Log in with the platform's address alone, without a path: pku login https://HOST")
ERRORS: Final[dict[str, Text]] = {
    "error.connection_failed": tr("The platform at {host} cannot be reached: {why}."),
    "reason.refused": tr("the connection is refused, nothing listens there"),
    "reason.unknown_host": tr("no host has this name, or this machine has no network"),
    "reason.certificate": tr("its certificate is not valid for this name"),
    "reason.no_https": tr("no HTTPS is spoken there; a local platform's address begins with http://"),
    "reason.timeout": tr("no connection came about in time"),
    "error.unknown_contest": tr(
        "This kit cannot play the contest {name}, it knows: {known}. Take the kit that the platform publishes."
    ),
    "error.try_essays_only": tr(
        "pku try scores essays alone; the contest {name} has a scorer of its own: tracks {name} --help."
    ),
    "error.not_an_archive": tr("{path} is no archive of a final."),
    "error.not_a_board": tr("{path} holds no leaderboard: name a final's archive, or a file of pku board --json."),
    "error.extra_needed": tr("The table cannot be written: {why}"),
    "error.timeout": tr("The platform at {host} did not answer in time."),
    "error.unexpected_response": tr("The address answers, but not as the contest's API ({what})."),
    "error.http_error": tr("The platform answered {what}."),
    "error.unauthenticated": tr("The request carries no token."),
    "error.forbidden": tr("The platform does not accept this token: it is unknown or revoked, or may not do this."),
    "error.answer_too_large": tr("The body is larger than the platform takes."),
    "error.rate_limited": tr("Too many requests in one second."),
    "error.busy": tr("The platform is busy."),
    "error.no_login": tr("No address or token is stored. Run: pku login"),
    "error.bad_login_file": tr("{path} cannot be read ({why}). Run pku login again."),
    "error.bad_url": tr("{url} is no address of an API; it looks like https://host or http://127.0.0.1:8000."),
    "error.bad_token": tr(
        "The token has a letter of another alphabet, or a sign that no token has. Copy it anew; then run: pku login"
    ),
    "error.no_set_named": tr("Say which set: pku data get NAME. The sets you may have: pku data list"),
    "error.data_folder_in_use": tr("{path} has other files. Name a new folder: pku data get NAME FOLDER"),
    "error.kit_folder_in_use": tr("{path} has files already. Name a new folder: pku new FOLDER"),
    "error.data_damaged": tr("Part {number} has another SHA-256 than the platform named. Run the command again."),
    "error.data_pack_damaged": tr("The file of the whole set is not what the platform named. Run the command again."),
    "error.address_over": tr(
        "The address of the file is over or belongs to something else. Run the command again: it asks for a new one."
    ),
    "error.data_bad_name": tr(
        "The platform names a file {name!r}, which would lead out of the folder. Nothing more was written."
    ),
    "error.data_write": tr(
        "{path} cannot be written ({why}). Make room and run the command again: what has come is kept."
    ),
    "error.session_in_use": tr("Another pku (process {pid}) is working on this session. Wait for it or stop it."),
    "error.journal_write": tr(
        "{path} cannot be written ({why}). Nothing was lost: make room and run the command again."
    ),
    "error.journal_damaged": tr(
        "{path} is damaged at byte {offset}. Move it away: files that are still open are fetched again."
    ),
    "error.bad_receipts": tr("{path} is no list of receipts: {why}"),
    "error.bad_record": tr("This is not the record of a run as it is published ({why})."),
    "error.bad_session_id": tr('"{session_id}" is no session\'s id. See: pku status'),
    "error.bad_name": tr('"{name}" is no id or name of anything on the platform.'),
    "error.run_without_mode": tr("Say of which kind the run {run} is: --mode technical, --mode final …"),
    "error.no_session": tr(
        "There is no session yet. Open one: pku start --set train --files 10; in a contest of programs: pku submit FILE"
    ),
    "error.no_open_session": tr("No session is open. Open one with pku start, or give run a --set."),
    "error.no_token_given": tr("There is no token on standard input. Send one line: pku login --token-stdin < FILE"),
    "error.no_solver": tr("Say what marks the essays up: exactly one of --solver, --entry-point and --folder."),
    "error.try_unreadable": tr("This cannot be tried on: {why}"),
    "error.try_no_experts": tr(
        "{folder} has no essay with experts' markups (ID.json beside ID_exp01.json). Get some: pku data get train"
    ),
    "error.try_no_such_essay": tr("There is no essay {essay} among those that were tried."),
    "error.try_no_answer": tr("There is no valid answer to {essay} to compare."),
    "error.try_late": tr("The answer took {seconds} s; {limit} s are allowed."),
    "error.another_session_open": tr(
        "You asked for {option}; the open session {session_id} has {found}. Go on with it: pku run; end it: pku abort."
    ),
    "error.solver_fails_on_sample": tr("No session was opened, for the solver fails on a sample. {error}"),
    "error.solver_keeps_failing": tr(
        "The solver failed alike on {count} files in a row; no more were asked for. Mend it, or --keep-going. {last}"
    ),
    "error.bad_command": tr(
        'The command needs {{input}} and {{output}}, as in "python marker.py {{input}} {{output}}"; it is: {command}'
    ),
    "error.bad_entry_point": tr(
        "The entry point {name} cannot be used ({why}). It looks like package.module:function."
    ),
    "error.solver_failed": tr("The solver ended with status {status}."),
    "error.solver_timeout": tr("The solver was stopped after {seconds} s, because the time for this file was over."),
    "error.solver_no_time": tr("The time for this file is over before the solver could start."),
    "error.solver_no_output": tr("The solver ended without an error but wrote no {{output}} file."),
    "error.solver_not_started": tr("The solver cannot be started: {command}: {why}"),
    "error.solver_raised": tr("The solver raised {why}"),
    "error.folder_no_answer": tr("No answer came in time: {path}"),
    "error.answer_unreadable": tr("The answer cannot be read: {why}"),
    "error.unreadable": Text("{why}", "{why}"),
    "error.invalid_answer_here": tr("The markup has errors and was not sent:{faults}"),
    "error.time_is_over": tr("The time for this file was over at {answer_by}."),
    "error.answer_late": tr("The answer came too late; it is stored and does not count."),
    "error.answer_ignored": tr("The answer was one too many for this file and was ignored."),
    "error.file_voided": tr("The file is void ({cause})."),
    "error.bad_classifier": tr("The cycle's classifier cannot be read ({why}). Update pku."),
    "error.report_not_ready": tr(
        "The report is not ready: {scored} of {files:#file|files} scored. Ask again later: pku report"
    ),
    "error.no_timeline": tr("Session {session_id} followed no run and has no timeline. Leave --timeline out."),
    "error.not_written": tr(
        "{path} cannot be used ({why}). Name another place; HURDLE_HOME moves the settings and journals."
    ),
    "error.hook_unreadable": tr("This is no body of a webhook ({why})."),
    "error.bad_keys": tr("The keys cannot be read ({why}). Fetch them anew: pku login"),
    "error.no_keys": tr("There are no saved keys at {path}. Fetch them: pku login"),
    "error.not_scored_yet": tr("This file is not scored yet. Ask again in some seconds."),
    "error.unknown_column": tr("There is no column {name} to sort by; there are: {known}"),
    "hint.unauthenticated": tr("Get a token from the organizers and run: pku login"),
    "hint.forbidden": tr("Check the token, or ask the organizers for one: pku login"),
    "hint.connection_failed": tr("Check the network and the address; then run the command again, it continues."),
    "hint.timeout": tr("Run the command again, it continues."),
    "hint.session_already_open": tr("Continue it with pku run, or end it with pku abort."),
    "hint.session_open": tr("Finish it with pku run, or end it with pku abort."),
    "hint.outside_stage": tr("Work on a training set meanwhile; pku cycle lists the sets."),
    "hint.quota_exhausted": tr("Come back when the day is over."),
    "hint.run_not_over": tr("Wait for its end: pku verify-run RUN_ID --wait"),
    **dict.fromkeys(("hint.unexpected_response", "hint.unknown_route"), _ADDRESS),
    "hint.busy": tr("Run the command again, it continues."),
    "hint.internal": tr("Run the command again; if it stays so, send the organizers the request's id."),
}


SENTENCES: Final[Mapping[str, Text]] = {**ERRORS, **COMMANDS, **CYCLE, **SUBMISSIONS, **PROOFS}
"""Sentences by name, with ``str.format`` fields."""
