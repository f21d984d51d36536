"""Items of the exam in their published JSON form, and their hand-out (tracks.md §2; U, fields of the data set).

An item is ``{"instruction", "inputs": {"task", "text", "choices", "additional_text"}, "outputs", "meta": {"id",
"id_task", "variant", "score", "type"}}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from markup_core.command.complaints import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, MalformedInput, decode, short
from tracks.exam.score import UnusableGoldError, check, score, usual
from tracks.exam.tasks import (
    DEFAULT,
    PLACES,
    TASKS,
    TYPES,
    Prompts,
    choose,
    maximum,
    prompts_of_json,
    render,
    unknown_places,
)
from tracks.fields import GIVEN, Fields, of_json, of_parameters, reason, refuse
from tracks.protocol import ItemFacts, Json, Reason, Verdict
from tracks.texts import tr

LANGUAGE: Final = "rus"
_SHOWN_META: Final = ("id_task", "score", "type")


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an item in the published form. Its group is its variant; its reference alone may have its right answer."""
    apart = isinstance(raw, dict) and "outputs" not in raw
    problems = faults({**raw, "outputs": ""}, hidden=True) if apart else faults(raw)
    if problems:
        return None, tuple(map(as_reason, problems))
    return ItemFacts(str(raw["meta"]["id"]), LANGUAGE, str(raw["meta"]["variant"])), ()


def gold_of(item: Json, references: Sequence[Json]) -> str:
    """Return an item's right answer: its own, or if it has none, its reference's."""
    return str((item if "outputs" in item else references[0])["outputs"])


# Clause: U closed test
def hand_out(item: Json, file_id: str) -> Json:
    """Return a task's prompt, its parts and its kind, with nothing of the answer."""
    inputs = {place: item["inputs"][place] for place in PLACES}
    return {
        "id": file_id,
        "prompt": render(item["instruction"], inputs),
        "instruction": item["instruction"],
        "inputs": inputs,
        "meta": {name: item["meta"][name] for name in _SHOWN_META},
    }


@dataclass(frozen=True, slots=True)
class Key:
    """Key of an item: everything its scoring needs; ``gold`` is its right answer."""

    item_id: str
    task: str
    variant: int
    kind: str
    gold: str

    def score(self, prediction: str | None) -> int:
        """Compute the points of an answer; None is no answer."""
        return score(self.gold, prediction, self.task, self.kind)


def read_key(item: Fields) -> Key:
    """Read the right answer and the meta data of an item; the rest of it is ignored. Raises RefusedError."""
    meta = item.part("meta")
    task, kind, gold = meta.choice("id_task", TASKS), meta.choice("type", TYPES), item.text("outputs")
    check_gold(gold, task, kind, item.path("outputs"))
    return Key(str(meta.whole("id")), task, meta.whole("variant"), kind, gold)


def read_keys(items: Iterator[Fields]) -> tuple[Key, ...]:
    """Read the keys of a whole submission's items; two items must not have one id. Raises RefusedError."""
    keys: dict[str, Key] = {}
    for item in items:
        key = read_key(item)
        if key.item_id in keys:
            refuse(item.path("meta.id"), tr("is {item_id} a second time", item_id=key.item_id))
        keys[key.item_id] = key
    return tuple(keys.values())


def check_gold(gold: str, task: str, kind: str, path: str) -> None:
    """Check a right answer by :func:`tracks.exam.score.check`; a refusal becomes a RefusedError with the field."""
    try:
        check(gold, task, kind)
    except UnusableGoldError as error:
        refuse(path, tr("{problem}, not {gold}", problem=error.args[0], gold=short(gold)))


def faults(raw: Json, *, hidden: bool = False) -> tuple[RefusedError, ...]:
    """Return all faults of an item in the published form; ``hidden``: its outputs may be empty."""
    if not isinstance(raw, dict):
        message = tr("an item is an object, not {raw}", raw=short(raw))
        return (RefusedError("invalid_request", message, {"field": None}),)
    problems: list[RefusedError] = []
    for run_check in _checks(Fields(raw), hidden=hidden):
        try:
            run_check()
        except RefusedError as refused:
            if refused.message not in {earlier.message for earlier in problems}:
                problems.append(refused)
    return tuple(problems)


# Clause: U fields, U fields empty
def _checks(item: Fields, *, hidden: bool) -> Iterator[Callable[[], object]]:
    yield lambda: _check_instruction(item)
    for place in PLACES:
        yield lambda place=place: item.part("inputs").text(place)  # type: ignore[misc]  # a lambda with a default
    yield lambda: item.part("meta").whole("id")
    yield lambda: item.part("meta").choice("id_task", TASKS)
    yield lambda: item.part("meta").whole("variant")
    yield lambda: _check_type(item.part("meta"))
    yield lambda: _check_points(item.part("meta"))
    yield lambda: item.text("outputs")
    if not (hidden and item.values.get("outputs") == ""):
        yield lambda: read_key(item)


def _check_instruction(item: Fields) -> None:
    unknown = unknown_places(item.text("instruction"))
    if unknown:
        places = ", ".join(PLACES)
        refuse(
            item.path("instruction"),
            tr("has the place {{{unknown}}}; the places are {places}", unknown=unknown[0], places=places),
        )


def _check_type(meta: Fields) -> None:
    kind, task = meta.choice("type", TYPES), meta.choice("id_task", TASKS)
    if not usual(task, kind):
        refuse(
            meta.path("type"),
            tr("cannot be {kind} for task {task}: 16 is multiple choice, 26 alone is matching", kind=kind, task=task),
        )


# Clause: U tasks
def _check_points(meta: Fields) -> None:
    points, task = meta.whole("score"), meta.choice("id_task", TASKS)
    if points != maximum(task):
        refuse(
            meta.path("score"),
            tr("must be {maximum} for task {task}, not {points}", maximum=maximum(task), task=task, points=points),
        )


def as_reason(refused: RefusedError, code: str = "invalid_item") -> Reason:
    """Return a fault as a reason in both languages."""
    return reason(code, refused.details["field"] or "", refused.message)


MOST_LETTERS: Final = 1000
"""Code points of an answer; the longest right ones have some dozens."""
_LIMITS: Final = Limits(max_bytes=16 * 1024)
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "string",
    "title": "Answer",
    "description": "Numbers with commas and without blanks, or a word or words written together.",
    "maxLength": MOST_LETTERS,
}


def validate(body: bytes) -> Verdict:
    """Judge an answer as received: a JSON string, whatever it says."""
    try:
        raw = decode(body, _LIMITS)
    except MalformedInput as error:
        return Verdict((of_json(error),))
    refusal = fault(raw)
    return Verdict((refusal,)) if refusal else Verdict((), canonical=raw, kind="answer")


def fault(raw: Json) -> Reason | None:
    """Return the reason why a JSON value is no answer; None if it is one."""
    if not isinstance(raw, str):
        return reason("wrong_type", "", tr("an answer is a JSON string, not {value}", value=short(raw)))
    if len(raw) > MOST_LETTERS:
        message = tr(
            "the answer has {raw} characters, at most {most_letters} are taken", raw=len(raw), most_letters=MOST_LETTERS
        )
        return reason("text_too_long", "", message)
    if SURROGATE.search(raw):
        message = tr("the answer has half a surrogate pair; whole characters are needed")
        return reason("lone_surrogate", "", message)
    return None


SEED, PROMPTS = "prompt_seed", "prompts"
_KNOWN: Final = GIVEN | {SEED, PROMPTS}
_MOST: Final = 2**53 - 1
"""The largest whole number that every reader of JSON keeps."""


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete ``prompt_seed``, a whole number from 0, and the ``prompts`` by type: by default three of each type.

    **Decision**: without a seed nothing is chosen, and there are no parameters: an item keeps the instruction with
    which it was published. A type without prompts keeps it, too.
    """
    reasons = list(of_parameters(raw, _KNOWN))
    parameters = raw if isinstance(raw, Mapping) else {}
    try:
        Fields(parameters).whole(SEED, None, low=0, high=_MOST)
    except RefusedError as error:
        reasons.append(reason("invalid_params", SEED, error.message))
    prompts: Prompts = DEFAULT
    if parameters.get(PROMPTS) is not None:
        prompts, problems = prompts_of_json(parameters[PROMPTS])
        reasons += [Reason("invalid_params", problem, {"field": PROMPTS}) for problem in problems]
        if parameters.get(SEED) is None:
            message = tr("prompts are chosen by prompt_seed, which is missing")
            reasons.append(reason("invalid_params", SEED, message))
    if reasons or parameters.get(SEED) is None:
        return {}, tuple(reasons)
    return {SEED: parameters[SEED], PROMPTS: {kind: list(texts) for kind, texts in prompts.items()}}, ()


# Clause: TS U-2
def instruction(item: Json, parameters: Mapping[str, Json]) -> str:
    """Return an item's instruction under these completed parameters: the chosen prompt, or the item's own."""
    own, meta = str(item["instruction"]), item["meta"]
    if SEED not in parameters:
        return own
    chosen = choose(parameters[PROMPTS], meta["type"], str(meta["id"]), parameters[SEED])
    return own if chosen is None else chosen
