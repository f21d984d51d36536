"""Score records of texts, a session's totals, and the boards (tracks.md §3; G)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

from markup_core.formats.m2 import Edit, Unit, same_text
from tracks.base import fingerprint
from tracks.capabilities import Counted
from tracks.gec.comparison import NEEDS, GoldEdit, Rules, compare, context_order, evaluate, parted
from tracks.gec.counts import UNKNOWN, By, Counts, Detection, category, grouped, places, total
from tracks.gec.items import read_answer, read_gold, text_of
from tracks.protocol import Json, Outcome
from tracks.rules import BoardRules, told_groups, told_labels
from tracks.rules import Unit as BoardUnit
from tracks.texts import tr, tr_in


def record(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Json]:
    """Count one text's edits by label, against the annotator that fits best (tracks.md §3); no answer is no edits.

    Raises ValueError without a reference.
    """
    if not references:
        raise ValueError("a text without gold edits of any annotator cannot be scored")
    text = text_of(item)
    size = len(text.tokens)
    gold = [read_gold(reference, size)[0] for reference in references]
    edits = [] if answer is None else read_answer(answer, text.tokens)[0]
    inputs = {"item": item, "answer": answer, "references": list(references), "parameters": parameters}
    return {
        "answered": answer is not None,
        "source": text.source,
        "named": sorted({edit.type for edit in edits if edit.type != UNKNOWN}),
        **counted(text.text, edits, gold, parameters["beta"]),
        "fingerprint": fingerprint("gec.score", inputs),
    }


# Clause: TS T10
def contribution(item: Json, answer: Json, references: Sequence[Json]) -> Counted:
    """Return an answer's contribution to totals: places for detection by tokens and by spans, corrections that may be
    right, and everything with its types.

    An edit that writes what stands there corrects nothing; with every edit of the type ``UNK`` it is left out of the
    corrections.
    """
    tokens = text_of(item).tokens
    edits = [] if answer is None else read_answer(answer, tokens)[0]
    changing = [edit for edit in edits if not same_text(edit.correction.split(), tokens[edit.start : edit.end])]
    whole: list[Json] = [[edit.start, edit.end, edit.type, normalize("NFC", edit.correction)] for edit in edits]
    views = (
        *(sorted(places(edits, kind)) for kind in (Detection.TOKEN, Detection.SPAN)),
        sorted(places(changing)),
        whole,
    )
    labels: dict[By, dict[str, list[Json]]] = {By.TYPE: {}, By.OPERATION: {}}
    for edit, view in zip(edits, whole, strict=True):
        for by, edits_of in labels.items():
            edits_of.setdefault(category(edit.type, by) or "", []).append(view)
    return Counted(
        tuple(view or None for view in views),
        list(references),
        (f"source {text_of(item).source}",),
        tuple(labels.values()),
    )


def counted(text: str, edits: Sequence[Edit], annotators: Sequence[Sequence[GoldEdit]], beta: float) -> dict[str, Any]:
    """Count one item's edits by label, in every kind of evaluation: the best fitting annotator counts (tracks.md §3).

    ``concentrated`` is None without context-dependent gold edits, and so are ``contexts`` and ``needs``: the same by
    direction and distance of the context, and by what it is needed for. There should be one annotation of those (G); of
    several, the one with the highest recall counts, then the one with more TP, then the first.
    """
    gold = Unit(
        text, {number: tuple(gold_edit.edit for gold_edit in listed) for number, listed in enumerate(annotators)}
    )
    system = Unit(text, {0: tuple(edits)})
    comparisons = {kind: compare([gold], [system], Rules(beta=beta, detection=kind)) for kind in Detection}
    return {
        **{kind.value: _labels(comparison.labels) for kind, comparison in comparisons.items()},
        "annotator": comparisons[Detection.CORRECTION].chosen[0][1],
        **_concentrated(edits, annotators),
    }


def item_counts(score: Json, kind: str) -> Counts | None:
    """Return the counts of one item; None if it has none of this kind."""
    return None if score is None or score[kind] is None else total(counts for _, counts in counts_of(score[kind]))


# Clause: G concentrated 3, TS G-4
def _concentrated(edits: Sequence[Edit], annotators: Sequence[Sequence[GoldEdit]]) -> dict[str, Any]:
    marked = [gold for gold in annotators if any(gold_edit.context_dependent for gold_edit in gold)]
    if not marked:
        return dict.fromkeys(("concentrated", "contexts", "needs"))
    evaluations = [(evaluate(gold, edits), gold) for gold in marked]
    best, gold = max(evaluations, key=lambda evaluation: (evaluation[0].counts.recall, evaluation[0].counts.tp))
    contexts, needs = (
        _labels({name: evaluate(part, edits).counts for name, part in parts.items()}) for parts in parted(gold)
    )
    return {"concentrated": _labels(best.labels), "contexts": contexts, "needs": needs}


def _labels(labels: Mapping[str, Counts]) -> dict[str, list[int]]:
    return {label: list(counts) for label, counts in sorted(labels.items())}


def counts_of(labels: Mapping[str, Sequence[int]]) -> list[tuple[str, Counts]]:
    """Return the counts of a record by their labels."""
    return [(label, Counts(*numbers)) for label, numbers in labels.items()]


_PARTS: Final[Mapping[str, Callable[[str], Any]]] = {"contexts": context_order, "needs": NEEDS.index}
"""What records say of context-dependent edits beside their types, and in which order it stands."""


def aggregate(outcomes: Sequence[Outcome], beta: float) -> dict[str, Any]:
    """Compute totals over the scored items; sums, so their order does not matter. Undefined is None."""
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    corrected = [pair for _, score in records for pair in counts_of(score["correction"])]
    wide = [(source, score["concentrated"]) for source, score in records if score["concentrated"] is not None]
    wide_pairs = [pair for _, score in wide for pair in counts_of(score)]
    by_kind: dict[str, Any] = {
        kind.value: _sum((pair for _, score in records for pair in counts_of(score[kind.value])), beta, len(records))
        for kind in Detection
    }
    by_kind["concentrated"] = _sum(wide_pairs, beta, len(wide))
    return {
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "scored": len(records),
        "beta": beta,
        **by_kind,
        "by_operation": _by(corrected, By.OPERATION, beta),
        "by_type": _by(corrected, By.TYPE, beta),
        "by_source": _by(_counts_by_source((source, score["correction"]) for source, score in records), By.FULL, beta),
        "concentrated_by_type": _by(wide_pairs, By.FULL, beta),
        "concentrated_by_source": _by(_counts_by_source(wide), By.FULL, beta),
        **{f"concentrated_by_{key[:-1]}": _parts(records, key, order, beta) for key, order in _PARTS.items()},
    }


# Clause: TS T10, TS G-6
def totals(result: Json, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Reduce the aggregate of these outcomes to totals of a hidden set: no category that the gold of fewer than
    ten texts has, or one to nine answers name, nor any from which such a one follows."""
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    scores = [score for _, score in records]
    languages = [outcome.item.language for outcome in outcomes if outcome.score is not None]
    gold = [[label for label, counts in counts_of(score["correction"]) if counts.tp + counts.fn] for score in scores]
    named = [score.get("named", score["correction"]) for score in scores]  # older records say less
    categories = {
        **{f"by_{by.value}": _publishable(languages, by, gold, named) for by in (By.OPERATION, By.TYPE)},
        "by_source": told_groups(Counter(source for source, _ in records)),
        "concentrated_by_type": _publishable(languages, By.FULL, [score["concentrated"] or () for score in scores]),
        "concentrated_by_source": told_groups(
            Counter(source for source, score in records if score["concentrated"] is not None)
        ),
        **{
            f"concentrated_by_{key[:-1]}": _publishable(languages, By.FULL, [score[key] or () for score in scores])
            for key in _PARTS
        },
    }
    return {
        **result,
        **{
            key: {name: counts for name, counts in result[key].items() if name in categories[key]} for key in categories
        },
    }


def _publishable(
    languages: Sequence[str], by: By, gold: Sequence[Iterable[str]], *named: Sequence[Iterable[str]]
) -> Any:
    """Return the categories that may be told, by the labels of each text; totals of each language are told, too."""
    gold_texts, *others = (_texts(labels, by) for labels in (gold, *named))
    parts = [
        {name: {text for text in texts if languages[text] == language} for name, texts in side.items()}
        for side in (gold_texts, *others)
        for language in sorted(set(languages))
    ]
    return told_labels(gold_texts, *others, *parts)


def _texts(labels: Iterable[Iterable[str]], by: By) -> dict[str | None, set[int]]:
    """Return the texts in which each category occurs, by the labels of each."""
    texts: dict[str | None, set[int]] = {}
    for number, labels_of_text in enumerate(labels):
        for label in labels_of_text:
            texts.setdefault(category(label, by), set()).add(number)
    return texts


# Clause: TS G-4
def _parts(records: Sequence[tuple[str, Json]], key: str, order: Callable[[str], Any], beta: float) -> dict[str, Any]:
    """Compute totals by the parts of context-dependent edits that records name."""
    parts: dict[str, list[Counts]] = {}
    for _, score in records:
        for name, counts in counts_of(score[key] or {}):
            parts.setdefault(name, []).append(counts)
    return {name: total(parts[name]).to_dict(beta) for name in sorted(parts, key=order)}


def _counts_by_source(records: Iterable[tuple[str, Json]]) -> list[tuple[str, Counts]]:
    return [(source, counts) for source, labels in records for _, counts in counts_of(labels)]


def _sum(pairs: Iterable[tuple[str, Counts]], beta: float, records: int) -> dict[str, Any] | None:
    return total(counts for _, counts in pairs).to_dict(beta) if records else None


def _by(pairs: Iterable[tuple[str, Counts]], by: By, beta: float) -> dict[str, Any]:
    return {name: counts.to_dict(beta) for name, counts in grouped(pairs, by).items()}


CONCENTRATED: Final = "concentrated"
# Clause: TS G-3
BOARDS: Final = (
    BoardRules(key="all", title=tr_in("score", "All edits"), measure=tr("F"), unit=BoardUnit.SHARE, whole_set=True),
    BoardRules(
        key=CONCENTRATED,
        title=tr("Context-dependent edits"),
        measure=tr("Recall"),
        unit=BoardUnit.SHARE,
        whole_set=True,
    ),
)
"""**Decision**: context-dependent edits are ranked by recall: other edits are no FP there, and G looks at recall."""
