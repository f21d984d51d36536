r"""The inline notation (язык разметки): a markup as a text that people read and write (markup-scoring §1.1).

::

    Тема: Добро и зло
    Класс: 11
    Год: 2020
    Предмет: rus

    (* ПРОБЛЕМА \ Что такое добро? *) Автор (\ Г.упр пфс \ описывает о войне \ лишний предлог >> описывает войну \).

Grammar, in characters; ``[x]`` is optional, ``{x}`` repeats, quoted strings stand for themselves, LF is U+000A::

    file      = {line LF} LF body
    line      = name ":" value
    name      = one of the Russian names below | "К" number | identifier | "\=" JSON string
    value     = plain | "\=" JSON value
    body      = {char | escape | block}
    block     = open [label] code [subtype] "\" [" "] {char | escape | block} end
    end       = [" "] close  |  [" "] "\" [label] tail close
    tail      = [comment] ["::" explanation] [">>" correction] ["#" tag]
    open      = "(*" | "(\"          a semantic block | an error
    close     = "*)" | "\)"          the same kind as the block's open
    label     = "[" number "]"
    escape    = "^" ("^" | "\" | "(" | ")" | "*" | ":" | ">" | "#")  |  "^{" hexadecimal code point "}"

* **Blanks.** One blank after the separator before the fragment and one blank before its end belong to the notation;
  every other character between them is the essay's. Code, subtype and the four texts of the tail are trimmed.
  **Decision**: the earlier annotator writes heads without blanks (``(\Л.повтор\ other``). After such a head, right
  behind a word, the blank parts this word from the fragment's first and is the essay's; elsewhere it stays the
  notation's. Nothing that :func:`render` writes is read in another way: its heads begin with a blank.
* **Escape.** ``^`` makes the next character an ordinary one: ``^(*`` and ``(^*`` are the characters ``(*``; ``^{2028}``
  is the character with that code. In the body ``^`` and ``\`` are always escaped, ``(*`` and ``*)`` by their star. A
  separator has white space or a mark on one side, so that ``и\или`` in a fragment is an error and not a comment.
* **Crossing.** A block that crosses another is labelled: its open and its separator carry the same number, and the
  separator ends the block wherever it stands: ``(*[1] А \ один (* Б \ два \[1] *) три *)`` marks «один два» and
  «два три». Ends without a label nest: they end the last block without a label that is still open.
* **Full-text fragments** hold nothing and stand at the beginning of the text: ``(\ С.тема \ \ тема не раскрыта \)``.
* **Header.** A plain value is a trimmed string without line ends; for Год a plain whole number is a number. Any other
  value, and one that begins with ``\=``, is written as JSON: ``Класс: \=11`` is the number 11, ``Год: \="2020"`` the
  string. К1, К2 … are the claimed criteria, whole numbers; other fields of meta stand under their wire names.
  A carriage return at the end of a header line is left out; in the text it counts like any character.

``parse(render(m))`` gives back the text, meta, criteria and the fragments of every valid markup, but not the fragments'
ids and order: ids count the blocks in the order of their opening.
"""

from __future__ import annotations

from types import MappingProxyType

from markup_core.model import Markup, check_markups, check_string
from markup_core.notation.body import BodyParser, render_body
from markup_core.notation.header import parse_header, render_header
from markup_core.notation.source import NotationError, Source

__all__ = ["NotationError", "parse", "render"]


def parse(text: str) -> Markup:
    """Read a file in the notation; ``text`` is its content, line ends untouched. Linear in its length.

    Raises :class:`NotationError` with line and column for anything the grammar does not allow. Whether the codes and
    the subject exist is not judged here: see :mod:`markup_core.reading.validation`.
    """
    check_string(text)
    source = Source(text)
    if text.startswith("\ufeff"):
        message = "the file begins with a byte-order mark; save it as UTF-8 without one"
        raise source.error(message, "в начале файла метка порядка байтов; сохраните его в UTF-8 без неё", 0)
    meta, criteria, start = parse_header(source)
    essay, fragments = BodyParser(source, start).parse()
    return Markup(essay, fragments, MappingProxyType(meta), MappingProxyType(criteria))


def render(markup: Markup) -> str:
    """Write a valid markup in the notation; the same markup gives the same file, whatever its fragments' order and ids.

    O(n log n) in the fragments, linear in the text. Raises ``ValueError`` for what no valid markup holds: an empty
    code, a number that is none, a criterion that is not K1, K2 ….
    """
    check_markups(markup)
    return f"{render_header(markup)}\n{render_body(markup)}"
