"""``contest qualification``: the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2)."""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import code, table, yes
from markup_core.speaking import say
from tracks.command import spoken

STANDINGS: Final = click.Choice(["awaits_judges", "awaits_commission", "verified", "rejected", "not_ready", "annulled"])
_reason = click.option("--reason", required=True, help="The protocol: why.")


@spoken.group()
def qualification() -> None:
    """Qualification: conclusions on readiness, and who is admitted to the final."""


@qualification.command("list")
@click.option("--standing", type=STANDINGS, help="Teams with a conclusion that stands there: a queue.")
@as_json
def listed(standing: str | None, *, raw: bool) -> None:
    """List how far the teams have come."""
    found = desk().get(routes.STANDINGS, {"standing": standing})
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    teams = table("team", "algorithmic", "technical", "qualified", "admitted", "by", "at")
    for each in found["teams"]:
        claims = {claim["kind"]: f"{code(claim['standing'])} {claim['session_id']}" for claim in each["claims"]}
        admission = each["admission"]
        decided = ("", "", "")
        if admission is not None:
            decided = (yes(admission["admitted"]), escape(admission["by"] or ""), admission["at"])
        kinds = (claims.get(kind, "") for kind in ("algorithmic", "technical"))
        teams.add_row(escape(each["team_id"]), *kinds, yes(each["qualified"]), *decided)
    console.print(teams)


@qualification.command("show")
@click.argument("session_id")
def shown(session_id: str) -> None:
    """Print the conclusion on SESSION_ID with every ruling on it."""
    click.echo(json.dumps(desk().get(routes.CONCLUSION, session_id=session_id), ensure_ascii=False, indent=2))


@qualification.command("judge")
@click.argument("session_id")
@click.option("--reject", is_flag=True, help="Reject it instead of confirming it.")
@_reason
def judged(session_id: str, *, reject: bool, reason: str) -> None:
    """Confirm the positive conclusion on SESSION_ID, as a judge."""
    _told(desk().post(routes.JUDGE, {"confirmed": not reject, "reason": reason}, session_id=session_id))


@qualification.command("verify")
@click.argument("session_id")
@click.option("--return", "returned", is_flag=True, help="Return it to the judges instead.")
@_reason
def verified(session_id: str, *, returned: bool, reason: str) -> None:
    """Verify the confirmed conclusion on SESSION_ID, for the commission."""
    _told(desk().post(routes.VERIFY, {"verified": not returned, "reason": reason}, session_id=session_id))


@qualification.command("admit")
@click.argument("team_id")
@click.option("--refuse", is_flag=True, help="Do not admit it.")
@_reason
def admitted(team_id: str, *, refuse: bool, reason: str) -> None:
    """Admit TEAM_ID to finals: a final takes the teams that are admitted when they join, and no others."""
    made = desk().post(routes.ADMIT, {"admitted": not refuse, "reason": reason}, team_id=team_id)
    unqualified = "" if made["qualified"] else say("; it has not qualified", "; квалификация не пройдена")
    told = say(
        f"team {team_id} is {'not ' if refuse else ''}admitted",
        f"команда {team_id} {'не ' if refuse else ''}допущена",
    )
    click.echo(f"{told}{unqualified}")


def _told(conclusion: dict[str, Any]) -> None:
    session, team, standing = conclusion["session_id"], conclusion["team_id"], code(conclusion["standing"])
    click.echo(say(f"{session} of {team}: {standing}", f"{session}, команда {team}: {standing}"))
