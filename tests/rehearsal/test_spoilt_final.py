"""Test that the checker finds one spoiled place in a final written by hand, and lets pass what is right.

Planted bugs show in real rehearsals that each check turns red (``make bugs``); here stand the moments and values from
which on it does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import LEAVE, MINUTE, to_text
from rehearsal.proof.case import Case
from rehearsal.proof.values import statistics
from tests.rehearsal.spoiling import (
    TOLD,
    Spoil,
    add,
    all_of,
    at,
    call,
    digest_of,
    faults_of,
    forget,
    found,
    header,
    injected,
    item,
    moment,
    of_session,
    put,
    red,
    reply,
    response_to,
    stored,
    tell,
)
from tests.rehearsal.story import FILES, INTERVAL, RUN, START, STRANGE, STRANGE_CONNECTION, TEAMS, Pen, signature

Json = Any
STUCK, EARLY, CHANNEL, STRANGERS = "nothing_stuck", "nothing_early", "channel_kept", "strangers_kept_out"
COMMITTED, ONCE = "commitment_kept", "scored_once"


def bytes_of(team: str, number: int) -> Callable[[Pen], dict]:
    return lambda pen: pen.find("object", name=f"answers/{TEAMS[team]}/{number}/{digest_of(pen, team, number)}.json")


def score_of(pen: Pen) -> dict:
    return pen.find("item", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions", pk=of_session("ann"))


def kept(pen: Pen, send: int, sends: int | None = None, **more: Any) -> Json:
    """Store one more receipt of ann's first file."""
    receipt = pen.receipt("ann", 1, 30_000, send=send, **more)
    pen.keep("ann", 1, receipt)
    pen.item("ann", "FILE#0001")["sends"] = sends or send
    return receipt


def refused(code: str, *details: Json) -> Spoil:
    """Refuse an answer of ann's as invalid."""
    body = {"error": {"code": code, "details": list(details)}}
    return call("ann", "answer", 1, 30_000, 422, said=body, body_sha256="other", code=code)


def not_yet(opens_at: int) -> Spoil:
    """Refuse the second file half a minute before its opening."""
    details = {"opens_at": moment(opens_at), "server_time": moment(30_000)}
    said = {"error": {"code": "not_open_yet", "details": [details]}, "retry_after": "30"}
    return call("ann", "file", 2, 30_000, 425, said=said, code="not_open_yet")


def late_again(pen: Pen) -> None:
    """Send in time, replace, and accept once more after the deadline what is another receipt than the first."""
    for send, when in ((2, 30_000), (3, 59_000)):
        pen.send("ann", 1, when, kept(pen, send))
    pen.item("ann", "FILE#0001")["answer"]["send"] = 3


def repeated(pen: Pen) -> None:
    answer = response_to(pen, "bob", "answer", 2)
    body = pen.find("request", n=answer["n"])["body_sha256"]
    at("bob", "answer", 2, INTERVAL + 59_000)(pen)
    pen.call("bob", "answer", 2, INTERVAL + 10_000, None, content_sha256=digest_of(pen, "bob", 2), key="k",
             body_sha256=body)  # fmt: skip


def two_with_one_key(pen: Pen) -> None:
    pen.send("ann", 1, 20_000, pen.receipt("ann", 1, 20_000), key="k")
    pen.send("ann", 1, 25_000, kept(pen, 2), key="k")
    pen.item("ann", "FILE#0001").update(answer={"send": 2, "content_sha256": digest_of(pen, "ann", 1)})


def taking(due: int, *, between: bool) -> Spoil:
    """Let the platform take 150 ms with a hand-out, or 20 ms with a request between two, before a late request."""

    def spoil(pen: Pen) -> None:
        header(limits={**pen.find("header")["limits"], "total_ms": 55_000})(pen)
        if between:
            pen.find("response", n=pen.call("ann", "status", None, 30_000, 200))["at"] += 20
        else:
            slow = response_to(pen, "ann", "file", 1)
            slow["at"] += 100
            slow["said"] |= {"handed_out_at": moment(150), "answer_by": moment(50_150)}
        late = response_to(pen, "ann", "file", 2)
        pen.find("request", n=late["n"])["at"] += 8_000
        late["at"] += 8_100
        late["said"] |= {"handed_out_at": moment(68_100), "answer_by": moment(60_000 + due)}

    return spoil


def written_at(when: int) -> Spoil:
    """Write the score of ann's first answer at a moment."""

    def spoil(pen: Pen) -> None:
        (write,) = pen.all("written", pk=of_session("ann"), sk=score_of(pen)["sk"])
        write["at"] = START + when

    return spoil


def armed(when: int, *more: Spoil) -> Spoil:
    """Arm the second file, which opens after a minute, at a moment; the timer's first visit is at -30 s."""
    moved: Spoil = lambda pen: put(pen.find("item", sk="RELEASE#0002"), "item.armed_at", START + when)  # noqa: E731
    return all_of(header(timer_from=START - 90_000), moved, *more)


STEPS = (
    (TEAMS["ann"], f"runs/{RUN}/record-0/{TEAMS['ann']}.json"),
    (TEAMS["ann"], f"reports/final/{RUN}/0/{TEAMS['ann']}.json"),
    ("", f"runs/{RUN}/record.json"),
    ("", f"reports/final/{RUN}/0.json"),
)


def written(name: str, when: int, sk: str = "") -> Spoil:
    what = "SCORE" if sk else name.partition("/")[0]
    return add("written", what=what, pk=name, sk=sk, at=START + when, sha256="")


def lost_step(step: tuple[str, str], when: int, *more: Spoil) -> Spoil:
    """Lose a step a minute after START, and write its effect at another moment."""
    return all_of(injected("step_lost", now=START + 60_000, run=RUN, session=step[0]), written(step[1], when), *more)


def rescored(when: int) -> Spoil:
    """Score ann's first answer once more, by other markups."""
    later: Spoil = lambda pen: written(of_session("ann"), when, f"{score_of(pen)['sk']}-later")(pen)  # noqa: E731
    return all_of(written_at(20_000), later)


def reported(when: int, closed_at: int = 0, scored_at: int = 0, *more: Spoil) -> Spoil:
    """Make the report of ann's session at a moment; visits of the timer are known."""

    def scores(pen: Pen) -> None:
        for line in pen.all("written", pk=of_session("ann")):
            line["at"] = START + scored_at

    report = written(f"reports/{TEAMS['ann']}/1.json", when)
    state = item(of_session("ann"), "STATE", closed_at=START + closed_at)
    request = call("bob", "next", None, 89_000, 404)
    return all_of(header(timer_from=START - 30_000), scores, report, state, request, *more)


TIMER = "dispatch.minute_timer"
MISSED, KILLED = injected("tick_missed", at=90_000), injected("killed", handler=TIMER, now=START + 90_500)
PUT_OFF = (
    (MISSED, 60_000),
    (all_of(*[injected("tick_failed", at=90_000)] * 2), 60_000),
    (injected("tick_late", at=90_000, comes=100_000), 60_000),
    (injected("tick_missed", at=19_999), 0),
    (injected("tick_missed", at=260_000), 0),
    (injected("tick_doubled", at=90_000), 0),
    (KILLED, 60_000),
    (injected("throttled", handler=TIMER, now=START + 90_500), 60_000),
    (injected("killed", handler="score.worker", now=START + 90_500), 2_000),
    (injected("killed", handler=TIMER, now=START + 19_999), 0),
)
"""Lists the faults of timer and workers, and by how many milliseconds each puts a score off."""


def on_the_channel(cause: str | None, *more: Spoil) -> Spoil:
    """Bob is on the event channel; his second file is annulled for a cause, or answered."""
    fate = {"state": "answered" if cause is None else "voided", "cause": cause}
    opened = call("bob", "channel_open", None, -30_000, 201, said={"session_id": TEAMS["bob"]})
    return all_of(opened, lambda pen: pen.answer("status/bob")["deliveries"][1].update(fate), *more)


def away(since: int, until: int) -> Spoil:
    return injected("channel_away", team="bob", number=2, since=INTERVAL + since, until=INTERVAL + until)


def met(what: str, handler: str, now: int) -> Spoil:
    return injected(what, handler=handler, now=START + INTERVAL + now)


def stranger(what: str, status: int | None, **more: Any) -> Spoil:
    return call("strangers", what, None, 1, status, said={"token": STRANGE}, **more)


def told_to_stranger(**said: Any) -> Spoil:
    frames = {**Pen.farewell(STRANGE, STRANGE_CONNECTION), **said}
    return call("strangers", "connect_unknown", None, 1, 101, said=frames)


def fate(team: str, state: str, cause: str | None) -> Spoil:
    """Set the fate of a team's first file in its session and in the record."""

    def spoil(pen: Pen) -> None:
        pen.answer(f"status/{team}")["deliveries"][0].update(state=state, cause=cause)
        (session,) = [one for one in pen.answer("record")["sessions"] if one["team_id"] == team]
        session["files"][0].update(state=state, cause=cause)
        pen.archive_record()

    return spoil


def missed(cause: str, share: float, *more: Spoil, faults: tuple[str, ...] = ("slow",)) -> Spoil:
    """Annul the first file of bob with all its consequences; a share over 5 % annuls his solution."""

    def spoil(pen: Pen) -> None:
        fate("bob", "voided", cause)(pen)
        for what in ("file", "answer"):
            n = response_to(pen, "bob", what, 1)["n"]
            forget("request", n=n)(pen)
            forget("response", n=n)(pen)
        for line in list(pen.lines):
            if line.get("pk") == of_session("bob") and "0001" in line.get("sk", ""):
                pen.forget(line)
        pen.answer("status/bob").update(voided_share=share, solution_voided=share > 0.05)
        rows = [row for row in pen.answer("board")["rows"] if row["team_id"] != "bob"]
        rows += [] if share > 0.05 else [{"place": 0, **pen.row("bob", 2)}]
        rows.sort(key=lambda row: -row["result"]["relative_accuracy"])
        pen.show_board([{**row, "place": place} for place, row in enumerate(rows, start=1)])

    return all_of(header(faults=list(faults)), spoil, *more)


ASKED_IN_TIME = all_of(call("bob", "file", 1, 4_000, 500), item(of_session("bob"), "ASKED#0001", at=START + 4_000))


def only_invalid(**reason: str) -> Spoil:
    body = {"error": {"code": "invalid_answer", "details": [{"code": "no_markup", "message": "none", **reason}]}}
    sent = call("bob", "answer", 1, 9_000, 422, said=body, body_sha256="wrong", code="invalid_answer")
    handed: Spoil = lambda pen: (pen.hand_out("bob", 1), pen.file_item("bob", 1, sends=0, answer=None))  # noqa: E731
    return all_of(handed, sent)


LEFT = call("bob", LEAVE, None, 2 * INTERVAL, said={"state": "finished"})


def without_bob(pen: Pen) -> None:
    pen.show_board([row for row in pen.answer("board")["rows"] if row["team_id"] != "bob"])


def another_answer_again(pen: Pen, said: Json = None) -> None:
    """Let ann send another answer to her first file, then the first one again, which is a third send."""
    markup = pen.markup("ann", 1, 1)
    pen.keep_answer("ann", 1, markup)
    pen.send("ann", 1, 25_000, kept(pen, 2, content_sha256=sha256_hex(canonical_bytes(markup))))
    again = kept(pen, 3)
    pen.send("ann", 1, 30_000, said or again)
    pen.item("ann", "FILE#0001").update(answer={"send": 3, "content_sha256": again["receipt"]["content_sha256"]})


def first_receipt_again(pen: Pen) -> None:
    another_answer_again(pen, response_to(pen, "ann", "answer", 1)["said"])


ROWS: tuple[tuple[Spoil, str], ...] = (
    # Answers and receipts
    (lambda pen: pen.forget(bytes_of("ann", 1)(pen)), f"acknowledged_kept {ONCE}"),
    (lambda pen: bytes_of("ann", 1)(pen).update(sha256="0" * 64), f"acknowledged_kept {ONCE}"),
    (forget("item", pk=of_session("ann"), sk="RECEIPT#0001#01"), f"acknowledged_kept ten_sends {ONCE} {CHANNEL}"),
    (reply("ann", "answer", 1, "said.signature", signature({"key_id": "another"})), "acknowledged_kept"),
    (stored("ann", "FILE#0001", "answer", None), "acknowledged_kept"),
    (at("bob", "answer", 2, INTERVAL + 50_001), "late_not_accepted"),
    (at("bob", "answer", 2, INTERVAL + 50_000), ""),
    (repeated, ""),
    (late_again, "late_not_accepted"),
    (at("bob", "file", 2, INTERVAL + 10_001), "late_not_accepted"),
    (lambda pen: pen.send("ann", 1, 30_000, {"error": {"code": "x"}}, status=409, content_sha256=digest_of(
        pen, "ann", 1), body_sha256="other", code="x"), "on_time_not_refused"),
    (lambda pen: pen.send("ann", 1, 30_000, kept(pen, 2, status="late", reason="late")), "on_time_not_refused"),
    (call("ann", "file", 1, 10_000, 410, said={"error": {"code": "file_missed"}}), "on_time_not_refused"),
    (not_yet(INTERVAL), ""),
    (not_yet(INTERVAL - 1), "not_yet_told"),
    (refused("invalid_answer", {"code": "unknown", "message": "what", "message_ru": "что"}), ""),
    (refused("invalid_answer", {"code": "unknown", "message": "what"}), "ten_sends"),
    (refused("invalid_answer"), "ten_sends"),
    (refused("idempotency_key_reused"), ""),
    (reply("ann", "file", 1, "said.answer_by", moment(49_999)), "deadlines_told"),
    # From outside the platform's clock may be that much off.
    (all_of(header(clock_off_ms=1), reply("ann", "file", 1, "said.answer_by", moment(49_999))), ""),
    (all_of(header(clock_off_ms=1), reply("ann", "file", 1, "said.answer_by", moment(49_998))), "deadlines_told"),
    (lambda pen: pen.hand_out("ann", 1, 5_000), "deadlines_told"),
    (taking(55_300, between=False), COMMITTED),
    (taking(55_301, between=False), f"{COMMITTED} deadlines_told"),
    (taking(55_140, between=True), COMMITTED),
    (taking(55_141, between=True), f"{COMMITTED} deadlines_told"),
    (lambda pen: [kept(pen, send) for send in range(2, 12)], "ten_sends"),
    (lambda pen: kept(pen, 3, sends=2), "ten_sends"),
    (lambda pen: pen.send("ann", 1, 20_001, pen.receipt("ann", 1, 20_001)), "one_winner acknowledged_kept"),
    (two_with_one_key, "one_winner"),
    (another_answer_again, ""),
    (first_receipt_again, "one_winner"),
    # Openings
    (call("ann", "next", None, INTERVAL - 1, file_ids=[FILES[2]]), EARLY),
    (tell("record", "releases.1.opens_at", moment(59_000)), EARLY),
    (call("ann", "next", None, INTERVAL, hashes=["0" * 64]), ""),
    (lambda pen: pen.call("ann", "next", None, INTERVAL, 200, hashes=[sha256_hex(canonical_bytes(
        pen.content(2)))]), ""),
    (lambda pen: pen.call("ann", "next", None, INTERVAL - 1, 425, hashes=[sha256_hex(canonical_bytes(
        pen.content(2)))]), EARLY),
    (call("ann", "status", None, INTERVAL - 1, texts=[2]), EARLY),
    (reply("bob", "file", 2, "texts", [1]), EARLY),
    (reply("bob", "file", 2, "texts", []), EARLY),
    (reply("ann", "file", 1, "said.content_sha256", "0" * 64), "files_as_committed"),
    # Nothing stuck
    (tell("status/bob", "state", "open"), STUCK),
    (item(f"OUTBOX#{TEAMS['ann']}", "0001#x"), STUCK),
    (item("SESSIONS#UNREPORTED", TEAMS["ann"]), STUCK),
    (item("SESSIONS#UNREPORTED", "9" * 15), ""),
    (lambda pen: pen.find("left", queue="QueuesScoringDeadLetters").update(messages=1), STUCK),
    (item("LETTERS#OPEN", "scoring-0123456789abcdef"), STUCK),
    (item("LETTERS#OPEN", "pushes-0123456789abcdef"), ""),
    (lambda pen: pen.forget(score_of(pen)), ONCE),
    (written_at(140_000), ""),
    (written_at(140_001), STUCK),
    *((all_of(spoilt, written_at(140_000 + more)), "") for spoilt, more in PUT_OFF),
    *((all_of(spoilt, written_at(140_001 + more)), STUCK) for spoilt, more in PUT_OFF),
    *((lost_step(step, 180_000), "") for step in STEPS),
    *((lost_step(step, 180_001), STUCK) for step in STEPS),
    *((lost_step(step, 180_001, MISSED), "") for step in STEPS),
    (lost_step(STEPS[0], 180_001, written(f"runs/{RUN}/record-0/{TEAMS['bob']}.json", 60_000)), STUCK),
    (lost_step(STEPS[1], 200_000, written(of_session("ann"), 80_000, "SCORE#0002#more#conditions")), ""),
    (lost_step(STEPS[1], 200_001, written(of_session("ann"), 80_000, "SCORE#0002#more#conditions")), STUCK),
    (lost_step(STEPS[2], 200_000, written(f"runs/{RUN}/record-0/{TEAMS['ann']}.json", 80_000)), ""),
    (lost_step(STEPS[3], 200_001, *[written(f"reports/final/{RUN}/0/{TEAMS['ann']}.json", when) for when in (
        80_000, 90_000)]), STUCK),
    (lost_step(STEPS[2], 59_999), ""),
    # Fates
    (missed("team_late", 0.5), ""),
    (missed("platform", 0.0, ASKED_IN_TIME), ""),
    (missed("team_late", 0.5, ASKED_IN_TIME), "causes_by_the_rules"),
    (missed("team_invalid", 0.5, only_invalid(message_ru="нет")), ""),
    (missed("team_invalid", 0.5, only_invalid()), "ten_sends"),
    (missed("team_invalid", 0.5, only_invalid(message_ru="нет"), fate("bob", "voided", "platform")),
     "causes_by_the_rules"),
    (missed("platform", 0.0, ASKED_IN_TIME, faults=("crowd", "losses")), "causes_by_the_rules"),
    (missed("organizer_decision", 0.0), "causes_by_the_rules"),
    # The event channel
    (on_the_channel(None), ""),
    *((on_the_channel(cause), f"{CHANNEL} causes_by_the_rules") for cause in (
        "network", "team_late", "organizer_decision")),
    (lambda pen: pen.call("ann", "channel_answer", None, INTERVAL, 200, said=pen.receipt("ann", 2, 20_001)), CHANNEL),
    # Strangers, others, joining
    *((stranger("unknown", status), STRANGERS) for status in (200, 204, 302)),
    *((stranger("nowhere", status), "") for status in (None, 400, 404, 429, 503)),
    (stranger("unknown", 403, file_ids=[FILES[1]]), STRANGERS),
    (told_to_stranger(told=["connection-auth-error", "session-file-available"]), STRANGERS),
    (told_to_stranger(spoken_in=["/pku", "/baseline"], parted=["/baseline", "/pku"]), ""),
    (told_to_stranger(spoken_in=["/pku", "/baseline"], parted=["/pku", "/pku"]), STRANGERS),
    (item("CONNECTIONS", STRANGE_CONNECTION, token_sha256="0" * 64), STRANGERS),
    (item("CONNECTIONS", "another", token_sha256=sha256_hex(STRANGE.encode())), STRANGERS),
    (item("CONNECTIONS", "another", token_sha256=""), STRANGERS),
    (item("CONNECTIONS", "a team's", token_sha256="a" * 64), ""),
    (item(f"TEAM#{STRANGE}", "SEEN"), STRANGERS),
    (item("SESSION#x", "SEEN", by={"connections": [f"of {STRANGE_CONNECTION}"]}), STRANGERS),
    (add("written", what="CONNECTIONS", pk="CONNECTIONS", sk="a team's", at=START, sha256=""), ""),
    (add("written", what="CONNECTIONS", pk="CONNECTIONS", sk=STRANGE_CONNECTION, at=START, sha256=""), STRANGERS),
    (reply("ann", "pry_early", 2, "said.error.details.0.opens_at", moment(0)), "not_yet_told"),
    (reply("ann", "pry_early", 2, "status", 200), "not_yet_told"),
    *((reply("ann", "pry_early", 2, "said.error.details.0.server_time", told), "not_yet_told") for told in (
        None, moment(0))),
    *((reply("ann", "pry_early", 2, "said.retry_after", told), "not_yet_told") for told in (None, "60")),
    (reply("ann", "pry_others", None, "status", 200), "others_kept"),
    (reply("ann", "pry_staff", None, "status", 404), "others_kept"),
    (call("ann", "pry_staff", None, 31_500, 500), "others_kept"),
    (all_of(call("ann", "pry_staff", None, 31_500, 500), injected("killed", handler="x", now=START)), ""),
    (all_of(call("ann", "pry_staff", None, 31_500, 500, code="internal"), injected("killed", handler="x", now=START)),
     "others_kept"),
    (call("ann", "join_again", None, 130_000, 201), "joined_once"),
    (call("ann", "join_late", None, 130_000, 201), "joined_once"),
    (call("ann", "open", None, 120_000, 409, code="run_not_joinable"), "joined_once"),
    # Results
    (lambda pen: pen.add(**pen.all("written", pk=of_session("ann"))[0]), ONCE),
    (lambda pen: pen.add(**{**score_of(pen), "sk": score_of(pen)["sk"] + "-other"}), ONCE),
    (lambda pen: put(score_of(pen), "item.record", lambda text: text.replace("markup_core", "other")), ONCE),
    (all_of(LEFT, without_bob), ""),
    # The commitment and the record
    (tell("run", "pauses", [{"from": moment(60_000), "until": moment(61_000)}]), COMMITTED),
    (tell("record", "plans.0.rows.0.salt", f"{2:064x}"), COMMITTED),
    (tell("record", "plans.0.rows.0.salt", "abc"), COMMITTED),
    (tell("record_verified", "", ["record_changed {}"]), COMMITTED),
    (lambda pen: pen.answer("run")["commitment"]["statement"].update(more=1), COMMITTED),
    (tell("run", "commitment.signature", signature({"key_id": "another"})), COMMITTED),
    (tell("record", "plans.0.rows.1.planned_at", moment(INTERVAL + 1)), COMMITTED),
    (tell("run_before", "commitment.statement.files", 3), COMMITTED),
    (tell("run_before", "commitment.statement.interval_ms", 30_000), COMMITTED),
    (tell("run", "limits.answer_s", 45), COMMITTED),
)  # fmt: skip


@pytest.mark.clause("platform §6 rehearsal")
@pytest.mark.parametrize(("spoil", "failed"), ROWS)
def test_what_is_spoiled_fails_the_checks_that_it_concerns(pen: Pen, spoil: Spoil, failed: str) -> None:
    spoil(pen)
    assert red(pen) == set(failed.split())


LATE_ARMED = "RELEASE#0002: was armed 1 ms after a visit of the timer that had to arm it"
LATE_REPORT = f"session {TEAMS['ann']}: its report was made 1 ms after a visit of the timer that had to"
ARMED_BY = (
    ((), -30_000),
    ((injected("tick_missed", at=-30_000),), 30_000),
    ((injected("tick_late", at=-30_000, comes=-11_000),), -11_000),
    ((injected("tick_failed", at=-30_000),), 30_000),
    ((injected("tick_doubled", at=-30_000),), -30_000),
    ((injected("killed", handler=TIMER, now=START - 29_000),), 30_000),
    ((injected("killed", handler="score.worker", now=START - 29_000),), -30_000),
)
"""Lists the faults of the timer, and when the second file has to be armed."""
REPORTED_BY = ((29_999, 0, (), 90_000), (30_001, 0, (), 150_000), (0, 90_000, (), 150_000),
               (29_999, 0, (MISSED,), 150_000), (29_999, 0, (KILLED,), 150_000))  # fmt: skip
"""Lists a session's end, its scores' time, the timer's fault, and when the report has to be made."""


def report(path: str, new: Json) -> Spoil:
    return tell("report/ann", path, new)


def archived(name: str, change: Callable[[Json], Any] | None) -> Spoil:
    """Change a file of the archive, or leave it out."""

    def spoil(pen: Pen) -> None:
        files = pen.answer("archive")
        text = files.pop(name, {"text": "{}"})["text"]
        if change is not None:
            content = json.loads(text)
            change(content)
            files[name] = pen.archived(content)

    return spoil


def named_expert(pen: Pen) -> None:
    author = pen.find("own", number=1)["experts"][0]["meta"]["expert"]
    archived(f"experts/{FILES[1]}/1-expert-1.json", lambda told: told["meta"].update(expert=author))(pen)


def looked(status: int) -> Spoil:
    """Let ann look at her score before the publication."""

    def spoil(pen: Pen) -> None:
        n = pen.call("ann", "own_early", 1, 150_000, status, path="/v1/sessions/1/files/1/score")
        pen.answer_line("published_at")["body"] = n

    return spoil


def shown(*marks: str, status: int = 200, number: int = 1) -> Spoil:
    """Let ann look at a comparison after the publication; without marks those of the right experts are shown."""

    def spoil(pen: Pen) -> None:
        own = pen.all("own")[0]
        right = [f"{own['item']['meta']['id']}-{expert}" for expert in range(1, len(own["experts"]) + 1)]
        path = f"/v1/sessions/1/files/{number}/comparison"
        reply_marks = [] if status != 200 else list(marks) or right
        pen.call("ann", "own_shown", number, 200_000, status, path=path, marks=reply_marks)

    return spoil


NOBODY_SHOWN = "nobody was shown its own comparison after the publication"
ARCHIVE, MARKUPS = "archive_kept", "markups_kept"
WORDS: tuple[tuple[str, Spoil, str | None], ...] = (
    *((EARLY, armed(latest, *more), None) for more, latest in ARMED_BY),
    *((EARLY, armed(latest + 1, *more), LATE_ARMED) for more, latest in ARMED_BY),
    (EARLY, armed(INTERVAL - 3 * MINUTE - 1), "RELEASE#0002: was armed 180001 ms before its opening"),
    (EARLY, armed(2 * INTERVAL), "ms after its file was handed out"),
    (EARLY, forget("item", sk="RELEASE#0002"), "RELEASE#0002: was never armed, and its file was handed out"),
    *((STUCK, reported(due, end, scores, *more), None) for end, scores, more, due in REPORTED_BY),
    *((STUCK, reported(due + 1, end, scores, *more), LATE_REPORT) for end, scores, more, due in REPORTED_BY),
    *((STUCK, lost_step(STEPS[1], 190_000 + late, rescored(70_000)), told) for late, told in (
        (0, None), (1, f"a step of {TEAMS['ann']} that was lost: done after 120 s"))),
    (STUCK, reported(90_000, 90_000), None),
    (STUCK, reported(150_000, 90_000), "its report was made 60000 ms after a visit of the timer that had to"),
    (STUCK, reported(150_000, 90_000, 0, call("ann", "next", None, 90_000, 404, path=f"/{TEAMS['ann']}/next")), None),
    (STUCK, all_of(reported(600_000), header(timer_from=None)), None),
    *((STUCK, lambda pen, state=state: pen.answer("status/ann")["deliveries"][0].update(state=state), "ann, file 1:")
      for state in ("open", "waiting", "voided")),
    (STUCK, forget("answer", of="record"), "the run has no record"),
    ("causes_by_the_rules", missed("team_late", 0.5, ASKED_IN_TIME),
     "bob, file 1: a fault of the platform is counted as team_late"),
    ("acknowledged_kept", add("answer", of="unanswered/report/ann", body=500),
     "ann: asked in the end for its report, and was answered 500"),
    # The event channel
    (CHANNEL, on_the_channel("platform"), "is the platform's fault, and nothing was spoilt"),
    (CHANNEL, on_the_channel("platform", injected("push_lost", session=TEAMS["bob"], number=2)), None),
    (CHANNEL, on_the_channel("platform", injected("push_lost", session=TEAMS["ann"], number=2)), "nothing was spoilt"),
    (CHANNEL, on_the_channel("platform", met("killed", "dispatch.push", -5_000)), None),
    (CHANNEL, on_the_channel("platform", met("killed", "dispatch.push", -5_001)), "nothing was spoilt"),
    (CHANNEL, on_the_channel("platform", met("throttled", "dispatch.push", 70_000)), None),
    (CHANNEL, on_the_channel("platform", met("throttled", "dispatch.push", 70_001)), "nothing was spoilt"),
    (CHANNEL, on_the_channel("platform", met("killed", "score.worker", 0)), "nothing was spoilt"),
    (CHANNEL, on_the_channel("network", away(-1_000, 10_001)), None),
    (CHANNEL, on_the_channel("team_late", away(-1_000, 10_001)), "by the rules network"),
    (CHANNEL, on_the_channel("network", away(-1_000, 5_000)), "by the rules answered or platform"),
    (CHANNEL, on_the_channel("network", away(-1_000, 8_000)), None),
    (CHANNEL, on_the_channel("network", away(6_000, 20_000)), "by the rules answered or platform"),
    (CHANNEL, lambda pen: pen.call("ann", "channel_answer", None, INTERVAL, 200, said={
        **pen.receipt("ann", 1, 20_001), "pushed": 2}), "pushed 2 times over one connection"),
    (CHANNEL, header(driven=True, listening=1, files=3, faults=["losses", "disconnects"]), "no push was lost for good"),
    # Boards and reports
    (TOLD, missed("team_late", 0.0), "voided_share 0.0 of bob, not 0.5"),
    (TOLD, tell("board", "rows.0.result.relative_accuracy", lambda value: value + 1e-6), "result relative_accuracy "),
    (TOLD, tell("board", "rows.0.result.by_metric.M2", lambda _: {}), "result by_metric M2 "),
    (TOLD, tell("board", "rows.0.audit.relative_accuracy", 0.0), "audit relative_accuracy 0.0 of "),
    (TOLD, lambda pen: pen.add("answer", of="board_before", body=pen.answer("board")), "rows: 2 rows"),
    (TOLD, tell("history", "points.0.places", lambda places: places[1:]), "points.0.places: 1 rows"),
    (TOLD, forget("answer", of="history"), "history: was not told in the end"),
    (TOLD, LEFT, "rows: 2 rows"),
    (TOLD, all_of(LEFT, without_bob, call("bob", LEAVE, None, 2 * INTERVAL, 409)), "its end is answered 409"),
    (TOLD, all_of(without_bob, call("bob", LEAVE, None, 2 * INTERVAL, said={"state": "aborted", "closed_at": "x"})),
     "closed_at 2026-11-21T12:04:30.000Z of bob, not x"),
    (TOLD, tell("history", "points", lambda points: [*points, {**points[0], "at": "2026-10-05T09:59:59.000Z"}]),
     "a point has the places of the one before it"),
    (TOLD, tell("history", "points", lambda points: [*points, {"at": "2026-10-05T10:00:01.000Z", "places": []}]),
     "the points are not in the order of their moments"),
    (ONCE, lambda pen: pen.all("own")[0].update(experts=pen.all("own")[1]["experts"]), "of different texts"),
    (TOLD, report("timing.processing_ms.p95", 20_001), "timing processing_ms p95 20001 of ann, not 20000"),
    (TOLD, report("timing.delay_ms.mean", 1.0), "timing delay_ms mean 1.0 of ann, not 0.0"),
    (TOLD, report("voided.files", 1), "voided files 1 of ann, not 0"),
    (TOLD, report("voided.by_cause.network.files", 1), "voided by_cause network files 1 of ann, not 0"),
    (TOLD, report("result.interval_95.expert_accuracy", [0, 1]), "result interval_95 expert_accuracy [0, 1] of ann"),
    (TOLD, report("result", None), "result None of ann, not {"),
    (TOLD, report("solution.voided", True), "solution voided True of ann, not False"),
    (TOLD, forget("answer", of="report/bob"), "report/bob: was not told in the end"),
    # The archive
    (ARCHIVE, archived(f"essays/{FILES[1]}.json", lambda told: told.update(text="x")), "not the essay of file 1"),
    (ARCHIVE, archived(f"essays/{FILES[1]}.json", None), "the archive has no essays/"),
    (ARCHIVE, archived(f"experts/{FILES[1]}/1-expert-1.json", lambda told: told["selections"].pop()),
     "other experts' markups of file 1"),
    (ARCHIVE, archived(f"markups/ann/{FILES[1]}.json", None), "the archive has no markups/ann/"),
    (ARCHIVE, archived("markups/bob/files.json", lambda told: told["files"][0].update(state="voided")),
     "bob: the archive tells other"),
    (ARCHIVE, archived("markups/bob/files.json", None), "the archive has no markups/bob/files.json"),
    (ARCHIVE, archived("board.json", lambda told: told["rows"].reverse()), "board.json: the archive has other rows"),
    (ARCHIVE, archived("record.json", lambda told: told["record"].update(more=1)), "the archive's record is another"),
    (ARCHIVE, archived("people.json", lambda told: told.update(people=["Ann"])), "has people.json, which nobody"),
    (ARCHIVE, tell("archive_verified", "", {"rows": 2, "faults": ["x"]}), "refused by who verifies it: x"),
    (ARCHIVE, tell("archive_verified", "", {"rows": 1, "faults": []}), "verifies it: it makes 1 rows"),
    (ARCHIVE, named_expert, "tells who has made"),
    (ARCHIVE, tell("archive_before", "", 200), "the archive is answered 200 before the publication"),
    (ARCHIVE, forget("answer", of="archive"), "there is no archive of the published results"),
    # Experts' markups
    (MARKUPS, all_of(looked(403), shown()), None),
    (MARKUPS, lambda pen: pen.all("response")[0].update(marks=["final-0001-1", "train-0001-1"]),
     "tells of the markups final-0001-1"),
    (MARKUPS, all_of(looked(200), shown()), "files/1/score is answered 200 before the publication"),
    (MARKUPS, all_of(looked(403), shown(status=403)), "comparison is answered 403 after the publication"),
    (MARKUPS, looked(403), NOBODY_SHOWN),
    (MARKUPS, all_of(looked(403), shown(status=500)), NOBODY_SHOWN),
    (MARKUPS, all_of(looked(403), shown(status=404, number=9)), None),
    (MARKUPS, all_of(looked(403), shown("final-0009-1")), "file 1 is shown with the markups ['final-0009-1'], not"),
)  # fmt: skip


@pytest.mark.clause("platform §6 rehearsal")
@pytest.mark.parametrize(("name", "spoil", "phrase"), WORDS)
def test_what_is_spoiled_is_told_in_words(pen: Pen, name: str, spoil: Spoil, phrase: str | None) -> None:
    assert found(pen, spoil, name, phrase), faults_of(pen, name)


def test_an_answer_that_was_late_does_not_count(pen: Pen) -> None:
    first = [said for said in Case(pen.story()).receipts_told("ann") if said["number"] == 1]
    assert Case(pen.story()).accepted("ann", 1) == first[:1]
    for line in pen.all("response"):
        if line["said"].get("receipt") in first:
            line["said"]["receipt"]["status"] = "late"
    assert Case(pen.story()).accepted("ann", 1) == []


def test_percentiles_are_the_smallest_values_that_so_many_do_not_exceed() -> None:
    assert statistics(range(1, 21)) == {"count": 20, "mean": 10.5, "max": 20, "p50": 10, "p95": 19}
    assert statistics([7]) == {"count": 1, "mean": 7.0, "max": 7, "p50": 7, "p95": 7}
    assert statistics([])["p95"] is None
    assert to_text(0) == "1970-01-01T00:00:00.000Z"
