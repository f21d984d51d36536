"""What organizers are shown of runs, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from contest.domain.cycle.cycle import Cycle, Mode
from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.people.teams import by_person
from contest.domain.results import session_report
from contest.domain.run.release import Proposal
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.services import reading
from contest.services.platform import Platform
from contest.services.run import planning, protocols, watching
from contest.services.run.watching import RunView


def listed(platform: Platform, mode: Mode | None, limit: int) -> list[dict[str, Any]]:
    """Runs, the latest start first."""
    found, now = planning.listed(platform, mode, limit), platform.clock.now()
    cycle = reading.cycle_now(platform) if found else None
    return [_summary(platform, cycle, each, now) for each in found] if cycle else []


def shown(platform: Platform, run_id: str) -> dict[str, Any]:
    """A run with its schedule, commitment, decisions, and a proposal on a mass failure."""
    schedule = reading.schedule_now(platform, run_id)
    proposal = platform.runs.proposal(run_id)
    names = _names(platform, [each.who for each in schedule.run.amendments])
    return {
        **_summary(platform, reading.cycle_now(platform), schedule.run, platform.clock.now()),
        "version": schedule.run.version,
        "commitment": planning.commitment_of(platform, run_id),
        "mass_failure": _proposed(platform, schedule, proposal) if proposal else None,
        "amendments": [
            {"number": each.number, "kind": each.kind.value, "at": iso(each.at), "who": each.who, "reason": each.reason}
            | {"name": names[each.who], "effective_at": iso(each.effective_at), "details": dict(each.details)}
            for each in schedule.run.amendments
        ],
    }


def _proposed(platform: Platform, schedule: Schedule, proposal: Proposal) -> dict[str, Any]:
    dismissed = proposal.body["dismissed"]
    if dismissed is not None:
        dismissed = {**dismissed, "name": _names(platform, [dismissed["who"]])[dismissed["who"]]}
    standing = watching.standing_of(schedule, proposal).value
    return {**proposal.body, "dismissed": dismissed, "standing": standing}


def _names(platform: Platform, deciders: Iterable[str]) -> dict[str, str | None]:
    """What those who decided are called; a command, or somebody who is not known any more, has no name."""
    found = {who: platform.persons.person(who.removeprefix(by_person(""))) for who in set(deciders)}
    return {who: None if person is None else person.name for who, person in found.items()}


def stated(platform: Platform, run_id: str) -> dict[str, Any]:
    """The protocols of a run, the latest first, and those that its results wait for.

    Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.3, D 11.4
    """
    run, cycle = reading.run_now(platform, run_id), reading.cycle_now(platform)
    names = _names(platform, [each.who for each in run.protocols])
    return {
        "run_id": run_id,
        "confirmed": protocols.confirmed(platform, cycle, run),
        "wanted": [asdict(each) for each in protocols.wanted(platform, cycle, run)],
        "protocols": [{**each, "name": names[each["who"]]} for each in protocols.described(run)],
    }


def planned(run: Run) -> dict[str, Any]:
    """A run that would be planned: its times and who may take part."""
    said = planning.described(run)
    del said["restarts"]
    return {**said, "language": run.language, "ends_at": iso(Schedule.of(run).ends_at)}


def watched(platform: Platform, found: RunView) -> dict[str, Any]:
    """A run at a moment with everybody who takes part."""
    coming = found.schedule.next_opening(found.now)
    return {
        **_summary(platform, reading.cycle_now(platform), found.schedule.run, found.now),
        "now": iso(found.now),
        "opened": found.opened,
        "next_opening": {"number": coming[0], "opens_at": iso(coming[1])} if coming else None,
        "connected": found.connected,
        "voided": {cause.value: count for cause, count in sorted(found.voided.items())},
        "delay_ms": session_report.statistics(found.delays),
        "mass_failure": found.proposal.body["numbers"] if found.proposal else None,
        "standing": found.standing.value if found.standing else None,
        "teams": [
            {
                "team_id": each.team_id,
                "session_id": each.session_id,
                "state": each.state,
                "connected": each.connected,
                "seen_at": iso(each.seen_at),
                "answered": each.answered,
                "open": each.open,
                "files": each.files,
                "voided": {cause.value: count for cause, count in sorted(each.voided.items())},
                "voided_share": each.voided_share,
                "solution_voided": each.solution_voided,
                "last_delay_ms": each.delays[-1] if each.delays else None,
                "cells": each.cells,
            }
            for each in found.teams
        ],
        "absent": [{"team_id": each.team_id, "name": each.name} for each in found.absent],
    }


def _summary(platform: Platform, cycle: Cycle, run: Run, now: Millis) -> dict[str, Any]:
    schedule = Schedule.of(run)
    return {
        "run_id": run.run_id,
        "state": schedule.state_at(now).value,
        **planning.described(run),
        "total_files": schedule.total_files,
        "ends_at": iso(schedule.ends_at),
        "continues": run.continues,
        "confirmed": protocols.confirmed(platform, cycle, run),
        "published": run.published_at is not None,
        "closed_at": iso_or_none(run.closed_at),
    }
