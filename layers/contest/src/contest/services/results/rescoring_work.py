"""What workers do for a rescoring: score a session anew beside the old; let it go by that once it is accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.results import leaderboard, rescoring
from contest.domain.results.leaderboard import Entry
from contest.domain.results.rescoring import Decided, Rescoring, RescoringTask
from contest.domain.results.session_report import Facts
from contest.domain.session.session import Session
from contest.ports import MissingBlobError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, final_rescoring, reporting
from contest.services.results.rescoring import entries_of, known, parts
from contest.services.results.score_answer import put_to_work


def work(platform: Platform, task: RescoringTask) -> None:
    """Do what a rescoring asks for of one session; any number of times does what once does.

    Clause: platform §2 rescoring
    """
    of = known(platform, task.rescoring_id)
    if not task.session_id:
        if of.state is Decided.OPEN and final_rescoring.prepare(platform, of):
            platform.rescoring_tasks.send([RescoringTask(of.rescoring_id, each) for each in of.sessions])
        return
    session = reading.session(platform, task.session_id)
    if session is None:
        raise LookupError(f"no session {task.session_id}")
    if of.state is Decided.OPEN:
        _score_anew(platform, of, session)
    elif of.state is Decided.ACCEPTED:
        _apply(platform, of, session)


def _score_anew(platform: Platform, of: Rescoring, session: Session) -> None:
    name = stored_names.rescored_name(of.rescoring_id, session.session_id)
    if name in platform.blobs.names(name):
        return
    if of.final:
        manifest, (old, new) = session.manifest, final_rescoring.sides(platform, of, session)
    else:
        manifest, old, new = _sides(platform, of, session)
    made = {
        "format": 1,
        "session_id": session.session_id,
        "team_id": session.team_id,
        "mode": session.order.mode,
        "set": session.order.set_name,
        "version": session.version,
        "manifest": manifest,
        "old": old,
        "new": new,
    }
    platform.blobs.put_if_absent(name, canonical(made))


def _sides(platform: Platform, of: Rescoring, session: Session) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The list of the set by which a session is scored anew, what its report says, and what the new one would.

    What is old is read of the report that is stored: its scores may be another scorer's.
    """
    anew = rescoring.as_rescored(session, of, _manifest(platform, session))
    old = _stored(platform, session) or _told(platform, _gathered(platform, session))
    reporting.score_missing(platform, anew, reporting.schedule_of(platform, anew))
    return anew.manifest, old, _told(platform, _gathered(platform, anew))


def _stored(platform: Platform, session: Session) -> dict[str, Any] | None:
    """What the stored report says, with the session's claims on the boards; None without a report."""
    try:
        report = json.loads(
            platform.blobs.get(reporting.report_name(platform, session, reporting.schedule_of(platform, session)))
        )
    except MissingBlobError:
        return None
    claims = [
        claim
        for scope in boards.qualification_scopes(platform)
        for claim in platform.scores.claims(session.cycle, scope, session.team_id)
        if claim.session_id == session.session_id
    ]
    return _said(session, report, claims)


def _manifest(platform: Platform, session: Session) -> str:
    """The present list of the session's set where it has all its files as they were handed out, else its own."""
    chosen = reading.cycle_now(platform).set_named(session.order.set_name)
    if chosen is None or session.run_id is not None:
        return session.manifest
    present = reading.manifest(platform, session.cycle, chosen.manifest).by_id()
    before = reading.manifest(platform, session.cycle, session.manifest).by_id()
    drawn = {each.item_id for each in reading.plan(platform, session)}
    same = all(each in present and present[each].content == before[each].content for each in drawn)
    return chosen.manifest if same else session.manifest


def _gathered(platform: Platform, session: Session) -> Facts:
    found = reporting.gather(platform, session, reporting.schedule_of(platform, session), results=True)
    if isinstance(found, reporting.Pending):
        put_to_work(platform, session.session_id, found.missing)
        raise RefusedError(
            "not_scored_yet",
            "old scores of the session are still being made; the message comes again",
            "прежние оценки сессии ещё вычисляются; сообщение придёт снова",
            session=session.session_id,
        )
    return found


def _told(platform: Platform, facts: Facts) -> dict[str, Any]:
    """What a session's report says in the main, and its entries on the boards."""
    session = facts.session
    report = json.loads(reporting.rebuilt(platform, facts, reporting.schedule_of(platform, session)))
    return _said(session, report, reporting.entries_of(platform, facts))


def _said(session: Session, report: Mapping[str, Any], entries: Sequence[Entry]) -> dict[str, Any]:
    return {
        "parameters_version": session.parameters_version,
        "ready": report["readiness"]["ready"] if report["readiness"] else None,
        "result": report["result"],
        "entries": [asdict(each) for each in entries],
    }


def _apply(platform: Platform, of: Rescoring, session: Session) -> None:
    """Let a session go by its new scores: the session first, from which its report follows, then its team's boards."""
    part = json.loads(platform.blobs.get(stored_names.rescored_name(of.rescoring_id, session.session_id)))
    anew = session
    if session.rescored != of.rescoring_id and session.version == part["version"]:
        anew = rescoring.as_rescored(session, of, part["manifest"])
        platform.sessions.rescore(session, anew)
    if not of.final:
        _enter_boards(platform, of, part)
    reporting.finished_report(platform, anew)
    name = stored_names.applied_name(of.rescoring_id, session.session_id)
    platform.blobs.put_if_absent(name, canonical({"format": 1}))


def _enter_boards(platform: Platform, of: Rescoring, part: dict[str, Any]) -> None:
    """Put the best of what the team's sessions make anew in the place of what one of them has made before.

    Clause: platform §2 rescoring, R 6.10
    """
    cycle, team_id = reading.cycle_now(platform), part["team_id"]
    track, made = platform.tracks(cycle.track), parts(platform, of)
    for language in sorted({each["language"] for side in ("old", "new") for each in part[side]["entries"]}):

        def read(language: str = language) -> Entry | None:
            return platform.scores.entry(cycle.name, language, team_id)

        def enter(before: Entry | None, language: str = language) -> None:
            claims = rescoring.claims(before, entries_of(made, team_id, language), of.sessions)
            best = leaderboard.best_of(claims, track) if claims else before
            if best is not None and best != before:
                platform.scores.enter(cycle.name, before, best)

        decide_until_written(read(), enter, read)
