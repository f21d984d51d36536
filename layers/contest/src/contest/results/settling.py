"""Settlement of runs, independent recomputation of finals, archives of published finals.

Workers make the results of a run in steps. Every step makes only missing parts, so it may be lost, doubled or
interrupted. The archive of a final (R 7.14, D 14.7) is withdrawn with the results. It lies at a public address named by
the edition of the results: another decision or other annotations make another archive, and the one before is deleted;
other places, such as after an annulment, are written in its place.
The contest's track names the contents: for essays the essays with their annotations, for other contests the programs'
answers without the items.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle import publications
from contest.cycle.rules.cycle import ALL_LANGUAGES, REGULATION, Item, Mode
from contest.cycle.rules.notices import AnnouncementKind
from contest.errors import ArchiveNotMadeError, NoArchiveError, ResultsNotPublishedError
from contest.platform import Platform
from contest.refusals import RefusedError
from contest.results import boards, reporting
from contest.results.errors import NoBoardError, results_differ
from contest.results.rules import leaderboard, reports, set_access
from contest.results.rules.jobs import REASONS, Settled, SettlingState, SettlingTask, ShadowTask
from contest.results.rules.rescoring import Recomputed, facts_of
from contest.results.scoring import put_to_work, stored_answer, turns_of
from contest.run import recording, under_way
from contest.run.recording import keep_keys
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.rules.session import Session
from contest.texts import tr
from contest.values import canonical, iso, iso_or_none
from markup_core.texts import Text
from tracks.capabilities import ArchiveRules, ArchivesAnswers, ArchivesReferences
from tracks.protocol import Track


# Clause: platform §4 shadow
def begin_recomputation(platform: Platform, run: Run) -> None:
    """Send workers for the missing parts of a recomputation of a final with a made board."""
    keep_keys(platform, run.run_id)
    facts = _shadow_facts(platform, run)
    there = _parts(platform, run, facts)
    parts = [ShadowTask(run.run_id, session_id) for session_id in _sessions(platform, run) if session_id not in there]
    if parts or not _is_there(platform, run, facts):
        platform.shadows.send(parts or [ShadowTask(run.run_id)])


# Clause: R 8.3.4
def recompute_again(platform: Platform, run_id: str) -> Recomputed:
    """Recompute a final again, even after a finished one; :class:`NoBoardError` before its board is made."""
    run = _run_with_board(platform, run_id)
    platform.shadows.send([ShadowTask(run_id, session_id, again=True) for session_id in _sessions(platform, run)])
    return recomputation_state(platform, run)


def recomputation_of(platform: Platform, run_id: str) -> Recomputed:
    """Return the findings on a final; :class:`NoBoardError` before its board is made."""
    return recomputation_state(platform, _run_with_board(platform, run_id))


# Clause: platform §4 shadow
def recomputation_state(platform: Platform, run: Run) -> Recomputed:
    """Return the progress of a final's recomputation under the present facts, and its findings."""
    facts, sessions = _shadow_facts(platform, run), _sessions(platform, run)
    recomputed = len(_parts(platform, run, facts).intersection(sessions))
    result = reading.stored_json(platform, stored_names.shadow_name(run.run_id, facts))
    return Recomputed(len(sessions), recomputed, result)


def is_recomputed(platform: Platform, run: Run) -> bool:
    """Return whether a final's board is made and recomputed under the present facts."""
    return boards.is_made(platform, run) and _is_there(platform, run, _shadow_facts(platform, run))


# Clause: platform §4 shadow, R 8.3.5, R 8.3.4
def refuse_unless_clean(platform: Platform, run: Run) -> None:
    """Refuse to publish a result that was not recomputed, or differs from the recomputed one."""
    recomputation = recomputation_state(platform, run)
    recomputed, teams = recomputation.recomputed, recomputation.whole
    if recomputation.result is None:
        message = tr(
            "{recomputed} of {teams} teams are recomputed independently; publish when all are, in a few minutes",
            recomputed=recomputed,
            teams=teams,
        )
        raise RefusedError("results_not_verified", message, made=recomputed, teams=teams)
    if not recomputation.is_clean:
        differences = recomputation.result["differences"]
        messages = [Text(difference["message"], difference["message_ru"]) for difference in differences]
        where = {name: differences[0][name] for name in ("team_id", "session_id", "number", "quantity")}
        raise results_differ(recomputation.result["total"], messages, f"contest run shadow {run.run_id}", **where)


def _run_with_board(platform: Platform, run_id: str) -> Run:
    run = reading.run_now(platform, run_id)
    if not boards.has_results(run) or not boards.is_made(platform, run):
        raise NoBoardError
    return run


def _shadow_facts(platform: Platform, run: Run) -> str:
    return facts_of(run, reading.stored_object(platform, boards.entries_name(run)))


def _sessions(platform: Platform, run: Run) -> list[str]:
    return [session_id for _, session_id in platform.runs.sessions_of(run.run_id)]


def _parts(platform: Platform, run: Run, facts: str) -> set[str]:
    folder = stored_names.shadow_part_name(run.run_id, facts, "").removesuffix(".json")
    names = platform.blobs.names(folder)
    return {name.removeprefix(folder).removesuffix(".json") for name in names}


def _is_there(platform: Platform, run: Run, facts: str) -> bool:
    name = stored_names.shadow_name(run.run_id, facts)
    return name in platform.blobs.names(name)


# Clause: platform §4 settlement
def send_due_steps(platform: Platform, run_id: str, of_run: Schedule | None = None) -> int:
    """Send workers for the due steps of a run; return their number. A run without due steps needs no more visits.

    ``of_run``: the run as last written where the caller has just read it.
    """
    schedule = of_run or reading.schedule_now(platform, run_id)
    run, steps = schedule.run, _due(platform, schedule)
    if steps:
        platform.settling.send(steps)
    elif run.closed_at is not None:
        platform.runs.settled(run)
    return len(steps)


# Clause: platform §4 settlement
def settle(platform: Platform, step: SettlingTask) -> None:
    """Do one step. The worker of the sessions' last part sends for the whole."""
    if step.archive:
        settle_archive(platform, step)
        return
    schedule = reading.schedule_now(platform, step.run_id)
    run = schedule.run
    if step.session_id:
        if step.session_id in _missing(platform, run):
            _settle_session(platform, schedule, step.session_id)
        if not _missing(platform, run):
            platform.settling.send([SettlingTask(step.run_id)])
    elif run.closed_at is None:
        if recording.close_if_over(platform, step.run_id):
            keep_keys(platform, step.run_id)
    elif is_due(platform, run) and not _missing(platform, run):
        if not boards.is_made(platform, run):
            boards.make(platform, run)
        begin_recomputation(platform, run)


def is_due(platform: Platform, run: Run) -> bool:
    """Return whether a run has results to make: a closed final that was not stopped, with expert annotations."""
    schedule = Schedule.of(run)
    return boards.has_results(run) and run.closed_at is not None and reporting.is_marked(platform, schedule)


# Clause: platform §4 settlement
def settling_state(platform: Platform, run_id: str) -> SettlingState:
    """Return the progress of a run's results, and the reason of the wait."""
    run = reading.schedule_now(platform, run_id).run
    sessions = [session_id for _, session_id in platform.runs.sessions_of(run_id)]
    teams, missing = len(sessions), _missing(platform, run)
    if run.published_at is not None:
        return SettlingState(Settled.PUBLISHED, teams, teams - len(missing))
    if run.closed_at is None:
        over = platform.clock.now() >= under_way.over_at(Schedule.of(run))
        return SettlingState(Settled.RECORD if over else Settled.RUNNING, teams, teams - len(missing))
    if not boards.has_results(run):
        return SettlingState(Settled.NO_RESULTS, teams)
    if not is_due(platform, run):
        return SettlingState(Settled.UNMARKED, teams)
    if not missing and boards.is_made(platform, run):
        return _verification(platform, run)
    unscored = sum(len(platform.outbox.of_session(session_id)) for session_id in missing)
    return SettlingState(Settled.SCORING if unscored else Settled.ENTRIES, teams, teams - len(missing), unscored)


# Clause: platform §4 settlement
def _verification(platform: Platform, run: Run) -> SettlingState:
    """Return the progress of the recomputation of a made board."""
    recomputation = recomputation_state(platform, run)
    if recomputation.result is None:
        return SettlingState(Settled.VERIFYING, recomputation.whole, recomputation.recomputed)
    return SettlingState(
        Settled.READY if recomputation.is_clean else Settled.DIFFERENT, recomputation.whole, recomputation.whole
    )


def settling_view(platform: Platform, run_id: str) -> dict[str, Any]:
    """Return the progress of a run's results, as organizers see it."""
    settlement = settling_state(platform, run_id)
    counts = {"teams": settlement.teams, "made": settlement.finished, "unscored": settlement.unscored}
    return {"state": settlement.state.value, **REASONS[settlement.state].as_fields("reason"), **counts}


def _due(platform: Platform, schedule: Schedule) -> list[SettlingTask]:
    run = schedule.run
    if run.closed_at is None:
        if not under_way.is_over(platform, schedule):
            return []
    elif not is_due(platform, run) or is_recomputed(platform, run):
        return due_archives(platform, run)
    parts = [SettlingTask(run.run_id, session_id) for session_id in _missing(platform, run)]
    return parts or [SettlingTask(run.run_id)]


def _missing(platform: Platform, run: Run, part: Callable[[Run, str], str] | None = None) -> list[str]:
    """List the sessions without an object of the name ``part``; None: their part of the record or of the board."""
    part = part or (boards.entry_name if run.closed_at is not None else recording.part_name)
    there = set(platform.blobs.names(part(run, "").removesuffix(".json")))
    return [session_id for session_id in _sessions(platform, run) if part(run, session_id) not in there]


def _settle_session(platform: Platform, schedule: Schedule, session_id: str) -> None:
    run, session = schedule.run, reading.session(platform, session_id)
    if session is None or session.is_open:
        return
    if session.rescored != run.rescored:
        return  # a worker is about to let it go by the accepted rescoring; the timer looks again
    if run.closed_at is None:
        recording.make_part(platform, schedule, session)
        return
    if not is_due(platform, run):
        return
    facts = reporting.gather_facts(platform, session, schedule, results=True)
    if isinstance(facts, reporting.Pending):
        put_to_work(platform, session_id, facts.missing)
        return
    part = boards.made_of(facts, schedule, reading.track_of(platform, run))
    # Marking the final anew meanwhile makes another edition, to which these scores do not belong.
    now = reading.run_now(platform, run.run_id)
    edition = now.markups, now.ratings, now.rescored
    if reporting.all_scored(facts) and edition == (run.markups, run.ratings, run.rescored):
        platform.blobs.put_if_absent(boards.entry_name(run, session_id), part)


ARCHIVE_FORMAT: Final = 1
ARCHIVE_TYPE: Final = "application/zip"


# Clause: R 7.14, D 1.16, D 14.5
def wants_archive(platform: Platform, run: Run) -> bool:
    """Return whether a run gets an archive: a published final that counts, of a contest with archive rules.

    A stage that waits for a later one also needs a published final that continues it.
    """
    if not _is_out(run):
        return False
    track = reading.track_of(platform, run)
    if not isinstance(track, ArchivesAnswers):
        return False
    waits_at = track.archive_rules.waits_at
    waits = bool(waits_at) and reading.run_files(platform, run.run_id)[0].step == waits_at
    return not waits or _is_continued(platform, run)


def _is_continued(platform: Platform, run: Run) -> bool:
    later = (reading.run_now(platform, run_id) for run_id in platform.runs.of_mode(Mode.FINAL, boards.LATEST))
    return any(final.continues == run.run_id and _is_out(final) for final in later)


def _is_out(run: Run) -> bool:
    return boards.has_results(run) and not run.trial and run.published_at is not None


def archive_edition(run: Run) -> str:
    """Name the edition of the results in the archive."""
    latest = max((amendment.number for amendment in run.amendments), default=0)
    return f"{latest}{reports.markups_edition(run)}"


def archive_name(run: Run) -> str:
    """Name of the object with a run's archive."""
    return f"{stored_names.archives_of(run.run_id)}{archive_edition(run)}.zip"


def archive_part_name(run: Run, session_id: str) -> str:
    """Name of the object with a session's part of the archive."""
    return f"{stored_names.RUNS}{run.run_id}/archive-{archive_edition(run)}/{session_id}.json"


# Clause: R 7.14, platform §1 public
def archive_place(platform: Platform, run_id: str) -> str:
    """Return the public path of the archive on this host.

    :class:`ResultsNotPublishedError` before the results are out and when they were withdrawn, :class:`NoArchiveError`
    for a run that has none, :class:`ArchiveNotMadeError` until the workers have made it.
    """
    run = reading.schedule(platform, run_id).run
    if boards.has_results(run) and run.published_at is None:
        raise ResultsNotPublishedError
    if not _is_out(run):
        raise NoArchiveError
    archived = _archived(reading.track_of(platform, run))
    if archive_name(run) not in platform.blobs.names(archive_name(run)):
        # The step with which a run begins is in its plan, which is not read for the public.
        waits = archived.archive_rules.waits_at and run.continues is None
        raise NoArchiveError if waits and not _is_continued(platform, run) else ArchiveNotMadeError
    return f"/{archive_name(run)}"


# Clause: TS F-7, platform §1 public
def private_archive_place(platform: Platform) -> str:
    """Return the path on this host of the archive of the private test of programs;
    :class:`ResultsNotPublishedError` before that is published."""
    name = stored_names.private_archive_name(reading.recent_cycle(platform).name)
    if name not in platform.blobs.names(name):
        raise ResultsNotPublishedError
    return f"/{name}"


# Clause: R 7.14, D 14.5
def due_archives(platform: Platform, run: Run) -> list[SettlingTask]:
    """List the steps to make a due archive or to remove one that is not due.

    It includes a run that the final continues, whose archive may have waited for this one's results.
    """
    before = [] if run.continues is None else _due_archive(platform, reading.run_now(platform, run.continues))
    return _due_archive(platform, run) + before


def _due_archive(platform: Platform, run: Run) -> list[SettlingTask]:
    there = platform.blobs.names(stored_names.archives_of(run.run_id))
    if not wants_archive(platform, run):
        return [SettlingTask(run.run_id, archive=True)] if there else []
    if list(there) == [archive_name(run)]:
        return []
    missing = _missing(platform, run, archive_part_name)
    parts = [SettlingTask(run.run_id, session_id, archive=True) for session_id in missing]
    return parts or [SettlingTask(run.run_id, archive=True)]


# Clause: R 7.14, platform §4 settlement
def settle_archive(platform: Platform, step: SettlingTask) -> None:
    """Do one step: make a session's part, or the archive from all parts; delete an archive that must not exist."""
    schedule = reading.schedule_now(platform, step.run_id)
    run = schedule.run
    if not wants_archive(platform, run) or not boards.is_made(platform, run):
        _keep_archive_alone(platform, run)
        return
    if step.session_id:
        if step.session_id in _missing(platform, run, archive_part_name):
            _make_archive_part(platform, schedule, step.session_id)
        if not _missing(platform, run, archive_part_name):
            platform.settling.send([SettlingTask(step.run_id, archive=True)])
    elif not _missing(platform, run, archive_part_name):
        pieces = assembled_archive(platform, schedule)
        platform.blobs.publish(archive_name(run), pieces, ARCHIVE_TYPE, lasting=False, anew=True)
        # A withdrawal or a change of the results meanwhile has not removed this archive.
        _keep_archive_alone(platform, reading.run_now(platform, run.run_id))


def _keep_archive_alone(platform: Platform, run: Run) -> None:
    """Take away every archive of a run but the one that is to be there."""
    present_name = archive_name(run) if wants_archive(platform, run) else None
    for stored_name in platform.blobs.names(stored_names.archives_of(run.run_id)):
        if stored_name != present_name:
            platform.blobs.delete(stored_name)


# Clause: R 7.14
def _make_archive_part(platform: Platform, schedule: Schedule, session_id: str) -> None:
    """Store a team's answers and the fate of every file."""
    session = reading.session(platform, session_id)
    if session is None:
        return
    facts = reporting.gather_facts(platform, session, schedule, results=False)
    if isinstance(facts, reporting.Pending):
        return
    fates = [
        {
            "number": view.number,
            "file_id": planned.file_id,
            "state": view.state.value,
            "cause": view.cause.value if view.cause else None,
        }
        for view, planned in zip(reports.file_views(facts), facts.plan, strict=True)
    ]
    answers, rated = _answers(platform, session)
    part = {
        "format": ARCHIVE_FORMAT,
        "team_id": session.team_id,
        "session_id": session_id,
        "state": session.state.value,
    }
    whole = canonical({**part, "files": fates, "answers": answers, "ratings": rated})
    platform.blobs.put_if_absent(archive_part_name(schedule.run, session_id), whole)


# Clause: R 7.14, D 14.7
def _answers(platform: Platform, session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a session's counting answers and their ratings, by the files' names.

    Of dialogues it returns all turns that count, of all files of an item together.
    """
    track = _archived(reading.track_of(platform, session))
    answers: dict[str, Any] = {}
    rated: dict[str, Any] = {}
    for delivery in platform.deliveries.of_session(session.session_id):
        planned = reading.planned_file(platform, session, delivery.number)
        item = reading.content(platform, session, reading.item_of(platform, session, planned))
        if not following.course_of(platform, session, planned).is_of_one_answer:
            turns = track.archived_answer(item, turns_of(platform, session, delivery), planned.file_id)
            if turns:
                answers.setdefault(planned.file_id, []).extend(turns)
            continue
        if delivery.answer is None:
            continue
        answer = stored_answer(platform, session.session_id, delivery.number, delivery.answer.content_sha256)
        answers[planned.file_id] = track.archived_answer(item, answer, planned.file_id)
        ratings = reading.ratings(platform, session, delivery.number, delivery.answer.content_sha256)
        if ratings is not None:
            rated[planned.file_id] = ratings
    return answers, rated


# Clause: R 7.14, platform §7 exports
def assembled_archive(platform: Platform, schedule: Schedule) -> Iterator[bytes]:
    """Return the pieces of the archive of the parts made of its sessions. The same facts make the same bytes. O(bytes).

    One team's answers are in memory at a time: those of 200 teams to 500 files are more than the worker's memory.
    """
    run, rules = schedule.run, _archived(reading.track_of(platform, schedule.run)).archive_rules
    sessions = platform.runs.sessions_of(run.run_id)
    folders = sorted((f"{rules.answers}/{team_id}/", session_id) for team_id, session_id in sessions)
    files = dict(_essays(platform, schedule))
    files["record.json"] = recording.published_record(platform, run.run_id, platform.clock.now())
    for scope in (ALL_LANGUAGES, *boards.other_boards(platform, run)):
        key = scope.removeprefix(leaderboard.BOARD)
        place = "board.json" if scope == ALL_LANGUAGES else f"boards/{key}.json"
        files[place] = canonical(_archived_board(platform, run, scope))
    files |= (
        dict(_archive_rules(platform, run)) | dict(_answers_to_all(platform, run)) | dict(_regulation(platform, run))
    )
    files |= dict(_ratings(platform, run, sessions))
    files |= archive_texts(rules, [*files, *(folder for folder, _ in folders)])

    def contents() -> Iterator[tuple[str, bytes]]:
        names = sorted(files)
        before = bisect(names, f"{rules.answers}/")
        yield from ((name, files[name]) for name in names[:before])
        for folder, session_id in folders:
            part = json.loads(platform.blobs.get(archive_part_name(run, session_id)))
            about = {key: part[key] for key in ("format", "team_id", "session_id", "state", "files")}
            of_team = {"files.json": about} | {f"{file_id}.json": answer for file_id, answer in part["answers"].items()}
            yield from ((f"{folder}{name}", canonical(content)) for name, content in sorted(of_team.items()))
        yield from ((name, files[name]) for name in names[before:])

    return set_access.archive({"cycle": run.cycle, "run_id": run.run_id}, contents)


# Clause: R 7.14, D 14.7
def archive_texts(rules: ArchiveRules, files: Collection[str]) -> dict[str, bytes]:
    """Return the licence and the readme in both languages of an archive with these files."""
    about, left_out = rules.about, rules.left_out
    read = set_access.readme(_archive_text("README.md").decode(), files, about.en, [text.en for text in left_out])
    read_ru = set_access.readme(_archive_text("README.ru.md").decode(), files, about.ru, [text.ru for text in left_out])
    return {"LICENSE.txt": _archive_text("LICENSE.txt"), "README.md": read.encode(), "README.ru.md": read_ru.encode()}


@cache
def _archive_text(name: str) -> bytes:
    return Path(__file__).with_name("archive_texts").joinpath(name).read_bytes()


# Clause: R 7.14, R 7.11, U closed test, G sources
def _essays(platform: Platform, schedule: Schedule) -> Iterator[tuple[str, bytes]]:
    """Yield each essay as handed out, with its experts' annotations; nothing where the contest keeps them closed."""
    run = schedule.run
    track, version = reading.track_of(platform, run), run.parameters_version
    if not isinstance(track, ArchivesReferences):
        return
    archived, step = track, track.steps(reading.parameters(platform, version).track)[0].name
    file_items = _items(platform, schedule)
    authors = [
        archived.author_of(reference) for _, item in file_items for reference in _references(platform, run, item)
    ]
    names = set_access.pseudonyms(authors)
    for file_id, item in file_items:
        content = reading.item_content(platform, run.cycle, item.content)
        yield f"essays/{file_id}.json", canonical(track.hand_out(content, file_id, step))
        for number, reference in enumerate(_references(platform, run, item), start=1):
            by = names[archived.author_of(reference)]
            archived_reference = archived.archived_reference(content, reference, file_id, by)
            yield f"experts/{file_id}/{number}-{by}.json", canonical(archived_reference)


def _items(platform: Platform, schedule: Schedule) -> list[tuple[str, Item]]:
    """Return the opaque name of every file with its item, annotated by the experts, in the order of the files."""
    run, marked = schedule.run, dict(schedule.run.markups)
    items_by_manifest: dict[str, Mapping[str, Item]] = {}
    rows = []
    for file in reading.run_plan(platform, schedule):
        manifest = marked.get(file.manifest, file.manifest)
        if manifest not in items_by_manifest:
            items_by_manifest[manifest] = reading.manifest(platform, run.cycle, manifest).by_id()
        rows.append((file.file_id, items_by_manifest[manifest][file.item_id]))
    return rows


def _references(platform: Platform, run: Run, item: Item) -> list[Any]:
    return [reading.reference_content(platform, run.cycle, digest) for digest in item.references]


def _ratings(platform: Platform, run: Run, sessions: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    """Yield the experts' ratings of all teams' explanations together; nothing where none were taken in."""
    rated = {}
    for team_id, session_id in sessions if run.ratings else ():
        if ratings := json.loads(platform.blobs.get(archive_part_name(run, session_id)))["ratings"]:
            rated[team_id] = ratings
    if rated:
        yield "ratings.json", canonical({"format": ARCHIVE_FORMAT, "ratings": rated})


def _archived_board(platform: Platform, run: Run, scope: str) -> dict[str, Any]:
    """Return a board as published, with team ids in place of names, which may be persons' names."""
    board_rows = boards.final_rows(platform, run, scope)
    rows = [
        {
            "place": None if row.is_baseline else row.place,
            "value": row.value,
            "overcame": row.overcame,
            "team_id": row.entry.team_id,
            "session_id": row.entry.session_id,
            "files": row.entry.whole,
            "answered": row.entry.answered,
            "result": row.entry.result,
        }
        for row in board_rows
    ]
    about = {"format": ARCHIVE_FORMAT, "cycle": run.cycle, "track": run.track, "run_id": run.run_id}
    return {**about, "starts_at": iso_or_none(run.starts_at), "rows": rows}


# Clause: R 7.14, R 4.7
def _answers_to_all(platform: Platform, run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield the answers that everybody had when the results came out; the asking teams are named nowhere in them."""
    answers = [
        {
            "title": {"en": announcement.title.en, "ru": announcement.title.ru},
            "text": {"en": announcement.text.en, "ru": announcement.text.ru},
            "published_at": iso_or_none(announcement.published_at),
        }
        for announcement in publications.announcements_at(platform, AnnouncementKind.ANSWER, run.published_at or 0)
    ]
    if answers:
        yield "questions.json", canonical({"format": ARCHIVE_FORMAT, "answers": answers})


# Clause: R 3.1, R 7.14
def _regulation(platform: Platform, run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield the versions of the regulation's page, and which of them each team has accepted; nothing without a page."""
    page = next((page for page in reading.recent_cycle(platform).pages if page.name == REGULATION), None)
    if page is None:
        return
    until = run.published_at or 0
    versions = [
        {"version": number, "at": iso(version.at), "sha256": version.sha256}
        for number, version in enumerate(page.versions, 1)
        if version.at <= until
    ]
    teams = platform.people.teams({team_id for team_id, _ in platform.runs.sessions_of(run.run_id)})
    accepted = {team_id: teams[team_id].rules_version for team_id in sorted(teams)}
    yield "regulation.json", canonical({"format": ARCHIVE_FORMAT, "versions": versions, "accepted": accepted})


def _archive_rules(platform: Platform, run: Run) -> Iterator[tuple[str, bytes]]:
    parameters, track = reading.parameters(platform, run.parameters_version), reading.track_of(platform, run)
    parameters_json = {
        "format": ARCHIVE_FORMAT,
        "version": parameters.version,
        "track": parameters.track,
        "bootstrap_seed": parameters.bootstrap_seed,
        "max_voided_share": track.policies(run.mode.value).max_voided_share,
        "scorer": {"track": track.name, "version": track.version},
    }
    yield "parameters.json", canonical(parameters_json)
    yield "classifier.json", canonical(track.classifier(parameters.track))


def _archived(track: Track) -> ArchivesAnswers:
    if not isinstance(track, ArchivesAnswers):
        raise NoArchiveError
    return track
