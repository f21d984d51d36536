"""Ports in memory: what services need and nothing of AWS.

The fakes keep the ports' promises; ``tests/contest/adapters/test_adapters.py`` runs the same checks against them and
the real adapters.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from contest.adapters.signer import Ed25519Signer
from contest.domain.cycle.announcements import Announced, Announcement
from contest.domain.cycle.capacity import Capacity
from contest.domain.cycle.cycle import Cycle, Mode, Parameters
from contest.domain.cycle.importing import Import, ImportJob
from contest.domain.moments import Millis, utc_day
from contest.domain.people.persons import Invitation, Person, Pool, SignedIn
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change, Team, Token
from contest.domain.results import settlement
from contest.domain.results.annulment import Annulment
from contest.domain.results.auditing import AuditJob
from contest.domain.results.board_state import BoardState, Point
from contest.domain.results.leaderboard import Entry
from contest.domain.results.qualification import Admission, Claim, Conclusion, QualificationKind
from contest.domain.results.rescoring import Rescoring, RescoringTask
from contest.domain.results.scoring import Job, OutboxEntry, ScoreKey
from contest.domain.results.shadowing import ShadowTask
from contest.domain.run.release import Proposal, Release
from contest.domain.run.run import Run
from contest.domain.session.delivery import Bodies, Delivery, Status
from contest.domain.session.receipts import Receipt
from contest.domain.session.requests import Key, TeamRequests, Used, counted, heard_of
from contest.domain.session.session import Plan, Session
from contest.ports import LostRaceError, MissingBlobError, Page, Sent, Tracks, Work
from contest.ports.requests import Found, Noted, SessionFacts, Wanted
from contest.services.platform import Memory
from shadow.recomputing import recompute
from tests.fakes_announcements import FakeAnnouncements, FakeAnnouncer
from tests.fakes_experts import FakeExperts
from tests.fakes_operations import FakeDeadLetters, FakeUpkeep, FakeWorkQueues
from tests.fakes_source import FakeSource
from tests.toys import ToyTrack


class HeldClock:
    """A clock that stands still until it is moved; ``goes``, it moves for whoever waits."""

    def __init__(self, now: Millis = 1_790_000_000_000) -> None:
        self.moment = now
        self.goes = False

    def now(self) -> Millis:
        return self.moment

    def wait_until(self, moment: Millis) -> bool:
        if self.goes:
            self.moment = max(self.moment, min(moment, self.moment + 2_500))
        return self.moment >= moment

    def advance(self, seconds: float) -> Millis:
        self.moment += round(seconds * 1000)
        return self.moment


class CountingNames:
    """Predictable names of the right form."""

    def __init__(self) -> None:
        self._made = Counter[str]()

    def session_id(self) -> str:
        return self._name("1", 15)

    def run_id(self) -> str:
        return self._name("r", 20)

    def file_id(self) -> str:
        return self._name("2", 15)

    def salt(self) -> str:
        return hashlib.sha256(self._name("z", 8).encode()).hexdigest()

    def assignment_id(self) -> str:
        return self._name("a", 20)

    def pseudonym(self) -> str:
        return f"expert-{self._name('p', 6)}"

    def token(self) -> str:
        return "hrd_" + self._name("t", 43)

    def invitation(self) -> str:
        return "inv_" + self._name("i", 43)

    def token_id(self) -> str:
        return self._name("k", 12)

    def _name(self, letter: str, length: int) -> str:
        self._made[letter] += 1
        return letter + str(self._made[letter]).zfill(length - 1)


@dataclass
class Store:
    """Everything the in-memory ports hold."""

    sessions: dict[str, Session] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    open_by_team: dict[tuple[str, str], str] = field(default_factory=dict)
    participations: dict[tuple[str, str], str] = field(default_factory=dict)
    quota: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    used: dict[tuple[str, str], Used] = field(default_factory=dict)
    requests: dict[str, TeamRequests] = field(default_factory=dict)
    unreported: dict[str, int] = field(default_factory=dict)
    asked: dict[tuple[str, int], Millis] = field(default_factory=dict)
    arrived: dict[tuple[str, int, str], Millis] = field(default_factory=dict)
    bodies: dict[tuple[str, int], Bodies] = field(default_factory=dict)
    deliveries: dict[tuple[str, int], Delivery] = field(default_factory=dict)
    receipts: dict[tuple[str, str], Receipt] = field(default_factory=dict)
    outbox: dict[Job, OutboxEntry] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    active_runs: set[str] = field(default_factory=set)
    unsettled: dict[str, int] = field(default_factory=dict)
    releases: dict[tuple[str, int], Release] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    people_rate: Counter[tuple[str, int]] = field(default_factory=Counter)
    uses: dict[tuple[str, str], Millis] = field(default_factory=dict)

    def tell(self, change: Change | None) -> None:
        if change is not None:
            self.changes.append(change)


class FakeSessions:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, session_id: str) -> Session | None:
        return self._store.sessions.get(session_id)

    def plan(self, session_id: str) -> Plan:
        return self._store.plans[session_id]

    def used(self, team_id: str, key_sha256: str) -> Used | None:
        return self._store.used.get((team_id, key_sha256))

    def open_of(self, team_id: str, mode: str) -> str | None:
        return self._store.open_by_team.get((team_id, mode))

    def opened_on(self, team_id: str, mode: str, day: str) -> int:
        return self._store.quota[team_id, mode, day]

    def open(self, session: Session, plan: Plan, key: Key | None, limit: int) -> None:
        quota = (session.team_id, session.order.mode, session.quota_day)
        if self._store.quota[quota] >= limit:
            raise LostRaceError
        self._save_new(session, key)
        self._store.plans[session.session_id] = plan
        self._store.quota[quota] += 1

    def join(self, session: Session, key: Key | None) -> None:
        once = (session.team_id, session.run_id or "")
        if session.order.mode == Mode.FINAL and once in self._store.participations:
            raise LostRaceError
        self._save_new(session, key)
        if session.order.mode == Mode.FINAL:
            self._store.participations[once] = session.session_id

    def participation(self, team_id: str, run_id: str) -> str | None:
        return self._store.participations.get((team_id, run_id))

    def _save_new(self, session: Session, key: Key | None) -> None:
        lock = (session.team_id, session.order.mode)
        taken = session.session_id in self._store.sessions or lock in self._store.open_by_team
        if taken or (key is not None and (session.team_id, key.key_sha256) in self._store.used):
            raise LostRaceError
        self._store.sessions[session.session_id] = session
        self._store.open_by_team[lock] = session.session_id
        if key is not None:
            self._store.used[session.team_id, key.key_sha256] = Used(key.asked_sha256, session.session_id)

    def close(self, before: Session, after: Session) -> None:
        if self._store.sessions[before.session_id].version != before.version:
            raise LostRaceError
        self._store.sessions[before.session_id] = after
        self._store.open_by_team.pop((before.team_id, before.order.mode), None)
        self._store.unreported[before.session_id] = 0

    def rescore(self, before: Session, after: Session) -> None:
        if self._store.sessions[before.session_id].version != before.version:
            raise LostRaceError
        self._store.sessions[before.session_id] = after

    def note_counts(self, closed: Session) -> None:
        known = self._store.sessions[closed.session_id]
        self._store.sessions[closed.session_id] = replace(known, counts=closed.counts)

    def of_team(self, team_id: str, limit: int, before: Millis | None) -> Sequence[str]:
        own = [each for each in self._store.sessions.values() if each.team_id == team_id]
        own = [each for each in own if before is None or each.opened_at < before]
        own.sort(key=lambda each: (each.opened_at, each.session_id), reverse=True)
        return [each.session_id for each in own[:limit]]

    def open_ids(self) -> Sequence[str]:
        return sorted(each.session_id for each in self._store.sessions.values() if each.is_open)

    def unreported_ids(self) -> Sequence[str]:
        return sorted(self._store.unreported)

    def unreported_since(self, session_id: str) -> int:
        return self._store.unreported.get(session_id, 0)

    def mark_reported(self, session_id: str, since: int) -> None:
        if self._store.unreported.get(session_id) == since:
            del self._store.unreported[session_id]

    def closed_on(self, day: str) -> Sequence[str]:
        closed = [each for each in self._store.sessions.values() if each.closed_at is not None]
        return sorted(each.session_id for each in closed if utc_day(each.closed_at or 0) == day)


class FakeDeliveries:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, session_id: str, number: int) -> Delivery | None:
        return self._store.deliveries.get((session_id, number))

    def of_session(self, session_id: str) -> Sequence[Delivery]:
        return [each for (owner, _), each in sorted(self._store.deliveries.items()) if owner == session_id]

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        first = min(at, self._store.asked.get((session_id, number), at))
        self._store.asked[session_id, number] = first
        return first

    def arrive(self, session_id: str, number: int, content_sha256: str, at: Millis) -> Millis:
        first = min(at, self._store.arrived.get((session_id, number, content_sha256), at))
        self._store.arrived[session_id, number, content_sha256] = first
        return first

    def settle(self, session_id: str, number: int, content_sha256: str) -> None:
        self._store.arrived.pop((session_id, number, content_sha256), None)

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        if (session_id, delivery.number) in self._store.deliveries:
            raise LostRaceError
        self._require_open(session_id)
        self._store.deliveries[session_id, delivery.number] = delivery

    def count_refused(self, session_id: str, number: int, code: str) -> None:
        if self._store.sessions[session_id].is_open:
            known = self._store.bodies.get((session_id, number), Bodies())
            counted = replace(known, refused=known.refused + 1, refused_code=code)
            self._store.bodies[session_id, number] = counted

    def count_repeated(self, session_id: str, number: int) -> None:
        if self._store.sessions[session_id].is_open:
            known = self._store.bodies.get((session_id, number), Bodies())
            self._store.bodies[session_id, number] = replace(known, repeated=known.repeated + 1)

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id
        self._require_unchanged(session_id, sent.before)
        if sent.session.is_open:
            self._require_open(session_id)
        self._save(sent.session, sent.receipt, sent.key)
        if sent.settles:
            self._settle(session_id, sent.receipt)
        self._store.deliveries[session_id, sent.before.number] = sent.after
        if sent.job is not None:
            self._store.outbox[sent.job] = OutboxEntry(sent.job, sent.at, 1)

    def ignore(self, session: Session, receipt: Receipt, key: Key | None, *, settles: bool = True) -> None:
        self._save(session, receipt, key)
        if settles:
            self._settle(session.session_id, receipt)

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        return self._store.receipts.get((session_id, f"{number:04d}#{send:02d}"))

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        return self._store.receipts.get((session_id, f"{number:04d}#IGNORED#{content_sha256}"))

    def receipt_named(self, session_id: str, name: str) -> Receipt | None:
        return self._store.receipts.get((session_id, name))

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        own = sorted(key for owner, key in self._store.receipts if owner == session_id and key > (after or ""))
        found = tuple(self._store.receipts[session_id, key] for key in own[:limit])
        return Page(found, own[limit - 1] if len(own) > limit else None)

    def _save(self, session: Session, receipt: Receipt, key: Key | None) -> None:
        last = f"IGNORED#{receipt.content_sha256}" if receipt.status == Status.IGNORED else f"{receipt.send:02d}"
        session_id, name = session.session_id, f"{receipt.number:04d}#{last}"
        used = (session.team_id, key.key_sha256 if key else "")
        if (session_id, name) in self._store.receipts or (key and used in self._store.used):
            raise LostRaceError
        self._store.receipts[session_id, name] = receipt
        if key:
            self._store.used[used] = Used(key.asked_sha256, session_id, name)

    def _settle(self, session_id: str, receipt: Receipt) -> None:
        self._store.arrived.pop((session_id, receipt.number, receipt.content_sha256), None)

    def _require_open(self, session_id: str) -> None:
        if not self._store.sessions[session_id].is_open:
            raise LostRaceError

    def _require_unchanged(self, session_id: str, before: Delivery) -> None:
        if self._store.deliveries[session_id, before.number].version != before.version:
            raise LostRaceError


class FakeOutbox:
    def __init__(self, store: Store) -> None:
        self._store = store

    def of_session(self, session_id: str) -> Sequence[OutboxEntry]:
        return [each for job, each in self._store.outbox.items() if job.session_id == session_id]

    def put(self, entry: OutboxEntry) -> None:
        self._store.outbox.setdefault(entry.job, entry)
        session_id = entry.job.session_id
        self._store.unreported[session_id] = self._store.unreported.get(session_id, 0) + 1

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        if self._store.outbox.get(entry.job) == entry:
            self._store.outbox[entry.job] = replace(entry, enqueued_at=at, enqueued=entry.enqueued + 1)

    def done(self, job: Job) -> None:
        self._store.outbox.pop(job, None)


class FakeRuns:
    def __init__(self, store: Store, announcements: FakeAnnouncements) -> None:
        self._store = store
        self._announcements = announcements

    def get(self, run_id: str) -> Run | None:
        return self._store.runs.get(run_id)

    def add(self, run: Run, change: Change | None, announced: Announcement | None = None) -> None:
        if run.run_id in self._store.runs:
            raise LostRaceError
        if announced is not None:
            self._announcements.require(None, announced)
            self._announcements.put(announced)
        self._store.runs[run.run_id] = run
        self._store.active_runs.add(run.run_id)
        self._store.tell(change)

    def change(self, before: Run, after: Run, change: Change) -> None:
        self._replace(before, after)
        self._store.tell(change)
        if after.closed_at is not None:
            self._store.unsettled[after.run_id] = after.version

    def close(self, before: Run, after: Run) -> None:
        self._replace(before, after)
        self._store.active_runs.discard(before.run_id)
        self._store.unsettled[after.run_id] = after.version

    def settled(self, run: Run) -> None:
        if self._store.unsettled.get(run.run_id) == run.version:
            del self._store.unsettled[run.run_id]

    def unsettled_ids(self) -> Sequence[str]:
        return sorted(self._store.unsettled)

    def _replace(self, before: Run, after: Run) -> None:
        if self._store.runs[before.run_id].version != before.version:
            raise LostRaceError
        self._store.runs[before.run_id] = after

    def active_ids(self) -> Sequence[str]:
        return sorted(self._store.active_runs)

    def of_mode(self, mode: Mode, limit: int, before: Millis | None = None) -> Sequence[str]:
        found = [each for each in self._store.runs.values() if each.mode is mode]
        found = [each for each in found if before is None or each.starts_at < before]
        found.sort(key=lambda each: (each.starts_at, each.run_id), reverse=True)
        return [each.run_id for each in found[:limit]]

    def sessions_of(self, run_id: str) -> Sequence[tuple[str, str]]:
        taking_part = (each for each in self._store.sessions.values() if each.run_id == run_id)
        return sorted((each.team_id, each.session_id) for each in taking_part)

    def release(self, run_id: str, number: int) -> Release | None:
        return self._store.releases.get((run_id, number))

    def releases(self, run_id: str) -> Sequence[Release]:
        return [each for (owner, _), each in sorted(self._store.releases.items()) if owner == run_id]

    def arm(self, run_id: str, release: Release, before: Release | None) -> None:
        known = self._store.releases.get((run_id, release.number))
        if (known.version if known else None) != (before.version if before else None):
            raise LostRaceError
        self._store.releases[run_id, release.number] = release

    def propose(self, run_id: str, proposal: Proposal, change: Change | None) -> None:
        known = self._store.proposals.get(run_id)
        if (known.version if known else 0) != proposal.version - 1:
            raise LostRaceError
        self._store.proposals[run_id] = proposal
        self._store.tell(change)

    def proposal(self, run_id: str) -> Proposal | None:
        return self._store.proposals.get(run_id)


class FakeScores:
    def __init__(self) -> None:
        self.records: dict[str, dict[ScoreKey, bytes]] = {}
        self.board: dict[tuple[str, str], dict[str, Entry]] = {}
        self.claimed: dict[tuple[str, str, str, str], Entry] = {}

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        return self.records.get(session_id, {}).get(key)

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        return dict(self.records.get(session_id, {}))

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        own = self.records.setdefault(session_id, {})
        if key in own:
            raise LostRaceError
        own[key] = record

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        return self.board.get((cycle, language), {}).get(team_id)

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        if self.entry(cycle, after.language, after.team_id) != before:
            raise LostRaceError
        self.board.setdefault((cycle, after.language), {})[after.team_id] = after

    def claim(self, cycle: str, entry: Entry) -> None:
        self.claimed[cycle, entry.language, entry.team_id, entry.session_id] = entry

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        return [each for key, each in sorted(self.claimed.items()) if key[:3] == (cycle, language, team_id)]

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [entry for _, entry in sorted(self.board.get((cycle, language), {}).items())]


class FakeAnnulments:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: dict[tuple[str, ...], Annulment] = {}

    def all(self, cycle: str) -> Sequence[Annulment]:
        return [each for key, each in sorted(self._made.items()) if key[0] == cycle]

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        known = self._made.get((cycle, *after.key))
        if (known and known.version) != (before and before.version):
            raise LostRaceError
        self._made[(cycle, *after.key)] = after
        self._store.changes.append(change)


class FakeBoards:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._states: dict[tuple[str, str], BoardState] = {}
        self._points: dict[tuple[str, str, str], list[Point]] = {}

    def state(self, cycle: str, board: str) -> BoardState | None:
        return self._states.get((cycle, board))

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        known = self.state(cycle, after.board)
        if (known and known.version) != (before and before.version):
            raise LostRaceError
        self._states[cycle, after.board] = after
        self._store.changes.append(change)

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        return list(self._points.get((cycle, board, scope), ()))

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: int | None
    ) -> None:
        known = self._points.setdefault((cycle, board, scope), [])
        if (known[-1].at if known else None) != (before.at if before else None):
            raise LostRaceError
        known[:] = [each for each in known if each.at != dropped] + [after]


class FakeCatalogue:
    def __init__(self, store: Store, announcements: FakeAnnouncements) -> None:
        self._store = store
        self._announcements = announcements
        self._cycle: Cycle | None = None
        self._parameters: dict[int, Parameters] = {}

    def cycle(self) -> Cycle | None:
        return self._cycle

    def parameters(self, version: int) -> Parameters:
        return self._parameters[version]

    def versions(self) -> Mapping[int, Parameters]:
        return self._parameters

    def publish(
        self, cycle: Cycle, parameters: Parameters | None, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        if cycle.version != (self._cycle.version if self._cycle else 0):
            raise LostRaceError
        for each in announced:
            self._announcements.require(*each)
        if parameters is not None:
            if parameters.version in self._parameters:
                raise LostRaceError
            self._parameters[parameters.version] = parameters
        self._cycle = replace(cycle, version=cycle.version + 1)
        for _, each in announced:
            self._announcements.put(each)
        self._store.tell(change)


class FakeImports:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._imports: dict[str, Import] = {}

    def get(self, import_id: str) -> Import | None:
        return self._imports.get(import_id)

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        known = self._imports.get(after.import_id)
        if (known.version if known else None) != (before.version if before else None):
            raise LostRaceError
        self._imports[after.import_id] = after
        self._store.tell(change)


class FakePeople:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._teams: dict[str, Team] = {}
        self._tokens: dict[str, Token] = {}

    def team(self, team_id: str) -> Team | None:
        return self._teams.get(team_id)

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        return {each: self._teams[each] for each in team_ids if each in self._teams}

    def add_team(self, team: Team, change: Change) -> None:
        if team.team_id in self._teams:
            raise LostRaceError
        self._teams[team.team_id] = team
        self._store.tell(change)

    def all_teams(self) -> Sequence[Team]:
        return [self._teams[each] for each in sorted(self._teams)]

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        self.must_be(before)
        self._teams[after.team_id] = after
        self._store.tell(change)

    def put(self, team: Team) -> None:
        self._teams[team.team_id] = team

    def must_be(self, team: Team) -> None:
        known = self._teams.get(team.team_id)
        if known is None or known.version != team.version:
            raise LostRaceError

    def token(self, token_sha256: str) -> Token | None:
        return self._tokens.get(token_sha256)

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        return [each for each in self._tokens.values() if each.team_id == team_id]

    def issue(self, token: Token, change: Change) -> None:
        if token.token_sha256 in self._tokens:
            raise LostRaceError
        self._tokens[token.token_sha256] = token
        self._store.tell(change)

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        known = self._tokens.get(token.token_sha256)
        if known is None or known.revoked_at is not None:
            raise LostRaceError
        self._tokens[token.token_sha256] = replace(known, revoked_at=at)
        self._store.tell(change)


class FakePersons:
    def __init__(self, store: Store, people: FakePeople) -> None:
        self._store = store
        self._people = people
        self._persons: dict[str, Person] = {}
        self._invitations: dict[str, Invitation] = {}

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        self._must_be(captain.person_id, before)
        self._people.add_team(team, change)
        self._persons[captain.person_id] = captain

    def person(self, person_id: str) -> Person | None:
        return self._persons.get(person_id)

    def members_of(self, team_id: str) -> Sequence[Person]:
        return [self._persons[each] for each in sorted(self._persons) if self._persons[each].team_id == team_id]

    def staff(self) -> Sequence[Person]:
        return [self._persons[each] for each in sorted(self._persons) if self._persons[each].pool is Pool.STAFF]

    def add_staff(self, person: Person, organizer: str, change: Change) -> None:
        self.set_staff(None, person, organizer, change)

    def set_staff(self, before: Person | None, after: Person, organizer: str, change: Change) -> None:
        decides = self._persons.get(organizer)
        if organizer and (decides is None or decides.role is not Role.ORGANIZER or not decides.is_active):
            raise LostRaceError
        self._must_be(after.person_id, before)
        self._persons[after.person_id] = after
        self._store.tell(change)

    def leave(self, team: Team, before: Person, after: Person, change: Change) -> None:
        self._people.must_be(team)
        self._must_be(before.person_id, before)
        self._persons[before.person_id] = after
        self._store.tell(change)

    def invite(self, invitation: Invitation, change: Change) -> None:
        if invitation.code_sha256 in self._invitations:
            raise LostRaceError
        self._invitations[invitation.code_sha256] = invitation
        self._store.tell(change)

    def invitation(self, code_sha256: str) -> Invitation | None:
        return self._invitations.get(code_sha256)

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        found = sorted(self._invitations.values(), key=lambda each: each.invitation_id)
        return [each for each in found if each.team_id == team_id]

    def revoke_invitation(self, invitation: Invitation, at: Millis, change: Change) -> None:
        self._invitations[invitation.code_sha256] = replace(self._open(invitation), revoked_at=at)
        self._store.tell(change)

    def accept(
        self,
        invitation: Invitation,
        team: tuple[Team, Team] | None,
        before: Person | None,
        member: Person,
        change: Change,
    ) -> None:
        still = self._open(invitation)
        self._must_be(member.person_id, before)
        if team is not None:
            self._people.must_be(team[0])
            self._people.put(team[1])
        self._invitations[invitation.code_sha256] = replace(still, accepted_by=member.person_id)
        self._persons[member.person_id] = member
        self._store.tell(change)

    def _open(self, invitation: Invitation) -> Invitation:
        known = self._invitations.get(invitation.code_sha256)
        if known is None or known.accepted_by or known.revoked_at is not None:
            raise LostRaceError
        return known

    def _must_be(self, person_id: str, before: Person | None) -> None:
        known = self._persons.get(person_id)
        if (known and known.version) != (before and before.version):
            raise LostRaceError


class FakeQualification:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._conclusions: dict[tuple[str, str, QualificationKind, str], Conclusion] = {}
        self._claims: dict[tuple[str, str, QualificationKind], Claim] = {}
        self._admissions: dict[tuple[str, str], Admission] = {}

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        return self._conclusions.get((cycle, team_id, kind, session_id))

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        return [self._conclusions[each] for each in sorted(self._conclusions) if each[:3] == (cycle, team_id, kind)]

    def claims(self, cycle: str) -> Sequence[Claim]:
        return [self._claims[each] for each in sorted(self._claims) if each[0] == cycle]

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return [each for each in self.claims(cycle) if each.team_id == team_id]

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        key = claimed = (after.cycle, after.team_id, after.kind)
        self._must_be(self._conclusions.get((*key, after.session_id)), before)
        self._must_be(self._claims.get(claimed), claim_before)
        self._conclusions[*key, after.session_id] = after
        self._claims[claimed] = claim_after
        self._store.tell(change)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        return self._admissions.get((cycle, team_id))

    def admissions(self, cycle: str) -> Sequence[Admission]:
        return [self._admissions[each] for each in sorted(self._admissions) if each[0] == cycle]

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        self._must_be(self._admissions.get((cycle, after.team_id)), before)
        self._admissions[cycle, after.team_id] = after
        self._store.tell(change)

    def _must_be(self, known: Any, before: Any) -> None:
        if (known and known.version) != (before and before.version):
            raise LostRaceError


class FakeRescorings:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Rescoring] = {}

    def add(self, rescoring: Rescoring, change: Change) -> None:
        if rescoring.rescoring_id in self._known:
            raise LostRaceError
        self._known[rescoring.rescoring_id] = rescoring
        self._store.tell(change)

    def get(self, rescoring_id: str) -> Rescoring | None:
        return self._known.get(rescoring_id)

    def change(self, before: Rescoring, after: Rescoring, change: Change) -> None:
        if self._known[before.rescoring_id].version != before.version:
            raise LostRaceError
        self._known[before.rescoring_id] = after
        self._store.tell(change)

    def all(self) -> Sequence[Rescoring]:
        return sorted(self._known.values(), key=lambda each: (each.begun_at, each.rescoring_id), reverse=True)


class FakeSignIns:
    """Tokens that a test has given; their text is anything."""

    def __init__(self) -> None:
        self.given: dict[str, SignedIn] = {}

    def read(self, token: str) -> SignedIn | None:
        return self.given.get(token)


class FakeAccounts:
    def __init__(self) -> None:
        self.open: dict[str, bool] = {}

    def invite(self, email: str, name: str) -> str:
        assert name
        self.open.setdefault(email, True)
        return f"account-of-{email}"

    def close(self, email: str) -> None:
        if email in self.open:
            self.open[email] = False

    def reopen(self, email: str) -> None:
        self.open[email] = True


class FakeAuditLog:
    def __init__(self, store: Store) -> None:
        self.changes = store.changes

    def on(self, day: str) -> Sequence[Change]:
        return [each for each in self.changes if utc_day(each.at) == day]

    def between(self, first: str, last: str, after: str | None) -> Iterator[tuple[str, Change]]:
        ordered = sorted(enumerate(self.changes), key=lambda pair: pair[1].at)
        for number, each in ordered:
            cursor = f"{each.at:013d}-{number:016x}"
            if first <= utc_day(each.at) <= last and (after is None or cursor > after):
                yield cursor, each


class FakeRequests:
    def __init__(self, store: Store) -> None:
        self._store = store

    def of_team(self, team_id: str) -> TeamRequests | None:
        return self._store.requests.get(team_id)

    def of_person(self, person_id: str, second: int) -> int:
        self._store.people_rate[person_id, second] += 1
        return self._store.people_rate[person_id, second]

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        self._store.uses[team_id, token_id] = at

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        return {token: at for (team, token), at in self._store.uses.items() if team == team_id}

    def note(self, team_id: str, before: TeamRequests | None, noted: Noted) -> TeamRequests:
        kept, known = self._store.requests.get(team_id), before or TeamRequests()
        counts = noted.second is not None and counted(known, noted.second) != known
        heard = noted.session is not None and heard_of(known, noted.session, noted.at, noted.until) != known
        if not counts and not heard:
            return known
        made = kept or TeamRequests()
        if (before is None and kept is not None) or (counts and made.second != known.second):
            raise LostRaceError
        if counts and noted.second is not None:
            made = counted(made, noted.second)
        if heard and noted.session is not None:
            later = heard_of(made, noted.session, noted.at, noted.until)
            if later == made:
                raise LostRaceError
            made = later
        self._store.requests[team_id] = made
        return made


class FakeSessionReads:
    def __init__(self, platform: FakePlatform) -> None:
        self._platform = platform

    def read(self, wanted: Wanted) -> Found:
        store, name, run_id = self._platform.store, wanted.session_id, wanted.run_id or ""
        numbers = sorted(wanted.numbers) if name else []
        asked = {number: store.asked[name, number] for number in numbers if (name, number) in store.asked}
        deliveries = {n: store.deliveries[name, n] for n in numbers if (name, n) in store.deliveries}
        return Found(
            wanted=wanted,
            requests=self._platform.requests.of_team(wanted.team_id),
            session=self._platform.sessions.get(name),
            deliveries=deliveries,
            asked=asked if wanted.asked else {},
            bodies=self._bodies(name),
            used=store.used.get((wanted.team_id, wanted.key_sha256 or "")),
            run=store.runs.get(run_id) if wanted.reads_run else None,
            release=store.releases.get((run_id, wanted.release)),
            cycle=self._platform.catalogue.cycle() if wanted.cycle else None,
        )

    def facts(self, session_id: str) -> SessionFacts:
        store = self._platform.store
        arrived: dict[int, list[Millis]] = {}
        for (owner, number, _), at in sorted(store.arrived.items()):
            if owner == session_id:
                arrived.setdefault(number, []).append(at)
        return SessionFacts(
            deliveries=self._platform.deliveries.of_session(session_id),
            asked={number: at for (owner, number), at in sorted(store.asked.items()) if owner == session_id},
            arrived={number: sorted(moments) for number, moments in arrived.items()},
            attachment=self._platform.connections.attachment(session_id),
            bodies=self._bodies(session_id),
        )

    def _bodies(self, session_id: str) -> dict[int, Bodies]:
        found = sorted(self._platform.store.bodies.items())
        return {number: counted for (owner, number), counted in found if owner == session_id}


class FakeBlobs:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def get(self, name: str) -> bytes:
        try:
            return self.objects[name]
        except KeyError:
            raise MissingBlobError(name) from None

    def put(self, name: str, content: bytes) -> None:
        self.objects[name] = content

    def put_if_absent(self, name: str, content: bytes) -> None:
        self.objects.setdefault(name, content)

    def put_all_if_absent(self, objects: Mapping[str, bytes], told: Callable[[str], None]) -> None:
        for name, content in objects.items():
            self.objects.setdefault(name, content)
            told(name)

    def get_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: self.get(name) for name in names}

    def publish(self, name: str, content: bytes, media_type: str, *, lasting: bool = True) -> None:
        self.objects.setdefault(name, content)

    def names(self, prefix: str) -> Sequence[str]:
        return sorted(name for name in self.objects if name.startswith(prefix))

    def delete(self, name: str) -> None:
        self.objects.pop(name, None)


class FakeQueue(Generic[Work]):
    def __init__(self) -> None:
        self.jobs: list[Work] = []

    def send(self, jobs: Sequence[Work]) -> None:
        self.jobs += jobs


class FakeShadows:
    """The recomputation, which is done as soon as it is sent for: the real one, on what is stored here."""

    def __init__(self, platform: FakePlatform) -> None:
        self._platform = platform
        self._source = FakeSource(platform)

    def send(self, jobs: Sequence[ShadowTask]) -> None:
        for each in jobs:
            recompute(self._source, each.run_id, each.session_id, again=each.again, tracks=self._platform.tracks)


class NoChannel:
    """Connections of an event channel that nobody uses."""

    def all(self) -> Sequence[Any]:
        return ()

    def attachment(self, session_id: str) -> None:
        return None


class FakePlatform:
    """:class:`contest.services.platform.Platform` in memory."""

    def __init__(self, tracks: Tracks | None = None) -> None:
        self.store = Store()
        self.sessions = FakeSessions(self.store)
        self.deliveries = FakeDeliveries(self.store)
        self.announcements = FakeAnnouncements(self.store.tell)
        self.runs = FakeRuns(self.store, self.announcements)
        self.connections: Any = NoChannel()
        self.outbox = FakeOutbox(self.store)
        self.scores = FakeScores()
        self.annulments = FakeAnnulments(self.store)
        self.boards = FakeBoards(self.store)
        self.announcer = FakeAnnouncer()
        self.catalogue = FakeCatalogue(self.store, self.announcements)
        self.imports = FakeImports(self.store)
        self.people = FakePeople(self.store)
        self.persons = FakePersons(self.store, self.people)
        self.qualification = FakeQualification(self.store)
        self.dead_letters = FakeDeadLetters(self.store)
        self.work_queues = FakeWorkQueues()
        self.upkeep = FakeUpkeep(self.store)
        self.rescorings = FakeRescorings(self.store)
        self.rescoring_tasks = FakeQueue[RescoringTask]()
        self.sign_ins = FakeSignIns()
        self.accounts = FakeAccounts()
        self.audit_log = FakeAuditLog(self.store)
        self.experts = FakeExperts(self.store)
        self.requests = FakeRequests(self.store)
        self.capacity: Capacity | None = None
        self.session_reads = FakeSessionReads(self)
        self.blobs = FakeBlobs()
        self.queue = FakeQueue[Job]()
        self.settling = FakeQueue[settlement.SettlingTask]()
        self.shadows: Any = FakeShadows(self)
        self.audits = FakeQueue[AuditJob]()
        self.importing = FakeQueue[ImportJob]()
        self.clock = HeldClock()
        self.signer = Ed25519Signer("0" * 64)
        self.randomness = CountingNames()
        self.tracks: Tracks = tracks or {"toy": ToyTrack()}.__getitem__
        self.code = "code"
        self.memory = Memory()
