"""Checks of experts at work: independent markups, a third one where the rule asks, results by the final markups.

Each saved draft has a mark of its own, so requests tell which markup is whose. An assignment's markup is its last
valid draft, also where its time ran out (platform §5, Decision "at the limit the last valid autosave"). All that the
platform answers is held against that, and against the library's scores by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.history import MARK, QUALIFYING, Call
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, look_as_meant, parameters_of, tries
from rehearsal.proof.checks_archive import fragments
from tracks import registry

Json = Any
_STEPS: Final = ("", "_staff", "_given", "_opened", "_saved", "_handed_in", "_back", "_file", "_answer")
_OUTCOMES: Final = ("markups", "published", "report", "shown", "board")
_DRAFT: Final = "draft-"
"""How the marks of drafts begin."""
_INDEPENDENT: Final = 2


@dataclass(frozen=True, slots=True)
class Brought:
    """An expert's markup of an essay: the draft that counts as it."""

    assignment: str
    who: str
    text: str
    markup: Mapping[str, Json]
    is_third: bool

    @property
    def mark(self) -> str:
        """Return the mark in each of its comments."""
        return str(self.markup["selections"][0]["comment"]).removeprefix(MARK)


@tries("experts", 92, fault="qualifying", stages=ESSAYS_ALONE)
def experts_apart(check: Check, case: Case) -> None:
    """Check that experts are independent. Two experts mark each essay up and see nothing of each other's; a third
    expert, and nobody else, is called where the rule says so of the two, and is shown both; nobody changes a markup
    that is handed in; teams see the markups of their files, and only when the results are out (R 7.10, 7.11; platform
    §5)."""
    look_as_meant(check, case, *(f"experts{step}" for step in _STEPS))
    if not check.examined:
        return
    brought = _brought(case)
    for text in sorted({_text(call) for call in _of(case, "file")}):
        check.look(*_called_otherwise(case, text, [markup for markup in brought if markup.text == text]))
    shown_calls = _of(case, "shown")
    for call in case.story.calls:
        marks = {mark for mark in call.marks if mark.startswith(_DRAFT)}
        if call in shown_calls:
            files = (handed for handed in _of(case, "file") if (handed.team, handed.number) == (call.team, call.number))
            mine = next(map(_text, files), None)
            due = {markup.mark for markup in brought if markup.text == mine}
            check.that(marks == due, f"{call.where}: shows the drafts {sorted(marks)}, not {sorted(due)}")
        elif marks and call.what != f"{QUALIFYING}experts_markups":
            strange = sorted(marks - _may_see(case, brought, call))
            check.that(not strange, f"{call.where}: is shown the drafts {', '.join(strange)}")
    for opened in (call for call in _of(case, "opened") if call.said["assignment"]["third"]):
        both = {markup.mark for markup in _independent(brought, _text(opened))}
        problem = f"{opened.where}: the third expert is shown the drafts {sorted(opened.marks)}, not {sorted(both)}"
        check.that(set(opened.marks) == both, problem)


@tries("experts", 15, fault="qualifying", stages=ESSAYS_ALONE)
def experts_counted(check: Check, case: Case) -> None:
    """Check that the experts' markups, each once, are those that the coordinator sees and the archive has, and that
    its verifier makes the public board of these and of the acknowledged answers (R 7.10, 7.14)."""
    look_as_meant(check, case, *(f"experts_{step}" for step in _OUTCOMES))
    if not check.examined:
        return
    brought, answers = _brought(case), case.facts.answers
    for call in _of(case, "markups"):
        texts = {str(file["name"]): str(file["text"]) for file in call.said["files"]}
        check.look(*(f"{call.where}: tells {fault}" for fault in _markups_otherwise(brought, texts)))
    archive = answers.get("experts_archive", {})
    texts = {name: content["text"] for name, content in archive.items() if name.endswith(".json")}
    check.look(*(f"the archive has {fault}" for fault in _markups_otherwise(brought, texts)))
    verified = answers.get("experts_archive_verified", {})
    teams = {call.team for call in _of(case, "report")}
    right = verified.get("faults") == [] and verified.get("rows") == len(teams)
    check.that(right, f"the archive is refused by who verifies it: {verified}")
    archived = json.loads(archive.get("board.json", {"text": "{}"})["text"]).get("rows", ())
    results = {row["team_id"]: row["result"] for row in archived}
    for call in _of(case, "report"):
        same = call.said.get("result") == results.get(call.team)
        check.that(same, f"{call.where}: the report has another result than the archive's board")
    for call in _of(case, "board"):
        same = {row["team_id"]: row["result"] for row in call.said.get("rows", ())} == results
        check.that(same, f"{call.where}: the board shows other results than the archive's")


def _of(case: Case, name: str) -> Sequence[Call]:
    """Return the calls of a name that were answered."""
    what = f"{QUALIFYING}experts_{name}"
    return [call for call in case.story.calls if call.what == what and call.status == 200]


def _text(call: Call) -> str:
    return str(call.said["content"]["text"])


def _brought(case: Case) -> Sequence[Brought]:
    """Return the experts' markups, in the order in which the essays were given to them, the third expert's last."""
    back = {call.means["assignment"] for call in _of(case, "back")}
    order = _given(case)
    markups = []
    for opened in _of(case, "opened"):
        assignment = str(opened.means["assignment"])
        saved = [call for call in _of(case, "saved") if call.means["assignment"] == assignment and call.means["valid"]]
        if saved and assignment not in back:
            third = (opened.team, _text(opened)) not in order
            markups.append(Brought(assignment, opened.team, _text(opened), saved[-1].means["markup"], third))
    return sorted(markups, key=lambda markup: order.get((markup.who, markup.text), len(order)))


def _given(case: Case) -> Mapping[tuple[str, str], int]:
    """Return in which place each expert was given an essay by the coordinator, by the expert's name and the text."""
    names = {member["person_id"]: member["email"] for call in _of(case, "staff") for member in call.said["staff"]}
    texts = {own["item"]["meta"]["id"]: str(own["item"]["text"]) for own in case.story.own}
    order: list[tuple[str, str]] = []
    for call in _of(case, "given"):
        for item_id, people in call.said["given"].items():
            order += [(names[person_id], texts[item_id]) for person_id in people]
    return {pair: place for place, pair in enumerate(order)}


def _independent(brought: Sequence[Brought], text: str) -> Sequence[Brought]:
    return [markup for markup in brought if markup.text == text and not markup.is_third]


def _called_otherwise(case: Case, text: str, brought: Sequence[Brought]) -> Iterator[str]:
    """Yield the fault of an essay's annotators: they are two experts, and a third exactly where their markups differ so
    much that the rule calls one, all of them different people."""
    two, thirds = _independent(brought, text), [markup for markup in brought if markup.is_third]
    item = {own["item"]["text"]: own["item"] for own in case.story.own}[text]  # as the rehearsal wrote it
    where = item["meta"]["id"]
    if len(two) != _INDEPENDENT or len({markup.who for markup in brought}) != len(brought):
        yield f"{where}: is marked up by {', '.join(markup.who for markup in brought) or 'nobody'}"
        return
    track: Any = registry.get("essay")
    rules = parameters_of(case.facts)["track"]
    needed = bool(track.third_expert(item, two[0].markup, two[1].markup, rules))
    if len(thirds) != needed:
        yield f"{where}: {len(thirds)} third experts have marked it up, by the rule {int(needed)}"


def _may_see(case: Case, brought: Sequence[Brought], call: Call) -> set[str]:
    """Return the marks of drafts that may be in an answer to somebody: one's own, and a third expert's two."""
    saved = [saving for saving in case.story.calls if saving.team == call.team and "markup" in saving.means]
    own = {str(fragment.get("comment", "")) for draft in saved for fragment in draft.means["markup"]["selections"]}
    thirds = {_text(one) for one in _of(case, "opened") if one.team == call.team and one.said["assignment"]["third"]}
    both = {markup.mark for text in thirds for markup in _independent(brought, text)}
    return {mark.removeprefix(MARK) for mark in own} | both


def _markups_otherwise(brought: Sequence[Brought], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the markups in a folder of documents, beside their items, that differ from those that experts have
    submitted."""
    documents = {name: json.loads(text) for name, text in texts.items()}
    is_markup = {name: "_exp" in name or name.startswith("experts/") for name in documents}
    items = {
        document.get("text"): name
        for name, document in documents.items()
        if not (is_markup[name] or "markups/" in name)
    }
    for text in sorted({markup.text for markup in brought}):
        due = sorted(fragments(markup.markup) for markup in brought if markup.text == text)
        item = items.get(text, "").removeprefix("essays/").removesuffix(".json")
        names = [name for name in documents if is_markup[name] and item in re.split("_exp|/", name)]
        if sorted(fragments(documents[name]) for name in names) != due:
            yield f"{len(names)} markups of {item}, {len(due)} were brought, or others"
