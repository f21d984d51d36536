"""Teams as the organizers enter and judge them (platform §2, §7; R 3, 11.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from contest.domain.people.names import LONGEST_NAME, NAME, code_point, spelled, unfit_character
from contest.domain.people.teams import TEAM_ID, WAYS, Change, Team, TeamStatus
from contest.errors.people import (
    InvalidNameError,
    InvalidTeamError,
    KnownTeamError,
    NameTakenError,
    NoSuchDecisionError,
    UnknownTeamError,
)
from contest.ports import LostRaceError
from contest.services.platform import Platform
from contest.services.races import decide_until_written


def add_team(platform: Platform, who: str, team_id: str, name: str) -> Team:
    """Admit a team without an application.

    Clause: platform §7 teams, platform §1 organizer
    """
    refuse_wrong_names(team_id, name)
    team = Team(team_id, spelled(name), TeamStatus.APPROVED, platform.clock.now())
    if platform.people.team(team_id) is None:
        refuse_taken_name(platform, team)
    return enter(platform, who, team)


def enter(platform: Platform, who: str, team: Team) -> Team:
    """Write a new team whose names were looked at; only a team that came in the meantime is still in its way."""
    try:
        platform.people.add_team(team, Change(team.created_at, who, "team added", team.team_id, None, asdict(team)))
    except LostRaceError:
        raise (KnownTeamError if platform.people.team(team.team_id) else NameTakenError) from None
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
        refuse_name_taken_since(platform, before, after)
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
    unfit = unfit_character(name)
    if unfit is not None:
        raise InvalidTeamError.of_character(unfit[0], code_point(unfit[1]))


def refuse_wrong_person(name: str) -> None:
    """Refuse a person's name with a character that no name may have."""
    unfit = unfit_character(name)
    if unfit is not None:
        raise InvalidNameError.of_character(unfit[0], code_point(unfit[1]))


def refuse_taken_name(platform: Platform, team: Team) -> None:
    """Refuse a name that reads like another team's.

    Names are reserved as teams are written; teams of an earlier version have reserved none, so all are looked at, too.
    """
    reserved = team.reserved
    others = (other for other in platform.people.all_teams() if other.team_id != team.team_id)
    if any(reserved & other.reserved for other in others):
        raise NameTakenError


def refuse_name_taken_since(platform: Platform, before: Team, after: Team) -> None:
    """Refuse a change by which a team would take a name that another one has: a new one, or after a rejection."""
    if after.reserved - before.reserved:
        refuse_taken_name(platform, after)
