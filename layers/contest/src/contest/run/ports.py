"""The port of scheduled runs; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Mode
    from contest.cycle.rules.notices import Announcement
    from contest.people.rules import Change
    from contest.run.rules.fate import Watch
    from contest.run.rules.run import Action, Run
    from contest.run.rules.schedule import Proposal, Release
    from contest.values import Millis


class Arming(Protocol):
    """Executions of functions that are kept running, and the moments from which others are."""

    def kept(self) -> Mapping[str, int]:
        """Return how many executions of each function are asked for by now."""

    def planned(self) -> Sequence[Action]:
        """List the actions that are scheduled, and those of the past that are still kept."""

    def put(self, action: Action) -> None:
        """Schedule an action, in the place of one of the same function and moment."""

    def remove(self, action: Action) -> None:
        """Take an action back; one that is gone is no error."""


class Runs(Protocol):
    """Scheduled runs, their release records, and which sessions take part."""

    def get(self, run_id: str, known: Run | None = None) -> Run | None:
        """Return the run as last written; ``known``, as the caller has read it before, where nothing was since."""

    def add(self, run: Run, change: Change | None, announced: Announcement | None = None) -> None:
        """Write a new run unless it exists, with its pointers among the active ones and those of its mode, and with its
        announcement ``announced``.

        ``change`` None: a timer planned it.
        """

    def change(self, before: Run, after: Run, change: Change) -> None:
        """Write the changed run if it is still as ``before``; its start and mode are the same.

        A closed one is among the unsettled from then on.
        """

    def close(self, before: Run, after: Run) -> None:
        """Write the closed run if it is still as ``before`` and move it from the active ones to the unsettled."""

    def settled(self, run: Run) -> None:
        """Take a closed run from the unsettled ones, if nobody has changed it since.

        Losing the race changes nothing and is no error: the timer looks at the run again.
        """

    def unsettled_ids(self) -> Sequence[str]:
        """List all closed runs that changed since all their results were made."""

    def active_ids(self) -> Sequence[str]:
        """List all runs whose record is still to be made."""

    def of_mode(self, mode: Mode, limit: int, before: Millis | None = None) -> Sequence[str]:
        """List ids of runs of a mode, the latest start first, that start before a moment."""

    def sessions_of(self, run_id: str) -> Sequence[tuple[str, str]]:
        """List team and session of all participants, by team."""

    def release(self, run_id: str, number: int) -> Release | None:
        """Return the release record of a file, None while nobody has written it."""

    def releases(self, run_id: str, first: int = 1) -> Sequence[Release]:
        """Return all release records from a file on, by number."""

    def arm(self, run_id: str, release: Release, before: Release | None) -> None:
        """Write a release record if the one there is still ``before`` (None: there is none)."""

    def propose(self, run_id: str, proposal: Proposal, change: Change | None) -> None:
        """Write the proposal on a mass failure if the one there is of the version before (1: there is none).

        ``change`` None: a timer made it.
        """

    def proposal(self, run_id: str) -> Proposal | None:
        """Return the latest proposal on a mass failure."""

    def watch(self, run_id: str) -> Watch:
        """Return what the timer knows of the files of a run; an empty one before its first visit."""

    def keep_watch(self, run_id: str, watch: Watch) -> None:
        """Write what the timer knows if what is there is of the version before."""


class RunPorts:
    """The platform's ports of scheduled runs."""

    runs: Port[Runs] = Port()
    arming: Port[Arming] = Port()
