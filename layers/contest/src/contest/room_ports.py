"""Ports of single rooms: the cycle, people and teams, their messages, experts, the event channel, operations.

:mod:`contest.ports` states the promises of all ports, and has those that several rooms share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from contest.ports import Page, Port, Queue
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.channel.rules import Attachment, Connection, Push, Told
    from contest.cycle.rules.cycle import Capacity
    from contest.cycle.rules.notices import Announced, Announcement
    from contest.cycle.rules.sets import Import, ImportJob
    from contest.experts.rules.assignment import Assignment, Draft, EssayWork, Marking, Replay, Review
    from contest.experts.rules.sharing_out import Expert
    from contest.messages.rules import Addressed, Choices, Delivery, Hook, Mail, Position, Question, Stop
    from contest.operations.rules import DeadLetter
    from contest.people.rules import Change, Invitation, Person, SignedIn, Team, Token
    from contest.ports import Blobs
    from contest.stored_names import LetterQueue
    from contest.values import Millis


class Announcements(Protocol):
    """Announcements of the cycle."""

    def get(self, announcement_id: str) -> Announcement | None:
        """Return one announcement as last written."""

    def all(self) -> Sequence[Announcement]:
        """Return all announcements, drafts included, by id."""

    def add(self, announcement: Announcement, change: Change | None) -> None:
        """Write an announcement unless one of its id is there. ``change``: None where no person made it."""

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        """Write an announcement if it is still as it was read, and with it a new one unless that is there."""

    def told(self, announcement: Announcement) -> None:
        """Write the state that subscribers have received if the announcement is still of this version, which stays."""


class Announcer(Protocol):
    """The subscribers to announcements."""

    def tell(self, announcement: Announcement) -> None:
        """Send an announcement; once this returns, it is delivered at least once."""


class Imports(Protocol):
    """Imports of cycles and sets."""

    def get(self, import_id: str) -> Import | None:
        """Return the import as last written."""

    def listed(self) -> Sequence[Import]:
        """Return all imports ever announced, in no order."""

    def unfinished(self) -> Sequence[Import]:
        """Return all imports that have, or should have, a worker."""

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        """Write an import if the one there is still as it was read (None: there is none).

        ``change``: None where a worker did it.
        """


class CyclePorts:
    """The platform's ports of the cycle's room."""

    announcements: Port[Announcements] = Port()
    announcer: Port[Announcer] = Port()
    imports: Port[Imports] = Port()
    importing: Port[Queue[ImportJob]] = Port()
    capacity: Port[Capacity | None] = Port()
    """Capacity of the deployment; None where it states none."""


Outgo = TypeVar("Outgo")


class People(Protocol):
    """Teams and the tokens of their programs. Every change is written with its entry in the audit log."""

    def team(self, team_id: str) -> Team | None:
        """Return a team."""

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        """Return those of these teams that exist."""

    def all_teams(self) -> Sequence[Team]:
        """List all teams, by their ids."""

    def add_team(self, team: Team, change: Change) -> None:
        """Write a new team unless it exists."""

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        """Write a team if the one there is still ``before``."""

    def token(self, token_sha256: str) -> Token | None:
        """Return a token by its hash."""

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        """List a team's tokens, revoked ones too."""

    def issue(self, token: Token, change: Change) -> None:
        """Write a new token."""

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        """Mark a token revoked unless it is."""


class Persons(Protocol):
    """People, their places in teams, and invitations, under the same promise."""

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        """Write a new team unless it exists, and its captain as its first member if the person is as ``before``."""

    def person(self, person_id: str) -> Person | None:
        """Return a person."""

    def members_of(self, team_id: str) -> Sequence[Person]:
        """List a team's members, by id."""

    def staff(self) -> Sequence[Person]:
        """List all staff ever invited by the organizers, dismissed ones too, by id."""

    def add_staff(self, person: Person, organizer: str, change: Change) -> None:
        """Write a new member of the staff unless there is a person of this id, if ``organizer`` still is one.

        An empty ``organizer`` stands for a caller with the deployment's own credentials.
        """

    def set_staff(self, before: Person, after: Person, organizer: str, change: Change) -> None:
        """Write a member of the staff who is still as ``before``, if ``organizer`` still is one, as above."""

    def leave(self, team: Team, before: Person, after: Person, change: Change) -> None:
        """Write a member who is still as ``before`` without the team, if the team is still as read."""

    def invite(self, invitation: Invitation, change: Change) -> None:
        """Write a new invitation."""

    def invitation(self, code_sha256: str) -> Invitation | None:
        """Return an invitation by its code's hash."""

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        """List a team's invitations, in any state."""

    def revoke_invitation(self, invitation: Invitation, at: Millis, change: Change) -> None:
        """Mark an invitation revoked unless it is accepted or revoked."""

    def accept(
        self,
        invitation: Invitation,
        team: tuple[Team, Team] | None,
        before: Person | None,
        member: Person,
        change: Change,
    ) -> None:
        """Mark an invitation accepted unless it is accepted or revoked, and write the member if still ``before``.

        ``team``: as it was read and as it becomes, where the member becomes its captain.
        """


class SignIns(Protocol):
    """Tokens of people who have signed in."""

    def read(self, token: str) -> SignedIn | None:
        """Return the account of a token, by its signature, issuer, kind and client; None for one that is not ours. Its
        end is returned, not checked."""


class Accounts(Protocol):
    """Accounts of the staff, where they sign in."""

    def invite(self, email: str, name: str) -> str:
        """Make an account, or find the one of this address; return its subject. A mail tells how to sign in."""

    def close(self, email: str) -> None:
        """Let nobody sign in with an account, and end its sign-ins; closing a closed or missing one is no error."""

    def reopen(self, email: str) -> None:
        """Let a closed account sign in again."""


class PeoplePorts:
    """The platform's ports of people and teams."""

    people: Port[People] = Port()
    persons: Port[Persons] = Port()
    sign_ins: Port[SignIns] = Port()
    accounts: Port[Accounts] = Port()


class Outgoing(Protocol[Outgo]):
    """Mails, or deliveries of webhooks, that are to be sent."""

    def waiting(self) -> Sequence[Outgo]:
        """Return all that are to be sent, by id."""

    def claim(self, before: Outgo, after: Outgo) -> None:
        """Claim an item that is about to be sent, unless another process has claimed it since."""

    def done(self, sent: Outgo) -> None:
        """Remove one from those to send (idempotent)."""


class Mails(Outgoing["Mail"], Protocol):
    """Mails to send, and people's choices about them."""

    def add(self, mail: Mail) -> None:
        """Write a mail to send unless one of its id was ever written; losing the race is no error."""

    def get(self, mail_id: str) -> Mail | None:
        """Return a mail to send as last written."""

    def note_link(self, token_sha256: str, stop: Stop, at: Millis) -> None:
        """Store the person and kind of mail that the link with a token of this hash stops, for some weeks."""

    def stopped_by(self, token_sha256: str) -> Stop | None:
        """Return the person and kind of mail that a link stops; None for an unknown link."""

    def position(self) -> Position | None:
        """Return the position in the log up to which mails are made; None before the first visit."""

    def move(self, before: Position | None, after: Position) -> None:
        """Write the position if it is still as it was read."""


class MailChoices(Protocol):
    """Choices of people about their mails."""

    def get(self, person_id: str) -> Choices:
        """Return a person's choices as last written; the usual ones before the first."""

    def put(self, person_id: str, before: Choices, after: Choices) -> None:
        """Write a person's choices if they are still as they were read."""


class Mailer(Protocol):
    """Sender of mails."""

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        """Send a mail; raise an error if it was not accepted."""

    @property
    def site(self) -> str:
        """Address of the site, without a slash at its end: links begin with it."""


class Hooks(Outgoing["Delivery"], Protocol):
    """Hooks of teams and organizers, and their pending deliveries."""

    def all(self) -> Sequence[Hook]:
        """Return all hooks, by owner and place."""

    def add(self, hook: Hook, change: Change) -> None:
        """Write a hook if its place is free."""

    def remove(self, hook: Hook, change: Change) -> None:
        """Remove a hook if it is still this one."""

    def note(self, before: Hook, after: Hook) -> None:
        """Write an attempt's outcome or a request for a test if the hook has not changed since it was read."""

    def deliver(self, delivery: Delivery) -> None:
        """Write a delivery to send unless one of its id was ever written; losing the race is no error."""


class Poster(Protocol):
    """Sender of webhooks."""

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        """Send a request and return the answer's HTTP status, None if there is no host to call.

        Raises :class:`NotTakenError` if the delivery fails, after some seconds at the latest.
        """

    @property
    def to_loopback(self) -> bool:
        """Return whether it sends to this machine alone."""


class Questions(Protocol):
    """Questions of the cycle's teams with their answers."""

    def get(self, team_id: str, number: int) -> Question | None:
        """Return one question as last written."""

    def of_team(self, team_id: str) -> Sequence[Question]:
        """Return a team's questions, by number."""

    def all(self) -> Sequence[Question]:
        """Return all questions, by team and number."""

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        """Write a question if it is still as it was read (None: there is none), with its announcements likewise."""

    def seen(self, question: Question) -> None:
        """Write that the team has seen a question if it is still of this version, which stays."""


class MessagePorts:
    """The platform's ports of mails, webhooks and questions."""

    mails: Port[Mails] = Port()
    mail_choices: Port[MailChoices] = Port()
    mailer: Port[Mailer | None] = Port()
    """Sender of mails; None if the deployment sends none."""
    hooks: Port[Hooks] = Port()
    poster: Port[Poster] = Port()
    site: Port[str] = Port()
    """Address of the site, without a slash at its end; empty where the deployment has no name."""
    questions: Port[Questions] = Port()


@dataclass(frozen=True, slots=True)
class Written:
    """All records of one decision about essays, written in one transaction.

    Each assignment and essay is written if it is stored with the version before its own; version 1 is new. ``checked``
    are essays and assignments that must still be as they were read. ``draft``: a new version of the one assignment's.
    """

    assignments: tuple[Assignment, ...] = ()
    essays: tuple[EssayWork, ...] = ()
    checked: tuple[Assignment | EssayWork, ...] = ()
    draft: Draft | None = None


class Experts(Protocol):
    """Profiles, markings with their essays, assignments with their drafts."""

    def all(self) -> Sequence[Expert]:
        """Return all experts, inactive ones too, by id."""

    def get(self, expert_id: str) -> Expert | None:
        """Return an expert's profile."""

    def put(self, expert: Expert, change: Change) -> None:
        """Write a profile if it is stored with the version before its own; version 1 is new."""

    def markings(self) -> Sequence[Marking]:
        """Return all annotation projects, by id."""

    def marking(self, marking_id: str) -> Marking | None:
        """Return one annotation project."""

    def add_marking(self, marking: Marking, change: Change) -> None:
        """Write a marking that is not there."""

    def essays(self, marking_id: str) -> Sequence[EssayWork]:
        """Return all assigned essays of an annotation project, by item."""

    def essay(self, marking_id: str, item_id: str) -> EssayWork | None:
        """Return one essay of an annotation project."""

    def due_essays(self) -> Sequence[tuple[str, str]]:
        """List project and item of every essay on which the rule for a third expert is still due."""

    def given_to(self, expert_id: str) -> Sequence[Assignment]:
        """Return all assignments of an expert, ended ones too, by id."""

    def assignment(self, expert_id: str, assignment_id: str) -> Assignment | None:
        """Return an assignment of this very expert."""

    def assignments(self, names: Iterable[tuple[str, str]]) -> Sequence[Assignment]:
        """Return the existing assignments by expert and id, in the order of the names."""

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        """List expert and id of every assignment whose clock runs, or expired without a record."""

    def drafts(self, assignment_id: str) -> Sequence[Draft]:
        """Return all saved versions, the first one first."""

    def draft(self, assignment_id: str, revision: int) -> Draft | None:
        """Return one saved version."""

    def write(self, records: Written, change: Change | None) -> None:
        """Write a decision. ``change`` None: a timer's or the rule's decision, or a draft, which is its own log."""


class Replays(Protocol):
    """Replays of runs, and people's reviews of them."""

    def all(self, cycle: str) -> Sequence[Replay]:
        """Return all replays of a cycle, by run."""

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        """Return the replay of a run."""

    def put(self, replay: Replay, change: Change) -> None:
        """Write a replay if it is stored with the version before its own; version 1 is new."""

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        """Return a person's review in a round."""

    def reviews(self, run_id: str) -> Sequence[Review]:
        """Return all reviews, by round and person."""

    def save(self, review: Review) -> None:
        """Write a review if it is stored with the version before its own; version 1 is new."""


class ExpertPorts:
    """The platform's ports of the experts' room."""

    experts: Port[Experts] = Port()
    replays: Port[Replays] = Port()


class GoneError(Exception):
    """The connection is closed."""


class Connections(Protocol):
    """Connections of the event channel."""

    def add(self, connection: Connection) -> None:
        """Write a new connection."""

    def get(self, connection_id: str) -> Connection | None:
        """Return the connection; None for one that is gone."""

    def note(self, connection: Connection, *fields: str) -> None:
        """Write these fields of an existing connection, and no others: its events may be handled at the same time.
        A connection that is gone is not written."""

    def remove(self, connection_id: str) -> None:
        """Delete a connection (idempotent)."""

    def remove_all(self, connection_ids: Sequence[str]) -> None:
        """Delete these connections, no name twice (idempotent)."""

    def all(self) -> Sequence[Connection]:
        """Return all connections."""

    def attachment(self, session_id: str) -> Attachment | None:
        """Return the target of a session's pushes; None for a session that never used the channel."""

    def attach(self, before: Attachment | None, after: Attachment) -> None:
        """Write an attachment if the one there is still ``before``."""

    def pushed_to(self, session_id: str, number: int) -> str | None:
        """Return the connection that a file was last pushed to; None for an unpushed file."""

    def mark_pushed(self, session_id: str, number: int, connection_id: str) -> None:
        """Store that a file was pushed."""

    def claim(self, session_id: str, number: int, at: Millis, connection_id: str) -> bool:
        """Return whether the caller is the first to push a file over a connection at this moment: one copy of a push
        does it.
        """


class Sockets(Protocol):
    """Gateway's side of the event channel, in the client's revision.

    Sending raises :class:`GoneError` when the connection is closed.
    """

    def greet(self, connection: Connection) -> None:
        """Send the first frames of a connection."""

    def ping(self, connection: Connection) -> None:
        """Send a heartbeat."""

    def pong(self, connection: Connection, data: str) -> None:
        """Answer a client's heartbeat."""

    def welcome(self, connection: Connection, namespace: str) -> None:
        """Confirm that the client has entered a namespace."""

    def refuse(self, connection: Connection, namespace: str, message: str) -> None:
        """Refuse the client's entry into a namespace."""

    def tell(self, connection: Connection, events: Sequence[Told], ack: int | None = None) -> None:
        """Send events in their order, after the requested acknowledgement under its number."""

    def part(self, connection: Connection) -> None:
        """Send a client away, so that it does not come back by itself."""

    def close(self, connection_id: str) -> None:
        """Close a connection (idempotent)."""


class Pushes(Protocol):
    """Queue of pushes: at least once, in no order, not before its time to the second."""

    def send(self, pushes: Sequence[Push], now: Millis) -> None:
        """Put pushes into the queue; each arrives in the second before its moment or later, never earlier."""


class ChannelPorts:
    """The platform's ports of the event channel."""

    connections: Port[Connections] = Port()
    sockets: Port[Sockets] = Port()
    pushes: Port[Pushes] = Port()


class DeadLetters(Protocol):
    """Jobs that failed for good."""

    def get(self, letter_id: str) -> DeadLetter | None:
        """Return the letter as last written."""

    def open(self, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
        """Open letters of a queue or of all, by id, ``after`` a page's end."""

    def counts(self) -> Mapping[LetterQueue, int]:
        """Return the number of open letters of each queue."""

    def put(self, before: DeadLetter | None, after: DeadLetter, change: Change | None) -> None:
        """Write a letter if it is still as it was read (None: there is none). ``change`` None: no person did it."""


class WorkQueues(Protocol):
    """The queues of work, by the names of their letters."""

    def send_again(self, queue: LetterQueue, bodies: Sequence[str]) -> None:
        """Put jobs as they are into their queue; all of them, or an error."""


class Redelivery(Protocol):
    """Redelivery of messages whose work failed."""

    def soon(self, queue_arn: str, handles: Sequence[str]) -> None:
        """Redeliver the messages of these receipt handles, ten at most, after the function's time-out."""


class Upkeep(Protocol):
    """Last ticks of the timers, and repairs requested by people."""

    def tick(self, timer: str, at: Millis, progress: str = "") -> None:
        """Store the time of a timer's tick, and the point where it left its work; an earlier time changes nothing."""

    def left(self, timer: str) -> str:
        """Return the point at which the last tick of a timer left its work; empty if it left none."""

    def ticks(self) -> Mapping[str, Millis]:
        """Return the last tick of each timer."""

    def note_mending(self, change: Change) -> None:
        """Store that a person repaired something, or deployed during a run, with its log entry."""


class OperationPorts:
    """The platform's ports of operations."""

    dead_letters: Port[DeadLetters] = Port()
    work_queues: Port[WorkQueues] = Port()
    redelivery: Port[Redelivery] = Port()
    upkeep: Port[Upkeep] = Port()
    copies: Port[Blobs | None] = Port()
