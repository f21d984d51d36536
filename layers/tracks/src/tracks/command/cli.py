"""The command ``tracks``: ``batch`` for programs, a command of each track for people (tracks.md §5).

Exit codes: 0 done and nothing to object to; 1 done, and something was found (the command's help says what); 2 could
not be done (usage, an input that cannot be read or scored); 130 interrupted; 141 the reader of the output went away.

A track's command is ``tracks.NAME.commands.NAME``, loaded when it is called. It returns its exit code (None is 0) and
raises :class:`markup_core.command.folder.UnreadableError` or :class:`markup_core.command.complaints.RefusedError` for
what cannot be done.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import click

from markup_core import speaking
from markup_core.command.complaints import RefusedError
from markup_core.command.folder import UnreadableError
from tracks._version import __version__
from tracks.command import spoken
from tracks.command.batch import TRACKS, serve

_SCORES: Final = {
    "c2c": "C2C, CodeBLEU, от 0 до 100.",
    "htr": "HTR, доля верно прочитанных строк, от 0 до 1.",
    "zsod": "zsOD, F1, от 0 до 1.",
    "vqa": "VQA, доля верных ответов, от 0 до 1.",
}

HELP_RU: Final[Mapping[str, str]] = MappingProxyType(
    {
        "": "Проверка и оценивание ответов программ в разных конкурсах: на входе файлы, на выходе таблицы или JSON.",
        "*.version": "Показать версию и выйти.",
        "*.lang": "Язык; по умолчанию язык системы.",
        "*.as_json": "Вывести результат в JSON, для программ.",
        "*.language": "Язык; по умолчанию язык системы.",
        "batch": "Отвечать на запросы, по объекту JSON в строке, из стандартного ввода в стандартный вывод.",
        "diagnosis": "Диагностика шести заболеваний лёгких: проверка ответов, подсчёт сессий, места команд.",
        "diagnosis board": 'Распределить по местам команды из FILE ({"teams": [...]} или сам список); для полуфинала '
        "ещё и назвать прошедших в финал.",
        "diagnosis epicrisis": "Исследования эпикризов (XML), их стоимость и коды МКБ-10; код завершения 1, если файл "
        "небезопасно читать.",
        "diagnosis epicrisis.table": 'Таблица организатора: {код: {"doctor": единицы, "nurse": единицы}}.',
        "diagnosis partial-barrier": 'Места за частичное преодоление барьера по FILE: {"passed": {команда: {нозология: '
        "Sk или значения критерия}}}.",
        "diagnosis rotation": "Кто с кем работает в каждом из ROUNDS раундов; с командами, специалистами и числом "
        "жребия — ещё и жребий имён.",
        "diagnosis rotation.teams": "Финалист, для жребия; от двух до четырёх.",
        "diagnosis rotation.clinicians": "Клинический специалист, для жребия; восемь.",
        "diagnosis rotation.seed": "Число, задающее жребий.",
        "diagnosis session": "Подсчитать эпикризы из FILES все вместе: матрицы, Se, Sp, нижние границы, Sk, барьер. "
        'Файл — {"epicrises": [...]} или сам список. Финал — это файл полуфинала и файл первого этапа.',
        "diagnosis session.z": "Квантиль одностороннего интервала.",
        "diagnosis validate": "Показать все нарушения в ответах, по одному в файле; код завершения 1, если они есть.",
        "exam": "Школьный экзамен: проверка заданий, выбор запросов, оценивание ответов.",
        "exam check": "Показать все нарушения в ITEMS; код завершения 1, если они есть.",
        "*.split": "Какая часть файла, если их несколько.",
        "exam prompts": "Записать ITEMS, выбрав каждому заданию запрос его типа по числу seed. Задания типов без "
        "запросов сохраняют свои.",
        "exam prompts.seed": "Любое целое число; при том же числе выбор тот же.",
        "exam prompts.source": "Файл с запросами; по умолчанию те, что поставляются с программой.",
        "exam prompts.output": "Куда записать; JSON Lines, если имя оканчивается на .jsonl.",
        "exam score": "Оценить ответы ANSWERS по заданиям ITEMS с верными ответами. Код завершения 1: на часть заданий "
        "ответа нет, за них 0 баллов.",
        "fusion": "Многозадачный конкурс: проверка архивов, четыре подзадачи, сумма, призы и места.",
        "fusion archive": "Показать все нарушения в архиве FILE с программой или распаковать его. Код завершения 1: "
        "это не посылка, ничего не распаковано.",
        "fusion archive.target": "Распаковать верный архив в эту папку; её ещё не должно быть.",
        "fusion archive.params": "Параметры цикла; по умолчанию действуют пределы конкурса.",
        "fusion board": "Места по сумме и по каждой подзадаче. RESULTS — список JSON из объектов с team, c2c (от 0 до "
        "100), htr, zsod и vqa; результат может быть null.",
        "fusion integral": "Сумма S четырёх результатов. Код завершения 1: S или один из четырёх меньше наименьшего.",
        "fusion integral.params": "Параметры цикла: наименьшие значения и Smin.",
        "fusion prize": "Приз в рублях за многозадачную модель с такими результатами на месте PLACE. Код завершения 1: "
        "приза нет.",
        "fusion prize.prizes": "Объект JSON: smin, full, а также alpha, fix, max для каждого места по порядку.",
        **{f"fusion {name}.{score}": text for name in ("integral", "prize") for score, text in _SCORES.items()},
        "fusion score": "Оценить папку PREDICTION по папке TRUE (prediction_C2C.json, true_C2C.json …). Подзадачи, "
        "которых нет в TRUE, пропускаются. Код завершения 1: файла предсказаний нет (за него 0), для части записей нет "
        "предсказания или есть лишние.",
        "fusion score.c2c": "Засчитывать поддерево не чаще, чем оно предсказано.",
        "fusion score.zsod": "Считать одним промахом класс без единой рамки.",
        "fusion score.vqa": "Сравнивать смысл ответов, а не их написание.",
        "fusion score.params": "Параметры цикла: наименьшие значения; ключи выше важнее его режимов.",
        "gec": "Исправление грамматических ошибок: сравнение файлов M2, концентрированные датасеты, согласованность.",
        "gec agreement": "Измерить согласованность аннотаторов, в целом и по типам. RATINGS — JSON: "
        '{"items": [[метка или null, ...], ...], "categories": [метка, ...], "base": [метка или null, ...], '
        '"types": [тип, ...]}: на каждый элемент список меток, исходная метка и тип; последние три можно не указывать.',
        "gec blocks": "Показать наименьшие блоки предложений каждого элемента GOLD, которые можно оценивать отдельно.",
        "gec check": "Прочесть файлы M2 и назвать каждое нарушение с его строкой. Код завершения 1: нарушения есть.",
        "gec compare": "Сравнить файлы M2 систем с файлами аннотаторов: исправление, обнаружение, по операциям, по "
        "типам. Файлы указывают по порядку, эталон первым, или ключами -ref и -hyp.",
        "gec compare.references": "Файл M2 аннотаторов, как у errant_compare.",
        "gec compare.system_file": "Файл M2 системы, как у errant_compare.",
        "gec compare.mode": "unit (по умолчанию): лучший аннотатор каждого блока; errant (по умолчанию с -hyp и -ref): "
        "по накопленным суммам, как выбирает errant_compare.",
        "*.beta": "Бета в мере F.",
        "gec compare.left_out": "Не учитывать правки этих типов, например R:SPELL.",
        "gec compare.tier": "Только эта разбивка: 1 — по операциям, 2 — по типам, 3 — по обоим; по умолчанию 1 и 2.",
        "gec compare.verbose": "Показать и каждый блок, и каждую правку: по какому аннотатору, TP, FP, FN.",
        "gec compare.listed": 'JSON, {"blocks": [[0, 1], [2]]}: какие предложения считать одним блоком.',
        "gec concentrated": "Измерить системы на контекстно зависимых ошибках GOLD и показать, что в нём есть. GOLD — "
        "датасет в JSON; ответ — M2, по блоку на элемент, предложения элемента подряд.",
    }
)


_UNUSABLE: Final = 2
_INTERRUPTED: Final = 130
_NO_READER: Final = 141


class _Group(spoken.SpokenGroup):
    """Mounts the tracks' commands without loading those that are not called."""

    group_class = spoken.SpokenGroup
    russian = HELP_RU

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *TRACKS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in TRACKS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(import_module(f"tracks.{cmd_name}.commands"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # What is still buffered would fail once more at exit, with a message.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _NO_READER
        return code


@click.group(cls=_Group)
@click.version_option(__version__, prog_name="tracks", message="%(prog)s %(version)s")
@spoken.choice
def group() -> None:
    """Check and score what the contests' programs answer: files in, tables or JSON out."""


@group.command()
def batch() -> None:
    """Answer requests, one JSON object per line, from standard input to standard output."""
    serve(sys.stdin.buffer, sys.stdout.buffer)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    with speaking.speaking(speaking.asked_for(words, speaking.of_environment())):
        return _run(words)


def _run(arguments: list[str]) -> int:
    try:
        code = group.main(arguments, prog_name="tracks", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _UNUSABLE
    except click.Abort:
        return _INTERRUPTED
    except (UnreadableError, RefusedError) as error:
        click.echo(f"tracks: {error}", err=True)
        return _UNUSABLE
    return code or 0
