"""Bugs of the archive to be planted: somebody's markups are others', somebody's name is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


def archive_one_expert_twice() -> None:
    """The archive has the first expert's markup in the place of every other."""
    from contest.services.results import archiving

    original = archiving._references

    def references(*words: Any) -> Any:
        found = original(*words)
        return [found[0]] * len(found)

    _set(archiving, "_references", references)


def archive_the_wrong_answers() -> None:
    """A team's answers stand in the archive under each other's files."""
    from contest.services.results import archiving

    original = archiving._answers

    def answers(*words: Any) -> Any:
        found, rated = original(*words)
        values = list(found.values())
        return dict(zip(found, values[1:] + values[:1], strict=True)), rated

    _set(archiving, "_answers", answers)


def archive_nothing() -> None:
    """Nobody sends for the archive of the published results."""
    from contest.services.results import archiving

    _set(archiving, "due", lambda *_: [])


BUGS: Final[dict[str, Callable[[], None]]] = {
    each.__name__.replace("_", "-"): each
    for each in (archive_one_expert_twice, archive_the_wrong_answers, archive_nothing)
}


def _set(owner: Any, name: str, value: Any) -> None:
    """Replace a function of a module; AttributeError where there is none of the name."""
    getattr(owner, name)
    setattr(owner, name, value)
