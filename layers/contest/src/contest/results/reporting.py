"""Reports of closed sessions: required scores, time of publication, redrive.

Reports and their board entries are made once, from facts that no longer change (R 6.5). The results of a session are
shown at a time given by rules, or not at all (R 7.11; tracks-sessions T6). They require scores of its answers and of
the items that its team missed (T4, T5). Organizers see answers that lack a score and can redrive them (platform §4).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Mode, SetKind
from contest.errors import ResultsLaterError, RunNotOverError, SessionOpenError
from contest.people.rules import Change
from contest.platform import Platform, decide_until_written, read_and_decide
from contest.ports import LostRaceError
from contest.results import boards
from contest.results.rules import leaderboard, qualification, reports
from contest.results.rules.jobs import MISSED, Job
from contest.results.rules.leaderboard import Entry
from contest.results.rules.reports import Facts, build_session_report
from contest.results.scoring import is_scorable, key_of, noted_turns, put_to_work, record_of, waits_for_ratings
from contest.run import under_way
from contest.run.rules.fate import CREDIT, NOBODYS, FileView, view_of
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.access import Request, own_session
from contest.session.following import Known, files_of, known_of
from contest.session.rules import delivery as delivery_rules
from contest.session.rules.delivery import Delivery, FileState
from contest.session.rules.session import IN_FLIGHT, ItemFiles, Plan, Session, item_at, items_of
from contest.values import MINUTE, Millis, canonical, next_half_day
from markup_core.lazy import dataclass
from tracks.protocol import Missed, Track, mode_named
from tracks.rules import Told


# Clause: TS T6
def results_shown_at(platform: Platform, session: Session) -> Told:
    """Return the time at which the results of a session's mode are shown."""
    rules = mode_named(reading.track_of(platform, session), session.order.mode)
    if rules is None:
        return Told.AT_THE_END
    paced = rules.told_of_steps if session.order.interval_s is not None else None
    return paced or rules.told_at


# Clause: TS T6
def refuse_earlier(platform: Platform, session: Session, now: Millis) -> None:
    """Refuse with :class:`ResultsLaterError` before the results of a closed session may be shown."""
    if results_shown_at(platform, session) is not Told.AT_NOON_AND_MIDNIGHT or session.closed_at is None:
        return
    told_at = next_half_day(session.closed_at, reading.recent_cycle(platform).time_zone)
    if now < told_at:
        raise ResultsLaterError.until(told_at, now)


# Clause: R 7.11, R 7.8, TS T6, TS D-6
def tells_results(platform: Platform, schedule: Schedule | None, session: Session) -> bool:
    """Return whether a report may show the scores.

    Of a final they are shown when its results are published (R 7.11), or to each team before; never of a session that
    the contest does not score.
    """
    if results_shown_at(platform, session) is Told.NEVER:
        return False
    if schedule is None or session.set_kind is SetKind.TRAINING or schedule.run.published_at is not None:
        return True
    return is_preliminary(platform, schedule)


# Clause: TS D-6, D 6.11
def is_preliminary(platform: Platform, schedule: Schedule) -> bool:
    """Return whether a run's teams see their own results before publication: it is over and was not stopped."""
    run = schedule.run
    own = reading.track_of(platform, run).policies(run.mode.value).preliminary
    return own and run.closed_at is not None and schedule.stop is None


_LATELY: Final[Millis] = 5 * MINUTE
"""Milliseconds after it is settled for which the minute timer looks at an item; an item not seen by then waits for the
session's end, which requests every missing score."""


# Clause: TS T4, TS T5
def called_for(platform: Platform, session: Session, session_facts: Known) -> tuple[Job, ...]:
    """List everything of a session that can be scored at present, by item.

    These are its counting answers. Where the contest counts a missed item as wrong, they include every item without an
    answer that neither the platform nor a decision of the organizers has taken away.

    Missed items are known of a closed session alone, and so are the counting answers of an item to which more than
    one answer may belong: all its turns make one score. O(files).
    """
    if results_shown_at(platform, session) is Told.NEVER:
        return ()
    deliveries = {delivery.number: delivery for delivery in session_facts.deliveries}
    closed = files_of(platform, session, session_facts, session.closed_at) if session.closed_at is not None else ()
    views = {view.number: view for view in closed}
    wrong = reading.track_of(platform, session).policies(session.order.mode).missed is Missed.WRONG
    plan, digests = reading.plan(platform, session), {}
    for item in items_of(plan):
        course = following.course_of(platform, session, plan[item.number - 1])
        if course.is_of_one_answer:
            digest = _of_one_answer(deliveries.get(item.number), views.get(item.number))
        else:
            digest = _of_turns(platform, session, item, deliveries, views)
        if digest is not None and (digest != MISSED or wrong):
            digests[item.number] = digest
    return tuple(
        Job(session.session_id, number, digest)
        for number, digest in digests.items()
        if is_scorable(platform, session, number, digest)
    )


# Clause: TS T4
def settled_lately(platform: Platform, sessions: Sequence[Session], now: Millis) -> dict[str, tuple[Job, ...]]:
    """Return, by session, open sessions' items of several answers that were settled a moment ago and lack a score.

    Nothing that is still to come changes their counting answers; a later decision to the contrary leaves a score
    that nobody reads. With a schedule the last minutes' files are read, of all sessions in a few calls; else O(files).
    """
    has_turns: dict[str, bool] = {}
    turned, items, scheduled = [], {}, []
    for session in sessions:
        name = session.run_id or session.session_id  # the sessions of a run have its files and its rules
        if name not in has_turns:
            has_turns[name] = platform.memory.keep(("has turns", name), partial(_has_turns, platform, session))
        if has_turns[name]:
            turned.append(session)
    if not turned:
        return {}
    plans = {session.session_id: reading.plan(platform, session) for session in turned}
    for session in turned:
        name, schedule = session.session_id, reading.schedule_of(platform, session)
        items[name] = items_of(plans[name]) if schedule is None else _items_lately(plans[name], schedule, now)
        if schedule is not None:
            scheduled.append((session, schedule))
    numbers = {
        session.session_id: [n for item in items[session.session_id] for n in item.numbers] for session, _ in scheduled
    }
    facts = under_way.facts_of(platform, scheduled, numbers, now)
    jobs = {}
    for session in turned:
        name = session.session_id
        if items[name]:
            session_facts = facts[name] if name in numbers else known_of(platform, session)
            jobs[name] = tuple(_lacking_scores(platform, session, items[name], session_facts, now))
    return jobs


def _has_turns(platform: Platform, session: Session) -> bool:
    """Return whether a session's items have several answers that are scored; that never changes."""
    course = following.course_of(platform, session, reading.planned_file(platform, session, 1))
    return not course.is_of_one_answer and results_shown_at(platform, session) is not Told.NEVER


def _items_lately(plan: Plan, schedule: Schedule, now: Millis) -> list[ItemFiles]:
    """List the items whose last file may have been open lately, however long the platform's own work on it took."""
    since = now - schedule.run.limits.total - IN_FLIGHT - _LATELY - CREDIT
    recent = range(schedule.opened(since) + 1, min(schedule.opened(now), len(plan)) + 1)
    items = (item_at(plan, number) for number in recent)
    return [item for item, number in zip(items, recent, strict=True) if item.number == number]


def _lacking_scores(
    platform: Platform, session: Session, items: Sequence[ItemFiles], facts: Known, now: Millis
) -> Iterator[Job]:
    plan = reading.plan(platform, session)
    deliveries = {delivery.number: delivery for delivery in facts.deliveries}
    views = {
        number: view_of(
            number, plan[number - 1].file_id, deliveries.get(number), facts.circumstances, now, session_open=True
        )
        for item in items
        for number in item.numbers
    }
    wrong = reading.track_of(platform, session).policies(session.order.mode).missed is Missed.WRONG
    for item in items:
        if _was_open_lately(views[item.number], now) and _is_settled(platform, session, item, views, now):
            digest = _of_turns(platform, session, item, deliveries, views)
            if digest is None or (digest == MISSED and not wrong):
                continue
            job = Job(session.session_id, item.number, digest)
            if is_scorable(platform, session, job.number, digest):
                key = key_of(platform, session, job.number, digest)
                if platform.scores.get(session.session_id, key) is None:
                    yield job


def _was_open_lately(view: FileView, now: Millis) -> bool:
    """Return whether the time for an item's last file has begun, and was not over long ago."""
    if view.delivery is not None:
        return now < view.delivery.answer_by + IN_FLIGHT + _LATELY
    return view.window is not None and view.window.request_by < now < view.window.request_by + IN_FLIGHT + _LATELY


def _is_settled(
    platform: Platform, session: Session, item: ItemFiles, views: Mapping[int, FileView], now: Millis
) -> bool:
    for number in item.numbers:
        view, planned = views[number], reading.planned_file(platform, session, number)
        request_by = view.window.request_by if view.window else None
        over = delivery_rules.over_at(view.delivery, following.course_of(platform, session, planned), request_by)
        if over is None or over >= now:
            return False
    return True


def _of_one_answer(delivery: Delivery | None, view: FileView | None) -> str | None:
    """Return the SHA-256 of a file's counting answer, :data:`MISSED` of one that its team missed.

    None: nothing is known yet, or it counts for nobody.
    """
    if view is not None and view.state is FileState.VOIDED and view.cause not in NOBODYS:
        return MISSED
    return delivery.answer.content_sha256 if delivery is not None and delivery.answer is not None else None


# Clause: TS D-4
def _of_turns(
    platform: Platform,
    session: Session,
    item: ItemFiles,
    deliveries: Mapping[int, Delivery],
    views: Mapping[int, FileView],
) -> str | None:
    """Return the digest of an item's turns; None if any of its files counts for nobody."""
    if not views or any(views[number].cause in NOBODYS for number in item.numbers):
        return None
    noted = noted_turns(
        platform, session, [delivery for number in item.numbers if (delivery := deliveries.get(number))]
    )
    return delivery_rules.turns_digest(noted) if noted else MISSED


@dataclass(frozen=True, slots=True)
class Pending:
    """Progress of scoring: ``scored`` of ``answered`` answers have scores, and of missed files that are scored.

    ``missing``: those that can be made now. ``unrated``: answers that wait for experts to rate their explanations.
    """

    scored: int
    answered: int
    missing: tuple[Job, ...] = ()
    unrated: int = 0


# Clause: R 6.5, platform §4 reports
def session_report(platform: Platform, request: Request) -> bytes | Pending:
    """Return the report of an own, closed session: the stored bytes, made now if they are missing.

    In a run it names every file with its language and group, so it is given when all have opened.
    """
    arrival = request.arrival
    session = following.by_time(platform, own_session(platform, request).session, arrival)
    if session.is_open:
        raise SessionOpenError
    schedule = schedule_of(platform, session)
    if schedule is not None and not schedule.all_opened(arrival):
        # The session has ended before its run: its report must not tell of files that are still to open.
        raise RunNotOverError.until(schedule.ends_at, arrival)
    refuse_earlier(platform, session, arrival)
    return finished_report(platform, session)


# Clause: platform §4 reports, R 6.5
def finished_report(platform: Platform, session: Session) -> bytes | Pending:
    """Return the report of a closed session.

    Making it again gives the same bytes, and the first stored ones stay.

    A session of a run has one for every decision that concerns it, and one with its results when these are told; the
    earlier ones stay where they are. Boards and conclusion come first: where there is a report, they know of it,
    even after a crash in between. Missing scores that nobody is working on are requested anew.
    """
    schedule = schedule_of(platform, session)
    name = report_name(platform, session, schedule)
    if (stored := reading.stored_object(platform, name)) is not None:
        return stored
    facts = gather_facts(platform, session, schedule)
    if isinstance(facts, Pending):
        put_to_work(platform, session.session_id, facts.missing)
        return facts
    facts = replace(facts, off_board=following.note_stage(platform, session))
    if facts.withheld is None and tells_results(platform, schedule, session):
        facts_of_session = Known(facts.deliveries, facts.circumstances)
        telling = boards.of_session(platform, session, facts_of_session, decides=True)
        facts = replace(facts, withheld=telling.withheld, left_out=telling.left_out)
    for entry in entries_of(platform, facts):
        enter_claim(platform, facts.session.cycle, reading.track_of(platform, facts.session), entry)
    report = rebuild_report(platform, facts, schedule)
    readiness = json.loads(report)["readiness"]
    if readiness is not None and is_qualifying(session) and not (schedule and schedule.run.trial):
        note_conclusion(platform, session, name, readiness)
    platform.blobs.put_if_absent(name, report)
    return platform.blobs.get(name)


def schedule_of(platform: Platform, session: Session) -> Schedule | None:
    """Return the run of a session as last written: the newest decision counts."""
    return reading.schedule_now(platform, session.run_id) if session.run_id is not None else None


def report_name(platform: Platform, session: Session, schedule: Schedule | None) -> str:
    """Name of the report that holds now."""
    if schedule is None:
        return stored_names.report_name(session.session_id, session.parameters_version, session.rescored)
    run = schedule.run
    results = f"-results{reports.markups_edition(run)}" if tells_results(platform, schedule, session) else ""
    plain = stored_names.report_name(session.session_id, session.parameters_version, session.rescored)
    plain = plain.removesuffix(".json")
    return f"{plain}-{reports.edition(run, session.team_id)}{results}.json"


def is_later_edition(platform: Platform, session: Session, schedule: Schedule | None) -> bool:
    """Return whether a decision or the publication requires another report than the end of the session did."""
    if schedule is None:
        return False
    is_told = schedule.run.published_at is not None or is_preliminary(platform, schedule)
    return is_told or reports.edition(schedule.run, session.team_id) > 0


def gather_facts(
    platform: Platform, session: Session, schedule: Schedule | None = None, *, results: bool | None = None
) -> Facts | Pending:
    """Return all facts for a closed session's report, or the progress of the required scores.

    ``results``: whether it needs any; None: if its report may tell them.
    """
    needed = tells_results(platform, schedule, session) if results is None else results
    session_facts = known_of(platform, session, schedule)
    jobs = called_for(platform, session, session_facts)
    keys = {job: key_of(platform, session, job.number, job.content_sha256) for job in jobs}
    records = platform.scores.of_session(session.session_id)
    scored_jobs = {job: json.loads(records[key]) for job, key in keys.items() if key in records}
    unrated = _unrated(platform, session, session_facts.deliveries) if needed else 0
    if len(scored_jobs) < len(keys) + unrated and needed:
        missing = tuple(job for job in keys if job not in scored_jobs)
        return Pending(len(scored_jobs), len(keys) + unrated, missing, unrated)
    telling = boards.of_session(platform, session, session_facts, decides=False) if needed else boards.EVERYTHING
    return Facts(
        session=session,
        plan=reading.plan(platform, session),
        deliveries=session_facts.deliveries,
        scores={job.number: record for job, record in scored_jobs.items() if job.content_sha256 != MISSED},
        parameters=reading.parameters(platform, session.parameters_version),
        circumstances=session_facts.circumstances,
        missed={job.number: record for job, record in scored_jobs.items() if job.content_sha256 == MISSED},
        withheld=telling.withheld,
        left_out=telling.left_out,
        off_board=following.noted_stage(platform, session),
    )


def score_missing(platform: Platform, session: Session, schedule: Schedule | None) -> None:
    """Score in this process everything of a closed session that lacks a score under the present conditions."""
    facts = gather_facts(platform, session, schedule, results=True)
    for job in facts.missing if isinstance(facts, Pending) else ():
        key = key_of(platform, session, job.number, job.content_sha256)
        with suppress(LostRaceError):  # another copy of the task wrote the same bytes
            platform.scores.put(session.session_id, key, record_of(platform, session, job))


# Clause: platform §5 ratings, R-App1 M7
def _unrated(platform: Platform, session: Session, deliveries: Sequence[Delivery]) -> int:
    """Count the answers of a qualification's session that wait for ratings.

    Without them there is no report, and none without M7.

    A final's are told when its results are to be published.
    """
    if session.order.mode == Mode.FINAL:
        return 0
    return sum(
        waits_for_ratings(platform, session, delivery.number, delivery.answer.content_sha256)
        for delivery in deliveries
        if delivery.answer is not None
    )


def rebuild_report(platform: Platform, facts: Facts, schedule: Schedule | None) -> bytes:
    """Return the canonical report of these facts."""
    track = reading.track_of(platform, facts.session)
    if schedule is None:
        return canonical(build_session_report(facts, track, accuracy=tells_results(platform, None, facts.session)))
    accuracy = tells_results(platform, schedule, facts.session) and all_scored(facts)
    return canonical(reports.build_run_report(facts, schedule, track, accuracy=accuracy))


def all_scored(facts: Facts) -> bool:
    """Return whether every item that is answered and was not annulled has its score.

    Without a reference it has none.
    """
    answered = {delivery.number for delivery in facts.deliveries if delivery.answer is not None}
    counting = answered.difference(facts.circumstances.annulled)
    return all(item.number in facts.scores for item in items_of(facts.plan) if counting.issuperset(item.numbers))


def is_marked(platform: Platform, schedule: Schedule) -> bool:
    """Return whether a run's answers can be scored: expert annotations of the drawn files exist."""
    run = schedule.run
    drawn, marked = reading.run_plan(platform, schedule), dict(run.markups)
    items = {
        manifest: reading.manifest(platform, run.cycle, marked.get(manifest, manifest)).by_id()
        for manifest in {file.manifest for file in drawn}
    }
    return any(items[file.manifest][file.item_id].references for file in drawn)


# Clause: R 6.3
def entries_of(platform: Platform, facts: Facts) -> tuple[Entry, ...]:
    """Return a session's claims on the qualification's boards; none where a stage keeps it off."""
    session = facts.session
    if (
        session.set_kind is not SetKind.TEST
        or session.run_id is not None
        or results_shown_at(platform, session) is Told.NEVER
    ):
        return ()
    whole = reading.manifest(platform, session.cycle, session.manifest).sizes()
    return leaderboard.entries(facts, whole, reading.track_of(platform, session))


# Clause: R 6.10, platform §4 one entry
def enter_claim(platform: Platform, cycle: str, track: Track, entry: Entry) -> None:
    """Enter a claim and keep the team's best one that is not annulled on the board; the track ranks them."""

    def better(before: Entry | None) -> None:
        claims = platform.scores.claims(cycle, entry.language, entry.team_id)
        counting = following.counting_entries(platform, cycle, None, [*([before] if before else []), *claims])
        best = leaderboard.best_of(counting, track) if counting else before
        if best is not None and best != before:
            platform.scores.enter(cycle, before, best)

    platform.scores.claim(cycle, entry)
    read_and_decide(lambda: platform.scores.entry(cycle, entry.language, entry.team_id), better)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Session whose answers wait for scores, with the oldest one's moment."""

    session_id: str
    answers: int
    oldest: Millis


def sessions_waiting(platform: Platform) -> Iterator[Waiting]:
    """Yield sessions that wait for scores, by their id."""
    for session_id in _sessions(platform):
        entries = platform.outbox.of_session(session_id)
        if entries:
            yield Waiting(session_id, len(entries), min(entry.enqueued_at for entry in entries))


# Clause: platform §4 lost jobs
def redrive(platform: Platform, run_id: str | None = None) -> int:
    """Put every waiting answer into the queue again; return their number.

    Of a run: also the answers that no outbox names and that have no score though they have references.
    :class:`UnknownRunError` where there is none.
    """
    if run_id is None:
        jobs = [entry.job for session_id in _sessions(platform) for entry in platform.outbox.of_session(session_id)]
    else:
        jobs = redrivable(platform, run_id)
    platform.queue.send(jobs)
    return len(jobs)


def redrive_session(platform: Platform, session_id: str) -> int:
    """Put the waiting answers of one session into the queue again; return their number."""
    jobs = [entry.job for entry in platform.outbox.of_session(session_id)]
    platform.queue.send(jobs)
    return len(jobs)


def redrivable(platform: Platform, run_id: str) -> list[Job]:
    """Return jobs of a run that wait in an outbox, or should."""
    schedule = reading.schedule_now(platform, run_id)
    jobs: list[Job] = []
    for session in under_way.taking_part(platform, schedule.run):
        facts = None if session.is_open else gather_facts(platform, session, schedule, results=True)
        if isinstance(facts, Pending):
            put_to_work(platform, session.session_id, facts.missing)
        jobs += [entry.job for entry in platform.outbox.of_session(session.session_id)]
    return jobs


def _sessions(platform: Platform) -> list[str]:
    """Return sessions that may have answers to score; a writer to the outbox of a closed one marks it."""
    return sorted({*platform.sessions.open_ids(), *platform.sessions.unreported_ids()})


# Clause: R 6.5.4, R 6.7.4, R 6.9
def note_conclusion(platform: Platform, session: Session, report: str, readiness: dict[str, Any]) -> None:
    """Note the automatic conclusion of a report: a positive one, or another one than was noted before.

    It is written before the report, so where there is a report its conclusion is noted; the same one changes nothing.
    """
    noted_conclusion = stored_conclusion(platform, session)
    if noted_conclusion is None and not readiness["ready"]:
        return
    annulled = reason_of_annulment(platform, session)

    def noted(before: qualification.Conclusion | None) -> None:
        if before is not None and (before.report, before.ready) == (report, readiness["ready"]):
            return
        fresh = qualification.Conclusion(
            session_id=session.session_id,
            team_id=session.team_id,
            cycle=session.cycle,
            kind=qualification.QualificationKind(session.order.mode),
            report=report,
            ready=readiness["ready"],
            closed_at=session.closed_at or 0,
            annulled=annulled,
        )
        after = fresh if before is None else replace(fresh, rulings=before.rulings, version=before.version + 1)
        write_conclusion(platform, before, after, None)

    decide_until_written(noted_conclusion, noted, lambda: stored_conclusion(platform, session))


def reason_of_annulment(platform: Platform, session: Session) -> str:
    """Return why a session's conclusion does not count; annulments of a result on a board do not concern it."""
    annulment = following.annulment_of(platform, session)
    return annulment.reason if annulment is not None and annulment.of is not qualification.Annulled.RESULT else ""


def is_qualifying(session: Session) -> bool:
    """Return whether a session is one of a qualification; a final's is not."""
    return session.order.mode in set(qualification.QualificationKind)


def stored_conclusion(platform: Platform, session: Session) -> qualification.Conclusion | None:
    """Return the conclusion that is stored on a session of a qualification; None without one."""
    kind = qualification.QualificationKind(session.order.mode)
    return platform.qualification.conclusion(session.cycle, session.team_id, kind, session.session_id)


def write_conclusion(
    platform: Platform, before: qualification.Conclusion | None, after: qualification.Conclusion, change: Change | None
) -> None:
    """Write a conclusion with the claim that follows from all of its team's."""
    port, cycle, team_id = platform.qualification, after.cycle, after.team_id
    claimed = next((claim for claim in port.claims_of(cycle, team_id) if claim.kind is after.kind), None)
    others = [
        other for other in port.conclusions_of(cycle, team_id, after.kind) if other.session_id != after.session_id
    ]
    port.conclude(before, after, claimed, qualification.claim(claimed, [*others, after]), change)
