"""A session's totals with every breakdown (tracks.md §3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tracks.gec.concentrated import NEEDS, context_order
from tracks.gec.counts import Counts, total
from tracks.gec.places import By, Detection, category, grouped
from tracks.gec.score import counts_of
from tracks.protocol import Json, Outcome
from tracks.rules import told_groups, told_labels

_PARTS: Final[Mapping[str, Callable[[str], Any]]] = {"contexts": context_order, "needs": NEEDS.index}
"""What records say of context-dependent edits beside their types, and in which order it stands."""


def aggregate(outcomes: Sequence[Outcome], beta: float) -> dict[str, Any]:
    """Totals over the scored items; sums, so their order does not matter. Undefined is None."""
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    corrected = [pair for _, score in records for pair in counts_of(score["correction"])]
    wide = [(source, score["concentrated"]) for source, score in records if score["concentrated"] is not None]
    wide_pairs = [pair for _, score in wide for pair in counts_of(score)]
    found: dict[str, Any] = {
        kind.value: _sum((pair for _, score in records for pair in counts_of(score[kind.value])), beta, len(records))
        for kind in Detection
    }
    found["concentrated"] = _sum(wide_pairs, beta, len(wide))
    return {
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "scored": len(records),
        "beta": beta,
        **found,
        "by_operation": _by(corrected, By.OPERATION, beta),
        "by_type": _by(corrected, By.TYPE, beta),
        "by_source": _by(_of_groups((source, score["correction"]) for source, score in records), By.FULL, beta),
        "concentrated_by_type": _by(wide_pairs, By.FULL, beta),
        "concentrated_by_source": _by(_of_groups(wide), By.FULL, beta),
        **{f"concentrated_by_{key[:-1]}": _parts(records, key, order, beta) for key, order in _PARTS.items()},
    }


def totals(found: Json, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Of :func:`aggregate` of these outcomes what may be told of a hidden set: no category that the gold of fewer than
    ten texts has, or one to nine answers name, nor any from which such a one follows.

    Clause: TS T10, TS G-6
    """
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    scores = [score for _, score in records]
    languages = [outcome.item.language for outcome in outcomes if outcome.score is not None]
    gold = [_asked(score["correction"]) for score in scores]
    named = [score.get("named", score["correction"]) for score in scores]  # older records say less
    told = {
        **{f"by_{by.value}": _told(languages, by, gold, named) for by in (By.OPERATION, By.TYPE)},
        "by_source": told_groups(Counter(source for source, _ in records)),
        "concentrated_by_type": _told(languages, By.FULL, [score["concentrated"] or () for score in scores]),
        "concentrated_by_source": told_groups(
            Counter(source for source, score in records if score["concentrated"] is not None)
        ),
        **{
            f"concentrated_by_{key[:-1]}": _told(languages, By.FULL, [score[key] or () for score in scores])
            for key in _PARTS
        },
    }
    return {**found, **{key: {name: each for name, each in found[key].items() if name in told[key]} for key in told}}


def _told(languages: Sequence[str], by: By, gold: Sequence[Iterable[str]], *named: Sequence[Iterable[str]]) -> Any:
    """Return which categories may be told, of the labels of each text; of each language totals are told, too."""
    asked, *others = (_texts(labels, by) for labels in (gold, *named))
    parts = [
        {name: {text for text in texts if languages[text] == language} for name, texts in side.items()}
        for side in (asked, *others)
        for language in sorted(set(languages))
    ]
    return told_labels(asked, *others, *parts)


def _asked(labels: Mapping[str, Sequence[int]]) -> list[str]:
    """Return the labels of which a text has gold edits."""
    return [label for label, counts in counts_of(labels) if counts.tp + counts.fn]


def _texts(labels: Iterable[Iterable[str]], by: By) -> dict[str | None, set[int]]:
    """Return in which texts each category occurs, of the labels of each."""
    texts: dict[str | None, set[int]] = {}
    for number, labels_of_text in enumerate(labels):
        for label in labels_of_text:
            texts.setdefault(category(label, by), set()).add(number)
    return texts


def _parts(records: Sequence[tuple[str, Json]], key: str, order: Callable[[str], Any], beta: float) -> dict[str, Any]:
    """Totals by the parts of context-dependent edits that records name.

    Clause: TS G-4
    """
    found: dict[str, list[Counts]] = {}
    for _, score in records:
        for name, counts in counts_of(score[key] or {}):
            found.setdefault(name, []).append(counts)
    return {name: total(found[name]).to_dict(beta) for name in sorted(found, key=order)}


def _of_groups(records: Iterable[tuple[str, Json]]) -> list[tuple[str, Counts]]:
    return [(source, counts) for source, labels in records for _, counts in counts_of(labels)]


def _sum(pairs: Iterable[tuple[str, Counts]], beta: float, records: int) -> dict[str, Any] | None:
    return total(counts for _, counts in pairs).to_dict(beta) if records else None


def _by(pairs: Iterable[tuple[str, Counts]], by: By, beta: float) -> dict[str, Any]:
    return {name: counts.to_dict(beta) for name, counts in grouped(pairs, by).items()}
