"""Commands ``contest hooks …``: the organizers' webhooks, or a team's by ``contest login --participant``."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import table
from contest.people.commands import desk
from contest.texts import say
from tracks.command import spoken


@spoken.group()
def hooks() -> None:
    """Webhooks: addresses that get signed JSON about what you wait for."""


@hooks.command("list")
@as_json
def listed(*, raw: bool) -> None:
    """List them; one whose requests all failed for a day is off."""
    _print(desk().get(routes.HOOKS)["hooks"], raw=raw)


@hooks.command("add")
@click.argument("url")
def add(url: str) -> None:
    """Add the address URL, which is https on port 443."""
    hook = desk().post(routes.ADD_HOOK, {"url": url})
    click.echo(say("webhook {hook} added; its first request comes within two minutes", hook=hook["hook_id"]))


@hooks.command("remove")
@click.argument("hook_id")
@as_json
def remove(hook_id: str, *, raw: bool) -> None:
    """Remove the webhook HOOK_ID."""
    _print(desk().post(routes.REMOVE_HOOK, {}, hook_id=hook_id)["hooks"], raw=raw)


def _print(listing: list[dict[str, Any]], *, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(listing, ensure_ascii=False, indent=2))
        return
    rows = table("webhook", "address", "created", "failures", "off since")
    for hook in listing:
        cells = (hook["hook_id"], hook["url"], hook["created_at"], str(hook["failures"]), hook["off_at"] or "")
        rows.add_row(*map(escape, cells))
    console.print(rows)
