"""Commands about boards: ``contest results``, ``contest qualification``, printing of a board.

``contest results`` prints the public boards, the boards as organizers see them, and the history of places. ``contest
qualification`` leads a conclusion through its steps: the judges confirm, the commission verifies, the organizers admit
(R 6.9, 8.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click
from rich.markup import escape

from contest import routes
from contest.commands.desk import NotDoneError
from contest.commands.shell import as_json, caution, console
from contest.commands.words import code, end_with_json, heading, in_language, show_json, speak, table, yes
from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.people.commands import Asked, asked, desk
from contest.route import Route
from contest.texts import say, tr, tr_in
from markup_core.speaking import number
from tracks.command import spoken
from tracks.protocol import Text


def show_final(at: Asked, run_id: str) -> None:
    """Print the board of a final with published results."""
    show_board(at.get(routes.FINAL_BOARD, {"language": ALL_LANGUAGES, "nomination": None, "run": run_id}))


def show_asked(at: Asked, route: Route, query: Mapping[str, str | None]) -> None:
    """Print a board; one that is still to be published is empty, which is no error."""
    from contest.errors import ResultsNotPublishedError

    try:
        board = at.get(route, query)
    except NotDoneError as error:
        if error.refused.get("code") != ResultsNotPublishedError.code:
            raise
        console.print(in_language(error.refused), highlight=False)
    else:
        show_board(board)


def show_board(body: Any) -> None:
    """Print a board that the interface has answered."""
    from contest.results.rules import leaderboard

    board = table("place", "team", "files", "result")
    for row in body["rows"]:
        place = leaderboard.said(row["place"], row["place_to"])
        files = f"{row['answered']}/{row['files']}"
        board.add_row(place, escape(row["team"]), files, result(row["value"], body["board"]["places"]))
    console.print(board)
    if body.get("stage"):
        console.print(in_language(body["stage"]), highlight=False)
    if body.get("several_rules"):
        caution(in_language(body["several_rules"]))


def result(value: float | None, places: int) -> str:
    """Return a team's value with the board's decimals."""
    return say("undefined") if value is None else number(value, places)


Command = TypeVar("Command", bound=Callable[..., Any])
_reason = click.option("--reason", required=True, help="Why; it is written to the audit log.")
_board = click.argument("board")


def _part(command: Command) -> Command:
    """Add the options that select a part of a board."""
    language = click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle.")
    return language(
        click.option("--nomination", help="A nomination of the cycle, in the place of a language.")(command)
    )


@spoken.group()
def results() -> None:
    """Boards: BOARD is `qualification`, or a final's by the name of its run."""


@results.command("show")
@_board
@_part
@as_json
def show(board: str, language: str, nomination: str | None, *, raw: bool) -> None:
    """Show BOARD as it is now, whatever everybody sees of it."""
    from contest.results.rules import leaderboard

    body = asked().get(routes.BOARD_PREVIEW, {"language": language, "nomination": nomination}, board=board)
    end_with_json(raw, body)
    rows = table("place", "team", "files", "result", "behind", title=f"{board}: {code(body['state'])}")
    places = body["board"]["places"]
    for row in body["rows"]:
        ahead = row["ahead"]
        behind = "" if ahead is None else f"{number(ahead['difference'], places)}{' ≈' if ahead['overlap'] else ''}"
        place = leaderboard.said(row["place"], row["place_to"])
        rows.add_row(
            place, escape(row["team"]), f"{row['answered']}/{row['files']}", result(row["value"], places), behind
        )
    console.print(rows)


@results.command("history")
@_board
@_part
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def history(board: str, language: str, nomination: str | None, limit: int, *, raw: bool) -> None:
    """Show how the places of BOARD went, as everybody has seen them, the latest first."""
    from contest.results.rules.leaderboard import QUALIFICATION

    query = {"language": language, "limit": str(limit)}
    if board == QUALIFICATION:
        body = asked().get(routes.QUALIFICATION_HISTORY, query)
    else:
        body = asked().get(routes.FINAL_HISTORY, {**query, "run": board, "nomination": nomination})
    end_with_json(raw, body)
    points = table("since", "places")
    for point in body["points"]:
        places = ", ".join(f"{placed['place']} {placed['team_id']}" for placed in point["places"])
        points.add_row(point["at"], escape(places))
    console.print(points)


@results.command("publish")
@_board
@_reason
def publish(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is, from now on; of a final the results in the teams' reports, too."""
    _decided(board, "published", reason)


@results.command("freeze")
@_board
@_reason
def freeze(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is now, whatever changes, until it is published or withdrawn."""
    _decided(board, "frozen", reason)


@results.command("withdraw")
@_board
@_reason
def withdraw(board: str, reason: str) -> None:
    """Let nobody but organizers and commission see BOARD; of a final the results in the teams' reports go with it."""
    _decided(board, "hidden", reason)


_SAID: Final = {"published": tr("is published"), "frozen": tr("is frozen"), "hidden": tr("is withdrawn")}


def _decided(board: str, state: str, reason: str) -> None:
    decision = asked().post(routes.DECIDE_BOARD, {"state": state, "reason": reason}, board=board)
    done, name = _SAID[decision["state"]], decision["board"]
    speak("the board {name} {done}", name=name, done=done)


_OF: Final = click.Choice(["set", "session", "result"])


def _named(command: Command) -> Command:
    """Add the arguments that name the subject of an annulment."""
    for option in (
        _reason,
        click.option("--board", help="Of a result: qualification, or a final by the name of its run."),
        click.argument("subject"),
        click.argument("kind", type=_OF),
    ):
        command = option(command)
    return command


@results.command("annul")
@_named
def annul(kind: str, subject: str, board: str | None, reason: str) -> None:
    """Annul the data set, the session, or the result of the team SUBJECT (D 6.10); it is shown with its reason."""
    _annulled(kind, subject, board, reason, annulled=True)


@results.command("restore")
@_named
def restore(kind: str, subject: str, board: str | None, reason: str) -> None:
    """Take the annulment of SUBJECT back."""
    _annulled(kind, subject, board, reason, annulled=False)


@results.command("annulled")
@as_json
def listed(*, raw: bool) -> None:
    """List what was annulled, and what was restored."""
    body = asked().get(routes.ANNULMENTS)
    end_with_json(raw, body)
    annulments = table("what", "subject", "board", "annulled", "since", "reason")
    for annulment in body["annulments"]:
        state = yes(annulment["annulled"]) if annulment["annulled"] else say("restored")
        cells = (
            heading(annulment["of"]),
            annulment["subject"],
            annulment["board"] or "",
            state,
            annulment["at"],
            annulment["reason"],
        )
        annulments.add_row(*map(escape, cells))
    console.print(annulments)


def _annulled(kind: str, subject: str, board: str | None, reason: str, *, annulled: bool) -> None:
    body = {"of": kind, "subject": subject, "board": board, "annulled": annulled, "reason": reason}
    asked().post(routes.ANNUL, body)
    done = tr_in("boards", "annulled") if annulled else tr("restored")
    speak("{kind} {subject} is {done}", kind=heading(kind), subject=subject, done=done)


STANDINGS: Final = click.Choice(["awaits_judges", "awaits_commission", "verified", "rejected", "not_ready", "annulled"])
_ruling_reason = click.option("--reason", required=True, help="The protocol: why.")


@spoken.group()
def qualification() -> None:
    """Qualification: conclusions on readiness, and who is admitted to the final."""


@qualification.command("list")
@click.option("--standing", type=STANDINGS, help="Teams with a conclusion that stands there: a queue.")
@as_json
def list_qualification(standing: str | None, *, raw: bool) -> None:
    """List how far the teams have come."""
    body = desk().get(routes.STANDINGS, {"standing": standing})
    end_with_json(raw, body)
    teams = table("team", "algorithmic", "technical", "qualified", "admitted", "by", "at")
    for team in body["teams"]:
        claims = {claim["kind"]: f"{code(claim['standing'])} {claim['session_id']}" for claim in team["claims"]}
        admission = team["admission"]
        decided = ("", "", "")
        if admission is not None:
            decided = (yes(admission["admitted"]), escape(admission["by"] or ""), admission["at"])
        kinds = (claims.get(kind, "") for kind in ("algorithmic", "technical"))
        teams.add_row(escape(team["team_id"]), *kinds, yes(team["qualified"]), *decided)
    console.print(teams)


@qualification.command("show")
@click.argument("session_id")
def shown(session_id: str) -> None:
    """Print the conclusion on SESSION_ID with every ruling on it."""
    show_json(desk().get(routes.CONCLUSION, session_id=session_id))


@qualification.command("judge")
@click.argument("session_id")
@click.option("--reject", is_flag=True, help="Reject it instead of confirming it.")
@_ruling_reason
def judged(session_id: str, *, reject: bool, reason: str) -> None:
    """Confirm the positive conclusion on SESSION_ID, as a judge."""
    _told(desk().post(routes.JUDGE, {"confirmed": not reject, "reason": reason}, session_id=session_id))


@qualification.command("verify")
@click.argument("session_id")
@click.option("--return", "returned", is_flag=True, help="Return it to the judges instead.")
@_ruling_reason
def verified(session_id: str, *, returned: bool, reason: str) -> None:
    """Verify the confirmed conclusion on SESSION_ID, for the commission."""
    _told(desk().post(routes.VERIFY, {"verified": not returned, "reason": reason}, session_id=session_id))


@qualification.command("admit")
@click.argument("team_id")
@click.option("--refuse", is_flag=True, help="Do not admit it.")
@_ruling_reason
def admitted(team_id: str, *, refuse: bool, reason: str) -> None:
    """Admit TEAM_ID to finals: a final takes the teams that are admitted when they join, and no others."""
    standing = desk().post(routes.ADMIT, {"admitted": not refuse, "reason": reason}, team_id=team_id)
    unqualified = "" if standing["qualified"] else say("; it has not qualified")
    message = say(
        "team {team_id} is {value}admitted",
        team_id=team_id,
        value=Text("not " if refuse else "", "не " if refuse else ""),
    )
    click.echo(f"{message}{unqualified}")


def _told(conclusion: dict[str, Any]) -> None:
    session, team, standing = conclusion["session_id"], conclusion["team_id"], code(conclusion["standing"])
    speak("{session} of {team}: {standing}", session=session, team=team, standing=standing)
