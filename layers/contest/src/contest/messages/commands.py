"""Commands ``contest questions …``, ``contest mails …`` and ``contest hooks …``.

Teams' questions are answered to the team or to everybody; everybody chooses the own mails. The webhooks are the
organizers', or those of a team, whose member signs in by ``contest login --participant``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, code, complaint, console, end_with_json, show_json, speak, table
from contest.cycle.commands.cycles import both, read_text, with_words
from contest.cycle.rules.notices import AnnouncementKind
from contest.messages.rules import LANGUAGES, MailKind, MailLanguage, QuestionState
from contest.people.commands import desk
from contest.routes import Route
from contest.texts import say
from contest.values import canonical
from tracks.command import spoken

_KINDS: Final = click.Choice([kind.value for kind in MailKind])
_LANGUAGES: Final = click.Choice([language.value for language in MailLanguage])


@spoken.group()
def mails() -> None:
    """Mails of a team's member: which kinds come, and in which language."""


@mails.command("show")
@as_json
def show_choices(*, raw: bool) -> None:
    """Show your own choices."""
    _print_choices(desk().get(routes.MAIL_CHOICES), raw=raw)


@mails.command("set")
@click.option("--stop", "stopped", multiple=True, type=_KINDS, help="Stop mails of this kind; may be repeated.")
@click.option("--resume", "resumed", multiple=True, type=_KINDS, help="Get mails of this kind again.")
@click.option("--language", type=_LANGUAGES, help="Language of the mails.")
@as_json
def choose(stopped: tuple[str, ...], resumed: tuple[str, ...], language: str | None, *, raw: bool) -> None:
    """Change your own choices; the others stay."""
    if clashing := sorted({*stopped} & {*resumed}):
        raise click.UsageError(say("both stopped and resumed: {kinds}", kinds=", ".join(clashing)))
    before = desk().get(routes.MAIL_CHOICES)
    chosen = {
        "stopped": sorted({*before["stopped"], *stopped} - {*resumed}),
        "language": language or before["language"],
    }
    _print_choices(desk().put(routes.CHOOSE_MAILS, chosen), raw=raw)


def _print_choices(choices: dict[str, Any], *, raw: bool) -> None:
    end_with_json(raw, choices)
    rows = table("mails about", "state")
    for kind in MailKind:
        rows.add_row(code(kind.value, "mail"), say("stopped") if kind in choices["stopped"] else say("sent"))
    console.print(rows)
    speak("language: {language}", language=code(choices["language"], "mail"))


@spoken.group()
def hooks() -> None:
    """Webhooks: addresses that get signed JSON about what you wait for."""


@hooks.command("list")
@as_json
def list_hooks(*, raw: bool) -> None:
    """List them with their last outcome; one whose requests all failed for a day is off. --json: with ten of them."""
    _print_hooks(desk().get(routes.HOOKS)["hooks"], raw=raw)


@hooks.command("add")
@click.argument("url")
def add_hook(url: str) -> None:
    """Add the address URL, which is https on port 443."""
    hook = desk().post(routes.ADD_HOOK, {"url": url})
    speak("webhook {hook} added; its first request comes within two minutes", hook=hook["hook_id"])


@hooks.command("test")
@click.argument("hook_id")
def test_hook(hook_id: str) -> None:
    """Send the webhook HOOK_ID a request of the kind hello; `list` shows the outcome."""
    desk().post(routes.TEST_HOOK, {}, hook_id=hook_id)
    speak("a test request comes within two minutes; its outcome: contest hooks list")


@hooks.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify_body(file: Path) -> None:
    """Check that the platform signed the body of a request, saved in FILE."""
    from contest.adapters.signatures import verifies

    keys = {key["key_id"]: key for key in desk().get(routes.KEYS)["keys"]}
    try:
        content = json.loads(file.read_text("utf-8"))
        event, signature = content["event"], base64.b64decode(content["signature"], validate=True)
        key, is_hook = keys.get(event["key_id"]), event["type"] == "hook"
    except (ValueError, KeyError, TypeError, RecursionError):
        raise complaint("This is no body of a webhook.") from None
    public = base64.b64decode(key["public_key"] if key else "")
    if not is_hook or not key or not verifies(key["algorithm"], public, signature, canonical(event)):
        speak("This is not what the platform signed.")
        sys.exit(1)
    speak("The platform signed this.")


@hooks.command("remove")
@click.argument("hook_id")
@as_json
def remove_hook(hook_id: str, *, raw: bool) -> None:
    """Remove the webhook HOOK_ID."""
    _print_hooks(desk().post(routes.REMOVE_HOOK, {}, hook_id=hook_id)["hooks"], raw=raw)


def _print_hooks(listing: list[dict[str, Any]], *, raw: bool) -> None:
    end_with_json(raw, listing)
    rows = table("webhook", "address", "created", "last outcome", "failures", "off since")
    for hook in listing:
        last = ""
        for attempt in hook["attempts"][:1]:
            last = " ".join((code(attempt["outcome"], "hook"), str(attempt["status"] or ""), attempt["at"][:16]))
        cells = (hook["hook_id"], hook["url"], hook["created_at"], last, str(hook["failures"]), hook["off_at"] or "")
        rows.add_row(*map(escape, cells))
    console.print(rows)


_STATES: Final = click.Choice([state.value for state in QuestionState])
_SHOWN: Final = 60
"""Code points of a question that a table shows."""


@spoken.group()
def questions() -> None:
    """Questions of the teams: list, take, answer, close."""


@questions.command("list")
@click.option("--state", type=_STATES, help="In this state alone.")
@click.option("--protests/--no-protests", "protest", default=None, help="Protests alone, or all but protests.")
@as_json
def list_questions(state: str | None, *, protest: bool | None, raw: bool) -> None:
    """List questions with their answers, those that wait first."""
    of_kind = None if protest is None else str(protest).lower()
    listing = list(desk().pages(routes.QUESTIONS, "questions", {"state": state, "protest": of_kind}))
    end_with_json(raw, listing)
    rows = table("question", "state", "protest", "asked", "about", "text", "answered by")
    for question in listing:
        state_word, by = code(question["state"], "question"), question["taken_by"] or question["answered_by"] or ""
        line = " ".join(question["text"].split())
        about, answered = question["about"], question["answer"] or {"upheld": None}
        place = f"{about['session_id']}/{about['number']}" if about["session_id"] else about["run_id"] or about["rule"]
        outcome = {None: say("protest"), True: say("upheld"), False: say("rejected")}[answered["upheld"]]
        cells = (
            question["question_id"],
            state_word,
            outcome if question["protest"] else "",
            question["asked_at"],
            str(place or ""),
            line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…",
            by,
        )
        rows.add_row(*map(escape, cells))
    console.print(rows)


@questions.command("show")
@click.argument("question_id")
def show_question(question_id: str) -> None:
    """Print the question QUESTION_ID as JSON."""
    show_json(_one(question_id))


@questions.command("take")
@click.argument("question_id")
def take(question_id: str) -> None:
    """Take QUESTION_ID, so that nobody else answers it for half an hour."""
    _decide(routes.TAKE_QUESTION, question_id, {})


@questions.command("answer")
@click.argument("question_id")
@with_words(required=False)
@click.option("--upheld/--rejected", default=None, help="Whether a protest is upheld.")
@click.option("--all", "to_all", is_flag=True, help="Tell everybody, with the question as the title.")
def answer(question_id: str, *, to_all: bool, upheld: bool | None, **words: str | None) -> None:
    """Answer QUESTION_ID in one language or both, or answer it anew."""
    text, title = (
        {language: read_text(option) for language in LANGUAGES if (option := words[f"{part}_{language}"]) is not None}
        for part in ("text", "title")
    )
    if not text:
        raise click.UsageError(say("an answer needs --text-en or --text-ru"))
    _decide(routes.ANSWER_QUESTION, question_id, {"text": text, "title": title, "to_all": to_all, "upheld": upheld})


@questions.command("close")
@click.argument("question_id")
@click.option("--reason", required=True, help="Why; it is told to the team.")
def close(question_id: str, *, reason: str) -> None:
    """Close QUESTION_ID without an answer."""
    _decide(routes.CLOSE_QUESTION, question_id, {"reason": reason})


@questions.command("broadcast")
@with_words(required=True)
def broadcast(**words: str) -> None:
    """Tell everybody something that nobody has asked; it is an announcement of the kind answer."""
    content = {"kind": AnnouncementKind.ANSWER.value, "title": both("title", words), "text": both("text", words)}
    announcement = desk().post(routes.ANNOUNCE, content)
    click.echo(f"{announcement['announcement_id']}: {code(announcement['state'])}")


def _decide(route: Route, question_id: str, content: dict[str, Any]) -> None:
    version = _one(question_id)["version"]
    question = desk().post(route, {"version": version, **content}, question_id=question_id)
    click.echo(f"{question_id}: {code(question['state'])}")


def _one(question_id: str) -> dict[str, Any]:
    for question in desk().pages(routes.QUESTIONS, "questions"):
        if question["question_id"] == question_id:
            return dict(question)
    raise complaint("there is no question {question_id}", question_id=question_id)
