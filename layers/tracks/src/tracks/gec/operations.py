"""Operations on JSON values, agreement of raters, and annotations of errors on the platform (tracks.md §3, §5; G).

``gec.compare``, ``gec.blocks``, ``gec.concentrated`` and ``gec.agreement`` refuse with the codes ``invalid_request``
(details: field), ``invalid_m2`` (details: field, count, faults with line, code and message), ``source_differs``
(details: unit, reference_line, hypothesis_line), ``units_differ`` (details: reference, hypothesis).

Every measure of agreement (G, Table 2) is None where it is undefined, never 0 or 1 for want of something better. All
but alpha are fractions of whole numbers, rounded once.

Annotators describe errors on the platform, blind, by the six fields of the article; their markups are validated,
compared, kept. A markup is ``{"edits": […]}`` in the form of a gold data set (:mod:`tracks.gec.items`): of every error
its span, correction and type, and of one that depends on context the need for the context, its place and its distance.
An annotator's markup is a reference as it stands, and so is the one that leaves the platform (G-1, G-7).

:func:`evaluate` counts gold edits that depend on a wide context, and the tables are about them (tracks.md §3; G, Tables
4–7). Only gold edits marked as context-dependent count: one that the system made is a TP, one that it did not make a
FN. The system's other edits are neither TP nor FP, so there is no FP and precision is 1; G says so and points to
recall. There is one annotation, so the total does not depend on how a text is cut into blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import fsum
from types import MappingProxyType
from typing import Any, Final

from markup_core.command.inputs import RefusedError
from markup_core.formats import m2
from markup_core.formats.m2 import Edit, M2Error, PlainUnit, remarks
from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits
from markup_core.receipt import canonical_json
from markup_core.texts import at
from tracks.base import Fields, read_body, reason, refuse, refuse_value
from tracks.capabilities import Agreed, Judged
from tracks.gec import comparison
from tracks.gec.items import (
    Context,
    Direction,
    GoldEdit,
    Scope,
    Tie,
    blocks,
    dump_gold_edit,
    read_edits,
    read_gold,
    read_gold_edits,
    text_of,
)
from tracks.protocol import Json, Reason
from tracks.texts import tr

Ratings = Sequence[Sequence[str | None]]
"""Labels of an item by every rater, item by item; None: the rater left the item out."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The four measures of G's Table 2: three with 1 for agreement in everything, the last in per cent."""

    krippendorff_alpha: float | None
    fleiss_kappa: float | None
    randolph_kappa: float | None
    authors_percent: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the result of ``gec.agreement`` (tracks.md §5)."""
        return {
            "krippendorff_alpha": self.krippendorff_alpha,
            "fleiss_kappa": self.fleiss_kappa,
            "randolph_kappa": self.randolph_kappa,
            "authors_percent": self.authors_percent,
        }


def agreement(items: Ratings, categories: Sequence[str], base: Sequence[str | None] | None) -> Agreement:
    """Compute all four measures; ``categories`` are all that a rater could choose, used or not."""
    return Agreement(
        krippendorff_alpha(items),
        fleiss_kappa(items),
        randolph_kappa(items, len(categories)),
        authors_percent(items, base),
    )


# Clause: G agreement alpha, G Table 1, G Table 2, tracks §3 agreement
def krippendorff_alpha(items: Ratings) -> float | None:
    """Compute Krippendorff's alpha for nominal labels, 1 − observed / expected disagreement (tracks.md §3; G, Table 2).

    Items with fewer than two labels say nothing and are left out. None where all labels that are left are the same, or
    none are left: no disagreement is to be expected then.
    """
    paired = [[label for label in item if label is not None] for item in items]
    paired = [labels for labels in paired if len(labels) > 1]
    places = {label: place for place, label in enumerate(sorted({x for labels in paired for x in labels}))}
    if len(places) < 2:
        return None
    import krippendorff  # with numpy it takes longer to load than everything else of the track

    counts = [[Counter(labels)[label] for label in places] for labels in paired]
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


# Clause: G agreement Fleiss, G Table 2, tracks §3 agreement
def fleiss_kappa(items: Ratings) -> float | None:
    """Compute Fleiss' kappa, (P − Pₑ) / (1 − Pₑ) with Pₑ = Σ p² of the shares of the labels (tracks.md §3; G, Table 2).

    None without items, with fewer than two raters, with missing labels (Fleiss has as many of each item), and where
    there is one label only (Pₑ = 1).
    """
    observed = _pairs_that_agree(items)
    if observed is None:
        return None
    shares = Counter(label for item in items for label in item)
    every = shares.total()
    if len(shares) == 1:
        return None
    expected = sum(Fraction(count, every) ** 2 for count in shares.values())
    return float((observed - expected) / (1 - expected))


# Clause: G agreement Randolph, G Table 2
def randolph_kappa(items: Ratings, categories: int) -> float | None:
    """Compute Randolph's free-marginal kappa, (P − 1/k) / (1 − 1/k), k listed categories (tracks.md §3; G, Table 2).

    None without items, with fewer than two raters or categories, and with missing labels.
    """
    observed = _pairs_that_agree(items)
    if observed is None or categories < 2:
        return None
    expected = Fraction(1, categories)
    return float((observed - expected) / (1 - expected))


# Clause: G agreement authors, G Table 2
def authors_percent(items: Ratings, base: Sequence[str | None] | None) -> float | None:
    """Compute 100/n · Σᵢ (Σⱼ [itemᵢⱼ = baseᵢ]) / m, the authors' own measure (G, "Согласованность аннотаторов").

    m is the number of labels that an item has; items without a label or without one in the base markup are left out.
    None where no item is left.
    """
    shares = []
    for item, expected in zip(items, base or (), strict=base is not None):
        labels = [label for label in item if label is not None]
        if labels and expected is not None:
            shares.append(Fraction(sum(label == expected for label in labels), len(labels)))
    return float(100 * sum(shares) / len(shares)) if shares else None


def _pairs_that_agree(items: Ratings) -> Fraction | None:
    """Compute the mean share of pairs of raters with the same label (P of Fleiss and Randolph)."""
    raters = len(items[0]) if items else 0
    if raters < 2 or any(label is None for item in items for label in item):
        return None
    agreeing = sum(n * (n - 1) for item in items for n in Counter(item).values())
    return Fraction(agreeing, raters * (raters - 1) * len(items))


_LIMITS: Final = Limits(max_bytes=2 * 1024 * 1024, max_depth=8)
FIELDS: Final[Mapping[str, Callable[[GoldEdit], Any]]] = {
    "type": lambda gold: gold.edit.type,
    "context_dependent": lambda gold: gold.context_dependent,
    "detection": lambda gold: gold.context and gold.context.detection,
    "correction": lambda gold: gold.context and gold.context.correction,
    "scope": lambda gold: gold.context and gold.context.scope.value,
    "distance": lambda gold: gold.context and f"{gold.context.left}+{gold.context.right}",
    "direction": lambda gold: gold.context and gold.context.direction.value,
}
"""Labels that an annotator gives an error: the fields of G (1-6), and whether the error depends on context at all."""
_LABEL: Final = "context_dependent"
_UNSAID: Final = "—"


# Clause: TS G-7, G annotation
def judge(item: Json, body: bytes) -> Judged:
    """Judge a draft; an error that depends on context needs the other five fields, too."""
    raw, broken = read_body(body, _LIMITS)
    if broken:
        return Judged(broken)
    edits, reasons = read_gold(raw, len(text_of(item).tokens))
    reasons += [_unsaid(number) for number, gold in enumerate(edits) if gold.context_dependent and gold.context is None]
    if reasons:
        return Judged(tuple(reasons))
    ordered = sorted(edits, key=lambda gold: (gold.edit.start, gold.edit.end))
    return Judged((), (), {"edits": [dump_gold_edit(gold) for gold in ordered]})


def _unsaid(number: int) -> Reason:
    field = f"edits[{number}].context"
    return reason(
        "context_missing",
        field,
        tr("{field}: say what the context of this error is needed for, where it is and how far", field=field),
    )


def accuracy_against(item: Json, first: Json, second: Json) -> Json:
    """Compute, field by field and in per cent, how many errors that either annotator names both describe alike."""
    units = _units(item, first, second)
    shares = {name: _share(labels for _, fields in units for labels in [fields[name]]) for name in FIELDS}
    defined = [share for share in shares.values() if share is not None]
    return {"fields": shares, "pair_accuracy": fsum(defined) / len(defined) if defined else None}


def pair(item: Json, first: Json, second: Json) -> Json:
    """Return both annotators' labels of every error that either of them names: the facts of agreement."""
    return {"errors": [{"type": name, "fields": fields} for name, fields in _units(item, first, second)]}


# Clause: TS G-7, TS G-5, G Table 2
def agreement_on_errors(pairs: Sequence[Agreed]) -> Json:
    """Compute the article's measures over the labels of all errors, by field, and of the need for context by type.

    An error that one of the two does not name has no label of that one. An undefined measure is None.
    """
    errors = [error for agreed in pairs for error in agreed.pair["errors"]]
    fields = {name: _measures([error["fields"][name] for error in errors]) for name in FIELDS}
    whole = fields[_LABEL]
    types = sorted({error["type"] for error in errors})
    of_type = {name: [error["fields"][_LABEL] for error in errors if error["type"] == name] for name in types}
    totals = {"essays": len(pairs), "accuracy": whole["same_percent"], "alpha": whole["krippendorff_alpha"]}
    return {
        "all": {**totals, "accuracy_95": None, "alpha_95": None},
        "by_field": fields,
        "by_type": {name: _measures(labels) for name, labels in of_type.items()},
    }


def _measures(labels: Sequence[Sequence[str | None]]) -> dict[str, Json]:
    used = sorted({label for both in labels for label in both if label is not None})
    return {**agreement(labels, used, None).to_dict(), "same_percent": _share(labels), "errors": len(labels)}


def _share(labels: Iterable[Sequence[str | None]]) -> float | None:
    """Compute the per cent of errors, named by at least one annotator, that both describe alike."""
    same = [first == second for first, second in labels]
    return 100 * sum(same) / len(same) if same else None


def _units(item: Json, first: Json, second: Json) -> list[tuple[str, dict[str, list[str | None]]]]:
    """List errors by their spans, in their order: type, and each field as both annotators give it."""
    size = len(text_of(item).tokens)
    sides = [{(gold.edit.start, gold.edit.end): gold for gold in read_gold(one, size)[0]} for one in (first, second)]
    units = []
    for span in sorted({*sides[0], *sides[1]}):
        named = [side.get(span) for side in sides]
        types = sorted({gold.edit.type for gold in named if gold is not None})
        fields = {name: [None if gold is None else _label(say(gold)) for gold in named] for name, say in FIELDS.items()}
        units.append((types[0], fields))
    return units


def _label(value: Any) -> str:
    return _UNSAID if value is None else str(value).lower() if isinstance(value, bool) else str(value)


NOT_SAID: Final = "unknown"
"""Name for a context without a description."""
NEEDS: Final = ("detection", "detection_and_correction", "correction", NOT_SAID)
"""Purposes for which an edit needs its context, in the order of the tables."""
MORE: Final = 4
"""Largest distance with a row of its own; greater ones share a row (G, Table 6)."""


# Clause: G concentrated 2, G Table 7
def evaluate(
    gold: Iterable[GoldEdit],
    hypothesis: Sequence[Edit],
    detection: comparison.Detection = comparison.Detection.CORRECTION,
) -> comparison.Comparison:
    """Count one unit (tracks.md §3): TP and FN over context-dependent gold edits, no FP."""
    ours: Sequence[m2.Fields] = [gold_edit.edit for gold_edit in gold if gold_edit.context_dependent]
    system, ours = comparison.settled(hypothesis, ours)
    labels: comparison.Labels = {}
    comparison.count_labels(system, ours, detection, labels)
    counted = {name: comparison.Counts(tp, 0, fn) for name, (tp, _, fn) in labels.items() if tp or fn}
    ((tp, _, fn),) = comparison.count(comparison.places(system, detection), [comparison.places(ours, detection)])
    counts = comparison.Counts(tp, 0, fn)
    return comparison.Comparison(counts, counted, ((0, 0),), (counts,))


# Clause: G Table 4
def by_type(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """Count context-dependent edits by type, the most frequent first (G, Table 4)."""
    return _ranked(Counter(gold_edit.edit.type for gold_edit in gold if gold_edit.context_dependent))


# Clause: G App B
def among_all(gold: Iterable[GoldEdit]) -> dict[str, tuple[int, int]]:
    """Count edits of each type of error, and those of them that depend on context (G, Appendix B).

    The types with the largest share of such edits come first.
    """
    every: Counter[str] = Counter()
    dependent: Counter[str] = Counter()
    for gold_edit in gold:
        every[gold_edit.edit.type] += 1
        dependent[gold_edit.edit.type] += gold_edit.context_dependent
    order = sorted(every, key=lambda name: (-Fraction(dependent[name], every[name]), -every[name], name))
    return {name: (every[name], dependent[name]) for name in order}


# Clause: G Table 6
def by_context(gold: Iterable[GoldEdit]) -> dict[tuple[Direction, str], Mapping[Scope, int]]:
    """Count context-dependent edits by the context that they need, in the order of G's Table 6.

    A row is a direction and a distance, ``"1"`` to ``"4"`` and ``">4"``, or ``"1+2"`` for both sides. Edits without
    this metadata are in no row.
    """
    rows: dict[tuple[Direction, str], Counter[Scope]] = {}
    contexts = [
        gold_edit.context for gold_edit in gold if gold_edit.context_dependent and gold_edit.context is not None
    ]
    for context in sorted(
        contexts, key=lambda context: (list(Direction).index(context.direction), context.left, context.right)
    ):
        rows.setdefault((context.direction, _distance(context)), Counter())[context.scope] += 1
    return dict(rows)


# Clause: TS G-4
def parted(gold: Iterable[GoldEdit]) -> tuple[dict[str, list[GoldEdit]], dict[str, list[GoldEdit]]]:
    """Group context-dependent edits by direction and distance of their context ("left 1"), and by its purpose."""
    contexts: dict[str, list[GoldEdit]] = {}
    needs: dict[str, list[GoldEdit]] = {}
    for gold_edit in gold:
        if gold_edit.context_dependent:
            context = gold_edit.context
            side = NOT_SAID if context is None else f"{context.direction.value} {_distance(context)}"
            contexts.setdefault(side, []).append(gold_edit)
            needs.setdefault(_need(gold_edit.context), []).append(gold_edit)
    return contexts, needs


def context_order(name: str) -> tuple[int, int, str]:
    """Sort key of :func:`parted`'s names: left, right, either, both; near before far; unknown last."""
    direction, _, distance = name.partition(" ")
    sides = [side.value for side in Direction]
    far = distance.startswith(">")
    return (sides.index(direction) if direction in sides else len(sides), int(far), distance)


def by_need(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """Count context-dependent edits by the need for context: detection, correction alone, or unknown."""
    needs = Counter(_need(gold_edit.context) for gold_edit in gold if gold_edit.context_dependent)
    return {name: needs[name] for name in NEEDS}


# Clause: G Table 5
def by_source(sources: Iterable[tuple[str, Sequence[GoldEdit]]]) -> dict[str, int]:
    """Count context-dependent edits by corpus, the largest first (G, Table 5)."""
    corpora: Counter[str] = Counter()
    for source, gold in sources:
        corpora[source] += sum(gold_edit.context_dependent for gold_edit in gold)
    return _ranked(corpora)


def _ranked(counted: Counter[str]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _need(context: Context | None) -> str:
    if context is None:
        return NOT_SAID
    if context.detection:
        return "detection_and_correction" if context.correction else "detection"
    return "correction"


# Clause: G Table 6
def _distance(context: Context) -> str:
    sides = [f">{MORE}" if side > MORE else str(side) for side in (context.left, context.right) if side]
    return "+".join(sides)


MOST_SENTENCES: Final = 1_000_000


def units(text: str, name: str) -> Iterator[PlainUnit]:
    """Read the units of an M2 text; raise :class:`RefusedError` with every fault and the input's name at its end."""
    try:
        yield from m2.units(text)
    except M2Error as error:
        details = {"field": name, "count": error.count, "faults": [fault._asdict() for fault in error.faults]}
        raise RefusedError("invalid_m2", at(name, error.message), details) from None


def _compare(fields: Fields) -> dict[str, Any]:
    """Compute totals of a system against several annotators (tracks.md §3, §5)."""
    rules = comparison.Rules(
        comparison.Mode(fields.choice("mode", _values(comparison.Mode), "unit")), _beta(fields), _detection(fields)
    )
    by = _by(fields)
    names = ("reference_m2", "hypothesis_m2")
    reference, hypothesis = texts = fields.text(names[0]), fields.text(names[1])
    (tally,) = comparison.add_texts(
        lambda: [comparison.Tally(rules, labels=by is not comparison.By.NONE)],
        texts,
        lambda: comparison.side_by_side(
            units(reference, fields.path(names[0])), units(hypothesis, fields.path(names[1]))
        ),
    )
    result = tally.comparison().to_dict(rules.beta, by)
    warnings = [warning for name, text in zip(names, texts, strict=True) for warning in warnings_of(text, name)]
    return {**result, **({"warnings": warnings} if warnings else {})}


def warnings_of(text: str, name: str) -> list[dict[str, Any]]:
    """Return an M2 text's remarks with the name of the input."""
    return [{"field": name, **remark._asdict()} for remark in remarks(text)]


def _blocks(fields: Fields) -> dict[str, Any]:
    """Compute the smallest blocks (tracks.md §3, §5)."""
    count = fields.whole("n_sentences", low=0, high=MOST_SENTENCES)
    ties = []
    for part in fields.parts("edits"):
        first, last = part.whole("first", low=0, high=count - 1), part.whole("last", low=0, high=count - 1)
        if first > last:
            refuse(part.path("last"), tr("must not be before the first: {first}, {last}", first=first, last=last))
        group = part.raw("group", None)
        if isinstance(group, bool) or not isinstance(group, str | int | None):
            refuse_value(part.path("group"), tr("a string, a whole number or null"), group)
        ties.append(Tie(first, last, group))
    return {"blocks": blocks(count, ties)}


def _concentrated(fields: Fields) -> dict[str, Any]:
    """Evaluate one unit on context-dependent gold edits alone (tracks.md §3, §5)."""
    beta, detection, by = _beta(fields), _detection(fields), _by(fields)
    gold, hypothesis = read_gold_edits(fields, "gold"), read_edits(fields, "hypothesis")
    return evaluate(gold, list(hypothesis), detection).to_dict(beta, by)


def _agreement(fields: Fields) -> dict[str, Any]:
    """Compute the measures of G's Table 2; with ``types``, a label of every item, also by type (tracks.md §3, §5)."""
    items = [_labels(f"{fields.path('items')}[{n}]", item) for n, item in enumerate(fields.items("items"))]
    for number, item in enumerate(items):
        if len(item) != len(items[0]):
            refuse(
                f"{fields.path('items')}[{number}]",
                tr("has {item} labels, the first item has {items}", item=len(item), items=len(items[0])),
            )
    base = fields.items("base", None)
    expected = None if base is None else _labels(fields.path("base"), base)
    categories = _categories(
        fields, {label for item in [*items, expected or ()] for label in item if label is not None}
    )
    _same_length(fields, "base", expected, len(items))
    types = fields.items("types", None)
    _same_length(fields, "types", types, len(items))
    result: dict[str, Any] = agreement(items, categories, expected).to_dict()
    if types is not None:
        for number, name in enumerate(types):
            if not isinstance(name, str):
                refuse_value(f"{fields.path('types')}[{number}]", tr("a string"), name)
        result["by_type"] = _by_type(types, items, categories, expected)
    return result


def _by_type(
    types: list[str], items: list[list[str | None]], categories: list[str], base: list[str | None] | None
) -> dict[str, Any]:
    agreements = {}
    for name in sorted(set(types)):
        chosen = [place for place, kind in enumerate(types) if kind == name]
        part = None if base is None else [base[place] for place in chosen]
        agreements[name] = agreement([items[place] for place in chosen], categories, part).to_dict()
    return agreements


def _categories(fields: Fields, used: set[str]) -> list[str]:
    """Read all labels that a rater could choose; used ones must be listed. By default: the used ones."""
    labels = fields.items("categories", None)
    if labels is None:
        return sorted(used)
    listed = [label for label in _labels(fields.path("categories"), labels) if label is not None]
    if len(listed) < len(labels) or len(set(listed)) < len(listed):
        refuse(fields.path("categories"), tr("must be different labels, none of them null"))
    if unknown := sorted(used - set(listed)):
        refuse(fields.path("categories"), tr("do not list {unknown}", unknown=", ".join(unknown)))
    return listed


def _labels(path: str, value: Any) -> list[str | None]:
    """Read labels as texts that are equal where JSON's values are: strings, numbers, true and false; null is none."""
    if not isinstance(value, list):
        refuse_value(path, tr("a list"), value)
    labels = []
    for number, label in enumerate(value):
        if not (label is None or isinstance(label, str | int | float)):
            refuse_value(f"{path}[{number}]", tr("a label or null"), label)
        whole = isinstance(label, float) and label.is_integer()
        labels.append(None if label is None else canonical_json(int(label) if whole else label))
    return labels


def _same_length(fields: Fields, name: str, listed: list[Any] | None, count: int) -> None:
    if listed is not None and len(listed) != count:
        refuse(fields.path(name), tr("has {listed} entries, there are {count} items", listed=len(listed), count=count))


def _beta(fields: Fields) -> float:
    beta: float = fields.number("beta", comparison.DEFAULT_BETA, low=comparison.MIN_BETA, high=comparison.MAX_BETA)
    return beta


def _detection(fields: Fields) -> comparison.Detection:
    return comparison.Detection(fields.choice("detection", _values(comparison.Detection), "correction"))


def _by(fields: Fields) -> comparison.By:
    return comparison.By(fields.choice("by", _values(comparison.By), "none"))


def _values(options: type[comparison.Mode] | type[comparison.By] | type[comparison.Detection]) -> list[str]:
    return [option.value for option in options]


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {"gec.compare": _compare, "gec.blocks": _blocks, "gec.concentrated": _concentrated, "gec.agreement": _agreement}
)
