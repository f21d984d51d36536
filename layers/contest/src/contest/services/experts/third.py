"""The third expert: called by the rule when both markups of an essay are in, given by itself (R 7.10, platform §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contest.domain.experts.assignment import UNDER_WAY, Assignment
from contest.domain.experts.expert import Expert
from contest.domain.experts.marking import Decision, EssayWork, independent_markups, wanted
from contest.domain.experts.sharing_out import INDEPENDENT, share_out
from contest.domain.moments import SECOND, Millis
from contest.ports.experts import Written
from contest.services.experts import looking
from contest.services.experts.looking import Bench
from contest.services.platform import Platform
from contest.services.races import decide_until_written


def consider(platform: Platform, marking_id: str, item_id: str) -> bool:
    """Ask the rule about an essay whose markups have changed, and give it to a third expert where it says so.

    Nothing happens while fewer than two independent markups are there. A rule that was asked about the same two
    markups is not asked again. Where no third expert can be found, the reasons are kept and the coordinator sees that
    one is lacking. Whether anything was decided.

    Clause: R 7.10, platform §5 third
    """

    def read() -> EssayWork | None:
        return platform.experts.essay(marking_id, item_id)

    def decided(essay: EssayWork | None) -> bool:
        if essay is None or not essay.due:
            return False
        at = looking.bench(platform, marking_id)
        # As they are written: what has run out may still get a draft that arrived in time.
        given = platform.experts.assignments(essay.given)
        two = independent_markups(given)
        decision = _decision(platform, at, essay, two)
        added = _third(platform, at, replace(essay, third=decision), given)
        platform.experts.write(Written(added, (essay.changed(added, third=decision, due=False),), two), None)
        return True

    return decide_until_written(read(), decided, read)


def call(platform: Platform, marking_id: str, item_id: str) -> bool:
    """Give an essay the third expert that the rule has called and that it lacks; whether somebody has it now.

    Clause: R 7.10, platform §5 third
    """

    def read() -> EssayWork | None:
        return platform.experts.essay(marking_id, item_id)

    def called(essay: EssayWork | None) -> bool:
        if essay is None or essay.third is None or not essay.third.is_needed:
            return False
        given = platform.experts.assignments(essay.given)
        added = _third(platform, looking.bench(platform, marking_id), essay, given)
        if added:
            changed = essay.changed(added, third=essay.third, due=essay.due)
            platform.experts.write(Written(added, (changed,), independent_markups(given)), None)
        return bool(added)

    return decide_until_written(read(), called, read)


def given_now(
    at: Bench, essay: EssayWork, expert_id: str, assignment_id: str, now: Millis, *, is_third: bool
) -> Assignment:
    """A new assignment, with the time that the cycle gives for such an essay."""
    limit = at.parameters.experts.limit_of(essay.subject) * SECOND
    place = (essay.marking_id, essay.item_id, expert_id, essay.language, essay.subject)
    calibrates = essay.is_calibration
    return Assignment(
        assignment_id,
        *place,
        is_third,
        limit,
        now,
        is_calibration=calibrates,
        is_rating=essay.answer is not None,
        version=1,
    )


def loads(platform: Platform, experts: Sequence[Expert], marking_id: str) -> dict[str, int]:
    """How many essays each expert has: of this marking all that count, of others those that are still to be done."""
    return {
        each.expert_id: sum(
            found.state in UNDER_WAY or (found.marking_id == marking_id and found.counts)
            for found in platform.experts.given_to(each.expert_id)
            if not found.is_calibration
        )
        for each in experts
    }


def _decision(platform: Platform, at: Bench, essay: EssayWork, two: Sequence[Assignment]) -> Decision | None:
    if len(two) < INDEPENDENT:
        return None
    hashes = tuple(each.markup.content_sha256 for each in two if each.markup)
    if essay.third is not None and essay.third.markups == hashes:
        return essay.third
    first, second = (looking.markup(platform, at, essay, each) for each in two)
    item, rules = looking.item(platform, at, essay), at.parameters.track
    found = at.experts.third_expert(item, first, second, rules)
    reasons: list[dict[str, Any]] = [
        {"code": each.code, "message": each.message.en, "message_ru": each.message.ru} for each in found
    ]
    pair = at.experts.pair(item, first, second, rules)
    return Decision(platform.clock.now(), tuple(reasons), hashes, tuple(each.expert_id for each in two), pair)


def _third(platform: Platform, at: Bench, essay: EssayWork, given: Sequence[Assignment]) -> tuple[Assignment, ...]:
    """The third expert's assignment, if one is needed, lacking, and to be found."""
    want = wanted(essay, given) if essay.third is not None and essay.third.is_needed else None
    if want is None:
        return ()
    experts = platform.experts.all()
    able = [each for each in experts if each.may_mark(essay.language, essay.subject)]
    busy = loads(platform, able, essay.marking_id)
    shared = share_out([want], experts, busy, at.parameters.bootstrap_seed).experts
    now, name = platform.clock.now(), platform.randomness.assignment_id()
    return tuple(
        given_now(at, essay, expert_id, name, now, is_third=True) for expert_id in shared.get(essay.item_id, ())
    )
