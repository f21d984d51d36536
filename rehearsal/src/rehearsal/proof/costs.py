"""Check the organizers' estimate of cost by its own prices, and by the size of the final that was played.

How many calls, reads and writes a request needs is measured (``make metered``) and not known here; how many requests a
final takes is: a team opens its session, asks for each file and answers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from typing import Any, Final

Json = Any
_NEAR: Final = 1e-9
_BY_REQUEST: Final = ("http_requests", "edge_requests", "firewall_requests")
"""Each request over HTTP is one of each."""
_OF_EVERYBODY, _OF_A_TEAM, _OF_A_FILE, _LISTENING = 9, 5, 2, 3
"""Requests of a final without faults over HTTP: of organizers and readers, of a team, of each of its files, and of a
team on the event channel, which has its files from there."""
_MONTHS: Final = "_months"
_DAYS_OF_A_MONTH: Final = 730 / 24


@dataclass(frozen=True, slots=True)
class Played:
    """The final of a rehearsal: its run, the teams that joined it for sure, those on the event channel, its files."""

    run_id: str
    teams: int
    listening: int
    files: int


def otherwise(estimate: Json, played: Played | None) -> Iterator[str]:
    """Yield the faults of an estimate. ``played`` is the run when joining is over; None: there is none."""
    prices = {row["kind"]: row["price"] / row["per"] for row in estimate["prices"]}
    for final in estimate["finals"]:
        where = f"the final {final['run_id'] or final['set']}"
        yield from _summed(where, final, prices)
        yield from _requests(where, final)
        if played is not None:
            due = {"teams": played.teams, "listening": played.listening, "files": played.files}
            wrong = [name for name, value in due.items() if final[name]["value"] != value]
            if final["run_id"] != played.run_id or wrong:
                yield f"{where} of {[final[name]['value'] for name in due]}, not {played.run_id} of {[*due.values()]}"
    days = estimate["days"]
    yield from _summed("the days", days, prices)
    months = {row["kind"]: row["count"] for row in days["lines"] if row["kind"].endswith(_MONTHS)}
    halves = {kind: count * _DAYS_OF_A_MONTH / days["days"]["value"] * 2 for kind, count in months.items()}
    for kind, value in halves.items():  # what costs by the month is counted in halves at the least
        if not isclose(value, round(value), abs_tol=1e-6) and kind != f"stored_log_gb{_MONTHS}":
            yield f"the days: {kind} {months[kind]} in {days['days']['value']} days"
    total = fsum([days["cost"], *(final["cost"] for final in estimate["finals"])])
    if not isclose(estimate["cost"], total, rel_tol=_NEAR):
        yield f"cost {estimate['cost']}, of its parts {total}"


def _summed(where: str, part: Json, prices: Mapping[str, float]) -> Iterator[str]:
    """Yield the lines that are not their count by their price, and a sum that is not that of the lines."""
    lines: Sequence[Json] = part["lines"]
    for line in lines:
        due = line["count"] * prices.get(line["kind"], float("nan"))
        if not isclose(line["cost"], due, rel_tol=_NEAR):
            yield f"{where}: {line['kind']} costs {line['cost']}, by the prices {due}"
    if not isclose(part["cost"], fsum(line["cost"] for line in lines), rel_tol=_NEAR):
        yield f"{where}: cost {part['cost']}, not the sum of its lines"


def _requests(where: str, final: Json) -> Iterator[str]:
    teams, listening, files = (final[name]["value"] for name in ("teams", "listening", "files"))
    asking = teams - listening
    due = _OF_EVERYBODY + asking * (_OF_A_TEAM + _OF_A_FILE * files) + _LISTENING * listening
    counts = {line["kind"]: line["count"] for line in final["lines"]}
    for kind in _BY_REQUEST:
        if teams and not isclose(counts.get(kind, 0), due, rel_tol=1e-6):
            yield f"{where}: {counts.get(kind)} {kind} of {teams} teams and {files} files, not {due}"
