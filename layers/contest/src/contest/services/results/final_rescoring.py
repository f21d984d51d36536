"""A final scored anew: its sessions together, under one version of parameters and the markups that there are now.

What is made of a session lies where the settlement looks for it once the run goes by the rescoring, so acceptance is
one change of the run: its board is then put together and recomputed independently like any other, and published by
hand. What was before stays under its own names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import ALL_LANGUAGES, Mode
from contest.domain.results import rescoring
from contest.domain.results.leaderboard import Entry, Row
from contest.domain.results.rescoring import Conditions, Rescoring, Selection
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.domain.session.session import Session
from contest.errors import UnknownRunError
from contest.errors.rescoring import FinalIsWholeError, RescoringNotMadeError, RescoringOutdatedError
from contest.errors.shadow import NoBoardError
from contest.ports import MissingBlobError
from contest.refusals import ContestError, RefusedError
from contest.services import reading
from contest.services.as_if import as_if
from contest.services.platform import Platform
from contest.services.results import boards, publishing, reporting

_FORMAT: Final = 1


def named(platform: Platform, selection: Selection) -> Run | None:
    """The final that a selection names; None where it names none. What cannot be scored anew is refused.

    Clause: platform §2 rescoring
    """
    run = platform.runs.get(selection.run_id) if selection.run_id else None
    if run is None or run.mode is not Mode.FINAL:
        return None
    if not rescoring.names_only_run(selection):
        raise FinalIsWholeError
    publishing.refuse_unless_closed(run)
    if not boards.is_made(platform, run):
        raise NoBoardError
    return run


def sessions_of(platform: Platform, run: Run) -> list[str]:
    """Everybody's sessions, in the order of their names."""
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
    """Under what a final is scored anew; None while its markups are being taken in, and of other sessions."""
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
    """What is stored of a session for the board, and the same made anew: version, readiness, result, entries.

    :class:`LookupError` before the markups are taken in.
    """
    taken, run = conditions(platform, of), reading.run_now(platform, of.final)
    if taken is None:
        raise LookupError(f"the markups of rescoring {of.rescoring_id} are not taken in")
    _refuse_unless_as_it_was(run, taken)
    anew = rescoring.run_rescored(run, of, taken)
    name = boards.entry_name(anew, session.session_id)
    if name not in platform.blobs.names(name):
        platform.blobs.put_if_absent(name, _made(as_if(platform, anew), anew, session, of))
    old = platform.blobs.get(f"{taken.before.removesuffix('.json')}/{session.session_id}.json")
    return _told(run.parameters_version, old), _told(anew.parameters_version, platform.blobs.get(name))


def _made(platform: Platform, anew: Run, session: Session, of: Rescoring) -> bytes:
    """A session's part of the board under other conditions; its scores are stored by then, beside the old ones."""
    schedule, as_rescored = Schedule.of(anew), rescoring.as_rescored(session, of, session.manifest)
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


def compared_boards(platform: Platform, of: Rescoring, made: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every part of the final's board with each team's place before and after, as far as sessions are made anew.

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
        old, new = (_placed(boards.rows_of(platform, run, scope, each)) for each in (before, after))
        if old or new:
            found.append({"language": scope, "rows": rows(old, new)})
    return found


def _placed(found: Sequence[Row]) -> dict[str, Row]:
    return {row.entry.team_id: row for row in found}


def rows(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[dict[str, Any]]:
    """Teams with their places before and after, in the new order; who is on the board no longer stands at the end."""

    def told(row: Row | None) -> dict[str, Any] | None:
        if row is None:
            return None
        return {"place": row.place, "value": row.value}

    teams = sorted(after, key=lambda team_id: (after[team_id].place, team_id))
    gone = sorted(before.keys() - after.keys(), key=lambda team_id: (before[team_id].place, team_id))
    return [{"team_id": each, "old": told(before.get(each)), "new": told(after.get(each))} for each in [*teams, *gone]]


def accepted(platform: Platform, of: Rescoring) -> tuple[Run, Run]:
    """The run as it is and as it goes by the rescoring; refused where anything was decided of it meanwhile."""
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
    return run, rescoring.run_rescored(run, of, taken)


def _refuse_unless_as_it_was(run: Run, taken: Conditions) -> None:
    """The board's name says every decision, the markups and the rescoring by which the results go."""
    if boards.entries_name(run) != taken.before:
        raise RescoringOutdatedError
