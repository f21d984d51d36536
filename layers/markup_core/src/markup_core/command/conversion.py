"""``convert``: recognise each file, turn it into the wanted format, and write all results or none."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markup_core.command.complaints import of_system
from markup_core.command.console import Console
from markup_core.command.folder import UnreadableError, read_bytes, read_classifier, read_json, read_notation, read_text
from markup_core.command.operations import Inputs, encode
from markup_core.formats import brat, cas_json, label_studio, web_annotation
from markup_core.formats.brat import ANNOTATION, chosen_names, configuration
from markup_core.formats.foreign import Codes, FormatError, Import, Loss, Tally, Wanted, directed
from markup_core.notation import parse, render
from markup_core.reading.classifier import Classifier
from markup_core.reading.recognition import (
    BRAT,
    BY_SUFFIX,
    CAS_JSON,
    DOCCANO,
    JSON,
    LABEL_STUDIO,
    LEGACY_JSON,
    NOTATION,
    WEB_ANNOTATION,
    described,
    foreign_value,
    of_value,
)
from markup_core.reading.validation import InvalidMarkup, dump, load
from markup_core.reading.wire import DEFAULT_LIMITS
from markup_core.texts import tr

_UNFINISHED: Final = ".unfinished"
_STANDOFF: Final = ".ann"
_TYPE: Final = re.compile(r"^[ \t]*!?([a-zA-Z0-9_-]+)", re.MULTILINE)
"""The first term of a line of annotation.conf."""
_MOST_TYPES: Final = 5


@dataclass(frozen=True, slots=True)
class Converted:
    """A result: its file's name without a suffix, the contents by suffix, and what they do not carry."""

    name: str
    contents: Mapping[str, bytes]
    losses: tuple[Loss, ...] = ()
    subject: str = ""
    """Of a markup for brat, whose project lists the subject's codes."""


def deliver(console: Console, output: Path | None, content: bytes) -> None:
    """Write one content to a file, or to standard output."""
    if output is None:
        console.data(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(output, of_system(error)) from None


def deliver_all(
    console: Console,
    output: Path | None,
    results: Sequence[Converted],
    inputs: Sequence[Path],
    project: Mapping[str, bytes] | None = None,
) -> None:
    """Write all results; never change a source file.

    A text beside brat's annotations may be there already, if it is the same: the notation has that suffix too. The
    files of a ``project`` go beside them; a configuration that is there stays, if it knows every type of ours.
    """
    contents = _named(output, results)
    if project and output is not None:
        contents |= _of_project(output if output.is_dir() else output.parent, project)
    own = {path.resolve() for path in inputs}
    for path, content in contents.items():
        if path is None:
            continue
        if path.resolve() in own and not _same_text(path, content):
            raise UnreadableError(tr("{file}: this would overwrite its own input; write elsewhere with -o", file=path))
        of_standoff = path.suffix == ".txt" and path.with_suffix(_STANDOFF) in contents
        if of_standoff and path.exists() and not _same_text(path, content):
            raise UnreadableError(
                tr("{file}: brat's text goes here, but the file holds something else; -o elsewhere", file=path)
            )
    files = {path: content for path, content in contents.items() if path is not None}
    if all(path.is_file() or not path.exists() for path in files) and files:
        _write_together(files)
        return
    for path, content in contents.items():  # a device, a pipe
        deliver(console, path, content)


def _named(output: Path | None, results: Sequence[Converted]) -> dict[Path | None, bytes]:
    """Return each content by its path; None is standard output."""
    if output is not None and output.is_dir():
        named: dict[Path | None, bytes] = {}
        for result in results:
            for suffix, content in result.contents.items():
                path = output / f"{result.name}{suffix}"
                if path in named:
                    raise UnreadableError(tr("{file}: two results would have this name; convert them apart", file=path))
                named[path] = content
        return named
    if len(results) > 1:
        raise UnreadableError(
            tr("there are {count} results; name an existing folder for them: -o FOLDER", count=len(results))
        )
    (contents,) = [result.contents for result in results]
    if _STANDOFF not in contents:
        (content,) = contents.values()
        return {output: content}
    if output is None or output.suffix != _STANDOFF:
        raise UnreadableError(
            tr("brat's format is two files; name the one of the annotations: -o FILE.ann, or a folder")
        )
    return {output.with_suffix(suffix): content for suffix, content in contents.items()}


def _of_project(folder: Path, project: Mapping[str, bytes]) -> dict[Path | None, bytes]:
    """Return the configuration files that are still to be written."""
    contents: dict[Path | None, bytes] = {}
    for name, content in project.items():
        path = folder / name
        if not path.exists():
            contents[path] = content
        elif name == ANNOTATION and path.is_file():
            listed_types = set(_TYPE.findall(read_bytes(path).decode("utf-8", "replace")))
            if missing := sorted(set(_TYPE.findall(content.decode("utf-8"))) - listed_types):
                raise UnreadableError(
                    tr(
                        "{file}: the brat project there lacks the types {types}; add them, or write to "
                        "another folder with -o",
                        file=path,
                        types=", ".join(missing[:_MOST_TYPES]),
                    )
                )
    return contents


def _same_text(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError as error:
        raise UnreadableError.about(path, of_system(error)) from None


def _write_together(contents: Mapping[Path, bytes]) -> None:
    """Write everything beside its place first, so that a full disk leaves no half of it."""
    unfinished = {path: path.with_name(f"{path.name}{_UNFINISHED}") for path in contents}
    path = next(iter(contents))
    try:
        for path, content in contents.items():
            unfinished[path].write_bytes(content)
        for path, beside in unfinished.items():
            beside.replace(path)
    except OSError as error:
        raise UnreadableError.about(path, of_system(error)) from None
    finally:
        for beside in unfinished.values():
            with suppress(OSError):
                beside.unlink(missing_ok=True)


_JSON_READERS: Final[dict[str, Callable[[Any, Wanted], list[Import]]]] = {
    WEB_ANNOTATION: lambda value, vocabulary: [web_annotation.read(value, vocabulary)],
    CAS_JSON: lambda value, vocabulary: [cas_json.read(value, vocabulary)],
    LABEL_STUDIO: label_studio.read,
}


@dataclass(frozen=True, slots=True)
class _Source:
    """A file to convert and what it was recognised as."""

    path: Path
    format: str

    @classmethod
    def recognised(cls, path: Path, named: str | None) -> _Source:
        file_format = named or BY_SUFFIX.get(path.suffix.lower())
        if file_format is None:
            value = read_json(path)
            if (foreign := foreign_value(value)) in (DOCCANO, LEGACY_JSON):
                sentence = described(foreign)
                raise UnreadableError.about(path, sentence)
            file_format = of_value(value)
        return cls(path, file_format)

    @property
    def files(self) -> list[Path]:
        """Return the files of the source."""
        if self.format != BRAT:
            return [self.path]
        named = self.path if BY_SUFFIX.get(self.path.suffix.lower()) == BRAT else self.path.with_suffix(".ann")
        return [named, named.with_suffix(".txt")]


def convert(options: Namespace, console: Console) -> int:
    """Convert files into another format; losses are reported on standard error."""
    classifier = read_classifier(options.classifier)
    sources = [_Source.recognised(path, options.source) for path in options.files]
    _check_options(options, sources)
    own = classifier or Classifier.default()
    vocabulary = Wanted(own, options.subject or "", directed(_codes(options.codes), own))
    conversions = [
        (source, converted)
        for source in sources
        for converted in _converted(source, options.target, vocabulary, classifier)
    ]
    inputs = [path for source in sources for path in source.files]
    subjects = dict.fromkeys(converted.subject for _, converted in conversions if converted.subject)
    conf = configuration(own, subjects, chosen_names(own, vocabulary.codes)) if subjects else {}
    project = {name: content.encode("utf-8") for name, content in conf.items()}
    deliver_all(console, options.output, [converted for _, converted in conversions], inputs, project)
    for source, converted in conversions:
        if converted.losses:
            named = str(source.path) if converted.name == source.path.stem else f"{source.path} ({converted.name})"
            losses = "; ".join(loss.text(console.language) for loss in converted.losses)
            console.complain(console.sentence("lost", file=named, losses=losses))
    return 0


def _check_options(options: Namespace, sources: list[_Source]) -> None:
    own = [source.path for source in sources if source.format in (JSON, NOTATION)]
    if own and (options.subject is not None or (options.codes is not None and options.target != BRAT)):
        raise UnreadableError(
            tr(
                "{file} is a markup of our own; --subject is for other formats, --codes for --to brat as well",
                file=own[0],
            )
        )


def _codes(path: Path | None) -> Codes:
    codes = {} if path is None else read_json(path)
    if not isinstance(codes, dict) or not all(code is None or isinstance(code, str) for code in codes.values()):
        raise UnreadableError(tr("{file}: a JSON object is expected, of a code or null for each label", file=path))
    return codes


def _converted(
    source: _Source, target: str | None, vocabulary: Wanted, classifier: Classifier | None
) -> Iterator[Converted]:
    if source.format in (JSON, NOTATION):
        markup = read_notation(source.path) if source.format == NOTATION else read_json(source.path, DEFAULT_LIMITS)
        other = NOTATION if source.format == JSON else JSON
        yield _write(source, source.path.stem, markup, target or other, vocabulary, classifier)
        return
    for imported in _read(source, vocabulary):
        yield _write(
            source,
            imported.name or source.path.stem,
            dump(imported.markup),
            target or JSON,
            vocabulary,
            classifier,
            imported.losses,
        )


def _read(source: _Source, vocabulary: Wanted) -> list[Import]:
    """Read the markups of another tool's file, each of them valid."""
    try:
        if source.format == BRAT:
            annotations, text = source.files
            imports = [brat.read(read_text(text), read_text(annotations), vocabulary)]
        else:
            imports = _JSON_READERS[source.format](read_json(source.path), vocabulary)
        for imported in imports:
            load(dump(imported.markup), classifier=vocabulary.classifier)
    except FormatError as error:
        raise _unconverted(source, error.text) from None
    except InvalidMarkup as error:
        raise _unconverted(source, error.message) from None
    return imports


def _unconverted(source: _Source, why: str) -> UnreadableError:
    return UnreadableError.about(source.path, why)


def _write(
    source: _Source,
    name: str,
    markup: Any,
    target: str,
    vocabulary: Wanted,
    classifier: Classifier | None,
    losses: tuple[Loss, ...] = (),
) -> Converted:
    """Write a markup in the target format; ``losses`` are those of reading it."""
    if target == JSON:
        return Converted(name, {".json": encode(markup) + b"\n"}, losses)
    valid = Inputs({"markup": markup}, classifier, names={"markup": str(source.path)}).markup("markup")
    if target == NOTATION:
        text = render(valid)
        tally = Tally()  # the notation keeps no ids: it numbers the fragments in the order of their opening
        tally.add("ids", (Counter(valid.fragments) - Counter(parse(text).fragments)).total())
        return Converted(name, {".txt": text.encode("utf-8")}, losses + tally.losses())
    if target == WEB_ANNOTATION:
        page = json.dumps(web_annotation.write(valid), ensure_ascii=False, indent=1)
        return Converted(name, {".jsonld": page.encode("utf-8") + b"\n"}, losses)
    try:
        standoff = brat.write(valid, vocabulary.classifier, vocabulary.codes)
    except FormatError as error:
        raise _unconverted(source, error.text) from None
    contents = {".ann": standoff.annotations.encode("utf-8"), ".txt": standoff.text.encode("utf-8")}
    return Converted(name, contents, losses + standoff.losses, valid.subject)
