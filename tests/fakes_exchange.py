"""Sessions, files and requests in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from contest.channel.rules import Attachment
from contest.cycle.rules.cycle import Mode
from contest.ports import FileNotes, Found, Held, LostRaceError, Page, Sent, SessionFacts, Wanted
from contest.results.rules.jobs import Job, OutboxEntry
from contest.session.rules.delivery import Bodies, Delivery, Receipt, Status
from contest.session.rules.session import (
    DayQuota,
    Key,
    Latest,
    Opened,
    Plan,
    Session,
    TeamRequests,
    Used,
    count_request,
    newest_names,
)
from contest.values import Millis, utc_day
from tests.fakes_store import Store

if TYPE_CHECKING:
    from tests.fakes import FakePlatform

Stored = TypeVar("Stored")


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

    def opened_on(self, team_id: str, quota_name: str, day: str) -> int:
        return self._store.quota[team_id, quota_name, day]

    def open(self, session: Session, plan: Plan, key: Key | None, quota: DayQuota) -> None:
        counted = (session.team_id, quota.name, session.quota_day)
        if self._store.quota[counted] >= quota.most:
            raise LostRaceError
        self._save_new(session, key)
        self._store.plans[session.session_id] = plan
        self._store.quota[counted] += 1

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
        is_taken = session.session_id in self._store.sessions or lock in self._store.open_by_team
        if is_taken or (key is not None and (session.team_id, key.key_sha256) in self._store.used):
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
        session = self._store.sessions[closed.session_id]
        self._store.sessions[closed.session_id] = replace(session, counts=closed.counts)

    def of_team(self, team_id: str, limit: int, before: Millis | None) -> Sequence[str]:
        own = [session for session in self._store.sessions.values() if session.team_id == team_id]
        own.sort(key=lambda session: (session.opened_at, session.session_id), reverse=True)
        return newest_names([Opened(session.opened_at, session.session_id) for session in own], limit, before)

    def open_ids(self) -> Sequence[str]:
        return sorted(session.session_id for session in self._store.sessions.values() if session.is_open)

    def unreported_ids(self) -> Sequence[str]:
        return sorted(self._store.unreported)

    def unreported_since(self, session_id: str) -> int:
        return self._store.unreported.get(session_id, 0)

    def mark_reported(self, session_id: str, since: int) -> None:
        if self._store.unreported.get(session_id) == since:
            del self._store.unreported[session_id]

    def closed_on(self, day: str) -> Sequence[str]:
        closed = [session for session in self._store.sessions.values() if session.closed_at is not None]
        return sorted(session.session_id for session in closed if utc_day(session.closed_at or 0) == day)


class FakeDeliveries:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, session_id: str, number: int) -> Delivery | None:
        return self._store.deliveries.get((session_id, number))

    def of_session(self, session_id: str) -> Sequence[Delivery]:
        return [delivery for (owner, _), delivery in sorted(self._store.deliveries.items()) if owner == session_id]

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
            bodies = self._store.bodies.get((session_id, number), Bodies())
            counted = replace(bodies, refused=bodies.refused + 1, refused_code=code)
            self._store.bodies[session_id, number] = counted

    def count_repeated(self, session_id: str, number: int) -> None:
        if self._store.sessions[session_id].is_open:
            bodies = self._store.bodies.get((session_id, number), Bodies())
            self._store.bodies[session_id, number] = replace(bodies, repeated=bodies.repeated + 1)

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id
        self._require_unchanged(session_id, sent.before)
        if sent.session.is_open:
            self._require_open(session_id)
        self._save(sent.session, sent.receipt, sent.key)
        if sent.settles:
            self._settle(session_id, sent.receipt)
        self._store.deliveries[session_id, sent.before.number] = sent.after
        if sent.is_scored:
            job = Job(session_id, sent.after.number, sent.receipt.content_sha256)
            self._store.outbox[job] = OutboxEntry(job, sent.at, 1)

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
        receipts = tuple(self._store.receipts[session_id, key] for key in own[:limit])
        return Page(receipts, own[limit - 1] if len(own) > limit else None)

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
        return [entry for job, entry in self._store.outbox.items() if job.session_id == session_id]

    def older_than(self, moment: Millis) -> Sequence[OutboxEntry]:
        return [entry for entry in self._store.outbox.values() if entry.enqueued_at < moment]

    def put(self, entry: OutboxEntry) -> None:
        self._store.outbox.setdefault(entry.job, entry)
        session_id = entry.job.session_id
        self._store.unreported[session_id] = self._store.unreported.get(session_id, 0) + 1

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        if self._store.outbox.get(entry.job) == entry:
            self._store.outbox[entry.job] = replace(entry, enqueued_at=at, enqueued=entry.enqueued + 1)

    def done(self, job: Job) -> None:
        self._store.outbox.pop(job, None)


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

    def note(
        self,
        team_id: str,
        before: TeamRequests | None,
        at: Millis,
        *,
        second: int | None = None,
        session: Session | None = None,
        until: Millis = 0,
    ) -> int:
        stored, believed = self._store.requests.get(team_id), before or TeamRequests()
        counts = second is not None and count_request(believed, second) != believed
        heard = session is not None and believed.is_later(session, at)
        if not counts and not heard:
            return 1
        requests = stored or TeamRequests()
        if (before is None and stored is not None) or (counts and requests.second != believed.second):
            raise LostRaceError
        if counts and second is not None:
            requests = count_request(requests, second)
        if heard and session is not None:
            if not requests.is_later(session, at):
                raise LostRaceError
            latest = {**requests.latest, session.order.mode: Latest(session.session_id, at, until)}
            requests = replace(requests, latest=latest)
        self._store.requests[team_id] = requests
        return {requests.second: requests.count, requests.second - 1: requests.count_before}.get(second or 0, 1)


class FakeSessionReads:
    def __init__(self, platform: FakePlatform) -> None:
        self._platform = platform

    def read(self, needs: Wanted) -> Found:
        store, name, run_id = self._platform.store, needs.session_id, needs.run_id or ""
        numbers = sorted(needs.numbers) if name else []
        first_requests = {number: store.asked[name, number] for number in numbers if (name, number) in store.asked}
        deliveries = {n: store.deliveries[name, n] for n in numbers if (name, n) in store.deliveries}
        return Found(
            needs=needs,
            requests=self._platform.requests.of_team(needs.team_id),
            session=self._platform.sessions.get(name),
            deliveries=deliveries,
            first_requests=first_requests,
            bodies=self._bodies(name) if needs.reads_bodies else {},
            used=store.used.get((needs.team_id, needs.key_sha256 or "")),
            run=store.runs.get(run_id) if needs.reads_run else None,
            release=store.releases.get((run_id, needs.release)),
            cycle=self._platform.catalogue.cycle() if needs.cycle else None,
            opened=self._opened(needs.team_id) if needs.lists else (),
            guessed=self.sessions(needs.guessed) if needs.lists else {},
        )

    def _opened(self, team_id: str) -> list[Opened]:
        own = [session for session in self._platform.store.sessions.values() if session.team_id == team_id]
        return sorted((Opened(session.opened_at, session.session_id) for session in own), reverse=True)

    def sessions(self, session_ids: Iterable[str]) -> Mapping[str, Session]:
        sessions = {name: self._platform.sessions.get(name) for name in session_ids}
        return {name: session for name, session in sessions.items() if session is not None}

    def requests(self, team_ids: Iterable[str]) -> Mapping[str, TeamRequests]:
        by_team = {name: self._platform.requests.of_team(name) for name in team_ids}
        return {name: requests for name, requests in by_team.items() if requests is not None}

    def files(self, numbers: Mapping[str, Collection[int]]) -> Mapping[str, FileNotes]:
        store = self._platform.store
        return {
            name: FileNotes(
                {
                    number: store.deliveries[name, number]
                    for number in file_numbers
                    if (name, number) in store.deliveries
                },
                {number: store.asked[name, number] for number in file_numbers if (name, number) in store.asked},
                {number: moments for number, moments in self._arrived(name).items() if number in file_numbers},
            )
            for name, file_numbers in numbers.items()
        }

    def attachments(self, session_ids: Iterable[str]) -> Mapping[str, Attachment]:
        attachments = {name: self._platform.connections.attachment(name) for name in session_ids}
        return {name: attachment for name, attachment in attachments.items() if attachment is not None}

    def _arrived(self, session_id: str) -> Mapping[int, Sequence[Millis]]:
        arrived: dict[int, list[Millis]] = {}
        for (owner, number, _), at in sorted(self._platform.store.arrived.items()):
            if owner == session_id:
                arrived.setdefault(number, []).append(at)
        return {number: sorted(moments) for number, moments in arrived.items()}

    def held(self, team_id: str, cycle: str, mode: str, run_id: str | None) -> Held:
        sessions, admission = self._platform.sessions, self._platform.qualification.admission(cycle, team_id)
        return Held(sessions.open_of(team_id, mode), sessions.participation(team_id, run_id or ""), admission)

    def facts(self, session_id: str) -> SessionFacts:
        store = self._platform.store
        return SessionFacts(
            deliveries=tuple(self._platform.deliveries.of_session(session_id)),
            first_requests={number: at for (owner, number), at in sorted(store.asked.items()) if owner == session_id},
            arrived=self._arrived(session_id),
            attachment=self._platform.connections.attachment(session_id),
            bodies=self._bodies(session_id),
        )

    def _bodies(self, session_id: str) -> dict[int, Bodies]:
        stored = sorted(self._platform.store.bodies.items())
        return {number: counted for (owner, number), counted in stored if owner == session_id}
