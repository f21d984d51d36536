"""Which scores a session's results call for: those of its answers, and of items that its team missed (T4, T5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from contest.domain.moments import MINUTE, Millis
from contest.domain.results.file_views import NOBODYS, FileView
from contest.domain.results.scoring import MISSED, Job
from contest.domain.session import dialogue
from contest.domain.session.delivery import Delivery, FileState
from contest.domain.session.items import ItemFiles, items_of
from contest.domain.session.session import IN_FLIGHT, Session
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import when_told
from contest.services.results.score_answer import is_scorable, key_of, noted_turns
from contest.services.session import dialogues
from contest.services.session.facts import Known, files_of, known_of
from tracks.protocol import Missed
from tracks.rules import Told

_LATELY: Final[Millis] = 5 * MINUTE
"""For so long after it is settled the minute timer looks at an item; what it has not seen then waits for the session's
end, which asks for every score that is missing."""


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


def settled_lately(platform: Platform, session: Session, now: Millis) -> tuple[Job, ...]:
    """Of an open session's items of several answers those that were settled a moment ago and have no score.

    Nothing that is still to come changes what counts of them; whoever decides otherwise later leaves a score that
    nobody reads. O(files), and reads what is stored of the last minutes' items alone.

    Clause: TS T4
    """
    plan = reading.plan(platform, session)
    course = dialogues.course_of(platform, session, plan[0])
    if when_told.told(platform, session) is Told.NEVER or course.is_of_one_answer:
        return ()
    known = known_of(platform, session)
    deliveries = {each.number: each for each in known.deliveries}
    views = files_of(platform, session, known, now)
    wrong = reading.track_of(platform, session).policies(session.order.mode).missed is Missed.WRONG
    jobs = []
    for item in items_of(plan):
        if _was_open_lately(views[item.number - 1], now) and _is_settled(platform, session, item, views, now):
            found = _of_turns(platform, session, item, deliveries, views)
            if found is not None and (found != MISSED or wrong):
                jobs.append(Job(session.session_id, item.number, found))
    scorable = (each for each in jobs if is_scorable(platform, session, each.number, each.content_sha256))
    return tuple(each for each in scorable if not _has_score(platform, session, each))


def _was_open_lately(view: FileView, now: Millis) -> bool:
    """Whether the time for an item's last file has begun, and was not over long ago."""
    if view.delivery is not None:
        return now < view.delivery.answer_by + IN_FLIGHT + _LATELY
    return view.window is not None and view.window.request_by < now < view.window.request_by + IN_FLIGHT + _LATELY


def _is_settled(platform: Platform, session: Session, item: ItemFiles, views: Sequence[FileView], now: Millis) -> bool:
    for number in item.numbers:
        view, planned = views[number - 1], reading.planned_file(platform, session, number)
        request_by = view.window.request_by if view.window else None
        over = dialogue.over_at(view.delivery, dialogues.course_of(platform, session, planned), request_by)
        if over is None or over >= now:
            return False
    return True


def _has_score(platform: Platform, session: Session, job: Job) -> bool:
    key = key_of(platform, session, job.number, job.content_sha256)
    return platform.scores.get(session.session_id, key) is not None


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
