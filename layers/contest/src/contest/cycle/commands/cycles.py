"""Commands ``contest cycle …``, ``contest announce …`` and ``contest pages …`` (R 2.17, 4.7, 5.8; D 6.12)."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from contest import routes
from contest.commands.shell import (
    Moment,
    as_json,
    caution,
    code,
    complaint,
    end_with_json,
    faults_counted,
    in_language,
    json_text,
    show_faults,
    show_json,
    show_rows,
    speak,
)
from contest.cycle.commands import folders
from contest.cycle.commands.folders import FolderError, read_file
from contest.cycle.rules.cycle import PAGE_LANGUAGES
from contest.cycle.rules.notices import AnnouncementKind
from contest.people.commands import desk
from contest.texts import say
from contest.values import Millis, as_entered, from_iso, in_one_line, iso, iso_or_none
from markup_core.texts import language, localized
from tracks import registry
from tracks.command import spoken

if TYPE_CHECKING:
    from contest.cycle.commands.offline import Checked


_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_PATH: Final = click.Path(exists=True, path_type=Path)
_FOLDER: Final = click.Path(file_okay=False, path_type=Path)
_DAY: Final[dict[str, Any]] = {"type": click.DateTime(["%Y-%m-%d"]), "metavar": "YYYY-MM-DD"}
_SET: Final = click.Choice(list(folders.SETS))
_SHOWN: Final = 5
"""Most items of a set that a table names."""


@spoken.command("parameters")
@click.argument("file", type=_FILE)
@click.option("--effective", type=Moment(), required=True, help="From when they hold, with its zone.")
@click.option("--reason", required=True, help="Why; it is announced.")
@click.option("--preview", is_flag=True, help="Show what would change and the warnings; store nothing.")
@as_json
def parameters(file: Path, effective: Millis, reason: str, *, preview: bool, raw: bool) -> None:
    """Change the parameters to those of FILE (a cycle's file, JSON or YAML) from a moment on, and announce it."""
    body = {"parameters": parameters_of(file), "effective_at": iso(effective), "reason": reason, "preview": preview}
    planned = desk().post(routes.CHANGE_PARAMETERS, body)
    warn(planned["warnings"])
    end_with_json(raw, planned)
    show_changes(planned["changes"])
    version, since = planned["version"], planned["effective_at"]
    summary = say("version {version} from {since}", version=version, since=since)
    click.echo(summary if planned["stored"] else say("{summary}; nothing was stored", summary=summary))


@spoken.command("versions")
@as_json
def versions(*, raw: bool) -> None:
    """List the versions of the parameters with their effective times."""
    listing = desk().get(routes.PARAMETERS)
    end_with_json(raw, listing)
    rows = (
        (str(version["version"]), code(version["state"]), version["announced_at"], version["effective_at"] or "")
        for version in listing["versions"]
    )
    show_rows(("version", "state", "announced", "effective"), rows)


@spoken.command("changes")
@click.argument("version", type=click.IntRange(1))
@click.option("--since", type=click.IntRange(1), help="The version before without it.")
@as_json
def changes(version: int, since: int | None, *, raw: bool) -> None:
    """Show what VERSION of the parameters changes."""
    query = {"since": None if since is None else str(since)}
    comparison = desk().get(routes.PARAMETERS_CHANGES, query, version=str(version))
    end_with_json(raw, comparison)
    show_changes(comparison["changes"])


@spoken.command("withdraw")
@click.argument("version", type=click.IntRange(1))
@click.option("--reason", required=True, help="Why; it is told with the announcement.")
def withdraw(version: int, reason: str) -> None:
    """Withdraw VERSION of the parameters, which is still to take effect."""
    desk().post(routes.WITHDRAW_PARAMETERS, {"reason": reason}, version=str(version))
    speak("version {version} is withdrawn", version=version)


class _Languages(click.ParamType[tuple[str, list[str]]]):
    """A language with its groups: ``rus=rus,lit``."""

    name = "language"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, list[str]]:
        """See click."""
        if isinstance(value, tuple):
            return value
        language, _, groups = value.partition("=")
        named = [group.strip() for group in groups.split(",") if group.strip()]
        if not language or not named or "=" in groups:
            message = say("{value!r} is no language with its groups like rus=rus,lit", value=value)
            self.fail(message, param, ctx)
        return language, named


@spoken.command("create")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--track", type=click.Choice(registry.names()), default=registry.DEFAULT, show_default=True, help="The contest."
)
@click.option("--from", "exports", type=_PATH, multiple=True, help="Files, folders or zips of an annotated corpus.")
@click.option("--split", "shares", default="60/20/20", show_default=True, help="Of the corpus: train/test/final.")
@click.option("--seed", type=int, help="Of that division; the first that leaves no set empty without it.")
@click.option("--gamma", is_flag=True, help="Measure gamma of the corpus, too; it takes seconds a text.")
@click.option("--codes", type=_FILE, help="A JSON object: a code, or null to leave out, for labels of the corpus.")
@click.option("--name", help="What the cycle is called in commands and addresses; the FOLDER's name without it.")
@click.option("--title-en", help="What people call it; the name without it.")
@click.option("--title-ru", help="The same in Russian.")
@click.option("--language", "languages", type=_Languages(), multiple=True, help="rus=rus,lit; may be repeated.")
@click.option("--set", "sets", type=_SET, multiple=True, help="One of its sets; may be repeated, all four without it.")
@click.option("--start", **_DAY, help="First day of the selection; no stages without it.")
@click.option(
    "--lang", "language", type=click.Choice(["en", "ru"]), default="en", show_default=True, help="Of remarks."
)
@click.option("--format", "suffix", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def create(  # noqa: PLR0913 -- one option each
    folder: Path,
    *,
    track: str,
    name: str | None,
    title_en: str | None,
    title_ru: str | None,
    languages: tuple[tuple[str, list[str]], ...],
    sets: tuple[str, ...],
    start: datetime | None,
    language: str,
    suffix: str,
    exports: tuple[Path, ...],
    shares: str,
    seed: int | None,
    codes: Path | None,
    gamma: bool,
) -> None:
    """Write a new cycle into FOLDER: its file, with remarks in YAML, and folders for its sets.

    With --from it is made of an annotated corpus: label set, experts and sets, and how far the annotators agree.
    """
    name = folder.resolve().name if name is None else name
    stages = folders.stages_from(start.date()) if start else {}
    kinds = {set_name: kind for set_name, kind in folders.SETS.items() if not sets or set_name in sets}
    titles, form = {"en": title_en or name, "ru": title_ru or name}, folders.Form(suffix, language)
    if exports and sets:
        message = say("a corpus makes the sets that --split names: leave out --set, or --from for empty sets")
        raise click.UsageError(message)
    if exports:
        from contest.cycle.commands import offline

        parts = {"languages": dict(languages), "stages": stages}
        export = offline.CorpusExport(exports, shares, seed, codes, gamma)
        place = offline.create_from_corpus(folder, track, name, titles, parts, form, export)
        speak("{place} written; it can be loaded", place=place)
    else:
        more = {"languages": dict(languages) or {"rus": ["rus"], "eng": ["eng"]}, "stages": stages, "sets": kinds}
        place = folders.create(folder, track, name, titles, more, form)
        speak("{place} written", place=place)
        validate_it = f"contest cycle validate {folder}"
        speak("next: fill the sets' folders, then {validate_it}", validate_it=validate_it)
    describe_it = f'make cycle CYCLE={name} ARGS="--alarm-email ADDRESS"'
    speak("to deploy it, in the checkout: {describe_it}", describe_it=describe_it)


@spoken.command("copy")
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("target", type=_FOLDER)
@click.option("--name", help="The new cycle's name; that of the TARGET folder without it.")
@click.option("--start", **_DAY, help="First day of the first stage; all stages move with it.")
@click.option("--with-sets", is_flag=True, help="Copy the files of the sets, too.")
def copied(source: Path, target: Path, name: str | None, start: datetime | None, *, with_sets: bool) -> None:
    """Copy the cycle in SOURCE to TARGET under another name; holidays stay where they are."""
    day = start.date() if start else None
    place = folders.copy(source, target, name or target.resolve().name, day, with_sets=with_sets)
    speak("{place} written", place=place)


@spoken.command("validate")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def validate(folder: Path) -> None:
    """Check FOLDER as loading does, without a deployment: everything that is wrong with it at once."""
    checked = _checked(folder)
    sizes = ", ".join(f"{essay_set.name} {essay_set.size}" for essay_set in checked.cycle.sets)
    name = checked.cycle.name
    speak("cycle {name}: {sizes} files; nothing is wrong", name=name, sizes=sizes)


@spoken.command("compare")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@as_json
def compare(folder: Path, *, raw: bool) -> None:
    """Show what loading FOLDER would change of the running cycle: fields, items of sets, stale results, warnings."""
    from contest.cycle.commands import folders as cycle_folder
    from contest.cycle.commands import offline as cycle_comparison
    from contest.results.rules import leaderboard

    checked, server = _checked(folder), desk()
    running = server.get(routes.CYCLE_DESCRIPTION)
    description = running["description"]
    items = {name: server.get(routes.SET_ITEMS, set_name=name)["items"] for name in description["sets"]}
    runs = server.get(routes.LIST_RUNS, {"mode": "final", "limit": "100"})["runs"]
    finals = [from_iso(run["starts_at"]) for run in runs if not run["trial"]]
    comparison = cycle_comparison.compared(description, items, checked, finals, from_iso(running["server_time"]))
    tests = leaderboard.lists_of_tests(checked.cycle)
    asked_for = {"cycle": cycle_folder.read_head(folder)[1], "tests": tests}
    stale = server.post(routes.RESULTS_MADE_STALE, asked_for)["warnings"]
    warn([{"message": warning.message.en, "message_ru": warning.message.ru} for warning in comparison.warnings])
    warn(stale)
    fields = [
        {"field": change.field, "before": _side(change.before), "after": _side(change.after)}
        for change in comparison.fields
    ]
    if raw:
        warnings = [{"code": warning.code, **warning.where} for warning in comparison.warnings]
        warnings += [{"code": warning["code"], **warning["where"]} for warning in stale]
        changed = [asdict(change) for change in comparison.sets]
        show_json({"fields": fields, "sets": changed, "warnings": warnings})
        return
    show_changes(fields)
    rows = []
    for change in comparison.sets:
        groups = (change.added, change.removed, change.changed)
        cells = [f"{len(names)}: {in_one_line(names, _SHOWN)}" if names else "" for names in groups]
        rows.append((change.name, *cells))
    show_rows(("set", "added", "removed", "changed"), rows)


def _side(value: Any) -> Any:
    from contest.cycle.rules.notices import ABSENT

    return None if value is ABSENT else value


def _checked(folder: Path) -> Checked:
    """Return a folder that can be loaded; print all its faults and raise :class:`click.ClickException` otherwise."""
    from contest.cycle.commands import offline

    checked, faults = offline.check(folder, lambda _: None)
    if checked is None:
        show_faults(faults)
        raise click.ClickException(faults_counted(len(faults)))
    for warning in checked.warnings:
        caution(f"{warning.file}: {localized(warning.message)}")
    return checked


def parameters_of(file: Path) -> Any:
    """Read the parameters of a cycle's file; :class:`click.ClickException` where it has faults."""
    try:
        value = read_file(file)
    except FolderError as error:
        raise click.ClickException(f"{error.fault.file}: {localized(error.fault.message)}") from None
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), dict):
        raise complaint("{file}: a cycle's file has parameters, an object", file=file)
    return value["parameters"]


def warn(warnings: Sequence[dict[str, Any]]) -> None:
    """Print warnings that hinder nothing."""
    for warning in warnings:
        caution(in_language(warning))


def show_changes(differences: Sequence[dict[str, Any]]) -> None:
    """Print the fields that differ as a table."""
    rows = ((change["field"], json_text(change["before"]), json_text(change["after"])) for change in differences)
    show_rows(("field", "before", "after"), rows)


KINDS: Final = click.Choice([kind.value for kind in AnnouncementKind])


@spoken.group()
def announce() -> None:
    """Manage announcements: write, publish, correct, withdraw."""


def with_words(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return title and text in both languages; a text that begins with @ is read from the file of this name."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        for name in ("en", "ru"):
            command = click.option(f"--text-{name}", required=required, help="The text; @FILE reads it.")(command)
            command = click.option(f"--title-{name}", required=required, help="The title.")(command)
        return command

    return with_options


_kind = click.option("--kind", type=KINDS, default=AnnouncementKind.GENERAL.value, show_default=True)
_about = click.option("--about", multiple=True, metavar="NAME=VALUE", help="About what, as run=RUN; may be repeated.")
_effective = click.option("--effective", type=Moment(), help="From when what it tells of holds, with its zone.")


@announce.command("new")
@with_words(required=True)
@_kind
@_about
@_effective
@click.option("--draft", is_flag=True, help="Keep it as a draft.")
def new(kind: str, about: tuple[str, ...], effective: Millis | None, *, draft: bool, **words: str) -> None:
    """Publish an announcement."""
    announcement = desk().post(routes.ANNOUNCE, {**_content(kind, about, effective, words), "as_draft": draft})
    _print_state(announcement)


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
@with_words(required=False)
def published(announcement_id: str, **words: str | None) -> None:
    """Publish the draft ANNOUNCEMENT_ID, in other words where they are given (always in both languages)."""
    texts = {part: both(part, words) for part in ("title", "text") if words[f"{part}_en"] or words[f"{part}_ru"]}
    _print_state(desk().post(routes.PUBLISH_ANNOUNCEMENT, texts, announcement_id=announcement_id))


@announce.command("correct")
@click.argument("announcement_id")
@with_words(required=True)
@_kind
@_about
@_effective
def corrected(announcement_id: str, kind: str, about: tuple[str, ...], effective: Millis | None, **words: str) -> None:
    """Publish an announcement in the place of ANNOUNCEMENT_ID, which stays to be read as corrected."""
    content = _content(kind, about, effective, words)
    _print_state(desk().post(routes.CORRECT_ANNOUNCEMENT, content, announcement_id=announcement_id))


@announce.command("withdraw")
@click.argument("announcement_id")
@click.option("--reason", required=True, help="Why; it is told.")
def withdrawn(announcement_id: str, reason: str) -> None:
    """Withdraw ANNOUNCEMENT_ID, which stays to be read as such, or discard a draft."""
    _print_state(desk().post(routes.WITHDRAW_ANNOUNCEMENT, {"reason": reason}, announcement_id=announcement_id))


def _content(kind: str, about: tuple[str, ...], effective: Millis | None, words: dict[str, str]) -> dict[str, Any]:
    pairs = [text.partition("=") for text in about]
    if any(not equals for _, equals, _ in pairs):
        raise click.UsageError(say("--about says NAME=VALUE"))
    named = {name: value for name, _, value in pairs}
    content = {"kind": kind, "about": named, "effective_at": iso_or_none(effective)}
    return {**content, "title": both("title", words), "text": both("text", words)}


def both(part: str, words: dict[str, Any]) -> dict[str, str]:
    """Return a part of the words, which must be given in both languages."""
    texts = {language: words[f"{part}_{language}"] for language in ("ru", "en")}
    if None in texts.values():
        first, second = f"--{part}-en", f"--{part}-ru"
        raise click.UsageError(say("{first} and {second} belong together", first=first, second=second))
    return {language: read_text(text) for language, text in texts.items()}


def read_text(text: str) -> str:
    """Return a text, or the content of the file that it names as ``@FILE``."""
    try:
        return Path(text[1:]).read_text("utf-8") if text.startswith("@") else text
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{text[1:]}: {error}") from None


def _print_state(announcement: dict[str, Any]) -> None:
    click.echo(f"{announcement['announcement_id']}: {code(announcement['state'])}")


def _show(listing: dict[str, Any], raw: bool) -> None:
    end_with_json(raw, listing)
    rows = []
    for announcement in listing["announcements"]:
        title, at = announcement["title"][language()], announcement["published_at"] or ""
        rows.append(
            (announcement["announcement_id"], code(announcement["kind"]), code(announcement["state"]), at, title)
        )
    show_rows(("announcement", "kind", "state", "published", "title"), rows)


_TEAMS: Final = "teams.csv"
_BOARD: Final = "board.json"
_UNREADABLE: Final = (csv.Error, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of the readers of JSON and CSV at forged files."""
_MOST_BOARD: Final = 20 * 2**20
"""Most bytes read of an archive's leaderboard: its results in full."""


@spoken.command("carry")
@click.argument("source", type=_PATH)
@as_json
def carry(source: Path, *, raw: bool) -> None:
    """Carry bans and agreeing teams from SOURCE: an earlier cycle's teams.csv (`contest team export`), or its folder.

    A ban keeps its end. Teams that agreed stand as applications; invite their people. Run it again as often as you
    like.
    """
    file = source / _TEAMS if source.is_dir() else source
    if not file.is_file():
        raise complaint("{file} is missing: contest team export {file}", file=file)
    outcome = desk().post_bytes(routes.IMPORT_TEAMS, file.read_bytes(), {"earlier": "true"})
    end_with_json(raw, outcome)
    speak("{added} teams carried", added=len(outcome["added"]))
    if outcome["left"]:
        show_rows(("team", "reason"), ((row["team_id"], in_language(row)) for row in outcome["left"]))


@spoken.command("earlier")
@click.argument("archive", type=_FILE)
@click.option("--title-ru", required=True, help="Its title in Russian.")
@click.option("--title-en", required=True, help="Its title in English.")
@click.option("--work-ru", required=True, help="What programs had to do, in Russian.")
@click.option("--work-en", required=True, help="What programs had to do, in English.")
@click.option("--first", **_DAY, required=True, help="Its first day.")
@click.option("--last", **_DAY, required=True, help="Its last day.")
@click.option("--unit", type=click.Choice(["%", ""]), default="%", show_default=True, help="Unit of its values.")
@click.option("--link", "links", multiple=True, nargs=2, metavar="NAME URL", help="A published set or archive.")
@click.option("--teams", type=_FILE, help="Its teams.csv, for names.")
def earlier(archive: Path, links: tuple[tuple[str, str], ...], teams: Path | None, unit: str, **facts: Any) -> None:
    """Print the final in ARCHIVE (a ZIP that an earlier cycle has published) as an entry of `earlier_cycles`."""
    board, names = _board(archive), _names(teams)
    rows = [
        {
            "place": row["place"],
            "team": names.get(row["team_id"], row["team_id"]),
            "value": row.get("value"),
            "overcame": bool(row.get("overcame")),
        }
        for row in board["rows"]
    ]
    entry = {
        "cycle": board["cycle"],
        **{part: {language: facts[f"{part}_{language}"] for language in PAGE_LANGUAGES} for part in ("title", "work")},
        **{day: facts[day].date().isoformat() for day in ("first", "last")},
        "unit": unit,
        "rows": rows,
        "published": [{"name": name, "url": url} for name, url in links],
    }
    show_json(entry)


def _board(archive: Path) -> Any:
    """Return the board of a final's archive; :class:`click.ClickException` for another file."""
    from markup_core.reading.wire import broken_archive

    try:
        with zipfile.ZipFile(archive) as opened:
            if opened.getinfo(_BOARD).file_size > _MOST_BOARD:
                raise complaint("{archive}: its board is too large", archive=archive)
            board = json.loads(opened.read(_BOARD))
        # Every field that is read below, so that another file is refused here.
        rows = [{"place": row["place"], **row, "team_id": str(row["team_id"])} for row in board["rows"]]
        return {"cycle": board["cycle"], "rows": rows}
    except broken_archive(*_UNREADABLE) as error:
        raise complaint("{archive} is no archive of a final: {error}", archive=archive, error=error) from None


def _names(teams: Path | None) -> dict[str, str]:
    """Return the teams' names by id; :class:`click.ClickException` for a file that is no table of teams."""
    if teams is None:
        return {}
    try:
        with teams.open(encoding="utf-8-sig", newline="") as rows:
            return {row["team_id"]: as_entered(row["name"]) for row in csv.DictReader(rows)}
    except _UNREADABLE as error:
        raise complaint("{teams} is no table of teams: {error}", teams=teams, error=error) from None


@spoken.group()
def pages() -> None:
    """Pages of the cycle: the regulation (`rules`) and the knowledge base."""


@pages.command("list")
@as_json
def list_pages(*, raw: bool) -> None:
    """List the pages with their versions."""
    listing = desk().get(routes.CYCLE)["pages"]
    end_with_json(raw, listing)
    rows = []
    for page in listing:
        last, count = page["versions"][-1], str(len(page["versions"]))
        rows.append((page["name"], page["title"][language()], count, last["at"], last["sha256"][:12]))
    show_rows(("page", "title", "versions", "since", "SHA-256"), rows)


@pages.command("show")
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="A version by its number; the last one without it.")
@as_json
def show_page(name: str, version: int | None, *, raw: bool) -> None:
    """Print the page NAME as Markdown in your language."""
    page = desk().get(routes.PAGE, {"version": None if version is None else str(version)}, name=name)
    click.echo(json.dumps(page, ensure_ascii=False, indent=2) if raw else page["text"][language()])


@pages.command("publish")
@click.argument("name")
@click.option("--en", "english", type=_FILE, required=True, help="Markdown file in English.")
@click.option("--ru", "russian", type=_FILE, required=True, help="Markdown file in Russian.")
@click.option("--title-en", help="Title in English; needed for a new page.")
@click.option("--title-ru", help="Title in Russian; needed for a new page.")
def publish_page(name: str, english: Path, russian: Path, title_en: str | None, title_ru: str | None) -> None:
    """Publish another version of the page NAME, or a new page; the same texts make no version."""
    titles = (title_en, title_ru)
    if (title_en is None) is not (title_ru is None):
        raise click.UsageError(say("a title is given in both languages"))
    try:
        text = dict(zip(PAGE_LANGUAGES, (file.read_text("utf-8-sig") for file in (english, russian)), strict=True))
    except UnicodeDecodeError as error:
        raise complaint("a page is UTF-8: {error}", error=error) from None
    title = None if title_en is None else dict(zip(PAGE_LANGUAGES, titles, strict=True))
    page = desk().post(routes.PUBLISH_PAGE, {"text": text, "title": title}, name=name)
    number, digest = page["number"], page["version"]["sha256"]
    speak("page {name}: version {number}, SHA-256 {digest}", name=name, number=number, digest=digest)


COMMANDS: Final = (parameters, versions, changes, withdraw, create, copied, validate, compare, carry, earlier)
