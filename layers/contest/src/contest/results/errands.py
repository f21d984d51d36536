"""Errands: work requested by people that takes longer than one request, done by the workers of the queues.

The request is stored first and sent then; its outcome is written once. A message that comes twice finds the outcome. If
a message is lost, or its worker fails for good, the errand shows that and can be sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Final

from contest import reading
from contest.errors import UnknownErrandError, UnknownSessionError
from contest.platform import Platform
from contest.refusals import ContestError
from contest.results import audit, publishing, settling
from contest.results.audit import Audited
from contest.results.rules.jobs import AuditJob, Errand, ErrandKind, Outcome, SettlingTask, Verification, is_lost
from contest.stored_names import ERRANDS_ASKED, ERRANDS_DONE, LetterQueue
from contest.submissions.errors import NotScoredError
from contest.submissions.rules import SubmissionState
from contest.values import canonical, read_as

_FORMAT: Final = 1


# Clause: platform §4 audit
def ask_to_verify(platform: Platform, who: str, session_id: str) -> Errand:
    """Ask for a session or a scored submission to be rebuilt and compared."""
    refuse_unverifiable(platform, session_id)
    errand = _asked(platform, who, ErrandKind.VERIFY, session_id)
    send(platform, errand)
    return errand


def refuse_unverifiable(platform: Platform, name: str) -> None:
    """Refuse a name that belongs to no session and no scored submission.

    :class:`UnknownSessionError`, :class:`NotScoredError`.
    """
    if reading.session(platform, name) is not None:
        return
    submission = platform.submissions.get(name)
    if submission is None:
        raise UnknownSessionError
    if submission.state is not SubmissionState.SCORED:
        raise NotScoredError


# Clause: R 7.10
def ask_to_mark(platform: Platform, who: str, run_id: str) -> Errand:
    """Request the import of a final's expert annotations; refuse at once if it cannot succeed."""
    publishing.refuse_unless_markable(reading.run_now(platform, run_id))
    errand = _asked(platform, who, ErrandKind.MARK, run_id)
    send(platform, errand)
    return errand


def send(platform: Platform, errand: Errand) -> None:
    """Send an errand to its queue, for the first time or again; a finished one is not repeated."""
    if errand.kind is ErrandKind.VERIFY:
        platform.audits.send([AuditJob(errand.subject, errand.errand_id)])
    else:
        platform.settling.send([SettlingTask(errand.subject, errand_id=errand.errand_id)])


def letter_of(errand: Errand) -> str:
    """Return the id of the dead letter that an errand's job leaves when it fails for good."""
    if errand.kind is ErrandKind.VERIFY:
        return reading.letter_of(LetterQueue.AUDITS, AuditJob(errand.subject, errand.errand_id))
    return reading.letter_of(LetterQueue.SETTLEMENT, SettlingTask(errand.subject, errand_id=errand.errand_id))


def look(platform: Platform, errand_id: str) -> tuple[Errand, Outcome | None, bool]:
    """Return an errand, its outcome (None: none yet), and whether no worker has it any more."""
    errand, outcome = _errand(platform, errand_id), _outcome(platform, errand_id)
    return errand, outcome, outcome is None and _is_lost(platform, errand)


# Clause: platform §7 doctor
def lost(platform: Platform) -> list[Errand]:
    """List errands without an outcome that no worker has any more, the oldest first.

    O(errands ever asked for).
    """
    done = {name.removeprefix(ERRANDS_DONE) for name in platform.blobs.names(ERRANDS_DONE)}
    names = (name.removeprefix(ERRANDS_ASKED) for name in platform.blobs.names(ERRANDS_ASKED))
    open_ones = [_errand(platform, name.removesuffix(".json")) for name in names if name not in done]
    lost_errands = [errand for errand in open_ones if _is_lost(platform, errand)]
    return sorted(lost_errands, key=lambda errand: (errand.asked_at, errand.errand_id))


def send_again(platform: Platform, errand_id: str) -> None:
    """Send an errand again unless it has an outcome."""
    if _outcome(platform, errand_id) is None:
        send(platform, _errand(platform, errand_id))


def _is_lost(platform: Platform, errand: Errand) -> bool:
    letter = platform.dead_letters.get(letter_of(errand))
    failed_at = letter.last_at if letter is not None and letter.is_open else None
    return is_lost(errand, failed_at, platform.clock.now())


def audited(platform: Platform, job: AuditJob, rebuild: Callable[[Platform, str], Audited]) -> Audited:
    """Audit the object of a job, for the timer or for an errand whose outcome is stored. For a worker.

    ``rebuild`` audits a session or submission by its name, as both ask for it.
    """
    if not job.errand_id:
        return audit.audit(platform, job, rebuild)
    rebuilt = rebuild(platform, job.session_id)
    compared = Verification(rebuilt.scores, rebuilt.reports, rebuilt.differences, rebuilt.missing, rebuilt.off_board)
    _done(platform, job.errand_id, Outcome(verification=compared))
    return rebuilt


def settle(platform: Platform, task: SettlingTask) -> None:
    """Do one step of a run's settlement, or an errand about the run. For a worker."""
    if not task.errand_id:
        settling.settle(platform, task)
        return
    if _outcome(platform, task.errand_id) is not None:
        return
    try:
        publishing.mark(platform, _errand(platform, task.errand_id).who, task.run_id)
    except ContestError as error:
        _done(platform, task.errand_id, Outcome(refused=(error.code, error.message.en, error.message.ru)))
    else:
        _done(platform, task.errand_id, Outcome())


def _asked(platform: Platform, who: str, kind: ErrandKind, subject: str) -> Errand:
    errand = Errand(platform.randomness.run_id(), kind, subject, who, platform.clock.now())
    platform.blobs.put_if_absent(
        _name(ERRANDS_ASKED, errand.errand_id), canonical({"format": _FORMAT, **asdict(errand)})
    )
    return errand


def _done(platform: Platform, errand_id: str, outcome: Outcome) -> None:
    platform.blobs.put_if_absent(_name(ERRANDS_DONE, errand_id), canonical({"format": _FORMAT, **asdict(outcome)}))


def _errand(platform: Platform, errand_id: str) -> Errand:
    stored = reading.stored_json(platform, _name(ERRANDS_ASKED, errand_id))
    if stored is None:
        raise UnknownErrandError
    return Errand(stored["errand_id"], ErrandKind(stored["kind"]), stored["subject"], stored["who"], stored["asked_at"])


def _outcome(platform: Platform, errand_id: str) -> Outcome | None:
    stored = reading.stored_json(platform, _name(ERRANDS_DONE, errand_id))
    return None if stored is None else read_as(Outcome, {name: stored[name] for name in ("refused", "verification")})


def _name(prefix: str, errand_id: str) -> str:
    return f"{prefix}{errand_id}.json"
