"""Commands ``contest set``, ``contest cycle load`` and ``contest kit …`` (R 4.2, 4.3)."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

import click

from contest import routes
from contest.commands.connection import Desk
from contest.commands.shell import (
    as_json,
    caution,
    code,
    complaint,
    complaints,
    end_with_json,
    in_language,
    reason_of,
    refuse_load,
    show_rows,
    speak,
    warn,
)
from contest.cycle.commands.folders import Folder
from contest.people.commands import Asked, asked, desk
from contest.refusals import Fault
from contest.texts import say, tr
from contest.values import PART, in_one_line
from markup_core.texts import language, number
from tracks.command import spoken
from tracks.protocol import Text

if TYPE_CHECKING:
    from markup_core.formats.foreign import Codes

KINDS: Final = click.Choice(["training", "test", "final", "reserve"])
_ENDINGS: Final = frozenset({".json", ".txt"})
_ENDED: Final = frozenset({"checked", "done", "refused"})
_CODES: Final = "A JSON object: a code, or null to leave out, for labels of another tool's export."
_LOOK_EVERY_S: Final = 1.0
_STEADY: Final = (1980, 1, 1, 0, 0, 0)
"""Earliest date of a zip, for all members: equal folders yield equal zips, so that an upload can be resumed."""


@spoken.group("set")
def sets() -> None:
    """Manage data sets: import, export, split, publish."""


def bring_cycle(folder: Path) -> None:
    """Load a cycle's folder through the interface."""
    _tell(_brought(desk(), _zip_of(Folder(folder).contents()), {"kind": "cycle"}))


@sets.command("import")
@click.argument("name")
@click.argument("place", type=click.Path(exists=True, path_type=Path))
@click.option("--kind", type=KINDS, help="Of a new set.")
@click.option("--codes", type=click.Path(exists=True, dir_okay=False, path_type=Path), help=_CODES)
@click.option("--subject", default="", help="Of an export whose documents name none.")
@click.option("--yes", is_flag=True, help="Load another tool's export without asking.")
def set_import(name: str, place: Path, kind: str | None, codes: Path | None, subject: str, *, yes: bool) -> None:
    """Put the files of PLACE (a folder or a zip) into the loaded cycle as the set NAME, all or nothing.

    An export of another annotation tool is shown first: formats, documents, annotators, labels and losses.
    """
    decision = {"subject": subject, "codes": dict(_codes(codes))}
    content = place.read_bytes() if place.is_file() else _zip_of(Folder(place).contents())
    to = desk()
    brought = _brought(to, content, {"kind": "set", "set": name, "set_kind": kind})
    if brought["state"] == "checked":
        _warn_of(brought)
        _show_choices(brought["choices"], decision)
        if not (yes or click.confirm(say("Load it?"), default=True)):
            raise complaint("nothing was loaded")
        import_id = str(brought["import_id"])
        body = json.dumps(decision).encode()
        to.post_bytes(routes.COMPLETE_IMPORT, body, {"confirmed": "true"}, import_id=import_id)
        brought = {**_ended(to, import_id), "warnings": []}
    _tell(brought)


def _codes(place: Path | None) -> Codes:
    from markup_core.command.conversion import read_codes
    from markup_core.command.inputs import UnreadableError

    try:
        return read_codes(place)
    except UnreadableError as error:
        raise click.ClickException(error.text(language())) from None


def _show_choices(choices: Sequence[Mapping[str, Any]], decision: Mapping[str, Any]) -> None:
    """Print the labels that have no code yet; click.ClickException where the decision leaves any of them open."""
    from contest.cycle.rules.sets import Decided, undecided_labels

    try:
        labels = undecided_labels(choices, Decided(**decision))
    except LookupError as error:
        subjects = ", ".join(choice["subject"] for choice in choices)
        name = error.args[0] or "--subject"
        raise complaint(
            "{name}: no subject or code that the export may have; subjects: {listed}", name=name, listed=subjects
        ) from None
    if labels:
        for choice in choices:
            counted = ", ".join(f"{label} {count}" for label, count in choice["labels"].items() if label in labels)
            caution(
                say("labels without a code: {labels}; codes: {codes}", labels=counted, codes=", ".join(choice["codes"]))
            )
        raise complaint('name their codes: --codes FILE, a JSON object such as {"LABEL": "CODE"}; null leaves one out')


@sets.command("list")
@as_json
def set_list(*, raw: bool) -> None:
    """List the sets of the cycle, and finals whose results are out."""
    listing = desk().get(routes.SETS)
    end_with_json(raw, listing)
    rows = []
    for essay_set in listing["sets"]:
        items = ", ".join(f"{language} {count}" for language, count in essay_set["items"].items())
        markups, published_at = str(essay_set["references"]), essay_set["published_at"] or ""
        rows.append((essay_set["name"], code(essay_set["kind"]), items, markups, published_at))
    show_rows(("name", "kind", "items", "markups", "published"), rows)


@sets.command("export")
@click.argument("name")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def set_export(name: str, folder: Path) -> None:
    """Write the files of the set NAME into the new FOLDER, as they can be imported again."""
    if folder.exists() and any(folder.iterdir()):
        raise complaint("{folder} is not empty; nothing was written", folder=folder)
    server = desk()
    packed = _packed(server, name)
    files: dict[str, bytes] = {}
    for part in packed["parts"]:
        content = server.content(routes.SET_PART, name=name, part=str(part["number"]))
        if hashlib.sha256(content).hexdigest() != part["sha256"]:
            number = part["number"]
            damaged = tr("part {number} came damaged; nothing was written", number=number)
            raise complaint(damaged)
        files |= {file["name"]: file["text"].encode() for file in json.loads(content)["files"]}
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_bytes(text)
    speak("{folder}: {files} files", folder=folder, files=len(files))


@sets.command("publish")
@click.argument("name")
@click.option("--reason", required=True, help="Why; it is kept.")
def set_publish(name: str, reason: str) -> None:
    """Give the present files of the set NAME, with the experts' markups, to everybody."""
    to = desk()
    to.post(routes.PUBLISH_SET, {"published": True, "reason": reason}, name=name)
    _packed(to, name)
    speak("{name}: published", name=name)


@sets.command("unpublish")
@click.argument("name")
@click.option("--reason", required=True, help="Why; it is kept.")
def set_unpublish(name: str, reason: str) -> None:
    """Take the set NAME back from everybody; what was downloaded stays where it is."""
    desk().post(routes.PUBLISH_SET, {"published": False, "reason": reason}, name=name)
    speak("{name}: not published", name=name)


def _packed(server: Desk, name: str) -> dict[str, Any]:
    """Wait until the parts of a set are made; return the set with them."""
    while "parts" not in (packed := server.get(routes.SET, name=name)):
        time.sleep(_LOOK_EVERY_S)
    return dict(packed)


@sets.command("split")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--part", "parts", multiple=True, required=True, help="NAME=SHARE, as in test=0.25; they make 1.")
@click.option("--by", help="Divide every value of this field evenly, as in meta.subject.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, another division.")
def set_split(folder: Path, out: Path, parts: Sequence[str], by: str | None, seed: int) -> None:
    """Copy the items of FOLDER with their experts' files into folders OUT/NAME, by shares."""
    from contest.cycle.rules.sets import split_items

    of_items = _by_item(_files(folder))
    if beside := [name for name in Folder(folder).everything() if name not in {file.name for file in _files(folder)}]:
        caution(say("left out, for it is not .json or .txt: {named}", named=in_one_line(beside)))
    strata = {item: _stratum(files[0], by) for item, files in of_items.items()}
    try:
        shares = {name: Fraction(share) for name, _, share in (part.partition("=") for part in parts)}
        chosen = split_items(strata, shares, seed)
    except (ValueError, ZeroDivisionError):
        raise complaint("the shares are numbers above 0 that make 1 together") from None
    existing = [str(out / name) for name in chosen if (out / name).exists()]
    if existing:
        names = ", ".join(existing)
        raise complaint("{names} exist already; nothing was written", names=names)
    for name, items in chosen.items():
        (out / name).mkdir(parents=True)
        for file in (path for item in items for path in of_items[item]):
            shutil.copyfile(file, out / name / file.name)
        speak("{name}: {items} items", name=name, items=len(items))


def _by_item(files: Sequence[Path]) -> dict[str, list[Path]]:
    """Group files by item, the item's own file first."""
    stems = {normalize("NFC", file.stem) for file in files}
    by_item: dict[str, list[Path]] = {}
    for file in sorted(files, key=lambda file: (len(file.stem), file.name)):
        stem = normalize("NFC", file.stem)
        owner = stem.rpartition("_exp")[0]
        by_item.setdefault(owner if owner in stems else stem, []).append(file)
    return by_item


def _stratum(file: Path, by: str | None) -> str:
    """Return the value of a field, such as ``meta.subject``, as text; the same for all without one."""
    if by is None or file.suffix != ".json":
        return ""
    value: Any = json.loads(file.read_text("utf-8"))
    for part in by.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _files(folder: Path) -> list[Path]:
    """List the files of a set: JSON, and texts in the notation."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.suffix in _ENDINGS)


def _zip_of(contents: Mapping[str, bytes]) -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name, _STEADY)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return place.getvalue()


def _brought(to: Desk, content: bytes, order: Mapping[str, Any]) -> dict[str, Any]:
    """Import a zip from its announcement to its end, with progress on the terminal; return the import."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn

    from tracks.command.console import HeardProgress

    parts = [content[start : start + PART] for start in range(0, len(content), PART)]
    hashes = [hashlib.sha256(part).hexdigest() for part in parts]
    whole = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "parts": hashes}
    begun = to.post(routes.BEGIN_IMPORT, {**order, **whole})
    name = str(begun["import_id"])
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with HeardProgress(*columns, console=complaints, transient=True) as progress:
        task = progress.add_task(say("parts sent"), total=len(parts))
        for number in begun["missing_parts"]:
            to.put_there(routes.IMPORT_PART, parts[number - 1], import_id=name, part=str(number))
            progress.update(task, advance=1)
        to.post(routes.COMPLETE_IMPORT, import_id=name)
        return _ended(to, name, lambda the_import: progress.update(task, **_shown(the_import)))


def _ended(to: Desk, name: str, tell: Callable[[dict[str, Any]], object] = lambda _: None) -> dict[str, Any]:
    """Wait until an import ends, or waits for a confirmation; return it whole."""
    while (the_import := to.get(routes.IMPORT, import_id=name))["state"] not in _ENDED:
        if the_import["failed_at"] is not None:
            raise _failed(name, the_import)
        tell(the_import)
        time.sleep(_LOOK_EVERY_S)
    return _whole(to, name, the_import)


def _failed(name: str, the_import: Mapping[str, Any]) -> click.ClickException:
    """Return the error about an import whose worker failed for good."""
    letters = "contest deadletters list --queue imports"
    at, read, files = the_import["failed_at"], the_import["read"], the_import["files"]
    return complaint(
        "import {name}: its worker failed for good at {at} ({read} of {files} files read); "
        "nothing was loaded. Why: {letters}; once more: contest doctor --mend",
        name=name,
        at=at,
        read=read,
        files=files,
        letters=letters,
    )


def _shown(the_import: Mapping[str, Any]) -> dict[str, Any]:
    count = the_import["stored"]
    stored = say(", {count} stored", count=count) if the_import["state"] == "storing" else ""
    description = say("files read") + stored
    return {"description": description, "completed": the_import["read"], "total": the_import["files"] or None}


def _whole(to: Desk, name: str, first: dict[str, Any]) -> dict[str, Any]:
    """Return an import with all its faults and warnings."""
    page, whole = first, {**first, "faults": [*first["faults"]], "warnings": [*first["warnings"]]}
    while page["next"] is not None:
        page = to.get(routes.IMPORT, {"after": str(page["next"])}, import_id=name)
        for field in ("faults", "warnings"):
            whole[field] = [*whole[field], *page[field]]
    return whole


def _tell(done: Mapping[str, Any]) -> None:
    """Print the outcome of an import; exit code 1 where nothing was loaded."""
    if done["state"] == "refused":
        faults = [
            Fault(fault["code"], fault["file"], Text(fault["message"], fault["message_ru"]), fault["where"])
            for fault in done["faults"]
        ]
        refuse_load(faults, done["fault_count"])
    _warn_of(done)
    sizes = ", ".join(f"{name} {size}" for name, size in sorted(done["loaded"]["sets"].items()))
    version = done["loaded"]["parameters"]
    speak("{sizes} files, parameters version {version}", sizes=sizes, version=version)


def _warn_of(the_import: Mapping[str, Any]) -> None:
    for warning in the_import["warnings"]:
        caution(": ".join(part for part in (warning["file"], in_language(warning)) if part))


LIST: Final = "kit.json"
PLACE: Final = "/kit/"
"""Path at which a deployment publishes the kit's files."""


@spoken.group()
def kit() -> None:
    """Manage the participants' kit: publish it, show the published one."""


@kit.command("publish")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def publish(folder: Path) -> None:
    """Have the platform sign the list of the kit that make kit has built in FOLDER.

    Its files must lie at the platform's address already: make deploy puts them there.
    """
    listed = _read(folder)
    at = asked()
    _there(at, listed)
    publication = at.post(routes.PUBLISH_KIT, listed)
    warn(publication["warnings"])
    statement = publication["kit"]["statement"]
    if publication["changed"]:
        speak("kit {version} published; its draft announcement: contest announce drafts", version=statement["version"])
    else:
        speak(
            "kit {version} was published {published_at} as it is",
            version=statement["version"],
            published_at=statement["published_at"],
        )


@kit.command("show")
@as_json
def show(*, raw: bool) -> None:
    """Show the kit that is published."""
    current = asked().get(routes.KIT)["kit"]
    end_with_json(raw, current)
    if current is None:
        speak("no kit is published; make kit builds one, contest kit publish build/kit publishes it")
        return
    statement = current["statement"]
    files = (*statement["packages"], *statement["bundles"])
    rows = ((file["file"], number(file["bytes"] / 1e6, 1), file["sha256"]) for file in files)
    show_rows(("file", say("MB"), "SHA-256"), rows)
    version, since, modules = statement["version"], statement["published_at"], statement["modules_sha256"]
    speak("kit {version}, published {since}, modules {modules}", version=version, since=since, modules=modules)


def _read(folder: Path) -> Any:
    """Read the list, and verify the files beside it against it."""
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))
        digests = [(file["file"], file["sha256"]) for file in (*listed["packages"], *listed["bundles"])]
    except (OSError, ValueError, KeyError, TypeError) as error:
        place = folder / LIST
        raise complaint(
            "{place} is no list of a kit ({error}): make kit builds one", place=place, error=reason_of(error)
        ) from None
    for name, sha256 in digests:
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise complaint("{file} is not what {list} says: build the kit anew with make kit", file=file, list=LIST)
    return listed


def _there(at: Asked, listed: Any) -> None:
    """Refuse to publish files that cannot be downloaded; a deployment asked directly has no address to check."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn

    from tracks.command.console import HeardProgress

    if not isinstance(at, Desk):
        return
    files = [*listed["packages"], *listed["bundles"]]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with HeardProgress(*columns, console=complaints, transient=True) as progress:
        task = progress.add_task("", total=sum(file["bytes"] for file in files))
        for file in files:
            progress.update(task, description=file["file"])
            digest = at.digest(f"{PLACE}{file['file']}", lambda count: progress.update(task, advance=count))
            if digest != file["sha256"]:
                place = f"{PLACE}{file['file']}"
                if digest is None:
                    what = say("{place} is not at the platform's address", place=place)
                else:
                    what = say("{place} is another one there", place=place)
                rest = say("nothing was published: make deploy puts the built files there")
                raise click.ClickException(f"{what}; {rest}")
