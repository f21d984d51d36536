"""JSON is read and written alike with orjson and without it: values, bytes, refusals (markup-scoring §8).

Dataclasses that are generated late are the standard library's in all that can be seen of them.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import random
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core import lazy
from markup_core.reading import wire
from markup_core.reading.wire import Limits, MalformedInput, decode
from markup_core.receipt import canonical_bytes, canonical_hashes

pytest.importorskip("orjson", reason="the optional extra markup-core[fast] is not installed")

LEVELS = 6
BLANKS = st.sampled_from(["", "", "", " ", "\n", "\t \r\n"])
ESCAPES = r"\" \": \\ \n \/ \u0000 \u003a \u003A \\u003a \ud83d\ude00 \ud83d \ude00".split()
PIECES = st.sampled_from(ESCAPES) | st.sampled_from([*"aя😀:{[\x7f\u2028\x1f", "::", "2.5", "NaN", 19 * "1", 20 * "9"])
STRINGS = st.lists(PIECES, max_size=4).map(lambda pieces: f'"{"".join(pieces)}"')
EDGES = [2**53, 2**63, 2**64, 10**18, 10**19, 10**30, 10**4299]
NUMBERS = (
    st.integers().map(str)
    | st.builds(
        lambda edge, off, sign: str(sign * (edge + off)),
        st.sampled_from(EDGES),
        st.integers(-2, 2),
        st.sampled_from([1, -1]),
    )
    | st.floats().map(json.dumps)
    | st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
    | st.sampled_from(["-0", "-0.0", "1E5", "1e400", "-1e400", "1e-400", "01", "1.", ".5", "+1", "0x1", "9" * 5000])
)
SINGLE = STRINGS | NUMBERS | st.sampled_from(["null", "true", "false", "nul", ""])


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    keys = st.sampled_from(['"a"', '"\\u0061"', '"b"', '":"', '"\\u003a"', '""']) | STRINGS
    pairs = [
        draw(BLANKS) + draw(keys) + draw(BLANKS) + ":" + draw(BLANKS) + draw(inner)
        for _ in range(draw(st.integers(0, 3)))
    ]
    return "{" + ",".join(pairs) + draw(BLANKS) + "}"


def lists(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda parts, blank: f"[{','.join(parts)}{blank}]", st.lists(inner, max_size=3), BLANKS)


TEXTS = st.recursive(SINGLE, lambda inner: objects(inner) | lists(inner), max_leaves=8)
NESTED = st.builds(lambda text, levels: "[" * levels + text + "]" * levels, TEXTS, st.integers(0, LEVELS + 1))
SPOILT = st.builds(
    lambda text, place, piece: text[: place % (len(text) + 1)] + piece + text[place % (len(text) + 1) :],
    TEXTS,
    st.integers(0, 60),
    st.sampled_from(['"', ":", ",", "{", "}", "[", "]", "\\", "0", "-", "e", "\x0c", "\ufeff", " "]),
)


def both_ways(work: Callable[[], Any]) -> tuple[Any, Any]:
    """Return the outcomes of the work with the library and without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "orjson", None)
        without = work()
    return work(), without


def outcome(data: bytes) -> str:
    """Return the value with its kinds and the order of its keys, or the refusal with its place."""
    try:
        return repr(decode(data, Limits(max_depth=LEVELS)))
    except MalformedInput as refused:
        return f"{refused.code}: {refused}"


@given(TEXTS | NESTED | SPOILT)
def test_any_text_is_read_alike(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    found, expected = both_ways(lambda: outcome(data))
    assert found == expected


@given(st.binary(max_size=20) | st.binary(max_size=20).map(lambda data: b'{"a":"' + data + b'"}'))
def test_any_bytes_are_read_alike(data: bytes) -> None:
    found, expected = both_ways(lambda: outcome(data))
    assert found == expected


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":2}',
        b'{"a":1,"\\u0061":2}',
        b'[{"a":{"b":1,"c":2},"a":3}]',
        b'{"a":"\\u003a","a":""}',  # the colon that came escaped makes up for the key's
        b'{"a":"\\u003A","a":""}',
        b'{"\\u003a":1,"a":2,"a":3}',
        b"[18446744073709551616]",
        b"[-9223372036854775809]",
        b"[[[[[[[1]]]]]]]",
        b'"\\ud800"',
        b"NaN",
        b"1e400",
        b"",
    ],
)
def test_what_the_library_reads_otherwise_it_does_not_read(data: bytes) -> None:
    assert wire.read_fast(data, LEVELS) is None


MARKUP = {
    "text": 'Он сказал: "да".\n',
    "meta": {"subject": "rus", "year": 2020, "class": None, "test": True},
    "selections": [{"id": 1, "comment": "a:b"}, {"id": 2, "comment": ""}],
}


def test_an_ordinary_markup_is_read_and_written_by_the_library() -> None:
    for source in (json.dumps(MARKUP).encode(), json.dumps(MARKUP, ensure_ascii=False).encode(), b'{"hardness": 0.25}'):
        value, written = wire.read(source)
        assert value == json.loads(source)
        assert [written[id(member)] for member in value.values()] == wire.write_each(list(value.values()))
    assert wire.write_each([MARKUP, None]) == [
        json.dumps(MARKUP, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(),
        b"null",
    ]


def test_without_the_library_nothing_is_read_or_written_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "orjson", None)
    assert wire.read_fast(b"1", 64) is None
    assert wire.write_each([1]) is None


class Colour(Enum):
    RED = 1


class Whole(int):
    """Number of a subclass of ``int``."""


CHARACTERS = st.text(st.characters(codec=None), max_size=6)
ODD = st.sampled_from([(1, -0.0), OrderedDict(b=1, a=2), MappingProxyType({"a": -0.0}), Whole(7), 10**400])
STRANGE = st.sampled_from([uuid.UUID(int=1), date(2020, 1, 1), Colour.RED, b"bytes", frozenset({1, 2})])
KEYED = st.sampled_from([{1: 2}, {1: 2, "a": 3}, {None: 1}, {True: 1}, {2.5: 1}])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | CHARACTERS
    | st.sampled_from(EDGES)
    | ODD
    | STRANGE
    | KEYED
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(CHARACTERS, inner, max_size=4),
    max_leaves=8,
)


def hash_of(value: Any) -> str:
    return canonical_hashes([value])[0]


def written(value: Any) -> list[Any]:
    """Return the canonical bytes and their hash, or the reason why there are none."""
    found: list[Any] = []
    for write in (canonical_bytes, canonical_hashes):
        try:
            found.append(write(value))
        except (TypeError, ValueError) as error:
            found.append(type(error))
    return found


@given(VALUES)
def test_any_value_is_written_alike(value: Any) -> None:
    found, expected = both_ways(lambda: written(value))
    assert found == expected


@given(st.dictionaries(CHARACTERS | st.text("aя😀\uffff\ue000", max_size=2), st.none(), max_size=6))
def test_keys_are_sorted_alike(value: dict[str, None]) -> None:
    found, expected = both_ways(lambda: written(value))
    assert found == expected


def test_every_character_is_written_alike() -> None:
    every = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000]
    assert wire.write_each([every]) is not None
    found, expected = both_ways(lambda: written(every))
    assert found == expected


def test_many_floats_are_read_alike() -> None:
    rng = random.Random(1)
    read = 0
    for _ in range(5_000):
        number = rng.uniform(-1, 1) * 10.0 ** rng.randint(-320, 308)
        for literal in (repr(number), f"{number:.16e}", f"{number:.3E}"):
            found = wire.read_fast(literal.encode(), LEVELS)
            assert found is None or found[0].hex() == float(literal).hex(), literal
            read += found is not None
        encoded = wire.write_each([number])
        assert encoded in (None, [json.dumps(number).encode()])
    assert read > 10_000


def test_a_value_that_holds_itself_is_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    for write in (canonical_bytes, canonical_hashes):
        with pytest.raises(ValueError, match="Circular"):
            write(ring)


T = TypeVar("T")


def classes(dataclass: Any) -> dict[str, Any]:
    """Return classes of every form, made by one of the two decorators."""

    @dataclass(frozen=True, slots=True)
    class Plain:
        """Class with defaults."""

        number: int
        text: str = "a"
        items: list[int] = field(default_factory=list, compare=False)
        only: int = field(default=3, kw_only=True, repr=False)
        shared: ClassVar[int] = 7

        @property
        def doubled(self) -> int:
            """Return twice the number."""
            return self.number * 2

    @dataclass(frozen=True, slots=True)
    class Derived(Plain):
        """Subclass with a further field and a check."""

        more: int = 0

        def __post_init__(self) -> None:
            if self.more < 0:
                raise ValueError("negative")

    @dataclass(frozen=True, slots=True)
    class Held(Generic[T]):
        """Generic class."""

        value: T

    @dataclass(frozen=True, slots=True)
    class Compared:  # noqa: PLW1641 -- its hash is generated
        """Class with its own comparison."""

        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and self.value % 2 == other.value % 2

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        """Class with an order."""

        value: int

    @dataclass
    class Open:
        """Class without options."""

        value: int

    return {kind.__name__: kind for kind in (Plain, Derived, Held, Compared, Ordered, Open)}


def seen(action: Any) -> Any:
    """Return what an action returns, or the refusal that it raises."""
    try:
        return action()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


def everything(kinds: dict[str, Any]) -> list[Any]:
    """Return all that can be seen of the classes and their instances."""
    plain, derived, result, compared, ordered, free = kinds.values()
    one, other = plain(1, "b", [1], only=5), derived(1, more=2)
    return [
        *(str(inspect.signature(kind)) for kind in kinds.values()),
        *([(field.name, field.type, field.kw_only) for field in dataclasses.fields(kind)] for kind in kinds.values()),
        *(kind.__match_args__ for kind in kinds.values()),
        *(getattr(kind, "__slots__", None) for kind in kinds.values()),
        *(repr(instance) for instance in (one, other, result("x"), compared(1), ordered(1), free(1))),
        (one == plain(1, "b", [2], only=5), one == plain(2), one == other, hash(one) == hash(plain(1, "b", only=5))),
        (compared(1) == compared(3), hash(compared(1)) == hash(compared(1)), hash(compared(1)) == hash(compared(3))),
        (dataclasses.asdict(one), dataclasses.astuple(other), dataclasses.replace(one, number=9).number),
        (one.doubled, plain.shared, hasattr(one, "__dict__"), plain(1).items is plain(1).items),
        seen(plain),
        seen(lambda: derived(1, more=-1)),
        seen(lambda: plain(1, "b", [], 5)),
        seen(lambda: setattr(one, "number", 2)),
        seen(lambda: delattr(one, "number")),
        (copy.copy(other) == other, copy.deepcopy(one) == one, seen(lambda: ordered(1) < ordered(2))),
    ]


def test_late_dataclasses_equal_the_standard_librarys_in_all_that_is_seen_of_them() -> None:
    assert everything(classes(lazy.dataclass)) == everything(classes(dataclasses.dataclass))


@lazy.dataclass(frozen=True, slots=True)
class Stored:
    """Dataclass at the module's top, as pickle demands."""

    value: int
    text: str = ""


def test_an_instance_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Stored(1, "a"))) == Stored(1, "a")  # noqa: S301


@pytest.mark.parametrize(
    "use",
    [
        lambda kind: kind(1),
        lambda kind: kind.__match_args__,
        dataclasses.fields,
        lambda kind: hash(kind(1)),
        lambda _: lazy.generate_all(),
    ],
)
def test_methods_are_generated_at_the_first_use_and_not_before(use: Any) -> None:
    @lazy.dataclass(frozen=True, slots=True)
    class Unused:
        """Class that is not used yet."""

        value: int

    assert isinstance(Unused.__dict__["__init__"], lazy._Placeholder)
    use(Unused)
    assert not any(isinstance(value, lazy._Placeholder) for value in Unused.__dict__.values())
    with pytest.raises(FrozenInstanceError):
        Unused(1).value = 2  # type: ignore[misc]
