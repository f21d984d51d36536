"""The pilot's program for submissions: numpy alone, from ``input/`` to ``output/``; simple rules, no learning.

``python -m fusion_pilot`` writes a prediction for every subtask that ``input/`` has. This file is what ``pku pilot``
puts into the archive, and it knows nothing of the kit.

It reads baseline JPEG: pictures whose colours are not halved, no progressive ones. It recognizes by colour and size
alone: a box around pixels of a named colour, short answers, a word of a length. It translates from Java to Python token
by token: removes types, adds layout, exchanges a few words.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Json = Any
Pixels = npt.NDArray[np.uint8]

_ZIGZAG: Final = [
    8 * row + column
    for _, _, row, column in sorted(
        (row + column, row if (row + column) % 2 else column, row, column) for row in range(8) for column in range(8)
    )
]


class UnreadableError(ValueError):
    """A picture that this small reader does not read."""


def read_jpeg(content: bytes) -> Pixels:
    """Decode the pixels, height × width × 3. Raises :class:`UnreadableError`."""
    try:
        return _decoded(content)
    except (LookupError, StopIteration) as error:
        raise UnreadableError("cut short") from error


def _decoded(content: bytes) -> Pixels:
    quanta, codes = dict[int, list[int]](), dict[int, Mapping[tuple[int, int], int]]()
    frame, used = b"", {}
    for marker, body, rest in _segments(content):
        if marker == 0xDB:
            quanta |= {body[at]: list(body[at + 1 : at + 65]) for at in range(0, len(body), 65)}
        elif marker == 0xC4:
            codes |= _codes(body)
        elif marker == 0xC0:
            frame = body
        elif marker == 0xDA:
            used = {body[1 + 2 * number]: body[2 + 2 * number] for number in range(body[0])}
            return _pixels(frame, used, quanta, codes, rest)
    raise UnreadableError("no scan")


def _segments(content: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the markers with their contents, and all that follows."""
    at = 2
    while at + 4 <= len(content):
        marker, size = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if content[at] != 0xFF:
            raise UnreadableError("no marker")
        yield marker, content[at + 4 : at + 2 + size], content[at + 2 + size :]
        at += 2 + size


def _codes(body: bytes) -> dict[int, Mapping[tuple[int, int], int]]:
    """Read the Huffman tables of a segment: symbols by length and code."""
    tables, at = dict[int, Mapping[tuple[int, int], int]](), 0
    while at < len(body):
        name, counts = body[at], body[at + 1 : at + 17]
        symbols = iter(body[at + 17 : at + 17 + sum(counts)])
        table, code = dict[tuple[int, int], int](), 0
        for length, count in enumerate(counts, start=1):
            for _ in range(count):
                table[length, code] = next(symbols)
                code += 1
            code <<= 1
        tables[name] = table
        at += 17 + sum(counts)
    return tables


class _Bits:
    def __init__(self, content: bytes) -> None:
        plain = content.partition(b"\xff\xd9")[0].replace(b"\xff\0", b"\xff")
        self._text = "".join(f"{byte:08b}" for byte in plain)
        self._at = 0

    def symbol(self, table: Mapping[tuple[int, int], int]) -> int:
        code = 0
        for length in range(1, 17):
            code = code << 1 | self.number(1)
            if (length, code) in table:
                return table[length, code]
        raise UnreadableError("no such code")

    def number(self, size: int) -> int:
        bits = self._text[self._at : self._at + size]
        if len(bits) < size:
            raise UnreadableError("cut short")
        self._at += size
        return int(bits, 2) if size else 0

    def value(self, size: int) -> int:
        """Read a signed value of so many bits."""
        bits = self.number(size)
        return bits if size == 0 or bits >> (size - 1) else bits - (1 << size) + 1


def _pixels(
    frame: bytes,
    used: Mapping[int, int],
    quanta: Mapping[int, list[int]],
    codes: Mapping[int, Mapping[tuple[int, int], int]],
    scan: bytes,
) -> Pixels:
    if len(frame) < 15 or frame[0] != 8 or frame[5] != 3 or any(frame[at] != 0x11 for at in (7, 10, 13)):
        raise UnreadableError("not three whole planes of eight bits")
    height, width = int.from_bytes(frame[1:3], "big"), int.from_bytes(frame[3:5], "big")
    down, across = -(-height // 8), -(-width // 8)
    planes = np.zeros((down * across, 3, 64))
    bits, before = _Bits(scan), [0, 0, 0]
    for block in planes:
        for number, plane in enumerate(block):
            tables, quantum = used[frame[6 + 3 * number]], quanta[frame[8 + 3 * number]]
            before[number] += bits.value(bits.symbol(codes[tables >> 4]))
            plane[0] = before[number] * quantum[0]
            _others(bits, codes[0x10 | tables & 15], plane, quantum)
    steps = np.arange(8)
    waves = np.cos((2 * steps[None, :] + 1) * steps[:, None] * np.pi / 16) * np.where(steps == 0, 8**-0.5, 0.5)[:, None]
    cut = np.einsum("ji,bpjl,lk->bpik", waves, planes.reshape(-1, 3, 8, 8), waves)
    joined = cut.reshape(down, across, 3, 8, 8).transpose(2, 0, 3, 1, 4).reshape(3, down * 8, across * 8)
    luma, blue, red = joined[:, :height, :width]
    luma = luma + 128
    colours = (luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue)
    return np.asarray(np.clip(np.rint(np.stack(colours, axis=2)), 0, 255), dtype=np.uint8)


def _others(
    bits: _Bits, table: Mapping[tuple[int, int], int], plane: npt.NDArray[np.float64], quantum: list[int]
) -> None:
    at = 1
    while at < 64:
        symbol = bits.symbol(table)
        if symbol == 0:
            return
        at += symbol >> 4
        if symbol & 15:
            if at > 63:
                raise UnreadableError("a block too long")
            plane[_ZIGZAG[at]] = bits.value(symbol & 15) * quantum[at]
        at += 1


_LETTER: Final = 0.55
"""Widths of a letter in heights of the picture."""
_COMMON: Final = ("и", "не", "что", "было", "очень", "только", "сегодня", "человека", "несколько")
"""Words of one to nine letters."""
_NAMED: Final = {
    "red": ("red", r"красн", (200, 40, 40)),
    "green": ("green", r"зелен", (40, 140, 60)),
    "blue": ("blue", r"син", (40, 70, 200)),
    "yellow": ("yellow", r"желт", (230, 200, 50)),
    "purple": ("purple", r"фиолет", (130, 50, 160)),
    "black": ("black", r"черн", (20, 20, 20)),
    "orange": ("orange", r"оранж", (240, 140, 30)),
}
_RUSSIAN: Final = {
    "red": "красный",
    "green": "зелёный",
    "blue": "синий",
    "yellow": "жёлтый",
    "purple": "фиолетовый",
    "black": "чёрный",
    "orange": "оранжевый",
}
_NEAR: Final = 60
"""Greatest difference of a pixel from the colour it is taken for, of the largest of red, green and blue."""
_FEWEST: Final = 60
"""Pixels of a colour that are taken for a thing."""


def boxes(image: bytes, classes: Iterable[str]) -> dict[str, list[list[float]]]:
    """Return a box around all pixels of the colour that a class names; an empty list without any."""
    try:
        pixels = read_jpeg(image)
    except UnreadableError:
        return {name: [] for name in classes}
    boxes_by_name = {}
    for name in classes:
        plain = name.lower().replace("ё", "е")
        named = (key for key, (en, ru, _) in _NAMED.items() if re.search(rf"\b(?:{en}\b|{ru})", plain))
        boxes_by_name[name] = _box(pixels, next(named, None))
    return boxes_by_name


def answers(questions: Mapping[str, Any], image: Callable[[str], bytes]) -> dict[str, str]:
    """Answer yes, one, or the most frequent colour, in the question's language."""
    replies = {}
    for name, entry in questions.items():
        russian = re.search("[а-яё]", entry["question"], re.IGNORECASE) is not None
        question = entry["question"].lower()
        if re.match(r"сколько|how many", question):
            replies[name] = "1"
        elif re.search(r"цвет|colou?r", question):
            colour = _commonest(image(entry["file_name"]))
            replies[name] = _RUSSIAN[colour] if russian else colour
        else:
            replies[name] = "да" if russian else "yes"
    return replies


def _alike(pixels: Pixels, colour: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    away = np.abs(pixels.astype(np.int64) - np.array(_NAMED[colour][2])).max(axis=2)
    return np.asarray(away <= _NEAR)


def _box(pixels: Pixels, colour: str | None) -> list[list[float]]:
    if colour is None:
        return []
    alike = _alike(pixels, colour)
    if alike.sum() < _FEWEST:
        return []
    rows, columns = np.flatnonzero(alike.any(axis=1)), np.flatnonzero(alike.any(axis=0))
    left_edge, top_edge = float(columns[0]), float(rows[0])
    return [[left_edge, top_edge, float(columns[-1]) + 1 - left_edge, float(rows[-1]) + 1 - top_edge]]


def _commonest(image: bytes) -> str:
    try:
        pixels = read_jpeg(image)
    except UnreadableError:
        return "red"
    return max(_NAMED, key=lambda colour: int(_alike(pixels, colour).sum()))


def word_of(image: bytes) -> str:
    """Guess a written word by its picture's size, which a PNG has in its header: the commonest of about its length."""
    width, height = struct.unpack(">II", image[16:24])
    letters = round(width / (height * _LETTER))
    return _COMMON[min(max(letters, 1), len(_COMMON)) - 1]


_TYPES: Final = frozenset(
    "public private protected static final void int long double float boolean char String".split()
)
_EXCHANGED: Final = {"&&": "and", "||": "or", "!": "not", "true": "True", "false": "False", "null": "None"}
_PHRASES: Final = (
    (r"System \. out \. println \(", "print ("),
    (r"(\w+) \. length\b(?: \( \))?", r"len ( \1 )"),
    (r"(\w+) \+ \+|(\w+) \+\+", r"\1\2 += 1"),
    (r"(\w+) - -|(\w+) --", r"\1\2 -= 1"),
)
_COUNTED: Final = re.compile(r"for \( (?:int )?(\w+) = ([^;]+?) ; \1 (<=?) ([^;]+?) ; \1 (?:\+\+|\+ \+|\+= 1) \)")


def translated(program: str) -> str:
    """Translate a Java function in the contest's form into Python; words that no rule knows stay unchanged."""
    program = _COUNTED.sub(_range, program)
    for pattern, into in _PHRASES:
        program = re.sub(pattern, into, program)
    words, header = list[str](), True
    for word in _without_types(program.split()):
        if word == "{":
            words += [":", "NEW_LINE", "INDENT"]
            header = False
        elif word == "}":
            words.append("DEDENT")
        elif word == ";":
            words.append("NEW_LINE")
        else:
            words.append(_EXCHANGED.get(word, word))
    text = " ".join(words)
    text = re.sub(r"\b(if|while) \( (.*?) \) : NEW_LINE", r"\1 \2 : NEW_LINE", text)
    return text if header else f"def {text}"


def _range(counted: re.Match[str]) -> str:
    name, start, compared, end = counted.groups()
    last = f"{end} + 1" if compared == "<=" else end
    return f"for {name} in range ( {start} , {last} )" if start != "0" else f"for {name} in range ( {last} )"


def _without_types(tokens: list[str]) -> list[str]:
    """Remove types, and the brackets that stand behind one, from the tokens."""
    remaining = list[str]()
    behind_type = False
    for token in tokens:
        if token in _TYPES or (behind_type and token in ("[", "]")):
            behind_type = True
        else:
            behind_type = False
            remaining.append(token)
    return remaining


SUBTASKS: Final[Mapping[str, Callable[[Path], Json]]] = {
    "C2C": lambda folder: {name: translated(program) for name, program in _read(folder / "requests.json").items()},
    "HTR": lambda folder: {image.name: word_of(image.read_bytes()) for image in sorted((folder / "images").iterdir())},
    "zsOD": lambda folder: {
        file: boxes((folder / "images" / file).read_bytes(), classes)
        for file, classes in _read(folder / "requests.json").items()
    },
    "VQA": lambda folder: answers(
        _read(folder / "questions.json"), lambda file: (folder / "images" / file).read_bytes()
    ),
}


def main(place: Path) -> int:
    """Answer what is below ``place``/input; a subtask that is not there is left out."""
    for name, solve in SUBTASKS.items():
        folder = place / "input" / name
        if not folder.is_dir():
            continue
        predictions = solve(folder)
        target = place / "output" / f"prediction_{name}.json"
        target.write_text(json.dumps(predictions, ensure_ascii=False), "utf-8")
        print(f"{name}: {len(predictions)}")
    return 0


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
