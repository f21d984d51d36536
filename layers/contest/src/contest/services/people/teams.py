"""Teams as the organizers enter and judge them (platform §2, §7; R 3, 11.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from contest.domain.people.teams import LONGEST_NAME, NAME, TEAM_ID, WAYS, Change, Team, TeamStatus
from contest.errors.people import InvalidTeamError, KnownTeamError, NoSuchDecisionError, UnknownTeamError
from contest.ports import LostRaceError
from contest.services.platform import Platform
from contest.services.races import decide_until_written


def add_team(platform: Platform, who: str, team_id: str, name: str) -> Team:
    """Admit a team without an application.

    Clause: platform §7 teams, platform §1 organizer
    """
    refuse_wrong_names(team_id, name)
    now = platform.clock.now()
    team = Team(team_id, name.strip(), TeamStatus.APPROVED, now)
    try:
        platform.people.add_team(team, Change(now, who, "team added", team_id, None, asdict(team)))
    except LostRaceError:
        raise KnownTeamError from None
    return team


def decide(platform: Platform, who: str, team_id: str, status: TeamStatus, reason: str) -> Team:
    """Decide about a team: approve, reject, suspend, withdraw, disqualify it, or take that back.

    An active session of a team that loses its approval goes on in the books and its program is refused within a minute.

    Clause: R 3.2, R 11.7, platform §2 team life, D 12.2, D 12.12
    """

    def decided(before: Team) -> Team:
        if status not in WAYS[before.status]:
            allowed = sorted(each.value for each in WAYS[before.status])
            raise NoSuchDecisionError.between(before.status.value, status.value, allowed)
        after = replace(before, status=status, reason=reason, version=before.version + 1)
        change = Change(platform.clock.now(), who, f"team {status.value}", team_id, asdict(before), asdict(after))
        platform.people.set_team(before, after, change)
        return after

    return decide_until_written(team_of(platform, team_id), decided, lambda: team_of(platform, team_id))


def team_of(platform: Platform, team_id: str) -> Team:
    """A team; :class:`UnknownTeamError` without one."""
    found = platform.people.team(team_id)
    if found is None:
        raise UnknownTeamError
    return found


def teams(platform: Platform, status: TeamStatus | None = None) -> Sequence[Team]:
    """All teams, or those of a status, by id."""
    return [each for each in platform.people.all_teams() if status in {None, each.status}]


def refuse_wrong_names(team_id: str, name: str) -> None:
    """Refuse an id or a name that no team can have."""
    if not TEAM_ID.fullmatch(team_id):
        raise InvalidTeamError.of_id(team_id)
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        raise InvalidTeamError.of_name(LONGEST_NAME)
