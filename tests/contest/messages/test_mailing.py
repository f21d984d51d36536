"""Mails about awaited events: made once, sent once, tried again a few times, stopped by their recipients."""

from __future__ import annotations

import email
import email.policy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from contest.cycle import publications
from contest.cycle.publications import AnnouncementContent
from contest.cycle.rules.notices import AnnouncementKind
from contest.messages import sending
from contest.messages.errors import UnknownUnsubscriptionError
from contest.messages.rules import LAG, MAIL_ATTEMPTS, MailKind, MailLanguage, Stop
from contest.messages.store import FolderMailer
from contest.people import cabinet, teams
from contest.people.errors import InvalidEmailError, InvitationMailsExhaustedError, NoMailsError, TeamInactiveError
from contest.people.rules import (
    MOST_MAILED,
    Application,
    Change,
    Decision,
    Identity,
    Person,
    Pool,
    Role,
    Team,
    TeamStatus,
    token_hash,
)
from contest.platform import Platform
from tests.fakes import FakePlatform
from tests.fakes_mails import FakeMailer
from tests.stage import Stage
from tests.toys import toy_cycle
from tracks.protocol import Text

SECRET = "the organizers' secret reason"
ADDRESS = "anna@example.org"


class Office:
    """Two approved teams of a member each, and a mailer."""

    def __init__(self, mailer: Any) -> None:
        fake = FakePlatform()
        fake.mailer = mailer
        self.fake, self.platform = fake, fake_platform(fake)
        for team_id, person_id in (("red", "anna"), ("blue", "boris")):
            contact = f"{person_id}@example.org"
            team = Team(team_id, team_id.title(), TeamStatus.APPROVED, 1, person_id, Application("", contact, "", 1))
            person = Person(person_id, Pool.PARTICIPANTS, Role.PARTICIPANT, person_id, contact, 1, team_id)
            fake.persons.apply(team, None, person, Change(1, "x", "team applied", team_id, None, None))
        self.visit()

    def log(self, what: str, subject: str, after: Any = None) -> None:
        self.fake.store.tell(Change(self.fake.clock.now(), "person:olga", what, subject, None, after))

    def pass_time(self, milliseconds: int) -> None:
        self.fake.clock.moment += milliseconds

    def visit(self) -> list[Exception]:
        self.pass_time(LAG)
        sending.collect(self.platform)
        failures: list[Exception] = []
        for name in sending.due(self.platform):
            try:
                sending.send(self.platform, name)
            except RuntimeError as error:
                failures.append(error)
        return failures


def fake_platform(fake: Any) -> Platform:
    platform: Platform = fake
    return platform


@pytest.fixture
def mailer() -> FakeMailer:
    return FakeMailer()


@pytest.fixture
def office(mailer: FakeMailer) -> Office:
    return Office(mailer)


def told(mailer: FakeMailer) -> list[tuple[str, str, str]]:
    return [(addressed.address, addressed.mail.kind.value, subject) for addressed, subject, _ in mailer.sent]


def test_decisions_answers_and_announcements_reach_their_members_once_by_kind_without_reasons(
    office: Office, mailer: FakeMailer
) -> None:
    office.log("team approved", "red", {"reason": SECRET})
    assert office.visit() == []
    (((addressed, subject, text),)) = mailer.sent
    assert (addressed.address, addressed.mail.kind) == (ADDRESS, MailKind.APPLICATION)
    assert subject == "Ваша команда допущена / Your team is approved"
    assert "https://contest.example/cabinet/team" in text
    assert "https://contest.example/cabinet/mails" in text
    assert SECRET not in text
    office.visit()
    assert len(mailer.sent) == 1
    mailer.sent.clear()
    answer = {"team_id": "red", "answer": {"texts": {"en": SECRET}, "announcement_id": None}, "text": SECRET}
    office.log("question answered", "red.1", answer)
    office.log("question answered", "red.2", {"team_id": "red", "answer": {"announcement_id": "a"}})
    office.log("question closed", "blue.1", {"team_id": "blue", "reason": SECRET})
    office.log("token issued", "red", {"token_id": SECRET})
    office.visit()
    assert [each[:2] for each in told(mailer)] == [(ADDRESS, "answer"), ("boris@example.org", "answer")]
    assert SECRET not in str([text for *_, text in mailer.sent])
    mailer.sent.clear()
    content = AnnouncementContent(
        AnnouncementKind.SCHEDULE, Text("Final\non Monday", "Финал"), Text(SECRET, SECRET), {}, None
    )
    announcement = publications.announce(office.platform, "person:olga", content, as_draft=False)
    for _ in range(2):
        sending.announce(office.platform, announcement)
    office.log("run results published", "r1")
    office.visit()
    assert sorted(told(mailer)) == [
        (ADDRESS, "results", "Результаты прогона опубликованы / Results of a run are published"),
        (ADDRESS, "run", "Финал / Final on Monday"),
        ("boris@example.org", "results", "Результаты прогона опубликованы / Results of a run are published"),
        ("boris@example.org", "run", "Финал / Final on Monday"),
    ]
    draft = publications.announce(office.platform, "person:olga", content, as_draft=True)
    sending.announce(office.platform, draft)
    office.visit()
    assert len(mailer.sent) == 4


def test_a_mail_that_is_not_taken_is_tried_again_each_time_later_until_it_is_taken_or_given_up() -> None:
    mailer = FakeMailer(failures=MAIL_ATTEMPTS)
    office = Office(mailer)
    office.log("team approved", "red")
    assert len(office.visit()) == 1
    assert sending.due(office.platform) == []
    for attempt in range(1, MAIL_ATTEMPTS):
        office.pass_time(30_000 * 4**attempt)
        assert len(office.visit()) == 1
    office.pass_time(30_000 * 4**MAIL_ATTEMPTS)
    assert office.visit() == []
    assert (mailer.sent, office.fake.mails.waiting()) == ([], [])
    mailer = FakeMailer(failures=1)
    office = Office(mailer)
    office.log("team rejected", "red")
    office.visit()
    office.pass_time(30_000)
    office.visit()
    office.visit()
    assert [address for address, *_ in told(mailer)] == [ADDRESS]


def test_a_stopped_kind_comes_no_more_and_the_others_in_the_chosen_language(office: Office, mailer: FakeMailer) -> None:
    anna = Identity(Role.PARTICIPANT, "red", person_id="anna")
    sending.choose(office.platform, anna, [MailKind.RESULTS], MailLanguage.RU)
    office.log("run results published", "r1")
    office.log("team suspended", "red")
    office.visit()
    assert told(mailer) == [
        ("boris@example.org", "results", "Результаты прогона опубликованы / Results of a run are published"),
        (ADDRESS, "application", "Ваша команда приостановлена"),
    ]


def test_the_link_in_a_mail_stops_its_kind_for_its_person_alone(office: Office, mailer: FakeMailer) -> None:
    office.log("team approved", "red")
    office.visit()
    (token,) = parse_qs(urlsplit(mailer.sent[0][0].unsubscribe).query)["token"]
    for _ in range(2):
        stopped = sending.unsubscribe(office.platform, token)
        assert (stopped.stopped, stopped.version) == (frozenset({MailKind.APPLICATION}), 1)
    assert office.platform.mail_choices.get("boris").stopped == set()
    with pytest.raises(UnknownUnsubscriptionError):
        sending.unsubscribe(office.platform, f"{token[:-1]}-")
    office.log("team suspended", "red")
    office.visit()
    assert len(mailer.sent) == 1


def test_without_a_mailer_nothing_is_made_and_nothing_of_before_is_told_later() -> None:
    office = Office(None)
    office.log("team approved", "red")
    assert office.visit() == []
    assert (office.fake.mails.waiting(), office.fake.mails.position()) == ([], None)


def test_the_folder_has_a_message_that_mail_programs_unsubscribe_from_and_no_header_of_others(tmp_path: Path) -> None:
    office = Office(FolderMailer(str(tmp_path), "contest@example.org", "https://contest.example"))
    content = AnnouncementContent(
        AnnouncementKind.GENERAL, Text("Rain\r\nBcc: all@example.org", "Дождь"), Text("x", "y"), {}, None
    )
    sending.announce(office.platform, publications.announce(office.platform, "olga", content, as_draft=False))
    office.visit()
    files = sorted(tmp_path.glob("*.eml"))
    assert len(files) == 2
    message = email.message_from_bytes(files[0].read_bytes(), policy=email.policy.default)
    assert message["To"] in {ADDRESS, "boris@example.org"}
    assert message["Bcc"] is None
    assert message["Subject"] == "Дождь / Rain Bcc: all@example.org"
    assert message["List-Unsubscribe"].startswith("<https://contest.example/v1/mails/unsubscription?")
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Message-ID"].endswith("@contest.example>")


OLGA = "person:olga"


def test_an_invitation_is_mailed_once_with_its_code_in_fixed_words(office: Office, mailer: FakeMailer) -> None:
    note = "For Vera, buy at https://spam.example"
    code, invitation = cabinet.invite(office.platform, OLGA, "red", note, address="vera@example.org")
    assert office.visit() == []
    (((addressed, subject, text),)) = mailer.sent
    assert (addressed.address, addressed.unsubscribe) == ("vera@example.org", "")
    assert subject == "Вас пригласили в команду конкурса / You are invited to a team of the contest"
    assert code in text
    assert "spam" not in text
    assert "Red" not in text
    office.visit()
    assert len(mailer.sent) == 1
    assert code not in str(office.fake.store.changes)
    assert "vera@" not in str(office.fake.store.changes), "nothing keeps to whom"
    assert invitation.invitation_id.startswith("mailed-")


def test_invitations_are_mailed_by_approved_teams_a_few_a_day(office: Office, mailer: FakeMailer) -> None:
    def invite(team_id: str = "red") -> None:
        cabinet.invite(office.platform, OLGA, team_id, "", address="vera@example.org")

    for _ in range(MOST_MAILED):
        invite()
    with pytest.raises(InvitationMailsExhaustedError) as refused:
        invite()
    assert 0 < (refused.value.retry_after_s or 0) <= 24 * 3600
    invite("blue")
    assert len(cabinet.invite(office.platform, OLGA, "red", "by hand")[0]) > 40, "without a mail it goes on"
    office.pass_time(24 * 3600 * 1000)
    invite()
    teams.decide(office.platform, OLGA, "red", Decision("late", TeamStatus.SUSPENDED))
    with pytest.raises(TeamInactiveError):
        invite()
    office.fake.mailer = None
    with pytest.raises(NoMailsError):
        invite("blue")
    with pytest.raises(InvalidEmailError):
        cabinet.invite(office.platform, OLGA, "blue", "", address="vera@example.org, all@example.org")


def test_a_member_chooses_mails_and_a_mail_program_stops_a_kind_without_a_token(stage: Stage) -> None:
    stage.load(toy_cycle(final=3))
    stage.team("red")
    anna = stage.person(Role.PARTICIPANT, "anna", "red")
    assert stage.request("GET", "/v1/mails", None, anna).json == {"stopped": [], "language": "both"}
    stage.advance(3)
    chosen = {"stopped": ["run", "results"], "language": "ru"}
    assert stage.request("PUT", "/v1/mails", chosen, anna).json == {"stopped": ["results", "run"], "language": "ru"}
    token = stage.platform.randomness.invitation()
    stage.platform.mails.note_link(token_hash(token), Stop("anna", MailKind.ANSWER), stage.now)
    link = f"/v1/mails/unsubscription?token={token}"
    stopped = stage.request("POST", link, b"List-Unsubscribe=One-Click")
    assert stopped.json["stopped"] == ["answer", "results", "run"]
    assert stage.request("POST", f"{link[:-2]}--", b"").refusal == (404, "unknown_unsubscription")
    stage.advance(3)
    assert stage.request("PUT", "/v1/mails", {**chosen, "stopped": ["weather"]}, anna).code == "invalid_request"
