"""Cost of reading bytes from others: operations and memory at two sizes, never seconds; a table has all readers."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import re
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from yaml import YAMLError

from contest.channel import frames
from contest.cycle.commands.folders import read_yaml
from contest.cycle.rules import sets
from contest.people import teams
from contest.people.rules import reading_keys, unfit_character
from contest.refusals import ContestError
from markup_core import notation
from markup_core.formats import m2
from markup_core.formats.foreign import Wanted
from markup_core.formats.gathering import read_corpus
from markup_core.formats.spacy import unpack
from markup_core.matching.match import match
from markup_core.model import Fragment, Markup
from markup_core.reading import wire
from tests.markup_core.formats.reading import read
from tracks.diagnosis import items
from tracks.diagnosis import items as diagnosis_unpack
from tracks.fusion import archive as submission
from tracks.fusion import c2c, score
from tracks.fusion.archive import member_faults
from tracks.gec import unpack as gec_unpack

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/decisions/0026-bounds-of-what-comes-in.md"
READS = re.compile(
    r"zipfile\.ZipFile\((?!.*\"w\")|csv\.(?:reader|DictReader)\(|XMLParser\(|SafeLoader\)|\bdecode\((?:body|content|data|line|raw)\b"
)
"""Pattern of the calls by which a module reads content that others wrote."""
WANTED = Wanted(subject="rus", codes={"PER": "Г.упр"})


def zipped(*paths: str) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as made:
        warnings.simplefilter("ignore")
        for path in paths:
            made.writestr(path, b"")
    return out.getvalue()


def deep(size: int) -> list[zipfile.ZipInfo]:
    return [zipfile.ZipInfo(f"{number}/" + "a/" * size + "b") for number in range(8)]


def wide(size: int) -> list[zipfile.ZipInfo]:
    return [zipfile.ZipInfo(f"{'a/' * 90}{number}") for number in range(size)]


def boxes(size: int) -> Any:
    return {"i": {"c": [[number, 0, 1e-300, 1e-300] for number in range(size)]}}


def columns() -> gec_unpack.Mapped:
    return gec_unpack.Mapped(
        {name: name for name in ("id", "text", "start", "end", "correction", "type", *gec_unpack.SIX)}, {}, "|"
    )


def gec_rows(size: int) -> bytes:
    head = ",".join(columns().columns)
    row = ",".join(["t", "a b", "0", "1", "c", "R", *[""] * len(gec_unpack.SIX)])
    return "\n".join([head, *[row] * size]).encode()


def spans(size: int) -> str:
    return "".join(f"T{number}\tPER 0 3\tКот\n" for number in range(1, size + 1))


class Told:
    """An unpacking that only listens."""

    def refuse(self, *_: Any) -> None: ...


COSTS: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any], int]] = {
    "zip of a submission, folders of one path": (lambda made: list(member_faults(made)), deep, 500),
    "zip of a submission, many members": (lambda made: list(member_faults(made)), wide, 50),
    "zip of a submission, whole": (
        lambda made: submission.check(io.BytesIO(made)),
        lambda n: zipped(*map(str, range(n))),
        50,
    ),
    "zip of a cycle, folders of one path": (
        sets.open_zip,
        lambda n: zipped(*(f"{x}/" + "a/" * n + "b" for x in range(4))),
        500,
    ),
    "zip of a cycle, many members": (sets.open_zip, lambda n: zipped(*(f"f/{x}" for x in range(n))), 100),
    "program, deep": (c2c.laid_out, lambda n: " INDENT x NEW_LINE" * n, 300),
    "program, long": (c2c.laid_out, lambda n: "x NEW_LINE " * n, 300),
    "boxes": (lambda made: score.read_boxes(made, "p", score.Faults()), boxes, 500),
    "texts": (
        lambda made: score.read_texts(made, "p", score.Faults()),
        lambda n: {str(x): "x" * 1000 for x in range(n)},
        100,
    ),
    "boxes against an object": (
        lambda boxes_read: score.count(
            (score.Box(0, 0, 10, 10),), tuple(boxes_read["i"]["c"] and (score.Box(*b) for b in boxes_read["i"]["c"]))
        ),
        boxes,
        200,
    ),
    "epicrisis": (items.read_epicrisis, lambda n: f"<a>{'<b>x</b>' * n}</a>".encode(), 200),
    "epicrisis, deep": (items.read_epicrisis, lambda n: ("<a>" * n + "</a>" * n).encode(), 200),
    "references": (
        lambda made: diagnosis_unpack.read_references(Told(), made, str),  # type: ignore[arg-type]
        lambda n: ("no;nosology\n" + "".join(f"{x};C34\n" for x in range(n))).encode(),
        100,
    ),
    "M2": (
        lambda made: (m2.parse(made), m2.remarks(made)),
        lambda n: "S a b\nA 0 1|||R|||c|||REQUIRED|||-NONE-|||0\n\n" * n,
        50,
    ),
    "M2, one unit": (
        lambda made: (m2.parse(made), m2.remarks(made)),
        lambda n: "S a b\n" + "A 0 1|||R|||c|||REQUIRED|||-NONE-|||0\n" * n,
        50,
    ),
    "table of gec": (lambda made: list(gec_unpack.read_table(made, ",", columns(), "s")), gec_rows, 50),
    "table of teams": (
        lambda made: list(teams._rows(made)),
        lambda n: ("team_id,name\n" + "".join(f"t{x},T {x}\n" for x in range(n))).encode(),
        100,
    ),
    "JSON, deep": (wire.decode, lambda n: b"[" * n + b"]" * n, 500),
    "JSON, digits": (wire.decode, lambda n: b"1" * n, 3000),
    "JSON, long": (wire.decode, lambda n: json.dumps([{"a": 1}] * n).encode(), 300),
    "notation": (notation.parse, lambda n: "предмет: русский\n\n" + "слово (* Г.упр :: кот *) " * n, 50),
    "notation, deep": (notation.parse, lambda n: "предмет: русский\n\n" + "(* Г.упр :: " * n, 50),
    "brat": (lambda content: read("brat", content, WANTED, {"one.txt": "Кот"}), spans, 50),
    "brat, pieces": (
        lambda content: read("brat", content, WANTED, {"one.txt": "Кот"}),
        lambda n: "T1\tPER " + ";".join(["0 1"] * n) + "\tК\n",
        100,
    ),
    "INCEpTION": (
        lambda content: read("cas-json", content, WANTED),
        lambda n: {"%FEATURE_STRUCTURES": [{"%ID": x, "%TYPE": "t", "begin": 0, "end": 1} for x in range(n)]},
        100,
    ),
    "Label Studio": (
        lambda content: read("label-studio", content, WANTED),
        lambda n: [{"data": {"text": "Кот"}, "annotations": [{"result": []}]} for _ in range(n)],
        20,
    ),
    "Web Annotation": (
        lambda content: read("web-annotation", content, WANTED),
        lambda n: {"items": [{"body": []}] * n},
        100,
    ),
    "WebAnno TSV": (
        lambda content: read("webanno-tsv", content, WANTED),
        lambda n: (
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=x|code\n\n\n"
            + "".join(f"#Text=Кот\n{x}-1\t{4 * x}-{4 * x + 3}\tКот\tPER[1]|PER[{x + 2}]\t\n\n" for x in range(n))
        ),
        50,
    ),
    "doccano": (
        lambda content: read("doccano", content, WANTED),
        lambda n: json.dumps({"text": "Кот 😀 " * n, "label": [[6 * x, 6 * x + 3, "PER"] for x in range(n)]}),
        100,
    ),
    "spaCy": (
        lambda content: read("spacy", content, WANTED),
        lambda n: json.dumps(
            {"text": "Кот 😀 " * n, "spans": [{"start": 6 * x, "end": 6 * x + 3, "label": "PER"} for x in range(n)]}
        ),
        100,
    ),
    "DocBin": (
        lambda content: list(unpack(content)),
        lambda n: bytes([0xDC, *n.to_bytes(2, "big")]) + b"\x91\xc0" * n,
        100,
    ),
    "CoNLL": (
        lambda content: read("conll", content, WANTED),
        lambda n: "# text = x\n" + "a X O\nb X B-PER\nc X I-PER\n" * n,
        100,
    ),
    "M2 as markups": (
        lambda content: read("m2", content, WANTED),
        lambda n: "S a b\n" + "A 1 1|||PER|||c|||REQUIRED|||-NONE-|||0\n" * n,
        50,
    ),
    "table of spans": (
        lambda content: read("csv", content, WANTED),
        lambda n: (
            "document,text,start,end,label\nd,"
            + "Кот " * n
            + ",0,3,PER\n"
            + "".join(f"d{x},Кот,0,3,PER\n" for x in range(n))
        ),
        50,
    ),
    "TEI": (
        lambda content: read("tei", content, WANTED),
        lambda n: (
            '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text>'
            + "".join(f'<w xml:id="w{x}">a</w> b ' for x in range(n))
            + "</text><standOff>"
            + "".join(f'<span target="#w0 #w{x}">PER</span>' for x in range(n))
            + "</standOff></TEI>"
        ),
        50,
    ),
    "zip of annotations": (
        lambda content: read_corpus({"a.zip": lambda: content}),
        lambda n: zipped(*(f"{x}.bin" for x in range(n))),
        100,
    ),
    "frame": (frames.read, lambda n: "42" + json.dumps(["a", *range(n)]), 300),
    "cycle's YAML": (read_yaml, lambda n: "".join(f"a{x}: [1, 2]\n" for x in range(n)), 20),
    "cycle's YAML, aliases": (read_yaml, lambda n: "a: &a [1]\n" + "".join(f"b{x}: [*a, *a]\n" for x in range(n)), 20),
    "name": (lambda name: (unfit_character(name), reading_keys(name)), lambda n: "é\u0301" * n, 100),
}
"""Readers by name: the reader, the maker of its input in a size, and the smaller of two sizes."""


def cost(read: Callable[[Any], Any], made: Any) -> tuple[int, int]:
    """Lines of Python run, and bytes of memory at the peak; a refusal is an end like another."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    gc.disable()  # a collection in one of two readings, and none in the other, would make them incomparable
    tracemalloc.start()
    sys.settrace(count)
    try:
        with contextlib.suppress(ContestError, ValueError, LookupError, TypeError, RecursionError, YAMLError):
            read(made)
    finally:
        sys.settrace(before)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        gc.enable()
    return lines, peak


@pytest.mark.parametrize("name", COSTS)
def test_four_times_as_much_costs_at_most_about_four_times_the_work(name: str) -> None:
    read, made, size = COSTS[name]
    cost(read, made(2))  # what is loaded and compiled once is nobody's cost
    few = cost(read, made(size))
    most = 5 * few[1] + 64 * 1024
    # Memory is counted of all threads, and those that an earlier test left may take some: not three times in a row.
    many = cost(read, made(4 * size))
    for _ in range(2):
        if many[1] > most:
            many = cost(read, made(4 * size))
    assert few[0] > 0
    assert many[0] <= 5 * few[0] + 200
    assert many[1] <= most


def test_long_chains_of_ties_are_matched_without_trying_each_in_turn() -> None:
    def chain(size: int, offset: int) -> Markup:
        return Markup("", tuple(Fragment(50 * i + offset, 50 * i + offset + 80, "a") for i in range(size)))

    markups, calls = (chain(2_000, 0), chain(1_999, 25)), 0  # every cut of the chain costs the same

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        matching = match(*markups)
    finally:
        sys.setprofile(None)
    assert len(matching.pairs) == 1_999
    assert calls < 1_500_000  # 415 000 when this was written, 8 400 000 before each was tried only where one is left


def test_what_is_quadratic_is_seen() -> None:
    def spelled(parts: list[str]) -> list[str]:
        return ["/".join(parts[:number]) for number in range(len(parts))]

    few, many = (cost(spelled, ["a"] * size) for size in (500, 2000))
    assert many[1] > 5 * few[1] + 64 * 1024


def test_every_module_that_reads_foreign_bytes_has_a_row_with_its_caps() -> None:
    page = PAGE.read_text("utf-8")
    rooms = ("layers/markup_core/src", "layers/tracks/src", "layers/contest/src")
    readers = {
        path.relative_to(ROOT / room).with_suffix("").as_posix().replace("/", ".")
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if READS.search(path.read_text("utf-8"))
    }
    assert len(readers) > 8
    assert {module for module in readers if f"`{module}`" not in page} == set()


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"i": {"c": [[0, 0, 1, 1]] * 1001}}, "too_many_boxes"),
        ({"i": {"c": [[1e300, 0, 1, 1]]}}, "too_large"),
        ({"i": {"c": [[0, 0, 1, 100_001]]}}, "too_large"),
    ],
)
def test_boxes_beyond_their_caps_are_refused(raw: Any, code: str) -> None:
    faults = score.Faults()
    score.read_boxes(raw, "prediction", faults)
    assert [each.code for each in faults.reasons] == [code]


def test_a_text_beyond_its_cap_is_refused() -> None:
    faults = score.Faults()
    assert score.read_texts({"a": "x" * 100_001, "b": "x" * 100_000}, "prediction", faults).keys() == {"b"}
    assert [each.code for each in faults.reasons] == ["too_long"]


@pytest.mark.parametrize("path", ["a/" * 101 + "b", "a" * 4097, "a" * 256])
def test_a_long_or_deep_path_of_a_submission_is_refused_before_paths_are_compared(path: str) -> None:
    assert [each.code for each in member_faults([zipfile.ZipInfo(path), zipfile.ZipInfo(path)])] == [
        "name_too_long"
    ] * 2


@pytest.mark.parametrize("path", ["a/" * 17 + "b", "a" * 1025])
def test_a_long_or_deep_path_of_a_cycle_is_refused(path: str) -> None:
    assert [fault.code for fault in sets.open_zip(zipped(path))[1]] == ["zip_long_name"]


def test_a_zip_with_too_many_members_is_refused_before_its_list_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "BOUNDS", sets.Bounds(members=2))
    monkeypatch.setattr(sets.zipfile, "ZipFile", lambda *_: pytest.fail("the list was read"))
    content = b"PK\x01\x02" * 5 + b"PK\x05\x06" + bytes(8) + (20).to_bytes(4, "little") + bytes(6)
    assert [fault.code for fault in sets.open_zip(content)[1]] == ["not_a_zip"]


def test_a_line_deeper_than_python_reads_stands_at_the_deepest_level() -> None:
    lines = c2c.laid_out("x " + "INDENT y NEW_LINE " * 150 + "DEDENT " * 150 + "z").split("\n")
    assert lines[100] == " " * 400 + "y"
    assert lines[150] == " " * 400 + "y"
    assert lines[151] == "z"
