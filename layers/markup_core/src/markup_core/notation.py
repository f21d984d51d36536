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

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from markup_core.comparable import ERROR, MEANING, Group
from markup_core.model import Fragment, Markup, check_markups, check_string
from markup_core.reading.wire import MalformedInput, decode, short
from markup_core.texts import Text, tr

_BEFORE: Final = 40  # characters of the line that an excerpt shows on either side


class NotationError(ValueError):
    """A file that is not in the notation. ``line`` and ``column`` count from 1, columns in code points.

    ``excerpt`` is the faulty line, cut if long, with a caret under the place.
    """

    def __init__(self, message: str, line: int, column: int, excerpt: str = "") -> None:
        super().__init__(f"line {line}, column {column}: {message}" + (f"\n{excerpt}" if excerpt else ""))
        self.message = message
        self.line = line
        self.column = column
        self.excerpt = excerpt


class Source:
    """The text that is parsed. Lines end at LF alone, as the text's positions count every character."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def place(self, position: int) -> tuple[int, int]:
        """Return the line and column of a position, from 1."""
        line_start = self.text.rfind("\n", 0, position) + 1
        return self.text.count("\n", 0, position) + 1, position - line_start + 1

    # Clause: MS §1.1 errors
    def error(self, message: str, position: int) -> NotationError:
        """Return the error of a position in both languages, to be raised."""
        line, column = self.place(position)
        start = max(position - column + 1, position - _BEFORE)
        end = self.text.find("\n", position)
        cut = self.text[start : min(end if end >= 0 else len(self.text), position + _BEFORE)]
        visible = "".join(char if char.isprintable() else " " for char in cut)
        return NotationError(message, line, column, f"    {visible}\n    {' ' * (position - start)}^")

    def naming(self, position: int) -> Text:
        """Name a position for a message."""
        line, column = self.place(position)
        return tr("line {line}, column {column}", line=line, column=column)


_OPEN: Final[dict[Group, str]] = {MEANING: "(*", ERROR: "(\\"}
_CLOSE: Final[dict[Group, str]] = {MEANING: "*)", ERROR: "\\)"}
_GROUP: Final[dict[str, Group]] = {mark: group for marks in (_OPEN, _CLOSE) for group, mark in marks.items()}
_TAIL: Final = ("comment", "explanation", "correction", "tag")
_TAIL_MARKS: Final = {"::": 1, ">>": 2, "#": 3}

_ESCAPE: Final = re.compile(r"\^(?:([\^\\()*:>#])|\{([0-9A-Fa-f]{1,6})\})")
_LABEL: Final = re.compile(r"\[([0-9]{1,6})\]")
# What ends a run of ordinary characters, in the text, in a head and in a tail.
_TEXT_TOKEN: Final = re.compile(r"(?P<escape>\^)|(?P<open>\([*\\])| ?(?P<close>\*\)|\\\))| ?(?P<separator>\\)")
_HEAD_TOKEN: Final = re.compile(r"(?P<escape>\^)|(?P<open>\([*\\])|(?P<close>\*\)|\\\))|(?P<separator>\\)")
_TAIL_TOKEN: Final = re.compile(
    r"(?P<escape>\^)|(?P<open>\([*\\])|(?P<close>\*\)|\\\))|(?P<separator>\\)|(?P<mark>::|>>|\#)"
)
_SEPARATED: Final = re.compile(r"\s|$|\*\)|\\\)|::|>>|#|\[[0-9]{1,6}\]")

_IN_TEXT: Final = re.compile(r"[\\^]|(?<=\()\*|\*(?=\))")
_IN_FIELD: Final = re.compile(r"[\\^#]|(?<=\()\*|\*(?=\))|:(?=:)|>(?=>)")


@dataclass(slots=True)
class _Block:
    """A block while it is open: where its mark stands in the file, where its fragment starts in the text."""

    at: int
    index: int
    group: Group
    label: str
    code: str
    subtype: str
    start: int
    tail: dict[str, str] = field(default_factory=dict)


class BodyParser:
    """Reads the body from ``start`` on, without recursion, each character a bounded number of times."""

    __slots__ = ("_at", "_fragments", "_labelled", "_nested", "_pieces", "_size", "_source", "_text")

    def __init__(self, source: Source, start: int) -> None:
        self._source = source
        self._text = source.text
        self._at = start
        self._pieces: list[str] = []
        self._size = 0
        self._nested: list[_Block] = []
        self._labelled: dict[str, _Block] = {}
        self._fragments: list[Fragment | None] = []

    def parse(self) -> tuple[str, tuple[Fragment, ...]]:
        """Parse the essay's text and the fragments in the order of their opening."""
        while (token := _TEXT_TOKEN.search(self._text, self._at)) is not None:
            self._take(self._text[self._at : token.start()])
            kind = token.lastgroup
            position = token.start(kind or 0)
            if kind == "escape":
                match = self._escaped(position)
                self._take(_unescaped(match))
                self._at = match.end()
            elif kind == "open":
                self._open(token["open"], position)
            elif kind == "close":
                self._close(self._last(position), token["close"], position)
            else:
                self._separate(position)
        self._take(self._text[self._at :])
        unclosed = [*self._nested, *self._labelled.values()]
        if unclosed:
            raise self._unclosed(min(block.at for block in unclosed))
        return "".join(self._pieces), tuple(fragment for fragment in self._fragments if fragment is not None)

    def _error(self, message: str, position: int) -> NotationError:
        return self._source.error(message, position)

    def _unclosed(self, position: int) -> NotationError:
        return self._error(tr("the block that opens here is never closed"), position)

    def _take(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def _escaped(self, position: int) -> re.Match[str]:
        match = _ESCAPE.match(self._text, position)
        if match is None or (match[2] and int(match[2], 16) > 0x10FFFF):
            message = tr("after ^ one of ^ \\ ( ) * : > # or {code point} is expected; a caret is ^^")
            raise self._error(message, position)
        return match

    def _open(self, mark: str, position: int) -> None:
        self._at = position + len(mark)
        label = _LABEL.match(self._text, self._at)
        if label is not None:
            self._at = label.end()
            if label[1] in self._labelled:
                raise self._error(tr("the label [{label}] already names an open block", label=label[1]), label.start())
        head_at = self._at
        token = self._until(_HEAD_TOKEN, position)
        if token.lastgroup != "separator":
            raise self._error(tr("a code and then \\ are expected before {token}", token=token[0]), token.start())
        head = self._text[head_at : token.start()]
        code, *rest = head.split(maxsplit=1) or [""]
        code, subtype = _plain(code), _plain(rest[0]) if rest else ""
        if not code:
            raise self._error(tr("the block has no code"), token.start())
        self._at = token.end()
        if self._text.startswith(" ", self._at):
            self._at += 1
            if head == head.strip() and position > 0 and self._text[position - 1].isalnum():
                self._take(" ")  # before the fragment: what is marked begins with a word
        name = label[1] if label else ""
        block = _Block(position, len(self._fragments), _GROUP[mark], name, code, subtype, self._size)
        self._fragments.append(None)
        if name:
            self._labelled[name] = block
        else:
            self._nested.append(block)

    # Clause: MS §1.1 notation
    def _separate(self, position: int) -> None:
        """Parse the end of a fragment: a backslash, perhaps a label, the tail and the closing mark."""
        before = self._text[position - 1 : position]
        if not before.isspace() and not _SEPARATED.match(self._text, position + 1):
            raise self._error(tr("a separator has white space on one side; a backslash of the text is ^\\"), position)
        label = _LABEL.match(self._text, position + 1)
        if label is None:
            block = self._last(position)
            self._at = position + 1
        else:
            if label[1] not in self._labelled:
                raise self._error(tr("no open block has the label [{label}]", label=label[1]), label.start())
            block = self._labelled[label[1]]
            self._at = label.end()
        self._tail(block)

    def _last(self, position: int) -> _Block:
        if self._nested:
            return self._nested[-1]
        if self._labelled:
            names = ", ".join(f"\\[{name}]" for name in self._labelled)
            message = tr("every open block has a label: its end is written {names}", names=names)
            raise self._error(message, position)
        raise self._error(tr("there is no open block here; a backslash of the text is ^\\, a star ^*"), position)

    # Clause: MS §1.1 notation, R-App2 §1.1
    def _tail(self, block: _Block) -> None:
        current = 0
        while True:
            start = self._at
            token = self._until(_TAIL_TOKEN, block.at)
            block.tail[_TAIL[current]] = _plain(self._text[start : token.start()])
            if token.lastgroup == "close":
                self._close(block, token[0], token.start())
                return
            if token.lastgroup != "mark":
                message = tr("{token} is not expected here; in a comment it is written with ^", token=token[0])
                raise self._error(message, token.start())
            if _TAIL_MARKS[token[0]] <= current:
                message = tr("{token} is out of order: \\ comment :: explanation >> correction # tag", token=token[0])
                raise self._error(message, token.start())
            current = _TAIL_MARKS[token[0]]
            self._at = token.end()

    def _until(self, pattern: re.Pattern[str], opened: int) -> re.Match[str]:
        """Return the next token that is no escape."""
        while (token := pattern.search(self._text, self._at)) is not None:
            if token.lastgroup != "escape":
                return token
            self._at = self._escaped(token.start()).end()
        raise self._unclosed(opened)

    # Clause: R-App2 §1.1
    def _close(self, block: _Block, mark: str, position: int) -> None:
        if _GROUP[mark] != block.group:
            place, closing_mark, opened = self._source.naming(block.at), _CLOSE[block.group], _OPEN[block.group]
            message = tr(
                "{closing_mark} is expected: the block at {place} opens with {opened}",
                closing_mark=closing_mark,
                place=place,
                opened=opened,
            )
            raise self._error(message, position)
        if block.start == self._size != 0:
            message = tr("the block holds no text; only at the beginning of the text it then means the whole text")
            raise self._error(message, block.at)
        if block.label:
            del self._labelled[block.label]
        else:
            self._nested.pop()
        self._fragments[block.index] = Fragment(
            block.start, self._size, block.code, block.subtype, **block.tail, group=block.group, id=block.index + 1
        )
        self._at = position + len(mark)


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or chr(int(match[2], 16))


def _plain(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text.strip())


class _Placed(NamedTuple):
    """A fragment with the label it needs because it crosses others, or none."""

    fragment: Fragment
    label: str


# Clause: MS §1.1 round trip
def render_body(markup: Markup) -> str:
    """Write the text with the marks of all fragments."""
    whole, placed = _place(markup.fragments)
    opening: dict[int, list[_Placed]] = {}
    closing: dict[int, list[_Placed]] = {}
    for block in placed:
        opening.setdefault(block.fragment.start, []).append(block)
        closing.setdefault(block.fragment.end, []).append(block)
    pieces = [_head(block).rstrip() + _end(block) for block in whole]
    done = 0
    for position in sorted({*opening, *closing}):
        pieces.append(_IN_TEXT.sub(r"^\g<0>", markup.text[done:position]))
        pieces += map(_end, reversed(closing.get(position, ())))
        pieces += map(_head, opening.get(position, ()))
        done = position
    pieces.append(_IN_TEXT.sub(r"^\g<0>", markup.text[done:]))
    return "".join(pieces)


def _place(fragments: tuple[Fragment, ...]) -> tuple[list[_Placed], list[_Placed]]:
    """Return full-text blocks, and the others by opening: the longer first, those that cross others labelled.

    ``ends`` are the ends of the open unlabelled blocks, the least on top; a fragment that ends beyond the least
    crosses it, every other one nests.
    """
    ordered = sorted(fragments, key=lambda fragment: (fragment.start, -fragment.end, fragment[2:9]))
    whole, placed = [], []
    ends: list[int] = []
    labels = 0
    for fragment in ordered:
        if fragment.is_full_text:
            whole.append(_Placed(fragment, ""))
            continue
        while ends and ends[-1] <= fragment.start:
            ends.pop()
        if ends and ends[-1] < fragment.end:
            labels += 1
            placed.append(_Placed(fragment, f"[{labels}]"))
        else:
            ends.append(fragment.end)
            placed.append(_Placed(fragment, ""))
    return whole, placed


def _head(block: _Placed) -> str:
    fragment = block.fragment
    if not fragment.code.strip():
        raise ValueError("a fragment without a code cannot be written")
    code = re.sub(r"\s", _by_number, _IN_FIELD.sub(r"^\g<0>", fragment.code))
    subtype = f" {_field(fragment.subtype)}" if fragment.subtype else ""
    return f"{_OPEN[fragment.group]}{block.label} {code}{subtype} \\ "


def _end(block: _Placed) -> str:
    fragment = block.fragment
    tail = "".join(_tail_pieces(fragment))
    separator = f" \\{block.label}" if tail or block.label or fragment.is_full_text else ""
    return f"{separator}{tail} {_CLOSE[fragment.group]}"


def _tail_pieces(fragment: Fragment) -> Iterator[str]:
    if fragment.comment:
        yield f" {_field(fragment.comment)}"
    if fragment.explanation:
        yield f" :: {_field(fragment.explanation)}"
    if fragment.correction:
        yield f" >> {_field(fragment.correction)}"
    if fragment.tag:
        yield f" # {_field(fragment.tag)}"


def _field(value: str) -> str:
    """Escape a text of the head or the tail; white space at its ends, which the parser trims, by number."""
    escaped = _IN_FIELD.sub(r"^\g<0>", value)
    return re.sub(r"\A\s|\s\Z", _by_number, escaped)


def _by_number(match: re.Match[str]) -> str:
    return f"^{{{ord(match[0]):x}}}"


# Names of the header and the fields of meta they stand for, in the order of the file.
NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Тема": "theme",
        "Класс": "class",
        "Год": "year",
        "Предмет": "subject",
        "Тест": "test",
        "Категория": "category",
        "Эксперт": "expert",
        "Время разметки": "timeMarkup",
        "Повторная проверка": "timeSecondMarkup",
    }
)
_FIELDS: Final = {name.casefold(): field for name, field in NAMES.items()}
_RUSSIAN: Final = {field: name for name, field in NAMES.items()}
_CRITERION: Final = re.compile(r"[KkКк]([1-9][0-9]?)")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,8}")
_JSON: Final = "\\="
_STRING: Final = json.JSONDecoder(strict=True)


# Clause: MS §1.1 notation
def parse_header(source: Source) -> tuple[dict[str, Any], dict[str, int], int]:
    """Parse meta, criteria and the position where the body begins."""
    meta: dict[str, Any] = {}
    criteria: dict[str, int] = {}
    for start, line in _lines(source):
        if not line:
            return meta, criteria, source.text.index("\n", start) + 1
        name, literal, value_at = _name(source, start, line)
        value = _value(source, line[value_at - start :], value_at)
        if (criterion := None if literal else _CRITERION.fullmatch(name)) is not None:
            if value == "":  # a form's empty cell
                continue
            target: dict[str, Any] = criteria
            key, value = f"K{criterion[1]}", _points(source, name, value, value_at)
        else:
            target, key = meta, name if literal else _header_field(source, name, start)
            if key == "year" and isinstance(value, _Plain) and _NUMBER.fullmatch(value):
                value = int(value)
        if key in target:
            raise source.error(tr("the field {name} stands twice in the header", name=short(name)), start)
        target[key] = str(value) if isinstance(value, _Plain) else value
    raise source.error(tr("an empty line is expected between the header and the text"), len(source.text))


class _Plain(str):
    """A value written as it is, not as JSON."""

    __slots__ = ()


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """Start and content of each line, without its end."""
    start = 0
    while (end := source.text.find("\n", start)) >= 0:
        yield start, source.text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(source.text):
        yield start, source.text[start:]


def _name(source: Source, start: int, line: str) -> tuple[str, bool, int]:
    """Return the name of a line, whether it was written as JSON, and the position after its colon."""
    if not line.startswith(_JSON):
        name, colon, _ = line.partition(":")
        if not colon:
            raise source.error(
                tr("a header line, such as «Тема: …», or the empty line before the text is expected"), start
            )
        return name.strip(), False, start + len(name) + 1
    at = len(_JSON)
    try:
        name, end = _STRING.raw_decode(line, at) if line.startswith('"', at) else ("", 0)
    except ValueError:
        end = 0
    colon_at = end + len(line[end:]) - len(line[end:].lstrip())
    if not end or not line.startswith(":", colon_at):
        raise source.error(tr("after \\= the name of the field is expected as a JSON string, then a colon"), start + at)
    return name, True, start + colon_at + 1


def _value(source: Source, raw: str, position: int) -> Any:
    value = raw.strip()
    if not value.startswith(_JSON):
        return _Plain(value)
    at = position + len(raw) - len(raw.lstrip()) + len(_JSON)
    try:
        return decode(value[len(_JSON) :])
    except MalformedInput as error:
        message = tr(r"after \= a JSON value is expected: {problem}", problem=error.message)
        raise source.error(message, at + max(error.column - 1, 0)) from None


def _points(source: Source, name: str, value: Any, position: int) -> int:
    if isinstance(value, _Plain) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = tr("the criterion {name} is a whole number, not {value}", name=name, value=short(value))
    raise source.error(message, position)


def _header_field(source: Source, name: str, position: int) -> str:
    header_name = _FIELDS.get(name.casefold())
    if header_name is not None:
        return header_name
    if not _IDENTIFIER.fullmatch(name):
        fields = f"{', '.join(NAMES)}, К1 … К12"
        message = tr("{name} is no header field; the fields are {fields}", name=short(name), fields=fields)
        raise source.error(message, position)
    return name


# Clause: MS §1.1 round trip
def render_header(markup: Markup) -> str:
    """Write the lines of the header, each with its line end."""
    meta = markup.meta
    first = {field: meta[field] for field in _RUSSIAN if field in meta}
    lines = [f"{_RUSSIAN[field]}:{_header_value(value, number=field == 'year')}\n" for field, value in first.items()]
    for name, points in markup.criteria.items():
        number = _CRITERION.fullmatch(name)
        if number is None:
            raise ValueError(f"a criterion is K1, K2 …, not {short(name)}")
        lines.append(f"К{number[1]}:{_header_value(points, number=True)}\n")
    for name, value in meta.items():
        if name not in first:
            plain = _IDENTIFIER.fullmatch(name) and not _CRITERION.fullmatch(name)
            lines.append(f"{name if plain else _JSON + _dumped(name)}:{_header_value(value)}\n")
    return "".join(lines)


def _header_value(value: Any, *, number: bool = False) -> str:
    """Write the value after the colon, with the blank that sets it off; an empty string is nothing.

    ``number``: a plain whole number stands for a number here, so that the string of its digits is written as JSON.
    """
    if isinstance(value, str):
        plain = value == value.strip() and not value.startswith(_JSON) and "\n" not in value and "\r" not in value
        plain = plain and not (number and _NUMBER.fullmatch(value))
    else:
        plain = number and type(value) is int and _NUMBER.fullmatch(str(value)) is not None
    if plain:
        return f" {value}" if value != "" else ""
    return f" {_JSON}{_dumped(value)}"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def parse(text: str) -> Markup:
    """Read a file in the notation; ``text`` is its content, line ends untouched. Linear in its length.

    Raises :class:`NotationError` with line and column for anything the grammar does not allow. Whether the codes and
    the subject exist is not judged here: see :mod:`markup_core.reading.validation`.
    """
    check_string(text)
    source = Source(text)
    if text.startswith("\ufeff"):
        raise source.error(tr("the file begins with a byte-order mark; save it as UTF-8 without one"), 0)
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
