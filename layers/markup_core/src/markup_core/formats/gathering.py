"""A corpus of many files: the formats that are read and written, their recognition, archives, layers, the import.

Archives are unpacked, the format of each file is recognized, and the layers of one document are brought together. An
import says what would come in, and makes the markups; it is one function for the command and the platform.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from markup_core.extras import ExtraNeededError, require
from markup_core.formats import inception, json_exports, spacy, standoff, table, word_lines
from markup_core.formats.corpus import (
    LARGEST,
    Document,
    Format,
    Imported,
    Layer,
    Source,
    Written,
    expert_numbers,
    first_value,
    markups,
)
from markup_core.formats.foreign import FormatError, Loss, Tally, Wanted
from markup_core.reading.validation import (
    BRAT,
    CAS_JSON,
    DOCCANO,
    LABEL_STUDIO,
    M2,
    WEB_ANNOTATION,
    WEBANNO_TSV,
    XMI,
    InvalidMarkup,
    is_doccano,
    is_label_studio,
    is_m2,
    load,
)
from markup_core.reading.wire import broken_archive, dump, of_archive, short
from markup_core.texts import LANGUAGES, Text, in_language, tr

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        listed.name: listed
        for listed in (
            Format(BRAT, (standoff.SUFFIX,), lambda source: source.suffix == standoff.SUFFIX, standoff.read_brat),
            Format(XMI, (".xmi", ".xml"), inception.is_xmi, inception.read_xmi, extra="formats"),
            Format(CAS_JSON, (".json",), inception.is_json, inception.read_json),
            Format(WEBANNO_TSV, (".tsv", ".txt"), inception.is_tsv, inception.read_tsv),
            Format(
                LABEL_STUDIO, (".json",), lambda source: is_label_studio(source.value), json_exports.read_label_studio
            ),
            Format(
                WEB_ANNOTATION,
                (".jsonld", ".json"),
                json_exports.looks_like_web_annotation,
                json_exports.read_web_annotation,
            ),
            Format(
                DOCCANO, (".jsonl", ".json"), lambda source: is_doccano(first_value(source)), json_exports.read_doccano
            ),
            Format("spacy", (".jsonl", ".json"), spacy.looks_like_json, spacy.read_json),
            Format("csv", (".csv", ".tsv"), table.looks_like, table.read),
            Format(
                "conll",
                (".conll", ".conllu", ".conllup", ".iob", ".iob2", ".bio", ".tsv", ".txt"),
                word_lines.looks_like_conll,
                word_lines.read_conll,
            ),
            Format(M2, (".m2", ".txt"), lambda source: is_m2(source.head), word_lines.read_m2),
            Format("tei", (".xml", ".tei"), standoff.looks_like_tei, standoff.read_tei, extra="formats"),
            Format("docbin", (".spacy",), spacy.looks_like_docbin, spacy.read_docbin),
        )
    }
)
"""Formats by name, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A format to which many documents are written at once; ``is_shared``: a file names its annotators."""

    suffix: str
    write: Callable[[Iterable[Document]], Written]
    is_shared: bool


WRITERS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        DOCCANO: Writer(".jsonl", json_exports.write_doccano, is_shared=False),
        "spacy": Writer(".jsonl", spacy.write_json, is_shared=True),
        "conll": Writer(".conll", word_lines.write_conll, is_shared=False),
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


Files = Mapping[str, Callable[[], bytes]]
"""Files by their paths with ``/``, each read when it is needed."""
_NOTHING: Final[Files] = MappingProxyType({})
_ZIP: Final = ".zip"
_MOST_FILES: Final = 50_000
_MOST_UNPACKED: Final = 1024 * 1024 * 1024
"""Most bytes of all members of an archive and the archives in it."""
_RATIO: Final = 200
"""A member that unpacks to more times its size, and to more than :data:`_SMALL` bytes, is a bomb."""
_SMALL: Final = 1024 * 1024
_DEEPEST: Final = 2
"""Most levels of archives: INCEpTION puts an archive for each annotator into the archive of a project."""
_PIECE: Final = 1024 * 1024
_MEMBER: Final = b"PK\x01\x02"
_PROJECT: Final = ("annotation", "curation")
_INITIAL: Final = "INITIAL_CAS"
_PSEUDO_USERS: Final = (_INITIAL, "CURATION_USER")
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]")
_LONGEST: Final = 120
_KNOWN: Final = frozenset(
    {"TypeSystem.xml", "exportedproject.json", "annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf"}
)
"""Files of INCEpTION and brat beside the documents, which hold no annotation."""
_HIDDEN: Final = ("__MACOSX", ".")


@dataclass(slots=True)
class Corpus:
    """The documents of files, how many files were of each format, and the files that are of none."""

    documents: list[Document] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)


def read_corpus(files: Files, chosen: Format | None = None, neighbours: Files = _NOTHING) -> Corpus:
    """Read all documents of files; ``chosen`` is the format of each of them, else it is recognized.

    ``neighbours`` are files that are read only beside others. Raises FormatError with the file that is broken.
    """
    corpus = Corpus()
    _require_extras(files)
    flat = dict(_Archives().unpacked(files))
    used: set[str] = set()
    around = {**neighbours, **flat}
    if len(flat) > _MOST_FILES:
        raise FormatError(tr("there are {count} files, the limit is {most}", count=len(flat), most=_MOST_FILES))
    _require_extras(flat)
    for name in sorted(flat):
        try:
            if name in used:
                continue
            source = Source(name, flat[name](), partial(_beside, around, used, name))
            listed = chosen or recognized(source)
            if listed is None:
                if PurePosixPath(name).name not in _KNOWN:
                    corpus.unread.append(name)
                continue
            corpus.documents += documents(source, listed)
        except FormatError as error:
            raise FormatError(error.text, name) from None
        corpus.formats[listed.name] += 1
    corpus.unread = [name for name in corpus.unread if name not in used]
    corpus.documents = gathered(corpus.documents)
    return corpus


def _require_extras(files: Files) -> None:
    """Refuse files before any is read where all formats of a suffix need an extra that is not installed."""
    extras: defaultdict[str, set[str]] = defaultdict(set)
    for listed in FORMATS.values():
        for suffix in listed.suffixes:
            extras[suffix].add(listed.extra)
    named = {PurePosixPath(name).suffix.lower(): name for name in files if PurePosixPath(name).name not in _KNOWN}
    for suffix, name in named.items():
        try:
            for extra in extras[suffix] if "" not in extras[suffix] else ():
                require(extra)
        except ExtraNeededError as error:
            raise FormatError(error.text, name) from None


def _beside(files: Files, used: set[str], name: str, neighbour: str) -> bytes | None:
    path = str(PurePosixPath(name).with_name(neighbour))
    if path not in files:
        return None
    used.add(path)
    return files[path]()


class _Archives:
    """Unpacker of archives within one bound; sizes are counted while contents stream by, whatever archives declare."""

    def __init__(self) -> None:
        self._left = _MOST_UNPACKED

    def unpacked(self, files: Files, deep: int = 0) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Yield files, and members of archives, whose paths begin with the archive's own without its suffix."""
        for name, reader in files.items():
            if PurePosixPath(name).suffix.lower() != _ZIP:
                yield name, reader
                continue
            if deep == _DEEPEST:
                raise FormatError(tr("archives are nested deeper than {most} levels", most=_DEEPEST), name)
            try:
                members = self._members(reader())
            except FormatError as error:
                raise FormatError(error.text, name) from None
            except broken_archive() as error:
                raise FormatError(tr("the archive cannot be read: {error}", error=of_archive(error)), name) from None
            root = PurePosixPath(name).with_suffix("")
            yield from self.unpacked(
                {str(root / member): partial(bytes, content) for member, content in members.items()}, deep + 1
            )

    def _members(self, content: bytes) -> dict[str, bytes]:
        if len(content) > LARGEST or content.count(_MEMBER) > 2 * _MOST_FILES:  # listing costs memory for each
            raise FormatError(tr("the archive is too large: {size} bytes", size=len(content)))
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and not is_hidden(one.filename)]
            contents: dict[str, bytes] = {}
            for member in members:
                path = _path(member.filename)
                if path in contents:
                    raise FormatError(tr("the archive holds {name} twice; pack each file once", name=short(path)))
                contents[path] = self._read(archive, member)
            return contents

    def _read(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
        most = min(self._left, LARGEST, max(_SMALL, _RATIO * member.compress_size))
        pieces, size = [], 0
        with archive.open(member) as stream:
            while piece := stream.read(_PIECE):
                size += len(piece)
                if size > most:
                    name = short(member.filename)
                    raise FormatError(tr("{name} unpacks to more than {most} bytes", name=name, most=most))
                pieces.append(piece)
        self._left -= size
        return b"".join(pieces)


def is_hidden(path: str) -> bool:
    """Return whether a path inside a folder or an archive is one that its user does not see."""
    return any(part.startswith(_HIDDEN) and part != ".." for part in PurePosixPath(path).parts)


def _path(name: str) -> str:
    path = PurePosixPath(name.removeprefix("/"))  # INCEpTION wrote such paths until 2.0.8
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or not path.parts:
        raise FormatError(tr("the path {name} leads out of the archive", name=short(name)))
    return str(path)


def gathered(documents: Iterable[Document]) -> list[Document]:
    """Return documents with all their layers; annotators whom the paths tell are named.

    A project of INCEpTION or WebAnno is known by its folders (``annotation/DOCUMENT/USER``,
    ``curation/DOCUMENT/CURATION_USER``). Else, where no annotator is named, the first part of the path is the
    annotator's if the same text stands under the same name in several such folders, and the last part is if all files
    of each folder have one text. Documents of one name and one text are one.
    """
    listed = list(documents)
    is_unnamed = all(layer.annotator == "" for document in listed for layer in document.layers)
    parts = {part for document in listed for part in PurePosixPath(document.name).parts}
    if is_unnamed and parts.isdisjoint(_PSEUDO_USERS) and (by_folder := _by_part(listed, 0)):
        return _named(_joined(by_folder))
    of_project = [own for document in listed if (own := _of_project(document)) is not None]
    if is_unnamed and of_project == listed:
        of_project = _by_part(listed, -1) or listed
    return _named(_joined(of_project))


def _of_project(document: Document) -> Document | None:
    """Return a document of INCEpTION's folders with its annotator; None for the text before anybody annotated it."""
    parts = PurePosixPath(document.name).parts
    place = next((place for place, part in enumerate(parts[:-2]) if part in _PROJECT), None)
    if place is None or len(document.layers) != 1 or document.layers[0].annotator:
        return document
    user = parts[place + 2]
    if user == _INITIAL:
        return None
    is_curated = parts[place] == _PROJECT[1]
    (layer,) = document.layers
    name = "/".join((*parts[:place], PurePosixPath(parts[place + 1]).stem))
    own = replace(layer, annotator="" if is_curated else user, is_curated=is_curated)
    return replace(document, name=name, layers=(own,))


def _by_part(listed: Sequence[Document], place: int) -> list[Document]:
    """Return documents whose annotators are a part of their paths; none where the paths do not say so.

    **Decision**: a document beside the folders of annotators is nobody's and keeps its name.
    """
    paths = [PurePosixPath(document.name).parts for document in listed]
    shared = _shared(paths)
    if place == -1:  # the documents' own folder may be the only one
        shared = max(0, min(shared, max(map(len, paths), default=0) - 2))
    paths = [parts[shared:] for parts in paths]
    texts: dict[tuple[str, ...], set[str]] = defaultdict(set)
    named, count = [], 0
    for document, parts in zip(listed, paths, strict=True):
        if len(parts) < 2:
            named.append(document)
            continue
        rest = parts[1:] if place == 0 else parts[:-1]
        texts[rest].add(document.text)
        layers = tuple(replace(layer, annotator=parts[place]) for layer in document.layers)
        named.append(replace(document, name="/".join(rest), layers=layers))
        count += 1
    is_told = len(texts) < count and all(len(same) == 1 for same in texts.values())
    return named if is_told else []


def _shared(paths: Sequence[tuple[str, ...]]) -> int:
    """Count the folders with which all paths begin."""
    folders = [parts[:-1] for parts in paths]
    count = 0
    while folders and all(len(parts) > count for parts in folders) and len({parts[count] for parts in folders}) == 1:
        count += 1
    return count


def _joined(listed: Iterable[Document]) -> list[Document]:
    """Return documents, those of one name and one text joined. Linear in the documents, layers and spans.

    **Decision**: layers of one annotator that are the same wherever there are several are one annotation, repeated, and
    counted so: as another annotator it would agree with itself. Where two differ, a number makes annotators of them.
    """
    together: defaultdict[tuple[str, str], list[Document]] = defaultdict(list)
    for document in listed:
        together[document.name, document.text].append(document)
    of_annotators: list[defaultdict[_Who, list[Layer]]] = []
    for alike in together.values():
        of_annotators.append(defaultdict(list))
        for layer in (layer for document in alike for layer in document.layers):
            of_annotators[-1][layer.annotator, layer.is_curated].append(layer)
    several = {
        who for layers_of in of_annotators for who, layers in layers_of.items() if len(set(map(_said, layers))) > 1
    }
    joined = []
    for alike, layers_of in zip(together.values(), of_annotators, strict=True):
        repeated = sum(len(layers) - 1 for who, layers in layers_of.items() if who not in several)
        distinct = {who: layers if who in several else layers[:1] for who, layers in layers_of.items()}
        losses = [loss for document in alike for loss in document.losses] + [Loss("repeated", repeated)]
        meta = {name: value for document in reversed(alike) for name, value in document.meta.items()}
        joined.append(
            replace(
                alike[0], layers=_numbered(distinct), meta=meta, losses=tuple(loss for loss in losses if loss.count)
            )
        )
    return joined


_Who = tuple[str, bool]
"""An annotator's name, and whether the layer is curated."""


def _said(layer: Layer) -> frozenset[tuple[int, int, str, tuple[tuple[str, str], ...]]]:
    """Return the spans of a layer without their ids and places."""
    return frozenset((span.start, span.end, span.label, tuple(sorted(span.texts.items()))) for span in layer.spans)


def _numbered(layers_of: Mapping[_Who, Sequence[Layer]]) -> tuple[Layer, ...]:
    """Return the layers, an annotator's second one and those after it with a number in brackets behind the name."""
    used = set(layers_of)
    layers = []
    for (annotator, is_curated), own in layers_of.items():
        layers.append(own[0])
        number = 1
        for layer in own[1:]:
            name = annotator
            while (name, is_curated) in used:
                number += 1
                name = f"{annotator} ({number})" if annotator else str(number)
            used.add((name, is_curated))
            layers.append(replace(layer, annotator=name))
    return tuple(layers)


def _named(listed: Sequence[Document]) -> list[Document]:
    """Return documents with names for files, no two alike: the last part of the path where that will do."""
    last = Counter(file_name(document.name.rpartition("/")[2]).casefold() for document in listed)
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    named = []
    for document in listed:
        short_name = file_name(document.name.rpartition("/")[2])
        if last[short_name.casefold()] > 1:
            whole = document.name if "/" in document.name else f"{PurePosixPath(document.source).stem}/{document.name}"
            short_name = file_name(whole)
        name = short_name
        while name.casefold() in used:
            numbers[short_name.casefold()] += 1
            name = f"{short_name}_{numbers[short_name.casefold()] + 1}"
        used.add(name.casefold())
        named.append(replace(document, name=name))
    return named


def file_name(name: str) -> str:
    """Return a name that can be a file's: without folders and control characters, and not hidden."""
    return _UNSAFE.sub("_", name).lstrip(".")[:_LONGEST] or "_"


_MOST_NAMED: Final = 5


def in_one_line(name: str) -> str:
    """Return a foreign name as one line shows it: line ends and control characters escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in name)


def sentence_of(losses: Iterable[Loss]) -> Text:
    """Return losses as one sentence."""
    listed = list(losses)
    parts = Text(*("; ".join(loss.text(chosen) for loss in listed) for chosen in LANGUAGES))
    return tr("not carried: {losses}", losses=parts)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a corpus: files by format, documents, experts by annotator, spans by label, losses, unread files."""

    formats: dict[str, int]
    documents: int
    experts: dict[tuple[str, bool], int]
    """Numbers of experts, by the annotator's name and a flag of curated layers."""
    labels: dict[str, int]
    losses: tuple[Loss, ...]
    unread: tuple[str, ...]

    def sentences(self) -> list[Text]:
        """Return the summary but its losses as sentences: formats, annotators, unread files."""
        sentences = [tr("{format}: files: {files}", format=name, files=count) for name, count in self.formats.items()]
        if self.experts:
            curated, unnamed = tr("curated"), tr("unnamed")
            names = [
                (Text(in_one_line(name), in_one_line(name)) if name else curated if is_curated else unnamed, number)
                for (name, is_curated), number in self.experts.items()
            ]
            listed = Text(
                *(
                    ", ".join(f"{in_language(name, chosen)} = exp{number:02}" for name, number in names)
                    for chosen in LANGUAGES
                )
            )
            sentences.append(
                tr("documents: {documents}, annotators: {listed}", documents=self.documents, listed=listed)
            )
        if self.unread:
            listed = Text(
                *[
                    ", ".join(map(in_one_line, self.unread[:_MOST_NAMED]))
                    + (" …" if len(self.unread) > _MOST_NAMED else "")
                ]
                * 2
            )
            sentences.append(tr("of no format that is read: {count} ({listed})", count=len(self.unread), listed=listed))
        return sentences


@dataclass(frozen=True, slots=True)
class Choice:
    """Labels that are no codes of a subject, with their counts, and the codes that they may stand for.

    An empty subject stands for those that the documents themselves name.
    """

    subject: str
    labels: dict[str, int]
    codes: tuple[str, ...]


def choices(corpus: Corpus, vocabulary: Wanted, subjects: Sequence[str]) -> list[Choice]:
    """Return the decisions that an import of a corpus needs, for each subject that it may have.

    Raises FormatError for labels that are said to stand for what is no code of any of these subjects. Linear in the
    spans.
    """
    classifier = vocabulary.classifier
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for document in corpus.documents:
        named = document.meta.get("subject")
        own = named if isinstance(named, str) and classifier.has_subject(named) else ""
        counts[own].update(span.label for layer in document.layers for span in layer.spans)
    sole = vocabulary.subject or classifier.sole_subject
    listed, refusals = [], []
    for subject in [sole] if sole else [""] if "" not in counts else subjects:
        unknown: Counter[str] = Counter()
        codes: dict[str, None] = {}
        try:
            for own, times in counts.items():
                labels = replace(vocabulary, subject=subject or own).labels()
                unknown.update({label: count for label, count in times.items() if not labels.has(label)})
                codes |= dict.fromkeys(code.code for code in classifier.codes(labels.subject))
        except FormatError as error:
            refusals.append(error)
            continue
        listed.append(Choice(subject, dict(unknown.most_common()), tuple(codes)))
    if not listed and refusals:
        raise refusals[0]
    return listed


def summary(corpus: Corpus, as_experts: bool = False) -> Summary:
    """Return a summary of a corpus. ``as_experts`` makes an unnamed annotator an expert too."""
    layers = [layer for document in corpus.documents for layer in document.layers]
    labels = Counter(span.label for layer in layers for span in layer.spans)
    numbers = expert_numbers(corpus.documents, as_experts)
    losses = [document.losses for document in corpus.documents] + [layer.losses for layer in layers]
    return Summary(
        dict(corpus.formats),
        len(corpus.documents),
        numbers,
        dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
        total(losses),
        tuple(corpus.unread),
    )


def total(listed: Iterable[tuple[Loss, ...]]) -> tuple[Loss, ...]:
    """Return losses added up, each kind once."""
    tally = Tally()
    for losses in listed:
        tally.take(losses)
    return tally.losses()


def imported(corpus: Corpus, vocabulary: Wanted, as_experts: bool = False) -> list[Imported]:
    """Return the valid markups of a corpus. Raises FormatError for unknown labels and for an invalid markup."""
    listed = markups(corpus.documents, vocabulary, as_experts)
    for one in listed:
        try:
            load(dump(one.markup), classifier=vocabulary.classifier)
        except InvalidMarkup as error:
            raise FormatError(error.message, one.source) from None
    return listed
