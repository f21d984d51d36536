"""Label Studio's JSON export (not JSON-MIN): a list of tasks, each with its annotations.

The format is described at https://labelstud.io/guide/task_format: ``data``, ``annotations[].result[]`` with
``value.start``, ``value.end`` and ``value.labels``; relations and other kinds of results stand in the same list.

**Offsets.** Label Studio counts code points since 2021 (``charsToCodePoints`` in the editor's ``selection-tools.js``,
label-studio-frontend pull request 308 for issues 1008 and 1347); before, it counted UTF-16 code units, and an export
may hold regions of both times. So the region's own words (``value.text``) decide; where there are none and the two ways
of counting differ, code points are assumed and that is declared.

* Each annotation that was not cancelled becomes a markup of its own; predictions are lost.
* A fragment is a region with labels; a region with several labels gives a fragment for each. The texts come from
  per-region results (``textarea``, ``choices``) whose ``from_name`` is subtype, comment, explanation, correction or
  tag; a region's note (``meta.text``) is the comment if there is no other.
* With ``granularity="word"`` a region's place is that of whole words and its words are what was dragged over: the place
  is taken, and that is told. So is the end of a region one behind the text, where the words are the text's last.
* A region with labels and without a place (``start`` null) is lost and counted as such.
* The text is ``data.text``, or the only string in ``data``. Other fields of ``data`` with names of the markup's meta
  (subject, theme, class …) are taken, the rest is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from markup_core.formats.foreign import TEXTS, Import, Labels, Node, Tally, Utf16, Wanted, checked_span, same_words
from markup_core.model import Fragment, Markup
from markup_core.reading.wire import short
from markup_core.texts import Text, tr

_META: Final = ("id", "uuid", "name", "theme", "taskText", "class", "year", "subject", "test", "category")
_ANNOTATIONS: Final = ("annotations", "completions")  # the older name, until 2021
_VALUES: Final = {"textarea": "text", "choices": "choices"}
"""Kinds of per-region results that say a text, and where in their value it stands."""


def read(export: Any, vocabulary: Wanted) -> list[Import]:
    """Read the markups of an export, named ``TASK_exp01``, ``TASK_exp02`` … Raises FormatError with the JSON path.

    What a task loses is told with the first of its markups.
    """
    imports: list[Import] = []
    for number, task in enumerate(Node(export).one_or_more(), start=1):
        imports += _task(task, number, vocabulary)
    if not imports:
        message = tr("the export holds no finished annotation")
        raise Node(export).error(message)
    return imports


def _task(task: Node, number: int, vocabulary: Wanted) -> Iterator[Import]:
    key = next((name for name in _ANNOTATIONS if task.has(name)), None)
    if key is None or not task.has("data"):
        message = tr("a task with data and annotations is expected; export as JSON, not as JSON-MIN")
        raise task.error(message)
    tally = Tally()
    text, meta = _document(task.child("data"), tally)
    labels = vocabulary.labels(meta.get("subject"))
    named = task.child("id").whole() if task.has("id") else number  # names files
    meta = {"id": str(named), **meta, "subject": labels.subject}
    tally.add("predictions", sum(1 for _ in task.child("predictions").one_or_more()))
    finished = [entry for entry in task.child(key).items() if not entry.object().get("was_cancelled")]
    tally.add("cancelled", len(task.value[key]) - len(finished))
    for expert, annotation in enumerate(finished, start=1):
        regions = _Regions(text, labels, tally)
        fragments = regions.read(annotation)
        yield Import(Markup(text, fragments, MappingProxyType(meta)), tally.losses(), f"{named}_exp{expert:02}")
        tally = Tally()


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
    meta = {name: fields[name] for name in _META if name != key and isinstance(fields.get(name), int | str)}
    tally.add("fields", len(fields) - len(meta) - 1)
    return text, meta


class _Regions:
    """The results of one annotation."""

    def __init__(self, text: str, labels: Labels, tally: Tally) -> None:
        self._text = text
        self._units = Utf16(text)
        self._labels = labels
        self._tally = tally

    def read(self, annotation: Node) -> tuple[Fragment, ...]:
        """Return the fragments, in the order of the regions."""
        results = list(annotation.child("result").items())
        spans = [result for result in results if self._is_span(result)]
        idents = {span.object().get("id") for span in spans if isinstance(span.object().get("id"), int | str)}
        texts_by_region = self._texts((result for result in results if not self._is_span(result)), idents)
        fragments = [
            fragment
            for number, span in enumerate(spans, start=1)
            for fragment in self._fragments(span, number, texts_by_region)
        ]
        self._labels.check()
        return tuple(fragments)

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

    def _fragments(self, region: Node, number: int, texts_by_region: dict[Any, dict[str, str]]) -> Iterator[Fragment]:
        value, ident = region.child("value"), region.child("id").value
        if not isinstance(ident, int | str) or isinstance(ident, bool):
            ident = number
        texts = dict(texts_by_region.get(ident, {}))
        if region.has("meta") and region.child("meta").has("text") and "comment" not in texts:
            texts["comment"] = "\n".join(part.text() for part in region.child("meta").child("text").one_or_more())
        span = self._span(value)
        listed = list(value.child("labels").items())
        for k, label in enumerate(listed):
            own = ident if k == 0 else f"{ident}-{k + 1}"
            fragment = self._labels.fragment(label.text(), span, texts, own, label.path, self._tally)
            if fragment is not None:
                yield fragment

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
        places = [
            (first, last)
            for first, last in ((start, end), units)
            if first is not None and last is not None and first >= 0
        ]
        for first, last in places:
            if first < last <= len(self._text) and same_words(words, self._text[first:last]):
                return checked_span(first, last, self._text, value.path)
        for first, last in places:
            if first < last <= len(self._text) and self._is_of_whole_words(first, last, words):
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
