"""Records, aggregates and ranks of the gec track (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tracks.gec.comparison import Rules, compare
from tracks.gec.concentrated import GoldEdit, evaluate
from tracks.gec.counts import Counts, total
from tracks.gec.m2 import Edit, Unit
from tracks.gec.places import By, Detection, grouped
from tracks.protocol import Json, Outcome, Place, Standing
from tracks.ranking import by_value


def record(text: str, edits: Sequence[Edit], annotators: Sequence[Sequence[GoldEdit]], beta: float) -> dict[str, Any]:
    """Counts of one item by label, in every kind of evaluation: the annotator that fits best counts (tracks.md §3).

    ``concentrated`` is None without context-dependent gold edits. There should be one annotation of those (G); of
    several, the one with the highest recall counts, then the one with more TP, then the first.
    """
    gold = Unit(text, {number: tuple(each.edit for each in listed) for number, listed in enumerate(annotators)})
    system = Unit(text, {0: tuple(edits)})
    found = {kind: compare([gold], [system], Rules(beta=beta, detection=kind)) for kind in Detection}
    return {
        **{kind.value: _labels(each.labels) for kind, each in found.items()},
        "annotator": found[Detection.CORRECTION].chosen[0][1],
        "concentrated": _concentrated(edits, annotators),
    }


def aggregate(outcomes: Sequence[Outcome], beta: float, ranked_by: str) -> dict[str, Any]:
    """Totals over the scored items; sums, so their order does not matter. Undefined is None."""
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    corrected = [pair for _, score in records for pair in _counts(score["correction"])]
    wide = [(source, score["concentrated"]) for source, score in records if score["concentrated"] is not None]
    wide_pairs = [pair for _, score in wide for pair in _counts(score)]
    found: dict[str, Any] = {
        kind.value: _sum((pair for _, score in records for pair in _counts(score[kind.value])), beta, len(records))
        for kind in Detection
    }
    found["concentrated"] = _sum(wide_pairs, beta, len(wide))
    ranked = found["concentrated" if ranked_by == "concentrated" else "correction"]
    return {
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "scored": len(records),
        "beta": beta,
        "ranked_by": ranked_by,
        "ranked": None if ranked is None else ranked["f"],
        **found,
        "by_operation": _by(corrected, By.OPERATION, beta),
        "by_type": _by(corrected, By.TYPE, beta),
        "by_source": _by(_of_groups((source, score["correction"]) for source, score in records), By.FULL, beta),
        "concentrated_by_type": _by(wide_pairs, By.FULL, beta),
        "concentrated_by_source": _by(_of_groups(wide), By.FULL, beta),
    }


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by F, highest first."""
    return by_value({standing.team: standing.aggregate["ranked"] for standing in standings})


def item_counts(score: Json, kind: str) -> Counts | None:
    """Counts of one item; None where it has none of this kind."""
    return None if score is None or score[kind] is None else total(counts for _, counts in _counts(score[kind]))


def _concentrated(edits: Sequence[Edit], annotators: Sequence[Sequence[GoldEdit]]) -> dict[str, list[int]] | None:
    marked = [gold for gold in annotators if any(each.context_dependent for each in gold)]
    if not marked:
        return None
    found = [evaluate(gold, edits) for gold in marked]
    best = max(found, key=lambda each: (each.counts.recall, each.counts.tp))
    return _labels(best.labels)


def _labels(labels: Mapping[str, Counts]) -> dict[str, list[int]]:
    return {label: list(counts) for label, counts in sorted(labels.items())}


def _counts(labels: Mapping[str, Sequence[int]]) -> list[tuple[str, Counts]]:
    return [(label, Counts(*numbers)) for label, numbers in labels.items()]


def _of_groups(records: Iterable[tuple[str, Json]]) -> list[tuple[str, Counts]]:
    return [(source, counts) for source, labels in records for _, counts in _counts(labels)]


def _sum(pairs: Iterable[tuple[str, Counts]], beta: float, records: int) -> dict[str, Any] | None:
    return total(counts for _, counts in pairs).to_dict(beta) if records else None


def _by(pairs: Iterable[tuple[str, Counts]], by: By, beta: float) -> dict[str, Any]:
    return {name: counts.to_dict(beta) for name, counts in grouped(pairs, by).items()}
