r"""The text with its blocks in the notation. The grammar is in :mod:`markup_core.notation.notation`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from markup_core.model import ERROR, MEANING, Fragment, Group, Markup
from markup_core.notation.source import NotationError, Source

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
        """The essay's text and the fragments in the order of their opening."""
        while (token := _TEXT_TOKEN.search(self._text, self._at)) is not None:
            self._take(self._text[self._at : token.start()])
            kind = token.lastgroup
            position = token.start(kind or 0)
            if kind == "escape":
                self._escape(position)
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

    def _error(self, message: str, russian: str, position: int) -> NotationError:
        return self._source.error(message, russian, position)

    def _unclosed(self, position: int) -> NotationError:
        return self._error("the block that opens here is never closed", "открытый здесь блок не закрыт", position)

    def _take(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def _escape(self, position: int) -> None:
        match = self._escaped(position)
        self._take(_unescaped(match))
        self._at = match.end()

    def _escaped(self, position: int) -> re.Match[str]:
        match = _ESCAPE.match(self._text, position)
        if match is None or (match[2] and int(match[2], 16) > 0x10FFFF):
            message = "after ^ one of ^ \\ ( ) * : > # or {code point} is expected; a caret is ^^"
            russian = "после ^ нужен один из знаков ^ \\ ( ) * : > # или {код символа}; сам знак пишется ^^"
            raise self._error(message, russian, position)
        return match

    def _open(self, mark: str, position: int) -> None:
        self._at = position + len(mark)
        label = _LABEL.match(self._text, self._at)
        if label is not None:
            self._at = label.end()
            if label[1] in self._labelled:
                message = f"the label [{label[1]}] already names an open block"
                raise self._error(message, f"метка [{label[1]}] уже у другого открытого блока", label.start())
        head_at = self._at
        token = self._until(_HEAD_TOKEN, position)
        if token.lastgroup != "separator":
            message = f"a code and then \\ are expected before {token[0]}"
            raise self._error(message, f"перед {token[0]} нужны код и затем \\", token.start())
        head = self._text[head_at : token.start()]
        code, subtype = _split(head)
        if not code:
            raise self._error("the block has no code", "у блока нет кода", token.start())
        self._at = token.end()
        if self._text.startswith(" ", self._at):
            self._at += 1
            if head == head.strip() and self._after_word(position):
                self._take(" ")  # before the fragment: what is marked begins with a word
        name = label[1] if label else ""
        block = _Block(position, len(self._fragments), _GROUP[mark], name, code, subtype, self._size)
        self._fragments.append(None)
        if name:
            self._labelled[name] = block
        else:
            self._nested.append(block)

    def _after_word(self, position: int) -> bool:
        """Whether a letter or digit of the essay stands right before a place of the file."""
        return position > 0 and self._text[position - 1].isalnum()

    def _separate(self, position: int) -> None:
        """The end of a fragment: a backslash, perhaps a label, the tail and the closing mark.

        Clause: MS §1.1 notation
        """
        before = self._text[position - 1 : position]
        if not before.isspace() and not _SEPARATED.match(self._text, position + 1):
            message = "a separator has white space on one side; a backslash of the text is ^\\"
            russian = "у разделителя с одной стороны пробел; обратная черта самого текста пишется ^\\"
            raise self._error(message, russian, position)
        label = _LABEL.match(self._text, position + 1)
        if label is None:
            block = self._last(position)
            self._at = position + 1
        else:
            if label[1] not in self._labelled:
                message = f"no open block has the label [{label[1]}]"
                raise self._error(message, f"открытого блока с меткой [{label[1]}] нет", label.start())
            block = self._labelled[label[1]]
            self._at = label.end()
        self._tail(block)

    def _last(self, position: int) -> _Block:
        if self._nested:
            return self._nested[-1]
        if self._labelled:
            names = ", ".join(f"\\[{name}]" for name in self._labelled)
            message = f"every open block has a label: its end is written {names}"
            raise self._error(message, f"у всех открытых блоков есть метки: конец пишется {names}", position)
        message = "there is no open block here; a backslash of the text is ^\\, a star ^*"
        russian = "открытого блока здесь нет; обратная черта самого текста пишется ^\\, звёздочка ^*"
        raise self._error(message, russian, position)

    def _tail(self, block: _Block) -> None:
        """Clause: MS §1.1 notation, R-App2 §1.1"""
        current = 0
        while True:
            start = self._at
            token = self._until(_TAIL_TOKEN, block.at)
            block.tail[_TAIL[current]] = _plain(self._text[start : token.start()])
            if token.lastgroup == "close":
                self._close(block, token[0], token.start())
                return
            if token.lastgroup != "mark":
                message = f"{token[0]} is not expected here; in a comment it is written with ^"
                raise self._error(message, f"{token[0]} здесь не к месту; в комментарии пишется с ^", token.start())
            if _TAIL_MARKS[token[0]] <= current:
                message = f"{token[0]} is out of order: \\ comment :: explanation >> correction # tag"
                russian = f"{token[0]} не на месте; порядок такой: \\ комментарий :: пояснение >> исправление # тег"
                raise self._error(message, russian, token.start())
            current = _TAIL_MARKS[token[0]]
            self._at = token.end()

    def _until(self, pattern: re.Pattern[str], opened: int) -> re.Match[str]:
        """The next token that is no escape."""
        while (token := pattern.search(self._text, self._at)) is not None:
            if token.lastgroup != "escape":
                return token
            self._at = self._escaped(token.start()).end()
        raise self._unclosed(opened)

    def _close(self, block: _Block, mark: str, position: int) -> None:
        """Clause: R-App2 §1.1"""
        if _GROUP[mark] != block.group:
            (place, russian), wanted, opened = self._source.naming(block.at), _CLOSE[block.group], _OPEN[block.group]
            message = f"{wanted} is expected: the block at {place} opens with {opened}"
            raise self._error(message, f"нужно {wanted}: блок открыт знаком {opened} ({russian})", position)
        if block.start == self._size != 0:
            message = "the block holds no text; only at the beginning of the text it then means the whole text"
            russian = "в блоке нет текста; только в начале текста это означает «весь текст»"
            raise self._error(message, russian, block.at)
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


def _plain(written: str) -> str:
    return _ESCAPE.sub(_unescaped, written.strip())


def _split(head: str) -> tuple[str, str]:
    code, *rest = head.split(maxsplit=1) or [""]
    return _plain(code), _plain(rest[0]) if rest else ""


class _Placed(NamedTuple):
    """A fragment with the label it needs because it crosses others, or none."""

    fragment: Fragment
    label: str


def render_body(markup: Markup) -> str:
    """The text with the marks of all fragments.

    Clause: MS §1.1 round trip
    """
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
    """Full-text blocks, and the others in the order of opening: the longer first, those that cross others labelled.

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
    written = "".join(_tail_pieces(fragment))
    separator = f" \\{block.label}" if written or block.label or fragment.is_full_text else ""
    return f"{separator}{written} {_CLOSE[fragment.group]}"


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
    """A text of the head or the tail; white space at its ends, which the parser trims, by number."""
    written = _IN_FIELD.sub(r"^\g<0>", value)
    return re.sub(r"\A\s|\s\Z", _by_number, written)


def _by_number(match: re.Match[str]) -> str:
    return f"^{{{ord(match[0]):x}}}"
