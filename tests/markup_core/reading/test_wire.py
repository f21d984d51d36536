"""The strict reading of JSON (markup-scoring §1, "bad input"): every refusal with its code and place."""

from __future__ import annotations

import pytest

from markup_core.reading.validation import Limits, MalformedInput, decode


def refusal(data: bytes | str, limits: Limits | None = None) -> tuple[str, int, int]:
    with pytest.raises(MalformedInput) as refused:
        decode(data, limits or Limits())
    assert refused.value.message
    return refused.value.code, refused.value.line, refused.value.column


def test_json_is_read_from_bytes_and_from_text() -> None:
    data = '{"a": [1, 2.5, "я", null, true, -1e3], "b": {"a": {}}}'
    assert decode(data) == decode(data.encode()) == {"a": [1, 2.5, "я", None, True, -1000.0], "b": {"a": {}}}


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "broken_json", 1, 1),
        ('{"a": 1,\n "b" 2}', "broken_json", 2, 6),
        ('{"a": "one\ntwo"}', "broken_json", 1, 11),
        ("\ufeff{}", "byte_order_mark", 1, 1),
        ("\ufeff{}".encode(), "byte_order_mark", 1, 1),
        ("{}".encode("utf-16"), "wrong_encoding", 1, 1),
        ("{}".encode("utf-32"), "wrong_encoding", 1, 1),
        ('{\n"я": "ё"}'.encode("cp1251"), "wrong_encoding", 2, 2),
        (b'{"a": "\xed\xa0\x80"}', "wrong_encoding", 1, 8),  # an encoded surrogate
        ('{"a": 1, "b": {"a": 2}, "a": 3}', "duplicate_key", 1, 25),
        ('[{"a": "\\"b\\": 1", "b": 2},\n {"b": 1,\t"\\u0062" : 1}]', "duplicate_key", 2, 11),
        ('{"a": "NaN",\n "b": NaN}', "not_a_number", 2, 7),
        ("[-Infinity]", "not_a_number", 1, 2),
        ("[1, -1e999]", "not_a_number", 1, 5),
        ("[" + "1" * 5000 + "]", "number_too_long", 1, 2),
    ],
)
def test_broken_input_is_refused_with_the_place(data: bytes | str, code: str, line: int, column: int) -> None:
    assert refusal(data) == (code, line, column)


def test_too_much_and_too_deep_have_no_place() -> None:
    assert refusal("[1, 2]", Limits(max_bytes=5)) == ("too_big", 0, 0)
    assert refusal('"яяя"', Limits(max_bytes=7)) == ("too_big", 0, 0)  # eight bytes in UTF-8
    assert decode('"яяя"', Limits(max_bytes=8)) == "яяя"
    assert refusal("[" * 65 + "]" * 65) == ("too_deep", 0, 0)
    assert decode("[" * 64 + "]" * 64) is not None
    assert refusal("[" * 500_000) == ("too_deep", 0, 0)
    assert refusal('{"a":' * 200_000) == ("too_deep", 0, 0)


def test_the_error_reads_as_a_sentence_with_its_place() -> None:
    with pytest.raises(MalformedInput, match=r'^line 1, column 9: the key "a" stands twice in one object$'):
        decode('{"a": 1,"a": 2}')
    with pytest.raises(MalformedInput, match=r"^the JSON takes 2 bytes, the limit is 1$"):
        decode("{}", Limits(max_bytes=1))
