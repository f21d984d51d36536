"""Every sentence of the kit, in Russian and English, under one stable name each."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, Final

from markup_core.rounding import fixed, percent
from markup_core.texts import EN as EN
from markup_core.texts import LANGUAGES as LANGUAGES
from markup_core.texts import RU as RU
from markup_core.texts import Text, in_language
from pku.messages.commands import COMMANDS, CYCLE, PROOFS, SUBMISSIONS
from pku.texts import tr

ERRORS: Final[dict[str, Text]] = {
    "error.connection_failed": tr("The platform at {host} cannot be reached: {why}."),
    "reason.refused": tr("the connection is refused, nothing listens there"),
    "reason.unknown_host": tr("no host has this name, or this machine has no network"),
    "reason.certificate": tr("its certificate is not valid for this name"),
    "reason.no_https": tr("no HTTPS is spoken there; a local platform's address begins with http://"),
    "reason.timeout": tr("no connection came about in time"),
    "error.unknown_contest": tr(
        "This kit cannot play the contest {name}, it knows: {known}. Take the kit that the platform publishes."
    ),
    "error.try_essays_only": tr(
        "pku try scores essays alone; the contest {name} has a scorer of its own: tracks {name} --help."
    ),
    "error.not_an_archive": tr("{path} is no archive of a final."),
    "error.not_a_board": tr("{path} holds no leaderboard: name a final's archive, or a file of pku board --json."),
    "error.extra_needed": tr("The table cannot be written: {why}"),
    "error.timeout": tr("The platform at {host} did not answer in time."),
    "error.unexpected_response": tr("The address answers, but not as the contest's API ({what}). Check it: pku login."),
    "error.http_error": tr("The platform answered {what}."),
    "error.unauthenticated": tr("The request carries no token."),
    "error.forbidden": tr("The platform does not accept this token: it is unknown or revoked, or may not do this."),
    "error.answer_too_large": tr("The body is larger than the platform takes."),
    "error.rate_limited": tr("Too many requests in one second."),
    "error.busy": tr("The platform is busy."),
    "error.no_login": tr("No address or token is stored. Run: pku login"),
    "error.bad_login_file": tr("{path} cannot be read ({why}). Run pku login again."),
    "error.bad_url": tr("{url} is no address of an API; it looks like https://host or http://127.0.0.1:8000."),
    "error.no_set_named": tr("Say which set: pku data get NAME. The sets you may have: pku data list"),
    "error.data_folder_in_use": tr("{path} has other files. Name a new folder: pku data get NAME FOLDER"),
    "error.kit_folder_in_use": tr("{path} has files already. Name a new folder: pku new FOLDER"),
    "error.data_damaged": tr("Part {number} has another SHA-256 than the platform named. Run the command again."),
    "error.data_pack_damaged": tr("The file of the whole set is not what the platform named. Run the command again."),
    "error.address_over": tr(
        "The address of the file is over or belongs to something else. Run the command again: it asks for a new one."
    ),
    "error.data_bad_name": tr(
        "The platform names a file {name!r}, which would lead out of the folder. Nothing more was written."
    ),
    "error.data_write": tr(
        "{path} cannot be written ({why}). Make room and run the command again: what has come is kept."
    ),
    "error.session_in_use": tr("Another pku (process {pid}) is working on this session. Wait for it or stop it."),
    "error.journal_write": tr(
        "{path} cannot be written ({why}). Nothing was lost: make room and run the command again."
    ),
    "error.journal_damaged": tr(
        "{path} is damaged at byte {offset}. Move it away: files that are still open are fetched again."
    ),
    "error.bad_receipts": tr("{path} is no list of receipts: {why}"),
    "error.bad_record": tr("This is not the record of a run as it is published ({why})."),
    "error.bad_session_id": tr('"{session_id}" is no session\'s id. See: pku status'),
    "error.no_session": tr("There is no session yet. Open one: pku start --set train --files 10"),
    "error.no_open_session": tr("No session is open. Open one with pku start, or give run a --set."),
    "error.no_token_given": tr(
        "There is no token on standard input. Send it as one line: pku login URL --token-stdin < FILE"
    ),
    "error.no_solver": tr("Say what marks the essays up: exactly one of --solver, --entry-point and --folder."),
    "error.try_unreadable": tr("This cannot be tried on: {why}"),
    "error.try_no_experts": tr(
        "{folder} has no essay with experts' markups (ID.json beside ID_exp01.json). Get some: pku data get train"
    ),
    "error.try_no_such_essay": tr("There is no essay {essay} among those that were tried."),
    "error.try_no_answer": tr("There is no valid answer to {essay} to compare."),
    "error.try_late": tr("The answer took {seconds} s; {limit} s are allowed."),
    "error.another_session_open": tr(
        "You asked for {option}; the open session {session_id} has {found}. Go on with it: pku run; end it: pku abort."
    ),
    "error.solver_fails_on_sample": tr("No session was opened, for the solver fails on a sample. {error}"),
    "error.solver_keeps_failing": tr(
        "The solver failed alike on {count} files in a row; no more were asked for. Mend it, or --keep-going. {last}"
    ),
    "error.bad_command": tr(
        'The command needs {{input}} and {{output}}, as in "python marker.py {{input}} {{output}}"; it is: {command}'
    ),
    "error.bad_entry_point": tr(
        "The entry point {name} cannot be used ({why}). It looks like package.module:function."
    ),
    "error.solver_failed": tr("The solver ended with status {status}. What it printed last:"),
    "error.solver_timeout": tr("The solver was stopped after {seconds} s, because the time for this file was over."),
    "error.solver_no_time": tr("The time for this file is over before the solver could start."),
    "error.solver_no_output": tr("The solver ended without an error but wrote no {{output}} file."),
    "error.solver_not_started": tr("The solver cannot be started: {command}: {why}"),
    "error.solver_raised": tr("The solver raised {why}"),
    "error.folder_no_answer": tr("No answer came in time: {path}"),
    "error.answer_unreadable": tr("The answer cannot be read: {why}"),
    "error.unreadable": Text("{why}", "{why}"),
    "error.invalid_answer_here": tr("The markup has errors and was not sent:{faults}"),
    "error.time_is_over": tr("The time for this file was over at {answer_by}."),
    "error.answer_late": tr("The answer came too late; it is stored and does not count."),
    "error.answer_ignored": tr("The answer was one too many for this file and was ignored."),
    "error.file_voided": tr("The file is void ({cause})."),
    "error.bad_classifier": tr("The cycle's classifier cannot be read ({why}). Update pku."),
    "error.report_not_ready": tr(
        "The report is not ready: {scored} of {files:#file|files} scored. Ask again later: pku report"
    ),
    "error.no_timeline": tr("Session {session_id} followed no run and has no timeline. Leave --timeline out."),
    "error.not_written": tr("{path} cannot be written ({why})."),
    "error.hook_unreadable": tr("This is no body of a webhook ({why})."),
    "error.bad_keys": tr("The keys cannot be read ({why}). Fetch them anew: pku login"),
    "error.no_keys": tr("There are no saved keys at {path}. Fetch them: pku login"),
    "error.not_scored_yet": tr("This file is not scored yet. Ask again in some seconds."),
    "error.unknown_column": tr("There is no column {name} to sort by; there are: {known}"),
    "hint.unauthenticated": tr("Get a token from the organizers and run: pku login"),
    "hint.forbidden": tr("Check the token, or ask the organizers for one: pku login"),
    "hint.connection_failed": tr("Check the network and the address; then run the command again, it continues."),
    "hint.timeout": tr("Run the command again, it continues."),
    "hint.session_already_open": tr("Continue it with pku run, or end it with pku abort."),
    "hint.session_open": tr("Finish it with pku run, or end it with pku abort."),
    "hint.outside_stage": tr("Work on a training set meanwhile; pku cycle lists the sets."),
    "hint.quota_exhausted": tr("Come back when the day is over."),
    "hint.busy": tr("Run the command again, it continues."),
    "hint.internal": tr("Run the command again; if it stays so, send the organizers the request's id."),
}


CATALOGUE: Final[Mapping[str, Text]] = {**ERRORS, **COMMANDS, **CYCLE, **SUBMISSIONS, **PROOFS}
"""Sentences by name, with ``str.format`` fields."""


CODED: Final = frozenset({"state", "cause", "mode", "status", "kind", "became", "failure"})
"""Fields that hold a code of the platform, and the beginnings of the names of what the codes mean."""


def find(name: str, language: str) -> str | None:
    """Return the unformatted text of a name; None if there is none."""
    texts = CATALOGUE.get(name)
    return None if texts is None else in_language(texts, language)


def sentence(name: str, language: str, /, **values: Any) -> str:
    """Return the text of a name with its fields filled; KeyError for a name that is not in the catalogue.

    The platform's codes (``state``, ``cause``, ``mode``) are said in words, and numbers as the language writes them.
    """
    fields = {field: word(field, value, language) if field in CODED else value for field, value in values.items()}
    return _Sentence(language).format(in_language(CATALOGUE[name], language), **fields)


def word(kind: str, code: Any, language: str) -> str:
    """Return the meaning of a code of the platform; the code itself where a newer platform has an unknown one."""
    return find(f"{kind}.{code}", language) or str(code)


def number(value: float, digits: int, language: str) -> str:
    """Write a number with so many decimals, after a comma in Russian."""
    return _pointed(fixed(value, digits), language)


class _Sentence(Formatter):
    """``str.format`` with numbers as a language writes them, and ``{n:#file|files}`` for ``1 file`` and ``3 files``."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """See :class:`string.Formatter`."""
        if format_spec.startswith("#"):
            one, many = format_spec[1:].split("|")
            return f"{value} {one if value == 1 else many}"
        if format_spec.endswith("%"):  # a share, alone or with the limits on whose side it has to lie
            share, *limits = value if isinstance(value, tuple) else (value,)
            return _pointed(f"{percent(share, *limits, least=int(format_spec[1:-1]))}%", self._language)
        text: str = super().format_field(value, format_spec)
        return _pointed(text, self._language) if isinstance(value, float) else text


def _pointed(text: str, language: str) -> str:
    """Write a number's decimal point and per cent sign as the language does."""
    return text.replace(".", ",").replace("%", "\N{NO-BREAK SPACE}%") if language == RU else text
