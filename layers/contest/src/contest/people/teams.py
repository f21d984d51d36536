"""Teams and staff, as organizers enter them, and tokens of teams' programs (platform §1, §2, §7; R 3, 11.7)."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading
from contest.errors import InvalidRequestError, NotSelectedError
from contest.people import errors
from contest.people.rules import (
    EMAIL,
    LONGEST_EMAIL,
    LONGEST_LINE,
    LONGEST_NAME,
    NAME,
    TEAM_ID,
    WAYS,
    Application,
    Change,
    Decision,
    Person,
    Pool,
    Role,
    Team,
    TeamStatus,
    Token,
    TokenView,
    code_point,
    reading_keys,
    stored_spelling,
    token_hash,
    unfit_character,
)
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.texts import tr
from contest.values import LONGEST_REASON, Millis, as_entered, from_iso, harmless, iso
from markup_core.lazy import dataclass
from tracks.protocol import Text


# Clause: platform §7 teams, platform §1 organizer
def add_team(platform: Platform, who: str, team_id: str, name: str) -> Team:
    """Admit a team without an application."""
    refuse_wrong_names(team_id, name)
    team = Team(team_id, stored_spelling(name), TeamStatus.APPROVED, platform.clock.now())
    if platform.people.team(team_id) is None:
        refuse_taken_name(platform, team)
    return enter_team(platform, who, team)


def enter_team(platform: Platform, who: str, team: Team) -> Team:
    """Write a new team whose names were checked; only a team that came in the meantime can still conflict."""
    try:
        platform.people.add_team(team, Change(team.created_at, who, "team added", team.team_id, None, asdict(team)))
    except LostRaceError:
        raise (errors.KnownTeamError if platform.people.team(team.team_id) else errors.NameTakenError) from None
    return team


# Clause: R 3.2, R 4.1, R 11.7, platform §2 team life, D 12.2, D 12.12
def decide_on_team(platform: Platform, who: str, team_id: str, decision: Decision) -> Team:
    """Decide about a team: its status, whether it passes the selection, or whether it is a baseline.

    Each can be decided anew. An active session of a team that loses its approval goes on in the books and its program
    is refused within a minute.
    """
    if decision.subjects != 1:
        message = tr("a decision names one of status, passed and baseline")
        raise InvalidRequestError.with_detail("one_decision", message, field="body")
    until = decision.banned_until
    if until is not None and (decision.status is not TeamStatus.DISQUALIFIED or until <= platform.clock.now()):
        message = tr("a disqualification alone has an end, and it is to come")
        raise InvalidRequestError.with_detail("ban_end", message, field="body.banned_until")

    def decided(before: Team) -> Team:
        now = platform.clock.now()
        if decision.status is not None and decision.status not in WAYS[before.status]:
            allowed = sorted(target.value for target in WAYS[before.status])
            raise errors.NoSuchDecisionError.between(before.status.value, decision.status.value, allowed)
        after = before.decided(decision, now)
        refuse_name_taken_since(platform, before, after)
        entry = {**asdict(after), "decision": decision.reason}
        platform.people.set_team(before, after, Change(now, who, decision.words, team_id, asdict(before), entry))
        return after

    return read_and_decide(lambda: team_of(platform, team_id), decided)


# Clause: R 4.1, R 6.2, R 7.2
def refuse_unselected(platform: Platform, team_id: str) -> None:
    """Refuse a team that has not passed the selection, where the cycle selects teams by decision."""
    if reading.recent_cycle(platform).selects and not team_of(platform, team_id).has_passed:
        raise NotSelectedError


def team_of(platform: Platform, team_id: str) -> Team:
    """Return a team; :class:`UnknownTeamError` without one."""
    team = platform.people.team(team_id)
    if team is None:
        raise errors.UnknownTeamError
    return team


def list_teams(platform: Platform, status: TeamStatus | None = None) -> Sequence[Team]:
    """List all teams, or those of a status, by id."""
    return [team for team in platform.people.all_teams() if status in {None, team.status}]


def refuse_wrong_names(team_id: str, name: str) -> None:
    """Refuse an id or a name that no team can have."""
    if not TEAM_ID.fullmatch(team_id):
        raise errors.InvalidTeamError.of_id(team_id)
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        raise errors.InvalidTeamError.of_name(LONGEST_NAME)
    unfit = unfit_character(name)
    if unfit is not None:
        raise errors.InvalidTeamError.of_character(unfit[0], code_point(unfit[1]))


def refuse_wrong_person(name: str) -> None:
    """Refuse a person's name with a character that no name may have."""
    unfit = unfit_character(name)
    if unfit is not None:
        raise errors.InvalidNameError.of_character(unfit[0], code_point(unfit[1]))


def refuse_taken_name(platform: Platform, team: Team) -> None:
    """Refuse a name that reads like another team's.

    Names are reserved as teams are written; teams of an earlier version have reserved none, so all are looked at, too.
    """
    reserved = team.reserved
    others = (other for other in platform.people.all_teams() if other.team_id != team.team_id)
    if any(reserved & other.reserved for other in others):
        raise errors.NameTakenError


def refuse_name_taken_since(platform: Platform, before: Team, after: Team) -> None:
    """Refuse a change to a name that another team has: a new one, or after a rejection."""
    if after.reserved - before.reserved:
        refuse_taken_name(platform, after)


@dataclass(frozen=True, slots=True)
class NotCarried:
    """A team of an earlier cycle that this one does not get, with the reason."""

    team_id: str
    code: str
    reason: Text


COLUMNS: Final = (
    "team_id",
    "name",
    "status",
    "organization",
    "contact",
    "created_at",
    "reason",
    "banned_until",
    "agrees",
)
NEEDED: Final = ("team_id", "name")
_YES: Final = "yes"
MOST: Final = 1000
"""Teams of one table."""
_LONGEST: Final = {"organization": LONGEST_LINE, "contact": LONGEST_EMAIL, "reason": LONGEST_REASON}
"""Code points of the columns that are carried beside id and name, as where people enter them."""


# Clause: platform §7 teams
def export_teams(platform: Platform) -> str:
    """Write all teams as CSV by id, in UTF-8 with a first line of names. A cell that a program would run has a ``'``
    before."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for team in list_teams(platform):
        application = team.application
        about = (application.organization, application.contact) if application else ("", "")
        ban = "" if team.banned_until is None else iso(team.banned_until)
        agrees = _YES if team.agrees else "no"
        decided = (iso(team.created_at), team.reason, ban, agrees)
        cells = (team.team_id, team.name, team.status.value, *about, *decided)
        rows.writerow(harmless(str(cell)) for cell in cells)
    return out.getvalue()


# Clause: platform §7 teams
def import_teams(platform: Platform, who: str, content: bytes) -> list[str]:
    """Enter the teams of a table and return their ids. Nothing is entered where anything is wrong; every fault is
    named.

    ``team_id`` and ``name`` are taken, other columns of :data:`COLUMNS` are allowed and not. The rows are entered one
    by one after all were found right: where somebody else enters one of them in the same moment, those before it stay,
    and the refusal names them.
    """
    rows = [(line, row["team_id"], row["name"]) for line, row in _rows(content)]
    faults = [*_faults(platform, rows)]
    if faults:
        raise InvalidRequestError(faults)
    added: list[str] = []
    for _, team_id, name in rows:
        try:
            enter_team(platform, who, Team(team_id, stored_spelling(name), TeamStatus.APPROVED, platform.clock.now()))
        except (errors.KnownTeamError, errors.NameTakenError) as error:
            raise errors.PartlyAddedError.after(team_id, added) from error
        added.append(team_id)
    return added


def of_table(
    platform: Platform, who: str, content: bytes, *, earlier: bool
) -> tuple[Sequence[str], Sequence[NotCarried]]:
    """Enter the teams of a table, or carry them from an earlier cycle's."""
    return carry_over(platform, who, content) if earlier else (import_teams(platform, who, content), ())


# Clause: R 11.7, D 12.12
def carry_over(platform: Platform, who: str, content: bytes) -> tuple[list[str], list[NotCarried]]:
    """Enter the bans and teams of an earlier cycle from its table; return those entered, and the others with reasons.

    A ban keeps its end and its reason, and the name stays reserved. A team whose captain agreed stands here as an
    application, which the organizers decide anew; its people come by an invitation. Tokens and people are in no table.
    A team that this cycle knows is left as it is, so the same table may be carried again. O(teams + rows).
    """
    carried, refused = list[str](), list[NotCarried]()
    now = platform.clock.now()
    everybody = platform.people.all_teams()
    team_ids = {team.team_id for team in everybody}
    reserved = {key for team in everybody for key in team.reserved}
    # Every row is read before the first is entered.
    for row, (team, why_not) in [(row, _carried(row, line, now)) for line, row in _rows(content)]:
        reason = why_not
        if team is not None:
            try:
                refuse_wrong_names(team.team_id, team.name)
                _refuse_known(team, team_ids, reserved)
                carried.append(enter_team(platform, who, team).team_id)
            except (errors.InvalidTeamError, errors.KnownTeamError, errors.NameTakenError) as error:
                reason = (error.code, error.message)
        if reason is not None:
            refused.append(NotCarried(row["team_id"], *reason))
    return carried, refused


def _refuse_known(team: Team, team_ids: Set[str], reserved: Set[str]) -> None:
    """Refuse a team whose id or whose name another team has."""
    if team.team_id in team_ids:
        raise errors.KnownTeamError
    if team.reserved & reserved:
        raise errors.NameTakenError


def _carried(row: Mapping[str, str], line: int, now: Millis) -> tuple[Team | None, tuple[str, Text] | None]:
    """Return the team that a row of an earlier cycle becomes, or why it becomes none."""
    try:
        status = TeamStatus(row["status"])
        banned_until = from_iso(row["banned_until"]) if row["banned_until"] else None
    except ValueError as error:
        raise errors.MalformedTableError.because(f"{line}: {error}") from None
    for column, most in _LONGEST.items():
        if len(row[column]) > most:
            raise errors.MalformedTableError.because(f"{line}: {column}: {len(row[column])} > {most}")
    name = stored_spelling(row["name"])
    if status is TeamStatus.DISQUALIFIED:
        if banned_until is not None and banned_until <= now:
            return None, ("ban_over", tr("its ban has ended"))
        return Team(row["team_id"], name, status, now, reason=row["reason"], banned_until=banned_until), None
    if status is not TeamStatus.APPROVED:
        return None, ("took_no_part", tr("it took no part when the cycle ended"))
    if row["agrees"] != _YES:
        return None, ("not_agreed", tr("its captain has not agreed"))
    application = Application(row["organization"], row["contact"], "", now)
    return Team(row["team_id"], name, TeamStatus.APPLIED, now, application=application), None


def _rows(content: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    """Return line and cells by name of every row; :class:`MalformedTableError` for any other form."""
    try:
        table = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        names = next(table, [])
        unknown = [name for name in names if name not in COLUMNS]
        if unknown or not set(NEEDED) <= set(names) or len(set(names)) != len(names):
            raise errors.MalformedTableError.of_columns(names, COLUMNS)
        for number, row in enumerate(table, 1):
            if number > MOST:
                raise errors.MalformedTableError.too_long(MOST)
            if len(row) > len(names):
                raise errors.MalformedTableError.too_wide(table.line_num, len(row), len(names))
            if row:
                cells = dict(zip(names, [*row, *[""] * len(names)], strict=False))
                yield table.line_num, {name: as_entered(cells.get(name, "")) for name in COLUMNS}
    except (UnicodeDecodeError, csv.Error) as error:
        raise errors.MalformedTableError.because(str(error)) from None


def _faults(platform: Platform, rows: list[tuple[int, str, str]]) -> Iterator[dict[str, Any]]:
    counts = Counter(team_id for _, team_id, _ in rows)
    everybody = platform.people.all_teams()
    team_ids = {team.team_id for team in everybody}
    holders = {key: team.team_id for team in everybody for key in team.reserved}
    for line, team_id, name in rows:
        try:
            refuse_wrong_names(team_id, name)
        except errors.InvalidTeamError as error:
            yield {**error.details[0], "line": line}
            continue
        if counts[team_id] > 1:
            message = tr("{team_id} stands in several lines", team_id=team_id)
            yield {"code": "repeated_team", **message.as_fields(), "line": line}
        if team_id in team_ids:
            message = tr("there is a team {team_id} already", team_id=team_id)
            yield {"code": "known_team", **message.as_fields(), "line": line}
            continue
        keys = reading_keys(name)
        other = next((holders[key] for key in keys if holders.get(key, team_id) != team_id), None)
        if other is not None:
            message = tr("the name reads like that of the team {other}", other=other)
            yield {"code": "name_taken", **message.as_fields(), "line": line}
        holders |= dict.fromkeys(keys, team_id)


def list_staff(platform: Platform) -> Sequence[Person]:
    """List all staff ever invited, dismissed ones too, by id."""
    return platform.persons.staff()


# Clause: platform §1 rights, platform §1 audit
def invite(platform: Platform, who: str, organizer: str, email: str, name: str, role: Role) -> Person:
    """Give a person an account and a role.

    ``organizer``: the person who decides; empty for somebody with the deployment's credentials, who enters the first.
    Account and role are two writes: a crash between them leaves an account without any right, and inviting again
    finds it.
    """
    if not EMAIL.fullmatch(email):
        raise errors.InvalidEmailError
    refuse_wrong_person(name)
    subject = platform.accounts.invite(email, name)
    now = platform.clock.now()
    person = Person(subject, Pool.STAFF, role, name, email, now)
    change = Change(now, who, "staff invited", subject, None, asdict(person))
    try:
        platform.persons.add_staff(person, organizer, change)
    except LostRaceError:
        raise errors.KnownPersonError from None
    return person


# Clause: platform §1 rights, platform §1 audit
def give_role(platform: Platform, who: str, organizer: str, person_id: str, role: Role, reason: str) -> Person:
    """Give a member of the staff another role; it holds within a minute."""
    return _decide(
        platform, who, organizer, person_id, f"role given: {reason}", lambda before: replace(before, role=role)
    )


# Clause: platform §1 rights, platform §1 audit
def dismiss(platform: Platform, who: str, organizer: str, person_id: str, reason: str) -> Person:
    """Take all rights from a member of the staff, within a minute, and close the account.

    The rights go first: an account that could not be closed opens nothing.
    """
    now = platform.clock.now()
    gone = _decide(
        platform,
        who,
        organizer,
        person_id,
        f"staff dismissed: {reason}",
        lambda before: replace(before, dismissed_at=now),
    )
    platform.accounts.close(gone.email)
    return gone


def reinstate(platform: Platform, who: str, organizer: str, person_id: str, reason: str) -> Person:
    """Give a dismissed member of the staff its role back."""
    platform.accounts.reopen(_staff_of(platform, person_id).email)
    back: Callable[[Person], Person] = lambda before: replace(before, dismissed_at=None)  # noqa: E731
    return _decide(platform, who, organizer, person_id, f"staff reinstated: {reason}", back)


def _decide(
    platform: Platform, who: str, organizer: str, person_id: str, what: str, decided: Callable[[Person], Person]
) -> Person:
    if person_id == organizer:
        raise errors.OwnRoleError

    def written(before: Person) -> Person:
        after = replace(decided(before), version=before.version + 1)
        change = Change(platform.clock.now(), who, what, person_id, asdict(before), asdict(after))
        platform.persons.set_staff(before, after, organizer, change)
        return after

    return read_and_decide(lambda: _staff_of(platform, person_id), written)


def _staff_of(platform: Platform, person_id: str) -> Person:
    person = platform.persons.person(person_id)
    if person is None or person.pool is not Pool.STAFF:
        raise errors.UnknownPersonError
    return person


# Clause: platform §1 tokens
def issue_token(
    platform: Platform, who: str, team_id: str, name: str = "", expires_at: Millis | None = None
) -> tuple[str, Token]:
    """Issue a token of a team's program: return the token itself, shown only now, and its stored form.

    A team that is not approved may have tokens, which nobody believes until it is.
    """
    team_of(platform, team_id)
    now = platform.clock.now()
    if expires_at is not None and expires_at <= now:
        raise errors.EndedAlreadyError
    secret, token_id = platform.randomness.token(), platform.randomness.token_id()
    token = Token(token_id, token_hash(secret), team_id, Role.PROGRAM, now, name=name, expires_at=expires_at)
    after = {"token_id": token.token_id, "role": token.role.value, "name": name, "expires_at": expires_at}
    platform.people.issue(token, Change(now, who, "token issued", team_id, None, after))
    return secret, token


# Clause: platform §1 last use
def tokens_of(platform: Platform, team_id: str) -> Sequence[TokenView]:
    """List a team's tokens as they are stored, revoked ones too, the oldest first."""
    team_of(platform, team_id)
    uses = platform.requests.uses(team_id)
    tokens = sorted(platform.people.tokens_of(team_id), key=lambda token: (token.created_at, token.token_id))
    return [TokenView(token, uses.get(token.token_id)) for token in tokens]


# Clause: platform §1 tokens
def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may trust it for another minute."""
    team_of(platform, team_id)
    now = platform.clock.now()
    token = next((token for token in platform.people.tokens_of(team_id) if token.token_id == token_id), None)
    if token is None:
        raise errors.UnknownTokenError
    states = {"token_id": token_id, "revoked_at": None}, {"token_id": token_id, "revoked_at": now}
    try:
        platform.people.revoke(token, now, Change(now, who, "token revoked", team_id, *states))
    except LostRaceError:
        raise errors.RevokedAlreadyError from None
