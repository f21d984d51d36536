"""The entry point of the function for people's actions, and routes about the cycle, questions and mails.

Organizers change the cycle's parameters and tell everybody of it; they bring data sets, a zip in parts, and publish
them. Teams ask questions, organizers and judges answer. A person chooses mails, a link stops them; webhooks are a
team's or the organizers'. Routes about people are in :mod:`organize.people`.
"""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import errors, routes
from contest.cycle import importing, loading, parameters, publications
from contest.cycle import presenting as present_cycle
from contest.cycle.parameters import Wish
from contest.cycle.wire import cycle as wire
from contest.cycle.wire import sets
from contest.cycle.wire.cycle import PageBody
from contest.edge import web
from contest.edge.web import CREATED, caller
from contest.errors import (
    BadCursorError,
    BusyError,
    NoCycleError,
    UnknownRouteError,
    UnknownRunError,
    UnknownSessionError,
)
from contest.messages import asking, sending
from contest.messages import wire as messages
from contest.messages.errors import (
    AnswerNotPublicError,
    BothLanguagesError,
    HookAddressError,
    HookOffError,
    ItemNotOpenedError,
    ProtestAnswerError,
    ProtestSubjectError,
    QuestionChangedError,
    QuestionsExhaustedError,
    QuestionStateError,
    QuestionTakenError,
    TooManyHooksError,
    TooManyOpenQuestionsError,
    UnknownHookError,
    UnknownQuestionError,
    UnknownUnsubscriptionError,
)
from contest.messages.rules import QUESTION_ID, Question, QuestionState
from contest.messages.wire import HookBody, HookRequest, HooksBody, MailChoicesBody, MailChoicesRequest
from contest.people.cabinet import author
from contest.people.errors import NoTeamError
from contest.people.rules import INVITATION
from contest.results import downloading
from contest.routes import Function
from contest.values import from_iso, iso
from contest.wiring import platform
from organize.people import app, handles

VersionNumber = Annotated[int, Path(ge=1, le=999_999)]
PageName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

_ANNOUNCED = (errors.UnknownAnnouncementError, errors.AnnouncementStateError, BusyError)


@handles(routes.CYCLE_DESCRIPTION, "The running cycle as a cycle file", NoCycleError)
def cycle_description() -> wire.DescriptionBody:
    """Return the cycle's file with the parameters in force, and with the sets that are not open."""
    return wire.DescriptionBody(
        description=parameters.describe_running_cycle(platform()), server_time=iso(platform().clock.now())
    )


@handles(routes.SET_ITEMS, "Items of a set", NoCycleError, errors.UnknownSetError)
def set_items(set_name: str) -> wire.SetItemsBody:
    """List ids and hashes, so that a folder can be compared with the set; no contents."""
    return wire.SetItemsBody(set=set_name, items=parameters.items_of(platform(), set_name))


@handles(
    routes.RESULTS_MADE_STALE,
    "Count the results that loading a folder would make stale",
    NoCycleError,
    errors.InvalidParametersError,
)
def results_made_stale(head: wire.FolderHead) -> wire.StaleResultsBody:
    """Return `results_stale` of a load without storing, with the command that scores them again."""
    stale = loading.results_made_stale(platform(), head.cycle, head.tests)
    return wire.StaleResultsBody.from_value(warnings=stale)


@handles(routes.CHECK_CYCLE_FILE, "Check a cycle's file")
def check_cycle_file(file: sets.CycleFileRequest) -> sets.CycleFileBody:
    """Find all faults of a cycle's own file as an import does, in the same words; nothing is stored."""
    deployed = platform().settings.cycle
    value, faults = loading.check_head(platform(), deployed, file.name, file.text.encode())
    return present_cycle.checked_file(value, deployed, faults)


@handles(
    routes.CHANGE_PARAMETERS,
    "Change the parameters from a moment on (R 5.8)",
    NoCycleError,
    errors.InvalidParametersError,
    errors.NothingChangesError,
    errors.EffectiveTooSoonError,
    errors.ParametersPendingError,
    errors.RunUnderWayError,
    BusyError,
)
def change_parameters(request: wire.ParametersRequest) -> wire.PlannedParametersBody:
    """Store and announce the next version at once; `preview` shows it without storing. Open sessions and planned
    runs keep theirs."""
    wish = Wish(request.parameters, from_iso(request.effective_at), request.reason, stores=not request.preview)
    planned = parameters.change(platform(), author(caller(app)), wish)
    return wire.PlannedParametersBody.from_value(planned, stored=wish.stores)


@handles(
    routes.WITHDRAW_PARAMETERS,
    "Withdraw a version that is not yet in force",
    NoCycleError,
    errors.UnknownVersionError,
    errors.VersionInForceError,
    BusyError,
)
def withdraw_parameters(version: VersionNumber, request: wire.WithdrawalRequest) -> wire.VersionBody:
    """Mark its announcement as withdrawn."""
    withdrawn = parameters.withdraw(platform(), author(caller(app)), version, request.reason)
    return wire.VersionBody.from_value(withdrawn)


@handles(routes.ANNOUNCEMENT_DRAFTS, "Drafts of announcements")
def announcement_drafts() -> wire.DraftsOfAnnouncementsBody:
    """List drafts by people, and those that the platform makes of new sets and modules (R 4.7, 9.2)."""
    return wire.DraftsOfAnnouncementsBody.from_value(announcements=publications.announcement_drafts(platform()))


@handles(routes.ANNOUNCE, "Announce something (R 4.7, 5.8; D 6.12)", status=CREATED)
def announce(request: wire.AnnouncementRequest) -> wire.AnnouncementBody:
    """Publish a text in both languages, or keep it as a draft."""
    announcement = publications.announce(
        platform(), author(caller(app)), present_cycle.announcement_content(request), as_draft=request.as_draft
    )
    return wire.AnnouncementBody.from_value(announcement)


@handles(routes.PUBLISH_ANNOUNCEMENT, "Publish a draft", *_ANNOUNCED)
def publish_announcement(announcement_id: str, request: wire.PublishDraftRequest) -> wire.AnnouncementBody:
    """Publish it as it is, or with other words: for new sets and modules state the purpose (R 9.2)."""
    who = author(caller(app))
    published = publications.publish_draft(platform(), who, announcement_id, *present_cycle.draft_words(request))
    return wire.AnnouncementBody.from_value(published)


@handles(routes.CORRECT_ANNOUNCEMENT, "Correct a published announcement", *_ANNOUNCED, status=CREATED)
def correct_announcement(announcement_id: str, request: wire.AnnouncementRequest) -> wire.AnnouncementBody:
    """Publish the new one; the old one stays readable and names it."""
    who = author(caller(app))
    announcement = publications.correct_announcement(
        platform(), who, announcement_id, present_cycle.announcement_content(request)
    )
    return wire.AnnouncementBody.from_value(announcement)


@handles(routes.WITHDRAW_ANNOUNCEMENT, "Withdraw an announcement, or discard a draft", *_ANNOUNCED)
def withdraw_announcement(announcement_id: str, request: wire.WithdrawalRequest) -> wire.AnnouncementBody:
    """Mark a published one as withdrawn, with the reason; it stays readable."""
    announcement = publications.withdraw_announcement(platform(), author(caller(app)), announcement_id, request.reason)
    return wire.AnnouncementBody.from_value(announcement)


Part = Annotated[int, Path(ge=1, le=100_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
Confirmed = Annotated[bool, Query(description="Load what is `checked`")]
After = Annotated[int, Query(ge=0, le=1_000_000, description="Faults and warnings from this one on")]


@handles(routes.IMPORTS, "The latest imports")
def list_imports(limit: Limit = 20) -> sets.ImportsBody:
    """List them, the newest first, with their progress; faults have an address of their own."""
    return sets.ImportsBody.from_value(imports=importing.latest_imports(platform(), limit))


@handles(
    routes.BEGIN_IMPORT,
    "Create an import of a cycle or a set from a zip",
    errors.ImportTooLargeError,
    errors.WrongPartsError,
    status=CREATED,
)
def begin_import(request: sets.ImportRequest) -> sets.ImportBody:
    """Upload its parts next; the import lists the missing ones."""
    record = importing.announce_import(platform(), caller(app), request.order())
    return present_cycle.import_body(record, importing.missing_numbers(platform(), record))


@handles(
    routes.IMPORT_PART,
    "Get an upload URL for a part of a zip",
    errors.UnknownImportError,
    errors.ImportClosedError,
    errors.UnknownImportPartError,
)
def import_part(import_id: str, part: Part) -> sets.UploadPlaceBody:
    """Return an address of this host that takes the part by `PUT` for a few minutes, with exactly its bytes in
    `Content-Length`, without the token. After a 403 get another one. A part may be sent again."""
    return sets.UploadPlaceBody.from_value(importing.place_of_part(platform(), import_id, part), method="PUT")


@handles(
    routes.COMPLETE_IMPORT,
    "Check and load an uploaded zip",
    errors.UnknownImportError,
    errors.PartsMissingError,
    errors.LabelsUndecidedError,
    BusyError,
)
def complete_import(
    import_id: str, confirmed: Confirmed = False, decision: sets.ImportDecision | None = None
) -> sets.ImportBody:
    """Send a worker to load all or nothing; a repetition sends it again. Another tool's export is `checked` first."""
    decided = (decision or sets.ImportDecision()).decided()
    record = importing.queue_import(platform(), caller(app), import_id, is_confirmed=confirmed, decided=decided)
    return present_cycle.import_body(record, ())


@handles(routes.IMPORT, "Status of an import", errors.UnknownImportError)
def import_status(import_id: str, after: After = 0) -> sets.ImportBody:
    """Return its progress and, after its end, the faults of its files, in pages."""
    record = importing.of_id(platform(), import_id)
    outcome = importing.import_outcome(platform(), record)
    failed_at = importing.failed_at(platform(), record)
    return present_cycle.import_body(record, importing.missing_numbers(platform(), record), outcome, after, failed_at)


@handles(
    routes.PUBLISH_SET,
    "Publish a set to everybody, or undo that",
    errors.UnknownSetError,
    errors.SetDecidedError,
    errors.SetStillSecretError,
    BusyError,
)
def publish_set(name: str, request: sets.SetPublicationRequest) -> sets.SetPublicationBody:
    """Publish its present files with their references, and no later files of that name."""
    done = downloading.decide_publication(platform(), caller(app), name, request.reason, published=request.published)
    return sets.SetPublicationBody.from_value(done)


@handles(routes.PUBLISH_PAGE, "Publish a version of a page", BusyError, UnknownRouteError)
def publish_page(name: PageName, request: wire.PageRequest) -> PageBody:
    """Publish another version, or a new page with its title; the same texts make no version."""
    page = publications.publish_page(platform(), author(caller(app)), name, *request.words())
    return PageBody.from_value(page)


QuestionId = Annotated[str, Path(pattern=f"^{QUESTION_ID.pattern}$")]

_AT_DESK = (
    UnknownQuestionError,
    QuestionStateError,
    QuestionTakenError,
    QuestionChangedError,
)


@handles(
    routes.ASK,
    "Ask a question",
    NoTeamError,
    QuestionsExhaustedError,
    TooManyOpenQuestionsError,
    ItemNotOpenedError,
    ProtestSubjectError,
    UnknownSessionError,
    UnknownRunError,
    BusyError,
    status=CREATED,
)
def ask_question(request: messages.QuestionRequest) -> messages.TeamQuestionBody:
    """Ask for the own team. The same words about the same subject, sent again, return the waiting question."""
    question = asking.ask(platform(), caller(app), request.wish())
    return messages.TeamQuestionBody.from_value(question)


@handles(routes.OWN_QUESTIONS, "The own team's questions", NoTeamError)
def own_questions() -> messages.TeamQuestionsBody:
    """List them with their answers. Public answers are announcements, too."""
    questions = asking.as_announced(platform(), asking.of_team(platform(), caller(app)))
    bodies = [messages.TeamQuestionBody.from_value(question) for question in questions]
    return messages.TeamQuestionsBody(questions=bodies, unread=sum(body.unread for body in bodies))


@handles(
    routes.WITHDRAW_QUESTION,
    "Withdraw a question",
    NoTeamError,
    UnknownQuestionError,
    QuestionStateError,
    BusyError,
)
def withdraw_question(question_id: QuestionId) -> messages.TeamQuestionBody:
    """Withdraw one that waits."""
    return messages.TeamQuestionBody.from_value(asking.withdraw(platform(), caller(app), question_id))


@handles(
    routes.MARK_QUESTION_SEEN,
    "Mark an answer as read",
    NoTeamError,
    UnknownQuestionError,
    QuestionChangedError,
)
def mark_question_seen(question_id: QuestionId, request: messages.VersionRequest) -> messages.TeamQuestionBody:
    """Mark it for the whole team; a corrected answer is unread again."""
    question = asking.mark_seen(platform(), caller(app), question_id, request.version)
    return messages.TeamQuestionBody.from_value(question)


QuestionsLimit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
QuestionsAfter = Annotated[str, Query(max_length=50, description="`next` of the page before")]


@handles(routes.QUESTIONS, "Questions of all teams", BadCursorError)
def all_questions(
    state: QuestionState | None = None,
    protest: bool | None = None,
    limit: QuestionsLimit = 50,
    after: QuestionsAfter | None = None,
) -> messages.DeskQuestionsBody:
    """List those that wait first, the oldest on top, then the others, the latest on top."""
    page, waiting = asking.list_questions(platform(), state, protest, limit, after), asking.count_waiting(platform())
    return messages.DeskQuestionsBody.from_value(
        questions=[_at_desk(question) for question in page.items],
        waiting=waiting.count,
        oldest_at=waiting.oldest_at,
        next=page.after,
    )


@handles(routes.TAKE_QUESTION, "Take a question", *_AT_DESK)
def take_question(question_id: QuestionId, request: messages.VersionRequest) -> messages.DeskQuestionBody:
    """Reserve it for the caller: nobody else answers it for half an hour."""
    question = asking.take(platform(), author(caller(app)), question_id, request.version)
    return _at_desk(question)


@handles(
    routes.ANSWER_QUESTION,
    "Answer a question",
    *_AT_DESK,
    AnswerNotPublicError,
    BothLanguagesError,
    ProtestAnswerError,
)
def answer_question(question_id: QuestionId, request: messages.AnswerRequest) -> messages.DeskQuestionBody:
    """Answer the team; `to_all`: everybody, as an announcement without the team. Answer anew to correct it."""
    question = asking.answer(platform(), author(caller(app)), question_id, request.version, request.reply())
    return _at_desk(question)


@handles(routes.CLOSE_QUESTION, "Close a question without an answer", *_AT_DESK)
def close_question(question_id: QuestionId, request: messages.ClosureRequest) -> messages.DeskQuestionBody:
    """Give the team the reason instead."""
    question = asking.close(platform(), author(caller(app)), question_id, request.version, request.reason)
    return _at_desk(question)


def _at_desk(question: Question) -> messages.DeskQuestionBody:
    """Return the body of a question for answering staff."""
    now = platform().clock.now()
    may_tell_all = asking.may_tell_all(platform(), question.subject, now)
    (announced,) = asking.as_announced(platform(), [question])
    return messages.DeskQuestionBody.of(announced, now, may_tell_all=may_tell_all)


@handles(routes.MAIL_CHOICES, "The own choice of mails")
def mail_choices() -> MailChoicesBody:
    """Return the stopped kinds; the others go to the address in the team."""
    return MailChoicesBody.from_value(sending.own_choices(platform(), caller(app)))


@handles(routes.CHOOSE_MAILS, "Choose mails", BusyError)
def choose_mails(request: MailChoicesRequest) -> MailChoicesBody:
    """Stop kinds of mails, or allow them again, in one language or both."""
    choices = sending.choose_mails(platform(), caller(app), request.stopped, request.language)
    return MailChoicesBody.from_value(choices)


Token = Annotated[str, Query(pattern=f"^{INVITATION.pattern}$")]


@handles(routes.UNSUBSCRIBE, "Stop mails of a kind by the link in one", UnknownUnsubscriptionError)
def unsubscribe(token: Token) -> MailChoicesBody:
    """Accept the request of a mail program (RFC 8058); a repetition is harmless."""
    return MailChoicesBody.from_value(sending.unsubscribe(platform(), token))


HookId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


@handles(routes.HOOKS, "Own webhooks", NoTeamError)
def own_hooks() -> HooksBody:
    """List those of the own team, or the organizers'."""
    return HooksBody.from_value(hooks=sending.own_hooks(platform(), caller(app)))


@handles(routes.ADD_HOOK, "Add a webhook", NoTeamError, HookAddressError, TooManyHooksError, BusyError, status=CREATED)
def add_hook(request: HookRequest) -> HookBody:
    """Send it signed JSON on the subjects of mails, and a first request at once."""
    hook = sending.add_hook(platform(), caller(app), request.url)
    return HookBody.from_value(hook)


@handles(routes.TEST_HOOK, "Test a webhook", NoTeamError, UnknownHookError, HookOffError, BusyError)
def ask_hook_test(hook_id: HookId) -> HookBody:
    """Send it a request of the kind `hello` within two minutes, one a minute at most; the list has the outcome."""
    return HookBody.from_value(sending.ask_hook_test(platform(), caller(app), hook_id))


@handles(routes.REMOVE_HOOK, "Remove a webhook", NoTeamError, UnknownHookError)
def remove_hook(hook_id: HookId) -> HooksBody:
    """Remove it and return the others."""
    sending.remove_hook(platform(), caller(app), hook_id)
    return HooksBody.from_value(hooks=sending.own_hooks(platform(), caller(app)))


handler = web.make_handler(app, Function.ADMINISTRATION)
