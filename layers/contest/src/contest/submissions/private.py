"""Private test: programs named by teams, their runs by the organizers, final boards and prizes (F-7 … F-9)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import SetKind
from contest.errors import InvalidRequestError, NoArchiveError, ResultsNotPublishedError
from contest.people.cabinet import author
from contest.people.rules import Change, Identity, TeamStatus
from contest.platform import Platform, decide_until_written
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results import archiving
from contest.results.rules import downloads
from contest.results.rules.leaderboard import BoardState, Visibility
from contest.session.access import Request
from contest.session.rules.limits import Key
from contest.submissions import bringing, programs
from contest.submissions.errors import NotScoredError, PrivateTestBegunError, UnknownSubmissionError
from contest.submissions.rules import (
    Declaration,
    FailureCause,
    Submission,
    SubmissionKind,
    SubmissionState,
    SubmissionTask,
)
from contest.values import Millis, canonical, sha256_hex
from tracks.capabilities import Archived, Award, AwardsPrizes, Declared
from tracks.protocol import Standing, Track

ZIP: Final = "application/zip"
BOARD: Final = "private"
"""Under which name it is kept whether everybody sees the private test."""
MOST_NAMED: Final = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A team's place on one of the final boards, by the better of its private runs."""

    board: str
    team_id: str
    place: int
    value: float | None
    overcame: bool | None
    submission_id: str


@dataclass(frozen=True, slots=True)
class Result:
    """State of the private test: every run, places from the scored ones alone, prizes, whether it is published."""

    runs: Sequence[Submission]
    places: Sequence[Place]
    awards: Sequence[Award]
    published: bool


def name(platform: Platform, request: Request, submission_ids: Sequence[str]) -> Sequence[Submission]:
    """Choose up to two scored submissions for the private test; those that were named before are named no more.

    Clause: TS F-7, F test public
    """
    bringing.refuse_unless_approved(platform, request.identity)
    chosen = [bringing.own(platform, request, each) for each in dict.fromkeys(submission_ids)]
    if any(each.state is not SubmissionState.SCORED for each in chosen):
        raise NotScoredError
    if _runs(platform):
        raise PrivateTestBegunError
    wanted = {each.submission_id for each in chosen}
    for each in bringing.of_team(platform, request.identity.team_id):
        if (each.submission_id in wanted) != (each.named_at is not None):
            at = platform.clock.now() if each.submission_id in wanted else None
            _change(platform, each, None, named_at=at)
    return bringing.of_team(platform, request.identity.team_id)


def declare(platform: Platform, request: Request, submission_id: str, total: int, shared: int) -> Submission:
    """Say how many parameters a model has, and how many of them every subtask uses; said anew, it is to be confirmed
    anew.

    Clause: TS F-8, F multitask 1
    """
    found = bringing.own(platform, request, submission_id)
    bringing.refuse_unless_approved(platform, request.identity)
    if found.state is not SubmissionState.SCORED:
        raise NotScoredError
    if shared > total:
        said = {"message": "more are shared than there are", "message_ru": "общих больше, чем всего"}
        raise InvalidRequestError([{"code": "shared_over_total", **said, "field": "body.shared_parameters"}])
    return _change(platform, found, None, declaration=Declaration(total, shared, platform.clock.now()))


def rule(platform: Platform, identity: Identity, submission_id: str, reason: str, *, confirmed: bool) -> Submission:
    """Confirm a declaration in the commission's name, or refuse it with a reason.

    Clause: TS F-8, F multitask 2
    """
    found = _known(platform, submission_id)
    if found.declaration is None:
        raise RefusedError("not_declared", "its team has declared nothing", "команда ничего не заявляла")
    now = platform.clock.now()
    ruled = replace(found.declaration, confirmed=confirmed, reason=reason, decided_at=now)
    what = f"declaration {'confirmed' if confirmed else 'refused'}"
    done = _change(
        platform, found, Change(now, author(identity), what, submission_id, None, {"reason": reason}), declaration=ruled
    )
    if result(platform).published:  # prizes follow from declarations
        name = stored_names.private_archive_name(found.cycle)
        platform.blobs.publish(name, archived(platform), ZIP, lasting=False)
    return done


def rerun(platform: Platform, identity: Identity, submission_id: str, reason: str) -> Submission:
    """Have a program run again that failed by the platform's fault; it counts for its own day, as it would have.

    Clause: TS F-5, TS T13
    """
    now = platform.clock.now()

    def again(before: Submission) -> Submission:
        if before.state is not SubmissionState.FAILED or before.cause is not FailureCause.PLATFORM:
            said = "only what failed by the platform's fault is run again", "повторяют только то, что сорвала платформа"
            raise RefusedError("not_the_platforms", *said)
        after = replace(before.at(SubmissionState.QUEUED, now), attempt=before.attempt + 1, cause=None, sent_at=now)
        lane = None if before.of else platform.submissions.lane(before.team_id)
        if lane is not None and lane.submission_id:
            said = "another submission of the team is under way", "у команды уже есть посылка в работе"
            raise RefusedError("submission_under_way", *said)
        change = Change(now, author(identity), "submission run again", submission_id, None, {"reason": reason})
        platform.submissions.change(before, after, lane, change)
        return after

    done = decide_until_written(_known(platform, submission_id), again, lambda: _known(platform, submission_id))
    platform.submission_tasks.send([SubmissionTask(submission_id)])
    return done


def begin(platform: Platform, who: str, set_name: str) -> Sequence[Submission]:
    """Run what every approved team has named, else its best, over the private set; begun again, what is missing of it.

    What is best is said by what had ended when the private test was begun first (Decision): begun again later, it runs
    no second submission of a team that has improved since.

    Clause: TS F-7
    """
    cycle = reading.cycle_now(platform)
    chosen = cycle.set_named(set_name)
    if chosen is None or chosen.kind is not SetKind.FINAL:
        raise RefusedError("wrong_set", f"{set_name} is no final set", f"{set_name} — не финальная выборка")
    now = platform.clock.now()
    since = min((each.created_at for each in _runs(platform)), default=now)
    for team in platform.people.all_teams():
        if team.status is TeamStatus.APPROVED:
            for each in chosen_of(bringing.of_team(platform, team.team_id), since):
                order = replace(each.order, set_name=set_name, set_kind=chosen.kind, manifest=chosen.manifest)
                _begun(platform, who, replace(each, order=order), now)
    runs = _runs(platform)
    platform.submission_tasks.send([SubmissionTask(each.submission_id) for each in runs if not each.is_final])
    return runs


def chosen_of(submissions: Sequence[Submission], since: Millis) -> list[Submission]:
    """Return a team's programs for the private test.

    They are those it has named, else its best by the main board of those that had ended by ``since``; of equal ones the
    earliest.

    Clause: TS F-7
    """
    scored = [
        each
        for each in submissions
        if each.state is SubmissionState.SCORED and each.order.kind is SubmissionKind.PROGRAM
    ]
    tests = [each for each in scored if each.order.set_kind is SetKind.TEST]
    named = [each for each in tests if each.named_at is not None]
    if named or not tests:
        return named[:MOST_NAMED]
    ended = [each for each in tests if each.changed_at <= since]
    return sorted(ended, key=lambda each: (-(each.value or 0.0), each.completed_at or 0, each.submission_id))[:1]


def result(platform: Platform) -> Result:
    """Return the private test as it stands.

    Clause: TS F-7, TS F-8, TS F-9
    """
    cycle = reading.recent_cycle(platform)
    track, runs = platform.tracks(cycle.track), _runs(platform)
    aggregates = {
        each.submission_id: _aggregate(platform, each) for each in runs if each.state is SubmissionState.SCORED
    }
    owners = {each.submission_id: each.team_id for each in runs}
    places = [place for rules in track.boards() for place in _places(track, rules.key, aggregates, owners)]
    money = _awards(platform, track, runs, places, aggregates) if isinstance(track, AwardsPrizes) else []
    state = platform.boards.state(cycle.name, BOARD)
    return Result(runs, places, money, state is not None and state.visibility is Visibility.PUBLISHED)


def publish(platform: Platform, identity: Identity, reason: str) -> Result:
    """Let everybody see the final boards and prizes; not before every run has ended, nor before all submissions are
    recomputed independently to the same numbers.

    Clause: TS F-7, platform §4 shadow
    """
    cycle = reading.cycle_now(platform)
    runs = _runs(platform)
    waiting = [each.submission_id for each in runs if not each.is_final or each.cause is FailureCause.PLATFORM]
    if waiting or not runs:
        said = ", ".join(waiting) or "none was begun"
        raise RefusedError("private_runs_wait", f"runs are not done: {said}", f"запуски не завершены: {said}")
    shown = result(platform).places
    programs.refuse_unless_clean(platform, [(each.board, each.team_id, each.place, each.value) for each in shown])

    def published(before: BoardState | None) -> None:
        now = platform.clock.now()
        after = BoardState(BOARD, Visibility.PUBLISHED, now, reason, version=before.version + 1 if before else 1)
        change = Change(now, author(identity), "private test published", BOARD, None, {"reason": reason})
        platform.boards.decide(cycle.name, before, after, change)

    decide_until_written(
        platform.boards.state(cycle.name, BOARD), published, lambda: platform.boards.state(cycle.name, BOARD)
    )
    # Whoever dies before this publishes once more.
    platform.blobs.publish(stored_names.private_archive_name(cycle.name), archived(platform), ZIP, lasting=False)
    return result(platform)


def told(platform: Platform) -> Result:
    """Return the public view of the private test; :class:`ResultsNotPublishedError` before it is published.

    Clause: TS F-7
    """
    found = result(platform)
    if not found.published:
        raise ResultsNotPublishedError
    return found


def archived(platform: Platform) -> bytes:
    """Return the archive of the private test: results, declarations, digests; no program, no prediction, no test item.

    Clause: F test private, F nominations, TS F-7, TS F-9
    """
    cycle, found = reading.recent_cycle(platform), result(platform)
    track = platform.tracks(cycle.track)
    if not isinstance(track, Archived):
        raise NoArchiveError
    version = max((each.parameters_version for each in found.runs), default=cycle.parameters_version)
    rules = reading.parameters(platform, version)
    scorer = {"track": track.name, "version": track.version}
    told = {"format": 1, "version": rules.version, "track": rules.track, "scorer": scorer}
    files = {"parameters.json": canonical(told), "classifier.json": canonical(track.classifier(rules.track))}
    for each in found.runs:
        files[f"runs/{each.submission_id}.json"] = canonical(_archived_run(platform, found.runs, each))
    for number, rule in enumerate(track.boards()):
        rows = [
            {
                "place": each.place,
                "team_id": each.team_id,
                "run": each.submission_id,
                "value": each.value,
                "overcame": each.overcame,
            }
            for each in found.places
            if each.board == rule.key
        ]
        name = f"boards/{rule.key}.json" if number else "board.json"
        files[name] = canonical({"format": 1, "cycle": cycle.name, "board": rule.key, "rows": rows})
    files["prizes.json"] = canonical({"format": 1, "prizes": [asdict(each) for each in found.awards]})
    files |= archiving.told_in(track.archive_rules, files)
    return downloads.pack_archive({"cycle": cycle.name}, files)


def _archived_run(platform: Platform, runs: Sequence[Submission], found: Submission) -> dict[str, Any]:
    """Return a run's row of the archive, without image names and logs, which may hold names of people."""
    declared, is_scored = _declared(platform, runs, found.submission_id), found.state is SubmissionState.SCORED
    return {
        "format": 1,
        "run": found.submission_id,
        "submission": found.of,
        "team_id": found.team_id,
        "state": found.state.value,
        "cause": found.cause.value if found.cause else None,
        "archive_sha256": found.order.upload.sha256,
        "result": _aggregate(platform, found) if is_scored else None,
        "declared": asdict(declared) if declared else None,
    }


def _begun(platform: Platform, who: str, chosen: Submission, now: int) -> None:
    """Begin a private run of a submission over the set that it names, unless there is one."""
    key = Key(sha256_hex(f"{chosen.submission_id} {chosen.order.manifest}".encode()), "")
    if any((each.of, each.order.manifest) == (chosen.submission_id, chosen.order.manifest) for each in _runs(platform)):
        return
    made = replace(
        chosen,
        submission_id=platform.randomness.session_id(),
        of=chosen.submission_id,
        token_id=who,
        state=SubmissionState.QUEUED,
        changed_at=now,
        sent_at=now,
        created_at=now,
        day="",
        receipt="",
        attempt=1,
        value=None,
        named_at=None,
        declaration=None,
        version=1,
    )
    with suppress(LostRaceError):  # somebody else has begun it in this instant
        platform.submissions.add(made, key)


def _places(track: Track, board: str, aggregates: Mapping[str, Any], owners: Mapping[str, str]) -> list[Place]:
    """Return the places of teams by the better of their runs."""
    found = list[Place]()
    own: dict[str, list[str]] = {}
    for each in sorted(aggregates):
        own.setdefault(owners[each], []).append(each)
    best = {}
    for team, names in own.items():
        ranked = track.rank([Standing(name, aggregates[name]) for name in names], board)
        best[team] = min(ranked, key=lambda run: (run.place, run.team)).team
    for place in track.rank([Standing(team, aggregates[name]) for team, name in sorted(best.items())], board):
        aggregate = aggregates[best[place.team]]
        value, overcame = track.value(aggregate, board), track.overcame(aggregate, board)
        found.append(Place(board, place.team, place.place, value, overcame, best[place.team]))
    return found


def _awards(
    platform: Platform,
    track: AwardsPrizes,
    runs: Sequence[Submission],
    places: Sequence[Place],
    aggregates: Mapping[str, Any],
) -> list[Award]:
    """Return the prizes of each board by the runs that stand on it.

    Of a team's two runs one may be first in a subtask, and the other better in the sum.

    Clause: TS F-9
    """
    found = list[Award]()
    for board in dict.fromkeys(each.board for each in places):
        best = {each.team_id: each.submission_id for each in places if each.board == board}
        said = ((team, _declared(platform, runs, each)) for team, each in best.items())
        declared = {team: each for team, each in said if each is not None}
        given = track.awards({team: aggregates[each] for team, each in best.items()}, declared)
        found += [each for each in given if each.board == board]
    return found


def _aggregate(platform: Platform, found: Submission) -> Any:
    name = stored_names.submission_report_name(found.submission_id, found.rescored)
    return json.loads(platform.blobs.get(name))["result"]


def _declared(platform: Platform, runs: Sequence[Submission], submission_id: str) -> Declared | None:
    """Return the team's declaration on the submission behind a private run."""
    source = next(each.of for each in runs if each.submission_id == submission_id)
    said = _known(platform, source).declaration
    return None if said is None else Declared(said.total, said.shared, said.confirmed is True)


def _runs(platform: Platform) -> list[Submission]:
    found = [each for each in platform.submissions.listed() if each.of]
    return sorted(found, key=lambda each: (each.team_id, each.created_at, each.submission_id))


def _known(platform: Platform, submission_id: str) -> Submission:
    found = platform.submissions.get(submission_id)
    if found is None:
        raise UnknownSubmissionError
    return found


def _change(platform: Platform, found: Submission, change: Change | None, **known: Any) -> Submission:
    """Write something beside the state of a submission."""

    def changed(before: Submission) -> Submission:
        after = replace(before.noted(), **known)
        platform.submissions.change(before, after, None, change)
        return after

    return decide_until_written(found, changed, lambda: _known(platform, found.submission_id))
