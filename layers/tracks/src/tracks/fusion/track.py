"""The track "fusion" through the Protocol that every contest runs through (tracks.md §4).

An item is the hidden test of one subtask, its reference the contest's ``true_*.json``, an answer the program's
``prediction_*.json``; a session over the four items gives S. The archive that makes the predictions is checked by
:mod:`tracks.fusion.archive` before it is run. A session is a submission: three a day, and only those that
were scored count (F, "Ограничения"); a file the program did not write is worth 0.

An item is ``{"id": …, "subtask": "C2C" | "HTR" | "zsOD" | "VQA", "requests": …}`` (:mod:`tracks.fusion.items`). A set
in the contest's own files is ``input/SUBTASK`` as a program gets it, ``true/true_SUBTASK.json`` (F): every subtask that
is there becomes one item with its truth as the reference; images become attachments, known to the item by their size
and SHA-256. Codes: ``missing_requests``, ``missing_true``, ``missing_image``, those of JSON, and what
:mod:`tracks.base` says of items.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from unicodedata import normalize

from markup_core.command.inputs import UnreadableError, read_json
from markup_core.lazy import dataclass
from markup_core.receipt import canonical_json
from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    NOTHING,
    STRING,
    WHOLE,
    OneStepTrack,
    Unpacking,
    closed,
    fingerprint_form,
    first_ids,
    listed,
    mapped,
    null_or,
    read_body,
    ref,
)
from tracks.capabilities import ArchiveRules, ProgramRead, Unpacked
from tracks.fusion.archive import GIGABYTE, check
from tracks.fusion.c2c import PARTS
from tracks.fusion.items import RESOURCES, SCHEMA, complete, read_item, read_reference, use, validate
from tracks.fusion.score import MODES, counted, record
from tracks.fusion.subtasks import (
    BOARDS,
    Subtask,
    aggregate,
    awards,
    modes_section,
    overcame,
    parts_section,
    sum_section,
    value,
)
from tracks.protocol import (
    ItemFacts,
    Json,
    Missed,
    Need,
    Outcome,
    Policies,
    Quota,
    Reason,
    Schemas,
    Section,
    Step,
    Verdict,
)
from tracks.rules import Called, Details, ModeRules
from tracks.texts import tr

REQUESTS: Final[Mapping[Subtask, str]] = {
    Subtask.C2C: "requests.json",
    Subtask.ZSOD: "requests.json",
    Subtask.VQA: "questions.json",
}
"""Files of a subtask's folder beside images; HTR has images alone."""
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
            unpacking.refuse("missing_requests", tr("there are no files in {before}", before=before), truths[subtask])
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
        unpacking.refuse("missing_true", tr("there is no true/true_{value}.json", value=subtask.value), place)
    if requests is None or true_answers is None:
        return
    # An image is called as the requests, or HTR's truth, spell it: macOS writes й in a file's name as two characters.
    named = _images_of(subtask, requests) or set(true_answers if isinstance(true_answers, Mapping) else ())
    spelled = {normalize("NFC", name): name for name in named}
    images = {spelled.get(name, name): sized_digest for name, sized_digest in images.items()}
    requests = requests if request_file else sorted(images)
    if absent := sorted(_images_of(subtask, requests) - images.keys()):
        message = tr("no images {listed}", listed=first_ids(absent))
        unpacking.refuse("missing_image", message, place, {"images": absent[:100]})
        return
    item = {"id": subtask.value, "subtask": subtask.value, "requests": requests, **({IMAGES: images} if images else {})}
    unpacking.item(subtask.value, item, {1: true_answers}, place)


def _json(unpacking: Unpacking, name: str) -> Json:
    whole, broken = read_body(unpacking.take(name))
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
                )
            )
        if subtask is not None:
            paths[subtask] = path
    return paths


_NAME: Final = {"type": "string", "enum": [subtask.value for subtask in Subtask]}
_KEYS: Final = tuple(subtask.key for subtask in Subtask)
_QUESTION: Final = {
    "type": "object",
    "description": "A question about a picture (VQA).",
    "properties": dict.fromkeys(("file_name", "question"), STRING),
    "required": ["file_name", "question"],
    "additionalProperties": STRING,
}
_REQUESTS: Final = {
    "description": "HTR: the pictures' names; C2C: programs by name; zsOD: classes by picture; VQA: questions by name",
    "anyOf": [listed(STRING), mapped(STRING), mapped(listed(STRING)), mapped(ref("FusionQuestion"))],
}
_TRUTH: Final = {
    "description": "C2C, HTR: texts by name; zsOD: boxes by picture and class; VQA: answers by name",
    "anyOf": [ref("FusionPrediction"), mapped(closed("A right answer.", {"answer": STRING, "lang": STRING}))],
}
_SCORE: Final = closed(
    "Score record of a subtask: C2C's from 0 to 100 with its four parts, the others' from 0 to 1 with their counts.",
    {
        "subtask": _NAME,
        "score": {**null_or(AMOUNT), "description": "null: nothing was asked for"},
        **dict.fromkeys(PARTS, null_or(FRACTION)),
        **dict.fromkeys(("right", "total", "tp", "fp", "fn", "missing"), WHOLE),
        "other_form": {**WHOLE, "description": "of HTR and VQA: wrong by the Unicode form alone; absent for 0"},
        "repeated": {**WHOLE, "description": "of zsOD: boxes equal to another of their class; absent for 0"},
        "unknown": listed(STRING, description="predicted, and asked for by nobody"),
        "unknown_classes": mapped(listed(STRING), "of zsOD, by picture"),
        "fingerprint": ref("FusionFingerprint"),
    },
    optional=(*PARTS, "right", "total", "tp", "fp", "fn", "other_form", "repeated", "unknown", "unknown_classes"),
)
_SUBTASK: Final = closed(
    "A subtask in the sum.",
    {
        "score": null_or(AMOUNT),
        "rounded": {**null_or(FRACTION), "description": "as it counts in S: to three decimals, C2C's hundredth"},
        "minimum": FRACTION,
        "reached": FLAG,
    },
)
_RESULT: Final = closed(
    "S and the four scores it is made of (F).",
    {
        "modes": mapped(STRING, "ways of counting other than the usual, by subtask; absent without any"),
        "s": null_or(AMOUNT),
        "smin": AMOUNT,
        "reached": {**FLAG, "description": "Smin, and every subtask's minimum"},
        "subtasks": closed("Each subtask.", dict.fromkeys(_KEYS, ref("FusionSubtask"))),
        "files": WHOLE,
        "answered": WHOLE,
    },
    optional=("modes",),
)
_MODED: Final[Mapping[str, Any]] = {
    subtask.key: null_or({"type": "string", "enum": list(MODES[subtask])}) for subtask in Subtask if MODES[subtask]
}
_PARAMETERS: Final = closed(
    "Parameters of a contest of four subtasks.",
    {
        "minima": closed("Of each subtask.", dict.fromkeys(_KEYS, FRACTION)),
        "smin": AMOUNT,
        "modes": closed("Ways of counting; null: the usual one.", _MODED),
        "resources": closed("What a submission may use.", dict.fromkeys(RESOURCES, AMOUNT)),
        "languages": mapped(listed(_NAME), "subtasks by language"),
    },
)
_METRIC: Final = closed("A subtask.", {"name": _NAME, "metric": STRING, "most": WHOLE})
NAMED: Final[Mapping[str, Json]] = {
    "FusionFingerprint": fingerprint_form(),
    "FusionParameters": _PARAMETERS,
    "FusionPrediction": SCHEMA,
    "FusionQuestion": _QUESTION,
    "FusionResult": _RESULT,
    "FusionScore": _SCORE,
    "FusionSubtask": _SUBTASK,
    "FusionTest": closed(
        "The requests of a subtask.",
        {"id": {**STRING, "description": "the file's name"}, "subtask": _NAME, "requests": _REQUESTS},
    ),
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("FusionTest"),
    answer=ref("FusionPrediction"),
    canonical=ref("FusionPrediction"),
    reference=_TRUTH,
    score=ref("FusionScore"),
    aggregate=ref("FusionResult"),
    parameters=ref("FusionParameters"),
    classifier=closed("The four subtasks.", {"subtasks": listed(_METRIC)}),
    comparison=NOTHING,
    response=NOTHING,
)


_RUN_S: Final = 30 * 60
_BUFFER: Final = 1 << 20
_MODES: Final = (ModeRules("submission", submitted="program"),)
# Clause: F test private
_ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The results of the private test: every run with its scores, what its team declared of the "
        "model, the SHA-256 of its archive and of every prediction, the places on all boards and the "
        "prizes."
    ),
    left_out=(
        tr("The private test and its true answers: they are hidden (F, Test private of every subtask)."),
        tr("The predictions: their keys are the test's own, for zsOD the hidden classes."),
        tr("The programs, their images' names and their logs: nothing in the rules gives them over."),
    ),
)
"""F hides the private test and gives nothing of the solutions over. **Decision** 0034."""


class FusionTrack(OneStepTrack):
    """Four subtasks, one model. Stateless."""

    name = "fusion"
    items_called = Called(tr("subtask"), tr("subtasks"))
    whole_texts = False  # tests are made of requests, which may recur
    open_tests = False
    step = Step("test", {"prediction": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    archive_rules = _ARCHIVE
    largest_file = 64 * 1024 * 1024
    read_parameters = staticmethod(complete)
    folders = staticmethod(folders)
    inputs = staticmethod(inputs)
    counted = staticmethod(counted)
    awards = staticmethod(awards)
    score = staticmethod(record)
    value = staticmethod(value)
    overcame = staticmethod(overcame)

    def policies(self, mode: str) -> Policies:
        """Return F, "Ограничения", as policies: three scored submissions a day, half an hour each; missing is wrong."""
        return Policies(
            missed=Missed.WRONG,
            sessions_per_day=3,
            quota=Quota.SCORED,
            answer_limit_s=(_RUN_S, _RUN_S, _RUN_S),
            max_voided_share=1.0,
            readiness=False,
            further=frozenset({Need.SUBMISSIONS}),
        )

    def classifier(self, parameters: Json) -> Json:
        """Return the four subtasks with their metrics."""
        return {
            "subtasks": [{"name": subtask.value, "metric": subtask.metric, "most": subtask.most} for subtask in Subtask]
        }

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check a hidden test; its group is its subtask, which a language of the cycle must list."""
        return read_item(raw, use(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check true answers: well formed, for exactly what is handed out."""
        return read_reference(item, raw)

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the SHA-256 of every picture of the test; of a test without any, its requests in one canonical form.

        Names of pictures are no text: every set has its 0.png.
        """
        if pictures := item.get("images"):
            return tuple(sorted({sized_digest.rpartition("-")[2] for sized_digest in pictures.values()}))
        return () if Subtask(item["subtask"]) is Subtask.HTR else (canonical_json(item["requests"]),)

    # Clause: F test private
    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the subtask's requests and nothing else of the item."""
        return {"id": file_id, "subtask": item["subtask"], "requests": item["requests"]}

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge a prediction file; ids that were not requested are remarked on and left out."""
        return validate(item, body, parameters)

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Convert a set in the contest's own files: an item for each subtask, images beside it."""
        return unpack(files)

    # Clause: TS F-1
    def read_program(self, source: BinaryIO, parameters: Json) -> ProgramRead:
        """Judge an archive while it streams by (F, "Общий формат решения")."""
        buffered = io.BufferedReader(source, _BUFFER)  # type: ignore[type-var]
        try:
            checked = check(cast(BinaryIO, buffered), use(parameters).archive)
        finally:
            buffered.detach()  # the stream is the caller's to close
        if checked.reasons or checked.metadata is None:
            return ProgramRead(checked.reasons, checked.warnings)
        return ProgramRead((), checked.warnings, checked.metadata.image, checked.metadata.entry_point)

    # Clause: F limits container, TS F-2
    def run_limits(self, parameters: Json) -> Mapping[str, int]:
        """Return the limits of F, "Ограничения", with the cycle's resources."""
        resources = use(parameters).resources
        gigabytes = {"memory": "memory_gb", "packed": "packed_gb", "unpacked": "unpacked_gb", "image": "image_gb"}
        return {
            **{name: int(resources[resource] * GIGABYTE) for name, resource in gigabytes.items()},
            "wall_s": int(resources["minutes"] * 60),
            "cpus": int(resources["vcpus"]),
            "gpus": int(resources["gpus"]),
            "members": int(resources["members"]),
            "file": int(resources["answer_mb"] * 1024**2),
        }

    def attachments(self, item: Json) -> Mapping[str, str]:
        """Return the images of an item, by their paths in a program's folder of inputs."""
        images: Mapping[str, str] = item.get(IMAGES) or {}
        return {f"{item['subtask']}/{IMAGES}/{name}": sized_digest for name, sized_digest in images.items()}

    # Clause: F output
    def outputs_of(self, item: Json) -> tuple[str, ...]:
        """Return names of the file with which a program answers an item, in Latin letters and in F's other spelling."""
        name = f"prediction_{item['subtask']}.json"
        return (name, "prediction_С2С.json") if Subtask(item["subtask"]) is Subtask.C2C else (name,)

    def without_breakdowns(self, totals: Json) -> Json:
        """Return all of them: subtasks are compared one by one."""
        return totals

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Compute S and its four scores (F, "Интегральная метрика")."""
        return aggregate(outcomes, use(parameters))

    def details(self, set_kind: str) -> Details:
        """Scores of subtasks (tracks-sessions T10)."""
        return Details.TOTALS

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build tables of the sum with its minima, and of each score's parts."""
        parts = [parts_section([(outcome.item.item_id, outcome.score) for outcome in outcomes])] if outcomes else []
        modes = [modes_section(aggregate["modes"])] if aggregate.get("modes") else []
        return (sum_section(aggregate), *modes, *parts)
