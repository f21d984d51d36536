"""Score records of texts, a session's totals and boards, and the tables of reports, data sets and commands.

Tables are in both languages (tracks.md §3; G).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

from markup_core import texts
from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import AnyUnit, Edit, Unit, same_text
from markup_core.reading.wire import Limits
from tracks.base import Fields, fingerprint, of_refusal, read_body, reason
from tracks.capabilities import Counted
from tracks.gec.comparison import (
    UNKNOWN,
    By,
    Comparison,
    Counts,
    Detection,
    Rules,
    category,
    compare,
    grouped,
    judged,
    places,
    total,
)
from tracks.gec.items import Direction, GoldEdit, GoldItem, Scope, read_answer, read_gold, text_of
from tracks.gec.operations import (
    NEEDS,
    NOT_SAID,
    OPERATIONS,
    among_all,
    by_context,
    by_need,
    by_source,
    by_type,
    context_order,
    evaluate,
    parted,
)
from tracks.protocol import Json, LongSection, Outcome, Reason, Section, Text, in_both, in_language
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
    direction and distance of the context, and by its purpose. There should be one annotation of those (G); of
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
"""Fields of records on context-dependent edits beside their types, each with the sort key of its names."""


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
def totals(aggregate: Json, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Reduce the aggregate of these outcomes to totals of a hidden set: without categories that occur in the
    gold of fewer than ten texts or in one to nine answers, or from which such a category follows."""
    records = [(outcome.item.group, outcome.score) for outcome in outcomes if outcome.score is not None]
    scores = [score for _, score in records]
    languages = [outcome.item.language for outcome in outcomes if outcome.score is not None]
    gold = [[label for label, counts in counts_of(score["correction"]) if counts.tp + counts.fn] for score in scores]
    named = [score.get("named", score["correction"]) for score in scores]  # older records have no such field
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
        **aggregate,
        **{
            key: {name: counts for name, counts in aggregate[key].items() if name in categories[key]}
            for key in categories
        },
    }


def _publishable(
    languages: Sequence[str], by: By, gold: Sequence[Iterable[str]], *named: Sequence[Iterable[str]]
) -> Any:
    """Return the categories that may be shown, by the labels of each text; totals by language are shown, too."""
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


Measures = Mapping[str, Any]
"""Counts and fractions as :meth:`tracks.gec.comparison.Counts.to_dict` gives them."""
Pairs = Iterable[tuple[AnyUnit, AnyUnit]]
"""Units of the reference and of a system, side by side."""

SYSTEM: Final = tr("System")
TYPE: Final = tr_in("report", "Type")
SOURCE: Final = tr("Corpus")
ALL: Final = "all · все"
KINDS: Final[Mapping[str, str]] = {
    "correction": "correction · исправление",
    "span": "detection, spans · обнаружение, отрезки",
    "token": "detection, tokens · обнаружение, слова",
}
_SHARES: Final = (4, 5, 6)
"""Places of precision, recall and F after a row's name and its three counts."""
# Clause: TS G-3, G beta
_FURTHER_BETAS: Final = (1.0, 2.0)
"""Betas reported beside the cycle's own: F depends on the weight of recall (G, discussion)."""
EVALUATION: Final = tr("Evaluation")
DIRECTIONS: Final[Mapping[str, str]] = {
    Direction.LEFT.value: "left · слева",
    Direction.RIGHT.value: "right · справа",
    Direction.EITHER.value: "left or right · слева или справа",
    Direction.BOTH.value: "left and right · слева и справа",
    NOT_SAID: "not said · не указано",
}
NEEDS_SHOWN: Final[Mapping[str, str]] = {
    "detection": "detection alone · только для обнаружения",
    "detection_and_correction": "detection and correction · для обнаружения и исправления",
    "correction": "correction alone · только для исправления",
    NOT_SAID: "not said · не указано",
}
_BREAKDOWNS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_operation": (tr("By operation"), tr("Operation")),
    "by_type": (tr_in("report", "By type"), TYPE),
    "by_source": (tr("By corpus"), SOURCE),
    "concentrated_by_type": (tr("Context-dependent, by type"), TYPE),
    "concentrated_by_source": (tr("Context-dependent, by corpus"), SOURCE),
    "concentrated_by_context": (tr("Context-dependent, by direction and distance"), tr("Context")),
    "concentrated_by_need": (tr("Context-dependent, by what the context is for"), tr("For")),
}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build the tables of a session's report; those on context-dependent edits, and on texts, if there are any."""
    beta = aggregate["beta"]
    kinds = {**KINDS, "concentrated": "context-dependent · контекстно зависимые"}
    betas = [further for further in _FURTHER_BETAS if further != beta]
    rows = tuple((label, *numbers(aggregate[kind]), *_further(aggregate[kind], betas)) for kind, label in kinds.items())
    title = tr("The whole session")
    columns = (EVALUATION, *measures(beta), *(tr("F{further:g}", further=further) for further in betas))
    whole = Section("overall", title, columns, rows, shares=_SHARES)
    parts = [
        breakdown(key, *_BREAKDOWNS[key], _named(key, aggregate[key]), beta) for key in _BREAKDOWNS if aggregate[key]
    ]
    return (whole, *parts, *([_files(outcomes, beta)] if outcomes else []))


def _named(key: str, counts: Mapping[str, Measures]) -> Mapping[str, Measures]:
    """Name contexts and needs in both languages, for tables have one set of rows."""
    if key == "concentrated_by_need":
        return {NEEDS_SHOWN[name]: values for name, values in counts.items()}
    if key != "concentrated_by_context":
        return counts
    split = {name: name.partition(" ") for name in counts}
    return {
        with_more(DIRECTIONS[split[name][0]], f" {split[name][2]}".rstrip()): values for name, values in counts.items()
    }


def with_more(both: str, more: str) -> str:
    """Append the same text to a name in both languages."""
    return in_both(*(in_language(both, language) + more for language in ("en", "ru")))


def measures(beta: float) -> tuple[Text, ...]:
    """Return the column titles of counts and fractions."""
    return (tr("TP"), tr("FP"), tr("FN"), tr("Precision"), tr("Recall"), tr("F{beta:g}", beta=beta))


def numbers(measured: Measures | None) -> tuple[Any, ...]:
    """Return a row's cells; undefined without counts."""
    names = ("tp", "fp", "fn", "precision", "recall", "f")
    return (None,) * len(names) if measured is None else tuple(measured[name] for name in names)


def _further(measured: Measures | None, betas: Sequence[float]) -> tuple[float | None, ...]:
    """Compute F of the same counts by other betas."""
    if measured is None:
        return (None,) * len(betas)
    counts = Counts(measured["tp"], measured["fp"], measured["fn"])
    return tuple(counts.f(beta) for beta in betas)


def breakdown(key: str, title: Text, name: Text, categories: Mapping[str, Measures], beta: float) -> Section:
    """Build the table of counts by category."""
    rows = tuple((category, *numbers(counts)) for category, counts in categories.items())
    return Section(key, title, (name, *measures(beta)), rows, shares=_SHARES)


def _files(outcomes: Sequence[Outcome], beta: float) -> Section:
    rows: list[tuple[Json, ...]] = []
    for outcome in outcomes:
        parts = None if outcome.score is None else outcome.score["correction"]
        measured = None if parts is None else total(counts for _, counts in counts_of(parts)).to_dict(beta)
        rows.append((outcome.item.item_id, outcome.item.group, int(outcome.answered), *numbers(measured)))
    columns = (tr("Text"), SOURCE, tr("Answered"), *measures(beta))
    shares = tuple(place + 2 for place in _SHARES)
    return Section("files", tr("Texts"), columns, tuple(rows), shares=shares)


_EDITS: Final = tr("Edits")
_SHARE: Final = tr("Share, %")

_PRECISE: Final = 4
"""Decimals that ERRANT's own commands print."""


def precise(section: Section | LongSection) -> Section | LongSection:
    """Return a table whose fractions have as many decimals as ERRANT prints."""
    return replace(section, least_places=_PRECISE)


def overall(systems: Iterable[tuple[str, Mapping[str, Measures | None]]], beta: float) -> Section:
    """Build the table of every system at correction and at detection."""
    rows = tuple(
        (system, label, *numbers(measured[kind])) for system, measured in systems for kind, label in KINDS.items()
    )
    columns = (SYSTEM, EVALUATION, *measures(beta))
    return Section("overall", tr("Overall"), columns, rows)


def breakdown_of(system: str, key: str, categories: Mapping[str, Measures], beta: float) -> Section:
    """Build the table of a system's correction by operation (ERRANT's first letter), by type or by whole label."""
    title, name = {
        "by_operation": (tr("{system}: by operation", system=system), tr("Operation")),
        "by_type": (tr("{system}: by type", system=system), TYPE),
        "by_label": (tr("{system}: by operation and type", system=system), TYPE),
    }[key]
    return breakdown(key, title, name, categories, beta)


def by_unit(system: str, pairs: Callable[[], Pairs], corrected: Comparison, beta: float) -> LongSection:
    """Build the table of each unit's counts at correction, with its chosen couple of annotators."""

    def rows() -> Iterator[tuple[Json, ...]]:
        for number, ((unit, _), couple, counts) in enumerate(
            zip(pairs(), corrected.chosen, corrected.units, strict=True)
        ):
            yield number, *couple, *numbers(counts.to_dict(beta)), unit.source

    columns = (tr("Unit"), tr("Hypothesis id"), tr("Annotator"), *measures(beta), tr("Text"))
    return LongSection(tr("{system}: by unit", system=system), columns, rows)


def edits(system: str, pairs: Callable[[], Pairs], corrected: Comparison) -> LongSection:
    """Build the table of right, missed and wrong edits of the chosen couples at correction; spans in tokens."""

    def rows() -> Iterator[tuple[Json, ...]]:
        for number, ((unit, ours), (hypothesis, annotator)) in enumerate(zip(pairs(), corrected.chosen, strict=True)):
            tokens = unit.source.split()
            for sign, (start, end, label, correction, _) in judged(
                ours.annotators.get(hypothesis, ()), unit.annotators.get(annotator, ())
            ):
                written = " ".join(tokens[start:end]) or None
                yield number, sign, label, f"{start} {end}", written, correction or None

    columns = (tr("Unit"), tr("Counts as"), TYPE, tr("Tokens"), tr("Written"), tr("Correction"))
    return LongSection(tr("{system}: by edit", system=system), columns, rows)


def shares(key: str, title: Text, name: Text, counted: Mapping[str, int]) -> Section:
    """Build a table of numbers by category, with shares and the total (G, Tables 4 and 5)."""
    every = sum(counted.values())
    rows = [(category, count, 100 * count / every if every else None) for category, count in counted.items()]
    rows.append((ALL, every, 100.0 if every else None))
    return Section(key, title, (name, _EDITS, _SHARE), tuple(rows))


def data_set(types: Mapping[str, int], sources: Mapping[str, int], needs: Mapping[str, int]) -> tuple[Section, ...]:
    """Build the tables of a data set's contents (G, Tables 4 and 5)."""
    labelled_needs = {label: needs[name] for name, label in NEEDS_SHOWN.items() if needs[name]}
    return (
        shares("types", tr("Types of errors"), TYPE, types),
        shares("sources", tr("Source corpora"), SOURCE, sources),
        shares("needs", tr("Context needed for"), tr("For"), labelled_needs),
    )


def contexts(counts: Mapping[tuple[Direction, str], Mapping[Scope, int]]) -> Section:
    """Build the table of contexts that errors need (G, Table 6)."""
    rows: list[tuple[Any, ...]] = []
    for direction in Direction:
        part = [(distance, scopes) for (side, distance), scopes in counts.items() if side is direction]
        rows += [(DIRECTIONS[direction.value], distance, *_scopes([scopes])) for distance, scopes in part]
        if len(part) > 1:
            every = [scopes for _, scopes in part]
            rows.append((with_more(DIRECTIONS[direction.value], ", Σ"), None, *_scopes(every)))
    rows.append((ALL, None, *_scopes(list(counts.values()))))
    columns = (tr("Context"), tr("Distance"), tr("Other clause"), tr("Other sentence"), _EDITS)
    return Section("contexts", tr("Context that errors need"), columns, tuple(rows))


def among_all_table(counted: Mapping[str, tuple[int, int]]) -> Section:
    """Build the table of each type's edits and of those that depend on context (G, Appendix B)."""
    pairs = [*counted.items(), (ALL, tuple(map(sum, zip(*counted.values(), strict=True))) or (0, 0))]
    rows = tuple((name, every, dependent, dependent / every if every else None) for name, (every, dependent) in pairs)
    columns = (TYPE, tr("All edits"), tr("Context-dependent"), tr("Share"))
    return Section("among_all", tr("Context-dependent edits among all of a type"), columns, rows, shares=(3,))


# Clause: G Figure 1, G Table 7
def evaluation(
    key: str, name: Text, systems: Sequence[tuple[str, Measures, Mapping[str, Measures]]], beta: float
) -> Section:
    """Build the table of every system on context-dependent edits, in all and by category (G, Table 7 and Figure 1)."""
    rows = []
    for system, measured, categories in systems:
        rows.append((system, ALL, *numbers(measured)))
        rows += [(system, category, *numbers(counts)) for category, counts in categories.items()]
    title = tr("Context-dependent errors: {name}", name=Text(name.en.lower(), name.ru.lower()))
    return Section(key, title, (SYSTEM, name, *measures(beta)), tuple(rows))


def agreement(measured: Measures, types: Mapping[str, Measures], sizes: Mapping[str, int], items: int) -> Section:
    """Build the table of agreement in all and by type (G, Table 2)."""
    rows = ((ALL, *measured.values(), items), *((name, *part.values(), sizes[name]) for name, part in types.items()))
    columns = (
        TYPE,
        tr("Krippendorff's alpha"),
        tr("Fleiss' kappa"),
        tr("Randolph's kappa"),
        tr("Matches with the base, %"),
        tr_in("report", "Items"),
    )
    return Section("agreement", tr("Agreement"), columns, rows)


def blocks(item_blocks: Mapping[str, Sequence[Sequence[int]]]) -> Section:
    """Build the table of the smallest blocks of sentences of every item."""
    rows = tuple(
        (name, len(parts), "  ".join(" ".join(map(str, part)) for part in parts)) for name, parts in item_blocks.items()
    )
    columns = (tr("Item"), tr("Blocks"), tr("Sentences of each, from 0"))
    return Section("blocks", tr_in("report", "Blocks"), columns, rows)


def faults(path: Path, result: Json, language: str) -> Section:
    """Build the table of an M2 file's faults, line by line, in a language."""
    rows = tuple(
        (fault["line"], fault["code"], texts.in_language(fault["message"], language)) for fault in result["faults"]
    )
    columns = (tr("Line"), tr("Code"), tr("What is wrong"))
    return Section("faults", tr("{path}: faults {count}", path=path, count=result["count"]), columns, rows)


def remarks(listed: Sequence[tuple[str, Json]], language: str) -> Section:
    """Build the table of remarks on M2 files, with the first line of each kind."""
    rows = tuple(
        (name, remark["line"], remark["code"], texts.in_language(remark["message"], language))
        for name, remark in listed
    )
    columns = (tr("File"), tr("First line"), tr("Code"), tr("Remark"))
    return Section("remarks", tr("Remarks"), columns, rows)


def _scopes(parts: Sequence[Mapping[Scope, int]]) -> tuple[int, ...]:
    counts = [sum(part.get(scope, 0) for part in parts) for scope in Scope]
    return (*counts, sum(counts))


# Clause: TS G-4
def tables(items: Sequence[GoldItem]) -> tuple[Section, ...]:
    """Build tables of types, corpora, needs and contexts of context-dependent edits, and their share of all edits."""
    edits = [edit for item in items for edit in item.edits]
    set_tables = data_set(by_type(edits), by_source((item.source, item.edits) for item in items), by_need(edits))
    return (*set_tables, contexts(by_context(edits)), among_all_table(among_all(edits)))


def of_entries(entries: Sequence[tuple[Json, Sequence[Json]]]) -> tuple[Section, ...]:
    """Build the same tables of items with their annotators' gold edits.

    **Decision**: of a text with several annotators the first one's edits are counted, or a text would count as often as
    it was annotated.
    """
    items = []
    for item, references in sorted(entries, key=lambda entry: entry[0]["id"]):
        text = text_of(item)
        gold = read_gold(references[0], len(text.tokens))[0] if references else []
        items.append(GoldItem(text.item_id, text.source, text.sentences, tuple(gold)))
    return tables(items)


_LIMITS = Limits(max_bytes=4 * 1024 * 1024, max_depth=8)
"""Limits of a file of ratings: a hundred thousand labels take a tenth of the bytes."""


# Clause: TS G-5, G Table 2
def ratings_sections(body: bytes) -> tuple[tuple[Section, ...], tuple[Reason, ...]]:
    """Build the table of agreement in all and by type; an undefined measure is None.

    The form is that of ``gec.agreement``: ``items``, and where there are such ``categories``, ``base`` and ``types``.
    """
    value, broken = read_body(body, _LIMITS)
    if broken:
        return (), broken
    if not isinstance(value, dict):
        return (), (reason("not_an_object", "", tr("ratings are an object")),)
    try:
        measured = dict(OPERATIONS["gec.agreement"](Fields(value)))
    except RefusedError as error:
        return (), (of_refusal("invalid_ratings", error),)
    types = measured.pop("by_type", {})
    return (agreement(measured, types, Counter(value.get("types") or []), len(value["items"])),), ()
