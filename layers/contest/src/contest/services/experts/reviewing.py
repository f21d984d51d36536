"""Stage 2 as a clinician works in it: the round, the work turn by turn, the answers saved by themselves (D 9.10.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contest.domain.experts.refusals import NoRoundError, ReviewChangedError, RoundOverError
from contest.domain.experts.replay import Replay, Review
from contest.domain.moments import Millis
from contest.errors import InvalidRequestError
from contest.services import reading
from contest.services.experts import replaying
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from tracks.rules import ReplayRules


@dataclass(frozen=True, slots=True)
class Seen:
    """A person's round: under which names it works, and what of the program's work it has been shown."""

    of: Replay
    rules: ReplayRules
    system: str
    person: str
    parts: tuple[Any, ...]
    """What was shown so far."""
    total: int
    review: Review

    @property
    def until(self) -> Millis:
        """The last moment for the review."""
        return self.of.until


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says of a program's work, on top of the revision that it has seen."""

    revision: int
    answers: Mapping[str, bool]
    comment: str
    round: int | None = None
    """Which round it is about; None: the present one."""


def look(platform: Platform, person_id: str) -> Seen:
    """The present round of a person; :class:`NoRoundError` where none was opened, or none of its concern.

    Clause: TS D-10, D 9.10.8.3
    """
    found = _round_of(platform, person_id)
    run = reading.run_now(platform, found.run_id)
    track = replaying.replayed_by(platform, run)
    seen = found.team_of(track.rotation(len(found.numbers))[found.round - 1], person_id)
    if seen is None:
        raise NoRoundError
    team_id, system = seen
    number = found.numbers[found.round - 1]
    item, turns = replaying.work_of(platform, run, team_id, number)
    parameters = reading.parameters(platform, run.parameters_version).track
    file_id = f"{found.round:02d}"
    parts = track.replayed(item, file_id, turns, parameters)
    known = platform.replays.review(found.run_id, found.round, person_id)
    review = known or Review(found.run_id, found.round, person_id)
    names = dict(found.people)
    shown = tuple(parts[: review.shown])
    return Seen(found, track.replay_rules(), system, names[person_id], shown, len(parts), review)


def _round_of(platform: Platform, person_id: str) -> Replay:
    known = platform.replays.all(reading.recent_cycle(platform).name)
    own = [each for each in known if each.round and each.results is None and person_id in dict(each.people)]
    if not own:
        raise NoRoundError
    return max(own, key=lambda each: each.opened[-1])


def show_next(platform: Platform, person_id: str, arrival: Millis) -> Seen:
    """Show the next part of the program's work; at its end nothing changes.

    Clause: TS D-10, D 9.10.8.3
    """

    def shown(before: Seen) -> Seen:
        _refuse_late(before, arrival)
        if before.review.shown < before.total:
            review = before.review
            platform.replays.save(replace(review, shown=review.shown + 1, version=review.version + 1))
        return look(platform, person_id)

    return decide_until_written(look(platform, person_id), shown, lambda: look(platform, person_id))


def save(platform: Platform, person_id: str, said: Said, arrival: Millis) -> Seen:
    """Keep answers and comment, whole or not, in the place of those before. The same ones once more change nothing.

    What is said of another round than the present one never becomes a review of this one, however late it comes.

    Clause: TS D-10, D 9.10.8.7, D 9.11
    """

    def saved(before: Seen) -> Seen:
        _refuse_other(before.of, said.round)
        _refuse_late(before, arrival)
        _refuse_unknown(before.rules, said.answers)
        review = before.review
        if (dict(review.answers), review.comment) == (dict(said.answers), said.comment) and review.version:
            return before
        if said.revision != review.version:
            raise ReviewChangedError.now(review.version)
        after = replace(review, answers=dict(said.answers), comment=said.comment, saved_at=arrival)
        platform.replays.save(replace(after, version=review.version + 1))
        return look(platform, person_id)

    return decide_until_written(look(platform, person_id), saved, lambda: look(platform, person_id))


def _refuse_late(seen: Seen, arrival: Millis) -> None:
    if arrival > seen.until:
        raise RoundOverError.since(seen.until)


def _refuse_other(of: Replay, meant: int | None) -> None:
    if meant is None or meant == of.round:
        return
    if meant > of.round:
        raise NoRoundError
    raise RoundOverError.since(of.opened[meant - 1] + of.limit)


def _refuse_unknown(rules: ReplayRules, answers: Mapping[str, bool]) -> None:
    keys = [key for key, _ in rules.questions]
    unknown: Sequence[str] = sorted(set(answers) - set(keys))
    if unknown:
        names = ", ".join(keys)
        said = {"message": f"the questions are: {names}", "message_ru": f"вопросы: {names}"}
        raise InvalidRequestError([{"code": "unknown_question", **said, "field": f"body.answers.{unknown[0]}"}])
