"""Check of mails and webhooks: who is told of an act, in which language, with which link (specification D 6.12)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from rehearsal.history import NEWS, QUALIFYING, SENT, Call
from rehearsal.proof.case import Case, Check
from rehearsal.proof.rows import ESSAYS_ALONE, look_as_meant, tries

Json = Any
_CYRILLIC: Final = re.compile("[а-яё]", re.IGNORECASE)
_LINK: Final = re.compile(r"https?://[^/\s]+(/\S*)")
_CHOICES: Final = "/cabinet/mails"
_DECIDED: Final = re.compile(r"/v1/teams/([^/]+)/decision")
_PUBLISHED: Final = re.compile(r"/v1/conduct/boards/(?!qualification)[^/]+/decision")

_REPEATED: Final = frozenset({"kills", "throttles", "twins"})
"""Under these faults what was sent may not be noted as sent; then it is sent again: twice is better than never."""


class Event(NamedTuple):
    """An event that teams are told of: its kind, the page with it, the teams; None: all."""

    call: Call
    kind: str
    link: str
    teams: tuple[str, ...] | None


@tries("hidden", 40, fault="people", stages=ESSAYS_ALONE)
def news_kept(check: Check, case: Case) -> None:
    """Check that questions are answered, a result annulled and a role given as the organizers decide; mails and
    webhooks tell the members and addresses of the teams concerned, once, in their language, with a link (D 6.12)."""
    look_as_meant(check, case, NEWS)
    if not check.examined:
        return
    sent, calls = case.facts.answers.get(SENT, ()), case.of(QUALIFYING, NEWS)
    last = max(call.n for call in calls)  # then mails are read; runs beside the final are published later
    events = [event for event in _events(case) if event.call.n < last]
    members = {call.team: str(call.means["member_of"]) for call in calls if "member_of" in call.means}
    languages = {call.team: call.said.get("language") for call in calls if call.path == "/v1/mails"}
    stopped = {str(call.means["stops"]): call.n for call in calls if "stops" in call.means}
    added = [call for call in case.story.calls if (call.method, call.path) == ("POST", "/v1/hooks")]
    hooks = {call.said["url"]: call.team for call in added if "url" in call.said}
    due_mails = Counter(
        (person, event.link, languages.get(person))
        for event in events
        for person, team in members.items()
        if team in (event.teams or members.values())
        and not (event.kind == "answer" and event.call.n > stopped.get(person, event.call.n))
    )
    due_requests = Counter(
        (url, event.kind, event.link)
        for event in events
        for url, team in hooks.items()
        if team in (event.teams or hooks.values())
    )
    titles = set[str]()
    requests = Counter[Json]()
    for request in (one for one in sent if "url" in one):
        statement = request["body"]["event"]
        check.that(case.keys.signed(statement, request["body"]["signature"]), f"{request['url']}: not signed")
        if statement["kind"] != "hello":
            titles |= set(statement["title"].values())
            (link,) = _LINK.findall(statement["link"])
            requests[request["url"], statement["kind"], link] += 1
    mails = Counter[Json]()
    for mail in (one for one in sent if "to" in one):
        language = "ru" if _CYRILLIC.search(mail["subject"]) else "en"
        links = _LINK.findall(mail["text"])
        check.that(links[1:] == [_CHOICES], f"a mail to {mail['to']} leads to {links}")
        check.that(mail["subject"] in titles, f"a mail to {mail['to']} says «{mail['subject']}», no webhook does")
        mails[mail["to"], links[0], language] += 1
    if _REPEATED & set(case.story.header.get("faults", ())):
        mails = Counter({row: min(count, due_mails[row] or count) for row, count in mails.items()})
        requests = Counter({row: min(count, due_requests[row] or count) for row, count in requests.items()})
    check.look(*_otherwise("mails", mails, due_mails), *_otherwise("requests to webhooks", requests, due_requests))


def _events(case: Case) -> Iterator[Event]:
    """Yield the events of the organizers' acts that were answered with success."""
    for call in case.story.calls:
        if call.status != 200 or call.method != "POST":
            continue
        if decided := _DECIDED.fullmatch(str(call.path)):
            yield Event(call, "application", "/cabinet/team", (decided[1],))
        elif _PUBLISHED.fullmatch(str(call.path)) and call.said.get("state") == "published":
            yield Event(call, "results", "/boards", None)
        elif "tells" in call.means:
            yield Event(call, str(call.means["kind"]), str(call.means["link"]), tuple(call.means["tells"]))


def _otherwise(name: str, there: Counter[Json], due: Counter[Json]) -> Iterator[str]:
    for rows, words in ((there - due, "which nobody is due"), (due - there, "which were not sent")):
        for row, count in rows.items():
            yield f"{count} {name} {json.dumps(row, ensure_ascii=False)}, {words}"
