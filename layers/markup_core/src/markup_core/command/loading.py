"""Markups from files and strings, and their scores in one line: what a notebook begins with."""

from __future__ import annotations

from pathlib import Path
from typing import overload

from markup_core.accuracy import PairScore, score_pair
from markup_core.command.folder import find_essays, read_markup
from markup_core.model import Markup, check_markups, check_string
from markup_core.notation.notation import NotationError, parse
from markup_core.params import DEFAULT, ScoringParams
from markup_core.reading import validation
from markup_core.reading.classifier import Classifier
from markup_core.reading.recognition import described, foreign_text
from markup_core.reading.wire import MalformedInput, decode, dump
from markup_core.sample import EssayInput, SampleScore, score_sample

Source = Markup | Path | str
"""A markup, or the path of its file."""


def load(path: Path | str, classifier: Classifier | None = None) -> Markup:
    """The markup of a file: ``.txt`` in the notation, everything else JSON in the contest's form.

    Raises :class:`markup_core.command.folder.UnreadableError` for what cannot be read (not UTF-8, no JSON, not the
    notation), which is an OSError too where the system does not give the file (no such file), and
    :class:`markup_core.reading.validation.InvalidMarkup`, a ValueError whose ``errors`` lists every fault.
    ``classifier``: by default the contest's own.
    """
    return validation.load(read_markup(Path(path)), classifier=classifier)


def loads(text: str | bytes, classifier: Classifier | None = None) -> Markup:
    """The markup of a string: JSON if it begins with a brace, else the notation.

    Raises ValueError: :class:`~markup_core.reading.wire.MalformedInput` for what is no JSON,
    :class:`~markup_core.notation.source.NotationError` with line and column, UnicodeDecodeError for bytes that are not
    UTF-8, and :class:`~markup_core.reading.validation.InvalidMarkup`; TypeError for what is no string.
    """
    check_string(text)
    written = text.decode("utf-8") if isinstance(text, bytes) else text
    try:
        value = decode(written) if written.lstrip().startswith(("{", "[")) else dump(parse(written))
    except (MalformedInput, NotationError):
        if (foreign := foreign_text(written)) is None:
            raise
        raise ValueError(described(foreign)) from None
    return validation.load(value, classifier=classifier)


def load_folder(folder: Path | str, classifier: Classifier | None = None) -> dict[str, EssayInput]:
    """The essays of a folder by their names: ``ID.json`` is the program's markup, ``ID_exp01.json`` … the experts'.

    Raises as :func:`load` does, and UnreadableError for a folder without essays.
    """
    return {
        files.essay: EssayInput(
            None if files.algorithm is None else load(files.algorithm, classifier),
            [load(path, classifier) for path in files.experts],
        )
        for files in find_essays(Path(folder))
    }


@overload
def score(x: Source, y: Source, params: ScoringParams = DEFAULT) -> PairScore: ...
@overload
def score(x: Path | str, y: None = None, params: ScoringParams = DEFAULT) -> SampleScore: ...


def score(x: Source, y: Source | None = None, params: ScoringParams = DEFAULT) -> PairScore | SampleScore:
    """The score of a markup against another, or of a folder's programs against its experts.

    ``score(x, y)`` is :func:`markup_core.score_pair` of two markups or their files; ``score(folder)`` is
    :func:`markup_core.score_sample` of :func:`load_folder`. Raises as these do, and TypeError for one markup alone.
    """
    if y is not None:
        return score_pair(_read(x), _read(y), params)
    if isinstance(x, Markup):
        raise TypeError("one markup has no score: give the markup to measure it against, or a folder of essays")
    return score_sample(list(load_folder(x).values()), params)


def _read(source: Source) -> Markup:
    if not isinstance(source, Path | str):
        check_markups(source)
        return source
    return load(source)
