"""The commands for questions to the organizers and judges, and for their answers."""

from __future__ import annotations

from typing import Any

import click

from pku.command.commanding import App, command
from pku.messages import catalogue


def register(group: click.Group) -> None:
    """Add the commands to a group."""

    @command(group)
    @click.argument("text")
    @click.option("--item", nargs=2, type=(str, click.IntRange(1)), help="About this SESSION_ID and file number.")
    @click.option("--run", "run_id", help="About this run.")
    @click.option("--rule", help="About this rule, as R 7.6.")
    @click.option("--protest", is_flag=True, help="A protest: it names what it is about, and is upheld or rejected.")
    def ask(
        app: App, text: str, item: tuple[str, int] | None, run_id: str | None, rule: str | None, *, protest: bool
    ) -> None:
        """Ask the organizers and judges TEXT, or protest; nobody but they and your team reads it."""
        subjects = [
            {"session_id": item[0], "number": item[1]} if item else None,
            {"run_id": run_id} if run_id else None,
            {"rule": rule} if rule else None,
        ]
        named = [subject for subject in subjects if subject is not None]
        if len(named) > 1:
            raise click.UsageError(catalogue.sentence("ask.one_subject", app.language))
        with app.exchange() as exchange:
            question = exchange.ask(text, app.language, next(iter(named), None), protest=protest)
        app.print_sentence("ask.done", question=question["question_id"])
        app.give(question)

    @command(group)
    @click.option("--withdraw", metavar="QUESTION", help="Withdraw this question, which waits.")
    def questions(app: App, withdraw: str | None) -> None:
        """List the team's questions with their answers, and mark these as read."""
        with app.exchange() as exchange:
            if withdraw is not None:
                question = exchange.withdraw_question(withdraw)
                _show(app, question)
                app.give(question)
                return
            listing = exchange.questions()
            for question in listing["questions"]:
                _show(app, question)
            if not listing["questions"]:
                app.print_sentence("ask.none")
            app.give(listing)
            for question in listing["questions"]:
                if question["unread"]:
                    exchange.mark_question_seen(question["question_id"], question["version"])


def _show(app: App, question: Any) -> None:
    """Print a question, and its answer in the person's language if it has that, else in the other."""
    state = catalogue.word("asked", question["state"], app.language)
    name, at = question["question_id"], question["asked_at"][:16]
    app.print_sentence("ask.question", question=name, at=at, standing=state, text=question["text"])
    if question["answer"] is not None:
        texts = question["answer"]["texts"]
        answer = texts.get(app.language) or next(iter(texts.values()))
        if question["answer"].get("upheld") is not None:
            app.print_sentence("ask.upheld" if question["answer"]["upheld"] else "ask.rejected", question=name)
        everybody = "ask.answer_to_all" if question["answer"]["announcement_id"] else "ask.answer"
        app.print_sentence(everybody, text=answer)
    if question["reason"]:
        app.print_sentence("ask.closed", reason=question["reason"])
