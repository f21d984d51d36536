"""Stage 2: replay of programs' work, led by organizers and reviewed by clinicians.

Its leaders see the replayed runs, the lot, the rounds and the results (D 9.10.7, 9.10.8). A clinician sees the round,
reads the work turn by turn, and has the answers saved automatically (D 9.10.8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.errors import InvalidRequestError
from contest.experts.rules import assignment
from contest.experts.rules.assignment import Replay, Review
from contest.experts.rules.refusals import NoReplayError, NoRoundError, ReviewChangedError, RoundOverError
from contest.people.rules import Change, Role
from contest.platform import Platform, decide_until_written
from contest.refusals import RefusedError
from contest.run import recording
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.values import SECOND, Millis, iso
from tracks.capabilities import Replayed, Reviewed
from tracks.protocol import Turn
from tracks.rules import ReplayRules


@dataclass(frozen=True, slots=True)
class Chosen:
    """Work to replay: files of a run, one a round, the people, and the seed of the lot.

    ``teams`` None: all that took part. ``limit_s`` None: the contest's.
    """

    run_id: str
    numbers: tuple[int, ...]
    people: tuple[str, ...]
    seed: int
    teams: tuple[str, ...] | None = None
    limit_s: int | None = None


class Work(NamedTuple):
    """Work of a program in a round: its team, its name in the lot, and the parts that are shown of it."""

    system: tuple[str, str]
    parts: Sequence[Any]


def begin(platform: Platform, who: str, chosen: Chosen, reason: str) -> Replay:
    """Choose what is replayed and draw the lot; once, for all rounds.

    Clause: TS D-10, D 9.10.7, D 9.10.8.5, D 9.10.8.6
    """
    schedule = reading.schedule_now(platform, chosen.run_id)
    run, track = schedule.run, replayed_by(platform, schedule.run)
    rules = track.replay_rules()
    teams = chosen.teams or tuple(sorted({each.team_id for each in recording.taking_part(platform, run)}))
    _refuse_wrong(platform, schedule, rules, chosen, teams)
    systems, people = track.lot(teams, chosen.people, chosen.seed)
    now = platform.clock.now()
    made = Replay(
        run_id=run.run_id,
        cycle=run.cycle,
        numbers=chosen.numbers,
        seed=chosen.seed,
        systems=tuple(systems.items()),
        people=tuple(people.items()),
        limit=(chosen.limit_s or rules.limit_s) * SECOND,
        at=now,
    )
    change = Change(now, who, "replay begun", run.run_id, None, {**asdict(made), "reason": reason})

    def written(before: Replay | None) -> Replay:
        if before is not None:
            raise RefusedError(
                "lot_drawn", "the lot of this run is drawn, once for all rounds", "жеребьёвка уже проведена, она одна"
            )
        platform.replays.put(made, change)
        return made

    def known() -> Replay | None:
        return platform.replays.of_run(run.cycle, run.run_id)

    return decide_until_written(known(), written, known)


def replayed_by(platform: Platform, run: Run) -> Replayed:
    """Return the track of a run whose programs' work can be replayed."""
    track = platform.tracks(run.track)
    if not isinstance(track, Replayed):
        raise RefusedError(
            "nothing_to_replay",
            "this contest replays nobody's work",
            "в этом конкурсе нет воспроизведения работы программ",
        )
    return track


def _refuse_wrong(
    platform: Platform, schedule: Schedule, rules: ReplayRules, chosen: Chosen, teams: Sequence[str]
) -> None:
    run = schedule.run
    if run.mode is not Mode.FINAL or run.closed_at is None or schedule.stop is not None:
        raise RefusedError(
            "run_not_over", "the run is not over, or does not count", "прогон не окончен или не учитывается"
        )
    first, last = rules.fewest_rounds, rules.most_rounds
    known = set(range(1, schedule.total_files + 1)) - set(schedule.voided_for_all)
    numbers = set(chosen.numbers)
    if not first <= len(numbers) <= last or len(numbers) < len(chosen.numbers) or not numbers <= known:
        raise RefusedError(
            "wrong_items",
            f"{first} to {last} different files of the run are replayed, none of them annulled",
            f"воспроизводятся от {first} до {last} разных файлов прогона, не аннулированных",
            unknown=sorted(numbers - known),
        )
    if run.publications > 1 or not _is_of_turns(platform, run):
        raise RefusedError(
            "nothing_to_replay", "files of this run were answered at once", "файлы этого прогона отвечались без шагов"
        )
    absent = sorted(set(teams) - {each.team_id for each in recording.taking_part(platform, run)})
    if absent or not rules.fewest_programs <= len(set(teams)) == len(teams) <= rules.most_programs:
        raise RefusedError(
            "wrong_teams",
            f"{rules.fewest_programs} to {rules.most_programs} teams that took part have their work replayed",
            f"воспроизводится работа {rules.fewest_programs}–{rules.most_programs} команд, участвовавших в прогоне",
            absent=absent,
        )
    found = {each: platform.persons.person(each) for each in chosen.people}
    strange = sorted(
        name for name, each in found.items() if each is None or not each.is_active or each.role is not Role.CLINICIAN
    )
    if strange or len(found) != rules.people or len(chosen.people) != rules.people:
        raise RefusedError(
            "wrong_people",
            f"{rules.people} different clinicians take part",
            f"участвуют Клинические специалисты, разные, числом: {rules.people}",
            unknown=strange,
        )


def _is_of_turns(platform: Platform, run: Run) -> bool:
    session = next(iter(recording.taking_part(platform, run)), None)
    return (
        session is not None and following.course_of(platform, session, reading.plan(platform, session)[0]).is_dialogue
    )


def of_run(platform: Platform, run_id: str) -> Replay:
    """Return the replay of a run; :class:`NoReplayError` without one."""
    found = platform.replays.of_run(reading.recent_cycle(platform).name, run_id)
    if found is None:
        raise NoReplayError
    return found


def open_round(platform: Platform, who: str, run_id: str) -> Replay:
    """Open the next round, when the present one is over.

    Clause: TS D-10, D 9.10.8.4
    """

    def opened(before: Replay) -> Replay:
        now = platform.clock.now()
        if before.round == len(before.numbers):
            raise RefusedError("no_more_rounds", "all rounds were opened", "все раунды открыты")
        if before.is_running(now):
            until = iso(before.until)
            raise RefusedError(
                "round_running", f"this round lasts until {until}", f"раунд идёт до {until}", until=until
            )
        after = assignment.with_round(before, now)
        states = {"round": before.round}, {"round": after.round}
        platform.replays.put(after, Change(now, who, "round opened", run_id, *states))
        return after

    return decide_until_written(of_run(platform, run_id), opened, lambda: of_run(platform, run_id))


def close(platform: Platform, who: str, run_id: str, reason: str) -> Replay:
    """Compute the results of the reviews, which stand beside the board from then on.

    Clause: TS D-9, TS D-10, D 9.10.8.7
    """

    def closed(before: Replay) -> Replay:
        now = platform.clock.now()
        if before.results is not None:
            raise RefusedError("closed_already", "it is closed", "уже закрыто")
        if not before.is_over(now):
            raise RefusedError("rounds_not_over", "not all rounds are over", "раунды ещё не закончены")
        after = assignment.closed(before, results_of(platform, before))
        change = Change(now, who, "replay closed", run_id, None, {"results": after.results, "reason": reason})
        platform.replays.put(after, change)
        return after

    return decide_until_written(of_run(platform, run_id), closed, lambda: of_run(platform, run_id))


def results_of(platform: Platform, of: Replay) -> Mapping[str, Any]:
    """Return the results of the reviews of each team's work, as far as rounds were opened."""
    run = reading.run_now(platform, of.run_id)
    track, parameters = replayed_by(platform, run), reading.parameters(platform, run.parameters_version).track
    reviews = {(each.round, each.person_id): each for each in platform.replays.reviews(of.run_id)}
    works: dict[str, list[Reviewed]] = {team_id: [] for team_id, _ in of.systems}
    for place, rotation in enumerate(track.rotation(len(of.numbers))[: of.round]):
        for (team_id, _), seen in zip(of.systems, rotation, strict=False):
            item, turns = work_of(platform, run, team_id, of.numbers[place])
            said = [reviews.get((place + 1, of.people[each][0])) for each in seen]
            works[team_id] += [Reviewed(item, turns, _answers(each)) for each in said]
    return {team_id: track.judged(found, parameters) for team_id, found in works.items()}


def works_of(platform: Platform, of: Replay, number: int | None) -> Sequence[Work]:
    """Return every program's work in a round of a replay, whole.

    :class:`InvalidRequestError` where it has no such round.

    With the reviews, which a replay tells with their comments, this is what the final's closed set is made of.

    Clause: D 9.11
    """
    if number is None:
        return ()
    if number > len(of.numbers):
        told = {"message": f"allowed: 1–{len(of.numbers)}", "message_ru": f"допустимо: 1–{len(of.numbers)}"}
        raise InvalidRequestError([{"code": "out_of_range", **told, "field": "round"}])
    run = reading.run_now(platform, of.run_id)
    track, parameters = replayed_by(platform, run), reading.parameters(platform, run.parameters_version).track
    found = ((each, work_of(platform, run, each[0], of.numbers[number - 1])) for each in of.systems)
    return [Work(each, track.replayed(item, f"{number:02d}", turns, parameters)) for each, (item, turns) in found]


def _answers(review: Review | None) -> Mapping[str, bool] | None:
    return review.answers if review is not None and review.answers else None


def work_of(platform: Platform, run: Run, team_id: str, number: int) -> tuple[Any, Sequence[Turn]]:
    """Return the item behind a file of a run, and a team's work on it."""
    session = next(each for each in recording.taking_part(platform, run) if each.team_id == team_id)
    planned = reading.planned_file(platform, session, number)
    item = reading.content(platform, session, reading.item_of(platform, session, planned))
    delivery = platform.deliveries.get(session.session_id, number)
    if delivery is None:
        return item, ()
    return item, [following.told_turn(platform, session, delivery, each) for each in delivery.turns]


@dataclass(frozen=True, slots=True)
class Seen:
    """Round of a person: the names under which it works, and the parts of the program's work shown so far."""

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
        """Return the last moment for the review."""
        return self.of.until


@dataclass(frozen=True, slots=True)
class Said:
    """Answers of a person about a program's work, on top of the revision that it has seen."""

    revision: int
    answers: Mapping[str, bool]
    comment: str
    round: int | None = None
    """Which round it is about; None: the present one."""


def look(platform: Platform, person_id: str) -> Seen:
    """Return the present round of a person; :class:`NoRoundError` where none was opened, or none that concerns them.

    Clause: TS D-10, D 9.10.8.3
    """
    found = _round_of(platform, person_id)
    run = reading.run_now(platform, found.run_id)
    track = replayed_by(platform, run)
    seen = found.team_of(track.rotation(len(found.numbers))[found.round - 1], person_id)
    if seen is None:
        raise NoRoundError
    team_id, system = seen
    number = found.numbers[found.round - 1]
    item, turns = work_of(platform, run, team_id, number)
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
