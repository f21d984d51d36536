"""Which scores a session's results call for: those of its answers, and of items that its team missed (T4, T5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.domain.results.file_views import NOBODYS, FileView
from contest.domain.results.scoring import MISSED, Job
from contest.domain.session import dialogue
from contest.domain.session.delivery import Delivery, FileState
from contest.domain.session.items import ItemFiles, items_of
from contest.domain.session.session import Session
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import when_told
from contest.services.results.score_answer import is_scorable, noted_turns
from contest.services.session import dialogues
from contest.services.session.facts import Known, files_of
from tracks.protocol import Missed
from tracks.rules import Told


def called_for(platform: Platform, session: Session, known: Known) -> tuple[Job, ...]:
    """What can be scored of a session now, by item: its counting answers, and, where the contest counts a missed item
    as wrong, every one without an answer that neither the platform nor a decision of the organizers has taken away.

    Whether something was missed is known of a closed session alone, and so is what counts of an item to which more
    than one answer may belong: all its turns make one score. O(files).

    Clause: TS T4, TS T5
    """
    if when_told.told(platform, session) is Told.NEVER:
        return ()
    deliveries = {each.number: each for each in known.deliveries}
    views = files_of(platform, session, known, session.closed_at) if session.closed_at is not None else ()
    wrong = reading.track_of(platform, session).policies(session.order.mode).missed is Missed.WRONG
    plan, digests = reading.plan(platform, session), {}
    for item in items_of(plan):
        course = dialogues.course_of(platform, session, plan[item.number - 1])
        if course.is_of_one_answer:
            found = _of_one_answer(deliveries.get(item.number), _view(views, item.number))
        else:
            found = _of_turns(platform, session, item, deliveries, views)
        if found is not None and (found != MISSED or wrong):
            digests[item.number] = found
    return tuple(
        Job(session.session_id, number, digest)
        for number, digest in digests.items()
        if is_scorable(platform, session, number, digest)
    )


def _view(views: Sequence[FileView], number: int) -> FileView | None:
    return views[number - 1] if views else None


def _of_one_answer(delivery: Delivery | None, view: FileView | None) -> str | None:
    """SHA-256 of a file's counting answer, :data:`MISSED` of one that its team missed; None: nothing is known yet, or
    it counts for nobody."""
    if view is not None and view.state is FileState.VOIDED and view.cause not in NOBODYS:
        return MISSED
    return delivery.answer.content_sha256 if delivery is not None and delivery.answer is not None else None


def _of_turns(
    platform: Platform,
    session: Session,
    item: ItemFiles,
    deliveries: Mapping[int, Delivery],
    views: Sequence[FileView],
) -> str | None:
    """The same of an item of several answers: with one file that counts for nobody, all of it does.

    Clause: TS D-4
    """
    if not views or any(views[number - 1].cause in NOBODYS for number in item.numbers):
        return None
    noted = noted_turns(platform, session, [found for each in item.numbers if (found := deliveries.get(each))])
    return dialogue.turns_digest(noted) if noted else MISSED
