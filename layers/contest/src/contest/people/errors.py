"""Errors of teams, people and invitations, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contest.people.rules import MOST_MAILED
from contest.refusals import ContestError
from contest.texts import code_in_words, tr
from markup_core.texts import Text


class UnknownTeamError(ContestError, code="unknown_team", status=404):
    message = tr("There is no team with this id.")


class KnownTeamError(ContestError, code="known_team", status=409):
    message = tr("There is a team with this id already; choose another one.")


class NoTeamError(ContestError, code="no_team", status=409):
    message = tr("You are not a member of a team: apply with one, or accept an invitation.")


class HasTeamError(ContestError, code="has_team", status=409):
    message = tr("You are a member of a team already; leave it first.")


class NotCaptainError(ContestError, code="not_captain", status=403):
    message = tr("Only the team's captain may do this.")


class CaptainStaysError(ContestError, code="captain_stays", status=409):
    message = tr("A captain cannot leave the team: make another member captain first, or withdraw the team.")


class TeamInactiveError(ContestError, code="team_inactive", status=409):
    message = tr("The team is not approved, so this cannot be done for it; the details name its status.")

    @classmethod
    def of_status(cls, status: str, reason: str) -> TeamInactiveError:
        in_words, why = code_in_words(status, "team"), reason or tr("no reason given")
        text = tr("the team's status is {status}: {reason}", status=in_words, reason=why)
        return cls.with_detail("status", text, status=status, reason=reason)


class NoMailsError(ContestError, code="no_mails", status=409):
    message = tr("This contest sends no mails: invite without an address, and hand the code over yourself.")


class InvitationMailsExhaustedError(ContestError, code="invitation_mails_exhausted", status=429):
    message = tr(
        "{most} invitations were mailed for the team today, which is the most: hand the code over yourself.",
        most=MOST_MAILED,
    )


class NoSuchDecisionError(ContestError, code="no_such_decision", status=409):
    message = tr("A team of this status cannot be given that one; the details name what can be decided.")

    @classmethod
    def between(cls, before: str, after: str, allowed: list[str]) -> NoSuchDecisionError:
        statuses = ", ".join(allowed) or tr("nothing")
        text = tr("{before} → {after}; allowed: {statuses}", before=before, after=after, statuses=statuses)
        return cls.with_detail("decision", text, before=before, after=after, allowed=allowed)


class UnknownTokenError(ContestError, code="unknown_token", status=404):
    message = tr("The team has no token with this id.")


class RevokedAlreadyError(ContestError, code="revoked_already", status=409):
    message = tr("It is revoked already, or nobody can use it any more.")


class EndedAlreadyError(ContestError, code="ended_already", status=422):
    message = tr("The end of the token's life is not in the future.")


class UnknownPersonError(ContestError, code="unknown_person", status=404):
    message = tr("There is nobody with this id here.")


class KnownPersonError(ContestError, code="known_person", status=409):
    message = tr("This account has a role already; change that one.")


class NoExpertsAccountError(ContestError, code="no_experts_account", status=409):
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
    message = tr("A team's id or name is not of the documented form.")

    @classmethod
    def of_id(cls, team_id: str) -> InvalidTeamError:
        text = tr("a team's id is 1–40 of a–z, 0–9 and '-', not {team_id!r}", team_id=team_id[:60])
        return cls.with_detail("invalid_team_id", text, field="team_id")

    @classmethod
    def of_name(cls, longest: int) -> InvalidTeamError:
        text = tr("a team's name is one line of 1–{longest} characters", longest=longest)
        return cls.with_detail("invalid_team_name", text, field="name")

    @classmethod
    def of_character(cls, place: int, character: str) -> InvalidTeamError:
        """Return the error for a character that no name may have; ``character`` as ``U+200B ZERO WIDTH SPACE``."""
        return cls.with_detail("unfit_character", _unfit(place, character), field="name")


class InvalidNameError(ContestError, code="invalid_name", status=422):
    message = tr("This is not a name: it has a character that cannot be seen, or that covers others.")

    @classmethod
    def of_character(cls, place: int, character: str) -> InvalidNameError:
        """Return the error for a character that no name may have; ``character`` as ``U+200B ZERO WIDTH SPACE``."""
        return cls.with_detail("unfit_character", _unfit(place, character), field="person_name")


class NameTakenError(ContestError, code="name_taken", status=409):
    message = tr(
        "The name reads like another team's (case, blanks, letters that look alike are no difference): choose another."
    )


def _unfit(place: int, character: str) -> Text:
    return tr(
        "character {place} is {character}: it is not seen, turns text around, is not assigned in "
        "Unicode, or is a mark without a letter or one too many on it; leave it out",
        place=place,
        character=character,
    )


class OtherTeamError(ContestError, code="other_team", status=409):
    message = tr("A team's id does not change; apply with your own team's.")


class InvalidEmailError(ContestError, code="invalid_email", status=422):
    message = tr("This is not an e-mail address.")


class PartlyAddedError(ContestError, code="partly_added", status=409):
    message = tr(
        "Somebody else entered one of these teams meanwhile; the details name those that were entered before it."
    )

    @classmethod
    def after(cls, team_id: str, added: list[str]) -> PartlyAddedError:
        before = ", ".join(added) or "—"
        text = tr("{team_id} was entered by somebody else; entered before it: {before}", team_id=team_id, before=before)
        return cls.with_detail("added", text, team_id=team_id, added=added)


class MalformedTableError(ContestError, code="malformed_table", status=422):
    message = tr("The body is not a CSV table of the documented form.")

    @classmethod
    def of_columns(cls, names: Sequence[str], allowed: Sequence[str]) -> MalformedTableError:
        named, known_columns = ", ".join(names)[:200], ", ".join(allowed)
        text = tr(
            "the first line names {named!r}; known columns: {known_columns}", named=named, known_columns=known_columns
        )
        return cls.with_detail("columns", text)

    @classmethod
    def too_wide(cls, line: int, cells: int, columns: int) -> MalformedTableError:
        text = tr(
            "line {line} has {cells} cells for {columns} columns: put a cell with a comma in quotes",
            line=line,
            cells=cells,
            columns=columns,
        )
        return cls.with_detail("too_wide", text, line=line)

    @classmethod
    def too_long(cls, most: int) -> MalformedTableError:
        return cls.with_detail("too_long", tr("at most {most} rows", most=most))

    @classmethod
    def because(cls, fault: str) -> MalformedTableError:
        return cls([{"code": "no_csv", "message": fault, "message_ru": f"не читается как CSV в UTF-8: {fault}"}])


EXAMPLES: Final[tuple[ContestError, ...]] = (
    MalformedTableError.because("unexpected end of data"),
    InvalidTeamError.of_id("Red!"),
    InvalidNameError.of_character(3, "U+200B ZERO WIDTH SPACE"),
    NoSuchDecisionError.between("applied", "suspended", ["approved", "rejected"]),
    PartlyAddedError.after("green", ["red", "blue"]),
    TeamInactiveError.of_status("rejected", "the form says nothing of the program"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
