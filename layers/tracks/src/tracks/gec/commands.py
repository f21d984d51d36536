"""``tracks gec`` for people: M2 files and gold data sets in, tables or JSON out (tracks.md §3)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from markup_core.command.inputs import RefusedError, UnreadableError, read_text
from markup_core.formats.m2 import AnyUnit, Unit, remarks, with_edits
from markup_core.lazy import dataclass
from markup_core.texts import at
from tracks.base import Fields
from tracks.command import printing, spoken
from tracks.command.printing import Reply
from tracks.command.spoken import FILE
from tracks.gec import report
from tracks.gec.comparison import (
    DEFAULT_BETA,
    MAX_BETA,
    MIN_BETA,
    By,
    Comparison,
    Counts,
    Detection,
    Mode,
    Rules,
    Tally,
    add_texts,
    grouped,
    side_by_side,
    total,
    without,
)
from tracks.gec.items import GoldItem, Scope, blocks, joined, read_gold_items
from tracks.gec.operations import by_context, by_need, by_source, by_type, evaluate, units, warnings_of
from tracks.gec.report import SOURCE, TYPE
from tracks.protocol import LongSection, Section
from tracks.texts import tr

_BETA: Final = click.option(
    "-b",
    "--beta",
    type=spoken.FiniteRange(MIN_BETA, MAX_BETA),
    default=DEFAULT_BETA,
    show_default=True,
    help="Beta of F.",
)
_FILTER: Final = ("-filt", "--without")
_TIERS: Final[Mapping[str | None, tuple[str, ...]]] = {
    "1": ("by_operation",),
    "2": ("by_type",),
    "3": ("by_label",),
    None: ("by_operation", "by_type"),
}
"""The breakdowns that are shown, by ERRANT's number; None where no number is given."""
_Result = TypeVar("_Result")
_File = tuple[Path, str]
"""A file's path and its text."""
_Comparisons = Mapping[Detection, Comparison]


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Arguments of ``gec compare``."""

    files: Sequence[Path]
    references: Path | None
    system_file: Path | None
    mode: str | None
    beta: float
    left_out: Sequence[str]
    tier: str | None
    verbose: bool
    listed: Path | None

    @property
    def chosen(self) -> Mode:
        """The mode; files named as for ``errant_compare`` get its numbers."""
        return Mode(self.mode) if self.mode else Mode.ERRANT if self.references else Mode.UNIT

    def named(self) -> list[Path]:
        """Return the files in the order reference, hypotheses, however they were named."""
        by_option = [self.references, self.system_file]
        if self.files and any(by_option):
            raise click.UsageError("name the files by -ref and -hyp or one after another, not both")
        named = [path for path in (by_option if any(by_option) else self.files) if path]
        if len(named) < 2:
            raise click.UsageError("two files are needed: the annotators' (-ref) and a system's (-hyp)")
        return named


class _AsErrant(spoken.SpokenCommand):
    """A command whose ``-filt`` takes every word up to the next option, as ``errant_compare``'s does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Turn each filtered type into an option of its own, which click can read."""
        read: list[str] = []
        filtering = False
        for word in args:
            filtering = word in _FILTER if word.startswith("-") else filtering
            read += [] if word in _FILTER else [_FILTER[-1], word] if filtering else [word]
        if any(last in _FILTER and (not word or word.startswith("-")) for last, word in pairwise([*args, ""])):
            raise click.UsageError(f"{_FILTER[0]} needs a type of error, as R:SPELL", ctx)
        return super().parse_args(ctx, read)


@click.command("compare", cls=_AsErrant)
@click.argument("files", metavar="[REFERENCE HYPOTHESIS...]", type=FILE, nargs=-1)
@click.option("-ref", "references", type=FILE, help="The annotators' M2 file, as errant_compare takes it.")
@click.option("-hyp", "system_file", type=FILE, help="The system's M2 file, as errant_compare takes it.")
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    help="unit (the default): the best annotator of each unit; errant (the default with -hyp and -ref): by running "
    "totals, as errant_compare chooses.",
)
@_BETA
@click.option(
    *_FILTER, "left_out", metavar="TYPE...", multiple=True, help="Leave out edits of these types, as R:SPELL."
)
@click.option(
    "-cat",
    "tier",
    type=click.Choice(list(_TIERS)),
    help="Only this breakdown: 1 by operation, 2 by type, 3 by both; by default 1 and 2.",
)
@click.option("-v", "--verbose", is_flag=True, help="Also each unit and each edit: which annotator counts, TP, FP, FN.")
@click.option("--blocks", "listed", type=FILE, help='JSON, {"blocks": [[0, 1], [2]]}: units to be taken as one.')
@spoken.options
def compare_command(language: str, as_json: bool, **options: Any) -> None:
    """Measure systems' M2 files against the annotators': correction, detection, by operation, by type.

    The files are named one after another, the reference first, or with -ref and -hyp.
    """
    request = _Arguments(**options)
    reference, *hypotheses = named = [(path, read_text(path)) for path in request.named()]
    is_long = as_json or request.verbose
    try:
        comparisons = [_counted(reference, system, request, is_long) for system in hypotheses]
    except (RefusedError, UnreadableError):  # faults of any file come before differences, and blocks last
        for path, text in named:
            deque(units(text, str(path)), 0)
        for system in hypotheses:
            deque(_side_by_side(reference, system), 0)
        raise
    systems = [
        _compared(path, comparison, request.beta) for (path, _), comparison in zip(hypotheses, comparisons, strict=True)
    ]
    if as_json:
        corrections = [comparison[Detection.CORRECTION] for comparison in comparisons]
        count = len(corrections[0].units)
        inputs = {"reference": str(reference[0]), "hypotheses": [str(path) for path, _ in hypotheses]}
        fields = {
            "reference_m2": reference[1],
            "hypotheses_m2": [text for _, text in hypotheses],
            "mode": request.chosen.value,
            "beta": request.beta,
            "blocks": printing.read_object(request.listed)["blocks"] if request.listed else [[n] for n in range(count)],
            "left_out": request.left_out,
        }
        result = {"units": count, "left_out": request.left_out, "systems": systems, **_warned(named)}
        scored = printing.scored("gec compare", inputs, result, fields)
        for system_result, corrected in zip(systems, corrections, strict=True):  # hashing copies files
            system_result["by_unit"] = [counts.to_dict(request.beta) for counts in corrected.units]
            system_result["chosen"] = corrected.chosen
        spoken.give(scored)
        return
    printing.show(map(report.precise, _compared_tables(systems, comparisons, named, request)), language)
    _show_warned(named, language)


def _side_by_side(reference: _File, system: _File) -> Iterator[tuple[AnyUnit, AnyUnit]]:
    (gold, gold_text), (path, text) = reference, system
    return side_by_side(units(gold_text, str(gold)), units(text, str(path)), str(path))


def _pairs(reference: _File, system: _File, request: _Arguments) -> Iterator[tuple[AnyUnit, AnyUnit]]:
    """Yield the units that are compared, those of a block as one, less the edits that are left out."""
    pairs = _side_by_side(reference, system)
    if request.listed is not None:
        sides = [tuple(map(with_edits, side)) for side in zip(*pairs, strict=True)]
        grouping = _grouping(request.listed, len(sides[0]))
        pairs = zip(*(joined(side, grouping) for side in sides), strict=True)
    for gold, ours in pairs:
        yield without(gold, request.left_out), without(ours, request.left_out)


def _compared_tables(
    systems: Sequence[Mapping[str, Any]],
    comparisons: Sequence[_Comparisons],
    files: Sequence[_File],
    request: _Arguments,
) -> Iterator[Section | LongSection]:
    yield report.overall([(system["system"], system) for system in systems], request.beta)
    for system, comparison, file in zip(systems, comparisons, files[1:], strict=True):
        for key in (name for name in _TIERS[request.tier] if system[name] or name != "by_operation"):
            yield report.breakdown_of(system["system"], key, system[key], request.beta)
        if request.verbose:
            corrected = comparison[Detection.CORRECTION]
            pairs = partial(_pairs, files[0], file, request)
            yield report.by_unit(system["system"], pairs, corrected, request.beta)
            yield report.edits(system["system"], pairs, corrected)


@spoken.command()
@click.argument("gold", type=FILE)
@click.argument("hypotheses", metavar="[HYPOTHESIS]...", type=FILE, nargs=-1)
@_BETA
@spoken.options
def concentrated(gold: Path, hypotheses: Sequence[Path], beta: float, language: str, as_json: bool) -> None:
    """Measure systems on the context-dependent errors of GOLD, and show the contents of GOLD.

    GOLD is a data set in JSON; a hypothesis is M2 with a unit per item, the item's sentences behind one another.
    """
    value, texts = printing.read_object(gold), [read_text(path) for path in hypotheses]
    items = _in(gold, lambda: read_gold_items(Fields(value)))
    systems = [
        _evaluated(path, items, tuple(map(with_edits, units(text, str(path)))), beta)
        for path, text in zip(hypotheses, texts, strict=True)
    ]
    named = list(zip(hypotheses, texts, strict=True))
    if as_json:
        inputs = {"gold": str(gold), "hypotheses": list(map(str, hypotheses))}
        result = {"items": len(items), **_contents(items), "systems": systems, **_warned(named)}
        printing.give_scored("gec concentrated", inputs, result, {"gold": value, "hypotheses_m2": texts, "beta": beta})
    else:
        printing.show(map(report.precise, [*report.tables(items), *_evaluations(systems, beta)]), language)
        _show_warned(named, language)


@spoken.command("blocks")
@click.argument("gold", type=FILE)
@printing.replies
def blocks_command(gold: Path) -> Reply:
    """Show the smallest blocks of sentences of each item of GOLD that can be evaluated apart."""
    value = printing.read_object(gold)
    items = _in(gold, lambda: read_gold_items(Fields(value)))
    item_blocks = {item.item_id: blocks(len(item.sentences), item.ties()) for item in items}
    scored = printing.scored("gec blocks", {"gold": str(gold)}, {"items": item_blocks}, {"gold": value})
    return Reply(scored, lambda _: [report.blocks(item_blocks)])


@spoken.command()
@click.argument("ratings", type=FILE)
@printing.replies
def agreement(ratings: Path) -> Reply:
    """Measure how far raters agree, in all and by type.

    RATINGS is JSON: {"items": [[label or null, ...], ...], "categories": [label, ...], "base": [label or null, ...],
    "types": [type, ...]}, a list of labels, a base label and a type per item; the last three may be left out.
    """
    value = printing.read_object(ratings)
    scored = _in(ratings, lambda: printing.run_operation("gec.agreement", {"ratings": str(ratings)}, value))
    whole = {name: measure for name, measure in scored["result"].items() if name != "by_type"}
    types, sizes = scored["result"].get("by_type", {}), Counter(value.get("types") or [])
    return Reply(scored, lambda _: [report.agreement(whole, types, sizes, len(value["items"]))])


def _grouping(path: Path, count: int) -> list[list[int]]:
    """Read the blocks of a file, in which every unit stands once."""
    listed = printing.read_object(path).get("blocks")
    parts = listed if isinstance(listed, list) and all(isinstance(part, list) and part for part in listed) else []
    numbers = [number for part in parts for number in part]
    if any(type(number) is not int for number in numbers) or sorted(numbers) != list(range(count)):
        raise UnreadableError(
            tr(
                "{path}: blocks must be lists in which each number from 0 to {count} stands once",
                path=path,
                count=count - 1,
            )
        )
    return parts


def _counted(reference: _File, system: _File, request: _Arguments, is_long: bool) -> _Comparisons:
    """Count a system's edits in every kind of evaluation; of corrections also by label and, if ``is_long``, by unit."""

    def tallies() -> list[Tally]:
        return [
            Tally(
                Rules(request.chosen, request.beta, kind),
                labels=kind is Detection.CORRECTION,
                units=kind is Detection.CORRECTION and is_long,
            )
            for kind in Detection
        ]

    pairs = partial(_pairs, reference, system, request)
    texts = ("", "") if request.listed else (reference[1], system[1])  # blocks join units from anywhere
    counted = add_texts(tallies, texts, pairs, request.left_out)
    return {kind: tally.comparison() for kind, tally in zip(Detection, counted, strict=True)}


def _compared(path: Path, comparisons: _Comparisons, beta: float) -> dict[str, Any]:
    """Return a system's totals as JSON; categories are those of corrections."""
    corrected = comparisons[Detection.CORRECTION]
    return {
        "system": path.name,
        **{kind.value: comparison.counts.to_dict(beta) for kind, comparison in comparisons.items()},
        "by_operation": _dicts(corrected.by(By.OPERATION), beta),
        "by_type": _dicts(corrected.by(By.TYPE), beta),
        "by_label": _dicts(corrected.by(By.FULL), beta),
    }


def _evaluated(path: Path, items: Sequence[GoldItem], system: Sequence[Unit], beta: float) -> dict[str, Any]:
    """Count a system's context-dependent edits, by type and by corpus."""
    deque(side_by_side([item.unit() for item in items], system, str(path)), 0)
    if several := next((unit for unit in system if len(unit.annotators) > 1), None):
        raise UnreadableError(
            tr("{path}: line {line}: a system has one annotator, this has several", path=path, line=several.line)
        )
    edits = [next(iter(unit.annotators.values()), ()) for unit in system]
    comparisons = [evaluate(item.edits, system_edits) for item, system_edits in zip(items, edits, strict=True)]
    sources = [(item.source, comparison.counts) for item, comparison in zip(items, comparisons, strict=True)]
    types = [pair for comparison in comparisons for pair in comparison.labels.items()]
    return {
        "system": path.name,
        **total(comparison.counts for comparison in comparisons).to_dict(beta),
        "by_type": _dicts(grouped(types, By.FULL), beta),
        "by_source": _dicts(grouped(sources, By.FULL), beta),
    }


def _contents(items: Sequence[GoldItem]) -> dict[str, Any]:
    """Return the contents of a data set (G, Tables 4–6) as JSON."""
    edits = [edit for item in items for edit in item.edits]
    rows = [
        {"direction": direction.value, "distance": distance, **{scope.value: scopes.get(scope, 0) for scope in Scope}}
        for (direction, distance), scopes in by_context(edits).items()
    ]
    sources = by_source((item.source, item.edits) for item in items)
    return {"types": by_type(edits), "sources": sources, "needs": by_need(edits), "contexts": rows}


def _evaluations(systems: Sequence[Mapping[str, Any]], beta: float) -> list[Section]:
    if not systems:
        return []
    return [
        report.evaluation(key, name, [(system["system"], system, system[key]) for system in systems], beta)
        for key, name in (("by_type", TYPE), ("by_source", SOURCE))
    ]


def _warned(texts: Sequence[tuple[Path, str]]) -> dict[str, Any]:
    warnings = [warning for path, text in texts for warning in warnings_of(text, str(path))]
    return {"warnings": warnings} if warnings else {}


def _show_warned(texts: Sequence[tuple[Path, str]], language: str) -> None:
    rows = [(path.name, remark._asdict()) for path, text in texts for remark in remarks(text)]
    if rows:
        printing.show([report.remarks(rows, language)], language)


def _dicts(counts: Mapping[str, Counts], beta: float) -> dict[str, Any]:
    return {name: category_counts.to_dict(beta) for name, category_counts in counts.items()}


def _in(path: Path, work: Callable[[], _Result]) -> _Result:
    """Do the work; a refusal names the file."""
    try:
        return work()
    except RefusedError as error:
        raise RefusedError(error.code, at(str(path), error.message), error.details) from None
