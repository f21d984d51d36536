"""The organizers' staff: organizers admit teams and decide on files while the run goes on; experts annotate.

Experts (R 7.10, 7.11, 7.14; platform §5): the files of a small final are annotated on the platform, and its teams are
scored by the result. Two files, two independent experts each. Of one file both agree; one of them hands it back, and
the expert who gets it instead saves a markup, then one that is not valid, and lets the time run out. Of the other file
the two differ so much that the rule calls a third. Everybody saves a worse markup before the final one, looks into
another's assignment, and tries to change a submitted markup. Each draft has a mark of its own in its comments, by which
it is found wherever it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from local.cloud import LocalCloud
from local.organizing import OrganizerError, run
from rehearsal.history import MARK, SECOND, History, Millis, from_text
from rehearsal.play.driver import AFTER, BEFORE, REFUSED, Person, Play, Script, Step, Timing
from rehearsal.play.material import FINAL, Material, from_known
from rehearsal.play.qualifying import INTERVAL, SETTLED_WITHIN, Beside
from rehearsal.play.teams import Team, insist
from rehearsal.play.wire import Ask, Reply

Json = Any
DECIDE: Final = "decide"
LOOK: Final = "look_at_the_run"
_LOOKED: Final[Millis] = 5 * SECOND
"""Time from the last decision to the read of the published decisions: each process knows them by then."""
_PAUSED_BEFORE: Final[Millis] = 10 * SECOND
_VOIDED, _RULED, _UNDONE, _REPLACED, _RESUMED = (seconds * SECOND for seconds in (8, 12, 15, 18, 20))
"""Times of the decisions, counted from the file's planned opening; the void is in force when it is taken back."""
_SOON: Final[Millis] = SECOND  # time before or after a decision at which they order changes that it forbids
_MOST_REPLACED: Final = 3
DECIDING: Final = {"final": {"most_replaced": _MOST_REPLACED}}
_LONGEST: Final[Millis] = 2 * 60 * SECOND  # most time by which all decisions prolong the run, beside the appended file
RULED: Final = 2  # the file that the team which joined too late for it is given back
CAUSE: Final = "platform"


def lasts_longer(timing: Timing) -> Millis:
    """Return by how much a run with their decisions ends later than it was planned, at most."""
    return _LONGEST + max(timing.interval, _LONGEST)


class Decisions:
    """Their play in one run. ``late`` is the team that comes too late for the file :data:`RULED`."""

    def __init__(self, timing: Timing, history: History, late: str) -> None:
        self._timing, self._history, self._late = timing, history, late

    def play(self) -> Play:
        timing, news = self._timing, self._timing.news
        since = timing.opens_at(timing.files // 2 + 1)
        yield from self._forbidden(since - _PAUSED_BEFORE - _SOON, "resume", "not_paused")
        paused = yield from self._decided(since - _PAUSED_BEFORE, "pause")
        news.since = _effective(paused)
        yield from self._forbidden(since - _PAUSED_BEFORE + _SOON, "pause", "paused_already")
        voided = yield from self._decided(since + _VOIDED, "void", numbers=[timing.files])
        ruling = {"team_id": self._late, "number": RULED, "cause": CAUSE}
        yield from self._decided(since + _RULED, "rule", **ruling)
        pause, void = (int(decision.get("amendment", 1)) for decision in (paused, voided))
        for kind, due, wish in (
            ("rule", "ruled_already", ruling),
            ("undo", "in_effect_already", {"amendment": pause}),
            ("admit", "late_refused", {"team_id": self._late}),
        ):
            yield from self._forbidden(since + _RULED + _SOON, kind, due, **wish)
        yield from self._decided(since + _UNDONE, "undo", amendment=void)
        yield from self._forbidden(since + _UNDONE + _SOON, "undo", "nothing_to_undo", amendment=void)
        replaced = yield from self._decided(since + _REPLACED, "replace", numbers=[1])
        if replaced:
            news.slots.append(int(replaced["details"]["slot"]))
        # A replacement of the first file forbids more changes of it; one file was appended.
        beyond, more = timing.files + 2, [2 + offset for offset in range(_MOST_REPLACED)]
        for kind, due, numbers in (
            ("void", "void_already", [1]),
            ("void", "unknown_file", [beyond]),
            ("replace", "unknown_file", [1, beyond]),
            ("replace", "too_many_replaced", more),
        ):
            yield from self._forbidden(since + _REPLACED + _SOON, kind, due, numbers=numbers)
        resumed = yield from self._decided(since + _RESUMED, "resume")
        yield from self._forbidden(since + _RESUMED + _SOON, "resume", "resumes_already")
        ends = _effective(resumed)
        if news.since is not None and ends is not None:
            news.pauses.append((news.since, ends))
        news.since = None
        # The run's public description while it goes on: the checker compares the record with it.
        look = Ask(LOOK, "GET", f"/v1/runs/{timing.run_id}")
        reply = yield from insist(since + _RESUMED + _LOOKED, look)
        if reply.status == 200:
            self._history.add("answer", of="run_during", body=dict(reply.body))

    def _decided(self, at: Millis, kind: str, **wish: Json) -> Generator[Step, Sequence[Reply], Mapping[str, Json]]:
        """Decide at a moment; return the platform's answer, nothing where it refuses."""
        reply = yield from insist(at, self._wishes(kind, wish))
        decision = reply.body if reply.status == 200 else {}
        self._history.add("decided", at=reply.at, wished=kind, wish=wish, status=reply.status, told=decision)
        return decision

    def _forbidden(self, at: Millis, kind: str, due: str, **wish: Json) -> Play:
        """Wish for a change that the rules forbid, to be refused with the code that is ``due``."""
        reply = yield from insist(at, self._wishes(kind, wish))
        outcome = {"status": reply.status, "code": reply.code}
        self._history.add("forbidden", at=reply.at, wished=kind, wish=wish, due=due, **outcome)

    def _wishes(self, kind: str, wish: Mapping[str, Json]) -> Ask:
        body = json.dumps({"kind": kind, "reason": f"Rehearsed: {kind}", **wish}).encode()
        return Ask(DECIDE, "POST", f"/v1/conduct/runs/{self._timing.run_id}/decisions", body=body)


def _effective(decision: Mapping[str, Json]) -> Millis | None:
    return from_text(decision["effective_at"]) if "effective_at" in decision else None


_COMMANDS: Final = """
import sys
from contest.commands.main import main
for name in sys.argv[1:]:
    person, _, role = name.partition("=")
    of_team = (["team", "add", name, name], ["token", "issue", name])
    for words in (["staff", "invite", person, f"Rehearsed {role}", role],) if role else of_team:
        main(words, standalone_mode=False)
"""
_TOKEN: Final = "hrd_"  # noqa: S105 - how every token begins, which is no secret


def admit(cloud: LocalCloud, names: Sequence[str], staff: Mapping[str, str]) -> dict[str, str]:
    """Invite people of the staff (role by address), admit teams and issue a token to each; return the tokens by team.

    :class:`OrganizerError` when that fails.
    """
    people = [f"{person}={role}" for person, role in staff.items()]
    output = run(_COMMANDS, cloud.environment("FunctionsCommand"), *people, *names)
    tokens = [line for line in output.splitlines() if line.startswith(_TOKEN)]
    if len(tokens) != len(names):
        raise OrganizerError(output.strip())
    return dict(zip(names, tokens, strict=True))


EXPERTS: Final = tuple(f"expert-{number}@example.org" for number in range(1, 5))
STAFF: Final = dict.fromkeys(EXPERTS, "expert")
DRAFT: Final = "draft"  # how the name in a draft's mark begins
_LIMIT: Final[Millis] = 90 * SECOND
MARKING: Final = {"experts": {"limit_s": _LIMIT // SECOND}}  # short, so that it is over soon
_PAUSE: Final[Millis] = 2 * SECOND  # longer than the pause between two drafts of an assignment
_FILES: Final = 2
_SKILLS: Final = (0.9, 0.5)
_UNKNOWN: Final = (*REFUSED, 401)
_THERE: Final = (200, 307)  # or somewhere else


@dataclass(frozen=True, slots=True)
class Given:
    """An assignment that an expert has opened: the expert, and the essay in it."""

    who: Person
    assignment_id: str
    content: Mapping[str, Json]
    text: str

    def path(self, rest: str = "") -> str:
        return f"/v1/assignments/{self.assignment_id}{rest}"


class ExpertsAtWork(Beside):
    """The plays of teams, experts and their coordinator. ``teams``: two that are admitted to finals; the ``stranger``
    has no token of the platform's."""

    why = "Rehearsed: by the experts' markups"

    def __init__(
        self,
        script: Script,
        material: Material,
        teams: Sequence[Team],
        organizer: Person,
        experts: Sequence[Person],
        stranger: Person,
    ) -> None:
        super().__init__(script, material, teams, organizer)
        self._experts, self._stranger = experts, stranger
        self._ids: Mapping[str, Person] = {}
        self._drafts = 0
        self._run_id = ""

    def play(self) -> str:
        self._profiles()
        self._final()
        self._mark_up()
        self._results()
        return self._run_id

    def _asks(self, who: Person | Team, way: str, what: str = "experts", **details: Any) -> Mapping[str, Json]:
        return self.ask(who, what, way, **details).body

    def _final(self) -> None:
        """Plan and run the final; its files are given to nobody before it is closed."""
        self._run_id, starts_at = self.plan("experts", set=FINAL, files=_FILES)
        self.read_run(BEFORE, self._run_id, "experts")
        for team in self.teams:
            self.join("experts", team, self._run_id, run="experts")
        for number in range(1, _FILES + 1):
            self.script.wait_until(starts_at + (number - 1) * INTERVAL)
            for team, skill in zip(self.teams, _SKILLS, strict=True):
                way = team.path(f"/files/{number}")
                content = self._asks(team, f"GET {way}", "experts_file", number=number).get("content")
                if content is not None:
                    markup, says = self.material.answer(content, skill), {"receipt.status": "accepted"}
                    details = {"body": markup, "number": number, "says": says, "markup": markup}
                    self._asks(team, f"PUT {way}/answer", "experts_answer", **details)
        self._gives(status=REFUSED)
        self.script.wait_until(starts_at + _FILES * INTERVAL)
        self._waits(f"/v1/conduct/runs/{self._run_id}", lambda reply: reply.body.get("closed_at") is not None)

    def _profiles(self) -> None:
        """Write each expert's profile, as only the coordinator may."""
        subjects = sorted({str(essay.item["meta"]["subject"]) for essay in self.material.sets[FINAL]})
        profile = {"subjects": subjects, "languages": ["rus", "eng"]}
        by_name = {expert.name: expert for expert in self._experts}
        staff = self._asks(self.organizer, "GET /v1/staff", "experts_staff").get("staff", ())
        self._ids = {member["person_id"]: by_name[member["email"]] for member in staff if member["email"] in by_name}
        for expert_id, who in self._ids.items():
            way = f"PUT /v1/experts/{expert_id}"
            self._asks(self.organizer, way, body=profile)
            self._asks(who, way, body=profile, status=REFUSED)

    def _gives(self, status: Sequence[int] = (200,)) -> Sequence[Given]:
        """Have the run's files given to the experts that they lack, who open them."""
        body = {"run": self._run_id}
        marking = self._asks(self.organizer, "POST /v1/markings", "experts_given", body=body, status=status)
        names = {name for names in marking.get("given", {}).values() for name in names}
        return [task for name in sorted(names) for task in self._opens(name)]

    def _opens(self, expert_id: str) -> Iterator[Given]:
        """Open an expert's assignments that are not open yet."""
        who = self._ids.get(expert_id)
        if who is None:
            return
        for assignment in self._asks(who, "GET /v1/assignments").get("assignments", ()):
            if assignment["state"] == "assigned":
                name = str(assignment["assignment_id"])
                way, says = f"POST /v1/assignments/{name}/open", {"assignment.state": "opened"}
                content = self._asks(who, way, "experts_opened", says=says, assignment=name).get("content")
                if content:
                    yield Given(who, name, content, str(content["text"]))

    def _mark_up(self) -> None:
        opened = self._gives()
        if len({task.text for task in opened}) < _FILES:  # the checker finds who was given nothing
            return
        differing = min(task.text for task in opened)
        of_both = [task for task in opened if task.text == differing]
        agreed = [task for task in opened if task.text != differing]
        otherwise = from_known(self.material.experts(differing)[0])
        for task, marked in zip(of_both, (self._known(of_both[0]), otherwise), strict=False):
            self._looks_around(task, of_both[0] if task is not of_both[0] else agreed[0])
            self._hands_in(task, marked)
        # The rule has called the thirds by itself.
        marking = self._asks(self.organizer, f"GET /v1/markings/{self._run_id}", says={"thirds": 1})
        assignments = [assignment for essay in marking.get("essays", ()) for assignment in essay["assignments"]]
        thirds = [task for one in assignments if one["third"] for task in self._opens(one["expert_id"])]
        self._hands_in(agreed[0], self._known(agreed[0]))
        early = self._marked()
        instead = self._hands_back(agreed[-1])
        over = [self._lets_run_out(handed_over) for handed_over in instead]
        for third in thirds:
            self._hands_in(third, self._known(third)[1:])
        self.script.wait_until(max(over, default=self.script.now()))
        self._waits(f"/v1/markings/{self._run_id}", lambda reply: reply.body.get("done") == _FILES)
        for task in instead:
            self._saved(task, self._draft(task, self._known(task)), 2, status=REFUSED, what="experts")
        says = {"state": "refused", "refused.code": "experts_not_done"}
        self._asks(self.organizer, f"GET /v1/conduct/errands/{early}", says=says)

    def _known(self, task: Given) -> Sequence[Json]:
        """Return the fragments of the material's first markup of a text."""
        fragments: Sequence[Json] = self.material.experts(task.text)[0]["selections"]
        return fragments

    def _draft(self, task: Given, marked: Sequence[Json]) -> Json:
        """Return a markup with these fragments and the next mark."""
        self._drafts += 1
        number = self._experts.index(task.who) + 1
        mark = f"{MARK}{DRAFT}-{number:04d}-{self._drafts}"
        return {**task.content, "selections": [{**fragment, "comment": mark} for fragment in marked]}

    def _saved(
        self,
        task: Given,
        markup: Json,
        revision: int,
        *,
        valid: bool = True,
        status: Sequence[int] = (200,),
        what: str = "experts_saved",
    ) -> None:
        self.script.wait(_PAUSE)
        says = {"judged.valid": valid} if status == (200,) else {}
        means = {"assignment": task.assignment_id, "markup": markup, "valid": valid, "based_on": revision}
        self._asks(task.who, f"PUT {task.path('/draft')}", what, body=markup, status=status, says=says, **means)

    def _hands_in(self, task: Given, marked: Sequence[Json]) -> None:
        """Save a worse markup and a good one, hand the good one in, and try to change it."""
        self._saved(task, self._draft(task, self._known(task)[:2]), 0)
        self._saved(task, self._draft(task, marked), 1)
        way, says = f"POST {task.path('/hand-in')}", {"assignment.state": "handed_in", "assignment.markup.revision": 2}
        self._asks(task.who, way, "experts_handed_in", based_on=2, says=says, assignment=task.assignment_id)
        self._saved(task, self._draft(task, self._known(task)[:3]), 2, status=REFUSED, what="experts")
        self._asks(task.who, f"POST {task.path('/hand-back')}", body={"reason": self.why}, status=REFUSED)

    def _hands_back(self, task: Given) -> Sequence[Given]:
        """Hand an essay back after a first draft; return the one that somebody else is given instead."""
        self._saved(task, self._draft(task, self._known(task)), 0)
        details = {"body": {"reason": self.why}, "says": {"state": "handed_back"}, "assignment": task.assignment_id}
        self._asks(task.who, f"POST {task.path('/hand-back')}", "experts_back", **details)
        return self._gives()

    def _lets_run_out(self, task: Given) -> Millis:
        """Save a markup, then one that is none of this essay, and hand nothing in; return when the time is over."""
        until = self.script.now() + _LIMIT
        self._saved(task, self._draft(task, self._known(task)), 0)
        self._saved(task, {**self._draft(task, self._known(task)), "text": "Another essay"}, 1, valid=False)
        return until

    def _looks_around(self, mine: Given, other: Given) -> None:
        """Let an expert, a team and a stranger pry; each is refused."""
        draft, foreign = {**other.content, "selections": []}, other.path()
        for rest in ("", "/drafts/2"):
            self._asks(mine.who, f"GET {foreign}{rest}", status=REFUSED)
        self._asks(mine.who, f"PUT {foreign}/draft", body=draft, based_on=2, status=REFUSED)
        self._asks(mine.who, f"POST {foreign}/hand-in", based_on=2, status=REFUSED)
        for who in (mine.who, self.teams[0], self._stranger):
            self._asks(who, f"GET /v1/markings/{self._run_id}/markups", status=_UNKNOWN)
        self._asks(self.teams[0], f"GET {foreign}", status=_UNKNOWN)

    def _waits(self, path: str, ready: Callable[[Reply], bool]) -> None:
        self.script.look_until(self.organizer, "experts_waiting", path, ready, SETTLED_WITHIN)

    def _marked(self) -> str:
        """Ask for the markups to be taken in; return the name under which a worker reports the outcome."""
        way = f"POST /v1/conduct/runs/{self._run_id}/mark"
        return str(self._asks(self.organizer, way, status=(202,)).get("errand_id"))

    def _results(self) -> None:
        """Take the annotations in, publish the results by them, and let everybody read them."""
        run_id, first = self._run_id, self.teams[0]
        self._asks(self.organizer, f"GET /v1/markings/{run_id}", says={"done": _FILES, "lacking": 0, "thirds": 1})
        self._asks(self.organizer, f"GET /v1/markings/{run_id}/markups", "experts_markups")
        errand = f"/v1/conduct/errands/{self._marked()}"
        for team in self.teams:
            self._asks(team, f"GET {team.path('/files/1/comparison')}", number=1, status=REFUSED)
        self._waits(errand, lambda reply: reply.body.get("state") != "under_way")
        self._asks(self.organizer, f"GET {errand}", says={"state": "done", "refused": None})
        self.settle("experts_waiting", run_id)
        self.publish("experts_published", run_id)
        self._waits(f"/v1/runs/{run_id}/archive", lambda reply: reply.status in _THERE)
        for team in self.teams:
            self._asks(team, f"GET {team.path('/report')}", "experts_report")
            for number in range(1, _FILES + 1):
                self._asks(team, f"GET {team.path(f'/files/{number}/comparison')}", "experts_shown", number=number)
        self.read_run(AFTER, run_id, "experts")
        self._asks(first, f"GET /v1/leaderboards/final?run={run_id}", "experts_board")
