"""Bodies of teams, people, tokens and invitations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.people.rules import (
    LONGEST_EMAIL,
    LONGEST_LINE,
    LONGEST_NAME,
    NAME,
    Decision,
    Form,
    Person,
    Team,
    TeamStatus,
)
from contest.results.rules.qualification import QualificationKind, Standing, Step
from contest.values import Millis, from_iso
from contest.wire import (
    EMPTY_IS_NULL,
    SORTED,
    DecisionReason,
    Moment,
    RealMoment,
    ReplyBody,
    RequestBody,
    SessionId,
    attribute,
)

Line = Annotated[str, Field(max_length=LONGEST_LINE)]
_Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=f"^{NAME.pattern}$")]
PersonName = TypeAliasType("PersonName", Annotated[_Name, Field(examples=["Anna Ivanova"])])
Email = Annotated[str, Field(min_length=3, max_length=LONGEST_EMAIL, examples=["anna@example.org"])]
TeamName = Annotated[_Name, Field(examples=["Red team"])]
TeamId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", examples=["red"])]


class ApplicationRequest(RequestBody):
    """The application form (R 3.1)."""

    team_id: TeamId
    team_name: TeamName
    person_name: PersonName
    contact: Email
    organization: Line = ""
    about: str = Field("", max_length=4000, description="Information on team and program for the organizers")
    agrees: bool = Field(False, description="Whether the next cycle may have the team's data")
    accepts_rules: Literal[True] = Field(description="The applicant has read the rules and accepts them")

    def form(self) -> Form:
        """Convert the request into an application form."""
        return Form(
            self.team_id, self.team_name, self.person_name, self.organization, self.contact, self.about, self.agrees
        )


class ReasonRequest(RequestBody):
    """Reason of an action."""

    reason: DecisionReason


class CaptainRequest(RequestBody):
    """The new captain."""

    person_id: str = Field(min_length=1, max_length=200)


class InvitationRequest(RequestBody):
    """Recipient of an invitation."""

    note: Line = ""
    email: Email | None = Field(None, description="Address to which the code is mailed, once")


class TeamInvitationRequest(InvitationRequest):
    """An organizer's invitation to a team."""

    as_captain: bool = Field(default=False, description="Whether the accepting person becomes captain")


class AcceptRequest(RequestBody):
    """Accepting an invitation."""

    code: str = Field(min_length=1, max_length=200)
    person_name: PersonName
    contact: Email


class TokenRequest(RequestBody):
    """A new token."""

    name: Line = Field("", description="Name given by the team", examples=["server in the cellar"])
    expires_at: RealMoment | None = Field(None, description="When it expires; without it, never")

    def ends(self) -> Millis | None:
        """Return the token's end in milliseconds; None for a token without an end."""
        return None if self.expires_at is None else from_iso(self.expires_at)


class TeamRequest(RequestBody):
    """A team that the organizers enter themselves."""

    team_id: TeamId
    name: TeamName


class DecisionRequest(RequestBody):
    """A decision about a team: one of `status`, `passed` and `baseline`."""

    reason: DecisionReason
    status: Literal["approved", "rejected", "suspended", "withdrawn", "disqualified"] | None = None
    passed: bool | None = Field(None, description="Whether it passes the selection (R 4.1)")
    baseline: bool | None = Field(None, description="Whether its rows on boards take no place")
    banned_until: RealMoment | None = Field(None, description="End of a disqualification; without it, for good")

    def decision(self) -> Decision:
        """Convert the request into a decision."""
        status = None if self.status is None else TeamStatus(self.status)
        until = None if self.banned_until is None else from_iso(self.banned_until)
        return Decision(self.reason, status, self.passed, self.baseline, until)


class StaffRequest(RequestBody):
    """A new member of the staff, with a role."""

    email: Email
    name: PersonName
    role: Literal["expert", "clinician", "judge", "commission", "organizer"]


class RoleRequest(RequestBody):
    """Another role."""

    role: Literal["expert", "clinician", "judge", "commission", "organizer"]
    reason: DecisionReason


class MeBody(ReplyBody):
    """Identity and rights of the caller."""

    role: str
    person_id: Annotated[str | None, EMPTY_IS_NULL]
    team_id: Annotated[str | None, EMPTY_IS_NULL]
    token_id: Annotated[str | None, EMPTY_IS_NULL]
    rights: Annotated[list[str], SORTED]


class PoolBody(ReplyBody):
    """Sign-in of people of one kind by OpenID Connect (code flow with PKCE)."""

    issuer: str = Field(description="Issuer; `/.well-known/openid-configuration` under it has the rest")
    client_id: str


class SignInBody(ReplyBody):
    """Sign-in addresses."""

    participants: PoolBody
    staff: PoolBody
    loopback_redirects: list[str] = Field(description="Redirect addresses at which a command may await a sign-in")


class MemberBody(ReplyBody):
    """A member of a team, or of the staff."""

    person_id: str
    name: str
    email: str
    role: str
    is_captain: bool
    since: Moment = attribute("created_at")
    dismissed_at: Moment | None

    @classmethod
    def of(cls, person: Person, captain: str = "") -> MemberBody:
        """Return a person as others of the team, or organizers, see it."""
        return cls.from_value(person, is_captain=person.person_id == captain)


class ApplicationBody(ReplyBody):
    """A team's application."""

    organization: str
    contact: str
    about: str
    submitted_at: Moment


class PassedBody(ReplyBody):
    """The decision on a team in the selection (R 4.1)."""

    passed: bool
    reason: str
    at: Moment


class TeamRow(ReplyBody):
    """A team in the list."""

    team_id: str
    name: str
    status: TeamStatus
    reason: str = Field(description="Reason of its status, as the decision gives it")
    created_at: Moment
    selection: PassedBody | None
    baseline: bool
    banned_until: Moment | None
    agrees: bool = Field(description="Whether its captain lets the next cycle have its data")
    rules_version: int | None = Field(description="Version of the page `rules` that its application accepts")


class TeamBody(TeamRow):
    """A team with its members."""

    application: ApplicationBody | None
    members: list[MemberBody]
    may_become: list[TeamStatus] = Field(description="Statuses that the organizers may give it now")

    @classmethod
    def of(cls, team: Team, members: Sequence[Person]) -> TeamBody:
        """Return a team with its members."""
        return cls.from_value(team, members=[MemberBody.of(person, team.captain) for person in members])


class TeamsBody(ReplyBody):
    """Teams by id."""

    teams: list[TeamRow]


class NotCarriedBody(ReplyBody):
    """A team of an earlier cycle that is not carried over."""

    team_id: str
    code: str
    message: str = attribute("reason.en")
    message_ru: str = attribute("reason.ru")


class ImportedBody(ReplyBody):
    """Result of an import of teams."""

    added: list[str] = Field(description="Ids of the teams that were entered")
    left: list[NotCarriedBody] = Field([], description="Teams of an earlier cycle that were not, with reasons")


class TokenBody(ReplyBody):
    """A token as it is stored; never the token itself."""

    token_id: str = attribute("token.token_id")
    name: str = attribute("token.name")
    created_at: Moment = attribute("token.created_at")
    expires_at: Moment | None = attribute("token.expires_at")
    revoked_at: Moment | None = attribute("token.revoked_at")
    used_at: Moment | None = Field(description="Its last use, to ten minutes")


class TokensBody(ReplyBody):
    """Tokens of a team, the oldest first."""

    tokens: list[TokenBody]


class NewTokenBody(TokenBody):
    """A new token. Nobody can show it again."""

    token: str


class InvitationBody(ReplyBody):
    """An invitation as it is stored; never its code."""

    invitation_id: str
    note: str
    as_captain: bool
    created_at: Moment
    expires_at: Moment
    accepted_by: Annotated[str | None, EMPTY_IS_NULL]
    revoked_at: Moment | None


class InvitationsBody(ReplyBody):
    """Invitations, the latest first."""

    invitations: list[InvitationBody]


class NewInvitationBody(InvitationBody):
    """A new invitation. Nobody can show its code again."""

    code: str


class StaffBody(ReplyBody):
    """The staff by id, dismissed ones too."""

    staff: list[MemberBody]


class ChangeBody(ReplyBody):
    """An entry of the audit log."""

    at: Moment
    who: str
    what: str
    subject: str
    before: Any
    after: Any


class AuditLogBody(ReplyBody):
    """People's changes on a day, in order."""

    day: str
    changes: list[ChangeBody]


class DoneBody(ReplyBody):
    """Confirmation without further content."""

    done: Literal[True] = True


class JudgementRequest(RequestBody):
    """A judge's ruling on a positive automatic conclusion (R 8.2.1)."""

    confirmed: bool
    reason: DecisionReason


class VerificationRequest(RequestBody):
    """The commission's ruling on a confirmed conclusion (R 8.2.2); `false` returns it to the judges."""

    verified: bool
    reason: DecisionReason


class AdmissionRequest(RequestBody):
    """The organizers' decision on a team's part in the final (R 8.2.3)."""

    admitted: bool
    reason: DecisionReason


class RulingBody(ReplyBody):
    """A step of judges or commission."""

    step: Step
    positive: bool
    reason: str
    at: Moment
    counts: bool = Field(description="Whether it concerns the present report")


class PossibleRulingBody(ReplyBody):
    """A possible ruling; the rights of its step's route say who may make it."""

    step: Step
    positive: bool


class ConclusionBody(ReplyBody):
    """The conclusion on a session, automatic and by people."""

    session_id: SessionId
    team_id: str
    kind: QualificationKind
    ready: bool = Field(description="Automatic conclusion of the report")
    standing: Standing
    closed_at: Moment
    annulled: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="Why the organizers have annulled the session or its data set"
    )
    rulings: list[RulingBody]
    possible: list[PossibleRulingBody] = Field(description="Rulings that can be made now")


class ClaimBody(ReplyBody):
    """The furthest of a team's conclusions of a kind."""

    kind: QualificationKind
    session_id: SessionId
    standing: Standing


class AdmissionBody(ReplyBody):
    """The decision on a team's part in the final."""

    admitted: bool
    reason: str
    at: Moment
    qualified: bool = Field(description="Whether the team had qualified then")
    by: str | None = Field(None, description="Author of the decision; hidden from the team")


class TeamStandingBody(ReplyBody):
    """Progress of a team towards the final."""

    team_id: str = attribute("team.team_id")
    name: str = attribute("team.name")
    qualified: bool = attribute(
        "is_qualified", description="Whether a conclusion of each of the contest's kinds is verified (R 6.9, D 7.8)"
    )
    claims: list[ClaimBody]
    admission: AdmissionBody | None


class StandingsBody(ReplyBody):
    """Teams on their way to the final, by id."""

    teams: list[TeamStandingBody]
