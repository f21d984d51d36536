"""UIMA CAS JSON, format 0.4, as INCEpTION exports a document ("UIMA CAS JSON 0.4.0").

The format is that of https://github.com/apache/uima-uimaj-io-jsoncas (SPECIFICATION.adoc): ``%TYPES``,
``%FEATURE_STRUCTURES`` (a list, or an object by ids) and ``%VIEWS``; keys that begin with ``@`` are references, with
``^`` anchors. Offsets are UTF-16 code units: the specification says so since its clarification of February 2024, and
0.4 knows no key that would say otherwise; Java writes them, and dkpro-cassis turns them into code points as we do.

* A fragment is an annotation of a custom layer (or a named entity) in the view ``_InitialView``. Its label is the
  feature ``code``, ``label``, ``value`` or ``type``, the first that is there; the features subtype, comment,
  explanation, correction and tag are taken, in any letter case.
* A document-level annotation of a custom layer, which has no place, is a full-text fragment.
* Relations and chains (``@Governor``, ``@Dependent``, ``@next``), linguistic layers (lemmas, parts of speech …), other
  features and views are lost. Tokens, sentences and what INCEpTION notes for itself are no annotator's work and are
  not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from markup_core.formats.foreign import TEXTS, FormatError, Import, Node, Tally, Utf16, Wanted, checked_span
from markup_core.model import Markup
from markup_core.reading.recognition import CAS_STRUCTURES
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
_NAMED_ENTITY: Final = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_LABELS: Final = ("code", "label", "value", "type")
_RELATED: Final = frozenset({"@Governor", "@Dependent", "@next"})
"""What INCEpTION's relations and chains refer by."""
_PLACES: Final = frozenset({"@sofa", "begin", "end", "^begin", "^end"})


def read(cas: Any, vocabulary: Wanted) -> Import:
    """Read the markup of a CAS. Raises FormatError with the JSON path."""
    root, tally = Node(cas), Tally()
    structures = list(_structures(root.child(CAS_STRUCTURES)))
    sofa = _document(structures, tally)
    text = sofa.child("sofaString").text()
    units, labels = Utf16(text), vocabulary.labels()
    members = _members(root, structures)
    candidates = []
    for ident, structure in structures:
        kind = structure.child("%TYPE").text()
        if kind.startswith(_OWN) or ident not in members:
            continue
        if structure.object().get("@sofa") != sofa.value["%ID"]:  # arrays and other values, which are no annotations
            continue
        if not _RELATED.isdisjoint(structure.object()):
            tally.add("relations")
            continue
        if kind.startswith(_LINGUISTIC) and kind != _NAMED_ENTITY:
            tally.add("layers")
            continue
        label, texts = _features(structure, tally)
        span = _span(structure, units, text)
        candidates.append(labels.fragment(label, span, texts, ident, structure.path, tally))
    labels.check()
    fragments = tuple(fragment for fragment in candidates if fragment is not None)
    return Import(Markup(text, fragments, MappingProxyType({"subject": labels.subject})), tally.losses())


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
    first = [sofa for sofa in sofas if sofa.child("sofaID").value == _VIEW]
    if not first:
        message = tr("there is no {sofa} with the sofaID {view}, which holds the text", sofa=_SOFA, view=_VIEW)
        raise FormatError(message, f"$.{CAS_STRUCTURES}")
    tally.add("views", len(sofas) - 1)
    return first[0]


def _members(root: Node, structures: list[tuple[int | str, Node]]) -> set[int | str]:
    """Return the ids in the view; a deleted annotation may still stand among the feature structures."""
    if not root.has("%VIEWS") or not root.child("%VIEWS").has(_VIEW):
        return {ident for ident, _ in structures}
    return {member.whole() for member in root.child("%VIEWS").child(_VIEW).child("%MEMBERS").items()}


def _features(structure: Node, tally: Tally) -> tuple[str, dict[str, str]]:
    """Return the label of an annotation and its texts."""
    features = {
        key: Node(value, f"{structure.path}.{key}")
        for key, value in structure.object().items()
        if not key.startswith("%") and key not in _PLACES and value is not None
    }
    folded = {key.casefold(): key for key in features}
    labelled = next((folded[name] for name in _LABELS if name in folded), None)
    if labelled is None:
        kind, named = structure.value["%TYPE"], ", ".join(_LABELS)
        raise structure.error(
            tr(
                "the annotation of the layer {kind} has no label (feature {named}); give it one",
                kind=short(kind),
                named=named,
            )
        )
    text_features = {name: folded[name] for name in TEXTS if name in folded}
    tally.add("features", len(features) - len(text_features) - 1)
    return features[labelled].text(), {name: features[key].text() for name, key in text_features.items()}


def _span(structure: Node, units: Utf16, text: str) -> tuple[int, int]:
    borders = [
        next((structure.child(key) for key in (name, f"^{name}") if structure.has(key)), None)
        for name in ("begin", "end")
    ]
    start, end = borders
    if start is None and end is None:
        return 0, 0
    if start is None or end is None:
        raise structure.error(tr("an annotation has both a begin and an end"))
    return checked_span(units.code_point(start.whole()), units.code_point(end.whole()), text, structure.path)
