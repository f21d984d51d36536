"""Ports in memory, and a toy contest: what services need and nothing of AWS.

The fakes keep the ports' promises; ``tests/integration/test_adapters.py`` runs the same checks against them and the
real adapters.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contest.adapters.signer import Ed25519Signer
from contest.domain import overview
from contest.domain.cycle import Cycle, Mode, Parameters
from contest.domain.delivery import Delivery, Status
from contest.domain.leaderboard import Entry
from contest.domain.moments import Millis, utc_day
from contest.domain.people import Change, Team, Token
from contest.domain.receipts import Receipt
from contest.domain.release import Proposal, Release
from contest.domain.run import Run
from contest.domain.scoring import Job, OutboxEntry, ScoreKey
from contest.domain.session import Plan, Session
from contest.ports import LostRaceError, MissingBlobError, Page, Sent, Tracks
from contest.services.platform import Memory
from tracks.protocol import (
    ItemFacts,
    Json,
    Outcome,
    Place,
    Policies,
    Reason,
    Section,
    Standing,
    Step,
    Text,
    Turn,
    Verdict,
)


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
        return self._name("s", 20)

    def run_id(self) -> str:
        return self._name("r", 20)

    def file_id(self) -> str:
        return self._name("f", 16)

    def salt(self) -> str:
        return hashlib.sha256(self._name("z", 8).encode()).hexdigest()

    def token(self) -> str:
        return "hrd_" + self._name("t", 43)

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
    opened_with: dict[tuple[str, str], str] = field(default_factory=dict)
    seen: dict[str, Millis] = field(default_factory=dict)
    unreported: set[str] = field(default_factory=set)
    asked: dict[tuple[str, int], Millis] = field(default_factory=dict)
    arrived: dict[tuple[str, int, str], Millis] = field(default_factory=dict)
    deliveries: dict[tuple[str, int], Delivery] = field(default_factory=dict)
    receipts: dict[tuple[str, str], Receipt] = field(default_factory=dict)
    retries: dict[tuple[str, int, str], str] = field(default_factory=dict)
    outbox: dict[Job, OutboxEntry] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    active_runs: set[str] = field(default_factory=set)
    releases: dict[tuple[str, int], Release] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)


class FakeSessions:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, session_id: str) -> Session | None:
        return self._store.sessions.get(session_id)

    def plan(self, session_id: str) -> Plan:
        return self._store.plans[session_id]

    def opened_with(self, team_id: str, retry_key: str) -> str | None:
        return self._store.opened_with.get((team_id, retry_key))

    def open_of(self, team_id: str, mode: str) -> str | None:
        return self._store.open_by_team.get((team_id, mode))

    def opened_on(self, team_id: str, mode: str, day: str) -> int:
        return self._store.quota[team_id, mode, day]

    def open(self, session: Session, plan: Plan, retry_key: str | None, limit: int) -> None:
        quota = (session.team_id, session.order.mode, session.quota_day)
        if self._store.quota[quota] >= limit:
            raise LostRaceError
        self._save_new(session, retry_key)
        self._store.plans[session.session_id] = plan
        self._store.quota[quota] += 1

    def join(self, session: Session, retry_key: str | None) -> None:
        once = (session.team_id, session.run_id or "")
        if session.order.mode == Mode.FINAL and once in self._store.participations:
            raise LostRaceError
        self._save_new(session, retry_key)
        if session.order.mode == Mode.FINAL:
            self._store.participations[once] = session.session_id

    def participation(self, team_id: str, run_id: str) -> str | None:
        return self._store.participations.get((team_id, run_id))

    def _save_new(self, session: Session, retry_key: str | None) -> None:
        lock = (session.team_id, session.order.mode)
        taken = session.session_id in self._store.sessions or lock in self._store.open_by_team
        if taken or (retry_key is not None and (session.team_id, retry_key) in self._store.opened_with):
            raise LostRaceError
        self._store.sessions[session.session_id] = session
        self._store.open_by_team[lock] = session.session_id
        if retry_key is not None:
            self._store.opened_with[session.team_id, retry_key] = session.session_id

    def close(self, before: Session, after: Session) -> None:
        if self._store.sessions[before.session_id].version != before.version:
            raise LostRaceError
        self._store.sessions[before.session_id] = after
        self._store.open_by_team.pop((before.team_id, before.order.mode), None)
        self._store.unreported.add(before.session_id)

    def note_counts(self, closed: Session) -> None:
        known = self._store.sessions[closed.session_id]
        self._store.sessions[closed.session_id] = replace(known, counts=closed.counts)

    def touch(self, session_id: str, at: Millis) -> Millis | None:
        latest = self._store.seen.get(session_id)
        if latest is not None and latest >= at:
            return at
        self._store.seen[session_id] = at
        return latest

    def seen_at(self, session_id: str) -> Millis | None:
        return self._store.seen.get(session_id)

    def of_team(self, team_id: str, limit: int, before: Millis | None) -> Sequence[str]:
        own = [each for each in self._store.sessions.values() if each.team_id == team_id]
        own = [each for each in own if before is None or each.opened_at < before]
        own.sort(key=lambda each: (each.opened_at, each.session_id), reverse=True)
        return [each.session_id for each in own[:limit]]

    def open_ids(self) -> Sequence[str]:
        return sorted(each.session_id for each in self._store.sessions.values() if each.is_open)

    def unreported_ids(self) -> Sequence[str]:
        return sorted(self._store.unreported)

    def mark_reported(self, session_id: str) -> None:
        self._store.unreported.discard(session_id)

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

    def first_not_handed_out(self, session_id: str, files: int) -> int | None:
        return overview.first_gap([each.number for each in self.of_session(session_id)], 1, files)

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        first = min(at, self._store.asked.get((session_id, number), at))
        self._store.asked[session_id, number] = first
        return first

    def asked_at(self, session_id: str, number: int) -> Millis | None:
        return self._store.asked.get((session_id, number))

    def asked(self, session_id: str) -> Mapping[int, Millis]:
        return {number: at for (owner, number), at in sorted(self._store.asked.items()) if owner == session_id}

    def arrive(self, session_id: str, number: int, body_sha256: str, at: Millis) -> Millis:
        first = min(at, self._store.arrived.get((session_id, number, body_sha256), at))
        self._store.arrived[session_id, number, body_sha256] = first
        return first

    def arrived(self, session_id: str) -> Mapping[int, Sequence[Millis]]:
        found: dict[int, list[Millis]] = {}
        for (owner, number, _), at in sorted(self._store.arrived.items()):
            if owner == session_id:
                found.setdefault(number, []).append(at)
        return {number: sorted(moments) for number, moments in found.items()}

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        if (session_id, delivery.number) in self._store.deliveries:
            raise LostRaceError
        self._require_open(session_id)
        self._store.deliveries[session_id, delivery.number] = delivery

    def refuse(self, session_id: str, before: Delivery, after: Delivery, body_sha256: str) -> None:
        self._require_unchanged(session_id, before)
        self._require_open(session_id)
        self._store.arrived.pop((session_id, before.number, body_sha256), None)
        self._store.deliveries[session_id, before.number] = after

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id
        self._require_unchanged(session_id, sent.before)
        if sent.session.is_open:
            self._require_open(session_id)
        self._save(session_id, sent.receipt, sent.retry_key)
        if sent.session.is_open:
            self._store.arrived.pop((session_id, sent.before.number, sent.body_sha256), None)
        self._store.deliveries[session_id, sent.before.number] = sent.after
        if sent.job is not None:
            self._store.outbox[sent.job] = OutboxEntry(sent.job, sent.at, 1)

    def ignore(self, session_id: str, receipt: Receipt, retry_key: str | None) -> None:
        self._save(session_id, receipt, retry_key)

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        return self._store.receipts.get((session_id, f"{number:04d}#{send:02d}"))

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        return self._store.receipts.get((session_id, f"{number:04d}#IGNORED#{content_sha256}"))

    def receipt_by_key(self, session_id: str, number: int, retry_key: str) -> Receipt | None:
        known = self._store.retries.get((session_id, number, retry_key))
        return self._store.receipts[session_id, known] if known else None

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        own = sorted(key for owner, key in self._store.receipts if owner == session_id and key > (after or ""))
        found = tuple(self._store.receipts[session_id, key] for key in own[:limit])
        return Page(found, own[limit - 1] if len(own) > limit else None)

    def _save(self, session_id: str, receipt: Receipt, retry_key: str | None) -> None:
        last = f"IGNORED#{receipt.content_sha256}" if receipt.status == Status.IGNORED else f"{receipt.send:02d}"
        name = f"{receipt.number:04d}#{last}"
        retry = (session_id, receipt.number, retry_key or "")
        if (session_id, name) in self._store.receipts or (retry_key and retry in self._store.retries):
            raise LostRaceError
        self._store.receipts[session_id, name] = receipt
        if retry_key:
            self._store.retries[retry] = name

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

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        if self._store.outbox.get(entry.job) == entry:
            self._store.outbox[entry.job] = replace(entry, enqueued_at=at, enqueued=entry.enqueued + 1)

    def done(self, job: Job) -> None:
        self._store.outbox.pop(job, None)


class FakeRuns:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, run_id: str) -> Run | None:
        return self._store.runs.get(run_id)

    def add(self, run: Run) -> None:
        if run.run_id in self._store.runs:
            raise LostRaceError
        self._store.runs[run.run_id] = run
        self._store.active_runs.add(run.run_id)

    def change(self, before: Run, after: Run) -> None:
        if self._store.runs[before.run_id].version != before.version:
            raise LostRaceError
        self._store.runs[before.run_id] = after

    def close(self, before: Run, after: Run) -> None:
        self.change(before, after)
        self._store.active_runs.discard(before.run_id)

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

    def propose(self, run_id: str, proposal: Proposal) -> None:
        known = self._store.proposals.get(run_id)
        if (known.version if known else 0) != proposal.version - 1:
            raise LostRaceError
        self._store.proposals[run_id] = proposal

    def proposal(self, run_id: str) -> Proposal | None:
        return self._store.proposals.get(run_id)


class FakeScores:
    def __init__(self) -> None:
        self.records: dict[str, dict[ScoreKey, bytes]] = {}
        self.board: dict[tuple[str, str], dict[tuple[str, str], Entry]] = {}

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        return self.records.get(session_id, {}).get(key)

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        return dict(self.records.get(session_id, {}))

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        own = self.records.setdefault(session_id, {})
        if key in own:
            raise LostRaceError
        own[key] = record

    def enter(self, cycle: str, entry: Entry) -> None:
        self.board.setdefault((cycle, entry.language), {})[entry.team_id, entry.session_id] = entry

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [entry for _, entry in sorted(self.board.get((cycle, language), {}).items())]


class FakeCatalogue:
    def __init__(self) -> None:
        self._cycle: Cycle | None = None
        self._parameters: dict[int, Parameters] = {}

    def cycle(self) -> Cycle | None:
        return self._cycle

    def parameters(self, version: int) -> Parameters:
        return self._parameters[version]

    def publish(self, cycle: Cycle, parameters: Parameters | None) -> None:
        if cycle.version != (self._cycle.version if self._cycle else 0):
            raise LostRaceError
        if parameters is not None:
            if parameters.version in self._parameters:
                raise LostRaceError
            self._parameters[parameters.version] = parameters
        self._cycle = replace(cycle, version=cycle.version + 1)


class FakePeople:
    def __init__(self) -> None:
        self._teams: dict[str, Team] = {}
        self._tokens: dict[str, Token] = {}

    def team(self, team_id: str) -> Team | None:
        return self._teams.get(team_id)

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        return {each: self._teams[each] for each in team_ids if each in self._teams}

    def add_team(self, team: Team) -> None:
        if team.team_id in self._teams:
            raise LostRaceError
        self._teams[team.team_id] = team

    def token(self, token_sha256: str) -> Token | None:
        return self._tokens.get(token_sha256)

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        return [each for each in self._tokens.values() if each.team_id == team_id]

    def issue(self, token: Token) -> None:
        if token.token_sha256 in self._tokens:
            raise LostRaceError
        self._tokens[token.token_sha256] = token

    def revoke(self, token: Token, at: Millis) -> None:
        known = self._tokens.get(token.token_sha256)
        if known is None or known.revoked_at is not None:
            raise LostRaceError
        self._tokens[token.token_sha256] = replace(known, revoked_at=at)


class FakeAuditLog:
    def __init__(self) -> None:
        self.changes: list[Change] = []

    def append(self, change: Change) -> None:
        self.changes.append(change)

    def on(self, day: str) -> Sequence[Change]:
        return [each for each in self.changes if utc_day(each.at) == day]


class FakeRates:
    def __init__(self) -> None:
        self._made = Counter[tuple[str, int]]()

    def count(self, team_id: str, window: int) -> int:
        self._made[team_id, window] += 1
        return self._made[team_id, window]


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

    def names(self, prefix: str) -> Sequence[str]:
        return sorted(name for name in self.objects if name.startswith(prefix))

    def delete(self, name: str) -> None:
        self.objects.pop(name, None)


class FakeQueue:
    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        self.jobs += jobs


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
        self.runs = FakeRuns(self.store)
        self.connections: Any = NoChannel()
        self.outbox = FakeOutbox(self.store)
        self.scores = FakeScores()
        self.catalogue = FakeCatalogue()
        self.people = FakePeople()
        self.audit_log = FakeAuditLog()
        self.rates = FakeRates()
        self.blobs = FakeBlobs()
        self.queue = FakeQueue()
        self.clock = HeldClock()
        self.signer = Ed25519Signer("0" * 64)
        self.randomness = CountingNames()
        self.tracks: Tracks = tracks or {"toy": ToyTrack()}.__getitem__
        self.memory = Memory()


def text(words: str) -> Text:
    return Text(en=words, ru=words)


class ToyTrack:
    """A contest of guessing letters: an item shows a question, an answer is ``{"letters": "…"}``.

    A reference is ``{"letters": "…"}`` too; the score is the share of right letters, in per cent. It shares nothing
    with essays, and runs on the platform without a change of it.
    """

    name = "toy"
    version = "1"

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        return (Step("only", {"letters": None}),)

    def policies(self, mode: str) -> Policies:
        return Policies()

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        known = {"bonus", "classifier", "languages"}
        wrong = tuple(
            Reason("unknown_parameter", text(f"unknown parameter {each}"), {"field": each})
            for each in sorted(set(raw) - known)
        )
        return {"bonus": raw.get("bonus", 0)}, wrong

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
            return None, (Reason("no_question", text("an item has a question"), {}),)
        return ItemFacts(raw["id"], raw["language"], raw["group"]), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        whole = isinstance(raw, dict) and isinstance(raw.get("letters"), str)
        return () if whole else (Reason("no_letters", text("a reference has letters"), {}),)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        return {"id": file_id, "question": item["question"]}

    def answer_schema(self) -> Mapping[str, Json]:
        return {"type": "object", "required": ["letters"], "properties": {"letters": {"type": "string"}}}

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        try:
            raw = json.loads(body)
        except ValueError:
            return Verdict((Reason("malformed_json", text("not JSON"), {}),))
        if not isinstance(raw, dict) or not isinstance(raw.get("letters"), str):
            return Verdict((Reason("no_letters", text("an answer has letters"), {"field": "letters"}),))
        return Verdict((), canonical={"letters": raw["letters"].strip()}, kind="letters")

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        gold, given = references[0]["letters"], answer["letters"]
        right = sum(a == b for a, b in zip(gold, given, strict=False))
        return {"points": 100 * right / len(gold) + parameters["bonus"], "scorer": self.version}

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        points = sorted(each.score["points"] for each in outcomes if each.score is not None)
        mean = sum(points) / len(points) if points else None
        all_points = sum(points) / len(outcomes) if outcomes and points else None
        return {
            "relative_accuracy": mean,
            "missed_as_zero": {"relative_accuracy": all_points},
            "seed": hashlib.sha256(str(seed).encode()).hexdigest()[:8],
        }

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        def value(standing: Standing) -> float:
            found = standing.aggregate["relative_accuracy"]
            return -1.0 if found is None else found

        values = [value(each) for each in standings]
        return tuple(Place(each.team, 1 + sum(other > value(each) for other in values)) for each in standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        rows = tuple((each.item.item_id, each.score["points"] if each.score else None) for each in outcomes)
        return (Section("files", text("Files"), (text("file"), text("points")), rows),)


class FolderInMemory:
    """A cycle's folder: ``{"cycle.json": …, "train/a.json": …}`` with JSON values or raw bytes."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self._files = {
            name: value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
            for name, value in files.items()
        }

    def names(self, folder: str) -> Sequence[str]:
        prefix = f"{folder}/" if folder else ""
        rest = (name.removeprefix(prefix) for name in self._files if name.startswith(prefix))
        return sorted(name for name in rest if "/" not in name)

    def read(self, name: str) -> bytes:
        try:
            return self._files[name]
        except KeyError:
            raise LookupError(name) from None


def toy_cycle(
    train: int = 4, test: int = 5, final: int = 0, reserve: int = 0, rules: Any = None, **parameters: Any
) -> dict[str, Any]:
    """A toy cycle's folder: items alternate between two languages, every reference is ``abcd``.

    Items of a final and of a reserve set have no references, as before the experts' work. ``rules`` are the rules of
    finals, a parameter that goes by the name of their set.
    """
    sizes = {"train": train, "test": test, "final": final, "reserve": reserve}
    kinds = {"train": "training"}
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "toy-1",
            "name": {"ru": "Игрушечный цикл", "en": "Toy cycle"},
            "track": "toy",
            "languages": {"rus": ["letters"], "eng": ["letters"]},
            "parameters": parameters | ({} if rules is None else {"final": rules}),
            "sets": {
                name: {"folder": name, "kind": kinds.get(name, name)}
                for name, count in sizes.items()
                if count or name in {"train", "test"}
            },
        }
    }
    for folder, count in sizes.items():
        for index in range(count):
            name = f"{folder}-{index:03d}"
            language = "rus" if index % 2 == 0 else "eng"
            item = {"id": name, "language": language, "group": "letters", "question": f"question {index}?"}
            files[f"{folder}/{name}.json"] = item
            if folder in {"train", "test"}:
                files[f"{folder}/{name}_exp01.json"] = {"letters": "abcd"}
    return files
