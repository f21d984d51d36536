"""``convert`` and ``classifier from``: recognise each file, turn it into what is wanted, write all results or none."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from markup_core.command.console import Console, deliver
from markup_core.command.inputs import UnreadableError, of_system, read_bytes, read_classifier, read_json, read_notation
from markup_core.command.operations import Inputs, encode
from markup_core.formats import json_exports, standoff
from markup_core.formats.corpus import Document, Imported, document
from markup_core.formats.foreign import Codes, FormatError, Loss, Tally, Wanted, directed, label_set
from markup_core.formats.gathering import (
    FORMATS,
    WRITERS,
    Corpus,
    Writer,
    file_name,
    imported,
    is_hidden,
    read_corpus,
    sentence_of,
    summary,
    total,
)
from markup_core.formats.standoff import ANNOTATION, chosen_names, configuration
from markup_core.notation import parse, render
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import BRAT, JSON, NOTATION, WEB_ANNOTATION, described, dump, foreign_value
from markup_core.reading.wire import DEFAULT_LIMITS, short
from markup_core.texts import at, in_language, tr

_UNFINISHED: Final = ".unfinished"
_TYPE: Final = re.compile(r"^[ \t]*!?([a-zA-Z0-9_-]+)", re.MULTILINE)
"""First term of a line of annotation.conf."""
_MOST_TYPES: Final = 5
_OF_OTHERS: Final = {suffix for listed in FORMATS.values() for suffix in listed.suffixes} - {".json", standoff.TEXT}
"""Suffixes that no markup of our own has."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted markup: its file's name without a suffix, the contents by suffix, and the losses of conversion."""

    name: str
    contents: Mapping[str, bytes]
    losses: tuple[Loss, ...] = ()
    subject: str = ""
    """Subject of a markup for brat, whose project lists the subject's codes; empty for other formats."""
    document: Document | None = None
    """Document to write into one file with others; None for any other markup."""


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
        of_standoff = path.suffix == standoff.TEXT and path.with_suffix(standoff.SUFFIX) in contents
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
    if standoff.SUFFIX not in contents:
        (content,) = contents.values()
        return {output: content}
    if output is None or output.suffix != standoff.SUFFIX:
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


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The files to convert: arguments of the command, files of folders, and the files beside arguments."""

    arguments: Mapping[str, Path]
    of_folders: Mapping[str, Path]
    beside: Mapping[str, Path]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> _Inputs:
        """Return the inputs that are named on the command line."""
        arguments = {path.as_posix(): path for path in paths if not path.is_dir()}
        try:
            of_folders = {
                path.as_posix(): path
                for folder in paths
                if folder.is_dir()
                for path in sorted(folder.rglob("*"))
                if path.is_file() and not is_hidden(path.relative_to(folder).as_posix())
            }
        except OSError as error:
            raise UnreadableError.about(paths[0], of_system(error)) from None
        pairs = [path.with_suffix(suffix) for path in arguments.values() for suffix in (standoff.SUFFIX, standoff.TEXT)]
        beside = {path.as_posix(): path for path in pairs if path.as_posix() not in arguments and path.is_file()}
        return cls(arguments, of_folders, beside)

    @property
    def paths(self) -> list[Path]:
        """Return the files that are read."""
        pairs = [
            path for path in self.beside.values() if path.with_suffix(standoff.SUFFIX).as_posix() in self.arguments
        ]
        return [*self.arguments.values(), *self.of_folders.values(), *pairs]


def convert(options: Namespace, console: Console) -> int:
    """Convert files into another format; formats, annotators and losses are told on standard error."""
    classifier = read_classifier(options.classifier)
    codes = read_codes(options.codes)
    inputs = _Inputs.of(options.files)
    own, corpus = _recognized(inputs, options.source)
    _check_options(options, [path for path, _ in own])
    vocabulary_of = classifier or Classifier.default()
    vocabulary = Wanted(vocabulary_of, options.subject or "", directed(codes, vocabulary_of))
    results = [_own(path, known_as, options.target, vocabulary, classifier) for path, known_as in own]
    try:
        listed = imported(corpus, vocabulary, options.as_experts)
    except FormatError as error:
        raise UnreadableError(error.text) from None
    results += [_foreign(one, options.target or JSON, vocabulary, classifier) for one in listed]
    if options.target in WRITERS:
        results = _together(results, WRITERS[options.target], options.files[0].resolve().stem)
    subjects = dict.fromkeys(converted.subject for converted in results if converted.subject)
    conf = configuration(vocabulary_of, subjects, chosen_names(vocabulary_of, vocabulary.codes)) if subjects else {}
    project = {name: content.encode("utf-8") for name, content in conf.items()}
    deliver_all(console, options.output, results, inputs.paths, project)
    tell(console, corpus, options.as_experts)
    losses = total(converted.losses for converted in results)
    if losses:
        sentence = sentence_of(losses)
        is_one = len(inputs.arguments) == 1 and not inputs.of_folders
        console.complain(in_language(at(str(options.files[0]), sentence) if is_one else sentence, console.language))
    return 0


def _recognized(inputs: _Inputs, named: str | None) -> tuple[list[tuple[Path, str]], Corpus]:
    """Return our own markups with their formats, and the corpus of all other files."""
    if named in (JSON, NOTATION):
        return [(path, named) for path in (*inputs.arguments.values(), *inputs.of_folders.values())], Corpus()
    corpus = _corpus(inputs, named)
    own = []
    for name, path in inputs.arguments.items():
        if name in corpus.unread:
            if path.suffix.lower() in _OF_OTHERS:
                forms = "|".join(form for form, listed in FORMATS.items() if path.suffix.lower() in listed.suffixes)
                message = tr("no format is recognized; name it to be told what is wrong: --from {known}", known=forms)
                raise UnreadableError.about(path, message)
            own.append((path, NOTATION if path.suffix.lower() == standoff.TEXT else JSON))
    for name, path in inputs.of_folders.items():
        if name in corpus.unread and path.suffix.lower() == ".json":
            value = read_json(path)
            if isinstance(value, dict) and "selections" in value:
                own.append((path, JSON))
    ours = {path.as_posix() for path, _ in own}
    corpus.unread = [name for name in corpus.unread if name not in ours]
    if not own and not corpus.documents:
        raise UnreadableError(tr("there is no file of a format that is read"))
    return own, corpus


def read_paths(paths: Sequence[Path], named: str | None = None) -> Corpus:
    """Return the corpus of files, folders and archives of other tools; raises UnreadableError for one without texts."""
    corpus = _corpus(_Inputs.of(paths), named)
    if not corpus.documents:
        raise UnreadableError.about(paths[0], tr("there is no file of a format that is read"))
    return corpus


def _corpus(inputs: _Inputs, named: str | None) -> Corpus:
    if named is not None and named not in FORMATS:
        formats = ", ".join((JSON, NOTATION, *FORMATS))
        raise UnreadableError(tr("there is no format {name}; there are {known}", name=short(named), known=formats))
    files, neighbours = (
        {name: partial(read_bytes, path) for name, path in listed.items()}
        for listed in ({**inputs.arguments, **inputs.of_folders}, inputs.beside)
    )
    try:
        return read_corpus(files, FORMATS.get(named or ""), neighbours)
    except FormatError as error:
        raise UnreadableError(error.text) from None


def tell(console: Console, corpus: Corpus, as_experts: bool) -> None:
    """Print the recognized formats, the number of each expert, and the files that were not read."""
    for sentence in summary(corpus, as_experts).sentences():
        console.complain(in_language(sentence, console.language))


def _check_options(options: Namespace, own: list[Path]) -> None:
    if own and (options.subject is not None or (options.codes is not None and options.target != BRAT)):
        raise UnreadableError(
            tr(
                "{file} is a markup of our own; --subject is for other formats, --codes for --to brat as well",
                file=own[0],
            )
        )


def read_codes(path: Path | None) -> Codes:
    """Return a file's codes by their labels; none without a file. Raises UnreadableError."""
    codes = {} if path is None else read_json(path)
    if not isinstance(codes, dict) or not all(code is None or isinstance(code, str) for code in codes.values()):
        raise UnreadableError(tr("{file}: a JSON object is expected, of a code or null for each label", file=path))
    return codes


def _own(path: Path, known_as: str, target: str | None, vocabulary: Wanted, classifier: Classifier | None) -> Converted:
    """Convert a markup of our own."""
    markup = read_notation(path) if known_as == NOTATION else read_json(path, DEFAULT_LIMITS)
    if known_as == JSON and (foreign := foreign_value(markup)) is not None:
        raise UnreadableError.about(path, described(foreign))
    other = NOTATION if known_as == JSON else JSON
    return _write(str(path), path.stem, markup, target or other, vocabulary, classifier)


def _foreign(one: Imported, target: str, vocabulary: Wanted, classifier: Classifier | None) -> Converted:
    """Convert a markup of another tool."""
    if target in WRITERS:
        annotator = one.annotator or (f"exp{one.expert:02}" if one.expert else "")
        return Converted(one.name, {}, one.losses, document=document(one.markup, one.name, annotator))
    return _write(one.source, one.stem, dump(one.markup), target, vocabulary, classifier, one.losses)


def _together(results: Sequence[Converted], writer: Writer, name: str) -> list[Converted]:
    """Return one file of all markups, or one for each annotator where a file of the format names none."""
    files: dict[str, list[Document]] = {}
    for one in (result.document for result in results if result.document is not None):
        files.setdefault(name if writer.is_shared else one.layers[0].annotator or name, []).append(one)
    outputs = [(file_name(stem), writer.write(documents)) for stem, documents in files.items()]
    losses = total(result.losses for result in results)
    return [
        Converted(stem, {writer.suffix: output.content}, (losses if number == 0 else ()) + output.losses)
        for number, (stem, output) in enumerate(outputs)
    ]


def _write(
    source: str,
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
    valid = Inputs({"markup": markup}, classifier, names={"markup": source}).markup("markup")
    if target in WRITERS:
        return Converted(name, {}, losses, document=document(valid, name))
    if target == NOTATION:
        text = render(valid)
        tally = Tally()  # the notation keeps no ids: it numbers the fragments in the order of their opening
        tally.add("ids", (Counter(valid.fragments) - Counter(parse(text).fragments)).total())
        return Converted(name, {".txt": text.encode("utf-8")}, losses + tally.losses())
    if target == WEB_ANNOTATION:
        page = json.dumps(json_exports.write_web_annotation(valid), ensure_ascii=False, indent=1)
        return Converted(name, {".jsonld": page.encode("utf-8") + b"\n"}, losses)
    try:
        project = standoff.write_brat(valid, vocabulary.classifier, vocabulary.codes)
    except FormatError as error:
        raise UnreadableError.about(Path(source), error.text) from None
    contents = {standoff.SUFFIX: project.annotations.encode("utf-8"), standoff.TEXT: project.text.encode("utf-8")}
    return Converted(name, contents, losses + project.losses, valid.subject)


def classifier(options: Namespace, console: Console) -> int:
    """Write the classifier of a corpus's labels; spellings that are one label are told on standard error."""
    corpus = read_paths(options.files, options.source)
    try:
        labels = label_set(corpus.documents, options.subject, read_codes(options.codes))
    except FormatError as error:
        raise UnreadableError(error.text) from None
    tell(console, corpus, as_experts=True)
    for remark in labels.remarks():
        console.complain(in_language(remark, console.language))
    text = json.dumps(labels.to_dict(), ensure_ascii=False, indent=1)
    deliver(console, options.output, text.encode("utf-8") + b"\n")
    return 0
