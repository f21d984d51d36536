"""Experts at work: the files of a small final are annotated on the platform, and its teams are scored by the result.

The rules: R 7.10, 7.11, 7.14; platform §5. Two files, two independent experts each. Of one file both agree; one of them
hands it back, and the expert who gets it instead saves a markup, then one that is not valid, and lets the time run out.
Of the other file the two differ so much that the rule calls a third. Everybody saves a worse markup before the final
one, looks into another's assignment, and tries to change a submitted markup. Each draft has a mark of its own in its
comments, by which it is found wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.history import MARK
from rehearsal.moments import MINUTE, SECOND, Millis, to_text
from rehearsal.play.cycles import FINAL
from rehearsal.play.material import Material, from_known
from rehearsal.play.script import AFTER, BEFORE, REFUSED, Person, Script, is_settled
from rehearsal.play.teams import Team
from rehearsal.play.wire import Reply, Wire

Json = Any
EXPERTS: Final = tuple(f"expert-{number}@example.org" for number in range(1, 5))
_ROLE: Final = "expert"
STAFF: Final = dict.fromkeys(EXPERTS, _ROLE)
DRAFT: Final = "draft"
"""How the name in a draft's mark begins."""
_LIMIT: Final[Millis] = 90 * SECOND
PARAMETERS: Final = {"experts": {"limit_s": _LIMIT // SECOND}}
"""Short, so that it is over soon."""
_PAUSE: Final[Millis] = 2 * SECOND
"""Longer than the pause between two drafts of an assignment."""
_LEAD: Final[Millis] = 30 * SECOND
_INTERVAL: Final[Millis] = 30 * SECOND
_LIMITS: Final = {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10}
_PATIENCE: Final[Millis] = 12 * MINUTE
"""So long somebody looks, each minute, whether something is done: of messages that are lost the timer sends anew."""
_FILES: Final = 2
_SKILLS: Final = (0.9, 0.5)
_WHY: Final = "Rehearsed: by the experts' markups"
_STRANGER: Final = "nobody"
_UNKNOWN: Final = (*REFUSED, 401)
_THERE: Final = (200, 307)
"""Or somewhere else."""
_LANGUAGES: Final = ("rus", "eng")


@dataclass(frozen=True, slots=True)
class Given:
    """An assignment that an expert has opened: the expert, and the essay in it."""

    who: Person
    assignment_id: str
    content: Mapping[str, Json]

    @property
    def text(self) -> str:
        """Return the essay's text."""
        return str(self.content["text"])

    def path(self, rest: str = "") -> str:
        """Return the path of something of it."""
        return f"/v1/assignments/{self.assignment_id}{rest}"


class ExpertsAtWork:
    """The plays of teams, experts and their coordinator. ``teams``: two that are admitted to finals."""

    def __init__(
        self, script: Script, material: Material, teams: Sequence[Team], organizer: Person, experts: Sequence[Person]
    ) -> None:
        self._script = script
        self._material = material
        self._teams = teams
        self._organizer = organizer
        self._experts = experts
        self._ids: Mapping[str, Person] = {}
        self._drafts = 0
        self._run_id = ""

    def play(self, wire: Wire) -> str:
        """Play all of it, from the run's planning to its results; return the run's id."""
        self._profiles()
        self._final()
        self._mark_up(Person(_STRANGER, wire, lambda name: name))
        self._results()
        return self._run_id

    def _final(self) -> None:
        """Plan and run the final; its files are given to nobody before it is closed. Return the run."""
        script = self._script
        starts_at = (script.now() // SECOND) * SECOND + _LEAD
        order = {"mode": "final", "set": FINAL, "files": _FILES, "starts_at": to_text(starts_at), "limits": _LIMITS}
        body = {**order, "interval_s": _INTERVAL // SECOND}
        planned = script.ask(self._organizer, "experts", "POST /v1/conduct/runs", body=body, status=(201,))
        self._run_id = str(planned.body.get("run", {}).get("run_id", ""))
        script.read_run(self._teams[0], BEFORE, self._run_id, "experts")
        for team in self._teams:
            joining = {"mode": "final", "run": self._run_id}
            joined = script.ask(team, "experts", "POST /v1/sessions", body=joining, status=(201,), run="experts")
            team.session_id = str(joined.body.get("session_id", ""))
        for number in range(1, _FILES + 1):
            script.wait_until(starts_at + (number - 1) * _INTERVAL)
            for team, skill in zip(self._teams, _SKILLS, strict=True):
                file = self._script.ask(team, "experts_file", f"GET {team.path(f'/files/{number}')}", number=number)
                if file.status == 200:
                    markup = self._material.answer(file.body["content"], skill)
                    way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": "accepted"}
                    self._script.ask(team, "experts_answer", way, body=markup, number=number, says=says, markup=markup)
        self._gives(status=REFUSED)
        script.wait_until(starts_at + _FILES * _INTERVAL)
        self._waits(f"/v1/conduct/runs/{self._run_id}", lambda reply: reply.body.get("closed_at") is not None)

    def _profiles(self) -> None:
        """Write each expert's profile, as only the coordinator may."""
        subjects = sorted({str(essay.essay["meta"]["subject"]) for essay in self._material.essays()})
        profile = {"subjects": subjects, "languages": list(_LANGUAGES)}
        listed = self._script.ask(self._organizer, "experts_staff", "GET /v1/staff")
        by_name = {expert.name: expert for expert in self._experts}
        members = [
            (member["person_id"], by_name[member["email"]])
            for member in listed.body.get("staff", ())
            if member["email"] in by_name
        ]
        self._ids = dict(members)
        for expert_id, who in members:
            way = f"PUT /v1/experts/{expert_id}"
            self._script.ask(self._organizer, "experts", way, body=profile)
            self._script.ask(who, "experts", way, body=profile, status=REFUSED)

    def _gives(self, status: Sequence[int] = (200,)) -> Sequence[Given]:
        """Have the run's files given to the experts that they lack, who open them."""
        body = {"run": self._run_id}
        answer = self._script.ask(self._organizer, "experts_given", "POST /v1/markings", body=body, status=status).body
        names = {name for names in answer.get("given", {}).values() for name in names}
        return [task for name in sorted(names) for task in self._opens(name)]

    def _opens(self, expert_id: str) -> Iterator[Given]:
        """Open an expert's assignments that are not open yet."""
        who = self._ids.get(expert_id)
        if who is None:
            return
        for assignment in self._script.ask(who, "experts", "GET /v1/assignments").body.get("assignments", ()):
            if assignment["state"] == "assigned":
                assignment_id = str(assignment["assignment_id"])
                way, says = f"POST /v1/assignments/{assignment_id}/open", {"assignment.state": "opened"}
                opened = self._script.ask(who, "experts_opened", way, says=says, assignment=assignment_id)
                if opened.body.get("content"):
                    yield Given(who, assignment_id, opened.body["content"])

    def _mark_up(self, stranger: Person) -> None:
        """Play the work on both files."""
        opened = self._gives()
        if len({task.text for task in opened}) < _FILES:  # the checker finds who was given nothing
            return
        differing = min(task.text for task in opened)
        of_both = [task for task in opened if task.text == differing]
        agreed = [task for task in opened if task.text != differing]
        otherwise = from_known(self._material.experts(differing)[0])
        for task, marked in zip(of_both, (self._known(differing), otherwise), strict=False):
            self._looks_around(task, of_both[0] if task is not of_both[0] else agreed[0], stranger)
            self._hands_in(task, marked)
        thirds = list(self._thirds())
        self._hands_in(agreed[0], self._known(agreed[0].text))
        early = self._marked()
        instead = self._hands_back(agreed[-1])
        over = [self._lets_run_out(handed_over) for handed_over in instead]
        for third in thirds:
            self._hands_in(third, self._known(third.text)[1:])
        self._script.wait_until(max(over, default=self._script.now()))
        self._waits(f"/v1/markings/{self._run_id}", lambda reply: reply.body.get("done") == _FILES)
        for task in instead:
            late = self._draft(task, self._known(task.text))
            self._saved(task, late, 2, status=REFUSED, what="experts")
        self._told(early, {"state": "refused", "refused.code": "experts_not_done"})

    def _thirds(self) -> Iterator[Given]:
        """Yield the third experts that the rule has called by itself, with the assignments they opened."""
        marking = self._script.ask(
            self._organizer, "experts", f"GET /v1/markings/{self._run_id}", says={"thirds": 1}
        ).body
        for essay in marking.get("essays", ()):
            for assignment in essay["assignments"]:
                if assignment["third"]:
                    yield from self._opens(assignment["expert_id"])

    def _known(self, text: str) -> Sequence[Json]:
        """Return the fragments of the material's first markup of a text."""
        fragments: Sequence[Json] = self._material.experts(text)[0]["selections"]
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
    ) -> Reply:
        """Save a draft that is based on a revision."""
        self._script.wait_until(self._script.now() + _PAUSE)
        way = f"PUT {task.path('/draft')}"
        says = {"judged.valid": valid} if status == (200,) else {}
        means: dict[str, Json] = {"assignment": task.assignment_id, "markup": markup, "valid": valid}
        return self._script.ask(task.who, what, way, body=markup, based_on=revision, status=status, says=says, **means)

    def _hands_in(self, task: Given, marked: Sequence[Json]) -> None:
        """Save a worse markup and a good one, hand the good one in, and try to change it."""
        self._saved(task, self._draft(task, self._known(task.text)[:2]), 0)
        self._saved(task, self._draft(task, marked), 1)
        way, assignment = f"POST {task.path('/hand-in')}", task.assignment_id
        says = {"assignment.state": "handed_in", "assignment.markup.revision": 2}
        self._script.ask(task.who, "experts_handed_in", way, based_on=2, says=says, assignment=assignment)
        self._saved(task, self._draft(task, self._known(task.text)[:3]), 2, status=REFUSED, what="experts")
        way, body = f"POST {task.path('/hand-back')}", {"reason": _WHY}
        self._script.ask(task.who, "experts", way, body=body, status=REFUSED)

    def _hands_back(self, task: Given) -> Sequence[Given]:
        """Hand an essay back after a first draft; return the one that somebody else is given instead."""
        self._saved(task, self._draft(task, self._known(task.text)), 0)
        way, body, says = f"POST {task.path('/hand-back')}", {"reason": _WHY}, {"state": "handed_back"}
        self._script.ask(task.who, "experts_back", way, body=body, says=says, assignment=task.assignment_id)
        return self._gives()

    def _lets_run_out(self, task: Given) -> Millis:
        """Save a markup, then one that is none of this essay, and hand nothing in; return when the time is over."""
        until = self._script.now() + _LIMIT
        self._saved(task, self._draft(task, self._known(task.text)), 0)
        wrong = self._draft(task, self._known(task.text))
        self._saved(task, {**wrong, "text": "Another essay"}, 1, valid=False)
        return until

    def _looks_around(self, mine: Given, other: Given, stranger: Person) -> None:
        """Let an expert, a team and a stranger pry; each is refused."""
        draft = {**other.content, "selections": []}
        foreign, all_of_them = other.path(), f"/v1/markings/{self._run_id}/markups"
        for rest in ("", "/drafts/2"):
            self._script.ask(mine.who, "experts", f"GET {foreign}{rest}", status=REFUSED)
        self._script.ask(mine.who, "experts", f"PUT {foreign}/draft", body=draft, based_on=2, status=REFUSED)
        self._script.ask(mine.who, "experts", f"POST {foreign}/hand-in", based_on=2, status=REFUSED)
        for who in (mine.who, self._teams[0], stranger):
            self._script.ask(who, "experts", f"GET {all_of_them}", status=_UNKNOWN)
        self._script.ask(self._teams[0], "experts", f"GET {foreign}", status=_UNKNOWN)

    def _waits(self, path: str, ready: Callable[[Reply], bool]) -> None:
        """Let the coordinator look until a condition holds."""
        self._script.look_until(self._organizer, "experts_waiting", path, ready, _PATIENCE)

    def _marked(self) -> str:
        """Ask for the markups to be taken in; return the name under which a worker reports the outcome."""
        way = f"POST /v1/conduct/runs/{self._run_id}/mark"
        return str(self._script.ask(self._organizer, "experts", way, status=(202,)).body.get("errand_id"))

    def _told(self, errand_id: str, says: Mapping[str, Json]) -> None:
        self._script.ask(self._organizer, "experts", f"GET /v1/conduct/errands/{errand_id}", says=says)

    def _results(self) -> None:
        """Take the markups in, publish the results by them, and let everybody look."""
        script, run_id = self._script, self._run_id
        says = {"done": _FILES, "lacking": 0, "thirds": 1}
        script.ask(self._organizer, "experts", f"GET /v1/markings/{run_id}", says=says)
        script.ask(self._organizer, "experts_markups", f"GET /v1/markings/{run_id}/markups")
        errand = self._marked()
        for team in self._teams:
            script.ask(team, "experts", f"GET {team.path('/files/1/comparison')}", number=1, status=REFUSED)
        self._waits(f"/v1/conduct/errands/{errand}", lambda reply: reply.body.get("state") != "under_way")
        self._told(errand, {"state": "done", "refused": None})
        self._waits(f"/v1/conduct/runs/{run_id}", is_settled)
        body = {"state": "published", "reason": _WHY}
        script.ask(self._organizer, "experts_published", f"POST /v1/conduct/boards/{run_id}/decision", body=body)
        self._waits(f"/v1/runs/{run_id}/archive", lambda reply: reply.status in _THERE)
        for team in self._teams:
            script.ask(team, "experts_report", f"GET {team.path('/report')}")
            for number in range(1, _FILES + 1):
                script.ask(team, "experts_shown", f"GET {team.path(f'/files/{number}/comparison')}", number=number)
        script.read_run(self._teams[0], AFTER, run_id, "experts")
        script.ask(self._teams[0], "experts_board", f"GET /v1/leaderboards/final?run={run_id}")
