"""Bugs invented from the specification alone, before their author had read the checker: what a sloppy platform, or a
biased one, would get wrong in a final where nobody looks."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in

_FAVOURED: Final = "team-001"
_SECOND: Final = 1_000


def shorten_after_the_pause() -> None:
    """What a pause has moved may be answered for a second less."""
    from contest.domain.run.schedule import Schedule

    original = Schedule.answer_by

    def answer_by(self: Any, number: int, arrival: int, handed_out_at: int) -> Any:
        moved = self.opens_at(number) != self.planned_at(number)
        return original(self, number, arrival, handed_out_at) - _SECOND * moved

    put_in(Schedule, "answer_by", answer_by)


def score_anothers_answer() -> None:
    """An answer in a run is scored by what another team of the run answered to the same file."""
    from contest import stored_names
    from contest.services import reading
    from contest.services.results import score_answer

    original = score_answer.stored_answer

    def stored_answer(platform: Any, session_id: str, number: int, content_sha256: str) -> Any:
        session = reading.session(platform, session_id)
        if session is not None and session.run_id:
            for _, other in platform.runs.sessions_of(session.run_id):
                found = platform.deliveries.get(other, number)
                if other != session_id and found is not None and found.answer is not None:
                    name = stored_names.answer_name(other, number, found.answer.content_sha256)
                    return json.loads(platform.blobs.get(name))
        return original(platform, session_id, number, content_sha256)

    put_in(score_answer, "stored_answer", stored_answer)


def round_over_the_barrier() -> None:
    """A result is rounded to whole per cent before it is held against the barrier."""
    from contest.domain.results import leaderboard

    original = leaderboard.board

    def board(*words: Any) -> Any:
        return tuple(_over(row, round(row.value or 0) >= 100) for row in original(*words))

    put_in(leaderboard, "board", board)


def _over(row: Any, overcame: bool) -> Any:
    return row if row.overcame is None else replace(row, overcame=overcame)


def forget_the_silent() -> None:
    """The record leaves out who answered nothing."""
    from contest.services.run import records

    original = records.build

    def build(platform: Any, schedule: Any, sessions: Any) -> Any:
        heard = tuple(
            each
            for each in sessions
            if any(one.answer is not None for one in platform.deliveries.of_session(each.session_id))
        )
        return original(platform, schedule, heard)

    put_in(records, "build", build)


def sign_another_body() -> None:
    """The receipt of a better answer signs the hash of the one before."""
    from contest.services.exchange import answering

    original = answering._receipt

    def receipt(platform: Any, known: Any, incoming: Any, decision: Any) -> Any:
        before = known.delivery.latest_sha256 or incoming.digest
        made = original(platform, known, replace(incoming, digest=before), decision)
        return replace(made, content_sha256=incoming.digest)

    put_in(answering, "_receipt", receipt)


def match_any_send() -> None:
    """An answer equal to any earlier one, not to the latest alone, is taken for its repetition."""
    from contest.domain.session.delivery import Decision, Status
    from contest.services.exchange import answering

    original = answering._decision

    def decision(platform: Any, incoming: Any, known: Any) -> Any:
        found = original(platform, incoming, known)
        if incoming.key is None and found.status is Status.ACCEPTED:
            page = platform.deliveries.receipts(known.session.session_id, 1_000, None)
            for each in page.items:
                same = (each.number, each.content_sha256) == (incoming.number, incoming.digest)
                if same and each.status == Status.ACCEPTED.value:
                    return Decision(Status.REPEAT, each.send, None, known.delivery, found.at)
        return found

    put_in(answering, "_decision", decision)


def erase_by_being_late() -> None:
    """An answer after the deadline takes the place of the one that was in time."""
    from contest.domain.session import transitions
    from contest.domain.session.delivery import Status

    original = transitions.accept

    def accept(*words: Any, **more: Any) -> Any:
        found = original(*words, **more)
        return replace(found, after=replace(found.after, answer=None)) if found.status is Status.LATE else found

    put_in(transitions, "accept", accept)


def hold_one_team_back() -> None:
    """One team gets every file a second after the others."""
    from contest.services.exchange import hand_out

    original = vars(hand_out)["own_session"]

    def own_session(platform: Any, request: Any) -> Any:
        case = original(platform, request)
        if case.session.team_id != _FAVOURED or case.schedule is None or request.number is None:
            return case
        return case._replace(schedule=_later(case.schedule))

    put_in(hand_out, "own_session", own_session)


def _later(schedule: Any) -> Any:
    twin = copy.copy(schedule)
    object.__setattr__(twin, "openings", tuple(each + _SECOND for each in schedule.openings))
    return twin


def wait_for_one_team() -> None:
    """One team's answers are in time for a second longer, and said to have come in the last moment."""
    from contest.services.exchange import answering

    original = answering._taken

    def taken(platform: Any, incoming: Any, known: Any) -> Any:
        by = known.delivery.answer_by
        if known.session.team_id == _FAVOURED and by < incoming.arrival <= by + _SECOND:
            incoming = replace(incoming, arrival=by)
        return original(platform, incoming, known)

    put_in(answering, "_taken", taken)


def forgive_the_network() -> None:
    """What a team lost by its network counts on neither side of the share of missed files."""
    from contest.domain.results import file_views
    from contest.domain.session.delivery import Cause

    put_in(file_views, "NOBODYS", file_views.NOBODYS | {Cause.NETWORK})


def break_ties() -> None:
    """Equal results have places one after the other."""
    from contest.domain.results import leaderboard

    original = leaderboard.board

    def board(*words: Any) -> Any:
        rows = enumerate(original(*words), start=1)
        return tuple(replace(row, place=place, place_to=place) for place, row in rows)

    put_in(leaderboard, "board", board)


def keep_annulled_solutions() -> None:
    """A solution with too many missed files stays on the board."""
    from contest.domain.results import run_report

    original = run_report.solution

    def solution(*words: Any) -> Any:
        return {**original(*words), "voided": False}

    put_in(run_report, "solution", solution)


def tell_hashes_in_headers() -> None:
    """Who asks too early reads the hash of the file in a header."""
    from contest.edge import web
    from contest.services import reading
    from contest.services.exchange import hand_out

    not_yet, answer = hand_out._not_yet, web.answer
    coming: list[str] = []

    def remembered(platform: Any, schedule: Any, number: int) -> Any:
        if schedule.run.run_id:
            coming.append(reading.run_plan(platform, schedule)[number - 1].content_sha256)
        return not_yet(platform, schedule, number)

    def told(body: Any, status: int = 200, retry_after_s: int | None = None, etag: str | None = None) -> Any:
        return answer(body, status, retry_after_s, coming.pop() if coming else etag)

    put_in(hand_out, "_not_yet", remembered)
    put_in(web, "answer", told)


def forget_late_answers() -> None:
    """A late answer is told to be late, and not kept."""
    from contest.adapters.blobs import S3Blobs
    from contest.domain.session.delivery import Status
    from contest.services.exchange import answering

    decision, put = answering._decision, S3Blobs.put_if_absent
    last: list[Any] = []

    def decided(*words: Any) -> Any:
        found = decision(*words)
        last[:] = [found.status]
        return found

    def put_if_absent(self: Any, name: str, content: bytes) -> None:
        if not name.startswith("answers/") or last != [Status.LATE]:
            put(self, name, content)

    put_in(answering, "_decision", decided)
    put_in(S3Blobs, "put_if_absent", put_if_absent)


def misreport_times() -> None:
    """A report's 95th percentile of times is their greatest, its median their least."""
    from contest.domain.results import session_report

    original = session_report.statistics

    def statistics(values: Any) -> Any:
        found = original(values)
        present = [each for each in values if each is not None]
        return {**found, "p95": max(present), "p50": min(present)} if present else found

    put_in(session_report, "statistics", statistics)


def salt_all_alike() -> None:
    """All leaves of a commitment have one salt."""
    from contest.adapters.randomness import SystemRandomness

    put_in(SystemRandomness, "salt", lambda _: "a" * 64)


def count_who_left() -> None:
    """A final's session that its team has ended stands on the board."""
    from contest.domain.results import leaderboard
    from contest.domain.session.session import State

    original = leaderboard.final_entry

    def final_entry(facts: Any, schedule: Any, track: Any) -> Any:
        session = facts.session
        if session.state is State.ABORTED:
            facts = replace(facts, session=replace(session, state=State.FINISHED))
        return original(facts, schedule, track)

    put_in(leaderboard, "final_entry", final_entry)


def count_what_is_refused() -> None:
    """What is no valid answer is a send like any other."""
    from contest.adapters.deliveries import DynamoDeliveries, FileItem, file_sk
    from contest.adapters.sessions import session_key

    original = DynamoDeliveries.count_refused

    def count_refused(self: Any, session_id: str, number: int, code: str) -> None:
        original(self, session_id, number, code)
        item = FileItem.get(session_key(session_id), file_sk(number), consistent_read=True)
        item.update(actions=[FileItem.sends.add(1), FileItem.version.add(1)])

    put_in(DynamoDeliveries, "count_refused", count_refused)


def send_no_sign_of_life() -> None:
    """Clients of Engine.IO 4 hear nothing while no file opens."""
    from contest.services.channel import connections

    put_in(connections, "keep_alive", lambda *_: None)


def keep_who_enters_nothing() -> None:
    """A connection that has entered nothing is never closed."""
    from contest.services.channel import connections

    put_in(connections, "retire", lambda *_: 0)


def date_uses_forward() -> None:
    """A token was used a minute after it was."""
    from contest.adapters.requests import DynamoRequests
    from contest.domain.moments import MINUTE

    original = DynamoRequests.note_use
    put_in(
        DynamoRequests,
        "note_use",
        lambda self, team_id, token_id, at: original(self, team_id, token_id, at + MINUTE),
    )


def refuse_own_receipts() -> None:
    """The list of a session's receipts ends in an error."""
    from contest.adapters.deliveries import DynamoDeliveries

    put_in(DynamoDeliveries, "receipts", lambda *_: None)


def take_five_a_second() -> None:
    """Half as many requests of a second are taken as may be made."""
    from contest.domain.session import limits

    original = limits.over_rate
    put_in(limits, "over_rate", lambda count, limit: original(2 * count, limit))


def halve_the_usual_time() -> None:
    """Who chooses no time for an answer has half of the usual one."""
    from contest.services.session import opening

    original = opening._order

    def order(wish: Any, rules: Any, mode: Any) -> Any:
        found = original(wish, rules, mode)
        return found if wish.time_limit_s is not None else replace(found, time_limit_s=found.time_limit_s // 2)

    put_in(opening, "_order", order)


BUGS: Final = by_name(
    shorten_after_the_pause,
    score_anothers_answer,
    round_over_the_barrier,
    forget_the_silent,
    sign_another_body,
    match_any_send,
    erase_by_being_late,
    hold_one_team_back,
    wait_for_one_team,
    forgive_the_network,
    break_ties,
    keep_annulled_solutions,
    tell_hashes_in_headers,
    forget_late_answers,
    misreport_times,
    salt_all_alike,
    count_who_left,
    count_what_is_refused,
    send_no_sign_of_life,
    keep_who_enters_nothing,
    date_uses_forward,
    refuse_own_receipts,
    take_five_a_second,
    halve_the_usual_time,
)
