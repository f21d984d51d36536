"""Commands ``contest questions …``: teams' questions, answered to the team or to everybody."""

from __future__ import annotations

from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import code, complaint, end_with_json, show_json, table
from contest.cycle.commands.cycles import both, read_text, with_words
from contest.cycle.rules.notices import AnnouncementKind
from contest.people.commands import desk
from contest.questions.rules import LANGUAGES, QuestionState
from contest.routes import Route
from contest.texts import say
from tracks.command import spoken

_STATES: Final = click.Choice([state.value for state in QuestionState])
_PAGE: Final = "100"
_SHOWN: Final = 60
"""Code points of a question that a table shows."""


@spoken.group()
def questions() -> None:
    """Questions of the teams: list, take, answer, close."""


@questions.command("list")
@click.option("--state", type=_STATES, help="In this state alone.")
@click.option("--protests/--no-protests", "protest", default=None, help="Protests alone, or all but protests.")
@as_json
def listed(state: str | None, *, protest: bool | None, raw: bool) -> None:
    """List questions with their answers, those that wait first."""
    listing = _all(state, protest)
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
def show(question_id: str) -> None:
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
    question = next((listed for listed in _all() if listed["question_id"] == question_id), None)
    if question is None:
        raise complaint("there is no question {question_id}", question_id=question_id)
    return question


def _all(state: str | None = None, protest: bool | None = None) -> list[dict[str, Any]]:
    questions, after = list[dict[str, Any]](), None
    of_kind = None if protest is None else str(protest).lower()
    while True:
        page = desk().get(routes.QUESTIONS, {"state": state, "protest": of_kind, "limit": _PAGE, "after": after})
        questions += page["questions"]
        after = page["next"]
        if after is None:
            return questions
