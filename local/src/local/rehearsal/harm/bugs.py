"""The bugs that a rehearsal can plant in its copy of the platform, so that the checker is itself checked.

Each is a change of the contest's own code in every process of the copy, where a mistake of that kind would be made.
What has to happen by chance in reality (a crash in the one wrong instant, a race) happens here every time, or to a
part of the answers that their numbers choose. Here are those of the exchange; the others are in the modules beside.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contest.session.rules.delivery import Cause
from local.rehearsal.harm import bugs_of_readers, bugs_of_results, bugs_of_stages, replacements
from local.rehearsal.harm.planting import (
    Bug,
    Change,
    Rehearsal,
    always,
    arguments,
    around,
    result,
    twice,
    value,
)
from local.rehearsal.moments import MINUTE, SECOND

ACCEPT: Final = "contest.session.rules.delivery:accept"
ANSWERING: Final = "contest.exchange.answering"
AMENDING: Final = "contest.run.rules.amending"
ARM: Final = "contest.run.watching:arm"
CAUSE: Final = "contest.run.rules.fate:_cause"
COMMITMENT: Final = "contest.run.rules.commitment"
CONNECTIONS: Final = "contest.channel.connections"
DELIVERIES: Final = "contest.exchange.store:DynamoDeliveries"
LIMITS: Final = "contest.session.rules.limits"
ONE_FILE: Final = "contest.results.one_file"
PARAMETERS: Final = "contest.reading:parameters"
PUSHING: Final = "contest.channel.pushing"
RECORDS: Final = "contest.run.recording"
HANDING_OUT: Final = "contest.exchange.handing_out"
SCHEDULE: Final = "contest.run.rules.schedule:Schedule"
SHOWN: Final = "contest.session.following:Work.shown"
STATUS: Final = "contest.session.status"

FAVOURED: Final = "team-001"
OTHER_ROOT: Final = "0" * 64


def _is_hit(number: int) -> bool:
    """Return whether a bug hits a file: the first, and every third after it."""
    return number % 3 == 1


def _cause(changed: dict[Cause, Cause]) -> Change:
    """Give missed files other causes."""
    return result(lambda cause: (changed.get(cause[0], cause[0]), cause[1]))


_OF_THE_EXCHANGE: Final[dict[str, Bug]] = {
    # Answers and receipts
    "acknowledge-before-storing": Bug(
        "Acknowledge some files' answers and die before the transaction.",
        Rehearsal("acknowledged_kept"),
        {f"{DELIVERIES}.send": around(lambda send, self, sent: _is_hit(sent.receipt.number) or send(self, sent))},
    ),
    "lose-an-outbox-record": Bug(
        "Store answers to some files without a record for scoring.",
        Rehearsal("nothing_stuck"),
        {f"{DELIVERIES}.send": arguments(sent=lambda s: replace(s, job=None) if _is_hit(s.receipt.number) else s)},
    ),
    "drop-the-original": Bug(
        "Delete the receipt of an answer when another one to the same file is sent.",
        Rehearsal("acknowledged_kept", "resends"),
        {f"{DELIVERIES}.send": around(replacements.drop_the_original)},
    ),
    "two-winners": Bug(
        "Write two answers at once under the next number, without the condition on the delivery.",
        Rehearsal("one_winner", "duplicates", 2, 3),
        {f"{DELIVERIES}.send": around(replacements.write_without_conditions)},
    ),
    "accept-late": Bug(
        "Ignore the deadline.",
        Rehearsal("late_not_accepted", "slow", 2, 3),
        {
            ACCEPT: around(
                lambda accept, file, heard, **more: accept(
                    file, replace(heard, arrival=min(heard.arrival, file.answer_by)), **more
                )
            )
        },
    ),
    "refuse-the-last-moment": Bug(
        "Call an answer in the last millisecond late.",
        Rehearsal("on_time_not_refused", "slow", 1, 2),
        {
            ACCEPT: around(
                lambda accept, file, heard, **more: accept(
                    file, replace(heard, arrival=heard.arrival + (heard.arrival == file.answer_by)), **more
                )
            )
        },
    ),
    "erase-by-being-late": Bug(
        "Let an answer after the deadline erase the one that was in time.",
        Rehearsal("acknowledged_kept", "slow", 5, 4),
        {ACCEPT: result(replacements.erase_the_answer)},
    ),
    "wait-for-one-team": Bug(
        "Accept one team's answers a second longer, as if they had arrived in the last moment.",
        Rehearsal("late_not_accepted", "slow", 2, 3),
        {f"{ANSWERING}:_receipt_body": around(replacements.wait_for_one_team)},
    ),
    "forget-late-answers": Bug(
        "Mark a late answer as late and do not store it.",
        Rehearsal("acknowledged_kept", "slow", 2, 3),
        {
            f"{ANSWERING}:_decision": result(replacements.note_decision),
            "contest.adapters.blobs:S3Blobs.put_if_absent": around(replacements.put_unless_late),
        },
    ),
    "sign-another-body": Bug(
        "Sign the hash of the previous answer in the receipt of a better one.",
        Rehearsal("acknowledged_kept", "resends"),
        {f"{ANSWERING}:_receipt": around(replacements.sign_another_body)},
    ),
    "match-any-send": Bug(
        "Take an answer equal to any earlier one, not only to the latest, for its repetition.",
        Rehearsal("one_winner", "resends"),
        {f"{ANSWERING}:_decision": around(replacements.match_any_send)},
    ),
    "count-what-is-refused": Bug(
        "Count an invalid answer as a send.",
        Rehearsal("ten_sends", "wrong"),
        {f"{DELIVERIES}.count_refused": around(replacements.count_refused)},
    ),
    "refuse-without-reasons": Bug(
        "Refuse an invalid answer without reasons.",
        Rehearsal("ten_sends", "wrong"),
        {"contest.errors:InvalidAnswerError.__init__": around(replacements.refuse_without_reasons)},
    ),
    # Openings and deadlines
    "open-early": Bug(
        "Open files ten seconds early.",
        Rehearsal("nothing_early", "clocks"),
        {f"{SCHEDULE}.opens_at": result(lambda opens_at: opens_at - 10 * SECOND)},
    ),
    "favour-one-team": Bug(
        "Hand files out to one team a minute before their openings.",
        Rehearsal("not_yet_told", "prying", 1, 2),
        {f"{HANDING_OUT}:own_session": replacements.for_one_team(-MINUTE, "openings", "planned")},
    ),
    "hold-one-team-back": Bug(
        "Hand files out to one team a second after the others.",
        Rehearsal("on_time_not_refused", teams=2, files=3),
        {f"{HANDING_OUT}:own_session": replacements.for_one_team(SECOND, "openings")},
    ),
    "let-latecomers-join": Bug(
        "Leave the joining window open a minute longer than announced.",
        Rehearsal("joined_once", "prying", 1, 2),
        {f"{SCHEDULE}.join_until": result(lambda until: until + MINUTE)},
    ),
    "keep-what-the-platform-took": Bug(
        "Time the next request as if the platform had taken no time of the program's.",
        Rehearsal("latency_given_back", "qualifying", 1, 2),
        {"contest.run.rules.schedule:owed": always(0)},
    ),
    "keep-what-a-hand-out-took": Bug(
        "Compute a file's deadline as if it had been handed out the moment it was requested.",
        Rehearsal("latency_given_back", "qualifying", 1, 2),
        {f"{SCHEDULE}.answer_by": around(replacements.answer_by_the_opening)},
    ),
    "give-back-the-wait": Bug(
        "Add a program's wait for an opening to its deadline.",
        Rehearsal("held_in_real_time", "qualifying", 1, 2),
        {f"{SCHEDULE}.answer_by": around(replacements.answer_by_the_wait)},
    ),
    "shorten-after-the-pause": Bug(
        "Give files that a pause has moved a second less.",
        Rehearsal("deadlines_told", "decisions", 5, 4),
        {f"{SCHEDULE}.answer_by": around(replacements.shorten_after_the_pause)},
    ),
    "forgive-every-lateness": Bug(
        "Count every request as made at the opening.",
        Rehearsal("late_not_accepted", "slow", 5, 4),
        {
            "contest.run.rules.schedule:counted": around(
                lambda _, arrival, opens_at, _taken_by_platform: min(arrival, opens_at)
            )
        },
    ),
    "hold-nobody": Bug(
        "Refuse requests in the last two seconds before an opening instead of holding them.",
        Rehearsal("held_in_real_time", "qualifying", 1, 2),
        {f"{HANDING_OUT}:HOLD": value(0)},
    ),
    "arm-nothing": Bug(
        "Arm no file, neither by the timer nor by a request.",
        Rehearsal("nothing_early"),
        {ARM: always(False)},
    ),
    "arm-the-whole-run": Bug(
        "Arm every file of a run at once.",
        Rehearsal("nothing_early", teams=5, files=4),
        {"contest.run.watching:ARMED_AHEAD": value(24 * 60 * MINUTE)},
    ),
    "arm-once": Bug(
        "Never let the timer arm again what a pause has moved.",
        Rehearsal("nothing_early", "decisions", 5, 4),
        {ARM: around(replacements.arm_once)},
    ),
    # What is handed out and told
    "hand-out-another-file": Bug(
        "Hand out other metadata than those committed to.",
        Rehearsal("files_as_committed"),
        {SHOWN: result(lambda file: {**file, "meta": {**file["meta"], "theme": "Another theme"}})},
    ),
    "swap-the-texts": Bug(
        "Hand out other texts to one team.",
        Rehearsal("files_as_committed", teams=1, files=2),
        {SHOWN: around(replacements.another_text)},
    ),
    "tell-hashes-in-headers": Bug(
        "Send the hash of the file in a header of the refusal before its opening.",
        Rehearsal("texts_in_time", "prying", 1, 2),
        {
            f"{HANDING_OUT}:_not_yet": around(replacements.note_the_coming_hash),
            "contest.edge.web:answer": around(replacements.answer_with_the_hash),
        },
    ),
    "name-the-file-after": Bug(
        "Name the file after the next one as next.",
        Rehearsal("sessions_chosen", "practice"),
        {
            "contest.exchange.handing_out:found_next": around(
                lambda find, session, schedule, number: find(session, schedule, min(number + 1, session.files))
            )
        },
    ),
    "show-others-sessions": Bug(
        "Show a session to every team that requests it.",
        Rehearsal("others_kept", "prying", 2, 3),
        {"contest.session.access:admit": around(replacements.read_by_the_session)},
    ),
    "open-staffs-doors": Bug(
        "Give every token every right.",
        Rehearsal("others_kept", "prying"),
        {"contest.people.rules:may": always(True)},
    ),
    "break-the-staffs-doors": Bug(
        "Answer requests without the right for them with an internal error.",
        Rehearsal("others_kept", "prying"),
        {"contest.people.rules:may": around(replacements.break_the_door)},
    ),
    "compare-for-one-team": Bug(
        "Show comparisons with the experts to the first team alone once the results are published.",
        Rehearsal("markups_kept", "prying", 2, 3),
        {f"{ONE_FILE}:comparison": around(replacements.compare_for_one_team)},
    ),
    "tell-pairs-of-hidden-files": Bug(
        "Show the stored score of a hidden file: with the experts' pairs and values, grades and hashes.",
        Rehearsal("references_hidden", "prying"),
        {"contest.results.rules.reports:measures_of": around(lambda _, _track, score: score)},
    ),
    # Own sessions
    "forget-the-chosen-limit": Bug(
        "Give every session the usual time for an answer.",
        Rehearsal("sessions_chosen", "practice"),
        {"contest.session.opening:_order": arguments(wish=lambda wish: replace(wish, time_limit_s=None))},
    ),
    "offer-hidden-sets": Bug(
        "Offer every set to participants, the final's and the reserve too.",
        Rehearsal("sessions_chosen", "practice"),
        {"contest.cycle.rules.cycle:Cycle.open_sets": around(lambda _, self: self.sets)},
    ),
    "time-bodies-at-their-end": Bug(
        "Take the end of a body for the arrival of its answer.",
        Rehearsal("sessions_chosen", "practice"),
        {f"{LIMITS}:counted_arrival": around(lambda _, arrival, begun, _allowance: max(arrival, begun))},
    ),
    "keep-training-scores": Bug(
        "Show the score of a training file only when its session has ended.",
        Rehearsal("sessions_chosen", "practice"),
        {f"{ONE_FILE}:_score": around(replacements.score_after_the_end)},
    ),
    "keep-silent-sessions": Bug(
        "Close a silent session only the next day.",
        Rehearsal("sessions_ended", "practice"),
        {PARAMETERS: result(lambda rules: replace(rules, idle_timeout_s=86_400))},
    ),
    "close-silent-sessions-late": Bug(
        "Close a silent session two minutes late.",
        Rehearsal("sessions_ended", "practice"),
        {PARAMETERS: result(lambda rules: replace(rules, idle_timeout_s=17 * 60))},
    ),
    "abort-a-final-at-once": Bug(
        "Abort a final without a confirmation.",
        Rehearsal("sessions_ended", "practice"),
        {f"{STATUS}:abort": around(lambda abort, platform, request, **_: abort(platform, request, confirmed=True))},
    ),
    "finish-who-left": Bug(
        "Turn an aborted session into a finished one.",
        Rehearsal("replay_agrees", "leaving"),
        {f"{STATUS}:abort": around(replacements.finish_who_left)},
    ),
    "count-sessions-from-zero": Bug(
        "Draw session ids that may begin with zeros.",
        Rehearsal("own_kept", "practice"),
        {"contest.adapters.system:SystemRandomness.session_id": result(lambda drawn: f"00{drawn[2:]}")},
    ),
    "list-the-oldest-first": Bug(
        "List a team's sessions in the opposite order.",
        Rehearsal("own_kept", "practice"),
        {f"{STATUS}:list_sessions": result(lambda listed: listed[::-1])},
    ),
    "forget-logs": Bug(
        "Acknowledge a client's log and do not store it.",
        Rehearsal("own_kept", "practice"),
        {"contest.adapters.blobs:S3Blobs.put": around(replacements.put_no_logs)},
    ),
    # Limits
    "refuse-answers-for-the-rate": Bug(
        "Refuse an answer to an open file when its team requests too fast.",
        Rehearsal("requests_limited", "practice"),
        {f"{LIMITS}:may_exceed_rate": always(False)},
    ),
    "take-any-number-of-answers": Bug(
        "Accept any number of answers to a file above the rate.",
        Rehearsal("requests_limited", "practice"),
        {f"{LIMITS}:may_exceed_rate": arguments(sends=lambda _: 1_000, refusals=lambda _: 1_000)},
    ),
    "spare-the-late": Bug(
        "Accept answers to a closed file above the rate.",
        Rehearsal("requests_limited", "practice"),
        {f"{LIMITS}:may_exceed_rate": around(replacements.answer_in_time)},
    ),
    "forget-who-was-spared": Bug(
        "Do not count answers that are exempt from the rate.",
        Rehearsal("requests_limited", "practice"),
        {"contest.session.access:leave": always()},
    ),
    "count-repeats-twice": Bug(
        "Count a repeated answer twice, so that others are refused for the rate.",
        Rehearsal("requests_limited", "practice"),
        {f"{DELIVERIES}.count_repeated": twice},
    ),
    "take-large-bodies": Bug(
        "Read bodies of any size.",
        Rehearsal("requests_limited", "practice"),
        {f"{ANSWERING}:MAX_ANSWER": value(1 << 30)},
    ),
    # Causes of missed files
    "count-a-platform-fault": Bug(
        "Count a fault of the platform as the team's delay.",
        Rehearsal("causes_by_the_rules", "kills"),
        {CAUSE: _cause({Cause.PLATFORM: Cause.TEAM_LATE})},
    ),
    "excuse-the-late": Bug(
        "Count the team's delay as a fault of the platform.",
        Rehearsal("causes_by_the_rules", "slow", 2, 3),
        {CAUSE: _cause({Cause.TEAM_LATE: Cause.PLATFORM})},
    ),
    "call-misses-decisions": Bug(
        "Give every missed file the cause ORGANIZER_DECISION.",
        Rehearsal("causes_by_the_rules", "slow", 2, 3),
        {CAUSE: always((Cause.ORGANIZER_DECISION, {}))},
    ),
    # Decisions of the organizers
    "ignore-pauses": Bug(
        "Announce a pause and open files as planned.",
        Rehearsal("nothing_early", "decisions", 5, 4),
        {"contest.run.rules.schedule:_pauses": always(())},
    ),
    "void-for-others-alone": Bug(
        "Keep a file for one team that is annulled for all.",
        Rehearsal("decisions_kept", "decisions", 5, 4),
        {
            "contest.run.rules.fate:Circumstances.annulled": around(
                lambda annulled, self: {} if self.team_id == FAVOURED else annulled(self)
            )
        },
    ),
    "reword-rulings": Bug(
        "Record, and sign, another cause than the ruling's, in what it reveals and in the rows.",
        Rehearsal("decisions_kept", "decisions", 5, 4),
        {f"{RECORDS}:build": result(replacements.reword_rulings)},
    ),
    "tell-rulings-early": Bug(
        "Publish the ruling on a team's file during the run.",
        Rehearsal("decisions_kept", "decisions", 5, 4),
        {f"{COMMITMENT}:published_rulings": around(replacements.tell_all_rulings)},
    ),
    "replace-any-number": Bug(
        "Replace more items of a run than the rules allow.",
        Rehearsal("decisions_kept", "decisions", 5, 4),
        {f"{AMENDING}:_EFFECTS": replacements.replace_any_number},
    ),
    "take-back-what-holds": Bug(
        "Take back a pause that is in effect.",
        Rehearsal("decisions_kept", "decisions", 5, 4),
        {f"{AMENDING}:BELIEVED": value(-61 * SECOND)},
    ),
    "propose-two-files": Bug(
        "Propose two files that everybody missed as a mass failure.",
        Rehearsal("failure_proposed", "qualifying", 1, 2),
        {"contest.run.rules.fate:LEAST_FILES": value(2)},
    ),
    "begin-anew-on-the-same": Bug(
        "Draw the files of a restarted run from the final's set again.",
        Rehearsal("begun_anew", "qualifying", 1, 2),
        {
            "contest.run.deciding:_restarted": around(
                lambda restarted, platform, old, wish: replace(restarted(platform, old, wish), set_name=old.set_name)
            )
        },
    ),
    "draw-seen-files": Bug(
        "Draw files of the reserve that somebody has seen.",
        Rehearsal("begun_anew", "qualifying", 1, 2),
        {"contest.run.planning:_unused": replacements.draw_seen_files},
    ),
    # Commitments and records
    "salt-all-alike": Bug(
        "Give all leaves of a commitment one salt.",
        Rehearsal("commitment_kept", teams=1, files=2),
        {"contest.adapters.system:SystemRandomness.salt": always("a" * 64)},
    ),
    "promise-another-restart": Bug(
        "Commit a restarted run to other files than it has.",
        Rehearsal("beside_as_promised", "qualifying", 1, 2),
        {
            f"{COMMITMENT}:statement": around(
                lambda statement, run, root, key: statement(run, root if run.restarts is None else OTHER_ROOT, key)
            )
        },
    ),
    "append-without-a-promise": Bug(
        "Hand out replacements under a root that was computed of none of them.",
        Rehearsal("beside_as_promised", "qualifying", 1, 2),
        {
            "contest.run.deciding:_with_files": result(
                lambda added: replace(added, details={**added.details, "root": OTHER_ROOT})
            )
        },
    ),
    "forget-the-silent": Bug(
        "Leave teams without an answer out of the record.",
        Rehearsal("commitment_kept", "leaving"),
        {f"{RECORDS}:build": around(replacements.record_who_answered)},
    ),
    "record-answers-before-files": Bug(
        "Record every answer a moment before its file was handed out.",
        Rehearsal("commitment_kept"),
        {f"{RECORDS}:_file": around(replacements.record_early_answers)},
    ),
    "record-other-openings-of-trials": Bug(
        "Record the openings of a trial a second late.",
        Rehearsal("beside_as_promised", "qualifying", 1, 2),
        {f"{RECORDS}:_releases": around(replacements.record_late_openings)},
    ),
    # Work of the timer
    "forget-lost-jobs": Bug(
        "Look for unscored answers in open sessions alone.",
        Rehearsal("nothing_stuck", "losses"),
        {"contest.operations.minute_timer:_enqueue": around(replacements.enqueue_open)},
    ),
    "forget-lost-steps": Bug(
        "Send each step towards record and board once, and take it for done.",
        Rehearsal("nothing_stuck", "losses"),
        {"contest.results.settling:_due": replacements.once_each},
    ),
    "report-a-visit-late": Bug(
        "Make the reports of the sessions that had ended at the timer's previous visit.",
        Rehearsal("nothing_stuck"),
        {"contest.session.store:DynamoSessions.unreported_ids": replacements.of_the_visit_before},
    ),
    # The event channel
    "push-nothing": Bug(
        "Send nothing over the event channel, and note it as sent.",
        Rehearsal("channel_kept", teams=5, files=4),
        {f"{CONNECTIONS}:tell": always(True)},
    ),
    "push-everything-twice": Bug(
        "Push each file twice over the same connection.",
        Rehearsal("channel_kept", teams=5, files=4),
        {f"{PUSHING}:_is_due": always(True)},
    ),
    "push-nothing-to-who-was-away": Bug(
        "Push nothing to a client that has lost its connection once.",
        Rehearsal("channel_kept", "disconnects", 5, 4),
        {f"{PUSHING}:_listener": around(replacements.forget_who_was_away)},
    ),
    "forget-who-comes-back": Bug(
        "Ignore the open session of a client that reconnects.",
        Rehearsal("channel_kept", "disconnects", 5, 4),
        {"contest.channel.readable:ReadableDialect.entered": around(lambda *_: [])},
    ),
    "remember-strangers": Bug(
        "Store a connection before its token is checked.",
        Rehearsal("strangers_kept_out", "crowd"),
        {f"{CONNECTIONS}:connect": around(replacements.connect_strangers)},
    ),
    "let-strangers-stay": Bug(
        "Leave rejected clients in their namespace.",
        Rehearsal("strangers_kept_out", "crowd"),
        {"contest.channel.store:GatewaySockets.part": always()},
    ),
    "send-no-sign-of-life": Bug(
        "Send no keep-alive to clients of Engine.IO 4.",
        Rehearsal("channel_alive", "qualifying", 1, 2),
        {f"{CONNECTIONS}:keep_alive": always()},
    ),
    "send-signs-of-life-late": Bug(
        "Note each keep-alive as sent a minute later, so that the next one is late.",
        Rehearsal("channel_alive", "qualifying", 1, 2),
        {
            "contest.channel.store:DynamoConnections.note": arguments(
                connection=lambda connection: replace(connection, pinged_at=connection.pinged_at + 61 * SECOND)
            )
        },
    ),
    "keep-who-enters-nothing": Bug(
        "Never close a connection that has entered no session.",
        Rehearsal("channel_alive", "qualifying", 1, 2),
        {f"{CONNECTIONS}:retire": always(0)},
    ),
}

BUGS: Final = _OF_THE_EXCHANGE | bugs_of_results.BUGS | bugs_of_stages.BUGS | bugs_of_readers.BUGS
