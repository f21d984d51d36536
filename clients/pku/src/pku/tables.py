"""Tables and a small chart of the commands' results in the person's language, and leaderboards for other programs.

A leaderboard becomes a frame from the platform's answer, from a file of it, or from a final's archive. **Decision**: a
place that equal results share is the first of them; a baseline has none (null). What a source does not say is null: an
archive names teams by their ids alone, and the platform's answer not the scorer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from markup_core.extras import ExtraNeededError
from markup_core.lazy import dataclass
from markup_core.rounding import PERCENT_PLACES
from pku.commanding import App
from pku.errors import Detail, ExchangeError, PkuError, find, number, sentence, word

if TYPE_CHECKING:  # loaded where they are used
    import zipfile

    from rich.table import Table

    from markup_core.frames import Frame, Kind
    from markup_core.sample import SampleScore
    from pku.answers import Comparison, Receipt, SessionInfo
    from pku.exchange import Exchange
    from pku.trial import CodeCount


Json = Any
SHOWN_FILES: Final = 10
_WIDE: Final = 4
"""Columns from which on titles are shortened, so that tables fit into a terminal of 80 characters."""
_NUMBERED: Final = re.compile(r"M[1-7]\b")
_BAR: Final = 32
_DASH: Final = "–"
_LEAST_FOR_INTERVAL: Final = 3


def section(source: Json, language: str, *, sort: str | None = None, limit: int | None = None) -> tuple[Table, int]:
    """Return one table of a report, and how many rows were left out; ``sort`` names a column, best values first.

    Files go by their numbers, which is what ``pku compare`` takes.
    """
    titles = [column[language] for column in source["columns"]]
    if len(titles) > _WIDE:
        titles = [_short(title) for title in titles]
    rows = source["rows"]
    if source["key"] == "files":
        titles[0] = sentence("column.number", language)
        rows = [[number, *row[1:]] for number, row in enumerate(rows, start=1)]
    if sort is not None:
        rows = _sorted(source, rows, sort)
    table = _table(source["title"][language])
    if not rows:
        table.caption = sentence("table.empty", language)
    for place, title in enumerate(titles):
        numeric = any(isinstance(row[place], int | float) for row in rows)
        table.add_column(title, justify="right" if numeric else "left", no_wrap=True)
    visible = rows if limit is None else rows[:limit]
    places = source.get("places") or [PERCENT_PLACES] * len(titles)  # an older platform says nothing of it
    for row in visible:
        table.add_row(*(_cell(value, language, digits) for value, digits in zip(row, places, strict=True)))
    return table, len(rows) - len(visible)


def _sorted(source: Json, rows: Sequence[Sequence[Json]], name: str) -> list[Sequence[Json]]:
    names = [_short(column["en"]).casefold() for column in source["columns"]]
    column = name.casefold()
    if column not in names:
        raise PkuError("unknown_column", name=name, known=", ".join(names))
    place = names.index(column)

    def order(row: Sequence[Json]) -> tuple[int, float, str]:
        """Return a sort key: numbers from the highest, then words, then undefined values."""
        value = row[place]
        if isinstance(value, int | float):
            return 0, -float(value), ""
        return (2, 0.0, "") if value is None else (1, 0.0, str(value))

    return sorted(rows, key=order)


def _short(title: str) -> str:
    """Shorten a title: ``M3 codes`` to ``M3``, ``Relative accuracy (OTAR), %`` to ``OTAR``."""
    inside = title.partition("(")[2].partition(")")[0]
    return inside or (title.split()[0] if _NUMBERED.match(title) else title)


def _cell(value: Json, language: str, digits: int = PERCENT_PLACES) -> str:
    if value is None:
        return _DASH
    if isinstance(value, float):
        return number(value, digits, language)
    from tracks.protocol import in_language

    return str(in_language(value, language))


def _range(bounds: Sequence[float], language: str, digits: int = PERCENT_PLACES) -> str:
    return " … ".join(number(bound, digits, language) for bound in bounds)


def chart(result: Json, language: str) -> Table:
    """Draw algorithm and expert accuracy of each metric as bars up to 100."""
    from rich.bar import Bar
    from rich.table import Table

    table = Table(title=sentence("report.chart", language), title_justify="left", show_header=False, box=None)
    for name, by_measure in sorted(result["by_metric"].items()):
        for who, measure, colour in (
            ("report.algorithm", "algorithm_accuracy", "cyan"),
            ("report.experts", "expert_accuracy", "yellow"),
        ):
            value = by_measure[measure]
            label = name if measure == "algorithm_accuracy" else ""
            bar = Bar(100, 0, value or 0.0, width=_BAR, color=colour)
            table.add_row(label, sentence(who, language), bar, _cell(value, language))
    return table


def accuracies(sample: SampleScore, language: str) -> Table:
    """Return a sample's accuracies over all essays and by subject; an interval of one or two essays is left out."""
    names = ("subject", "essays", "algorithm", "experts", "relative", "interval")
    table = _headed(names, language, sentence("try.accuracies", language))
    for name, score in ((sentence("try.all", language), sample.overall), *sample.by_subject.items()):
        low_high = score.relative_interval if score.essays >= _LEAST_FOR_INTERVAL else None
        interval = _DASH if low_high is None else _range(low_high, language)
        values = (score.algorithm_accuracy_all, score.expert_accuracy, score.relative_accuracy)
        table.add_row(name, str(score.algorithm_essays), *(_cell(value, language) for value in values), interval)
    return table


def codes(counts: Sequence[CodeCount], language: str) -> Table:
    """Return the numbers of fragments found and missed, by code."""
    names = ("code", "of_experts", "found", "named", "own", "stray")
    table = _headed(names, language, sentence("try.codes", language))
    for count in counts:
        table.add_row(count.code, *map(str, (count.experts, count.found, count.named, count.own, count.stray)))
    return table


def _table(title: str = "", *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        *columns,
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )


def _headed(names: Iterable[str], language: str, title: str = "") -> Table:
    table = _table(title)
    for name in names:
        table.add_column(sentence(f"column.{name}", language), no_wrap=True)
    return table


def sessions(team_sessions: Iterable[SessionInfo], language: str) -> Table:
    """Return a team's sessions, newest first."""
    names = ("session", "set", "language", "state", "opened", "answered")
    table = _headed(names, language)
    for session in team_sessions:
        answered = f"{session.counts.answered}/{session.files}" if session.counts else _DASH
        table.add_row(
            session.session_id,
            session.set,
            session.language,
            word("state", session.state, language),
            session.opened_at,
            answered,
        )
    return table


def deliveries(session: SessionInfo, language: str) -> Table:
    """Return the files of one session."""
    names = ("number", "file", "state", "answer_by", "send", "cause")
    table = _headed(names, language)
    for delivery in session.deliveries:
        cause = None if delivery.cause is None else word("cause", delivery.cause, language)
        cells = (delivery.file_id, word("file", delivery.state, language), delivery.answer_by, delivery.sends, cause)
        table.add_row(str(delivery.number), *(_cell(cell, language) for cell in cells))
    return table


def receipts(checked_receipts: Sequence[tuple[Receipt, str | None]], language: str, *, verified: bool) -> Table:
    """Return receipts, with the result of each signature's check where they were verified."""
    names = ["number", "file", "send", "state", "received", *(["signature"] if verified else [])]
    table = _headed(names, language)
    for receipt, fault in checked_receipts:
        cells = [str(receipt.number), receipt.file_id, str(receipt.send), word("status", receipt.status, language)]
        cells.append(receipt.received_at)
        table.add_row(*cells, *([sentence(f"receipts.{fault or 'good'}", language)] if verified else []))
    return table


def board(body: Json, language: str, *, of_final: bool = False) -> Table:
    """Return a leaderboard."""
    title = "board.title_final" if of_final else "board.title"
    rules, part = body["board"], str(body.get("nomination") or body["language"])
    # Of a contest with several boards its title; else a nomination, a language, or all.
    named = sentence("board.all", language) if part == "all" else part
    name = rules["title"][language] if rules["barrier"] is None else named
    table = _headed(("place", "team", "files"), language, sentence(title, language, board=name))
    table.add_column(_short(rules["measure"][language]), no_wrap=True)
    for name in ("interval", "barrier"):
        table.add_column(sentence(f"column.{name}", language), no_wrap=True)
    digits = rules["places"]
    for row in _with_levels(body["rows"], rules["levels"], language):
        result = row["result"]
        # People's levels have no place either, and no team's id.
        is_baseline = row["place"] is None and "team_id" in row
        interval = (result.get("interval_95") or {}).get("relative_accuracy")
        audit = row.get("audit") or {}
        flag = ""
        if audit.get("flagged"):
            flag = sentence("board.flagged", language, value=_cell(audit["relative_accuracy"], language))
        overcame = sentence("board.overcame", language) if row["barrier"] else ""
        table.add_row(
            # Teams with an equal result share a range of places.
            "–".join(map(str, dict.fromkeys((row["place"], row["place_to"])))) if row["place"] else _DASH,
            sentence("board.baseline", language, team=row["team"]) if is_baseline else row["team"],
            f"{row['answered']}/{row['files']}" if row.get("files") else _DASH,
            _cell(row["value"], language, digits),
            _DASH if interval is None else _range(interval, language, digits),
            " ".join(filter(None, (overcame, flag))),
        )
    return table


def write_board(board: Board, form: str, output: Path | None) -> None:
    """Write a leaderboard as a table for other programs to a file, or to standard output."""
    try:
        content = board.to_frame().encoded(form)
    except ExtraNeededError as error:
        raise PkuError("extra_needed", why=error.args[0]) from error
    if output is None:
        click.echo(content, nl=False)
        return
    output.write_bytes(content)


def _with_levels(rows: Sequence[Json], levels: Sequence[Json], language: str) -> list[Json]:
    """Insert people's levels between the rows: each before the first team that is not above it."""
    merged = list(rows)
    for level in levels:
        at = next((n for n, row in enumerate(merged) if row["value"] is None or row["value"] <= level["value"]), None)
        row = {"place": None, "team": level["title"][language], "value": level["value"], "barrier": None, "result": {}}
        merged.insert(len(merged) if at is None else at, row)
    return merged


def comparison(number: int | str, compared: Comparison, language: str) -> Iterable[Table]:
    """Return each expert's metrics and fragments side by side, matched ones in one row; of another contest than
    essays' the numbers of the score."""
    if "pairs" not in compared.score:
        table = _table(
            sentence("compare.score", language, number=number),
            sentence("compare.metric", language),
            sentence("compare.value", language),
        )
        for name, value in compared.score.items():
            if isinstance(value, bool | int | float | str) and name != "fingerprint":
                table.add_row(name, _cell(value, language))
        yield table
        return
    for pair in (scored_pair for scored_pair in compared.score["pairs"] if scored_pair["x"] == "algorithm"):
        expert = compared.experts[pair["y"]]
        title = sentence("compare.title", language, number=number, expert=pair["y"] + 1)
        table = _table(title, sentence("compare.metric", language), sentence("compare.value", language))
        for name, value in pair["metrics"].items():
            table.add_row(name, _cell(value, language))
        table.add_row(sentence("compare.pair_accuracy", language), _cell(pair["pair_accuracy"], language), style="bold")
        yield table
        yield _fragments(compared.answer, expert, pair["pairs"], language)


def _fragments(own: Json, expert: Json, pairs: Sequence[Sequence[int]], language: str) -> Table:
    table = _table("", sentence("compare.own", language), sentence("compare.expert", language))
    partner = {pair[0]: pair[1] for pair in pairs}
    matched = set(partner.values())
    for i, fragment in enumerate(own["selections"]):
        other = expert["selections"][partner[i]] if i in partner else None
        table.add_row(_fragment(own, fragment), _DASH if other is None else _fragment(expert, other))
    for k, fragment in enumerate(expert["selections"]):
        if k not in matched:
            table.add_row(_DASH, _fragment(expert, fragment))
    return table


def _fragment(markup: Json, fragment: Mapping[str, Json]) -> str:
    quote = markup["text"][fragment["startSelection"] : fragment["endSelection"]]
    short = quote if len(quote) <= 40 else f"{quote[:37]}…"
    return f"{fragment['type']} {fragment['subtype']}".strip() + f" «{short}»"


_OWN_ROWS: Final = frozenset({"version", "announced_at"})
"""Parameters that are shown in the row of the version."""
_TOLD_ELSEWHERE: Final = frozenset({"track", "classifier", "languages"})


def cycle(body: Json, language: str) -> Table:
    """Return a cycle as ``GET /v1/cycle`` has it.

    What has no words here, as parameters of other contests have none, stands under the name that the platform gives it.
    """
    from rich.table import Table

    table = Table(title=body["name"][language], title_justify="left", show_header=False)
    for label, value in _rows(body, language):
        table.add_row(label, value)
    return table


def _rows(body: Json, language: str) -> Iterator[tuple[str, str]]:
    for name, groups in body["languages"].items():
        yield f"{sentence('cycle.language', language)} {name}", ", ".join(groups)
    for stage in body["stages"]:
        label = f"{sentence('cycle.stage', language)}: {word('stage', stage['name'], language)}"
        yield label, f"{stage['first']} – {stage['last']}. {Detail.read(stage).text(language)}"
    for document in body.get("knowledge_base", ()):
        about = (document.get("about") or {}).get(language)
        yield (
            sentence("cycle.document", language),
            "\n".join(filter(None, (document["title"][language], document["url"], about))),
        )
    for name, counts in body["sets"].items():
        by_language = ", ".join(f"{lang} {count}" for lang, count in counts["by_language"].items())
        yield f"{sentence('cycle.set', language)} {name}", f"{counts['files']} ({by_language})"
    parameters = body["parameters"]
    yield sentence("cycle.version", language), f"{parameters['version']} ({parameters['announced_at']})"
    stated = {name: value for name, value in parameters.items() if value is not None}  # null: nothing is said of it
    named = {name: value for name, value in stated.items() if name not in _OWN_ROWS | _TOLD_ELSEWHERE}
    for name, value in {**body["limits"], **named}.items():
        yield from _named(name, value, language)
    for name, value in (parameters.get("track") or {}).items():
        if name not in _TOLD_ELSEWHERE:
            yield from _named(f"track.{name}", value, language)


def _named(name: str, value: Json, language: str) -> Iterator[tuple[str, str]]:
    """Yield the row of one value, or, for an object without a sentence, a row for each of its parts."""
    label = find(f"parameter.{name}", language) or name
    if name == "nominations":
        for nomination in value.values():
            yield sentence("cycle.nomination", language), nomination["name"][language]
    elif not isinstance(value, dict):
        yield label, _plain(value, language)
    elif (in_words := _sentence(name, value, language)) is not None:
        yield label, in_words
    else:
        for part, part_value in value.items():
            yield from _named(f"{name}.{part}", part_value, language)


def _sentence(name: str, value: Json, language: str) -> str | None:
    """Write an object in one sentence; None without a text for it, or if a newer platform has other parts."""
    if value.get("enabled") is False:
        return sentence("cycle.not_held", language)
    if find(f"parameter_value.{name}", language) is None:
        return None
    # A list of two is a range: "5–10", or "5" where both ends are equal.
    parts = {
        part: "–".join(map(str, dict.fromkeys(part_value))) if isinstance(part_value, list) else part_value
        for part, part_value in value.items()
    }
    try:
        return sentence(f"parameter_value.{name}", language, **parts)
    except KeyError:
        return None


def _plain(value: Json, language: str) -> str:
    if isinstance(value, bool):
        return sentence("cycle.yes" if value else "cycle.no", language)
    if isinstance(value, float):
        return number(value, len(f"{value:g}".partition(".")[2]), language)
    return ", ".join(_plain(part, language) for part in value) if isinstance(value, list) else str(value)


_NOT_AGAINST_RESULTS: Final = {"too_many_voided", "too_few_files"}
"""Codes not shown for a played final: in the line on the whole solution already, or against readiness alone."""


def show(app: App, report: Mapping[str, Any]) -> None:
    """Print the times, void files and readiness of a session's report in the user's language."""
    for name in ("processing_ms", "delay_ms"):
        times = report["timing"].get(name)
        if times is not None and times["count"]:
            seconds = {
                statistic: number(times[statistic] / 1000, 1, app.language)
                for statistic in ("mean", "p50", "p95", "max")
            }
            app.print_sentence(f"report.{name}", **seconds)
    _show_voided(app, report)
    run, conclusion = report.get("run"), report["readiness"]
    if run is not None and run["mode"] == "final" and not run["trial"]:
        _show_end_of_final(app, report)
        return
    if conclusion is None:
        return
    if conclusion["ready"]:
        app.print_sentence("report.ready", share=(conclusion["valid_share"], 1.0))
        return
    app.print_sentence("report.not_ready")
    for reason in conclusion["reasons"]:
        app.show_text(f"  - {Detail.read(reason).text(app.language)}")


def show_remarks(app: App, report: Mapping[str, Any]) -> None:
    """Print why a report has no totals or no breakdowns, and which rule keeps its result off the board."""
    for name in ("withheld", "left_out", "off_board"):
        if report.get(name):
            app.show_text(Detail.read(report[name]).text(app.language))


def write_timeline(exchange: Exchange, session_id: str, path: Path) -> None:
    """Write the chart of a session that followed a run as SVG; :class:`PkuError` ``no_timeline`` without one."""
    try:
        chart = exchange.timeline(session_id)
    except ExchangeError as error:
        if error.code == "unknown_run":
            raise PkuError("no_timeline", session_id=session_id) from error
        raise
    path.write_text(chart, "utf-8")


def _show_end_of_final(app: App, report: Mapping[str, Any]) -> None:
    """Print the objections to a final's results, and whether these are published (R 7.11); no readiness is judged."""
    for reason in (report["readiness"] or {"reasons": ()})["reasons"]:
        if reason["code"] not in _NOT_AGAINST_RESULTS:
            app.show_text(Detail.read(reason).text(app.language))
    if report["result"] is None and report["run"]["stopped_at"] is None:
        app.print_sentence("report.unpublished")


def _show_voided(app: App, report: Mapping[str, Any]) -> None:
    """Print which files of a run are void and why, and whether the whole solution is annulled (R 7.7)."""
    solution = report.get("solution")
    if solution is None:
        return
    if report["run"]["trial"]:
        app.print_sentence("report.trial")
    for file in report["files"]:
        if file["cause"] is not None:
            app.print_sentence("report.voided_file", number=file["number"], cause=file["cause"])
    if solution["voided_share"] is None:
        return
    allowed = solution["allowed_share"]
    shares = {"voided_share": (solution["voided_share"], allowed), "allowed_share": (allowed, allowed)}
    app.print_sentence("report.solution_voided" if solution["voided"] else "report.solution_stands", **shares)


MOST_BYTES: Final = 256 * 1024**2
_MAIN: Final = "board.json"
_COLUMNS: Final[dict[str, Kind]] = {
    "place": "whole",
    "team_id": "text",
    "team": "text",
    **dict.fromkeys(("value", "low", "high"), "number"),
    "overcame": "truth",
    **dict.fromkeys(("files", "answered"), "whole"),
    "session_id": "text",
    "signature": "text",
}


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard as JSON, with the parameters of its archive, if it is from one."""

    body: Mapping[str, Any]
    parameters: Mapping[str, Any]

    def to_frame(self) -> Frame:
        """Return the board's rows in their order, each with the signature of its numbers.

        The signature names cycle, run, board and session, the version of the parameters, scorer and seed where they
        are known, and the first 16 hexadecimal digits of the SHA-256 of the row's whole result.
        """
        from markup_core.frames import Frame

        rows = []
        for row in self.body["rows"]:
            # A row of an archive has its interval in the result under the name of its value.
            intervals = (row["result"].get("interval_95") or {}).items()
            own = [ends for name, ends in intervals if ends and row["result"].get(name) == row["value"]]
            low, high = row.get("interval") or next(iter(own), (None, None))
            overcame = row["barrier"] if "barrier" in row else row.get("overcame")
            numbers = (row["value"], low, high, overcame, row["files"], row["answered"], row["session_id"])
            rows.append((row["place"], row["team_id"], row.get("team"), *numbers, self._signature(row)))
        return Frame.of("board", _COLUMNS, rows)

    def _signature(self, row: Mapping[str, Any]) -> str:
        from markup_core.receipt import canonical_bytes, sha256_hex

        scorer = self.parameters.get("scorer") or {}
        parts = {
            "cycle": self.body.get("cycle"),
            "run": self.body.get("run_id"),
            "board": (self.body.get("board") or {}).get("key"),
            "session": row["session_id"],
            "parameters": self.parameters.get("version", row.get("parameters_version")),
            "scorer": f"{scorer['track']} {scorer['version']}" if scorer else None,
            "seed": self.parameters.get("bootstrap_seed"),
            "fingerprint": sha256_hex(canonical_bytes(row["result"]))[:16],
        }
        return "|".join(["hurdle", *(f"{name}:{part}" for name, part in parts.items() if part is not None)])


def read_board(path: Path, name: str = _MAIN) -> Board:
    """Read a board from an archive (``name`` is its file there) or from a file of ``pku board --json``.

    Raises :class:`PkuError` for a file that holds no board.
    """
    import zipfile

    from markup_core.reading.wire import broken_archive

    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                board = Board(_member(archive, name), _member(archive, "parameters.json"))
        else:
            if path.stat().st_size > MOST_BYTES:
                raise PkuError("not_a_board", path=path)
            board = Board(json.loads(path.read_bytes()), {})
        board.to_frame()  # finds what is missing
    except broken_archive(KeyError, TypeError, AttributeError) as error:
        raise PkuError("not_a_board", path=path) from error
    return board


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(name)
    return json.loads(archive.read(name))
