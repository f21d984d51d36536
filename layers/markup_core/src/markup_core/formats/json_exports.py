"""JSON of annotation tools: doccano, Label Studio, and W3C Web Annotation.

**doccano**: JSON Lines: a text a line with labelled spans, of all versions. Seen in 1.2.0, 1.4.1, 1.5.5, 1.6.2 and
1.8.4, whose export code was read, the last one's run:

* ``{"id", "text", "label": [[start, end, label]], "Comments": ["…"]}`` and the text's own fields beside them (1.7 and
  later); ``data`` for ``text`` and no comments (1.3 to 1.6); ``labels``, ``meta``, ``annotation_approver`` (before).
* Projects with relations: ``entities`` of ``{"id", "label", "start_offset", "end_offset"}``, ``relations``.
* Projects of intents and slots: ``cats`` and ``entities`` of ``[start, end, label]``.
* Before 1.3 also ``annotations`` of ``{"label": 3, "start_offset", "end_offset", "user": 1}``: labels are numbers,
  which the file does not explain; they are read as labels ``3`` and need ``--codes``.

A project whose annotators work apart is exported as a file for each, named after the user; ``all`` is everybody's,
``unknown`` holds the texts that nobody labelled. A text's number is the same in each of them and is its name.

**Its offsets.** The editor (v-annotator) writes the browser's UTF-16 code units, doccano's own Python code takes them
for code points, and what was imported keeps what its file had; a line does not say which. So the units of a file are
those in which all places exist and the fewest borders cut a word or lie beside a blank of the span's own; UTF-16 if
that does not decide. Where the units make a difference, those that were taken are told. A project that counts grapheme
clusters (``grapheme_mode``) cannot be told apart. :func:`write_doccano` names the units and exports again.

**Label Studio**: JSON, a list of tasks with their annotations, and JSON-MIN, a row per annotation. The format is
described at https://labelstud.io/guide/task_format: ``data``, ``annotations[].result[]`` with ``value.start``,
``value.end`` and ``value.labels``; relations and other kinds of results stand in the same list.

**Its offsets.** Label Studio counts code points since 2021 (``charsToCodePoints`` in the editor's
``selection-tools.js``, label-studio-frontend pull request 308 for issues 1008 and 1347); before, it counted UTF-16 code
units, and an export may hold regions of both times. So the region's own words (``value.text``) decide; where there are
none and the two ways of counting differ, code points are assumed and that is declared.

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

**W3C Web Annotation**: an AnnotationPage in JSON-LD, an annotation per fragment. The model is
https://www.w3.org/TR/annotation-model/; its positions are Unicode code points, ends exclusive. A fragment's target has
a TextPositionSelector and, for readers whose text moved, a TextQuoteSelector, its context left out where the text
begins or ends: an empty one sends other readers elsewhere. A full-text fragment's target is the whole text, without a
selector. Each body has a purpose of its own, so that each field is found again. What the model has no word for (the
text itself, meta, criteria, the id) stands under ``mc:``, which other tools may ignore. So nothing is lost.

Of other tools' pages, or lists of annotations, the text is ``mc:text`` or stands in a ``.txt`` beside them; annotations
are layers of their ``creator``. Without a body for the code a tag is the label; bodies of other purposes are lost.
Programs in JavaScript write positions in UTF-16 code units: so the quotation decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from markup_core.formats import corpus
from markup_core.formats.foreign import META, TEXTS, Node, Tally, checked_span, same_words
from markup_core.model import Fragment, Markup
from markup_core.reading.validation import ANNOTATION_CONTEXT, is_web_annotation
from markup_core.reading.wire import short
from markup_core.texts import Text, tr

_UNITS: Final = "offset_unit"
_UTF16: Final = "utf-16"
_STRINGS: Final = ("label", "labels", "cats", "entities")
_LISTS: Final = ("label", "labels", "entities", "annotations")
_OWN: Final = frozenset(
    {"id", "text", "data", "cats", "relations", "Comments", "comments", "meta", "annotation_approver", _UNITS, *_LISTS}
)
_NOBODY: Final = frozenset({"all", "unknown"})
"""Names of files that are no user's."""


class _Place(NamedTuple):
    """A span in the file's own units."""

    start: int
    end: int
    label: str
    ident: int
    user: str
    path: str


def read_doccano(source: corpus.Source) -> Iterator[corpus.Document]:
    """Yield a document for each text. Raises FormatError with the line."""
    lines = [(node, corpus.text_of(node, "text", "data"), list(_places(node))) for node in corpus.nodes(source)]
    units = _units(lines)
    names = corpus.Names(source)
    stem = PurePosixPath(source.stem).name
    for node, text, places in lines:
        fields = node.object()
        tally = Tally()
        annotator = stem if "id" in fields and stem not in _NOBODY else ""
        layers = _layers(text, places, units, annotator, tally, fields.get(_UNITS) == _UTF16)
        tally.add("relations", len(list(node.child("relations").one_or_more())))
        tally.add("comments", sum(len(list(node.child(name).one_or_more())) for name in ("Comments", "comments")))
        listed = [fields[name] for name in _STRINGS if isinstance(fields.get(name), list)]
        tally.add("categories", sum(isinstance(entry, str) for entries in listed for entry in entries))
        own = fields["meta"] if isinstance(fields.get("meta"), dict) else {}
        meta = corpus.kept_meta(own | {name: value for name, value in fields.items() if name not in _OWN}, tally)
        yield corpus.Document(names.of(fields.get("id")), text, layers, meta, tally.losses())


def _places(node: Node) -> Iterator[_Place]:
    """Yield the spans of a line; strings in their place are labels of the whole text."""
    for name in _LISTS:
        entries = node.child(name).items() if node.has(name) else iter(())
        for number, entry in enumerate(entries, start=1):
            if isinstance(entry.value, list):
                parts = list(entry.items())
                if len(parts) != 3:
                    raise entry.error(tr("a span is a list of start, end and label"))
                yield _Place(parts[0].whole(), parts[1].whole(), _label(parts[2]), number, "", entry.path)
            elif not isinstance(entry.value, str):
                user = str(entry.value["user"]) if entry.has("user") else ""
                ident = entry.child("id").whole() if entry.has("id") else number
                start, end = entry.child("start_offset").whole(), entry.child("end_offset").whole()
                yield _Place(start, end, _label(entry.child("label")), ident, user, entry.path)


def _label(node: Node) -> str:
    is_number = isinstance(node.value, int) and not isinstance(node.value, bool)
    return str(node.whole()) if is_number else node.text()


def _units(lines: list[tuple[Node, str, list[_Place]]]) -> corpus.Units:
    """Return the units of a file: those it names, else those that fit with the fewest odd borders, UTF-16 in a tie."""
    if any(node.value.get(_UNITS) == _UTF16 for node, *_ in lines):
        return "utf16"
    scores: dict[corpus.Units, tuple[int, int]] = {}
    candidates: tuple[corpus.Units, ...] = ("utf16", "points")
    for units in candidates:
        misses = cuts = 0
        for _, text, places in lines:
            if places and max(text, default="") > "\uffff":
                offsets = corpus.Offsets(text, units)
                for place in places:
                    start, end = offsets.code_point(place.start), offsets.code_point(place.end)
                    if start is None or end is None:
                        misses += 1
                    elif start < end:
                        cuts += text[start].isspace() + text[end - 1].isspace()
                        cuts += is_inside_word(text, start) + is_inside_word(text, end)
        scores[units] = misses, cuts
    return min(candidates, key=scores.__getitem__)


def is_inside_word(text: str, border: int) -> bool:
    """Return whether a border stands between two letters or digits."""
    return 0 < border < len(text) and text[border - 1].isalnum() and text[border].isalnum()


def _layers(
    text: str, places: list[_Place], units: corpus.Units, annotator: str, tally: Tally, is_named: bool
) -> tuple[corpus.Layer, ...]:
    """Return the spans of each user, one layer without spans where there are none; ``is_named``: the units are."""
    halves = corpus.Offsets(text, "utf16")
    offsets = halves if units == "utf16" else corpus.Offsets(text, units)
    spans: dict[str, list[corpus.Span]] = {}
    for place in places:
        layer = spans.setdefault(f"user {place.user}" if place.user else annotator, [])
        if place.start == place.end:
            tally.add("empty")
            continue
        is_same = (halves.code_point(place.start), halves.code_point(place.end)) == (place.start, place.end)
        if not is_same and not is_named:
            tally.add("utf16" if units == "utf16" else "offsets")
        borders = offsets.code_point(place.start), offsets.code_point(place.end)
        layer.append(corpus.Span(*checked_span(*borders, text, place.path), place.label, {}, place.ident, place.path))
    return tuple(corpus.Layer(name, tuple(listed)) for name, listed in spans.items()) or (corpus.Layer(annotator, ()),)


def write_doccano(documents: Iterable[corpus.Document]) -> corpus.Written:
    """Write documents for doccano's import, a line for each layer, in the units of its editor.

    Letters are escaped: by default doccano guesses the encoding, and reads UTF-8 as another one.
    """
    tally = Tally()
    lines = []
    for document, _, spans in corpus.written_layers(documents, tally):
        text = document.text
        width = [0]
        for character in text:
            width.append(width[-1] + 1 + (character > "\uffff"))
        labels = [[width[span.start], width[span.end], span.label] for span in spans]
        meta = {name: value for name, value in document.meta.items() if name not in _OWN}
        tally.add("meta", len(document.meta) - len(meta))
        lines.append({"id": document.name, **meta, "text": text, "label": labels, _UNITS: _UTF16})
    return corpus.Written(corpus.written_lines(lines, is_ascii=True), tally.losses())


_ANNOTATIONS: Final = ("annotations", "completions")  # the older name, until 2021
_VALUES: Final = {"textarea": "text", "choices": "choices"}
"""Kinds of per-region results that say a text, and where in their value it stands."""
_OF_ROW: Final = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Fields of a row of JSON-MIN that are Label Studio's own."""


def read_label_studio(source: corpus.Source) -> Iterator[corpus.Document]:
    """Yield the documents of an export, one per task and named by it. Raises FormatError with the JSON path."""
    export = source.json()
    rows: dict[int | str, list[Node]] = {}
    listed: list[corpus.Document] = []
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


def _task(task: Node, key: str, ident: int | str) -> corpus.Document:
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
    units = corpus.Offsets(text, "utf16")
    layers = []
    for annotation in finished:
        own = Tally()
        spans = _Regions(text, units, own).read(annotation)
        is_curated = annotation.child("ground_truth").value is True
        layers.append(corpus.Layer(_annotator(annotation.child("completed_by")), spans, is_curated, own.losses()))
    return corpus.Document(str(ident), text, tuple(layers), {"id": str(ident), **meta}, tally.losses())


def _annotator(named: Node) -> str:
    """Return the annotator's e-mail address or number: exports have either, or an object with both."""
    value = named.value
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return "" if value is None else str(value)


def _of_rows(ident: int | str, rows: list[Node]) -> corpus.Document:
    """Return the document of a task's rows in JSON-MIN."""
    tally = Tally()
    fields = {name: value for name, value in rows[0].object().items() if name not in _OF_ROW}
    areas = {name for name, value in fields.items() if _is_area(value)}
    data = {name: value for name, value in fields.items() if name not in areas}
    text, meta = _document(Node(data, rows[0].path), tally)
    units = corpus.Offsets(text, "utf16")
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
        layers.append(corpus.Layer(_annotator(row.child("annotator")), tuple(spans), losses=own.losses()))
    return corpus.Document(str(ident), text, tuple(layers), {"id": str(ident), **meta}, tally.losses())


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

    def __init__(self, text: str, units: corpus.Offsets, tally: Tally) -> None:
        self._text = text
        self._units = units
        self._tally = tally

    def read(self, annotation: Node) -> tuple[corpus.Span, ...]:
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

    def spans(self, region: _Region) -> Iterator[corpus.Span]:
        """Yield a span for each label of a region."""
        start, end = self._span(region.value)
        for k, label in enumerate(region.value.child("labels").items()):
            own = region.ident if k == 0 else f"{region.ident}-{k + 1}"
            yield corpus.Span(start, end, label.text(), region.texts, own, label.path)

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
        cuts_a_word = is_inside_word(self._text, start) or is_inside_word(self._text, end)
        return bool(quoted) and not any(map(str.isspace, before + behind)) and not cuts_a_word

    def _span(self, value: Node) -> tuple[int, int]:
        """Return the region's place in code points, by the way of counting that gives the region's own words."""
        start, end = value.child("start").whole(), value.child("end").whole()
        units = self._units.code_point(start), self._units.code_point(end)
        words = value.child("text").value
        if not isinstance(words, str):
            self._tally.add("offsets", (start, end) != units)
            return checked_span(start, end, self._text, value.path)
        if quoted := corpus.quoted_span(start, end, words, self._text, self._units):
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


_TERMS: Final = {
    "@version": 1.1,
    "mc": "urn:x-markup-core:",
    "mc:meta": {"@id": "mc:meta", "@type": "@json"},
    "mc:criteria": {"@id": "mc:criteria", "@type": "@json"},
}
_AROUND: Final = 32
"""Characters of context on either side of a quotation."""

_CODE: Final = "classifying"
_PURPOSES: Final = {
    "subtype": "tagging",
    "comment": "commenting",
    "explanation": "describing",
    "correction": "editing",
    "tag": "identifying",
}
_FIELDS: Final = {purpose: name for name, purpose in _PURPOSES.items()}


def write_web_annotation(markup: Markup) -> dict[str, Any]:
    """Write a valid markup as an AnnotationPage; the same markup gives the same page."""
    source = f"urn:x-markup-core:text:{hashlib.sha256(markup.text.encode()).hexdigest()}"
    return {
        "@context": [ANNOTATION_CONTEXT, _TERMS],
        "id": f"{source}:annotations",
        "type": "AnnotationPage",
        "mc:meta": dict(markup.meta),
        "mc:criteria": dict(markup.criteria),
        "mc:text": markup.text,
        "items": [
            _annotation(markup.text, source, k, fragment) for k, fragment in enumerate(markup.fragments, start=1)
        ],
    }


def _annotation(text: str, source: str, number: int, fragment: Fragment) -> dict[str, Any]:
    bodies = {_CODE: fragment.code} | {purpose: getattr(fragment, name) for name, purpose in _PURPOSES.items()}
    return {
        "id": f"{source}:annotation:{number}",
        "type": "Annotation",
        "mc:id": fragment.id,
        "body": [
            {"type": "TextualBody", "purpose": purpose, "value": value} for purpose, value in bodies.items() if value
        ],
        "target": {"source": source} | ({} if fragment.is_full_text else {"selector": _selectors(text, fragment)}),
    }


def _selectors(text: str, fragment: Fragment) -> list[dict[str, Any]]:
    start, end = fragment.start, fragment.end
    around = {"prefix": text[max(start - _AROUND, 0) : start], "suffix": text[end : end + _AROUND]}
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {"type": "TextQuoteSelector", "exact": text[start:end]} | {name: part for name, part in around.items() if part},
    ]


def looks_like_web_annotation(source: corpus.Source) -> bool:
    """Return whether a file is a page or a list of annotations."""
    value = source.value
    return is_web_annotation(value[0] if isinstance(value, list) and value else value)


def read_web_annotation(source: corpus.Source) -> Iterator[corpus.Document]:
    """Read the document of a page. Raises FormatError with the JSON path."""
    beside = source.beside(f"{PurePosixPath(source.name).stem}.txt")
    yield web_annotation_document(source.stem, source.json(), None if beside is None else corpus.decoded(beside))


def web_annotation_document(name: str, page: Any, beside: str | None = None) -> corpus.Document:
    """Return the document of a page's value; ``beside`` is its text, where the page does not carry it."""
    root = Node(page)
    if beside is None and not root.has("mc:text"):
        raise root.error(tr("the page does not carry its text (mc:text), and no file .txt with it stands beside it"))
    text = root.child("mc:text").text() if root.has("mc:text") else beside or ""
    meta = root.child("mc:meta").object() if root.has("mc:meta") else {}
    criteria = root.child("mc:criteria").object() if root.has("mc:criteria") else {}
    units = corpus.Offsets(text, "utf16")
    spans: dict[str, list[corpus.Span]] = {}
    tallies: dict[str, Tally] = {}
    for number, item in enumerate((root if isinstance(page, list) else root.child("items")).items(), start=1):
        creator = item.child("creator").value
        if isinstance(creator, dict):
            creator = creator.get("name") or creator.get("id")
        annotator = creator if isinstance(creator, str) else ""
        label, texts = _bodies(item, tallies.setdefault(annotator, Tally()))
        ident = item.child("mc:id").value if item.has("mc:id") else number
        if isinstance(ident, bool) or not isinstance(ident, int | str):
            raise item.child("mc:id").error(tr("a number or a string is expected, not {ident}", ident=short(ident)))
        targets = list(item.child("target").one_or_more())
        if len(targets) != 1:
            raise item.error(tr("an annotation has one target here, not {count}", count=len(targets)))
        place = _place_of_target(targets[0], text, units)
        spans.setdefault(annotator, []).append(corpus.Span(*place, label, texts, ident, item.path))
    layers = [corpus.Layer(who, tuple(listed), False, tallies[who].losses(), criteria) for who, listed in spans.items()]
    return corpus.Document(name, text, tuple(layers) or (corpus.Layer("", (), criteria=criteria),), meta)


def _bodies(item: Node, tally: Tally) -> tuple[str, dict[str, str]]:
    """Return the label and the texts in the bodies of an annotation."""
    texts: dict[str, str] = {}
    for body in item.child("body").one_or_more():
        purpose = body.object().get("purpose")
        if purpose not in (_CODE, *_FIELDS) or purpose in texts:
            tally.add("bodies")
            continue
        texts[purpose] = body.child("value").text()
    tag = _PURPOSES["subtype"]
    if _CODE not in texts and tag in texts:  # other tools tag
        texts[_CODE] = texts.pop(tag)
    if _CODE not in texts:
        raise item.error(tr('no body has the purpose "{code}", which holds the code', code=_CODE))
    return texts.pop(_CODE), {_FIELDS[purpose]: value for purpose, value in texts.items()}


def _place_of_target(target: Node, text: str, units: corpus.Offsets) -> tuple[int, int]:
    if not target.has("selector"):
        target.child("source").text()  # a target without selector is the whole text, but it is a target
        return 0, 0
    selectors = {selector.child("type").text(): selector for selector in target.child("selector").one_or_more()}
    position, quote = selectors.get("TextPositionSelector"), selectors.get("TextQuoteSelector")
    if position is None:
        raise target.child("selector").error(tr("a TextPositionSelector is expected"))
    start, end = position.child("start").whole(), position.child("end").whole()
    if quote is None:
        return checked_span(start, end, text, position.path)
    words = quote.child("exact").text()
    if (place := corpus.quoted_span(start, end, words, text, units)) is not None:
        return place
    start, end = checked_span(start, end, text, position.path)
    raise quote.error(
        tr(
            "the quotation is {quotation}, but the text has {there} there; positions are Unicode code points",
            quotation=short(words),
            there=short(text[start:end]),
        )
    )
