"""Announce, answer questions, annul a result, give a role: acts of organizers of which mails and webhooks tell.

A member of each of two teams gets mails: one in English, who stops mails of answers by a mail's link, one in Russian.
Where a qualification is played, too, a member of a team that qualifies gets them in both languages.
"""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from rehearsal.history import BOARDS, NEWS
from rehearsal.moments import MINUTE, SECOND, Millis
from rehearsal.play.driver import Actor, Person, Script

Json = Any
MEMBERS: Final = {"english@example.org": "en", "russian@example.org": "ru", "qualifying@example.org": "both"}
"""Languages of the members' mails by their addresses; the first one's team asks, the last one's qualifies."""
HOOK: Final = "https://hooks.example.org/"
"""Address of a team's webhook, before the team's name."""
TOLD: Final[Millis] = 4 * MINUTE
"""Time after an act by which mails and webhooks are sent."""
SHOWN: Final[Millis] = 13 * SECOND
"""Maximum age of a leaderboard in an answer."""
BELIEVED: Final[Millis] = MINUTE + SECOND
"""Time after a revocation, or a change of role, by which it holds everywhere (platform §1)."""
_QUESTIONS, _NEWS = "/cabinet/questions", "/announcements"
_ANSWER: Final = {"en": "For this team alone.", "ru": "Только для этой команды."}
_TITLE: Final = {"en": "A protest against the run", "ru": "Протест о запуске"}
_NEWS_TITLE: Final = {"en": "The hall is open", "ru": "Зал открыт"}
_TO_ALL: Final = {"en": "For everybody.", "ru": "Для всех."}
_WHY: Final = "Rehearsed: news"


class News:
    """Plays the acts; ``teams`` are the team that asks, another one, and perhaps one that qualifies later, each with a
    member; ``people`` an organizer, a judge, and a reader without a token; ``sent`` returns the mails and the webhooks'
    requests that were sent."""

    def __init__(
        self,
        script: Script,
        teams: Sequence[Any],
        members: Sequence[Person],
        people: Sequence[Any],
        sent: Callable[[], Sequence[Mapping[str, Json]]],
    ) -> None:
        self._script, self._teams, self._members, self._sent = script, teams, members, sent
        self._organizer, self._judge, self._everybody = people

    def join(self) -> None:
        """Let a member join each team, who chooses a language for mails; a team that qualifies adds its webhook."""
        for team, member in zip(self._teams, self._members, strict=False):
            invited = self._asks(
                self._organizer, f"POST /v1/teams/{team.name}/invitations", (201,), {"note": "", "as_captain": True}
            )
            own = {"code": str(invited.get("code")), "person_name": "Rehearsed", "contact": member.name}
            self._asks(member, "POST /v1/invitations/accept", (200, 201), own, member_of=team.name)
            self._asks(member, "GET /v1/me")
            self._asks(member, "PUT /v1/mails", body={"stopped": [], "language": MEMBERS[member.name]})
        for team in self._teams[2:]:
            self._asks(team, "POST /v1/hooks", (200, 201), {"url": f"{HOOK}{team.name}"})

    def play(self, run_id: str) -> None:
        """Play all acts; the judge becomes one of the commission."""
        asking, other = self._teams[:2]
        self._script.wait(TOLD)  # of the results, which were published just now
        self._asks(self._organizer, "POST /v1/announcing", (201,), {"title": _NEWS_TITLE, "text": _TO_ALL})
        before = self._asks(self._everybody, "GET /v1/announcements", says={"announcements.0.title": _NEWS_TITLE})
        self._answered(
            {"text": "Is it so?", "language": "ru"},
            {"text": _ANSWER},
            {"answer.texts": _ANSWER, "answer.announcement_id": None, "protest": False},
            (_QUESTIONS, [asking.name]),
        )
        self._script.wait(TOLD)
        self._asks(self._everybody, "GET /v1/announcements", says={"announcements": before.get("announcements")})
        own = [mail for mail in self._sent() if mail.get("to") == self._members[0].name]
        for link in [mail["stop"] for mail in own if _QUESTIONS in mail["text"]]:
            path = f"{urlsplit(link).path}?{urlsplit(link).query}"
            self._asks(self._everybody, f"POST {path}", body={}, stops=self._members[0].name)
        self._answered(
            {"text": "It is not so.", "language": "en", "about": {"run_id": run_id}, "protest": True},
            {"text": _TO_ALL, "title": _TITLE, "to_all": True, "upheld": False},
            {"answer.texts": _TO_ALL, "answer.upheld": False, "protest": True, "about.run_id": run_id},
            (_NEWS, None),
        )
        self._annulled(run_id)
        staff = self._asks(self._organizer, "GET /v1/staff").get("staff", ())
        person_id = next(person["person_id"] for person in staff if person["email"] == self._judge.name)
        role = {"role": "commission", "reason": _WHY}
        self._asks(self._organizer, f"POST /v1/staff/{person_id}/role", body=role, says={"role": "commission"})
        self._script.wait(TOLD)
        self._asks(self._judge, "GET /v1/me", says={"role": "commission"})
        self._asks(self._judge, "GET /v1/conduct/runs")
        announcement = {f"announcements.0.{name}": words for name, words in (("title", _TITLE), ("text", _TO_ALL))}
        self._asks(self._everybody, "GET /v1/announcements", says=announcement)
        news = ("answer", "announcement", "results")
        for team, kinds in ((asking, ("answer", *news, "hello")), (other, (*news, "application", "application"))):
            says: dict[str, Json] = {f"hooks.0.attempts.{place}.kind": kind for place, kind in enumerate(kinds)}
            says |= {f"hooks.0.attempts.{place}.number": 1 for place in range(len(kinds))}
            self._asks(team, "GET /v1/hooks", says=says)

    def _answered(self, question: Json, answer: Json, says: Mapping[str, Json], news: tuple[str, Json]) -> None:
        """Ask a question and answer it; the team that asked reads both, the other team has none."""
        asking, other = self._teams[:2]
        call = self._asks(asking, "POST /v1/questions", (201,), question)
        path = f"/v1/answering/{call.get('question_id')}/answer"
        says = {"text": question["text"], "state": "answered", **says}
        to: dict[str, Json] = {"kind": "answer", "link": news[0], "tells": news[1]}
        self._asks(self._organizer, f"POST {path}", body={"version": call.get("version"), **answer}, says=says, **to)
        self._asks(asking, "GET /v1/questions", says={f"questions.0.{place}": value for place, value in says.items()})
        self._asks(other, "GET /v1/questions", says={"questions": []})

    def _annulled(self, run_id: str) -> None:
        """Annul a team's result of the final, and take that back; the board has no row of it meanwhile, in any form.

        Between two visits of the timer: the board's history notes nothing of it."""
        team = self._teams[0].name
        self._script.wait_until((self._script.now() // MINUTE + 1) * MINUTE + SECOND)
        for is_annulled in (True, False):
            decision = {"of": "result", "subject": team, "board": run_id, "annulled": is_annulled, "reason": _WHY}
            self._asks(self._organizer, "POST /v1/conduct/annulments", body=decision, what=BOARDS)
            self._script.wait(SHOWN)
            for form in ("", ".csv"):
                way = f"GET /v1/leaderboards/final{form}?run={run_id}"
                listed: dict[str, Json] = {"absent" if is_annulled else "present": [team]}
                self._asks(self._everybody, way, what=BOARDS, **listed)

    def _asks(
        self, who: Actor, way: str, status: Sequence[int] = (200,), body: Json = None, what: str = NEWS, **means: Json
    ) -> Mapping[str, Json]:
        """Send a request and return its answer, which must have these codes and values."""
        return self._script.ask(who, what, way, status=status, body=body, **means).body


def sent_in(folder: Path) -> Iterator[dict[str, Json]]:
    """Yield the mails and the webhooks' requests that a local cloud has written into a folder, in the order of their
    names."""
    for path in sorted(folder.glob("*.eml")):
        mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        body = mail.get_body()
        yield {
            "to": str(mail["To"]),
            "subject": str(mail["Subject"]),
            "text": "" if body is None else body.get_content(),
            "stop": str(mail["List-Unsubscribe"] or "").strip("<>"),
        }
    for path in sorted(folder.glob("hook-*.json")):
        yield dict(json.loads(path.read_text("utf-8")))
