"""The tables of a sample, and the report of a folder as one Markdown file (R 5.7, 6.5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markup_core.command.captions import caption
from markup_core.command.folder import EssayFiles
from markup_core.command.operations import Answer
from markup_core.command.tables import bar, decimal, interval, markdown_table, percent, text_table
from markup_core.params import METRICS
from markup_core.receipt import canonical_bytes, sha256_hex
from markup_core.sample import over_other_essays

_Named = tuple[str, Mapping[str, Any]]
"""A group's name as it is shown, and its accuracies."""
_Field = tuple[str, str]
"""An accuracy's abbreviation in the regulation, and its field in the results."""
ACCURACIES = (("STAR", "algorithm_accuracy"), ("STER", "expert_accuracy"), ("OTAR", "relative_accuracy"))


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; columns whose index is in ``right`` hold numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]

    def as_text(self) -> str:
        """For a terminal."""
        return f"{self.title}\n\n{text_table(self.headings, self.rows, self.right)}\n"

    def as_markdown(self) -> str:
        """For a report."""
        return f"## {self.title}\n\n{markdown_table(self.headings, self.rows, self.right)}\n"


def sample_tables(answer: Answer, essays: Sequence[EssayFiles], language: str) -> tuple[Table, ...]:
    """By group, by metric, STAR over all essays where these are others, and last by essay.

    ``answer`` is that of the operation ``sample`` on these very essays. Where no program has marked any of them, there
    is neither STAR nor OTAR to show.
    """
    result = answer.result
    answered = any(files.algorithm for files in essays)
    shown = [each for each in ACCURACIES if answered or each[0] == "STER"]
    by_group = _accuracies("by_group", "group", _groups(result, language), shown, language)
    by_metric = _accuracies("by_metric", "metric", _metrics(result, language), shown, language)
    return (by_group, by_metric, *_over_all(result, language), _by_essay(result, essays, shown, language))


def markdown_report(answer: Answer, essays: Sequence[EssayFiles], language: str) -> str:
    """The whole report, self-contained. The same inputs give the same bytes: it names no time and no place."""
    chart = "\n".join(_chart(answer.result, language)) if any(files.algorithm for files in essays) else None
    *accuracies, by_essay = sample_tables(answer, essays, language)
    parts = [
        f"# {caption('report', language)}\n",
        f"{caption('legend', language)}\n",
        *(table.as_markdown() for table in accuracies),
        *([] if chart is None else [f"## {caption('chart', language)}\n\n```\n{chart}\n```\n"]),
        by_essay.as_markdown(),
        _parameters(answer.fingerprint, language).as_markdown(),
    ]
    return "\n".join(parts)


def _over_all(result: Mapping[str, Any], language: str) -> Iterator[Table]:
    """STAR over every answered essay with an expert, of the groups where STER and OTAR are not over the same ones."""
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
        headings = tuple(caption(name, language) for name in ("group", "essays", "STAR", "interval"))
        yield Table(caption("over_all", language), headings, tuple(rows), (1, 2, 3))


def _groups(result: Mapping[str, Any], language: str) -> list[_Named]:
    return [
        (caption("all", language), result),
        *((f"{caption('subject', language)} {name}", each) for name, each in result["by_subject"].items()),
        *((f"{caption('language', language)} {name}", each) for name, each in result["by_language"].items()),
    ]


def _metrics(result: Mapping[str, Any], language: str) -> list[_Named]:
    return [(f"{name} {caption(name, language)}", result["by_metric"][name]) for name in METRICS]


def _accuracies(title: str, first: str, groups: Sequence[_Named], shown: Sequence[_Field], language: str) -> Table:
    headings = [caption(first, language), caption("essays", language)]
    for name, _ in shown:
        headings += [caption(name, language), caption("interval", language)]
    rows = []
    for name, group in groups:
        cells = [name, str(group["essays"])]
        for _, field in shown:
            cells += [percent(group[field], language), interval(group["interval_95"][field], language)]
        rows.append(tuple(cells))
    return Table(caption(title, language), tuple(headings), tuple(rows), tuple(range(1, len(headings))))


def _by_essay(result: Mapping[str, Any], essays: Sequence[EssayFiles], shown: Sequence[_Field], language: str) -> Table:
    headings = (
        *(caption(name, language) for name in ("essay", "experts")),
        *(caption(name, language) for name, _ in shown),
    )
    rows = tuple(
        (files.essay, str(len(files.experts)), *(percent(score[field], language) for _, field in shown))
        for files, score in zip(essays, result["by_essay"], strict=True)
    )
    return Table(caption("by_essay", language), headings, rows, tuple(range(1, len(headings))))


def _chart(result: Mapping[str, Any], language: str) -> Iterator[str]:
    values = {name: each["relative_accuracy"] for name, each in result["by_subject"].items()}
    width = max(map(len, values), default=0)
    for name, value in values.items():
        yield f"{name:<{width}}  {percent(value, language):>7}  {bar(value)}".rstrip()


def _parameters(fingerprint: Mapping[str, Any], language: str) -> Table:
    params = fingerprint["parameters"]
    said = {
        "library": fingerprint["library"],
        "weights": (", " if language == "en" else "; ").join(
            decimal(f"{weight:g}", language) for weight in params["weights"]
        ),
        "hardness": decimal(f"{params['hardness']:g}", language),
        "separate_groups": caption("yes" if params["separate_groups"] else "no", language),
        "paraphrase": params["paraphrase"],
        "inputs": sha256_hex(canonical_bytes(fingerprint)),
    }
    rows = tuple((caption(name, language), text) for name, text in said.items())
    headings = (caption("field", language), caption("value", language).removesuffix(", %"))
    return Table(caption("parameters", language), headings, rows, ())
