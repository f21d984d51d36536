"""Folders of cycles and sets on the organizer's machine; new ones from nothing, or copied with their dates moved."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import click

from contest import settings
from contest.commands.shell import complaint
from contest.cycle.rules.cycle import PAGES_FOLDER
from contest.cycle.rules.stages import ORDER
from contest.refusals import Fault
from contest.stored_names import CYCLE_FILE, CYCLE_FILES
from contest.texts import CATALOGUE
from markup_core.lazy import dataclass
from markup_core.texts import localized

NAMES: Final = CYCLE_FILES
_MIB: Final = 1024 * 1024


class FolderError(Exception):
    """The folder's file cannot be read; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message.en)
        self.fault = fault


class Folder:
    """See :class:`contest.cycle.set_files.Source`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def everything(self) -> Sequence[str]:
        """See :class:`contest.cycle.set_files.Source`; hidden files are left out, as of zips."""
        from contest.cycle.rules import sets as set_rules

        paths = (path.relative_to(self._path).as_posix() for path in self._path.rglob("*") if path.is_file())
        return sorted(name for name in paths if not set_rules.is_passed_over(name))

    def names(self, folder: str) -> Sequence[str]:
        """See :class:`contest.cycle.set_files.Source`."""
        from contest.cycle.rules import sets as set_rules

        place = self._path / folder
        file_names = (file.name for file in place.iterdir() if file.is_file()) if place.is_dir() else ()
        return sorted(name for name in file_names if not set_rules.is_passed_over(name))

    def read(self, name: str) -> bytes:
        """See :class:`contest.cycle.set_files.Source`."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            raise LookupError(name) from error

    def contents(self) -> dict[str, bytes]:
        """Return all files by their names; refuse, before any is read, what no zip may hold."""
        from contest.cycle.rules import sets as set_rules

        names = self.everything()
        most, size = set_rules.BOUNDS.whole, sum((self._path / name).stat().st_size for name in names)
        if size > most or len(names) > set_rules.BOUNDS.members:
            raise complaint(
                "{path} has {names} files, {size} MiB; through the interface go at most {members} files and "
                "{most} MiB: contest cycle load FOLDER --direct",
                path=self._path,
                names=len(names),
                size=size // _MIB,
                members=set_rules.BOUNDS.members,
                most=most // _MIB,
            )
        return {name: self.read(name) for name in names}


def read_head(folder: Path) -> tuple[str, Any]:
    """Read a folder's file: its name and value; :class:`LookupError` without one, :class:`FolderError` for two."""
    from contest.cycle import set_files

    name, value, faults = set_files.read_head(Folder(folder))
    if faults and faults[0].code == "missing_file":
        raise LookupError(CYCLE_FILE)
    if faults:
        raise FolderError(faults[0])
    return name, value


def read_file(path: Path) -> Any:
    """Read the value of a JSON or YAML file; :class:`FolderError`."""
    from contest.cycle import set_files

    value, faults = set_files.value_of(path.name, path.read_bytes())
    if faults:
        raise FolderError(faults[0])
    return value


def read_yaml(text: str) -> Any:
    """Read the value of a YAML text that is known to be valid."""
    from contest.cycle import set_files

    return set_files.read_yaml(text)


_LASTS: Final = {"selection": (0, 31), "qualification": (31, 61), "final": (103, 3), "results": (106, 35)}
"""Each stage's first day from the start, and its length in days: eleven days lie between qualification and final, in
which sets and modules do not change (R 4.7)."""
_SIDES: Final = frozenset({"first", "last"})
_YAML: Final = """\
# A cycle of the contest. `contest cycle validate FOLDER` names everything that is wrong with it.
cycle: {cycle}
name:
  ru: {ru}
  en: {en}
# As in the IANA's list; a day's quota and the stages' days are counted in it.
time_zone: Europe/Moscow
track: {track}
# Groups (subjects) per language.
languages: {languages}
# The contest's own codes, or a classifier of the cycle's own, written here as docs/classifier.md says.
classifier: {classifier}
# SHA-256 of the published participants' modules; empty: nothing is said about clients.
known_clients: []
# Documents for teams: title and about in ru and en, url https://…; about may be left out.
knowledge_base: []
# Pages in Markdown by name, with a title in ru and en; texts in pages/NAME.ru.md and .en.md; rules: the regulation.
pages: {{}}
# Earlier cycles of the contest, as `contest cycle earlier` prints them.
earlier_cycles: []
# Whether a published final over the barrier ends the contest (R 4.8); null: as the contest has it.
ends_at_barrier: null
# On the front page: the work of the contest, and the prize, in ru and en; null: the contest's words, and nothing.
about: null
prize: null
# Days in the time zone, both included, in this order and apart.
stages: {stages}
# Saturday and Sunday are free unless `weekend` says otherwise; quote no day, name none twice.
working_days:
  holidays: []
  working_weekends: []
# Days of notice periods where they are others than the contest's, which are the following; 0: no period.
{notices}
notices: {{}}
# What is not said here is the contest's and the regulation's; change it later with `contest cycle parameters`.
# The platform's, with what holds without them, and the least and the greatest value:
{remarks}
parameters: {{}}
# A folder beside this file for each: ID.json and, where experts have marked it up, ID_exp01.json, ID_exp02.json …
sets:
{sets}
"""
SETS: Final = {"train": "training", "test": "test", "final": "final", "reserve": "reserve"}
"""Sets of a new cycle, with their kinds."""


@dataclass(frozen=True, slots=True)
class Form:
    """Form of a new cycle's file: ``yaml`` with remarks in ``en`` or ``ru``, or ``json``."""

    suffix: str
    language: str = "en"


def create(folder: Path, track: str, name: str, titles: Mapping[str, str], more: Mapping[str, Any], form: Form) -> Path:
    """Write a new cycle's folder and return its file's path.

    ``more``: languages, sets with their kinds, stages, and a classifier of the cycle's own, if it has one.
    """
    from contest.cycle.commands import offline

    refuse_name(name)
    _refuse_taken(folder)
    place = folder / f"cycle.{form.suffix}"
    sets = "\n".join(f'  {set_name}: {{"kind": "{kind}"}}' for set_name, kind in more["sets"].items())
    own = more.get("classifier", "default")
    classifier = own if own == "default" else json.dumps(own, ensure_ascii=False, indent=1).replace("\n", "\n ")
    said_of = {key: value for key, value in {**titles, **more}.items() if key not in {"sets", "classifier"}}
    words = {key: json.dumps(value, ensure_ascii=False) for key, value in said_of.items()}
    words |= {"sets": sets, "classifier": classifier}
    text = _YAML.format(
        cycle=name,
        track=track,
        notices=offline.notices(track, form.language),
        remarks=offline.parameters(form.language),
        **words,
    )
    if form.language == "ru":
        for remark in (line for line in _YAML.splitlines() if line.startswith("#")):
            text = text.replace(remark, CATALOGUE.word("parameter", remark).ru)  # remarks on one parameter are Russian
    folder.mkdir(parents=True, exist_ok=True)
    for set_name in more["sets"]:
        (folder / set_name).mkdir(exist_ok=True)
    place.write_text(text, "utf-8")
    if form.suffix == "json":
        place.write_text(json.dumps(read_yaml(text), ensure_ascii=False, indent=1) + "\n", "utf-8")
    return place


def copy(source: Path, target: Path, name: str, start: date | None, *, with_sets: bool) -> Path:
    """Copy a cycle's folder under another name, its stages moved so that the first begins on ``start``."""
    refuse_name(name)
    _refuse_taken(target)
    file, value = _head(source)
    moved = {**value, "cycle": name, **({"stages": _moved(value, start)} if start else {})}
    target.mkdir(parents=True, exist_ok=True)
    place = target / file
    place.write_text(_rewritten((source / file).read_text("utf-8"), value, moved), "utf-8")
    if read_file(place) != moved:  # the text is written in an unexpected way: only the value is kept
        place.unlink()
        place = target / NAMES[0]
        place.write_text(json.dumps(moved, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if value.get("pages"):
        shutil.copytree(source / PAGES_FOLDER, target / PAGES_FOLDER)
    for set_name, set_part in value.get("sets", {}).items() if with_sets else ():
        inside = set_part.get("folder") or set_name
        shutil.copytree(source / inside, target / inside)
    return place


def stages_from(start: date) -> dict[str, dict[str, str]]:
    """Return stages of the usual lengths, the first of which begins on a day."""
    return {
        name: {
            "first": (start + timedelta(days=after)).isoformat(),
            "last": (start + timedelta(days=after + length - 1)).isoformat(),
        }
        for name, (after, length) in _LASTS.items()
    }


def refuse_name(name: str) -> None:
    """Refuse a name that a deployed cycle cannot have."""
    if len(name) > settings.LONGEST_CYCLE_NAME or not re.fullmatch(settings.CYCLE_NAME_FORM, name):
        most = settings.LONGEST_CYCLE_NAME
        raise complaint(
            "{name!r} cannot name a cycle: use 1 to {most} small Latin letters, digits and single "
            "hyphens, a letter first, for example spring-2027",
            name=name,
            most=most,
        )
    for word in settings.RESERVED_IN_NAMES:
        if word in name:
            raise complaint(
                "{name!r} cannot name a cycle: AWS reserves {word!r}, also inside a name", name=name, word=word
            )


def _refuse_taken(folder: Path) -> None:
    for name in NAMES:
        if (folder / name).exists():
            place = folder / name
            raise complaint("{place} is there already; nothing was written", place=place)


def _head(source: Path) -> tuple[str, dict[str, Any]]:
    try:
        file, value = read_head(source)
    except LookupError:
        names = ", ".join(NAMES)
        raise complaint("{source} has none of {names}", source=source, names=names) from None
    except FolderError as error:
        message = error.fault.message
        raise click.ClickException(f"{error.fault.file}: {localized(message)}") from None
    if not isinstance(value, dict):
        raise complaint("{source} holds no object", source=source / file)
    return file, value


def _moved(value: Mapping[str, Any], start: date) -> Any:
    stages = value.get("stages") or {}
    try:
        named = [name.value for name in ORDER if name.value in stages]
        days = start - date.fromisoformat(stages[named[0]]["first"])
        return {
            name: stage | {side: (date.fromisoformat(stage[side]) + days).isoformat() for side in _SIDES & stage.keys()}
            for name, stage in stages.items()
        }
    except (IndexError, KeyError, TypeError, ValueError, AttributeError):
        raise complaint("the cycle has no stages whose days could be moved; leave --start out") from None


def _rewritten(text: str, value: Mapping[str, Any], moved: Mapping[str, Any]) -> str:
    """Return the file's text with name and days replaced in place, so that remarks and order stay."""
    days = {
        day: moved["stages"][stage][side]
        for stage, sides in (value.get("stages") or {}).items()
        for side, day in sides.items()
        if side in _SIDES
    }
    text = re.sub(r"\d{4}-\d\d-\d\d", lambda match: days.get(match[0], match[0]), text)
    old, new = re.escape(str(value.get("cycle"))), moved["cycle"]
    return re.sub(rf'^(\s*"?cycle"?\s*:\s*"?){old}("?\s*,?)', rf"\g<1>{new}\g<2>", text, count=1, flags=re.MULTILINE)
