"""UIMA CAS as INCEpTION and WebAnno export a document: XMI, and JSON in format 0.4 ("UIMA CAS JSON 0.4.0").

The JSON is that of https://github.com/apache/uima-uimaj-io-jsoncas (SPECIFICATION.adoc): ``%TYPES``,
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
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from markup_core.formats.corpus import Document, Layer, Offsets, Source, Span
from markup_core.formats.foreign import TEXTS, FormatError, Node, Tally, checked_span
from markup_core.reading.recognition import CAS_STRUCTURES
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
"""Names the features by which INCEpTION's relations and chains refer to spans."""
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
        message = tr("there is no {sofa} with the sofaID {view}, which holds the text", sofa=_SOFA, view=_VIEW)
        raise FormatError(message)
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
    labelled = next((folded[name] for name in LABELS if name in folded), None)
    text_features = {name: folded[name] for name in TEXTS if name in folded}
    others = [key for key in features if key not in text_features.values()]
    if labelled is None and len(others) == 1 and isinstance(features[others[0]].value, str):
        (labelled,) = others
    tally.add("features", len(others) - (labelled is not None))
    layer: str = structure.value["%TYPE"].rpartition(".")[2]
    label = layer if labelled is None else features[labelled].text()
    return label, {name: features[key].text() for name, key in text_features.items()}


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
