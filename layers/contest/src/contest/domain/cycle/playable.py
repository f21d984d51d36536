"""Which contests the platform can play: what it keeps of what a contest's sessions need, and what it does not.

Whatever it cannot keep is refused when a cycle is loaded, before anybody has a receipt for an answer that nobody
would ever score. Contests say themselves what they need (:func:`tracks.protocol.needs`); none is known here by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from contest.domain.cycle.cycle import Mode
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile
from tracks.protocol import Need, Reason, Text, Track, needs

KEPT: Final = frozenset({Need.MISSED_WRONG, Need.SEVERAL_STEPS, Need.STEP_LIMITS, Need.OWN_SESSIONS})
"""The needs beyond the usual that the platform can keep."""
_PROMISES: Final[Mapping[str, type]] = {"answers": AnsweredInOneFile, "program": AnsweredByProgram}
"""What a track promises beside its own that takes submissions of a kind."""
_IN_WORDS: Final[Mapping[Need, Text]] = {
    Need.MISSED_WRONG: Text("a missed item counts as wrong", "пропущенное задание считается ошибкой"),
    Need.QUOTA_SCORED: Text("only scored sessions use up the quota", "квоту расходуют только оценённые сессии"),
    Need.SEVERAL_STEPS: Text("an item is answered in several steps", "ответ на задание даётся в несколько шагов"),
    Need.STEP_LIMITS: Text("a step has a time limit of its own", "у шага свой предел времени"),
    Need.OWN_SESSIONS: Text(
        "sessions have their own numbers, rhythm and time of scoring",
        "у сессий свои объёмы, ритм и время оценивания",
    ),
    Need.SUBMISSIONS: Text("a whole set is answered by one submission", "на всю выборку отвечают одним решением"),
}


def unkept(track: Track, parameters: Any) -> Iterator[Reason]:
    """What sessions of a cycle with these parameters of the track need and the platform cannot keep, need by need.

    ``parameters`` are the track's, completed by it; None where they are not usable, and nothing is known of the steps.

    Clause: TS T1
    """
    steps = () if parameters is None else track.steps(parameters)
    modes = {*(each.value for each in Mode), *(each.name for each in track.modes())}
    asked = frozenset[Need]().union(*(needs(track.policies(mode), steps) for mode in modes))
    for need in sorted(asked - KEPT - _of_submissions(track), key=list(Need).index):
        said = _IN_WORDS[need]
        en = f"the platform cannot play the track {track.name}: it does not keep {need.value} ({said.en})"
        ru = f"платформа не может провести конкурс {track.name}: она не соблюдает {need.value} ({said.ru})"
        yield Reason("track_not_playable", Text(en, ru), {"field": "track", "policy": need.value})


def _of_submissions(track: Track) -> frozenset[Need]:
    """What the platform keeps beyond of a track that says how its submissions are read.

    That only the scored ones use up the quota it keeps of submissions, and not of sessions: a contest without sessions
    may ask for it.

    Clause: TS T1, TS T13
    """
    kinds = [each.submitted for each in track.modes()]
    if not any(kinds) or not all(isinstance(track, _PROMISES[each]) for each in kinds if each):
        return frozenset()
    return frozenset({Need.SUBMISSIONS, *([Need.QUOTA_SCORED] if all(kinds) else [])})
