"""Results of a final: the experts' markups taken in, published, withdrawn (R 7.10–7.12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import Cycle, EssaySet, Manifest, Mode
from contest.domain.moments import iso_or_none
from contest.domain.people.teams import Change
from contest.domain.results import run_report
from contest.domain.run.protocols import missing
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.experts import ratings, references
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, reporting, settling, shadowing
from contest.services.results.score_answer import put_to_work, waits_for_ratings
from contest.services.run import planning, protocols, records


def mark(platform: Platform, who: str, run_id: str) -> Run:
    """Score a closed final by the experts' markups that there are now; until then there were none (R 7.3, 7.10).

    Where the run's files were given to experts here, these are the markups that they have brought, of every essay two,
    or three with the third expert's, and the work must be done. Otherwise the sets are loaded again with the markups;
    every item must be there as it was handed out, with a reference.

    Clause: R 7.3, R 7.10, R 2.8, platform §5 embargo
    """

    def marked(run: Run) -> Run:
        refuse_unless_markable(run)
        markups, rated = taken_in(platform, run)
        return replace(run, markups=markups, ratings=rated, version=run.version + 1)

    done = _set(platform, who, run_id, "run marked", marked)
    settling.send(platform, run_id)
    return done


def taken_in(platform: Platform, run: Run) -> tuple[tuple[tuple[str, str], ...], str]:
    """The experts' markups and ratings that there are now of a final, stored for whoever scores by them.

    Clause: R 7.10, R 2.8
    """
    drawn_from = sorted({file.manifest for file in reading.run_plan(platform, Schedule.of(run))})
    made = references.of_run(platform, run.run_id)
    if made is None:
        cycle = reading.cycle_now(platform)
        markups = tuple((each, _marked_manifest(platform, cycle, run, each)) for each in drawn_from)
    else:
        markups = tuple((each, _made_manifest(platform, run, each, made)) for each in drawn_from)
    return markups, ratings.take_in(platform, run)


def refuse_unless_markable(run: Run) -> None:
    """Raise what says at once that a run takes no markups in: it is not over, or its results are published."""
    refuse_unless_closed(run)
    if run.published_at is not None:
        raise RefusedError(
            "results_published",
            "the results are published; hide them before they change",
            "результаты опубликованы; скройте их, прежде чем изменить",
        )


def _made_manifest(platform: Platform, run: Run, drawn_from: str, made: Mapping[str, Sequence[bytes]]) -> str:
    """An earlier manifest with the references that experts have made, stored with them.

    Clause: R 7.10
    """
    before = reading.manifest(platform, run.cycle, drawn_from)
    items = []
    for item in before.items:
        hashes = [sha256_hex(each) for each in made.get(item.item_id, ())]
        for digest, content in zip(hashes, made.get(item.item_id, ()), strict=True):
            platform.blobs.put_if_absent(stored_names.blob_names(run.cycle, "references", digest), content)
        items.append(replace(item, references=tuple(hashes), experts=()) if hashes else item)
    manifest = canonical(reading.manifest_json(Manifest(tuple(items))))
    digest = sha256_hex(manifest)
    platform.blobs.put_if_absent(stored_names.blob_names(run.cycle, "manifests", digest), manifest)
    return digest


def _marked_manifest(platform: Platform, cycle: Cycle, run: Run, drawn_from: str) -> str:
    """The present manifest of the set behind an earlier one.

    Clause: R 7.10
    """
    present = _set_of(platform, cycle, run, drawn_from)
    items = reading.manifest(platform, run.cycle, present.manifest).by_id()
    before = reading.manifest(platform, run.cycle, drawn_from).by_id()
    drawn = [file.item_id for file in reading.run_plan(platform, Schedule.of(run)) if file.manifest == drawn_from]
    changed = [each for each in drawn if each not in items or items[each].content != before[each].content]
    if changed:
        raise RefusedError(
            "another_content",
            f"the set {present.name} does not have {len(changed)} files as they were handed out, first {changed[0]}",
            f"в выборке {present.name} нет {len(changed)} файлов в том виде, в каком они выданы, первый {changed[0]}",
            items=changed,
        )
    bare = [each for each in drawn if not items[each].references]
    if bare:
        raise _not_marked(len(bare))
    return present.manifest


def _set_of(platform: Platform, cycle: Cycle, run: Run, drawn_from: str) -> EssaySet:
    """The set from which files of this manifest were drawn: the run's, or the reserve for replacements, of several the
    one that has most of them, be it annulled since."""
    own = cycle.set_named(run.set_name)
    if drawn_from == run.manifest and own is not None:
        return own
    before = reading.manifest(platform, run.cycle, drawn_from).by_id()

    def shared(each: EssaySet) -> int:
        return len(before.keys() & reading.manifest(platform, run.cycle, each.manifest).by_id().keys())

    return max(planning.reserve_sets(platform), key=shared)


def _not_marked(files: int) -> RefusedError:
    return RefusedError(
        "not_marked_yet",
        f"the experts' markups of {files} essays are not there; load them with the cycle, then contest run mark",
        f"нет экспертных разметок эссе: {files}; загрузите их вместе с циклом, затем contest run mark",
        files=files,
    )


def refuse_unless_closed(run: Run) -> None:
    """Raise what says that a run has no results yet, or never will.

    Clause: R 7.16.4
    """
    if run.mode is not Mode.FINAL or Schedule.of(run).stop is not None:
        raise RefusedError(
            "no_results",
            "only a final that was not stopped has results",
            "результаты есть только у финальных испытаний, которые не были остановлены",
        )
    if run.closed_at is None:
        raise RefusedError(
            "run_not_over",
            "the run's record is not made yet: it is when the last file's time is over and every session has ended",
            "протокола прогона ещё нет: он появится после срока последнего файла, когда закончатся все сессии",
        )


def publish(platform: Platform, who: str, run_id: str, reason: str = "") -> Run:
    """Show the results of a finished final (R 7.11, 7.12); those of a trial to its teams, but on no board.

    Clause: R 7.11, R 8.3.5, D 14.5, D 11.6
    """

    def published(run: Run) -> Run:
        now = platform.clock.now()
        refuse_unless_closed(run)
        if run.published_at is not None:
            raise RefusedError("published_already", "the results are published", "результаты уже опубликованы")
        refuse_unmade(platform, run)
        _refuse_unstated(platform, run)
        return replace(run, published_at=now, version=run.version + 1)

    return _set(platform, who, run_id, "run results published", published, reason)


def _refuse_unstated(platform: Platform, run: Run) -> None:
    """Nothing is published before everybody whose protocol is demanded has found these very results right.

    Clause: TS D-6, D 6.10, D 8.14, R 8.3.5
    """
    demanded = protocols.demanded(platform, reading.cycle_now(platform), run)
    lacking = missing(run.protocols, demanded, run_report.results_edition(run))
    if lacking:
        whose = [protocols.SIDES[each] for each in lacking]
        raise RefusedError(
            "not_confirmed",
            f"no positive protocol on these results yet: {', '.join(each.en for each in whose)}; "
            f"contest run protocol {run.run_id} --by {lacking[0]} --reason …",
            f"по этим результатам ещё нет положительного протокола: {', '.join(each.ru for each in whose)}; "
            f"contest run protocol {run.run_id} --by {lacking[0]} --reason …",
            missing=list(lacking),
        )


def _refuse_unapplied(platform: Platform, run: Run) -> None:
    """Of a final that was scored anew every session goes by that before anything is published: its report does, too.

    Clause: platform §2 rescoring
    """
    if not run.rescored:
        return
    folder = stored_names.applied_name(run.rescored, "").removesuffix(".json")
    applied, sessions = len(platform.blobs.names(folder)), len(platform.runs.sessions_of(run.run_id))
    if applied < sessions:
        raise RefusedError(
            "rescoring_not_applied",
            f"{applied} of {sessions} teams go by the accepted rescoring yet; publish when all do, in a few minutes, "
            f"or send once more: contest rescore resume {run.rescored}",
            f"по принятому перерасчёту пока переведено команд: {applied} из {sessions}; опубликуйте через несколько "
            f"минут или повторите отправку: contest rescore resume {run.rescored}",
            applied=applied,
            sessions=sessions,
        )


def refuse_unmade(platform: Platform, run: Run) -> None:
    """Results are published when the board under the latest decision and markups is made; workers are sent for it."""
    _refuse_unapplied(platform, run)
    if not shadowing.is_done(platform, run):
        settling.send(platform, run.run_id)
    if boards.is_made(platform, run):
        shadowing.refuse_unless_clean(platform, run)
        return
    _refuse_unscored(platform, run)
    if not settling.is_due(platform, run):
        raise _not_marked(Schedule.of(run).total_files)
    found = settling.standing(platform, run.run_id)
    raise RefusedError(
        "results_not_made_yet",
        f"the results of {found.made} of {found.teams} teams are made; the rest and the board are being made now",
        f"результаты сформированы для команд: {found.made} из {found.teams}; остальные и лидерборд формируются",
        made=found.made,
        teams=found.teams,
    )


def _refuse_unscored(platform: Platform, run: Run) -> None:
    """Results are published whole. Answers whose scores are missing are put to work, to be there the next time."""
    missing, schedule = 0, Schedule.of(run)
    _refuse_unrated(platform, run)
    for session in records.taking_part(platform, run):
        found = reporting.gather(platform, session, schedule, results=True)
        if isinstance(found, reporting.Pending):
            missing += len(found.missing)
            put_to_work(platform, session.session_id, found.missing)
        elif not reporting.all_scored(found):
            raise _not_marked(sum(each.number not in found.scores for each in found.deliveries if each.answer))
    if missing:
        raise RefusedError(
            "not_scored_yet",
            f"{missing} answers are not scored yet; they are being scored now",
            f"ещё не оценено ответов: {missing}; оценивание запущено",
            missing=missing,
        )


def _refuse_unrated(platform: Platform, run: Run) -> None:
    """Where explanations weigh, answers wait until all theirs are rated and taken in.

    Clause: platform §5 ratings
    """
    waiting = [
        f"{session.session_id}/{each.number}"
        for session in records.taking_part(platform, run)
        for each in platform.deliveries.of_session(session.session_id)
        if each.answer and waits_for_ratings(platform, session, each.number, each.answer.content_sha256)
    ]
    if waiting:
        raise RefusedError(
            "not_rated_yet",
            f"{len(waiting)} answers wait for ratings of their explanations; take them in with contest run mark",
            f"ответов, ждущих оценок пояснений: {len(waiting)}; примите оценки командой contest run mark",
            waiting=waiting,
        )


def hide(platform: Platform, who: str, run_id: str, reason: str = "") -> Run:
    """Withdraw published results."""

    def hidden(run: Run) -> Run:
        if run.published_at is None:
            raise RefusedError("not_published", "the results are not published", "результаты не опубликованы")
        return replace(run, published_at=None, version=run.version + 1)

    return _set(platform, who, run_id, "run results hidden", hidden, reason)


def _set(platform: Platform, who: str, run_id: str, what: str, change: Callable[[Run], Run], reason: str = "") -> Run:
    def changed(before: Run) -> Run:
        after = change(before)
        said = {"reason": reason} if reason else {}
        states = _state(before), {**_state(after), **said}
        platform.runs.change(before, after, Change(platform.clock.now(), who, what, run_id, *states))
        return after

    def read() -> Run:
        return reading.run_now(platform, run_id)

    return decide_until_written(read(), changed, read)


def _state(run: Run) -> dict[str, Any]:
    return {
        "published_at": iso_or_none(run.published_at),
        "markups": dict(run.markups),
        "ratings": run.ratings,
    }
