"""The custom track: organizers declare the answers and the measure of their contest in the cycle's file (tracks.md).

The registry's track knows no measure; :meth:`CustomTrack.under` returns the one of a cycle, with its names, its
barrier, its direction and its program. Scoring is a pure function all the same: a program that returns two results for
one input fails by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from markup_core.receipt import canonical_json
from tracks import base
from tracks.capabilities import ArchiveRules, Counted
from tracks.custom import declaration, running
from tracks.custom.declaration import MEASURE, Declaration, complete, reaches, tried
from tracks.custom.running import NoPlaceError, is_image
from tracks.protocol import (
    ItemFacts,
    Json,
    Judged,
    Missed,
    Outcome,
    Place,
    Policies,
    Reason,
    Schemas,
    Section,
    Standing,
    Step,
    Text,
    Verdict,
    in_both,
)
from tracks.rules import BoardRules, Called, ModeRules, RunTimes, Unit
from tracks.texts import tr

VALUE: Final = "value"


def in_order(records: Sequence[Json], name: str) -> list[Json]:
    """Return all counts of records under a name, in an order that is nobody's: the program gets them so.

    Counts that are lists (people's) are joined.
    """
    parts = (record[name] for record in records if record is not None and record["failed"] is None)
    counts = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    return sorted(counts, key=canonical_json)


def failure_of(records: Sequence[Json]) -> dict[str, Json] | None:
    """Return the commonest failure of records with the number of items that failed; None if none did.

    Of equally common ones it is the first by its code.
    """
    failed = [(record["failed"]["code"], record["failed"]["said"]) for record in records if record["failed"]]
    if not failed:
        return None
    times = Counter(failed)
    code, account = min(times, key=lambda failure: (-times[failure], failure))
    return {"code": code, "said": account, "items": len(failed)}


def values_of(result: Json | running.Failure) -> dict[str, Json]:
    """Return an aggregate's values by name; ``value`` is the board's."""
    if isinstance(result, running.Failure) or result is None:
        return {VALUE: None}
    named = result if isinstance(result, dict) else {VALUE: result}
    return {name: None if value is None else float(value) for name, value in named.items()}


def sections(declared: Declaration, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build all tables; items in the given order, and no table of items without any."""
    tables = [_overall(declared, aggregate)]
    if aggregate["counts"]:
        counts = tuple((in_both(*_pair(declared.named(name))), total) for name, total in aggregate["counts"].items())
        tables.append(Section("counts", tr("Counts of all files"), (tr("Count"), tr("Sum")), counts))
    if failed := aggregate["failed"]:
        sentence = running.FAILURES[failed["code"]]
        row = (failed["code"], in_both(sentence.en, sentence.ru), failed["said"] or None, failed["items"])
        columns = (tr("Code"), tr("What is wrong"), tr("The program says"), tr("Files"))
        tables.append(Section("failed", tr("The measure could not be computed"), columns, (row,)))
    return (*tables, _files(declared, outcomes)) if outcomes else tuple(tables)


def _overall(declared: Declaration, aggregate: Json) -> Section:
    values, people, is_share = aggregate["values"], aggregate["people"] or {}, declared.raw["unit"] == Unit.SHARE.value
    barriers = people if declared.asks_people else {VALUE: aggregate["barrier"]}
    names: dict[str, Text] = {
        VALUE: declared.name_with_direction,
        **{name: declared.named(name) for name in values if name != VALUE},
    }
    rows = tuple((in_both(*_pair(text)), values[name], barriers.get(name)) for name, text in names.items())
    last = tr("People, measured in the same way") if declared.asks_people else tr("Barrier")
    is_judged = not declared.is_lower_better and barriers.get(VALUE) is not None
    return Section(
        "overall",
        tr("Result"),
        (tr("Measure"), tr("Value"), last),
        rows,
        shares=(1,) if is_share else (),
        judged=(Judged(1, 2),) if is_judged and all(row[2] is not None for row in rows) else (),
    )


def _pair(text: Text) -> tuple[str, str]:
    return text.en, text.ru


def _files(declared: Declaration, outcomes: Sequence[Outcome]) -> Section:
    records = [outcome.score or {} for outcome in outcomes]
    names = sorted({name for record in records for name in record.get("counts") or ()})
    columns = (tr("File"), tr("Group"), *(declared.named(name) for name in names), tr("Failure"))
    rows = tuple(
        (
            outcome.item.item_id,
            outcome.item.group,
            *((record.get("counts") or {}).get(name) for name in names),
            (record.get("failed") or {}).get("code"),
        )
        for outcome, record in zip(outcomes, records, strict=True)
    )
    return Section("files", tr("Files"), columns, rows)


_NUMBER: Final = {"type": "number"}
_ANSWER: Final = {
    "anyOf": [{"type": "object"}, {"type": "array", "items": {}}],
    "description": "Of the form that the cycle declares.",
}
_FAILED: Final = base.closed(
    "A failure of the program.", {"code": base.STRING, "said": base.STRING, "items": base.WHOLE}, optional=("items",)
)
_VALUES: Final = base.mapped(base.null_or(_NUMBER), "`value` is the board's")
_PROGRAM: Final = base.closed(
    "The measure's program.", {"file": base.STRING, "version": base.STRING, "sha256": base.SHA256}
)
_SCORE: Final = base.closed(
    "What the program counts of an answer; `people`: of each reference against the others.",
    {
        "answered": base.FLAG,
        "counts": base.null_or(base.mapped(_NUMBER)),
        "people": base.listed(base.mapped(_NUMBER)),
        "failed": base.null_or(base.ref("CustomFailure")),
        "fingerprint": base.ref("CustomFingerprint"),
    },
)
_RESULT: Final = base.closed(
    "A result by the declared measure.",
    {
        "values": base.ref("CustomValues"),
        "people": base.null_or(base.ref("CustomValues")),
        "barrier": base.null_or(_NUMBER),
        "better": {"enum": ["higher", "lower"]},
        "counts": base.mapped(_NUMBER),
        "items": base.WHOLE,
        "answered": base.WHOLE,
        "failed": base.null_or(base.ref("CustomFailure")),
        "program": base.ref("CustomProgram"),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "CustomAnswer": _ANSWER,
    "CustomFailure": _FAILED,
    "CustomFingerprint": base.fingerprint_form(),
    "CustomProgram": _PROGRAM,
    "CustomResult": _RESULT,
    "CustomScore": _SCORE,
    "CustomValues": _VALUES,
}
_OBJECT: Final[Mapping[str, Any]] = {"type": "object"}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=base.closed("A file under its name in this session.", {"id": base.STRING, "content": _OBJECT}),
    answer=base.ref("CustomAnswer"),
    canonical=base.ref("CustomAnswer"),
    reference=base.closed("A person's answer.", {"answer": base.ref("CustomAnswer")}),
    score=base.ref("CustomScore"),
    aggregate=base.ref("CustomResult"),
    parameters=base.closed("The declaration.", {"measure": _OBJECT}),
    classifier=_OBJECT,
    comparison=base.NOTHING,
    response=base.NOTHING,
)


_BOARD: Final = BoardRules(key="measure", title=tr("Result"), measure=tr("Value"), unit=Unit.SHARE)
_ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The results of this final and what they came from: every team's answers, what became of every file of every "
        "team, the record of the run, the declared measure and the board."
    ),
    left_out=(tr("The items and their references: the declaration does not say that they may be given over."),),
)


# Clause: tracks protocol
class CustomTrack(base.OneStepTrack):
    """A contest by its declaration; ``custom`` is None in the registry's own. Stateless but for remembered results."""

    name = "custom"
    items_called = Called(tr("file"), tr("files"))
    whole_texts = False  # whether anybody may write the same twice is not declared
    open_tests = False
    step = Step("item", {"answer": None})
    mode_rules = (ModeRules("algorithmic"), ModeRules("technical", in_run=True), ModeRules("final", in_run=True))
    forms = SCHEMAS
    archive_rules = _ARCHIVE
    declared: Declaration | None = None
    read_parameters = staticmethod(complete)

    def __init__(self, runner: running.Runner | None = None) -> None:
        self._place = running.ChildRunner() if runner is None else runner
        self._runner = running.Remembering(self._place)
        self._content_of: Callable[[str], bytes] | None = None

    def under(self, parameters: Json, content_of: Callable[[str], bytes], *, anew: bool = False) -> CustomTrack:
        """Return the contest under these parameters; ``content_of`` returns the content of a program by its SHA-256."""
        bound = CustomTrack(self._place)
        if not anew:
            bound._runner = self._runner
        bound._content_of = content_of
        bound.declared = Declaration(parameters[MEASURE])
        return bound

    def program_file(self, parameters: Json) -> str:
        """Return the name of the program's file where it is to be taken in yet; empty if it is, and for an image."""
        program = parameters[MEASURE]["program"]
        return "" if "sha256" in program or is_image(program["file"]) else str(program["file"])

    def program_content(self, parameters: Json, read_file: Callable[[str], bytes]) -> bytes:
        """Return the stored form of the program: its file as ``read_file`` returns it, or the name of its image."""
        file = parameters[MEASURE]["program"]["file"]
        return file.encode() if is_image(file) else read_file(file)

    def taken_in(self, parameters: Json, content: bytes) -> tuple[Json, tuple[Reason, ...]]:
        """Return parameters that name a program by its hash, or the reasons why it cannot be the measure."""
        declared = parameters[MEASURE]
        program, reasons = declaration.read_program(declared["program"]["file"], content)
        if program is None:
            return parameters, reasons
        named = {"file": program.file, "sha256": program.sha256, "bytes": len(content), "version": program.version}
        try:
            return {**parameters, MEASURE: {**declared, "program": named}}, tried(declared, program, self._runner)
        except NoPlaceError as missing:
            return parameters, (base.reason(missing.code, "measure.program", missing.remedy),)

    def program_sha256(self, parameters: Json) -> str:
        """Return the SHA-256 of the program; empty where it is not taken in."""
        return str(parameters[MEASURE]["program"].get("sha256", ""))

    def unmeasured(self, aggregate: Json) -> Reason | None:
        """Return the program's failure in the result."""
        failed = aggregate["failed"]
        if failed is None:
            return None
        return base.reason(failed["code"], "", running.Failure(failed["code"], failed["said"]).sentence)

    def policies(self, mode: str) -> Policies:
        """Return the policies: a missed file is asked of the program, which gets null for its answer."""
        return Policies(missed=Missed.WRONG, max_voided_share=1.0, run=RunTimes(interval_s=30), readiness=False)

    def boards(self) -> tuple[BoardRules, ...]:
        """Return the one board, under the declared name and unit."""
        if self.declared is None:
            return (_BOARD,)
        raw, name = self.declared.raw, self.declared.name_with_direction
        barrier = None if self.declared.asks_people else raw["barrier"]
        return (replace(_BOARD, title=self.declared.name, measure=name, unit=Unit(raw["unit"]), barrier=barrier),)

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Return the aggregate without the program's own account of a failure, which may quote a hidden item."""
        failed = aggregate["failed"]
        return aggregate if failed is None else {**aggregate, "failed": {**failed, "said": ""}}

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return the program's value."""
        value: float | None = aggregate["values"][VALUE]
        return value

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether the value reaches the declared number, or is better than people's."""
        people, is_lower = aggregate["people"], aggregate["better"] == "lower"
        value = self.value(aggregate)
        barrier = aggregate["barrier"] if people is None else people[VALUE]
        if value is None or barrier is None:
            return None
        return reaches(value, barrier, lower=is_lower, strictly=people is not None)

    def rank(self, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """Return the places by the value, the better first; undefined ones share the last."""

        def key(aggregate: Json) -> tuple[bool, float]:
            value = self.value(aggregate)
            if value is None:
                return True, 0.0
            return False, value if aggregate["better"] == "lower" else -value

        return base.by_key({standing.team: key(standing.aggregate) for standing in standings})

    def classifier(self, parameters: Json) -> Json:
        """Return the declaration: the names of values and counts, and the form of an answer."""
        declared = parameters[MEASURE]
        return {name: declared[name] for name in ("name", "unit", "better", "barrier", "names", "answer", "program")}

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an item."""
        return declaration.read_item(raw)

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check a reference."""
        return declaration.read_reference(raw, parameters[MEASURE]["answer"])

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the item's text."""
        return (declaration.text_of(item),)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the content under the opaque name."""
        return {"id": file_id, "content": item["content"]}

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer by the declared form."""
        return declaration.validate(body, parameters[MEASURE]["answer"])

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return the answer as it is: nobody but the program knows which answers count the same."""
        return {"": Counted((answer,), list(references))}

    def without_breakdowns(self, totals: Json) -> Json:
        """Return the totals: they have no breakdown by groups of items."""
        return totals

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return the answer as it was sent."""
        return answer

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Ask the program for an answer's counts; for people's barrier for those of every reference, too.

        A failure of the program is the record's: ``failed`` has its code, and there are no counts.
        """
        answers = [reference["answer"] for reference in references]
        pairs = [(answer, answers)]
        if parameters[MEASURE]["barrier"] == "people" and len(answers) > 1:
            pairs += [(own, answers[:place] + answers[place + 1 :]) for place, own in enumerate(answers)]
        calls = [{"op": "score", "answer": one, "references": others} for one, others in pairs]
        results = running.results_of(self._runner, self._request(parameters, calls), running.judged_counts)
        failed = next((result for result in results if isinstance(result, running.Failure)), None)
        program = self._named(parameters)
        library = f"{program['file']} {program['version']}".strip()
        return {
            "answered": answer is not None,
            "counts": None if failed else results[0],
            "people": [] if failed else results[1:],
            "failed": failed.to_dict() if failed else None,
            "fingerprint": {
                **base.fingerprint("custom.score", {"answer": answer, "references": answers}),
                "libraries": {library: program["sha256"]},
            },
        }

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Ask the program for the value of all counts; undefined where an item failed, and without any counts.

        **Decision**: one failed item leaves the value undefined: a measure over the other items would be another one.
        """
        declared = parameters[MEASURE]
        records = [outcome.score for outcome in outcomes if outcome.score is not None]
        failed, counts, people = failure_of(records), in_order(records, "counts"), list[Json]()
        if declared["barrier"] == "people":
            people = in_order(records, "people")
        results: list[Json] = []
        if counts and not failed:
            calls = [{"op": "aggregate", "counts": listed} for listed in (counts, people) if listed]
            results = running.results_of(self._runner, self._request(parameters, calls), running.judged_value)
            fault = next((result for result in results if isinstance(result, running.Failure)), None)
            failed = None if fault is None else {**fault.to_dict(), "items": 0}
        values = [values_of(None if failed else result) for result in results]
        return {
            "values": values[0] if values else {VALUE: None},
            "people": (values[1] if len(values) > 1 else {VALUE: None}) if declared["barrier"] == "people" else None,
            "barrier": None if declared["barrier"] == "people" else declared["barrier"],
            "better": declared["better"],
            "counts": {  # a name that a record lacks adds nothing
                name: sum(record.get(name, 0) for record in counts) for name in sorted(set[str]().union(*counts))
            },
            "items": len(outcomes),
            "answered": sum(outcome.answered for outcome in outcomes),
            "failed": failed,
            "program": self._named(parameters),
        }

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build tables of the values beside the barrier, the sums of counts, a failure, and every file."""
        return sections(self._declaration, aggregate, outcomes)

    @property
    def _declaration(self) -> Declaration:
        if self.declared is None:
            raise LookupError("this contest is known by its parameters alone")
        return self.declared

    @cached_property
    def _programs(self) -> dict[str, declaration.Program]:
        """Programs that were read, by their hashes."""
        return {}

    def _request(self, parameters: Json, calls: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        named = parameters[MEASURE]["program"]
        digest = named["sha256"]
        if digest not in self._programs:
            content = b"" if self._content_of is None else self._content_of(digest)
            program, _ = declaration.read_program(named["file"], content)
            if program is None or program.sha256 != digest:
                raise LookupError(f"the measure's program {named['file']} {digest} is not stored")
            self._programs[digest] = program
        return running.request_of(self._programs[digest], Declaration(parameters[MEASURE]).limits, calls)

    def _named(self, parameters: Json) -> dict[str, str]:
        program = parameters[MEASURE]["program"]
        return {"file": program["file"], "version": program["version"], "sha256": program["sha256"]}
