"""Broken files: a Russian refusal has no sentence of Python's, expat's or PyYAML's own in it."""

from __future__ import annotations

import io
import re
import zipfile
from functools import partial

import pytest

from contest.cycle.rules.sets import open_zip
from contest.cycle.set_files import value_of
from markup_core.formats.foreign import FormatError
from markup_core.formats.gathering import read_corpus
from markup_core.texts import Text, in_language

XMI = b'<a xmlns="http:///uima/cas.ecore http://www.omg.org/XMI">'
HEAD = b"text,start,end,label\n"
NAMES = re.compile(r"\b(?:JSON|YAML|XML|UTF|NaN|Infinity|U\+0001|deflate|zip|xmlns|a|jsonl|json|yaml|csv|xmi)\b")


def zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.csv"), content)  # of 1980: workers collect the same names of tests
    return out.getvalue()


def locked(content: bytes) -> bytes:
    """Return an archive that says of its first file that it has a password."""
    place = content.index(b"PK\x01\x02") + 8
    return content[:place] + b"\x01" + content[place + 1 :]


ZIPS = [zipped(HEAD).replace(b"text", b"test"), locked(zipped(HEAD)), zipped(HEAD)[9:], b"PK"]
CORPORA = [
    *(("a.zip", content) for content in ZIPS),
    *(
        ("a.xmi", XMI + rest)
        for rest in (b"", b"<b></a>", b"&x;</a>", b"<b", b"</a><a/>", b'<b c="" c=""/>', b"<x:b/>")
    ),
    *(("a.csv", HEAD + rest) for rest in (b'"K', b'"K"x,0,1,X')),
    ("a.jsonl", b'{"text": "x", "label": [[0, 1, "A"]]}\n{"a'),
]
VALUES = [
    *(("a.json", c) for c in (b'{"a": NaN}', b'{"a":1,}', b'{"a":"\\ud800"}', b"9" * 5000, b"\xff", b"[" * 9000)),
    *(("a.yaml", c) for c in (b"a: b: c", b"a: [1", b'a: "x', b"a:\n\tb: 1", b"b: *x", b"!!python a", b"\x01", b"%")),
]


def is_russian(message: str) -> bool:
    russian = in_language(message, "ru")
    return isinstance(message, Text) and re.search("[A-Za-z]{2,}", NAMES.sub("", russian)) is None


@pytest.mark.parametrize(("name", "content"), CORPORA)
def test_a_corpus_that_cannot_be_read_is_refused_in_russian(name: str, content: bytes) -> None:
    with pytest.raises(FormatError) as refused:
        read_corpus({name: partial(bytes, content)})
    assert is_russian(refused.value.text), refused.value.text.ru


@pytest.mark.parametrize(("name", "content"), VALUES)
def test_a_cycles_file_that_cannot_be_read_is_refused_in_russian(name: str, content: bytes) -> None:
    _, (fault,) = value_of(name, content)
    assert is_russian(fault.message), in_language(fault.message, "ru")


def test_a_zip_that_cannot_be_read_is_refused_in_russian() -> None:
    for content in ZIPS:
        _, faults = open_zip(content)
        assert faults
        assert all(is_russian(fault.message) for fault in faults)
