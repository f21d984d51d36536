"""Simulated teams on the event channel: they wait for every file, answer it, and lose their connections on the way."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from local.rehearsal.history import Call
from local.rehearsal.moments import SECOND, Millis, to_text
from local.rehearsal.play.announced import Timing, coming, opened
from local.rehearsal.play.channel import ChannelClient, Kind
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.material import Material
from local.rehearsal.play.teams import RETRY
from local.rehearsal.play.wire import Ask, Reply, Wire, searched
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex

Json = Any
Steps = Generator[Step, Sequence[Reply], Reply]
OPEN, FILE, ANSWER, CUT, BACK = "channel_open", "channel_file", "channel_answer", "channel_cut", "channel_back"
EARLY: Final = "channel_early"
"""A look a millisecond before a file's opening: what has come by then has come too early."""
_LOST: Final = 2
"""The file that every client of the channel loses by its network where connections are cut."""
UNPUSHED: Final = 3
"""The file that nobody is pushed where messages are lost, too: every client is there, and was away before."""
CUT_SHARE: Final = 0.4
"""Usual share of the files around which the connection is cut where disconnects are injected."""
_PATIENCE: Final = 40
_OPENINGS: Final = 3
"""Tries to open a session: one that is not answered takes real seconds, and a dead channel answers none."""
_PUSHED_S, _ANSWERED_S, _EARLY_S = 0.3, 30.0, 0.02
"""Real seconds for which a push is waited for at each look once the platform is at rest, an answer, and what must not
have come yet."""
_LOOKS_AGAIN: Final[Millis] = 4 * SECOND
"""The second push of a file comes three seconds after its opening: whoever has not got the first looks then."""
_OVER: Final = frozenset({"sessionId", "fileId", "signature"})
"""What a send's answer says beside the receipt."""


@dataclass(frozen=True, slots=True)
class Cut:
    """When the connection is cut and when it is back, counted from a file's opening; ``in_hand`` from its coming."""

    after: Millis
    back: Millis
    in_hand: bool = False


class ChannelTeam:
    """One team with its client, an :class:`local.rehearsal.play.driver.Actor`. ``rested`` returns when the platform has
    done all that it has to do at this moment: a push that is not under way then comes later, or never."""

    def __init__(self, index: int, name: str, token: str, wire: Wire, rested: Callable[[], object]) -> None:
        self.index = index
        self.name = name
        self.session_id = ""
        self.token = token
        kinds = tuple(Kind)
        self.client = ChannelClient(wire.url, token, kinds[index % len(kinds)], self._came)
        self._wire = wire
        self._rested = rested
        self._files: dict[str, Mapping[str, Json]] = {}
        self._waiting: list[str] = []
        self._pushed: Counter[tuple[int, str]] = Counter()

    def path(self, rest: str = "") -> str:
        """Path of the team's session over HTTPS, or of something in it."""
        return f"/v1/sessions/{self.session_id}{rest}"

    def ask(self, ask: Ask) -> Reply:
        """Do one thing and record it as a call."""
        wire = self._wire
        call = Call(wire.history.number(), self.name, ask.what, ask.number, wire.now(), 0)
        call = replace(call, content_sha256=ask.content_sha256)
        wire.history.asked(call)
        status, said = _DEEDS[ask.what](self, ask)
        ids = (str(said["file_id"]),) if "file_id" in said else ()
        told = {name: value for name, value in said.items() if name != "content"}
        done = replace(call, done_at=wire.now(), status=status, said=told, file_ids=ids)
        wire.history.called(searched(done, self.client.frames(), wire.texts))
        return Reply(wire.now(), status, said)

    def _came(self, payload: Mapping[str, Json]) -> None:
        file_id = str(payload["fileId"])
        self._pushed[self.client.connections, file_id] += 1
        if file_id not in self._files:
            self._waiting.append(file_id)
        self._files[file_id] = payload

    def _open(self, _: Ask) -> tuple[int | None, Mapping[str, Json]]:
        if not self.client.come():
            return None, {}
        # Numbers as text, as the clients send them; where a run decides, they mean nothing.
        self.client.say("session-start", {"type": "final", "params": {"countFiles": "30", "time": "10"}})
        told = self.client.until("session-start-success", "session-reconnect-success", within_s=_ANSWERED_S)
        if told is None:
            return None, {}
        self.session_id = str(told[1]["sessionId"])
        return 201, {"session_id": self.session_id}

    def _file(self, _: Ask) -> tuple[int | None, Mapping[str, Json]]:
        """The file that was not seen before; files come in the order of their numbers."""
        if not self._waiting:
            self._rested()
            self.client.until("session-file-available", within_s=_PUSHED_S)
        if not self._waiting:
            return None, {}
        payload = self._files[self._waiting.pop(0)]
        return 200, {"file_id": payload["fileId"], "content": payload["content"]}

    def _answer(self, ask: Ask) -> tuple[int | None, Mapping[str, Json]]:
        file_id = ask.path
        markup = json.loads(ask.body or b"{}")
        # The text is escaped once here and once more with the frame; one client sends names as numbers.
        self.client.say(
            "session-file-send", {"sessionId": int(self.session_id), "fileId": file_id, "content": json.dumps(markup)}
        )
        told = self.client.until("session-file-send-success", "session-file-send-error", within_s=_ANSWERED_S)
        if told is None or told[0] != "session-file-send-success" or told[1]["fileId"] != file_id:
            return None, {} if told is None else {"message": str(told[1].get("message"))}
        receipt = {name: value for name, value in told[1].items() if name not in _OVER}
        pushed = self._pushed[self.client.connections, file_id]
        return 200, {"receipt": receipt, "signature": told[1]["signature"], "pushed": pushed}

    def _early(self, _: Ask) -> tuple[int | None, Mapping[str, Json]]:
        """Read whatever has come; a client that is not there has nothing to read."""
        self.client.until(within_s=_EARLY_S)
        return 200, {}

    def _cut(self, _: Ask) -> tuple[int | None, Mapping[str, Json]]:
        self.client.leave()
        return 200, {}

    def _back(self, _: Ask) -> tuple[int | None, Mapping[str, Json]]:
        return (200 if self.client.come() else None), {}


_DEEDS: Final[Mapping[str, Callable[[ChannelTeam, Ask], tuple[int | None, Mapping[str, Json]]]]] = {
    OPEN: ChannelTeam._open,
    FILE: ChannelTeam._file,
    ANSWER: ChannelTeam._answer,
    EARLY: ChannelTeam._early,
    CUT: ChannelTeam._cut,
    BACK: ChannelTeam._back,
}


class ChannelTeams:
    """The plays of the teams on the channel."""

    def __init__(
        self, timing: Timing, seed: int, cuts: float, material: Material, injected: Callable[..., None]
    ) -> None:
        self._timing = timing
        self._seed = seed
        self._cuts = cuts
        self._material = material
        self._injected = injected

    def participation(self, team: ChannelTeam, at: Millis) -> Play:
        """Open the session, then wait for every file and answer it."""
        reply = yield from self._insist(at, Ask(OPEN, "WS", ""), _OPENINGS)
        if reply.status != 201:
            return
        number = 0
        while (number := number + 1) <= self._timing.all_files:
            yield from self._played(team, number, reply.at)

    def _played(self, team: ChannelTeam, number: int, not_before: Millis) -> Generator[Step, Sequence[Reply], None]:
        timing = self._timing
        opening = max((yield from coming(timing, number)), not_before)
        chance = random.Random(f"{self._seed}/channel/{team.index}/{number}")  # noqa: S311 - reproducible, no secret
        cut = self._too_long() if number == _LOST and self._cuts else self._drawn(chance, number)
        if cut is not None and not cut.in_hand:
            yield from self._away(team, number, max(opening + cut.after, not_before), opening + cut.back)
            opening = opening + max(0, cut.back)
        else:
            yield Step(max(opening - 1, not_before), (Ask(EARLY, "WS", "", number),))
        file = yield from self._received(max(opening, (yield from opened(timing, number))), number)
        if file.status != 200:
            return
        there = file.at
        if cut is not None and cut.in_hand:
            there = (yield from self._away(team, number, file.at + cut.after, file.at + cut.back)).at
        work = timing.answer * chance.randint(1, 6) // 10
        due = timing.opens_at(number) + timing.answer - 5 * SECOND
        yield from self._insist(max(there, min(file.at + work, due)), self._right(file))

    def _drawn(self, chance: random.Random, number: int) -> Cut | None:
        """Around one file in some: before its opening, over it, for its whole time to be asked for, with it in hand;
        none around the one that nobody is pushed, which whoever comes back would be given."""
        if chance.random() >= self._cuts or number == UNPUSHED:
            return None
        return chance.choice(
            (
                Cut(-5 * SECOND, -4 * SECOND),
                Cut(-3 * SECOND, min(4 * SECOND, self._timing.request // 2)),
                self._too_long(),
                Cut(SECOND, 2 * SECOND, in_hand=True),
                Cut(SECOND, 3 * SECOND, in_hand=True),
            )
        )

    def _too_long(self) -> Cut:
        """Away over an opening and for the whole time to ask for the file, which is then lost by the network."""
        return Cut(-3 * SECOND, self._timing.request + 5 * SECOND)

    def _away(self, team: ChannelTeam, number: int, since: Millis, until: Millis) -> Steps:
        """Be away from one moment to another; what the checker goes by is when it truly was."""
        (gone,) = yield Step(since, (Ask(CUT, "WS", "", number),))
        reply = yield from self._insist(max(until, gone.at), Ask(BACK, "WS", "", number))
        self._injected("channel_away", team=team.name, number=number, since=to_text(gone.at), until=to_text(reply.at))
        return reply

    def _received(self, at: Millis, number: int) -> Steps:
        """Wait for the push, until the file cannot be asked for any more. A frame that comes between two looks is read
        at the next."""
        ends = self._timing.opens_at(number) + self._timing.request
        while True:
            (reply,) = yield Step(at, (Ask(FILE, "WS", "", number),))
            if reply.status == 200 or reply.at >= ends:
                return reply
            at = min(reply.at + _LOOKS_AGAIN, max(ends, reply.at + RETRY))

    def _right(self, file: Reply) -> Ask:
        markup = self._material.answer(file.body["content"], 0.5)
        digest = sha256_hex(canonical_bytes(dump(load(markup))))
        body = json.dumps(markup, ensure_ascii=False).encode()
        return Ask(ANSWER, "WS", str(file.body["file_id"]), None, body, content_sha256=digest)

    @staticmethod
    def _insist(at: Millis, ask: Ask, tries: int = _PATIENCE) -> Steps:
        for _ in range(tries):
            (reply,) = yield Step(at, (ask,))
            if not reply.passing:
                break
            at = reply.at + RETRY
        return reply
