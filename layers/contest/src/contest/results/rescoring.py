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
from contest.platform import SMALL, Memory, Platform, read_and_decide
from contest.refusals import ContestError, RefusedError
from contest.results import boards, errors, publishing, reporting, settling
from contest.results.ports import Runs
from contest.results.rules import leaderboard
from contest.results.rules import rescoring as rescoring_rules
from contest.results.rules.leaderboard import Entry, Row
from contest.results.rules.rescoring import Conditions, Decided, Rescoring, RescoringTask, Selection
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.rules.session import Session
from contest.submissions.rules import Submission
from contest.texts import tr
from contest.values import DAY, canonical, iso, iso_or_none, utc_day
from markup_core.texts import Text


def as_if(platform: Platform, run: Run) -> Platform:
    """Return the platform with this run in place of the stored one; nothing of the run is written.

    The process's memory is shared, since it is named by content; facts of the run itself are separate.
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

    def get(self, run_id: str, earlier: Run | None = None) -> Run | None:
        return self._run if run_id == self._run.run_id else self._runs.get(run_id, earlier)

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


# Clause: platform §2 rescoring
def selected_final(platform: Platform, selection: Selection) -> Run | None:
    """Return the final that a selection names; None where it names none.

    A final that cannot be scored anew is refused.
    """
    run = platform.runs.get(selection.run_id) if selection.run_id else None
    if run is None or run.mode is not Mode.FINAL:
        return None
    if not rescoring_rules.names_only_run(selection):
        raise errors.FinalIsWholeError
    publishing.refuse_unless_closed(run)
    if not boards.is_made(platform, run):
        raise errors.NoBoardError
    return run


# Clause: platform §2 rescoring, R 7.10
def prepare(platform: Platform, rescoring: Rescoring) -> bool:
    """Import the present annotations for one rescoring alone, once; return whether they could be imported."""
    if conditions(platform, rescoring) is None:
        run = reading.run_now(platform, rescoring.final)
        before = boards.entries_name(run)
        try:
            markups, ratings = publishing.taken_in(platform, run)
            fresh_conditions = Conditions(before, markups, ratings)
        except ContestError as error:
            fresh_conditions = Conditions(before, refused=(error.code, error.message.en, error.message.ru))
        name = stored_names.rescoring_conditions_name(rescoring.rescoring_id)
        platform.blobs.put_if_absent(name, canonical({"format": _FORMAT, **asdict(fresh_conditions)}))
    stored_conditions = conditions(platform, rescoring)
    return stored_conditions is not None and stored_conditions.refused is None


def conditions(platform: Platform, rescoring: Rescoring) -> Conditions | None:
    """Return the conditions of a final's rescoring.

    None while its annotations are being imported, and for other sessions.
    """
    name = stored_names.rescoring_conditions_name(rescoring.rescoring_id)
    stored = reading.stored_json(platform, name) if rescoring.final else None
    if stored is None:
        return None
    refused = stored["refused"]
    return Conditions(
        before=stored["before"],
        markups=tuple((drawn_from, marked) for drawn_from, marked in stored["markups"]),
        ratings=stored["ratings"],
        refused=None if refused is None else (refused[0], refused[1], refused[2]),
    )


def stored_and_rescored(
    platform: Platform, rescoring: Rescoring, session: Session
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a session's stored part of the board, and the rescored one: version, readiness, result, entries.

    :class:`LookupError` before the markups are taken in.
    """
    stored_conditions, run = conditions(platform, rescoring), reading.run_now(platform, rescoring.final)
    if stored_conditions is None:
        raise LookupError(f"the markups of rescoring {rescoring.rescoring_id} are not taken in")
    _refuse_unless_as_it_was(run, stored_conditions)
    anew = rescoring_rules.run_rescored(run, rescoring, stored_conditions)
    name = boards.entry_name(anew, session.session_id)
    if name not in platform.blobs.names(name):
        platform.blobs.put_if_absent(name, _made(as_if(platform, anew), anew, session, rescoring))
    old = platform.blobs.get(f"{stored_conditions.before.removesuffix('.json')}/{session.session_id}.json")
    return _side(run.parameters_version, old), _side(anew.parameters_version, platform.blobs.get(name))


def _made(platform: Platform, anew: Run, session: Session, rescoring: Rescoring) -> bytes:
    """Return a session's part of the board under other conditions; its scores are then stored beside the old ones."""
    schedule, as_rescored = Schedule.of(anew), rescoring_rules.as_rescored(session, rescoring, session.manifest)
    reporting.score_missing(platform, as_rescored, schedule)
    facts = reporting.gather_facts(platform, as_rescored, schedule, results=True)
    if isinstance(facts, reporting.Pending) or not reporting.all_scored(facts):
        message = tr(
            "answers wait for experts to rate their explanations, which weigh under these parameters; "
            "discard the rescoring and begin again when the ratings are there"
        )
        raise RefusedError("not_rated_yet", message, session=session.session_id)
    return boards.made_of(facts, schedule, reading.track_of(platform, anew))


def _side(version: int, stored: bytes) -> dict[str, Any]:
    """Return a session's part of the board as one side of the comparison."""
    part = json.loads(stored)
    whole = [entry["result"] for entry in part["entries"] if entry["language"] == ALL_LANGUAGES]
    return {
        "parameters_version": version,
        "ready": not part["fates"]["solution_voided"],
        "result": whole[0] if whole else None,
        "entries": part["entries"],
    }


# Clause: platform §2 rescoring, R 7.12
def compare_final_boards(
    platform: Platform, rescoring: Rescoring, new_parts: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return every part of the final's board with each team's place before and after, over the rescored sessions."""
    stored_conditions = conditions(platform, rescoring)
    if stored_conditions is None or stored_conditions.refused is not None:
        return []
    run, done = reading.run_now(platform, rescoring.final), {part["session_id"] for part in new_parts}
    before = boards.stored_under(platform, stored_conditions.before)
    after = [entry for entry in before if entry.session_id not in done]
    after += [Entry(**fields) for part in new_parts for fields in part["new"]["entries"]]
    scopes = {entry.language for entry in [*before, *after]}
    first = [scope for scope in (ALL_LANGUAGES,) if scope in scopes]
    compared = []
    for scope in [*first, *sorted(scopes - {ALL_LANGUAGES})]:
        old, new = (_placed(boards.rows_of(platform, run, scope, entries)) for entries in (before, after))
        if old or new:
            compared.append({"language": scope, "rows": board_rows(old, new)})
    return compared


def board_rows(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Return the teams with their places before and after, in the new order; those off the board come last."""

    def place_and_value(row: Row | None) -> dict[str, Any] | None:
        return None if row is None else {"place": None if row.is_baseline else row.place, "value": row.value}

    teams = sorted(after, key=lambda team_id: (after[team_id].place, team_id))
    gone = sorted(before.keys() - after.keys(), key=lambda team_id: (before[team_id].place, team_id))
    return [
        {
            "team_id": team_id,
            "old": place_and_value(before.get(team_id)),
            "new": place_and_value(after.get(team_id)),
        }
        for team_id in [*teams, *gone]
    ]


def accept_final(platform: Platform, rescoring: Rescoring) -> tuple[Run, Run]:
    """Return the run before and after the rescoring; refuse it after another decision about the run."""
    stored_conditions = conditions(platform, rescoring)
    if stored_conditions is None:
        raise errors.RescoringNotMadeError
    if stored_conditions.refused is not None:
        code, english, russian = stored_conditions.refused
        raise RefusedError(code, Text(english, russian))
    run = platform.runs.get(rescoring.final)
    if run is None:
        raise UnknownRunError
    _refuse_unless_as_it_was(run, stored_conditions)
    return run, rescoring_rules.run_rescored(run, rescoring, stored_conditions)


def _refuse_unless_as_it_was(run: Run, stored_conditions: Conditions) -> None:
    """Refuse a final whose board has changed its edition: by a decision, the annotations or another rescoring."""
    if boards.entries_name(run) != stored_conditions.before:
        raise errors.RescoringOutdatedError


_OF_A_TEAM = 100_000


# Clause: platform §2 rescoring
def begin(
    platform: Platform, identity: Identity, selection: Selection, reason: str, version: int | None = None
) -> Rescoring:
    """Rescore the selected sessions and submissions in the background, by the present or a named version.

    A final keeps the version with which it began unless another one is named.
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    final = selected_final(platform, selection)
    own = cycle.parameters_version if final is None else final.parameters_version
    chosen = own if version is None else version
    if not 1 <= chosen <= cycle.parameters_version:
        raise errors.UnknownParametersError
    _refuse_in_a_run(platform)
    sessions = _selected(platform, selection) if final is None else _sessions_of_run(platform, final.run_id)
    if not sessions:
        raise errors.NothingSelectedError
    if len(sessions) > rescoring_rules.MOST:
        raise errors.TooManySelectedError.of(len(sessions), rescoring_rules.MOST)
    rescoring = Rescoring(
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
    platform.rescorings.add(
        rescoring, Change(now, rescoring.who, "rescoring begun", rescoring.rescoring_id, None, after)
    )
    _send(platform, rescoring)
    return rescoring


def read_rescoring(platform: Platform, rescoring_id: str) -> Rescoring:
    """Return a rescoring as last written; :class:`UnknownRescoringError` where there is none."""
    rescoring = platform.rescorings.get(rescoring_id)
    if rescoring is None:
        raise errors.UnknownRescoringError
    return rescoring


# Clause: platform §2 rescoring
def decide(platform: Platform, identity: Identity, rescoring_id: str, reason: str, *, accepted: bool) -> Rescoring:
    """Accept a rescoring for reports and boards, or discard it. The earlier results are kept either way."""

    def decided(before: Rescoring) -> Rescoring:
        if before.state is not Decided.OPEN:
            raise errors.RescoringDecidedError
        new_parts = finished_parts(platform, before)
        run = None
        if accepted:
            run = accept_final(platform, before) if before.final else None
            _refuse_unless_whole(platform, before, new_parts)
        now, state = platform.clock.now(), Decided.ACCEPTED if accepted else Decided.DISCARDED
        who = by_person(identity.person_id)
        after = replace(
            before,
            state=state,
            decided_at=now,
            decided_by=who,
            decided_reason=reason,
            boards=tuple(compared_boards(platform, before, new_parts)),
            version=before.version + 1,
        )
        platform.rescorings.change(before, after, _decided(after, who, reason, run), run)
        return after

    rescoring = read_and_decide(lambda: read_rescoring(platform, rescoring_id), decided)
    if accepted:
        _send(platform, rescoring)
    return rescoring


# Clause: platform §2 rescoring, R 8.3.3
def _decided(rescoring: Rescoring, who: str, reason: str, run: tuple[Run, Run] | None) -> Change:
    """Return the log entry of a decision; one that changes a final's results is among the decisions on the run."""
    at, what = rescoring.decided_at or 0, f"rescoring {rescoring.state.value}"
    before, after = {"state": Decided.OPEN.value}, {"state": rescoring.state.value, "reason": reason}
    if run is None:
        return Change(at, who, what, rescoring.rescoring_id, before, after)
    versions = [{"parameters_version": state.parameters_version, "rescored": state.rescored} for state in run]
    publication = {"published_at": iso_or_none(run[0].published_at)}, {"published_at": None}
    return Change(
        at,
        who,
        what,
        rescoring.final,
        {**before, **versions[0], **publication[0]},
        {**after, **versions[1], **publication[1]},
    )


def resume(platform: Platform, rescoring_id: str) -> Rescoring:
    """Send the unfinished parts of a rescoring again, in case messages were lost."""
    rescoring = read_rescoring(platform, rescoring_id)
    if rescoring.state is not Decided.DISCARDED:
        _send(platform, rescoring)
    return rescoring


def finished_parts(platform: Platform, rescoring: Rescoring) -> list[dict[str, Any]]:
    """Return the finished parts of a rescoring: its sessions and submissions, by their names."""
    return [json.loads(platform.blobs.get(name)) for name in _part_names(platform, rescoring)]


def _part_names(platform: Platform, rescoring: Rescoring) -> Sequence[str]:
    return platform.blobs.names(stored_names.rescored_name(rescoring.rescoring_id, "").removesuffix(".json"))


# Clause: platform §2 rescoring, R 6.10
def compared_boards(
    platform: Platform, rescoring: Rescoring, new_parts: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return every board that would change, with each team's result and place on it before and after."""
    if rescoring.final:
        return compare_final_boards(platform, rescoring, new_parts)
    cycle, changed = reading.recent_cycle(platform), []
    track = reading.track_of(platform, cycle)
    for scope in boards.qualification_scopes(platform):
        before = {entry.team_id: entry for entry in platform.scores.entries(cycle.name, scope)}
        after = dict(before)
        for team_id in sorted({part["team_id"] for part in new_parts}):
            best = best_anew(platform, rescoring, new_parts, before.get(team_id), (cycle.name, scope, team_id))
            if best is not None:
                after[team_id] = best
        if before != after:
            counting = [
                following.counting_entries(platform, cycle.name, None, list(entries.values()))
                for entries in (before, after)
            ]
            teams = platform.people.teams({entry.team_id for entries in counting for entry in entries})
            old, new = (_placed(boards.exactly_ranked(cycle, track, entries, teams).rows) for entries in counting)
            changed.append({"language": scope, "rows": board_rows(old, new)})
    return changed


# Clause: platform §2 rescoring, R 6.10
def best_anew(
    platform: Platform,
    rescoring: Rescoring,
    new_parts: Sequence[dict[str, Any]],
    before: Entry | None,
    place: tuple[str, str, str],
) -> Entry | None:
    """Return the best of a team's claims to a board under a rescoring, at a place: cycle, part of the board, team.

    Sessions and submissions that are not scored anew claim it as before; annulled ones do not.
    """
    cycle, scope, team_id = place
    track = reading.track_of(platform, reading.recent_cycle(platform))
    stored = [
        claim for claim in platform.scores.claims(cycle, scope, team_id) if claim.session_id not in rescoring.sessions
    ]
    claims = [*rescoring_rules.claims(before, entries_of(new_parts, team_id, scope), rescoring.sessions), *stored]
    counting = following.counting_entries(platform, cycle, None, claims)
    return leaderboard.best_of(counting, track) if counting else before


def entries_of(new_parts: Sequence[dict[str, Any]], team_id: str, language: str) -> list[Entry]:
    """Return new entries of a team's sessions and submissions on one board."""
    of_team = [part["new"]["entries"] for part in new_parts if part["team_id"] == team_id]
    return [Entry(**fields) for entries in of_team for fields in entries if fields["language"] == language]


def _placed(rows: Sequence[leaderboard.Row]) -> dict[str, leaderboard.Row]:
    return {row.entry.team_id: row for row in rows}


# Clause: platform §2 rescoring
def _refuse_in_a_run(platform: Platform) -> None:
    now = platform.clock.now()
    active = (platform.runs.get(run_id) for run_id in platform.runs.active_ids())
    if any(run is not None and run.starts_at <= now for run in active):
        raise errors.RunsOpenError


def _refuse_unless_whole(platform: Platform, rescoring: Rescoring, new_parts: Sequence[dict[str, Any]]) -> None:
    if {part["session_id"] for part in new_parts} != set(rescoring.sessions):
        raise errors.RescoringNotMadeError
    _refuse_in_a_run(platform)
    for part in new_parts:
        scored = session_or_submission(platform, part["session_id"])
        if scored is None or rescoring_rules.mark_of(scored) != part["version"]:
            raise errors.RescoringOutdatedError


def session_or_submission(platform: Platform, name: str) -> Session | Submission | None:
    """Return the session or submission of a name; None if there is neither."""
    session = platform.sessions.get(name)
    return session if session is not None else platform.submissions.get(name)


def _selected(platform: Platform, selection: Selection) -> list[str]:
    sessions_by_id = {session_id: platform.sessions.get(session_id) for session_id in _candidates(platform, selection)}
    sessions = [
        session_id
        for session_id, session in sessions_by_id.items()
        if session is not None and rescoring_rules.is_selected(session, selection)
    ]
    submissions = [
        submission.submission_id
        for submission in _submitted(platform, selection)
        if rescoring_rules.is_selected_submission(submission, selection)
    ]
    return sorted({*sessions, *submissions})


def _submitted(platform: Platform, selection: Selection) -> Sequence[Submission]:
    """Return the candidates among submissions, by the narrowest given condition."""
    if selection.sessions:
        submissions = (platform.submissions.get(name) for name in selection.sessions)
        return [submission for submission in submissions if submission is not None]
    if selection.run_id:
        return ()
    return platform.submissions.of_team(selection.team_id) if selection.team_id else platform.submissions.listed()


def _candidates(platform: Platform, selection: Selection) -> Sequence[str]:
    """Return the sessions to select from, by the narrowest given condition."""
    ways: list[tuple[object, Callable[[], Sequence[str]]]] = [
        (selection.sessions, lambda: selection.sessions),
        (selection.run_id, lambda: _sessions_of_run(platform, selection.run_id)),
        (selection.team_id, lambda: platform.sessions.of_team(selection.team_id, _OF_A_TEAM, None)),
        (True, lambda: _closed_in(platform, selection)),
    ]
    return next(way() for condition, way in ways if condition)


def _sessions_of_run(platform: Platform, run_id: str) -> list[str]:
    return sorted(session_id for _, session_id in platform.runs.sessions_of(run_id))


def _closed_in(platform: Platform, selection: Selection) -> list[str]:
    now = platform.clock.now()
    days = (utc_day(now - back * DAY) for back in range(rescoring_rules.LONGEST_DAYS))
    selected_days = [day for day in days if (selection.since or day) <= day <= (selection.until or day)]
    return [session_id for day in selected_days for session_id in platform.sessions.closed_on(day)]


def _send(platform: Platform, rescoring: Rescoring) -> None:
    """Send every session to the workers; of a final first its annotations, and its settlement once accepted."""
    if rescoring.final and rescoring.state is Decided.OPEN and conditions(platform, rescoring) is None:
        platform.rescoring_tasks.send([RescoringTask(rescoring.rescoring_id)])
        return
    platform.rescoring_tasks.send(
        [RescoringTask(rescoring.rescoring_id, session_id) for session_id in rescoring.sessions]
    )
    if rescoring.final and rescoring.state is Decided.ACCEPTED:
        settling.send_due_steps(platform, rescoring.final)


def rescoring_view(platform: Platform, rescoring: Rescoring) -> dict[str, Any]:
    """Return a rescoring with its sessions, submissions and boards, old and new side by side.

    The boards are as they were at the decision; until then as they are now.
    """
    new_parts, is_open = finished_parts(platform, rescoring), rescoring.state is Decided.OPEN
    return {
        **summary(platform, rescoring),
        "held_back": sum(_is_held_back(part) for part in new_parts),
        "sessions": [_side_by_side(part) for part in new_parts],
        "boards": compared_boards(platform, rescoring, new_parts) if is_open else list(rescoring.boards),
    }


def summary(platform: Platform, rescoring: Rescoring) -> dict[str, Any]:
    """Return the progress of a rescoring; its parts are counted and not read."""
    applied = stored_names.applied_name(rescoring.rescoring_id, "").removesuffix(".json")
    stored_conditions = conditions(platform, rescoring)
    refused = stored_conditions.refused if stored_conditions is not None else None
    return {
        "rescoring_id": rescoring.rescoring_id,
        "state": rescoring.state.value,
        "begun_at": iso(rescoring.begun_at),
        "reason": rescoring.reason,
        "parameters_version": rescoring.parameters_version,
        "final": rescoring.final or None,
        "refused": None if refused is None else dict(zip(("code", "message", "message_ru"), refused, strict=True)),
        "selection": {**asdict(rescoring.selection), "sessions": list(rescoring.selection.sessions)},
        "total": len(rescoring.sessions),
        "made": len(_part_names(platform, rescoring)),
        "applied": len(platform.blobs.names(applied)),
        "decided_reason": rescoring.decided_reason,
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
        "metrics": rescoring_rules.metrics(old["result"], new["result"]),
    }
