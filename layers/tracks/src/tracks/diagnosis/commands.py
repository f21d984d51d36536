"""``tracks diagnosis`` for people: answers, sessions, boards, prizes, rounds and epicrises (tracks.md §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from markup_core.command.complaints import RefusedError, of_system
from markup_core.command.folder import UnreadableError, read_bytes, read_json
from markup_core.rounding import fixed
from markup_core.tables import decimal
from markup_core.texts import Text, at, in_language
from tracks.command import printing, spoken
from tracks.command.printing import FILE, FOUND, Reply
from tracks.diagnosis import answers, operations
from tracks.diagnosis.board import (
    CRITERION_OF,
    Criterion,
    Entry,
    accuracies,
    barrier_verdict,
    board,
    finalists,
    partial_barrier,
)
from tracks.diagnosis.classifier import Costs, resource_cost
from tracks.diagnosis.items import MAX_BYTES, Epicrisis, UnsafeError, read_epicrisis, too_big
from tracks.diagnosis.measures import COMPARED_PLACES, Z
from tracks.diagnosis.replay import FEWEST_ROUNDS, MOST_ROUNDS, Lot, draw, rotation
from tracks.diagnosis.stages import cost_faults, units_of
from tracks.fields import Fields, to_dict
from tracks.protocol import Json, Place, Section, Verdict
from tracks.texts import tr, tr_in

_FILE: Final = tr("File")
_PLACE: Final = tr("Place")
_TEAM: Final = tr("Team")
_CODE: Final = tr("Code")
_COST: Final = tr("Cost")
_VALUES: Final[Mapping[str, Text]] = {
    "sk": tr("Sk"),
    "se_lower": tr("Se, lower bound"),
    "sp_lower": tr("Sp, lower bound"),
    "cost": _COST,
    "se_complications": tr("Se, complications"),
    "se_comorbidities": tr("Se, comorbidities"),
    "mean_time_s": tr("Mean time, s"),
}


def verdicts_table(judged: Sequence[tuple[str, Verdict]], language: str) -> Section:
    """Build the table of files with all remarks on their answers."""
    columns = (_FILE, tr("Valid"), tr("Kind"), tr("Remark"), tr("Message"))
    rows: list[tuple[Json, ...]] = []
    for name, verdict in judged:
        head = (name, "+" if verdict.valid else "−", verdict.kind if verdict.valid else None)
        remarks = (*verdict.reasons, *verdict.warnings)
        messages: list[tuple[Json, Json]] = [(remark.code, getattr(remark.message, language)) for remark in remarks]
        rows += [(*head, *message) for message in messages or [(None, None)]]
    return Section("answers", tr("Answers"), columns, tuple(rows))


def standings(entries: Sequence[Entry], places: Mapping[str, int], criterion: Criterion) -> Section:
    """Return the board with the values that the criterion compares, as it compares them: rounded."""
    names = [name for name, _ in criterion.values]
    rows = tuple(
        (places[entry.team], entry.team, *(_compared(getattr(entry, name), criterion.places) for name in names))
        for entry in sorted(entries, key=lambda entry: (places[entry.team], entry.team))
    )
    columns = (_PLACE, _TEAM, *(_VALUES[name] for name in names))
    return Section("board", tr("Board"), columns, rows)


def prizes(places: Sequence[Place], passed: Mapping[str, Mapping[str, Entry]]) -> Section:
    """Build the table of places for the partial barrier, with Sk of every nosology passed, as it is compared."""
    rows = tuple(
        (place.place, place.team, ", ".join(f"{name} {_compared(own.sk)}" for name, own in passed[place.team].items()))
        for place in places
    )
    columns = (_PLACE, _TEAM, tr("Sk by nosology"))
    title = tr("Partial barrier")
    return Section("partial_barrier", title, columns, rows)


def rounds_table(pairs: Sequence[Sequence[Sequence[int]]]) -> Section:
    """Build the table of clinicians of each system, round by round."""
    columns = (tr("Round"), *(tr("S{number}", number=number) for number in range(1, 5)))
    rows = tuple(
        (number, *(" ".join(f"КС{clinician}" for clinician in pair) for pair in round_pairs))
        for number, round_pairs in enumerate(pairs, start=1)
    )
    return Section("rotation", tr("Rounds of stage 2"), columns, rows)


def names(lot: Lot) -> Section:
    """Build the table of drawn names and persons."""
    columns = (tr("Name"), tr("Drawn by"))
    rows = tuple((name, person) for group in lot for person, name in group.items())
    return Section("lot", tr("The lot"), columns, rows)


def facts(name: str, document: Epicrisis, costs: Costs) -> Section:
    """Build the table of an epicrisis' studies with their costs."""
    columns = (_CODE, tr("Directory"), tr("Study"), _COST)
    rows = tuple((study.code, study.directory, study.title, costs.get(study.code, 0.0)) for study in document.studies)
    diagnoses = ", ".join(document.diagnoses)
    title = tr(
        "{name}: {root}, {elements} elements, ICD-10: {codes}",
        name=name,
        root=document.root,
        elements=document.elements,
        codes=diagnoses or tr_in("codes", "none"),
    )
    return Section("studies", title, columns, rows)


def _compared(value: Any, places: int = COMPARED_PLACES) -> Json:
    return None if value is None else fixed(value, places)


@spoken.group()
def diagnosis() -> None:
    """Diagnoses of six lung diseases: check answers, count sessions, rank teams."""


@diagnosis.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--stage", type=click.Choice(answers.STAGES), default="semifinal", show_default=True)
@printing.options
def validate(files: Sequence[Path], stage: str, language: str, as_json: bool) -> int:
    """List everything that is wrong with answers, one per file; exit code 1 if one is not valid."""
    judged = [(path, read_json(path)) for path in files]
    verdicts = [(str(path), answers.judge(stage, value)) for path, value in judged]
    if as_json:
        for (path, value), (_, verdict) in zip(judged, verdicts, strict=True):
            fields = {"answer": value, "stage": stage}
            printing.give_scored("diagnosis.validate", {"answer": str(path)}, _verdict(verdict), fields)
    else:
        printing.show([verdicts_table(verdicts, language)], language)
    return 0 if all(verdict.valid for _, verdict in verdicts) else FOUND


@diagnosis.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--z", type=float, default=Z, show_default=True, help="Quantile of the one-sided interval.")
@printing.replies
def session(files: Sequence[Path], z: float) -> Reply:
    """Count the epicrises of FILES, all together: matrices, Se, Sp, lower bounds, Sk, the barrier.

    A file is {"epicrises": [...]} or the list alone. The final is the semifinal's file and that of stage 1.
    """
    epicrises = [entry for path in files for entry in _listed(path, "epicrises")]
    inputs = {"epicrises": [str(path) for path in files]}
    value = printing.run_operation("diagnosis.session", inputs, {"epicrises": epicrises, "z": z})
    return Reply(value, lambda _: [accuracies(value["result"]), barrier_verdict(value["result"])])


@diagnosis.command("board")
@click.argument("file", type=FILE)
@click.option("--stage", type=click.Choice(tuple(CRITERION_OF)), default="semifinal", show_default=True)
@printing.replies
def board_command(file: Path, stage: str) -> Reply:
    """Rank the teams of FILE, {"teams": [...]} or the list alone; of a semifinal also say who goes to the final."""
    fields = {"teams": _listed(file, "teams"), "stage": stage}
    entries, criterion = operations.entries(Fields(fields)), CRITERION_OF[stage]
    places = board(entries, criterion)
    going_on = finalists(places)._asdict() if stage == "semifinal" else {}
    numbers = {place.team: place.place for place in places}
    result = {"places": numbers, **{name: list(teams) for name, teams in going_on.items()}}
    lines = []
    if going_on:
        admitted = ", ".join(going_on["admitted"]) or printing.UNDEFINED
        lines.append(tr("\nAdmitted to the final: {admitted}", admitted=admitted))
    if undecided := ", ".join(going_on.get("undecided", ())):
        lines.append(tr("Share the last places; the organizers choose: {teams}", teams=undecided))
    value = printing.scored("diagnosis.board", {"teams": str(file)}, result, fields)
    return Reply(value, lambda _: [standings(entries, numbers, criterion)], lines)


@diagnosis.command("partial-barrier")
@click.argument("file", type=FILE)
@printing.replies
def partial_barrier_command(file: Path) -> Reply:
    """Rank teams for the partial barrier from FILE, {"passed": {team: {nosology: Sk, or the criterion's values}}}."""
    fields = printing.read_object(file)
    passed = operations.passed_values(Fields(fields))
    value = printing.run_operation("diagnosis.partial_barrier", {"passed": str(file)}, fields)
    return Reply(value, lambda _: [prizes(partial_barrier(passed), passed)])


@diagnosis.command("rotation")
@click.argument("rounds", type=click.IntRange(FEWEST_ROUNDS, MOST_ROUNDS))
@click.option("--team", "teams", multiple=True, help="A finalist, for the lot; two to four.")
@click.option("--clinician", "clinicians", multiple=True, help="A clinician, for the lot; eight.")
@click.option("--seed", type=int, help="Of the lot.")
@printing.replies
def rotation_command(rounds: int, teams: Sequence[str], clinicians: Sequence[str], seed: int | None) -> Reply:
    """Pair systems and clinicians in each of ROUNDS; with teams, clinicians and a seed also draw their names."""
    pairs = [[list(pair) for pair in round_pairs] for round_pairs in rotation(rounds)]
    lot = None
    if teams or clinicians or seed is not None:
        if seed is None:
            raise UnreadableError(tr("the lot needs --seed, so that everybody can draw it again"))
        try:
            lot = draw(teams, clinicians, seed)
        except ValueError as error:
            raise UnreadableError(str(error), in_language(error.args[0], "ru")) from None
    drawn = {} if lot is None else {"systems": lot.systems, "clinicians": lot.clinicians}
    fields = {"rounds": rounds, "teams": list(teams), "clinicians": list(clinicians), "seed": seed}
    value = printing.scored("diagnosis.rotation", {}, {"pairs": pairs, **drawn}, fields)
    return Reply(value, lambda _: [*([] if lot is None else [names(lot)]), rounds_table(pairs)])


@diagnosis.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--costs", "table", type=FILE, help='The organizer\'s table, {code: {"doctor": units, "nurse": units}}.')
@printing.options
def epicrisis(files: Sequence[Path], table: Path | None, language: str, as_json: bool) -> int:
    """List studies, their cost and the ICD-10 codes of epicrises (XML); exit code 1 if one is not safe to read."""
    costs = _costs(table)
    refused = False
    for path in files:
        try:
            document = read_epicrisis(_xml(path))
        except UnsafeError as error:
            refused = True
            click.echo(f"tracks: {path}: {in_language(error.placed, language)}", err=True)
            continue
        if as_json:
            printing.give({"file": str(path), **_facts(document, costs)})
        else:
            printing.show([facts(str(path), document, costs)], language)
            cost = decimal(f"{_facts(document, costs)['cost']:g}", language)
            click.echo(f"{_TOTAL[language]}: {cost}\n")
    return FOUND if refused else 0


_TOTAL: Final = {"en": "Cost of all", "ru": "Общая ресурсоёмкость"}


def _verdict(verdict: Verdict) -> dict[str, Json]:
    return {
        "valid": verdict.valid,
        "kind": verdict.kind if verdict.valid else None,
        "reasons": [to_dict(remark) for remark in verdict.reasons],
        "warnings": [to_dict(remark) for remark in verdict.warnings],
    }


def _facts(document: Epicrisis, costs: Costs) -> dict[str, Json]:
    return {
        "root": document.root,
        "elements": document.elements,
        "studies": [
            {"id": study.ident, "code": study.code, "directory": study.directory, "title": study.title}
            for study in document.studies
        ],
        "diagnoses": list(document.diagnoses),
        "cost": resource_cost((study.code for study in document.studies), costs),
    }


def _listed(path: Path, name: str) -> list[Any]:
    """Read a file's list, alone or under its name."""
    value = read_json(path)
    listed = value.get(name) if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise UnreadableError(
            tr('{path}: there must be a JSON list, alone or as {{"{name}": [...]}}', path=path, name=name)
        )
    return listed


def _costs(path: Path | None) -> Costs:
    if path is None:
        return {}
    table = read_json(path)
    for fault in cost_faults(table):
        raise RefusedError("invalid_request", at(str(path), fault.message), dict(fault.where))
    return units_of(table)


def _xml(path: Path) -> bytes:
    """Read a file's bytes; one that is too big is refused unread."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UnreadableError.about(path, of_system(error)) from None
    if size > MAX_BYTES:
        raise too_big(size)
    return read_bytes(path)
