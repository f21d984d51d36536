"""Wrong ways of telling teams and people of something, for :mod:`rehearsal.harm.bugs`."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any, Final

from contest.mails.rules import MailLanguage
from contest.people.store import DynamoPeople

_OTHER: Final = {MailLanguage.EN: MailLanguage.RU, MailLanguage.RU: MailLanguage.EN}
_ROLES: Final = dict[str, Any]()
"""First role of each person, of this process."""


def members_of_all(members_of: Any, persons: Any, _team_id: str) -> Any:
    """Return the members of all teams."""
    teams = DynamoPeople().all_teams()
    return [person for team in teams for person in members_of(persons, team.team_id)]


def in_the_other_language(body_of: Any, addressed: Any, site: str) -> Any:
    """Return a mail's words in the language that was not chosen."""
    return body_of(replace(addressed, language=_OTHER.get(addressed.language, addressed.language)), site)


def answer_everybody(answer: Any, platform: Any, who: str, question_id: str, version: int, reply: Any) -> Any:
    """Answer everybody where the answer is one team's."""
    title = reply.title or {"en": "An answer", "ru": "Ответ"}
    return answer(platform, who, question_id, version, replace(reply, to_all=True, title=title))


def as_first_seen(person_of: Any, platform: Any, token: str, now: int) -> Any:
    """Return a person with the role of the first look."""
    identity = person_of(platform, token, now)
    return identity and replace(identity, role=_ROLES.setdefault(identity.person_id, identity.role))


def normalised(shown: Any) -> Any:
    """Return a hand-out whose texts have composed letters and no space but the plain one."""
    if isinstance(shown, dict):
        return {name: normalised(value) for name, value in shown.items()}
    return unicodedata.normalize("NFC", shown).replace("\u00a0", " ") if isinstance(shown, str) else shown
