"""The check of the experts' markups: nobody gets anything of them before the results are out; then each team does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from local.rehearsal.history import Call
from local.rehearsal.proof.case import Case, Check

Json = Any
OWN_EARLY, OWN_SHOWN = "own_early", "own_shown"
_OPEN: Final = "train-"
"""How marks begin of what everybody may see."""
_DONE: Final = 200
_TOO_MANY: Final = 429


def kept(case: Case) -> Check:
    """Every expert's comment has a mark of its own, which is searched for in all that anybody receives: before the
    publication there is none of the final or the reserve, and no score of one's own file; afterwards a team sees beside
    each answer of its own, by its receipts, the marks of that very file's experts (R 7.11)."""
    check = Check("markups_kept")
    published_at = case.facts.answers["published_at"]
    for call in case.story.calls:
        secret = [mark for mark in call.marks if not mark.startswith(_OPEN)]
        if call.n <= published_at:
            check.look(f"{_where(call)}: tells of the markups {', '.join(secret)}" if secret else None)
    early = _of(case, OWN_EARLY)
    for call in early:
        told = call.status == _DONE
        check.look(f"{_where(call)}: {call.path} is answered {call.status} before the publication" if told else None)
    looks = [call for call in case.story.calls if call.what == OWN_SHOWN]
    if early and (not looks or any(_was_taken(case, call) for call in looks)):
        shown = any(call.status == _DONE for call in looks)
        check.look(None if shown else "nobody was shown its own comparison after the publication")
    for call in _of(case, OWN_SHOWN):
        if call.status == _DONE:
            check.look(*_shown_otherwise(case, call))
        elif _was_taken(case, call):
            check.look(f"{_where(call)}: {call.path} is answered {call.status} after the publication")
    return check


def _of(case: Case, name: str) -> Sequence[Call]:
    return [call for call in case.story.calls if call.what == name and not call.failed and call.status != _TOO_MANY]


def _was_taken(case: Case, call: Call) -> bool:
    """Whether a team was told that its answer of a file is accepted."""
    told = case.receipts_told(call.team)
    return any(said["number"] == call.number and said["status"] == "accepted" for said in told)


def _shown_otherwise(case: Case, call: Call) -> Iterator[str]:
    """What is wrong with the markups that a team is shown beside its answer."""
    place = (call.team, "file", call.number)
    handed = (each for each in case.story.calls if (each.team, each.what, each.number) == place)
    text = next((text for each in handed for text in each.texts), None)
    if text is None:
        return
    item_id = str(case.story.own[text - 1]["item"]["meta"]["id"])
    experts = len(case.story.own[text - 1]["experts"])
    wanted = {f"{item_id}-{number}" for number in range(1, experts + 1)}
    if set(call.marks) != wanted:
        yield f"{_where(call)}: file {call.number} is shown with the markups {sorted(call.marks)}, not {sorted(wanted)}"


def _where(call: Call) -> str:
    return f"{call.team}, call {call.n}"
