"""What a trial shows: the programs' accuracies as a table with bars, and every check with what was found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.bar import Bar
from rich.table import Table

from local.trial.trial import Played, TrialCheck
from tracks.command.whole import WholeConsole


def show_trial(played: Sequence[Played], checks: Sequence[TrialCheck]) -> None:
    """Print both to standard output."""
    console = WholeConsole()
    console.print(_programs(played))
    for check in checks:
        mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
        console.print(f"{mark} {check.name} [dim]({check.found})[/]", highlight=False)
    failed = sum(not check.passed for check in checks)
    console.print(f"{len(checks) - failed} of {len(checks)} checks passed")


def _programs(played: Sequence[Played]) -> Table:
    table = Table("program", "files", "STAR, %", "STER, %", "OTAR, %", "STAR")
    for each in played:
        numbers = [each.number(name) for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")]
        shown = [f"{number:.2f}" for number in numbers]
        table.add_row(each.program, str(len(each.report["files"])), *shown, Bar(100, 0, numbers[0], width=30))
    return table
