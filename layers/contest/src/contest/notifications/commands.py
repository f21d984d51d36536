"""Commands ``contest mails …`` and ``contest hooks …``: the mails that somebody gets, and webhooks.

The webhooks are the organizers', or those of a team, whose member signs in by ``contest login --participant``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import code, complaint, end_with_json, speak, table
from contest.notifications.rules import MailKind, MailLanguage
from contest.people.commands import desk
from contest.texts import say
from contest.values import canonical
from tracks.command import spoken

_KINDS: Final = click.Choice([kind.value for kind in MailKind])
_LANGUAGES: Final = click.Choice([language.value for language in MailLanguage])


@spoken.group()
def mails() -> None:
    """Mails of a team's member: which kinds come, and in which language."""


@mails.command("show")
@as_json
def show(*, raw: bool) -> None:
    """Show the own choices."""
    _print_choices(desk().get(routes.MAIL_CHOICES), raw=raw)


@mails.command("set")
@click.option("--stop", "stopped", multiple=True, type=_KINDS, help="Stop mails of this kind; may be repeated.")
@click.option("--resume", "resumed", multiple=True, type=_KINDS, help="Get mails of this kind again.")
@click.option("--language", type=_LANGUAGES, help="Language of the mails.")
@as_json
def set_(stopped: tuple[str, ...], resumed: tuple[str, ...], language: str | None, *, raw: bool) -> None:
    """Change the own choices; the others stay."""
    if both := sorted({*stopped} & {*resumed}):
        raise click.UsageError(say("both stopped and resumed: {kinds}", kinds=", ".join(both)))
    before = desk().get(routes.MAIL_CHOICES)
    chosen = {
        "stopped": sorted({*before["stopped"], *stopped} - {*resumed}),
        "language": language or before["language"],
    }
    _print_choices(desk().put(routes.CHOOSE_MAILS, chosen), raw=raw)


def _print_choices(choices: dict[str, Any], *, raw: bool) -> None:
    end_with_json(raw, choices)
    rows = table("mails about", "state")
    for kind in MailKind:
        rows.add_row(code(kind.value, "mail"), say("stopped") if kind in choices["stopped"] else say("sent"))
    console.print(rows)
    speak("language: {language}", language=code(choices["language"], "mail"))


@spoken.group()
def hooks() -> None:
    """Webhooks: addresses that get signed JSON about what you wait for."""


@hooks.command("list")
@as_json
def listed(*, raw: bool) -> None:
    """List them with their last outcome; one whose requests all failed for a day is off. --json: with ten of them."""
    _print_hooks(desk().get(routes.HOOKS)["hooks"], raw=raw)


@hooks.command("add")
@click.argument("url")
def add(url: str) -> None:
    """Add the address URL, which is https on port 443."""
    hook = desk().post(routes.ADD_HOOK, {"url": url})
    speak("webhook {hook} added; its first request comes within two minutes", hook=hook["hook_id"])


@hooks.command("test")
@click.argument("hook_id")
def test(hook_id: str) -> None:
    """Send the webhook HOOK_ID a request of the kind hello; `list` shows the outcome."""
    desk().post(routes.TEST_HOOK, {}, hook_id=hook_id)
    speak("a test request comes within two minutes; its outcome: contest hooks list")


@hooks.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify(file: Path) -> None:
    """Check that the platform signed the body of a request, saved in FILE."""
    from contest.adapters.signatures import verifies

    keys = {key["key_id"]: key for key in desk().get(routes.KEYS)["keys"]}
    try:
        content = json.loads(file.read_text("utf-8"))
        event, signature = content["event"], base64.b64decode(content["signature"], validate=True)
        key, is_hook = keys.get(event["key_id"]), event["type"] == "hook"
    except (ValueError, KeyError, TypeError, RecursionError):
        raise complaint("This is no body of a webhook.") from None
    public = base64.b64decode(key["public_key"] if key else "")
    if not is_hook or not key or not verifies(key["algorithm"], public, signature, canonical(event)):
        speak("This is not what the platform signed.")
        sys.exit(1)
    speak("The platform signed this.")


@hooks.command("remove")
@click.argument("hook_id")
@as_json
def remove(hook_id: str, *, raw: bool) -> None:
    """Remove the webhook HOOK_ID."""
    _print_hooks(desk().post(routes.REMOVE_HOOK, {}, hook_id=hook_id)["hooks"], raw=raw)


def _print_hooks(listing: list[dict[str, Any]], *, raw: bool) -> None:
    end_with_json(raw, listing)
    rows = table("webhook", "address", "created", "last outcome", "failures", "off since")
    for hook in listing:
        last = ""
        for attempt in hook["attempts"][:1]:
            last = " ".join((code(attempt["outcome"], "hook"), str(attempt["status"] or ""), attempt["at"][:16]))
        cells = (hook["hook_id"], hook["url"], hook["created_at"], last, str(hook["failures"]), hook["off_at"] or "")
        rows.add_row(*map(escape, cells))
    console.print(rows)
