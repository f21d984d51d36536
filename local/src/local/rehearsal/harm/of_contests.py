"""Bugs of the other contests' stages: what is missed, what is told of a hidden set, a version before its time, a
dialogue's turns, a second board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from local.rehearsal.harm import leaks
from local.rehearsal.harm.planting import by_name, put_in


def exclude_the_missed() -> None:
    """An item without an answer is left out of the results instead of being wrong."""
    from contest.domain.results import run_report

    original = run_report._outcomes
    put_in(run_report, "_outcomes", lambda *known: (each for each in original(*known) if each.answered))


def never_score_the_missed() -> None:
    """Nobody asks for the scores of missed items."""
    from contest.services.results import reporting

    original: Callable[..., Any] = vars(reporting)["called_for"]

    def asked(*known: Any) -> Any:
        return tuple(each for each in original(*known) if each.content_sha256 != "missed")

    put_in(reporting, "called_for", asked)


def tell_the_items() -> None:
    """A board tells a hidden set's whole aggregate, where totals alone may be told."""
    from contest.domain.results import leaderboard

    def result(parameters: Any, _kind: Any, fates: Any, track: Any, **_named: Any) -> Any:
        return track.aggregate(fates, parameters.track, parameters.bootstrap_seed)

    put_in(leaderboard, "_result", result)


def hand_out_v2_early() -> None:
    """The second version of an epicrisis opens together with the first."""
    from contest.domain.run.schedule import Schedule

    original = Schedule.opens_at

    def opens_at(self: Schedule, number: int) -> int:
        return original(self, number - 1 if number % 2 == 0 else number)

    put_in(Schedule, "opens_at", opens_at)


def count_v3_alone() -> None:
    """Of the two answers to an epicrisis the first alone is scored."""
    from contest.services.results import score_answer

    original = score_answer.answer_of

    def answered(*known: Any) -> Any:
        found = original(*known)
        return found[:1] if isinstance(found, list) else found

    put_in(score_answer, "answer_of", answered)


def lose_a_response() -> None:
    """What a turn brought is told once: whoever asks for the file again, or sends the next turn, is told it no more."""
    from dataclasses import replace

    from contest.services.session import dialogues

    original = dialogues.standing

    def standing(*known: Any) -> Any:
        found = original(*known)
        if found is None:
            return None
        lost = tuple(replace(each, response=None) for each in found.answered[:-1])
        return replace(found, answered=(*lost, *found.answered[-1:]))

    put_in(dialogues, "standing", standing)


def count_a_study_twice() -> None:
    """A study that is asked for costs twice."""
    from contest.services.results import score_answer

    original = score_answer.answer_of

    def answered(*known: Any) -> Any:
        found = original(*known)
        if not isinstance(found, list):
            return found
        place = next((place for place, each in enumerate(found) if each["kind"] == "study"), None)
        return found if place is None else [*found[: place + 1], *found[place:]]

    put_in(score_answer, "answer_of", answered)


def show_one_board_for_all() -> None:
    """Whichever of a contest's boards is asked for, the main one is shown."""
    from contest.services.results import boards

    put_in(boards, "scope_of", lambda _platform, _key, part: part)


def archive_the_items() -> None:
    """The archive of a contest that keeps its items closed has them, too."""
    from contest.domain.canonical import canonical
    from contest.services import reading
    from contest.services.results import archiving

    def items(platform: Any, schedule: Any) -> Any:
        for file_id, item in archiving._items(platform, schedule):
            content = reading.item_content(platform, schedule.run.cycle, item.content)
            yield f"essays/{file_id}.json", canonical(content)

    put_in(archiving, "_essays", items)


def archive_no_answers() -> None:
    """The archive lacks what programs sent, and lists the rest rightly."""
    from contest.services.results import archiving

    put_in(archiving, "_answers", lambda *_: ({}, {}))


BUGS: Final = leaks.OF_CONTESTS | by_name(
    exclude_the_missed,
    never_score_the_missed,
    tell_the_items,
    hand_out_v2_early,
    count_v3_alone,
    lose_a_response,
    count_a_study_twice,
    show_one_board_for_all,
    archive_the_items,
    archive_no_answers,
)
