"""Check of mails and webhooks: who is told of an act, in which language, with which link (specification D 6.12)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from rehearsal.history import NEWS, QUALIFYING, SENT, Call
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, look_as_meant, tries, value_at

Json = Any
_CYRILLIC: Final = re.compile("[а-яё]", re.IGNORECASE)
_LINK: Final = re.compile(r"https?://[^/\s]+(/\S*)")
_CHOICES: Final = "/cabinet/mails"
_BETWEEN: Final = "----"
"""Stands between the two texts of a mail in both languages, the Russian one first."""
_TEAM, _ALL, _ORGANIZERS = "team", "all", "organizers"
_ACTS: Final = (
    ("teams/[^/]+/decision", "status", ".*", "application", "/cabinet/team", _TEAM),
    ("teams/[^/]+/admission", "admission.admitted", ".*", "application", "/cabinet/team", _TEAM),
    (r"sessions/[^/]+/conclusion/\w+", "standing", "verified|rejected|annulled", "application", "/cabinet", _TEAM),
    ("conduct/boards/(?!qualification)[^/]+/decision", "state", "published", "results", "/boards", _ALL),
    ("conduct/runs", "run.mode", "final", "run", "/announcements", _ALL),
    ("conduct/runs/[^/]+/restart", "restarts", ".+", "run", "/announcements", _ALL),
    ("announcing", "state", "published", "announcement", "/announcements", _ALL),
    ("questions", "question_id", ".+", "answer", "/desk/questions", _ORGANIZERS),
)
"""Acts that mails and webhooks tell of: a pattern of the path, a place in the answer with a pattern of its value, kind
and link, and whom they tell: the team of the answer, everybody, or the organizers, who have webhooks alone."""

_REPEATED: Final = frozenset({"kills", "throttles", "twins"})
"""Under these faults what was sent may not be noted as sent; then it is sent again: twice is better than never."""


class Event(NamedTuple):
    """An event that teams, or the organizers, are told of: its kind, the page with it, whom; None: everybody."""

    call: Call
    kind: str
    link: str
    teams: Sequence[str] | None

    def concerns(self, since: Call, team: Json) -> bool:
        """Return whether it is told to somebody of a team, who is there since an earlier call."""
        return self.call.n > since.n and (self.teams is None or team in self.teams)


@tries("hidden", 40, fault="people", stages=ESSAYS_ALONE)
def news_kept(check: Check, case: Case) -> None:
    """Check that questions are answered, a result annulled and a role given as the organizers decide; mails and
    webhooks tell the members and addresses of the teams concerned, once, in their language, with a link: of answers,
    announcements, planned runs, published results, conclusions and decisions on a team (D 6.12)."""
    look_as_meant(check, case, NEWS)
    if not check.examined:
        return
    sent, calls = case.facts.answers[SENT], case.of(QUALIFYING, NEWS)
    events = [event for event in _events(case) if event.call.n < sent["until"]]
    members = {call.team: call for call in calls if "member_of" in call.means}
    languages = {call.team: call.said.get("language") for call in calls if call.path == "/v1/mails"}
    stopped = {str(call.means["stops"]): call.n for call in calls if "stops" in call.means}
    added = [call for call in case.story.calls if (call.method, call.path) == ("POST", "/v1/hooks")]
    due_mails = Counter(
        (person, event.link, languages.get(person))
        for event in events
        for person, joined in members.items()
        if event.concerns(joined, joined.means["member_of"])
        and not (event.kind == "answer" and event.call.n > stopped.get(person, event.call.n))
    )
    due_requests = Counter(
        (call.said["url"], event.kind, event.link)
        for event in events
        for call in added
        if "url" in call.said and event.concerns(call, _ORGANIZERS if "@" in call.team else call.team)
    )
    titles = set[tuple[str, str]]()
    requests = Counter[Json]()
    for request in (one for one in sent["sent"] if "url" in one):
        statement = request["body"]["event"]
        check.that(case.keys.signed(statement, request["body"]["signature"]), f"{request['url']}: not signed")
        if statement["kind"] != "hello":
            title, (link,) = statement["title"], _LINK.findall(statement["link"])
            titles |= {("en", title["en"]), ("ru", title["ru"]), ("both", f"{title['ru']} / {title['en']}")}
            requests[request["url"], statement["kind"], link] += 1
    mails = Counter[Json]()
    for mail in (one for one in sent["sent"] if "to" in one):
        words = ["ru" if _CYRILLIC.search(text) else "en" for text in mail["text"].split(_BETWEEN)]
        language, links = "both" if words == ["ru", "en"] else "/".join(words), _LINK.findall(mail["text"])
        check.that(links == [links[0], _CHOICES] * len(words), f"a mail to {mail['to']} leads to {links}")
        is_told = (language, mail["subject"]) in titles
        check.that(is_told, f"a mail to {mail['to']} says «{mail['subject']}», no webhook does")
        mails[mail["to"], links[0], language] += 1
    if _REPEATED & set(case.story.header.get("faults", ())):
        mails = Counter({row: min(count, due_mails[row] or count) for row, count in mails.items()})
        requests = Counter({row: min(count, due_requests[row] or count) for row, count in requests.items()})
    check.look(*_otherwise("mails", mails, due_mails), *_otherwise("requests to webhooks", requests, due_requests))


def _events(case: Case) -> Iterator[Event]:
    """Yield the events of the acts that were answered with success."""
    for call in case.story.calls:
        if call.status not in {200, 201} or call.method != "POST":
            continue
        if "tells" in call.means:
            yield Event(call, str(call.means["kind"]), str(call.means["link"]), call.means["tells"])
        for path, place, value, kind, link, whom in _ACTS:
            is_act = re.fullmatch(f"/v1/{path}", str(call.path)) and re.fullmatch(
                value, str(value_at(call.said, place))
            )
            if is_act:
                one = str(call.said["team_id"]) if whom == _TEAM else _ORGANIZERS
                yield Event(call, kind, link, None if whom == _ALL else [one])


def _otherwise(name: str, there: Counter[Json], due: Counter[Json]) -> Iterator[str]:
    for rows, words in ((there - due, "which nobody is due"), (due - there, "which were not sent")):
        for row, count in rows.items():
            yield f"{count} {name} {json.dumps(row, ensure_ascii=False)}, {words}"
