"""A set in the contest's own files: ``input/SUBTASK`` as a program gets it, ``true/true_SUBTASK.json`` (F).

Every subtask that is there becomes one item with its truth as the reference; images become attachments, known to the
item by their size and SHA-256. Codes: ``missing_requests``, ``missing_true``, ``missing_image``, those of
JSON, and what :mod:`tracks.fields` says of items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from unicodedata import normalize

from markup_core.command.folder import UnreadableError, read_json
from markup_core.lazy import dataclass
from tracks.capabilities import Unpacked
from tracks.fields import Unpacking, listed, read_own_json
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Reason
from tracks.texts import tr

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
_TRUE_OF: Final = {f"true/true_{subtask.value}.json": subtask for subtask in Subtask} | {
    "true/true_OD.json": Subtask.ZSOD
}
"""F calls the truth of zsOD by both names."""


def folders() -> tuple[str, ...]:
    """Return the folders of a set's files, inside its folder."""
    inputs = [f"input/{subtask.value}" for subtask in Subtask]
    return ("true", *inputs, *(f"input/{subtask.value}/{IMAGES}" for subtask in _WITH_IMAGES))


# Clause: F true, F VQA requests, F zsOD requests, TS T14
def unpack(files: Mapping[str, bytes]) -> Unpacked:
    """Convert subtasks that have a folder to items; other files are left to the platform."""
    unpacking, attachments = Unpacking(files), dict[str, bytes]()
    truths = {_TRUE_OF[name]: path for path in files if (name := path.translate(_LATIN)) in _TRUE_OF}
    for subtask in Subtask:
        before = f"input/{subtask.value}/"
        own = sorted(name for name in files if name.startswith(before))
        if own:
            _subtask(unpacking, subtask, own, truths.get(subtask), attachments)
        elif subtask in truths:
            unpacking.take(truths[subtask])
            message = tr("there are no files in {before}", before=before)
            unpacking.refuse("missing_requests", message, truths[subtask])
    result = unpacking.result()
    return Unpacked(result.files, result.reasons, result.read, result.origins, {} if result.reasons else attachments)


def inputs(item: Mapping[str, Json]) -> dict[str, Json]:
    """Return a program's input for an item: the JSON file of its folder, if the subtask has one."""
    subtask = Subtask(item["subtask"])
    return {f"{subtask.value}/{REQUESTS[subtask]}": item["requests"]} if subtask in REQUESTS else {}


def _subtask(
    unpacking: Unpacking, subtask: Subtask, own: list[str], truth: str | None, attachments: dict[str, bytes]
) -> None:
    """Add one subtask as an item with its truth."""
    before = f"input/{subtask.value}/"
    images = dict[str, str]()
    for name in own:
        if name.startswith(f"{before}{IMAGES}/") and subtask in _WITH_IMAGES:
            content = unpacking.take(name)
            digest = hashlib.sha256(content).hexdigest()
            attachments[digest] = content
            images[normalize("NFC", name.rpartition("/")[2])] = f"{len(content)}-{digest}"
    request_file = f"{before}{REQUESTS[subtask]}" if subtask in REQUESTS else ""
    requests: Json = sorted(images)
    place = request_file or own[0]
    if request_file and request_file not in own:
        unpacking.refuse("missing_requests", tr("there is no {request_file}", request_file=request_file), place)
        requests = None
    elif request_file:
        requests = _json(unpacking, request_file)
    true_answers = None if truth is None else _json(unpacking, truth)
    if truth is None:
        message = tr("there is no true/true_{value}.json", value=subtask.value)
        unpacking.refuse("missing_true", message, place)
    if requests is None or true_answers is None:
        return
    # An image is called as the requests, or HTR's truth, spell it: macOS writes й in a file's name as two characters.
    named = _images_of(subtask, requests) or set(true_answers if isinstance(true_answers, Mapping) else ())
    spelled = {normalize("NFC", name): name for name in named}
    images = {spelled.get(name, name): sized_digest for name, sized_digest in images.items()}
    requests = requests if request_file else sorted(images)
    if absent := sorted(_images_of(subtask, requests) - images.keys()):
        message = tr("no images {listed}", listed=listed(absent))
        unpacking.refuse("missing_image", message, place, {"images": absent[:100]})
        return
    item = {"id": subtask.value, "subtask": subtask.value, "requests": requests, **({IMAGES: images} if images else {})}
    unpacking.item(subtask.value, item, {1: true_answers}, place)


def _json(unpacking: Unpacking, name: str) -> Json:
    whole, broken = read_own_json(unpacking.take(name))
    unpacking.refuse_all(broken, name)
    if not broken and whole is None:
        unpacking.refuse_all([Reason("not_an_object", tr("null is nothing"), {})], name)
    return None if broken else whole


def _images_of(subtask: Subtask, requests: Json) -> set[str]:
    """Return the images that requests name; the item's reader checks their form."""
    if not isinstance(requests, Mapping):
        return set()
    if subtask is Subtask.ZSOD:
        return set(requests)
    if subtask is Subtask.VQA:
        named = (question.get("file_name") for question in requests.values() if isinstance(question, Mapping))
        return {file_name for file_name in named if isinstance(file_name, str)}
    return set()


@dataclass(frozen=True, slots=True)
class Files:
    """Contents of a subtask's files; ``prediction`` is None without a file."""

    truth: Json
    prediction: Json | None


def read_files(true: Path, prediction: Path) -> dict[Subtask, Files]:
    """Read the files of subtasks whose truth is in the folder; raises UnreadableError, also if there is none."""
    truths, predictions = _paths_of(true, "true"), _paths_of(prediction, "prediction")
    if not truths:
        names = ", ".join(f"true_{subtask.value}.json" for subtask in Subtask)
        raise UnreadableError(tr("{true}: none of the files {names} is in this folder", true=true, names=names))
    return {
        subtask: Files(read_json(truths[subtask]), read_json(predictions[subtask]) if subtask in predictions else None)
        for subtask in Subtask
        if subtask in truths
    }


def _paths_of(folder: Path, prefix: str) -> dict[Subtask, Path]:
    if not folder.is_dir():
        raise UnreadableError(tr("{folder}: there is no such folder", folder=folder))
    names = {f"{prefix}_{subtask.value}.json": subtask for subtask in Subtask}
    paths: dict[Subtask, Path] = {}
    for path in sorted(folder.iterdir()):
        subtask = names.get(path.name.translate(_LATIN))
        if subtask in paths:
            raise UnreadableError(
                tr(
                    "{folder}: both {name} and {name_2} are there",
                    folder=folder,
                    name=paths[subtask].name,
                    name_2=path.name,
                ),
            )
        if subtask is not None:
            paths[subtask] = path
    return paths
