"""Pure rules of people and teams: names (decision 0030), roles, rights, states (platform §1)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from contest.routes import GATEWAY_BELIEVES, SIGN_IN_FORM, TOKEN_FORM, Right
from contest.values import DAY, MINUTE, Millis, sha256_hex
from markup_core.lazy import dataclass

_NO_CONTROL: Final = r"\x00-\x1f\x7f-\x9f"
NAME: Final = re.compile(rf"[^{_NO_CONTROL}]*[^\s{_NO_CONTROL}][^{_NO_CONTROL}]*")
"""Form of a team's or a person's name: one line with a visible character, since tables, files and messages show it."""
LONGEST_NAME: Final = 200
LONGEST_LINE: Final = 200
"""Code points of a field of one line, as of a team's organization."""
LONGEST_EMAIL: Final = 250
MOST_MARKS: Final = 4
"""Marks on one letter, decomposed (UTS 39, 5.4): Vietnamese needs two, Hebrew three; more cover the lines around."""
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters, marks and signs that draw nothing: joiner, fillers of Hangul, empty Braille cell, selectors."""
_MARK_BEFORE_LETTERS: Final = "\u200e"
"""Unicode's file writes this before and after letters of right-to-left scripts, and the library keeps it."""


def stored_spelling(name: str) -> str:
    """Return a name as it is stored: composed (NFC), blanks of any kind as one space, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def unfit_character(name: str) -> tuple[int, str] | None:
    """Return the first character that a name may not have, with its place from 1; None where all are fit.

    Unfit are characters that are invisible, change the direction of text or are not assigned, a mark without a
    letter, a fifth mark on one letter, and a mark right after the same one.
    """
    return next(_unfit(name), None)


def _unfit(name: str) -> Iterator[tuple[int, str]]:
    marks: list[str] = []
    stands_on_letter = False
    for place, character in enumerate(name, 1):
        if unicodedata.category(character) in _UNSEEN_CATEGORIES or UNSEEN.match(character):
            yield place, character
        for part in unicodedata.normalize("NFD", character):
            if not unicodedata.category(part).startswith("M"):
                marks, stands_on_letter = [], not part.isspace()
                continue
            if not stands_on_letter or len(marks) == MOST_MARKS or part in marks[-1:]:
                yield place, character
            marks.append(part)


def code_point(character: str) -> str:
    """Return a character as ``U+200B ZERO WIDTH SPACE``, since it may not be seen itself."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{' ' if name else ''}{name}"


def reading_keys(name: str) -> frozenset[str]:
    """Return the keys of a name; two names read alike where they have one in common.

    A key is the SHA-256 of a skeleton (UTS 39): of the name as written, of its small and of its capital letters. The
    first finds ``paypaI`` beside ``paypal``, the second ``PAYPAL``, the third Latin ``team`` beside Cyrillic ``ТЕАМ``,
    of which the small letters differ; all are kept, for ``I`` and ``l`` look alike and ``i`` and ``l`` do not.
    """
    normal = unicodedata.normalize("NFKC", stored_spelling(name))
    return frozenset(sha256_hex(_skeleton(form).encode()) for form in (normal, normal.casefold(), normal.upper()))


def _skeleton(text: str) -> str:
    """Return the text that stands for all that look like it; a dash of any length is a hyphen."""
    prototypes = _prototypes()
    dashed = ("-" if unicodedata.category(character) == "Pd" else character for character in text)
    parts = unicodedata.normalize("NFD", "".join(dashed))
    return " ".join(unicodedata.normalize("NFD", "".join(prototypes.get(part, part) for part in parts)).split())


@cache
def _prototypes() -> Mapping[str, str]:
    """Return for each confusable character the text that stands for all that look like it.

    The library names the pairs of Unicode's table in both directions. In a group of several the common partner stands
    for all; of two alone the longer text, or the smaller character.
    """
    # A function that checks no name does not pay for reading the table: a tenth of a second.
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    partners = {
        character.strip(_MARK_BEFORE_LETTERS): [pair["c"].strip(_MARK_BEFORE_LETTERS) for pair in pairs]
        for character, pairs in confusables_data.items()
    }
    prototypes: dict[str, str] = {}
    for character, (first, *others) in partners.items():
        stands_for_several = bool(others) or len(character) > 1
        first_stands = len(partners[first]) > 1 or len(first) > 1 or first < character
        if not stands_for_several and first_stands:
            prototypes[character] = first
    return prototypes


PROCESS_BELIEVES: Final[Millis] = MINUTE - GATEWAY_BELIEVES
"""Milliseconds for which a process trusts its reading of a token; with the gateway's, the minute of platform §1."""


class Role(StrEnum):
    """A person's or program's role on the platform."""

    PUBLIC = "public"
    PARTICIPANT = "participant"
    PROGRAM = "program"
    EXPERT = "expert"
    CLINICIAN = "clinician"
    """Judges how a program came to its answers (D 9.10.8)."""
    JUDGE = "judge"
    COMMISSION = "commission"
    ORGANIZER = "organizer"


_SIGNED_IN: Final = frozenset({Right.READ_PUBLISHED, Right.SIGNED_IN})
_OF_A_TEAM: Final = _SIGNED_IN | {Right.ASK, Right.HOOK, Right.SUBMIT, Right.READ_OWN, Right.READ_SESSIONS}
_READS_REPORTS: Final = _SIGNED_IN | {Right.READ_SESSIONS, Right.READ_REPORTS}


# Clause: platform §1 rights, platform §1 public, platform §1 program, platform §1 judge, platform §1 commission
# Clause: platform §1 organizer, R 2.14, R 2.18, D 6.2.1
RIGHTS: Final[Mapping[Role, frozenset[Right]]] = MappingProxyType(
    {
        Role.PUBLIC: frozenset({Right.READ_PUBLISHED}),
        Role.PARTICIPANT: _OF_A_TEAM | {Right.CABINET},
        Role.PROGRAM: _OF_A_TEAM | {Right.EXCHANGE},
        Role.EXPERT: _SIGNED_IN | {Right.MARK_UP},
        Role.CLINICIAN: _SIGNED_IN | {Right.REVIEW},
        Role.JUDGE: _READS_REPORTS | {Right.ANSWER, Right.CONFIRM_CONCLUSIONS},
        Role.COMMISSION: _READS_REPORTS | {Right.INSPECT_SUBMISSIONS, Right.WATCH_ASSIGNMENTS, Right.VERIFY_RESULTS},
        # "everything" of platform §1 is what people do; an organizer has no team whose exchange it could run.
        Role.ORGANIZER: frozenset(Right)
        - {Right.EXCHANGE, Right.SUBMIT, Right.READ_OWN, Right.ASK, Right.CABINET, Right.MARK_UP, Right.REVIEW},
    }
)


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a request, as the authorizer found out; the public has neither team, token nor person.

    A program has team and token, a person its own name and, as a member of one, a team.
    """

    role: Role = Role.PUBLIC
    team_id: str = ""
    token_id: str = ""
    person_id: str = ""

    @property
    def rights(self) -> frozenset[Right]:
        """The rights that the table gives its role."""
        return RIGHTS[self.role]


def may(identity: Identity, right: Right) -> bool:
    """Return whether the table gives this identity the right."""
    return right in identity.rights


INVITATION_PREFIX: Final = "inv_"
INVITATION: Final = re.compile(r"inv_[A-Za-z0-9_-]{43}")
INVITATION_LASTS: Final[Millis] = 7 * DAY
MOST_MAILED: Final = 10
"""Invitations of a team that are sent by mail on a day (UTC)."""
EMAIL: Final = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,185}")
"""Form of an e-mail address; only a mail shows whether somebody reads there."""


class Pool(StrEnum):
    """Pool of an account: participants sign up by themselves, staff is invited and has a second factor."""

    PARTICIPANTS = "participants"
    STAFF = "staff"


STAFF: Final = frozenset({Role.EXPERT, Role.CLINICIAN, Role.JUDGE, Role.COMMISSION, Role.ORGANIZER})
"""Roles of people invited by the organizers; each person has one."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The account that a sign-in's token names, and its end; the token has no roles that the platform would trust."""

    pool: Pool
    subject: str
    """The account's name within its pool."""
    expires_at: Millis


@dataclass(frozen=True, slots=True)
class Person:
    """A person who signs in. ``person_id`` is the account's subject."""

    person_id: str
    pool: Pool
    role: Role
    name: str
    email: str
    created_at: Millis
    team_id: str = ""
    """The team a participant is a member of; empty without one."""
    dismissed_at: Millis | None = None
    """Moment from which a dismissed member of the staff has no rights; None: not dismissed."""
    version: int = 1

    @property
    def is_active(self) -> bool:
        """Return whether the person has the rights of its role."""
        return self.dismissed_at is None


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to a team as stored: of its code only the hash."""

    invitation_id: str
    code_sha256: str
    team_id: str
    note: str
    """Addressee, in the words of the inviting person."""
    as_captain: bool
    created_at: Millis
    expires_at: Millis
    accepted_by: str = ""
    revoked_at: Millis | None = None

    def is_open(self, now: Millis) -> bool:
        """Return whether it can still be accepted."""
        return not self.accepted_by and self.revoked_at is None and now < self.expires_at


TOKEN_PREFIX: Final = "hrd_"  # noqa: S105 -- a form, not a secret
TOKEN_BYTES: Final = 32
_TOKEN: Final = re.compile(TOKEN_FORM)
_SIGN_IN: Final = re.compile(rf"(?=.{{60,4000}}\Z){SIGN_IN_FORM}")
"""A signed token by its form, and no longer than a header may be."""
_BEARER: Final = re.compile(r"(?i:bearer) +(\S+)")
TEAM_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class TeamStatus(StrEnum):
    """Life of a team (R 3, 11.7); only an approved one exchanges files."""

    APPLIED = "applied"
    REJECTED = "rejected"
    APPROVED = "approved"
    SUSPENDED = "suspended"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


# Clause: R 3.2, R 11.7, platform §2 team life
WAYS: Final[Mapping[TeamStatus, frozenset[TeamStatus]]] = MappingProxyType(
    {
        TeamStatus.APPLIED: frozenset({TeamStatus.APPROVED, TeamStatus.REJECTED}),
        TeamStatus.REJECTED: frozenset({TeamStatus.APPROVED}),
        TeamStatus.APPROVED: frozenset({TeamStatus.SUSPENDED, TeamStatus.DISQUALIFIED, TeamStatus.WITHDRAWN}),
        TeamStatus.SUSPENDED: frozenset({TeamStatus.APPROVED, TeamStatus.DISQUALIFIED, TeamStatus.WITHDRAWN}),
        TeamStatus.WITHDRAWN: frozenset({TeamStatus.APPROVED}),
        TeamStatus.DISQUALIFIED: frozenset({TeamStatus.APPROVED}),
    }
)
"""States that organizers may give a team, by its present state; every decision has a way back."""
MAY_WITHDRAW: Final = frozenset({TeamStatus.APPLIED, TeamStatus.APPROVED, TeamStatus.SUSPENDED})
"""States from which a team may leave the contest by itself."""
ACTIVE: Final = MAY_WITHDRAW
"""States in which somebody must answer for the team."""
MAY_APPLY_AGAIN: Final = frozenset({TeamStatus.REJECTED, TeamStatus.APPLIED})
"""States of applications that may be handed in again: rejected ones are mended, those under review corrected."""


@dataclass(frozen=True, slots=True)
class Form:
    """Content of the application form."""

    team_id: str
    team_name: str
    person_name: str
    organization: str
    contact: str
    about: str
    agrees: bool = False
    """True if the next cycle may get the team's data."""


@dataclass(frozen=True, slots=True)
class Application:
    """A team's statements in its application (R 3.1)."""

    organization: str
    contact: str
    """An e-mail address."""
    about: str
    submitted_at: Millis
    rules_version: int | None = None
    """Version of the regulation's page that was in force, and that the team accepted; None where there was none."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The organizers' last decision on a team in the selection (R 4.1)."""

    passed: bool
    reason: str
    at: Millis


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a team; exactly one of the first three is named.

    ``banned_until``: the end of a disqualification for later cycles; None excludes for good.
    """

    reason: str
    status: TeamStatus | None = None
    passed: bool | None = None
    """True if the team passes the selection; None: not decided."""
    baseline: bool | None = None
    """True if the team stands on boards without a place; None: not decided."""
    banned_until: Millis | None = None

    @property
    def subjects(self) -> int:
        """Number of the things that it decides."""
        return sum(subject is not None for subject in (self.status, self.passed, self.baseline))

    @property
    def words(self) -> str:
        """Its action in the audit log."""
        if self.passed is not None:
            return "team passed the selection" if self.passed else "team did not pass the selection"
        if self.baseline is not None:
            return "team made a baseline" if self.baseline else "team no longer a baseline"
        return f"team {self.status}"


@dataclass(frozen=True, slots=True)
class Team:
    """A participant."""

    team_id: str
    name: str
    status: TeamStatus
    created_at: Millis
    captain: str = ""
    """The person who applied, or was given the captaincy: invites, removes and withdraws. Empty: nobody yet."""
    application: Application | None = None
    """Application of the team; None where the organizers entered it themselves."""
    reason: str = ""
    """Reason for its status, in the words of the person who decided."""
    version: int = 1
    selection: Selection | None = None
    """Decision of the selection; None before one."""
    baseline: bool = False
    """True if the team stands on boards for comparison, marked and without a place."""
    banned_until: Millis | None = None
    """End of a disqualified team's exclusion from later cycles; None: for good."""
    agrees: bool = False
    """True if the captain agrees that the next cycle gets the team's data."""

    @property
    def rules_version(self) -> int | None:
        """Return the version of the regulation that its application accepts."""
        return None if self.application is None else self.application.rules_version

    # Clause: R 4.1, R 6.2, R 7.2
    def takes_part(self, *, is_selected: bool) -> bool:
        """Return whether it is approved and, where the cycle selects teams by decision, has passed the selection."""
        return self.status is TeamStatus.APPROVED and (self.has_passed or not is_selected)

    @property
    def has_passed(self) -> bool:
        """Return whether the organizers have let the team pass the selection."""
        return self.selection is not None and self.selection.passed

    # Clause: R 4.1, R 11.7, D 12.12
    def decided(self, decision: Decision, now: Millis) -> Team:
        """Return the team after a decision about it."""
        after = replace(self, version=self.version + 1)
        if decision.passed is not None:
            return replace(after, selection=Selection(decision.passed, decision.reason, now))
        if decision.baseline is not None:
            return replace(after, baseline=decision.baseline)
        status = decision.status or self.status
        return replace(after, status=status, reason=decision.reason, banned_until=decision.banned_until)

    @property
    def may_become(self) -> tuple[TeamStatus, ...]:
        """The statuses that the organizers may give it from its present one."""
        return tuple(status for status in TeamStatus if status in WAYS[self.status])

    @property
    def reserved(self) -> frozenset[str]:
        """Keys of the names that no other team may have; a rejected application keeps none."""
        return frozenset() if self.status is TeamStatus.REJECTED else reading_keys(self.name)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as stored: never itself, only its hash."""

    token_id: str
    token_sha256: str
    team_id: str
    role: Role
    created_at: Millis
    revoked_at: Millis | None = None
    name: str = ""
    """Name that its owner gave it: a machine, a version."""
    expires_at: Millis | None = None
    """Moment from which it is no longer accepted; None: it has no end."""

    def is_live(self, now: Millis) -> bool:
        """Return whether the platform accepts it."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token as it is stored, with its last use, to :data:`USE_NOTED_EVERY`; None: it was never used."""

    token: Token
    used_at: Millis | None


USE_NOTED_EVERY: Final[Millis] = 10 * MINUTE
"""Precision of a token's last use, in milliseconds: a write for each request would cost more than it is worth."""


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the append-only log: author, action and subject, with its state before and after."""

    at: Millis
    who: str
    what: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def by_person(person_id: str) -> str:
    """Return the audit-log author of a signed-in user; a command's author is ``command:NAME``."""
    return f"person:{person_id}"


def bearer_hash(header: str | None) -> str | None:
    """Return the hash of the token of an ``Authorization`` header; None for anything that has not the form of ours."""
    match = _BEARER.fullmatch(header.strip()) if header else None
    return token_hash(match.group(1)) if match and _TOKEN.fullmatch(match.group(1)) else None


def sign_in(header: str | None) -> str | None:
    """Return the token of a person's sign-in in an ``Authorization`` header; None for anything that cannot be one."""
    match = _BEARER.fullmatch(header.strip()) if header else None
    return match.group(1) if match and _SIGN_IN.fullmatch(match.group(1)) else None


def token_hash(token: str) -> str:
    """Return the hash under which a token is stored. Of its 256 random bits a plain hash cannot be searched."""
    return hashlib.sha256(token.encode("utf-8")).hexdigest()
