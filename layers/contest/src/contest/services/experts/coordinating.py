"""What the coordinator does with single assignments: more time, another expert, nobody for now (platform §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from contest.domain.experts import assignment as states
from contest.domain.experts.assignment import Assignment, AssignmentState, standing
from contest.domain.experts.expert import Expert
from contest.domain.experts.marking import EssayWork, wanted
from contest.domain.experts.refusals import EssaysNotCoveredError, UnknownExpertError
from contest.domain.experts.sharing_out import share_out
from contest.domain.moments import SECOND, Millis
from contest.domain.people.teams import Change
from contest.ports.experts import Written
from contest.refusals import RefusedError
from contest.services.experts import looking, third
from contest.services.experts.assigning import is_third_lacking
from contest.services.experts.work import described
from contest.services.platform import Platform
from contest.services.races import decide_until_written

LONGEST_EXTENSION_S: Final = 7 * 86_400


@dataclass(frozen=True, slots=True)
class _Known:
    """An assignment as it is now, with its essay and everything that was ever given of it."""

    found: Assignment
    essay: EssayWork
    given: tuple[Assignment, ...]
    now: Millis


def extend(platform: Platform, who: str, expert_id: str, assignment_id: str, seconds: int, reason: str) -> Assignment:
    """Give an expert more time, also when it has run out; then it runs again from now.

    What has run out with a markup on which a third expert was called stays as it is.

    Clause: platform §5 time
    """
    if not 1 <= seconds <= LONGEST_EXTENSION_S:
        raise RefusedError(
            "no_such_extension",
            f"an extension has 1…{LONGEST_EXTENSION_S} seconds",
            f"продление — от 1 до {LONGEST_EXTENSION_S} секунд",
        )

    def extended(known: _Known) -> tuple[Assignment, ...]:
        _refuse_third_called(known)
        return (states.extend(known.found, seconds * SECOND, reason, known.now),)

    return _decided(platform, who, "assignment extended", (expert_id, assignment_id), extended)[0]


def release(platform: Platform, who: str, expert_id: str, assignment_id: str, reason: str) -> Assignment:
    """Take an essay from an expert and give it to nobody yet; what was saved is kept."""

    def released(known: _Known) -> tuple[Assignment, ...]:
        _refuse_third_called(known)
        return (states.take_away(known.found, AssignmentState.RELEASED, reason, known.now),)

    return _decided(platform, who, "assignment released", (expert_id, assignment_id), released)[0]


def reassign(
    platform: Platform, who: str, expert_id: str, assignment_id: str, to: str | None, reason: str
) -> Assignment:
    """Give the essay to another expert, a named one or the best there is; what the first one saved is kept.

    Whoever has had the essay, shares a conflict group with those who mark it up, or is not competent, does not get it.

    Clause: platform §5 assignment
    """

    def reassigned(known: _Known) -> tuple[Assignment, ...]:
        _refuse_third_called(known)
        before = states.take_away(known.found, AssignmentState.REASSIGNED, reason, known.now)
        given = tuple(before if each.assignment_id == assignment_id else each for each in known.given)
        return (before, _successor(platform, known.essay, given, to, known.now))

    return _decided(platform, who, "assignment reassigned", (expert_id, assignment_id), reassigned)[1]


def _successor(
    platform: Platform, essay: EssayWork, given: Sequence[Assignment], to: str | None, now: Millis
) -> Assignment:
    want = wanted(essay, given)
    if want is None:
        raise RefusedError(
            "nobody_lacking",
            "the essay has all its experts; somebody else was given it already",
            "у эссе уже есть все эксперты: его передали раньше",
        )
    experts = _candidates(platform, to)
    shared = share_out([replace(want, experts=1)], experts, third.loads(platform, experts, essay.marking_id), 0)
    if shared.uncovered:
        raise EssaysNotCoveredError.naming(shared.uncovered)
    ((expert_id,),) = shared.experts.values()
    name, at = platform.randomness.assignment_id(), looking.bench(platform, essay.marking_id)
    return third.given_now(at, essay, expert_id, name, now, is_third=is_third_lacking(given))


def _candidates(platform: Platform, to: str | None) -> Sequence[Expert]:
    """All experts; of them only the named one gets anything, if one is named."""
    experts = platform.experts.all()
    if to is None:
        return experts
    if to not in {each.expert_id for each in experts}:
        raise UnknownExpertError
    return [each if each.expert_id == to else replace(each, active=False) for each in experts]


def _refuse_third_called(known: _Known) -> None:
    """A markup on which a third expert was called is one of the two that this expert is shown."""
    third_called = known.essay.third is not None and known.essay.third.is_needed
    if third_called and not known.found.is_third and known.found.markup is not None:
        raise RefusedError(
            "third_called",
            "a third expert was called on this markup; it stays as it is",
            "по этой разметке назначен третий эксперт; она остаётся как есть",
        )


def _decided(
    platform: Platform,
    who: str,
    what: str,
    name: tuple[str, str],
    decide: Callable[[_Known], tuple[Assignment, ...]],
) -> tuple[Assignment, ...]:
    """Decide about an assignment until it is written; the first result is the assignment, a second one is new."""

    def read() -> _Known:
        found, now = looking.stored(platform, *name), platform.clock.now()
        essay = looking.essay_of(platform, found)
        return _Known(standing(found, now), essay, looking.given(platform, essay, now), now)

    def written(known: _Known) -> tuple[Assignment, ...]:
        results = decide(known)
        changed = tuple(each for each in results if each is not known.found)
        if not changed:
            return results
        states_told = (described(known.found), {**described(results[-1]), "ended": described(results[0])})
        change = Change(known.now, who, what, name[1], states_told[0], states_told[1])
        platform.experts.write(Written(changed, _essays(known, results)), change)
        return results

    return decide_until_written(read(), written, read)


def _essays(known: _Known, results: Sequence[Assignment]) -> tuple[EssayWork, ...]:
    """The essay, where it has another expert now or a markup less, on which the rule may have to be asked anew."""
    added = results[1:]
    has_lost = known.found.markup is not None and results[0].markup is None
    lost_markup = has_lost and known.essay.has_rule and not known.found.is_third
    if not added and not lost_markup:
        return ()
    decision = None if lost_markup else known.essay.third
    return (known.essay.changed(added, third=decision, due=known.essay.due or lost_markup),)
