"""Show a command's results: tables for people (terminal, Markdown, CSV), one line of JSON each for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markup_core.command.console import Console, caption
from markup_core.command.inputs import EssayFiles
from markup_core.command.operations import Answer, encode
from markup_core.params import ACCURACIES, METRICS
from markup_core.receipt import canonical_bytes, sha256_hex
from markup_core.rounding import fixed
from markup_core.tables import UNDEFINED, bar, decimal, interval, markdown_table, p_text, percent, shortened, text_table
from markup_core.texts import in_language

if TYPE_CHECKING:
    from markup_core.sample import Systems

Json = Mapping[str, Any]


def record(console: Console, op: str, inputs: Json, answer: Answer) -> None:
    """Print a result with its fingerprint and the names of its inputs, for ``verify`` to read."""
    whole = {"op": op, "inputs": inputs, "result": answer.result, "fingerprint": answer.fingerprint}
    console.data(encode(whole) + b"\n")


def faults(console: Console, path: Path, markup: Any, result: Json) -> None:
    """Print all errors and warnings of one markup."""
    entries = [("error", fault) for fault in result["errors"]] + [("warning", fault) for fault in result["warnings"]]
    counts = {"errors": len(result["errors"]), "warnings": len(result["warnings"])}
    if not counts["errors"]:
        console.line(console.sentence("valid", file=path, fragments=len(markup["selections"])))
    if entries:
        console.line(console.sentence("faults", file=path, **counts))
        headings = _captions(console, "kind", "fragment", "field", "code", "message")
        rows = [
            (
                caption(kind, console.language),
                UNDEFINED if fault["fragment"] is None else shortened(str(fault["fragment"]), 20),
                shortened(fault["field"] or UNDEFINED),
                fault["code"],
                in_language(fault["message"], console.language),
            )
            for kind, fault in entries
        ]
        console.line(f"{text_table(headings, rows)}\n")


def grade(console: Console, path: Path, result: Json) -> None:
    """Print the criteria of one markup with their reasons."""
    subject = result["subject"]
    console.line(console.sentence("graded", file=path, subject=subject, total=result["total"], most=result["max"]))
    from markup_core.criteria import FORMULAS  # only this view needs the formulas

    maxima = dict(zip(FORMULAS[subject].names, FORMULAS[subject].maxima, strict=True))
    rows = [
        (name, str(points), str(maxima[name]), result["explanations"][name][console.language].partition(": ")[2])
        for name, points in result["criteria"].items()
    ]
    console.line(f"{text_table(_captions(console, 'criterion', 'points', 'most', 'why'), rows, (1, 2))}\n")


def metrics(console: Console, result: Json) -> None:
    """Print M1…M7 and the pair accuracy."""
    values = {**{name: result["metrics"][name] for name in METRICS}, "pair_accuracy": result["pair_accuracy"]}
    rows = [
        (name if name in METRICS else "", caption(name, console.language), percent(value, console.language))
        for name, value in values.items()
    ]
    console.line(f"{text_table(_captions(console, 'metric', 'meaning', 'value'), rows, (2,))}\n")


def matching(console: Console, x: Json, y: Json, result: Json) -> None:
    """Print corresponding fragments in the order of the text, then those without a counterpart."""
    counts = {"pairs": result["pairs"], "x": result["unmatched_x"], "y": result["unmatched_y"]}
    sizes = {name: len(listed) for name, listed in counts.items()}
    q = decimal(f"{result['q']:.4g}", console.language)
    console.line(f"{console.sentence('matched', **sizes, q=q)}\n")
    code, span = _captions(console, "code", "span")
    headings = (f"X: {code}", f"X: {span}", f"Y: {code}", f"Y: {span}", *_captions(console, "overlap", "text"))
    console.line(text_table(headings, _couples(x, y, result, console.language), (4,)))


def _couples(x: Json, y: Json, result: Json, language: str) -> Iterator[tuple[str, ...]]:
    ours, theirs, text = x["selections"], y["selections"], x["text"]
    couples = [(ours[i], theirs[k]) for i, k in result["pairs"]]
    couples += [(ours[i], None) for i in result["unmatched_x"]] + [(None, theirs[k]) for k in result["unmatched_y"]]
    for one, other in sorted(couples, key=lambda couple: _span(couple[0] or couple[1])):
        overlap = _overlap(_span(one), _span(other), language) if one and other else UNDEFINED
        start, end = _span(one or other)
        yield (*_place(one), *_place(other), overlap, shortened(text[start:end]))


def _place(selection: Json | None) -> tuple[str, str]:
    if selection is None:
        return UNDEFINED, UNDEFINED
    start, end = _span(selection)
    return selection["type"], f"{start}…{end}"


def _span(selection: Json | None) -> tuple[int, int]:
    return (0, 0) if selection is None else (selection["startSelection"], selection["endSelection"])


def _overlap(one: tuple[int, int], other: tuple[int, int], language: str) -> str:
    """Write common characters in per cent of all; two full-text fragments coincide."""
    union = max(one[1], other[1]) - min(one[0], other[0])
    common = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    if one == other:
        return percent(100.0, language)
    apart = one[1] - one[0] + other[1] - other[0]  # touching or distant spans have no gap in their union
    return percent(common * 100.0 / (union if common else apart), language)


def _captions(console: Console, *names: str) -> tuple[str, ...]:
    return tuple(caption(name, console.language) for name in names)


_Named = tuple[str, Mapping[str, Any]]
"""A group's name as it is shown, and its accuracies."""
_Field = tuple[str, str]
"""An accuracy's abbreviation in the regulation, and its field in the results."""


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; columns whose index is in ``right`` hold numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]

    def as_text(self) -> str:
        """Write the table for a terminal."""
        return f"{self.title}\n\n{text_table(self.headings, self.rows, self.right)}\n"

    def as_markdown(self) -> str:
        """Write the table for a report."""
        return f"## {self.title}\n\n{markdown_table(self.headings, self.rows, self.right)}\n"


def sample_tables(answer: Answer, essays: Sequence[EssayFiles], language: str) -> tuple[Table, ...]:
    """Return the accuracies by group and by metric, STAR over all essays where these are others, and last by essay.

    ``answer`` is that of the operation ``sample`` on these very essays. Where no program has marked any of them, there
    is neither STAR nor OTAR to show.
    """
    result = answer.result
    answered = any(files.algorithm for files in essays)
    fields = [accuracy for accuracy in ACCURACIES.items() if answered or accuracy[0] == "STER"]
    by_group = _accuracies("by_group", "group", _groups(result, language), fields, language)
    by_metric = _accuracies("by_metric", "metric", _metrics(result, language), fields, language)
    return (by_group, by_metric, *_over_all(result, language), _by_essay(result, essays, fields, language))


def markdown_report(answer: Answer, essays: Sequence[EssayFiles], language: str) -> str:
    """Write the whole report, self-contained. The same inputs give the same bytes: it names no time and no place."""
    chart = []
    if any(files.algorithm for files in essays):
        values = {name: score["relative_accuracy"] for name, score in answer.result["by_subject"].items()}
        width = max(map(len, values), default=0)
        lines = [
            f"{name:<{width}}  {percent(value, language):>7}  {bar(value)}".rstrip() for name, value in values.items()
        ]
        bars = "\n".join(lines)
        chart = [f"## {caption('chart', language)}\n\n```\n{bars}\n```\n"]
    *accuracies, by_essay = sample_tables(answer, essays, language)
    parts = [
        f"# {caption('report', language)}\n",
        f"{caption('legend', language)}\n",
        *(table.as_markdown() for table in accuracies),
        *chart,
        by_essay.as_markdown(),
        _parameters(answer.fingerprint, language).as_markdown(),
    ]
    return "\n".join(parts)


def _over_all(result: Mapping[str, Any], language: str) -> Iterator[Table]:
    """Return STAR over every answered essay with an expert, for groups where STER and OTAR have other essays."""
    from markup_core.sample import over_other_essays  # other commands have no samples

    groups = [*_groups(result, language), *_metrics(result, language)]
    rows = [
        (
            name,
            str(group["algorithm_essays"]),
            percent(group["algorithm_accuracy_all"], language),
            interval(group["interval_95"]["algorithm_accuracy_all"], language),
        )
        for name, group in groups
        if over_other_essays(group)
    ]
    if rows:
        yield _table("over_all", ("group", "essays", "STAR", "interval"), rows, language)


def _groups(result: Mapping[str, Any], language: str) -> list[_Named]:
    return [
        (caption("all", language), result),
        *((f"{caption('subject', language)} {name}", group) for name, group in result["by_subject"].items()),
        *((f"{caption('language', language)} {name}", group) for name, group in result["by_language"].items()),
    ]


def _metrics(result: Mapping[str, Any], language: str) -> list[_Named]:
    return [(f"{name} {caption(name, language)}", result["by_metric"][name]) for name in METRICS]


def _accuracies(title: str, first: str, groups: Sequence[_Named], fields: Sequence[_Field], language: str) -> Table:
    headings = [first, "essays"]
    for name, _ in fields:
        headings += [name, "interval"]
    rows = []
    for name, group in groups:
        cells = [name, str(group["essays"])]
        for _, field in fields:
            cells += [percent(group[field], language), interval(group["interval_95"][field], language)]
        rows.append(tuple(cells))
    return _table(title, headings, rows, language)


def _by_essay(
    result: Mapping[str, Any], essays: Sequence[EssayFiles], fields: Sequence[_Field], language: str
) -> Table:
    rows = [
        (files.essay, str(len(files.experts)), *(percent(score[field], language) for _, field in fields))
        for files, score in zip(essays, result["by_essay"], strict=True)
    ]
    return _table("by_essay", ["essay", "experts", *(name for name, _ in fields)], rows, language)


def _parameters(fingerprint: Mapping[str, Any], language: str) -> Table:
    params = fingerprint["parameters"]
    texts = {
        "library": fingerprint["library"],
        "weights": (", " if language == "en" else "; ").join(
            decimal(f"{weight:g}", language) for weight in params["weights"]
        ),
        "hardness": decimal(f"{params['hardness']:g}", language),
        "separate_groups": caption("yes" if params["separate_groups"] else "no", language),
        "paraphrase": params["paraphrase"],
        "inputs": sha256_hex(canonical_bytes(fingerprint)),
    }
    rows = tuple((caption(name, language), text) for name, text in texts.items())
    headings = (caption("field", language), caption("value", language).removesuffix(", %"))
    return Table(caption("parameters", language), headings, rows, ())


def agreement_summary(result: Json, language: str) -> str:
    """Return how many essays count, and alpha."""
    alpha = UNDEFINED if result["alpha"] is None else decimal(fixed(result["alpha"], 4), language)
    counts = {name: result[name] for name in ("essays", "left_out", "words")}
    return caption("agreement", language).format(alpha=alpha, **counts)


def agreement_tables(result: Json, language: str) -> tuple[Table, ...]:
    """Return couples of experts, codes, and confused codes as tables; a table without a row is left out."""
    couples = [
        (
            f"{couple['first']:02} – {couple['second']:02}",
            str(couple["essays"]),
            percent(couple["pair_accuracy"], language),
        )
        for couple in result["couples"]
    ]
    codes = [
        (
            code["code"],
            *(str(code[name]) for name in ("reference", "other", "agreed")),
            *(percent(code[name], language) for name in ("precision", "recall", "f")),
        )
        for code in result["codes"]
    ]
    differing = [
        (confusion["reference"] or UNDEFINED, confusion["other"] or UNDEFINED, str(confusion["times"]))
        for confusion in result["confusion"]
        if confusion["reference"] != confusion["other"]
    ]
    tables = (
        _table("by_couple", ("couple", "essays", "pair_accuracy"), couples, language),
        _table("by_code", ("code", "reference", "other", "agreed", "precision", "recall", "f1"), codes, language),
        _table("confusion", ("reference", "other", "times"), differing, language, first=2),
    )
    return tuple(table for table in tables if table.rows)


def systems_table(systems: Systems, language: str) -> Table:
    """Return the differences of two systems, with p by both tests; without scipy one of them is a dash."""
    headings = ("metric", "essays", "first", "second", "difference", "interval", "p_bootstrap", "p_permutation")
    rows = [
        (
            tested.measure,
            str(tested.essays),
            *(percent(value, language) for value in (tested.first, tested.second, tested.difference)),
            interval(tested.interval_95, language),
            *(decimal(p_text(p), language) for p in (tested.p_bootstrap, tested.p_permutation)),
        )
        for tested in systems.measures
    ]
    return _table("systems", headings, rows, language)


def _table(
    title: str, headings: Sequence[str], rows: Sequence[tuple[str, ...]], language: str, *, first: int = 1
) -> Table:
    """Build a table; ``first`` is the first column of numbers."""
    named = tuple(caption(name, language) for name in headings)
    return Table(caption(title, language), named, tuple(rows), tuple(range(first, len(headings))))
