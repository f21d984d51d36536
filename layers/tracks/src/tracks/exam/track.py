"""The exam track: a task is handed out with its prompt, a string comes back and brings points (tracks.md §2).

An item is a task in the published JSON form. Its right answer is ``outputs``, of the item or of its reference
``{"outputs": "…"}``: a set read from published files has it in the reference alone. An answer is a JSON string. Points
are aggregated to a submission's result, its tables and its place (U, metrics, human level).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from markup_core.lazy import dataclass
from tracks import base
from tracks.capabilities import ArchiveRules, Counted
from tracks.exam import tasks
from tracks.exam.items import (
    SCHEMA,
    Key,
    complete,
    faults,
    gold_of,
    hand_out,
    read_item,
    read_submission,
    unpack,
    validate,
)
from tracks.exam.tasks import (
    FOUR_POINTS,
    HUMAN_GRADE_NORM,
    PLACES,
    SECTION_NAMES,
    SECTION_OF,
    TASKS,
    TYPES,
    counted,
    maximum,
    record,
)
from tracks.protocol import ItemFacts, Json, Missed, Outcome, Policies, Reason, Schemas, Section, Step, Text, Verdict
from tracks.rules import BoardRules, Called, ModeRules, RunTimes, Unit, told_groups
from tracks.texts import tr, tr_in

_TASKS: Final = sorted(tasks.TASKS)
# Clause: U human
HUMAN: Final = {"grade_norm": tasks.HUMAN_GRADE_NORM, "points": tasks.HUMAN_POINTS, "of": tasks.VARIANT_POINTS}
"""The level that boards show beside the programs' (tracks.md §2)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Points of one item, and where they count."""

    variant: str
    task: str
    kind: str
    points: int


def mark(key: Key, prediction: str | None) -> Mark:
    """Return an item's mark; None is no answer: 0 points."""
    return Mark(str(key.variant), key.task, key.kind, key.score(prediction))


@dataclass(frozen=True, slots=True)
class Summary:
    """A submission's result; ``complete`` lists the variants that grade_norm is made of."""

    grade_norm: float | None
    variants: Mapping[str, int]
    complete: tuple[str, ...]
    by_task: Mapping[str, Json]
    by_section: Mapping[str, Json]
    by_type: Mapping[str, Json]


# Clause: U primary, U grade_norm, tracks §2 breakdown
def summarise(marks: Sequence[Mark]) -> Summary:
    """Compute points by variant, and grade_norm: the mean over the complete variants of points / 34 (tracks.md §2).

    A variant is complete if each of the exam's 30 tasks is in it once; without one grade_norm is undefined. Breakdowns
    are over all items, each group with its ``items``, ``points``, ``max`` and ``share`` = points / max. Independent of
    the order of the marks.
    """
    variants: dict[str, list[Mark]] = {}
    for item_mark in marks:
        variants.setdefault(item_mark.variant, []).append(item_mark)
    points = {name: sum(item_mark.points for item_mark in variants[name]) for name in sorted(variants, key=_by_number)}
    complete = tuple(name for name in points if sorted(item_mark.task for item_mark in variants[name]) == _TASKS)
    whole = sum(points[name] for name in complete)
    return Summary(
        grade_norm=whole / (tasks.VARIANT_POINTS * len(complete)) if complete else None,
        variants=points,
        complete=complete,
        by_task=_grouped(marks, lambda item_mark: item_mark.task, tasks.TASKS.index),
        by_section=_grouped(marks, lambda item_mark: tasks.SECTION_OF[item_mark.task], str),
        by_type=_grouped(marks, lambda item_mark: item_mark.kind, str),
    )


def _grouped(marks: Iterable[Mark], group_of: Callable[[Mark], str], order: Callable[[str], Any]) -> dict[str, Json]:
    groups: dict[str, list[Mark]] = {}
    for item_mark in marks:
        groups.setdefault(group_of(item_mark), []).append(item_mark)
    tallies = {}
    for name in sorted(groups, key=order):
        points = sum(item_mark.points for item_mark in groups[name])
        most = sum(tasks.maximum(item_mark.task) for item_mark in groups[name])
        tallies[name] = {"items": len(groups[name]), "points": points, "max": most, "share": points / most}
    return tallies


def _by_number(name: str) -> tuple[int, int, str]:
    """Sort key: numbers as numbers, before any other name."""
    plain = name.removeprefix("-")
    return (0, int(name), "") if plain.isascii() and plain.isdigit() else (1, 0, name)


_POINTS: Final = tr("Points")
_OF: Final = tr("of")
_SHARE: Final = tr("Share")
_ITEMS: Final = tr("Items")
_PEOPLE: Final = tr("People, the whole exam")
_GROUPS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_section": (tr("By section"), tr("Section")),
    "by_task": (tr("By task"), tr("Task")),
    "by_type": (tr("By type"), tr_in("aggregate", "Type")),
}
_NAMES: Final[Mapping[str, Mapping[str, Text]]] = {"by_section": tasks.SECTION_NAMES, "by_type": tasks.TYPE_NAMES}


def summary(aggregate: Json) -> tuple[Section, ...]:
    """Build the table of the result beside the human level, and the breakdowns; of totals those that they have."""
    sections = [_overall(aggregate)]
    if "variants" in aggregate:
        complete, points = frozenset(aggregate["complete"]), aggregate["variants"].items()
        rows = tuple((name, value, "✓" if name in complete else None) for name, value in points)
        sections.append(Section("variants", tr("By variant"), (tr("Variant"), _POINTS, tr("Complete")), rows))
    return (*sections, *(_group(aggregate, key) for key in _GROUPS if aggregate[key]))


def _overall(aggregate: Json) -> Section:
    human = aggregate["human"]
    mean, complete = aggregate["grade_norm"], aggregate["complete"]
    whole = complete if isinstance(complete, int) else len(complete)
    columns = (tr("Result"), tr("grade_norm"), tr("Mean points of 34"), tr("Complete variants"))
    rows = (
        ("program · программа", mean, None if mean is None else mean * human["of"], whole),
        ("people · люди", human["grade_norm"], human["points"], None),
    )
    return Section("overall", tr_in("aggregate", "Result"), columns, rows, shares=(1,))


def _group(aggregate: Json, key: str) -> Section:
    """Build one breakdown; beside each share stands people's level of the whole exam, for none is known of a part."""
    title, name = _GROUPS[key]
    people = aggregate["human"]["grade_norm"]
    names = {group: f"{both.en} · {both.ru}" for group, both in _NAMES.get(key, {}).items()}  # one set of rows for both
    rows = tuple(
        (names.get(group, group), tally["items"], tally["points"], tally["max"], tally["share"], people)
        for group, tally in aggregate[key].items()
    )
    return Section(key, title, (name, _ITEMS, _POINTS, _OF, _SHARE, _PEOPLE), rows, shares=(5, 4))


def _files(outcomes: Sequence[Outcome]) -> Section:
    columns = (tr("File"), tr("Variant"), tr("Task"), tr_in("aggregate", "Type"), _POINTS, _OF)
    rows = (
        (
            outcome.item.item_id,
            outcome.item.group,
            *((outcome.score or {}).get(name) for name in ("task", "type", "score", "max")),
        )
        for outcome in outcomes
    )
    return Section("files", tr("Files"), columns, tuple(rows))


BOARDS: Final = (
    BoardRules(
        key="grade_norm",
        title=tr("Whole variants"),
        measure=tr("grade_norm"),
        unit=Unit.SHARE,
        whole_set=True,
        barrier=tasks.HUMAN_GRADE_NORM,
        levels=((tr("people (2019), 23.835 of 34"), tasks.HUMAN_GRADE_NORM),),
    ),
)


_TASK: Final = {"type": "string", "enum": list(TASKS)}
_TYPE: Final = {"type": "string", "enum": list(TYPES)}
_SECTION: Final = {"type": "string", "enum": list(SECTION_NAMES)}
_POINTS_FORM: Final = {"type": "integer", "minimum": 0, "maximum": maximum(FOUR_POINTS)}
_CONTENT: Final = base.closed(
    "A task as a program is to be asked it: the whole prompt, and the parts that it is made of.",
    {
        "id": {**base.STRING, "description": "the file's name in this session"},
        "prompt": base.STRING,
        "instruction": base.STRING,
        "inputs": base.closed("The task's parts; empty where it has none.", dict.fromkeys(PLACES, base.STRING)),
        "meta": base.closed(
            "Which task it is, and what it can bring.", {"id_task": _TASK, "score": _POINTS_FORM, "type": _TYPE}
        ),
    },
)
_SCORE: Final = base.closed(
    "Score record of a task; a missed one has 0 points.",
    {
        "answered": base.FLAG,
        "score": _POINTS_FORM,
        "max": _POINTS_FORM,
        "variant": base.STRING,
        "task": _TASK,
        "section": _SECTION,
        "type": _TYPE,
        "fingerprint": base.ref("ExamFingerprint"),
    },
)
_GROUP: Final = base.closed(
    "Tasks of one kind.", {"items": base.WHOLE, "points": base.WHOLE, "max": base.WHOLE, "share": base.FRACTION}
)
_HUMAN: Final = base.closed(
    "People's level (U).", {"grade_norm": base.FRACTION, "points": base.AMOUNT, "of": base.WHOLE}
)
_WHOLE_GRADE: Final[Mapping[str, Any]] = {
    "grade_norm": {
        **base.null_or(base.FRACTION),
        "description": "mean over complete variants of points / 34; null without one",
    }
}
_BY: Final[Mapping[str, Any]] = {
    **{name: base.mapped(base.ref("ExamGroup")) for name in ("by_task", "by_section", "by_type")},
    "items": base.WHOLE,
    "answered": base.WHOLE,
    "human": base.ref("ExamHuman"),
}
_RESULT: Final = base.closed(
    "Result of a session with its breakdowns.",
    {
        **_WHOLE_GRADE,
        "variants": base.mapped(base.WHOLE, "points by variant"),
        "complete": base.listed(base.STRING, description="variants that grade_norm is made of"),
        **_BY,
    },
)
_TOTALS: Final = base.closed(
    "Of a closed test: no variant by itself, no group of fewer than ten tasks (TS T10).",
    {**_WHOLE_GRADE, "complete": {**base.WHOLE, "description": "how many variants grade_norm is made of"}, **_BY},
)
_PARAMETERS: Final = base.closed(
    "Parameters of an exam; without a seed there are none, and a task keeps the prompt it was published with (TS U-2).",
    {"prompt_seed": base.WHOLE, "prompts": base.mapped(base.listed(base.STRING), "by type")},
    optional=("prompt_seed", "prompts"),
)
_CLASSIFIER: Final = base.closed(
    "The exam's tasks, sections and types.",
    {
        "tasks": base.listed(base.closed("A task.", {"task": _TASK, "section": _SECTION, "points": _POINTS_FORM})),
        "sections": base.mapped(base.IN_TWO_LANGUAGES),
        "types": base.listed(_TYPE),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "ExamAnswer": SCHEMA,
    "ExamClassifier": _CLASSIFIER,
    "ExamFingerprint": base.fingerprint_form(),
    "ExamGroup": _GROUP,
    "ExamHuman": _HUMAN,
    "ExamParameters": _PARAMETERS,
    "ExamResult": _RESULT,
    "ExamScore": _SCORE,
    "ExamTask": _CONTENT,
    "ExamTotals": _TOTALS,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=base.ref("ExamTask"),
    answer=base.ref("ExamAnswer"),
    canonical=base.ref("ExamAnswer"),
    reference=base.closed("The right answer.", {"outputs": base.STRING}),
    score=base.ref("ExamScore"),
    aggregate=base.either("ExamResult", "ExamTotals"),
    parameters=base.ref("ExamParameters"),
    classifier=base.ref("ExamClassifier"),
    comparison=base.NOTHING,
    response=base.NOTHING,
)


_MODES: Final = (
    ModeRules("algorithmic", counts="variants", most=30),
    ModeRules("submission", submitted="answers"),
    ModeRules("final", in_run=True),
)
"""Points count in whole variants, three sessions a day over the test (U); a final is of all."""
# Clause: U closed test
_ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The results of this final of the exam and what they came from: every team's answers, what "
        "became of every task of every team, the record of the run and the board."
    ),
    left_out=(
        tr("The tasks and their right answers: the test is closed (USE, how the data set was made)."),
        tr("The points of single tasks, which would tell the right answers."),
    ),
)
"""U closes the test and says nothing of the answers to it. **Decision** 0034."""


class ExamTrack(base.OneStepTrack):
    """Tasks of the school exam. Stateless."""

    name = "exam"
    items_called = Called(tr("task"), tr("tasks"))
    whole_texts = False  # two tasks may be worded the same without being the same
    open_tests = True
    step = Step("task", {"answer": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    archive_rules = _ARCHIVE
    largest_file = 64 * 1024 * 1024
    read_parameters = staticmethod(complete)
    unpack = staticmethod(unpack)
    read_submission = staticmethod(read_submission)

    def policies(self, mode: str) -> Policies:
        """Return the policies: a missed item is 0 points, never a reason to refuse the rest (tracks.md §2)."""
        return Policies(
            missed=Missed.WRONG,
            sessions_per_day_on={"test": 3},
            answer_limit_s=(10, 600, 60),
            run=RunTimes(interval_s=30),
            max_voided_share=1.0,
            readiness=False,
        )

    # Clause: TS T10, TS U-6
    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Reduce the aggregate to totals of a closed test: no variant, no group of fewer than ten items.

        ``complete`` becomes the number of complete variants: a variant by itself is a question to the right answers.
        """
        groups = {}
        for key in ("by_task", "by_section", "by_type"):
            large = told_groups({name: group["items"] for name, group in aggregate[key].items()})
            groups[key] = {name: group for name, group in aggregate[key].items() if name in large}
        return {
            "grade_norm": aggregate["grade_norm"],
            "complete": len(aggregate["complete"]),
            **groups,
            "items": aggregate["items"],
            "answered": aggregate["answered"],
            "human": aggregate["human"],
        }

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return the form that decides points; without one the right answer does not matter."""
        meta = item["meta"]
        form = counted(answer, meta["id_task"], meta["type"])
        groups = (f"task {meta['id_task']}", f"section {SECTION_OF[meta['id_task']]}", f"type {meta['type']}")
        return {"": Counted((form,), None if form is None else list(references), groups)}

    def without_breakdowns(self, totals: Json) -> Json:
        """Return totals without tasks, sections and types."""
        return {**totals, "by_task": {}, "by_section": {}, "by_type": {}}

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return grade_norm of an aggregate or of its totals."""
        grade_norm: float | None = aggregate["grade_norm"]
        return grade_norm

    # Clause: TS U-5
    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether grade_norm is above people's; equal to theirs is not above (tracks-sessions U-5)."""
        grade_norm = self.value(aggregate)
        return None if grade_norm is None else grade_norm > HUMAN_GRADE_NORM

    def classifier(self, parameters: Json) -> Json:
        """Return the tasks with their points and sections, and the types of an answer."""
        tasks = [{"task": task, "section": SECTION_OF[task], "points": maximum(task)} for task in TASKS]
        sections = {name: {"en": title.en, "ru": title.ru} for name, title in SECTION_NAMES.items()}
        return {"tasks": tasks, "sections": sections, "types": list(TYPES)}

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an item in the published form. Its group is its variant."""
        return read_item(raw)

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check a right answer that stands apart from its item: it is the item's own, where the item has one."""
        if "outputs" not in item and isinstance(raw, dict):
            problems = faults({**item, "outputs": raw.get("outputs")})
            return tuple(base.of_refusal("invalid_reference", problem) for problem in problems)
        if isinstance(raw, dict) and raw.get("outputs") == item.get("outputs"):
            return ()
        return (base.reason("invalid_reference", "outputs", tr("outputs must be the item's own right answer")),)

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the task's whole text, its parts in their order."""
        return ("\n".join(str(item["inputs"][place]) for place in PLACES),)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return a task's prompt, its parts and its kind, with nothing of the answer."""
        return hand_out(item, file_id)

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return the string that was sent."""
        return answer

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer as received: a JSON string, whatever it says."""
        return validate(body)

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Score an answer; None is a missed item's, whose record has 0 points."""
        return record(item, gold_of(item, references), answer, parameters)

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Aggregate the items with a record, missed ones among them with their 0 points (tracks.md §2).

        An item without a record was voided and counts for nobody: **Decision**: its variant is not complete then.
        """
        records = [outcome.score for outcome in outcomes if outcome.score is not None]
        marks = [Mark(record["variant"], record["task"], record["type"], record["score"]) for record in records]
        result = asdict(summarise(marks))
        return {
            **result,
            "complete": list(result["complete"]),
            "items": len(outcomes),
            "answered": sum(outcome.answered for outcome in outcomes),
            "human": HUMAN,
        }

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build all tables; items in the given order, and no table of items without any."""
        return (*summary(aggregate), *([_files(outcomes)] if outcomes else []))
