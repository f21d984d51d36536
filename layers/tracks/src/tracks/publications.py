"""What of an item's dialogue is handed out when: its publications, and where a dialogue stands (tracks-sessions T2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracks.protocol import Step, step_after


def publications(steps: Sequence[Step]) -> tuple[str, ...]:
    """The steps at which something of an item is handed out: the first one, and every other that is scheduled.

    Clause: TS T2
    """
    return tuple(each.name for place, each in enumerate(steps) if place == 0 or each.scheduled)


def is_dialogue(steps: Sequence[Step], publication: str) -> bool:
    """Whether an answer at this publication may lead to another one before the next publication.

    Then every valid answer is a turn, and final. Where it is one answer, a later one replaces it while there is time.

    Clause: TS T2
    """
    by_name = {each.name: each for each in steps}
    after = (by_name[name] for name in by_name[publication].answers.values() if name is not None)
    return any(not each.scheduled for each in after)


def dialogue_steps(steps: Sequence[Step], publication: str) -> tuple[str, ...]:
    """The steps that answers at this publication may lead to before the next publication, itself first."""
    by_name, later = {each.name: each for each in steps}, publications(steps)
    found: dict[str, None] = {}
    ahead = [publication]
    while ahead:
        step = ahead.pop(0)
        found[step] = None
        ahead += [each for each in by_name[step].answers.values() if each and each not in found and each not in later]
    return tuple(found)


def step_now(steps: Sequence[Step], publication: str, kinds: Iterable[str]) -> str | None:
    """Where the dialogue of a publication stands after valid answers of these kinds; None at its end.

    Raises LookupError for kinds that the steps do not take.
    """
    scheduled = {each.name for each in steps if each.scheduled}
    step: str | None = publication
    for kind in kinds:
        if step is None:
            raise LookupError(f"the dialogue was over before an answer of the kind {kind!r}")
        step = step_after(steps, step, kind)
        if step in scheduled:
            step = None
    return step


def taken_at(steps: Sequence[Step], step: str | None) -> tuple[str, ...]:
    """The kinds of answers that a step takes; none at a dialogue's end."""
    return next((tuple(sorted(each.answers)) for each in steps if each.name == step), ())


def limit_of(steps: Sequence[Step], step: str | None) -> int | None:
    """Seconds that a step lasts from its beginning; None where it has no limit of its own."""
    return next((each.limit_s for each in steps if each.name == step), None)
