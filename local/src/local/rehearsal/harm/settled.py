"""Every draw alike: what two rehearsals that are compared have in common, in functions and in the organizer's command.

Names stay as they are drawn, since nobody may have another's; those who compare tell them apart by what they name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_SALT: Final = "5" * 64


def settle() -> None:
    """Let everything that this process draws be drawn by the same salt: salts of leaves, files of runs and sessions."""
    sampling = import_module("contest.domain.cycle.sampling")
    import_module("contest.adapters.randomness").SystemRandomness.salt = lambda _: _SALT
    for name in ("choose", "choose_groups"):
        setattr(sampling, name, _by_the_salt(getattr(sampling, name)))


def _by_the_salt(original: Any) -> Any:
    def chosen(items: Any, _: str, *more: Any, **named: Any) -> Any:
        return original(items, _SALT, *more, **named)

    return chosen
