"""An attacker: a team that answers a hidden set blindly, and reads the references out of whatever it is told.

It plays the smallest session, sessions that tile a text or overlap, and pairs that differ in one item; of each it asks
for every file's score and comparison, and for the report in all its forms, and listens on the event channel while it
plays and after it. In a run it is on the event channel alone, and answers nothing. In the end it asks at every route
that is no people's. What each session answered stands with it in the history (``means``), so that the checker can say
what may be told of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from local.rehearsal.history import ATTACKING, PUSHES
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play import prying
from local.rehearsal.play.announced import Timing
from local.rehearsal.play.channel import ChannelClient, Kind
from local.rehearsal.play.script import STEP, Script, is_over, is_there
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Ask, Reply, Wire

Json = Any
NAME: Final = "attacker"
ESSAYS, OF_THE_SET = 3, 4
"""Essays of a session of the attacker; the test set has more, so that none of its sessions is one over all of it."""
REWRITTEN: Final = 1000
"""Added to the number of a blind answer that is written otherwise, and to every total the same."""
_LOOKS: Final = 8
"""Times that it looks, once a minute, whether a session is reported of."""
_FORMS: Final = ("/report", "/report.html", "/report.csv", "/report.xlsx", "/receipts", "", "/timeline")
_OF_FILES: Final = ("score", "comparison", "answer")
FRAMES: Final = "frames"
"""What it heard over the event channel."""
RUN: Final = "run"
"""Its looks at its session of that run."""
LISTENED: Final = 2
"""Files of the run in which it listens; the file that losses keep from everybody is a later one."""
_JOINS_BEFORE: Final[Millis] = 20 * SECOND
_PUSHED_AFTER: Final[Millis] = 4 * SECOND
"""So long after an opening both pushes of a file have come."""
_SAID: Final = ("session-file-repeat", "session-reconnect", "logs-send", "session-client-abort")
"""What a client may say of a session that is over."""
_HEARD_S: Final = 0.2
"""Real seconds for which it listens once it is connected, and once it has said all."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session: over how many files (0: all), and by the place of an item among the set's which blind answer it gets;
    an item without one is not asked for."""

    name: str
    files: int
    variants: Mapping[int, int]
    looked_at: int = 1
    """Of so many files it asks for score and comparison."""


class Attacked(Protocol):
    """What the attacker knows of a hidden set: what anybody does who has been handed its items once."""

    sittings: Sequence[Sitting]
    namespace: str
    """Where the contest's clients are on the event channel."""

    def heard_in(self, received: str) -> int:
        """Return of how many files of a run that it listens to a text stands in something that was received."""

    def place(self, content: Json) -> int:
        """Return the place of an item in the set."""

    def blind(self, content: Json, variant: int) -> Json:
        """Return a valid answer that needs no references; equal arguments, equal answers."""

    def taken(self, content: Json, answer: Json) -> Sequence[Json]:
        """Return what each view of the totals takes of an answer, None where nothing."""


def of_items(files: int, items: int) -> tuple[Sitting, ...]:
    """Sessions over a set of which totals are told: one of twelve answers, the same with one other answer, a single
    answer, twelve others of which half are to the same items, and two over the whole set, which differ in one answer
    and in how all the others are written. ``files``: 0 where nobody chooses."""
    whole = dict.fromkeys(range(12), 0)
    overlapping = dict.fromkeys(range(6, min(18, items)), 1)
    every = dict.fromkeys(range(items), 2)
    return (
        Sitting("whole", files, whole),
        Sitting("differing", files, {**whole, 0: 1}),
        Sitting("smallest", files, {0: 0}),
        Sitting("overlapping", files, overlapping),
        Sitting("every", files, every),
        Sitting("rewritten", files, {**dict.fromkeys(every, 2 + REWRITTEN), 0: 3}),
    )


def of_single_items(items: int, answers: int) -> tuple[Sitting, ...]:
    """Return sessions of one item each, which tell whether it was answered rightly: one with each blind answer, the
    first answer once more, and a session that answers nothing."""
    drawn = [dict.fromkeys(range(items), variant) for variant in (*range(answers), 0)]
    return (*(Sitting(f"single {number}", 1, each, 1) for number, each in enumerate(drawn)), Sitting("silent", 1, {}))


OF_ESSAYS: Final = tuple(
    Sitting(name, files, dict.fromkeys(range(100), variant), files)
    for variant, (name, files) in enumerate(
        (("tiled", ESSAYS), ("overlapping", ESSAYS), ("differing", ESSAYS), ("smallest", 1))
    )
)
"""Sessions over essays: texts tiled in three words, the same a word further, tiled without the first fragment, and one
essay with one fragment."""


class Attack:
    """What the attacker plays."""

    def __init__(self, script: Script, material: Attacked, team: Team, wire: Wire) -> None:
        self._script = script
        self._material = material
        self._team = team
        self._wire = wire
        self._client = ChannelClient(wire.url, team.token, Kind.SILENT, lambda _: None, material.namespace)

    def play(self, document: Mapping[str, Json], names: Mapping[str, str]) -> None:
        """Play all sessions, one after the other, then look everywhere. ``document`` is the interface's own."""
        for sitting in self._material.sittings:
            self._played(sitting)
        named = {**names, "session_id": self._team.session_id, "number": "1", "file_number": "1"}
        for ask in prying.everything(document, named):
            self._ask("look", ask.method, ask.path)

    def listens_to_run(self, timing: Timing, rested: Callable[[], object]) -> None:
        """Take part in a run over the event channel, ask for nothing, and write down what has come a millisecond before
        each opening, and after it. ``rested`` returns when the platform has done all that is due."""
        self._script.wait_until(timing.starts_at - _JOINS_BEFORE)
        opened = self._ask("open", "POST", "/v1/sessions", body={"mode": timing.mode, "run": timing.run_id})
        if opened.status != 201:
            return
        self._team.session_id = str(opened.body["session_id"])
        self._client.come()
        for number in range(1, timing.files + 1):
            opening = timing.opens_at(number)
            for moment, count in ((opening - 1, number - 1), (opening + _PUSHED_AFTER, number)):
                self._script.wait_until(moment)
                rested()
                self._client.until(within_s=_HEARD_S)
                frames = self._client.frames()
                means = {"opened": count, "texts": self._material.heard_in(frames)}
                self._wire.heard(self._team.name, f"{ATTACKING}{PUSHES}", frames, **means)
        self._client.leave()
        for form in _FORMS:
            self._ask(RUN, "GET", self._team.path(form))
        self._ask("abort", "POST", self._team.path("/abort"), body={"confirm": True})

    def _played(self, sitting: Sitting) -> None:
        order = {"mode": "algorithmic", "set": "test", **({"files": sitting.files} if sitting.files else {})}
        opened = self._ask("open", "POST", "/v1/sessions", body=order)
        if opened.status != 201:
            return
        self._team.session_id = str(opened.body["session_id"])
        self._listens(sitting)
        taken = dict(self._answered(sitting, int(opened.body["files"])))
        if not is_over(self._ask("status", "GET", self._team.path())):
            self._ask("abort", "POST", self._team.path("/abort"), body={})
        for _ in range(_LOOKS):
            self._script.wait_until(self._script.now() + MINUTE)
            if is_there(self._ask("waiting", "GET", self._team.path("/report"))):
                break
        self._listens(sitting, *_SAID)
        means: dict[str, Any] = {
            "sitting": sitting.name,
            "taken": {str(place): list(views) for place, views in taken.items()},
        }
        for form in _FORMS:
            what = form.lstrip("/") or "session"
            self._ask(what, "GET", self._team.path(form), **means)
        for number in range(1, min(len(taken), sitting.looked_at) + 1):
            for what in _OF_FILES:
                self._ask(what, "GET", self._team.path(f"/files/{number}/{what}"), number=number, **means)

    def _listens(self, sitting: Sitting, *said: str) -> None:
        """Come anew to the event channel, say something, and write down every frame that comes."""
        self._script.wait_until(self._script.now() + STEP)
        if self._client.come():
            for name in said:
                self._client.say(name, {"entries": ["a"]})
            self._client.until(within_s=_HEARD_S)
        self._wire.heard(self._team.name, f"{ATTACKING}{FRAMES}", self._client.frames(), sitting=sitting.name)
        self._client.leave()

    def _answered(self, sitting: Sitting, files: int) -> Iterator[tuple[int, Sequence[Json]]]:
        """Ask for files until all answers are given; place of each, and what totals take of the answer."""
        left = set(sitting.variants)
        for number in range(1, files + 1):
            if not left:
                return
            file = self._ask("file", "GET", self._team.path(f"/files/{number}"), number=number)
            if file.status != 200:
                continue
            content = file.body["content"]
            place = self._material.place(content)
            if place in left:
                left.discard(place)
                answer = self._material.blind(content, sitting.variants[place])
                way = self._team.path(f"/files/{number}/answer")
                if self._ask("answer_sent", "PUT", way, body=answer, number=number, sent=answer).status == 200:
                    yield place, self._material.taken(content, answer)

    def _ask(
        self, what: str, method: str, path: str, body: Json = None, number: int | None = None, **means: Json
    ) -> Reply:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        return self._script.together(
            [(self._team, Ask(f"{ATTACKING}{what}", method, path, number, content, means=means))]
        )[0]
