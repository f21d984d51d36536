"""``tracks diagnosis`` for people, and the operations ``diagnosis.*`` for programs (tracks.md §1, §5).

Operations refuse with the code ``invalid_request`` (details: field).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

from markup_core.command.inputs import RefusedError, UnreadableError, of_system, read_bytes, read_json
from markup_core.reading.wire import short
from markup_core.rounding import fixed
from markup_core.tables import decimal
from markup_core.texts import Text, at, in_language
from tracks.base import Fields, refuse, to_dict
from tracks.command import printing, spoken
from tracks.command.printing import Reply
from tracks.command.spoken import FILE, FOUND
from tracks.diagnosis import aggregate, answers, score
from tracks.diagnosis.aggregate import COMPARED_PLACES, assess, tallies
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
from tracks.diagnosis.items import MAX_BYTES, Epicrisis, UnsafeError, read_epicrisis, too_big
from tracks.diagnosis.stages import MOST_UNITS, MOST_Z, NAMES, Costs, Z, cost_faults, resource_cost, units_of
from tracks.protocol import Json, Place, Section, Verdict
from tracks.texts import tr, tr_in

_MOST_COUNTED: Final = 10**12
_MOST_SECONDS: Final = 1e9
_SHARES: Final = ("se_lower", "sp_lower", "se_complications", "se_comorbidities")


def judge_answer(fields: Fields) -> dict[str, Any]:
    """``{"answer", "stage"}`` → ``{"valid", "reasons", "warnings"}``; both are of ``{"code", "message", "message_ru",
    "where"}``."""
    verdict = answers.judge(fields.choice("stage", answers.STAGES), fields.raw("answer"))
    reasons, warnings = ([to_dict(remark) for remark in remarks] for remarks in (verdict.reasons, verdict.warnings))
    return {"valid": verdict.valid, "reasons": reasons, "warnings": warnings}


def bound_share(fields: Fields) -> dict[str, Any]:
    """``{"successes", "n", "z"}`` → ``{"estimate", "lower"}``, both null of nothing (D-App1а, formula 8)."""
    n = fields.whole("n", low=0, high=_MOST_COUNTED)
    successes = fields.whole("successes", low=0, high=n)
    z = fields.number("z", Z, low=0, high=MOST_Z)
    return {"estimate": aggregate.share(successes, n), "lower": aggregate.lower_bound(successes, n, z)}


def count_session(fields: Fields) -> dict[str, Any]:
    """``{"epicrises": [{nosology, ill, v3, v2, cost_min, cost_max}], "z"}`` → matrices, shares, bounds, Sk, barrier.

    An answer that is null or not valid is none. Epicrises of the final's stage 1 are ``{nosology, ill, final, cost}``:
    together with the semifinal's they make the final's matrices (D-App1в, formula 16).
    """
    z = fields.number("z", Z, low=0, high=MOST_Z)
    return assess(tallies([_judged(epicrisis) for epicrisis in fields.parts("epicrises")]), z).to_dict()


def rank_teams(fields: Fields) -> dict[str, Any]:
    """``{"teams": [{team, sk, se_lower, …}], "stage"}`` → ``{"places": {team: place}}``: by the criterion of the
    semifinal (D 8.15) or, without a stage, of the final (D-App1в)."""
    criterion = CRITERION_OF[fields.choice("stage", tuple(CRITERION_OF), "final")]
    return {"places": {place.team: place.place for place in board(read_entries(fields), criterion)}}


def read_entries(fields: Fields) -> list[Entry]:
    """Read the teams of a board request; null or absent values are undefined."""
    team_entries = [
        _values(team.text("team"), team, team.number("sk", None, low=0, high=1)) for team in fields.parts("teams")
    ]
    names: set[str] = set()
    for place, entry in enumerate(team_entries):
        if entry.team in names:
            refuse(f"{fields.path('teams')}[{place}].team", tr("is there twice: {team}", team=short(entry.team)))
        names.add(entry.team)
    return team_entries


def rank_partial_barrier(fields: Fields) -> dict[str, Any]:
    """Rank ``{"passed": {team: {nosology: sk or {sk, se_lower, …}}}}`` → ``{"places": [team, …]}``, best first."""
    return {"places": [place.team for place in partial_barrier(passed_values(fields))]}


def passed_values(fields: Fields) -> dict[str, dict[str, Entry]]:
    """Read a partial barrier request: teams with their values of every nosology they passed; a number is its Sk."""
    passed = fields.part("passed")
    return {team: _entries_by_nosology(team, passed.part(team)) for team in passed.values}


def pair_clinicians(fields: Fields) -> dict[str, Any]:
    """Pair for ``{"rounds": 16 to 32}`` → ``{"pairs"}``: two clinicians per round and system (D 9.10.8.5)."""
    number = fields.whole("rounds", low=score.FEWEST_ROUNDS, high=score.MOST_ROUNDS)
    return {"pairs": [[list(pair) for pair in pairs] for pairs in score.rotation(number)]}


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {
        "diagnosis.validate": judge_answer,
        "diagnosis.bound": bound_share,
        "diagnosis.session": count_session,
        "diagnosis.board": rank_teams,
        "diagnosis.partial_barrier": rank_partial_barrier,
        "diagnosis.rotation": pair_clinicians,
    }
)


def _judged(epicrisis: Fields) -> score.Judged:
    nosology, ill = epicrisis.choice("nosology", NAMES), epicrisis.flag("ill")
    if "final" in epicrisis.values:
        reply = score.worth(_main(epicrisis.raw("final"), "final"), nosology, ill=ill)
        return score.Judged(
            nosology, score.final_cell(reply, ill=ill), epicrisis.number("cost", low=0, high=MOST_UNITS)
        )
    v3, v2 = (score.worth(_main(epicrisis.raw(version), "semifinal"), nosology, ill=ill) for version in ("v3", "v2"))
    low, high = (epicrisis.number(name, low=0, high=MOST_UNITS) for name in ("cost_min", "cost_max"))
    row = score.decide(v3, v2, ill=ill)
    return score.Judged(nosology, row.cell, low if row.cost is score.Cost.MINIMAL else high)


def _main(answer: Any, stage: str) -> str | None:
    verdict = answers.judge(stage, answer)
    return answers.main_code(verdict.canonical) if verdict.valid and verdict.kind == "diagnosis" else None


def _values(team: str, fields: Fields, sk: float | None) -> Entry:
    """Read a team's values; all but Sk may be absent."""
    shares = {name: fields.number(name, None, low=0, high=1) for name in _SHARES}
    cost = fields.number("cost", None, low=0, high=MOST_UNITS)
    return Entry(
        team, sk, cost=cost, mean_time_s=fields.number("mean_time_s", None, low=0, high=_MOST_SECONDS), **shares
    )


def _entries_by_nosology(team: str, own: Fields) -> dict[str, Entry]:
    by_nosology = {}
    for name, value in own.values.items():
        if name not in NAMES:
            names = ", ".join(NAMES)
            refuse(own.path(name), tr("is no nosology; they are {names}", names=names))
        if isinstance(value, Mapping):
            by_nosology[name] = _values(team, own.part(name), own.part(name).number("sk", low=0, high=1))
        else:
            by_nosology[name] = Entry(team, own.number(name, low=0, high=1))
    return by_nosology


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
    return Section("partial_barrier", tr("Partial barrier"), columns, rows)


def rounds_table(pairs: Sequence[Sequence[Sequence[int]]]) -> Section:
    """Build the table of clinicians of each system, round by round."""
    columns = (tr("Round"), *(tr("S{number}", number=number) for number in range(1, 5)))
    rows = tuple(
        (number, *(" ".join(f"КС{clinician}" for clinician in pair) for pair in round_pairs))
        for number, round_pairs in enumerate(pairs, start=1)
    )
    return Section("rotation", tr("Rounds of stage 2"), columns, rows)


def names(lot: score.Lot) -> Section:
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
@spoken.options
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
    entries, criterion = read_entries(Fields(fields)), CRITERION_OF[stage]
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
    passed = passed_values(Fields(fields))
    value = printing.run_operation("diagnosis.partial_barrier", {"passed": str(file)}, fields)
    return Reply(value, lambda _: [prizes(partial_barrier(passed), passed)])


@diagnosis.command("rotation")
@click.argument("rounds", type=click.IntRange(score.FEWEST_ROUNDS, score.MOST_ROUNDS))
@click.option("--team", "teams", multiple=True, help="A finalist, for the lot; two to four.")
@click.option("--clinician", "clinicians", multiple=True, help="A clinician, for the lot; eight.")
@click.option("--seed", type=int, help="Of the lot.")
@printing.replies
def rotation_command(rounds: int, teams: Sequence[str], clinicians: Sequence[str], seed: int | None) -> Reply:
    """Pair systems and clinicians in each of ROUNDS; with teams, clinicians and a seed also draw their names."""
    pairs = [[list(pair) for pair in round_pairs] for round_pairs in score.rotation(rounds)]
    lot = None
    if teams or clinicians or seed is not None:
        if seed is None:
            raise UnreadableError(tr("the lot needs --seed, so that everybody can draw it again"))
        try:
            lot = score.draw(teams, clinicians, seed)
        except ValueError as error:
            raise UnreadableError(str(error), in_language(error.args[0], "ru")) from None
    drawn = {} if lot is None else {"systems": lot.systems, "clinicians": lot.clinicians}
    fields = {"rounds": rounds, "teams": list(teams), "clinicians": list(clinicians), "seed": seed}
    value = printing.scored("diagnosis.rotation", {}, {"pairs": pairs, **drawn}, fields)
    return Reply(value, lambda _: [*([] if lot is None else [names(lot)]), rounds_table(pairs)])


@diagnosis.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--costs", "table", type=FILE, help='The organizer\'s table, {code: {"doctor": units, "nurse": units}}.')
@spoken.options
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
            spoken.give({"file": str(path), **_facts(document, costs)})
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
