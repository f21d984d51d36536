"""Label Studio's exports: JSON, a list of tasks with their annotations, and JSON-MIN, a row per annotation.

The format is described at https://labelstud.io/guide/task_format: ``data``, ``annotations[].result[]`` with
``value.start``, ``value.end`` and ``value.labels``; relations and other kinds of results stand in the same list.

**Offsets.** Label Studio counts code points since 2021 (``charsToCodePoints`` in the editor's ``selection-tools.js``,
label-studio-frontend pull request 308 for issues 1008 and 1347); before, it counted UTF-16 code units, and an export
may hold regions of both times. So the region's own words (``value.text``) decide; where there are none and the two ways
of counting differ, code points are assumed and that is declared.

* Each annotation that was not cancelled (or skipped, as exports of 2020 say) is a layer of its annotator
  (``completed_by``), one marked as ground truth a curated one; predictions and drafts are lost.
* A task without a finished annotation is left out and counted. In JSON-MIN it is a row whose annotator and annotation
  are null.
* A fragment is a region with labels; a region with several labels gives a fragment for each. The texts come from
  per-region results (``textarea``, ``choices``) whose ``from_name`` is subtype, comment, explanation, correction or
  tag; a region's note (``meta.text``) is the comment if there is no other. JSON-MIN does not say which region a text
  belongs to: there they are lost.
* With ``granularity="word"`` a region's place is that of whole words and its words are what was dragged over: the place
  is taken, and that is told. So is the end of a region one behind the text, where the words are the text's last.
* A region with labels and without a place (``start`` null) is lost and counted as such.
* The text is ``data.text``, or the only string in ``data``. Other fields of ``data`` with names of the markup's meta
  (subject, theme, class …) are taken, the rest is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span, quoted_span
from markup_core.formats.foreign import META, TEXTS, Node, Tally, checked_span, same_words
from markup_core.reading.recognition import is_label_studio
from markup_core.reading.wire import short
from markup_core.texts import Text, tr

_ANNOTATIONS: Final = ("annotations", "completions")  # the older name, until 2021
_VALUES: Final = {"textarea": "text", "choices": "choices"}
"""Kinds of per-region results that say a text, and where in their value it stands."""
_OF_ROW: Final = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Fields of a row of JSON-MIN that are Label Studio's own."""


def looks_like(source: Source) -> bool:
    """Return whether a file is an export of Label Studio."""
    return is_label_studio(source.value)


def read(source: Source) -> Iterator[Document]:
    """Read the documents of an export, named by their tasks. Raises FormatError with the JSON path."""
    return documents(source.json())


def documents(export: Any) -> Iterator[Document]:
    """Yield the documents of an export's value, one per task."""
    rows: dict[int | str, list[Node]] = {}
    listed: list[Document] = []
    tally = Tally()
    for number, task in enumerate(Node(export).one_or_more(), start=1):
        ident = task.child("id").value if task.has("id") else number
        if isinstance(ident, bool) or not isinstance(ident, int | str):
            ident = task.child("id").whole()
        key = next((name for name in _ANNOTATIONS if task.has(name)), None)
        if key is None or not task.has("data"):
            if not task.object().keys() >= {"annotation_id", "annotator"}:
                raise task.error(tr("a task with data and annotations is expected, or a row of JSON-MIN"))
            if task.has("annotation_id"):
                rows.setdefault(ident, []).append(task)
            else:
                tally.add("unannotated")
            continue
        document = _task(task, key, ident)
        if document.layers:
            listed.append(document)
        else:
            tally.add("unannotated")
            tally.take(document.losses)
    listed += [_of_rows(ident, of_task) for ident, of_task in rows.items()]
    if not listed:
        raise Node(export).error(tr("the export holds no finished annotation"))
    tally.take(listed[0].losses)
    yield replace(listed[0], losses=tally.losses())
    yield from listed[1:]


def _task(task: Node, key: str, ident: int | str) -> Document:
    tally = Tally()
    text, meta = _document(task.child("data"), tally)
    tally.add("predictions", sum(1 for _ in task.child("predictions").one_or_more()))
    tally.add("drafts", sum(1 for _ in task.child("drafts").one_or_more()))
    finished = [
        entry
        for entry in task.child(key).items()
        if not (entry.object().get("was_cancelled") or entry.object().get("skipped"))
    ]
    tally.add("cancelled", len(task.value[key]) - len(finished))
    units = Offsets(text, "utf16")
    layers = []
    for annotation in finished:
        own = Tally()
        spans = _Regions(text, units, own).read(annotation)
        is_curated = annotation.child("ground_truth").value is True
        layers.append(Layer(_annotator(annotation.child("completed_by")), spans, is_curated, own.losses()))
    return Document(str(ident), text, tuple(layers), {"id": str(ident), **meta}, tally.losses())


def _annotator(named: Node) -> str:
    """Return the annotator's e-mail address or number: exports have either, or an object with both."""
    value = named.value
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return "" if value is None else str(value)


def _of_rows(ident: int | str, rows: list[Node]) -> Document:
    """Return the document of a task's rows in JSON-MIN."""
    tally = Tally()
    fields = {name: value for name, value in rows[0].object().items() if name not in _OF_ROW}
    areas = {name for name, value in fields.items() if _is_area(value)}
    data = {name: value for name, value in fields.items() if name not in areas}
    text, meta = _document(Node(data, rows[0].path), tally)
    units = Offsets(text, "utf16")
    layers = []
    for row in rows:
        own = Tally()
        regions = _Regions(text, units, own)
        listed = [
            region for name, value in row.object().items() if _is_area(value) for region in row.child(name).items()
        ]
        spans = [
            span for number, region in enumerate(listed, start=1) for span in regions.spans(_Region(region, number, {}))
        ]
        layers.append(Layer(_annotator(row.child("annotator")), tuple(spans), losses=own.losses()))
    return Document(str(ident), text, tuple(layers), {"id": str(ident), **meta}, tally.losses())


def _is_area(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(region, dict) and "labels" in region for region in value)


def _document(data: Node, tally: Tally) -> tuple[str, dict[str, Any]]:
    """Return the task's text, and those of its fields that are a markup's meta."""
    fields = data.object()
    strings = [name for name, value in fields.items() if isinstance(value, str)]
    key = "text" if "text" in fields else strings[0] if len(strings) == 1 else None
    if key is None:
        named = ", ".join(map(short, fields))
        raise data.error(
            Text(
                f"which field is the text? name it text; the fields are {named or 'none'}",
                "какое поле — текст? назовите его text; " + (f"есть поля {named}" if named else "полей нет"),
            )
        )
    text = data.child(key).text()
    meta = {name: fields[name] for name in META if name != key and isinstance(fields.get(name), int | str)}
    tally.add("fields", len(fields) - len(meta) - 1)
    return text, meta


@dataclass(frozen=True, slots=True)
class _Region:
    """A region with labels: its value, its id, and the texts about it."""

    value: Node
    ident: int | str
    texts: dict[str, str]


class _Regions:
    """The regions of one annotation, whose places their words decide."""

    def __init__(self, text: str, units: Offsets, tally: Tally) -> None:
        self._text = text
        self._units = units
        self._tally = tally

    def read(self, annotation: Node) -> tuple[Span, ...]:
        """Return the spans of an annotation's results, in the order of the regions."""
        results = list(annotation.child("result").items())
        listed = [result for result in results if self._is_span(result)]
        idents = {result.object().get("id") for result in listed if isinstance(result.object().get("id"), int | str)}
        texts_by_region = self._texts((result for result in results if not self._is_span(result)), idents)
        return tuple(
            span
            for number, result in enumerate(listed, start=1)
            for span in self.spans(_region(result, number, texts_by_region))
        )

    def spans(self, region: _Region) -> Iterator[Span]:
        """Yield a span for each label of a region."""
        start, end = self._span(region.value)
        for k, label in enumerate(region.value.child("labels").items()):
            own = region.ident if k == 0 else f"{region.ident}-{k + 1}"
            yield Span(start, end, label.text(), region.texts, own, label.path)

    @staticmethod
    def _is_span(result: Node) -> bool:
        value = result.child("value")
        return isinstance(value.value, dict) and value.has("labels") and value.has("start") and value.has("end")

    def _texts(self, results: Iterator[Node], idents: set[Any]) -> dict[Any, dict[str, str]]:
        """Return the texts of per-region results, by region; everything else is counted as lost."""
        texts_by_region: dict[Any, dict[str, str]] = {}
        for result in results:
            ident = result.child("id").value
            kind, name = (str(result.child(field).value) for field in ("type", "from_name"))
            name = name.casefold()
            if kind == "relation":
                self._tally.add("relations")
                continue
            if kind == "labels" and result.child("value").has("labels"):
                self._tally.add("places")
                continue
            if kind not in _VALUES or name not in TEXTS or not isinstance(ident, int | str) or ident not in idents:
                self._tally.add("regions")
                continue
            parts = [part.text() for part in result.child("value").child(_VALUES[kind]).one_or_more()]
            texts_by_region.setdefault(ident, {})[name] = "\n".join(parts)
        return texts_by_region

    def _is_of_whole_words(self, start: int, end: int, words: str) -> bool:
        """Return whether a place is the whole words around what was dragged over (``granularity="word"``)."""
        if not words.strip():
            return False
        before, quoted, behind = self._text[start:end].partition(words)
        text = self._text
        cuts = [place for place in (start, end) if 0 < place < len(text)]
        return (
            bool(quoted)
            and not any(map(str.isspace, before + behind))
            and not any(text[place - 1].isalnum() and text[place].isalnum() for place in cuts)
        )

    def _span(self, value: Node) -> tuple[int, int]:
        """Return the region's place in code points, by the way of counting that gives the region's own words."""
        start, end = value.child("start").whole(), value.child("end").whole()
        units = self._units.code_point(start), self._units.code_point(end)
        words = value.child("text").value
        if not isinstance(words, str):
            self._tally.add("offsets", (start, end) != units)
            return checked_span(start, end, self._text, value.path)
        if quoted := quoted_span(start, end, words, self._text, self._units):
            return quoted
        for first, last in ((start, end), units):
            if first is None or last is None or not 0 <= first < last <= len(self._text):
                continue
            if self._is_of_whole_words(first, last, words):
                self._tally.add("granularity")
                return first, last
        if 0 <= start < len(self._text) < end:
            if end == len(self._text) + 1 and same_words(words, self._text[start:]):
                self._tally.add("behind")
                return start, len(self._text)
            raise value.error(
                tr(
                    "the region ends at {end}, behind the text, which has {text} characters",
                    end=end,
                    text=len(self._text),
                )
            )
        there = self._text[max(start, 0) : max(end, 0)]
        raise value.error(
            tr(
                "the region's words are {words}, but the text has {there} there, and nothing else fits",
                words=short(words),
                there=short(there),
            )
        )


def _region(result: Node, number: int, texts_by_region: dict[Any, dict[str, str]]) -> _Region:
    ident = result.child("id").value
    if not isinstance(ident, int | str) or isinstance(ident, bool):
        ident = number
    texts = dict(texts_by_region.get(ident, {}))
    if result.has("meta") and result.child("meta").has("text") and "comment" not in texts:
        texts["comment"] = "\n".join(part.text() for part in result.child("meta").child("text").one_or_more())
    return _Region(result.child("value"), ident, texts)
