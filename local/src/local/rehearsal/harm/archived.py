"""Bugs of the archive to be planted: somebody's markups are others', somebody's name is told."""

from __future__ import annotations

from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def archive_one_expert_twice() -> None:
    """The archive has the first expert's markup in the place of every other."""
    from contest.services.results import archiving

    original = archiving._references

    def references(*words: Any) -> Any:
        found = original(*words)
        return [found[0]] * len(found)

    put_in(archiving, "_references", references)


def archive_the_wrong_answers() -> None:
    """A team's answers stand in the archive under each other's files."""
    from contest.services.results import archiving

    original = archiving._answers

    def answers(*words: Any) -> Any:
        found, rated = original(*words)
        values = list(found.values())
        return dict(zip(found, values[1:] + values[:1], strict=True)), rated

    put_in(archiving, "_answers", answers)


def archive_nothing() -> None:
    """Nobody sends for the archive of the published results."""
    from contest.services.results import archiving

    put_in(archiving, "due", lambda *_: [])


BUGS: Final = by_name(
    archive_one_expert_twice,
    archive_the_wrong_answers,
    archive_nothing,
)
