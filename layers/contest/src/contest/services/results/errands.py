"""Errands: work that takes longer than a request may, asked for by people, done by the workers of the queues.

What was asked for is written first and sent then; its outcome is written once. A message that comes twice finds the
outcome, one that is lost leaves an errand under way, which says since when.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Final

from contest.domain.canonical import canonical
from contest.domain.results.auditing import AuditJob
from contest.domain.results.errand import Errand, ErrandKind, Outcome, Verification
from contest.domain.results.settlement import SettlingTask
from contest.errors import UnknownSessionError
from contest.errors.conduct import UnknownErrandError
from contest.ports import MissingBlobError
from contest.refusals import ContestError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import audit, publishing, settling
from contest.services.results.audit import Audited
from contest.stored_names import ERRANDS_ASKED, ERRANDS_DONE

_FORMAT: Final = 1


def ask_to_verify(platform: Platform, who: str, session_id: str) -> Errand:
    """Ask for a session to be rebuilt and compared; :class:`UnknownSessionError` where there is none.

    Clause: platform §4 audit
    """
    if reading.session(platform, session_id) is None:
        raise UnknownSessionError
    made = _asked(platform, who, ErrandKind.VERIFY, session_id)
    platform.audits.send([AuditJob(session_id, made.errand_id)])
    return made


def ask_to_mark(platform: Platform, who: str, run_id: str) -> Errand:
    """Ask for the experts' markups of a final to be taken in. What can be refused at once is.

    Clause: R 7.10
    """
    publishing.refuse_unless_markable(reading.run_now(platform, run_id))
    made = _asked(platform, who, ErrandKind.MARK, run_id)
    platform.settling.send([SettlingTask(run_id, errand_id=made.errand_id)])
    return made


def look(platform: Platform, errand_id: str) -> tuple[Errand, Outcome | None]:
    """An errand, and what came of it; None while it is under way."""
    return _errand(platform, errand_id), _outcome(platform, errand_id)


def audited(platform: Platform, job: AuditJob) -> Audited:
    """Audit what a job names, for the timer or for somebody who is told what was found. For a worker."""
    if not job.errand_id:
        return audit.audit(platform, job)
    found = audit.audit_session(platform, job.session_id)
    compared = Verification(found.scores, found.reports, found.differences, found.missing)
    _done(platform, job.errand_id, Outcome(verification=compared))
    return found


def settle(platform: Platform, task: SettlingTask) -> None:
    """Do a step of a run's settlement, or somebody's errand about the run. For a worker."""
    if not task.errand_id:
        settling.settle(platform, task)
        return
    if _outcome(platform, task.errand_id) is not None:
        return
    try:
        publishing.mark(platform, _errand(platform, task.errand_id).who, task.run_id)
    except ContestError as error:
        _done(platform, task.errand_id, Outcome(refused=(error.code, error.en, error.ru)))
    else:
        _done(platform, task.errand_id, Outcome())


def _asked(platform: Platform, who: str, kind: ErrandKind, subject: str) -> Errand:
    made = Errand(platform.randomness.run_id(), kind, subject, who, platform.clock.now())
    platform.blobs.put_if_absent(_name(ERRANDS_ASKED, made.errand_id), canonical({"format": _FORMAT, **asdict(made)}))
    return made


def _done(platform: Platform, errand_id: str, outcome: Outcome) -> None:
    platform.blobs.put_if_absent(_name(ERRANDS_DONE, errand_id), canonical({"format": _FORMAT, **asdict(outcome)}))


def _errand(platform: Platform, errand_id: str) -> Errand:
    try:
        said = json.loads(platform.blobs.get(_name(ERRANDS_ASKED, errand_id)))
    except MissingBlobError:
        raise UnknownErrandError from None
    return Errand(said["errand_id"], ErrandKind(said["kind"]), said["subject"], said["who"], said["asked_at"])


def _outcome(platform: Platform, errand_id: str) -> Outcome | None:
    try:
        said = json.loads(platform.blobs.get(_name(ERRANDS_DONE, errand_id)))
    except MissingBlobError:
        return None
    found, refused = said["verification"], said["refused"]
    return Outcome(
        refused=None if refused is None else (refused[0], refused[1], refused[2]),
        verification=None
        if found is None
        else Verification(found["scores"], found["reports"], tuple(found["differences"]), tuple(found["missing"])),
    )


def _name(prefix: str, errand_id: str) -> str:
    return f"{prefix}{errand_id}.json"
