"""Essays for the experts of the site's browser tests, and what these experts see over HTTP."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx

from local.clock import monotonic_s
from tests import browser

FIRST = "expert@example.org"
PATIENCE_S = 60


class Experts:
    """People of the staff who are signed in at one cloud."""

    def __init__(self, url: str, drain: Callable[[], Any], advance: Callable[[float], Any]) -> None:
        self.url, self.drain, self.advance = url, drain, advance
        self.tokens: dict[str, str] = {}
        self.pools: dict[str, str] = {}

    def ask(
        self, email: str, method: str, path: str, body: Any = None, *, pool: str = "staff", **headers: str
    ) -> httpx.Response:
        """Ask the platform as one of the staff, or of another pool."""
        self.pools[email] = pool
        answered = self._ask(email, method, path, body, headers)
        # The clock may have been moved beyond the token's end; the gateway says so by either.
        if answered.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
            del self.tokens[email]
            answered = self._ask(email, method, path, body, headers)
        # One organizer asks here for many; a person's rate is counted by the platform's clock.
        while answered.status_code == httpx.codes.TOO_MANY_REQUESTS:
            self.advance(1)
            answered = self._ask(email, method, path, body, headers)
        return answered

    def _ask(self, email: str, method: str, path: str, body: Any, headers: Mapping[str, str]) -> httpx.Response:
        if email not in self.tokens:
            self.tokens[email] = browser.token(self.url, email, self.pools[email])
        signed = {"Authorization": f"Bearer {self.tokens[email]}", **headers}
        content = None if body is None else json.dumps(body).encode()
        return httpx.request(method, self.url + path, content=content, headers=signed, timeout=60)

    def organize(self, method: str, path: str, body: Any = None) -> Any:
        """Ask as the organizer, who is refused nothing here."""
        return self.ask("organizer@example.org", method, path, body).raise_for_status().json()

    def give(
        self, name: str, text: str, emails: Sequence[str], subject: str = "hist", kind: str = "test"
    ) -> dict[str, str]:
        """Give an essay, a set of this kind, to these two experts alone; their assignments."""
        self._import(name, text, subject, kind)
        self.enlist(emails, [subject])
        self.organize("POST", "/v1/markings", {"set": name})
        return {email: self._newest(email) for email in emails}

    def differ(
        self, name: str, text: str, emails: Sequence[str], markups: Sequence[Any], subject: str = "hist"
    ) -> dict[str, str]:
        """Let the first two of three hand in these fragments; all three's assignments, the third's by the rule."""
        first, second, third = emails
        given = self.give(name, text, (first, second), subject)
        self.enlist(emails, [subject])
        for email, selections in zip((first, second), markups, strict=True):
            self.hand_in(email, given[email], selections)
        self.drain()
        return {**given, third: self._newest(third)}

    def hand_in(self, email: str, assignment: str, selections: Any) -> None:
        """Mark an essay up with these fragments, and hand it in."""
        path = f"/v1/assignments/{assignment}"
        essay = self.ask(email, "POST", f"{path}/open").raise_for_status().json()["content"]
        draft = {**essay, "selections": selections}
        self.ask(email, "PUT", f"{path}/draft", draft, **{"If-Match": '"0"'}).raise_for_status()
        self.ask(email, "POST", f"{path}/hand-in", **{"If-Match": '"1"'}).raise_for_status()

    def enlist(self, emails: Sequence[str], subjects: Sequence[str], languages: Sequence[str] = ("rus",)) -> list[str]:
        """Make these the only experts to whom essays are given, with accounts where there are none; their names."""
        people = {each["email"]: each["person_id"] for each in self.organize("GET", "/v1/staff")["staff"]}
        for email in (each for each in emails if each not in people):
            said = {"email": email, "name": "Sample expert", "role": "expert"}
            people[email] = self.organize("POST", "/v1/staff", said)["person_id"]
        wanted = {people[email] for email in emails}
        for each in self.organize("GET", "/v1/experts")["experts"]:
            if each["active"] and each["expert_id"] not in wanted:
                kept = {name: each[name] for name in ("subjects", "languages", "groups")}
                self.organize("PUT", f"/v1/experts/{each['expert_id']}", {**kept, "active": False})
        profile = {"subjects": subjects, "languages": languages, "groups": [], "active": True}
        for email in emails:
            self.organize("PUT", f"/v1/experts/{people[email]}", profile)
        return [people[email] for email in emails]

    def _import(self, name: str, text: str, subject: str, kind: str) -> None:
        meta = {"id": name, "name": f"{name}.txt", "theme": "Реформы", "taskText": "Напишите о реформах Петра I."}
        essay = {"meta": {**meta, "class": "11", "year": 2026, "subject": subject}, "criteria": {}, "selections": []}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(f"{name}.json", json.dumps({**essay, "text": text}))
        content = packed.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        said = {
            "kind": "set",
            "set": name,
            "set_kind": kind,
            "size": len(content),
            "sha256": digest,
            "parts": [digest],
        }
        path = f"/v1/imports/{self.organize('POST', '/v1/imports', said)['import_id']}"
        place = self.organize("GET", f"{path}/parts/1")["address"]
        httpx.put(self.url + place, content=content, timeout=60).raise_for_status()
        self.organize("POST", f"{path}/complete")
        ends = monotonic_s() + PATIENCE_S
        while (found := self.organize("GET", path))["state"] != "done":
            if found["state"] == "refused" or monotonic_s() > ends:
                raise RuntimeError(f"the essay was not imported: {found}")
            self.drain()

    def _newest(self, email: str) -> str:
        given = self.ask(email, "GET", "/v1/assignments").raise_for_status().json()["assignments"]
        return str(given[-1]["assignment_id"])
