"""The exam track: a task is handed out with its prompt, a string comes back and brings points (tracks.md §2).

An item is a task in the published JSON form. Its right answer is ``outputs``, of the item or of its reference
``{"outputs": "…"}``: a set read from published files has it in the reference alone. An answer is a JSON string.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    IN_TWO_LANGUAGES,
    NOTHING,
    STRING,
    WHOLE,
    OneStepTrack,
    closed,
    either,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.capabilities import ArchiveRules, Counted, SubmissionRead, Unpacked
from tracks.exam.aggregate import BOARDS, aggregate, sections, totals, value
from tracks.exam.items import (
    SCHEMA,
    as_reason,
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
from tracks.fields import reason
from tracks.protocol import ItemFacts, Json, Missed, Outcome, Policies, Reason, Schemas, Section, Step, Verdict
from tracks.rules import Called, ModeRules, RunTimes
from tracks.texts import tr

_TASK: Final = {"type": "string", "enum": list(TASKS)}
_TYPE: Final = {"type": "string", "enum": list(TYPES)}
_SECTION: Final = {"type": "string", "enum": list(SECTION_NAMES)}
_POINTS: Final = {"type": "integer", "minimum": 0, "maximum": maximum(FOUR_POINTS)}
_CONTENT: Final = closed(
    "A task as a program is to be asked it: the whole prompt, and the parts that it is made of.",
    {
        "id": {**STRING, "description": "the file's name in this session"},
        "prompt": STRING,
        "instruction": STRING,
        "inputs": closed("The task's parts; empty where it has none.", dict.fromkeys(PLACES, STRING)),
        "meta": closed("Which task it is, and what it can bring.", {"id_task": _TASK, "score": _POINTS, "type": _TYPE}),
    },
)
_SCORE: Final = closed(
    "Score record of a task; a missed one has 0 points.",
    {
        "answered": FLAG,
        "score": _POINTS,
        "max": _POINTS,
        "variant": STRING,
        "task": _TASK,
        "section": _SECTION,
        "type": _TYPE,
        "fingerprint": ref("ExamFingerprint"),
    },
)
_GROUP: Final = closed("Tasks of one kind.", {"items": WHOLE, "points": WHOLE, "max": WHOLE, "share": FRACTION})
_HUMAN: Final = closed("People's level (U).", {"grade_norm": FRACTION, "points": AMOUNT, "of": WHOLE})
_WHOLE_GRADE: Final[Mapping[str, Any]] = {
    "grade_norm": {**null_or(FRACTION), "description": "mean over complete variants of points / 34; null without one"}
}
_BY: Final[Mapping[str, Any]] = {
    **{name: mapped(ref("ExamGroup")) for name in ("by_task", "by_section", "by_type")},
    "items": WHOLE,
    "answered": WHOLE,
    "human": ref("ExamHuman"),
}
_RESULT: Final = closed(
    "Result of a session with its breakdowns.",
    {
        **_WHOLE_GRADE,
        "variants": mapped(WHOLE, "points by variant"),
        "complete": listed(STRING, description="variants that grade_norm is made of"),
        **_BY,
    },
)
_TOTALS: Final = closed(
    "Of a closed test: no variant by itself, no group of fewer than ten tasks (TS T10).",
    {**_WHOLE_GRADE, "complete": {**WHOLE, "description": "how many variants grade_norm is made of"}, **_BY},
)
_PARAMETERS: Final = closed(
    "Parameters of an exam; without a seed there are none, and a task keeps the prompt it was published with (TS U-2).",
    {"prompt_seed": WHOLE, "prompts": mapped(listed(STRING), "by type")},
    optional=("prompt_seed", "prompts"),
)
_CLASSIFIER: Final = closed(
    "The exam's tasks, sections and types.",
    {
        "tasks": listed(closed("A task.", {"task": _TASK, "section": _SECTION, "points": _POINTS})),
        "sections": mapped(IN_TWO_LANGUAGES),
        "types": listed(_TYPE),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "ExamAnswer": SCHEMA,
    "ExamClassifier": _CLASSIFIER,
    "ExamFingerprint": fingerprint_form(),
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
    content=ref("ExamTask"),
    answer=ref("ExamAnswer"),
    canonical=ref("ExamAnswer"),
    reference=closed("The right answer.", {"outputs": STRING}),
    score=ref("ExamScore"),
    aggregate=either("ExamResult", "ExamTotals"),
    parameters=ref("ExamParameters"),
    classifier=ref("ExamClassifier"),
    comparison=NOTHING,
    response=NOTHING,
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


class ExamTrack(OneStepTrack):
    """Tasks of the school exam. Stateless."""

    name = "exam"
    items_called = Called(tr("task"), tr("tasks"))
    whole_texts = False  # two tasks may be worded the same without being the same
    open_tests = True
    step = Step("task", {"answer": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    largest_file = 64 * 1024 * 1024

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

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Reduce to grade_norm, total points and answers, and breakdowns of ten items and more; no single variant."""
        return totals(aggregate)

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
        """Return grade_norm, from 0 to 1."""
        return value(aggregate)

    # Clause: TS U-5
    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether grade_norm is above people's; equal to theirs is not above (tracks-sessions U-5)."""
        grade_norm = value(aggregate)
        return None if grade_norm is None else grade_norm > HUMAN_GRADE_NORM

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete ``prompt_seed`` and ``prompts``, by which sets get their prompts; the points are the exam's own."""
        return complete(raw)

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
            return tuple(as_reason(problem, "invalid_reference") for problem in problems)
        if isinstance(raw, dict) and raw.get("outputs") == item.get("outputs"):
            return ()
        message = tr("outputs must be the item's own right answer")
        return (reason("invalid_reference", "outputs", message),)

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the task's whole text, its parts in their order."""
        return ("\n".join(str(item["inputs"][place]) for place in PLACES),)

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Convert a set in the published files, with its prompts chosen under these parameters."""
        return unpack(files, parameters)

    def read_submission(self, body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
        """Read ``{id: string}``, or a file in a published form."""
        return read_submission(body, items)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return a task's prompt, its parts and its kind, with nothing of the answer."""
        return hand_out(item, file_id)

    @property
    def archive_rules(self) -> ArchiveRules:
        """Publish answers and results; neither tasks nor right answers (U)."""
        return _ARCHIVE

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
        """Aggregate to grade_norm with its breakdowns, missed items as 0 points, and the human level for the board."""
        return aggregate(outcomes)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build tables of the result beside the human level, the breakdowns and every item."""
        return sections(aggregate, outcomes)
