"""Generate the methods of dataclasses at their first use.

The standard library compiles six methods of every frozen dataclass when its module is imported, and a process that
imports 260 of them uses a few dozen. That was half the processor time of every function's start. Here the decorator
makes the class with its slots; ``__init__``, ``__repr__``, ``__eq__``, ``__hash__`` and the tables of fields are
generated, by the standard library, when the first of them is looked up, and replace the placeholders then.

Only ``frozen=True, slots=True`` is generated late; all other dataclasses are the standard library's.
"""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass

__all__ = ["dataclass", "generate_all"]

_METHODS: Final = ("__init__", "__repr__", "__eq__", "__hash__")
_TABLES: Final = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_TAKEN_ALONG: Final = ("__post_init__", "__orig_bases__")
"""Names of a class that change what the standard library generates."""
_NO_FIELD: Final = ("ClassVar", "typing.ClassVar")
"""Beginnings of the annotation of a class attribute, which is no field."""


class _Recipe:
    """Source of a class's methods: its annotations, its defaults and the names they depend on."""

    def __init__(self, source: type) -> None:
        annotations = source.__annotations__
        self.fields = [name for name, kind in annotations.items() if not str(kind).startswith(_NO_FIELD)]
        names = (*annotations, *_TAKEN_ALONG)
        self.namespace = {name: source.__dict__[name] for name in names if name in source.__dict__}
        self.namespace |= {"__annotations__": annotations, "__module__": source.__module__}
        self.namespace |= {"__qualname__": source.__qualname__, "__doc__": source.__doc__ or source.__name__}
        self.made: Any = None
        """The class with slots; None until it is created."""

    def generate(self) -> None:
        """Replace the class's placeholders by what the standard library generates for a class of the same fields."""
        cls = self.made
        twin = type(cls)(cls.__name__, cls.__bases__, dict(self.namespace))
        generated = dataclasses.dataclass(frozen=True)(twin).__dict__
        for name in (*_METHODS, *_TABLES):
            if isinstance(cls.__dict__.get(name), _Placeholder):
                setattr(cls, name, generated[name])


class _Placeholder:
    """Class attribute whose first lookup generates all methods of the class."""

    __slots__ = ("_name", "_recipe")

    def __init__(self, name: str, recipe: _Recipe) -> None:
        self._name = name
        self._recipe = recipe

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self._recipe.generate()
        attribute = self._recipe.made.__dict__[self._name]
        bind = getattr(type(attribute), "__get__", None)
        return attribute if bind is None else bind(attribute, instance, owner)


_RECIPES: Final[list[_Recipe]] = []
"""Recipes of the classes created since the last call of :func:`generate_all`."""


def generate_all() -> None:
    """Generate the methods of all classes now: for a process that is started ahead of its first request."""
    while _RECIPES:
        recipe = _RECIPES.pop()
        if isinstance(recipe.made.__dict__["__dataclass_fields__"], _Placeholder):
            recipe.generate()


def _refuse_assignment(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(instance: Any) -> list[Any]:
    return [getattr(instance, field.name) for field in dataclasses.fields(instance)]


def _restore(instance: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(instance), state, strict=True):
        object.__setattr__(instance, field.name, value)


def _with_slots(source: type) -> type:
    recipe = _Recipe(source)
    left_out = {*recipe.fields, "__dict__", "__weakref__"}
    namespace = {name: value for name, value in source.__dict__.items() if name not in left_out}
    inherited = {slot for base in source.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
    namespace["__slots__"] = tuple(name for name in recipe.fields if name not in inherited)
    if "__eq__" in namespace and namespace["__hash__"] is None:
        del namespace["__hash__"]  # Python's own, since the class defines how its instances compare
    for name in (*_METHODS, *_TABLES):
        namespace.setdefault(name, _Placeholder(name, recipe))
    namespace |= {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
    namespace.setdefault("__getstate__", _state)
    namespace.setdefault("__setstate__", _restore)
    recipe.made = type(source)(source.__name__, source.__bases__, namespace)
    recipe.made.__qualname__ = source.__qualname__
    _RECIPES.append(recipe)
    slotted: type = recipe.made
    return slotted


if not TYPE_CHECKING:

    def dataclass(source: type | None = None, /, **options: bool) -> Any:
        """Make a dataclass, or return its decorator, with the standard library's options."""
        return _with_slots if options == {"frozen": True, "slots": True} else dataclasses.dataclass(source, **options)
