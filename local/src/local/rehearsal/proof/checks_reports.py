"""The check of teams' reports of the final: what was answered and missed, when, how fast and how well (R 6.7, 7.8).

Each number is made anew: times from what the team's program was told and was given receipts of, accuracies from its
acknowledged answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from local.rehearsal.moments import Millis, from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_results import Standing, replay

Json = Any
_PERCENTILES: Final = {"p50": 50, "p95": 95}


def told(case: Case) -> Check:
    """Every team's report of the final tells of each file what became of it and when, the statistics of these times,
    what was missed by cause, and the accuracies with their intervals (R 6.7, 7.8; platform §4)."""
    check = Check("reports_agree")
    for standing in replay(case):
        report = case.facts.answers.get(f"report/{standing.team}")
        if report is None:
            check.look(f"{standing.team}: has no report")
            continue
        check.look(*_files_otherwise(case, standing.team, report))
        check.look(*_times_otherwise(case, standing.team, report))
        check.look(*_missed_otherwise(case, standing.team, report))
        check.look(*_results_otherwise(standing, report))
    return check


def _files_otherwise(case: Case, team: str, report: Mapping[str, Json]) -> Iterator[str]:
    """Files of which a report tells another fate than the session, or another time than the schedule and the team's own
    program know."""
    if [each["number"] for each in report["files"]] != list(case.schedule.numbers):
        yield f"{team}: the report does not tell of every file"
    for each in report["files"]:
        number, status = each["number"], case.statuses[team, each["number"]]
        if (each["state"], each["cause"]) != (status["state"], status["cause"]):
            yield f"{team}, file {number}: the report says {each['state']} ({each['cause']}), the session another thing"
        known = {"opens_at": case.schedule.opens_at(number), "request_by": case.schedule.request_by(number)}
        known |= {name: moment for name, moment in _observed(case, team, number).items() if moment is not None}
        for name, moment in known.items():
            if each[name] is None or from_text(each[name]) != moment:
                yield f"{team}, file {number}: the report tells {name} {each[name]}, it was {moment}"


def _observed(case: Case, team: str, number: int) -> Mapping[str, Millis | None]:
    """When a file was handed out to a team's program, and when its answer came by the last receipt of one accepted."""
    life = case.lives.get((team, number))
    handed = life.handed_out() if life is not None else None
    receipts = [said for said in case.receipts_told(team) if said["number"] == number and said["status"] == "accepted"]
    last = max(receipts, key=lambda said: int(said["send"]), default=None)
    stored = (case.item(team, f"FILE#{number:04d}") or {}).get("answer") or {}
    newest = last is not None and int(last["send"]) >= int(stored.get("send", 0))
    return {
        "handed_out_at": from_text(handed.said["handed_out_at"]) if handed is not None else None,
        "answered_at": from_text(last["received_at"]) if last is not None and newest else None,
    }


def _times_otherwise(case: Case, team: str, report: Mapping[str, Json]) -> Iterator[str]:
    """Statistics that are not those of the files' times, which were held against what the program saw."""
    moments = [
        {name: from_text(each[name]) if each[name] else None for name in ("handed_out_at", "answered_at")}
        for each in report["files"]
    ]
    openings = [case.schedule.opens_at(each["number"]) for each in report["files"]]
    times = {
        "processing_ms": [_between(each["handed_out_at"], each["answered_at"]) for each in moments],
        "delay_ms": [_between(at, each["handed_out_at"]) for at, each in zip(openings, moments, strict=True)],
    }
    for name, values in times.items():
        made, shown = statistics([each for each in values if each is not None]), report["timing"][name]
        if shown != made:
            yield f"{team}: the report tells {name} {shown}, by the files it is {made}"


def _between(begin: Millis | None, end: Millis | None) -> Millis | None:
    return None if begin is None or end is None else max(0, end - begin)


def statistics(values: Sequence[Millis]) -> Mapping[str, Json]:
    """Count, mean, maximum and the smallest value that so many per cent of all do not exceed; none without any."""
    ascending = sorted(values)
    if not ascending:
        return {"count": 0, "mean": None, "max": None, **dict.fromkeys(_PERCENTILES)}
    nearest = {
        name: next(value for place, value in enumerate(ascending, start=1) if 100 * place >= percent * len(ascending))
        for name, percent in _PERCENTILES.items()
    }
    return {"count": len(values), "mean": sum(values) / len(values), "max": ascending[-1], **nearest}


def _missed_otherwise(case: Case, team: str, report: Mapping[str, Json]) -> Iterator[str]:
    """Counts and shares of missed files by cause that are not those of the files."""
    causes = Counter(case.statuses[team, number]["cause"] for number in case.schedule.numbers) - Counter({None: 10**9})
    whole, told = len(case.schedule.numbers), report["voided"]
    made = {cause: {"files": many, "share": many / whole} for cause, many in causes.items()}
    shown = {cause: each for cause, each in told["by_cause"].items() if each["files"]}
    if shown != made or (told["files"], told["share"]) != (causes.total(), causes.total() / whole):
        yield f"{team}: the report tells of missed files {told}, it is {made}"


def _results_otherwise(standing: Standing, report: Mapping[str, Json]) -> Iterator[str]:
    """Accuracies, or their intervals, that the library does not make of the acknowledged answers."""
    result = report["result"]
    if result is None:
        yield f"{standing.team}: the report has no accuracies though the results are published"
        return
    for name, value in standing.result.items():
        if result.get(name) != value:
            yield f"{standing.team}: the report's {name} is another than the replay's"
    told = (report["solution"]["voided_share"], report["solution"]["voided"])
    if told != (standing.share, standing.annulled):
        yield f"{standing.team}: the report says that {told} was missed and annulled, it is {standing.share}"
