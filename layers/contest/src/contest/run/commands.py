"""Commands ``contest run …``: plan, show and watch runs, decide about them, record protocols.

A decision is published and written to the audit log. With ``--preview`` it shows its changes and writes nothing.
``contest run protocol`` and ``protocols`` record and show the statements of judges and commission about a run (R 8.3,
D 11).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.shell import (
    Moment,
    Numbers,
    Seconds,
    as_json,
    code,
    complaints,
    console,
    end_with_json,
    fact,
    speak,
    table,
    teams_named,
    value_in_words,
    warn,
    yes,
)
from contest.cycle.rules.cycle import ALL_LANGUAGES, Mode
from contest.people.commands import asked
from contest.results.commands import export_archive, hide_run, mark_run, publish_run, when_made
from contest.run.rules.run import Matter
from contest.session.rules.delivery import Cause
from contest.texts import say, tr
from contest.values import SECOND, Millis, from_iso, iso
from markup_core.texts import Text, localized, number
from tracks.command import spoken
from tracks.rules import Signatory

Command = TypeVar("Command", bound=Callable[..., Any])
CAUSES: Final = click.Choice([cause.value for cause in Cause])
MODES: Final = click.Choice([Mode.FINAL.value, Mode.TECHNICAL.value])


@spoken.group()
def run() -> None:
    """Manage runs: the scheduled release of a set to all teams at once (technical qualification, final)."""


for _command in (export_archive, mark_run, publish_run, hide_run):
    run.add_command(_command)


def decision(command: Command) -> Command:
    """Add the run, the reason and the forms of output, which every decision has, to a command."""
    for option in (
        as_json,
        click.option("--preview", is_flag=True, help="Show what would change and write nothing."),
        click.option("--reason", required=True, help="Why; it is published and written to the audit log."),
        click.argument("run_id"),
    ):
        command = option(command)
    return command


@run.command("pause")
@decision
def pause(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Open nothing more of RUN_ID from five seconds on; all pauses together last two hours at most (D 6.16)."""
    _fulfil(run_id, {"kind": "pause", "reason": reason}, preview, raw)


@run.command("resume")
@decision
def resume(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Let the paused RUN_ID go on in half a minute; everything that is still to open moves by the pause."""
    _fulfil(run_id, {"kind": "resume", "reason": reason}, preview, raw)


@run.command("stop")
@decision
def stop(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """End RUN_ID for good; its results do not count and stay visible to organizers (R 7.16)."""
    _fulfil(run_id, {"kind": "stop", "reason": reason}, preview, raw)


@run.command("void")
@decision
@click.argument("numbers", type=Numbers())
def void(run_id: str, numbers: tuple[int, ...], reason: str, preview: bool, raw: bool) -> None:
    """Annul the files NUMBERS (3,5-7) of RUN_ID for everybody; they count for nobody."""
    _fulfil(run_id, {"kind": "void", "reason": reason, "numbers": numbers}, preview, raw)


@run.command("replace")
@decision
@click.argument("numbers", type=Numbers(), required=False)
@click.option("--proposal", is_flag=True, help="The files that the proposal on a mass failure names.")
def replace(
    run_id: str, numbers: tuple[int, ...] | None, proposal: bool, reason: str, preview: bool, raw: bool
) -> None:
    """Annul the files NUMBERS of RUN_ID for everybody and append as many of the reserve set (D 8.12)."""
    if (numbers is None) == (not proposal):
        raise click.UsageError(say("name the files, or give --proposal"))
    files = {"proposal": True} if proposal else {"numbers": numbers}
    _fulfil(run_id, {"kind": "replace", "reason": reason, **files}, preview, raw)


@run.command("rule")
@decision
@click.argument("team_id")
@click.argument("number", type=int)
@click.argument("cause", type=CAUSES)
def rule(run_id: str, team_id: str, number: int, cause: str, reason: str, preview: bool, raw: bool) -> None:
    """Change the cause of the void file NUMBER of TEAM_ID in RUN_ID; the run's record shows it to everybody."""
    wish = {"kind": "rule", "reason": reason, "team_id": team_id, "number": number, "cause": cause}
    _fulfil(run_id, wish, preview, raw)


@run.command("admit")
@decision
@click.argument("team_id")
def admit(run_id: str, team_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Let TEAM_ID open a session of RUN_ID though the time for it is over; what it missed is wrong (D 13.2)."""
    _fulfil(run_id, {"kind": "admit", "reason": reason, "team_id": team_id}, preview, raw)


@run.command("undo")
@decision
@click.argument("amendment", type=int)
def undo(run_id: str, amendment: int, reason: str, preview: bool, raw: bool) -> None:
    """Take the decision AMENDMENT of RUN_ID back (its number: contest run show)."""
    _fulfil(run_id, {"kind": "undo", "reason": reason, "amendment": amendment}, preview, raw)


@run.command("restart")
@decision
@click.option("--start", type=Moment(), required=True, help="When the new run's first file opens, with its zone.")
@click.option("--files", type=int, help="How many files; as many as before without it, if the reserve has them.")
@click.option("--interval", type=Seconds(), help="Between openings; as before without it.")
def restart(
    run_id: str, start: Millis, files: int | None, interval: Millis | None, reason: str, preview: bool, raw: bool
) -> None:
    """Stop RUN_ID and plan a new run on the reserve set: one decision (R 7.16)."""
    wish = {
        "reason": reason,
        "starts_at": iso(start),
        "interval_s": None if interval is None else interval / SECOND,
        "files": files,
    }
    if preview:
        effects = asked().post(routes.PREVIEW_RESTART, wish, run_id=run_id)
        _print_preview(effects["stop"], raw)
        files, since = effects["files"], effects["starts_at"]
        (complaints if raw else console).print(
            say(
                "then a new run on the set {set}: {files} files from {since}",
                set=effects["set"],
                files=files,
                since=since,
            )
        )
        warn(effects["notices"])
        return
    planned = asked().post(routes.RESTART, wish, run_id=run_id)
    warn(planned["notices"])
    click.echo(json.dumps(planned) if raw else planned["run_id"])


@run.command("dismiss")
@click.argument("run_id")
@click.option("--reason", required=True, help="Why the platform was not at fault.")
@click.option("--preview", is_flag=True, help="Show the proposal and write nothing.")
def dismiss(run_id: str, reason: str, preview: bool) -> None:
    """Dismiss the proposal on a mass failure in RUN_ID; the files stay as they are (D 1.7)."""
    if preview:
        proposal = asked().post(routes.PREVIEW_DISMISSAL, run_id=run_id)
        numbers = ", ".join(map(str, proposal["numbers"]))
        speak("everybody missed the files {numbers}; they would stay as they are", numbers=numbers)
        return
    asked().post(routes.DISMISS_PROPOSAL, {"reason": reason}, run_id=run_id)
    speak("the proposal is dismissed")


def _fulfil(run_id: str, wish: Mapping[str, Any], preview: bool, raw: bool) -> None:
    if preview:
        _print_preview(asked().post(routes.PREVIEW_DECISION, wish, run_id=run_id), raw)
        return
    amendment = asked().post(routes.DECIDE, wish, run_id=run_id)
    end_with_json(raw, amendment)
    name, kind, since = amendment["amendment"], code(amendment["kind"]), amendment["effective_at"]
    speak("amendment {name}: {kind}, in effect at {since}", name=name, kind=kind, since=since)


def _print_preview(effects: Any, raw: bool) -> None:
    end_with_json(raw, effects)
    kind, since = code(effects["kind"]), effects["effective_at"]
    console.print(say("{kind} would hold from {since}; nothing is written", kind=kind, since=since))
    moved = say("Openings that move")
    openings = table("file", "opens", "would open", title=moved)
    for row in effects["moved"]:
        openings.add_row(str(row["number"]), str(row["before"] or "—"), str(row["after"] or "—"))
    columns = ("team", "void", "would be", "share", "would be", "solution", "would be")
    shares = table(*columns, title=say("Teams"))
    for row in effects["teams"]:
        was, becomes = row["before"], row["after"]
        cells = [
            (len(was["voided"]), len(becomes["voided"])),
            (share(was), share(becomes)),
            (_fate(was), _fate(becomes)),
        ]
        shares.add_row(row["team_id"], *(str(cell) for pair in cells for cell in pair))
    for listing, rows in ((openings, effects["moved"]), (shares, effects["teams"])):
        if rows:
            console.print(listing)
    ends = ", ".join(effects["ends"]) or tr("none")
    console.print(say("sessions that end: {sessions}", sessions=ends))


def share(team: Mapping[str, Any]) -> str:
    """Format a team's share of void files for people."""
    if team["voided_share"] is None:
        return "—"
    percent = number(100 * team["voided_share"], 1)
    return localized(Text(f"{percent}%", f"{percent} %"))


def _fate(team: Mapping[str, Any]) -> str:
    return say("void") if team["solution_voided"] else say("counts")


_ROUTES: Final = {Signatory.JUDGES: routes.JUDGES_PROTOCOL, Signatory.COMMISSION: routes.COMMISSIONS_PROTOCOL}


@run.command("protocol")
@click.argument("run_id")
@click.option("--by", type=click.Choice([side.value for side in Signatory]), required=True, help="For whom you sign.")
@click.option(
    "--matter",
    type=click.Choice([matter.value for matter in Matter]),
    default=Matter.RESULTS.value,
    show_default=True,
    help="What it is about.",
)
@click.option("--reason", required=True, help="The text of the protocol; judges, commission and organizers read it.")
@click.option("--against", is_flag=True, help="The results are not right, or there was no mass failure.")
@click.option("--wait", is_flag=True, help="Wait until the results are made and verified.")
def protocol(run_id: str, by: str, matter: str, reason: str, *, against: bool, wait: bool) -> None:
    """Record what judges or commission found: of the results of RUN_ID as they are now, or a mass failure (R 8.3)."""
    at, statement = asked(), {"matter": matter, "positive": not against, "reason": reason}
    ask = partial(at.post, _ROUTES[Signatory(by)], statement, run_id=run_id)
    if wait:
        when_made(at, run_id, ask)
    else:
        ask()
    speak("the protocol about {run_id} is recorded", run_id=run_id)


@run.command("protocols")
@click.argument("run_id")
@as_json
def protocols(run_id: str, *, raw: bool) -> None:
    """Show what judges and commission have stated about RUN_ID, and what its results wait for."""
    stated = asked().get(routes.PROTOCOLS, run_id=run_id)
    end_with_json(raw, stated)
    demands = table("side", "clause", "required", "stands at", title=say("Asked for before publication"))
    for row in stated["wanted"]:
        demands.add_row(
            code(row["by"], "protocol"), row["clause"], yes(row["demanded"]), code(row["standing"], "protocol")
        )
    listed = table("number", "at", "side", "about", "finds", "text", title=say("Protocols, the latest first"))
    for row in stated["protocols"]:
        finds = code("positive" if row["positive"] else "negative", "protocol")
        outdated = "" if row["current"] else f" ({code('outdated', 'protocol')})"
        about = code(row["matter"], "protocol")
        listed.add_row(
            str(row["number"]),
            row["at"],
            code(row["by"], "protocol"),
            about,
            f"{finds}{outdated}",
            escape(row["reason"]),
        )
    for listing in (demands, listed):
        console.print(listing)


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
@click.option(
    "--every", type=spoken.FiniteRange(0.5, 60), default=2.0, show_default=True, help="Seconds between looks."
)
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
    """Return whether a watched run is over: nothing of it opens or can be answered any more."""
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
    files = recording.record_files(content)
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
