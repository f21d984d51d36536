"""Timelines as SVG: openings, hand-outs, answers, deadlines, annulments (R 6.7, 7.8).

There are two charts: a session's files one below the other, each from its own opening (R 6.7, 7.8); and a run's teams
along the run's time, from its published record (R 7.8). They stand alone: no script, no font, no address. Colours are
for light and dark; every mark has a shape of its own and shows its numbers to a pointer and to a screen reader. Words
are in both of the platform's languages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from contest.results.rules.reports import Facts, file_views
from contest.run.rules.fate import Circumstances, FileView
from contest.run.rules.run import Run
from contest.session.rules.delivery import Cause
from contest.texts import tr, tr_in
from contest.values import MINUTE, SECOND, Millis, from_iso, iso
from markup_core.lazy import dataclass
from markup_core.texts import Text

WIDTH: Final = 960
LEFT: Final = 150
RIGHT: Final = 24
TOP: Final = 122
ROW: Final = 18
_SPAN: Final = WIDTH - LEFT - RIGHT

STYLE: Final = """
text{font:12px system-ui,sans-serif;fill:#1c1f24}.head{font-size:16px;font-weight:600}.small{font-size:11px}
.ground{fill:#fff}.grid{stroke:#d5d9e0}.zebra{fill:#f4f6f9}.pause{fill:#f0dfa8}.limit{stroke:#5b6470;stroke-width:2}.deadline{fill:#5b6470}
.wait{fill:#9aa4b2}.work{fill:#1a66b8}.team_late{fill:#b3261e}.team_invalid{fill:#8a4b00}.network{fill:#7b2ea8}
.platform{fill:#00695c}.organizer_decision{fill:#5b6470}
@media (prefers-color-scheme:dark){text{fill:#e8eaee}.ground{fill:#15181d}.grid{stroke:#3a414c}.zebra{fill:#1d2127}
.pause{fill:#4d431d}.limit{stroke:#aab3bf}.deadline{fill:#aab3bf}.wait{fill:#77818f}.work{fill:#6cb2ff}.team_late{fill:#ff8a80}
.team_invalid{fill:#ffb95c}.network{fill:#d79bf5}.platform{fill:#5fd3c0}.organizer_decision{fill:#aab3bf}}
"""

CAUSES: Final[Mapping[Cause, Text]] = {
    Cause.TEAM_LATE: tr("late"),
    Cause.TEAM_INVALID: tr("invalid"),
    Cause.NETWORK: tr("network"),
    Cause.PLATFORM: tr("platform"),
    Cause.ORGANIZER_DECISION: tr("organizers' decision"),
}
_BARS: Final = (("wait", tr("hand-out")), ("work", tr("processing")))
_DEADLINE: Final = ("deadline", tr("deadline"))
_PAUSE: Final = ("pause", tr_in("timeline", "pause"))
_SHAPES: Final[Mapping[Cause, str]] = {
    Cause.TEAM_LATE: "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0Z",
    Cause.TEAM_INVALID: "M0,-5L5,4L-5,4Z",
    Cause.NETWORK: "M0,-6L6,0L0,6L-6,0Z",
    Cause.PLATFORM: "M-5,-5H5V5H-5Z",
    Cause.ORGANIZER_DECISION: "M-6,-2H6V2H-6Z",
}


@dataclass(frozen=True, slots=True)
class FileTimes:
    """Events of one file of a session; None for an event that did not happen."""

    number: int
    opens_at: Millis
    handed_out_at: Millis | None
    answer_by: Millis | None
    answered_at: Millis | None
    cause: Cause | None


def session_chart(heading: Text, files: Sequence[FileTimes], total: Millis) -> bytes:
    """Draw a session's files, one a row, from each file's opening to its deadline.

    ``total``: the limit from the opening.
    """
    longest = max((file.answered_at - file.opens_at for file in files if file.answered_at is not None), default=0)
    scale = _Scale(0, max(total + 5 * SECOND, longest))
    chart = _Chart(heading, len(files), _summary(files), _DEADLINE)
    for seconds in _ticks(scale, SECOND, (1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600)):
        chart.tick(scale.x(seconds), str(seconds // SECOND) if seconds else "0 с · s")
    for place, file in enumerate(files):
        own = _Scale(file.opens_at, file.opens_at + scale.end)
        last = file.answered_at or file.handed_out_at or file.opens_at
        mark = _file(chart.row(place, str(file.number)), file, own, own.x(last) + 10)
        if file.answer_by is not None:
            at = str(own.x(file.answer_by))
            ET.SubElement(mark, "line", {"class": "limit", "x1": at, "x2": at, "y1": "2", "y2": str(ROW - 2)})
    return chart.written()


def run_chart(
    heading: Text,
    teams: Sequence[tuple[str, Sequence[FileTimes]]],
    pauses: Sequence[tuple[Millis, Millis]],
    span: tuple[Millis, Millis],
) -> bytes:
    """Draw a run's teams, one a row, along the time of the run. ``pauses`` and ``span`` are from and until."""
    scale = _Scale(*span)
    chart = _Chart(heading, len(teams), _summary([file for _, files in teams for file in files]), _PAUSE)
    for start, until in pauses:
        chart.band(scale.x(start), scale.x(until), "пауза · pause")
    first = -(-span[0] // MINUTE) * MINUTE
    for moment in _ticks(_Scale(first, span[1]), MINUTE, (1, 2, 5, 10, 15, 30, 60, 120, 360), first):
        chart.tick(scale.x(moment), iso(moment)[11:16])
    for place, (name, files) in enumerate(teams):
        row = chart.row(place, name)
        for file in files:
            _file(row, file, scale, scale.x(file.opens_at) + 6)
    return chart.written()


class _Scale:
    """Moments to abscissas."""

    def __init__(self, start: Millis, end: Millis) -> None:
        self.start, self.end = start, max(end, start + 1)

    def x(self, moment: Millis) -> float:
        within = min(max(moment, self.start), self.end)
        return round(LEFT + _SPAN * (within - self.start) / (self.end - self.start), 2)


class _Chart:
    """A chart under construction."""

    def __init__(self, heading: Text, rows: int, summary: str, other: tuple[str, Text]) -> None:
        self._bottom = TOP + max(rows, 1) * ROW
        height = self._bottom + 16
        size = {"width": str(WIDTH), "height": str(height), "viewBox": f"0 0 {WIDTH} {height}"}
        self._root = ET.Element(
            "svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-labelledby": "t d", **size}
        )
        self._add("title", {"id": "t"}, f"{heading.ru} · {heading.en}")
        self._add("desc", {"id": "d"}, summary)
        self._add("style", {}, STYLE)
        self._add("rect", {"class": "ground", "width": str(WIDTH), "height": str(height)})
        self._add("text", {"class": "head", "x": "12", "y": "24"}, heading.ru)
        self._add("text", {"x": "12", "y": "42"}, heading.en)
        self._legend(other)
        for row in range(1, rows, 2):
            place = {"x": "0", "y": str(TOP + row * ROW), "width": str(WIDTH), "height": str(ROW)}
            self._add("rect", {"class": "zebra", **place})

    def _add(self, tag: str, attributes: Mapping[str, str], text: str | None = None) -> ET.Element:
        element = ET.SubElement(self._root, tag, dict(attributes))
        element.text = text
        return element

    def _legend(self, other: tuple[str, Text]) -> None:
        at = 12.0
        for kind, name in (*_BARS, other):
            self._add("rect", {"class": kind, "x": str(at), "y": "55", "width": "14", "height": "8"})
            at = self._words(at + 18, 63, _in_both(name))
        at = 12.0
        for cause, name in CAUSES.items():
            self._add("path", {"class": cause.value, "d": _SHAPES[cause], "transform": f"translate({at + 6},79)"})
            at = self._words(at + 16, 83, _in_both(name))

    def _words(self, at: float, y: int, text: str) -> float:
        """Write a word of the legend and return the abscissa of the next one."""
        self._add("text", {"class": "small", "x": str(at), "y": str(y)}, text)
        return round(at + 6.1 * len(text) + 14, 1)

    def tick(self, x: float, text: str) -> None:
        """Draw a line across all rows with its value above."""
        line = {"x1": str(x), "x2": str(x), "y1": str(TOP), "y2": str(self._bottom)}
        self._add("line", {"class": "grid", **line})
        self._add("text", {"class": "small", "x": str(x), "y": str(TOP - 8), "text-anchor": "middle"}, text)

    def band(self, start: float, end: float, text: str) -> None:
        """Draw a shade across all rows."""
        place = {"x": str(start), "y": str(TOP), "width": str(_length(start, end)), "height": str(self._bottom - TOP)}
        ET.SubElement(self._add("rect", {"class": "pause", **place}), "title").text = text

    def row(self, place: int, name: str) -> ET.Element:
        """Draw a row with its name; return it to draw files into."""
        group = self._add("g", {"transform": f"translate(0,{TOP + place * ROW})"})
        label = ET.SubElement(group, "text", {"x": str(LEFT - 10), "y": "13", "text-anchor": "end"})
        label.text = name if len(name) <= 20 else name[:19] + "…"
        return group

    def written(self) -> bytes:
        """Return the picture's bytes; the same for the same facts."""
        return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(self._root, encoding="unicode").encode()


def _file(row: ET.Element, file: FileTimes, scale: _Scale, void_at: float) -> ET.Element:
    """Draw one file: from the opening to the hand-out, from there to the answer, its annulment.

    Its numbers are written once.
    """
    group = ET.SubElement(row, "g")
    ET.SubElement(group, "title").text = _title_of(file)
    if file.handed_out_at is not None:
        _bar(group, "wait", scale.x(file.opens_at), scale.x(file.handed_out_at))
        if file.answered_at is not None:
            _bar(group, "work", scale.x(file.handed_out_at), scale.x(file.answered_at))
    if file.cause is not None:
        place = {"class": file.cause.value, "d": _SHAPES[file.cause], "transform": f"translate({void_at:g},9)"}
        ET.SubElement(group, "path", place)
    return group


def _bar(mark: ET.Element, kind: str, start: float, end: float) -> None:
    place = {"x": str(start), "y": "4", "width": str(_length(start, end)), "height": "10"}
    ET.SubElement(mark, "rect", {"class": kind, **place})


def _in_both(text: Text) -> str:
    return f"{text.ru} · {text.en}"


def _title_of(file: FileTimes) -> str:
    parts = [f"{file.number}: {iso(file.opens_at)[11:19]}"]
    if file.handed_out_at is not None:
        parts.append(f"выдача · hand-out +{_seconds(file.handed_out_at - file.opens_at)}")
    if file.answered_at is not None:
        parts.append(f"ответ · answer +{_seconds(file.answered_at - file.opens_at)}")
    if file.cause is not None:
        parts.append(_in_both(CAUSES[file.cause]))
    return ", ".join(parts)


def _summary(files: Iterable[FileTimes]) -> str:
    """Describe the picture in words."""
    files = list(files)
    void = sum(file.cause is not None for file in files)
    answered = sum(file.cause is None and file.answered_at is not None for file in files)
    return (
        f"Файлов: {len(files)}, с ответом: {answered}, аннулировано: {void}. "
        f"Files: {len(files)}, answered: {answered}, annulled: {void}."
    )


def _ticks(scale: _Scale, unit: Millis, steps: Sequence[int], first: Millis = 0) -> range:
    """Return round values with at most twelve of them on the axis."""
    span = scale.end - scale.start
    step = next((factor for factor in steps if span <= 12 * factor * unit), -(-span // (12 * unit)))
    return range(first, scale.end + 1, step * unit)


def _length(start: float, end: float) -> float:
    """Return the width of a stretch; a short one stays visible."""
    return max(round(end - start, 2), 1.5)


def _seconds(span: Millis) -> str:
    return f"{span / SECOND:.3f} с · s"


def chart_of_record(record: Mapping[str, Any]) -> bytes:
    """Draw the teams' openings, hand-outs, answers and annulments along the run's time."""
    run = record["run"]
    opens = {release["number"]: from_iso(release["opens_at"]) for release in record["releases"]}
    teams = [
        (
            session["team_id"],
            [times_of_row(file, opens[file["number"]]) for file in session["files"] if file["number"] in opens],
        )
        for session in record["sessions"]
    ]
    name = f"{run['run_id']}, {run['starts_at'][:10]}"
    heading = tr("Trial run {name} (UTC)", name=name) if run["trial"] else tr("Run {name} (UTC)", name=name)
    breaks = [(from_iso(pause["from"]), from_iso(pause["until"])) for pause in run["pauses"]]
    return run_chart(heading, teams, breaks, (from_iso(run["starts_at"]), from_iso(run["ends_at"])))


def times_of_row(file: Mapping[str, Any], opens_at: Millis) -> FileTimes:
    """Return the times of a file of a record or a report."""

    def moment(name: str) -> Millis | None:
        return from_iso(file[name]) if file[name] is not None else None

    cause = Cause(file["cause"]) if file["cause"] else None
    ends = moment("handed_out_at"), moment("answer_by"), moment("answered_at")
    return FileTimes(file["number"], opens_at, *ends, cause)


def chart_of_session(facts: Facts, run: Run) -> bytes:
    """Draw the session's timeline as SVG."""
    kind = {"final": tr("Final"), "technical": tr("Technical run")}
    sessions = kind[run.mode.value]
    name = f"{run.run_id}, {facts.session.team_id}, {facts.session.session_id}"
    sentence = "{kind} (trial): {name}" if run.trial else "{kind}: {name}"
    heading = tr(sentence, kind=sessions, name=name)
    return session_chart(heading, timeline_times(file_views(facts), facts.circumstances), run.limits.total)


def timeline_times(files: Sequence[FileView], circumstances: Circumstances) -> tuple[FileTimes, ...]:
    """Return the times of a session's files for a timeline."""
    return tuple(
        FileTimes(
            number=view.number,
            opens_at=circumstances.windows[view.number - 1].opens_at,
            handed_out_at=view.delivery.handed_out_at if view.delivery else None,
            answer_by=view.delivery.answer_by if view.delivery else None,
            answered_at=view.delivery.answer.received_at if view.delivery and view.delivery.answer else None,
            cause=view.cause,
        )
        for view in files
    )


_SVG = "http://www.w3.org/2000/svg"


def inline_chart(svg: bytes, key: str, shown_as: str) -> str:
    """Return a chart of the platform as an element.

    ``key`` stands before its ids, ``shown_as`` is its class. O(size).
    """
    root = ET.fromstring(svg)  # noqa: S314 -- made by this package, of what its element tree has escaped
    for parent in list(root.iter()):
        for element in list(parent):
            if element.tag == f"{{{_SVG}}}style":
                parent.remove(element)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if "id" in element.attrib:
            element.set("id", f"{key}-{element.attrib['id']}")
        if "aria-labelledby" in element.attrib:
            element.set(
                "aria-labelledby", " ".join(f"{key}-{one}" for one in element.attrib["aria-labelledby"].split())
            )
    root.set("class", shown_as)
    return ET.tostring(root, encoding="unicode", short_empty_elements=False)
