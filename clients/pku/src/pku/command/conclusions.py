"""What a report says at its end: times, annulments, readiness for a final (R 6.5.4, 6.7, 7.8)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pku.command.commanding import App
from pku.errors import ExchangeError, PkuError, of_system
from pku.messages import catalogue

if TYPE_CHECKING:
    from pku.wire.exchange import Exchange

_NOT_AGAINST_RESULTS: Final = {"too_many_voided", "too_few_files"}
"""Said by the line on the whole solution; of readiness alone, which a final that was played shows nobody."""


def show(app: App, report: Mapping[str, Any]) -> None:
    """Say it in the person's language."""
    for name in ("processing_ms", "delay_ms"):
        times = report["timing"].get(name)
        if times is not None and times["count"]:
            seconds = {
                each: catalogue.number(times[each] / 1000, 1, app.language) for each in ("mean", "p50", "p95", "max")
            }
            app.say(f"report.{name}", **seconds)
    _show_voided(app, report)
    run, conclusion = report.get("run"), report["readiness"]
    if run is not None and run["mode"] == "final" and not run["trial"]:
        _show_end_of_final(app, report)
        return
    if conclusion is None:
        return
    if conclusion["ready"]:
        app.say("report.ready", share=(conclusion["valid_share"], 1.0))
        return
    app.say("report.not_ready")
    for reason in conclusion["reasons"]:
        app.show("  - " + _reason(app, reason))


def show_remarks(app: App, report: Mapping[str, Any]) -> None:
    """Say why a report tells no totals, or no breakdowns, and which rule keeps its result off the board."""
    for name in ("withheld", "left_out", "off_board"):
        if report.get(name):
            app.show(_reason(app, report[name]))


def write_timeline(exchange: Exchange, session_id: str, path: Path) -> None:
    """Write the chart of a session that followed a run as SVG. Raises PkuError where there is none, or no room."""
    try:
        chart = exchange.timeline(session_id)
    except ExchangeError as error:
        if error.code == "unknown_run":
            raise PkuError("no_timeline", session_id=session_id) from error
        raise
    try:
        path.write_text(chart, "utf-8")
    except OSError as error:
        raise PkuError("not_written", path=path, why=of_system(error)) from error


def _show_end_of_final(app: App, report: Mapping[str, Any]) -> None:
    """Nobody gets ready for a final by it: what stands against its results, and whether they are out (R 7.11)."""
    for reason in (report["readiness"] or {"reasons": ()})["reasons"]:
        if reason["code"] not in _NOT_AGAINST_RESULTS:
            app.show(_reason(app, reason))
    if report["result"] is None and report["run"]["stopped_at"] is None:
        app.say("report.unpublished")


def _reason(app: App, reason: Mapping[str, Any]) -> str:
    return str(reason["message_ru" if app.language == catalogue.RU else "message"])


def _show_voided(app: App, report: Mapping[str, Any]) -> None:
    """Of a run: which files are void and why, and what that means for the whole solution (R 7.7)."""
    solution = report.get("solution")
    if solution is None:
        return
    if report["run"]["trial"]:
        app.say("report.trial")
    for each in report["files"]:
        if each["cause"] is not None:
            app.say("report.voided_file", number=each["number"], cause=each["cause"])
    if solution["voided_share"] is None:
        return
    allowed = solution["allowed_share"]
    shares = {"voided_share": (solution["voided_share"], allowed), "allowed_share": (allowed, allowed)}
    app.say("report.solution_voided" if solution["voided"] else "report.solution_stands", **shares)
