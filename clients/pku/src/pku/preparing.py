"""Commands for before a run: is this machine ready?"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from pku import doctor as checks
from pku import messages
from pku.commanding import FAILED, App
from pku.doctor import Finding, Limits, Verdict
from pku.errors import PkuError
from pku.exchange import Exchange
from pku.sessions import cycle_classifier
from pku.solvers import Solver

_MARKS = {Verdict.GOOD: ("✓", "green"), Verdict.WARNING: ("!", "yellow"), Verdict.FAULT: ("✗", "red")}


def examine(app: App, solver: Solver | None, folder: Path) -> None:
    """Check everything, say it, and end with an exit code of 1 where something would cost files."""
    with app.exchange() as exchange:
        exchange.sessions(limit=1)  # refused for a token that is not valid
        findings = _findings(app, exchange, solver, folder)
    for finding in findings:
        mark, style = _MARKS[finding.verdict]
        app.show(Text.assemble((mark, style), " ", _sentence(finding, app.language)))
    worst = max(findings, key=lambda each: list(Verdict).index(each.verdict)).verdict
    app.say(f"doctor.end_{worst.value}")
    listed = [
        {"check": each.name, "verdict": each.verdict.value, "message": _sentence(each, app.language), **_plain(each)}
        for each in findings
    ]
    app.give({"verdict": worst.value, "findings": listed})
    if worst is Verdict.FAULT:
        sys.exit(FAILED)


def _findings(app: App, exchange: Exchange, solver: Solver | None, folder: Path) -> list[Finding]:
    run = checks.next_run(exchange)
    limits = Limits.of_run(run)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=app.err, transient=True, disable=app.as_json) as progress:
        task = progress.add_task(messages.say("doctor.measuring", app.language), total=checks.SAMPLES_TAKEN + 1)
        samples = checks.measure(exchange, each=lambda: progress.advance(task))
    found = [checks.check_clock(samples), checks.check_latency(samples, limits), checks.check_journals(folder)]
    if solver is not None:
        longest = max(sample.round_trip for sample in samples)
        classifier = cycle_classifier(exchange.cycle())
        found.append(checks.check_solver(solver, exchange.clock, limits, longest, classifier))
        solver.stop()
    return [*found, checks.check_run(run)]


def _sentence(finding: Finding, language: str) -> str:
    values = {
        name: value.text(language) if isinstance(value, PkuError) else value for name, value in finding.values.items()
    }
    return messages.say(f"doctor.{finding.name}", language, **values)


def _plain(finding: Finding) -> dict[str, object]:
    """The numbers of a finding for programs."""
    return {name: value for name, value in finding.values.items() if isinstance(value, int | float | str)}
