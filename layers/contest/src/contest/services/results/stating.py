"""Judges and commission state what they found: of a final's results, or of a mass failure (R 8.3, R 7.16.1, D 11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from contest.domain.people.teams import Change, by_person
from contest.domain.results import run_report
from contest.domain.run.protocols import MOST, Matter, Protocol, latest
from contest.domain.run.run import Run
from contest.errors.conduct import SameSignatoryError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.results import boards, publishing
from contest.services.run import protocols
from tracks.protocol import Reason
from tracks.rules import Signatory


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody states; see :class:`~contest.domain.run.protocols.Protocol`."""

    by: Signatory
    matter: Matter
    positive: bool
    reason: str


def state(platform: Platform, who: str, run_id: str, said: Statement) -> Run:
    """Record a protocol about a run; it names the very results that would be published now.

    Results can be stated of when they are made (they are sent for, like those of a publication), a mass failure from
    the run's start on. Nobody who has ever signed for one side of a matter signs for the other (R 8.2 has it so of
    conclusions), and no side says twice in a row what it has said. O(protocols of the run).

    Clause: R 8.3.3, R 8.3.4, R 7.16.1, D 6.10, D 6.13, D 8.5.2, D 8.14, D 11.2, D 11.3, D 11.4, TS D-6, TS D-12
    Clause: platform §1 judge
    """

    def stated(before: Run) -> Run:
        now, edition = platform.clock.now(), _edition(platform, before, said.matter)
        _refuse_again(before, who, said, edition)
        made = Protocol(len(before.protocols) + 1, said.matter, said.by, said.positive, said.reason, who, now, edition)
        after = replace(before, protocols=(*before.protocols, made), version=before.version + 1)
        found = {"by": made.by, "matter": made.matter, "positive": made.positive, "edition": edition}
        change = Change(now, who, "protocol recorded", run_id, {}, {**found, "reason": made.reason})
        platform.runs.change(before, after, change)
        return after

    def read() -> Run:
        return reading.run_now(platform, run_id)

    return decide_until_written(read(), stated, read)


def lacking(platform: Platform, run: Run) -> Iterator[Reason]:
    """Warnings of a final that counts, once its board is made: whose positive protocol on it is not there.

    Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
    """
    if boards.has_results(run) and not run.trial and boards.is_made(platform, run):
        yield from protocols.lacking(platform, run)


def _edition(platform: Platform, run: Run, matter: Matter) -> str:
    """Which results are there to be stated of; empty on another matter."""
    if matter is Matter.RESULTS:
        publishing.refuse_unless_closed(run)
        publishing.refuse_unmade(platform, run)
        return run_report.results_edition(run)
    if platform.clock.now() < run.starts_at:
        raise RefusedError("run_not_started", "the run has not begun yet", "прогон ещё не начался")
    return ""


def _refuse_again(run: Run, who: str, said: Statement, edition: str) -> None:
    if len(run.protocols) >= MOST:
        raise RefusedError(
            "too_many_protocols",
            f"the run has {MOST} protocols, and takes no more",
            f"у прогона уже {MOST} протоколов, больше не принимается",
        )
    own = latest(run.protocols, said.matter, said.by)
    if own is not None and (own.positive, own.edition) == (said.positive, edition):
        raise RefusedError("stated_already", "the same is stated already", "это уже указано в протоколе")
    others = {each.who for each in run.protocols if each.matter is said.matter and each.by is not said.by}
    # A command on the deployment itself names no person of the contest.
    if who in others and who.startswith(by_person("")):
        raise SameSignatoryError
