"""Commands about boards, conclusions, publication of results and exports.

``contest results`` prints the public boards, the boards as organizers see them, and the history of places. ``contest
qualification`` leads a conclusion through its steps: the judges confirm, the commission verifies, the organizers admit
(R 6.9, 8.2). ``contest run mark|publish|hide`` score a final by the experts' markups and show its results. ``contest
export`` writes reports and tables of the platform into files, in the format of the file's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.markup import escape

from contest import routes
from contest.commands.connection import NotDoneError
from contest.commands.shell import (
    as_json,
    caution,
    code,
    complaints,
    console,
    end_with_json,
    heading,
    in_language,
    show_json,
    show_rows,
    speak,
    warn,
    yes,
)
from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.people.commands import LOOK_AGAIN_S, Asked, asked, desk, finished, look_again_later
from contest.results.rules.jobs import Settled
from contest.routes import Route
from contest.texts import say, tr, tr_in
from markup_core.texts import number
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
    show_rows(("place", "team", "files", "result"), (_row_of(row, body["board"]["places"]) for row in body["rows"]))
    if body.get("stage"):
        console.print(in_language(body["stage"]), highlight=False)
    if body.get("several_rules"):
        caution(in_language(body["several_rules"]))


def _row_of(row: Mapping[str, Any], places: int) -> tuple[str, ...]:
    """Return place, team, files and result of a board's row."""
    from contest.results.rules import leaderboard

    place, files = leaderboard.place_text(row["place"], row["place_to"]), f"{row['answered']}/{row['files']}"
    return place, row["team"], files, result(row["value"], places)


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
    _is_qualification(board, nomination)
    body = asked().get(routes.BOARD_PREVIEW, {"language": language, "nomination": nomination}, board=board)
    end_with_json(raw, body)
    rows, places = [], body["board"]["places"]
    for row in body["rows"]:
        ahead = row["ahead"]
        behind = "" if ahead is None else f"{number(ahead['difference'], places)}{' ≈' if ahead['overlap'] else ''}"
        rows.append((*_row_of(row, places), behind))
    show_rows(("place", "team", "files", "result", "behind"), rows, title=f"{board}: {code(body['state'])}")


@results.command("history")
@_board
@_part
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def history(board: str, language: str, nomination: str | None, limit: int, *, raw: bool) -> None:
    """Show the history of BOARD's public places, the latest first."""
    query = {"language": language, "limit": str(limit)}
    if _is_qualification(board, nomination):
        body = asked().get(routes.QUALIFICATION_HISTORY, query)
    else:
        body = asked().get(routes.FINAL_HISTORY, {**query, "run": board, "nomination": nomination})
    end_with_json(raw, body)
    lists = (", ".join(f"{row['place']} {row['team_id']}" for row in point["places"]) for point in body["points"])
    show_rows(("since", "places"), ((point["at"], places) for point, places in zip(body["points"], lists, strict=True)))


def _is_qualification(board: str, nomination: str | None) -> bool:
    """Return whether BOARD is the qualification's; refuse a nomination of it, since only finals have them."""
    from contest.results.rules.qualification import QUALIFICATION

    if board == QUALIFICATION and nomination is not None:
        raise click.UsageError(say("nominations are of finals: name a final's run as BOARD"))
    return board == QUALIFICATION


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
def list_annulled(*, raw: bool) -> None:
    """List what was annulled, and what was restored."""
    body = asked().get(routes.ANNULMENTS)
    end_with_json(raw, body)
    rows = []
    for annulment in body["annulments"]:
        state = yes(annulment["annulled"]) if annulment["annulled"] else say("restored")
        about = heading(annulment["of"]), annulment["subject"], annulment["board"] or ""
        rows.append((*about, state, annulment["at"], annulment["reason"]))
    show_rows(("what", "subject", "board", "annulled", "since", "reason"), rows)


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
@click.option("--standing", type=STANDINGS, help="Only teams with a conclusion of this standing.")
@as_json
def list_qualification(standing: str | None, *, raw: bool) -> None:
    """List the teams' conclusions and admissions to the final."""
    body = desk().get(routes.STANDINGS, {"standing": standing})
    end_with_json(raw, body)
    rows = []
    for team in body["teams"]:
        claims = {claim["kind"]: f"{code(claim['standing'])} {claim['session_id']}" for claim in team["claims"]}
        admission = team["admission"]
        decided = ("", "", "")
        if admission is not None:
            decided = (yes(admission["admitted"]), admission["by"] or "", admission["at"])
        kinds = (claims.get(kind, "") for kind in ("algorithmic", "technical"))
        rows.append((team["team_id"], *kinds, yes(team["qualified"]), *decided))
    show_rows(("team", "algorithmic", "technical", "qualified", "admitted", "by", "at"), rows)


@qualification.command("show")
@click.argument("session_id")
def show_conclusion(session_id: str) -> None:
    """Print the conclusion on SESSION_ID with every ruling on it."""
    show_json(desk().get(routes.CONCLUSION, session_id=session_id))


@qualification.command("judge")
@click.argument("session_id")
@click.option("--reject", is_flag=True, help="Reject it instead of confirming it.")
@_ruling_reason
def judged(session_id: str, *, reject: bool, reason: str) -> None:
    """Confirm the positive conclusion on SESSION_ID, as a judge."""
    _show_conclusion(desk().post(routes.JUDGE, {"confirmed": not reject, "reason": reason}, session_id=session_id))


@qualification.command("verify")
@click.argument("session_id")
@click.option("--return", "returned", is_flag=True, help="Return it to the judges instead.")
@_ruling_reason
def verified(session_id: str, *, returned: bool, reason: str) -> None:
    """Verify the confirmed conclusion on SESSION_ID, for the commission."""
    _show_conclusion(desk().post(routes.VERIFY, {"verified": not returned, "reason": reason}, session_id=session_id))


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


def _show_conclusion(conclusion: dict[str, Any]) -> None:
    session, team, standing = conclusion["session_id"], conclusion["team_id"], code(conclusion["standing"])
    speak("{session} of {team}: {standing}", session=session, team=team, standing=standing)


@spoken.command("mark")
@click.argument("run_id")
@click.option("--wait", is_flag=True, help="Wait until the run's record is made, some minutes after its end.")
def mark_run(run_id: str, *, wait: bool) -> None:
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
def publish_run(run_id: str, reason: str | None, *, wait: bool) -> None:
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
        show_final(at, run_id)


_BEING_MADE: Final = frozenset({Settled.RUNNING, Settled.RECORD, Settled.SCORING, Settled.ENTRIES, Settled.VERIFYING})
"""States that end by themselves; every other state waits for somebody."""
_LOOKS: Final = 5
"""Number of looks at an unchanged state after which it is printed again."""


def when_made(at: Asked, run_id: str, ask: Callable[[], Any]) -> Any:
    """Repeat a request until its missing parts are made, it is granted, or it waits for a person; return the answer.

    The state is printed each time it changes, and while it does not, with the time that it has taken, so that nobody
    waits without news for longer than five seconds.
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
def hide_run(run_id: str, reason: str | None) -> None:
    """Withdraw the published results of RUN_ID."""
    wish = {"state": "hidden", "reason": reason or "contest run hide, without a reason"}
    asked().post(routes.DECIDE_BOARD, wish, board=run_id)
    speak("the results of {run_id} are hidden", run_id=run_id)


Forms = Mapping[str, Route]
"""Routes by the ending of the file's name."""
_TEAMS: Final[Forms] = {".json": routes.BOARD_PREVIEW, ".csv": routes.COMPARED_CSV, ".xlsx": routes.COMPARED_XLSX}


def _forms_of(route: Route) -> Forms:
    """Return the forms of a report: its own route is the one of JSON, the others have the ending behind its path."""
    by_ending = {form.path.removeprefix(route.path): form for form in routes.ROUTES if form.method == "GET"}
    return {ending or ".json": by_ending[ending] for ending in ("", ".html", ".csv", ".xlsx") if ending in by_ending}


_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_lang = click.option(
    "--lang", type=click.Choice(["ru", "en"]), default="ru", show_default=True, help="Language of headings and words."
)


@spoken.group()
def export() -> None:
    """Write reports and tables into FILE: .json, .csv, .xlsx, or .html to print."""


@export.command("session")
@click.argument("session_id")
@_file
@_lang
def export_session(session_id: str, file: Path, lang: str) -> None:
    """Write the report of SESSION_ID: every file with every metric."""
    _write(_forms_of(routes.REPORT), file, lang, session_id=session_id)


@export.command("submission")
@click.argument("submission_id")
@_file
@_lang
def export_submission(submission_id: str, file: Path, lang: str) -> None:
    """Write the report of SUBMISSION_ID, as it stands on the board."""
    _write(_forms_of(routes.SUBMISSION_REPORT), file, lang, submission_id=submission_id)


@export.command("commission")
@click.argument("run_id")
@_file
@_lang
def export_commission(run_id: str, file: Path, lang: str) -> None:
    """Write the commission's record of RUN_ID: annulments, decisions, protocols, results, the log."""
    _write(_forms_of(routes.COMMISSION_RECORD), file, lang, run_id=run_id)


@export.command("files")
@click.argument("run_id")
@_file
@click.option("--team", help="This team's files alone.")
@_lang
def export_files(run_id: str, file: Path, team: str | None, lang: str) -> None:
    """Write every file of every team of RUN_ID."""
    _write(_forms_of(routes.RUN_FILES), file, lang, {"team": team}, run_id=run_id)


@export.command("experts")
@click.argument("marking_id")
@_file
@_lang
def export_experts(marking_id: str, file: Path, lang: str) -> None:
    """Write the experts' work on MARKING_ID: progress, speed, agreement, drift, third experts."""
    _write(_forms_of(routes.MARKING_REPORT), file, lang, marking_id=marking_id)


@export.command("board")
@_file
@click.option("--final", "final_", is_flag=True, help="Of the latest final whose results are out.")
@click.option("--run", "run_id", help="Of this final.")
@click.option("--language", default="all", show_default=True, help="Over the files of a language.")
@click.option("--nomination", help="Of a final: over the files of this nomination.")
@_lang
def export_board(
    file: Path, *, final_: bool, run_id: str | None, language: str, nomination: str | None, lang: str
) -> None:
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
def export_teams(run_id: str, file: Path, key: str | None, lang: str) -> None:
    """Write all teams of the final RUN_ID in the contest's tables, as they are now (D-App1б, Table 2)."""
    _write(_TEAMS, file, lang, {"key": key}, board=run_id)


@spoken.command("archive")
@click.argument("run_id")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def export_archive(run_id: str, out: Path) -> None:
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
