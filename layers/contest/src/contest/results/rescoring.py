"""Rescoring of sessions, submissions and finals (platform §2).

A rescoring follows a change of parameters, classifier, annotations or scorer: it is begun, compared, and accepted or
discarded. Sessions and submissions stand on one board and are scored anew by one rule. New scores and reports lie
beside the old ones: the keys of scores name parameters, references and scorer, and a report's name the rescoring.
Nothing uses them before acceptance.

A final is scored anew as a whole: all its sessions, under one version of parameters and the present annotations. The
results of a session lie where the settlement looks for them once the run goes by the rescoring. So acceptance is one
change of the run: its board is then put together and recomputed independently like any other, and published by hand.
The earlier results stay under their own names. A view of the platform replaces a run by its rescored version, to score
under conditions that do not hold yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import ALL_LANGUAGES, Mode
from contest.errors import UnknownRunError
from contest.people.rules import Change, Identity, by_person
from contest.platform import SMALL, Memory, Platform, decide_until_written
from contest.ports import MissingBlobError
from contest.refusals import ContestError, RefusedError
from contest.results import annulments, boards, publishing, reporting, settling
from contest.results.errors import (
    FinalIsWholeError,
    NoBoardError,
    NothingSelectedError,
    RescoringDecidedError,
    RescoringNotMadeError,
    RescoringOutdatedError,
    RunsOpenError,
    TooManySelectedError,
    UnknownParametersError,
    UnknownRescoringError,
)
from contest.results.rules import jobs, leaderboard
from contest.results.rules.jobs import Conditions, Decided, Rescoring, RescoringTask, Selection
from contest.results.rules.leaderboard import Entry, Row
from contest.run.ports import Runs
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session.rules.session import Session
from contest.submissions.rules import Submission
from contest.values import DAY, canonical, iso, iso_or_none, utc_day


def as_if(platform: Platform, run: Run) -> Platform:
    """Return every port unchanged except for this run, which is read as given here; nothing of it is written.

    What the process remembers is shared, for it is named by its content; of the run itself each has its own.
    """
    return cast(Platform, _Platform(platform, run))


class _Platform:
    def __init__(self, platform: Platform, run: Run) -> None:
        self._platform = platform
        self.runs = cast(Runs, _Runs(platform.runs, run))
        self.memory: Memory = _Memory(platform.memory, ("run", run.run_id))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._platform, name)


class _Runs:
    def __init__(self, runs: Runs, run: Run) -> None:
        self._runs = runs
        self._run = run

    def get(self, run_id: str) -> Run | None:
        return self._run if run_id == self._run.run_id else self._runs.get(run_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)


class _Memory(Memory):
    """A process's memory with one key of its own."""

    def __init__(self, shared: Memory, own: Hashable) -> None:
        super().__init__()
        self._shared = shared
        self._own = own

    def keep(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: SMALL) -> Any:
        """See :class:`Memory`."""
        return super().keep(key, make, size) if key == self._own else self._shared.keep(key, make, size)

    def known(self, key: Hashable) -> Any:
        """See :class:`Memory`."""
        return super().known(key) if key == self._own else self._shared.known(key)

    def put(self, key: Hashable, value: Any, size: int = SMALL) -> None:
        """See :class:`Memory`."""
        if key == self._own:
            super().put(key, value, size)
        else:
            self._shared.put(key, value, size)


_FORMAT: Final = 1


def named(platform: Platform, selection: Selection) -> Run | None:
    """Return the final that a selection names; None where it names none.

    A final that cannot be scored anew is refused.

    Clause: platform §2 rescoring
    """
    run = platform.runs.get(selection.run_id) if selection.run_id else None
    if run is None or run.mode is not Mode.FINAL:
        return None
    if not jobs.names_only_run(selection):
        raise FinalIsWholeError
    publishing.refuse_unless_closed(run)
    if not boards.is_made(platform, run):
        raise NoBoardError
    return run


def sessions_of(platform: Platform, run: Run) -> list[str]:
    """Return everybody's sessions, in the order of their names."""
    return sorted(session_id for _, session_id in platform.runs.sessions_of(run.run_id))


def prepare(platform: Platform, of: Rescoring) -> bool:
    """Take in the markups that there are now for one rescoring alone, once; whether they could be.

    Clause: platform §2 rescoring, R 7.10
    """
    if conditions(platform, of) is None:
        run = reading.run_now(platform, of.final)
        before = boards.entries_name(run)
        try:
            markups, ratings = publishing.taken_in(platform, run)
            found = Conditions(before, markups, ratings)
        except ContestError as error:
            found = Conditions(before, refused=(error.code, error.en, error.ru))
        name = stored_names.rescoring_conditions_name(of.rescoring_id)
        platform.blobs.put_if_absent(name, canonical({"format": _FORMAT, **asdict(found)}))
    taken = conditions(platform, of)
    return taken is not None and taken.refused is None


def conditions(platform: Platform, of: Rescoring) -> Conditions | None:
    """Return the conditions of a final's rescoring.

    None while its annotations are being imported, and for other sessions.
    """
    if not of.final:
        return None
    try:
        said = json.loads(platform.blobs.get(stored_names.rescoring_conditions_name(of.rescoring_id)))
    except MissingBlobError:
        return None
    refused = said["refused"]
    return Conditions(
        before=said["before"],
        markups=tuple((drawn_from, marked) for drawn_from, marked in said["markups"]),
        ratings=said["ratings"],
        refused=None if refused is None else (refused[0], refused[1], refused[2]),
    )


def sides(platform: Platform, of: Rescoring, session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the stored part of a session for the board, and the same made anew: version, readiness, result, entries.

    :class:`LookupError` before the markups are taken in.
    """
    taken, run = conditions(platform, of), reading.run_now(platform, of.final)
    if taken is None:
        raise LookupError(f"the markups of rescoring {of.rescoring_id} are not taken in")
    _refuse_unless_as_it_was(run, taken)
    anew = jobs.run_rescored(run, of, taken)
    name = boards.entry_name(anew, session.session_id)
    if name not in platform.blobs.names(name):
        platform.blobs.put_if_absent(name, _made(as_if(platform, anew), anew, session, of))
    old = platform.blobs.get(f"{taken.before.removesuffix('.json')}/{session.session_id}.json")
    return _told(run.parameters_version, old), _told(anew.parameters_version, platform.blobs.get(name))


def _made(platform: Platform, anew: Run, session: Session, of: Rescoring) -> bytes:
    """Return a session's part of the board under other conditions; its scores are then stored beside the old ones."""
    schedule, as_rescored = Schedule.of(anew), jobs.as_rescored(session, of, session.manifest)
    reporting.score_missing(platform, as_rescored, schedule)
    found = reporting.gather(platform, as_rescored, schedule, results=True)
    if isinstance(found, reporting.Pending) or not reporting.all_scored(found):
        raise RefusedError(
            "not_rated_yet",
            "answers wait for experts to rate their explanations, which weigh under these parameters; "
            "discard the rescoring and begin again when the ratings are there",
            "ответы ждут экспертных оценок пояснений, которые весомы при этих параметрах; "
            "отклоните перерасчёт и начните заново, когда оценки появятся",
            session=session.session_id,
        )
    return boards.made_of(found, schedule, platform.tracks(anew.track))


def _told(version: int, stored: bytes) -> dict[str, Any]:
    made = json.loads(stored)
    whole = [each["result"] for each in made["entries"] if each["language"] == ALL_LANGUAGES]
    return {
        "parameters_version": version,
        "ready": not made["fates"]["solution_voided"],
        "result": whole[0] if whole else None,
        "entries": made["entries"],
    }


def compare_final_boards(platform: Platform, of: Rescoring, made: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every part of the final's board with each team's place before and after, as far as sessions are made anew.

    Clause: platform §2 rescoring, R 7.12
    """
    taken = conditions(platform, of)
    if taken is None or taken.refused is not None:
        return []
    run, done = reading.run_now(platform, of.final), {each["session_id"] for each in made}
    before = boards.stored_under(platform, taken.before)
    after = [each for each in before if each.session_id not in done]
    after += [Entry(**each) for part in made for each in part["new"]["entries"]]
    scopes = {each.language for each in [*before, *after]}
    first = [each for each in (ALL_LANGUAGES,) if each in scopes]
    found = []
    for scope in [*first, *sorted(scopes - {ALL_LANGUAGES})]:
        old, new = (_final_places(boards.rows_of(platform, run, scope, each)) for each in (before, after))
        if old or new:
            found.append({"language": scope, "rows": rows(old, new)})
    return found


def _final_places(found: Sequence[Row]) -> dict[str, Row]:
    return {row.entry.team_id: row for row in found}


def rows(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Return teams with their places before and after, in the new order; those off the board stand at the end."""

    def told(row: Row | None) -> dict[str, Any] | None:
        if row is None:
            return None
        return {"place": row.place, "value": row.value}

    teams = sorted(after, key=lambda team_id: (after[team_id].place, team_id))
    gone = sorted(before.keys() - after.keys(), key=lambda team_id: (before[team_id].place, team_id))
    return [{"team_id": each, "old": told(before.get(each)), "new": told(after.get(each))} for each in [*teams, *gone]]


def accept_final(platform: Platform, of: Rescoring) -> tuple[Run, Run]:
    """Return the run before and after the rescoring; refused if a decision about it came meanwhile."""
    taken = conditions(platform, of)
    if taken is None:
        raise RescoringNotMadeError
    if taken.refused is not None:
        code, en, ru = taken.refused
        raise RefusedError(code, en, ru)
    run = platform.runs.get(of.final)
    if run is None:
        raise UnknownRunError
    _refuse_unless_as_it_was(run, taken)
    return run, jobs.run_rescored(run, of, taken)


def _refuse_unless_as_it_was(run: Run, taken: Conditions) -> None:
    """Refuse a final whose board has another name, that of every decision, the annotations and the rescoring."""
    if boards.entries_name(run) != taken.before:
        raise RescoringOutdatedError


_OF_A_TEAM = 100_000


def begin(
    platform: Platform, identity: Identity, selection: Selection, reason: str, version: int | None = None
) -> Rescoring:
    """Score the selected sessions and submissions anew in the background, by the present or a named version.

    A final keeps the version with which it began unless another one is named.

    Clause: platform §2 rescoring
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    final = named(platform, selection)
    own = cycle.parameters_version if final is None else final.parameters_version
    chosen = own if version is None else version
    if not 1 <= chosen <= cycle.parameters_version:
        raise UnknownParametersError
    _refuse_in_a_run(platform)
    sessions = _selected(platform, selection) if final is None else sessions_of(platform, final)
    _refuse_unless_some(sessions)
    made = Rescoring(
        rescoring_id=platform.randomness.run_id(),
        begun_at=now,
        who=by_person(identity.person_id),
        reason=reason,
        selection=selection,
        parameters_version=chosen,
        sessions=tuple(sessions),
        final="" if final is None else final.run_id,
    )
    after = {"parameters_version": chosen, "sessions": len(sessions), "reason": reason}
    platform.rescorings.add(made, Change(now, made.who, "rescoring begun", made.rescoring_id, None, after))
    _send(platform, made)
    return made


def known(platform: Platform, rescoring_id: str) -> Rescoring:
    """Return a rescoring as last written; :class:`UnknownRescoringError` where there is none."""
    found = platform.rescorings.get(rescoring_id)
    if found is None:
        raise UnknownRescoringError
    return found


def decide(platform: Platform, identity: Identity, rescoring_id: str, reason: str, *, accepted: bool) -> Rescoring:
    """Let reports and boards go by a rescoring, or leave all as it is. What was before is kept either way.

    Clause: platform §2 rescoring
    """

    def decided(before: Rescoring) -> Rescoring:
        if before.state is not Decided.OPEN:
            raise RescoringDecidedError
        found = parts(platform, before)
        run = None
        if accepted:
            run = accept_final(platform, before) if before.final else None
            _refuse_unless_whole(platform, before, found)
        now, state = platform.clock.now(), Decided.ACCEPTED if accepted else Decided.DISCARDED
        who = by_person(identity.person_id)
        after = replace(
            before,
            state=state,
            decided_at=now,
            decided_by=who,
            decided_reason=reason,
            boards=tuple(compared_boards(platform, before, found)),
            version=before.version + 1,
        )
        platform.rescorings.change(before, after, _decided(after, who, reason, run), run)
        return after

    made = decide_until_written(known(platform, rescoring_id), decided, lambda: known(platform, rescoring_id))
    if accepted:
        _send(platform, made)
    return made


def _decided(of: Rescoring, who: str, reason: str, run: tuple[Run, Run] | None) -> Change:
    """Return the log entry of a decision; one that changes a final's results is among the decisions on the run.

    Clause: platform §2 rescoring, R 8.3.3
    """
    at, what = of.decided_at or 0, f"rescoring {of.state.value}"
    before, after = {"state": Decided.OPEN.value}, {"state": of.state.value, "reason": reason}
    if run is None:
        return Change(at, who, what, of.rescoring_id, before, after)
    versions = [{"parameters_version": each.parameters_version, "rescored": each.rescored} for each in run]
    shown = {"published_at": iso_or_none(run[0].published_at)}, {"published_at": None}
    return Change(at, who, what, of.final, {**before, **versions[0], **shown[0]}, {**after, **versions[1], **shown[1]})


def resume(platform: Platform, rescoring_id: str) -> Rescoring:
    """Send once more for what is not done of a rescoring, should messages have been lost; what is done stays."""
    found = known(platform, rescoring_id)
    if found.state is not Decided.DISCARDED:
        _send(platform, found)
    return found


def parts(platform: Platform, of: Rescoring) -> list[dict[str, Any]]:
    """Return what was made of its sessions and submissions so far, by their names."""
    folder = stored_names.rescored_name(of.rescoring_id, "").removesuffix(".json")
    return [json.loads(platform.blobs.get(name)) for name in platform.blobs.names(folder)]


def applied(platform: Platform, of: Rescoring) -> int:
    """Count sessions and submissions that go by an accepted rescoring already."""
    return len(platform.blobs.names(stored_names.applied_name(of.rescoring_id, "").removesuffix(".json")))


def boards_of(platform: Platform, of: Rescoring, made: Sequence[dict[str, Any]]) -> Sequence[Any]:
    """Return the boards beside each other: as they were at the decision, until then as they are now."""
    return of.boards if of.state is not Decided.OPEN else compared_boards(platform, of, made)


def compared_boards(platform: Platform, of: Rescoring, made: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every board that would change, with each team's result and place on it before and after.

    Clause: platform §2 rescoring, R 6.10
    """
    if of.final:
        return compare_final_boards(platform, of, made)
    cycle = reading.recent_cycle(platform)
    track = platform.tracks(cycle.track)
    found = []
    for scope in boards.qualification_scopes(platform):
        before = {each.team_id: each for each in platform.scores.entries(cycle.name, scope)}
        after = dict(before)
        for team_id in sorted({part["team_id"] for part in made}):
            best = best_anew(platform, of, made, before.get(team_id), (cycle.name, scope, team_id))
            if best is not None:
                after[team_id] = best
        if before != after:
            places = [_placed(leaderboard.board(list(each.values()), track)) for each in (before, after)]
            found.append({"language": scope, "rows": rows(*places)})
    return found


def best_anew(
    platform: Platform,
    of: Rescoring,
    made: Sequence[dict[str, Any]],
    before: Entry | None,
    place: tuple[str, str, str],
) -> Entry | None:
    """Return the best of a team's claims to a board under a rescoring, at a place: cycle, part of the board, team.

    Sessions and submissions that are not scored anew claim it as they did; what is annulled does not.

    Clause: platform §2 rescoring, R 6.10
    """
    cycle, scope, team_id = place
    track = platform.tracks(reading.recent_cycle(platform).track)
    stored = [each for each in platform.scores.claims(cycle, scope, team_id) if each.session_id not in of.sessions]
    claims = [*jobs.claims(before, entries_of(made, team_id, scope), of.sessions), *stored]
    counting = annulments.counting(platform, cycle, None, claims)
    return leaderboard.best_of(counting, track) if counting else before


def entries_of(made: Sequence[dict[str, Any]], team_id: str, language: str) -> list[Entry]:
    """Return new entries of a team's sessions and submissions on one board."""
    of_team = [part["new"]["entries"] for part in made if part["team_id"] == team_id]
    return [Entry(**each) for entries in of_team for each in entries if each["language"] == language]


def _placed(rows: Sequence[leaderboard.Row]) -> dict[str, leaderboard.Row]:
    return {row.entry.team_id: row for row in rows}


def _refuse_in_a_run(platform: Platform) -> None:
    """Clause: platform §2 rescoring"""
    now = platform.clock.now()
    active = (platform.runs.get(each) for each in platform.runs.active_ids())
    if any(run is not None and run.starts_at <= now for run in active):
        raise RunsOpenError


def _refuse_unless_whole(platform: Platform, of: Rescoring, made: Sequence[dict[str, Any]]) -> None:
    if {each["session_id"] for each in made} != set(of.sessions):
        raise RescoringNotMadeError
    _refuse_in_a_run(platform)
    for each in made:
        scored = session_or_submission(platform, each["session_id"])
        if scored is None or jobs.mark_of(scored) != each["version"]:
            raise RescoringOutdatedError


def session_or_submission(platform: Platform, name: str) -> Session | Submission | None:
    """Return what stands on boards under a name; None where there is neither."""
    session = platform.sessions.get(name)
    return session if session is not None else platform.submissions.get(name)


def _selected(platform: Platform, selection: Selection) -> list[str]:
    found = {each: platform.sessions.get(each) for each in _candidates(platform, selection)}
    sessions = [each for each, known in found.items() if known is not None and jobs.is_selected(known, selection)]
    submissions = [
        each.submission_id for each in _submitted(platform, selection) if jobs.is_selected_submission(each, selection)
    ]
    return sorted({*sessions, *submissions})


def _submitted(platform: Platform, selection: Selection) -> Sequence[Submission]:
    """Return submissions among which the selected ones are, by the narrowest thing that is said."""
    if selection.sessions:
        found = (platform.submissions.get(each) for each in selection.sessions)
        return [each for each in found if each is not None]
    if selection.run_id:
        return ()
    return platform.submissions.of_team(selection.team_id) if selection.team_id else platform.submissions.listed()


def _refuse_unless_some(sessions: Sequence[str]) -> None:
    if not sessions:
        raise NothingSelectedError
    if len(sessions) > jobs.MOST:
        raise TooManySelectedError.of(len(sessions), jobs.MOST)


def _candidates(platform: Platform, selection: Selection) -> Sequence[str]:
    """Return the sessions to select from, by the narrowest given condition."""
    ways: list[tuple[object, Callable[[], Sequence[str]]]] = [
        (selection.sessions, lambda: selection.sessions),
        (selection.run_id, lambda: [each for _, each in platform.runs.sessions_of(selection.run_id)]),
        (selection.team_id, lambda: platform.sessions.of_team(selection.team_id, _OF_A_TEAM, None)),
        (True, lambda: _closed_in(platform, selection)),
    ]
    return next(way() for said, way in ways if said)


def _closed_in(platform: Platform, selection: Selection) -> list[str]:
    now = platform.clock.now()
    days = (utc_day(now - back * DAY) for back in range(jobs.LONGEST_DAYS))
    wanted = [day for day in days if (selection.since or day) <= day <= (selection.until or day)]
    return [each for day in wanted for each in platform.sessions.closed_on(day)]


def _send(platform: Platform, of: Rescoring) -> None:
    """Send for every session; of a final first for its markups, and for its board once it goes by the rescoring."""
    if of.final and of.state is Decided.OPEN and conditions(platform, of) is None:
        platform.rescoring_tasks.send([RescoringTask(of.rescoring_id)])
        return
    platform.rescoring_tasks.send([RescoringTask(of.rescoring_id, each) for each in of.sessions])
    if of.final and of.state is Decided.ACCEPTED:
        settling.send(platform, of.final)


def shown(platform: Platform, of: Rescoring) -> dict[str, Any]:
    """Return a rescoring with its sessions, submissions and boards, old and new side by side."""
    made = parts(platform, of)
    return {
        **summary(platform, of, len(made)),
        "held_back": sum(_is_held_back(each) for each in made),
        "sessions": [_side_by_side(each) for each in made],
        "boards": list(boards_of(platform, of, made)),
    }


def summary(platform: Platform, of: Rescoring, made: int | None = None) -> dict[str, Any]:
    """Return the progress of a rescoring."""
    counted = len(parts(platform, of)) if made is None else made
    taken = conditions(platform, of)
    refused = taken.refused if taken is not None else None
    return {
        "rescoring_id": of.rescoring_id,
        "state": of.state.value,
        "begun_at": iso(of.begun_at),
        "reason": of.reason,
        "parameters_version": of.parameters_version,
        "final": of.final or None,
        "refused": None if refused is None else dict(zip(("code", "message", "message_ru"), refused, strict=True)),
        "selection": {**asdict(of.selection), "sessions": list(of.selection.sessions)},
        "total": len(of.sessions),
        "made": counted,
        "applied": applied(platform, of),
        "decided_reason": of.decided_reason,
    }


def _is_held_back(part: dict[str, Any]) -> bool:
    """Return whether a result keeps its references, since the difference would tell of few hidden items."""
    return bool(part.get("held_back"))


def _side_by_side(part: dict[str, Any]) -> dict[str, Any]:
    old, new = part["old"], part["new"]
    return {
        **{name: part[name] for name in ("session_id", "team_id", "mode", "set")},
        "held_back": _is_held_back(part),
        "old": {name: old[name] for name in ("parameters_version", "ready")},
        "new": {name: new[name] for name in ("parameters_version", "ready")},
        "metrics": jobs.metrics(old["result"], new["result"]),
    }
