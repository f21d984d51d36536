"""Test the checks of the plays beside a final: sessions, runs, latency, decisions, an attack."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import MINUTE, QUALIFYING, SECOND, from_text, to_text
from rehearsal.play.channel import ENTERED, HEARD, IDLE, LET_GO
from rehearsal.play.driver import AFTER, BEFORE, MOVED, REFUSED
from rehearsal.play.qualifying import _DRIVEN
from rehearsal.play.wire import marks_in
from rehearsal.proof.case import Case
from rehearsal.proof.checker import check
from rehearsal.proof.checks_around import _Claim, _noted_otherwise
from tests.rehearsal.spoiling import (
    Spoil,
    add,
    all_of,
    call,
    faults_of,
    forget,
    found,
    header,
    moment,
    put,
    response_to,
    tell,
)
from tests.rehearsal.story import FILES, KEY_ID, START, Pen, fresh_pen, signature

Json = Any
SESSION, OTHER = "3" * 15, "4" * 15
ORDER = {"mode": "algorithmic", "set": "train", "files": 3, "language": "all", "time_limit_s": 20}
LIMIT = 20 * SECOND


def all_faults(pen: Pen) -> dict[str, list[str]]:
    return {row.name: row.faults for row in check(pen.story()) if not row.passed}


# Sessions of one's own


def own(what: str, said: Json, means: Json = None, status: int = 200, **more: Any) -> Spoil:
    """Write a call of eve, who practises."""
    path, number = more.pop("path", f"/v1/sessions/{SESSION}"), more.pop("number", None)
    team, at = more.pop("team", "eve"), more.pop("at", 0)
    return call(team, f"practice_{what}", number, at, status, said=said, path=path, means=means or {}, **more)


def receipt(status: str, at: int = 0) -> Json:
    return {"receipt": {"status": status, "received_at": moment(at)}}


OPENED = own("open", {**ORDER, "session_id": SESSION}, ORDER, 201, path="/v1/sessions")
FILE = {"file_id": "5" * 15, "handed_out_at": moment(0), "answer_by": moment(LIMIT), "content": {}}
FIRST = f"/v1/sessions/{SESSION}/files/1"
ANSWERED = own("answer", receipt("accepted"), {"status": "accepted"}, number=1)
AGAIN = {"retry_after": "1"}


def handed(**other: Json) -> Spoil:
    return own("file", {**FILE, **other}, number=1, path=FIRST)


def fast(*statuses: int, what: str = "fast", told: int = 200) -> Spoil:
    return all_of(*(own(what, AGAIN if status == 429 else {}, {"is_told": told}, status) for status in statuses))


ASKED = own("file", {}, status=500, number=1, path=FIRST)


def closed(at: int) -> Spoil:
    return all_of(ASKED, own("status", {"state": "timed_out", "closed_at": moment(at)}, {"state": "timed_out"}))


def seen_opened(opened_at: int, told_at: int) -> Spoil:
    opened = own("open", {**ORDER, "session_id": SESSION, "opened_at": moment(opened_at)}, ORDER, 201, path="/v1/s")
    session = {"state": "finished", "opened_at": moment(told_at)}
    return all_of(opened, own("status", session, {"state": "finished"}, at=MINUTE))


def scored(at: int, **more: Json) -> Spoil:
    def spoil(pen: Pen) -> None:
        markup = pen.markup("ann", 1)
        pen.add("object", name=f"answers/{SESSION}/1/abc.json", sha256="abc", text=json.dumps(markup))
        own("answer", receipt("accepted"), {"status": "accepted"}, number=1, path=f"{FIRST}/answer",
            content_sha256="abc")(pen)  # fmt: skip
        record = json.loads(json.dumps(pen.record(1, markup)))
        own("score", {**record, **more}, number=1, at=at, path=f"{FIRST}/score")(pen)

    return spoil


RIGHT = (
    OPENED,
    own("wrong", {}, ORDER, 422),
    own("second", {}, ORDER, 409),
    own("next", {"status": "available", "number": 2}, number=2),
    own("answer", receipt("late"), {"status": "late"}, number=1),
    own("status", {"state": "finished"}, {"state": "finished"}),
    closed(16 * MINUTE),
    own("abort", {"state": "aborted"}),
    own("closed", {}, status=409),
    own("closed", receipt("late")),
    own("unconfirmed", {}, status=409),
    own("large", {}, status=413),
    own("status", {"state": "open", "deliveries": [{"sends": 1}]}, {"state": "open", "sends": 1}),
    own("list", {"sessions": [{"session_id": OTHER}, {"session_id": SESSION}]}, {"sessions": [OTHER, SESSION]}),
    all_of(fast(*[200] * 9, 503, 429), ANSWERED),
    all_of(OPENED, handed(), handed()),
    seen_opened(0, 0),
    scored(30_000),
)
CHOSEN, ENDED, LIMITED, OWN = "sessions_chosen", "sessions_ended", "requests_limited", "own_kept"
WRONG = (
    (own("wrong", {}, ORDER, 201), CHOSEN, "is answered 201"),
    (own("second", {}, ORDER, 201), CHOSEN, "is answered 201"),
    (own("open", {}, ORDER, 409), CHOSEN, "is answered 409"),
    (own("open", {**ORDER, "files": 2, "session_id": SESSION}, ORDER, 201), CHOSEN, "tells files as 2, not 3"),
    (own("next", {"status": "available", "number": 3}, number=2), CHOSEN, "tells number as 3, not 2"),
    (own("answer", receipt("accepted"), {"status": "late"}), CHOSEN, "tells receipt.status as accepted, not late"),
    (own("answer", receipt("accepted", 5), {"status": "accepted"}), CHOSEN, f"its receipt says {START + 5}"),
    *((all_of(OPENED, handed(), handed(**{name: value})), CHOSEN, "file 1 is another one than at first")
      for name, value in (("file_id", "6" * 15), ("content", {"text": "x"}), ("handed_out_at", moment(1)))),
    (all_of(OPENED, handed(answer_by=moment(60_000))), CHOSEN, "is due after 60000 ms, chosen were 20 s"),
    (scored(241_000), CHOSEN, "scored after 241 s"),
    (scored(30_000, another=1), CHOSEN, "the library scores the answer differently"),
    (own("status", {"state": "open"}, {"state": "finished"}), ENDED, "tells state as open, not finished"),
    (closed(MINUTE), ENDED, "the silent session was closed after 60000 ms"),
    (closed(16 * MINUTE + 1), ENDED, "the silent session was closed after 960001 ms"),
    (own("status", {"state": "timed_out"}, {"state": "timed_out"}), ENDED, "closed after None ms"),
    *((seen_opened(*moments), ENDED, "the session was opened at") for moments in (
        (61_000, 61_000), (0, 61_000), (-1, -1))),
    (own("abort", {"state": "open"}), ENDED, "tells state as open, not aborted"),
    (own("closed", receipt("accepted")), ENDED, "after its end it is answered 200"),
    (own("unconfirmed", {}), ENDED, "is answered 200"),
    (own("large", {}, status=422), LIMITED, "is answered 422"),
    (own("status", {"state": "open", "deliveries": [{"sends": 2}]}, {"state": "open", "sends": 1}), LIMITED,
     "tells deliveries.0.sends as 2, not 1"),
    (own("fast", {}, status=429), LIMITED, "is refused for the rate and not told when to come again"),
    (fast(200), LIMITED, "no answer came within the second of its requests"),
    (all_of(fast(*[200] * 11), ANSWERED), LIMITED, "eve: 11 requests of one second were answered"),
    (all_of(fast(*[200] * 9, 429), ANSWERED), LIMITED, "eve: 9 requests of one second were answered"),
    (fast(*[409] * 9, 429, what="fast_shared", told=409), LIMITED, "eve: 9 requests of one second were answered"),
    (all_of(fast(200), own("answer", AGAIN, {"status": "accepted"}, 429)), LIMITED, "was refused for the rate"),
    (own("log", {}, {"sha256": "0" * 64}), OWN, "the log is not kept with its session"),
    (own("list", {"sessions": []}, {"sessions": [SESSION]}), OWN, f"the list has [], the team has ['{SESSION}']"),
    (own("open", {"session_id": "0" * 15}, status=201), OWN, f"is called {'0' * 15}"),
    (own("file", {}, status=500, file_ids=["x" * 15], path=FIRST), OWN, f"is called {'x' * 15}"),
    (all_of(OPENED, own("open", {**ORDER, "session_id": SESSION}, ORDER, 201, team="mallory")), OWN,
     f"eve and mallory have one session, {SESSION}"),
)  # fmt: skip


@pytest.mark.parametrize("spoil", RIGHT)
def test_what_is_right_beside_the_final_is_no_fault(pen: Pen, spoil: Spoil) -> None:
    ASKED(pen)
    spoil(pen)
    assert all_faults(pen) == {}


# Around the final


def ask(pen: Pen, what: str, team: str = "qualify-ready", path: str = "/v1/x", *, status: int = 200, said: Json = None,
        number: int | None = None, texts: tuple[int, ...] = (), rules: Sequence[int] = (200,), **means: Json,
) -> None:  # fmt: skip
    """Add a call of the play around the final to the log; ``rules`` are the statuses allowed in its answer."""
    n = 1 + max(line["n"] for line in pen.lines if line["kind"] in {"request", "response"})
    at, name = {"n": n, "at": 1_800_000_000_000}, f"{QUALIFYING}{what}"
    meant = {"status": list(rules), "says": {}, **means}
    pen.lines += [
        {"kind": "request", **at, "team": team, "what": name, "number": number, "path": path, "means": meant},
        {"kind": "response", **at, "status": status, "said": said or {}, "texts": list(texts)},
    ]


def around(*words: Any, **more: Any) -> Spoil:
    return lambda pen: ask(pen, *words, **more)


JUDGE, COMMISSION = "judge@example.org", "commission@example.org"


def token(used: float | None) -> Spoil:
    """Use a token, and report its last use as so many seconds later."""

    def spoil(pen: Pen) -> None:
        ask(pen, "session")
        released = None if used is None else to_text(pen.lines[-1]["at"] + round(used * SECOND))
        ask(pen, "tokens", "organizer", said={"tokens": [{"used_at": released}]}, whose="qualify-ready")

    return spoil


def qualified(*, told: bool) -> Spoil:
    rows = {"teams": [{"team_id": "a", "qualified": True}]}
    return all_of(around("standings", said=rows, qualified=told),
                  lambda pen: put(pen.lines[-2], "means.team", "a"))  # fmt: skip


RESERVE = len(FILES) + 1
ANEW = around("restart", path="/v1/sessions", status=201, said={"session_id": "7"}, rules=(201,), run="anew", files=8)


def fresh(number: int, text: int, session: str = "7") -> Spoil:
    return around("file", path=f"/v1/sessions/{session}/files/{number}", number=number, texts=(text,))


STEPS, TRIAL, BEGUN = "admitted_by_steps", "trial_apart", "begun_anew"
AROUND: tuple[tuple[str, Spoil, str | None], ...] = (
    *((name, around(what, said={"run": {"trial": True}}, says={"run.trial": True}), None) for what, name in (
        ("readiness", "readiness_concluded"), ("admitted", STEPS), ("failure", "failure_proposed"))),
    *((name, around(what, says={"run.trial": True}), "tells run.trial as None, not True") for what, name in (
        ("readiness", "readiness_concluded"), ("session", "readiness_concluded"), ("steps", STEPS), ("admitted", STEPS),
        ("trial", TRIAL), ("failure", "failure_proposed"), ("restart", BEGUN))),
    (TRIAL, around("trial", status=403), "is answered 403"),
    (TRIAL, around("trial", rules=REFUSED), "is answered 200"),
    (TRIAL, around("trial", said={"rows": [{"team_id": "a"}]}, absent=["a"]), "a stands on /v1/x"),
    (TRIAL, around("trial", said={"failure": {"n": 1}}, says={"failure": None}), "tells failure as {'n': 1}, not None"),
    (TRIAL, around("trial", said={"rows": []}, says={"rows.0.place": 1}), "tells rows.0.place as None, not 1"),
    *((STEPS, token(used), None) for used in (0, -600)),
    *((STEPS, token(used), "the token of qualify-ready was used at") for used in (0.001, -600.001, None)),
    (STEPS, qualified(told=True), None),
    (STEPS, qualified(told=False), "a is told as qualified: True"),
    (BEGUN, all_of(ANEW, fresh(1, RESERVE)), None),
    (BEGUN, all_of(ANEW, fresh(1, 1)), "file 1 is no fresh one of the reserve"),
    (BEGUN, all_of(ANEW, fresh(1, RESERVE), fresh(2, RESERVE)), "file 2 is no fresh one of the reserve"),
    (BEGUN, fresh(1, RESERVE, "8"), "has a text of the final or the reserve"),
)  # fmt: skip


@pytest.mark.parametrize("points", [None, [], [{"at": "2026", "places": []}], [{"at": "2026", "places": [
    {"place": 1, "team_id": "a", "value": 90.5}]}]])  # fmt: skip
def test_what_the_timer_has_left_on_the_board_is_in_its_history(pen: Pen, points: list[Json] | None) -> None:
    row = {"place": 1, "team_id": "a", "value": 90.0}
    ask(pen, "places", said={"rows": [row]}, part="rus")
    assert list(_noted_otherwise(Case(pen.story()))) == ["no board with places was looked at together with its history"]
    ask(pen, "history", said={"points": [{"at": "2026", "places": [row]}] if points is None else points}, part="rus")
    faults = list(_noted_otherwise(Case(pen.story())))
    assert [": the board shows [(1, 'a', 90.0)]" in fault for fault in faults] == [True] * (points is not None)


def test_the_audit_counts_missed_files_as_zeros() -> None:
    assert _Claim("a", 20, 19, 1, 150.0).audit == (142.5, True)
    assert _Claim("a", 20, 19, 1, 90.0).audit == (85.5, False)
    assert _Claim("a", 20, 19, 0, 150.0).audit == (150.0, False)
    assert _Claim("a", 20, 0, 20, None).audit == (None, False)


# Latency


def timed(what: str, number: int, times: tuple[int, int], said: Json, stalled: int = 0, status: int = 200) -> Spoil:
    """Write a request of the team that the platform was slow for; times are counted from START."""

    def spoil(pen: Pen) -> None:
        real = what.startswith("real")
        limits = {"request_s": 1, "answer_s": 4, "total_s": 3} if real else _DRIVEN.limits
        ask(pen, what, "slowed", status=status, rules=(status,), number=number, said=said, stalled=stalled,
            opens_at=START + 30_000 * (number - 1), limits=limits)  # fmt: skip
        for line, at in zip(pen.lines[-2:], times, strict=True):
            line["at"] = START + at

    return spoil


def out(handed: int, due: int) -> Json:
    return {"handed_out_at": moment(handed), "answer_by": moment(due)}


SLOWED = (
    timed("latency_file", 1, (0, 8_000), out(8_000, 23_000), 8_000),
    timed("latency_answer", 1, (21_000, 41_000), {}, 20_000),
    timed("latency_file", 2, (41_000, 41_000), out(41_000, 56_000)),
)
HELD = (
    timed("real_file", 1, (-3_000, -2_950), {}, status=425),
    timed("real_file", 1, (-1_500, 10), out(5, 3_005)),
    timed("real_file", 1, (250, 1_800), out(1_790, 4_520), 1_500),
    timed("real_answer", 1, (3_400, 5_500), {}, 1_500),
)


def times(calls: tuple[Spoil, ...], place: int = 0, **other: Json) -> Spoil:
    """Write the calls, of which the response to one is another."""

    def spoil(pen: Pen) -> None:
        all_of(header(faults=[]), *calls)(pen)
        for name, value in other.items():
            response = pen.lines[2 * place - 2 * len(calls) + 1]
            put(response, name.replace("__", "."), value)

    return spoil


GIVEN, HELD_NAME = "latency_given_back", "held_in_real_time"
LATENCY: tuple[tuple[str, Spoil, str | None], ...] = (
    (GIVEN, times(SLOWED), None),
    (GIVEN, times(SLOWED, 0, said__answer_by=moment(20_000)), "the answer is due at"),
    (GIVEN, times(SLOWED, 0, said__handed_out_at=moment(7_999)), "is told as handed out at"),
    (GIVEN, times(SLOWED, 0, at=START + 7_999), "took 7999 ms, 8000 ms were injected"),
    (GIVEN, times(SLOWED, 2, said__answer_by=moment(50_000)), "the answer is due at"),
    (HELD_NAME, times(HELD), None),
    (HELD_NAME, times(HELD, 0, at=START), "is told at the opening to come again"),
    (HELD_NAME, times(HELD, 0, status=200, said=out(0, 0)), "is answered 200"),
    (HELD_NAME, times(HELD, 1, said__handed_out_at=moment(-1)), "is told as handed out at"),
    (HELD_NAME, times(HELD, 1, said__answer_by=moment(4_005)), "by the rules between"),
    (HELD_NAME, times(HELD, 2, said__answer_by=moment(4_499)), "by the rules between"),
    (HELD_NAME, times(HELD, 2, said__handed_out_at=moment(1_749)), "is told as handed out at"),
    (HELD_NAME, times((*HELD[:3], timed("real_answer", 1, (3_000, 5_500), {}, 1_500))),
     "before the last moment without latency"),
)  # fmt: skip


# Clients of the channel that play nothing


def alive(away: dict[int, str] | None = None, *, entered: bool = True, let_go: bool = True, signs: int = 1,
          after: int = 5) -> Spoil:  # fmt: skip
    """Let clients come at one moment and be looked at minutes later; ``away`` names what happened to the timer's visits
    of a driven clock, by their minutes."""

    def spoil(pen: Pen) -> None:
        begun = 1_800_000_000_000
        bodies = {ENTERED: {"entered": entered}, IDLE: {"opened": True}, LET_GO: {"let_go": let_go}, HEARD: {
            "signs": signs}}  # fmt: skip
        for n, (what, body) in enumerate(bodies.items(), start=90_001):
            at = begun + (0 if what in {ENTERED, IDLE} else after * MINUTE)
            pen.add("request", n=n, at=at, team="eve", what=what, path="")
            pen.add("response", n=n, at=at, status=200, said=body)
        pen.find("header")["timer_from"] = begun if away is not None else None
        for minute, what in (away or {}).items():
            due = begun + minute * MINUTE
            pen.add("injected", what=what, at=to_text(due), comes=to_text(due + 5 * SECOND))

    return spoil


NEVER = dict.fromkeys(range(1, 14), "tick_missed")
DRIVEN = (({}, 4), ({3: "tick_missed"}, 4), ({3: "tick_missed", 7: "tick_late"}, 3),
          ({3: "tick_doubled"}, 4), (NEVER, 0))  # fmt: skip
ALIVE = "channel_alive"
CLIENTS: tuple[tuple[str, Spoil, str | None], ...] = (
    (ALIVE, alive(), None),
    (ALIVE, alive(entered=False), "eve, call 90001: is not let in"),
    (ALIVE, alive(let_go=False), "eve, call 90003: is kept though it has entered nothing"),
    *((ALIVE, alive(signs=signs), f"has heard {signs} signs of life, by the rules 1 to 1") for signs in (0, 2)),
    *((ALIVE, alive(signs=signs, after=13), None) for signs in (3, 4)),
    *((ALIVE, alive(signs=signs, after=13), "signs of life, by the rules 3 to 4") for signs in (2, 5)),
    *((ALIVE, alive(away, signs=signs, after=13), None) for away, signs in DRIVEN),
    *((ALIVE, alive(away, signs=signs + by, after=13), f"by the rules {signs} to {signs}")
      for away, signs in DRIVEN for by in (-1, 1)),
    (ALIVE, alive(NEVER, signs=0, let_go=False), None),
)  # fmt: skip


# Runs beside the final


class Told:
    """Add every reader's answers about three runs beside the final, which are as the story's own one."""

    def __init__(self) -> None:
        pen = fresh_pen()
        answers = ("run_before", "run", "record", "record_verified")
        self.before, self.run, self.record, self.verdict = (copy.deepcopy(pen.answer(name)) for name in answers)
        self.files = {number: {"file_id": name, "content": pen.content(number)} for number, name in FILES.items()}
        self.at = {row["number"]: from_text(row["planned_at"]) for row in self.record["plans"][0]["rows"]}
        self.moves: list[tuple[str, int]] = []
        self.timer_from: int | None = None

    def write(self, pen: Pen, kind: str) -> None:
        ask(pen, "x", path="/v1/sessions", status=201, said={"session_id": f"s-{kind}"}, run=kind)
        ask(pen, BEFORE, said=self.before, run=kind)
        for number, said in self.files.items():
            what = "experts_file" if kind == "experts" else "file"
            ask(pen, what, path=f"/v1/sessions/s-{kind}/files/{number}", number=number, said=said)
            for line in pen.lines[-2:]:
                line["at"] = self.at[number]
        for wished, at in self.moves:
            ask(pen, MOVED, said={"kind": wished}, run=kind, kind=wished)
            for line in pen.lines[-2:]:
                line["at"] = at
        ask(pen, AFTER, said=self.run, run=kind)
        pen.add("answer", of=f"{kind}_record", body=self.record)
        pen.add("answer", of=f"{kind}_record_verified", body=self.verdict)


def beside(change: Callable[[Told], Any], kind: str = "trial") -> Spoil:
    """Write three runs, of which one is told otherwise."""

    def spoil(pen: Pen) -> None:
        pen.find("header")["timer_from"] = None
        for name in ("trial", "anew", "experts"):
            told = Told()
            if name == kind:
                change(told)
                pen.find("header")["timer_from"] = told.timer_from
            told.write(pen, name)

    return spoil


def paused(armed_after: int, *, decided: bool = True) -> Callable[[Told], None]:
    """Move the second file by 25 seconds while the first is open, and arm it so long after the resumption; the timer
    comes a minute after it."""

    def change(told: Told) -> None:
        told.timer_from = pauses = told.at[1] + SECOND
        told.moves = [("pause", pauses), ("resume", pauses)] * decided
        told.at[2] += 25 * SECOND
        told.record["releases"][1] |= {"opens_at": to_text(told.at[2]), "armed_at": to_text(pauses + armed_after)}

    return change


PROMISED = "beside_as_promised"
BESIDE: tuple[tuple[str, Spoil, str | None], ...] = (
    (PROMISED, beside(lambda _: None), None),
    *((PROMISED, beside(lambda told: put(told.before, "commitment.signature", "x"), kind),
       "the commitment of the run is another one than before the start") for kind in ("trial", "anew", "experts")),
    (PROMISED, beside(lambda story: story.verdict.append("files_swapped")), "by who verifies it: files_swapped"),
    (PROMISED, beside(lambda told: put(told.record, "releases.0.opens_at", to_text(told.at[1] + 1))),
     "file 1 was released at another moment than planned"),
    (PROMISED, beside(lambda told: told.files[1].update(content={"text": "x"})), "file 1 is another one than was"),
    (PROMISED, beside(lambda told: told.at.update({2: told.at[2] - 1})), "file 2 was handed out before its opening"),
    (PROMISED, beside(paused(MINUTE)), None),
    (PROMISED, beside(paused(MINUTE + 1)), "the trial: file 2 was moved and not armed anew by the timer"),
    (PROMISED, beside(paused(MINUTE, decided=False)), "file 2 was released at another moment than planned"),
)  # fmt: skip


# Mails and webhooks

MEMBER, HOOK = "member@example.org", "https://hooks.example.org/ann"
HALL = {"ru": "Зал открыт", "en": "The hall is open"}
SITE = "https://contest.example.org"


def announced(
    *languages: str,
    mails: int = 1,
    requests: int = 1,
    title: str = "",
    faults: tuple[str, ...] = (),
    early: bool = False,
) -> Spoil:
    """Announce the hall to a member of ann's and to her webhook, with so many messages to each; ``early``: before
    they are there."""

    def act(team: str, path: str, said: Json, **means: Json) -> Spoil:
        meant = {"status": [200], "says": {}, **means}
        return call(team, f"{QUALIFYING}news", None, 0, path=f"/v1/{path}", method="POST", said=said, means=meant)

    announcing = act("organizer@example.org", "announcing", {"state": "published"})
    there = (
        act(MEMBER, "invitations/accept", {}, member_of="ann"),
        act(MEMBER, "mails", {"language": "both"}),
        act("ann", "hooks", {"url": HOOK}),
    )
    texts = [f"{HALL[one]}\n{SITE}/announcements\n{SITE}/cabinet/mails\n" for one in languages or ("ru", "en")]
    subject = title or " / ".join(HALL[one] for one in languages or ("ru", "en"))
    event = {"kind": "announcement", "title": HALL, "link": f"{SITE}/announcements", "key_id": KEY_ID}
    sent = [{"to": MEMBER, "subject": subject, "text": "----".join(texts)}] * mails
    sent += [{"url": HOOK, "body": {"event": event, "signature": signature(event)}}] * requests
    outcome = add("answer", of="sent", body={"until": 1_000_000, "sent": sent})
    return all_of(header(faults=list(faults)), *((announcing, *there) if early else (*there, announcing)), outcome)


TOLD_OF = "news_kept"
NEWS: tuple[tuple[str, Spoil, str | None], ...] = (
    (TOLD_OF, announced(), None),
    (TOLD_OF, announced(mails=0), f'mails ["{MEMBER}", "/announcements", "both"], which were not sent'),
    (TOLD_OF, announced(requests=0, mails=0), f'["{HOOK}", "announcement", "/announcements"], which were not sent'),
    (TOLD_OF, announced(mails=2), "mails"),
    (TOLD_OF, announced(requests=2), "1 requests to webhooks"),
    (TOLD_OF, announced(mails=2, requests=2, faults=("kills",)), None),
    (TOLD_OF, announced("en"), f'mails ["{MEMBER}", "/announcements", "en"], which nobody is due'),
    (TOLD_OF, announced(title="The hall is shut"), "says «The hall is shut», no webhook does"),
    (TOLD_OF, announced(early=True), "which nobody is due"),
    (TOLD_OF, announced(early=True, mails=0, requests=0), None),
)


# Decisions of the organizers

MADE: tuple[tuple[str, int, Json], ...] = (
    ("pause", 65_000, {}), ("void", 70_000, {"numbers": [2]}), ("undo", 75_000, {"amendment": 2}),
    ("resume", 80_000, {}), ("rule", 85_000, {"team_id": "bob", "number": 2, "cause": "platform"}),
)  # fmt: skip


RULING = {"number": 5, "amendment": "rule", "details": MADE[4][2]}
"""The content of the ruling that is sealed while the run goes on."""


def decided(*spoils: Spoil) -> Spoil:
    """Write decisions that change nothing of the files and are announced as they were made, then spoil them."""

    def spoil(pen: Pen) -> None:
        lines = list[Json]()
        for number, (kind, at, wish) in enumerate(MADE, start=1):
            holds = moment(at + (30_000 if kind == "resume" else 5_000))
            said = {"amendment": number, "kind": kind, "effective_at": holds, "details": wish, "version": number}
            pen.add("decided", at=START + at, wished=kind, wish=wish, status=200, told=said)
            seal = {"seal": sha256_hex(canonical_bytes(RULING))}
            name, details = ("sealed", seal) if kind == "rule" else (kind, wish)
            statement = {"kind": "amendment", "number": number, "amendment": name, "effective_at": holds,
                         "details": details}  # fmt: skip
            lines.append({"amendment": statement})
        run = pen.answer("run")
        run.update(amendments=lines, pauses=[{"from": moment(70_000), "until": moment(110_000)}])
        pen.add("answer", of="run_during", body=copy.deepcopy(run))
        run["rulings"] = [copy.deepcopy(RULING)]
        pen.answer("record").update(copy.deepcopy({"amendments": lines, "rulings": run["rulings"]}))
        all_of(*spoils)(pen)
        pen.archive_record()

    return spoil


def wished(status: int, code: str | None) -> Spoil:
    wish = {"wished": "undo", "wish": {"amendment": 2}, "due": "nothing_to_undo"}
    return add("forbidden", at=START + 85_000, status=status, code=code, **wish)


def in_pause(**details: Json) -> Spoil:
    error = {"code": "not_open_yet", "details": [{"server_time": moment(72_000), **details}]}
    return decided(call("ann", "file", 2, 72_000, 425, said={"error": error, "retry_after": "1"}))


def unanswered(pen: Pen) -> None:
    """Let bob ask for nothing of his second file: its status gives the cause that is ruled."""
    for name in ("file", "answer"):
        number = response_to(pen, "bob", name, 2)["n"]
        all_of(forget("request", n=number), forget("response", n=number))(pen)
    pen.answer("status/bob")["deliveries"][1].update(state="voided", cause="platform")


KEPT = "decisions_kept"
ANOTHER_SET: Spoil = lambda pen: pen.find("response", n=pen.hand_out("ann", 2)).update(texts=[3])  # noqa: E731
DECIDED: tuple[tuple[str, Spoil, str | None], ...] = (
    *((name, decided(), None) for name in (KEPT, "commitment_kept", "causes_by_the_rules", "deadlines_told")),
    ("causes_by_the_rules", decided(unanswered), None),
    ("causes_by_the_rules", unanswered, "bob, file 2: is platform, by the rules team_late"),
    (KEPT, decided(add("decided", at=START + 86_000, wished="void", wish={"numbers": [1]}, status=409, told={})),
     f"the decision void at {moment(86_000)} was answered 409"),
    (KEPT, decided(wished(409, "nothing_to_undo")), None),
    (KEPT, decided(wished(200, None)), "was answered 200 None, not nothing_to_undo"),
    (KEPT, decided(wished(409, "another")), "was answered 409 another, not nothing_to_undo"),
    *((KEPT, decided(lambda pen, name=name: put(pen.all("decided")[0], f"told.{name}", "x")), f"{name} is told as x")
      for name in ("amendment", "effective_at", "kind")),
    (KEPT, decided(tell("record", "amendments", lambda told: told[:-1])), "other decisions than were made"),
    (KEPT, decided(tell("run", "amendments.1.amendment.details", {"numbers": [1]})),
     "the run tells decision 2 (void) as {'numbers': [1]}"),
    (KEPT, decided(tell("run", "pauses.0.until", moment(111_000))), "the run tells of the pauses"),
    ("causes_by_the_rules", decided(lambda pen: pen.find("decided", wished="undo").update(status=409)),
     "ann, file 2: is answered, by the rules organizer_decision"),
    (KEPT, decided(lambda pen: pen.answer("run_during").update(rulings=[{}])), "rulings are told while the run goes"),
    (KEPT, decided(tell("record", "rulings.0.details.cause", "network")), "opens decision 5 (rule) as ('rule"),
    (KEPT, decided(tell("run", "amendments.4.amendment.details.seal", "x")), "decision 5: it is told otherwise"),
    (KEPT, decided(tell("record", "rulings", [])), "the record opens decision 5 (rule) as None"),
    ("not_yet_told", in_pause(opens_at=moment(60_000), run_state="paused"), None),
    ("not_yet_told", in_pause(opens_at=moment(60_000), run_state="running"), "that the run is running"),
    ("not_yet_told", in_pause(opens_at=moment(1), run_state="paused"), f"is told that it opens at {moment(1)}"),
    ("not_yet_told", in_pause(run_state="paused"), "is told that it opens at None"),
    (KEPT, decided(ANOTHER_SET), "file 2 is of another set"),
    ("commitment_kept", tell("run", "pauses", [{"from": moment(0), "until": moment(1)}]), "nobody decided anything"),
)  # fmt: skip


# An attack on a hidden set

PLACES = [[100 + 37 * place, 113 + 41 * place] for place in range(30)]
LEAK = [{"start": first, "end": last} for first, last in PLACES[:8]]
SORTED = [{"start": 100 + 37 * place, "end": 113 + 41 * (place - 1)} for place in range(1, 20)]
"""Fragments in which a start stands next to the following fragment's end in the stored order of an answer."""
CLOSE = '42/pku,["session-close",{}]'


def attack(what: str, heard: str = "", told: Json = None, status: int = 200, **more: Any) -> Spoil:
    """Let the attacker ask for something; ``sitting``, ``taken`` and ``sent`` are its view of it."""
    means = {name: more.pop(name) for name in ("sitting", "taken", "sent", "opened", "texts") if name in more}
    said = {"told": told or {}, "heard": heard}
    return call("attacker", f"attack_{what}", 1, 0, status, said=said, means=means, **more)


def attacked(*spoils: Spoil, heard: str = CLOSE, marks: Sequence[str] = (), **known: Json) -> Spoil:
    body = {"places": PLACES, "hashes": ["a" * 64], "measured": True, **known}
    return all_of(add("answer", of="attacked", body=body), *spoils, attack("frames", heard, marks=list(marks)))


def totals(*takens: dict[str, Json]) -> Spoil:
    body = {"result": {"f": 0.5}}
    return attacked(*(attack("report", told=body, sitting=str(place), taken=taken)
                      for place, taken in enumerate(takens)), measured=False)  # fmt: skip


def taken(count: int, differing: int = 0) -> dict[str, Json]:
    return {str(place): [int(place < differing)] for place in range(count)}


def viewed(*views: int) -> dict[str, Json]:
    return {str(place): [place if place < number else None for number in views] for place in range(12)}


def passed(result: Json, heard: str = CLOSE, marks: Sequence[str] = ()) -> Spoil:
    report = attack("report", told={"result": result}, sitting="single 0", taken={"0": [[]]})
    return attacked(report, heard=heard, marks=marks, measured=False, passes=True)


def pushed(names: str, texts: tuple[int, ...]) -> Spoil:
    """Look at pushes before and after each of two openings; a dot is none."""
    frames = ("" if name == "." else f'42/pku,["session-file-available",{{"fileId":"{name}"}}]' for name in names)
    looks = [attack("pushes", frame, opened=opened, texts=count)
             for frame, opened, count in zip(frames, (0, 1, 1, 2), texts, strict=False)]  # fmt: skip
    return attacked(*looks, listened=2)


NOT_PASSED = {"stage": "selection", "files": 1, "answered": 1, "voided": 0, "right": 0, "passed": False}
FRAME = '42/baseline,["session_send_next_file",{"hint":[{"code":"Q07"}]}]'
CHANCE = " ".join(f"{first} {first + by}" for first in range(100, 800) for by in range(13, 60))
ONE_DIFFERS = tuple({str(place): [int(place < 1) * other, f"{place} {other}"] for place in range(12)} for other in (
    0, 1))  # fmt: skip
HIDDEN = "references_hidden"
ATTACK: tuple[tuple[str, Spoil, str | None], ...] = (
    (HIDDEN, attacked(attack("answer_sent", sent=LEAK), attack("report", json.dumps(LEAK))), None),
    (HIDDEN, attacked(attack("report", json.dumps(LEAK))), "8 places of references of 30 are told"),
    (HIDDEN, attacked(attack("answer", json.dumps(SORTED, sort_keys=True))), "places of references of 30 are told"),
    (HIDDEN, attacked(attack("sent", sent=SORTED), attack("answer", json.dumps(SORTED, sort_keys=True))), None),
    (HIDDEN, attacked(attack("report", CHANCE)), None),
    (HIDDEN, attacked(attack("look", hashes=["a" * 64])), "hash of a reference"),
    (HIDDEN, attacked(attack("look", marks=["test-0001-1"])), "test-0001-1"),
    (HIDDEN, attacked(attack("score", told={"algorithm_accuracy": 14.5, "metrics": {"M1": 3.0}})), "14.5"),
    (HIDDEN, attacked(attack("score", told={"algorithm_accuracy": 14.0, "pairs": []})), "tells pairs"),
    *((HIDDEN, totals(taken(12), taken(*other)), None) for other in ((12, 10), (12, 0))),
    *((HIDDEN, totals(taken(12), taken(*other)), "totals of") for other in ((12, 1), (12, 9), (9, 9))),
    *((HIDDEN, totals(viewed(*views)), None) for views in ((0, 12), (11, 12))),
    *((HIDDEN, totals(viewed(*views)), "totals of") for views in ((1, 12), (12, 9))),
    (HIDDEN, totals(*ONE_DIFFERS), "beside those of ['0']"),
    (HIDDEN, attacked(attack("report", told={"result": None}, sitting="0", taken=taken(12)), measured=False),
     "no totals of 12 answers"),
    (HIDDEN, passed(NOT_PASSED), None),
    (HIDDEN, passed({**NOT_PASSED, "right": 1, "passed": True}), "a wrong answer has the result"),
    (HIDDEN, passed({**NOT_PASSED, "code": "A15"}), "code is told of one item"),
    (HIDDEN, passed({}), "a wrong answer has the result"),
    (HIDDEN, passed(NOT_PASSED, FRAME, marks_in(FRAME)), "tells of the references Q07"),
    (HIDDEN, passed(NOT_PASSED, ""), "the event channel said nothing"),
    (HIDDEN, pushed(".7.8", (0, 1, 0, 1)), None),
    (HIDDEN, pushed("7..8", (0, 1, 0, 1)), "1 files were pushed of 0 open ones"),
    (HIDDEN, pushed(".78.", (0, 1, 0, 1)), "2 files were pushed of 1 open ones"),
    (HIDDEN, pushed(".7..", (0, 1, 0, 0)), "1 files were pushed of 2 open ones"),
    (HIDDEN, pushed(".7.8", (0, 2, 0, 1)), "texts of 2 files came, 1 were open"),
    (HIDDEN, pushed(".7", (0, 1)), "2 times the pushes of a run were looked at, of 4"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "spoil", "phrase"),
    [*((name, spoil, phrase) for spoil, name, phrase in WRONG), *AROUND, *LATENCY, *CLIENTS, *BESIDE, *NEWS, *DECIDED],
)
def test_what_is_otherwise_beside_the_final_is_found(pen: Pen, name: str, spoil: Spoil, phrase: str | None) -> None:
    assert found(pen, spoil, name, phrase), faults_of(pen, name)


@pytest.mark.clause("TS T10")
@pytest.mark.parametrize(("name", "spoil", "phrase"), ATTACK)
def test_what_an_attack_learns_is_found(pen: Pen, name: str, spoil: Spoil, phrase: str | None) -> None:
    assert found(pen, spoil, name, phrase), faults_of(pen, name)


def test_a_code_is_a_mark_as_a_whole_word_alone() -> None:
    assert marks_in(FRAME) == ("Q07",)
    assert marks_in("Q10 c2Q07 /Q07= Q070 AQ07 Q07-8") == ()
