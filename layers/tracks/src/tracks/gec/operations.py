"""``gec.compare``, ``gec.blocks``, ``gec.concentrated`` and ``gec.agreement`` on JSON values (tracks.md §5).

Codes of refusals: ``invalid_request`` (details: field), ``invalid_m2`` (details: field, count, faults with line, code
and message), ``source_differs`` (details: unit, reference_line, hypothesis_line), ``units_differ`` (details: reference,
hypothesis).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.formats import m2
from markup_core.formats.m2 import M2Error, PlainUnit, remarks
from markup_core.receipt import canonical_json
from markup_core.texts import at
from tracks.base import Fields, refuse, refuse_value
from tracks.gec.agreement import agreement
from tracks.gec.comparison import Mode, Rules, Tally, add_texts, evaluate, side_by_side
from tracks.gec.counts import DEFAULT_BETA, MAX_BETA, MIN_BETA, By, Detection
from tracks.gec.gold import Tie, blocks, read_edits, read_gold_edits
from tracks.texts import tr

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
    rules = Rules(Mode(fields.choice("mode", _values(Mode), "unit")), _beta(fields), _detection(fields))
    by = _by(fields)
    names = ("reference_m2", "hypothesis_m2")
    reference, hypothesis = texts = fields.text(names[0]), fields.text(names[1])
    (tally,) = add_texts(
        lambda: [Tally(rules, labels=by is not By.NONE)],
        texts,
        lambda: side_by_side(units(reference, fields.path(names[0])), units(hypothesis, fields.path(names[1]))),
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
    beta: float = fields.number("beta", DEFAULT_BETA, low=MIN_BETA, high=MAX_BETA)
    return beta


def _detection(fields: Fields) -> Detection:
    return Detection(fields.choice("detection", _values(Detection), "correction"))


def _by(fields: Fields) -> By:
    return By(fields.choice("by", _values(By), "none"))


def _values(options: type[Mode] | type[By] | type[Detection]) -> list[str]:
    return [option.value for option in options]


OPERATIONS: Final[Mapping[str, Callable[[Fields], Any]]] = MappingProxyType(
    {"gec.compare": _compare, "gec.blocks": _blocks, "gec.concentrated": _concentrated, "gec.agreement": _agreement}
)
