"""The command that shows how good a program is before any session."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pku import config
from pku.clock import SystemClock
from pku.command import tables
from pku.command.commanding import UNANSWERED, App, command
from pku.command.working import solver_of
from pku.errors import PkuError

if TYPE_CHECKING:  # loaded where it is used
    from pku.checks.trial import Rules, Trial

_SHOWN_CODES: Final = 20


def register(group: click.Group) -> None:
    """Add the command to a group."""

    @command(group, "try")
    @click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
    @click.option("--solver", help='A command, as in "python marker.py {input} {output}".')
    @click.option("--entry-point", help="A Python function from essay to markup, as in package.module:function.")
    @click.option(
        "--workers", type=click.IntRange(1), default=1, show_default=True, help="Files solved at the same time."
    )
    @click.option("--files", type=click.IntRange(1), help="At most so many; by default all.")
    @click.option("--time-limit", type=click.IntRange(1), help="Seconds per file; by default the cycle's.")
    @click.option("--compare", "compared", metavar="ID", help="Show the answer to this essay beside the experts'.")
    def try_(
        app: App,
        folder: Path,
        workers: int,
        files: int | None,
        time_limit: int | None,
        compared: str | None,
        **named: Any,
    ) -> None:
        """Run a program on the essays of FOLDER, which experts have marked up, and score it: no session, no platform.

        FOLDER is what pku data get brings: ID.json beside ID_exp01.json, ID_exp02.json. Rules are those of the cycle
        of the latest pku login.
        """
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TimeRemainingColumn

        from pku.checks import trial
        from tracks.command.console import HeardProgress

        chosen = solver_of(named["solver"], named["entry_point"], None)
        cycle = config.load_cycle()
        rules = _rules(cycle, time_limit)
        essays = trial.essays_of(folder, rules.classifier)[:files]
        columns = (SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with HeardProgress(*columns, console=app.err, disable=app.as_json, transient=True) as progress:
            task = progress.add_task("", total=len(essays))
            tried = trial.attempt(
                essays, chosen, SystemClock(), rules, workers=workers, on_done=lambda: progress.advance(task)
            )
        _show(app, tried, rules, cycle)
        if compared is not None:
            app.show(*tables.comparison(compared, tried.comparison(compared), app.language))
        app.give(_told(app, tried))
        if len(tried.answered) < len(tried.tried):
            sys.exit(UNANSWERED)


def _rules(cycle: Mapping[str, Any] | None, time_limit: int | None) -> Rules:
    """The rules of a cycle, or the library's own where nobody has logged in."""
    from markup_core.bootstrap import DEFAULT_SEED
    from markup_core.params import ScoringParams
    from pku.checks import doctor
    from pku.checks.trial import Rules
    from pku.work.contests import Essays, contest_of

    if cycle is None:
        return Rules(ScoringParams(), None, time_limit or doctor.ANSWER_S, DEFAULT_SEED)
    contest = contest_of(cycle)
    if not isinstance(contest, Essays):
        raise PkuError("try_essays_only", name=cycle["track"])
    parameters = cycle["parameters"]
    known = ScoringParams().to_dict()
    scoring = ScoringParams.from_dict({name: value for name, value in parameters["track"].items() if name in known})
    limit = time_limit or parameters["time_limit_s"]["default"]
    return Rules(scoring, contest.classifier, limit, parameters["bootstrap_seed"])


def _show(app: App, tried: Trial, rules: Rules, cycle: Mapping[str, Any] | None) -> None:
    for each in tried.tried:
        if each.failure is not None:
            app.say("try.failure", essay=each.essay.essay_id, text=each.failure.text(app.language))
    answered, files = len(tried.answered), len(tried.tried)
    share, needed = answered / files, 1.0
    if cycle is not None:
        needed = cycle["parameters"]["readiness_min_share"]
    app.say("try.answered", answered=answered, files=files, share=(share, needed, 1.0))
    if answered and tried.empty == answered:
        app.say("run.empty", count=answered)
    if answered:
        app.say("try.longest", seconds=round(tried.longest_s, 1), limit=rules.limit_s)
    app.show(tables.accuracies(tried.sample, app.language), tables.chart(tried.sample.to_dict(), app.language))
    counts = tried.by_code()
    app.show(tables.codes(counts[:_SHOWN_CODES], app.language))
    if len(counts) > _SHOWN_CODES:
        app.say("try.more_codes", count=len(counts) - _SHOWN_CODES)
    if cycle is None:
        app.say("try.no_cycle")
        return
    least = cycle["parameters"]["readiness_min_files"]
    app.say("try.ready" if share >= needed else "try.not_ready", least=least, needed=(needed, needed))


def _told(app: App, tried: Trial) -> Mapping[str, Any]:
    return {
        "files": len(tried.tried),
        "answered": len(tried.answered),
        "empty": tried.empty,
        "longest_s": tried.longest_s,
        "result": tried.sample.to_dict(),
        "codes": [
            {name: getattr(each, name) for name in ("code", "experts", "found", "named", "own", "stray")}
            for each in tried.by_code()
        ],
        "essays": [{"essay": each.essay.essay_id, **each.score.to_dict()} for each in tried.tried],
        "failures": [
            {"essay": each.essay.essay_id, "code": each.failure.code, "message": each.failure.text(app.language)}
            for each in tried.tried
            if each.failure is not None
        ],
    }
