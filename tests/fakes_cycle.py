"""The cycle, what is imported of it, and its runs in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from contest.cycle.rules.cycle import Cycle, Mode, Parameters
from contest.cycle.rules.notices import Announced, Announcement
from contest.people.rules import Change
from contest.ports import LostRaceError
from contest.run.rules.commitment import PublicKey, UsedKey
from contest.run.rules.fate import Watch
from contest.run.rules.run import Run
from contest.run.rules.schedule import Proposal, Release
from contest.values import Millis
from tests.fakes_announcements import FakeAnnouncements
from tests.fakes_store import Store


class FakeSigningKeys:
    """:class:`contest.ports.SigningKeys`."""

    def __init__(self) -> None:
        self._used: dict[str, UsedKey] = {}

    def note(self, key: PublicKey, at: Millis) -> None:
        self._used.setdefault(key.key_id, UsedKey(key, at))

    def used(self) -> Sequence[UsedKey]:
        return list(self._used.values())


class FakeRuns:
    def __init__(self, store: Store, announcements: FakeAnnouncements) -> None:
        self._store = store
        self._announcements = announcements

    def get(self, run_id: str, earlier: Run | None = None) -> Run | None:
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
        runs = [run for run in self._store.runs.values() if run.mode is mode]
        runs = [run for run in runs if before is None or run.starts_at < before]
        runs.sort(key=lambda run: (run.starts_at, run.run_id), reverse=True)
        return [run.run_id for run in runs[:limit]]

    def sessions_of(self, run_id: str) -> Sequence[tuple[str, str]]:
        taking_part = (session for session in self._store.sessions.values() if session.run_id == run_id)
        return sorted((session.team_id, session.session_id) for session in taking_part)

    def release(self, run_id: str, number: int) -> Release | None:
        return self._store.releases.get((run_id, number))

    def releases(self, run_id: str, first: int = 1) -> Sequence[Release]:
        records = sorted(self._store.releases.items())
        return [release for (owner, number), release in records if owner == run_id and number >= first]

    def arm(self, run_id: str, release: Release, before: Release | None) -> None:
        stored = self._store.releases.get((run_id, release.number))
        if (stored.version if stored else None) != (before.version if before else None):
            raise LostRaceError
        self._store.releases[run_id, release.number] = release

    def propose(self, run_id: str, proposal: Proposal, change: Change | None) -> None:
        stored = self._store.proposals.get(run_id)
        if (stored.version if stored else 0) != proposal.version - 1:
            raise LostRaceError
        self._store.proposals[run_id] = proposal
        self._store.tell(change)

    def proposal(self, run_id: str) -> Proposal | None:
        return self._store.proposals.get(run_id)

    def watch(self, run_id: str) -> Watch:
        return self._store.watches.get(run_id, Watch())

    def keep_watch(self, run_id: str, watch: Watch) -> None:
        if self.watch(run_id).version != watch.version - 1:
            raise LostRaceError
        self._store.watches[run_id] = watch


class FakeCatalogue:
    def __init__(self, store: Store, announcements: FakeAnnouncements) -> None:
        self._store = store
        self._announcements = announcements
        self._cycle: Cycle | None = None
        self._parameters: dict[int, Parameters] = {}

    def cycle(self, known: Cycle | None = None) -> Cycle | None:
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
        for announcement in announced:
            self._announcements.require(*announcement)
        if parameters is not None:
            if parameters.version in self._parameters:
                raise LostRaceError
            self._parameters[parameters.version] = parameters
        self._cycle = replace(cycle, version=cycle.version + 1)
        for _, announcement in announced:
            self._announcements.put(announcement)
        self._store.tell(change)
