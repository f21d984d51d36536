"""Reports as pages, and the parts of a page in HTML, with the one style of all pages.

The template escapes every text, element trees escape the charts. By the page's policy a browser loads the style and
nothing else.

The coordinator's report has progress, speed, agreement, drift and third experts (R 7.10). The commission has its record
of a run (R 8.3). The report of a session or submission follows R 6.5, 6.7 and 7.8; of a final it has the results (R
7.11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, content_types

from contest.charts import STYLE as TIMELINE_STYLE
from contest.charts import inline_chart, session_chart, times_of_row
from contest.edge.files import Language, cell_text, code_in_words, file_answer, in_language
from contest.edge.guards import policy_of
from contest.edge.web import Reply
from contest.experts.progress import MarkingReport
from contest.experts.rules import progress
from contest.results.rules import file_tables, leaderboard
from contest.session.rules.delivery import Cause
from contest.texts import tr, tr_in
from contest.values import CellKind, Millis, Table, from_iso, iso
from markup_core import charts
from markup_core.charts import Bar, Numbers, bars
from markup_core.lazy import dataclass
from markup_core.rounding import PERCENT_PLACES, fixed, percent
from tracks.protocol import Text

if TYPE_CHECKING:
    from jinja2 import Template


_PAGE: Final = """
:root{color-scheme:light dark}
body{font:1rem/1.45 system-ui,sans-serif;color:#1c1f24;background:#fff;max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-top:1px solid #d5d9e0;padding-top:.75rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem 1.5rem;margin:.5rem 0}
dt{font-size:.85rem;color:#5b6470}dd{margin:0;overflow-wrap:anywhere}
figure{margin:.75rem 0;overflow-x:auto}svg{max-width:100%;height:auto}
.wide{position:relative;overflow-x:auto;margin:.75rem 0}.wide:focus-visible{outline:2px solid #1a66b8}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
figcaption{font-size:.9rem;font-weight:600}
th,td{border:1px solid #d5d9e0;padding:.2rem .45rem;text-align:left;vertical-align:top}
td{overflow-wrap:break-word;max-width:26rem}thead th{vertical-align:bottom;background:#f4f6f9}tbody th{font-weight:400}
.number{text-align:right}
@media (prefers-color-scheme:dark){body{color:#e8eaee;background:#15181d}h2,th,td{border-color:#3a414c}dt{color:#aab3bf}
thead th{background:#1d2127}.bars text{fill:#e8eaee}.bars .grid{stroke:#3a414c}.bars .zero,.bars .reach{stroke:#e8eaee}
.bars .bar{fill:#2f7fd1}.bars .mark{stroke:#ff8a80}}
@media print{@page{size:A4 landscape;margin:12mm}:root{color-scheme:light}
body{max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}.wide,figure{overflow:visible}
table{font-size:7pt}th,td{padding:1pt 2pt}thead{display:table-header-group}tr,figure{break-inside:avoid}
h2{break-after:avoid}td,th{overflow-wrap:anywhere}}
"""

STYLE: Final = f"{TIMELINE_STYLE}{charts.STYLE}{_PAGE}"
POLICY: Final = policy_of(f"<style>{STYLE}</style>")
"""Content-Security-Policy of all pages: this style and nothing else, regardless of a page's content."""

SIGN: Final[Mapping[Language, str]] = {"ru": ",", "en": "."}
NOTHING: Final = "—"
"""An undefined value."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column's title in one language."""

    title: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table in one language."""

    caption: str
    columns: tuple[ShownColumn, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its caption. ``svg`` is an element made by an element tree, which has escaped it."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Block:
    """Contents under one heading."""

    title: str
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[ShownTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page in one language."""

    language: Language
    title: str
    blocks: tuple[Block, ...]


def page_html(page: Page) -> str:
    """Write the page as HTML. O(cells)."""
    from markupsafe import Markup

    style = Markup(STYLE)  # noqa: S704 -- a constant of ours
    blocks = [
        {
            **{name: getattr(block, name) for name in ("title", "lines", "facts", "tables")},
            "charts": [{"caption": chart.caption, "svg": Markup(chart.svg)} for chart in block.charts],  # noqa: S704 -- see Chart
        }
        for block in page.blocks
    ]
    return _template().render(page={"language": page.language, "title": page.title, "blocks": blocks}, style=style)


def answer(app: APIGatewayHttpResolver, html: str, language: Language) -> Reply:
    """Return a page as an answer, which a browser lets load nothing and run nothing."""
    headers = {
        "Content-Type": f"{content_types.TEXT_HTML}; charset=utf-8",
        "Content-Language": language,
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return file_answer(app, html.encode("utf-8"), headers)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # no other answer of a function needs it

    places = FileSystemLoader(Path(__file__).with_name("templates"))
    environment = Environment(
        loader=places, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")


def bars_html(
    title: str, rows: Sequence[Bar], key: str, language: Language, *, mark: float | None = None, digits: int = 2
) -> Chart:
    """Draw bars under their title, with numbers as the language writes them."""
    return Chart(title, bars(title, rows, key, mark, Numbers(digits, SIGN[language])))


def section(table: Table, language: Language, charts: tuple[Chart, ...] = ()) -> Block:
    """Return a table under its own heading, with its charts; an empty one has the heading alone."""
    title = in_language(table.title, language)
    if not table.rows:
        return Block(title, (in_language(EMPTY, language),))
    return Block(title, charts=charts, tables=(table_in(table, language),))


EMPTY = tr("Nothing.")


def table_in(table: Table, language: Language) -> ShownTable:
    """Return a table in a language."""
    columns = tuple(
        ShownColumn(in_language(column.title, language), column.kind is CellKind.NUMBER) for column in table.columns
    )
    rows = tuple(
        tuple(
            scalar_text(value, language, column.places)
            if not isinstance(value, str)
            else moment(value)
            if column.kind is CellKind.MOMENT
            else cell_text(column, value, language)
            for column, value in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    )
    return ShownTable(in_language(table.title, language), columns, rows)


def scalar_text(value: Any, language: Language, places: int = PERCENT_PLACES) -> str:
    """Return a scalar for people: fractions with so many decimals, halves up; words for truths."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return {"ru": ("нет", "да"), "en": ("no", "yes")}[language][value]
    if isinstance(value, float):
        return fixed(value, places).replace(".", SIGN[language])
    return str(value)


def moment(iso: str) -> str:
    """Write a moment of the platform's form for people."""
    return iso.replace("T", " ").replace("Z", " UTC")


_EXPERTS_TITLE: Final = tr("Experts' work on {0}")
_MARKING: Final = tr("The work")
_COUNTS: Final = {
    "essays": tr("Essays given out"),
    "done": tr("Done"),
    "lacking": tr("Experts lacking"),
    "thirds": tr("Third experts"),
}
_SET: Final = tr("Set")
_NOW: Final = tr("As of")
_CHARTS: Final = {
    "handed_in": tr("Essays handed in"),
    "mean_s": tr("Mean time of an essay, s"),
    "accuracy": tr("Agreement with partners, %"),
    "points": tr("Drift of points from partners, % of the most"),
}
_INTERVALS: Final = {"mean_s": "mean_95", "accuracy": "accuracy_95", "points": "points_95"}
_ALPHA: Final = tr("Krippendorff's alpha")
_DONE: Final = tr("Essays done, %")


def tables(report: MarkingReport) -> tuple[Table, ...]:
    """Return the report's tables, the experts' own first."""
    agreement = report.agreement
    groups = agreement.by_suggestions
    return progress.of_report(report.progress, agreement.agreement, agreement.speeds, report.pseudonyms, groups)


# Clause: R 7.10, R 8.3.2
def experts_page(report: MarkingReport, now: Millis, language: Language) -> str:
    """Return the page of a report made at a moment. O(essays + experts)."""
    all_tables = tables(report)
    agreements = [
        Bar(code_in_words(str(row["group"]), language), _number(row["alpha"]), _pair(row, "alpha_95"))
        for row in _named_experts(all_tables, "agreement").records()
    ]
    charts = {
        "experts": tuple(_experts(all_tables[0], language)),
        "progress": _progress(all_tables, language),
        "agreement": tuple(_drawn(in_language(_ALPHA, language), agreements, "alpha", language)),
    }
    blocks = [section(table, language, charts.get(table.name, ())) for table in all_tables]
    title = in_language(_EXPERTS_TITLE, language).format(report.marking.marking_id)
    work = report.progress
    counts = {"essays": len(work.essays), "done": work.done, "lacking": work.lacking, "thirds": work.thirds}
    facts = [(in_language(_SET, language), report.marking.set_name), (in_language(_NOW, language), moment(iso(now)))]
    facts += [(in_language(_COUNTS[name], language), str(count)) for name, count in counts.items()]
    return page_html(Page(language, title, (Block(in_language(_MARKING, language), facts=tuple(facts)), *blocks)))


def _experts(experts: Table, language: Language) -> Iterator[Chart]:
    for name, title in _CHARTS.items():
        rows = [
            Bar(
                str(expert["expert_id"]),
                _number(expert[name]),
                _pair(expert, _INTERVALS[name]) if name in _INTERVALS else None,
            )
            for expert in experts.records()
        ]
        digits = 0 if name == "handed_in" else 2
        yield from _drawn(in_language(title, language), rows, f"experts-{name}", language, digits)


def _progress(all_tables: Sequence[Table], language: Language) -> tuple[Chart, ...]:
    table = _named_experts(all_tables, "progress")
    records: Iterator[Mapping[str, Any]] = table.records()
    rows = [
        Bar(f"{row['language']} · {row['subject']}", 100.0 * float(row["done"]) / float(row["essays"]))
        for row in records
    ]
    return tuple(_drawn(in_language(_DONE, language), rows, "done", language))


def _drawn(title: str, rows: Sequence[Bar], key: str, language: Language, digits: int = 2) -> Iterator[Chart]:
    """Return a chart, unless all its values are undefined."""
    if any(row.value is not None for row in rows):
        yield bars_html(title, rows, key, language, digits=digits)


def _named_experts(all_tables: Sequence[Table], name: str) -> Table:
    return next(table for table in all_tables if table.name == name)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _pair(row: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    low, high = row[f"{name}_from"], row[f"{name}_to"]
    return None if low is None or high is None else (float(low), float(high))


_RUN_TITLE: Final = tr("Record of run {0} for the commission")
_RUN: Final = tr("The run")
_RUN_FACTS: Final = {
    "mode": tr("Kind"),
    "set": tr("Set"),
    "files": tr("Files"),
    "trial": tr("Trial"),
    "starts_at": tr("Start"),
    "ends_at": tr("End"),
    "stopped_at": tr("Stopped"),
    "closed_at": tr("Record made"),
    "published_at": tr("Results published"),
}
_MASS_FAILURE: Final = tr("Proposal on a mass failure")
_CAUSES: Final = tr("Annulled files by cause")
_SHARES: Final = tr("Share of missed files by team, %")
_BY_TEAM: Final = tr("By team: {}")


# Clause: R 8.3.1, R 8.3.3
def run_page(record: Mapping[str, Any], language: Language) -> str:
    """Return the page of the commission's record. O(annulled files)."""
    title = in_language(_RUN_TITLE, language).format(record["run"]["run_id"])
    by_team = in_language(_BY_TEAM, language).format(record["board"]["measure"][language])
    bars = [Bar(team_result["team_id"], team_result["value"]) for team_result in record["results"] or ()]
    results = bars_html(by_team, bars, "results", language, mark=record["board"]["barrier"])
    charts = {"teams": _annulments(record, language), "results": (results,)}
    tables = file_tables.of_record(record)
    about = Block(in_language(_RUN, language), facts=_named(record["run"], _RUN_FACTS, language))
    blocks = [about, *(section(table, language, charts.get(table.name, ())) for table in tables)]
    if record["mass_failure"] is not None:
        failure = record["mass_failure"]
        numbers = ", ".join(str(number) for number in failure["numbers"])
        blocks.insert(
            1,
            Block(
                in_language(_MASS_FAILURE, language), (f"{numbers} · {code_in_words(failure['standing'], language)}",)
            ),
        )
    return page_html(Page(language, title, tuple(blocks)))


def _annulments(record: Mapping[str, Any], language: Language) -> tuple[Chart, ...]:
    sessions = record["sessions"]
    causes, shares = in_language(_CAUSES, language), in_language(_SHARES, language)
    by_cause = [
        Bar(
            code_in_words(cause.value, language),
            float(sum(session["voided"]["by_cause"][cause.value]["files"] for session in sessions)),
        )
        for cause in Cause
    ]
    by_team = [Bar(session["team_id"], _percent(session["solution"]["voided_share"])) for session in sessions]
    allowed = max((session["solution"]["allowed_share"] for session in sessions), default=None)
    return (
        bars_html(causes, by_cause, "causes", language, digits=0),
        bars_html(shares, by_team, "shares", language, mark=_percent(allowed)),
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


_TITLE: Final = tr("Report of session {0}")
_SESSION: Final = tr("The session")
_READY: Final = tr("Conclusion on readiness")
_YES: Final = tr("Ready for the final.")
_NO: Final = tr("Not ready for the final.")
_ANNULLED: Final = tr("The whole solution is annulled: {0} of the files were missed, {1} are allowed.")
_BARRIER: Final = {
    True: tr("The technological barrier is overcome."),
    False: tr("The technological barrier is not overcome."),
}
_UNKNOWN: Final = tr("The results are not out yet.")
_RELATIVE: Final = tr("Relative accuracy, %")
_TIMES: Final = tr("Times")
_PROCESSING: Final = tr("Processing time, s")
_DELAY: Final = tr("Delay between opening and hand-out, s")
_TIMELINE: Final = tr("Every file from its opening")
_VOIDED: Final = tr("Annulled files")
_DECISIONS: Final = tr("Decisions that concern the session")
_OF_SUBMISSION: Final = tr("Report of submission {0}")
_SUBMISSION: Final = tr("The submission")
_SUBMISSION_FACTS: Final = {
    "team_id": tr("Team"),
    "kind": tr("Kind"),
    "set": tr("Set"),
    "items": tr("Items"),
    "answered": tr("Answered"),
    "missing": tr("Without an answer"),
    "completed_at": tr("Handed in"),
    "seconds": tr("Run, s"),
    "exit_code": tr("Exit code"),
}
_STATISTICS: Final = {"mean": tr("mean"), "p50": tr("median"), "p95": tr("95th percentile"), "max": tr("maximum")}
_FACTS: Final = {
    "team_id": tr("Team"),
    "mode": tr("Kind"),
    "set": tr("Set"),
    "language": tr("Language"),
    "files": tr("Files"),
    "state": tr("State"),
    "opened_at": tr_in("reports", "Opened"),
    "closed_at": tr("Closed"),
    "run_id": tr("Run"),
}


# Clause: R 6.5, R 6.7, R 7.8, R 7.11
def session_page(report: Mapping[str, Any], language: Language) -> str:
    """Return the page of a stored report. O(files)."""
    tables = file_tables.of_report(report)
    sections = [section(table, language, _accuracies(report, table.name, language)) for table in tables[1:]]
    if "submission" in report:
        title = in_language(_OF_SUBMISSION, language).format(report["submission"]["submission_id"])
        # What the submission is, how many items it answers, and how its program ran.
        values = {**report["submission"], **report["counts"], **(report["run"] or {})}
        about = Block(
            in_language(_SUBMISSION, language),
            (*_held_back(report, language), *_overcome(report, language)),
            _named(values, _SUBMISSION_FACTS, language),
        )
        return page_html(Page(language, title, (about, *sections, section(tables[0], language))))
    title = in_language(_TITLE, language).format(report["session"]["session_id"])
    blocks = [
        Block(in_language(_SESSION, language), facts=_named(report["session"], _FACTS, language)),
        _conclusion(report, language),
        *sections,
        _times(report, language),
        _voided(report, language),
        *_decisions(report, language),
        section(tables[0], language),
    ]
    return page_html(Page(language, title, tuple(blocks)))


def _named(values: Mapping[str, Any], names: Mapping[str, Text], language: Language) -> tuple[tuple[str, str], ...]:
    """Return the values that there are under their names, in the order of the names."""
    facts = []
    for key, name in names.items():
        if (value := values.get(key)) is not None:
            word = code_in_words if key in {"mode", "state", "language", "kind"} else scalar_text
            facts.append((in_language(name, language), moment(value) if key.endswith("_at") else word(value, language)))
    return tuple(facts)


def _held_back(report: Mapping[str, Any], language: Language) -> list[str]:
    """Return the reasons for withheld totals and for a result off the board."""
    reasons = (report.get(name) for name in ("withheld", "left_out", "off_board"))
    return [reason["message_ru" if language == "ru" else "message"] for reason in reasons if reason]


def _overcome(report: Mapping[str, Any], language: Language) -> Iterator[str]:
    overcome = report["barrier"]["overcome"]
    if overcome is not None:
        yield in_language(_BARRIER[overcome], language)


def _share(per_cent: str, language: Language) -> str:
    return f"{per_cent.replace('.', SIGN[language])}%"


def _conclusion(report: Mapping[str, Any], language: Language) -> Block:
    readiness = report["readiness"]
    lines = [in_language(_YES if readiness["ready"] else _NO, language)] if readiness else []
    lines += [
        reason["message_ru" if language == "ru" else "message"] for reason in (readiness or {"reasons": ()})["reasons"]
    ]
    lines += _held_back(report, language)
    solution = report.get("solution")
    if solution and solution["voided"]:
        voided, allowed = solution["voided_share"], solution["allowed_share"]
        shares = percent(voided, allowed, least=1), percent(allowed, allowed)
        lines.append(in_language(_ANNULLED, language).format(*(_share(share, language) for share in shares)))
    if report["session"]["mode"] == "final":
        if report["result"] is None:
            lines.append(in_language(_UNKNOWN, language))
        elif not (solution and solution["voided"]):
            lines += _overcome(report, language)
    return Block(in_language(_READY, language), tuple(lines))


def _accuracies(report: Mapping[str, Any], key: str, language: Language) -> tuple[Chart, ...]:
    """Return the relative accuracies of the groups of a table of that key, the whole session's first.

    With the barrier.
    """
    result = report["result"]
    groups = result.get(key) if isinstance(result, Mapping) else None
    if not isinstance(groups, Mapping) or not all(isinstance(group, Mapping) for group in groups.values()):
        return ()
    rows = [Bar(code_in_words("all", language), leaderboard.relative(result), _interval(result))]
    rows += [Bar(name, leaderboard.relative(group), _interval(group)) for name, group in sorted(groups.items())]
    if all(row.value is None for row in rows):
        return ()
    caption = in_language(_RELATIVE, language)
    return (bars_html(caption, rows, key, language, mark=report["barrier"]["value"]),)


def _interval(result: Mapping[str, Any]) -> tuple[float, float] | None:
    intervals = result.get("interval_95")
    ends = intervals.get("relative_accuracy") if isinstance(intervals, Mapping) else None
    return None if ends is None else (ends[0], ends[1])


# Clause: R 6.7.1, R 6.7.2
def _times(report: Mapping[str, Any], language: Language) -> Block:
    named = (("processing_ms", _PROCESSING), ("delay_ms", _DELAY))
    charts = []
    for key, title in named:
        if (statistics := report["timing"].get(key)) is not None:
            bars = [
                Bar(in_language(name, language), None if statistics[part] is None else statistics[part] / 1000)
                for part, name in _STATISTICS.items()
            ]
            charts.append(bars_html(in_language(title, language), bars, key, language))
    if "run" in report:
        run, name = report["run"], report["session"]["session_id"]
        heading = tr("Run {run_id}, {name}", run_id=run["run_id"], name=name)
        chart = session_chart(
            heading,
            [times_of_row(file, from_iso(file["opens_at"])) for file in report["files"]],
            run["limits"]["total_ms"],
        )
        charts.append(Chart(in_language(_TIMELINE, language), inline_chart(chart, "timeline", "timeline")))
    return Block(in_language(_TIMES, language), charts=tuple(charts))


# Clause: R 6.7.3
def _voided(report: Mapping[str, Any], language: Language) -> Block:
    voided = report["voided"]
    line = f"{voided['files']} ({_share(percent(voided['share'], 0.0, 1.0, least=1), language)})"
    rows = [Bar(code_in_words(cause, language), float(count["files"])) for cause, count in voided["by_cause"].items()]
    title = in_language(_VOIDED, language)
    charts = (bars_html(title, rows, "voided", language, digits=0),) if voided["files"] else ()
    return Block(title, (line,), charts=charts)


def _decisions(report: Mapping[str, Any], language: Language) -> Iterator[Block]:
    amendments = report.get("amendments")
    if amendments:
        lines = (
            f"{moment(amendment['at'])} · {code_in_words(amendment['kind'], language)} · {amendment['reason']}"
            for amendment in amendments
        )
        yield Block(in_language(_DECISIONS, language), tuple(lines))
