"""The formats that can be read, the recognition of a file's format, and the formats that hold many documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from markup_core.formats import (
    brat,
    cas,
    columns,
    docbin,
    doccano,
    label_studio,
    m2_corpus,
    spacy_json,
    table,
    tei,
    web_annotation,
    webanno_tsv,
)
from markup_core.formats.corpus import Document, Format, Source
from markup_core.formats.lines import Written
from markup_core.reading.recognition import CAS_JSON, DOCCANO, LABEL_STUDIO, M2, WEB_ANNOTATION, WEBANNO_TSV, XMI

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        listed.name: listed
        for listed in (
            Format(brat.NAME, (".ann",), brat.looks_like, brat.read),
            Format(XMI, (".xmi", ".xml"), cas.is_xmi, cas.read_xmi, extra="formats"),
            Format(CAS_JSON, (".json",), cas.is_json, cas.read_json),
            Format(WEBANNO_TSV, (".tsv", ".txt"), webanno_tsv.looks_like, webanno_tsv.read),
            Format(LABEL_STUDIO, (".json",), label_studio.looks_like, label_studio.read),
            Format(WEB_ANNOTATION, (".jsonld", ".json"), web_annotation.looks_like, web_annotation.read),
            Format(DOCCANO, (".jsonl", ".json"), doccano.looks_like, doccano.read),
            Format("spacy", (".jsonl", ".json"), spacy_json.looks_like, spacy_json.read),
            Format("csv", (".csv", ".tsv"), table.looks_like, table.read),
            Format(
                "conll",
                (".conll", ".conllu", ".conllup", ".iob", ".iob2", ".bio", ".tsv", ".txt"),
                columns.looks_like,
                columns.read,
            ),
            Format(M2, (".m2", ".txt"), m2_corpus.looks_like, m2_corpus.read),
            Format("tei", (".xml", ".tei"), tei.looks_like, tei.read, extra="formats"),
            Format("docbin", (".spacy",), docbin.looks_like, docbin.read),
        )
    }
)
"""Lists the formats by name, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A format to which many documents are written at once; ``is_shared``: a file names its annotators."""

    suffix: str
    write: Callable[[Iterable[Document]], Written]
    is_shared: bool


WRITERS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        DOCCANO: Writer(".jsonl", doccano.write, is_shared=False),
        "spacy": Writer(".jsonl", spacy_json.write, is_shared=True),
        "conll": Writer(".conll", columns.write, is_shared=False),
        "csv": Writer(".csv", table.write, is_shared=True),
    }
)


def recognized(source: Source) -> Format | None:
    """Return the format of a file by its suffix and contents; None where it is none of these."""
    return next(
        (listed for listed in FORMATS.values() if source.suffix in listed.suffixes and listed.looks_like(source)), None
    )


def documents(source: Source, listed: Format) -> Iterator[Document]:
    """Yield the documents of a source, each with the name of the file. Raises FormatError."""
    for document in listed.read(source):
        layers = tuple(
            replace(layer, losses=tuple(loss.of(source.name) for loss in layer.losses)) for layer in document.layers
        )
        losses = tuple(loss.of(source.name) for loss in document.losses)
        yield replace(document, source=source.name, layers=layers, losses=losses)
