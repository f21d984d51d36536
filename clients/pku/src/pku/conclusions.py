"""What a report says at its end: times, annulments, readiness for a final (R 6.5.4, 6.7, 7.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pku import messages
from pku.commanding import App


def show(app: App, report: Mapping[str, Any]) -> None:
    """Say it in the person's language."""
    for name in ("processing_ms", "delay_ms"):
        times = report["timing"].get(name)
        if times is not None and times["count"]:
            seconds = {each: f"{times[each] / 1000:.1f}" for each in ("mean", "p50", "p95", "max")}
            app.say(f"report.{name}", **seconds)
    _show_voided(app, report)
    conclusion = report["readiness"]
    if conclusion["ready"]:
        app.say("report.ready", share=conclusion["valid_share"])
        return
    app.say("report.not_ready")
    for reason in conclusion["reasons"]:
        app.show("  - " + reason["message_ru" if app.language == messages.RU else "message"])


def _show_voided(app: App, report: Mapping[str, Any]) -> None:
    """Of a run: which files are void and why, and what that means for the whole solution (R 7.7)."""
    solution = report.get("solution")
    if solution is None:
        return
    if report["run"]["trial"]:
        app.say("report.trial")
    for each in report["files"]:
        if each["cause"] is not None:
            app.say("report.voided_file", number=each["number"], cause=_cause(app, each["cause"]))
    if solution["voided_share"] is None:
        return
    shares = {name: solution[name] for name in ("voided_share", "allowed_share")}
    app.say("report.solution_voided" if solution["voided"] else "report.solution_stands", **shares)


def _cause(app: App, cause: str) -> str:
    return messages.find(f"cause.{cause}", app.language) or cause
