"""Commands ``contest run …`` and ``contest export``.

``contest run …`` plans runs, shows and watches them, and writes their records. ``contest export`` writes reports and
tables of the platform into files, in the format of the file's name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.shell import Moment, Seconds, as_json, complaints, console, teams_named, warn
from contest.commands.words import code, fact, table, value_in_words
from contest.cycle.rules.cycle import ALL_LANGUAGES, Mode
from contest.people.commands import asked, desk
from contest.route import Route
from contest.run.commands.decisions import COMMANDS as PROTOCOLS
from contest.run.commands.decisions import DECISIONS, share
from contest.values import SECOND, Millis, from_iso, iso
from markup_core.speaking import number, say
from tracks.command import spoken

Forms = Mapping[str, Route]
"""Routes by the ending of the file's name."""

_SESSION: Final[Forms] = {
    ".json": routes.REPORT,
    ".html": routes.REPORT_PAGE,
    ".csv": routes.REPORT_CSV,
    ".xlsx": routes.REPORT_XLSX,
}
_SUBMISSION: Final[Forms] = {
    ".json": routes.SUBMISSION_REPORT,
    ".html": routes.SUBMISSION_PAGE,
    ".csv": routes.SUBMISSION_CSV,
    ".xlsx": routes.SUBMISSION_XLSX,
}
_COMMISSION: Final[Forms] = {
    ".json": routes.COMMISSION_RECORD,
    ".html": routes.COMMISSION_PAGE,
    ".xlsx": routes.COMMISSION_XLSX,
}
_FILES: Final[Forms] = {".json": routes.RUN_FILES, ".csv": routes.RUN_FILES_CSV, ".xlsx": routes.RUN_FILES_XLSX}
_EXPERTS: Final[Forms] = {
    ".json": routes.MARKING_REPORT,
    ".html": routes.MARKING_PAGE,
    ".csv": routes.MARKING_CSV,
    ".xlsx": routes.MARKING_XLSX,
}
_QUALIFICATION: Final[Forms] = {
    ".json": routes.QUALIFICATION_BOARD,
    ".csv": routes.QUALIFICATION_BOARD_CSV,
    ".xlsx": routes.QUALIFICATION_BOARD_XLSX,
}
_FINAL: Final[Forms] = {
    ".json": routes.FINAL_BOARD,
    ".csv": routes.FINAL_BOARD_CSV,
    ".xlsx": routes.FINAL_BOARD_XLSX,
}

_TEAMS: Final[Forms] = {".json": routes.BOARD_PREVIEW, ".csv": routes.COMPARED_CSV, ".xlsx": routes.COMPARED_XLSX}

_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_lang = click.option("--lang", type=click.Choice(["ru", "en"]), default="ru", show_default=True, help="For people.")


@spoken.group()
def export() -> None:
    """Write reports and tables into FILE: .json, .csv, .xlsx, or .html to print."""


@export.command("session")
@click.argument("session_id")
@_file
@_lang
def session(session_id: str, file: Path, lang: str) -> None:
    """Write the report of SESSION_ID: every file with every metric."""
    _write(_SESSION, file, lang, session_id=session_id)


@export.command("submission")
@click.argument("submission_id")
@_file
@_lang
def submission(submission_id: str, file: Path, lang: str) -> None:
    """Write the report of SUBMISSION_ID, as it stands on the board."""
    _write(_SUBMISSION, file, lang, submission_id=submission_id)


@export.command("commission")
@click.argument("run_id")
@_file
@_lang
def commission(run_id: str, file: Path, lang: str) -> None:
    """Write what the commission looks at of RUN_ID: annulments, decisions, protocols, results, the log."""
    _write(_COMMISSION, file, lang, run_id=run_id)


@export.command("files")
@click.argument("run_id")
@_file
@click.option("--team", help="This team's files alone.")
@_lang
def files(run_id: str, file: Path, team: str | None, lang: str) -> None:
    """Write every file of every team of RUN_ID."""
    _write(_FILES, file, lang, {"team": team}, run_id=run_id)


@export.command("experts")
@click.argument("marking_id")
@_file
@_lang
def experts(marking_id: str, file: Path, lang: str) -> None:
    """Write the experts' work on MARKING_ID: progress, speed, agreement, drift, third experts."""
    _write(_EXPERTS, file, lang, marking_id=marking_id)


@export.command("board")
@_file
@click.option("--final", "final_", is_flag=True, help="Of the latest final whose results are out.")
@click.option("--run", "run_id", help="Of this final.")
@click.option("--language", default="all", show_default=True, help="Over the files of a language.")
@click.option("--nomination", help="Of a final: over the files of this nomination.")
@_lang
def board(file: Path, *, final_: bool, run_id: str | None, language: str, nomination: str | None, lang: str) -> None:
    """Write a leaderboard: of the qualification, or of a final."""
    if final_ or run_id is not None:
        _write(_FINAL, file, lang, {"run": run_id, "language": language, "nomination": nomination})
    elif nomination is not None:
        raise click.UsageError(
            say("nominations are of finals: --final, or --run RUN", "номинации бывают у финала: --final или --run RUN")
        )
    else:
        _write(_QUALIFICATION, file, lang, {"language": language})


@export.command("teams")
@click.argument("run_id")
@_file
@click.option("--key", help="Another board of the contest than its main one.")
@_lang
def teams(run_id: str, file: Path, key: str | None, lang: str) -> None:
    """Write all teams of the final RUN_ID in the contest's tables, as they are now (D-App1б, Table 2)."""
    _write(_TEAMS, file, lang, {"key": key}, board=run_id)


@spoken.command("archive")
@click.argument("run_id")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def archive(run_id: str, out: Path) -> None:
    """Write the archive of the published final RUN_ID (CC BY 4.0); pku verify-archive checks it."""
    content = desk().published(routes.RUN_ARCHIVE, run_id=run_id)
    out.write_bytes(content)
    _say_written(out, content)


def _write(forms: Forms, file: Path, lang: str, query: Mapping[str, str | None] | None = None, **names: str) -> None:
    route = forms.get(file.suffix.lower())
    if route is None:
        endings = ", ".join(forms)
        told = say(f"{file.name} ends in none of {endings}", f"{file.name} не оканчивается ни на одно из {endings}")
        raise click.BadParameter(told, param_hint="FILE")
    content = desk().content(route, {**(query or {}), "lang": lang}, **names)
    file.write_bytes(content)
    _say_written(file, content)


def _say_written(file: Path, content: bytes) -> None:
    click.echo(say(f"{file}: {len(content)} bytes", f"{file}: байт {len(content)}"))


MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])


@spoken.group()
def run() -> None:
    """Runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


run.add_command(archive)
for _decision in (*DECISIONS, *PROTOCOLS):
    run.add_command(_decision)


@run.command("plan")
@click.option("--mode", type=MODES, default=Mode.FINAL.value, show_default=True)
@click.option("--set", "set_name", default="final", show_default=True, help="The set to draw files from.")
@click.option("--start", type=Moment(), required=True, help="When the first file opens, with its zone.")
@click.option("--interval", type=Seconds(), help="Between openings; the cycle's without it.")
@click.option("--files", type=int, help="How many items; all of the set without it.")
@click.option("--language", default=ALL_LANGUAGES, show_default=True)
@click.option("--request", type=Seconds(), help="To ask for a file; the cycle's without it.")
@click.option("--answer", type=Seconds(), help="From the hand-out to the answer; the cycle's without it.")
@click.option("--total", type=Seconds(), help="From the opening to the answer; the cycle's without it.")
@click.option("--join", type=Seconds(), help="After the start to open a session; the cycle's without it.")
@click.option("--trial", is_flag=True, help="The same in everything, but it counts nowhere.")
@click.option("--continues", help="The final whose results count with this one's (D-App1в).")
@click.option("--admit", help="Teams that may take part, by commas; without it the admitted ones in a final, else all.")
@click.option("--preview", is_flag=True, help="Show what would be planned; no file is drawn, nothing is written.")
@click.option("--admit-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="One team a line.")
@as_json
def run_plan(  # noqa: PLR0913 -- one option each
    *,
    mode: str,
    set_name: str,
    start: Millis,
    interval: Millis | None,
    files: int | None,
    language: str,
    request: Millis | None,
    answer: Millis | None,
    total: Millis | None,
    join: Millis | None,
    trial: bool,
    continues: str | None,
    admit: str | None,
    admit_file: Path | None,
    preview: bool,
    raw: bool,
) -> None:
    """Plan a run, publish its commitment and print the run's name."""
    teams = teams_named(admit, admit_file)
    limits = {"request_s": request, "answer_s": answer, "total_s": total, "join_s": join}
    said = {
        "mode": mode,
        "set": set_name,
        "starts_at": iso(start),
        "interval_s": _seconds(interval),
        "files": files,
        "language": language,
        "limits": {name: _seconds(limit) for name, limit in limits.items()},
        "trial": trial,
        "continues": continues,
        "admitted": None if teams is None else list(teams),
    }
    if preview:
        found = asked().post(routes.PREVIEW_PLAN, said)
        warn(found["notices"])
        _print_plan(found, raw)
        return
    planned = asked().post(routes.PLAN_RUN, said)
    warn(planned["notices"])
    _print_run(planned["run"], raw)


def _seconds(time_: Millis | None) -> float | None:
    return None if time_ is None else time_ / SECOND


def _print_plan(found: Any, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    count, available = found["files"], found["available"]
    console.print(
        say(
            f"{count} of {available} files would be drawn; nothing is written",
            f"будет отобрано файлов: {count} из {available}; ничего не записано",
        )
    )
    console.print(_facts({name: value for name, value in found.items() if name != "notices"}))


@run.command("list")
@click.option("--mode", type=MODES)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def run_list(mode: str | None, limit: int, raw: bool) -> None:
    """List runs, the latest start first."""
    found = asked().get(routes.CONDUCTED_RUNS, {"mode": mode, "limit": str(limit)})["runs"]
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    runs = table("run", "mode", "set", "start", "files", "state")
    for each in found:
        kind = f"{code(each['mode'])} ({say('trial', 'пробный')})" if each["trial"] else code(each["mode"])
        count, state = str(each["total_files"]), code(each["state"])
        runs.add_row(each["run_id"], kind, each["set"], each["starts_at"], count, state)
    console.print(runs)


@run.command("show")
@click.argument("run_id")
@as_json
def run_show(run_id: str, raw: bool) -> None:
    """Show RUN_ID: schedule, state, commitment, decisions, a proposal on a mass failure."""
    found = asked().get(routes.CONDUCTED_RUN, run_id=run_id)
    warn(found["settlement"]["notices"])
    _print_run(found, raw)


@run.command("watch")
@click.argument("run_id")
@click.option("--every", type=click.FloatRange(0.5, 60), default=2.0, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Look once and end.")
@as_json
def run_watching(run_id: str, every: float, once: bool, raw: bool) -> None:
    """Watch RUN_ID: who is connected, who has not joined, delays, annulments; ends with the run."""
    from rich.live import Live

    at = asked()

    def look() -> Any:
        return at.get(routes.WATCH_RUN, run_id=run_id)

    if raw:
        click.echo(json.dumps(look(), ensure_ascii=False, indent=2))
        return
    if once:
        console.print(_board(look()))
        return
    if not console.is_terminal:
        console.print(_board(found := _listened(look, every)))
        _tell_unclosed(found)
        return
    with Live(console.whole(_board(found := look())), console=console, auto_refresh=False) as live:
        while not _has_ended(found):
            time.sleep(every)
            live.update(console.whole(_board(found := look())), refresh=True)
    _tell_unclosed(found)


def _listened(look: Callable[[], Any], every: float) -> Any:
    """Return the run when it is over. In a pipe a line reports its progress, every five seconds at least."""
    from tracks.command.console import SILENCE_S

    last, silent = "", 0.0
    while not _has_ended(found := look()):
        line = _in_a_line(found)
        if line != last or silent + every > SILENCE_S:
            complaints.print(f"{found['now']} {line}", highlight=False, markup=False)
            last, silent = line, 0.0
        time.sleep(every)
        silent += every
    return found


def _has_ended(found: Any) -> bool:
    """Say whether a watched run is over: nothing of it opens or can be answered any more."""
    return found["closed_at"] is not None or found["state"] in {"finished", "stopped"}


def _tell_unclosed(found: Any) -> None:
    """Tell the platform's work that remains after a run's end; marking and publishing wait for it."""
    if found["closed_at"] is None:
        told = say(
            "the run is over; the platform closes its last sessions within minutes, and then its results can be made",
            "прогон завершён; последние сессии платформа закроет за несколько минут, после чего можно подвести итоги",
        )
        complaints.print(told, highlight=False, markup=False)


def _in_a_line(found: Any) -> str:
    """Format a run's progress in one line: its state, its files, the present and the absent teams."""
    here = sum(each["connected"] for each in found["teams"])
    away, void = len(found["teams"]) - here, sum(sum(each["voided"].values()) for each in found["teams"])
    answered, missing = sum(each["answered"] for each in found["teams"]), len(found["absent"])
    opened, files = found["opened"], found["total_files"]
    return f"{code(found['state'])}, " + say(
        f"{opened} of {files} files open; teams: {here} here, {away} away, {missing} not joined; "
        f"{answered} answers, {void} void",
        f"открыто файлов {opened} из {files}; команд: на связи {here}, без связи {away}, не вошло {missing}; "
        f"ответов {answered}, аннулировано {void}",
    )


@run.command("record")
@click.argument("run_id")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to.")
def run_records(run_id: str, out: Path) -> None:
    """Write the record of RUN_ID for the commission: record.json, timeline.svg, sessions.csv."""
    from contest.run import recording

    content = asked().published(routes.RUN_RECORD, run_id=run_id)
    files = recording.folder(content)
    out.mkdir(parents=True, exist_ok=True)
    for name, made in files.items():
        (out / name).write_bytes(made)
    click.echo(f"{out}: {', '.join(files)}")


def _print_run(said: Any, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
        return
    click.echo(said["run_id"])
    facts = _facts({name: said[name] for name in said if name not in {"run_id", "commitment", "amendments"}})
    facts.add_row(fact("root"), said["commitment"]["statement"]["root"])
    for each in said["amendments"]:
        details = value_in_words("details", each["details"])
        facts.add_row(
            f"{say('amendment', 'решение')} {each['number']}",
            f"{code(each['kind'])} {details} {each['effective_at']} {each['reason']}",
        )
    complaints.print(facts)


def _facts(said: Mapping[str, Any]) -> Table:
    """List the facts of a run, a line each."""
    facts = table("what", "value", show_header=False)
    for name, value in said.items():
        if value is not None:
            facts.add_row(fact(name), value_in_words(name, value))
    return facts


def _board(found: Any) -> Table:
    opened, files = found["opened"], found["total_files"]
    so_far = say(f"{opened} of {files} open", f"открыто файлов {opened} из {files}")
    title = f"{found['run_id']} · {code(found['state'])} · {so_far} · {found['now']}"
    board = table("team", "session", "heard of", "answered", "open", "void", "share", "delay", title=title)
    for each in found["teams"]:
        silent = max(0, from_iso(found["now"]) - from_iso(each["seen_at"])) / SECOND
        if each["connected"]:
            heard = say(f"{silent:.0f} s ago", f"{silent:.0f} с назад")
        else:
            heard = f"[red]{say(f'away {silent:.0f} s', f'нет {silent:.0f} с')}[/]"
        void = ", ".join(f"{code(cause)} {count}" for cause, count in each["voided"].items()) or "—"
        late = "—" if each["last_delay_ms"] is None else seconds(each["last_delay_ms"])
        marked = f"[red]{share(each)}[/]" if each["solution_voided"] else share(each)
        board.add_row(
            each["team_id"],
            code(each["state"], "session"),
            heard,
            f"{each['answered']}/{each['files']}",
            str(each["open"]),
            void,
            marked,
            late,
        )
    for each in found["absent"]:
        board.add_row(escape(each["team_id"]), f"[red]{say('not joined', 'не вошла')}[/]", *"——————")
    if found["mass_failure"] is not None:
        numbers = ", ".join(map(str, found["mass_failure"]))
        board.caption = say(
            f"mass failure ({found['standing']}): everybody missed the files {numbers}",
            f"массовый технический сбой ({code(found['standing'], 'failure')}): все пропустили файлы {numbers}",
        )
    elif found["state"] == "planned":
        board.caption = say(f"starts at {found['starts_at']}", f"начало в {found['starts_at']}")
    return board


def seconds(millis: Millis) -> str:
    """Format a time in seconds with two decimals."""
    return f"{number(millis / SECOND, 2)} {say('s', 'с')}"
