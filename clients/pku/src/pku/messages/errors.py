"""Errors and hints: what is wrong, where, and what to do. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

ERRORS: Final[dict[str, tuple[str, str]]] = {
    "error.connection_failed": (
        "The platform at {host} cannot be reached: {why}.",
        "Не удаётся связаться с платформой {host}: {why}.",
    ),
    "reason.refused": (
        "the connection is refused, nothing listens there",
        "соединение отвергнуто, по этому адресу ничего не работает",
    ),
    "reason.unknown_host": (
        "no host has this name, or this machine has no network",
        "такого имени в сети нет, или у этой машины нет сети",
    ),
    "reason.certificate": (
        "its certificate is not valid for this name",
        "её сертификат недействителен для этого имени",
    ),
    "reason.no_https": (
        "no HTTPS is spoken there; a local platform's address begins with http://",
        "по этому адресу не отвечают по HTTPS; адрес локальной платформы начинается с http://",
    ),
    "reason.timeout": ("no connection came about in time", "соединение не установлено за отведённое время"),
    "error.unknown_contest": (
        "This kit cannot play the contest {name}, it knows: {known}. Take the kit that the platform publishes.",
        "Модуль не знает конкурса {name}, он знает: {known}. Возьмите модуль, опубликованный платформой.",
    ),
    "error.try_essays_only": (
        "pku try scores essays alone; the contest {name} has a scorer of its own: tracks {name} --help.",
        "pku try сравнивает с экспертами сочинения; у конкурса {name} своя программа оценивания: tracks {name} --help.",
    ),
    "error.not_an_archive": ("{path} is no archive of a final.", "{path} — не архив финала."),
    "error.timeout": ("The platform at {host} did not answer in time.", "Платформа {host} не ответила вовремя."),
    "error.unexpected_response": (
        "The address answers, but not as the contest's API ({what}). Check it: pku login.",
        "По этому адресу отвечает не API конкурса ({what}). Проверьте адрес: pku login.",
    ),
    "error.http_error": ("The platform answered {what}.", "Платформа ответила {what}."),
    "error.unauthenticated": ("The request carries no token.", "В запросе нет токена."),
    "error.forbidden": (
        "The platform does not accept this token: it is unknown or revoked, or may not do this.",
        "Платформа не принимает этот токен: он неизвестен, отозван или не даёт такого права.",
    ),
    "error.answer_too_large": (
        "The body is larger than the platform takes.",
        "Запрос больше, чем принимает платформа.",
    ),
    "error.rate_limited": ("Too many requests in one second.", "Слишком много запросов за одну секунду."),
    "error.busy": ("The platform is busy.", "Платформа занята."),
    "error.no_login": (
        "No address or token is stored. Run: pku login",
        "Адрес платформы или токен не сохранены. Выполните: pku login",
    ),
    "error.bad_login_file": (
        "{path} cannot be read ({why}). Run pku login again.",
        "Файл {path} не читается ({why}). Выполните pku login ещё раз.",
    ),
    "error.bad_url": (
        "{url} is no address of an API; it looks like https://host or http://127.0.0.1:8000.",
        "{url} — не адрес API; адрес выглядит так: https://host или http://127.0.0.1:8000.",
    ),
    "error.no_set_named": (
        "Say which set: pku data get NAME. The sets you may have: pku data list",
        "Назовите выборку: pku data get ИМЯ. Доступные выборки: pku data list",
    ),
    "error.data_folder_in_use": (
        "{path} has other files. Name a new folder: pku data get NAME FOLDER",
        "В папке {path} есть другие файлы. Назовите новую папку: pku data get ИМЯ ПАПКА",
    ),
    "error.data_damaged": (
        "Part {number} has another SHA-256 than the platform named. Run the command again.",
        "У части {number} другая сумма SHA-256, чем назвала платформа. Повторите команду.",
    ),
    "error.data_pack_damaged": (
        "The file of the whole set is not what the platform named. Run the command again.",
        "Файл целой выборки не тот, что назвала платформа. Повторите команду.",
    ),
    "error.address_over": (
        "The address of the file is over or belongs to something else. Run the command again: it asks for a new one.",
        "Адрес файла истёк или относится к другому. Повторите команду: она запросит новый.",
    ),
    "error.data_bad_name": (
        "The platform names a file {name!r}, which would lead out of the folder. Nothing more was written.",
        "Платформа называет файл {name!r}, который вывел бы за пределы папки. Дальше ничего не записано.",
    ),
    "error.data_write": (
        "{path} cannot be written ({why}). Make room and run the command again: what has come is kept.",
        "Папка {path} не записывается ({why}). Освободите место и повторите команду: полученное сохранено.",
    ),
    "error.session_in_use": (
        "Another pku (process {pid}) is working on this session. Wait for it or stop it.",
        "С этой сессией уже работает другой процесс pku ({pid}). Дождитесь его или остановите его.",
    ),
    "error.journal_write": (
        "{path} cannot be written ({why}). Nothing was lost: make room and run the command again.",
        "Файл {path} не записывается ({why}). Ничего не потеряно: освободите место и повторите команду.",
    ),
    "error.journal_damaged": (
        "{path} is damaged at byte {offset}. Move it away: files that are still open are fetched again.",
        "Файл {path} повреждён (байт {offset}). Уберите его: открытые файлы будут получены заново.",
    ),
    "error.bad_receipts": (
        "{path} is no list of receipts: {why}",
        "{path}: это не список квитанций: {why}",
    ),
    "error.bad_record": (
        "This is not the record of a run as it is published ({why}).",
        "Это не опубликованный протокол прогона ({why}).",
    ),
    "error.bad_session_id": (
        '"{session_id}" is no session\'s id. See: pku status',
        "«{session_id}» — не идентификатор сессии. См.: pku status",
    ),
    "error.no_session": (
        "There is no session yet. Open one: pku start --set train --files 10",
        "Сессий ещё нет. Откройте первую: pku start --set train --files 10",
    ),
    "error.no_open_session": (
        "No session is open. Open one with pku start, or give run a --set.",
        "Открытой сессии нет. Откройте её командой pku start или укажите --set для run.",
    ),
    "error.no_token_given": (
        "There is no token on standard input. Send it as one line: pku login URL --token-stdin < FILE",
        "На стандартном вводе нет токена. Передайте его одной строкой: pku login URL --token-stdin < ФАЙЛ",
    ),
    "error.no_solver": (
        "Say what marks the essays up: exactly one of --solver, --entry-point and --folder.",
        "Укажите программу, которая размечает эссе: ровно один из ключей --solver, --entry-point, --folder.",
    ),
    "error.try_unreadable": (
        "This cannot be tried on: {why}",
        "На этом нельзя проверить программу: {why}",
    ),
    "error.try_no_experts": (
        "{folder} has no essay with experts' markups (ID.json beside ID_exp01.json). Get some: pku data get train",
        "В папке {folder} нет эссе с разметками экспертов (ID.json и ID_exp01.json). Получить их: pku data get train",
    ),
    "error.try_no_such_essay": (
        "There is no essay {essay} among those that were tried.",
        "Среди проверенных нет эссе {essay}.",
    ),
    "error.try_no_answer": (
        "There is no valid answer to {essay} to compare.",
        "На эссе {essay} нет верно оформленного ответа, сравнивать нечего.",
    ),
    "error.try_late": (
        "The answer took {seconds} s; {limit} s are allowed.",
        "Ответ занял {seconds} с, разрешено {limit} с.",
    ),
    "error.another_session_open": (
        "You asked for {option}; the open session {session_id} has {found}. Go on with it: pku run; end it: pku abort.",
        "Указано {option}, а у открытой сессии {session_id} {found}. Продолжить её: pku run; прервать: pku abort.",
    ),
    "error.solver_fails_on_sample": (
        "No session was opened, for the solver fails on a sample. {error}",
        "Сессия не открыта: программа не справилась с образцом. {error}",
    ),
    "error.solver_keeps_failing": (
        "The solver failed alike on {count} files in a row; no more were asked for. Mend it, or --keep-going. {last}",
        "Программа не справилась с {count} файлами подряд, остальные не запрошены: исправьте или --keep-going. {last}",
    ),
    "error.bad_command": (
        'The command needs {{input}} and {{output}}, as in "python marker.py {{input}} {{output}}"; it is: {command}',
        "В команде нужны {{input}} и {{output}}, например «python marker.py {{input}} {{output}}»; указано: {command}",
    ),
    "error.bad_entry_point": (
        "The entry point {name} cannot be used ({why}). It looks like package.module:function.",
        "Точку входа {name} нельзя использовать ({why}). Она выглядит так: пакет.модуль:функция.",
    ),
    "error.solver_failed": (
        "The solver ended with status {status}. What it printed last:",
        "Программа завершилась с кодом {status}. Последнее, что она вывела:",
    ),
    "error.solver_timeout": (
        "The solver was stopped after {seconds} s, because the time for this file was over.",
        "Программа остановлена через {seconds} с: время на этот файл вышло.",
    ),
    "error.solver_no_time": (
        "The time for this file is over before the solver could start.",
        "Время на этот файл вышло прежде, чем запустилась программа.",
    ),
    "error.solver_no_output": (
        "The solver ended without an error but wrote no {{output}} file.",
        "Программа завершилась без ошибки, но не создала файл {{output}}.",
    ),
    "error.solver_not_started": (
        "The solver cannot be started: {command}: {why}",
        "Программа не запускается: {command}: {why}",
    ),
    "error.solver_raised": ("The solver raised {why}", "Функция вызвала исключение {why}"),
    "error.folder_no_answer": ("No answer came in time: {path}", "Ответ вовремя не появился: {path}"),
    "error.answer_unreadable": ("The answer cannot be read: {why}", "Ответ не читается: {why}"),
    "error.unreadable": ("{why}", "{why}"),
    "error.invalid_answer_here": (
        "The markup has errors and was not sent:{faults}",
        "В разметке ошибки, она не отправлена:{faults}",
    ),
    "error.time_is_over": (
        "The time for this file was over at {answer_by}.",
        "Время на этот файл вышло в {answer_by}.",
    ),
    "error.answer_late": (
        "The answer came too late; it is stored and does not count.",
        "Ответ пришёл слишком поздно; он сохранён и не учитывается.",
    ),
    "error.answer_ignored": (
        "The answer was one too many for this file and was ignored.",
        "Ответов на этот файл было слишком много, этот не принят.",
    ),
    "error.file_voided": ("The file is void ({cause}).", "Файл аннулирован ({cause})."),
    "error.bad_classifier": (
        "The cycle's classifier cannot be read ({why}). Update pku.",
        "Классификатор цикла не читается ({why}). Обновите pku.",
    ),
    "error.report_not_ready": (
        "The report is not ready: {scored} of {files:#file|files} scored. Ask again later: pku report",
        "Отчёт ещё не готов: оценено файлов {scored} из {files}. Повторите позже: pku report",
    ),
    "error.no_timeline": (
        "Session {session_id} followed no run and has no timeline. Leave --timeline out.",
        "Сессия {session_id} не относится к прогону, диаграммы у неё нет. Уберите --timeline.",
    ),
    "error.not_written": ("{path} cannot be written ({why}).", "Файл {path} не записывается ({why})."),
    "error.bad_keys": (
        "The keys cannot be read ({why}). Fetch them anew: pku login",
        "Ключи не читаются ({why}). Получите их заново: pku login",
    ),
    "error.no_keys": (
        "There are no saved keys at {path}. Fetch them: pku login",
        "Нет сохранённых ключей: {path}. Получите их: pku login",
    ),
    "error.not_scored_yet": (
        "This file is not scored yet. Ask again in some seconds.",
        "Этот файл ещё не оценён. Повторите через несколько секунд.",
    ),
    "error.unknown_column": (
        "There is no column {name} to sort by; there are: {known}",
        "Столбца {name} для сортировки нет; есть: {known}",
    ),
    "hint.unauthenticated": (
        "Get a token from the organizers and run: pku login",
        "Получите токен у организаторов и выполните: pku login",
    ),
    "hint.forbidden": (
        "Check the token, or ask the organizers for one: pku login",
        "Проверьте токен или запросите новый у организаторов: pku login",
    ),
    "hint.connection_failed": (
        "Check the network and the address; then run the command again, it continues.",
        "Проверьте сеть и адрес, затем повторите команду: работа продолжится.",
    ),
    "hint.timeout": ("Run the command again, it continues.", "Повторите команду: работа продолжится."),
    "hint.session_already_open": (
        "Continue it with pku run, or end it with pku abort.",
        "Продолжите её (pku run) или прервите (pku abort).",
    ),
    "hint.session_open": (
        "Finish it with pku run, or end it with pku abort.",
        "Завершите её (pku run) или прервите (pku abort).",
    ),
    "hint.outside_stage": (
        "Work on a training set meanwhile; pku cycle lists the sets.",
        "Пока работайте с обучающей выборкой: выборки перечисляет pku cycle.",
    ),
    "hint.quota_exhausted": ("Come back when the day is over.", "Возвращайтесь, когда сутки закончатся."),
    "hint.busy": ("Run the command again, it continues.", "Повторите команду: работа продолжится."),
    "hint.internal": (
        "Run the command again; if it stays so, send the organizers the request's id.",
        "Повторите команду; если не поможет, сообщите организаторам идентификатор запроса.",
    ),
}
