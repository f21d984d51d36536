r"""The exports of INCEpTION and WebAnno: UIMA CAS as XMI and as JSON ("UIMA CAS JSON 0.4.0"), and WebAnno TSV 3.

**CAS.** The JSON is that of https://github.com/apache/uima-uimaj-io-jsoncas (SPECIFICATION.adoc): ``%TYPES``,
``%FEATURE_STRUCTURES`` (a list, or an object by ids) and ``%VIEWS``; keys that begin with ``@`` are references, with
``^`` anchors. XMI has an element for each feature structure, named by its type, and a ``cas:View`` that lists members;
it is read without the type system beside it, since the names of all features that are taken are known. Offsets are
UTF-16 code units in both: Java writes them, and dkpro-cassis turns them into code points as we do.

* A fragment is an annotation of a custom layer (or a named entity) in the view ``_InitialView``. Its label is the
  feature ``code``, ``label``, ``value`` or ``type``, the first that is there, else the only text that it has, else the
  name of its layer; the features subtype, comment, explanation, correction and tag are taken, in any letter case.
* A document-level annotation of a custom layer, which has no place, is a full-text fragment.
* Relations and chains (``Governor``, ``Dependent``, ``next``), linguistic layers (lemmas, parts of speech …), other
  features and views, and annotations of no length are lost. Tokens, sentences and what INCEpTION notes for itself are
  no annotator's work and are not counted.

**TSV**: a row per token, a column per feature. The format is described in INCEpTION's user guide, "WebAnno TSV 3.3 File
format". The text is put together from the lines ``#Text=`` (one for each line of a sentence), each sentence at the
offset of its first token; what stood between two sentences is not in the file: one character is read as a line end,
more as blanks. Offsets are UTF-16 code units of that text.

* A fragment is an annotation of a span layer (``#T_SP``). Its label is the column ``code``, ``label``, ``value`` or
  ``type``, else the only column, else the layer's name; the columns subtype, comment, explanation, correction and tag
  are taken, in any letter case. Rows of one disambiguation id (``PER[1]``) are one annotation, from first to last.
* Chains, relations and slots (``#T_CH``, ``#T_RL``, ``ROLE_``), linguistic layers, other columns and annotations of no
  length are lost.
* ``\\``, ``\[``, ``\]``, ``\|``, ``\_``, ``\->``, ``\;``, ``\t``, ``\n``, ``\r`` and ``\*`` stand for the character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span
from markup_core.formats.foreign import TEXTS, FormatError, Node, Tally, checked_span, same_words
from markup_core.reading.validation import CAS_STRUCTURES
from markup_core.reading.wire import short
from markup_core.texts import tr

_VIEW: Final = "_InitialView"
_SOFA: Final = "uima.cas.Sofa"
_OWN: Final = (
    "uima.",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
)
"""Prefixes of types that tools write by themselves."""
_LINGUISTIC: Final = "de.tudarmstadt.ukp.dkpro.core."
NAMED_ENTITY: Final = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LABELS: Final = ("code", "label", "value", "type")
_CAS: Final = "http:///uima/cas.ecore"
_ID: Final = "{http://www.omg.org/XMI}id"
_WHOLE: Final = frozenset({_ID, "sofa", "begin", "end"})
_KEYS: Final = {name: f"@{name}" for name in ("sofa", "Governor", "Dependent", "next")}
"""Features of XMI that are references, as JSON names them."""
_RELATED: Final = frozenset({"@Governor", "@Dependent", "@next"})
"""Features by which INCEpTION's relations and chains refer to spans."""
_PLACES: Final = frozenset({"@sofa", "begin", "end", "^begin", "^end"})


def is_linguistic(kind: str) -> bool:
    """Return whether a type is of a linguistic layer (lemmas, parts of speech …), whose annotations are not taken."""
    return kind.startswith(_LINGUISTIC) and kind != NAMED_ENTITY


def is_json(source: Source) -> bool:
    """Return whether a file is UIMA CAS JSON."""
    return isinstance(source.value, dict) and CAS_STRUCTURES in source.value


def read_json(source: Source) -> Iterator[Document]:
    """Read the document of a CAS in JSON. Raises FormatError with the JSON path."""
    root = Node(source.json())
    structures = list(_structures(root.child(CAS_STRUCTURES)))
    members = {ident for ident, _ in structures}
    if root.has("%VIEWS") and root.child("%VIEWS").has(_VIEW):  # a deleted annotation may still stand beside the view
        members = {member.whole() for member in root.child("%VIEWS").child(_VIEW).child("%MEMBERS").items()}
    yield _of_structures(source.stem, structures, members)


def is_xmi(source: Source) -> bool:
    """Return whether a file is UIMA CAS XMI."""
    return "http:///uima/cas.ecore" in source.head and "http://www.omg.org/XMI" in source.head


def read_xmi(source: Source) -> Iterator[Document]:
    """Read the document of a CAS in XMI. Raises FormatError with the id of the feature structure."""
    structures: list[tuple[int | str, Node]] = []
    members: dict[str, str] = {}
    for element in source.xml():
        namespace, _, name = element.tag.removeprefix("{").rpartition("}")
        fields: dict[str, Any] = {key: _number(key, value) for key, value in element.attrib.items()}
        if namespace == _CAS and name == "View":
            members[str(fields.get("sofa", ""))] = element.get("members", "")
            continue
        package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        fields["%TYPE"] = name if package == "uima.noNamespace" else f"{package}.{name}"
        fields |= {child.tag: [] for child in element}  # features of several values, which nothing takes
        ident = fields.pop(_ID, "")
        structures.append(
            (ident, Node({_KEYS.get(key, key): value for key, value in fields.items()}, f"xmi:id {ident}"))
        )
    everything = {ident for ident, _ in structures}
    sofa = next((ident for ident, structure in structures if _is_first(structure)), "")
    listed = members.get(str(sofa))
    yield _of_structures(
        source.stem, structures, everything if listed is None else {_number(_ID, ident) for ident in listed.split()}
    )


def _number(key: str, value: str) -> int | str:
    is_whole = key in _WHOLE and re.fullmatch("[0-9]{1,18}", value)
    return int(value) if is_whole else value


def _is_first(structure: Node) -> bool:
    return (structure.child("%TYPE").value, structure.child("sofaID").value) == (_SOFA, _VIEW)


def _of_structures(name: str, structures: list[tuple[int | str, Node]], members: set[int | str]) -> Document:
    """Return the document of feature structures; ``members`` are the ids of the view."""
    tally = Tally()
    sofa = _document(structures, tally)
    text = sofa.child("sofaString").text()
    units = Offsets(text, "utf16")
    spans = []
    for ident, structure in structures:
        kind = structure.child("%TYPE").text()
        if kind.startswith(_OWN) or ident not in members:
            continue
        if structure.object().get("@sofa") != sofa.value["%ID"]:  # arrays and other values, which are no annotations
            continue
        if not _RELATED.isdisjoint(structure.object()):
            tally.add("relations")
            continue
        if is_linguistic(kind):
            tally.add("layers")
            continue
        span = _span(structure, units, text)
        if span is None:
            tally.add("empty")
            continue
        label, texts = _features(structure, tally)
        spans.append(Span(*span, label, texts, ident, structure.path))
    return Document(name, text, (Layer("", tuple(spans), losses=tally.losses()),))


def _structures(listed: Node) -> Iterator[tuple[int | str, Node]]:
    """Yield the feature structures with their ids, from either way of writing them."""
    if isinstance(listed.value, dict):
        for name, structure in listed.value.items():
            yield (
                int(name) if name.isascii() and name.isdecimal() and len(name) < 19 else name,
                Node(structure, f"{listed.path}.{name}"),
            )
        return
    for structure in listed.items():
        yield structure.child("%ID").whole(), structure


def _document(structures: list[tuple[int | str, Node]], tally: Tally) -> Node:
    """Return the feature structure that holds the text, with its id."""
    sofas = [
        Node({**structure.object(), "%ID": ident}, structure.path)
        for ident, structure in structures
        if structure.child("%TYPE").value == _SOFA
    ]
    first = [sofa for sofa in sofas if _is_first(sofa)]
    if not first:
        raise FormatError(tr("there is no {sofa} with the sofaID {view}, which holds the text", sofa=_SOFA, view=_VIEW))
    tally.add("views", len(sofas) - 1)
    return first[0]


def _features(structure: Node, tally: Tally) -> tuple[str, dict[str, str]]:
    """Return the label of an annotation and its texts."""
    features = {
        key: Node(value, f"{structure.path}.{key}")
        for key, value in structure.object().items()
        if not key.startswith("%") and key not in _PLACES and value is not None
    }
    folded = {key.casefold(): key for key in features}
    labelled, text_features = _roles(folded, features, lambda key: isinstance(features[key].value, str), tally)
    layer: str = structure.value["%TYPE"].rpartition(".")[2]
    label = layer if labelled is None else features[labelled].text()
    return label, {name: features[key].text() for name, key in text_features.items()}


def _roles(
    folded: Mapping[str, str], features: Iterable[str], is_text: Callable[[str], bool], tally: Tally
) -> tuple[str | None, dict[str, str]]:
    """Return the feature that is the label, None where none is, and those of the texts; the others are lost.

    ``folded`` are the features by their names in small letters; ``is_text`` is asked of a sole other feature.
    """
    labelled = next((folded[name] for name in LABELS if name in folded), None)
    texts = {name: folded[name] for name in TEXTS if name in folded}
    others = [feature for feature in features if feature not in texts.values()]
    if labelled is None and len(others) == 1 and is_text(others[0]):
        (labelled,) = others
    tally.add("features", len(others) - (labelled is not None))
    return labelled, texts


def _span(structure: Node, units: Offsets, text: str) -> tuple[int, int] | None:
    """Return the place of an annotation; None where it has no length."""
    borders = [
        next((structure.child(key) for key in (name, f"^{name}") if structure.has(key)), None)
        for name in ("begin", "end")
    ]
    start, end = borders
    if start is None and end is None:
        return 0, 0
    if start is None or end is None:
        raise structure.error(tr("an annotation has both a begin and an end"))
    if start.whole() == end.whole() and units.code_point(end.whole()) is not None:
        return None
    return checked_span(units.code_point(start.whole()), units.code_point(end.whole()), text, structure.path)


_FORMAT: Final = "#FORMAT=WebAnno TSV 3"
_LAYER: Final = re.compile(r"#T_(SP|CH|RL)=([^|]+)(?:\|(.*))?")
_TOKEN: Final = re.compile(r"([0-9]{1,9}-[0-9]{1,9}(?:\.[0-9]{1,9})?)\t([0-9]{1,9})-([0-9]{1,9})\t([^\t]*)(?:\t(.*))?")
_VALUE: Final = re.compile(r"(.*?)(?:\[([0-9]{1,9})\])?", re.DOTALL)
_STACKED: Final = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROL: Final = {"t": "\t", "n": "\n", "r": "\r"}
_ABSENT: Final = "_"
_NULL: Final = "*"
_SLOT: Final = "ROLE_"
_MOST_UNITS: Final = 4_000_000
"""Most UTF-16 units of a text: gaps between sentences cost memory, but no bytes of the file."""
_SENTENCE: Final = "#Text="


@dataclass(frozen=True, slots=True)
class _Layer:
    """The columns of a layer: where they begin, the names of its features, and whether they are taken."""

    kind: str
    layer: str
    first: int
    features: tuple[str, ...]

    @property
    def is_taken(self) -> bool:
        """Return whether the layer's annotations become fragments."""
        return self.kind == "SP" and not is_linguistic(self.layer)


@dataclass(slots=True)
class _Annotation:
    """An annotation while its rows are gathered."""

    place: str
    start: int
    end: int
    values: dict[str, str] = field(default_factory=dict)


def is_tsv(source: Source) -> bool:
    """Return whether a file is WebAnno TSV 3."""
    return source.head.startswith(_FORMAT)


def read_tsv(source: Source) -> Iterator[Document]:
    """Read a document. Raises FormatError with the line."""
    lines = source.text.removeprefix("\ufeff").split("\n")
    columns = _header(lines)
    sentences: list[tuple[int, list[str]]] = []
    rows: list[tuple[str, re.Match[str]]] = []
    current: list[str] = []
    for number, raw_line in enumerate(lines, start=1):
        line = raw_line.removesuffix("\r")
        if line.startswith(_SENTENCE):
            current.append(_unescaped(line.removeprefix(_SENTENCE)))
        elif match := _TOKEN.fullmatch(line):
            if current:
                if int(match[2]) > _MOST_UNITS:
                    message = tr("a text has at most {most} characters here", most=_MOST_UNITS)
                    raise FormatError(message, f"line {number}")
                sentences.append((int(match[2]), current))
                current = []
            rows.append((f"line {number}", match))
        elif line.strip() and not line.startswith("#"):
            raise FormatError(tr("this is no line of WebAnno TSV: {line}", line=short(line)), f"line {number}")
    text = _text(sentences)
    units = Offsets(text, "utf16")
    annotations: dict[tuple[int, str], _Annotation] = {}
    for place, match in rows:
        _row(place, match, text, units, columns, annotations)
    yield Document(source.stem, text, (_layer_of_rows(columns, annotations),))


def _layer_of_rows(columns: list[_Layer], annotations: dict[tuple[int, str], _Annotation]) -> Layer:
    tally, spans = Tally(), []
    for number, ((column, _), annotation) in enumerate(annotations.items(), start=1):
        layer = columns[column]
        if not layer.is_taken:
            tally.add("layers" if layer.kind == "SP" else "relations")
        elif annotation.start == annotation.end:
            tally.add("empty")
        else:
            spans.append(_span_of_rows(layer, annotation, number, tally))
    return Layer("", tuple(spans), losses=tally.losses())


def _header(lines: list[str]) -> list[_Layer]:
    """Return the layers that the header declares, in the order of their columns."""
    columns, first = [], 0
    for line in lines:
        match = _LAYER.fullmatch(line.removesuffix("\r"))
        if match is None:
            if line.startswith(_SENTENCE):
                break
            continue
        kind, layer, named = match[1], match[2], match[3] or ""
        features = tuple(named.split("|"))
        # The column behind a slot holds its targets and has the name of their layer.
        features = tuple(
            "" if before.startswith(_SLOT) else name for before, name in zip(("", *features), features, strict=False)
        )
        columns.append(_Layer(kind, layer, first, features))
        first += len(features)
    return columns


def _text(sentences: list[tuple[int, list[str]]]) -> str:
    """Return the text: each sentence at its offset in UTF-16, what is between them filled up."""
    parts: list[str] = []
    units = 0
    for start, listed in sentences:
        gap = start - units
        if gap > 0 or not parts:
            parts.append("\n" if gap == 1 and parts else " " * max(gap, 0))
        part = "\n".join(listed)
        parts.append(part)
        units = max(start, units) + len(part.encode("utf-16-le")) // 2
    return "".join(parts)


def _row(
    place: str,
    match: re.Match[str],
    text: str,
    units: Offsets,
    columns: list[_Layer],
    annotations: dict[tuple[int, str], _Annotation],
) -> None:
    """Add a row's cells to the annotations that they are of."""
    start, end = units.code_point(int(match[2])), units.code_point(int(match[3]))
    if start is None or start != end:
        start, end = checked_span(start, end, text, place)
    words = _unescaped(match[4])
    if not same_words(words, text[start:end]):
        raise FormatError(
            tr(
                "the token is {words}, but the text has {there} there; offsets are UTF-16 code units",
                words=short(words),
                there=short(text[start:end]),
            ),
            place,
        )
    cells = (match[5] or "").split("\t")
    for number, layer in enumerate(columns):
        for offset, feature in enumerate(layer.features):
            cell = cells[layer.first + offset] if layer.first + offset < len(cells) else _ABSENT
            if cell in {_ABSENT, ""}:
                continue
            for stacked, part in enumerate(_STACKED.findall(cell)):
                value = _VALUE.fullmatch(part)
                ident = value[2] if value and value[2] else f"{match[1]}/{stacked}"
                annotation = annotations.setdefault((number, ident), _Annotation(place, start, end))
                annotation.end = max(annotation.end, end)
                if feature and value and value[1] != _NULL:
                    annotation.values.setdefault(feature, _unescaped(value[1]))


def _span_of_rows(layer: _Layer, annotation: _Annotation, number: int, tally: Tally) -> Span:
    folded = {feature.rpartition(":")[2].casefold(): feature for feature in annotation.values}
    labelled, features = _roles(folded, folded.values(), lambda feature: not feature.startswith(_SLOT), tally)
    texts = {name: annotation.values[feature] for name, feature in features.items()}
    label = layer.layer.rpartition(".")[2] if labelled is None else annotation.values[labelled]
    return Span(annotation.start, annotation.end, label, texts, number, annotation.place)


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: _CONTROL.get(match[1], match[1]), value)
