"""Score records: counts of one text by label, in every kind of evaluation (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import normalize

from tracks.beside import Counted
from tracks.fingerprints import fingerprint
from tracks.gec.answers import read_answer
from tracks.gec.comparison import Rules, compare
from tracks.gec.concentrated import GoldEdit, evaluate, parted
from tracks.gec.counts import Counts, total
from tracks.gec.items import read_gold, text_of
from tracks.gec.m2 import Edit, Unit, same_text
from tracks.gec.places import UNKNOWN, By, Detection, category, places
from tracks.protocol import Json


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
