"""Score records of texts, a session's totals, and the boards (tracks.md §3; G)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

from tracks.base import fingerprint
from tracks.capabilities import Counted
from tracks.gec.comparison import NEEDS, GoldEdit, Rules, compare, context_order, evaluate, parted
from tracks.gec.counts import UNKNOWN, By, Counts, Detection, category, grouped, places, total
from tracks.gec.items import read_answer, read_gold, text_of
from tracks.gec.m2 import Edit, Unit, same_text
from tracks.protocol import Json, Outcome, Text
from tracks.rules import BoardRules, told_groups, told_labels
from tracks.rules import Unit as BoardUnit


def record(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Json]:
    """Counts of one text by label, against the annotator that fits best (tracks.md §3); no answer is no edits.

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


def taken(item: Json, answer: Json, references: Sequence[Json]) -> Counted:
    """Return what the totals take of an answer: places for detection by tokens and by spans, corrections that may be
    right, and everything with its types.

    An edit that writes what stands there corrects nothing; with every edit of the type ``UNK`` it is left out of the
    corrections.

    Clause: TS T10
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
    """Counts of one item by label, in every kind of evaluation: the annotator that fits best counts (tracks.md §3).

    ``concentrated`` is None without context-dependent gold edits, and so are ``contexts`` and ``needs``: the same by
    direction and distance of the context, and by what it is needed for. There should be one annotation of those (G); of
    several, the one with the highest recall counts, then the one with more TP, then the first.
    """
    gold = Unit(text, {number: tuple(each.edit for each in listed) for number, listed in enumerate(annotators)})
    system = Unit(text, {0: tuple(edits)})
    found = {kind: compare([gold], [system], Rules(beta=beta, detection=kind)) for kind in Detection}
    return {
        **{kind.value: _labels(each.labels) for kind, each in found.items()},
        "annotator": found[Detection.CORRECTION].chosen[0][1],
        **_concentrated(edits, annotators),
    }


def item_counts(score: Json, kind: str) -> Counts | None:
    """Counts of one item; None where it has none of this kind."""
    return None if score is None or score[kind] is None else total(counts for _, counts in counts_of(score[kind]))


def _concentrated(edits: Sequence[Edit], annotators: Sequence[Sequence[GoldEdit]]) -> dict[str, Any]:
    """Clause: G concentrated 3, TS G-4"""
    marked = [gold for gold in annotators if any(each.context_dependent for each in gold)]
    if not marked:
        return dict.fromkeys(("concentrated", "contexts", "needs"))
    found = [(evaluate(gold, edits), gold) for gold in marked]
    best, gold = max(found, key=lambda each: (each[0].counts.recall, each[0].counts.tp))
    contexts, needs = (
        _labels({name: evaluate(part, edits).counts for name, part in parts.items()}) for parts in parted(gold)
    )
    return {"concentrated": _labels(best.labels), "contexts": contexts, "needs": needs}


def _labels(labels: Mapping[str, Counts]) -> dict[str, list[int]]:
    return {label: list(counts) for label, counts in sorted(labels.items())}


def counts_of(labels: Mapping[str, Sequence[int]]) -> list[tuple[str, Counts]]:
    """The counts of a record by their labels."""
    return [(label, Counts(*numbers)) for label, numbers in labels.items()]


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


CONCENTRATED: Final = "concentrated"
BOARDS: Final = (
    BoardRules(
        key="all",
        title=Text(en="All edits", ru="Все правки"),
        measure=Text(en="F", ru="F"),
        unit=BoardUnit.SHARE,
        whole_set=True,
    ),
    BoardRules(
        key=CONCENTRATED,
        title=Text(en="Context-dependent edits", ru="Контекстно зависимые правки"),
        measure=Text(en="Recall", ru="Полнота"),
        unit=BoardUnit.SHARE,
        whole_set=True,
    ),
)
"""**Decision**: context-dependent edits are ranked by recall: other edits are no FP there, and G looks at recall.

Clause: TS G-3
"""
