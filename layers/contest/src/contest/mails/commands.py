"""Commands ``contest mails …``: which mails somebody gets; a member signs in by ``contest login --participant``."""

from __future__ import annotations

from typing import Any, Final

import click

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import code, end_with_json, speak, table
from contest.mails.rules import MailKind, MailLanguage
from contest.people.commands import desk
from contest.texts import say
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
    _print(desk().get(routes.MAIL_CHOICES), raw=raw)


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
    _print(desk().put(routes.CHOOSE_MAILS, chosen), raw=raw)


def _print(choices: dict[str, Any], *, raw: bool) -> None:
    end_with_json(raw, choices)
    rows = table("mails about", "state")
    for kind in MailKind:
        rows.add_row(code(kind.value, "mail"), say("stopped") if kind in choices["stopped"] else say("sent"))
    console.print(rows)
    speak("language: {language}", language=code(choices["language"], "mail"))
