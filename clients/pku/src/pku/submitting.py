"""The commands for submissions and archives: a set answered by one file or a program, a board recomputed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pku import config, tables
from pku.commanding import FAILED, App, command
from pku.config import show_moment
from pku.errors import WORKING, Detail, PkuError, number, sentence, word

if TYPE_CHECKING:  # loaded where they are used
    from rich.table import Table

    from pku.archive import Verdict
    from pku.exchange import Exchange, Handed, SubmissionInfo
    from pku.transfers import Begun, Measured, Tell, Wanted
    from tracks.command.console import HeardProgress

KINDS: Final = ("answers", "program")
WHOLE_PILOTS: Final = frozenset({"fusion"})
"""Contests whose pilot is submitted whole, as an archive."""


@command(stopped="submit.interrupted")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), help="answers or program; by default what the contest takes.")
@click.option("--set", "set_name", help="The set that is answered; by default the cycle's one test set.")
@click.option("--group", "groups", multiple=True, help="A group (subtask) that is answered; by default all.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the score.")
def submit(
    app: App, file: Path, kind: str | None, set_name: str | None, groups: tuple[str, ...], no_wait: bool
) -> None:
    """Submit FILE, the answers to a whole set or an archive with a program; goes on where it was stopped."""
    from pku.transfers import Wanted

    with app.exchange(patience=WORKING) as exchange:
        cycle = exchange.cycle()
        target = Wanted(_kind(cycle, kind), set_name, groups)
        _submit(app, exchange, cycle, file, target, wait=not no_wait)


@command("submissions")
@click.argument("submission_id", required=False)
@click.option("--logs", is_flag=True, help="What its program has written.")
@click.option("--report", is_flag=True, help="Its report.")
@click.option("--give-up", is_flag=True, help="End its upload, which was not handed in.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="At most so many of the list.")
def submissions_(app: App, submission_id: str | None, logs: bool, report: bool, give_up: bool, limit: int) -> None:
    """List the team's submissions, or show SUBMISSION_ID (with --logs or --report by default the newest)."""
    if give_up and (submission_id is None or logs or report):
        raise PkuError("give_up_alone")
    with app.exchange() as exchange:
        if give_up:
            ended = exchange.submissions.give_up(str(submission_id))
            _show(app, ended)
            app.give(ended.raw)
            return
        if submission_id is None and not (logs or report):
            _list(app, exchange, limit)
            return
        chosen = _chosen(exchange, submission_id)
        if logs:
            written = exchange.submissions.logs(chosen)
            for name in ("stdout", "stderr"):
                app.print_sentence("submissions.stream", stream=name, size=written[f"{name}_bytes"])
                app.show_text(written[name])
            app.give(written)
            return
        submission = exchange.submissions.get(chosen)
        scored_report = exchange.submissions.report(chosen) if report or submission.state == "scored" else None
    if report:
        _show_report(app, scored_report)
        app.give(scored_report)
        return
    _show(app, submission)
    if scored_report is not None:
        _show_report(app, scored_report)
    app.give(submission.raw)


@command("verify-archive")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify_archive(app: App, file: Path) -> None:
    """Check the archive FILE of a final: every hash, and its board from what is in it."""
    from pku import archive

    with app.progress("Spinner", "Text") as progress:
        task = progress.add_task("", total=None)
        verdict = archive.verify(file, lambda team_id: progress.update(task, description=team_id))
    _say(app, verdict)
    if verdict.faults:
        sys.exit(FAILED)


# Clause: TS T16
def pilot(app: App, cycle: Mapping[str, Any]) -> None:
    """Write the contest's pilot as an archive and submit it."""
    from pku.pilot import archive
    from pku.transfers import Wanted

    place = config.home() / f"pilot-{cycle['track']}.zip"
    config.write_private(place, archive())
    with app.exchange(patience=WORKING) as exchange:
        _submit(app, exchange, cycle, place, Wanted("program"), wait=True)


def _kind(cycle: Mapping[str, Any], kind: str | None) -> str:
    """Return the kind of a file: the requested one, or the one that the contest takes."""
    kinds = cycle.get("submissions") or []
    if not kinds:
        raise PkuError("no_submissions")
    if (kind is None and len(kinds) > 1) or (kind is not None and kind not in kinds):
        raise PkuError("submission_kind", taken=", ".join(kinds))
    return str(kind or kinds[0])


def _submit(app: App, exchange: Exchange, cycle: Mapping[str, Any], file: Path, target: Wanted, *, wait: bool) -> None:
    from pku import transfers as submissions

    if target.kind == "program":
        _refuse_broken(app, cycle, file)
    begun = submissions.Begun(config.home() / "submissions", exchange.base_url)
    with app.progress("Text", "Bar", "Download", "TransferSpeed", "TimeRemaining") as progress:
        measured = submissions.measure(file, _progress_reporter(app, progress, "submit.measuring"))
        handed = submissions.bring(
            exchange, begun, measured, target, _progress_reporter(app, progress, "submit.bringing")
        )
    _tell_handed(app, exchange, begun, handed)
    if not wait:
        app.print_sentence("submit.later", submission_id=handed.submission.submission_id)
        app.give(handed.submission.raw)
        return
    _await(app, exchange, begun, measured, target, handed.submission.submission_id)


def _await(app: App, exchange: Exchange, begun: Begun, measured: Measured, target: Wanted, submission_id: str) -> None:
    """Print each state and at the end the result of the submission; exit code 1 if it was not scored."""

    from pku import transfers as submissions

    def tell(submission: SubmissionInfo) -> None:
        app.print_sentence("submit.state", at=show_moment(exchange.clock.now())[11:19], became=submission.state)

    submission = submissions.watch(exchange, submission_id, tell)
    begun.forget(measured, target)
    report = exchange.submissions.report(submission_id) if submission.state == "scored" else None
    _show(app, submission)
    if report is not None:
        _show_report(app, report)
    app.give({**submission.raw, "report": report})
    if submission.state != "scored":
        sys.exit(FAILED)


def _refuse_broken(app: App, cycle: Mapping[str, Any], file: Path) -> None:
    """Judge an archive as the platform will, before a byte is sent; a contest that this kit cannot judge is not."""
    from pku.trial import Programs

    contest = Programs.of(cycle)
    if contest is None:
        return
    read = contest.judge(file)
    for remark in (*read.warnings, *read.reasons):
        app.tell(f"  - {getattr(remark.message, app.language)} [{remark.code}]")
    if read.reasons:
        raise PkuError("archive_refused", path=file)


def _progress_reporter(app: App, progress: HeardProgress, name: str) -> Tell:
    task = progress.add_task(sentence(name, app.language), total=None)
    return lambda done, size: progress.update(task, completed=done, total=size)


def _tell_handed(app: App, exchange: Exchange, begun: Begun, handed: Handed) -> None:
    """Say that it was taken, and whether the receipt is good: one that is not is worth nothing later."""
    from pku.preparing import keys_of
    from pku.proof import fault_of, read_keys

    submission = handed.submission
    path = begun.receipt_of(submission.submission_id)
    app.print_sentence("submit.announced", submission_id=submission.submission_id, size=submission.size, path=path)
    fault = fault_of(handed.receipt, handed.signature, read_keys(keys_of(exchange)))
    if fault is not None:
        app.tell(sentence("submit.bad_receipt", app.language, fault=fault))


def _chosen(exchange: Exchange, submission_id: str | None) -> str:
    """Return the id that was named, else that of the team's newest submission."""
    if submission_id is not None:
        return submission_id
    newest = exchange.submissions.page(limit=1)["submissions"]
    if not newest:
        raise PkuError("no_submission")
    return str(newest[0]["submission_id"])


def _list(app: App, exchange: Exchange, limit: int) -> None:
    from rich.table import Table

    from pku import transfers as submissions

    rows, quota = submissions.listed(exchange, limit)
    if not rows:
        app.print_sentence("submissions.none")
    else:
        table = Table(title=sentence("submissions.title", app.language))
        for name in ("submission", "created", "kind", "set", "state", "value"):
            table.add_column(sentence(f"column.{name}", app.language))
        for row in rows:
            state = word("became", row["state"], app.language)
            if row["cause"]:
                state = f"{state}: {word('failure', row['cause'], app.language)}"
            value = "–" if row["value"] is None else number(row["value"], 3, app.language)
            kind = word("kind", row["kind"], app.language)
            table.add_row(row["submission_id"], row["created_at"][:19], kind, row["set"], state, value)
        app.show(table)
    if quota is not None:
        app.print_sentence("submit.left", scored=quota["scored"], unscored=quota["unscored"], at=quota["resets_at"])
    app.give({"submissions": rows, "left_today": quota})


def _show(app: App, submission: SubmissionInfo) -> None:
    """Show why a submission was refused or has failed."""
    if submission.state == "refused":
        app.print_sentence("submit.refused")
    for remark in (*submission.raw["reasons"], *submission.raw["warnings"]):
        app.show_text(f"  - {Detail.read(remark).text(app.language)} [{remark['code']}]")
    if submission.state == "failed":
        app.print_sentence("submit.failed", failure=submission.cause)
        if submission.cause == "platform":
            app.print_sentence("submit.failed_platform")
        elif submission.kind == "program":
            app.print_sentence("submit.logs", submission_id=submission.submission_id)


def _show_report(app: App, report: Any) -> None:
    if report is None:
        raise PkuError("not_scored_yet")
    tables.show_remarks(app, report)
    for section in report["sections"]:
        table, _ = tables.section(section, app.language)
        app.show(table)
    if report["missing"]:
        app.print_sentence("submissions.missing", items=", ".join(report["missing"]))
    ran = report["run"]
    if ran is not None:
        code = "–" if ran["exit_code"] is None else ran["exit_code"]
        seconds = number(ran["seconds"], 1, app.language)
        app.print_sentence("submissions.run", machine=ran["machine"], seconds=seconds, code=code)
        for limit in ran["not_enforced"]:
            app.print_sentence("submissions.not_enforced", text=limit[app.language])


def _say(app: App, verdict: Verdict) -> None:
    from rich.text import Text

    faults = []
    for fault in verdict.faults:
        message = sentence(f"archive.{fault.code}", app.language, **fault.values)
        app.show(Text.assemble(("✗", "red"), " ", message))
        faults.append({"code": fault.code, "message": message})
    if verdict.results:
        app.show(_table(verdict, app.language))
    kind = "" if verdict.unit == "markups" else f"_{verdict.unit}"
    app.print_sentence(
        f"archive.looked_at{kind}", files=verdict.files, markups=verdict.markups, teams=len(verdict.results)
    )
    app.print_sentence("archive.unsound" if verdict.faults else f"archive.sound{kind}")
    results = [
        {name: getattr(result, name) for name in ("place", "team_id", "files", "relative_accuracy", "value")}
        for result in verdict.results
    ]
    counts = {"files": verdict.files, "markups": verdict.markups}
    app.give({"sound": not faults, "of": verdict.unit, **counts, "results": results, "faults": faults})


def _table(verdict: Verdict, language: str) -> Table:
    from rich.table import Table

    last = "relative" if verdict.unit == "markups" else "value"
    table = Table(*(sentence(f"column.{name}", language) for name in ("place", "team", "files", last)))
    for result in verdict.results:
        value, places = (result.relative_accuracy, 2) if verdict.unit == "markups" else (result.value, 4)
        relative = "—" if value is None else number(value, places, language)
        table.add_row("—" if result.place is None else str(result.place), result.team_id, str(result.files), relative)
    return table
