"""What teams do in a contest of programs: they bring archives, hand them in, look, read, choose for the private test.

What the platform fails, or what is lost on the way, is asked again. A request that the rules refuse is asked on purpose
where they say what is answered: a submission too many of a day, a second one beside one under way, another team's.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from local.rehearsal.history import SUBMITTING
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.injections import Fault
from local.rehearsal.play.programs import Program, Programs
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Ask, Reply
from markup_core.receipt import sha256_hex

Json = Any
Steps = Generator[Step, Sequence[Reply], Reply]
LOOKS: Final[Millis] = 30 * SECOND
_PATIENCE: Final = 30
_WAITS: Final = 60
"""Times that a team looks at a submission, or comes again while another is under way."""
_LOST_SHARE, _TWICE_SHARE = 0.12, 0.2
FINAL: Final = frozenset({"refused", "scored", "failed"})
UNDER_WAY, EXHAUSTED = "submission_under_way", "submissions_exhausted"


@dataclass(frozen=True, slots=True)
class Times:
    """When what happens: the second day begins, teams choose, the private test begins, all is over."""

    starts_at: Millis
    second_day: Millis
    choosing: Millis
    private: Millis
    ends_at: Millis


@dataclass
class Known:
    """What teams have brought so far, by team; whoever pries reads it."""

    submissions: dict[str, list[str]] = field(default_factory=dict)
    private: dict[str, list[str]] = field(default_factory=dict)


class Submitting:
    """The plays of all teams. ``now`` is the time, ``injected`` hears of what is lost on purpose."""

    def __init__(
        self, programs: Programs, times: Times, settings: Any, now: Callable[[], Millis], injected: Callable[..., None]
    ) -> None:
        self._programs = programs
        self._times = times
        self._faults: frozenset[Fault] = settings.faults
        self._chance = random.Random(f"{settings.seed}/submitting")  # noqa: S311 - reproducible, no secret
        self._now = now
        self._injected = injected
        self.known = Known()

    def play(self, team: Team, days: Sequence[Sequence[Program]]) -> Play:
        """A team's whole contest."""
        moments = (self._times.starts_at, self._times.second_day + MINUTE)
        for moment, programs in zip(moments, days, strict=True):
            yield Step(max(self._now(), moment + team.index * SECOND), ())
            yield from self._day(team, programs)
        yield from self._gives_up(team, days[-1][-1])
        yield from self._chooses(team)

    def _day(self, team: Team, programs: Sequence[Program]) -> Play:
        for place, program in enumerate(programs):
            name = yield from self._brings(team, program)
            if not name:
                continue
            taken = yield from self._hands_in(team, name, program)
            if taken and place == 0 and len(programs) > 1:
                yield from self._second(team, programs[place + 1])
            if taken:
                yield from self._watches(team, name)
        if Fault.PRYING in self._faults:
            yield from self._pries(team)

    def _brings(self, team: Team, program: Program, *, whole: bool = True) -> Generator[Step, Sequence[Reply], str]:
        """Announce an archive and put it where the platform says; its name."""
        body = self._programs.archive(program)
        order = {"kind": "program", "bytes": len(body), "sha256": sha256_hex(body)}
        key = f"program-{program.team}-{program.number}-{'whole' if whole else 'given-up'}"
        said = json.dumps(order).encode()
        begun = yield from self._asks(team, self._ask("begin", "POST", "", said, key, program=program.number))
        name = str(begun.body.get("submission_id", ""))
        if begun.status != 201 or not whole:
            return name
        own = self.known.submissions.setdefault(team.name, [])
        own += [] if name in own else [name]
        place = yield from self._asks(team, self._ask("part", "GET", f"/{name}/parts/1"))
        put = Ask(f"{SUBMITTING}put", "PUT", str(place.body.get("address", "/")), body=body)
        yield from self._asks(team, put)
        return name

    def _hands_in(self, team: Team, name: str, program: Program) -> Generator[Step, Sequence[Reply], bool]:
        """Hand in, again while another one is under way; whether it was taken."""
        for _ in range(_WAITS):
            ask = self._ask("complete", "POST", f"/{name}/complete", submission=name, program=program.number)
            done = yield from self._asks(team, ask, twice=self._drawn(Fault.DUPLICATES, _TWICE_SHARE))
            if done.code != UNDER_WAY:
                return done.status == 200
            yield Step(self._now() + LOOKS, ())
        return False

    def _second(self, team: Team, program: Program) -> Play:
        """Another one, brought while the first is under way, is not taken yet."""
        name = yield from self._brings(team, program)
        yield from self._asks(team, self._ask("complete", "POST", f"/{name}/complete", submission=name,
                                              program=program.number))  # fmt: skip

    def _watches(self, team: Team, name: str) -> Play:
        """Look until it is final, then read its report and what it has printed."""
        for _ in range(_WAITS):
            yield Step(self._now() + LOOKS, ())
            seen = yield from self._asks(team, self._ask("look", "GET", f"/{name}", submission=name))
            if seen.body.get("state") in FINAL:
                break
        yield from self._asks(team, self._ask("report", "GET", f"/{name}/report", submission=name))
        yield from self._asks(team, self._ask("logs", "GET", f"/{name}/logs", submission=name))

    def _gives_up(self, team: Team, program: Program) -> Play:
        """Announce one more, and give it up."""
        name = yield from self._brings(team, program, whole=False)
        yield from self._asks(team, self._ask("give_up", "POST", f"/{name}/give-up", submission=name))

    def _chooses(self, team: Team) -> Play:
        """Every third team chooses its worst and its best, the next its worst, the third leaves it to the platform.
        What a team declares of its worst is never enough; of its best it is, but of the third's."""
        yield Step(max(self._now(), self._times.choosing + team.index * SECOND), ())
        told = yield from self._asks(team, self._ask("list", "GET", "?limit=100"))
        scored = [each for each in told.body.get("submissions", ()) if each["value"] is not None]
        by_value = sorted(scored, key=lambda each: (each["value"], each["submission_id"]))
        ends = [each["submission_id"] for each in (*by_value[:1], *by_value[1:][-1:])]
        chosen = (ends, ends[:1], [])[team.index % 3]
        said = json.dumps({"submissions": chosen}).encode()
        yield from self._asks(team, self._ask("name", "POST", "/named", said, chosen=chosen))
        for name, shared in zip(ends, (29, 29 if team.index % 3 == 2 else 40), strict=False):
            sizes = json.dumps({"total_parameters": 100, "shared_parameters": shared}).encode()
            yield from self._asks(
                team, self._ask("declare", "POST", f"/{name}/declaration", sizes, submission=name, shared=shared)
            )
        yield Step(max(self._now(), self._times.private + 20 * SECOND + team.index * SECOND // 4), ())
        yield from self._asks(team, self._ask("name_late", "POST", "/named", said))
        yield from self._private(team)

    def _private(self, team: Team) -> Play:
        """Look at what is not out yet."""
        early = Ask(f"{SUBMITTING}private", "GET", "/v1/private-test")
        yield from self._asks(team, early)
        yield from self._asks(team, Ask(f"{SUBMITTING}archive", "GET", "/v1/private-test/archive"))
        for name in self.known.private.get(team.name, ()):
            for what in ("", "/report", "/logs"):
                yield from self._asks(team, self._ask("pry", "GET", f"/{name}{what}", submission=name))

    def _pries(self, team: Team) -> Play:
        """Look at what other teams have brought."""
        others = [each for name, own in self.known.submissions.items() if name != team.name for each in own]
        for name in others[-2:]:
            for what in ("", "/report", "/logs"):
                yield from self._asks(team, self._ask("pry", "GET", f"/{name}{what}", submission=name))

    def _ask(
        self, what: str, method: str, rest: str, body: bytes | None = None, key: str | None = None, **means: Json
    ) -> Ask:
        return Ask(f"{SUBMITTING}{what}", method, f"/v1/submissions{rest}", body=body, key=key, means=means)

    def _asks(self, team: Team, ask: Ask, *, twice: bool = False) -> Steps:
        """Ask until the platform has answered for good; perhaps the first request or its answer is lost."""
        first = ask
        if self._drawn(Fault.DISCONNECTS, _LOST_SHARE):
            reached = self._chance.random() < 0.5
            first = replace(ask, reached=reached, seen=False)
            self._injected("lost_answer" if reached else "lost_request", team=team.name)
        reply = Reply(self._now(), None, {})
        for attempt in range(_PATIENCE):
            made = first if attempt == 0 else ask
            at = self._now() + (SECOND // 4 if attempt == 0 else SECOND)
            replies = yield Step(at, (made, ask) if twice and attempt == 0 else (made,))
            reply = next((each for each in replies if not each.passing), replies[0])
            if not reply.passing or reply.code == EXHAUSTED:  # of a day's last one nothing is asked again
                break
        return reply

    def _drawn(self, fault: Fault, share: float) -> bool:
        return fault in self._faults and self._chance.random() < share


class Desk:
    """The organizers, the commission: runs again what machines have lost, begins the private test, publishes it."""

    def __init__(self, organizer: Any, commission: Any, times: Times, known: Known, now: Callable[[], Millis]) -> None:
        self._organizer, self._commission = organizer, commission
        self._times, self._known, self._now = times, known, now

    def ask(self, ask: Ask) -> Reply:
        """Make one request; the commission's are marked."""
        who = self._commission if ask.means.get("commission") else self._organizer
        reply: Reply = who.ask(ask)
        return reply

    def play(self) -> Play:
        """Their whole contest."""
        while self._now() < self._times.choosing:
            yield Step(self._now() + 2 * MINUTE, ())
            yield from self._again()
        yield Step(self._times.private, ())
        for _ in range(2):
            yield from self._posts("private_begin", "private-test", {"set": "private"})
        yield from self._confirms()
        for _ in range(40):
            yield from self._looks()
            yield Step(self._now() + MINUTE, ())
            out = yield from self._posts("publish", "private-test/publication", {"reason": "rehearsed"})
            if out.status == 200:
                return
            yield from self._again()

    def _looks(self) -> Play:
        shown = yield from self._gets("private_shown", "private-test")
        for each in shown.body.get("runs", ()):
            names = self._known.private.setdefault(each["team_id"], [])
            if each["submission_id"] not in names:
                names.append(each["submission_id"])
        for each in shown.body.get("runs", ()):
            if each["cause"] == "platform":
                yield from self._rerun(each["submission_id"])

    def _again(self) -> Play:
        """Mend what a worker has failed at for good, and run again what machines have lost."""
        yield from self._asks(Ask(f"{SUBMITTING}mend", "POST", "/v1/doctor/mend", body=b"{}"))
        listed = yield from self._gets("listed", "submissions?limit=100")
        for each in listed.body.get("submissions", ()):
            if each["cause"] == "platform":
                yield from self._rerun(each["submission_id"])

    def _rerun(self, name: str) -> Play:
        yield from self._posts(
            "rerun", f"submissions/{name}/rerun", {"reason": "its machine was lost"}, submission=name
        )

    def _confirms(self) -> Play:
        """Confirm what was declared of more than 30 %."""
        listed = yield from self._gets("listed", "submissions?limit=100")
        for each in listed.body.get("submissions", ()):
            declared = each.get("declaration")
            if declared is not None:
                said = {"confirmed": declared["shared_share"] >= 0.3, "reason": "the weights were looked at"}
                path = f"submissions/{each['submission_id']}/declaration"
                means = {"submission": each["submission_id"], "confirmed": said["confirmed"]}
                yield from self._posts("ruled", path, said, commission=True, **means)

    def _gets(self, what: str, path: str) -> Steps:
        return (yield from self._asks(Ask(f"{SUBMITTING}{what}", "GET", f"/v1/conduct/{path}")))

    def _posts(self, what: str, path: str, body: Json, **means: Json) -> Steps:
        said = json.dumps(body).encode()
        return (
            yield from self._asks(Ask(f"{SUBMITTING}{what}", "POST", f"/v1/conduct/{path}", body=said, means=means))
        )

    def _asks(self, ask: Ask) -> Steps:
        reply = Reply(self._now(), None, {})
        for _ in range(_PATIENCE):
            (reply,) = yield Step(self._now() + SECOND // 2, (ask,))
            if not reply.passing:
                break
        return reply
