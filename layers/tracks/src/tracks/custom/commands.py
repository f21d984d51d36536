"""``tracks custom`` for people: try a measure's program on its samples, score answers by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from markup_core.command.inputs import UnreadableError, of_system, read_json
from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes
from markup_core.texts import at
from tracks.base import REFERENCE
from tracks.command import printing, spoken
from tracks.command.printing import Reply
from tracks.command.spoken import FILE, FOUND
from tracks.custom.declaration import MEASURE, Declaration
from tracks.custom.track import CustomTrack, sections
from tracks.protocol import ItemFacts, Json, Outcome, Reason
from tracks.texts import tr


@spoken.group()
def custom() -> None:
    """Try a measure of one's own, and score answers by it."""


@dataclass(frozen=True, slots=True)
class _Contest:
    """A cycle's folder with its measure taken in."""

    folder: Path
    track: CustomTrack
    parameters: Json


def _read(cycle: Path) -> _Contest:
    """Read a cycle's file and the program beside it; UnreadableError names the first fault."""
    track = CustomTrack()
    file = printing.read_object(cycle)
    own = file.get("parameters")
    parameters, reasons = track.read_parameters({MEASURE: own.get(MEASURE) if isinstance(own, dict) else None})
    _refuse(cycle, reasons)
    program = cycle.parent / (track.program_file(parameters) or cycle.name)
    try:
        content = track.program_content(parameters, lambda name: (cycle.parent / name).read_bytes())
    except OSError as error:
        raise UnreadableError.about(program, of_system(error)) from None
    parameters, reasons = track.taken_in(parameters, content)
    _refuse(program, reasons)
    return _Contest(cycle.parent, track.under(parameters, lambda _: content), parameters)


def _refuse(path: Path, reasons: Sequence[Reason]) -> None:
    if reasons:
        raise UnreadableError(at(str(path), reasons[0].message))


@custom.command()
@click.argument("cycle", type=FILE)
@printing.replies
def check(cycle: Path) -> Reply:
    """Try the program that CYCLE, a cycle's file in JSON, declares, on its own samples, twice each.

    Exit code 2: it cannot be the measure; the first fault is told.
    """
    contest = _read(cycle)
    program = contest.parameters[MEASURE]["program"]
    line = tr(
        "{file} {version}: its samples are counted as expected, {sha256}",
        file=program["file"],
        version=program["version"] or "—",
        sha256=program["sha256"],
    )
    return Reply({"program": program}, lambda _: [], lines=[line])


@custom.command()
@click.argument("cycle", type=FILE)
@click.argument("folder", metavar="SET", type=FILE)
@click.argument("answers", type=FILE)
@printing.replies
def score(cycle: Path, folder: Path, answers: Path) -> Reply:
    """Score ANSWERS, {id: answer}, to the items in the folder SET by the measure that CYCLE declares.

    Exit code 1: items have no answer, which the program is asked about as null, or the program fails.
    """
    contest, sent = _read(cycle), printing.read_object(answers)
    entries = [_entry(contest, path) for path in sorted(folder.glob("*.json")) if not REFERENCE.fullmatch(path.name)]
    outcomes = []
    for facts, item, references in entries:
        answer = sent.get(facts.item_id)
        if facts.item_id in sent:
            verdict = contest.track.validate(item, "", "item", canonical_bytes(answer), contest.parameters)
            _refuse(answers, verdict.reasons)
        record = contest.track.score(item, answer, references, contest.parameters)
        outcomes.append(Outcome(facts, answer is not None, record))
    result = contest.track.aggregate(outcomes, contest.parameters, 0)
    missed = [outcome.item.item_id for outcome in outcomes if not outcome.answered]
    remark = tr("no answer: {names}", names=", ".join(missed))
    value = {
        "result": result,
        "overcame": contest.track.overcame(result),
        "files": {outcome.item.item_id: outcome.score for outcome in outcomes},
    }
    return Reply(
        value,
        lambda _: sections(Declaration(contest.parameters[MEASURE]), result, outcomes),
        remarks=[remark] if missed else [],
        code=FOUND if missed or result["failed"] else 0,
    )


def _entry(contest: _Contest, path: Path) -> tuple[ItemFacts, Json, list[Json]]:
    item = read_json(path)
    facts, reasons = contest.track.read_item(item, contest.parameters)
    _refuse(path, reasons)
    references = []
    for file in sorted(path.parent.glob(f"{path.stem}_exp[0-9][0-9].json")):
        reference = read_json(file)
        _refuse(file, contest.track.read_reference(item, reference, contest.parameters))
        references.append(reference)
    if facts is None or not references:
        raise UnreadableError(at(str(path), tr("there is no reference beside it")))
    return facts, item, references
