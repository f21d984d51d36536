"""Publication of results and leaderboards, notes on late ones, and the end of a contest.

Results of a final (R 7.10–7.12): import the expert annotations, publish, withdraw. Boards are published, frozen as of a
moment, and withdrawn; their public states are kept as a history. Reports, annotations and results of a final are marked
late while they are awaited, and results that came late stay marked. A published final in which a program overcomes the
barrier ends the contest (R 4.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from contest import reading, stored_names
from contest.cycle import parameters
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle, EssaySet, Manifest, Mode, ends_at_barrier
from contest.errors import BoardHiddenError, NoCycleError, UnknownBoardError
from contest.experts import judged_essays
from contest.experts.rules.assignment import markups
from contest.experts.rules.progress import progress
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.refusals import ContestError, RefusedError
from contest.results import audit, boards, reporting, settling
from contest.results.rules import reports
from contest.results.rules.jobs import Errand, ErrandKind, Outcome, SettlingTask
from contest.results.rules.leaderboard import (
    MOST_POINTS,
    BoardState,
    End,
    Point,
    Visibility,
    as_json,
    current_places,
    moment_to_drop,
    public_state,
    state_after,
)
from contest.results.rules.qualification import QUALIFICATION
from contest.results.scoring import put_to_work, waits_for_ratings
from contest.run import planning, recording, under_way
from contest.run.planning import RunOrder
from contest.run.rules.run import Run, missing_sides
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import Millis, canonical, iso_or_none, sha256_hex
from markup_core.texts import Text
from tracks.capabilities import MeasuredByProgram
from tracks.protocol import Reason
from tracks.rules import Occasion


# Clause: R 7.3, R 7.10, R 2.8, platform §5 embargo
def mark(platform: Platform, who: str, run_id: str) -> Run:
    """Score a closed final by the experts' markups that there are now; until then there were none (R 7.3, 7.10).

    Where the run's files were given to experts here, these are the markups that they have brought, of every essay two,
    or three with the third expert's, and the work must be done. Otherwise the sets are loaded again with the markups;
    every item must be there as it was handed out, with a reference.
    """

    def marked(run: Run) -> Run:
        refuse_unless_markable(run)
        markups, rated = taken_in(platform, run)
        return replace(run, markups=markups, ratings=rated, version=run.version + 1)

    done = _set(platform, who, run_id, "run marked", marked)
    settling.send_due_steps(platform, run_id)
    return done


# Clause: R 7.10, R 2.8
def taken_in(platform: Platform, run: Run) -> tuple[tuple[tuple[str, str], ...], str]:
    """Import the present expert annotations and ratings of a final and store them for its scoring."""
    drawn_from = sorted({file.manifest for file in reading.run_plan(platform, Schedule.of(run))})
    expert_references = judged_essays.references_of_run(platform, run.run_id)
    if expert_references is None:
        cycle = reading.cycle_now(platform)
        markups = tuple((manifest, _marked_manifest(platform, cycle, run, manifest)) for manifest in drawn_from)
    else:
        markups = tuple(
            (manifest, _made_manifest(platform, run, manifest, expert_references)) for manifest in drawn_from
        )
    return markups, judged_essays.take_in_ratings(platform, run)


# Clause: R 7.10
def ask_to_mark(platform: Platform, who: str, run_id: str) -> Errand:
    """Request the import of a final's expert annotations; refuse at once if it cannot succeed."""
    refuse_unless_markable(reading.run_now(platform, run_id))
    return audit.start_errand(platform, who, ErrandKind.MARK, run_id)


def settle_or_mark(platform: Platform, task: SettlingTask) -> None:
    """Do one step of a run's settlement, or an errand about the run. For a worker."""
    if not task.errand_id:
        settling.settle(platform, task)
        return
    if audit.outcome_of(platform, task.errand_id) is not None:
        return
    try:
        mark(platform, audit.errand_of(platform, task.errand_id).who, task.run_id)
    except ContestError as error:
        outcome = Outcome(refused=(error.code, error.message.en, error.message.ru))
    else:
        outcome = Outcome()
    audit.finish_errand(platform, task.errand_id, outcome)


def refuse_unless_markable(run: Run) -> None:
    """Refuse at once a run that takes no annotations: it is not over, or its results are published."""
    refuse_unless_closed(run)
    if run.published_at is not None:
        raise RefusedError("results_published", tr("the results are published; hide them before they change"))


# Clause: R 7.10
def _made_manifest(
    platform: Platform, run: Run, drawn_from: str, expert_references: Mapping[str, Sequence[bytes]]
) -> str:
    """Return an earlier manifest with the references that experts have made, stored with them."""
    before = reading.manifest(platform, run.cycle, drawn_from)
    items = []
    for item in before.items:
        hashes = [sha256_hex(content) for content in expert_references.get(item.item_id, ())]
        for digest, content in zip(hashes, expert_references.get(item.item_id, ()), strict=True):
            platform.blobs.put_if_absent(stored_names.blob_names(run.cycle, "references", digest), content)
        items.append(replace(item, references=tuple(hashes), experts=()) if hashes else item)
    manifest = canonical(reading.manifest_json(Manifest(tuple(items))))
    digest = sha256_hex(manifest)
    platform.blobs.put_if_absent(stored_names.blob_names(run.cycle, "manifests", digest), manifest)
    return digest


# Clause: R 7.10
def _marked_manifest(platform: Platform, cycle: Cycle, run: Run, drawn_from: str) -> str:
    """Return the present manifest of the set behind an earlier one."""
    present = _set_of(platform, cycle, run, drawn_from)
    items = reading.manifest(platform, run.cycle, present.manifest).by_id()
    before = reading.manifest(platform, run.cycle, drawn_from).by_id()
    drawn = [file.item_id for file in reading.run_plan(platform, Schedule.of(run)) if file.manifest == drawn_from]
    changed = [
        item_id for item_id in drawn if item_id not in items or items[item_id].content != before[item_id].content
    ]
    if changed:
        message = tr(
            "the set {name} does not have {changed} files as they were handed out, first {changed_2}",
            name=present.name,
            changed=len(changed),
            changed_2=changed[0],
        )
        raise RefusedError("another_content", message, items=changed)
    bare = [item_id for item_id in drawn if not items[item_id].references]
    if bare:
        raise _not_marked(len(bare))
    return present.manifest


def _set_of(platform: Platform, cycle: Cycle, run: Run, drawn_from: str) -> EssaySet:
    """Return the set that a manifest's files were drawn from.

    It is the run's, or the reserve for replacements; of several the one that has most of the files, even if annulled
    since.
    """
    own = cycle.set_named(run.set_name)
    if drawn_from == run.manifest and own is not None:
        return own
    before = reading.manifest(platform, run.cycle, drawn_from).by_id()

    def shared(data_set: EssaySet) -> int:
        return len(before.keys() & reading.manifest(platform, run.cycle, data_set.manifest).by_id().keys())

    return max(planning.reserve_sets(platform), key=shared)


def _not_marked(files: int) -> RefusedError:
    message = tr(
        "the experts' markups of {files} essays are not there; load them with the cycle, then contest run mark",
        files=files,
    )
    return RefusedError("not_marked_yet", message, files=files)


# Clause: R 7.16.4
def refuse_unless_closed(run: Run) -> None:
    """Refuse a run that has no results yet, or never will."""
    if run.mode is not Mode.FINAL or Schedule.of(run).stop is not None:
        raise RefusedError("no_results", tr("only a final that was not stopped has results"))
    if run.closed_at is None:
        raise RefusedError(
            "run_not_over",
            tr("the run's record is not made yet: it is when the last file's time is over and every session has ended"),
        )


# Clause: R 7.11, R 8.3.5, D 14.5, D 11.6
def publish(platform: Platform, who: str, run_id: str, reason: str = "") -> Run:
    """Show the results of a finished final (R 7.11, 7.12); those of a trial to its teams, but on no board."""

    def published(run: Run) -> Run:
        now = platform.clock.now()
        refuse_unless_closed(run)
        if run.published_at is not None:
            raise RefusedError("published_already", tr("the results are published"))
        refuse_unmade(platform, run)
        _refuse_unstated(platform, run)
        return replace(run, published_at=now, version=run.version + 1)

    return _set(platform, who, run_id, "run results published", published, reason)


# Clause: TS D-6, D 6.10, D 8.14, R 8.3.5
def _refuse_unstated(platform: Platform, run: Run) -> None:
    """Refuse to publish before every required protocol has approved these very results."""
    demanded = recording.demanded_sides(platform, reading.cycle_now(platform), run)
    lacking = missing_sides(run.protocols, demanded, reports.results_edition(run))
    if lacking:
        whose = [recording.SIDES[side] for side in lacking]
        message = tr(
            "no positive protocol on these results yet: {whose}; contest run protocol {run_id} --by "
            "{lacking} --reason …",
            whose=Text(", ".join(side.en for side in whose), ", ".join(side.ru for side in whose)),
            run_id=run.run_id,
            lacking=lacking[0],
        )
        raise RefusedError("not_confirmed", message, missing=list(lacking))


# Clause: platform §2 rescoring
def _refuse_unapplied(platform: Platform, run: Run) -> None:
    """Refuse publication until every session and report of a rescored final is updated."""
    if not run.rescored:
        return
    folder = stored_names.applied_name(run.rescored, "").removesuffix(".json")
    applied, sessions = len(platform.blobs.names(folder)), len(platform.runs.sessions_of(run.run_id))
    if applied < sessions:
        message = tr(
            "{applied} of {sessions} teams go by the accepted rescoring yet; publish when all do, in a "
            "few minutes, or send once more: contest rescore resume {rescored}",
            applied=applied,
            sessions=sessions,
            rescored=run.rescored,
        )
        raise RefusedError("rescoring_not_applied", message, applied=applied, sessions=sessions)


def refuse_unmade(platform: Platform, run: Run) -> None:
    """Refuse to publish before the board under the latest decision and annotations is made; send workers for it."""
    _refuse_unapplied(platform, run)
    if not settling.is_recomputed(platform, run):
        settling.send_due_steps(platform, run.run_id)
    if boards.is_made(platform, run):
        settling.refuse_unless_clean(platform, run)
        _refuse_unmeasured(platform, run)
        return
    _refuse_unscored(platform, run)
    if not settling.is_due(platform, run):
        raise _not_marked(Schedule.of(run).total_files)
    settlement = settling.settling_state(platform, run.run_id)
    finished, teams = settlement.finished, settlement.teams
    message = tr(
        "the results of {finished} of {teams} teams are made; the rest and the board are being made now",
        finished=finished,
        teams=teams,
    )
    raise RefusedError("results_not_made_yet", message, made=finished, teams=teams)


# Clause: R 8.3.5
def _refuse_unmeasured(platform: Platform, run: Run) -> None:
    """Refuse results that the measure's program has failed to compute; another program may score the same answers."""
    track = reading.track_of(platform, run)
    if not isinstance(track, MeasuredByProgram):
        return
    failures = [track.unmeasured(entry.result) for entry in boards.entries_of(platform, run)]
    failed = [failure for failure in failures if failure is not None]
    if failed:
        message = tr(
            "the results of {teams} teams have no value: {failure}; load the cycle with a mended program, then "
            "contest rescore begin --run {run_id} --parameters VERSION",
            teams=len(failed),
            failure=failed[0].message,
            run_id=run.run_id,
        )
        raise RefusedError("results_not_measured", message, failure=failed[0].code, teams=len(failed))


def _refuse_unscored(platform: Platform, run: Run) -> None:
    """Refuse to publish results in part: answers without scores are queued, to be there the next time."""
    missing, schedule = 0, Schedule.of(run)
    _refuse_unrated(platform, run)
    for session in under_way.taking_part(platform, run):
        facts = reporting.gather_facts(platform, session, schedule, results=True)
        if isinstance(facts, reporting.Pending):
            missing += len(facts.missing)
            put_to_work(platform, session.session_id, facts.missing)
        elif not reporting.all_scored(facts):
            raise _not_marked(
                sum(delivery.number not in facts.scores for delivery in facts.deliveries if delivery.answer)
            )
    if missing:
        message = tr("{missing} answers are not scored yet; they are being scored now", missing=missing)
        raise RefusedError("not_scored_yet", message, missing=missing)


# Clause: platform §5 ratings
def _refuse_unrated(platform: Platform, run: Run) -> None:
    """Refuse to publish while explanations that weigh are not all rated and imported."""
    waiting = [
        f"{session.session_id}/{delivery.number}"
        for session in under_way.taking_part(platform, run)
        for delivery in platform.deliveries.of_session(session.session_id)
        if delivery.answer and waits_for_ratings(platform, session, delivery.number, delivery.answer.content_sha256)
    ]
    if waiting:
        message = tr(
            "{waiting} answers wait for ratings of their explanations; take them in with contest run mark",
            waiting=len(waiting),
        )
        raise RefusedError("not_rated_yet", message, waiting=waiting)


def hide(platform: Platform, who: str, run_id: str, reason: str = "") -> Run:
    """Withdraw published results."""

    def hidden(run: Run) -> Run:
        if run.published_at is None:
            raise RefusedError("not_published", tr("the results are not published"))
        return replace(run, published_at=None, version=run.version + 1)

    return _set(platform, who, run_id, "run results hidden", hidden, reason)


def _set(platform: Platform, who: str, run_id: str, what: str, change: Callable[[Run], Run], reason: str = "") -> Run:
    def changed(before: Run) -> Run:
        after = change(before)
        noted_reason = {"reason": reason} if reason else {}
        states = _state(before), {**_state(after), **noted_reason}
        platform.runs.change(before, after, Change(platform.clock.now(), who, what, run_id, *states))
        return after

    return read_and_decide(lambda: reading.run_now(platform, run_id), changed)


def _state(run: Run) -> dict[str, Any]:
    return {"published_at": iso_or_none(run.published_at), "markups": dict(run.markups), "ratings": run.ratings}


# Clause: platform §4 boards, R 8.3.5
def decide(platform: Platform, who: str, board: str, visibility: Visibility, reason: str) -> Visibility:
    """Publish a board, freeze it, or withdraw it: the qualification's, or a final's by the name of its run.

    A final's results go with its board: hidden, its teams' reports tell none either.
    """
    if board == QUALIFICATION:
        return _set_board(platform, who, board, visibility, reason)
    run = _final(platform, board)
    if visibility is Visibility.HIDDEN:
        hide(platform, who, board, reason)
        return visibility
    if run.published_at is None:
        if visibility is Visibility.FROZEN:
            raise RefusedError("not_published", tr("the results are not published"))
        publish(platform, who, board, reason)
        return visibility
    return _set_board(platform, who, board, visibility, reason)


# Clause: platform §4 boards
def preview(platform: Platform, board: str, scope: str) -> boards.Board:
    """Return a part of a board as it is now, for organizers and commission, whatever its public state.

    :class:`ResultsNotPublishedError` for a final whose board is not made yet.
    """
    if board == QUALIFICATION:
        _refuse_unknown_part(platform, scope)
        return boards.live_part(platform, None, scope)
    run = _final(platform, board)
    boards.refuse_unknown_scope(platform, run, scope)
    return boards.live_part(platform, run, scope)


def qualification_history(platform: Platform, scope: str, limit: int) -> list[Point]:
    """Return the history of public places of the qualification board, the latest first."""
    _refuse_unknown_part(platform, scope)
    cycle = reading.recent_cycle(platform)
    if public_state(None, platform.boards.state(cycle.name, QUALIFICATION)) is Visibility.HIDDEN:
        raise BoardHiddenError
    return list(platform.boards.points(cycle.name, QUALIFICATION, scope, limit))


def _refuse_unknown_part(platform: Platform, scope: str) -> None:
    """Refuse an unknown part: neither a language of the cycle nor another board of the contest."""
    cycle = reading.recent_cycle(platform)
    if scope not in boards.other_boards(platform, cycle=cycle):
        boards.refuse_unknown_language(cycle, scope)


def final_history(platform: Platform, run_id: str | None, scope: str, limit: int) -> list[Point]:
    """Return the history of places of a final with published results."""
    run = boards.published_final(platform, run_id)
    boards.refuse_unknown_scope(platform, run, scope)
    return list(platform.boards.points(run.cycle, run.run_id, scope, limit))


# Clause: platform §4 boards
def note_all(platform: Platform, now: Millis) -> int:
    """Store the published places of all boards in use where they have changed: the qualification's and the latest
    published final's, whose archive is then made anew. Return the number of changed parts. For the timer: a frozen
    board stays as it is, a hidden one is skipped."""
    try:
        cycle = reading.recent_cycle(platform, now)
    except NoCycleError:
        return 0
    final = boards.latest_final(platform, now)
    parts = list(boards.public_places(platform, cycle, final))
    # Histories are large: a minute in which nothing changes reads their latest points alone.
    latest = platform.boards.latest_points(cycle.name, [(part.board, part.scope) for part in parts])
    at = platform.clock.now()
    befores = [(part, latest.get((part.board, part.scope))) for part in parts]
    points = [(part, before, current_places(part.rows, at)) for part, before in befores if before or part.rows]
    changes = [change for change in points if change[2].places != (change[1].places if change[1] else ())]
    if final is not None and any(part.board == final.run_id and before for part, before, _ in changes):
        platform.settling.send([SettlingTask(name, archive=True) for name in (final.run_id, final.continues) if name])
    return sum(_noted(platform, *change) for change in changes)


def _noted(platform: Platform, part: boards.Places, before: Point | None, after: Point) -> int:
    """Store the changed places of a part of a board; return the number of points stored."""
    points = platform.boards.points(part.cycle, part.board, part.scope, MOST_POINTS) if before else ()
    earlier = [point.at for point in reversed(points)]
    dropped = moment_to_drop([*earlier, after.at], MOST_POINTS)
    try:
        platform.boards.add_point(part.cycle, part.board, part.scope, before, after, dropped)
    except LostRaceError:
        return 0  # another timer has noted it
    return 1


def _final(platform: Platform, board: str) -> Run:
    run = reading.run_now(platform, board)
    if run.mode is not Mode.FINAL:
        raise UnknownBoardError
    return run


def _set_board(platform: Platform, who: str, board: str, visibility: Visibility, reason: str) -> Visibility:
    cycle = reading.cycle_now(platform).name

    def written(before: BoardState | None) -> Visibility:
        run = None if board == QUALIFICATION else _final(platform, board)
        now = platform.clock.now()
        current = public_state(run, before)
        frozen = _frozen(platform, run, board) if visibility is Visibility.FROZEN and current is not visibility else ""
        after = state_after(before, current, board, visibility, reason, now, frozen)
        change = Change(now, who, f"board {visibility.value}", board, {"visibility": current.value}, asdict(after))
        platform.boards.decide(cycle, before, after, change)
        return visibility

    return read_and_decide(lambda: platform.boards.state(cycle, board), written)


def _frozen(platform: Platform, run: Run | None, board: str) -> str:
    """Return the name of the board's entries as stored now, of all its parts, and those of the run it continues."""
    cycle = reading.recent_cycle(platform)
    parts = boards.scopes_of(platform, run) if run else boards.qualification_scopes(platform, cycle)
    before = reading.schedule(platform, run.continues).run if run and run.continues else None
    runs = {"entries": run} | ({"continued": before} if before and before.published_at else {})
    stored = {
        key: [as_json(entry) for part in parts for entry in boards.live_entries(platform, cycle, of, part)]
        for key, of in runs.items()
    }
    name = f"{stored_names.BOARDS}{board}/{platform.clock.now()}-{platform.randomness.token_id()}.json"
    platform.blobs.put_if_absent(name, canonical({"format": 3, **stored}))
    return name


# Clause: R 7.3, R 7.11, platform §2 notices
def of_final(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warn of a final's late own reports and, if experts annotate it here, of late annotations and results.

    The dates of any other annotations are unknown.

    O(sessions, and assignments of its marking).
    """
    if not boards.has_results(run):
        return
    periods, mode = parameters.notice_terms(platform, reading.cycle_now(platform)), run.mode.value
    if _own_reports_missing(platform, run):
        yield from notices.of_term(periods, Occasion.OWN_REPORTS, Schedule.of(run).ends_at, platform.clock.now(), mode)
    if run.closed_at is None or platform.experts.marking(run.run_id) is None:
        return
    now, last = platform.clock.now(), _last_markup(platform, run)
    yield from notices.of_term(periods, Occasion.MARKUPS, run.closed_at, now if last is None else last, mode)
    if last is not None:
        yield from notices.of_term(
            periods, Occasion.RESULTS, last, now if run.published_at is None else run.published_at, mode
        )


# Clause: TS D-6, D 6.11
def _own_reports_missing(platform: Platform, run: Run) -> bool:
    """Return whether a team of an ended run still lacks its report, be it for missing scores.

    Reports that are there are not called late: when the first edition of one was made is no stored fact.
    """
    if run.closed_at is None:
        return bool(platform.runs.sessions_of(run.run_id))
    unreported = frozenset(platform.sessions.unreported_ids())
    return any(session_id in unreported for _, session_id in platform.runs.sessions_of(run.run_id))


def _last_markup(platform: Platform, run: Run) -> Millis | None:
    """Return the moment of the last annotation, handed in or expired; None while one is missing."""
    at, essays = judged_essays.judging_facts(platform, run.run_id), platform.experts.essays(run.run_id)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
    if progress(essays, assignments).done < at.marking.essays:
        return None
    annotated = [assignment for essay in essays for assignment in markups(assignments[essay.item_id])]
    return max((assignment.ended_at for assignment in annotated if assignment.ended_at is not None), default=None)


# Clause: R 4.8
def end_of_contest(platform: Platform) -> End | None:
    """Return the end of the contest; None while no published final overcomes the barrier, or where that ends nothing.

    It follows from the public boards, at most as old as they are: annulments, withdrawals and baselines count. Of
    several finals it is the earliest published one.
    """
    cycle = reading.recent_cycle(platform)
    if not ends_at_barrier(reading.track_of(platform, cycle), cycle.ends_at_barrier):
        return None
    key = ("end", cycle.version, platform.clock.now() // boards.FRESH)
    return cast(End | None, platform.memory.keep(key, lambda: _end(platform)))


def _end(platform: Platform) -> End | None:
    finals = (reading.schedule(platform, run_id).run for run_id in platform.runs.of_mode(Mode.FINAL, boards.LATEST))
    out = [run for run in finals if run.published_at is not None and not run.trial]
    ended = (_of_run(platform, run) for run in sorted(out, key=lambda run: (run.published_at, run.run_id)))
    return next((end for end in ended if end is not None), None)


def _of_run(platform: Platform, run: Run) -> End | None:
    names = dict[str, str]()
    for scope in (ALL_LANGUAGES, *boards.other_boards(platform, run)):
        board = boards.final_board(platform, run.run_id, scope)
        overcame = (row.entry.team_id for row in board.rows if row.overcame and not row.is_baseline)
        names |= {team_id: board.names[team_id] for team_id in overcame}
    return End(run.run_id, run.published_at or 0, tuple(names.values())) if names else None


# Clause: R 4.8
def refuse_after_end(platform: Platform, order: RunOrder) -> None:
    """Refuse to plan another final after the end of the contest; trials and technical runs go on."""
    if order.mode is Mode.FINAL and not order.trial and (ended := end_of_contest(platform)) is not None:
        message = tr(
            "the contest is over: in the final {run_id} a program overcame the barrier (R 4.8); if it goes on, "
            "load the cycle with ends_at_barrier: false",
            run_id=ended.run_id,
        )
        raise RefusedError("contest_over", message, run_id=ended.run_id)
