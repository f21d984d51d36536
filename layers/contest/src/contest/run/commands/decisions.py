"""Commands of decisions about a run, and of its protocols.

``contest run pause|resume|stop|…`` are the decisions, each with ``--preview`` for its changes. ``contest run protocol``
and ``protocols`` record and show the statements of judges and commission about a run (R 8.3, D 11).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import Moment, Numbers, Seconds, as_json, complaints, console, warn
from contest.commands.words import code, end_with_json, in_language, speak, table, yes
from contest.people.commands import LOOK_AGAIN_S, Asked, asked, finished, look_again_later
from contest.results import commands as boards
from contest.results.rules.jobs import Settled
from contest.run.rules.run import Matter
from contest.session.rules.delivery import Cause
from contest.texts import say, tr
from contest.values import SECOND, Millis, iso
from markup_core.texts import Text, localized, number
from tracks.command import spoken
from tracks.rules import Signatory

Command = TypeVar("Command", bound=Callable[..., Any])
CAUSES: Final = click.Choice([cause.value for cause in Cause])


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


@spoken.command("pause")
@decision
def pause(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Open nothing more of RUN_ID from five seconds on; all pauses together last two hours at most (D 6.16)."""
    _fulfil(run_id, {"kind": "pause", "reason": reason}, preview, raw)


@spoken.command("resume")
@decision
def resume(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Let the paused RUN_ID go on in half a minute; everything that is still to open moves by the pause."""
    _fulfil(run_id, {"kind": "resume", "reason": reason}, preview, raw)


@spoken.command("stop")
@decision
def stop(run_id: str, reason: str, preview: bool, raw: bool) -> None:
    """End RUN_ID for good; its results do not count and stay visible to organizers (R 7.16)."""
    _fulfil(run_id, {"kind": "stop", "reason": reason}, preview, raw)


@spoken.command("void")
@decision
@click.argument("numbers", type=Numbers())
def void(run_id: str, numbers: tuple[int, ...], reason: str, preview: bool, raw: bool) -> None:
    """Annul the files NUMBERS (3,5-7) of RUN_ID for everybody; they count for nobody."""
    _fulfil(run_id, {"kind": "void", "reason": reason, "numbers": numbers}, preview, raw)


@spoken.command("replace")
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


@spoken.command("rule")
@decision
@click.argument("team_id")
@click.argument("number", type=int)
@click.argument("cause", type=CAUSES)
def rule(run_id: str, team_id: str, number: int, cause: str, reason: str, preview: bool, raw: bool) -> None:
    """Say of the void file NUMBER of TEAM_ID in RUN_ID that its cause is another; others learn it from the record."""
    wish = {"kind": "rule", "reason": reason, "team_id": team_id, "number": number, "cause": cause}
    _fulfil(run_id, wish, preview, raw)


@spoken.command("admit")
@decision
@click.argument("team_id")
def admit(run_id: str, team_id: str, reason: str, preview: bool, raw: bool) -> None:
    """Let TEAM_ID open a session of RUN_ID though the time for it is over; what it missed is wrong (D 13.2)."""
    _fulfil(run_id, {"kind": "admit", "reason": reason, "team_id": team_id}, preview, raw)


@spoken.command("undo")
@decision
@click.argument("amendment", type=int)
def undo(run_id: str, amendment: int, reason: str, preview: bool, raw: bool) -> None:
    """Take the decision AMENDMENT of RUN_ID back (its number: contest run show)."""
    _fulfil(run_id, {"kind": "undo", "reason": reason, "amendment": amendment}, preview, raw)


@spoken.command("restart")
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


@spoken.command("dismiss")
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


@spoken.command("mark")
@click.argument("run_id")
@click.option("--wait", is_flag=True, help="Wait until the run's record is made, some minutes after its end.")
def mark(run_id: str, *, wait: bool) -> None:
    """Score the closed final RUN_ID by the markups that experts made here, or that the cycle has now (R 7.10)."""
    at = asked()
    ask = partial(at.post, routes.MARK_RUN, run_id=run_id)
    finished(at, when_made(at, run_id, ask) if wait else ask())
    _warn_of_lateness(at, run_id)
    speak("{run_id} has the present markups; contest run publish has its answers scored by them", run_id=run_id)


def _results_reason(command: Command) -> Command:
    return click.option("--reason", help="Why; it is written to the audit log.")(command)


@spoken.command("publish")
@click.argument("run_id")
@_results_reason
@click.option("--wait", is_flag=True, help="Wait until everything is made and verified, then print the board.")
def publish(run_id: str, reason: str | None, *, wait: bool) -> None:
    """Publish the results of the final RUN_ID: the board, and the results in the teams' reports (R 7.11, 7.12)."""
    wish = {"state": "published", "reason": reason or "contest run publish, without a reason"}
    at = asked()
    ask = partial(at.post, routes.DECIDE_BOARD, wish, board=run_id)
    if wait:
        when_made(at, run_id, ask)
    else:
        ask()
    _warn_of_lateness(at, run_id)
    speak("the results of {run_id} are published", run_id=run_id)
    if wait:
        boards.show_final(at, run_id)


_BEING_MADE: Final = frozenset({Settled.RUNNING, Settled.RECORD, Settled.SCORING, Settled.ENTRIES, Settled.VERIFYING})
"""What ends by itself: everything else waits for somebody."""


_LOOKS: Final = 5
"""After so many looks at what has not changed it is said again."""


def when_made(at: Asked, run_id: str, ask: Callable[[], Any]) -> Any:
    """Repeat a request until its missing parts are made, it is granted, or it waits for a person; return the answer.

    What is being made is said each time it changes, and while it does not, with the time that it has taken, so that
    nobody looks at nothing for longer than five seconds.
    """
    printed, was, looks = "", "", 0
    while True:
        try:
            return ask()
        except click.ClickException:
            settlement = at.get(routes.CONDUCTED_RUN, run_id=run_id)["settlement"]
            before, was = was, settlement["state"]
            # Ready between the refusal and the look: granted the next time, or refused for another reason.
            if was not in _BEING_MADE and (was != Settled.READY or before == Settled.READY):
                raise
        if (news := f"{code(was)}: {in_language(settlement, 'reason')}") != printed:
            complaints.print(escape(news))
            printed, looks = news, 0
        elif looks % _LOOKS == 0:
            minutes, seconds = divmod(round(looks * LOOK_AGAIN_S), 60)
            complaints.print(escape(f"{news} {minutes}:{seconds:02}"))
        look_again_later()
        looks += 1


def _warn_of_lateness(at: Asked, run_id: str) -> None:
    """Warn of markups and results that come after their time (R 7.3, R 7.11); they are not refused."""
    warn(at.get(routes.CONDUCTED_RUN, run_id=run_id)["settlement"]["notices"])


@spoken.command("hide")
@click.argument("run_id")
@_results_reason
def hide(run_id: str, reason: str | None) -> None:
    """Withdraw the published results of RUN_ID."""
    wish = {"state": "hidden", "reason": reason or "contest run hide, without a reason"}
    asked().post(routes.DECIDE_BOARD, wish, board=run_id)
    speak("the results of {run_id} are hidden", run_id=run_id)


DECISIONS: Final = (pause, resume, stop, restart, void, replace, rule, admit, undo, dismiss, mark, publish, hide)


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


@spoken.command("protocol")
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


@spoken.command("protocols")
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


COMMANDS: Final = (protocol, protocols)
