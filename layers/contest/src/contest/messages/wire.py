"""Bodies of questions and answers, of mails' choices and of webhooks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from contest.cycle.rules.cycle import GREATEST_NUMBER
from contest.messages.rules import (
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    LONGEST_RULE,
    LONGEST_URL,
    MailKind,
    MailLanguage,
    Outcome,
    Question,
    QuestionState,
    Reply,
    Subject,
    SubjectKind,
    Wish,
)
from contest.values import Millis
from contest.wire import (
    EMPTY_IS_NULL,
    SORTED,
    DecisionReason,
    Moment,
    NotBlank,
    ReplyBody,
    RequestBody,
    RunId,
    SessionId,
    attribute,
)


class MailChoicesRequest(RequestBody):
    """Stopped kinds of mails, and the language of the others."""

    stopped: list[Annotated[MailKind, Field(strict=False)]] = Field(max_length=len(MailKind))
    language: Annotated[MailLanguage, Field(strict=False)]


class MailChoicesBody(ReplyBody):
    """Stopped kinds of mails, and the language of the others."""

    stopped: Annotated[list[MailKind], SORTED]
    language: MailLanguage


class HookRequest(RequestBody):
    """An address to be called."""

    url: Annotated[str, Field(max_length=LONGEST_URL, examples=["https://example.org/hurdle"])]


class HookAttemptBody(ReplyBody):
    """A delivery attempt; `status`: of the host's answer, `next_at`: earliest moment of the next attempt."""

    at: Moment
    event: str
    kind: str
    number: int
    outcome: Outcome
    status: int | None
    next_at: Moment | None


class HookBody(ReplyBody):
    """A webhook with its last attempts, the latest first; `off_at`: switched off since then, as every one failed."""

    hook_id: str
    url: str
    created_at: Moment
    failures: int
    off_at: Moment | None
    tested_at: Moment | None
    attempts: list[HookAttemptBody]


class HooksBody(ReplyBody):
    """The caller's webhooks, the earliest first."""

    hooks: list[HookBody]


Language = Literal["en", "ru"]
Version = Annotated[int, Field(ge=1, le=1_000_000)]


class ItemAbout(RequestBody):
    """An opened file of a session of the own team."""

    session_id: SessionId
    number: int = Field(ge=1, le=GREATEST_NUMBER)


class RunAbout(RequestBody):
    """A run."""

    run_id: RunId


class RuleAbout(RequestBody):
    """A rule, as `R 7.6`."""

    rule: Annotated[str, NotBlank] = Field(min_length=1, max_length=LONGEST_RULE)


class QuestionRequest(RequestBody):
    """A question; without `about` it is about anything."""

    text: Annotated[str, NotBlank] = Field(min_length=1, max_length=LONGEST_QUESTION)
    language: Language
    about: ItemAbout | RunAbout | RuleAbout | None = None
    protest: bool = Field(False, description="Whether it is a protest, which needs `about`")

    def wish(self) -> Wish:
        """Convert the request into a question to ask."""
        subject = Subject() if self.about is None else Subject(**self.about.model_dump())
        return Wish(self.text, self.language, subject, self.protest)


class VersionRequest(RequestBody):
    """The version of the question that the caller has read."""

    version: Version


class AnswerRequest(VersionRequest):
    """An answer, to the team in one language or both; to everybody in both, with the question as `title`."""

    text: dict[Language, Annotated[str, Field(min_length=1, max_length=LONGEST_ANSWER), NotBlank]] = Field(min_length=1)
    title: dict[Language, Annotated[str, Field(min_length=1, max_length=200), NotBlank]] = Field(default={})
    to_all: bool = False
    upheld: bool | None = Field(None, description="Whether a protest is upheld")

    def reply(self) -> Reply:
        """Convert the request into an answer to give."""
        return Reply(dict(self.text.items()), dict(self.title.items()), self.to_all, self.upheld)


class ClosureRequest(VersionRequest):
    """Give the reason for closing a question without an answer."""

    reason: DecisionReason


class AboutBody(ReplyBody):
    """Subject of a question."""

    kind: SubjectKind
    session_id: Annotated[str | None, EMPTY_IS_NULL]
    number: Annotated[int | None, EMPTY_IS_NULL]
    run_id: Annotated[str | None, EMPTY_IS_NULL]
    rule: Annotated[str | None, EMPTY_IS_NULL]


class AnswerBody(ReplyBody):
    """An answer, in the languages that it has."""

    texts: dict[Language, str]
    at: Moment
    announcement_id: str | None = Field(description="The announcement, if everybody has the answer")
    upheld: bool | None
    withdrawn: bool = attribute("is_withdrawn", description="Whether the announcement is withdrawn")


class TeamQuestionBody(ReplyBody):
    """A question of the own team."""

    question_id: str
    state: QuestionState
    language: Language
    text: str
    protest: bool = attribute("is_protest")
    about: AboutBody = attribute("subject")
    asked_at: Moment
    answer: AnswerBody | None
    reason: str = Field(description="Why it was closed")
    unread: bool = attribute("is_unread", description="Whether the team has yet to mark the outcome as read")
    version: int


class TeamQuestionsBody(ReplyBody):
    """The own team's questions, the latest first."""

    questions: list[TeamQuestionBody]
    unread: int


class DeskQuestionBody(TeamQuestionBody):
    """A question as answering staff see it."""

    team_id: str
    asked_by: str
    taken_by: Annotated[str | None, EMPTY_IS_NULL] = Field(description="The only person who may answer it now")
    answered_by: str | None
    may_tell_all: bool = Field(description="Whether its subject is open to all participants")

    @classmethod
    def of(cls, question: Question, now: Millis, *, may_tell_all: bool) -> DeskQuestionBody:
        """Return the body of a question at a moment."""
        answered_by = None if question.answer is None else question.answer.by
        more = {"taken_by": question.holder(now), "answered_by": answered_by, "may_tell_all": may_tell_all}
        return cls.from_value(question, **more)


class DeskQuestionsBody(ReplyBody):
    """Questions: first the waiting ones, the oldest on top."""

    questions: list[DeskQuestionBody]
    waiting: int = Field(description="Number of all teams' questions that wait for an answer")
    oldest_at: Moment | None = Field(description="When the oldest of these was asked")
    next: str | None = Field(description="`after` of the next page; null at the end")
