"""Teams that join and are no competitors: one asks for nothing, one answers everything and ends its session itself.

Neither may stand on the board, and the record tells of both: of the one who was silent with every file as missed, of
the one who left with every answer (R 4.5, platform §3).
"""

from __future__ import annotations

import json
from typing import Final

from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.announced import Timing, coming
from local.rehearsal.play.driver import Play
from local.rehearsal.play.teams import Answering, Answers, Steps, Team, insist
from local.rehearsal.play.wire import Ask

SILENT, LEAVER = "silent", "leaver"
NAMES: Final = (SILENT, LEAVER)
LEAVE: Final = "leave"
_JOINS_BEFORE: Final[Millis] = MINUTE
_APART: Final[Millis] = 2_345
"""After an opening the one who leaves asks at a moment of its own."""
_WORK: Final[Millis] = 5 * SECOND


class Leaving:
    """What both play in one run."""

    def __init__(self, timing: Timing, material: Answering) -> None:
        self._timing = timing
        self._material = material

    def play(self, team: Team) -> Play:
        """A team's play, by its name."""
        order = json.dumps({"mode": self._timing.mode, "run": self._timing.run_id}).encode()
        opening = Ask("open", "POST", "/v1/sessions", body=order, key=f"open-{team.name}")
        reply = yield from insist(self._timing.starts_at - _JOINS_BEFORE, opening)
        if reply.status != 201:
            return
        team.session_id = str(reply.body["session_id"])
        if team.name == LEAVER:
            yield from self._everything(team)

    def _everything(self, team: Team) -> Steps:
        """Answer every file, appended ones as well, then end the session, confirmed."""
        number = 0
        while number < self._timing.all_files:
            number += 1
            opening = yield from coming(self._timing, number)
            file = Ask("file", "GET", team.path(f"/files/{number}"), number)
            reply = yield from insist(opening + _APART, file)
            if reply.status == 200:
                answers = Answers(team, number, self._material, reply.body["content"], reply.at + _WORK)
                reply = yield from insist(reply.at + _WORK, answers.right(0))
        return (yield from insist(reply.at + SECOND, Ask(LEAVE, "POST", team.path("/abort"), body=b'{"confirm":true}')))
