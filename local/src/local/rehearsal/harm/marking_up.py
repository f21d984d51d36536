"""Bugs of experts' work to be planted: thirds that nobody calls, markups that change, are seen or counted wrongly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def call_no_third_expert() -> None:
    """The rule finds no two markups different enough for a third expert."""
    from contest.services.experts import third

    original = third._decision

    def decision(*words: Any) -> Any:
        found = original(*words)
        return found and replace(found, reasons=())

    put_in(third, "_decision", decision)


def change_what_is_handed_in() -> None:
    """A draft that is saved after the handing in becomes the markup."""
    from contest.domain.experts import assignment

    original = assignment._refuse_not_open

    def refuse_not_open(found: Any) -> None:
        if found.state is not assignment.AssignmentState.HANDED_IN:
            original(found)

    put_in(assignment, "_refuse_not_open", refuse_not_open)


def show_anothers_assignment() -> None:
    """Nobody looks whose assignment it is that an expert asks for."""
    from contest.services.experts import looking

    original = looking.stored

    def stored(platform: Any, expert_id: str, assignment_id: str) -> Any:
        for marking in platform.experts.markings():
            for essay in platform.experts.essays(marking.marking_id):
                for owner, name in essay.given:
                    if name == assignment_id:
                        return original(platform, owner, assignment_id)
        return original(platform, expert_id, assignment_id)

    put_in(looking, "stored", stored)


def count_the_first_draft() -> None:
    """The first valid draft of an assignment is the markup, whatever is saved and handed in later."""
    from contest.domain.experts import assignment

    original = assignment.saved

    def saved(found: Any, draft: Any) -> Any:
        after = original(found, draft)
        return after if found.latest_valid is None else replace(after, latest_valid=found.latest_valid)

    put_in(assignment, "saved", saved)


def count_one_expert_twice() -> None:
    """Of each essay the first expert's markup stands for the second one's too."""
    from contest.services.experts import references

    original = references.of_run

    def of_run(*words: Any) -> Any:
        found = original(*words)
        return found and {item: [each[0], each[0], *each[2:]] for item, each in found.items()}

    put_in(references, "of_run", of_run)


BUGS: Final = by_name(
    call_no_third_expert,
    change_what_is_handed_in,
    show_anothers_assignment,
    count_the_first_draft,
    count_one_expert_twice,
)
