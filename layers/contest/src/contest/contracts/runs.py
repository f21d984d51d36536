"""Scheduled runs on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from contest.contracts.statements import AmendmentBody, CommitmentBody, OpenedRuling, RosterBody
from contest.contracts.wire import Moment, ReplyBody, RunId, RunLimits, attribute
from contest.domain.cycle.cycle import Mode
from contest.domain.moments import SECOND, Millis, iso, iso_or_none
from contest.domain.run import commitment as statements
from contest.domain.run.run import Run
from contest.domain.run.schedule import RunState, Schedule


class PauseBody(ReplyBody):
    """Nothing opens from `from` until just before `until`."""

    start: Moment = Field(alias="from")
    until: Moment


class OpeningBody(ReplyBody):
    """The next file to open."""

    number: int
    opens_at: Moment


class RunBody(ReplyBody):
    """A scheduled run. Times are as they are known now; a pause moves those that are still to come."""

    run_id: RunId
    mode: Mode
    trial: bool = Field(description="Scored for information, counted nowhere")
    set: str = attribute("set_name")
    language: str
    files: int
    state: RunState
    starts_at: Moment = Field(description="When the first file opens")
    interval_s: float
    ends_at: Moment = Field(description="The latest deadline of the last file")
    join_from: Moment = attribute("created_at")
    join_until: Moment
    limits: RunLimits
    pauses: list[PauseBody]
    paused_until: Moment | None
    next_opening: OpeningBody | None
    commitment: CommitmentBody
    roster: RosterBody | None = Field(description="Who was let in, sealed; null until joining is over for a minute")
    amendments: list[AmendmentBody]
    rulings: list[OpenedRuling] = Field(
        description="What opens the seals among the amendments; nothing before the record is there"
    )
    restarts: RunId | None = Field(description="The run that this one replaces (R 7.16)")
    results_published: bool = Field(description="Whether everybody sees its results; before, its board is refused")
    server_time: Moment


class RunsBody(ReplyBody):
    """Runs, the latest start first."""

    runs: list[RunBody]
    server_time: Moment


def run_limits(run: Run) -> RunLimits:
    """A run's limits in seconds."""
    known = run.limits
    return RunLimits(request_s=known.request / SECOND, answer_s=known.answer / SECOND, total_s=known.total / SECOND)


def paused_until(schedule: Schedule, now: Millis) -> str | None:
    """Until when the run is paused at this moment."""
    pause = schedule.pause_at(now)
    return iso_or_none(pause.until if pause else None)


def run_body(
    schedule: Schedule, commitment: Mapping[str, Any], roster: Mapping[str, Any] | None, now: Millis
) -> RunBody:
    """A run for everybody: its times and promises, nothing of its files."""
    run = schedule.run
    return RunBody(
        run_id=run.run_id,
        mode=run.mode,
        trial=run.trial,
        set=run.set_name,
        language=run.language,
        files=schedule.total_files,
        state=schedule.state_at(now),
        starts_at=iso(schedule.opens_at(1)),
        interval_s=run.interval / SECOND,
        ends_at=iso(schedule.ends_at),
        join_from=iso(run.created_at),
        join_until=iso(schedule.join_until),
        limits=run_limits(run),
        pauses=[
            PauseBody.model_validate({"from": iso(each.start), "until": iso(each.until)}) for each in schedule.pauses
        ],
        paused_until=paused_until(schedule, now),
        next_opening=_next_opening(schedule, now),
        commitment=CommitmentBody.model_validate(commitment),
        roster=None if roster is None else RosterBody.model_validate(roster),
        amendments=[AmendmentBody.model_validate(json.loads(each.signed)) for each in run.amendments if each.signed],
        rulings=[OpenedRuling.model_validate(each) for each in statements.published_rulings(run)],
        restarts=run.restarts,
        results_published=run.published_at is not None,
        server_time=iso(now),
    )


def _next_opening(schedule: Schedule, now: Millis) -> OpeningBody | None:
    coming = schedule.next_opening(now)
    return OpeningBody(number=coming[0], opens_at=iso(coming[1])) if coming else None
