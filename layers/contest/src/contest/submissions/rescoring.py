"""Workers' part of a rescoring: score a session or submission anew, and apply the result once it is accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contest import reading, stored_names
from contest.cycle.rules.cycle import Item
from contest.platform import Platform, read_and_decide
from contest.refusals import RefusedError
from contest.results import boards, reporting
from contest.results.rescoring import (
    best_anew,
    finished_parts,
    prepare,
    read_rescoring,
    session_or_submission,
    stored_and_rescored,
)
from contest.results.rules import leaderboard
from contest.results.rules import rescoring as rescoring_rules
from contest.results.rules.leaderboard import Entry
from contest.results.rules.reports import Facts
from contest.results.rules.rescoring import Decided, Rescoring, RescoringTask
from contest.results.scoring import put_to_work
from contest.session import following
from contest.session.following import known_of
from contest.session.rules.session import Session
from contest.submissions import scoring
from contest.submissions.rules import Submission
from contest.texts import tr
from contest.values import canonical


# Clause: platform §2 rescoring
def work(platform: Platform, task: RescoringTask) -> None:
    """Do a rescoring's work on one session or submission; repetitions change nothing."""
    rescoring = read_rescoring(platform, task.rescoring_id)
    if not task.session_id:
        if rescoring.state is Decided.OPEN and prepare(platform, rescoring):
            platform.rescoring_tasks.send(
                [RescoringTask(rescoring.rescoring_id, session_id) for session_id in rescoring.sessions]
            )
        return
    scored = session_or_submission(platform, task.session_id)
    if scored is None:
        raise LookupError(f"neither a session nor a submission {task.session_id}")
    if rescoring.state is Decided.OPEN:
        _score_anew(platform, rescoring, scored)
    elif rescoring.state is Decided.ACCEPTED:
        _apply(platform, rescoring, scored)


def _score_anew(platform: Platform, rescoring: Rescoring, scored: Session | Submission) -> None:
    name = stored_names.rescored_name(rescoring.rescoring_id, name_of(scored))
    if name in platform.blobs.names(name):
        return
    if isinstance(scored, Submission):
        mode, wanted_list = scored.order.kind.value, _manifest_of_submission(platform, scored)
        manifest, old, new = _sides_of_submission(platform, rescoring, scored, wanted_list)
    elif rescoring.final:
        mode, wanted_list = scored.order.mode, scored.manifest
        manifest, (old, new) = wanted_list, stored_and_rescored(platform, rescoring, scored)
    else:
        mode, wanted_list = scored.order.mode, _manifest(platform, scored)
        manifest, old, new = _sides(platform, rescoring, scored, wanted_list)
    part = {
        "format": 1,
        "session_id": name_of(scored),
        "team_id": scored.team_id,
        "mode": mode,
        "set": scored.order.set_name,
        "version": rescoring_rules.mark_of(scored),
        "manifest": manifest,
        # Totals not told before are not held back: there is none from which another one would differ.
        "held_back": manifest != wanted_list and old["result"] is not None,
        "old": old,
        "new": new,
    }
    platform.blobs.put_if_absent(name, canonical(part))


def name_of(scored: Session | Submission) -> str:
    """Return the name of a session or submission on boards."""
    return scored.session_id if isinstance(scored, Session) else scored.submission_id


def _sides(
    platform: Platform, rescoring: Rescoring, session: Session, wanted_list: str
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the set's list for rescoring a session, the stored report's parts, and those of the new report.

    It is the ``wanted_list``, or the session's own where totals by that one may not be told.

    Old values are read from the stored report: its scores may be another scorer's.
    """
    anew = rescoring_rules.as_rescored(session, rescoring, wanted_list)
    if anew.manifest != session.manifest and not _may_tell(platform, anew):
        anew = rescoring_rules.as_rescored(session, rescoring, session.manifest)
    old = _stored_side(platform, session) or _rebuilt_side(platform, _gathered(platform, session))
    following.note_stage(platform, anew)
    reporting.score_missing(platform, anew, reporting.schedule_of(platform, anew))
    return anew.manifest, old, _rebuilt_side(platform, _gathered(platform, anew))


# Clause: TS T10
def _may_tell(platform: Platform, anew: Session) -> bool:
    """Return whether totals by other references may be shown of a session; if so, note that they are.

    **Decision**: corrections of a hidden set are held back until ten of its items and more are corrected: a session is
    scored anew by the references that it had, since the difference of its totals would tell the corrections.
    """
    return boards.of_session(platform, anew, known_of(platform, anew), decides=True).withheld is None


def _stored_side(platform: Platform, session: Session) -> dict[str, Any] | None:
    """Return the stored report's conclusion with the session's claims on the boards; None without a report."""
    name = reporting.report_name(platform, session, reporting.schedule_of(platform, session))
    report = reading.stored_json(platform, name)
    if report is None:
        return None
    return _side(session, report, boards.claims_of(platform, session.cycle, session.team_id, session.session_id))


def _manifest(platform: Platform, session: Session) -> str:
    """Return the present list of the session's set where it has all its files as they were handed out, else its own."""
    present = _present_items(platform, session.cycle, session.order.set_name)
    if present is None or session.run_id is not None:
        return session.manifest
    manifest, items = present
    before = reading.manifest(platform, session.cycle, session.manifest).by_id()
    drawn = {file.item_id for file in reading.plan(platform, session)}
    same = all(item_id in items and items[item_id].content == before[item_id].content for item_id in drawn)
    return manifest if same else session.manifest


def _present_items(platform: Platform, cycle: str, set_name: str) -> tuple[str, Mapping[str, Item]] | None:
    """Return the present list of a set by its name, with its items; None where the cycle has the set no more."""
    chosen = reading.cycle_now(platform).set_named(set_name)
    if chosen is None:
        return None
    return chosen.manifest, reading.manifest(platform, cycle, chosen.manifest).by_id()


def _manifest_of_submission(platform: Platform, submission: Submission) -> str:
    """Return the present list of the set where it has the very items that were answered, else the submission's own.

    **Decision**: no more and no fewer: a submission answers a whole set, and would otherwise miss items not asked
    of it.
    """
    before = reading.manifest(platform, submission.cycle, submission.order.manifest).by_id()
    present = _present_items(platform, submission.cycle, submission.order.set_name)
    if present is None or _contents(present[1]) != _contents(before):
        return submission.order.manifest
    return present[0]


def _sides_of_submission(
    platform: Platform, rescoring: Rescoring, submission: Submission, manifest: str
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Rescore a submission from its stored answers; store the report under the rescoring's name."""
    anew = submission.rescored_by(rescoring.rescoring_id, rescoring.parameters_version, manifest)
    answers, run = scoring.submitted_answers(platform, anew)
    if (
        manifest != submission.order.manifest
        and scoring.decide_shown_totals(platform, anew, answers).withheld is not None
    ):
        manifest = submission.order.manifest  # held back, as a session is
        anew = submission.rescored_by(rescoring.rescoring_id, rescoring.parameters_version, manifest)
    scored = scoring.score_items(platform, anew, answers)
    following.note_stage(platform, anew)
    report = scoring.build_report(platform, anew, scored, run)
    platform.blobs.put_if_absent(stored_names.submission_report_name(anew.submission_id, anew.rescored), report)
    stored = platform.blobs.get(stored_names.submission_report_name(submission.submission_id, submission.rescored))
    claims = boards.claims_of(platform, submission.cycle, submission.team_id, submission.submission_id)
    old = _side(submission, json.loads(stored), claims)
    new = _side(anew, json.loads(report), scoring.entries_of(platform, anew, scored))
    return manifest, old, {**new, "value": scoring.value_of(platform, anew, scored)}


def _contents(items: Mapping[str, Item]) -> dict[str, str]:
    return {name: item.content for name, item in items.items()}


def _gathered(platform: Platform, session: Session) -> Facts:
    facts = reporting.gather_facts(platform, session, reporting.schedule_of(platform, session), results=True)
    if isinstance(facts, reporting.Pending):
        put_to_work(platform, session.session_id, facts.missing)
        message = tr("old scores of the session are still being made; the message comes again")
        raise RefusedError("not_scored_yet", message, session=session.session_id)
    return facts


def _rebuilt_side(platform: Platform, facts: Facts) -> dict[str, Any]:
    """Return the conclusion of a session's report, and its entries on the boards."""
    session = facts.session
    report = json.loads(reporting.rebuild_report(platform, facts, reporting.schedule_of(platform, session)))
    return _side(session, report, reporting.entries_of(platform, facts))


def _side(scored: Session | Submission, report: Mapping[str, Any], entries: Sequence[Entry]) -> dict[str, Any]:
    """Return one side of the comparison of a session or submission: what its report and its entries say."""
    readiness = report.get("readiness")
    return {
        "parameters_version": scored.parameters_version,
        "ready": readiness["ready"] if readiness else None,
        "result": report["result"],
        "entries": [leaderboard.as_json(entry) for entry in entries],
    }


def _apply(platform: Platform, rescoring: Rescoring, scored: Session | Submission) -> None:
    """Apply a rescoring to a session or submission: first to itself, then to its report and the boards."""
    part = json.loads(platform.blobs.get(stored_names.rescored_name(rescoring.rescoring_id, name_of(scored))))
    if isinstance(scored, Submission):
        _apply_submission(platform, rescoring, scored.submission_id, part)
    else:
        _apply_session(platform, rescoring, scored, part)
    name = stored_names.applied_name(rescoring.rescoring_id, name_of(scored))
    platform.blobs.put_if_absent(name, canonical({"format": 1}))


def _apply_session(platform: Platform, rescoring: Rescoring, session: Session, part: dict[str, Any]) -> None:
    anew = session
    if session.rescored != rescoring.rescoring_id and session.version == part["version"]:
        anew = rescoring_rules.as_rescored(session, rescoring, part["manifest"])
        platform.sessions.rescore(session, anew)
    if not rescoring.final:
        _enter_boards(platform, rescoring, part)
    reporting.finished_report(platform, anew)


def _apply_submission(platform: Platform, rescoring: Rescoring, submission_id: str, part: dict[str, Any]) -> None:
    """Apply a rescoring to a submission; read it again when its team writes to it meanwhile.

    Its claims are written anew as well: the recomputation compares them with the new report.
    """

    def write(before: Submission | None) -> None:
        if before is None or before.rescored == rescoring.rescoring_id or before.rescored != part["version"]:
            return
        anew = before.rescored_by(rescoring.rescoring_id, rescoring.parameters_version, part["manifest"])
        platform.submissions.change(before, replace(anew, value=part["new"]["value"]))

    read_and_decide(lambda: platform.submissions.get(submission_id), write)
    cycle = reading.cycle_now(platform)
    for fields in part["new"]["entries"]:
        platform.scores.claim(cycle.name, Entry(**fields))
    _enter_boards(platform, rescoring, part)
    scoring.begin_recomputation(platform, submission_id)


# Clause: platform §2 rescoring, R 6.10
def _enter_boards(platform: Platform, rescoring: Rescoring, part: dict[str, Any]) -> None:
    """Enter a team's best rescored claim in place of its earlier one."""
    cycle, team_id, new_parts = reading.cycle_now(platform).name, part["team_id"], finished_parts(platform, rescoring)
    for scope in sorted({entry["language"] for side in ("old", "new") for entry in part[side]["entries"]}):

        def read(scope: str = scope) -> Entry | None:
            return platform.scores.entry(cycle, scope, team_id)

        def enter(before: Entry | None, scope: str = scope) -> None:
            best = best_anew(platform, rescoring, new_parts, before, (cycle, scope, team_id))
            if best is not None and best != before:
                platform.scores.enter(cycle, before, best)

        read_and_decide(read, enter)
