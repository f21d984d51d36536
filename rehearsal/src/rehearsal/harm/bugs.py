"""The bugs that a rehearsal can plant in its copy of the platform, so that the checker is itself checked.

Each is a row of ``bugs.toml``: the mistake, the check that detects it, the smallest rehearsal tried in which it does.
This module has its changes of the contest's own code, in every process of the copy, where a mistake of that kind would
be made. An event that happens by chance in reality (a crash in the one wrong instant, a race) happens here every time,
or to a part of the answers that their numbers choose.

A change takes the attribute as it is and returns its replacement. Most are made by the functions below.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.resources import files
from inspect import getattr_static, signature
from itertools import count
from types import ModuleType
from typing import Any, Final

from contest.people.rules import Role
from contest.refusals import ContestError
from contest.results.rules.leaderboard import Visibility
from contest.results.rules.set_access import Asker
from contest.routes import Right
from contest.run.rules.commitment import rulings
from contest.session.rules.delivery import Cause, Status
from rehearsal.harm import replacements as wrong
from rehearsal.history import MINUTE, SECOND
from rehearsal.proof.oracle import ESSAY

Change = Callable[[Any], Any]
_SHARES: Final = {
    **dict.fromkeys(("slow", "disconnects", "duplicates", "wrong"), 0.9),
    "losses": 1.0,
    "clocks": 0.5,
    "kills": 0.3,
    "resends": 0.2,
}
_SHARE_OF_OTHER_STAGES: Final = 0.6


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The smallest rehearsal tried in which ``check`` fails because of a bug: its numbers of teams and files, its kind
    of stage, and the injected ``faults`` (words of ``--faults``)."""

    check: str
    faults: str = "none"
    teams: int = 1
    files: int = 1
    kind: str = ESSAY

    @property
    def share(self) -> float:
        """Return the share of files with a trick that provokes the bug."""
        return _SHARES.get(self.faults, 0.0) if self.kind == ESSAY else _SHARE_OF_OTHER_STAGES


@dataclass(frozen=True, slots=True)
class Bug:
    """A mistake in the platform, with the rehearsal that detects it.

    ``changes`` maps targets (``module:attribute`` or ``module:Class.attribute``) to their changes.
    """

    mistake: str
    detected_by: Rehearsal
    changes: Mapping[str, Change]

    def plant(self) -> None:
        """Change the platform of this process. AttributeError for a target that does not exist.

        A function is changed wherever it was imported by its name, too, if its target is the module that defines it.
        """
        for owner, name, changed in [self.changed(target) for target in self.changes]:
            original = getattr_static(owner, name)
            if isinstance(owner, ModuleType) and getattr(original, "__module__", None) == owner.__name__:
                for module in [candidate for candidate in sys.modules.values() if isinstance(candidate, ModuleType)]:
                    for alias in [key for key, member in vars(module).items() if member is original]:
                        setattr(module, alias, changed)
            setattr(owner, name, changed)

    def changed(self, target: str) -> tuple[Any, str, Any]:
        """Return a target's owner (module or class), its name there, and the bug's replacement."""
        module, _, path = target.partition(":")
        *classes, name = path.split(".")
        owner: Any = import_module(module)
        for class_name in classes:
            owner = getattr(owner, class_name)
        change, original = self.changes[target], getattr_static(owner, name)
        match original:
            case property():
                return owner, name, property(change(original.fget))
            case classmethod() | staticmethod():
                return owner, name, type(original)(change(original.__func__))
        return owner, name, change(original)


def value(new: Any) -> Change:
    """Put a constant in the place of another."""
    return lambda _: new


def always(result: Any = None) -> Change:
    """Return a fixed result instead of calling the function."""
    return lambda _: lambda *_, **__: result


def around(function: Callable[..., Any]) -> Change:
    """Call a function with the original one first, then the arguments."""
    return lambda original: lambda *args, **named: function(original, *args, **named)


def result(change: Callable[[Any], Any]) -> Change:
    """Change the function's result."""
    return lambda original: lambda *args, **named: change(original(*args, **named))


def arguments(**changes: Callable[[Any], Any]) -> Change:
    """Change arguments by their names. TypeError, when planted, for a name that the function does not have."""

    def change(original: Any) -> Any:
        takes = signature(original)
        if unknown := changes.keys() - takes.parameters.keys():
            raise TypeError(f"{original.__qualname__} takes no {', '.join(sorted(unknown))}")

        def call(*args: Any, **named: Any) -> Any:
            bound = takes.bind(*args, **named)
            bound.arguments |= {name: transform(bound.arguments[name]) for name, transform in changes.items()}
            return original(*bound.args, **bound.kwargs)

        return call

    return change


def twice(original: Any) -> Any:
    """Call the function once more with the same arguments."""

    def call(*args: Any, **named: Any) -> Any:
        original(*args, **named)
        return original(*args, **named)

    return call


ACCEPT: Final = "contest.session.rules.delivery:accept_answer"
CONDUCTING: Final = "contest.run.rules.conducting"
ANSWER_OF: Final = "contest.results.scoring:answer_of"
ARM: Final = "contest.run.under_way:arm_file"
AUTHENTICATION: Final = "contest.people.authentication"
CAUSE: Final = "contest.run.rules.fate:_cause"
COMMITMENT: Final = "contest.run.rules.commitment"
CONNECTIONS: Final = "contest.channel.connections"
DELIVERIES: Final = "contest.exchange.store:DynamoDeliveries"
FILES: Final = "contest.edge.files"
EXCHANGED: Final = "contest.exchange.files"
LOG: Final = "contest.people.store:DynamoAuditLog"
LEADERBOARD: Final = "contest.results.rules.leaderboard"
SESSIONS: Final = "contest.session.rules.session"
OTHER_ROOT: Final = "0" * 64
ONE_FILE: Final = "contest.results.one_file"
PARAMETERS: Final = "contest.reading:parameters"
PRIVATE: Final = "contest.submissions.private"
RECORDS: Final = "contest.run.recording"
RUNS: Final = "contest.submissions.scoring"
SCHEDULE: Final = "contest.run.rules.schedule:Schedule"
SETTLING: Final = "contest.results.settling"
SHOWN: Final = "contest.session.following:Work.shown"
SHOWN_BOARD: Final = "contest.results.boards:_shown"
ACCESS: Final = "contest.session.access"
TABLES: Final = "contest.results.rules.file_tables"
WITHHELD: Final = "contest.results.rules.set_access:reason_to_withhold"
_IDS: Final = count(7 * 10**14)


def _is_hit(number: int) -> bool:
    """Return whether a bug hits a file: the first, and every third after it."""
    return number % 3 == 1


def _cause(changed: dict[Cause, Cause]) -> Change:
    """Give missed files other causes."""
    return result(lambda cause: (changed.get(cause[0], cause[0]), cause[1]))


_CHANGES: Final[dict[str, Mapping[str, Change]]] = {
    # Answers and receipts
    "acknowledge-before-storing": {
        f"{DELIVERIES}.send": around(lambda send, self, sent: _is_hit(sent.receipt.number) or send(self, sent))
    },
    "lose-an-outbox-record": {
        f"{DELIVERIES}.send": arguments(sent=lambda s: replace(s, is_scored=False) if _is_hit(s.receipt.number) else s)
    },
    "drop-the-original": {f"{DELIVERIES}.send": around(wrong.drop_the_original)},
    "two-winners": {f"{DELIVERIES}.send": around(wrong.write_without_conditions)},
    "accept-late": {
        ACCEPT: around(
            lambda accept, file, heard, **more: accept(
                file, replace(heard, arrival=min(heard.arrival, file.answer_by)), **more
            )
        )
    },
    "refuse-the-last-moment": {
        ACCEPT: around(
            lambda accept, file, heard, **more: accept(
                file, replace(heard, arrival=heard.arrival + (heard.arrival == file.answer_by)), **more
            )
        )
    },
    "erase-by-being-late": {
        ACCEPT: result(
            lambda late: replace(late, after=replace(late.after, answer=None)) if late.status is Status.LATE else late
        )
    },
    "wait-for-one-team": {f"{EXCHANGED}:_receipt_body": around(wrong.wait_for_one_team)},
    "forget-late-answers": {
        f"{EXCHANGED}:_decision": result(wrong.note_decision),
        "contest.adapters.aws:S3Blobs.put_if_absent": around(wrong.put_unless_late),
    },
    "sign-another-body": {f"{EXCHANGED}:_receipt": around(wrong.sign_another_body)},
    "match-any-send": {f"{EXCHANGED}:_decision": around(wrong.match_any_send)},
    "count-what-is-refused": {f"{DELIVERIES}.count_refused": around(wrong.count_refused)},
    "refuse-without-reasons": {
        "contest.errors:InvalidAnswerError.__init__": around(lambda _, self, *__, **___: ContestError.__init__(self))
    },
    # Openings and deadlines
    "open-early": {
        f"{SCHEDULE}.opens_at": result(lambda opens_at: opens_at - 10 * SECOND),
        f"{SCHEDULE}.window": result(lambda window: replace(window, opens_at=window.opens_at - 10 * SECOND)),
    },
    "favour-one-team": {f"{EXCHANGED}:own_session": around(wrong.for_one_team(-MINUTE, "openings", "planned"))},
    "hold-one-team-back": {f"{EXCHANGED}:own_session": around(wrong.for_one_team(SECOND, "openings"))},
    "let-latecomers-join": {"contest.run.rules.schedule:_joined_until": result(lambda until: until + MINUTE)},
    "keep-what-the-platform-took": {"contest.run.rules.schedule:platform_time": always(0)},
    "keep-what-a-hand-out-took": {f"{SCHEDULE}.answer_by": around(wrong.answer_by_the_opening)},
    "give-back-the-wait": {f"{SCHEDULE}.answer_by": around(wrong.answer_by_the_wait)},
    "shorten-after-the-pause": {f"{SCHEDULE}.answer_by": around(wrong.shorten_after_the_pause)},
    "forgive-every-lateness": {
        "contest.run.rules.schedule:counted_moment": around(
            lambda _, arrival, opens_at, _taken_by_platform: min(arrival, opens_at)
        )
    },
    "hold-nobody": {f"{EXCHANGED}:HOLD": value(0)},
    "arm-nothing": {ARM: always(False)},
    "arm-the-whole-run": {"contest.run.under_way:ARMED_AHEAD": value(24 * 60 * MINUTE)},
    "arm-once": {ARM: around(wrong.arm_once)},
    # What is handed out and told
    "hand-out-another-file": {SHOWN: result(lambda file: {**file, "meta": {**file["meta"], "theme": "Another theme"}})},
    "swap-the-texts": {SHOWN: around(wrong.another_text)},
    "tell-hashes-in-headers": {
        f"{EXCHANGED}:_not_yet": around(wrong.note_the_coming_hash),
        "contest.edge.web:answer": around(wrong.answer_with_the_hash),
    },
    "name-the-file-after": {
        f"{EXCHANGED}:found_next": around(
            lambda find, session, schedule, number: find(session, schedule, min(number + 1, session.files))
        )
    },
    "show-others-sessions": {"contest.session.access:admit": around(wrong.read_by_the_session)},
    "open-staffs-doors": {"contest.people.rules:may": always(True)},
    "compare-for-one-team": {f"{ONE_FILE}:comparison": around(wrong.compare_for_one_team)},
    "tell-pairs-of-hidden-files": {"contest.results.rules.reports:measures_of": around(lambda _, _track, score: score)},
    # Own sessions
    "forget-the-chosen-limit": {
        "contest.session.opening:_order": arguments(wish=lambda wish: replace(wish, time_limit_s=None))
    },
    "offer-hidden-sets": {"contest.cycle.rules.cycle:Cycle.open_sets": around(lambda _, self: self.sets)},
    "time-bodies-at-their-end": {
        f"{SESSIONS}:counted_arrival": around(lambda _, arrival, begun, *_body, **_starts: max(arrival, begun))
    },
    "keep-training-scores": {f"{ONE_FILE}:_score": around(wrong.score_after_the_end)},
    "keep-silent-sessions": {PARAMETERS: result(lambda rules: replace(rules, idle_timeout_s=86_400))},
    "close-silent-sessions-late": {PARAMETERS: result(lambda rules: replace(rules, idle_timeout_s=17 * 60))},
    "abort-a-final-at-once": {
        f"{ACCESS}:abort": around(lambda abort, platform, request, **_: abort(platform, request, confirmed=True))
    },
    "finish-who-left": {f"{ACCESS}:abort": around(wrong.finish_who_left)},
    "count-files": {"contest.adapters.system:SystemRandomness.file_id": lambda _: lambda _: str(next(_IDS))},
    "list-the-oldest-first": {f"{ACCESS}:list_sessions": result(lambda listed: listed[::-1])},
    "forget-logs": {
        "contest.adapters.aws:S3Blobs.put": around(
            lambda put, self, name, *more: name.startswith("logs/") or put(self, name, *more)
        )
    },
    # Limits
    "refuse-answers-for-the-rate": {f"{SESSIONS}:may_exceed_rate": always(False)},
    "take-any-number-of-answers": {
        f"{SESSIONS}:may_exceed_rate": arguments(sends=lambda _: 1_000, refusals=lambda _: 1_000)
    },
    "spare-the-late": {f"{SESSIONS}:may_exceed_rate": around(wrong.answer_in_time)},
    "forget-who-was-spared": {"contest.session.access:note_request": always()},
    "count-repeats-twice": {f"{DELIVERIES}.count_repeated": twice},
    "take-large-bodies": {f"{EXCHANGED}:MAX_ANSWER": value(1 << 30)},
    # Causes of missed files
    "count-a-platform-fault": {CAUSE: _cause({Cause.PLATFORM: Cause.TEAM_LATE})},
    "excuse-the-late": {CAUSE: _cause({Cause.TEAM_LATE: Cause.PLATFORM})},
    "call-misses-decisions": {CAUSE: always((Cause.ORGANIZER_DECISION, {}))},
    # Decisions of the organizers
    "ignore-pauses": {"contest.run.rules.schedule:_pauses": always(())},
    "void-for-others-alone": {
        "contest.run.rules.fate:Circumstances.annulled": around(
            lambda annulled, self: {} if self.team_id == wrong.FAVOURED else annulled(self)
        )
    },
    "reword-rulings": {f"{RECORDS}:build_record": result(wrong.reword_rulings)},
    "tell-rulings-early": {f"{COMMITMENT}:published_rulings": around(lambda _, *words: rulings(*words))},
    "replace-any-number": {f"{CONDUCTING}:_EFFECTS": wrong.replace_any_number},
    "take-back-what-holds": {f"{CONDUCTING}:BELIEVED": value(-61 * SECOND)},
    "propose-two-files": {"contest.run.rules.fate:LEAST_FILES": value(2)},
    "draw-seen-files": {"contest.run.planning:_unused": wrong.draw_seen_files},
    # Commitments and records
    "salt-all-alike": {"contest.adapters.system:SystemRandomness.salt": always("a" * 64)},
    "promise-another-restart": {
        f"{COMMITMENT}:statement": around(
            lambda statement, run, root, key: statement(run, root if run.restarts is None else OTHER_ROOT, key)
        )
    },
    "append-without-a-promise": {
        "contest.run.watching:_with_files": result(
            lambda added: replace(added, details={**added.details, "root": OTHER_ROOT})
        )
    },
    "forget-the-silent": {f"{RECORDS}:build_record": around(wrong.record_who_answered)},
    "record-answers-before-files": {f"{RECORDS}:_file": around(wrong.record_early_answers)},
    "record-other-openings-of-trials": {f"{RECORDS}:_releases": around(wrong.record_late_openings)},
    # Work of the timer
    "forget-lost-jobs": {"contest.results.scoring:queue_again": around(wrong.enqueue_open)},
    "forget-lost-steps": {"contest.results.settling:_due": wrong.once_each},
    "report-a-visit-late": {"contest.session.store:DynamoSessions.unreported_ids": wrong.of_the_visit_before},
    # The event channel
    "push-nothing": {f"{CONNECTIONS}:send_events": always(True)},
    "forget-who-comes-back": {"contest.channel.dialects:ReadableDialect.entered": around(lambda *_: [])},
    "remember-strangers": {f"{CONNECTIONS}:connect": around(wrong.connect_strangers)},
    "send-no-sign-of-life": {f"{CONNECTIONS}:keep_alive": always()},
    "keep-who-enters-nothing": {f"{CONNECTIONS}:close_silent": always(0)},
    # Scores
    "score-against-others-markups": {"contest.reading:references": wrong.by_the_file_before},
    "score-anothers-answer": {"contest.results.scoring:stored_answer": around(wrong.answer_of_another)},
    # Boards
    "swap-the-names": {SHOWN_BOARD: result(lambda board: replace(board, names=wrong.rotated(board.names)))},
    "narrow-the-intervals": {SHOWN_BOARD: result(wrong.narrower)},
    "round-over-the-barrier": {f"{LEADERBOARD}:board": result(wrong.rounded)},
    "break-ties": {f"{LEADERBOARD}:board": result(wrong.placed)},
    "keep-the-last-entry": {
        f"{LEADERBOARD}:best_of": around(lambda _, claims, *__: max(claims, key=lambda claim: claim.closed_at))
    },
    "ask-for-more": {
        f"{LEADERBOARD}:_entry": arguments(rules=lambda rules: replace(rules, least_share=rules.least_share + 0.001))
    },
    "hide-abstention": {f"{LEADERBOARD}:abstention": around(wrong.without_annulled)},
    "count-who-left": {f"{LEADERBOARD}:final_entry": around(wrong.count_who_left)},
    "count-trials": {
        f"{LEADERBOARD}:final_entry": arguments(
            schedule=lambda schedule: replace(schedule, run=replace(schedule.run, trial=False))
        )
    },
    "keep-back-the-last-places": {"contest.results.store:DynamoBoards.points": result(lambda points: points[:-1])},
    "note-places-a-visit-late": {"contest.results.publishing:_noted": wrong.noted_a_visit_late},
    # Annulment and reports
    "forgive-the-network": {"contest.run.rules.fate:NOBODYS": lambda nobodys: nobodys | {Cause.NETWORK}},
    "keep-annulled-solutions": {
        "contest.results.rules.reports:whole_solution": result(lambda solution: {**solution, "voided": False})
    },
    "misreport-times": {"contest.results.rules.reports:statistics": around(wrong.extreme)},
    # Archive
    "archive-one-expert-twice": {f"{SETTLING}:_references": result(lambda markups: [markups[0]] * len(markups))},
    "archive-nothing": {f"{SETTLING}:due_archives": around(lambda *_: [])},
    # Qualification
    "ask-for-less": {
        "contest.results.rules.qualification:conclude": arguments(
            parameters=lambda rules: replace(rules, readiness_min_share=0.9)
        )
    },
    "forget-who-ruled": {"contest.results.reporting:write_conclusion": arguments(change=lambda _: None)},
    # Annotations of experts
    "call-no-third-expert": {
        "contest.experts.judged_essays:_decision": result(lambda decision: decision and replace(decision, reasons=()))
    },
    "show-anothers-assignment": {"contest.experts.work:stored_assignment": around(wrong.stored_for_anyone)},
    "count-the-first-draft": {"contest.experts.rules.assignment:with_draft": around(wrong.first_draft)},
    # Items and dialogues
    "exclude-the-missed": {
        "contest.results.rules.reports:run_outcomes": result(
            lambda outcomes: tuple(outcome for outcome in outcomes if outcome.answered)
        )
    },
    "count-v3-alone": {ANSWER_OF: result(lambda answer: answer[:1] if isinstance(answer, list) else answer)},
    "lose-a-response": {"contest.session.following:dialogue_standing": result(wrong.without_responses)},
    "show-one-board-for-all": {"contest.results.boards:scope_of": around(lambda _, _platform, _key, part: part)},
    "archive-the-items": {f"{SETTLING}:_essays": around(wrong.archive_the_items)},
    "forget-what-was-told": {WITHHELD: arguments(earlier=lambda _: ())},
    "tell-the-key-in-errors": {"contest.results.one_file:_refuse_details": around(wrong.name_the_key)},
    "push-the-next-file-too": {"contest.channel.pushing:_announced": around(wrong.push_the_next_too)},
    # Submitted programs
    "leave-one-more": {
        "contest.submissions.uploading:remaining_today": result(lambda quota: replace(quota, scored=quota.scored + 1))
    },
    "forget-the-day": {
        "contest.submissions.rules:counted_on": around(
            lambda count, submissions, day: count([replace(submission, day=day) for submission in submissions], day)
        )
    },
    "tell-what-differs": {WITHHELD: always()},
    "take-two-at-once": {
        "contest.results.store:DynamoSubmissions.lane": result(lambda lane: replace(lane, submission_id=""))
    },
    "promise-before-storing": {
        "contest.results.store:DynamoSubmissions.change": around(wrong.store_without_the_receipt)
    },
    "score-anothers-run": {f"{RUNS}:answers_of_run": around(wrong.outputs_of_the_first)},
    "show-anothers-prints": {f"{RUNS}:log_of": around(wrong.log_of_another)},
    "blame-the-program": {f"{RUNS}:look_at_run": result(wrong.blame_the_program)},
    "show-the-private-test-early": {f"{PRIVATE}:public_view": around(wrong.result_before_its_time)},
    "ignore-the-choice": {
        f"{PRIVATE}:chosen_of": arguments(
            submissions=lambda submissions: [replace(submission, named_at=None) for submission in submissions]
        )
    },
    "pay-unconfirmed": {"tracks.fusion.subtasks:is_multitask": around(lambda _, declared: declared is not None)},
    "archive-what-is-printed": {f"{PRIVATE}:_archived_run": around(wrong.archive_prints)},
    # People
    "believe-revoked-tokens": {"contest.people.rules:Token.is_live": always(True)},
    "believe-suspended-teams": {f"{AUTHENTICATION}:identity_of": around(wrong.identity_of_any_team)},
    "believe-the-dismissed": {f"{AUTHENTICATION}:person_of": around(wrong.person_of_anybody)},
    "open-any-number-of-sessions": {
        "contest.session.rules.session:quota_of": result(lambda quota: replace(quota, most=1_000))
    },
    "show-hidden-boards": {
        "contest.results.rules.leaderboard:public_state": result(
            lambda state: Visibility.PUBLISHED if state is Visibility.HIDDEN else state
        )
    },
    "thaw-boards": {
        "contest.results.rules.leaderboard:public_state": result(
            lambda state: Visibility.PUBLISHED if state is Visibility.FROZEN else state
        )
    },
    "hide-the-main-door-alone": {"contest.results.publishing:qualification_history": always([])},
    # Questions, mails, webhooks, annulled results
    "mail-to-other-teams": {"contest.people.store:DynamoPersons.members_of": around(wrong.members_of_all)},
    "mail-in-the-other-language": {"contest.messages.rules:body_of": around(wrong.in_the_other_language)},
    "mail-no-conclusions": {"contest.messages.rules:CONCLUSIONS": value({})},
    "leave-questions-unread": {"contest.messages.rules:ASKS_ORGANIZERS": value({})},
    "tell-no-announcements": {
        "contest.messages.sending:announce": around(
            lambda announce, platform, notice: announce(platform, notice) if notice.kind.value == "answer" else None
        )
    },
    "mail-who-has-stopped": {
        "contest.messages.store:DynamoMailChoices.get": result(lambda choices: replace(choices, stopped=frozenset()))
    },
    "deliver-hooks-again": {"contest.messages.store:DynamoHooks.done": always()},
    "answer-everybody": {"contest.messages.asking:answer": around(wrong.answer_everybody)},
    "list-others-questions": {
        "contest.messages.store:DynamoQuestions.of_team": around(lambda _, self, _team: self.all())
    },
    "forget-who-was-right": {
        "contest.messages.rules:answered": result(
            lambda question: replace(question, answer=replace(question.answer, upheld=None))
        )
    },
    "keep-former-roles": {f"{AUTHENTICATION}:person_of": around(wrong.as_first_seen)},
    "keep-annulled-results": {
        "contest.session.following:counting_entries": around(
            lambda _, _platform, _cycle, _run, entries, *__: list(entries)
        )
    },
    # Files and keys
    "normalise-texts": {SHOWN: result(wrong.normalised)},
    "share-keys-of-requests": {
        "contest.session.store:save_key": arguments(session=lambda session: replace(session, team_id="any")),
        "contest.session.store:DynamoSessions.used": arguments(team_id=lambda _: "any"),
    },
    "end-keys-at-once": {
        f"{COMMITMENT}:with_validity": result(lambda keys: [replace(key, until=key.since) for key in keys])
    },
    "name-files-alike": {f"{FILES}:_file": arguments(name=lambda name: f"table.{name.rpartition('.')[2]}")},
    # Rights
    "end-the-day-in-utc": {
        f"{SESSIONS}:{name}": around(lambda day, now, _zone: day(now, "UTC"))
        for name in ("quota_day", "quota_resets_at")
    },
    "tell-hooks-of-other-teams": {
        "contest.messages.sending:tell_hooks": around(
            lambda tell, platform, hooks, _owners, event: tell(platform, hooks, {hook.owner for hook in hooks}, event)
        )
    },
    "give-sets-to-all-people": {
        "contest.results.downloading:asker_of": result(
            lambda asker: Asker.PARTICIPANT if asker is Asker.ANYBODY else asker
        )
    },
    "let-judges-inspect": {
        "contest.people.rules:may": around(
            lambda may, who, right: may(who, right) or (who.role is Role.JUDGE and right is Right.INSPECT_SUBMISSIONS)
        )
    },
    "refuse-in-english-alone": {
        "contest.wire:problem": result(
            lambda body: body.model_copy(
                update={"error": body.error.model_copy(update={"message_ru": body.error.message})}
            )
        )
    },
    # Boards and downloads
    "publish-over-differences": {
        f"{SETTLING}:refuse_unless_clean": always(),
        f"{SETTLING}:recomputation_state": result(lambda was: replace(was, result=wrong.with_a_difference(was.result))),
    },
    "mix-up-parts-of-boards": {"contest.results.boards:_shown": around(wrong.mixed_up_parts)},
    "download-others-names": {
        f"{TABLES}:board": around(lambda table, rows, names, *rest: table(rows, wrong.rotated(names), *rest))
    },
    "move-times-by-an-hour": {f"{FILES}:_csv": result(wrong.an_hour_later)},
    "move-times-of-workbooks": {f"{FILES}:cell_text": result(wrong.an_hour_later)},
    "print-local-times": {"contest.edge.pages:moment": result(wrong.an_hour_later)},
    "round-downloads": {
        f"{FILES}:_csv": around(lambda write, value: str(round(value)) if isinstance(value, float) else write(value))
    },
    "print-in-the-other-language": {
        "contest.edge.files:language_of": result(lambda language: {"ru": "en", "en": "ru"}[language])
    },
    "keep-one-tag": {"contest.edge.web:tag_of": always('"same"')},
    "swap-sessions-of-files": {
        f"{TABLES}:files": around(lambda table, reports: table(wrong.with_sessions_swapped(reports)))
    },
    "show-anothers-answer": {"contest.results.one_file:stored_answer": around(wrong.answer_of_another)},
    "draw-for-another-team": {
        "contest.charts:chart_of_session": around(
            lambda draw, facts, run: draw(replace(facts, session=replace(facts.session, team_id="team-002")), run)
        )
    },
    # Lists, records, the live page
    "lose-rows-of-workbooks": {"contest.edge.files:written_xlsx": arguments(tables=wrong.without_last_rows)},
    "tell-codes-to-russians": {"contest.edge.files:code_in_words": around(lambda _, code, _language: code)},
    "pack-without-an-expert": {
        "contest.results.rules.set_access:files_of": result(
            lambda listed: tuple(file for file in listed if not file.name.endswith("_exp02.json"))
        )
    },
    "ignore-a-filter": {"contest.people.teams:list_teams": around(lambda teams, platform, _=None: teams(platform))},
    "skip-a-row-between-pages": {"contest.exchange.store:DynamoDeliveries.receipts": result(wrong.without_the_last)},
    "list-no-runs": {"contest.run.watching:runs": always(())},
    "show-all-well": {"contest.edge.conducting:watch": result(wrong.all_well)},
    "record-no-requests": {
        "contest.run.recording:_file": result(
            lambda file: {name: None if name.endswith(("_at", "_by")) else value for name, value in file.items()}
        ),
        f"{SETTLING}:refuse_unless_clean": always(),
    },
    # The audit log and the costs
    "log-others-names": {f"{LOG}.on": result(wrong.shifted("who"))},
    "log-under-another-team": {f"{LOG}.on": result(wrong.subjects_rotated)},
    "log-no-tokens": {
        "contest.people.store:DynamoPeople.issue": around(lambda issue, self, token, _: issue(self, token, None))
    },
    "cut-the-downloaded-log": {f"{LOG}.between": result(lambda entries: list(entries)[:-1])},
    "charge-at-another-price": {"contest.operations.rules:bill": result(wrong.shifted("unit_price"))},
    "estimate-a-larger-final": {
        "contest.operations.overview:_participation": result(
            lambda figures: (replace(figures[0], value=figures[0].value + 1), figures[1])
        )
    },
    # Breakdowns, tables and charts
    "swap-two-metrics": {
        "contest.results.rules.reports:build_run_report": result(
            lambda report: {**report, "result": wrong.breakdown_swapped(report["result"], "by_metric")}
        )
    },
    "swap-two-subjects-on-boards": {SHOWN_BOARD: result(wrong.subjects_swapped)},
    "turn-tables-over": {
        "contest.results.rules.reports:section": result(lambda table: {**table, "rows": table["rows"][::-1]})
    },
    "draw-a-file-off": {"contest.charts:timeline_times": result(wrong.shifted("opens_at"))},
    "chart-the-next-team": {
        "contest.results.store:DynamoBoards.points": result(
            lambda points: [wrong.shifted("team_id", "places")(point) for point in points]
        )
    },
    # Other contests
    "value-the-next-team": {SHOWN_BOARD: around(wrong.values_rotated)},
    "count-words-as-spans": {f"{ONE_FILE}:_score": result(wrong.counts_swapped)},
    "swap-the-private-test": {f"{PRIVATE}:public_view": result(wrong.shifted("value", "places"))},
    "forget-what-waited": {
        "contest.results.rules.reports:processing_time": result(lambda span: span if span is None else span + SECOND)
    },
}

BUGS: Final = {
    name: Bug(row.pop("mistake"), Rehearsal(row.pop("check"), **row), _CHANGES[name])
    for name, row in tomllib.loads(files(__package__).joinpath("bugs.toml").read_text("utf-8")).items()
}
"""All bugs by their names. KeyError for a row without its change."""
