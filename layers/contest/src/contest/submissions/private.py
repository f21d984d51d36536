"""Private test: programs named by teams, their runs by the organizers, final boards and prizes (F-7 … F-9)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import SetKind
from contest.errors import InvalidRequestError, NoArchiveError, ResultsNotPublishedError
from contest.people.cabinet import author
from contest.people.rules import Change, Identity
from contest.platform import Platform, decide_until_written, read_and_decide
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results import settling
from contest.results.errors import NotScoredError, PrivateTestBegunError, UnknownSubmissionError
from contest.results.rules import set_access
from contest.results.rules.leaderboard import BoardState, Visibility
from contest.results.rules.qualification import Annulment, reason_not_counted
from contest.session import following
from contest.session.access import Request
from contest.session.rules.session import Key
from contest.submissions import uploading, worker
from contest.submissions.rules import (
    Declaration,
    FailureCause,
    Submission,
    SubmissionKind,
    SubmissionState,
    SubmissionTask,
)
from contest.texts import tr
from contest.values import Millis, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import Archived, Award, AwardsPrizes, Declared
from tracks.protocol import Standing, Track

ZIP: Final = "application/zip"
BOARD: Final = "private"
"""Name under which the public state of the private test is stored."""
MOST_NAMED: Final = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A team's place on one of the final boards, by the better of its private runs."""

    board: str
    team_id: str
    place: int | None
    """Place on the board; None for a baseline."""
    value: float | None
    overcame: bool | None
    submission_id: str


@dataclass(frozen=True, slots=True)
class Result:
    """State of the private test: every run, places from the scored ones alone, prizes, whether it is published."""

    runs: Sequence[Submission]
    counted: Sequence[Submission]
    """Runs of teams that take part which are not annulled; the public archive has these alone."""
    places: Sequence[Place]
    awards: Sequence[Award]
    published: bool


# Clause: TS F-7, F test public
def name_submissions(platform: Platform, request: Request, submission_ids: Sequence[str]) -> Sequence[Submission]:
    """Choose up to two scored submissions for the private test; those that were named before are named no more."""
    uploading.refuse_unless_approved(platform, request.identity)
    chosen = [uploading.own_submission(platform, request, submission_id) for submission_id in submission_ids]
    if any(submission.state is not SubmissionState.SCORED for submission in chosen):
        raise NotScoredError
    if _runs(platform):
        raise PrivateTestBegunError
    chosen_ids = {submission.submission_id for submission in chosen}
    for submission in uploading.of_team(platform, request.identity.team_id):
        if (submission.submission_id in chosen_ids) != (submission.named_at is not None):
            at = platform.clock.now() if submission.submission_id in chosen_ids else None
            _change(platform, submission, None, named_at=at)
    return uploading.of_team(platform, request.identity.team_id)


# Clause: TS F-8, F multitask 1
def declare_model(platform: Platform, request: Request, submission_id: str, total: int, shared: int) -> Submission:
    """Declare a model's parameters, and how many of them every subtask uses.
    Another declaration must be confirmed again."""
    submission = uploading.own_submission(platform, request, submission_id)
    uploading.refuse_unless_approved(platform, request.identity)
    if submission.state is not SubmissionState.SCORED:
        raise NotScoredError
    if shared > total:
        messages = tr("more are shared than there are").as_fields()
        raise InvalidRequestError([{"code": "shared_over_total", **messages, "field": "body.shared_parameters"}])
    return _change(platform, submission, None, declaration=Declaration(total, shared, platform.clock.now()))


# Clause: TS F-8, F multitask 2
def rule_on_declaration(
    platform: Platform, identity: Identity, submission_id: str, reason: str, *, confirmed: bool
) -> Submission:
    """Confirm a declaration in the commission's name, or refuse it with a reason."""
    submission = _known(platform, submission_id)
    if submission.declaration is None:
        raise RefusedError("not_declared", tr("its team has declared nothing"))
    now = platform.clock.now()
    ruled = replace(submission.declaration, confirmed=confirmed, reason=reason, decided_at=now)
    what = f"declaration {'confirmed' if confirmed else 'refused'}"
    done = _change(
        platform,
        submission,
        Change(now, author(identity), what, submission_id, None, {"reason": reason}),
        declaration=ruled,
    )
    if private_result(platform).published:  # prizes follow from declarations
        _publish_archive(platform, submission.cycle)
    return done


# Clause: TS F-5, TS T13
def rerun(platform: Platform, identity: Identity, submission_id: str, reason: str) -> Submission:
    """Have a program run again that failed by the platform's fault; it counts for its own day, as it would have."""
    now = platform.clock.now()

    def again(before: Submission) -> Submission:
        if before.state is not SubmissionState.FAILED or before.cause is not FailureCause.PLATFORM:
            raise RefusedError("not_the_platforms", tr("only what failed by the platform's fault is run again"))
        after = replace(before.at(SubmissionState.QUEUED, now), attempt=before.attempt + 1, cause=None, sent_at=now)
        lane = None if before.of else platform.submissions.lane(before.team_id)
        if lane is not None and lane.submission_id:
            raise RefusedError("submission_under_way", tr("another submission of the team is under way"))
        change = Change(now, author(identity), "submission run again", submission_id, None, {"reason": reason})
        platform.submissions.change(before, after, lane, change)
        return after

    done = read_and_decide(lambda: _known(platform, submission_id), again)
    platform.submission_tasks.send([SubmissionTask(submission_id)])
    return done


# Clause: TS F-7
def begin_runs(platform: Platform, who: str, set_name: str) -> Sequence[Submission]:
    """Run the named submissions of every approved team, else its best, over the private set; only missing runs begin.

    The best is chosen among those that had ended when the private test was begun first (Decision): begun again later,
    it runs no second submission of a team that has improved since.
    """
    cycle = reading.cycle_now(platform)
    chosen = cycle.set_named(set_name)
    if chosen is None or chosen.kind is not SetKind.FINAL:
        raise RefusedError("wrong_set", tr("{set_name} is no final set", set_name=set_name))
    following.refuse_annulled(platform, cycle.name, set_name)
    now, runs, annulments = platform.clock.now(), _runs(platform), platform.annulments.all(cycle.name)
    since = min((run.created_at for run in runs), default=now)
    begun = {(run.of, run.order.manifest) for run in runs}
    for team in platform.people.all_teams():
        if reading.takes_part(platform, team):
            for submission in chosen_of(uploading.of_team(platform, team.team_id), since, annulments):
                order = replace(submission.order, set_name=set_name, set_kind=chosen.kind, manifest=chosen.manifest)
                if (submission.submission_id, order.manifest) not in begun:
                    _begun(platform, who, replace(submission, order=order), now)
    runs = _runs(platform)
    platform.submission_tasks.send([SubmissionTask(run.submission_id) for run in runs if not run.is_final])
    return runs


# Clause: TS F-7, D 6.10
def chosen_of(
    submissions: Sequence[Submission], since: Millis, annulments: Sequence[Annulment] = ()
) -> list[Submission]:
    """Return a team's programs for the private test.

    They are those it has named, else its best by the main board of those that had ended by ``since``; of equal ones the
    earliest. An annulled submission is none of them.
    """
    scored = [
        submission
        for submission in submissions
        if submission.state is SubmissionState.SCORED
        and submission.order.kind is SubmissionKind.PROGRAM
        and not reason_not_counted(annulments, session_id=submission.submission_id, set_name="")
    ]
    tests = [submission for submission in scored if submission.order.set_kind is SetKind.TEST]
    named = [submission for submission in tests if submission.named_at is not None]
    if named or not tests:
        return named[:MOST_NAMED]
    ended = [submission for submission in tests if submission.changed_at <= since]
    return sorted(
        ended,
        key=lambda submission: (-(submission.value or 0.0), submission.completed_at or 0, submission.submission_id),
    )[:1]


# Clause: TS F-7, TS F-8, TS F-9, R 11.7, D 6.10
def private_result(platform: Platform) -> Result:
    """Return the present state of the private test; a baseline has neither a place nor a prize.

    An annulled run counts nowhere, nor does one of an annulled submission, or over an annulled set.

    **Decision**: a team that takes part no more, disqualified or suspended after its runs, leaves the boards as it
    leaves the others, and those behind it move up; its runs stay with the organizers.
    """
    cycle = reading.recent_cycle(platform)
    track, runs = reading.track_of(platform, cycle), _runs(platform)
    aggregates, teams = _aggregates(platform, runs), platform.people.teams({run.team_id for run in runs})
    baselines = {team_id for team_id, team in teams.items() if team.baseline}
    annulments = platform.annulments.all(cycle.name)
    counted = [
        run
        for run in runs
        if reading.takes_part(platform, teams[run.team_id])
        and not any(
            reason_not_counted(annulments, session_id=name, set_name=run.order.set_name)
            for name in (run.submission_id, run.of)
        )
    ]
    places = _places(track, counted, aggregates, baselines)
    money = _awards(platform, track, runs, places, aggregates) if isinstance(track, AwardsPrizes) else []
    state = platform.boards.state(cycle.name, BOARD)
    return Result(runs, counted, places, money, state is not None and state.visibility is Visibility.PUBLISHED)


# Clause: TS F-7, platform §4 shadow
def publish(platform: Platform, identity: Identity, reason: str) -> Result:
    """Publish the final boards and prizes, once every run has ended and the independent recomputation agrees."""
    cycle = reading.cycle_now(platform)
    runs = _runs(platform)
    if not runs:
        message = tr("the private test has not begun; contest submission private begin --set SET begins it")
        raise RefusedError("private_runs_wait", message)
    waiting = [run.submission_id for run in runs if not run.is_final or run.cause is FailureCause.PLATFORM]
    if waiting:
        message = tr(
            "runs are not done: {names}; contest submission rerun RUN repeats one that failed by the platform's fault",
            names=", ".join(waiting),
        )
        raise RefusedError("private_runs_wait", message)
    # The recomputation has a baseline like any other team, with the rank of its result.
    places = _places(reading.track_of(platform, cycle), runs, _aggregates(platform, runs), frozenset())
    ranked = [(place.board, place.team_id, place.place or 0, place.value) for place in places]
    worker.refuse_unless_clean(platform, ranked)

    def published(before: BoardState | None) -> None:
        now = platform.clock.now()
        after = BoardState(BOARD, Visibility.PUBLISHED, now, reason, version=before.version + 1 if before else 1)
        change = Change(now, author(identity), "private test published", BOARD, None, {"reason": reason})
        platform.boards.decide(cycle.name, before, after, change)

    read_and_decide(lambda: platform.boards.state(cycle.name, BOARD), published)
    # A process that dies before this publishes once more.
    _publish_archive(platform, cycle.name)
    return private_result(platform)


def _publish_archive(platform: Platform, cycle: str) -> None:
    """Write the public archive of the private test by the present facts, in the place of an earlier one."""
    name = stored_names.private_archive_name(cycle)
    platform.blobs.publish(name, archive_pieces(platform), ZIP, lasting=False, anew=True)


# Clause: TS F-7
def public_view(platform: Platform) -> Result:
    """Return the public view of the private test; :class:`ResultsNotPublishedError` before it is published."""
    private_test = private_result(platform)
    if not private_test.published:
        raise ResultsNotPublishedError
    return private_test


# Clause: F test private, F nominations, TS F-7, TS F-9
def archive_pieces(platform: Platform) -> Iterator[bytes]:
    """Return the pieces of the archive of the private test: results, declarations, digests.

    No program, prediction or test item is in it.
    """
    cycle, private_test = reading.recent_cycle(platform), private_result(platform)
    track = reading.track_of(platform, cycle)
    if not isinstance(track, Archived):
        raise NoArchiveError
    version = max((run.parameters_version for run in private_test.runs), default=cycle.parameters_version)
    rules = reading.parameters(platform, version)
    scorer = {"track": track.name, "version": track.version}
    parameters = {"format": 1, "version": rules.version, "track": rules.track, "scorer": scorer}
    files = {"parameters.json": canonical(parameters), "classifier.json": canonical(track.classifier(rules.track))}
    for run in private_test.counted:
        files[f"runs/{run.submission_id}.json"] = canonical(_archived_run(platform, private_test.runs, run))
    for number, rule in enumerate(track.boards()):
        rows = [
            {
                "place": place.place,
                "team_id": place.team_id,
                "run": place.submission_id,
                "value": place.value,
                "overcame": place.overcame,
            }
            for place in private_test.places
            if place.board == rule.key
        ]
        name = f"boards/{rule.key}.json" if number else "board.json"
        files[name] = canonical({"format": 1, "cycle": cycle.name, "board": rule.key, "rows": rows})
    files["prizes.json"] = canonical({"format": 1, "prizes": [asdict(award) for award in private_test.awards]})
    files |= settling.archive_texts(track.archive_rules, files)
    return set_access.archive({"cycle": cycle.name}, lambda: sorted(files.items()))


def _archived_run(platform: Platform, runs: Sequence[Submission], run: Submission) -> dict[str, Any]:
    """Return a run's row of the archive, without image names and logs, which may contain persons' names."""
    declared, is_scored = _declared(platform, runs, run.submission_id), run.state is SubmissionState.SCORED
    return {
        "format": 1,
        "run": run.submission_id,
        "submission": run.of,
        "team_id": run.team_id,
        "state": run.state.value,
        "cause": run.cause.value if run.cause else None,
        "archive_sha256": run.order.upload.sha256,
        "result": _aggregate(platform, run) if is_scored else None,
        "declared": asdict(declared) if declared else None,
    }


def _begun(platform: Platform, who: str, chosen: Submission, now: int) -> None:
    """Begin a private run of a submission over the set that it names, unless somebody has begun it meanwhile."""
    key = Key(sha256_hex(f"{chosen.submission_id} {chosen.order.manifest}".encode()), "")
    private_run = Submission(
        platform.randomness.session_id(),
        chosen.team_id,
        chosen.cycle,
        chosen.track,
        chosen.order,
        token_id=who,
        created_at=now,
        state=SubmissionState.QUEUED,
        changed_at=now,
        parameters_version=chosen.parameters_version,
        completed_at=chosen.completed_at,
        sent_at=now,
        program=chosen.program,
        attempt=1,
        of=chosen.submission_id,
    )
    with suppress(LostRaceError):  # somebody else has begun it in this instant
        platform.submissions.add(private_run, key)


def _places(
    track: Track, runs: Sequence[Submission], aggregates: Mapping[str, Any], baselines: Set[str]
) -> list[Place]:
    """Return the places of teams on each board by the better of their runs; baselines stand among them without one."""
    places = list[Place]()
    own: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda run: run.submission_id):
        if run.submission_id in aggregates:
            own.setdefault(run.team_id, []).append(run.submission_id)
    for board in (rules.key for rules in track.boards()):
        best = {}
        for team, names in own.items():
            ranked = track.rank([Standing(name, aggregates[name]) for name in names], board)
            best[team] = min(ranked, key=lambda run: (run.place, run.team)).team
        standings = [Standing(team, aggregates[name]) for team, name in sorted(best.items())]
        of_teams = track.rank([standing for standing in standings if standing.team not in baselines], board)
        placed = {ranked.team: ranked.place for ranked in of_teams}
        for team in (ranked.team for ranked in track.rank(standings, board)):
            aggregate = aggregates[best[team]]
            value, overcame = track.value(aggregate, board), track.overcame(aggregate, board)
            places.append(Place(board, team, placed.get(team), value, overcame, best[team]))
    return places


# Clause: TS F-9
def _awards(
    platform: Platform,
    track: AwardsPrizes,
    runs: Sequence[Submission],
    places: Sequence[Place],
    aggregates: Mapping[str, Any],
) -> list[Award]:
    """Return the prizes of each board by its runs.

    Of a team's two runs one may be first in a subtask, and the other better in the sum.
    """
    awards = list[Award]()
    for board in dict.fromkeys(place.board for place in places):
        placed = [place for place in places if place.board == board and place.place is not None]
        best = {place.team_id: place.submission_id for place in placed}
        declarations = ((team, _declared(platform, runs, run_id)) for team, run_id in best.items())
        declared = {team: declaration for team, declaration in declarations if declaration is not None}
        awarded = track.awards({team: aggregates[run_id] for team, run_id in best.items()}, declared)
        awards += [award for award in awarded if award.board == board]
    return awards


def _aggregates(platform: Platform, runs: Sequence[Submission]) -> dict[str, Any]:
    return {run.submission_id: _aggregate(platform, run) for run in runs if run.state is SubmissionState.SCORED}


def _aggregate(platform: Platform, submission: Submission) -> Any:
    name = stored_names.submission_report_name(submission.submission_id, submission.rescored)
    return json.loads(platform.blobs.get(name))["result"]


def _declared(platform: Platform, runs: Sequence[Submission], submission_id: str) -> Declared | None:
    """Return the team's declaration on the submission behind a private run."""
    source = next(run.of for run in runs if run.submission_id == submission_id)
    declaration = _known(platform, source).declaration
    return (
        None if declaration is None else Declared(declaration.total, declaration.shared, declaration.confirmed is True)
    )


def _runs(platform: Platform) -> list[Submission]:
    runs = [run for run in platform.submissions.listed() if run.of]
    return sorted(runs, key=lambda run: (run.team_id, run.created_at, run.submission_id))


def _known(platform: Platform, submission_id: str) -> Submission:
    submission = platform.submissions.get(submission_id)
    if submission is None:
        raise UnknownSubmissionError
    return submission


def _change(platform: Platform, submission: Submission, change: Change | None, **fields: Any) -> Submission:
    """Change fields of a submission other than its state."""

    def changed(before: Submission) -> Submission:
        after = replace(before.noted(), **fields)
        platform.submissions.change(before, after, None, change)
        return after

    return decide_until_written(submission, changed, lambda: _known(platform, submission.submission_id))
