"""Items that an earlier version of the platform wrote are read as what they meant then."""

from __future__ import annotations

from contest.channel.store import AttachmentItem, attachment_of
from contest.cycle.rules.cycle import EXPERTS, Parameters
from contest.exchange.store import FileItem, delivery_of
from contest.session.rules.delivery import Answer
from contest.values import read_as

FILE = {
    "pk": {"S": "SESSION#100000000000001"},
    "sk": {"S": "FILE#0001"},
    "number": {"N": "1"},
    "handed_out_at": {"N": "1000"},
    "answer_by": {"N": "61000"},
    "sends": {"N": "1"},
    "latest_sha256": {"S": "a"},
    "answer": {"S": '{"send": 1, "received_at": 5000, "content_sha256": "a"}'},
    "refusals": {"N": "2"},
    "version": {"N": "2"},
}
ATTACHMENT = {
    "pk": {"S": "SESSION#100000000000001"},
    "sk": {"S": "ATTACHMENT"},
    "connection_id": {"S": "c"},
    "absences": {"S": "[[1, null]]"},
    "version": {"N": "1"},
}


def test_an_answer_without_the_times_of_its_decision_was_decided_at_once() -> None:
    assert delivery_of(FileItem.from_raw_data(FILE)).answer == Answer(1, 5000, "a", decided_at=5000, begun_at=5000)


def test_an_attachment_without_its_beginning_proves_no_presence() -> None:
    found = attachment_of(AttachmentItem.from_raw_data(ATTACHMENT))
    assert (found.since, found.owes_reason) == (None, False)


def test_parameters_that_say_nothing_of_experts_mean_the_usual_ones() -> None:
    rules = {"files": [1, 2], "interval_s": [60, 60], "request_s": 10, "answer_s": 50, "total_s": 60, "join_s": 120}
    usual = {"enabled": True, "every_hours": 4, "lead_s": 600}
    names = (
        *("version", "announced_at", "sessions_per_day", "idle_timeout_s", "sends_per_file", "requests_per_second"),
        *("readiness_min_files", "readiness_min_share", "bootstrap_seed", "track"),
    )
    stored = dict.fromkeys(names, 1) | {"time_limit_s": [10, 60, 60]}
    parameters = read_as(Parameters, {**stored, "technical": rules, "technical_times": usual, "final": rules})
    assert parameters.experts == EXPERTS
