"""Leaderboards in their public form (R 6.10, 7.12), and withheld totals over hidden sets (T10).

Totals over a hidden set may be withheld; those shown are noted, each under a number that must be free: of two results
that end at the same moment the second is compared with the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle, Mode
from contest.cycle.rules.stages import Stage, StageName, stage_named
from contest.errors import BoardHiddenError, InvalidRequestError, ResultsNotPublishedError, UnknownBoardError
from contest.people.rules import Team
from contest.platform import Platform
from contest.ports import MissingBlobError
from contest.results.rules import file_tables, leaderboard, reports, set_access
from contest.results.rules.leaderboard import BoardState, Entry, Row, Visibility, public_state
from contest.results.rules.qualification import QUALIFICATION, Annulment
from contest.results.rules.reports import Facts
from contest.results.rules.rescoring import fates_of
from contest.results.rules.set_access import Answers, Earlier
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.following import Known
from contest.session.rules.session import Session, items_of
from contest.submissions.rules import Submission
from contest.texts import tr
from contest.values import SECOND, Millis, canonical
from markup_core.lazy import dataclass
from tracks.capabilities import ComparesTeams, JoinsRuns, Replayed
from tracks.protocol import Reason, Section, Standing, Track
from tracks.rules import BoardRules

FRESH: Final[Millis] = 10 * SECOND
"""Maximum age of a board in milliseconds: it is not computed anew for each of its many readers."""

LATEST: Final = 50
"""Number of the latest finals among which the published one is looked for."""


@dataclass(frozen=True, slots=True)
class BoardWish:
    """Request for a board: its key in the contest, over the test set or a final, a part of it."""

    key: str
    is_final: bool = False
    run_id: str | None = None
    language: str = ALL_LANGUAGES
    nomination: str | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A board with the teams' names."""

    cycle: str
    track: str
    scope: str
    """A language, ``all``, ``nomination:`` with a nomination's name, or ``board:`` with another board's key."""
    rules: BoardRules
    rows: tuple[Row, ...]
    names: dict[str, str]
    tables: dict[str, tuple[Section, ...]]
    """Each team's result in tables, as a session's report has them."""
    compared: tuple[Section, ...] = ()
    """Tables over all teams."""
    visibility: Visibility = Visibility.PUBLISHED
    as_of: Millis | None = None
    """Moment of the rows of a board that is shown frozen; None of any other."""
    present: frozenset[str] = frozenset()
    """Present lists of the test sets; a row by another list was scored by earlier references."""
    several: leaderboard.SeveralRules | None = None
    stage: Stage | None = None
    """Stage to whose days the board belongs: the qualification's, or the final's."""


class Places(NamedTuple):
    """The rows of a part of a board, which is the qualification's or a final's by the name of its run."""

    cycle: str
    board: str
    scope: str
    rows: tuple[Row, ...]


# Clause: platform §4 boards
def qualification_board(platform: Platform, language: str) -> Board:
    """Return the public board of a language or of ``all``, without suspended and disqualified teams (R 11.7).

    :class:`BoardHiddenError` while it is hidden.
    """
    cycle = reading.recent_cycle(platform)
    if language not in other_boards(platform, cycle=cycle):
        refuse_unknown_language(cycle, language)

    key = ("board", language, platform.clock.now() // FRESH)
    board = platform.memory.keep(key, partial(_public_board, platform, cycle, None, language))
    if board is None:
        raise BoardHiddenError
    return cast(Board, board)


def public_places(platform: Platform, cycle: Cycle, final: Run | None) -> Iterator[Places]:
    """Yield the rows of the parts of the qualification's and a published final's public boards as they are now.

    A hidden board has no parts. The teams of all parts are read at once.
    """
    parts = dict[tuple[str, str], tuple[Run | None, Sequence[Entry]]]()
    for run in (None, *([final] if final else [])):
        board = run.run_id if run else QUALIFICATION
        visibility, frozen = _public_state(platform, cycle, run)
        scopes = scopes_of(platform, run) if run else qualification_scopes(platform, cycle)
        with suppress(ResultsNotPublishedError):
            for scope in scopes if visibility is not Visibility.HIDDEN else ():
                entries: Sequence[Entry] = _seen(platform, cycle, run, frozen, scope)
                if entries:
                    annulled = reading.annulments(platform, cycle.name)
                    entries = _counting(platform, cycle, run, scope, entries, annulled, frozen)
                parts[board, scope] = run, entries
    team_ids = {entry.team_id for _, entries in parts.values() for entry in entries}
    teams = platform.people.teams(team_ids) if team_ids else {}
    for (board, scope), (run, entries) in parts.items():
        rows = _ranked(cycle, run, reading.track_of(platform, cycle), entries, teams).rows if entries else ()
        yield Places(cycle.name, board, scope, rows)


def refuse_unknown_language(cycle: Cycle, language: str) -> None:
    """Refuse a language that the cycle does not have."""
    if language != ALL_LANGUAGES and language not in cycle.languages:
        names = ", ".join([ALL_LANGUAGES, *cycle.languages])
        messages = tr("language is one of: {names}", names=names).as_fields()
        raise InvalidRequestError([{"code": "unknown_language", **messages, "field": "language"}])


# Clause: R 7.11, platform §4 boards
def final_board(platform: Platform, run_id: str | None, scope: str = ALL_LANGUAGES) -> Board:
    """Return a part of the public board of a final, by default of the latest published one.

    :class:`ResultsNotPublishedError` before publication.
    """
    run = published_final(platform, run_id)
    refuse_unknown_scope(platform, run, scope)
    key = ("final board", run.run_id, run.version, scope, platform.clock.now() // FRESH)
    cycle = reading.recent_cycle(platform)
    return cast(Board, platform.memory.keep(key, partial(_public_board, platform, cycle, run, scope)))


def published_final(platform: Platform, run_id: str | None) -> Run:
    """Return a final with published results, by default the latest one."""
    run = latest_final(platform) if run_id is None else reading.schedule(platform, run_id).run
    if run is None or run.mode is not Mode.FINAL or run.published_at is None:
        raise ResultsNotPublishedError
    return run


def latest_final(platform: Platform, now: Millis | None = None) -> Run | None:
    """Return the latest final with published results; None where there is none."""
    finals = (reading.schedule(platform, name, now).run for name in platform.runs.of_mode(Mode.FINAL, LATEST))
    return next((final for final in finals if final.published_at is not None and not final.trial), None)


def refuse_unknown_scope(platform: Platform, run: Run, scope: str) -> None:
    """Refuse an unknown part of a final's board: neither a language nor one of its nominations."""
    if scope not in (scopes := scopes_of(platform, run)):
        raise UnknownBoardError.of([part for part in scopes if not part.startswith(leaderboard.BOARD)])


def scopes_of(platform: Platform, run: Run) -> list[str]:
    """List the parts of a final's board: all files, every language of the cycle, every nomination of its parameters."""
    nominations = reading.parameters(platform, run.parameters_version).nominations
    cycle = reading.recent_cycle(platform)
    nominated = (leaderboard.nomination_board(nomination.name) for nomination in nominations)
    return [ALL_LANGUAGES, *cycle.languages, *nominated, *other_boards(platform, run, cycle)]


def qualification_scopes(platform: Platform, cycle: Cycle | None = None) -> list[str]:
    """List the parts of the qualification's board: all files, the cycle's languages, the contest's other boards."""
    named = cycle or reading.recent_cycle(platform)
    key = ("other boards", named.track, named.parameters_version)
    others = cast(list[str], platform.memory.keep(key, lambda: other_boards(platform, cycle=named)))
    return [ALL_LANGUAGES, *sorted(named.languages), *others]


def claims_of(platform: Platform, cycle: str, team_id: str, name: str) -> list[Entry]:
    """Return the claims of a session or submission on the parts of the qualification's board."""
    return [
        claim
        for scope in qualification_scopes(platform)
        for claim in platform.scores.claims(cycle, scope, team_id)
        if claim.session_id == name
    ]


# Clause: TS T9
def other_boards(platform: Platform, run: Run | None = None, cycle: Cycle | None = None) -> list[str]:
    """List the contest's boards beside its main one, as parts of a board; ``cycle`` where the caller has read it.

    A board of two runs belongs to the run that continues one.
    """
    track = reading.track_of(platform, cycle or reading.recent_cycle(platform))
    continues = run is not None and run.continues is not None
    others = (board for board in track.boards()[1:] if continues or not board.joins_runs)
    return [f"{leaderboard.BOARD}{board.key}" for board in others]


# Clause: TS T9
def rules_of_boards(platform: Platform) -> tuple[BoardRules, ...]:
    """List the contest's boards, its main one first."""
    return reading.track_of(platform, reading.recent_cycle(platform)).boards()


# Clause: TS T9
def board_named(platform: Platform, wish: BoardWish) -> Board:
    """Return one of the contest's boards.

    :class:`UnknownBoardError` where it has none of this key, or no such part of it.
    """
    part = wish.language if wish.nomination is None else leaderboard.nomination_board(wish.nomination)
    scope = scope_of(platform, wish.key, part)
    if wish.is_final:
        return final_board(platform, wish.run_id, scope)
    if scope not in qualification_scopes(platform):
        raise UnknownBoardError
    return qualification_board(platform, scope)


# Clause: TS T9
def scope_of(platform: Platform, key: str | None, part: str) -> str:
    """Return the scope of a board's part; only the contest's main board, the default, has parts."""
    main, *others = rules_of_boards(platform)
    if key is None or key == main.key:
        return part
    if key not in {board.key for board in others} or part != ALL_LANGUAGES:
        raise UnknownBoardError
    return f"{leaderboard.BOARD}{key}"


# Clause: platform §4 boards
def live_part(platform: Platform, run: Run | None, scope: str) -> Board:
    """Return a part of a board as it is now, whatever its public state: for organizers and commission."""
    cycle = reading.recent_cycle(platform)
    entries = live_entries(platform, cycle, run, scope)
    visibility, _ = _public_state(platform, cycle, run)
    return replace(_shown(platform, cycle, run, scope, entries), visibility=visibility)


def live_entries(platform: Platform, cycle: Cycle, run: Run | None, scope: str) -> list[Entry]:
    """Return entries of a part of a board as they are now: the qualification's where no run is named."""
    if run is None:
        return list(platform.scores.entries(cycle.name, scope))
    return [entry for entry in _entries_of(_stored_entries(platform, run)) if entry.language == scope]


def _public_board(platform: Platform, cycle: Cycle, run: Run | None, scope: str) -> Board | None:
    """Return a part of a public board, the qualification's where no run is named; None while it is hidden."""
    visibility, frozen = _public_state(platform, cycle, run)
    if visibility is Visibility.HIDDEN:
        return None
    annulled = reading.annulments(platform, cycle.name)
    board = _shown(platform, cycle, run, scope, _seen(platform, cycle, run, frozen, scope), annulled, frozen)
    return replace(board, visibility=visibility, as_of=frozen.at if frozen else None)


def _public_state(platform: Platform, cycle: Cycle, run: Run | None) -> tuple[Visibility, BoardState | None]:
    """Return the public state of a board, and the organizers' decision by which it is frozen, if it is."""
    state = platform.boards.state(cycle.name, run.run_id if run else QUALIFICATION)
    visibility = public_state(run, state)
    return visibility, state if visibility is Visibility.FROZEN else None


def _seen(
    platform: Platform, cycle: Cycle, run: Run | None, frozen: BoardState | None, scope: str, key: str = "entries"
) -> list[Entry]:
    """Return the public entries: those that a freeze stored under this key, or the live ones."""
    stored = {} if frozen is None else json.loads(platform.blobs.get(frozen.frozen))
    if key not in stored:  # not frozen, or by a version of the platform that stored no other run's entries
        return live_entries(platform, cycle, run, scope)
    return [Entry(**fields) for fields in stored[key] if fields["language"] == scope]


def has_results(run: Run) -> bool:
    """Return whether a run may have a board: a final that was not stopped (R 7.16)."""
    return run.mode is Mode.FINAL and Schedule.of(run).stop is None


def entry_name(run: Run, session_id: str) -> str:
    """Name of the object with a session's entry on a final's board, of the board's edition."""
    return f"{entries_name(run).removesuffix('.json')}/{session_id}.json"


# Clause: R 7.12, R 8.3.1
def made_of(facts: Facts, schedule: Schedule, track: Track) -> bytes:
    """Return the stored part of a closed and fully scored session for a final's board: entries, fates of files.

    A session without a place has no entries.
    """
    greatest = track.policies(schedule.run.mode.value).max_voided_share
    entries = [leaderboard.as_json(entry) for entry in leaderboard.final_entries(facts, schedule, track)]
    return canonical({"format": 3, "entries": entries, "fates": fates_of(facts, greatest)})


def stored_under(platform: Platform, name: str) -> list[Entry]:
    """Return the entries of a board of an earlier edition, by the name of its object, or of one session."""
    return _entries_of(platform.blobs.get(name))


def rows_of(platform: Platform, run: Run, scope: str, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Return the public places that entries of a final make on a part of its board."""
    of_scope = [entry for entry in entries if entry.language == scope]
    return _shown(platform, reading.recent_cycle(platform), run, scope, of_scope).rows


def _entries_of(stored: bytes) -> list[Entry]:
    return [Entry(**fields) for fields in json.loads(stored)["entries"]]


def is_made(platform: Platform, run: Run) -> bool:
    """Return whether the entries of a final's board are stored, under its latest decision and markups."""
    name = entries_name(run)
    return name in platform.blobs.names(name)


def make(platform: Platform, run: Run) -> None:
    """Store the entries of a final's board, unless they are there."""
    platform.blobs.put_if_absent(entries_name(run), assemble_entries(platform, run))


def entries_of(platform: Platform, run: Run) -> tuple[Entry, ...]:
    """Return the entries of a final's whole board under the latest decision and annotations."""
    stored = _entries_of(platform.blobs.get(entries_name(run)))
    return tuple(entry for entry in stored if entry.language == ALL_LANGUAGES)


def assemble_entries(platform: Platform, run: Run) -> bytes:
    """Return the entries of a final's board from the entries of its sessions, by team."""
    stored = [
        platform.blobs.get(entry_name(run, session_id)) for _, session_id in platform.runs.sessions_of(run.run_id)
    ]
    return entries_json(
        [entry for content in stored for entry in _entries_of(content)], reading.track_of(platform, run)
    )


def entries_name(run: Run) -> str:
    """Name of the object with a final's entries; every decision about the run, and other markups, call for others."""
    return f"{stored_names.REPORTS}final/{run.run_id}/{reports.results_edition(run)}.json"


def entries_json(entries: Sequence[Entry], track: Track) -> bytes:
    """Return entries as they are stored, with the places that they make on each part of the board."""
    places = {}
    for scope in sorted({entry.language for entry in entries}):
        rows = leaderboard.board([entry for entry in entries if entry.language == scope], track)
        places[scope] = {row.entry.team_id: row.place for row in rows}
    return canonical({"format": 3, "entries": [leaderboard.as_json(entry) for entry in entries], "places": places})


def final_rows(platform: Platform, run: Run, scope: str) -> tuple[Row, ...]:
    """Return the published places of a final on a part of its board, by the present annulments."""
    cycle = reading.recent_cycle(platform)
    _, frozen = _public_state(platform, cycle, run)
    return _shown(platform, cycle, run, scope, _seen(platform, cycle, run, frozen, scope), None, frozen).rows


def _stored_entries(platform: Platform, run: Run) -> bytes:
    """Return the latest entries that workers have made: the published ones at least."""
    for number in sorted({0, *(amendment.number for amendment in run.amendments)}, reverse=True):
        name = f"{stored_names.REPORTS}final/{run.run_id}/{number}{reports.markups_edition(run)}.json"
        with suppress(MissingBlobError):
            # An object is written once under its name, and every part of a board is read from it.
            return cast(bytes, platform.memory.keep(("entries", name), partial(platform.blobs.get, name), len))
    raise ResultsNotPublishedError


def _counting(
    platform: Platform,
    cycle: Cycle,
    run: Run | None,
    scope: str,
    all_entries: Sequence[Entry],
    annulled: Sequence[Annulment] | None,
    frozen: BoardState | None,
) -> Sequence[Entry]:
    """Return the entries of a part of a board that are not annulled, by default at present.

    On a board of two runs they count the same teams' entries of the run that this one continues, too.
    """
    entries = following.counting_entries(platform, cycle.name, run, all_entries, annulled)
    if run is None or not leaderboard.rules_of(scope, reading.track_of(platform, cycle)).joins_runs:
        return entries
    return _joined(platform, cycle, run, scope, entries, frozen)


class Ranked(NamedTuple):
    """The places of a part of a board."""

    rows: tuple[Row, ...]
    placed: Sequence[Entry]
    """Entries of teams that may have a place: no baseline's."""
    names: dict[str, str]


def exactly_ranked(cycle: Cycle, track: Track, entries: Sequence[Entry], teams: Mapping[str, Team]) -> Ranked:
    """Return the places by the entries of teams that take part, with exact values."""
    own = {entry.team_id: teams[entry.team_id] for entry in entries if entry.team_id in teams}
    names = {team_id: team.name for team_id, team in own.items() if team.takes_part(is_selected=cycle.selects)}
    shown_entries = [entry for entry in entries if entry.team_id in names]
    baselines = {team_id for team_id in names if teams[team_id].baseline}
    rows = leaderboard.board(shown_entries, track, baselines)
    return Ranked(rows, [entry for entry in shown_entries if entry.team_id not in baselines], names)


def _ranked(cycle: Cycle, run: Run | None, track: Track, entries: Sequence[Entry], teams: Mapping[str, Team]) -> Ranked:
    """Return the places as the public reads them: on the qualification's board as the contest tells hidden totals."""
    ranked = exactly_ranked(cycle, track, entries, teams)
    return ranked if run is not None else ranked._replace(rows=leaderboard.as_told(ranked.rows, track))


def _shown(
    platform: Platform,
    cycle: Cycle,
    run: Run | None,
    scope: str,
    all_entries: Sequence[Entry],
    annulled: Sequence[Annulment] | None = None,
    frozen: BoardState | None = None,
) -> Board:
    """Return a board of the entries of approved teams that are not annulled, by default at present."""
    track = reading.track_of(platform, cycle)
    entries = _counting(platform, cycle, run, scope, all_entries, annulled, frozen)
    teams = platform.people.teams({entry.team_id for entry in entries})
    rows, placed, names = _ranked(cycle, run, track, entries, teams)
    tables = {
        row.entry.team_id: tuple(
            section for section in track.report_sections(row.entry.result, ()) if section.key != file_tables.FILES
        )
        for row in rows
    }
    compared: tuple[Section, ...] = ()
    if isinstance(track, ComparesTeams):
        compared = _compared(platform, track, run or cycle, scope, leaderboard.best_by_team(placed, track), names)
    present = leaderboard.present_lists(cycle)
    rules = {number: reading.parameters(platform, number) for number in {row.entry.parameters_version for row in rows}}
    several = leaderboard.rules_of_rows(rows, present, rules)
    fields = (cycle.name, cycle.track, scope, leaderboard.rules_of(scope, track), rows, names, tables, compared)
    stage = stage_named(cycle.stages, StageName.QUALIFICATION if run is None else StageName.FINAL)
    has_stage = run is None or (run.cycle == cycle.name and not run.trial)
    return Board(*fields, present=present, several=several, stage=stage if has_stage else None)


# Clause: TS T9, TS D-11, D 9.12
def _joined(
    platform: Platform, cycle: Cycle, run: Run, scope: str, entries: Sequence[Entry], frozen: BoardState | None
) -> list[Entry]:
    """Return entries of a run that count the same teams' entries of the run that it continues, too: on a board that was
    frozen after the publication of both, the entries of that moment."""
    track = reading.track_of(platform, run)
    if run.continues is None or not isinstance(track, JoinsRuns):
        return list(entries)
    before = reading.schedule(platform, run.continues).run
    visibility = public_state(before, frozen)
    if run.published_at is not None and visibility is Visibility.HIDDEN:
        raise ResultsNotPublishedError
    since = frozen if visibility is Visibility.FROZEN else None
    continued = _seen(platform, cycle, before, since, scope, "continued")
    earlier = {entry.team_id: entry for entry in following.counting_entries(platform, run.cycle, before, continued)}
    parameters = reading.parameters(platform, run.parameters_version).track

    def joined(own: Entry) -> Entry:
        first = earlier.get(own.team_id)
        if first is None:
            return own
        result = track.joined([first.result, own.result], parameters)
        return replace(own, result=result, answered=first.answered + own.answered, whole=first.whole + own.whole)

    return [joined(entry) for entry in entries]


# Clause: TS D-6, TS D-9
def _compared(
    platform: Platform,
    track: ComparesTeams,
    ruled: Cycle | Run,
    scope: str,
    best: Mapping[str, Entry],
    names: Mapping[str, str],
) -> tuple[Section, ...]:
    """Return the contest's tables over all teams of a board, by the teams' names."""
    standings = [Standing(names[team_id], entry.result) for team_id, entry in sorted(best.items())]
    parameters = reading.parameters(platform, ruled.parameters_version).track
    tables = track.comparison(standings, parameters, leaderboard.board_of(scope))
    if isinstance(ruled, Run) and isinstance(track, Replayed):  # reviewers' ratings, once the replay is closed
        replay = platform.replays.of_run(ruled.cycle, ruled.run_id)
        if replay is not None and replay.results is not None:
            ratings = {names[team]: result for team, result in replay.results.items() if team in names}
            return (*tables, track.judgements(ratings))
    return tables


_AT_ONCE: Final = 16
"""Notes or answers read together: a note of a program over thousands of requests has a megabyte."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Reasons why totals over a hidden set are withheld, or their breakdowns left out; None where they are shown."""

    withheld: Reason | None = None
    left_out: Reason | None = None


EVERYTHING: Final = Telling()


# Clause: TS T10
def of_session(platform: Platform, session: Session, session_facts: Known, *, decides: bool) -> Telling:
    """Return which totals of a closed session are shown; ``decides``: store that before they are shown.
    A run is played once, so nothing is compared with it."""
    track = reading.track_of(platform, session)
    if session.run_id is not None or not set_access.tells_totals(track, session.set_kind):
        return EVERYTHING

    answers = partial(_of_session, platform, session, session_facts)
    return _told(platform, session, session.manifest, answers, decides=decides)


# Clause: TS T10
def of_submission(platform: Platform, submission: Submission, answers: Callable[[], Answers]) -> Telling:
    """Return which totals of a submission are shown, and store that before they are."""
    state = f"{submission.order.manifest} {submission.run}"
    return _told(platform, submission, state, answers, decides=True)


def _of_session(platform: Platform, session: Session, session_facts: Known) -> Answers:
    """Return a session's answers as totals count them, with the missed files.

    O(files), read together: one after the other a thousand would take longer than a request may.
    """
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version).track
    plan = reading.plan(platform, session)
    sent = {file.number: file.answer.content_sha256 for file in session_facts.deliveries if file.answer is not None}
    stored = {number: stored_names.answer_name(session.session_id, number, sent[number]) for number in sent}
    items = {row.number: reading.item_of(platform, session, plan[row.number - 1]) for row in items_of(plan)}
    item_names = {
        number: stored_names.blob_names(session.cycle, "items", item.content) for number, item in items.items()
    }
    bodies = _read(platform, sorted({*stored.values(), *item_names.values()}))
    by_number = {number: json.loads(bodies[name]) for number, name in stored.items()}

    def requests() -> Iterator[tuple[str, str, Mapping[str, set_access.Request]]]:
        for number, item in items.items():
            content = json.loads(bodies[item_names[number]])
            requests_of_item = set_access.request_digests(track, content, by_number.get(number), item.references, rules)
            yield item.item_id, item.language, requests_of_item

    return set_access.answers_of(requests(), len(by_number))


def _told(
    platform: Platform, answered: Session | Submission, state: str, answers: Callable[[], Answers], *, decides: bool
) -> Telling:
    """Compare answers with all earlier shown ones of the set, and note them under the next free number.

    A request whose number was taken meanwhile looks again.
    """
    least = reading.parameters(platform, answered.parameters_version).least_hidden_items
    folder = stored_names.hidden_answers_folder(answered.cycle, answered.order.set_name, answered.team_id)
    own = answered.session_id if isinstance(answered, Session) else answered.submission_id
    notes, compared = dict[str, tuple[Earlier, str]](), None
    while True:
        names = [name for name in sorted(platform.blobs.names(folder)) if name not in notes]
        notes |= {name: set_access.read_note(body) for name, body in _read(platform, names).items()}
        for earlier, under in notes.values():
            if (earlier.name, under) == (own, state):
                return EVERYTHING if earlier.breakdowns else Telling(left_out=set_access.left_out(least))
        compared = answers() if compared is None else compared
        before = [earlier for earlier, _ in notes.values()]
        if (reason := set_access.reason_to_withhold(compared, before, least)) is not None:
            return Telling(reason)
        bare = set_access.without_breakdowns(compared, before, least)
        if not decides:
            return Telling(left_out=set_access.left_out(least)) if bare else EVERYTHING
        note = set_access.note_json(own, state, compared, breakdowns=not bare)
        number = 1 + max(map(stored_names.number_of_hidden_answers, notes), default=0)
        platform.blobs.put_if_absent(stored_names.hidden_answers_name(folder, number), canonical(note))


def _read(platform: Platform, names: list[str]) -> dict[str, bytes]:
    contents = dict[str, Any]()
    for first in range(0, len(names), _AT_ONCE):
        contents |= platform.blobs.get_all(names[first : first + _AT_ONCE])
    return contents
