"""Which scores a session's results call for: those of its answers, and of files that its team missed (T5)."""

from __future__ import annotations

from collections.abc import Iterator

from contest.domain.results.file_views import NOBODYS
from contest.domain.results.scoring import MISSED, Job
from contest.domain.session.delivery import FileState
from contest.domain.session.session import Session
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results.score_answer import is_scorable
from contest.services.session.facts import Known, files_of
from tracks.protocol import Missed


def called_for(platform: Platform, session: Session, known: Known) -> tuple[Job, ...]:
    """What can be scored of a session now, by file: its counting answers, and, where the contest counts a missed file
    as wrong, every file without one that neither the platform nor a decision of the organizers has taken away.

    Whether a file was missed is known of a closed session alone. O(files).

    Clause: TS T5
    """
    answered = {each.number: each.answer.content_sha256 for each in known.deliveries if each.answer is not None}
    digests = {**answered, **dict.fromkeys(_missed(platform, session, known), MISSED)}
    return tuple(
        Job(session.session_id, number, digest)
        for number, digest in sorted(digests.items())
        if is_scorable(platform, session, number, digest)
    )


def _missed(platform: Platform, session: Session, known: Known) -> Iterator[int]:
    policies = reading.track_of(platform, session).policies(session.order.mode)
    if policies.missed is not Missed.WRONG or session.closed_at is None:
        return
    for view in files_of(platform, session, known, session.closed_at):
        if view.state is FileState.VOIDED and view.cause not in NOBODYS:
            yield view.number
