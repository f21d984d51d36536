"""Markups as people write them: the inline notation (MS §1.1), read and written by the library."""

from __future__ import annotations

from markup_core.notation import NotationError, parse, render
from markup_core.reading.validation import validate
from markup_core.reading.wire import MalformedInput, decode, dump
from tracks.essay.faults import of_another_tool, of_markup
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Reason, Text, Verdict, Written
from tracks.reasons import of_json, reason


def read_text(body: bytes, rules: EssayParameters) -> Verdict:
    """A file in the notation as a markup; what cannot be read has its line and column, from 1.

    The markup is there whenever the file could be read, with everything that is wrong with it.
    """
    try:
        markup = parse(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        return Verdict((reason("wrong_encoding", "", message, f"байт {error.start} — не UTF-8"),))
    except NotationError as error:
        return Verdict((of_another_tool(body) or _of_notation(error),))
    canonical = dump(markup)
    found = validate(canonical, classifier=rules.classifier, limits=rules.limits)
    return Verdict(tuple(map(of_markup, found.errors)), tuple(map(of_markup, found.warnings)), canonical, kind="markup")


def write_text(body: bytes, rules: EssayParameters) -> Written:
    """A markup as a file in the notation; None with the reasons where it is no valid markup."""
    try:
        raw = decode(body, rules.limits)
    except MalformedInput as error:
        return Written(None, (of_another_tool(body) or of_json(error),))
    found = validate(raw, classifier=rules.classifier, limits=rules.limits)
    text = None if found.markup is None else render(found.markup)
    return Written(text, tuple(map(of_markup, found.errors)), tuple(map(of_markup, found.warnings)))


def _of_notation(error: NotationError) -> Reason:
    places = {"line": error.line, "column": error.column, "excerpt": error.excerpt}
    russian = f"строка {error.line}, столбец {error.column}: {error.russian}"
    english = f"line {error.line}, column {error.column}: {error.message}"
    return Reason("notation_error", Text(en=english, ru=russian), places)
