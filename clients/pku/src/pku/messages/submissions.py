"""What is said about submissions. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

SUBMISSIONS: Final[dict[str, tuple[str, str]]] = {
    "submit.measuring": ("reading the file", "чтение файла"),
    "submit.bringing": ("uploading", "загрузка"),
    "submit.announced": (
        "Submission {submission_id}: handed in, {size} bytes. Receipt: {path}",
        "Посылка {submission_id}: отправлена, {size} байт. Квитанция: {path}",
    ),
    "submit.bad_receipt": (
        "The receipt is not signed by a key that pku login has saved ({fault}): keep it, and tell the organizers.",
        "Квитанция подписана не тем ключом, что сохранил pku login ({fault}): сохраните её и сообщите организаторам.",
    ),
    "submit.state": ("{at} UTC, state: {became}", "{at} UTC, состояние: {became}"),
    "submit.refused": ("It was refused:", "Посылка не принята:"),
    "submit.failed": ("It has failed: {failure}.", "Посылка не оценена: {failure}."),
    "submit.failed_platform": (
        "This costs no attempt; the organizers can have it run again.",
        "Попытка не израсходована; организаторы могут запустить программу заново.",
    ),
    "submit.logs": (
        "What it has written: pku submissions {submission_id} --logs",
        "Вывод программы: pku submissions {submission_id} --logs",
    ),
    "submit.interrupted": (
        "Stopped. Nothing is lost: the same command goes on, and what was handed in is scored without it.",
        "Остановлено. Ничего не потеряно: та же команда продолжит, а отправленное оценят и без неё.",
    ),
    "submit.left": (
        "Left today: {scored} scored, {unscored} not scored; again at {at}.",
        "Осталось на сегодня: оценённых — {scored}, неоценённых — {unscored}; снова в {at}.",
    ),
    "submit.later": (
        "It is scored without this machine: pku submissions {submission_id}",
        "Оценка идёт без этой машины: pku submissions {submission_id}",
    ),
    "submissions.title": ("Submissions", "Посылки"),
    "submissions.none": ("There are no submissions. pku submit FILE", "Посылок нет. pku submit ФАЙЛ"),
    "submissions.missing": ("Without an answer: {items}", "Без ответа: {items}"),
    "submissions.run": (
        "Run on {machine}: {seconds} s, exit code {code}.",
        "Запуск: {machine}, {seconds} с, код завершения {code}.",
    ),
    "submissions.not_enforced": ("Not enforced there: {text}", "Не обеспечено: {text}"),
    "submissions.stream": ("── {stream}, {size} bytes kept ──", "── {stream}, сохранено байт: {size} ──"),
    "column.submission": ("submission", "посылка"),
    "column.kind": ("kind", "вид"),
    "column.created": ("begun, UTC", "начата, UTC"),
    "column.value": ("value", "значение"),
    "kind.answers": ("answers", "ответы"),
    "kind.program": ("program", "программа"),
    "became.uploading": ("being uploaded", "загружается"),
    "became.checking": ("being checked", "проверяется"),
    "became.refused": ("refused", "не принята"),
    "became.queued": ("waiting for a machine", "ждёт машины"),
    "became.running": ("running", "выполняется"),
    "became.scoring": ("being scored", "оценивается"),
    "became.scored": ("scored", "оценена"),
    "became.failed": ("failed", "не оценена"),
    "failure.image": ("its image cannot be had, or is too large", "образ недоступен или слишком велик"),
    "failure.exit_code": ("the program ended with an error", "программа завершилась с ошибкой"),
    "failure.timeout": ("the program took too long", "программа не уложилась во время"),
    "failure.out_of_memory": ("the program took too much memory", "программе не хватило памяти"),
    "failure.no_output": ("the program wrote nothing into output/", "программа ничего не записала в output/"),
    "failure.bad_output": (
        "output/ holds a link, a folder, or a file that is too large",
        "в output/ есть ссылка, папка или слишком большой файл",
    ),
    "failure.platform": ("a fault of the platform", "сбой платформы"),
    "error.submission_unreadable": ("{path} cannot be read: {why}.", "Файл {path} не читается: {why}."),
    "error.submission_empty": ("{path} is empty.", "Файл {path} пуст."),
    "error.submission_too_large_here": (
        "{path} takes {size} bytes, at most {most} are taken.",
        "{path} занимает {size} байт, принимается не больше {most}.",
    ),
    "error.submission_changed": (
        "{path} was changed while it was uploaded. Run the command again: it becomes another submission.",
        "Файл {path} изменился во время загрузки. Повторите команду: это будет другая посылка.",
    ),
    "error.submission_parts_lost": (
        "The platform still misses parts of submission {submission_id}. Run the command again.",
        "Платформе всё ещё не хватает частей посылки {submission_id}. Повторите команду.",
    ),
    "error.no_submissions": (
        "This contest takes no whole submissions: pku run works through a session.",
        "В этом конкурсе посылки не принимаются: файлы сессии обрабатывает pku run.",
    ),
    "error.doctor_no_programs": (
        "No programs are submitted to this contest: pku doctor --solver tries one that answers file by file.",
        "В этом конкурсе программы не присылают: pku doctor --solver проверит ту, что отвечает по одному файлу.",
    ),
    "error.doctor_programs_alone": (
        "This contest takes whole programs, not answers file by file: pku doctor --archive FILE.",
        "Этот конкурс принимает программы целиком, а не ответы по файлам: pku doctor --archive ФАЙЛ.",
    ),
    "error.submission_kind": (
        "This contest takes {taken}, not {wanted}: say --kind.",
        "Этот конкурс принимает {taken}, а не {wanted}: укажите --kind.",
    ),
    "error.submissions_only": (
        "Programs of the contest {name} are submitted whole: pku submit FILE.",
        "Программы конкурса {name} отправляются целиком: pku submit ФАЙЛ.",
    ),
    "error.archive_refused": (
        "{path} would be refused, so nothing was sent; everything that is wrong with it stands above.",
        "{path} не приняли бы, поэтому ничего не отправлено; всё, что с ним не так, перечислено выше.",
    ),
    "error.give_up_alone": (
        "--give-up takes the ID of the upload, and no other option: pku submissions ID --give-up",
        "--give-up принимает ID загрузки и никаких других параметров: pku submissions ID --give-up",
    ),
    "error.no_submission": ("Your team has no submissions.", "У вашей команды нет посылок."),
    "hint.submission_under_way": (
        "The upload is kept: the same command goes on when the other one has ended.",
        "Загруженное сохранено: когда с другой посылкой закончат, та же команда продолжит.",
    ),
    "hint.submissions_exhausted": (
        "The upload is kept for a day: the same command goes on then.",
        "Загруженное хранится сутки: тогда та же команда продолжит.",
    ),
}
