"""Reading baseline JPEG with numpy: pictures whose colours are not halved, no progressive ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]

_ZIGZAG: Final = [
    8 * row + column
    for _, _, row, column in sorted(
        (row + column, row if (row + column) % 2 else column, row, column) for row in range(8) for column in range(8)
    )
]


class UnreadableError(ValueError):
    """A picture that this small reader does not read."""


def read(content: bytes) -> Pixels:
    """Decode the pixels, height × width × 3. Raises :class:`UnreadableError`."""
    try:
        return _read(content)
    except (LookupError, StopIteration) as error:
        raise UnreadableError("cut short") from error


def _read(content: bytes) -> Pixels:
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
