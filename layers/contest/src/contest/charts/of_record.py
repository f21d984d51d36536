"""What a timeline shows of a run's published record (R 7.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.charts.timeline import FileTimes, Heading, run_chart
from contest.domain.moments import Millis, from_iso
from contest.domain.session.delivery import Cause


def chart(record: Mapping[str, Any]) -> bytes:
    """The teams' openings, hand-outs, answers and annulments along the run's time."""
    run = record["run"]
    opens = {each["number"]: from_iso(each["opens_at"]) for each in record["releases"]}
    teams = [
        (each["team_id"], [_times(file, opens) for file in each["files"] if file["number"] in opens])
        for each in record["sessions"]
    ]
    name = f"{run['run_id']}, {run['starts_at'][:10]}"
    trial = ("пробные, ", "trial, ") if run["trial"] else ("", "")
    heading = Heading(f"Прогон {trial[0]}{name}", f"Run {trial[1]}{name} (UTC)")
    breaks = [(from_iso(each["from"]), from_iso(each["until"])) for each in run["pauses"]]
    return run_chart(heading, teams, breaks, (from_iso(run["starts_at"]), from_iso(run["ends_at"])))


def _times(file: Mapping[str, Any], opens: Mapping[int, Millis]) -> FileTimes:
    def moment(name: str) -> Millis | None:
        return from_iso(file[name]) if file[name] is not None else None

    cause = Cause(file["cause"]) if file["cause"] else None
    ends = moment("handed_out_at"), moment("answer_by"), moment("answered_at")
    return FileTimes(file["number"], opens[file["number"]], *ends, cause)
