"""Results scored anew after a change of parameters, classifier, markups or scorer: begun, compared, decided on.

Results are of sessions and of submissions: whatever stands on a board is scored anew by one rule.
Scores and reports of a rescoring lie beside the old ones: the keys of scores name parameters, references and scorer,
and a report's name the rescoring. Nothing goes by them before it is accepted (platform §2).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from contest import stored_names
from contest.domain.moments import DAY, iso, iso_or_none, utc_day
from contest.domain.people.rights import Identity
from contest.domain.people.teams import Change, by_person
from contest.domain.results import leaderboard, rescoring
from contest.domain.results.leaderboard import Entry
from contest.domain.results.rescoring import Decided, Rescoring, RescoringTask, Selection
from contest.domain.run.run import Run
from contest.domain.session.session import Session
from contest.domain.submissions.submission import Submission
from contest.errors.rescoring import (
    NothingSelectedError,
    RescoringDecidedError,
    RescoringNotMadeError,
    RescoringOutdatedError,
    RunsOpenError,
    TooManySelectedError,
    UnknownParametersError,
    UnknownRescoringError,
)
from contest.services import grounds, reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, final_rescoring, settling

_OF_A_TEAM = 100_000


def begin(
    platform: Platform, identity: Identity, selection: Selection, reason: str, version: int | None = None
) -> Rescoring:
    """Score the selected sessions and submissions anew in the background, by the present or a named version.

    A final keeps the version with which it began unless another one is named.

    Clause: platform §2 rescoring
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    final = final_rescoring.named(platform, selection)
    own = cycle.parameters_version if final is None else final.parameters_version
    chosen = own if version is None else version
    if not 1 <= chosen <= cycle.parameters_version:
        raise UnknownParametersError
    _refuse_in_a_run(platform)
    sessions = _selected(platform, selection) if final is None else final_rescoring.sessions_of(platform, final)
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
    """A rescoring as last written; :class:`UnknownRescoringError` where there is none."""
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
            run = final_rescoring.accepted(platform, before) if before.final else None
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
    """What the log says of a decision; of one that changes a final's results it is among what was decided of the run.

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
    """The boards beside each other: as they were when it was decided, now until then."""
    return of.boards if of.state is not Decided.OPEN else compared_boards(platform, of, made)


def compared_boards(platform: Platform, of: Rescoring, made: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every board that would change, with each team's result and place on it before and after.

    Clause: platform §2 rescoring, R 6.10
    """
    if of.final:
        return final_rescoring.compared_boards(platform, of, made)
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
            found.append({"language": scope, "rows": final_rescoring.rows(*places)})
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
    claims = [*rescoring.claims(before, entries_of(made, team_id, scope), of.sessions), *stored]
    counting = grounds.counting(platform, cycle, None, claims)
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
        if scored is None or rescoring.mark_of(scored) != each["version"]:
            raise RescoringOutdatedError


def session_or_submission(platform: Platform, name: str) -> Session | Submission | None:
    """Return what stands on boards under a name; None where there is neither."""
    session = platform.sessions.get(name)
    return session if session is not None else platform.submissions.get(name)


def _selected(platform: Platform, selection: Selection) -> list[str]:
    found = {each: platform.sessions.get(each) for each in _candidates(platform, selection)}
    sessions = [each for each, known in found.items() if known is not None and rescoring.is_selected(known, selection)]
    submissions = [
        each.submission_id
        for each in _submitted(platform, selection)
        if rescoring.is_selected_submission(each, selection)
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
    if len(sessions) > rescoring.MOST:
        raise TooManySelectedError.of(len(sessions), rescoring.MOST)


def _candidates(platform: Platform, selection: Selection) -> Sequence[str]:
    """Sessions among which the selected ones are, by the narrowest thing that is said."""
    ways: list[tuple[object, Callable[[], Sequence[str]]]] = [
        (selection.sessions, lambda: selection.sessions),
        (selection.run_id, lambda: [each for _, each in platform.runs.sessions_of(selection.run_id)]),
        (selection.team_id, lambda: platform.sessions.of_team(selection.team_id, _OF_A_TEAM, None)),
        (True, lambda: _closed_in(platform, selection)),
    ]
    return next(way() for said, way in ways if said)


def _closed_in(platform: Platform, selection: Selection) -> list[str]:
    now = platform.clock.now()
    days = (utc_day(now - back * DAY) for back in range(rescoring.LONGEST_DAYS))
    wanted = [day for day in days if (selection.since or day) <= day <= (selection.until or day)]
    return [each for day in wanted for each in platform.sessions.closed_on(day)]


def _send(platform: Platform, of: Rescoring) -> None:
    """Send for every session; of a final first for its markups, and for its board once it goes by the rescoring."""
    if of.final and of.state is Decided.OPEN and final_rescoring.conditions(platform, of) is None:
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
    """How far a rescoring has come."""
    counted = len(parts(platform, of)) if made is None else made
    taken = final_rescoring.conditions(platform, of)
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
        "metrics": rescoring.metrics(old["result"], new["result"]),
    }
