"""``contest announce …``: what everybody is told, and what becomes of it (R 4.7, 5.8; D 6.12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.options import Moment, as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import code, table
from contest.domain.cycle.announcements import AnnouncementKind
from contest.domain.moments import Millis, iso_or_none
from markup_core.speaking import say
from tracks.command import spoken

KINDS: Final = click.Choice([each.value for each in AnnouncementKind])


@spoken.group()
def announce() -> None:
    """Announcements: write, publish, correct, withdraw."""


def _words(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Title and text in both languages; a text that begins with @ is read from the file of this name."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        for language in ("en", "ru"):
            command = click.option(f"--text-{language}", required=required, help="The text; @FILE reads it.")(command)
            command = click.option(f"--title-{language}", required=required, help="The title.")(command)
        return command

    return with_options


_kind = click.option("--kind", type=KINDS, default=AnnouncementKind.GENERAL.value, show_default=True)
_about = click.option("--about", multiple=True, metavar="NAME=VALUE", help="About what, as run=RUN; may be repeated.")
_effective = click.option("--effective", type=Moment(), help="From when what it tells of holds, with its zone.")


@announce.command("new")
@_words(required=True)
@_kind
@_about
@_effective
@click.option("--draft", is_flag=True, help="Keep it as a draft.")
def new(kind: str, about: tuple[str, ...], effective: Millis | None, *, draft: bool, **words: str) -> None:
    """Publish an announcement."""
    made = desk().post(routes.ANNOUNCE, {**_content(kind, about, effective, words), "as_draft": draft})
    _told(made)


@announce.command("list")
@click.option("--kind", type=KINDS, help="Of this kind alone.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def listed(kind: str | None, limit: int, *, raw: bool) -> None:
    """List what was announced, the latest first."""
    _show(desk().get(routes.ANNOUNCEMENTS, {"kind": kind, "limit": str(limit)}), raw)


@announce.command("drafts")
@as_json
def drafts(*, raw: bool) -> None:
    """List drafts, also those that the platform makes of new sets and modules."""
    _show(desk().get(routes.ANNOUNCEMENT_DRAFTS), raw)


@announce.command("publish")
@click.argument("announcement_id")
@_words(required=False)
def published(announcement_id: str, **words: str | None) -> None:
    """Publish the draft ANNOUNCEMENT_ID, in other words where they are given (always in both languages)."""
    said = {part: _both(part, words) for part in ("title", "text") if words[f"{part}_en"] or words[f"{part}_ru"]}
    _told(desk().post(routes.PUBLISH_ANNOUNCEMENT, said, announcement_id=announcement_id))


@announce.command("correct")
@click.argument("announcement_id")
@_words(required=True)
@_kind
@_about
@_effective
def corrected(announcement_id: str, kind: str, about: tuple[str, ...], effective: Millis | None, **words: str) -> None:
    """Publish an announcement in the place of ANNOUNCEMENT_ID, which stays to be read as corrected."""
    said = _content(kind, about, effective, words)
    _told(desk().post(routes.CORRECT_ANNOUNCEMENT, said, announcement_id=announcement_id))


@announce.command("withdraw")
@click.argument("announcement_id")
@click.option("--reason", required=True, help="Why; it is told.")
def withdrawn(announcement_id: str, reason: str) -> None:
    """Withdraw ANNOUNCEMENT_ID, which stays to be read as such, or discard a draft."""
    _told(desk().post(routes.WITHDRAW_ANNOUNCEMENT, {"reason": reason}, announcement_id=announcement_id))


def _content(kind: str, about: tuple[str, ...], effective: Millis | None, words: dict[str, str]) -> dict[str, Any]:
    pairs = [each.partition("=") for each in about]
    if any(not equals for _, equals, _ in pairs):
        raise click.UsageError(say("--about says NAME=VALUE", "--about указывают как NAME=VALUE"))
    named = {name: value for name, _, value in pairs}
    content = {"kind": kind, "about": named, "effective_at": iso_or_none(effective)}
    return {**content, "title": _both("title", words), "text": _both("text", words)}


def _both(part: str, words: dict[str, Any]) -> dict[str, str]:
    said = {language: words[f"{part}_{language}"] for language in ("ru", "en")}
    if None in said.values():
        first, second = f"--{part}-en", f"--{part}-ru"
        raise click.UsageError(say(f"{first} and {second} belong together", f"{first} и {second} указывают вместе"))
    return {language: _read(text) for language, text in said.items()}


def _read(text: str) -> str:
    try:
        return Path(text[1:]).read_text("utf-8") if text.startswith("@") else text
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{text[1:]}: {error}") from None


def _told(made: dict[str, Any]) -> None:
    click.echo(f"{made['announcement_id']}: {code(made['state'])}")


def _show(found: dict[str, Any], raw: bool) -> None:
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    listed = table("announcement", "kind", "state", "published", "title")
    for each in found["announcements"]:
        title = say(each["title"]["en"], each["title"]["ru"])
        kind, state = code(each["kind"]), code(each["state"])
        listed.add_row(*map(escape, (each["announcement_id"], kind, state, each["published_at"] or "", title)))
    console.print(listed)
