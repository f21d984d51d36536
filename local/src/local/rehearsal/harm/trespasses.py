"""More bugs to be planted: what somebody gets that is not theirs, or not yet; what is told otherwise than it was."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_FAVOURED: Final = "team-001"
_MINUTE: Final = 60_000


def favour_one_team() -> None:
    """One team gets its files a minute before their openings."""
    from contest.services.exchange import hand_out

    original = vars(hand_out)["own_session"]

    def own_session(platform: Any, request: Any) -> Any:
        case = original(platform, request)
        if case.session.team_id != _FAVOURED or case.schedule is None or request.number is None:
            return case
        return case._replace(schedule=_earlier(case.schedule))

    put_in(hand_out, "own_session", own_session)


def _earlier(schedule: Any) -> Any:
    twin = copy.copy(schedule)
    for name in ("openings", "planned"):
        object.__setattr__(twin, name, tuple(each - _MINUTE for each in getattr(schedule, name)))
    return twin


def score_against_others_markups() -> None:
    """From the third file on every answer is scored against the markups of the file that was scored before it."""
    from contest.services import reading

    original = reading.references
    before: list[Any] = []

    def references(platform: Any, session: Any, item: Any) -> Any:
        found = original(platform, session, item)
        before.append([{**each, "text": found[0]["text"], "selections": []} for each in found])
        return before[-1] if len(before) > 2 else found

    put_in(reading, "references", references)


def show_others_sessions() -> None:
    """Nobody looks whose session it is that a program asks for."""
    from contest.services import reading
    from contest.services.session import access

    original = access.admit

    def admit(platform: Any, *words: Any, **named: Any) -> Any:
        asked = original(platform, *words, **named)
        session = reading.session(platform, asked.session_id) if asked.session_id else None
        if session is None or not asked.identity.team_id:
            return asked
        return replace(asked, identity=replace(asked.identity, team_id=session.team_id))

    put_in(access, "admit", admit)


def open_staffs_doors() -> None:
    """Whoever has a token may do everything."""
    from contest.domain.people import rights

    put_in(rights, "may", lambda *_: True)


def let_latecomers_join() -> None:
    """The joining window is a minute longer than announced."""
    from contest.domain.run.schedule import Schedule

    original = Schedule.join_until.fget  # type: ignore[attr-defined]  # a property has one
    put_in(Schedule, "join_until", property(lambda self: original(self) + _MINUTE))


def forget_a_team() -> None:
    """The record leaves the last team out."""
    from contest.services.run import records

    original = records.taking_part
    put_in(records, "taking_part", lambda *words: original(*words)[:-1])


def excuse_the_late() -> None:
    """A file that nobody asked for in time is the platform's fault, so that it counts against nobody."""
    from contest.domain.run import fate
    from contest.domain.session.delivery import Cause

    original = fate._cause

    def cause(*words: Any) -> Any:
        found, evidence = original(*words)
        return (Cause.PLATFORM if found is Cause.TEAM_LATE else found), evidence

    put_in(fate, "_cause", cause)


def swap_the_texts() -> None:
    """One team gets its files with each other's texts."""
    from contest.services.session.dialogues import Work

    original = Work.shown

    def shown(self: Any) -> Any:
        found = original(self)
        return {**found, "text": f"{found['text']} "} if self.session.team_id == _FAVOURED else found

    put_in(Work, "shown", shown)


def show_results_early() -> None:
    """A team sees its scores and the experts' markups before the results are published."""
    from contest.services.results import one_file

    put_in(one_file, "_is_published", lambda *_: True)


def show_the_wrong_expert() -> None:
    """From the third file on the first expert's markup stands in the place of the second one's."""
    from contest.services import reading

    original = reading.references
    seen: set[Any] = set()

    def references(platform: Any, session: Any, item: Any) -> Any:
        found = original(platform, session, item)
        seen.add(found[0]["text"])
        return [found[0]] * len(found) if len(seen) > 2 else found

    put_in(reading, "references", references)


BUGS: Final = by_name(
    favour_one_team,
    score_against_others_markups,
    show_others_sessions,
    open_staffs_doors,
    let_latecomers_join,
    forget_a_team,
    excuse_the_late,
    swap_the_texts,
    show_results_early,
    show_the_wrong_expert,
)
