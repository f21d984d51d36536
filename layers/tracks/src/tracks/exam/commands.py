"""``tracks exam`` for people, and the operations ``exam.*`` for programs (tracks.md §2, §5).

Operations refuse with the code ``invalid_request`` (details: field).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

from markup_core.command.inputs import RefusedError, UnreadableError, of_system
from markup_core.reading.wire import short
from markup_core.texts import in_language
from tracks.base import Fields, refuse
from tracks.command import printing, spoken
from tracks.command.printing import Reply
from tracks.command.spoken import FILE, FOUND
from tracks.exam import tasks, track
from tracks.exam.items import (
    JSON_LINES,
    Key,
    check_gold,
    encode_items,
    faults,
    read_items,
    read_keys,
    read_submission_file,
)
from tracks.exam.tasks import DEFAULT, TASKS, TYPES, choose, maximum, read
from tracks.exam.track import HUMAN, Summary, mark, summarise
from tracks.protocol import Json, Section
from tracks.texts import tr


def score_answer(fields: Fields) -> dict[str, int]:
    """Compute the points of one answer; ``prediction`` null is no answer."""
    gold, task, kind = fields.text("gold"), fields.choice("id_task", TASKS), fields.choice("type", TYPES)
    check_gold(gold, task, kind, fields.path("gold"))
    prediction = None if fields.raw("prediction") is None else fields.text("prediction")
    return {"score": tasks.score(gold, prediction, task, kind), "max": maximum(task)}


def score_submission(fields: Fields) -> dict[str, Any]:
    """Compute a submission's result; an item without an answer, or with null, brings 0 points."""
    summary = summarised(fields)
    return {
        "grade_norm": summary.grade_norm,
        "variants": dict(summary.variants),
        "by_type": dict(summary.by_type),
        "by_task": dict(summary.by_task),
    }


def summarised(fields: Fields) -> Summary:
    """Compute the whole result of a submission; of the items only ``outputs`` and ``meta`` are read."""
    keys = read_keys(fields.parts("items"))
    answers = read_answers(keys, Fields(fields.mapping("answers"), fields.path("answers")))
    return summarise([mark(key, answers[key.item_id]) for key in keys])


def read_answers(keys: tuple[Key, ...], answers: Fields) -> dict[str, str | None]:
    """Read every item's answer; None if there is none. An id that no item has is refused: it is a wrong file."""
    item_ids = {key.item_id for key in keys}
    strange = next((ident for ident in answers.values if ident not in item_ids), None)
    if strange is not None:
        refuse(answers.path(strange), tr("answers no item: there is no item {strange}", strange=short(strange)))
    return {ident: answers.text(ident, None) for ident in (key.item_id for key in keys)}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {"exam.item": score_answer, "exam.submission": score_submission}
)


@spoken.group()
def exam() -> None:
    """Check items of the school exam, choose their prompts, score a submission."""


def _split(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--split", help="Which split of a file that has several.")(function)


@exam.command()
@click.argument("items", type=FILE)
@click.argument("answers", type=FILE)
@_split
@printing.replies
def score(items: Path, answers: Path, split: str | None) -> Reply:
    """Score the submission ANSWERS against ITEMS with their right answers.

    Exit code 1: items have no answer; they are counted with 0 points.
    """
    tasks, submitted = read_items(items, split), read_submission_file(answers, split)
    fields = {"items": tasks, "answers": submitted}
    summary = summarised(Fields(fields))
    missed = [ident for ident in (str(task["meta"]["id"]) for task in tasks) if submitted.get(ident) is None]
    result = {**asdict(summary), "complete": list(summary.complete), "missed": missed, "human": HUMAN}
    first, rest = ", ".join(missed[:10]), len(missed) - 10
    names = tr("{names} and {rest} more", names=first, rest=rest) if rest > 0 else first
    remark = tr("\nno answer, 0 points: {names}", names=names)
    return Reply(
        printing.scored("exam.submission", {"items": str(items), "answers": str(answers)}, result, fields),
        lambda _: track.summary(result),
        remarks=[remark] if missed else [],
        code=FOUND if missed else 0,
    )


@exam.command()
@click.argument("items", type=FILE)
@_split
@printing.replies
def check(items: Path, split: str | None) -> Reply:
    """List everything that is wrong with ITEMS; exit code 1 if there is anything."""
    whole, first = read_items(items, split), dict[str, int]()
    problems = [
        {"item": number, "id": _id(item), "field": fault.details["field"], "message": fault.message}
        for number, item in enumerate(whole)
        for fault in (*faults(item), *_doubled(item, number, first))
    ]
    message = tr("{items}: {whole} items, nothing to object to", items=items, whole=len(whole))
    return Reply(
        {"items": len(whole), "faults": problems},
        lambda language: [_faults(problems, language)] if problems else [],
        lines=[] if problems else [message],
        code=FOUND if problems else 0,
    )


def _faults(problems: Sequence[Json], language: str) -> Section:
    columns = (tr("item"), tr("id"), tr("field"), tr("message"))
    rows = tuple(
        (problem["item"], problem["id"], problem["field"], in_language(problem["message"], language))
        for problem in problems
    )
    return Section("faults", tr("Faults"), columns, rows)


def _id(item: Json) -> str | None:
    meta = item.get("meta") if isinstance(item, dict) else None
    own = meta.get("id") if isinstance(meta, dict) else None
    return short(own) if isinstance(own, int | str) else None


def _doubled(item: Json, number: int, first: dict[str, int]) -> list[RefusedError]:
    """Return a fault if an item before this one has its id; ``first`` maps each id to its first item."""
    own = _id(item)
    if own is None or first.setdefault(own, number) == number:
        return []
    message = tr("meta.id is {own}, which is item {first}'s", own=own, first=first[own])
    return [RefusedError("invalid_request", message, {"field": "meta.id"})]


@exam.command()
@click.argument("items", type=FILE)
@click.option("--seed", type=int, required=True, help="Any whole number; the same seed chooses the same prompts.")
@click.option("--prompts", "source", type=FILE, help="A file of prompts; by default the ones that come with this.")
@click.option(
    "-o", "--output", type=FILE, required=True, help=f"Where to write; JSON Lines if it ends in {JSON_LINES}."
)
@_split
@spoken.speaks
def prompts(*, items: Path, seed: int, source: Path | None, output: Path, split: str | None, language: str) -> None:
    """Write ITEMS with the instruction of each chosen among the prompts of its type by the seed.

    Items of a type without prompts keep their own.
    """
    whole = read_items(items, split)
    wrong = next(
        ((number, item_faults[0]) for number, item in enumerate(whole) if (item_faults := faults(item, hidden=True))),
        None,
    )
    if wrong is not None:
        raise UnreadableError(
            tr("{items}: item {number}: {problem}", items=items, number=wrong[0], problem=wrong[1].message)
        )
    all_prompts = DEFAULT if source is None else read(source)
    prompted = []
    for item in whole:
        prompt = choose(all_prompts, item["meta"]["type"], str(item["meta"]["id"]), seed)
        prompted.append({**item, "instruction": str(item["instruction"]) if prompt is None else prompt})
    try:
        output.write_bytes(encode_items(prompted, lines=output.suffix.lower() == JSON_LINES))
    except OSError as error:
        raise UnreadableError.about(output, of_system(error)) from None
    message = tr("{prompted} items", prompted=len(prompted))
    click.echo(f"{output}: {getattr(message, language)}")
