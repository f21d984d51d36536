"""Markups and score records from files: read, scored in one line, and verified (markup-scoring §8).

Three kinds of files hold a record:

* what the platform answers under ``…/comparison``: ``{"answer": markup, "experts": [markups], "score": record}``;
* what ``match``, ``compare`` and ``grade`` print with ``--json``: ``{"op", "inputs", "result", "fingerprint"}``, where
  ``inputs`` names the files, looked for beside the record and then in the current folder;
* a record alone, the platform's or an answer of ``batch``; its markups are named on the command line.

A record names the parameters it was made with, so one that was made with others than the contest's is right by itself.
Whoever pins the parameters (:func:`scoring_of` reads the cycle's) finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, overload

from markup_core.accuracy import PairScore, score_pair, verify
from markup_core.command.inputs import UnreadableError, find_essays, read_json, read_markup
from markup_core.command.operations import answer
from markup_core.model import Markup, check_markups, check_string
from markup_core.notation import NotationError, parse
from markup_core.params import DEFAULT, ScoringParams
from markup_core.reading import validation
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import described, foreign_text
from markup_core.reading.wire import MalformedInput, decode, dump
from markup_core.receipt import differences
from markup_core.sample import EssayInput, SampleScore, score_sample
from markup_core.texts import tr

Source = Markup | Path | str
"""A markup, or the path of its file."""


def load(path: Path | str, classifier: Classifier | None = None) -> Markup:
    """Read the markup of a file: ``.txt`` in the notation, everything else JSON in the contest's form.

    Raises :class:`markup_core.command.inputs.UnreadableError` for what cannot be read (not UTF-8, no JSON, not the
    notation), which is an OSError too where the system does not give the file (no such file), and
    :class:`markup_core.reading.validation.InvalidMarkup`, a ValueError whose ``errors`` lists every fault.
    ``classifier``: by default the contest's own.
    """
    return validation.load(read_markup(Path(path)), classifier=classifier)


def loads(text: str | bytes, classifier: Classifier | None = None) -> Markup:
    """Read the markup of a string: JSON if it begins with a brace, else the notation.

    Raises ValueError: :class:`~markup_core.reading.wire.MalformedInput` for what is no JSON,
    :class:`~markup_core.notation.NotationError` with line and column, UnicodeDecodeError for bytes that are not
    UTF-8, and :class:`~markup_core.reading.validation.InvalidMarkup`; TypeError for what is no string.
    """
    check_string(text)
    content = text.decode("utf-8") if isinstance(text, bytes) else text
    try:
        value = decode(content) if content.lstrip().startswith(("{", "[")) else dump(parse(content))
    except (MalformedInput, NotationError):
        if (foreign := foreign_text(content)) is None:
            raise
        raise ValueError(described(foreign)) from None
    return validation.load(value, classifier=classifier)


def load_folder(folder: Path | str, classifier: Classifier | None = None) -> dict[str, EssayInput]:
    """Read the essays of a folder by name: ``ID.json`` is the program's markup, ``ID_exp01.json`` … the experts'.

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
    """Score a markup against another, or a folder's programs against its experts.

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


_ESSAYS: Final = ("essay", "nominations")
_PAIRS: Final = {"match": ("x", "y"), "pair": ("x", "y"), "third_expert": ("first", "second")}


@dataclass(frozen=True, slots=True)
class Named:
    """Inputs named on the command line, for a record that does not hold or name them."""

    answer: Path | None = None
    references: tuple[Path, ...] = ()
    ratings: Path | None = None


def scoring_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scoring parameters of a JSON object: itself, or those in the platform's answer about a
    cycle, a version of its parameters or a session's report (``{"parameters": {"track": {…}}}``)."""
    version = document.get("parameters")
    track = version.get("track") if isinstance(version, Mapping) else None
    if not isinstance(track, Mapping):
        return dict(document)
    return {field.name: track[field.name] for field in fields(ScoringParams) if field.name in track} or dict(document)


def verify_file(
    path: Path, named: Named, classifier: Classifier | None, params: ScoringParams | None = None
) -> list[str]:
    """Return the differences between a file's record and the recomputed one; empty when all agree.

    ``params`` are those it has to be made with; without them those that it names. Raises UnreadableError for a file
    that holds no record or inputs that cannot be read, and what the library raises for inputs that cannot be scored.
    """
    record = read_json(path)
    if not isinstance(record, dict):
        raise UnreadableError(tr("{file}: a score record is a JSON object", file=path))
    ratings = None if named.ratings is None else read_json(named.ratings)
    if {"answer", "experts", "score"} <= record.keys():
        score = _record(path, record["score"])
        experts = _listed(path, "experts", record["experts"])
        return verify(score, record["answer"], experts, classifier, ratings, params)
    op = _record(path, record)["fingerprint"]["op"]
    if op == "validate":
        raise UnreadableError(tr("{file}: a record of validate holds no score; run validate again", file=path))
    if params is not None and record["fingerprint"].get("parameters") is None:
        raise UnreadableError(
            tr(
                "{file}: a record of {op} has no parameters of the scoring; leave --params and its like out",
                file=path,
                op=op,
            )
        )
    if isinstance(record.get("inputs"), dict):
        return _compare(record, op, _named_inputs(path, record["inputs"]), classifier, params)
    if named.answer is None:
        raise UnreadableError(
            tr("{file}: the record names no inputs; give them by --answer and --references", file=path)
        )
    markup, experts = read_markup(named.answer), [read_markup(reference) for reference in named.references]
    if op == "essay" and "result" not in record:
        return verify(record, markup, experts, classifier, ratings, params)
    inputs = {**_inputs_of_options(path, op, markup, experts), "ratings": ratings}
    return _compare(record, op, inputs, classifier, params)


def _record(path: Path, value: Any) -> dict[str, Any]:
    fingerprint = value.get("fingerprint") if isinstance(value, dict) else None
    if not isinstance(fingerprint, dict) or not isinstance(fingerprint.get("op"), str):
        raise UnreadableError(tr("{file}: there is no score record, which has a fingerprint", file=path))
    if not isinstance(fingerprint.get("parameters"), dict | None):
        raise UnreadableError(tr("{file}: the fingerprint's parameters are no object", file=path))
    record: dict[str, Any] = value
    return record


def _compare(
    record: Mapping[str, Any],
    op: str,
    inputs: Mapping[str, Any],
    classifier: Classifier | None,
    params: ScoringParams | None,
) -> list[str]:
    used = record["fingerprint"].get("parameters") if params is None else params.to_dict()
    done = answer(op, {**inputs, "params": used}, classifier)
    recorded = {"result": record.get("result"), "fingerprint": record["fingerprint"]}
    return list(differences(recorded, {"result": done.result, "fingerprint": done.fingerprint}))


def _inputs_of_options(path: Path, op: str, markup: Any, experts: list[Any]) -> dict[str, Any]:
    if op in _ESSAYS:
        return {"algorithm": markup, "experts": experts}
    if op == "grade" and not experts:
        return {"markup": markup}
    if op in _PAIRS and len(experts) == 1:
        first, second = _PAIRS[op]
        return {first: markup, second: experts[0]}
    raise UnreadableError(
        tr("{file}: a record of {op} cannot be verified with {count} references", file=path, op=op, count=len(experts))
    )


def _named_inputs(path: Path, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Read the inputs that a record names: files are read; everything else is returned as it is."""
    readers = {"ratings": read_json, **dict.fromkeys(("x", "y", "markup", "algorithm", "other"), read_markup)}
    contents: dict[str, Any] = {}
    for name, value in inputs.items():
        if name in readers and value is not None:
            contents[name] = readers[name](_input_path(path, value))
        elif name == "experts":
            contents[name] = [read_markup(_input_path(path, file)) for file in _listed(path, name, value)]
        elif name == "essays":
            essays = _listed(path, name, value)
            if not all(isinstance(essay, dict) and "essays" not in essay for essay in essays):
                message = tr("{file}: the record's inputs: an essay names its algorithm and experts", file=path)
                raise UnreadableError(message)
            contents[name] = [_named_inputs(path, essay) for essay in essays]
        else:
            contents[name] = value
    return contents


def _input_path(path: Path, name: Any) -> Path:
    if not isinstance(name, str) or "\0" in name:
        raise UnreadableError(tr("{file}: the record's inputs must be names of files", file=path))
    beside = path.parent / name
    return beside if beside.exists() else Path(name)


def _listed(path: Path, name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError(tr("{file}: {name} must be a list", file=path, name=name))
    return value
