"""Submissions made once more: by the platform, to the byte, and independently, as the private test's publication asks.

In the independent recomputation the platform takes no part: it says which submissions there are, and goes by what is
found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.results import leaderboard
from contest.domain.results.shadowing import ShadowTask
from contest.domain.submissions import recomputed
from contest.domain.submissions.recomputed import Recomputed
from contest.domain.submissions.submission import Submission, SubmissionState
from contest.ports import MissingBlobError
from contest.refusals import RefusedError
from contest.services import grounds, reading
from contest.services.platform import Platform
from contest.services.results import audit, boards, errands
from contest.services.results.audit import Audited
from contest.services.submissions import programs, scoring


def verify(platform: Platform, name: str) -> Audited:
    """Audit the session or the scored submission that an organizer names; refused where there is none."""
    errands.refuse_unverifiable(platform, name)
    return rebuilt(platform, name)


def rebuilt(platform: Platform, name: str) -> Audited:
    """Rebuild what is stored of a session or submission from the stored facts, and compare every byte.

    Clause: platform §4 audit
    """
    submission = platform.submissions.get(name)
    audited = audit.audit_session(platform, name) if submission is None else _rebuilt(platform, submission)
    scored = submission or reading.session(platform, name)
    return audited if scored is None else replace(audited, off_board=grounds.noted_stage(platform, scored))


def _rebuilt(platform: Platform, found: Submission) -> Audited:
    """Rebuild a submission's report, its value and its claims; those of an older scorer are left to that one.

    What an accepted rescoring is still writing is left to the next round.
    """
    name, track = found.submission_id, platform.tracks(found.track)
    if found.state is not SubmissionState.SCORED or audit.is_being_applied(platform, found):
        return Audited(0, 0, 0, (), ())
    try:
        stored = platform.blobs.get(stored_names.submission_report_name(name, found.rescored))
    except MissingBlobError:
        return Audited(1, 0, 0, (), (f"report {name}",))
    if json.loads(stored)["scorer"] != {"track": track.name, "version": track.version}:
        return Audited(1, 0, 0, (), ())
    try:
        answers, run = programs.answered(platform, found)
    except MissingBlobError:
        return Audited(1, 0, 0, (), (f"answers {name}",))
    scored = scoring.score(platform, found, answers)
    different = [] if stored == scoring.report(platform, found, scored, run) else [f"report {name}"]
    if scoring.value_of(platform, found, scored) != found.value:
        different.append(f"value {name}")
    different += [f"entry {name} {scope}" for scope in _unlike_claims(platform, found, scored)]
    return Audited(1, len(scored.outcomes), 1, tuple(different), ())


def _unlike_claims(platform: Platform, found: Submission, scored: scoring.Scored) -> Iterator[str]:
    """Yield the parts of boards on which a submission claims something else than its answers make.

    A cycle loaded after the scoring may have other days of its stages: what claims nothing at all may have been off
    the board before, and is not asked for.
    """
    if found.of:
        return
    claims = boards.claims_of(platform, found.cycle, found.team_id, found.submission_id)
    if not claims and reading.cycle_now(platform).loaded_at > found.changed_at:
        return
    for entry in scoring.entries_of(platform, found, scored):
        claimed = [leaderboard.as_json(each) for each in claims if each.language == entry.language]
        if canonical(claimed) != canonical([leaderboard.as_json(entry)]):
            yield entry.language


def begin(platform: Platform, submission_id: str) -> None:
    """Send for the recomputation of a submission that is scored.

    Clause: TS T13, platform §4 shadow
    """
    platform.shadows.send([_task(submission_id)])


def again(platform: Platform) -> Recomputed:
    """Recompute every scored submission once more, whatever was found before; what was found stands meanwhile.

    Clause: R 8.3.4
    """
    found = look(platform)
    known = [each.submission_id for each in platform.submissions.listed() if each.state is SubmissionState.SCORED]
    platform.shadows.send([_task(each, again=True) for each in known])
    return found


def look(platform: Platform) -> Recomputed:
    """How far the scored submissions are recomputed under the present facts, and what was found. O(all of them)."""
    known = platform.submissions.listed()
    parts = _parts(platform, known)
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_SHADOWS))
    made = sum(each in there for each in parts.values())
    return Recomputed(len(parts), made, _result(platform, known, parts))


def refuse_unless_clean(platform: Platform, places: Sequence[tuple[str, str, int, float | None]]) -> None:
    """Nothing is published that was not recomputed, or that differs from what was: numbers of a submission, the choice
    of what is run in private, a place. ``places``: board, team, place, value, as they would be published.

    What nobody has recomputed yet is sent for.

    Clause: TS T13, TS F-7, platform §4 shadow, R 8.3.5
    """
    known = platform.submissions.listed()
    parts = _parts(platform, known)
    result = _result(platform, known, parts)
    if result is None:
        raise _waits(platform, parts)
    if result["total"]:
        first = result["differences"][0]
        raise _differ(result["total"], first["message"], first["message_ru"], submission_id=first["submission_id"])
    shown = sorted(list(each) for each in places)
    unlike = [pair for pair in _paired(shown, sorted(result["places"])) if pair[0] != pair[1]]
    if unlike:
        ours, theirs = unlike[0]
        said = f"place: the platform has {ours}, the recomputation {theirs}"
        raise _differ(len(unlike), said, f"место: у платформы {ours}, при пересчёте {theirs}")


def _waits(platform: Platform, parts: Mapping[str, str]) -> RefusedError:
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_SHADOWS))
    missing = [name for name, part in parts.items() if part not in there]
    platform.shadows.send([_task(each) for each in missing or list(parts)[:1]])
    made = len(parts) - len(missing)
    return RefusedError(
        "results_not_verified",
        f"{made} of {len(parts)} submissions are recomputed independently; publish when all are, in a few minutes",
        f"независимо пересчитано посылок: {made} из {len(parts)}; опубликуйте через несколько минут",
        made=made,
        submissions=len(parts),
    )


def _differ(total: int, first: str, first_ru: str, **where: Any) -> RefusedError:
    return RefusedError(
        "results_differ",
        f"the independent recomputation has found {total} differences, contest submission shadow shows all; the first: "
        f"{first}",
        f"независимый пересчёт нашёл расхождения: {total}, все показывает contest submission shadow; первое: "
        f"{first_ru}",
        differences=total,
        **where,
    )


def _paired(ours: Sequence[Any], theirs: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Rows of both sides by board and team; None where one has none."""
    mine, others = ({(each[0], each[1]): each for each in rows} for rows in (ours, theirs))
    return [(mine.get(key), others.get(key)) for key in sorted({*mine, *others})]


def _parts(platform: Platform, known: Sequence[Submission]) -> dict[str, str]:
    """Names of the results for what is scored, by submission."""
    scored = [each for each in known if each.state is SubmissionState.SCORED]
    report_of = stored_names.submission_report_name
    named = {each.submission_id: report_of(each.submission_id, each.rescored) for each in scored}
    there = frozenset(platform.blobs.names(stored_names.SUBMISSION_REPORTS))
    reports = platform.blobs.get_all(sorted(each for each in named.values() if each in there))
    return {
        each.submission_id: stored_names.submission_shadow_name(
            each.submission_id, recomputed.facts_of(each, reports.get(named[each.submission_id]))
        )
        for each in scored
    }


def _result(platform: Platform, known: Sequence[Submission], parts: Mapping[str, str]) -> dict[str, Any] | None:
    name = stored_names.submission_shadow_name("whole", recomputed.facts_of_all(known, parts))
    try:
        found: dict[str, Any] = json.loads(platform.blobs.get(name))
    except MissingBlobError:
        return None
    return found


def _task(submission_id: str, *, again: bool = False) -> ShadowTask:
    return ShadowTask("", submission_id=submission_id, again=again)
