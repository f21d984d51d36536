"""Markups become references: what experts have brought, signed by their pseudonyms (R 7.10, 7.14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contest.domain.canonical import canonical
from contest.domain.experts.assignment import Assignment
from contest.domain.experts.marking import EssayWork, markups
from contest.domain.experts.progress import progress
from contest.refusals import RefusedError
from contest.services.experts import looking
from contest.services.experts.looking import Bench
from contest.services.platform import Platform


def of_run(platform: Platform, run_id: str) -> Mapping[str, Sequence[bytes]] | None:
    """The canonical references of every file of a run, by item: two, or three where a third expert was called.

    None where the run's files were not given to experts here. :class:`RefusedError` names the essays that are not done.

    Clause: R 7.10
    """
    if platform.experts.marking(run_id) is None:
        return None
    at, essays = looking.bench(platform, run_id), platform.experts.essays(run_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    _refuse_unless_done(at, essays, given)
    pseudonyms = {each.expert_id: each.pseudonym for each in platform.experts.all()}
    return {
        essay.item_id: [
            canonical(_reference(platform, at, essay, each, pseudonyms[each.expert_id]))
            for each in markups(given[essay.item_id])
        ]
        for essay in essays
    }


def _refuse_unless_done(at: Bench, essays: Sequence[EssayWork], given: Mapping[str, Sequence[Assignment]]) -> None:
    """Every file of the run was given out, and every markup that is wanted is there."""
    waiting = [each.essay.item_id for each in progress(essays, given).essays if not each.is_done]
    lacking = at.marking.essays - len(essays) + len(waiting)
    if lacking:
        named = f", first {waiting[0]}" if waiting else ""
        named_ru = f", первое {waiting[0]}" if waiting else ""
        raise RefusedError(
            "experts_not_done",
            f"the experts have not finished {lacking} essays{named}",
            f"эксперты не закончили эссе: {lacking}{named_ru}",
            essays=waiting,
            lacking=lacking,
        )


def _reference(platform: Platform, at: Bench, essay: EssayWork, found: Assignment, pseudonym: str) -> Any:
    item = looking.item(platform, at, essay)
    markup = looking.markup(platform, at, essay, found)
    return at.experts.reference(item, markup, pseudonym, is_third=found.is_third)


def handed_in(platform: Platform, marking_id: str, after: str = "") -> Iterator[list[tuple[str, bytes]]]:
    """What experts have handed in of a body of work, as the files of a set, of each item behind ``after`` that somebody
    has finished: its own, then its references, numbered in their order; canonical JSON by names. O(items).

    Clause: TS G-7
    """
    at, essays = looking.bench(platform, marking_id), platform.experts.essays(marking_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    pseudonyms = {each.expert_id: each.pseudonym for each in platform.experts.all()}
    for essay in sorted(essays, key=lambda each: each.item_id):
        done = markups(given[essay.item_id])
        if done and essay.item_id > after:
            made = [_reference(platform, at, essay, each, pseudonyms[each.expert_id]) for each in done]
            own = (f"{essay.item_id}.json", canonical(looking.item(platform, at, essay)))
            named = ((f"{essay.item_id}_exp{number:02d}.json", canonical(each)) for number, each in enumerate(made, 1))
            yield [own, *named]
