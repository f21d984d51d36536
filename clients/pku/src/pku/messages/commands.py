"""Messages of the commands when nothing is wrong. Name → (English, Russian)."""

from __future__ import annotations

from typing import Final

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "login.url": ("Address of the platform", "Адрес платформы"),
    "login.token": ("Token", "Токен"),
    "login.done": ("Logged in to {cycle}. Settings: {path}", "Вход выполнен: {cycle}. Настройки: {path}"),
    "start.done": (
        "Session {session_id}: {files:#file|files} of the {set} set. Next: pku run",
        "Сессия {session_id}: файлов {files}, выборка {set}. Дальше: pku run",
    ),
    "start.scheduled": (
        "Session {session_id} ({mode}): {files:#file|files} from {starts_at}, every {interval_s:g} s. Next: pku run",
        "Сессия {session_id} ({mode}): файлов {files}, с {starts_at}, каждые {interval_s:g} с. Дальше: pku run",
    ),
    "start.waiting": (
        "No run to join yet; looking again in {seconds} s. Ctrl-C stops waiting.",
        "Прогона пока нет; следующая проверка через {seconds} с. Ctrl-C прекращает ожидание.",
    ),
    "start.capped": (
        "Asked for: {requested:#file|files}; available: {files}.",
        "Запрошено файлов {requested}, есть {files}.",
    ),
    "run.resumed": (
        "Continuing session {session_id} ({mode}, {set} set)",
        "Продолжение сессии {session_id} ({mode}, выборка {set})",
    ),
    "run.trying": ("trying the solver on a sample", "проба программы на образце"),
    "run.progress": ("files", "файлы"),
    "run.opens": ("file {number} opens at {at} UTC", "файл {number} откроется в {at} UTC"),
    "run.paused": ("the run is paused", "прогон приостановлен"),
    "run.pause": (
        "The organizers have paused the run: {reason}. No file opens until they resume it.",
        "Организаторы приостановили прогон: {reason}. До возобновления файлы не открываются.",
    ),
    "run.pause_unexplained": (
        "The organizers have paused the run. No file opens until they resume it.",
        "Организаторы приостановили прогон. До возобновления файлы не открываются.",
    ),
    "run.pause_over": ("The run goes on.", "Прогон возобновлён."),
    "run.done": (
        "{accepted} of {files:#file|files} answered in time, {late} late, {failed} without an answer.",
        "Вовремя отвечено файлов: {accepted} из {files}, с опозданием {late}, без ответа {failed}.",
    ),
    "run.failure": ("file {number}: {text}", "файл {number}: {text}"),
    "run.interrupted": (
        "Stopped. Nothing is lost: the same command continues while the files' time lasts.",
        "Остановлено. Ничего не потеряно: та же команда продолжит, пока не вышло время файлов.",
    ),
    "run.empty": (
        "None of the {count} answers has a fragment: is that meant?",
        "Ни в одном из ответов ({count}) нет ни одного фрагмента: так и задумано?",
    ),
    "run.open": (
        "Session {session_id} is still open: the same command goes on with it, pku abort ends it.",
        "Сессия {session_id} ещё открыта: та же команда её продолжит, pku abort — прервёт.",
    ),
    "run.open_until": (
        "Session {session_id} is still open: until {until} UTC the same command tries files without an answer again.",
        "Сессия {session_id} ещё открыта: до {until} UTC та же команда повторит попытку с файлами без ответа.",
    ),
    "try.failure": ("essay {essay}: {text}", "эссе {essay}: {text}"),
    "try.answered": (
        "Validly answered: {answered} of {files:#essay|essays} ({share:.0%}).",
        "Верно оформленные ответы: {answered} из {files} эссе ({share:.0%}).",
    ),
    "try.longest": (
        "The longest took {seconds} s of {limit} s.",
        "Самый долгий занял {seconds} с из {limit} с.",
    ),
    "try.accuracies": ("Accuracy, %", "Точность, %"),
    "try.all": ("all", "все"),
    "try.codes": ("Fragments by code", "Фрагменты по кодам"),
    "try.more_codes": ("… {count} more codes: --json", "… ещё кодов: {count}, все — с ключом --json"),
    "try.ready": (
        "That is enough for a final, which needs {needed:.0%} of at least {least} files of a training or test set.",
        "Для финала достаточно: нужно {needed:.0%} не менее чем из {least} файлов обучающей или тестовой выборки.",
    ),
    "try.not_ready": (
        "That is too few for a final, which needs {needed:.0%} of at least {least} files of a training or test set.",
        "Для финала этого мало: нужно {needed:.0%} не менее чем из {least} файлов обучающей или тестовой выборки.",
    ),
    "try.no_cycle": (
        "Scored with the usual parameters. After pku login the cycle's are taken, and what a final needs is told.",
        "Оценено с обычными параметрами. После pku login применяются параметры цикла и показываются требования финала.",
    ),
    "stopped": ("Stopped.", "Остановлено."),
    "trouble.on": (
        "{why} So it has been since {since} UTC; trying again until {until} UTC.",
        "{why} Так с {since} UTC; попытки продолжаются до {until} UTC.",
    ),
    "trouble.over": ("The platform answers again.", "Платформа снова отвечает."),
    "trouble.files": (
        "Files in hand: {count}; the first must be answered by {due} UTC.",
        "Файлов на руках: {count}; на первый нужно ответить до {due} UTC.",
    ),
    "trouble.no_files": ("No file is in hand.", "Файлов на руках нет."),
    "trouble.waiting": ("Waiting for an answer of {host} …", "Ожидание ответа от {host} …"),
    "run.next": ("The report: pku report {session_id}", "Отчёт: pku report {session_id}"),
    "abort.question": (
        "End session {session_id}? It will not count.",
        "Прервать сессию {session_id}? Она не будет засчитана.",
    ),
    "abort.question_final": (
        "End session {session_id} of the FINAL? Your team's participation ends with it and cannot be resumed.",
        "Прервать сессию {session_id} ФИНАЛА? Участие команды на этом закончится, возобновить его нельзя.",
    ),
    "abort.done": ("Session {session_id} is {state}.", "Сессия {session_id}: {state}."),
    "abort.kept": ("Nothing was ended.", "Ничего не прервано."),
    "data.name": ("set", "выборка"),
    "data.kind": ("kind", "вид"),
    "data.items": ("items", "заданий"),
    "data.markups": ("experts' markups", "разметок экспертов"),
    "data.parts": ("parts", "части"),
    "data.done": (
        "{set}: {files:#file|files} in {folder}; {sums} has the SHA-256 of each.",
        "{set}: файлов {files}, папка {folder}; SHA-256 каждого — в {sums}.",
    ),
    "data.same": (
        "{set}: {files:#file|files} in {folder}, all there and unchanged ({sums}).",
        "{set}: файлов {files}, папка {folder}, все на месте и не изменились ({sums}).",
    ),
    "report.waiting": ("scoring", "оценивание"),
    "report.title": (
        "Session {session_id}: {set} set, {answered} of {files:#file|files} answered",
        "Сессия {session_id}: выборка {set}, отвечено файлов {answered} из {files}",
    ),
    "report.ready": (
        "Ready for a final: {share:.0%} of the files validly answered.",
        "Программа готова к финалу: на {share:.0%} файлов даны верно оформленные ответы.",
    ),
    "report.not_ready": ("Not ready for a final:", "Программа не готова к финалу:"),
    "report.delay_ms": (
        "From opening to hand-out: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s",
        "От открытия до выдачи: в среднем {mean} с, p50 {p50} с, p95 {p95} с, наибольшее {max} с",
    ),
    "report.trial": (
        "This was a trial run: nothing of it counts.",
        "Это пробный прогон: его результаты не учитываются.",
    ),
    "report.unpublished": (
        "No scores yet: the organizers publish the results of a final when the experts' work is done.",
        "Оценок пока нет: результаты финала публикуют организаторы, когда эксперты закончат работу.",
    ),
    "report.voided_file": ("file {number} is void: {cause}", "файл {number} аннулирован: {cause}"),
    "report.solution_voided": (
        "{voided_share:.1%} of the files were missed, more than the {allowed_share:.0%} allowed: the solution is void.",
        "Пропущено файлов: {voided_share:.1%}, допустимо {allowed_share:.0%}: всё решение аннулировано.",
    ),
    "report.solution_stands": (
        "{voided_share:.1%} of the files were missed; {allowed_share:.0%} are allowed.",
        "Пропущено файлов: {voided_share:.1%}, допустимо {allowed_share:.0%}.",
    ),
    "state.open": ("open", "открыта"),
    "state.finished": ("finished", "завершена"),
    "state.timed_out": ("timed out", "закрыта по времени"),
    "state.aborted": ("aborted", "прервана"),
    "state.stopped": ("stopped by the organizers", "остановлена организаторами"),
    "file.waiting": ("waiting", "не выдан"),
    "file.open": ("open", "открыт"),
    "file.answered": ("answered", "отвечен"),
    "file.voided": ("void", "аннулирован"),
    "status.accepted": ("accepted", "принят"),
    "status.late": ("late", "опоздал"),
    "status.ignored": ("ignored", "не засчитан"),
    "status.repeat": ("repeated", "повтор"),
    "kind.training": ("training", "обучающая"),
    "kind.test": ("test", "тестовая"),
    "kind.final": ("final", "финальная"),
    "kind.reserve": ("reserve", "резервная"),
    "mode.algorithmic": ("algorithmic", "алгоритмическая"),
    "mode.technical": ("technical", "техническая"),
    "mode.final": ("final", "финал"),
    "cause.team_late": ("the program was late or did not ask", "программа опоздала или не обратилась"),
    "cause.team_invalid": ("only invalid answers came", "приходили только неверно оформленные ответы"),
    "cause.network": ("the connection was lost", "пропала связь"),
    "cause.platform": ("a fault of the platform", "сбой платформы"),
    "cause.organizer_decision": ("the organizers' decision", "решение организаторов"),
    "report.processing_ms": (
        "Processing time: mean {mean} s, p50 {p50} s, p95 {p95} s, longest {max} s",
        "Время обработки: среднее {mean} с, p50 {p50} с, p95 {p95} с, наибольшее {max} с",
    ),
    "report.chart": ("Accuracy by metric, %", "Точность по метрикам, %"),
    "report.algorithm": ("program", "программа"),
    "report.experts": ("experts", "эксперты"),
    "report.more": ("… {count} more files: --all", "… ещё файлов: {count}, см. --all"),
    "compare.title": ("File {number}, expert {expert}", "Файл {number}, эксперт {expert}"),
    "compare.own": ("own fragment", "свой фрагмент"),
    "compare.expert": ("expert's fragment", "фрагмент эксперта"),
    "compare.metric": ("metric", "метрика"),
    "compare.value": ("%", "%"),
    "compare.pair_accuracy": ("pair accuracy", "парная точность"),
    "receipts.good": ("signature is good", "подпись верна"),
    "receipts.unknown_key": ("unknown key", "неизвестный ключ"),
    "receipts.bad_signature": ("BAD SIGNATURE", "ПОДПИСЬ НЕВЕРНА"),
    "receipts.bad_times": ("DECIDED BEFORE RECEIVED", "РЕШЕНО РАНЬШЕ ПОЛУЧЕНИЯ"),
    "receipts.summary": ("{good} of {count} signatures are good", "Верных подписей: {good} из {count}"),
    "board.title": ("Leaderboard of the qualification: {board}", "Лидерборд квалификации: {board}"),
    "board.title_final": ("Leaderboard of the final: {board}", "Лидерборд финала: {board}"),
    "board.all": ("all languages", "все языки"),
    "board.empty": (
        "Nobody is on the board yet. It takes answers to 95 % of the test set, and experts' markups to score them by.",
        "На лидерборде пока никого. Нужны ответы на 95 % тестовой выборки и разметки экспертов, чтобы их оценить.",
    ),
    "board.empty_whole": (
        "Nobody is on the board yet. It takes a session over the whole test set.",
        "На лидерборде пока никого. Нужна сессия на всей тестовой выборке.",
    ),
    "board.not_published": ("The results have not been published yet.", "Результаты ещё не опубликованы."),
    "board.empty_final": ("Nobody has a place on this board.", "На этом лидерборде нет ни одной команды."),
    "board.overcame": ("overcome", "преодолён"),
    "board.flagged": ("⚠ with missed files as zero {value}", "⚠ с пропусками как нулями {value}"),
    "doctor.measuring": ("measuring", "измерение"),
    "doctor.clock": (
        "Clock: the platform is {by_ms} ms ahead (± {uncertainty_ms} ms); the kit reckons with it.",
        "Часы: платформа впереди на {by_ms} мс (± {uncertainty_ms} мс); модуль это учитывает.",
    ),
    "doctor.clock_fast": (
        "Clock: the platform is {by_ms} ms behind (± {uncertainty_ms} ms); the kit reckons with it.",
        "Часы: платформа отстаёт на {by_ms} мс (± {uncertainty_ms} мс); модуль это учитывает.",
    ),
    "doctor.latency": (
        "Answers take {p50_ms} ms (p99 {p99_ms}, longest {max_ms}): {margin_s} s of a request's {limit_s} s left.",
        "Ответы за {p50_ms} мс (p99 {p99_ms}, самый долгий {max_ms}): на запрос остаётся {margin_s} с из {limit_s} с.",
    ),
    "doctor.solver": (
        "The solver needs {longest_s} s at most on the samples; {margin_s} s of {limit_s} s are left for an answer.",
        "Программа тратит на образцы не более {longest_s} с: на ответ остаётся {margin_s} с из {limit_s} с.",
    ),
    "doctor.solver_failed": ("The solver fails on {file}: {error}", "Программа не справилась с {file}: {error}"),
    "doctor.archive": (
        "The archive would be taken: {entry_point} in {image}",
        "Архив был бы принят: {entry_point} в образе {image}",
    ),
    "doctor.archive_fault": ("The archive would be refused: {message}", "Архив не был бы принят: {message}"),
    "doctor.archive_remark": ("Of the archive: {message}", "Об архиве: {message}"),
    "doctor.running": ("seconds of the program", "секунд работает программа"),
    "doctor.program": (
        "The program needed {seconds} s of {limit_s} s on the sample, on this machine; its image was not tried.",
        "Программа обработала образцы за {seconds} с из {limit_s} с на этой машине; её образ не проверялся.",
    ),
    "doctor.program_not_started": (
        "The program cannot be started: {entry_point} ({why})",
        "Программа не запускается: {entry_point} ({why})",
    ),
    "doctor.program_failed": (
        "The program ended with code {code} after {seconds} s: {said}",
        "Программа завершилась с кодом {code} через {seconds} с: {said}",
    ),
    "doctor.program_timeout": (
        "The program was not done within {limit_s} s: {said}",
        "Программа не уложилась в {limit_s} с: {said}",
    ),
    "doctor.output": ("{item}: an answer of {bytes} bytes", "{item}: ответ, байтов: {bytes}"),
    "doctor.output_missing": (
        "{item}: there is no {file}; that scores nothing.",
        "{item}: нет файла {file}; баллов за это не будет.",
    ),
    "doctor.output_invalid": ("{item}: no valid answer: {message}", "{item}: ответ неверной формы: {message}"),
    "doctor.journals": ("Journals: {path}, {free_mib} MiB free", "Журналы: {path}, свободно {free_mib} МиБ"),
    "doctor.journals_unwritable": (
        "Journals cannot be written to {path} ({why}).",
        "Журналы не записываются в {path} ({why}).",
    ),
    "doctor.run": (
        "Next run: {mode} {run_id} at {starts_at}, a file every {interval_s:g} s; join until {join_until}",
        "Ближайший прогон: {mode} {run_id} в {starts_at}, файл каждые {interval_s:g} с; вход до {join_until}",
    ),
    "doctor.kit": ("The kit is the published one, {here}.", "Модуль совпадает с опубликованным, версия {here}."),
    "doctor.kit_unpublished": (
        "The kit is {here}; the platform publishes none.",
        "Версия модуля {here}; на платформе модуль не опубликован.",
    ),
    "doctor.kit_other": (
        "The kit here is {here}, the published one {version} since {since}. To install: {command}",
        "Здесь модуль версии {here}, опубликован {version} с {since}. Установить: {command}",
    ),
    "doctor.kit_changed": (
        "This kit {here} differs from the published one, and nobody may change it (R 4.3, 11.4). To install: {command}",
        "Этот модуль {here} отличается от опубликованного, а изменять его нельзя (R 4.3, 11.4). Установить: {command}",
    ),
    "doctor.kit_unsigned": (
        "The platform's list of the kit is not signed with its key; do not install from it, ask the organizers.",
        "Список файлов модуля не подписан ключом платформы; не устанавливайте по нему, обратитесь к организаторам.",
    ),
    "doctor.no_run": ("No run is announced.", "Прогонов не объявлено."),
    "doctor.end_good": ("Ready.", "Готово к прогону."),
    "doctor.end_warning": ("Ready, but look at what is marked with !", "Готово, но обратите внимание на отмеченное !"),
    "doctor.end_fault": (
        "Not ready: what is marked with ✗ would cost files.",
        "Не готово: отмеченное ✗ приведёт к потере файлов.",
    ),
    "archive.missing_file": ("The file {name} is missing.", "Нет файла {name}."),
    "archive.unlisted_file": (
        "The file {name} is not in the manifest, or there twice.",
        "Файла {name} нет в манифесте, или он встречается дважды.",
    ),
    "archive.another_content": (
        "The file {name} is not what the manifest says.",
        "Файл {name} не тот, что в манифесте.",
    ),
    "archive.missing_markup": (
        "The markup of file {file} by {team} is missing.",
        "Нет разметки файла {file} команды {team}.",
    ),
    "archive.missing_answer": (
        "The answer to file {file} by {team} is missing.",
        "Нет ответа команды {team} на файл {file}.",
    ),
    "archive.another_fate": (
        "The record says something else of {team}'s file no. {number}.",
        "В протоколе у файла № {number} команды {team} другая судьба.",
    ),
    "archive.missing_team": (
        "{team} has a result and stands on no place of a board.",
        "У {team} есть результат, но в лидерборде её нет.",
    ),
    "archive.unknown_team": (
        "The board names {team}, of whom nothing is in the archive.",
        "В лидерборде есть {team}, но в архиве о ней ничего нет.",
    ),
    "archive.another_number": (
        "The board has another {number} of {team} than comes out: {found}.",
        "В лидерборде у {team} другое значение {number}, пересчёт даёт: {found}.",
    ),
    "archive.annulled_solution": (
        "{team} missed {share} of its files and has a place all the same.",
        "{team} пропустила {share} файлов, но занимает место.",
    ),
    "archive.looked_at": (
        "Looked at {files:#file|files}, scored {markups:#markup|markups}, recomputed {teams:#team|teams}.",
        "Проверено файлов: {files}, оценено разметок: {markups}, пересчитано команд: {teams}.",
    ),
    "archive.looked_at_answers": (
        "Looked at {files:#file|files}, found {markups:#answer|answers}, made the places of {teams:#team|teams} anew.",
        "Проверено файлов: {files}, найдено ответов: {markups}, места выведены заново для команд: {teams}.",
    ),
    "archive.sound_answers": (
        "The archive is sound: fates are the record's, results make the places. Scores need the closed right answers.",
        "Архив верен: судьба файлов как в протоколе, места следуют из результатов. Для оценок нужны закрытые ответы.",
    ),
    "archive.looked_at_runs": (
        "Looked at {files:#file|files}, found {markups:#run|runs}, made the places of {teams:#team|teams} anew.",
        "Проверено файлов: {files}, найдено запусков: {markups}, места выведены заново для команд: {teams}.",
    ),
    "archive.sound_runs": (
        "The archive is sound: the runs' results make the boards. Scores need the closed right answers.",
        "Архив верен: лидерборды следуют из результатов запусков. Для оценок нужны закрытые ответы.",
    ),
    "archive.sound": (
        "The archive is sound: its markups make its board.",
        "Архив верен: разметки дают тот же лидерборд.",
    ),
    "archive.unsound": ("The archive is NOT sound.", "Архив НЕ верен."),
    "column.subject": ("subject", "предмет"),
    "column.essays": ("essays", "эссе"),
    "column.algorithm": ("program", "программа"),
    "column.experts": ("experts", "эксперты"),
    "column.code": ("code", "код"),
    "column.of_experts": ("experts'", "у экспертов"),
    "column.found": ("found", "найдено"),
    "column.named": ("same code", "с тем же кодом"),
    "column.own": ("own", "своих"),
    "column.stray": ("no expert has", "нет у экспертов"),
    "column.place": ("place", "место"),
    "column.team": ("team", "команда"),
    "column.files": ("files", "файлы"),
    "column.relative": ("OTAR, %", "ОТАР, %"),
    "compare.score": ("file {number}: the score", "файл {number}: оценка"),
    "column.interval": ("95 % interval", "95 %-й интервал"),
    "column.barrier": ("barrier", "барьер"),
    "column.session": ("session", "сессия"),
    "column.set": ("set", "выборка"),
    "column.language": ("language", "язык"),
    "column.state": ("state", "состояние"),
    "column.opened": ("opened", "открыта"),
    "column.answered": ("answered", "отвечено"),
    "column.number": ("no.", "№"),
    "table.empty": (
        "no rows; groups of fewer than ten texts of a hidden set are not shown",
        "строк нет; группы, в которых меньше десяти текстов закрытого набора, не показываются",
    ),
    "column.file": ("file", "файл"),
    "column.send": ("send", "отправка"),
    "column.received": ("received", "получено"),
    "column.signature": ("signature", "подпись"),
    "column.answer_by": ("answer by", "ответить до"),
    "column.cause": ("cause", "причина"),
}


_TIMES: Final = (
    "{files} files, one every {interval_s} s; {request_s} s to ask for a file, {answer_s} s to answer it, "
    "{total_s} s in all; joining until {join_s} s after the start"
)
_TIMES_RU: Final = (
    "файлов: {files}, каждые {interval_s} с; {request_s} с на запрос файла, {answer_s} с на ответ, "
    "{total_s} с всего; присоединиться можно до {join_s} с после старта"
)
CYCLE: Final = {
    "cycle.language": ("language", "язык"),
    "cycle.document": ("knowledge base", "база знаний"),
    "cycle.stage": ("stage", "этап"),
    "cycle.set": ("set", "выборка"),
    "cycle.version": ("version of the parameters", "версия параметров"),
    "cycle.nomination": ("nomination", "номинация"),
    "cycle.not_held": ("none in this cycle", "в этом цикле не проводятся"),
    "cycle.yes": ("yes", "да"),
    "cycle.no": ("no", "нет"),
    "stage.selection": ("selection", "отбор"),
    "stage.qualification": ("qualification", "квалификация"),
    "stage.final": ("final", "финал"),
    "stage.results": ("results", "подведение итогов"),
    "parameter.answer_bytes": ("bytes of an answer, at most", "байтов в ответе, не более"),
    "parameter.log_bytes": ("bytes of a log, at most", "байтов в журнале, не более"),
    "parameter.files_per_session": ("files of a session, at most", "файлов в сессии, не более"),
    "parameter.sessions_per_day": ("sessions a day", "сессий в день"),
    "parameter.sessions_per_day_on.training": (
        "sessions a day on training sets, counted apart",
        "сессий в день на обучающих выборках, отдельно",
    ),
    "parameter.sessions_per_day_on.test": (
        "sessions a day on test sets, counted apart",
        "сессий в день на тестовых выборках, отдельно",
    ),
    "parameter.time_limit_s": ("time for an answer", "время на ответ"),
    "parameter_value.time_limit_s": (
        "{min} to {max} s, {default} s where nothing is said",
        "от {min} до {max} с, без указания {default} с",
    ),
    "parameter.idle_timeout_s": ("silence that ends a session, s", "молчание, завершающее сессию, с"),
    "parameter.sends_per_file": ("answers looked at per file", "рассматриваемых ответов на файл"),
    "parameter.requests_per_second": ("requests per second", "запросов в секунду"),
    "parameter.readiness_min_files": ("files for readiness, at least", "файлов для готовности, не менее"),
    "parameter.readiness_min_share": (
        "share of them answered rightly, at least",
        "доля правильно составленных ответов, не менее",
    ),
    "parameter.least_hidden_items": (
        "items of a hidden set that totals are told of, at least",
        "заданий скрытой выборки, по которым сообщаются итоги, не менее",
    ),
    "parameter.bootstrap_seed": ("seed of the intervals", "начальное число интервалов"),
    "parameter.modules_demanded": (
        "sessions that count for published modules alone",
        "зачётные сессии только с опубликованными модулями",
    ),
    "parameter.technical": ("technical qualification", "техническая квалификация"),
    "parameter_value.technical": (
        f"{_TIMES}; every {{every_hours}} hours, announced {{lead_s}} s before",
        f"{_TIMES_RU}; раз в {{every_hours}} ч, объявляется за {{lead_s}} с",
    ),
    "parameter.final": ("final", "финал"),
    "parameter_value.final": (_TIMES, _TIMES_RU),
    "parameter.experts.limit_s": ("an expert's time for an essay, s", "время эксперта на эссе, с"),
    "parameter.experts.autosave_s": ("between two savings of a draft, s", "между сохранениями черновика, с"),
    "parameter.track.weights": ("weights of M1 … M7", "веса M1 … M7"),
    "parameter.track.hardness": ("hardness H", "параметр жёсткости H"),
    "parameter.track.separate_groups": (
        "errors and semantic blocks are matched apart",
        "ошибки и смысловые блоки сопоставляются отдельно",
    ),
    "parameter.track.paraphrase": ("how paraphrases are found", "как находится парафраз"),
    "parameter.track.limits.max_bytes": ("bytes of a markup, at most", "байтов в разметке, не более"),
    "parameter.track.limits.max_fragments": ("fragments of a markup, at most", "фрагментов в разметке, не более"),
    "parameter.track.limits.max_code_points": ("characters of an essay, at most", "символов в эссе, не более"),
    "parameter.track.limits.max_depth": ("nesting of a markup's JSON, at most", "вложенность JSON разметки, не более"),
}
