"""The commands for questions to the organizers and judges, for their answers, and for webhooks."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from pku import config
from pku.command.commanding import App, command
from pku.errors import PkuError
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


def register_hooks(group: click.Group) -> None:
    """Add the commands of the team's webhooks to a group."""

    @command(group)
    @click.argument("action", type=click.Choice(["list", "add", "test", "remove", "verify"]))
    @click.argument("what", required=False)
    def hooks(app: App, action: str, what: str | None) -> None:
        """List the team's webhooks, add the address WHAT, test or remove the webhook WHAT, or verify a request's body.

        The body is read from the file WHAT, or from standard input, and checked with the keys that pku login has saved.
        """
        if action == "verify":
            _verify(app, what)
            return
        if what is None and action != "list":
            raise click.UsageError(catalogue.sentence("hooks.what", app.language))
        with app.exchange() as exchange:
            if action == "add":
                exchange.add_hook(str(what))
                app.print_sentence("hooks.added")
            if action == "test":
                exchange.test_hook(str(what))
                app.print_sentence("hooks.tested")
            listing = exchange.remove_hook(str(what)) if action == "remove" else exchange.hooks()
        for hook in listing["hooks"]:
            app.show_text(f"{hook['hook_id']}  {hook['url']}")
            for attempt in hook["attempts"][:1]:
                outcome = catalogue.word("sent", attempt["outcome"], app.language)
                result = outcome if attempt["status"] is None else f"{outcome}, HTTP {attempt['status']}"
                app.print_sentence("hooks.last", kind=attempt["kind"], at=attempt["at"][:16], outcome=result)
            if hook["off_at"] is not None:
                app.print_sentence("hooks.off", at=hook["off_at"][:16])
        if not listing["hooks"]:
            app.print_sentence("hooks.none")
        app.give(listing)


def _verify(app: App, path: str | None) -> None:
    """Print whether the platform signed a webhook's body; :class:`PkuError` ``hook_unreadable`` for other content."""
    from pku.checks.receipts import fault_of, read_keys

    try:
        body = sys.stdin.read() if path is None else Path(path).read_text("utf-8")
        content = json.loads(body)
        event = content["event"]
        fault = fault_of(event, content["signature"], read_keys(config.load_keys()))
        kind = "not_a_hook" if event["type"] != "hook" else fault
    except OSError as error:
        raise PkuError("hook_unreadable", why=error) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PkuError("hook_unreadable", why=f"{type(error).__name__}: {error}") from None
    app.print_sentence("hooks.good" if kind is None else "hooks.bad", fault=kind)
    app.give({"fault": kind, "event": event})
    if kind is not None:
        sys.exit(1)


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
        app.print_sentence("ask.answer_withdrawn" if question["answer"].get("withdrawn") else everybody, text=answer)
    if question["reason"]:
        app.print_sentence("ask.closed", reason=question["reason"])
