"""What a trial shows: the programs' accuracies as a table with bars, and every check with what was found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.bar import Bar
from rich.table import Table

from local.trial.trial import Played, TrialCheck
from markup_core.speaking import EN, language, number, say
from tracks.command.console import WholeConsole


def show_trial(played: Sequence[Played], checks: Sequence[TrialCheck]) -> None:
    """Print both to standard output."""
    console = WholeConsole()
    console.print(_programs(played))
    for check in checks:
        mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
        console.print(f"{mark} {check.name} [dim]({check.found})[/]", highlight=False)
    failed = sum(not check.passed for check in checks)
    passed, total = len(checks) - failed, len(checks)
    console.print(say(f"{passed} of {total} checks passed", f"пройдено проверок: {passed} из {total}"))


def _programs(played: Sequence[Played]) -> Table:
    english = ("program", "files", "STAR, %", "STER, %", "OTAR, %", "STAR")
    table = (
        Table(*english) if language() == EN else Table("программа", "файлов", "СТАР, %", "СТЭР, %", "ОТАР, %", "СТАР")
    )
    for each in played:
        numbers = [each.number(name) for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")]
        shown = [number(each_number, 2) for each_number in numbers]
        table.add_row(each.program, str(len(each.report["files"])), *shown, Bar(100, 0, numbers[0], width=30))
    return table
