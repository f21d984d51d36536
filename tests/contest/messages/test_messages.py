"""Mails about awaited events, sent once and stopped by their recipients; questions over HTTP; their commands."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from contest.cycle import publications
from contest.cycle.publications import AnnouncementContent
from contest.cycle.rules.notices import AnnouncementKind
from contest.messages import sending
from contest.messages.errors import UnknownUnsubscriptionError
from contest.messages.rules import HELD, LAG, MAIL_ATTEMPTS, MOST_OPEN, PER_DAY, MailKind, MailLanguage, Stop
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
from contest.run.rules.run import Kind
from contest.values import DAY, seconds_until, utc_day
from tests.contest.commands.stage_desk import run, sit_down
from tests.fakes import FakePlatform
from tests.fakes_hooks import FakePoster
from tests.fakes_mails import FakeMailer
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle
from tracks.protocol import Text

SECRET = "the organizers' secret reason"
ADDRESS = "anna@example.org"


class Office:
    """Two approved teams of a member each, and a mailer."""

    def __init__(self, mailer: Any) -> None:
        fake = FakePlatform()
        fake.mailer = mailer
        self.fake, self.platform = fake, cast("Platform", fake)
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
        for name in sending.due_mails(self.platform):
            try:
                sending.send(self.platform, name)
            except RuntimeError as error:
                failures.append(error)
        return failures


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
    assert sending.due_mails(office.platform) == []
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
    sending.choose_mails(office.platform, anna, [MailKind.RESULTS], MailLanguage.RU)
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
    assert (office.fake.store.changes[-1].after["mailed"], code in str(office.fake.store.changes)) == (True, False)
    assert "vera@" not in str(office.fake.store.changes), "nothing keeps to whom"
    assert invitation.invitation_id.startswith("mailed-")


def test_invitations_are_mailed_by_approved_teams_a_few_a_day(office: Office, mailer: FakeMailer) -> None:
    def invite(team_id: str = "red") -> None:
        cabinet.invite(office.platform, OLGA, team_id, "", address="vera@example.org")

    for _ in range(MOST_MAILED):
        invite()
    with pytest.raises(InvitationMailsExhaustedError) as refused:
        invite()
    assert refused.value.retry_after_s == seconds_until(
        -(-office.fake.clock.now() // DAY) * DAY, office.fake.clock.now()
    )
    invite("blue")
    assert len(cabinet.invite(office.platform, OLGA, "red", "by hand")[0]) > 40, "without a mail it goes on"
    office.pass_time(24 * 3600 * 1000)
    invite()
    teams.decide_on_team(office.platform, OLGA, "red", Decision("late", TeamStatus.SUSPENDED))
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


BOTH = {"en": "Yes, it may.", "ru": "Да, можно."}
TITLE = {"en": "May answers repeat?", "ru": "Могут ли ответы повторяться?"}


class Desk:
    """A team, its member, and two who answer."""

    def __init__(self, stage: Stage) -> None:
        stage.load(toy_cycle(final=3))
        self.stage = stage
        self.token = stage.team("red")
        self.anna = stage.person(Role.PARTICIPANT, "anna", "red")
        self.olga, self.jurij = stage.person(Role.ORGANIZER, "olga"), stage.person(Role.JUDGE, "jurij")

    def post(self, path: str, body: Mapping[str, Any], who: str) -> Answered:
        self.stage.advance(3)
        return self.stage.request("POST", path, dict(body), who)

    def ask(self, text: str = "May answers repeat?", who: str = "", **about: Any) -> Answered:
        body = {"text": text, "language": "en", **({"about": about} if about else {})}
        return self.post("/v1/questions", body, who or self.anna)

    def own(self) -> Any:
        self.stage.advance(3)
        return self.stage.request("GET", "/v1/questions", None, self.anna).json

    def waiting(self) -> Any:
        self.stage.advance(3)
        return self.stage.request("GET", "/v1/answering", None, self.jurij).json

    def answer(self, question: Any, who: str, **said: Any) -> Answered:
        content = {"version": question["version"], "text": BOTH, **said}
        return self.post(f"/v1/answering/{question['question_id']}/answer", content, who)

    def announced(self) -> list[str]:
        self.stage.advance(3)
        listed = self.stage.request("GET", "/v1/announcements?kind=answer").json["announcements"]
        return [f"{each['state']} {each['text']['en']}" for each in listed]


@pytest.fixture
def desk(stage: Stage) -> Desk:
    return Desk(stage)


@pytest.mark.clause("D 6.12")
def test_a_team_asks_and_reads_the_answer_that_nobody_else_gets(desk: Desk) -> None:
    question = desk.ask(rule="R 7.6")
    assert (question.status, question.json["question_id"], question.json["about"]["rule"]) == (201, "red.1", "R 7.6")
    assert desk.own()["unread"] == 0
    waiting = desk.waiting()
    assert (waiting["waiting"], waiting["oldest_at"]) == (1, question.json["asked_at"])
    answered = desk.answer(question.json, desk.olga, text={"ru": "Да."})
    assert (answered.json["state"], answered.json["answered_by"]) == ("answered", "person:olga")
    own = desk.own()
    (read,) = own["questions"]
    assert (own["unread"], read["answer"]["texts"], read["answer"]["announcement_id"]) == (1, {"ru": "Да."}, None)
    assert (desk.waiting()["waiting"], desk.announced()) == (0, [])
    desk.post("/v1/questions/red.1/seen", {"version": read["version"]}, desk.anna)
    assert desk.own()["unread"] == 0
    stranger = desk.stage.person(Role.PARTICIPANT, "boris", "blue")
    desk.stage.team("blue")
    assert desk.post("/v1/questions/red.1/withdrawal", {}, stranger).code == "unknown_question"
    assert desk.stage.request("GET", "/v1/questions", None, stranger).json["questions"] == []


@pytest.mark.clause("R 4.7", "D 6.12")
def test_an_answer_to_everybody_is_an_announcement_without_the_team_and_is_corrected_for_everybody(desk: Desk) -> None:
    question = desk.ask("Our team Red wants to know whether answers repeat").json
    assert desk.answer(question, desk.olga, to_all=True).code == "both_languages"
    assert desk.answer(question, desk.olga, to_all=True, title=TITLE, text={"en": "Yes"}).code == "both_languages"
    reply = desk.answer(question, desk.olga, to_all=True, title=TITLE).json
    listed = desk.stage.request("GET", "/v1/announcements?kind=answer")
    assert "red" not in listed.text.lower()
    (announcement,) = listed.json["announcements"]
    assert announcement["announcement_id"] == reply["answer"]["announcement_id"]
    assert (announcement["title"], announcement["text"]) == (TITLE, BOTH)
    assert desk.answer(reply, desk.olga, text={"en": "No."}).code == "both_languages"
    desk.answer(reply, desk.jurij, title=TITLE, text={"en": "No.", "ru": "Нет."})
    assert desk.announced() == ["published No.", "corrected Yes, it may."]
    assert desk.own()["questions"][0]["answer"]["texts"] == {"en": "No.", "ru": "Нет."}


def test_two_people_do_not_answer_one_question_twice(desk: Desk) -> None:
    question = desk.ask().json
    held_question = desk.post("/v1/answering/red.1/take", {"version": 1}, desk.olga).json
    assert held_question["taken_by"] == "person:olga"
    assert desk.answer(question, desk.jurij).code == "question_changed"
    refused = desk.answer(held_question, desk.jurij)
    assert (refused.code, refused.json["error"]["details"][0]["who"]) == ("question_taken", "person:olga")
    desk.stage.advance(HELD / 1000)
    desk.answer(held_question, desk.jurij)
    assert desk.answer(held_question, desk.olga).code == "question_changed"
    assert desk.own()["questions"][0]["state"] == "answered"


def test_a_question_is_withdrawn_or_closed_with_a_reason_and_is_answered_no_more(desk: Desk) -> None:
    first, second = desk.ask("One").json, desk.ask("Two").json
    assert desk.post("/v1/questions/red.1/withdrawal", {}, desk.anna).json["state"] == "withdrawn"
    answered = desk.answer({**first, "version": 2}, desk.olga)
    assert (answered.code, answered.json["error"]["details"][0]["state"]) == ("question_state", "withdrawn")
    closed = desk.post("/v1/answering/red.2/closure", {"version": 1, "reason": "See R 7.6"}, desk.olga).json
    assert (closed["state"], closed["question_id"]) == ("closed", second["question_id"])
    assert (desk.own()["questions"][0]["reason"], desk.own()["unread"]) == ("See R 7.6", 1)
    log = desk.stage.platform.audit_log.on(utc_day(desk.stage.now))
    assert [each.what for each in log if each.subject == "red.2"] == ["question asked", "question closed"]


def test_questions_are_refused_beyond_those_that_wait_and_those_of_a_day(desk: Desk) -> None:
    for number in range(1, MOST_OPEN + 1):
        desk.ask(f"Number {number}")
    assert desk.ask("One more").code == "too_many_open_questions"
    for number in range(1, PER_DAY + 1):
        desk.post(f"/v1/questions/red.{number}/withdrawal", {}, desk.anna)
        desk.ask(f"Again {number}")
    refused = desk.ask("The day is full")
    assert (refused.code, refused.status) == ("questions_exhausted", 429)
    desk.stage.advance(DAY / 1000)
    for number in range(PER_DAY - MOST_OPEN, PER_DAY + 1):
        desk.post(f"/v1/questions/red.{number}/withdrawal", {}, desk.anna)
    assert desk.ask("The next day").status == 201


def test_a_question_that_is_none_is_refused_and_what_is_sent_twice_is_asked_once_for_the_team(desk: Desk) -> None:
    for wrong in ({"text": " "}, {"text": "x" * 2001}, {"language": "de"}, {"about": {"number": 1}}):
        assert desk.post("/v1/questions", {"text": "x", "language": "en", **wrong}, desk.anna).code == "invalid_request"
    assert desk.ask("About nothing", run_id="x" * 20).code == "unknown_run"
    assert desk.ask("Of others", session_id="2" * 15, number=1).code == "unknown_session"
    assert desk.stage.platform.questions.all() == []
    first = desk.ask(who=desk.token).json
    assert desk.ask().json == first
    assert desk.ask("Another one").json["question_id"] == "red.2"
    assert desk.waiting()["questions"][0]["asked_by"].startswith("token:")


@pytest.mark.clause("platform §1 secrets", "R 7.11")
def test_nothing_of_a_run_or_of_its_items_is_told_to_everybody_before_it_is_open_to_them(desk: Desk) -> None:
    stage = desk.stage
    run = stage.plan(in_s=600)
    before = desk.ask("When does it begin?", run_id=run.run_id).json
    assert desk.answer(before, desk.olga, to_all=True, title=TITLE).code == "answer_not_public"
    assert desk.waiting()["questions"][0]["may_tell_all"] is False
    program = Program(stage, desk.token)
    stage.set_clock(run.starts_at - 60_000)
    program.join(run=run.run_id)
    assert desk.ask("An item?", session_id=program.session_id, number=1).code == "item_not_opened"
    stage.set_clock(run.starts_at + 1_000)
    assert desk.answer(before, desk.olga, to_all=True, title=TITLE).json["state"] == "answered"
    item = desk.ask("An item?", session_id=program.session_id, number=1).json
    assert item["about"]["number"] == 1
    assert desk.ask("The next one?", session_id=program.session_id, number=2).code == "item_not_opened"
    assert desk.answer(item, desk.olga, to_all=True, title=TITLE).code == "answer_not_public"
    assert desk.answer(item, desk.olga).json["answer"]["announcement_id"] is None
    stage.decide(run, Kind.STOP)
    assert desk.announced() == ["published Yes, it may."]


def test_an_item_of_a_training_set_is_open_to_all_and_one_of_a_test_is_not(desk: Desk) -> None:
    program = Program(desk.stage, desk.token)
    for data_set, may in (("train", True), ("test", False)):
        program.open(set=data_set)
        program.get("files/1")
        item = desk.ask("Its last letter?", session_id=program.session_id, number=1).json
        (listed,) = [each for each in desk.waiting()["questions"] if each["question_id"] == item["question_id"]]
        assert listed["may_tell_all"] is may
        program.ask("POST", f"/v1/sessions/{program.session_id}/abort", {"confirm": True})


@pytest.mark.clause("R 10.2")
def test_a_protest_names_what_it_is_about_and_is_upheld_or_rejected(desk: Desk) -> None:
    def protest(**about: Any) -> Answered:
        body = {"text": "Our file was late by your fault", "language": "en", "protest": True, **about}
        return desk.post("/v1/questions", body, desk.anna)

    assert (protest().status, protest().code) == (422, "protest_subject")
    filed = protest(about={"rule": "R 7.6"}).json
    assert (filed["question_id"], filed["protest"], filed["answer"]) == ("red.1", True, None)
    question = desk.ask("Our file was late by your fault", rule="R 7.6").json
    assert question["question_id"] == "red.2", "a question with the same words is another thing"
    assert desk.answer(filed, desk.jurij).code == "protest_answer"
    assert desk.answer(question, desk.jurij, upheld=True).code == "protest_answer"
    rejected = desk.answer(filed, desk.jurij, upheld=False).json
    assert (rejected["state"], rejected["answer"]["upheld"]) == ("answered", False)
    desk.answer(rejected, desk.jurij, upheld=True)
    read = {each["question_id"]: each for each in desk.own()["questions"]}
    assert (read["red.1"]["answer"]["upheld"], read["red.1"]["unread"]) == (True, True)
    assert read["red.2"]["answer"] is None
    for query, names in (("?protest=true", {"red.1"}), ("?protest=false", {"red.2"}), ("", {"red.1", "red.2"})):
        listed = desk.stage.request("GET", f"/v1/answering{query}", None, desk.jurij).json["questions"]
        assert {question["question_id"] for question in listed} == names


def test_an_answer_corrected_at_the_announcements_is_corrected_there_again(desk: Desk) -> None:
    answered = desk.answer(desk.ask().json, desk.olga, to_all=True, title=TITLE).json
    name = answered["answer"]["announcement_id"]
    other = {"kind": "answer", "title": TITLE, "text": {"en": "Twice at most.", "ru": "Не более двух раз."}}
    assert desk.post(f"/v1/announcing/{name}/correction", other, desk.olga).status == 201
    (question,), (waits,) = desk.own()["questions"], desk.waiting()["questions"]
    assert question["answer"]["texts"] == waits["answer"]["texts"] == other["text"]
    assert question["answer"]["announcement_id"] != name
    assert desk.answer(answered, desk.olga, title=TITLE, text={"en": "Once.", "ru": "Один раз."}).status == 200
    assert desk.announced() == ["published Once.", "corrected Twice at most.", "corrected Yes, it may."]


def test_after_its_announcement_was_withdrawn_an_answer_stays_with_the_team(desk: Desk) -> None:
    answered = desk.answer(desk.ask().json, desk.olga, to_all=True, title=TITLE).json
    name = answered["answer"]["announcement_id"]
    assert [question["answer"]["withdrawn"] for question in desk.own()["questions"]] == [False]
    desk.post(f"/v1/announcing/{name}/withdrawal", {"reason": "It said too much."}, desk.olga)
    assert [question["answer"]["withdrawn"] for question in desk.own()["questions"]] == [True]
    again = desk.answer(answered, desk.olga, title=TITLE, text={"en": "For you alone."})
    assert (again.status, again.json["answer"]["announcement_id"]) == (200, None)
    assert desk.announced() == ["withdrawn Yes, it may."]
    assert desk.answer(again.json, desk.olga, to_all=True, title=TITLE).status == 200
    assert desk.announced() == ["published Yes, it may.", "withdrawn Yes, it may."]


TITLES = ("--title-en", "May it?", "--title-ru", "Можно ли?")


def asked_question(stage: Stage, token: str, text: str) -> str:
    stage.advance(3)
    question = stage.request(
        "POST", "/v1/questions", {"text": text, "language": "en", "about": {"rule": "R 7.6"}}, token
    )
    return str(question.json["question_id"])


def test_questions_by_command(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    token = stage.team("red")
    names = [asked_question(stage, token, text) for text in ("May it?", "And this?")]
    sit_down(monkeypatch, stage, stage.person(Role.JUDGE, "jurij"))
    table = run("questions", "list", "--state", "open").stdout
    assert "May it?" in table
    assert "R 7.6" in table
    assert "ждёт ответа" in run("--lang", "ru", "questions", "list").stdout
    assert run("questions", "take", names[0]).stdout == "red.1: open\n"
    assert run("questions", "answer", names[0]).exit_code == 2
    assert "both languages" not in run("questions", "answer", names[0], "--text-ru", "Да").stdout
    assert json.loads(run("questions", "show", names[0]).stdout)["answer"]["texts"] == {"ru": "Да"}
    printed = run("questions", "answer", names[0], "--all", "--text-en", "Yes", "--text-ru", "Да", *TITLES)
    assert printed.stdout == "red.1: answered\n"
    assert run("questions", "close", names[1], "--reason", "See the rules").stdout == "red.2: closed\n"
    assert "unknown" not in run("questions", "show", "red.9").stdout
    assert "no question red.9" in run("questions", "show", "red.9").stderr
    listed = json.loads(run("questions", "list", "--json").stdout)
    assert [each["state"] for each in listed] == ["closed", "answered"]
    assert json.loads(run("questions", "list", "--protests", "--json").stdout) == []
    assert json.loads(run("questions", "list", "--no-protests", "--json").stdout) == listed
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    assert run("questions", "broadcast", "--text-en", "Rain", "--text-ru", "Дождь", *TITLES).exit_code == 0
    announced = json.loads(run("announce", "list", "--kind", "answer", "--json").stdout)["announcements"]
    assert [each["text"]["en"] for each in announced] == ["Rain", "Yes"]


URL = "https://example.org/hurdle"


@pytest.mark.clause("D 6.12")
def test_everybody_adds_lists_and_removes_hooks_of_ones_own(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    token = stage.team("red")
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    assert "hook_address" in run("hooks", "add", "http://example.org/").output
    assert run("hooks", "add", URL).stdout.startswith("webhook ")
    (hook,) = json.loads(run("hooks", "list", "--json").stdout)
    assert (hook["url"], hook["failures"], hook["off_at"]) == (URL, 0, None)
    assert URL[:12] in run("hooks", "list").stdout
    stage.advance(3)
    assert stage.request("GET", "/v1/hooks", None, token).json == {"hooks": []}
    removal = f"/v1/hooks/{hook['hook_id']}/removal"
    assert stage.request("POST", removal, {}, token).code == "unknown_hook"
    assert stage.request("POST", "/v1/hooks", {"url": URL}, token).status == 201
    stage.advance(3)
    sit_down(monkeypatch, stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    (own,) = json.loads(run("hooks", "list", "--json").stdout)
    assert own["hook_id"] != hook["hook_id"]
    assert json.loads(run("hooks", "remove", own["hook_id"], "--json").stdout) == []
    sit_down(monkeypatch, stage, stage.person(Role.JUDGE, "jurij"))
    assert "HTTP 403" in run("hooks", "list").output or "forbidden" in run("hooks", "list").output


@pytest.mark.clause("D 6.12")
def test_organizers_test_a_hook_and_verify_its_body(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage.load(toy_cycle(final=3))
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER, "olga"))
    run("hooks", "add", URL)
    (hook,) = json.loads(run("hooks", "list", "--json").stdout)
    stage.advance(120)
    assert "hooks list" in run("hooks", "test", hook["hook_id"]).stdout
    poster = FakePoster()
    monkeypatch.setattr(stage.platform, "poster", poster)
    sending.collect(stage.platform)
    assert sending.send_deliveries(stage.platform) == 1
    (sent,) = json.loads(run("hooks", "list", "--json").stdout)
    (attempt,) = sent["attempts"]
    assert (attempt["kind"], attempt["number"], attempt["outcome"], attempt["status"]) == ("hello", 1, "taken", 204)
    assert "taken 204" in run("hooks", "list").stdout
    assert "принят" in run("--lang", "ru", "hooks", "list").stdout
    ((_, _, content),) = poster.posted
    body = tmp_path / "body.json"
    body.write_bytes(content)
    assert "signed this" in run("hooks", "verify", str(body)).stdout
    body.write_bytes(content.replace(b"This webhook works", b"This webhook worked"))
    assert run("hooks", "verify", str(body)).exit_code == 1
    body.write_text("[]", "utf-8")
    assert "no body of a webhook" in run("hooks", "verify", str(body)).output
    assert "unknown_hook" in run("hooks", "test", "nobodys").output


def test_a_member_shows_and_sets_the_choices_of_mails(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load(toy_cycle(final=3))
    stage.team("red")
    sit_down(monkeypatch, stage, stage.person(Role.PARTICIPANT, "anna", "red"))
    assert "sent" in run("mails", "show").stdout
    set_ = run("mails", "set", "--stop", "run", "--stop", "results", "--language", "ru", "--json").stdout
    assert json.loads(set_) == {"stopped": ["results", "run"], "language": "ru"}
    assert json.loads(run("mails", "set", "--resume", "run", "--json").stdout)["stopped"] == ["results"]
    assert "отключены" in run("--lang", "ru", "mails", "show").stdout
    assert run("mails", "set", "--stop", "run", "--resume", "run").exit_code == 2
