"""Reports as pages: of a session or submission, of a run, of the experts.

The coordinator's report has progress, speed, agreement, drift and third experts (R 7.10). The commission has its record
of a run (R 8.3). The report of a session or submission follows R 6.5, 6.7 and 7.8; of a final it has the results (R
7.11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from contest.charts import inlined, session_chart, times_of_row
from contest.edge.languages import Language, code_in_words, in_language
from contest.edge.pages.page import SIGN, Block, Chart, Page, drawn, moment, plain, section, written
from contest.experts.progress import MarkingReport
from contest.experts.rules import progress
from contest.results.rules import file_tables, leaderboard
from contest.session.rules.delivery import Cause
from contest.tables import Table
from contest.texts import tr, tr_in
from contest.values import Millis, from_iso, iso
from markup_core.charts import Bar
from markup_core.rounding import percent
from tracks.protocol import Text

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
    return written(Page(language, title, (Block(in_language(_MARKING, language), facts=tuple(facts)), *blocks)))


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
        yield drawn(title, rows, key, language, digits=digits)


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
    results = drawn(by_team, bars, "results", language, mark=record["board"]["barrier"])
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
    return written(Page(language, title, tuple(blocks)))


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
        drawn(causes, by_cause, "causes", language, digits=0),
        drawn(shares, by_team, "shares", language, mark=_percent(allowed)),
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
        return written(Page(language, title, (about, *sections, section(tables[0], language))))
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
    return written(Page(language, title, tuple(blocks)))


def _named(values: Mapping[str, Any], names: Mapping[str, Text], language: Language) -> tuple[tuple[str, str], ...]:
    """Return the values that there are under their names, in the order of the names."""
    facts = []
    for key, name in names.items():
        if (value := values.get(key)) is not None:
            word = code_in_words if key in {"mode", "state", "language", "kind"} else plain
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
    return (drawn(caption, rows, key, language, mark=report["barrier"]["value"]),)


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
            charts.append(drawn(in_language(title, language), bars, key, language))
    if "run" in report:
        run, name = report["run"], report["session"]["session_id"]
        heading = tr("Run {run_id}, {name}", run_id=run["run_id"], name=name)
        chart = session_chart(
            heading,
            [times_of_row(file, from_iso(file["opens_at"])) for file in report["files"]],
            run["limits"]["total_ms"],
        )
        charts.append(Chart(in_language(_TIMELINE, language), inlined(chart, "timeline", "timeline")))
    return Block(in_language(_TIMES, language), charts=tuple(charts))


# Clause: R 6.7.3
def _voided(report: Mapping[str, Any], language: Language) -> Block:
    voided = report["voided"]
    line = f"{voided['files']} ({_share(percent(voided['share'], 0.0, 1.0, least=1), language)})"
    rows = [Bar(code_in_words(cause, language), float(count["files"])) for cause, count in voided["by_cause"].items()]
    title = in_language(_VOIDED, language)
    charts = (drawn(title, rows, "voided", language, digits=0),) if voided["files"] else ()
    return Block(title, (line,), charts=charts)


def _decisions(report: Mapping[str, Any], language: Language) -> Iterator[Block]:
    amendments = report.get("amendments")
    if amendments:
        lines = (
            f"{moment(amendment['at'])} · {code_in_words(amendment['kind'], language)} · {amendment['reason']}"
            for amendment in amendments
        )
        yield Block(in_language(_DECISIONS, language), tuple(lines))
