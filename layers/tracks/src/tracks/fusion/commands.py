"""``tracks fusion`` for people: check archives, score subtasks, sums, prizes and boards (tracks.md §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click

from markup_core.command.inputs import UnreadableError, of_system, read_json
from markup_core.texts import Text, at
from tracks.base import Fields, refuse
from tracks.command import printing, spoken
from tracks.command.printing import Reply, answer
from tracks.command.spoken import FILE, FOUND
from tracks.fusion import items
from tracks.fusion.archive import Checked, check, unpack
from tracks.fusion.score import MODES, read_params, read_scores
from tracks.fusion.subtasks import (
    Boards,
    Scores,
    Subtask,
    boards,
    contribution,
    integral,
    parts_section,
    roubles,
    sum_section,
    summary,
)
from tracks.fusion.track import read_files
from tracks.protocol import Json, Reason, Section
from tracks.texts import tr

_TEAM: Final = tr("Team")
_PLACE: Final = tr("Place")


def described(checked: Checked) -> dict[str, Json]:
    """Return the result of checking an archive, in both languages."""
    metadata = checked.metadata
    return {
        "valid": checked.valid,
        "reasons": [_reason(fault) for fault in checked.reasons],
        "warnings": [_reason(warning) for warning in checked.warnings],
        "metadata": None if metadata is None else {"image": metadata.image, "entry_point": metadata.entry_point},
        "members": checked.members,
        "unpacked_bytes": checked.unpacked,
    }


def archive(checked: Checked, language: str) -> Iterator[Section]:
    """Yield tables of an archive's facts, then of its faults, if there are any."""
    metadata = checked.metadata
    rows: tuple[tuple[Json, ...], ...] = (
        ("image", "—" if metadata is None else metadata.image),
        ("entry_point", "—" if metadata is None else metadata.entry_point),
        ("members", str(checked.members)),
        ("unpacked_bytes", str(checked.unpacked)),
    )
    yield Section("archive", tr("Archive"), _NAMED, rows)
    faults = [("+", remark) for remark in checked.warnings] + [("−", remark) for remark in checked.reasons]
    if faults:
        rows = tuple((sign, remark.code, getattr(remark.message, language)) for sign, remark in faults)
        columns = (Text("", ""), tr("Code"), tr("Fault"))
        yield Section("faults", tr("Faults (−) and remarks (+)"), columns, rows)


def scored(summary: Json, records: Mapping[str, Json]) -> tuple[Section, ...]:
    """Build the tables of the sum and of every score's parts."""
    rows = [
        (f"true_{subtask.value}.json", {**records[subtask.key]["result"], "subtask": subtask.value})
        for subtask in Subtask
        if subtask.key in records
    ]
    return sum_section(summary), parts_section(rows)


def remarks(records: Mapping[str, Json]) -> Iterator[Text]:
    """Yield a line for each kind of missing or superfluous predictions of a folder."""
    for key, record in records.items():
        result = record["result"]
        unknown = [*result.get("unknown", ()), *result.get("unknown_classes", {})]
        if record["absent"]:
            yield tr("{key}: there is no file of predictions", key=key)
        elif record["missing"]:
            count = record["missing"]
            yield tr("{key}: {count} without a prediction", key=key, count=count)
        if unknown:
            names = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
            count = len(unknown)
            yield tr("{key}: {count} unknown, ignored: {names}", key=key, count=count, names=names)


def prize(s: float, place: int, amount: float) -> Section:
    """Build the table of one team's prize."""
    columns = (_PLACE, tr("S"), tr("Roubles"))
    return Section("prize", tr("Prize"), columns, ((place, s, f"{amount:,.0f}".replace(",", " ")),))


def board(boards: Boards, teams: Mapping[str, Scores]) -> Section:
    """Build one table of all boards, in the order of the sum: contributions with places beside them."""
    columns = [_PLACE, _TEAM, tr("S")]
    places = {subtask: {place.team: place.place for place in row} for subtask, row in boards.by_subtask.items()}
    for subtask in Subtask:
        columns += [Text(en=subtask.value, ru=subtask.value), _PLACE]
    rows = []
    for place in boards.by_sum:
        row: list[Json] = [place.place, place.team, plain(integral(teams[place.team]))]
        for subtask in Subtask:
            score = teams[place.team].get(subtask)
            row += [None if score is None else float(contribution(subtask, score)), places[subtask][place.team]]
        rows.append(tuple(row))
    return Section("board", tr("Board"), tuple(columns), tuple(rows))


def plain(value: Decimal | None) -> float | None:
    """Convert a decimal to a JSON number."""
    return None if value is None else float(value)


_NAMED: Final = (tr("Fact"), tr("Value"))


def _reason(reason: Reason) -> dict[str, Json]:
    return {
        "code": reason.code,
        "message": {"en": reason.message.en, "ru": reason.message.ru},
        "where": dict(reason.where),
    }


@spoken.group()
def fusion() -> None:
    """Check archives of the multitask contest, score the four subtasks, their sum, prizes and boards."""


@fusion.command("archive")
@click.argument("file", type=FILE)
@click.option("--unpack", "target", type=FILE, help="Unpack a valid archive into this folder, which must not exist.")
@click.option("--params", type=FILE, help="The cycle's parameters; by default the contest's limits hold.")
@printing.replies
def archive_command(file: Path, target: Path | None, params: Path | None) -> Reply:
    """List everything that is wrong with the submission FILE, or unpack it.

    Exit code 1: the archive is no submission; nothing is unpacked then.
    """
    limits = _rules(params).archive
    try:
        with file.open("rb") as source:
            checked = check(source, limits)
            if checked.valid and target is not None:
                unpack(source, target, limits)
    except OSError as error:
        raise UnreadableError.about(Path(error.filename or file), of_system(error)) from None
    value = {"archive": str(file), **described(checked)}
    return Reply(value, lambda language: archive(checked, language), code=0 if checked.valid else FOUND)


@fusion.command()
@click.argument("true", type=FILE)
@click.argument("prediction", type=FILE)
@click.option(
    "--c2c", type=click.Choice(MODES[Subtask.C2C]), help="Count a subtree no more often than it is predicted."
)
@click.option("--zsod", type=click.Choice(MODES[Subtask.ZSOD]), help="Count one miss for a class without any box.")
@click.option("--vqa", type=click.Choice(MODES[Subtask.VQA]), help="Compare what answers say, not how it is spelled.")
@click.option("--params", type=FILE, help="The cycle's parameters: its minima; the options above win over its modes.")
@printing.replies
def score(true: Path, prediction: Path, params: Path | None, **modes: str | None) -> Reply:
    """Score the folder PREDICTION against the folder TRUE (prediction_C2C.json, true_C2C.json …).

    Subtasks without a file in TRUE are left out. Exit code 1: a file of predictions is missing, which is worth 0, or
    ids have no prediction or nobody asked for them.
    """
    rules, records = _rules(params), dict[str, Json]()
    for subtask, files in read_files(true, prediction).items():
        mode = modes.get(subtask.key) or rules.modes[subtask]
        fields = {"true": files.truth, "prediction": files.prediction or {}, **({} if mode is None else {"mode": mode})}
        op = f"fusion.{subtask.key}"
        absent, missing = files.prediction is None, len(files.truth.keys() - fields["prediction"].keys())
        done = answer(op, fields)
        own = {"result": done.result, "fingerprint": done.fingerprint}
        records[subtask.key] = {"op": op, "absent": absent, "missing": missing, **own}
    scores = {
        subtask: records[subtask.key]["result"]["score"] if subtask.key in records else None for subtask in Subtask
    }
    result = summary(scores, rules)
    lacking = list(remarks(records))
    return Reply(
        {**result, "scored": records}, lambda _: scored(result, records), remarks=lacking, code=FOUND if lacking else 0
    )


def _four(function: Callable[..., Any]) -> Callable[..., Any]:
    for subtask in reversed(Subtask):
        text = f"{subtask.value}, {subtask.metric}, from 0 to {subtask.most}."
        function = click.option(f"--{subtask.key}", type=float, required=True, help=text)(function)
    return function


@fusion.command("integral")
@_four
@click.option("--params", type=FILE, help="The cycle's parameters: its minima and Smin.")
@printing.replies
def integral_command(params: Path | None, **scores: float) -> Reply:
    """Compute the sum S of four scores. Exit code 1: S or one of the four is below its minimum."""
    result = summary(read_scores(Fields(scores)), _rules(params))
    return Reply(result, lambda _: [sum_section(result)], code=0 if result["reached"] else FOUND)


@fusion.command("prize")
@click.argument("place", type=click.IntRange(min=1))
@_four
@click.option("--prizes", type=FILE, help="A JSON object: smin, full, and alpha, fix, max for each place in turn.")
@printing.replies
def prize_command(place: int, prizes: Path | None, **scores: float) -> Reply:
    """Compute the prize in roubles of a multitask model with these scores on PLACE. Exit code 1: there is none."""
    four = read_scores(Fields(scores))
    total = integral(four)
    if total is None:
        raise RuntimeError("four scores have a sum")
    rules = read_params(Fields({"params": None if prizes is None else read_json(prizes)}))
    amount = float(roubles(total, place, rules, four))
    value = {"s": float(total), "place": place, "roubles": amount}
    return Reply(value, lambda _: [prize(float(total), place, amount)], code=0 if amount else FOUND)


@fusion.command("board")
@click.argument("results", type=FILE)
@printing.replies
def board_command(results: Path) -> Reply:
    """Rank teams by the sum and by each subtask.

    RESULTS is a JSON list of objects with team, c2c (0 to 100), htr, zsod and vqa; a score may be null.
    """
    raw = read_json(results)
    if not isinstance(raw, list):
        raise UnreadableError(tr("{results}: a list of teams is expected", results=results))
    teams: dict[str, Mapping[Subtask, float | None]] = {}
    for entry in Fields({"results": raw}).parts("results"):
        team = entry.text("team")
        if team in teams:
            refuse(entry.path("team"), tr("is {team}, which has stood there before", team=team))
        teams[team] = {subtask: entry.number(subtask.key, None, low=0, high=subtask.most) for subtask in Subtask}
    ranking = boards(teams)
    places: dict[str, Json] = {"s": {place.team: place.place for place in ranking.by_sum}}
    places |= {key.key: {place.team: place.place for place in row} for key, row in ranking.by_subtask.items()}
    value = {"places": places, "s": {team: plain(integral(four)) for team, four in teams.items()}}
    return Reply(value, lambda _: [board(ranking, teams)])


def _rules(path: Path | None) -> items.FusionParameters:
    completed, reasons = items.complete({} if path is None else read_json(path))
    if reasons:
        raise UnreadableError(at(str(path), reasons[0].message))
    return items.use(completed)
