"""Planting of bugs: rows of a table, each with the attributes of the platform that it changes, and how.

A change takes the attribute as it is and returns what stands in its place. Most are made by the functions below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import getattr_static, signature
from types import ModuleType
from typing import Any, Final

from rehearsal.proof.oracle import ESSAY

Change = Callable[[Any], Any]
_SHARES: Final = {
    **dict.fromkeys(("slow", "disconnects", "duplicates", "wrong"), 0.9),
    "losses": 1.0,
    "clocks": 0.5,
    "kills": 0.3,
    "resends": 0.2,
}
_SHARE_OF_OTHER_STAGES: Final = 0.6


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The smallest rehearsal tried in which ``check`` fails because of a bug: of so many teams and files of a kind of
    stage, with ``faults`` (words of ``--faults``) injected."""

    check: str
    faults: str = "none"
    teams: int = 1
    files: int = 1
    kind: str = ESSAY

    @property
    def share(self) -> float:
        """Return the share of files with a trick that provokes the bug."""
        return _SHARES.get(self.faults, 0.0) if self.kind == ESSAY else _SHARE_OF_OTHER_STAGES


@dataclass(frozen=True, slots=True)
class Bug:
    """A mistake in the platform, and what detects it.

    ``changes`` maps targets (``module:attribute`` or ``module:Class.attribute``) to their changes.
    """

    mistake: str
    detected_by: Rehearsal
    changes: Mapping[str, Change]

    def plant(self) -> None:
        """Change the platform of this process. AttributeError for a target that does not exist.

        A function is changed wherever it was imported by its name, too, if its target is the module that defines it.
        """
        for owner, name, changed in [self.changed(target) for target in self.changes]:
            original = getattr_static(owner, name)
            if isinstance(owner, ModuleType) and getattr(original, "__module__", None) == owner.__name__:
                for module in [candidate for candidate in sys.modules.values() if isinstance(candidate, ModuleType)]:
                    for alias in [key for key, member in vars(module).items() if member is original]:
                        setattr(module, alias, changed)
            setattr(owner, name, changed)

    def changed(self, target: str) -> tuple[Any, str, Any]:
        """Return a target's owner (module or class), its name there, and the bug's replacement."""
        module, _, path = target.partition(":")
        *classes, name = path.split(".")
        owner: Any = import_module(module)
        for class_name in classes:
            owner = getattr(owner, class_name)
        change, original = self.changes[target], getattr_static(owner, name)
        match original:
            case property():
                return owner, name, property(change(original.fget))
            case classmethod() | staticmethod():
                return owner, name, type(original)(change(original.__func__))
        return owner, name, change(original)


def value(new: Any) -> Change:
    """Put a constant in the place of another."""
    return lambda _: new


def always(result: Any = None) -> Change:
    """Return a fixed result instead of calling the function."""
    return lambda _: lambda *_, **__: result


def around(function: Callable[..., Any]) -> Change:
    """Call a function with the original one first, then the arguments."""
    return lambda original: lambda *args, **named: function(original, *args, **named)


def result(change: Callable[[Any], Any]) -> Change:
    """Change the function's result."""
    return lambda original: lambda *args, **named: change(original(*args, **named))


def arguments(**changes: Callable[[Any], Any]) -> Change:
    """Change arguments by their names. TypeError, when planted, for a name that the function does not have."""

    def change(original: Any) -> Any:
        takes = signature(original)
        if unknown := changes.keys() - takes.parameters.keys():
            raise TypeError(f"{original.__qualname__} takes no {', '.join(sorted(unknown))}")

        def call(*args: Any, **named: Any) -> Any:
            bound = takes.bind(*args, **named)
            bound.arguments |= {name: transform(bound.arguments[name]) for name, transform in changes.items()}
            return original(*bound.args, **bound.kwargs)

        return call

    return change


def twice(original: Any) -> Any:
    """Call the function once more with the same arguments."""

    def call(*args: Any, **named: Any) -> Any:
        original(*args, **named)
        return original(*args, **named)

    return call
