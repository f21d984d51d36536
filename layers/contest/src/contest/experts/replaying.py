"""Stage 2: replay of programs' work, led by organizers and reviewed by clinicians (D 9.10.7, 9.10.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.errors import InvalidRequestError
from contest.experts.rules import assignment
from contest.experts.rules.assignment import Replay, Review
from contest.experts.rules.sharing_out import NoReplayError, NoRoundError, ReviewChangedError, RoundOverError
from contest.people.rules import Change, Role
from contest.platform import Platform, read_and_decide
from contest.refusals import RefusedError
from contest.run import under_way
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.texts import tr
from contest.values import SECOND, Millis, iso
from markup_core.lazy import dataclass
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
    """Work of a program in a round: its team, its name in the lot, and the displayed parts."""

    system: tuple[str, str]
    parts: Sequence[Any]


# Clause: TS D-10, D 9.10.7, D 9.10.8.5, D 9.10.8.6
def begin_replay(platform: Platform, who: str, chosen: Chosen, reason: str) -> Replay:
    """Select the work to replay and draw the lot, once for all rounds."""
    schedule = reading.schedule_now(platform, chosen.run_id)
    run, track = schedule.run, replayed_by(platform, schedule.run)
    rules = track.replay_rules()
    teams = chosen.teams or tuple(sorted({session.team_id for session in under_way.taking_part(platform, run)}))
    _refuse_wrong(platform, schedule, rules, chosen, teams)
    systems, people = track.lot(teams, chosen.people, chosen.seed)
    now = platform.clock.now()
    replay = Replay(
        run_id=run.run_id,
        cycle=run.cycle,
        numbers=chosen.numbers,
        seed=chosen.seed,
        systems=tuple(systems.items()),
        people=tuple(people.items()),
        limit=(chosen.limit_s or rules.limit_s) * SECOND,
        at=now,
    )
    change = Change(now, who, "replay begun", run.run_id, None, {**asdict(replay), "reason": reason})

    def written(before: Replay | None) -> Replay:
        if before is not None:
            raise RefusedError("lot_drawn", tr("the lot of this run is drawn, once for all rounds"))
        platform.replays.put(replay, change)
        return replay

    return read_and_decide(lambda: platform.replays.of_run(run.cycle, run.run_id), written)


def replayed_by(platform: Platform, run: Run) -> Replayed:
    """Return the track of a run; refuse a contest that replays no programs' work."""
    track = reading.track_of(platform, run)
    if not isinstance(track, Replayed):
        raise RefusedError("nothing_to_replay", tr("this contest replays nobody's work"))
    return track


def _refuse_wrong(
    platform: Platform, schedule: Schedule, rules: ReplayRules, chosen: Chosen, teams: Sequence[str]
) -> None:
    run = schedule.run
    if run.mode is not Mode.FINAL or run.closed_at is None or schedule.stop is not None:
        raise RefusedError("run_not_over", tr("the run is not over, or does not count"))
    first, last = rules.fewest_rounds, rules.most_rounds
    valid_numbers = set(range(1, schedule.total_files + 1)) - set(schedule.voided_for_all)
    numbers = set(chosen.numbers)
    if not first <= len(numbers) <= last or len(numbers) < len(chosen.numbers) or not numbers <= valid_numbers:
        raise RefusedError(
            "wrong_items",
            tr(
                "{first} to {last} different files of the run are replayed, none of them annulled",
                first=first,
                last=last,
            ),
            unknown=sorted(numbers - valid_numbers),
        )
    sessions = under_way.taking_part(platform, run)
    courses = (following.course_of(platform, one, reading.plan(platform, one)[0]) for one in sessions[:1])
    if run.publications > 1 or not any(course.is_dialogue for course in courses):
        raise RefusedError("nothing_to_replay", tr("files of this run were answered at once"))
    absent = sorted(set(teams) - {session.team_id for session in sessions})
    if absent or not rules.fewest_programs <= len(set(teams)) == len(teams) <= rules.most_programs:
        raise RefusedError(
            "wrong_teams",
            tr(
                "{fewest_programs} to {most_programs} teams that took part have their work replayed",
                fewest_programs=rules.fewest_programs,
                most_programs=rules.most_programs,
            ),
            absent=absent,
        )
    persons = {person_id: platform.persons.person(person_id) for person_id in chosen.people}
    strange = sorted(
        name
        for name, person in persons.items()
        if person is None or not person.is_active or person.role is not Role.CLINICIAN
    )
    if strange or len(persons) != rules.people or len(chosen.people) != rules.people:
        raise RefusedError(
            "wrong_people", tr("{people} different clinicians take part", people=rules.people), unknown=strange
        )


def of_run(platform: Platform, run_id: str) -> Replay:
    """Return the replay of a run; :class:`NoReplayError` without one."""
    replay = platform.replays.of_run(reading.recent_cycle(platform).name, run_id)
    if replay is None:
        raise NoReplayError
    return replay


# Clause: TS D-10, D 9.10.8.4
def open_round(platform: Platform, who: str, run_id: str) -> Replay:
    """Open the next round, when the present one is over."""

    def opened(before: Replay) -> Replay:
        now = platform.clock.now()
        if before.round == len(before.numbers):
            raise RefusedError("no_more_rounds", tr("all rounds were opened"))
        if before.is_running(now):
            until = iso(before.until)
            raise RefusedError("round_running", tr("this round lasts until {until}", until=until), until=until)
        after = assignment.with_round(before, now)
        states = {"round": before.round}, {"round": after.round}
        platform.replays.put(after, Change(now, who, "round opened", run_id, *states))
        return after

    return read_and_decide(lambda: of_run(platform, run_id), opened)


# Clause: TS D-9, TS D-10, D 9.10.8.7
def close_replay(platform: Platform, who: str, run_id: str, reason: str) -> Replay:
    """Compute the results of the reviews and close the replay; they are published beside the board."""

    def closed(before: Replay) -> Replay:
        now = platform.clock.now()
        if before.results is not None:
            raise RefusedError("closed_already", tr("it is closed"))
        if not before.is_over(now):
            raise RefusedError("rounds_not_over", tr("not all rounds are over"))
        after = assignment.closed_replay(before, results_of(platform, before))
        change = Change(now, who, "replay closed", run_id, None, {"results": after.results, "reason": reason})
        platform.replays.put(after, change)
        return after

    return read_and_decide(lambda: of_run(platform, run_id), closed)


def results_of(platform: Platform, replay: Replay) -> Mapping[str, Any]:
    """Return the results of the reviews by team, over the opened rounds."""
    run = reading.run_now(platform, replay.run_id)
    track, parameters = replayed_by(platform, run), reading.parameters(platform, run.parameters_version).track
    reviews = {(review.round, review.person_id): review for review in platform.replays.reviews(replay.run_id)}
    works: dict[str, list[Reviewed]] = {team_id: [] for team_id, _ in replay.systems}
    for place, rotation in enumerate(track.rotation(len(replay.numbers))[: replay.round]):
        for (team_id, _), viewers in zip(replay.systems, rotation, strict=False):
            item, turns = work_of(platform, run, team_id, replay.numbers[place])
            system_reviews = [reviews.get((place + 1, replay.people[viewer][0])) for viewer in viewers]
            works[team_id] += [
                Reviewed(item, turns, review.answers if review is not None and review.answers else None)
                for review in system_reviews
            ]
    return {team_id: track.judged(team_works, parameters) for team_id, team_works in works.items()}


# Clause: D 9.11
def works_of(platform: Platform, replay: Replay, number: int | None) -> Sequence[Work]:
    """Return every program's work in a round of a replay, whole.

    :class:`InvalidRequestError` where it has no such round.

    The final's closed set is made of these works and of the reviews, which a replay has with their comments.
    """
    if number is None:
        return ()
    if number > len(replay.numbers):
        messages = tr("allowed: 1–{numbers}", numbers=len(replay.numbers)).as_fields()
        raise InvalidRequestError([{"code": "out_of_range", **messages, "field": "round"}])
    run = reading.run_now(platform, replay.run_id)
    track, parameters = replayed_by(platform, run), reading.parameters(platform, run.parameters_version).track
    system_works = (
        (system, work_of(platform, run, system[0], replay.numbers[number - 1])) for system in replay.systems
    )
    return [
        Work(system, track.replayed(item, f"{number:02d}", turns, parameters)) for system, (item, turns) in system_works
    ]


def work_of(platform: Platform, run: Run, team_id: str, number: int) -> tuple[Any, Sequence[Turn]]:
    """Return the item behind a file of a run, and a team's work on it."""
    session = next(session for session in under_way.taking_part(platform, run) if session.team_id == team_id)
    planned = reading.planned_file(platform, session, number)
    item = reading.content(platform, session, reading.item_of(platform, session, planned))
    delivery = platform.deliveries.get(session.session_id, number)
    if delivery is None:
        return item, ()
    return item, [following.told_turn(platform, session, delivery, turn) for turn in delivery.turns]


@dataclass(frozen=True, slots=True)
class Seen:
    """Round of a person: the names in the lot, and the displayed parts of the program's work."""

    replay: Replay
    rules: ReplayRules
    system: str
    person: str
    parts: tuple[Any, ...]
    """Parts displayed so far."""
    total: int
    review: Review

    @property
    def until(self) -> Millis:
        """Return the last moment for the review."""
        return self.replay.until


@dataclass(frozen=True, slots=True)
class Said:
    """Answers of a person about a program's work, with the revision on which they are based."""

    revision: int
    answers: Mapping[str, bool]
    comment: str
    round: int | None = None
    """Round that the answers are about; None: the present one."""


# Clause: TS D-10, D 9.10.8.3
def present_round(platform: Platform, person_id: str) -> Seen:
    """Return the present round of a person; :class:`NoRoundError` where none was opened, or none that concerns them."""
    replays = platform.replays.all(reading.recent_cycle(platform).name)
    own = [replay for replay in replays if replay.round and replay.results is None and person_id in dict(replay.people)]
    if not own:
        raise NoRoundError
    replay = max(own, key=lambda replay: replay.opened[-1])
    run = reading.run_now(platform, replay.run_id)
    track = replayed_by(platform, run)
    named_team = replay.team_of(track.rotation(len(replay.numbers))[replay.round - 1], person_id)
    if named_team is None:
        raise NoRoundError
    team_id, system = named_team
    number = replay.numbers[replay.round - 1]
    item, turns = work_of(platform, run, team_id, number)
    parameters = reading.parameters(platform, run.parameters_version).track
    file_id = f"{replay.round:02d}"
    parts = track.replayed(item, file_id, turns, parameters)
    stored_review = platform.replays.review(replay.run_id, replay.round, person_id)
    review = stored_review or Review(replay.run_id, replay.round, person_id)
    names = dict(replay.people)
    shown_parts = tuple(parts[: review.shown])
    return Seen(replay, track.replay_rules(), system, names[person_id], shown_parts, len(parts), review)


# Clause: TS D-10, D 9.10.8.3
def show_next(platform: Platform, person_id: str, arrival: Millis) -> Seen:
    """Display the next part of the program's work; at its end change nothing."""

    def shown(before: Seen) -> Seen:
        _refuse_late(before, arrival)
        if before.review.shown < before.total:
            review = before.review
            platform.replays.save(replace(review, shown=review.shown + 1, version=review.version + 1))
        return present_round(platform, person_id)

    return read_and_decide(lambda: present_round(platform, person_id), shown)


# Clause: TS D-10, D 9.10.8.7, D 9.11
def save_review(platform: Platform, person_id: str, draft: Said, arrival: Millis) -> Seen:
    """Replace the saved answers and comment, complete or not; equal ones change nothing.

    Answers about another round than the present one never become a review of this one, however late they come.
    """

    def saved(before: Seen) -> Seen:
        replay = before.replay
        if draft.round is not None and draft.round > replay.round:
            raise NoRoundError
        if draft.round is not None and draft.round < replay.round:
            raise RoundOverError.since(replay.opened[draft.round - 1] + replay.limit)
        _refuse_late(before, arrival)
        _refuse_unknown(before.rules, draft.answers)
        review = before.review
        if (dict(review.answers), review.comment) == (dict(draft.answers), draft.comment) and review.version:
            return before
        if draft.revision != review.version:
            raise ReviewChangedError.now(review.version)
        after = replace(review, answers=dict(draft.answers), comment=draft.comment, saved_at=arrival)
        platform.replays.save(replace(after, version=review.version + 1))
        return present_round(platform, person_id)

    return read_and_decide(lambda: present_round(platform, person_id), saved)


def _refuse_late(view: Seen, arrival: Millis) -> None:
    if arrival > view.until:
        raise RoundOverError.since(view.until)


def _refuse_unknown(rules: ReplayRules, answers: Mapping[str, bool]) -> None:
    keys = [key for key, _ in rules.questions]
    unknown: Sequence[str] = sorted(set(answers) - set(keys))
    if unknown:
        names = ", ".join(keys)
        messages = tr("the questions are: {names}", names=names).as_fields()
        raise InvalidRequestError([{"code": "unknown_question", **messages, "field": f"body.answers.{unknown[0]}"}])
