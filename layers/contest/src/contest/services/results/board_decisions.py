"""Boards are published, frozen as of a moment, and withdrawn; what everybody sees of them is kept as a history."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

from contest import stored_names
from contest.domain.cycle.cycle import Mode
from contest.domain.people.teams import Change
from contest.domain.results.board_state import (
    MOST_POINTS,
    QUALIFICATION,
    BoardState,
    Point,
    Visibility,
    decided,
    point,
    superfluous,
    visible,
)
from contest.domain.run.run import Run
from contest.errors import NoCycleError, ResultsNotPublishedError
from contest.errors.conduct import BoardHiddenError, UnknownBoardError
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, publishing


def decide(platform: Platform, who: str, board: str, wanted: Visibility, reason: str) -> Visibility:
    """Publish a board, freeze it, or withdraw it: the qualification's, or a final's by the name of its run.

    A final's results go with its board: hidden, its teams' reports tell none either.

    Clause: platform §4 boards, R 8.3.5
    """
    if board == QUALIFICATION:
        return _set(platform, who, board, wanted, reason)
    run = _final(platform, board)
    if wanted is Visibility.HIDDEN:
        publishing.hide(platform, who, board, reason)
        return wanted
    if run.published_at is None:
        if wanted is Visibility.FROZEN:
            raise RefusedError("not_published", "the results are not published", "результаты не опубликованы")
        publishing.publish(platform, who, board, reason)
        return wanted
    return _set(platform, who, board, wanted, reason)


def preview(platform: Platform, board: str, scope: str) -> boards.Board:
    """A part of a board as it is now, for organizers and commission, whatever everybody sees of it.

    :class:`ResultsNotPublishedError` for a final whose board is not made yet.

    Clause: platform §4 boards
    """
    if board == QUALIFICATION:
        _refuse_unknown_part(platform, scope)
        return boards.live(platform, None, scope)
    run = _final(platform, board)
    boards.refuse_unknown_scope(platform, run, scope)
    return boards.live(platform, run, scope)


def qualification_history(platform: Platform, scope: str, limit: int) -> list[Point]:
    """How the places of the qualification board went, as far as everybody has seen it, the latest first."""
    _refuse_unknown_part(platform, scope)
    cycle = reading.recent_cycle(platform)
    if visible(None, platform.boards.state(cycle.name, QUALIFICATION)) is Visibility.HIDDEN:
        raise BoardHiddenError
    return list(reversed(platform.boards.points(cycle.name, QUALIFICATION, scope)))[:limit]


def _refuse_unknown_part(platform: Platform, scope: str) -> None:
    """Refuse what is neither a language of the cycle nor another board of the contest."""
    if scope not in boards.other_boards(platform):
        boards.refuse_unknown_language(reading.recent_cycle(platform), scope)


def final_history(platform: Platform, run_id: str | None, scope: str, limit: int) -> list[Point]:
    """The same of a final whose results are out."""
    run = boards.published_final(platform, run_id)
    boards.refuse_unknown_scope(platform, run, scope)
    return list(reversed(platform.boards.points(run.cycle, run.run_id, scope)))[:limit]


def note(platform: Platform, board: str) -> int:
    """Note the places that everybody sees of a board now where they are others than before; how many parts of it
    changed. For the timer: a frozen board stays as it is, a hidden one is not looked at.

    Clause: platform §4 boards
    """
    noted = 0
    with suppress(BoardHiddenError, ResultsNotPublishedError):
        if board == QUALIFICATION:
            for scope in boards.qualification_scopes(platform):
                noted += _noted(platform, board, boards.qualification_board(platform, scope))
        else:
            for scope in boards.scopes_of(platform, reading.run_now(platform, board)):
                noted += _noted(platform, board, boards.final_board(platform, board, scope))
    return noted


def note_all(platform: Platform) -> int:
    """Note the places of the boards that may change; how many parts of them changed. For the timer."""
    return sum(note(platform, board) for board in _in_use(platform))


def _in_use(platform: Platform) -> list[str]:
    """The boards whose places may change: the qualification's, and the latest published final's."""
    try:
        reading.recent_written_cycle(platform)
    except NoCycleError:
        return []
    with suppress(ResultsNotPublishedError):
        return [QUALIFICATION, boards.published_final(platform, None).run_id]
    return [QUALIFICATION]


def _noted(platform: Platform, board: str, shown: boards.Board) -> int:
    known = platform.boards.points(shown.cycle, board, shown.scope)
    before, after = (known[-1] if known else None), point(shown.rows, platform.clock.now())
    if after.places == (before.places if before else ()):
        return 0
    dropped = superfluous([*(each.at for each in known), after.at], MOST_POINTS)
    try:
        platform.boards.add_point(shown.cycle, board, shown.scope, before, after, dropped)
    except LostRaceError:
        return 0  # another timer has noted it
    return 1


def _final(platform: Platform, board: str) -> Run:
    run = reading.run_now(platform, board)
    if run.mode is not Mode.FINAL:
        raise UnknownBoardError
    return run


def _set(platform: Platform, who: str, board: str, wanted: Visibility, reason: str) -> Visibility:
    cycle = reading.cycle_now(platform).name

    def read() -> BoardState | None:
        return platform.boards.state(cycle, board)

    def written(before: BoardState | None) -> Visibility:
        run = None if board == QUALIFICATION else _final(platform, board)
        now = platform.clock.now()
        seen = visible(run, before)
        frozen = _frozen(platform, run, board) if wanted is Visibility.FROZEN and seen is not wanted else ""
        after = decided(before, seen, board, wanted, reason, now, frozen)
        change = Change(now, who, f"board {wanted.value}", board, {"visibility": seen.value}, asdict(after))
        platform.boards.decide(cycle, before, after, change)
        return wanted

    return decide_until_written(read(), written, read)


def _frozen(platform: Platform, run: Run | None, board: str) -> str:
    """The name of the entries that are stored of a board now, of all its parts."""
    parts = boards.scopes_of(platform, run) if run else boards.qualification_scopes(platform)
    entries = [each for part in parts for each in boards.live_entries(platform, run, part)]
    name = f"{stored_names.BOARDS}{board}/{platform.clock.now()}-{platform.randomness.token_id()}.json"
    platform.blobs.put_if_absent(
        name, boards.entries_json(entries, platform.tracks(reading.recent_cycle(platform).track))
    )
    return name
