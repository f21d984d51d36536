"""Bugs to be planted that mutants had shown to be overlooked: in counting requests, in what stays as it was, in what
organizers may decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_LATER: Final = 61_000


def spare_the_late() -> None:
    """An answer to a file that is over is taken whatever the rate is."""
    from contest.domain.session import limits

    original = limits.may_exceed_rate

    def may_exceed_rate(delivery: Any, bodies: Any, arrival: int, **most: Any) -> Any:
        return original(delivery, bodies, arrival if delivery is None else min(arrival, delivery.answer_by), **most)

    put_in(limits, "may_exceed_rate", may_exceed_rate)


def forget_who_was_spared() -> None:
    """An answer that is never refused for the rate does not count for it, either."""
    from contest.services.session import access

    put_in(access, "leave", lambda _platform, _admitted: None)


def count_repeats_twice() -> None:
    """The same answer once more counts as two, so that others are refused for the rate."""
    from contest.adapters.deliveries import DynamoDeliveries

    original = DynamoDeliveries.count_repeated

    def count_repeated(self: DynamoDeliveries, *file: Any) -> None:
        original(self, *file)
        original(self, *file)

    put_in(DynamoDeliveries, "count_repeated", count_repeated)


def date_openings_forward() -> None:
    """A session of one's own is stored as if it had been opened a minute later."""
    from contest.adapters.sessions import DynamoSessions

    original = DynamoSessions.open

    def opened(self: DynamoSessions, session: Any, *words: Any, **named: Any) -> None:
        original(self, replace(session, opened_at=session.opened_at + _LATER), *words, **named)

    put_in(DynamoSessions, "open", opened)


def keep_back_the_last_places() -> None:
    """A board's history ends before its last change."""
    from contest.adapters.boards import DynamoBoards

    original = DynamoBoards.points

    def points(self: DynamoBoards, *board: Any) -> Any:
        return original(self, *board)[:-1]

    put_in(DynamoBoards, "points", points)


def replace_any_number() -> None:
    """However many items of a run were replaced, another one may be (D 8.12)."""
    from contest.domain.run import amending
    from contest.domain.run.run import Kind

    original = amending._replace

    def replaced(schedule: Any, *words: Any) -> Any:
        return original(replace(schedule, run=replace(schedule.run, most_replaced=1_000)), *words)

    put_in(amending, "_EFFECTS", {**amending._EFFECTS, Kind.REPLACE: replaced})


def take_back_what_holds() -> None:
    """A pause that holds already is taken back, as if there had been none."""
    from contest.domain.run import amending

    put_in(amending, "BELIEVED", -_LATER)


def compare_for_one_team() -> None:
    """Once the results are out, the first team alone is shown its comparisons with the experts."""
    from contest.errors import ComparisonNotAllowedError
    from contest.services.results import one_file

    original = one_file.comparison

    def comparison(platform: Any, request: Any, *named: Any) -> Any:
        if request.identity.team_id not in {"", "team-001"}:
            raise ComparisonNotAllowedError
        return original(platform, request, *named)

    put_in(one_file, "comparison", comparison)


BUGS: Final = by_name(
    spare_the_late,
    forget_who_was_spared,
    count_repeats_twice,
    date_openings_forward,
    keep_back_the_last_places,
    replace_any_number,
    take_back_what_holds,
    compare_for_one_team,
)
