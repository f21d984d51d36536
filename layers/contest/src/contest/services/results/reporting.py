"""Reports of closed sessions and their entries on the board: made once, from facts that no longer change (R 6.5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import Mode, SetKind
from contest.domain.results import leaderboard, run_report
from contest.domain.results.leaderboard import Entry
from contest.domain.results.scoring import MISSED, Job
from contest.domain.results.session_report import Facts, build
from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import Delivery
from contest.domain.session.items import items_of
from contest.domain.session.session import Session
from contest.errors import RunNotOverError, SessionOpenError
from contest.ports import LostRaceError, MissingBlobError
from contest.services import grounds, reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import hidden_sets, qualifying, when_told
from contest.services.results.called_for import called_for
from contest.services.results.score_answer import key_of, put_to_work, record_of, waits_for_ratings
from contest.services.session import closing
from contest.services.session.access import own_session
from contest.services.session.facts import Known, known_of
from contest.services.session.request import Request
from tracks.protocol import Track
from tracks.rules import Told


@dataclass(frozen=True, slots=True)
class Pending:
    """Scores are still being made: ``scored`` of ``answered`` answers have theirs, and of missed files that are scored.

    ``missing``: those that can be made now. ``unrated``: answers that wait for experts to rate their explanations.
    """

    scored: int
    answered: int
    missing: tuple[Job, ...] = ()
    unrated: int = 0


def session_report(platform: Platform, request: Request) -> bytes | Pending:
    """The report of an own, closed session: the stored bytes, made now if nobody has yet.

    In a run it names every file with its language and group, so it is given when all have opened.

    Clause: R 6.5, platform §4 reports
    """
    arrival = request.arrival
    session = closing.by_time(platform, own_session(platform, request).session, arrival)
    if session.is_open:
        raise SessionOpenError
    schedule = schedule_of(platform, session)
    if schedule is not None and not schedule.all_opened(arrival):
        # The session has ended before its run: what is still to open must not be told by its report.
        raise RunNotOverError.until(schedule.ends_at, arrival)
    when_told.refuse_earlier(platform, session, arrival)
    return finished_report(platform, session)


def finished_report(platform: Platform, session: Session) -> bytes | Pending:
    """The report of a closed session. Making it twice makes the same bytes, and the first ones stay.

    A session of a run has one for every decision that concerns it, and one with its results when these are told; the
    earlier ones stay where they are. Boards and conclusion come first: where there is a report, they know of it,
    whatever crashed in between. Scores that are missing, and that nobody is working on, are asked for anew.

    Clause: platform §4 reports, R 6.5
    """
    schedule = schedule_of(platform, session)
    name = report_name(platform, session, schedule)
    try:
        return platform.blobs.get(name)
    except MissingBlobError:
        pass
    found = gather(platform, session, schedule)
    if isinstance(found, Pending):
        put_to_work(platform, session.session_id, found.missing)
        return found
    found = replace(found, off_board=grounds.note_stage(platform, session))
    if found.withheld is None and when_told.tells_results(platform, schedule, session):
        facts_of_session = Known(found.deliveries, found.circumstances)
        telling = hidden_sets.of_session(platform, session, facts_of_session, decides=True)
        found = replace(found, withheld=telling.withheld, left_out=telling.left_out)
    _enter_boards(platform, found)
    made = rebuilt(platform, found, schedule)
    readiness = json.loads(made)["readiness"]
    if readiness is not None and qualifying.is_qualifying(session) and not (schedule and schedule.run.trial):
        qualifying.note(platform, session, name, readiness)
    platform.blobs.put_if_absent(name, made)
    return platform.blobs.get(name)


def schedule_of(platform: Platform, session: Session) -> Schedule | None:
    """The run of a session as last written: the newest decision counts."""
    return reading.schedule_now(platform, session.run_id) if session.run_id is not None else None


def report_name(platform: Platform, session: Session, schedule: Schedule | None) -> str:
    """Name of the report that holds now."""
    if schedule is None:
        return stored_names.report_name(session.session_id, session.parameters_version, session.rescored)
    run = schedule.run
    results = (
        f"-results{run_report.markups_edition(run)}" if when_told.tells_results(platform, schedule, session) else ""
    )
    plain = stored_names.report_name(session.session_id, session.parameters_version, session.rescored)
    plain = plain.removesuffix(".json")
    return f"{plain}-{run_report.edition(run, session.team_id)}{results}.json"


def is_later_edition(platform: Platform, session: Session, schedule: Schedule | None) -> bool:
    """Whether a decision or the publication has called for another report than the one the end of the session did."""
    if schedule is None:
        return False
    is_told = schedule.run.published_at is not None or when_told.is_preliminary(platform, schedule)
    return is_told or run_report.edition(schedule.run, session.team_id) > 0


def gather(
    platform: Platform, session: Session, schedule: Schedule | None = None, *, results: bool | None = None
) -> Facts | Pending:
    """All facts of a closed session's report, or how many scores are missing that it needs.

    ``results``: whether it needs any; None: if its report may tell them.
    """
    needed = when_told.tells_results(platform, schedule, session) if results is None else results
    known = known_of(platform, session, schedule)
    jobs = called_for(platform, session, known)
    wanted = {job: key_of(platform, session, job.number, job.content_sha256) for job in jobs}
    records = platform.scores.of_session(session.session_id)
    made = {job: json.loads(records[key]) for job, key in wanted.items() if key in records}
    unrated = _unrated(platform, session, known.deliveries) if needed else 0
    if len(made) < len(wanted) + unrated and needed:
        missing = tuple(job for job in wanted if job not in made)
        return Pending(len(made), len(wanted) + unrated, missing, unrated)
    told = hidden_sets.of_session(platform, session, known, decides=False) if needed else hidden_sets.EVERYTHING
    return Facts(
        session=session,
        plan=reading.plan(platform, session),
        deliveries=known.deliveries,
        scores={job.number: record for job, record in made.items() if job.content_sha256 != MISSED},
        parameters=reading.parameters(platform, session.parameters_version),
        circumstances=known.circumstances,
        missed={job.number: record for job, record in made.items() if job.content_sha256 == MISSED},
        withheld=told.withheld,
        left_out=told.left_out,
        off_board=grounds.noted_stage(platform, session),
    )


def score_missing(platform: Platform, session: Session, schedule: Schedule | None) -> None:
    """Score everything of a closed session that has no score under the conditions that hold, in this process."""
    found = gather(platform, session, schedule, results=True)
    for job in found.missing if isinstance(found, Pending) else ():
        key = key_of(platform, session, job.number, job.content_sha256)
        with suppress(LostRaceError):  # another copy of the task wrote the same bytes
            platform.scores.put(session.session_id, key, record_of(platform, session, job))


def _unrated(platform: Platform, session: Session, deliveries: Sequence[Delivery]) -> int:
    """Answers of a qualification's session that wait for ratings: without them there is no report, and none without M7.

    A final's are told when its results are to be published.

    Clause: platform §5 ratings, R-App1 M7
    """
    if session.order.mode == Mode.FINAL:
        return 0
    return sum(
        waits_for_ratings(platform, session, each.number, each.answer.content_sha256)
        for each in deliveries
        if each.answer is not None
    )


def rebuilt(platform: Platform, facts: Facts, schedule: Schedule | None) -> bytes:
    """The canonical report of these facts."""
    track = reading.track_of(platform, facts.session)
    if schedule is None:
        return canonical(build(facts, track, accuracy=when_told.tells_results(platform, None, facts.session)))
    accuracy = when_told.tells_results(platform, schedule, facts.session) and all_scored(facts)
    return canonical(run_report.build(facts, schedule, track, accuracy=accuracy))


def all_scored(facts: Facts) -> bool:
    """Whether every item that is answered and was not annulled has its score; without a reference it has none."""
    answered = {each.number for each in facts.deliveries if each.answer is not None}
    wanted = answered.difference(facts.circumstances.annulled)
    return all(item.number in facts.scores for item in items_of(facts.plan) if wanted.issuperset(item.numbers))


def is_marked(platform: Platform, schedule: Schedule) -> bool:
    """Whether a run's answers can be scored: experts' markups of what was drawn are there."""
    run = schedule.run
    drawn, marked = reading.run_plan(platform, schedule), dict(run.markups)
    items = {
        each: reading.manifest(platform, run.cycle, marked.get(each, each)).by_id()
        for each in {file.manifest for file in drawn}
    }
    return any(items[file.manifest][file.item_id].references for file in drawn)


def entries_of(platform: Platform, facts: Facts) -> tuple[Entry, ...]:
    """Return what a session claims on the qualification's boards; nothing where a stage keeps it off.

    Clause: R 6.3
    """
    session = facts.session
    if (
        session.set_kind is not SetKind.TEST
        or session.run_id is not None
        or when_told.told(platform, session) is Told.NEVER
    ):
        return ()
    whole = reading.manifest(platform, session.cycle, session.manifest).sizes()
    return leaderboard.entries(facts, whole, reading.track_of(platform, session))


def _enter_boards(platform: Platform, facts: Facts) -> None:
    for entry in entries_of(platform, facts):
        enter(platform, facts.session.cycle, reading.track_of(platform, facts.session), entry)


def enter(platform: Platform, cycle: str, track: Track, entry: Entry) -> None:
    """Keep the best of what a team's sessions and submissions claim, but for what is annulled; which is best is the
    track's to say.

    Clause: R 6.10, platform §4 one entry
    """

    def read() -> Entry | None:
        return platform.scores.entry(cycle, entry.language, entry.team_id)

    def better(known: Entry | None) -> None:
        claims = platform.scores.claims(cycle, entry.language, entry.team_id)
        found = grounds.counting(platform, cycle, None, [*([known] if known else []), *claims])
        best = leaderboard.best_of(found, track) if found else known
        if best is not None and best != known:
            platform.scores.enter(cycle, known, best)

    platform.scores.claim(cycle, entry)
    decide_until_written(read(), better, read)
