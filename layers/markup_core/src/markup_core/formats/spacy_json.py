"""spaCy's and Prodigy's JSON: a text a line, or a list of them.

Read are what ``Doc.to_json`` writes (``ents``, ``spans`` by groups, ``cats``), lines ``{"text", "spans"}`` and
``{"text", "entities"}`` whose spans are objects or lists ``[start, end, label]``, pairs ``["text", {"entities": […]}]``
of spaCy 2's training data, and Prodigy's tasks. Places count code points where the line is spaCy's or Prodigy's own
(it has ``tokens``, ``ents`` or a hash); elsewhere a span's own ``text`` decides, else code points are assumed.

* Entities and all groups of spans are one annotation; a place with one label stands in it once.
* Prodigy's tasks with one ``_input_hash`` (else: one ``id`` and text) are one document, with a layer for each
  ``_annotator_id`` or ``_session_id``; what one annotator accepted in several tasks is one layer. Only tasks with
  ``"answer": "accept"`` count. A task that the recipe ``review`` made (it has ``versions``) is a curated layer.
* Relations, labels of whole texts and other fields are lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Source, Span
from markup_core.formats.foreign import TEXTS, FormatError, Node, Tally
from markup_core.formats.lines import (
    Names,
    Places,
    Written,
    first_value,
    kept_meta,
    nodes,
    text_of,
    written_layers,
    written_lines,
)
from markup_core.texts import tr

_LISTS: Final = ("spans", "entities", "ents")
_OWN: Final = frozenset(
    {"id", "text", "answer", "tokens", "sents", "cats", "relations", "options", "accept", "meta", "versions", *_LISTS}
)
_ACCEPT: Final = "accept"


@dataclass(slots=True)
class _Gathered:
    """A document while its tasks are gathered."""

    text: str
    name: str
    meta: Any
    tally: Tally
    places: Places
    spans: dict[tuple[str, bool], dict[tuple[int, int, str], Span]] = field(default_factory=dict)
    """Holds spans by annotator and by a flag of curated layers, each place with a label once."""


def looks_like(source: Source) -> bool:
    """Return whether the first line is spaCy's or Prodigy's."""
    value = first_value(source)
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        value = value[1] if isinstance(value[1], dict) and isinstance(value[1].get("entities"), list) else None
        return value is not None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str) or "selections" in value:
        return False
    return any(isinstance(value.get(name), list | dict) for name in (*_LISTS, "tokens")) or "_input_hash" in value


def read(source: Source) -> Iterator[Document]:
    """Yield a document for each text. Raises FormatError with the line."""
    names, tally = Names(source), Tally()
    documents: dict[object, _Gathered] = {}
    for task in nodes(source):
        if isinstance(task.value, list) and len(task.value) == 2 and isinstance(task.value[1], dict):  # of spaCy 2
            task = Node({"text": task.value[0]} | task.value[1], task.path)  # noqa: PLW2901
        text = text_of(task, "text")
        fields = task.object()
        if fields.get("answer", _ACCEPT) != _ACCEPT:
            tally.add("rejected")
            continue
        ident = fields.get("id") if _is_ident(fields.get("id")) else None
        key = fields["_input_hash"] if isinstance(fields.get("_input_hash"), int) else (ident, text)
        if key not in documents or documents[key].text != text:
            own = fields["meta"] if isinstance(fields.get("meta"), dict) else {}
            rest = {name: value for name, value in fields.items() if name not in _OWN and name[:1] != "_"}
            meta = kept_meta(own | rest, tally)
            is_own = "tokens" in fields or "ents" in fields or "_input_hash" in fields
            name = names.of(fields.get("id", own.get("id")))
            documents[key] = _Gathered(text, name, meta, tally, Places(text, is_own))
            tally = Tally()
        _add(task, documents[key])
    if not documents:
        raise FormatError(tr("the file holds no accepted annotation"))
    for number, document in enumerate(documents.values()):
        if number == 0:
            document.tally.take(tally.losses())
        layers = tuple(
            Layer(annotator, tuple(spans.values()), is_curated)
            for (annotator, is_curated), spans in document.spans.items()
        )
        yield Document(document.name, document.text, layers, document.meta, document.tally.losses())


def _add(task: Node, document: _Gathered) -> None:
    """Add the spans of a task to its annotator's layer."""
    fields, tally = task.object(), document.tally
    tally.add("relations", len(list(task.child("relations").one_or_more())))
    chosen = fields.get("cats") or fields.get("accept") or ()
    tally.add("categories", len(chosen) if isinstance(chosen, dict | list) else 0)
    annotator = next((fields[name] for name in ("_annotator_id", "_session_id") if fields.get(name)), "")
    spans = document.spans.setdefault((str(annotator), bool(fields.get("versions"))), {})
    for entry in chain.from_iterable(_entries(task.child(name)) for name in _LISTS):
        if isinstance(entry.value, list):
            parts = list(entry.items())
            if len(parts) != 3:
                raise entry.error(tr("a span is a list of start, end and label"))
            start, end, label, words, texts = *parts, None, {}
        else:
            start, end, label = (entry.child(name) for name in ("start", "end", "label"))
            words = entry.child("text").text() if entry.has("text") else None
            texts = {name: entry.child(name).text() for name in TEXTS if entry.has(name)}
        borders = document.places.of(start.whole(), end.whole(), words, entry.path, tally)
        if borders is not None:
            ident = entry.value["id"] if isinstance(entry.value, dict) and _is_ident(entry.value.get("id")) else 0
            key = (*borders, label.text())
            spans.setdefault(key, Span(*key, texts, ident or len(spans) + 1, entry.path))


def _is_ident(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool) and value != ""


def _entries(listed: Node) -> Iterator[Node]:
    """Yield the spans of a list, or of a dictionary of groups."""
    if isinstance(listed.value, dict):
        return chain.from_iterable(listed.child(name).items() for name in listed.value)
    return listed.one_or_more()


def write(documents: Iterable[Document]) -> Written:
    """Write documents as Prodigy's tasks, a line for each layer; spaCy reads the same spans."""
    tally = Tally()
    lines = []
    for document, layer, spans in written_layers(documents, tally, TEXTS):
        meta = dict(document.meta)
        listed = [
            {
                "start": span.start,
                "end": span.end,
                "label": span.label,
                "text": document.text[span.start : span.end],
                "id": span.ident,
                **span.texts,
            }
            for span in spans
        ]
        by = {"_annotator_id": layer.annotator} if layer.annotator else {}
        lines.append(
            {"id": document.name, "text": document.text, "meta": meta, "spans": listed, "answer": _ACCEPT, **by}
        )
    return Written(written_lines(lines), tally.losses())
