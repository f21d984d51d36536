"""Checks of dialogues over items: what a study brings is told once it is asked for, signed, and never lost again, and
each is asked for as often as its program asked (tracks-sessions T3, D-8).

The responses are made anew by the contest's own library, from the items that the rehearsal wrote and the turns that it
had receipts for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from local.rehearsal.history import Call
from local.rehearsal.moments import from_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_results import parameters_of
from local.rehearsal.proof.kinds import KINDS
from local.rehearsal.proof.oracle import Life
from markup_core.receipt import canonical_bytes, sha256_hex
from tracks import registry
from tracks.protocol import Turn

Json = Any


def accepted(case: Case, team: str, number: int) -> list[Mapping[str, Json]]:
    """The accepted turns of a dialogue by their receipts, each once, in the order of their sends."""
    found = {
        int(said["send"]): said
        for said in case.receipts_told(team)
        if said["number"] == number and said["status"] == "accepted"
    }
    return [found[send] for send in sorted(found)]


def dialogue(case: Case, team: str, number: int) -> list[Json] | None:
    """A team's turns over a file as the library takes them; None where it said nothing that counts."""
    handed = case.lives[team, number].handed_out()
    since = from_text(handed.said["handed_out_at"]) if handed is not None else 0
    steps = KINDS[case.story.header["stage"]].steps
    turns = []
    for place, said in enumerate(accepted(case, team, number)):
        name = f"answers/{case.sessions[team]}/{number}/{said['content_sha256']}.json"
        _, text = case.facts.objects[name]
        after = max(0, from_text(said["received_at"]) - since)
        step = steps[min(place, 1)]
        turns.append({"step": step, "kind": said["kind"], "answer": json.loads(text or "null"), "after_ms": after})
    return turns or None


def responses_kept(case: Case) -> Check:
    """Whatever a file's turns brought is in every later answer about it, as the library makes it of the item; and each
    receipt signs it."""
    check = Check("responses_kept")
    track = registry.get(KINDS[case.story.header["stage"]].track)
    rules = parameters_of(case)["track"]
    own = {each["number"]: each["item"] for each in case.story.own}
    for (team, number), life in case.lives.items():
        handed = next((call for call in life.asks if call.status == 200 and call.texts), None)
        if handed is None:
            continue
        turns = [Turn(**each) for each in dialogue(case, team, number) or ()]
        item = own[handed.texts[0]]
        made = [track.respond(item, turns[: place + 1], rules) for place in range(len(turns))]
        check.look(*_unsigned(case, life, made))
        for call in _standing(life):
            check.look(_other_turns(life, call, turns, made))
    return check


def _unsigned(case: Case, life: Life, made: Sequence[Json]) -> Iterator[str]:
    for said, response in zip(accepted(case, life.team, life.number), made, strict=True):
        digest = None if response is None else sha256_hex(canonical_bytes(response))
        if said["response_sha256"] != digest:
            yield f"{life.where}: the receipt of send {said['send']} signs another response than the library makes"


def _standing(life: Life) -> Iterator[Call]:
    """Answers that tell how the dialogue stands: to a turn, and to the file asked for again."""
    yield from (call for call in (*life.asks, *life.sends) if call.status == 200 and call.said.get("dialogue"))


def _other_turns(life: Life, call: Call, turns: Sequence[Turn], made: Sequence[Json]) -> str | None:
    """What is wrong with the turns that an answer tells: they are the first of those with receipts, with all that they
    brought, and the one that was just sent is among them."""
    told = call.said["dialogue"]["turns"]
    expected = [(each.step, each.kind, response) for each, response in zip(turns, made, strict=True)]
    if [(each["step"], each["kind"], each["response"]) for each in told] != expected[: len(told)]:
        return f"{life.where}, call {call.n}: the dialogue is told with other turns or responses than it had"
    receipt = call.said.get("receipt", {})
    if receipt.get("status") == "accepted" and receipt["send"] not in {each["send"] for each in told}:
        return f"{life.where}, call {call.n}: the turn that was just taken is not told of"
    return None
