"""Dataclasses that are generated late are the standard library's in all that can be seen of them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from markup_core import lazy

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
            """Twice the number."""
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
        """Compared in a way of its own."""

        value: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and self.value % 2 == other.value % 2

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        """Ordered."""

        value: int

    @dataclass
    class Open:
        """Without options."""

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
    plain, derived, held, compared, ordered, free = kinds.values()
    one, other = plain(1, "b", [1], only=5), derived(1, more=2)
    return [
        *(str(inspect.signature(kind)) for kind in kinds.values()),
        *([(field.name, field.type, field.kw_only) for field in dataclasses.fields(kind)] for kind in kinds.values()),
        *(kind.__match_args__ for kind in kinds.values()),
        *(getattr(kind, "__slots__", None) for kind in kinds.values()),
        *(repr(instance) for instance in (one, other, held("x"), compared(1), ordered(1), free(1))),
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
    """At the module's top, as pickle wants it."""

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
        """Not used yet."""

        value: int

    assert isinstance(Unused.__dict__["__init__"], lazy._Placeholder)
    use(Unused)
    assert not any(isinstance(value, lazy._Placeholder) for value in Unused.__dict__.values())
    with pytest.raises(FrozenInstanceError):
        Unused(1).value = 2  # type: ignore[misc]
