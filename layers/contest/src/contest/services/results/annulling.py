"""What organizers annul counts nowhere: boards and conclusions follow (D 6.10; platform §7)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

from contest.domain.cycle.cycle import Mode
from contest.domain.people.teams import Change
from contest.domain.results import leaderboard
from contest.domain.results.annulment import FOLLOWED, Annulled, Annulment
from contest.domain.results.board_state import QUALIFICATION
from contest.errors import NoCycleError, UnknownSessionError
from contest.errors.conduct import UnknownBoardError
from contest.errors.people import UnknownTeamError
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.services import grounds, reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, qualifying


def decide(
    platform: Platform, who: str, subject: tuple[Annulled, str, str], reason: str, *, annulled: bool
) -> Annulment:
    """Annul a subject, or take that back; what follows from it follows at once, and again by the timer.

    Clause: D 6.10, platform §7 annul, D 12.2, D 12.12
    """
    cycle = reading.cycle_now(platform).name
    _refuse_unknown(platform, subject)

    def read() -> Annulment | None:
        return next((each for each in platform.annulments.all(cycle) if each.key == subject), None)

    def decided(before: Annulment | None) -> Annulment:
        holds = before is not None and before.holds
        if holds is annulled:
            raise _is_so(annulled=annulled)
        now = platform.clock.now()
        after = Annulment(*subject, reason, now, annulled, before.version + 1 if before else 1)
        what = f"{subject[0].value} {'annulled' if annulled else 'restored'}"
        change = Change(now, who, what, subject[1], asdict(before) if before else None, asdict(after))
        platform.annulments.decide(cycle, before, after, change)
        return after

    made = decide_until_written(read(), decided, read)
    _follow(platform, made)
    return made


def annulments(platform: Platform) -> Sequence[Annulment]:
    """The last decision about everything that was ever annulled."""
    return platform.annulments.all(reading.cycle_now(platform).name)


def follow(platform: Platform) -> int:
    """Let boards and conclusions follow what was decided in the last minutes; how many decisions were looked at. For
    the timer: whoever decided may have crashed, and sessions may have ended meanwhile."""
    with suppress(NoCycleError):
        known = grounds.recent(platform, reading.recent_cycle(platform).name)
        followed = [each for each in known if each.at >= platform.clock.now() - FOLLOWED]
        for each in followed:
            _follow(platform, each)
        return len(followed)
    return 0


def _follow(platform: Platform, made: Annulment) -> None:
    if made.of is Annulled.RESULT:
        return  # it leaves its board when that is next looked at, and concerns nothing else
    cycle = reading.recent_cycle(platform)
    for team_id in _teams(platform, made):
        qualifying.follow_annulments(platform, cycle.name, team_id)
        for scope in boards.qualification_scopes(platform):
            with suppress(LostRaceError):  # the timer looks again
                _enter_best(platform, cycle.name, scope, team_id, cycle.track)


def _enter_best(platform: Platform, cycle: str, scope: str, team_id: str, track: str) -> None:
    """Write the best of a team's entries that nobody has annulled; where there is none, none is shown."""
    before = platform.scores.entry(cycle, scope, team_id)
    claims = grounds.counting(platform, cycle, None, platform.scores.claims(cycle, scope, team_id))
    if not claims:
        return
    best = leaderboard.best_of(claims, platform.tracks(track))
    if best != before:
        platform.scores.enter(cycle, before, best)


def _teams(platform: Platform, made: Annulment) -> list[str]:
    """Whom a decision may concern."""
    if made.of is Annulled.SET:
        return [each.team_id for each in platform.people.all_teams()]
    found = platform.sessions.get(made.subject) or platform.submissions.get(made.subject)
    return [found.team_id] if found else []


def _refuse_unknown(platform: Platform, subject: tuple[Annulled, str, str]) -> None:
    of, name, board = subject
    if of is Annulled.SET and reading.cycle_now(platform).set_named(name) is None:
        raise RefusedError("unknown_set", f"the cycle has no set {name}", f"в цикле нет выборки {name}")
    known = platform.sessions.get(name) or platform.submissions.get(name) if of is Annulled.SESSION else None
    if of is Annulled.SESSION and known is None:
        raise UnknownSessionError
    if of is not Annulled.RESULT:
        return
    if platform.people.team(name) is None:
        raise UnknownTeamError
    run = platform.runs.get(board) if board != QUALIFICATION else None
    if board != QUALIFICATION and (run is None or run.mode is not Mode.FINAL):
        raise UnknownBoardError


def _is_so(*, annulled: bool) -> RefusedError:
    if annulled:
        return RefusedError("annulled_already", "it is annulled already", "уже аннулировано")
    return RefusedError("not_annulled", "it is not annulled", "не аннулировано")
