"""Commands ``contest run …`` and ``contest export``.

``contest run …`` plans runs, shows and watches them, and writes their records. ``contest export`` writes reports and
tables of the platform into files, in the format of the file's name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.shell import Moment, Seconds, as_json, complaints, console, teams_named, warn
from contest.commands.words import code, end_with_json, fact, speak, table, value_in_words
from contest.cycle.rules.cycle import ALL_LANGUAGES, Mode
from contest.people.commands import asked, desk
from contest.routes import Route
from contest.run.commands.decisions import COMMANDS as PROTOCOLS
from contest.run.commands.decisions import DECISIONS, share
from contest.texts import say
from contest.values import SECOND, Millis, from_iso, iso
from markup_core.texts import number
from tracks.command import spoken

Forms = Mapping[str, Route]
"""Routes by the ending of the file's name."""

_TEAMS: Final[Forms] = {".json": routes.BOARD_PREVIEW, ".csv": routes.COMPARED_CSV, ".xlsx": routes.COMPARED_XLSX}


def _forms_of(route: Route) -> Forms:
    """Return the forms of a report: its own route is the one of JSON, the others have the ending behind its path."""
    by_ending = {form.path.removeprefix(route.path): form for form in routes.ROUTES if form.method == "GET"}
    return {ending or ".json": by_ending[ending] for ending in ("", ".html", ".csv", ".xlsx") if ending in by_ending}


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
    _write(_forms_of(routes.REPORT), file, lang, session_id=session_id)


@export.command("submission")
@click.argument("submission_id")
@_file
@_lang
def submission(submission_id: str, file: Path, lang: str) -> None:
    """Write the report of SUBMISSION_ID, as it stands on the board."""
    _write(_forms_of(routes.SUBMISSION_REPORT), file, lang, submission_id=submission_id)


@export.command("commission")
@click.argument("run_id")
@_file
@_lang
def commission(run_id: str, file: Path, lang: str) -> None:
    """Write what the commission looks at of RUN_ID: annulments, decisions, protocols, results, the log."""
    _write(_forms_of(routes.COMMISSION_RECORD), file, lang, run_id=run_id)


@export.command("files")
@click.argument("run_id")
@_file
@click.option("--team", help="This team's files alone.")
@_lang
def files(run_id: str, file: Path, team: str | None, lang: str) -> None:
    """Write every file of every team of RUN_ID."""
    _write(_forms_of(routes.RUN_FILES), file, lang, {"team": team}, run_id=run_id)


@export.command("experts")
@click.argument("marking_id")
@_file
@_lang
def experts(marking_id: str, file: Path, lang: str) -> None:
    """Write the experts' work on MARKING_ID: progress, speed, agreement, drift, third experts."""
    _write(_forms_of(routes.MARKING_REPORT), file, lang, marking_id=marking_id)


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
        _write(
            _forms_of(routes.FINAL_BOARD), file, lang, {"run": run_id, "language": language, "nomination": nomination}
        )
    elif nomination is not None:
        raise click.UsageError(say("nominations are of finals: --final, or --run RUN"))
    else:
        _write(_forms_of(routes.QUALIFICATION_BOARD), file, lang, {"language": language})


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
        message = say("{name} ends in none of {endings}", name=file.name, endings=endings)
        raise click.BadParameter(message, param_hint="FILE")
    content = desk().content(route, {**(query or {}), "lang": lang}, **names)
    file.write_bytes(content)
    _say_written(file, content)


def _say_written(file: Path, content: bytes) -> None:
    speak("{file}: {content} bytes", file=file, content=len(content))


MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])


@spoken.group()
def run() -> None:
    """Manage runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


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
    order = {
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
        plan = asked().post(routes.PREVIEW_PLAN, order)
        warn(plan["notices"])
        _print_plan(plan, raw)
        return
    planned = asked().post(routes.PLAN_RUN, order)
    warn(planned["notices"])
    _print_run(planned["run"], raw)


def _seconds(time_: Millis | None) -> float | None:
    return None if time_ is None else time_ / SECOND


def _print_plan(plan: Any, raw: bool) -> None:
    end_with_json(raw, plan)
    count, available = plan["files"], plan["available"]
    console.print(
        say("{count} of {available} files would be drawn; nothing is written", count=count, available=available)
    )
    console.print(_facts({name: value for name, value in plan.items() if name != "notices"}))


@run.command("list")
@click.option("--mode", type=MODES)
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def run_list(mode: str | None, limit: int, raw: bool) -> None:
    """List runs, the latest start first."""
    listing = asked().get(routes.CONDUCTED_RUNS, {"mode": mode, "limit": str(limit)})["runs"]
    end_with_json(raw, listing)
    runs = table("run", "mode", "set", "start", "files", "state")
    for row in listing:
        kind = say("{mode} (trial)", mode=code(row["mode"])) if row["trial"] else code(row["mode"])
        count, state = str(row["total_files"]), code(row["state"])
        runs.add_row(row["run_id"], kind, row["set"], row["starts_at"], count, state)
    console.print(runs)


@run.command("show")
@click.argument("run_id")
@as_json
def run_show(run_id: str, raw: bool) -> None:
    """Show RUN_ID: schedule, state, commitment, decisions, a proposal on a mass failure."""
    details = asked().get(routes.CONDUCTED_RUN, run_id=run_id)
    warn(details["settlement"]["notices"])
    _print_run(details, raw)


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

    end_with_json(raw, look())
    if once:
        console.print(_board(look()))
        return
    if not console.is_terminal:
        console.print(_board(view := _listened(look, every)))
        _tell_unclosed(view)
        return
    with Live(console.whole(_board(view := look())), console=console, auto_refresh=False) as live:
        while not _has_ended(view):
            time.sleep(every)
            live.update(console.whole(_board(view := look())), refresh=True)
    _tell_unclosed(view)


def _listened(look: Callable[[], Any], every: float) -> Any:
    """Watch a run until it is over and return its last view. In a pipe a line tells its progress every five seconds."""
    from tracks.command.console import SILENCE_S

    last, silent = "", 0.0
    while not _has_ended(view := look()):
        line = _in_a_line(view)
        if line != last or silent + every > SILENCE_S:
            complaints.print(f"{view['now']} {line}", highlight=False, markup=False)
            last, silent = line, 0.0
        time.sleep(every)
        silent += every
    return view


def _has_ended(view: Any) -> bool:
    """Say whether a watched run is over: nothing of it opens or can be answered any more."""
    return view["closed_at"] is not None or view["state"] in {"finished", "stopped"}


def _tell_unclosed(view: Any) -> None:
    """Tell that the platform still closes sessions after a run's end; marking and publishing wait for it."""
    if view["closed_at"] is None:
        message = say(
            "the run is over; the platform closes its last sessions within minutes, and then its results can be made"
        )
        complaints.print(message, highlight=False, markup=False)


def _in_a_line(view: Any) -> str:
    """Format a run's progress in one line: its state, its files, the present and the absent teams."""
    here = sum(team["connected"] for team in view["teams"])
    away, void = len(view["teams"]) - here, sum(sum(team["voided"].values()) for team in view["teams"])
    answered, missing = sum(team["answered"] for team in view["teams"]), len(view["absent"])
    opened, files = view["opened"], view["total_files"]
    return f"{code(view['state'])}, " + say(
        "{opened} of {files} files open; teams: {here} here, {away} away, {missing} not joined; "
        "{answered} answers, {void} void",
        opened=opened,
        files=files,
        here=here,
        away=away,
        missing=missing,
        answered=answered,
        void=void,
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
    for name, file_content in files.items():
        (out / name).write_bytes(file_content)
    click.echo(f"{out}: {', '.join(files)}")


def _print_run(shown_run: Any, raw: bool) -> None:
    end_with_json(raw, shown_run)
    click.echo(shown_run["run_id"])
    facts = _facts({name: shown_run[name] for name in shown_run if name not in {"run_id", "commitment", "amendments"}})
    facts.add_row(fact("root"), shown_run["commitment"]["statement"]["root"])
    for amendment in shown_run["amendments"]:
        details = value_in_words("details", amendment["details"])
        facts.add_row(
            say("amendment {number}", number=amendment["number"]),
            f"{code(amendment['kind'])} {details} {amendment['effective_at']} {amendment['reason']}",
        )
    complaints.print(facts)


def _facts(described: Mapping[str, Any]) -> Table:
    """List the facts of a run, a line each."""
    facts = table("what", "value", show_header=False)
    for name, value in described.items():
        if value is not None:
            facts.add_row(fact(name), value_in_words(name, value))
    return facts


def _board(view: Any) -> Table:
    opened, files = view["opened"], view["total_files"]
    so_far = say("{opened} of {files} open", opened=opened, files=files)
    title = f"{view['run_id']} · {code(view['state'])} · {so_far} · {view['now']}"
    board = table("team", "session", "heard of", "answered", "open", "void", "share", "delay", title=title)
    for team in view["teams"]:
        silent = max(0, from_iso(view["now"]) - from_iso(team["seen_at"])) / SECOND
        if team["connected"]:
            heard = say("{silent:.0f} s ago", silent=silent)
        else:
            heard = "[red]" + say("away {silent:.0f} s", silent=silent) + "[/]"
        void = ", ".join(f"{code(cause)} {count}" for cause, count in team["voided"].items()) or "—"
        late = "—" if team["last_delay_ms"] is None else seconds(team["last_delay_ms"])
        marked = f"[red]{share(team)}[/]" if team["solution_voided"] else share(team)
        board.add_row(
            team["team_id"],
            code(team["state"], "session"),
            heard,
            f"{team['answered']}/{team['files']}",
            str(team["open"]),
            void,
            marked,
            late,
        )
    for team in view["absent"]:
        board.add_row(escape(team["team_id"]), "[red]" + say("not joined") + "[/]", *"——————")
    if view["mass_failure"] is not None:
        numbers = ", ".join(map(str, view["mass_failure"]))
        board.caption = say(
            "mass failure ({standing}): everybody missed the files {numbers}",
            standing=code(view["standing"], "failure"),
            numbers=numbers,
        )
    elif view["state"] == "planned":
        board.caption = say("starts at {starts_at}", starts_at=view["starts_at"])
    return board


def seconds(millis: Millis) -> str:
    """Format a time in seconds with two decimals."""
    return say("{seconds} s", seconds=number(millis / SECOND, 2))
