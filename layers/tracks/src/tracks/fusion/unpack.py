"""A set in the contest's own files: ``input/SUBTASK`` as a program gets it, ``true/true_SUBTASK.json`` (F).

Every subtask that is there becomes one item with its truth as the reference; images become attachments, known to the
item by their size and SHA-256. Codes: ``missing_requests``, ``missing_true``, ``missing_image``, those of
JSON, and what :mod:`tracks.fields` says of items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unicodedata import normalize

from markup_core.command.folder import UnreadableError, read_json
from tracks.capabilities import Unpacked
from tracks.fields import Unpacking, listed, read_own_json
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Reason, Text

REQUESTS: Final[Mapping[Subtask, str]] = {
    Subtask.C2C: "requests.json",
    Subtask.ZSOD: "requests.json",
    Subtask.VQA: "questions.json",
}
"""What a subtask's folder holds beside images; HTR has images alone."""
IMAGES: Final = "images"
_WITH_IMAGES: Final = (Subtask.HTR, Subtask.ZSOD, Subtask.VQA)
_LATIN: Final = str.maketrans("С", "C")
"""F itself spells names of C2C with Cyrillic letters in places."""
_TRUE_OF: Final = {f"true/true_{each.value}.json": each for each in Subtask} | {"true/true_OD.json": Subtask.ZSOD}
"""F calls the truth of zsOD by both names."""


def folders() -> tuple[str, ...]:
    """Where a set's files are, inside its folder."""
    inputs = [f"input/{each.value}" for each in Subtask]
    return ("true", *inputs, *(f"input/{each.value}/{IMAGES}" for each in _WITH_IMAGES))


def unpack(files: Mapping[str, bytes]) -> Unpacked:
    """The items of the subtasks whose folders are there; what is in neither place is left to the platform.

    Clause: F true, F VQA requests, F zsOD requests, TS T14
    """
    made, attachments = Unpacking(files), dict[str, bytes]()
    truths = {_TRUE_OF[name]: given for given in files if (name := given.translate(_LATIN)) in _TRUE_OF}
    for subtask in Subtask:
        before = f"input/{subtask.value}/"
        own = sorted(name for name in files if name.startswith(before))
        if own:
            _subtask(made, subtask, own, truths.get(subtask), attachments)
        elif subtask in truths:
            made.take(truths[subtask])
            said = Text(f"there are no files in {before}", f"в папке {before} нет файлов")
            made.refuse("missing_requests", said, truths[subtask])
    found = made.result()
    return Unpacked(found.files, found.reasons, found.read, found.origins, {} if found.reasons else attachments)


def inputs(item: Mapping[str, Json]) -> dict[str, Json]:
    """What a program is given of an item: the JSON file of its folder, where the subtask has one."""
    subtask = Subtask(item["subtask"])
    return {f"{subtask.value}/{REQUESTS[subtask]}": item["requests"]} if subtask in REQUESTS else {}


def _subtask(
    made: Unpacking, subtask: Subtask, own: list[str], truth: str | None, attachments: dict[str, bytes]
) -> None:
    """One subtask as an item with its truth."""
    before = f"input/{subtask.value}/"
    images = dict[str, str]()
    for name in own:
        if name.startswith(f"{before}{IMAGES}/") and subtask in _WITH_IMAGES:
            content = made.take(name)
            digest = hashlib.sha256(content).hexdigest()
            attachments[digest] = content
            images[normalize("NFC", name.rpartition("/")[2])] = f"{len(content)}-{digest}"
    wanted = f"{before}{REQUESTS[subtask]}" if subtask in REQUESTS else ""
    asked: Json = sorted(images)
    place = wanted or own[0]
    if wanted and wanted not in own:
        made.refuse("missing_requests", Text(f"there is no {wanted}", f"нет файла {wanted}"), place)
        asked = None
    elif wanted:
        asked = _json(made, wanted)
    found = None if truth is None else _json(made, truth)
    if truth is None:
        said = Text(f"there is no true/true_{subtask.value}.json", f"нет файла true/true_{subtask.value}.json")
        made.refuse("missing_true", said, place)
    if asked is None or found is None:
        return
    # An image is called as the requests, or HTR's truth, spell it: macOS writes й in a file's name as two characters.
    named = _images_of(subtask, asked) or set(found if isinstance(found, Mapping) else ())
    spelled = {normalize("NFC", name): name for name in named}
    images = {spelled.get(name, name): said for name, said in images.items()}
    asked = asked if wanted else sorted(images)
    if absent := sorted(_images_of(subtask, asked) - images.keys()):
        said = Text(f"no images {listed(absent)}", f"нет изображений {listed(absent)}")
        made.refuse("missing_image", said, place, {"images": absent[:100]})
        return
    item = {"id": subtask.value, "subtask": subtask.value, "requests": asked, **({IMAGES: images} if images else {})}
    made.item(subtask.value, item, {1: found}, place)


def _json(made: Unpacking, name: str) -> Json:
    whole, broken = read_own_json(made.take(name))
    made.refuse_all(broken, name)
    if not broken and whole is None:
        made.refuse_all([Reason("not_an_object", Text("null is nothing", "null — не значение"), {})], name)
    return None if broken else whole


def _images_of(subtask: Subtask, asked: Json) -> set[str]:
    """Images that requests name; whether they have the right form the item's reader says."""
    if not isinstance(asked, Mapping):
        return set()
    if subtask is Subtask.ZSOD:
        return set(asked)
    if subtask is Subtask.VQA:
        named = (each.get("file_name") for each in asked.values() if isinstance(each, Mapping))
        return {each for each in named if isinstance(each, str)}
    return set()


@dataclass(frozen=True, slots=True)
class Files:
    """What a subtask's files hold; ``prediction`` is None where there is no file."""

    truth: Json
    prediction: Json | None


def read_files(true: Path, prediction: Path) -> dict[Subtask, Files]:
    """The subtasks whose truth is in the folder; raises UnreadableError, also where there is none at all."""
    truths, predictions = _found(true, "true"), _found(prediction, "prediction")
    if not truths:
        names = ", ".join(f"true_{each.value}.json" for each in Subtask)
        raise UnreadableError(
            f"{true}: none of the files {names} is in this folder", f"{true}: в этой папке нет ни одного файла {names}"
        )
    return {
        subtask: Files(read_json(truths[subtask]), read_json(predictions[subtask]) if subtask in predictions else None)
        for subtask in Subtask
        if subtask in truths
    }


def _found(folder: Path, prefix: str) -> dict[Subtask, Path]:
    if not folder.is_dir():
        raise UnreadableError(f"{folder}: there is no such folder", f"{folder}: такой папки нет")
    names = {f"{prefix}_{each.value}.json": each for each in Subtask}
    found: dict[Subtask, Path] = {}
    for path in sorted(folder.iterdir()):
        subtask = names.get(path.name.translate(_LATIN))
        if subtask in found:
            raise UnreadableError(
                f"{folder}: both {found[subtask].name} and {path.name} are there",
                f"{folder}: здесь есть и {found[subtask].name}, и {path.name}",
            )
        if subtask is not None:
            found[subtask] = path
    return found
