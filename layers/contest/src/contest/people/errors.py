"""Errors of teams, people and invitations, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from contest.people.rules import MOST_MAILED
from contest.refusals import ContestError
from contest.texts import tr


class UnknownTeamError(ContestError, code="unknown_team", status=404):
    """No team has this id."""

    message = tr("There is no team with this id.")


class KnownTeamError(ContestError, code="known_team", status=409):
    """The id is taken."""

    message = tr("There is a team with this id already; choose another one.")


class NoTeamError(ContestError, code="no_team", status=409):
    """The person is a member of no team."""

    message = tr("You are not a member of a team: apply with one, or accept an invitation.")


class HasTeamError(ContestError, code="has_team", status=409):
    """The person is a member of a team already."""

    message = tr("You are a member of a team already; leave it first.")


class NotCaptainError(ContestError, code="not_captain", status=403):
    """The captain alone does this."""

    message = tr("Only the team's captain may do this.")


class CaptainStaysError(ContestError, code="captain_stays", status=409):
    """A captain leaves its team only after somebody else has become captain."""

    message = tr("A captain cannot leave the team: make another member captain first, or withdraw the team.")


class TeamInactiveError(ContestError, code="team_inactive", status=409):
    """The team is not approved (any more)."""

    message = tr("The team is not approved, so this cannot be done for it; the details name its status.")

    @classmethod
    def being(cls, status: str, reason: str) -> TeamInactiveError:
        """Return the error with the team's status and the reason for it."""
        detail = {"message": f"status {status}: {reason or 'no reason given'}"}
        said_ru = {"message_ru": f"статус {status}: {reason or 'причина не указана'}"}
        return cls([{"code": "status", **detail, **said_ru, "status": status, "reason": reason}])


class NoMailsError(ContestError, code="no_mails", status=409):
    """The deployment sends no mails."""

    message = tr("This contest sends no mails: invite without an address, and hand the code over yourself.")


class InvitationMailsExhaustedError(ContestError, code="invitation_mails_exhausted", status=429):
    """The team has had as many invitations mailed as it may on one day."""

    message = tr(
        "{most} invitations were mailed for the team today, which is the most: hand the code over yourself.",
        most=MOST_MAILED,
    )


class NoSuchDecisionError(ContestError, code="no_such_decision", status=409):
    """A team of this status cannot be given that one."""

    message = tr("A team of this status cannot be given that one; the details name what can be decided.")

    @classmethod
    def between(cls, before: str, after: str, allowed: list[str]) -> NoSuchDecisionError:
        """Return the error with the two statuses and the permitted ones."""
        detail: dict[str, Any] = {
            **tr(
                "{before} → {after}; allowed: {statuses}",
                before=before,
                after=after,
                statuses=", ".join(allowed) or tr("nothing"),
            ).as_fields(),
        }
        return cls([{"code": "decision", **detail, "before": before, "after": after, "allowed": allowed}])


class UnknownTokenError(ContestError, code="unknown_token", status=404):
    """The team has no such token."""

    message = tr("The team has no token with this id.")


class RevokedAlreadyError(ContestError, code="revoked_already", status=409):
    """The token or invitation is revoked, or was used, already."""

    message = tr("It is revoked already, or nobody can use it any more.")


class EndedAlreadyError(ContestError, code="ended_already", status=422):
    """A token would end before it begins."""

    message = tr("The end of the token's life is not in the future.")


class UnknownPersonError(ContestError, code="unknown_person", status=404):
    """No person has this id, or none in this place."""

    message = tr("There is nobody with this id here.")


class KnownPersonError(ContestError, code="known_person", status=409):
    """The account has a role already."""

    message = tr("This account has a role already; change that one.")


class NoExpertsAccountError(ContestError, code="no_experts_account", status=409):
    """A profile is written for a person who is no expert."""

    message = tr("Nobody with this id can sign in as an expert: invite them with that role first (POST /v1/staff).")


class OwnRoleError(ContestError, code="own_role", status=409):
    """A person decides about the own role; an organizer must always remain."""

    message = tr("Nobody changes their own role: ask another organizer.")


class UnknownInvitationError(ContestError, code="unknown_invitation", status=404):
    """No invitation has this code, or it can no longer be accepted; the two are not told apart."""

    message = tr(
        "There is no invitation with this code, or it can no longer be accepted: ask the captain for a new one."
    )


class InvalidTeamError(ContestError, code="invalid_team", status=422):
    """An id or a name that no team can have."""

    message = tr("A team's id or name is not of the documented form.")

    @classmethod
    def of_id(cls, team_id: str) -> InvalidTeamError:
        """Return the error for an id."""
        detail = {"message": f"a team's id is 1–40 of a–z, 0–9 and '-', not {team_id[:60]!r}"}
        said_ru = {"message_ru": f"идентификатор — от 1 до 40 знаков a–z, 0–9 и «-», а не {team_id[:60]!r}"}
        return cls([{"code": "invalid_team_id", **detail, **said_ru, "field": "team_id"}])

    @classmethod
    def of_name(cls, longest: int) -> InvalidTeamError:
        """Return the error for a name."""
        detail = {"message": f"a team's name is one line of 1–{longest} characters"}
        said_ru = {"message_ru": f"название команды — одна строка от 1 до {longest} знаков"}
        return cls([{"code": "invalid_team_name", **detail, **said_ru, "field": "name"}])

    @classmethod
    def of_character(cls, place: int, character: str) -> InvalidTeamError:
        """Return the error for a character that no name may have; ``character`` as ``U+200B ZERO WIDTH SPACE``."""
        return cls([_unfit_character("name", place, character)])


class InvalidNameError(ContestError, code="invalid_name", status=422):
    """A name that no person can have."""

    message = tr("This is not a name: it has a character that cannot be seen, or that covers others.")

    @classmethod
    def of_character(cls, place: int, character: str) -> InvalidNameError:
        """Return the error for a character that no name may have; ``character`` as ``U+200B ZERO WIDTH SPACE``."""
        return cls([_unfit_character("person_name", place, character)])


class NameTakenError(ContestError, code="name_taken", status=409):
    """The name reads like that of another team."""

    message = tr(
        "The name reads like another team's (case, blanks, letters that look alike are no difference): choose another."
    )


def _unfit_character(field: str, place: int, character: str) -> dict[str, Any]:
    return {
        "code": "unfit_character",
        **tr(
            "character {place} is {character}: it is not seen, turns text around, is not assigned in "
            "Unicode, or is a mark without a letter or one too many on it; leave it out",
            place=place,
            character=character,
        ).as_fields(),
        "field": field,
    }


class OtherTeamError(ContestError, code="other_team", status=409):
    """An application is corrected for another team than one's own."""

    message = tr("A team's id does not change; apply with your own team's.")


class InvalidEmailError(ContestError, code="invalid_email", status=422):
    """What has not the form of an e-mail address."""

    message = tr("This is not an e-mail address.")


class PartlyAddedError(ContestError, code="partly_added", status=409):
    """Somebody else entered a team of a table, or one of the same name, while it was entered."""

    message = tr(
        "Somebody else entered one of these teams meanwhile; the details name those that were entered before it."
    )

    @classmethod
    def after(cls, team_id: str, added: list[str]) -> PartlyAddedError:
        """Return the error with the team and those before it."""
        before = ", ".join(added) or "—"
        text = tr("{team_id} was entered by somebody else; entered before it: {before}", team_id=team_id, before=before)
        return cls.with_detail("added", text, team_id=team_id, added=added)


class MalformedTableError(ContestError, code="malformed_table", status=422):
    """The body is no table of the documented form."""

    message = tr("The body is not a CSV table of the documented form.")

    @classmethod
    def of_columns(cls, names: Sequence[str], allowed: Sequence[str]) -> MalformedTableError:
        """Return the error for a first line that names other columns, or one twice, or lacks one."""
        named, known_columns = ", ".join(names)[:200], ", ".join(allowed)
        detail = {"message": f"the first line names {named!r}; known columns: {known_columns}"}
        return cls(
            [{"code": "columns", **detail, "message_ru": f"в первой строке {named!r}; столбцы: {known_columns}"}]
        )

    @classmethod
    def too_wide(cls, line: int, cells: int, columns: int) -> MalformedTableError:
        """Return the error for a row with more cells than the first line has names: its values may have shifted."""
        text = tr(
            "line {line} has {cells} cells for {columns} columns: put a cell with a comma in quotes",
            line=line,
            cells=cells,
            columns=columns,
        )
        return cls.with_detail("too_wide", text, line=line)

    @classmethod
    def too_long(cls, most: int) -> MalformedTableError:
        """Return the error for more rows than one table may have."""
        return cls.with_detail("too_long", tr("at most {most} rows", most=most))

    @classmethod
    def because(cls, fault: str) -> MalformedTableError:
        """Return the error for a body that is no CSV in UTF-8."""
        return cls([{"code": "no_csv", "message": fault, "message_ru": f"не читается как CSV в UTF-8: {fault}"}])


EXAMPLES: Final[tuple[ContestError, ...]] = (
    MalformedTableError.because("unexpected end of data"),
    InvalidTeamError.of_id("Red!"),
    InvalidNameError.of_character(3, "U+200B ZERO WIDTH SPACE"),
    NoSuchDecisionError.between("applied", "suspended", ["approved", "rejected"]),
    PartlyAddedError.after("green", ["red", "blue"]),
    TeamInactiveError.being("rejected", "the form says nothing of the program"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
